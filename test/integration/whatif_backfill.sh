#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# whatif_backfill - what Slurm's sched/backfill did with a load, topobind whatif
# --backfill slurm does with it once more: the same nodes, cores and starts
#
# slurmctld has a clock of its own (virtual_clock.c), which stands still in a tick, so
# that what happens does not depend on how fast the machine is.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/replayed.bash
. "$test_dir/replayed.bash"

nodes=4
node=NSXCCCCXCCCCNSXCCCCXCCCC
last=9
tick_seconds=37

# Also large ones, which wait while others go before them.
make_load() {
	awk -v last="$last" -v seed="$1" -v each="$tick_seconds" 'BEGIN {
		srand(seed)
		for (tick = 1; tick <= last; tick++)
			for (more = 1 + rand() * 8; more >= 1; more--) {
				kind = rand()
				nodes = tasks = 1
				cpus = 2 ^ int(rand() * 3)
				if (kind < 0.2) {
					tasks = 1 + int(rand() * 4)
				} else if (kind < 0.35) {
					nodes = tasks = 2 + int(rand() * 3)
				} else if (kind < 0.5) {
					tasks = 6 + int(rand() * 8)
					cpus = 4
				}
				limit = 1 + int(rand() * rand() * 9)
				run = 1 + int(rand() * (limit * 60 / each - 1))
				print tick, run, limit, nodes, tasks, cpus
			}
	}'
}

# --- time --------------------------------------------------------------------------

# set_clock SECOND - in place
set_clock() {
	printf '%d' "$1" 1<>"$work/clock"
}

# From its start on slurmctld has it; what it hands on to others would, too.
start_clock() {
	gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o "$work/virtual_clock.so" \
		"$test_dir/virtual_clock.c"
	echo "$EPOCHSECONDS" >"$work/clock"
	touch "$work/clock.held"
	daemon slurmctld stop
	VIRTUAL_CLOCK=$work/clock LD_PRELOAD=$work/virtual_clock.so \
		daemon slurmctld start
}

somebody_waits() {
	[ -n "$(squeue -h -t pending -o %A)" ]
}

# sched/backfill has its cycle, the only one of this second, behind the main scheduler's.
take_turn() {
	local before

	touch "$work/clock.held"
	set_partitions DOWN
	end_jobs
	submit_jobs
	set_clock $((origin + tick * tick_seconds))
	schedule
	before=$(cycles Backfill)
	rm "$work/clock.held"
	! somebody_waits || wait_until 20 cycles_are_more_than "$before" Backfill
}

# --- cases -------------------------------------------------------------------------

# So many have begun while one that came before waited.
count_passing() {
	sort -n "$work/started" | awk '{ job[NR] = $1; start[NR] = $2 }
		END {
			for (i = 1; i <= NR; i++) {
				passes = 0
				for (j = 1; j < i; j++)
					passes = passes || start[j] > start[i]
				count += passes
			}
			print count
		}'
}

# assert_same WAY UNDER FIRST - alone: jobs of other partitions have a part in when
# select/cons_tres looks for a later start
assert_same() {
	local ways=("$1") passing

	read -r origin <"$work/clock" || true
	record_load
	passing=$(count_passing)
	echo "$passing began before others that had come first"
	assert test "$passing" -ge 10
	assert_replayed "$@" slurm
}

case_plain() {
	assert_same plain plain 1
}

case_explicit() {
	assert_same explicit bunit=X,bamount=1 $((nodes + 1))
}

case_implicit() {
	assert_same implicit implicit=X $((2 * nodes + 1))
}

start_replayed_cluster batch_sched_delay=0,bf_interval=1,default_queue_depth=1000
start_clock
test_case "plain jobs: the nodes, cores and starts of Slurm alone" case_plain
test_case "jobs that ask for L3 caches" case_explicit
test_case "jobs that their partition binds" case_implicit
tests_done
