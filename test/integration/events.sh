#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# events - random jobs that are preempted, suspended, resumed, requeued and kept
# away by reservations: no unit is ever held by two
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

units=(C C S X X Y N)

random_job() {
	local options=(-n $((RANDOM % 4 + 1)) -t $((RANDOM % 30 + 1)))

	[ $((RANDOM % 3)) -eq 0 ] ||
		options+=("--bunit=${units[RANDOM % ${#units[@]}]}"
			"--bamount=$((RANDOM % 3 + 1))")
	[ $((RANDOM % 3)) -gt 0 ] || options+=(-N $((RANDOM % 2 + 1)))
	[ $((RANDOM % 3)) -gt 0 ] || options+=(-p urgent)
	# Some can never run, and are refused.
	sbatch -Q --requeue -o /dev/null --mem=$((RANDOM % 300000)) \
		"${options[@]}" --wrap "exec sleep $((RANDOM % 6))" 2>/dev/null ||
		true
}

# to_one_in STATE COMMAND... - do that to a job in this state; it may refuse
to_one_in() {
	local job

	job=$(squeue -h -t "$1" -o %A | shuf -n 1)
	shift
	[ -z "$job" ] || "$@" "$job" >/dev/null 2>&1 || true
}

random_event() {
	case $((RANDOM % 6)) in
	0) to_one_in R scontrol suspend ;;
	1 | 2) to_one_in S scontrol resume ;;
	3) to_one_in R scontrol requeue ;;
	4)
		scontrol create reservation ReservationName=r Users=root \
			StartTime=now Duration=1 Nodes="$NODE_ZEN" \
			CoreCnt=$((RANDOM % 20 + 1)) >/dev/null 2>&1 ||
			scontrol delete ReservationName=r 2>/dev/null || true
		;;
	esac
}

case_events() {
	local i ran

	RANDOM=$1
	for ((i = 0; i < 60; i++)); do
		random_job
		random_event
		[ $((i % 20)) -ne 19 ] || scontrol reconfigure
		[ $((i % 3)) -ne 2 ] || assert_no_unit_is_shared
	done
	ran=$(facts | awk '$1 == "grant" { bound[$2] } END { print length(bound) }')
	assert [ "$ran" -ge 1 ]
	scontrol delete ReservationName=r 2>/dev/null || true
}

cluster_start --nodes zen,twin,raptor \
	--slurm PreemptType=preempt/partition_prio --slurm PreemptMode=REQUEUE \
	--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10"
pid=$(daemon slurmctld pid)
test_case "no unit is held by two" case_events 1234
for node in "$NODE_ZEN" "$NODE_TWIN" "$NODE_RAPTOR"; do
	test_case "nothing stays in use" wait_until 20 nothing_in_use "$node"
done
test_case "slurmctld did not die" \
	assert_eq "slurmctld" "$pid" "$(daemon slurmctld pid)"
tests_done
