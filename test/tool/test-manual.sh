#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topobind(1) and topobind_binding(7): their examples are what the command
# prints, and they know every option
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

doc=$(dirname "$0")/../../doc

# examples - the blocks of the manual as plain text, each after a line "%%"
examples() {
	awk '/^\.EX/ { print "%%"; inside = 1; next }
	     /^\.EE/ { inside = 0 }
	     inside' "$manual" |
		sed -e 's/\\f[BPI]//g' -e 's/\\-/-/g' -e 's/\\(dq/"/g' \
			-e 's/\\&//g' -e 's/\\e/\\/g'
}

# example N - a block
example() {
	examples | awk -v wanted="$1" '/^%%$/ { n++; next } n == wanted'
}

# replay N - run the command of a block (up to the line without a backslash at
# its end) and compare; what asks Slurm draws a file instead
replay() {
	example "$1" >"$work/example"
	# shellcheck disable=SC2016
	awk '{ print } !/\\$/ { exit }' "$work/example" |
		sed -e 's/^\$ topobind/"$program"/' \
			-e "s,map n1,map --from $data/maps/manual.json," \
			>"$work/command"
	lines=$(wc -l <"$work/command")
	tail -n +$((lines + 1)) "$work/example" >"$work/expected"
	# shellcheck source=/dev/null
	. "$work/command" >"$work/out" 2>"$work/err"
	cmp "$work/expected" "$work/out" >>"$work/err" 2>&1 &&
		[ -s "$work/expected" ]
}

code=0
for manual in "$doc/topobind.1" "$doc/topobind_binding.7"; do
	name=$(basename "$manual")
	count=$(examples | grep -c '^%%$')
	check "$name has examples" [ "$count" -ge 3 ]
	n=0
	while [ "$n" -lt "$count" ]; do
		n=$((n + 1))
		check "$name: example $n" replay "$n"
	done
done

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
for command in topology place map hostfile; do
	for option in $("$program" "$command" --help |
		grep -o -e '--[a-z]*' | sort -u); do
		check "$command $option" knows "$option"
	done
done

report
