#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# unequal - slots of unequal size in one job: bequal=no
#
# uneven   caches of 3 and of 8 cores
# pair     two caches of 3 cores
# smt      caches of 2 cores and of 1, each of two threads; counted by cores
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

unequal=(--bunit=X --bamount=1 --bequal=no)

# told JOB OPTION... - the CPUs of each task of a step, a line each, sorted
told() {
	local job=$1

	shift
	# shellcheck disable=SC2016
	within 60 srun -Q --jobid="$job" "$@" sh -c \
		'echo "${SLURMD_NODENAME%%[0-9]*} $TOPOBIND_CPUS"' | sort
}

refused() {
	refute sbatch -o /dev/null "$@" --wrap true
}

waits_because() {
	scontrol show job "$1" | grep -F "waiting=$2" >/dev/null
}

case_one_node() {
	local job

	refused -N1 -n2 -w "$NODE_UNEVEN" --bunit=X --bamount=1
	job=$(alloc -N1 -n2 -w "$NODE_UNEVEN" "${unequal[@]}")
	assert_granted "$job" "$NODE_UNEVEN" 0-10
	assert_eq "request" bunit=X,bamount=1,bequal=no "$(binding "$job")"
	assert_eq "CPUs" 11 "$(job_field "$job" NumCPUs)"
	assert_eq "a task, a cache" "uneven 0-2
uneven 3-10" "$(told "$job" -n2)"
	assert [ -z "$(contradictions)" ]
	refused -N1 -n3 -w "$NODE_UNEVEN" "${unequal[@]}"
}

has_no_step() {
	! squeue -h -s -j "$1" -o %i | grep -q '[.][0-9]'
}

# Steps of one task have one of the slots, and two at once have both.
case_steps() {
	local job

	job=$(alloc -N1 -n2 -w "$NODE_UNEVEN" "${unequal[@]}")
	assert_eq "a step" "uneven 0-2" "$(told "$job" -n1 --exact)"
	# Its srun can end before slurmctld knows that the slot is free.
	wait_until 20 has_no_step "$job"
	srun -Q --jobid="$job" -n1 --exact sh -c "echo >$work/first; exec sleep 600" &
	wait_until 30 [ -e "$work/first" ]
	assert_eq "a second step" "uneven 3-10" "$(told "$job" -n1 --exact)"
	assert_eq "units of its own" "uneven 0
uneven 1" "$(told "$job" -n2 --overlap --bunit=C --bamount=1)"
	cancel "$job"
	wait
}

# As long as there are equal ones somewhere.
case_equal_first() {
	local first second third

	first=$(alloc -N1 -n2 "${unequal[@]}")
	assert_granted "$first" "$NODE_PAIR" 0-5
	second=$(alloc -N1 -n2 -x "$NODE_SMT" "${unequal[@]}")
	assert_granted "$second" "$NODE_UNEVEN" 0-10
	third=$(alloc -N1 -n2 "${unequal[@]}")
	assert_granted "$third" "$NODE_SMT" 0-5
	assert_eq "of threads" "smt 0-3
smt 4-5" "$(told "$third" -n2)"
	cancel "$first" "$second" "$third"
	# Only one size holds -c.
	first=$(alloc -N1 -n1 -c4 -w "$NODE_UNEVEN" "${unequal[@]}")
	assert_granted "$first" "$NODE_UNEVEN" 3-10
	cancel "$first"
	refused -N1 -n2 -c4 -w "$NODE_UNEVEN" "${unequal[@]}"
}

case_two_nodes() {
	local job

	job=$(alloc -N2 -n4 -w "$NODE_UNEVEN,$NODE_PAIR" "${unequal[@]}")
	assert_granted "$job" "$NODE_UNEVEN" 0-10
	assert_granted "$job" "$NODE_PAIR" 0-5
	assert_eq "of each task" "pair 0-2
pair 3-5
uneven 0-2
uneven 3-10" "$(told "$job" -n4)"
	cancel "$job"
	# A core is another number of CPUs on smt: these are not mixed.
	refused -N2 -n4 -w "$NODE_UNEVEN,$NODE_SMT" "${unequal[@]}"
}

case_memory() {
	local job

	job=$(alloc -N1 -n2 -w "$NODE_UNEVEN" --mem-per-cpu=10 "${unequal[@]}")
	assert_granted "$job" "$NODE_UNEVEN" 0-10
	assert_contains "TRES" "cpu=11,mem=110M" "$(job_tres "$job")"
}

