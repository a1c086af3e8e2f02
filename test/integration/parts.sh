#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# parts - bunit=X:1+C:2: units of two kinds on each node, which a job has together
#
# two      two sockets of two caches of two cores; like is as it is
# flat     two sockets of four cores of two threads, without caches
# mixed    a cache of two power cores, one of four efficiency cores
# this     this machine: tasks run on it
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# parts X:1+C:2 - as options
parts() {
	parts=(--btype=host "--bunit=$1")
}

# gives NODE LIST UNITS OPTION... - such a job is granted these threads
gives() {
	local node=$1 list=$2 job

	parts "$3"
	shift 3
	job=$(alloc -N1 -w "$node" "${parts[@]}" "$@")
	assert_granted "$job" "$node" "$list"
	assert_no_contradictions
	cancel "$job"
}

# told JOB OPTION... - what each task of a step is told, a line each
told_parts() {
	local job=$1

	shift
	# shellcheck disable=SC2016
	within 60 srun -Q --jobid="$job" "$@" sh -c 'echo \
		"${SLURMD_NODENAME%%[0-9]*} $TOPOBIND_CPUS" \
		"${TOPOBIND_PART1:--}=${TOPOBIND_PART1_CPUS:--}" \
		"${TOPOBIND_PART2:--}=${TOPOBIND_PART2_CPUS:--}"' | sort
}

# --- where they lie -----------------------------------------------------------

case_where() {
	gives "$NODE_TWO" 0-2 X:1+C:1
	gives "$NODE_TWO" 0-3 X:1+C:2
	gives "$NODE_TWO" 0-2 C:1+X:1
	gives "$NODE_TWO" 0-4 X:2+C:1
	gives "$NODE_TWO" 0-5 N:1+X:1
	gives "$NODE_TWO" 0-3 X:1+C:2 -n4
	# The socket is the larger one; without caches X is one, too.
	gives "$NODE_FLAT" 0-11 S:1+C:2
	gives "$NODE_FLAT" 0-9 X:1+C:1
	gives "$NODE_MIXED" 0-3 X:1+E:2
	gives "$NODE_MIXED" 0-5 X:1+EX:1
	gives "$NODE_MIXED" 0,2-5 EX:1+C:1
}

case_beside_others() {
	local job other

	alloc -w "$NODE_TWO" --bcpus=3 >/dev/null
	# In the first socket one core is left beside a cache.
	job=$(alloc -w "$NODE_TWO" --btype=host --bunit=X:1+C:2)
	assert_granted "$job" "$NODE_TWO" 4-7
	other=$(alloc -w "$NODE_TWO" --btype=host --bunit=X:1+C:1)
	assert_granted "$other" "$NODE_TWO" 0-2
	assert_no_contradictions
	refuses -w "$NODE_TWO" --bamount=1
	refuses -w "$NODE_TWO" -n1
}

# place_says NODE UNITS - where they lie beside what is in use there; nothing: nowhere
place_says() {
	topobind place --topology "$(node_token "$1" m_topology_inuse)" \
		--btype host --bunit "$2" |
		sed -n 's/^  slot 0 *threads //p' || true
}

# started NODE UNITS - the id of such a job; nothing: it does not start now
started() {
	within 30 salloc --immediate --no-shell -w "$1" -N1 --btype=host \
		--bunit="$2" 2>&1 |
		sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' || true
}

# Random requests beside random jobs start where "topobind place" puts them.
case_as_place_says() {
	local kinds=(X C N S C EX X) nodes=("$NODE_TWO" "$NODE_FLAT" "$NODE_MIXED")
	local jobs=() first second node units where job

	RANDOM=${TOPOBIND_SEED:-19}
	for _ in {1..40}; do
		node=${nodes[RANDOM % 3]}
		first=$((RANDOM % 7))
		second=$(((first + 1 + RANDOM % 3) % 7))
		[ "${kinds[first]}" != "${kinds[second]}" ] || continue
		units="${kinds[first]}:1+${kinds[second]}:$((1 + RANDOM % 3))"
		where=$(place_says "$node" "$units")
		job=$(started "$node" "$units")
		assert_eq "$units on $node" "$where" \
			"${job:+"$(granted "$job" "$node")"}"
		assert_no_contradictions
		[ -z "$job" ] || jobs+=("$job")
		if [ "${#jobs[@]}" -gt 2 ]; then
			cancel "${jobs[0]}"
			jobs=("${jobs[@]:1}")
		fi
	done
}

