#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# threads - hardware threads as units: on nodes that Slurm counts in threads
# they are exclusive, elsewhere the job owns their cores
#
# raptor is six cores of two threads, 0-11, and eight efficiency cores, 12-19.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

raptor_alloc() {
	alloc -w "$NODE_RAPTOR" "$@"
}

# The CPUs that Slurm counts for a job, in its two fields.
assert_cpus() {
	assert_eq "NumCPUs of job $1" "$2" "$(job_field "$1" NumCPUs)"
	assert_eq "CPUs in TRES of job $1" "$2" \
		"$(job_tres "$1" | sed 's/cpu=\([0-9]*\),.*/\1/')"
}

node_field() {
	scontrol show node "$1" | sed -n -E "s/^(.* )?$2=([^ ]*).*/\\2/p" |
		sed -n 1p
}

case_two_jobs_in_one_core() {
	local first second core rest

	first=$(raptor_alloc -n1 --bunit=T --bamount=1)
	core=$(raptor_alloc -n1 --bunit=C --bamount=1)
	second=$(raptor_alloc -n1 --bunit=T --bamount=1)
	rest=$(raptor_alloc -n1 --bunit=T --bamount=3)
	assert_granted "$first" "$NODE_RAPTOR" 0
	assert_granted "$second" "$NODE_RAPTOR" 1
	assert_granted "$core" "$NODE_RAPTOR" 2-3
	assert_granted "$rest" "$NODE_RAPTOR" 4-6
	assert_cpus "$first" 1
	assert_cpus "$second" 1
	assert_cpus "$core" 2
	assert_cpus "$rest" 3
	assert_eq "CPUs of the node" 7 "$(node_field "$NODE_RAPTOR" CPUAlloc)"
	assert_eq "m_topology_inuse" 0-6 "$(inuse "$NODE_RAPTOR")"
	cancel "$first"
	assert_granted "$second" "$NODE_RAPTOR" 1
	assert_eq "m_topology_inuse" 1-6 "$(inuse "$NODE_RAPTOR")"
}

# A thread of each core is in use: there are six free threads and no core.
case_halves_are_no_core() {
	local threads core more later

	threads=$(raptor_alloc -n6 --bunit=T --bamount=1 --bstrategy=scatter)
	assert_granted "$threads" "$NODE_RAPTOR" 0,2,4,6,8,10
	core=$(batch -w "$NODE_RAPTOR" -n1 --bunit=C --bamount=1)
	wait_until 30 was_passed_over "$core"
	# Short enough not to delay the other.
	more=$(raptor_alloc -n6 -t6 --bunit=T --bamount=1)
	assert_granted "$more" "$NODE_RAPTOR" 1,3,5,7,9,11
	assert is_pending "$core"
	cancel "$threads"
	# When one that came later runs, the scheduler has looked at it again.
	later=$(batch -w "$NODE_RAPTOR" -t1 -n1 --bunit=ET --bamount=1)
	wait_until 60 runs "$later"
	assert is_pending "$core"
	cancel "$more"
	wait_until 30 runs "$core"
	assert_granted "$core" "$NODE_RAPTOR" 0-1
}

case_plain_beside() {
	local thread plain core

	thread=$(raptor_alloc -n1 --bunit=T --bamount=1)
	plain=$(raptor_alloc -n2)
	core=$(raptor_alloc -n2 --bunit=C --bamount=1)
	assert_eq "CPUs of the plain job" 1-2 "$(cpu_ids "$plain")"
	assert_cpus "$plain" 2
	assert_granted "$core" "$NODE_RAPTOR" 4-7
	assert_granted "$thread" "$NODE_RAPTOR" 0
	assert_no_contradictions
}

