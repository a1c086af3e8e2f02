#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contiguous - --bnodes=CONTIGUOUS on a network with switches, and on one with blocks
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# Twelve nodes; no two neighbours by name are below one switch.
machines=()
for name in a b c d e f g h i j k l; do
	machines+=(--machine "$name SXCCXCC 1 4 1")
done

# --- what the oracle is told ----------------------------------------------------

# Slurm's own record: "switch LEVEL NAME NODE" for each node below each switch.
switches() {
	local line level name nodes node

	scontrol -o show topology | while read -r line; do
		level=$(sed -n 's/.* Level=\([0-9]*\).*/\1/p' <<<"$line")
		name=$(sed -n 's/^SwitchName=\([^ ]*\).*/\1/p' <<<"$line")
		nodes=$(sed -n 's/.* Nodes=\([^ ]*\).*/\1/p' <<<"$line")
		for node in $(scontrol show hostnames "$nodes"); do
			echo "switch $level $name $node"
		done
	done
}

# "node NAME FREE", in Slurm's order
nodes() {
	scontrol -o show nodes | sed -E \
		's/^NodeName=([^ ]*).* CPUAlloc=([0-9]+).*/node \1 \2/;
			s/ 0$/ free/; s/ [0-9]+$/ 0/; s/ free$/ 1/'
}

# block N - these nodes would a job of N whole nodes get
block() {
	{ echo "$network" && nodes; } |
		awk -v wanted="$1" -f "$test_dir/contiguous.awk" | paste -sd,
}

count_free() {
	nodes | grep -c ' 1$' || true
}

nodes_of() {
	scontrol show hostnames "$(squeue -h -j "$1" -o %N)" | paste -sd,
}

# planned_nodes OPTION... - where "topobind plan" says that the job would be
planned_nodes() {
	topobind plan --json "$@" | jq -r '.nodes | join(",")'
}

# --- jobs of whole nodes ----------------------------------------------------------

# starts_in_block NODES OPTION... - it has those of the oracle; prints its id
starts_in_block() {
	local wanted job

	wanted=$(block "$1")
	shift
	job=$(alloc -t 10 --mem=0 --bnodes=CONTIGUOUS "$@")
	assert_eq "nodes of a job with $*" "$wanted" "$(nodes_of "$job")"
	echo "$job"
}

