#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# os_cpus - lists of OS CPU numbers on nodes that number their CPUs differently
#
# All of these nodes but the last have 8 cores of two threads, which do not exist, and
# say how they number them; grants are threads by their position:
#
# cores    as Linux on most machines: first all first threads, then all second ones
# turn     the two caches in turn
# plain    the position is the number
# this     this machine: tasks run on it
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

string=NSXCTTCTTCTTCTTXCTTCTTCTTCTT

# numbers NODE - what its OS calls the threads, by position
numbers() {
	case $1 in
	"$NODE_CORES") echo 0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15 ;;
	"$NODE_TURN") echo 0,8,2,10,4,12,6,14,1,9,3,11,5,13,7,15 ;;
	"$NODE_PLAIN") seq -s, 0 15 ;;
	esac
}

# runs_of NODE - the same in its Extra field
runs_of() {
	case $1 in
	"$NODE_CORES") echo 0-15 ;;
	"$NODE_TURN") echo 0-6:2+1-7:2+8-14:2+9-15:2 ;;
	"$NODE_PLAIN") echo 0-14:2+1-15:2 ;;
	esac
}

token_is() {
	[ "$(node_token "$1" "$2")" = "$3" ]
}

has_published() {
	has_numbers "$1" && ! token_is "$1" m_topology \
		"$string"
}

restart_slurmd() {
	daemon "slurmd-$1" stop
	daemon "slurmd-$1" start
	wait_until 30 has_published "$1"
}

# tell NODE... - each says its own numbers
tell() {
	local node

	for node; do
		scontrol update NodeName="$node" \
			Extra="m_topology=$string m_oscpus=$(runs_of "$node")"
	done
}

# What slurmd publishes of a machine that hwloc is made to see.
case_published() {
	local node job

	for node in "$NODE_TURN" "$NODE_PLAIN"; do
		daemon "slurmd-$node" stop
		HWLOC_SYNTHETIC="pack:1 l3:2 core:4 pu:2(indexes=$(numbers "$node"))" \
			HWLOC_THISSYSTEM=1 daemon "slurmd-$node" start
	done
	wait_until 30 token_is "$NODE_PLAIN" m_oscpus "$(runs_of "$NODE_PLAIN")"
	wait_until 30 token_is "$NODE_TURN" m_oscpus "$(runs_of "$NODE_TURN")"
	assert token_is "$NODE_TURN" m_topology "$string"
	job=$(alloc -N1 -w "$NODE_TURN" --bcpus=os:1)
	assert_granted "$job" "$NODE_TURN" 8-9
	cancel "$job"
	for node in "$NODE_TURN" "$NODE_PLAIN"; do
		restart_slurmd "$node"
	done
	tell "$NODE_TURN" "$NODE_PLAIN"
}

# positions NODE LIST - of the cores of these OS CPUs, which a job owns
positions() {
	local list=$2

	numbers "$1" | tr , '\n' | awk -v list="$list" '
	BEGIN {
		count = split(list, items, ",")
		for (i = 1; i <= count; i++) {
			split(items[i], ends, "-")
			last = ends[2] == "" ? ends[1] : ends[2]
			for (n = ends[1] + 0; n <= last + 0; n++)
				wanted[n]
		}
	}
	$1 in wanted { cores[int((NR - 1) / 2)] }
	END {
		for (core in cores)
			print 2 * core "\n" 2 * core + 1
	}' | sort -n | as_list
}

waits_because() {
	scontrol show job "$1" | grep -F "waiting=$2" >/dev/null
}

case_positions() {
	local node list job

	for list in 0 0-3 8,1 0,15 6-9; do
		for node in "$NODE_CORES" "$NODE_TURN" "$NODE_PLAIN"; do
			job=$(alloc -N1 -w "$node" --bcpus="os:$list")
			assert_granted "$job" "$node" \
				"$(positions "$node" "$list")"
			cancel "$job"
		done
	done
	# One job on nodes that number differently.
	job=$(alloc -N2 -w "$NODE_CORES,$NODE_TURN" --topobind=bcpus=os:0+9)
	assert_eq "request" bcpus=os:0+9 "$(binding "$job")"
	assert_granted "$job" "$NODE_CORES" 0-3
	assert_granted "$job" "$NODE_TURN" 0-1,8-9
	assert [ -z "$(contradictions)" ]
}

