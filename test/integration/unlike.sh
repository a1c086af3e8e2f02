#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# unlike - nodes of different shapes in one partition: which of them a job gets
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# The nodes, in Slurm's order.  What one unit X of them is, in CPUs of Slurm:
#
# three, trine  3 cores, two of them on each node
# four          4 cores of two threads: 8; two
# eight         8 cores; four in two NUMA nodes of two sockets
# thread        4 cores of two threads, counted by threads: 8; two
# bare          a socket of 6 cores, as it has no N and X; two
# hybrid        2 power cores of two threads: 4, and by its side 4 efficiency
#               cores; counted by threads; two
# odd           3 cores, 4, 4 and 2
#
# So there are 4 units of 3 CPUs on two nodes, 2 of 4 on one, 2 of 6 on one, and
# 8 of 8 on three; and odd, which takes no jobs in most of the cases.
machines() {
	local smt=CTTCTTCTTCTT eight=CCCCCCCC hybrid=CTTCTTEEEE

	cat <<-END
	three SXCCCXCCC 1 6 1
	trine SXCCCXCCC 1 6 1
	four SNX${smt}X$smt 1 8 2
	eight SNX${eight}X${eight}SNX${eight}X$eight 2 16 1
	thread NSX${smt}X$smt 1 16 1
	bare SCCCCCCSCCCCCC 2 6 1
	hybrid NSX${hybrid}X$hybrid 1 16 1
	odd NSXCCCXCCCCXCCCCXCC 1 13 1
	END
}

start() {
	local machine options=(--nodes "")

	while read -r machine; do
		options+=(--machine "$machine")
	done < <(machines)
	cluster_start "${options[@]}"
	read -r -a every < <(sinfo -h -N -p main -o %N | sort -u | paste -sd' ')
}

# --- units, found in the nodes' strings --------------------------------------

# all_units - a line "NODE UNIT NUMBER THREAD" for each thread of each unit of
# the nodes, without looking at how topobind counts
all_units() {
	local node

	for node in "${every[@]}"; do
		echo "$node $(node_token "$node" m_topology)"
	done | awk '
	function emit(unit, thread) { print node, unit, count[unit], thread }
	function leaf(kind,    i, c) {
		for (i = 1; i <= 4; i++) {
			c = substr("SNXY", i, 1)
			if (c ~ /[NX]/ && !index(text, c)) continue
			if (c == "Y" && !index(text, c)) continue
			emit((kind == "E" ? "E" : "") c, thread)
		}
		if (!index(text, "N")) alias("N", "S", kind)
		if (!index(text, "X")) alias("X", "S", kind)
		emit(kind == "E" ? "E" : "C", thread)
		print node, kind == "E" ? "ET" : "T", thread, thread
		if (!index(text, "Y")) alias("Y", kind == "E" ? "E" : "C", kind)
		thread++
	}
	function alias(unit, like, kind) {
		print node, (kind == "E" ? "E" : "") unit, \
			count[like == "S" && kind == "E" ? "ES" : like], thread
	}
	{
		node = $1; text = $2; thread = 0
		delete count
		for (i = 1; i <= length(text); i++) {
			c = substr(text, i, 1)
			next_c = substr(text, i + 1, 1)
			if (c ~ /[SNXYCE]/) count[c]++
			if (c ~ /[SNXY]/) count["E" c]++
			if (c ~ /[CE]/) kind = c
			if (c == "T" || (c ~ /[CE]/ && next_c != "T"))
				leaf(kind)
		}
	}'
}

# requests - of scontrol -d show job, "JOB TASKS UNIT AMOUNT TYPE" for each
# running job with a binding
requests() {
	awk '
	{
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^JobId=/) job = substr($i, 7)
			if ($i ~ /^JobState=/) state = substr($i, 10)
			if ($i ~ /^NumTasks=/) tasks = substr($i, 10)
			if (state == "RUNNING" && $i ~ /binding=/) tell($i)
		}
	}
	function tell(line,    n, part, value) {
		sub(/.*binding=/, "", line)
		value["bunit"] = "C"
		value["btype"] = "slot"
		n = split(line, part, /[,=]/)
		for (n--; n > 0; n -= 2)
			value[part[n]] = part[n + 1]
		print job, tasks, value["bunit"], value["bamount"], value["btype"]
	}'
}

