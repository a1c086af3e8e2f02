#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tasks - on this machine: every task is held on its slot's CPUs
#
# The same cases for task/topobind alone and in every company.  What is held is
# read from /proc and the cgroup by the tasks themselves.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# Defined in the shell of a task: cpus PID, and the CPUs of its own cgroup.
# shellcheck disable=SC2016 # the task's variables
in_task='
cpus() { sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" "/proc/$1/status"; }
cgroup_cpus() {
	local path
	if [ -d /sys/fs/cgroup/cpuset ]; then
		path=$(sed -n "s/^[0-9]*:cpuset://p" /proc/self/cgroup)
		cat "/sys/fs/cgroup/cpuset$path/cpuset.cpus"
	else
		path=$(sed -n "s/^0:://p" /proc/self/cgroup)
		cat "/sys/fs/cgroup$path/cpuset.cpus"
	fi
}'

# Each task runs SCRIPT.  tasks SCRIPT OPTION...
tasks() {
	local script=$1

	shift
	srun -Q -w "$NODE_THIS" "$@" bash -c "$in_task
$script"
}

# The OS CPUs of this machine that are not in LIST.
foreign_to() {
	comm -23 <(expand_list "$(cat /sys/devices/system/cpu/online)" | sort) \
		<(expand_list "$1" | sort)
}

cpus_per_core() {
	expand_list "$(cat \
		/sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" |
		wc -l
}

case_two_tasks_two_slots() {
	local output

	# shellcheck disable=SC2016
	output=$(tasks 'echo "$SLURM_PROCID $(cpus $$)"' -n2 \
		--bunit=C --bamount=1 | sort)
	echo "$output"
	assert_eq tasks 2 "$(wc -l <<<"$output")"
	assert_eq "CPUs in both" "" "$(comm -12 \
		<(expand_list "$(sed -n 's/^0 //p' <<<"$output")" | sort) \
		<(expand_list "$(sed -n 's/^1 //p' <<<"$output")" | sort))"
	assert_eq "CPUs of task 0" "$(cpus_per_core)" \
		"$(expand_list "$(sed -n 's/^0 //p' <<<"$output")" | wc -l)"
}

case_children_are_held() {
	local output

	# A child, a grandchild and a process that has left the session.
	# shellcheck disable=SC2016
	output=$(tasks '
	pid=$(mktemp)
	sleep 30 & child=$!
	bash -c "sleep 30 & echo \$! >&3; wait" 3>"$pid" >/dev/null & parent=$!
	setsid sleep 30 </dev/null >/dev/null 2>&1 & stray=$!
	until grandchild=$(cat "$pid") && [ -n "$grandchild" ]; do sleep 0.02; done
	rm "$pid"
	echo "$(cpus $$) $(cpus $child) $(cpus $grandchild) $(cpus $stray)"
	kill $child $grandchild $stray $parent' \
		-n1 --bunit=C --bamount=1)
	echo "$output"
	assert_eq "lists of parent, child, grandchild and stray" 4 \
		"$(wc -w <<<"$output")"
	assert_eq "different lists" 1 "$(tr ' ' '\n' <<<"$output" | sort -u |
		wc -l)"
	assert_eq CPUs "$(cpus_per_core)" \
		"$(expand_list "${output%% *}" | wc -l)"
}

case_cgroup_says_the_same() {
	local output

	# Two tasks: each in a cgroup of its own, not only in the job's.
	# shellcheck disable=SC2016
	output=$(tasks 'echo "$(cpus $$) $(cgroup_cpus)"' -n2 \
		--bunit=C --bamount=1)
	echo "$output"
	assert_eq "tasks" 2 "$(wc -l <<<"$output")"
	assert_eq "tasks whose cgroup says otherwise" "" \
		"$(awk '$1 != $2' <<<"$output")"
	assert_eq "different cgroups" 2 "$(sort -u <<<"$output" | wc -l)"
	assert_eq "CPUs of the first" "$(cpus_per_core)" \
		"$(expand_list "$(sed -n '1s/.* //p' <<<"$output")" | wc -l)"
}

# Each of two tasks tries every CPU that is not its own: other jobs' and that
# of the other task.
case_taskset_cannot_leave() {
	local output

	# shellcheck disable=SC2016
	output=$(tasks '
	own=$(cpus $$)
	for cpu in $(seq 0 $(($(nproc --all) - 1))); do
		taskset -c "$cpu" true 2>/dev/null || continue
		taskset -pc "$cpu" $$ >/dev/null 2>&1 || continue
		echo "moved $own $(cpus $$)"
	done
	taskset -pc "0-$(($(nproc --all) - 1))" $$ >/dev/null 2>&1
	echo "all $own $(cpus $$)"' -n2 --bunit=C --bamount=1)
	echo "$output"
	assert_eq "moves, to own CPUs" $((2 * $(cpus_per_core))) \
		"$(grep -c '^moved' <<<"$output")"
	# Whatever was set lies inside: with one thread per core it is equal.
	while read -r _ own seen; do
		assert_eq "CPUs outside $own" "" "$(comm -13 \
			<(expand_list "$own" | sort) \
			<(expand_list "$seen" | sort))"
	done <<<"$output"
	assert_eq "different lists" 2 \
		"$(awk '$1 == "all" { print $2 }' <<<"$output" | sort -u | wc -l)"
	assert_eq "lists that became another" "" \
		"$(awk '$1 == "all" && $2 != $3' <<<"$output")"
}

case_no_cgroup_is_left() {
	local i

	for i in 1 2 3; do
		tasks true -n2 --bunit=C --bamount=1 >/dev/null
		echo "$i"
	done
	wait_until 20 no_job_cgroups "$NODE_THIS"
}

case_batch_and_steps() {
	local job output=$work/batch

	# shellcheck disable=SC2016
	job=$(sbatch --parsable -w "$NODE_THIS" -n2 --bunit=C --bamount=1 \
		-o "$output" --wrap "$in_task"'
	echo "batch $(cpus $$)"
	srun -Q -n2 bash -c "grep Cpus_allowed_list /proc/self/status"')
	wait_until 30 is_over "$job"
	cat "$output"
	assert_eq "CPUs of the batch script" $((2 * $(cpus_per_core))) \
		"$(expand_list "$(sed -n 's/^batch //p' "$output")" | wc -l)"
	assert_eq "steps' tasks on different CPUs" 2 \
		"$(grep Cpus_allowed_list "$output" | sort -u | wc -l)"
	assert_eq "CPUs of each task" $((2 * $(cpus_per_core))) \
		"$(expand_list "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' \
			"$output" | paste -sd,)" | sort -u | wc -l)"
}

held_cases() {
	test_case "$1: two tasks, two slots" case_two_tasks_two_slots
	test_case "$1: children are held too" case_children_are_held
	test_case "$1: the cgroup says the same" case_cgroup_says_the_same
	test_case "$1: taskset cannot leave" case_taskset_cannot_leave
	test_case "$1: batch script and steps" case_batch_and_steps
	test_case "$1: the environment cannot unbind" case_environment_cannot_unbind
	test_case "$1: a step from outside the job" case_step_from_outside
	test_case "$1: no cgroup is left" case_no_cgroup_is_left
}

# A step from a shell that is not the job's: srun --jobid.
case_step_from_outside() {
	local job output

	job=$(alloc -w "$NODE_THIS" -n2 --bunit=C --bamount=1)
	output=$(srun -Q --jobid="$job" -n2 \
		sh -c 'grep Cpus_allowed_list /proc/self/status')
	echo "$output"
	assert_eq "different lists of two tasks" 2 "$(sort -u <<<"$output" | wc -l)"
	cancel "$job"
	job=$(alloc -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	output=$(srun -Q --jobid="$job" -n1 \
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	assert_eq "CPUs" "$(cpus_per_core)" "$(expand_list "$output" | wc -l)"
}

# Whatever a job's own environment says, it does not leave its units.
case_environment_cannot_unbind() {
	local job output=$work/environment cpu own variable launched=0

	# shellcheck disable=SC2016
	own=$(tasks 'cpus $$' -n1 --bunit=C --bamount=1)
	cpu=$(foreign_to "$own" | sed -n 1p)
	[ -n "$cpu" ] || fail "this test needs two cores"
	for variable in TOPOBIND_REQUEST= TOPOBIND_REQUEST=bamount=0 \
		TOPOBIND_REQUEST=bunit=N,bamount=1 \
		TOPOBIND_REQUEST=rubbish TOPOBIND=bamount=0 \
		_SLURM_SPANK_OPTION_topobind_bamount=0; do
		# shellcheck disable=SC2016
		job=$(sbatch --parsable -w "$NODE_THIS" -n1 --bunit=C \
			--bamount=1 -o "$output" --wrap "
		export $variable SPANK_$variable
		srun -Q -n1 bash -c '
		taskset -c $cpu true 2>/dev/null && echo ran on $cpu
		grep Cpus_allowed_list /proc/self/status'")
		wait_until 30 is_over "$job"
		echo "$variable:" && cat "$output"
		refute grep -q 'ran on' "$output"
		# A launch that fails is fine; one on foreign CPUs is not.
		if grep -q Cpus_allowed_list "$output"; then
			launched=$((launched + 1))
			assert_eq "CPUs with $variable" "$own" "$(sed -n \
				's/^Cpus_allowed_list:[[:space:]]*//p' "$output")"
		fi
	done
	[ "$launched" -gt 0 ] || fail "no launch came as far as its program"
}

case_environment() {
	local output node_string

	# shellcheck disable=SC2016
	output=$(tasks 'echo "cpus=$(cpus $$)"; env' -n1 \
		--bunit=C --bamount=1)
	value() { sed -n "s/^$1=//p" <<<"$output"; }
	grep -E '^(TOPOBIND|SGE)' <<<"$output"
	assert_eq TOPOBIND_INSTANCE set "$(value TOPOBIND_INSTANCE)"
	assert_eq TOPOBIND_CPUS "$(value cpus)" "$(value TOPOBIND_CPUS)"
	assert_eq TOPOBIND_SLOT 0 "$(value TOPOBIND_SLOT)"
	assert_eq TOPOBIND_NCPUS "$(expand_list "$(value cpus)" | wc -l)" \
		"$(value TOPOBIND_NCPUS)"
	assert_eq TOPOBIND_NCORES 1 "$(value TOPOBIND_NCORES)"
	assert_eq TOPOBIND_CPUSET "$(mask_of "$(value cpus)")" \
		"$(value TOPOBIND_CPUSET)"
	assert_eq TOPOBIND_MEMS \
		"$(cat /sys/devices/system/node/has_memory)" \
		"$(value TOPOBIND_MEMS)"
	node_string=$(node_token "$NODE_THIS" m_topology)
	assert_eq "TOPOBIND_TOPOLOGY in capitals" "$node_string" \
		"$(value TOPOBIND_TOPOLOGY | tr '[:lower:]' '[:upper:]')"
	assert_eq "threads in lower case" "$(cpus_per_core)" \
		"$(expand_list "$(lower_threads "$(value TOPOBIND_TOPOLOGY)")" |
			wc -l)"
	assert_eq SGE_BINDING_INSTANCE set "$(value SGE_BINDING_INSTANCE)"
	assert_eq SGE_BINDING_TOPOLOGY "$(value TOPOBIND_TOPOLOGY)" \
		"$(value SGE_BINDING_TOPOLOGY)"
	assert_eq SGE_BINDING_CPUSET "$(value TOPOBIND_CPUSET)" \
		"$(value SGE_BINDING_CPUSET)"
}

# hwloc's way to write a set of CPUs.
mask_of() {
	# shellcheck disable=SC2046 # words
	hwloc-calc --physical-input $(expand_list "$1" | sed 's/^/PU:/')
}

case_slots_of_two_tasks() {
	local output

	# shellcheck disable=SC2016
	output=$(tasks 'echo "$SLURM_PROCID slot:$TOPOBIND_SLOT $(cpus $$) $TOPOBIND_CPUS"' \
		-n2 --bunit=C --bamount=1 | sort)
	echo "$output"
	assert_eq "slots" "slot:0 slot:1" "$(awk '{ printf sep $2; sep = " " }' \
		<<<"$output")"
	assert_eq "lists that are not what is held" "" \
		"$(awk '$3 != $4' <<<"$output")"
}

case_environment_of_a_plain_job() {
	local output

	# shellcheck disable=SC2016
	output=$(tasks 'echo "$TOPOBIND_INSTANCE $TOPOBIND_TOPOLOGY $TOPOBIND_CPUSET"
	echo "$SGE_BINDING_INSTANCE $SGE_BINDING_TOPOLOGY $SGE_BINDING_CPUSET"' -n1)
	assert_eq "variables" "NONE NONE 0x0
NONE NONE 0x0" "$output"
}

case_host_type_shares() {
	local output

	# shellcheck disable=SC2016
	output=$(tasks 'cpus $$' -n2 --btype=host --bunit=C --bamount=2)
	assert_eq "different lists of two tasks" 1 "$(sort -u <<<"$output" | wc -l)"
	assert_eq CPUs $((2 * $(cpus_per_core))) \
		"$(expand_list "$(head -n 1 <<<"$output")" | wc -l)"
}

# each_has COUNT OPTION... - so many tasks, each held on all of the host's CPUs
each_has() {
	local count=$1 output

	shift
	# shellcheck disable=SC2016
	output=$(tasks 'echo "$TOPOBIND_SLOT $(cpus $$) $(cgroup_cpus)"' "$@")
	assert_eq "tasks of $*" "$count" "$(wc -l <<<"$output")"
	assert_eq "different ones of $*" 1 "$(sort -u <<<"$output" | wc -l)"
	read -r slot held there <<<"$output"
	assert_eq "slot of $*" 0 "$slot"
	assert_eq "CPUs of $*" "$held" "$there"
	assert_eq "how many of $*" $((units * $(cpus_per_core))) \
		"$(expand_list "$held" | wc -l)"
}

# Tasks and units of a host need not be as many.
case_unequal_numbers() {
	local units slot held there output

	units=1 each_has 6 -N1 -n6 -O --btype=host --bamount=1
	units=2 each_has 6 -N1 -n6 -O --btype=host --bamount=2
	units=2 each_has 1 -N1 -n1 --btype=host --bamount=2
	# There is no third core here: its cores have two threads.
	# shellcheck disable=SC2016
	output=$(srun -Q -N1 -w "$NODE_RAPTOR" -n6 --btype=host --bamount=3 \
		sh -c 'echo "$TOPOBIND_SLOT $TOPOBIND_CPUS"')
	assert_eq "6 tasks on 3 cores" "6 0 0-5" "$(sort <<<"$output" | uniq -c | xargs)"
}

case_plain_is_elsewhere() {
	local bound plain output

	bound=$(alloc -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	output=$(srun -Q --jobid="$bound" sh -c \
		'grep Cpus_allowed_list /proc/self/status' | tr -dc '0-9,-')
	plain=$(tasks 'cpus $$' -n1)
	assert_eq "CPUs in both" "" "$(comm -12 \
		<(expand_list "$output" | sort) <(expand_list "$plain" | sort))"
}

case_step_with_its_own_request() {
	local job output=$work/steps

	# Inside a job of two cores a step of one task takes one of them, and
	# two such steps at a time have one each.
	# shellcheck disable=SC2016
	job=$(sbatch --parsable -w "$NODE_THIS" -n2 --bunit=C --bamount=1 \
		-o "$output" --wrap "$in_task"'
	for i in 1 2; do
		srun -Q -n1 --exact --mem=10 --bunit=C --bamount=1 bash -c "
			grep Cpus_allowed_list /proc/self/status
			touch '"$work"'/step.$i
			until [ -e '"$work"'/step.1 ] && [ -e '"$work"'/step.2 ]; do
				sleep 0.05
			done" &
	done
	wait')
	wait_until 40 is_over "$job"
	cat "$output"
	assert_eq "lists" 2 "$(grep -c Cpus_allowed_list "$output")"
	assert_eq "different lists" 2 \
		"$(grep Cpus_allowed_list "$output" | sort -u | wc -l)"
	assert_eq "CPUs of one" "$(cpus_per_core)" "$(expand_list "$(sed -n \
		's/^Cpus_allowed_list:[[:space:]]*//p;q' "$output")" | wc -l)"
}

case_more_tasks_than_cores() {
	local cores

	cores=$(lower_threads "$(node_token "$NODE_THIS" m_topology |
		tr '[:upper:]' '[:lower:]')")
	cores=$(($(expand_list "$cores" | wc -l) / $(cpus_per_core)))
	refute srun -Q -N1 -w "$NODE_THIS" -n $((cores + 1)) \
		--bunit=C --bamount=1 true
	assert no_jobs
}

case_slurmd_killed() {
	local job pid held

	# shellcheck disable=SC2016
	job=$(sbatch --parsable -w "$NODE_THIS" -n1 --bunit=C --bamount=1 \
		-o /dev/null --wrap "echo \$\$ >$work/pid; exec sleep 600")
	wait_until 20 test -s "$work/pid"
	pid=$(cat "$work/pid")
	held=$(allowed_cpus "$pid")
	daemon "slurmd-$NODE_THIS" kill
	assert_eq "CPUs without slurmd" "$held" "$(allowed_cpus "$pid")"
	daemon "slurmd-$NODE_THIS" start
	wait_until 30 tasks true -n1
	assert runs "$job"
	assert_eq "CPUs with slurmd again" "$held" "$(allowed_cpus "$pid")"
	cancel "$job"
	wait_until 20 no_job_cgroups "$NODE_THIS"
}

case_nothing_is_left_of_many() {
	local before i jobs=100

	[ "$slowness" -eq 1 ] || jobs=8
	tasks true -n1 --bunit=C --bamount=1
	wait_until 20 no_job_cgroups "$NODE_THIS"
	wait_until 20 no_jobs
	before=$(files_and_cgroups)
	for ((i = 0; i < jobs; i++)); do
		tasks true -n $((i % 2 + 1)) --bunit=C --bamount=1
	done
	wait_until 20 no_jobs
	wait_until 20 no_job_cgroups "$NODE_THIS"
	assert_nothing_new_since "$before"
}

case_published_topology() {
	assert_eq "m_topology" "$(topobind topology | sed -n 1p)" \
		"$(node_token "$NODE_THIS" m_topology)"
}

case_virtual_node_tells_but_does_not_hold() {
	local output

	# shellcheck disable=SC2016
	output=$(srun -Q -w "$NODE_RAPTOR" -n2 --bunit=C --bamount=1 \
		sh -c 'echo "$SLURM_PROCID $TOPOBIND_CPUS $TOPOBIND_CPUSET $TOPOBIND_SLOT"' |
		sort)
	assert_eq "told" "0 0-1 0x00000003 0
1 2-3 0x0000000c 1" "$output"
}

cluster_start --nodes this,raptor
held_cases "topobind, cgroup, affinity"
test_case "slurmd publishes what hwloc says" case_published_topology
test_case "the environment of a task" case_environment
test_case "two tasks know their slots" case_slots_of_two_tasks
test_case "a plain job's environment says so" case_environment_of_a_plain_job
test_case "host type: the tasks share" case_host_type_shares
test_case "host type: more tasks than units, and fewer" case_unequal_numbers
test_case "a plain job is elsewhere" case_plain_is_elsewhere
test_case "steps with requests of their own" case_step_with_its_own_request
test_case "more tasks than cores are refused" case_more_tasks_than_cores
test_case "slurmd killed: the task is held, nothing is left" case_slurmd_killed
test_case "nothing is left of many jobs" case_nothing_is_left_of_many
test_case "a node whose CPUs do not exist" case_virtual_node_tells_but_does_not_hold
# An emulated machine has test/vm/stacks.sh for it.
[ "$slowness" -eq 1 ] || tests_done
for stack in task/topobind task/topobind,task/cgroup \
	task/topobind,task/affinity task/cgroup,task/topobind \
	task/affinity,task/topobind task/affinity,task/cgroup,task/topobind; do
	cluster_stop
	cluster_start --nodes this --slurm "TaskPlugin=$stack"
	held_cases "${stack//task\//}"
done
tests_done
