#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench - the benchmarks run and print what they say they print.  What the times are is
# no matter.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# All results are numbers; those of placements have a peer.
case_run() {
	"$top/test/bench/run" --quick --json "$work/a.json" place >"$work/table"
	assert jq -e '(.machine.cpu | length > 0) and (.results | length == 97)
		and all(.results[]; .part == "place" and .median > 0 and
			.p10 <= .median and .median <= .p90 and .peer > 0 and
			.ratio > 0)' "$work/a.json"
	assert_eq "rows" 96 "$(grep -c ' slots: b' "$work/table")"
	"$top/test/bench/run" --compare "$work/a.json" "$work/a.json" \
		>"$work/same"
	assert_eq "equal rows" 97 "$(grep -c '+0%$' "$work/same")"
	jq '.results |= map(.ratio *= 2)' "$work/a.json" >"$work/b.json"
	"$top/test/bench/run" --compare "$work/a.json" "$work/b.json" \
		>"$work/slower"
	assert_eq "slower rows" 97 "$(grep -c '+100%  worse$' "$work/slower")"
	refute "$top/test/bench/run" no-such-part
	refute "$top/test/bench/run" --compare "$work/a.json"
}

# Full nodes refuse a job for now, idle and half full ones do not, and all say when.
case_controller() {
	"$top/test/bench/controller" jobs 20 3 >"$work/records"
	# shellcheck disable=SC2016 # awk's
	assert awk -F '\t' 'NF != 7 || $3 <= 0 || $4 > $3 || $3 > $5 || $6 <= 0 {
		bad = 1 } END { exit bad || NR != 39 }' "$work/records"
	assert_eq "refused" "20 full run: bound
20 full run: bound, 2 nodes
20 full run: plain" "$(sed -n 's/ (refused).*//p' "$work/records" | sort)"
}

# With GPUs and for jobs bound by their partition, in every state of the nodes: no
# bound job takes many times as long as a plain one.  On few nodes three times is no
# limit that holds on a busy machine; without remembered placements and halving it
# was hundreds of times.  Slurm 26.05 refuses plain jobs of one node four times as fast
# as others do.
case_controller_gpus() {
	local most=40

	! slurm_is_from 26.05 || most=160
	"$top/test/bench/controller" gpus 40 5 >"$work/records"
	awk -F '\t' -v most="$most" '$3 > most * $6' "$work/records" \
		>"$work/slow"
	assert_eq "slow answers" "" "$(cat "$work/slow")"
	# shellcheck disable=SC2016 # awk's
	assert awk -F '\t' 'NF != 7 || $3 <= 0 || $6 <= 0 { bad = 1 }
		END { exit bad || NR != 132 }' "$work/records"
	# Bound and with GPUs jobs do start where there are units and GPUs.
	assert_eq "rows of explicitly bound jobs that idle nodes refuse" 0 \
		"$(grep -c '^40 idle .*-p bench.*refused' "$work/records")"
	assert_eq "rows of those that full nodes take now" 0 \
		"$(grep '^40 full run' "$work/records" | grep -vc refused)"
}

# peers_record WHAT - its median
peers_record() {
	sed -n "s/^$1\t[^\t]*\t\([^\t]*\).*/\1/p" "$work/records"
}

# Jobs that fill an L3 cache each, and smaller ones; there are more caches than jobs.
case_peers() {
	local way

	"$top/test/bench/peers" 24 1 4 mixed >"$work/records"
	# shellcheck disable=SC2016 # awk's
	assert awk -F '\t' 'NF != 7 || $3 < 0 || $6 != "-" && $6 < 0 { bad = 1 }
		END { exit bad || NR != 50 }' "$work/records"
	for way in implicit explicit; do
		assert_eq "locality, $way" 1 "$(peers_record \
			"4 slots, $way: locality")"
		assert_eq "apart in vain, $way" 0 "$(peers_record \
			"mixed slots, $way: apart in vain")"
	done
	# Slurm alone has jobs beside each other, whatever caches that is in.
	assert test "$(peers_record "mixed slots, plain: apart in vain")" -gt 0
}

cluster_start --nodes this
test_case "all benchmarks by one command" case_run
test_case "select plugins in slurmctld" case_controller
test_case "jobs with GPUs, and bound by their partition" case_controller_gpus
test_case "the recipe of peers" case_peers
tests_done
