#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# flood - an ordinary user sends slurmctld more than it can read, and others notice
# nothing
#
# test/integration/flood.c is that user's program.  With FLOOD=COUNT so many random
# jobs are sent instead of a few: FLOOD=10000 test/run integration flood
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

as_user() {
	(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$work/flood" "$@")
}

# answers_during COMMAND... - others get an answer within a second meanwhile
answers_during() {
	local watcher

	rm -f "$work/over"
	"$work/flood" watch "$work/over" >"$work/longest" &
	watcher=$!
	"$@"
	touch "$work/over"
	wait "$watcher" || fail "slurmctld did not answer"
	[ "$(<"$work/longest")" -lt $((1000 * patience)) ] ||
		fail "an answer took $(<"$work/longest") ms"
	assert_eq daemons "$before" "$(daemon_pids)"
}

refuses_one() {
	as_user "$@" 2>/dev/null || fail "accepted: $*"
}

case_refused() {
	answers_during refuses_one "$@"
	assert no_jobs
}

# What fits is read, and the same again is not: it costs nothing.
case_longest_list() {
	local list job

	list=$(awk 'BEGIN { printf "0"; while (i++ < 13900) printf "+0-47" }' |
		cut -c1-69000)
	list=${list%[+-]*}
	job=$(batch -w "$NODE_ZEN" --topobind="bcpus=$list")
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-47
	cancel "$job"
}

# As for the same job of any client that leaves it out.
case_no_tasks_for_each_socket() {
	local job

	as_user sockets "$NODE_ZEN" && fail "refused"
	job=$(squeue -h -o %i)
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-47
	cancel "$job"
	assert_eq daemons "$before" "$(daemon_pids)"
}

lines_of_log() {
	grep -c topobind: "$cluster/log/slurmctld.log" || true
}

# Their number does not grow with that of the jobs.
case_bad_ones_in_the_log() {
	local lines

	scontrol setdebug info
	lines=$(lines_of_log)
	assert_eq "jobs that were accepted" 0 "$(as_user bad 200)"
	[ $(($(lines_of_log) - lines)) -le 50 ] ||
		fail "$(($(lines_of_log) - lines)) lines"
}

send_random() {
	as_user random "$1" "$2" >>"$work/accepted" 2>/dev/null
}

# Over all rounds.
accepted() {
	awk '{ sum += $1 } END { print sum + 0 }' "$work/accepted"
}

no_jobs_of_user() {
	scancel -u 65534 2>/dev/null || true
	[ -z "$(squeue -h -u 65534 -o %i)" ]
}

case_random_jobs() {
	local seed job rounds=$((${FLOOD:-200} / 50))

	for ((seed = 1; seed <= rounds; seed++)); do
		answers_during send_random "$seed" 50
		assert_no_contradictions
		wait_until 60 no_jobs_of_user
	done
	[ "$(accepted)" -gt 0 ] || fail "none was accepted"
	# All goes on, also with what was saved of them.
	restart_slurmctld
	wait_until 60 nodes_answer
	job=$(batch -w "$NODE_ZEN" -n1 --bunit=X --bamount=1)
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-5
	cancel "$job"
}

rss_of_slurmctld() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' \
		"/proc/$(daemon slurmctld pid)/status"
}

# publish FIRST LAST - one topology after another, each of 100 kB
publish() {
	local i

	for ((i = $1; i <= $2; i++)); do
		scontrol update NodeName="$NODE_RAPTOR" \
			Extra="m_topology=$i$long_text" >/dev/null
		sinfo -h >/dev/null
	done
}

# slurmctld keeps what is published now, not what was published before.
case_other_topologies() {
	local long_text begin end

	long_text=$(head -c 100000 /dev/zero | tr '\0' C)
	sed -i "/^NodeName=$NODE_RAPTOR/d" "$cluster/etc/topobind.conf"
	reconfigure
	publish 1 80
	begin=$(rss_of_slurmctld)
	publish 100 300
	end=$(rss_of_slurmctld)
	[ "$end" -lt $((begin + 10000)) ] || fail "$begin kB became $end kB"
	scontrol update NodeName="$NODE_RAPTOR" Extra=m_topology=
}

cluster_start --nodes zen,raptor
compile_client flood
before=$(daemon_pids)
test_case "the longest list that is read" case_longest_list
test_case "a list of 48 megabytes" case_refused list 48000000
test_case "a list of 16 megabytes" case_refused list 16000000
test_case "a million variables" case_refused variables 1000000
test_case "bad requests do not fill the log" case_bad_ones_in_the_log
test_case "no task for each socket" case_no_tasks_for_each_socket
test_case "random descriptions of jobs" case_random_jobs
echo "# $(accepted) of ${FLOOD:-200} were accepted"
before=$(daemon_pids)
test_case "nodes publish other topologies" case_other_topologies
tests_done
