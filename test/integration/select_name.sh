#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# select_name - what Slurm grants only to a SelectType with cons_tres in its name,
# with topobind under such a name (configure --with-select-name)
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/renamed.bash
. "$test_dir/renamed.bash"

case_installed() {
	assert_eq "select plugins" select_cons_tres_topobind.so \
		"$(find "$renamed" -name 'select_*.so' -printf '%f\n')"
	# Beside the other one it is not installed.
	refute make -C "$TOPOBIND_STATE/build-select-name" install-exec-local \
		DESTDIR="$TOPOBIND_ROOT"
	assert_eq "select plugins beside" select_topobind.so \
		"$(find "$TOPOBIND_ROOT" -name 'select_*.so' -printf '%f\n')"
}

create_node() {
	scontrol create NodeName="created$number" State=FUTURE CPUs=4 \
		CoresPerSocket=4 RealMemory=1000
}

case_refused() {
	exits 1 "" create_node
	refute scontrol -F show node "created$number"
}

case_refused_lines() {
	assert conf_is_read_with
	refute conf_is_read_with MaxNodeCount=8
	refute conf_is_read_with TaskPluginParam=SlurmdSpecOverride
}

# What Slurm does not have yet it refuses under any name.
case_spec_override() {
	assert conf_is_read_with
	if slurm_is_from 25.05; then
		assert conf_is_read_with TaskPluginParam=SlurmdSpecOverride
	else
		refute conf_is_read_with TaskPluginParam=SlurmdSpecOverride
	fi
}

setting() {
	scontrol show config | sed -n "s/^$1 *= //p"
}

case_name() {
	assert_eq SelectType select/cons_tres_topobind "$(setting SelectType)"
	assert_eq MaxNodeCount 8 "$(setting MaxNodeCount)"
}

# Jobs do not see nodes come and go.
case_create() {
	local job before

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=2)
	before=$(held)
	assert create_node
	assert scontrol -F show node "created$number"
	assert_eq "what is held" "$before" "$(held)"
	assert_no_contradictions
	alloc -w "$NODE_ZEN" --bunit=X --bamount=14 >/dev/null
	assert_no_contradictions
	cancel "$job"
	scontrol delete NodeName="created$number"
	refute scontrol -F show node "created$number"
	alloc -w "$NODE_ZEN" --bunit=X --bamount=2 >/dev/null
	assert_no_contradictions
}

# This machine, as a node that slurm.conf does not have: start_dynamic KEY=VALUE...
start_dynamic() {
	local shape

	shape=$(slurmd -C | sed -n -E 's/.*(Sockets.*)/\1/p' |
		sed 's/SocketsPerBoard/Sockets/')
	mkdir -p "$cluster/spool/$dynamic"
	SLURM_CONF=$cluster/etc/slurm.conf slurmd -D -Z -N "$dynamic" \
		--conf "NodeAddr=127.0.0.1 $shape $*" \
		</dev/null >"$cluster/log/$dynamic.out" 2>&1 &
	# As contribs/cluster notes its own, so that it ends with them.
	echo "$! $(sed 's/.*) //' "/proc/$!/stat" | cut -d' ' -f20)" \
		>"$cluster/run/slurmd-$dynamic.pid"
}

dynamic_is_up() {
	wait_until 60 node_is_idle "$dynamic" all
	wait_until 60 publishes "$dynamic"
}

publishes() {
	scontrol show node "$1" | grep m_topology= >/dev/null
}

end_dynamic() {
	daemon "slurmd-$dynamic" stop
	rm "$cluster/run/slurmd-$dynamic.pid"
}

delete_dynamic() {
	end_dynamic
	scontrol delete NodeName="$dynamic"
	refute scontrol show node "$dynamic"
}

case_dynamic_refused() {
	start_dynamic
	wait_until 60 dynamic_has_ended
	refute scontrol show node "$dynamic"
	rm "$cluster/run/slurmd-$dynamic.pid"
}

dynamic_has_ended() {
	! daemon "slurmd-$dynamic" pid >/dev/null
}

case_dynamic() {
	local before job

	before=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=2)
	start_dynamic
	dynamic_is_up
	srun -Q -p all -w "$dynamic" -n2 --bunit=C --bamount=1 sh -c \
		'sed -n "s/^Cpus_allowed_list:\t//p" /proc/self/status' \
		>"$work/cpus"
	assert_eq "tasks" 2 "$(sort -u "$work/cpus" | wc -l)"
	job=$(alloc -p all -w "$dynamic" --bunit=C --bamount=1)
	[ -n "$(granted "$job" "$dynamic")" ] || fail "no grant"
	assert_no_contradictions
	assert_eq "in use" "$(granted "$job" "$dynamic")" "$(inuse "$dynamic")"
	# slurmctld has it again after a restart, with what is held there.
	save_state "$job"
	restart_slurmctld
	wait_until 60 runs "$job"
	[ -n "$(granted "$job" "$dynamic")" ] || fail "no grant afterwards"
	assert runs "$before"
	assert_no_contradictions
	cancel "$job"
	delete_dynamic
	assert runs "$before"
	assert_no_contradictions
}

