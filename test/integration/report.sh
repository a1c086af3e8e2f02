#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# report - topobind report tells of jobs whose cores are known what must be so: on a
# cluster without topobind, where nobody knows the topologies, and on one with it
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/two_clusters.bash
. "$test_dir/two_clusters.bash"
# shellcheck source=test/integration/page.bash
. "$test_dir/page.bash"

schemas=$top/doc/schemas
# Two sockets with a NUMA node and two L3 caches of four cores each.
shape=NSXCCCCXCCCCNSXCCCCXCCCC

# node NAME - on the cluster in turn
node() {
	echo "$1$(sed -n 's/^ClusterName=topobind//p' "$SLURM_CONF")"
}

# report OPTION... - as JSON, into $work/json; it is what its schema says
report() {
	topobind report --json "$@" >"$work/json" 2>"$work/err" ||
		fail "topobind report $*: $(cat "$work/err")"
	"$top/test/json_schema" "$schemas/report.schema.json" <"$work/json" ||
		fail "not what the schema says: $(cat "$work/json")"
}

# tells WANTED FILTER - of the last report
tells() {
	assert_eq "$2" "$1" "$(jq -c "$2" "$work/json")"
}

# of_job WANTED JOB [NODE] - "touched/fewest shared strangers locality" of X, N and S
of_job() {
	tells "$1" ".jobs[] | select(.job == \"$2\") |
		${3:+.nodes[] | select(.node == \"$3\") |} .units |
		[.X, .N, .S] | map(\"\\(.touched)/\\(.fewest) \\(.shared) \\(
		.strangers) \\(.locality * 1000 | round)\") | join(\", \")"
}

# --- without topobind -----------------------------------------------------------------

case_has_no_plugins() {
	refute grep -qi topobind <(scontrol show config | grep Type)
	refute grep -q m_topology <(scontrol show node)
}

# Two cores, one in each socket; then all others of the node.
case_one_node() {
	local spread rest given

	given=$(node alpha)=$shape
	spread=$(alloc -w "$(node alpha)" -n2 --ntasks-per-socket=1)
	report --topology "$given"
	of_job '"2/1 0 0 500, 2/1 0 0 500, 2/1 0 0 500"' "$spread"
	tells '[1,1,0.5]' '[.totals.scored, .totals.units.X.spanning,
		.totals.units.X.locality]'
	tells "\"$spread\"" .totals.units.S.worst.job
	# Two caches, two NUMA nodes, two sockets, and the node.
	tells '[7,9]' ".nodes[] | select(.node == \"$(node alpha)\") |
		[.broken, .containers]"
	rest=$(alloc -w "$(node alpha)" -n14)
	report --topology "$given"
	of_job '"2/1 2 1 500, 2/1 2 1 500, 2/1 2 1 500"' "$spread"
	of_job '"4/4 2 1 1000, 2/2 2 1 1000, 2/2 2 1 1000"' "$rest"
	tells '[2,1,2,0.75,6,5]' '.totals | [.scored] + (.units.X |
		[.spanning, .sharing, .locality, .touched, .fewest])'
	tells '[0]' "[.nodes[] | select(.node == \"$(node alpha)\") | .broken]"
	topobind report --topology "$given" >"$work/told"
	assert grep -q "^50% of jobs span more L3 caches than they need; 100% share one with strangers; worst: job $spread of " \
		<(tr '\n' ' ' <"$work/told" | sed 's/^[^%]* \(50%\)/\1/')
	[ "$(wc -l <"$work/told")" -le 24 ]
}

# A job on two nodes, a core in each socket of both.
case_two_nodes() {
	local job other

	job=$(alloc -w "$(node alpha),$(node beta)" -N2 -n4 \
		--ntasks-per-socket=1 --ntasks-per-node=2)
	other=$(alloc -w "$(node beta)" -n12)
	report --topology "$(node alpha),$(node beta)=$shape"
	of_job '"2/1 0 0 500, 2/1 0 0 500, 2/1 0 0 500"' "$job" "$(node alpha)"
	of_job '"2/1 2 1 500, 2/1 2 1 500, 2/1 2 1 500"' "$job" "$(node beta)"
	of_job '"4/2 2 1 500, 4/2 2 1 500, 4/2 2 1 500"' "$job"
	tells 4 ".jobs[] | select(.job == \"$job\") | .cores"
	# Which cores it has left decides how many caches those touch.
	tells 2 "[.jobs[] | select(.job == \"$other\")][0].units.S.touched"
	# One node of the two is unknown: no score.
	report --topology "$(node alpha)=$shape"
	tells '[false,1]' ".jobs[] | select(.job == \"$job\") |
		[.scored, (.nodes | length)]"
	tells '[2,0,2]' '.totals | [.jobs, .scored, .units.X.worst // 2]'
}

# The system's core is nobody's: a node of which jobs have the rest is not broken.
case_system_cores() {
	alloc -w "$(node beta)" -n15 >/dev/null
	report --topology "$(node beta)=$shape"
	tells '[0,9]' ".nodes[] | select(.node == \"$(node beta)\") |
		[.broken, .containers]"
	tells '[1,0]' '.totals | [.scored, .units.X.spanning]'
}

