#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topobind(1) and topobind_binding(7): their examples are what the command
# prints, and they know every option; the messages that the pages of the plugins
# explain are those of the code
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
	manual_example "$manual" "$1" |
		grep -q -E '^\$ topobind (nodes|job|update|metrics|report)'
}

code=0
for manual in "$doc/topobind.1" "$doc/topobind_binding.7"; do
	name=$(basename "$manual")
	count=$(manual_examples "$manual" | grep -c '^%%$')
	check "$name has examples" [ "$count" -ge 3 ]
	n=0
	while [ "$n" -lt "$count" ]; do
		n=$((n + 1))
		asks_slurm "$n" ||
			check "$name: example $n" prints_its_example "$n"
	done
done

# is_an_example COMMAND - of some page that is run
is_an_example() {
	for page in "$doc"/*.[1-8]; do
		manual_examples "$page"
	done | grep -q -E "^(\\$ |  ).*topobind $1( |\$)"
}

# knows OPTION - the manual has it
knows() {
	grep -q -e "$(printf '%s' "$1" | sed 's/-/\\\\-/g')" "$manual"
}

manual=$doc/topobind_binding.7
for option in $("$program" place --help |
	grep -o -e '--b[a-z]*' | grep -v -x -e --batch | sort -u); do
	check "$(basename "$manual"): $option" knows "$option"
done

manual=$doc/topobind.1
for command in $(command_names); do
	check "$command has an example" is_an_example "$command"
	check "$command has a section" grep -q -i -x ".SH topobind $command" "$manual"
	for option in $("$program" "$command" --help |
		grep -o -e '--[A-Za-z][a-z-]*' | sort -u); do
		check "$command $option" knows "$option"
	done
done

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
