#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# refused - what no node can hold is refused, and the client says what is missing
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# refused COMMAND [ARGUMENT...] - it fails, by Slurm's sentence; its words on stderr
# are in $work/err
refused() {
	local status=0

	timeout 30 "$@" >"$work/out" 2>"$work/err" || status=$?
	refute [ "$status" -eq 0 ]
	refute [ "$status" -eq 124 ]
	assert grep -q "$(strerror)" "$work/err"
}

strerror() {
	echo 'Requested node configuration is not available'
}

# says SENTENCE - the client, once; "": nothing of units
says() {
	assert_eq "sentence" "$1" "$(sed -n -E \
		's/^[a-z]+: error: topobind: (.*); "topobind plan" with .*/\1/p' \
		"$work/err")"
}

# Each client, by its own way to its end.  plan has the same words.
all_say() {
	local sentence=$1

	shift
	refused sbatch -o /dev/null --wrap true "$@"
	says "$sentence"
	refused salloc "$@" true
	says "$sentence"
	refused srun "$@" true
	says "$sentence"
	if [ -n "$sentence" ]; then
		exits 2 "$sentence" topobind plan "$@"
	fi
}

case_clients() {
	all_say "no node has 99 N units ($NODE_QUADRANT has most: 4)" \
		--bunit=N --bamount=99
	all_say "no required node has 3 S units ($NODE_ZEN has most: 2)" \
		-w "$NODE_ZEN" --bunit=S --bamount=3
	all_say "no required node has 1 E unit" -w "$NODE_ZEN" --bunit=E \
		--bamount=1
	all_say "no node that it may use has 9 S units ($NODE_QUADRANT has most: 4)" \
		-x "$NODE_ZEN" --bunit=S --bamount=9
	all_say "no node has 1 X unit with 99 CPUs for each task" -c 99 \
		--bunit=X --bamount=1
	all_say "no required node has CPUs 1000 ($NODE_ZEN has most: 96 CPUs)" \
		-w "$NODE_ZEN" --bcpus=1000
	all_say "no node has the topology of --btopology" --bunit=C \
		--bamount=1 --btopology=SC
	all_say "no node has the shape of --bfilter" --bunit=C --bamount=1 \
		--bfilter=Sc
}

# Slurm wants CPUs for all of them on each node, whatever units there are.
case_tasks_of_node() {
	all_say "no node has the 97 CPUs of --ntasks-per-node=97 ($NODE_ZEN has most: 96, for 96 tasks)" \
		--ntasks-per-node=97 --bunit=C --bamount=1
	all_say "no required node has the 18 CPUs of --ntasks-per-node=9 with --cpus-per-task=2 ($NODE_QUADRANT has most: 16, for 8 tasks)" \
		-w "$NODE_QUADRANT" -N1 -c2 --ntasks-per-node=9 --bunit=C --bamount=2
	refused sbatch -o /dev/null --wrap true -w "$NODE_QUADRANT" \
		--ntasks-per-node=9 --bunit=X --bamount=1
	says ""
}

# Each has units and CPUs, but they do not suffice for all tasks.
case_all_tasks() {
	local way="ask for fewer, or let tasks share with --overcommit"

	all_say "no node holds 12 tasks on CPUs 0-7 ($NODE_QUADRANT holds most: 8): $way" \
		-N1 -n12 --bcpus=0-7
	all_say "no required node holds 7 tasks on 3 C units ($NODE_ZEN holds most: 6): $way" \
		-N1 -w "$NODE_ZEN" -n7 --btype=host --bamount=3
	all_say "no node holds 5 tasks of 2 CPUs on CPUs 0-7 ($NODE_QUADRANT holds most: 4): $way" \
		-N1 -n5 -c2 --bcpus=0-7
	all_say "no node that it may use holds 17 tasks with 1 C unit each ($NODE_QUADRANT holds most: 16): $way" \
		-N1 -x "$NODE_ZEN" -n17 --bunit=C --bamount=1
	all_say "the 2 nodes that it may have hold at most 16 tasks on CPUs 0-7, not 17: $way" \
		-n17 -N2 --bcpus=0-7
	all_say "the 2 nodes that it may have hold at most 16 tasks on CPUs 0-7, not 20: $way" \
		-n20 --bcpus=0-7
	scancel "$(sbatch --parsable -o /dev/null -N1 -n12 -O --bcpus=0-7 \
		--wrap true)"
}

case_line() {
	TOPOBIND=bunit=S,bamount=9 refused sbatch -o /dev/null --wrap true
	says "no node has 9 S units ($NODE_QUADRANT has most: 4)"
}

# Nothing is said of these.
case_accepted() {
	local job

	for job in "-H --bunit=S" "-H"; do
		# shellcheck disable=SC2086 # words
		job=$(sbatch --parsable -o /dev/null $job --wrap true \
			2>"$work/err")
		assert_eq "stderr" "" "$(cat "$work/err")"
		cancel "$job"
	done
}

never_fits() {
	[ "$(topobind explain --json "$1" | jq '.jobs[0].would_fit')" = false ]
}

# Of units there are enough, so the client does not know.
case_held_for_nothing() {
	local job

	job=$(batch -H -w "$NODE_ZEN" --bunit=C --bamount=1 --mem=900000000)
	wait_until 20 never_fits "$job"
	scontrol release "$job"
	wait_until 20 reason_has "$job" Reason=BadConstraints
	cancel "$job"
}

# Slurm would not look at a job that begins held.
case_held() {
	local sentence="topobind: no node has 77 C units ($NODE_ZEN has most: 48)"

	exits 1 "$sentence" sbatch -H -o /dev/null --bamount=77 --wrap true
	exits 1 "$sentence" salloc --hold --bamount=77 true
	exits 1 "$sentence" srun -H --bamount=77 true
	printf '#!/bin/sh\n#SBATCH --hold --bamount=77\n' >"$work/job.sh"
	exits 1 "$sentence" sbatch -o /dev/null "$work/job.sh"
	exits 1 "topobind: no node has 77 C units" sbatch -H -o /dev/null \
		--bunit='C:77|X:99' --wrap true
	exits 1 "bprefer=unknown: no node has this feature" sbatch -H \
		-o /dev/null --bamount=1 --bprefer=unknown --wrap true
	assert no_jobs
	cancel "$(batch -H --bunit='C:77|X:1')"
	cancel "$(batch -H --bunit=C --bamount=48)"
	# Now no cache is in use.
	cancel "$(batch -H --bunit=C --bamount=1 --bstart=x)"
	exits 1 "no required node has 48 C units" sbatch -H -o /dev/null \
		-w "$NODE_QUADRANT" --bamount=48 --wrap true
}

# Refused for something else, with and without a binding.
case_others() {
	refused sbatch -o /dev/null --sockets-per-node=50 --wrap true
	says ""
	refused sbatch -o /dev/null --sockets-per-node=50 --bunit=S --wrap true
	says ""
}

cluster_start --nodes zen,quadrant
test_case "what is missing" case_clients
test_case "CPUs of as many tasks on a node" case_tasks_of_node
test_case "all tasks together" case_all_tasks
test_case "the variable TOPOBIND" case_line
test_case "accepted jobs hear nothing" case_accepted
test_case "a job that begins held" case_held
test_case "held, and never to run for something else" case_held_for_nothing
test_case "other reasons are not ours" case_others
tests_done
