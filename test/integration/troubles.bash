# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# troubles.bash - sourced after network.bash and lib.sh: a cluster whose clock a test sets,
# whose network loses packets and whose slurmdbd is slow

# start_troubled [OPTION...] - options of contribs/cluster start.  All daemons have the
# clock, and so have their tasks; this shell has not, or its waits would be wrong.
start_troubled() {
	trouble=$(mktemp -d "${TMPDIR:-/tmp}/topobind-clock-XXXXXX")
	chmod 755 "$trouble"
	gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o "$trouble/clock.so" \
		"$top/test/differential/virtual_clock.c"
	put_clock 0
	with_clock cluster_start "$@"
	mv "$trouble" "$cluster/clock"
	ln -s "$cluster/clock" "$trouble"
	trap stop_troubled EXIT
}

# with_clock COMMAND... - what starts daemons
with_clock() {
	VIRTUAL_CLOCK=$trouble/clock LD_PRELOAD=$trouble/clock.so "$@"
}

stop_troubled() {
	cluster_stop
	rm -f "$trouble"
}

# put_clock SECONDS - so far is it ahead of the machine's
put_clock() {
	printf '%+d\n' "$1" >"$trouble/clock.new"
	mv "$trouble/clock.new" "$trouble/clock"
}

clock_now() {
	local ahead

	read -r ahead <"$trouble/clock"
	echo $((EPOCHSECONDS + ahead))
}

# slurmdbd_gets PERCENT SECONDS - of a CPU's time: it answers, slowly
slurmdbd_gets() {
	local percent=$1 end=$((EPOCHSECONDS + $2)) pid

	pid=$(daemon slurmdbd pid)
	while [ "$EPOCHSECONDS" -lt "$end" ]; do
		kill -STOP "$pid"
		sleep "0.$(printf %02d $((100 - percent)))"
		kill -CONT "$pid"
		sleep "0.$(printf %02d "$percent")"
	done
}
