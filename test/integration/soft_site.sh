#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# soft_site - topobind.conf changes, and running soft-bound steps heed it; partitions
# and nodes have keys of soft binding of their own
#
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/soft-lib
. "$(dirname "$0")/soft-lib"

# half_job [OPTION...] - a task with half of the load of its unit, spread by the
# threshold of settings; into job and cpus
half_job() {
	reconfigure_with "${settings[@]}"
	job=$(burns=half soft_batch 1 "${one_core[@]}" "$@")
	wait_until 60 may_use soft-burn "$all_cpus"
	cpus=$(cpus_granted "$job")
}

case_threshold() {
	local job cpus

	half_job
	reconfigure_with SoftUtilLowPct=100 SoftIntervalMs=50
	wait_until 60 may_use soft-burn "$cpus"
	reconfigure_with "${settings[@]}"
	wait_until 60 may_use soft-burn "$all_cpus"
}

# A partition's line counts more than the site's, and a node's more than that.
case_lines() {
	local job cpus partition="PartitionName=main SoftUtilLowPct"

	half_job
	reconfigure_with "${settings[@]}" "$partition=100"
	wait_until 60 may_use soft-burn "$cpus"
	reconfigure_with "${settings[@]}" "$partition=100" \
		"NodeName=$NODE_THIS SoftUtilLowPct=10"
	wait_until 60 may_use soft-burn "$all_cpus"
}

# What somebody has set stays.
case_what_is_set() {
	local job cpus

	half_job
	topobind_soft set --threshold=10 "$job"
	reconfigure_with SoftUtilLowPct=100 SoftIntervalMs=50
	sleep 3
	assert_eq "CPUs" "$all_cpus" "$(cpus_of soft-burn)"
	topobind_soft set --threshold=default "$job"
	wait_until 60 may_use soft-burn "$cpus"
}

case_count() {
	local job cpus

	reconfigure_with "${settings[@]}"
	job=$(soft_batch 1 "${one_core[@]}")
	rm "$work/load"
	wait_until 30 runs "$job"
	cpus=$(cpus_granted "$job")
	burn_program other-burn
	taskset -c "$cpus" "$work/other-burn" &
	burner=$!
	trap 'kill "$burner"' EXIT
	wait_until 60 may_use soft-burn "$cpus"
	reconfigure_with "${settings[@]}" SoftCount=all
	wait_until 60 may_use soft-burn "$all_cpus"
	reconfigure_with "${settings[@]}"
	wait_until 60 may_use soft-burn "$cpus"
	reconfigure_with "${settings[@]}" "PartitionName=main SoftCount=all"
	wait_until 60 may_use soft-burn "$all_cpus"
	reconfigure_with "${settings[@]}" "PartitionName=main SoftCount=all" \
		"NodeName=$NODE_THIS SoftCount=job"
	wait_until 60 may_use soft-burn "$cpus"
}

# The switch, also of a step that began when it was off.
case_off() {
	local job cpus

	reconfigure_with "${settings[@]}" Soft=no
	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 runs_program soft-burn
	cpus=$(cpus_granted "$job")
	sleep 1
	assert_eq "CPUs" "$cpus" "$(cpus_of soft-burn)"
	wait_until 60 says "$job" confined
	reconfigure_with "${settings[@]}" Soft=no "PartitionName=main Soft=yes"
	wait_until 60 may_use soft-burn "$all_cpus"
	wait_until 60 says "$job" on
	reconfigure_with "${settings[@]}" "PartitionName=main Soft=yes" \
		"NodeName=$NODE_THIS Soft=no"
	wait_until 60 may_use soft-burn "$cpus"
	topobind_soft on "$job"
	topobind_soft off "$job"
	sleep 1
	assert_eq "CPUs" "$cpus" "$(cpus_of soft-burn)"
}

