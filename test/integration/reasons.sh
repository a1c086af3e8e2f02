#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reasons - what squeue and scontrol say a bound job waits for: in units, as
# many as the nodes' m_topology_inuse= has, and Slurm's own reason for all else
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# --- what must be told, counted by the letters of the strings ---------------------

# free_units NODE LETTER - whole units, total, unused threads, all threads.  The
# nodes of this test have their letters in the order N S X Y C T.
count_units() {
	node_token "$1" m_topology_inuse | awk -v letter="$2" '
	function finish() {
		total += inside
		free += inside && unused
		inside = 0
	}
	{
		outside = substr("NSXYCT", 1, index("NSXYCT", letter))
		thread = /[Tt]/ ? "T" : "C"
		for (i = 1; i <= length($0); i++) {
			character = substr($0, i, 1)
			capital = toupper(character)
			if (index(outside, capital)) {
				finish()
				inside = capital == letter
				unused = 1
			}
			if (character != capital)
				unused = 0
			if (capital == thread) {
				threads++
				idle += character == capital
			}
		}
		finish()
		print free, total, idle, threads
	}'
}

# sentence WHO UNIT AMOUNT NODE... - of no node that has enough
sentence() {
	local who=$1 unit=$2 amount=$3 node

	shift 3
	for node; do
		count_units "$node" "$unit"
	done | awk -v who="$who" -v unit="$unit" -v amount="$amount" '
	{
		nodes[$1 < 7 ? $1 : 7]++
		fragmented += $3 >= amount * ($4 / $2)
	}
	END {
		text = "no " who " has " amount " free " unit " unit" \
			(amount == 1 ? "" : "s")
		separator = ":"
		for (units = 7; units >= 0; units--) {
			if (!(units in nodes))
				continue
			text = text separator " " nodes[units] \
				(nodes[units] == 1 ? " node has " : " nodes have ") \
				units (units == 7 ? " or more" : "")
			separator = ","
		}
		print text " (fragmented: " fragmented + 0 ")"
	}'
}

# --- what is told -----------------------------------------------------------------

# The sentence in SystemComment; empty when there is none.
waiting_of() {
	scontrol show job "$1" 2>/dev/null |
		sed -n 's/^ *SystemComment=.*waiting=//p' |
		sed 's/ *$//'
}

tells() {
	[ "$(waiting_of "$1")" = "$2" ]
}

# The whole of the reason, as squeue has it.
reason() {
	squeue -h -j "$1" -o %r 2>/dev/null
}

has_reason() {
	[ "$(reason "$1")" = "$2" ]
}

# assert_told JOB SENTENCE - in both places.  The scheduler wipes the reason
# whenever it looks at the job, and it comes back.
assert_told() {
	wait_until 20 tells "$1" "$2"
	wait_until 20 has_reason "$1" "$2"
}

# assert_not_units JOB REASON - Slurm's, and nothing is told of units
assert_not_units() {
	wait_until 20 has_reason "$1" "$2"
	wait_until 20 tells "$1" ""
}

# --- units ------------------------------------------------------------------------

# Some CPUs of each node are in use.
occupy() {
	local node

	RANDOM=$1
	for node in "$NODE_ZEN" "$NODE_TWIN" "$NODE_SKYLAKE"; do
		alloc -w "$node" --bcpus="$(random_cpus $((2 + RANDOM % 12)))" \
			>/dev/null
	done
}

random_cpus() {
	local i

	for ((i = 0; i < $1; i++)); do
		echo $((RANDOM % 72))
	done | sort -nu | paste -s -d,
}

# One more than any of the nodes has free.
too_many() {
	local unit=$1 node

	shift
	for node; do
		count_units "$node" "$unit"
	done | sort -n | awk 'END { print $1 + 1 }'
}

# check_sentence WHO UNIT NODES OPTION... - of a job that needs one unit too many
check_sentence() {
	local who=$1 unit=$2 job amount
	local -a nodes

	read -r -a nodes <<<"$3"
	shift 3
	amount=$(too_many "$unit" "${nodes[@]}")
	job=$(batch -N1 --bunit="$unit" --bamount="$amount" "$@")
	assert_told "$job" "$(sentence "$who" "$unit" "$amount" "${nodes[@]}")"
	cancel "$job"
}

