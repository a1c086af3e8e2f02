#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# width - lines are as wide as COLUMNS says, and no wider, and stay whole where nothing
# says how wide they are
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/tool/commands.sh
. "$top/test/tool/commands.sh"

widths="40 60 80 132"

# assert_fits WIDTH FILE - only a word that no line has room for is wider: it stands
# alone, and is no list, which has places to break it
assert_fits() {
	local wide

	wide=$(awk -v w="$1" 'length > w && !/^ ? ?[^ ,+]+[,+]?$/' "$2")
	[ -z "$wide" ] || fail "wider than $1: $wide"
}

# assert_map_fits WIDTH FILE - boxes, too, whose lines are several bytes each
assert_map_fits() {
	[ "$(wc -L <"$2")" -le "$1" ] ||
		fail "wider than $1: $(cat "$2")"
}

# at WIDTH COMMAND... - what topobind prints, in $work/out
at() {
	local width=$1

	shift
	COLUMNS=$width topobind "$@" >"$work/out" 2>/dev/null || true
	[ -s "$work/out" ] || fail "$* prints nothing"
}

# narrow WIDTH COMMAND... - the same in $work/narrow
narrow() {
	at "$@"
	cp "$work/out" "$work/narrow"
}

# whole COMMAND... - the same where nothing says how wide lines are, in $work/whole
whole() {
	env -u COLUMNS topobind "$@" >"$work/whole" 2>/dev/null || true
	[ -s "$work/whole" ] || fail "$* prints nothing"
}

# Times pass.
without_times() {
	sed 's/[0-9:-]*:[0-9][0-9]/TIME/g'
}

# words FILE - in order, as columns below others come later
words() {
	tr -s ' ,+' '\n' <"$1" | without_times | grep . | sort
}

# Words are the same, whatever the width.
same_words() {
	assert_eq "words" "$(words "$1")" "$(words "$2")"
}

# while_same FILE COMMAND1... -- COMMAND2... - the second, until the first, which
# fills FILE, prints the same words before and after it: a reason comes and goes
while_same() {
	local file=$1 first=()

	shift
	while [ "$1" != -- ]; do
		first+=("$1")
		shift
	done
	shift
	for _ in {1..20}; do
		"${first[@]}"
		words "$file" >"$work/before"
		"$@"
		cp "$work/out" "$work/second"
		"${first[@]}"
		words "$file" >"$work/after"
		cp "$work/second" "$work/out"
		! cmp -s "$work/before" "$work/after" || return 0
	done
	fail "it changes all the time: ${first[*]}"
}

# fits COMMAND... - at all widths, and nothing is lost
fits() {
	local width

	for width in $widths; do
		while_same "$work/whole" whole "$@" -- at "$width" "$@"
		assert_fits "$width" "$work/out"
		same_words "$work/whole" "$work/out"
	done
}

# wraps LINES COMMAND... - so many lines when they are whole, of which one is wider
# than all widths, so that it shows that they are not
wraps() {
	local lines=$1

	shift
	fits "$@"
	assert_eq "whole lines of $*" "$lines" "$(wc -l <"$work/whole")"
	[ "$(wc -L <"$work/whole")" -gt 132 ] ||
		fail "not wide: $(cat "$work/whole")"
}

# on_terminal COLUMNS COMMAND... - what topobind prints on a terminal of that width,
# which is 0 if it does not know, in $work/out
on_terminal() {
	local columns=$1

	shift
	env -u COLUMNS TERM=xterm script -qec \
		"stty cols $columns; topobind $*" /dev/null </dev/null |
		tr -d '\r' >"$work/out"
	[ -s "$work/out" ] || fail "$* prints nothing"
}

case_help() {
	local command width

	for command in $(command_names); do
		for width in 40 60 80 200; do
			at "$width" "$command" --help
			# No more than 80, which is easier to read.
			assert_fits "$((width < 80 ? width : 80))" "$work/out"
		done
	done
	for width in 40 60 80 200; do
		at "$width" options
		assert_fits "$width" "$work/out"
		at "$width" --help
		assert_fits "$width" "$work/out"
	done
}

# Its table: a heading, and a row for equal nodes each.
case_nodes() {
	wraps 2 nodes "$odd"
	fits nodes -N "$odd" -O nodes,state,partitions,units,topology
	assert_eq "rows" 51 "$(wc -l <"$work/whole")"
	fits nodes
	fits nodes -O nodes,state,partitions,units,largest,topology,jobids
	fits nodes -h
}

