#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reboot - in the guest: the machine is reset while bound jobs run, and comes back
#
# This file runs twice.  The first time it starts jobs and resets the machine, as
# when the power fails, except that what was written is on the disk.  Booted again
# in-guest runs it once more: the daemons find the files of the boot before.  All
# of Slurm is on this one machine, slurmctld's state, too.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"
# shellcheck source=test/integration/soft-lib
. "$(dirname "$0")/../integration/soft-lib"

# What a boot does not clear.
kept=$PWD/reboot
boot_id=$(cat /proc/sys/kernel/random/boot_id)

# --- before ---------------------------------------------------------------------

# Jobs of every kind, with a process that runs, for longer than a guest takes to
# boot.  Prints their numbers.
start_jobs() {
	local hard soft step plain

	hard=$(batch -t 600 -w "$NODE_THIS" -n1 --bunit=X --bamount=1)
	wait_until 60 runs "$hard"
	soft=$(soft_batch 3 -t 600 "${one_core[@]}")
	wait_until 60 may_use soft-burn 4-15
	step=$(alloc -t 600 -w "$NODE_THIS" -n2 --bunit=C --bamount=1)
	srun -Q --jobid="$step" sh -c "echo >$work/step; exec sleep 600" \
		>/dev/null 2>&1 &
	wait_until 60 test -e "$work/step"
	plain=$(batch -t 600 -w "$NODE_THIS" -n1)
	wait_until 60 runs "$plain"
	save_state "$plain"
	echo "$hard $soft $step $plain"
}

before() {
	mkdir -m 755 "$kept"
	export TMPDIR=$kept
	cluster_start --nodes this --topobind SoftUtilLowPct=50 \
		--topobind SoftIntervalMs=100 --slurm BatchStartTimeout=1
	soft_start
	start_jobs >"$kept/jobs"
	node_token "$NODE_THIS" m_topology >"$kept/topology"
	echo "$boot_id" >"$kept/boot"
	echo "$cluster" >"$kept/cluster"
	sync
	echo "# reset, $(cut -d. -f1 /proc/uptime) s after the boot"
	echo b >/proc/sysrq-trigger
	sleep 600
}

# --- after ----------------------------------------------------------------------

# Neither a lock nor a process is left of what these say.
assert_files_are_there() {
	local file

	refute [ "$boot_id" = "$(cat "$kept/boot")" ]
	for file in "topobind_steps/$hard.batch" "topobind_steps/$step.0" \
		"topobind_soft/$hard.*.hold" "topobind_soft/$plain.*.hold" \
		"topobind_soft/$soft.*.soft" topobind_machine; do
		find "$cluster/spool/$NODE_THIS" -path "*/$file" | grep . ||
			fail "no $file"
	done
	assert_eq "cgroups" "" "$(job_cgroups "$NODE_THIS")"
}

restarted() {
	[ "$(job_field "$1" Restarts)" = 1 ]
}

# One that waits for its two minutes waits no longer.
runs_again() {
	runs "$1" || {
		scontrol update job="$1" StartTime=now || true
		runs "$1"
	}
}

node_has_topology() {
	[ "$(node_token "$NODE_THIS" m_topology)" = "$(cat "$kept/topology")" ]
}

# Scripts start again on their units; an allocation without one is its user's to
# end.  What the old files hold would be in the way of the soft-bound one.
case_reset() {
	local job

	assert_files_are_there
	daemon slurmctld start
	# So long, BatchStartTimeout and ten seconds, slurmctld takes what it has
	# read as running; it looks again when a node registers.
	sleep 15
	: >"$work/load"
	daemon "slurmd-$NODE_THIS" start
	for job in "$hard" "$soft" "$plain"; do
		wait_until 60 restarted "$job"
	done
	cancel "$step"
	wait_until 60 node_has_topology
	for job in "$hard" "$soft" "$plain"; do
		wait_until 60 runs_again "$job"
	done
	assert_granted "$hard" "$NODE_THIS" 0-3
	assert_granted "$soft" "$NODE_THIS" 4-5
	assert_no_contradictions
	cancel "$plain"
	wait_until 60 may_use soft-burn 4-15
	cancel "$hard"
	wait_until 60 may_use soft-burn 0-15
	assert_eq "files of steps" "$soft.batch" \
		"$(ls "$cluster/spool/$NODE_THIS/topobind_steps")"
}

case_new_jobs() {
	assert_eq "lists of four tasks" "0-3 4-7 8-11 12-15" \
		"$(srun -Q -n4 --bunit=X --bamount=1 sed -n \
			's/^Cpus_allowed_list:[[:space:]]*//p' \
			/proc/self/status | sort -V | paste -sd' ')"
	assert_nothing_is_left
	wait_until 30 no_soft_files
}

after() {
	cluster=$(cat "$kept/cluster")
	trap cluster_stop EXIT
	eval "$("$cluster_program" env "$cluster")"
	work=$cluster/work
	all_cpus=$(cat /sys/devices/system/cpu/online)
	read -r hard soft step plain <"$kept/jobs"
	daemon munged start
	test_case "the machine is reset under its jobs" case_reset
	test_case "new jobs have all units" case_new_jobs
	tests_done
}

if [ -e "$kept/cluster" ]; then
	after
else
	before
fi
