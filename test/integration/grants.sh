#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# grants - which units a job gets on an idle node, of every kind and strategy
#
# Expected threads are written out: positions in the node's topology string
# (test/data/topologies, contribs/cluster).
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# grant_is NODE LIST OPTION...
grant_is() {
	local node=$1 list=$2 job

	shift 2
	job=$(alloc -w "$node" "$@")
	assert_granted "$job" "$node" "$list"
	assert_eq "NumCPUs" "$(expand_list "$list" | wc -l)" \
		"$(job_field "$job" NumCPUs)"
	assert_no_contradictions
}

case_next_to_each_other() {
	local first second

	first=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	second=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_granted "$first" "$NODE_ZEN" 0-5
	assert_granted "$second" "$NODE_ZEN" 6-11
}

case_two_slots() {
	grant_is "$NODE_ZEN" 0-11 -n2 --bunit=X --bamount=1
}

case_two_nodes() {
	local job

	job=$(alloc -N2 -n2 -w "$NODE_ZEN,$NODE_TWIN" --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-5
	assert_granted "$job" "$NODE_TWIN" 0-5
	assert_no_contradictions
}

case_two_different_nodes() {
	local job

	job=$(alloc -N2 -n2 -w "$NODE_ZEN,$NODE_SKYLAKE" --bunit=C --bamount=2)
	assert_granted "$job" "$NODE_ZEN" 0-3
	assert_granted "$job" "$NODE_SKYLAKE" 0-3
	assert_no_contradictions
}

case_uneven_slots_on_two_nodes() {
	local job slots

	# 13 of 16 caches are taken on zen: three slots there, two on twin.
	alloc -w "$NODE_ZEN" --bunit=X --bamount=13 >/dev/null
	job=$(alloc -N2 -n5 -w "$NODE_ZEN,$NODE_TWIN" --bunit=X --bamount=1)
	slots=$(($(expand_list "$(granted "$job" "$NODE_ZEN")" | wc -l) / 6))
	assert [ "$slots" -ge 1 ]
	assert [ "$slots" -le 3 ]
	assert_eq "slots on twin" $((5 - slots)) \
		$(($(expand_list "$(granted "$job" "$NODE_TWIN")" | wc -l) / 6))
	assert_no_contradictions
}

case_packed_looks_for_a_place() {
	local core

	# One core of the first L3 is gone: two cores are together there,
	# three only in the second.
	core=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=1)
	assert_granted "$core" "$NODE_ZEN" 0-1
	grant_is "$NODE_ZEN" 6-11 --bunit=C --bamount=3
	grant_is "$NODE_ZEN" 2-5 --bunit=C --bamount=2
}

case_linear_takes_the_next() {
	local core

	core=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=1)
	assert_granted "$core" "$NODE_ZEN" 0-1
	grant_is "$NODE_ZEN" 2-7 --bunit=C --bamount=3 --bstrategy=linear
}

case_window_starts_at_a_free_socket() {
	grant_is "$NODE_ZEN" 0-1 --bunit=C --bamount=1
	grant_is "$NODE_ZEN" 48-49 --bunit=C --bamount=1 --bstart=S
	grant_is "$NODE_ZEN" 2-3 --bunit=C --bamount=1 --bstart=s
}

case_window_of_one_cache() {
	grant_is "$NODE_ZEN" 0-1 --bunit=C --bamount=1
	# Only the first free L3 counts, and it has 3 cores, not 4.
	grant_is "$NODE_ZEN" 6-11 --bunit=C --bamount=3 --bstart=X --bstop=X
	refute timeout 5 salloc -I1 --no-shell -w "$NODE_ZEN" \
		--bunit=C --bamount=4 --bstart=X --bstop=X
}

case_sort_most_used_first() {
	grant_is "$NODE_ZEN" 48-49 --bunit=C --bamount=1 \
		--bfilter="$(half_masked)"
	grant_is "$NODE_ZEN" 50-51 --bunit=C --bamount=1 --bsort=s
	grant_is "$NODE_ZEN" 0-1 --bunit=C --bamount=1 --bsort=S
}

# zen's string with the first socket masked.
half_masked() {
	local string

	string=$(node_token "$NODE_ZEN" m_topology)
	awk -v s="$string" 'BEGIN {
		second = index(substr(s, 3), "S") + 2
		print substr(s, 1, 1) tolower(substr(s, 2, second - 2)) substr(s, second)
	}'
}

case_filter_of_another_shape() {
	local node

	node=$(node_token "$NODE_SKYLAKE" m_topology)
	refute sbatch -o /dev/null -w "$NODE_ZEN" --bunit=C --bamount=1 \
		--bfilter="$node" --wrap true
	assert no_jobs
}

case_host_type() {
	# Four tasks share two cores; as slots they would get eight.
	grant_is "$NODE_SKYLAKE" 0-3 -n4 --btype=host --bunit=C --bamount=2
	grant_is "$NODE_SKYLAKE" 4-19 -n4 --bunit=C --bamount=2
}

case_memory_stays_slurms() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1 --mem=1234)
	assert_eq mem 1234M "$(scontrol -d show job "$job" |
		sed -n 's/.*mem=\([0-9]*M\).*/\1/p' | sed -n 1p)"
	assert_granted "$job" "$NODE_ZEN" 0-5
}

case_memory_is_accounted() {
	local all more

	# All but 100 MB of the node's memory: a job with more does not fit.
	all=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=1 --mem=999900)
	more=$(batch -w "$NODE_ZEN" --bunit=C --bamount=1 --mem=200)
	wait_until 20 was_passed_over "$more"
	cancel "$all"
	wait_until 20 runs "$more"
}

