#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nearest - which node a bound job gets when nobody says how nodes are chosen, and
# where its tasks lie on it
#
# The nodes a and b are alike: two sockets, each with two L3 caches of four cores.
# a is the first in the order of slurm.conf.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# hold NODE CPUS - no other job gets these
hold() {
	alloc -w "$1" --bcpus="$2" >/dev/null
}

# gets NODE CORES OPTION... - a job that ends again
gets() {
	local node=$1 cores=$2 job

	shift 2
	job=$(alloc "$@")
	assert_eq "node of a job with $*" "$node" "$(squeue -h -j "$job" -o %N)"
	assert_granted "$job" "$node" "$cores"
	cancel "$job"
}

# One core of each cache of a is in use.
break_a() {
	hold "$NODE_A" 0,4,8,12
}

case_whole_cache() {
	break_a
	gets "$NODE_B" 0-3 --bunit=C --bamount=4
	gets "$NODE_B" 0-3 -n4 --bunit=C --bamount=1
	gets "$NODE_B" 0-3 -n2 --bunit=C --bamount=2
	gets "$NODE_B" 0-3 -N1 -n4 --btype=host --bunit=C --bamount=4
	# What fits into a broken cache breaks up nothing there.
	gets "$NODE_A" 1-3 --bunit=C --bamount=3
	gets "$NODE_A" 1 --bunit=C --bamount=1
}

case_plain_and_slurm() {
	local plain

	break_a
	gets "$NODE_A" 1-3,5 --bunit=C --bamount=4 --bnodes=SLURM
	plain=$(alloc -n4)
	assert_eq "a plain job's node" "$NODE_A" \
		"$(squeue -h -j "$plain" -o %N)"
	cancel "$plain"
	reconfigure_with NodeAllocationPolicy=SLURM
	gets "$NODE_A" 1-3,5 --bunit=C --bamount=4
	gets "$NODE_B" 0-3 --bunit=C --bamount=4 --bnodes=DEFAULT
	reconfigure_with
}

# Two caches of one socket are nearer than two of two, and two nearer than four.
case_sockets() {
	hold "$NODE_A" 0-3,8-11
	gets "$NODE_B" 0-7 --bunit=X --bamount=2
	gets "$NODE_A" 4-7 --bunit=X --bamount=1
	hold "$NODE_B" 0,4,8,12
	# Both are broken up; a has whole caches.
	gets "$NODE_A" 4-7,12-15 -n2 --bunit=C --bamount=4
}

case_weight() {
	break_a
	scontrol update NodeName="$NODE_B" Weight=10
	gets "$NODE_A" 1-3,5 --bunit=C --bamount=4
	gets "$NODE_B" 0-3 --bunit=C --bamount=4 --bnodes=BESTTOPOLOGY
	scontrol update NodeName="$NODE_B" Weight=1
	gets "$NODE_B" 0-3 --bunit=C --bamount=4
}

case_implicit() {
	reconfigure_with Implicit=yes
	break_a
	gets "$NODE_B" 0-3 -n4
	gets "$NODE_A" 1-3,5 -n4 --bnodes=SLURM
	reconfigure_with
}

# As few nodes as without a policy, the job's share on each.
case_several_nodes() {
	local job

	break_a
	gets "$NODE_B" 0-7 -n8 --bunit=C --bamount=1
	# A node with little room is nearer in itself, but not enough.
	hold "$NODE_A" 1-3,5-7
	gets "$NODE_B" 0-7 -n8 --bunit=C --bamount=1
	job=$(alloc -N2 -n4 --bunit=C --bamount=1)
	assert_granted "$job" "$NODE_A" 9-10
	assert_granted "$job" "$NODE_B" 0-1
}

# Of the caches of a two, one and four cores are free, and none of the last.
case_slots_together() {
	hold "$NODE_A" 0-1,4-6,12-15
	gets "$NODE_A" 8-11 -w "$NODE_A" -n4 --bunit=C --bamount=1
	gets "$NODE_A" 8-11 -w "$NODE_A" -n2 --bunit=C --bamount=2
	gets "$NODE_A" 2-3 -w "$NODE_A" -n2 --bunit=C --bamount=1
	# Who says which come first gets these.
	gets "$NODE_A" 2-3,7-8 -w "$NODE_A" -n4 --bunit=C --bamount=1 \
		--bstrategy=linear
	gets "$NODE_A" 2-3,7-8 -w "$NODE_A" -n4 --bunit=C --bamount=1 \
		--bstart=c
	gets "$NODE_A" 2-3,8-9 -w "$NODE_A" -n4 --bunit=C --bamount=1 \
		--bstrategy=scatter
}

# What is in use is known again, and so is what a job is planned for.
case_restart() {
	local text

	break_a
	restart_slurmctld
	gets "$NODE_B" 0-3 --bunit=C --bamount=4
	text=$(sbatch --test-only --bunit=C --bamount=4 --wrap true 2>&1)
	assert_contains "--test-only" " on nodes $NODE_B in " "$text"
	assert_no_contradictions
}

# A job that waits starts where it lies nearest, of what is free then.
case_later() {
	local holder job

	break_a
	holder=$(alloc -t 10 -w "$NODE_B" --exclusive)
	alloc -t 20 -w "$NODE_A" --bunit=C --bamount=12 --btype=host >/dev/null
	job=$(batch -t 5 --bunit=C --bamount=4)
	wait_until 60 was_passed_over "$job"
	cancel "$holder"
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_B" 0-3
}

shape=NSXCCCCXCCCCNSXCCCCXCCCC
cluster_start --nodes '' --machine "a $shape 2 8 1" --machine "b $shape 2 8 1" \
	--slurm SchedulerParameters=bf_interval=2

test_case "a whole cache of the other node" case_whole_cache
test_case "plain jobs, and SLURM" case_plain_and_slurm
test_case "one socket is nearer than two" case_sockets
test_case "weights come first" case_weight
test_case "jobs that are bound without asking" case_implicit
test_case "few nodes, as without a policy" case_several_nodes
test_case "the slots of a job together" case_slots_together
test_case "a job that waits" case_later
test_case "after a restart of slurmctld" case_restart
tests_done
