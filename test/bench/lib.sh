# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - what the parts of test/bench/run share.  Sourced.
#
# A part prints records, a line for each of its results, with tabs between:
#
#	what, unit, median, 10th and 90th percentile, the peer's median, budget
#
# The peer is measured in turns with it.  The budget is what the quotient of
# the two may be; with "<" before it the value's own limit; "-" for none.
set -euo pipefail

bench_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd "$bench_dir/../.." && pwd -P)
# shellcheck source=contribs/common.sh
. "$top/contribs/common.sh"
cluster_program=$top/contribs/cluster
work=$(mktemp -d "${TMPDIR:-/tmp}/topobind-bench-XXXXXX")
clusters=()

bench_end() {
	local dir

	for dir in "${clusters[@]}"; do
		[ ! -d "$dir" ] || "$cluster_program" stop "$dir"
	done
	rm -rf "$work"
}
trap bench_end EXIT
trap 'exit 1' INT TERM HUP

record() {
	local IFS=$'\t'

	printf '%s\n' "$*"
}

# Where bootstrap has put things; the plugin that asks is built, too.
find_places() {
	local assignments

	assignments=$("$top/contribs/bootstrap" --tests)
	eval "$assignments"
	logged "$work/make" make -C "$TOPOBIND_BUILD" -j"$(nproc)" check TESTS=
}

# wait_until SECONDS COMMAND...
wait_until() {
	local end=$((EPOCHSECONDS + $1))

	shift
	until "$@"; do
		[ "$EPOCHSECONDS" -lt "$end" ] || die "waited too long for: $*"
		sleep 0.2
	done
}

# --- clusters ------------------------------------------------------------------

# start_cluster NAME OPTION... - its directory is then work/NAME
start_cluster() {
	local name=$1 dir

	shift
	dir=$("$cluster_program" start --owner $$ "$@")
	clusters+=("$dir")
	rm -f "$work/$name"
	ln -s "$dir" "$work/$name"
}

stop_cluster() {
	"$cluster_program" stop "$(readlink "$work/$1")"
	rm "$work/$1"
}

# of NAME COMMAND... - a command of Slurm's for that cluster
of() {
	local name=$1

	shift
	SLURM_CONF=$work/$name/etc/slurm.conf "$@"
}

# A node of two sockets with 64 cores of two threads each.
big_node() {
	local i j caches=''

	for ((i = 0; i < 8; i++)); do
		caches+=X
		for ((j = 0; j < 8; j++)); do caches+=CTT; done
	done
	echo "NS${caches}NS$caches"
}

# Nodes that slurmctld believes it could switch on: no slurmd runs, jobs on them
# hold their cores for ever.  Without an address slurmctld would look for one of each
# node, under its locks, when a job ends.  virtual_options COUNT SCHEDULER
virtual_options() {
	local shape="Sockets=2 CoresPerSocket=64 ThreadsPerCore=2"

	options=(--nodes this
		--slurm "NodeName=n[1-$1] NodeAddr=127.0.0.1 State=CLOUD ${node_shape:-$shape} RealMemory=500000"
		--slurm "PartitionName=bench Nodes=n[1-$1] DefaultTime=60 State=UP"
		--slurm SuspendProgram=/bin/true --slurm ResumeProgram=/bin/true
		--slurm ResumeRate=0 --slurm ResumeTimeout=60000
		--slurm SuspendTime=INFINITE --slurm SlurmctldDebug=error
		--slurm MaxJobCount=100000 --slurm MaxArraySize=50001
		--slurm "SchedulerParameters=$2")
}

# start_virtual NAME COUNT SCHEDULER [OPTION...] - with topobind and the plugin that
# asks
start_virtual() {
	local options prefix=$work/prefix name=$1 count=$2

	virtual_options "$count" "$3"
	shift 3
	if [ ! -d "$prefix" ]; then
		cp -r "$TOPOBIND_ROOT" "$prefix"
		cp "$TOPOBIND_BUILD/test/bench/.libs/job_submit_topobind_bench.so" \
			"$prefix"
		mkfifo "$work/ask" "$work/ask.out"
	fi
	TOPOBIND_BENCH=$work/ask start_cluster "$name" "${options[@]}" \
		--prefix "$prefix" --slurm JobSubmitPlugins=topobind_bench \
		--topobind "NodeName=n[1-$count] Topology=$("${big_node:-big_node}")" \
		--topobind 'PriorityFunction="SPEED + .01 * AMEM - 10 * JOBCOUNT"' "$@"
}

# A node of two sockets with four NUMA nodes each, of two L3 caches of eight cores.
gpu_node() {
	local cache=XCTTCTTCTTCTTCTTCTTCTTCTT socket i

	socket=S
	for ((i = 0; i < 4; i++)); do socket+=N$cache$cache; done
	echo "$socket$socket"
}

