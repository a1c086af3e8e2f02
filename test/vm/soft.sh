#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# soft - in the guest: soft binding on a machine with a real topology, as node.sh
# describes it
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"
# shellcheck source=test/integration/soft-lib
. "$(dirname "$0")/../integration/soft-lib"

# case_scope LETTER CPUS - of a task on the first core
case_scope() {
	local job

	job=$(soft_batch 3 "${one_core[@]}" --ballow="$1")
	wait_until 60 may_use soft-burn "$2"
	assert_granted "$job" "$NODE_THIS" 0-1
	rm "$work/load"
	wait_until 60 may_use soft-burn 0-1
}

# Two hard jobs come and go, on the other cache of the socket and the other socket.
case_without_those_of_others() {
	local soft first second

	soft=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 may_use soft-burn 0-15
	first=$(batch -w "$NODE_THIS" -n1 --bcpus=4-7)
	wait_until 60 may_use soft-burn 0-3,8-15
	second=$(batch -w "$NODE_THIS" -n1 --bcpus=8-13)
	wait_until 60 may_use soft-burn 0-3,14-15
	cancel "$first"
	wait_until 60 may_use soft-burn 0-7,14-15
	cancel "$second"
	wait_until 60 may_use soft-burn 0-15
	assert counts_up "$soft" allowed
}

# two_lists NAME LISTS - those of the processes of that name
two_lists() {
	[ "$(cpus_of "$1" | paste -sd' ')" = "$2" ]
}

# Each task has CPUs of its own; only the one with load spreads.
case_tasks() {
	burn_program soft-burn
	: >"$work/load"
	sbatch -Q -o /dev/null -w "$NODE_THIS" -n2 --bunit=X --bamount=1 \
		--bmode=soft --ballow=S --wrap "
		export work=$work
		srun -Q bash -c '
			if [ \$SLURM_PROCID = 0 ]; then
				for i in 1 2 3 4 5; do
					$work/soft-burn while $work/load 9 &
				done
				wait
			else
				$work/soft-burn rest
			fi'"
	wait_until 120 two_lists soft-burn '0-7 4-7'
	rm "$work/load"
	wait_until 120 two_lists soft-burn '0-3 4-7'
}

# Slurm limits the job's cgroup again when a step of it starts.
case_another_step() {
	local job

	burn_program soft-burn
	: >"$work/load"
	rm -f "$work"/{again,looked}
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n2 --bunit=C \
		--bamount=1 --bmode=soft --wrap "
		srun -Q -n1 -c2 --exact sh -c 'for i in 1 2 3; do
			$work/soft-burn while $work/load &
			done; wait' &
		while [ ! -e $work/again ]; do sleep 0.2; done
		srun -Q -n1 -c2 --exact $work/hard-burn rest $work/looked
		wait")
	burn_program hard-burn
	wait_until 120 may_use soft-burn 0-15
	: >"$work/again"
	wait_until 60 may_use hard-burn 2-3
	: >"$work/looked"
	wait_until 60 may_use soft-burn 0-15
	wait_until 60 may_use hard-burn ''
	rm "$work/load"
	wait_until 60 is_over "$job"
}

# Cores that Slurm leaves to the system: CpuSpecList=0-1, or the last of a socket.
# KEY=VALUE CPUS-OF-THE-TASK ALL-BUT-THE-SYSTEM'S
case_system() {
	local job

	daemon "slurmd-$NODE_THIS" stop
	daemon slurmctld stop
	sed -i -E "s/^(NodeName=this[^ ]*)( C[a-zA-Z]*Spec[a-zA-Z]*=[^ ]*)?/\\1 $1/" \
		"$cluster/etc/slurm.conf"
	daemon slurmctld start
	daemon "slurmd-$NODE_THIS" start
	wait_until 30 srun -Q -n1 true
	assert [ -e "$cluster/spool/$NODE_THIS/topobind_soft/system.hold" ]
	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 may_use soft-burn "$3"
	assert_granted "$job" "$NODE_THIS" "$2"
	rm "$work/load"
	wait_until 60 may_use soft-burn "$2"
	cancel "$job"
}

# To start a program is a load here, too.
cluster_start --nodes this --topobind SoftUtilLowPct=50 \
	--topobind SoftIntervalMs=100
soft_start
test_case "--ballow=node" case_scope node 0-15
test_case "--ballow=S" case_scope S 0-7
test_case "--ballow=N" case_scope N 0-3
test_case "--ballow=X" case_scope X 0-3
test_case "without the CPUs of others" case_without_those_of_others
test_case "each task for itself" case_tasks
test_case "another step of the job starts" case_another_step
test_case "a hard job comes" case_never_on "${one_core[@]}"
test_case "a plain job comes" case_never_on -n1
test_case "suspended: the state stays" case_suspend
test_case "slurmstepd of a hard job is killed" case_stepd_of_hard_killed
test_case "slurmstepd of a soft job is killed" case_stepd_of_soft_killed
test_case "slurmd and slurmstepd of a soft job are killed" \
	case_slurmd_and_stepd_of_soft_killed
test_case "many short jobs, hard, soft and plain" case_stress
test_case "a core for the system" case_system CpuSpecList=0-1 2-3 2-15
test_case "cores for the system, by their number" case_system CoreSpecCount=1 \
	0-1 0-13
tests_done
