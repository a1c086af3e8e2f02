# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# rounds.bash - sourced after lib.sh: the same random requests to a cluster with
# topobind and to one without, and what their answers must have in common
#
#	world=tree			of worlds.bash [usual]
#	start_clusters
#	play_round SEED COUNT		prints findings; none when all is well
#
# A round starts some jobs, which do not change while it asks.  Each request is
# asked about with --test-only and then made, with a binding and without.  The
# rules, by the names that findings have:
#
#	parity		without a binding both clusters answer the same, and give
#			the same cores and devices
#	same-cores	what starts plain starts bound with as many cores
#	same-ever	what can ever run plain can ever run bound with as many
#	same-time	and is promised no later
#	units		what possible.awk finds free, Slurm being able to give the
#			CPUs there to a plain job, is given, or found possible
#	now		what is promised to start now starts
#	later		what is promised to start later does not start now
#	ever		what is promised is accepted, what is not is refused
#			(these three unless plain Slurm contradicts itself there, too)
#	promised	when those jobs have ended that end before a promised start,
#			the job starts
#	too-late	it did not when the last of them still ran, though Slurm would
#			promise an earlier start to a plain job of as many CPUs
#	explained	topobind explain says of the job, held, what --test-only tells
#	twice		no core has two holders, or more than share it; grant and
#			Slurm's books agree
#	tasks		so many nodes have it that none needs more than
#			--ntasks-per-node
#	vain		who is preempted had something on the job's nodes
#	kept		what jobs hold outlives what happens to slurmctld
#	answer		each question is answered; slurmctld lives
# shellcheck source=test/integration/two_clusters.bash
. "$test_dir/two_clusters.bash"

differential=$top/test/differential
# shellcheck source=test/differential/worlds.bash
. "$differential/worlds.bash"
# shellcheck source=test/differential/disturbances.bash
. "$differential/disturbances.bash"
# shellcheck source=test/differential/batch.bash
. "$differential/batch.bash"
# shellcheck source=test/differential/questions.bash
. "$differential/questions.bash"
# shellcheck source=test/differential/findings.bash
. "$differential/findings.bash"
# shellcheck source=test/differential/judges.bash
. "$differential/judges.bash"
# shellcheck source=test/integration/renamed.bash
. "$test_dir/renamed.bash"

# How many requests a round has; what all rounds have asked, left out and found.
round_size=12
asked=0
skipped=0
findings=0
declare -A tally=()
# yes: print each request and its answers
tell_answers=no
# no: judge what is in the file excluded, too
exclude=yes
# Only requests that match are asked about.
like=''

# Jobs end far enough from each other that cons_tres takes none of them together.
minutes_between_ends=300

# --- clusters -----------------------------------------------------------------

# start_clusters [OPTION...] - of contribs/cluster
start_clusters() {
	local options=(--nodes '' --slurm GresTypes=gpu --slurm Licenses=few:2)
	local files=(null zero full random)
	local node topology sockets cores threads gres features of_world

	prepare_world
	mapfile -t of_world < <(world_options)
	options+=("${of_world[@]}")
	while read -r node topology sockets cores threads gres features; do
		[ "$node" != '#' ] || continue
		options+=(--machine "$node $topology $sockets $cores $threads")
		if [ "$gres" = - ]; then
			options+=(--node "$node Feature=$features")
			continue
		fi
		options+=(--node "$node Feature=$features Gres=$gres")
		add_devices "$gres" $((sockets * cores))
	done <"$differential/nodes"
	start_both "${options[@]}" "$@"
	note_controller
}