case_never_fits() {
	local options

	for options in '-n13 --bunit=T --bamount=1' '-n9 --bunit=ET --bamount=1' \
		'-n7 --bunit=C --bamount=1' '-n1 --bunit=T --bamount=13' \
		'-n1 --bunit=T --bamount=2 -c3' \
		'-n1 --bunit=T --bamount=13 --btype=host'; do
		# shellcheck disable=SC2086 # words
		refute sbatch -w "$NODE_RAPTOR" -N1 $options --wrap true
	done
	assert no_jobs
	for options in '-n12 --bunit=T --bamount=1' '-n8 --bunit=ET --bamount=1' \
		'-n1 --bunit=T --bamount=2 -c2'; do
		# shellcheck disable=SC2086
		assert sbatch -Q -w "$NODE_RAPTOR" -N1 -o /dev/null $options \
			--wrap true
	done
}

# The node of zen is counted in cores of two threads.
case_elsewhere_cores_are_owned() {
	local one other three

	one=$(alloc -w "$NODE_ZEN" -n1 --bunit=T --bamount=1)
	other=$(alloc -w "$NODE_ZEN" -n1 --bunit=T --bamount=1)
	three=$(alloc -w "$NODE_ZEN" -n3 --bunit=T --bamount=1)
	assert_granted "$one" "$NODE_ZEN" 0-1
	assert_granted "$other" "$NODE_ZEN" 2-3
	# Not the last core of the first L3 cache and one of the next.
	assert_granted "$three" "$NODE_ZEN" 6-9
	assert_cpus "$one" 2
	assert_cpus "$three" 4
	assert_eq "CPUs of the node" 8 "$(node_field "$NODE_ZEN" CPUAlloc)"
}

# The slots of "topobind place", with the node as it is: "0 4-5" each.
placed_slots() {
	local node=$1

	shift
	topobind place --topology "$(node_token "$node" m_topology_inuse)" "$@" |
		sed -n 's/^ *slot \([0-9]*\) *threads /\1 /p'
}

# told_slots JOB TASKS - what the tasks are told; on these nodes OS CPUs have
# the numbers of the threads
told_slots() {
	# shellcheck disable=SC2016
	srun -Q --jobid="$1" -n "$2" sh -c 'echo "$SLURM_PROCID $TOPOBIND_CPUS"' |
		sort -n
}

# agree NODE TASKS OPTION... - place, grant and node say the same
agree() {
	local node=$1 tasks=$2 placed job

	shift 2
	placed=$(placed_slots "$node" --slots "$tasks" "$@")
	assert_eq "slots placed: $*" "$tasks" "$(grep -c . <<<"$placed")"
	job=$(alloc -w "$node" -n "$tasks" "$@")
	assert_eq "slots: $*" "$placed" "$(told_slots "$job" "$tasks")"
	assert_eq "of the slots not granted: $*" "" "$(comm -23 \
		<(expand_list "$(cut -d' ' -f2 <<<"$placed" | paste -sd,)" |
			sort) \
		<(expand_list "$(granted "$job" "$node")" | sort))"
}

case_scattered_threads() {
	agree "$NODE_ZEN" 2 --bunit=T --bamount=1 --bstrategy=scatter
	agree "$NODE_ZEN" 4 --bunit=T --bamount=1
	agree "$NODE_ZEN" 3 --bunit=T --bamount=2
	agree "$NODE_RAPTOR" 3 --bunit=T --bamount=1 --bstrategy=scatter
	agree "$NODE_RAPTOR" 2 --bunit=T --bamount=2
	agree "$NODE_GB10" 3 --bunit=T --bamount=1
}

# One core is free in the last cache but one, and all three in the last: counting
# to two from the first of them on would cut across the caches.
case_slots_are_kept_together() {
	local most two

	most=$(alloc -w "$NODE_ZEN" -n14 --bunit=X --bamount=1)
	two=$(alloc -w "$NODE_ZEN" -n2 --bunit=C --bamount=1)
	assert_granted "$two" "$NODE_ZEN" 84-87
	agree "$NODE_ZEN" 2 --bunit=C --bamount=2
	cancel "$most"
	agree "$NODE_ZEN" 3 --bunit=C --bamount=2 --bstrategy=linear
	agree "$NODE_ZEN" 3 --bunit=C --bamount=2 --bstart=X
	agree "$NODE_RAPTOR" 2 --bunit=E --bamount=3
}

