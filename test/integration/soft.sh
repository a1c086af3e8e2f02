#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# soft - tasks of --bmode=soft spread under load and return, never to CPUs that
# others hold
#
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/soft-lib
. "$(dirname "$0")/soft-lib"

# --- spreading --------------------------------------------------------------

case_stays_when_idle() {
	local job cpus before

	job=$(soft_batch 1 "${one_core[@]}")
	rm "$work/load"
	wait_until 30 runs "$job"
	cpus=$(cpus_granted "$job")
	# It may have begun before the load went.
	wait_until 30 counts_up "$job" preferred 20
	before=$(counter "$job" allowed)
	wait_until 30 counts_up "$job" preferred \
		$(($(counter "$job" preferred) + 20))
	assert_eq "allowed" "$before" "$(counter "$job" allowed)"
	assert_eq "CPUs" "$cpus" "$(cpus_of soft-burn)"
}

case_spreads_and_returns() {
	local job cpus

	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 30 runs "$job"
	cpus=$(cpus_granted "$job")
	wait_until 60 may_use soft-burn "$all_cpus"
	assert counts_up "$job" smoothed
	assert counts_up "$job" allowed
	assert_eq "in use" "$cpus" "$(inuse "$NODE_THIS")"
	assert_eq "request" bamount=1,bmode=soft "$(binding "$job")"
	rm "$work/load"
	wait_until 60 may_use soft-burn "$cpus"
	: >"$work/load"
	wait_until 60 may_use soft-burn "$all_cpus"
	cancel "$job"
	wait_until 30 no_job_cgroups "$NODE_THIS"
	assert no_soft_files
}

# idle_beside_burner - a soft-bound task without load, into job and cpus, and on its CPU
# a process of nobody's job, into burner
idle_beside_burner() {
	job=$(soft_batch 1 "${one_core[@]}")
	rm "$work/load"
	wait_until 30 runs "$job"
	cpus=$(cpus_granted "$job")
	burn_program other-burn
	taskset -c "$cpus" "$work/other-burn" &
	burner=$!
}

# Everybody on the preferred CPU counts, a process of nobody's job, too.
case_counts_all() {
	local job cpus

	reconfigure_with "${settings[@]}" SoftCount=all
	idle_beside_burner
	trap 'kill "$burner" && reconfigure_with "${settings[@]}"' EXIT
	wait_until 60 may_use soft-burn "$all_cpus"
}

# --- others' CPUs -----------------------------------------------------------

# The hard one is there first.
case_hard_first() {
	local hard soft

	hard=$(batch -w "$NODE_THIS" "${one_core[@]}")
	wait_until 30 runs "$hard"
	soft=$(soft_batch 3 "${one_core[@]}")
	wait_until 30 counts_up "$soft" allowed 10
	assert_eq "CPUs" "$(cpus_granted "$soft")" "$(cpus_of soft-burn)"
	cancel "$hard"
	wait_until 60 may_use soft-burn "$all_cpus"
}

