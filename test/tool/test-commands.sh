#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What all subcommands have in common: help, exit codes, where messages go, what
# becomes of output that nobody can have.  The subcommands are those that the
# command says it has.
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source=test/tool/commands.sh
. "$(dirname "$0")/commands.sh"

# Slurm's library finds a file and nothing in it.
: >"$work/slurm.conf"
SLURM_CONF=$work/slurm.conf
export SLURM_CONF

fits_a_screen() {
	[ "$(wc -l <"$work/out")" -le 24 ] && [ "$(wc -L <"$work/out")" -le 80 ]
}

is_plain_text() {
	! LC_ALL=C grep -q '[^ -~]' "$work/out"
}

# says_usage NAME... - and how it ends
says_usage() {
	head -n 1 "$work/out" | grep -q "^Usage: topobind $*\b" &&
		grep -q '^Exit codes: 0 ' "$work/out" &&
		grep -q -e '--help' "$work/out" &&
		grep -q -e '--version' "$work/out"
}

# helps_by_letter NAME - but where -h is --noheader
helps_by_letter() {
	grep -q -e '-h, --noheader' "$work/out" ||
		[ "$("$program" "$1" -h)" = "$(cat "$work/out")" ]
}

# completed_options NAME - what the completion of shells offers
completed_options() {
	"$program" "$1" --completion | sed -n 's/^\(--[^=]*\).*/\1/p' | sort -u
}

# completes_options NAME - that is what --help has; of plan, all others of sbatch, too
completes_options() {
	completed_options "$1" >"$work/completed"
	if [ "$1" = plan ]; then
		command_options plan | comm -23 - "$work/completed" >"$work/left"
		[ ! -s "$work/left" ]
	else
		command_options "$1" | cmp -s - "$work/completed"
	fi
}

# to_nobody ARGUMENT... - run, with a pipe for stdout that nobody reads
to_nobody() {
	rm -f "$work/gone"
	: >"$work/out"
	{
		until [ -e "$work/gone" ]; do sleep 0.02; done
		code=0
		env --default-signal=PIPE "$program" "$@" 2>"$work/err" || code=$?
		echo "$code" >"$work/code"
	} | {
		exec <&-
		: >"$work/gone"
	}
	code=$(cat "$work/code")
}

ended_by_sigpipe() {
	[ "$code" -eq 141 ] && [ ! -s "$work/err" ]
}

# to_file FILE ARGUMENT... - run, with this for stdout
to_file() {
	file=$1
	shift
	code=0
	: >"$work/out"
	"$program" "$@" >"$file" 2>"$work/err" || code=$?
}

to_closed() {
	code=0
	: >"$work/out"
	"$program" "$@" >&- 2>"$work/err" || code=$?
}

# refused_to_write - exit code 2, and a sentence
refused_to_write() {
	[ "$code" -eq 2 ] && grep -q 'output' "$work/err"
}

# of_one_command NAME...
of_one_command() {
	run "$@" --help
	check "$* --help: exit code" ended 0
	check "$* --help fits a screen" fits_a_screen
	check "$* --help: usage and exit codes" says_usage "$@"
	check "$* --help is plain text" is_plain_text
	check "$* --completion" completes_options "$1"
	check "help $1" [ "$("$program" help "$1")" = "$(cat "$work/out")" ]
	check "$* -h" helps_by_letter "$1"
	run "$@" --version
	check "$* --version" ended 0
	check "$* --version is the same" grep -q -x -F "$version" "$work/out"
	run "$@" --no-such-option
	check "$* --no-such-option" refused_for no-such-option
	check "$*: the message says of what" \
		grep -q "^topobind $1: " "$work/err"
	to_nobody "$@" --help
	check "$*: a pipe that nobody reads" ended_by_sigpipe
	to_file /dev/full "$@" --help
	check "$*: a full disk" refused_to_write
	to_closed "$@" --help
	check "$*: stdout is closed" refused_to_write
}

# lacks_slurm - it says so, in one sentence after what the library says
lacks_slurm() {
	[ "$code" -eq 2 ] && [ ! -s "$work/out" ] &&
		tail -n 1 "$work/err" | grep -q "^topobind $1: .*slurm.conf"
}

# asks_slurm NAME - did the last run?
asks_slurm() {
	grep -q "^topobind: .*ClusterName" "$work/err"
}

is_asking() {
	case "$asking " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

# --- the command itself ---

version=$("$program" --version)
run --help
check 'help: exit code' ended 0
check 'help fits a screen' fits_a_screen
check 'completion: the commands' \
	[ "$("$program" --completion)" = "$(command_names)" ]
check 'the same with -h' [ "$("$program" -h)" = "$("$program" --help)" ]
check 'the same with help' [ "$("$program" help)" = "$("$program" --help)" ]
run help no-such-command
check 'help: no such command' refused_for no-such-command
run help map surplus
check 'help: one argument too many' refused_for surplus

# A man that has the pages in $work/pages, and says what it was asked to show.
mkdir "$work/bin" "$work/pages"
cat >"$work/bin/man" <<-END
	#!/bin/sh
	[ "\$1" = -w ] || { echo "man: \$*"; exit; }
	[ -e "$work/pages/\$3.\$2" ] && echo "$work/pages/\$3.\$2"
END
chmod +x "$work/bin/man"

# help_on_terminal PATH COMMAND
help_on_terminal() {
	code=0
	script -qec "PATH=$1 $program help $2" /dev/null </dev/null |
		tr -d '\r' >"$work/out" || code=$?
}

# prints_help COMMAND - the last run did what "COMMAND --help" does
prints_help() {
	COLUMNS=80 "$program" "$1" --help >"$work/wanted"
	cmp -s "$work/wanted" "$work/out"
}

COLUMNS=80
export COLUMNS
: >"$work/pages/topobind-map.1"
help_on_terminal "$work/bin:$PATH" map
check 'help opens the page' [ "$(cat "$work/out")" = "man: 1 topobind-map" ]
help_on_terminal "$work/bin:$PATH" nodes
check 'help: man has no such page' prints_help nodes
help_on_terminal "$work/pages" map
check 'help: there is no man' prints_help map
path=$PATH
PATH=$work/bin:$path
run help map
PATH=$path
check 'help: stdout is no terminal' prints_help map
printf '#!/bin/sh\necho "no pages on this image"\n' >"$work/bin/man"
help_on_terminal "$work/bin:$PATH" map
check 'help: a man without pages' prints_help map
unset COLUMNS

to_file /dev/full --help
check 'help: a full disk' refused_to_write
to_closed --version
check 'version: stdout is closed' refused_to_write
to_nobody --help
check 'help: a pipe that nobody reads' ended_by_sigpipe
run
check 'no command' refused
run no-such-command
check 'an unknown command' refused_for no-such-command
run --no-such-option
check 'an unknown option' refused_for no-such-option

# --- each of them ---

count=$(command_names | wc -l)
check 'there are commands' [ "$count" -ge 8 ]
asking=''
for command in $(command_names); do
	of_one_command "$command"
	if has_color "$command"; then
		run "$command" --color=sometimes
		check "$command: a colour that is none" refused_for sometimes
	fi
	# shellcheck disable=SC2046 # words
	run "$command" $(needed_arguments "$command")
	if asks_slurm; then
		asking="$asking $command"
		check "$command: no usable slurm.conf" lacks_slurm "$command"
	fi
done
for command in map nodes job hostfile explain plan policy soft report metrics; do
	check "$command asks Slurm" is_asking "$command"
done

report
