#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# combinations - Slurm's own options together with a binding
#
# Each row of the table in topobind_combinations(7) has a test
# here, which runs the example that the row has; and the other way round.
#
# Nodes in Slurm's order: raptor, skylake, this, zen.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# --- the table --------------------------------------------------------------

manual=$top/doc/topobind_combinations.7

# Its rows as "option<TAB>works or refused<TAB>example".
rows_of_manual() {
	sed -n '/^\.TS/,/^\.TE/p' "$manual" | sed 's/\\-/-/g; s/\\://g' |
		awk '
		/^-.*\|T\{$/ { option = substr($0, 1, index($0, "|") - 1) }
		sub(/^\\fB/, "") { verdict = substr($1, 1, index($1, ":") - 1) }
		example { print option "\t" verdict "\t" $0; example = 0 }
		/^T\}\|T\{$/ { example = 1 }'
}

tested=''

# row OPTION works|refused CASE - test it, with the words of its example
row() {
	local option=$1 verdict=$2 case=$3 line words

	tested+=$option$'\n'
	line=$(rows_of_manual | awk -F '\t' -v option="$option" '$1 == option')
	# The manual's words for names of nodes.
	[[ $line != *NODE* ]] || line=${line//NODES/$NODE_ZEN,$NODE_SKYLAKE}
	[[ $line != *NODE* ]] || line=${line//NODE/$NODE_ZEN}
	read -r -a words <<<"${line##*$'\t'}"
	test_case "$option" case_row "$option" "$verdict" "$line" "$case" \
		"${words[@]}"
}

# row_from RELEASE ROW... - of an option that no release before has
row_from() {
	if slurm_is_from "$1"; then
		row "${@:2}"
	else
		tested+=$2$'\n'
	fi
}

case_row() {
	local option=$1 verdict=$2 line=$3 case=$4

	shift 4
	assert_eq "row of the manual, without its example" \
		"$option"$'\t'"$verdict" "${line%$'\t'*}"
	"$case" "$@"
}

case_table_is_tested() {
	assert_eq "rows of the manual" "$(sort <<<"${tested%$'\n'}")" \
		"$(rows_of_manual | cut -f 1 | sort)"
}

# --- what a job has ---------------------------------------------------------

# bound OPTION... - its id in $job; a core for each task where nothing is said
bound() {
	case " $* " in
	*" --bamount="* | *" --bcpus="*) ;;
	*) set -- "$@" --bamount=1 ;;
	esac
	job=$(alloc "$@")
	assert_no_contradictions
}

# on_zen OPTION... - the same on zen, whose cores have two threads
on_zen() {
	bound -w "$NODE_ZEN" "$@"
}

# A step with all tasks of a job: "task CPUs", sorted.  bound_tasks OPTION...
bound_tasks() {
	case " $* " in
	*" --bamount="*) ;;
	*) set -- "$@" --bamount=1 ;;
	esac
	# shellcheck disable=SC2016 # the task's variables
	srun -Q "$@" sh -c 'echo "$SLURM_PROCID $TOPOBIND_CPUS"' | sort -n
}

# The CPUs that a task on this machine may use.
held_cpus() {
	srun -Q -w "$NODE_THIS" -n1 --bamount=1 "$@" \
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
}

nodes_of() {
	scontrol show hostnames "$(job_field "$1" NodeList)" | paste -sd' '
}

# How many of the node's threads are granted.
threads_on() {
	granted "$1" "$2" | tr ',' '\n' |
		awk -F- 'NF { n += $NF - $1 + 1 } END { print n + 0 }'
}

memory_on() {
	scontrol -d show job "$1" |
		sed -n "s/^ *Nodes=$2 .* Mem=\([0-9]*\).*/\1/p"
}

# refused PART COMMAND... - fails with PART in its message and leaves no job
refused() {
	local part=$1 output

	shift
	if output=$("$@" 2>&1); then
		fail "accepted: $*"
	fi
	echo "$output"
	assert_contains message "$part" "$output"
	# That of an salloc around a refused srun needs a moment to end.
	wait_until 20 no_jobs
}

not_available() {
	refused "node configuration is not available" within 30 sbatch \
		-o /dev/null "$@" --wrap true
}

