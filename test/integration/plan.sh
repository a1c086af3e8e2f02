#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# plan - topobind plan: what a job would get is what it then gets, now and
# later, and asking leaves nothing behind
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

planned() {
	topobind plan --json "$@"
}

# Node and threads, one on a line: of a plan, and of a job.
planned_units() {
	jq -r '.units[] | .node + " " + .topology' | while read -r node string; do
		echo "$node $(lower_threads "$string")"
	done | sort
}

job_units() {
	local node

	for node in $(scontrol show hostnames "$(job_field "$1" NodeList)"); do
		echo "$node $(granted "$1" "$node")"
	done | sort
}

# --- now ---------------------------------------------------------------------------

# assert_now OPTION... - the plan is what the job gets.  Prints the job.
assert_now() {
	local plan job

	plan=$(planned "$@") || fail "not now: $*: $plan"
	job=$(alloc "$@")
	assert_eq "units of $*" "$(planned_units <<<"$plan")" \
		"$(job_units "$job")"
	echo "$job"
}

random_cpus() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo $((RANDOM % $2))
	done | sort -nu | paste -s -d,
}

# Some threads of each node are in use, by jobs with a binding and without.
occupy() {
	RANDOM=$1
	alloc -w "$NODE_ZEN" --bcpus="$(random_cpus 5 96)" >/dev/null
	alloc -w "$NODE_TWIN" -n $((1 + RANDOM % 9)) >/dev/null
	alloc -w "$NODE_SKYLAKE" --bcpus="$(random_cpus 8 72)" >/dev/null
	alloc -w "$NODE_RAPTOR" --bcpus="$(random_cpus 3 20)" >/dev/null
	alloc -w "$NODE_QUADRANT" --bcpus="$(random_cpus 3 16)" >/dev/null
}

# Requests of all kinds: the plan is compared where there is one for now.
requests() {
	cat <<-END
		-N1 --bunit=X --bamount=1
		-N1 -n3 --bunit=C --bamount=2
		-N2 -n5 --bunit=X --bamount=1
		-N3 -n7 --bunit=C --bamount=1 --bstrategy=scatter
		-N1 -n2 --bunit=C --bamount=3 --bstrategy=linear
		-n4 --ntasks-per-node=2 --bunit=C --bamount=2
		-N1 -n5 --bunit=T --bamount=1
		-N1 -n2 --bunit=T --bamount=3 --bstrategy=scatter
		-N2 --btype=host --bunit=C --bamount=4
		-N1 -n4 --btype=host --bunit=X --bamount=2
		-w $NODE_RAPTOR -n2 --bunit=E --bamount=2
		-w $NODE_RAPTOR -n2 --bunit=ET --bamount=1
		-w $NODE_RAPTOR -n3 --bunit=Y --bamount=1
		-w $NODE_QUADRANT -n2 --bunit=C --bamount=1 --bsort=N
		-w $NODE_QUADRANT -n3 --bunit=X --bamount=1 --bsort=nXc
		-w $NODE_QUADRANT -n1 --bunit=N --bamount=1
		-w $NODE_ZEN -n2 --bunit=C --bamount=1 --bstart=X --bstop=S
		-w $NODE_ZEN -n2 --bunit=C --bamount=1 --bstart=x --bstop=x
		-w $NODE_ZEN -n1 --bunit=C --bamount=1 --bfilter=first_core
		-w $NODE_TWIN -n2 --bcpus=90-93
		-N1 -n1 -c4 --bunit=C --bamount=2
		-x $NODE_ZEN -n2 --bunit=S --bamount=1
		-N2 -n2 -w $NODE_ZEN,$NODE_TWIN --topobind=bunit=Y,bamount=3
		-N1 -n3 --mem=1000 --bunit=X --bamount=1
		-N1 -n2 --mem-per-cpu=200 --bunit=C --bamount=5
	END
}

