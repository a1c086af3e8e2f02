#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reshape - nodes whose topology becomes another one while jobs have their cores
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# What hwloc is made to see on a node is said when its slurmd starts, as one of
# its synthetic descriptions or the XML file of a machine.  The counts in
# slurm.conf stay what they are:
#
# cores    8 cores of two threads
# threads  16 threads
# kinds    20 threads
# large    128 cores
# this     the CPUs of this machine, on which tasks run
data=$top/test/data/topologies

two_caches='pack:1 l3:2 core:4 pu:2'
two_caches_string=NSXCTTCTTCTTCTTXCTTCTTCTTCTT
no_smt='pack:1 l3:2 core:4 pu:1'
no_smt_string=NSXCCCCXCCCC
four_caches='pack:1 l3:4 core:2 pu:2'
four_caches_string=NSXCTTCTTXCTTCTTXCTTCTTXCTTCTT

# becomes NODE MACHINE STRING - with the restart of its slurmd, as after a boot
becomes() {
	local file=

	[[ $2 != *.xml ]] || file=$data/$2
	daemon "slurmd-$1" stop
	if [ -n "$file" ]; then
		HWLOC_XMLFILE=$file HWLOC_THISSYSTEM=0 daemon "slurmd-$1" start
	else
		HWLOC_SYNTHETIC=$2 HWLOC_THISSYSTEM=1 daemon "slurmd-$1" start
	fi
	wait_until 20 publishes "$1" "$3"
}

publishes() {
	[ "$(node_token "$1" m_topology)" = "$2" ]
}

# shows NODE STRING - of what is in use
shows() {
	[ "$(node_token "$1" m_topology_inuse)" = "$2" ]
}

# assert_shown NODE STRING - from Slurm 26.05 on a thread writes it, a moment later
assert_shown() {
	! slurm_is_from 26.05 || wait_until 20 shows "$@"
	assert_eq "m_topology_inuse" "$2" "$(node_token "$1" m_topology_inuse)"
}

# Threads are switched off below a job that has a cache, and on again.
case_smt() {
	local node=$NODE_CORES job other

	becomes "$node" "$two_caches" "$two_caches_string"
	job=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$job" "$node" 0-7
	becomes "$node" "$no_smt" "$no_smt_string"
	assert_shown "$node" NSxccccXCCCC
	assert_eq "CPU_IDs" 0-7 "$(cpu_ids "$job" "$node")"
	other=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_eq "CPU_IDs" 8-15 "$(cpu_ids "$other" "$node")"
	assert_eq "grant" 4-7 "$(granted "$other" "$node")"
	assert_shown "$node" nsxccccxcccc
	refuses -w "$node" --bunit=C --bamount=1
	cancel "$job"
	assert_shown "$node" NSXCCCCxcccc
	job=$(alloc -w "$node" --bunit=C --bamount=1)
	assert_eq "CPU_IDs" 0-1 "$(cpu_ids "$job" "$node")"
	becomes "$node" "$two_caches" "$two_caches_string"
	assert_shown "$node" NSXcttCTTCTTCTTxcttcttcttctt
	refuses -w "$node" --bunit=X --bamount=1
	cancel "$other"
	other=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$other" "$node" 8-15
	cancel "$other" "$job"
	assert_shown "$node" "$two_caches_string"
}

# The units of a job are none any more: its cores are in use all the same.
case_other_caches() {
	local node=$NODE_CORES job other

	becomes "$node" "$four_caches" "$four_caches_string"
	job=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$job" "$node" 0-3
	becomes "$node" "$two_caches" "$two_caches_string"
	assert_shown "$node" NSXcttcttCTTCTTXCTTCTTCTTCTT
	other=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$other" "$node" 8-15
	refuses -w "$node" --bunit=X --bamount=1
	assert_granted "$(alloc -w "$node" --bunit=C --bamount=2)" "$node" 4-7
	refuses -w "$node" --bunit=C --bamount=1
	assert_no_contradictions
	"$@"
	assert_shown "$node" nsxcttcttcttcttxcttcttcttctt
	assert_granted "$job" "$node" 0-3
	cancel "$other"
	becomes "$node" "$four_caches" "$four_caches_string"
	assert_shown "$node" NSxcttcttxcttcttXCTTCTTXCTTCTT
	other=$(alloc -w "$node" --bunit=X --bamount=2)
	assert_granted "$other" "$node" 8-15
	cancel "$job"
	assert_shown "$node" NSXCTTCTTxcttcttxcttcttxcttctt
	assert_no_contradictions
}

