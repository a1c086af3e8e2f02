#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# language - which nodes, which CPUs, who binds: btopology, bcpus, binstance,
# and filters of the site beside those of a job
#
# Expected threads are written out: positions in the node's topology string
# (test/data/topologies, contribs/cluster).
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# refused OPTION... - at submission, and no job comes of it
refused() {
	local before

	before=$(squeue -h -o %i | sort)
	refute sbatch -o /dev/null "$@" --wrap true
	assert_eq jobs "$before" "$(squeue -h -o %i | sort)"
}

# refused_with PART OPTION... - the sentence names what is wrong
refused_with() {
	local part=$1 output

	shift
	output=$(sbatch -o /dev/null "$@" --wrap true 2>&1) &&
		fail "submitted: $*"
	echo "$output"
	assert_contains "the refusal of $*" "$part" "$output"
	assert no_jobs
}

# grant_is NODE LIST OPTION...
grant_is() {
	local node=$1 list=$2 job

	shift 2
	job=$(alloc -w "$node" "$@")
	assert_granted "$job" "$node" "$list"
	assert_no_contradictions
}

# The sentence waiting= in the job's SystemComment.
waits_because() {
	scontrol show job "$1" | grep "waiting=$2" >/dev/null
}

# --- btopology --------------------------------------------------------------

case_topology_picks_the_node() {
	local node other job

	for node in "$NODE_ZEN" "$NODE_SKYLAKE" "$NODE_RAPTOR"; do
		job=$(alloc --bunit=S --bamount=1 \
			--btopology="$(node_token "$node" m_topology)")
		assert_eq "node of job $job" "$node" "$(job_field "$job" NodeList)"
		assert_no_contradictions
		cancel "$job"
	done
	other=$(node_token "$NODE_ZEN" m_topology)
	refused -w "$NODE_SKYLAKE" --bamount=1 --btopology="$other"
	job=$(alloc -w "$NODE_ZEN" --bamount=1 --btopology="$other")
	assert_granted "$job" "$NODE_ZEN" 0-1
}

case_topology_that_no_node_has() {
	refused --bamount=1 --btopology=NSXCCC
	refused --bcpus=0 --btopology=NSXCCC
}

case_topology_waits_for_its_node() {
	local holder job string

	string=$(node_token "$NODE_RAPTOR" m_topology)
	holder=$(alloc -w "$NODE_RAPTOR" --bunit=S --bamount=1)
	assert runs "$holder"
	# The other nodes are idle, but of another shape.
	job=$(batch --bunit=S --bamount=1 --btopology="$string")
	wait_until 20 waits_because "$job" \
		"no node has 1 free S unit: 1 node has 0, 3 nodes have another topology"
	cancel "$holder"
	wait_until 30 runs "$job"
	assert_eq node "$NODE_RAPTOR" "$(job_field "$job" NodeList)"
}

# --- bcpus ------------------------------------------------------------------

case_cpus_own_whole_cores() {
	local job

	# zen's Slurm cores are cores of two threads.
	job=$(alloc -w "$NODE_ZEN" --bcpus=1,6-7)
	assert_granted "$job" "$NODE_ZEN" 0-1,6-7
	assert_eq request bcpus=1+6-7 "$(binding "$job")"
	assert_no_contradictions
}

case_cpus_tasks_are_told_the_list() {
	local output

	# shellcheck disable=SC2016
	output=$(srun -Q -w "$NODE_ZEN" -n2 --bcpus=1,6-7 \
		sh -c 'echo "$TOPOBIND_CPUS $TOPOBIND_SLOT"' | sort -u)
	assert_eq "told" "1,6-7 0" "$output"
}

case_cpus_of_a_thread_granular_node() {
	local first second

	# The two threads of one core, for two jobs.
	first=$(alloc -w "$NODE_RAPTOR" --bcpus=0)
	second=$(alloc -w "$NODE_RAPTOR" --bcpus=1,19)
	assert_granted "$first" "$NODE_RAPTOR" 0
	assert_granted "$second" "$NODE_RAPTOR" 1,19
	assert_no_contradictions
}

case_cpus_on_two_nodes() {
	local job

	job=$(alloc -N2 -n2 -w "$NODE_ZEN,$NODE_SKYLAKE" --bcpus=4-7)
	assert_granted "$job" "$NODE_ZEN" 4-7
	assert_granted "$job" "$NODE_SKYLAKE" 4-7
	assert_no_contradictions
}

case_cpus_wait_until_they_are_free() {
	local holder job

	holder=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=1)
	assert_granted "$holder" "$NODE_ZEN" 0-1
	job=$(batch -w "$NODE_ZEN" --bcpus=1-2)
	wait_until 20 waits_because "$job" "no required node has CPUs 1-2 free: 1 node has some of them in use"
	assert is_pending "$job"
	cancel "$holder"
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-3
}

