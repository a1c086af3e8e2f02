#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# unit_tres - whole units as TRES in Slurm's own books (UnitTRES=yes): records of nodes
# and jobs, limits, charges, accounting, and that all of it is what the grants say
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/units_in_books.bash
. "$(dirname "$0")/units_in_books.bash"
# shellcheck source=test/integration/rest.bash
. "$(dirname "$0")/rest.bash"

page=$top/doc/topobind_tres.7

# --- the lines ----------------------------------------------------------------

# change_line KEY VALUE - in all files of slurm.conf
change_line() {
	local dir

	for dir in "$cluster/etc" "$cluster/etc/virtual"; do
		sed -i "/^$1=/d" "$dir/slurm.conf"
		sed -i "1i $1=$2" "$dir/slurm.conf"
	done
}

# What "topobind conf --tres" prints, where it says that it belongs.
put_in_lines() {
	local line list name

	while read -r line; do
		list=${line#NodeName=}
		case $line in
		GresTypes=* | AccountingStorageTRES=*)
			change_line "${line%%=*}" "${line#*=}"
			;;
		NodeName=*' Gres='*)
			for name in $(scontrol show hostnames "${list%% *}"); do
				sed -i "/^NodeName=$name /{s/ Gres=[^ ]*//;s/\$/ ${line#* }/}" \
					"$cluster"/etc/{,virtual/}slurm.conf
			done
			;;
		NodeName=*)
			echo "$line" >>"$cluster/etc/gres.conf"
			;;
		esac
	done
	# Of the virtual nodes, too, which may have the same file.
	[ "$cluster/etc/gres.conf" -ef "$cluster/etc/virtual/gres.conf" ] ||
		cp "$cluster/etc/gres.conf" "$cluster/etc/virtual/gres.conf"
}

findings() {
	topobind conf --check | grep -E 'UnitTRES|CountOnly' || true
}

case_lines() {
	local lines seen

	lines=$(topobind conf --tres)
	assert_contains "lines" \
		"NodeName=$NODE_A Name=l3 Count=2 Flags=CountOnly" "$lines"
	assert_contains "lines" "GresTypes=gpu,socket,numa,l3,l2" "$lines"
	assert_contains "lines" \
		"NodeName=$NODE_A Gres=gpu:1,socket:1,numa:1,l3:2,l2:4" "$lines"
	seen=$(findings)
	assert_contains "without them" "GresTypes lacks socket, numa, l3, l2" \
		"$seen"
	assert_contains "without them" "AccountingStorageTRES lacks gres/socket" \
		"$seen"
	assert_contains "without them" "slurm.conf has Gres=l3:0, but it has 2" \
		"$seen"
	assert_contains "without them" "gres.conf has 0 of gres/l3" "$seen"
	put_in_lines <<<"$lines"
	start_with_gres "$NODE_A" "$NODE_B"
	assert_eq "with them" "" "$(findings)"
	sed -i '/Name=l3 /s/Count=2/Count=3/' "$cluster/etc/gres.conf"
	assert_contains "with a wrong count" "gres.conf has 3 of gres/l3" \
		"$(findings)"
	sed -i '/Name=l3 /s/Count=3/Count=2/' "$cluster/etc/gres.conf"
}

# --- records ------------------------------------------------------------------

