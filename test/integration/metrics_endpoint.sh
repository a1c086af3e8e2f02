#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# metrics_endpoint - MetricsType=metrics/topobind: what slurmctld counts is at its own
# endpoint, beside Slurm's numbers, for those who may ask for these
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/metrics.bash
. "$(dirname "$0")/metrics.bash"

# --- releases before 25.11 ------------------------------------------------------------

# Neither has Slurm such plugins, nor is there one for it.
case_no_endpoint() {
	refute conf_is_read_with MetricsType=metrics/topobind
	refute conf_is_read_with MetricsType=metrics/openmetrics
	assert_eq "metrics plugins" "" \
		"$(find "${TOPOBIND_ROOT:-/usr/lib}" -name 'metrics_*.so')"
}

# --- asking ---------------------------------------------------------------------------

pages=(jobs nodes partitions jobs-users-accts scheduler)

setting() {
	scontrol show config | sed -n "s/^$1 *= //p"
}

# url PAGE [HOST]
url() {
	echo "http://${2:-127.0.0.1}:$port/metrics/$1"
}

# ask PAGE [HOST]
ask() {
	curl -s --fail --max-time $((30 * patience)) "$(url "$@")"
}

# Of topobind alone, as it is.
ours() {
	grep -E '^(# [A-Z]+ )?topobind_'
}

# count NAME LABEL=VALUE...
count() {
	ask scheduler >"$work/answer"
	sample "$work/answer" "$@"
}

started() {
	count topobind_placements_granted_total mode=start
}

# begin_again LINE... - slurmctld, with these lines in place of those of slurm.conf
begin_again() {
	local line

	for line; do
		sed -i "/^${line%%=*}=/d" "$cluster/etc/slurm.conf"
		echo "$line" >>"$cluster/etc/slurm.conf"
	done
	restart_slurmctld
}

# begin_as_before - at the end of a case that began it again
begin_as_before() {
	cp "$work/slurm.conf" "$cluster/etc/slurm.conf"
	restart_slurmctld
}

# --- what is there --------------------------------------------------------------------

case_counts() {
	local before never

	before=$(started)
	never=$(count topobind_placements_refused_total mode=ever reason=never)
	alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 >/dev/null
	alloc -N2 -n4 -w "$NODE_ZEN,$NODE_TWIN" --bunit=X --bamount=1 >/dev/null
	alloc -w "$NODE_TWIN" -n3 >/dev/null
	assert_eq "started" $((before + 2)) "$(started)"
	refute sbatch -w "$NODE_ZEN" --bunit=X --bamount=17 --wrap true
	assert [ "$(count topobind_placements_refused_total mode=ever \
		reason=never)" -gt "$never" ]
	ask scheduler >"$work/answer"
	assert_well_formed "$work/answer"
}

# The same text, to the letter.
case_file() {
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	batch -w "$NODE_TWIN" --array=1-3 --bunit=C --bamount=1 >/dev/null
	wait_until 60 is_as_in_file
	topobind metrics --controller "$work/topobind.prom" >"$work/both"
	assert_eq "of topobind metrics" "$(cat "$work/topobind.prom")" \
		"$(grep -F -x -f "$work/topobind.prom" "$work/both")"
}

is_as_in_file() {
	[ -s "$work/topobind.prom" ] &&
		[ "$(ask scheduler | ours)" = "$(cat "$work/topobind.prom")" ]
}

# What Slurm counts, and of what: names and labels.
slurms() {
	ask "$1" | grep -v -E '^(# [A-Z]+ )?topobind_' |
		sed -E 's/^([^#].*) [^ ]*$/\1/' | sort
}

# It is what Slurm's own plugin has, and only the scheduler's page has more.
case_slurms_own() {
	local page

	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	for page in "${pages[@]}"; do
		slurms "$page" >"$work/with-$page"
		assert [ -s "$work/with-$page" ]
		[ "$page" = scheduler ] || refute grep -q topobind_ <(ask "$page")
	done
	trap begin_as_before EXIT
	begin_again MetricsType=metrics/openmetrics
	for page in "${pages[@]}"; do
		refute grep -q topobind_ <(ask "$page")
		assert_eq "$page" "$(slurms "$page")" "$(cat "$work/with-$page")"
	done
}

# --- at any time ----------------------------------------------------------------------

# read_on NUMBER - until there is a file; each answer is whole, and no count falls
read_on() {
	local last=0 now answers=0

	until [ -e "$work/over" ]; do
		for page in "${pages[@]}"; do
			ask "$page" >"$work/answer-$1" || fail "no answer: $page"
		done
		assert_eq "last line" 'topobind_placement_seconds_count{mode="ever"}' \
			"$(tail -n 1 "$work/answer-$1" | cut -d ' ' -f 1)"
		now=$(sample "$work/answer-$1" topobind_placements_granted_total \
			mode=start)
		assert [ "$now" -ge "$last" ]
		last=$now
		answers=$((answers + 1))
	done
	assert [ "$answers" -gt 0 ]
}