# not_whole - what is wrong with the CPUs that Slurm booked for bound jobs: on
# each node they are whole units and nothing else, amount of them for each task
# or for the node; slots have as many CPUs on all nodes of the job.
not_whole() {
	local jobs

	jobs=$(scontrol -d show job)
	{
		sed 's/^/unit /' "$work/units"
		requests <<<"$jobs" | sed 's/^/request /'
		awk -f "$test_dir/grants.awk" <<<"$jobs"
	} | awk '
	$1 == "unit" {
		number[$2, $3, $5] = $4
		size[$2, $3, $4]++
	}
	$1 == "request" {
		tasks[$2] = $3; unit[$2] = $4; amount[$2] = $5; type[$2] = $6
	}
	$1 == "cpu" && $2 in unit {
		key = $3 SUBSEP unit[$2] SUBSEP $4
		if (!(key in number))
			print "job", $2, "has", $3, $4, "of no", unit[$2]
		else
			has[$2, $3, number[key]]++
	}
	END {
		for (key in has) {
			split(key, at, SUBSEP)
			job = at[1]
			whole = size[at[2], unit[job], at[3]]
			if (has[key] != whole)
				print "job", job, "has", has[key], "of", whole, \
					"CPUs of", unit[job], at[3], "of", at[2]
			units[job, at[2]]++
			cpus[job, at[2]] += whole
			total[job]++
		}
		for (key in units) {
			split(key, at, SUBSEP)
			job = at[1]
			if (type[job] == "host" ? units[key] != amount[job] : \
			    units[key] % amount[job])
				print "job", job, "has", units[key], "units on", at[2]
			slot = cpus[key] * amount[job] / units[key]
			if (!(job in least) || slot < least[job])
				least[job] = slot
			if (slot > most[job])
				most[job] = slot
		}
		for (job in unit) {
			if (type[job] != "slot")
				continue
			if (total[job] != tasks[job] * amount[job])
				print "job", job, "of", tasks[job], "tasks has", \
					total[job], "units"
			if (least[job] != most[job])
				print "job", job, "has slots of", least[job], \
					"and", most[job], "CPUs"
		}
	}'
}

assert_whole() {
	local seen

	seen=$(not_whole)
	[ -z "$seen" ] || fail "$seen"
	assert_no_contradictions
}

# --- one job at a time --------------------------------------------------------

# nodes_of JOB - names as above, "three,trine"; cpus_of JOB
nodes_of() {
	scontrol show hostnames "$(job_field "$1" NodeList)" |
		sed "s/$number\$//" | paste -sd,
}

# gets NODES CPUS OPTION... - what a job gets now
gets() {
	local nodes=$1 cpus=$2 job

	shift 2
	job=$(alloc "$@")
	assert_eq "nodes of a job with $*" "$nodes" "$(nodes_of "$job")"
	assert_eq "its CPUs" "$cpus" "$(job_field "$job" NumCPUs)"
	assert_whole
	cancel "$job"
}

# never OPTION... - refused at submission
never() {
	refute sbatch -Q -o /dev/null "$@" --wrap true
}

# may_run OPTION... - accepted
may_run() {
	assert sbatch -Q -H -o /dev/null "$@" --wrap true
}

case_each_node() {
	local node unit cpus

	while read -r node unit cpus; do
		echo "$node $unit"
		gets "$node" "$cpus" -w "$node$number" -n1 \
			--bunit="$unit" --bamount=1
	done <<-END
	three X 3
	three S 6
	three N 6
	three C 1
	trine Y 1
	four X 8
	four C 2
	eight X 8
	eight N 16
	thread X 8
	thread C 2
	thread T 1
	bare X 6
	bare N 6
	hybrid X 4
	hybrid EX 4
	hybrid S 8
	hybrid C 2
	hybrid E 1
	END
}