# A hard step inside the job: its CPUs are left by the job's own soft tasks.
case_hard_step_inside() {
	local job

	burn_program soft-burn
	: >"$work/load"
	job=$(sbatch --parsable -o "$work/seen" -w "$NODE_THIS" -n2 \
		--bunit=C --bamount=1 --bmode=soft --wrap "
		srun -Q -n1 -c1 --exact $work/soft-burn while $work/load &
		while [ ! -e $work/spread ]; do sleep 0.1; done
		srun -Q -n1 -c1 --exact --bunit=C --bamount=1 $work/witness 3
		rm $work/load
		wait")
	wait_until 60 may_use soft-burn "$all_cpus"
	: >"$work/spread"
	wait_until 60 is_over "$job"
	rm "$work/spread"
	refute grep touched "$work/seen"
	assert grep looks "$work/seen"
}

# --- switches and counters --------------------------------------------------

case_switch() {
	local job cpus

	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 may_use soft-burn "$all_cpus"
	cpus=$(cpus_granted "$job")
	topobind_soft off --confine ${1:+"$job"}
	wait_until 60 may_use soft-burn "$cpus"
	assert_contains "status" " confined " "$(topobind_soft status "$job")"
	topobind_soft on ${1:+"$job"}
	wait_until 60 may_use soft-burn "$all_cpus"
	assert_contains "status" " on " "$(topobind_soft status "$job")"
}

# Without load, too, the preference does not count, but others' CPUs do.
case_ignored() {
	local job cpus

	job=$(soft_batch 1 "${one_core[@]}")
	rm "$work/load"
	wait_until 60 runs_program soft-burn
	cpus=$(cpus_granted "$job")
	wait_until 60 may_use soft-burn "$cpus"
	topobind_soft off ${1:+"$job"}
	wait_until 60 may_use soft-burn "$all_cpus"
	assert_contains "status" " off " "$(topobind_soft status "$job")"
	srun -Q -w "$NODE_THIS" "${one_core[@]}" "$work/witness" 3 >"$work/seen"
	refute grep touched "$work/seen"
	assert grep looks "$work/seen"
	wait_until 60 may_use soft-burn "$all_cpus"
	topobind_soft off --confine ${1:+"$job"}
	wait_until 60 may_use soft-burn "$cpus"
	topobind_soft off ${1:+"$job"}
	wait_until 60 may_use soft-burn "$all_cpus"
	topobind_soft on ${1:+"$job"}
	wait_until 60 may_use soft-burn "$cpus"
}

case_node_stays_off() {
	local job

	topobind_soft off --confine
	daemon "slurmd-$NODE_THIS" stop
	daemon "slurmd-$NODE_THIS" start
	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 runs_program soft-burn
	sleep 1
	assert_eq "CPUs" "$(cpus_granted "$job")" "$(cpus_of soft-burn)"
	assert_contains "status" "is confined on" "$(topobind_soft)"
	topobind_soft off
	wait_until 60 may_use soft-burn "$all_cpus"
	assert_contains "status" "is off on" "$(topobind_soft)"
	topobind_soft on
	wait_until 60 may_use soft-burn "$all_cpus"
}

case_reset() {
	local job before

	job=$(soft_batch 3 "${one_core[@]}")
	# Many, so that they are not there again before one looks.
	wait_until 60 counts_up "$job" allowed 200
	before=$(counter "$job" allowed)
	topobind_soft reset "$job"
	[ "$(counter "$job" allowed)" -lt "$before" ] || fail "not reset"
}

# task_field JOB FIELD [TASK] - what is told of a task of a batch script or step
task_field() {
	topobind_soft --json --tasks status "$1" | jq -r ".steps[].each_task[] |
		select(.task == ${3:-0}).$2"
}

task_has() {
	[ "$(task_field "$1" cpus "${3:-0}")" = "$2" ]
}

# Of the tasks of a step each by itself: where it is, what it prefers and may have.
case_tasks() {
	local job

	job=$(alloc -w "$NODE_THIS" -n2 --bunit=C --bamount=1 --bmode=soft)
	burn_program soft-burn
	: >"$work/load"
	# shellcheck disable=SC2016 # the task's variable
	srun -Q --jobid="$job" -n2 bash -c '
		[ $SLURM_PROCID = 1 ] || exec sleep 600
		exec '"$work/soft-burn while $work/load $slowness" &
	wait_until 60 may_use soft-burn "$all_cpus"
	wait_until 60 task_has "$job" "$all_cpus" 1
	assert_eq "preferred of 0" 0 "$(task_field "$job" preferred_cpus 0)"
	assert_eq "CPUs of 0" 0 "$(task_field "$job" cpus 0)"
	assert_eq "spread" "false true" "$(topobind_soft --json --tasks |
		jq -r '.steps[].each_task | map(.spread | tostring) | join(" ")')"
	assert_eq "preferred of 1" 1 "$(task_field "$job" preferred_cpus 1)"
	assert_eq "allowed" "$all_cpus" "$(task_field "$job" allowed_cpus 1)"
	assert_eq "allowed of the idle one" 0 "$(task_field "$job" allowed 0)"
	assert [ "$(task_field "$job" allowed 1)" -gt 0 ]
	assert_contains "a table" "$job.0.1 yes" \
		"$(topobind_soft --tasks status "$job.0.1" | tr -s ' ')"
	refute topobind_soft status "$job.0.2"
	refute topobind_soft status "$job.1"
	# What one of them prefers is not what the other does.
	topobind_soft set --cpus=0 "$job.0.1"
	rm "$work/load"
	wait_until 60 task_has "$job" 0 1
	assert_eq "preferred of 1, set" 0 "$(task_field "$job" preferred_cpus 1)"
	topobind_soft set --cpus=default "$job.0.1"
	topobind_soft set --cpus=1 "$job.0.0"
	wait_until 60 task_has "$job" 1 0
	wait_until 60 task_has "$job" 1 1
	cancel "$job"
	wait
}

