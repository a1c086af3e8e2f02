#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gang - jobs that share units take turns; the examples of Slurm's page on gang
# scheduling, of plain jobs, and with half of the jobs bound
#
# A slice is at least five seconds, so the examples run at the same time, each
# on nodes of its own, and so do jobs with a binding.  A recorder notes who runs
# and who is suspended; what it saw is checked afterwards.  Jobs of an example
# are submitted to a partition that is down, so that they start all at once.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

slurm_lines=(--slurm PreemptMode=GANG --slurm SchedulerTimeSlice=5
	--slurm SchedulerType=sched/builtin)
# Tasks are asked to stop before they are frozen: so many seconds, else 2.
! slurm_is_from 24.11 ||
	slurm_lines+=(--slurm PreemptParameters=suspend_grace_time=1)

# --- the recorder -----------------------------------------------------------

# Each picture is a list of JOB=STATE after the times between which it was taken;
# they come several times a second.
record() {
	local states before

	while [ ! -e "$work/recorded" ]; do
		before=$EPOCHREALTIME
		states=$(squeue -h -t PD,R,S -o '%A=%t' | tr '\n' ' ')
		echo "$before $EPOCHREALTIME $states" >>"$work/record"
		sleep 0.15
	done
}

# history JOB... - the states of these jobs, one picture a line, repeats left
# out, from when all have been started but those that wait on purpose
history() {
	awk -v jobs="$*" '
	BEGIN { count = split(jobs, job, " ") }
	{
		line = ""
		for (i = 1; i <= count; i++)
			line = line (match($0, " " job[i] "=[A-Z]*") ?
				substr($0, RSTART + length(job[i]) + 2, 1) : "-")
		if (line !~ /[RS]/ || line == last)
			next
		last = line
		print line
	}' "$work/record"
}

# has_turned JOB... - three pictures: two turns are over
has_turned() {
	[ "$(history "$@" | wc -l)" -ge 3 ]
}

# assert_turns EXAMPLE PICTURE... - the jobs of an example went through these
assert_turns() {
	local example=$1 seen jobs

	shift
	mapfile -t jobs <"$work/$example"
	seen=$(history "${jobs[@]}" | sed -n "1,$#p" | tr '\n' ' ')
	assert_eq "the turns of $example" "$*" "${seen% }"
}

# assert_apart EXAMPLE - of jobs that have a core in common no two ran at a time; each
# job ran, and those of the list waited for their turn
assert_apart() {
	local jobs

	mapfile -t jobs <"$work/$1"
	assert_eq "jobs of $1 that ran together, or never" "" \
		"$(awk -v jobs="${jobs[*]}" '
	BEGIN { count = split(jobs, job, " ") }
	FNR == NR && $1 == "cpu" { has[$2, $3, $4]; cores[$3, $4] }
	FNR == NR { next }
	FNR == 1 {
		for (core in cores)
			for (i = 1; i <= count; i++)
				for (j = i + 1; j <= count; j++)
					if ((job[i], core) in has &&
					    (job[j], core) in has)
						both[i, j]
	}
	{
		for (i = 1; i <= count; i++)
			if (runs[i] = $0 ~ " " job[i] "=R")
				ran[i]
		for (pair in both) {
			split(pair, of, SUBSEP)
			if (runs[of[1]] && runs[of[2]])
				print job[of[1]], "and", job[of[2]]
		}
	}
	END {
		for (i = 1; i <= count; i++)
			if (!(i in ran))
				print job[i]
		if (!length(both))
			print "no two have a core in common"
	}' "$work/facts" "$work/record" | sort -u)"
}

# --- jobs of the examples ---------------------------------------------------

# The partition of an example, down, on these nodes.
example() {
	local name=$1 share=$2

	shift 2
	scontrol create PartitionName="$name" Nodes="$(IFS=, && echo "$*")" \
		OverSubscribe="$share" DefaultTime=10 State=DOWN
	: >"$work/$name"
}

# example_job EXAMPLE OPTION... - one more job of it
example_job() {
	local name=$1 job

	shift
	job=$(batch -p "$name" "$@")
	echo "$job" >>"$work/$name"
}

begin() {
	local name

	for name in "$@"; do
		scontrol update PartitionName="$name" State=UP
	done
}

