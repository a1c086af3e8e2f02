#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# numa_memory - the memory of NUMA nodes is consumed with the units of jobs with
# --bmem=local
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# local_job OPTION... - X units of node numa, with its memory only
local_job() {
	alloc -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 --bmem=local "$@"
}

local_refuses() {
	refuses -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 --bmem=local "$@"
}

# assert_has JOB LIST - logical CPUs, by the grant and by Slurm
assert_has() {
	assert_granted "$1" "$NODE_NUMA" "$2"
}

case_is_shown() {
	assert_eq "in Extra" 4096,4096 "$(node_token "$NODE_NUMA" m_memory)"
	assert_eq "unknown" '' "$(node_token "$NODE_BARE" m_memory)"
	assert_eq "unknown in use" '' "$(node_token "$NODE_BARE" m_memory_inuse)"
	assert memory_inuse_is 0000,0000
	local_job --mem=3000 >/dev/null
	alloc -w "$NODE_NUMA" -n1 -c6 --mem=600 >/dev/null
	assert memory_inuse_is 3200,0400
	scontrol update NodeName="$NODE_NUMA" Extra=rack=1
	# From Slurm 26.05 on the answer to a later question has it.
	wait_until 10 memory_inuse_is 3200,0400
}

memory_inuse_is() {
	[ "$(node_token "$NODE_NUMA" m_memory_inuse)" = "$1" ]
}

case_two_do_not_fit_on_one() {
	local first second third

	first=$(local_job --mem=3000)
	assert_has "$first" 0-1
	second=$(local_job --mem=3000)
	assert_has "$second" 4-5
	local_refuses --mem=1097
	third=$(local_job --mem=1096)
	assert_has "$third" 2-3
	cancel "$first"
	assert_has "$(local_job --mem=3000)" 0-1
}

case_says_why() {
	local waiting

	local_job --mem=3000 >/dev/null
	local_job --mem=2048 >/dev/null
	waiting=$(batch -p virtual -w "$NODE_NUMA" -n1 --bunit=X --bmem=local \
		--bamount=1 --mem=3G)
	wait_until 30 was_passed_over "$waiting"
	wait_until 30 waits_for "$waiting" \
		"no required node has 1 free X unit with 3 GB on its NUMA node: 1 node has 2 GB"
	assert_contains explain "too little memory free on NUMA nodes: a slot needs 3072 MB" \
		"$(topobind explain "$waiting")"
	assert_contains plan "too little memory free on NUMA nodes: a slot needs 3072 MB" \
		"$(topobind plan -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 --bmem=local --mem=3G || true)"
	assert_contains "plan for ever" "its NUMA nodes have too little memory: a slot needs 5120 MB" \
		"$(topobind plan -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 --bmem=local --mem=5G || true)"
	assert_eq nodes "1096/4096,2048/4096" \
		"$(topobind nodes -h -n "$NODE_NUMA" -O memory)"
	assert_eq "nodes in JSON" '[{"total":4096,"free":1096},{"total":4096,"free":2048}]' \
		"$(topobind nodes --json "$NODE_NUMA" | jq -c '.nodes[].numa_memory')"
	scancel --state=running --me
	wait_until 60 runs "$waiting"
}

