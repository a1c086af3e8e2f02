#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# large - what is shown of jobs on a thousand nodes
#
# The nodes are cloud nodes that nobody powers up: jobs are granted their units
# and wait for them to boot.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

count=1000
socket=$(printf 'NSX%s' "$(printf 'CTT%.0s' {1..8})")
topology=$socket$socket$socket$socket
huge_socket=$(printf 'NSX%s' "$(printf 'CTT%.0s' {1..128})")
huge=$huge_socket$huge_socket$huge_socket$huge_socket

# More cores than its string has room for; a Slurm core is a thread of it.
wide=NS$(printf 'CTT%.0s' {1..1400})

holds() {
	[[ $(job_field "$1" JobState) =~ ^(CONFIGURING|RUNNING)$ ]]
}

everywhere() {
	sbatch --parsable -o /dev/null -p big -N "$count" --mem=1 "$@" \
		--wrap true
}

# Every node another: for each bit of a node's number a job takes a core of the
# nodes whose number has it.
fragment() {
	local bit nodes jobs=() job

	for bit in 0 1 2 3 4 5 6 7 8 9; do
		nodes=$(seq "$count" | awk -v bit="$bit" \
			'int($1 / 2 ^ bit) % 2 { printf "%sbig%04d", sep, $1; sep = "," }')
		jobs+=("$(sbatch --parsable -o /dev/null -p big -w "$nodes" \
			--ntasks-per-node=1 --mem=1 --bcpus=$((2 * bit)) \
			--wrap true)")
	done
	for job in "${jobs[@]}"; do
		wait_until 60 holds "$job"
	done
}

# Nodes of the grants that are shown, and those that are said to be more.
nodes_told() {
	local more

	more=$(comment_word "$1" more)
	echo $(($(facts | awk -v job="$1" '$1 == "grant" && $2 == job { print $3 }' |
		sort -u | wc -l) + ${more:-0}))
}

# What is shown is what Slurm booked, on the nodes that are shown.
assert_shown_is_booked() {
	assert_eq "units of job $1 that differ" "" "$(facts | awk -v job="$1" '
		$2 == job && $1 == "cpu" { cpu[$3, $4]; cpus[$3]++ }
		$2 == job && $1 == "grant" { grants[$3]++
			if (!(($3, $4) in cpu)) print $3, $4 }
		END { for (node in grants)
			if (grants[node] != cpus[node]) print node }')"
}

# The cores that Slurm booked for a job, as a host file of one slot for each node
# has them: a socket has eight cores of two threads.
booked_hostfile() {
	facts | awk -v job="$1" '$1 == "cpu" && $2 == job && $4 % 2 == 0 {
		core = $4 / 2; print $3, int(core / 8), core % 8 }' |
		sort -k1,1 -k2,2n -k3,3n | awk '
		$1 != node { if (node) print node, 1, "big", list
			node = $1; list = ""; sep = "" }
		{ list = list sep $2 ":" $3; sep = "," }
		END { print node, 1, "big", list }'
}

# assert_short JOB - one line of less than 4 KiB
assert_short() {
	local size

	size=$(squeue -h -j "$1" -O system_comment:9999 | sed 's/ *$//' | wc -c)
	[ "$size" -lt 4096 ] || fail "job $1 shows $size characters"
	assert_eq "lines" 1 "$(squeue -h -j "$1" -O system_comment:9999 | wc -l)"
}

case_the_same_everywhere() {
	local job

	job=$(everywhere --ntasks-per-node=1 --bunit=X --bamount=1)
	wait_until 60 holds "$job"
	assert_short "$job"
	assert_eq "its grants" "big[0001-1000]:${socket,,}$socket$socket$socket" \
		"$(comment_word "$job" grant)"
	assert_eq "nodes told" "$count" "$(nodes_told "$job")"
	assert_shown_is_booked "$job"
	assert_contains "the map of a node" "$job" "$(topobind map big0500)"
	assert_eq "its host file" "$(booked_hostfile "$job")" \
		"$(topobind hostfile "$job")"
}

