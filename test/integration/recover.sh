#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# recover - slurmctld is killed again and again while hundreds of jobs run, start
# and end: grants survive, no unit is held by two, and nothing stays
#
# TOPOBIND_SEED - which random load; the test says which one it was.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# --- what must be true at any moment -----------------------------------------

# A line for each run of a job, id and start first, then all that it was given.
runs_and_grants() {
	scontrol -d -o show job | awk '
	/ JobState=(RUNNING|SUSPENDED) / {
		line = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ /^(JobId|StartTime|Nodes|CPU_IDs|SystemComment|grant|more)=/)
				line = line " " $i
		print line
	}'
}

# grants_survived FILE LEAST - runs of then that are still there have what they
# had, and there are at least so many
grants_survived() {
	runs_and_grants >"$work/after"
	awk -v least="$2" '
	NR == FNR { was[$1, $2] = $0; next }
	($1, $2) in was {
		same++
		if (was[$1, $2] != $0)
			print "was" was[$1, $2] "\n is" $0
	}
	END {
		if (same < least)
			print "of " length(was) " runs only " same + 0 " are left"
	}' "$1" "$work/after" >"$work/differences"
	[ ! -s "$work/differences" ] || fail "$(cat "$work/differences")"
}

# What each node says is in use, as lines like those of held.
in_use_everywhere() {
	local node

	for node in "${nodes[@]}"; do
		inuse "$node" | tr ',' '\n' |
			awk -F- -v node="$node" 'NF {
				for (i = $1; i <= $NF; i++) print node, i
			}'
	done | sort
}

# What became of each job so far: it tells of those that came and went, too.
fates() {
	scontrol -o show job | awk '{
		line = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ /^(JobId|JobState|Restarts|SuspendTime)=/)
				line = line " " $i
		print line
	}'
}

# The nodes' word is the sum of what jobs hold.  Jobs may start and end between
# two questions; then they are asked again.
nodes_agree_with_jobs() {
	local before in_use

	before=$(fates)
	in_use=$(in_use_everywhere)
	held | awk '$1 == "cpu" { print $3, $4 }' | sort -u >"$work/held"
	[ "$before" = "$(fates)" ] || return 1
	diff "$work/held" - <<<"$in_use" >"$work/differences" ||
		fail "held < and in use > differ: $(cat "$work/differences")"
}

all_is_well() {
	assert_no_unit_is_shared
	wait_until 60 nodes_agree_with_jobs
}

# --- hundreds of jobs ----------------------------------------------------------

tasks() {
	sbatch -Q -o /dev/null --requeue --array="1-$1" "${@:2}" \
		--wrap "exec sleep 600"
}

# They run all the time, on two nodes and a half.
long_jobs() {
	# Numbers of jobs that a controller lost come again; slurmd refuses such a
	# job in the second in which the one before was killed.
	wait_until 5 second_is_over "$EPOCHSECONDS"
	tasks 120 -w "$NODE_LARGE" --bunit=C --bamount=1
	tasks 20 -w "$NODE_LARGE" -n1
	tasks 3 -w "$NODE_LARGE" --bunit=X --bamount=2
	tasks 10 -w "$NODE_WIDE" --bunit=X --bamount=1
	tasks 40 -w "$NODE_WIDE" -n1 --mem=1
	tasks 4 -N2 -n2 -w "$NODE_WIDE,$NODE_LARGE" --bunit=Y --bamount=2
	tasks 3 -w "$NODE_RAPTOR" --bunit=E --bamount=2
	wait_until 60 running_jobs_are 200
	save_state "$(squeue -h -t R -o %A | sed -n 1p)"
}

running_jobs_are() {
	[ "$(squeue -h -t R -o %i | wc -l)" -ge "$1" ]
}

step_in() {
	timeout -k 5 5 srun -Q --jobid="$(job_field "$1" JobId)" -N1 -n1 sleep 0.3 &
}

random_event() {
	case $((RANDOM % 8)) in
	0) to_one_in R scontrol suspend ;;
	1 | 2) to_one_in S scontrol resume ;;
	3) to_one_in R scontrol requeue ;;
	4 | 5) to_one_in R scancel ;;
	6) to_one_in R step_in ;;
	7) random_job 3 --array="1-$((RANDOM % 20 + 1))" ;;
	esac
}

# Clients wait for a controller that is away.
random_load() {
	local i

	RANDOM=$1
	for ((i = 0; i < 10; i++)); do
		random_job 8
		random_event
	done
	wait
}

