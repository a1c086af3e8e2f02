#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# folders.sh - folders need each other in one direction only: no folder includes
# what, by whatever way round, includes it
#
# Reports as TAP.  Runs with srcdir set, as automake's test driver does it.
set -u
cd "${srcdir:-.}" || exit

# arrows FOLDER TOP - "A B" for each file of FOLDER/A that includes one of FOLDER/B,
# from its own folder or from TOP
arrows() {
	local file dir name to

	find "$1" -name '*.[ch]' ! -name 'test-*' |
	while read -r file; do
		dir=${file%/*}
		while read -r name; do
			to=$2/$name
			[ -f "$dir/$name" ] && to=$dir/$name
			to=${to%/*}
			[[ $to == "$dir" || $to/ != "$1"/* || ! -d $to ]] ||
				echo "$dir $to"
		done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$file")
	done | sort -u
}

number=0
failed=0

# check FOLDER TOP LEAST - there are at least so many arrows, and no circle
check() {
	local found circles

	found=$(arrows "$1" "$2")
	circles=$(tsort <<<"$found" 2>&1 >/dev/null)
	# A search that finds next to nothing has looked in the wrong place.
	[ "$(wc -l <<<"$found")" -ge "$3" ] ||
		circles="only these folders need others: $found"
	number=$((number + 1))
	if [ -z "$circles" ]; then
		echo "ok $number - folders of $1"
	else
		failed=1
		echo "not ok $number - folders of $1"
		while read -r line; do echo "# $line"; done <<<"$circles"
	fi
}

echo 1..5
check lib lib 25
check plugins/common plugins 2
check plugins/select_topobind plugins 20
check plugins/task_topobind plugins 8
check tools tools 20
exit $failed