case_different_everywhere() {
	local job before

	fragment
	job=$(everywhere --ntasks-per-node=1 --btype=host --bunit=C \
		--bamount=12 --bstrategy=linear)
	wait_until 60 holds "$job"
	assert_short "$job"
	[ "$(comment_word "$job" grant | wc -l)" -gt 100 ] ||
		fail "few grants: $(comment_word "$job" grant | wc -l)"
	assert_eq "nodes told" "$count" "$(nodes_told "$job")"
	assert_shown_is_booked "$job"
	assert_contains "the map of a node" "$job" "$(topobind map big0005)"
	assert_eq "its host file" "$(booked_hostfile "$job")" \
		"$(topobind hostfile "$job")"

	before=$(comment_word "$job" grant)
	daemon slurmctld stop
	daemon slurmctld start
	assert_eq "after a restart" "$before" "$(comment_word "$job" grant)"
	assert_shown_is_booked "$job"
}

# A request can be longer than what is shown of it.
case_long_request() {
	local job status=0

	job=$(sbatch --parsable -o /dev/null -p huge --mem=1 --bunit=X --bamount=1 \
		--bfilter="${huge_socket,,}$huge_socket$huge_socket$huge_socket" \
		--btopology="$huge" --wrap true)
	wait_until 60 holds "$job"
	assert_short "$job"
	assert_contains "the request" "bunit=X,bamount=1,bfilter=nsx" \
		"$(binding "$job")"
	[[ $(binding "$job") == *... ]] || fail "not said to be cut"
	# The string has no room beside it.
	assert_eq "its grant" huge:256-511 "$(comment_word "$job" grant)"
	assert_shown_is_booked "$job"
	# Whose slots are not known without the request.
	topobind hostfile "$job" >"$work/hosts" 2>"$work/why" || status=$?
	assert_eq "status of hostfile" 2 "$status"
	assert_eq "sentences and lines" "1 0" \
		"$(wc -l <"$work/why") $(wc -l <"$work/hosts")"
}

case_one_large_node() {
	local job

	job=$(sbatch --parsable -o /dev/null -p wide --mem=1 --bcpus=2-5 \
		--wrap true)
	wait_until 60 holds "$job"
	assert_eq "its grant" wide:2-5 "$(comment_word "$job" grant)"
	assert_shown_is_booked "$job"
	assert_eq "its host file" "wide 1 wide 0:1,0:2" \
		"$(topobind hostfile "$job")"
}

cluster_start --nodes this \
	--slurm "NodeName=big[0001-$count] State=CLOUD Sockets=4 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=1000" \
	--slurm "PartitionName=big Nodes=big[0001-$count] MaxTime=INFINITE" \
	--slurm "NodeName=huge State=CLOUD Sockets=4 CoresPerSocket=128 ThreadsPerCore=2 RealMemory=1000" \
	--slurm "PartitionName=huge Nodes=huge MaxTime=INFINITE" \
	--slurm "NodeName=wide State=CLOUD Sockets=1 CoresPerSocket=2800 RealMemory=1000" \
	--slurm "PartitionName=wide Nodes=wide MaxTime=INFINITE" \
	--slurm ResumeProgram=/bin/true --slurm SuspendProgram=/bin/true \
	--slurm SuspendTime=INFINITE --slurm ResumeTimeout=600 \
	--slurm PrivateData=cloud \
	--topobind "NodeName=big[0001-$count] Topology=$topology" \
	--topobind "NodeName=huge Topology=$huge" \
	--topobind "NodeName=wide Topology=$wide"
test_case "the same grant on a thousand nodes" case_the_same_everywhere
test_case "another grant on each of a thousand nodes" case_different_everywhere
test_case "a long request" case_long_request
test_case "a large node" case_one_large_node
tests_done
