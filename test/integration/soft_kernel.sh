#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# soft_kernel - soft binding on kernels that do it themselves (openEuler)
#
# No such kernel is here: slurmd and its slurmstepds find the files of one in a
# tree (kernel_files.c), all else is real.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/soft-lib
. "$(dirname "$0")/soft-lib"

cgroup_file=cpuset.preferred_cpus
thread_file=preferred_cpuset
counter_files=(cpuacct.nr_select_prefer_cpus cpuacct.nr_select_allowed_cpus
	cpuacct.nr_smoothed_prefer_cpus)
switch_file=sched_dynamic_affinity_disable

# kernel_with FILE... - slurmd on a kernel that has these files
kernel_with() {
	rm -rf "$work/kernel"
	mkdir "$work/kernel"
	daemon "slurmd-$NODE_THIS" stop
	cat >"$work/bin/slurmd" <<-END
	#!/bin/bash
	export LD_PRELOAD=$work/kernel_files.so
	export KERNEL_TREE=$work/kernel KERNEL_FILES=$(IFS=, && echo "$*")
	exec $(type -P slurmd) "\$@"
	END
	chmod 755 "$work/bin/slurmd"
	PATH=$work/bin:$PATH daemon "slurmd-$NODE_THIS" start
	wait_until 30 srun -Q -w "$NODE_THIS" -n1 true
}

# Files of the kernel of that name; those of the task of JOB's script
files_named() {
	find "$work/kernel" -name "$1" -path "*$2*"
}

is_kernels() {
	[[ $(topobind_soft status "$1" | tail -n 1) == *" kernel "* ]]
}

# quiet_job - soft-bound, without load
quiet_job() {
	local job

	job=$(soft_batch 1 "${one_core[@]}")
	rm "$work/load"
	wait_until 60 runs_program soft-burn
	echo "$job"
}

# The allowed CPUs at once, the kernel keeps the task on those that are written.
# told LIST FILE PLACE - it is what files of that name have, one or each
told() {
	[ "$(files_named "$2" "$3" | xargs -r awk 1 | sort -u)" = "$1" ]
}

case_cgroup() {
	local job

	kernel_with "$cgroup_file"
	job=$(quiet_job)
	wait_until 30 may_use soft-burn "$all_cpus"
	assert is_kernels "$job"
	wait_until 30 told "$(cpus_granted "$job")" "$cgroup_file" "job_$job"
	assert_eq "files of threads" "" "$(files_named "$thread_file" "")"
	cancel "$job"
	wait_until 30 no_job_cgroups "$NODE_THIS"
}

case_threads() {
	local job

	kernel_with "$thread_file"
	job=$(quiet_job)
	wait_until 30 may_use soft-burn "$all_cpus"
	assert is_kernels "$job"
	wait_until 30 told "$(cpus_granted "$job")" "$thread_file" "/proc/*/task/"
	cancel "$job"
	wait_until 30 no_job_cgroups "$NODE_THIS"
}

# Where both are, the cgroup's; a task for each.
case_tasks() {
	local job

	kernel_with "$cgroup_file" "$thread_file"
	job=$(alloc -w "$NODE_THIS" -n2 --bunit=C --bamount=1 --bmode=soft)
	srun -Q --jobid="$job" -n2 "$work/soft-burn" rest &
	wait_until 30 may_use soft-burn "$all_cpus"
	wait_until 30 told "$(expand_list "$(cpus_granted "$job")")" \
		"$cgroup_file" "job_$job"
	assert_eq "files of threads" "" "$(files_named "$thread_file" "")"
	cancel "$job"
	wait
}

# prefers FILE LIST
prefers() {
	[ "$(cat "$1")" = "$2" ]
}

prefers_nothing() {
	prefers "$1" ''
}

# Confined: the kernel has no choice left.  Off: nothing is preferred.
case_switch() {
	local job file

	kernel_with "$cgroup_file"
	job=$(quiet_job)
	wait_until 30 may_use soft-burn "$all_cpus"
	topobind_soft off --confine "$job"
	wait_until 30 may_use soft-burn "$(cpus_granted "$job")"
	topobind_soft on "$job"
	wait_until 30 may_use soft-burn "$all_cpus"
	file=$(files_named "$cgroup_file" "job_$job")
	assert_eq "preferred" "$(cpus_granted "$job")" "$(cat "$file")"
	topobind_soft off "$job"
	wait_until 30 prefers_nothing "$file"
	assert_eq "CPUs" "$all_cpus" "$(cpus_of soft-burn)"
	topobind_soft on "$job"
	wait_until 30 prefers "$file" "$(cpus_granted "$job")"
}

