#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# alternatives - --bunit=S:1|X:1: the first that starts, in order; what the job was given
# is known to its steps, to the node and after a restart
#
# zen has two sockets (48 threads each) of eight L3 caches (six threads each).
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

either='S:1|X:1'

# One thread of each of these caches of zen, as --bcpus.
caches() {
	seq -s , $(($1 * 6)) 6 $(($2 * 6))
}

# took JOB BINDING LIST - on zen
took() {
	assert_eq "binding of job $1" "$2" "$(binding "$1")"
	assert_granted "$1" "$NODE_ZEN" "$3"
}

# Both sockets are broken, and most of their caches are whole.
break_sockets() {
	alloc -w "$NODE_ZEN" --bcpus=0,48 "$@"
}

# The last of them is in use, too.
break_caches() {
	alloc -w "$NODE_ZEN" --bcpus="$(caches "${1:-1}" 7),$(caches 9 15)"
}

# --- which one ------------------------------------------------------------------

case_first() {
	took "$(alloc -w "$NODE_ZEN" --bunit="$either")" bunit=S,bamount=1 0-47
	took "$(alloc -w "$NODE_ZEN" --bunit='l3:2|socket')" \
		bunit=X,bamount=2 48-59
	assert_no_contradictions
}

case_second() {
	break_sockets >/dev/null
	took "$(alloc -w "$NODE_ZEN" --bunit="$either")" bunit=X,bamount=1 6-11
	took "$(alloc -w "$NODE_ZEN" -N1 -n3 --bunit='X:6|S:1|X:2')" \
		bunit=X,bamount=2 12-47
	assert_no_contradictions
}

# Each node has enough of one only.
case_on_nodes() {
	local job

	break_sockets >/dev/null
	break_caches >/dev/null
	job=$(alloc -N2 -n2 --bunit='S:1|C:2' -w "$NODE_ZEN,$NODE_RAPTOR")
	assert_eq binding bamount=2 "$(binding "$job")"
	assert_no_contradictions
	# Three cores have six CPUs.
	job=$(alloc -w "$NODE_ZEN" -c12 --bunit='C:3|C:6')
	assert_eq "for twelve CPUs" bamount=6 "$(binding "$job")"
	assert_no_contradictions
}

waits_for_both() {
	local both="S:1: no required node has 1 free S unit: 1 node has 0 (fragmented: 1)"

	both+="; X:1: no required node has 1 free X unit: 1 node has 0 (fragmented: 1)"
	waits_for "$1" "$both" && [ "$(squeue -h -j "$1" -o %r)" = "$both" ]
}

case_waits() {
	local job caches

	break_sockets >/dev/null
	caches=$(break_caches)
	job=$(batch -w "$NODE_ZEN" --bunit='socket:1|l3:1')
	wait_until 20 waits_for_both "$job"
	assert_eq "what it asks for" "bunit=$either" "$(binding "$job")"
	cancel "$caches"
	wait_until 30 runs "$job"
	took "$job" bunit=X,bamount=1 6-11
	assert_eq "Reason" None "$(job_reason "$job")"
}

case_when() {
	alloc -t 60 -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	assert_told 0 1 -w "$NODE_ZEN" --bunit="$either"
	alloc -t 10 -w "$NODE_ZEN" --bcpus="$(caches 1 7),$(caches 9 15)" \
		>/dev/null
	assert_told 8 12 -w "$NODE_ZEN" --bunit="$either"
	assert_told 8 12 -w "$NODE_ZEN" --bunit='X:1|S:1'
	assert_told 58 62 -w "$NODE_ZEN" --bunit='S:1|S:2'
	assert_told 58 62 -w "$NODE_ZEN" --bunit='S:2|X:15'
}

# What zen can never have is passed over; with nothing else the job is refused.
case_never() {
	local answer

	took "$(alloc -w "$NODE_ZEN" --bunit='S:3|X:1')" bunit=X,bamount=1 0-5
	answer=$(sbatch -w "$NODE_ZEN" --bunit='S:3|X:17' --wrap true 2>&1) &&
		fail "it was accepted"
	assert_contains answer "has 3 S units" "$answer"
	assert_contains answer "has 17 X units" "$answer"
}

case_backfill() {
	local first short

	alloc -t 60 -w "$NODE_ZEN" --bcpus="$(caches 0 7),48" >/dev/null
	first=$(batch -t 30 -w "$NODE_ZEN" --bunit='S:1|X:16')
	wait_until 20 was_passed_over "$first"
	short=$(batch -t 20 -w "$NODE_ZEN" --bunit="$either")
	wait_until 60 runs "$short"
	took "$short" bunit=X,bamount=1 54-59
	assert is_pending "$first"
}

