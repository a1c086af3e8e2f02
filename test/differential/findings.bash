# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# findings.bash - sourced by rounds.bash: what a finding prints, and which requests are
# not asked about, or not judged by all rules

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
