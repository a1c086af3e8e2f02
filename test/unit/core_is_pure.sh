#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# core_is_pure.sh - lib/core knows neither Slurm nor hwloc nor files nor the
# environment: it includes its own headers and a few of C's, and calls nothing
# but memory, string and sorting functions
#
# Reports as TAP.  Runs in the build directory, with srcdir set, as automake's
# test driver does it.
set -u

src=${srcdir:-.}/lib/core
build=lib/core

headers='float.h math.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h'
# What the compiler adds by itself: checks of sanitizers, stacks and coverage.
added='__asan_.*|__ubsan_.*|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__gcov_.*|__sanitizer_.*|__sancov_.*'
calls='calloc|malloc|realloc|free|mem(cpy|set|move|cmp|chr)|bcmp|qsort|str(len|chr|cmp|ncmp|spn|cspn)|vsnprintf'
# Under FORTIFY_SOURCE.
calls="$calls|__(mem(cpy|set|move)|vsnprintf)_chk"

number=0
failed=0

# report NAME PROBLEMS - ok when there are none
report() {
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		failed=1
		echo "not ok $number - $1"
		while read -r line; do echo "# $line"; done <<<"$2"
	fi
}

foreign_includes() {
	local file name

	sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*//p' "$1" |
	while read -r name _; do
		case $name in
		\"*\")
			name=${name//\"/}
			[ -f "$(dirname "$1")/$name" ] ||
				[[ $name == core/* && -f $src/../$name ]] ||
				echo "$1 includes $name"
			;;
		*)
			name=${name#<}
			name=${name%>}
			[[ " $headers " == *" $name "* ]] ||
				echo "$1 includes <$name>"
			;;
		esac
	done
}

echo 1..3
mapfile -t sources < <(find "$src" -name '*.[ch]')
# A search that finds next to nothing has looked in the wrong place.
report "lib/core includes itself and C only" \
	"$([ ${#sources[@]} -ge 40 ] || echo "only ${#sources[@]} files in $src"
	for file in "${sources[@]}"; do foreign_includes "$file"; done)"

# libtool puts position-independent objects into .libs; either kind will do.
objects=()
count=0
for file in "${sources[@]}"; do
	[[ $file == *.c ]] || continue
	count=$((count + 1))
	name=$(basename "$file" .c)
	object=$(find "$build/$(basename "$(dirname "$file")")" \
		-name "*libcore_la-$name.o" | head -n 1)
	[ -z "$object" ] || objects+=("$object")
done
missing=''
[ "$count" -gt 0 ] && [ ${#objects[@]} -eq "$count" ] ||
	missing="${#objects[@]} objects for $count sources"
report "every source of lib/core has its object" "$missing"

undefined() {
	nm -u "${objects[@]}" | awk '$1 == "U" { print $2 }' |
		sed 's/@.*//' | sort -u
}
defined() {
	nm --defined-only "${objects[@]}" | awk 'NF == 3 { print $3 }' |
		sort -u
}
report "the objects call memory, string and sorting functions only" \
	"$([ -n "$missing" ] || comm -23 <(undefined) <(defined) |
		grep -v -x -E "$added|$calls")"
exit $failed
