#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# restart - grants survive the end of the controller, however it ends
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

some_jobs() {
	alloc -w "$NODE_ZEN" --bunit=X --bamount=2 >/dev/null
	alloc -w "$NODE_ZEN" -n3 >/dev/null
	alloc -w "$NODE_ZEN" --bunit=C --bamount=1 -n2 --bstrategy=scatter >/dev/null
	alloc -w "$NODE_RAPTOR" --bunit=E --bamount=3 >/dev/null
	alloc -w "$NODE_RAPTOR" --bunit=C --bamount=2 --btype=host >/dev/null
	alloc -w "$NODE_ZEN" --bunit=Y --bamount=4 >/dev/null
	running=$(batch -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	wait_until 20 runs "$running"
	pending=$(batch -w "$NODE_RAPTOR" --bunit=N --bamount=1)
	wait_until 20 was_passed_over "$pending"
	save_state "$running"
}

# HOW the controller ends: stop or kill
case_controller_restarts() {
	local before running pending in_use

	some_jobs
	before=$(held)
	in_use=$(inuse "$NODE_ZEN")
	[ -n "$before" ] || fail "nothing is held"
	daemon slurmctld "$1"
	daemon slurmctld start
	is_as_before "$before" "$in_use"
	continues
	all_units_come_back
}

# is_as_before HELD IN_USE - what jobs held, and what was in use on zen
is_as_before() {
	assert_eq "what is held afterwards" "$1" "$(held)"
	assert_no_contradictions
	assert_eq "in use on zen" "$2" "$(inuse "$NODE_ZEN")"
	assert is_pending "$pending"
	assert runs "$running"
}

# COMMAND... ends the controller, another takes over and later goes back.
case_other_controller() {
	local before running pending in_use

	some_jobs
	before=$(held)
	in_use=$(inuse "$NODE_ZEN")
	"$@"
	is_as_before "$before" "$in_use"
	continues
	before=$(held)
	in_use=$(inuse "$NODE_ZEN")
	take_back
	is_as_before "$before" "$in_use"
	all_units_come_back
}

kill_controller() {
	daemon slurmctld kill
	wait_until 60 controller_answers
}

# New jobs are placed beside the old ones.
continues() {
	local job

	for _ in 1 2 3 4; do
		job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
		[ -n "$(granted "$job")" ] || fail "no grant after the restart"
		assert_no_contradictions
	done
	alloc -w "$NODE_ZEN" -n5 >/dev/null
	assert_no_contradictions
}

# When the others end, the pending job starts, and in the end nothing is held.
all_units_come_back() {
	squeue -h -t R -w "$NODE_RAPTOR" -o %A | xargs scancel
	wait_until 30 runs "$pending"
	assert_granted "$pending" "$NODE_RAPTOR" 0-11
	drain
	wait_until 10 nothing_in_use "$NODE_ZEN"
	wait_until 10 nothing_in_use "$NODE_RAPTOR"
	wait_until 10 nothing_in_use "$NODE_THIS"
}

case_reconfigure() {
	local before running pending

	some_jobs
	before=$(held)
	reconfigure
	assert_eq "what is held" "$before" "$(held)"
	assert is_pending "$pending"
	continues
	all_units_come_back
}

case_ended_meanwhile() {
	local job

	# A job that ends while there is no controller.
	job=$(sbatch --parsable -w "$NODE_THIS" -n1 --bunit=C --bamount=1 \
		-o /dev/null --wrap "echo \$\$ >$work/pid
		until [ -e $work/go ]; do sleep 0.05; done")
	wait_until 20 test -s "$work/pid"
	save_state "$job"
	daemon slurmctld kill
	touch "$work/go"
	wait_until 20 process_is_gone "$(cat "$work/pid")"
	daemon slurmctld start
	wait_until 60 is_over "$job"
	wait_until 10 nothing_in_use "$NODE_THIS"
	srun -Q -w "$NODE_THIS" -n2 --bunit=C --bamount=1 true
}

case_cancelled_after_restart() {
	local job

	job=$(alloc -w "$NODE_RAPTOR" --bunit=C --bamount=6)
	save_state "$job"
	daemon slurmctld kill
	daemon slurmctld start
	assert_granted "$job" "$NODE_RAPTOR" 0-11
	cancel "$job"
	wait_until 5 nothing_in_use "$NODE_RAPTOR"
	job=$(alloc -w "$NODE_RAPTOR" --bunit=C --bamount=6)
	assert_granted "$job" "$NODE_RAPTOR" 0-11
}

cluster_start --nodes this,zen,raptor
test_case "the controller ends cleanly" case_controller_restarts stop
test_case "the controller is killed" case_controller_restarts kill
test_case "scontrol reconfigure changes no grant" case_reconfigure
test_case "a job that ends while the controller is away" case_ended_meanwhile
test_case "a recovered job gives its units back" case_cancelled_after_restart
cluster_stop
cluster_start --nodes this,zen,raptor --backup
test_case "another controller takes over" case_other_controller takeover
test_case "and when the first is killed" case_other_controller kill_controller
tests_done
