#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# escape - a user who wants CPUs of others, or to keep his own
#
# With cgroup v1, where Slurm gives the directories of a step to the user.  The
# attacks are those of an ordinary user (nobody), or need less than he has.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

user=nobody
uid=$(id -u "$user")

# Slurm's directories of the node, in these hierarchies of cgroup v1.
top_of() {
	echo "/sys/fs/cgroup/$1/slurm_$NODE_THIS"
}

# as_user OPTION... - a batch job
as_user() {
	sbatch_as "$user" -o "$work/out/%j" \
		-w "$NODE_THIS" "$@"
}

# What users own, and processes of ours in it.
users_cgroups() {
	local dir

	while read -r dir; do
		[ "$(stat -c %u "$dir/cgroup.procs" 2>/dev/null || echo 0)" = 0 ] ||
			echo "$dir"
	done < <(node_cgroups "$NODE_THIS")
}

user_processes() {
	pgrep -u "$user" -f "^$work/bin/mark" || true
}

nothing_of_the_user() {
	[ -z "$(user_processes)" ] && [ -z "$(users_cgroups)" ]
}

assert_nothing_of_the_user() {
	(wait_until 20 nothing_of_the_user) ||
		fail "left: $(user_processes) in $(users_cgroups)"
	assert_nothing_is_left
	refute node_is_drained
}

node_is_drained() {
	[[ $(node_state) = *drain* || $(node_state) = *down* ]]
}

# A program under a name that only this test has.
make_programs() {
	mkdir -p "$work/bin" "$work/out"
	chmod 777 "$work/out"
	cp "$(type -P sleep)" "$work/bin/mark"
	cp "$test_dir/namespaces.bash" "$work/bin/namespaces"
	gcc -Wall -Wextra -Werror -o "$work/bin/intruder" \
		"$test_dir/intruder.c"
	chmod a+rx "$cluster" "$work/bin" "$work"/bin/*
}

# A script that hides a process in a directory of its own in each hierarchy, and
# says what it has made.
# shellcheck disable=SC2016
hide='for name in cpuset freezer; do
	path=$(sed -n "s/^[0-9]*:$name://p" /proc/self/cgroup)
	dir=/sys/fs/cgroup/$name$path
	mkdir "$dir/x" 2>/dev/null && mkdir "$dir/x/y" && echo "made $dir/x" ||
		continue
	for file in cpuset.mems cpuset.cpus; do
		[ $name = freezer ] || cat "$dir/$file" >"$dir/x/$file"
	done
	setsid sh -c "echo \$\$ >$dir/x/cgroup.procs && exec MARK 600" \
		</dev/null >/dev/null 2>&1 &
	sleep 1
done
echo done
'
hide_script() {
	echo "${hide//MARK/$work/bin/mark}"
}

# hides_nothing SCRIPT OPTION... - such a job makes no directories, and leaves none
hides_nothing() {
	local job

	job=$(as_user "${@:2}" --wrap "$1")
	wait_until 60 is_over "$job"
	assert_eq "what the job could do" "done" "$(cat "$work/out/$job")"
	assert_nothing_of_the_user
}

case_own_directories() {
	hides_nothing "$(hide_script)" "$@"
}

case_step() {
	hides_nothing "srun -Q bash -c '$(hide_script)'" "$@"
}

has_started() {
	runs "$1" || is_over "$1"
}

# race_beside OPTION... - beside a job of that kind, whose cgroups the intruder may have,
# a task sees its own CPUs and no others.  Both jobs are his own: when he moves their
# processes into cgroups that go, these end.
race_beside() {
	local own job seen

	own=$(as_user -n1 "$@" --wrap "exec $work/bin/mark 600")
	wait_until 20 has_started "$own"
	job=$(as_user -n1 --bunit=C --bamount=1 --wrap "
		for i in 1 2 3 4 5 6 7 8 9 10; do
			sed -n 's/^Cpus_allowed_list://p' /proc/self/status
			sleep 0.1
		done")
	wait_until 30 is_over "$job"
	seen=$(grep -E '^[[:space:]]*[0-9]' "$work/out/$job" | sort -u || true)
	[ "$(wc -l <<<"$seen")" -le 1 ] || fail "the task has seen $seen"
	refute node_is_drained
	cancel "$own"
}

# An intruder who is there before all steps wins the race for their directories;
# what he has made is gone before a task is held, or nothing is held.
case_race() {
	setpriv --reuid="$uid" --clear-groups "$work/bin/intruder" 600 \
		"$(top_of cpuset)" "$(top_of freezer)" >"$work/made" &
	intruder=$!
	trap 'kill "$intruder" 2>/dev/null || true' EXIT
	race_beside
	race_beside --bunit=C --bamount=1 --binstance=env
	kill "$intruder"
	wait "$intruder" || true
	sed 's/^/made /' "$work/made"
	assert_nothing_of_the_user
}

# All of them are on the CPUs of the first, and end with the job.
case_namespaces() {
	local job cpus

	job=$(as_user -n1 "$@" --wrap "
		sed -n 's/^Cpus_allowed_list:[[:space:]]*/own /p' /proc/self/status
		$work/bin/namespaces $work/bin/mark")
	wait_until 60 is_over "$job"
	cpus=$(sed -n 's/^own //p' "$work/out/$job")
	assert_eq "what namespaces give" "own $cpus
outside $cpus
outsideUr $cpus
outsideUrCm $cpus
outsideUrCmUrCm $cpus
outsideUrCmpf $cpus" "$(cat "$work/out/$job")"
	assert_nothing_of_the_user
}

