#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# changes - jobs become smaller and larger, nodes fail, pending requests change
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# Both sockets of zen and of twin.
two_nodes() {
	alloc -N2 -n4 -w "$NODE_ZEN,$NODE_TWIN" --bunit=S --bamount=1 "$@"
}

# The job has lost twin, and all of zen.
has_zen_only() {
	assert_granted "$1" "$NODE_ZEN" 0-95
	assert_eq "granted on twin" "" "$(granted "$1" "$NODE_TWIN")"
	assert_eq "in use on zen" 0-95 "$(inuse "$NODE_ZEN")"
	assert nothing_in_use "$NODE_TWIN"
	assert_no_contradictions
}

case_shrink() {
	local job other

	job=$(two_nodes)
	scontrol update JobId="$job" NodeList="$NODE_ZEN" >/dev/null
	has_zen_only "$job"
	other=$(alloc -w "$NODE_TWIN" --bunit=S --bamount=2)
	assert_granted "$other" "$NODE_TWIN" 0-95
	assert_no_contradictions
	cancel "$job"
	wait_until 10 nothing_in_use "$NODE_ZEN"
	assert_eq "in use on twin" 0-95 "$(inuse "$NODE_TWIN")"
}

case_shrink_by_number() {
	local job

	job=$(two_nodes)
	scontrol update JobId="$job" NumNodes=1 >/dev/null
	assert_eq "nodes" 1 "$(job_field "$job" NumNodes)"
	assert_eq "granted threads" 0-95 "$(granted "$job")"
	assert_no_contradictions
	cancel "$job"
	wait_until 10 nothing_in_use "$NODE_ZEN"
	wait_until 10 nothing_in_use "$NODE_TWIN"
}

case_grants_after_restart() {
	local job

	job=$(two_nodes)
	scontrol update JobId="$job" NodeList="$NODE_ZEN" >/dev/null
	"$@"
	has_zen_only "$job"
	alloc -w "$NODE_TWIN" --bunit=S --bamount=2 >/dev/null
	assert_no_contradictions
}

# From 25.11 on slurmctld ends, also without topobind, when one of the two has no
# licence.
licences=()
! slurm_is_from 25.11 || licences=(-L merged)

case_expand() {
	local first second

	first=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1 "${licences[@]}")
	second=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1 \
		-d expand:"$first" "${licences[@]}")
	scontrol update JobId="$second" NumNodes=0
	assert_granted "$first" "$NODE_ZEN" 0-11
	assert_eq "in use" 0-11 "$(inuse "$NODE_ZEN")"
	assert_no_contradictions
	cancel "$first"
	wait_until 10 nothing_in_use "$NODE_ZEN"
}

# Slurm cannot take back a merge that failed, so the second job is refused: its
# OPTIONS.
case_expand_by_another() {
	local first output

	first=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	if output=$(salloc --no-shell -d expand:"$first" "$@" 2>&1); then
		fail "not refused: $output"
	fi
	assert_granted "$first" "$NODE_ZEN" 0-5
	assert_eq "in use" 0-5 "$(inuse "$NODE_ZEN")"
}

