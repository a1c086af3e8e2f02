#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# parity - jobs without a binding get from select/topobind exactly what they get
# from select/cons_tres.  Only reservations of cores are made of other ones, when
# they have no Flags=FIRST_CORES: those of the workload have it.
#
# Two clusters, alike but for SelectType, play the events of
# test/data/parity/workload.txt, each for itself, and write down what they said
# and what all jobs, nodes and steps have.  What they wrote must be the same,
# line by line.
#
# No clock decides.  A job is either an allocation that starts at once or never
# (alloc), or waits in a partition that is down (submit) until that is opened
# for a few rounds of the scheduler (run), which takes all of its jobs in their
# order.  Jobs end when an event says so.  The events, one a line:
#
#	section NAME            a case: begins with empty clusters
#	alloc NAME OPTION...    salloc --immediate
#	submit NAME OPTION...   sbatch
#	run PARTITION...        open these, one after the other
#	cancel NAME...          these jobs end
#	suspend, resume, requeue, release NAME
#	update NAME KEY=VALUE   scontrol update
#	step NAME OPTION...     srun in that job: what its tasks see
#	keep NAME OPTION...     srun in that job, which goes on running
#	node NODE KEY=VALUE...  scontrol update
#	reserve NAME KEY=VALUE...   unreserve NAME
#	again                   requeued jobs may start again, at once
#	ends                    all running jobs get ends, the same on both
#	ask OPTION...           sbatch --test-only
#	starts                  when and where waiting jobs are expected to start
#	backfill on|off         the backfill scheduler; it is off at first
#	reconfigure, restart    slurmctld
#	look                    write down all that there is
#
# Arguments of this file are the sections to play, in place of all.
#
# {zen} stands for the name of the node, <j1> for the id of the job j1, @+60 for
# an hour after the moment that both clusters take as their beginning.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/two_clusters.bash
. "$test_dir/two_clusters.bash"

workload=$top/test/data/parity/workload.txt

# --- two clusters -----------------------------------------------------------

# Later Slurms know of sockets only, and want those to be named.
near=(0-11 12-23 24-35 36-47)
! slurm_is_from 24.11 || near=(0-23 0-23 24-47 24-47)
# Since 25.11 one of them.
far=(0-7 8-15)
! slurm_is_from 25.11 || far=(0-3 8-11)

# Nodes that differ in all that Slurm looks at.
# shellcheck disable=SC2054 # lists of Slurm
options=(
	--nodes this,zen,twin,skylake,raptor,power,quadrant
	--slurm Licenses=merged:10
	--node "zen Gres=gpu:a100:4,nic:2 Feature=amd,big Weight=10"
	--node "twin Gres=gpu:v100:2,shard:8 Feature=amd Weight=20 CoreSpecCount=2"
	--node "skylake Gres=gpu:v100:2,gpu:a100:2 Feature=intel,big Weight=5"
	--node "raptor Gres=nic:1 Feature=intel Weight=2"
	--node "power Feature=ibm,big Weight=30"
	--node "quadrant Gres=gpu:a100:2 Feature=small Weight=2"
	--node "this Feature=here Weight=50"
	--gres "zen Name=gpu Type=a100 File=/dev/null Cores=${near[0]}"
	--gres "zen Name=gpu Type=a100 File=/dev/zero Cores=${near[1]}"
	--gres "zen Name=gpu Type=a100 File=/dev/full Cores=${near[2]}"
	--gres "zen Name=gpu Type=a100 File=/dev/random Cores=${near[3]}"
	--gres "zen Name=nic Count=2"
	--gres "twin Name=gpu Type=v100 File=/dev/null Cores=0-23"
	--gres "twin Name=gpu Type=v100 File=/dev/zero Cores=24-47"
	--gres "twin Name=shard Count=8"
	--gres "skylake Name=gpu Type=v100 File=/dev/null"
	--gres "skylake Name=gpu Type=v100 File=/dev/zero"
	--gres "skylake Name=gpu Type=a100 File=/dev/full"
	--gres "skylake Name=gpu Type=a100 File=/dev/random"
	--gres "raptor Name=nic Count=1"
	--gres "quadrant Name=gpu Type=a100 File=/dev/null Cores=${far[0]}"
	--gres "quadrant Name=gpu Type=a100 File=/dev/zero Cores=${far[1]}"
	--slurm "GresTypes=gpu,shard,nic"
	--slurm "Licenses=matlab:4,fluent:2"
	--slurm "AllowSpecResourcesUsage=yes"
	--slurm "PreemptType=preempt/partition_prio"
	--slurm "PreemptMode=SUSPEND,GANG"
	--slurm "SchedulerTimeSlice=65533"
	--slurm "MinJobAge=100000"
)

