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

# --- questions and their answers ------------------------------------------------

# These run for one cluster.  words - the options of a request as it has them
words_of() {
	read -r -a words <<<"$(sed -E "s/\{([a-z]+)\}/\1$number/g" <<<"$*")"
}

# ask_when OPTION... - into told: now, later N (after as many ends) or never;
# into said: how Slurm puts it
ask_when() {
	local text start status=0 words

	words_of "$*"
	text=$(within 60 sbatch --test-only "${words[@]}" --wrap true 2>&1) ||
		status=$?
	said=$(sed -E 's/Job [0-9]+ to start at [^ ]*/starts/
		/Preempts:/s/[0-9]+/N/g' <<<"$text" |
		unnumbered)
	if [[ $text =~ \ to\ start\ at\ ([^ ]*)\  ]]; then
		start=$(($(date -d "${BASH_REMATCH[1]}" +%s) - EPOCHSECONDS))
		told=now
		[ "$start" -lt $((minutes_between_ends * 30)) ] ||
			told="later $(((start / 60 + minutes_between_ends / 2) /
				minutes_between_ends))"
	elif [ "$status" -ge 124 ]; then
		told=silence
	else
		told=never
	fi
}

# Whose job the next one is: a command before its own, or none.
owner=()

# start_now OPTION... - into got: started, busy, never or silence; into id: the job
start_now() {
	local text status=0 words at_once=()

	words_of "$*"
	read -r -a at_once < <(at_once "$*")
	id=''
	text=$(within 90 "${owner[@]}" salloc "${at_once[@]}" --no-shell "${words[@]}" 2>&1) ||
		status=$?
	if [[ $text =~ Granted\ job\ allocation\ ([0-9]+) ]]; then
		got=started
		id=${BASH_REMATCH[1]}
	elif [[ $text = *"nodes are busy"* || $text = *"resources busy"* ||
		$text = *"start immediately"* || $text = *"timed out"* ]]; then
		got=busy
	elif [ "$status" -ge 124 ]; then
		got=silence
	else
		got=never
	fi
	reply=$(grep -v -E '^salloc: (Pending|Nodes|Granted|Relinq|job [0-9]+ )' <<<"$text" |
		unnumbered || true)
}

# What a job has, node by node.
has() {
	scontrol -d show job "$1" | sed -n -E 's/^ *(Nodes=[^ ]* CPU_IDs=.*)/\1/p' |
		unnumbered
}

# give_back JOB... - all is as before it
give_back() {
	end_jobs "$@"
	restore_world
}

end_jobs() {
	scancel "$@"
	wait_until 60 nothing_completes
}

nothing_completes() {
	local ids

	ids=$(squeue -h -t CG -o %i) && [ -z "$ids" ] && no_node_is comp
}

# --- findings -------------------------------------------------------------------

# finding RULE TEXT... - of the request that is asked about
finding() {
	local again="--world $world --seed $seed --round $round_size --only $index"

	printf 'finding: %s, seed %s, request %s\n' "$1" "$seed" "$index"
	printf '  %s\n' "without a binding: $common $own" \
		"with a binding:    $common $binding" "${@:2}" \
		"again: test/differential/run $again"
	findings=$((findings + 1))
}

# listed_in FILE... -- OPTION... - prints why such a request is in one of the lists
listed_in() {
	local name pattern reason files=()

	while [ "$1" != -- ]; do
		files+=("$differential/$1") && shift
	done
	shift
	while IFS=$'\t' read -r name pattern reason; do
		if [[ $name != '#'* && "$world $*" =~ $pattern ]] &&
			is_so_here "$reason"; then
			echo "$name: $reason"
			return 0
		fi
	done < <(cat "${files[@]}")
	return 1
}

# excluded OPTION... - prints why such a request is not asked
excluded() {
	local files=(slurms)

	[ "$exclude" = no ] || files+=(excluded)
	listed_in "${files[@]}" -- "$@"
}

# Does topobind explain know all that decides on the request?
can_be_explained() {
	is_told_truly && ! listed_in unexplained -- "$common $binding" >/dev/null
}

# Does what --test-only tells of the request count?
is_told_truly() {
	! listed_in vain -- "$common $binding" >/dev/null
}

# A reason that begins with a release is so in this release only, or with a + in
# those after it.
is_so_here() {
	[[ $1 =~ ^([0-9]+\.[0-9]+)(\+?): ]] || return 0
	[ -z "${BASH_REMATCH[2]}" ] || {
		slurm_is_from "${BASH_REMATCH[1]}"
		return
	}
	[[ $(slurmctld -V) = *" ${BASH_REMATCH[1]}."* ]]
}

