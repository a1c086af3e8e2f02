#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reserve - topobind reserve: exactly such units, at that time, for nobody else
#
# RESERVATIONS=500 test/run integration reserve: so many random ones.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# make OPTION... - a reservation for root
make() {
	topobind reserve --user=root "$@" >"$work/made" ||
		fail "not reserved: $*"
}

# Also those of a case that failed, and jobs in them before.
unreserve() {
	local name

	cancel_all
	for name in "$NODE_ALBA" "$NODE_BORA" "$NODE_RAPTOR"; do
		[[ $(node_shows "$name" %T) != drain* ]] ||
			scontrol update NodeName="$name" State=RESUME
	done
	wait_until 60 nodes_answer
	for name in $(reservations); do
		wait_until 20 scontrol delete ReservationName="$name"
	done
}

reservations() {
	scontrol show reservation | sed -n 's/^ReservationName=\([^ ]*\).*/\1/p'
}

# Of all: "NAME START END NODE CORE" for each core; later ones that 22.05 has not yet
# saved have none.
reserved_cores() {
	scontrol show reservation | tr ' ' '\n' | sed 's/^ *//' | awk -F = '
	$1 == "ReservationName" { name = $2 }
	$1 == "StartTime" { start = $2 }
	$1 == "EndTime" { end = $2 }
	$1 == "NodeName" { node = $2 }
	$1 == "CoreIDs" {
		n = split($2, parts, ",")
		for (i = 1; i <= n; i++) {
			m = split(parts[i], range, "-")
			for (core = range[1]; core <= range[m]; core++)
				print name, seconds(start), seconds(end), node, core
		}
	}
	function seconds(time) {
		gsub(/[-T:]/, " ", time)
		return mktime(time)
	}'
}

# shows_cores NAME - Slurm 22.05 does when it has saved its state
shows_cores() {
	reserved_cores | grep -q "^$1 "
}

# cores_of NAME [NODE] - as a list
cores_of() {
	wait_until 20 shows_cores "$1"

	reserved_cores | awk -v name="$1" -v node="${2:-}" \
		'$1 == name && (node == "" || $4 == node) { print $5 }' | as_list
}

# What its record says, as threads.  From 26.05 on a thread writes it, a bit later.
reserved_of() {
	lower_threads "$(node_token "$1" m_topology_reserved)"
}

has_reserved() {
	[ "$(reserved_of "$1")" = "$2" ]
}

waits() {
	local job

	job=$(batch "$@") || return
	wait_until 20 was_passed_over "$job" >&2
	assert is_pending "$job" >&2
	echo "$job"
}

case_made() {
	unreserve
	make --name=a --bunit=X --bamount=2 -n 3 --start=now+1hour \
		--duration=30 -w "$NODE_ALBA"
	assert_eq "cores" 0-23 "$(cores_of a)"
	assert_contains "list" "$NODE_ALBA threads 0-47" "$(topobind reserve)"
	assert_contains "list" "bunit=X,bamount=2" "$(topobind reserve)"
	wait_until 10 has_reserved "$NODE_ALBA" 0-47
	assert_eq "other node" "" "$(node_token "$NODE_RAPTOR" m_topology_reserved)"
	assert_eq "topobind nodes" 24 \
		"$(topobind nodes -h -o %r "$NODE_ALBA" | tr -d ' ')"
	assert_eq "topobind map" 48 "$(topobind map "$NODE_ALBA" |
		sed '/reserved now/,$d' | tr -cd '~' | wc -c)"
	topobind reserve --json >"$work/json"
	assert_eq "JSON" "0-47" \
		"$(jq -r '.reservations[].nodes[].threads' "$work/json")"
	topobind reserve --delete a
	assert_eq "reservations" "" "$(reservations)"
	wait_until 10 has_reserved "$NODE_ALBA" ""
}