case_records() {
	local job plain wide

	assert_contains "what the node has" \
		"gres/l2=4,gres/l3=2,gres/numa=1,gres/socket=1" \
		"$(scontrol show node "$NODE_A" | sed -n 's/ *CfgTRES=//p')"
	scontrol update partition=main TRESBillingWeights=CPU=1,GRES/l3=10
	job=$(alloc -w "$NODE_A" --bunit=X --bamount=1)
	plain=$(alloc -w "$NODE_A" -n1)
	wide=$(alloc -w "$NODE_B" --bunit=Y --bamount=1 -n3)
	assert_units "$job" "l2=2 l3=1"
	assert_units "$plain" ""
	assert_units "$wide" "l2=3 l3=1"
	assert_eq "what the job is charged" 14 \
		"$(job_tres "$job" | sed 's/.*billing=\([0-9]*\).*/\1/')"
	assert_contains "squeue" "gres/l3=1" \
		"$(squeue -h -j "$job" -O tres-alloc:80)"
	assert_contains "sinfo" "l3:1,l2:3" \
		"$(sinfo -h -N -n "$NODE_B" -p main -O gresused:80)"
	assert_contains "by node" "l3(CNT:1)" \
		"$(scontrol -d show job "$wide" | grep ' GRES=')"
	assert_eq "nodes" "$NODE_A l2=2 l3=1
$NODE_B l2=3 l3=1" "$(node_units)"
	assert_books_are_right
	wait_until 30 is_accounted "$job" "l2=2 l3=1"
	scontrol update partition=main TRESBillingWeights=
	cancel "$job"
	assert_eq "after its end" "$NODE_B l2=3 l3=1" "$(node_units)"
}

is_accounted() {
	[ "$(units_in "$(sacct -X -n -P -j "$1" -o AllocTRES | tail -n 1)")" = \
		"$2" ]
}

case_rest() {
	local job

	rest_start
	job=$(alloc -w "$NODE_A" --bunit=X --bamount=1)
	assert_eq "the job" "l2=2 l3=1" \
		"$(units_in "$(rest "job/$job" | jq -r '.jobs[].tres_alloc_str')")"
	assert_eq "what it asks for" "l3=1" \
		"$(units_in "$(rest "job/$job" | jq -r '.jobs[].tres_req_str')")"
	assert_eq "the node" "l2=2 l3=1" "$(node_units |
		sed -n "s/^$NODE_A //p")"
	assert_eq "the node" "l2=2 l3=1" \
		"$(units_in "$(rest "node/$NODE_A" | jq -r '.nodes[].tres_used')")"
	rest_stop
	drain
}

case_beside_devices() {
	local job

	for _ in 1 2; do
		job=$(alloc -w "$NODE_A" --gres=gpu:1 --bunit=X --bamount=1)
		assert_units "$job" "l2=2 l3=1"
		assert_contains "its device" "gpu:1(IDX:0)" "$(gpus_of "$job")"
		cancel "$job"
		assert_eq "after its end" "" "$(node_units)"
	done
}

case_asked_as_gres() {
	exits 1 "" sbatch -n1 --gres=l3:1 --wrap true
	assert_eq "jobs" "" "$(squeue -h -o %i)"
}

# --- what waiting jobs ask for --------------------------------------------------

# All units of both nodes are taken.
fill_nodes() {
	alloc -w "$NODE_A" --bunit=S --bamount=1 >/dev/null
	alloc -w "$NODE_B" --bunit=S --bamount=1 >/dev/null
}

is_requested() {
	[ "$(units_in "$(sacct -X -n -P -j "$1" -o ReqTRES)")" = "$2" ]
}

# asks UNITS OPTION... - a job that waits, and asks for these
asks() {
	local wanted=$1 job

	shift
	job=$(batch "$@")
	[ "$(requested "$job")" = "$wanted" ] ||
		fail "'$*' asks for '$(requested "$job")', not '$wanted'"
	echo "$job"
}

# Nobody can tell before the start, or it is no unit that is counted.
case_not_known() {
	fill_nodes
	asks "" -n2 >/dev/null
	asks "" -n2 --bunit=C --bamount=2 >/dev/null
	asks "" -N1-2 --bunit=X --bamount=1 >/dev/null
	asks "" -n4 --btype=host --bunit=X --bamount=1 >/dev/null
	asks "" --bunit="X:1|S:1" >/dev/null
	asks "" --bcpus=0-3 >/dev/null
}