case_now() {
	local seed=$1 line plan job compared=0
	local -a options

	occupy "$seed"
	while read -r line; do
		read -r -a options <<<"$line"
		planned "${options[@]}" -t 5 >/dev/null || continue
		job=$(assert_now "${options[@]}" -t 5)
		compared=$((compared + 1))
		# Some stay, so that states differ.
		[ $((RANDOM % 3)) -eq 0 ] || cancel "$job"
	done < <(requests)
	[ "$compared" -ge 12 ] || fail "only $compared plans were for now"
	assert_no_contradictions
}

case_exclusive() {
	local job

	job=$(assert_now -w "$NODE_SKYLAKE" --exclusive --bunit=C --bamount=1 -t 5)
	exits 1 "not now" topobind plan -w "$NODE_SKYLAKE" --exclusive \
		--bunit=C --bamount=1
	cancel "$job"
}

case_variable() {
	local plan job

	plan=$(TOPOBIND=bunit=X,bamount=2 planned -N1 -n2)
	assert_eq "request" bunit=X,bamount=2 "$(jq -r .request <<<"$plan")"
	job=$(TOPOBIND=bunit=X,bamount=2 alloc -N1 -n2)
	assert_eq "units" "$(planned_units <<<"$plan")" "$(job_units "$job")"
	# The command line is stronger.
	assert_eq "request" bamount=2 "$(TOPOBIND=bunit=X,bamount=2 \
		planned -N1 -n2 --bunit=C | jq -r .request)"
}

case_plain() {
	exits 0 "now, in partition main, on $NODE_ZEN" \
		topobind plan -n4 -w "$NODE_ZEN"
	assert_eq "units" 0 "$(planned -n4 -w "$NODE_ZEN" | jq '.units | length')"
}

case_other_partition() {
	assert_eq "partition" virtual "$(planned -p virtual -N1 --bunit=C \
		--bamount=1 | jq -r .partition)"
}

# --- later and never ----------------------------------------------------------------

# It then starts when it was told.
case_later() {
	local holder end plan job

	holder=$(alloc -t 1 -w "$NODE_ZEN" --bcpus=0,48)
	end=$(date -d "$(job_field "$holder" EndTime)" +%s)
	plan=$(planned -w "$NODE_ZEN" -N1 -t 1 --bunit=S --bamount=1) && fail "now"
	assert_eq "answer" '"later"' "$(jq .answer <<<"$plan")"
	assert_eq "start" "$end" "$(jq .start <<<"$plan")"
	assert_eq "nodes" "$NODE_ZEN" "$(jq -r '.nodes[]' <<<"$plan")"
	assert_eq "who" "[\"$holder\"]" "$(jq -c '[.must_end[].job]' <<<"$plan")"
	job=$(batch -w "$NODE_ZEN" -N1 -t 1 --bunit=S --bamount=1)
	# Slurm ends jobs that are over their limit, up to half a minute later.
	wait_until 150 runs "$job"
	started=$(date -d "$(job_field "$job" StartTime)" +%s)
	{ [ "$started" -ge "$end" ] && [ "$started" -le $((end + 60 * slowness)) ]; } ||
		fail "started at $started, told was $end"
}

case_later_of_several() {
	local early late

	early=$(alloc -t 20 -w "$NODE_ZEN" --bcpus=0)
	late=$(alloc -t 50 -w "$NODE_ZEN" --bcpus=48)
	alloc -t 50 -w "$NODE_TWIN" --bcpus=0,48 >/dev/null
	exits 1 "when these have ended: job $early of root" topobind plan -N1 \
		-x "$NODE_SKYLAKE,$NODE_RAPTOR,$NODE_QUADRANT" --bunit=S --bamount=1
	exits 1 "$late of root" topobind plan -N1 -w "$NODE_ZEN" \
		--bunit=S --bamount=2
}

# Jobs that wait delay every start by Slurm's guess; the units are told.
case_behind_others() {
	local plan

	alloc -t 20 -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	wait_until 20 was_passed_over "$(batch -N1 -w "$NODE_ZEN" -t 5 \
		--bunit=S --bamount=1)"
	plan=$(planned -N1 -w "$NODE_TWIN" -t 5 --bunit=X --bamount=1) && fail now
	assert_eq "answer" '["later",1]' "$(jq -c '[.answer, .waiting_jobs]' <<<"$plan")"
	assert_eq "units" "$NODE_TWIN 0-5" "$(planned_units <<<"$plan")"
}