# Of a task that is confined nothing counts: what is not set to zero stays as it was.
# What was set to zero had been counted all the same.
case_reset_of_one() {
	local job preferred allowed

	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 counts_up "$job" allowed 20
	wait_until 60 counts_up "$job" smoothed 0
	topobind_soft off --confine "$job"
	wait_until 60 counted_off "$job"
	preferred=$(counter "$job" preferred)
	allowed=$(counter "$job" allowed)
	topobind_soft reset --counter=smoothed "$job"
	assert_eq "smoothed, preferred, allowed" "0 $preferred $allowed" \
		"$(counter "$job" smoothed) $(counter "$job" preferred) $(counter "$job" allowed)"
	topobind_soft reset --counter=allowed "$job.batch.0"
	assert_eq "preferred, allowed" "$preferred 0" \
		"$(counter "$job" preferred) $(counter "$job" allowed)"
	topobind_soft reset --counter=preferred "$job"
	assert_eq "preferred" 0 "$(counter "$job" preferred)"
	refute topobind_soft reset --counter=cost "$job"
	refute topobind_soft reset --counter=allowed "$job.batch.7"
	pkill_burn
	wait_until 30 is_over "$job"
	assert [ "$(recorded "$job")" -ge "$allowed" ]
}

# While the load stays as it is: the threshold moves the tasks.
case_threshold() {
	local job cpus

	job=$(burns=half soft_batch 1 "${one_core[@]}")
	wait_until 60 may_use soft-burn "$all_cpus"
	cpus=$(cpus_granted "$job")
	topobind_soft set --threshold=100 ${1:+"$job"}
	wait_until 60 may_use soft-burn "$cpus"
	assert_contains "status" "threshold 100%" \
		"$(topobind_soft status ${1:+"$job"})"
	topobind_soft set --threshold=default ${1:+"$job"}
	refute grep threshold <<<"$(topobind_soft status ${1:+"$job"})"
	wait_until 60 may_use soft-burn "$all_cpus"
}

# A process of nobody's job on its unit counts from the moment that it is said.
case_count_is_set() {
	local job cpus

	idle_beside_burner
	trap 'kill "$burner"; topobind_soft set --count=default' EXIT
	wait_until 30 counts_up "$job" preferred 20
	assert_eq "CPUs" "$cpus" "$(cpus_of soft-burn)"
	topobind_soft set --count=all ${1:+"$job"}
	wait_until 60 may_use soft-burn "$all_cpus"
	topobind_soft set --count=default ${1:+"$job"}
	wait_until 60 may_use soft-burn "$cpus"
}