# Free huge pages are told by the node; what makes no sense is left out.
case_huge_pages() {
	local memory=4096/4096

	scontrol update NodeName="$NODE_NUMA" Extra="rack=1 m_hugepages=512,0"
	wait_until 10 memory_inuse_is 0000,0000
	assert_eq nodes "$memory (512 huge),$memory (0 huge)" \
		"$(topobind nodes -h -n "$NODE_NUMA" -O memory)"
	assert_eq "nodes in JSON" "[512,0]" "$(topobind nodes --json \
		"$NODE_NUMA" | jq -c '[.nodes[].numa_memory[].free_hugepages]')"
	assert_eq metrics 512 "$(numa_metric free_hugepages_bytes)"
	topobind map --json "$NODE_NUMA" >"$work/map"
	assert_contains map "$memory (512 huge),$memory (0 huge)" \
		"$(topobind map --from "$work/map")"
	reconfigure
	assert_eq "after a reconfigure" 512,0 \
		"$(node_token "$NODE_NUMA" m_hugepages)"
	scontrol update NodeName="$NODE_NUMA" Extra="m_hugepages=1,2,3"
	wait_until 10 memory_inuse_is 0000,0000
	assert_eq "of another node" "$memory,$memory" \
		"$(topobind nodes -h -n "$NODE_NUMA" -O memory)"
	scontrol update NodeName="$NODE_NUMA" Extra=m_hugepages=-1,x
	wait_until 10 memory_inuse_is 0000,0000
	assert_eq "no numbers" "$memory,$memory" \
		"$(topobind nodes -h -n "$NODE_NUMA" -O memory)"
	scontrol update NodeName="$NODE_NUMA" Extra=
}

# numa_metric NAME - of all nodes, in MB
numa_metric() {
	topobind metrics | awk -v name="topobind_numa_memory_$1" '
		$1 == name "{partition=\"virtual\"}" {
			printf "%.0f\n", $2 / 1048576
		}' | grep .
}

# By whatever is asked; from JSON a map is drawn as by Slurm.
case_is_shown_by_others() {
	local jobs=() free

	free=$(numa_metric free_bytes)
	jobs+=("$(local_job --mem=3000)" "$(local_job --mem=2048)")
	assert_eq "memory of numa and same" 16384 "$(numa_metric bytes)"
	assert_eq "free before" 16384 "$free"
	assert_eq "free" $((16384 - 5048)) "$(numa_metric free_bytes)"
	assert_eq "largest" 4096 "$(numa_metric largest_free_bytes)"
	topobind map --json "$NODE_NUMA" "$NODE_BARE" >"$work/map"
	assert_eq "map in JSON" '[null,[{"total":4096,"free":1096},{"total":4096,"free":2048}]]' \
		"$(jq -c '[.nodes[].numa_memory]' "$work/map")"
	topobind map "$NODE_NUMA" "$NODE_BARE" >"$work/map.txt"
	assert_eq map "4 of 8 cores in use, MB free on NUMA nodes: 1096/4096,2048/4096" \
		"$(sed -n "s/^$NODE_NUMA: //p" "$work/map.txt")"
	assert_eq "map without" "0 of 8 cores in use" \
		"$(sed -n "s/^$NODE_BARE: //p" "$work/map.txt")"
	assert_eq "map from JSON" "$(grep "^$NODE_NUMA" "$work/map.txt")" \
		"$(topobind map --from "$work/map" | grep "^$NODE_NUMA")"
	exits 2 "the numa_memory of node $NODE_NUMA must be an array" \
		topobind map --from - <<<"$(jq '.nodes[1].numa_memory[1].free = 5000' "$work/map")"
	scontrol update NodeName="$NODE_SAME" State=DRAIN Reason=test
	assert_eq "in service" 8192 "$(numa_metric bytes)"
	scontrol update NodeName="$NODE_SAME" State=RESUME
	wait_until 60 nodes_answer
	cancel "${jobs[0]}"
	assert_eq "free then" $((16384 - 2048)) "$(numa_metric free_bytes)"
}

# More than a NUMA node has is refused at submission, as units that no node has.
case_never() {
	exits 1 "Requested node configuration is not available" \
		sbatch -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 --bmem=local \
		--mem=4097 --wrap true
	local_job --mem=4096 >/dev/null
	alloc -w "$NODE_SAME" -n1 --bunit=N --bamount=2 --bmem=local \
		--mem=8192 >/dev/null
	exits 1 "Requested node configuration is not available" \
		sbatch -w "$NODE_NUMA" -n2 --bunit=N --bamount=1 --bmem=local \
		--mem=8194 --wrap true
	# Where it is not known, it is not counted.
	alloc -w "$NODE_BARE" -n1 --bunit=X --bamount=1 --bmem=local \
		--mem=9000 >/dev/null
	alloc -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 --bmem=local+hbm \
		--mem=9000 >/dev/null
}

