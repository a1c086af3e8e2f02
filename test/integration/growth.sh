#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# growth - slurmctld needs no more memory the more often it is reconfigured
#
# Slurm itself loses a little each time, so what plain Slurm loses is measured
# first: same nodes, same jobs but for their bindings.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# One arena: what many threads keep for themselves would be noise.
export MALLOC_ARENA_MAX=1

machines=()
for name in one two three; do
	machines+=(--machine "$name SXYCCYCCXYCCYCCSXYCCYCCXYCCYCC 2 8 1")
done

# KiB of anonymous memory
memory() {
	sed -n -E 's/^RssAnon:[[:space:]]*([0-9]+) kB/\1/p' \
		"/proc/$(daemon slurmctld pid)/status"
}

# Later Slurms go on in another slurmctld each time, which has nothing of what the
# one before has gathered, and a reconfigure takes a second.
before=200
times=600
if slurm_is_from 23.11; then
	before=5
	times=15
fi

reconfigure_times() {
	local i

	for ((i = 0; i < $1; i++)); do
		scontrol_reconfigure
	done
}

# growth OPTION... - of its memory in KiB by so many reconfigures, with forty jobs
# that have these options.  The first ones fill what the allocator keeps in store: up
# to 3 MiB, at some time within the first hundred.
growth() {
	local least

	sbatch -Q -o /dev/null --array=1-40 -n1 --mem=1 "$@" \
		--wrap 'exec sleep 600'
	wait_until 60 forty_jobs_run
	reconfigure_times "$before"
	least=$(memory)
	reconfigure_times "$times"
	echo $(($(memory) - least))
}

forty_jobs_run() {
	[ "$(squeue -h -t R -o %i | wc -l)" -eq 40 ]
}

case_plain_slurm() {
	growth >"$results/plain"
	[[ $(cat "$results/plain") =~ ^-?[0-9]+$ ]] || fail "no number"
}

# The tolerance is what a hundred bytes for each job would be, lost at each
# reconfigure.
case_topobind() {
	local plain topobind

	plain=$(cat "$results/plain")
	# Not in $(...): set -e would not count inside.
	growth --bunit=C --bamount=1 >"$results/topobind"
	topobind=$(cat "$results/topobind")
	[[ $topobind =~ ^-?[0-9]+$ ]] || fail "no number"
	echo "# KiB by $times reconfigures: plain $plain, topobind $topobind" >&3
	[ "$topobind" -le $((plain + 2400)) ] ||
		fail "$topobind KiB more, plain Slurm $plain KiB"
}

results=$(mktemp -d)
exec 3>&1
cluster_start --nodes zen "${machines[@]}" --plain
test_case "plain Slurm" case_plain_slurm
cluster_stop
cluster_start --nodes zen "${machines[@]}"
test_case "topobind" case_topobind
rm -r "$results"
tests_done
