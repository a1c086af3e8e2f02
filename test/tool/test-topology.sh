#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topobind topology: strings of real machines, summary, JSON
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

topologies=$data/topologies

while read -r file string; do
	run topology --xml "$topologies/$file"
	check "$file: exit code" ended 0
	check "$file: the string" [ "$(head -n 1 "$work/out")" = "$string" ]
done <"$topologies/expected.tsv"

run topology
check 'this machine: exit code' ended 0
head -n 1 "$work/out" >"$work/string"
run place --topology "$(cat "$work/string")" --bunit T --bamount 1
check 'this machine: the string is a topology' ended 0
run topology --json
check 'this machine: JSON' [ "$(value topology)" = "$(cat "$work/string")" ]

run topology --synthetic 'pack:2 l3:4 core:8 pu:2'
check 'synthetic: exit code' ended 0
check 'synthetic: sockets' grep -q -E '^S sockets +2$' "$work/out"
check 'synthetic: L3 caches' grep -q -E '^X L3 caches +8$' "$work/out"
check 'synthetic: cores' grep -q -E '^C power cores +64$' "$work/out"
check 'synthetic: threads' grep -q -E '^T threads +128$' "$work/out"
check 'synthetic: OS CPUs of a socket' grep -q -E '^ +S1 +64-127$' "$work/out"

run topology --xml "$topologies/fakeheterocpunuma.xml"
check 'NUMA nodes: OS number, memory, distances' \
	grep -q -E '^ +N1 +0 +0,2 +30 +10 +20 +40$' "$work/out"

run topology --xml "$topologies/memorysidecaches.xml" --json
check 'JSON: exit code' ended 0
check 'JSON: counts' has_value 4 counts N
check 'JSON: OS CPUs by thread' has_value 2 os_cpus 20
check 'JSON: OS number of a NUMA node' has_value 2 numa_nodes 1 os_node
check 'JSON: distances' has_value '[11,10,21,21]' numa_nodes 1 distances
check 'JSON: memory' has_value 0-3 memory_nodes
check 'JSON: main memory' has_value 0-3 memory main

run topology --xml "$topologies/quadrant-4n4s8l3.xml"
check 'speed' grep -q -x 'Fastest CPUs: 2400 MHz' "$work/out"
run topology --xml "$topologies/quadrant-4n4s8l3.xml" --json
check 'JSON: speed' has_value 2400 speed
run topology --xml "$topologies/Intel-RaptorLake-Corei7-1370P.xml"
check 'no speed' [ "$(grep -c MHz "$work/out")" = 0 ]

run topology --xml "$work/missing.xml"
check 'a missing file' refused_for missing.xml
rubbish >"$work/rubbish.xml"
run topology --xml "$work/rubbish.xml"
check '64 KiB of rubbish as XML' refused_for rubbish.xml
head -c 1200 "$topologies/2arm-2c.xml" >"$work/half.xml"
# hwloc 2.9 itself leaks what it had read.
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS
run topology --xml "$work/half.xml"
check 'half an XML file' refused_for half.xml
unset ASAN_OPTIONS
run topology --synthetic 'pack:x'
check 'a bad description' refused_for pack:x
run topology --synthetic "$(cat "$work/rubbish.xml")"
check '64 KiB of rubbish as description' refused
run topology --xml a --synthetic b
check 'two sources' refused_for --synthetic
run topology --json --map
check 'two forms of output' refused_for --map
run topology --color=red
check 'an unknown colour' refused_for red
run topology surplus
check 'one argument too many' refused_for surplus

report
