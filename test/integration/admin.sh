#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# admin - the commands of topobind_admin(7), in its order, on a cluster that has
# jobs and began without topobind
#
# What a section promises of jobs is looked at before and after its commands.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/manual.sh
. "$top/test/manual.sh"

page=$top/doc/topobind_admin.7

# --- the page's commands --------------------------------------------------------

# The section of each example, one a line.
sections() {
	awk '/^\.SH / { title = substr($0, 5) } /^\.EX/ { print title }' "$page"
}

of_cluster() {
	sed "s:/etc/slurm:$cluster/etc:g"
}

of_page() {
	sed -E -e "s:$cluster/etc:/etc/slurm:g" -e 's/ +$//'
}

# The daemons of this cluster, in place of those of a machine.
systemctl() {
	local node

	case $1-$2 in
	stop-slurmctld | start-slurmctld) daemon slurmctld "$1" ;;
	restart-slurmctld) restart_slurmctld ;;
	restart-slurmd)
		for node in "$NODE_THIS" "$NODE_THAT"; do
			restart_slurmd "$node"
		done
		;;
	*) fail "systemctl $*" ;;
	esac
}

restart_slurmd() {
	daemon "slurmd-$1" stop
	daemon "slurmd-$1" start
}

# Commands may fail, as in manual.sh; what they print tells.
replay_here() {
	set +eu +o pipefail
	replay "$1"
}

# run_example N - and it prints what stands there
run_example() {
	manual_example "$page" "$1" >"$work/wanted"
	assert grep -q '^\$ ' "$work/wanted"
	of_cluster <"$work/wanted" >"$work/example"
	(replay_here "$work/example") | of_page >"$work/seen"
	diff "$work/wanted" "$work/seen"
	wait_until 90 cluster_is_up
}

cluster_is_up() {
	[ "$(sinfo -h -N -p main -o %T | grep -c -E '^(idle|mixed-?|allocated|planned)$')" = 2 ] &&
		{ ! uses_topobind || topologies_are_known; }
}

uses_topobind() {
	scontrol show config |
		grep '^SelectType  *= select/topobind' >/dev/null
}

# Of the nodes that run task/topobind.
topologies_are_known() {
	[ -n "$(node_token "$NODE_THIS" m_topology)" ] &&
		{ [ "$without" = "$NODE_THAT" ] ||
			[ -n "$(node_token "$NODE_THAT" m_topology)" ]; }
}

# --- jobs ------------------------------------------------------------------------

# sleeper NAME OPTION... - a job whose process writes its id
sleeper() {
	local name=$1

	shift
	rm -f "$work/pid-$name"
	sbatch --parsable -J "$name" -o /dev/null --mem=10 -t 60 "$@" \
		--wrap "echo \$\$ >$work/pid-$name; exec sleep 3600"
}

started() {
	wait_until 60 test -s "$work/pid-$1"
}

pid_of() {
	cat "$work/pid-$1"
}

# state_of NAME JOB - all that a change of plugins could disturb
state_of() {
	echo "$1 $(job_field "$2" JobState) $(job_field "$2" NodeList)" \
		"$(cpu_ids "$2") $(pid_of "$1") $(allowed_cpus "$(pid_of "$1")")"
}

pending_states() {
	squeue -h -t PD -o '%i %r' | sort
}

# What a restart forgets for a moment.
reasons_are_final() {
	local reasons

	reasons=$(squeue -h -t PD -o %r) &&
		! grep -q -x -E 'None|Priority' <<<"$reasons"
}

pending_states_are() {
	[ "$(pending_states)" = "$1" ]
}

# assert_held NAME - its process has one CPU of the two
assert_held() {
	assert_eq "number of CPUs of $1" 1 \
		"$(expand_list "$(allowed_cpus "$(pid_of "$1")")" | wc -l)"
}

# --- the sections ----------------------------------------------------------------

# Jobs of every kind, as a site would have them.
start_plain_jobs() {
	running=$(sleeper running -n1 -w "$NODE_THIS")
	started running
	paused=$(sleeper paused -n1 -w "$NODE_THIS")
	started paused
	scontrol suspend "$paused"
	array=$(sbatch --parsable -o /dev/null --mem=10 -t 60 -n1 --array=1-4%2 \
		-w "$NODE_THAT" --wrap 'exec sleep 3600')
	wait_until 60 array_runs
	blocked=$(sleeper blocked -N1 -w "$NODE_THAT" --exclusive)
	sleeper dependent -d "afterok:$running" >/dev/null
	sleeper later --begin=now+5hours >/dev/null
	wait_until 60 was_passed_over "$blocked"
	wait_until 60 reasons_are_final
}

array_runs() {
	[ "$(squeue -h -t R -o %i -j "$array" | wc -l)" = 2 ]
}