# A core for the system alone, as the node itself says: of two one is left.
case_dynamic_specialized() {
	local job

	start_dynamic CoreSpecCount=1
	dynamic_is_up
	refute sbatch -p all -w "$dynamic" --bunit=C --bamount=2 --wrap true
	job=$(alloc -p all -w "$dynamic" --bunit=C --bamount=1)
	[ -n "$(granted "$job" "$dynamic")" ] || fail "no grant"
	assert_contains "cores left to the system" CoreSpecCount=1 \
		"$(scontrol show node "$dynamic")"
	cancel "$job"
	delete_dynamic
}

# --- GRES -------------------------------------------------------------------

# One GPU of a node at a time has MPS: 100 of its 200.
start_with_shared_gres() {
	give_gres "$NODE_ZEN" gpu:2,mps:200,shard:8 \
		"Name=gpu File=DEVICE0 Cores=0-23" \
		"Name=gpu File=DEVICE1 Cores=24-47" \
		"Name=mps Count=200" "Name=shard Count=8"
	echo "GresTypes=gpu,mps,shard" | tee -a "$cluster/etc/slurm.conf" \
		>>"$cluster/etc/virtual/slurm.conf"
	start_with_gres "$NODE_ZEN"
}

# case_shared_gres SHARE COUNT - so many of them are all that there is
case_shared_gres() {
	local share=$1 count=$2 job i

	for ((i = 0; i < count; i++)); do
		job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1 --gres="$share")
		assert_contains "GRES" "$share(" "$(gpus_of "$job")"
		[ -n "$(granted "$job")" ] || fail "no grant"
	done
	job=$(batch -w "$NODE_ZEN" --bunit=X --bamount=1 --gres="$share")
	wait_until 20 was_passed_over "$job"
	assert_no_contradictions
}

# A device of which others have parts is no device for a job.
case_parts_of_a_device() {
	local job

	job=$(alloc -w "$NODE_ZEN" -n1 --gres=shard:1)
	# Later Slurms say how many of each device.
	[[ $(gpus_of "$job") =~ IDX:0|\(1/4,0/4\) ]] ||
		fail "not of the first device: $(gpus_of "$job")"
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1 --gres=gpu:1)
	assert_contains "GRES" "IDX:1" "$(gpus_of "$job")"
	assert_granted "$job" "$NODE_ZEN" 48-53
	job=$(batch -w "$NODE_ZEN" --bunit=X --bamount=1 --gres=gpu:1)
	wait_until 20 was_passed_over "$job"
}

make_renamed
cluster_start --nodes zen
trap 'cluster_stop; rm -rf "$renamed"' EXIT
number=${NODE_ZEN#zen}
dynamic=dyn$number
test_case "it is installed under its name, and alone" case_installed
test_case "Slurm refuses nodes to select/topobind" case_refused
test_case "and nodes that come by themselves" case_dynamic_refused
test_case "and lines of slurm.conf" case_refused_lines
start_with_shared_gres
test_case "shards beside a binding" case_shared_gres shard:2 4
test_case "MPS beside a binding" case_shared_gres mps:50 2
test_case "a GPU of which a job has shards" case_parts_of_a_device
cluster_stop

TOPOBIND_ROOT=$renamed
cluster_start --nodes zen --slurm MaxNodeCount=8 --slurm TreeWidth=65533 \
	--slurm "PartitionName=all Nodes=ALL DefaultTime=10 MaxTime=INFINITE State=UP"
trap 'cluster_stop; rm -rf "$renamed"' EXIT
number=${NODE_ZEN#zen}
dynamic=dyn$number
test_case "select/cons_tres_topobind, with MaxNodeCount" case_name
test_case "nodes are created and deleted, grants stay" case_create
test_case "a dynamic node has its topology, bound jobs and grants" case_dynamic
test_case "a dynamic node with a core for the system" case_dynamic_specialized
test_case "SlurmdSpecOverride, where Slurm has it" case_spec_override
start_with_shared_gres
test_case "shards, under this name, too" case_shared_gres shard:2 4
test_case "MPS, under this name, too" case_shared_gres mps:50 2
rm -rf "$renamed"
tests_done
