#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# faults - in the guest: CPUs and cgroups that go away under bound jobs
#
# Two sockets of four cores of two threads.  With cgroup v1 and v2.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"
# shellcheck source=test/vm/sleepers.bash
. "$(dirname "$0")/sleepers.bash"

is_v2() {
	[ ! -d /sys/fs/cgroup/cpuset ]
}

# outside LIST LIST - what of the first is not in the second
outside() {
	comm -23 <(expand_list "$1" | sort) <(expand_list "$2" | sort) |
		paste -sd' '
}

cpu_online() {
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

all_online() {
	local cpu

	for cpu in 2 3; do
		cpu_online "$cpu" 1
	done
	# With v1 the kernel gives nothing back by itself.
	is_v2 || cat /sys/fs/cgroup/cpuset/cpuset.cpus \
		>"$(top_cgroup)/cpuset.cpus"
}

# They are offered to nobody, and nobody is refused for it.
all_cores_wait() {
	local job

	wait_until 60 has_lost "$NODE_THIS" "$1"
	job=$(batch -n8 --bunit=C --bamount=1)
	wait_until 60 was_passed_over "$job"
	assert is_undrained
	echo "$job"
}

all_cores_run() {
	wait_until 60 has_lost "$NODE_THIS" ""
	wait_until 60 runs "$1"
	wait_until 60 has_tasks "$1" 1
	cancel "$1"
}

# One thread of a core, then the other, under a running job.
case_cpu_offline() {
	local job other waits

	trap all_online EXIT
	job=$(alloc -n2 --bunit=C --bamount=1)
	other=$(alloc -n1 --bunit=C --bamount=1)
	steps_of "$job" 2
	steps_of "$other" 1
	assert_eq "CPUs of the job" 0-3 "$(cpus_of "$job")"
	cpu_online 2 0
	assert_eq "with one thread less" 0-1,3 "$(cpus_of "$job")"
	cpu_online 3 0
	assert_eq "outside, with one core less" "" \
		"$(outside "$(cpus_of "$job")" 0-3)"
	assert_eq "CPUs of the other" 4-5 "$(cpus_of "$other")"
	cancel "$job" "$other"
	waits=$(all_cores_wait 2-3)
	all_online
	all_cores_run "$waits"
	assert_eq "lists of eight tasks" 8 "$(srun -Q -n8 --bunit=C --bamount=1 \
		grep Cpus_allowed_list /proc/self/status | sort -u | wc -l)"
	wait_until 20 no_job_cgroups "$NODE_THIS"
}

case_both_killed() {
	local job other

	other=$(alloc -n1 --bunit=C --bamount=1)
	steps_of "$other" 1
	job=$(victim)
	wait_until 20 test -s "$work/pid"
	daemon "slurmd-$NODE_THIS" kill
	kill_stepd "$job" batch
	held_alone "$(cat "$work/pid")"
	assert something_in_use "$NODE_THIS"
	daemon "slurmd-$NODE_THIS" start
	wait_until 30 is_swept "$job"
	assert_eq "CPUs of the other" 0-1 "$(cpus_of "$other")"
	cancel "$job" "$other"
	assert_nothing_is_left
	assert_works
}

case_stepd_killed() {
	local job other

	other=$(alloc -n1 --bunit=C --bamount=1)
	steps_of "$other" 1
	job=$(victim)
	wait_until 20 test -s "$work/pid"
	kill_stepd "$job" batch
	wait_until 30 is_swept "$job"
	assert runs "$job"
	assert_eq "CPUs of the other" 0-1 "$(cpus_of "$other")"
	cancel "$job" "$other"
	assert_nothing_is_left
	assert_works
}

# Slurm's directories, topobind's file, the job's processes.
is_swept() {
	! leftovers | grep -E "/job_$1(/|$)|/$1\.batch" >/dev/null &&
		[ ! -d "/proc/$(cat "$work/pid")" ]
}

# CPUs that an administrator takes out of all that is Slurm's.
case_cpuset_shrunk() {
	local top waits

	top=$(top_cgroup)
	# With v2 it may have been empty, but cannot be made so.
	trap 'echo 0-15 >"$top/cpuset.cpus"' EXIT
	echo 0-7 >"$top/cpuset.cpus"
	waits=$(all_cores_wait 8-15)
	echo 0-15 >"$top/cpuset.cpus"
	all_cores_run "$waits"
	assert_works
}

# A script comes before the node has said so.
case_cpuset_shrunk_at_launch() {
	local top job

	top=$(top_cgroup)
	trap 'echo 0-15 >"$top/cpuset.cpus"; helpers CONT' EXIT
	helpers STOP
	echo 0-7 >"$top/cpuset.cpus"
	job=$(victim -n8)
	wait_until 60 was_put_back "$job"
	refute test -e "$work/pid"
	assert is_undrained
	cancel "$job"
	echo 0-15 >"$top/cpuset.cpus"
	helpers CONT
	assert_nothing_is_left
	assert_works
}

# With v2 a partition of somebody else has CPUs, and nobody has written to a cgroup
# of Slurm's or above.
beside=/sys/fs/cgroup/beside
case_partition_beside() {
	local waits four

	trap '[ ! -d "$beside" ] || rmdir "$beside"' EXIT
	mkdir "$beside"
	echo 4-5 >"$beside/cpuset.cpus"
	echo root >"$beside/cpuset.cpus.partition"
	assert_eq "the partition" root "$(cat "$beside/cpuset.cpus.partition")"
	waits=$(all_cores_wait 4-5)
	four=$(alloc -n3 --bunit=C --bamount=1 --bstrategy=linear)
	assert_eq "granted beside it" 0-3,6-7 "$(granted "$four")"
	cancel "$four"
	rmdir "$beside"
	all_cores_run "$waits"
	assert_works
}

# No directory more: Slurm itself can start no step.
case_no_more_cgroups() {
	local top

	top=$(top_cgroup)
	trap 'echo max >"$top/cgroup.max.descendants"' EXIT
	sed -n 's/^nr_descendants //p' "$top/cgroup.stat" \
		>"$top/cgroup.max.descendants"
	within 60 srun -Q -n1 --bunit=C --bamount=1 \
		touch "$work/ran" || true
	refute test -e "$work/ran"
	echo max >"$top/cgroup.max.descendants"
	resume_node
	assert_nothing_is_left
	assert_works
}

cluster_start --nodes this
test_case "CPUs go offline under jobs" case_cpu_offline
test_case "slurmstepd is killed" case_stepd_killed
test_case "slurmd and slurmstepd are killed" case_both_killed
test_case "CPUs are taken out of Slurm's cgroup" case_cpuset_shrunk
test_case "CPUs are taken, and a launch sees it" case_cpuset_shrunk_at_launch
! is_v2 || test_case "a partition beside Slurm has CPUs" case_partition_beside
# v1 has no limit of its own.
! is_v2 || test_case "there can be no more cgroups" case_no_more_cgroups
tests_done
