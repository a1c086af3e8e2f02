#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# spare_devices - SpareDevices=yes: jobs without devices, bound or plain, leave the cores
# near GPUs to others as long as there are others, and wait no longer for it
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/same_answers.bash
. "$test_dir/same_answers.bash"

# Two sockets, in each a NUMA node, in each two L3 caches of two cores.
twin=SNXCCXCCSNXCCXCC

start() {
	cluster_start --nodes '' --machine "some $twin 2 4 1" \
		--machine "every $twin 2 4 1" --machine "none $twin 2 4 1" \
		--slurm GresTypes=gpu \
		--slurm PreemptType=preempt/partition_prio \
		--slurm PreemptMode=CANCEL \
		--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10" \
		--slurm "PartitionName=shared Nodes=ALL OverSubscribe=FORCE:2"
	give_gres "$NODE_SOME" gpu:2 "Name=gpu File=DEVICE[0-1] Cores=0-3"
	give_gres "$NODE_EVERY" gpu:2 "Name=gpu File=DEVICE0 Cores=0-3" \
		"Name=gpu File=DEVICE1 Cores=4-7"
	start_with_gres "$NODE_SOME" "$NODE_EVERY"
	reconfigure_with SpareDevices=yes
}

# on_cores NODE CORES OPTION... - a job that starts at once has just these; so says plan of
# a bound one
on_cores() {
	local node=$1 cores=$2 job planned

	shift 2
	planned=$(units_of_plan "$@")
	job=$(alloc "$@")
	assert_eq "plan of $*" "$planned" \
		"${planned:+$(comment_word "$job" grant)}"
	assert_eq "node of $*" "$node" "$(job_field "$job" NodeList)"
	assert_eq "cores of $*" "$cores" "$(cpu_ids "$job")"
}

case_one_node() {
	local binding

	for binding in --bamount=0 "--bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		on_cores "$NODE_SOME" 4-5 -w "$NODE_SOME" -n2 $binding
		# Those that are left, and then the others.
		# shellcheck disable=SC2086 # options
		on_cores "$NODE_SOME" 6-7 -w "$NODE_SOME" -n2 $binding
		# shellcheck disable=SC2086 # options
		on_cores "$NODE_SOME" 0-2 -w "$NODE_SOME" -n3 $binding
		scancel -u root
		wait_until 30 no_jobs
	done
	on_cores "$NODE_SOME" 4-7 -w "$NODE_SOME" -n1 --bunit=S
	on_cores "$NODE_SOME" 0-3 -w "$NODE_SOME" -n1 --bunit=S
}

# Whoever asks for devices, for exactly these units, for a place among what is used, or for
# a whole node.
case_who_is_not_moved() {
	on_cores "$NODE_SOME" 0-1 -w "$NODE_SOME" -n1 --bunit=X --gres=gpu:1
	scancel -u root
	wait_until 30 no_jobs
	on_cores "$NODE_SOME" 2 -w "$NODE_SOME" -n1 --bcpus=2
	on_cores "$NODE_SOME" 0-1 -w "$NODE_SOME" -n1 --bunit=X --bstart=s
	scancel -u root
	wait_until 30 no_jobs
	on_cores "$NODE_SOME" 0-7 -w "$NODE_SOME" -n1 --bunit=X --exclusive
	scancel -u root
	wait_until 30 no_jobs
	on_cores "$NODE_SOME" 0-1 -p shared -w "$NODE_SOME" -n1 --bunit=X
}

# A node without devices comes first, whatever its place.
case_several_nodes() {
	on_cores "$NODE_NONE" 0-7 -N1 -n8 --bunit=C
	on_cores "$NODE_SOME" 4-7 -n4
	on_cores "$NODE_SOME" 0-1 -w "$NODE_SOME" -n2 --bunit=C
	on_cores "$NODE_EVERY" 0-5 -N1 -n6 --bunit=C
}

# Neither what a job is told nor when it starts is another.
case_starts_as_soon() {
	local job later

	alloc -t 60 -w "$NODE_NONE" -n8 >/dev/null
	alloc -t 60 -w "$NODE_EVERY" -n8 >/dev/null
	alloc -t 20 -w "$NODE_SOME" -n4 --bunit=C >/dev/null
	assert_eq "near the GPUs, now" "$NODE_SOME" "$(within 30 srun -n1 \
		--bunit=S printenv SLURMD_NODENAME)"
	alloc -t 40 -w "$NODE_SOME" -n4 --bunit=C >/dev/null
	later=$(sbatch --test-only -n1 --bunit=S --wrap true 2>&1)
	assert_contains "told" "on nodes $NODE_SOME" "$later"
	job=$(batch -n1 --bunit=S)
	assert_eq "state" PENDING "$(job_field "$job" JobState)"
	# Nobody is preempted where there are units near GPUs.
	cancel "$job"
	scancel -u root -p main -w "$NODE_EVERY"
	wait_until 30 node_is_idle "$NODE_EVERY"
	on_cores "$NODE_EVERY" 0-3 -p urgent -n4 --bunit=C
	assert_eq "running" 4 "$(squeue -h -t R | wc -l)"
}

case_partitions() {
	reconfigure_with "PartitionName=main SpareDevices=yes"
	on_cores "$NODE_SOME" 4 -w "$NODE_SOME" -n1 --bunit=C
	on_cores "$NODE_SOME" 0 -p urgent -w "$NODE_SOME" -n1 --bunit=C
	reconfigure_with
	on_cores "$NODE_SOME" 1 -w "$NODE_SOME" -n1 --bunit=C
	reconfigure_refused_with SpareDevices=some
	reconfigure_with SpareDevices=yes
}

# Of random jobs none has a core near a GPU while a node had room for it elsewhere.
case_random_jobs() {
	local i job options before

	RANDOM=77
	for ((i = 0; i < 60; i++)); do
		before=$(free_away)
		options=(-N1 -n$((RANDOM % 3 + 1)))
		[ $((RANDOM % 2)) -eq 0 ] || options+=(--bunit=C)
		job=$(alloc --immediate=5 "${options[@]}" 2>/dev/null) || job=''
		if [ -z "$job" ]; then
			scancel -u root
			wait_until 30 no_jobs
			continue
		fi
		[ "$(near_gpus "$job")" -eq 0 ] ||
			[ "${options[1]#-n}" -gt "$before" ] ||
			fail "job $job (${options[*]}) is near GPUs, $before were free"
		[ $((RANDOM % 3)) -ne 0 ] || cancel "$(squeue -h -o %i | shuf -n 1 \
			--random-source=<(yes "$i"))"
	done
}

# Cores that no job has, of the node that has most of them away from GPUs.
free_away() {
	facts | awk -v some="$NODE_SOME" -v none="$NODE_NONE" '
		$1 == "cpu" && ($3 == none || ($3 == some && $4 > 3)) { n[$3]++ }
		END {
			a = 8 - n[none]
			b = 4 - n[some]
			print (a > b ? a : b)
		}'
}

near_gpus() {
	facts | awk -v job="$1" -v some="$NODE_SOME" -v every="$NODE_EVERY" '
		$1 == "cpu" && $2 == job &&
			($3 == every || ($3 == some && $4 < 4)) { n++ }
		END { print n + 0 }'
}

start
test_case "one node" case_one_node
test_case "who is not moved" case_who_is_not_moved
test_case "several nodes" case_several_nodes
test_case "as soon as without" case_starts_as_soon
test_case "partitions" case_partitions
test_case "random jobs" case_random_jobs
tests_done