case_enabling() {
	local before waiting

	start_plain_jobs
	before=$(state_of running "$running")
	waiting=$(pending_states)
	run_example 1
	assert_eq "the running job" "$before" "$(state_of running "$running")"
	run_example 2
	assert uses_topobind
	assert_eq "the running job" "$before" "$(state_of running "$running")"
	wait_until 60 pending_states_are "$waiting"
	assert array_runs
	assert job_has_state "$paused" SUSPENDED
	run_example 3
	scontrol resume "$paused"
	wait_until 30 runs "$paused"
	after_enabling
}

# Plain and bound jobs beside each other.
after_enabling() {
	local bound

	cancel "$paused"
	bound=$(sleeper bound -n1 -w "$NODE_THIS" --bunit=C --bamount=1)
	started bound
	assert_held bound
	refute [ "$(cpu_ids "$bound")" = "$(cpu_ids "$running")" ]
	assert_no_contradictions
	# The array's other tasks follow those that end.
	scancel "${array}_1"
	wait_until 60 task_runs 3
}

task_runs() {
	squeue -h -t R -j "${array}_$1" -o %i 2>/dev/null | grep . >/dev/null
}

# What a reconfigure cannot do; later Slurms begin anew with it, slurmctld first.
case_reconfigure() {
	sed -i.kept 's,^SelectType=.*,SelectType=select/cons_tres,' \
		"$cluster/etc/slurm.conf"
	if slurm_is_from 23.11; then
		is_changed_by_reconfigure
	else
		exits 1 "SelectType change requires restart of the slurmctld daemon" \
			scontrol reconfigure
		assert uses_topobind
		mv "$cluster/etc/slurm.conf.kept" "$cluster/etc/slurm.conf"
	fi
}

is_changed_by_reconfigure() {
	local bound before again

	bound=$(sleeper bound -n1 -w "$NODE_THIS" --bunit=C --bamount=1)
	started bound
	before=$(state_of bound "$bound")
	reconfigure
	refute uses_topobind
	assert_eq "the bound job" "$before" "$(state_of bound "$bound")"
	mv "$cluster/etc/slurm.conf.kept" "$cluster/etc/slurm.conf"
	reconfigure
	assert uses_topobind
	wait_until 90 cluster_is_up
	assert_eq "the bound job" "$before" "$(state_of bound "$bound")"
	again=$(sleeper again -n1 -w "$NODE_THIS" --bunit=C --bamount=1)
	started again
	assert_held again
	refute [ "$(cpu_ids "$bound")" = "$(cpu_ids "$again")" ]
}