case_never() {
	exits 2 "never: " topobind plan -N1 --bunit=X --bamount=17
	exits 2 "has only 16 X units" \
		topobind plan -N1 -w "$NODE_ZEN" --bunit=X --bamount=17
	assert_eq "answer" '"never"' \
		"$(planned -N1 --bunit=X --bamount=17 | jq .answer)"
	exits 2 "never: " topobind plan -N1 -p nowhere --bunit=X --bamount=1
	exits 2 "never: " topobind plan -N99 --bunit=X --bamount=1
	exits 2 "bunit" topobind plan --bunit=Q --bamount=1
	exits 2 "not right" topobind plan -n many
	exits 2 "not right" topobind plan -N 4-2
	exits 2 "a number from 1 to 65533" topobind plan -c 65534
	exits 2 "a number from 1 to 2147483647" topobind plan -n 2147483648
	exits 2 "not right" topobind plan -t soon
	exits 2 "not right" topobind plan --mem=1Z
	exits 2 "environment variable TOPOBIND" \
		env TOPOBIND=bunit=Q,bamount=1 topobind plan
}

# The same masks as the controller has.
case_filter() {
	local job

	reconfigure_with Filter=first_core
	exits 2 "has only 47 C cores that are not masked" \
		topobind plan -N1 -w "$NODE_ZEN" --bunit=C --bamount=48
	job=$(assert_now -N1 -w "$NODE_ZEN" -t 5 --bunit=X --bamount=16)
	exits 1 "when these have ended: job $job of root" \
		topobind plan -N1 -w "$NODE_ZEN" --bunit=X --bamount=1
	reconfigure_with
	cancel "$job"
}

case_memory() {
	local small large other

	large=$(alloc -t 20 -w "$NODE_ZEN" --mem=900000 --bunit=C --bamount=1)
	exits 1 "there are units for it now, but too little memory with them: 1 of 1 node with units lacks it" \
		topobind plan -w "$NODE_ZEN" --mem=200000 --bunit=X --bamount=1
	exits 2 "only 1000000 MB of memory, 2000000 are asked for" \
		topobind plan -w "$NODE_ZEN" --mem=2000000 --bunit=X --bamount=1
	# A unit of 6 CPUs.
	exits 1 "100000 MB of memory free, 120000 are asked for" topobind plan \
		-w "$NODE_ZEN" --mem-per-cpu=20000 --bunit=X --bamount=1
	exits 0 now topobind plan -w "$NODE_ZEN" --mem-per-cpu=16000 --bunit=X \
		--bamount=1
	exits 1 "there is memory for it when these have ended: job $large of root; by their time limits that is at" \
		topobind plan -w "$NODE_ZEN" --mem=200000 --bunit=X --bamount=1
	cancel "$large"
	# Two of three hold so much that the job needs both.
	small=$(alloc -t 5 -w "$NODE_ZEN" --mem=100000 --bunit=C --bamount=1)
	large=$(alloc -t 20 -w "$NODE_ZEN" --mem=500000 --bunit=C --bamount=1)
	other=$(alloc -t 10 -w "$NODE_ZEN" --mem=300000 --bunit=C --bamount=1)
	exits 1 "there is memory for it when these have ended: job $other of root;" \
		topobind plan -w "$NODE_ZEN" --mem=400000 --bunit=X --bamount=1
	exits 1 "job $large of root, $other of root; by their time limits that is at $(job_field "$large" EndTime)" \
		topobind plan -w "$NODE_ZEN" -N1 -n3 --mem-per-cpu=50000 --bunit=X \
		--bamount=1
	cancel "$small" "$large" "$other"
}

case_large_tasks() {
	exits 2 "1 X unit has 6 CPUs, a task needs 8" \
		topobind plan -w "$NODE_ZEN" -c8 --bunit=X --bamount=1
	exits 2 "2 C units have 4 CPUs, a task needs 5" topobind plan \
		-w "$NODE_ZEN" -c5 --bunit=C --bamount=2 --btype=host
	exits 0 now topobind plan -w "$NODE_ZEN" -c6 --bunit=X --bamount=1
}

