#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# memory_requests - a bound job has as much memory as Slurm gives to a plain job
# with the same CPUs, however it was asked for
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

quad=SNXCTTCTTXCTTCTTNXCTTCTTXCTTCTTSNXCTTCTTXCTTCTTNXCTTCTTXCTTCTT

# start PARAMETERS - of select/cons_tres
start() {
	local gpus="Name=gpu File=DEVICE[0-3]" node

	cluster_start --nodes this --machine "quad $quad 2 8 2" \
		--machine "same $quad 2 8 2" \
		--machine "thread NSXCTTCTTXCTTCTT 1 8 1" \
		--slurm GresTypes=gpu --slurm SelectTypeParameters="$1" \
		--slurm "PartitionName=bycpu Nodes=ALL DefMemPerCPU=130" \
		--slurm "PartitionName=bynode Nodes=ALL DefMemPerNode=5000" \
		--slurm "PartitionName=bygpu Nodes=ALL DefMemPerGPU=700" \
		--slurm "PartitionName=limit Nodes=ALL MaxMemPerCPU=100" \
		--slurm "PartitionName=limits Nodes=ALL MaxMemPerNode=3000"
	for node in "$NODE_QUAD" "$NODE_SAME" "$NODE_THREAD"; do
		give_gres "$node" gpu:4 "$gpus"
	done
	start_with_gres "$NODE_QUAD" "$NODE_SAME" "$NODE_THREAD"
}

# Jobs with these CPUs: nodes, how a bound one asks, how a plain one does.
shapes='
quad		-n1 --bunit=N			-n1 -c8
quad		-n2 --bunit=X			-n2 -c4
quad		-n2 -c2 --bunit=X		-n2 -c4
quad		-n2 --bunit=C			-n2 -c2
quad		-n3 --bunit=C --bamount=2	-n3 -c4
quad		-n1 --bunit=T			-n1
quad		-n4 --bunit=T			-n4
quad		-n2 --bunit=T --bamount=3	-n2 -c4
quad		-n1 --btype=host --bunit=X --bamount=2	-n1 -c8
quad		-n4 --btype=host --bunit=X --bamount=2	-n4 -c2
quad		-n3 --btype=host --bunit=X --bamount=2	-n1 -c8
quad		-n1 --bcpus=4-11		-n1 -c8
quad		-n2 --bamount=2 --threads-per-core=1	-n2 -c2 --threads-per-core=1
quad		-n2 --bunit=X --exclusive	-n2 -c4 --exclusive
thread		-n3 --bunit=T			-n3
thread		-n2 --bunit=C			-n2 -c2
thread		-n1 --bunit=X			-n1 -c4
quad,same	-N2 -n2 --bunit=X		-N2 -n2 -c4
quad,same	-N2 -n3 --bunit=N		-N2 -n3 -c8
quad,same	-N2 -n4 --btype=host --bunit=X	-N2 -n2 -c4
'

# Of these some, for what does not depend on CPUs or is much the same.
some='^-n2 --bunit=X$|bamount=3|^-N2 -n[34]'

# Slurm's names of nodes.
names() {
	local name list='' variable

	for name in ${1//,/ }; do
		variable=NODE_${name^^}
		list+=,${!variable}
	done
	echo "${list#,}"
}

# memory_of JOB - how many CPUs and how much memory on each node; in all; and
# what its nodes say
memory_of() {
	local node

	for node in $(scontrol show hostnames "$(job_field "$1" NodeList)"); do
		echo "$node: $(cpu_ids "$1" "$node" | count_list) CPUs," \
			"$(scontrol -d show job "$1" | sed -n -E \
				's/.*Nodes=([^ ]*) CPU_IDs=[^ ]* Mem=([^ ]*) .*/\1 \2/p' |
				while read -r list memory; do
					scontrol show hostnames "$list" |
						sed "s/\$/ $memory/"
				done | awk -v node="$node" '$1 == node { print $2 }') MB," \
			"in the node $(scontrol show node "$node" |
				sed -n 's/.*AllocMem=\([0-9]*\).*/\1/p') MB"
	done
	job_tres "$1" | sed -E 's/.*(cpu=[0-9]*,mem=[^,]*).*/\1/'
}

count_list() {
	expand_list "$(cat)" | wc -l
}

# What a job with these options has; it is over then.
memory_with() {
	local job

	job=$(alloc "$@") || return 1
	memory_of "$job"
	cancel "$job"
}

# same_memory BOUND PLAIN OPTION... - words for the two, and for both; in all
# shapes, or where the bound job asks for what $only is like
same_memory() {
	local for_bound=$1 for_plain=$2 nodes bound plain count=0 seen wanted

	shift 2
	while IFS=$'\t' read -r nodes bound plain; do
		[ -n "$nodes" ] || continue
		[[ -z ${only:-} || $bound =~ $only ]] || continue
		nodes=$(names "$nodes")
		[[ $nodes = *,* ]] || bound+=" -N1" plain+=" -N1"
		[[ $bound = *--b[uac]* && $bound != *--bamount* &&
			$bound != *--bcpus* ]] && bound+=" --bamount=1"
		echo "$bound $for_bound | $plain $for_plain | $*"
		# shellcheck disable=SC2086 # words
		wanted=$(memory_with -w "$nodes" $plain $for_plain "$@")
		# shellcheck disable=SC2086
		seen=$(memory_with -w "$nodes" $bound $for_bound "$@")
		assert_eq "memory with $bound $for_bound $*" "$wanted" "$seen"
		assert_contains "memory" "mem=" "$seen"
		count=$((count + 1))
	done < <(tr -s '\t' <<<"$shapes")
	[ "$count" -ge 3 ] || fail "only $count shapes"
}

