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

# --- several nodes ------------------------------------------------------------

# Two sockets of two NUMA nodes; a GPU near each NUMA node.
quad=SNXCTTCTTXCTTCTTNXCTTCTTXCTTCTTSNXCTTCTTXCTTCTTNXCTTCTTXCTTCTT
# NUMA nodes of 6, 24 and 14 cores.
uneven=SNCCCCCCNCCCCCCCCCCCCCCCCCCCCCCCCNCCCCCCCCCCCCCC

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

	cluster_start "$@" --machine "one $quad 2 8 2" \
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

# never OPTION... - on the idle cluster it cannot run: it is refused at once
never() {
	local answer

	refute sbatch --test-only "$@" --wrap true
	answer=$(sbatch -o /dev/null "$@" --wrap true 2>&1) &&
		fail "accepted: $*"
	assert_contains "the answer to $*" \
		"node configuration is not available" "$answer"
}

# too_many_nodes OPTION... - more than there are.  From Slurm 25.11 on such a job is
# accepted, with a binding or without, and waits for a larger partition.
too_many_nodes() {
	local job

	slurm_is_from 25.11 || {
		never "$@"
		return
	}
	refute sbatch --test-only "$@" --wrap true
	job=$(batch "$@")
	wait_until 20 waits_for_a_larger_partition "$job"
	cancel "$job"
}

waits_for_a_larger_partition() {
	[ "$(squeue -h -j "$1" -o %r)" = PartitionNodeLimit ]
}

# gets LIST OPTION... - it starts, with so many CPUs on nodes: "one 4, three 2"
gets() {
	local wanted=$1 job

	shift
	now_means_now "$@"
	job=$(alloc "$@")
	assert_eq "CPUs of $*" "$wanted" "$(facts | awk -v job="$job" \
		'$1 == "cpu" && $2 == job { count[$3]++ }
		END { for (node in count) print node, count[node] }' |
		sed -E "s/$number / /" | sort | paste -sd, | sed 's/,/, /g')"
	cancel "$job"
}

case_gpus() {
	now_means_now -N2 -n3 --gpus=2 --bunit=C --bamount=1
	now_means_now -N2 -n3 --gpus=2 --bunit=N --bamount=1
	now_means_now -N2 -n5 --gpus=2 --bunit=C --bamount=2
	now_means_now -N3 -n4 --gpus=3 --bunit=C --bamount=1
	now_means_now -N3 -n4 --gpus=3 --bunit=N --bamount=1
	now_means_now -N2 -n4 --gpus=2 --bunit=X --bamount=1
}

# counts_gpus LIST OPTION... - it starts, with so many GPUs on nodes: "4 4"
counts_gpus() {
	local wanted=$1 job

	shift
	now_means_now "$@"
	job=$(alloc "$@")
	assert_eq "GPUs of $*" "$wanted" "$(scontrol show job -d "$job" |
		sed -n 's/.* Nodes=\([^ ]*\) .*GRES=gpu:\([0-9]*\).*/\1 \2/p' |
		while read -r nodes count; do
			scontrol show hostnames "$nodes" |
				sed "s/.*/$count/"
		done | sort -rn | paste -sd' ')"
	cancel "$job"
}

# The tasks of a node share a slot, but not their GPUs.
case_gpus_with_overcommit() {
	local type

	for type in slot host; do
		counts_gpus "4 4" -n8 --gpus-per-task=1 -O --bunit=X \
			--bamount=1 --btype="$type"
		counts_gpus "3 2" -N2 -n5 --gpus-per-task=1 -O --bunit=X \
			--bamount=1 --btype="$type"
		counts_gpus "4" -n4 --gpus-per-task=1 -O --bunit=C \
			--bamount=1 --btype="$type"
		counts_gpus "4 2" -n3 --gpus-per-task=2 -O --bunit=X \
			--bamount=1 --btype="$type"
	done
	now_means_now -n4 --gpus=5 -O --bunit=X --bamount=1
	counts_gpus "4 4" -n16 --ntasks-per-gpu=2 -O --bunit=C --bamount=1
	never -n13 --gpus-per-task=1 -O --bunit=C --bamount=1
}