# The other core, until somebody has it for himself, and again afterwards.
case_preferred_is_set() {
	local job own other hard

	job=$(soft_batch 1 "${one_core[@]}")
	rm "$work/load"
	wait_until 60 runs_program soft-burn
	own=$(cpus_granted "$job")
	other=$(all_but "$own")
	wait_until 60 may_use soft-burn "$own"
	refute topobind_soft set --cpus=9999 "$job"
	refute topobind_soft set --cpus=x "$job"
	refute topobind_soft set --cpus="$other"
	topobind_soft set --cpus="$other" "$job.batch"
	wait_until 60 may_use soft-burn "$other"
	assert_eq "preferred" "$other" "$(task_field "$job" preferred_cpus)"
	hard=$(batch -w "$NODE_THIS" -n "$(($(nproc) - 1))" --bunit=C --bamount=1)
	wait_until 30 runs "$hard"
	wait_until 60 may_use soft-burn "$own"
	refute topobind_soft set --cpus="$other" "$job"
	cancel "$hard"
	wait_until 60 may_use soft-burn "$other"
	assert_eq "granted" "$own" "$(cpus_granted "$job")"
	: >"$work/load"
	wait_until 60 may_use soft-burn "$all_cpus"
	rm "$work/load"
	wait_until 60 may_use soft-burn "$other"
	topobind_soft off --confine "$job"
	wait_until 60 may_use soft-burn "$other"
	topobind_soft set --cpus=default "$job"
	wait_until 60 may_use soft-burn "$own"
	cancel "$job"
	wait_until 30 no_soft_files
}

thread_has() {
	[ "$(allowed_cpus "$1")" = "$2" ]
}

# thread_field JOB TID FIELD - as "topobind soft --threads" says it
thread_field() {
	topobind_soft --json --threads status "$1" |
		jq -r ".steps[].each_task[].each_thread[] | select(.thread == $2) | .$3"
}

# two_threads JOB - of a job that burns with two processes; into threads
two_threads() {
	mapfile -t threads < <(processes soft-burn)
	[ "${#threads[@]}" = 2 ]
}

# A job with two processes on all CPUs, whose threads have nothing to do; into job and
# threads
idle_threads() {
	job=$(soft_batch 2 -n1 --bunit=C --bamount="$(nproc)")
	rm "$work/load"
	wait_until 60 two_threads
	wait_until 60 may_use soft-burn "$all_cpus"
}

# It stays there, whatever its program wants, and its neighbour is elsewhere.
case_thread_is_set() {
	local job threads one

	idle_threads
	one=${threads[0]}
	topobind_soft set --thread="$one" --cpus=1 "$job"
	wait_until 60 thread_has "$one" 1
	assert thread_has "${threads[1]}" "$all_cpus"
	assert_eq "it prefers" 1 "$(thread_field "$job" "$one" preferred_cpus)"
	assert_eq "the other prefers" "$all_cpus" \
		"$(thread_field "$job" "${threads[1]}" preferred_cpus)"
	assert_contains "a table" "$one soft-burn 1 1 " \
		"$(topobind_soft --threads status "$job" | tr -s ' ')"
	taskset -p -c 0 "$one" >"$work/taskset"
	wait_until 60 thread_has "$one" 1
	taskset -p -c 0 "${threads[1]}" >"$work/taskset"
	: >"$work/load"
	wait_until 60 thread_has "$one" "$all_cpus"
	assert thread_has "${threads[1]}" 0
	rm "$work/load"
	wait_until 60 thread_has "$one" 1
	reconfigure_with "${settings[@]}" SoftCount=all
	topobind_soft off "$job"
	wait_until 60 thread_has "$one" "$all_cpus"
	topobind_soft on "$job"
	wait_until 60 thread_has "$one" 1
	reconfigure_with "${settings[@]}"
	: >"$work/load"
	topobind_soft off --confine "$job"
	wait_until 60 thread_has "$one" 1
	rm "$work/load"
	topobind_soft set --thread="$one" --cpus=default "$job.batch.0"
	wait_until 60 thread_has "$one" "$all_cpus"
	topobind_soft set --thread="$one" --cpus=0 "$job.batch"
	wait_until 60 thread_has "$one" 0
	topobind_soft set --cpus=1 "$job"
	wait_until 60 may_use soft-burn 1
	cancel "$job"
	wait_until 30 no_soft_files
}

