#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# mixed - many random jobs, bound and plain: never two on one core
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

units=(T C C C E S X X Y N EX CX EY CT ET)

# Options of a random job, into the array options.  Some can never run, and
# are refused.
random_options() {
	local unit=${units[RANDOM % ${#units[@]}]}

	options=(-n $((RANDOM % 4 + 1)))
	if [ $((RANDOM % 3)) -gt 0 ]; then
		options+=("--bunit=$unit" "--bamount=$((RANDOM % 3 + 1))")
		[ $((RANDOM % 4)) -gt 0 ] || options+=(--btype=host)
		case $((RANDOM % 3)) in
		0) options+=(--bstrategy=linear) ;;
		1) options+=(--bstrategy=scatter) ;;
		esac
	fi
	[ $((RANDOM % 3)) -gt 0 ] || options+=(-N "$((RANDOM % 2 + 1))")
}

case_many_running() {
	local i options

	RANDOM=4711
	for ((i = 0; i < 60; i++)); do
		random_options
		sbatch -Q -p virtual -o /dev/null --mem=1 "${options[@]}" \
			--wrap 'exec sleep 600' 2>/dev/null || true
		[ $((i % 10)) -ne 9 ] || assert_no_contradictions
	done
	wait_until 20 some_run 12
	for ((i = 0; i < 25; i++)); do
		scancel "$(squeue -h -t R -o %A | shuf -n 1)"
		assert_no_contradictions
	done
	assert [ "$(bound_running)" -ge 5 ]
	wait_until 20 record_agrees
}

some_run() {
	[ "$(squeue -h -t R | wc -l)" -ge "$1" ]
}

bound_running() {
	facts | awk '$1 == "grant" && !seen[$2]++ { n++ } END { print n + 0 }'
}

# m_topology_inuse of each node is what all its jobs hold.
record_agrees() {
	local node held

	for node in "$NODE_ZEN" "$NODE_TWIN" "$NODE_SKYLAKE" "$NODE_RAPTOR" "$NODE_POWER" \
		"$NODE_CACHE" "$NODE_GB10"; do
		held=$(facts | awk -v node="$node" \
			'$1 == "cpu" && $3 == node { print $4 }' | as_list)
		[ "$(inuse "$node")" = "$held" ] || return 1
	done
}

case_load() {
	local i options submitted=0 refused=0 ids=() id

	RANDOM=815
	for ((i = 0; i < 200; i++)); do
		random_options
		if id=$(sbatch --parsable -p virtual -o /dev/null --mem=1 -t 1 \
			-J "${options[*]}" "${options[@]}" \
			--wrap 'exec sleep 0.5' 2>/dev/null); then
			ids+=("$id")
			submitted=$((submitted + 1))
		else
			refused=$((refused + 1))
		fi
		[ $((i % 10)) -ne 9 ] || assert_no_contradictions
	done
	echo "$submitted submitted, $refused refused"
	assert [ "$submitted" -ge 150 ]
	wait_until 100 no_jobs_and_no_contradictions
	for id in "${ids[@]}"; do
		assert_eq "state of job $id" COMPLETED "$(job_field "$id" JobState)"
	done
	wait_until 10 record_is_empty
}

no_jobs_and_no_contradictions() {
	assert_no_contradictions
	no_jobs
}

record_is_empty() {
	local records

	records=$(scontrol show node | grep -o 'm_topology_inuse=[^ ]*') &&
		! grep '=.*[a-z]' <<<"$records" >/dev/null
}

cluster_start
test_case "random jobs share nothing, and the node record agrees" case_many_running
test_case "200 short jobs: all complete, nothing stays in use" case_load
tests_done
