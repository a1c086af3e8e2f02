#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# job - topobind job: request and grant, by node and by task, as Slurm has booked
# them and as tasks find them
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/page.bash
. "$(dirname "$0")/page.bash"

# of_job JOB FILTER - of its first object in the JSON
of_job() {
	topobind job --json "$1" | jq -r ".jobs[0] | $2"
}

# threads_of JOB NODE - by the JSON
threads_of() {
	of_job "$1" ".nodes[] | select(.node == \"$2\") | .threads"
}

# assert_booked JOB NODE... - it has these nodes, and there what Slurm booked; its
# tasks have all of it together, and none shares any of it with another
assert_booked() {
	local job=$1 node

	shift
	assert_eq "nodes of $job" "$*" "$(of_job "$job" '[.nodes[].node] | join(" ")')"
	for node; do
		assert_eq "threads of $job on $node" "$(cpu_ids "$job" "$node")" \
			"$(threads_of "$job" "$node")"
		assert_eq "grant of $job on $node" "$(granted "$job" "$node")" \
			"$(lower_threads "$(of_job "$job" \
				".nodes[] | select(.node == \"$node\") | .topology")")"
		assert_eq "threads of tasks of $job on $node" \
			"$(cpu_ids "$job" "$node")" \
			"$(of_job "$job" ".tasks[] | select(.node == \"$node\") | .threads" |
				while read -r list; do expand_list "$list"; done | as_list)"
	done
}

# slots_placed NODE JSON-OPTIONS... - the threads of slots as topobind place has them
# on the idle node
slots_placed() {
	local node=$1

	shift
	topobind place --topology "$(node_token "$node" m_topology)" --json "$@" |
		jq -r '.slot_threads | join(" ")'
}

# --- a job ------------------------------------------------------------------------

case_slots() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n3 --bunit=X --bamount=2)
	assert_booked "$job" "$NODE_ZEN"
	assert_eq request "$(binding "$job")" "$(of_job "$job" .request)"
	assert_eq state RUNNING "$(of_job "$job" .state)"
	assert_eq user "$(id -un)" "$(of_job "$job" .user)"
	assert_eq partition "$(job_field "$job" Partition)" \
		"$(of_job "$job" .partition)"
	assert_eq slots "$(slots_placed "$NODE_ZEN" --slots 3 --bunit X \
		--bamount 2)" "$(of_job "$job" '[.tasks[].threads] | join(" ")')"
	assert_eq units '[[3,6],[2,2,2]]' "$(of_job "$job" \
		'[[.nodes[0].tasks, .nodes[0].units], [.tasks[].units]] | tojson')"
	assert_eq tasks '[[0,0],[1,1],[2,2]]' \
		"$(of_job "$job" '[.tasks[] | [.task, .slot]] | tojson')"
}

case_scattered_slots() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n4 --bunit=C --bamount=2 --bstrategy=scatter)
	assert_booked "$job" "$NODE_ZEN"
	assert_eq slots "$(slots_placed "$NODE_ZEN" --slots 4 --bunit C \
		--bamount 2 --bstrategy scatter)" \
		"$(of_job "$job" '[.tasks[].threads] | join(" ")')"
}

case_several_nodes() {
	local job

	job=$(alloc -N2 -n5 -w "$NODE_ZEN,$NODE_TWIN" --bunit=X --bamount=1)
	assert_booked "$job" "$NODE_TWIN" "$NODE_ZEN"
	assert_eq "tasks of nodes" "3 2" \
		"$(of_job "$job" '[.nodes[].tasks] | join(" ")')"
	assert_eq "nodes of tasks" \
		"$NODE_TWIN $NODE_TWIN $NODE_TWIN $NODE_ZEN $NODE_ZEN" \
		"$(of_job "$job" '[.tasks[].node] | join(" ")')"
	assert_eq "numbers of tasks" "0 1 2 3 4" \
		"$(of_job "$job" '[.tasks[].task | tostring] | join(" ")')"
	cancel "$job"
	job=$(alloc -N2 -n2 -w "$NODE_ZEN,$NODE_RAPTOR" --bcpus=0-1)
	assert_booked "$job" "$NODE_RAPTOR" "$NODE_ZEN"
}

