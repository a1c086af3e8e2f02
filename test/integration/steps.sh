#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# steps - steps in a bound job: the job's slots, parts of them side by side,
# bindings of their own, shells
#
# On zen and twin tasks are told their CPUs; on this machine they are held, and
# say what /proc has.
# shellcheck disable=SC2086 # $in_proc is words
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# --- what a job's script does -------------------------------------------------

# In scripts: "told NAME OPTION..." starts a step whose tasks say
# "NAME TASK NODE CPUS"; "stay NAME OPTION..." one whose tasks also remain
# until a file go.NAME is there, and say "left" then; "alone" waits until
# slurmctld, too, has seen the end of all steps.
# shellcheck disable=SC2016 # the script's variables
in_script='
cd $WORK
told() {
	name=$1; shift
	srun -Q "$@" sh -c "echo $name \$SLURM_PROCID \$SLURMD_NODENAME \$TOPOBIND_CPUS"
}
stay() {
	local name=$1; shift
	srun -Q "$@" sh -c "echo $name \$SLURM_PROCID \$SLURMD_NODENAME \$TOPOBIND_CPUS
	until [ -e go.$name ] || [ -e go.all ]; do sleep 0.05; done
	echo left $name \$SLURM_PROCID"
}
alone() {
	while squeue -h -s -j "$SLURM_JOB_ID" -o %i | grep -q "\.[0-9]"; do
		sleep 0.05
	done
}'

