#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# explain - topobind explain: what is missing node by node, who holds it until
# when, and that jobs start when those it names have ended
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/same_answers.bash
. "$test_dir/same_answers.bash"

# of_node NODE FILTER - of the row that has the node, by the JSON on stdin
of_node() {
	local row filter=$2

	while read -r row; do
		if jq -r '.nodes[]' <<<"$row" |
			grep -qx "$1"; then
			jq -c "$filter" <<<"$row"
			return
		fi
	done < <(jq -c '.table[]')
	fail "no row has $1"
}

# assert_node JOB NODE FILTER WANTED
assert_node() {
	assert_eq "$2 $3" "$4" "$(explained "$1" | of_node "$2" "$3")"
}

# assert_json JOB FILTER WANTED
assert_json() {
	assert_eq "$2" "$3" "$(explained "$1" | jq -c "$2")"
}

end_of() {
	date -d "$(job_field "$1" EndTime)" +%s
}

# --- jobs that wait ---------------------------------------------------------------

case_who_holds_what() {
	local plain bound job

	plain=$(alloc -t 20 -w "$NODE_ZEN" -n1)
	bound=$(alloc -t 30 -w "$NODE_ZEN" --bunit=S --bamount=1)
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 -n2 --bunit=X --bamount=4)
	wait_until 20 was_passed_over "$job"
	# A plain job breaks a cache, a bound one has the other socket.
	assert_node "$job" "$NODE_ZEN" '[.free_units, .units, .needed_units]' \
		'[7,16,4]'
	assert_node "$job" "$NODE_ZEN" .slots 1
	assert_node "$job" "$NODE_ZEN" '.held_by | map([.job, .units, .end])' \
		"[[\"$plain\",1,$(end_of "$plain")],[\"$bound\",8,$(end_of "$bound")]]"
	assert_json "$job" .fits_now false
	assert_json "$job" '[.must_end[].job]' "[\"$plain\"]"
	assert_json "$job" .when "$(end_of "$plain")"
	cancel "$plain"
	wait_until 20 runs "$job"
}

# A socket is broken by three jobs, the other by one that runs longest.
case_who_has_to_end() {
	local short first second job all

	short=$(alloc -t 10 -w "$NODE_ZEN" --bcpus=2)
	first=$(alloc -t 20 -w "$NODE_ZEN" --bcpus=0)
	second=$(alloc -t 40 -w "$NODE_ZEN" --bcpus=6)
	alloc -t 90 -w "$NODE_ZEN" --bcpus=48 >/dev/null
	all=$(jq -cn '$ARGS.positional' --args "$short" "$first" "$second")
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" '[.must_end[].job]' "$all"
	assert_json "$job" .when "$(end_of "$second")"
	cancel "$job"
	# Of 16 caches 3 are broken, and one of these may stay so.
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 --bunit=X --bamount=15)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" '[.must_end[].job]' "$all"
	cancel "$job"
	# The two of the first cache are spared when the second one suffices.
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 -n2 --bunit=C --bamount=23)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" '[.must_end[].job]' "[\"$short\",\"$first\"]"
}

# must_end names jobs without which it starts, and none too many.
case_ends_suffice() {
	local job node ended seed

	for seed in 1 2 3; do
		RANDOM=$((seed * 7))
		for node in $NODE_ZEN $NODE_TWIN $NODE_ZEN $NODE_TWIN $NODE_ZEN; do
			alloc -t $((20 + RANDOM % 40)) -w "$node" \
				--bcpus=$((RANDOM % 96)) >/dev/null 2>&1 || true
		done
		job=$(batch -N2 -n4 -t 5 -w "$NODE_ZEN,$NODE_TWIN" \
			--bunit=S --bamount=1)
		wait_until 20 was_passed_over "$job"
		mapfile -t ended < <(explained "$job" | jq -r '.must_end[].job')
		[ "${#ended[@]}" -gt 0 ] || fail "nobody has to end"
		assert_all_needed "$job" "${ended[@]}"
		drain
	done
}