# The nodes get a GPU near each NUMA node, or near the first of them (gpus=4), which are
# sockets to Slurm: since 24.11 cores near a device must be whole ones.
give_virtual_gpus() {
	local conf=$work/$1/etc i gpus=${gpus:-8}

	mkdir -p "$work/gpu"
	for ((i = 0; i < gpus; i++)); do
		ln -sf /dev/null "$work/gpu/$i"
		echo "NodeName=n[1-$2] Name=gpu File=$work/gpu/$i" \
			"Cores=$((16 * i))-$((16 * i + 15))"
	done >"$conf/gres.conf"
	ln -sf ../gres.conf "$conf/virtual/gres.conf"
	sed -i -E "/^NodeName=n\[/s/Sockets=2 CoresPerSocket=64/Sockets=8 CoresPerSocket=16 Gres=gpu:$gpus/" \
		"$conf/slurm.conf" "$conf/virtual/slurm.conf"
}

# start_virtual_gpus NAME COUNT SCHEDULER - the same with GPUs
start_virtual_gpus() {
	local big_node=gpu_node

	start_virtual "$@" --slurm GresTypes=gpu \
		--slurm "PartitionName=implied Nodes=n[1-$2] DefaultTime=60 State=UP" \
		--topobind "PartitionName=implied Implicit=yes"
	"$cluster_program" daemon "$work/$1" slurmctld stop
	give_virtual_gpus "$1" "$2"
	TOPOBIND_BENCH=$work/ask "$cluster_program" daemon "$work/$1" \
		slurmctld start
	wait_until 60 answers "$1"
}

answers() {
	of "$1" scontrol show partition bench >/dev/null 2>&1
}

# start_virtual_plain NAME COUNT SCHEDULER [OPTION...] - without topobind
start_virtual_plain() {
	local options

	virtual_options "$2" "$3"
	start_cluster "$1" --plain "${options[@]}" "${@:4}"
}

# give_asker NAME - the plugin that asks, to a cluster that has started without it,
# perhaps without topobind, and a pair of FIFOs of its own: fifo=$work/ask-NAME
give_asker() {
	local fifo=$work/ask-$1 plugins=$work/$1/bench

	mkdir "$plugins"
	cp "$TOPOBIND_BUILD/test/bench/.libs/job_submit_topobind_bench.so" "$plugins"
	mkfifo "$fifo" "$fifo.out"
	"$cluster_program" daemon "$work/$1" slurmctld stop
	sed -i "s|^PluginDir=|&$(readlink "$work/$1")/bench:|" \
		"$work/$1/etc/slurm.conf"
	echo "JobSubmitPlugins=topobind_bench" >>"$work/$1/etc/slurm.conf"
	TOPOBIND_BENCH=$fifo "$cluster_program" daemon "$work/$1" slurmctld start
	wait_until 60 answers "$1"
}

# ask COMMAND - of slurmctld_bench.c, through the FIFO fifo [work/ask]; its answer
ask() {
	local line

	echo "$*" >"${fifo:-$work/ask}"
	while read -r line && [ "$line" != . ]; do
		[[ $line != '?'* ]] || die "$*: $line"
		echo "$line"
	done <"${fifo:-$work/ask}.out"
}

# submit NAME OPTION... - the number of the job
submit() {
	local name=$1

	shift
	of "$name" sbatch --parsable -o /dev/null "$@" --wrap 'sleep 1000' \
		2>/dev/null
}

# compile_client NAME - work/NAME, a client of libslurm
compile_client() {
	local slurm

	slurm=$(dirname "$(dirname "$(command -v slurmctld)")")
	gcc -O2 -Wall -Wextra -Werror -I"$slurm/include" -o "$work/$1" \
		"$bench_dir/$1.c" -L"$slurm/lib" -Wl,-rpath,"$slurm/lib" \
		-lslurm -pthread
}

# cpu_of_controller NAME - milliseconds of CPU of its slurmctld since it began
cpu_of_controller() {
	local pid

	pid=$("$cluster_program" daemon "$work/$1" slurmctld pid)
	awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, "")
		print ($12 + $13) * 1000 / hz }' "/proc/$pid/stat"
}

# some_nodes COUNT SEED - half of them, another half for each seed: how many, and which
some_nodes() {
	seq "$1" | awk -v seed="$2" 'BEGIN { srand(seed) }
		rand() < 0.5 || NR == 1 { list = list (list ? "," : "") $1; n++ }
		END { print n, "n[" list "]" }'
}

# Held jobs have no priority.
pending() {
	of "$1" squeue -h -t pending -o %Q | grep -cvx 0 || true
}

all_started() {
	[ "$(pending "$1")" -eq 0 ]
}

none_runs() {
	[ -z "$(of "$1" squeue -h -t running,configuring,completing)" ]
}

# Held jobs stay.
cancel_running() {
	of "$1" scancel -u "$(id -un)" --state=running
	wait_until 120 none_runs "$1"
}