case_going_back() {
	local bound hopeful before step

	bound=$(sleeper bound -n1 -w "$NODE_THIS" --bunit=C --bamount=1)
	started bound
	hopeful=$(sleeper hopeful -n1 -w "$NODE_THIS" --bunit=S --bamount=1)
	wait_until 60 waits_for_units "$hopeful"
	before=$(state_of bound "$bound")
	run_example 4
	run_example 5
	refute uses_topobind
	assert_eq "the bound job" "$before" "$(state_of bound "$bound")"
	step=$(within 60 srun -Q --jobid="$bound" --overlap --mem=0 -n1 \
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	assert_eq "a new step" "$(allowed_cpus "$(pid_of bound)")" "$step"
	# Unbound, it needs no whole socket.
	started hopeful
	assert_held hopeful
	assert_contains "Extra" m_topology= "$(node_extra "$NODE_THIS")"
	scontrol update NodeName=ALL Extra=
	assert_eq "Extra" "" "$(node_extra "$NODE_THIS")$(node_extra "$NODE_THAT")"
}

waits_for_units() {
	waits_for "$1" "no required node has"
}

# A node of which slurmd has another TaskPlugin.
case_without() {
	local plain bound

	# The page's own way back to it.
	run_example 2
	assert uses_topobind
	without=$NODE_THAT
	mkdir "$cluster/etc/$NODE_THAT"
	cp "$cluster/etc/cgroup.conf" "$cluster/etc/$NODE_THAT"
	sed 's,^TaskPlugin=task/topobind\,,TaskPlugin=,' \
		"$cluster/etc/slurm.conf" >"$cluster/etc/$NODE_THAT/slurm.conf"
	restart_slurmd "$NODE_THAT"
	scontrol update node="$NODE_THAT" extra=m_topology=
	bound=$(sleeper there -n1 -w "$NODE_THAT" --bunit=C --bamount=1)
	started there
	cancel "$bound"
	run_example 6
	refute sbatch -w "$NODE_THAT" -n1 --bunit=C --bamount=1 --wrap true
	bound=$(sleeper here -n1 --bunit=C --bamount=1)
	started here
	assert_eq "node" "$NODE_THIS" "$(job_field "$bound" NodeList)"
	assert_held here
	plain=$(sleeper plain -n1 -w "$NODE_THAT")
	started plain
	cancel "$plain" "$bound"
	with_it_again
}

with_it_again() {
	without=''
	rm -r "$cluster/etc/topobind.conf" "${cluster:?}/etc/$NODE_THAT"
	restart_slurmd "$NODE_THAT"
	scontrol_reconfigure
	wait_until 90 cluster_is_up
}

case_upgrades() {
	local bound hopeful before file

	bound=$(sleeper bound -n1 -w "$NODE_THIS" --bunit=C --bamount=1)
	started bound
	hopeful=$(sleeper hopeful -n1 -w "$NODE_THIS" --bunit=S --bamount=1)
	wait_until 60 waits_for_units "$hopeful"
	before=$(state_of bound "$bound")
	for file in "$cluster"/lib/*.so; do
		cp "$file" "$file.new"
		mv "$file.new" "$file"
	done
	assert_eq "the bound job" "$before" "$(state_of bound "$bound")"
	run_example 7
	assert_eq "the bound job" "$before" "$(state_of bound "$bound")"
	wait_until 60 waits_for_units "$hopeful"
	cancel "$bound"
	started hopeful
}

case_gang() {
	local first second

	run_example 8
	first=$(sleeper first -n1 -w "$NODE_THIS" --bunit=S --bamount=1)
	second=$(sleeper second -n1 -w "$NODE_THIS" --bunit=S --bamount=1)
	wait_until 120 take_turns "$first" "$second"
	assert_eq "the unit" "$(granted "$first")" "$(granted "$second")"
	started first
	started second
}

take_turns() {
	[ "$(squeue -h -j "$1,$2" -o %T | sort | tr '\n' ' ')" = \
		"RUNNING SUSPENDED " ]
}

case_threads() {
	run_example 9
}

set_select_type() {
	sed -i "s,^SelectType=.*,SelectType=$1," "$cluster/etc/slurm.conf"
}

# slurmctld with another SelectType than slurmd: later Slurms do not mind.
case_half() {
	set_select_type select/cons_tres
	systemctl restart slurmctld
	if slurm_is_from 24.11; then
		assert timeout $((60 * slowness)) srun -Q -w "$NODE_THIS" -n1 true
	else
		refute timeout $((20 * slowness)) srun -Q -w "$NODE_THIS" -n1 true
	fi
	daemon slurmctld stop
	set_select_type select/topobind
	daemon slurmctld start
	wait_until 90 cluster_is_up
	wait_until 200 no_jobs
	assert_works
}

# Up to 24.11 the plugin's number is in what slurmctld has saved.
starts_without_the_plugin() {
	if slurm_is_from 25.05; then
		daemon slurmctld start
		daemon slurmctld stop
	else
		refute daemon slurmctld start
	fi
}

# The plugin goes before slurmctld has been started without it.
case_removed() {
	local bound before

	bound=$(sleeper bound -n1 -w "$NODE_THIS" --bunit=C --bamount=1)
	started bound
	before=$(state_of bound "$bound")
	daemon slurmctld stop
	set_select_type select/cons_tres
	mv "$cluster/lib/select_topobind.so" "$work/select_topobind.so"
	starts_without_the_plugin
	mv "$work/select_topobind.so" "$cluster/lib/select_topobind.so"
	systemctl restart slurmd
	systemctl start slurmctld
	wait_until 90 cluster_is_up
	assert_eq "the bound job" "$before" "$(state_of bound "$bound")"
	mv "$cluster/lib/select_topobind.so" "$work/select_topobind.so"
	systemctl restart slurmd
	systemctl restart slurmctld
	wait_until 90 cluster_is_up
	assert_eq "the bound job" "$before" "$(state_of bound "$bound")"
}

# Each example of the page is in one of the cases above.
case_all_are_run() {
	assert_eq "sections" "BEFORE YOU START
ENABLING
ENABLING
GOING BACK
GOING BACK
NODES WITHOUT TOPOBIND
UPGRADES
GANG SCHEDULING
HARDWARE THREADS" "$(sections)"
}

# Installed, and not yet used.
install_topobind() {
	local system

	system=$(sed -n 's/^PluginDir=//p' "$cluster/etc/slurm.conf")
	mkdir "$cluster/lib" "$cluster/bin"
	find "$TOPOBIND_ROOT" -name '*topobind*.so' -exec cp {} "$cluster/lib" \;
	find "$TOPOBIND_ROOT" -path '*/bin/topobind' -exec cp {} "$cluster/bin" \;
	sed -i "s,^PluginDir=.*,PluginDir=$cluster/lib:$system," \
		"$cluster/etc/slurm.conf"
	systemctl restart slurmd
	systemctl restart slurmctld
	wait_until 90 cluster_is_up
}

without=''
[ -n "${TOPOBIND_ROOT:-}" ] || eval "$("$top/contribs/bootstrap")"
cluster_start --plain --nodes this,that --slurm SchedulerTimeSlice=5
install_topobind
test_case "every command of the page is run" case_all_are_run
test_case "enabling, with jobs of all kinds" case_enabling
test_case "what a reconfigure does with SelectType" case_reconfigure
test_case "going back, with bound jobs" case_going_back
test_case "a node without topobind" case_without
test_case "an upgrade of topobind" case_upgrades
test_case "half of the daemons changed" case_half
test_case "gang scheduling" case_gang
test_case "hardware threads" case_threads
test_case "the plugin removed too early, and then in time" case_removed
tests_done
