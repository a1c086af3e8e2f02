#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# badinput - a clear error and no job, and every daemon lives on
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# refused WANTED COMMAND... - fails, with WANTED in its message, and leaves no
# job
refused() {
	local wanted=$1 output

	shift
	if output=$("$@" 2>&1); then
		fail "accepted: ${*:0:200}"
	fi
	[ -n "$output" ] || fail "no message"
	[ "${#output}" -lt 2000 ] || fail "a message of ${#output} characters"
	assert_contains message "$wanted" "$output"
	assert no_jobs
}

# By each of the three commands.
refused_by_all() {
	local wanted=$1

	shift
	refused "$wanted" sbatch -o /dev/null "$@" --wrap true
	refused "$wanted" srun -Q "$@" true
	refused "$wanted" salloc -Q "$@" true
}

# In the environment.
refused_in_environment() {
	local wanted=$1 value=$2

	refused "$wanted" env TOPOBIND="$value" sbatch -o /dev/null --wrap true
	refused "$wanted" env TOPOBIND="$value" srun -Q true
	refused "$wanted" env TOPOBIND="$value" salloc -Q true
}

# A wrong value in each place where it can stand.
case_wrong() {
	local option=$1 value=$2 amount=(--bamount=1) also=,bamount=1

	case $option in
	bamount | bcpus) amount=() also='' ;;
	esac
	refused_by_all "$option" "--$option=$value" "${amount[@]}"
	refused_by_all "$option" --topobind="$option=$value$also"
	refused_in_environment "$option" "$option=$value$also"
}

case_line() {
	refused_by_all "$1" --topobind="$2"
	refused_in_environment "$1" "$2"
}

# Given again, both values are looked at.
case_twice() {
	refused_by_all bunit --bunit=Q --bunit=C --bamount=1
	refused_by_all bamount --bamount=1 --bamount=x
	refused_by_all bamount --topobind=bamount=x --topobind=bamount=1
	refused_by_all bunit --topobind=bunit=C,bunit=Q,bamount=1
}

# No more than the sentence, whatever the command.
case_one_line() {
	local command=(true) client

	for client in sbatch srun salloc; do
		[ "$client" != sbatch ] || command=(-o /dev/null --wrap true)
		assert_eq "lines of $client" 1 "$("$client" --bunit=Q \
			"${command[@]}" 2>&1 | wc -l)"
		command=(true)
	done
	assert no_jobs
}

# 64 KiB: letters, brackets, bytes that are no text.
rubbish() {
	case $1 in
	letters) head -c 65536 /dev/zero | tr '\0' N ;;
	open) head -c 65536 /dev/zero | tr '\0' '(' ;;
	commas) head -c 65536 /dev/zero | tr '\0' , ;;
	digits) head -c 65536 /dev/zero | tr '\0' 9 ;;
	bytes) head -c 200000 /dev/urandom | tr -d '\0' | head -c 65536 ;;
	percent) head -c 65536 /dev/zero | sed 's/\x00/%n/g' | head -c 65536 ;;
	esac
}

case_rubbish() {
	local text option

	# head ends before what it reads from.
	text=$(rubbish "$1" 2>/dev/null || true)
	[ "${#text}" -gt 10000 ] || fail "no rubbish"
	for option in bunit bamount btype bequal bstrategy bspread bsort bstart bstop \
		bfilter binstance btopology bcpus bmem bmode ballow bnodes \
		bprefer topobind; do
		refused "" sbatch -o /dev/null "--$option=$text" --wrap true
	done
	refused "" srun -Q "--bunit=$text" true
	refused "" env TOPOBIND="$text" sbatch -o /dev/null --wrap true
	refused "" env TOPOBIND="$text" srun -Q true
	refused "" env TOPOBIND="bamount=1,bfilter=$text" salloc -Q true
}

case_other_options_without_amount() {
	refused_by_all bamount --bstrategy=linear
}