case_drained() {
	local job

	scontrol update NodeName="$NODE_ZEN" State=DRAIN Reason=test
	exits 1 "not now: nodes that it could have are out of service" \
		topobind plan -N1 -w "$NODE_ZEN" --bunit=X --bamount=1
	assert_eq "answer" '["later",null]' "$(planned -N1 -w "$NODE_ZEN" \
		--bunit=X --bamount=1 | jq -c '[.answer, .start]')"
	exits 2 "never: " topobind plan -N1 -w "$NODE_ZEN" --bunit=X --bamount=17
	# It waits, and runs when the node is back.
	job=$(batch -N1 -w "$NODE_ZEN" -t 5 --bunit=X --bamount=1)
	scontrol update NodeName="$NODE_ZEN" State=RESUME
	wait_until 20 runs "$job"
}

case_required_node() {
	local rows

	alloc -t 20 -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	rows=$({ planned -w "$NODE_ZEN" --bunit=S --bamount=1 || true; } |
		jq -c '[.table[] | [.nodes[0], .closed]] | sort')
	assert_contains "rows" "[\"$NODE_ZEN\",null]" "$rows"
	assert_eq "open rows" 1 "$(jq 'map(select(.[1] == null)) | length' \
		<<<"$rows")"
}

# Nobody listens on port 1.
case_no_answer() {
	sed -e 's/^SlurmctldPort=.*/SlurmctldPort=1/' \
		-e 's/^MessageTimeout=.*/MessageTimeout=2/' \
		"$cluster/etc/slurm.conf" >"$work/slurm.conf"
	exits 2 "gives no answer" env SLURM_CONF="$work/slurm.conf" \
		topobind plan --bunit=X --bamount=1
}

# Those that the fewest jobs have.
case_shared_units() {
	scontrol update PartitionName=virtual OverSubscribe=FORCE:2
	alloc -p virtual -w "$NODE_ZEN" -N1 --bunit=S --bamount=2 >/dev/null
	assert_now -p virtual -w "$NODE_ZEN" --bunit=S --bamount=1 >/dev/null
	assert_now -p virtual -w "$NODE_ZEN" --bunit=S --bamount=1 >/dev/null
	drain
	scontrol update PartitionName=virtual OverSubscribe=NO
}

case_partition_down() {
	scontrol update PartitionName=virtual State=DOWN
	exits 2 "it is not up" topobind plan -p virtual --bamount=1
	scontrol update PartitionName=virtual State=UP
	exits 0 now topobind plan -p virtual --bamount=1
}

# The same limits as for sbatch: minutes, and all other ways to write them.
case_time() {
	scontrol update PartitionName=main MaxTime=90
	exits 0 now topobind plan -t 90 --bamount=1
	exits 0 now topobind plan -t 1:30:00 --bamount=1
	exits 0 now topobind plan -t 0-1:30 --bamount=1
	exits 2 never topobind plan -t 91 --bamount=1
	exits 2 never topobind plan -t 1:30:01 --bamount=1
	exits 2 never topobind plan -t 0-2 --bamount=1
	exits 0 now topobind plan -t 90:00 --bamount=1
	exits 2 never topobind plan -t UNLIMITED --bamount=1
	scontrol update PartitionName=main MaxTime=UNLIMITED
}

case_reservation() {
	local job

	scontrol create reservation ReservationName=mine StartTime=now \
		Duration=60 Nodes="$NODE_ZEN" Users=root >/dev/null
	assert_eq "nodes" "$NODE_ZEN" "$(planned -N1 --reservation=mine --bunit=S \
		--bamount=1 -t 5 | jq -r ".nodes[]")"
	refute planned -N1 -w "$NODE_ZEN" --bunit=S --bamount=1 -t 5
	job=$(assert_now -N1 --reservation=mine --bunit=S --bamount=1 -t 5)
	cancel "$job"
	scontrol delete ReservationName=mine
}

# --- and nothing is left ------------------------------------------------------------