# job_script OPTION... -- LINES - a batch job; its id in $job, its output in $output
job_script() {
	local options=() dir

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	dir=$(mktemp -d "$work/XXXXXX")
	output=$dir/out
	job=$(WORK=$dir sbatch --parsable -o "$output" "${options[@]}" \
		--wrap "$in_script
$2")
}

finish_script() {
	wait_until 60 is_over "$job"
	cat "$output"
}

# The lines of NAME in the output, without it, by task.
said() {
	sed -n "s/^$1 //p" "$output" | sort -n
}

has_said() {
	[ -e "$output" ] && [ "$(grep -c "^$2" "$output")" -ge "$1" ]
}

# Let the steps that stay go.
go() {
	touch "$(dirname "$output")/go.$1"
}

# --- slots that are not evenly spread ----------------------------------------

# Leave three caches of zen and one of twin: four slots are three and one.
only_three_and_one() {
	alloc -w "$NODE_ZEN" -n13 --bunit=X --bamount=1 >/dev/null
	alloc -w "$NODE_TWIN" -n15 --bunit=X --bamount=1 >/dev/null
	three_and_one="0 $NODE_TWIN 90-95
1 $NODE_ZEN 78-83
2 $NODE_ZEN 84-89
3 $NODE_ZEN 90-95"
	both=(-p virtual -N2 -w "$NODE_ZEN,$NODE_TWIN" -n4
		--bunit=X --bamount=1)
}

case_uneven_direct() {
	local both three_and_one

	only_three_and_one
	# shellcheck disable=SC2016
	assert_eq "tasks" "$three_and_one" "$(srun -Q "${both[@]}" sh -c \
		'echo "$SLURM_PROCID $SLURMD_NODENAME $TOPOBIND_CPUS"' | sort -n)"
}

case_uneven_in_script() {
	local both three_and_one

	only_three_and_one
	job_script "${both[@]}" -- '
	told plain
	told cyclic -m cyclic
	told exact --exact
	told cpus -c6
	told again
	told many -n5 || echo refused'
	finish_script
	assert_eq "a plain srun" "$three_and_one" "$(said plain)"
	assert_eq "in turns" "$three_and_one" "$(said cyclic)"
	assert_eq "with --exact" "$three_and_one" "$(said exact)"
	assert_eq "with -c" "$three_and_one" "$(said cpus)"
	# Of what the steps had of the job nothing is missing.
	assert_eq "afterwards" "$three_and_one" "$(said again)"
	assert_eq "more tasks than slots" refused \
		"$(grep -Ex 'refused' "$output")"
	assert [ "$(said many | wc -l)" -lt 5 ]
}

# --- side by side ---------------------------------------------------------------

# The lists of CPUs that more than one of the tasks of NAME have.
shared_cpus() {
	said "$1" | cut -d' ' -f3 | sort | uniq -d
}

case_exact_side_by_side() {
	job_script -w "$NODE_ZEN" -n4 --bunit=X --bamount=1 -- '
	for i in 1 2; do stay two -n2 --exact & done
	wait
	for i in 1 2 3 4; do stay one -n1 --exact & done
	until [ -e go.fifth ]; do sleep 0.05; done
	stay fifth -n1 --exact &
	wait
	told whole'
	wait_until 30 has_said 4 two
	assert_eq "CPUs of two steps of two" "" "$(shared_cpus two)"
	assert_eq "caches" 4 "$(said two | cut -d' ' -f3 | sort -u | wc -l)"
	go two
	wait_until 30 has_said 4 one
	assert_eq "CPUs of four steps of one" "0-5
12-17
18-23
6-11" "$(said one | cut -d' ' -f3 | sort)"
	go fifth
	wait_until 30 step_waits
	refute has_said 1 fifth
	go all
	finish_script
	assert_eq "tasks of the fifth step" 1 "$(said fifth | wc -l)"
	assert_eq "slots of the whole job" 4 "$(said whole | wc -l)"
	assert_eq "tasks that left" 9 "$(grep -c '^left' "$output")"
}

# A slot is three cores of which Slurm gives a thread each; it counts both.
case_one_thread_per_core() {
	job_script -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 \
		--threads-per-core=1 -- '
	for i in 1 2; do stay one -n1 --exact & done
	until [ -e go.third ]; do sleep 0.05; done
	stay third -n1 --exact &
	wait
	told whole'
	wait_until 30 has_said 2 one
	assert_eq "CPUs of two steps of one" "" "$(shared_cpus one)"
	go third
	wait_until 30 step_waits
	go all
	finish_script
	assert_eq "tasks of the third step" 1 "$(said third | wc -l)"
	assert_eq "slots of the whole job" 2 "$(said whole | wc -l)"
}

# Slurm keeps a record of a step that waits: it has no name of its own.
step_waits() {
	scontrol show step "$job" | grep -q 'State=PENDING' ||
		squeue -h -s -j "$job" -o '%i' | grep -qi 'tbd\|pending'
}

# Two of three slots are taken: a step of two does not get a half one.
case_too_few_free_slots() {
	job_script -w "$NODE_ZEN" -n3 --bunit=X --bamount=1 -- '
	stay first -n2 --exact &
	until [ -e go.second ]; do sleep 0.05; done
	told second -n2 --exact || echo refused
	stay third -n2 -c6 &
	wait'
	wait_until 30 has_said 2 first
	go second
	wait_until 30 has_said 1 refused
	go all
	finish_script
	assert_eq "tasks of the second step" "" "$(said second)"
	# With the CPUs of a slot Slurm can tell, and the step waits.
	assert_eq "tasks of the third step" 2 "$(said third | wc -l)"
}

# Steps with bindings of their own: one slot of four caches, taken one by one.
case_own_side_by_side() {
	job_script -w "$NODE_ZEN" -n1 --bunit=X --bamount=4 -- '
	for i in 1 2 3 4; do
		stay own -n1 -c6 --bunit=X --bamount=1 &
	done
	wait
	alone
	for i in 1 2 3; do told serial -n1 --exact --bunit=X --bamount=1 & done
	wait
	told cores -n6 --bunit=C --bamount=2 --bstrategy=scatter'
	wait_until 30 has_said 4 own
	assert_eq "caches" "0-5
12-17
18-23
6-11" "$(said own | cut -d' ' -f3 | sort)"
	go own
	finish_script
	assert_eq "steps one after the other" 3 "$(said serial | wc -l)"
	# 24 threads are 12 cores: two for each task, none for two tasks.
	assert_eq "tasks with cores of their own" 6 \
		"$(said cores | cut -d' ' -f3 | sort -u | wc -l)"
	assert_eq "threads of their cores" 0-23 "$(expand_list \
		"$(said cores | cut -d' ' -f3 | paste -sd,)" | as_list)"
}

# With btype=host steps take units of the host, whole ones.
case_host_units_side_by_side() {
	job_script -w "$NODE_ZEN" -n1 --btype=host --bunit=X --bamount=3 -- '
	for i in 1 2 3; do stay host -n1 --exact & done
	wait
	told all -n3'
	wait_until 30 has_said 3 host
	assert_eq "caches" "0-5
12-17
6-11" "$(said host | cut -d' ' -f3 | sort)"
	go host
	finish_script
	assert_eq "what all tasks share" "0-17" \
		"$(said all | cut -d' ' -f3 | sort -u)"
}

# Each task takes the CPUs that it is told, and says when somebody has them.
# case_random_steps [JOB-OPTION...]
case_random_steps() {
	# shellcheck disable=SC2016 # the script's variables
	job_script -w "$NODE_ZEN,$NODE_TWIN" -N2 -n7 --bunit=X --bamount=1 "$@" -- '
	cat >task <<-"END"
	held=$(tr , "\n" <<<"$TOPOBIND_CPUS" | tr - " " | xargs -L1 seq |
		sed "s/^/$SLURMD_NODENAME./")
	mkdir $held || echo taken
	sleep 0.$((RANDOM % 5))
	rmdir $held
	echo ran
	END
	RANDOM=99
	for i in $(seq 24); do
		own=
		case $((RANDOM % 4)) in
		0) own="--bunit=C --bamount=$((RANDOM % 3 + 1))" ;;
		1) own="-m cyclic" ;;
		2) own="--bunit=X --bamount=1" ;;
		esac
		srun -Q --exact -c6 -n $((RANDOM % 3 + 1)) -N1 $own bash task ||
			echo refused &
	done
	wait
	told whole'
	finish_script
	assert_eq "CPUs of two tasks" "" "$(grep -E 'taken|mkdir' "$output")"
	assert_eq "refused" 0 "$(grep -c refused "$output")"
	assert [ "$(grep -cx ran "$output")" -ge 24 ]
	assert_eq "slots of the whole job" 7 "$(said whole | wc -l)"
}