# --- one request ----------------------------------------------------------------

# plain_answers OPTION... - of one cluster: what it tells, gives and says
plain_answers() {
	local said told got id reply number

	set_number
	ask_when "$@"
	start_now "$@"
	echo "$told $got"
	echo "$said"
	[ -n "$id" ] || { echo "$reply" && return 0; }
	has "$id"
	give_back "$id"
}

judge_plain() {
	local other=''

	if [ "$lockstep" = yes ]; then
		on "$plain" plain_answers "$common $own" >"$work/other" 2>&1 &
		other=$!
	fi
	plain_answers "$common $own" >"$work/plain" 2>&1
	{ read -r plain_told && read -r plain_said; } <"$work/plain" || true
	plain_got=${plain_told##* }
	plain_told=${plain_told% *}
	[ -n "$other" ] || return 0
	wait "$other" || true
	# Not on which nodes a job would start: whatever was refused before changes
	# what Slurm says of that; nor how many are preempted on others.
	cmp -s <(grep ' starts using ' "$work/other") \
		<(grep ' starts using ' "$work/plain") ||
		sed -i '/Preempts:/d' "$work/other" "$work/plain"
	sed -i 's/ starts using .*//' "$work/other"
	sed 's/ starts using .*//' "$work/plain" >"$work/told"
	cmp -s "$work/other" "$work/told" ||
		finding parity "$(diff "$work/other" "$work/told")"
}

# A number that tells when: 0 is now.
rank() {
	case $1 in
	now) echo 0 ;;
	later*) echo "${1#later }" ;;
	*) echo 1000 ;;
	esac
}

judge_bound() {
	local told said got id reply both=''

	ask_when "$common $binding"
	start_now "$common $binding"
	if [ -n "$id" ]; then
		both=$(contradictions "$sharers" "$(turns)" 2>&1)
		[ -z "$both" ] || finding twice "$both"
		judge_preempted "$id"
		judge_tasks "$id"
		give_back "$id"
	fi
	answers="told $told, $got: $said $reply"
	[ "$tell_answers" = no ] || echo "$index $kind $common $binding: $answers"
	tally[$got]=$((${tally[$got]:-0} + 1))
	[[ $told != silence && $got != silence ]] || finding answer "$answers"
	judge_three_answers
	judge_explained
	case $kind in
	cores) judge_same_cores ;;
	units) judge_units ;;
	esac
	[[ $told != later* ]] || ! is_told_truly || {
		promise="${told#later } $index"
		promised=$said
	}
}

# Where --test-only promises, or says never of a job that is accepted, explain agrees.
judge_explained() {
	local job words says

	can_be_explained || return 0
	words_of "$common $binding"
	job=$(sbatch --parsable -H -o /dev/null "${words[@]}" --wrap true 2>&1) ||
		return 0
	wait_until 20 shows_binding "$job"
	says=$(topobind explain --json "$job" | explained_as)
	[ "$says" = "$told" ] || is_told_late "$says" "$told" ||
		finding explained "$says: $(topobind explain "$job" 2>&1)" "$answers"
	scancel "$job"
}

# Slurm looks at what is free after the first end of a job on one of the nodes, and then
# only after all those in times that double: it can tell a later end than the right one.
is_told_late() {
	[[ $1 = "later "[0-9]* && $2 = "later "[0-9]* ]] &&
		[ "${1#later }" -gt 1 ] && [ "${2#later }" -gt "${1#later }" ]
}

shows_binding() {
	[ "$(topobind job --json "$1" | jq -r '.jobs[0].request')" != null ]
}

# The JSON of topobind explain as ask_when tells it.
explained_as() {
	jq -r --argjson apart "$((minutes_between_ends * 60))" '
		.jobs[0] | if .fits_now then "now"
		elif .would_fit and .when == null then "later, but not when"
		elif .would_fit then
			"later \(((.when - now) / $apart + 0.5) | floor)"
		else "never" end'
}