# By all three, with a sentence of ours that names option and value.
case_refused() {
	local option=${*: -1}

	refused "topobind: $option " sbatch -o /dev/null --bamount=1 "$@" --wrap true
	refused "topobind: $option " srun -Q --bamount=1 "$@" true
	refused "topobind: $option " salloc -Q --bamount=1 "$@" true
}

# --- tasks and CPUs ---------------------------------------------------------

case_cpus_per_task() {
	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-3
	cancel "$job"
	not_available -w "$NODE_ZEN" --bamount=1 -n2 -c3
}

case_tasks() {
	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-5
	cancel "$job"
	# What a job is told: its own numbers, and all CPUs of its units.
	# shellcheck disable=SC2016 # the job's variables
	assert_eq "SLURM_NTASKS and the like" "3 2 18 3" "$(salloc -Q \
		-w "$NODE_ZEN" "$@" -c2 --bunit=X --bamount=1 sh -c \
		'echo "$SLURM_NTASKS $SLURM_CPUS_PER_TASK $SLURM_JOB_CPUS_PER_NODE $SLURM_TASKS_PER_NODE"')"
}

case_nodes() {
	bound -w "$NODE_ZEN,$NODE_SKYLAKE" "$@"
	assert_granted "$job" "$NODE_SKYLAKE" 0-3
	assert_granted "$job" "$NODE_ZEN" 0-1
	cancel "$job"
	# A range: as many as are there and needed.
	bound -w "$NODE_ZEN,$NODE_SKYLAKE" -N1-2 -n4
	assert_granted "$job" "$NODE_SKYLAKE" 0-3
	assert_granted "$job" "$NODE_ZEN" 0-3
}

case_tasks_per_node() {
	bound -w "$NODE_ZEN,$NODE_SKYLAKE" "$@"
	assert_granted "$job" "$NODE_SKYLAKE" 0-3
	assert_granted "$job" "$NODE_ZEN" 0-3
}

case_tasks_per_core() {
	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-3
	cancel "$job"
	refused "topobind: --ntasks-per-core=1 " sbatch -o /dev/null "$@" --bunit=T \
		--bamount=1 --wrap true
	refused "topobind: --ntasks-per-core=1 " sbatch -o /dev/null "$@" --btype=host \
		--bamount=1 --wrap true
	refused "topobind: --ntasks-per-core=1 " sbatch -o /dev/null "$@" --bcpus=0 --wrap true
}

# --- layouts of nodes, threads ----------------------------------------------

case_sockets() {
	bound "$@"
	assert_contains "nodes with two sockets" " $(job_field "$job" NodeList) " \
		" $NODE_SKYLAKE $NODE_ZEN "
	assert_eq "threads of a core" 2 \
		"$(threads_on "$job" "$(job_field "$job" NodeList)")"
	cancel "$job"
	not_available --bamount=1 --sockets-per-node=3
}

case_cores() {
	# raptor has 20 in its socket, skylake 18.
	bound "$@"
	assert_granted "$job" "$NODE_ZEN" 0-1
	cancel "$job"
	not_available --bamount=1 --cores-per-socket=25
}

case_layout() {
	on_zen -n2 "$@"
	assert_granted "$job" "$NODE_ZEN" 0-3
	cancel "$job"
	assert_eq "one thread of each core" "0 0
1 2" "$(bound_tasks -w "$NODE_ZEN" -n2 "$@")"
	refused "topobind: --extra-node-info=2:24:1 " sbatch -o /dev/null "$@" --bunit=T \
		--bamount=1 --wrap true
	not_available -w "$NODE_SKYLAKE" -n1 --bamount=1 "$@"
}

# One thread of each core that a task owns, on both kinds of nodes; -c counts
# such threads.  one_thread WORD...
one_thread() {
	on_zen -n2 "$@"
	assert_granted "$job" "$NODE_ZEN" 0-3
	cancel "$job"
	assert_eq "one thread of each core" "0 0
1 2" "$(bound_tasks -w "$NODE_ZEN" -n2 "$@")"
	assert_eq "one of each core of a cache" "0 0,2,4
1 6,8,10" "$(bound_tasks -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 "$@")"
	assert_eq "where Slurm counts threads" "0 0
1 2" "$(bound_tasks -w "$NODE_RAPTOR" -n2 "$@")"
	not_available -w "$NODE_ZEN" --bamount=1 -n1 -c2 "$@"
	refused "topobind: ${*: -1} " sbatch -o /dev/null "$@" --bunit=T --bamount=1 --wrap true
	refused "topobind: ${*: -1} " sbatch -o /dev/null "$@" --bcpus=0-1 --wrap true
}

