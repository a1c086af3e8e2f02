#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# script - topobind plan with a job script: what its #SBATCH lines say is what sbatch
# reads in them, every option of sbatch is known, and a file that is no job script is
# refused
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# script LINE... - a job script with these lines behind its first one
script() {
	printf '%s\n' '#!/bin/sh' "$@" >"$work/job.sh"
}

# What sbatch --test-only and topobind plan say of them, in one form: now or later,
# partition and nodes; "no".
sbatch_says() {
	local text start

	text=$(sbatch --test-only "$@" 2>&1) || text=
	start=$(sed -n 's/.* to start at \([^ ]*\) .*/\1/p' <<<"$text")
	[ -n "$start" ] || { echo no; return 0; }
	if [ "$(date -d "$start" +%s)" -gt $((EPOCHSECONDS + 60)) ]; then
		printf 'later '
	else
		printf 'now '
	fi
	sed -n 's/.* on nodes \([^ ]*\) in partition \(.*\)/\2 \1/p' <<<"$text" | {
		read -r partition nodes
		echo "$partition" "$(scontrol show hostnames "$nodes" | xargs)"
	}
}

plan_says() {
	local text code=0

	text=$(topobind plan --json "$@" 2>/dev/null) || code=$?
	[ "$code" -lt 2 ] || { echo no; return 0; }
	jq -r '.answer + " " + .partition + " " + (.nodes | join(" "))' <<<"$text"
}

# assert_same OPTION... - as sbatch takes it; prints what it says
assert_same() {
	local wanted

	wanted=$(sbatch_says "$@" "$work/job.sh")
	assert_eq "plan $* of $(tail -n +2 "$work/job.sh")" "$wanted" \
		"$(plan_says "$@" "$work/job.sh")"
	echo "$wanted"
}