# As the user wrote them: with letters, and with widths.
case_own_layout() {
	whole nodes -o "%N|%40m|%u"
	at 40 nodes -o "%N|%40m|%u"
	assert cmp "$work/whole" "$work/out"
	whole nodes -O nodes:30,state:20,topology:40
	at 40 nodes -O nodes:30,state:20,topology:40
	assert cmp "$work/whole" "$work/out"
	# A table without is one for this width.
	whole nodes -O nodes,state,topology
	at 40 nodes -O nodes,state,topology
	refute cmp -s "$work/whole" "$work/out"
}

waiting_job() {
	local job

	alloc -w "$NODE_ZEN" -N1 --bcpus=0,48 -t 20 >/dev/null
	alloc -w "$NODE_ZEN" -N1 --bcpus=4 -t 20 >/dev/null
	scontrol update NodeName="$NODE_TWIN" State=DRAIN \
		Reason="a fan that makes too much noise, and a disk that is full"
	job=$(batch -N1 -w "$NODE_ZEN" --bunit=S --bamount=2)
	wait_until 20 was_passed_over "$job"
	echo "$job"
}

# table_of FILE - between its heading and an empty line
table_of() {
	sed -n '/^NODES/,/^$/p' "$1"
}

case_explain() {
	local job running

	job=$(waiting_job)
	fits explain "$job"
	table_of "$work/whole" >"$work/table"
	# The list of the nodes that it cannot use is in one of them.
	assert grep -q '^odd\[1,.*,99\]  ' "$work/table"
	[ "$(wc -L <"$work/table")" -gt 132 ] ||
		fail "not wide: $(cat "$work/table")"
	fits job "$job"
	fits plan -N1 -w "$NODE_ZEN" --bunit=S --bamount=2
	scontrol update NodeName="$NODE_TWIN" State=RESUME
	running=$(alloc -w "$NODE_TWIN,$NODE_ZEN" -N2 -n2 --bunit=C --bamount=1)
	fits explain "$running"
	fits plan -w "$NODE_TWIN" -n2 --bunit=C --bamount=1
	whole plan -w "$NODE_TWIN" -n2 --bunit=C --bamount=1
	assert grep -q "^$NODE_TWIN  2 tasks  [A-Za-z]*$" "$work/whole"
	whole plan -w "$NODE_TWIN" -n1 --bunit=C --bamount=1
	assert grep -q "^$NODE_TWIN  1 task  [A-Za-z]*$" "$work/whole"
}

# Every other core: a list without runs.
case_job() {
	local cpus job

	cpus=$(seq -s , 0 2 95)
	job=$(alloc -w "$NODE_ZEN" -N1 --bcpus="$cpus" -J a-list)
	# Its page: its request, a row for the node, and one for its task.
	wraps 8 job "$job"
	wraps 2 job "$job" -O jobid,name,threads,request
	fits job "$job" -O jobid,user,name,state,partition,request,node,threads,grant
	fits report
	fits report -N
	fits report -O jobid,user,name,node,cores,X,N,S,Xshared,Nshared,Sshared
}

case_conf() {
	local line

	slurm_is_from 25.05 || fits conf --show
	sed -i s/ConstrainCores=yes/ConstrainCores=no/ "$cluster/etc/cgroup.conf"
	fits conf --check
	line=$(wc -l <"$work/whole")
	sed -i s/ConstrainCores=no/ConstrainCores=yes/ "$cluster/etc/cgroup.conf"
	assert_eq "lines" 1 "$line"
}

case_map() {
	local width

	alloc -w "$NODE_ZEN" -N1 --bcpus="$(seq -s , 0 2 95)" \
		-J "words of a long name that go on and on and on" >/dev/null
	for width in $widths; do
		at "$width" map "$NODE_ZEN"
		assert_map_fits "$width" "$work/out"
		sed -n '/^A  /,$p' "$work/out" >"$work/legend-$width"
	done
	# Boxes have 80 columns, and the legend has whole lines.
	whole map "$NODE_ZEN"
	assert grep -q "^A  .*  words of a long name.* on  .*  bcpus=0+2+.*+94$" \
		"$work/whole"
	sed -i -n '/^A  /,$p' "$work/whole"
	for width in $widths; do
		same_words "$work/whole" "$work/legend-$width"
	done
}

case_soft() {
	local job

	job=$(sbatch --parsable -o /dev/null -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 --bmode=soft --wrap 'exec sleep 600')
	wait_until 60 has_soft_step "$job"
	fits soft --node "$NODE_THIS"
	assert grep -q '^STEP .* SMOOTHED$' "$work/whole"
}

