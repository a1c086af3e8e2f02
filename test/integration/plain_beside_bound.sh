#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# plain_beside_bound - plain jobs where jobs may share cores: they never share
# with a bound job that runs, and are told when it ends, or when they have a turn
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# Who makes way for whom.
low_options=()
urgent_options=()

# by_qos [LOW URGENT] - jobs of the QOS hi preempt those of lo, in these partitions
by_qos() {
	low_options=(--qos=lo -p "${1:-$partition}")
	urgent_options=(--qos=hi -p "${2:-$partition}")
}

# by_partition LOW URGENT
by_partition() {
	low_options=(-p "$1")
	urgent_options=(-p "$2")
}

low() {
	batch --requeue "${low_options[@]}" "$@"
}

# urgent_runs OPTION... - a plain job that others make way for.  At no moment
# does it share a core with a bound one.
urgent_runs() {
	local urgent

	urgent=$(batch "${urgent_options[@]}" "$@")
	wait_until 40 runs_or_shares "$urgent"
	assert_no_unit_is_shared
	assert runs "$urgent"
}

runs_or_shares() {
	[ -n "$(shared_units)" ] || runs "$1"
}

gives_way() {
	[ "$(job_field "$1" Restarts)" = 1 ] && is_pending "$1"
}

all_run() {
	local job

	for job in "$@"; do
		wait_until 20 runs "$job"
	done
}

# make_qos MODE - hi preempts lo so
make_qos() {
	sacctmgr -i add qos lo PreemptMode="$1" >/dev/null
	sacctmgr -i add qos hi Preempt=lo >/dev/null
	wait_until 30 qos_is_known hi
}

qos_is_known() {
	scontrol show assoc_mgr flags=qos | grep "^ *QOS=$1(" >/dev/null
}

# --- preempting bound jobs ----------------------------------------------------

case_whole_node() {
	local bound

	bound=$(low -N1 -n4 --bunit=S --bamount=1)
	all_run "$bound"
	urgent_runs -N1 -n16
	wait_until 20 gives_way "$bound"
}

# Twelve of the sixteen cores are bound, eight are wanted.
case_part_of_a_node() {
	local bound

	bound=$(low -N1 -n3 --bunit=S --bamount=1)
	all_run "$bound"
	urgent_runs -N1 -n8
	wait_until 20 gives_way "$bound"
}

case_nobody_while_there_is_room() {
	local bound

	bound=$(low -N1 -n3 --bunit=S --bamount=1)
	all_run "$bound"
	urgent_runs -N1 -n4
	runs_undisturbed "$bound"
}

# Plain jobs share with each other, as without topobind.
case_plain_jobs_share() {
	local bound plain

	bound=$(low -N1 -n3 --bunit=S --bamount=1)
	all_run "$bound"
	plain=$(low -N1 -n4)
	all_run "$plain"
	urgent_runs -N1 -n4
	runs_undisturbed "$bound" "$plain"
}

case_as_many_as_needed() {
	local first second

	first=$(low -N1 -n2 --bunit=S --bamount=1)
	second=$(low -N1 -n2 --bunit=S --bamount=1)
	all_run "$first" "$second"
	urgent_runs -N1 -n8
	if gives_way "$first"; then
		runs_undisturbed "$second"
	else
		gives_way "$second" || fail "nobody made way"
		runs_undisturbed "$first"
	fi
}

# A bound job of the same QOS, or partition, is preempted by nobody.
case_not_in_vain() {
	local low equal urgent

	low=$(low -N1 -n2 --bunit=S --bamount=1)
	all_run "$low"
	equal=$(alloc "${urgent_options[@]}" -N1 -n2 --bunit=S --bamount=1)
	urgent=$(batch "${urgent_options[@]}" -N1 -n16)
	wait_until 20 was_passed_over "$urgent"
	assert_no_unit_is_shared
	runs_undisturbed "$low" "$equal"
}

case_told_before() {
	local first second told

	first=$(low -N1 -n2 --bunit=S --bamount=1)
	second=$(low -N1 -n2 --bunit=S --bamount=1)
	all_run "$first" "$second"
	told=$(sbatch --test-only "${urgent_options[@]}" -N1 -n16 \
		--wrap true 2>&1)
	told=$(sed -n 's/.*Preempts: //p' <<<"$told")
	assert_contains "who would make way" "$first" "$told"
	assert_contains "who would make way" "$second" "$told"
	runs_undisturbed "$first" "$second"
}

# --- pausing bound jobs -------------------------------------------------------