# Lines of scripts, with "|" between them, and after "::" options.
scripts() {
	cat <<-END
		:: -N1
		#SBATCH -N2
		#SBATCH -N2|#SBATCH -n5
		#SBATCH -N 2 -n 5 --bunit=X --bamount=1
		#SBATCH --bunit=X|#SBATCH --bamount=2
		#SBATCH --bunit=X --bamount=1 :: --bamount=99
		#SBATCH --bunit=S --bamount=2 -w $NODE_ZEN :: --bunit=C -w $NODE_TWIN
		#SBATCH --topobind=bunit=X,bamount=1 -n3 -N1
		#SBATCH -p virtual
		#SBATCH -p virtual :: -p main
		#SBATCH --partition virtual -w $NODE_TWIN
		#SBATCH -p nowhere
		#SBATCH -w "$NODE_ZEN"
		#SBATCH -w '$NODE_TWIN' # -w $NODE_ZEN
		#SBATCH -J "a b" -w $NODE_TWIN
		#SBATCH -J a\\ b -w $NODE_TWIN
		#SBATCH -J "a\\"b" -w $NODE_TWIN
		#SBATCH -J a"b c"d'e "' -w $NODE_TWIN
		#SBATCH --comment="" -w $NODE_TWIN
		#SBATCH --comment "" -w $NODE_TWIN
		#SBATCH -J a#b -w $NODE_TWIN
		#SBATCH -J "a -w $NODE_TWIN
		#SBATCH#-w $NODE_ZEN|#SBATCH-w $NODE_TWIN
		 #SBATCH -w $NODE_TWIN
		# #SBATCH -w $NODE_TWIN
		##SBATCH -w $NODE_TWIN
		#sbatch -w $NODE_TWIN
		#SLURM -w $NODE_TWIN
		true|#SBATCH -w $NODE_TWIN
		|  |# text|#SBATCH -w $NODE_TWIN|true
		#SBATCH -w|#SBATCH $NODE_TWIN
		#SBATCH -w $NODE_ZEN|#SBATCH -w $NODE_TWIN
		#SBATCH -w $NODE_ZEN -N2
		#SBATCH -x $NODE_ZEN,$NODE_SKYLAKE
		#SBATCH --frobnicate
		#SBATCH word
		#SBATCH --hold=1
		#SBATCH --time
		#SBATCH --nodel=$NODE_TWIN
		#SBATCH --no=2
		#SBATCH -n1000
		#SBATCH -n300 -O
		#SBATCH -c6 -n4
		#SBATCH --mincpus=90
		#SBATCH --mincpus=97
		#SBATCH --mem=2000000
		#SBATCH --mem=100|#SBATCH --mem-per-cpu=100
		#SBATCH --mem=100 :: --mem-per-cpu=100
		#SBATCH --mem=2G :: --mem=1
		#SBATCH --mem-per-cpu=100K -n2
		#SBATCH -N2 --ntasks-per-node=2
		#SBATCH -N2 --tasks-per-node=40
		#SBATCH -N1 --ntasks-per-socket=30 -n60
		#SBATCH -N1 --ntasks-per-core=1 -n40
		#SBATCH -B 2:24:2
		#SBATCH -B 1:16
		#SBATCH --sockets-per-node=2 -N2
		#SBATCH --cores-per-socket=24 -N1
		#SBATCH --threads-per-core=1 -N1 -n40
		#SBATCH --extra-node-info=*:20
		#SBATCH -B nonsense
		#SBATCH --exclusive -N1
		#SBATCH --exclusive=user -N1
		#SBATCH --exclusive=perhaps
		#SBATCH --exclusive --bstart=X --bamount=1 -N1
		#SBATCH --contiguous -N3
		#SBATCH --spread-job -n4 -N1-4
		#SBATCH --use-min-nodes -N1-3 -n3
		#SBATCH -t 10 --time-min=5
		#SBATCH -t 1-00
		#SBATCH --tmp=1
		#SBATCH --tmp=9T
		#SBATCH -L nothing:1
		#SBATCH -d afterok:999999
		#SBATCH -C nowhere
		#SBATCH --prefer=nowhere -N1
		#SBATCH --reservation=none
		#SBATCH -q none
		#SBATCH --gres=none -N1
		#SBATCH --gres=gpu:99
		#SBATCH --ntasks-per-socket=2 --bamount=1
		#SBATCH --mincpus=4 --bamount=1
		#SBATCH --core-spec=1 --bamount=1
		#SBATCH --thread-spec=1 --bamount=1
		#SBATCH --hint=memory_bound --bamount=1
		#SBATCH --hint=nomultithread --bunit=T --bamount=1
		#SBATCH --mem-bind=local --bmem=prefer --bamount=1
		#SBATCH --cpus-per-gpu=2 --bamount=1
		#SBATCH -m plane=2 -n4 --bamount=1
		#SBATCH --bunit=Q --bamount=1
		#SBATCH -o out -e err -i in --open-mode=append -D /tmp
		#SBATCH --mail-type=END --mail-user=a --nice --nice=5 -k --no-kill=off
		#SBATCH --export=NONE --get-user-env --propagate --signal=B:9@9
		#SBATCH --requeue|#SBATCH --no-requeue|#SBATCH -vQ
		#SBATCH --parsable -W --wait-all-nodes=1 --kill-on-invalid-dep=yes
		#SBATCH -vkJ name -w $NODE_TWIN
	END
}

case_same() {
	local line lines options said now=0 no=0

	alloc -w "$NODE_ZEN" -n 30 >/dev/null
	alloc -w "$NODE_SKYLAKE" --exclusive -t 30 >/dev/null
	while IFS= read -r line; do
		options=
		[[ $line != *'::'* ]] || options=${line##*::}
		mapfile -t -d '|' lines < <(printf '%s' "${line%%::*}")
		script "${lines[@]}"
		# shellcheck disable=SC2086 # words
		said=$(assert_same $options)
		case $said in
		no) no=$((no + 1)) ;;
		*) now=$((now + 1)) ;;
		esac
	done < <(scripts)
	{ [ "$now" -ge 45 ] && [ "$no" -ge 20 ]; } ||
		fail "only $now scripts were taken, and $no refused"
}

# What is planned is what the script gets.
case_granted() {
	local planned job

	script "#SBATCH -N1 -n3 -t 5 -o /dev/null" \
		"#SBATCH --bunit=X --bamount=1 -w $NODE_TWIN" "sleep 600"
	planned=$(topobind plan --json "$work/job.sh" | jq -r '.units[].topology')
	job=$(sbatch --parsable "$work/job.sh")
	wait_until 20 runs "$job"
	assert_eq "threads" "$(lower_threads "$planned")" \
		"$(granted "$job" "$NODE_TWIN")"
}

