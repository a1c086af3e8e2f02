#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# faults - what is left of bound jobs when daemons, disks or cgroups fail
#
# Prolog, Epilog and TaskProlog wait at gates, so that a daemon is killed in
# exactly that phase of a job.  On one node, which is this machine.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/many_jobs.bash
. "$test_dir/many_jobs.bash"

# --- gates ------------------------------------------------------------------

# Each phase's script waits while hold.PHASE is there, and says so by at.PHASE.
make_gates() {
	local phase

	for phase in Prolog TaskProlog Epilog; do
		cat >"$work/$phase" <<-END
		#!/bin/bash
		[ -e "$work/hold.$phase" ] || exit 0
		echo \$\$ >"$work/at.$phase"
		while [ -e "$work/hold.$phase" ]; do sleep 0.05; done
		END
		chmod 755 "$work/$phase"
		echo "$phase=$work/$phase" >>"$cluster/etc/slurm.conf"
	done
	# slurmd remembers for so long what jobs it had.
	sed -i '/^AuthInfo=/s/$/,cred_expire=30/' "$cluster/etc/slurm.conf"
	daemon "slurmd-$NODE_THIS" stop
	daemon slurmctld stop
	daemon slurmctld start
	daemon "slurmd-$NODE_THIS" start
}

# Until the end of the case.
hold() {
	trap open_gates EXIT
	touch "$work/hold.$1"
}

at() {
	[ -s "$work/at.$1" ]
}

open_gates() {
	rm -f "$work"/hold.* "$work"/at.*
}

slurmd() {
	daemon "slurmd-$NODE_THIS" "$1"
}

# --- slurmd is killed ---------------------------------------------------------

older_than() {
	[ $((EPOCHSECONDS - $(date -d "$(job_field "$1" StartTime)" +%s))) -gt \
		"$2" ]
}

was_requeued() {
	[ "$(job_field "$1" Restarts)" = 1 ]
}

# Slurm sees after a while that a script has not been started, and not before
# slurmd tells it again what it has.
case_slurmd_in_prolog() {
	local job

	hold Prolog
	job=$(victim)
	wait_until 20 at Prolog
	slurmd kill
	open_gates
	slurmd start
	assert runs "$job"
	assert something_in_use "$NODE_THIS"
	wait_until 30 older_than "$job" 12
	slurmd stop
	slurmd start
	wait_until 30 was_requeued "$job"
	assert_nothing_is_left
	cancel "$job"
	assert_works
}

case_slurmd_at_launch() {
	local job

	hold TaskProlog
	job=$(victim)
	wait_until 20 at TaskProlog
	held_alone "$(cat "$work/at.TaskProlog")"
	slurmd kill
	open_gates
	wait_until 20 test -s "$work/pid"
	held_alone "$(cat "$work/pid")"
	slurmd start
	wait_until 20 node_knows "$job"
	assert runs "$job"
	held_alone "$(cat "$work/pid")"
	cancel "$job"
	assert_nothing_is_left
	assert_works
}

# slurmd has said which jobs it has.
node_knows() {
	scontrol listpids "$1" "$NODE_THIS" 2>/dev/null | grep -q "$1"
}

case_slurmd_in_run() {
	local job

	job=$(victim)
	wait_until 20 test -s "$work/pid"
	slurmd kill
	held_alone "$(cat "$work/pid")"
	slurmd start
	assert runs "$job"
	held_alone "$(cat "$work/pid")"
	cancel "$job"
	assert_nothing_is_left
	assert_works
}

# slurmctld says again after two minutes that the job has ended.
case_slurmd_in_epilog() {
	local job

	hold Epilog
	job=$(victim)
	wait_until 20 test -s "$work/pid"
	scancel "$job"
	wait_until 20 at Epilog
	# Before the epilog all tasks have ended.
	assert_eq "cgroups" "" "$(job_cgroups "$NODE_THIS")"
	slurmd kill
	open_gates
	assert job_has_state "$job" COMPLETING
	slurmd start
	wait_until 200 is_over "$job"
	assert_nothing_is_left
	assert_works
}

# --- slurmstepd is killed -----------------------------------------------------

# What is left of the step is ended at once; until slurmctld hears of it nobody
# else gets its unit.
case_stepd_at_launch() {
	local job

	hold TaskProlog
	job=$(victim)
	wait_until 20 at TaskProlog
	kill_stepd "$job" batch
	assert_nothing_is_left
	open_gates
	assert runs "$job"
	refute test -s "$work/pid"
	cancel "$job"
	assert_works
}

