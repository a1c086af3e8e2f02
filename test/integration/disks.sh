#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# disks - SlurmdSpoolDir and StateSaveLocation are full, or read-only
#
# Jobs run bound or do not run, nothing is wrong in the books, slurmctld answers, and
# all is as before when the disk is.  On one node, which is this machine.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

slurmd() {
	daemon "slurmd-$NODE_THIS" "$1"
}

# --- a small disk -------------------------------------------------------------

# put_on_disk DIRECTORY SIZE - with what is in it; its daemons are not there
put_on_disk() {
	mv "$1" "$1.real"
	mkdir "$1"
	mount -t tmpfs -o "size=$2,mode=755" topobind-test "$1"
	cp -a "$1.real/." "$1"
}

take_off_disk() {
	cp -a "$1/." "$1.real"
	umount -l "$1"
	rmdir "$1"
	mv "$1.real" "$1"
}

fill() {
	cat /dev/zero >"$1/fill" 2>/dev/null || true
	refute sh -c "echo x >'$1/more' && [ -s '$1/more' ]" 2>/dev/null
	rm -f "$1/more"
}

make_room() {
	rm "$1/fill"
}

# By a mount on top: the disk itself cannot become so while somebody has a file open to
# write.
make_read_only() {
	mount --bind "$1" "$1"
	mount -o remount,bind,ro "$1"
}

make_writable() {
	umount -l "$1"
}

# --- what holds whatever the disk does ----------------------------------------

assert_answers() {
	assert timeout $((5 * patience)) squeue -h >/dev/null
	assert_no_contradictions
}

# pid_of NAME - of such a job's task
pid_of() {
	cat "$work/pid.$1"
}

# bound_job NAME OPTION... - one core; prints its id
bound_job() {
	rm -f "$work/pid.$1"
	sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 "${@:2}" \
		--wrap "echo \$\$ >$work/pid.$1; exec sleep 600"
}

# A step that cannot be held does not run; one that runs is held.
try_step() {
	rm -f "$work/tried"
	timeout $((60 * patience)) srun -Q -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 sh -c "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' \
		/proc/self/status >$work/tried" || true
	[ ! -s "$work/tried" ] || assert_eq "CPUs of a step" \
		"$(expand_list "$(cat \
			/sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" |
			wc -l)" "$(expand_list "$(cat "$work/tried")" | wc -l)"
	assert_answers
}

# --- SlurmdSpoolDir -------------------------------------------------------------

spool_on_disk() {
	spool=$cluster/spool/$NODE_THIS
	slurmd stop
	put_on_disk "$spool" 1m
	slurmd start
	trap spool_off_disk EXIT
	resume_node
}

spool_off_disk() {
	slurmd stop
	take_off_disk "$spool"
	slurmd start
}

# With the disk, and without.
as_before() {
	resume_node
	assert_works
	assert_nothing_is_left
	wait_until 20 no_claims
	spool_off_disk
	trap - EXIT
	resume_node
	assert_works
}

# What runs is held, and ends as ever: by its slurmstepd, and without.
case_spool_full_in_run() {
	local job killed

	spool_on_disk
	job=$(bound_job one)
	killed=$(bound_job two)
	wait_until 20 test -s "$work/pid.one"
	wait_until 20 test -s "$work/pid.two"
	fill "$spool"
	held_alone "$(pid_of one)"
	kill_stepd "$killed" batch
	wait_until 20 process_is_gone "$(pid_of two)"
	cancel "$killed"
	try_step
	held_alone "$(pid_of one)"
	cancel "$job"
	wait_until 20 process_is_gone "$(pid_of one)"
	assert_nothing_is_left
	assert_answers
	make_room "$spool"
	as_before
}

# Slurm itself can start nothing there.
case_spool_read_only() {
	spool_on_disk
	make_read_only "$spool"
	try_step
	try_step
	make_writable "$spool"
	as_before
}

# --- StateSaveLocation ----------------------------------------------------------

state_on_disk() {
	state=$cluster/state
	daemon slurmctld stop
	put_on_disk "$state" 8m
	daemon slurmctld start
	trap state_off_disk EXIT
	wait_until 60 nodes_answer
}

state_off_disk() {
	daemon slurmctld stop
	take_off_disk "$state"
	daemon slurmctld start
}

# assert_plays JOB GRANT - others come and go, what is running stays
assert_plays() {
	local job

	job=$(alloc -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	[ -n "$(granted "$job")" ] || fail "job $job is not bound"
	assert_granted "$job" "$NODE_THIS" "$(granted "$job")"
	assert_answers
	assert_eq "grant of the other" "$2" "$(granted "$1")"
	cancel "$job"
}

# state_fails BREAK MEND - to a reconfigure Slurm itself says no by its end
state_fails() {
	local job was

	state_on_disk
	job=$(bound_job four)
	wait_until 20 test -s "$work/pid.four"
	was=$(granted "$job")
	save_state "$job"
	"$1" "$state"
	assert_plays "$job" "$was"
	held_alone "$(pid_of four)"
	"$2" "$state"
	daemon slurmctld kill
	daemon slurmctld start
	wait_until 60 nodes_answer
	assert_granted "$job" "$NODE_THIS" "$was"
	assert_plays "$job" "$was"
	save_state "$job"
	restart_slurmctld
	assert_granted "$job" "$NODE_THIS" "$was"
	state_off_disk
	trap - EXIT
	assert_granted "$job" "$NODE_THIS" "$was"
	held_alone "$(pid_of four)"
	cancel "$job"
	refute node_is_drained
	assert_nothing_is_left
	assert_works
}

node_is_drained() {
	[[ $(node_state) = *drain* || $(node_state) = *down* ]]
}

cluster_start --nodes this

test_case "the spool directory gets full" case_spool_full_in_run
test_case "the spool directory is read-only" case_spool_read_only
test_case "the controller's directory is full" state_fails fill make_room
test_case "the controller's directory is read-only" \
	state_fails make_read_only make_writable
tests_done
