#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# spread - no two tasks of a job in one socket: bspread
#
# two      two sockets of two caches of two cores; like is as it is
# flat     two sockets of four cores of two threads, without caches
# this     this machine: tasks run on it
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

spread=(--bunit=C --bamount=1 --bspread=S)

waits_because() {
	scontrol show job "$1" | grep -F "waiting=$2" >/dev/null
}

# told JOB OPTION... - the CPUs of each task of a step, a line each, sorted
told() {
	local job=$1

	shift
	# shellcheck disable=SC2016
	within 60 srun -Q --jobid="$job" "$@" sh -c \
		'echo "${SLURMD_NODENAME%%[0-9]*} $TOPOBIND_CPUS"' | sort
}

# gives NODE LIST OPTION... - such a job is granted these threads
gives() {
	local node=$1 list=$2 job

	shift 2
	job=$(alloc -N1 -w "$node" "$@")
	assert_granted "$job" "$node" "$list"
	cancel "$job"
}

case_sockets() {
	gives "$NODE_TWO" 0-1 -n2 --bunit=C --bamount=1
	gives "$NODE_TWO" 0,4 -n2 "${spread[@]}"
	gives "$NODE_TWO" 0-1,4 -n3 "${spread[@]}"
	gives "$NODE_TWO" 0-7 -n8 "${spread[@]}"
	gives "$NODE_TWO" 0-1,4-5 -n2 --bunit=C --bamount=2 --bspread=S
	gives "$NODE_TWO" 0,2,4 -n3 --bunit=C --bamount=1 --bspread=X
	gives "$NODE_TWO" 0-1,4-5 -n2 --bunit=X --bamount=1 --bspread=N
	gives "$NODE_FLAT" 0-1,8-9 -n2 --bunit=C --bamount=1 --bspread=X
	gives "$NODE_FLAT" 0-1,8-9 -n2 --bunit=T --bamount=1 --bspread=S
}

case_tasks_and_steps() {
	local job

	job=$(alloc -N1 -n3 -w "$NODE_TWO" "${spread[@]}")
	assert_eq request bamount=1,bspread=S "$(binding "$job")"
	assert_eq "CPUs of the tasks" "two 0
two 1
two 4" "$(told "$job" -n3)"
	assert_eq "a step of one" "two 0" "$(told "$job" -n1 --exact)"
	cancel "$job"
	# A step places again inside its job.
	job=$(alloc -N1 -n8 -w "$NODE_TWO" --bunit=C --bamount=1)
	assert_eq "CPUs of the tasks" "two 0
two 4" "$(told "$job" -n2 --bunit=C --bamount=1 --bspread=S)"
	cancel "$job"
	job=$(alloc -N2 -n4 --ntasks-per-node=2 -w "$NODE_TWO,$NODE_LIKE" \
		"${spread[@]}")
	assert_granted "$job" "$NODE_TWO" 0,4
	assert_granted "$job" "$NODE_LIKE" 0,4
}

# What the kernel says: on one socket the tasks have it together.
case_cpuset() {
	local allowed='s/^Cpus_allowed_list:[^0-9]*//p' cpus

	cpus=$(sed -n 's/^processor[^0-9]*//p' /proc/cpuinfo | wc -l)
	assert_eq "CPUs of all tasks" "$cpus" "$(srun -Q -N1 -n "$cpus" \
		-w "$NODE_THIS" --bunit=T --bamount=1 --bspread=S \
		sed -n "$allowed" /proc/self/status | sort -u | wc -l)"
}

case_waits_over_a_restart() {
	local holder job

	holder=$(alloc -N1 -w "$NODE_TWO" --bunit=S --bamount=1)
	# Without it there is room, and for one task.
	gives "$NODE_TWO" 4-5 -n2 --bunit=C --bamount=1
	gives "$NODE_TWO" 4 -n1 "${spread[@]}"
	job=$(batch -N1 -n2 -w "$NODE_TWO" "${spread[@]}")
	wait_until 20 waits_because "$job" \
		"only 1 of 2 slots (1 C each, spread over S) are free, on 1 node"
	assert_contains "explain" "2 slots of 1 C unit each, spread over S" \
		"$(topobind explain "$job")"
	assert_contains "the plan" "not now" \
		"$(topobind plan -N1 -n2 -w "$NODE_TWO" "${spread[@]}" || true)"
	save_state "$job"
	restart_slurmctld
	wait_until 60 nodes_answer
	assert is_pending "$job"
	cancel "$holder"
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_TWO" 0,4
	restart_slurmctld
	wait_until 60 nodes_answer
	assert_granted "$job" "$NODE_TWO" 0,4
	assert_eq "a step" "two 0
two 4" "$(told "$job" --overlap -n2)"
}

case_plan() {
	assert_contains "the plan" "now, in" \
		"$(topobind plan -N1 -n2 -w "$NODE_TWO" "${spread[@]}")"
	assert_contains "its units" NSXcCXCCNSXcCXCC \
		"$(topobind plan --json -N1 -n2 -w "$NODE_TWO" "${spread[@]}")"
	# A socket has no room for five cores.
	refute sbatch -N1 -w "$NODE_TWO" -o /dev/null --bunit=C --bamount=5 \
		--bspread=S --wrap true
}

case_refused_at_the_client() {
	exits 1 "bspread=S does not go with btype=host" sbatch -o /dev/null \
		--btype=host "${spread[@]}" --wrap true
	exits 1 "bspread=S does not go with bstrategy=scatter" sbatch \
		-o /dev/null --bstrategy=scatter "${spread[@]}" --wrap true
	exits 1 "bspread=C is not allowed; allowed: S, N, X" sbatch -o /dev/null \
		--bamount=1 --bspread=C --wrap true
}

cluster_start --nodes this --machine "two NSXCCXCCNSXCCXCC 2 4 1" \
	--machine "like NSXCCXCCNSXCCXCC 2 4 1" \
	--machine "flat SCTTCTTCTTCTTSCTTCTTCTTCTT 2 4 2"
test_case "sockets, NUMA nodes and caches" case_sockets
test_case "tasks and steps" case_tasks_and_steps
test_case "what the kernel says" case_cpuset
test_case "a job that waits, over restarts" case_waits_over_a_restart
test_case "plan" case_plan
test_case "what is refused" case_refused_at_the_client
tests_done
