#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# distances - NUMA distances and speed travel with a node, and order its units
#
# quadrant is the example of Grid Engine's page on binding: four NUMA nodes with
# two L3 caches of two cores each; N1 is near N2 and N3, and so is N4, the
# diagonals are far.
# Threads are counted from 0: N1 has 0-3, N4 12-15.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

quadrants='10,20,20,30;20,10,30,20;20,30,10,20;30,20,20,10'
gigabytes=1024,1024,1024,1024
machines=$top/test/data/topologies

# --- how nodes come to their distances --------------------------------------

# on_line NODE TEXT - TEXT at the end of its line of topobind.conf
on_line() {
	sed -i "s/^NodeName=$1 .*/& $2/" "$cluster/etc/topobind.conf"
	reconfigure
}

# publish_from NODE XML - its slurmd starts with hwloc reading XML
publish_from() {
	daemon "slurmd-$1" stop
	HWLOC_XMLFILE=$2 HWLOC_THISSYSTEM=0 daemon "slurmd-$1" start
}

# token_is NODE TOKEN VALUE
token_is() {
	[ "$(node_token "$1" "$2")" = "$3" ]
}

shows_use() {
	[ -n "$(node_token "$1" m_topology_inuse)" ]
}

# is_taken NODE - slurmctld has what it has published
is_taken() {
	[ "$(node_token "$1" m_topology_inuse | tr '[:lower:]' '[:upper:]')" = \
		"$(node_token "$1" m_topology)" ]
}

# forget NODE - what it published: its topology is that of slurm.conf then
forget() {
	scontrol update NodeName="$1" Extra=m_topology=
	wait_until 20 shows_use "$1"
	scontrol update NodeName="$1" Extra=
	wait_until 20 shows_use "$1"
	assert token_is "$1" m_topology ''
	assert token_is "$1" m_distances ''
	assert token_is "$1" m_speed ''
	assert token_is "$1" m_memory ''
}

# publish_quad - after which the node's own word is all there is
publish_quad() {
	forget "$NODE_QUADRANT"
	publish_from "$NODE_QUADRANT" "$machines/quadrant-4n4s8l3.xml"
	wait_until 30 token_is "$NODE_QUADRANT" m_speed 2400
	assert token_is "$NODE_QUADRANT" m_distances "$quadrants"
	wait_until 20 is_taken "$NODE_QUADRANT"
}

# --- the table of Grid Engine's page ----------------------------------------

# The cores in use before: NSXccXCCNSXCCXCCNSXcCXCCNSXCCXCC
hold_table() {
	alloc -w "$NODE_QUADRANT" --bcpus=0-1,8 >/dev/null
}

# first_cores_are SORT COUNT LIST - what a job of COUNT cores is granted
first_cores_are() {
	local options=() job

	[ "$1" = - ] || options=(--bsort="$1")
	job=$(alloc -w "$NODE_QUADRANT" -n "$2" --bamount=1 "${options[@]}")
	assert_eq "the first $2 cores by $1" "$3" \
		"$(granted "$job" "$NODE_QUADRANT")"
	cancel "$job"
}

# order_is ROW... - SORT COUNT LIST each; the set grows along the order
order_is() {
	local row

	for row; do
		# shellcheck disable=SC2086 # its words
		first_cores_are $row
	done
}

case_table() {
	hold_table
	# As the string has them.
	order_is '- 2 2-3' '- 6 2-7' '- 9 2-7,9-11'
	# N2 N1 N4 N3, in them the least used caches and cores first.
	order_is 'NXC 4 4-7' 'NXC 6 2-7' 'NXC 10 2-7,12-15' \
		'NXC 11 2-7,10,12-15' 'NXC 13 2-7,9-15'
	# The same NUMA nodes, in them the most used first.
	order_is 'Nxc 4 4-7' 'Nxc 6 2-7' 'Nxc 10 2-7,12-15' \
		'Nxc 11 2-7,9,12-15'
	drain
	# N3 is the most used; N1 and N4 are near it.
	alloc -w "$NODE_QUADRANT" --bcpus=8 >/dev/null
	order_is 'n 3 9-11' 'n 7 0-3,9-11' 'n 11 0-3,9-15'
}

