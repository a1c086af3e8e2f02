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
	local kind=nothing wanted='' present

	present=$(nodes_present)
	case $world in
	restarts) kind=${kinds[(seed + $1) % ${#kinds[@]}]} ;;
	backup) [ "$1" != $((round_size / 2)) ] || kind=replaced ;;
	dynamic)
		wanted=$(nodes_at "$1")
		[ "$wanted" = "$present" ] || kind=at_hand
		;;
	esac
	[ "$kind" != nothing ] || return 0
	note_held "$kind"
	on "$plain" be_"$kind"
	on "$cluster" be_"$kind"
	echo "$wanted" >"$work/present"
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
	wait_until 60 nodes_can_be_had
}

# Nodes with jobs look as before until they have registered again, but Slurm gives
# none of them to a job that long.
nodes_can_be_had() {
	nodes_answer && devices_are_known &&
		sbatch --test-only -N4 --wrap true >/dev/null 2>&1
}

# What has not been saved is lost: jobs that have ended would be there again.
be_killed() {
	local job

	job=$(squeue -h -t R -o %i | sed -n 1p)
	[ -z "$job" ] || save_state "$job"
	daemon slurmctld "$([ -n "$job" ] && echo kill || echo stop)"
	daemon slurmctld start
	wait_until 60 nodes_can_be_had
}

be_replaced() {
	takeover
	wait_until 60 first_is_gone
	wait_until 60 nodes_can_be_had
}

first_is_gone() {
	! daemon slurmctld pid >/dev/null
}

# --- nodes that come and go ------------------------------------------------------

# nodes_at REQUEST - what there is then besides the usual nodes: one that comes with
# its slurmd, and some that are created and have none
nodes_at() {
	case $1 in
	2 | 3 | 6 | 7) echo joined ;;
	4 | 5) echo joined extended ;;
	8 | 9) echo extended ;;
	esac
}

# The same in both clusters.
nodes_present() {
	cat "$work/present" 2>/dev/null || true
}

be_at_hand() {
	local kind number

	set_number
	for kind in joined extended; do
		if [[ " $wanted " = *" $kind "* && " $present " != *" $kind "* ]]; then
			add_"$kind"
		elif [[ " $wanted " != *" $kind "* && " $present " = *" $kind "* ]]; then
			remove_"$kind"
		fi
	done
}

# A node of eight cores that slurm.conf does not have: what its slurmd says is all
# that is known of it.
add_joined() {
	local node=five$number

	mkdir -p "$cluster/spool/$node"
	SLURM_CONF=$cluster/etc/virtual/slurm.conf slurmd -D -Z -N "$node" --conf \
		"NodeAddr=127.0.0.1 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=1000000 Feature=a" \
		</dev/null >"$cluster/log/$node.out" 2>&1 &
	# As contribs/cluster notes its own, so that it ends with them.
	echo "$! $(sed 's/.*) //' "/proc/$!/stat" | cut -d' ' -f20)" \
		>"$cluster/run/slurmd-$node.pid"
	wait_until 60 node_is_idle "$node" all
}

remove_joined() {
	local node=five$number

	daemon "slurmd-$node" stop
	rm "$cluster/run/slurmd-$node.pid"
	scontrol delete NodeName="$node"
}

# Before and behind the others by name.
add_extended() {
	local name

	for name in a z; do
		scontrol create NodeName="$name$number" State=FUTURE CPUs=4 \
			CoresPerSocket=4 RealMemory=1000 >/dev/null
	done
}

remove_extended() {
	scontrol delete NodeName="a$number"
	scontrol delete NodeName="z$number"
}

# They are not there when a round begins.
let_nodes_leave() {
	local wanted='' present

	present=$(nodes_present)
	[ -n "$present" ] || return 0
	on_both be_at_hand
	rm "$work/present"
}

# After a round, also one that ended early: the first controller is in charge.
end_disturbances() {
	let_nodes_leave
	[ "$world" = backup ] || return 0
	on "$plain" let_first_control
	on "$cluster" let_first_control
}

let_first_control() {
	! first_is_gone || take_back
	wait_until 60 nodes_can_be_had
}