case_by_cpu() {
	local job

	job=$(alloc -w "$NODE_NUMA" -n4 --bunit=C --bamount=1 --bmem=local \
		--mem-per-cpu=1500)
	assert_has "$job" 0-1,4-5
	refuses -w "$NODE_NUMA" -n1 --bunit=C --bamount=1 --bmem=local \
		--mem-per-cpu=1500
	job=$(alloc -w "$NODE_NUMA" -n2 --bunit=C --bamount=1 --bmem=local \
		--mem-per-cpu=1000)
	assert_has "$job" 2,6
}

# DefMemPerCPU of a partition.
case_by_default() {
	local job

	job=$(alloc -p dear -w "$NODE_NUMA" -n2 --bunit=C --bamount=1 \
		--bmem=local)
	assert_has "$job" 0,4
}

# Divided over its NUMA nodes by its CPUs: no more cores of the first than memory.
case_host() {
	local job

	local_job --mem=3000 >/dev/null
	job=$(alloc -w "$NODE_NUMA" -n1 --btype=host --bunit=C --bamount=5 \
		--bmem=local --mem=5000)
	assert_has "$job" 2,4-7
}

# Near some cores, on the one node, or none.
case_by_gpu() {
	local node job

	for node in "$NODE_SAME" "$NODE_NUMA"; do
		job=$(alloc -w "$node" -n1 --gpus-per-node=1 --mem-per-gpu=3000 \
			--bunit=X --bamount=1 --bmem=local)
		assert_granted "$job" "$node" 0-1
		job=$(alloc -w "$node" -n1 --gpus-per-task=1 --mem-per-gpu=1500 \
			--bunit=X --bamount=1 --bmem=local)
		assert_granted "$job" "$node" 4-5
	done
	local_refuses --gpus=2 --mem-per-gpu=1400
	local_job --gpus=2 --mem-per-gpu=1200 >/dev/null
}

case_several_nodes() {
	local job

	local_job --mem=3000 >/dev/null
	job=$(alloc -N2 -w "$NODE_NUMA,$NODE_SAME" -n2 --bunit=X --bamount=1 \
		--bmem=local --mem=2000)
	assert_granted "$job" "$NODE_NUMA" 4-5
	assert_granted "$job" "$NODE_SAME" 0-1
}

# --- other jobs -------------------------------------------------------------

plain() {
	alloc -w "$NODE_NUMA" --mem="$1" "${@:2}"
}

case_plain_jobs() {
	plain 4000 -n1 -c2 >/dev/null
	assert_has "$(local_job --mem=1000)" 4-5
	local_refuses --mem=3097
	# By the binding: none and prefer are counted where they run, too.
	alloc -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 --bmem=prefer \
		--mem=90 >/dev/null
	local_refuses --mem=3097
	assert_has "$(local_job --mem=3096)" 6-7
}

# What is more than its own NUMA node has lies on the other.
case_spilt() {
	plain 6000 -n1 -c1 >/dev/null
	local_refuses --mem=2193
	assert_has "$(local_job --mem=2192)" 4-5
}

case_count_local() {
	reconfigure_with CountMemory=local
	plain 4000 -n1 -c2 >/dev/null
	assert_has "$(local_job --mem=3000)" 2-3
	assert_has "$(local_job --mem=3000)" 4-5
	local_refuses --mem=1097
}

case_count_none() {
	reconfigure_with CountMemory=none
	assert_has "$(local_job --mem=4000)" 0-1
	assert_has "$(local_job --mem=9000)" 2-3
}

case_count_wrong() {
	reconfigure_refused_with CountMemory=some
}

case_as_it_was() {
	conf_with
	reconfigure
	local_job --mem=4000 >/dev/null
	assert_has "$(local_job --mem=4000)" 4-5
}

# --- when -------------------------------------------------------------------

