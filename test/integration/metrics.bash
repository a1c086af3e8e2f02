# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# metrics.bash - what is in Prometheus' text format; for files that have lib.sh

# sample FILE NAME [LABEL=VALUE...] - the number; labels in their order
sample() {
	local file=$1 name=$2 labels='' label

	shift 2
	for label; do
		labels+="${labels:+,}${label%%=*}=\"${label#*=}\""
	done
	[ -z "$labels" ] || labels="{$labels}"
	awk -v wanted="$name$labels" '
		$1 == wanted { print $2; found = 1 }
		END { exit !found }' "$file" || fail "no sample $name $*"
}

assert_well_formed() {
	assert [ -s "$1" ]
	promtool check metrics <"$1" >"$work/promtool" 2>&1 ||
		fail "promtool: $(cat "$work/promtool")"
	assert_eq "what promtool says" "" "$(cat "$work/promtool")"
}
