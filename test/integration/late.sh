#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# late - where slurmctld shows nodes under a read lock, as from Slurm 26.05 on, a thread
# writes their records
#
# The plugin is the usual one, but takes it for such a slurmctld.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

shows() {
	[ "$(node_token "$NODE_ZEN" m_topology)" = "$string" ] &&
		[ "$(inuse "$NODE_ZEN")" = "$1" ]
}

case_overwritten() {
	local job

	job=$(batch -w "$NODE_ZEN" --bunit=X --bamount=1)
	wait_until 20 runs "$job"
	wait_until 20 shows 0-5
	scontrol update NodeName="$NODE_ZEN" Extra=rack=13
	# Each question is one more reason to look.
	wait_until 20 nodes_are_right 0-5
	assert_contains Extra rack=13 "$(node_extra "$NODE_ZEN")"
	cancel "$job"
	wait_until 20 nodes_are_right ""
}

nodes_are_right() {
	sinfo -h >/dev/null
	shows "$1"
}

# Readers and writers beside each other.
case_many_questions() {
	local i asker

	while sinfo -h -N -O extra >/dev/null; do :; done &
	asker=$!
	for ((i = 0; i < 50; i++)); do
		scontrol update NodeName="$NODE_ZEN" Extra="rack=$i"
	done
	wait_until 20 nodes_are_right ""
	kill "$asker"
	wait "$asker" || true
	assert_contains Extra rack=49 "$(node_extra "$NODE_ZEN")"
	assert_eq daemons "$before" "$(daemon_pids)"
}

eval "$("$top/contribs/bootstrap")"
make -C "$TOPOBIND_BUILD" test/bench/select_topobind_reader.la >/dev/null
cluster_start --nodes zen
cp "$TOPOBIND_BUILD/test/bench/.libs/select_topobind_reader.so" "$cluster"
mv "$cluster/select_topobind_reader.so" "$cluster/lib/select_topobind.so"
restart_slurmctld
before=$(daemon_pids)
string=$(node_token "$NODE_ZEN" m_topology)
test_case "a node's record is written again" case_overwritten
test_case "many questions meanwhile" case_many_questions
tests_done