# burning_job OPTION... - a task that burns, without --bmode; into job and cpus
burning_job() {
	burn_program soft-burn
	: >"$work/load"
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 "$@" \
		--wrap "exec $work/soft-burn while $work/load")
	wait_until 60 runs_program soft-burn
	cpus=$(cpus_granted "$job")
}

# is_hard OPTION... - such a job stays on its CPUs
is_hard() {
	local job cpus

	burning_job "$@"
	sleep 1
	# Without a binding nothing is granted.
	[ -z "$cpus" ] || assert_eq "CPUs" "$cpus" "$(cpus_of soft-burn)"
	assert_eq "files" "" "$(files_of "$job" | grep soft$)"
	cancel "$job"
	wait_until 30 may_use soft-burn ''
}

# is_soft OPTION... - such a job spreads
is_soft() {
	local job cpus

	burning_job "$@"
	wait_until 60 may_use soft-burn "$all_cpus"
	cancel "$job"
	wait_until 30 may_use soft-burn ''
}

# Of jobs that say nothing of it, and of steps; a job that says hard is.
case_mode() {
	local partition="PartitionName=main Mode" job cpus

	reconfigure_with "${settings[@]}" Mode=soft
	is_soft "${one_core[@]}"
	is_hard "${one_core[@]}" --bmode=hard
	is_hard --bamount=0
	TOPOBIND=bamount=1,bmode=hard is_hard
	reconfigure_with "${settings[@]}" Mode=soft "$partition=hard"
	is_hard "${one_core[@]}"
	is_soft "${one_core[@]}" --bmode=soft
	reconfigure_with "${settings[@]}" Mode=hard "$partition=hard" \
		"NodeName=$NODE_THIS Mode=soft"
	is_soft "${one_core[@]}"
	reconfigure_with "${settings[@]}" Mode=soft Implicit=yes
	is_soft
	is_hard --bmode=hard
	burning_job "${one_core[@]}" --bmode=hard
	assert_contains "the request" "bamount=1,bmode=hard" \
		"$(scontrol show job "$job")"
	cancel "$job"
	reconfigure_with "${settings[@]}"
	is_hard "${one_core[@]}"
	wait_until 30 no_soft_files
}

# kind_in_map JOB
kind_in_map() {
	topobind map --json "$NODE_THIS" |
		jq -r ".jobs[] | select(.job == \"$1\").kind"
}

# shows JOB REQUEST KIND - SystemComment, topobind job and topobind map
shows() {
	assert_eq "SystemComment" "$2" "$(binding "$1")"
	assert_eq "topobind job" "$2" \
		"$(topobind job --json "$1" | jq -r '.jobs[0].request')"
	assert_eq "topobind map" "$3" "$(kind_in_map "$1")"
}

# is_shown REQUEST KIND OPTION... - of such a job, which is there for that long
is_shown() {
	local job

	job=$(alloc -w "$NODE_THIS" -N1 -n1 "${@:3}")
	shows "$job" "$1" "$2"
	cancel "$job"
}

# Of a job that does not say it, too: as it was when the job began.
case_is_shown() {
	local job

	reconfigure_with "${settings[@]}" Mode=soft
	job=$(alloc -w "$NODE_THIS" "${one_core[@]}")
	shows "$job" bamount=1,bmode=soft soft
	reconfigure_with "${settings[@]}"
	shows "$job" bamount=1,bmode=soft soft
	cancel "$job"
	job=$(alloc -w "$NODE_THIS" "${one_core[@]}")
	shows "$job" bamount=1 bound
	reconfigure_with "${settings[@]}" "PartitionName=main Mode=soft" Implicit=yes
	srun -Q --jobid="$job" -n1 true
	shows "$job" bamount=1 bound
	cancel "$job"
	is_shown bamount=1,binstance=env bound --bamount=1 --binstance=env
	is_shown bamount=1,bmode=hard bound --bamount=1 --bmode=hard
	is_shown implicit,btype=host,bmode=soft soft
	reconfigure_with "${settings[@]}" "PartitionName=main Mode=soft" \
		"NodeName=$NODE_THIS Mode=hard"
	is_shown bamount=1 bound --bamount=1
}