# The smallest units that suffice, on as few nodes as Slurm likes.
case_finds_the_size() {
	local unit=(--bunit=X --bamount=1)

	gets three 3 -n1 "${unit[@]}"
	gets three,trine 12 -n4 "${unit[@]}"
	gets three,trine 6 -N2 -n2 "${unit[@]}"
	gets three,trine 9 -N2-4 -n3 "${unit[@]}"
	gets hybrid 4 -n1 -c4 "${unit[@]}"
	gets hybrid 8 -n2 -c4 "${unit[@]}"
	gets bare 6 -n1 -c5 "${unit[@]}"
	gets eight 24 -N1 -n3 -c5 "${unit[@]}"
	gets eight 32 -N1 -n4 "${unit[@]}"
	gets eight,four,thread 24 -N3 -n3 "${unit[@]}"
	gets eight,four,thread 64 -n8 "${unit[@]}"
	gets hybrid 4 -n1 --bunit=EX --bamount=1
	gets three 6 -n1 --bunit=X --bamount=2
	gets three,trine 12 -n2 --bunit=X --bamount=2
	gets eight,four 48 -n3 --bunit=X --bamount=2
	gets eight 32 -n1 --bunit=X --bamount=4
	gets thread 1 -w "thread$number" --bunit=T --bamount=1
}

# Once per node: sizes do not matter, and each node gives what is a unit there.
case_units_of_hosts() {
	local names=bare,eight,four,hybrid,thread,three,trine

	gets "$names" 40 -N7 --ntasks-per-node=1 --btype=host --bunit=X --bamount=1
	gets "$names" 74 -N7 --ntasks-per-node=2 --btype=host --bunit=S --bamount=1
	gets "$names" 40 -N7 -n10 --btype=host --bunit=X --bamount=1
	gets "$names" 40 -N7 -n7 -c2 --btype=host --bunit=X --bamount=1
	gets bare,eight,four,hybrid 52 -N4 -n4 --btype=host --bunit=X --bamount=2 \
		--bnodes=SLURM
	# As many CPUs as the node's tasks need.
	gets bare,eight,four,thread 30 -N4 -n4 -c5 --ntasks-per-node=1 \
		--bnodes=SLURM --btype=host --bunit=X --bamount=1
	# Where all are wanted to be equal: one task and slot per node.
	gets three,trine 12 -N2 --ntasks-per-node=1 --bunit=S --bamount=1 \
		--bnodes=SLURM
}

# Tasks of a host's units, and what each is told: as many as asked for on a
# node, although a larger node could have more.
case_tasks_of_hosts() {
	# shellcheck disable=SC2016 # the task's variables
	local tell='echo "$SLURMD_NODENAME $SLURM_TASKS_PER_NODE $TOPOBIND_CPUS"'

	assert_eq "tasks" "bare$number 2,1(x2) 0-5
bare$number 2,1(x2) 0-5
four$number 2,1(x2) 0-7
three$number 2,1(x2) 0-2" "$(srun -Q -w "bare$number,four$number,three$number" \
		-N3 -n4 --ntasks-per-node=2 --btype=host --bunit=X \
		--bamount=1 sh -c "$tell" | sort)"
}

case_only_what_can_never_be() {
	never -n9 --bunit=X --bamount=1
	never -N4 -n4 --bunit=X --bamount=1
	never -N2 -n2 -c5 --bunit=X --bamount=1 -w "bare$number"
	never -n1 -c9 --bunit=X --bamount=1
	never -n2 --bunit=X --bamount=4
	never -n3 --bunit=EX --bamount=1
	never -w "three$number,bare$number" -n2 --bunit=X --bamount=1
	never -N7 -n7 -c4 --btype=host --bunit=X --bamount=1
	# The host of 6 CPUs has the memory for these, that of 16 has not.
	never -w "three$number,eight$number" -N2 -n2 --mem-per-cpu=100000 \
		--btype=host --bunit=X --bamount=2
	may_run -w "three$number,eight$number" -N2 -n2 --mem-per-cpu=60000 \
		--btype=host --bunit=X --bamount=2
	may_run -n8 --bunit=X --bamount=1
	may_run -N3 -n6 --bunit=X --bamount=1
	may_run -w "three$number,trine$number" -n4 --bunit=X --bamount=1
	may_run -w "three$number,bare$number" -N2 --btype=host --bunit=X --bamount=1
	may_run -N7 -n7 -c3 --btype=host --bunit=X --bamount=1
}