case_no_job_is_left() {
	local before after

	before=$(batch -H -N1 --bunit=X --bamount=1)
	planned -N1 --bunit=X --bamount=1 >/dev/null
	planned -N1 --bunit=X --bamount=99 >/dev/null || true
	after=$(squeue -h -o %A)
	assert_eq "jobs" "$before" "$after"
	assert nothing_in_use "$NODE_ZEN"
	cancel "$before"
}

case_any_user() {
	exits 0 now setpriv --reuid=nobody --regid=nogroup --clear-groups \
		topobind plan -N1 --bunit=X --bamount=1
}

case_gres() {
	local holder told

	exits 0 "now, in partition main, on $NODE_ZEN" \
		topobind plan -N1 --gres=gpu:2 --bunit=X --bamount=1
	told=$(topobind plan -N1 --gpus=1 --bunit=C --bamount=2 |
		sed -n "s/^$NODE_ZEN *1 task *//p")
	holder=$(alloc -N1 --gpus=1 --bunit=C --bamount=2)
	assert_eq "units near a GPU" "$NODE_ZEN:$told" \
		"$(comment_word "$holder" grant)"
	cancel "$holder"
	holder=$(alloc -t 20 -w "$NODE_ZEN" --gres=gpu:1 --bcpus=0)
	exits 1 "not now: at $(job_field "$holder" EndTime)" \
		topobind plan -N1 --gpus-per-node=2 --bunit=C --bamount=1
	exits 0 "now" topobind plan -N1 -n1 --gpus-per-task=1 --bunit=C --bamount=1
	exits 1 "1 of 2 gpu free, 2 are asked for" \
		topobind plan -N1 --gres=gpu:2 --bunit=C --bamount=1
	exits 1 "but with gpu only when these have ended: job $holder of" \
		topobind plan -N1 -n4 --ntasks-per-gpu=2 --bunit=C --bamount=1
	exits 0 now topobind plan -N1 -n2 --ntasks-per-gpu=2 --bunit=C --bamount=1
	cancel "$holder"
	# Each GPU is near a socket of its own.
	exits 2 never topobind plan -N1 -n1 --gres=gpu:2 --bunit=X --bamount=1 \
		--gres-flags=enforce-binding
	exits 0 now topobind plan -N1 -n1 --gres=gpu:2 --bunit=X --bamount=1 \
		--gres-flags=disable-binding
	exits 2 "--gres-flags=near is not right" topobind plan --gres-flags=near
	exits 2 "is not right" \
		topobind plan --gres-flags=disable-binding,enforce-binding
}

# Slurm makes tasks of the GPUs, or GPUs of the tasks.
case_tasks_of_gpus() {
	local holder other

	exits 0 now topobind plan -N1 --gpus=2 --ntasks-per-gpu=1 \
		--bunit=S --bamount=1
	exits 2 never topobind plan -N1 --gpus=2 --ntasks-per-gpu=2 \
		--bunit=S --bamount=1
	holder=$(alloc -t 20 -w "$NODE_ZEN" --bunit=S --bamount=1)
	exits 1 "not now: at $(job_field "$holder" EndTime)" \
		topobind plan -N1 --gpus=2 --ntasks-per-gpu=1 \
		--bunit=S --bamount=1
	cancel "$holder"
	for other in --gpus-per-task=1 --gpus-per-socket=1; do
		exits 2 "--ntasks-per-gpu and ${other%=*} exclude each other" \
			topobind plan -n2 --ntasks-per-gpu=1 "$other"
		refute sbatch --test-only -n2 --ntasks-per-gpu=1 "$other" \
			--wrap true
	done
}

case_cpus_of_gpus() {
	local -a options=(-N1 --gpus=1 --cpus-per-gpu=2)

	exits 0 now topobind plan "${options[@]}"
	assert sbatch --test-only "${options[@]}" --wrap true
	exits 2 "--cpus-per-gpu and --cpus-per-task exclude each other" \
		topobind plan "${options[@]}" -c2
	refute sbatch --test-only "${options[@]}" -c2 --wrap true
}