case_cpus_find_their_node() {
	local holder job

	# CPU 95 is there on zen only, of all nodes that this cluster has.
	holder=$(alloc -w "$NODE_SKYLAKE" --bcpus=0)
	job=$(alloc --bcpus=95)
	assert_eq node "$NODE_ZEN" "$(job_field "$job" NodeList)"
	assert_granted "$job" "$NODE_ZEN" 94-95
	assert runs "$holder"
	refused --bcpus=96
	refused -w "$NODE_RAPTOR" --bcpus=20
}

case_cpus_per_task_must_fit() {
	grant_is "$NODE_ZEN" 0-3 --bcpus=0-3 -n1 -c4
	refused -w "$NODE_ZEN" --bcpus=0-3 -n1 -c5
}

case_cpus_in_a_line_and_the_environment() {
	grant_is "$NODE_ZEN" 8-9,12-13 --topobind=bcpus=8-9+12
	TOPOBIND=bcpus=16-17+20 grant_is "$NODE_ZEN" 16-17,20-21
	# What is said closer to the command displaces it.
	TOPOBIND=bcpus=30 grant_is "$NODE_ZEN" 0-5 --bunit=X --bamount=1
	TOPOBIND=bunit=X,bamount=1 grant_is "$NODE_ZEN" 30-31 --bcpus=30
}

case_step_with_cpus_of_its_own() {
	local job output=$work/step

	# shellcheck disable=SC2016
	job=$(sbatch --parsable -w "$NODE_ZEN" -n1 --bunit=X --bamount=1 \
		-o "$output" --wrap '
	srun -Q -n1 --bcpus=2,5 sh -c "echo \$TOPOBIND_CPUS"
	srun -Q -n1 --bcpus=6 sh -c "echo ran outside" || echo refused')
	wait_until 30 is_over "$job"
	cat "$output"
	assert_eq "CPUs of the step" 2,5 "$(head -n 1 "$output")"
	assert grep -q refused "$output"
	refute grep -q 'ran outside' "$output"
}

case_cpus_hold_every_task() {
	local output

	# This machine: every task on CPU 0 of its string alone.
	output=$(srun -Q -w "$NODE_THIS" -n2 --overcommit --bcpus=0 sh -c \
		'grep Cpus_allowed_list /proc/self/status' | tr -dc '0-9,\n-' |
		sort)
	assert_eq "CPUs of two tasks" "$(first_os_cpu)
$(first_os_cpu)" "$output"
}

first_os_cpu() {
	topobind topology --json | tr -d ' \n' |
		sed -n 's/.*"os_cpus":\[\([0-9]*\)[],].*/\1/p'
}

# --- binstance --------------------------------------------------------------

# Two tasks, a core each: they know their own and may run on both.
case_env_leaves_tasks_free() {
	local output

	# shellcheck disable=SC2016
	output=$(srun -Q -w "$NODE_THIS" -n2 --cpu-bind=none --bunit=C \
		--bamount=1 --binstance=env bash -c '
	allowed=$(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)
	echo "$TOPOBIND_INSTANCE $SGE_BINDING_INSTANCE $TOPOBIND_SLOT" \
		"$TOPOBIND_CPUS $allowed"' | sort)
	echo "$output"
	assert_eq lines 2 "$(wc -l <<<"$output")"
	assert_eq "instances" "env env" \
		"$(cut -d ' ' -f 1,2 <<<"$output" | sort -u)"
	assert_eq "slots" "0 1" "$(cut -d ' ' -f 3 <<<"$output" | paste -sd' ')"
	assert_eq "CPUs told" 2 "$(cut -d ' ' -f 4 <<<"$output" | sort -u | wc -l)"
	assert_eq "CPUs allowed" "$(cut -d ' ' -f 4 <<<"$output" | while read -r list; do
		expand_list "$list"
	done | as_list)" "$(cut -d ' ' -f 5 <<<"$output" | sort -u)"
}

case_env_stays_off_other_jobs() {
	local output cpus other

	output=$(srun -Q -w "$NODE_THIS" -n1 --cpu-bind=none --bunit=C \
		--bamount=1 --binstance=env \
		sh -c 'grep Cpus_allowed_list /proc/self/status')
	cpus=$(tr -dc '0-9,-' <<<"$output")
	other=$(comm -23 <(expand_list "$(cat /sys/devices/system/cpu/online)" |
		sort) <(expand_list "$cpus" | sort) | sed -n 1p)
	[ -n "$other" ] || fail "this test needs two cores"
	refute srun -Q -w "$NODE_THIS" -n1 --cpu-bind=none --bunit=C --bamount=1 \
		--binstance=env taskset -c "$other" true
}

case_set_is_the_default() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bamount=1 --binstance=set)
	assert_eq request bamount=1 "$(binding "$job")"
	cancel "$job"
	job=$(alloc -w "$NODE_ZEN" --bamount=1 --binstance=env)
	assert_eq request bamount=1,binstance=env "$(binding "$job")"
	assert_granted "$job" "$NODE_ZEN" 0-1
}

# --- refused ----------------------------------------------------------------