# Cancelled one by one: it starts after the last, not before.
assert_all_needed() {
	local job=$1 one

	shift
	for one; do
		assert is_pending "$job"
		assert_json "$job" .fits_now false
		cancel "$one"
	done
	wait_until 20 runs "$job"
}

case_expected_start() {
	local holder job start

	holder=$(alloc -t 20 -w "$NODE_ZEN" --bcpus=0,48)
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 --bunit=S --bamount=1)
	wait_until 30 has_expected_start "$job"
	# By backfill, and ours: the same end of a job.
	assert_json "$job" .when "$(end_of "$holder")"
	start=$(explained "$job" | jq .expected_start)
	[ $((start - $(end_of "$holder"))) -le 61 ] ||
		fail "Slurm expects $start, the job ends at $(end_of "$holder")"
}

has_expected_start() {
	[ "$(explained "$1" | jq .expected_start)" != null ]
}

case_no_end() {
	local holder job

	holder=$(alloc -t UNLIMITED -w "$NODE_ZEN" --bcpus=0,48)
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" '[.would_fit, .when, .must_end[].job]' \
		"[true,null,\"$holder\"]"
	exits 0 "not all of these have a time limit" topobind explain "$job"
}

# --- why a node is none ------------------------------------------------------------

case_closed_nodes() {
	local job

	scontrol update NodeName="$NODE_TWIN" State=DRAIN Reason=test
	alloc -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	job=$(batch -N1 -p virtual -x "$NODE_SKYLAKE" --bunit=X --bamount=16)
	wait_until 20 was_passed_over "$job"
	assert_node "$job" "$NODE_TWIN" .closed '"drained"'
	assert_node "$job" "$NODE_SKYLAKE" .closed '"excluded by the job"'
	assert_node "$job" "$NODE_THIS" .closed '"not in partition virtual"'
	assert_node "$job" "$NODE_RAPTOR" .closed '"has only 1 X unit"'
	assert_node "$job" "$NODE_ZEN" '[.closed, .free_units]' '[null,14]'
	scontrol update NodeName="$NODE_TWIN" State=RESUME
	wait_until 20 runs "$job"
}

case_shapes() {
	local job holder

	holder=$(alloc -w "$NODE_SKYLAKE" --bcpus=0)
	job=$(batch -N1 --bunit=S --bamount=2 --btopology="$(
		node_token "$NODE_SKYLAKE" m_topology)")
	wait_until 20 was_passed_over "$job"
	assert_node "$job" "$NODE_ZEN" .closed '"has another shape than --btopology"'
	assert_node "$job" "$NODE_SKYLAKE" '[.closed, .free_units]' '[null,1]'
	cancel "$job" "$holder"
}

case_features_and_memory() {
	local job holder

	scontrol update NodeName="$NODE_ZEN" AvailableFeatures=big,new \
		ActiveFeatures=big,new
	scontrol update NodeName="$NODE_TWIN" AvailableFeatures=big ActiveFeatures=big
	holder=$(alloc -t 20 -w "$NODE_ZEN" --mem=900000 --bcpus=0)
	job=$(batch -N1 -C 'big&new' --mem=200000 --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_node "$job" "$NODE_TWIN" .closed '"lacks the features big&new"'
	assert_node "$job" "$NODE_ZEN" .note \
		'"100000 MB of memory free, 200000 are asked for"'
	assert_contains "summary" "too little memory" \
		"$(explained "$job" | jq .summary)"
	assert_json "$job" '[.fits_now, .would_fit]' '[false,true]'
	assert_json "$job" '[.must_end[].job]' "[\"$holder\"]"
	assert_json "$job" .when "$(end_of "$holder")"
	assert_contains "explain" "900000 MB until" "$(topobind explain "$job")"
	cancel "$holder"
	wait_until 20 runs "$job"
}

case_reserved() {
	local job

	alloc -w "$NODE_TWIN" --bcpus=0 >/dev/null
	scontrol create reservation ReservationName=mine StartTime=now \
		Duration=60 Nodes="$NODE_ZEN" Users=root Flags=MAINT >/dev/null
	job=$(batch -N1 --bunit=X --bamount=16)
	wait_until 20 was_passed_over "$job"
	assert_node "$job" "$NODE_ZEN" .closed '"reserved by mine"'
	cancel "$job"
	scontrol delete ReservationName=mine
}

# All that wait of the user who asks, and of nobody else; those that run are not shown.
case_own() {
	local running first second plain foreign

	exits 1 "none of your jobs waits" topobind explain
	assert_eq "JSON of none" '{"version":1,"jobs":[]}' \
		"$(topobind explain --json | jq -c .)"
	running=$(alloc -w "$NODE_TWIN" --bunit=S --bamount=2)
	first=$(batch -w "$NODE_TWIN" --bunit=S --bamount=2)
	second=$(batch -w "$NODE_TWIN" --bunit=X --bamount=1)
	plain=$(sbatch --parsable -o /dev/null -H -w "$NODE_TWIN" --wrap true)
	foreign=$(as_nobody sbatch --parsable -o /dev/null -D / \
		-w "$NODE_TWIN" --bunit=X --bamount=1 --wrap 'exec sleep 600')
	wait_until 20 was_passed_over "$second"
	wait_until 20 was_passed_over "$foreign"
	sleep 3
	topobind explain >"$work/own"
	assert_eq "jobs" "$first $second $plain" \
		"$(sed -n 's/^job \([0-9]*\) of .*/\1/p' "$work/own" | xargs)"
	assert_eq "JSON" "$(printf '%s\n' "$first" "$second" "$plain" | jq -R . |
		jq -sc .)" "$(topobind explain --json | jq -c '[.jobs[].job]')"
	assert_eq "the same as alone" \
		"$(explained "$second" | jq -c 'del(.when, .expected_start)')" \
		"$(topobind explain --json |
			jq -c '.jobs[1] | del(.when, .expected_start)')"
	assert_eq "job" "$first $second $plain" \
		"$(topobind job --json | jq -r '.jobs[].job' | xargs)"
	cancel "$first"
	cancel "$second"
	exits 1 "job $plain of $(id -un) has no binding" topobind explain
	exits 0 "is running" env SLURM_JOB_ID="$running" topobind explain
	cancel "$plain"
	cancel "$foreign"
	cancel "$running"
}