case_units() {
	local seed unit

	for seed in 11 12 13; do
		occupy "$seed"
		for unit in X S C; do
			check_sentence node "$unit" \
				"$NODE_ZEN $NODE_TWIN $NODE_SKYLAKE"
		done
		check_sentence "required node" X "$NODE_TWIN" -w "$NODE_TWIN"
		check_sentence node X "$NODE_ZEN $NODE_TWIN" -x "$NODE_SKYLAKE"
		drain
	done
}

# Of units that are free nowhere: twelve nodes are told as three are here.
case_no_unit_at_all() {
	local job

	alloc -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	alloc -w "$NODE_TWIN" --bcpus=0,48 >/dev/null
	alloc -w "$NODE_SKYLAKE" --bcpus=0 >/dev/null
	job=$(batch -N1 --bunit=S --bamount=2)
	assert_told "$job" \
		"no node has 2 free S units: 1 node has 1, 2 nodes have 0 (fragmented: 0)"
	cancel "$job"
	job=$(batch -N1 --bunit=S --bamount=1 -w "$NODE_ZEN")
	assert_told "$job" \
		"no required node has 1 free S unit: 1 node has 0 (fragmented: 1)"
}

case_slots() {
	local free=0 job node

	occupy 21
	for node in "$NODE_ZEN" "$NODE_TWIN"; do
		read -r units _ < <(count_units "$node" X)
		free=$((free + units))
	done
	job=$(batch -N2 -n30 -x "$NODE_SKYLAKE" --bunit=X --bamount=1)
	assert_told "$job" \
		"only $free of 30 slots (1 X each) are free, on 2 nodes"
}

case_listed_cpus() {
	local job

	alloc -w "$NODE_ZEN" --bcpus=5 >/dev/null
	alloc -w "$NODE_TWIN" --bcpus=4 >/dev/null
	alloc -w "$NODE_SKYLAKE" --bcpus=2-3 >/dev/null
	job=$(batch -N1 --bcpus=0-5)
	assert_told "$job" \
		"no node has CPUs 0-5 free: 3 nodes have some of them in use"
}

# --- what the job says beside the binding --------------------------------------------

case_own_filter() {
	local job

	alloc -w "$NODE_ZEN" --bcpus=2,48 >/dev/null
	job=$(batch -N1 -w "$NODE_ZEN" --bunit=S --bamount=1 \
		--bfilter=first_core)
	assert_told "$job" \
		"no required node has 1 free S unit: 1 node has 0 (fragmented: 1)"
}

hold_two_nodes() {
	alloc -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	alloc -w "$NODE_TWIN" --bcpus=0,48 >/dev/null
}

case_too_few_nodes() {
	local job

	alloc -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	job=$(batch -N2 -n2 -w "$NODE_ZEN,$NODE_TWIN" --bunit=S --bamount=1)
	assert_told "$job" "only 1 of 2 required nodes has 1 free S unit"
	cancel "$job"
	alloc -w "$NODE_TWIN" --bcpus=0,48 >/dev/null
	job=$(batch -N2 -n2 --bunit=S --bamount=1)
	assert_told "$job" "only 1 of 2 nodes has 1 free S unit"
	cancel "$job"
	job=$(batch -N2 -n2 --btype=host --bunit=S --bamount=1)
	assert_told "$job" "only 1 of 2 nodes has 1 free S unit"
}

# A socket of the one that is idle has 36 CPUs.
case_large_tasks() {
	local job

	hold_two_nodes
	job=$(batch -N1 -c40 --bunit=S --bamount=1)
	assert_told "$job" "no node has 1 free S unit with 40 CPUs"
}

# Backfill looks at more nodes than the main scheduler does, and says the same.
assert_told_by_both() {
	assert_told "$@"
	told_until $(($(rounds Main) + 3)) $(($(rounds Backfilling) + 3)) "$@"
}

# told_until MAIN BACKFILL JOB SENTENCE - until both schedulers have come so far
told_until() {
	local main=$1 backfill=$2

	shift 2
	wait_until 60 told_by_rounds "$main" "$backfill" "$@"
}

told_by_rounds() {
	assert tells "$3" "$4"
	[ "$(rounds Main)" -ge "$1" ] && [ "$(rounds Backfilling)" -ge "$2" ]
}

