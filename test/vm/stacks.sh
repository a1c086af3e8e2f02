#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stacks - in the guest: who holds what in every company of task/topobind
#
# The table of task_topobind(8), row by row.  What a cgroup of a job, step or
# task has been told is read from its file by the tasks themselves.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

# In a task: "TASK-NUMBER task's step's job's allowed", "-" for a cgroup without
# limits of its own.  With v2 the limits of a step are on its user/, with v1 a
# plain task is in the step's.
# shellcheck disable=SC2016 # the task's variables
levels='
told() {
	local list
	case $1 in
	*/job_*) read -r list <"$1/cpuset.cpus" ;;
	esac
	echo "${list:--}"
}
path=$(sed -n "s/^[0-9]*:cpuset://p" /proc/self/cgroup)
if [ -n "$path" ]; then
	task=/sys/fs/cgroup/cpuset$path
	step=${task%/task_*}
	job=${step%/*}
else
	task=/sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)
	step=${task%/*}
	job=${step%/*/*}
fi
echo "$SLURM_PROCID $(told "$task") $(told "$step") $(told "$job")" \
	"$(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)"'

# configure CGROUP-LINES SLURM-LINES NODE-WORDS - the cluster as it began with
# these, separated by blanks, in place of lines of the same key.  slurmctld is started
# again for other words of the node only: that takes its time here.
configure() {
	local etc=$cluster/etc line

	for line in slurm.conf cgroup.conf; do
		[ -e "$etc/$line.saved" ] || cp "$etc/$line" "$etc/$line.saved"
		cp "$etc/$line.saved" "$etc/$line"
	done
	for line in $1; do
		sed -i "/^${line%%=*}=/d" "$etc/cgroup.conf"
		echo "$line" >>"$etc/cgroup.conf"
	done
	for line in $2; do
		sed -i "/^${line%%=*}=/d" "$etc/slurm.conf"
		echo "$line" >>"$etc/slurm.conf"
	done
	sed -i "s/^NodeName=this.*/& $3/" "$etc/slurm.conf"
	daemon "slurmd-$NODE_THIS" stop
	if [ "$(cat "$work/words" 2>/dev/null)" != "$3" ]; then
		daemon slurmctld stop
		daemon slurmctld start
		echo "$3" >"$work/words"
	fi
	daemon "slurmd-$NODE_THIS" start
	wait_until 30 srun -Q -n1 true
}

common() {
	comm -12 <(expand_list "$1" | sort) <(expand_list "$2" | sort) |
		paste -sd' '
}

# stack PLAIN FIRST CGROUP-LINES SLURM-LINES [NODE-WORDS] - three cores from CPU
# FIRST on are a job's, two of them a step's, one each task's.  A plain job
# beside it is "held" by a cgroup, "masked" by its affinity only, or "free".
case_stack() {
	local plain=$1 first=$2 job seen wanted

	configure "$3" "$4" "${5:-}"
	job=$(alloc -n3 --bunit=C --bamount=1)
	seen=$(srun -Q --jobid="$job" -n2 --exact --mem=10 bash -c "$levels" |
		sort)
	wanted=$(for i in 0 1; do
		echo "$i $((first + 2 * i))-$((first + 2 * i + 1))" \
			"$first-$((first + 3)) $first-$((first + 5))" \
			"$((first + 2 * i))-$((first + 2 * i + 1))"
	done)
	assert_eq "task, step, job, allowed" "$wanted" "$seen"
	seen=$(srun -Q -n1 bash -c "$levels")
	echo "a plain job: $seen"
	read -r _ _ _ held allowed <<<"$seen"
	case $plain in
	held)
		refute [ "$held" = - ]
		assert_eq "CPUs in both" "" \
			"$(common "$allowed" "$first-$((first + 5))")"
		;;
	masked)
		assert_eq "the plain job's cgroup" - "$held"
		assert_eq "CPUs in both" "" \
			"$(common "$allowed" "$first-$((first + 5))")"
		;;
	free)
		assert_eq "the plain job's cgroup and CPUs" "- 0-15" \
			"$held $allowed"
		;;
	esac
	cancel "$job"
	wait_until 20 no_job_cgroups "$NODE_THIS"
}

# row NAME - and the arguments of case_stack
row() {
	local name=$1

	shift
	test_case "$name" case_stack "$@"
}

cluster_start --nodes this
yes=ConstrainCores=yes
no=ConstrainCores=no
linux=ProctrackType=proctrack/linuxproc
row "alone" free 0 $yes TaskPlugin=task/topobind
row "alone, linuxproc" free 0 $no "TaskPlugin=task/topobind $linux"
row "topobind, affinity" masked 0 $yes TaskPlugin=task/topobind,task/affinity
row "affinity, topobind" masked 0 $no TaskPlugin=task/affinity,task/topobind
row "topobind, cgroup" held 0 $yes TaskPlugin=task/topobind,task/cgroup
row "cgroup, topobind" held 0 $yes TaskPlugin=task/cgroup,task/topobind
row "cgroup without cores" free 0 $no TaskPlugin=task/topobind,task/cgroup
row "cgroup without cores, linuxproc" free 0 $no \
	"TaskPlugin=task/cgroup,task/topobind $linux"
row "topobind, cgroup, affinity" held 0 $yes \
	TaskPlugin=task/topobind,task/cgroup,task/affinity
row "affinity, cgroup, topobind, linuxproc" held 0 $yes \
	"TaskPlugin=task/affinity,task/cgroup,task/topobind $linux"
row "cgroup without cores, affinity" masked 0 $no \
	TaskPlugin=task/topobind,task/cgroup,task/affinity
row "limits of memory and devices, accounting by cgroups" held 0 \
	"$yes ConstrainRAMSpace=yes ConstrainDevices=yes" \
	JobAcctGatherType=jobacct_gather/cgroup
row "accounting by cgroups, alone" free 0 $no \
	"TaskPlugin=task/topobind JobAcctGatherType=jobacct_gather/cgroup"
row "a core for the system" held 2 $yes \
	TaskPlugin=task/topobind,task/cgroup,task/affinity CpuSpecList=0-1
row "cores for the system, by their number" held 0 $yes \
	TaskPlugin=task/topobind,task/cgroup,task/affinity CoreSpecCount=2
tests_done
