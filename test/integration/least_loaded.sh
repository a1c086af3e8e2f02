#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# least_loaded - LLN=yes of a partition, CR_LLN and CR_Pack_Nodes: bound jobs get as
# many CPUs of the same nodes as plain ones would, job by job
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# What each job asks for: slots that are dealt out evenly, as a bound job's are, to
# nodes that are loaded unlike.  Each has the same shape plain (-c2) and bound (two cores):
# "+" is the one or the other.
ones=("-n1 +" "-n1 +" "-n1 +" "-n1 +" "-n1 +" "-n1 +")
six=("${ones[@]}")
shapes=(
	"-n1 +"
	"-N1 --exclusive -n1 +"
	"-N2 -n3 +"
	"-n1 +"
	"-N1-2 -n2 +"
	"-N2-3 -n3 +"
	"-n2 --ntasks-per-node=1 +"
	"-n1 -w NODE_E +"
	"-n5 +"
	"-n1 --mem=300 +"
	"-n1 +"
)
# Of plain jobs that have one node only it takes the first that has room, since 26.05.
if slurm_is_from 26.05; then
	six=("-N2 -n2 +" "-N2 -n2 +" "-N2 -n2 +")
	shapes=("-N2 -n3 +" "-N1-2 -n2 +" "-N2-3 -n3 +"
		"-n2 --ntasks-per-node=1 +" "-n5 +" "-N2 -n2 --mem=300 +")
fi

# cpus_of JOB - NODE=CPUS of each of its nodes, on a line
cpus_of() {
	facts | awk -v job="$1" '$1 == "cpu" && $2 == job { cpus[$3]++ }
		END { for (node in cpus) print node "=" cpus[node] }' | sort |
		tr '\n' ' '
}

# What the jobs of these lines have of each node: the different ones.
shares() {
	grep -o -E '(^| )[a-z]+[0-9]+=[0-9]+' | tr -d ' ' | sort -u
}

# start_now OPTION... - its number, if it starts at once
start_now() {
	salloc --immediate --no-shell "$@" 2>&1 |
		sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p'
}