# What else happens: jobs end, a slurmd ends and comes back.
while_the_controller_is_away() {
	local node=${nodes[RANDOM % ${#nodes[@]}]}

	case $((RANDOM % 4)) in
	0) sleep 2 ;;
	1)
		daemon "slurmd-$node" kill
		daemon "slurmd-$node" start
		;;
	esac
	# A run that is made again has another start.
	wait_until 5 second_is_over "$EPOCHSECONDS"
}

add_partition() {
	echo "PartitionName=later$1 Nodes=ALL DefaultTime=10" \
		>>"$cluster/etc/slurm.conf"
	reconfigure
	random_job 8 -p "later$1"
}

kill_and_recover() {
	local load

	runs_and_grants >"$work/before"
	(random_load $((seed + $1))) &
	load=$!
	# With luck the state was saved in between.
	sleep "$((RANDOM % 4)).$((RANDOM % 10))"
	daemon slurmctld kill
	while_the_controller_is_away
	daemon slurmctld start
	grants_survived "$work/before" 100
	all_is_well
	case $((RANDOM % 3)) in
	0) scontrol_reconfigure ;;
	1) add_partition "$1" ;;
	esac
	grants_survived "$work/before" 100
	wait "$load"
	all_is_well
	undrain
}

# Slurm gives up a node where a job has the number of one that it lost.
undrain() {
	# It also says so of those that are not drained.
	scontrol update NodeName=ALL State=undrain 2>/dev/null || true
}

# A node is given up, too, where such a job's script has not quite ended: those of
# other cases have numbers that nobody had.
take_new_numbers() {
	echo FirstJobId=10000 >>"$cluster/etc/slurm.conf"
	restart_slurmctld
}

case_killed_at_any_moment() {
	local i

	RANDOM=$seed
	long_jobs
	for ((i = 1; i <= 8; i++)); do
		kill_and_recover "$i"
	done
	take_new_numbers
}

# --- one thing at a time -------------------------------------------------------

# A job that leaves the number of its script's process.
with_pid() {
	rm -f "$work/pid"
	sbatch --parsable -o /dev/null "$@" \
		--wrap "echo \$\$ >$work/pid; exec sleep 600"
}

wait_for_pid() {
	wait_until 30 test -s "$work/pid"
	read -r pid <"$work/pid"
}

case_steps_start() {
	local job steps=() i

	job=$(alloc -w "$NODE_ZEN" -N1 -n8 --bunit=X --bamount=1)
	save_state "$job"
	for ((i = 0; i < 8; i++)); do
		timeout -k 5 20 srun -Q --jobid="$job" -n1 sleep 1 &
		steps+=($!)
		[ "$i" -ne 4 ] || daemon slurmctld kill
	done
	daemon slurmctld start
	assert_granted "$job" "$NODE_ZEN" 0-47
	wait "${steps[@]}" || true
	# Nothing of those steps is left: one has room on all of the units.
	within 60 srun -Q --jobid="$job" -n8 true
	assert_granted "$job" "$NODE_ZEN" 0-47
}

# What slurmctld saves from now on is lost by forget.
remember() {
	daemon slurmctld stop
	cp -a "$cluster/state" "$work/state"
	daemon slurmctld start
}

forget() {
	daemon slurmctld kill
	rm -r "$cluster/state"
	mv "$work/state" "$cluster/state"
	daemon slurmctld start
}

# The job was submitted since: nobody knows it.
case_state_without_the_job() {
	local job pid

	remember
	job=$(with_pid -w "$NODE_THIS" --bunit=C --bamount=1)
	alloc -w "$NODE_ZEN" --bunit=X --bamount=3 >/dev/null
	wait_for_pid
	assert_eq "in use" 0-17 "$(inuse "$NODE_ZEN")"
	forget
	refute scontrol show job "$job"
	assert nothing_in_use "$NODE_ZEN"
	assert nothing_in_use "$NODE_THIS"
	wait_until 100 process_is_gone "$pid"
	wait_until 30 no_job_cgroups "$NODE_THIS"
	undrain
	alloc -w "$NODE_THIS" -n2 --bunit=C --bamount=1 >/dev/null
}

# The job has started since: it waits again.
case_state_before_the_start() {
	local job pid

	job=$(with_pid -H -w "$NODE_THIS" --bunit=C --bamount=2)
	remember
	scontrol release "$job"
	wait_for_pid
	wait_until 20 runs "$job"
	assert_eq "in use" "$(granted "$job")" "$(inuse "$NODE_THIS")"
	forget
	assert is_pending "$job"
	assert nothing_in_use "$NODE_THIS"
	assert_eq "its grant" "" "$(comment_word "$job" grant)"
	wait_until 100 process_is_gone "$pid"
	wait_until 30 no_job_cgroups "$NODE_THIS"
	assert nothing_in_use "$NODE_THIS"
}

