# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# policy_cluster.bash - unlike nodes to choose from, and what jobs get of them.
# Sourced after lib.sh.

# --- the cluster --------------------------------------------------------------

# Small nodes A to D, E of two sockets, and P and Q with 64 processors.
machines=()
for name in a b c d; do
	machines+=(--machine "$name NSXCCXCC 1 4 1")
done
large=S$(printf 'C%.0s' {1..64})
machines+=(--machine "e NSXCCXCCNSXCCXCC 2 4 1")
machines+=(--machine "p $large 1 64 1" --machine "q $large 1 64 1")

# node_is NODE MEMORY FEATURES [KEY=VALUE...] - in slurm.conf
node_is() {
	local node=$1 memory=$2 features=$3

	shift 3
	sed -i -E "s/^(NodeName=$node .*) RealMemory=[0-9]+.*/\1 RealMemory=$memory Feature=$features $*/" \
		"$cluster/etc/slurm.conf" "$cluster/etc/virtual/slurm.conf"
}

# node_has NODE KEY=VALUE... - in topobind.conf
node_has() {
	local node=$1

	shift
	sed -i "s/^NodeName=$node .*/& $*/" "$cluster/etc/topobind.conf"
}

describe_nodes() {
	node_is "$NODE_A" 768 desktop
	node_is "$NODE_B" 512 desktop
	node_is "$NODE_C" 2000 batch,fast
	node_is "$NODE_D" 2000 batch Gres=tool:2
	node_is "$NODE_E" 4000 big TmpDisk=1000 Gres=tool:2
	node_is "$NODE_P" 64000 large,huge
	node_is "$NODE_Q" 64000 large TmpDisk=8000
	node_has "$NODE_A" Speed=2000
	node_has "$NODE_B" Speed=3000
	node_has "$NODE_C" Speed=3000
	node_has "$NODE_D" Speed=2500 Swap=9000000 Cost=0.5
	node_has "$NODE_E" Speed=2900 Priority=7
	node_has "$NODE_P" Speed=1000
	node_has "$NODE_Q" Speed=1000
}

# slurmctld, and those who tell it of GRES, read it: no slurmd may tell of too few
# GRES what it has read before.
start_again() {
	start_with_gres "$NODE_D" "$NODE_E"
	(wait_until 60 all_idle) ||
		fail "not idle: $(sinfo -h -N -o '%N %T %E')"
}

all_idle() {
	[ "$(sinfo -h -p main -o '%T %D')" = "idle 7" ]
}

# --- jobs -----------------------------------------------------------------------

nodes_of() {
	squeue -h -j "$1" -o %N
}

# lands NODES OPTION... - a job that can start gets these, bound and plain
lands() {
	local wanted job binding

	wanted=$(scontrol show hostlist "$1")
	shift
	for binding in "" "--bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		job=$(alloc "$@" $binding)
		assert_eq "nodes of a job with $* $binding" "$wanted" \
			"$(nodes_of "$job")"
		cancel "$job"
	done
}

# Of nodes that are all idle: the first for plain jobs, and for bound ones that with the
# fewest objects around a core, which it breaks up.
lands_by_default() {
	local job

	lands "$NODE_A" --bnodes=SLURM
	wait_until 60 all_idle
	job=$(alloc --bunit=C --bamount=1)
	assert_eq "a bound job's node" "$NODE_P" "$(nodes_of "$job")"
	cancel "$job"
	assert_eq "a plain job's node" "$NODE_A" "$(nodes_of "$(alloc)")"
}

# takes NODE OPTION... - a job that stays gets it
takes() {
	local wanted=$1 job

	shift
	job=$(alloc "$@")
	assert_eq "nodes of a job with $*" "$wanted" "$(nodes_of "$job")"
}

# planned NODES OPTION... - where it would start, by --test-only
planned() {
	local wanted text

	wanted=$(scontrol show hostlist "$1")
	shift
	text=$(sbatch --test-only "$@" --wrap true 2>&1)
	assert_contains "$*" " on nodes $wanted in " "$text"
}

# fill NODES - nothing else fits there, for ten minutes
fill() {
	local nodes

	nodes=$(scontrol show hostnames "$1" | wc -l)
	alloc -t 10 --exclusive --mem=0 -N "$nodes" -w "$1" >/dev/null
}

fill_all() {
	alloc -t 10 --exclusive --mem=0 -N 7 >/dev/null
}

# function_is EXPRESSION - of the site, and its policy
function_is() {
	reconfigure_with NodeAllocationPolicy=PRIORITY "PriorityFunction=\"$1\""
}

# --- reservations ---------------------------------------------------------------

# reserve NAME NODE FROM TO - minutes from now; until the end of the case
reserve() {
	scontrol create reservation="$1" nodes="$2" users=root \
		duration=$(($4 - $3)) starttime="now+$3minutes" >/dev/null
}

forget_reservations() {
	local name

	for name in $(scontrol -o show reservation |
		sed -n 's/^ReservationName=\([^ ]*\) .*/\1/p'); do
		scontrol delete reservation="$name"
	done
}

# policy_cluster_start [OPTION...] - of cluster_start
policy_cluster_start() {
	cluster_start --nodes '' "${machines[@]}" --slurm GresTypes=tool \
		--slurm DefMemPerCPU=50 "$@"
	describe_nodes
	start_again
}
