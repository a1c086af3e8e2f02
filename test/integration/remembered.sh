#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# remembered - whatever has happened, select/topobind answers as one would that has
# just begun, knows nothing but Slurm's own lists, and looks at each node by itself
#
# test/bench/slurmctld_bench.c loads such a plugin (test/bench/no_memo.c), into the
# same slurmctld, lets it begin anew, and asks both about jobs of many kinds in every
# mode: may they ever run, now (whom would they preempt), or when, on which cores.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/harness.bash
. "$test_dir/harness.bash"

wishes=(
	"-n1 --bunit=C --bamount=1"
	"-n2 --bunit=X --bamount=1"
	"-n40 --bunit=C --bamount=2 --bstrategy=scatter"
	"-N2 -n2 --bunit=S --bamount=1"
	"-n3 --bunit=X --bamount=2 --bsort=xc"
	"-N1 -n1 --bcpus=0-3"
	"-N2 --btype=host --bunit=C --bamount=7 --bnodes=BESTFIT"
	"-n4 --bunit=X --bamount=1 --bnodes=BESTTOPOLOGY"
	"-n1 -c6"
	"-N1 --exclusive --bunit=S --bamount=1"
	"-n6 --bunit=C --bamount=1 --gres=gpu:1"
	"-n2 --bunit=X --bamount=1 --gpus-per-task=1 --gres-flags=enforce-binding"
	"-N2 --btype=host --bunit=C --bamount=5 --gpus-per-node=2"
	# The same units, remembered for all of these, but other jobs.
	"-n2 -c3 --bunit=X --bamount=1"
	"-N2 -n4 --ntasks-per-node=2 --bunit=X --bamount=1"
	"-n2 --overcommit --bunit=X --bamount=1"
	"-n2 --hint=nomultithread --bunit=X --bamount=1"
	"-n2 --mem-per-cpu=20 --bmem=local --bunit=X --bamount=1"
	"-n4 --bunit=C --bamount=1 --bstart=x"
	"-n6 --bunit=C --bamount=1 --gpus=2"
	"-N2 -n6 --bunit=C --bamount=1 --gpus=2 --gres-flags=enforce-binding"
	"-n2 --bunit=X --bamount=1 --gpus-per-task=1 --gres-flags=disable-binding"
	"-n4 --overcommit --bunit=X --bamount=1 --gpus-per-task=1 --gres-flags=enforce-binding"
)

# shellcheck disable=SC2086 # options
submit_wishes() {
	local wish

	held=()
	for wish in "${wishes[@]}"; do
		held+=("$(batch -H -p low $wish)" "$(batch -H -p urgent $wish)"
			"$(batch -H -p shared $wish)")
		# Later Slurms refuse both.
		[[ $wish == *--exclusive* ]] ||
			held+=("$(batch -H -p pairs --oversubscribe $wish)")
	done
}

