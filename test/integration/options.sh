#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# options - what users say, where they say it, and what wins
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# binding_is WANTED OPTION... - of an allocation on zen
binding_is() {
	local wanted=$1 job

	shift
	job=$(alloc -w "$NODE_ZEN" "$@")
	assert_eq "binding of: $*" "$wanted" "$(binding "$job")"
}

case_option_over_line() {
	binding_is bunit=X,bamount=2 --topobind=bunit=C,bamount=2 --bunit=X
}

case_option_over_environment() {
	export TOPOBIND=bunit=C,bamount=2,bstrategy=linear

	binding_is bamount=2,bstrategy=linear
	binding_is bunit=X,bamount=2,bstrategy=linear --bunit=X
	binding_is bamount=1,bstrategy=linear --topobind=bamount=1
}

case_all_three() {
	export TOPOBIND=bunit=C,bamount=3,bstrategy=linear

	binding_is bunit=X,bamount=1,bstrategy=linear --bamount=1 \
		--topobind=bunit=X,bamount=2
}

case_amount_0_over_environment() {
	export TOPOBIND=bunit=X,bamount=1

	binding_is "" --bamount=0
}

case_empty_environment() {
	export TOPOBIND=

	binding_is ""
}

case_script_lines() {
	local job

	cat >"$work/script" <<-END
	#!/bin/bash
	#SBATCH --bunit=X
	#SBATCH --bamount=2
	#SBATCH -w $NODE_ZEN
	#SBATCH -o /dev/null
	exec sleep 600
	END
	job=$(sbatch --parsable "$work/script")
	wait_until 20 runs "$job"
	assert_eq "from #SBATCH lines" bunit=X,bamount=2 "$(binding "$job")"
	job=$(sbatch --parsable --bamount=1 "$work/script")
	wait_until 20 runs "$job"
	assert_eq "the command line wins" bunit=X,bamount=1 "$(binding "$job")"
}

case_srun_alone() {
	local job

	srun -Q -w "$NODE_ZEN" --bunit=X --bamount=1 sleep 600 &
	wait_until 20 zen_has 0-5
	job=$(squeue -h -o %A)
	assert_eq "srun's request" bunit=X,bamount=1 "$(binding "$job")"
	scancel "$job"
	wait || true
}

zen_has() {
	[ "$(all_granted "$NODE_ZEN")" = "$1" ]
}

case_salloc_with_a_command() {
	# shellcheck disable=SC2016 # the command's variable
	assert_eq "inside salloc" bunit=X,bamount=1 "$(salloc -Q -w "$NODE_ZEN" \
		--bunit=X --bamount=1 sh -c 'scontrol show job "$SLURM_JOB_ID"' |
		sed -n 's/.*binding=\([^ ]*\).*/\1/p')"
}

case_srun_in_salloc_keeps_the_grant() {
	local output

	# shellcheck disable=SC2016
	output=$(salloc -Q -w "$NODE_RAPTOR" -n2 --bunit=C --bamount=1 \
		srun -Q sh -c 'echo "$TOPOBIND_SLOT $TOPOBIND_CPUS"' | sort)
	assert_eq "slots in a step" "0 0-1
1 2-3" "$output"
}

case_sbatch_in_a_job_is_on_its_own() {
	local outer=$work/outer job

	# What a job was submitted with does not pass to a job that it submits.
	sbatch -w "$NODE_ZEN" --bunit=X --bamount=1 -o "$outer" --wrap \
		"sbatch --parsable -w $NODE_RAPTOR -n1 -o /dev/null --wrap 'sleep 600'" \
		>/dev/null
	wait_until 20 grep -q . "$outer"
	job=$(cat "$outer")
	wait_until 20 runs "$job"
	assert_eq "binding of the inner job" "" "$(binding "$job")"
}

case_words() {
	binding_is bunit=X,bamount=2 --bunit=l3 --bamount=2
	binding_is bunit=S,bamount=1 --bunit=Socket --bamount=1
	binding_is bunit=X,bamount=1 --topobind=bunit=x
}

case_one_unit() {
	export TOPOBIND=bunit=S

	binding_is bunit=S,bamount=1
	binding_is bunit=X,bamount=1 --bunit=X
	unset TOPOBIND
	binding_is bamount=1 --bunit=core
}

