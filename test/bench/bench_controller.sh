#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench_controller.sh - how long slurmctld takes to choose among many nodes, with
# each node allocation policy and without (budget: twice the time of without)
#
#	test/bench/bench_controller.sh [NODES [CALLS [POLICY...]]]
#
# The nodes are of two sockets with 64 cores of two threads each.  No slurmd runs:
# they are nodes that slurmctld believes it could switch on.  A call is sbatch
# --test-only, timed by slurmctld itself.  Prints milliseconds for each call and
# how many times those of SLURM they are.  Always exits 0: a slow machine is no
# defect.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd -P)
nodes=${1:-10000}
calls=${2:-10}
policies=(FIRSTAVAILABLE LASTAVAILABLE CPULOAD MINRESOURCE CONTIGUOUS
	MAXBALANCE FASTEST PRIORITY BESTFIT BESTTOPOLOGY)
[ $# -lt 3 ] || policies=("${@:3}")

caches=$(for ((i = 0; i < 8; i++)); do
	printf X
	for ((j = 0; j < 8; j++)); do printf CTT; done
done)
cluster=$("$top/contribs/cluster" start --owner $$ --nodes this \
	${TOPOBIND_ROOT:+--prefix "$TOPOBIND_ROOT"} \
	--slurm "NodeName=n[1-$nodes] State=CLOUD Sockets=2 CoresPerSocket=64 ThreadsPerCore=2 RealMemory=500000" \
	--slurm "PartitionName=bench Nodes=n[1-$nodes] DefaultTime=10 State=UP" \
	--slurm SuspendProgram=/bin/true --slurm ResumeProgram=/bin/true \
	--slurm SuspendTime=60 --slurm SlurmctldDebug=error \
	--slurm SchedulerParameters=batch_sched_delay=3600,sched_interval=3600 \
	--topobind "NodeName=n[1-$nodes] Topology=NS${caches}NS$caches" \
	--topobind 'PriorityFunction="SPEED + .01 * AMEM - 10 * JOBCOUNT"')
trap '"$top/contribs/cluster" stop "$cluster"' EXIT
eval "$("$top/contribs/cluster" env "$cluster")"

# milliseconds OPTION... - of a call, on average, as slurmctld counts it
milliseconds() {
	sdiag -r >/dev/null
	for ((call = 0; call < calls; call++)); do
		sbatch --test-only -p bench "$@" --wrap true 2>/dev/null
	done
	sdiag | awk '/REQUEST_JOB_WILL_RUN/ {
		sub(/.*ave_time:/, ""); printf "%.1f\n", $1 / 1000 }'
}

printf '%-10s %-15s %10s %6s\n' job policy ms times
for job in "-n1" "-N100 -n1000" "-n1 --bunit=X --bamount=1" \
	"-N100 -n200 --bunit=X --bamount=1"; do
	for policy in SLURM "${policies[@]}"; do
		# shellcheck disable=SC2086 # options
		time=$(milliseconds $job --bnodes="$policy")
		[ "$policy" != SLURM ] || base=$time
		printf '%-38s %-15s %8s %6s\n' "$job" "$policy" "$time" \
			"$(awk "BEGIN { printf \"%.2f\", $time / $base }")"
	done
done