case_gpus_of_hosts() {
	now_means_now --btype=host -N2 -n4 --gpus=2 --bunit=C --bamount=2
	now_means_now --btype=host -N2 -n4 --gpus=2 --bunit=X --bamount=1
	now_means_now --btype=host -N2 -n5 --gpus=3 --bunit=X --bamount=2
	now_means_now --btype=host -n1 --gpus=1 --bunit=S --bamount=1
	now_means_now --btype=host -N2-3 -n4 --gpus=2 --bunit=C --bamount=2
	now_means_now --btype=host -N2 -n4 -c1 --gpus=2 --bunit=C --bamount=2
	now_means_now --btype=host -N2 -n5 -c1 --gres=gpu:1 --bunit=S --bamount=2
}

# Each GPU is near one of the job's units on its node, or the job cannot run.
case_near_gpus() {
	local must=--gres-flags=enforce-binding

	never -N2 -n2 --gres=gpu:2 --bunit=C --bamount=1 "$must"
	never -N2 -n3 --gres=gpu:2 --bunit=C --bamount=1 "$must"
	never -N2 -n2 --gpus=3 --bunit=C --bamount=1 "$must"
	never -N2 -n3 --gpus=4 --bunit=C --bamount=1 "$must"
	never -N2-3 -n2 --gpus=4 --bunit=C --bamount=1 "$must"
	never -n2 --gpus=3 --bunit=C --bamount=1 "$must"
	never -N2-3 -n5 --gpus=6 --bunit=C --bamount=1 "$must"
	now_means_now -N2 -n2 --gres=gpu:2 --bunit=S --bamount=1 "$must"
	now_means_now -N2 -n4 --gres=gpu:2 --bunit=C --bamount=1 "$must"
	now_means_now -N2 -n2 --gpus=3 --bunit=S --bamount=1 "$must"
	now_means_now -N2 -n4 --gpus=7 --bunit=S --bamount=1 "$must"
	now_means_now -N2 -n12 --gpus=6 --bunit=C --bamount=1 "$must"
	now_means_now -N2 -n2 --gpus-per-task=1 --bunit=C --bamount=1 "$must"
}

# Slots, and devices, are dealt out so that those of each node suffice.
case_near_gpus_dealt_out() {
	local must=--gres-flags=enforce-binding

	now_means_now -N3 -n9 --gpus=9 --bunit=C --bamount=1 "$must"
	now_means_now -N2 -n5 --gpus=5 --bunit=C --bamount=1 "$must"
	now_means_now -N2-3 -n10 --gpus=10 --bunit=C --bamount=1 "$must"
	now_means_now -n6 --gpus=12 --bunit=S --bamount=1 "$must"
	now_means_now -N3 -n3 --gpus=6 --bunit=S --bamount=1 "$must"
}

# With a range of nodes and no -n each node has a task: on so many nodes that each
# has no more GPUs than its units are near.
case_near_gpus_of_a_range() {
	local must=--gres-flags=enforce-binding

	gets "one 2, three 2, two 2" -N1-3 --gpus=3 --bunit=C --bamount=1 "$must"
	gets "one 2, three 2, two 2" -N2-3 --gpus=3 --bunit=C --bamount=1 "$must"
	now_means_now -N1-3 --gpus=3 --bunit=S --bamount=1 "$must"
	never -N1-2 --gpus=3 --bunit=C --bamount=1 "$must"
	never -N1-3 --gpus=4 --bunit=C --bamount=1 "$must"
}

# Bound by the site: four tasks of two cores next to each other would be near two of
# the four GPUs.
case_near_gpus_of_the_site() {
	reconfigure_with Implicit=yes
	gets "one 16" -w "$NODE_ONE" -N1 -n4 -c4 --gpus-per-task=1 \
		--gres-flags=enforce-binding
	gets "one 16" -w "$NODE_ONE" -N1 -n4 -c4 --gres=gpu:4 \
		--gres-flags=enforce-binding
	reconfigure_with Implicit=no
}

