# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# reader.bash - one who types the commands that a page shows, and compares what they
# print with what stands there.  Sourced, after lib.sh.
#
# The test that sources it has of_cluster and of_page, filters that put names into
# examples as they are on this cluster, and into what is printed as they are in the page.
# shellcheck source=test/manual.sh
# shellcheck disable=SC2154 # of lib.sh
. "$top/test/manual.sh"

# --- a reader's patience ----------------------------------------------------------

# What is looked at next depends on the jobs: all have started, or been left
# waiting with a reason.
sbatch() {
	local said job

	said=$(command sbatch -o /dev/null "$@") || return
	echo "$said"
	job=${said##* }
	wait_until 60 is_settled "$job"
}

is_settled() {
	local states

	states=$(command squeue -h -r -j "$1" -o '%T %r')
	[ -n "$states" ] && ! grep -v -q -E '^RUNNING|free' <<<"$states"
}

# Slurm's scheduler wipes the reason, each time for half a second.
squeue() {
	wait_until 30 queue_tells_reasons "$@"
	# shellcheck disable=SC2154 # of lib.sh
	cat "$work/queue"
}

queue_tells_reasons() {
	command squeue "$@" >"$work/queue" &&
		! grep -q -E '(Resources|Priority|None)$' "$work/queue"
}

# --- what is compared ---------------------------------------------------------------

# The moment at which something ends or starts is another each time.
of_one_time() {
	sed -E 's/20[0-9-]{8}T[0-9:]{8}/2026-11-21T14:10:00/g'
}

# In an example a command may fail.
replay_here() {
	set +eu +o pipefail
	cd "$work" && replay "$1"
}

# assert_prints FILE - the commands of an example print what stands there
assert_prints() {
	of_cluster <"$1" >"$work/example"
	(replay_here "$work/example") | of_one_time | of_page >"$work/seen"
	diff "$1" "$work/seen"
}