settings_of() {
	cat "$cluster/spool/$NODE_THIS/topobind_soft/$1.settings"
}

# What is said of a thread ends with it, and its number is not enough.
case_thread_ends() {
	local job threads file

	idle_threads
	topobind_soft set --thread="${threads[0]}" --cpus=1 "$job"
	topobind_soft set --thread="${threads[1]}" --cpus=1 "$job"
	wait_until 60 thread_has "${threads[1]}" 1
	kill -KILL "${threads[0]}"
	wait_until 30 process_is_gone "${threads[0]}"
	topobind_soft set --threshold=20 "$job"
	assert_eq "threads" "${threads[1]}" \
		"$(settings_of "$job" | awk '$1 == "thread" { print $4 }')"
	file=$cluster/spool/$NODE_THIS/topobind_soft/$job.settings
	awk '$1 == "thread" { $5-- } 1' "$file" >"$file.new"
	mv "$file.new" "$file"
	wait_until 60 thread_has "${threads[1]}" "$all_cpus"
	assert_eq "it prefers" "$all_cpus" \
		"$(thread_field "$job" "${threads[1]}" preferred_cpus)"
	cancel "$job"
	wait_until 30 no_soft_files
}

# Those that it starts begin where it is, and are free when it is.
case_threads_of_a_thread() {
	local job script

	burn_program soft-burn
	rm -f "$work/fork"
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" --bmode=soft -n1 \
		--bunit=C --bamount="$(nproc)" --wrap "
		while ! [ -e $work/fork ]; do sleep 0.1; done
		$work/soft-burn rest
		wait")
	wait_until 30 counts_up "$job" preferred
	script=$(topobind_soft --json --threads status "$job" |
		jq -r 'first(.steps[].each_task[].each_thread[] |
			select(.name == "slurm_script")) | .thread')
	topobind_soft set --thread="$script" --cpus=1 "$job"
	wait_until 60 thread_has "$script" 1
	touch "$work/fork"
	wait_until 60 may_use soft-burn 1
	topobind_soft set --thread="$script" --cpus=default "$job"
	wait_until 60 may_use soft-burn "$all_cpus"
	assert thread_has "$script" "$all_cpus"
	cancel "$job"
	wait_until 30 no_soft_files
}