# Others' CPUs are not allowed, on these kernels neither.
case_others() {
	local job

	kernel_with "$cgroup_file"
	job=$(quiet_job)
	wait_until 30 may_use soft-burn "$all_cpus"
	for _ in 1 2 3; do
		srun -Q -w "$NODE_THIS" "${one_core[@]}" "$work/witness" 3 \
			>"$work/seen"
		refute grep -m 2 touched "$work/seen"
		assert grep looks "$work/seen"
		wait_until 30 may_use soft-burn "$all_cpus"
	done
	assert is_kernels "$job"
}

# Also of the processes that the task has started, where they are told one by one.
case_switch_threads() {
	local job file pid other

	kernel_with "$thread_file"
	job=$(quiet_job)
	wait_until 30 may_use soft-burn "$all_cpus"
	pid=$(processes soft-burn) || true
	topobind_soft off --confine "$job"
	wait_until 30 may_use soft-burn "$(cpus_granted "$job")"
	file=$work/kernel/proc/$pid/task/$pid/$thread_file
	wait_until 30 prefers "$file" "$(cpus_granted "$job")"
	topobind_soft off "$job"
	wait_until 30 prefers_nothing "$file"
	topobind_soft on "$job"
	wait_until 30 prefers "$file" "$(cpus_granted "$job")"
	# Any that its task may have.
	other=$(all_but "$(cpus_granted "$job")")
	topobind_soft set --thread="$pid" --cpus="$other" "$job"
	wait_until 30 prefers "$file" "$other"
	assert may_use soft-burn "$all_cpus"
	topobind_soft set --thread="$pid" --cpus=default "$job"
	wait_until 30 prefers "$file" "$(cpus_granted "$job")"
}

# reads FILE TEXT
reads() {
	[ "$(cat "$work/kernel$1" 2>/dev/null)" = "$2" ]
}

threshold=/proc/sys/kernel/sched_util_low_pct
features=/sys/kernel/debug/sched_features

# The kernel has one of each for the node: what topobind.conf says, or was set.
case_threshold() {
	local job

	kernel_with "$cgroup_file" "${threshold##*/}" "${features##*/}"
	job=$(quiet_job)
	wait_until 30 is_kernels "$job"
	wait_until 30 reads "$threshold" 10
	wait_until 30 reads "$features" DA_UTIL_TASKGROUP
	topobind_soft set --threshold=30 --count=all
	wait_until 30 reads "$threshold" 30
	wait_until 30 reads "$features" NO_DA_UTIL_TASKGROUP
	topobind_soft set --threshold=default --count=default
	wait_until 30 reads "$threshold" 10
	reconfigure_with SoftUtilLowPct=77 SoftIntervalMs=50 SoftCount=all \
		"PartitionName=main SoftUtilLowPct=5"
	wait_until 30 reads "$threshold" 77
	wait_until 30 reads "$features" NO_DA_UTIL_TASKGROUP
	assert_contains "said" "no effect" \
		"$(topobind_soft set --threshold=5 "$job" 2>&1)"
	assert reads "$threshold" 77
	reconfigure_with "${settings[@]}"
	wait_until 30 reads "$features" DA_UTIL_TASKGROUP
}

# Switched off and on while a task runs: then we choose, and the kernel again.
case_watched() {
	local job cpus file switch=$work/kernel/proc/sys/kernel/$switch_file

	kernel_with "$cgroup_file" "$switch_file"
	job=$(quiet_job)
	cpus=$(cpus_granted "$job")
	wait_until 30 is_kernels "$job"
	file=$(files_named "$cgroup_file" "job_$job")
	echo 1 >"$switch"
	wait_until 30 may_use soft-burn "$cpus"
	refute is_kernels "$job"
	assert prefers_nothing "$file"
	: >"$work/load"
	wait_until 60 may_use soft-burn "$all_cpus"
	rm "$work/load"
	wait_until 60 may_use soft-burn "$cpus"
	echo 0 >"$switch"
	wait_until 30 may_use soft-burn "$all_cpus"
	wait_until 30 prefers "$file" "$cpus"
	assert is_kernels "$job"
}

is_zero() {
	[ "$(head -n 1 "$1")" = 0 ]
}

