#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# events - random jobs that are preempted, suspended, resumed, requeued and kept
# away by reservations: no unit is ever held by two
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

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

grants_are_there() {
	facts | grep '^grant' >/dev/null
}

# Schedulers of newer releases look at new jobs every two seconds only: what happens
# to none that runs shows nothing.
case_events() {
	local i partition

	RANDOM=$1
	for ((i = 0; i < 60; i++)); do
		partition=main
		[ $((RANDOM % 3)) -gt 0 ] || partition=urgent
		random_job 6 -p "$partition" --mem=$((RANDOM % 300000))
		random_event
		[ $((i % 20)) -ne 19 ] || reconfigure_at_once
		[ $((i % 3)) -ne 2 ] || assert_no_unit_is_shared
		[ $((i % 10)) -ne 9 ] || wait_until 60 grants_are_there
	done
	scontrol delete ReservationName=r 2>/dev/null || true
}

cluster_start --nodes zen,twin,raptor \
	--slurm PreemptType=preempt/partition_prio --slurm PreemptMode=REQUEUE \
	--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10"
note_slurmctld
test_case "no unit is held by two" case_events 1234
for node in "$NODE_ZEN" "$NODE_TWIN" "$NODE_RAPTOR"; do
	test_case "nothing stays in use" wait_until 20 nothing_in_use "$node"
done
test_case "slurmctld did not die" assert slurmctld_lives
tests_done