case_threads_per_core() {
	one_thread "$@"
	case_thread_of_step "${*: -1}"
}

case_hint_of_one_thread() {
	one_thread "$@"
	case_thread_of_step "$@"
}

# A step may say so for itself.
case_thread_of_step() {
	local output

	# shellcheck disable=SC2016
	output=$(salloc -Q -w "$NODE_ZEN" -n2 --bamount=1 srun -Q "$@" \
		sh -c 'echo "$SLURM_PROCID $TOPOBIND_CPUS"' | sort -n)
	assert_eq "a step's threads" "0 0
1 2" "$output"
	refused "topobind: $* " salloc -Q -w "$NODE_ZEN" -n1 --bunit=T \
		--bamount=1 srun -Q "$@" true
}

case_hint_of_all_threads() {
	assert_eq "all threads of each core" "0 0-1
1 2-3" "$(bound_tasks -w "$NODE_ZEN" -n2 "$@")"
}

case_refused_to_steps_too() {
	case_refused "$@"
	refused "topobind: ${*: -1} " salloc -Q -w "$NODE_ZEN" -n2 --bamount=1 \
		srun -Q "${*: -1}" true
	# A step of its own request, in a plain job.
	refused "topobind: ${*: -1} " salloc -Q -w "$NODE_ZEN" -n2 \
		srun -Q --bamount=1 "${*: -1}" true
}

# --- sharing ----------------------------------------------------------------

case_exclusive() {
	local output

	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-95
	cancel "$job"
	# shellcheck disable=SC2016 # the task's variables
	output=$(salloc -Q -w "$NODE_ZEN" --bunit=X --bamount=1 "$@" srun -Q \
		sh -c 'echo "$SLURM_PROCID $TOPOBIND_CPUS"' | sort -n)
	assert_eq "slots in it" "0 0-5
1 6-11" "$output"
	assert_eq "scattered slots in it" "0 0-5
1 48-53" "$(bound_tasks -w "$NODE_ZEN" --bunit=X --bstrategy=scatter "$@")"
	assert_eq "slots in it, but not on the first core" "0 2-3
1 4-5" "$(bound_tasks -w "$NODE_ZEN" --bfilter=first_core "$@")"
	refused "topobind: --exclusive makes" sbatch -o /dev/null "$@" \
		--btype=host --bamount=1 --wrap true
	refused "topobind: --exclusive makes" sbatch -o /dev/null "$@" \
		--bstart=S --bamount=1 --wrap true
}

case_exclusive_user() {
	local other

	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-1
	other=$(alloc -w "$NODE_ZEN" --bamount=1)
	assert_granted "$other" "$NODE_ZEN" 2-3
	other=$(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups \
		sbatch --parsable -w "$NODE_ZEN" --bamount=1 -o /dev/null \
		--wrap 'sleep 600')
	wait_until 20 was_passed_over "$other"
}

case_oversubscribe() {
	local other

	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-1
	other=$(alloc -w "$NODE_ZEN" --bamount=1 "$@")
	assert_granted "$other" "$NODE_ZEN" 2-3
	assert_no_contradictions
}

case_overcommit() {
	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-1
	cancel "$job"
	assert_eq "one slot for all" "0 0-1
1 0-1
2 0-1" "$(bound_tasks -w "$NODE_ZEN" "$@")"
}

# --- memory, binding, distribution ------------------------------------------

case_memory() {
	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-1
	assert_eq "memory" "${*#--mem=}" "$(memory_on "$job" "$NODE_ZEN")"
	cancel "$job"
	not_available -w "$NODE_ZEN" --bamount=1 --mem=2000000
}