# The rows of equal nodes are one.
case_equal_nodes() {
	local job

	alloc -N2 -n2 -w "$NODE_ZEN,$NODE_TWIN" --bunit=S --bamount=1 >/dev/null
	job=$(batch -N2 -n2 -w "$NODE_ZEN,$NODE_TWIN" --bunit=S --bamount=2)
	wait_until 20 was_passed_over "$job"
	assert_json "$job" \
		'[.table[] | select(.closed == null)] | length' 1
	assert_node "$job" "$NODE_TWIN" '[.free_units, .held_by[0].units]' '[1,1]'
	assert_node "$job" "$NODE_ZEN" '[.free_units, .held_by[0].units]' '[1,1]'
}

# Masked cores are nobody's: the same numbers as in the Reason.
case_filters() {
	local job

	conf_with Filter=first_core "PartitionName=virtual Filter=NONE"
	sed -i "/^NodeName=$NODE_SKYLAKE /s/\$/ Filter=NONE/" \
		"$cluster/etc/topobind.conf"
	reconfigure
	alloc -t 20 -w "$NODE_ZEN" --bcpus=2,48 >/dev/null
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_contains "sentence" "1 node has 0" \
		"$(scontrol show job "$job")"
	assert_node "$job" "$NODE_ZEN" '[.free_units, .units, .slots]' '[0,2,0]'
	assert_json "$job" '[.fits_now, .would_fit]' '[false,true]'
	assert_node "$job" "$NODE_TWIN" .closed \
		'"not one of the nodes that the job requires"'
	cancel "$job"
	# Each to its own: the node's line comes before the partition's.
	job=$(batch -H -N1 -p virtual -t 5 --bamount=36)
	wait_until 20 shows_binding "$job" bamount=36
	assert_node "$job" "$NODE_TWIN" '[.free_units, .units]' '[48,48]'
	cancel "$job"
	job=$(batch -H -N1 -t 5 --bamount=36)
	wait_until 20 shows_binding "$job" bamount=36
	assert_node "$job" "$NODE_TWIN" '[.free_units, .units]' '[47,47]'
	assert_node "$job" "$NODE_RAPTOR" .closed \
		"\"has only 5 C cores that are not masked or the system's\""
	assert_node "$job" "$NODE_SKYLAKE" '[.free_units, .units]' '[36,36]'
	cancel "$job"
	reconfigure_with
}

