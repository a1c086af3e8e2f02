#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# policy_function - priority functions: every component, the examples of
# topobind_policies(7), and what is learned
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/policy_cluster.bash
. "$(dirname "$0")/policy_cluster.bash"
# shellcheck source=test/manual.sh
. "$top/test/manual.sh"
# shellcheck source=test/integration/page.bash
. "$(dirname "$0")/page.bash"

page=$top/doc/topobind_policies.7

# example WORDS - the function of the manual's example that does this
example() {
	manual_rows "$page" | awk -F '\t' -v words="$1" '
	index($1, words) { print $2; found = 1 }
	END { exit !found }' || fail "the manual has no example for: $1"
}

# --- what is learned ------------------------------------------------------------

# ran STATE OPTION... COMMAND - a job has ended so
ran() {
	local state=$1 job

	shift
	job=$(sbatch --parsable -o /dev/null "${@:1:$#-1}" --wrap "${!#}")
	wait_until 60 job_has_state "$job" "$state"
}

# Before anything else has run.
case_usage() {
	ran COMPLETED -w "$NODE_D" 'sleep 3'
	function_is USAGE
	planned "$NODE_D"
	function_is "- USAGE"
	planned "$NODE_A"
	ran COMPLETED -w "$NODE_A" 'sleep 1'
	planned "$NODE_B"
}

case_affinity() {
	ran COMPLETED -J cfd -w "$NODE_C" 'sleep 3'
	ran COMPLETED -J cfd -w "$NODE_D" 'sleep 1'
	ran COMPLETED -J fem -w "$NODE_C" 'sleep 1'
	ran COMPLETED -J fem -w "$NODE_D" 'sleep 3'
	function_is "$(example "same name and size")"
	check_affinity
}

check_affinity() {
	lands "$NODE_D" -J cfd
	lands "$NODE_C" -J fem
	# Nothing is known of these.
	lands "$NODE_A" -J new
	lands "$NODE_A" -J cfd -n4
}

case_failures() {
	ran FAILED -J flaky -w "$NODE_A" false
	ran COMPLETED -J flaky -w "$NODE_B" true
	ran FAILED -J flaky -w "$NODE_B" false
	function_is "APPLFAILURERATE"
	planned "$NODE_A" -J flaky
	function_is "- APPLFAILURERATE"
	planned "$NODE_C" -J flaky
	planned "$NODE_A" -J other
}

case_down() {
	scontrol update nodename="$NODE_C" state=down reason=test
	sinfo >/dev/null
	# It may have come back by itself.
	scontrol update nodename="$NODE_C" state=resume || true
	wait_until 30 all_idle
	function_is "- MTBF"
	planned "$NODE_C"
	function_is MTBF
	planned "$NODE_A"
}

# What was learned is there after a restart.
case_restart() {
	function_is APPLAFFINITY
	daemon slurmctld stop
	assert test -s "$cluster/state/topobind_history"
	assert_eq "mode of the file" 600 \
		"$(stat -c %a "$cluster/state/topobind_history")"
	daemon slurmctld start
	wait_until 60 all_idle
	check_affinity
	function_is "APPLFAILURERATE"
	planned "$NODE_A" -J flaky
	function_is "- MTBF"
	planned "$NODE_C"
	function_is "USAGE * FEATURE[desktop]"
	planned "$NODE_A"
}

saved_history_since() {
	[ "$cluster/state/topobind_history" -nt "$1" ]
}

# It is saved soon, not only at the end.
case_killed() {
	touch "$work/now"
	ran FAILED -J frail -w "$NODE_C" false
	wait_until 20 saved_history_since "$work/now"
	# Jobs that have ended are not to come back.
	save_state "$(sbatch --parsable --hold -o /dev/null --wrap true)"
	daemon slurmctld kill
	daemon slurmctld start
	wait_until 60 all_idle
	function_is APPLFAILURERATE
	planned "$NODE_C" -J frail
	function_is APPLAFFINITY
	check_affinity
}

# A slurmctld that cannot read its configuration anew goes on, with all it knew.
case_refused_configuration() {
	function_is APPLAFFINITY
	reconfigure_refused_with "no such key=1"
	conf_with
	check_affinity
	function_is APPLFAILURERATE
	planned "$NODE_C" -J frail
}

