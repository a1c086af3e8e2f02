#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# site - topobind.conf: each key, each override, and what is wrong in it
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# --- what is asked of jobs and tasks ----------------------------------------

# Each task on this machine: its CPUs, and the variables.
# shellcheck disable=SC2016 # the task's variables
tell='sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status
echo "$TOPOBIND_INSTANCE $TOPOBIND_CPUS $TOPOBIND_SLOT $TOPOBIND_TOPOLOGY"'

here() {
	srun -Q -w "$NODE_THIS" "$@" bash -c "$tell" | sort
}

plain_share() {
	alloc -w "$NODE_ZEN" --bamount=0 "$@"
}

# never OPTION... - refused at submission
never() {
	refute sbatch -Q -o /dev/null "$@" --wrap true
	assert no_jobs
}

# --- implicit binding -------------------------------------------------------

case_nobody_is_bound_by_default() {
	local job

	reconfigure_with
	job=$(alloc -w "$NODE_ZEN" -n2)
	assert_eq binding "" "$(binding "$job")"
	assert_eq grant "" "$(granted "$job")"
}

case_here_as_host_type() {
	local asked

	asked=$(here -n1 --bunit=C --bamount=1 --btype=host)
	reconfigure_with Implicit=yes
	assert_eq "one task" "$asked" "$(here -n1)"
	reconfigure_with
	asked=$(here -n2 --bunit=C --bamount=2 --btype=host)
	reconfigure_with Implicit=yes
	assert_eq "two tasks, which share" "$asked" "$(here -n2)"
	assert_eq "different lists of two tasks" 2 "$(here -n2 | sort -u | wc -l)"
}

case_here_held() {
	local own cpu output

	reconfigure_with Implicit=yes
	own=$(here -n1 | sed -n 1p)
	cpu=$(comm -23 \
		<(expand_list "$(cat /sys/devices/system/cpu/online)" | sort) \
		<(expand_list "$own" | sort) | sed -n 1p)
	[ -n "$cpu" ] || fail "this test needs two cores"
	output=$(srun -Q -w "$NODE_THIS" -n1 bash -c \
		"taskset -c $cpu true 2>/dev/null && echo ran || echo refused")
	assert_eq "taskset to $cpu" refused "$output"
}

case_amount_0_switches_off() {
	local job

	reconfigure_with Implicit=yes
	job=$(alloc -w "$NODE_ZEN" -n2 --bamount=0)
	assert_eq binding "" "$(binding "$job")"
	assert_contains "a task" "NONE" "$(here -n1 --bamount=0)"
}

case_amount_is_the_tasks() {
	local job

	reconfigure_with Implicit=yes
	job=$(alloc -w "$NODE_ZEN" -n3)
	assert_granted "$job" "$NODE_ZEN" 0-5
	assert_eq binding "implicit,btype=host" "$(binding "$job")"
	# Five CPUs of a task are in three cores.
	job=$(alloc -w "$NODE_ZEN" -n2 -c5)
	assert_granted "$job" "$NODE_ZEN" 6-17
	# Each node has what its own tasks need.
	job=$(alloc -w "$NODE_ZEN,$NODE_RAPTOR" -N2 -n5)
	assert_granted "$job" "$NODE_RAPTOR" 0-5
	assert_granted "$job" "$NODE_ZEN" 18-21
	assert_no_contradictions
}

# Options that go with any units are added to the site's binding.
case_added_to_it() {
	local job

	reconfigure_with Implicit=yes DefaultUnit=X DefaultStrategy=linear
	job=$(alloc -w "$NODE_ZEN" -n2 --bmem=local --mem=100)
	assert_eq binding "implicit,bunit=X,btype=host,bstrategy=linear,bmem=local" \
		"$(binding "$job")"
	assert_granted "$job" "$NODE_ZEN" 0-11
	job=$(alloc -w "$NODE_ZEN" -n1 --bstrategy=packed)
	assert_eq binding "implicit,bunit=X,btype=host" "$(binding "$job")"
	assert_granted "$job" "$NODE_ZEN" 12-17
	# One that names its units has a request of its own.
	job=$(alloc -w "$NODE_ZEN" -n1 --bunit=C --bmem=local --mem=100)
	assert_eq binding "bamount=1,bmem=local" "$(binding "$job")"
	job=$(batch -H -w "$NODE_ZEN" -n1)
	exits 0 "job $job: implicit,bunit=X,btype=host,bstrategy=linear,bmem=prefer" \
		topobind update "$job" --bmem=prefer --bnodes=FASTEST
	scontrol release "$job"
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 24-29
	daemon slurmctld stop
	daemon slurmctld start
	assert_eq "binding after a restart" \
		"implicit,bunit=X,btype=host,bstrategy=linear,bmem=prefer" \
		"$(binding "$job")"
	assert_no_contradictions
}

# policies OPTION... - which memory policies two tasks have
policies() {
	srun -Q -w "$NODE_THIS" -n2 "$@" sh -c "$own_policy"
}
own_policy='cut -d " " -f 2 /proc/self/numa_maps | sort -u | xargs'

case_added_here() {
	local output

	reconfigure_with Implicit=yes
	assert_eq "policies" "default default" "$(policies | xargs)"
	output=$(policies --bmem=prefer)
	assert_eq "tasks with a policy" 2 "$(grep -c prefer <<<"$output")"
	# In a script, and in its steps.
	within 60 sbatch -Q -W -w "$NODE_THIS" -n2 --bmem=prefer -o "$work/out" \
		--wrap "$own_policy
			srun -Q sh -c '$own_policy'"
	assert_eq "script and tasks with a policy" 3 \
		"$(grep -c prefer "$work/out")"
	output=$(salloc -Q -w "$NODE_THIS" -n2 --bmem=prefer \
		srun -Q sh -c "$own_policy")
	assert_eq "tasks with a policy" 2 "$(grep -c prefer <<<"$output")"
}