# A topology and a filter alone are requests, too.
case_one_unit_of_a_shape() {
	local shape job

	shape=$(node_token "$NODE_ZEN" m_topology)
	job=$(alloc --btopology="$shape")
	assert_granted "$job" "$NODE_ZEN" 0-1
	assert_eq binding "bamount=1,btopology=$shape" "$(binding "$job")"
	job=$(alloc --btopology="$shape" --bfilter=first_core)
	assert_granted "$job" "$NODE_ZEN" 2-3
	job=$(alloc -w "$NODE_ZEN" --bfilter=first_core)
	assert_eq binding bamount=1,bfilter=first_core "$(binding "$job")"
	assert_granted "$job" "$NODE_ZEN" 4-5
}

case_last_counts() {
	binding_is bunit=X,bamount=2 --bamount=1 --bunit=C --bunit=X --bamount=2
	binding_is bamount=2 --topobind=bunit=X,bamount=1 --topobind=bamount=2
	TOPOBIND=bunit=S,bamount=3,bamount=1 binding_is bunit=S,bamount=1
}

case_help_of_option() {
	assert_contains "help of srun" 'X (l3)' "$(srun --bunit=help)"
	assert_contains "help of salloc" 'from 0 to 65535' \
		"$(salloc --bunit=X --bamount=help)"
	# It reads the script before it looks at its options.
	assert_contains "help of sbatch" 'X (l3)' \
		"$(sbatch --bunit=help --wrap true)"
	assert no_jobs
}

case_same_request_in_every_form() {
	# What is the default is left out; CX is X.
	binding_is bunit=X,bamount=1 --bunit=CX --bamount=1 --btype=slot
	binding_is bamount=1 --bunit=C --bamount=1 --bstrategy=packed
	binding_is bunit=X,bamount=1,btype=host,bstrategy=scatter,bsort=sN,bstart=S \
		--bstart=S --bsort=sN --bstrategy=scatter --btype=host --bamount=1 \
		--bunit=X
}

case_help() {
	local command option text

	for command in sbatch srun salloc; do
		text=$($command --help)
		for option in bunit bamount btype bequal bstrategy bspread bsort bstart bstop \
			bfilter binstance btopology bcpus bmem bmode ballow \
			bnodes bprefer topobind; do
			assert_contains "$command --help" "--$option=" "$text"
		done
	done
}

case_heterogeneous_job() {
	local job

	job=$(sbatch --parsable -o /dev/null \
		-w "$NODE_ZEN" --bunit=X --bamount=1 : \
		-w "$NODE_RAPTOR" --bunit=E --bamount=2 : \
		-w "$NODE_GB10" -n1 --wrap 'sleep 600')
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_ZEN" 0-5
	assert_granted "$((job + 1))" "$NODE_RAPTOR" 12-13
	assert_eq "the part without options" "" "$(binding $((job + 2)))"
}

case_ordinary_user() {
	local job

	# Everything that a user can see and do without being root.
	job=$(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups \
		sbatch --parsable -w "$NODE_ZEN" --bunit=X --bamount=1 \
		-o /dev/null --wrap 'sleep 600')
	wait_until 20 runs "$job"
	assert_contains "seen by the user" "grant=$NODE_ZEN:" \
		"$(setpriv --reuid=65534 --regid=65534 --clear-groups \
			scontrol show job "$job")"
}

cluster_start --nodes zen,raptor,gb10
test_case "a single option over --topobind" case_option_over_line
test_case "an option over the environment" case_option_over_environment
test_case "option, line and environment together" case_all_three
test_case "--bamount=0 over the environment" case_amount_0_over_environment
test_case "an empty TOPOBIND is none" case_empty_environment
test_case "#SBATCH lines, and the command line over them" case_script_lines
test_case "srun alone" case_srun_alone
test_case "salloc with a command" case_salloc_with_a_command
test_case "srun in salloc has the job's slots" case_srun_in_salloc_keeps_the_grant
test_case "sbatch in a job is on its own" case_sbatch_in_a_job_is_on_its_own
test_case "the canonical form, whatever the order" case_same_request_in_every_form
test_case "units by their words" case_words
test_case "a unit without an amount is one" case_one_unit
test_case "a topology or a filter without an amount" case_one_unit_of_a_shape
test_case "of an option given again the last one counts" case_last_counts
test_case "--bunit=help" case_help_of_option
test_case "--help of sbatch, srun and salloc" case_help
test_case "parts of a heterogeneous job" case_heterogeneous_job
test_case "an ordinary user" case_ordinary_user
tests_done
