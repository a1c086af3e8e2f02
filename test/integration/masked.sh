#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# masked - cores on which no tasks run, by the site's filter and by jobs' own: they
# count neither as used nor as free, and who has the unit around them has them, too
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2016 # the task's variables
tell='echo "$TOPOBIND_SLOT $TOPOBIND_TOPOLOGY"'

# told_threads - of what tasks told, the threads that they may use
told_threads() {
	local string

	while read -r _ string; do
		lower_threads "$string"
	done
}

# runs_on JOB [OPTION...] - those of each task of a step
runs_on() {
	within 60 srun -Q --jobid="$1" "${@:2}" bash -c "$tell" | sort -n |
		told_threads
}

# has JOB NODE OWNED TASKS - what it has, and where its tasks run, with a semicolon
# between two tasks
has() {
	local between=${4//[^;]/}

	assert_granted "$1" "$2" "$3"
	assert_eq "tasks of job $1" "$4" \
		"$(runs_on "$1" -n$((${#between} + 1)) | paste -sd ';')"
}

# gets OWNED TASKS NODE OPTION... - such a job, and then it is cancelled
gets() {
	local job

	job=$(alloc -w "$3" "${@:4}")
	has "$job" "$3" "$1" "$2"
	cancel "$job"
}

never() {
	refute sbatch -Q -o /dev/null "$@" --wrap true
	assert no_jobs
}

masked() {
	reconfigure_with Filter=first_core
}

# --- the document's recipe --------------------------------------------------------

recipe=(--btype=host --bunit=C --bsort=S --bstart=S)

case_linear() {
	masked
	gets 1-3 1-3 "$NODE_TWO" "${recipe[@]}" --bstop=s --bamount=3
	gets 1-7 1-7 "$NODE_TWO" "${recipe[@]}" --bstop=s --bamount=7
	never -w "$NODE_TWO" "${recipe[@]}" --bstop=s --bamount=8
	gets 1-3 1-3 "$NODE_TWO" "${recipe[@]}" --bstop=S --bamount=3
	gets 1-3 1-3 "$NODE_ONE" "${recipe[@]}" --bstop=s --bamount=3
}

# A socket with a job is none to start in.
case_linear_beside_a_job() {
	masked
	alloc -w "$NODE_TWO" --bcpus=2 >/dev/null
	gets 4-7 4-7 "$NODE_TWO" "${recipe[@]}" --bstop=s --bamount=4
	refuses -w "$NODE_TWO" "${recipe[@]}" --bstop=s --bamount=5
	refuses -w "$NODE_TWO" --bunit=S --bamount=2
}

# --- units ------------------------------------------------------------------------

case_socket_of_one() {
	masked
	gets 0-3 1-3 "$NODE_ONE" --bunit=S --bamount=1
	gets 0-3 1-3 "$NODE_ONE" --bunit=S --bamount=1 --btype=host
	gets 0-1 1 "$NODE_TWO" --bunit=X --bamount=1
	gets 0-7 1-7 "$NODE_TWO" --bunit=S --bamount=2
	gets 0-3 "1;2-3" "$NODE_TWO" -n2 --bunit=X --bamount=1
	never -w "$NODE_ONE" --bunit=C --bamount=4
	never -w "$NODE_ONE" --bcpus=0-1
}

# The masked core is the job's: the cache is not shared.
case_exclusive() {
	local job

	masked
	job=$(alloc -w "$NODE_TWO" --bunit=X --bamount=1)
	alloc -w "$NODE_TWO" --bunit=S --bamount=1 >/dev/null
	alloc -w "$NODE_TWO" --bunit=X --bamount=1 >/dev/null
	refuses -w "$NODE_TWO" -n1 --bamount=0
	assert_eq contradictions "" "$(contradictions)"
	cancel "$job"
	job=$(alloc -w "$NODE_TWO" -n1 --bamount=0)
	assert_eq "a plain job" 0 "$(cpu_ids "$job")"
	refuses -w "$NODE_TWO" --bunit=X --bamount=1
	alloc -w "$NODE_TWO" --bunit=C --bamount=1 >/dev/null
	assert_eq contradictions "" "$(contradictions)"
}

# All cores are the job's, but not for its tasks.
case_whole_node() {
	masked
	gets 0-7 "1;2" "$NODE_TWO" -n2 --exclusive --bunit=C --bamount=1
	gets 0-7 "1;2-3" "$NODE_TWO" -n2 --exclusive --bunit=X --bamount=1
}

# -c must fit beside what is masked.
case_cpus_of_a_task() {
	masked
	gets 2-3 2-3 "$NODE_TWO" -n1 -c2 --bunit=X --bamount=1
	gets 2-7 "2-3;4-5;6-7" "$NODE_TWO" -n3 -c2 --bunit=X --bamount=1
	never -w "$NODE_TWO" -n4 -c2 --bunit=X --bamount=1
	gets 0-3 1-3 "$NODE_ONE" -n1 -c3 --bunit=S --bamount=1
	never -w "$NODE_ONE" -n1 -c4 --bunit=S --bamount=1
	gets 0-3 "1-3;1-3;1-3" "$NODE_ONE" -n3 --bunit=S --bamount=1 \
		--btype=host
}

# --- sorts and windows --------------------------------------------------------------

case_sorts() {
	masked
	gets 1 1 "$NODE_TWO" --bunit=C --bamount=1 --bsort=S
	gets 1 1 "$NODE_TWO" --bunit=C --bamount=1 --bsort=s
	# A plain job on the masked core is no load.
	alloc -w "$NODE_TWO" -n1 --bamount=0 >/dev/null
	gets 1 1 "$NODE_TWO" --bunit=C --bamount=1 --bsort=SX
	alloc -w "$NODE_TWO" --bcpus=4 >/dev/null
	gets 5 5 "$NODE_TWO" --bunit=C --bamount=1 --bsort=s
	gets 1 1 "$NODE_TWO" --bunit=C --bamount=1 --bsort=S
}

case_scatter() {
	masked
	gets 1,4 "1;4" "$NODE_TWO" -n2 --bunit=C --bamount=1 \
		--bstrategy=scatter
}

case_windows() {
	masked
	refuses -w "$NODE_TWO" --bunit=C --bamount=1 --bstart=s
	refuses -w "$NODE_TWO" --bunit=C --bamount=1 --bstart=c
	gets 1 1 "$NODE_TWO" --bunit=C --bamount=1 --bstart=C --bstop=C
	gets 1 1 "$NODE_TWO" --bunit=C --bamount=1 --bstart=X --bstop=X
	gets 0-1 1 "$NODE_TWO" --bunit=X --bamount=1 --bstart=X --bstop=X
	alloc -w "$NODE_TWO" --bcpus=3 >/dev/null
	gets 2 2 "$NODE_TWO" --bunit=C --bamount=1 --bstart=x
}

# --- tasks on this machine ----------------------------------------------------------

cpus_of_task() {
	srun -Q -w "$NODE_THIS" "$@" \
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
}

case_tasks_here() {
	local all first rest

	reconfigure_with
	all=$(cpus_of_task --bunit=S --bamount=1)
	first=$(cpus_of_task --bunit=C --bamount=1)
	rest=$(comm -23 <(expand_list "$all" | sort) \
		<(expand_list "$first" | sort) | as_list)
	masked
	assert_eq "a task" "$rest" "$(cpus_of_task --bunit=S --bamount=1)"
	assert_eq "of host type" "$rest" \
		"$(cpus_of_task --bunit=S --bamount=1 --btype=host)"
	sbatch -Q -W -o "$work/script" -w "$NODE_THIS" --bunit=S --bamount=1 \
		--wrap "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status"
	assert_eq "a batch script" "$rest" "$(cat "$work/script")"
	reconfigure_with
	assert_eq "the job's own filter" "$rest" \
		"$(cpus_of_task --bunit=S --bamount=1 --bfilter=first_core)"
}

# --- the job's own filter -----------------------------------------------------------

case_own_filter() {
	reconfigure_with
	gets 0-3 1-3 "$NODE_TWO" --bunit=S --bamount=1 --bfilter=first_core
	gets 0-7 "1-3;5-7" "$NODE_TWO" -n2 --bunit=S --bamount=1 \
		--bfilter=SXcCXCCSXcCXCC
	gets 1-3,6-7 1-3,6-7 "$NODE_TWO" "${recipe[@]}" --bstop=s --bamount=5 \
		--bfilter=SXcCXCCSXcCXCC
	never -w "$NODE_TWO" --bunit=S --bamount=1 --bfilter=sxccxccsxccxcc
	alloc -w "$NODE_TWO" --bcpus=0 >/dev/null
	gets 1 1 "$NODE_TWO" --bunit=C --bamount=1 --bstart=S \
		--bfilter=first_core
	gets 4-7 4-7 "$NODE_TWO" --bunit=S --bamount=1 --bfilter=first_core
}

case_both_filters() {
	masked
	gets 0-3 2-3 "$NODE_TWO" --bunit=S --bamount=1 \
		--bfilter=SXCcXCCSXCCXCC
	gets 2-3 2-3 "$NODE_TWO" --bunit=X --bamount=1 \
		--bfilter=SXCcXCCSXCCXCC
	gets 2,4 2,4 "$NODE_TWO" "${recipe[@]}" --bstop=s --bamount=2 \
		--bstrategy=linear --bfilter=SXCcXCcSXCCXCC
}

case_threads() {
	reconfigure_with
	gets 0-1 0 "$NODE_SMT" --bunit=C --bamount=1 --bfilter=SXCTtCTtXCTtCTt
	gets 0-3 0,2 "$NODE_SMT" --bunit=X --bamount=1 \
		--bfilter=SXCTtCTtXCTtCTt
	gets 0-3 "0;2" "$NODE_SMT" -n2 --bunit=T --bamount=1 \
		--bfilter=SXCTtCTtXCTtCTt
	masked
	gets 0-3 2-3 "$NODE_SMT" --bunit=X --bamount=1
	gets 2-3 2-3 "$NODE_SMT" --bunit=T --bamount=2
	gets 2-3 3 "$NODE_SMT" --bunit=C --bamount=1 \
		--bfilter=SXCTTCtTXCTTCTT
}

# --- steps ------------------------------------------------------------------------

# A step with a request of its own, in the script of its job.
case_steps() {
	local job

	masked
	job=$(alloc -w "$NODE_TWO" -n2 --bunit=S --bamount=1)
	has "$job" "$NODE_TWO" 0-7 "1-3;4-7"
	assert_eq "one task" 1-3 "$(runs_on "$job" -n1)"
	cancel "$job"
	within 120 salloc -Q -w "$NODE_TWO" -n2 --bunit=S --bamount=1 bash -c "
		srun -Q -n2 --bunit=C --bamount=1 bash -c '$tell' | sort -n
		srun -Q -n2 --bunit=X --bamount=1 bash -c '$tell' | sort -n
		srun -Q -n1 --bunit=S --bamount=2 bash -c '$tell'
		srun -Q -n1 --bamount=0 bash -c '$tell'
	" >"$work/steps"
	assert_eq "in the job" "1;2;1;2-3;1-7;1-7" \
		"$(told_threads <"$work/steps" | paste -sd ';')"
}

# --- what MPI and programs are told --------------------------------------------------

# prints TEXT OPTION... - what such a script on NODE_TWO prints
prints() {
	sbatch -Q -W -o "$work/printed" -w "$NODE_TWO" "${@:2}" --wrap "$1"
	cat "$work/printed"
}

# shellcheck disable=SC2016 # the script's variables
case_files() {
	local job options=(-n2 --bunit=S --bamount=1)

	masked
	assert_eq "by the node" "$NODE_TWO 2 main 0:1,0:2,0:3,1:0,1:1,1:2,1:3" \
		"$(prints 'cat "$TOPOBIND_PE_HOSTFILE"' "${options[@]}" \
			--binstance=pe)"
	job=$(alloc -w "$NODE_TWO" "${options[@]}")
	assert_eq "by the tool" "$NODE_TWO 2 main 0:1,0:2,0:3,1:0,1:1,1:2,1:3" \
		"$(topobind hostfile "$job")"
	cancel "$job"
	options+=(--binstance=env)
	assert_eq "CPUs in variables" 1-7 \
		"$(prints 'echo "$TOPOBIND_CPUS"' "${options[@]}")"
	assert_eq "topology in variables" 1-7 "$(lower_threads \
		"$(prints 'echo "$TOPOBIND_TOPOLOGY"' "${options[@]}")")"
}

# What a job has it had before the filter.
case_filter_under_jobs() {
	local core node socket

	reconfigure_with
	core=$(alloc -w "$NODE_SMT" -n2 --bunit=C --bamount=1)
	node=$(alloc -w "$NODE_ONE" -n4 --bunit=C --bamount=1)
	socket=$(alloc -w "$NODE_TWO" -n2 --bunit=S --bamount=1)
	masked
	has "$core" "$NODE_SMT" 0-3 "0-1;2-3"
	has "$node" "$NODE_ONE" 0-3 "0;1;2;3"
	has "$socket" "$NODE_TWO" 0-7 "1-3;4-7"
	reconfigure_with
	has "$socket" "$NODE_TWO" 0-7 "0-3;4-7"
}

# --- what is shown ------------------------------------------------------------------

case_record() {
	masked
	assert_eq "first core" SXcCXCCSXCCXCC "$(node_token "$NODE_TWO" m_filter)"
	assert_eq "of one socket" ScCCC "$(node_token "$NODE_ONE" m_filter)"
	alloc -w "$NODE_ONE" --bunit=S --bamount=1 >/dev/null
	assert_eq "in use" scccc "$(node_token "$NODE_ONE" m_topology_inuse)"
	scontrol update NodeName="$NODE_ONE" Extra=
	alloc -w "$NODE_TWO" --bunit=S --bamount=1 >/dev/null
	wait_until 60 shows_filter "$NODE_ONE" ScCCC
	conf_with Filter=first_core
	sed -i "/^NodeName=$NODE_ONE /s/\$/ Filter=SCCcC/" \
		"$cluster/etc/topobind.conf"
	reconfigure
	wait_until 60 shows_filter "$NODE_ONE" SCCcC
	reconfigure_with
	wait_until 60 shows_filter "$NODE_ONE" ''
}

shows_filter() {
	[ "$(node_token "$1" m_filter)" = "$2" ]
}

units() {
	topobind nodes --json "$1" |
		jq -c '.nodes[0].units | [.S.free, .S.total, .C.free, .C.total]'
}

case_nodes_and_map() {
	masked
	assert_eq "units, idle" '[1,1,3,3]' "$(units "$NODE_ONE")"
	assert_eq "units of two sockets" '[2,2,7,7]' "$(units "$NODE_TWO")"
	assert_eq "filtered" ScCCC "$(topobind map --json "$NODE_ONE" |
		jq -r '.. | .filtered? // empty')"
	assert grep -q -w -- '-' <(topobind map "$NODE_ONE")
	alloc -w "$NODE_ONE" --bunit=S --bamount=1 >/dev/null
	assert_eq "units, full" '[0,1,0,3]' "$(units "$NODE_ONE")"
	alloc -w "$NODE_TWO" --bunit=C --bamount=1 >/dev/null
	assert_eq "units beside a core" '[1,2,6,7]' "$(units "$NODE_TWO")"
}

