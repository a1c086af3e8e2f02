#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# node - in the guest: real tasks on a machine with a real topology
#
# Two sockets, each of two L3 caches with a NUMA node, two cores of two threads
# below each; the kernel numbers the threads in the topology's order.  Every
# thread of every process of every job is looked at (threads.c).
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

bin=$TOPOBIND_BIN

# Of an L3 cache, or NUMA node.
quarters='0-3
4-7
8-11
12-15'

case_topology() {
	assert_eq "m_topology" SNXYCTTYCTTNXYCTTYCTTSNXYCTTYCTTNXYCTTYCTT \
		"$(node_token "$NODE_THIS" m_topology)"
	assert_eq "threads in the kernel's order" "$(seq -s' ' 0 15)" \
		"$(hwloc-ls --only pu | sed -n 's/.*P#\([0-9]*\).*/\1/p' |
			paste -sd' ')"
}

case_distances() {
	assert_eq "m_distances" \
		"10,12,21,21;12,10,21,21;21,21,10,12;21,21,12,10" \
		"$(node_token "$NODE_THIS" m_distances)"
}

# one_each UNIT - four tasks, a quarter of the machine for each.
case_one_each() {
	local output

	# shellcheck disable=SC2016
	output=$(srun -Q -n4 --bunit="$1" --bamount=1 bash -c '
	allowed() { sed -n "s/^$1_allowed_list:[[:space:]]*//p" /proc/self/status; }
	echo "$SLURM_PROCID $(allowed Cpus) $TOPOBIND_CPUS" \
		"$TOPOBIND_CPUSET $(hwloc-bind --get)" \
		"$TOPOBIND_MEMS $(allowed Mems)"' |
		sort -n)
	echo "$output"
	assert_eq "what the kernel allows" "$quarters" "$(cut -d' ' -f2 <<<"$output")"
	assert_eq "TOPOBIND_CPUS" "$quarters" "$(cut -d' ' -f3 <<<"$output")"
	assert_eq "lines where TOPOBIND_CPUSET is not what hwloc-bind finds" "" \
		"$(awk '$4 != $5' <<<"$output")"
	assert_eq "lines where TOPOBIND_MEMS is not what the kernel allows" "" \
		"$(awk '$6 != $7' <<<"$output")"
}

# A process that has left its session and its parent, and a child that stays.
# shellcheck disable=SC2016
families='
(setsid sh -c "sleep 600 </dev/null >/dev/null 2>&1 &" &)
sleep 600 &
'

# A job that fills its place with processes and threads, and the same in steps.
# family_job STEP-OPTIONS OPTION...
family_job() {
	local steps=$1

	shift
	sbatch --parsable -o /dev/null --mem=100 "$@" --wrap "
	$families
	$bin/openmp stay &
	[ -z '$steps' ] || srun -Q --mem=0 $steps bash -c '$families
		exec $bin/openmp stay' &
	wait"
}

# has_threads JOB COUNT - of a family; to start all takes a while
has_threads() {
	[ "$("$bin/threads" |
		awk -v job="$1" '$1 == job && $7 ~ /^(sleep|openmp)$/' |
		wc -l)" -eq "$2" ]
}

# misplaced [JOB] - what is wrong with where threads may run; no output when all
# is well.  The CPUs of a job are those that Slurm has booked.  The tasks of JOB
# share them.
misplaced() {
	{
		facts
		"$bin/threads" | sed 's/^/may /'
	} | awk -v shared="${1:-}" '
	$1 == "cpu" { booked[$2, $4] }
	$1 != "may" { next }
	{
		n = split($7, ranges, ",")
		for (i = 1; i <= n; i++) {
			if (split(ranges[i], ends, "-") < 2)
				ends[2] = ends[1]
			for (cpu = ends[1] + 0; cpu <= ends[2] + 0; cpu++)
				see($2, $2 "." $3, $4, $6, cpu)
		}
	}
	function see(job, step, task, thread, cpu) {
		if (!((job, cpu) in booked))
			print "thread", thread, "of job", job, "may run on", cpu
		if (!(cpu in holder))
			holder[cpu] = job
		if (holder[cpu] != job)
			print "CPU", cpu, "has threads of", holder[cpu], "and", job
		# Tasks of one step; those of another may have them, too.
		if (task == "-")
			return
		if (!((step, cpu) in owner))
			owner[step, cpu] = task
		if (owner[step, cpu] != task && job != shared)
			print "CPU", cpu, "has tasks", owner[step, cpu], "and", task, "of", step
	}' | sort | uniq -c | head -n 20
}

assert_placed() {
	local seen

	seen=$(misplaced "$@")
	[ -z "$seen" ] || fail "$seen"
}

