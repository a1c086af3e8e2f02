#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kills - slurmstepd, slurmd and slurmctld are killed at any moment
#
# Beside bound jobs that come and go.  Afterwards nothing is left of them: neither
# processes nor claims nor locks nor cores in the books.  TOPOBIND_KILLS says how
# many [20], TOPOBIND_KILLED whom, each as often as it is named.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

kills=${TOPOBIND_KILLS:-20}
read -r -a whom <<<"${TOPOBIND_KILLED:-slurmd slurmctld slurmstepd slurmstepd}"

# Bound in all ways, some with a step.
submit_some() {
	local kind

	for kind in "" "--bmode=soft" "--binstance=env" "--binstance=pe" ""; do
		# shellcheck disable=SC2086 # options
		sbatch -Q -o /dev/null -w "$NODE_THIS" -n1 --bunit=C \
			--bamount=1 --no-requeue $kind --wrap \
			'srun -Q --overlap -n1 sleep 1; sleep 1' || true
	done 2>/dev/null
}

few_are_waiting() {
	[ "$(squeue -h -t PENDING -o %i 2>/dev/null | wc -l)" -lt 5 ]
}

# The job of a slurmstepd of this node.
job_of() {
	sed -n -E "s,.*[/:](slurm_$NODE_THIS|${NODE_THIS}_slurmstepd.scope)/(.*/)?job_([0-9]+)/.*,\3,p" \
		"/proc/$1/cgroup" 2>/dev/null | sed -n 1p
}

# Any of this node.  Slurm thinks that the job runs, and would give its CPUs to no other.
kills_any_stepd() {
	local pid job

	for pid in $(pgrep -x slurmstepd | shuf); do
		job=$(job_of "$pid")
		if [ -n "$job" ] && kill -KILL "$pid" 2>/dev/null; then
			echo slurmstepd >>"$work/killed"
			scancel "$job" 2>/dev/null || true
			return 0
		fi
	done
	return 1
}

# There may be none for a while: what slurmctld has told a slurmd that was killed it
# says again after a minute or two.
kill_any_stepd() {
	local i

	for ((i = 0; i < 20; i++)); do
		! kills_any_stepd || return 0
		sleep 0.1
	done
}

# kill_daemon NAME
kill_daemon() {
	daemon "$1" kill
	echo "${1%%-*}" >>"$work/killed"
	daemon "$1" start
}

kill_one() {
	case ${whom[RANDOM % ${#whom[@]}]} in
	slurmd) kill_daemon "slurmd-$NODE_THIS" ;;
	slurmctld) kill_daemon slurmctld ;;
	slurmstepd) kill_any_stepd ;;
	esac
}

# For who runs it by hand.
tell_killed() {
	sort "$work/killed" | uniq -c | sed 's/^/# killed: /'
}

# What users and we cause is never a reason.  Slurm has one of its own when a job of
# a killed slurmctld is run again beside its former self.
assert_no_reason_of_ours() {
	local reason

	reason=$(node_reason)
	[[ $reason = none || $reason = *uplicate\ jobid* ]] ||
		fail "the node is drained: $reason"
}

case_kills() {
	local i

	for ((i = 0; i < kills; i++)); do
		! few_are_waiting || submit_some
		sleep "0.$((RANDOM % 6))"
		kill_one
		assert within 5 squeue -h >/dev/null
		assert_no_reason_of_ours
		scontrol update node="$NODE_THIS" state=resume 2>/dev/null ||
			true
	done
	assert_no_contradictions
}

# Of steps that topobind holds; Slurm leaves directories of those that had none yet.
held_processes() {
	job_processes
	find "$cluster/spool/$NODE_THIS/topobind_steps" \
		"$cluster/spool/$NODE_THIS/topobind_soft" \
		"$cluster/spool/$NODE_THIS/topobind_pe" -type f 2>/dev/null ||
		true
}

nothing_is_held() {
	[ -z "$(held_processes)" ]
}

case_nothing_is_left() {
	wait_until 60 nodes_answer
	(wait_until 60 nothing_is_held) || fail "left: $(held_processes)"
	wait_until 20 nothing_in_use "$NODE_THIS"
	assert_eq "CPUs in use" 0 "$(node_shows "$NODE_THIS" %C | cut -d/ -f1)"
	resume_node
	assert_works
}

cluster_start --nodes this --slurm BatchStartTimeout=1

test_case "$kills are killed beside bound jobs" case_kills
tell_killed
test_case "nothing is left of them" case_nothing_is_left
tests_done
