#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lost_cpus - CPUs that an administrator takes out of Slurm's cpuset cgroup
#
# This machine has two cores or more; its last CPU's core goes and comes.  What
# slurmctld does with a node that has lost CPUs is seen on zen, too, which says so.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

slurmd() {
	daemon "slurmd-$NODE_THIS" "$1"
}

# Slurm's own has CPUs after the first step.  With v1 first those of users go, who have
# more than their jobs; while a job begins its user has all for a moment, and the kernel
# refuses.
take_cpus() {
	trap give_cpus EXIT
	wait_until 30 cpus_go
}

cpus_go() {
	local user

	while read -r user; do
		echo "$kept" >"$user/cpuset.cpus" || return
	done < <(find "$(top_cgroup)" -maxdepth 1 -name 'uid_*')
	echo "$kept" >"$(top_cgroup)/cpuset.cpus"
} 2>/dev/null

give_cpus() {
	echo "$all" >"$(top_cgroup)/cpuset.cpus"
	helpers CONT
}

node_shown() {
	topobind nodes -h -O "$2" "$1" | tr -d " "
}

uses() {
	[ "$(inuse "$1")" = "$2" ]
}

# --- they are seen ------------------------------------------------------------

case_taken_and_given() {
	local job one waits whole

	one=$(batch -w "$NODE_THIS" -n$((cores - 1)) --bunit=C --bamount=1)
	wait_until 30 runs "$one"
	assert_eq "granted" "$left" "$(granted "$one")"
	take_cpus
	wait_until 30 has_lost "$NODE_THIS" "$gone"
	# That was written for the whole node, and changes nothing else there.
	wait_until 30 uses "$NODE_THIS" "$left"
	assert runs "$one"
	cancel "$one"
	# It is not refused: CPUs come back.
	waits=$(batch -w "$NODE_THIS" -n"$cores" --bunit=C --bamount=1)
	whole=$(batch -w "$NODE_THIS" -n1 --exclusive --bunit=C --bamount=1)
	wait_until 30 was_passed_over "$waits"
	wait_until 30 was_passed_over "$whole"
	job=$(batch -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	wait_until 30 runs "$job"
	assert is_undrained
	assert_eq "lost cores, as shown" 1 "$(node_shown "$NODE_THIS" lost)"
	cancel "$job" "$whole"
	give_cpus
	wait_until 30 has_lost "$NODE_THIS" ""
	wait_until 30 runs "$waits"
	assert_eq "granted" "0-$((threads - 1))" "$(granted "$waits")"
	cancel "$waits"
}

# Whoever writes Extra, and whichever daemon begins anew.
case_remembered() {
	take_cpus
	wait_until 30 has_lost "$NODE_THIS" "$gone"
	scontrol update node="$NODE_THIS" Extra="of the site"
	wait_until 30 has_lost "$NODE_THIS" "$gone"
	assert_contains "Extra" "of the site" "$(node_extra "$NODE_THIS")"
	restart_slurmctld
	wait_until 60 nodes_answer
	assert_eq "lost, for another slurmctld" "$gone" "$(lost "$NODE_THIS")"
	slurmd kill
	slurmd start
	assert_eq "lost, for another slurmd" "$gone" "$(lost "$NODE_THIS")"
	slurmd kill
	wait_until 10 no_helpers
	give_cpus
	slurmd start
	wait_until 30 has_lost "$NODE_THIS" ""
	resume_node
	assert_works
}

restart_slurmd() {
	slurmd stop
	slurmd start
	wait_until 60 nodes_answer
}

# The site says the topology of this machine: it loses CPUs all the same.
case_configured() {
	reconfigure_with "NodeName=$NODE_THIS Topology=$(node_token \
		"$NODE_THIS" m_topology)"
	restart_slurmd
	take_cpus
	wait_until 30 has_lost "$NODE_THIS" "$gone"
	give_cpus
	wait_until 30 has_lost "$NODE_THIS" ""
	reconfigure_with
	restart_slurmd
	assert_works
}

# --- a launch finds it first --------------------------------------------------

# The job cannot be put back: it has failed, and nothing of it ran.
has_failed() {
	[ "$(job_field "$1" JobState)" = FAILED ]
}

case_launch() {
	local job fails

	helpers STOP
	take_cpus
	fails=$(victim -n"$cores" --no-requeue)
	wait_until 60 has_failed "$fails"
	refute test -e "$work/pid"
	wait_until 30 node_is_idle "$NODE_THIS"
	job=$(victim -n"$cores")
	wait_until 60 was_put_back "$job"
	refute test -e "$work/pid"
	within 60 srun -Q -w "$NODE_THIS" -n"$cores" --bunit=C --bamount=1 \
		touch "$work/ran" || true
	refute test -e "$work/ran"
	assert is_undrained
	assert_eq "lost, as nobody looks" "" "$(lost "$NODE_THIS")"
	helpers CONT
	wait_until 30 has_lost "$NODE_THIS" "$gone"
	scontrol update job="$job" StartTime=now
	wait_until 30 was_passed_over "$job"
	give_cpus
	wait_until 60 runs "$job"
	assert_eq "starts" 1 "$(job_field "$job" Restarts)"
	cancel "$job"
	assert_nothing_is_left
	assert_works
}

# --- as slurmctld sees it -----------------------------------------------------

# says_lost NODE STRING - in place of the node, which has no such CPUs
says_lost() {
	scontrol update node="$1" Extra="$(node_extra "$1") m_topology_lost=$2"
}

says_none() {
	scontrol update node="$NODE_ZEN" \
		Extra="$(node_extra "$NODE_ZEN" | tr ' ' '\n' |
			grep -v '^m_topology_lost' | paste -sd' ')"
}