# With a range of nodes each has so many tasks; -n says how many there are.
case_tasks_for_each_node() {
	now_means_now -C 'a|b' -N1-4 --ntasks-per-node=2 --bunit=C --bamount=1
	now_means_now -C 'a|b' -N2-3 --ntasks-per-node=2 --bunit=X --bamount=1
	gets "one 4, two 2" -C a -N2 -n3 --ntasks-per-node=2 --bunit=C \
		--bamount=1
	gets "quadrant 2, uneven 1" -w "$NODE_QUADRANT,$NODE_UNEVEN" -N2 -n3 \
		--ntasks-per-node=2 --bunit=C --bamount=1
	gets "quadrant 1" -w "$NODE_QUADRANT" -n1 --ntasks-per-node=2 \
		--bunit=C --bamount=1
}

# Slurm asks for the nodes of each feature first: they hold some of the slots.
case_nodes_of_features() {
	local nodes="[a*2&b*1]"

	gets "one 16, three 16, two 16" -N3 -n3 --bunit=S --bamount=1 \
		--constraint="$nodes"
	now_means_now -N3 -n5 --bunit=S --bamount=1 --constraint="$nodes"
	now_means_now -N3 -n6 --bunit=N --bamount=2 --constraint="$nodes"
	never -N3 -n7 --bunit=S --bamount=1 --constraint="$nodes"
	# More nodes than tasks: each has a slot.  From Slurm 26.05 on a job without -N
	# has no more nodes than tasks.
	if slurm_is_from 26.05; then
		set -- "node configuration is not available" -n2
		refused "$@" --constraint="$nodes"
		refused "$@" --constraint="$nodes" --bunit=C --bamount=1
		return
	fi
	gets "one 16, three 16, two 16" -n1 --bunit=S --bamount=1 \
		--constraint="$nodes"
	gets "one 2, three 2, two 2" -n2 --bunit=C --bamount=1 \
		--constraint="$nodes"
}

# Each of them has no more tasks than are said.
# Of the nodes of a feature Slurm wants all GPUs: none has that many free.  Some
# releases start no such job, with a binding or without.
case_gpus_on_nodes_of_features() {
	# And CPUs for all tasks of these GPUs.
	! salloc --immediate -C 'a*1' -n4 --gpus=2 --ntasks-per-gpu=2 -c6 true ||
		now_means_now -C 'a*1' -n4 --gpus=2 --ntasks-per-gpu=2 \
			--bunit=C --bamount=3
	alloc -w "$NODE_ONE" -N1 -n1 --gres=gpu:2 --bunit=C --bamount=1 >/dev/null
	alloc -w "$NODE_TWO" -N1 -n1 --gres=gpu:2 --bunit=C --bamount=1 >/dev/null
	! salloc --immediate -C 'a*1' -n3 --gpus=3 -c6 true ||
		now_means_now -C 'a*1' -n3 --gpus=3 --bunit=C --bamount=3
}

case_tasks_of_hosts() {
	set -- --bunit=C --bamount=2 --btype=host
	gets "one 4, power 8, three 4" -n3 --ntasks-per-node=1 "$@" \
		-x "$NODE_QUADRANT,$NODE_UNEVEN,$NODE_TWO"
	gets "one 4, two 4" -n3 --ntasks-per-node=2 "$@" -x \
		"$NODE_QUADRANT,$NODE_UNEVEN,$NODE_THREE,$NODE_POWER"
	never -N1-2 -n3 --ntasks-per-node=1 "$@"
	too_many_nodes -n7 --ntasks-per-node=1 "$@"
}

case_unlike_hosts() {
	gets "power 8, quadrant 2" -w "$NODE_POWER,$NODE_QUADRANT" -N2 -n2 \
		--bunit=C --bamount=2 --btype=host
	gets "power 32, quadrant 4, uneven 6" -N3 -n3 --bunit=N --bamount=1 \
		-w "$NODE_POWER,$NODE_QUADRANT,$NODE_UNEVEN" --btype=host
}