# Tasks of a node share its units.
case_host() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n3 --bunit=S --bamount=1 --btype=host)
	assert_eq tasks "$(for i in 0 1 2; do echo "$i $(cpu_ids "$job")"; done)" \
		"$(of_job "$job" '.tasks[] | "\(.task) \(.threads)"')"
	assert_eq units 1 "$(of_job "$job" '.nodes[0].units')"
	assert_eq "their slot" 0 "$(of_job "$job" '.tasks[].slot' | sort -u)"
}

# --overcommit: more tasks than slots, and where they really are.
case_overcommitted() {
	local job

	job=$(alloc -N1 -w "$NODE_ZEN" -n12 -O --bcpus=0-7)
	assert_eq "tasks" "12 12" "$(of_job "$job" \
		'"\(.nodes[0].tasks) \(.tasks | length)"')"
	assert_eq "slots and threads" "0 0-7" \
		"$(of_job "$job" '.tasks[] | "\(.slot) \(.threads)"' | sort -u)"
	job=$(alloc -N2 -n7 -O -w "$NODE_ZEN,$NODE_TWIN" --bunit=X --bamount=1)
	# shellcheck disable=SC2016 # the task's variables
	assert_eq "tasks on two nodes" \
		"$(srun -Q --jobid="$job" -n7 -O sh -c \
			'echo "$SLURM_PROCID $SLURMD_NODENAME $TOPOBIND_SLOT"' | sort -n)" \
		"$(of_job "$job" '.tasks[] | "\(.task) \(.node) \(.slot)"')"
}

# The node shows its string with threads; each of these is a Slurm core there.
case_efficiency_cores() {
	local job

	job=$(alloc -w "$NODE_RAPTOR" -n2 --bunit=E --bamount=2)
	assert_booked "$job" "$NODE_RAPTOR"
	assert_eq units "4 2 2" "$(of_job "$job" \
		'[.nodes[0].units, .tasks[].units | tostring] | join(" ")')"
}

# What is booked and of no use to anybody: the other thread, and masked cores.
case_blocked() {
	local job

	job=$(alloc -w "$NODE_TWIN" -n1 --bunit=T --bamount=1)
	assert_eq "the other thread" 1 "$(of_job "$job" '.nodes[0].blocked')"
	assert_eq "charged" 2 "$(job_field "$job" NumCPUs)"
	exits 0 "BLOCKED" topobind job "$job"
	cancel "$job"
	job=$(alloc -w "$NODE_ZEN" -n2 --bunit=C --bamount=1)
	assert_eq "of whole cores" "" "$(of_job "$job" '.nodes[0].blocked')"
	refute grep BLOCKED <<<"$(topobind job "$job")"
	cancel "$job"
	job=$(alloc -w "$NODE_ZEN" -n1 --bunit=S --bamount=1 \
		--bfilter=first_core)
	assert_eq "masked" 0-1 "$(of_job "$job" '.nodes[0].blocked')"
	assert_eq "booked" "$(cpu_ids "$job")" "$(topobind job --json "$job" |
		jq -r '.jobs[0] | .nodes[0].blocked, .tasks[0].threads' |
		while read -r list; do expand_list "$list"; done | as_list)"
	assert_eq "charged" "$(expand_list "$(cpu_ids "$job")" | wc -l)" \
		"$(job_field "$job" NumCPUs)"
	assert_eq "a column" 0-1 "$(topobind job -N -o %B "$job" | tail -n 1)"
}

# What the tasks see of it: their CPUs, which /proc tells.
case_tasks_find_theirs() {
	local job task

	os_cpus=$(topobind topology --json | jq -c .os_cpus)
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n2 --bunit=C \
		--bamount=1 --wrap "srun sh -c 'grep Cpus_allowed_list /proc/self/status >$work/task.\$SLURM_PROCID; exec sleep 600'")
	wait_until 60 test -s "$work/task.1" -a -s "$work/task.0"
	for task in 0 1; do
		assert_eq "CPUs of task $task" \
			"$(sed 's/.*:[[:space:]]*//' "$work/task.$task")" \
			"$(expand_list "$(of_job "$job" ".tasks[$task].threads")" |
				while read -r thread; do
					jq ".[$thread]" <<<"$os_cpus"
				done | as_list)"
	done
}