case_newlines_and_quotes() {
	refused_by_all bunit --bunit=$'C\ngrant=x:c' --bamount=1
	refused_by_all bfilter --bfilter=$'first_core\n' --bamount=1
	refused_by_all bunit --bunit='C,bamount=1' --bamount=1
	# shellcheck disable=SC2016 # no expansion is the point
	refused_by_all bunit --bunit='$(id)' --bamount=1
}

# A wrong request in a step of a job that is there.
case_wrong_step() {
	local job

	job=$(alloc -w "$NODE_RAPTOR" -n2 --bunit=C --bamount=1)
	refute srun -Q --jobid="$job" --bunit=Q --bamount=1 true
	refute srun -Q --jobid="$job" --bunit=C --bamount=-1 true
	assert runs "$job"
	assert_granted "$job" "$NODE_RAPTOR" 0-3
	assert srun -Q --jobid="$job" true
}

case_daemons_live() {
	local job

	assert_eq daemons "$before" "$(daemon_pids)"
	assert_eq jobs "" "$(squeue -h)"
	job=$(alloc -w "$NODE_RAPTOR" --bunit=C --bamount=1)
	assert_granted "$job" "$NODE_RAPTOR" 0-1
}

cluster_start --nodes this,zen,raptor
before=$(daemon_pids)
for value in Q XX '' l4 CC 'C ' c0 EE EC ETT NS; do
	test_case "--bunit=$value" case_wrong bunit "$value"
done
for value in -1 -0 65536 99999999999999999999 1.5 0x1 1e3 '' ' 1' one +1; do
	test_case "--bamount=$value" case_wrong bamount "$value"
done
for value in '' Slot hosts node; do
	test_case "--btype=$value" case_wrong btype "$value"
done
for value in '' Packed random; do
	test_case "--bstrategy=$value" case_wrong bstrategy "$value"
done
for value in Ss SS Q 'S C' NSCEXYTN 1; do
	test_case "--bsort=$value" case_wrong bsort "$value"
done
for value in T SS Q 0; do
	test_case "--bstart=$value" case_wrong bstart "$value"
	test_case "--bstop=$value" case_wrong bstop "$value"
done
for value in '(' '(S(C' 'S(C)' '()' NSQ 'NS' first_core+ first_corex +C \
	'(C(T)))' CTS; do
	test_case "--bfilter=$value" case_wrong bfilter "$value"
done
for value in '' SET both env+set; do
	test_case "--binstance=$value" case_wrong binstance "$value"
done
for value in '' '(' 'S(C)' NSQ NS nscc NScC first_core; do
	test_case "--btopology=$value" case_wrong btopology "$value"
done
for value in '' -1 0- 3-1 0++1 + 65536 0-99999999999999999999 0x1 all '0 1'; do
	test_case "--bcpus=$value" case_wrong bcpus "$value"
done
for value in '' LOCAL bind 'local '; do
	test_case "--bmem=$value" case_wrong bmem "$value"
done
for value in '' SOFT firm; do
	test_case "--bmode=$value" case_wrong bmode "$value"
done
for value in '' x C nodes; do
	test_case "--ballow=$value" case_wrong ballow "$value"
done
test_case "--topobind=" case_line topobind nonsense
test_case "--topobind with an unknown key" case_line bfoo bfoo=1,bamount=1
test_case "--topobind with a key and no value" case_line bunit bunit
test_case "--topobind with an empty part" case_line '' bunit=C,,bamount=1
test_case "--topobind with a comma at the end" case_line '' bunit=C,bamount=1,
test_case "options given twice" case_twice
test_case "one line for one mistake" case_one_line
test_case "an option without an amount" case_other_options_without_amount
test_case "line breaks, quotes, commas in values" case_newlines_and_quotes
for kind in letters open commas digits bytes percent; do
	test_case "64 KiB of $kind" case_rubbish "$kind"
done
test_case "a wrong request of a step" case_wrong_step
test_case "all daemons live on" case_daemons_live
tests_done