case_exclusive() {
	local job

	hold_two_nodes
	job=$(batch -N1 --exclusive --bunit=X --bamount=4)
	assert_told_by_both "$job" \
		"no node has 4 free X units: 1 node has 2 (fragmented: 0); 2 more nodes could, but have jobs and it wants nodes of its own"
	cancel "$job"
	job=$(batch -N1 --exclusive -w "$NODE_ZEN" --bunit=X --bamount=4)
	assert_told "$job" \
		"no required node has 4 free X units (fragmented: 0); 1 more node could, but has jobs and it wants nodes of its own"
}

# --- what is free with them -------------------------------------------------------

case_memory() {
	local job

	alloc -w "$NODE_ZEN" --mem=900000 --bcpus=0 >/dev/null
	alloc -w "$NODE_TWIN" --mem=950000 --bcpus=0 >/dev/null
	job=$(batch -N1 -x "$NODE_SKYLAKE" --mem=200000 --bunit=X --bamount=1)
	assert_told "$job" \
		"units are free on 2 nodes, of which 2 have too little memory"
	cancel "$job"
	job=$(batch -N1 -w "$NODE_TWIN" --mem-per-cpu=10000 --bunit=X --bamount=1)
	assert_told "$job" \
		"units are free on 1 node, of which 1 has too little memory"
}

# Two of the three nodes have none at all, and one has given them out.
case_gres() {
	local holder job

	holder=$(alloc -w "$NODE_ZEN" --gres=gpu:2 --bcpus=0)
	job=$(batch -N1 -w "$NODE_ZEN" --gres=gpu:1 --bunit=X --bamount=1)
	assert_told "$job" \
		"units are free on 1 node, but not the GRES with them"
	cancel "$job"
	job=$(batch -N1 --gres=gpu:1 --bunit=X --bamount=1)
	assert_told "$job" \
		"units are free on 3 nodes, but not the GRES with them"
	cancel "$holder"
	wait_until 20 runs "$job"
}

# --- what has nothing to do with units --------------------------------------------

# A job that waits for units, and for something else as well: that is told, and
# when it is over, the units again.
waits_for_socket() {
	alloc -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	batch -N1 -p virtual -w "$NODE_ZEN" --bunit=S --bamount=1
}
socket_sentence="no required node has 1 free S unit: 1 node has 0 (fragmented: 1)"

case_held() {
	local job

	job=$(waits_for_socket)
	assert_told "$job" "$socket_sentence"
	scontrol hold "$job"
	assert_not_units "$job" JobHeldAdmin
	assert_eq "its binding" bunit=S,bamount=1 "$(binding "$job")"
	scontrol release "$job"
	assert_told "$job" "$socket_sentence"
}

case_partition_down() {
	local job

	job=$(waits_for_socket)
	assert_told "$job" "$socket_sentence"
	scontrol update PartitionName=virtual State=DOWN
	assert_not_units "$job" PartitionDown
	scontrol update PartitionName=virtual State=UP
	assert_told "$job" "$socket_sentence"
}

case_node_drained() {
	local job reason="ReqNodeNotAvail, UnavailableNodes:$NODE_ZEN"

	# Slurm 24.11 names only those that are down.
	! slurm_is_from 24.11 ||
		reason="ReqNodeNotAvail, May be reserved for other job"
	job=$(waits_for_socket)
	assert_told "$job" "$socket_sentence"
	scontrol update NodeName="$NODE_ZEN" State=DRAIN Reason=test
	assert_not_units "$job" "$reason"
	scontrol update NodeName="$NODE_ZEN" State=RESUME
	assert_told "$job" "$socket_sentence"
}

case_begin() {
	local job

	job=$(waits_for_socket)
	assert_told "$job" "$socket_sentence"
	scontrol update job="$job" StartTime=now+1hour
	assert_not_units "$job" BeginTime
}

case_dependency() {
	local first job

	first=$(waits_for_socket)
	job=$(batch -N1 -w "$NODE_ZEN" --bunit=X --bamount=1 \
		--dependency="afterany:$first")
	assert_not_units "$job" Dependency
}

