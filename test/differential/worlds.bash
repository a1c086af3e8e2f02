# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# worlds.bash - sourced by rounds.bash: what Slurm can be besides the usual
#
# A world is the same nodes with other settings of both clusters, and requests that
# go with these: requests.awk is told the name.
#
#	usual		nothing of all that
#	tree		topology/tree: two nodes below each of two switches
#	block		topology/block, where the release has it: two blocks of two
#	lln		CR_LLN, and a partition with LLN
#	owners		mcs/user: nodes for one user (--exclusive=user) or label
#			(--exclusive=mcs); every other load is of another user
#	reserved	a reservation with FLEX of one node, one of cores of another
#	batch		arrays and heterogeneous jobs, which begin a batch script
#	gang		PreemptMode=GANG, and a partition whose jobs share by twos
#	preempt		a partition whose jobs end those of the other one; loads that
#			were ended begin again before the next question
#	anywhere	devices without Cores=
#	configless	nodes that have slurmctld's files from slurmctld
#	restarts	slurmctld ends in some way, or is reconfigured, between requests
#	backup		another slurmctld takes over in the middle of a round
#	dynamic		MaxNodeCount, with topobind as select/cons_tres_topobind: nodes
#			come and go between requests, by slurmd -Z and by scontrol
worlds=(usual tree lln owners reserved batch block gang preempt configless restarts
	backup dynamic anywhere)

world=usual

# world_of SEED - the world that goes with it; where there is none: the usual
world_of() {
	local name=${worlds[$1 % ${#worlds[@]}]}

	if [ "$name" = block ] && ! slurm_is_from 23.11; then
		name=usual
	fi
	echo "$name"
}

# What contribs/cluster is told for both clusters, an option a line.
world_options() {
	case $world in
	tree)
		cat <<-'END'
		--slurm
		TopologyPlugin=topology/tree
		--topology
		SwitchName=left Nodes={one},{two}
		--topology
		SwitchName=right Nodes={three},{four}
		--topology
		SwitchName=top Switches=left,right
		END
		;;
	block)
		cat <<-'END'
		--slurm
		TopologyPlugin=topology/block
		--topology
		BlockName=left Nodes={one},{two}
		--topology
		BlockName=right Nodes={three},{four}
		--topology
		BlockSizes=2
		END
		;;
	lln)
		cat <<-'END'
		--slurm
		SelectTypeParameters=CR_Core_Memory,CR_LLN
		--slurm
		PartitionName=spread Nodes=ALL LLN=YES DefaultTime=10
		END
		;;
	owners)
		cat <<-'END'
		--slurm
		MCSPlugin=mcs/user
		--slurm
		MCSParameters=ondemand,ondemandselect
		END
		;;
	# No job's turn comes while it is asked: slices are as long as they can be.
	gang)
		cat <<-'END'
		--slurm
		PreemptMode=GANG
		--slurm
		SchedulerTimeSlice=65533
		--slurm
		PartitionName=twice Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=10
		END
		;;
	preempt)
		cat <<-'END'
		--slurm
		PreemptType=preempt/partition_prio
		--slurm
		PreemptMode=REQUEUE
		--slurm
		PartitionName=over Nodes=ALL PriorityTier=10 DefaultTime=10
		END
		;;
	# Nodes that come later are in partitions of all nodes only.
	dynamic)
		cat <<-'END'
		--slurm
		MaxNodeCount=16
		--slurm
		TreeWidth=65533
		--slurm
		PartitionName=all Nodes=ALL DefaultTime=10
		END
		;;
	configless) echo --configless ;;
	backup) echo --backup ;;
	esac
}

# --- dynamic --------------------------------------------------------------------

# Before the clusters start.
prepare_world() {
	[ "$world" = dynamic ] || return 0
	make_renamed
	# shellcheck disable=SC2034 # of lib.sh
	TOPOBIND_ROOT=$renamed
}

# --- reserved -------------------------------------------------------------------

# Before the loads of a round.
begin_world() {
	[ "$world" != reserved ] || on_both make_reservations
}

# After a round, also one that ended early: its jobs are gone.
end_world() {
	[ "$world" != reserved ] || on_both end_reservations
}

on_both() {
	on "$plain" "$@"
	on "$cluster" "$@"
}

reserve() {
	scontrol create reservation Users=root StartTime=now \
		Duration=UNLIMITED "$@" >/dev/null
}

make_reservations() {
	local number first_cores=(Flags=FIRST_CORES)

	set_number
	# Later Slurms have no such flag.
	! slurm_is_from 23.11 || first_cores=()
	reserve ReservationName=flex Flags=FLEX Nodes="two$number"
	reserve ReservationName=cores Nodes="one$number" CoreCnt=6 \
		"${first_cores[@]}"
}

end_reservations() {
	scontrol delete ReservationName=flex 2>/dev/null || true
	scontrol delete ReservationName=cores 2>/dev/null || true
}

# --- owners ---------------------------------------------------------------------

# as_owner_of LOAD - whose job it is: nothing, or a command before its own
as_owner_of() {
	[ "$world" = owners ] && [ $(($1 % 2)) -eq 0 ] || return 0
	echo setpriv --reuid=65534 --regid=65534 --clear-groups
}

# --- gang -----------------------------------------------------------------------

# How many jobs a core may have.
set_sharers() {
	sharers=1
	[ "$world" != gang ] || sharers=2
}

# Their CPUs, node by node, where jobs take turns.
turns() {
	[ "$world" != gang ] || sinfo -h -N -o %N=%c | sort -u | tr '\n' ' '
}

# --- preempt --------------------------------------------------------------------

# at_once OPTION... - of salloc: who preempts starts when the others have ended
at_once() {
	if [[ "$world $*" != "preempt "*"-p over"* ]]; then
		echo --immediate
	elif [ "${told:-now}" = now ]; then
		echo --immediate=40
	else
		echo --immediate=4
	fi
}

# The loads that this cluster has, and where.
note_loads() {
	[ "$world" != preempt ] || list_loads >"$cluster/loads"
}

list_loads() {
	squeue -h -t R -o '%j %N' | sort -n
}

# The loads that were preempted begin again, in their order: to be where they were,
# all of them.
restore_world() {
	[ "$world" = preempt ] || return 0
	! cmp -s "$cluster/loads" <(list_loads) || return 0
	drain_one
	start_loads_here >/dev/null
	note_loads
}

# judge_preempted JOB - each of those had something on its nodes
judge_preempted() {
	local name list nodes

	[ "$world" = preempt ] && is_told_truly || return 0
	nodes=$(nodes_of "$1")
	while read -r name list; do
		! grep -qx "$name" <(loads_there) || continue
		grep -qxFf <(scontrol show hostnames "$list") <<<"$nodes" ||
			finding vain "load $name on $list for $nodes"
	done <"$cluster/loads"
}

nodes_of() {
	scontrol show hostnames "$(job_field "$1" NodeList)"
}
