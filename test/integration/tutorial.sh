#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tutorial - README.md's "Five minutes": its commands print, line by line, what stands
# there
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/reader.bash
. "$(dirname "$0")/reader.bash"

# Boxes are drawn with lines, in 80 columns.
export LC_ALL=C.UTF-8
unset COLUMNS
# README.md, or another one to try.
readme=${1:-$top/README.md}

# All blocks of the section as one.
tutorial() {
	awk '/^## / { here = $0 == "## Five minutes" }
		here && /^```/ { inside = !inside; next }
		here && inside' "$readme"
}

# The options with which the tutorial starts its cluster, as it quotes them.
start_options() {
	# shellcheck disable=SC2016 # the page's own variable
	tutorial | sed -n 's/^\$ cluster=\$(contribs\/cluster start \(.*\))$/\1/p'
}

# --- as on the page ---------------------------------------------------------------

# The page's cluster is the first of its machine, epyc1.  With a number of two digits
# columns are wider: then any number of blanks is as good as another.
of_cluster() {
	sed -E "s/\bepyc1\b/epyc$number/g" | of_any_width
}

of_page() {
	sed -E -e "s/\bepyc$number\b/epyc1/g" -e 's/ +$//' \
		-e 's/\b0:(0[0-9]|10):[0-9]{2}\b/0:09:58/' | of_any_width
}

of_any_width() {
	if [ "${#number}" -eq 1 ]; then
		cat
	else
		sed -E 's/ +/ /g'
	fi
}

# --- what the commands of the page do here -------------------------------------------

# The cluster is there, and its end is lib.sh's.
contribs/cluster() {
	case $1 in
	start) echo "$cluster" ;;
	env) "$cluster_program" "$@" ;;
	stop) assert [ "$2" = "$cluster" ] ;;
	*) fail "contribs/cluster $*" ;;
	esac
}

# Soon backfill has planned a job that waits, and one that was changed starts.
topobind() {
	if [ "$1" = explain ]; then
		wait_until 60 is_explained "$@"
		cat "$work/explained"
	else
		command topobind "$@"
	fi
	[ "$1" != update ] || wait_until 60 runs "$2"
}

is_explained() {
	command topobind "$@" >"$work/explained" 2>&1 &&
		grep -q '^Slurm expects' "$work/explained" &&
		! grep -q -E 'waits: (Resources|Priority|None)$' "$work/explained"
}

case_tutorial() {
	tutorial | of_any_width >"$work/page"
	assert [ "$(grep -c '^\$ ' "$work/page")" -ge 10 ]
	assert_prints "$work/page"
	assert_no_contradictions
}

number=1
first_cluster=$(start_options)
[ -n "$first_cluster" ] || fail "README.md does not start a cluster"
eval "cluster_start $first_cluster"
number=${NODE_EPYC#epyc}
test_case "README.md: five minutes" case_tutorial
tests_done