# Four bound jobs have four cores each; a plain one that wants eight of them pauses
# two, which go on when it has ended.
case_pauses_as_many_as_needed() {
	local jobs=() _ urgent job paused=0

	for _ in 1 2 3 4; do
		jobs+=("$(low -N1 -n1 --bunit=S --bamount=1)")
	done
	all_run "${jobs[@]}"
	urgent=$(batch "${urgent_options[@]}" -N1 -n8)
	wait_until 40 runs "$urgent"
	wait_until 20 no_contradictions
	for job in "${jobs[@]}"; do
		! job_has_state "$job" SUSPENDED || paused=$((paused + 1))
	done
	assert_eq "jobs that are paused" 2 "$paused"
	cancel "$urgent"
	for job in "${jobs[@]}"; do
		wait_until 20 runs "$job"
	done
	assert_no_contradictions
}

no_contradictions() {
	[ -z "$(contradictions)" ]
}

# A job of the same partition is not paused: it keeps its cores.
case_pauses_nobody() {
	local bound plain

	bound=$(batch -p urgent -N1 -n3 --bunit=S --bamount=1)
	all_run "$bound"
	assert_told 8 12 -p urgent -N1 -n8
	plain=$(batch -p urgent -N1 -n8)
	wait_until 20 was_passed_over "$plain"
	assert_no_contradictions
	runs_undisturbed "$bound"
	cancel "$bound"
	wait_until 20 runs "$plain"
}

# --- starts in the future -----------------------------------------------------

# ends_in MINUTES OPTION... - a job that runs now and ends then
ends_in() {
	local minutes=$1

	shift
	alloc -t "$minutes" -p "$partition" -w "$NODE_QUADRANT" "$@" >/dev/null
}

# To plain jobs of this partition, or of another one.
case_start_is_told() {
	local asking=${1:-$partition} plain

	ends_in 30 -N1 -n3 --bunit=S --bamount=1
	ends_in 60 -N1 -n1 --bunit=S --bamount=1
	assert_told 28 32 -p "$asking" -n1
	assert_told 28 32 -p "$asking" -N1 -n12
	assert_told 58 62 -p "$asking" -N1 -n13
	plain=$(batch -p "$asking" -n1)
	wait_until 20 was_passed_over "$plain"
	assert_no_unit_is_shared
}

# Two bound jobs have the same units when their partition is not to share any more.  With
# the first select/cons_tres forgets that the second has them, too.
case_shares_no_more() {
	local first second plain both=(-p both -t 30 -N1 -n4 --bunit=S --bamount=1)

	first=$(batch "${both[@]}")
	second=$(batch "${both[@]}")
	wait_until 20 has_nodes "$first"
	wait_until 20 has_nodes "$second"
	scontrol update PartitionName=both OverSubscribe=NO
	cancel "$first"
	wait_until 20 runs "$second"
	assert_told 25 32 -p both -N1 -n8
	plain=$(batch -p both -N1 -n8)
	wait_until 20 was_passed_over "$plain"
	assert_no_unit_is_shared
	scontrol update PartitionName=both OverSubscribe=FORCE:2
}

has_nodes() {
	[ "$(job_field "$1" NumNodes)" = 1 ] && ! is_pending "$1"
}

# Two of them have each core in turns; the third starts when there are less.
case_turn_is_told() {
	ends_in 30 -N1 -n3 --bunit=S --bamount=1
	ends_in 60 -N1 -n1 --bunit=S --bamount=1
	assert_told 0 1 -p "$partition" -N1 -n16
	assert_told 0 1 -p "$partition" -n1 --bunit=S --bamount=1
	ends_in 45 -N1 -n16
	assert_told 28 32 -p "$partition" -n1
	assert_told 28 32 -p "$partition" -N1 -n12
	assert_told 43 47 -p "$partition" -N1 -n13
	assert_told 28 32 -p "$partition" -n3 --bunit=S --bamount=1
	assert_told 43 47 -p "$partition" -n4 --bunit=S --bamount=1
}

# A plain job is in the way, too.
case_start_after_plain_jobs() {
	ends_in 90 -N1 -n2 --bunit=S --bamount=1
	ends_in 20 -N1 -n8
	assert_told "$1" "$2" -p "$partition" -N1 -n8
	assert_told 88 92 -p "$partition" -N1 -n9
}

