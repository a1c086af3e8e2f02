#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# near_answers - GPUs near units, for the command: nodes show which cores are near which,
# and explain and plan tell what the controller does
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/same_answers.bash
. "$test_dir/same_answers.bash"
# shellcheck source=test/integration/near_requests.bash
. "$test_dir/near_requests.bash"

start() {
	cluster_start --nodes "" --machine "quad $quad 4 4 2 - 4000,4000,4000,4000" \
		--machine "turned $quad 4 4 2 - 4000,4000,4000,4000" \
		--machine "thread NSXCTTCTTXCTTCTT 2 4 1" \
		--machine "anywhere NSXCTTCTTXCTTCTT 1 4 2" \
		--slurm GresTypes=gpu,nic
	give_gres "$NODE_QUAD" gpu:a:4,gpu:b:4,nic:1 \
		"Name=gpu Type=a File=DEVICE[0-1] Cores=0-3" \
		"Name=gpu Type=a File=DEVICE[2-3] Cores=4-7" \
		"Name=gpu Type=b File=DEVICE[4-5] Cores=8-11" \
		"Name=gpu Type=b File=DEVICE[6-7] Cores=12-15" \
		"Name=nic File=DEVICE8"
	give_gres "$NODE_TURNED" gpu:4 \
		"Name=gpu File=DEVICE0 Cores=12-15" \
		"Name=gpu File=DEVICE1 Cores=8-11" \
		"Name=gpu File=DEVICE2 Cores=4-7" \
		"Name=gpu File=DEVICE3 Cores=0-3"
	give_gres "$NODE_THREAD" gpu:2 "Name=gpu File=DEVICE0 Cores=4-7" \
		"Name=gpu File=DEVICE1 Cores=0-3"
	give_gres "$NODE_ANYWHERE" gpu:2 "Name=gpu File=DEVICE[0-1]"
	start_with_gres "$NODE_QUAD" "$NODE_TURNED" "$NODE_THREAD" \
		"$NODE_ANYWHERE"
}

# --- what nodes show --------------------------------------------------------------

# The word of a node, or nothing.
shown() {
	node_token "$1" m_devices
}

shows() {
	[ "$(shown "$1")" = "$2" ]
}

of_quad='gpu:a:0-1@0-3;gpu:a:2-3@4-7;gpu:b:4-5@8-11;gpu:b:6-7@12-15;nic:0'

case_shown() {
	assert_eq quad "$of_quad" "$(shown "$NODE_QUAD")"
	assert_eq turned 'gpu:0@12-15;gpu:1@8-11;gpu:2@4-7;gpu:3@0-3' \
		"$(shown "$NODE_TURNED")"
	assert_eq thread 'gpu:0@4-7;gpu:1@0-3' "$(shown "$NODE_THREAD")"
	assert_eq anywhere '' "$(shown "$NODE_ANYWHERE")"
	scontrol update NodeName="$NODE_QUAD" Extra=rack=7
	wait_until 20 shows "$NODE_QUAD" "$of_quad"
	assert_contains "Extra" rack=7 "$(scontrol show node "$NODE_QUAD")"
	daemon slurmctld stop
	daemon slurmctld start
	wait_until 30 shows "$NODE_QUAD" "$of_quad"
	reconfigure_with NodeRecord=no
	wait_until 20 shows "$NODE_QUAD" ''
	reconfigure_with
	wait_until 20 shows "$NODE_QUAD" "$of_quad"
	wait_until 60 nodes_answer
}

# --- one case after the other --------------------------------------------------------

# GPUs are free, and units, but not near each other.
case_none_near() {
	local holder job

	holder=$(alloc -t 20 -N1 -w "$NODE_THREAD" --bcpus=0-3)
	assert_eq explain "later $(date -d "$(job_field "$holder" EndTime)" +%s)" \
		"$(answer -t 5 -N1 -w "$NODE_THREAD" --gpus-per-task=1 -n2 \
			--bunit=C --bamount=1 "$must")"
	assert_eq explain now "$(answer -t 5 -N1 -w "$NODE_THREAD" -n2 \
		--gpus-per-task=1 --bunit=T --bamount=1)"
	job=$(batch -t 5 -N1 -w "$NODE_THREAD" --gres=gpu:2 -n2 --bunit=C \
		--bamount=1 "$must")
	wait_until 20 was_passed_over "$job"
	assert_eq "must end" "[\"$holder\"]" \
		"$(explained "$job" | jq -c '[.must_end[].job]')"
	cancel "$holder"
	wait_until 20 runs "$job"
	drain
}

