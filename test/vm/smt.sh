#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# smt - in the guest: threads are switched off and on below running jobs
#
# The machine of node.sh, whose kernel takes the second thread of each core away,
# the odd CPUs, and gives them back.  Slurm wants to have it in slurm.conf, too,
# and its daemons started again.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

smt=/sys/devices/system/cpu/smt/control
with=SNXYCTTYCTTNXYCTTYCTTSNXYCTTYCTTNXYCTTYCTT
without=SNXYCYCNXYCYCSNXYCYCNXYCYC

# set_threads on|off CPUS THREADS STRING - and wait for the node to say so
set_threads() {
	daemon "slurmd-$NODE_THIS" stop
	daemon slurmctld stop
	echo "$1" >"$smt"
	sed -i -E "/^NodeName=/s/ CPUs=[0-9]+/ CPUs=$2/
		/^NodeName=/s/ ThreadsPerCore=[0-9]+/ ThreadsPerCore=$3/" \
		"$cluster/etc/slurm.conf" "$cluster/etc/virtual/slurm.conf"
	daemon slurmctld start
	daemon "slurmd-$NODE_THIS" start
	wait_until 60 publishes "$4"
}

publishes() {
	[ "$(node_token "$NODE_THIS" m_topology)" = "$1" ]
}

# shellcheck disable=SC2016 # the task's
tell='sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status'

# A script in an L3 cache: two cores, of two threads or of one.  What its
# processes may use is what is left of its cores.
case_running_job() {
	local job other

	job=$(sbatch --parsable -o /dev/null --mem=100 --bunit=X --bamount=1 \
		--wrap "echo \$\$ >$work/pid; exec sleep 600")
	wait_until 60 test -s "$work/pid"
	assert_eq "the script's CPUs" 0-3 "$(allowed_cpus "$(cat "$work/pid")")"
	set_threads off 8 1 "$without"
	assert_eq "the script's CPUs" 0,2 "$(allowed_cpus "$(cat "$work/pid")")"
	assert_eq "in use" SnxycycNXYCYCSNXYCYCNXYCYC \
		"$(node_token "$NODE_THIS" m_topology_inuse)"
	assert_eq "distances" "10,12,21,21;12,10,21,21;21,21,10,12;21,21,12,10" \
		"$(node_token "$NODE_THIS" m_distances)"
	assert_eq "a step of the job" 0,2 \
		"$(srun -Q --jobid="$job" --overlap --mem=0 -n1 sh -c "$tell")"
	assert_eq "other jobs" "4,6
8,10
12,14" "$(srun -Q --mem=100 -n3 --bunit=X --bamount=1 sh -c "$tell" | sort -n)"
	refute srun -Q --immediate=2 --mem=100 -n4 --bunit=X --bamount=1 true
	other=$(alloc --mem=100 --bunit=C --bamount=1)
	set_threads on 16 2 "$with"
	assert_eq "in use" SnxycttycttNXycttYCTTSNXYCTTYCTTNXYCTTYCTT \
		"$(node_token "$NODE_THIS" m_topology_inuse)"
	assert_eq "a step of the job" 0-3 \
		"$(srun -Q --jobid="$job" --overlap --mem=0 -n1 sh -c "$tell")"
	assert_eq "a step of the other" 4-5 \
		"$(srun -Q --jobid="$other" --mem=0 -n1 sh -c "$tell")"
	assert_eq "others" "8-11
12-15" "$(srun -Q --mem=100 -n2 --bunit=X --bamount=1 sh -c "$tell" | sort -n)"
	assert runs "$job"
	cancel "$job" "$other"
	assert_eq "in use" "$with" "$(node_token "$NODE_THIS" m_topology_inuse)"
	wait_until 60 no_job_cgroups "$NODE_THIS"
}

# Slurm's own cpusets count CPUs as if there were none between them that are
# switched off: topobind makes them here.
topobind_constrains() {
	daemon "slurmd-$NODE_THIS" stop
	sed -i s/ConstrainCores=yes/ConstrainCores=no/ "$cluster/etc/cgroup.conf"
	daemon "slurmd-$NODE_THIS" start
	wait_until 60 publishes "$with"
}

cluster_start --nodes this
topobind_constrains
test_case "the kernel can switch threads off" assert_eq "$smt" on "$(cat "$smt")"
test_case "threads go and come back below a job" case_running_job
tests_done