# --- the same answer as the controller's ----------------------------------------------

# pick WORD... - one of them in picked; in a subshell RANDOM would begin anew
pick() {
	local -a words=("$@")

	picked=${words[RANDOM % $#]}
}

# In request: options that go together.
make_request() {
	local unit most=3

	pick X X C C C S N T Y
	unit=$picked
	case $unit in
	C | T | Y) most=9 ;;
	S | N) most=2 ;;
	esac
	request="-t 5 --bunit=$unit --bamount=$((1 + RANDOM % most))"
	pick -n1 -n1 -n2 -n3 -n5 "-N1 -n2" "-N2 -n2" "-N2 -n5" \
		"-N1 -n3 --btype=host" "-N2 -n4 --btype=host" \
		"-n4 --ntasks-per-node=2"
	request+=" $picked"
	# Slurm's tests take other nodes beside these for none, its starts do not.
	if [[ $picked = -n1 || $picked = *-N1* ]]; then
		pick '' '' "-w $NODE_ZEN" "-w $NODE_SKYLAKE"
		request+=" $picked"
	fi
	pick '' '' '' --bstrategy=scatter --bfilter=first_core -c4 -c7 \
		"--exclusive -x $NODE_RAPTOR"
	request+=" $picked"
	[[ $picked != *-x* ]] || return 0
	pick '' '' '' "-p virtual" "-x $NODE_TWIN" --mem=600000 \
		--mem-per-cpu=9000
	request+=" $picked"
}

# Two jobs on each of three nodes, and room for both.
hold_some() {
	local node
	local -a options

	for node in "$NODE_ZEN" "$NODE_TWIN" "$NODE_SKYLAKE" "$NODE_ZEN" \
		"$NODE_TWIN" "$NODE_SKYLAKE"; do
		pick "--bunit=T --bamount=1" "--bunit=Y --bamount=2" \
			"--bunit=C --bamount=$((1 + RANDOM % 12))" \
			"-n$((1 + RANDOM % 9))"
		read -r -a options <<<"$picked"
		alloc -t $((20 + RANDOM % 40)) -w "$node" "${options[@]}" \
			--mem=$((RANDOM % 500000)) >/dev/null
	done
}

case_same_answer() {
	compare_random "$1" 15 hold_some make_request
}

case_same_answer_filtered() {
	reconfigure_with "PartitionName=virtual Filter=first_core"
	case_same_answer "$1"
	reconfigure_with
}

# --- GPUs -------------------------------------------------------------------------

# Two on zen, as elsewhere, and four of two types on twin.
give_more_gpus() {
	give_gres "$NODE_TWIN" gpu:small:3,gpu:large:1 \
		"Name=gpu Type=small File=DEVICE0" \
		"Name=gpu Type=small File=DEVICE1" \
		"Name=gpu Type=small File=DEVICE2" \
		"Name=gpu Type=large File=DEVICE3"
	give_gres "$NODE_ZEN" gpu:2 "Name=gpu File=DEVICE0 Cores=0-23" \
		"Name=gpu File=DEVICE1 Cores=24-47"
	start_with_gres "$NODE_ZEN" "$NODE_TWIN"
}

