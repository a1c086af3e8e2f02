#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# users - in the guest: an ordinary user against cgroups, in namespaces and outside
#
# With v1 and v2.  What the namespaces give is printed by
# test/integration/namespaces.bash.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

user=nobody

make_programs() {
	mkdir -p "$work/bin" "$work/out"
	chmod 777 "$work/out"
	cp "$(type -P sleep)" "$work/bin/mark"
	cp "$test_dir/namespaces.bash" "$work/bin/namespaces"
	chmod a+rx "$cluster" "$work/bin" "$work"/bin/*
}

# as_user SCRIPT OPTION... - a batch job that has ended; prints its id
as_user() {
	local job

	job=$(sbatch --parsable --uid="$user" --chdir=/ -o "$work/out/%j" \
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

	job=$(as_user "$attack; \$PROGRAMS/namespaces \$PROGRAMS/mark" \
		--export="ALL,PROGRAMS=$work/bin" "$@")
	assert_stays "$work/out/$job"
	refute grep could "$work/out/$job"
	assert_nothing_of_the_user
}

# With v2 the cgroups of these tasks are the user's.
case_not_held() {
	local job

	job=$(as_user "$attack; \$PROGRAMS/namespaces \$PROGRAMS/mark" \
		--export="ALL,PROGRAMS=$work/bin" "$@")
	cat "$work/out/$job"
	assert_stays "$work/out/$job"
	assert_nothing_of_the_user
}

# Directories in the task's cgroup, as far as he can make them: they go with the job.
# shellcheck disable=SC2016 # the variables of the job
case_directories() {
	local job

	job=$(as_user 'sed "s/^[0-9]*:[^:]*://" /proc/self/cgroup |
		while read -r path; do
			for top in /sys/fs/cgroup /sys/fs/cgroup/cpuset; do
				mkdir -p "$top$path/x/y/z" 2>/dev/null && echo made
			done
		done
		echo done' "$@")
	cat "$work/out/$job"
	assert_contains "what the job said" "done" "$(cat "$work/out/$job")"
	assert_nothing_of_the_user
}

cluster_start --nodes this
make_programs

test_case "namespaces of a bound job" case_held --bunit=C --bamount=1
test_case "namespaces of a job with env" case_not_held --bunit=C --bamount=1 \
	--binstance=env
test_case "directories of a plain job" case_directories
test_case "directories of a job with env" case_directories --bunit=C \
	--bamount=1 --binstance=env
tests_done