# This machine's is known to hwloc; the other nodes' nobody knows.
case_this_machine() {
	local job lost

	job=$(alloc -w "$(node this)" -n1)
	lost=$(alloc -w "$(node alpha)" -n1)
	report
	tells "\"$(topobind topology | head -n 1 | tr CTEYXSN cteyxsn)\"" \
		".nodes[] | select(.node == \"$(node this)\") | .topology |
		ascii_downcase"
	tells '[true,1]' ".jobs[] | select(.job == \"$job\") |
		[.scored, .units.X.touched]"
	tells false ".jobs[] | select(.job == \"$lost\") | .scored"
	tells '[2,1,3,1]' '.totals | [.jobs, .scored, .nodes, .known_nodes]'
	tells "[\"$(node alpha)\",\"$(node beta)\"]" \
		'[.nodes[] | select(.topology == null) | .node]'
	topobind report >"$work/told"
	assert grep -qF "2 nodes have no known topology: $(node alpha),$(node beta)." \
		"$work/told"
	assert grep -q '^1 job has no score' "$work/told"
}

case_files() {
	local file=$top/test/data/topologies/2arm-2c.xml

	alloc -w "$(node alpha)" -n2 --ntasks-per-socket=1 >/dev/null
	# It has another number of cores, and is not the node's.
	topobind report --topology "$(node alpha),$(node beta)=$file" \
		>"$work/told" 2>"$work/err"
	assert_eq warning "topobind report: $(node alpha),$(node beta): the topology has 2 cores and 2 threads, Slurm's node 16 cores" \
		"$(cat "$work/err")"
	report --topology "$(node alpha)=$file"
	tells 0 .totals.scored
	lstopo-no-graphics -i 'pack:2 numa:1 l3:2 core:4 pu:1' \
		--of xml "$work/alpha.xml"
	report --topology "$(node alpha)=$work/alpha.xml"
	tells '[1,0.5]' '.totals | [.scored, .units.X.locality]'
	# The last one counts.
	report --topology "$(node alpha)=$work/alpha.xml" \
		--topology "$(node alpha)=NSXCCCCCCCCXCCCCCCCC"
	tells '[500,1000]' '.totals.units | [.X, .S] |
		map(.locality * 1000 | round)'
}

# A user sees what an administrator does, and changes nothing.
case_users() {
	alloc -w "$(node alpha)" -n2 --ntasks-per-socket=1 >/dev/null
	scontrol -d show job >"$work/before"
	scontrol show node >>"$work/before"
	report --topology "$(node alpha)=$shape"
	setpriv --reuid=nobody --regid=nogroup --clear-groups "$(command -v topobind)" report --json \
		--topology "$(node alpha)=$shape" >"$work/of_user"
	assert_eq totals "$(jq -c .totals "$work/json")" \
		"$(jq -c .totals "$work/of_user")"
}

case_bad_input() {
	exits 2 'has no "="' topobind report --topology NSXCC
	exits 2 'Slurm knows no node "nowhere"' \
		topobind report --topology "nowhere=$shape"
	exits 2 'not a list of nodes' topobind report --topology "=$shape"
	exits 2 "column 3: unexpected 'Q'" topobind report --topology "$(node alpha)=NSQC"
	exits 2 nowhere.xml topobind report --topology "$(node alpha)=nowhere.xml"
	exits 2 '--every goes with --to' topobind report --every 1
	exits 2 '--for goes with --every' topobind report --for 1d --to x
	exits 2 'no duration' topobind report --every 1w --to x
	exits 2 'no duration' topobind report --every 0 --to x
	exits 2 'no duration' topobind report --every 9999999999d --to x
	exits 2 'goes with --json only' topobind report --from x -N
	exits 2 'leave out --json' topobind report --to x --json
	exits 2 'cannot be read' topobind report --from "$work/nothing"
	: >"$work/empty"
	exits 2 'has no line' topobind report --from "$work/empty"
	ln -s "$work/other" "$work/link"
	exits 2 'symbolic link' topobind report --to "$work/link"
	refute [ -e "$work/other" ]
}

# --- over time ------------------------------------------------------------------------