# The script is stronger than the variable.
case_variable() {
	script "#SBATCH --bunit=X"
	assert_eq "request" bamount=2 "$(TOPOBIND=bunit=C,bamount=2 \
		topobind plan --json "$work/job.sh" | jq -r .request |
		sed 's/bunit=X,//')"
}

case_arguments_of_script() {
	script "#SBATCH -N1"
	exits 0 now topobind plan "$work/job.sh" --frobnicate -N9
	exits 2 "part of a heterogeneous job" topobind plan -N1 : -N2 "$work/job.sh"
}

case_standard_input() {
	script "#SBATCH -w $NODE_TWIN"
	exits 0 "on $NODE_TWIN" topobind plan - <"$work/job.sh"
	exits 0 "on $NODE_TWIN" topobind plan - < <(cat "$work/job.sh")
	exits 2 "standard input: it is empty" topobind plan - </dev/null
}

case_heterogeneous() {
	script "#SBATCH -N1" "#SBATCH hetjob" "#SBATCH -N2"
	exits 2 "line 3: \"hetjob\" begins another part" \
		topobind plan "$work/job.sh"
	script "#SBATCH -N1" "#SBATCH -n1 hetjob"
	exits 0 now topobind plan "$work/job.sh"
}

# With its name and its line.
case_wrong_lines() {
	script "#SBATCH -N1" "" "#SBATCH -t soon"
	exits 2 "job.sh: line 4: --time=soon is not right" \
		topobind plan "$work/job.sh"
	script "#SBATCH --frobnicate"
	exits 2 "line 2: there is no option \"--frobnicate\"" \
		topobind plan "$work/job.sh"
	script "#SBATCH --json"
	exits 2 "there is no option" topobind plan "$work/job.sh"
}

# What sbatch heeds and the plan does not.
case_not_heeded() {
	script "#SBATCH --begin=now+1hour -N1" "#SBATCH -H" "#SBATCH -o out"
	exits 0 "the plan does not heed --begin, --hold" \
		topobind plan "$work/job.sh"
	assert_eq "names" '["begin","hold"]' "$(topobind plan --json \
		"$work/job.sh" | jq -c .not_heeded)"
}

case_no_script() {
	mkfifo "$work/fifo"
	exits 2 "not a regular file" within 5 topobind plan "$work/fifo"
	exits 2 "not a regular file" topobind plan "$work"
	exits 2 "not a regular file" topobind plan /dev/zero
	exits 2 "No such file" topobind plan "$work/nothing"
	exits 2 "no job script" topobind plan "$(type -P true)"
	printf '#!/bin/sh\n#SBATCH -N1\n\0' >"$work/file"
	exits 2 "NUL" topobind plan "$work/file"
	printf '#!/bin/sh\r\n#SBATCH -N1\r\n' >"$work/file"
	exits 2 "DOS" topobind plan "$work/file"
	printf ' \n\n' >"$work/file"
	exits 2 "it is empty" topobind plan "$work/file"
	{ echo '#!/bin/sh' && head -c 5M /dev/zero | tr '\0' '#'; } >"$work/file"
	exits 2 "more than 4 MiB" topobind plan "$work/file"
	exits 2 "more than 4 MiB" topobind plan - <"$work/file"
}

# Names as the help of sbatch has them.
slurms_options() {
	sbatch --help | sed -nE \
		's/^ {1,6}(-[A-Za-z], *)?--([a-z][a-z0-9-]*).*/\2/p'
}

case_all_options() {
	local option known count=0

	known=$(topobind plan --completion | sed -n 's/^--\([^=]*\).*/\1/p')
	for option in $(slurms_options); do
		count=$((count + 1))
		grep -qxF -e "$option" <<<"$known" ||
			fail "the plan does not know --$option of sbatch"
	done
	[ "$count" -gt 70 ] || fail "only $count options of sbatch were found"
}

# And their letters.
case_all_letters() {
	local letters letter

	letters=$(sbatch --help | sed -nE 's/^ *-([A-Za-z]), *--.*/\1/p')
	[ "$(wc -l <<<"$letters")" -gt 25 ] || fail "only $letters"
	for letter in $letters; do
		refute grep -q "invalid option" \
			<(topobind plan "-$letter" 1 --version 2>&1)
	done
}

# --- the environment --------------------------------------------------------------

