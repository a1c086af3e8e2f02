#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# site_policy - NodeAllocationPolicy=plugin:NAME: node allocation policies of the site
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/policy_cluster.bash
. "$(dirname "$0")/policy_cluster.bash"

include=${TOPOBIND_ROOT:?}/usr/include
examples=$TOPOBIND_ROOT/usr/share/doc/topobind/examples

# --- plugins ----------------------------------------------------------------------

# build NAME FILE - with the installed header, as the manual says; in place of another one
build() {
	gcc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I "$include" \
		-o "$work/$1.so" -x c "$2"
	install_plugin "$1" "$work/$1.so"
}

install_plugin() {
	install -m 644 "$2" "$(plugin "$1").new"
	mv "$(plugin "$1").new" "$(plugin "$1")"
}

plugin() {
	echo "$cluster/lib/topobind_policy_$1.so"
}

# scores NAME BODY [MEMBERS CODE] - a plugin whose function score has this body
scores() {
	cat >"$work/$1.c" <<-END
		#define _POSIX_C_SOURCE 200809L
		#include <math.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <time.h>
		#include <topobind/policy.h>

		${4:-}

		static double score(const struct topobind_policy_job *job,
				    const struct topobind_policy_node *node)
		{
			(void)job;
			(void)node;
			$2
		}

		const struct topobind_policy topobind_policy = {
			.version = TOPOBIND_POLICY_VERSION,
			.score = score,
			${3:-}
		};
	END
	build "$1" "$work/$1.c"
}

# plugin_is NAME 1|0 - it works, or does not, by slurmctld's metrics
plugin_is() {
	grep -qF "topobind_policy_plugin_works{plugin=\"$1\"} $2" "$work/metrics.prom"
}

# --- what it decides ----------------------------------------------------------------

# says_worth NODE... - "topobind policy" has these first
says_worth() {
	assert_eq "the first of topobind policy" "$*" "$(topobind policy --json |
		jq -r '.nodes[].node' | head -n $# | xargs)"
}

# The node with the largest name, and so on: other than all that Slurm would choose.
case_order() {
	scores last 'return node->index % 2 ? 100 - (double)node->index : -1;'
	reconfigure_with NodeAllocationPolicy=plugin:last "${metrics[@]}"
	lands "$NODE_B"
	lands "$NODE_B,$NODE_D" -N2
	lands "$NODE_B,$NODE_D,$NODE_P" -N3
	lands "$NODE_A,$NODE_C" -N2 --bnodes=FIRSTAVAILABLE -x "$NODE_B"
	planned "$NODE_B"
	planned "$NODE_B" --bunit=C --bamount=1
	assert_eq "the plan" "$NODE_B" "$(topobind plan --json --bunit=C --bamount=1 |
		jq -r '.nodes | join(",")')"
	says_worth "$NODE_B" "$NODE_D" "$NODE_P" "$NODE_A"
	wait_until 20 plugin_is last 1
}

# The example of the package, as it is.
case_example() {
	local job

	build power "$examples/topobind_policy_power.c"
	scontrol update node="$NODE_C" extra=watts=10
	scontrol update node="$NODE_A,$NODE_B,$NODE_D,$NODE_E,$NODE_P,$NODE_Q" \
		extra=watts=500
	reconfigure_with NodeAllocationPolicy=plugin:power
	lands "$NODE_C"
	lands "$NODE_B,$NODE_C" -N2 -J fast
	job=$(alloc -w "$NODE_D" --bunit=C --bamount=1)
	lands "$NODE_D" -n1
	lands "$NODE_C,$NODE_D" -N2
	cancel "$job"
	says_worth "$NODE_C" "$NODE_A"
}

