#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# metrics - topobind metrics: what Prometheus is told is what Slurm has booked, what
# can be placed, and what was asked of slurmctld
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/page.bash
. "$(dirname "$0")/page.bash"
# shellcheck source=test/integration/metrics.bash
. "$(dirname "$0")/metrics.bash"

# --- reading ----------------------------------------------------------------------

# cluster_sample NAME [LABEL=VALUE...] - of the cluster now
cluster_sample() {
	topobind metrics >"$work/metrics"
	sample "$work/metrics" "$@"
}

# assert_sample WANTED NAME [LABEL=VALUE...]
assert_sample() {
	assert_eq "${*:2}" "$1" "$(cluster_sample "${@:2}")"
}

# --- the cluster ------------------------------------------------------------------

# fitting NODE TOKEN UNIT - single units that topobind place puts there
fitting() {
	topobind place --topology "$(node_token "$1" "$2")" --slots 1000 \
		--bunit "$3" --bamount 1 --json | jq .slots
}

# placeable PARTITION TOKEN UNIT - on all its nodes
placeable() {
	local node sum=0

	for node in $(sinfo -h -N -p "$1" -o %N); do
		sum=$((sum + $(fitting "$node" "$2" "$3")))
	done
	echo "$sum"
}

# asked_for UNIT - units of it that running jobs asked for, by their requests
asked_for() {
	squeue -h -t R -o %i | while read -r job; do
		echo "$(binding "$job") $(job_field "$job" NumTasks)"
	done | awk -v wanted="$1" '
		!/bamount=/ { next }
		{
			unit = match($0, /bunit=[A-Z]+/) \
				? substr($0, RSTART + 6, RLENGTH - 6) : "C"
			match($0, /bamount=[0-9]+/)
			amount = substr($0, RSTART + 8, RLENGTH - 8)
			if (unit == wanted)
				sum += amount * ($0 ~ /btype=host/ ? 1 : $NF)
		}
		END { print sum + 0 }'
}

assert_cluster() {
	local unit

	topobind metrics >"$work/metrics"
	assert_well_formed "$work/metrics"
	for unit in X C E EX; do
		assert_eq "$unit" "$(placeable virtual m_topology "$unit")" \
			"$(sample "$work/metrics" topobind_units \
				partition=virtual unit="$unit")"
		assert_eq "free $unit" \
			"$(placeable virtual m_topology_inuse "$unit")" \
			"$(sample "$work/metrics" topobind_units_free \
				partition=virtual unit="$unit")"
	done
	for unit in S X C T E; do
		assert_eq "granted $unit" "$(asked_for "$unit")" \
			"$(sample "$work/metrics" topobind_units_granted \
				partition=main unit="$unit")"
	done
	assert_eq "running" "$(bound_jobs | wc -l)" "$(sample "$work/metrics" \
		topobind_jobs partition=main state=running)"
}

bound_jobs() {
	facts | awk '$1 == "grant" { print $2 }' | sort -u
}

case_jobs_come_and_go() {
	local jobs=() job

	assert_cluster
	jobs+=("$(alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=2)")
	jobs+=("$(alloc -w "$NODE_ZEN" -n1)")
	assert_cluster
	jobs+=("$(alloc -w "$NODE_RAPTOR" -n3 --bunit=E --bamount=1)")
	jobs+=("$(alloc -w "$NODE_TWIN" --btype=host -n4 --bunit=S --bamount=1)")
	jobs+=("$(alloc -N2 -n6 -w "$NODE_ZEN,$NODE_TWIN" --bamount=2)")
	assert_cluster
	for job in "${jobs[@]}"; do
		cancel "$job"
	done
	assert_cluster
}