case_requested() {
	local first pair array

	fill_nodes
	first=$(asks "l3=1" -w "$NODE_A" --bunit=X --bamount=1)
	asks "l2=6" -n3 --bunit=Y --bamount=2 >/dev/null
	asks "l3=2" -n2 -c2 --bunit=X --bamount=1 >/dev/null
	pair=$(asks "l3=4" -N2 --btype=host --bunit=X --bamount=2)
	asks "l2=1" -n1 --btype=host --bunit=Y --bamount=1 >/dev/null
	asks "numa=1" --bunit=N --bamount=1 >/dev/null
	asks "l3=2" -N1-2 -n2 --bunit=X --bamount=1 >/dev/null
	asks "l3=2" -N2 -w "$NODE_A" --bunit=X --bamount=1 >/dev/null
	asks "l3=1" -p virtual,main --bunit=X --bamount=1 >/dev/null
	asks "l3=1" -w "$NODE_A" --gres=gpu:1 --bunit=X --bamount=1 >/dev/null
	array=$(asks "l3=1" --array=1-2 --bunit=X --bamount=1)
	assert_contains "squeue" "gres/l3=4" \
		"$(squeue -h -j "$pair" -O tres-alloc:80)"
	topobind update --bunit=Y --bamount=3 "$first" >/dev/null
	wait_until 30 asks_now "$first" "l2=3"
	wait_until 30 is_requested "$pair" "l3=4"
	assert_eq "what nodes have" "$NODE_A l2=4 l3=2 numa=1 socket=1
$NODE_B l2=4 l3=2 numa=1 socket=1" "$(node_units)"
	cancel_all -t R
	wait_until 60 runs "$first"
	assert_units "$first" "l2=3 l3=1"
	assert_books_are_right
	cancel_all -t PD -n wrap
}

asks_now() {
	[ "$(requested "$1")" = "$2" ]
}

# On a node without L3 caches the socket is meant.
case_nodes_differ() {
	local file=$cluster/etc/topobind.conf

	[ -e "$file.saved" ] || cp "$file" "$file.saved"
	sed -i "/^NodeName=$NODE_B /s/Topology=[^ ]*/Topology=SCCCCCCCC/" "$file"
	reconfigure
	fill_nodes
	asks "" --bunit=X --bamount=1 >/dev/null
	asks "l3=1" -w "$NODE_A" --bunit=X --bamount=1 >/dev/null
	asks "l3=1" -x "$NODE_B" --bunit=X --bamount=1 >/dev/null
	asks "socket=1" -w "$NODE_B" --bunit=X --bamount=1 >/dev/null
	asks "l3=1" --bunit=X --bamount=1 \
		--btopology="$(node_token "$NODE_A" m_topology)" >/dev/null
	reconfigure_with
}

# Limits are looked at while all nodes are busy.
case_held_while_busy() {
	local large small group devices

	fill_nodes
	sacctmgr -i -Q modify qos normal set MaxTRESPerJob=gres/l3=1
	large=$(batch -n2 --bunit=X --bamount=1)
	small=$(batch --bunit=X --bamount=1)
	devices=$(batch -w "$NODE_A" --gres=gpu:1 --bunit=X --bamount=2)
	wait_until 30 held_because "$large" QOSMaxGRESPerJob
	wait_until 30 held_because "$devices" QOSMaxGRESPerJob
	wait_until 30 was_passed_over "$small"
	[[ $(job_reason "$small") != QOS* ]] || fail "$(job_reason "$small")"
	sacctmgr -i -Q modify qos normal set MaxTRESPerJob=gres/l3=-1 \
		GrpTRES=gres/l3=4
	group=$(batch --bunit=X --bamount=1)
	wait_until 30 held_because "$group" QOSGrpGRES
	sacctmgr -i -Q modify qos normal set GrpTRES=gres/l3=-1 \
		MaxTRESPerJob=gres/l3=1 Flags=DenyOnLimit
	large=$(batch -n2 --bunit=X --bamount=1)
	wait_until 30 held_because "$large" QOSMaxGRESPerJob
	sacctmgr -i -Q modify qos normal set MaxTRESPerJob=gres/l3=-1 Flags=-1
	assert_books_are_right
}

# --- limits -------------------------------------------------------------------

