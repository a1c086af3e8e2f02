#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# memory - --bmem and MemoryBinding=, as far as one NUMA node shows them
#
# What a fence holds, and where pages lie, is for a machine with several NUMA
# nodes: test/vm/memory.sh.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# In a task: its memory nodes as told, the policy of its heap, and whether its
# cgroup lets pages follow (v1; with v2 they always do).
# shellcheck disable=SC2016 # the task's variables
say_memory='
say_memory() {
	local cgroup migrate
	cgroup=/sys/fs/cgroup/cpuset$(sed -n "s/^[0-9]*:cpuset://p" /proc/self/cgroup)
	migrate=1
	[ ! -e "$cgroup/cpuset.memory_migrate" ] ||
		migrate=$(cat "$cgroup/cpuset.memory_migrate")
	echo "$TOPOBIND_MEMS" \
		"$(sed -n "s/^[^ ]* \(.*\) heap.*/\1/p" /proc/self/numa_maps)" \
		"$migrate"
}'

# here OPTION... - what one task on this machine says
here() {
	srun -Q -w "$NODE_THIS" -n1 "$@" bash -c "$say_memory
say_memory"
}

# The nodes of this machine, which are near its only CPUs.
memory_nodes() {
	cat /sys/devices/system/node/has_memory
}

# told NODE OPTION... - TOPOBIND_MEMS of a task on a node that is not there
told() {
	# shellcheck disable=SC2016
	srun -Q -w "$1" -n1 "${@:2}" sh -c 'echo "$TOPOBIND_MEMS"'
}

has_v1() {
	[ -d /sys/fs/cgroup/cpuset ]
}

# Does the task's cgroup say that it has a fence?
fenced() {
	if has_v1; then
		echo "$1"
	else
		echo 1
	fi
}

case_none() {
	assert_eq "without" "$(memory_nodes) default $(fenced 0)" \
		"$(here --bamount=1)"
	assert_eq "with none" "$(memory_nodes) default $(fenced 0)" \
		"$(here --bamount=1 --bmem=none)"
}

case_local() {
	assert_eq "local" "$(memory_nodes) default 1" \
		"$(here --bamount=1 --bmem=local)"
	assert_eq "in the variable" "$(memory_nodes) default 1" \
		"$(TOPOBIND=bmem=local,bamount=1 here)"
}

case_prefer() {
	local output

	output=$(here --bamount=1 --bmem=prefer)
	assert_contains "policy" " prefer" "$output"
	assert_contains "nodes" ":$(memory_nodes) $(fenced 0)" "$output"
}

# Nobody holds a task there, but each is told.
case_told() {
	assert_eq "all" 0-3 "$(told "$NODE_CACHE" --bunit=N --bamount=1)"
	assert_eq "of a unit" 0 \
		"$(told "$NODE_CACHE" --bunit=N --bamount=1 --bmem=local)"
	assert_eq "of three" 0-2 \
		"$(told "$NODE_CACHE" --bunit=N --bamount=3 --bmem=prefer)"
}

case_env_is_told_only() {
	assert_eq "env" "$(memory_nodes) default $(fenced 0)" \
		"$(here --bamount=1 --bmem=prefer --binstance=env)"
}

case_a_step_decides_inside_its_job() {
	local output

	output=$(salloc -Q -w "$NODE_THIS" -n1 --bamount=1 --bmem=local \
		bash -c "$(declare -f here)
		say_memory='$say_memory'
		here
		here --bamount=1 --bmem=none
		here --bamount=1")
	echo "$output"
	# The last two are held near the job all the same.
	assert_eq "steps" "$(printf '%s default 1\n' "$(memory_nodes)" \
		"$(memory_nodes)" "$(memory_nodes)")" "$output"
}

case_is_shown() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n1 --bamount=1 --bmem=local)
	assert_contains "SystemComment" "binding=bamount=1,bmem=local" \
		"$(scontrol show job "$job")"
}

# --- the site's -------------------------------------------------------------

case_site_reaches_requests() {
	reconfigure_with MemoryBinding=local
	assert_eq "a request" 0 "$(told "$NODE_CACHE" --bunit=N --bamount=1)"
	assert_eq "a request here" "$(memory_nodes) default 1" \
		"$(here --bamount=1)"
	assert_eq "its own none" 0-3 \
		"$(told "$NODE_CACHE" --bunit=N --bamount=1 --bmem=none)"
	assert_eq "a job without binding" "" "$(told "$NODE_CACHE")"
	reconfigure_with MemoryBinding=prefer
	assert_contains "prefer" " prefer" "$(here --bamount=1)"
}

case_site_and_partition() {
	reconfigure_with MemoryBinding=local \
		"PartitionName=main MemoryBinding=none"
	assert_eq "in the partition" 0-3 \
		"$(told "$NODE_CACHE" -p main --bunit=N --bamount=1)"
	reconfigure_with "PartitionName=main MemoryBinding=local"
	assert_eq "in the partition" 0 \
		"$(told "$NODE_CACHE" -p main --bunit=N --bamount=1)"
}

case_site_and_script() {
	local job out=$work/script

	reconfigure_with MemoryBinding=local Implicit=yes DefaultUnit=N
	# shellcheck disable=SC2016
	job=$(sbatch --parsable -w "$NODE_CACHE" -n1 -o "$out" --wrap \
		'echo "script $TOPOBIND_MEMS"; srun -Q sh -c "echo task \$TOPOBIND_MEMS"')
	wait_until 30 is_over "$job"
	assert_eq "implicit" $'script 0\ntask 0' "$(cat "$out")"
}

# --- beside --mem-bind ------------------------------------------------------

# A policy has one owner; a client without the plugin's rule finds out late.
case_mem_bind() {
	local output

	output=$(here --bamount=1 --bmem=prefer --mem-bind=local 2>&1) &&
		fail "accepted"
	assert_contains message "does not go with --bmem=prefer" "$output"
	assert_contains "in a fence" "bind:" \
		"$(here --bamount=1 --bmem=local --mem-bind=local)"
	assert_contains "none" "prefer" \
		"$(here --bamount=1 --bmem=prefer --mem-bind=none)"
}

# The step takes bmem from its job, where the client does not look for it.
case_mem_bind_of_a_step() {
	local output

	output=$(salloc -Q -w "$NODE_THIS" -n1 --bamount=1 --bmem=prefer \
		srun -Q --mem-bind=local true 2>&1) && fail "accepted"
	echo "$output"
	assert_contains message "mem-bind" "$output"
}

case_mem_bind_before_the_site() {
	reconfigure_with MemoryBinding=prefer
	assert_contains "policy" "bind:" "$(here --bamount=1 --mem-bind=local)"
}

case_as_it_was() {
	conf_with
	reconfigure
	assert_eq "without" "$(memory_nodes) default $(fenced 0)" \
		"$(here --bamount=1)"
}

cluster_start --nodes this,zen,cache
for case in none local prefer told env_is_told_only \
	a_step_decides_inside_its_job is_shown site_reaches_requests \
	site_and_partition site_and_script as_it_was mem_bind \
	mem_bind_of_a_step mem_bind_before_the_site as_it_was; do
	test_case "${case//_/ }" "case_$case"
done
tests_done