# --- jobs without slots -----------------------------------------------------------

case_plain() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n2 -c3)
	assert_eq request null "$(of_job "$job" .request)"
	assert_eq threads "$(cpu_ids "$job")" "$(threads_of "$job" "$NODE_ZEN")"
	assert_eq tasks '[]' "$(of_job "$job" '.tasks | tojson')"
	exits 0 "no binding" topobind job "$job"
}

case_strange_name() {
	local job

	job=$(alloc -w "$NODE_ZEN" -J $'\xff\xfe name' --bunit=C --bamount=1)
	assert_eq name '?? name' "$(of_job "$job" .name)"
	assert_eq state RUNNING "$(of_job "$job" .state)"
}

case_waiting() {
	local job holder

	holder=$(alloc -w "$NODE_ZEN" --bcpus=0)
	job=$(batch -N1 -w "$NODE_ZEN" -n2 --bunit=S --bamount=1)
	wait_until 20 was_passed_over "$job"
	assert_eq state PENDING "$(of_job "$job" .state)"
	assert_eq request "bunit=S,bamount=1" "$(of_job "$job" .request)"
	assert_eq nodes '[]' "$(of_job "$job" '.nodes | tojson')"
	assert waits_for "$job" "$(of_job "$job" .waiting)"
	exits 0 "waiting   only 1 of 2 slots" topobind job "$job"
	assert_eq "its row" "$job - -" "$(topobind job -h -o '%i %N %t' "$job")"
	cancel "$holder"
	wait_until 30 runs "$job"
	assert_booked "$job" "$NODE_ZEN"
	assert_eq waiting null "$(of_job "$job" .waiting)"
}

case_over() {
	local job grant

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	grant=$(granted "$job")
	cancel "$job"
	assert_eq state "$(job_field "$job" JobState)" "$(of_job "$job" .state)"
	assert_eq request "bunit=X,bamount=1" "$(of_job "$job" .request)"
	assert_eq "what it had" "$grant" "$(threads_of "$job" "$NODE_ZEN")"
}

# --- several records --------------------------------------------------------------

case_array() {
	local job task

	job=$(batch --array=1-4 -w "$NODE_ZEN" --bunit=S --bamount=1)
	wait_until 30 runs "${job}_2"
	wait_until 30 was_passed_over "${job}_4"
	assert_eq "all of them" "${job}_1 ${job}_2 ${job}_[3-4]" \
		"$(topobind job --json "$job" | jq -r '[.jobs[].job] | sort | join(" ")')"
	for task in 1 2; do
		assert_eq "one" "${job}_$task" "$(of_job "${job}_$task" .job)"
		assert_eq "what task $task has" \
			"$(cpu_ids "$(job_field "${job}_$task" JobId)")" \
			"$(threads_of "${job}_$task" "$NODE_ZEN")"
	done
	assert_eq "that waits" PENDING "$(of_job "${job}_4" .state)"
	assert_eq rows 3 "$(topobind job -h -O jobid "$job" | wc -l)"
}

case_heterogeneous() {
	local job

	job=$(sbatch --parsable -o /dev/null -N1 -n2 -w "$NODE_TWIN" \
		--bunit=X --bamount=1 : -N1 -w "$NODE_ZEN" --bunit=S --bamount=1 \
		--wrap 'exec sleep 600')
	wait_until 60 runs "$((job + 1))"
	assert_eq "both" "$job+0 $job+1" \
		"$(topobind job --json "$job" | jq -r '[.jobs[].job] | join(" ")')"
	assert_eq requests "bunit=X,bamount=1 bunit=S,bamount=1" \
		"$(topobind job -h -O request "$job" | sort -u -r | xargs)"
	assert_eq "the second" "$(cpu_ids $((job + 1)))" \
		"$(threads_of "$job+1" "$NODE_ZEN")"
	assert_eq "the first" "$(cpu_ids "$job")" \
		"$(threads_of "$job+0" "$NODE_TWIN")"
}

# --- the table --------------------------------------------------------------------