# Slurm's books of steps live in slurmctld: a new one must have them as well.
case_restart_between() {
	job_script -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 -- '
	stay first -n1 --exact &
	until [ -e go.second ]; do sleep 0.05; done
	stay second -n1 --exact &
	wait
	told whole'
	wait_until 30 has_said 1 first
	daemon slurmctld stop
	daemon slurmctld start
	# Slurm starts no steps there until the node has registered.
	daemon "slurmd-$NODE_ZEN" stop
	daemon "slurmd-$NODE_ZEN" start
	wait_until 60 srun -Q --immediate=1 --jobid="$job" -n1 --exact \
		--mem=1 true
	go second
	wait_until 60 has_said 1 second
	assert_eq "CPUs of both" "0-5 6-11" "$(sed -n -E \
		's/^(first|second) 0 [^ ]* //p' "$output" | sort | paste -sd' ')"
	go all
	finish_script
	assert_eq "slots of the whole job" 2 "$(said whole | wc -l)"
}

# --- steps that a node makes ---------------------------------------------------

# Without -c Slurm counts a CPU for each of these steps, and picks cores one by one.
case_stepmgr_side_by_side() {
	job_script -w "$NODE_ZEN" -n4 --bunit=X --bamount=1 --stepmgr -- '
	for i in 1 2 3 4; do stay one -n1 --exact & done
	until [ -e go.fifth ]; do sleep 0.05; done
	told fifth -n1 --exact || echo refused
	touch go.one
	wait
	for i in 1 2 3 4; do told next -n2 --exact; done
	told whole'
	wait_until 60 has_said 4 one
	assert_eq "CPUs of four steps of one" "0-5
12-17
18-23
6-11" "$(said one | cut -d' ' -f3 | sort)"
	go fifth
	finish_script
	assert_eq "a fifth step" refused "$(grep -x refused "$output")"
	assert_eq "tasks of steps one after the other" 8 "$(said next | wc -l)"
	assert_eq "slots of the whole job" "0-5
12-17
18-23
6-11" "$(said whole | cut -d' ' -f3 | sort)"
}

