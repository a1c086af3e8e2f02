#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# preempt - a bound job gets the units of jobs of a lower partition
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# Both sockets are taken; one of the two jobs has to make way.
case_preempts_one() {
	local first second urgent pid

	pid=$(daemon slurmctld pid)
	first=$(batch -p low -w "$NODE_ZEN" --bunit=S --bamount=1)
	second=$(batch -p low -w "$NODE_ZEN" --bunit=S --bamount=1)
	wait_until 20 runs "$first"
	wait_until 20 runs "$second"
	urgent=$(batch -p urgent -w "$NODE_ZEN" -N1 -n2 --bunit=X --bamount=1)
	wait_until 30 runs "$urgent"
	assert_eq "slurmctld" "$pid" "$(daemon slurmctld pid)"
	assert_eq "jobs that stay" 1 "$(squeue -h -t R -p low | wc -l)"
	assert_no_contradictions
}

# A core of each cache is taken: enough cores are free, but no unit is.
case_preempts_for_units() {
	local cpus job node urgent pid

	pid=$(daemon slurmctld pid)
	cpus=$(seq -s , 0 6 95)
	for node in "$NODE_ZEN" "$NODE_TWIN"; do
		job=$(batch -p low -w "$node" -N1 -n1 "--bcpus=$cpus")
		wait_until 20 runs "$job"
	done
	urgent=$(batch -p urgent -N2 -n2 --bunit=X --bamount=1)
	wait_until 30 runs "$urgent"
	assert_eq "slurmctld" "$pid" "$(daemon slurmctld pid)"
	assert_no_contradictions
}

start() {
	cluster_start --nodes zen,twin --slurm PreemptType=preempt/partition_prio \
		--slurm "PreemptMode=$1" \
		--slurm "PartitionName=low Nodes=ALL PriorityTier=1 DefaultTime=10" \
		--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10"
}

start REQUEUE
test_case "REQUEUE: one of two bound jobs makes way" case_preempts_one
test_case "REQUEUE: fragments make way for units" case_preempts_for_units
cluster_stop
start CANCEL
test_case "CANCEL: one of two bound jobs makes way" case_preempts_one
test_case "CANCEL: fragments make way for units" case_preempts_for_units
tests_done