# Each job finds what those before it have left.
case_load_grows() {
	local job

	hold_table
	job=$(alloc -w "$NODE_QUADRANT" -n6 --bamount=1 --bsort=NXC)
	assert_granted "$job" "$NODE_QUADRANT" 2-7
	job=$(alloc -w "$NODE_QUADRANT" -n5 --bamount=1 --bsort=NXC)
	assert_granted "$job" "$NODE_QUADRANT" 10,12-15
	job=$(alloc -w "$NODE_QUADRANT" -n2 --bamount=1 --bsort=NXC)
	assert_granted "$job" "$NODE_QUADRANT" 9,11
	assert_eq "in use" 0-15 "$(inuse "$NODE_QUADRANT")"
	assert_no_contradictions
}

# N2 is free, then by load: N4, N3, N1.
case_load_alone() {
	hold_table
	order_is 'NXC 4 4-7' 'NXC 6 4-7,12-13' 'NXC 11 4-7,9-15'
}

case_configured() {
	reconfigure_with
	case_load_alone
	drain
	on_line "$NODE_QUADRANT" "Distances=$quadrants"
	case_table
}

# Other quadrants than the machine's: N1 is near N4 alone.
case_configuration_wins() {
	local other='10,30,30,20;30,10,20,30;30,20,10,30;20,30,30,10'

	assert token_is "$NODE_QUADRANT" m_distances "$quadrants"
	# A line without distances says that there are none.
	reconfigure_with
	assert token_is "$NODE_QUADRANT" m_distances ''
	case_load_alone
	drain
	on_line "$NODE_QUADRANT" "Distances=$other"
	assert token_is "$NODE_QUADRANT" m_distances "$other"
	hold_table
	order_is 'NXC 4 4-7' 'NXC 7 4-7,9-11' 'NXC 9 2-7,9-11'
}

# --- what nodes publish -----------------------------------------------------

case_published() {
	publish_quad
	assert token_is "$NODE_QUADRANT" m_topology NSXCCXCCNSXCCXCCNSXCCXCCNSXCCXCC
	assert token_is "$NODE_QUADRANT" m_speed 2400
	assert token_is "$NODE_QUADRANT" m_memory "$gigabytes"
	case_table
}

extra_is() {
	[ "$(node_extra "$NODE_QUADRANT")" = "$1" ]
}

# What the node said comes back at the next look, and meanwhile holds.
case_overwritten() {
	local site='rack=12 {"site": {"a": [1, 2]}}' string shown

	string=NSXCCXCCNSXCCXCCNSXCCXCCNSXCCXCC
	publish_quad
	shown="m_topology=$string m_distances=$quadrants m_memory=$gigabytes"
	shown+=" m_oscpus=$(node_token "$NODE_QUADRANT" m_oscpus)"
	shown+=" m_isolates=$(node_token "$NODE_QUADRANT" m_isolates)"
	shown+=" m_speed=2400 m_topology_inuse=NSXCCXCCNSXCCXCCNSXcCXCCNSXCCXCC"
	shown+=" m_memory_inuse=0000,0000,0100,0000"
	refute grep -q '= ' <<<"$shown"
	scontrol update NodeName="$NODE_QUADRANT" Extra="$site"
	case_table
	assert_eq "Extra after all that" "$site $shown" \
		"$(node_extra "$NODE_QUADRANT")"
	scontrol update NodeName="$NODE_QUADRANT" Extra=rack=13
	# At the second, where slurmctld shows nodes under a read lock.
	wait_until 20 extra_is "rack=13 $shown"
	# Until it is told otherwise.
	forget "$NODE_QUADRANT"
	publish_quad
}

case_survives_a_restart() {
	daemon slurmctld stop
	daemon slurmctld start
	assert token_is "$NODE_QUADRANT" m_distances "$quadrants"
	hold_table
	order_is 'NXC 6 2-7'
}