# One after the other small nodes would be taken, until no more are allowed.
case_largest_hosts() {
	set -- -N3 --bunit=C --bamount=1 --btype=host
	gets "one 2, power 4, three 2" "$@" -n7
	gets "one 2, power 4, three 2" "$@" -n8 --mem-per-cpu=10
	never "$@" -n9
}

# The first NUMA node is too small: the next one in order that is not.
case_larger_units() {
	set -- -w "$NODE_UNEVEN" -N1 --bunit=N --btype=host
	gets "uneven 6" "$@" -n2 -c2 --bamount=1
	gets "uneven 24" "$@" -n3 -c4 --bamount=1
	gets "uneven 24" "$@" -n5 -c4 --bamount=1
	gets "uneven 38" "$@" -n9 -c4 --bamount=2
	never "$@" -n7 -c4 --bamount=1
}

# refused SENTENCE OPTION... - sbatch says why, and there is no job
refused() {
	local sentence=$1 answer

	shift
	answer=$(sbatch -o /dev/null "$@" --wrap true 2>&1) &&
		fail "accepted: $*"
	assert_contains "the answer to $*" "$sentence" "$answer"
}

# The window ends at the first free core, or cache, which is all that could lie in
# it.
case_window_of_nothing() {
	local shut="ends the window before the first free core"

	refused "$shut" --bstop=C --bunit=C --bamount=1
	refused "$shut" --bstart=N --bstop=C --bunit=C --bamount=1
	refused "a window of one core" --bstart=C --bstop=C --bunit=X --bamount=1
	refused "a window of one core" --bstart=c --bstop=c --bunit=C --bamount=1
	never --bstop=C --bunit=T --bamount=1
	never -w "$NODE_ONE" --bstop=X --bunit=X --bamount=1
	never -w "$NODE_ONE" --bstart=N --bstop=X --bunit=C --bamount=1
	never -w "$NODE_ONE" --bstart=x --bstop=x --bunit=X --bamount=1
	now_means_now --bstart=C --bstop=C --bunit=C --bamount=1
	now_means_now --bstop=C --bunit=X --bamount=1
	# Before the second one there is a free core.
	now_means_now -N2 -n2 --bstop=C --bunit=X --bamount=1
	never -N1 -n2 --bstop=C --bunit=X --bamount=1
	never --bstop=C --bunit=X --bamount=2
}

# What others have lets them have a unit in the window.
case_window_of_other_cores() {
	local cache thread

	set -- -w "$NODE_RAPTOR" -n1 --bamount=1
	cache=$(batch "$@" --bunit=X --bstop=X)
	thread=$(batch "$@" --bunit=T --bstop=C)
	alloc "$@" --bunit=E >/dev/null
	wait_until 20 runs "$cache"
	cancel "$cache"
	alloc "$@" --bunit=T >/dev/null
	wait_until 20 runs "$thread"
}

# When the job whose core begins the window has ended, and given back its memory, no
# core does, unless another job has one.
case_window_that_ends() {
	local memory

	memory=$(scontrol show node "$NODE_ZEN" |
		sed -n 's/.*RealMemory=\([0-9]*\) .*/\1/p')
	set -- -w "$NODE_ZEN" -n1 --bunit=C --bamount=1 --bstart=c \
		--mem=$((memory / 2))
	alloc -w "$NODE_ZEN" -n1 -t 10 --mem=$((memory * 3 / 4)) >/dev/null
	refute sbatch --test-only "$@" --wrap true
	alloc -w "$NODE_ZEN" -n1 -t 40 --mem=1 >/dev/null
	assert_told 8 12 "$@"
}

# A node has fewer tasks than it may have.
case_more_tasks_for_several_nodes() {
	now_means_now -N2 -n2 --ntasks-per-node=5 -c2 --bunit=C --bamount=1
	now_means_now -N2 -n3 --ntasks-per-node=4 -c4 --bunit=X --bamount=1
	now_means_now -N2 -n2 --ntasks-per-node=5 --btype=host --bunit=C --bamount=2
}