# planned_threads UNIT - what a task would have now; nothing: none has room
planned_threads() {
	local string

	string=$(topobind plan --json -w "$NODE_ZEN" -n1 --bunit="$1" \
		--bamount=1 --bstrategy=linear 2>/dev/null |
		jq -r '.units[]?.topology') || true
	[ -z "$string" ] || lower_threads "$string"
}

# The first core of zen is lost: so is the first unit of each kind for new jobs.
case_units() {
	local job core unit first total planned

	trap says_none EXIT
	job=$(alloc -w "$NODE_ZEN" -n1 --bunit=C --bamount=1 --bstrategy=linear)
	core=$(node_token "$NODE_ZEN" m_topology_inuse)
	cancel "$job"
	wait_until 20 nothing_in_use "$NODE_ZEN"
	says_lost "$NODE_ZEN" "$core"
	for unit in C Y X N S; do
		total=$(node_shown "$NODE_ZEN" "${unit}total")
		planned=$(planned_threads "$unit")
		first=$(batch -w "$NODE_ZEN" -n1 --bunit="$unit" --bamount=1 \
			--bstrategy=linear)
		if [ "$total" = 1 ]; then
			wait_until 30 was_passed_over "$first"
			assert_contains "explanation" "lost CPUs" \
				"$(topobind explain "$first" || true)"
			assert_eq "plan" "" "$planned"
		else
			wait_until 30 runs "$first"
			refute grep -qx 0 <(expand_list "$(granted "$first")")
			assert_eq "plan" "$(granted "$first")" "$planned"
			assert_eq "free units" $((total - 2)) \
				"$(node_shown "$NODE_ZEN" "${unit}free")"
		fi
		cancel "$first"
	done
	refuses -w "$NODE_ZEN" -n1 --exclusive --bunit=C --bamount=1
}

# What makes no sense changes nothing.
case_nonsense() {
	local text

	trap says_none EXIT
	note_slurmctld
	for text in SCC "(((" nsc '' "$(printf 'c%.0s' {1..3000})"; do
		says_lost "$NODE_ZEN" "$text"
		srun -Q -w "$NODE_ZEN" --test-only -n1 --btype=host --bunit=S \
			--bamount=1 true
		within 30 salloc --no-shell -Q -w "$NODE_ZEN" -n1 --btype=host \
			--bunit=N --bamount=1
		scancel -u root
		wait_until 20 nothing_in_use "$NODE_ZEN"
		says_none
	done
	assert slurmctld_lives
}

cluster_start --nodes this,zen
srun -Q -w "$NODE_THIS" -n1 --bunit=C --bamount=1 true
all=$(cat "$(top_cgroup)/cpuset.cpus")
[ -n "$all" ] || all=$(cat /sys/devices/system/cpu/online)
job=$(alloc -w "$NODE_THIS" -n1 --btype=host --bunit=C --bamount=1)
cancel "$job"
threads=$(expand_list "$all" | wc -l)
# The core of the last CPU; threads of the topology are in the order of cores.
core=$(cat "/sys/devices/system/cpu/cpu$(expand_list "$all" |
	tail -n 1)/topology/thread_siblings_list")
kept=$(comm -23 <(expand_list "$all" | sort) <(expand_list "$core" | sort) |
	as_list)
per_core=$(expand_list "$core" | wc -l)
cores=$((threads / per_core))
left=$(seq 0 $((threads - per_core - 1)) | as_list)
gone=$(seq $((threads - per_core)) $((threads - 1)) | as_list)

test_case "CPUs are taken and given back" case_taken_and_given
test_case "what is lost outlives daemons and other text" case_remembered
test_case "the site says the topology" case_configured
test_case "a launch that finds them taken drains nothing" case_launch
test_case "units that have lost a core are not offered" case_units
test_case "nonsense is nothing" case_nonsense
tests_done