case_memory_per_cpu() {
	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-3
	assert_eq "memory of four CPUs" 200 "$(memory_on "$job" "$NODE_ZEN")"
	assert_eq "CPUs that are billed" 4 "$(job_field "$job" NumCPUs)"
	cancel "$job"
	on_zen -n1 -c2 --bunit=X --bamount=1 --mem-per-cpu=50
	assert_eq "memory of a cache's six CPUs" 300 \
		"$(memory_on "$job" "$NODE_ZEN")"
	cancel "$job"
	# A million MB there, for the two CPUs of a core.
	not_available -w "$NODE_ZEN" --bamount=1 --mem-per-cpu=600000
}

case_memory_binding() {
	local policies

	policies=$(srun -Q -w "$NODE_THIS" -n1 --bamount=1 "$@" \
		cut -d ' ' -f 2 /proc/self/numa_maps | sort -u)
	assert_contains "policies of memory" bind: "$policies"
	assert_eq "CPUs" "$(held_cpus)" "$(held_cpus "$@")"
	assert_eq "CPUs" "$(held_cpus)" "$(held_cpus --bmem=local "$@")"
	case_refused --bmem=prefer "$@"
}

case_cpu_binding_by_nobody() {
	local cpus word

	cpus=$(held_cpus)
	[ "$cpus" != "$(cat /sys/devices/system/cpu/online)" ] ||
		fail "this test needs two cores"
	for word in "${*#*=}" quiet verbose; do
		assert_eq "CPUs with $word" "$cpus" "$(held_cpus \
			--cpu-bind="$word" 2>/dev/null)"
	done
}

case_cpu_binding() {
	local value values=("${*#*=}" threads sockets ldoms map_cpu:0 mask_cpu:1
		rank_ldom map_ldom:0 mask_ldom:1 "verbose,cores")

	# Later Slurms leave it out, with a word to the user.
	slurm_is_from 23.11 || values+=(rank)
	for value in "${values[@]}"; do
		refused "topobind: --cpu-bind=$value " srun -Q -w "$NODE_THIS" \
			--bamount=1 --cpu-bind="$value" true
	done
	refused "topobind: $* " env SLURM_CPU_BIND="${*#*=}" \
		srun -Q --bamount=1 true
	refused "topobind: $* " salloc -Q -w "$NODE_ZEN" --bamount=1 \
		srun -Q "$@" true
	# Where nobody binds, Slurm may; and what it leaves in the environment of
	# a task, for an srun in there, nobody has asked for.
	assert srun -Q -w "$NODE_THIS" --bamount=1 --binstance=env "$@" true
	assert srun -Q -w "$NODE_THIS" -n1 --bamount=1 --binstance=env \
		"$@" srun -Q --overlap -n1 --bamount=1 true
}

# Which task is on which node: "0 0 1 1" for block.
layout() {
	local output

	# shellcheck disable=SC2016
	output=$(srun -Q -w "$NODE_ZEN,$NODE_SKYLAKE" --bamount=1 "$@" \
		sh -c 'echo "$SLURM_PROCID $SLURM_NODEID $TOPOBIND_SLOT"' | sort -n)
	cut -d ' ' -f 2,3 <<<"$output" | paste -sd,
}

case_distribution() {
	assert_eq "node and slot of each task" "0 0,1 0,0 1,1 1" \
		"$(layout "$@")"
	assert_eq "node and slot of each task" "0 0,0 1,1 0,1 1" \
		"$(layout -N2 -n4 --distribution=block)"
}

case_other_distribution() {
	local value

	case_refused "$@"
	for value in block:cyclic cyclic:block:block pack arbitrary; do
		refused "topobind: --distribution=" sbatch -n2 -o /dev/null \
			--bamount=1 --distribution="$value" --nodelist="$NODE_ZEN" --wrap true
	done
	refused "topobind: ${*: -1} " salloc -Q -w "$NODE_ZEN" -n2 --bamount=1 \
		srun -Q "${*: -1}" true
}

# --- GRES -------------------------------------------------------------------

case_gres() {
	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 0-1,48-49
	assert_eq GPUs "gpu:2(IDX:0-1)" "$(gpus_of "$job")"
	cancel "$job"
	on_zen --gpus-per-task=1 -n2 --bunit=X
	assert_granted "$job" "$NODE_ZEN" 0-5,48-53
	assert_eq GPUs "gpu:2(IDX:0-1)" "$(gpus_of "$job")"
}