# The commands of the manual, for this user.
commands_of_the_manual() {
	sed -n 's/^\$ //p' "$page" | sed 's/\\-/-/g; s/\\f[BP]//g; s/\<alice\>/root/' |
		grep '^sacctmgr '
}

case_two_caches_for_each() {
	local command first other third

	while read -r command; do
		eval "$command" >/dev/null
	done < <(commands_of_the_manual)
	first=$(batch -A class -w "$NODE_A" --bunit=X --bamount=1)
	wait_until 30 runs "$first"
	other=$(batch -A class -w "$NODE_B" --bunit=X --bamount=2)
	wait_until 30 held_because "$other" AssocGrpGRES
	third=$(batch -A class -w "$NODE_B" --bunit=X --bamount=1)
	wait_until 30 runs "$third"
	assert_units "$third" "l2=2 l3=1"
	assert_books_are_right
	cancel "$first" "$third"
	wait_until 30 runs "$other"
	assert_units "$other" "l2=4 l3=2 numa=1 socket=1"
}

# Slurm starts components one by one, and takes them back when it cannot start all.
jobs_started() {
	sdiag | sed -n 's/^Jobs started: *//p'
}

# One component is within the limit, both are not: none of them starts.
case_components_beyond_a_limit() {
	local components=(-A class -w "$NODE_A" --bunit=X --bamount=1 : -A class
		-w "$NODE_B" --bunit=X --bamount=2) het began started

	started=$(jobs_started)
	# It counts them together at their submission, as it does other TRES.
	if slurm_is_from 26.05; then
		exits 1 "violates accounting/QOS policy" \
			sbatch "${components[@]}" --wrap true
		return
	fi
	het=$(batch "${components[@]}")
	began=$(rounds Backfilling)
	wait_until 60 two_rounds_later "$began"
	assert is_pending "$het+0"
	assert_eq "jobs started" "$started" "$(jobs_started)"
	assert_eq "nodes" "" "$(node_units)"
}

two_rounds_later() {
	[ "$(rounds Backfilling)" -ge $(($1 + 3)) ]
}

case_qos() {
	local large small other

	sacctmgr -i -Q modify qos normal set MaxTRESPerJob=gres/l3=1 \
		MaxTRESPerUser=gres/l2=3
	large=$(batch -w "$NODE_A" --bunit=X --bamount=2)
	wait_until 30 held_because "$large" QOSMaxGRESPerJob
	small=$(batch -w "$NODE_A" --bunit=X --bamount=1)
	wait_until 30 runs "$small"
	other=$(batch -w "$NODE_B" --bunit=X --bamount=1)
	wait_until 30 held_because "$other" QOSMaxGRESPerUser
	sacctmgr -i -Q modify qos normal set MaxTRESPerJob=gres/l3=-1 \
		MaxTRESPerUser=gres/l2=-1
	wait_until 30 runs "$other"
	assert_books_are_right
	cancel "$large" "$small" "$other"
	sacctmgr -i -Q modify qos normal set MaxTRESMinsPerJob=gres/l3=15
	large=$(batch -w "$NODE_A" -t 10 --bunit=X --bamount=2)
	wait_until 30 held_because "$large" QOSMaxGRESMinutesPerJob
	small=$(batch -w "$NODE_A" -t 10 --bunit=X --bamount=1)
	wait_until 30 runs "$small"
	sacctmgr -i -Q modify qos normal set MaxTRESMinsPerJob=gres/l3=-1
}

# --- a job's life -------------------------------------------------------------

case_restart() {
	local again pair other before

	again=$(batch -w "$NODE_A" --bunit=X --bamount=1)
	wait_until 30 runs "$again"
	requeue_held "$again"
	assert_eq "while it waits" "" "$(node_units)"
	# It gets the other cache; of the first a cache is left, the other node has two.
	other=$(alloc -w "$NODE_A" --bunit=Y --bamount=1)
	release_now "$again"
	wait_until 60 runs "$again"
	pair=$(alloc -w "$NODE_A,$NODE_B" -N2 -n3 --bunit=Y --bamount=1)
	assert_units "$again" "l2=2 l3=1"
	assert_units "$pair" "l2=3 l3=1"
	assert_books_are_right
	scontrol update job="$pair" NodeList="$NODE_B"
	assert_units "$pair" "l2=2 l3=1"
	assert_books_are_right
	before=$(node_units)
	save_state "$pair"
	daemon slurmctld kill
	daemon slurmctld start
	wait_until 60 nodes_answer
	assert_eq "after a crash" "$before" "$(node_units)"
	assert_units "$pair" "l2=2 l3=1"
	cancel "$again" "$other" "$pair"
	assert_eq "at the end" "" "$(node_units)"
}