# Where a core of Slurm's is a thread, too.
case_threads() {
	unreserve
	make --name=a --bunit=C --bamount=1 -n 2 --duration=30 -w "$NODE_RAPTOR"
	wait_until 10 has_reserved "$NODE_RAPTOR" 0-3
	make --name=b --bunit=T --bamount=1 --duration=30 -w "$NODE_RAPTOR"
	wait_until 10 has_reserved "$NODE_RAPTOR" 0-4
	# Once on each of so many nodes.
	make --name=c --btype=host --bunit=X --bamount=1 -N 2 --duration=30
	assert_eq "nodes" 2 "$(topobind reserve --json |
		jq '.reservations[] | select(.name == "c").nodes | length')"
	# There are no three NUMA nodes.
	make --name=d --bunit='N:3|X:3' --start=now+2hours --duration=30 \
		-w "$NODE_BORA"
	assert_contains "cores" "CoreCnt=12 " "$(scontrol show reservation d)"
}

# Now: the units are for jobs in it, and these have no others.
case_inside_and_outside() {
	local inside outside waiting

	unreserve
	make --name=a --bunit=X --bamount=4 -n 2 --duration=30 -w "$NODE_ALBA"
	wait_until 10 has_reserved "$NODE_ALBA" 0-63
	outside=$(alloc -w "$NODE_ALBA" --bunit=X --bamount=8)
	assert_granted "$outside" "$NODE_ALBA" 64-127
	waiting=$(waits -w "$NODE_ALBA" --bunit=C --bamount=1)
	assert_contains "explain" "reserved by a" "$(topobind explain "$waiting")"
	inside=$(alloc --reservation=a -n2 --bunit=X --bamount=4)
	assert_granted "$inside" "$NODE_ALBA" 0-63
	cancel "$outside"
	wait_until 20 runs "$waiting"
	outside=$(waits --reservation=a --bunit=C --bamount=1)
	assert_no_contradictions
	cancel "$inside"
	wait_until 20 runs "$outside"
	assert_granted "$outside" "$NODE_ALBA" 0-1
}

# Later: jobs that end before may have the units, those that would not may not.
case_later() {
	local long short over

	unreserve
	make --name=a --bunit=S --bamount=1 -n 2 --start=now+20minutes \
		--duration=30 -w "$NODE_ALBA"
	long=$(waits -t 30 -w "$NODE_ALBA" --bunit=C --bamount=1)
	short=$(alloc -t 10 -w "$NODE_ALBA" --bunit=S --bamount=1)
	assert_granted "$short" "$NODE_ALBA" 0-63
	# What runs until then is no hindrance; what runs longer is.
	exits 1 "too few free units" topobind reserve --user=root --bunit=C \
		--bamount=1 --start=now+25minutes --duration=5 -w "$NODE_ALBA"
	make --name=b --bunit=S --bamount=2 --start=now+2hours --duration=30 \
		-w "$NODE_ALBA"
	exits 1 "too few free units" topobind reserve --user=root --bunit=S \
		--bamount=2 --duration=5 -w "$NODE_ALBA"
	assert is_pending "$long"
	over=$(alloc -t 10 -w "$NODE_ALBA" --bunit=S --bamount=1)
	assert_granted "$over" "$NODE_ALBA" 64-127
	assert_no_contradictions
}

case_update() {
	local before

	unreserve
	make --name=a --bunit=X --bamount=1 -n 2 --start=now+1hour \
		--duration=30 -w "$NODE_ALBA"
	make --name=b --bunit=X --bamount=16 --start=now+2hours --duration=30 \
		-w "$NODE_ALBA"
	alloc -t 10 -w "$NODE_ALBA" --bunit=C --bamount=1 >/dev/null
	wait_until 10 has_reserved "$NODE_ALBA" 0-127
	before=0-127
	topobind reserve --update a --duration=40 >/dev/null
	assert_contains "longer" "Duration=00:40:00" \
		"$(scontrol show reservation a)"
	exits 2 "reservation b has some of its units" \
		topobind reserve --update a --duration=90
	topobind reserve --update a --start=now+50minutes --duration=20 >/dev/null
	assert_contains "shorter" "Duration=00:20:00" \
		"$(scontrol show reservation a)"
	topobind reserve --update a --user=root,daemon >/dev/null
	assert_contains "users" "Users=root,daemon" \
		"$(scontrol show reservation a)"
	scontrol update ReservationName=a Duration=25 Flags=IGNORE_JOBS >/dev/null
	wait_until 10 has_reserved "$NODE_ALBA" "$before"
	scontrol delete ReservationName=a
	exits 2 'no reservation "a"' topobind reserve --delete a
	exits 2 'no reservation "a"' topobind reserve --update a --duration=5
}