has_soft_step() {
	topobind soft --node "$NODE_THIS" | grep -q "^$1\."
}

# Those that ask no Slurm.
case_offline() {
	local topology

	for topology in "$top"/test/data/topologies/*.xml; do
		fits topology --xml "$topology"
	done
	topology=$(printf 'NSXCCCCCCCC%.0s' {1..12})
	fits place --topology "$topology" --bunit C --bamount 40 --why
	fits place --topology NSXCXCXCXC --bunit X --bamount 8
	printf '%s 0 0 600 %s -1 -1 %s 900 -1\n' 1 1 1 2 2 2 3 1 1 \
		>"$work/past"
	wraps_at_40 whatif --topology n1=NSXCCXCC --history "$work/past"
	assert_eq "lines" 7 "$(wc -l <"$work/whole")"
}

wraps_at_40() {
	fits "$@"
	at 40 "$@"
	[ "$(wc -l <"$work/out")" -gt "$(wc -l <"$work/whole")" ] ||
		fail "not wide: $(cat "$work/out")"
}

# What programs read is the same, whatever the width.
case_for_programs() {
	local job width

	job=$(alloc -w "$NODE_ZEN" -n2 --bunit=C --bamount=1)
	for command in "hostfile $job" "conf" "job --json $job" "nodes --json"; do
		# shellcheck disable=SC2086 # words
		whole $command
		for width in 40 1000; do
			# shellcheck disable=SC2086
			at "$width" $command
			assert cmp "$work/whole" "$work/out"
		done
	done
	whole metrics
	grep -v ' [0-9.e+]*$' "$work/whole" >"$work/names"
	at 40 metrics
	assert cmp "$work/names" <(grep -v ' [0-9.e+]*$' "$work/out")
}

# What is no number of columns says nothing.
case_bad_columns() {
	local columns

	whole nodes
	for columns in "" 0 -1 wide 80x ' 50'; do
		at "$columns" nodes
		assert cmp "$work/whole" "$work/out"
	done
	at 40 nodes
	refute cmp -s "$work/whole" "$work/out"
	cp "$work/out" "$work/least"
	at 1 nodes
	assert cmp "$work/least" "$work/out"
	at 99999999999999999999 nodes
	assert cmp "$work/whole" "$work/out"
}

case_terminal() {
	local columns job commands

	job=$(waiting_job)
	commands=(nodes "explain $job" "job $job")
	slurm_is_from 25.05 || commands+=("conf --show")
	for columns in 40 60 80 132; do
		for command in "${commands[@]}"; do
			# shellcheck disable=SC2086 # words
			while_same "$work/narrow" narrow "$columns" $command \
				-- on_terminal "$columns" $command
			assert_fits "$columns" "$work/out"
			assert_eq "$command" "$(without_times <"$work/narrow")" \
				"$(without_times <"$work/out")"
		done
	done
	# One that does not know its width has 80; COLUMNS has the last word.
	on_terminal 0 nodes
	cp "$work/out" "$work/terminal"
	at 80 nodes
	assert cmp "$work/out" "$work/terminal"
	COLUMNS=60 TERM=xterm script -qec "stty cols 132; topobind nodes" \
		/dev/null </dev/null | tr -d '\r' >"$work/terminal"
	at 60 nodes
	assert cmp "$work/out" "$work/terminal"
	scontrol update NodeName="$NODE_TWIN" State=RESUME
}

# Fifty nodes that only their lines in slurm.conf make: no list of them is short.
odd="odd[$(seq -s , 1 2 99)]"
cluster_start --nodes this,zen,twin \
	--slurm "NodeName=$odd State=CLOUD Sockets=1 CoresPerSocket=4 RealMemory=1000" \
	--slurm "PartitionName=odd Nodes=$odd MaxTime=INFINITE" \
	--slurm ResumeProgram=/bin/true --slurm SuspendProgram=/bin/true \
	--slurm SuspendTime=INFINITE --slurm PrivateData=cloud \
	--topobind "NodeName=$odd Topology=NSXCCXCC"
test_case "help and options" case_help
test_case "nodes" case_nodes
test_case "a layout of the user's own" case_own_layout
test_case "explain, job and plan" case_explain
test_case "job and report" case_job
test_case "conf" case_conf
test_case "map" case_map
test_case "soft" case_soft
test_case "commands that ask no Slurm" case_offline
test_case "what programs read" case_for_programs
test_case "COLUMNS that is no number" case_bad_columns
test_case "the terminal's width" case_terminal
tests_done
