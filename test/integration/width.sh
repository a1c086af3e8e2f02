#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# width - lines are as wide as COLUMNS says, and no wider, and stay whole where nothing
# says how wide they are
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/tool/commands.sh
. "$top/test/tool/commands.sh"

# assert_fits WIDTH FILE
assert_fits() {
	[ "$(wc -L <"$2")" -le "$1" ] ||
		fail "wider than $1: $(awk -v w="$1" 'length > w' "$2")"
}

# at WIDTH COMMAND... - what topobind prints, in $work/out
at() {
	local width=$1

	shift
	COLUMNS=$width topobind "$@" >"$work/out" 2>/dev/null || true
	[ -s "$work/out" ] || fail "$* prints nothing"
}

# Words are the same, whatever the width.
same_words() {
	assert_eq "words" "$(xargs -n 1 <"$1")" "$(xargs -n 1 <"$2")"
}

case_help() {
	local command width

	for command in $(command_names); do
		for width in 60 80 200; do
			at "$width" "$command" --help
			# No more than 80, which is easier to read.
			assert_fits "$((width < 80 ? width : 80))" "$work/out"
		done
	done
	for width in 60 80 200; do
		at "$width" options
		assert_fits "$width" "$work/out"
	done
}

# The table of nodes: between its heading and an empty line.
case_explain() {
	local job width

	alloc -w "$NODE_ZEN" -N1 --bcpus=0,48 -t 20 >/dev/null
	alloc -w "$NODE_ZEN" -N1 --bcpus=4 -t 20 >/dev/null
	scontrol update NodeName="$NODE_TWIN" State=DRAIN \
		Reason="a fan that makes too much noise, and a disk that is full"
	job=$(batch -N1 -w "$NODE_ZEN" --bunit=S --bamount=2)
	wait_until 20 was_passed_over "$job"
	topobind explain "$job" | sed -n '/^NODES/,/^$/p' >"$work/whole"
	for width in 60 80 200; do
		at "$width" explain "$job"
		sed -n '/^NODES/,/^$/p' "$work/out" >"$work/table"
		assert_fits "$width" "$work/table"
		same_words "$work/whole" "$work/table"
	done
	topobind job "$job" >"$work/whole"
	for width in 60 80 200; do
		at "$width" job "$job"
		assert_fits "$width" "$work/out"
		same_words "$work/whole" "$work/out"
	done
	scontrol update NodeName="$NODE_TWIN" State=RESUME
}

case_conf() {
	local width

	sed -i s/ConstrainCores=yes/ConstrainCores=no/ "$cluster/etc/cgroup.conf"
	topobind conf --check >"$work/whole" 2>/dev/null || true
	assert_eq "lines" 1 "$(wc -l <"$work/whole")"
	for width in 60 80 200; do
		at "$width" conf --check
		assert_fits "$width" "$work/out"
		same_words "$work/whole" "$work/out"
	done
	sed -i s/ConstrainCores=no/ConstrainCores=yes/ "$cluster/etc/cgroup.conf"
}

case_map() {
	local width

	for width in 60 80 200; do
		at "$width" map
		assert_fits "$width" "$work/out"
	done
}

cluster_start --nodes zen,twin
test_case "help and options" case_help
test_case "explain and job" case_explain
test_case "conf --check" case_conf
test_case "map" case_map
tests_done