# No answer may differ; yes and no must both be among them in the end.
assert_same() {
	local answers all yes

	answers=$(ask differ "$cluster/select_topobind_anew.so" "${held[@]}")
	read -r _ all _ yes < <(grep '^answers ' <<<"$answers")
	assert_eq "answers" $((3 * ${#held[@]})) "$all"
	assert_eq "after $*" "answers $all yes $yes
." "$answers"
	echo "$all $yes" >>"$work/asked"
}

# --- what happens -----------------------------------------------------------------

start_some() {
	random_job 600 -p low
	random_job 600 -p urgent
	random_job 600 -p low -J short
	random_job 600 -p low --gpus-per-node=1
	random_job 600 -p shared
	random_job 600 -p shared
	random_job 600 -p pairs --oversubscribe
}

end_some() {
	to_one_in running scancel
	to_one_in running scancel
}

suspend_one() {
	to_one_in running scontrol suspend
}

resume_one() {
	to_one_in suspended scontrol resume
}

shrink() {
	scontrol update NumNodes=1 job="$1"
}

resize_one() {
	local job

	job=$(squeue -h -t running -o '%i %D' | awk '$2 > 1 { print $1; exit }')
	[ -z "$job" ] || shrink "$job" >/dev/null 2>&1 || true
}

reconfigure_filter() {
	local filters=(Filter=first_core Filter=NONE)

	reconfigure_with "${filters[RANDOM % 2]}"
}

# Of the node that topobind.conf says nothing about.
change_topology() {
	local strings=(NSXCTTCTTCTTCTTXCTTCTTCTTCTT NSXCTTCTTXCTTCTTXCTTCTTXCTTCTT
		SXCTTCTTCTTCTTCTTCTTCTTCTT)

	scontrol update node="$NODE_FREE" \
		extra="m_topology=${strings[RANDOM % ${#strings[@]}]}"
}

reserve() {
	scontrol delete reservation r >/dev/null 2>&1 || true
	scontrol create reservation ReservationName=r Users=root \
		StartTime=now Duration=60 Nodes="$NODE_TWIN" \
		CoreCnt=$((RANDOM % 40 + 1)) >/dev/null 2>&1 || true
}

drain_or_resume_node() {
	local states=(drain resume)

	scontrol update node="$NODE_ZEN" state="${states[RANDOM % 2]}" \
		reason=test 2>/dev/null || true
}

requeue_one() {
	to_one_in running scontrol requeue
}

happenings=(start_some start_some start_some end_some end_some suspend_one
	suspend_one resume_one resize_one reconfigure_filter change_topology
	reserve drain_or_resume_node requeue_one)

case_any_order() {
	local held what _

	RANDOM=${SEED:-1}
	: >"$work/asked"
	submit_wishes
	assert_same nothing
	for _ in {1..45}; do
		what=${happenings[RANDOM % ${#happenings[@]}]}
		"$what"
		assert_same "$what"
	done
	scontrol delete reservation r >/dev/null 2>&1 || true
	scontrol update node="$NODE_ZEN" state=resume 2>/dev/null || true
	awk '{ all += $1; yes += $2; if ($2 < $1) some_no = 1 }
		END { exit !(some_no && yes > all / 10 && yes < all) }' \
		"$work/asked" || fail "the answers were all the same"
}

# Two jobs have the same units, and another has some of another size.
share_units() {
	local jobs=() unit=(-p shared --mem=10 -N1 -w "$NODE_ZEN" --bunit=X)

	jobs+=("$(alloc "${unit[@]}" -n4 --bamount=1)")
	assert_same "units that could be shared"
	jobs+=("$(alloc "${unit[@]}" -n4 --bamount=1)")
	jobs+=("$(alloc -p shared --mem=10 -w "$NODE_TWIN" -n1 --bunit=C \
		--bamount=3)")
	assert_same "shared units"
	cancel "${jobs[0]}"
	assert_same "the end of one of two jobs"
	cancel "${jobs[1]}"
	cancel "${jobs[2]}"
}

# Held as parts of units that the node does not have any more, and then by one only.
share_units_of_another_topology() {
	local first second unit=(-p shared --mem=10 -N1 -n1 -w "$NODE_FREE"
		--bunit=X --bamount=1)

	first=$(alloc "${unit[@]}")
	second=$(alloc "${unit[@]}")
	scontrol update node="$NODE_FREE" \
		extra=m_topology=NSXCTTCTTXCTTCTTXCTTCTTXCTTCTT
	assert_same "another topology under shared units"
	cancel "$first"
	assert_same "the end of one of them"
	cancel "$second"
	scontrol update node="$NODE_FREE" \
		extra=m_topology=NSXCTTCTTCTTCTTXCTTCTTCTTCTT
}

# Each by itself, for certain.
case_each() {
	local held job

	submit_wishes
	share_units
	share_units_of_another_topology
	job=$(alloc -p low -N2 -n4 --bunit=X --bamount=1)
	assert_same "a start"
	scontrol suspend "$job"
	assert_same "a suspension"
	scontrol resume "$job"
	assert_same "a resumption"
	shrink "$job" >/dev/null
	assert_same "giving a node back"
	cancel "$job"
	assert_same "an end"
	change_topology
	assert_same "another topology"
	reconfigure_with Filter=first_core
	assert_same "a filter"
	reconfigure_with Filter=NONE
	reserve
	assert_same "a reservation"
	scontrol delete reservation r
}

# Jobs of a higher priority are then started on the cores of others, which wait.
take_turns() {
	sed -i "s/^PreemptMode=.*/PreemptMode=SUSPEND,GANG\nSchedulerTimeSlice=300/" \
		"$cluster/etc/slurm.conf"
	restart_slurmctld
	wait_until 60 controller_answers
}

case_gang() {
	scancel -u "$(id -un)"
	wait_until 60 no_jobs
	take_turns
	case_each
}

start_harness --nodes zen,twin \
	--machine "free NSXCTTCTTCTTCTTXCTTCTTCTTCTT 1 8 2" \
	--machine "numa SNXCCXCCNXCCXCC 1 8 1 - 900,900" \
	--slurm GresTypes=gpu --slurm PreemptMode=REQUEUE --slurm PreemptType=preempt/partition_prio \
	--slurm "PartitionName=low Nodes=ALL PriorityTier=1 DefaultTime=10" \
	--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10" \
	--slurm "PartitionName=shared Nodes=ALL PriorityTier=1 DefaultTime=10 OverSubscribe=FORCE:3" \
	--slurm "PartitionName=pairs Nodes=ALL PriorityTier=1 DefaultTime=10 OverSubscribe=YES:2"
# What the node itself says of its topology counts.
sed -i "/^NodeName=$NODE_FREE /d" "$cluster/etc/topobind.conf"
for node in "$NODE_ZEN" "$NODE_TWIN"; do
	give_gres "$node" gpu:2 "Name=gpu File=DEVICE0 Cores=0-23" \
		"Name=gpu File=DEVICE1 Cores=24-47"
done
start_with_gres "$NODE_ZEN" "$NODE_TWIN"
# Whose memory is that of their NUMA nodes.
wishes+=(
	"-w $NODE_NUMA -n1 --bunit=X --bamount=1 --bmem=local --mem=500"
	"-w $NODE_NUMA -n3 --bunit=C --bamount=1 --bmem=local --mem-per-cpu=300"
	"-w $NODE_NUMA,$NODE_ZEN -N2 --btype=host --bunit=C --bamount=3 --bmem=local --mem=1000"
)
test_case "each change by itself" case_each
test_case "changes in any order" case_any_order
test_case "GANG: each change by itself" case_gang
tests_done
