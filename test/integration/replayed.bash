# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # variables of who sources it
#
# replayed.bash - sourced after lib.sh: a load that is recorded, and topobind whatif of it
#
# Time passes in ticks: jobs end, others come, and slurmctld's scheduler has its turn
# until nothing changes.  Nobody runs on the nodes; jobs hold their cores until they are
# cancelled.  Who sources this has set
#
#	nodes		so many of each way
#	node		the topology of each; or
#	shapes		of the first, the second and so on
#	last		tick in which jobs come
#	origin		second of the history before the first tick
#	tick_seconds	of the history
#
# and defines
#
#	make_load SEED	the jobs of a way, a line each: tick, ticks that it runs, limit in
#			minutes, nodes, tasks, CPUs of a task
#
# and may set, before, ways and speeds, of the first node, the second and so on, and define
# way_options; and, after, take_turn.

[ -v ways ] || ways=(plain explicit implicit)

# node_topology I - of the node at this place of a way, from 0 on
node_topology() {
	echo "${shapes[$1]:-$node}"
}

# Options of sbatch for a job of a way.
declare -F way_options >/dev/null || way_options() {
	[ "$1" != explicit ] || echo --bunit=X --bamount=1
}

# The nodes at this place, one of each way.
nodes_at() {
	local i list=()

	for ((i = 0; i < ${#ways[@]}; i++)); do
		list+=(n$((nodes * i + 1 + $1)))
	done
	(IFS=, && echo "${list[*]}")
}

# count LETTER TOPOLOGY
count() {
	local others=${2//[^$1]/}

	echo ${#others}
}

# start_replayed_cluster SCHEDULER-PARAMETERS [OPTION...] - a partition of each way; memory
# is in proportion to cores
start_replayed_cluster() {
	local options=() i topology sockets cores

	for ((i = 0; i < ${#ways[@]}; i++)); do
		options+=(--slurm "PartitionName=${ways[i]} Nodes=n[$((nodes * i + 1))-$((nodes * (i + 1)))] DefaultTime=60 State=UP")
	done
	for ((i = 0; i < nodes; i++)); do
		topology=$(node_topology "$i")
		sockets=$(count S "$topology")
		cores=$(count C "$topology")
		options+=(--slurm "NodeName=$(nodes_at "$i") NodeAddr=127.0.0.1 State=CLOUD Sockets=$sockets CoresPerSocket=$((cores / sockets)) ThreadsPerCore=1 RealMemory=$((cores * 100))"
			--topobind "NodeName=$(nodes_at "$i") Topology=$topology${speeds[i]:+ Speed=${speeds[i]}}")
	done
	cluster_start --nodes this "${options[@]}" --slurm DefMemPerCPU=100 \
		--slurm SuspendProgram=/bin/true --slurm ResumeProgram=/bin/true \
		--slurm ResumeRate=0 --slurm ResumeTimeout=60000 \
		--slurm SuspendTime=INFINITE --slurm PrivateData=cloud \
		--slurm "SchedulerParameters=$1" "${@:2}"
}

# --- what slurmctld does ---------------------------------------------------------------

# submit WAY RUN LIMIT NODES TASKS CPUS
submit() {
	local options=()

	read -ra options <<<"$(way_options "$1")"
	[ "$4" -eq 1 ] || options+=(-N "$4")
	sbatch --parsable -o /dev/null -p "$1" -t "$3" -n "$5" -c "$6" \
		"${options[@]}" --wrap true || fail "not submitted: $*"
}

# cycles Main|Backfill - so many of that scheduler
cycles() {
	sdiag | awk -v which="$1" '
		/^Main schedule/ || /^Backfill/ { found = index($0, which) == 1 }
		found && /Total cycles:/ { print $3 }'
}

# cycles_are_more_than NUMBER Main|Backfill
cycles_are_more_than() {
	[ "$(cycles "$2")" -gt "$1" ]
}

# set_partitions STATE - by one command
set_partitions() {
	printf "update partitionname=%s state=$1\n" "${ways[@]}" |
		scontrol >/dev/null
}

# Nobody's turn lasts as long as partitions change, so one that is counted later has
# seen all jobs.
schedule() {
	local before

	set_partitions UP
	before=$(cycles Main)
	set_partitions UP
	wait_until 20 cycles_are_more_than "$before" Main
}

end_jobs() {
	local job ends ended=()

	while read -r job ends; do
		[ "$ends" -gt "$tick" ] || ended+=("$job")
	done <"$work/running"
	[ "${#ended[@]}" -gt 0 ] || return 0
	scancel "${ended[@]}"
	wait_until 20 are_over "${ended[@]}"
	awk -v tick="$tick" '$2 > tick' "$work/running" >"$work/still"
	mv "$work/still" "$work/running"
}

are_over() {
	local IFS=,

	[ -z "$(squeue -h -t running,configuring,completing -j "$*" -o %A \
		2>/dev/null)" ]
}

# submit_way WAY - in a file of its own
submit_way() {
	local at rest id

	while read -r at rest; do
		[ "$at" -eq "$tick" ] || continue
		# shellcheck disable=SC2086 # words
		id=$(submit "$1" $rest)
		echo "$id $1 $at $rest"
	done <"$work/load.$1" >"$work/jobs.$1"
}

# Each way in its order.
submit_jobs() {
	local way pid pids=()

	for way in "${ways[@]}"; do
		submit_way "$way" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid"; done
	for way in "${ways[@]}"; do cat "$work/jobs.$way"; done >>"$work/jobs"
}

# What happens in a tick; some who source this have more in it.
take_turn() {
	set_partitions DOWN
	end_jobs
	submit_jobs
	schedule
}

# "JOB NODE CORES" of all that run; one core is one CPU.
running_grants() {
	scontrol show job -d -o | awk '
	function print_nodes(list, cores,   count, i, part, from, to) {
		gsub(/[][n]/, "", list)
		count = split(list, part, ",")
		for (i = 1; i <= count; i++) {
			from = to = part[i]
			sub(/-.*/, "", from)
			sub(/.*-/, "", to)
			for (from += 0; from <= to + 0; from++)
				print job, "n" from, cores
		}
	}
	/ JobState=(RUNNING|CONFIGURING)/ {
		job = substr($1, 7)
		for (i = 1; i < NF; i++)
			if ($i ~ /^Nodes=n/ && $(i + 1) ~ /^CPU_IDs=/)
				print_nodes(substr($i, 7), substr($(i + 1), 9))
	}'
}

# Who has begun in this tick, and on which cores.
look() {
	running_grants >"$work/look"
	awk -v tick="$tick" -v work="$work" '
	FILENAME ~ /started$/ { old[$1]; next }
	FILENAME ~ /jobs$/ { run[$1] = $4; next }
	!($1 in old) {
		print >>(work "/grants")
		if (!seen[$1]++) {
			print $1, tick, tick + run[$1] >>(work "/started.new")
			print $1, tick + run[$1] >>(work "/running")
		}
	}' "$work/started" "$work/jobs" "$work/look"
	cat "$work/started.new" >>"$work/started" 2>/dev/null || true
	rm -f "$work/started.new"
}

# random_load SEED AWK - for make_load.  AWK defines how_many(), the jobs that come in a
# tick, and set_size(kind), which sets nodes and tasks of one that has more than one task,
# by a random number below 1.
random_load() {
	awk -v last="$last" -v seed="$1" "$2"'
	BEGIN {
		srand(seed)
		for (tick = 1; tick <= last; tick++)
			for (more = how_many(); more >= 1; more--) {
				kind = rand()
				nodes = tasks = 1
				each = 2 ^ int(rand() * 3)
				set_size(kind)
				run = 1 + int(rand() * 6)
				print tick, run, 10 * (1 + int(rand() * 3)), nodes,
					tasks, each
			}
	}'
}

record_load() {
	local tick way seed=${TOPOBIND_SEED:-1}

	: >"$work/running"
	: >"$work/jobs"
	: >"$work/started"
	: >"$work/grants"
	for way in "${ways[@]}"; do
		make_load "$seed" >"$work/load.$way"
		seed=$((seed + 1))
	done
	for ((tick = 1; tick <= last || $(wc -l <"$work/started") <
		$(wc -l <"$work/jobs"); tick++)); do
		take_turn
		look
		[ "$tick" -lt 400 ] || fail "jobs do not start"
	done
}

# --- the same once more -----------------------------------------------------------------

# As sacct -P would print it.
history_of() {
	echo 'JobID|Submit|Start|End|Timelimit|NNodes|NTasks|ReqCPUS'
	awk -v OFS='|' -v way="$1" -v origin="$origin" -v each="$tick_seconds" '
	function time_of(tick) { return origin + tick * each }
	FNR == NR { start[$1] = time_of($2); end[$1] = time_of($3); next }
	$2 == way { print $1, time_of($3), start[$1], end[$1], "00:" $5 ":00",
		$6, $7, $7 * $8 }' "$work/started" "$work/jobs"
}

# "JOB START NODE CORES", sorted
recorded() {
	awk -v origin="$origin" -v each="$tick_seconds" '
		FNR == NR { start[$1] = origin + $2 * each; next }
		{ print $1, start[$1], $2, $3 }' "$work/started" "$work/grants" |
		sort -n
}

# The options of topobind whatif for the nodes of a way, from the first on.
whatif_nodes() {
	local i

	for ((i = 0; i < nodes; i++)); do
		echo "--topology=n$(($1 + i))=$(node_topology "$i")"
		[ -z "${speeds[i]:-}" ] || echo "--speed=n$(($1 + i))=${speeds[i]}"
	done
}

# assert_replayed WAY UNDER FIRST BACKFILL - on its nodes, from the first
assert_replayed() {
	local jobs others starts options

	readarray -t options < <(whatif_nodes "$3")
	history_of "$1" >"$work/history"
	topobind whatif --history "$work/history" --backfill "$4" \
		"${options[@]}" --under "$2" --starts "$work/starts" >"$work/table"
	awk -F '|' 'NR > 1 { print $2, $4, $6, $7 }' "$work/starts" |
		sort -n >"$work/replayed"
	cut -d '|' -f 1 "$work/history" | sed 1d | sort >"$work/ids"
	recorded | awk 'FNR == NR { is[$1]; next } $1 in is' "$work/ids" - \
		>"$work/recorded"
	jobs=$(wc -l <"$work/ids")
	starts=$(comm -12 <(cut -d ' ' -f 1,2 "$work/recorded" | sort -u) \
		<(cut -d ' ' -f 1,2 "$work/replayed" | sort -u) | wc -l)
	others=$(comm -3 <(sort "$work/recorded") <(sort "$work/replayed") |
		awk '{ print $1 }' | sort -u | wc -l)
	diff "$work/recorded" "$work/replayed" | head -n 40 || true
	echo "$jobs jobs, $starts start when they did, $others have other cores"
	assert test "$jobs" -gt 40
	assert test $((starts * 100)) -ge $((jobs * 99))
	assert test $((others * 100)) -le "$jobs"
}
