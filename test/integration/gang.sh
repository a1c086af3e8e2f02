#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gang - jobs that share units take turns; the examples of Slurm's page on gang scheduling
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

# shellcheck disable=SC2046 # options are words
simple_example() {
	example simple FORCE "$@"
	example_job simple $(whole_nodes 5)
	example_job simple $(whole_nodes 5)
}

# shellcheck disable=SC2046
three_and_two_example() {
	example three FORCE "$@"
	example_job three $(whole_nodes 3)
	example_job three $(whole_nodes 2)
	example_job three $(whole_nodes 3)
}

# shellcheck disable=SC2046
local_backfill_example() {
	example local FORCE "$@"
	example_job local $(whole_nodes 3)
	example_job local $(whole_nodes 5)
	example_job local $(whole_nodes 2)
}

six_jobs_example() {
	example six FORCE "$@"
	for _ in 1 2 3 4 5 6; do
		example_job six -N5 -n10 --ntasks-per-node=2
	done
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

# Two on each core of this machine, and one that finds no room.
cores_example() {
	example cores FORCE:2 "$NODE_THIS"
	for _ in 1 2 3 4 5; do
		beating cores -p cores -n1 --bunit=C --bamount=1
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
	contradictions 2 >"$work/contradictions"
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

	simple_example "${quads[@]:0:5}"
	three_and_two_example "${quads[@]:5:5}"
	six_jobs_example "${quads[@]:10:5}"
	cores_example
	sockets_example
	run_examples cores_have_rested simple three six cores sockets
	look_at_cores
	cpus_of_processes >"$work/cores.allowed"
	processes_in_own_cgroups >"$work/cores.cgroups"
}

case_cpu_examples() {
	six_jobs_example "$NODE_QUADA" "$NODE_QUADB" "$NODE_QUADC" \
		"$NODE_QUADD" "$NODE_QUADE"
	local_backfill_example "$NODE_QUADF" "$NODE_QUADG" "$NODE_QUADH" \
		"$NODE_QUADI" "$NODE_QUADJ"
	run_examples true six local
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

case_cores_take_turns() {
	assert_turns cores RRSSP SSRRP RRSSP
	assert_eq "cores that Slurm booked" "0 1 0 1 " \
		"$(tr '\n' ' ' <"$work/cores.booked")"
	assert_eq "granted cores" "0 1 0 1 " \
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

# Cores of plain jobs are no units, and plain jobs get no cores of units.
case_plain_jobs() {
	local node=$NODE_QUADA bound plain job

	bound=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	plain=$(alloc -p three_share -w "$node" -n4)
	assert_granted "$bound" "$node" 0-3
	assert_eq "plain job" 4-7 "$(cpu_ids "$plain" "$node")"
	job=$(alloc -p three_share -w "$node" -n4)
	assert_eq "another plain job" 4-7 "$(cpu_ids "$job" "$node")"
	wait_until 20 states_are "RUNNING RUNNING SUSPENDED " \
		"$bound" "$plain" "$job"
	assert runs "$bound"
	refuses -p three_share -w "$node" -N1 -n5
	job=$(alloc -p three_share -w "$node" --bunit=S --bamount=1)
	assert_granted "$job" "$node" 0-3
	cancel "$plain"
	refuses -p three_share -w "$node" --bunit=S --bamount=2
	assert_no_contradictions 3
}

# YES shares when the job says so; NO, EXCLUSIVE and --exclusive never; and not
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
	alloc -p yes_share -w "$node" --bunit=N --bamount=1 \
		--oversubscribe >/dev/null
	refuses -p yes_share -w "$node" --bunit=N --bamount=1 --oversubscribe
	assert_no_contradictions 2

	node=$NODE_QUADB
	alloc -p main -w "$node" --bunit=S --bamount=1 >/dev/null
	alloc -p main -w "$node" --bunit=S --bamount=1 >/dev/null
	refuses -p main -w "$node" --bunit=S --bamount=1 --oversubscribe

	node=$NODE_QUADC
	alloc -p three_share -w "$node" --bunit=C --bamount=1 --exclusive \
		>/dev/null
	refuses -p three_share -w "$node" --bunit=C --bamount=1
	refuses -p three_share -w "$node" -n1
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
	scontrol suspend "$first"
	wait_until 30 job_has_state "$first" SUSPENDED
	alloc -p three_share -w "$NODE_QUADA" --bunit=N --bamount=1 >/dev/null
	refute scontrol resume "$first"
	assert_no_contradictions 3
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
	refuses -p main -w "$NODE_QUADA" --bunit=N --bamount=1
	assert_no_contradictions 3
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
test_case "plain jobs share with plain jobs only" case_plain_jobs
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
tests_done