# A load that comes and goes.  RANDOM has a seed: it is always the same.
case_random_load() {
	local running=() job round size room options

	RANDOM=${TOPOBIND_SEED:-4}
	for round in {1..24}; do
		room=$(count_free)
		size=$((1 + RANDOM % 5))
		if [ "$size" -gt "$room" ] || [ $((RANDOM % 5)) -lt 2 ] &&
			[ "${#running[@]}" -gt 0 ]; then
			job=$((RANDOM % ${#running[@]}))
			cancel "${running[$job]}"
			unset "running[$job]"
			running=("${running[@]}")
			continue
		fi
		options=(-N "$size" --exclusive)
		if [ $((round % 2)) -eq 0 ]; then
			options=(-N "$size" -n $((4 * size)) --bunit=C --bamount=1)
			[ "$room" -eq 12 ] || [ $((round % 4)) -ne 0 ] ||
				assert_eq "the plan for ${options[*]}" \
					"$(block "$size")" \
					"$(planned_nodes --mem=0 --bnodes=CONTIGUOUS "${options[@]}")"
		fi
		job=$(starts_in_block "$size" "${options[@]}")
		running+=("$job")
	done
}

# Below one switch, though its nodes are no neighbours in slurm.conf.
case_one_switch() {
	local job

	job=$(starts_in_block 3 -N3 --exclusive)
	assert_eq "nodes" "$NODE_A,$NODE_D,$NODE_G" "$(nodes_of "$job")"
	job=$(starts_in_block 2 -N2 -n8 --bunit=C --bamount=1)
	assert_eq "nodes" "$NODE_J,$NODE_L" "$(nodes_of "$job")"
	job=$(starts_in_block 3 -N3 -n6 --bunit=X --bamount=1)
	assert_eq "nodes" "$NODE_B,$NODE_E,$NODE_H" "$(nodes_of "$job")"
	# Of two switches that are below one.
	job=$(starts_in_block 4 -N4 --exclusive)
	assert_eq "nodes" "$NODE_C,$NODE_F,$NODE_I,$NODE_K" "$(nodes_of "$job")"
}

# Slots of nodes that are partly in use count.
case_slots() {
	local job

	alloc -t 10 -w "$NODE_A" -N1 -n3 --bunit=C --bamount=1 >/dev/null
	alloc -t 10 -w "$NODE_D" -N1 -n3 --bunit=C --bamount=1 >/dev/null
	job=$(alloc -t 10 -N2 -n6 --bunit=C --bamount=1 --bnodes=CONTIGUOUS)
	assert_eq "nodes" "$NODE_J,$NODE_L" "$(nodes_of "$job")"
	job=$(alloc -t 10 -N1 -n1 --bunit=C --bamount=1 --bnodes=CONTIGUOUS)
	assert_eq "nodes" "$NODE_A" "$(nodes_of "$job")"
}

# The job's own wish counts as before: it waits rather than have nodes of two.
case_switches() {
	local job

	alloc -t 10 --mem=0 --exclusive -N3 \
		-w "$NODE_A,$NODE_B,$NODE_C" >/dev/null
	refuses -N4 --exclusive --mem=0 --bnodes=CONTIGUOUS --switches=1@60
	refuses -N4 -n16 --mem=0 --bnodes=CONTIGUOUS --switches=1@60 \
		--bunit=C --bamount=1
	for job in --exclusive "-n12 --bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		job=$(alloc -t 10 -N3 --mem=0 --bnodes=CONTIGUOUS --switches=1@60 $job)
		assert_eq "nodes" "$NODE_E,$NODE_H,$NODE_K" "$(nodes_of "$job")"
		cancel "$job"
	done
}

# A new topology.conf is in force at once.
case_new_network() {
	local job

	alloc -t 10 --mem=0 --bnodes=CONTIGUOUS -N2 --exclusive >/dev/null
	sed -i "s/^SwitchName=leafa .*/SwitchName=leafa Nodes=$NODE_A,$NODE_C,$NODE_I/
		s/^SwitchName=leafc .*/SwitchName=leafc Nodes=$NODE_D,$NODE_F,$NODE_G/" \
		"$cluster/etc/topology.conf"
	reconfigure
	network=$(switches)
	job=$(starts_in_block 3 -N3 --exclusive)
	assert_eq "nodes" "$NODE_B,$NODE_E,$NODE_H" "$(nodes_of "$job")"
	cancel "$job"
	cancel_all
	job=$(starts_in_block 3 -N3 --exclusive)
	assert_eq "nodes" "$NODE_A,$NODE_C,$NODE_I" "$(nodes_of "$job")"
}

cluster_start --nodes '' "${machines[@]}" --slurm TopologyPlugin=topology/tree \
	--topology 'SwitchName=leafa Nodes={a},{d},{g}' \
	--topology 'SwitchName=leafb Nodes={b},{e},{h},{k}' \
	--topology 'SwitchName=leafc Nodes={c},{f},{i}' \
	--topology 'SwitchName=leafj Nodes={j},{l}' \
	--topology 'SwitchName=left Switches=leafa,leafj' \
	--topology 'SwitchName=right Switches=leafb,leafc' \
	--topology 'SwitchName=top Switches=left,right'
note_slurmctld
network=$(switches)
test_case "nodes of one switch" case_one_switch
test_case "nodes that are partly in use" case_slots
test_case "--switches" case_switches
test_case "a random load" case_random_load
test_case "another network" case_new_network
test_case "slurmctld did not die" assert slurmctld_lives
cluster_stop

# --- blocks -------------------------------------------------------------------------

# Slurm gives a job nodes of one block, or of several whole ones.
case_blocks() {
	local job

	alloc -t 10 --mem=0 --exclusive -N1 -w "$NODE_A" >/dev/null
	for job in --exclusive "-n8 --bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		job=$(alloc -t 10 -N2 --mem=0 --bnodes=CONTIGUOUS $job)
		assert_eq "nodes" "$NODE_C,$NODE_E" "$(nodes_of "$job")"
		cancel "$job"
	done
	alloc -t 10 --mem=0 --exclusive -N1 -w "$NODE_E" >/dev/null
	for job in --exclusive "-n8 --bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		job=$(alloc -t 10 -N2 --mem=0 --bnodes=CONTIGUOUS $job)
		assert_eq "nodes" "$NODE_B,$NODE_D" "$(nodes_of "$job")"
		cancel "$job"
	done
}

if slurm_is_from 23.11; then
	cluster_start --nodes '' "${machines[@]:0:12}" \
		--slurm TopologyPlugin=topology/block \
		--topology 'BlockName=one Nodes={a},{c},{e}' \
		--topology 'BlockName=two Nodes={b},{d},{f}' \
		--topology BlockSizes=3
	note_slurmctld
	test_case "blocks" case_blocks
	test_case "blocks: slurmctld did not die" assert slurmctld_lives
	cluster_stop
fi
tests_done
