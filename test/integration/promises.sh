#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# promises - a bound job starts when --test-only says, neither later nor earlier
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# --- units that two jobs may share --------------------------------------------

# Two jobs share all sockets; when the shorter one has ended, a third fits.
case_shared_unit() {
	local short waiting

	alloc -p both -t 30 -N1 -n4 --bunit=S --bamount=1 >/dev/null
	short=$(alloc -p both -t 2 -N1 -n4 --bunit=S --bamount=1)
	assert_told 1 4 -p both -N1 -n4 --bunit=S --bamount=1
	assert_told 1 4 -p both -N1 -n1 --bunit=S --bamount=1
	waiting=$(batch -p both -N1 -n4 --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$waiting"
	cancel "$short"
	wait_until 20 runs "$waiting"
	assert_no_contradictions 2
}

# One socket is free of both jobs in ten minutes, the others of one in twenty.
case_soonest_level() {
	alloc -p both -t 40 -N1 -n3 --bunit=S --bamount=1 >/dev/null
	alloc -p both -t 10 -N1 -n1 --bunit=S --bamount=1 >/dev/null
	alloc -p both -t 20 -N1 -n3 --bunit=S --bamount=1 >/dev/null
	alloc -p both -t 10 -N1 -n1 --bunit=S --bamount=1 >/dev/null
	assert_told 8 12 -p both -N1 -n1 --bunit=S --bamount=1
	assert_told 18 22 -p both -N1 -n4 --bunit=S --bamount=1
}

# --- tasks for each node ------------------------------------------------------

# now_means_now OPTION... - what is told to start now is started
now_means_now() {
	local job

	assert_told 0 1 "$@"
	job=$(batch "$@")
	wait_until 20 runs "$job"
	assert_no_contradictions
	cancel "$job"
}

case_more_tasks_for_a_node() {
	local job

	now_means_now -n1 --ntasks-per-node=2 --bunit=X --bamount=1
	now_means_now -n1 --ntasks-per-node=4 --bunit=C --bamount=3
	now_means_now -N1 -n3 --ntasks-per-node=4 --bunit=S --bamount=1
	now_means_now -n2 --ntasks-per-node=4 --bunit=X --bamount=1
	# Slurm asks each node for the CPUs of as many tasks.
	now_means_now -n2 --ntasks-per-node=3 -c2 --bunit=C --bamount=2
	now_means_now -N1 -n2 --ntasks-per-node=5 -c1 --bunit=C --bamount=1
	job=$(alloc -n1 --ntasks-per-node=2 --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_QUADRANT" 0-1
}

# --- GPUs ---------------------------------------------------------------------

# Two sockets of two NUMA nodes; a GPU near each NUMA node.
quad=SNXCTTCTTXCTTCTTNXCTTCTTXCTTCTTSNXCTTCTTXCTTCTTNXCTTCTTXCTTCTT

# Since Slurm 24.11 cores near a device must be whole sockets of the record.
make_sockets_of_numa_nodes() {
	! slurm_is_from 24.11 ||
		sed -i -E "/^NodeName=$1 / { s/ Sockets=[0-9]+/ Sockets=4/
			s/ CoresPerSocket=[0-9]+/ CoresPerSocket=4/ }" \
			"$cluster/etc/slurm.conf" \
			"$cluster/etc/virtual/slurm.conf"
}

start_gpu_nodes() {
	local node

	cluster_start --nodes '' --machine "one $quad 2 8 2" \
		--machine "two $quad 2 8 2" --machine "three $quad 2 8 2" \
		--slurm GresTypes=gpu
	for node in "$NODE_ONE" "$NODE_TWO" "$NODE_THREE"; do
		give_gres "$node" gpu:4 "Name=gpu File=DEVICE0 Cores=0-3" \
			"Name=gpu File=DEVICE1 Cores=4-7" \
			"Name=gpu File=DEVICE2 Cores=8-11" \
			"Name=gpu File=DEVICE3 Cores=12-15"
		make_sockets_of_numa_nodes "$node"
	done
	start_with_gres "$NODE_ONE" "$NODE_TWO" "$NODE_THREE"
}

# told_now_starts OPTION... - no start now is told, or the job starts
told_now_starts() {
	local told start job

	told=$(sbatch --test-only "$@" --wrap true 2>&1) || return 0
	start=$(sed -n 's/.* to start at \([^ ]*\) .*/\1/p' <<<"$told")
	[ $(($(date -d "$start" +%s) - EPOCHSECONDS)) -lt 60 ] || return 0
	job=$(batch "$@")
	wait_until 20 runs "$job"
	cancel "$job"
}

# Some can be given to no job as it asks, on some releases of Slurm.
case_gpus() {
	local must=--gres-flags=enforce-binding job

	told_now_starts -N2 -n2 --gres=gpu:2 --bunit=C --bamount=1 "$must"
	told_now_starts -N2 -n2 --gpus=3 --bunit=C --bamount=1 "$must"
	told_now_starts -N2-3 -n2 --gpus=4 --bunit=C --bamount=1 "$must"
	told_now_starts -N2 -n3 --gpus=2 --bunit=C --bamount=1
	told_now_starts -N3 -n4 --gpus=3 --bunit=C --bamount=1
	told_now_starts -N2 -n4 --gpus=2 --bunit=X --bamount=1
	job=$(alloc -N2 -n2 --gpus-per-task=1 --bunit=C --bamount=1 "$must")
	assert runs "$job"
}

# A node has fewer tasks than it may have.
case_more_tasks_for_several_nodes() {
	now_means_now -N2 -n2 --ntasks-per-node=5 -c2 --bunit=C --bamount=1
	now_means_now -N2 -n3 --ntasks-per-node=4 -c4 --bunit=X --bamount=1
	now_means_now -N2 -n2 --ntasks-per-node=5 --btype=host --bunit=C --bamount=2
}

# Some releases of Slurm take nodes for contiguous that have another, which is too
# small, between them: what they give plain jobs, bound ones get, too.
case_contiguous() {
	alloc -w "$NODE_THREE" -n13 --bunit=C --bamount=1 >/dev/null
	! salloc --immediate -N2 -n10 -c6 --contiguous true ||
		now_means_now -N2 -n10 --contiguous --bunit=C --bamount=3
	now_means_now -N2 -n6 --contiguous --bunit=C --bamount=3
}

cluster_start --nodes quadrant --slurm \
	"PartitionName=both Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=10"
note_slurmctld
test_case "a unit that one of two jobs gives back" case_shared_unit
test_case "the soonest of free and shared units" case_soonest_level
test_case "more tasks for each node than tasks" case_more_tasks_for_a_node
test_case "nothing stays in use" wait_until 10 nothing_in_use "$NODE_QUADRANT"
test_case "slurmctld did not die" assert slurmctld_lives
cluster_stop

start_gpu_nodes
note_slurmctld
test_case "more tasks for each of several nodes than tasks" \
	case_more_tasks_for_several_nodes
test_case "contiguous nodes" case_contiguous
test_case "GPUs" case_gpus
test_case "GPUs: slurmctld did not die" assert slurmctld_lives
tests_done
