#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# test-policy-table.sh - the table in topobind_policies(7) is what bench_policy
# prints, but for the time that it took to choose
#
# Reports as TAP.  Runs in the build directory, with srcdir set, as automake's
# test driver does it.
set -u

# shellcheck source=test/manual.sh
. "${srcdir:-.}/test/manual.sh"

printed=$(test/bench/bench_policy | sed 1,2d |
	awk '{ print $1, $2, $3, $4, $5 }')
written=$(manual_rows "${srcdir:-.}/doc/topobind_policies.7" |
	awk -F '\t' 'NF == 6 && $2 ~ /^[0-9.]+$/ { print $1, $2, $3, $4, $5 }')

echo 1..1
if [ -n "$printed" ] && [ "$printed" = "$written" ]; then
	echo "ok 1 - the table of the manual"
else
	echo "not ok 1 - the table of the manual"
	diff <(echo "$printed") <(echo "$written") | sed 's/^/# /'
	exit 1
fi
