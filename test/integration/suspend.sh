#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# suspend - an administrator suspends and resumes jobs, holds, requeues, drains
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# start_on_zen OPTION... - a job that runs there; prints its id
start_on_zen() {
	alloc -w "$NODE_ZEN" "$@"
}

suspend() {
	scontrol suspend "$1"
	assert job_has_state "$1" SUSPENDED
}

admin_comment() {
	scontrol show job "$1" | sed -n 's/^ *AdminComment=\(.*[^ ]\) *$/\1/p'
}

shown_reason() {
	squeue -h -j "$1" -o %r
}

# resume_waits JOB [ANSWER] - it stays suspended and says why; Slurm can only answer an
# error
resume_waits() {
	local output

	if output=$(scontrol resume "$1" 2>&1); then
		fail "job $1 was resumed"
	fi
	assert_contains "message" "${2:-Operation now in progress}" "$output"
	assert job_has_state "$1" SUSPENDED
	assert_contains "reason" "to be resumed" "$(shown_reason "$1")"
	assert_eq "in its record" resume=waiting \
		"$(admin_comment "$1")"
	assert_no_contradictions
}

# is_resumed JOB - without another word of the administrator
is_resumed() {
	wait_until 20 runs "$1"
	assert_no_contradictions
	refute waits_for_resume "$1"
	assert_eq "its record" "" "$(admin_comment "$1")"
}

waits_for_resume() {
	scontrol show job "$1" | grep -e resume=waiting -e 'Reason=to_be_resumed'
}

resume() {
	scontrol resume "$1"
	assert runs "$1"
	assert_no_contradictions
}

