#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# isolate - in the guest: jobs whose CPUs nothing else has (--bisolate)
#
# Two sockets of four cores of two threads.  Kernels without cpuset.cpus.exclusive
# (before 6.7, or with cgroup v1) cannot do it, and say so.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"
# shellcheck source=test/vm/sleepers.bash
. "$(dirname "$0")/sleepers.bash"

root=/sys/fs/cgroup

# By its version: one that should and does not is to fail.
can_isolate() {
	[ -e "$root/cgroup.controllers" ] &&
		printf '%s\n' 6.7 "$(uname -r)" | sort -C -V
}

node_says() {
	[ "$(node_token "$NODE_THIS" m_isolates)" = "$1" ]
}

isolated() {
	alloc --bunit=C --bamount=1 --bisolate=yes "$@"
}

partition_of() {
	cat "$(top_cgroup)/job_$1/cpuset.cpus.partition"
}

# What is there for all others.
left() {
	cat "$root/cpuset.cpus.effective"
}

has_left() {
	[ "$(left)" = "$1" ]
}

# Everything that isolation changes, and what keeps it.
outside() {
	find "$root" -maxdepth 3 -name cpuset.cpus.exclusive -exec grep -H . {} + || true
	head -n 1 "$root/cpuset.cpus.effective" /proc/irq/default_smp_affinity \
		/proc/irq/*/smp_affinity_list \
		/sys/devices/virtual/workqueue/cpumask
	find "$cluster/spool/$NODE_THIS" -path "*topobind_isolated*" -type f
}

is_undone() {
	outside | cmp -s - "$work/outside"
}

assert_undone() {
	(wait_until 30 is_undone) ||
		fail "not undone: $(outside | diff "$work/outside" -)"
}

# Interrupts that may come to CPUs from FIRST to LAST, and can be kept off.
irqs_at() {
	local file

	grep . /proc/irq/*/smp_affinity_list | awk -F: -v first="$1" -v last="$2" '{
		n = split($2, ranges, ",")
		for (i = 1; i <= n; i++) {
			split(ranges[i] "-" ranges[i], ends, "-")
			if (ends[1] <= last + 0 && ends[2] >= first + 0) {
				print $1
				break
			}
		}
	}' | while read -r file; do
		! can_move "$file" || echo "$file"
	done
}

# With the CPUs that it has; the kernel refuses for some.
can_move() {
	local now

	read -r now <"$1"
	echo "$now" 2>/dev/null >"$1"
}

# Processes of root's that always want to run, on CPUs that the job is to have.
spinners() {
	for _ in 1 2; do
		taskset -c 0-3 "$bin/burn" >/dev/null &
		echo $!
	done
}

# Where each of them was last.
last_cpus() {
	local pid

	for pid in "$@"; do
		awk '{ print $39 }' "/proc/$pid/stat"
	done | sort -u | as_list
}

# outside_of LIST LIST - what of the first is not in the second
outside_of() {
	comm -23 <(expand_list "$1" | sort) <(expand_list "$2" | sort) |
		paste -sd' '
}

case_refused() {
	local job

	wait_until 60 node_says no
	exits 1 "bisolate=yes: no node can isolate CPUs" sbatch -o /dev/null \
		-n1 --bunit=C --bamount=1 --bisolate=yes --wrap true
	job=$(alloc -n1 --bunit=C --bamount=1)
	exits 1 "bisolate=yes needs cgroup v2 and Linux 6.7 or later" srun -Q \
		--jobid="$job" --bunit=C --bamount=1 --bisolate=yes true
	cancel "$job"
	assert is_undrained
	assert_nothing_is_left
	assert_works
}

case_alone() {
	local job

	wait_until 60 node_says yes
	mapfile -t pids < <(spinners)
	trap 'kill "${pids[@]}"' EXIT
	sleep 1
	assert_eq "CPUs of root processes at first" "" \
		"$(outside_of "$(last_cpus "${pids[@]}")" 0-3)"
	job=$(isolated -n2)
	steps_of "$job" 2
	assert_eq "the partition" root "$(partition_of "$job")"
	assert_eq "CPUs of the job" 0-3 "$(cpus_of "$job")"
	assert_eq "CPUs of all others" 4-15 "$(left)"
	assert_eq "interrupts on CPUs of the job" "" "$(irqs_at 0 3)"
	assert_eq "unbound work" fff0 "$(cat /sys/devices/virtual/workqueue/cpumask)"
	sleep 1
	assert_eq "CPUs of root processes then" "" \
		"$(outside_of "$(last_cpus "${pids[@]}")" 4-15)"
	assert_eq "CPUs that are lost" "" "$(lost "$NODE_THIS")"
	assert_eq "an ordinary step beside it" 4-5 "$(srun -Q -n1 --bunit=C \
		--bamount=1 sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' \
		/proc/self/status)"
	cancel "$job"
	assert_undone
}