# Of another job, of nobody, of the daemons; CPUs that its task has not.
case_thread_is_refused() {
	local job threads tid

	idle_threads
	for tid in $$ 1 0 -1 x 2147483648 999999999 \
		"$(pgrep -f "slurmstepd: \\[$job" | head -n 1)"; do
		refute topobind_soft set --thread="$tid" --cpus=1 "$job"
	done
	tid=${threads[0]}
	refute topobind_soft set --thread="$tid" --cpus=1 "$job.0"
	refute topobind_soft set --thread="$tid" --cpus=1 "$job.batch.1"
	refute topobind_soft set --thread="$tid" --cpus=1 "$((job + 1))"
	refute topobind_soft set --thread="$tid" --cpus=1
	refute topobind_soft set --thread="$tid" "$job"
	refute topobind_soft set --thread="$tid" --cpus=1 --threshold=5 "$job"
	refute topobind_soft set --thread="$tid" --cpus=9999 "$job"
	refute topobind_soft status --thread="$tid" "$job"
	topobind_soft set --cpus=0 "$job"
	wait_until 60 may_use soft-burn 0
	refute topobind_soft set --thread="$tid" --cpus=1 "$job"
	refute setpriv --reuid nobody --clear-groups \
		"$(command -v topobind)" soft set --thread="$tid" --cpus=0 "$job"
	assert may_use soft-burn 0
	cancel "$job"
	wait_until 30 no_soft_files
}

# recorded JOB [FORM] - how often its record says that the allowed CPUs were chosen
recorded() {
	local comment

	comment=$(scontrol show job "$1" | sed -n 's/^ *AdminComment=//p')
	[[ $comment =~ ^${2:-}soft=preferred:[0-9]+,allowed:([0-9]+),smoothed:[0-9]+\ *$ ]] ||
		fail "AdminComment: $comment"
	echo "${BASH_REMATCH[1]}"
}

has_record() {
	[[ $(scontrol show job "$1") == *soft=preferred:* ]]
}

# In the job's record, beside what a site has there.
case_record() {
	local job

	job=$(soft_batch 3 "${one_core[@]}")
	scontrol update job="$job" AdminComment="of the site"
	wait_until 60 counts_up "$job" allowed 5
	pkill_burn
	wait_until 30 is_over "$job"
	[ "$(recorded "$job" "of the site ")" -gt 5 ] || fail "too few"
}

# burn COUNTS - a step's program, which burns until its job has been so often on
# allowed CPUs
burn_until() {
	cat >"$work/burn-until" <<-END
	#!/bin/bash
	for i in 1 2 3; do $work/soft-burn & done
	until [ "\$(topobind soft --json --node $NODE_THIS status \$SLURM_JOB_ID |
		sed -n 's/.*"allowed": *\([0-9]*\).*/\1/p' |
		sort -n | tail -n 1)" -gt $1 ]; do sleep 0.1; done
	kill %1 %2 %3
	END
	chmod +x "$work/burn-until"
	burn_program soft-burn
}

# A job without a script.
case_record_of_srun() {
	local job

	burn_until 5
	srun -Q -w "$NODE_THIS" "${one_core[@]}" --bmode=soft bash -c "
		echo \$SLURM_JOB_ID >$work/job
		$work/burn-until"
	job=$(cat "$work/job")
	wait_until 30 is_over "$job"
	[ "$(recorded "$job")" -gt 5 ] || fail "too few"
}

# What is added up is there as soon as a step has ended.
case_record_of_steps() {
	local job first

	burn_until 5
	job=$(alloc -w "$NODE_THIS" "${one_core[@]}" --bmode=soft)
	srun -Q --jobid="$job" "$work/burn-until"
	first=$(recorded "$job")
	[ "$first" -gt 5 ] || fail "too few after the first step"
	srun -Q --jobid="$job" "$work/burn-until"
	srun -Q --jobid="$job" --bamount=1 "$work/witness" 1
	[ "$(recorded "$job")" -gt $((first + 5)) ] ||
		fail "$first after one step, $(recorded "$job") after two"
	cancel "$job"
	[ "$(recorded "$job")" -gt $((first + 5)) ] || fail "lost at the end"
}

# Slurm lets nobody change the record of a job that was cancelled.
case_record_of_cancelled() {
	local job

	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 has_record "$job"
	assert runs "$job"
	cancel "$job"
	[ "$(recorded "$job")" -gt 5 ] || fail "too few"
}

# Another run, other counters.
case_record_of_requeued() {
	local job before

	job=$(soft_batch 3 "${one_core[@]}")
	scontrol update job="$job" AdminComment="of the site"
	wait_until 60 has_record "$job"
	before=$(recorded "$job" "of the site ")
	requeue_held "$job"
	rm "$work/load"
	release_now "$job"
	wait_until 60 runs "$job"
	assert_contains "AdminComment" "AdminComment=of the site" \
		"$(scontrol show job "$job" | sed 's/ *$//')"
	refute has_record "$job"
	wait_until 60 has_record "$job"
	[ "$(recorded "$job" "of the site ")" -lt "$before" ] ||
		fail "$before before, $(recorded "$job" "of the site ") after"
}

case_command_refuses() {
	refute topobind_soft status 999999
	assert_eq "stdout" "" "$(topobind_soft status 999999 2>/dev/null)"
	refute topobind_soft off 999999
	refute topobind_soft off x
	refute topobind_soft on --confine
	refute topobind_soft perhaps
	refute topobind_soft set
	refute topobind_soft set --threshold=101
	refute topobind_soft set --count=some
	refute topobind_soft status --count=all
	refute topobind_soft set --cpus=0
	refute topobind soft --node nobody
	refute setpriv --reuid nobody --clear-groups \
		"$(command -v topobind)" soft --node "$NODE_THIS"
}

case_site_switch() {
	local job

	reconfigure_with "${settings[@]}" Soft=no
	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 runs_program soft-burn
	sleep 1
	assert_eq "CPUs" "$(cpus_granted "$job")" "$(cpus_of soft-burn)"
	reconfigure_with "${settings[@]}"
}

# --- what happens to jobs and daemons ---------------------------------------

# slurmd goes and comes while a job spreads.
case_slurmd() {
	local job

	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 may_use soft-burn "$all_cpus"
	daemon "slurmd-$NODE_THIS" "$1"
	wait_until 30 counts_up "$job" allowed "$(counter "$job" allowed)"
	daemon "slurmd-$NODE_THIS" start
	srun -Q -w "$NODE_THIS" "${one_core[@]}" "$work/witness" 3 >"$work/seen"
	refute grep touched "$work/seen"
	assert grep looks "$work/seen"
	wait_until 60 may_use soft-burn "$all_cpus"
}

is_suspended() {
	job_has_state "$1" SUSPENDED
}

# In its turn it burns; in that of the other its time says nothing.
case_gang() {
	local options job other before after

	options=(-p turns -n "$(nproc)" --bunit=C --bamount=1)
	scontrol create PartitionName=turns Nodes="$NODE_THIS" \
		OverSubscribe=FORCE:2 DefaultTime=10
	job=$(soft_batch 3 "${options[@]}")
	wait_until 60 counts_up "$job" allowed 5
	other=$(batch "${options[@]}")
	wait_until 60 is_suspended "$job"
	wait_until 30 says_suspended "$job"
	before=$(topobind_soft status "$job")
	sleep 1
	after=$(topobind_soft status "$job")
	# It may be its turn again.
	! is_suspended "$job" || [[ $after != *" suspended "* ]] ||
		assert_eq "counters" "$before" "$after"
	before=$(counter "$job" preferred)
	wait_until 60 runs "$job"
	wait_until 60 counts_up "$job" allowed "$(counter "$job" allowed)"
	assert_eq "times preferred" "$before" "$(counter "$job" preferred)"
	wait_until 60 is_suspended "$other"
}

# --- the cost ---------------------------------------------------------------

# cpu_us JOB - CPU time that its controller's thread has had so far, says the kernel
cpu_us() {
	local task

	for task in "/proc/$(stepd "$1" batch)"/task/*; do
		[ "$(cat "$task/comm")" != topobind-soft ] ||
			awk '{ print int($1 / 1000) }' "$task/schedstat"
	done
}

# In all the time since the round that has just ended.
costs_little() {
	local cpu time

	cpu=$(($(cpu_us "$1") - $2)) time=$((${EPOCHREALTIME/./} - $3))
	echo "$cpu us of $time us" >"$work/cost"
	[ "$time" -ge 20000000 ] && [ "$cpu" -gt 0 ] &&
		[ $((cpu * 500)) -le "$time" ]
}

# At the default interval.  A pause makes a round little: right before the next one it is, whatever a
# machine that does much else makes of one.
# How often those of slurmd have run.
runs_of_helpers() {
	local pid

	for pid in $(pgrep -x topobind); do
		! grep -qzx -- "$NODE_THIS" "/proc/$pid/cmdline" 2>/dev/null ||
			cat "/proc/$pid/status" 2>/dev/null
	done | awk '/_ctxt_switches:/ { sum += $2 } END { print sum + 0 }'
}

helpers_sleep() {
	local before

	before=$(runs_of_helpers)
	sleep 1
	[ "$before" -gt 0 ] && [ "$(runs_of_helpers)" -eq "$before" ]
}

# slurmd's helper looks when steps end, not at what it has looked at itself.
case_helper_sleeps() {
	local job

	job=$(batch -w "$NODE_THIS" "${one_core[@]}" --bmode=soft)
	wait_until 20 runs "$job"
	within 60 srun -Q -w "$NODE_THIS" "${one_core[@]}" true
	wait_until 20 helpers_sleep
	cancel "$job"
}

case_cost() {
	local job last before start

	reconfigure_with SoftUtilLowPct=10 SoftIntervalMs=500
	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 counts_up "$job" allowed
	last=$(counter "$job" cost_us)
	wait_until 60 counts_up "$job" cost_us "$last"
	before=$(cpu_us "$job") start=${EPOCHREALTIME/./}
	(wait_until 40 costs_little "$job" "$before" "$start") ||
		fail "not between 0 and 0.2%: $(cat "$work/cost")"
	reconfigure_with "${settings[@]}"
}

cluster_start --nodes this --topobind SoftUtilLowPct=10 \
	--topobind SoftIntervalMs=50
soft_start
test_case "an idle task stays on its unit" case_stays_when_idle
test_case "under load it spreads, then it returns" case_spreads_and_returns
test_case "the load of others on its unit counts" case_counts_all
test_case "a hard job comes" case_never_on "${one_core[@]}"
test_case "a plain job comes" case_never_on -n1
test_case "a job with --binstance=env comes" case_never_on "${one_core[@]}" \
	--binstance=env
test_case "a hard job was there first" case_hard_first
test_case "a hard step in a soft job" case_hard_step_inside
test_case "many short jobs, hard, soft and plain" case_stress
test_case "off and on for the node" case_switch
test_case "off and on for a job" case_switch job
test_case "the preference is ignored, and others' CPUs are not" case_ignored
test_case "the same for a job" case_ignored job
test_case "off survives slurmd" case_node_stays_off
test_case "counters are reset" case_reset
test_case "one counter is reset, of one task" case_reset_of_one
test_case "the tasks of a step" case_tasks
test_case "the threshold is set" case_threshold
test_case "the same for a job" case_threshold job
test_case "whose load counts is set" case_count_is_set
test_case "the same for a job" case_count_is_set job
test_case "preferred CPUs are set" case_preferred_is_set
test_case "what a thread prefers is set" case_thread_is_set
test_case "a thread ends" case_thread_ends
test_case "threads of a thread" case_threads_of_a_thread
test_case "threads that cannot be set" case_thread_is_refused
test_case "counters in the job's record" case_record
test_case "counters in the record of a job without a script" case_record_of_srun
test_case "counters of several steps" case_record_of_steps
test_case "counters of a job that is cancelled" case_record_of_cancelled
test_case "counters of a job that starts again" case_record_of_requeued
test_case "what topobind soft refuses" case_command_refuses
test_case "Soft=no" case_site_switch
test_case "suspended: the state stays" case_suspend
test_case "slurmd is stopped and started" case_slurmd stop
test_case "slurmd is killed" case_slurmd kill
test_case "slurmstepd of a hard job is killed" case_stepd_of_hard_killed
test_case "slurmstepd of a soft job is killed" case_stepd_of_soft_killed
test_case "slurmd and slurmstepd of a soft job are killed" \
	case_slurmd_and_stepd_of_soft_killed
test_case "slurmd's helper sleeps beside it" case_helper_sleeps
test_case "what the controller costs" case_cost
cluster_stop
# A sample has a tick of the clock also where others leave little of the machine.
cluster_start --nodes this --topobind SoftUtilLowPct=1 \
	--topobind SoftIntervalMs=500 --slurm PreemptMode=GANG \
	--slurm SchedulerTimeSlice=5 --slurm SchedulerType=sched/builtin
soft_start
test_case "jobs take turns" case_gang
tests_done