# Both parts lie on each node; a job has tasks on all of them.
case_on_nodes() {
	local job

	job=$(alloc -N2 -n4 -w "$NODE_TWO,$NODE_LIKE" --btype=host \
		--bunit=X:1+C:1)
	assert_granted "$job" "$NODE_TWO" 0-2
	assert_granted "$job" "$NODE_LIKE" 0-2
	assert_eq "its request" "bunit=X:1+C:1,btype=host" "$(binding "$job")"
	assert_eq "four tasks" "like 0-2 X:1=0-1 C:1=2
like 0-2 X:1=0-1 C:1=2
two 0-2 X:1=0-1 C:1=2
two 0-2 X:1=0-1 C:1=2" "$(told_parts "$job" -n4)"
	assert_no_contradictions
}

case_array_and_components() {
	local job

	job=$(batch -w "$NODE_TWO" --array=0-2 --btype=host --bunit=X:1+C:1)
	wait_until 30 two_run "$job"
	assert_no_contradictions
	cancel "$job"
	job=$(alloc -N1 -w "$NODE_TWO" --btype=host --bunit=X:1+C:1 : -N1 \
		-w "$NODE_LIKE" --btype=host --bunit=C:1+X:2)
	assert_granted "$job" "$NODE_TWO" 0-2
	assert_granted "$((job + 1))" "$NODE_LIKE" 0-4
}

# The second socket holds one of them, too; for the third no cache is left.
two_run() {
	[ "$(squeue -h -r -t R -j "$1" -o %i | wc -l)" = 2 ]
}

# --- it waits until both are free ---------------------------------------------------

case_waits() {
	local why first second job

	why="no required node has 1 free X unit and 3 free C units (fragmented: 1)"
	first=$(alloc -w "$NODE_TWO" --bcpus=2,6)
	second=$(alloc -w "$NODE_TWO" --bcpus=4)
	job=$(batch -w "$NODE_TWO" --btype=host --bunit=X:1+C:4)
	wait_until 30 waits_for "$job" \
		"no required node has 1 free X unit and 4 free C units (fragmented: 0)"
	cancel "$job"
	# There is a cache, and there are three cores, but not in one socket's rest.
	alloc -w "$NODE_TWO" --bcpus=0 >/dev/null
	job=$(batch -w "$NODE_TWO" --btype=host --bunit=X:1+C:2)
	why="no required node has 1 free X unit and 2 free C units (fragmented: 1)"
	wait_until 30 waits_for "$job" "$why"
	save_state "$job"
	daemon slurmctld kill
	daemon slurmctld start
	wait_until 60 nodes_answer
	assert is_pending "$job"
	cancel "$second"
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_TWO" 1,3-5
	assert_no_contradictions
	cancel "$first"
	restart_slurmctld
	wait_until 60 nodes_answer
	assert_granted "$job" "$NODE_TWO" 1,3-5
	assert_eq "a step" "two 1,3-5 X:1=4-5 C:2=1,3" \
		"$(told_parts "$job" --overlap -n1)"
	reconfigure
	assert_granted "$job" "$NODE_TWO" 1,3-5
	refuses -w "$NODE_TWO" --bcpus=4
}

case_when() {
	alloc -t 60 -w "$NODE_TWO" --bcpus=0,4 >/dev/null
	alloc -t 10 -w "$NODE_TWO" --bcpus=2,6 >/dev/null
	assert_told 8 12 -w "$NODE_TWO" --btype=host --bunit=X:1+C:2
	assert_told 8 12 -w "$NODE_TWO" --btype=host --bunit=X:2+C:2
	assert_told 58 62 -w "$NODE_TWO" --btype=host --bunit=X:3+C:1
}

# --- steps -----------------------------------------------------------------------

