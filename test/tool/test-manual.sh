#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The pages of the command and topobind_binding(7): their examples are what it
# prints, and they know every option, every column and every word of JSON; the
# messages that the pages of the plugins explain are those of the code
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source=test/manual.sh
. "$(dirname "$0")/../manual.sh"
# shellcheck source=test/tool/commands.sh
. "$(dirname "$0")/commands.sh"

top=$(cd "$(dirname "$0")/../.." && pwd -P)
data=$top/test/data
program=$(realpath "$program")
doc=$top/doc

# What asks Slurm draws a file instead, with the one node n1.
topobind() {
	if [ "$1" != map ]; then
		"$program" "$@"
		return
	fi
	for word; do
		shift
		[ "$word" = n1 ] || set -- "$@" "$word"
	done
	"$program" "$@" --from "$data/maps/manual.json"
}

# The machine of that node.
srun() {
	shift 2
	"$@" -i "numa:2 pack:1 l3:2 l2:4 core:1 pu:2"
}

# prints_its_example N - what the commands of an example print stands there
prints_its_example() {
	manual_example "$manual" "$1" >"$work/out"
	(cd "$work" && replay "$work/out") >"$work/replayed"
	grep -q '^\$ ' "$work/out" &&
		diff "$work/out" "$work/replayed" >"$work/err"
}

# asks_slurm N - an example of what only a cluster can answer: a test in
# test/integration runs it
asks_slurm() {
	manual_example "$manual" "$1" | grep -q -E \
		'^\$ (sbatch|salloc|topobind (nodes|job|update|reserve|plan|policy|metrics|report))'
}

code=0
found=0
for manual in "$doc"/topobind*.1 "$doc/topobind_binding.7"; do
	name=$(basename "$manual")
	count=$(manual_examples "$manual" | grep -c '^%%$')
	found=$((found + count))
	n=0
	while [ "$n" -lt "$count" ]; do
		n=$((n + 1))
		asks_slurm "$n" ||
			check "$name: example $n" prints_its_example "$n"
	done
done

check "the pages have their examples" [ "$found" -ge 25 ]

# is_an_example COMMAND - of some page that is run
is_an_example() {
	for page in "$doc"/*.[1-8]; do
		manual_examples "$page"
	done | grep -q -E "^(\\$ |  ).*topobind $1( |\$)"
}

# knows WORD - the page has it
knows() {
	manual_plain <"$manual" | grep -w -F -e "$1" >/dev/null
}

# page_of COMMAND OPTION - the page that says what it means
page_of() {
	case $2 in
	--help | --version) echo "$doc/topobind.1" ;;
	--backfill | --batch | --bundle) echo "$doc/topobind-$1.1" ;;
	--b* | --topobind) echo "$doc/topobind_binding.7" ;;
	*) echo "$doc/topobind-$1.1" ;;
	esac
}

# json_words COMMAND - the names in what it prints with --json, but for the version
json_words() {
	cat "$doc/schemas/$1.schema.json" "$doc/schemas/$1"-*.schema.json \
		2>/dev/null | awk '
	match($0, /^ *"[^"]*": [{]/) {
		depth = index($0, "\"")
		split($0, parts, "\"")
		if (above[depth - 2] == "properties") print parts[2]
		above[depth] = parts[2]
	}' | grep -v -x version | sort -u
}

# has_columns COMMAND - the page's table has those that its help lists
has_columns() {
	manual_rows "$manual" | cut -f 1 >"$work/rows"
	"$program" "$1" --help | grep -o '%[A-Za-z]' >"$work/out"
	[ -s "$work/out" ] && ! grep -v -x -F -f "$work/rows" "$work/out" >"$work/err"
}

# told_by COMMAND - the text of its page, and of those of other commands that it names
told_by() {
	{
		echo "$doc/topobind-$1.1"
		sed -n "s,^\.BR \(topobind\)\\\\\(-[a-z]*\) (1).*,$doc/\1\2.1,p" \
			"$doc/topobind-$1.1"
	} | xargs cat | manual_plain
}

# option_is_known COMMAND OPTION
option_is_known() {
	manual=$(page_of "$1" "$2")
	knows "$2"
}

for command in $(command_names); do
	check "$command has an example" is_an_example "$command"
	for option in $("$program" "$command" --help |
		grep -o -w -e '--[A-Za-z][a-z-]*' | sort -u); do
		check "$command $option" option_is_known "$command" "$option"
	done
	told_by "$command" >"$work/told"
	for word in $(json_words "$command"); do
		check "$command --json: $word" grep -q -w -F -e "$word" "$work/told"
	done
done
for command in nodes job report; do
	manual=$doc/topobind-$command.1
	check "$command has columns, which the page has" has_columns "$command"
done
check "there are words of JSON" [ "$(json_words explain | wc -l)" -ge 30 ]

# strings - all texts of the plugins and libraries, each made one
strings() {
	find "$top/plugins" "$top/lib" -name '*.c' -exec cat {} + |
		tr '\n\t' '  ' | sed -e 's/"  *"//g'
}

# said_messages - the fixed parts of the messages that a page explains
said_messages() {
	awk '/^\.SH/ { inside = /DIAGNOSTICS/ } inside && /^\\fB/' "$manual" |
		sed -e 's/\\fI[^\\]*\\f[BP]/\n/g' |
		manual_plain | grep -E '.{8}'
}

# knows_what_is_said - the page has messages, and all are in the code
knows_what_is_said() {
	said_messages >"$work/out"
	: >"$work/err"
	while IFS= read -r message; do
		grep -q -F -e "$message" "$work/strings" ||
			echo "no such message: $message" >>"$work/err"
	done <"$work/out"
	[ -s "$work/out" ] && [ ! -s "$work/err" ]
}

strings >"$work/strings"
for manual in "$doc"/*.8; do
	check "$(basename "$manual"): messages" knows_what_is_said
done

report