case_reservation() {
	local job

	scontrol create reservation ReservationName=later StartTime=now+1hour \
		Duration=10 Nodes="$NODE_ZEN" Users=root >/dev/null
	job=$(batch -N1 --reservation=later --bunit=X --bamount=1)
	assert_not_units "$job" Reservation
	cancel "$job"
	scontrol delete ReservationName=later
}

# Slurm says of the second that the first comes first.
case_behind_another() {
	local job

	alloc -w "$NODE_ZEN" --bcpus=0,48 >/dev/null
	alloc -w "$NODE_TWIN" --bcpus=0,48 >/dev/null
	alloc -w "$NODE_SKYLAKE" --bcpus=0,36 >/dev/null
	batch -N1 -t 60 --bunit=S --bamount=1 >/dev/null
	job=$(batch -N1 -t 60 --bunit=S --bamount=1)
	wait_until 20 has_reason "$job" Priority
	# Of the nodes that backfill has not planned the first one on.
	wait_until 20 tells "$job" \
		"no node has 1 free S unit: 2 nodes have 0 (fragmented: 2)"
	assert_eq "reason" Priority "$(reason "$job")"
}

# What was true once and is not any more is not told.
case_sentence_goes() {
	local first job

	first=$(alloc -w "$NODE_ZEN" --bcpus=0,48)
	job=$(batch -N1 -w "$NODE_ZEN" --bunit=S --bamount=1)
	assert_told "$job" "$socket_sentence"
	cancel "$first"
	wait_until 20 runs "$job"
	assert_eq "sentence" "" "$(waiting_of "$job")"
}

case_restart() {
	local job

	job=$(waits_for_socket)
	assert_told "$job" "$socket_sentence"
	daemon slurmctld stop
	daemon slurmctld start
	wait_until 60 has_reason "$job" "$socket_sentence"
	scontrol hold "$job"
	assert_not_units "$job" JobHeldAdmin
}

# --- limits of Slurm's ----------------------------------------------------------------

