#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# units - every --bunit on machines of both core kinds, and where a level is
# missing
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# raptor  NSX, power cores of two threads in L2 caches of their own (threads
#         0-11), 8 efficiency cores in two L2 caches (12-15, 16-19)
# gb10    NSX(5 E, 5 C)X(5 E, 5 C), an L2 cache and a thread for each core
# bare    the same counts as raptor without N, X and Y: a core where a unit is
#         an L2 cache, the socket where it is an L3 cache or NUMA node
# split   two sockets, the second one of efficiency cores only
#
# What one unit is, as the first job and as a second one beside it; - where it
# has to wait, because there is one unit only.  Every unit owns what is in it of
# its kind, and nothing of the other.
units='
unit	raptor	raptor2	gb10	gb102	bare	bare2	split	split2
T	0	1	5	6	0	1	0	1
CT	0	1	5	6	0	1	0	1
ET	12	13	0	1	12	13	10	11
C	0-1	2-3	5	6	0-1	2-3	0	1
E	12	13	0	1	12	13	10	11
S	0-11	-	5-9,15-19	-	0-11	-	0-9	-
CS	0-11	-	5-9,15-19	-	0-11	-	0-9	-
ES	12-19	-	0-4,10-14	-	12-19	-	10-19	-
X	0-11	-	5-9	15-19	0-11	-	0-9	-
CX	0-11	-	5-9	15-19	0-11	-	0-9	-
EX	12-19	-	0-4	10-14	12-19	-	10-19	-
Y	0-1	2-3	5	6	0-1	2-3	0	1
CY	0-1	2-3	5	6	0-1	2-3	0	1
EY	12-15	16-19	0	1	12	13	10	11
N	0-11	-	5-9,15-19	-	0-11	-	0-9	-
CN	0-11	-	5-9,15-19	-	0-11	-	0-9	-
EN	12-19	-	0-4,10-14	-	12-19	-	10-19	-'

# unit_is NODE UNIT FIRST SECOND
unit_is() {
	local job

	job=$(alloc -w "$1" --bunit="$2" --bamount=1)
	assert_granted "$job" "$1" "$3"
	if [ "$4" = - ]; then
		refuses -w "$1" --bunit="$2" --bamount=1
	else
		job=$(alloc -w "$1" --bunit="$2" --bamount=1)
		assert_granted "$job" "$1" "$4"
	fi
}

# case_units MACHINE MACHINE - what raptor and gb10 are at this time
case_units() {
	local unit first second first2 second2 rows=0

	while read -r unit first second first2 second2; do
		echo "unit $unit"
		unit_is "$NODE_RAPTOR" "$unit" "$first" "$second"
		unit_is "$NODE_GB10" "$unit" "$first2" "$second2"
		assert_no_contradictions
		drain
		rows=$((rows + 1))
	done < <(columns "$@")
	assert_eq "units tried" 17 "$rows"
}

# columns MACHINE MACHINE - "unit first second first second" of each row
columns() {
	awk -F '\t' -v a="$1" -v b="$2" '
	NF == 0 { next }
	!at[a] { for (i = 2; i <= NF; i++) at[$i] = i; next }
	{ print $1, $at[a], $(at[a] + 1), $at[b], $(at[b] + 1) }' <<<"$units"
}

# The same counts, other shapes.
be_bare_and_split() {
	conf_with
	sed -i -e "s/^NodeName=$NODE_RAPTOR .*/NodeName=$NODE_RAPTOR Topology=S$(
		printf 'CTT%.0s' {1..6})EEEEEEEE/" \
		-e "s/^NodeName=$NODE_GB10 .*/NodeName=$NODE_GB10 Topology=SCCCCCCCCCCSEEEEEEEEEE/" \
		"$cluster/etc/topobind.conf"
	reconfigure
}

# --- neither kind for the other ---------------------------------------------

# has_none NODE OPTION... - now; it can have it at another time
has_none() {
	local node=$1

	shift
	refuses -w "$node" "$@"
}

# never OPTION... - refused at submission
never() {
	local before

	before=$(squeue -h -o %i)
	refute sbatch -Q -o /dev/null "$@" --wrap true
	assert_eq jobs "$before" "$(squeue -h -o %i)"
}

case_a_kind_that_is_used_up() {
	local job

	job=$(alloc -w "$NODE_GB10" -n10 --bunit=C --bamount=1)
	assert_granted "$job" "$NODE_GB10" 5-9,15-19
	has_none "$NODE_GB10" --bunit=C --bamount=1
	has_none "$NODE_GB10" --bunit=T --bamount=1
	job=$(alloc -w "$NODE_GB10" -n10 --bunit=E --bamount=1)
	assert_granted "$job" "$NODE_GB10" 0-4,10-14
	drain
	alloc -w "$NODE_RAPTOR" --bunit=E --bamount=8 >/dev/null
	has_none "$NODE_RAPTOR" --bunit=ET --bamount=1
	has_none "$NODE_RAPTOR" --bunit=EY --bamount=1
	job=$(alloc -w "$NODE_RAPTOR" --bunit=S --bamount=1)
	assert_granted "$job" "$NODE_RAPTOR" 0-11
}