case_gpus() {
	local holder job

	holder=$(alloc -t 20 -w "$NODE_ZEN" --gres=gpu:1 --bcpus=0)
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 --gres=gpu:2 --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_node "$job" "$NODE_ZEN" '[.note, .slots]' \
		'["1 of 2 gpu free, 2 are asked for",0]'
	assert_json "$job" '[.fits_now, .would_fit, .must_end[].job]' \
		"[false,true,\"$holder\"]"
	assert_contains "summary" "units for it now, but with gpu only when" \
		"$(explained "$job" | jq .summary)"
	assert_contains "table" "1: $holder of root, 1 gpu until" \
		"$(topobind explain "$job")"
	assert_node "$job" "$NODE_SKYLAKE" .closed \
		'"not one of the nodes that the job requires"'
	cancel "$holder"
	wait_until 20 runs "$job"
	job=$(batch -H -N1 --gres=gpu:large:1 --bunit=X --bamount=1)
	wait_until 20 all_show_bindings "$job"
	assert_node "$job" "$NODE_ZEN" .closed '"0 gpu:large there, 1 is asked for"'
}

# Of whom a user may not see, devices are held all the same.
case_hidden_gpus() {
	local job

	hide_jobs
	alloc -t 20 -w "$NODE_ZEN" --gres=gpu:2 --bcpus=0 >/dev/null
	job=$(nobody_batch -N1 -w "$NODE_ZEN" --gres=gpu:1 --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$job"
	exits 0 "0 of 2 gpu free" as_nobody topobind explain "$job"
	exits 0 "have ended: hidden jobs; when" as_nobody topobind explain "$job"
}

# In request: options that go together.
make_request_of_gpus() {
	pick X X C C S
	request="-t 5 --bunit=$picked"
	pick 1 1 2 3
	request+=" --bamount=$picked"
	pick "-n1 --gres=gpu:1" "-N1 -n2 --gres=gpu:2" "-N1 -n1 --gpus=1" \
		"-N1 -n2 --gpus=3" "-N1-2 -n4 --gpus=4" "-N2 -n2 --gpus=5" \
		"-N2 -n3 --gpus=2" "-n2 --gpus-per-task=1" "-n3 --gpus-per-task=1" \
		"-N1 -n2 --gpus-per-task=small:1" "-N1 --gres=gpu:small:3" \
		"-N1 --gres=gpu:large:1" "-N2 --gpus-per-node=1" \
		"-N1 -n2 --btype=host --gpus=2" "-N1 -n4 --ntasks-per-gpu=2"
	request+=" $picked"
}

hold_some_gpus() {
	local node
	local -a options

	for node in "$NODE_ZEN" "$NODE_TWIN" "$NODE_TWIN"; do
		pick --gres=gpu:1 --gpus=1 "" "-n1 --gpus-per-task=1"
		read -r -a options <<<"--bunit=C --bamount=$((1 + RANDOM % 9)) $picked"
		alloc -t $((20 + RANDOM % 40)) -w "$node" "${options[@]}" >/dev/null
	done
}

case_same_answer_of_gpus() {
	compare_random "$1" 12 hold_some_gpus make_request_of_gpus
}

# --- any job ----------------------------------------------------------------------

case_running() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	exits 0 "is running" topobind explain "$job"
	assert_json "$job" .state '"RUNNING"'
	assert_eq "grant" "$(comment_word "$job" grant)" \
		"$(explained "$job" | jq -r '.grants[] | (.nodes | join(",")) + ":" + .topology')"
}

case_others() {
	local job

	exits 2 "is not a job id" topobind explain soon
	exits 2 "leave out" topobind explain 1 2
	exits 2 "knows no such job" topobind explain 999999
	job=$(alloc -w "$NODE_ZEN" -n1)
	exits 1 "has no binding" topobind explain "$job"
	exits 2 "no such task or part" topobind explain "${job}_4"
	cancel "$job"
	exits 1 "is over" topobind explain "$job"
}