case_cpus_per_task_inside_units() {
	grant_is "$NODE_ZEN" 0-5 -n1 -c6 --bunit=X --bamount=1
	refute sbatch -o /dev/null -w "$NODE_ZEN" -n1 -c7 --bunit=X \
		--bamount=1 --wrap true
	assert_eq "jobs after the refusal" 1 "$(squeue -h | wc -l)"
}

case_whole_cores_for_threads() {
	# zen's cores are Slurm's cores: a thread's job owns the core.
	local first second

	first=$(alloc -w "$NODE_ZEN" --bunit=T --bamount=1)
	second=$(alloc -w "$NODE_ZEN" --bunit=T --bamount=1)
	assert_granted "$first" "$NODE_ZEN" 0-1
	assert_granted "$second" "$NODE_ZEN" 2-3
}

case_any_node() {
	local job

	# Without -w: only power has eight NUMA nodes.
	job=$(alloc -n8 --bunit=N --bamount=1 -N1)
	assert_granted "$job" "$NODE_POWER" 0-255
}

case_best_of_mixed_kinds() {
	# Power and efficiency cores are never mixed up.
	grant_is "$NODE_RAPTOR" 0-11 -n1 --bunit=C --bamount=6
	refute sbatch -o /dev/null -w "$NODE_RAPTOR" --bunit=C --bamount=7 \
		--wrap true
	grant_is "$NODE_RAPTOR" 12-19 -n1 --bunit=E --bamount=8
}

cluster_start
n=$NODE_ZEN
test_case "zen: X" grant_is "$n" 0-5 --bunit=X --bamount=1
test_case "zen: two X" grant_is "$n" 0-11 --bunit=X --bamount=2
test_case "zen: C" grant_is "$n" 0-1 --bunit=C --bamount=1
test_case "zen: two C" grant_is "$n" 0-3 --bunit=C --bamount=2
test_case "zen: S" grant_is "$n" 0-47 --bunit=S --bamount=1
test_case "zen: both S" grant_is "$n" 0-95 --bunit=S --bamount=2
test_case "zen: N" grant_is "$n" 0-95 --bunit=N --bamount=1
test_case "zen: Y" grant_is "$n" 0-1 --bunit=Y --bamount=1
test_case "zen: no unit named means C" grant_is "$n" 0-1 --bamount=1
test_case "zen: all in one option" \
	grant_is "$n" 0-5 --topobind=bunit=X,bamount=1
test_case "zen: scatter" \
	grant_is "$n" 0-1,48-49 -n2 --bunit=C --bamount=1 --bstrategy=scatter
test_case "zen: first core masked" \
	grant_is "$n" 2-3 --bunit=C --bamount=1 --bfilter=first_core
test_case "zen: X with its first core masked" \
	grant_is "$n" 0-5 --bunit=X --bamount=1 --bfilter=first_core
n=$NODE_POWER
test_case "power: N" grant_is "$n" 0-31 --bunit=N --bamount=1
test_case "power: S" grant_is "$n" 0-3 --bunit=S --bamount=1
n=$NODE_CACHE
test_case "cache: N" grant_is "$n" 0-19 --bunit=N --bamount=1
test_case "cache: X" grant_is "$n" 0-39 --bunit=X --bamount=1
n=$NODE_RAPTOR
test_case "raptor: T" grant_is "$n" 0 --bunit=T --bamount=1
test_case "raptor: ET" grant_is "$n" 12 --bunit=ET --bamount=1
test_case "raptor: C" grant_is "$n" 0-1 --bunit=C --bamount=1
test_case "raptor: E" grant_is "$n" 12-13 --bunit=E --bamount=2
test_case "raptor: Y" grant_is "$n" 0-1 --bunit=Y --bamount=1
test_case "raptor: EY" grant_is "$n" 12-15 --bunit=EY --bamount=1
test_case "raptor: X is its power cores" grant_is "$n" 0-11 --bunit=X --bamount=1
test_case "raptor: EX is the others" grant_is "$n" 12-19 --bunit=EX --bamount=1
n=$NODE_GB10
test_case "gb10: C" grant_is "$n" 5 --bunit=C --bamount=1
test_case "gb10: E" grant_is "$n" 0 --bunit=E --bamount=1
test_case "gb10: CX" grant_is "$n" 5-9 --bunit=CX --bamount=1
test_case "gb10: EX" grant_is "$n" 0-4 --bunit=EX --bamount=1
test_case "hybrid: kinds are not mixed" case_best_of_mixed_kinds
test_case "two jobs next to each other" case_next_to_each_other
test_case "two slots on one node" case_two_slots
test_case "two slots on two nodes" case_two_nodes
test_case "two slots on two nodes that differ" case_two_different_nodes
test_case "uneven slots on two nodes" case_uneven_slots_on_two_nodes
test_case "packed looks for a place that holds all" case_packed_looks_for_a_place
test_case "linear takes the next" case_linear_takes_the_next
test_case "a window that starts at a free socket" case_window_starts_at_a_free_socket
test_case "a window of one cache" case_window_of_one_cache
test_case "sort: the most used socket first" case_sort_most_used_first
test_case "a filter of another shape is refused" case_filter_of_another_shape
test_case "host type: the tasks of a node share its units" case_host_type
test_case "memory is as asked" case_memory_stays_slurms
test_case "memory is accounted" case_memory_is_accounted
test_case "cpus per task must fit into the units" case_cpus_per_task_inside_units
test_case "a thread's job owns its whole core" case_whole_cores_for_threads
test_case "the node with the units is found" case_any_node
tests_done