# It keeps its units in the books, as it keeps its memory; who gets them meanwhile has
# no more than the node has left there.
case_suspended() {
	local job other

	job=$(alloc -w "$NODE_A" --bunit=X --bamount=2)
	scontrol suspend "$job"
	other=$(alloc -w "$NODE_A" --bunit=X --bamount=1)
	assert_units "$job" "l2=4 l3=2 numa=1 socket=1"
	assert_units "$other" ""
	assert_eq "the node" "$NODE_A l2=4 l3=2 numa=1 socket=1" \
		"$(node_units)"
	cancel "$other"
	scontrol resume "$job"
	assert_books_are_right
	cancel "$job"
	assert_eq "at the end" "" "$(node_units)"
}

case_merged() {
	local first second licences=()

	# Later Slurms crash, too, without topobind, when one has none.
	! slurm_is_from 25.11 || licences=(-L merged)
	first=$(alloc -w "$NODE_A" --bunit=Y --bamount=1 "${licences[@]}")
	second=$(alloc -w "$NODE_A" --bunit=Y --bamount=1 "${licences[@]}" \
		-d expand:"$first")
	assert_units "$second" "l2=1"
	scontrol update JobId="$second" NumNodes=0
	assert_units "$first" "l2=2 l3=1"
	assert_books_are_right
	cancel "$first"
	assert_eq "at the end" "" "$(node_units)"
}

case_arrays_and_components() {
	local array het

	array=$(batch -w "$NODE_A" --array=1-3 --bunit=Y --bamount=1)
	het=$(batch -w "$NODE_B" --bunit=X --bamount=1 : -w "$NODE_A" \
		--bunit=Y --bamount=1)
	wait_until 60 runs "${array}_3"
	wait_until 60 runs "$het"
	assert_units "${array}_3" "l2=1"
	assert_units "$het+0" "l2=2 l3=1"
	assert_units "$het+1" "l2=1"
	assert_books_are_right
}

case_switched() {
	local before without whole waits

	before=$(alloc -w "$NODE_A" --bunit=X --bamount=1)
	whole=$(alloc -w "$NODE_B" --bunit=S --bamount=1)
	waits=$(asks "l3=2" -w "$NODE_B" --bunit=X --bamount=2)
	reconfigure_with UnitTRES=no
	assert_units "$before" "l2=2 l3=1"
	wait_until 30 asks_now "$waits" ""
	without=$(alloc -w "$NODE_A" --bunit=X --bamount=1)
	assert_units "$without" ""
	assert_contains "off" "$NODE_A l2=2 l3=1" "$(node_units)"
	reconfigure_with UnitTRES=yes
	wait_until 30 asks_now "$waits" "l3=2"
	cancel "$waits" "$whole" "$before"
	before=$(alloc -w "$NODE_A" --bunit=X --bamount=1)
	assert_eq "on again" "$NODE_A l2=2 l3=1" "$(node_units)"
	cancel "$before" "$without"
	assert_eq "at the end" "" "$(node_units)"
}

# A node whose jobs have all of it is exclusive to one: Slurm counts all of it.
case_whole_node() {
	local job

	job=$(alloc -w "$NODE_A" --exclusive --bunit=C --bamount=1)
	assert_units "$job" "l2=4 l3=2 numa=1 socket=1"
	assert_eq "the node" "$NODE_A l2=4 l3=2 numa=1 socket=1" \
		"$(node_units)"
	cancel "$job"
	assert_eq "at the end" "" "$(node_units)"
}

