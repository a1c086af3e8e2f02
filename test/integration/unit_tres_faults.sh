#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# unit_tres_faults - units as TRES (UnitTRES=yes) when another controller takes over, when
# jobs make way for others, when nodes go and come, and what fair share makes of them
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/units_in_books.bash
. "$(dirname "$0")/units_in_books.bash"

# --- jobs that make way -------------------------------------------------------

# makes_way QOS - one of two jobs with it does, and the other keeps its units
makes_way() {
	local jobs=() urgent job

	for _ in 1 2; do
		jobs+=("$(batch --requeue -q "$1" -w "$NODE_A" --bunit=X \
			--bamount=1)")
	done
	wait_until 30 runs "${jobs[0]}"
	wait_until 30 runs "${jobs[1]}"
	urgent=$(batch -q urgent -w "$NODE_A" --bunit=X --bamount=1)
	until runs "$urgent"; do
		assert_books_are_right
		sleep 0.2
	done
	assert_units "$urgent" "l2=2 l3=1"
	assert_eq "nodes" "$NODE_A l2=4 l3=2" "$(node_units)"
	assert_books_are_right
	for job in "${jobs[@]}"; do
		runs "$job" || echo "$job"
	done
}

case_requeued() {
	local job

	job=$(makes_way low)
	wait_until 30 is_pending "$job"
	assert_requested "$job" "l3=1"
	cancel_all -t R
	wait_until 60 no_units_are_held
	release_requeued "$job"
	wait_until 60 runs "$job"
	assert_units "$job" "l2=2 l3=1"
	assert_books_are_right
}

no_units_are_held() {
	[ -z "$(node_units)" ]
}

# Without the time that it would wait.
release_requeued() {
	scontrol hold "$1"
	release_now "$1"
}

case_cancelled() {
	local job

	job=$(makes_way gone)
	job_has_state "$job" PREEMPTED || fail "$(job_field "$job" JobState)"
	cancel_all
	wait_until 60 no_units_are_held
}

# --- nodes that go and come ---------------------------------------------------

case_nodes() {
	local lost kept

	lost=$(batch --requeue -w "$NODE_B" --bunit=X --bamount=1)
	kept=$(batch -w "$NODE_A" --bunit=X --bamount=2)
	wait_until 30 runs "$lost"
	wait_until 30 runs "$kept"
	scontrol update node="$NODE_A" state=drain reason=test
	assert_books_are_right
	scontrol_reconfigure
	wait_until 60 nodes_answer
	assert_eq "after a reconfigure" "$NODE_A l2=4 l3=2 numa=1 socket=1
$NODE_B l2=2 l3=1" "$(node_units)"
	scontrol update node="$NODE_B" state=down reason=test
	wait_until 30 is_pending "$lost"
	assert_eq "without the node" "$NODE_A l2=4 l3=2 numa=1 socket=1" \
		"$(node_units)"
	# It comes back by itself.
	wait_until 60 node_is_idle "$NODE_B"
	scontrol update node="$NODE_A" state=resume
	release_requeued "$lost"
	wait_until 60 runs "$lost"
	assert_books_are_right
	cancel "$lost" "$kept"
	assert_eq "at the end" "" "$(node_units)"
}

# --- fair share ---------------------------------------------------------------

# Seconds of L3 caches of an account in fair share: each is charged 10 for a cache.
seconds_of_share() {
	sshare -n -P -A "$1" -o Account,User,RawUsage |
		sed -n 's/^ *fair||//p' | awk '{ print $1 / 10 }'
}

case_fair_share() {
	local hour

	sacctmgr -i -Q add account fair
	sacctmgr -i -Q add user root account=fair
	wait_for_an_hour
	hour=$(date +%Y-%m-%dT%H:00:00)
	batch_of_seconds 1 -w "$NODE_A" --bunit=X --bamount=1
	batch_of_seconds 2 -w "$NODE_B" --bunit=X --bamount=2
	batch_of_seconds 2 -w "$NODE_A" --bunit=Y --bamount=1
	batch_of_seconds 1 -w "$NODE_A" -n1
	wait_until 60 no_jobs
	wait_until 60 all_are_accounted fair "$hour" 4
	# It looks at once when it begins, and then after minutes.
	restart_slurmctld
	wait_until 60 nodes_answer
	wait_until 60 share_is "$(seconds_by_grants fair "$hour")"
}

