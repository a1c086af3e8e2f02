#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# json - what --json prints is what the schemas in doc/schemas/ say, for each command
# and for every shape that its answer has; and what slurmrestd says of a grant
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/rest.bash
. "$(dirname "$0")/rest.bash"

schemas=$top/doc/schemas

# valid SCHEMA COMMAND... - what topobind prints with --json is; keeps it
valid() {
	local schema=$1

	shift
	topobind "$@" --json >"$work/json" 2>"$work/err" || true
	[ -s "$work/json" ] || fail "no JSON of $*: $(cat "$work/err")"
	"$top/test/json_schema" "$schemas/$schema.schema.json" <"$work/json" ||
		fail "$* is not what $schema.schema.json says: $(cat "$work/json")"
	echo "$schema" >>"$work/used"
}

# has FILTER - and it is of this shape
has() {
	jq -e "$1" "$work/json" >/dev/null ||
		fail "it has not: $1: $(cat "$work/json")"
}

case_offline() {
	local numa=$top/test/data/topologies/quadrant-4n4s8l3.xml

	valid topology topology
	valid topology topology --xml "$numa"
	has '.numa_nodes | length == 4'
	valid topology topology --xml "$top/test/data/topologies/memorysidecaches.xml"
	valid place place --topology NSXCCCCXCCCC --bunit X --slots 2
	has '.slots == 2 and .reason == null'
	valid place place --topology NSXCCCCXCCCC --bunit X --why
	has '.why.containers | length > 0'
	valid place place --topology NSXCCCCXCCCC --bunit X --bamount 3
	has '.granted == null and .reason'
	valid place place --topology NSXCCCCXCCCC --bunit 'X:3|N:1'
	has '.alternative == "N:1"'
	valid conf conf --node n1 --xml "$numa"
	valid conf conf --node n1 --synthetic 'pack:2 l3:4 core:8 pu:2' --threads
	valid options options
	valid options options bunit
	has '.options | length == 1'
}

case_map() {
	alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 >/dev/null
	alloc -w "$NODE_ZEN" -n3 -t 5 >/dev/null
	valid map map
	has '[.jobs[].kind] == ["bound", "plain"] and .jobs[1].end'
	has ".jobs[0].grants[0].nodes == [\"$NODE_ZEN\"]"
	cp "$work/json" "$work/map.json"
	valid map map --from "$work/map.json"
	assert cmp "$work/json" "$work/map.json"
	valid map map --from "$top/test/data/maps/cluster.json"
	drain
}

case_policy() {
	valid policy policy
	has '.policy == "DEFAULT" and .nodes[0].components.PRIORITY == 0'
	reconfigure_with NodeAllocationPolicy=PRIORITY PriorityFunction=RANDOM
	valid policy policy
	has '.nodes[0].worth == null'
	reconfigure_with
}

case_nodes() {
	alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 >/dev/null
	valid nodes nodes
	has "[.nodes[].node] | index(\"$NODE_ZEN\")"
	has "[.nodes[] | select(.jobs | length > 0)] | length == 1"
	drain
}

case_reserve() {
	valid reserve reserve --user=root --bunit=X --bamount=1 -n 2 \
		--start=now+1hour --duration=5 -w "$NODE_ZEN" --name=json
	has '.reservations[0] | .name == "json" and .slots == 2 and .end - .start == 300'
	valid reserve reserve
	has ".reservations[0].nodes[0].node == \"$NODE_ZEN\""
	valid nodes nodes "$NODE_ZEN"
	has '.nodes[0].reserved'
	valid map map "$NODE_ZEN"
	has '.nodes[0].reserved'
	cp "$work/json" "$work/map.json"
	valid map map --from "$work/map.json"
	assert cmp "$work/json" "$work/map.json"
	topobind reserve --delete json
}