case_steps() {
	local job

	job=$(alloc -N1 -w "$NODE_TWO" --btype=host --bunit=X:1+C:2 -n2)
	assert_eq "two tasks" "two 0-3 X:1=0-1 C:2=2-3
two 0-3 X:1=0-1 C:2=2-3" "$(told_parts "$job" -n2)"
	# Its parts are those of the job, of which it has some cores.
	assert_eq "a step of one core" "two 0 X:1=0 C:2=NONE" \
		"$(told_parts "$job" --exact -n1 -c1)"
	assert_eq "without a binding" "two  -=- -=-" \
		"$(told_parts "$job" -n1 --bamount=0)"
	assert_eq "with its own" "two 0 -=- -=-" "$(told_parts "$job" -n1 \
		--btype=slot --bunit=C --bamount=1)"
	cancel "$job"
	# shellcheck disable=SC2016
	assert_eq "with its own parts" "C:1 2 X:1 0-1" "$(within 60 salloc -Q -N1 \
		-w "$NODE_TWO" --btype=host --bunit=X:1+C:2 \
		srun -Q --btype=host --bunit=C:1+X:1 sh -c 'echo \
		$TOPOBIND_PART1 $TOPOBIND_PART1_CPUS \
		$TOPOBIND_PART2 $TOPOBIND_PART2_CPUS')"
	exits 1 "hold 0 slots of 2 X units and 1 C unit" within 60 salloc -Q \
		-N1 -w "$NODE_TWO" --btype=host --bunit=X:1+C:2 \
		srun --btype=host --bunit=X:2+C:1 true
	# shellcheck disable=SC2016
	sbatch -Q -W -N1 -w "$NODE_LIKE" -o "$work/out" --btype=host \
		--bunit=C:2+X:1 --wrap 'echo $TOPOBIND_PART1=$TOPOBIND_PART1_CPUS
		echo $TOPOBIND_PART2=$TOPOBIND_PART2_CPUS
		srun -Q sh -c "echo \$TOPOBIND_PART2_CPUS"
		srun -Q --bamount=0 sh -c "echo \$TOPOBIND_PART1"'
	assert_eq "a script" "C:2=2-3
X:1=0-1
0-1
C:2" "$(cat "$work/out")"
}

in_proc='grep Cpus_allowed_list /proc/self/status'

# Of this machine all cores; the kernel says where a task may run.
case_held() {
	local out cpus

	out=$(srun -Q -N1 -n1 -w "$NODE_THIS" --mem=100 --btype=host \
		--bunit=Y:1+C:1 sh -c "$in_proc; echo cpus=\$TOPOBIND_CPUS
		echo one=\$TOPOBIND_PART1_CPUS two=\$TOPOBIND_PART2_CPUS")
	cpus=$(sed -n 's/^cpus=//p' <<<"$out")
	assert_eq "the task may run on" "$cpus" \
		"$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' <<<"$out")"
	assert_eq "its parts" "$(expand_list "$cpus" | sort -n)" "$(
		expand_list "$(sed -n 's/^one=\(.*\) two=.*/\1/p' <<<"$out")"
		expand_list "$(sed -n 's/^one=.* two=//p' <<<"$out")"
	)"
}

# --- others ------------------------------------------------------------------------

# Nobody has a part of it, or the same units, where other jobs share theirs.
case_not_shared() {
	local job i

	job=$(alloc -p shared -w "$NODE_TWO" --btype=host --bunit=X:1+C:1)
	assert_granted "$job" "$NODE_TWO" 0-2
	for i in 1 2 3 4; do
		alloc -p shared -w "$NODE_TWO" --bunit=X --bamount=1 >/dev/null
	done
	refuses -p shared -w "$NODE_TWO" --bunit=X --bamount=1
	assert_eq "who has its cores" "$job" "$(facts | awk -v node="$NODE_TWO" \
		'$1 == "cpu" && $3 == node && $4 < 3 { print $2 }' | sort -u)"
	refuses -p shared -w "$NODE_TWO" --btype=host --bunit=C:1+X:1
}

case_preempts() {
	local low high

	low=$(batch -p low -w "$NODE_TWO" --bcpus=0,4)
	wait_until 20 runs "$low"
	high=$(batch -p high -w "$NODE_TWO" --btype=host --bunit=X:3+C:1)
	wait_until 60 runs "$high"
	assert_granted "$high" "$NODE_TWO" 0-6
	assert_no_contradictions
}

# --- the command and bad input ------------------------------------------------------

