#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# scale - many nodes, each with a slurmd of its own, jobs of all kinds in a rush, and what
# goes wrong meanwhile.  test/scale does the same with a thousand nodes, and compares.
# shellcheck source=test/integration/network.bash
. "$(dirname "$0")/network.bash"
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/scale.bash
. "$test_dir/scale.bash"

nodes=40
jobs=300

case_rush() {
	run_scale "$jobs" 20 1 15:fail 30:kill 60:return
	assert_eq "what was wrong" "" "$(cat "$findings")"
	# Who looks has seen jobs, bound and plain.
	assert test "$(grep -c ' nodes ' "$samples")" -ge 3
	assert test -e "$work/bound-seen"
}

case_afterwards() {
	assert_as_before
	assert test "$(cut -d' ' -f1 "$progress")" -ge "$jobs"
}

start_scale topobind "$nodes" 10
test_case "$jobs jobs, a killed slurmctld, nodes that fail" case_rush
test_case "all nodes are as before" case_afterwards
tests_done
