#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topobind conf: lines of real machines; what a cluster needs is in
# test/integration/conf.sh
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

topologies=$data/topologies

# number KEY - from the line for slurm.conf
number() {
	sed -n "2s/.* $1=\([0-9]*\).*/\1/p" "$work/out"
}

# The numbers belong together, and to the machine.
agrees() {
	cores=$(($(number Sockets) * $(number CoresPerSocket)))
	[ "$(number CPUs)" -eq $((cores * $(number ThreadsPerCore))) ] &&
		[ "$(number CPUs)" -eq "$threads" ]
}

while read -r file string; do
	run topology --xml "$topologies/$file" --json
	threads=$(value os_cpus | tr ',' '\n' | grep -c .)
	run conf --node x --xml "$topologies/$file"
	check "$file: exit code" ended 0
	check "$file: the string" grep -q -x "NodeName=x Topology=$string.*" \
		"$work/out"
	check "$file: the numbers" agrees
done <"$topologies/expected.tsv"

# line FILE EXPECTED - what is said for slurm.conf
line() {
	run conf --node n1 --xml "$topologies/$1"
	[ "$(sed -n 2p "$work/out")" = "NodeName=n1 $2" ]
}

check 'two sockets of 24 cores of two threads' \
	line AMD-17h-Zen-2xEpyc-7451.xml \
	'CPUs=96 Sockets=2 CoresPerSocket=24 ThreadsPerCore=2'
check 'cores of one thread and of two: threads' \
	line Intel-RaptorLake-Corei7-1370P.xml \
	'CPUs=20 Sockets=1 CoresPerSocket=20 ThreadsPerCore=1'
check 'sockets that are not alike: one' line 20s390-2g6s4c.xml \
	'CPUs=20 Sockets=1 CoresPerSocket=20 ThreadsPerCore=1'

run conf --node n1 --synthetic 'pack:2 l3:4 core:8 pu:2' --threads
check 'threads as cores: exit code' ended 0
check 'threads as cores' [ "$(sed -n 2p "$work/out")" = \
	'NodeName=n1 CPUs=128 Sockets=2 CoresPerSocket=64 ThreadsPerCore=1' ]
run conf --node n1 --synthetic 'pack:2 l3:4 core:8 pu:2' --threads --json
check 'JSON: exit code' ended 0
check 'JSON: unit' has_value thread exclusive
check 'JSON: a number' has_value 64 slurm.conf CoresPerSocket
check 'JSON: no memory is known' [ "$(value slurm.conf RealMemory)" = '' ]
run conf --node n1 --xml "$topologies/quadrant-4n4s8l3.xml"
check 'distances' grep -q ' Distances=10,20,20,30;20,10,30,20;20,30,10,20;30,20,20,10 Speed=2400$' \
	"$work/out"
run conf --node n1 --xml "$topologies/quadrant-4n4s8l3.xml" --json
check 'JSON: distances' has_value \
	'10,20,20,30;20,10,30,20;20,30,10,20;30,20,20,10' \
	topobind.conf Distances
check 'JSON: speed' has_value 2400 topobind.conf Speed

run conf
check 'this machine: exit code' ended 0
check 'this machine: its name' \
	grep -q "^NodeName=$(hostname | sed 's/\..*//') CPUs=" "$work/out"
check 'this machine: memory' [ "$(number RealMemory)" -gt 0 ]

for name in '' 'a b' 'n1 CPUs=4' "$(printf 'n1\nn2')"; do
	run conf --node "$name" --synthetic 'pu:2'
	check 'what is no name of a node' refused_for 'name of a node'
done
run conf --xml "$work/missing.xml" --node x
check 'a missing file' refused_for missing.xml
run conf --xml a --synthetic b --node x
check 'two sources' refused_for --synthetic
run conf --synthetic 'pu:2'
check 'another machine without a name' refused_for --node
run conf --check --node x
check 'a check of one node' refused_for --check
run conf --check --threads
check 'a check with threads' refused_for --check
run conf --show --node x
check 'what is in force, of one node' refused_for --show
run conf --show --check
check 'two questions' refused_for --check
run conf surplus
check 'one argument too many' refused_for surplus

report
