# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# harness.bash - sourced after lib.sh: a cluster whose slurmctld has loaded
# test/bench/slurmctld_bench.c, which asks select plugins

# shellcheck disable=SC2154 # of lib.sh
# start_harness OPTION... - of contribs/cluster; with the slurmctld of cluster_start
start_harness() {
	local prefix

	eval "$("$top/contribs/bootstrap")"
	make -C "$TOPOBIND_BUILD" test/bench/job_submit_topobind_bench.la \
		test/bench/select_topobind_anew.la >/dev/null
	prefix=$(mktemp -d "${TMPDIR:-/tmp}/topobind-harness-XXXXXX")
	cp -r "${TOPOBIND_ROOT:?}/." "$prefix"
	cp "$TOPOBIND_BUILD/test/bench/.libs/job_submit_topobind_bench.so" \
		"$prefix"
	mkfifo "$prefix/ask" "$prefix/ask.out"
	export TOPOBIND_BENCH=$prefix/ask
	cluster_start --prefix "$prefix" --slurm JobSubmitPlugins=topobind_bench "$@"
	mv "$prefix/ask" "$prefix/ask.out" "$cluster"
	cp "$TOPOBIND_BUILD/test/bench/.libs/select_topobind_anew.so" "$cluster"
	rm -rf "$prefix"
	export TOPOBIND_BENCH=$cluster/ask
}

# ask COMMAND - of slurmctld_bench.c
ask() {
	within 60 tee "$cluster/ask" <<<"$*" >/dev/null
	within 60 cat "$cluster/ask.out"
}
