#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hostile - clients that go around the SPANK plugin's checks
#
# What they send is in the job's SPANK environment, as REST's or a changed
# sbatch's would be.  Rubbish is refused, or the job does not run; what is right
# is done; no daemon ends.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

option=_SLURM_SPANK_OPTION_topobind_

submit() {
	"$work/hostile" "$NODE_ZEN" "$@"
}

# The controller refuses, or keeps the job from running.
never_runs() {
	local job sentinel

	if ! job=$(submit "$@" 2>/dev/null); then
		return
	fi
	# A plain job that comes later starts; this one has had its turn then.
	sentinel=$(batch -w "$NODE_RAPTOR" -n1)
	wait_until 20 runs "$sentinel"
	refute runs "$job"
	cancel "$job" "$sentinel"
}

case_rubbish() {
	never_runs "$@"
	assert_eq daemons "$before" "$(daemon_pids)"
}

# What has no meaning for topobind is a plain job's.
case_not_ours() {
	local job

	job=$(submit "$@")
	wait_until 20 runs "$job"
	assert_eq "grant with $*" "" "$(granted "$job")"
	assert_eq daemons "$before" "$(daemon_pids)"
}

# granted_as LIST NAME=VALUE...
case_granted() {
	local list=$1 job

	shift
	job=$(submit "$@")
	wait_until 20 runs "$job"
	assert_granted "$job" "$NODE_ZEN" "$list"
}

# What the controller notes in a job's environment when it starts is not believed.
case_forged_notes() {
	local plain bound was

	plain=$(submit TOPOBIND_IMPLICIT=bunit=S,btype=host \
		SPANK_TOPOBIND_IMPLICIT=bunit=S)
	bound=$(submit "${option}bunit=X" "${option}bamount=1" \
		TOPOBIND_UNBOUND=1 SLURM_SPANK_TOPOBIND_UNBOUND=1)
	wait_until 20 runs "$plain"
	wait_until 20 runs "$bound"
	was=$(granted "$bound")
	[ -n "$was" ] || fail "it is not bound"
	restart_slurmctld
	assert_granted "$bound" "$NODE_ZEN" "$was"
	assert_eq "grant of the plain job" "" "$(granted "$plain")"
}

case_forged_comment() {
	local job line="binding=bunit=S,bamount=1 grant=$NODE_ZEN:sccc"

	job=$(batch -w "$NODE_ZEN" -n1 --comment="$line")
	wait_until 20 runs "$job"
	reconfigure
	assert_eq "grant" "" "$(granted "$job")"
	assert_eq "topobind's answer" 1 \
		"$(topobind job "$job" | grep -c 'no binding')"
}

file_of() {
	local path=$work/$1

	shift
	"$@" >"$path"
	echo "@$path"
}

# A string of N bytes out of a pattern.
repeat() {
	awk -v n="$1" -v s="$2" -v head="$3" 'BEGIN {
		printf "%s", head
		for (i = 0; i < n; i += length(s)) printf "%s", s
	}'
}

case_many_variables() {
	local i many=()

	for ((i = 0; i < 5000; i++)); do
		many+=("${option}bunit=C$i")
	done
	never_runs "${many[@]}"
	assert_eq daemons "$before" "$(daemon_pids)"
}

case_random_bytes() {
	local i

	for ((i = 0; i < 30; i++)); do
		{
			printf '%sbfilter=' "$option"
			head -c $((RANDOM % 5000 + 1)) /dev/urandom | tr -d '\0'
		} >"$work/random"
		never_runs "${option}bamount=1" "@$work/random"
	done
	assert_eq daemons "$before" "$(daemon_pids)"
}