# A step that is killed gives back what it took.
case_stepmgr_killed() {
	local pid

	job_script -w "$NODE_ZEN" -n1 --bunit=X --bamount=1 --stepmgr -- '
	stay first -n1 --exact
	told second -n1 --exact'
	wait_until 60 has_said 1 first
	for pid in $(pgrep -x slurmstepd); do
		! tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q "\[$job\.0\]" ||
			kill -KILL "$pid"
	done
	scancel "$job.0"
	finish_script
	assert_eq "the next step" "0 $NODE_ZEN 0-5" "$(said second)"
}

# Those that find no room wait in their job.
case_async() {
	# shellcheck disable=SC2016 # the script's variables
	job_script -w "$NODE_ZEN" -n4 --bunit=X --bamount=1 --stepmgr -- '
	for i in $(seq 12); do
		srun -Q --async -n1 --exact -c6 -o "async.%s" sh -c "
			mkdir \$TOPOBIND_CPUS || echo taken
			sleep 0.3
			rmdir \$TOPOBIND_CPUS
			echo ran"
	done
	until [ "$(cat async.* 2>/dev/null | grep -cx ran)" = 12 ]; do
		sleep 0.1
	done
	cat async.*'
	finish_script
	assert_eq "CPUs of two tasks" "" "$(grep taken "$output" || true)"
	assert_eq "steps that ran" 12 "$(grep -cx ran "$output")"
}

case_stepmgr_is_held() {
	job_script -w "$NODE_THIS" -n1 --bunit=C --bamount=1 --stepmgr -- "
	$in_proc
	srun -Q -n1 --exact $in_proc
	srun -Q -n1 --exact -c1 $in_proc"
	finish_script
	assert_eq "lists" 3 "$(grep -c Cpus_allowed "$output")"
	assert_eq "different lists" 1 "$(sort -u "$output" | wc -l)"
}

# --- beside the site's switch plugin --------------------------------------------

switch_type() {
	scontrol show config | sed -n 's/^SwitchType *= //p'
}

# Since 25.05 a switch plugin of topobind's is asked first, and nobody sees it.
assert_site_switch() {
	assert_eq SwitchType switch/nvidia_imex "$(switch_type)"
	case_uneven_direct
	cancel_all
	wait_until 60 no_jobs
}

case_site_switch() {
	assert_site_switch
	reconfigure
	assert_site_switch
}

case_other_controller() {
	takeover
	assert_site_switch
	take_back
	assert_site_switch
}

without_site_switch() {
	sed -i /^SwitchType=/d "$cluster/etc/slurm.conf" \
		"$cluster/etc/virtual/slurm.conf" "$cluster/etc/backup/slurm.conf"
	restart_slurmctld
	wait_until 60 nodes_answer
	case_uneven_direct
}