# Slurm does not ask about them, and their binding is shown all the same.
case_not_asked_about() {
	local held drained limited

	scontrol update NodeName="$NODE_TWIN" State=DRAIN Reason=test
	scontrol update PartitionName=virtual MaxNodes=1
	held=$(batch -H -w "$NODE_ZEN" --bunit=X --bamount=1)
	drained=$(batch -w "$NODE_TWIN" --bunit=X --bamount=2)
	limited=$(batch -p virtual -N2 --bunit=X --bamount=3)
	wait_until 20 shows_binding "$held" bunit=X,bamount=1
	wait_until 20 shows_binding "$drained" bunit=X,bamount=2
	wait_until 20 shows_binding "$limited" bunit=X,bamount=3
	exits 0 "waits: JobHeldUser" topobind explain "$held"
	assert_json "$held" .fits_now true
	exits 0 "a node that the job requires is out of service" \
		topobind explain "$drained"
	exits 0 "waits: PartitionNodeLimit" topobind explain "$limited"
	scontrol update NodeName="$NODE_TWIN" State=RESUME
	scontrol update PartitionName=virtual MaxNodes=UNLIMITED
	wait_until 20 runs "$drained"
}

shows_binding() {
	[ "$(topobind job --json "$1" | jq -r '.jobs[0].request')" = "$2" ]
}

case_array() {
	local job

	alloc -t 20 -w "$NODE_ZEN" --bcpus=0 >/dev/null
	job=$(batch --array=2-40:2 -w "$NODE_ZEN" -N1 --bunit=X --bamount=8)
	wait_until 20 runs "${job}_2"
	wait_until 20 was_passed_over "${job}_6"
	exits 0 "is running" topobind explain "${job}_2"
	exits 0 "waits" topobind explain "${job}_40"
	exits 0 "waits" topobind explain "${job}_6"
	exits 2 "no such task or part" topobind explain "${job}_7"
	assert_json "${job}_40" '[.must_end[].job]' "[\"${job}_2\"]"
}

case_heterogeneous() {
	local job

	alloc -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	job=$(sbatch --parsable -o /dev/null -N1 -w "$NODE_TWIN" \
		--bunit=X --bamount=1 : -N1 -w "$NODE_ZEN" --bunit=S --bamount=1 \
		--wrap 'exec sleep 600')
	wait_until 30 explained_as "$job+1" false
	exits 0 "1 slot of 1 S unit" topobind explain "$job+1"
	assert_node "$job+1" "$NODE_ZEN" .free_units 0
}

explained_as() {
	[ "$(explained "$1" 2>/dev/null | jq .fits_now)" = "$2" ]
}

# The site binds it: as many cores as hold its tasks.
case_implicit() {
	local holder job

	reconfigure_with Implicit=yes DefaultUnit=C
	holder=$(alloc -t 20 -w "$NODE_ZEN" --bunit=C --bamount=46)
	job=$(batch -N1 -w "$NODE_ZEN" -n2 -c4)
	wait_until 20 was_passed_over "$job"
	assert_node "$job" "$NODE_ZEN" \
		'[.free_units, .units, .needed_units, .slots]' '[2,48,2,1]'
	assert_json "$job" '[.must_end[].job]' "[\"$holder\"]"
	reconfigure_with
	cancel "$job" "$holder"
}

# Of small caches a task has two, of large ones one: on each node its own.
case_implicit_unlike() {
	local job others="$NODE_THIS,$NODE_TWIN,$NODE_RAPTOR"

	reconfigure_with Implicit=yes DefaultUnit=X
	alloc -t 20 -w "$NODE_SKYLAKE" --bunit=S --bamount=2 >/dev/null
	alloc -t 30 -w "$NODE_ZEN" --bunit=X --bamount=15 >/dev/null
	job=$(batch -N1 -x "$others" -n1 -c12)
	wait_until 20 was_passed_over "$job"
	assert_node "$job" "$NODE_ZEN" \
		'[.free_units, .units, .needed_units, .slots]' '[1,16,2,0]'
	assert_node "$job" "$NODE_SKYLAKE" \
		'[.free_units, .units, .needed_units, .slots]' '[0,2,1,0]'
	reconfigure_with
}