case_waits_over_a_restart() {
	local holder job

	holder=$(alloc -N1 -w "$NODE_UNEVEN" --bcpus=5)
	job=$(batch -N1 -n2 -w "$NODE_UNEVEN" "${unequal[@]}")
	wait_until 20 waits_because "$job" \
		"only 1 of 2 slots (1 X each) are free, on 1 node"
	assert_contains "why" "$holder" "$(topobind explain "$job")"
	assert_contains "the plan" "not now" \
		"$(topobind plan -N1 -n2 -w "$NODE_UNEVEN" "${unequal[@]}" || true)"
	save_state "$job"
	restart_slurmctld
	wait_until 60 nodes_answer
	assert is_pending "$job"
	cancel "$holder"
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_UNEVEN" 0-10
	restart_slurmctld
	wait_until 60 nodes_answer
	assert_granted "$job" "$NODE_UNEVEN" 0-10
	refuses -w "$NODE_UNEVEN" --bunit=C --bamount=1
}

# A job of so many tasks starts if some node has so many whole caches free.
case_random() {
	local round free most wanted node cores answer

	RANDOM=7
	for round in {1..6}; do
		alloc -N1 -w "$NODE_UNEVEN" --bcpus=$((RANDOM % 11)) >/dev/null
		[ $((RANDOM % 2)) -eq 0 ] ||
			alloc -N1 -w "$NODE_PAIR" --bcpus=$((RANDOM % 6)) >/dev/null
		most=0
		for node in "$NODE_UNEVEN" "$NODE_PAIR"; do
			# In use are small letters: caches with capitals only.
			free=$(node_token "$node" m_topology_inuse |
				sed 's/[Xx]/\n&/g' | grep -c -x 'X[^a-z]*' || true)
			[ "$free" -le "$most" ] || most=$free
		done
		for wanted in 1 2; do
			answer=0
			cores=$(salloc --immediate --no-shell -N1 -n "$wanted" \
				-x "$NODE_SMT" "${unequal[@]}" 2>&1) || answer=$?
			echo "round $round: $wanted of $most: $cores"
			if [ "$wanted" -le "$most" ]; then
				assert_eq "exit code" 0 "$answer"
				cancel "$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' \
					<<<"$cores")"
			else
				assert [ "$answer" -ne 0 ]
			fi
		done
		drain
	done
}

case_offline() {
	assert_eq "placed" "granted  nsxcccxcccccccc" "$(topobind place \
		--topology NSXCCCXCCCCCCCC --slots 2 "${unequal[@]}" | head -n 1)"
	assert_contains "the plan" "now, in" \
		"$(topobind plan -N1 -n2 -w "$NODE_UNEVEN" "${unequal[@]}")"
	assert_contains "the plan" "never" "$(topobind plan -N1 -n3 \
		-w "$NODE_UNEVEN" "${unequal[@]}" || true)"
}

case_refused_at_the_client() {
	exits 1 "bequal=no does not go with btype=host" sbatch -o /dev/null \
		--btype=host "${unequal[@]}" --wrap true
	exits 1 "bequal=no does not go with bunit=ET" sbatch -o /dev/null \
		--bunit=ET --bamount=1 --bequal=no --wrap true
	exits 1 "bequal=no does not go with bcpus=0" sbatch -o /dev/null \
		--bcpus=0 --bequal=no --wrap true
	exits 1 "bequal=maybe is not allowed; allowed: yes, no" sbatch \
		-o /dev/null --bamount=1 --bequal=maybe --wrap true
	exits 1 "bequal=no needs an amount" sbatch -o /dev/null --bequal=no \
		--wrap true
}

cluster_start --nodes "" --machine "uneven NSXCCCXCCCCCCCC 1 11 1" \
	--machine "pair NSXCCCXCCC 1 6 1" --machine "smt NSXCTTCTTXCTT 1 3 2"
test_case "a small and a large cache" case_one_node
test_case "steps" case_steps
test_case "equal ones come first" case_equal_first
test_case "on two nodes" case_two_nodes
test_case "memory by CPU" case_memory
test_case "a job that waits, over restarts" case_waits_over_a_restart
test_case "random use" case_random
test_case "place and plan" case_offline
test_case "what is refused" case_refused_at_the_client
tests_done
