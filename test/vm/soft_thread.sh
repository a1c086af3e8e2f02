#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# soft_thread - in the guest: a thread that "topobind soft set" has put somewhere rests
# there while its task spreads and returns
#
# Kernels before 6.2 forget what a thread was given when a cpuset is written, so there
# nothing of this holds.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"
# shellcheck source=test/integration/soft-lib
. "$(dirname "$0")/../integration/soft-lib"

# three_threads - of a job that burns with three processes; into threads
three_threads() {
	mapfile -t threads < <(processes soft-burn)
	[ "${#threads[@]}" = 3 ]
}

thread_has() {
	[ "$(allowed_cpus "$1")" = "$2" ]
}

# TASK THREAD: the CPUs of the task, by another thread of it, and of the first one.
task_and_thread_have() {
	wait_until 60 thread_has "${threads[1]}" "$1"
	wait_until 60 thread_has "${threads[0]}" "$2"
}

# While it is stopped it needs no CPU, so the others alone make its task spread.
case_thread() {
	local job threads one

	job=$(soft_batch 3 "${one_core[@]}")
	wait_until 60 may_use soft-burn 0-15
	wait_until 60 three_threads
	one=${threads[0]}
	kill -STOP "$one"
	refute topobind_soft set --thread="$one" --cpus=5 "$job"
	topobind_soft set --thread="$one" --cpus=1 "$job"
	task_and_thread_have 0-15 1
	rm "$work/load"
	task_and_thread_have 0-1 1
	: >"$work/load"
	task_and_thread_have 0-15 1
	kill -CONT "$one"
	wait_until 60 thread_has "$one" 0-15
	rm "$work/load"
	task_and_thread_have 0-1 1
	topobind_soft set --thread="$one" --cpus=default "$job"
	task_and_thread_have 0-1 0-1
	cancel "$job"
}

# To start a program is a load here, too.
cluster_start --nodes this --topobind SoftUtilLowPct=50 \
	--topobind SoftIntervalMs=100
soft_start
test_case "a thread rests where it was put" case_thread
tests_done