# partition NAME KEY=VALUE...
partition() {
	options+=(--slurm "PartitionName=$1 Nodes=ALL MaxTime=INFINITE ${*:2}")
}

partition low PreemptMode=REQUEUE State=DOWN
partition cancel PreemptMode=CANCEL State=DOWN
partition pause PreemptMode=SUSPEND State=DOWN
partition urgent PreemptMode=OFF PriorityTier=10 State=DOWN
partition queue PreemptMode=OFF State=DOWN
partition other PreemptMode=OFF State=DOWN
partition share PreemptMode=OFF OverSubscribe=FORCE:2
partition alone PreemptMode=OFF OverSubscribe=EXCLUSIVE
partition spread PreemptMode=OFF LLN=YES
partition socket PreemptMode=OFF SelectTypeParameters=CR_Socket_Memory

# Young jobs that do not fit hold nobody back: each is looked at in each round.
scheduler=sched_interval=1,batch_sched_delay=0,default_queue_depth=10000
scheduler+=,bf_min_age_reserve=1000000,bf_continue,permit_job_expansion
options+=(--slurm "SchedulerParameters=$scheduler,bf_interval=-1")

# --- the events -------------------------------------------------------------

# These run for one cluster, whose directory is in $cluster; its jobs are in the
# array job, by name.
declare -A job
plan=''

# Node names without the number of the cluster, also where -w goes before them.
unnumbered() {
	sed -E "s/(this|zen|twin|skylake|raptor|power|quadrant)$number\b/\1/g"
}

# A command of the workload: what it says is written down.
tell() {
	"$@" 2>&1 | unnumbered || true
}

event_alloc() {
	local name=$1 output

	shift
	output=$(salloc --immediate --no-shell -J "$name" "$@" 2>&1) || true
	job[$name]=$(sed -n -E 's/.* allocation ([0-9]+).*/\1/p' <<<"$output" |
		sed -n 1p)
	unnumbered <<<"$output"
}

event_submit() {
	local name=$1 output

	shift
	output=$(sbatch -o /dev/null -J "$name" --requeue "$@" \
		--wrap 'exec sleep 10000' 2>&1) || true
	job[$name]=$(sed -n 's/^Submitted batch job //p' <<<"$output")
	unnumbered <<<"$output"
}

# rounds_done MAIN BACKFILL - both schedulers have come so far.  Backfill makes no
# rounds while no job waits.
rounds_done() {
	[ "$(rounds Main)" -ge "$1" ] || return 1
	[ "$backfill" = off ] || ! some_wait ||
		[ "$(rounds Backfilling)" -ge "$2" ]
}

# Later Slurms make no rounds for a job that is too large for its partition, either.
some_wait() {
	local none=none

	! slurm_is_from 24.11 || none='^[0-9]* PartitionConfig'
	squeue -h -t PD -o '%i %r' | grep -v "$none" >/dev/null
}

# The one that is under way may have begun before what is to be seen.
wait_rounds() {
	wait_until 60 rounds_done $(($(rounds Main) + 2)) \
		$(($(rounds Backfilling) + 2))
}

nothing_completes() {
	[ -z "$(squeue -h -t CG,CF -o %i)" ] && no_node_is comp
}

# All that ends has ended, and then the schedulers have seen all that waits.
settle() {
	local active

	while true; do
		wait_until 100 nothing_completes
		active=$(active_jobs)
		wait_rounds
		[ -n "$(comm -23 - <(active_jobs) <<<"$active")" ] || break
	done
}

active_jobs() {
	squeue -h -t R,S -o %i | sort
}