# The other socket is near no free GPU, or near no GPU of the job.
case_gres_flags() {
	local other

	other=$(alloc -w "$NODE_ZEN" --bunit=S --bamount=1 --gres=gpu:1)
	on_zen "$@"
	assert_granted "$job" "$NODE_ZEN" 48-49
	assert_eq GPUs "gpu:1(IDX:1)" "$(gpus_of "$job")"
	cancel "$job" "$other"
	not_available -w "$NODE_ZEN" "$@" --bunit=S --bamount=2
	# Units of two kinds are near each other.
	refused "topobind: --gres-flags=enforce-binding " sbatch -o /dev/null \
		--btype=host --bunit=X:1+C:2 "$@" --wrap true
	alloc -w "$NODE_ZEN" --btype=host --bunit=X:1+C:2 --gres=gpu:1 >/dev/null
	assert_no_contradictions
}

# --- nodes ------------------------------------------------------------------

# Whoever has them has units of his own; who waits for them gets both.
case_licenses() {
	local next

	on_zen "$@"
	next=$(batch -w "$NODE_ZEN" "$@" --bunit=X --bamount=1)
	wait_until 20 reason_has "$next" Reason=Licenses
	cancel "$job"
	wait_until 20 runs "$next"
	assert_granted "$next" "$NODE_ZEN" 0-5
	assert_no_contradictions
	cancel "$next"
}

case_contiguous() {
	bound -w "$NODE_RAPTOR,$NODE_SKYLAKE" "$@"
	assert_granted "$job" "$NODE_RAPTOR" 0-1
	assert_granted "$job" "$NODE_SKYLAKE" 0-1
	cancel "$job"
	# raptor and zen are not neighbours.
	refute sbatch -w "$NODE_RAPTOR,$NODE_ZEN" -o /dev/null --bamount=1 "$@" \
		--wrap true
}

case_spread() {
	bound -p virtual "$@"
	assert_eq "nodes" "$NODE_RAPTOR $NODE_SKYLAKE $NODE_ZEN" \
		"$(nodes_of "$job")"
}

# Slurm 24.11 alone ends with a segmentation fault.
case_spread_with_devices() {
	local job

	job=$(alloc -w "$NODE_ZEN" --spread-job -n2 --gpus=1)
	assert_eq GPU "gpu:1(IDX:0)" "$(gpus_of "$job")"
	cancel "$job"
	on_zen --spread-job -n2 --gpus=1 --bunit=X --bamount=1
	assert_eq GPU "gpu:1(IDX:0)" "$(gpus_of "$job")"
	cancel "$job"
}

case_fewest_nodes() {
	bound -p virtual "$@"
	assert_eq "nodes" 1 "$(nodes_of "$job" | wc -w)"
	assert_eq "threads" 6 "$(threads_on "$job" "$(nodes_of "$job")")"
}

case_two_nodes() {
	bound -p virtual "$@"
	assert_eq "nodes" 2 "$(nodes_of "$job" | wc -w)"
	assert_eq "threads of the first" 2 \
		"$(threads_on "$job" "$(nodes_of "$job" | cut -d ' ' -f 1)")"
}

case_nodelist() {
	bound "$@"
	assert_eq "nodes" "$NODE_SKYLAKE $NODE_ZEN" "$(nodes_of "$job")"
	assert_granted "$job" "$NODE_ZEN" 0-1
}

case_exclude() {
	bound -N2 -n2 -p virtual "$@"
	assert_eq "nodes" "$NODE_RAPTOR $NODE_SKYLAKE" "$(nodes_of "$job")"
}

case_constraint() {
	scontrol update node="$NODE_ZEN" AvailableFeatures=fast
	scontrol update node="$NODE_SKYLAKE" AvailableFeatures=slow
	bound "$@"
	assert_granted "$job" "$NODE_SKYLAKE" 0-1
	assert_granted "$job" "$NODE_ZEN" 0-1
	cancel "$job"
	bound --constraint=fast -n3
	assert_granted "$job" "$NODE_ZEN" 0-5
}

lost_node() {
	[ "$(nodes_of "$1")" = "$2" ]
}