# All slots of a job are equally large on a node of unlike units, too.
case_odd_node() {
	local node=odd$number unit=(--bunit=X --bamount=1) job

	wait_until 30 is_back "$node"
	gets odd 3 -w "$node" -N1 -n1 "${unit[@]}"
	gets odd 8 -w "$node" -N1 -n2 "${unit[@]}"
	gets odd 4 -w "$node" -N1 -n1 -c4 "${unit[@]}"
	gets odd 7 -w "$node" -N1 -n1 --bunit=X --bamount=2
	gets odd 8 -w "$node" -N1 -n1 -c8 --bunit=X --bamount=2
	gets odd 13 -w "$node" -N1 -n1 --bunit=X --bamount=4
	gets odd 13 -w "$node" -N1 -n3 --btype=host --bunit=X --bamount=4
	never -w "$node" -N1 -n3 "${unit[@]}"
	never -w "$node" -N1 -n1 -c5 "${unit[@]}"
	job=$(alloc -w "$node" -N1 -n2 "${unit[@]}")
	assert_granted "$job" "$node" 3-10
	# shellcheck disable=SC2016 # the task's variables
	assert_eq "its steps" "$node 3-6
$node 7-10" "$(srun -Q --jobid="$job" -n2 sh -c 'echo $SLURMD_NODENAME $TOPOBIND_CPUS' |
		sort)"
	gets odd 3 -w "$node" -N1 -n1 "${unit[@]}"
	refuses -w "$node" -N1 -n2 "${unit[@]}"
}

is_back() {
	scontrol update NodeName="$1" State=resume 2>/dev/null || true
	[[ $(node_shows "$1" %T) =~ ^(idle|mixed|allocated)$ ]]
}

# --- what is busy --------------------------------------------------------------

# keep MINUTES NODE AMOUNT [OPTION...] - units X of a node are in use until then
keep() {
	local minutes=$1 node=$2 amount=$3

	shift 3
	alloc -t "$minutes" -w "$node$number" "$@" --btype=host --bunit=X \
		--bamount="$amount" >/dev/null
}

# Nobody waits who could run with larger units.
case_next_size() {
	keep 10 three 2
	keep 10 trine 1
	gets trine 3 -n1 --bunit=X --bamount=1
	gets hybrid 8 -n2 --bunit=X --bamount=1
	gets eight,four 40 -n5 --bunit=X --bamount=1
	keep 10 trine 1
	keep 10 hybrid 1
	gets hybrid 4 -n1 --bunit=X --bamount=1
	gets bare 12 -n2 --bunit=X --bamount=1
	keep 10 bare 2
	gets eight 24 -N1 -n3 --bunit=X --bamount=1
	# Memory is a reason, too.
	drain
	alloc -w "three$number,trine$number" -N2 -n2 --mem=999000 >/dev/null
	gets hybrid 4 -n1 --mem=2000 --bunit=X --bamount=1
}

case_waits_for_a_size() {
	local job

	keep 10 three 2
	keep 10 trine 2
	keep 10 hybrid 2
	keep 10 bare 2
	keep 10 four 2
	keep 10 thread 2
	keep 10 eight 3
	job=$(batch -n2 --bunit=X --bamount=1)
	wait_until 30 was_passed_over "$job"
	cancel "$(squeue -h -w "hybrid$number" -o %A)"
	wait_until 30 runs "$job"
	assert_eq nodes hybrid "$(nodes_of "$job")"
	assert_whole
}

# told OPTION... - "MINUTES NODES" that --test-only promises
told() {
	local output start nodes

	output=$(sbatch --test-only "$@" --wrap true 2>&1)
	start=$(sed -n 's/.* to start at \([^ ]*\) .*/\1/p' <<<"$output")
	[ -n "$start" ] || fail "no start was told: $* $output"
	nodes=$(sed -n 's/.* on nodes \([^ ]*\) .*/\1/p' <<<"$output")
	nodes=$(scontrol show hostnames "$nodes" | sed "s/$number\$//" |
		paste -sd,)
	echo "$((($(date -d "$start" +%s) - EPOCHSECONDS + 300) / 600)) $nodes"
}

# Times in tens of minutes, so that slow machines tell the same.
keep_all_but_odd() {
	keep 60 three 2
	keep 60 trine 2
	keep 30 hybrid 2
	keep 90 bare 2
	keep 10 eight 4
	keep 20 four 2
	keep 50 thread 2
}