# It is run again on other CPUs, which its old directories do not have.
case_requeued() {
	local job blocker

	job=$(as_user -n1 --requeue "$@" --wrap "$(hide_script)
		exec $work/bin/mark 600")
	wait_until 30 has_said "$job" "done"
	blocker=$(alloc -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	rm "$work/out/$job"
	scontrol requeuehold "$job"
	wait_until 60 job_has_state "$job" PENDING
	wait_until 60 nothing_of_the_user
	cancel "$blocker"
	blocker=$(alloc -w "$NODE_THIS" -n1 --bunit=C --bamount=1)
	release_now "$job"
	wait_until 60 has_said "$job" "done"
	refute node_is_drained
	cancel "$job" "$blocker"
	assert_nothing_of_the_user
}

has_said() {
	grep -q "$2" "$work/out/$1" 2>/dev/null
}

# lost COUNT - processes of a job that Slurm's freezer does not see any more
lost() {
	local pid

	[ "$(user_processes | wc -l)" -eq "$1" ] || return 1
	for pid in $(user_processes); do
		echo "$pid" >/sys/fs/cgroup/freezer/cgroup.procs
	done
}

# hidden_job COUNT OPTION... - each of so many tasks leaves a process; the step ends
# when "go" is there
hidden_job() {
	rm -f "$work/go"
	as_user -n1 "${@:2}" --wrap "srun -Q --overcommit -n$1 sh -c \
		'setsid $work/bin/mark 600 </dev/null >/dev/null 2>&1 &
		until [ -e $work/go ]; do sleep 0.1; done'"
}

# They end with the job.
case_hidden() {
	local job

	job=$(hidden_job "$@")
	wait_until 30 lost "$1"
	touch "$work/go"
	wait_until 60 is_over "$job"
	wait_until 20 no_job_cgroups "$NODE_THIS"
	assert_nothing_of_the_user
}

# Twenty take no longer than one; a busy machine is slow with both.
case_twenty() {
	local start=$SECONDS one twenty

	case_hidden 1 "$@"
	one=$((SECONDS - start))
	start=$SECONDS
	case_hidden 20 "$@"
	twenty=$((SECONDS - start))
	[ "$twenty" -le $((3 * one + 15)) ] ||
		fail "a step with one took $one s, with twenty $twenty s"
}

three_launches() {
	local start=$SECONDS

	for _ in 1 2 3; do
		within 60 srun -Q -w "$NODE_THIS" -n1 --bunit=C --bamount=1 true
	done
	took=$((SECONDS - start))
}

thaw_own() {
	[ ! -d "$own_freezer" ] || echo THAWED >"$own_freezer/freezer.state"
}

# What nobody can end does not keep others waiting.
case_frozen() {
	local job took before

	three_launches
	before=$took
	# Not that of a run that was killed.
	own_freezer=/sys/fs/cgroup/freezer/frozen_$NODE_THIS.$$
	mkdir "$own_freezer"
	trap thaw_own EXIT
	job=$(as_user -n1 --bunit=C --bamount=1 --wrap \
		"$work/bin/mark 600 & $work/bin/mark 600")
	wait_until 20 marks 2
	user_processes | while read -r pid; do
		echo "$pid" >"$own_freezer/cgroup.procs"
	done
	echo FROZEN >"$own_freezer/freezer.state"
	kill_stepd "$job" batch
	three_launches
	[ "$took" -le $((3 * before + 8)) ] ||
		fail "three launches took $took s, and $before s before"
	assert_eq "frozen processes" 2 "$(user_processes | wc -l)"
	thaw_own
	wait_until 30 nothing_of_the_user
	cancel "$job"
	rmdir "$own_freezer"
	assert_nothing_of_the_user
	resume_node
	assert_works
}

marks() {
	[ "$(user_processes | wc -l)" -eq "$1" ]
}

# What an earlier version has left is taken when slurmd starts.
case_slurmd_starts() {
	local job dir

	job=$(as_user -n1 --wrap "exec $work/bin/mark 600")
	wait_until 20 marks 1
	dir=$(top_of cpuset)/uid_$uid/job_$job/step_batch
	chown "$uid" "$dir"
	setpriv --reuid="$uid" --clear-groups mkdir -p "$dir/x/y/z"
	daemon "slurmd-$NODE_THIS" stop
	daemon "slurmd-$NODE_THIS" start
	wait_until 20 no_users_cgroups
	assert_eq "owner" 0 "$(stat -c %u "$dir")"
	assert runs "$job"
	assert marks 1
	cancel "$job"
	assert_nothing_of_the_user
}

# Slurm's, whoever has what is in them.
cgroups_given_away() {
	find "$(top_of cpuset)" "$(top_of freezer)" -type d ! -uid 0 2>/dev/null
}

with_extern_steps() {
	sed -i '/^PrologFlags=/d; $ a PrologFlags=Contain' \
		"$cluster/etc/slurm.conf"
	restart_slurmctld
	daemon "slurmd-$NODE_THIS" stop
	daemon "slurmd-$NODE_THIS" start
	wait_until 60 nodes_answer
	resume_node
}

# user_alloc OPTION... - of the user; prints its id
user_alloc() {
	within 60 setpriv --reuid="$uid" --regid="$uid" --clear-groups \
		env -C / salloc --no-shell -w "$NODE_THIS" "$@" 2>&1 |
		sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' |
		grep . || fail "no allocation for: $*"
}

# No task of Slurm's ever runs in it, and no other step on the node.
case_extern() {
	local job dir

	job=$(user_alloc -n1 "$@")
	for dir in "$(top_of cpuset)" "$(top_of freezer)"; do
		dir=$dir/uid_$uid/job_$job/step_extern
		assert test -d "$dir"
		refute setpriv --reuid="$uid" --clear-groups mkdir "$dir/x"
	done
	assert_eq "directories that are not root's" "" "$(cgroups_given_away)"
	cancel "$job"
	wait_until 20 only_freezers_are_left
}

# Slurm 24.11 itself cannot always remove those of the freezer of an extern step: a
# thread that ends X11 takes root's rights from all threads for a moment.
only_freezers_are_left() {
	[ -z "$(leftovers | sed '\,/freezer/,d')" ]
}

# lock DIRECTORY - as the user, until it is killed; not for long, as all steps of this
# machine wait for it, those of other tests, too
# shellcheck disable=SC2016 # variables of that shell
lock() {
	setpriv --reuid="$uid" --clear-groups --pdeathsig KILL bash -c '
		exec 9<"$1"
		flock 9
		echo "$1" >>"$2"
		exec sleep "$3"' lock "$1" "$work/out/locked" \
		60 &
	lockers+=($!)
}

unlock() {
	kill "${lockers[@]}" 2>/dev/null || true
	wait "${lockers[@]}" 2>/dev/null || true
}

all_are_locked() {
	[ "$(wc -l <"$work/out/locked")" -eq "${#lockers[@]}" ]
}

# Slurm locks the hierarchies, and any user can, too.  What is left of the one does not
# keep the helper from what is left of the other.
case_locked() {
	local jobs=() lockers=() job

	for _ in 1 2; do
		jobs+=("$(as_user -n1 --bunit=C --bamount=1 \
			--wrap "exec $work/bin/mark 600")")
	done
	wait_until 30 marks 2
	install -m 666 /dev/null "$work/out/locked"
	trap unlock EXIT
	lock /sys/fs/cgroup/freezer
	lock /sys/fs/cgroup/cpuset
	wait_until 20 all_are_locked
	for job in "${jobs[@]}"; do
		kill_stepd "$job" batch
	done
	wait_until 20 marks 0
	assert kill -0 "${lockers[@]}"
	unlock
	cancel "${jobs[@]}"
	assert_nothing_of_the_user
	resume_node
	assert_works
}

no_users_cgroups() {
	[ -z "$(users_cgroups)" ]
}

if [ ! -d /sys/fs/cgroup/cpuset ]; then
	echo "Bail out! this host has no cgroup v1: boot it with systemd.unified_cgroup_hierarchy=0; what users do with v2 is attacked by: test/run vm node"
	exit 1
fi

cluster_start --nodes this
make_programs

test_case "a plain job" case_own_directories -n1
test_case "env" case_own_directories -n1 --bunit=C --bamount=1 --binstance=env
test_case "pe" case_own_directories -n1 --bunit=C --bamount=1 --binstance=pe
test_case "set" case_own_directories -n1 --bunit=C --bamount=1
test_case "a plain step" case_step -n1
test_case "a bound step" case_step -n1 --bunit=C --bamount=1
test_case "a race for the directories" case_race
test_case "namespaces of a bound job" case_namespaces --bunit=C --bamount=1
test_case "namespaces of a plain job" case_namespaces
test_case "namespaces of a job with env" case_namespaces --bunit=C --bamount=1 \
	--binstance=env
test_case "a plain job is requeued" case_requeued
test_case "a bound job is requeued" case_requeued --bunit=C --bamount=1 \
	--binstance=env
test_case "a lost process, hard" case_hidden 1 --bunit=C --bamount=1
test_case "a lost process, soft" case_hidden 1 --bunit=C --bamount=1 --bmode=soft
test_case "twenty lost processes" case_twenty --bunit=C --bamount=1
test_case "processes that cannot be ended" case_frozen
test_case "what is there when slurmd starts" case_slurmd_starts
test_case "a user keeps the hierarchies locked" case_locked
with_extern_steps
test_case "the extern step of a plain job" case_extern
test_case "the extern step of a bound job" case_extern --bunit=C --bamount=1
tests_done