refused() {
	refute within 30 sbatch -o /dev/null -w "$NODE_QUAD" -N1 "$@" \
		--wrap true
	assert no_jobs
}

# more LESS MORE - one kind of job has more memory than the other: it counts
more() {
	local first second

	# shellcheck disable=SC2086 # words
	first=$(memory_with -N1 -w "$NODE_QUAD" $1 | sed -n 's/.*, \([0-9]*\) MB,.*/\1/p')
	# shellcheck disable=SC2086
	second=$(memory_with -N1 -w "$NODE_QUAD" $2 | sed -n 's/.*, \([0-9]*\) MB,.*/\1/p')
	[ "$first" -lt "$second" ] || fail "$first MB with $1, $second MB with $2"
}

case_per_cpu() {
	same_memory '' '' --mem-per-cpu=110
	more "-n1 --bunit=C --bamount=1 --mem-per-cpu=110" \
		"-n1 --bunit=X --bamount=1 --mem-per-cpu=110"
}

case_default_per_cpu() {
	only=$some same_memory '' '' -p bycpu
}

# With more than MaxMemPerCPU a task has more CPUs, each with less: 250 is 84 for
# each of three, and these must be in the slot.
case_limit_per_cpu() {
	local with_350='^-n2.*X$|N$|host' with_700='^-n[134].*host'

	only='^(-N2 )?-n[0-9] --bunit=[XN]$' same_memory --mem-per-cpu=250 \
		--mem-per-cpu=84 -p limit
	refused -p limit -n1 --bunit=C --bamount=1 --mem-per-cpu=250
	# Here the node has to have seven CPUs of the job.  Slurm 24.11 gives a plain
	# one of -n4 -c2 four of them, and makes -n3 -c3 of -n3.
	if slurm_is_from 24.11; then
		with_350='^-n2.*X$|N$|^-n1.*host' with_700='^-n[14].*host|^-n1 .*N$'
	fi
	only=$with_350 same_memory '' '' -p limit --mem=350
	only=$with_700 same_memory '' '' -p limit --mem=700
	refused -p limit -n1 --bunit=X --bamount=1 --mem=700
}

case_per_node() {
	only="$some|-c|T$|exclusive" same_memory '' '' --mem=4000
	only=$some same_memory '' '' -p bynode
	only=$some same_memory '' '' -p limits --mem=2000
}

case_whole_memory() {
	only=$some same_memory '' '' --mem=0
}

case_per_gpu() {
	only="$some|host|T$" same_memory '' '' --gres=gpu:2 --mem-per-gpu=300
	only=$some same_memory '' '' --gres=gpu:1 -p bygpu
	only='^-n[23] --bunit=[XC]' same_memory '' '' --gpus-per-task=1 \
		--mem-per-gpu=300
	more "-n1 --bunit=C --bamount=1 --gres=gpu:1 --mem-per-gpu=300" \
		"-n1 --bunit=C --bamount=1 --gres=gpu:2 --mem-per-gpu=300"
}

# However it is put: the units are there, the memory is not.
waits_with_units() {
	[[ $(scontrol show job "$1") == *"waiting=units are free"*memory* ]]
}

# waits_for_memory OPTION... - until a job that has it is gone
waits_for_memory() {
	local holder job

	holder=$(alloc -w "$NODE_QUAD" -N1 -n1 --mem=999900)
	job=$(batch -w "$NODE_QUAD" -N1 -n2 --bunit=X --bamount=1 "$@")
	wait_until 20 waits_with_units "$job"
	assert is_pending "$job"
	cancel "$holder"
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_QUAD" 0-7
	refute waits_for "$job" ""
	cancel "$job"
}

case_waits_for_memory() {
	local all job

	waits_for_memory --mem=4000
	waits_for_memory --mem-per-cpu=200
	waits_for_memory --mem=0
	waits_for_memory --gpus-per-task=1 --mem-per-gpu=2000
	# Both are missing: the units are told.
	all=$(alloc -w "$NODE_QUAD" -N1 --bunit=S --bamount=2 --mem=999900)
	job=$(batch -w "$NODE_QUAD" -N1 -n2 --bunit=X --bamount=1 --mem=4000)
	wait_until 20 waits_for "$job" "no required node has 1 free X unit"
	cancel "$all"
}

# Memory that ends later than the units is waited for.
case_start_is_told() {
	alloc -w "$NODE_QUAD" -N1 -n1 -t 10 --mem=999900 >/dev/null
	alloc -w "$NODE_QUAD" -N1 -t 5 --bcpus=2-31 --mem=10 >/dev/null
	assert_told 9 20 -t 5 -w "$NODE_QUAD" -N1 --bunit=X --bamount=1 \
		--mem-per-cpu=1000
}

start CR_Core_Memory
test_case "--mem-per-cpu" case_per_cpu
test_case "DefMemPerCPU" case_default_per_cpu
test_case "MaxMemPerCPU" case_limit_per_cpu
test_case "--mem, DefMemPerNode, MaxMemPerNode" case_per_node
test_case "--mem=0" case_whole_memory
test_case "--mem-per-gpu, DefMemPerGPU" case_per_gpu
test_case "a job that waits for memory says so" case_waits_for_memory
test_case "--test-only waits for memory" case_start_is_told
cluster_stop
start CR_CPU_Memory
test_case "--mem-per-cpu, counted in CPUs" case_per_cpu
tests_done