# The kernel's own go to zero with ours, each by itself.
case_reset() {
	local job name file

	kernel_with "$cgroup_file" "${counter_files[@]}"
	job=$(quiet_job)
	wait_until 30 is_kernels "$job"
	for name in "${counter_files[@]}"; do
		echo 9 >"$(files_named "$name" "job_$job")"
	done
	wait_until 30 counts_up "$job" smoothed 8
	file=$(files_named "${counter_files[1]}" "job_$job")
	topobind_soft reset --counter=allowed "$job"
	wait_until 30 is_zero "$file"
	assert_eq "smoothed" 9 \
		"$(cat "$(files_named "${counter_files[2]}" "job_$job")")"
	topobind_soft reset "$job"
	wait_until 30 is_zero "$(files_named "${counter_files[2]}" "job_$job")"
	assert_eq "counted" 0 "$(counter "$job" smoothed)"
	echo 4 >"$file"
	wait_until 30 counts_up "$job" allowed 3
	assert_eq "allowed since" 4 "$(counter "$job" allowed)"
}

# Those of the cgroup in which Slurm accounts the job; at the end in its record.
case_counters() {
	local job name value

	kernel_with "$cgroup_file" "${counter_files[@]}"
	job=$(quiet_job)
	wait_until 30 is_kernels "$job"
	assert_eq "counted" 0 "$(counter "$job" preferred)"
	value=5
	for name in "${counter_files[@]}"; do
		echo "$value" >"$(files_named "$name" "job_$job")"
		value=$((value * 2))
	done
	wait_until 30 counts_up "$job" smoothed 19
	assert_eq "preferred" 5 "$(counter "$job" preferred)"
	assert_eq "allowed" 10 "$(counter "$job" allowed)"
	topobind_soft reset "$job"
	name=$(files_named "${counter_files[1]}" "job_$job")
	wait_until 30 is_zero "$name"
	# At no moment empty, which is nothing that a counter is.
	echo 3 1<>"$name"
	wait_until 30 counts_up "$job" allowed 2
	assert_eq "allowed since the reset" 3 "$(counter "$job" allowed)"
	# The kernel's own can be set to zero, too.
	echo 0 >"$name"
	sleep 0.3
	echo 4 >"$name"
	wait_until 30 counts_up "$job" allowed 6
	pkill_burn
	wait_until 30 is_over "$job"
	# All that was counted, whoever set it to zero meanwhile.
	assert_contains "record" "soft=preferred:5,allowed:17,smoothed:20" \
		"$(scontrol show job "$job")"
}

# A CPU that goes off is left out, and comes back; here it is only told so.
case_offline() {
	local job cpus online=$work/kernel/sys/devices/system/cpu/online

	kernel_with
	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 may_use soft-burn "$all_cpus"
	cpus=$(cpus_granted "$job")
	mkdir -p "${online%/*}"
	echo "$cpus" >"$online"
	wait_until 60 may_use soft-burn "$cpus"
	echo "$all_cpus" >"$online"
	wait_until 60 may_use soft-burn "$all_cpus"
	# Without any that it prefers it has the others, also without load.
	rm "$work/load"
	wait_until 60 may_use soft-burn "$cpus"
	all_but "$cpus" >"$online"
	wait_until 60 may_use soft-burn "$(all_but "$cpus")"
	rm "$online"
	wait_until 60 may_use soft-burn "$cpus"
}

# Switched off by the administrator, or not there: we do it ourselves.
case_ourselves() {
	local job

	kernel_with "$@"
	mkdir -p "$work/kernel/proc/sys/kernel"
	echo 1 >"$work/kernel/proc/sys/kernel/$switch_file"
	job=$(quiet_job)
	wait_until 30 counts_up "$job" preferred 5
	refute is_kernels "$job"
	assert_eq "CPUs" "$(cpus_granted "$job")" "$(cpus_of soft-burn)"
	: >"$work/load"
	wait_until 60 may_use soft-burn "$all_cpus"
	assert_eq "preferred for the kernel" "" \
		"$(files_named "$cgroup_file" "job_$job")"
}

[ -d /sys/fs/cgroup/cpuacct ] ||
	fail "counters of this kind are in cgroup v1 only"
cluster_start --nodes this --topobind SoftUtilLowPct=10 \
	--topobind SoftIntervalMs=50 \
	--slurm JobAcctGatherType=jobacct_gather/cgroup
mkdir "$work/bin"
gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o "$work/kernel_files.so" \
	"$test_dir/kernel_files.c"
burn_program soft-burn
soft_start
test_case "the file of a cgroup" case_cgroup
test_case "the files of threads" case_threads
test_case "two tasks" case_tasks
test_case "off and on" case_switch
test_case "off and on, by threads" case_switch_threads
test_case "the kernel's threshold, and whose load counts" case_threshold
test_case "the kernel's switch is watched" case_watched
test_case "the kernel's counters are reset" case_reset
test_case "a hard job comes" case_others
test_case "the kernel's counters" case_counters
test_case "switched off in the kernel" case_ourselves "$cgroup_file" "$switch_file"
test_case "a kernel without" case_ourselves
test_case "CPUs go off and come back" case_offline
tests_done