# this_place LIST - the threads of this machine, by position
this_place() {
	lower_threads "$(topobind place --bcpus "os:$1" \
		--topology "$(node_token "$NODE_THIS" m_topology)" \
		--os-cpus "$(node_token "$NODE_THIS" m_oscpus)" |
		sed -n 's/^granted *//p')"
}

# What the kernel says, in a job of one CPU and in a step inside a larger one.
case_cpuset() {
	local allowed='s/^Cpus_allowed_list:[^0-9]*//p' cpus os job

	# The numbers of this machine's CPUs, a line each.
	cpus=$(sed -n 's/^processor[^0-9]*//p' /proc/cpuinfo)
	for os in $(head -n 2 <<<"$cpus"); do
		job=$(alloc -N1 -w "$NODE_THIS" --bcpus="os:$os")
		assert_granted "$job" "$NODE_THIS" "$(this_place "$os")"
		# shellcheck disable=SC2016
		assert_eq "CPU $os" "$os $os" "$(srun -Q --jobid="$job" sh -c \
			'echo $(sed -n "$1" /proc/self/status) $TOPOBIND_CPUS' \
			sh "$allowed")"
		cancel "$job"
	done
	job=$(alloc -N1 -w "$NODE_THIS" -n "$(wc -l <<<"$cpus")" --bunit=T \
		--bamount=1)
	assert_eq "a step of its own" "$os" "$(srun -Q --jobid="$job" -n1 \
		--bcpus="os:$os" sed -n "$allowed" /proc/self/status)"
}

case_waits_over_a_restart() {
	local holder job nodes="$NODE_CORES,$NODE_TURN"

	# The position of OS CPU 1 on cores, and on turn.
	holder=$(alloc -N1 -w "$NODE_CORES" --bcpus=2)
	alloc -N1 -w "$NODE_TURN" --bcpus=8 >/dev/null
	job=$(batch -N1 -x "$NODE_PLAIN,$NODE_THIS" --bcpus=os:1)
	wait_until 20 waits_because "$job" \
		"no node has CPUs os:1 free: 2 nodes have some of them in use"
	exits 0 "CPUs os:1" topobind explain "$job"
	save_state "$job"
	restart_slurmctld
	wait_until 60 nodes_answer
	assert is_pending "$job"
	assert token_is "$NODE_CORES" m_oscpus 0-15
	cancel "$holder"
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_CORES" 2-3
	assert_eq "nodes" "$NODE_CORES" "$(job_field "$job" NodeList)"
	exits 1 "not now" topobind plan -N2 -w "$nodes" --bcpus=os:1
}

case_plan() {
	local plan

	plan=$(topobind plan -N1 -w "$NODE_TURN" --bcpus=os:1,3 --json)
	assert_contains "the plan" NSXCTTCTTCTTCTTXcttcttCTTCTT "$plan"
	assert_eq "offline" NSXCTTCTTCTTCTTXCTtCTtCTTCTT "$(
		topobind place --topology "$string" --bcpus os:9,11 --os-cpus \
			"$(node_token "$NODE_TURN" m_oscpus)" |
			sed -n 's/^granted *//p')"
}