# A process that has left its session and its parent, too.
case_stepd_in_run() {
	local job other

	other=$(victim)
	wait_until 20 test -s "$work/pid"
	mv "$work/pid" "$work/other"
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 --wrap "(setsid sh -c 'sleep 600 </dev/null &' &)
		echo \$\$ >$work/pid
		exec sleep 600")
	wait_until 20 test -s "$work/pid"
	held_alone "$(cat "$work/pid")"
	kill_stepd "$job" batch
	wait_until 20 step_is_gone "$job"
	assert runs "$job"
	assert_eq "units in use" 2 \
		"$(expand_list "$(inuse "$NODE_THIS")" | wc -l)"
	# The other has noticed nothing.
	held_alone "$(cat "$work/other")"
	cancel "$job"
	held_alone "$(cat "$work/other")"
	cancel "$other"
	assert_nothing_is_left
	assert_works
}

step_is_gone() {
	local pid

	for pid in $(job_processes); do
		! grep -qzx "SLURM_JOB_ID=$1" "/proc/$pid/environ" || return 1
	done
	! leftovers | grep "/job_$1\$\|/$1\." >/dev/null
}

# Registered again slurmd does not have it: the job starts once more.
case_stepd_requeued() {
	local job

	job=$(victim)
	wait_until 20 test -s "$work/pid"
	kill_stepd "$job" batch
	assert_nothing_is_left
	wait_until 30 older_than "$job" 12
	slurmd stop
	slurmd start
	wait_until 30 was_requeued "$job"
	assert_nothing_is_left
	rm "$work/pid"
	release_now "$job"
	wait_until 60 test -s "$work/pid"
	held_alone "$(cat "$work/pid")"
	cancel "$job"
	assert_works
}

case_stepd_of_srun() {
	local job srun

	job=$(alloc -w "$NODE_THIS" -n2 --bunit=C --bamount=1)
	rm -f "$work/pid"
	srun -Q --jobid="$job" -n2 bash -c "echo \$\$ >$work/pid; sleep 600" &
	srun=$!
	wait_until 20 test -s "$work/pid"
	kill_stepd "$job" 0
	assert_nothing_is_left
	# srun waits until somebody ends it, and the job has its units, as
	# without topobind.
	kill "$srun"
	wait "$srun" || true
	assert runs "$job"
	assert_granted "$job" "$NODE_THIS" "$(granted "$job")"
	cancel "$job"
	assert_works
}

# Nobody is there to end what is left: it stays where it is until slurmd comes.
case_both_in_run() {
	local job pid

	job=$(victim)
	wait_until 20 test -s "$work/pid"
	pid=$(cat "$work/pid")
	slurmd kill
	wait_until 10 no_helpers
	kill_stepd "$job" batch
	held_alone "$pid"
	assert something_in_use "$NODE_THIS"
	slurmd start
	assert_nothing_is_left
	cancel "$job"
	assert_works
}

# As Slurm lets them, its processes run on.  As long as they do others keep off its
# CPUs, and no longer.
case_stepd_of_plain() {
	local job pid

	job=$(plain_victim)
	wait_until 20 test -s "$work/pid"
	pid=$(cat "$work/pid")
	kill_stepd "$job" batch
	sleep 2
	assert_contains "claims" "/$job." "$(claims)"
	assert kill -KILL "$pid"
	wait_until 20 no_claims
	cancel "$job"
	# Slurm's own, which it leaves.
	node_cgroups "$NODE_THIS" | grep "/job_$job\(/\|\$\)" | xargs rmdir
	assert_nothing_is_left
	assert_works
}

plain_victim() {
	rm -f "$work/pid"
	sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 \
		--wrap "echo \$\$ >$work/pid; exec sleep 600"
}

# --- cgroups, disks, machines ---------------------------------------------------

# A step fails, a script is put back into the queue, the node is drained with the
# reason; what has been running stays where it is.  REASON
assert_fails_for() {
	local job

	# srun says that the launch failed, and may end with 0.
	within 60 srun -Q -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 touch "$work/ran" || true
	refute test -e "$work/ran"
	wait_until 20 is_drained_for "$1"
	# As for a node that somebody has resumed without looking.
	scontrol update node="$NODE_THIS" state=undrain
	job=$(victim)
	wait_until 30 was_requeued "$job"
	wait_until 20 is_drained_for "$1"
	refute test -e "$work/pid"
	scancel "$job"
}

