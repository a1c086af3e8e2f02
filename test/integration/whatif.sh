#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# whatif - what slurmctld did with a load, topobind whatif does with it once more: the
# same nodes, cores and starts
#
# A tick is a second of the history, so that what happens does not depend on how fast the
# machine is.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/replayed.bash
. "$test_dir/replayed.bash"

nodes=4
node=NSXCCCCXCCCCNSXCCCCXCCCC
last=18
origin=0
tick_seconds=1

# More come than can run at once, now and then.  Which nodes select/cons_tres of Slurm 26.05
# gives plain jobs of two is not what it was, nor known (topobind-whatif(1)).
make_load() {
	local most=2

	[ "$way" != plain ] || ! slurm_is_from 26.05 || most=1
	random_load "$1" '
	BEGIN { most = '"$most"' }
	function how_many() {
		return rand() * 10
	}
	function set_size(kind) {
		if (kind < 0.3)
			tasks = 1 + int(rand() * 4)
		else if (kind < 0.4)
			nodes = tasks = most
	}'
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
	assert_replayed plain plain 1 none
}

case_explicit() {
	assert_replayed explicit bunit=X,bamount=1 $((nodes + 1)) none
}

case_implicit() {
	assert_replayed implicit implicit=X $((2 * nodes + 1)) none
}

start_replayed_cluster batch_sched_delay=0,bf_interval=3600,default_queue_depth=1000 \
	--topobind "PartitionName=implicit Implicit=yes DefaultUnit=X"
test_case "a load of three kinds" case_record
test_case "plain jobs: the nodes, cores and starts of select/cons_tres" case_plain
test_case "jobs that ask for L3 caches" case_explicit
test_case "jobs that their partition binds" case_implicit
tests_done
