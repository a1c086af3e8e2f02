#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reserved_devices - what a reservation keeps of GPUs is for the jobs inside
#
# Slurm needs slurmdbd to reserve GRES, and does it since 23.11.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/same_answers.bash
. "$test_dir/same_answers.bash"

# Two sockets of two NUMA nodes; the first GPUs are near the last cores.
quad=SNXCTTCTTXCTTCTTNXCTTCTTXCTTCTTSNXCTTCTTXCTTCTTNXCTTCTTXCTTCTT

start() {
	cluster_start --nodes '' --accounting --machine "quad $quad 4 4 2" \
		--slurm GresTypes=gpu --slurm AccountingStorageTRES=gres/gpu
	give_gres "$NODE_QUAD" gpu:4 \
		"Name=gpu File=DEVICE0 Cores=12-15" \
		"Name=gpu File=DEVICE1 Cores=8-11" \
		"Name=gpu File=DEVICE2 Cores=4-7" \
		"Name=gpu File=DEVICE3 Cores=0-3"
	start_with_gres "$NODE_QUAD"
}

reserve() {
	scontrol create reservation ReservationName=kept Users=root \
		Nodes="$NODE_QUAD" StartTime=now Duration=60 "TRES=$1"
}

# gpus JOB - their numbers: "0 3"
gpus() {
	scontrol -d show job "$1" |
		sed -n 's/.* GRES=.*IDX:\([0-9,-]*\).*/\1/p' | expand_lists
}

expand_lists() {
	while read -r list; do
		expand_list "$list"
	done
}

# fits OPTION... - does the job start now?  Nobody else is there.
fits() {
	wait_until 20 no_jobs
	salloc --immediate=1 -N1 -n2 --bunit=C --bamount=1 "$@" true
}

case_both() {
	local inside outside

	reserve cpu=4,gres/gpu=2 >/dev/null
	outside=$(alloc -N1 -n2 --bunit=C --bamount=1 --gres=gpu:2)
	inside=$(alloc -N1 -n2 --bunit=C --bamount=1 --gres=gpu:2 \
		--reservation=kept)
	assert_eq "GPUs of both" "0 1 2 3" \
		"$({ gpus "$outside" && gpus "$inside"; } | sort -n | xargs)"
	assert_no_contradictions
	cancel "$outside" "$inside"
}

# The others are reserved; inside there are no others.
case_too_many() {
	assert fits --gres=gpu:2
	assert fits --gres=gpu:2 --reservation=kept
	refute fits --gres=gpu:3
	refute fits --gres=gpu:3 --reservation=kept
	scontrol delete ReservationName=kept
	assert fits --gres=gpu:3
}

# Which ones are kept Slurm does not tell.
case_command() {
	local job where
	local -a options=(-N1 -n2 --bunit=C --bamount=1 --gres=gpu:2)

	reserve cpu=4,gres/gpu=2 >/dev/null
	for where in "" kept; do
		job=$(batch -H "${options[@]}" ${where:+--reservation=$where})
		wait_until 20 all_show_bindings "$job"
		assert_eq "fits" null "$(explained "$job" | jq .fits_now)"
		assert_contains "summary" \
			"now, only slurmctld knows which GRES reservations keep" \
			"$(explained "$job" | jq .summary)"
		cancel "$job"
		assert_eq "plan" now \
			"$(planned "${options[@]}" ${where:+--reservation=$where})"
		assert_eq "units of the plan" "" \
			"$(units_of_plan "${options[@]}" ${where:+--reservation=$where})"
	done
	refute [ -z "$(units_of_plan -N1 -n2 --bunit=C --bamount=1)" ]
	scontrol delete ReservationName=kept
	refute [ -z "$(units_of_plan "${options[@]}")" ]
}

# Should it learn to, topobind has to learn it there, too.
case_no_such_reservation() {
	refute reserve cpu=4,gres/gpu=2
}

start
if slurm_is_from 23.11; then
	test_case "jobs inside and outside have their own" case_both
	test_case "there are no more for either" case_too_many
	test_case "explain and plan say that they do not know" case_command
else
	test_case "Slurm reserves no devices" case_no_such_reservation
fi
tests_done
