#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of messages in topobind_messages(7) has what the plugins write into
# logs: all of it, and nothing else
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

top=$(dirname "$0")/../..
page=$top/doc/topobind_messages.7
# Nothing is run here.
# shellcheck disable=SC2034
code=0

# said PATH... - each sentence that is given to Slurm's log, with @ in place of
# what is filled in
said() {
	find "$@" -name '*.[ch]' ! -name 'test-*' -exec cat {} + |
		tr '\n\t' '  ' |
		grep -o -E '\<(slurm_|tb_refusals_)?(error|info|verbose|debug[23]?|fatal)\( *"([^"\\]|\\.)*"( *(PRI[A-Za-z0-9]*)? *"([^"\\]|\\.)*")*' |
		sed -E -e 's/^[a-z_0-9]*\( *"//' -e 's/"$//' \
			-e 's/" *PRI[A-Za-z0-9]* *"/d/g' -e 's/" *"//g' |
		sed -E -e 's/%$/@/' -e 's/%[-.0-9]*(l|z|j)*(pJ|[a-z])/@/g' -e 's/\\"/"/g' |
		sort -u
}

# told - the messages of the page's tables, likewise
told() {
	awk '/^\.SH/ { inside = /MESSAGES/ } !inside { next }
	/^\.TS/ { table = 1 } /^\.TE/ { table = 0 }
	table && /^T{/ { text = ""; block = 1; next }
	/^T}/ {
		if (block && /\|T{$/) print text
		block = /T{$/ && !/\|T{$/
		next
	}
	block { text = text (text == "" ? "" : " ") $0 }' "$page" |
		sed -E -e 's/\\fI[^\\]*\\f[PBR]/@/g' -e 's/\\:|\\&//g' \
			-e 's/\\-/-/g' -e 's/\\[(]dq/"/g' | sort -u
}

compare() {
	said "$top/plugins" >"$work/out"
	told >"$work/told"
	[ -s "$work/out" ] && diff "$work/out" "$work/told" >"$work/err"
}

check "every message of the logs is in topobind_messages(7)" compare
report
