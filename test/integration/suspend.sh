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

# resume_refused JOB - with Slurm's own words for that, and it stays suspended
resume_refused() {
	local output

	if output=$(scontrol resume "$1" 2>&1); then
		fail "job $1 was resumed"
	fi
	assert_contains "message" "Requested nodes are busy" "$output"
	assert job_has_state "$1" SUSPENDED
	assert_no_contradictions
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
	resume_refused "$first"
	assert_eq "in use" "$(cpu_ids "$second")" "$(inuse "$NODE_ZEN")"
	cancel "$second"
	resume "$first"
	assert_eq "in use" "$(cpu_ids "$first")" "$(inuse "$NODE_ZEN")"
	cancel "$first"
	wait_until 10 nothing_in_use "$NODE_ZEN"
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

# The books of suspended jobs are made anew: nothing held, still refused.
case_restart() {
	local first second

	first=$(start_on_zen --bunit=S --bamount=2)
	suspend "$first"
	"$@"
	assert nothing_in_use "$NODE_ZEN"
	second=$(start_on_zen --bunit=X --bamount=1)
	"$@"
	assert_eq "in use" 0-5 "$(inuse "$NODE_ZEN")"
	resume_refused "$first"
	cancel "$second"
	resume "$first"
	assert_eq "in use" 0-95 "$(inuse "$NODE_ZEN")"
}

case_cancelled_while_suspended() {
	local first second

	first=$(start_on_zen --bunit=S --bamount=2)
	suspend "$first"
	second=$(start_on_zen --bunit=S --bamount=1)
	cancel "$first"
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
	requeue_held "$first"
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
test_case "bound, then bound: not resumed while others hold its units" \
	case_not_while_others_hold "--bunit=S --bamount=1" "--bunit=X --bamount=1"
test_case "bound, then plain: not resumed" \
	case_not_while_others_hold "--bunit=S --bamount=2" "-n1"
test_case "plain, then bound: not resumed" \
	case_not_while_others_hold "-N1 -n96" "--bunit=C --bamount=1"
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
tests_done
