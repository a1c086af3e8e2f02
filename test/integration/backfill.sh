#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# backfill - when units will be free: --test-only, squeue --start, and what
# backfill starts meanwhile
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# ends_in MINUTES NODE OPTION... - a job that runs now and ends then
ends_in() {
	local minutes=$1 node=$2

	shift 2
	alloc -t "$minutes" -w "$node" "$@" >/dev/null
}

# One CPU of a core of each of these caches of zen and twin, as --bcpus.
caches() {
	seq -s , $(($1 * 6)) 6 $(($2 * 6))
}

# Every cache of zen has a core in use: fifteen for an hour, one for ten
# minutes.  32 cores are free, and no cache is.
case_fragments() {
	ends_in 60 "$NODE_ZEN" --bcpus="$(caches 0 14)"
	ends_in 10 "$NODE_ZEN" --bcpus="$(caches 15 15)"
	# By cores there is room for a socket's worth now: right for a plain job.
	assert_told 0 1 -w "$NODE_ZEN" -n48
	# The same CPUs in units, for which counting them is wrong.
	assert_told 58 62 -w "$NODE_ZEN" -N1 -n8 --bunit=X --bamount=1
	# What comes first comes first.
	assert_told 8 12 -w "$NODE_ZEN" --bunit=X --bamount=1
	# A core of each cache is free.
	assert_told 0 1 -w "$NODE_ZEN" --bunit=C --bamount=32
}

case_two_nodes() {
	ends_in 20 "$NODE_ZEN" --bcpus=0
	ends_in 90 "$NODE_ZEN" --bcpus=48
	ends_in 40 "$NODE_TWIN" --bcpus=0,48
	assert_told 18 22 --bunit=S --bamount=1 -w "$NODE_ZEN"
	assert_told 38 42 --bunit=S --bamount=1 -N2 -n2
	assert_told 38 42 --bunit=S --bamount=1 -N1 -n2
	assert_told 88 92 --bunit=S --bamount=1 -N2 -n4
}

# zen has a socket in ten minutes and memory in ninety, twin has both in forty.
case_memory_comes_later() {
	ends_in 90 "$NODE_ZEN" --mem=900000 --bcpus=0
	ends_in 10 "$NODE_ZEN" --mem=1000 --bcpus=48
	ends_in 40 "$NODE_TWIN" --mem=1000 --bcpus=0,48
	assert_told 38 42 --mem=500000 --bunit=S --bamount=1
	assert_told 8 12 --mem=1000 --bunit=S --bamount=1
	assert_told 88 92 --mem=500000 --bunit=S --bamount=1 -w "$NODE_ZEN"
}

case_exclusive() {
	ends_in 30 "$NODE_ZEN" --bcpus=0
	assert_told 0 1 -w "$NODE_ZEN" --bunit=X --bamount=15
	assert_told 28 32 -w "$NODE_ZEN" --bunit=X --bamount=15 --exclusive
}

# The first in the queue waits for the socket that is free in an hour; meanwhile
# a job that has ended by then may run on zen, a longer one may not.
case_plans_for_the_units() {
	local first long short now

	ends_in 60 "$NODE_ZEN" --bcpus="$(caches 0 15)"
	first=$(batch -t 30 -w "$NODE_ZEN" --bunit=S --bamount=2)
	wait_until 20 was_passed_over "$first"
	now=$EPOCHSECONDS
	long=$(batch -t 120 -w "$NODE_ZEN" -n1)
	short=$(batch -t 10 -w "$NODE_ZEN" -n1)
	wait_until 20 runs "$short"
	wait_until 30 has_start_between "$first" $((now + 55 * 60)) \
		$((now + 65 * 60))
	wait_until 30 has_start_between "$long" $((now + 85 * 60)) \
		$((now + 100 * 60))
	assert is_pending "$long"
	assert_no_contradictions
}

# A job that waits for units which fragments deny does not keep others from
# cores that it could not use now: the short one has its unit on the other node.
case_fragments_hold_nobody() {
	local first second

	ends_in 60 "$NODE_ZEN" --bcpus="$(caches 0 15)"
	first=$(batch -t 30 -w "$NODE_ZEN" --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$first"
	second=$(batch -t 120 -w "$NODE_TWIN" --bunit=X --bamount=16)
	wait_until 20 runs "$second"
	assert_granted "$second" "$NODE_TWIN" 0-95
}

case_begin() {
	local job

	assert_told 118 122 --begin=now+2hours -w "$NODE_ZEN" --bunit=S \
		--bamount=1
	job=$(batch --begin=now+15 -w "$NODE_ZEN" --bunit=S --bamount=1)
	assert nothing_in_use "$NODE_ZEN"
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-47
}

case_dependency() {
	local first second

	first=$(batch -w "$NODE_ZEN" --bunit=S --bamount=2)
	wait_until 20 runs "$first"
	second=$(batch -d afterany:"$first" -w "$NODE_ZEN" --bunit=S --bamount=1)
	wait_until 20 reason_is "$second" Dependency
	cancel "$first"
	wait_until 30 runs "$second"
	assert_granted "$second" "$NODE_ZEN" 0-47
	assert_no_contradictions
}

reason_is() {
	[[ $(job_reason "$1") == "$2"* ]]
}

# Preemption and the future: urgent jobs start now, others when these end.
case_preemption() {
	ends_in 60 "$NODE_ZEN" --bunit=S --bamount=2 -p main
	ends_in 20 "$NODE_TWIN" --bunit=S --bamount=2 -p urgent
	assert_told 0 1 -p urgent -N1 --bunit=S --bamount=1
	assert_told 18 22 -p urgent -N2 -n2 --bunit=S --bamount=1
	assert_told 18 22 -p main -N1 --bunit=S --bamount=1
	assert_told 58 62 -p main -N2 -n2 --bunit=S --bamount=1
}

cluster_start --nodes zen,twin --slurm PreemptType=preempt/partition_prio \
	--slurm PreemptMode=REQUEUE --slurm \
	"PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10"
note_slurmctld
test_case "fragments are not counted" case_fragments
test_case "two nodes" case_two_nodes
test_case "memory that comes later than the units" case_memory_comes_later
test_case "a whole node" case_exclusive
test_case "backfill plans for the units" case_plans_for_the_units
test_case "fragments hold nobody" case_fragments_hold_nobody
test_case "--begin" case_begin
test_case "a dependency" case_dependency
test_case "preemption" case_preemption
test_case "nothing stays in use" wait_until 10 nothing_in_use "$NODE_ZEN"
test_case "slurmctld did not die" assert slurmctld_lives
tests_done