case_suspended_releases() {
	local job

	job=$(start_on_zen --bunit=S --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-47
	suspend "$job"
	assert nothing_in_use "$NODE_ZEN"
	resume "$job"
	assert_eq "in use" 0-47 "$(inuse "$NODE_ZEN")"
	assert_granted "$job" "$NODE_ZEN" 0-47
}

# Another job takes what a suspended one had: OPTIONS of the one and the other.
case_not_while_others_hold() {
	local first second

	# shellcheck disable=SC2086
	first=$(start_on_zen $1)
	suspend "$first"
	# shellcheck disable=SC2086
	second=$(start_on_zen $2)
	resume_waits "$first"
	resume_waits "$first" "Operation already in progress"
	assert_eq "in use" "$(cpu_ids "$second")" "$(inuse "$NODE_ZEN")"
	cancel "$second"
	is_resumed "$first"
	assert_eq "in use" "$(cpu_ids "$first")" "$(inuse "$NODE_ZEN")"
	cancel "$first"
	wait_until 10 nothing_in_use "$NODE_ZEN"
}

# Others leave one after the other: not before the last one.  Who asked first is first.
case_two_wait() {
	local first second third fourth

	first=$(start_on_zen --bunit=S --bamount=2)
	suspend "$first"
	second=$(start_on_zen --bunit=S --bamount=1)
	suspend "$second"
	third=$(start_on_zen --bunit=X --bamount=1)
	fourth=$(start_on_zen --bunit=S --bamount=1)
	resume_waits "$second"
	resume_waits "$first"
	cancel "$fourth"
	assert job_has_state "$first" SUSPENDED
	suspend "$third"
	is_resumed "$second"
	assert job_has_state "$first" SUSPENDED
	assert_contains "reason" "to be resumed" "$(shown_reason "$first")"
	cancel "$second"
	is_resumed "$first"
	cancel "$first"
	resume "$third"
}

# Whoever takes the word away withdraws the resume; what others wrote stays.
case_withdrawn() {
	local first second

	first=$(start_on_zen --bunit=S --bamount=2)
	scontrol update job="$first" admincomment="of the site"
	suspend "$first"
	second=$(start_on_zen --bunit=X --bamount=1)
	refute scontrol resume "$first"
	assert_eq "record" "of the site resume=waiting" \
		"$(admin_comment "$first")"
	scontrol update job="$first" admincomment="of the site"
	cancel "$second"
	second=$(start_on_zen --bunit=X --bamount=1)
	assert job_has_state "$first" SUSPENDED
	# Once more, and it is said anew.
	refute scontrol resume "$first"
	cancel "$second"
	wait_until 20 runs "$first"
	assert_eq "record" "of the site" "$(admin_comment "$first")"
}

case_array() {
	local array second task

	array=$(batch -a 1-2 -w "$NODE_ZEN" --bunit=S --bamount=1)
	wait_until 20 runs "${array}_1"
	wait_until 20 runs "${array}_2"
	scontrol suspend "$array"
	second=$(start_on_zen --bunit=X --bamount=1)
	# One has its socket, the other waits.
	scontrol resume "$array" >/dev/null 2>&1 || true
	assert_eq "states" "RUNNING SUSPENDED " \
		"$(squeue -h -r -j "$array" -o %T | sort | tr '\n' ' ')"
	assert_no_contradictions
	cancel "$second"
	for task in 1 2; do
		wait_until 20 runs "${array}_$task"
	done
	assert_no_contradictions
}

# One component waits; the other runs on meanwhile.
case_het_job() {
	local first second

	first=$(batch -w "$NODE_ZEN" --bunit=S --bamount=2 : -w "$NODE_TWIN" \
		--bunit=C --bamount=1)
	wait_until 60 runs "$first"
	scontrol suspend "$first"
	wait_until 20 nothing_in_use "$NODE_ZEN"
	second=$(start_on_zen --bunit=X --bamount=1)
	scontrol resume "$first" >/dev/null 2>&1 || true
	assert job_has_state "$first" SUSPENDED
	assert_no_contradictions
	cancel "$second"
	wait_until 20 runs "$first"
	wait_until 20 runs "$((first + 1))"
	assert_no_contradictions
	assert_eq "in use" 0-95 "$(inuse "$NODE_ZEN")"
}

# Others hold other units of the node: no reason to refuse.
case_beside_others() {
	local first second

	first=$(start_on_zen --bunit=S --bamount=1)
	second=$(start_on_zen --bunit=S --bamount=1)
	suspend "$first"
	resume "$first"
	assert_eq "in use" 0-95 "$(inuse "$NODE_ZEN")"
	assert_granted "$second" "$NODE_ZEN" 48-95
}

# The books of suspended jobs are made anew: nothing held, and who waits waits on.
case_restart() {
	local first second

	first=$(start_on_zen --bunit=S --bamount=2)
	suspend "$first"
	"$@"
	assert nothing_in_use "$NODE_ZEN"
	second=$(start_on_zen --bunit=X --bamount=1)
	"$@"
	assert_eq "in use" 0-5 "$(inuse "$NODE_ZEN")"
	resume_waits "$first"
	save_state "$first"
	"$@"
	assert job_has_state "$first" SUSPENDED
	cancel "$second"
	is_resumed "$first"
	assert_eq "in use" 0-95 "$(inuse "$NODE_ZEN")"
}

case_cancelled_while_suspended() {
	local first second

	first=$(start_on_zen --bunit=S --bamount=2)
	suspend "$first"
	second=$(start_on_zen --bunit=S --bamount=1)
	resume_waits "$first"
	cancel "$first"
	refute waits_for_resume "$first"
	assert_eq "in use" 0-47 "$(inuse "$NODE_ZEN")"
	assert_no_contradictions
	cancel "$second"
	wait_until 10 nothing_in_use "$NODE_ZEN"
}

case_requeued_while_suspended() {
	local first second

	first=$(batch --requeue -w "$NODE_ZEN" --bunit=S --bamount=2)
	wait_until 20 runs "$first"
	suspend "$first"
	second=$(start_on_zen --bunit=S --bamount=1)
	resume_waits "$first"
	requeue_held "$first"
	refute waits_for_resume "$first"
	assert_eq "in use" 0-47 "$(inuse "$NODE_ZEN")"
	release_now "$first"
	wait_until 20 was_passed_over "$first"
	cancel "$second"
	wait_until 30 runs "$first"
	assert_granted "$first" "$NODE_ZEN" 0-95
}

case_held() {
	local job

	job=$(batch -H -w "$NODE_ZEN" --bunit=S --bamount=1)
	assert is_pending "$job"
	assert nothing_in_use "$NODE_ZEN"
	scontrol release "$job"
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-47
	# Holding it now is refused or changes nothing.
	scontrol hold "$job" 2>/dev/null || true
	assert_eq "in use" 0-47 "$(inuse "$NODE_ZEN")"
	assert_no_contradictions
}

# A draining node keeps its job's units and gives no others.
case_drain() {
	local first waiting

	first=$(start_on_zen --bunit=S --bamount=1)
	scontrol update node="$NODE_ZEN" state=drain reason=test
	waiting=$(batch -w "$NODE_ZEN" --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$waiting"
	assert_eq "in use" 0-47 "$(inuse "$NODE_ZEN")"
	suspend "$first"
	assert nothing_in_use "$NODE_ZEN"
	resume "$first"
	assert_eq "in use" 0-47 "$(inuse "$NODE_ZEN")"
	assert is_pending "$waiting"
	scontrol update node="$NODE_ZEN" state=resume
	wait_until 20 runs "$waiting"
	assert_granted "$waiting" "$NODE_ZEN" 48-95
}

cluster_start --nodes zen
note_slurmctld
test_case "a suspended job's units are free, a resumed one's its own" \
	case_suspended_releases
test_case "bound, then bound: resumed when nobody else holds its units" \
	case_not_while_others_hold "--bunit=S --bamount=1" "--bunit=X --bamount=1"
test_case "bound, then plain: resumed later" \
	case_not_while_others_hold "--bunit=S --bamount=2" "-n1"
test_case "plain, then bound: resumed later" \
	case_not_while_others_hold "-N1 -n96" "--bunit=C --bamount=1"
test_case "two that wait" case_two_wait
test_case "a resume is withdrawn" case_withdrawn
test_case "tasks of an array" case_array
test_case "resumed while others hold other units" case_beside_others
test_case "a suspended job is cancelled" case_cancelled_while_suspended
test_case "a suspended job is requeued" case_requeued_while_suspended
test_case "a held job holds nothing" case_held
test_case "a draining node" case_drain
test_case "scontrol reconfigure while a job is suspended" \
	case_restart reconfigure
test_case "slurmctld did not die" assert slurmctld_lives
test_case "slurmctld restarts while a job is suspended" \
	case_restart restart_slurmctld
cluster_stop

cluster_start --nodes zen,twin
test_case "a heterogeneous job" case_het_job
tests_done
