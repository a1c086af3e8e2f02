# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# same_answers.bash - sourced after lib.sh: jobs of which topobind explain and topobind
# plan must say the same
#
#	explained JOB			as JSON; exits as topobind does
#	units_of_plan OPTION...		a node and its units
#	compare_answers LEAST REQUEST...	options, of jobs that wait
#	compare_random SEED COUNT HOLD MAKE	the same of random ones, or more
#	compare_units SEED COUNT HOLD MAKE	the units of such ones

explained() {
	topobind explain --json "$1" | jq '.jobs[0]'
}

all_show_bindings() {
	local job

	for job; do
		[ "$(topobind job --json "$job" |
			jq -r '.jobs[0].request')" != null ] || return 1
	done
}

# planned OPTION... - now, later at SECONDS or never; now with units, unless it asks for
# GRES
planned() {
	{ topobind plan --json "$@" || true; } |
		jq -r '.answer + if .answer == "later" then " \(.start)"
			elif .answer == "now" and .units == [] and
				(.reason | test("GRES") | not)
			then " but \(.reason)" else "" end'
}

# units_of_plan OPTION... - NODE:STRING of one node; nothing where it tells no such units
units_of_plan() {
	{ topobind plan --json "$@" || true; } |
		jq -r 'select(.answer == "now" and (.units | length) == 1) |
			.units[] | "\(.node):\(.topology)"'
}

# explained_in_short JOB - the same by explain, or unknown
explained_in_short() {
	explained "$1" | jq -r 'if .fits_now then "now" elif .would_fit == null
		then "unknown" elif .would_fit then "later \(.when)"
		else "never" end'
}

# told OPTION... - the same by sbatch --test-only
told() {
	local text

	text=$(sbatch --test-only "$@" --wrap true 2>&1) || true
	if ! [[ $text =~ \ to\ start\ at\ ([^ ]*)\  ]]; then
		echo never
	elif [ "$(date -d "${BASH_REMATCH[1]}" +%s)" -le $((EPOCHSECONDS + 5)) ]; then
		echo now
	else
		echo "later $(date -d "${BASH_REMATCH[1]}" +%s)"
	fi
}

# Of several partitions --test-only, and so plan, looks at the first.
no_test='-p [a-z]*,'

# is_same TOLD SAYS - Slurm looks at what is free after the first end of a job on one
# of the nodes, and then only after all those in times that double: it can tell a later
# end than the right one.  That counts with may_be_late=yes.
is_same() {
	[ "$1" != "$2" ] || return 0
	[[ ${may_be_late:-no} = yes && $1 = "later "* && $2 = "later "* ]] &&
		[ "${1#later }" -gt "${2#later }" ] &&
		[ "${2#later }" -gt "$(first_end)" ]
}

first_end() {
	date -d "$(squeue -h -t R -o %e | sort | head -n1)" +%s
}

# compare_answers LEAST REQUEST... - at least so many of them are accepted.  Held jobs
# move nothing, so all are asked about in the same state.  explain may not know.
compare_answers() {
	local least=$1 request jobs=() lines=()

	shift
	for request; do
		send_held "$request"
	done
	[ "${#jobs[@]}" -ge "$least" ] ||
		fail "only ${#jobs[@]} jobs were accepted"
	compare_held
}

# send_held REQUEST - into jobs and lines, if it is accepted
send_held() {
	local job
	local -a options

	read -r -a options <<<"$1"
	job=$(batch -H "${options[@]}" 2>/dev/null) || return 0
	jobs+=("$job")
	lines+=("$1")
}

compare_held() {
	local i says told
	local -a options

	wait_until 20 all_show_bindings "${jobs[@]}"
	for i in "${!jobs[@]}"; do
		read -r -a options <<<"${lines[i]}"
		says=$(explained_in_short "${jobs[i]}")
		[[ ! ${lines[i]} =~ $no_test ]] || continue
		told=$(told "${options[@]}")
		if [ "$says" != unknown ] && ! is_same "$told" "$says"; then
			explained "${jobs[i]}" || true
			scontrol -o show nodes
			fail "${lines[i]}: --test-only $told, explain $says"
		fi
		assert_eq "${lines[i]}: plan and --test-only" "$told" \
			"$(planned "${options[@]}")"
	done
}

# Of random requests at least so many are compared, so that a test says something.
# Where the first do not suffice there are more of them, up to a number that no chance
# reaches.
least_accepted=8
least_with_units=2

# compare_random SEED COUNT HOLD MAKE - beside the jobs that HOLD starts, so many
# requests, each of which MAKE leaves in request
compare_random() {
	local picked request jobs=() lines=() i

	RANDOM=$1
	"$3"
	for ((i = 0; i < $2 || ${#jobs[@]} < least_accepted; i++)); do
		[ "$i" -lt $(($2 * 10)) ] ||
			fail "of $i requests ${#jobs[@]} were accepted"
		"$4"
		send_held "$request"
	done
	compare_held
}

# compare_units SEED COUNT HOLD MAKE - likewise: where plan tells units, these are what
# the job gets.  Where nearly nothing is free more requests do not help: others hold
# something in the next round.
compare_units() {
	local picked request round compared=0

	RANDOM=$1
	for ((round = 0; compared < least_with_units; round++)); do
		[ "$round" -lt 10 ] || fail "plan told units of $compared jobs"
		[ "$round" -eq 0 ] || drain
		"$3"
		compare_units_beside "$2" "$4"
	done
}

# compare_units_beside COUNT MAKE - adds to compared
compare_units_beside() {
	local i job told
	local -a options

	for ((i = 0; i < $1; i++)); do
		"$2"
		read -r -a options <<<"$request"
		told=$(units_of_plan "${options[@]}")
		[ -n "$told" ] || continue
		job=$(alloc "${options[@]}")
		assert_eq "$request" "$told" "$(comment_word "$job" grant)"
		compared=$((compared + 1))
		cancel "$job"
	done
}
