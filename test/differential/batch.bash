# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# batch.bash - sourced by rounds.bash: arrays and heterogeneous jobs, which begin a
# batch script

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
	# Parts of a heterogeneous job are refused, and end with the first.
	[ "${#ids[@]}" -eq 0 ] || scancel "${ids[@]}" 2>/dev/null || true
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
