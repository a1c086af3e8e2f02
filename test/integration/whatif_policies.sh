#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# whatif_policies - as whatif, on nodes that differ, by node allocation policies: the same
# nodes, cores and starts, of jobs that ask for L3 caches and of plain ones
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

large=NSXCCCCXCCCCNSXCCCCXCCCC
small=NSXCCCCXCCCC
nodes=5
shapes=("$large" "$small" "$large" "$small" "$small")
speeds=(2000 2600 3000 2600 2000)
last=12
origin=0
tick_seconds=1

# Those with a "p" in front are of plain jobs.
ways=(FIRSTAVAILABLE LASTAVAILABLE MINRESOURCE MAXBALANCE BESTFIT CONTIGUOUS
	pLASTAVAILABLE pBESTFIT pCONTIGUOUS)

way_options() {
	[[ $1 == p* ]] || echo --bunit=X --bamount=1
}

# shellcheck source=test/integration/replayed.bash
. "$test_dir/replayed.bash"

# More come than can run at once, now and then.
make_load() {
	random_load "$1" '
	function how_many() {
		return 4
	}
	function set_size(kind) {
		if (kind < 0.3)
			tasks = 1 + int(rand() * 5)
		else if (kind < 0.5)
			nodes = tasks = 2 + int(rand() * 2)
	}'
}

# first_of WAY - its first node
first_of() {
	local i

	for ((i = 0; i < ${#ways[@]}; i++)); do
		[ "${ways[i]}" != "$1" ] || echo $((nodes * i + 1))
	done
}

case_way() {
	local under=bunit=X,bamount=1

	[[ $1 != p* ]] || under=plain
	assert_replayed "$1" "$under,bnodes=${1#p}" "$(first_of "$1")" none
}

# The test would notice.
case_other_policy() {
	! (assert_replayed LASTAVAILABLE bunit=X,bamount=1 \
		"$(first_of LASTAVAILABLE)" none)
}

options=()
for way in "${ways[@]}"; do
	options+=(--topobind "PartitionName=$way NodeAllocationPolicy=${way#p}")
done
start_replayed_cluster batch_sched_delay=0,bf_interval=3600,default_queue_depth=1000 \
	"${options[@]}"
test_case "a load of each policy" record_load
for way in "${ways[@]}"; do
	test_case "$way" case_way "$way"
done
test_case "the default is none of them" case_other_policy
tests_done
