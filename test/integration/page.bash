# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# page.bash - the examples of topobind(1) that ask Slurm, for the tests of these
# commands.  Sourced after lib.sh.
# shellcheck source=test/manual.sh
# shellcheck disable=SC2154 # of lib.sh
. "$top/test/manual.sh"

# The nodes of the page.
# shellcheck disable=SC2034 # for who sources this
page_nodes=(--machine "chip SXCTTCTTXCTTCTT 1 4 2"
	--machine "ma SXCTTCTTXCTTCTTSXCTTCTTXCTTCTT 2 4 2"
	--machine "mb SXCTTCTTXCTTCTTSXCTTCTTXCTTCTT 2 4 2")

# page_example COMMAND - of a subcommand
page_example() {
	local page=$top/doc/topobind.1 n

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