# planned OPTION... - the grant of topobind plan
planned() {
	topobind plan --json "$@" | jq -r '.units[0].topology'
}

case_plan() {
	local job options line

	masked
	alloc -w "$NODE_TWO" --bcpus=5 >/dev/null
	while read -r line; do
		read -ra options <<<"-w $NODE_TWO $line"
		job=$(alloc "${options[@]}")
		line=$(granted "$job")
		cancel "$job"
		assert_eq "${options[*]}" "$line" \
			"$(lower_threads "$(planned "${options[@]}")")"
	done <<-'END'
		--bunit=S --bamount=1
		--bunit=X --bamount=1
		-n2 --bunit=X --bamount=1
		-n1 -c2 --bunit=X --bamount=1
		--bunit=C --bamount=2
		--bunit=C --bamount=3 --btype=host --bsort=S --bstart=S --bstop=s
		--bunit=C --bamount=1 --bsort=s
		--bunit=S --bamount=1 --bfilter=SXCcXCCSXCCXCC
		--bunit=C --bamount=2 --bfilter=SXCcXCCSXCCXCC
	END
	exits 1 "" topobind plan -w "$NODE_TWO" --bunit=S --bamount=2
	exits 2 "has only 3 C cores that are not masked" \
		topobind plan -w "$NODE_ONE" --bunit=C --bamount=4
}