case_array() {
	local job

	alloc -w "$NODE_ZEN" --bcpus=0 >/dev/null
	job=$(batch -w "$NODE_ZEN" --array=0-2 --bunit="$either")
	wait_until 30 all_run "$job"
	assert_eq "what the tasks have" "bunit=S,bamount=1
bunit=X,bamount=1
bunit=X,bamount=1" "$(for i in 0 1 2; do binding "${job}_$i"; done)"
	assert_no_contradictions
}

all_run() {
	[ "$(squeue -h -r -t R -j "$1" -o %i | wc -l)" = 3 ]
}

# --- over time --------------------------------------------------------------------

# HOW slurmctld ends
case_restart() {
	local running pending before in_use

	break_sockets >/dev/null
	running=$(batch -w "$NODE_ZEN" --bunit="$either")
	wait_until 20 runs "$running"
	break_caches 2 >/dev/null
	pending=$(batch -w "$NODE_ZEN" --bunit="$either")
	wait_until 20 waits_for_both "$pending"
	save_state "$running"
	before=$(held)
	in_use=$(inuse "$NODE_ZEN")
	daemon slurmctld "$1"
	daemon slurmctld start
	wait_until 60 nodes_answer
	assert_eq "what is held" "$before" "$(held)"
	assert_eq "what is in use" "$in_use" "$(inuse "$NODE_ZEN")"
	took "$running" bunit=X,bamount=1 6-11
	# shellcheck disable=SC2016
	assert_eq "a new step" 6-11 "$(srun -Q --overlap --jobid="$running" \
		sh -c 'echo $TOPOBIND_CPUS')"
	wait_until 20 waits_for_both "$pending"
	cancel "$running"
	wait_until 30 runs "$pending"
	took "$pending" bunit=X,bamount=1 6-11
	drain
	wait_until 10 nothing_in_use "$NODE_ZEN"
}

case_requeue() {
	local job sockets

	job=$(batch --requeue -w "$NODE_ZEN" --bunit="$either")
	wait_until 20 runs "$job"
	took "$job" bunit=S,bamount=1 0-47
	requeue_held "$job"
	assert_eq "what it asks for" "bunit=$either" "$(binding "$job")"
	sockets=$(break_sockets)
	release_now "$job"
	wait_until 60 runs "$job"
	took "$job" bunit=X,bamount=1 6-11
	requeue_held "$job"
	cancel "$sockets"
	release_now "$job"
	wait_until 60 runs "$job"
	took "$job" bunit=S,bamount=1 0-47
}

case_update() {
	local job caches

	break_sockets >/dev/null
	caches=$(break_caches)
	job=$(batch -w "$NODE_ZEN" --bunit="$either")
	wait_until 20 waits_for_both "$job"
	scontrol update job="$job" TimeLimit=5
	reconfigure
	cancel "$caches"
	wait_until 30 runs "$job"
	took "$job" bunit=X,bamount=1 6-11
}

# --- steps ----------------------------------------------------------------------

# shellcheck disable=SC2016
cpus='echo $SLURM_PROCID $TOPOBIND_CPUS'

# Caches of three cores do not hold twelve CPUs, so it is six caches or a socket:
# the cores alone do not tell.
case_steps_of_the_larger() {
	local larger=(-n1 -c12 -w "$NODE_ZEN" "--bunit=X:1|S:1")
	local socket="0 0-47"

	assert_eq "srun" "$socket" "$(srun -Q "${larger[@]}" sh -c "$cpus")"
	assert_eq "srun in salloc" "$socket" "$(within 60 \
		salloc -Q "${larger[@]}" srun -Q sh -c "$cpus")"
	assert_eq "srun --jobid" "$socket" "$(srun -Q -n1 -c12 --jobid="$(alloc \
		"${larger[@]}")" sh -c "$cpus")"
	drain
	sbatch -Q -W "${larger[@]}" -o "$work/out" \
		--wrap "srun -Q -c12 sh -c '$cpus'"
	assert_eq "srun in a script" "$socket" "$(cat "$work/out")"
}