# Two free cores of a cache whose third is in use are fragments.
case_fragmentation() {
	alloc -w "$NODE_ZEN" --bcpus=0,6,12 >/dev/null
	assert_sample 6 topobind_cores_fragmented partition=virtual
	assert_sample 3 topobind_units_broken partition=virtual unit=X
	# A core has two threads.
	assert_sample 6 topobind_units_granted partition=main unit=T
	assert_sample "$(awk "BEGIN { printf \"%.9g\", 6 / $(
		cluster_sample topobind_cores_free partition=virtual) }")" \
		topobind_fragmentation_ratio partition=virtual
	# The largest block of caches is the other socket's.
	alloc -w "$NODE_TWIN" --bcpus=0,48 >/dev/null
	assert_sample 8 topobind_units_largest_block partition=virtual unit=X
}

case_out_of_service() {
	local free units

	free=$(cluster_sample topobind_units_free partition=virtual unit=X)
	units=$(cluster_sample topobind_units partition=virtual unit=X)
	assert_sample 0 topobind_units_offline partition=virtual unit=X
	scontrol update NodeName="$NODE_TWIN" State=DRAIN Reason=test
	trap 'scontrol update NodeName=$NODE_TWIN State=RESUME' EXIT
	assert_sample 16 topobind_units_offline partition=virtual unit=X
	assert_sample $((free - 16)) topobind_units_free partition=virtual unit=X
	assert_sample "$units" topobind_units partition=virtual unit=X
	assert_sample "$(($(sinfo -h -N -p virtual -o %N | wc -l) - 1))" \
		topobind_nodes_in_service partition=virtual
}

