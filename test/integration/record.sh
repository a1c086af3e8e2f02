#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record - the node record shows topology and consumption; topobind.conf
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

case_after_the_first_job() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_eq "m_topology" \
		"$(topobind topology --xml "$top/test/data/topologies/AMD-17h-Zen-2xEpyc-7451.xml" | sed -n 1p)" \
		"$(node_token "$NODE_ZEN" m_topology)"
	assert_eq "in use" 0-5 "$(inuse "$NODE_ZEN")"
	cancel "$job"
	wait_until 5 nothing_in_use "$NODE_ZEN"
	assert_eq "same shape" "$(node_token "$NODE_ZEN" m_topology)" \
		"$(node_token "$NODE_ZEN" m_topology_inuse)"
}

case_plain_jobs_count_too() {
	local job

	job=$(alloc -w "$NODE_RAPTOR" -n3)
	assert_eq "in use" "$(cpu_ids "$job" "$NODE_RAPTOR")" \
		"$(inuse "$NODE_RAPTOR")"
	cancel "$job"
	wait_until 5 nothing_in_use "$NODE_RAPTOR"
}

case_foreign_content_stays() {
	local job extra='rack=12 note=old {"site":{"a":[1,2]}}'

	reconfigure
	scontrol update NodeName="$NODE_ZEN" Extra=
	! slurm_is_from 26.05 || wait_until 20 has_topology "$NODE_ZEN"
	assert_eq "in use, after it was emptied" \
		"$(node_token "$NODE_ZEN" m_topology)" \
		"$(node_token "$NODE_ZEN" m_topology_inuse)"
	assert_contains "Extra" m_topology= "$(node_extra "$NODE_ZEN")"
	scontrol update NodeName="$NODE_ZEN" Extra="$extra"
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_contains "Extra while a job runs" "$extra" \
		"$(node_extra "$NODE_ZEN")"
	assert_eq "in use" 0-5 "$(inuse "$NODE_ZEN")"
	cancel "$job"
	wait_until 5 nothing_in_use "$NODE_ZEN"
	assert_contains "Extra afterwards" "$extra" "$(node_extra "$NODE_ZEN")"
	assert_eq "tokens m_topology_inuse=" 1 \
		"$(node_extra "$NODE_ZEN" | grep -o 'm_topology_inuse=' | wc -l)"
}

# has_topology NODE - from 26.05 on a thread writes it after the first question
has_topology() {
	[ -n "$(node_token "$1" m_topology)" ]
}

# assert_inuse WHEN LIST - what the record says at once, and that it is one token
assert_inuse() {
	assert_eq "in use $1" "$2" "$(inuse "$NODE_ZEN")"
	assert_eq "tokens m_topology_inuse= $1" 1 \
		"$(node_extra "$NODE_ZEN" | grep -o 'm_topology_inuse=' | wc -l)"
}

# Each time the answer to the very next question.
case_after_each_change() {
	local job

	job=$(batch -w "$NODE_ZEN" --bunit=X --bamount=1)
	wait_until 20 runs "$job"
	assert_inuse "while it runs" 0-5
	scontrol suspend "$job"
	assert_inuse "when it is suspended" ""
	scontrol resume "$job"
	assert_inuse "when it is resumed" 0-5
	scontrol update NodeName="$NODE_ZEN" State=DRAIN Reason=test
	assert_inuse "on a node that drains" 0-5
	scontrol update NodeName="$NODE_ZEN" State=RESUME
	reconfigure
	assert_inuse "after reconfigure" 0-5
	daemon slurmctld stop
	daemon slurmctld start
	assert_inuse "after a restart" 0-5
	daemon "slurmd-$NODE_ZEN" stop
	daemon "slurmd-$NODE_ZEN" start
	assert_inuse "after slurmd's restart" 0-5
	requeue_held "$job"
	assert_inuse "when it is requeued" ""
	release_now "$job"
	wait_until 30 runs "$job"
	assert_inuse "when it runs again" 0-5
	scontrol update NodeName="$NODE_ZEN" State=DOWN Reason=test
	assert_inuse "on a node that is down" ""
	wait_until 30 brought_back "$NODE_ZEN"
}

# Not while it still cleans up after the job.
brought_back() {
	scontrol update NodeName="$1" State=RESUME 2>/dev/null || true
	[ "$(node_shows "$1" %T)" = idle ]
}

case_rubbish_in_extra() {
	local extra job

	for extra in 'm_topology=' 'm_topology=(((' 'm_topology=ZZZ m_topology_inuse' \
		'm_topology=NSXC m_topology=C m_topology_inuse==' '= = =='; do
		scontrol update NodeName="$NODE_ZEN" Extra="$extra"
		job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
		# topobind.conf has the topology of this node.
		assert_granted "$job" "$NODE_ZEN" 0-5
		cancel "$job"
	done
	assert daemon slurmctld pid
	scontrol update NodeName="$NODE_ZEN" Extra=
}