# Four cores in pairs, of a node that has no more.
case_steps_of_pairs() {
	local job

	alloc -w "$NODE_ZEN" --bcpus="$(seq -s , 0 2 86)" >/dev/null
	job=$(alloc -N1 -n2 -w "$NODE_ZEN" --bunit='C:4|C:2')
	took "$job" bamount=2 88-95
	assert_eq "two tasks" "0 90-93
1 88-89,94-95" "$(srun -Q -n2 --jobid="$job" sh -c "$cpus" | sort)"
	# Which of the slots depends on whether that step is over for slurmctld.
	assert_eq "CPUs of one task" 4 "$(count_cpus "$job")"
	assert_eq "with its own binding" 4 \
		"$(count_cpus "$job" --bunit='S:1|C:2')"
	assert_eq "with less" 2 "$(count_cpus "$job" --bunit='X:1|C:1')"
}

# count_cpus JOB OPTION... - of the one task of a step
count_cpus() {
	local job=$1

	shift
	# shellcheck disable=SC2016
	expand_list "$(srun -Q -n1 --jobid="$job" "$@" \
		sh -c 'echo $TOPOBIND_CPUS')" | wc -l
}

in_proc='grep Cpus_allowed_list /proc/self/status'

case_held() {
	local busy out

	busy=$(alloc -w "$NODE_THIS" --bcpus=0 --mem=100)
	out=$(srun -Q -n1 -w "$NODE_THIS" --mem=100 --bunit='S:1|C:1' sh -c \
		"$in_proc; echo cpus=\$TOPOBIND_CPUS")
	assert_eq "the task may run on" "$(sed -n 's/^cpus=//p' <<<"$out")" \
		"$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' <<<"$out")"
	refute grep -w 0 <(expand_list "$(sed -n 's/^cpus=//p' <<<"$out")")
	cancel "$busy"
	# The whole socket.
	out=$(srun -Q -n1 -w "$NODE_THIS" --mem=100 --bunit='S:1|C:1' sh -c \
		"$in_proc; echo cpus=\$TOPOBIND_CPUS")
	assert_contains "the task may run on" \
		"$(sed -n 's/^cpus=//p' <<<"$out")" "$out"
	assert grep -w 0 <(expand_list "$(sed -n 's/^cpus=//p' <<<"$out")")
}

# Variables by hand: of the request, of the notes, in the job and before it.
case_by_hand() {
	local job out mine

	alloc -w "$NODE_THIS" --bcpus=0 --mem=100 >/dev/null
	alloc -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	job=$(TOPOBIND_ALTERNATIVE=S:1 SPANK_TOPOBIND_ALTERNATIVE=S:1 \
		SLURM_SPANK_TOPOBIND_ALTERNATIVE=S:1 \
		alloc -w "$NODE_ZEN" --bunit="$either")
	took "$job" bunit=X,bamount=1 6-11
	sbatch -Q -W -n1 -w "$NODE_THIS" --mem=100 --bunit='S:1|C:1' \
		-o "$work/out" --wrap "
	$in_proc
	export SLURM_SPANK_TOPOBIND_ALTERNATIVE=S:1
	srun -Q $in_proc
	export SLURM_SPANK_TOPOBIND_REQUEST='bunit=S:1|C:1'
	srun -Q $in_proc
	export SLURM_SPANK_TOPOBIND_REQUEST=bunit=C,bamount=2,btype=host
	srun -Q $in_proc || true
	export SLURM_SPANK_TOPOBIND_REQUEST=bunit=S,bamount=1
	srun -Q $in_proc || true"
	mine=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p;T;q' "$work/out")
	out=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$work/out" |
		sort -u)
	assert_eq "where anything of it may run" "$mine" "$out"
	assert [ "$(grep -c Cpus_allowed "$work/out")" -ge 3 ]
}

# A client without SPANK that brings the controller's note along.
case_forged_note() {
	local job

	break_sockets >/dev/null
	job=$("$work/hostile" "$NODE_ZEN" TOPOBIND_ALTERNATIVE=S:1 \
		"TOPOBIND_REQUEST=bunit=$either" SPANK_TOPOBIND_ALTERNATIVE=S:1)
	wait_until 20 runs "$job"
	took "$job" bunit=X,bamount=1 6-11
	save_state "$job"
	daemon slurmctld kill
	daemon slurmctld start
	took "$job" bunit=X,bamount=1 6-11
	assert_no_contradictions
}

# --- the command -------------------------------------------------------------------

