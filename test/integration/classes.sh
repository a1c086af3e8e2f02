#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# classes - nodes whose units differ in size, between nodes and on one: plan, explain,
# --test-only and Reason say the same
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/same_answers.bash
. "$test_dir/same_answers.bash"

# The nodes, and the CPUs of their units X:
#
# even    4 of 8: 4 cores of two threads each
# odd     6, 8, 8 and 4: as many cores of two threads; so has ends
# small   4 of 2, and a socket of 2 cores beside them
# thread  2 of 8, counted by threads
start() {
	local smt4=CTTCTTCTTCTT smt3=CTTCTTCTT smt2=CTTCTT

	cluster_start --nodes "" \
		--machine "even SNX${smt4}X${smt4}SNX${smt4}X${smt4} 2 8 2" \
		--machine "odd SNX${smt3}X${smt4}X${smt4}X${smt2} 1 13 2" \
		--machine "ends SNX${smt3}X${smt4}X${smt4}X${smt2} 1 13 2" \
		--machine "small SXCCXCCXCCXCC 1 8 1" \
		--machine "thread SNX${smt4}X${smt4} 1 16 1" \
		--slurm "PartitionName=limited Nodes=ALL MaxCPUsPerNode=8 DefaultTime=10" \
		--slurm "PartitionName=twice Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=10" \
		--slurm "PartitionName=tight Nodes=ALL MaxCPUsPerNode=4 DefaultTime=10"
	read -r -a every < <(sinfo -h -N -p main -o %N | sort -u | paste -sd' ')
	number=${every[0]##*[a-z]}
}

assert_json() {
	assert_eq "$2" "$3" "$(explained "$1" | jq -c "$2")"
}

pick() {
	local -a words=("$@")

	picked=${words[RANDOM % $#]}
}

# In request: options that go together.
make_request() {
	pick X X X C C S T Y
	request="-t 5 --bunit=$picked"
	pick 1 1 2 3
	request+=" --bamount=$picked"
	pick -n1 -n2 -n3 -n4 -n6 "-N1 -n2" "-N1 -n3" "-N2 -n3" "-N2 -n5" "-N2-3 -n4" \
		"-n4 --ntasks-per-node=2" "-N2 --ntasks-per-node=2" \
		"-N1 -n3 --btype=host" "-N2 -n4 --btype=host" \
		"-n5 --ntasks-per-node=2 --btype=host" "-N2 -n5 --overcommit" \
		"-N1 --mincpus=9" "-n3 --threads-per-core=1"
	request+=" $picked"
	pick '' '' '' -c2 -c5 -c7 --bequal=no --bstrategy=scatter
	[[ $request$picked = *host*--bequal* ]] || request+=" $picked"
	pick '' '' '' "-p limited" "-p tight" "-p twice" \
		"-x odd$number" "-x even$number,small$number"
	request+=" $picked"
}

# The units of a job on its only node.
granted_string() {
	comment_word "$1" grant | cut -d: -f2
}

hold_some() {
	local node
	local -a options

	for node in "${every[@]}" "${every[@]}"; do
		pick "--bunit=X --bamount=1" "--bunit=C --bamount=1" \
			"--bunit=C --bamount=3" "-n1" "-n3" "-p limited -n2" \
			"-p limited --bunit=C --bamount=2" ""
		read -r -a options <<<"$picked"
		[ ${#options[@]} -eq 0 ] ||
			alloc -t $((20 + RANDOM % 40)) -w "$node" \
				"${options[@]}" >/dev/null
	done
}

case_random() {
	compare_random "$1" 20 hold_some make_request
}

# Of four units of three sizes two are alike, and one of these is in use.
case_reason() {
	local holder job

	holder=$(alloc -t 20 -w "odd$number" --bunit=X --bamount=1 -c8)
	job=$(batch -t 5 -N1 -w "odd$number" -n2 --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_contains "Reason" "only 1 of 2 slots" "$(scontrol show job "$job")"
	assert_json "$job" '[.fits_now, .would_fit, .must_end[].job]' \
		"[false,true,\"$holder\"]"
	assert_json "$job" '[.table[] | select(.slots > 0) | .slots]' '[1]'
	assert_eq "--test-only" "$(explained_in_short "$job")" \
		"$(told -t 5 -N1 -w "odd$number" -n2 --bunit=X --bamount=1)"
	cancel "$job"
	compare_answers 1 "-t 5 -N1 -w odd$number -n2 --bunit=X --bamount=1 --bequal=no"
	cancel "$holder"
	drain
}

# The second class of hosts: larger units of the nodes.
case_hosts() {
	local job

	alloc -t 20 -w "odd$number" --bunit=X --bamount=1 -c8 >/dev/null
	compare_answers 2 \
		"-t 5 -N1 -w odd$number -n4 -c2 --bunit=X --bamount=1 --btype=host" \
		"-t 5 -N2 -w odd$number,ends$number -n8 -c2 --bunit=X --bamount=1 --btype=host"
	job=$(batch -t 5 -N1 -w "odd$number" -n8 -c2 --bunit=X --bamount=2 \
		--btype=host)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" '[.fits_now, .would_fit]' '[false,true]'
	drain
}

# CPUs of the partition's jobs count, and not those of others.
case_partition_limit() {
	local holder job

	alloc -t 40 -w "even$number" --bunit=X --bamount=1 >/dev/null
	holder=$(alloc -t 20 -p limited -w "even$number" --bunit=C --bamount=1)
	job=$(batch -t 5 -p limited -w "even$number" --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" '[.fits_now, .would_fit, .must_end[].job]' \
		"[false,true,\"$holder\"]"
	compare_answers 1 "-t 5 -p limited -w even$number --bunit=X --bamount=1"
	cancel "$job"
	drain
}

# Each partition by itself: its limit, its nodes and the jobs in it.
case_partitions() {
	local holder job

	alloc -t 40 -w "even$number" --bunit=X --bamount=1 >/dev/null
	holder=$(alloc -t 20 -p limited -w "even$number" --bunit=C --bamount=1)
	job=$(batch -t 5 -p tight,limited -w "even$number" --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" '[.partition, .fits_now, .would_fit, .must_end[].job]' \
		"[\"limited\",false,true,\"$holder\"]"
	cancel "$job"
	job=$(batch -H -t 5 -p limited,main -w "even$number" --bunit=X --bamount=1)
	wait_until 20 all_show_bindings "$job"
	assert_json "$job" '[.partition, .fits_now]' '["main",true]'
	scontrol release "$job"
	wait_until 20 runs "$job"
	drain
}

# Up to two jobs of the partition have a unit, and nobody else with them.
case_shared() {
	local job holder

	holder=$(alloc -t 20 -p twice -w "even$number" --bunit=X --bamount=3)
	alloc -t 30 -p twice -w "even$number" --bunit=C --bamount=1 >/dev/null
	compare_answers 4 \
		"-t 5 -N1 -p twice -w even$number -n3 --bunit=X --bamount=1" \
		"-t 5 -N1 -p twice -w even$number -n4 -s --bunit=X --bamount=1" \
		"-t 5 -N1 -p twice -w even$number -n4 --bunit=X --bamount=1" \
		"-t 5 -N1 -p twice -w even$number -n2 --bunit=C --bamount=2" \
		"-t 5 -N1 -p twice -w even$number -n2 --bunit=C --bamount=3"
	# Slurm 24.11 looks ahead to the end of one of them only, for plain jobs, too.
	slurm_is_from 24.11 || compare_answers 2 \
		"-t 5 -N1 -w even$number -n1 --bunit=X --bamount=1" \
		"-t 5 -N1 -w even$number -n2 -s --bunit=X --bamount=1"
	assert_eq "on shared units" "$(topobind plan --json -N1 -p twice \
		-w "even$number" --bunit=X --bamount=3 |
		jq -r '.units[].topology')" \
		"$(granted_string "$(alloc -p twice -w "even$number" --bunit=X \
			--bamount=3)")"
	# It is the second one there.
	job=$(batch -t 5 -N1 -p twice -w "even$number" --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" '[.fits_now, .would_fit]' '[false,true]'
	drain
}

# With --overcommit the tasks of a node share a slot; with one thread of each core
# a slot has fewer CPUs.
case_counts() {
	alloc -t 20 -w "even$number" --bunit=X --bamount=2 >/dev/null
	compare_answers 4 \
		"-t 5 -N1 -w even$number -n9 --overcommit --bunit=X --bamount=2" \
		"-t 5 -N1 -w even$number -n9 --bunit=C --bamount=1" \
		"-t 5 -N1 -w even$number -n1 -c5 --threads-per-core=1 --bunit=X --bamount=2" \
		"-t 5 -N1 -w even$number -n1 --mincpus=17 --bunit=X --bamount=2" \
		"-t 5 -N1 -n3 -c1 -w even$number --bunit=X --bamount=1"
	drain
}

start
test_case "random requests, 1" case_random 1
test_case "random requests, 2" case_random 2
test_case "random requests, 3" case_random 3
test_case "the Reason of two units that are alike" case_reason
test_case "hosts with larger units" case_hosts
test_case "CPUs that a partition allows" case_partition_limit
test_case "several partitions" case_partitions
test_case "units that jobs share" case_shared
test_case "CPUs and slots" case_counts
tests_done
