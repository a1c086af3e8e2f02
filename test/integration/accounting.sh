#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# accounting - request and grant in the job records of a real slurmdbd
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# recorded JOB [OPTION...] - a line for each of its records
recorded() {
	local job=$1

	shift
	sacct -X -n -P -j "$job" -o SystemComment "$@"
}

state_of() {
	sacct -X -n -P -j "$1" -o State
}

comment_of() {
	scontrol show job "$1" | sed -n 's/^ *SystemComment=\(.*[^ ]\) *$/\1/p'
}

is_recorded() {
	[ "$(recorded "$1" | tail -n 1)" = "$2" ]
}

# The record of a job is what scontrol says of it, within the seconds that the
# database needs to hear of it.
assert_recorded() {
	local comment

	comment=$(comment_of "$1")
	assert_contains "SystemComment of $1" " grant=" "$comment"
	wait_until 60 is_recorded "$1" "$comment"
}

is_recorded_as() {
	[ "$(state_of "$1")" = "$2" ]
}

# assert_ended JOB STATE COMMENT
assert_ended() {
	wait_until 30 is_recorded_as "$1" "$2"
	assert_eq "the record of $1, which is over" "$3" "$(recorded "$1")"
}

# What waited for the database all starts at once, as it takes seconds.
case_all_kinds_of_jobs() {
	local running short array het again smaller next task kept

	running=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=5)
	short=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" \
		--bunit=C --bamount=1 --wrap true)
	array=$(batch -w "$NODE_ZEN" --array=3-6 --bunit=X --bamount=2)
	het=$(batch -w "$NODE_ZEN" --bunit=C --bamount=1 : -w "$NODE_TWIN" \
		--bunit=X --bamount=1)
	again=$(batch -w "$NODE_ZEN" --bunit=C --bamount=1)
	smaller=$(alloc -N2 -n2 -w "$NODE_ZEN,$NODE_TWIN" \
		--bunit=C --bamount=1)
	next=$(batch -H -w "$NODE_ZEN" --bunit=X --bamount=16)

	assert_recorded "$running"
	for task in 3 4 5 6; do
		wait_until 30 runs "${array}_$task"
		assert_recorded "${array}_$task"
	done
	assert_eq "different grants" 4 "$(recorded "$array" | sort -u | wc -l)"
	wait_until 30 runs "$het"
	assert_recorded "$het+0"
	assert_recorded "$het+1"
	assert_contains "the first component" "binding=bamount=1 " \
		"$(recorded "$het+0")"
	assert_contains "the second component" "binding=bunit=X,bamount=1 " \
		"$(recorded "$het+1")"
	wait_until 30 runs "$again"
	assert_recorded "$again"
	assert_recorded "$smaller"
	# Over before the database knew of it.
	assert_recorded "$short"
	assert_ended "$short" COMPLETED "$(comment_of "$short")"
	assert_eq "its derived exit code" 0:0 \
		"$(sacct -X -n -P -j "$short" -o DerivedExitCode)"
	assert_eq "a pending job's record" "" "$(recorded "$next")"

	scontrol update job="$smaller" NodeList="$NODE_ZEN"
	kept=$(comment_of "$again")
	requeue_held "$again"
	assert_eq "while it waits again" "binding=bamount=1" \
		"$(comment_of "$again")"
	release_now "$again"
	wait_until 60 runs "$again"
	assert_eq "the nodes of the smaller job's grant" "$NODE_ZEN" \
		"$(comment_word "$smaller" grant | sed 's/:.*//')"
	assert_recorded "$smaller"
	assert_recorded "$again"
	assert_eq "the records of both runs" \
		"$(printf '%s\n' "$kept" "$(comment_of "$again")")" \
		"$(recorded "$again" -D)"

	# Known to the database for long when it starts.
	kept=$(comment_of "$running")
	scancel "$running" "$array" "$het" "$again" "$smaller"
	scontrol release "$next"
	wait_until 60 runs "$next"
	assert_recorded "$next"
	assert_ended "$running" "CANCELLED by 0" "$kept"
}

# The record of the last task of an array is that of the whole array until it starts.
case_array_known_for_long() {
	local array task

	array=$(batch -H -w "$NODE_ZEN" --array=1-2 --bunit=X --bamount=2)
	wait_until 60 is_recorded_as "$array" PENDING
	scontrol release "$array"
	for task in 1 2; do
		wait_until 60 runs "${array}_$task"
		assert_recorded "${array}_$task"
	done
	scancel "$array"
}

# What cannot be told is told later, and holds up nothing.
case_slurmdbd_was_away() {
	local job short plain

	daemon slurmdbd stop
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	short=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" \
		--bunit=C --bamount=1 --wrap true)
	wait_until 30 job_has_state "$short" COMPLETED
	plain=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" --wrap true)
	wait_until 30 job_has_state "$plain" COMPLETED
	daemon slurmctld stop
	daemon slurmctld start
	daemon slurmdbd start
	assert_recorded "$job"
	wait_until 60 is_recorded_as "$plain" COMPLETED
	assert_recorded "$short"
}

# The backup is in charge, stands by, and is in charge once more.
case_other_controllers() {
	started_is_recorded
	takeover
	started_under_backup
	daemon slurmctld start
	started_is_recorded
	takeover
	started_under_backup
	daemon slurmctld-backup kill
	daemon slurmctld start
	started_is_recorded
}

started_is_recorded() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_recorded "$job"
}

# A backup of Slurm 26.05 tells slurmdbd of no job at all.
started_under_backup() {
	if slurm_is_from 26.05; then
		alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	else
		started_is_recorded
	fi
}

# The commands in the section of the manual, for a job and a node.
commands_of_the_manual() {
	awk '/^\.SH/ { inside = /SEEING/ } inside' "$top/doc/topobind_binding.7" |
		sed -n 's/^\$ //p' | sed "s/\\\\f[BIP]//g; s/\\\\-/-/g
			s/\\<ID\\>/$1/; s/\\<NODE\\>/$2/"
}

case_commands_of_the_manual() {
	local job comment inuse command count=0 wanted

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	comment=$(comment_of "$job")
	inuse=m_topology_inuse=$(node_token "$NODE_ZEN" m_topology_inuse)
	assert_recorded "$job"
	while read -r command; do
		case $command in
		*map*) wanted="bunit=X,bamount=1" ;;
		*node* | sinfo*) wanted=$inuse ;;
		*) wanted=$comment ;;
		esac
		assert_contains "$command" "$wanted" "$(eval "$command")"
		count=$((count + 1))
	done < <(commands_of_the_manual "$job" "$NODE_ZEN")
	assert_eq "commands" 8 "$count"
}

case_switched_off() {
	local job

	reconfigure_with JobRecord=no
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	cancel "$job"
	wait_until 30 is_recorded_as "$job" "CANCELLED by 0"
	assert_eq "its record" "" "$(recorded "$job")"
	reconfigure_with
}

cluster_start --nodes this,zen,twin --accounting --backup
test_case "jobs of all kinds, while they run and later" case_all_kinds_of_jobs
test_case "an array that the database knew before it started" \
	case_array_known_for_long
test_case "jobs of a time without slurmdbd" case_slurmdbd_was_away
test_case "jobs of another controller" case_other_controllers
test_case "the commands of the manual" case_commands_of_the_manual
test_case "JobRecord=no" case_switched_off
tests_done