# All CPUs of a task are used: the kernel balances threads.  In three seconds each of two
# has more than half of them.
case_balanced() {
	local ticks

	# shellcheck disable=SC2016
	ticks=$(srun -Q -n1 --bunit=C --bamount=1 --bisolate=yes bash -c '
		"$0" & first=$!
		"$0" & second=$!
		sleep 3
		cut -d" " -f14 "/proc/$first/stat" "/proc/$second/stat"
		kill "$first" "$second"' "$bin/burn" |
		awk '{ sum += $1 } END { print sum }')
	assert [ "$ticks" -gt $((3 * $(getconf CLK_TCK) * 3 / 2)) ]
	assert_undone
}

case_several() {
	local first second plain

	first=$(isolated -n1)
	steps_of "$first" 1
	plain=$(alloc -n1 --bunit=C --bamount=1)
	steps_of "$plain" 1
	second=$(isolated -n1)
	steps_of "$second" 1
	srun -Q --jobid="$second" --overlap -n1 sleep 600 &
	wait_until 60 has_tasks "$second" 2
	assert_eq "CPUs of the first" 0-1 "$(cpus_of "$first")"
	assert_eq "CPUs of the plain one" 2-3 "$(cpus_of "$plain")"
	assert_eq "CPUs of the second" 4-5 "$(cpus_of "$second")"
	assert_eq "CPUs of all others" 2-3,6-15 "$(left)"
	cancel "$first"
	wait_until 30 has_left 0-3,6-15
	assert_eq "interrupts on CPUs of the second" "" "$(irqs_at 4 5)"
	assert_eq "the second partition" root "$(partition_of "$second")"
	daemon "slurmd-$NODE_THIS" stop
	daemon "slurmd-$NODE_THIS" start
	wait_until 60 node_is_up
	assert_eq "CPUs of the second, after slurmd is another" 4-5 \
		"$(cpus_of "$second")"
	assert_eq "CPUs of all others then" 0-3,6-15 "$(left)"
	assert has_lost "$NODE_THIS" ""
	cancel "$second" "$plain"
	assert_undone
	assert is_undrained
}

node_is_up() {
	[[ $(node_state) =~ ^(idle|mixed|allocated)$ ]]
}

case_stepd_killed() {
	local job

	job=$(victim --bisolate=yes)
	wait_until 60 has_left 2-15
	wait_until 60 test -s "$work/pid"
	kill_stepd "$job" batch
	assert_undone
	cancel "$job"
	assert_nothing_is_left
}

case_both_killed() {
	local job

	job=$(victim --bisolate=yes)
	wait_until 60 test -s "$work/pid"
	assert has_left 2-15
	daemon "slurmd-$NODE_THIS" kill
	kill_stepd "$job" batch
	sleep 1
	assert has_left 2-15
	daemon "slurmd-$NODE_THIS" start
	assert_undone
	cancel "$job"
	assert_nothing_is_left
	assert_works
}

case_requeued() {
	local job

	job=$(victim --requeue --bisolate=yes)
	wait_until 60 has_left 2-15
	requeue_held "$job"
	assert_undone
	release_now "$job"
	wait_until 60 has_left 2-15
	cancel "$job"
	assert_undone
}

# One CPU is to be left for the system, beside those of all isolated jobs.
case_all_cpus() {
	local job output

	output=$(srun -Q -n8 --bunit=C --bamount=1 --bisolate=yes true 2>&1) || true
	assert_contains "what srun says" \
		"bisolate=yes cannot have CPUs 0-15: with those of other isolated jobs (none) that is all of the node" \
		"$output"
	job=$(isolated -n1)
	steps_of "$job" 1
	output=$(srun -Q -n7 --bunit=C --bamount=1 --bisolate=yes true 2>&1) || true
	assert_contains "what srun says" "(0-1) that is all of the node" "$output"
	assert has_left 2-15
	cancel "$job"
	assert_undone
	assert is_undrained
}

# Others get the units of a suspended job.
case_suspended() {
	local job

	job=$(isolated -n7 --mem=100)
	steps_of "$job" 1
	assert has_left 14-15
	scontrol suspend "$job"
	assert_eq "lists of eight tasks" 8 "$(timeout 60 srun -Q -n8 --mem=100 \
		--bunit=C --bamount=1 grep Cpus_allowed_list /proc/self/status | sort -u | wc -l)"
	assert has_left 0-15
	scontrol resume "$job"
	assert_eq "CPUs of its task" 0-1 "$("$bin/threads" |
		awk -v job="$job" '$1 == job && $7 == "sleep" { print $6 }')"
	cancel "$job"
	assert_undone
}

cluster_start --nodes this --topobind Isolate=allow
if can_isolate; then
	outside >"$work/outside"
	test_case "nothing else runs there" case_alone
	test_case "threads of a task are balanced" case_balanced
	test_case "several jobs" case_several
	test_case "slurmstepd is killed" case_stepd_killed
	test_case "slurmd and slurmstepd are killed" case_both_killed
	test_case "a job is requeued" case_requeued
	test_case "all CPUs of the node" case_all_cpus
	test_case "a suspended job gives way" case_suspended
else
	test_case "a kernel that cannot says so" case_refused
fi
tests_done