# The same for jobs with devices: each node has some of the tasks.
case_devices_and_fewer_tasks() {
	now_means_now -N2 -n7 --ntasks-per-node=5 --gres=gpu:1 --bunit=C \
		--bamount=2
	now_means_now -N3 -n7 --ntasks-per-node=3 --gres=gpu:1 --bunit=C \
		--bamount=2
	gets "one 8, two 4" -w "$NODE_ONE,$NODE_TWO" -N2 -n3 \
		--ntasks-per-node=2 --gres=gpu:1 --bunit=C --bamount=2
	gets "one 8, two 4" -w "$NODE_ONE,$NODE_TWO" -N2 -n3 -c4 \
		--ntasks-per-node=2 --gres=gpu:1 --bunit=C --bamount=2
}

# No node has as many GPUs as the tasks need, and each node some of them.
case_tasks_of_each_gpu() {
	now_means_now -N2 -n6 --gpus=6 --ntasks-per-gpu=1 --bunit=C --bamount=1
	now_means_now -n6 --gpus=6 --ntasks-per-gpu=1 --bunit=N --bamount=1
	now_means_now -n6 --gpus=6 --ntasks-per-gpu=1 --bunit=C --bamount=1
	now_means_now -n10 --gpus=5 --ntasks-per-gpu=2 --bunit=C --bamount=3
	gets "one 18, two 18" -N2 -n6 --gpus=2 --ntasks-per-gpu=3 --bunit=T \
		--bamount=6 -w "$NODE_ONE,$NODE_TWO" --bstrategy=scatter
	never -n39 --gpus=13 --ntasks-per-gpu=3 --bunit=C --bamount=1
}

# No node has the GPUs of all tasks; which of them a node has is not Slurm's guess.
case_gpus_of_each_task() {
	now_means_now -n5 --gpus-per-task=1 --bunit=C --bamount=1 \
		--gres-flags=disable-binding
	now_means_now -n4 --gpus-per-task=2 --bunit=X --bamount=1 \
		--gres-flags=disable-binding
	now_means_now --btype=host -N2 -n4 --gpus-per-task=1 --bunit=C --bamount=2
	now_means_now --btype=host -n5 --gpus-per-task=1 --bunit=C --bamount=3 \
		--gres-flags=disable-binding
	# Units whose CPUs do not divide by the tasks.
	now_means_now --btype=host -N1 -n3 --gpus-per-task=1 --bunit=C --bamount=2
	now_means_now -n6 --gpus-per-task=2 --bcpus=0-7
	never -n7 --gpus-per-task=2 --bunit=C --bamount=1
	never --btype=host -n13 --gpus-per-task=1 --bunit=S --bamount=1
}

# --ntasks-per-node says how many at most, whatever else goes by it in Slurm.
case_gpus_and_tasks_of_a_node() {
	now_means_now -n1 --gpus=4 --ntasks-per-node=3 --bunit=C --bamount=3
	now_means_now -n4 --gpus=7 --ntasks-per-node=3 --bunit=C --bamount=2 \
		--mem-per-gpu=10
	now_means_now -N2-3 -n5 --gres=gpu:3 --ntasks-per-node=2 --bunit=C \
		--bamount=1
	never -n4 --gpus=5 --ntasks-per-node=1 -N1-3 --bunit=C --bamount=1
	# The units of a host have four CPUs; of its tasks there are five at most.
	now_means_now --btype=host -n5 --ntasks-per-node=5 --gpus-per-node=4 \
		--bunit=C --bamount=2
	now_means_now --btype=host -n10 --ntasks-per-node=5 -N2-3 --gres=gpu:1 \
		--bunit=C --bamount=2
	never --btype=host -n10 --ntasks-per-node=5 -N2 --gres=gpu:1 --bunit=C \
		--bamount=2
	# More nodes than GPUs: each has one all the same.
	now_means_now -n5 --gpus=1 --bunit=S --bamount=1
	now_means_now -n6 --gpus=2 --bunit=S --bamount=1
}