case_soonest_size() {
	keep_all_but_odd
	assert_eq "one" "1 eight" "$(told -n1 --bunit=X --bamount=1)"
	assert_eq "five" "2 eight,four" "$(told -n5 --bunit=X --bamount=1)"
	assert_eq "on three" "5 eight,four,thread" \
		"$(told -N3 -n3 --bunit=X --bamount=1)"
	assert_eq "EX" "0 hybrid" "$(told -n1 --bunit=EX --bamount=1)"
	assert_eq "on two" "2 eight,four" "$(told -N2 -n2 --bunit=X --bamount=1)"
	assert_eq "hosts" "3 eight,four,hybrid" \
		"$(told -N3 -n3 --btype=host --bunit=X --bamount=1)"
}

# The units of the smallest are free, its memory is not.
case_soonest_memory() {
	alloc -t 60 -w "three$number,trine$number" -N2 -n2 --mem=900000 >/dev/null
	keep 30 hybrid 2
	keep 90 bare 2
	keep 10 eight 4
	keep 10 four 2
	keep 10 thread 2
	assert_eq "little memory" "0 three" \
		"$(told -n1 --mem=1000 --bunit=X --bamount=1)"
	assert_eq "much memory" "1 eight" \
		"$(told -n1 -w "eight$number" --mem=500000 --bunit=X --bamount=1)"
	assert_contains "much memory anywhere" "1 " \
		"$(told -n1 --mem=500000 --bunit=X --bamount=1)"
}

# As squeue --start shows it.
case_backfill_plans_the_soonest() {
	local job

	keep_all_but_odd
	job=$(batch -t 30 -n2 --bunit=X --bamount=1)
	wait_until 30 starts_in_tens "$job" 1
}

starts_in_tens() {
	local start

	start=$(squeue --start -h -j "$1" -o %S)
	[ "$start" != N/A ] || return 1
	start=$(date -d "$start" +%s)
	[ $(((start - EPOCHSECONDS + 300) / 600)) -eq "$2" ]
}

# --- many ----------------------------------------------------------------------

units=(X X X X X S N C Y EX E)

# Options of a random job, into the array options.  Some can never run.
random_options() {
	options=(--bunit="${units[RANDOM % ${#units[@]}]}"
		--bamount=$((RANDOM % 2 + 1)))
	if [ $((RANDOM % 3)) -eq 0 ]; then
		options+=(--btype=host -N $((RANDOM % 4 + 1)))
		[ $((RANDOM % 2)) -gt 0 ] || options+=(--ntasks-per-node=2)
		return
	fi
	options+=(-n $((RANDOM % 4 + 1)))
	[ $((RANDOM % 3)) -gt 0 ] || options+=(-N $((RANDOM % 2 + 1)))
	[ $((RANDOM % 4)) -gt 0 ] || options+=(-c $((RANDOM % 8 + 1)))
}

case_random_jobs() {
	local i options ids=() id refused=0

	RANDOM=1234
	for ((i = 0; i < 80; i++)); do
		random_options
		if id=$(sbatch --parsable -o /dev/null --mem=1 -t 1 \
			-J "${options[*]}" "${options[@]}" \
			--wrap 'exec sleep 1' 2>/dev/null); then
			ids+=("$id")
		else
			refused=$((refused + 1))
		fi
		[ $((i % 10)) -ne 9 ] || assert_whole
	done
	echo "${#ids[@]} submitted, $refused refused"
	assert [ "${#ids[@]}" -ge 50 ]
	wait_until 200 all_over_and_whole
	for id in "${ids[@]}"; do
		assert_eq "state of job $id" COMPLETED "$(job_field "$id" JobState)"
	done
}

all_over_and_whole() {
	assert_whole
	no_jobs
}

start
number=${NODE_THREE#three}
all_units >"$work/units"
scontrol update NodeName="odd$number" State=drain Reason=test
test_case "units of each node" case_each_node
test_case "the smallest units that suffice" case_finds_the_size
test_case "units of hosts are as large as each node's" case_units_of_hosts
test_case "as many tasks on a host as asked for" case_tasks_of_hosts
test_case "refused is only what can never be" case_only_what_can_never_be
test_case "the next size, when the first is busy" case_next_size
test_case "what waits starts with the size that is free first" \
	case_waits_for_a_size
test_case "--test-only: the size that is free first" case_soonest_size
test_case "--test-only: and the memory with it" case_soonest_memory
test_case "backfill plans with the size that is free first" \
	case_backfill_plans_the_soonest
test_case "a node of unlike units" case_odd_node
test_case "random jobs have whole units, of one size" case_random_jobs
tests_done