# variant NAME SED - quad's XML changed, and with another speed
variant() {
	sed -e 's/"FrequencyBaseMHz" value="2400"/"FrequencyBaseMHz" value="2500"/' \
		-e "$2" "$machines/quadrant-4n4s8l3.xml" >"$work/$1.xml"
	publish_quad
	publish_from "$NODE_QUADRANT" "$work/$1.xml"
	wait_until 30 token_is "$NODE_QUADRANT" m_speed 2500
}

case_none_are_published() {
	# All equally far: load is the better order.
	variant equal '/<u64values/s/20\|30/21/g'
	assert token_is "$NODE_QUADRANT" m_distances ''
	case_load_alone
	variant unknown '/<distances2/,/<\/distances2/d'
	assert token_is "$NODE_QUADRANT" m_distances ''
	# No base frequency: the maximum.
	publish_quad
	sed '/FrequencyBaseMHz/d' "$machines/quadrant-4n4s8l3.xml" \
		>"$work/maximum.xml"
	publish_from "$NODE_QUADRANT" "$work/maximum.xml"
	wait_until 30 token_is "$NODE_QUADRANT" m_speed 3500
}

# Whatever stands there, jobs start and are placed by load.
case_rubbish() {
	local pids token string=NSXCCXCCNSXCCXCCNSXCCXCCNSXCCXCC

	pids=$(daemon_pids)
	hold_table
	for token in m_distances= m_distances=10 m_distances="$quadrants;" \
		m_distances="${quadrants/10/-1}" m_distances="${quadrants/30/65536}" \
		m_distances="${quadrants//;/,}" m_distances=10,21\;21,10 \
		"m_distances=$(head -c 60000 /dev/zero | tr '\0' 9)" \
		"m_distances=x m_distances=$quadrants" \
		"m_Distances=$quadrants" "m_distances $quadrants"; do
		scontrol update NodeName="$NODE_QUADRANT" \
			Extra="m_topology=$string $token"
		first_cores_are NXC 6 4-7,12-13
	done
	assert_eq daemons "$pids" "$(daemon_pids)"
	scontrol update NodeName="$NODE_QUADRANT" \
		Extra="m_distances=$quadrants m_topology=$string"
	first_cores_are NXC 6 2-7
}

# An IBM Power 780 with 8 NUMA nodes of 8 cores: pairs of them are near.
case_real_machine() {
	local job

	publish_from "$NODE_POWER" "$machines/256ppc-8n8s4t.xml"
	wait_until 30 token_is "$NODE_POWER" m_distances "$(
		topobind topology --json --xml "$machines/256ppc-8n8s4t.xml" |
			tr -d ' \n' | grep -o '"distances":\[[0-9,]*\]' |
			sed 's/.*\[//; s/\]//' | paste -sd ';')"
	# N5 is free, of its neighbour N4 half, of the others all but a core.
	alloc -w "$NODE_POWER" --bcpus=0,32,64,96,128-143,192,224 >/dev/null
	job=$(alloc -w "$NODE_POWER" -n11 --bamount=1 --bsort=N)
	assert_granted "$job" "$NODE_POWER" 144-155,160-191
	cancel "$job"
	# Then the far ones, as the string has them.
	job=$(alloc -w "$NODE_POWER" -n20 --bamount=1 --bsort=N)
	assert_granted "$job" "$NODE_POWER" 4-31,36-39,144-191
}

cluster_start --nodes quadrant,power
test_case "topobind.conf: the table of quadrants" case_configured
test_case "topobind.conf: as load grows" case_load_grows
sed -i '/^NodeName=/d' "$cluster/etc/topobind.conf"
reconfigure
test_case "published: the table of quadrants" case_published
test_case "published: as load grows" case_load_grows
test_case "published: Extra is overwritten" case_overwritten
test_case "published: after a restart of slurmctld" case_survives_a_restart
test_case "published: a real machine" case_real_machine
test_case "published: nothing to tell" case_none_are_published
test_case "wrong tokens in Extra harm nothing" case_rubbish
publish_quad
test_case "topobind.conf wins" case_configuration_wins
tests_done
