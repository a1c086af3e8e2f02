#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# preempt - a bound job gets the units of jobs of lower partitions or of a QOS
# that it may preempt, and no job makes way in vain
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# Who makes way for whom.
low_options=()
urgent_options=()

# low NODE OPTION... - a job that makes way, for that node; its id
low() {
	local node=$1

	shift
	batch --requeue "${low_options[@]}" -w "$node" "$@"
}

all_run() {
	local job

	for job in "$@"; do
		wait_until 20 runs "$job"
	done
}

# gives_way JOB - as the PreemptMode of cluster or QOS says
gives_way() {
	case $mode in
	REQUEUE) [ "$(job_field "$1" Restarts)" = 1 ] && is_pending "$1" ;;
	CANCEL) job_has_state "$1" PREEMPTED ;;
	*) job_has_state "$1" SUSPENDED ;;
	esac
}

one_gives_way() {
	local job

	for job in "$@"; do
		! gives_way "$job" || return 0
	done
	return 1
}

# urgent_runs OPTION... - a job that others make way for; into the variable urgent
urgent_runs() {
	urgent=$(alloc "${urgent_options[@]}" "$@")
	assert_no_contradictions
}

# Nine of the sixteen caches are taken, 8 more are wanted: one has to go.
case_as_many_as_needed() {
	local jobs=() _ given=0 job

	for _ in {1..9}; do
		jobs+=("$(low "$NODE_ZEN" --bunit=X --bamount=1)")
	done
	all_run "${jobs[@]}"
	urgent_runs -w "$NODE_ZEN" -N1 -n8 --bunit=X --bamount=1
	wait_until 20 one_gives_way "${jobs[@]}"
	for job in "${jobs[@]}"; do
		if gives_way "$job"; then
			given=$((given + 1))
		else
			runs_undisturbed "$job"
		fi
	done
	assert_eq "jobs that made way" 1 "$given"
}

# The first socket is shared by three jobs, the second has one.
case_fewest() {
	local jobs=() cpu last

	for cpu in 0 12 24; do
		jobs+=("$(low "$NODE_ZEN" --bcpus="$cpu")")
	done
	last=$(low "$NODE_ZEN" --bcpus=48)
	all_run "${jobs[@]}" "$last"
	urgent_runs -w "$NODE_ZEN" --bunit=S --bamount=1
	assert_granted "$urgent" "$NODE_ZEN" 48-95
	wait_until 20 gives_way "$last"
	runs_undisturbed "${jobs[@]}"
}

case_plain_jobs() {
	local bound elsewhere in_the_way

	in_the_way=$(low "$NODE_ZEN" -N1 -n1)
	bound=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	elsewhere=$(low "$NODE_TWIN" -N1 -n1)
	all_run "$in_the_way" "$bound" "$elsewhere"
	assert_eq "CPUs of the plain job" 0-1 "$(cpu_ids "$in_the_way")"
	urgent_runs -w "$NODE_ZEN" --bcpus=0,2
	wait_until 20 gives_way "$in_the_way"
	runs_undisturbed "$bound" "$elsewhere"
}

case_two_nodes() {
	local first second third

	first=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	second=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	third=$(low "$NODE_TWIN" --bunit=S --bamount=1)
	all_run "$first" "$second" "$third"
	urgent_runs -N2 -n2 --bunit=S --bamount=1
	assert_granted "$urgent" "$NODE_TWIN" 48-95
	runs_undisturbed "$third"
	wait_until 20 one_gives_way "$first" "$second"
	if gives_way "$first"; then
		runs_undisturbed "$second"
	else
		gives_way "$second" || fail "nobody made way"
		runs_undisturbed "$first"
	fi
}

# A core of each cache is taken: enough cores are free, but no unit is.
case_fragments() {
	local cpus first second

	cpus=$(seq -s , 0 6 95)
	first=$(low "$NODE_ZEN" -N1 -n1 "--bcpus=$cpus")
	second=$(low "$NODE_TWIN" -N1 -n1 "--bcpus=$cpus")
	all_run "$first" "$second"
	urgent_runs -N2 -n2 --bunit=X --bamount=1
	wait_until 20 gives_way "$first"
	wait_until 20 gives_way "$second"
}

