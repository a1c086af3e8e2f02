#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# federation - two clusters with topobind in a federation, and two without in another:
# what starts there as plain jobs starts here bound with as many cores, each job on one
# of the two, and its siblings hold nothing
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/two_clusters.bash
. "$test_dir/two_clusters.bash"

# Beside $cluster the second with topobind; beside $plain the second without.
second=''
plain_second=''
# All four.
clusters=()

# A cluster beside the first; prints its directory.
start_beside() {
	"$cluster_program" start --beside "$cluster" --owner "$$" --nodes '' "$@"
}

# Four L3 caches of two cores there, eight here.
small="NSXCCXCCXCCXCC 1 8 1"
large="NSXCCXCCXCCXCCXCCXCCXCCXCC 1 16 1"

start() {
	local options=()

	[ -z "${TOPOBIND_ROOT:-}" ] || options+=(--prefix "$TOPOBIND_ROOT")
	cluster_start --nodes '' --machine "small $small" --accounting
	trap stop_all EXIT
	second=$(start_beside "${options[@]}" --machine "large $large")
	plain=$(start_beside --plain --machine "small $small")
	plain_second=$(start_beside --plain --machine "large $large")
	clusters=("$cluster" "$second" "$plain" "$plain_second")
	federate bound "$cluster" "$second"
	federate plain "$plain" "$plain_second"
	node_large=$(on "$second" sinfo -h -N -o %N | sort -u)
	wait_until 60 federated
}

stop_all() {
	local dir

	for dir in "$plain_second" "$plain" "$second"; do
		[ -z "$dir" ] || "$cluster_program" stop "$dir"
	done
	cluster_stop
}

name_of() {
	sed -n 's/^ClusterName=//p' "$1/etc/slurm.conf"
}

federate() {
	sacctmgr -i -Q add federation "$1" \
		clusters="$(name_of "$2"),$(name_of "$3")" >/dev/null
}

# Each knows the other one.
federated() {
	local dir

	for dir in "${clusters[@]}"; do
		[ "$(on "$dir" scontrol show federation |
			grep -c -E '^(Self|Sibling):.*(PersistConn.*Yes/Yes|ID:)')" -ge 2 ] ||
			return 1
		! on "$dir" scontrol show federation | grep -q 'Conn.*No' ||
			return 1
	done
}

# submit DIR OPTION... - a job of the federation of that cluster; prints its number
submit() {
	local dir=$1

	shift
	on "$dir" sbatch --parsable -o /dev/null -t 60 "$@" \
		--wrap 'exec sleep 3000' | cut -d';' -f1
}

# state_on DIR JOB - PENDING, RUNNING, REVOKED; empty: none there
state_on() {
	on "$1" squeue -a -h -j "$2" -o %T --local 2>/dev/null || true
}

# runs_on JOB DIR - there, and not on the other one
runs_on() {
	local other=$cluster

	[ "$2" != "$cluster" ] || other=$second
	[ "$(state_on "$2" "$1")" = RUNNING ] &&
		[[ "$(state_on "$other" "$1")" =~ ^(REVOKED|)$ ]]
}

# Each core has one job, which has it in its grant, and the nodes say so.
assert_books() {
	local dir

	for dir in "$cluster" "$second"; do
		on "$dir" assert_no_contradictions
	done
	wait_until 20 node_agrees "$cluster" "$NODE_SMALL"
	wait_until 20 node_agrees "$second" "$node_large"
}

# Jobs that wait can start between the two questions.
node_agrees() {
	[ "$(units_of "$1" "$2")" = "$(on "$1" inuse "$2")" ]
}

# units_of DIR NODE - threads of grants
units_of() {
	on "$1" facts | awk -v node="$2" '$1 == "grant" && $3 == node { print $4 }' |
		as_list
}

# What is cancelled while a sibling starts may run on: so it is without topobind.
no_jobs_come_back() {
	local dir left=no

	for dir in "${clusters[@]}"; do
		on "$dir" cancel_all
		on "$dir" no_jobs || left=yes
	done
	[ "$left" = no ]
}

# After each case: of all.
drain() {
	local dir

	for dir in "${clusters[@]}"; do
		on "$dir" drain_one
	done
}

# --- cases ----------------------------------------------------------------------

# A sibling holds no units, and is told of truly.
case_siblings() {
	local job large

	job=$(submit "$cluster" -n1 --bunit=X --clusters="$(name_of "$cluster")")
	wait_until 30 runs_on "$job" "$cluster"
	assert_eq "grant" 0-1 "$(granted "$job")"
	# Too large for the first.
	large=$(submit "$second" -n1 --bunit=X --bamount=6)
	wait_until 30 runs_on "$large" "$second"
	assert_eq "grant" 0-11 "$(on "$second" granted "$large")"
	assert_eq "in use on the first" 0-1 "$(inuse "$NODE_SMALL")"
	on "$second" scancel "$large"
	wait_until 30 gone_everywhere "$large"
	on "$cluster" scancel "$job"
	wait_until 30 gone_everywhere "$job"
	assert_books
}

gone_everywhere() {
	local dir state

	for dir in "$cluster" "$second"; do
		state=$(state_on "$dir" "$1")
		[[ -z $state || $state =~ ^(CANCELLED|REVOKED|COMPLETED|FAILED)$ ]] || return 1
	done
}

