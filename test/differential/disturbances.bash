# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# disturbances.bash - sourced by rounds.bash: what happens between the requests of a
# round, so that what is known must outlive it
#
# Afterwards all jobs hold what they held: the rule "kept".

# disturb INDEX - before that request of a round
disturb() {
	local kinds=(nothing reconfigured restarted nothing killed)
	local kind=nothing

	case $world in
	restarts) kind=${kinds[(seed + $1) % ${#kinds[@]}]} ;;
	backup) [ "$1" != $((round_size / 2)) ] || kind=replaced ;;
	esac
	[ "$kind" != nothing ] || return 0
	note_held "$kind"
	on "$plain" be_"$kind"
	on "$cluster" be_"$kind"
	judge_kept
	note_controller
}

note_held() {
	disturbance=$1
	held >"$work/held"
}

judge_kept() {
	held | cmp -s - "$work/held" ||
		finding kept "after slurmctld was $disturbance:" \
			"$(held | diff "$work/held" - | sed 20q)"
}

# From then on it is the one that must live.
note_controller() {
	controller_pid >"$work/slurmctld"
}

# The first, or whichever took over.
controller_pid() {
	daemon slurmctld pid || daemon slurmctld-backup pid
}

# These run for one cluster.
be_reconfigured() {
	reconfigure
}

be_restarted() {
	restart_slurmctld
	wait_until 60 nodes_answer
}

# What has not been saved is lost: jobs that have ended would be there again.
be_killed() {
	local job

	job=$(squeue -h -t R -o %i | sed -n 1p)
	[ -z "$job" ] || save_state "$job"
	daemon slurmctld "$([ -n "$job" ] && echo kill || echo stop)"
	daemon slurmctld start
	wait_until 60 nodes_answer
}

be_replaced() {
	takeover
	wait_until 60 first_is_gone
	wait_until 60 nodes_answer
}

first_is_gone() {
	! daemon slurmctld pid >/dev/null
}

# After a round, also one that ended early: the first controller is in charge.
end_disturbances() {
	[ "$world" = backup ] || return 0
	on "$plain" let_first_control
	on "$cluster" let_first_control
}

let_first_control() {
	! first_is_gone || take_back
	wait_until 60 nodes_answer
}