case_table() {
	local job

	job=$(alloc -J test -N2 -n3 -w "$NODE_ZEN,$NODE_TWIN" --bunit=X --bamount=1)
	assert_eq "by task" "$(of_job "$job" \
		'.tasks[] | "\(.task) \(.node) \(.slot) \(.units) \(.threads)"')" \
		"$(topobind job -h -o '%t %N %s %U %c' "$job")"
	assert_eq "by node" "$(of_job "$job" \
		'.nodes[] | "\(.node) \(.tasks) \(.units) \(.threads) \(.topology)"')" \
		"$(topobind job -h -N -o '%N %n %U %c %g' "$job")"
	assert_eq "the job" "$(squeue -h -j "$job" -o '%i %u %j %T %P') $(binding "$job")" \
		"$(topobind job -h -o '%i %u %j %T %P %b' "$job" | sort -u)"
	assert_eq sorted "2 1 0" \
		"$(topobind job -h -O task -S -task "$job" | xargs)"
	assert_eq headings "JOBID TASK" \
		"$(topobind job -O jobid,task "$job" | sed -n 1p | xargs)"
	exits 0 "$NODE_TWIN" topobind job "$job"
	exits 0 "request   bunit=X,bamount=1" topobind job "$job"
	assert_eq "no blanks at the end" "" \
		"$(topobind job "$job" | grep ' $' || true)"
}

case_manual() {
	local job

	job=$(alloc -w "$NODE_CHIP" -n2 --bunit=X --bamount=1)
	assert_page job -e "s/\\b31\\b/$job/" -e "s/of ann/of $(id -un)/"
}

# --- errors -----------------------------------------------------------------------

case_errors() {
	local job

	exits 0 'none of your jobs waits' topobind job
	is_refused hostfile 'no job was given'
	is_refused job 'is not a job id' soon
	is_refused job 'leave out "2"' 1 2
	is_refused job 'knows no such job' 999999
	is_refused job 'there is no column "q"' -o '%q' 1
	is_refused job 'there is no column "cheese"' -O cheese 1
	is_refused job 'there is no column "cheese"' -S +cheese 1
	is_refused job 'unrecognized option' --nothing
	job=$(alloc -w "$NODE_ZEN" -n1)
	is_refused job 'no such task or part' "${job}_4"
	is_refused job 'no such task or part' "$job+1"
}

# Without an id: the job in which the command is called.
case_inside() {
	local job

	job=$(alloc -w "$NODE_CHIP" -n2 --bunit=X --bamount=1)
	assert_eq "the job" "$(topobind job "$job")" \
		"$(SLURM_JOB_ID=$job topobind job)"
	assert_eq "explain" "$(topobind explain "$job")" \
		"$(SLURM_JOB_ID=$job topobind explain)"
	assert_eq "the id counts before" "$(topobind job "$job")" \
		"$(SLURM_JOB_ID=999999 topobind job "$job")"
	cancel "$job"
}

# Who may not see a job is not told of it.
case_hidden() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	sed -i '/^PrivateData=/d' "$cluster/etc/slurm.conf"
	trap 'sed -i /^PrivateData=/d "$cluster/etc/slurm.conf"; reconfigure' EXIT
	echo PrivateData=jobs >>"$cluster/etc/slurm.conf"
	reconfigure
	exits 2 "does not show it to you" setpriv --reuid=65534 \
		--regid=65534 --clear-groups "$(command -v topobind)" job "$job"
	exits 0 RUNNING topobind job "$job"
}

# --- how busy ------------------------------------------------------------------------

# usage_of JOB FILTER - of what it does on this machine
usage_of() {
	topobind job --usage --node "$NODE_THIS" --json "$1" |
		jq -r ".jobs[0].nodes[] | select(.node == \"$NODE_THIS\").usage | $2"
}