# Where threads are counted there are fewer cores now than slurm.conf says, and
# threads: the string is shown, and what slurm.conf says is what counts.
case_no_usable_string() {
	local node=$NODE_THREADS job other

	becomes "$node" "$two_caches" "$two_caches_string"
	job=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$job" "$node" 0-7
	becomes "$node" "$no_smt" "$no_smt_string"
	assert_shown "$node" SccccccccCCCCCCCC
	refuses -w "$node" --bunit=S --bamount=1
	other=$(alloc -w "$node" --bunit=C --bamount=1)
	assert_granted "$other" "$node" 8
	assert_no_contradictions
	cancel "$job"
	assert_shown "$node" SCCCCCCCCcCCCCCCC
	becomes "$node" "$two_caches" "$two_caches_string"
	assert_shown "$node" NSXCTTCTTCTTCTTXCtTCTTCTTCTT
	job=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$job" "$node" 0-7
	assert_no_contradictions
}

# And where sixteen threads in caches of four become of eight.
case_counted_by_threads() {
	local node=$NODE_THREADS job other

	becomes "$node" "$four_caches" "$four_caches_string"
	job=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$job" "$node" 0-3
	becomes "$node" 'pack:1 l3:2 core:8 pu:1' NSXCCCCCCCCXCCCCCCCC
	assert_shown "$node" NSXccccCCCCXCCCCCCCC
	other=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$other" "$node" 8-15
	assert_no_contradictions
	cancel "$job"
	assert_shown "$node" NSXCCCCCCCCxcccccccc
}

# The cores of other kinds are others.
case_kinds() {
	local node=$NODE_KINDS job other raptor gb10

	raptor=$(topobind topology --xml "$data/Intel-RaptorLake-Corei7-1370P.xml" |
		sed -n 1p)
	gb10=$(topobind topology --xml "$data/nvidia-dgx-gb10.xml" | sed -n 1p)
	becomes "$node" Intel-RaptorLake-Corei7-1370P.xml "$raptor"
	job=$(alloc -w "$node" --bunit=EY --bamount=1)
	assert_granted "$job" "$node" 12-15
	becomes "$node" nvidia-dgx-gb10.xml "$gb10"
	assert_eq "in use" 12-15 "$(inuse "$node")"
	other=$(alloc -w "$node" --bunit=X --bamount=1)
	assert_granted "$other" "$node" 5-9
	refuses -w "$node" --bunit=X --bamount=2
	refuses -w "$node" --bunit=EX --bamount=2
	alloc -w "$node" --bunit=E --bamount=7 >/dev/null
	assert_eq "in use" 0-15 "$(inuse "$node")"
	refuses -w "$node" --bunit=E --bamount=1
	cancel "$job"
	assert_eq "in use" 0-11 "$(inuse "$node")"
	assert_granted "$(alloc -w "$node" --bunit=E --bamount=3)" "$node" 12-14
	assert_no_contradictions
}

# A node with distances becomes one without.
case_distances() {
	local node=$NODE_LARGE file=128arm-2pa2n8cluster4co.xml string

	string=$(topobind topology --xml "$data/$file" | sed -n 1p)
	becomes "$node" "$file" "$string"
	assert_eq m_distances "10,16,32,33;16,10,25,32;32,25,10,16;33,32,16,10" \
		"$(node_token "$node" m_distances)"
	becomes "$node" 'pack:2 core:64 pu:1' "$(
		topobind topology --synthetic 'pack:2 core:64 pu:1' | sed -n 1p)"
	assert_eq "m_distances" "" "$(node_token "$node" m_distances)"
	becomes "$node" "$file" "$string"
	assert_contains m_distances "10,16,32,33;" \
		"$(node_token "$node" m_distances)"
}

