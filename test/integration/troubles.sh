#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# troubles - clocks that jump, a network that loses packets, a slow slurmdbd
#
# Jobs start, are bound and end; books and nodes say so.  A disk that is full is in disks.sh.
# test/long has the same troubles for hours.
# shellcheck source=test/integration/network.bash
. "$(dirname "$0")/network.bash"
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/troubles.bash
. "$test_dir/troubles.bash"

# --- the clock ----------------------------------------------------------------------

starts_and_ends() {
	local job

	job=$(alloc -t 10 "$@")
	assert_no_contradictions
	assert_eq "what $NODE_ZEN shows" "$(cpus_of_jobs "$NODE_ZEN")" \
		"$(wait_until 30 shows_its_jobs "$NODE_ZEN" && inuse "$NODE_ZEN")"
	cancel "$job"
}

cpus_of_jobs() {
	facts | awk -v node="$1" '$1 == "cpu" && $3 == node { print $4 }' | as_list
}

shows_its_jobs() {
	[ "$(inuse "$1")" = "$(cpus_of_jobs "$1")" ]
}

# A job that waits starts when there is room.  Slurm's own scheduler has no turn before the
# time of its last one has come again.
follows() {
	local first next

	first=$(alloc -w "$NODE_ZEN" -t 30 --bunit=S --bamount=2)
	next=$(batch -w "$NODE_ZEN" -t 10 --bunit=X --bamount=1)
	wait_until 30 was_passed_over "$next"
	cancel "$first"
	wait_until 30 runs "$next"
	cancel "$next"
}

# Of one that begins held Slurm asks nobody: topobind looks for it.
begins_held() {
	local job

	job=$(batch -H --bunit=X --bamount=1)
	wait_until 30 shows_request "$job"
	cancel "$job"
}

shows_request() {
	[ "$(binding "$1")" = bunit=X,bamount=1 ]
}

# case_jump FROM TO - seconds ahead.  Afterwards it is where Slurm's scheduler has been.
case_jump() {
	local job held was

	put_clock "$1"
	job=$(alloc -w "$NODE_TWIN" -t UNLIMITED --bunit=X --bamount=3)
	held=$(victim -t UNLIMITED)
	wait_until 30 test -s "$work/pid"
	was=$(granted "$job")
	put_clock "$2"
	assert within 5 squeue -h >/dev/null
	assert_granted "$job" "$NODE_TWIN" "$was"
	held_alone "$(cat "$work/pid")"
	starts_and_ends -w "$NODE_ZEN" -n 4
	starts_and_ends -w "$NODE_ZEN" -n 4 --bunit=X --bamount=1
	begins_held
	[ "$2" -lt "$1" ] || follows
	reconfigure_at_once
	wait_until 60 nodes_answer
	assert_granted "$job" "$NODE_TWIN" "$was"
	held_alone "$(cat "$work/pid")"
	cancel "$job" "$held"
	wait_until 30 nothing_in_use "$NODE_TWIN"
	put_clock 3600
	assert_works
}

# --- the network --------------------------------------------------------------------

# Jobs of one and of two nodes, and steps.
case_lost_packets() {
	local i jobs=() job

	lose 5
	trap 'lose 0' EXIT
	for i in 1 2; do
		jobs+=("$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 \
			--bunit=C --bamount=1 --wrap 'srun -Q true')")
		jobs+=("$(sbatch --parsable -o /dev/null -p virtual -N2 -n4 \
			--bunit=X --bamount=1 --wrap "srun -Q true; sleep $i")")
		jobs+=("$(sbatch --parsable -o /dev/null -p virtual -n4 \
			--wrap "sleep $i")")
		assert_no_contradictions
	done
	for job in "${jobs[@]}"; do
		wait_until 120 is_over "$job"
	done
	assert test "$(lost_segments)" -gt 5
	lose 0
	for job in "${jobs[@]}"; do
		assert_eq "state of job $job" COMPLETED "$(job_field "$job" JobState)"
	done
	wait_until 60 nodes_answer
	wait_until 30 nothing_in_use "$NODE_ZEN"
	wait_until 30 nothing_in_use "$NODE_TWIN"
	assert_eq "CPUs in use" 0 "$(node_shows "$NODE_ZEN" %C | cut -d/ -f1)"
	assert_works
	assert_nothing_is_left
}

# --- slurmdbd -----------------------------------------------------------------------

# sacct has this machine's clock.
recorded() {
	sacct -X -n -P -S now-1days -E now+1days -j "$1" -o SystemComment,State
}

is_recorded_as() {
	[ "$(recorded "$1")" = "$2" ]
}

# It gets a tenth of the time, then nothing: nobody waits for it.
case_slow_slurmdbd() {
	local slow jobs=() job comment i pid

	pid=$(daemon slurmdbd pid)
	slurmdbd_gets 10 4 &
	slow=$!
	for i in 1 2 3 4 5 6; do
		if [ "$i" -eq 4 ]; then
			wait "$slow"
			kill -STOP "$pid"
		fi
		job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount="$i")
		jobs+=("$job")
		assert within 5 squeue -h >/dev/null
		comment[job]=$(scontrol show job "$job" |
			sed -n 's/^ *SystemComment=\(.*[^ ]\) *$/\1/p')
		assert_contains "comment of $job" grant= "${comment[job]}"
		cancel "$job"
	done
	kill -CONT "$pid"
	for job in "${jobs[@]}"; do
		wait_until 120 is_recorded_as "$job" "${comment[job]}|CANCELLED by 0"
	done
}

start_troubled --nodes this,zen,twin --accounting
test_case "the clock jumps an hour ahead" case_jump 0 3600
test_case "the clock jumps two hours back" case_jump 3600 -3600
test_case "a network loses packets" case_lost_packets
test_case "slurmdbd is slow, or stands still" case_slow_slurmdbd
tests_done