case_no_kill() {
	local other

	bound -w "$NODE_ZEN,$NODE_SKYLAKE" "$@"
	scontrol update node="$NODE_ZEN" State=DOWN Reason=test
	wait_until 20 lost_node "$job" "$NODE_SKYLAKE"
	assert runs "$job"
	assert_eq "CPU_IDs" 0-1 "$(cpu_ids "$job" "$NODE_SKYLAKE")"
	# It may have come back by itself.
	scontrol update node="$NODE_ZEN" State=RESUME 2>/dev/null || true
	# Its units there are free again, those of the other node are not.
	wait_until 30 all_nodes_up
	other=$(alloc -w "$NODE_ZEN,$NODE_SKYLAKE" -N2 -n2 --bamount=1)
	assert_granted "$other" "$NODE_ZEN" 0-1
	assert_granted "$other" "$NODE_SKYLAKE" 2-3
}

all_nodes_up() {
	no_node_is 'down|unk|\*'
}

# --- new ones, on small nodes in blocks -------------------------------------

# Slurm itself makes it less after a minute; so does an update.
case_memory_update() {
	bound -w "$NODE_B1" --mem=500 "$@"
	assert_granted "$job" "$NODE_B1" 0
	assert_eq "memory" 500 "$(memory_on "$job" "$NODE_B1")"
	scontrol update job="$job" MinMemoryNode=200
	wait_until 30 has_memory "$job" "$NODE_B1" 200
	assert_granted "$job" "$NODE_B1" 0
	assert_no_contradictions
}

has_memory() {
	[ "$(memory_on "$1" "$2")" = "$3" ]
}

# Node 4 is taken, so of the two larger blocks one is left.
case_one_block() {
	alloc -w "$NODE_B4" --exclusive >/dev/null
	bound "$@"
	assert_eq nodes "$NODE_B5 $NODE_B6 $NODE_B7 $NODE_B8" \
		"$(nodes_of "$job")"
	assert_granted "$job" "$NODE_B5" 0
}

# The nodes of a job without a binding.
case_blocks_apart() {
	local plain

	plain=$(alloc "$@")
	bound "$@"
	assert_eq nodes "$(nodes_of "$plain")" "$(nodes_of "$job")"
}

# What the site's switch plugin gives to a node of a job: a device in its steps.
channels_of() {
	srun -Q --jobid="$1" --overlap sh -c \
		"echo \$SLURMD_NODENAME \$(ls $channels)" | sort
}

# A segment's two nodes have one channel.  topobind's switch plugin stands before the
# site's; the steps of a bound job have what those of a plain one have, which is free
# again at its end.
case_channels() {
	local plain seen

	plain=$(alloc --exclude="$NODE_THIS" "$@")
	seen=$(channels_of "$plain")
	cancel "$plain"
	bound --exclude="$NODE_THIS" "$@"
	assert_eq "nodes and channels" "$seen" "$(channels_of "$job")"
	assert_eq "nodes of each channel" "2 channel1
2 channel2" "$(cut -d' ' -f2 <<<"$seen" | sort | uniq -c | sed 's/^ *//')"
}

# slurmd makes the directory, and leaves it.
end_channels() {
	cluster_stop
	rmdir "$channels" 2>/dev/null || true
}

# --- more than one place ----------------------------------------------------

case_said_elsewhere() {
	cat >"$work/script" <<-END
	#!/bin/bash
	#SBATCH --ntasks-per-socket=1 -n2
	#SBATCH --bunit=X --bamount=1
	END
	refused "topobind: --ntasks-per-socket=1 " sbatch -o /dev/null "$work/script"
	refused "topobind: --hint=memory_bound " env SBATCH_HINT=memory_bound \
		sbatch -o /dev/null --bamount=1 --wrap true
	refused "topobind: --mincpus=4 " env TOPOBIND=bamount=1 \
		sbatch -o /dev/null --mincpus=4 --wrap true
}

# Each part of a heterogeneous job has its own options.
case_parts() {
	refused "topobind: --ntasks-per-socket=1 " sbatch -o /dev/null -n1 : --bamount=1 -n1 \
		--ntasks-per-socket=1 --wrap true
	job=$(sbatch --parsable -o /dev/null -w "$NODE_ZEN" --bamount=1 -n1 : \
		-w "$NODE_SKYLAKE" -n1 --ntasks-per-socket=1 --wrap 'sleep 600')
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-1
}