# One node has fewer GPUs for each task than the other; memory goes with them.
case_memory_of_gpus() {
	local job

	alloc -w "$NODE_ONE" -N1 -n1 --gres=gpu:3 --mem=10 --bunit=C --bamount=1 \
		>/dev/null
	set -- -w "$NODE_ONE,$NODE_TWO" -N2 --mem-per-gpu=10 --bunit=C --bamount=1
	now_means_now "$@" -n6 --gpus=3 --ntasks-per-gpu=2
	job=$(alloc "$@" -n6 --gpus=3 --ntasks-per-gpu=2)
	assert_eq "memory on each node" "10 20" "$(scontrol -d show job "$job" |
		sed -n 's/.* Mem=\([0-9]*\).*/\1/p' | paste -sd' ')"
	assert_eq "GPUs on each node" "1 2" "$(scontrol -d show job "$job" |
		sed -n 's/.* GRES=gpu:\([0-9]*\).*/\1/p' | paste -sd' ')"
}

# Some releases of Slurm take nodes for contiguous that have another, which is too
# small, between them: what they give plain jobs, bound ones get, too.
case_contiguous() {
	alloc -w "$NODE_THREE" -n13 --bunit=C --bamount=1 >/dev/null
	! salloc --immediate -N2 -n10 -c6 --contiguous true ||
		now_means_now -N2 -n10 --contiguous --bunit=C --bamount=3
	now_means_now -N2 -n6 --contiguous --bunit=C --bamount=3
}

# Of these nodes the third lies between the others.
case_contiguous_gpus() {
	set -- --contiguous --gres-flags=enforce-binding
	now_means_now "$@" -N2 -n4 --gpus=2 --ntasks-per-gpu=2 --bunit=C \
		--bamount=2
	now_means_now "$@" -n12 --gpus=12 --bunit=N --bamount=1
	never "$@" -x "$NODE_THREE" -N2 -n2 --gpus=2 --bunit=C --bamount=1
}

# Below the first switch two nodes have eight GPUs, below the other one has four.
case_gpus_of_one_switch() {
	local holder job

	set -- --switches=1 -n3 --bunit=C --bamount=2
	holder=$(alloc -w "$NODE_ONE" -t 10 -N1 -n1 --gres=gpu:3 --bunit=C \
		--bamount=1)
	now_means_now "$@" --gpus=5
	assert_told 8 12 "$@" --gpus=6
	assert_told 8 12 "$@" --gpus=6 --btype=host
	now_means_now "$@" --gpus=6 --switches=2
	job=$(batch "$@" --gpus=6)
	wait_until 20 was_passed_over "$job"
	cancel "$holder"
	wait_until 20 runs "$job"
	assert_eq "its nodes" "one,two" "$(squeue -h -j "$job" -o %N |
		xargs scontrol show hostnames | sed "s/$number\$//" | paste -sd,)"
}

# Slurm would begin with the switch of fewest nodes, which does not have all slots.
case_units_of_one_switch() {
	set -- --switches=1 --bunit=N --bamount=1
	gets "one 24, two 24" "$@" -n6
	gets "one 32, two 32" "$@" -n8
	gets "one 32, two 32" "$@" -n40 --btype=host --bunit=X --bamount=8
	now_means_now "$@" -n12 --switches=2
}

# --- nodes of one's own ----------------------------------------------------------