cluster_start --nodes zen,twin,skylake,raptor,quadrant --slurm GresTypes=gpu
# Now is another second a moment later.
plan_of() {
	(topobind plan --json -N1 -n2 --bunit=C --bamount=2 "$@" || true) |
		jq 'if .answer == "now" then .start = "now" else . end'
}

# same_plan ONE OTHER - both options are the same question
same_plan() {
	local one

	# shellcheck disable=SC2086 # options
	one=$(plan_of $1)
	assert [ -n "$one" ]
	# shellcheck disable=SC2086 # options
	assert_eq "plan with $1" "$(plan_of $2)" "$one"
}

# Of Slurm's own client where it knows the option.
case_tres_per_task() {
	local wrong holder

	holder=$(alloc -t 20 -w "$NODE_ZEN" --gres=gpu:1 --bcpus=0)
	same_plan --tres-per-task=cpu=2,gres/gpu=1 "-c2 --gpus-per-task=1"
	same_plan --tres-per-task=gres/gpu "--gpus-per-task=1"
	same_plan --tres-per-task=CPU:3,license/x:1 -c3
	same_plan "-c2 --tres-per-task=gres/gpu:1" "-c2 --gpus-per-task=1"
	same_plan --ntasks-per-tres=2 --ntasks-per-gpu=2
	SBATCH_TRES_PER_TASK=cpu=4 same_plan -c3 -c3
	SBATCH_GPUS_PER_TASK=7 same_plan --tres-per-task=gres/gpu:1 \
		--gpus-per-task=1
	cancel "$holder"
	for wrong in "" "," cpu cpu=0 cpu=x cpu=70000 gres/ gres/=1 gpu=1 mem=5 \
		cpu=1,mem=5 "cpu=1,"; do
		exits 2 --tres-per-task= topobind plan -n1 --bunit=C \
			"--tres-per-task=$wrong"
	done
	exits 2 "--tres-per-task and --cpus-per-task exclude each other" \
		topobind plan -n2 -c2 --tres-per-task=cpu=2
	exits 2 "--tres-per-task and --gpus-per-task exclude each other" \
		topobind plan -n2 --gpus-per-task=1 --tres-per-task=gres/gpu=1
	exits 2 "contradict each other" topobind plan -n2 --ntasks-per-gpu=1 \
		--ntasks-per-tres=2
	slurm_is_from 24.11 || return 0
	for wrong in mem=5 "cpu=2 -c2" "gres/gpu=1 --gpus-per-task=1"; do
		# shellcheck disable=SC2086 # options
		refute sbatch --test-only -n2 --tres-per-task=$wrong --wrap true
	done
	holder=$(alloc -N1 -n2 --tres-per-task=cpu=2,gres/gpu=1 --bunit=C --bamount=2)
	exits 1 "not now: at $(job_field "$holder" EndTime)" topobind plan -N1 -n2 \
		--tres-per-task=cpu=2,gres/gpu=1 --bunit=C --bamount=2
}

test_case "what is planned is what is granted, 1" case_now 3
test_case "what is planned is what is granted, 2" case_now 14
test_case "a node of its own" case_exclusive
test_case "the variable TOPOBIND" case_variable
test_case "a job without a binding" case_plain
test_case "another partition" case_other_partition
test_case "later: it starts when it was told" case_later
test_case "later: who has to end" case_later_of_several
test_case "later: others wait, too" case_behind_others
test_case "never, and what makes no sense" case_never
test_case "filters of topobind.conf" case_filter
test_case "memory" case_memory
test_case "tasks that are larger than a slot" case_large_tasks
test_case "a node that is drained" case_drained
test_case "a node that is required" case_required_node
test_case "time limits" case_time
test_case "a reservation" case_reservation
test_case "no job is left" case_no_job_is_left
test_case "any user may ask" case_any_user
test_case "units that are shared" case_shared_units
test_case "a partition that starts no job" case_partition_down
test_case "nobody answers" case_no_answer
give_gpus
test_case "GRES" case_gres
test_case "tasks for each GPU" case_tasks_of_gpus
test_case "CPUs of GPUs, or of tasks" case_cpus_of_gpus
test_case "--tres-per-task" case_tres_per_task
tests_done