# A heterogeneous job: each part has its own slots, or none.
case_parts_of_a_job() {
	job_script -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 : \
		-w "$NODE_TWIN" -n2 --bunit=C --bamount=2 : \
		-w "$NODE_THIS" -n1 --mem=100 -- '
told all -n1 --exact : -n2 --exact : -n1
told first --het-group=0 -n2
told second --het-group=1 -n1 --exact
told both --het-group=0,1
told third --het-group=2'
	finish_script
	assert_eq "all" "0 $NODE_ZEN 0-5
1 $NODE_TWIN 0-3
2 $NODE_TWIN 6-9
3 $NODE_THIS" "$(said all)"
	assert_eq "first" "0 $NODE_ZEN 0-5
1 $NODE_ZEN 6-11" "$(said first)"
	assert_eq "second" "0 $NODE_TWIN 0-3" "$(said second)"
	assert_eq "both" "0 $NODE_ZEN 0-5
1 $NODE_ZEN 6-11
2 $NODE_TWIN 0-3
3 $NODE_TWIN 6-9" "$(said both)"
	assert_eq "third" "0 $NODE_THIS" "$(said third)"
}

# A request too long for its part's SystemComment, which has its beginning only.
case_long_request_of_a_part() {
	local filter job

	filter=Scc$(printf 'C%.0s' {3..3200})
	job_script -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 : \
		-w "$NODE_WIDE" -n1 --bamount=2 --bfilter="$filter" -- \
		'told parts --het-group=0,1'
	finish_script
	assert_eq "of a script" "0 $NODE_ZEN 0-5
1 $NODE_ZEN 6-11
2 $NODE_WIDE 2-3" "$(said parts)"
	output=$work/shell
	WORK=$work salloc -Q -w "$NODE_WIDE" -n1 --bamount=2 \
		--bfilter="$filter" : -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 : \
		-w "$NODE_THIS" -n1 bash -c "$in_script
			told parts --het-group=0,1,2" >"$output"
	assert_eq "of a shell" "0 $NODE_WIDE 2-3
1 $NODE_ZEN 0-5
2 $NODE_ZEN 6-11
3 $NODE_THIS" "$(said parts)"
	job=$(alloc -w "$NODE_WIDE" -n1 --bamount=2 --bfilter="$filter")
	exits 1 "job $job is too long to be shown whole" \
		srun --jobid="$job" -n1 true
}

# --- held on this machine -----------------------------------------------------

in_proc='grep Cpus_allowed_list /proc/self/status'

# A job of one core, and what its tasks are held on.
one_core() {
	job=$(alloc -w "$NODE_THIS" -n1 --bunit=C --bamount=1 --mem=100)
	first=$(srun -Q --jobid="$job" -n1 $in_proc)
	refute [ "$first" = "$($in_proc)" ]
}

