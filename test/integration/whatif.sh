#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# whatif - what slurmctld did with a load, topobind whatif does with it once more: the
# same nodes, cores and starts
#
# Time passes in ticks: jobs end, others come, and slurmctld's scheduler has its turn
# until nothing changes.  A tick is a second of the history, so that what happens does
# not depend on how fast the machine is.  Nobody runs on the nodes; jobs hold their cores
# until they are cancelled.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

ways=(plain explicit implicit)
nodes=4 # of each way
node=NSXCCCCXCCCCNSXCCCCXCCCC
last=18 # tick in which jobs come

# The jobs of a way, a line each: tick, ticks that it runs, limit in minutes, nodes,
# tasks, CPUs of a task.  More come than can run at once, now and then.
make_load() {
	awk -v last="$last" -v seed="$1" 'BEGIN {
		srand(seed)
		for (tick = 1; tick <= last; tick++)
			for (more = rand() * 10; more >= 1; more--) {
				kind = rand()
				nodes = 1
				tasks = 1
				each = 2 ^ int(rand() * 3)
				if (kind < 0.3)
					tasks = 1 + int(rand() * 4)
				else if (kind < 0.4)
					nodes = tasks = 2
				run = 1 + int(rand() * 6)
				print tick, run, 10 * (1 + int(rand() * 3)), nodes,
					tasks, each
			}
	}'
}

# --- what slurmctld does ---------------------------------------------------------------

# submit WAY RUN LIMIT NODES TASKS CPUS
submit() {
	local options=()

	[ "$4" -eq 1 ] || options=(-N "$4")
	[ "$1" != explicit ] || options+=(--bunit=X --bamount=1)
	sbatch --parsable -o /dev/null -p "$1" -t "$3" -n "$5" -c "$6" \
		"${options[@]}" --wrap true || fail "not submitted: $*"
}

cycles() {
	sdiag | awk '/^Main schedule/ { main = 1 } /^Backfill/ { main = 0 }
		main && /Total cycles:/ { print $3 }'
}

cycles_are_more_than() {
	[ "$(cycles)" -gt "$1" ]
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
	before=$(cycles)
	set_partitions UP
	wait_until 20 cycles_are_more_than "$before"
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

submit_jobs() {
	local way at rest id

	for way in "${ways[@]}"; do
		while read -r at rest; do
			[ "$at" -eq "$tick" ] || continue
			# shellcheck disable=SC2086 # words
			id=$(submit "$way" $rest)
			echo "$id $way $at $rest" >>"$work/jobs"
		done <"$work/load.$way"
	done
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

record_load() {
	local tick way seed=1

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
		set_partitions DOWN
		end_jobs
		submit_jobs
		schedule
		look
		[ "$tick" -lt 400 ] || fail "jobs do not start"
	done
}

# --- the same once more -----------------------------------------------------------------

# As sacct -P would print it.
history_of() {
	echo 'JobID|Submit|Start|End|Timelimit|NNodes|NTasks|ReqCPUS'
	awk -v OFS='|' -v way="$1" 'FNR == NR { start[$1] = $2; end[$1] = $3; next }
		$2 == way { print $1, $3, start[$1], end[$1], "00:" $5 ":00", $6,
			$7, $7 * $8 }' "$work/started" "$work/jobs"
}

# "JOB START NODE CORES", sorted
recorded() {
	awk 'FNR == NR { start[$1] = $2; next }
		{ print $1, start[$1], $2, $3 }' "$work/started" "$work/grants" |
		sort -n
}

# assert_replayed WAY UNDER FIRST - on its nodes, from the first
assert_replayed() {
	local first=$3 jobs others starts

	history_of "$1" >"$work/history"
	topobind whatif --history "$work/history" --backfill none \
		--topology "n[$first-$((first + nodes - 1))]=$node" \
		--under "$2" --starts "$work/starts" >"$work/table"
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

case_record() {
	record_load
	# Some have waited.
	# shellcheck disable=SC2016 # awk's
	assert awk 'FNR == NR { start[$1] = $2; next }
		start[$1] > $3 { waited[$2]++ }
		END { exit !(waited["plain"] > 3 && waited["explicit"] > 3 &&
			waited["implicit"] > 3) }' "$work/started" "$work/jobs"
}

case_plain() {
	assert_replayed plain plain 1
}

case_explicit() {
	assert_replayed explicit bunit=X,bamount=1 $((nodes + 1))
}

case_implicit() {
	assert_replayed implicit implicit=X $((2 * nodes + 1))
}

options=()
for ((i = 0; i < 3; i++)); do
	options+=(--slurm "PartitionName=${ways[i]} Nodes=n[$((nodes * i + 1))-$((nodes * (i + 1)))] DefaultTime=60 State=UP")
done
cluster_start --nodes this "${options[@]}" \
	--slurm "NodeName=n[1-$((3 * nodes))] NodeAddr=127.0.0.1 State=CLOUD Sockets=2 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=500000" \
	--slurm SuspendProgram=/bin/true --slurm ResumeProgram=/bin/true \
	--slurm ResumeRate=0 --slurm ResumeTimeout=60000 \
	--slurm SuspendTime=INFINITE --slurm PrivateData=cloud \
	--slurm SchedulerParameters=batch_sched_delay=0,bf_interval=3600,default_queue_depth=1000 \
	--topobind "NodeName=n[1-$((3 * nodes))] Topology=$node" \
	--topobind "PartitionName=implicit Implicit=yes DefaultUnit=X"
test_case "a load of three kinds" case_record
test_case "plain jobs: the nodes, cores and starts of select/cons_tres" case_plain
test_case "jobs that ask for L3 caches" case_explicit
test_case "jobs that their partition binds" case_implicit
tests_done