# --- a random load ------------------------------------------------------------

# random_jobs COUNT - in account load, of one or two seconds
random_jobs() {
	local i options

	RANDOM=24
	for ((i = 0; i < $1; i++)); do
		case $((RANDOM % 6)) in
		0) options="-n$((RANDOM % 3 + 1))" ;;
		1) options="--bunit=X --bamount=$((RANDOM % 2 + 1))" ;;
		2) options="--bunit=Y --bamount=1 -n$((RANDOM % 4 + 1))" ;;
		3) options="--bunit=C --bamount=$((RANDOM % 5 + 1))" ;;
		4) options="-N2 -n2 --bunit=X --bamount=1" ;;
		5) options="--bunit=S --bamount=1" ;;
		esac
		# shellcheck disable=SC2086 # options
		sbatch --parsable -o /dev/null -A load $options \
			--wrap "sleep $((RANDOM % 2)).5"
	done
}

load_is_over() {
	[ -z "$(squeue -h -A load -o %i)" ]
}

# The same by sreport.
seconds_by_sreport() {
	sreport -n -P -t Seconds -T gres/l3 cluster AccountUtilizationByUser \
		start="$1" end="$2" accounts=load format=Login,Used |
		sed -n 's/^root|//p'
}

case_random_load() {
	local hour next ids samples=0 by_grants

	sacctmgr -i -Q add account load
	sacctmgr -i -Q add user root account=load
	wait_for_an_hour
	hour=$(date +%Y-%m-%dT%H:00:00)
	ids=$(random_jobs 20)
	until load_is_over; do
		assert_books_are_right
		samples=$((samples + 1))
		sleep 0.3
	done
	assert_eq "nodes after it" "" "$(node_units)"
	assert [ "$samples" -ge 5 ]
	assert_eq "jobs" 20 "$(wc -l <<<"$ids")"
	wait_until 60 all_are_accounted load "$hour" 20
	next=$(date -d '1 hour' +%Y-%m-%dT%H:00:00)
	by_grants=$(seconds_by_grants load "$hour")
	assert [ "$by_grants" -gt 0 ]
	sacctmgr -i -Q rollup "$hour" "$next"
	assert_eq "seconds of L3 caches" "$by_grants" \
		"$(seconds_by_sreport "$hour" "$next")"
}

cluster_start --nodes '' --accounting --machine "a NSXYCCYCCXYCCYCC 1 8 1" \
	--machine "b NSXYCCYCCXYCCYCC 1 8 1" \
	--slurm AccountingStorageEnforce=limits \
	--slurm SchedulerParameters=bf_interval=1,sched_interval=2,batch_sched_delay=0,permit_job_expansion \
	--slurm Licenses=merged:10 \
	--slurm GresTypes=gpu --node "a Gres=gpu:1" \
	--gres "a Name=gpu File=/dev/null" --topobind UnitTRES=yes
test_case "conf --check and the lines of conf --tres" case_lines
test_case "records of nodes and jobs, charges" case_records
if command -v slurmrestd >/dev/null; then
	test_case "what slurmrestd says" case_rest
fi
test_case "beside devices" case_beside_devices
test_case "units asked for as GRES" case_asked_as_gres
test_case "what waiting jobs ask for" case_requested
test_case "what is not known before a start" case_not_known
test_case "nodes that differ in what a unit means" case_nodes_differ
test_case "limits while all nodes are busy" case_held_while_busy
test_case "two caches for each student" case_two_caches_for_each
test_case "components that are together beyond a limit" \
	case_components_beyond_a_limit
test_case "limits of a QOS" case_qos
test_case "a requeue, a smaller job, a crash" case_restart
test_case "a suspended job" case_suspended
test_case "merged jobs" case_merged
test_case "arrays and heterogeneous jobs" case_arrays_and_components
test_case "switched off and on" case_switched
test_case "whole nodes" case_whole_node
test_case "a random load, and what sreport says of it" case_random_load
tests_done