# play BINDING OPTION... -- SHAPE... - what each gets, a line each
play() {
	local binding=$1 options=() shape job

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	for shape; do
		shape=${shape//NODE_E/$NODE_E}
		# shellcheck disable=SC2086 # options
		job=$(start_now "${options[@]}" ${shape//+/$binding})
		echo "$(cpus_of "$job")$shape"
	done
	scancel -u root
	wait_until 30 no_jobs
}

# in_lockstep OPTION... -- SHAPE... - bound as plain; prints what both get
in_lockstep() {
	local plain bound

	plain=$(play -c2 "$@")
	bound=$(play "--bunit=C --bamount=2" "$@")
	assert_eq "nodes and CPUs with $*" "$plain" "$bound"
	echo "$plain"
}

# spreads OPTION... - six jobs on the six nodes, or three on two each
spreads() {
	assert_eq "nodes of jobs with $*" 6 \
		"$(in_lockstep "$@" -- "${six[@]}" | shares | wc -l)"
	assert_eq "nodes of six bound jobs with $*" 6 \
		"$(play "--bunit=C --bamount=2" "$@" -- "${ones[@]}" |
			shares | wc -l)"
}

# Of the lines of in_lockstep: no more than one job found no room.
starts_most() {
	[ "$(grep -c '=' || true)" -ge $((${#shapes[@]} - 1)) ] ||
		fail "too few jobs started"
}

case_partition() {
	spreads -p spread
	in_lockstep -p spread -- "${shapes[@]}" | starts_most
}

# LLN of one partition says nothing of others.
case_packed() {
	assert_eq "nodes of four jobs" 1 \
		"$(in_lockstep -p main -- "${ones[@]:0:4}" | shares | wc -l)"
}

# Lighter nodes come first, however loaded they are.
case_weights() {
	local seen

	scontrol update node="$NODE_A,$NODE_B,$NODE_C,$NODE_D" weight=9
	seen=$(in_lockstep -p spread -- "${six[@]}" "${shapes[@]:1:4}")
	assert_eq "nodes of the first" "$NODE_E=2 $NODE_F=2" \
		"$(sed -n "1,${#six[@]}p" <<<"$seen" | shares | xargs)"
	scontrol update node="$NODE_A,$NODE_B,$NODE_C,$NODE_D" weight=1
}

# Who says more than the partition.
case_policies() {
	local job

	alloc -p spread -n1 -w "$NODE_A" >/dev/null
	job=$(alloc -p spread -n1 --bunit=C --bamount=1)
	assert_eq "least loaded" "$NODE_B" "$(squeue -h -j "$job" -o %N)"
	job=$(alloc -p spread -n1 --bunit=C --bamount=1 --bnodes=SLURM)
	assert_eq "SLURM" "$NODE_C" "$(squeue -h -j "$job" -o %N)"
	job=$(alloc -p spread -n1 --bunit=C --bamount=1 \
		--bnodes=FIRSTAVAILABLE)
	assert_eq "--bnodes" "$NODE_A" "$(squeue -h -j "$job" -o %N)"
	reconfigure_with "PartitionName=spread NodeAllocationPolicy=LASTAVAILABLE"
	job=$(alloc -p spread -n1 --bunit=C --bamount=1)
	assert_eq "the site's policy" "$NODE_F" "$(squeue -h -j "$job" -o %N)"
	reconfigure_with
}

# --- of the whole cluster -----------------------------------------------------------

# select_parameters LIST - of slurm.conf
select_parameters() {
	daemon slurmctld stop
	sed -i "s/^SelectTypeParameters=.*/SelectTypeParameters=$1/" \
		"$cluster/etc/slurm.conf" "$cluster/etc/virtual/slurm.conf"
	daemon slurmctld start
	wait_until 60 nodes_answer
}

case_everywhere() {
	select_parameters CR_Core_Memory,CR_LLN
	spreads -p main
	in_lockstep -p main -- "${shapes[@]}" | starts_most
}

# deals_steps TASKS - of four tasks of a step on two nodes with three slots each, so
# many on each, bound as plain
deals_steps() {
	local job binding size

	for binding in -c2 "--bunit=C --bamount=2"; do
		size=()
		[ "$binding" != -c2 ] || size=(-c2)
		# shellcheck disable=SC2086 # options
		job=$(alloc -N2 -n6 $binding)
		assert_eq "tasks of a step in a job with $binding" "$1" \
			"$(within 60 srun --jobid="$job" -n4 "${size[@]}" \
				printenv SLURMD_NODENAME | sort | uniq -c |
				awk '{ print $1 }' | sort | xargs)"
		cancel "$job"
	done
}

# Where a job has more than a step needs: that is how its tasks are dealt out.
case_pack_nodes() {
	deals_steps "2 2"
	select_parameters CR_Core_Memory,CR_Pack_Nodes
	deals_steps "1 3"
	in_lockstep -p main --bnodes=SLURM -- "${shapes[@]}" | starts_most
}

# On nodes of unlike sizes it counts CPUs down while it looks, and comes to none.
case_unlike_nodes() {
	local binding shape

	for shape in "-n5 --ntasks-per-node=2" "-N3 -n5" "-N2-3 -n6" \
		"-n7 --ntasks-per-node=3"; do
		for binding in "" "--bunit=T --bamount=2" "--bunit=C --bamount=1"; do
			# shellcheck disable=SC2086 # options
			within 60 srun -p main -c2 $shape $binding true ||
				fail "refused: -c2 $shape $binding"
		done
	done
}

machines=()
for name in a b c d e; do
	machines+=(--machine "$name NSXCCCCXCCCC 1 8 1")
done
machines+=(--machine "f $(printf "NSXCCCCXCCCC%.0s" 1 2) 2 8 1")
cluster_start --nodes '' "${machines[@]}" --slurm DefMemPerCPU=50 \
	--slurm "PartitionName=spread Nodes=ALL LLN=YES DefaultTime=10"
test_case "a partition with LLN" case_partition
test_case "other partitions" case_packed
test_case "policies and LLN" case_policies
test_case "weights" case_weights
test_case "CR_Pack_Nodes" case_pack_nodes
test_case "CR_LLN" case_everywhere

cluster_stop
cluster_start --nodes '' --machine "six NSXCTTCTTCTTXCTTCTTCTT 1 6 2" \
	--machine "plain NSXCTTCTTCTTCTT 1 4 2" \
	--machine "pairs NSXCTTCTTXCTTCTT 1 4 2" \
	--machine "large $(printf 'NSXCTTCTTXCTTCTT%.0s' 1 2) 2 4 2"
select_parameters CR_Core_Memory,CR_LLN
test_case "CR_LLN on nodes of unlike sizes" case_unlike_nodes
tests_done
