#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# evaluate - contribs/evaluate measures the jobs that it says it measures, and its
# numbers, picture and sentence follow from them.  What the times are is no matter.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

evaluate=$top/contribs/evaluate

# with_module FILTER OPTION... - of evaluate.jq
with_module() {
	jq -L "$top/contribs" "${@:2}" "include \"evaluate\"; $1"
}

# has FILTER - $work/json is so
has() {
	jq -e "$1" "$work/json" >/dev/null ||
		fail "it has not: $1: $(cat "$work/json")"
}

is_valid() {
	"$top/test/json_schema" "$top/doc/schemas/evaluate.schema.json" \
		<"$work/json" || fail "not as in the schema: $(cat "$work/json")"
}

# A picture has a bar and a line for each way, of each kind and all.
is_picture() {
	assert xmllint --noout "$1"
	assert_eq "bars" 15 "$(grep -c '^<rect class=.*<title>' "$1")"
	assert_eq "lines" 15 "$(grep -c '^<path class="most"' "$1")"
}

# --- numbers ---------------------------------------------------------------------

# known [UNITS] - alone memory jobs take 4 s, others 1; beside each other without
# binding twice that, on cores those of memory 1.5 times; with units UNITS times [1]
known() {
	awk -v units="${1:-1}" 'BEGIN {
		split("memory cache compute team", kinds)
		split("none cores units", ways)
		for (k = 1; k <= 4; k++) {
			alone = kinds[k] == "memory" ? 4 : 1
			for (i = -0.5; i <= 0.5; i += 0.5)
				print "alone", 0, kinds[k], 0, alone + i, 4
			factor["none"] = 2
			factor["cores"] = kinds[k] == "memory" ? 1.5 : 1
			factor["units"] = units
			for (w = 1; w <= 3; w++)
				for (i = 1; i <= 2; i++)
					print ways[w], i, kinds[k], 100 * i,
						100 * i + factor[ways[w]] * alone, 8
		}
	}'
}

known_result() {
	known "$@" | with_module '[inputs | split(" ") | [.[0],
		(.[1] | tonumber), .[2], (.[3:][] | tonumber)]] |
		result({ time: 1, unit: "X", containers: 2, cores: 4,
			seconds: 1, runs: 2, copies: 1,
			machine: { cpu: "A<B & C", topology: "NSXCCCCXCCCC" } })' \
		-n -R >"$work/json"
}

case_numbers() {
	known_result
	is_valid
	has '.kinds | map(.kind) == ["memory", "cache", "compute", "team"]'
	has '.kinds[0].alone == { median: 4, least: 3.5, most: 4.5 }'
	has '.kinds[0].ways.none == { jobs: 2, cpus: 8, median: 8, least: 8,
		most: 8, ratio: 2, slowest: 2 }'
	has '.kinds[0].ways.cores.ratio == 1.5 and .kinds[1].ways.cores.ratio == 1'
	# Seven seconds of work on two units, the longest takes four.
	has '.mix.ideal == 4 and .mix.ways.none == { runs: 2, median: 8,
		least: 8, most: 8, ratio: 2, slowest: 2 }'
	has '.all == { none: { ratio: 2, slowest: 2 },
		cores: { ratio: 1.125, slowest: 1.5 },
		units: { ratio: 1, slowest: 1 } }'
	has '.saved > 0.111 and .saved < 0.112'
	has '.meaning | endswith("binding saves 11% of their time.")'
	known_result 1.11
	has '.meaning | endswith("binding makes no difference that counts.")'
	known_result 1.5
	has '.meaning | endswith("binding costs 33% more time.")'
}

case_table() {
	known_result
	with_module table -r <"$work/json" >"$work/table"
	assert_eq "memory" "memory 4.00 8.00 2.00 2.00 6.00 1.50 1.50 4.00 1.00 1.00" \
		"$(sed -n 's/  */ /g; /^memory/p' "$work/table")"
	assert_eq "average" "average - - 2.00 2.00 - 1.13 1.50 - 1.00 1.00" \
		"$(sed -n 's/  */ /g; /^average/p' "$work/table")"
	assert_eq "sentence" "$(jq -r .meaning "$work/json")" \
		"$(tail -n 1 "$work/table")"
	with_module picture -r <"$work/json" >"$work/svg"
	is_picture "$work/svg"
}

# --- the machine -----------------------------------------------------------------

# make_machine L3 NODES SOCKETS - eight CPUs, two of each core, in so many L3 caches,
# NUMA nodes and sockets
make_machine() {
	local sys=$work/sys/devices/system cpu i

	rm -rf "$work/sys"
	for cpu in {0..7}; do
		mkdir -p "$sys/cpu/cpu$cpu/topology" "$sys/cpu/cpu$cpu/cache/index3"
		echo 3 >"$sys/cpu/cpu$cpu/cache/index3/level"
		echo 8192K >"$sys/cpu/cpu$cpu/cache/index3/size"
		part_of "$cpu" "$1" >"$sys/cpu/cpu$cpu/cache/index3/shared_cpu_list"
		part_of "$cpu" "$3" >"$sys/cpu/cpu$cpu/topology/core_siblings_list"
		part_of "$cpu" 4 >"$sys/cpu/cpu$cpu/topology/thread_siblings_list"
	done
	for ((i = 0; i < $2; i++)); do
		mkdir -p "$sys/node/node$i"
		part_of $((8 * i / $2)) "$2" >"$sys/node/node$i/cpulist"
	done
}