case_sentences() {
	refused_with 'set, env, pe' --bamount=1 --binstance=nobody
	refused_with 'lower case' --bamount=1 --btopology=NScC
	refused_with 'the largest number allowed is 65535' --bcpus=65536
	refused_with 'did you mean linear' --bamount=1 --bstrategy=liner
}

case_combinations() {
	local option

	for option in bunit=X bamount=1 btype=slot btype=host \
		bstrategy=packed bsort=S bstart=S bstop=S bfilter=first_core; do
		refused_with "$option does not go with bcpus=0" \
			--bcpus=0 "--$option"
	done
	refused_with 'needs an amount' --binstance=env
	refused_with 'needs an amount' --bmem=local
}

case_variable_is_read_strictly() {
	local line

	for line in bcpus=0,bamount=1 bcpus=99999 bcpus=0+ bcpus=0,1 \
		binstance=no,bamount=1 btopology=NSc,bamount=1; do
		refute env TOPOBIND="$line" sbatch -o /dev/null --wrap true
	done
	assert no_jobs
}

# --- filters ----------------------------------------------------------------

# zen's string with its cores from the A-th to the B-th masked.
cores_masked() {
	awk -v s="$(node_token "$NODE_ZEN" m_topology)" -v a="$1" -v b="$2" '
	BEGIN {
		for (i = 1; i <= length(s); i++) {
			c = substr(s, i, 1)
			core += c == "C"
			masked = c ~ /[CT]/ && a <= core && core <= b
			out = out (masked ? tolower(c) : c)
		}
		print out
	}'
}

case_filter_forms() {
	local string

	string=$(cores_masked 2 2)
	grant_is "$NODE_ZEN" 2-3 --bamount=1 --bfilter=first_core
	drain
	grant_is "$NODE_ZEN" 2-3 --bfilter=first_core
	drain
	grant_is "$NODE_ZEN" 4-5 --bamount=1 --bfilter="$(cores_masked 1 2)"
	drain
	grant_is "$NODE_ZEN" 4-5 --bamount=1 --bfilter="first_core+$string"
}

case_filter_of_the_site_adds() {
	# The site masks the first core, the job the same, or the second.
	grant_is "$NODE_ZEN" 2-3 --bamount=1
	drain
	grant_is "$NODE_ZEN" 2-3 --bamount=1 --bfilter=first_core
	drain
	grant_is "$NODE_ZEN" 2-3 --bfilter=first_core
	drain
	grant_is "$NODE_ZEN" 4-5 --bamount=1 --bfilter="$(cores_masked 2 2)"
	drain
	# The cache around the masked core is had as a whole.
	grant_is "$NODE_ZEN" 0-5 --bunit=X --bamount=1
	drain
	refused -w "$NODE_ZEN" --bcpus=0-1
	refused -w "$NODE_ZEN" --bcpus=1-2
	grant_is "$NODE_ZEN" 2-3 --bcpus=2
}

cluster_start --nodes this,zen,skylake,raptor
test_case "btopology: the job goes to the node of that shape" case_topology_picks_the_node
test_case "btopology: a shape that no node has is refused" case_topology_that_no_node_has
test_case "btopology: the job waits for its node" case_topology_waits_for_its_node
test_case "bcpus: whole cores where Slurm counts cores" case_cpus_own_whole_cores
test_case "bcpus: tasks are told the list" case_cpus_tasks_are_told_the_list
test_case "bcpus: threads where Slurm counts threads" case_cpus_of_a_thread_granular_node
test_case "bcpus: on each of two nodes" case_cpus_on_two_nodes
test_case "bcpus: the job waits until they are free" case_cpus_wait_until_they_are_free
test_case "bcpus: the node that has them" case_cpus_find_their_node
test_case "bcpus: -c must fit into the list" case_cpus_per_task_must_fit
test_case "bcpus: in one line, and instead of units" case_cpus_in_a_line_and_the_environment
test_case "bcpus: of a step inside its job" case_step_with_cpus_of_its_own
test_case "bcpus: all tasks are held on the list" case_cpus_hold_every_task
test_case "binstance: env leaves tasks free in their job" case_env_leaves_tasks_free
test_case "binstance: env does not leave the job" case_env_stays_off_other_jobs
test_case "binstance: set is the default" case_set_is_the_default
test_case "refusals say what is allowed" case_sentences
test_case "bcpus with what chooses units is refused" case_combinations
test_case "the variable TOPOBIND is read strictly" case_variable_is_read_strictly
test_case "filter: both forms" case_filter_forms
cluster_stop
cluster_start --nodes zen --topobind Filter=first_core
test_case "filter: those of site and job add up" case_filter_of_the_site_adds
cluster_stop
cluster_start --nodes this --slurm TaskPlugin=task/topobind
test_case "topobind alone: env leaves tasks free in their job" case_env_leaves_tasks_free
test_case "topobind alone: env does not leave the job" case_env_stays_off_other_jobs
test_case "topobind alone: all tasks are held on the list" case_cpus_hold_every_task
tests_done