# Variables, lines of a script and options, with "|" between them.
variables() {
	cat <<-END
		SBATCH_PARTITION=virtual||
		SBATCH_PARTITION=virtual||-p main
		SBATCH_PARTITION=virtual|#SBATCH -p main|
		SBATCH_PARTITION=none||--bunit=X --bamount=1
		SBATCH_EXCLUSIVE=||-w $NODE_TWIN
		SBATCH_EXCLUSIVE=user||-w $NODE_TWIN
		SBATCH_EXCLUSIVE=none||
		SBATCH_EXCLUSIVE=||-s
		|#SBATCH --exclusive|-s
		||--exclusive -s
		SBATCH_OVERCOMMIT=||-N1 -n900
		SBATCH_OVERCOMMIT=yes||-N1 -n900
		SBATCH_OVERCOMMIT=2||-N1 -n900
		SBATCH_OVERCOMMIT=0||-N1 -n900
		SBATCH_OVERCOMMIT=no|#SBATCH -O|-N1 -n900
		|#SBATCH -O|-N1 -n900
		SBATCH_MEM_PER_NODE=9000000||
		SBATCH_MEM_PER_NODE=9000000||--mem-per-cpu=1
		SBATCH_MEM_PER_NODE=9000000||--mem=10
		SBATCH_MEM_PER_NODE=9000000|#SBATCH --mem=10|
		SBATCH_MEM_PER_CPU=9000000|#SBATCH --mem=10|
		SBATCH_MEM_PER_CPU=1 SBATCH_MEM_PER_NODE=1||
		SBATCH_MEM_PER_CPU=1 SBATCH_MEM_PER_NODE=1||--mem=10
		SBATCH_TIMELIMIT=soon||
		SBATCH_TIMELIMIT=10||-t 99999-0
		SBATCH_TIMELIMIT=99999-0||-p virtual
		SBATCH_CONSTRAINT=none||
		SBATCH_CONSTRAINT=none||-C big
		SBATCH_GRES=gpu:9||
		SBATCH_GPUS=2 SBATCH_PARTITION=main||-N1
		SBATCH_GPUS_PER_NODE=2||
		SBATCH_GPUS_PER_TASK=2||-n1
		SBATCH_RESERVATION=none||
		SBATCH_THREADS_PER_CORE=9||
		SBATCH_CORE_SPEC=2||-w $NODE_ZEN
		SBATCH_USE_MIN_NODES=||-N1-3 -n3
		SBATCH_SPREAD_JOB=||-N1-3 -n3
		SBATCH_SPREAD_JOB=no|#SBATCH --spread-job|-N1-3 -n3
	END
}

case_variables() {
	local line wanted said=''
	local -a part settings options

	scontrol update NodeName="$NODE_ZEN" AvailableFeatures=big ActiveFeatures=big
	alloc -w "$NODE_TWIN" -t 100 -n1 >/dev/null
	while read -r line; do
		IFS='|' read -r -a part <<<"$line"
		read -r -a settings <<<"${part[0]-}"
		script "${part[1]-}"
		read -r -a options <<<"${part[2]-}"
		wanted=$(
			[ ${#settings[@]} -eq 0 ] || export "${settings[@]}"
			assert_same "${options[@]}"
		) || fail "$line: $wanted"
		said+="${wanted%% *} "
	done < <(variables)
	# They are not all the same.
	assert_contains "answers" "no no" "$said"
	assert_contains "answers" "now now" "$said"
	assert_contains "answers" "later" "$said"
	exits 2 "SBATCH_TIMELIMIT in the environment: --time=soon is not right" \
		env SBATCH_TIMELIMIT=soon topobind plan -N1
	exits 0 "does not heed --hint" env SBATCH_HINT=nomultithread topobind plan -N1
}

cluster_start --nodes zen,twin,skylake,raptor,quadrant --slurm GresTypes=gpu
test_case "scripts are read as sbatch reads them" case_same
drain
test_case "what is planned is what the script gets" case_granted
test_case "the variable TOPOBIND" case_variable
test_case "arguments of the script" case_arguments_of_script
test_case "variables of sbatch" case_variables
test_case "a script from standard input" case_standard_input
test_case "heterogeneous jobs" case_heterogeneous
test_case "lines that are wrong" case_wrong_lines
test_case "options that the plan does not heed" case_not_heeded
test_case "files that are no job script" case_no_script
test_case "every option of sbatch is known" case_all_options
test_case "and every letter" case_all_letters
tests_done