# New strings that are as long as the old ones are noticed, too.
case_equally_long() {
	local node=$NODE_CORES other=NSXCCCXCCCCC

	becomes "$node" "$no_smt" "$no_smt_string"
	for _ in {1..20}; do
		scontrol update NodeName="$node" \
			Extra="m_topology=$other m_topology_inuse=$no_smt_string"
		assert_shown "$node" "$other"
		scontrol update NodeName="$node" \
			Extra="m_topology=$no_smt_string m_topology_inuse=$other"
		assert_shown "$node" "$no_smt_string"
	done
}

# --- jobs that share, and jobs that wait ---------------------------------------

# A unit of the node as it was has the threads of another one now.
case_shared_units() {
	local node=$NODE_CORES first second

	becomes "$node" "$two_caches" "$two_caches_string"
	first=$(alloc -p shared -w "$node" --bunit=X --bamount=1)
	alloc -p shared -w "$node" --bunit=X --bamount=1 >/dev/null
	second=$(alloc -p shared -w "$node" --bunit=X --bamount=1)
	assert_granted "$first" "$node" 0-7
	assert_granted "$second" "$node" 0-7
	cancel $((first + 1)) "$second"
	becomes "$node" 'pack:1 l3:1 core:8 pu:1' NSXCCCCCCCC
	refuses -p shared -w "$node" --bunit=X --bamount=1
	second=$(alloc -p shared -w "$node" --bunit=C --bamount=4)
	assert_eq "CPU_IDs" 8-15 "$(cpu_ids "$second" "$node")"
	assert_eq "CPU_IDs" 8-9 "$(cpu_ids "$(alloc -p shared -w "$node" \
		--bunit=C --bamount=1)" "$node")"
	cancel "$first"
	assert_shown "$node" NSXCCCCcccc
}

# held OPTION... - an allocation that waits to be released; its id
held() {
	local before

	before=$(squeue -h -o %A | sort)
	salloc -Q --no-shell -H "$@" >/dev/null 2>&1 &
	wait_until 20 one_more "$before"
	squeue -h -o %A | sort | comm -13 <(echo "$before") -
}

one_more() {
	[ "$(squeue -h -o %A | sort)" != "$1" ]
}

case_waiting_jobs() {
	local node=$NODE_CORES two four

	becomes "$node" "$two_caches" "$two_caches_string"
	two=$(held -w "$node" --bunit=X --bamount=1 -c8)
	becomes "$node" "$four_caches" "$four_caches_string"
	four=$(held -w "$node" -N1 -n4 --bunit=X --bamount=1)
	scontrol release "$two"
	wait_until 30 reason_has "$two" BadConstraints
	becomes "$node" "$two_caches" "$two_caches_string"
	# Slurm puts it back twice a minute.
	wait_until 100 runs "$two"
	assert_granted "$two" "$node" 0-7
	cancel "$two"
	scontrol release "$four"
	wait_until 30 reason_has "$four" BadConstraints
	assert_contains "what it waits for" "only 2 of 4 slots" \
		"$(scontrol show job "$four" | grep SystemComment)"
	becomes "$node" "$four_caches" "$four_caches_string"
	wait_until 100 runs "$four"
	assert_granted "$four" "$node" 0-15
}

# --- tasks -----------------------------------------------------------------------

# A script that runs what is put into its directory.
# shellcheck disable=SC2016 # the script's variables
servant='
echo $$ >$0/pid
until [ -e $0/end ]; do
	if [ -e $0/command ]; then
		bash $0/command >$0/output 2>&1
		mv $0/command $0/done
	fi
	sleep 0.1
done'

# in_job COMMAND - its output, run by the servant
in_job() {
	rm -f "$work/done"
	echo "$1" >"$work/next"
	mv "$work/next" "$work/command"
	wait_until 60 test -e "$work/done"
	cat "$work/output"
}

servant_cpus() {
	allowed_cpus "$(cat "$work/pid")"
}