case_while_jobs_start() {
	local before readers=() reader job

	before=$(started)
	note_slurmctld
	rm -f "$work/over"
	for reader in 1 2 3; do
		read_on "$reader" &
		readers+=($!)
	done
	for _ in {1..15}; do
		job=$(alloc -N2 -n8 --bunit=X --bamount=1)
		cancel "$job"
	done
	touch "$work/over"
	for reader in "${readers[@]}"; do
		wait "$reader"
	done
	assert_eq "started" $((before + 15)) "$(started)"
	assert slurmctld_lives
}

# A new slurmctld begins anew, also where it goes on in another process.
case_begins_anew() {
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	assert [ "$(started)" -gt 0 ]
	restart_slurmctld
	assert_eq "after a restart" 0 "$(started)"
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	assert_eq "then" 1 "$(started)"
	reconfigure
	assert_eq "after a reconfigure" 0 "$(started)"
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	assert_eq "then" 1 "$(started)"
	wait_until 60 is_as_in_file
}

# What topobind refuses does not touch it.
case_refused_reconfigure() {
	trap reconfigure_with_file EXIT
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	reconfigure_refused_with "${file[@]}" Nonsense=yes
	assert_contains "what it counts" topobind_placements "$(ask scheduler)"
	assert [ "$(started)" -gt 0 ]
}

reconfigure_with_file() {
	reconfigure_with "${file[@]}"
}

# --- who may ask ----------------------------------------------------------------------

# assert_unauthorized PAGE - nothing is told to whom Slurm does not know
assert_unauthorized() {
	assert_eq "$1" 401 "$(curl -s -o "$work/answer" -w '%{http_code}' \
		"$(url "$1")")"
	refute grep -q topobind_ "$work/answer"
}

case_private() {
	local line page lines=(PrivateData=jobs)

	! slurm_is_from 26.05 || lines+=(MetricsAuthUsers=nobody)
	trap begin_as_before EXIT
	for line in "${lines[@]}"; do
		begin_again "$line"
		for page in "${pages[@]}"; do
			assert_unauthorized "$page"
		done
		cp "$work/slurm.conf" "$cluster/etc/slurm.conf"
	done
	! slurm_is_from 26.05 || {
		begin_again PrivateData=jobs MetricsParameters=ignore_private_data
		assert_contains "for all" topobind_ "$(ask scheduler)"
	}
}

# topobind was switched off, and the line has stayed: Slurm begins, and has its own.
case_switched_off() {
	trap begin_as_before EXIT
	begin_again SelectType=select/cons_tres
	assert_contains "Slurm's own" slurm_sched "$(ask scheduler)"
	refute grep -q topobind_ <(ask scheduler)
}

# --- two controllers ------------------------------------------------------------------

backup=127.0.0.2

# The one that stands by sends to the other; then it counts what it does itself.
case_takeover() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_eq "first controller" 1 "$(started)"
	assert_eq "where the other sends" "$(url scheduler)" "$(curl -s -o \
		/dev/null -w '%{redirect_url}' "$(url scheduler "$backup")")"
	takeover
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	runs_undisturbed "$job"
	ask scheduler "$backup" >"$work/answer"
	assert_eq "other controller" 2 "$(sample "$work/answer" \
		topobind_placements_granted_total mode=start)"
	take_back
	assert_eq "first controller again" 0 "$(started)"
}

if slurm_is_from 25.11; then
	cluster_start --nodes zen,twin \
		--slurm MetricsType=metrics/topobind
	port=$(setting SlurmctldPort)
	file=("MetricsFile=$work/topobind.prom" MetricsInterval=1)
	reconfigure_with "${file[@]}"
	cp "$cluster/etc/slurm.conf" "$work/slurm.conf"
	test_case "what was asked and answered" case_counts
	test_case "as in the file" case_file
	test_case "Slurm's own numbers" case_slurms_own
	test_case "while jobs start" case_while_jobs_start
	test_case "slurmctld begins anew" case_begins_anew
	test_case "a reconfigure that is refused" case_refused_reconfigure
	test_case "private data" case_private
	test_case "another SelectType" case_switched_off
	cluster_stop
	cluster_start --nodes zen --backup \
		--slurm MetricsType=metrics/topobind
	port=$(setting SlurmctldPort)
	test_case "another controller takes over" case_takeover
else
	cluster_start --nodes zen
	test_case "a release without an endpoint" case_no_endpoint
fi
tests_done