# What it is told is what the records say; nothing of it is missing.
case_facts() {
	local told

	scores facts "FILE *out = fopen(\"$work/facts\", \"a\");
		fprintf(out, \"%s %s %s %d %g %g %g %g %g %g %g %g %g %d %s\\n\",
			node->name, job->partition, job->binding, (int)job->amount,
			node->cpus, node->free_cpus, node->memory, node->disk,
			node->speed, node->holds, node->left, node->running_jobs,
			node->swap_and_memory, (int)node->is_required,
			strstr(node->features, \"fast\") ? \"fast\" : \"-\");
		fclose(out);
		return !isnan(node->load + node->weight + node->broken +
			node->diameter + node->usage + node->mtbf + node->gap +
			node->application_affinity + node->free_time +
			node->preferred + node->has_asked_os) &&
			node->size == sizeof(*node) && job->size == sizeof(*job);"
	reconfigure_with NodeAllocationPolicy=plugin:facts
	alloc -w "$NODE_E" -N1 -n3 --bunit=C --bamount=1 >/dev/null
	rm "$work/facts"
	alloc -n2 --bunit=C --bamount=2 -t 5 >/dev/null
	told=$(sort -u "$work/facts")
	assert_contains "what it was told" \
		"$NODE_C main bamount=2 2 4 4 2000 0 3000 2 0 0 2000 0 fast" \
		"$told"
	assert_contains "what it was told" \
		"$NODE_E main bamount=2 2 8 5 4000 1000 2900 2 1 1 4000 0 -" \
		"$told"
}

# Each partition has its own; a user names none.
case_partitions() {
	local answer

	scores last 'return node->index;'
	scores first 'return -(double)node->index;'
	reconfigure_with NodeAllocationPolicy=plugin:last \
		"PartitionName=virtual NodeAllocationPolicy=plugin:first"
	lands "$NODE_Q"
	lands "$NODE_A" -p virtual
	for answer in plugin:first plugin:../first plugin:; do
		! answer=$(sbatch --bnodes="$answer" --wrap true 2>&1) ||
			fail "accepted: $answer"
		assert_contains "the refusal" "BESTTOPOLOGY" "$answer"
	done
}

# At a reconfigure another file of the name counts, and one that stays goes on.
case_replaced() {
	scores counts 'return node->index;' '.init = begin, .fini = end,' \
		'static void note(const char *what)
		{
			FILE *out = fopen("'"$work"'/begun", "a");
			fputs(what, out);
			fclose(out);
		}
		static int begin(char *why, size_t size)
		{
			note(why[size - 1] ? "odd " : "begin ");
			return 0;
		}
		static void end(void)
		{
			note("end ");
		}'
	reconfigure_with NodeAllocationPolicy=plugin:counts
	lands "$NODE_Q"
	reconfigure
	lands "$NODE_Q"
	slurm_is_from 23.11 ||
		assert_eq "calls" "begin " "$(cat "$work/begun")"
	scores counts 'return -(double)node->index;'
	reconfigure
	lands "$NODE_A"
	slurm_is_from 23.11 ||
		assert_eq "calls" "begin end " "$(cat "$work/begun")"
}

# --- what is not taken ---------------------------------------------------------------

# refused NAME SENTENCE - slurmctld goes on as before; "conf --check" says why
refused() {
	local found

	conf_with "NodeAllocationPolicy=plugin:$1"
	found=$(topobind conf --check || true)
	assert_contains "conf --check" "$2" "$(tr -s ' \n' ' ' <<<"$found")"
	reconfigure_refused_with "NodeAllocationPolicy=plugin:$1"
	lands "$NODE_Q"
}

case_refused() {
	local file

	scores last 'return node->index;'
	reconfigure_with NodeAllocationPolicy=plugin:last
	lands "$NODE_Q"
	refused nosuch "topobind_policy_nosuch.so cannot be read: No such file"
	refused ../last "the name of a plugin has a to z, 0 to 9 and _"
	refused Last "the name of a plugin has a to z, 0 to 9 and _"
	refused "" "the name of a plugin has a to z, 0 to 9 and _"
	printf '%s\n' '#include <topobind/policy.h>' \
		'const struct topobind_policy topobind_policy = { 7, 0, 0, 0 };' \
		>"$work/future.c"
	build future "$work/future.c"
	refused future "is of version 7 of topobind/policy.h; allowed is 1"
	echo 'int topobind_policies;' >"$work/none.c"
	build none "$work/none.c"
	refused none "has no symbol topobind_policy"
	printf '%s\n' '#include <topobind/policy.h>' \
		'const struct topobind_policy topobind_policy = { 1, 0, 0, 0 };' \
		>"$work/empty.c"
	build empty "$work/empty.c"
	refused empty "has no function score"
	printf '%s\n' '#include <topobind/policy.h>' 'double nowhere(const struct topobind_policy_job *, const struct topobind_policy_node *);' \
		'const struct topobind_policy topobind_policy = { 1, 0, 0, nowhere };' \
		>"$work/lacks.c"
	build lacks "$work/lacks.c"
	refused lacks "undefined symbol: nowhere"
	echo garbage >"$work/garbage.so"
	install_plugin garbage "$work/garbage.so"
	refused garbage "cannot be loaded"
	scores other 'return 0;'
	file=$(plugin other)
	chmod 666 "$file"
	refused other "has mode 0666: others can write it"
	chmod 644 "$file"
	chown nobody "$file"
	refused other "it must be root's or SlurmUser's"
	ln -sf "$(plugin last)" "$file"
	refused other "it is a link, not a file"
	rm "$file"
	mkfifo "$file"
	refused other "is not a file"
	rm "$file"
}

# It can say itself why not.
case_does_not_begin() {
	scores last 'return node->index;'
	reconfigure_with NodeAllocationPolicy=plugin:last
	scores sulks 'return 0;' '.init = begin,' \
		'static int begin(char *why, size_t size)
		{
			snprintf(why, size, "no licence for today");
			return 3;
		}'
	refused sulks "does not begin (3): no licence for today"
}

# slurmctld starts with none of these, as with any other error of the file.
case_start() {
	conf_with NodeAllocationPolicy=plugin:nosuch
	daemon slurmctld stop
	! daemon slurmctld start >/dev/null 2>&1 ||
		fail "slurmctld started"
	conf_with NodeAllocationPolicy=plugin:last
	daemon slurmctld start
	wait_until 30 all_idle
	lands "$NODE_Q"
}

# --- what is switched off ------------------------------------------------------------

# is_off NAME WHY - and DEFAULT is in its place until the next reconfigure
is_off() {
	lands_by_default
	cancel_all
	wait_until 60 all_idle
	wait_until 20 plugin_is "$1" 0
	# Only its log and its metrics tell.
	! slurm_is_from 25.05 || return 0
	assert_contains "conf --show" "off: $2" "$(topobind conf --show --json |
		jq -r '.settings[] | select(.of == "plugin") | .value')"
	assert_contains "topobind policy" "slurmctld has switched it off: $2" \
		"$(topobind policy | head -1)"
}

case_no_number() {
	scores nan 'return node->index == 3 ? NAN : node->index;'
	reconfigure_with NodeAllocationPolicy=plugin:nan "${metrics[@]}"
	is_off nan "the score of node $NODE_D is NaN"
	scores infinite 'return 1 / (node->load - node->load);'
	reconfigure_with NodeAllocationPolicy=plugin:infinite "${metrics[@]}"
	is_off infinite "the score of node $NODE_A is"
	# The next reconfigure asks it again.
	scores nan "return node->index + job->amount;"
	reconfigure_with NodeAllocationPolicy=plugin:nan
	lands "$NODE_Q"
}

case_slow() {
	scores sleeps 'struct timespec some = { 0, 150000000 };
		nanosleep(&some, NULL); return node->index;'
	reconfigure_with NodeAllocationPolicy=plugin:sleeps "${metrics[@]}"
	is_off sleeps "3 scores took 100 ms or more"
	scores stuck 'struct timespec some = { 1, 0 };
		nanosleep(&some, NULL); return node->index;'
	reconfigure_with NodeAllocationPolicy=plugin:stuck "${metrics[@]}"
	is_off stuck "the score of node $NODE_A took 100"
}

policy_cluster_start
metrics=("MetricsFile=$work/metrics.prom" MetricsInterval=1)
note_slurmctld
test_case "a plugin's order" case_order
test_case "the example" case_example
test_case "what a plugin is told" case_facts
test_case "plugins of partitions" case_partitions
test_case "a plugin that is replaced" case_replaced
test_case "plugins that are refused" case_refused
test_case "a plugin that does not begin" case_does_not_begin
test_case "scores that are no numbers" case_no_number
test_case "plugins that are too slow" case_slow
test_case "slurmctld did not die" assert slurmctld_lives
test_case "slurmctld's start" case_start
tests_done