# slurmd_as COMMAND... - started by a command, until it is started again; %s in
# it is the program
slurmd_as() {
	mkdir -p "$work/bin"
	{
		echo '#!/bin/bash'
		echo "exec ${*//%s/$(type -P slurmd)} \"\$@\""
	} >"$work/bin/slurmd"
	chmod 755 "$work/bin/slurmd"
	env PATH="$work/bin:$PATH" "$cluster_program" daemon "$cluster" \
		"slurmd-$NODE_THIS" start
}

remount() {
	nsenter --mount --root --target "$(slurmd pid)" \
		mount -o "remount,bind,$1" "$(cgroup_mount)"
}

# What runs, runs on; what it leaves goes away when it can.
case_read_only_cgroups() {
	local job

	slurmd stop
	slurmd_as unshare --mount --propagation unchanged %s
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 --wrap "echo \$\$ >$work/running
		until [ -e $work/go ]; do sleep 0.1; done")
	wait_until 20 test -s "$work/running"
	remount ro
	assert_fails_for "Slurm could not make cpuset cgroups"
	held_alone "$(cat "$work/running")"
	touch "$work/go"
	wait_until 30 is_over "$job"
	assert_eq "exit code" 0:0 "$(job_field "$job" ExitCode)"
	remount rw
	slurmd stop
	slurmd start
	resume_node
	assert_nothing_is_left
	assert_works
}

says_lost() {
	[ -n "$(lost "$NODE_THIS")" ]
}

# The kernel takes no CPUs from a cgroup whose children have them.
case_cpuset_shrunk() {
	local top job all waits

	job=$(victim)
	wait_until 20 test -s "$work/pid"
	mv "$work/pid" "$work/running"
	top=$(top_cgroup)
	all=$(cat "$top/cpuset.cpus")
	refute sh -c "echo '$(other_cpus "$work/running")' >'$top/cpuset.cpus'"
	held_alone "$(cat "$work/running")"
	allowed_cpus "$(cat "$work/running")" >"$work/own"
	find "$(dirname "$(find "$top" -name "job_$job")")" -maxdepth 0 \
		-exec sh -c 'cat "$2" >"$1/cpuset.cpus"' - {} "$work/own" \;
	cat "$work/own" >"$top/cpuset.cpus"
	wait_until 30 says_lost
	waits=$(victim)
	wait_until 30 was_passed_over "$waits"
	assert is_undrained
	held_alone "$(cat "$work/running")"
	echo "$all" >"$top/cpuset.cpus"
	wait_until 60 runs "$waits"
	cancel "$job" "$waits"
	assert_nothing_is_left
	assert_works
}

# All but those that the process of a file has.
other_cpus() {
	comm -23 <(expand_list "$(cat /sys/devices/system/cpu/online)" | sort) \
		<(expand_list "$(allowed_cpus "$(cat "$1")")" | sort) | as_list
}

# slurmd has what it needs; of files that are missing only the watch on the step is ours.
case_spool_full() {
	local spool=$cluster/spool/$NODE_THIS

	slurmd stop
	mount -t tmpfs -o size=256k topobind-test "$spool"
	trap 'umount -l "$spool"' EXIT
	slurmd start
	resume_node
	cat /dev/zero >"$spool/fill" 2>/dev/null || true
	# Soft-bound tasks would not know which CPUs it has: it does not run.
	refute timeout $((60 * slowness)) srun -Q -w "$NODE_THIS" -n1 \
		--bunit=C --bamount=1 touch "$work/ran"
	refute test -e "$work/ran"
	wait_until 20 is_drained_for "SlurmdSpoolDir is full"
	wait_until 20 nothing_in_use "$NODE_THIS"
	slurmd stop
	# Nor could slurmd write what steps need.
	rm "$spool/topobind_machine"
	cat /dev/zero >"$spool/fill2" 2>/dev/null || true
	slurmd start
	# Slurm has a reason of its own to drain it.
	rm "$spool"/fill*
	resume_node
	assert_fails_for "topobind_machine"
	slurmd stop
	umount "$spool"
	trap - EXIT
	slurmd start
	resume_node
	assert_nothing_is_left
	assert_works
}