batch_of_seconds() {
	local seconds=$1

	shift
	sbatch -Q -o /dev/null -A fair "$@" --wrap "sleep $seconds"
}

share_is() {
	[ "$1" -ge 5 ] && [ "$(seconds_of_share fair)" = "$1" ]
}

# --- all at once --------------------------------------------------------------

# Jobs come and go, are requeued and cancelled; slurmctld begins anew in between.
case_disturbed_load() {
	local i

	RANDOM=240
	for i in {1..8}; do
		random_job 4 >/dev/null
		random_job 4 >/dev/null
		case $((i % 4)) in
		1) to_one_in R scontrol requeue ;;
		2) to_one_in R scancel ;;
		esac
		[ "$i" -ne 3 ] || reconfigure_at_once
		[ "$i" -ne 6 ] || restart_slurmctld
		wait_until 60 controller_answers
		assert_books_are_right
	done
	cancel_all
	wait_until 60 no_jobs
	wait_until 60 no_units_are_held
}

# --- another controller -------------------------------------------------------

case_takeover() {
	local one pair waits before

	one=$(batch -w "$NODE_A" --bunit=X --bamount=1)
	pair=$(batch -N2 -n3 --bunit=Y --bamount=1)
	wait_until 30 runs "$one"
	wait_until 30 runs "$pair"
	waits=$(batch -w "$NODE_B" --bunit=X --bamount=2)
	assert_requested "$waits" "l3=2"
	before=$(node_units)
	save_state "$waits"
	takeover
	assert_eq "under the backup" "$before" "$(node_units)"
	assert_books_are_right
	assert_requested "$waits" "l3=2"
	cancel "$pair"
	wait_until 60 runs "$waits"
	assert_units "$waits" "l2=4 l3=2 numa=1 socket=1"
	assert_units "$one" "l2=2 l3=1"
	assert_books_are_right
	cancel "$one" "$waits"
	assert_eq "at the end" "" "$(node_units)"
	daemon slurmctld start
	wait_until 60 controller_answers
}

units=socket:1,numa:1,l3:2,l2:4
lines=()
for node in a b; do
	lines+=(--machine "$node NSXYCCYCCXYCCYCC 1 8 1"
		--node "$node Gres=$units")
	for unit in ${units//,/ }; do
		lines+=(--gres "$node Name=${unit%:*} Count=${unit#*:} Flags=CountOnly")
	done
done
cluster_start --nodes '' --accounting --backup "${lines[@]}" \
	--slurm GresTypes=socket,numa,l3,l2 \
	--slurm AccountingStorageTRES=gres/socket,gres/numa,gres/l3,gres/l2 \
	--slurm AccountingStorageEnforce=limits,qos \
	--slurm PreemptType=preempt/qos --slurm PreemptMode=REQUEUE \
	--slurm PriorityType=priority/multifactor \
	--slurm PriorityDecayHalfLife=0 --slurm PriorityUsageResetPeriod=YEARLY \
	--slurm SchedulerParameters=bf_interval=1,sched_interval=2,batch_sched_delay=0 \
	--topobind UnitTRES=yes
sacctmgr -i -Q add qos low,gone,urgent >/dev/null
sacctmgr -i -Q modify qos gone set PreemptMode=cancel >/dev/null
sacctmgr -i -Q modify qos urgent set Preempt=low,gone >/dev/null
sacctmgr -i -Q modify account root set qos+=low,gone,urgent >/dev/null
sed -i '/^PartitionName=main /s/$/ TRESBillingWeights=GRES\/l3=10/' \
	"$cluster"/etc/{,virtual/}slurm.conf
reconfigure
test_case "a job that is requeued for another" case_requeued
test_case "a job that is cancelled for another" case_cancelled
test_case "nodes that are drained, down and back" case_nodes
test_case "fair share" case_fair_share
test_case "a load with disturbances" case_disturbed_load
test_case "another controller takes over" case_takeover
tests_done