# Nonsense in the file is told, and learning begins anew.
case_broken_file() {
	function_is APPLAFFINITY
	daemon slurmctld stop
	echo nonsense >"$cluster/state/topobind_history"
	daemon slurmctld start
	wait_until 60 all_idle
	lands "$NODE_A" -J cfd
}

# --- components -------------------------------------------------------------------

# worth NODE FUNCTION OPTION... - there a job would start, and topobind policy says so
worth() {
	local node=$1

	function_is "$2"
	shift 2
	planned "$node" "$@"
	[ $# -gt 0 ] || assert_eq "best node of topobind policy" "$node" \
		"$(topobind policy -h -O node | sed -n '1s/ *$//p')"
}

case_sizes() {
	worth "$NODE_Q" CDISK
	worth "$NODE_P" CMEM
	worth "$NODE_P" CPROCS
	worth "$NODE_D" CSWAP
	worth "$NODE_D" ASWAP
	worth "$NODE_B" "- CMEM"
}

case_available() {
	worth "$NODE_Q" ADISK
	worth "$NODE_P" AMEM
	worth "$NODE_P" APROCS
	# 152 processors are free.
	worth "$NODE_Q" "(PARAPROCS - 151) * NODEINDEX"
	alloc -w "$NODE_P" -n2 --mem=100 >/dev/null
	alloc -w "$NODE_Q" -n1 --mem=50 --tmp=7500 >/dev/null
	worth "$NODE_E" ADISK
	worth "$NODE_Q" AMEM
	worth "$NODE_Q" APROCS
	worth "$NODE_A" "(PARAPROCS - 151) * NODEINDEX"
}

case_named() {
	worth "$NODE_Q" "ARCH[$(uname -m)] * NODEINDEX"
	worth "$NODE_A" "ARCH[vax] * NODEINDEX"
	worth "$NODE_C" "FEATURE[fast]"
	worth "$NODE_D" "FEATURE[batch] - FEATURE['fast']"
	scontrol update nodename="$NODE_B" extra="temp=50.5"
	worth "$NODE_B" "GMETRIC[temp]"
	worth "$NODE_A" "- GMETRIC[temp]"
	scontrol update nodename="$NODE_B" extra=""
	worth "$NODE_A" "GMETRIC[temp]"
}

case_jobs() {
	local job

	job=$(batch -w "$NODE_D")
	wait_until 30 runs "$job"
	worth "$NODE_D" JOBCOUNT
	worth "$NODE_A" "- JOBCOUNT"
	worth "$NODE_A" SUSPENDEDJCOUNT
	wait_until 20 scontrol suspend "$job"
	worth "$NODE_D" SUSPENDEDJCOUNT
	worth "$NODE_A" JOBCOUNT
	scontrol resume "$job"
}

# By Slurm's own records, which change while we look.
is_most_loaded() {
	local node

	node=$(scontrol -o show node | sed -E \
		's/^NodeName=([^ ]*) .*CPULoad=([0-9.]+).*/\2 \1/' |
		sort -s -k1,1nr | sed -n '1s/.* //p')
	planned "$node"
}

case_load() {
	function_is LOAD
	wait_until 30 is_most_loaded
}

case_configured() {
	worth "$NODE_E" PRIORITY
	worth "$NODE_A" "0 - PRIORITY"
	worth "$NODE_D" "- COST"
	worth "$NODE_B" SPEED
	worth "$NODE_P" "- SPEED"
	worth "$NODE_Q" NODEINDEX
	worth "$NODE_A" "- NODEINDEX"
	worth "$NODE_C" PREF --bprefer=batch
	worth "$NODE_Q" "OS * NODEINDEX"
	worth "$NODE_Q" "POWER * NODEINDEX"
}

# Each node's value is that of its own function, where it has one.
case_of_nodes() {
	local saved=$cluster/etc/topobind.conf.saved

	conf_with
	cp "$saved" "$work/conf"
	# shellcheck disable=SC2064 # as they are now
	trap "cp '$work/conf' '$saved'" EXIT
	sed -i -e "s/^NodeName=$NODE_C .*/& PriorityFunction=\"6 + 2 * FEATURE[fast]\"/" \
		-e "s/^NodeName=$NODE_D .*/& PriorityFunction=\"10 - 10 * JOBCOUNT\"/" \
		"$saved"
	function_is PRIORITY
	lands "$NODE_D"
	alloc -w "$NODE_D" >/dev/null
	lands "$NODE_C"
	alloc -w "$NODE_C" -n4 >/dev/null
	lands "$NODE_E"
	function_is "PRIORITY + 2 * FEATURE[big] - SPEED * FEATURE[desktop]"
	lands "$NODE_E"
	drain
	worth "$NODE_D" "PRIORITY + 2 * FEATURE[big]"
}

# The machine has some load, be it that of this test.
has_load() {
	[ "$(scontrol show node "$NODE_C" |
		sed -n 's/.*CPULoad=\([0-9.]*\).*/\1/p' | tr -dc 1-9)" ]
}

case_max_load() {
	local saved=$cluster/etc/topobind.conf.saved bound

	conf_with
	cp "$saved" "$work/conf"
	# shellcheck disable=SC2064
	trap "cp '$work/conf' '$saved'" EXIT
	sed -i "s/^NodeName=$NODE_C .*/& MaxLoad=0.001/" "$saved"
	reconfigure_with
	wait_until 120 has_load
	# Others are there for bound jobs, and plain ones may have it.
	alloc --bunit=C --bamount=1 >/dev/null
	alloc -w "$NODE_C" -n1 >/dev/null
	bound=$(batch -w "$NODE_C" --bunit=C --bamount=1)
	wait_until 30 waits_for "$bound" "no required node has 1 free C unit"
	assert_contains "job $bound" "1 node has more load than MaxLoad allows" \
		"$(scontrol show job "$bound")"
	assert_contains "topobind explain" "more than MaxLoad=0.001" \
		"$(topobind explain "$bound" || true)"
	cp "$work/conf" "$saved"
	reconfigure_with
	wait_until 60 runs "$bound"
}

case_reservations() {
	trap forget_reservations EXIT
	reserve later "$NODE_A" 600 660
	worth "$NODE_B" FREETIME
	worth "$NODE_A" "- FREETIME"
	worth "$NODE_A" "- RESAFFINITY"
	worth "$NODE_B" RESAFFINITY
}

# told COLUMN OPTION... - of node C, by topobind policy
told() {
	local column=$1

	shift
	topobind policy -h -O "$column" -n "$NODE_C" "$@" | sed 's/ *$//'
}

case_told_by_manual() {
	local number=${NODE_A#a}

	function_is "SPEED + 10 * FEATURE[fast]"
	NODE_THIS=this$number
	assert_page policy -e "s/\\b([acd])\\b/\\1$number/g"
}

# Each value, what comes of them, and for which job.
case_told() {
	local job

	function_is "SPEED / 2 + 100 * PREF - 7 * FEATURE[batch]"
	assert_eq worth 1493 "$(told worth)"
	assert_eq components "SPEED=3000 PREF=0 FEATURE[batch]=1" \
		"$(told components)"
	job=$(alloc -w "$NODE_A" --bunit=C --bamount=1 --bprefer=fast+big)
	assert_eq "worth to a job" 1543 "$(told worth -j "$job")"
	assert_contains "policy" "policy PRIORITY of partition main" \
		"$(topobind policy)"
	assert_eq "function" "SPEED / 2 + 100 * PREF - 7 * FEATURE[batch]" \
		"$(told function)"
	function_is "SPEED + RANDOM"
	assert_eq worth "?" "$(told worth)"
	assert_eq components "SPEED=3000 RANDOM=?" "$(told components)"
	job=$(alloc -w "$NODE_A" --bunit=C --bamount=1 --bnodes=FASTEST)
	assert_contains "another policy" "FASTEST of partition main; these numbers count with PRIORITY only" \
		"$(topobind policy -j "$job")"
	# Root may read what was learned.
	touch "$work/now"
	ran FAILED -J frail -w "$NODE_C" false
	wait_until 30 saved_history_since "$work/now"
	function_is "APPLAFFINITY + 5 * APPLFAILURERATE + 0 * (MTBF + USAGE)"
	assert_eq worth 1 "$(told worth)"
	job=$(alloc -w "$NODE_A" -J frail)
	assert_eq "worth to a job that failed there" 6 "$(told worth -j "$job")"
	refute topobind policy -n nosuchnode
	refute topobind policy -p nosuchpartition
	refute topobind policy -j 999999
	refute topobind policy -j "$job" -p main
}

# Of a dozen jobs not all get the same.
case_random() {
	local job first='' others=0

	function_is "100 * RANDOM"
	for _ in {1..12}; do
		job=$(alloc -n1)
		[ -n "$first" ] || first=$(nodes_of "$job")
		[ "$(nodes_of "$job")" = "$first" ] || others=$((others + 1))
	done
	[ "$others" -gt 0 ] || fail "all are on $first"
}

# Each component has its row, and one of the cases above.
case_manual_is_complete() {
	local rows names name

	rows=$(manual_rows "$page" | cut -f 1 | sed 's/\[.*//' |
		grep -x -E '[A-Z]{2,}' | sort)
	mapfile -t names < <(sed -n 's/^\t\[TB_COMPONENT_.*"\(.*\)",/\1/p' \
		"$top/lib/core/policy/priority_function.c")
	assert test "${#names[@]}" -gt 20
	for name in "${names[@]}"; do
		assert_contains "rows of the manual" "$name" "$rows"
		sed '/^# Each component has its row/,$d' "$0" |
			grep "\\b$name\\b" >/dev/null || fail "no case has $name"
	done
}

# --- the examples of the manual -----------------------------------------------------

# 3020, and 11 less with each job; B has 3005.
case_fast_and_empty() {
	function_is "$(example "fastest nodes with most available memory")"
	takes "$NODE_C" -n1 --mem=100
	takes "$NODE_C" -n1 --mem=100
	takes "$NODE_B" -n1 --mem=100
	takes "$NODE_C" -n1 --mem=100 --bunit=C --bamount=1
}

case_batch_before_desktops() {
	local job

	function_is "$(example "batch nodes first")"
	for _ in 1 2; do
		job=$(alloc --exclusive --mem=0)
		assert_contains "batch nodes" "$(nodes_of "$job")" \
			"$NODE_C $NODE_D"
	done
	job=$(alloc -n1 --bamount=1)
	refute test "$(nodes_of "$job")" = "$NODE_C"
	refute test "$(nodes_of "$job")" = "$NODE_D"
}

case_pack() {
	function_is "$(example "pack onto loaded nodes")"
	takes "$NODE_D" -w "$NODE_D" -n1
	takes "$NODE_D" -n1
	takes "$NODE_D" -n1 --bunit=C --bamount=1
	takes "$NODE_D" -n1
	# It is full.
	takes "$NODE_A" -n1
}

case_cool() {
	function_is "$(example "lowest CPU temperature")"
	scontrol update nodename="$NODE_P" extra=temp=70
	scontrol update nodename="$NODE_Q" extra=temp=40
	lands "$NODE_Q"
	# A processor counts as much as 100 degrees.
	takes "$NODE_Q" -n1
	takes "$NODE_P" -n1
	takes "$NODE_Q" -n1
	scontrol update nodename="$NODE_P" extra=""
	scontrol update nodename="$NODE_Q" extra=""
}

policy_cluster_start

test_case "USAGE" case_usage
test_case "APPLAFFINITY, and the example for it" case_affinity
test_case "APPLFAILURERATE" case_failures
test_case "MTBF" case_down
test_case "what was learned is there after a restart" case_restart
test_case "what was learned is there after slurmctld was killed" case_killed
test_case "what was learned is there after a reconfigure that failed" \
	case_refused_configuration
test_case "a broken file of what was learned" case_broken_file
test_case "sizes" case_sizes
test_case "what is available" case_available
test_case "ARCH, FEATURE, GMETRIC" case_named
test_case "JOBCOUNT and SUSPENDEDJCOUNT" case_jobs
test_case "LOAD" case_load
test_case "what is configured" case_configured
test_case "functions of nodes" case_of_nodes
test_case "MaxLoad" case_max_load
test_case "FREETIME and RESAFFINITY" case_reservations
test_case "topobind policy" case_told
test_case "its example in the manual" case_told_by_manual
test_case "RANDOM" case_random
test_case "the manual has each component" case_manual_is_complete
test_case "example: fast and empty nodes" case_fast_and_empty
test_case "example: batch nodes before desktops" case_batch_before_desktops
test_case "example: packing" case_pack
test_case "example: cool nodes" case_cool
tests_done