# With --overcommit a node has any number of tasks.
judge_tasks() {
	local nodes tasks=${common#-n}

	[[ $common =~ --ntasks-per-node=([0-9]+) && $common != *--overcommit* ]] ||
		return 0
	tasks=${tasks%% *}
	nodes=$(nodes_of "$1" | grep -c .)
	[ "$((nodes * BASH_REMATCH[1]))" -ge "$tasks" ] ||
		finding tasks "$tasks tasks on $nodes nodes"
}

# The answers contradict each other, unless they do so without a binding.
judge_three_answers() {
	local rule other

	rule=$(broken_rule "$told" "$got")
	[ -n "$rule" ] && is_told_truly || return 0
	# When a window will be there nobody knows; and reservations end.
	[[ "$told $got $world$binding" != "never busy "*@(reserved|--bst[ao])* ]] ||
		return 0
	# On more switches than asked for a job starts after max_switch_wait, of which
	# Slurm tells nothing before.
	[[ "$told $got $world $common" != "never busy "@(tree|block)*--switches=* ]] ||
		return 0
	plain_answers "$common $own" >"$work/plain" 2>&1
	read -r other <"$work/plain"
	[ -z "$(broken_rule "${other% *}" "${other##* }")" ] || return 0
	finding "$rule" "$answers"
}

# broken_rule TOLD GOT - no output when they go together
broken_rule() {
	case "$1 $2" in
	now\ busy | now\ never) echo now ;;
	later*\ started | never\ started) echo later ;;
	later*\ never | never\ busy) echo ever ;;
	esac
}

# plain_has_slots - Slurm gives the CPUs of two tasks with four each as 6 and 2, too
plain_has_slots() {
	awk -v job="$common $own" '
	BEGIN {
		match(job, /-n[0-9]+/)
		tasks = substr(job, RSTART + 2, RLENGTH - 2) + 0
		match(job, /-c[0-9]+/)
		cpus = substr(job, RSTART + 2, RLENGTH - 2) + 0
	}
	/ processors/ {
		sub(/.*using /, "")
		told = $1 + 0 >= tasks * cpus
	}
	/CPU_IDs=/ {
		started = 1
		nodes = $1 ~ /,/ ? split($1, list, ",") : 1
		sub(/.*CPU_IDs=/, "")
		sub(/ .*/, "")
		n = split($0, ranges, ",")
		sum = 0
		for (i = 1; i <= n; i++) {
			from = to = ranges[i]
			sub(/-.*/, "", from)
			sub(/.*-/, "", to)
			sum += to - from + 1
		}
		slots += nodes * int(sum / cpus)
	}
	END { exit started ? slots < tasks : !told }' "$work/plain"
}

# Jobs that do not share cannot begin on a node with one that does.  For a later start
# plain Slurm forgets that there, and promises in vain; topobind after it.
later_starts_count() {
	[[ $world != gang || $common = *"-p twice"* || ${#loads[@]} -eq 0 ]] ||
		! slurm_is_from 24.11
}

judge_same_cores() {
	local plain="plain: told $plain_told, $plain_got: $plain_said"

	plain_has_slots || return 0
	# A plain job may share a part of a unit that a bound one has.
	[[ "$world $common" != "gang "*"-p twice"* ]] || ! loads_are_bound ||
		return 0
	# A bound job must have a unit near each device, which is more.
	[[ $common != *enforce-binding* ]] || return 0
	if [ "$plain_got" = started ] && [ "$got" != started ]; then
		finding same-cores "$plain" "bound: $answers"
	elif ! is_told_truly; then
		return 0
	elif [ "$plain_told" != never ] && [ "$told" = never ]; then
		finding same-ever "$plain" "bound: $answers"
	elif [ "$(rank "$told")" -gt "$(rank "$plain_told")" ] &&
		later_starts_count; then
		finding same-time "$plain" "bound: $answers"
	fi
}

judge_units() {
	[ "$got" = started ] || judge_refused
}

judge_refused() {
	local set size witness id got reply wanted

	words_of "$common $binding"
	read -r set size < <(scontrol -d show job | awk \
		-v request="${words[*]}" -v number="$number" \
		-f "$differential/possible.awk" "$differential/nodes" -) ||
		return 0
	witness=" $common"
	# Nodes of several blocks Slurm gives only to who names them, or their number.
	[ "$world" = block ] ||
		witness="$(sed -E 's/ (-N|--nodelist=)[^ ]*//g' <<<" $common") --nodelist=$set -N$(
			tr ',' '\n' <<<"$set" | grep -c .
		)"
	[[ $binding = *btype=host* ]] ||
		witness="$(sed -E 's/ -c[^ ]*//' <<<"$witness") -c$size"
	start_now "$witness"
	[ -n "$id" ] || return 0
	wanted=$(has "$id")
	give_back "$id"
	finding units "$answers" "but $set can, as $witness: $wanted"
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