case_job_shows_its_request() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bamount=1 --btype=host --bunit=X)
	assert_contains "SystemComment" "binding=bunit=X,bamount=1,btype=host" \
		"$(scontrol show job "$job")"
	assert_contains "SystemComment" "grant=$NODE_ZEN:" \
		"$(scontrol show job "$job")"
	job=$(alloc -w "$NODE_ZEN" -n1)
	assert_eq "a plain job's SystemComment" "" \
		"$(job_field "$job" SystemComment)"
}

case_map_shows_the_job() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_contains "the map" "$job" "$(topobind map "$NODE_ZEN")"
}

case_bad_conf_is_refused_at_reconfigure() {
	local pids job line

	pids=$(daemon_pids)
	for line in Nonsense=yes Filter=ZZZ 'NodeName=other Topology=NSQ' \
		NodeRecord=perhaps "NodeName=$NODE_ZEN Topology=NSC" \
		'NodeName=other Distances=1'; do
		reconfigure_refused_with "$line"
		assert_eq "daemons after $line" "$pids" "$(daemon_pids)"
		job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
		assert_granted "$job" "$NODE_ZEN" 0-5
		cancel "$job"
	done
	reconfigure_with
}

case_bad_conf_stops_the_start() {
	local line

	for line in Nonsense=yes 'NodeName=other Topology=NSQ' Filter=ZZZ; do
		if "$cluster_program" start --prefix "$prefix" --nodes zen \
			--owner "$$" --topobind "$line" >"$work/other" 2>&1; then
			"$cluster_program" stop "$(tail -n 1 "$work/other")"
			fail "slurmctld starts with $line"
		fi
	done
}

case_site_filter() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 2-3
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 6-11
}

case_no_node_record() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-5
	assert_eq "m_topology_inuse" "" \
		"$(node_token "$NODE_ZEN" m_topology_inuse)"
}

case_switched_off() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n1 --bunit=X --bamount=1)
	assert_eq grant "" "$(granted "$job")"
	assert_eq CPUs 2 "$(job_field "$job" NumCPUs)"
}

case_topology_of_slurm() {
	local job

	# Without a topology string: Slurm's own sockets, cores and threads.
	job=$(alloc -w "$NODE_ZEN" --bunit=S --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-47
	assert_eq "letters" "CST" "$(granted_letters "$job")"
}

granted_letters() {
	comment_word "$1" grant | sed 's/.*://' |
		tr '[:lower:]' '[:upper:]' | grep -o . | sort -u | tr -d '() \n'
}

# slurmd tells the topology of a large machine itself: hwloc is made to read its
# XML.  What else is in the field stays.
case_published_by_the_node() {
	local job xml=$top/test/data/topologies/AMD-17h-Zen-2xEpyc-7451.xml

	daemon "slurmd-$NODE_ZEN" stop
	scontrol update NodeName="$NODE_ZEN" Extra="rack=12"
	HWLOC_XMLFILE=$xml HWLOC_THISSYSTEM=0 \
		daemon "slurmd-$NODE_ZEN" start
	wait_until 20 publishes "$NODE_ZEN" \
		"$(topobind topology --xml "$xml" | sed -n 1p)"
	assert_contains Extra "rack=12" "$(node_extra "$NODE_ZEN")"
	# From 26.05 on a thread writes it, a moment later.
	wait_until 20 idle_as_published "$NODE_ZEN"
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-5
	assert_contains Extra "rack=12" "$(node_extra "$NODE_ZEN")"
	assert_eq "in use" 0-5 "$(inuse "$NODE_ZEN")"
	# Slurm tells nobody of an update: the next question brings it back.
	scontrol update NodeName="$NODE_ZEN" Extra="rack=13"
	assert_question_brings_back "$NODE_ZEN" \
		"$(topobind topology --xml "$xml" | sed -n 1p)"
	assert_eq "what Extra begins with" "rack=13 " \
		"$(node_extra "$NODE_ZEN" | cut -c1-8)"
	assert_eq "in use" 0-5 "$(inuse "$NODE_ZEN")"
	# Nor do jobs see another node meanwhile.
	scontrol update NodeName="$NODE_ZEN" Extra=
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 6-11
	assert_eq "in use" 0-11 "$(inuse "$NODE_ZEN")"
}

publishes() {
	[ "$(node_token "$1" m_topology)" = "$2" ]
}

# idle_as_published NODE - what is in use has the shape that the node published
idle_as_published() {
	[ "$(node_token "$1" m_topology)" = "$(node_token "$1" m_topology_inuse)" ]
}

# assert_question_brings_back NODE STRING - from 26.05 on the first question makes a
# thread write it, so the answer to a later one has it
assert_question_brings_back() {
	if slurm_is_from 26.05; then
		wait_until 20 publishes "$@"
	else
		assert publishes "$@"
	fi
}

forget_topology() {
	sed -i '/^NodeName=/d' "$cluster/etc/topobind.conf"
	scontrol update NodeName="$NODE_ZEN" Extra=m_topology=
	reconfigure
	daemon slurmctld stop
	daemon slurmctld start
}

# --- Extra as a JSON object ----------------------------------------------------

# Of a site that keeps one there, or has to, so that jobs can ask for its members.
case_extra_is_json() {
	local extra job

	wait_until 60 publishes "$NODE_THIS" "$(topobind topology | sed -n 1p)"
	scontrol update NodeName="$NODE_ZEN" Extra='{"zone": "a", "n": [1, {}]}'
	scontrol update NodeName="$NODE_THIS" Extra='{"zone": "b"}'
	wait_until 20 has_topology "$NODE_ZEN"
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_eq "in use" 0-5 "$(inuse "$NODE_ZEN")"
	# Nothing is in lower case in the one of them.
	assert_eq "its shape" "$(node_token "$NODE_ZEN" m_topology)" \
		"$(node_token "$NODE_ZEN" m_topology_inuse |
			tr '[:lower:]' '[:upper:]')"
	restart_slurmctld
	daemon "slurmd-$NODE_ZEN" stop
	daemon "slurmd-$NODE_ZEN" start
	wait_until 60 nodes_answer
	assert_eq "in use after a restart" 0-5 "$(inuse "$NODE_ZEN")"
	assert_eq "units in use, of the tools" 1 "$(topobind nodes --json \
		"$NODE_ZEN" | jq '.nodes[0].units.X | .total - .free')"
	cancel "$job"
	wait_until 5 nothing_in_use "$NODE_ZEN"
	extra=$(node_extra "$NODE_ZEN" | jq -c '{zone, n}')
	assert_eq "the site's own" '{"zone":"a","n":[1,{}]}' "$extra"
}