case_when() {
	local_job --mem=3000 -t 10 >/dev/null
	local_job --mem=3000 -t 20 >/dev/null
	assert_told 9 11 -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 \
		--bmem=local --mem=2000
	assert_told 19 21 -w "$NODE_NUMA" -n2 --bunit=X --bamount=1 \
		--bmem=local --mem-per-cpu=2000
	assert_told 0 0 -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 \
		--bmem=local --mem=1000
}

# Units are free, and the memory of one of two NUMA nodes must become free.
case_preempted() {
	local jobs job urgent left=0

	jobs=("$(local_job --mem=3000)" "$(local_job --mem=3000)")
	urgent=$(batch -p urgent -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 \
		--bmem=local --mem=1000)
	wait_until 60 runs "$urgent"
	for job in "${jobs[@]}"; do
		runs "$job" || fail "job $job had to go for nothing"
	done
	cancel "$urgent"
	urgent=$(batch -p urgent -w "$NODE_NUMA" -n1 --bunit=X --bamount=1 \
		--bmem=local --mem=2000)
	wait_until 60 runs "$urgent"
	for job in "${jobs[@]}"; do
		! runs "$job" || left=$((left + 1))
	done
	assert_eq "jobs that were left" 1 "$left"
}

# --- what happens to jobs and daemons ----------------------------------------

case_restart() {
	local job

	job=$(local_job --mem=3000)
	local_job --mem=3000 >/dev/null
	save_state "$job"
	restart_slurmctld
	wait_until 60 nodes_answer
	local_refuses --mem=1097
	cancel "$job"
	assert_has "$(local_job --mem=3000)" 0-1
}

case_reconfigured() {
	local_job --mem=3000 >/dev/null
	local_job --mem=3000 >/dev/null
	reconfigure
	local_refuses --mem=1097
}

# It gives its cores back, but its memory is still there.
case_suspended() {
	local job

	job=$(local_job --mem=3000)
	scontrol suspend "$job"
	assert memory_inuse_is 3000,0000
	assert_has "$(local_job --mem=2000)" 4-5
	local_refuses --mem=2097
	scontrol resume "$job"
	local_refuses --mem=2097
	cancel "$job"
	local_job --mem=2097 >/dev/null
}

case_suspended_and_restarted() {
	local job

	job=$(local_job --mem=3000)
	scontrol suspend "$job"
	save_state "$job"
	restart_slurmctld
	wait_until 60 nodes_answer
	local_job --mem=3000 >/dev/null
	local_refuses --mem=1097
	cancel "$job"
	wait_until 30 memory_inuse_is 0000,3000
	assert_has "$(local_job --mem=3000)" 0-1
}

case_requeued() {
	local job

	job=$(batch -w "$NODE_NUMA" -n1 --bunit=X \
		--bamount=1 --bmem=local --mem=4000 --requeue)
	wait_until 60 runs "$job"
	requeue_held "$job"
	assert_has "$(local_job --mem=4000)" 0-1
}

case_steps() {
	local output

	# shellcheck disable=SC2016 # the task's variable
	output=$(salloc -Q -w "$NODE_NUMA" -n2 --bunit=X --bamount=1 \
		--bmem=local --mem=8000 \
		srun -Q -n2 sh -c 'echo "$TOPOBIND_MEMS"' | sort)
	assert_eq "of each task" $'0\n1' "$output"
}

# --- anything ---------------------------------------------------------------