case_explain() {
	local holder job

	masked
	holder=$(alloc -w "$NODE_ONE" -n1 --bamount=0)
	assert_eq "a plain job" 0 "$(cpu_ids "$holder")"
	job=$(batch -w "$NODE_ONE" --bunit=S --bamount=1)
	wait_until 60 was_passed_over "$job"
	assert_contains explain "$holder" "$(topobind explain "$job")"
	cancel "$holder"
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_ONE" 0-3
}

cluster_start --nodes this --machine "one SCCCC 1 4 1" \
	--machine "two SXCCXCCSXCCXCC 2 4 1" \
	--machine "smt SXCTTCTTXCTTCTT 1 4 2"
test_case "linear binding as in the document" case_linear
test_case "linear binding beside a job" case_linear_beside_a_job
test_case "the only socket, caches, several" case_socket_of_one
test_case "who has a cache has all of it" case_exclusive
test_case "a whole node" case_whole_node
test_case "-c fits beside what is masked" case_cpus_of_a_task
test_case "sorts" case_sorts
test_case "scatter" case_scatter
test_case "windows" case_windows
test_case "tasks on this machine" case_tasks_here
test_case "the job's own filter" case_own_filter
test_case "the filters of site and job" case_both_filters
test_case "single threads of cores" case_threads
test_case "steps" case_steps
test_case "host files, rank files and variables" case_files
test_case "a filter that comes and goes under jobs" case_filter_under_jobs
test_case "m_filter= in the node's record" case_record
test_case "nodes and map" case_nodes_and_map
test_case "plan says what the controller does" case_plan
test_case "explain" case_explain
tests_done
