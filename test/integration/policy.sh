#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# policy - which nodes: node allocation policies of jobs, partitions and the site
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/policy_cluster.bash
. "$(dirname "$0")/policy_cluster.bash"

# What slurmctld knows of it: each node with its CPUs and their load.
node_loads() {
	scontrol -o show nodes | sed -E \
		's/^NodeName=([^ ]*).* CPUTot=([0-9]+) CPULoad=([^ ]*).*/\1 \2 \3/'
}

# on_most_idle lands|planned OPTION... - on the node with the most idle CPUs, of equal
# ones the first.  Nodes tell of their load now and then: asked again when it changed.
on_most_idle() {
	local loads node

	while loads=$(node_loads) &&
		node=$(awk '$2 - $3 > most { most = $2 - $3; name = $1 }
			END { print name }' <<<"$loads") &&
		! ("$1" "$node" "${@:2}"); do
		[ "$loads" != "$(node_loads)" ] ||
			fail "$*: not $node, and the loads are still $loads"
	done
	assert_contains "the larger nodes" "$node" "$NODE_P $NODE_Q"
}

# --- each policy ------------------------------------------------------------------

case_order() {
	lands "$NODE_A" --bnodes=FIRSTAVAILABLE
	lands "$NODE_Q" --bnodes=LASTAVAILABLE
	lands "$NODE_P,$NODE_Q" -N2 --bnodes=lastavailable
}

case_sizes() {
	lands "$NODE_B" --bnodes=MINRESOURCE
	lands "$NODE_A,$NODE_B" -N2 --bnodes=MINRESOURCE
	# They do not suffice.
	lands "$NODE_C" --mem=800 --bnodes=MINRESOURCE
	lands "$NODE_E" -N1 -n5 --bnodes=MINRESOURCE
	on_most_idle lands --bnodes=CPULOAD
}

case_speed() {
	lands "$NODE_B" --bnodes=FASTEST
	lands "$NODE_B,$NODE_C,$NODE_E" -N3 --bnodes=FASTEST
	lands "$NODE_B,$NODE_C" -N2 --bnodes=MAXBALANCE
	# 2900 to 3000 spans less than 2500 to 3000.
	lands "$NODE_B,$NODE_C,$NODE_E" -N3 --bnodes=MAXBALANCE
	lands "$NODE_P,$NODE_Q" -N2 -n100 --bnodes=MAXBALANCE
}

case_contiguous() {
	fill "$NODE_B"
	lands "$NODE_C,$NODE_D" -N2 --bnodes=CONTIGUOUS
	lands "$NODE_C,$NODE_D,$NODE_E" -N3 --bnodes=CONTIGUOUS
	fill "$NODE_D,$NODE_P"
	# There is no block of three: those that span the fewest nodes.
	lands "$NODE_A,$NODE_C,$NODE_E" -N3 --bnodes=CONTIGUOUS
}

# E has an L3 cache and a socket that are broken up already.
case_best_fit() {
	local job

	takes "$NODE_E" -w "$NODE_E" --bcpus=0
	job=$(alloc --bunit=C --bamount=1 --bnodes=BESTFIT)
	assert_granted "$job" "$NODE_E" 1
	# Two cores of a whole cache break up less than a cache of another node.
	job=$(alloc --bunit=X --bamount=1 --bnodes=BESTFIT)
	assert_granted "$job" "$NODE_E" 2-3
	# By CPUs left free, for who has no placement.
	takes "$NODE_C" -w "$NODE_C" -n1
	takes "$NODE_C" -N1 -n3 --bnodes=BESTFIT
	# Of equal ones it has the least memory.
	takes "$NODE_B" -N1 -n3 --bnodes=BESTFIT
	takes "$NODE_B" -n1 --bnodes=BESTFIT
}

# Where CPUs and units fit alike.
case_best_fit_of_memory_and_disk() {
	local policy

	for policy in BESTFIT BESTTOPOLOGY; do
		lands "$NODE_B" -C desktop "--bnodes=$policy"
		# They have the same memory, Q has a disk.
		lands "$NODE_P" -C large "--bnodes=$policy"
	done
	alloc -w "$NODE_P" -n1 --mem=10 >/dev/null
	alloc -w "$NODE_Q" -n1 --mem=1000 --tmp=8000 >/dev/null
	for policy in BESTFIT BESTTOPOLOGY; do
		lands "$NODE_Q" -C large "--bnodes=$policy"
	done
}

case_best_topology() {
	local job

	# Two cores of A are in different caches.
	takes "$NODE_A" -w "$NODE_A" --bcpus=0,2
	job=$(alloc -N1 --bunit=C --bamount=2 --bnodes=BESTTOPOLOGY \
		-C 'desktop|batch')
	assert_granted "$job" "$NODE_B" 0-1
	job=$(alloc -N1 --bunit=C --bamount=2 --bnodes=FIRSTAVAILABLE)
	assert_granted "$job" "$NODE_A" 1,3
	assert_no_contradictions
}

# Four jobs that begin at once: nobody has told of the load that they make.
case_begun() {
	local job binding nodes

	for binding in "" "--bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		job=$(batch --array=1-4 -C large -N1 -n15 --bnodes=CPULOAD \
			$binding)
		wait_until 30 four_run "$job"
		nodes=$(nodes_of "$job" | sort | uniq -c | xargs)
		assert_eq "jobs on each node" "2 $NODE_P 2 $NODE_Q" "$nodes"
		cancel "$job"
	done
}

four_run() {
	[ "$(squeue -h -r -j "$1" -o %T | grep -c RUNNING)" -eq 4 ]
}

# --- of a site, a partition, a job -------------------------------------------------

case_levels() {
	local job

	reconfigure_with NodeAllocationPolicy=FASTEST \
		"PartitionName=virtual NodeAllocationPolicy=LASTAVAILABLE"
	lands "$NODE_B"
	lands "$NODE_Q" -p virtual
	lands "$NODE_A" -p virtual --bnodes=FIRSTAVAILABLE
	lands "$NODE_B" -p virtual --topobind=bnodes=MINRESOURCE
	reconfigure_with NodeAllocationPolicy=PRIORITY \
		PriorityFunction=NODEINDEX \
		"PartitionName=virtual PriorityFunction=\"- NODEINDEX\""
	lands "$NODE_Q"
	lands "$NODE_A" -p virtual
	lands "$NODE_A" --bnodes=SLURM
	reconfigure_with NodeAllocationPolicy=LASTAVAILABLE Enabled=no
	job=$(alloc -n1)
	assert_eq "nodes without topobind" "$NODE_A" "$(nodes_of "$job")"
	cancel "$job"
	# Where nothing is said an administrator's priority is.
	reconfigure_with
	lands "$NODE_E" --bnodes=PRIORITY
	lands_by_default
}

case_implicit() {
	local job

	reconfigure_with Implicit=yes NodeAllocationPolicy=LASTAVAILABLE
	job=$(alloc -n2)
	assert_granted "$job" "$NODE_Q" 0-1
	job=$(alloc -n2 --bnodes=FASTEST)
	assert_granted "$job" "$NODE_B" 0-1
	assert_eq binding implicit,btype=host "$(binding "$job")"
	reconfigure_with
}

case_wrong_file() {
	reconfigure_with NodeAllocationPolicy=LASTAVAILABLE
	reconfigure_refused_with NodeAllocationPolicy=BEST
	lands "$NODE_Q"
	reconfigure_refused_with NodeAllocationPolicy=PRIORITY \
		'PriorityFunction="1 + * LOAD"'
	lands "$NODE_Q"
	reconfigure_refused_with NodeAllocationPolicy=FASTEST \
		"PartitionName=virtual PriorityFunction=WEIGHT"
	lands "$NODE_Q"
	reconfigure_refused_with NodeAllocationPolicy=FASTEST \
		"NodeName=none Speed=fast"
	lands "$NODE_Q"
	reconfigure_with
	lands_by_default
}

# --- the examples of Moab's page ----------------------------------------------------

# Node A has 768 MB, B 512: job X wants 256 MB, job Y 640.
case_memory() {
	local x y binding

	for binding in "" "--bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		x=$(batch -C desktop --mem=256 --bnodes=MINRESOURCE $binding)
		# shellcheck disable=SC2086
		y=$(batch -C desktop --mem=640 --bnodes=MINRESOURCE $binding)
		wait_until 30 runs "$x"
		wait_until 30 runs "$y"
		assert_eq "X is on" "$NODE_B" "$(nodes_of "$x")"
		assert_eq "Y is on" "$NODE_A" "$(nodes_of "$y")"
		cancel "$x" "$y"
		# Without it X takes the place of Y.
		# shellcheck disable=SC2086
		x=$(batch -C desktop --mem=256 --bnodes=FIRSTAVAILABLE $binding)
		wait_until 30 runs "$x"
		# shellcheck disable=SC2086
		y=$(batch -C desktop --mem=640 $binding)
		wait_until 30 was_passed_over "$y"
		cancel "$x" "$y"
	done
}

# Of 64 processors P has 24 free and Q 12: X wants 10, Y 20.
case_processors() {
	local x y binding

	alloc -w "$NODE_P" -n40 >/dev/null
	alloc -w "$NODE_Q" -n52 >/dev/null
	for binding in "" "--bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		x=$(batch -C large -N1 -n10 --bnodes=BESTFIT $binding)
		wait_until 30 runs "$x"
		# shellcheck disable=SC2086
		y=$(batch -C large -N1 -n20 --bnodes=BESTFIT $binding)
		wait_until 30 runs "$y"
		assert_eq "X is on" "$NODE_Q" "$(nodes_of "$x")"
		assert_eq "Y is on" "$NODE_P" "$(nodes_of "$y")"
		cancel "$x" "$y"
		# shellcheck disable=SC2086
		x=$(batch -C large -N1 -n10 --bnodes=FIRSTAVAILABLE $binding)
		wait_until 30 runs "$x"
		# shellcheck disable=SC2086
		y=$(batch -C large -N1 -n20 $binding)
		wait_until 30 was_passed_over "$y"
		cancel "$x" "$y"
	done
}

# c_and_d NODE_OF_C OPTION... - C needs 3 hours and D 5; D runs or waits
c_and_d() {
	local wanted=$1 c d

	shift
	c=$(batch -C batch -t 180 "$@")
	wait_until 30 runs "$c"
	assert_eq "C is on" "$wanted" "$(nodes_of "$c")"
	d=$(batch -C batch -t 300 "$@")
	if [ "$wanted" = "$NODE_D" ]; then
		wait_until 30 runs "$d"
		assert_eq "D is on" "$NODE_C" "$(nodes_of "$d")"
	else
		wait_until 30 was_passed_over "$d"
	fi
	cancel "$c" "$d"
}

# A runs on C and B on D, each with a processor left.  Reservation X is five
# hours away on C, and three on D.
case_figure() {
	local binding

	trap forget_reservations EXIT
	reserve X1 "$NODE_C" 310 400
	reserve X2 "$NODE_D" 190 400
	alloc -t 120 -w "$NODE_C" -n3 >/dev/null
	alloc -t 180 -w "$NODE_D" -n3 >/dev/null
	for binding in --bamount=0 --bamount=1; do
		c_and_d "$NODE_D" --bnodes=LASTAVAILABLE "$binding"
		c_and_d "$NODE_D" --bnodes=PRIORITY "$binding"
		c_and_d "$NODE_C" --bnodes=FIRSTAVAILABLE "$binding"
	done
	function_is "- FREETIME"
	c_and_d "$NODE_D" --bamount=1
	function_is FREETIME
	c_and_d "$NODE_C" --bamount=1
	reconfigure_with
}

# --- preferences ---------------------------------------------------------------------

case_preferences() {
	lands "$NODE_C" --bprefer=fast
	lands "$NODE_P" --bprefer=huge,large
	lands "$NODE_D" --bprefer=batch --bnodes=LASTAVAILABLE
	lands "$NODE_C,$NODE_D" -N2 --bprefer=batch --bnodes=MAXBALANCE
	lands "$NODE_E" -N1 -n5 --bprefer=big --bnodes=BESTFIT
	function_is "100 * PREF - NODEINDEX"
	lands "$NODE_C" --bprefer=fast
	# Half of them are met.
	lands "$NODE_P" --bprefer=huge+fast+large
	lands "$NODE_A"
	function_is "NODEINDEX"
	lands "$NODE_Q" --bprefer=fast
	reconfigure_with
}

# So much of it is free: what others have does not count, and when no node has it, any
# node is as good.
case_preferred_sizes() {
	local first=--bnodes=FIRSTAVAILABLE

	lands "$NODE_C" "$first" --bprefer=mem:1000
	lands "$NODE_E" -n1 "$first" --bprefer=mem:3G,feature:big
	lands "$NODE_P" "$first" --bprefer=mem:60000
	lands "$NODE_D" "$first" --bprefer=swap:8T
	lands "$NODE_E" "$first" --bprefer=disk:1000
	lands "$NODE_Q" "$first" --bprefer=DISK:7G
	lands "$NODE_A" "$first" --bprefer=disk:1T
	# Two of three.
	lands "$NODE_Q" "$first" --bprefer=mem:3000,disk:7000,fast
	takes "$NODE_P" -n1 --mem=50000 "$first" --bprefer=mem:60000
	takes "$NODE_Q" -n1 --mem=10 --tmp=7000 "$first" --bprefer=mem:60000
	takes "$NODE_Q" -n1 --mem=10 "$first" --bprefer=mem:20000
	takes "$NODE_E" -n1 --mem=10 "$first" --bprefer=disk:1000
	takes "$NODE_A" -n1 --mem=10 "$first" --bprefer=disk:1001
	drain
	function_is "100 * PREF - NODEINDEX"
	lands "$NODE_P" --bprefer=mem:60000
	reconfigure_with
}

# A feature that no node has; Moab's spelling is as good.
case_unknown_preferences() {
	local options

	lands "$NODE_C" --bprefer=feature:fast
	drain
	for options in --bprefer=unknown "--bprefer=fast,unknown --bamount=1"; do
		# shellcheck disable=SC2086 # words
		exits 1 "bprefer=unknown: no node has this feature" sbatch \
			-o /dev/null $options --wrap true
		# shellcheck disable=SC2086
		exits 2 "bprefer=unknown: no node has this feature" \
			topobind plan $options
	done
	assert no_jobs
}

# They are no requirements.
case_unmet_preferences() {
	fill "$NODE_C"
	lands "$NODE_A" --bprefer=fast --bnodes=SLURM
	lands "$NODE_Q" --bprefer=fast --bnodes=LASTAVAILABLE
	lands "$NODE_E" -N1 -n6 --bprefer=desktop --bnodes=SLURM
	lands "$NODE_A" -C desktop --bprefer=large --bnodes=SLURM
	fill "$NODE_D"
	lands "$NODE_A" --bprefer=batch,fast --bnodes=SLURM
}

# --- beside other requests --------------------------------------------------------------

case_other_requests() {
	lands "$NODE_B,$NODE_D" -N2 -w "$NODE_D" --bnodes=FASTEST
	lands "$NODE_D" -C batch --bnodes=LASTAVAILABLE
	lands "$NODE_B" --exclusive --bnodes=FASTEST
	lands "$NODE_Q" --exclusive --bnodes=LASTAVAILABLE
	lands "$NODE_D" --gres=tool:1 --bnodes=FIRSTAVAILABLE
	lands "$NODE_E" --gres=tool:1 --bnodes=LASTAVAILABLE
	lands "$NODE_D,$NODE_E" -N2 --gres=tool:2 --bnodes=FASTEST
	lands "$NODE_P" -x "$NODE_Q" --bnodes=LASTAVAILABLE
	# As many nodes as it may have.
	lands "$NODE_A,$NODE_B,$NODE_C" -N2-3 --bnodes=FIRSTAVAILABLE
	alloc --gres=tool:2 -w "$NODE_E" >/dev/null
	lands "$NODE_D" --gres=tool:1 --bnodes=LASTAVAILABLE
}

case_reservation() {
	trap forget_reservations EXIT
	scontrol create reservation=now nodes="$NODE_C,$NODE_D,$NODE_E" \
		users=root duration=60 starttime=now >/dev/null
	lands "$NODE_E" --reservation=now --bnodes=LASTAVAILABLE
	lands "$NODE_C" --reservation=now --bnodes=FASTEST
	lands "$NODE_B" --bnodes=FASTEST
	function_is "RESAFFINITY * NODEINDEX"
	lands "$NODE_E" --reservation=now
	reserve later "$NODE_P" 600 660
	function_is "- RESAFFINITY"
	lands "$NODE_P"
	reconfigure_with
}

# --- a start in the future ----------------------------------------------------------------

case_future() {
	# All can start now.
	planned "$NODE_B" --bnodes=FASTEST
	on_most_idle planned --bnodes=CPULOAD --bamount=1
	fill_all
	planned "$NODE_B" --bnodes=FASTEST
	planned "$NODE_B" --bnodes=FASTEST --bunit=C --bamount=1
	planned "$NODE_Q" --bnodes=LASTAVAILABLE
	planned "$NODE_Q" --bnodes=LASTAVAILABLE --bunit=C --bamount=1
	planned "$NODE_B" --bnodes=MINRESOURCE --bamount=1
	# Nobody knows what the load will be.
	planned "$NODE_B" --bnodes=CPULOAD
	planned "$NODE_B" --bnodes=CPULOAD --bamount=1
	planned "$NODE_C" --bprefer=fast
	planned "$NODE_D" --gres=tool:1 --bnodes=FASTEST -C batch
}

# What is planned for the first in the queue.
case_backfill() {
	local job

	fill_all
	job=$(batch -t 5 --bnodes=LASTAVAILABLE --bamount=1)
	wait_until 60 is_planned_on "$job" "$NODE_Q"
}

# The second in the queue cannot start when all nodes are free for the first: later
# Slurms ask when it could start after that.
case_backfill_later() {
	local first job binding

	fill_all
	first=$(batch -t 10 --exclusive --mem=0 -N 7)
	for binding in "" "--bunit=C --bamount=1"; do
		# shellcheck disable=SC2086 # options
		job=$(batch -t 20 --bnodes=LASTAVAILABLE $binding)
		wait_until 60 is_planned_on "$job" "$NODE_Q"
		[[ $(job_field "$job" StartTime) > $(job_field "$first" \
			StartTime) ]] || fail "planned before the first"
		cancel "$job"
	done
}

is_planned_on() {
	[ "$(squeue -h -j "$1" -o %Y)" = "$2" ] ||
		[ "$(scontrol show job "$1" |
			sed -n 's/.*SchedNodeList=//p')" = "$2" ]
}

# Later on the policy's node than now on another: never.
case_never_waits_for_a_node() {
	fill "$NODE_Q"
	planned "$NODE_P" --bnodes=LASTAVAILABLE
	planned "$NODE_P" --bnodes=LASTAVAILABLE --bunit=C --bamount=1
	lands "$NODE_P" --bnodes=LASTAVAILABLE
}

# --- bad requests ---------------------------------------------------------------------------

case_refused() {
	local text

	text=$(sbatch --bnodes=BEST --wrap true 2>&1 || true)
	assert_contains "sbatch says" "bnodes=BEST is not allowed (did you mean BESTFIT?); allowed: SLURM, FIRST" \
		"$text"
	text=$(sbatch --bprefer='a|b' --wrap true 2>&1 || true)
	assert_contains "sbatch says" "bprefer=a|b is not allowed" "$text"
	assert no_jobs
}

# Nodes tell of their load seldom, and not in the middle of a case.
policy_cluster_start --slurm SchedulerParameters=bf_interval=2 \
	--slurm SlurmdTimeout=9000

test_case "FIRSTAVAILABLE and LASTAVAILABLE" case_order
test_case "MINRESOURCE and CPULOAD" case_sizes
test_case "CPULOAD counts jobs that began since" case_begun
test_case "FASTEST and MAXBALANCE" case_speed
test_case "CONTIGUOUS" case_contiguous
test_case "BESTFIT" case_best_fit
test_case "memory and disk that fit best" case_best_fit_of_memory_and_disk
test_case "BESTTOPOLOGY" case_best_topology
test_case "of the site, of a partition, of a job" case_levels
test_case "jobs that are bound without asking" case_implicit
test_case "a wrong file changes nothing" case_wrong_file
test_case "nodes A and B, jobs X and Y" case_memory
test_case "64 processors, 24 and 12 of them free" case_processors
test_case "jobs A to D and reservation X" case_figure
test_case "preferences" case_preferences
test_case "preferences for memory, swap and disk" case_preferred_sizes
test_case "preferences that are not met do not delay" case_unmet_preferences
test_case "preferences that no node can meet" case_unknown_preferences
test_case "beside other requests" case_other_requests
test_case "reservations" case_reservation
test_case "a start in the future" case_future
test_case "backfill plans for the same node" case_backfill
test_case "backfill asks about a later start" case_backfill_later
test_case "no wait for a better node" case_never_waits_for_a_node
test_case "unknown policies and bad features are refused" case_refused
tests_done