# The first in the queue is plain and waits for the bound job.  A bound job that
# would delay it does not start, one that ends before does.
case_does_not_starve() {
	local plain long short now

	ends_in 30 -N1 -n3 --bunit=S --bamount=1
	plain=$(batch -p "$partition" -t 10 -N1 -n16)
	wait_until 20 was_passed_over "$plain"
	now=$EPOCHSECONDS
	wait_until 40 has_start_between "$plain" $((now + 25 * 60)) \
		$((now + 35 * 60))
	long=$(batch -p "$partition" -t 60 -n1 --bunit=S --bamount=1)
	short=$(batch -p "$partition" -t 5 -n1 --bunit=S --bamount=1)
	wait_until 40 runs "$short"
	wait_until 20 was_passed_over "$long"
	cancel "$short"
	wait_until 40 has_start_between "$long" $((now + 35 * 60)) \
		$((now + 50 * 60))
	assert is_pending "$long"
	assert is_pending "$plain"
	assert_no_unit_is_shared
}

# --- clusters -----------------------------------------------------------------

stop() {
	test_case "$1: nothing stays in use" \
		wait_until 10 nothing_in_use "$NODE_QUADRANT"
	test_case "$1: slurmctld did not die" assert slurmctld_lives
	cluster_stop
}

preemption_cases() {
	test_case "$1: a whole node" case_whole_node
	test_case "$1: a part of a node" case_part_of_a_node
	test_case "$1: nobody while there is room" \
		case_nobody_while_there_is_room
	test_case "$1: as many jobs as needed" case_as_many_as_needed
	test_case "$1: nobody in vain" case_not_in_vain
	test_case "$1: --test-only tells who would make way" case_told_before
}

cluster_start --nodes quadrant --accounting \
	--slurm PreemptType=preempt/qos --slurm PreemptMode=REQUEUE --slurm \
	"PartitionName=both Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=10"
note_slurmctld
make_qos requeue
partition=both
by_qos
preemption_cases FORCE:2
test_case "FORCE:2: plain jobs share with each other" case_plain_jobs_share
test_case "FORCE:2: the start is told" case_start_is_told
test_case "FORCE:2: the start beside plain jobs is told" \
	case_start_after_plain_jobs 0 1
test_case "FORCE:2: a plain job does not starve" case_does_not_starve
partition=main
by_qos
preemption_cases "not shared"
stop REQUEUE

# tiers LOW URGENT [KEY=VALUE] - two partitions, for contribs/cluster
tiers() {
	local line

	for line in "$1 Nodes=ALL PriorityTier=1" "$2 Nodes=ALL PriorityTier=10"; do
		printf '%s\n' --slurm \
			"PartitionName=$line DefaultTime=10${3:+ $3}"
	done
}

mapfile -t lines < <(tiers low urgent; tiers low2 urgent2 OverSubscribe=FORCE:2)
cluster_start --nodes quadrant --slurm PreemptMode=REQUEUE \
	--slurm PreemptType=preempt/partition_prio "${lines[@]}"
note_slurmctld
by_partition low urgent
preemption_cases "partitions"
by_partition low2 urgent2
preemption_cases "partitions, FORCE:2"
stop "REQUEUE by partition"

cluster_start --nodes quadrant --slurm PreemptMode=GANG --slurm \
	"PartitionName=both Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=10" \
	--slurm "PartitionName=other Nodes=ALL DefaultTime=10"
note_slurmctld
partition=main
test_case "GANG: the start is told" case_start_is_told
test_case "GANG: the start in another partition is told" \
	case_start_is_told other
test_case "GANG: the start after plain jobs is told" \
	case_start_after_plain_jobs 18 22
test_case "GANG: a plain job does not starve" case_does_not_starve
partition=both
test_case "GANG, FORCE:2: a turn is told" case_turn_is_told
test_case "GANG: a partition that does not share any more" case_shares_no_more
stop GANG

cluster_start --nodes quadrant --slurm PreemptMode=SUSPEND,GANG \
	--slurm PreemptType=preempt/partition_prio "${lines[@]}"
note_slurmctld
by_partition low urgent
test_case "SUSPEND: as many jobs as needed" case_pauses_as_many_as_needed
test_case "SUSPEND: nobody of the same partition" case_pauses_nobody
by_partition low2 urgent2
test_case "SUSPEND, FORCE:2: as many jobs as needed" \
	case_pauses_as_many_as_needed
stop SUSPEND

cluster_start --nodes quadrant --accounting --slurm PreemptMode=SUSPEND,GANG \
	--slurm PreemptType=preempt/qos "${lines[@]}"
note_slurmctld
make_qos suspend
by_qos low urgent
test_case "SUSPEND by QOS: as many jobs as needed" case_pauses_as_many_as_needed
by_qos low2 urgent2
test_case "SUSPEND by QOS, FORCE:2: as many jobs as needed" \
	case_pauses_as_many_as_needed
stop "SUSPEND by QOS"
tests_done