case_command() {
	local job caches out

	out=$(topobind plan -w "$NODE_ZEN" --bunit="$either")
	assert_contains "plan, now" "with S:1" "$out"
	break_sockets -t 60 >/dev/null
	out=$(topobind plan -w "$NODE_ZEN" --bunit="$either")
	assert_contains "plan, for the second" "with X:1" "$out"
	assert_eq "the same as JSON" X:1 "$(topobind plan --json \
		-w "$NODE_ZEN" --bunit="$either" | jq -r .alternative)"
	caches=$(break_caches)
	out=$(topobind plan -w "$NODE_ZEN" --bunit="$either") &&
		fail "there are units now"
	assert_contains "plan, later" "1 slot of 1 S unit" "$out"
	assert_contains "plan, later" "1 slot of 1 X unit" "$out"
	job=$(batch -w "$NODE_ZEN" --bunit="$either")
	wait_until 20 waits_for_both "$job"
	out=$(topobind explain "$job")
	assert_contains explain "1 slot of 1 S unit" "$out"
	assert_contains explain "1 slot of 1 X unit" "$out"
	assert_eq "explain as JSON" "S:1 false
X:1 false" "$(topobind explain --json "$job" |
		jq -r '.jobs[0].alternatives[] | "\(.alternative) \(.fits_now)"')"
	cancel "$caches"
	wait_until 30 runs "$job"
	assert_contains "explain, of the running job" bunit=X,bamount=1 \
		"$(topobind explain "$job")"
	assert_contains "job" bunit=X,bamount=1 "$(topobind job --json "$job")"
}

# --- what is refused ---------------------------------------------------------------

# wrong SENTENCE OPTION...
wrong() {
	local sentence=$1 answer

	shift
	answer=$(sbatch "$@" --wrap true 2>&1) && fail "it was accepted: $*"
	assert_contains "the answer to $*" "$sentence" "$answer"
	assert_eq "lines of the answer to $*" 1 "$(wc -l <<<"$answer")"
}

case_wrong() {
	wrong "'Q' is not a unit" --bunit='X:1|Q:1'
	wrong "'' is not a unit" --bunit='X:1|'
	wrong "the amount '0' is not allowed" --bunit='X:1|S:0'
	wrong "the amount '' is not allowed" --bunit='X:'
	wrong "the amount '65536' is not allowed" --bunit='X:1|C:65536'
	wrong "names 1 X twice" --bunit='X:1|l3:1'
	wrong "at most 4 are allowed" --bunit='X:1|S:1|C:1|Y:1|N:1'
	wrong "add btype=host" --bunit=X:1+C:2
	wrong "bamount=2 does not go with bunit=X:1|S:1" \
		--bunit='X:1|S:1' --bamount=2
	wrong "does not go with bcpus=0" --bunit='X:1|S:1' --bcpus=0
	wrong "bequal=no does not go with bunit=T" --bunit='X:1|T:1' --bequal=no
	wrong "bstop=C ends the window" --bunit='X:1|C:1' --bstop=C
}

# What comes from elsewhere gives way to what is said nearer.
case_precedence() {
	local job

	job=$(TOPOBIND='bunit=X:2|S:1' alloc -w "$NODE_ZEN")
	assert_eq "of the environment" bunit=X,bamount=2 "$(binding "$job")"
	job=$(TOPOBIND='bunit=X:2|S:1' alloc -w "$NODE_ZEN" --bamount=2)
	assert_eq "with an amount" bamount=2 "$(binding "$job")"
	job=$(TOPOBIND='bunit=C,bamount=7' alloc -w "$NODE_ZEN" --bunit='X:2|S:1')
	assert_eq "over an amount" bunit=X,bamount=2 "$(binding "$job")"
	printf '%s\n' '#!/bin/sh' '#SBATCH --bunit=X:2|S:1' 'exec sleep 600' \
		>"$work/script"
	job=$(sbatch --parsable -w "$NODE_ZEN" -o /dev/null "$work/script")
	wait_until 20 runs "$job"
	assert_eq "of the script" bunit=X,bamount=2 "$(binding "$job")"
	job=$(alloc -w "$NODE_ZEN" -n1 --bunit='X:2|S:1' --bamount=0)
	assert_eq "switched off" "" "$(binding "$job")"
}

# --- partitions ---------------------------------------------------------------------

case_preempt() {
	local first second urgent

	first=$(batch -p low --requeue -w "$NODE_ZEN" --bunit=S --bamount=1)
	second=$(batch -p low --requeue -w "$NODE_ZEN" --bunit=S --bamount=1)
	wait_until 20 runs "$second"
	urgent=$(alloc -p urgent -w "$NODE_ZEN" --bunit="$either")
	assert_eq binding bunit=S,bamount=1 "$(binding "$urgent")"
	assert_no_contradictions
	cancel "$urgent"
	cancel "$first" "$second"
}