# A wrong option for a bound job is a good one for another.
case_without_binding() {
	local option

	for option in --ntasks-per-socket=1 --hint=memory_bound --mincpus=4 \
		--distribution=plane=2 --threads-per-core=1; do
		job=$(TOPOBIND=bamount=1 alloc -w "$NODE_ZEN" -n2 --bamount=0 \
			"$option")
		assert runs "$job"
		cancel "$job"
	done
}

# not_bound OPTION... - the site's binding gives way: the job starts at once
not_bound() {
	job=$(alloc "$@")
	assert_eq "binding with $*" "" "$(binding "$job")"
	assert_eq "grant with $*" "" "$(granted "$job")"
	cancel "$job"
}

# The site would bind, and the job asks for something else.
case_implicit() {
	local option

	for option in --ntasks-per-socket=1 --core-spec=1 --thread-spec=1 \
		"--distribution=plane=2 -N2" --mincpus=6 --mem=5000
	do
		# shellcheck disable=SC2086 # words
		not_bound -n4 $option
	done
	not_bound -n2 --cpus-per-gpu=2 --gpus=1
	not_bound -n2 --sockets-per-node=2 --gpus-per-socket=1
	job=$(alloc -w "$NODE_ZEN" -n4 --mincpus=1)
	assert_granted "$job" "$NODE_ZEN" 0-7
	cancel "$job"
	job=$(alloc -w "$NODE_ZEN" -N1 --ntasks-per-node=4)
	assert_granted "$job" "$NODE_ZEN" 0-7
	cancel "$job"
	job=$(alloc -w "$NODE_ZEN" -n4 --ntasks-per-core=1)
	assert_granted "$job" "$NODE_ZEN" 0-7
	cancel "$job"
	job=$(alloc -w "$NODE_ZEN" -n4 --exclusive)
	assert_granted "$job" "$NODE_ZEN" 0-95
}