case_series() {
	local file=$work/series line job given

	given=$(node alpha)=$shape
	topobind report --topology "$given" --to "$file"
	job=$(alloc -w "$(node alpha)" -n2 --ntasks-per-socket=1)
	topobind report --topology "$given" --to "$file" --every 1 --for 2s
	assert_eq lines 3 "$(wc -l <"$file")"
	while read -r line; do
		"$top/test/json_schema" "$schemas/report.schema.json" <<<"$line" ||
			fail "not what the schema says: $line"
	done <"$file"
	printf '{"version": 1, "ti' >>"$file"
	topobind report --topology "$given" --to "$file"
	assert_eq lines 5 "$(wc -l <"$file")"
	topobind report --from "$file" --json >"$work/json"
	"$top/test/json_schema" "$schemas/report-summary.schema.json" \
		<"$work/json" || fail "not what the schema says: $(cat "$work/json")"
	tells '[4,1,3,3]' '[.looks, .skipped, .totals.jobs, .totals.scored]'
	tells '[3,0,6,3,0.5,0.5]' '.totals.units.X | [.spanning, .sharing,
		.touched, .fewest, .locality, .lowest.locality]'
	tells "\"$job\"" .totals.units.X.worst.job
	# Of three looks; what this machine has is whole.
	tells 21 .totals.broken
	exits 0 '100% of jobs span more L3 caches than they need; 0% share' \
		topobind report --from "$file"
	exits 0 ' of containers were broken' topobind report --from "$file"
	exits 0 '1 line is no look' topobind report --from "$file"
	hostile_lines "$file" >"$work/hostile"
	cat "$work/hostile" >>"$file"
	topobind report --from "$file" --json >"$work/json"
	"$top/test/json_schema" "$schemas/report-summary.schema.json" \
		<"$work/json" || fail "not what the schema says: $(cat "$work/json")"
	tells '[4,6]' '[.looks, .skipped]'
}

# hostile_lines FILE - what nobody has measured
hostile_lines() {
	local line

	line=$(sed -n 2p "$1")
	jq -c '.totals.jobs = 4611686018427387904' <<<"$line"
	jq -c 'del(.totals.units.X.worst.shared)' <<<"$line"
	jq -c '.time = -1' <<<"$line"
	head -c 200 /dev/zero
	echo
	head -c 100000 /dev/zero | tr '\0' '['
	echo
}

# --- with topobind --------------------------------------------------------------------

# Nodes show their topologies; jobs have the cores that they ask for.
case_bound() {
	local one two three

	one=$(alloc -w "$(node alpha)" --bcpus=0,4)
	two=$(alloc -w "$(node alpha)" --bcpus=1,8-9)
	three=$(alloc -w "$(node alpha)" --bunit=X --bamount=1)
	report
	of_job '"2/1 1 1 500, 1/1 1 1 1000, 1/1 1 1 1000"' "$one"
	of_job '"2/1 1 1 667, 2/1 2 2 667, 2/1 2 2 667"' "$two"
	of_job '"1/1 0 0 1000, 1/1 1 1 1000, 1/1 1 1 1000"' "$three"
	tells '[3,2,2,5,3]' '.totals | [.scored] + (.units.X |
		[.spanning, .sharing, .touched, .fewest])'
	tells "[\"$one\",\"$two\"]" '.totals.units | [.X.worst.job, .S.worst.job]'
	tells '[3,3]' '.totals | [.nodes, .known_nodes]'
	# As many as topobind nodes counts by kind, and the node.
	tells "$(topobind nodes --json "$(node alpha)" |
		jq '1 + ([.nodes[0].units | to_entries[] |
			select(.key | test("^[NSXY]$")) | .value.broken] | add)')" \
		".nodes[] | select(.node == \"$(node alpha)\") | .broken"
	assert_eq table "$one 2/1 $two 2/1 $three 1/1" \
		"$(topobind report -h -S jobid -O jobid,X | xargs)"
	assert_eq rows "$two $(node alpha) 3 0.667" \
		"$(topobind report -N -h -S -Nstrangers,jobid \
			-O jobid,node,cores,Nlocality | sed 1q | xargs)"
	assert_example "$one" "$two" "$three"
}

# assert_example JOB JOB JOB - what topobind-report(1) shows of these is what is printed;
# lines may be broken elsewhere, and other nodes have other numbers of containers
assert_example() {
	page_example report >"$work/example"
	(set +e && replay "$work/example") |
		sed -E -e "s/\\b$(node alpha)\\b/n1/; s/\\broot\\b/alice/" \
			-e "s/(^|job )$1 /\\117 /; s/(^|job )$2 /\\118 /; s/^$3 +alice/19 alice/" |
		in_one_line >"$work/seen"
	in_one_line <"$work/example" | diff - "$work/seen"
}

in_one_line() {
	tr '\n' ' ' | tr -s ' ' | sed -E 's/ of [0-9]+ containers/ of N containers/g'
}

# What an administrator has suspended holds no cores.
case_suspended() {
	local job

	job=$(alloc -w "$(node alpha)" --bcpus=0,4)
	report
	tells '[1,5]' '.totals | [.jobs, .broken]'
	scontrol suspend "$job"
	report
	tells '[0,0]' '.totals | [.jobs, .broken]'
	scontrol resume "$job"
}

start_both --nodes this --machine "alpha $shape 2 8 1" \
	--machine "beta $shape 2 8 1" --node "beta CoreSpecCount=1"
for name in has_no_plugins one_node two_nodes system_cores this_machine files users \
	bad_input series; do
	test_case "without topobind: ${name//_/ }" on "$plain" "case_$name"
done
for name in bound suspended; do
	test_case "with topobind: ${name//_/ }" "case_$name"
done
tests_done