all_have_turned() {
	local name jobs

	for name in "$@"; do
		mapfile -t jobs <"$work/$name"
		has_turned "${jobs[@]}" || return 1
	done
}

# run_examples ENOUGH NAME... - until each has had two turns, and it is enough
run_examples() {
	local recorder enough=$1

	shift
	rm -f "$work/record" "$work/recorded"
	record &
	recorder=$!
	begin "$@"
	wait_until 60 all_have_turned "$@"
	# What is not enough is said by the case that looks at it.
	(wait_until 60 "$enough") || true
	touch "$work/recorded"
	wait "$recorder"
}

whole_nodes() {
	echo "-N$1 --ntasks-per-node=8"
}

# simple_example NAME BINDING NODE... - BINDING: of the first job
# shellcheck disable=SC2046,SC2086 # options are words
simple_example() {
	local name=$1 binding=$2

	shift 2
	example "$name" FORCE "$@"
	example_job "$name" $(whole_nodes $#) $binding
	example_job "$name" $(whole_nodes $#)
}

# shellcheck disable=SC2046,SC2086
three_and_two_example() {
	local name=$1 binding=$2

	shift 2
	example "$name" FORCE "$@"
	example_job "$name" $(whole_nodes 3)
	example_job "$name" $(whole_nodes 2) $binding
	example_job "$name" $(whole_nodes 3) $binding
}

# shellcheck disable=SC2046,SC2086
local_backfill_example() {
	local name=$1 binding=$2

	shift 2
	example "$name" FORCE "$@"
	example_job "$name" $(whole_nodes 3) $binding
	example_job "$name" $(whole_nodes 5)
	example_job "$name" $(whole_nodes 2) $binding
}

# six_jobs_example NAME BINDING NODE... - BINDING: of each second job
# shellcheck disable=SC2086
six_jobs_example() {
	local name=$1 binding=$2 i

	shift 2
	example "$name" FORCE "$@"
	for i in 1 2 3 4 5 6; do
		if [ $((i % 2)) = 0 ]; then
			example_job "$name" -N$# -n$((2 * $#)) \
				--ntasks-per-node=2 $binding
		else
			example_job "$name" -N$# -n$((2 * $#)) \
				--ntasks-per-node=2
		fi
	done
}

# A bound job with whole nodes, a plain one on some cores, a bound one on a socket.
exclusive_example() {
	example exclusive FORCE:3 "$@"
	example_job exclusive -N2 -n2 --exclusive --bunit=C --bamount=1
	example_job exclusive -N2 -n4 --ntasks-per-node=2
	example_job exclusive -N1 -n1 -w "$1" --bunit=S --bamount=1
}

# The same with half of the jobs bound.  Whole nodes are asked for with --exclusive, or
# with all of their cores.
mixed_examples() {
	simple_example mixed_simple "--exclusive --bunit=C --bamount=1" \
		"${@:1:2}"
	three_and_two_example mixed_three "--bunit=C --bamount=1" "${@:3:5}"
	six_jobs_example mixed_six "--bunit=C --bamount=1" "${@:8:2}"
	exclusive_example "${@:10:2}"
}

# --- jobs with a binding, at the same time ----------------------------------

# A job that leaves its process and a line with the time, five times a second.
beating() {
	local name=$1

	shift
	job=$(sbatch --parsable -o /dev/null "$@" --wrap "
		echo \$\$ >$work/pid.\$SLURM_JOB_ID
		while sleep 0.2; do
			date +%s.%N >>$work/beats.\$SLURM_JOB_ID
		done") || fail "not submitted: $*"
	echo "$job" >>"$work/$name"
}

# Two on each core of this machine, and one that finds no room; the third has no binding.
cores_example() {
	local job

	example cores FORCE:2 "$NODE_THIS"
	for job in 1 2 3 4 5; do
		if [ "$job" = 3 ]; then
			beating cores -p cores -n1
		else
			beating cores -p cores -n1 --bunit=C --bamount=1
		fi
	done
}

# Two on one socket, one on the other; a cache inside of a socket that jobs have
# is no unit to be shared.
sockets_example() {
	example sockets FORCE:2 "$NODE_ZEN"
	for _ in 1 2 3; do
		example_job sockets -n1 --bunit=S --bamount=1
	done
	example_job sockets -n1 --bunit=X --bamount=1
}

look_at_cores() {
	local jobs job

	mapfile -t jobs <"$work/cores"
	for job in "${jobs[@]:0:4}"; do
		scontrol -d show job "$job" | sed -n 's/.*CPU_IDs=\([^ ]*\).*/\1/p'
	done >"$work/cores.booked"
	for job in "${jobs[@]:0:4}"; do
		granted "$job"
	done >"$work/cores.granted"
	contradictions 2 2 >"$work/contradictions"
	inuse "$NODE_THIS" >"$work/cores.inuse"
	scontrol show job "${jobs[4]}" | grep SystemComment= >"$work/cores.waiting"
}

cpus_of_processes() {
	local jobs job

	mapfile -t jobs <"$work/cores"
	for job in "${jobs[@]:0:4}"; do
		allowed_cpus "$(cat "$work/pid.$job")"
	done
}

# In cgroups of their own, though on the same CPUs.
processes_in_own_cgroups() {
	local jobs job

	mapfile -t jobs <"$work/cores"
	for job in "${jobs[@]:0:4}"; do
		! grep -q "/job_$job/" "/proc/$(cat "$work/pid.$job")/cgroup" ||
			echo yes
	done
}

# --- cases ------------------------------------------------------------------

case_examples() {
	local quads=("$NODE_QUADA" "$NODE_QUADB" "$NODE_QUADC" "$NODE_QUADD"
		"$NODE_QUADE" "$NODE_QUADF" "$NODE_QUADG" "$NODE_QUADH"
		"$NODE_QUADI" "$NODE_QUADJ" "$NODE_QUADK" "$NODE_QUADL"
		"$NODE_QUADM" "$NODE_QUADN" "$NODE_QUADO")

	simple_example simple "" "${quads[@]:0:5}"
	three_and_two_example three "" "${quads[@]:5:5}"
	six_jobs_example six "" "${quads[@]:10:5}"
	cores_example
	sockets_example
	run_examples cores_have_rested simple three six cores sockets
	look_at_cores
	cpus_of_processes >"$work/cores.allowed"
	processes_in_own_cgroups >"$work/cores.cgroups"
}

case_cpu_examples() {
	six_jobs_example six "" "$NODE_QUADA" "$NODE_QUADB" "$NODE_QUADC" \
		"$NODE_QUADD" "$NODE_QUADE"
	local_backfill_example local "" "$NODE_QUADF" "$NODE_QUADG" "$NODE_QUADH" \
		"$NODE_QUADI" "$NODE_QUADJ"
	run_examples true six local
}

# With task plugins.
case_mixed_examples() {
	six_jobs_example six "" "$NODE_QUADA" "$NODE_QUADB" "$NODE_QUADC" \
		"$NODE_QUADD" "$NODE_QUADE"
	mixed_examples "$NODE_QUADF" "$NODE_QUADG" "$NODE_QUADH" "$NODE_QUADI" \
		"$NODE_QUADJ" "$NODE_QUADK" "$NODE_QUADL" "$NODE_QUADM" \
		"$NODE_QUADN" "$NODE_QUADO" "$NODE_QUADP"
	run_examples true six mixed_simple mixed_three mixed_six exclusive
	facts >"$work/facts"
}

case_simple() {
	assert_turns simple RS SR RS
}

case_three_and_two() {
	assert_turns three RRS SRR RRS
}

case_local_backfill() {
	assert_turns local RSR SRS RSR
}

case_six_by_core() {
	assert_turns six RRRRSS SSRRRR RRRRSS
}

# Slurm fills up the later turns with jobs of the earlier ones, in another order
# since it looks at nodes and not at one row of all cores.
case_six_by_cpu() {
	if slurm_is_from 23.02; then
		assert_turns six RRRRSS SSRRRR RRRRSS
	else
		assert_turns six RRRRSS RRSSRR SSRRRR
	fi
}

case_mixed_simple() {
	assert_turns mixed_simple RS SR RS
	assert_apart mixed_simple
}

case_mixed_three_and_two() {
	assert_turns mixed_three RRS SRR RRS
	assert_apart mixed_three
}

case_mixed_six() {
	assert_apart mixed_six
}

case_exclusive() {
	local jobs

	mapfile -t jobs <"$work/exclusive"
	assert_eq "first" RSS "$(history "${jobs[@]}" | head -n1)"
	assert_apart exclusive
}

case_cores_take_turns() {
	assert_turns cores RRSSP SSRRP RRSSP
	assert_eq "cores that Slurm booked" "0 1 0 1 " \
		"$(tr '\n' ' ' <"$work/cores.booked")"
	assert_eq "granted cores, of those with a binding" "0 1 1 " \
		"$(tr '\n' ' ' <"$work/cores.granted")"
	assert_eq "contradictions" "" "$(cat "$work/contradictions")"
	assert_eq "in use" 0-1 "$(cat "$work/cores.inuse")"
	assert_contains "why the fifth waits" "waiting=" \
		"$(cat "$work/cores.waiting")"
}

case_sockets_take_turns() {
	assert_turns sockets RRSP SRRP RRSP
}

case_processes() {
	assert_eq "allowed CPUs" "0 1 0 1 " \
		"$(tr '\n' ' ' <"$work/cores.allowed")"
	assert_eq "cgroups" 4 "$(grep -c yes "$work/cores.cgroups")"
}

# stretches JOB - of each stretch of pictures with one state: that state, and what
# the job's beats say of it.  In between the state may have changed where two
# pictures are far from each other: another stretch.  A second and a half at each
# end is left out, when signals are on their way.  On a machine with much to do they
# are on their way for longer: then beats go on for a while ("late"), but never
# begin again.
stretches() {
	local job=$1

	touch "$work/beats.$job"
	awk -v job="$job" '
	FNR == NR {
		if (!match($0, " " job "=[RS]"))
			next
		state = substr($0, RSTART + RLENGTH - 1, 1)
		if (state != last || $1 - to[n] > 2) {
			n++
			from[n] = $2
			name[n] = state
			last = state
		}
		to[n] = $1
		next
	}
	{
		for (i = 1; i <= n; i++) {
			if ($1 < from[i] + 1.5 || $1 > to[i] - 1.5)
				continue
			if ($1 - (i in beat ? beat[i] : from[i]) > 2.5)
				again[i] = 1
			beat[i] = $1
		}
	}
	END {
		for (i = 1; i <= n; i++) {
			if (to[i] - from[i] <= 4)
				continue
			if (name[i] == "R")
				print "R", (i in beat ? "works" : "late")
			else if (i in again)
				print "S works"
			else
				print "S", (i in beat ? "late" : "rests")
		}
	}' "$work/record" "$work/beats.$job"
}

# mostly TEXT STATE ACT - in more of the stretches of that state than it came late
mostly() {
	[ "$(grep -c "^$2 $3\$" <<<"$1")" -gt "$(grep -c "^$2 late\$" <<<"$1")" ]
}

# Each of the four was seen in both states for long enough.
cores_have_rested() {
	local jobs job seen

	mapfile -t jobs <"$work/cores"
	for job in "${jobs[@]:0:4}"; do
		seen=$(stretches "$job")
		mostly "$seen" R works && mostly "$seen" S rests || return 1
	done
}

# A job works when it runs, and not at all while it is suspended.
case_suspended_rest() {
	local jobs job seen

	mapfile -t jobs <"$work/cores"
	for job in "${jobs[@]:0:4}"; do
		seen=$(stretches "$job")
		assert_eq "what job $job did" "R works S rests " \
			"$(grep -v late <<<"$seen" | sort -u | tr '\n' ' ')"
		assert mostly "$seen" R works
		assert mostly "$seen" S rests
	done
}

# --- short cases ------------------------------------------------------------

runs_or_waits_its_turn() {
	runs "$1" || job_has_state "$1" SUSPENDED
}

# Of one moment, in the order of the words: who has the turn may change at any.
states() {
	squeue -h -t R,S -j "$(IFS=, && echo "$*")" -o %T | sort | tr '\n' ' '
}

# states_are WANTED JOB... - the one without a turn is paused when it has started
states_are() {
	[ "$(states "${@:2}")" = "$1" ]
}

# Least shared first, and no more than the partition lets share.
case_limit() {
	local node=$NODE_QUADA jobs=() i

	for _ in 1 2 3 4 5 6; do
		jobs+=("$(alloc -p three_share -w "$node" --bunit=S \
			--bamount=1)")
	done
	for i in 0 2 4; do
		assert_granted "${jobs[i]}" "$node" 0-3
		assert_granted "${jobs[i + 1]}" "$node" 4-7
	done
	refuses -p three_share -w "$node" --bunit=S --bamount=1
	assert_no_contradictions 3
	cancel "${jobs[2]}"
	jobs[2]=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	assert_granted "${jobs[2]}" "$node" 0-3
	assert_no_contradictions 3
}

# A unit is shared as a whole: not by a part of it, nor by more around it.
case_whole_units() {
	local node=$NODE_QUADA socket core job

	socket=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	assert_granted "$socket" "$node" 0-3
	core=$(alloc -p three_share -w "$node" --bunit=C --bamount=1)
	assert_granted "$core" "$node" 4
	# The only socket that may be had, although one of the other is shared
	# by fewer; the other three cores first, then the shared one.
	job=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	assert_granted "$job" "$node" 0-3
	job=$(alloc -p three_share -w "$node" --bunit=C --bamount=4)
	assert_granted "$job" "$node" 4-7
	refuses -p three_share -w "$node" --bunit=C --bamount=5
	assert_no_contradictions 3
	# The node has one L3 less than sockets, so a socket is meant.
	job=$(alloc -p three_share -w "$node" --bunit=X --bamount=1)
	assert_granted "$job" "$node" 0-3
	assert_no_contradictions 3
}

# A list of CPUs is made of cores, each a unit.
case_lists() {
	local node=$NODE_QUADA list job

	list=$(alloc -p three_share -w "$node" --bcpus=1-2)
	job=$(alloc -p three_share -w "$node" --bcpus=2-3)
	assert_granted "$list" "$node" 1-2
	assert_granted "$job" "$node" 2-3
	wait_until 20 states_are "RUNNING SUSPENDED " "$list" "$job"
	assert_no_contradictions 3
}

# Plain jobs have parts of units and are counted; units are still shared as a whole.
case_plain_jobs() {
	local node=$NODE_QUADA bound plain job

	bound=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	plain=$(alloc -p three_share -w "$node" -n4)
	assert_granted "$bound" "$node" 0-3
	assert_eq "plain job" 4-7 "$(cpu_ids "$plain" "$node")"
	job=$(alloc -p three_share -w "$node" -N1 -n5)
	wait_until 20 states_are "RUNNING RUNNING SUSPENDED " \
		"$bound" "$plain" "$job"
	assert runs "$bound"
	# Of the second socket, which has no other unit; of the first none.
	job=$(alloc -p three_share -w "$node" --bunit=C --bamount=1)
	assert [ "$(cpu_ids "$job" "$node")" -ge 4 ]
	refuses -p three_share -w "$node" --bunit=C --bamount=5
	job=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	assert_granted "$job" "$node" 0-3
	assert_no_contradictions 3 8
	cancel "$bound" "$job"
	# Now there is no unit but that core.
	alloc -p three_share -w "$node" --bunit=C --bamount=4 >/dev/null
	assert_no_contradictions 3 8
}

# Of other partitions, and heterogeneous: nobody has turns with them.
case_plain_jobs_without_turns() {
	local node=$NODE_QUADA job

	scontrol create PartitionName=other_share OverSubscribe=FORCE:2 \
		Nodes="$node" DefaultTime=10
	alloc -p other_share -w "$node" -N1 -n1 >/dev/null
	refuses -p three_share -w "$node" --bunit=N --bamount=1
	refuses -p three_share -w "$node" --exclusive --bunit=C --bamount=1
	job=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	refuses -p other_share -w "$node" -N1 -n5
	alloc -p other_share -w "$node" -N1 -n4 >/dev/null
	assert runs "$job"
	assert_no_contradictions 3 8
}

# Of what slurmctld says at one moment: no core is used by two.
has_one_runner() {
	[ -z "$(contradictions 3 8)" ]
}

# is_planned OPTION... - topobind plan says that it starts now
is_planned() {
	topobind plan -p three_share -w "$NODE_QUADA" "$@" >/dev/null
}

# A node that all of these have in turns, and no more than the partition lets.
case_exclusive_limit() {
	local node=$NODE_QUADA exclusive job

	exclusive=$(alloc -p three_share -w "$node" --exclusive --bunit=C \
		--bamount=1)
	assert is_planned --bunit=S --bamount=1
	assert is_planned --exclusive --bunit=X --bamount=1
	job=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	wait_until 20 states_are "RUNNING SUSPENDED " "$exclusive" "$job"
	alloc -p three_share -w "$node" --exclusive --bunit=X --bamount=1 \
		>/dev/null
	assert_no_contradictions 3 8
	refute is_planned --exclusive --bunit=C --bamount=1
	refuses -p three_share -w "$node" --exclusive --bunit=C --bamount=1
	refute is_planned --bunit=N --bamount=1
	refuses -p three_share -w "$node" --bunit=N --bamount=1
	assert is_planned --bunit=S --bamount=1
	alloc -p three_share -w "$node" --bunit=S --bamount=1 >/dev/null
	assert_no_contradictions 3 8
	restart_slurmctld
	wait_until 60 nodes_answer
	assert_no_contradictions 3 8
	refuses -p three_share -w "$node" -n1
	cancel "$exclusive"
	# One without a binding that is resumed gets in turn, too.
	job=$(alloc -p three_share -w "$node" -N1 -n8)
	scontrol suspend "$job"
	wait_until 20 job_has_state "$job" SUSPENDED
	scontrol resume "$job"
	wait_until 20 has_one_runner
	assert_no_contradictions 3 8
}

# Random jobs of all kinds on three nodes: what Slurm shows at any moment.
case_random() {
	local kinds=("-n1" "-N1 -n3" "-N1 -n8" "-N1 --exclusive" "-N2 -n6"
		"-n1 --bunit=C --bamount=1" "-n2 --bunit=C --bamount=2"
		"-n1 --bunit=S --bamount=1" "-n1 --bunit=N --bamount=1"
		"-N1 -n1 --exclusive --bunit=C --bamount=1"
		"-N2 -n2 --exclusive --bunit=S --bamount=1")
	local i

	scontrol create PartitionName=random OverSubscribe=FORCE:3 \
		Nodes="$NODE_QUADA,$NODE_QUADB,$NODE_QUADC" DefaultTime=10
	RANDOM=${TOPOBIND_SEED:-17}
	for ((i = 0; i < 40; i++)); do
		# shellcheck disable=SC2086
		batch -p random ${kinds[RANDOM % ${#kinds[@]}]} \
			>>"$work/random"
		[ $((RANDOM % 3)) != 0 ] || assert_no_contradictions 3 8
		[ $((RANDOM % 5)) != 0 ] ||
			scancel "$(shuf -n1 --random-source=<(yes "$i") \
				"$work/random")"
	done
	for ((i = 0; i < 6; i++)); do
		assert_no_contradictions 3 8
		sleep 0.5
	done
	assert some_bound_and_plain_share
}

some_bound_and_plain_share() {
	[ -n "$(shared_units)" ]
}

# YES shares when the job says so, and not --exclusive; NO and EXCLUSIVE never; and not
# across partitions, which take no turns.
case_partitions() {
	local node=$NODE_QUADA job

	job=$(alloc -p yes_share -w "$node" --bunit=N --bamount=1 \
		--oversubscribe)
	refuses -p yes_share -w "$node" --bunit=N --bamount=1
	refuses -p three_share -w "$node" --bunit=N --bamount=1
	refuses -p main -w "$node" --bunit=N --bamount=1
	refuses -p alone -w "$node" --bunit=N --bamount=1
	refuses -p three_share -w "$node" --bunit=C --bamount=1 --exclusive
	refuses -p yes_share -w "$node" --bunit=C --bamount=1 --exclusive
	alloc -p yes_share -w "$node" --bunit=N --bamount=1 \
		--oversubscribe >/dev/null
	refuses -p yes_share -w "$node" --bunit=N --bamount=1 --oversubscribe
	assert_no_contradictions 2

	node=$NODE_QUADB
	alloc -p main -w "$node" --bunit=S --bamount=1 >/dev/null
	alloc -p main -w "$node" --bunit=S --bamount=1 >/dev/null
	refuses -p main -w "$node" --bunit=S --bamount=1 --oversubscribe

	node=$NODE_QUADC
	alloc -p yes_share -w "$node" --bunit=C --bamount=1 --exclusive \
		>/dev/null
	refuses -p yes_share -w "$node" --bunit=C --bamount=1 --oversubscribe
	refuses -p yes_share -w "$node" -n1 --oversubscribe
}

# The least shared node of those that are all in use, though select/cons_tres
# has room for one more on the second in the first row of its books.
case_least_shared_node() {
	local first=$NODE_QUADA second=$NODE_QUADB third=$NODE_QUADC job
	local unit=(-p some --bunit=N --bamount=1)

	scontrol create PartitionName=some OverSubscribe=FORCE:3 \
		Nodes="$first,$second,$third,$NODE_QUADD"
	alloc "${unit[@]}" -w "$third,$NODE_QUADD" -N2 -n2 >/dev/null
	alloc "${unit[@]}" -w "$second,$third" -N2 -n2 >/dev/null
	alloc "${unit[@]}" -w "$second,$third" -N2 -n2 >/dev/null
	alloc "${unit[@]}" -w "$first" >/dev/null
	job=$(alloc "${unit[@]}" -N1)
	assert_granted "$job" "$first" 0-7
	job=$(alloc "${unit[@]}" -N1)
	assert_granted "$job" "$NODE_QUADD" 0-7
	assert_no_contradictions 3
}

two_on_one_unit() {
	first=$(alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1)
	second=$(alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1)
	wait_until 20 states_are "RUNNING SUSPENDED " "$first" "$second"
}

case_cancel() {
	local first second

	two_on_one_unit
	cancel "$first"
	wait_until 30 runs "$second"
	assert_granted "$second" "$NODE_QUADA" 0-7
	assert_eq "in use" 0-7 "$(inuse "$NODE_QUADA")"
	cancel "$second"
	wait_until 10 nothing_in_use "$NODE_QUADA"
	refute job_is_known_to_run "$second"
}

job_is_known_to_run() {
	squeue -h -t R,S -o %A | grep -x "$1"
}

# What an administrator suspended may return as long as there is room.
case_resume() {
	local first second

	two_on_one_unit
	scontrol suspend "$first"
	wait_until 30 runs "$second"
	alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1 >/dev/null
	scontrol resume "$first"
	assert_no_contradictions 3
	assert_granted "$first" "$NODE_QUADA" 0-7
	refuses -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1
	# Nobody is refused a turn, though there are four of them then.  (One that has no
	# turn keeps its cores when it is suspended.)
	wait_until 60 runs "$first"
	scontrol suspend "$first"
	wait_until 30 job_has_state "$first" SUSPENDED
	alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1 >/dev/null
	scontrol resume "$first"
	# It has no turn yet.
	wait_until 2 job_has_state "$first" SUSPENDED
	assert_no_contradictions 4 8
	refuses -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1
	wait_until 60 runs "$first"
	assert_no_contradictions 4 8
}

# The suspended one goes back to the queue; the other never noticed.
case_requeue() {
	local first second third

	first=$(alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1)
	second=$(batch -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1)
	wait_until 30 job_has_state "$second" SUSPENDED
	requeue_held "$second"
	assert_granted "$first" "$NODE_QUADA" 0-7
	assert_eq "what the requeued one has" "" "$(granted "$second")"
	third=$(alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1)
	release_now "$second"
	wait_until 30 runs_or_waits_its_turn "$second"
	assert_granted "$second" "$NODE_QUADA" 0-7
	refuses -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1
	assert_no_contradictions 3
	cancel "$third" "$first"
	wait_until 30 runs "$second"
}

case_restart() {
	local first second before

	two_on_one_unit
	alloc -p three_share -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	before=$(held)
	save_state "$second"
	daemon slurmctld kill
	daemon slurmctld start
	assert_eq "what is held" "$before" "$(held)"
	assert_eq "in use" 0-7 "$(inuse "$NODE_QUADA")"
	# Room for one more, and no more.
	alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1 >/dev/null
	refuses -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1
	refuses -p three_share -w "$NODE_QUADA" --bunit=C --bamount=1
	assert_no_contradictions 3
	cancel "$first"
	wait_until 30 runs "$second"
}

# Without a gang scheduler they run at the same time.
case_no_gang() {
	local first second

	sed -i 's/^PreemptMode=.*/PreemptMode=OFF/' "$cluster/etc/slurm.conf"
	reconfigure
	first=$(alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1)
	second=$(alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1)
	assert_eq "states" "RUNNING RUNNING " "$(states "$first" "$second")"
	refuses -p three_share -w "$NODE_QUADA" -n1
	refuses -p main -w "$NODE_QUADA" --bunit=N --bamount=1
	assert_no_contradictions 3
	# All of a node is a unit; those inside of it are others.
	first=$(alloc -p three_share -w "$NODE_QUADB" --exclusive --bunit=C \
		--bamount=1)
	second=$(alloc -p three_share -w "$NODE_QUADB" --exclusive --bunit=S \
		--bamount=1)
	assert_eq "states" "RUNNING RUNNING " "$(states "$first" "$second")"
	refuses -p three_share -w "$NODE_QUADB" --bunit=S --bamount=1
	alloc -p three_share -w "$NODE_QUADC" -n1 >/dev/null
	refuses -p three_share -w "$NODE_QUADC" --exclusive --bunit=C \
		--bamount=1
	refuses -p three_share -w "$NODE_QUADC" --bunit=N --bamount=1
}

# --- clusters ---------------------------------------------------------------

# machines LAST - options for the nodes quada to quadLAST, two sockets of four
# cores
machines() {
	local letter

	for letter in {a..z}; do
		echo "--machine"
		echo "quad$letter NSCCCCSCCCC 2 4 1"
		[ "$letter" != "$1" ] || break
	done
}

partitions=(--slurm "PartitionName=three_share Nodes=ALL OverSubscribe=FORCE:3 DefaultTime=10"
	--slurm "PartitionName=yes_share Nodes=ALL OverSubscribe=YES:2 DefaultTime=10"
	--slurm "PartitionName=alone Nodes=ALL OverSubscribe=EXCLUSIVE DefaultTime=10")

mapfile -t quads < <(machines o)
cluster_start "${slurm_lines[@]}" "${partitions[@]}" --nodes this,zen \
	"${quads[@]}"
test_case "examples of Slurm's page, and bound jobs beside them" case_examples
test_case "five nodes: two jobs take turns" case_simple
test_case "five nodes: the job on other nodes never stops" case_three_and_two
test_case "CR_Core: six jobs, two of them never stop" case_six_by_core
test_case "jobs on the same units take turns" case_cores_take_turns
test_case "jobs on other units never stop" case_sockets_take_turns
test_case "sharers have the same CPUs and cgroups of their own" case_processes
test_case "a suspended job does nothing" case_suspended_rest
test_case "so many jobs share a unit, and no more" case_limit
test_case "a unit is shared as a whole" case_whole_units
test_case "lists of CPUs share core by core" case_lists
test_case "plain jobs share, too" case_plain_jobs
test_case "not those of other partitions" case_plain_jobs_without_turns
test_case "so many jobs share a node, and no more" case_exclusive_limit
test_case "random jobs" case_random
test_case "only in partitions that share, and within one" case_partitions
test_case "the least shared node comes first" case_least_shared_node
test_case "cancel one of two: the other runs on" case_cancel
test_case "suspended by an administrator, and resumed" case_resume
test_case "requeue of a suspended job" case_requeue
test_case "the controller is killed" case_restart
test_case "without gang scheduling sharers run together" case_no_gang
cluster_stop

mapfile -t quads < <(machines j)
cluster_start "${slurm_lines[@]}" --slurm SelectTypeParameters=CR_CPU_Memory \
	--slurm TaskPlugin=task/none --nodes this "${quads[@]}"
test_case "examples of Slurm's page by CPU" case_cpu_examples
test_case "local backfilling" case_local_backfill
test_case "CR_CPU: six jobs share the time" case_six_by_cpu
cluster_stop

mapfile -t quads < <(machines p)
cluster_start "${slurm_lines[@]}" --slurm SelectTypeParameters=CR_CPU_Memory \
	--nodes this "${quads[@]}"
test_case "CR_CPU with task plugins, and half of the jobs bound" \
	case_mixed_examples
test_case "as with CR_Core: two of six jobs never stop" case_six_by_core
test_case "half of the jobs bound: two jobs take turns" case_mixed_simple
test_case "half bound: the job on other nodes never stops" \
	case_mixed_three_and_two
test_case "half bound: six jobs, never two on a core" case_mixed_six
test_case "a bound job with whole nodes takes turns with all others" \
	case_exclusive
tests_done