# Its job ends while nobody can be told; another node's is there still.
case_node_restarts() {
	local job other pid

	job=$(with_pid --no-requeue -w "$NODE_ZEN" --bunit=S --bamount=1)
	other=$(batch -w "$NODE_RAPTOR" --bunit=C --bamount=2)
	wait_for_pid
	wait_until 20 runs "$other"
	save_state "$job"
	daemon slurmctld kill
	daemon "slurmd-$NODE_ZEN" kill
	kill -KILL "$pid"
	daemon "slurmd-$NODE_ZEN" start
	daemon slurmctld start
	wait_until 100 is_over "$job"
	assert nothing_in_use "$NODE_ZEN"
	assert_granted "$other" "$NODE_RAPTOR" 0-3
	assert_eq "in use" 0-3 "$(inuse "$NODE_RAPTOR")"
}

# add_node NAME - like zen, the first of all by its name
add_node() {
	local port line

	port=$(sed -n -E 's/^NodeName=.* Port=([0-9]+).*/\1/p' \
		"$cluster/etc/slurm.conf" | sort -n | tail -n 1)
	line=$(sed -n -E "s/^NodeName=$NODE_ZEN (.* Port=)[0-9]+/NodeName=$1 \\1$((port + 1))/p" \
		"$cluster/etc/slurm.conf")
	echo "$line" >>"$cluster/etc/slurm.conf"
	echo "$line" >>"$cluster/etc/virtual/slurm.conf"
	line=$(sed -n "s/^NodeName=$NODE_ZEN /NodeName=$1 /p" \
		"$cluster/etc/topobind.conf")
	echo "$line" >>"$cluster/etc/topobind.conf"
	echo "PartitionName=$1 Nodes=$1 DefaultTime=10" \
		>>"$cluster/etc/slurm.conf"
}

# Slurm 22.05 wants to be started again for that.
case_node_is_added() {
	local before name=added${NODE_ZEN#zen} job

	long_jobs
	before=$(held)
	daemon slurmctld stop
	add_node "$name"
	daemon slurmctld start
	assert_eq "what is held" "$before" "$(held)"
	all_is_well
	daemon "slurmd-$name" start
	reconfigure
	assert_eq "what is held" "$before" "$(held)"
	nodes+=("$name")
	wait_until 60 node_is_idle "$name" "$name"
	job=$(alloc -p "$name" -n2 --bunit=X --bamount=1)
	assert_granted "$job" "$name" 0-11
	all_is_well
}

# --- the end -------------------------------------------------------------------

# Spool files and sockets of jobs and steps on the nodes.
left_on_nodes() {
	find "$cluster/spool" \( -name 'job*[0-9]*' -o -type s \) \
		! -name '*.sock'
}

nothing_is_left() {
	[ -z "$(left_on_nodes)" ] && no_job_cgroups "$NODE_THIS"
}

case_nothing_is_left() {
	local node

	for node in "${nodes[@]}"; do
		assert nothing_in_use "$node"
	done
	wait_until 150 nothing_is_left
	restart_slurmctld
	assert no_jobs
	undrain
	for node in "${nodes[@]}"; do
		assert nothing_in_use "$node"
		alloc -w "$node" --bunit=S --btype=host \
			--bamount="$(sockets_of "$node")" >/dev/null
	done
	all_is_well
}

sockets_of() {
	scontrol -o show node "$1" | tr ' ' '\n' | sed -n 's/^Sockets=//p'
}

# 256 cores: four sockets of eight caches.
large_machine() {
	local cores caches

	cores=$(printf 'YCTT%.0s' {1..8})
	caches=$(printf "X$cores%.0s" {1..8})
	printf "NS$caches%.0s" {1..4}
}

shape=$(large_machine)
cluster_start --nodes this,zen,raptor --machine "large $shape 4 64 2" \
	--machine "wide $shape 4 64 2"
nodes=("$NODE_THIS" "$NODE_ZEN" "$NODE_RAPTOR" "$NODE_LARGE" "$NODE_WIDE")
seed=${TOPOBIND_SEED:-$RANDOM}
echo "# TOPOBIND_SEED=$seed"
test_case "killed at any moment" case_killed_at_any_moment
test_case "killed while steps start" case_steps_start
test_case "a saved state without the job" case_state_without_the_job
test_case "a saved state from before the start" case_state_before_the_start
test_case "a node restarts meanwhile" case_node_restarts
test_case "nothing is left" case_nothing_is_left
test_case "a node is added" case_node_is_added
tests_done
