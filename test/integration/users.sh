#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# users - an ordinary user against cgroups, in namespaces and outside
#
# What the namespaces give is printed by
# test/integration/namespaces.bash.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

user=nobody

make_programs() {
	mkdir -p "$work/bin" "$work/out"
	chmod 777 "$work/out"
	cp "$(type -P sleep)" "$work/bin/mark"
	cp "$test_dir/namespaces.bash" "$work/bin/namespaces"
	chmod a+rx "$cluster" "$work/bin" "$work"/bin/*
	# With --export=ALL,NAME=VALUE Slurm 26.05 wants the login shell of the user.
	export PROGRAMS=$work/bin
}

# as_user SCRIPT OPTION... - a batch job that has ended; prints its id
as_user() {
	local job

	job=$(sbatch_as "$user" -o "$work/out/%j" \
		-w "$NODE_THIS" -n1 "${@:2}" --wrap "$1")
	wait_until 120 is_over "$job"
	echo "$job"
}

user_processes() {
	pgrep -u "$user" -f "^$work/bin/mark" || true
}

no_user_processes() {
	[ -z "$(user_processes)" ]
}

assert_nothing_of_the_user() {
	(wait_until 20 no_user_processes) || fail "left: $(user_processes)"
	assert_nothing_is_left
	assert_eq "state of the node" idle "$(node_state)"
}

# The CPUs of each namespace are those of the job.
assert_stays() {
	local cpus

	cpus=$(sed -n 's/^own //p' "$1")
	assert_eq "CPUs in namespaces" "outside $cpus
outsideUr $cpus
outsideUrCm $cpus
outsideUrCmUrCm $cpus
outsideUrCmpf $cpus" "$(grep '^outside[^ ]* [0-9]' "$1")"
}

attack="sed -n 's/^Cpus_allowed_list:[[:space:]]*/own /p' /proc/self/status"

case_held() {
	local job

	job=$(as_user "$attack; \$PROGRAMS/namespaces \$PROGRAMS/mark" "$@")
	assert_stays "$work/out/$job"
	refute grep could "$work/out/$job"
	assert_nothing_of_the_user
}

# With v2 the cgroups of these tasks are the user's.
case_not_held() {
	local job

	job=$(as_user "$attack; \$PROGRAMS/namespaces \$PROGRAMS/mark" "$@")
	cat "$work/out/$job"
	assert_stays "$work/out/$job"
	assert_nothing_of_the_user
}

# Directories in the task's cgroup, as far as he can make them: nothing can be moved there,
# and they go with the job.
# shellcheck disable=SC2016 # the variables of the job
directories='sed "s/^[0-9]*:[^:]*://" /proc/self/cgroup |
	while read -r path; do
		for top in /sys/fs/cgroup /sys/fs/cgroup/cpuset; do
			dir=$top$path/x/y
			mkdir -p "$dir" 2>/dev/null && echo made
			(echo threaded >"$top$path/x/cgroup.type") 2>/dev/null
			for file in x/cgroup.procs x/cgroup.threads; do
				(echo $$ >"$top$path/$file") 2>/dev/null &&
					echo moved
			done
		done
	done
	echo done'

case_directories() {
	local job

	job=$(as_user "$directories" "$@")
	cat "$work/out/$job"
	assert_contains "what the job said" "done" "$(cat "$work/out/$job")"
	refute grep moved "$work/out/$job"
	assert_nothing_of_the_user
}

is_pending_again() {
	is_pending "$1" && no_user_processes
}

has_said() {
	grep -q "$2" "$work/out/$1" 2>/dev/null
}

# It is run again where its directories were.
case_requeued() {
	local job

	job=$(sbatch_as "$user" -o "$work/out/%j" \
		-w "$NODE_THIS" -n1 --requeue "$@" --wrap "$directories
		exec $work/bin/mark 600")
	wait_until 60 has_said "$job" "done"
	rm "$work/out/$job"
	scontrol requeuehold "$job"
	wait_until 60 is_pending_again "$job"
	release_now "$job"
	wait_until 60 has_said "$job" "done"
	cancel "$job"
	assert_nothing_of_the_user
}

# intrude DIRECTORY - in all that is his below, make directories, and move his
# processes there; as long as it may
# shellcheck disable=SC2016 # the variables of that shell
intrude() {
	exec setpriv --reuid="$user" --clear-groups bash -c '
		while :; do
			for dir in "$1"/job_*/step_*/user/task_*; do
				mkdir "$dir/x" 2>/dev/null && echo made
				[ -d "$dir/x" ] || continue
				for pid in $(pgrep -u nobody -f "^$2"); do
					(echo "$pid" >"$dir/x/cgroup.procs") \
						2>/dev/null && echo moved
				done
			done
			sleep 0.05
		done' intrude "$1" "$work/bin/mark"
}

# Beside a job of his, whose task's cgroup he has, a bound one stays where it is.
case_race() {
	local own job

	intrude "$(top_cgroup)" >"$work/intruded" &
	intruder=$!
	trap 'kill "$intruder" 2>/dev/null || true' EXIT
	own=$(sbatch_as "$user" -o /dev/null \
		-w "$NODE_THIS" -n1 --bunit=C --bamount=1 --binstance=env \
		--wrap "exec $work/bin/mark 600")
	wait_until 60 runs "$own"
	job=$(as_user "$work/bin/mark 600 & for i in 1 2 3 4 5; do
			sed -n 's/^Cpus_allowed_list://p' /proc/\$!/status
			sleep 1
		done" --bunit=C --bamount=1)
	kill "$intruder"
	sort "$work/intruded" | uniq -c
	assert_eq "lists of CPUs of the bound job" 1 \
		"$(sort -u "$work/out/$job" | grep -c .)"
	# Later Slurms give him none.
	slurm_is_from 23.11 || assert grep -q made "$work/intruded"
	refute grep moved "$work/intruded"
	cancel "$own"
	assert_nothing_of_the_user
}

# What is frozen ends all the same, and keeps nobody waiting.
case_frozen() {
	local job dir pid

	job=$(sbatch_as "$user" -o /dev/null \
		-w "$NODE_THIS" -n1 --bunit=C --bamount=1 \
		--wrap "exec $work/bin/mark 600")
	wait_until 60 user_process_runs
	pid=$(user_processes)
	dir=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$pid/cgroup")
	echo 1 >"$dir/cgroup.freeze"
	kill_stepd "$job" batch
	within 60 srun -Q -w "$NODE_THIS" -n1 --bunit=C --bamount=1 true
	wait_until 60 process_is_gone "$pid"
	cancel "$job"
	resume_node
	assert_nothing_of_the_user
}

user_process_runs() {
	[ -n "$(user_processes)" ]
}

cluster_start --nodes this
make_programs

test_case "namespaces of a bound job" case_held --bunit=C --bamount=1
test_case "namespaces of a job with env" case_not_held --bunit=C --bamount=1 \
	--binstance=env
test_case "directories of a plain job" case_directories
test_case "directories of a job with env" case_directories --bunit=C \
	--bamount=1 --binstance=env
# The others are those of test/integration/escape.sh with v1.
if [ ! -d /sys/fs/cgroup/cpuset ]; then
	test_case "directories of a job with pe" case_directories --bunit=C \
		--bamount=1 --binstance=pe
	test_case "directories of a bound job" case_directories --bunit=C \
		--bamount=1
	test_case "a plain job is requeued" case_requeued
	test_case "a bound job is requeued" case_requeued --bunit=C \
		--bamount=1 --binstance=env
	test_case "a race for the directories" case_race
	test_case "processes that are frozen" case_frozen
fi
tests_done
