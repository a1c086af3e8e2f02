#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# soft_users - a user sees the soft-bound tasks of an own job from anywhere, and
# nobody else's
#
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/soft-lib
. "$(dirname "$0")/soft-lib"

# as USER COMMAND... - an id, whatever its name
as() {
	local user=$1

	shift
	(cd / && within 60 setpriv --reuid="$user" --regid=65534 --clear-groups \
		env HOME=/ "$@")
}

user=65534 other=65533

# users_job OPTION... - a soft-bound one of the user, which burns
users_job() {
	burn_program soft-burn
	: >"$work/load"
	as "$user" sbatch --parsable -o /dev/null -w "$NODE_THIS" \
		--bmode=soft "$@" --wrap "
		for i in 1 2 3; do $work/soft-burn while $work/load 1 & done
		wait"
}

# seen JOB[.STEP] FILTER - of what the user sees
seen() {
	as "$user" topobind soft --json --tasks status "$1" | jq -r "$2"
}

sees() {
	[ "$(seen "$1" "$2")" = "$3" ]
}

case_sees() {
	local job cpus

	job=$(users_job "${one_core[@]}")
	wait_until 60 may_use soft-burn "$all_cpus"
	cpus=$(cpus_granted "$job")
	wait_until 60 sees "$job" '.steps[0].each_task[0].cpus' "$all_cpus"
	assert_eq "step" "$job.batch" "$(seen "$job" '.steps[].step')"
	assert_eq "node" "$NODE_THIS" "$(seen "$job" '.steps[].node')"
	assert_eq "preferred" "$cpus" \
		"$(seen "$job" '.steps[0].each_task[0].preferred_cpus')"
	assert_eq "may have" "$all_cpus" \
		"$(seen "$job" '.steps[0].each_task[0].allowed_cpus')"
	wait_until 60 sees "$job.batch.0" '.steps[0].allowed > 5' true
	assert_contains "a table" "$NODE_THIS $job.batch on" \
		"$(as "$user" topobind soft status "$job" | tr -s ' ')"
	refute as "$user" topobind soft status "$job.7"
	refute as "$user" topobind soft status "$job.batch.1"
	topobind_soft off --confine "$job"
	wait_until 60 sees "$job" '.steps[0].soft' confined
	assert_eq "what root sees" "$(topobind_soft --json status "$job" |
		jq '.steps[0].allowed')" "$(seen "$job" '.steps[0].allowed')"
	cancel "$job"
	refute as "$user" topobind soft status "$job"
	wait_until 30 no_view
}

no_view() {
	[ -z "$(ls "$cluster/spool/$NODE_THIS/topobind_soft_view")" ]
}

# All CPUs of the machine are the job's: to look takes none.
case_full() {
	local job

	job=$(users_job -n "$(nproc)" --bunit=C --bamount=1)
	wait_until 60 sees "$job" '.steps[0].tasks' 1
	cancel "$job"
}

# Neither by the command, nor in the files, nor may anybody change anything.
case_others() {
	local job file

	job=$(users_job "${one_core[@]}")
	wait_until 60 sees "$job" '.steps[0].tasks' 1
	refute as "$other" topobind soft status "$job"
	file=$cluster/spool/$NODE_THIS/topobind_soft_view
	refute as "$other" ls "$file"
	refute as "$user" ls "$file"
	file+=/$(ls "$file")
	assert [ -s "$file" ]
	refute as "$other" cat "$file"
	refute as "$user" topobind soft off "$job"
	refute as "$user" topobind soft set --threshold=1 "$job"
	refute as "$user" topobind soft reset "$job"
	refute as "$user" topobind soft status
	refute as "$user" topobind soft --node "$NODE_THIS" status "$job"
	assert_eq "allowed" "$all_cpus" "$(topobind_soft --json --tasks | jq -r \
		'.steps[].each_task[].allowed_cpus' | sort -u)"
	cancel "$job"
}