any_is_reserved() {
	[ -n "$(reserved_of "$NODE_ALBA")$(reserved_of "$NODE_BORA")" ]
}

# Slurm looks for another node, every half a minute and when it reads its files, and
# topobind for such units there.  Only two nodes have them, one of which less.
case_node_fails() {
	local node other=$NODE_BORA wanted=8-103

	unreserve
	alloc -t 90 -w "$NODE_BORA" --bcpus=0 >/dev/null
	make --name=a --bunit=X --bamount=12 --bstrategy=linear --start=now+1hour \
		--duration=30
	node=$NODE_ALBA
	wait_until 10 any_is_reserved
	[ -n "$(reserved_of "$node")" ] || {
		node=$NODE_BORA
		other=$NODE_ALBA
		wanted=0-95
	}
	scontrol update NodeName="$node" State=DRAIN Reason=test
	reconfigure
	note_slurmctld
	wait_until 40 has_reserved "$other" "$wanted"
	scontrol update NodeName="$node" State=RESUME
	wait_until 10 has_reserved "$node" ""
}

# The records of all nodes.
records() {
	local node

	for node in "$NODE_ALBA" "$NODE_BORA" "$NODE_CORA" "$NODE_RAPTOR"; do
		echo "$node: $(reserved_of "$node")"
	done
}

has_record_with() {
	[[ $(records) == *"$1"* ]]
}

case_restart() {
	local before

	unreserve
	make --name=a --bunit=X --bamount=2 -n 3 --start=now+1hour \
		--duration=30 -w "$NODE_ALBA"
	make --name=b --bunit=C --bamount=2 -n 2 -N 2 --duration=30
	wait_until 10 has_record_with "$NODE_ALBA: 0-47"
	before=$(records)
	reconfigure
	wait_until 10 has_record_with "$before"
	restart_slurmctld
	note_slurmctld
	wait_until 60 nodes_answer
	wait_until 10 has_record_with "$before"
	assert_eq "cores" 0-23 "$(cores_of a)"
	scontrol update NodeName="$NODE_ALBA" Extra=mine
	wait_until 10 has_record_with "$before"
	assert_contains "Extra" mine "$(node_extra "$NODE_ALBA")"
}

case_who() {
	unreserve
	exits 2 "only operators and administrators" \
		setpriv --reuid=65534 --regid=65534 --clear-groups \
		topobind reserve --user=root --bunit=X --bamount=1 --duration=5
	assert_eq "reservations" "" "$(reservations)"
}

# refuses_to SENTENCE OPTION...
refuses_to() {
	exits 2 "$1" topobind reserve "${@:2}"
}

