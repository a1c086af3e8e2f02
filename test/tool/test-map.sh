#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topobind map: the drawing, from a map that is written down
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

cluster=$data/maps/cluster.json
escape=$(printf '\033')

same_as() {
	cmp -s "$1" "$work/out"
}

has_escapes() {
	grep -q "$escape" "$work/out"
}

has_no_escapes() {
	! has_escapes
}

# drawing - without headers, which have a colon, and the legend, into a file
drawing() {
	sed -e '/^\.  free/,$d' -e /:/d "$work/out" >"$work/drawing"
}

# no_wider_than COLUMNS
no_wider_than() {
	drawing
	[ -s "$work/drawing" ] && [ "$(wc -L <"$work/drawing")" -le "$1" ]
}

# cells - how often each character is a thread's, as far as labels have none such
cells() {
	drawing
	grep -o '[.#&]' "$work/drawing" | sort | uniq -c
}

run map --from "$cluster"
check 'the drawing: exit code' ended 0
check 'the drawing' same_as "$data/maps/cluster.txt"
check 'no colours in a file' has_no_escapes
check 'nothing from a job name gets to the terminal' \
	[ -z "$(LC_ALL=C tr -d '\n -~' <"$work/out")" ]
check '80 columns' no_wider_than 80
cells=$(cells)
check 'cells are counted' [ "$(cells | wc -l)" -eq 3 ]

run map --from - <"$cluster"
check 'from stdin' same_as "$data/maps/cluster.txt"

COLUMNS=40
export COLUMNS
run map --from "$cluster"
check '40 columns' no_wider_than 40
check '40 columns show the same cells' \
	[ "$(cells)" = "$cells" ]
COLUMNS=1000000
run map --from "$cluster"
check 'a very wide terminal' ended 0
COLUMNS=rubbish
run map --from "$cluster"
check 'COLUMNS that is no number' same_as "$data/maps/cluster.txt"
unset COLUMNS

run map --from "$cluster" --color=always
check 'colours' has_escapes
sed "s/$escape\[[0-9;]*m//g" "$work/out" >"$work/plain"
check 'colours change no character' \
	cmp -s "$work/plain" "$data/maps/cluster.txt"
grep -o '48;5;[0-9]*m[ABCD]' "$work/out" | sort -u >"$work/colors"
check 'a job has one colour' [ "$(wc -l <"$work/colors")" -eq 4 ]
check 'jobs have different colours' \
	[ "$(cut -d m -f 1 "$work/colors" | sort -u | wc -l)" -eq 4 ]

# on_terminal ARGUMENT... - run with a terminal as stdout
on_terminal() {
	code=0
	script -qec "$program $*" /dev/null </dev/null >"$work/out" || code=$?
}

TERM=xterm
export TERM
on_terminal map --from "$cluster"
check 'colours on a terminal' has_escapes
on_terminal map --from "$cluster" --color=never
check 'colours switched off' has_no_escapes
NO_COLOR=1
export NO_COLOR
on_terminal map --from "$cluster"
check 'NO_COLOR' has_no_escapes
on_terminal map --from "$cluster" --color=always
check 'an option wins over NO_COLOR' has_escapes
NO_COLOR=
TERM=dumb
on_terminal map --from "$cluster"
check 'a terminal without colours' has_no_escapes
unset NO_COLOR

run map --from "$cluster" --json
check 'JSON: exit code' ended 0
check 'JSON: a job' has_value 1235_7 jobs 1 id
check 'JSON: a grant' has_value 'n[1,7-9]' jobs 1 grants 0 nodes
check 'JSON: units in use' has_value ScCCCSCCCC nodes 4 inuse
cp "$work/out" "$work/map.json"
run map --from "$work/map.json"
check 'JSON draws the same' same_as "$data/maps/cluster.txt"

# --- more jobs than symbols ---

awk 'BEGIN {
	printf "{\"nodes\":[{\"name\":\"n\",\"topology\":\"S"
	for (i = 0; i < 100; i++) printf "C"
	printf "\"}],\"jobs\":["
	for (j = 0; j < 100; j++) {
		printf "%s{\"id\":\"%d\",\"user\":\"u\",\"name\":\"x\",", j ? "," : "", j
		printf "\"request\":\"bamount=1\",\"grants\":[{\"nodes\":\"n\",\"topology\":\"S"
		for (i = 0; i < 100; i++) printf i == j ? "c" : "C"
		printf "\"}]}"
	}
	printf "]}\n"
}' >"$work/many.json"
run map --from "$work/many.json"
check 'a hundred jobs' ended 0
check 'a hundred cores are in use' grep -q '^n: 100 of 100 cores' "$work/out"
check 'jobs beyond the symbols share one' \
	[ "$(sed '/^\*  36/,$d' "$work/out" | grep -o '\*' | wc -l)" -eq 64 ]

# --- a single machine ---

run topology --map --xml "$data/topologies/Intel-RaptorLake-Corei7-1370P.xml"
check 'a machine: exit code' ended 0
check 'a machine: the string first' \
	[ "$(head -n 1 "$work/out")" = NSXYCTTYCTTYCTTYCTTYCTTYCTTYEEEEYEEEE ]
check 'a machine: its cells' grep -q -F -x \
	"|.. .. .. .. .. ..+-Y6--------++-Y7--------+|" "$work/out"
check 'a machine: efficiency cores' grep -q -F -x \
	"|                 |.' .' .' .'||.' .' .' .'||" "$work/out"

# --- bad input ---

# refuses TEXT JSON - a test by itself
refuses() {
	printf '%s' "$2" >"$work/bad.json"
	run map --from "$work/bad.json"
	check "refused: $2" refused_for "$1"
}

refuses 'bad.json' ''
refuses 'bad.json' '{'
refuses 'nodes' '[]'
refuses 'jobs' '{"nodes":[]}'
refuses 'node' '{"nodes":[{"topology":"SC"}],"jobs":[]}'
refuses 'node' '{"nodes":[{"name":1}],"jobs":[]}'
refuses 'column' '{"nodes":[{"name":"n","topology":"SQ"}],"jobs":[]}'
refuses 'shapes' '{"nodes":[{"name":"n","topology":"SC","inuse":"SCC"}],"jobs":[]}'
refuses 'job' '{"nodes":[],"jobs":[{}]}'
refuses 'grant' '{"nodes":[],"jobs":[{"id":"1","user":"u","name":"n","request":"","grants":[1]}]}'
refuses 'shape' '{"nodes":[{"name":"n","topology":"SC"}],"jobs":[{"id":"1","user":"u","name":"n","request":"","grants":[{"nodes":"n","topology":"SCc"}]}]}'
rubbish >"$work/rubbish.json"
run map --from "$work/rubbish.json"
check '64 KiB of rubbish' refused
run map --from "$work/missing.json"
check 'a missing file' refused_for missing.json
run map --from "$cluster" n1
check 'a node and a file' refused_for n1
run map --color=sometimes
check 'an unknown colour' refused_for sometimes

report