# The first node has six power cores; its others are none.
case_exclusive() {
	now_means_now --exclusive -n2 --bunit=C --bamount=3
	now_means_now --exclusive -n2 --bunit=E --bamount=4
	gets "zen 96" --exclusive -N1 -n3 --bunit=C --bamount=3
	gets "zen 96" --exclusive -n2 --bunit=Y --bamount=5
	never -w "$NODE_RAPTOR" -N1 --exclusive -n3 --bunit=C --bamount=3
	never --exclusive -N1 -n33 --bunit=C --bamount=3
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

cluster_start --nodes raptor,zen
note_slurmctld
number=${NODE_ZEN#zen}
test_case "nodes of one's own" case_exclusive
test_case "a window that others open" case_window_of_other_cores
test_case "a window that ends with a job" case_window_that_ends
test_case "nodes of one's own: slurmctld did not die" assert slurmctld_lives
cluster_stop

start_gpu_nodes --nodes ''
note_slurmctld
number=${NODE_ONE#one}
test_case "more tasks for each of several nodes than tasks" \
	case_more_tasks_for_several_nodes
test_case "devices, and more tasks for each of several nodes than tasks" \
	case_devices_and_fewer_tasks
test_case "tasks of each GPU on several nodes" case_tasks_of_each_gpu
test_case "GPUs of each task on several nodes" case_gpus_of_each_task
test_case "GPUs, and tasks of a node" case_gpus_and_tasks_of_a_node
test_case "memory of GPUs that nodes have unlike numbers of" case_memory_of_gpus
test_case "contiguous nodes" case_contiguous
test_case "contiguous nodes with GPUs" case_contiguous_gpus
test_case "alike nodes: slurmctld did not die" assert slurmctld_lives
cluster_stop

start_gpu_nodes --nodes '' --slurm TopologyPlugin=topology/tree \
	--topology 'SwitchName=left Nodes={one},{two}' \
	--topology 'SwitchName=right Nodes={three}' \
	--topology 'SwitchName=top Switches=left,right'
note_slurmctld
number=${NODE_ONE#one}
test_case "GPUs of one switch" case_gpus_of_one_switch
test_case "units of one switch" case_units_of_one_switch
test_case "GPUs of one switch: slurmctld did not die" assert slurmctld_lives
cluster_stop

# Of hosts as many are asked for as hold all tasks, or Slurm looks in too few blocks.
case_hosts_of_blocks() {
	set -- --bunit=N --bamount=2 --btype=host
	never -n3 -c8 -x "one$number" "$@"
	now_means_now -n3 -c8 -x "three$number" "$@"
	now_means_now -N2-4 -n5 --bunit=C --bamount=1 --btype=host
	never -N1 -n4 --ntasks-per-node=3 --bunit=X --bamount=3 --btype=host
}

if slurm_is_from 23.11; then
	half=SNXCTTCTTCTTCTTSNXCTTCTTCTTCTT
	cluster_start --nodes '' --machine "one $quad 2 8 2" \
		--machine "two $quad 2 8 2" --machine "three $half 2 4 2" \
		--machine "four SNXCTTCTTCTTXCTTCTTCTT 1 6 2" \
		--slurm TopologyPlugin=topology/block \
		--topology 'BlockName=left Nodes={one},{two}' \
		--topology 'BlockName=right Nodes={three},{four}' \
		--topology BlockSizes=2
	note_slurmctld
	number=${NODE_ONE#one}
	test_case "hosts of blocks" case_hosts_of_blocks
	cluster_stop
fi

start_gpu_nodes --nodes power,quadrant --machine "uneven $uneven 1 44 1" \
	--node "one Feature=a" --node "two Feature=a" --node "three Feature=b"
note_slurmctld
number=${NODE_ONE#one}
test_case "GPUs on several nodes" case_gpus
test_case "GPUs of tasks that share a slot" case_gpus_with_overcommit
test_case "GPUs of hosts" case_gpus_of_hosts
test_case "GPUs that must be near" case_near_gpus
test_case "GPUs that must be near, dealt out" case_near_gpus_dealt_out
test_case "GPUs that must be near, on some nodes" case_near_gpus_of_a_range
test_case "GPUs that must be near, bound by the site" \
	case_near_gpus_of_the_site
test_case "tasks for each of several nodes" case_tasks_for_each_node
test_case "so many nodes of each feature" case_nodes_of_features
test_case "GPUs, and so many nodes of a feature" case_gpus_on_nodes_of_features
test_case "tasks for each of several hosts" case_tasks_of_hosts
test_case "hosts whose CPUs differ" case_unlike_hosts
test_case "the largest hosts" case_largest_hosts
test_case "a host's larger units" case_larger_units
test_case "a window that ends before the first unit" case_window_of_nothing
test_case "several nodes: slurmctld did not die" assert slurmctld_lives
tests_done