case_bad() {
	local good=(--bunit=X --bamount=1 --user=root --duration=5)

	unreserve
	refuses_to "no units were asked for" --user=root --duration=5
	refuses_to "how long" --bunit=X --bamount=1 --user=root
	refuses_to "who may use it" --bunit=X --bamount=1 --duration=5
	refuses_to "--ntasks=0" "${good[@]}" -n 0
	refuses_to "--ntasks=-1" "${good[@]}" -n -1
	refuses_to "--nodes=x" "${good[@]}" -N x
	refuses_to "less than the number of nodes" "${good[@]}" -N 3 -n 2
	refuses_to "contradict each other" "${good[@]}" -N 3 -w "$NODE_ALBA"
	refuses_to "is no time" "${good[@]}" --start=soonish
	refuses_to "in the past" "${good[@]}" --start=2020-01-01
	refuses_to "--duration=-5" --bunit=X --bamount=1 --user=root --duration=-5
	refuses_to "exclude each other" "${good[@]}" --end=now+1hour
	refuses_to "not after the start" --bunit=X --bamount=1 --user=root \
		--start=now+2hours --end=now+1hour
	refuses_to "exclude each other" --update a --delete b
	refuses_to "does not change the cores" --update a --bunit=X
	refuses_to "does not say what shall change" --update a
	refuses_to "goes with no other option" --delete a --duration=5
	refuses_to "--name=a,b" "${good[@]}" --name=a,b
	refuses_to "--name=topobind-request" "${good[@]}" --name=topobind-request
	refuses_to "--bmem is not for a reservation" "${good[@]}" --bmem=local
	refuses_to "--bmode is not for a reservation" "${good[@]}" --bmode=soft
	refuses_to "--bcpus is not for a reservation" --bcpus=0 --user=root \
		--duration=5
	refuses_to "Slurm refuses it" "${good[@]}" -p nowhere
	refuses_to "Slurm refuses it" "${good[@]}" -w nowhere
	refute topobind reserve "${good[@]}" -C nothing
	refuses_to "users that there are" --bunit=X --bamount=1 --duration=5 \
		--user=nobody-of-this-name
	exits 1 "no node has 17 X units" topobind reserve "${good[@]}" \
		--bunit=X --bamount=17
	assert_eq "reservations" "" "$(reservations)"
	assert slurmctld_lives
}

# --- random ones ------------------------------------------------------------

at_once=12
sizes() {
	cat <<-END
		size $NODE_ALBA 64 2 C 1 X 4 S 32 N 64
		size $NODE_BORA 64 2 C 1 X 4 S 32 N 64
		size $NODE_CORA 64 1 C 1 X 16 S 32 N 32
	END
}

# "UNIT AMOUNT SLOTS NODES", NODES 0 of those that leave it open.
random_wish() {
	local units=(C C X X X S N) nodes=0 slots unit most

	unit=${units[RANDOM % ${#units[@]}]}
	case $unit in
	C) most=9 ;;
	X) most=4 ;;
	*) most=1 ;;
	esac
	slots=$((1 + RANDOM % 6))
	[ $((RANDOM % 3)) -ne 0 ] || nodes=$((1 + RANDOM % 2))
	[ "$slots" -ge "$nodes" ] || slots=$nodes
	echo "$unit $((1 + RANDOM % most)) $slots $nodes"
}

# ask NAME START END - a random one, and a line of the oracle for it; times in seconds
ask() {
	local unit amount slots nodes options=() status=0

	read -r unit amount slots nodes < <(random_wish)
	[ "$nodes" -eq 0 ] || options+=(-N "$nodes")
	topobind reserve --user=root --name="$1" --bunit="$unit" \
		--bamount="$amount" -n "$slots" "${options[@]}" \
		--start="$(date -d "@$2" +%FT%T)" \
		--end="$(date -d "@$3" +%FT%T)" >"$work/$1.out" 2>&1 || status=$?
	[ "$status" -lt 2 ] || cat "$work/$1.out" >&2
	echo "wanted $1 $2 $3 $unit $amount $slots $nodes $((!status))" \
		>"$work/$1.wanted"
	[ "$status" -lt 2 ]
}

# Of running jobs, for the oracle: job, start, end, node, CPU.
job_lines() {
	local job start end

	facts >"$work/held"
	squeue -h -t R -o '%A %S %e' | while read -r job start end; do
		echo "$job $(date -d "$start" +%s) $(date -d "$end" +%s)"
	done >"$work/jobs"
	awk 'NR == FNR { when[$1] = $2 " " $3; next }
		$1 == "cpu" && $2 in when { print "job", $2, when[$2], $3, $4 }
		' "$work/jobs" "$work/held"
}