case_steps_of_threads() {
	local output=$work/threads job

	# shellcheck disable=SC2016
	job=$(sbatch --parsable -w "$NODE_RAPTOR" -n4 --bunit=T --bamount=1 \
		-o "$output" --wrap '
	told() { srun -Q "$@" sh -c "echo $name \$TOPOBIND_CPUS"; }
	name=job; told
	name=exact; told -n1 --exact
	name=core; told -n1 --bunit=C --bamount=1
	name=pair; told -n2 --exact --bunit=C --bamount=1 || echo refused')
	wait_until 40 is_over "$job"
	cat "$output"
	assert_eq "the job's slots" "0 1 2 3" \
		"$(sed -n 's/^job //p' "$output" | sort -n | paste -sd' ')"
	assert_eq "a slot" 0 "$(sed -n 's/^exact //p' "$output")"
	assert_eq "a core of the job" 0-1 "$(sed -n 's/^core //p' "$output")"
	# Two slots of a thread are one core, not two.
	assert_eq "two cores in two threads" refused \
		"$(grep -E '^(pair|refused)' "$output" | sort -u)"
}

# On this machine, which has whatever it has: a task has one CPU.
case_one_thread_is_held() {
	local output

	output=$(srun -Q -w "$NODE_THIS" -n2 --bunit=T --bamount=1 \
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status |
		sort)
	echo "$output"
	assert_eq "different lists" 2 "$(sort -u <<<"$output" | wc -l)"
	assert_eq "CPUs of the first" 1 \
		"$(expand_list "$(head -n 1 <<<"$output")" | wc -l)"
}

# Of each job with unit C on raptor: the threads whose core it does not have.
half_cores() {
	facts | awk -v node="$NODE_RAPTOR" '
	$1 == "grant" && $3 == node { has[$2, $4]; jobs[$2] }
	END {
		for (job in jobs)
			for (thread = 0; thread < 12; thread += 2)
				if (((job, thread) in has) != \
				    ((job, thread + 1) in has))
					print job, thread
	}' | while read -r job thread; do
		job_field "$job" JobName | grep -qx C || continue
		echo "job $job has one of the threads $thread and $((thread + 1))"
	done
}

# As mixed.sh, but only where threads are counted, and crowded.
case_random_load() {
	local units=(T T C CT E ET Y X '') unit i options taken=0

	RANDOM=1370
	for ((i = 0; i < 30; i++)); do
		unit=${units[RANDOM % ${#units[@]}]}
		options=(-n $((RANDOM % 3 + 1)) -J "${unit:-plain}")
		[ -z "$unit" ] || options+=("--bunit=$unit"
			"--bamount=$((RANDOM % 2 + 1))")
		[ $((RANDOM % 3)) -gt 0 ] || [ -z "$unit" ] ||
			options+=(--bstrategy=scatter)
		! sbatch -Q -N1 -o /dev/null --mem=1 -p virtual \
			-x "$NODE_ZEN" "${options[@]}" \
			--wrap "exec sleep 0.$((RANDOM % 10))" \
			2>/dev/null || taken=$((taken + 1))
		[ $((i % 5)) -ne 4 ] || look
	done
	[ "$taken" -ge 15 ] || fail "only $taken of 30 jobs were taken"
	wait_until 60 look_until_no_jobs
}

look() {
	assert_no_contradictions
	assert_eq "cores of C jobs that are not theirs alone" "" "$(half_cores)"
}

look_until_no_jobs() {
	look
	no_jobs
}

cluster_start --nodes this,zen,raptor,gb10
test_case "two jobs have the two threads of a core" case_two_jobs_in_one_core
test_case "free threads of many cores are no core" case_halves_are_no_core
test_case "plain jobs beside" case_plain_beside
test_case "what never fits is refused" case_never_fits
test_case "where cores are counted a thread's job owns its core" \
	case_elsewhere_cores_are_owned
test_case "threads: place, grant and node agree" case_scattered_threads
test_case "slots of several units: place, grant and node agree" \
	case_slots_are_kept_together
test_case "steps in a job of threads" case_steps_of_threads
test_case "a task of one thread is held on it" case_one_thread_is_held
test_case "a random load" case_random_load
tests_done
