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
worlds=(usual tree lln owners reserved batch block)

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
	esac
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

# --- batch ----------------------------------------------------------------------

# begin_batch SECONDS OPTION... - into parts: how many parts of the array, or
# heterogeneous job, run after that, and how many there are; or refused
begin_batch() {
	local seconds=$1 text id words

	shift
	words_of "$*"
	parts=refused
	text=$(within 60 sbatch --parsable -o /dev/null "${words[@]}" \
		--wrap 'exec sleep 600' 2>&1) || return 0
	id=${text%%;*}
	(wait_until_all_run "$seconds" "$id") 2>/dev/null || true
	parts=$(squeue -h -r -j "$id" -o %T | awk '
		/RUNNING/ { run++ }
		END { print run + 0, NR }')
}

wait_until_all_run() {
	local end=$((SECONDS + $1 * patience))

	until all_run "$2"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.2
	done
}

all_run() {
	local states

	states=$(squeue -h -r -j "$1" -o %T) && [ -n "$states" ] &&
		! grep -qvx RUNNING <<<"$states"
}

end_batch() {
	local ids

	mapfile -t ids < <(squeue -h -n wrap -o %F | sort -u)
	[ "${#ids[@]}" -eq 0 ] || scancel "${ids[@]}"
	wait_until 60 no_batch_is_left
}

no_batch_is_left() {
	local ids

	ids=$(squeue -h -n wrap -o %i) && [ -z "$ids" ] && no_node_is comp
}

# What is said of all parts: where all plain ones start, all bound ones do.
judge_batch() {
	local parts plain_parts both

	begin_batch 3 "$common $own"
	plain_parts=$parts
	end_batch
	# Where plain ones do not all start, which of them do is their order's.
	begin_batch "$([ "${parts% *}" = "${parts#* }" ] && echo 60 || echo 3)" \
		"$common $binding"
	both=$(contradictions 2>&1)
	end_batch
	[ "$tell_answers" = no ] ||
		echo "$index $kind $common $binding: plain $plain_parts, bound $parts"
	tally[$([ "${parts% *}" = 0 ] && echo busy || echo started)]=1
	[ -z "$both" ] || finding twice "$both"
	[[ $plain_parts = refused || $plain_parts = 0* ||
		${plain_parts% *} != "${plain_parts#* }" ||
		$parts = "$plain_parts" ]] ||
		finding same-cores "plain: $plain_parts run" "bound: $parts run"
}