# Whatever the user does with the file, slurmstepd goes on and removes it.
case_hostile() {
	local job file

	job=$(users_job "${one_core[@]}")
	wait_until 60 sees "$job" '.steps[0].tasks' 1
	file=$(echo "$cluster/spool/$NODE_THIS/topobind_soft_view"/*)
	as "$user" chmod 600 "$file"
	printf 'view 9\nstep %0100000d x\ntask 1 2 -3\nend 9\n' 1 >"$work/junk"
	chmod 644 "$work/junk"
	as "$user" bash -c "cat $work/junk >$file"
	as "$user" topobind soft status "$job" >/dev/null || true
	as "$user" truncate -s 0 "$file"
	as "$user" truncate -s 1G "$file"
	wait_until 60 sees "$job" '.steps[0].tasks' 1
	refute as "$user" ln -s /etc/shadow "$file.2"
	assert runs "$job"
	cancel "$job"
	wait_until 30 no_view
}

# threads JOB FILTER - of those that root sees
threads() {
	topobind_soft --json --threads status "$1" |
		jq -r "[.steps[].each_task[].each_thread[] | select(.name == \"soft-burn\")] | $2"
}

has_threads() {
	[ "$(threads "$1" length)" -ge "$2" ]
}

# A thousand of them, and some that come and go; one is where it has been put.
case_threads() {
	local job thread

	gcc -O1 -pthread -Wall -Wextra -Werror -o "$work/soft-burn" \
		"$test_dir/threads.c"
	job=$(as "$user" sbatch --parsable -o /dev/null -w "$NODE_THIS" \
		-n "$(nproc)" --bunit=C --bamount=1 --bmode=soft \
		--wrap "exec $work/soft-burn 1000")
	wait_until 60 has_threads "$job" 1001
	assert_eq "CPUs" "$all_cpus" "$(threads "$job" 'map(.cpus) | unique[]')"
	thread=$(threads "$job" '.[500].thread')
	taskset -p -c 1 "$thread" >"$work/taskset"
	assert_eq "where it was put" 1 \
		"$(threads "$job" ".[] | select(.thread == $thread) | .cpus")"
	assert_contains "a table" "$job.batch.0 $thread soft-burn $all_cpus 1 " \
		"$(topobind_soft --threads status "$job.batch.0" | tr -s ' ')"
	for _ in 1 2 3; do
		topobind_soft --threads >"$work/table"
	done
	refute topobind_soft off --threads
	refute as "$user" topobind soft --threads status "$job"
	assert sees "$job" '.steps[0].tasks' 1
	cancel "$job"
}

# A step ends while one looks, and slurmstepd is killed.
case_ends() {
	local job

	job=$(as "$user" salloc --no-shell -w "$NODE_THIS" "${one_core[@]}" \
		--bmode=soft 2>&1 | sed -n 's/.*job allocation //p')
	for _ in 1 2 3; do
		as "$user" srun -Q --jobid="$job" sleep 0.3 &
		as "$user" topobind soft status "$job" >/dev/null 2>&1 || true
		wait $!
	done
	cancel "$job"
	job=$(users_job "${one_core[@]}")
	wait_until 60 sees "$job" '.steps[0].tasks' 1
	kill -KILL "$(stepd "$job" batch)"
	wait_until 60 no_view
	scancel "$job"
	wait_until 30 no_jobs
}

cluster_start --nodes this --topobind SoftUtilLowPct=10 \
	--topobind SoftIntervalMs=50
chmod 711 "$cluster" "$cluster/spool" "$cluster/spool/$NODE_THIS"
chmod 755 "$work"
soft_start
test_case "a user sees his own" case_sees
test_case "when the job has the whole node" case_full
test_case "nobody sees others'" case_others
test_case "a hostile user" case_hostile
test_case "steps that end" case_ends
test_case "the threads of a task" case_threads
tests_done