says() {
	[[ $(topobind_soft status "$1") == *" $2 "* ]]
}

# A file that is wrong changes nothing, one that is gone is one without keys.
case_wrong_file() {
	local job cpus

	half_job
	conf_with SoftUtilLowPct=100 SoftIntervalMs=50 SoftCount=some
	sleep 3
	assert_eq "CPUs" "$all_cpus" "$(cpus_of soft-burn)"
	rm "$cluster/etc/topobind.conf"
	wait_until 60 may_use soft-burn "$cpus"
}

# Steps that come, go and are reconfigured at any time.
case_in_the_midst() {
	local i

	burn_program soft-burn
	for i in 1 2 3 4 5 6; do
		conf_with "${settings[@]}" "PartitionName=main SoftUtilLowPct=$((i * 10))"
		reconfigure_at_once
		within 60 srun -Q -w "$NODE_THIS" "${one_core[@]}" --bmode=soft \
			timeout "0.$i" "$work/soft-burn" || [ $? = 124 ]
	done
	reconfigure_with "${settings[@]}"
	wait_until 30 no_job_cgroups "$NODE_THIS"
	wait_until 30 no_soft_files
}

# goes_out - a process of the task, by the hand of root, with cgroup v1
goes_out() {
	local pid

	for pid in $(processes soft-burn); do
		echo "$pid" >/sys/fs/cgroup/cpuset/cgroup.procs
	done
}

# A process that somebody moves out of its step's cgroups comes back.
case_leaves() {
	local job cpus

	[ -e /sys/fs/cgroup/cpuset/cgroup.procs ] || return 0
	reconfigure_with "${settings[@]}"
	job=$(soft_batch 2 "${one_core[@]}")
	rm "$work/load"
	wait_until 60 runs_program soft-burn
	cpus=$(cpus_granted "$job")
	wait_until 60 may_use soft-burn "$cpus"
	for _ in 1 2; do
		goes_out
		assert may_use soft-burn "$all_cpus"
		wait_until 60 may_use soft-burn "$cpus"
	done
	cancel "$job"
	wait_until 30 no_job_cgroups "$NODE_THIS"
}

case_refused() {
	local line

	for line in "PartitionName=main Soft=perhaps" Mode=perhaps \
		"NodeName=$NODE_THIS Mode=" \
		"NodeName=$NODE_THIS SoftUtilLowPct=101" \
		"NodeName=$NODE_THIS SoftCount=x" \
		"PartitionName=main SoftIntervalMs=9" \
		"NodeName=$NODE_THIS SoftIntervalMs=50 SoftIntervalMs=60"; do
		conf_with "$line"
		refute topobind conf --check
	done
	conf_with "NodeName=$NODE_THIS SoftCount=all Soft=no" \
		"PartitionName=main SoftIntervalMs=10 SoftUtilLowPct=0"
	# There may be notes on the machine.
	topobind conf --check >"$work/check" 2>&1 || true
	refute grep "topobind.conf line" "$work/check"
	conf_with "${settings[@]}"
}

cluster_start --nodes this --topobind SoftUtilLowPct=10 \
	--topobind SoftIntervalMs=50
soft_start
test_case "the threshold" case_threshold
test_case "of a partition and of a node" case_lines
test_case "what was set counts more" case_what_is_set
test_case "whose load counts" case_count
test_case "off and on" case_off
test_case "the site's default of bmode" case_mode
test_case "what it makes of a job is shown" case_is_shown
test_case "a wrong file, and none" case_wrong_file
test_case "in the midst of steps" case_in_the_midst
test_case "a process leaves its step" case_leaves
test_case "what is refused" case_refused
tests_done