# X, two cores, threads with their core, a plain job, host type: the whole node.
case_mixed_until_full() {
	local x cores plain host waits

	x=$(family_job '' -n1 --bunit=X --bamount=1)
	cores=$(family_job '-n2' -n2 --bunit=C --bamount=1)
	plain=$(family_job '-n1' -n1 -c2)
	host=$(family_job '-n2 --overlap' -n2 --btype=host --bunit=X --bamount=1)
	waits=$(batch -n1 --bunit=X --bamount=1)
	# A stray, a child, OpenMP; the same for each task of a step.
	wait_until 60 has_threads "$x" 6
	wait_until 60 has_threads "$cores" $((6 + 2 * 4))
	wait_until 60 has_threads "$plain" 8
	wait_until 60 has_threads "$host" $((6 + 2 * 6))
	"$bin/threads"
	wait_until 30 was_passed_over "$waits"
	assert_granted "$x" "$NODE_THIS" 0-3
	assert_eq "CPUs of all jobs, of 16" 14 "$(facts | grep -c '^cpu')"
	assert_no_contradictions
	assert_placed "$host"
	cancel "$x"
	wait_until 60 runs "$waits"
	assert_placed "$host"
}

# A second step beside a first that has all CPUs of the job.
case_overlap() {
	local job output

	job=$(family_job -n2 -n2 --bunit=X --bamount=1)
	wait_until 60 has_threads "$job" $((10 + 2 * 6))
	output=$(srun -Q --jobid="$job" --overlap --mem=0 -n2 sed -n \
		's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | sort)
	assert_eq "slots of the step on top" "$(sed -n 1,2p <<<"$quarters")" \
		"$output"
	assert_placed
}

# One task is on 4-7, one on 8-11, as another job has 0-3.
# shellcheck disable=SC2016
case_escapes() {
	local other output

	other=$(alloc -n1 --bunit=X --bamount=1)
	output=$(srun -Q -l -n2 --bunit=X --bamount=1 --bstrategy=linear bash -c '
	cd /
	echo "escape $('"$bin"'/escape)"
	taskset -c 0 true 2>/dev/null && echo "taskset could"
	taskset -pc 0-15 $$ >/dev/null 2>&1
	taskset -c 0-15 '"$bin"'/openmp
	numactl --physcpubind=0 true >/dev/null 2>&1 && echo "numactl could"
	numactl --cpunodebind=0 true >/dev/null 2>&1 && echo "numactl could"
	(setsid '"$bin"'/escape)
	sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status' |
		sort -s -k1,1)
	cancel "$other"
	assert_eq "what tasks could do" \
		"0: escape 4 5 6 7 : 4 5 6 7
0: 4 4 4
0: 4 5 6 7 : 4 5 6 7
0: 4-7
1: escape 8 9 10 11 : 8 9 10 11
1: 4 4 4
1: 8 9 10 11 : 8 9 10 11
1: 8-11" "$output"
}

# Not even by the cgroup filesystem can a user move a process.
# shellcheck disable=SC2016
case_user_and_cgroups() {
	local output

	output=$(cd / && setpriv --reuid=nobody --regid=nogroup --clear-groups \
		srun -Q -n2 --bunit=X --bamount=1 bash -c '
	path=$(sed -n "s/^[0-9]*:cpuset://p" /proc/self/cgroup)
	top=/sys/fs/cgroup/cpuset
	[ -n "$path" ] || { path=$(sed -n "s/^0:://p" /proc/self/cgroup)
		top=/sys/fs/cgroup; }
	id -un
	dir=$top$path
	mkdir "$dir/mine" 2>/dev/null && echo "made a cgroup in $dir"
	while [ "$dir" != "$top" ]; do
		dir=$(dirname "$dir")
		mkdir "$dir/mine" 2>/dev/null && echo "made a cgroup in $dir"
		(echo $$ >"$dir/cgroup.procs") 2>/dev/null && echo "moved to $dir"
		(echo 0-15 >"$dir/cpuset.cpus") 2>/dev/null && echo "wrote to $dir"
	done
	sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status' | sort)
	assert_eq "what a user could do" "0-3
4-7
nobody
nobody" "$output"
}

case_openmp() {
	assert_eq "processors, threads, threads that ran" "4 4 4
4 4 4" "$(srun -Q -n2 --bunit=X --bamount=1 "$bin/openmp")"
	assert_eq "with OpenMP places" "2 2 2" "$(OMP_PLACES=threads \
		OMP_PROC_BIND=close srun -Q -n1 --bunit=C --bamount=1 \
		"$bin/openmp")"
}

cluster_start --nodes this
test_case "the machine is what it is to be" case_topology
test_case "distances of its memory" case_distances
test_case "four tasks, an L3 cache each" case_one_each X
test_case "four tasks, a NUMA node each" case_one_each N
test_case "mixed jobs until it is full" case_mixed_until_full
test_case "a step on top of another" case_overlap
test_case "nothing leads out" case_escapes
test_case "a user cannot leave by the cgroup filesystem" case_user_and_cgroups
test_case "OpenMP counts the task's CPUs" case_openmp
tests_done