case_overlap_is_held() {
	local first job output

	one_core
	srun -Q --jobid="$job" -n1 --mem=10 sh -c "echo \$\$ >$work/held
		until [ -e $work/overlapped ]; do sleep 0.05; done" &
	wait_until 30 test -s "$work/held"
	output=$(srun -Q --jobid="$job" -n1 --mem=10 --overlap sh -c "$in_proc
		taskset -pc 0-$(($(nproc --all) - 1)) \$\$ >/dev/null 2>&1
		$in_proc")
	assert_eq "beside another step, before and after taskset" "$first
$first" "$output"
	output=$(srun -Q --jobid="$job" -n1 --mem=10 --overlap --exact \
		$in_proc)
	assert_eq "with --exact" "$first" "$output"
	touch "$work/overlapped"
	wait
	refute srun -Q --jobid="$job" -n2 true
}

case_pty_is_held() {
	local first job

	one_core
	script -qec "srun -Q --jobid=$job -n1 --pty $in_proc" /dev/null \
		</dev/null >"$work/pty"
	assert_eq "CPUs in a terminal" "$first" "$(grep -ao 'Cpus_allowed_list:[[:print:][:blank:]]*' "$work/pty")"
}

# The sockets of a process that are connected.
is_attached() {
	local inode

	for inode in $(find "/proc/$1/fd" -lname 'socket:*' -printf '%l ' \
		2>/dev/null | tr -dc '0-9 '); do
		! awk -v inode="$inode" '$10 == inode && $4 == "01" { found = 1 }
			END { exit !found }' /proc/net/tcp || return 0
	done
	return 1
}

case_sattach() {
	local first

	first=$work/sattach
	job_script -w "$NODE_THIS" -n1 --bunit=C --bamount=1 -- "
	srun -Q -n1 sh -c 'touch running
		until [ -e go.attached ]; do sleep 0.05; done
		$in_proc'"
	wait_until 30 test -e "$(dirname "$output")/running"
	# What the step says before it is attached to, sattach does not get.
	sattach -Q "$job.0" >"$first" &
	wait_until 30 is_attached $!
	go attached
	finish_script
	wait
	assert_eq "what is attached to is held" "$(cat "$output")" "$(cat "$first")"
	assert [ -s "$first" ]
}

# The shell of salloc where the site starts it on the node.
case_interactive_shell() {
	local seen=$work/shell

	within 60 salloc -Q -w "$NODE_THIS" -n1 --bunit=C --bamount=1 \
		>"$seen" <<-END
	echo "cpus=\$SLURM_CPUS_ON_NODE"
	$in_proc
	srun -Q -n1 --overlap $in_proc
	srun -Q -n1 --exact $in_proc
	END
	cat "$seen"
	assert_eq "different lists of shell and steps" 1 \
		"$(grep Cpus_allowed "$seen" | sort -u | wc -l)"
	assert_eq "lists" 3 "$(grep -c Cpus_allowed "$seen")"
	assert_eq "CPUs" "$(sed -n 's/^cpus=//p' "$seen")" "$(expand_list \
		"$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p;T;q' "$seen")" |
		wc -l)"
}

cluster_start --nodes this,zen,twin \
	--machine "wide S$(printf 'C%.0s' {1..3200}) 1 3200 1" --slurm \
	'LaunchParameters=use_interactive_step' \
	--slurm 'InteractiveStepOptions="--interactive --preserve-env sh"'
test_case "3 + 1 slots: srun by itself" case_uneven_direct
test_case "3 + 1 slots: srun in a script" case_uneven_in_script
test_case "--exact: whole slots, side by side" case_exact_side_by_side
test_case "--exact: too few free slots are refused" case_too_few_free_slots
test_case "--exact with a thread of each core" case_one_thread_per_core
test_case "own bindings side by side" case_own_side_by_side
test_case "units of a host side by side" case_host_units_side_by_side
test_case "random steps share nothing, nothing is missing after" \
	case_random_steps
test_case "side by side over a restart of slurmctld" case_restart_between
test_case "parts of a heterogeneous job" case_parts_of_a_job
test_case "a long request of a part" case_long_request_of_a_part
test_case "--overlap is held in the job's units" case_overlap_is_held
test_case "--pty is held" case_pty_is_held
test_case "sattach" case_sattach
test_case "salloc's shell on the node is held" case_interactive_shell
if slurm_is_from 24.05; then
	cluster_stop
	cluster_start --nodes this,zen,twin --slurm PrologFlags=Contain
	test_case "--stepmgr: whole slots, side by side" \
		case_stepmgr_side_by_side
	test_case "--stepmgr: a step is killed" case_stepmgr_killed
	test_case "--stepmgr: random steps" case_random_steps --stepmgr
	test_case "--stepmgr: held" case_stepmgr_is_held
fi
! slurm_is_from 26.05 || test_case "--async" case_async
if slurm_is_from 25.05; then
	cluster_stop
	cluster_start --nodes zen,twin --backup \
		--slurm SwitchType=switch/nvidia_imex
	test_case "the site's switch plugin, and scontrol reconfigure" \
		case_site_switch
	test_case "the site's switch plugin, and another controller" \
		case_other_controller
	test_case "without it" without_site_switch
fi
tests_done
