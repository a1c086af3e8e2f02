#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# waiting - jobs wait for whole units, start when they come free, and are
# refused when they never can
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

case_waits_for_a_whole_unit() {
	local socket core waiting

	socket=$(alloc -w "$NODE_SKYLAKE" --bunit=S --bamount=1)
	core=$(alloc -w "$NODE_SKYLAKE" --bunit=C --bamount=1)
	assert_granted "$socket" "$NODE_SKYLAKE" 0-35
	assert_granted "$core" "$NODE_SKYLAKE" 36-37
	waiting=$(batch -w "$NODE_SKYLAKE" --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$waiting"
	# 34 idle CPUs are no socket.
	assert is_pending "$waiting"
	cancel "$core"
	wait_until 20 runs "$waiting"
	assert_granted "$waiting" "$NODE_SKYLAKE" 36-71
	assert_no_contradictions
}

case_waits_for_a_plain_job() {
	local plain waiting

	plain=$(alloc -w "$NODE_RAPTOR" -n1)
	assert_eq "a plain job has no grant" "" "$(granted "$plain")"
	waiting=$(batch -w "$NODE_RAPTOR" --bunit=N --bamount=1)
	wait_until 20 was_passed_over "$waiting"
	cancel "$plain"
	wait_until 20 runs "$waiting"
}

case_plain_waits_for_bound() {
	local bound plain

	bound=$(alloc -w "$NODE_GB10" --topobind=bunit=C,bamount=10)
	plain=$(batch -N1 -w "$NODE_GB10" -n11)
	wait_until 20 was_passed_over "$plain"
	cancel "$bound"
	wait_until 20 runs "$plain"
	assert_no_contradictions
}

case_reason_is_told() {
	local plain job

	plain=$(alloc -w "$NODE_SKYLAKE" -n1)
	job=$(batch -w "$NODE_SKYLAKE" --bunit=S --bamount=2)
	wait_until 20 waits_for "$job" \
		"no required node has 2 free S units: 1 node has 1 (fragmented: 0)"
	cancel "$plain"
	wait_until 20 runs "$job"
	refute waits_for "$job" ""
}

# Slots of other nodes than the job may have do not count.
case_reason_of_slots() {
	local job

	alloc -w "$NODE_SKYLAKE" --bunit=C --bamount=30 >/dev/null
	job=$(batch -N1 -n7 -w "$NODE_SKYLAKE" --bunit=C --bamount=1)
	wait_until 20 waits_for "$job" \
		"only 6 of 7 slots (1 C each) are free, on 1 node"
	job=$(batch -w "$NODE_ZEN" --btype=host --bunit=C --bamount=1 --bstart=s)
	wait_until 20 waits_for "$job" \
		"no required node has 1 free C unit in the window of bstart=s"
}

# refused WANTED OPTION... - no job, and the message has WANTED
refused() {
	local wanted=$1 output

	shift
	if output=$(sbatch -o /dev/null "$@" --wrap true 2>&1); then
		fail "accepted: $*: $output"
	fi
	assert_contains "message" "$wanted" "$output"
	assert no_jobs
}

case_waits_for_slots_on_two_nodes() {
	local taken waiting

	taken=$(alloc -w "$NODE_TWIN" --bunit=S --bamount=2)
	waiting=$(batch -N2 -n2 -w "$NODE_ZEN,$NODE_TWIN" --bunit=S \
		--bamount=1)
	wait_until 20 was_passed_over "$waiting"
	assert_eq "zen, which is idle, is not touched" "" \
		"$(all_granted "$NODE_ZEN")"
	cancel "$taken"
	wait_until 20 runs "$waiting"
	assert_granted "$waiting" "$NODE_ZEN" 0-47
	assert_granted "$waiting" "$NODE_TWIN" 0-47
}

case_test_only_promises_no_start_that_cannot_be() {
	# One plain job with an end on each socket: a socket comes free then.
	alloc -w "$NODE_SKYLAKE" --bunit=S --bamount=1 -t 5 >/dev/null
	alloc -w "$NODE_SKYLAKE" -n1 -t 5 >/dev/null
	assert_told 4 11 -t 5 -w "$NODE_SKYLAKE" --bunit=S --bamount=1
}

case_small_job_passes_a_waiting_one() {
	local waiting small

	alloc -w "$NODE_ZEN" -n1 -t 5 >/dev/null
	waiting=$(batch -w "$NODE_ZEN" -t 5 --bunit=N --bamount=1)
	wait_until 20 was_passed_over "$waiting"
	small=$(batch -w "$NODE_ZEN" -t 1 --bunit=X --bamount=1)
	wait_until 20 runs "$small"
	assert is_pending "$waiting"
	assert_no_contradictions
}

case_cancel_releases() {
	local job _

	for _ in 1 2 3; do
		job=$(alloc -w "$NODE_RAPTOR" --bunit=N --bamount=1)
		assert_granted "$job" "$NODE_RAPTOR" 0-11
		cancel "$job"
		wait_until 5 nothing_in_use "$NODE_RAPTOR"
	done
}

case_cancel_pending() {
	local job

	alloc -w "$NODE_RAPTOR" --bunit=N --bamount=1 >/dev/null
	job=$(batch -w "$NODE_RAPTOR" --bunit=N --bamount=1)
	wait_until 20 was_passed_over "$job"
	cancel "$job"
	assert_eq "in use" 0-11 "$(inuse "$NODE_RAPTOR")"
}

case_array() {
	local job

	job=$(batch --array=1-6 -w "$NODE_RAPTOR" --bunit=C --bamount=2)
	wait_until 20 array_runs 3
	assert_no_contradictions
	assert_eq "all power cores" 0-11 "$(all_granted "$NODE_RAPTOR")"
	scancel "${job}_1"
	wait_until 30 array_member_runs "${job}_4"
	assert_no_contradictions
}

array_runs() {
	[ "$(squeue -h -t R | wc -l)" = "$1" ]
}

array_member_runs() {
	[ "$(squeue -h -j "$1" -o %t)" = R ]
}

case_requeue() {
	local job

	job=$(batch --requeue -w "$NODE_RAPTOR" --bunit=E --bamount=2)
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_RAPTOR" 12-13
	requeue_held "$job"
	wait_until 30 nothing_in_use "$NODE_RAPTOR"
	release_now "$job"
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_RAPTOR" 12-13
}

case_amount_0_is_a_plain_job() {
	local job

	job=$(alloc -w "$NODE_RAPTOR" -n2 --bunit=X --bamount=0)
	assert_eq "grant" "" "$(granted "$job")"
	assert_eq "CPUs" 2 "$(job_field "$job" NumCPUs)"
	assert_eq "binding" "" "$(job_field "$job" SystemComment)"
}

case_exclusive_job() {
	local job

	job=$(alloc -w "$NODE_RAPTOR" --exclusive --bunit=C --bamount=1)
	assert_eq "CPUs" 20 "$(job_field "$job" NumCPUs)"
	cancel "$job"
	wait_until 5 nothing_in_use "$NODE_RAPTOR"
}

cluster_start
test_case "a job waits for a whole unit and starts when it is free" \
	case_waits_for_a_whole_unit
test_case "a bound job waits for a plain one" case_waits_for_a_plain_job
test_case "a plain job waits for a bound one" case_plain_waits_for_bound
test_case "a pending job says why" case_reason_is_told
test_case "it counts the slots that it could have" case_reason_of_slots
test_case "slots on two nodes: none is taken before both are free" \
	case_waits_for_slots_on_two_nodes
test_case "--test-only promises no start that cannot be" \
	case_test_only_promises_no_start_that_cannot_be
test_case "a small job passes a waiting one" case_small_job_passes_a_waiting_one
test_case "nine NUMA nodes of eight are refused" refused '' \
	-w "$NODE_POWER" --bunit=N --bamount=9
test_case "a unit of a kind that the node does not have is refused" refused '' \
	-w "$NODE_ZEN" --bunit=E --bamount=1
test_case "more slots than all nodes have are refused" refused '' \
	-n 3 -w "$NODE_SKYLAKE" -N1 --bunit=S --bamount=1
test_case "an amount that no node has is refused" refused '' \
	--bunit=C --bamount=65535
test_case "cancelling releases the units" case_cancel_releases
test_case "cancelling a pending job changes nothing" case_cancel_pending
test_case "array jobs" case_array
test_case "a requeued job gives its units back and gets new ones" case_requeue
test_case "--bamount=0 is a plain job" case_amount_0_is_a_plain_job
test_case "an exclusive job gets the node and gives it back" case_exclusive_job
tests_done