# What jobs with bmem=local have of each NUMA node, by Slurm's own books: their
# memory by their CPUs.
too_full() {
	scontrol -d show job | awk '
	/^JobId=/ { job = $1; is_local = runs = 0 }
	/JobState=RUNNING/ { runs = 1 }
	/binding=.*bmem=local/ { is_local = 1 }
	/ CPU_IDs=/ {
		match($0, /CPU_IDs=[^ ]*/)
		list = substr($0, RSTART + 8, RLENGTH - 8)
		match($0, /Mem=[0-9]*/)
		memory = substr($0, RSTART + 4, RLENGTH - 4)
		parts = split(list, part, ",")
		all = here[0] = here[1] = 0
		for (i = 1; i <= parts; i++) {
			split(part[i], range, "-")
			last = range[2] == "" ? range[1] : range[2]
			for (cpu = range[1]; cpu <= last; cpu++) {
				here[cpu >= 4]++
				all++
			}
		}
		share[job, 0] = memory * here[0] / all
		share[job, 1] = memory * here[1] / all
		seen[job]
	}
	# The binding comes after the nodes.
	/binding=.*bmem=local/ && runs && job in seen {
		sum[0] += share[job, 0]
		sum[1] += share[job, 1]
	}
	END {
		for (i = 0; i < 2; i++)
			if (sum[i] > 4096)
				print "NUMA node", i, "has", sum[i]
		print int(sum[0] + sum[1]) > "/dev/stderr"
	}'
}

# From Slurm 26.05 on a running job can give memory back.
case_given_back() {
	local first waiting

	first=$(local_job --mem=3000)
	local_job --mem=3000 >/dev/null
	waiting=$(batch -w "$NODE_NUMA" -n1 --bunit=X --bmem=local --bamount=1 \
		--mem=2500)
	wait_until 30 was_passed_over "$waiting"
	scontrol update JobId="$first" MinMemoryNode=1500
	wait_until 60 runs "$waiting"
	assert_has "$waiting" 2-3
	wait_until 20 memory_inuse_is 4000,3000
	cancel "$waiting"
	wait_until 20 memory_inuse_is 1500,3000
	cancel "$first"
	wait_until 20 memory_inuse_is 0000,3000
}

# Until nothing more fits, several times.
case_anything() {
	local unit seen filled=0

	RANDOM=${TOPOBIND_SEED:-1}
	for _ in {1..4}; do
		for unit in C X C X C N C X C; do
			salloc -Q --immediate --no-shell -w "$NODE_NUMA" -N1 \
				-n$((RANDOM % 2 + 1)) --bunit="$unit" \
				--bamount=1 --bmem=local \
				--mem=$((RANDOM % 2500 + 100)) || true
		done
		seen=$(too_full 2>"$work/filled")
		[ -z "$seen" ] || fail "$seen"
		filled=$((filled + $(cat "$work/filled")))
		scancel --me
		wait_until 60 no_jobs
	done
	echo "$filled"
	assert [ "$filled" -gt 20000 ]
}

# Where a running job can give memory back, it needs the step that this makes.
contain=()
! slurm_is_from 26.05 || contain=(--slurm PrologFlags=Contain)

cluster_start --nodes this "${contain[@]}" \
	--machine "numa SNXCCXCCNXCCXCC 1 8 1 - 4096,4096" \
	--machine "same SNXCCXCCNXCCXCC 1 8 1 - 4096,4096" \
	--machine "bare SNXCCXCCNXCCXCC 1 8 1" \
	--slurm GresTypes=gpu \
	--slurm PreemptMode=REQUEUE --slurm PreemptType=preempt/partition_prio \
	--slurm "PartitionName=dear Nodes=ALL DefMemPerCPU=2100" \
	--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10"
give_gres "$NODE_NUMA" gpu:4 "Name=gpu File=DEVICE[0-3]"
give_gres "$NODE_SAME" gpu:4 "Name=gpu File=DEVICE[0-3] Cores=0-7"
start_with_gres "$NODE_NUMA" "$NODE_SAME"
for case in is_shown two_do_not_fit_on_one says_why is_shown_by_others huge_pages \
	never by_cpu by_default host by_gpu several_nodes plain_jobs spilt count_local count_none \
	count_wrong as_it_was when preempted restart reconfigured suspended \
	suspended_and_restarted requeued steps given_back anything; do
	[ "$case" != given_back ] || slurm_is_from 26.05 || continue
	test_case "${case//_/ }" "case_$case"
done
tests_done