case_command() {
	local job out

	out=$(topobind plan -N1 -w "$NODE_TWO" --btype=host --bunit=X:1+C:1)
	assert_contains "plan, now" "now, in" "$out"
	assert_contains "its units" NSxccXcC "$out"
	alloc -w "$NODE_TWO" --bcpus=0,2,4 -t 60 >/dev/null
	job=$(batch -w "$NODE_TWO" --btype=host --bunit=X:1+C:4)
	wait_until 20 was_passed_over "$job"
	out=$(topobind explain "$job")
	assert_contains "explain" "1 X unit and 4 C units" "$out"
	cancel "$job"
	job=$(batch -w "$NODE_TWO" --btype=host --bunit=X:1+C:1)
	wait_until 30 runs "$job"
	out=$(topobind job "$job")
	assert_contains "job" "X:1+C:1" "$out"
	assert_eq "its cores" 3 \
		"$(topobind job --json "$job" | jq '.jobs[0].nodes[0].units')"
}

case_update() {
	local job

	alloc -w "$NODE_TWO" --bcpus=0,2,4 >/dev/null
	job=$(batch -w "$NODE_TWO" --bunit=X --bamount=2)
	wait_until 20 was_passed_over "$job"
	exits 2 "add btype=host" topobind update "$job" --bunit=X:1+C:1
	topobind update "$job" --btype=host --bunit=X:1+C:1
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_TWO" 5-7
}

case_bad_input() {
	local units

	for units in X:1+T:1 X:1+X:2 X:1+C:2+E:1 'X:1+C:2|N:1' X:1+ + X:1+C:0; do
		exits 1 "bunit=$units" sbatch -o /dev/null --btype=host \
			--bunit="$units" --wrap true
	done
	exits 1 "add btype=host" sbatch -o /dev/null --bunit=X:1+C:2 --wrap true
	exits 1 "bstart=S does not go" sbatch -o /dev/null --btype=host \
		--bunit=X:1+C:2 --bstart=S --wrap true
	# No node has so many, alone or beside each other.
	exits 1 "has 5 X units and 1 C unit" sbatch -o /dev/null --btype=host \
		-w "$NODE_TWO" --bunit=X:5+C:1 --wrap true
	exits 1 "has 4 X units and 1 C unit" sbatch -o /dev/null --btype=host \
		-w "$NODE_TWO" --bunit=X:4+C:1 --wrap true
	# Clients without the plugin.
	for units in X:1+C:1 X:1+C:1,btype=slot X:1+X:1,btype=host \
		X:1+T:1,btype=host 'X:1+C:1|N:1,btype=host' +,btype=host; do
		refute "$work/hostile" "$NODE_TWO" \
			"_SLURM_SPANK_OPTION_topobind_topobind=bunit=$units"
	done
	assert "$work/hostile" "$NODE_TWO" \
		"_SLURM_SPANK_OPTION_topobind_topobind=bunit=X:1+C:1,btype=host"
	wait_until 10 nodes_answer
}

cluster_start --nodes this --machine "two NSXCCXCCNSXCCXCC 2 4 1" \
	--machine "like NSXCCXCCNSXCCXCC 2 4 1" \
	--machine "flat SCTTCTTCTTCTTSCTTCTTCTTCTT 2 4 2" \
	--machine "mixed SXCCXEEEE 1 6 1" \
	--slurm "PartitionName=shared Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=10" \
	--slurm "PartitionName=low Nodes=ALL PriorityTier=1 DefaultTime=10" \
	--slurm "PartitionName=high Nodes=ALL PriorityTier=10 DefaultTime=10" \
	--slurm PreemptType=preempt/partition_prio --slurm PreemptMode=CANCEL
compile_client hostile
test_case "where they lie" case_where
test_case "beside other jobs" case_beside_others
test_case "where place says" case_as_place_says
test_case "on several nodes" case_on_nodes
test_case "arrays, and heterogeneous jobs" case_array_and_components
test_case "it waits until both are free, over restarts" case_waits
test_case "when" case_when
test_case "steps" case_steps
test_case "what the kernel says" case_held
test_case "nobody shares them" case_not_shared
test_case "others make way" case_preempts
test_case "the command" case_command
test_case "a waiting job gets them" case_update
test_case "what is refused" case_bad_input
tests_done