# Nobody makes way where the second is free.
case_not_in_vain() {
	local low urgent

	low=$(batch -p low --requeue -w "$NODE_ZEN" --bcpus=0,48)
	wait_until 20 runs "$low"
	urgent=$(alloc -p urgent -w "$NODE_ZEN" --bunit="$either")
	took "$urgent" bunit=X,bamount=1 6-11
	runs_undisturbed "$low"
}

# For the first nobody could make way.
case_preempt_second() {
	local low urgent

	low=$(batch -p low --requeue -w "$NODE_ZEN" --bcpus="$(caches 0 15)")
	wait_until 20 runs "$low"
	alloc -p urgent -w "$NODE_ZEN" --bcpus=2,50 >/dev/null
	urgent=$(alloc -p urgent -w "$NODE_ZEN" --bunit='S:1|X:14')
	took "$urgent" bunit=X,bamount=14 6-47,54-95
	wait_until 20 is_pending "$low"
	assert_no_contradictions
}

case_shares() {
	local first second

	first=$(alloc -p shared -w "$NODE_ZEN" --mem=100 --bunit=S --bamount=2)
	second=$(alloc -p shared -w "$NODE_ZEN" --mem=100 --bunit='S:2|X:1')
	took "$first" bunit=S,bamount=2 0-95
	took "$second" bunit=S,bamount=2 0-95
	assert_no_contradictions 2
	refuses -p main -w "$NODE_ZEN" --mem=100 --bunit="$either"
	assert_no_contradictions 2
}

# With gang scheduling.
case_take_turns() {
	local first second

	first=$(batch -p shared -w "$NODE_ZEN" --mem=100 --bunit='S:2|X:1')
	second=$(batch -p shared -w "$NODE_ZEN" --mem=100 --bunit='S:2|X:1')
	wait_until 40 job_has_state "$first" SUSPENDED
	wait_until 40 job_has_state "$second" SUSPENDED
	took "$first" bunit=S,bamount=2 0-95
	took "$second" bunit=S,bamount=2 0-95
	assert_no_contradictions 2
}

case_pauses() {
	local low urgent

	low=$(batch -p low -w "$NODE_ZEN" --mem=100 --bunit=S --bamount=2)
	wait_until 20 runs "$low"
	urgent=$(alloc -p urgent -w "$NODE_ZEN" --mem=100 --bunit="$either")
	wait_until 20 job_has_state "$low" SUSPENDED
	assert_eq "binding" bunit=S,bamount=1 "$(binding "$urgent")"
	cancel "$urgent"
	wait_until 40 runs "$low"
}

partitions=(--slurm PreemptType=preempt/partition_prio
	--slurm "PartitionName=low Nodes=ALL PriorityTier=1 DefaultTime=10"
	--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10"
	--slurm "PartitionName=shared Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=10")

cluster_start --nodes this,zen,raptor
compile_client hostile
test_case "the first" case_first
test_case "the second, where the first is in use" case_second
test_case "one for all nodes of a job" case_on_nodes
test_case "none: it waits, and says why for each" case_waits
test_case "when" case_when
test_case "what no node has" case_never
test_case "backfill" case_backfill
test_case "tasks of an array take different ones" case_array
test_case "slurmctld ends and comes back" case_restart stop
test_case "slurmctld is killed and comes back" case_restart kill
test_case "a requeued job chooses again" case_requeue
test_case "a job that was changed while it waited" case_update
test_case "steps of the larger alternative" case_steps_of_the_larger
test_case "steps of pairs" case_steps_of_pairs
test_case "tasks are held" case_held
test_case "variables by hand" case_by_hand
test_case "the controller's note, forged" case_forged_note
test_case "plan, explain, job" case_command
test_case "what is refused" case_wrong
test_case "precedence" case_precedence
test_case "nothing stays in use" wait_until 10 nothing_in_use "$NODE_ZEN"
cluster_stop
cluster_start --nodes this,zen "${partitions[@]}" --slurm PreemptMode=REQUEUE
test_case "others make way for the first" case_preempt
test_case "nobody makes way in vain" case_not_in_vain
test_case "others make way for the second" case_preempt_second
test_case "units that are shared" case_shares
cluster_stop
cluster_start --nodes this,zen "${partitions[@]}" \
	--slurm PreemptMode=SUSPEND,GANG --slurm SchedulerTimeSlice=5
test_case "jobs take turns" case_take_turns
test_case "others are paused for the first" case_pauses
tests_done