# Nobody asked, so nothing is refused to a step; it is told what is lost.
case_implicit_steps() {
	local output lost="topobind: --cpu-bind has no effect"

	assert_contains "srun alone" "$lost" \
		"$(srun -n2 -w "$NODE_THIS" --cpu-bind=cores true 2>&1)"
	assert_contains "srun in salloc" "$lost" \
		"$(salloc -Q -n2 srun --cpu-bind=threads true 2>&1)"
	job=$(sbatch --parsable -n2 -w "$NODE_THIS" -o "$work/steps" --wrap '
	srun -n2 --cpu-bind=cores --hint=nomultithread true && echo first
	srun -n2 --distribution=block:cyclic true && echo second')
	wait_until 30 is_over "$job"
	output=$(cat "$work/steps")
	echo "$output"
	assert_contains "srun in a script" "$lost" "$output"
	assert_contains "steps of a script" first "$output"
	assert_contains "steps of a script" second "$output"
	output=$(srun -n2 -w "$NODE_THIS" --cpu-bind=none true 2>&1)
	[[ $output != *topobind* ]] || fail "nothing is lost: $output"
	output=$(srun -n2 -w "$NODE_THIS" --bamount=0 --cpu-bind=cores true 2>&1)
	[[ $output != *topobind* ]] || fail "nothing is lost: $output"
}

case_memory_as_cpus() {
	not_available -w "$NODE_ZEN" --bamount=1 --mem=5000
	on_zen --bunit=X --bamount=1 --mem=5000
	assert_granted "$job" "$NODE_ZEN" 0-5
	cancel "$job"
	not_available -w "$NODE_ZEN" --bamount=1 --mem-per-cpu=4000
}

waits_because() {
	scontrol show job "$1" | grep -F "waiting=$2" >/dev/null
}

# A waiting job that is given cores for the system waits on, and says why.
case_changed_later() {
	local holder other

	holder=$(alloc -w "$NODE_ZEN" --bunit=S --bamount=2)
	job=$(batch -w "$NODE_ZEN" --bamount=1)
	wait_until 20 was_passed_over "$job"
	scontrol update job="$job" CoreSpec=1
	cancel "$holder"
	other=$(batch -w "$NODE_ZEN" --bamount=1)
	wait_until 20 runs "$other"
	assert_granted "$other" "$NODE_ZEN" 0-1
	assert is_pending "$job"
	wait_until 20 waits_because "$job" "--core-spec=1 does not go with"
	scontrol update job="$job" CoreSpec=-1
	cancel "$other"
	wait_until 20 runs "$job"
}

cluster_start --nodes this,zen,skylake,raptor --slurm Licenses=meter:2 \
	--slurm AllowSpecResourcesUsage=yes --slurm GresTypes=gpu
row -c works case_cpus_per_task
row -n works case_tasks
row -N works case_nodes
row --ntasks-per-node works case_tasks_per_node
row --ntasks-per-core works case_tasks_per_core
row --ntasks-per-socket refused case_refused_to_steps_too
row --sockets-per-node works case_sockets
row --cores-per-socket works case_cores
row -B works case_layout
row --threads-per-core works case_threads_per_core
row --hint=nomultithread works case_hint_of_one_thread
row --hint=compute_bound works case_hint_of_one_thread
row --hint=multithread works case_hint_of_all_threads
row --hint=memory_bound refused case_refused_to_steps_too
row --core-spec refused case_refused
row --thread-spec refused case_refused
row --exclusive works case_exclusive
row --exclusive=user works case_exclusive_user
row --oversubscribe works case_oversubscribe
row --overcommit works case_overcommit
row --mem works case_memory
row --mem-per-cpu works case_memory_per_cpu
row --mem-bind works case_memory_binding
row --cpu-bind=none works case_cpu_binding_by_nobody
row --cpu-bind refused case_cpu_binding
row --distribution works case_distribution
row --distribution=plane refused case_other_distribution
row --cpus-per-gpu refused case_refused
row --gpus-per-socket refused case_refused
row --mincpus refused case_refused
row --contiguous works case_contiguous
row --licenses works case_licenses
row --spread-job works case_spread
row --use-min-nodes works case_fewest_nodes
row --switches works case_two_nodes
row --nodelist works case_nodelist
row --exclude works case_exclude
row --constraint works case_constraint
row --no-kill works case_no_kill
test_case "in a script and the environment" case_said_elsewhere
test_case "parts of a heterogeneous job" case_parts
test_case "a job without binding may say all that" case_without_binding
test_case "a waiting job that is changed" case_changed_later
give_gpus
row --gres works case_gres
row --gres-flags works case_gres_flags
test_case "--spread-job with devices of the whole job" case_spread_with_devices
cluster_stop
nodes=()
for i in {1..8}; do
	nodes+=(--machine "b$i SCCCC 1 4 1")
done
# Of NVIDIA's channels; the number of the device is nobody's.
channels=/dev/nvidia-caps-imex-channels
! slurm_is_from 25.11 || cluster_start --nodes this "${nodes[@]}" \
	--slurm TopologyPlugin=topology/block \
	--topology "BlockName=one Nodes={b1},{b2}" \
	--topology "BlockName=two Nodes={b3},{b4}" \
	--topology "BlockName=three Nodes={b5},{b6}" \
	--topology "BlockName=four Nodes={b7},{b8}" \
	--topology BlockSizes=2,4 --slurm PrologFlags=Contain \
	--slurm SwitchType=switch/nvidia_imex \
	--slurm SwitchParameters=imex_dev_major=240
row_from 26.05 --mem-update works case_memory_update
row_from 25.11 --consolidate-segments works case_one_block
row_from 25.11 --spread-segments works case_blocks_apart
row_from 25.11 --network works case_channels
end_channels
cluster_start --nodes this,zen,skylake --slurm AllowSpecResourcesUsage=yes \
	--slurm MaxMemPerCPU=1000 --slurm GresTypes=gpu --topobind Implicit=yes
give_gpus
test_case "the manual's table has these rows" case_table_is_tested
test_case "bound by the site: what the job asks for counts more" case_implicit
test_case "bound by the site: steps are told what is lost" case_implicit_steps
test_case "MaxMemPerCPU makes CPUs of memory" case_memory_as_cpus
tests_done