case_more_than_there_is() {
	never -w "$NODE_RAPTOR" --bunit=C --bamount=7
	never -w "$NODE_RAPTOR" --bunit=E --bamount=9
	never -w "$NODE_RAPTOR" --bunit=EX --bamount=2
	never -w "$NODE_GB10" --bunit=S --bamount=2
	never -w "$NODE_GB10" --bunit=EX --bamount=3
	never -w "$NODE_ZEN" --bunit=E --bamount=1
	never -w "$NODE_ZEN" --bunit=EN --bamount=1
}

# A job that may go anywhere finds the machine that has the kind.
case_finds_the_kind() {
	local job

	job=$(alloc --bunit=EY --bamount=2 -c8)
	assert_granted "$job" "$NODE_RAPTOR" 12-19
	job=$(alloc --bunit=EX --bamount=2)
	assert_granted "$job" "$NODE_GB10" 0-4,10-14
}

# With Implicit=yes for plain jobs, too: whatever they look like.
case_implicit_never_gets_the_other() {
	local job

	reconfigure_with Implicit=yes
	job=$(alloc -w "$NODE_GB10" -n3 -c2)
	assert_granted "$job" "$NODE_GB10" 5-9,15
	job=$(alloc -w "$NODE_GB10" -n1 --mem=1)
	assert_granted "$job" "$NODE_GB10" 16
	job=$(alloc -w "$NODE_GB10" --ntasks-per-node=3)
	assert_granted "$job" "$NODE_GB10" 17-19
	has_none "$NODE_GB10" -n1
	has_none "$NODE_GB10" -n1 --overcommit
	never -w "$NODE_GB10" -n11
	drain
	reconfigure_with Implicit=yes DefaultUnit=E
	job=$(alloc -w "$NODE_GB10" -n10)
	assert_granted "$job" "$NODE_GB10" 0-4,10-14
	has_none "$NODE_GB10" -n1
	never -w "$NODE_ZEN" -n1
	reconfigure_with
}

# --- every way to submit ----------------------------------------------------

# shellcheck disable=SC2016 # the task's variables
tell='echo "$SLURM_PROCID $TOPOBIND_SLOT $TOPOBIND_CPUS"'

case_by_each_command() {
	local job output=$work/by

	assert_eq srun "0 0 12-15
1 1 16-19" "$(srun -Q -w "$NODE_RAPTOR" -n2 --bunit=EY --bamount=1 \
		sh -c "$tell" | sort)"
	assert_eq salloc "0 0 0-4
1 1 10-14" "$(salloc -Q -w "$NODE_GB10" -n2 --bunit=EX --bamount=1 \
		srun -Q sh -c "$tell" | sort)"
	job=$(sbatch --parsable -w "$NODE_GB10" -n2 --bunit=X --bamount=1 \
		-o "$output" --wrap "srun -Q sh -c '$tell'")
	wait_until 30 is_over "$job"
	assert_eq sbatch "0 0 5-9
1 1 15-19" "$(sort "$output")"
}

case_array() {
	local job

	job=$(batch --array=0-2 -w "$NODE_RAPTOR" --bunit=EY --bamount=1)
	wait_until 20 run_now 2
	assert_eq "in use" 12-19 "$(all_granted "$NODE_RAPTOR")"
	assert_no_contradictions
	scancel "${job}_0"
	wait_until 30 runs "${job}_2"
	assert_granted "$(job_field "${job}_2" JobId)" "$NODE_RAPTOR" 12-15
}

run_now() {
	[ "$(squeue -h -t R -r | wc -l)" = "$1" ]
}

# assert_components JOB - of the heterogeneous jobs below
assert_components() {
	assert_granted "$1" "$NODE_RAPTOR" 12-15
	assert_granted $(($1 + 1)) "$NODE_GB10" 5-9
	assert_granted $(($1 + 2)) "$NODE_ZEN" 0-5
	assert_no_contradictions
}

case_heterogeneous_jobs() {
	local parts=(-w "$NODE_RAPTOR" --bunit=EY --bamount=1 :
		-w "$NODE_GB10" --bunit=X --bamount=1 :
		-w "$NODE_ZEN" "--topobind=bunit=C,bamount=3") job

	job=$(batch "${parts[@]}")
	wait_until 30 runs "$job"
	assert_components "$job"
	cancel "$job"
	job=$(alloc "${parts[@]}" | sed -n 1p)
	assert_components "$job"
	cancel "$job"
	assert_eq srun "0 0 12-15
1 0 5-9
2 0 0-5" "$(srun -Q "${parts[0]}" "${parts[@]:1:3}" sh -c "$tell" : \
		"${parts[@]:5:4}" sh -c "$tell" : "${parts[@]:10}" \
		sh -c "$tell" | sort)"
}

cluster_start --nodes zen,raptor,gb10
test_case "every unit of two hybrid machines" case_units raptor gb10
test_case "a kind that is used up" case_a_kind_that_is_used_up
test_case "more than there is of a kind" case_more_than_there_is
test_case "the machine that has the kind" case_finds_the_kind
test_case "implicit: never the other kind" case_implicit_never_gets_the_other
test_case "by srun, salloc and sbatch" case_by_each_command
test_case "arrays" case_array
test_case "heterogeneous jobs" case_heterogeneous_jobs
be_bare_and_split
test_case "every unit where levels are missing" case_units bare split
tests_done