case_nothing_to_add_to() {
	reconfigure_with
	exits 1 "bmem=local needs an amount" sbatch -o /dev/null \
		-w "$NODE_ZEN" --bmem=local --wrap true
	reconfigure_with Implicit=yes
	# The site's binding gives way to what the job asks for.
	exits 1 "bmem=local needs an amount" sbatch -o /dev/null \
		-w "$NODE_ZEN" --ntasks-per-socket=1 --bmem=local --wrap true
	exits 1 "btype=host needs an amount" sbatch -o /dev/null \
		-w "$NODE_ZEN" --btype=host --wrap true
	assert no_jobs
}

case_in_one_sweep() {
	local job

	reconfigure_with Implicit=yes
	# One core of the first L3 cache is gone: packed takes the next three.
	plain_share -n1 >/dev/null
	job=$(alloc -w "$NODE_ZEN" -n3)
	assert_granted "$job" "$NODE_ZEN" 6-11
}

case_power_cores_only() {
	local job power

	reconfigure_with Implicit=yes
	never -w "$NODE_RAPTOR" -N1 -n7
	power=$(alloc -w "$NODE_RAPTOR" -n6)
	assert_granted "$power" "$NODE_RAPTOR" 0-11
	# All efficiency cores are free, and none is for a plain job.
	job=$(batch -w "$NODE_RAPTOR" -n1)
	wait_until 20 was_passed_over "$job"
	assert_contains "job $job" \
		"waiting=no required node has 1 free C unit: 1 node has 0" \
		"$(scontrol show job "$job")"
	assert_eq "in use" 0-11 "$(inuse "$NODE_RAPTOR")"
	cancel "$power"
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_RAPTOR" 0-1
}

case_default_unit() {
	local job

	reconfigure_with Implicit=yes DefaultUnit=X
	job=$(alloc -w "$NODE_ZEN" -n2)
	assert_granted "$job" "$NODE_ZEN" 0-11
	assert_eq binding "implicit,bunit=X,btype=host" "$(binding "$job")"
}

case_default_strategy() {
	local job

	reconfigure_with Implicit=yes DefaultStrategy=linear
	plain_share -n1 >/dev/null
	job=$(alloc -w "$NODE_ZEN" -n3)
	assert_granted "$job" "$NODE_ZEN" 2-7
	reconfigure_with Implicit=yes DefaultStrategy=scatter
	job=$(alloc -w "$NODE_ZEN" -n3)
	assert_granted "$job" "$NODE_ZEN" 48-53
}

