# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# judges.bash - sourced by rounds.bash: one request is asked about and judged by the rules

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
