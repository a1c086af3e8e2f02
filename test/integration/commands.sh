#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# commands - all subcommands of topobind, as it names them: what they do where
# slurmctld does not answer, nobody reads, the disk is full, or something is asked
# for that Slurm does not know
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/tool/commands.sh
. "$top/test/tool/commands.sh"

message_timeout=5

# ran COMMAND [ARGUMENT...] - topobind does, within the time that Slurm's clients
# take to give up, and twice as much again; sets $code, fills $work/out, $work/err
ran() {
	code=0
	timeout $((3 * message_timeout * slowness + 20)) topobind "$@" \
		</dev/null >"$work/out" 2>"$work/err" || code=$?
	[ "$code" -ne 124 ] || fail "topobind $* takes too long"
}

# arguments COMMAND - those that it needs; for JOB the number of ours
arguments() {
	needed_arguments "$1" | sed "s/.*/$job/"
}

# assert_sentence COMMAND - exit code 2, nothing on stdout, and the last line on
# stderr is one of this command
assert_sentence() {
	assert_eq "exit code of $1" 2 "$code"
	assert_eq "stdout of $1" "" "$(cat "$work/out")"
	assert grep -q "^topobind $1: [^ ]" <(tail -n 1 "$work/err")
	refute grep -q '[[:cntrl:]]' "$work/err"
}

# Those that asked slurmctld, one a line: they have an answer now, and without it
# they have none.
case_without_slurmctld() {
	local command codes asked=0

	for command in $(command_names); do
		# shellcheck disable=SC2046 # words
		ran "$command" $(arguments "$command")
		codes[asked++]=$code
		cp "$work/out" "$work/out-$command"
		cp "$work/err" "$work/err-$command"
	done
	daemon slurmctld stop
	asked=0
	: >"$work/asking"
	for command in $(command_names); do
		# shellcheck disable=SC2046
		ran "$command" $(arguments "$command")
		if cmp -s "$work/err" "$work/err-$command"; then
			assert_eq "$command" "${codes[asked]}" "$code"
			assert cmp "$work/out" "$work/out-$command"
		else
			assert_sentence "$command"
			echo "$command" >>"$work/asking"
		fi
		asked=$((asked + 1))
	done
	daemon slurmctld start
	for command in map nodes job hostfile explain plan report metrics; do
		assert grep -qx "$command" "$work/asking"
	done
}

# On a full disk, after all that Slurm was asked.
case_output_is_lost() {
	local command status

	for command in $(command_names); do
		# shellcheck disable=SC2046
		ran "$command" $(arguments "$command")
		[ -s "$work/out" ] || continue
		for output in /dev/full closed; do
			status=0
			: >"$work/err"
			# shellcheck disable=SC2046
			with_output "$output" "$command" \
				$(arguments "$command") || status=$?
			assert_eq "$command to $output" 2 "$status"
			assert grep -q output "$work/err"
		done
	done
}

with_output() {
	local output=$1

	shift
	if [ "$output" = closed ]; then
		topobind "$@" >&- 2>"$work/err"
	else
		topobind "$@" >"$output" 2>"$work/err"
	fi
}

# In a pipe: nothing for terminals, no line cut, and quiet when nobody reads on.
case_in_a_pipe() {
	local command

	for command in $(command_names); do
		# shellcheck disable=SC2046
		ran "$command" $(arguments "$command")
		cp "$work/out" "$work/wide"
		refute grep -q $'\e' "$work/out"
		# The reader's one line, and not a word of an error.
		# shellcheck disable=SC2046
		env --default-signal=PIPE topobind "$command" \
			$(arguments "$command") 2>"$work/errors" </dev/null |
			head -n 1 >"$work/first" || true
		assert cmp "$work/err" "$work/errors"
		assert_eq "first line of $command" "$(head -n 1 "$work/wide")" \
			"$(cat "$work/first")"
	done
}

# Whatever the width: each word that there is on a wide page is on a narrow one.
case_nothing_is_cut() {
	local command

	for command in $(command_names); do
		# shellcheck disable=SC2046
		COLUMNS=1000 ran "$command" $(arguments "$command")
		words <"$work/out" >"$work/wide"
		# shellcheck disable=SC2046
		COLUMNS=40 ran "$command" $(arguments "$command")
		words <"$work/out" >"$work/narrow"
		assert_eq "what is cut off of $command" "" \
			"$(comm -23 "$work/wide" "$work/narrow")"
	done
}

# Times pass between one look and the next, boxes are drawn with dashes, and lists
# are broken at commas.
words() {
	tr -c '[:alnum:]_.=-' '\n' | sed -E 's/^-+|-+$//g' |
		awk '/[[:alpha:]]/ && !/^[0-9T-]*$/' | sort -u
}

# What all of them say of a job, node or file that is none.
case_nothing_like_it() {
	local command

	for command in $(command_names); do
		if [ -n "$(needed_arguments "$command")" ]; then
			ran "$command" 999999
			assert_sentence "$command"
			ran "$command" rubbish
			assert_sentence "$command"
			ran "$command"
			assert_sentence "$command"
		elif topobind "$command" --help | sed -n 1p | grep -q NODE; then
			ran "$command" no-such-node
			assert_sentence "$command"
		fi
	done
}

# Nor is how long a job runs the same in two looks.
without_times() {
	sed 's/[0-9:-]*:[0-9]\{2\}/TIME/g'
}

# A closed stdout is no place for what is said to Slurm.
case_closed_stdin_and_stderr() {
	assert_eq map "$(topobind map | without_times)" \
		"$(topobind map <&- 2>&- | without_times)"
	assert_eq explain "$(topobind explain "$job" | without_times)" \
		"$(topobind explain "$job" <&- 2>&- | without_times)"
}

# --- colours -------------------------------------------------------------------

# on_terminal COMMAND... - what a terminal of 50 columns gets of it
on_terminal() {
	TERM=xterm script -qec "stty cols 50; $*" /dev/null </dev/null
}

case_colors() {
	local command count=0

	for command in $(command_names); do
		has_color "$command" || continue
		# topology draws with --map only.
		set -- "$command"
		[ "$command" != topology ] || set -- topology --map
		assert_colored no "$(topobind "$@")"
		# A machine of which nothing is in use has no colours to show.
		[[ $(topobind "$@" --color=always) == *$'\e['* ]] || continue
		count=$((count + 1))
		assert_colored yes "$(on_terminal topobind "$@")"
		assert_colored no "$(on_terminal topobind "$@" --color=never)"
		assert_colored no "$(NO_COLOR=1 on_terminal topobind "$@")"
		assert_colored yes \
			"$(NO_COLOR=1 topobind "$@" --color=always)"
	done
	assert [ "$count" -ge 1 ]
}

# assert_colored yes|no TEXT
assert_colored() {
	local seen=no

	[[ $2 != *$'\e['* ]] || seen=yes
	assert_eq "colours" "$1" "$seen"
}

# Each case begins with a bound job.
with_jobs() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 -J \
		a-job-with-a-name-of-which-nothing-is-to-be-left-out)
	"$@"
}

cluster_start --nodes zen --slurm MessageTimeout=$message_timeout
test_case "without slurmctld" with_jobs case_without_slurmctld
test_case "a full disk, a closed stdout" with_jobs case_output_is_lost
test_case "in a pipe" with_jobs case_in_a_pipe
test_case "nothing is cut off" with_jobs case_nothing_is_cut
test_case "a job or node that is none" with_jobs case_nothing_like_it
test_case "closed stdin and stderr" with_jobs case_closed_stdin_and_stderr
test_case "colours" with_jobs case_colors
tests_done
