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
check 'JSON: a job' has_value 1235_7 jobs 1 job
check 'JSON: a grant' has_value n1 jobs 1 grants 0 nodes 0
check 'JSON: units in use' has_value ScCCCSCCCC nodes 4 inuse
cp "$work/out" "$work/map.json"
run map --from "$work/map.json"
check 'JSON draws the same' same_as "$data/maps/cluster.txt"

# --- what is not as usual, and what waits ---

cat >"$work/trouble.json" <<-'END'
	{ "nodes": [
	    { "node": "n1", "topology": "SCC", "state": "mixed", "reason": "old" },
	    { "node": "n2", "topology": "SCC", "state": "drained", "reason": "<fan>" },
	    { "node": "n3", "state": "down*" } ],
	  "jobs": [],
	  "waiting": [ { "job": "7_[1-3]", "user": "ann", "name": "cfd",
	    "request": "bunit=X,bamount=1", "waiting": "no node has 1 free X unit" } ] }
END
run map --from "$work/trouble.json"
check 'an ordinary state' grep -qx 'n1: 0 of 2 cores in use' "$work/out"
check 'a drained node' grep -qx 'n2: 0 of 2 cores in use, drained' "$work/out"
check 'a node that is down' \
	grep -qx 'n3: no topology is known, down\*' "$work/out"
check 'a job that waits' grep -qx \
	'   job 7_\[1-3\] of ann waits: no node has 1 free X unit' "$work/out"
cp "$work/out" "$work/trouble"
run map --from "$work/trouble.json" --json
check 'JSON: a state' has_value drained nodes 1 state
check 'JSON: a reason' has_value '<fan>' nodes 1 reason
check 'JSON: what waits' has_value '7_[1-3]' waiting 0 job
cp "$work/out" "$work/trouble.json"
run map --from "$work/trouble.json"
check 'JSON draws the same of them' same_as "$work/trouble"
awk 'BEGIN {
	printf "{\"nodes\":[],\"jobs\":[],\"waiting\":["
	for (i = 0; i < 12; i++)
		printf "%s{\"job\":\"%d\",\"user\":\"u\",\"name\":\"x\",\"request\":\"\",\"waiting\":\"Priority\"}", i ? "," : "", i
	printf "]}\n"
}' >"$work/waiting.json"
run map --from "$work/waiting.json"
check 'ten of those that wait' \
	[ "$(grep -c '^   job [0-9]* of u waits: Priority$' "$work/out")" -eq 10 ]
check 'how many more' grep -qx '   2 more jobs wait' "$work/out"

# --- more jobs than symbols ---

awk 'BEGIN {
	printf "{\"nodes\":[{\"node\":\"n\",\"topology\":\"S"
	for (i = 0; i < 100; i++) printf "C"
	printf "\"}],\"jobs\":["
	for (j = 0; j < 100; j++) {
		printf "%s{\"job\":\"%d\",\"user\":\"u\",\"name\":\"x\",", j ? "," : "", j
		printf "\"request\":\"bamount=1\",\"grants\":[{\"nodes\":\"n\",\"topology\":\"S"
		for (i = 0; i < 100; i++) printf i == j ? "c" : "C"
		printf "\"}]}"
	}
	printf "]}\n"
}' >"$work/many.json"
run map --from "$work/many.json"
check 'a hundred jobs' ended 0
check 'a hundred cores are in use' grep -q '^n: 100 of 100 cores' "$work/out"
check 'letters take turns' \
	[ "$(sed '/^A  0/,$d' "$work/out" | grep -v S0 | grep -o A | wc -l)" -eq 3 ]
check 'the legend has all jobs' [ "$(grep -c '^[A-Z0-9]  [0-9]' "$work/out")" -eq 100 ]

# --- a single machine ---

run topology --map --xml "$data/topologies/Intel-RaptorLake-Corei7-1370P.xml"
check 'a machine: exit code' ended 0
check 'a machine: the string first' \
	[ "$(head -n 1 "$work/out")" = NSXYCTTYCTTYCTTYCTTYCTTYCTTYEEEEYEEEE ]
check 'a machine: its cells' grep -q -F -x \
	"|.. .. .. .. .. ..+-Y6--------++-Y7--------+|" "$work/out"
check 'a machine: efficiency cores' grep -q -F -x \
	"|                 |.' .' .' .'||.' .' .' .'||" "$work/out"

# --- pictures and pages ---

is_xml() {
	xmllint --noout "$work/out" >"$work/err" 2>&1
}

# counts N PATTERN - matches in the output
counts() {
	[ "$(grep -o -e "$2" "$work/out" | wc -l)" -eq "$1" ]
}

kinds=$data/maps/manual.json
run map --from "$kinds" --svg
check 'a picture: exit code' ended 0
check 'a picture is XML' is_xml
check 'a picture: bound units' counts 8 'class="unit bound" data-thread'
check 'a picture: soft-bound units' counts 4 'class="unit soft" data-thread'
check 'a picture: plain units' counts 2 'class="unit plain" data-thread'
check 'a picture: filtered units' counts 2 'class="unit filtered" data-thread'
check 'a picture: free units' counts 16 'class="unit free" data-thread'
check 'a picture: what a unit tells' counts 1 \
	'<title>n1, core 4, thread 9: job 1235_7 (sweep) of bob, soft, 1-02:03:04 left</title>'
check 'a picture loads nothing' counts 0 'href\|@import\|url([^#]'