case_job() {
	local holder job array

	holder=$(alloc -w "$NODE_ZEN" -n2 --bunit=S --bamount=1)
	valid job job "$holder"
	has '.jobs[0].tasks | length == 2'
	valid job job "$(alloc -w "$NODE_TWIN" -n2)"
	has '.jobs[0].request == null and .jobs[0].nodes[0].threads'
	job=$(batch -w "$NODE_ZEN" -n2 --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$job"
	valid job job "$job"
	has '.jobs[0].waiting'
	array=$(batch -w "$NODE_ZEN" -a 0-3 --bunit=S --bamount=2)
	wait_until 20 was_passed_over "$array"
	valid job job "$array"
	has ".jobs[0].job == \"${array}_[0-3]\""
	valid job job
	has '.jobs | length == 2'
	job=$(alloc -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	valid job job --usage --node "$NODE_THIS" "$job"
	has '.jobs[0].nodes[0].usage | .unit == "C" and (.units | length == 1)'
	drain
}

case_report() {
	alloc -w "$NODE_ZEN" --bcpus=0-1,6-7 >/dev/null
	valid report report
	has '.totals.units.X.worst.touched == 2 and .jobs[0].nodes[0].units.X'
	topobind report --to "$work/looks"
	topobind report --to "$work/looks"
	valid report-summary report --from "$work/looks"
	has '.looks == 2 and .totals.units.X.worst.time'
	drain
}

case_whatif() {
	printf '1 0 0 30 %d -1 -1 %d 40 -1\n' 1 1 2 2 >"$work/past"
	valid whatif whatif --topology n1=NSXCCXCC --history "$work/past"
	has '.configurations | length == 2 and .[0].spanning == 1'
}

# A machine without units has nothing to gain; evaluate.sh has the rest.
case_evaluate() {
	mkdir "$work/no_machine"
	TOPOBIND_SYS=$work/no_machine "$top/contribs/evaluate" --json \
		>"$work/json"
	assert "$top/test/json_schema" "$schemas/evaluate.schema.json" \
		<"$work/json"
	has '.unit == null and .meaning'
	echo evaluate >>"$work/used"
}

case_explain() {
	local holder job plain

	holder=$(alloc -w "$NODE_ZEN" -n2 --bunit=S --bamount=1 -t 9)
	valid explain explain "$holder"
	has '.jobs[0].grants | length == 1'
	plain=$(alloc -w "$NODE_TWIN" -n2)
	valid explain explain "$plain"
	has '.jobs[0].state == "PLAIN"'
	job=$(batch -w "$NODE_ZEN" -n2 --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$job"
	valid explain explain "$job"
	has ".jobs[0].must_end[0].job == \"$holder\""
	valid explain explain
	has '.jobs | length == 1'
	cancel "$plain"
	cancel "$job"
	job=$(batch -w "$NODE_ZEN" -n2 --bunit='S:1|N:2')
	wait_until 20 was_passed_over "$job"
	valid explain explain "$job"
	has '[.jobs[0].alternatives[].alternative] == ["S:1", "N:2"]'
	cancel "$job"
	valid explain explain
	has '.jobs == []'
	drain
}

case_plan() {
	alloc -w "$NODE_ZEN" -n2 --bunit=S --bamount=1 -t 9 >/dev/null
	valid plan plan -N1 -n2 --bunit=X --bamount=1
	has '.answer == "now" and .units[0].tasks == 2'
	valid plan plan -N1
	has '.units == []'
	valid plan plan -w "$NODE_ZEN" --bunit=S --bamount=1 --begin=now
	has '.answer == "later" and .table and .not_heeded == ["begin"]'
	valid plan plan -w "$NODE_ZEN" -n2 --bunit='S:1|N:2'
	has '.answer == "later" and (.alternatives | length == 2)'
	valid plan plan -w "$NODE_TWIN" -n2 --bunit='S:2|X:1'
	has '.answer == "now" and .alternative == "X:1"'
	valid plan plan -N1 --bunit=X --bamount=99
	has '.answer == "never" and .reason'
	valid plan plan -N1 -p nowhere
	drain
}

case_conf() {
	# From 25.05 on Slurm does not tell: there is nothing to be shown, see site.
	if slurm_is_from 25.05; then
		refute topobind conf --show --json
		echo conf-show >>"$work/used"
	else
		valid conf-show conf --show
	fi
	valid conf-tres conf --tres
	valid conf-check conf --check
	has '.findings == []'
	sed -i s/ConstrainCores=yes/ConstrainCores=no/ "$cluster/etc/cgroup.conf"
	valid conf-check conf --check
	has '.findings[0].where == "cgroup.conf"'
	sed -i s/ConstrainCores=no/ConstrainCores=yes/ "$cluster/etc/cgroup.conf"
}

# All that a report needs, and nothing that it must not have.
case_bundle() {
	local key word

	batch -w "$NODE_THIS" -N1 -J secret_name --bunit=C --bamount=1 >/dev/null
	valid conf-bundle conf --bundle
	has '.slurmctld and .findings == []'
	for key in SelectType TaskPlugin ProctrackType SelectTypeParameters; do
		assert_eq "$key" "$(scontrol show config |
			sed -n "s/^$key *= //p")" \
			"$(jq -r ".slurm_conf.$key" "$work/json")"
	done
	assert_eq "kernel" "$(uname -r)" "$(jq -r .host.kernel "$work/json")"
	assert_eq "topobind" "$(topobind --version | sed 's/.* //')" \
		"$(jq -r .topobind "$work/json")"
	assert_eq "nodes" "$(sinfo -h -N -o %N | sort -u)" \
		"$(jq -r '.nodes[].nodes[]' "$work/json" | sort)"
	assert_eq "a topology" "$(scontrol show node "$NODE_THIS" |
		grep -o 'm_topology=[^ ]*' | cut -d= -f2)" \
		"$(jq -r --arg node "$NODE_THIS" '.nodes[] |
			select(.nodes | index($node)).topology' "$work/json")"
	# Files of this cluster, its sockets of munge among them; its jobs; a host.
	jq 'del(.nodes, .partitions)' "$work/json" |
		sed "s,$cluster/etc/topobind.conf,,g" >"$work/bundle"
	for word in "$cluster" secret_name munge 127.0.0.1 "$(hostname -s)"; do
		refute grep -qF "$word" "$work/bundle"
	done
	exits 2 "no option but --json" topobind conf --bundle --check
	drain
}

case_soft() {
	batch -w "$NODE_THIS" -N1 --bunit=C --bamount=1 --bmode=soft >/dev/null
	wait_until 30 has_soft_step
	valid soft soft --node "$NODE_THIS" status
	has '.on and .steps[0].step'
	valid soft soft --node "$NODE_THIS" --tasks status
	has '.steps[0].each_task[0].preferred_cpus'
	drain
}

has_soft_step() {
	[ "$(topobind soft --node "$NODE_THIS" --json status |
		jq '.steps | length')" -gt 0 ]
}

# --- slurmrestd --------------------------------------------------------------------

case_rest() {
	local job comment

	rest_start
	job=$(alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=1)
	comment=$(rest "job/$job" | jq -r '.jobs[].system_comment')
	assert_eq "system_comment" "$(scontrol show job "$job" |
		sed -n 's/^ *SystemComment=\(.*[^ ]\) *$/\1/p')" "$comment"
	assert_contains "grant" " grant=$NODE_ZEN:" "$comment"
	assert_eq "threads" "$(granted "$job" "$NODE_ZEN")" \
		"$(lower_threads "${comment##* grant="$NODE_ZEN":}")"
	assert_contains "extra" m_topology_inuse= \
		"$(rest "node/$NODE_ZEN" | jq -r '.nodes[].extra')"
	rest_stop
	drain
}

# --- the schemas ---------------------------------------------------------------------

# The schemas see what is wrong.
case_wrong() {
	valid options options bunit
	refute "$top/test/json_schema" "$schemas/options.schema.json" \
		< <(jq '.options[0].id = 1' "$work/json")
	refute "$top/test/json_schema" "$schemas/options.schema.json" \
		< <(jq '.version = 2' "$work/json")
	refute "$top/test/json_schema" "$schemas/options.schema.json" \
		< <(jq 'del(.options[0].name)' "$work/json")
}

case_every_schema() {
	local file

	for file in "$schemas"/*.schema.json; do
		file=${file##*/}
		assert grep -qx "${file%.schema.json}" "$work/used"
	done
}

cluster_start --nodes this,zen,twin
test_case "topology, place, conf and options" case_offline
test_case "map" case_map
test_case "nodes" case_nodes
test_case "policy" case_policy
test_case "reservations" case_reserve
test_case "job" case_job
test_case "report" case_report
test_case "whatif" case_whatif
test_case "evaluate" case_evaluate
test_case "explain" case_explain
test_case "plan" case_plan
test_case "conf --show and --check" case_conf
test_case "soft" case_soft
if command -v slurmrestd >/dev/null; then
	test_case "slurmrestd shows the grant" case_rest
fi
test_case "what is wrong" case_wrong
test_case "conf --bundle" case_bundle
test_case "every schema was tried" case_every_schema
tests_done
