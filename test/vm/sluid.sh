#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sluid - in the guest: cgroups of jobs that Slurm names by SLUIDs, as it does by default
# with cgroup v2 from 26.05 on, and more controllers than topobind needs
#
# The other files have them named by the numbers of jobs.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

# The cgroup of a process, from its slurmstepd's scope on, without a user's part.
place_of() {
	sed -n "s/^0::.*\/${NODE_THIS}_slurmstepd.scope\///p" "/proc/$1/cgroup"
}

# A bound job: its number, its process and its name among cgroups.
begin() {
	job=$(victim "$@")
	wait_until 60 test -s "$work/pid"
	read -r pid <"$work/pid"
	sluid=$(scontrol -d show job "$job" |
		sed -n 's/^ *SLUID=\([^ ]*\).*/\1/p' | sed -n 1p)
	assert_eq "its cgroup" "$sluid/step_batch" \
		"$(place_of "$pid" | cut -d/ -f1,2)"
}

no_cgroup_is_named() {
	[ -z "$(find /sys/fs/cgroup -type d -name "$1")" ]
}

case_named() {
	local job pid sluid

	begin
	assert_eq "its CPUs" 0-1 "$(allowed_cpus "$pid")"
	assert_eq "those of a step" 0-1 "$(srun -Q --jobid="$job" -n1 --overlap \
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
	cancel "$job"
	wait_until 60 no_cgroup_is_named "$sluid"
}

# What is left of it is ended by a helper, which finds it by its cgroup.
case_stepd_killed() {
	local job pid sluid stepd

	begin
	stepd=$(pgrep -x slurmstepd | while read -r stepd; do
		[[ $(place_of "$stepd") != "$sluid/step_batch/"* ]] ||
			echo "$stepd"
	done | sed -n 1p)
	kill -KILL "$stepd"
	wait_until 60 process_is_gone "$pid"
	cancel "$job"
	wait_until 60 no_cgroup_is_named "$sluid"
	assert_eq "the next one's CPUs" 0-1 "$(srun -Q -n1 --bunit=C --bamount=1 \
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
}

case_soft() {
	local job pid sluid

	begin --bmode=soft
	assert_eq "its CPUs" 0-1 "$(allowed_cpus "$pid")"
	cancel "$job"
	wait_until 60 no_cgroup_is_named "$sluid"
}

# Slurm waits for what a task leaves behind, which stays on the task's CPUs.
case_children_are_waited_for() {
	local output

	output=$(srun -Q -n2 --bunit=C --bamount=1 --wait-for-children sh -c "
		(sleep 3
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status) &
		exit 0" | sort)
	assert_eq "CPUs of children" "0-1
2-3" "$output"
}

cluster_start --nodes this --cgroup CgroupJobIdPaths=no \
	--cgroup EnableExtraControllers=all
test_case "jobs are held in cgroups with other names" case_named
test_case "slurmstepd is killed" case_stepd_killed
test_case "soft binding" case_soft
test_case "--wait-for-children" case_children_are_waited_for
tests_done
