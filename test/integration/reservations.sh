#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reservations - of cores and of nodes, now and later: what is reserved is not
# granted outside, and what is not is not granted inside
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# reserve KEY=VALUE... - the reservation r, for root
reserve() {
	scontrol create reservation ReservationName=r Users=root \
		Duration=60 "$@" >/dev/null
}

# Of a case that failed, too.
unreserve() {
	scontrol delete ReservationName=r 2>/dev/null || true
}

# waits OPTION... - a job that is looked at and not started; its id
waits() {
	local job

	job=$(batch "$@") || return
	wait_until 20 was_passed_over "$job" >&2
	assert is_pending "$job" >&2
	echo "$job"
}

# The first two caches of zen, of three cores each.
case_cores() {
	local inside waiting outside

	unreserve
	reserve StartTime=now Nodes="$NODE_ZEN" CoreCnt=6
	outside=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_granted "$outside" "$NODE_ZEN" 12-17
	inside=$(alloc --reservation=r -n1 --bunit=X --bamount=2)
	assert_granted "$inside" "$NODE_ZEN" 0-11
	waiting=$(waits --reservation=r --bunit=C --bamount=1)
	assert_no_contradictions
	cancel "$inside"
	wait_until 20 runs "$waiting"
	assert_granted "$waiting" "$NODE_ZEN" 0-1
}

# A cache and a core of the next: one unit inside, fourteen outside.
case_partly_outside() {
	local inside outside waiting

	unreserve
	reserve StartTime=now Nodes="$NODE_ZEN" CoreCnt=4 "${first_cores[@]}"
	inside=$(waits --reservation=r -N1 -n2 --bunit=X --bamount=1)
	waiting=$(waits -w "$NODE_ZEN" -N1 -n15 --bunit=X --bamount=1)
	outside=$(alloc -w "$NODE_ZEN" -N1 -n14 --bunit=X --bamount=1)
	assert_granted "$outside" "$NODE_ZEN" 12-95
	cancel "$inside"
	inside=$(alloc --reservation=r -N1 -n1 --bunit=X --bamount=1)
	assert_granted "$inside" "$NODE_ZEN" 0-5
	assert_no_contradictions
	cancel "$outside"
	assert is_pending "$waiting"
	cancel "$inside"
	unreserve
	wait_until 20 runs "$waiting"
	assert_no_contradictions
}

# Core 0 is in use: its cache is no unit.  So many cores are reserved, and a job
# of these OPTIONS in the reservation gets all their CPUs.
case_whole_units() {
	local inside count=$1 cpus=$2

	shift 2
	unreserve
	alloc -w "$NODE_ZEN" --bcpus=0 >/dev/null
	reserve StartTime=now Nodes="$NODE_ZEN" CoreCnt="$count"
	inside=$(alloc --reservation=r -N1 "$@")
	assert_eq "CPUs inside" "$cpus" "$(cpu_ids "$inside")"
	assert_no_contradictions
}

# Threads are what is counted: two power cores and an efficiency core.
case_threads() {
	local job

	unreserve
	reserve StartTime=now Nodes="$NODE_RAPTOR" CoreCnt=5
	job=$(alloc --reservation=r -n1 --bunit=C --bamount=2)
	assert_granted "$job" "$NODE_RAPTOR" 0-3
	job=$(alloc --reservation=r -n1 --bunit=E --bamount=1)
	assert_granted "$job" "$NODE_RAPTOR" 12
	assert_no_contradictions
}

case_whole_node() {
	local inside outside

	unreserve
	reserve StartTime=now Nodes="$NODE_ZEN"
	outside=$(waits -w "$NODE_ZEN" --bunit=C --bamount=1)
	inside=$(alloc --reservation=r --bunit=S --bamount=2)
	assert_granted "$inside" "$NODE_ZEN" 0-95
	cancel "$inside"
	assert is_pending "$outside"
	unreserve
	wait_until 20 runs "$outside"
}

# In five minutes: who has ended by then may start, who has not may not.
# KEY=VALUE... of the reservation.
case_in_time() {
	local short long over

	unreserve
	reserve StartTime=now+5minutes Nodes="$NODE_ZEN" "$@"
	long=$(waits -t 10 -w "$NODE_ZEN" --bunit=S --bamount=2)
	short=$(batch -t 1 -w "$NODE_ZEN" --bunit=S --bamount=2)
	wait_until 20 runs "$short"
	assert_granted "$short" "$NODE_ZEN" 0-95
	cancel "$short"
	# When the hour of the reservation is over.
	over=$((EPOCHSECONDS + 60 * 60))
	wait_until 30 is_expected_after "$long" "$over"
	assert is_pending "$long"
	unreserve
	wait_until 20 runs "$long"
}

# Slurm's backfill plans a job for no time before that.
is_expected_after() {
	local start

	start=$(job_field "$1" StartTime)
	[ "$start" != Unknown ] && [ "$(date -d "$start" +%s)" -ge "$2" ]
}

# Later Slurms have no such flag; topobind takes the first cores all the same.
first_cores=(Flags=FIRST_CORES)
! slurm_is_from 23.11 || first_cores=()

cluster_start --nodes zen,raptor
note_slurmctld
test_case "cores: units inside and outside" case_cores
test_case "a unit partly outside is in none" case_partly_outside
test_case "as many cores as a cache has: a free cache" \
	case_whole_units 3 6-11 --bunit=X --bamount=1
test_case "a socket, not fragments of two" \
	case_whole_units 24 48-95 --bunit=S --bamount=1
test_case "a socket and a cache" \
	case_whole_units 27 6-11,48-95 -n9 --bunit=X --bamount=1
test_case "fewer cores than a cache: of the broken one" \
	case_whole_units 2 2-5 -n2 --bunit=C --bamount=1
test_case "threads" case_threads
test_case "a whole node" case_whole_node
test_case "nodes for maintenance later" case_in_time Flags=MAINT
test_case "cores later" case_in_time CoreCnt=3
unreserve
test_case "nothing stays in use" wait_until 10 nothing_in_use "$NODE_ZEN"
test_case "slurmctld did not die" assert slurmctld_lives
tests_done