# What a request leaves out means the same everywhere.
case_defaults_are_not_for_requests() {
	local job

	reconfigure_with Implicit=yes DefaultUnit=X DefaultStrategy=scatter
	plain_share -n1 >/dev/null
	job=$(alloc -w "$NODE_ZEN" --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 2-3
	assert_eq binding "bamount=1" "$(binding "$job")"
}

case_exclusive() {
	local job

	reconfigure_with Implicit=yes
	job=$(alloc -w "$NODE_RAPTOR" --exclusive -n2)
	assert_granted "$job" "$NODE_RAPTOR" 0-19
	cancel "$job"
	wait_until 5 nothing_in_use "$NODE_RAPTOR"
}

case_array() {
	local job

	reconfigure_with Implicit=yes
	job=$(batch --array=1-4 -w "$NODE_RAPTOR" -n2)
	wait_until 20 three_run
	assert_no_contradictions
	assert_eq "all power cores" 0-11 "$(all_granted "$NODE_RAPTOR")"
	scancel "${job}_1"
	wait_until 20 is_bound_array_task "${job}_4"
}

three_run() {
	[ "$(squeue -h -t R | wc -l)" = 3 ]
}

is_bound_array_task() {
	[ "$(binding "$1")" = "implicit,btype=host" ]
}

case_many() {
	local i unit

	RANDOM=815
	for unit in C X T; do
		reconfigure_with Implicit=yes "DefaultUnit=$unit"
		for ((i = 0; i < 15; i++)); do
			sbatch -Q -p virtual -o /dev/null --mem=1 \
				-n $((RANDOM % 6 + 1)) -c $((RANDOM % 3 + 1)) \
				-N 1-$((RANDOM % 2 + 1)) \
				--wrap 'exec sleep 600' 2>/dev/null || true
		done
		wait_until 20 at_least_run 4
		assert_no_contradictions
		drain
	done
}

at_least_run() {
	[ "$(squeue -h -t R | wc -l)" -ge "$1" ]
}

# --- partitions and nodes ---------------------------------------------------

case_implicit_in_a_partition() {
	local job

	reconfigure_with "PartitionName=virtual Implicit=yes DefaultUnit=X"
	job=$(alloc -p virtual -w "$NODE_ZEN" -n1)
	assert_granted "$job" "$NODE_ZEN" 0-5
	job=$(alloc -p main -w "$NODE_ZEN" -n1)
	assert_eq "binding in main" "" "$(binding "$job")"
	reconfigure_with Implicit=yes DefaultUnit=X DefaultStrategy=linear \
		"PartitionName=virtual Implicit=no" \
		"PartitionName=main DefaultUnit=C"
	job=$(alloc -p virtual -w "$NODE_ZEN" -n1)
	assert_eq "binding in virtual" "" "$(binding "$job")"
	job=$(alloc -p main -w "$NODE_ZEN" -n1)
	assert_eq "what main leaves out is the site's" \
		"implicit,btype=host,bstrategy=linear" "$(binding "$job")"
}

case_enabled() {
	local job

	reconfigure_with Implicit=yes "PartitionName=virtual Enabled=no"
	job=$(alloc -p virtual -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_eq "grant in virtual" "" "$(granted "$job")"
	job=$(alloc -p virtual -w "$NODE_ZEN" -n1)
	assert_eq "binding in virtual" "" "$(binding "$job")"
	job=$(alloc -p main -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 6-11
	reconfigure_with Enabled=no Implicit=yes \
		"PartitionName=main Enabled=yes"
	job=$(alloc -p virtual -w "$NODE_ZEN" -n1)
	assert_eq "binding in virtual" "" "$(binding "$job")"
	job=$(alloc -p main -w "$NODE_ZEN" -n1)
	assert_eq "binding in main" "implicit,btype=host" "$(binding "$job")"
	assert_contains "a task here" set "$(here -n1)"
	assert_contains "a task in main" "set" "$(here -p main -n1 \
		--bunit=C --bamount=1)"
	reconfigure_with "PartitionName=main Enabled=no"
	assert_contains "a task in main" "NONE" "$(here -p main -n1 \
		--bunit=C --bamount=1)"
}

# on_zen TEXT - TEXT at the end of zen's line
on_zen() {
	sed -i "s/^NodeName=$NODE_ZEN .*/& $1/" "$cluster/etc/topobind.conf"
	reconfigure
}

# first_core_is PARTITION NODE LIST [OPTION] - the first core that a job is
# granted
first_core_is() {
	local job

	job=$(alloc -p "$1" -w "$2" --bunit=C --bamount=1 "${@:4}")
	assert_granted "$job" "$2" "$3"
	cancel "$job"
}

case_filter() {
	conf_with Filter=first_core "PartitionName=virtual Filter=NONE"
	reconfigure
	first_core_is main "$NODE_ZEN" 2-3
	first_core_is main "$NODE_RAPTOR" 2-3
	first_core_is virtual "$NODE_ZEN" 0-1
	conf_with "PartitionName=virtual Filter=first_core"
	reconfigure
	first_core_is main "$NODE_ZEN" 0-1
	first_core_is virtual "$NODE_ZEN" 2-3
	conf_with
	on_zen Filter=first_core
	first_core_is main "$NODE_ZEN" 2-3
	first_core_is main "$NODE_RAPTOR" 0-1
	conf_with Filter=first_core
	on_zen Filter=NONE
	first_core_is main "$NODE_ZEN" 0-1
	first_core_is main "$NODE_RAPTOR" 2-3
}

# What the job masks comes on top, wherever the other filter is.
case_filter_of_the_job_adds() {
	local string second

	string=$(node_token "$NODE_RAPTOR" m_topology)
	second=--bfilter=${string/YCTTYCTT/YCTTyctt}
	reconfigure_with "PartitionName=virtual Filter=first_core"
	first_core_is virtual "$NODE_RAPTOR" 4-5 "$second"
	first_core_is main "$NODE_RAPTOR" 0-1 "$second"
	conf_with
	sed -i "s/^NodeName=$NODE_RAPTOR .*/& Filter=first_core/" \
		"$cluster/etc/topobind.conf"
	reconfigure
	first_core_is main "$NODE_RAPTOR" 4-5 "$second"
	reconfigure_with "Filter=first_core+${string/YCTTYCTT/YCTTyctt}"
	first_core_is main "$NODE_RAPTOR" 4-5
	first_core_is main "$NODE_RAPTOR" 6-7 \
		"--bfilter=${string/YCTTYCTTYCTT/YCTTYCTTyctt}"
	never -w "$NODE_RAPTOR" --bamount=5
	never -w "$NODE_RAPTOR" --bunit=X --bamount=1 --bfilter="${string,,}"
}

case_filter_for_the_shape_of_the_node() {
	local string

	string=$(node_token "$NODE_RAPTOR" m_topology)
	reconfigure_with "Filter=${string/YCTT/ycttYCTT}"
	first_core_is main "$NODE_RAPTOR" 0-1
	reconfigure_with "Filter=${string/YCTT/yctt}"
	first_core_is main "$NODE_RAPTOR" 2-3
	first_core_is main "$NODE_ZEN" 0-1
}

case_on_any_host() {
	local job

	sed -i "/^NodeName=$NODE_ZEN /d" "$cluster/etc/topobind.conf.saved"
	reconfigure_with OnAnyHost=no "PartitionName=virtual OnAnyHost=yes"
	scontrol update NodeName="$NODE_ZEN" Extra=m_topology=
	never -p main -w "$NODE_ZEN" --bunit=C --bamount=1
	job=$(alloc -p virtual -w "$NODE_ZEN" --bunit=C --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-1
	# Plain jobs may, and nodes with a string are fine: configured and
	# published.
	job=$(alloc -p main -w "$NODE_ZEN" -n1)
	job=$(alloc -p main -w "$NODE_RAPTOR" --bunit=C --bamount=1)
	assert_granted "$job" "$NODE_RAPTOR" 0-1
	job=$(alloc -p main -w "$NODE_THIS" --bunit=C --bamount=1)
	[ -n "$(granted "$job")" ] || fail "no grant on a node that published"
	# What the node says counts from then on.
	scontrol update NodeName="$NODE_ZEN" Extra="m_topology=$(
		printf 'CTT%.0s' {1..48} | sed 's/.\{72\}/S&/g')"
	job=$(alloc -p main -w "$NODE_ZEN" --bunit=C --bamount=1)
	[ -n "$(granted "$job")" ] || fail "no grant on a node that says it"
}

# What the kernel then does is in test/vm/isolate.sh; v1 cannot.
case_isolate() {
	local job
	local -a core=(--bunit=C --bamount=1)

	reconfigure_with
	never -p main -w "$NODE_ZEN" "${core[@]}" --bisolate=yes
	job=$(batch -H -p main -w "$NODE_ZEN" "${core[@]}" --bisolate=no)
	assert_contains "of the update" "bisolate=yes is not allowed here" \
		"$(topobind update "$job" --bisolate=yes 2>&1)"
	reconfigure_with Isolate=allow "PartitionName=virtual Isolate=no"
	topobind update "$job" --bisolate=yes
	scontrol release "$job"
	wait_until 30 runs "$job"
	assert_contains "the binding" "bisolate=yes" "$(comment_word "$job" binding)"
	cancel "$job"
	never -p virtual -w "$NODE_ZEN" "${core[@]}" --bisolate=yes
	scontrol update PartitionName=main OverSubscribe=FORCE:2
	never -p main -w "$NODE_RAPTOR" "${core[@]}" --bisolate=yes
	scontrol update PartitionName=main OverSubscribe=NO
}

# zen_isolates yes|no| - as if it published that; nothing: it is not known
zen_isolates() {
	scontrol update NodeName="$NODE_ZEN" Extra="rack=1 m_oscpus= m_isolates=$1"
}

# A job that asks does not get a node which says that it cannot, and nothing else.
case_isolating_nodes() {
	local job full
	local -a alone=(-p main --bunit=C --bamount=1 --bisolate=yes)

	reconfigure_with Isolate=allow
	zen_isolates no
	assert_eq "kept" no "$(node_token "$NODE_ZEN" m_isolates)"
	exits 1 "bisolate=yes: no required node can isolate CPUs" \
		sbatch -o /dev/null -w "$NODE_ZEN" "${alone[@]}" --wrap true
	never -N2 -w "$NODE_ZEN,$NODE_RAPTOR" "${alone[@]}"
	exits 2 "cannot isolate CPUs" topobind plan -w "$NODE_ZEN" "${alone[@]}"
	job=$(alloc -p main -w "$NODE_ZEN" --bunit=C --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-1
	cancel "$job"
	full=$(batch -p main -w "$NODE_RAPTOR" --exclusive)
	wait_until 30 runs "$full"
	job=$(batch -x "$NODE_THIS" "${alone[@]}")
	wait_until 30 reason_has "$job" "; 1 node cannot isolate CPUs"
	assert_contains "explain" "cannot isolate CPUs" \
		"$(topobind explain "$job" || true)"
	zen_isolates yes
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-1
	cancel "$full" "$job"
	zen_isolates ""
	job=$(alloc -w "$NODE_ZEN" "${alone[@]}")
	assert_granted "$job" "$NODE_ZEN" 0-1
}

isolates_not_here() {
	[ "$(node_token "$NODE_THIS" m_isolates)" = no ]
}

# With v1 this machine cannot; a step says so that asks by itself.
case_isolate_here() {
	local job
	local -a core=(-p main -w "$NODE_THIS" --bunit=C --bamount=1)

	[ -d /sys/fs/cgroup/cpuset ] || return 0
	wait_until 60 isolates_not_here
	never "${core[@]}" --bisolate=yes
	job=$(alloc "${core[@]}")
	assert_contains "the step" \
		"bisolate=yes needs cgroup v2 and Linux 6.7 or later" \
		"$(srun -Q --jobid="$job" --bunit=C --bamount=1 --bisolate=yes \
			true 2>&1)"
	cancel "$job"
	assert is_undrained
	reconfigure_with Isolate=yes
	assert_eq "where the site would like it" ran "$(srun -Q "${core[@]}" \
		echo ran)"
}

# --- running jobs, whatever changes -----------------------------------------

# A plain job that may share CPUs, on a full node: only with other plain jobs.
assert_does_not_share() {
	local job

	scontrol update PartitionName=virtual OverSubscribe=FORCE:2
	job=$(batch -p virtual -w "$NODE_RAPTOR" -n1 --bamount=0)
	wait_until 20 was_passed_over "$job"
	cancel "$job"
	scontrol update PartitionName=virtual OverSubscribe=NO
}

# how CHANGE... - apply the changed file by a reconfigure or a restart
by_reconfigure() {
	reconfigure_with "$@"
}

by_restart() {
	conf_with "$@"
	daemon slurmctld kill
	daemon slurmctld start
}

case_running_jobs_keep_their_grants() {
	local how=$1 before jobs shown

	reconfigure_with Implicit=yes "PartitionName=virtual DefaultUnit=X"
	jobs=$(alloc -p virtual -w "$NODE_ZEN" -n2)
	jobs+=" $(alloc -w "$NODE_RAPTOR" -n6)"
	jobs+=" $(alloc -w "$NODE_RAPTOR" --bunit=E --bamount=8)"
	save_state "${jobs%% *}"
	before=$(held)
	shown=$(for job in $jobs; do binding "$job"; done)
	assert_eq "requests" 3 "$(wc -l <<<"$shown")"
	for change in "Implicit=no" "Enabled=no" "Implicit=yes DefaultUnit=N" \
		"Filter=first_core OnAnyHost=no"; do
		# shellcheck disable=SC2086 # two lines
		"$how" $change
		assert_eq "held after $change" "$before" "$(held)"
		assert_eq "shown after $change" "$shown" \
			"$(for job in $jobs; do binding "$job"; done)"
		assert_eq "in use after $change" 0-11 "$(inuse "$NODE_ZEN")"
		assert_does_not_share
	done
}

# The node's threads are the same, only their shape is another one.
case_topology_changes_under_jobs() {
	local before power

	reconfigure_with
	power=$(alloc -w "$NODE_RAPTOR" --bunit=C --bamount=4)
	alloc -w "$NODE_RAPTOR" --bunit=EY --bamount=1 >/dev/null
	before=$(held)
	sed -i "s/^\(NodeName=$NODE_RAPTOR Topology=\).*/\1SCCCCCCCCCCSEEEEEEEEEE/" \
		"$cluster/etc/topobind.conf"
	reconfigure
	assert_eq "held afterwards" "$before" "$(held)"
	assert_eq "in use" 0-7,12-15 "$(inuse "$NODE_RAPTOR")"
	first_core_is main "$NODE_RAPTOR" 8
	cancel "$power"
	wait_until 20 holds "$NODE_RAPTOR" 12-15
	reconfigure_with
	assert_eq "in use" 12-15 "$(inuse "$NODE_RAPTOR")"
}

holds() {
	[ "$(inuse "$1")" = "$2" ]
}

case_plain_jobs_stay_plain() {
	local job

	reconfigure_with
	job=$(alloc -w "$NODE_ZEN" -n2)
	reconfigure_with Implicit=yes
	assert_eq "binding" "" "$(binding "$job")"
	job=$(alloc -w "$NODE_ZEN" -n2)
	assert_eq "binding of the next" "implicit,btype=host" \
		"$(binding "$job")"
}

# One core of this machine is in no whole socket.
case_steps_of_plain_jobs_start() {
	local job

	reconfigure_with
	job=$(alloc -w "$NODE_THIS" -n1)
	reconfigure_with Implicit=yes DefaultUnit=S
	assert_eq "binding" "" "$(binding "$job")"
	assert_eq "a step" ran "$(srun -Q --jobid="$job" -n1 echo ran)"
	cancel "$job"
}

case_steps_of_a_batch_job_keep_it() {
	local job output=$work/steps

	reconfigure_with Implicit=yes
	job=$(sbatch --parsable -w "$NODE_THIS" -n1 -o "$output" --wrap "
		srun -Q -n1 bash -c '$tell'
		touch $work/first
		until [ -e $work/changed ]; do sleep 0.05; done
		srun -Q -n1 bash -c '$tell'")
	wait_until 20 test -e "$work/first"
	reconfigure_with Implicit=no
	touch "$work/changed"
	wait_until 30 is_over "$job"
	cat "$output"
	assert_eq "lines" 4 "$(wc -l <"$output")"
	assert_eq "after the change" "$(head -n 2 "$output")" \
		"$(tail -n 2 "$output")"
	assert_contains "variables" "set" "$(tail -n 1 "$output")"
}

# A part of a running job: of the units that it was granted.
case_parts_of_a_batch_job_are_its_units() {
	local change job output=$work/parts before

	reconfigure_with Implicit=yes DefaultUnit=X
	job=$(sbatch --parsable -w "$NODE_ZEN" -n2 -o "$output" --wrap "
		while :; do
			srun -Q -n1 --exact bash -c '$tell' >$work/part 2>&1
			mv $work/part $work/told
			until [ -e $work/again ]; do sleep 0.05; done
			rm $work/again
		done")
	wait_until 30 test -s "$work/told"
	before=$(<"$work/told")
	assert_contains "the first part" "env 0-5" "$before"
	for change in Implicit=no "Implicit=yes DefaultUnit=C"; do
		# shellcheck disable=SC2086 # two lines
		reconfigure_with $change
		rm "$work/told"
		touch "$work/again"
		wait_until 30 test -e "$work/told"
		assert_eq "a part after $change" "$before" "$(<"$work/told")"
	done
	cancel "$job"
}

case_requeued_job_starts_by_the_new_file() {
	local job

	reconfigure_with Implicit=yes
	job=$(batch --requeue -w "$NODE_RAPTOR" -n1)
	wait_until 20 runs "$job"
	assert_eq "binding" "implicit,btype=host" "$(binding "$job")"
	reconfigure_with Implicit=no
	requeue_held "$job"
	release_now "$job"
	wait_until 30 runs "$job"
	assert_eq "binding" "" "$(binding "$job")"
	assert_eq "grant" "" "$(granted "$job")"
}

# --- a wrong file -----------------------------------------------------------

# Each line that is wrong, and a part of the message besides file and line.
wrong_lines='Nonsense=yes	keys
MemoryBinding=near	none, prefer, local
NodeOrder=FASTEST	keys
NodeAllocationPolicy=BEST	SLURM, FIRSTAVAILABLE
PriorityFunction=WEIGHT	column 1: there is no component WEIGHT
PartitionName=main PriorityFunction="1 +"	column 4
NodeName=other Speed=fast	not a number
NodeName=other Cost=-1	not a number
NodeName=other MaxLoad=-1	not a number
NodeName=other PriorityFunction="2 *"	column
NodeName=other PriorityFunction=1 PriorityFunction=2	given twice
just words	keys
Implicit	keys
Implicit=yes DefaultUnit=X	one Key=value on a line
Implicit=perhaps	yes, no
Enabled=1	yes, no
OnAnyHost=never	yes, no
SpareDevices=some	yes, no
Isolate=some	no, allow, yes
NodeRecord=2	yes, no
JobRecord=never	yes, no
UsageRecord=never	yes, no
CountMemory=some	all, local, none
UnitTRES=units	yes, no
PartitionName=main CountMemory=all	keys
PartitionName=main UnitTRES=yes	keys
NodeName=other Memory=1000	Topology=
NodeName=other Topology=NSCNSC Memory=1000	2 numbers
NodeName=other Topology=SCC Memory=1000	no NUMA nodes
Soft=maybe	yes, no
SoftUtilLowPct=101	0 to 100
SoftUtilLowPct=-1	0 to 100
SoftUtilLowPct=8.5	0 to 100
SoftCount=node	job, all
Mode=perhaps	hard, soft
SoftIntervalMs=9	10 to 60000
SoftIntervalMs=60001	10 to 60000
SoftIntervalMs=1s	10 to 60000
MetricsFile=topobind.prom	an absolute path, NONE
MetricsFile=/	an absolute path, NONE
MetricsInterval=0	1 to 3600
MetricsInterval=3601	1 to 3600
PartitionName=main MetricsFile=/a	keys
PartitionName=main SoftUtilLowPct=101	0 to 100
NodeName=other SoftCount=node	job, all
NodeName=other Soft=no Soft=yes	given twice
DefaultUnit=Q	T (thread), C
DefaultUnit=CT,X	T (thread), C
DefaultUnit=X:1|C:1	name one unit
DefaultUnit=X:2	name one unit
DefaultStrategy=round	packed, linear, scatter
Filter=second_core	first_core
NodeName=other Topology=NSQ	column 3
NodeName=other Filter=ZZ	first_core
NodeName=other Topology=SCC Filter=sCCC	another shape
NodeName=other Sped=3	keys
NodeName=other Distances=10	Topology=
NodeName=other Topology=NSCNSC Distances=10,20;20	2 rows of 2
PartitionName=main NodeRecord=no	keys
PartitionName=main JobRecord=no	keys
PartitionName=main Implicit=maybe	yes, no
PartitionName=main DefaultUnit=Z	T (thread), C
PartitionName=main DefaultStrategy=none	packed, linear, scatter
PartitionName=main MemoryBinding=	keys
PartitionName=main MemoryBinding=Local	none, prefer, local
PartitionName=main Filter=?	first_core
PartitionName=main Enabled=	keys
PartitionName=main Implicit=yes Implicit=no	given twice
PartitionName=main Filter=NONE filter=NONE	given twice
NodeName=other Topology=SC Topology=SCC	given twice
NodeName=other Filter=NONE Filter=first_core	given twice
NodeName=other Topology=NSCNSC Distances=1,2;2,1 Distances=1,2;2,1	given twice'

# assert_does_not_start WANTED LINE... - slurmctld in the foreground ends by
# itself, and says where the last line is and what is wrong
assert_does_not_start() {
	local wanted=$1 number

	shift
	conf_with "$@"
	number=$(wc -l <"$cluster/etc/topobind.conf")
	assert_ends_with "$cluster/etc/topobind.conf line $number: " "$wanted"
}

# assert_ends_with PART... - as it starts
assert_ends_with() {
	local output status=0 part

	output=$(within 20 slurmctld -D 2>&1) || status=$?
	case $status in
	0 | 124) fail "slurmctld starts: $status" ;;
	esac
	output=$(grep 'topobind:' <<<"$output")
	sed -n 1p <<<"$output"
	for part; do
		assert_contains message "$part" "$output"
	done
}

# Not a case each: without slurmctld a case takes a minute to end.
case_wrong_file_stops_the_start() {
	local line wanted

	daemon slurmctld stop
	while IFS=$'\t' read -r line wanted; do
		assert_does_not_start "$wanted" "$line"
	done <<<"$wrong_lines"
	first_of_two "Implicit=yes" "Implicit=yes"
	first_of_two "NodeRecord=yes" "NodeRecord=no"
	first_of_two "JobRecord=no" "JobRecord=no"
	# What a partition says is not what the site says.
	first_of_two "Filter=NONE" "PartitionName=main Filter=first_core" \
		"Filter=first_core"
	first_of_two "PartitionName=main Implicit=yes" \
		"PartitionName=main Filter=NONE"
	first_of_two "NodeName=other Filter=NONE" "NodeName=a,other Filter=NONE"
	# In a file that is included.
	printf '%s\n' '' 'Implicit=perhaps' >"$cluster/etc/more.conf"
	conf_with "Include more.conf"
	sed -i '/^Implicit=/d' "$cluster/etc/topobind.conf"
	assert_ends_with "$cluster/etc/more.conf line 2: Implicit=perhaps"
	conf_with "Include $cluster/etc/more.conf" "Implicit=yes"
	assert_ends_with "given twice, in $cluster/etc/more.conf line 2 as"
	echo Nonsense=1 >"$cluster/etc/more.conf"
	assert_ends_with "$cluster/etc/more.conf line 1: this cannot be read"
	conf_with
	daemon slurmctld start
	alloc -w "$NODE_ZEN" --bunit=C --bamount=1 >/dev/null
}

# first_of_two LINE... - the message for the last line names the first one, too
first_of_two() {
	local first

	conf_with "$@"
	first=$(($(wc -l <"$cluster/etc/topobind.conf") - $# + 1))
	assert_does_not_start "line $first" "$@"
}

case_wrong_file_is_refused_at_reconfigure() {
	local line pids job

	reconfigure_with Implicit=yes DefaultUnit=X
	pids=$(daemon_pids)
	while IFS=$'\t' read -r line _; do
		reconfigure_refused_with Implicit=no "$line"
		assert_eq "daemons after $line" "$pids" "$(daemon_pids)"
		job=$(alloc -w "$NODE_ZEN" -n1)
		assert_eq "the running configuration after $line" \
			"implicit,bunit=X,btype=host" "$(binding "$job")"
		cancel "$job"
		# A slurmctld 24.11 whose reconfigure began while it ended the
		# job has hung, in Slurm's own conmgr_quiesce().
		wait_until 30 node_is_idle "$NODE_ZEN"
	done <<<"$wrong_lines"
}

# --- lines without effect ---------------------------------------------------

# They count as soon as Slurm has the partition, and it may go again.
case_names_that_slurm_does_not_have() {
	local job

	reconfigure_with "PartitionName=later Implicit=yes" \
		"NodeName=nowhere[1-3],elsewhere Filter=first_core"
	scontrol create PartitionName=later Nodes="$NODE_ZEN" MaxTime=10
	job=$(alloc -p later -n1)
	assert_eq binding "implicit,btype=host" "$(binding "$job")"
	cancel "$job"
	scontrol delete PartitionName=later
	daemon slurmctld stop
	daemon slurmctld start
	first_core_is main "$NODE_ZEN" 0-1
}

# Another count of cores than the node has: Slurm's own description counts.
case_topology_that_does_not_fit() {
	local job

	conf_with
	sed -i "s/^\(NodeName=$NODE_ZEN Topology=\).*/\1SXCCSXCC/" \
		"$cluster/etc/topobind.conf"
	reconfigure
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-47
	cancel "$job"
	# The node's side goes on in the same way.
	# shellcheck disable=SC2016 # the task's variable
	assert_eq "told to the task" 0-47 "$(srun -Q -w "$NODE_ZEN" -n1 \
		--bunit=X --bamount=1 sh -c 'echo $TOPOBIND_CPUS')"
	echo OnAnyHost=no >>"$cluster/etc/topobind.conf"
	sed -i '/^OnAnyHost=yes/d' "$cluster/etc/topobind.conf"
	reconfigure
	never -w "$NODE_ZEN" --bunit=X --bamount=1
	never -w "$NODE_ZEN" --bcpus=0
	job=$(alloc -w "$NODE_ZEN" -n1)
	assert_eq binding "" "$(binding "$job")"
}

# A filter of the node's line that has another shape than the node.
case_filter_of_another_shape() {
	local string

	string=$(node_token "$NODE_RAPTOR" m_topology)
	conf_with
	sed -i "s/^NodeName=$NODE_RAPTOR .*/NodeName=$NODE_RAPTOR Filter=ScC/" \
		"$cluster/etc/topobind.conf"
	reconfigure
	# In later Slurms slurmd begins anew, and says what this machine is.
	scontrol update NodeName="$NODE_RAPTOR" Extra="m_topology=$string"
	first_core_is main "$NODE_RAPTOR" 0-1
}

case_wrong_file_on_a_node() {
	local asked implicit

	reconfigure_with Implicit=yes
	asked=$(here -n1 --bunit=C --bamount=1)
	implicit=$(here -n2)
	reconfigure_refused_with Implicit=no Nonsense=yes
	assert_eq "a task that asked" "$asked" \
		"$(here -n1 --bunit=C --bamount=1)"
	assert_eq "two tasks that did not" "$implicit" "$(here -n2)"
	# Else slurmctld's word that a job is over may be lost for a minute.
	wait_until 30 node_is_idle "$NODE_THIS"
	daemon "slurmd-$NODE_THIS" kill
	daemon "slurmd-$NODE_THIS" start
	wait_until 30 node_is_idle "$NODE_THIS"
	assert_eq "a task after slurmd started again" "$asked" \
		"$(here -n1 --bunit=C --bamount=1)"
	reconfigure_with
	assert_contains "a task that did not ask" NONE "$(here -n1)"
}

# --- the configuration in force ------------------------------------------------

# shown OF KEY - "VALUE FROM" as everybody can see it, also who cannot read the file
shown() {
	setpriv --reuid=nobody --clear-groups topobind conf --show |
		sed -n -E "s:$cluster/etc:ETC:; s/^$1 +$2 +//p" | tr -s ' ' |
		sed 's/ $//'
}

# line_of PATTERN - of topobind.conf
line_of() {
	grep -n "$1" "$cluster/etc/topobind.conf" | cut -d : -f 1 | tail -n1
}

# What slurmctld has read, whatever is in the file now.
assert_shown() {
	assert_eq Implicit "yes ETC/topobind.conf line $1" "$(shown site Implicit)"
	assert_eq DefaultUnit "X ETC/topobind.conf line $2" \
		"$(shown site DefaultUnit)"
	assert_eq SoftCount "job default" "$(shown site SoftCount)"
	assert_eq "the partition's own" "NONE ETC/topobind.conf line $3" \
		"$(shown "partition main" Filter)"
	assert_eq "the partition's from the site" \
		"X the site, ETC/topobind.conf line $2" \
		"$(shown "partition main" DefaultUnit)"
	assert_eq "the partition's by default" "packed the site, default" \
		"$(shown "partition main" DefaultStrategy)"
	assert_eq "a node's" "20 ETC/topobind.conf line $4" \
		"$(shown "nodes other" Cost)"
}

case_configuration_is_shown() {
	local at

	conf_with Implicit=yes DefaultUnit=X Filter=first_core \
		"PartitionName=main Filter=NONE" "NodeName=other Cost=20"
	sed -i '/^SoftCount=/d; /^DefaultStrategy=/d' "$cluster/etc/topobind.conf"
	reconfigure
	at=("$(line_of ^Implicit)" "$(line_of ^DefaultUnit)"
		"$(line_of ^PartitionName=main)" "$(line_of ^NodeName=other)")
	chmod 600 "$cluster/etc/topobind.conf"
	assert_shown "${at[@]}"
	assert_contains "scontrol's answer" "DefaultUnit" "$(scontrol show config)"
	assert_eq "as JSON" 1 "$(topobind conf --show --json | tr -d ' \n' |
		grep -c '"key":"Cost","value":"20"')"
	reconfigure_refused_with Implicit=no Nonsense=yes
	assert_shown "${at[@]}"
	conf_with Implicit=no
	assert_shown "${at[@]}"
	# Other subcommands do not look into the file, either.
	assert_eq "masked on a map" 1 "$(filters_shown)"
	reconfigure
	assert_eq "masked on a map" 0 "$(filters_shown)"
	assert_eq Implicit "no ETC/topobind.conf line $(line_of ^Implicit)" \
		"$(shown site Implicit)"
}

# From 25.05 on Slurm asks no select plugin for its configuration: the command says
# that it does not know, rather than show what is in the file.
case_configuration_is_not_told() {
	local output

	conf_with Implicit=yes DefaultUnit=X Filter=first_core
	reconfigure
	refute topobind conf --show
	output=$(topobind conf --show 2>/dev/null) || true
	assert_eq "what it shows" "" "$output"
	output=$(topobind conf --show --json 2>/dev/null) || true
	assert_eq "as JSON" "" "$output"
	# What slurmctld has read is in force all the same.
	reconfigure_refused_with Implicit=no Nonsense=yes
	assert_bound_by_the_site
	conf_with Implicit=no
	assert_bound_by_the_site
	reconfigure
	assert_eq "binding of a job that did not ask" "" \
		"$(binding "$(alloc -w "$NODE_ZEN" -n1)")"
}

assert_bound_by_the_site() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n1)
	assert_contains "binding of a job that did not ask" bunit=X \
		"$(binding "$job")"
	cancel "$job"
}

# 1: the map of a node has something that a filter masks.
filters_shown() {
	topobind map --json "$NODE_ZEN" | tr -d ' \n' |
		grep -c '"filtered":"' || true
}

cluster_start --nodes this,zen,raptor
if slurm_is_from 25.05; then
	test_case "the configuration in force is not told" \
		case_configuration_is_not_told
else
	test_case "the configuration in force is shown" case_configuration_is_shown
fi
test_case "by default nobody is bound who did not ask" \
	case_nobody_is_bound_by_default
test_case "implicit: as host type, on this machine" case_here_as_host_type
test_case "implicit: a task is held" case_here_held
test_case "implicit: --bamount=0 switches it off" case_amount_0_switches_off
test_case "implicit: as many units as the node's tasks need" \
	case_amount_is_the_tasks
test_case "implicit: all units of a node in one sweep" case_in_one_sweep
test_case "implicit: what goes with any units is added" case_added_to_it
test_case "implicit: a memory policy is added, here" case_added_here
test_case "implicit: nothing to add options to" case_nothing_to_add_to
test_case "implicit: power cores only" case_power_cores_only
test_case "implicit: exclusive jobs" case_exclusive
test_case "implicit: arrays" case_array
test_case "implicit: many jobs" case_many
test_case "DefaultUnit" case_default_unit
test_case "DefaultStrategy" case_default_strategy
test_case "defaults are not for requests" case_defaults_are_not_for_requests
test_case "Implicit in partitions" case_implicit_in_a_partition
test_case "Enabled in partitions" case_enabled
test_case "Filter of site, partition, node" case_filter
test_case "Filter, and that of the job" case_filter_of_the_job_adds
test_case "Filter for one shape" case_filter_for_the_shape_of_the_node
test_case "running jobs keep their grants at reconfigure" \
	case_running_jobs_keep_their_grants by_reconfigure
test_case "running jobs keep their grants at a restart" \
	case_running_jobs_keep_their_grants by_restart
test_case "running jobs keep their grants when a node's shape changes" \
	case_topology_changes_under_jobs
test_case "plain jobs stay plain" case_plain_jobs_stay_plain
test_case "steps of plain jobs start when the site binds those to come" \
	case_steps_of_plain_jobs_start
test_case "steps of a batch job keep its binding" \
	case_steps_of_a_batch_job_keep_it
test_case "parts of a batch job are its units" \
	case_parts_of_a_batch_job_are_its_units
test_case "a requeued job starts by the new file" \
	case_requeued_job_starts_by_the_new_file
test_case "a wrong file is refused at reconfigure" \
	case_wrong_file_is_refused_at_reconfigure
test_case "names that Slurm does not have" case_names_that_slurm_does_not_have
test_case "a topology that does not fit" case_topology_that_does_not_fit
test_case "a node's filter of another shape" case_filter_of_another_shape
test_case "a node goes on with what was right" case_wrong_file_on_a_node
test_case "a wrong file stops the start" case_wrong_file_stops_the_start
test_case "Isolate" case_isolate
test_case "Isolate: nodes that say whether they can" case_isolating_nodes
test_case "Isolate: this machine" case_isolate_here
# From then on zen is not in topobind.conf, and may publish what this machine is.
test_case "OnAnyHost" case_on_any_host
tests_done