# The table says the same as the JSON, in lines.
case_table() {
	local holder job output

	holder=$(alloc -t 20 -w "$NODE_ZEN" --bcpus=0,48)
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$job"
	output=$(topobind explain "$job")
	assert_eq "row" "$NODE_ZEN 0 2 1 0 2: $holder of root until $(
		job_field "$holder" EndTime)" \
		"$(grep "^$NODE_ZEN " <<<"$output" | tr -s ' ')"
	assert_contains "summary" \
		"when these have ended: job $holder of root; by their time limits that is at $(job_field "$holder" EndTime)" \
		"$output"
}

# --- what a user may see ------------------------------------------------------------

as_nobody() {
	setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
}

nobody_batch() {
	as_nobody sbatch --parsable -o /dev/null -D / "$@" --wrap 'exec sleep 600'
}

case_hidden() {
	local job holder

	holder=$(alloc -t 20 -w "$NODE_ZEN" --bcpus=0,48)
	job=$(nobody_batch -N1 -w "$NODE_ZEN" --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_eq "must end, as everybody sees it" "[\"$holder\"]" \
		"$(as_nobody topobind explain --json "$job" |
			jq -c '[.jobs[0].must_end[].job]')"
	hide_jobs
	assert_eq "must end, hidden" '[null]' \
		"$(as_nobody topobind explain --json "$job" |
			jq -c '[.jobs[0].must_end[].job]')"
	assert_eq "free units" 0 "$(as_nobody topobind explain --json "$job" |
		jq '.jobs[0]' | of_node "$NODE_ZEN" .free_units)"
	exits 0 "hidden jobs; when that is, is hidden" \
		as_nobody topobind explain "$job"
	exits 2 "does not show it to you" as_nobody topobind explain "$holder"
	assert_json "$job" '[.must_end[].job]' "[\"$holder\"]"
}

hide_jobs() {
	echo PrivateData=jobs >>"$cluster/etc/slurm.conf"
	reconfigure
	wait_until 20 jobs_are_hidden
}

jobs_are_hidden() {
	[ -z "$(as_nobody squeue -h -u root)" ]
}

cluster_start --nodes this,zen,twin,skylake,raptor --slurm GresTypes=gpu
test_case "who holds what until when" case_who_holds_what
test_case "who has to end" case_who_has_to_end
test_case "when all who are named have ended it starts, not before" \
	case_ends_suffice
test_case "Slurm's expected start" case_expected_start
test_case "a job without an end" case_no_end
test_case "nodes that it cannot have" case_closed_nodes
test_case "other shapes" case_shapes
test_case "features and memory" case_features_and_memory
test_case "reserved nodes" case_reserved
test_case "all jobs of mine that wait" case_own
test_case "equal nodes are one row" case_equal_nodes
test_case "filters of topobind.conf" case_filters
test_case "the same answer as the controller's, 1" case_same_answer 5
test_case "the same answer as the controller's, 2" case_same_answer 6
test_case "the same answer as the controller's, with filters" \
	case_same_answer_filtered 7
test_case "a job that runs" case_running
test_case "jobs that there is nothing to explain of" case_others
test_case "jobs that Slurm does not ask about" case_not_asked_about
test_case "tasks of an array" case_array
test_case "parts of a heterogeneous job" case_heterogeneous
test_case "a job that the site binds" case_implicit
test_case "bound by the site: unlike nodes" case_implicit_unlike
test_case "the table" case_table
give_more_gpus
test_case "GPUs" case_gpus
test_case "the same answer as the controller's, of GPUs" case_same_answer_of_gpus 2
test_case "jobs that are hidden" case_hidden
test_case "GPUs of hidden jobs" case_hidden_gpus
tests_done