# shellcheck disable=SC2016 # the task's variables
tell='echo "$TOPOBIND_TOPOLOGY $(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" \
	/proc/self/status)"'

# The CPUs of this machine as two caches, then as one with two cores, then as one
# core with two threads, then as something that they are not.
case_running_job() {
	local node=$NODE_THIS job step

	step="srun -Q sh -c '$tell'"
	becomes "$node" 'pack:1 l3:2 core:1 pu:1' NSXCXC
	job=$(sbatch --parsable -o /dev/null -w "$node" --bunit=X --bamount=1 \
		--wrap "exec bash -c '$servant' $work")
	wait_until 30 test -s "$work/pid"
	assert_eq "CPUs of the script" 0 "$(servant_cpus)"
	assert_eq "a step" "NSxcXC 0" "$(in_job "$step")"

	becomes "$node" 'pack:1 l3:1 core:2 pu:1' NSXCC
	assert_eq "CPUs of the script" 0 "$(servant_cpus)"
	assert_shown "$node" NSXcC
	assert_contains "a step of what is no unit" "topology of this node has changed" \
		"$(in_job "$step")"
	assert_eq "without slots" "NSXcC 0" \
		"$(in_job "${step/-Q/-Q --bamount=0}")"
	assert_eq "with other units" "NSXcC 0" \
		"$(in_job "${step/-Q/-Q --bunit=C --bamount=1}")"
	refuses -w "$node" --bunit=X --bamount=1
	assert_eq "another job" "NSXCc 1" "$(srun -Q -w "$node" --bunit=C \
		--bamount=1 sh -c "$tell")"

	becomes "$node" 'pack:1 l3:1 core:1 pu:2' NSXCTT
	assert_eq "CPUs of the script" 0 "$(servant_cpus)"
	assert_shown "$node" NSXCtT
	assert_eq "with other units" "NSXCtT 0" \
		"$(in_job "${step/-Q/-Q --bunit=T --bamount=1}")"
	refuses -w "$node" --bunit=C --bamount=1

	becomes "$node" 'pack:1 l3:1 core:3 pu:1' NSXCCC
	assert_eq "CPUs of the script" 0 "$(servant_cpus)"
	assert_shown "$node" ScC

	becomes "$node" 'pack:1 l3:2 core:1 pu:1' NSXCXC
	assert_eq "a step of units again" "NSxcXC 0" "$(in_job "$step")"
	assert runs "$job"
	touch "$work/end"
	wait_until 30 is_over "$job"
	assert_eq "its state" COMPLETED "$(job_field "$job" JobState)"
	assert_shown "$node" NSXCXC
	wait_until 30 no_job_cgroups "$node"
}

# As in the files of the cluster, which topobind.conf would say for ever.
nodes_speak_for_themselves() {
	sed -i '/^NodeName=/d' "$cluster/etc/topobind.conf"
	reconfigure
}

cluster_start --nodes this --machine "cores $two_caches_string 1 8 2" \
	--machine "threads $two_caches_string 1 16 1" \
	--machine "kinds SCCCCCCCCCCCCCCCCCCCC 1 20 1" \
	--machine "large SC 2 64 1" \
	--slurm "PartitionName=shared Nodes=ALL OverSubscribe=FORCE:4 DefaultTime=10"
nodes_speak_for_themselves
note_slurmctld
test_case "threads are switched off and on" case_smt
test_case "caches of another size" case_other_caches true
test_case "and after a reconfigure" case_other_caches reconfigure
test_case "a string that does not fit the node" case_no_usable_string
test_case "a node counted by threads" case_counted_by_threads
test_case "cores of other kinds" case_kinds
test_case "distances come and go" case_distances
test_case "strings of one length" case_equally_long
test_case "units of before are not shared" case_shared_units
test_case "jobs that wait" case_waiting_jobs
test_case "tasks of a running job" case_running_job
test_case "slurmctld needed no restart" assert slurmctld_lives
test_case "caches of another size, after a restart" \
	case_other_caches restart_slurmctld
tests_done
