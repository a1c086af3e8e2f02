#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# launch - what topobind adds to the start of a step's tasks
#
# usage: test/bench/launch.sh [ROUNDS]
#
# Two clusters on this machine: Slurm as it is (task/cgroup, task/affinity) and
# with topobind.  In each round one srun on each, for 1, 16 and 64 tasks, which
# share this machine's cores but have a cpuset each.  Medians of wall time and
# of the CPU time of slurmstepd with all its children, in milliseconds.  With
# topobind and a request, and without one.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
rounds=${1:-30}
work=$(mktemp -d "${TMPDIR:-/tmp}/topobind-bench-XXXXXX")
clusters=()

stop_all() {
	local dir

	for dir in "${clusters[@]}"; do
		"$top/contribs/cluster" stop "$dir"
	done
	rm -rf "$work"
}
trap stop_all EXIT
trap 'exit 1' INT TERM HUP

# start NAME [OPTION...] - its slurmd starts usage in place of slurmstepd
start() {
	local name=$1 dir

	shift
	mkdir "$work/$name"
	cat >"$work/$name/slurmd" <<-END
	#!/bin/bash
	export USAGE_LOG=$work/$name.log
	USAGE_STEPD=$(type -P slurmstepd) exec $(type -P slurmd) -d "$work/slurmstepd" "\$@"
	END
	chmod 755 "$work/$name/slurmd"
	dir=$(PATH=$work/$name:$PATH "$top/contribs/cluster" start \
		--nodes this --owner $$ "$@")
	clusters+=("$dir")
	ln -s "$dir" "$work/$name.cluster"
}

lines() {
	if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi
}

# launch CLUSTER KIND TASKS [OPTION...]
launch() {
	local name=$1 kind=$2 tasks=$3 log=$work/$1.log before start

	shift 3
	before=$(lines "$log")
	start=${EPOCHREALTIME/./}
	SLURM_CONF=$work/$name.cluster/etc/slurm.conf srun -Q -O -n"$tasks" \
		"$@" true
	echo $((${EPOCHREALTIME/./} - start)) >>"$work/$kind.$tasks.wall"
	until [ "$(lines "$log")" -gt "$before" ]; do sleep 0.02; done
	tail -n 1 "$log" >>"$work/$kind.$tasks.cpu"
}

# One hundredth of a millisecond is enough.
median() {
	sort -n "$1" | awk '{ v[NR] = $1 }
		END { printf "%.2f", v[int((NR + 1) / 2)] / 1000 }'
}

report() {
	local tasks kind what

	echo "tasks  what    Slurm alone  topobind  bound    extra  extra of a task"
	for tasks in 1 16 64; do
		for what in wall cpu; do
			for kind in plain unbound bound; do
				median "$work/$kind.$tasks.$what"
				echo
			done | paste -sd' ' | awk -v tasks="$tasks" \
				-v what="$what" '{ printf \
				"%5d  %-4s  %13.2f  %8.2f  %5.2f  %7.2f  %15.3f\n",
				tasks, what, $1, $2, $3, $3 - $1, ($3 - $1) / tasks }'
		done
	done
}

# In a function, so that bash has read all of this file before it begins.
main() {
	local i tasks

	gcc -O2 -Wall -Wextra -Werror -o "$work/slurmstepd" "$here/usage.c"
	start plain --plain
	if [ -n "${TOPOBIND_ROOT:-}" ]; then
		start topobind --prefix "$TOPOBIND_ROOT"
	else
		start topobind
	fi
	for ((i = 0; i <= rounds; i++)); do
		for tasks in 1 16 64; do
			launch plain plain "$tasks"
			launch topobind unbound "$tasks"
			launch topobind bound "$tasks" --bunit=C --bamount=1
		done
		# The first is for the caches.
		[ "$i" -gt 0 ] || rm "$work"/*.wall "$work"/*.cpu
	done
	report
}

main
