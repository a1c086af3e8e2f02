# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# page.bash - what the tests of commands share that ask Slurm: what they refuse,
# and the examples in their pages.  Sourced after lib.sh.
# shellcheck source=test/manual.sh
# shellcheck disable=SC2154 # of lib.sh
. "$top/test/manual.sh"

# is_refused COMMAND WANTED ARGUMENT... - exit code 2, one line on stderr, and no
# output
is_refused() {
	local command=$1 wanted=$2 status=0

	shift 2
	# shellcheck disable=SC2154 # of lib.sh
	topobind "$command" "$@" >"$work/out" 2>"$work/err" || status=$?
	assert_eq "exit code of $*" 2 "$status"
	assert_eq "output of $*" "" "$(cat "$work/out")"
	assert_eq "lines on stderr of $*" 1 "$(wc -l <"$work/err")"
	assert_contains "message of $*" "$wanted" "$(cat "$work/err")"
}

# The nodes of the page.
# shellcheck disable=SC2034 # for who sources this
page_nodes=(--machine "chip SXCTTCTTXCTTCTT 1 4 2"
	--machine "ma SXCTTCTTXCTTCTTSXCTTCTTXCTTCTT 2 4 2"
	--machine "mb SXCTTCTTXCTTCTTSXCTTCTTXCTTCTT 2 4 2")

# page_example COMMAND - of a subcommand
page_example() {
	local page=$top/doc/topobind-$1.1 n

	for ((n = 1; n <= $(manual_examples "$page" | grep -c '^%%$'); n++)); do
		if manual_example "$page" "$n" | sed -n 1p |
			grep -q "^\\$ topobind $1"; then
			manual_example "$page" "$n"
		fi
	done
}

# assert_page COMMAND [SED...] - what its example prints, with names of nodes as
# they are here and as the scripts say, is printed; columns may have other widths
assert_page() {
	local number=${NODE_THIS#this} expressions=()

	expressions=(-e "s/\\b(chip|ma|mb)\\b/\\1$number/g" "${@:2}")
	# shellcheck disable=SC2154 # of lib.sh
	page_example "$1" | sed -E "${expressions[@]}" >"$work/example"
	assert grep -q '^\$ ' "$work/example"
	(set +e && replay "$work/example") | tr -s ' ' | sed 's/^ //' \
		>"$work/seen"
	tr -s ' ' <"$work/example" | sed 's/^ //' | diff - "$work/seen"
}