# What Slurm was asked about a later start on the first node does not make it the last.
case_asked_before() {
	local first

	alloc -t 20 -N1 -n1 -w "$NODE_ANYWHERE" >/dev/null
	first=$(units_of_plan -N1 -n1 --bunit=C --bamount=1)
	assert_contains "first" "$NODE_ANYWHERE:" "$first"
	sbatch -Q --test-only -N1 --exclusive -w "$NODE_ANYWHERE" --wrap true
	assert_eq "then" "$first" "$(units_of_plan -N1 -n1 --bunit=C --bamount=1)"
}

# More than a NUMA node has, but the node's tasks can be on two.
case_spread_memory() {
	assert_eq explain now "$(answer -t 5 -N1 -n2 -w "$NODE_QUAD" --bunit=C \
		--bamount=1 --bmem=local --mem=4500)"
	assert_eq explain never "$(answer -t 5 -N1 -n1 -w "$NODE_QUAD" --bunit=C \
		--bamount=1 --bmem=local --mem=4500)"
}

# answer OPTION... - what explain says of such a job; plan and --test-only say the same
answer() {
	local job

	job=$(batch -H "$@")
	wait_until 20 all_show_bindings "$job"
	explained_in_short "$job"
	compare_answers 1 "$*" >&2
	cancel "$job"
}

# --- random ones ---------------------------------------------------------------------

pick() {
	local -a words=("$@")

	picked=${words[RANDOM % $#]}
}

# In request: options that go together.
make_request() {
	pick X X C C S N T
	request="-t 5 --bunit=$picked"
	pick 1 1 2 3
	request+=" --bamount=$picked"
	pick "-N1 --gres=gpu:1" "-N1 -n2 --gres=gpu:2" "-N1 -n1 --gpus=2" \
		"-N1 -n2 --gpus=3" "-N1-2 -n4 --gpus=4" "-N2 -n2 --gpus=5" \
		"-N2 -n3 --gpus=2" "-n2 --gpus-per-task=1" "-N1 -n3 --gpus-per-task=1" \
		"-N1 -n2 --gpus-per-task=2" "-N1 --gres=gpu:b:3 -n2" \
		"-N1 --gres=gpu:a:1 -n2" "-N2 -n2 --gpus-per-node=1" \
		"-N1 -n2 --btype=host --gpus=2" "-N1 -n4 --ntasks-per-gpu=2" \
		"-N1 -n2 --gres=gpu:1,nic:1"
	# On nodes with two types Slurm starts this job with fewer from 23.11 on.
	[ "$picked" != "-N2 -n2 --gpus=5" ] || ! slurm_is_from 23.11 ||
		picked="-N2 -n2 --gpus-per-node=2"
	request+=" $picked"
	pick "$must" "$must" "$must" '' --gres-flags=disable-binding
	request+=" $picked"
	# Of 1000000 a node has memory for three; a NUMA node has 4000 MB.
	pick '' '' '' --mem-per-gpu=300000 "--bmem=local --mem-per-gpu=1500" \
		"--bmem=local --mem=3000" "--bmem=local --mem-per-cpu=400"
	request+=" $picked"
	pick '' '' '' --bstrategy=scatter --bsort=N "-x $NODE_QUAD" \
		"-x $NODE_QUAD,$NODE_TURNED"
	request+=" $picked"
}

# Some of the units, and some of the GPUs, of each node.
hold_some() {
	local node
	local -a options

	for node in "$NODE_QUAD" "$NODE_QUAD" "$NODE_TURNED" "$NODE_TURNED" \
		"$NODE_THREAD" "$NODE_ANYWHERE"; do
		pick --gres=gpu:1 --gpus=1 "--bmem=local --mem=2500" \
			"-n2 --gpus-per-task=1"
		read -r -a options <<<"--bunit=C --bamount=$((1 + RANDOM % 2)) $picked"
		alloc -t $((20 + RANDOM % 40)) -N1 -w "$node" "${options[@]}" \
			>/dev/null
	done
}

case_random() {
	echo "TOPOBIND_SEED=$1"
	compare_random "$1" "$count" hold_some make_request
}

case_units() {
	echo "TOPOBIND_SEED=$1"
	compare_units "$1" "$count" hold_some make_request
}

start
test_case "what nodes show" case_shown
test_case "GPUs and units that are not near each other" case_none_near
test_case "memory of a node is spread over its tasks" case_spread_memory
test_case "what was asked before changes nothing" case_asked_before
test_case "the same answer as the controller's" case_random "$seed"
test_case "the units of plan are those that the job gets" case_units $((seed + 1))
tests_done