# Something runs there all the time, the job's or others': the CPU is never idle.
case_busy_core() {
	local job

	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 --wrap 'touch '"$work/begun"'; while :; do :; done')
	wait_until 30 test -e "$work/begun"
	assert_eq "unit, threads and so on" \
		"[\"C\",1,\"$(cpu_ids "$job" "$NODE_THIS")\",0,true]" \
		"$(usage_of "$job" '[.unit, .seconds, .units[0].threads, .idle,
			(.busy > 0.8 and .busy == .units[0].busy)] | tojson')"
	topobind job --usage=1 --node "$NODE_THIS" "$job" >"$work/page"
	assert_contains "sentence" "0 of 1 C unit were idle for 1 second" \
		"$(tail -n 1 "$work/page")"
	assert_eq "page" "$(topobind job "$job")" \
		"$(head -n "$(topobind job "$job" | wc -l)" "$work/page")"
	# As in the job, which knows its node.
	assert_contains "in the job" "idle for 1 second" "$(SLURM_JOB_ID=$job \
		SLURMD_NODENAME=$NODE_THIS topobind job --usage)"
	cancel "$job"
}

# A row for each unit, of all the job's threads; cores without a binding.
case_usage_units() {
	local job options

	for options in '-n1 --bunit=C --bamount=1' '-n1 --bunit=S --bamount=1' \
		'-n1 --exclusive'; do
		# shellcheck disable=SC2086 # options
		job=$(alloc -w "$NODE_THIS" $options)
		assert_eq "threads, $options" "$(cpu_ids "$job" "$NODE_THIS")" \
			"$(usage_of "$job" '.units[].threads' |
				while read -r list; do expand_list "$list"; done | as_list)"
		assert_eq "busy, $options" true "$(usage_of "$job" \
			'([.units[].busy] | all(. >= 0 and . <= 1)) and
			.idle == ([.units[].busy | select(. < 0.05)] | length)')"
		cancel "$job"
	done
}

# usage_record JOB - of its AdminComment
usage_record() {
	scontrol show job "$1" | sed -n 's/^ *AdminComment=//p'
}

has_usage_record() {
	[[ $(usage_record "$1") == *usage=* ]]
}

# At its end the record says how it was; what others have written there stays.  While
# the script computes, its core is never idle.
case_usage_record() {
	local job

	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 --wrap 'timeout 1 sh -c "while :; do :; done"; true')
	scontrol update job="$job" AdminComment="of the site"
	wait_until 30 has_usage_record "$job"
	wait_until 30 job_has_state "$job" COMPLETED
	[[ $(usage_record "$job") =~ ^of\ the\ site\ usage=C:1,idle:0,busy:[0-9]+%\ *$ ]] ||
		fail "AdminComment: $(usage_record "$job")"
	# Not of a job without a binding.
	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 --wrap true)
	wait_until 30 job_has_state "$job" COMPLETED
	refute has_usage_record "$job"
}

case_usage_errors() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n1 --bunit=X --bamount=1)
	exits 2 "no CPUs on node $NODE_THIS" topobind job --usage \
		--node "$NODE_THIS" "$job"
	exits 2 "another topology" topobind job --usage --node "$NODE_ZEN" "$job"
	exits 2 "give 1 to 3600" topobind job --usage=0 "$job"
	exits 2 "give 1 to 3600" topobind job --usage=1s "$job"
	exits 2 "leave out --format" topobind job --usage -o %i "$job"
	exits 2 "goes with --usage" topobind job --node "$NODE_ZEN" "$job"
}

cluster_start --nodes this,zen,twin,raptor "${page_nodes[@]}" --slurm MinJobAge=600 \
	--topobind UsageRecord=yes
test_case "slots of a job" case_slots
test_case "scattered slots" case_scattered_slots
test_case "several nodes" case_several_nodes
test_case "units of a host" case_host
test_case "more tasks than slots" case_overcommitted
test_case "efficiency cores" case_efficiency_cores
test_case "threads that nobody can use" case_blocked
test_case "tasks are where it says" case_tasks_find_theirs
test_case "a job without a binding" case_plain
test_case "a job that waits" case_waiting
test_case "a name that is not UTF-8" case_strange_name
test_case "a job that is over" case_over
test_case "an array" case_array
test_case "a heterogeneous job" case_heterogeneous
test_case "columns" case_table
test_case "the example of the manual" case_manual
test_case "without an id" case_inside
test_case "wrong arguments" case_errors
test_case "a busy core" case_busy_core
test_case "how busy each unit is" case_usage_units
test_case "the record of an ended job" case_usage_record
test_case "of what it is not known how busy it is" case_usage_errors
test_case "a hidden job" case_hidden
tests_done
