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

# spoil FROM TO... - what SystemComments say, while no controller runs: other text of
# the same length in the state that it saved
spoil() {
	local file command=''

	while [ $# -gt 0 ]; do
		[ $((${#1} + 8)) = ${#2} ] || fail "$2 has another length"
		command+="s/binding=$1/$2/g;"
		shift 2
	done
	for file in "$cluster"/state/job_state{,.old}; do
		[ -e "$file" ] || continue
		LC_ALL=C sed "$command" "$file" >"$work/spoilt"
		cmp -s "$file" "$work/spoilt" || echo "$file" >>"$work/was-spoilt"
		cat "$work/spoilt" >"$file"
	done
}

# Rubbish, another request, and no grant.
spoil_all() {
	rm -f "$work/was-spoilt"
	spoil bunit=X rubbish=bunit=X bunit=C,bamount=1 binding=bunit=S,bamount=9 \
		"bunit=E,bamount=3 grant=" "binding=bunit=E,bamount=3 grunt="
	grep -q 'job_state$' "$work/was-spoilt" || fail "nothing was spoilt"
}

# HOW the controller ends: stop or kill
case_controller_restarts() {
	local before running pending in_use

	some_jobs
	before=$(held)
	in_use=$(inuse "$NODE_ZEN")
	[ -n "$before" ] || fail "nothing is held"
	daemon slurmctld "$1"
	spoil_all
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
	spoil_all
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

# attack JOB FROM TO - whatever comments say, the books do not change: nobody else
# gets the job's cores, also when they are counted anew, and they are shown again.
# A plain job of 90 CPUs would need some of the 12.
attack() {
	local job=$1 line="binding=bunit=S,bamount=1 grant=$NODE_ZEN:sccc" was all some

	was=$(granted "$job")
	scontrol update job="$job" AdminComment="$line" Comment="$line"
	save_state "$job"
	daemon slurmctld kill
	spoil "$2" "$3"
	daemon slurmctld start
	assert_granted "$job" "$NODE_ZEN" "$was"
	scontrol suspend "$job"
	scontrol resume "$job"
	some=$(batch -p shared -N1 -w "$NODE_ZEN" -n40)
	wait_until 20 runs "$some"
	all=$(batch -p shared -N1 -w "$NODE_ZEN" -n90)
	wait_until 20 was_passed_over "$all"
	[ -z "$(shared_units)" ] || fail "$(shared_units)"
	cancel "$all" "$some"
}

case_overwritten() {
	local job line=bunit=X,bamount=2

	alloc -p shared -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	job=$(batch -p shared -w "$NODE_ZEN" --bunit=X --bamount=2)
	wait_until 20 runs "$job"
	attack "$job" "$line" "rubbish=$line"
	attack "$job" "$line" binding=bunit=X,bamount=1
	attack "$job" "$line grant=" "binding=$line grunt="
	requeue_held "$job"
	release_now "$job"
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 6-17
}

# A step from a shell outside asks for the job's binding: each task has its core.
step_outside() {
	srun -Q --jobid="$1" -n2 sed -n 's/^Cpus_allowed_list:\s*//p' \
		/proc/self/status | sort
}

# A shell with two parts: caches hold the twelve CPUs of the first one's task, as its socket
# does, so the cores alone do not tell which alternative it has.
case_parts_of_a_shell() {
	local job shell

	salloc -Q -w "$NODE_ZEN" -n1 -c12 "--bunit=X:1|S:1" : -w "$NODE_RAPTOR" -n1 \
		--bunit=C --bamount=1 sh -c "echo \$SLURM_JOB_ID >'$work/shell'
		until [ -e '$work/step' ]; do sleep 0.1; done
		srun -Q --het-group=0,1 sh -c 'echo \$SLURM_PROCID \$TOPOBIND_CPUS'" \
		>"$work/step.out" &
	shell=$!
	wait_until 30 test -s "$work/shell"
	job=$(cat "$work/shell")
	save_state "$job"
	daemon slurmctld kill
	spoil bunit=S,bamount=1 binding=bunit=X,bamount=1
	daemon slurmctld start
	wait_until 60 nodes_answer
	touch "$work/step"
	wait "$shell"
	assert_eq "its step" "0 0-47 1 0-1" "$(sort "$work/step.out" | xargs)"
}

case_new_steps() {
	local job before

	job=$(batch -w "$NODE_THIS" -n2 --bunit=C --bamount=1)
	wait_until 20 runs "$job"
	before=$(step_outside "$job")
	assert_eq "different sets of CPUs" 2 "$(sort -u <<<"$before" | wc -l)"
	save_state "$job"
	daemon slurmctld stop
	spoil bunit=C,bamount=1 rubbish=bunit=C,bamount=1
	daemon slurmctld start
	wait_until 60 nodes_answer
	assert_eq "CPUs of a step" "$before" "$(step_outside "$job")"
}

# What counts is how a job was started, not what topobind.conf says now.
case_as_started() {
	local plain implicit was

	reconfigure_with Enabled=no
	plain=$(batch -w "$NODE_ZEN" --bunit=X --bamount=1)
	wait_until 20 runs "$plain"
	reconfigure_with Implicit=yes DefaultUnit=X
	assert_eq "grant of a plain job" "" "$(granted "$plain")"
	implicit=$(alloc -w "$NODE_RAPTOR" -n1)
	was=$(granted "$implicit")
	[ -n "$was" ] || fail "there is no implicit binding"
	conf_with
	save_state "$implicit"
	daemon slurmctld kill
	spoil implicit, rubbish=implicit,
	daemon slurmctld start
	assert_granted "$implicit" "$NODE_RAPTOR" "$was"
	assert_eq "grant of a plain job" "" "$(granted "$plain")"
}

cluster_start --nodes this,zen,raptor --slurm \
	"PartitionName=shared Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=10"
test_case "nobody gains by what comments say" case_overwritten
test_case "new steps are bound by the job's own request" case_new_steps
test_case "and those of the parts of a heterogeneous job" case_parts_of_a_shell
test_case "a job stays bound as it was started" case_as_started
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