# Without a node it gets that of the first, also when that has to be waited for.
case_expand_waits() {
	local first second third

	first=$(alloc -w "$NODE_ZEN" --bunit=S --bamount=1)
	third=$(alloc -w "$NODE_ZEN" --bunit=S --bamount=1)
	second=$(batch -d expand:"$first" --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$second"
	assert nothing_in_use "$NODE_TWIN"
	cancel "$third"
	wait_until 20 runs "$second"
	assert_granted "$second" "$NODE_ZEN" 48-95
}

twin_is_down() {
	scontrol update NodeName="$NODE_TWIN" State=down Reason=test
}

# It may come back by itself.
twin_returns() {
	scontrol update NodeName="$NODE_TWIN" State=resume 2>/dev/null || true
	wait_until 30 twin_is_up
}

twin_is_up() {
	[[ $(node_shows "$NODE_TWIN" %T) =~ ^(idle|mixed|allocated)$ ]]
}

# A node fails under a job that goes on without it.
case_no_kill() {
	local job other

	job=$(two_nodes --no-kill)
	daemon "slurmd-$NODE_TWIN" kill
	twin_is_down
	wait_until 10 runs "$job"
	has_zen_only "$job"
	other=$(batch -w "$NODE_TWIN" --bunit=S --bamount=2)
	wait_until 20 was_passed_over "$other"
	daemon "slurmd-$NODE_TWIN" start
	twin_returns
	wait_until 30 runs "$other"
	assert_granted "$other" "$NODE_TWIN" 0-95
	assert_granted "$job" "$NODE_ZEN" 0-95
	assert_no_contradictions
}

# A node fails under a job that does not.
case_killed() {
	local job other

	job=$(batch --no-requeue -N2 -n4 -w "$NODE_ZEN,$NODE_TWIN" --bunit=S \
		--bamount=1)
	wait_until 20 runs "$job"
	twin_is_down
	wait_until 20 is_over "$job"
	wait_until 10 nothing_in_use "$NODE_ZEN"
	wait_until 10 nothing_in_use "$NODE_TWIN"
	other=$(alloc -w "$NODE_ZEN" --bunit=S --bamount=2)
	assert_granted "$other" "$NODE_ZEN" 0-95
	twin_returns
	other=$(alloc -w "$NODE_TWIN" --bunit=S --bamount=2)
	assert_granted "$other" "$NODE_TWIN" 0-95
	assert_no_contradictions
}

# Or is requeued, and starts again with both nodes.
case_requeued() {
	local job

	job=$(batch --requeue -N2 -n4 -w "$NODE_ZEN,$NODE_TWIN" --bunit=S \
		--bamount=1)
	wait_until 20 runs "$job"
	twin_is_down
	wait_until 20 is_pending "$job"
	wait_until 10 nothing_in_use "$NODE_ZEN"
	twin_returns
	release_now "$job"
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-95
	assert_granted "$job" "$NODE_TWIN" 0-95
}

# A pending job's tasks, nodes and partition; its binding stays.
# Without accounting Slurm 24.11 takes what its errno happens to be for a reason to
# refuse that.
moves_to_other() {
	scontrol update JobId="$1" Partition=other 2>/dev/null
}

case_update_pending() {
	local job

	job=$(batch -H -w "$NODE_ZEN" -n1 --bunit=X --bamount=1)
	scontrol update JobId="$job" NumTasks=3
	wait_until 20 moves_to_other "$job"
	scontrol release "$job"
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-17
	assert_eq "partition" other "$(job_field "$job" Partition)"
	cancel "$job"

	job=$(batch -H -N1 -n2 --bunit=S --bamount=1)
	scontrol update JobId="$job" NumNodes=2-2
	scontrol release "$job"
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-47
	assert_granted "$job" "$NODE_TWIN" 0-47
}

# More than there can be: it never starts, and nothing is disturbed.
case_update_to_nonsense() {
	local job

	job=$(batch -H -w "$NODE_ZEN" -N1 -n1 --bunit=S --bamount=1)
	scontrol update JobId="$job" NumTasks=3
	scontrol release "$job"
	wait_until 20 was_passed_over "$job"
	assert is_pending "$job"
	assert nothing_in_use "$NODE_ZEN"
	scontrol update JobId="$job" NumTasks=2
	scontrol release "$job"
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-95
}

# --- --requeue=expedite -----------------------------------------------------

# Slurm starts such a job again at once when it and an Epilog failed, on other nodes:
# the one with the Epilog is drained.
expedited=()
! slurm_is_from 25.11 ||
	expedited=(--slurm SlurmctldParameters=enable_expedited_requeue)

# An Epilog that fails on a node with $work/broken.NODE.
make_epilog() {
	local file

	cat >"$work/epilog" <<-END
	#!/bin/bash
	[ ! -e "$work/broken.\$SLURMD_NODENAME" ]
	END
	chmod 755 "$work/epilog"
	for file in "$cluster/etc/slurm.conf" "$cluster/etc/virtual/slurm.conf"; do
		echo "Epilog=$work/epilog" >>"$file"
	done
	reconfigure
}

# expedite JOB-OPTION... - a job that fails once there is $work/fail
expedite() {
	sbatch --parsable -o /dev/null --requeue=expedite "$@" --wrap "
		[ -z \"\$SLURM_RESTART_COUNT\" ] || exec sleep 600
		until [ -e '$work/fail' ]; do sleep 0.1; done
		exit 1"
}

no_more_failures() {
	rm -f "$work"/broken.* "$work/fail"
}

case_expedited() {
	local job waiting other node

	trap no_more_failures EXIT
	job=$(expedite -N1 --bunit=S --bamount=2 --btype=host)
	wait_until 20 runs "$job"
	node=$(job_field "$job" NodeList)
	assert_granted "$job" "$node" 0-95
	[ "$node" = "$NODE_ZEN" ] && other=$NODE_TWIN || other=$NODE_ZEN
	waiting=$(batch -w "$node" --bunit=S --bamount=2 --btype=host)
	wait_until 20 was_passed_over "$waiting"
	touch "$work/broken.$node" "$work/fail"
	wait_until 60 runs_on "$job" "$other"
	assert_granted "$job" "$other" 0-95
	# The units that it had are free, and nobody's while their node is drained.
	wait_until 20 nothing_in_use "$node"
	assert is_pending "$waiting"
	assert_no_contradictions
	no_more_failures
	scontrol update NodeName="$node" State=RESUME
	wait_until 30 runs "$waiting"
	assert_granted "$waiting" "$node" 0-95
	assert_no_contradictions
}

runs_on() {
	runs "$1" && [ "$(job_field "$1" NodeList)" = "$2" ]
}

cluster_start --nodes zen,twin "${expedited[@]}" \
	--slurm SchedulerParameters=permit_job_expansion,bf_interval=1,sched_interval=2,batch_sched_delay=0 \
	--slurm "PartitionName=other Nodes=ALL DefaultTime=10" \
	--slurm Licenses=merged:10
note_slurmctld
test_case "a smaller job, by its nodes" case_shrink
test_case "a smaller job, by their number" case_shrink_by_number
test_case "a larger job" case_expand
test_case "larger on the nodes that it has" case_expand_waits
test_case "not larger by a plain job" \
	case_expand_by_another -w "$NODE_ZEN" -n1
test_case "not larger by a job with another binding" \
	case_expand_by_another -w "$NODE_ZEN" --bunit=C --bamount=2
test_case "not larger by a job on another node" \
	case_expand_by_another -w "$NODE_TWIN" --bunit=X --bamount=1
test_case "a node fails, --no-kill" case_no_kill
test_case "a node fails, the job ends" case_killed
test_case "a node fails, the job is requeued" case_requeued
if slurm_is_from 25.11; then
	make_epilog
	test_case "--requeue=expedite, and an Epilog fails" case_expedited
fi
test_case "a pending job's request changes" case_update_pending
test_case "and to one that cannot be" case_update_to_nonsense
test_case "scontrol reconfigure after a job became smaller" \
	case_grants_after_restart reconfigure
test_case "slurmctld did not die" assert slurmctld_lives
test_case "slurmctld restarts after a job became smaller" \
	case_grants_after_restart restart_slurmctld
test_case "nothing stays in use" wait_until 10 nothing_in_use "$NODE_ZEN"
tests_done