case_waiting() {
	local job

	alloc -w "$NODE_ZEN" --bunit=S --bamount=2 >/dev/null
	assert_sample 0 topobind_jobs partition=main state=waiting
	job=$(batch -w "$NODE_ZEN" --bunit=X --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_sample 1 topobind_jobs partition=main state=waiting
	cancel "$job"
	assert_sample 0 topobind_jobs partition=main state=waiting
}

# --- what slurmctld counts --------------------------------------------------------

prom() {
	echo "$work/topobind.prom"
}

# counted NAME [LABEL=VALUE...] - in the file
counted() {
	sample "$(prom)" "$@"
}

# All that was asked before this is in the file: it has been written twice since,
# so once from its beginning.  A question about the future makes it be written.
settle() {
	write_again
	write_again
}

write_again() {
	local before

	before=$(asked_of_future)
	sbatch --test-only -w "$NODE_RAPTOR" --bunit=C --bamount=1 --wrap true \
		2>/dev/null || true
	wait_until 30 is_asked_more "$before"
}

asked_of_future() {
	counted topobind_placements_tried_total mode=future
}

is_asked_more() {
	[ "$(asked_of_future)" -gt "$1" ]
}

# refused MODE... REASON - how often, as the file has it
refused() {
	local reason=${*: -1} mode sum=0

	for mode in "${@:1:$#-1}"; do
		sum=$((sum + $(counted topobind_placements_refused_total \
			mode="$mode" reason="$reason")))
	done
	echo "$sum"
}

all_refused() {
	awk '/^topobind_placements_refused_total/ { sum += $2 } END { print sum }' \
		"$(prom)"
}

# but_future - what is in the file of other questions
but_future() {
	grep -v -e '^#' -e 'mode="future"' "$(prom)"
}

# Answers are as many as questions, and each took some time.
assert_adds_up() {
	local mode granted preempting refused

	assert_well_formed "$(prom)"
	for mode in start future ever; do
		granted=$(counted topobind_placements_granted_total mode="$mode")
		preempting=0
		[ "$mode" != start ] ||
			preempting=$(counted topobind_placements_preempting_total)
		refused=$(awk -v mode="mode=\"$mode\"" '
			/^topobind_placements_refused_total/ && index($1, mode) {
				sum += $2 }
			END { print sum }' "$(prom)")
		assert_eq "answers, $mode" \
			"$(counted topobind_placements_tried_total mode="$mode")" \
			$((granted + preempting + refused))
		assert_eq "times, $mode" \
			"$(counted topobind_placements_tried_total mode="$mode")" \
			"$(counted topobind_placement_seconds_count mode="$mode")"
		assert_eq "times up to infinity, $mode" \
			"$(counted topobind_placements_tried_total mode="$mode")" \
			"$(counted topobind_placement_seconds_bucket mode="$mode" le=+Inf)"
	done
}

case_starts() {
	local before plain

	settle
	before=$(counted topobind_placements_granted_total mode=start)
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	alloc -N2 -n4 -w "$NODE_ZEN,$NODE_TWIN" --bunit=X --bamount=1 >/dev/null
	batch -w "$NODE_TWIN" --array=1-3 --bunit=C --bamount=1 >/dev/null
	wait_until 30 are_running 5
	settle
	assert_eq "started" $((before + 5)) \
		"$(counted topobind_placements_granted_total mode=start)"
	# Without a binding nothing is counted.
	before=$(but_future)
	plain=$(alloc -w "$NODE_ZEN" -n1)
	runs "$plain"
	settle
	assert_eq "after a plain job" "$before" "$(but_future)"
	assert_adds_up
}

are_running() {
	[ "$(squeue -h -r -t R | wc -l)" -eq "$1" ]
}

# Slurm asks as often for each of several equal submissions.
case_never() {
	local before one

	settle
	before=$(refused ever never)
	refute sbatch -w "$NODE_ZEN" --bunit=X --bamount=17 --wrap true
	settle
	one=$(($(refused ever never) - before))
	assert [ "$one" -ge 1 ]
	for _ in 1 2 3; do
		refute sbatch -w "$NODE_ZEN" --bunit=X --bamount=17 --wrap true
	done
	settle
	assert_eq "four times" $((4 * one)) $(($(refused ever never) - before))
	assert_adds_up
}

# assert_waits_for REASON OPTION... - a job does, and nothing else is counted
assert_waits_for() {
	local reason=$1 before others job

	shift
	settle
	before=$(refused start future "$reason")
	others=$(($(all_refused) - before))
	job=$(batch "$@")
	wait_until 60 is_refused_more "$before" start future "$reason"
	scontrol show job "$job" | grep SystemComment
	cancel "$job"
	settle
	assert_eq "other refusals" "$others" \
		$(($(all_refused) - $(refused start future "$reason")))
	assert_adds_up
}

case_units() {
	alloc -w "$NODE_ZEN" --bunit=S --bamount=2 >/dev/null
	assert_waits_for units -w "$NODE_ZEN" --bunit=X --bamount=1
}

case_fragmented() {
	alloc -w "$NODE_ZEN" --bcpus="$(seq -s, 0 6 90)" >/dev/null
	assert_waits_for fragmented -w "$NODE_ZEN" --bunit=X --bamount=1
}

case_slots() {
	alloc -w "$NODE_ZEN" --bunit=S --bamount=1 >/dev/null
	assert_waits_for slots -N1 -n2 -w "$NODE_ZEN" --bunit=S --bamount=1
}

case_memory() {
	alloc -w "$NODE_ZEN" --mem=900000 --bunit=X --bamount=1 >/dev/null
	assert_waits_for memory -w "$NODE_ZEN" --mem=200000 --bunit=X --bamount=1
}

case_gres() {
	alloc -w "$NODE_ZEN" -n2 --gres=gpu:2 --bunit=X --bamount=1 >/dev/null
	assert_waits_for gres -w "$NODE_ZEN" --gres=gpu:1 --bunit=X --bamount=1
}

is_refused_more() {
	[ "$(refused "${@:2}")" -gt "$1" ]
}

# From a client that goes around the plugin's checks.
case_request() {
	local before job

	settle
	before=$(refused ever request)
	job=$("$work/hostile" "$NODE_ZEN" _SLURM_SPANK_OPTION_topobind_bunit=Q \
		2>/dev/null) || true
	assert_eq "a job" "" "$job"
	settle
	assert [ "$(refused ever request)" -gt "$before" ]
	assert_adds_up
}

case_preempting() {
	local before low high

	settle
	before=$(counted topobind_placements_preempting_total)
	low=$(batch -p low -w "$NODE_ZEN" --bunit=S --bamount=2)
	wait_until 20 runs "$low"
	high=$(batch -p urgent -w "$NODE_ZEN" --bunit=S --bamount=1)
	wait_until 60 runs "$high"
	settle
	assert [ "$(counted topobind_placements_preempting_total)" -gt "$before" ]
	assert_adds_up
}

case_times() {
	local mode le count last sum

	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	settle
	for mode in start future ever; do
		last=0
		while read -r le count; do
			[ "$count" -ge "$last" ] || fail "$mode: fewer up to $le"
			last=$count
		done < <(sed -n -E 's/^topobind_placement_seconds_bucket\{mode="'"$mode"'",le="(.*)"\} (.*)/\1 \2/p' "$(prom)")
		assert_eq "the last, $mode" "$last" \
			"$(counted topobind_placement_seconds_count mode="$mode")"
	done
	sum=$(counted topobind_placement_seconds_sum mode=start)
	awk -v sum="$sum" -v seconds="$SECONDS" \
		'BEGIN { exit !(sum > 0 && sum < seconds) }' ||
		fail "$sum seconds of $SECONDS"
}

# --- the file ---------------------------------------------------------------------

case_both() {
	settle
	topobind metrics --controller "$(prom)" >"$work/both"
	assert_well_formed "$work/both"
	assert_eq "slurmctld's part" "$(cat "$(prom)")" \
		"$(grep -F -x -f "$(prom)" "$work/both")"
	assert_contains "the cluster's part" 'topobind_units{partition="main"' \
		"$(cat "$work/both")"
}

# Whoever reads finds all of it, at any time.
case_whole() {
	local last

	last=$(tail -n 1 "$(prom)" | cut -d ' ' -f 1)
	for _ in {1..40}; do
		alloc -w "$NODE_ZEN" --bunit=C --bamount=1 >/dev/null
		assert_eq "last line" "$last" \
			"$(tail -n 1 "$(prom)" | cut -d ' ' -f 1)"
	done
	assert_eq "mode" 644 "$(stat -c %a "$(prom)")"
	refute compgen -G "$(prom).*.new"
}

# A link in a directory where others may write leads nowhere.
case_no_links() {
	echo precious >"$work/precious"
	ln -s "$work/precious" \
		"$work/other.prom.$(daemon slurmctld pid).new"
	ln -s "$work/precious" "$work/other.prom"
	trap 'reconfigure_with "${file[@]}"' EXIT
	reconfigure_with MetricsFile="$work/other.prom" MetricsInterval=1
	wait_until 20 test ! -L "$work/other.prom"
	assert_well_formed "$work/other.prom"
	assert_eq "the other file" precious "$(cat "$work/precious")"
}

# slurmctld goes on, and writes as soon as it can.
case_no_directory() {
	trap 'reconfigure_with "${file[@]}"' EXIT
	reconfigure_with MetricsFile="$work/later/topobind.prom" MetricsInterval=1
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	mkdir "$work/later"
	wait_until 20 test -s "$work/later/topobind.prom"
	assert_eq started "$(counted topobind_placements_granted_total mode=ever)" \
		"$(sample "$work/later/topobind.prom" \
			topobind_placements_granted_total mode=ever)"
}

# What was counted last is written at the end, and a new slurmctld begins anew.
case_restart() {
	local before

	settle
	trap 'reconfigure_with "${file[@]}"' EXIT
	reconfigure_with "${file[0]}" MetricsInterval=3600
	# Later Slurms go on in another slurmctld: it writes once when it begins,
	# and looks twice in a second whether it has to.
	wait_until 60 is_left_alone
	before=$(counted topobind_placements_granted_total mode=start)
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	assert_eq "not yet" "$before" \
		"$(counted topobind_placements_granted_total mode=start)"
	daemon slurmctld stop
	assert_eq "at the end" $((before + 1)) \
		"$(counted topobind_placements_granted_total mode=start)"
	daemon slurmctld start
	wait_until 20 is_counted 0 topobind_placements_granted_total mode=start
	assert_well_formed "$(prom)"
}

# Nobody has written for ten times as long as slurmctld takes to look.
is_left_alone() {
	[ $((EPOCHSECONDS - $(stat -c %Y "$(prom)"))) -gt 5 ]
}

is_counted() {
	[ "$(counted "${@:2}")" = "$1" ]
}

# What slurmctld counts is written further on when it has refused a file.
case_refused_reconfigure() {
	local before

	settle
	before=$(counted topobind_placements_granted_total mode=start)
	trap 'reconfigure_with "${file[@]}"' EXIT
	reconfigure_refused_with "${file[@]}" Nonsense=yes
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	wait_until 20 is_counted $((before + 1)) \
		topobind_placements_granted_total mode=start
}

# --- soft binding -----------------------------------------------------------------

case_soft() {
	local job name

	: >"$work/load"
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" --bmode=soft \
		--bunit=C --bamount=1 --wrap \
		"while [ -e $work/load ]; do :; done; exec sleep 600")
	wait_until 30 runs "$job"
	wait_until 60 has_choices "$job"
	rm "$work/load"
	topobind soft --node "$NODE_THIS" --json >"$work/first"
	topobind metrics --soft --node "$NODE_THIS" >"$work/soft"
	topobind soft --node "$NODE_THIS" --json >"$work/last"
	assert_well_formed "$work/soft"
	assert_eq on 1 "$(sample "$work/soft" topobind_soft_on)"
	assert_eq tasks "$(jq '.steps[0].tasks' "$work/first")" \
		"$(sample "$work/soft" topobind_soft_tasks step="$job.batch")"
	for name in preferred allowed smoothed; do
		assert_between "$name" "$(jq ".steps[0].$name" "$work/first")" \
			"$(sample "$work/soft" topobind_soft_choices_total \
				step="$job.batch" choice="$name")" \
			"$(jq ".steps[0].$name" "$work/last")"
	done
	cancel "$job"
	topobind metrics --soft --node "$NODE_THIS" >"$work/soft"
	assert_eq "a step that is gone" "" "$(grep "$job.batch" "$work/soft" || true)"
	topobind soft --node "$NODE_THIS" off
	topobind metrics --soft --node "$NODE_THIS" >"$work/soft"
	topobind soft --node "$NODE_THIS" on
	assert_eq off 0 "$(sample "$work/soft" topobind_soft_on)"
}

# A job that has two units and loads one CPU: one of them is idle, the other is not.
case_usage() {
	local job unit cpus

	topobind metrics --usage --node "$NODE_THIS" >"$work/usage"
	assert_well_formed "$work/usage"
	assert_eq "nobody has any" 0 "$(sample "$work/usage" \
		topobind_node_units_used "node=$NODE_THIS" unit=C)"
	cpus=$(nproc)
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" --bunit=C \
		"--bamount=$cpus" --wrap 'while :; do :; done')
	wait_until 30 runs "$job"
	wait_until 60 units_are_busy
	topobind metrics --usage=2 --node "$NODE_THIS" >"$work/usage"
	assert_well_formed "$work/usage"
	for unit in S C; do
		assert_eq "units $unit that jobs have" \
			"$(topobind nodes -N -h -O units "$NODE_THIS" |
				tr ',' '\n' | sed -n "s/^$unit:.*\///p")" \
			"$(sample "$work/usage" topobind_node_units_used \
				"node=$NODE_THIS" "unit=$unit")"
	done
	cancel "$job"
	exits 2 "another topology" topobind metrics --usage --node "$NODE_ZEN"
	exits 2 "knows no node" topobind metrics --usage --node none
	exits 2 "give 1 to 3600" topobind metrics --usage=0
	exits 2 "goes with --soft or --usage" topobind metrics --node "$NODE_THIS"
}

units_are_busy() {
	topobind metrics --usage --node "$NODE_THIS" >"$work/usage"
	awk -v least="$(awk "BEGIN { print 0.6 / $cpus }")" \
		'/^topobind_node_units_busy_ratio.*unit="C"/ { exit !($2 >= least) }' \
		"$work/usage"
}

has_choices() {
	topobind soft --node "$NODE_THIS" --json | jq -e \
		".steps[] | select(.step == \"$1.batch\" and .preferred + .allowed > 10)" \
		>/dev/null
}

assert_between() {
	assert [ "$2" -le "$3" ]
	assert [ "$3" -le "$4" ]
}

# --- errors -----------------------------------------------------------------------

case_errors() {
	is_refused metrics 'one argument too many' now
	is_refused metrics '--node goes with --soft' --node x
	is_refused metrics 'unrecognized option' --nothing
	is_refused metrics 'No such file' --controller "$work/nowhere"
	is_refused metrics 'is not a file that slurmctld has written' \
		--controller /etc/passwd
	is_refused metrics 'is this the node' --soft --node nowhere
	: >"$work/empty"
	is_refused metrics 'is not a file that slurmctld has written' \
		--controller "$work/empty"
	is_refused metrics 'Is a directory' --controller "$work"
	# Nobody waits for its other end.
	mkfifo "$work/pipe"
	is_refused metrics 'is not a file that slurmctld has written' \
		--controller "$work/pipe"
}

case_manual() {
	alloc -w "$NODE_CHIP" --bunit=C --bamount=1 >/dev/null
	alloc -w "$NODE_MA" --bunit=X --bamount=1 >/dev/null
	alloc -w "$NODE_MA" --bunit=C --bamount=2 >/dev/null
	assert_page metrics -e 's/\bbatch\b/virtual/g'
}

cluster_start --nodes this,zen,twin,raptor \
	--slurm GresTypes=gpu --slurm PreemptType=preempt/partition_prio \
	--slurm PreemptMode=CANCEL \
	--slurm "PartitionName=low Nodes=ALL PriorityTier=1 DefaultTime=10" \
	--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10" \
	--topobind SoftUtilLowPct=10 --topobind SoftIntervalMs=50
test_case "jobs come and go" case_jobs_come_and_go
test_case "fragmentation" case_fragmentation
test_case "nodes out of service" case_out_of_service
test_case "jobs that wait" case_waiting
compile_client hostile
file=("MetricsFile=$work/topobind.prom" MetricsInterval=1)
give_gpus
reconfigure_with "${file[@]}"
wait_until 30 test -s "$(prom)"
test_case "jobs that start" case_starts
test_case "jobs that can never start" case_never
test_case "no units" case_units
test_case "broken units" case_fragmented
test_case "too few slots" case_slots
test_case "no memory" case_memory
test_case "no GRES" case_gres
test_case "a request that makes no sense" case_request
test_case "preemption" case_preempting
test_case "times" case_times
test_case "slurmctld's part beside the cluster's" case_both
test_case "the file is whole at any time" case_whole
test_case "links are not followed" case_no_links
test_case "a directory that is not there" case_no_directory
test_case "a restart" case_restart
test_case "a reconfigure that is refused" case_refused_reconfigure
test_case "soft binding" case_soft
test_case "how busy units are" case_usage
test_case "wrong arguments" case_errors
cluster_stop
cluster_start --nodes this "${page_nodes[@]}"
test_case "the example of the manual" case_manual
tests_done
