#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual as a whole: every command has a page, with all its sections; every page
# is installed, and whatis can read its name; what refers to a page of topobind's
# refers to one that there is
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/manual.sh
. "$(dirname "$0")/../manual.sh"
# shellcheck source=test/tool/commands.sh
. "$(dirname "$0")/commands.sh"

top=$(cd "$(dirname "$0")/../.." && pwd -P)
doc=$top/doc
code=0
: >"$work/out"
: >"$work/err"

# --- each page ---

sections() {
	sed -n 's/^\.SH \(.*\)/\1/p' "$1"
}

# has_sections PAGE - all that a page of a command has, in order
has_sections() {
	printf '%s\n' NAME SYNOPSIS DESCRIPTION OPTIONS OUTPUT EXAMPLES \
		"EXIT STATUS" "SEE ALSO" >"$work/wanted"
	sections "$1" | grep -x -F -f "$work/wanted" >"$work/out"
	diff "$work/wanted" "$work/out" >"$work/err"
}

# is_headed NAME SECTION PAGE
is_headed() {
	sed -n '/^\.TH/p' "$3" >"$work/out"
	grep -q -x -E "\.TH $(echo "$1" | tr '[:lower:]' '[:upper:]' |
		sed 's/-/\\\\-/g') $2 [0-9]{4}-[0-9]{2}-[0-9]{2} topobind \".*\"" \
		"$work/out"
}

# is_named NAME PAGE - the first section is one line, "name \- phrase"
is_named() {
	awk '/^\.SH/ { n++; next } n == 1' "$2" >"$work/out"
	[ "$(sections "$2" | head -n 1)" = NAME ] &&
		[ "$(wc -l <"$work/out")" -eq 1 ] &&
		grep -q -x -E "$(echo "$1" | sed 's/-/\\\\-/g') \\\\- .{10,80}" "$work/out" &&
		! grep -q '\.$' "$work/out"
}

for command in $(command_names); do
	check "topobind-$command(1): sections" has_sections "$doc/topobind-$command.1"
	check "topobind(1) lists topobind-$command(1)" \
		grep -q -x -F ".BR topobind\\-$command (1)" "$doc/topobind.1"
done

for page in "$doc"/*.[1-8]; do
	name=$(basename "$page")
	check "$name: title" is_headed "${name%.*}" "${name##*.}" "$page"
	check "$name: name" is_named "${name%.*}" "$page"
done

# --- all pages ---

# A page of a command that there is not any more.
commands_of_pages() {
	find "$doc" -name 'topobind-*.1' | sed 's/.*topobind-\(.*\)\.1/\1/' | sort
}

check "each page is of a command" \
	[ "$(commands_of_pages)" = "$(command_names | sort)" ]

installed() {
	awk '/^dist_man_MANS/ { inside = 1; next }
	inside { print $1 }
	inside && !/\\$/ { exit }' "$doc/Makefile.inc" | sed 's,.*/,,' | sort
}

check "all pages are installed" \
	[ "$(installed)" = "$(cd "$doc" && find . -maxdepth 1 -name '*.[1-8]' |
		sed 's,./,,' | sort)" ]

# --- references ---

# text PAGE - it in one line, with "name(7)" for each reference
text() {
	sed -e '/^\.\\"/d' -e 's/^\.[BIR][BIR]*  *//' -e 's/" \([^"]*\) "/ \1 /g' \
		-e 's/ (\([1-8]\))/(\1)/g' "$1" | manual_plain | tr '\n"' '  ' |
		tr -s ' '
}

# references - pages of topobind's that the text on stdin names
references() {
	grep -o -E '(topobind[a-z_.-]*|[a-z]+_topobind)\([1-8]\)' |
		sed 's/(\([1-8]\))/.\1/' | sort -u
}

# refers_to_pages FILE... - each has references, and all lead somewhere
refers_to_pages() {
	: >"$work/err"
	for file; do
		case $file in
		*.[1-8]) text "$file" ;;
		*) cat "$file" ;;
		esac | references >"$work/out"
		while IFS= read -r other; do
			[ -f "$doc/$other" ] || echo "$file: $other" >>"$work/err"
		done <"$work/out"
		[ -s "$work/out" ] || echo "$file: no references" >>"$work/err"
	done
	[ ! -s "$work/err" ]
}

# refers_to_sections PAGE - "name(7), section TITLE", and "TITLE in name(7)"
refers_to_sections() {
	text "$1" | grep -o -E \
		'[a-z_.-]*topobind[a-z_.-]*\([1-8]\), section [A-Z]{3}[A-Z ]*[A-Z]|[A-Z]{3}[A-Z ]*[A-Z] (in|of) [a-z_.-]*topobind[a-z_.-]*\([1-8]\)' |
		sed -E -e 's/\(([1-8])\), section /.\1 /' \
			-e 's/^([A-Z ]+) (in|of) (.*)\(([1-8])\)/\3.\4 \1/' >"$work/out"
	: >"$work/err"
	while read -r other title; do
		grep -q -x -F ".SH $title" "$doc/$other" ||
			echo "$other has no section $title" >>"$work/err"
	done <"$work/out"
	[ ! -s "$work/err" ]
}

for page in "$doc"/*.[1-8]; do
	name=$(basename "$page")
	check "$name: its references" refers_to_pages "$page"
	check "$name: sections of others" refers_to_sections "$page"
done
# What is printed and read elsewhere; not what was compiled there.
find "$top" "$doc" -maxdepth 1 -name '*.md' >"$work/files"
find "$top/lib" "$top/plugins" "$top/tools" "$top/contribs" "$doc/guide" -type f \
	>>"$work/files"
xargs grep -l -I -E '(topobind[a-z_.-]*|[a-z]+_topobind)\([1-8]\)' <"$work/files" \
	>"$work/naming"
check "others name pages, too" [ "$(wc -l <"$work/naming")" -ge 5 ]
while IFS= read -r file; do
	check "${file#"$top"/}: its references" refers_to_pages "$file"
done <"$work/naming"

report
