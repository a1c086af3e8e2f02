# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# For the tests of the topobind command: run it, look at what it did, report in
# TAP.  make check runs them in the build directory.

program=${TOPOBIND_PROGRAM:-./topobind}
json_value=${JSON_VALUE:-test/tool/json_value}
# shellcheck disable=SC2034
data=$(dirname "$0")/../data
work=$(mktemp -d "${TMPDIR:-/tmp}/topobind-tool-XXXXXX") || exit 1
tests=0
failures=0

unset COLUMNS NO_COLOR TOPOBIND
# Boxes are drawn with ASCII.
LC_ALL=C
export LC_ALL

finish() {
	rm -rf "$work"
}
trap finish EXIT

# run ARGUMENT... - the command, with stdin as it is; sets $code, fills
# $work/out and $work/err
run() {
	code=0
	"$program" "$@" >"$work/out" 2>"$work/err" || code=$?
}

# check DESCRIPTION COMMAND... - one test: does the command succeed?
check() {
	description=$1
	shift
	tests=$((tests + 1))
	if "$@"; then
		echo "ok $tests - $description"
		return
	fi
	echo "not ok $tests - $description"
	failures=$((failures + 1))
	echo "# exit code of the last run: $code"
	head -n 5 "$work/out" "$work/err" | cut -c 1-300 | sed 's/^/# /'
}

# The last line of a test.
report() {
	echo "1..$tests"
	[ "$failures" -eq 0 ]
}

# ended CODE - the last run did, and said nothing on stderr
ended() {
	[ "$code" -eq "$1" ] && [ ! -s "$work/err" ]
}

# refused - exit code 2, nothing on stdout, one sentence on stderr, printable
# and not endless
refused() {
	[ "$code" -eq 2 ] && [ ! -s "$work/out" ] &&
		[ "$(wc -l <"$work/err")" -eq 1 ] &&
		[ "$(wc -c <"$work/err")" -lt 1000 ] &&
		! LC_ALL=C grep -q '[^ -~]' "$work/err"
}

# refused_for TEXT - and the sentence has the text
refused_for() {
	refused && grep -q -F -e "$1" "$work/err"
}

# value PATH... - from the JSON of the last run
value() {
	"$json_value" "$@" <"$work/out"
}

# has_value EXPECTED PATH...
has_value() {
	expected=$1
	shift
	[ "$(value "$@")" = "$expected" ]
}

# rubbish - 64 KiB of text that means nothing, the same each time
rubbish() {
	awk 'BEGIN { while (i++ < 65536) {
		seed = (seed * 1103515245 + 12345) % 2147483648
		printf "%c", 33 + int(seed / 65536) % 94 } }'
}