wrong() {
	{
		sizes
		job_lines
		reserved_cores | sed 's/^/reserved /'
		cat "$work"/*.wanted
	} >"$work/facts"
	awk -f "$test_dir/reserve.awk" "$work/facts"
}

all_show_cores() {
	[ "$(reservations | wc -l)" -eq \
		"$(reserved_cores | awk '!seen[$1]++' | wc -l)" ]
}

# Some go, so that others find room in pieces.
delete_some() {
	local name

	for name in $(reservations); do
		[ $((RANDOM % 3)) -ne 0 ] || {
			topobind reserve --delete "$name"
			rm "$work/$name.wanted"
		}
	done
	for name in "$work"/*.wanted; do
		! grep -q ' 0$' "$name" || rm "$name"
	done
}

# Jobs of 5, 15 and 25 minutes, so that none ends when a reservation begins.
start_jobs() {
	local minutes=$((5 + 10 * (RANDOM % 3))) node

	node=$(shuf -n 1 -e "$NODE_ALBA" "$NODE_BORA" "$NODE_CORA")
	batch -t "$minutes" -w "$node" -n $((1 + RANDOM % 9)) --bunit=C \
		--bamount=$((1 + RANDOM % 2)) >/dev/null
	batch -t "$minutes" -w "$node" -n 1 --bunit=X --bamount=1 >/dev/null
	batch -t "$minutes" -w "$node" -n $((1 + RANDOM % 9)) >/dev/null
}

case_random() {
	local base round=0 i first length seen asked=0 pids

	unreserve
	rm -f "$work"/*.wanted
	# Of the oracle's nodes none has cores that are threads.
	scontrol update NodeName="$NODE_RAPTOR" State=DRAIN Reason=test
	RANDOM=${TOPOBIND_SEED:-7}
	while [ "$asked" -lt "${RESERVATIONS:-24}" ]; do
		# None begins before it is asked for.
		base=$((((EPOCHSECONDS + 120) / 600 + 1) * 600))
		pids=()
		[ $((round % 3)) -ne 0 ] || cancel_all
		start_jobs
		for ((i = 0; i < at_once; i++)); do
			first=$((RANDOM % 4))
			length=$((1 + RANDOM % 3))
			RANDOM=$((RANDOM + i)) ask "r$asked" $((base + first * 600)) \
				$((base + (first + length) * 600 - 60)) &
			pids+=($!)
			asked=$((asked + 1))
			: "$RANDOM"
		done
		for i in "${pids[@]}"; do
			wait "$i" || fail "a request was bad"
		done
		wait_until 20 all_show_cores
		seen=$(wrong)
		[ -z "$seen" ] || {
			scontrol show reservation
			fail "round $round: $seen"
		}
		delete_some
		round=$((round + 1))
	done
	scontrol update NodeName="$NODE_RAPTOR" State=RESUME
	unreserve
	assert slurmctld_lives
}

# Each begins at a multiple of 64 cores of all: from others on Slurm does not show all
# cores of reservations (topobind-reserve(1), LIMITS).
quad=XYCTTYCTTYCTTYCTT
row=XCCCCCCCCCCCCCCCC
cluster_start --nodes raptor \
	--machine "alba NS$quad$quad$quad$quad$quad$quad$quad${quad}S$quad$quad$quad$quad$quad$quad$quad$quad 2 32 2" \
	--machine "bora NS$quad$quad$quad$quad$quad$quad$quad${quad}S$quad$quad$quad$quad$quad$quad$quad$quad 2 32 2" \
	--machine "cora NS$row${row}NS$row$row 2 32 1"
note_slurmctld
test_case "made, shown everywhere, deleted" case_made
test_case "threads, hosts, alternatives" case_threads
test_case "jobs inside, and jobs outside" case_inside_and_outside
test_case "later: who ends before, and who does not" case_later
test_case "longer, shorter, other users" case_update
test_case "a node that fails" case_node_fails
test_case "after a reconfigure and a restart" case_restart
test_case "operators only" case_who
test_case "bad input" case_bad
test_case "random ones against an oracle" case_random
test_case "nothing stays in use" wait_until 10 nothing_in_use "$NODE_ALBA"
tests_done