# Whoever has not told his numbers gets no such job, and the sentence says so.
case_unknown() {
	local holder job plan

	for node in "$NODE_TURN" "$NODE_PLAIN"; do
		scontrol update NodeName="$node" Extra="m_topology=$string"
		wait_until 30 token_is "$node" m_oscpus ''
	done
	refute sbatch -w "$NODE_TURN" --bcpus=os:0 --wrap true
	plan=$(topobind plan -w "$NODE_TURN" --bcpus=os:0 || true)
	assert_contains "the plan" "does not tell how its OS numbers its CPUs" \
		"$plan"
	holder=$(alloc -N1 -w "$NODE_CORES" --bcpus=0)
	job=$(batch -N1 -x "$NODE_THIS" --bcpus=os:0-1)
	wait_until 20 waits_because "$job" \
		"no node has CPUs os:0-1 free: 1 node has some of them in use, 2 nodes have unknown OS CPU numbers"
	# What they say is used at once.
	tell "$NODE_TURN"
	wait_until 60 runs "$job"
	assert_granted "$job" "$NODE_TURN" 0-1,8-9
	cancel "$job" "$holder"
	tell "$NODE_TURN" "$NODE_PLAIN"
}

# Whatever stands there, it is as if it were not known; other jobs run.
case_rubbish() {
	local text pids

	pids=$(daemon_pids)
	for text in 0 0-16 0-14:2 0-7+0-7 -1 0,1 os:0 \
		"$(head -c 60000 /dev/zero | tr '\0' 9)"; do
		scontrol update NodeName="$NODE_PLAIN" \
			Extra="m_topology=$string m_oscpus=$text"
		refute sbatch -w "$NODE_PLAIN" --bcpus=os:0 --wrap true
		cancel "$(alloc -N1 -w "$NODE_PLAIN" --bcpus=0)"
	done
	assert_eq daemons "$pids" "$(daemon_pids)"
	tell "$NODE_PLAIN"
}

# slurmctld has the topology of topobind.conf, and the machine's numbers from it.
case_configured() {
	local job os string

	string=$(node_token "$NODE_THIS" m_topology)
	echo "NodeName=$NODE_THIS Topology=$string" >>"$cluster/etc/topobind.conf"
	reconfigure
	daemon "slurmd-$NODE_THIS" stop
	scontrol update NodeName="$NODE_THIS" Extra="m_topology=$string"
	wait_until 30 token_is "$NODE_THIS" m_oscpus ''
	daemon "slurmd-$NODE_THIS" start
	wait_until 60 has_numbers "$NODE_THIS"
	wait_until 60 nodes_answer
	os=$(sed -n 's/^processor[^0-9]*//p' /proc/cpuinfo | head -n 1)
	job=$(alloc -N1 -w "$NODE_THIS" --bcpus="os:$os")
	assert_granted "$job" "$NODE_THIS" "$(this_place "$os")"
}

has_numbers() {
	[ -n "$(node_token "$1" m_oscpus)" ]
}

case_refused_at_the_client() {
	exits 1 "bcpus=os:3-1: list '3-1', column 1: the range ends" \
		sbatch --bcpus=os:3-1 --wrap true
	exits 1 "bunit=X does not go with bcpus=os:0" \
		sbatch --bcpus=os:0 --bunit=X --wrap true
	refute sbatch -w "$NODE_CORES" --bcpus=os:16 --wrap true
}

cluster_start --nodes this --machine "cores $string 1 8 2" \
	--machine "turn $string 1 8 2" --machine "plain $string 1 8 2"
# As in the files of the cluster, which topobind.conf would say for ever.
sed -i '/^NodeName=/d' "$cluster/etc/topobind.conf"
reconfigure
# What they publish of this machine comes first.
for node in "$NODE_CORES" "$NODE_TURN" "$NODE_PLAIN" "$NODE_THIS"; do
	restart_slurmd "$node"
done
tell "$NODE_CORES" "$NODE_TURN" "$NODE_PLAIN"
test_case "positions of OS numbers, by node" case_positions
test_case "what the kernel says" case_cpuset
test_case "what slurmd publishes" case_published
test_case "plan, and place offline" case_plan
test_case "a job that waits, over a restart" case_waits_over_a_restart
test_case "nodes that do not tell" case_unknown
test_case "rubbish" case_rubbish
test_case "what is refused" case_refused_at_the_client
test_case "with its topology in topobind.conf" case_configured
tests_done