# U+FFFF is no character of XML, and U+0001 none of HTML.
cat >"$work/evil.json" <<-'END'
	{ "nodes": [ { "node": "<n>&\"'", "topology": "SCC" } ],
	  "jobs": [ { "job": "1", "user": "</script><b>", "request": "bamount=1",
	    "name": "<script>alert(1)</script>]]>\uffff\u0001<!-- \"'&amp;",
	    "grants": [],
	    "holds": [ { "node": "<n>&\"'", "threads": "0" } ] } ] }
END
run map --from "$work/evil.json" --svg
check 'markup in names is text in a picture' is_xml
check 'markup in names: no element' counts 0 '<script\|<b>\|<!--'
run map --from "$work/evil.json" --html
check 'a page: exit code' ended 0
check 'markup in names is no element of a page' counts 2 '</script>'
check 'a page is no other than it was' counts 0 'alert(1)</\|<b>\|<!-- [^S]'
sed -n '/application.json/,/<.script>/p' "$work/out" | sed '1d;$d' >"$work/data"
cp "$work/data" "$work/out"
check 'a page: names in its data' has_value "</script><b>" jobs 0 user
run topology --svg --xml "$data/topologies/Intel-RaptorLake-Corei7-1370P.xml"
check 'a picture of a machine' is_xml
check 'a picture of a machine: threads' counts 20 'class="unit free" data-thread'
run topology --html --synthetic "pack:2 core:2 pu:1"
check 'a page of a machine' counts 1 '(S(C(T))(C(T)))(S(C(T))(C(T)))'
run topology --map --svg --html
check 'two forms of a machine' refused_for --html

# --- lstopo ---

lstopo-no-graphics -i "numa:2 pack:1 l3:2 l2:4 core:1 pu:2" --of xml \
	>"$work/n1.xml"

# drawn - the picture that lstopo makes of the output
drawn() {
	cp "$work/out" "$work/jobs.xml"
	lstopo-no-graphics -f -i "$work/jobs.xml" --no-factorize \
		"$work/drawn.svg" && cp "$work/drawn.svg" "$work/out"
}

# in_color N RGB CLASS - so many rectangles of the class of objects
in_color() {
	[ "$(grep "<rect.*class='$3'" "$work/out" |
		grep -c "fill='rgb($2)'")" -eq "$1" ]
}

run map --from "$kinds" --lstopo --xml "$work/n1.xml"
check 'for lstopo: exit code' ended 0
check 'for lstopo: XML' is_xml
check 'lstopo draws it' drawn
check 'lstopo draws XML' is_xml
check 'lstopo: threads of a bound job' in_color 8 0,175,255 PU
check 'lstopo: its cores' in_color 4 0,175,255 Core
check 'lstopo: threads of a soft-bound job' in_color 4 255,135,0 PU
check 'lstopo: threads of a plain job' in_color 2 135,215,95 PU
check 'lstopo: free threads are as ever' in_color 18 255,255,255 PU
check 'lstopo: letters' counts 4 '>a L#'
check 'lstopo: filtered threads' counts 2 '>- L#'
check 'lstopo: jobs' counts 1 '>A: job 1234 cfd of alice<'

sed 's/"SCC"/"NSXYCYC"/' "$work/evil.json" >"$work/evil2.json"
lstopo-no-graphics -i "numa:1 pack:1 l3:1 l2:2 core:1 pu:1" --of xml \
	>"$work/two.xml"
run map --from "$work/evil2.json" --lstopo --xml "$work/two.xml"
check 'lstopo and names with markup: exit code' ended 0
check 'lstopo draws names with markup' drawn
check 'lstopo: names with markup are XML' is_xml
check 'lstopo: they are told' counts 1 'job 1 ?script?alert'
run map --from "$kinds" --lstopo
check 'lstopo: another machine' refused_for --xml
run map --from "$cluster" --lstopo --xml "$work/n1.xml"
check 'lstopo: several nodes' refused_for 'one node'
run map --from "$kinds" --xml "$work/n1.xml"
check 'a machine without lstopo' refused_for --lstopo

# --- other forms ---

run map --from "$kinds" --svg --json
check 'two forms' refused_for --json
for seconds in 0 -1 1.5 3601 2s '' 99999999999999999999; do
	run map --watch="$seconds"
	check "--watch=$seconds" refused_for 'number of seconds'
done
run map --watch --from "$kinds"
check 'watching a file' refused_for --from
run map --watch
check 'watching without a terminal' refused_for terminal

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
refuses 'node' '{"nodes":[{"node":1}],"jobs":[]}'
refuses 'column' '{"nodes":[{"node":"n","topology":"SQ"}],"jobs":[]}'
refuses 'shapes' '{"nodes":[{"node":"n","topology":"SC","inuse":"SCC"}],"jobs":[]}'
refuses 'job' '{"nodes":[],"jobs":[{}]}'
refuses 'grant' '{"nodes":[],"jobs":[{"job":"1","user":"u","name":"n","request":"","grants":[1]}]}'
refuses 'shapes' '{"nodes":[{"node":"n","topology":"SC","filtered":"SCC"}],"jobs":[]}'
refuses 'waiting' '{"nodes":[],"jobs":[],"waiting":[{"job":1}]}'
refuses 'holds' '{"nodes":[],"jobs":[{"job":"1","user":"u","name":"n","request":"","grants":[],"holds":[1]}]}'
refuses 'largest number' '{"nodes":[{"node":"n","topology":"SC"}],"jobs":[{"job":"1","user":"u","name":"n","request":"","grants":[],"holds":[{"node":"n","threads":"5"}]}]}'
refuses 'shape' '{"nodes":[{"node":"n","topology":"SC"}],"jobs":[{"job":"1","user":"u","name":"n","request":"","grants":[{"nodes":"n","topology":"SCc"}]}]}'
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