case_changed_filter_strings() {
	local i string letters=NSXYCETnsxycet\(\) at

	# Real strings with some letters changed: nearly right.
	string=$(node_token "$NODE_ZEN" m_topology)
	for ((i = 0; i < 30; i++)); do
		for _ in 1 2 3; do
			at=$((RANDOM % ${#string}))
			string=${string:0:at}${letters:RANDOM % ${#letters}:1}${string:at+1}
		done
		submit "${option}bamount=1" "${option}bfilter=$string" \
			>/dev/null 2>&1 || true
	done
	wait_until 20 scheduler_was_here
	assert_no_contradictions
	assert_eq daemons "$before" "$(daemon_pids)"
}

# A job submitted after the others has started.
scheduler_was_here() {
	local job

	job=$(batch -w "$NODE_RAPTOR" -n1)
	wait_until 20 runs "$job"
}

case_client_without_plugin() {
	local job

	# An sbatch that was told to use no SPANK plugin.
	mkdir -p "$work/etc"
	sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' \
		"$cluster/etc/slurm.conf" >"$work/etc/slurm.conf"
	cp "$cluster/etc/cgroup.conf" "$work/etc"
	job=$(SLURM_CONF=$work/etc/slurm.conf sbatch --parsable -o /dev/null \
		-w "$NODE_ZEN" -n1 --wrap 'sleep 600')
	wait_until 20 runs "$job"
	assert_eq grant "" "$(granted "$job")"
}

case_environment_of_the_node() {
	local job output=$work/environment

	# Rubbish in the environment of the job itself, not of its request.
	job=$(SPANK_TOPOBIND_REQUEST=$(repeat 60000 '(' '') \
		TOPOBIND_REQUEST=rubbish sbatch --parsable -o "$output" \
		-w "$NODE_THIS" -n1 --bunit=C --bamount=1 --wrap \
		"grep Cpus_allowed_list /proc/self/status
		SPANK_TOPOBIND_REQUEST=\$(head -c 60000 /dev/zero | tr '\\0' '(') \
			srun -Q true; true")
	wait_until 30 is_over "$job"
	cat "$output"
	assert_eq "CPUs" 1 "$(grep -c Cpus_allowed_list "$output")"
	assert srun -Q -w "$NODE_THIS" -n1 true
	assert_eq daemons "$before" "$(daemon_pids)"
}

case_updates() {
	local job

	# What an ordinary user may change of a job.
	job=$(submit "${option}bunit=X" "${option}bamount=1")
	wait_until 20 runs "$job"
	scontrol update job="$job" Comment="grant=$NODE_ZEN:nsc" || true
	assert_granted "$job" "$NODE_ZEN" 0-5
	assert_no_contradictions
	assert_eq daemons "$before" "$(daemon_pids)"
}

cluster_start --nodes this,zen,raptor
compile_client hostile
before=$(daemon_pids)

test_case "the options, as REST sends them" case_granted 0-5 \
	"${option}bunit=X" "${option}bamount=1"
test_case "the line, as REST sends it" case_granted 0-11 \
	TOPOBIND_REQUEST=bunit=X,bamount=2
test_case "with Slurm's prefix" case_granted 0-5 \
	"SPANK_${option}bunit=X" "SPANK_${option}bamount=1"
test_case "an amount of 0" case_not_ours "${option}bamount=0"
test_case "other plugins' options" case_not_ours \
	_SLURM_SPANK_OPTION_other_bunit=X X= A=B
test_case "an unknown unit" case_rubbish "${option}bunit=Q" "${option}bamount=1"
test_case "a negative amount" case_rubbish "${option}bamount=-1"
test_case "a huge amount" case_rubbish \
	"${option}bamount=18446744073709551617"
test_case "more than any node has" case_rubbish "${option}bamount=65535"
test_case "no amount" case_rubbish "${option}btype=host"
test_case "an unknown option" case_rubbish "${option}bfoo=1" \
	"${option}bamount=1"
test_case "an empty option name" case_rubbish "${option}=1" \
	"${option}bamount=1"
test_case "no equals sign" case_rubbish "${option}bunit" "${option}bamount=1"
test_case "an option twice" case_rubbish "${option}bunit=X" \
	"${option}bunit=C" "${option}bamount=1"
test_case "an empty line and rubbish" case_rubbish TOPOBIND_REQUEST=rubbish
test_case "a filter that never ends" case_rubbish "${option}bamount=1" \
	"$(file_of open repeat 3000000 '(' "${option}bfilter=")"
test_case "a filter of 60000 nested brackets" case_rubbish \
	"${option}bamount=1" \
	"$(file_of nested repeat 60000 '(S' "${option}bfilter=")"
test_case "a filter of 60000 letters" case_rubbish "${option}bamount=1" \
	"$(file_of letters repeat 60000 N "${option}bfilter=")"
test_case "CPUs and a shape, as REST sends them" case_granted 0-1,6-7 \
	"${option}bcpus=0,6-7" "${option}binstance=env"
test_case "CPUs in the line" case_granted 0-1,6-7 TOPOBIND_REQUEST=bcpus=0+6-7
test_case "CPUs beside units" case_rubbish "${option}bcpus=0" \
	"${option}bamount=1"
test_case "CPUs that no node has" case_rubbish "${option}bcpus=65535"
test_case "CPUs that cannot be" case_rubbish "${option}bcpus=3-1"
test_case "a list of three megabytes" case_rubbish \
	"$(file_of list repeat 3000000 0+ "${option}bcpus=")"
test_case "an unknown instance" case_rubbish "${option}binstance=mpi" \
	"${option}bamount=1"
test_case "an unknown memory policy" case_rubbish "${option}bmem=far" \
	"${option}bamount=1"
test_case "an unknown mode" case_rubbish "${option}bmode=firm" \
	"${option}bamount=1"
test_case "a scope of nothing soft" case_rubbish "${option}ballow=X" \
	"${option}bamount=1"
test_case "a shape of 60000 nested brackets" case_rubbish \
	"${option}bamount=1" \
	"$(file_of shape repeat 60000 '(S' "${option}btopology=")"
test_case "a shape with small letters" case_rubbish \
	"${option}bamount=1" "${option}btopology=nscc"
test_case "a line of three megabytes" case_rubbish \
	"$(file_of line repeat 3000000 bamount=1, TOPOBIND_REQUEST=)"
test_case "a name of three megabytes" case_rubbish \
	"$(file_of name repeat 3000000 x "${option}")" "${option}bamount=1"
test_case "empty strings" case_not_ours "" "" =
test_case "5000 variables" case_many_variables
test_case "random bytes" case_random_bytes
test_case "changed topology strings" case_changed_filter_strings
test_case "a client without the plugin" case_client_without_plugin
test_case "rubbish in the job's own environment" case_environment_of_the_node
test_case "what a user may update" case_updates
test_case "the controller's own notes" case_forged_notes
test_case "a comment like that of a bound job" case_forged_comment
tests_done