# Slurm reads the members when somebody sets them, and when slurmctld starts.
case_extra_constraints() {
	local job

	scontrol update NodeName="$NODE_ZEN" Extra=
	wait_until 20 has_topology "$NODE_ZEN"
	assert_contains "Extra, after it was emptied" '{' \
		"$(node_extra "$NODE_ZEN" | cut -c1)"
	scontrol update NodeName="$NODE_ZEN" Extra='{"zone": "a"}'
	scontrol update NodeName="$NODE_THIS" Extra='{"zone": "b"}'
	for _ in set "restarted"; do
		job=$(alloc --extra zone=a -n1 --bunit=X --bamount=1)
		assert_granted "$job" "$NODE_ZEN" 0-5
		cancel "$job"
		job=$(alloc --extra zone=b -n1 --bunit=C --bamount=1)
		assert_eq "the node" "$NODE_THIS" "$(job_field "$job" NodeList)"
		cancel "$job"
		restart_slurmctld
		wait_until 60 nodes_answer
	done
	refute salloc --no-shell --extra zone=c --immediate=1 --bunit=C \
		--bamount=1
}

cluster_start --nodes zen,raptor
prefix=${TOPOBIND_ROOT:-$cluster}
test_case "the record is right from the first job on" case_after_the_first_job
test_case "plain jobs count too" case_plain_jobs_count_too
test_case "the record is right after each change" case_after_each_change
test_case "what a site keeps in Extra stays" case_foreign_content_stays
test_case "rubbish in Extra harms nothing" case_rubbish_in_extra
test_case "a job shows its request and its grant" case_job_shows_its_request
test_case "the map shows a job" case_map_shows_the_job
test_case "a wrong topobind.conf is refused at reconfigure" \
	case_bad_conf_is_refused_at_reconfigure
test_case "a wrong topobind.conf stops the start" case_bad_conf_stops_the_start
forget_topology
test_case "a node without a string has Slurm's own shape" case_topology_of_slurm
test_case "a node publishes its topology" case_published_by_the_node
cluster_stop
cluster_start --nodes zen --topobind Filter=first_core
test_case "the site's filter" case_site_filter
cluster_stop
cluster_start --nodes zen --topobind NodeRecord=no
test_case "NodeRecord=no" case_no_node_record
cluster_stop
cluster_start --nodes zen --topobind Enabled=no
test_case "Enabled=no" case_switched_off
cluster_stop
cluster_start --nodes this,zen --slurm \
	SchedulerParameters=bf_interval=1,sched_interval=2,batch_sched_delay=0,extra_constraints
test_case "Extra is a JSON object" case_extra_is_json
! slurm_is_from 23.11 ||
	test_case "jobs ask for its members" case_extra_constraints
tests_done
