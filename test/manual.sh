# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# manual.sh - what is in the manual pages, for tests that run it.  Sourced.
#
# An example is what stands between .EX and .EE: commands after "$ ", below each
# what it prints.

# manual_plain - text of a page without its escapes
manual_plain() {
	sed -e 's/\\f[BPIR]//g' -e 's/\\-/-/g' -e 's/\\(dq/"/g' \
		-e "s/\\\\(aq/'/g" -e 's/\\(ti/~/g' -e 's/\\(ha/^/g' \
		-e 's/\\&//g' -e 's/\\e/\\/g'
}

# manual_examples PAGE - its examples, each after a line "%%"
manual_examples() {
	awk '/^\.EX/ { print "%%"; inside = 1; next }
	     /^\.EE/ { inside = 0 }
	     inside' "$1" | manual_plain
}

# manual_example PAGE N
manual_example() {
	manual_examples "$1" |
		awk -v wanted="$2" '/^%%$/ { n++; next } n == wanted'
}

# manual_rows PAGE - the rows of its tables as plain text, with tabs between
# the columns
manual_rows() {
	awk '
	/^\.TS/ { inside = head = 1; row = ""; next }
	/^\.TE/ { inside = 0 }
	!inside { next }
	head { head = $0 !~ /\.$/; next }
	{
		# A block T{ ... T} is one column, its lines are words.
		starts = sub(/T{$/, "")
		if (sub(/^T}/, ""))
			block = 0
		row = row (block && row !~ /(^|[|])$/ ? " " : "") $0
		block = block || starts
	}
	!block { print row; row = "" }
	' "$1" | sed -e 's/\\://g' -e 's/|/\t/g' | manual_plain
}

# manual_is_whole COMMAND - it has no open quotation mark, and no backslash or
# bar at its end
manual_is_whole() {
	case $1 in
	*\\ | *'|') return 1 ;;
	esac
	[ $(($(printf %s "$1" | tr -cd "'" | wc -c) % 2)) -eq 0 ]
}

# replay FILE - run the commands of an example; prints the example as it should
# be.  A command may be a function.
replay() {
	while IFS= read -r line <&3; do
		case $line in
		'$ '*) ;;
		*) continue ;;
		esac
		printf '%s\n' "$line"
		command=${line#\$ }
		while ! manual_is_whole "$command" && IFS= read -r line <&3; do
			printf '%s\n' "$line"
			command=$command$newline$line
		done
		eval "$command" 2>&1 3<&- </dev/null
	done 3<"$1"
	return 0
}

newline='
'