case_not_when_there_is_room() {
	local job

	job=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	all_run "$job"
	urgent_runs -w "$NODE_ZEN" --bunit=S --bamount=1
	assert_granted "$urgent" "$NODE_ZEN" 48-95
	runs_undisturbed "$job"
}

# One socket belongs to a job that nobody may preempt.
case_not_in_vain() {
	local first other equal

	first=$(low "$NODE_ZEN" --bunit=X --bamount=1)
	other=$(low "$NODE_ZEN" -n1)
	all_run "$first" "$other"
	equal=$(alloc "${urgent_options[@]}" -w "$NODE_ZEN" --bcpus=48)
	urgent=$(batch "${urgent_options[@]}" -w "$NODE_ZEN" --bunit=S \
		--bamount=2)
	wait_until 20 was_passed_over "$urgent"
	# Once more, by the whole queue.
	scontrol update job="$urgent" Comment=again
	batch "${urgent_options[@]}" -w "$NODE_TWIN" -n1 >/dev/null
	wait_until 20 is_running_on "$NODE_TWIN"
	assert is_pending "$urgent"
	runs_undisturbed "$first" "$other" "$equal"
}

is_running_on() {
	[ -n "$(squeue -h -t R -w "$1" -o %i)" ]
}

# Units are free, memory is not: who has it makes way, and nobody else.
case_memory() {
	local small large

	small=$(low "$NODE_ZEN" --mem=10 --bunit=S --bamount=1)
	large=$(low "$NODE_ZEN" --mem=600000 --bunit=X --bamount=1)
	all_run "$small" "$large"
	urgent_runs -w "$NODE_ZEN" --mem=600000 --bunit=X --bamount=1
	wait_until 20 gives_way "$large"
	runs_undisturbed "$small"
}

case_exclusive() {
	local first second third

	first=$(low "$NODE_ZEN" --bunit=X --bamount=1)
	second=$(low "$NODE_ZEN" -n1)
	third=$(low "$NODE_TWIN" -n1)
	all_run "$first" "$second" "$third"
	urgent_runs -w "$NODE_ZEN" --exclusive --bunit=S --bamount=2
	wait_until 20 gives_way "$first"
	wait_until 20 gives_way "$second"
	runs_undisturbed "$third"
}

# A job of two components goes as a whole.
case_heterogeneous() {
	local het other

	het=$(batch --requeue "${low_options[@]}" -w "$NODE_ZEN" \
		--bunit=S --bamount=1 : \
		"${low_options[@]}" -w "$NODE_TWIN" --bunit=S --bamount=1)
	other=$(low "$NODE_ZEN" --bunit=X --bamount=1)
	all_run "$het" "$other"
	urgent_runs -w "$NODE_ZEN" --bcpus=0
	wait_until 20 gives_way "$het"
	wait_until 20 nothing_in_use "$NODE_TWIN"
	runs_undisturbed "$other"
}

case_told_before() {
	local jobs=() cpu victim told

	for cpu in 0 12; do
		jobs+=("$(low "$NODE_ZEN" --bcpus="$cpu")")
	done
	victim=$(low "$NODE_ZEN" --bcpus=48)
	all_run "${jobs[@]}" "$victim"
	told=$(sbatch --test-only "${urgent_options[@]}" -w "$NODE_ZEN" \
		--bunit=S --bamount=1 --wrap true 2>&1)
	assert_eq "who would make way" "$victim" \
		"$(sed -n 's/.*Preempts: //p' <<<"$told")"
	runs_undisturbed "${jobs[@]}" "$victim"
}

# --- SUSPEND ------------------------------------------------------------------

# One of two jobs is paused and goes on when the other has ended.
case_suspends_one() {
	local first second in_use

	first=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	second=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	all_run "$first" "$second"
	urgent_runs -w "$NODE_ZEN" --bunit=X --bamount=8
	wait_until 20 one_of_is_suspended "$first" "$second"
	assert_eq "CPUs of the urgent job" "$(cpu_ids "$urgent")" \
		"$(granted "$urgent")"
	cancel "$urgent"
	wait_until 20 runs "$first"
	wait_until 20 runs "$second"
	in_use=$(inuse "$NODE_ZEN")
	assert_eq "in use" 0-95 "$in_use"
	assert_no_contradictions
}