event_run() {
	local name

	for name in ${1//,/ }; do
		scontrol update partition="$name" State=UP
		settle
		hold_requeued
		look
		[ "$backfill" = off ] || wait_until 60 plan_is_settled
		scontrol update partition="$name" State=DOWN
	done
}

# Backfill takes back what it has planned when a round begins: what it says again
# after further rounds is not from the midst of one.
plan_is_settled() {
	local before=$plan

	wait_rounds
	plan=$(squeue -h -t PD -o '%i %S %Y' | unnumbered | now_or_later)
	[ "$plan" = "$before" ]
}

# Else they would start two minutes later, whatever the events.
hold_requeued() {
	local id

	for id in $(requeued); do
		scontrol hold "$id"
	done
}

# Waiting jobs that have run before.
requeued() {
	scontrol -o show job | sed -n -E \
		's/^JobId=([0-9]+) .* JobState=PENDING .* Restarts=[1-9].*/\1/p'
}

event_again() {
	local id

	for id in $(requeued); do
		release_now "$id"
	done
}

event_cancel() {
	local name ids=()

	for name; do
		[ -z "${job[$name]}" ] || ids+=("${job[$name]}")
	done
	[ "${#ids[@]}" -eq 0 ] || tell scancel "${ids[@]}"
	wait_until 100 nothing_completes
}

event_suspend() {
	tell scontrol suspend "${job[$1]}"
}

event_resume() {
	tell scontrol resume "${job[$1]}"
}

event_requeue() {
	tell scontrol requeuehold "${job[$1]}"
	wait_until 100 nothing_completes
}

event_release() {
	tell scontrol release "${job[$1]}"
}

# A short step, and what each of its tasks sees.
event_step() {
	local id=${job[$1]} before

	before=$(step_ids "$id")
	# shellcheck disable=SC2016 # the task's variables
	tell within 60 srun --jobid="$id" \
		--immediate=10 --input=none "${@:2}" sh -c '
		where=$(sed -n "s/^Cpus_allowed_list:.//p" /proc/self/status)
		[ "${SLURMD_NODENAME#this}" != "$SLURMD_NODENAME" ] || where=
		echo "task $SLURM_PROCID $SLURMD_NODENAME $SLURM_CPUS_ON_NODE" \
			"$SLURM_STEP_TASKS_PER_NODE gpu=$SLURM_STEP_GPUS" \
			"$CUDA_VISIBLE_DEVICES $where"' | sort
	# The next one would wait for it, or go elsewhere.
	wait_until 60 steps_are "$id" "$before"
}

# Without those that were refused, of which Slurm knows for a while.
step_ids() {
	scontrol show step "$1" 2>/dev/null | grep -o -E 'StepId=[0-9]+\.[0-9a-z]+' || true
}

steps_are() {
	[ "$(step_ids "$1")" = "$2" ]
}

# A step that stays, or is refused.
event_keep() {
	local id=${job[$1]} steps

	steps=$(steps_of "$id")
	srun --jobid="$id" --immediate=10 --input=none "${@:2}" sleep 1000 \
		>"$cluster/kept" 2>&1 &
	wait_until 60 step_is_decided "$!" "$id" "$steps"
	kill -0 "$!" 2>/dev/null || tell cat "$cluster/kept"
}

# A job that was refused has none, and is asked about as often as there is time for.
steps_of() {
	scontrol show step "$1" 2>/dev/null | grep -B1 'State=RUNNING' || true
}

step_is_decided() {
	! kill -0 "$1" 2>/dev/null || [ "$(steps_of "$2")" != "$3" ]
}

event_update() {
	tell scontrol update job="${job[$1]}" "${@:2}"
}

event_node() {
	tell scontrol update node="$1" "${@:2}"
	# One that is resumed is asked first.
	wait_until 100 nodes_answer
}

event_reserve() {
	tell scontrol create reservation ReservationName="$1" "${@:2}"
}

event_unreserve() {
	tell scontrol delete ReservationName="$1"
}

# In half-hour steps: far enough from each other, whenever the jobs began.
event_ends() {
	local id time

	for id in $(squeue -h -t R,S -o %A | sort -n); do
		time=$((beginning + 1800 * (2 + id * 7 % 23)))
		tell scontrol update job="$id" EndTime="$(moment "$time")"
	done
}

moment() {
	date -d "@$1" +%Y-%m-%dT%H:%M:%S
}

# What can start within two minutes starts now.
now_or_later() {
	awk -v now="$EPOCHSECONDS" '
	match($0, /[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+/) {
		time = substr($0, RSTART, RLENGTH)
		gsub(/[-T:]/, " ", time)
		if (mktime(time) <= now + 120)
			$0 = substr($0, 1, RSTART - 1) "now" \
				substr($0, RSTART + RLENGTH)
	}
	{ print }'
}

event_ask() {
	tell sbatch --test-only -J ask "$@" --wrap true | now_or_later
}

# When what waits starts, as planned by the end of the last run.
event_starts() {
	echo "$plan"
}

event_backfill() {
	local interval=-1

	backfill=$1
	[ "$backfill" = off ] || interval=1
	sed -i "s/bf_interval=-*[0-9]*/bf_interval=$interval/" "$SLURM_CONF"
	scontrol_reconfigure
	wait_until 100 nodes_are_known
}

# Later Slurms reconfigure in another slurmctld, to which the nodes come again.
nodes_are_known() {
	[ "$(scontrol show node | grep -c ' Version=')" = \
		"$(scontrol show node | grep -c '^NodeName=')" ]
}

event_reconfigure() {
	tell scontrol_reconfigure
	wait_until 100 nodes_are_known
}

event_restart() {
	daemon slurmctld stop
	daemon slurmctld start
	wait_until 100 nodes_answer
}

# Why a job waits is told by run: here it may just have been told that its
# partition is down.
event_look() {
	wait_until 100 nothing_completes
	look | sed -E 's/(JobState=PENDING) Reason=[^ ]*/\1/'
}

# What all jobs of the section have, steps, nodes and the rest.  But for times;
# for what a cancelled job waited for, and which of its signals it died of; for
# that a node is reserved or planned and the cores of a reservation, which Slurm
# says some seconds later; and for what topobind shows of nodes.
look() {
	{
		jobs_of_section | sed -E '
			s/(JobState=CANCELLED) Reason=.*/\1/
			s/ExitCode=0:(9|15)$/ExitCode=0:KILLED/
			s/(RunTime|TimeLimit|SubmitTime|EligibleTime|AccrueTime|StartTime|EndTime|SuspendTime|ResizeTime|SecsPreSuspend|LastSchedEval|Scheduler|PreemptTime|PreemptEligibleTime|AllocNode:Sid|SLUID)=[^ ]*//g'
		scontrol -d show node | sed -E '
			/^ *(OS|Extra|BootTime|LastBusyTime|ReservationName)=/d
			s/(CPULoad|FreeMem|Port|NodeHostName)=[^ ]*//g
			s/\+(RESERVED|MAINTENANCE|PLANNED)//g
			s/(Reason=.*) \[.*/\1/'
		scontrol show reservation | sed -E '
			/CoreIDs=/d
			s/(StartTime|EndTime)=[^ ]*//g'
		scontrol show license
		scontrol show step | awk '/^StepId=/ { here = !/TBD/ } here' |
			sed -E 's/(StartTime|SrunHost:Pid|ResvPorts)=[^ ]*//g'
	} | unnumbered | sed -E 's/ +/ /g; s/^ //; /^$/d'
}

jobs_of_section() {
	scontrol -d show job | awk -v first="$first_job" '
		/^JobId=/ { here = substr($1, 7) + 0 >= first }
		here'
}

# Words of an event, as this cluster has them, into the array words.
words_of() {
	local text=$1 name

	for name in "${!job[@]}"; do
		text=${text//<$name>/${job[$name]}}
	done
	while [[ $text =~ @\+([0-9]+) ]]; do
		text=${text/"${BASH_REMATCH[0]}"/$(moment \
			$((beginning + BASH_REMATCH[1] * 60)))}
	done
	text=$(sed -E "s/\{([a-z]+)\}/\1$number/g" <<<"$text")
	read -r -a words <<<"$text"
}

# More than the id of any job.
next_job() {
	scontrol -o show job | sed -n -E 's/^JobId=([0-9]+) .*/\1/p' |
		sort -n | awk 'END { print $1 + 1 }'
}

# play SECTION - its events for one cluster
play() {
	local line words number first_job backfill=off

	number=$(sed -n 's/^ClusterName=topobind//p' "$SLURM_CONF")
	first_job=$(next_job)
	# Not from where commands read, of which srun takes all.
	while read -r line <&3; do
		echo "## $line"
		words_of "$line"
		"event_${words[0]}" "${words[@]:1}"
	done 3< <(events_of "$1")
	event_look
}

events_of() {
	awk -v name="$1" '
		$1 == "section" { here = $2 == name; next }
		here && NF && !/^#/' "$workload" | with_known_flags
}

# Later Slurms do not know FIRST_CORES.  There all cores of the node, skylake, are
# reserved: these are the same, whoever chooses.
with_known_flags() {
	if slurm_is_from 23.11; then
		sed 's/CoreCnt=8 Flags=FIRST_CORES/CoreCnt=36/'
	else
		cat
	fi
}

# --- the cases --------------------------------------------------------------

beginning=$((EPOCHSECONDS / 3600 * 3600 + 2 * 3600))
export SALLOC_TIMELIMIT=1000 SBATCH_TIMELIMIT=1000

case_section() {
	local name=$1 players ok=yes jobs

	on "$plain" play "$name" >"$work/plain" 2>&1 &
	players=$!
	on "$cluster" play "$name" >"$work/topobind" 2>&1 &
	wait "$players" || ok=no
	wait "$!" || ok=no
	if ! diff -u "$work/plain" "$work/topobind" >"$work/diff"; then
		sed -n 1,60p "$work/diff"
		fail "$name: not the same"
	fi
	[ "$ok" = yes ] || { tail -n 5 "$work/plain" && fail "$name ended"; }
	# Two clusters that do nothing are alike, too.
	jobs=$(events_of "$name" | grep -c -E '^(alloc|submit) ')
	assert [ $(($(jobs_that_ran) * 2)) -ge "$jobs" ]
}

jobs_that_ran() {
	awk '
	/^JobId=/ { job = $1 }
	/^NodeList=./ { ran[job] }
	END { print length(ran) }' "$work/topobind"
}

start_both "${options[@]}"
mapfile -t sections < <(sed -n 's/^section //p' "$workload")
[ $# -eq 0 ] || sections=("$@")
for section in "${sections[@]}"; do
	test_case "$section" case_section "$section"
done
tests_done