# As after an accident: neither processes nor cgroups are there, files are.
case_reboot() {
	local job pid before

	job=$(victim)
	wait_until 20 test -s "$work/pid"
	before=$(job_field "$job" Restarts)
	slurmd kill
	wait_until 10 no_helpers
	kill_stepd "$job" batch
	while read -r pid; do
		kill -KILL "$pid" 2>/dev/null || true
	done < <(job_processes)
	wait_until 10 no_processes
	node_cgroups "$NODE_THIS" | xargs rmdir
	[ -n "$(leftovers)" ] || fail "no file is left to find"
	wait_until 30 older_than "$job" 12
	# It says that the node has just been booted.
	slurmd_as %s -b
	wait_until 60 was_requeued "$job"
	assert_eq "restarts before" 0 "$before"
	assert_nothing_is_left
	cancel "$job"
	resume_node
	assert_works
}

no_processes() {
	[ -z "$(job_processes)" ]
}

# Without config_overrides, by which other tests have nodes as they like.
case_fewer_cpus() {
	local conf=$cluster/etc/slurm.conf

	sed -i.saved -E -e '/^SlurmdParameters=/d' \
		-e 's/^(NodeName=this.*) CPUs=[0-9]*(.*SocketsPerBoard=)([0-9]*)/\1\29\3/' \
		"$conf"
	slurmd stop
	daemon slurmctld stop
	daemon slurmctld start
	slurmd start
	wait_until 30 node_is_refused
	refute timeout 10 srun -Q -w "$NODE_THIS" -n1 --bunit=C --bamount=1 true
	mv "$conf.saved" "$conf"
	slurmd stop
	daemon slurmctld stop
	daemon slurmctld start
	slurmd start
	resume_node
	assert_works
}

node_is_refused() {
	[[ $(node_state) = inval* && $(node_reason) = *Low*count* ]]
}

# --- many ---------------------------------------------------------------------

# A leak of half a kilobyte for each job would show in each round.  What has grown
# after one of them, as arenas and stacks of threads do, is no leak, nor are the
# jobs that slurmd remembers for a while.
case_thousand() {
	local before round size fds threads last='' growth least=1000000

	some_jobs 20
	assert_nothing_is_left
	before=$(files_and_cgroups)
	for round in 1 2 3 4; do
		some_jobs 250
		read -r size fds threads <<<"$(process_size "$(slurmd pid)")"
		echo "slurmd after round $round: $size kB, $fds descriptors, $threads threads"
		growth=$((size - ${last:-0}))
		[ "$growth" -ge "$least" ] || least=$growth
		last=$size
	done
	assert_nothing_is_left
	assert_nothing_new_since "$before"
	[ "$(empty_freezers)" -le 5 ] || fail "$(empty_freezers) freezers are left"
	[ "$least" -lt 125 ] || fail "slurmd grows by $least kB or more in each round"
	[ "$fds" -lt 64 ] || fail "slurmd has $fds files open"
	[ "$threads" -lt 64 ] || fail "slurmd has $threads threads"
	assert_works
}

# How soon slurmctld asks again, and misses jobs.
options=(--slurm BatchStartTimeout=1)
[ "$slowness" -gt 1 ] || options+=(--slurm MessageTimeout=10)
cluster_start --nodes this "${options[@]}"
make_gates

test_case "slurmd is killed in the prolog" case_slurmd_in_prolog
test_case "slurmd is killed at the launch" case_slurmd_at_launch
test_case "slurmd is killed in the run" case_slurmd_in_run
test_case "slurmd is killed in the epilog" case_slurmd_in_epilog
test_case "slurmstepd is killed at the launch" case_stepd_at_launch
test_case "slurmstepd is killed in the run" case_stepd_in_run
test_case "slurmstepd is killed, the job starts again" case_stepd_requeued
test_case "slurmstepd of srun is killed" case_stepd_of_srun
test_case "slurmd and slurmstepd are killed" case_both_in_run
test_case "slurmstepd of a plain job is killed" case_stepd_of_plain
test_case "the cgroup filesystem is read-only" case_read_only_cgroups
test_case "CPUs are taken out of Slurm's cpuset" case_cpuset_shrunk
test_case "the spool directory is full" case_spool_full
test_case "the node has been booted" case_reboot
test_case "the machine has fewer CPUs than configured" case_fewer_cpus
test_case "nothing is left of a thousand jobs" case_thousand
tests_done