one_of_is_suspended() {
	{ job_has_state "$1" SUSPENDED && runs "$2"; } ||
		{ job_has_state "$2" SUSPENDED && runs "$1"; }
}

# What a paused job has it keeps: it is given to nobody of its own partition,
# and no administrator can resume it beside the other.
case_paused_keeps_its_units() {
	local paused waiting

	paused=$(low "$NODE_ZEN" --bunit=S --bamount=2)
	all_run "$paused"
	urgent_runs -w "$NODE_ZEN" --bunit=S --bamount=1
	wait_until 20 job_has_state "$paused" SUSPENDED
	waiting=$(low "$NODE_ZEN" --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$waiting"
	refute scontrol resume "$paused"
	assert job_has_state "$paused" SUSPENDED
	assert_eq "what it waits for, to be resumed" "" \
		"$(job_field "$paused" AdminComment)"
	# Not the gang scheduler's any more, but its units are not given back.
	scontrol suspend "$paused"
	cancel "$urgent"
	assert job_has_state "$paused" SUSPENDED
	scontrol resume "$paused"
	assert runs "$paused"
	assert_eq "in use" 0-95 "$(inuse "$NODE_ZEN")"
	assert is_pending "$waiting"
	cancel "$paused"
	wait_until 20 runs "$waiting"
	assert_no_contradictions
}

# A job that is ended makes way first, one that is paused when units are given.
case_ends_one_and_pauses_another() {
	local paused ended

	paused=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	ended=$(batch --requeue -p ended -w "$NODE_ZEN" --bunit=S --bamount=1)
	all_run "$paused" "$ended"
	urgent_runs -w "$NODE_ZEN" --bunit=S --bamount=2
	wait_until 20 gives_way "$paused"
	assert_eq "restarts of the ended job" 1 "$(job_field "$ended" Restarts)"
}

# Jobs of one partition, which Slurm 22.05 lets nobody pause for another: it waits.
case_waits() {
	local first second

	first=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	second=$(low "$NODE_ZEN" --bunit=S --bamount=1)
	all_run "$first" "$second"
	urgent=$(batch "${urgent_options[@]}" -w "$NODE_ZEN" --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$urgent"
	runs_undisturbed "$first" "$second"
	cancel "$first"
	wait_until 20 runs "$urgent"
	runs_undisturbed "$second"
}

# Where the partition has them take turns, the others go on beside them.
case_takes_turns_with_one() {
	local jobs=() _ job partners=()

	for _ in {1..9}; do
		jobs+=("$(low "$NODE_ZEN" --bunit=X --bamount=1)")
	done
	all_run "${jobs[@]}"
	urgent=$(batch "${urgent_options[@]}" -w "$NODE_ZEN" -N1 -n8 \
		--bunit=X --bamount=1)
	wait_until 40 runs "$urgent"
	assert_no_contradictions 2
	mapfile -t partners < <(sharers_of "$urgent")
	assert_eq "jobs that make way" 1 "${#partners[@]}"
	wait_until 40 job_has_state "${partners[0]}" SUSPENDED
	wait_until 40 runs "${partners[0]}"
	for job in "${jobs[@]}"; do
		[ "$job" = "${partners[0]}" ] ||
			assert_eq "suspension of $job" None \
				"$(job_field "$job" SuspendTime)"
	done
}

# Who else has a core of the job.
sharers_of() {
	facts | awk -v job="$1" '
	$1 != "cpu" { next }
	$2 == job { has[$3, $4]; next }
	{ others[$2, $3, $4] = $2 }
	END {
		for (key in others) {
			split(key, at, SUBSEP)
			if ((at[2], at[3]) in has)
				print others[key]
		}
	}' | sort -u
}

# start MODE LINE... - a cluster that preempts so
start() {
	local lines=(--slurm "PreemptMode=$1")

	mode=$1
	low_options=(-p low)
	urgent_options=(-p urgent)
	shift
	cluster_start --nodes zen,twin "${lines[@]}" \
		--slurm "PartitionName=low Nodes=ALL PriorityTier=1 DefaultTime=10" \
		--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10" \
		"$@"
	note_slurmctld
}

start_by_partition() {
	start "$@" --slurm PreemptType=preempt/partition_prio
}

# Jobs of the QOS hi preempt those of requeue, cancel and suspend, each as it is
# called.
start_by_qos() {
	local qos

	start SUSPEND,GANG --accounting --slurm PreemptType=preempt/qos \
		--slurm SchedulerTimeSlice=5 --slurm \
		"PartitionName=turns Nodes=ALL OverSubscribe=FORCE:1 DefaultTime=10"
	for qos in requeue cancel suspend; do
		sacctmgr -i add qos "$qos" PreemptMode="$qos" >/dev/null
	done
	sacctmgr -i add qos hi Preempt=requeue,cancel,suspend >/dev/null
	wait_until 30 qos_is_known hi
}

qos_is_known() {
	scontrol show assoc_mgr flags=qos | grep "^ *QOS=$1(" >/dev/null
}

# by_qos QOS [LOW URGENT] - from now on, with jobs of the same partition or those
by_qos() {
	mode=${1^^}
	low_options=("--qos=$1" -p "${2:-main}")
	urgent_options=(--qos=hi -p "${3:-main}")
}

stop() {
	test_case "$1: nothing stays in use" wait_until 10 nothing_in_use "$NODE_ZEN"
	test_case "$1: slurmctld did not die" assert slurmctld_lives
	cluster_stop
}

start_by_partition REQUEUE
test_case "as many jobs as the units need" case_as_many_as_needed
test_case "fragments make way for units" case_fragments
test_case "the unit that the fewest jobs share" case_fewest
test_case "two nodes, of which one has room" case_two_nodes
test_case "nobody while there is room" case_not_when_there_is_room
test_case "nobody in vain" case_not_in_vain
test_case "who has the memory" case_memory
test_case "plain jobs" case_plain_jobs
test_case "a whole node" case_exclusive
test_case "a heterogeneous job goes as a whole" case_heterogeneous
test_case "--test-only tells who would make way" case_told_before
stop REQUEUE
start_by_partition CANCEL
test_case "CANCEL: as many jobs as the units need" case_as_many_as_needed
test_case "CANCEL: the unit that the fewest jobs share" case_fewest
stop CANCEL
start_by_partition SUSPEND,GANG --slurm \
	"PartitionName=ended Nodes=ALL PriorityTier=1 PreemptMode=REQUEUE"
test_case "SUSPEND: one of two is paused" case_suspends_one
test_case "SUSPEND: as many jobs as the units need" case_as_many_as_needed
test_case "SUSPEND: the unit that the fewest jobs share" case_fewest
test_case "SUSPEND: nobody in vain" case_not_in_vain
test_case "SUSPEND: who is paused keeps its units" case_paused_keeps_its_units
test_case "SUSPEND and REQUEUE" case_ends_one_and_pauses_another
stop SUSPEND
start_by_qos
for qos in requeue cancel; do
	by_qos "$qos"
	test_case "QOS, $mode: as many jobs as the units need" \
		case_as_many_as_needed
	test_case "QOS, $mode: the unit that the fewest jobs share" case_fewest
	test_case "QOS, $mode: nobody in vain" case_not_in_vain
	test_case "QOS, $mode: who has the memory" case_memory
done
by_qos suspend low urgent
test_case "QOS, SUSPEND: one of two is paused" case_suspends_one
test_case "QOS, SUSPEND: as many jobs as the units need" case_as_many_as_needed
test_case "QOS, SUSPEND: the unit that the fewest jobs share" case_fewest
test_case "QOS, SUSPEND: nobody in vain" case_not_in_vain
test_case "QOS, SUSPEND: who is paused keeps its units" \
	case_paused_keeps_its_units
by_qos suspend
# Later Slurms pause jobs for another one of their partition, too.
if slurm_is_from 24.11; then
	test_case "QOS, SUSPEND, one partition: one of two is paused" \
		case_suspends_one
else
	test_case "QOS, SUSPEND, one partition: nobody is paused" case_waits
fi
test_case "QOS, SUSPEND, one partition: nobody in vain" case_not_in_vain
by_qos suspend turns turns
test_case "QOS, SUSPEND, one partition that shares: turns with as many as needed" \
	case_takes_turns_with_one
stop QOS
tests_done