# The cluster to which it is submitted must be able to hold it, as without a binding.
case_never() {
	local dir options

	for dir in "$cluster" "$plain"; do
		options="-n1 --constraint=unheard"
		[ "$dir" = "$plain" ] || options="-n1 --bunit=X --bamount=6"
		# shellcheck disable=SC2086 # options
		! submit "$dir" $options >/dev/null 2>"$work/said" ||
			fail "accepted: $options"
		grep -q -E "configuration is not available|Invalid feature" \
			"$work/said" || fail "$(<"$work/said")"
	done
	assert_books
}

# A cluster that takes no new jobs, and jobs that choose by a cluster's feature.
case_choice() {
	local job

	sacctmgr -i -Q modify cluster "$(name_of "$second")" set \
		features=roomy >/dev/null
	wait_until 30 has_feature
	job=$(submit "$cluster" -n1 --bunit=X --cluster-constraint=roomy)
	wait_until 30 runs_on "$job" "$second"
	job=$(submit "$second" -n1 --bunit=X '--cluster-constraint=!roomy')
	wait_until 30 runs_on "$job" "$cluster"
	sacctmgr -i -Q modify cluster "$(name_of "$second")" set \
		features= >/dev/null
	assert_books
}

has_feature() {
	on "$cluster" scontrol show federation | grep -q Features:roomy
}

# While siblings wait, a controller dies; whoever has room then runs the job.
case_controller_dies() {
	local waiting holder full

	# From Slurm 25.05 on it does not begin without what it writes at its end, and
	# every five minutes.
	"$cluster_program" daemon "$second" slurmctld stop
	"$cluster_program" daemon "$second" slurmctld start
	wait_until 60 federated
	holder=$(submit "$cluster" -n4 --bunit=X --clusters="$(name_of "$cluster")")
	wait_until 30 runs_on "$holder" "$cluster"
	full=$(submit "$second" -n8 --bunit=X --clusters="$(name_of "$second")")
	wait_until 30 runs_on "$full" "$second"
	waiting=$(submit "$cluster" -n1 --bunit=X)
	wait_until 30 waits_on_both "$waiting"
	# What it has not saved yet a plain Slurm would forget, too.
	touch "$work/now"
	on "$second" scontrol update job="$full" Comment=saved
	wait_until 30 second_saved_since "$work/now"
	"$cluster_program" daemon "$second" slurmctld kill
	"$cluster_program" daemon "$second" slurmctld start
	wait_until 60 federated
	wait_until 30 waits_on_both "$waiting"
	on "$cluster" scancel "$holder"
	wait_until 60 runs_on "$waiting" "$cluster"
	assert_eq "grant" 0-1 "$(granted "$waiting")"
	assert_books
	# Begun anew, it waits for minutes, without units.
	on "$cluster" scontrol requeue "$waiting"
	wait_until 30 nothing_in_use "$NODE_SMALL"
	assert_books
}

second_saved_since() {
	[ "$second/state/job_state" -nt "$1" ]
}

waits_on_both() {
	[ "$(state_on "$cluster" "$1") $(state_on "$second" "$1")" = \
		"PENDING PENDING" ]
}

# How many L3 caches the two nodes of a federation have.
caches=12

# runs_all_it_can JOBS DIR DIR - in the federation of these as many run as there is room
# for, and no job of it is on its way from one to the other
runs_all_it_can() {
	local jobs=$1 running=$1 waiting=0

	[ "$jobs" -le "$caches" ] || {
		running=$caches
		waiting=$((2 * (jobs - caches)))
	}
	[ "$(count PENDING "$2" "$3")" = "$waiting" ] &&
		[ "$(count RUNNING "$2" "$3")" = "$running" ]
}

# count STATE DIR... - jobs in that state, siblings too
count() {
	local state=$1 dir

	shift
	for dir; do
		on "$dir" squeue -h -t "$state" -o %i --local
	done | wc -l
}

assert_both_run_all() {
	wait_until 60 runs_all_it_can "$1" "$cluster" "$second"
	wait_until 60 runs_all_it_can "$1" "$plain" "$plain_second"
	assert_books
}

# The same random jobs come to both federations, and end; each has the size of an L3
# cache, so that it does not matter on which cluster they are.
case_lockstep() {
	local i here number jobs=() plain_jobs=()

	RANDOM=16
	for ((i = 0; i < 28; i++)); do
		if [ "$i" -lt $((caches + 2)) ] || [ $((RANDOM % 2)) = 0 ]; then
			here=$((RANDOM % 2))
			jobs+=("$(submit "$([ "$here" = 0 ] && echo "$cluster" ||
				echo "$second")" -n1 --bunit=X)")
			plain_jobs+=("$(submit "$([ "$here" = 0 ] && echo "$plain" ||
				echo "$plain_second")" -n1 -c2)")
		else
			# What is cancelled while a sibling starts may run on: so it
			# is without topobind.
			assert_both_run_all "${#jobs[@]}"
			number=$((RANDOM % ${#jobs[@]}))
			on "$cluster" scancel "${jobs[number]}"
			on "$plain" scancel "${plain_jobs[number]}"
			jobs=("${jobs[@]:0:number}" "${jobs[@]:number+1}")
			plain_jobs=("${plain_jobs[@]:0:number}"
				"${plain_jobs[@]:number+1}")
		fi
	done
	assert_both_run_all "${#jobs[@]}"
	assert [ "${#jobs[@]}" -gt "$caches" ]
}

start
test_case "a job runs on one cluster, and its sibling holds nothing" case_siblings
test_case "what no cluster can hold is refused" case_never
test_case "clusters are chosen by the job" case_choice
test_case "a controller dies while siblings wait" case_controller_dies
test_case "random jobs, beside two clusters without topobind" case_lockstep
tests_done