case_cpus_of_a_partition() {
	local first job

	# Jobs of other partitions do not count.
	alloc -w "$NODE_ZEN" --bunit=X --bamount=2 >/dev/null
	first=$(alloc -p limited -w "$NODE_ZEN" --bunit=X --bamount=1)
	job=$(batch -p limited -N1 -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_told "$job" "units are free, but jobs of partition limited may not have so many CPUs more of a node (MaxCPUsPerNode=8)"
	cancel "$first"
	wait_until 20 runs "$job"
	assert_eq "sentence" "" "$(waiting_of "$job")"
}

# Up to Slurm 25.05.2 the cores of a socket that the job is not offered count, too, and
# are more than the limit allows.  Later only jobs of the partition do.
case_cpus_of_a_socket() {
	local first='' job

	! slurm_is_from 25.05.3 || first=$(alloc -p sockets -w "$NODE_ZEN" \
		-N1 --bunit=C --bamount=4)
	job=$(batch -p sockets -N1 -w "$NODE_ZEN" --bunit=X --bamount=1)
	assert_told "$job" "units are free, but jobs of partition sockets may not have so many CPUs more of a socket (MaxCPUsPerSocket=8)"
	[ -n "$first" ] || return 0
	cancel "$first"
	wait_until 20 runs "$job"
	assert_eq "sentence" "" "$(waiting_of "$job")"
}

# zen is behind one switch, the others behind another.
with_switches() {
	printf '%s\n' "SwitchName=left Nodes=$NODE_ZEN" \
		"SwitchName=right Nodes=$NODE_TWIN,$NODE_SKYLAKE" \
		"SwitchName=top Switches=left,right" >"$cluster/etc/topology.conf"
	echo TopologyPlugin=topology/tree >>"$cluster/etc/slurm.conf"
	restart_slurmctld
	wait_until 60 nodes_answer
}

case_switches() {
	local first job

	first=$(alloc -w "$NODE_SKYLAKE" --exclusive)
	job=$(batch -N2 -n2 --ntasks-per-node=1 --switches=1@60 \
		--bunit=C --bamount=1)
	assert_told "$job" "units are free, but not on nodes of 1 switch, as --switches asks"
	cancel "$first"
	wait_until 20 runs "$job"
	assert_eq "sentence" "" "$(waiting_of "$job")"
}

# As a plain job does, it waits for them and keeps nobody else waiting.
case_licenses() {
	local holder job other

	holder=$(alloc -t 10 -n1 -w "$NODE_ZEN" -L tool:2)
	assert_eq "start" "$(told -n1 -L tool:1)" \
		"$(told -n1 -L tool:1 --bunit=C --bamount=1)"
	job=$(batch -n1 -L tool:1 --bunit=C --bamount=1)
	other=$(batch -n1 --bunit=C --bamount=1)
	wait_until 20 runs "$other"
	wait_until 20 waits_for_licenses "$job"
	assert_eq "sentence" "" "$(waiting_of "$job")"
	cancel "$holder"
	wait_until 20 runs "$job"
}

waits_for_licenses() {
	is_pending "$1" && [ "$(squeue -h -j "$1" -o %r)" = Licenses ]
}

# fates JOB... - states and time limits, a line each
fates() {
	local job

	for job; do
		echo "$(job_field "$job" JobState) $(job_field "$job" TimeLimit)"
	done
}

# A plain job beside a bound one: the same becomes of both.
case_deadline() {
	local first plain bound options

	options=(-N1 -w "$NODE_ZEN" -t 60 --time-min=2 --deadline=now+10minutes)
	plain=$(batch -n1 "${options[@]}")
	bound=$(batch -n1 --bunit=C --bamount=1 "${options[@]}")
	wait_until 60 runs "$plain"
	wait_until 60 runs "$bound"
	[ "$(fates "$plain" "$bound" | sed 's/ 00:\(09\|10\):.*/ in time/' |
		sort -u)" = "RUNNING in time" ] ||
		fail "they differ: $(fates "$plain" "$bound")"
	cancel "$plain" "$bound"
	first=$(alloc -w "$NODE_ZEN" --exclusive)
	options=(-N1 -w "$NODE_ZEN" -t 1 --deadline=now+70)
	plain=$(batch -n1 "${options[@]}")
	bound=$(batch -n1 --bunit=C --bamount=1 "${options[@]}")
	wait_until 60 job_has_state "$plain" DEADLINE
	wait_until 60 job_has_state "$bound" DEADLINE
	cancel "$first"
}

# A file that slurmctld refuses changes nothing: sentences are corrected further on.
case_refused_reconfigure() {
	local job

	job=$(waits_for_socket)
	assert_told "$job" "$socket_sentence"
	reconfigure_refused_with Nonsense=yes
	scontrol hold "$job"
	assert_not_units "$job" JobHeldAdmin
	conf_with
}

socket_limit=()
! slurm_is_from 23.02 || socket_limit=(--slurm
	"PartitionName=sockets Nodes=ALL MaxCPUsPerSocket=8 DefaultTime=10")
cluster_start --nodes zen,twin,skylake --slurm GresTypes=gpu \
	--slurm Licenses=tool:2 --slurm \
	"PartitionName=limited Nodes=ALL MaxCPUsPerNode=8 DefaultTime=10" \
	"${socket_limit[@]}"
test_case "units: as many as the nodes' records have" case_units
test_case "no unit at all" case_no_unit_at_all
test_case "slots on several nodes" case_slots
test_case "a list of CPUs" case_listed_cpus
test_case "a filter of its own" case_own_filter
test_case "too few nodes" case_too_few_nodes
test_case "tasks that are larger than what is free" case_large_tasks
test_case "nodes of its own" case_exclusive
test_case "too little memory" case_memory
test_case "held, and released" case_held
test_case "partition down, and up" case_partition_down
test_case "node drained, and resumed" case_node_drained
test_case "a later begin" case_begin
test_case "a dependency" case_dependency
test_case "a reservation" case_reservation
test_case "behind another job" case_behind_another
test_case "a sentence goes when it is not true any more" case_sentence_goes
test_case "slurmctld was restarted" case_restart
test_case "a reconfigure that is refused" case_refused_reconfigure
test_case "a deadline" case_deadline
test_case "licenses" case_licenses
test_case "the CPUs of a partition" case_cpus_of_a_partition
! slurm_is_from 23.02 ||
	test_case "the CPUs of a partition on a socket" case_cpus_of_a_socket
with_switches
test_case "switches" case_switches
sed -i /^TopologyPlugin=topology.tree/d "$cluster/etc/slurm.conf"
give_gpus
test_case "units, but no GRES with them" case_gres
tests_done