# add_devices GRES CORES - the first half of them near the first half of the cores, or
# in such a world all anywhere
add_devices() {
	local kind number=0 total=0 i half=$(($2 / 2)) near

	for kind in ${1//,/ }; do
		total=$((total + ${kind##*:}))
	done
	for kind in ${1//,/ }; do
		for ((i = 0; i < ${kind##*:}; i++)); do
			near=" Cores=0-$((half - 1))"
			[ $((number * 2)) -lt "$total" ] ||
				near=" Cores=$half-$(($2 - 1))"
			[ "$world" != anywhere ] || near=
			options+=(--gres "$node Name=gpu Type=$(cut -d: -f2 \
				<<<"$kind") File=/dev/${files[number]}$near")
			number=$((number + 1))
		done
	done
}

# The number that ends the names of this cluster's nodes.
set_number() {
	number=$(sed -n 's/^ClusterName=topobind//p' "$SLURM_CONF")
}

unnumbered() {
	sed -E "s/\b(one|two|three|four|five)(\[[0-9]*\])?$number\b/\1/g"
}

# --- a round --------------------------------------------------------------------

# The jobs that are there while it is asked.  That of number N ends as the Nth.
start_loads() {
	local load=0 other

	lockstep=yes
	# Which cores are reserved plain Slurm says in another way.
	if [ "$world" = reserved ] || loads_are_bound; then
		lockstep=no
	fi
	loads=()
	while IFS=$'\t' read -r kind common own binding; do
		[ "$kind" = load ] || continue
		load=$((load + 1))
		index=load-$load
		other=''
		if [ "$lockstep" = yes ]; then
			on "$plain" start_load "$load" "$common $binding" \
				>"$work/other" 2>&1 &
			other=$!
		fi
		start_load "$load" "$common $binding" >"$work/plain" 2>&1
		[ -z "$other" ] || wait "$other" || true
		[ -z "$other" ] || cmp -s "$work/other" "$work/plain" ||
			finding parity "$(diff "$work/other" "$work/plain")"
	done < <(sed 's/\t\t/\t \t/g' "$work/requests")
	mapfile -t loads < <(loads_there)
	on_both note_loads
}

loads_are_bound() {
	awk -F'\t' '$1 == "load" && $4 ~ /--b/ { bound = 1 } END { exit !bound }' \
		"$work/requests"
}

# Their names, those of paused ones, too.
loads_there() {
	squeue -h -t R,S -o %j | grep -x '[0-9]*' | sort -n
}

# All of them once more, in this cluster.
start_loads_here() {
	local kind common own binding load=0

	while IFS=$'\t' read -r kind common own binding; do
		[ "$kind" = load ] || continue
		load=$((load + 1))
		start_load "$load" "$common $binding"
	done < <(sed 's/\t\t/\t \t/g' "$work/requests")
}

# Its name is its number.
start_load() {
	local id got reply number owner

	set_number
	read -r -a owner < <(as_owner_of "$1") || true
	start_now -J "$1" -t $((minutes_between_ends * $1)) "${@:2}"
	echo "$got $reply"
	[ -z "$id" ] || has "$id"
}

# end_loads UP_TO - those that end by then
end_loads() {
	local ids

	mapfile -t ids < <(squeue -h -t R,S -o '%j %i' |
		awk -v up_to="$1" '$1 <= up_to { print $2 }')
	[ "${#ids[@]}" -eq 0 ] || end_jobs "${ids[@]}"
}

# When a plain job with as many CPUs would start: Slurm is late, too.  Of other
# kinds same-time says so, or nobody knows a plain job that is like it.
rank_of_plain() {
	local tasks=${common#-n} cpus=${promised#* using } said told

	tasks=${tasks%% *}
	cpus=${cpus%% *}
	if [ "$kind" != units ] || [[ $binding = *btype=host* ]]; then
		echo "$when"
		return 0
	fi
	ask_when "$(sed -E 's/ -c[0-9]*//' <<<"$common") -c$((cpus / tasks))"
	rank "$told"
}

# The job starts when it was promised, and not before.
judge_promise() {
	local when=${promise% *} got id reply plain_when

	# Whose nodes those are that become free plain Slurm does not know, either.
	[ "$world" != owners ] || return 0
	index=${promise#* }
	IFS=$'\t' read -r kind common own binding \
		< <(sed 's/\t\t/\t \t/g' "$work/requests" |
			grep -v ^load | sed -n "$((index + 1))p")
	later_starts_count || return 0
	# With the nodes that it was told of.
	[ "$world" != dynamic ] || disturb "$index"
	plain_when=$(rank_of_plain)
	end_loads $((when - 1))
	start_now "$common $binding"
	if [ -n "$id" ]; then
		end_jobs "$id"
		[ "$plain_when" -ge "$when" ] ||
			finding too-late "promised after $when of ${#loads[@]} ends"
		return 0
	fi
	end_loads "$when"
	start_now "$common $binding"
	if [ -n "$id" ]; then
		end_jobs "$id"
		return 0
	fi
	judge_broken_promise "after $when of ${#loads[@]} ends: $got $reply"
}

# Slurm promises in vain, too: to [a|b], say.
judge_broken_promise() {
	local got id reply

	start_now "$common $own"
	[ -z "$id" ] || end_jobs "$id"
	[[ $kind = cores && -z $id ]] || finding promised "$1"
}

# is_wanted OPTION... - of a request, by what the user wants to see
is_wanted() {
	[[ -z $like || "$*" =~ $like ]]
}

round_has_wanted() {
	local kind common own binding

	while IFS=$'\t' read -r kind common own binding; do
		[[ $kind = load ]] || ! is_wanted "$common $binding" || return 0
	done < <(sed 's/\t\t/\t \t/g' "$work/requests")
	return 1
}

# play_round SEED COUNT [INDEX] - with INDEX only that request.  Counts in asked,
# skipped and findings.
play_round() {
	local seed=$1 round_size=$2
	local index=-1 kind common own binding promise='' promised
	local lockstep loads sharers
	local answers plain_told plain_said plain_got number reason

	set_number
	awk -v seed="$seed" -v asks="$2" -v world="$world" -f "$differential/requests.awk" \
		>"$work/requests"
	# Its loads would be for nothing.
	round_has_wanted || return 0
	set_sharers
	begin_world
	start_loads
	index=-1
	while IFS=$'\t' read -r kind common own binding <&3; do
		[ "$kind" != load ] || continue
		index=$((index + 1))
		[ -z "${3:-}" ] || [ "$index" = "$3" ] || continue
		is_wanted "$common $binding" || continue
		if reason=$(excluded "$common $binding"); then
			skipped=$((skipped + 1))
			continue
		fi
		asked=$((asked + 1))
		disturb "$index"
		case $kind in
		batch)
			judge_batch
			continue
			;;
		cores) judge_plain ;;
		esac
		judge_bound
	done 3< <(sed 's/\t\t/\t \t/g' "$work/requests")
	[ -z "$promise" ] || judge_promise
	controller_pid | cmp -s - "$work/slurmctld" ||
		finding answer "slurmctld is not the one that it was"
	end_round
}

# Also of one that ended early.
end_round() {
	end_disturbances
	drain
	note_controller
	end_world
}
