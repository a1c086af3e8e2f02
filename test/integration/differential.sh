#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# differential - a few rounds of random requests, always the same ones, to a
# cluster with topobind and to one without: test/differential/rounds.bash says
# what is compared.  test/differential/run does many more.
#
# TOPOBIND_SEED - of the last round, in the world that goes with it; without: one
# that is always the same
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/differential/rounds.bash
. "$top/test/differential/rounds.bash"

case_round() {
	play_round "$1" "$2"
	assert_eq findings 0 "$findings"
	# To ask what nobody gets compares nothing.
	assert [ "${tally[started]:-0}" -gt 0 ]
}

# told_now_not_started OPTION... - by plain Slurm
told_now_not_started() {
	local told said got id reply number

	set_number
	ask_when "$@"
	start_now "$@"
	assert_eq "what is told of $*" now "$told"
	assert_eq "job of $*" '' "$id"
}

case_vain_counts() {
	on "$plain" told_now_not_started -n1 -N1 "--constraint=[a*2&b*1]"
	on "$plain" told_now_not_started -n12 -N1 "--constraint=c*1" \
		"--nodelist={two}"
}

# Another user's nodes.
case_vain_owners() {
	on "$plain" alloc_of_another -N4 -n4 --exclusive=user
	on "$plain" told_now_not_started -n1 --exclusive=user
	on "$plain" told_now_not_started -n1 --exclusive=mcs
}

alloc_of_another() {
	local world=owners owner

	read -r -a owner < <(as_owner_of 2)
	"${owner[@]}" salloc --no-shell "$@"
}

seed=${TOPOBIND_SEED:-}
world=usual
start_clusters
test_case "idle nodes" case_round 4 12
test_case "the same load on both" case_round 10 12
test_case "beside bound jobs" case_round 3 12
test_case "what plain Slurm tells of counted features" case_vain_counts
test_case "what plain Slurm tells of another's nodes" case_vain_owners
test_case "slurmctld did not die" assert slurmctld_lives
stop_both

# Without a seed one that is not the usual world.
world=lln
[ -z "$seed" ] || world=$(world_of "$seed")
seed=${seed:-9}
echo "# TOPOBIND_SEED=$seed: world $world"
start_clusters
test_case "another world" case_round "$seed" 10
test_case "another world: slurmctld did not die" assert slurmctld_lives
stop_both
tests_done
