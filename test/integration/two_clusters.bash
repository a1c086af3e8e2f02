# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# two_clusters.bash - sourced after lib.sh: a cluster with topobind, and beside it
# one without, alike but for that.  $cluster and $plain are their directories.

plain=''

# start_both [OPTION...] - options of contribs/cluster start
start_both() {
	trap stop_both EXIT
	plain=$("$cluster_program" start --plain --owner "$$" "$@") || {
		echo "Bail out! no cluster without topobind"
		exit 1
	}
	cluster_start "$@"
	trap stop_both EXIT
}

stop_both() {
	cluster_stop
	[ -z "$plain" ] || "$cluster_program" stop "$plain"
	plain=''
	# Of renamed.bash.
	[ -z "${renamed:-}" ] || rm -rf "$renamed"
}

# on DIR COMMAND... - with the commands of that cluster
on() {
	local cluster=$1 SLURM_CONF=$1/etc/slurm.conf

	export SLURM_CONF
	shift
	"$@"
}

drain_one=$(declare -f drain)
eval "drain_one${drain_one#drain}"

# After each case: of both.
drain() {
	on "$plain" drain_one
	on "$cluster" drain_one
}
