#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench - test/bench/mix runs, binds the jobs that it says it binds, and prints
# its table.  What the times are is no matter.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# row JOB WAY - its columns after these two
row() {
	awk -v job="$1" -v way="$2" \
		'$1 == job && $2 == way { $1 = $2 = ""; print }' "$work/table"
}

case_mix() {
	local kind way columns

	"$top/test/bench/mix" --seconds 0.05 --copies 1 --runs 2 --units C \
		>"$work/table"
	for kind in memory cache compute team; do
		for way in dedicated without C; do
			read -r -a columns <<<"$(row "$kind" "$way")"
			assert_eq "jobs of $kind, $way" 2 "${columns[0]}"
			assert_in_order "${columns[@]:1:3}"
			assert_eq "CPUs of $kind, $way" "$(cpus_of "$way")" \
				"${columns[5]}"
		done
	done
	for way in without C; do
		read -r -a columns <<<"$(row mix "$way")"
		assert_eq "runs of the mix, $way" 2 "${columns[0]}"
		assert_in_order "${columns[@]:1:3}"
	done
}

# assert_in_order MEDIAN LEAST MOST
assert_in_order() {
	awk -v median="$1" -v least="$2" -v most="$3" 'BEGIN {
		exit !(0 < least && least <= median && median <= most)
	}' || fail "median, least, most: $*"
}

cpus_of() {
	case $1 in
	without) hwloc-calc -N pu all ;;
	*) hwloc-calc -N pu core:0 ;;
	esac
}

case_bad_options() {
	refute "$top/test/bench/mix" --runs 0
	refute "$top/test/bench/mix" --copies
	refute "$top/test/bench/mix" --seconds never
}

cluster_start --nodes this
test_case "the mix of jobs with and without binding" case_mix
test_case "what the benchmark refuses" case_bad_options
tests_done