# part_of CPU PARTS - the list of the CPUs of that one of so many parts where it is
part_of() {
	local size=$((8 / $2)) first

	first=$(($1 / size * size))
	echo "$first-$((first + size - 1))"
}

# As a user: where there is something to measure only root may.
ask() {
	TOPOBIND_SYS=$work/sys setpriv --reuid=nobody --regid=nogroup \
		--clear-groups "$evaluate" "$@"
}

case_nothing_to_gain() {
	chmod a+x "$cluster" "$work"
	make_machine 1 1 1
	assert_contains "sentence" "There is nothing to gain" "$(ask)"
	ask --json >"$work/json"
	is_valid
	has '.unit == null and (.meaning | startswith("There is nothing"))'
	exits 1 "does not have several" ask --unit X
}

case_unit() {
	make_machine 2 1 1
	exits 1 "of 2 X (cores: 2)" ask
	exits 1 "must run as root" ask
	exits 1 "of 4 C (cores: 1)" ask --unit C
	make_machine 2 4 2
	exits 1 "1 jobs of each kind, each as large as the smallest of 2 X" ask
	make_machine 1 4 2
	exits 1 "2 jobs of each kind, each as large as the smallest of 4 N (cores: 1)" ask
	make_machine 1 1 2
	exits 1 "of 2 S (cores: 2)" ask
	make_machine 1 1 1
	exits 1 "of 4 C" ask --anyway
}

# --- all of it -------------------------------------------------------------------

# With a core each, which every machine has.
case_whole() {
	local all one

	all=$(hwloc-calc -N pu all)
	one=$(hwloc-calc -N pu core:0)
	"$evaluate" --unit C --anyway --runs 1 --copies 1 --seconds 0.05 \
		--json --svg "$work/svg" >"$work/json"
	is_valid
	has '.unit == "C" and .runs == 1 and .copies == 1 and .cores == 1'
	has "[.kinds[].ways.none.cpus] | unique == [$all]"
	has "[.kinds[].ways[\"cores\", \"units\"].cpus] | unique == [$one]"
	has '[.kinds[].ways[].jobs] | unique == [1]'
	has '[.kinds[], .mix.ways[], .kinds[].ways[] | .alone? // . |
		select(.median)] | length == 19 and all(.[]; 0 < .least and
		.least <= .median and .median <= .most)'
	assert_eq "topology" "$(topobind topology | sed -n 1p)" \
		"$(jq -r .machine.topology "$work/json")"
	is_picture "$work/svg"
	with_module table -r <"$work/json" >"$work/table"
	assert_eq "rows" 6 "$(grep -c -E \
		'^(memory|cache|compute|team|average|the mix) ' "$work/table")"
}

# In a job of a user on a node, where all that is asked for is there: one of each core,
# and the jobs of the list once each.
case_here() {
	local here="$evaluate --here --unit C --anyway --runs 1 --copies 2 --seconds 0.05"
	local all cores

	all=$(hwloc-calc -N pu all)
	cores=$(hwloc-calc -N core all)
	chmod a+x "$cluster"
	sbatch -Q --wait -w "$NODE_THIS" --exclusive -N1 -o "$work/here" \
		--uid=nobody --wrap "TMPDIR=/tmp $here --json --svg $work/here.svg" ||
		fail "$(cat "$work/here")"
	sed -n '/^{/,$p' "$work/here" >"$work/json"
	is_valid
	has '.unit == "C" and .runs == 1 and .copies == 2'
	has '[.kinds[].ways[].jobs] | unique == [2]'
	has "[.kinds[].ways.none.cpus] | unique == [$all]"
	has "[.kinds[].ways.units.cpus] | unique == [$((all / cores))]"
	is_picture "$work/here.svg"
	# This machine has several.
	refute sbatch -Q --wait -w "$NODE_THIS" -n1 -c1 -o "$work/here" --wrap "$here"
	assert_contains "sentence" "give sbatch --exclusive" "$(cat "$work/here")"
	exits 1 "no job on one node" env -u SLURM_JOB_ID "$evaluate" --here \
		--unit C --anyway
}

case_bad_options() {
	exits 1 "give a whole number" "$evaluate" --runs 0
	exits 2 usage "$evaluate" --copies
	exits 1 "above 0" "$evaluate" --seconds never
	exits 1 "above 0" "$evaluate" --seconds 0.0
	exits 1 "give one of" "$evaluate" --unit L3
	exits 2 usage "$evaluate" 5
	# Before anything is measured.
	exits 1 "No such file" "$evaluate" --unit C --anyway \
		--svg "$work/nowhere/svg"
}

cluster_start --nodes this
test_case "numbers, and what they mean" case_numbers
test_case "the table and the picture" case_table
test_case "nothing to gain on a machine with one of each" case_nothing_to_gain
test_case "which unit jobs get" case_unit
test_case "alone, together, with and without binding" case_whole
test_case "in a job on a node of a cluster" case_here
test_case "what it refuses" case_bad_options
tests_done
