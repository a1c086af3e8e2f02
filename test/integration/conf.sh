#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# conf - topobind conf: a machine's lines, and a cluster for each thing that does
# not fit together
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

slow_start='and restart slurmctld and slurmd'

# --- what is said ------------------------------------------------------------

# Names as in the expected lines: DIR is that of the cluster's files.  The line that
# says that all is well is one like others.  Of stderr all but the note of cgroup v1, which depends on the machine: see its case.
check_here() {
	local status=0

	topobind conf --check >"$work/out" 2>"$work/all" || status=$?
	grep -v '^topobind conf: note: cgroups: ' "$work/all" >"$work/err" || true
	sed "s:$cluster:DIR:g" "$work/out"
	return "$status"
}

# now_says EXIT-CODE [LINE...] - exactly these
now_says() {
	local code=$1 seen status=0 wanted=''

	shift
	[ $# -eq 0 ] || wanted=$(printf '%s\n' "$@")
	seen=$(check_here) || status=$?
	assert_eq "what is found" "$wanted" "$seen"
	assert_eq "exit code" "$code" "$status"
}

# now_says ends the shell if it is not so.
comes_to_say() {
	(now_says "$@") >/dev/null 2>&1
}

# says LINE... - as soon as slurmctld has heard of its nodes
says() {
	(wait_until 20 comes_to_say 1 "$@") || now_says 1 "$@"
}

is_clean() {
	(wait_until 20 comes_to_say 0 "all is well") ||
		now_says 0 "all is well"
}

# Every case leaves the cluster as it was, and that is clean.
as_before() {
	put_back etc
	put_back lib
	rm -f "$cluster/etc/more.conf"
	restart_slurmctld
	is_clean
}

# put_back etc|lib - its files are those of the beginning, and whole at any moment
put_back() {
	local name

	while read -r name; do
		mkdir -p "$(dirname "$cluster/$1/$name")"
		cmp -s "$work/$1/$name" "$cluster/$1/$name" ||
			replace_file "$work/$1/$name" "$cluster/$1/$name"
	done < <(cd "$work/$1" && find . -type f)
	[ "$1" = etc ] || for name in "$cluster/$1"/*; do
		[ -e "$work/$1/${name##*/}" ] || rm "$name"
	done
}

case_found() {
	local status=0

	# In a shell of its own: set -e does not count in a condition.
	set +e
	(
		set -e
		"$@"
	)
	status=$?
	set -e
	as_before
	[ "$status" -eq 0 ]
}

found() {
	local name=$1

	shift
	test_case "$name" case_found "$@"
}

# in_slurm_conf SED - and slurmctld reads it
in_slurm_conf() {
	sed -i -E "$1" "$cluster/etc/slurm.conf"
	restart_slurmctld
}

# --- slurm.conf ----------------------------------------------------------------

case_clean() {
	is_clean
	assert_eq "stderr" "" "$(cat "$work/err")"
	assert_eq "JSON" '{"slurmctld":true,"findings":[]}' \
		"$(topobind conf --check --json |
			jq -c '{slurmctld, findings}')"
}

# Cpusets of v1 are in a hierarchy of their own; that is no fault.
case_cgroup_version() {
	local notes=0

	! grep -q ' - cgroup .*cpuset' /proc/self/mountinfo || notes=1
	topobind conf --check >"$work/out" 2>"$work/err"
	assert_eq "output" "all is well" "$(cat "$work/out")"
	assert_eq "notes" "$notes" "$(grep -c '^topobind conf: note: cgroups: ' \
		"$work/err" || true)"
	assert_eq "JSON" "$notes" \
		"$(topobind conf --check --json | jq '.notes | length')"
}

case_json() {
	local seen status=0

	sed -i s/ConstrainCores=yes/ConstrainCores=no/ "$cluster/etc/cgroup.conf"
	seen=$(topobind conf --check --json | tr -d '\n') || status=$?
	assert_eq "exit code" 1 "$status"
	assert_contains "JSON" '"where": "cgroup.conf"' "$seen"
	assert_contains "JSON" '"fix": "set ConstrainCores=yes and restart slurmd"' \
		"$seen"
}

case_select_type() {
	in_slurm_conf 's,^SelectType=.*,SelectType=select/cons_tres,'
	says "slurm.conf: SelectType=select/cons_tres, so that slurmctld binds no job; set SelectType=select/topobind and restart slurmctld"
}

case_select_parameters() {
	in_slurm_conf 's,^(SelectTypeParameters)=.*,\1=CR_Socket_Memory,'
	says "slurm.conf: SelectTypeParameters has neither CR_Core nor CR_CPU, so that jobs with a binding are refused; set SelectTypeParameters=CR_Core_Memory $slow_start"
}

case_partition() {
	echo "PartitionName=sockets Nodes=$NODE_ZEN SelectTypeParameters=CR_Socket" \
		>>"$cluster/etc/slurm.conf"
	reconfigure
	says "slurm.conf: partition sockets has SelectTypeParameters=CR_Socket, so that jobs with a binding are refused in it; take that out of its line, or keep bound jobs to other partitions"
}

# Without memory that is counted none need be set.
case_default_memory() {
	echo "PartitionName=dear Nodes=$NODE_ZEN DefMemPerNode=500" \
		>>"$cluster/etc/slurm.conf"
	in_slurm_conf '/^DefMemPerCPU=/d'
	says "slurm.conf: memory is counted, but there is no DefMemPerCPU or DefMemPerNode for partition main,virtual, so that a job without --mem takes all of a node's memory, and no other runs beside it; set DefMemPerCPU and run \"scontrol reconfigure\""
	in_slurm_conf 's,^(SelectTypeParameters)=.*,\1=CR_Core,'
	is_clean
}

# It may be intended.
case_exclusive() {
	echo "PartitionName=whole Nodes=$NODE_ZEN OverSubscribe=EXCLUSIVE" \
		>>"$cluster/etc/slurm.conf"
	reconfigure
	is_clean
	assert_eq "stderr" "topobind conf: note: slurm.conf: partition whole has OverSubscribe=EXCLUSIVE, so that each job has whole nodes, also the units that it did not ask for; take that out of its line where jobs should share nodes" \
		"$(cat "$work/err")"
}

case_no_task_plugin() {
	in_slurm_conf 's,^TaskPlugin=.*,TaskPlugin=task/cgroup,'
	says "slurm.conf: TaskPlugin=task/cgroup has no task/topobind, so that nodes publish no topology and no task is held on its units; set TaskPlugin=task/topobind,task/cgroup,task/affinity $slow_start"
}

case_task_plugin_order() {
	in_slurm_conf 's,^TaskPlugin=.*,TaskPlugin=cgroup\,topobind,'
	# Slurm sorts them itself then.
	if slurm_is_from 23.02.1; then
		is_clean
		return
	fi
	says "slurm.conf: TaskPlugin=cgroup,topobind has task/cgroup before task/topobind, so that a node where cgroups fail is drained without a reason; put task/topobind first and restart slurmd"
}

case_no_task_cgroup() {
	in_slurm_conf 's,^TaskPlugin=.*,TaskPlugin=task/topobind,'
	says "slurm.conf: TaskPlugin=task/topobind has no task/cgroup, so that nothing keeps jobs without a binding off the units of bound ones; set TaskPlugin=task/topobind,task/cgroup,task/affinity, and ConstrainCores=yes in cgroup.conf, and restart slurmd"
}

case_proctrack() {
	sed 's,^ProctrackType=.*,ProctrackType=proctrack/linuxproc,' \
		"$cluster/etc/slurm.conf" >"$work/proctrack.conf"
	# Without slurmctld, to which this is news.
	sed -i 's,^SlurmctldPort=.*,SlurmctldPort=1,' "$work/proctrack.conf"
	assert_contains "findings" \
		"slurm.conf: ProctrackType=proctrack/linuxproc, so that processes of a job can run on after its end on units that others have; set ProctrackType=proctrack/cgroup and restart slurmctld and slurmd" \
		"$(SLURM_CONF=$work/proctrack.conf topobind conf --check)"
}

# Written, and slurmctld was not restarted.
case_not_restarted() {
	sed -i -E -e 's,^SelectType=.*,SelectType=select/cons_tres,' \
		-e 's,^(SelectTypeParameters)=.*,\1=CR_CPU,' \
		-e 's,^TaskPlugin=.*,TaskPlugin=task/none,' \
		"$cluster/etc/slurm.conf"
	says "slurm.conf: SelectType=select/cons_tres here, but slurmctld has select/topobind; correct the file, or restart slurmctld" \
		"slurm.conf: SelectTypeParameters is not what slurmctld has; correct the file, or restart slurmctld and slurmd" \
		"slurm.conf: TaskPlugin=task/none here, but slurmctld has task/topobind,task/cgroup,task/affinity; correct the file, or restart slurmctld and slurmd"
}

# --- plugins -----------------------------------------------------------------

# plugin_of VERSION NAME - in place of one: all that it has is a version
plugin_of() {
	echo "unsigned plugin_version = $1;" >"$work/plugin.c"
	gcc -shared -o "$work/plugin.so" "$work/plugin.c"
	mv "$work/plugin.so" "$cluster/lib/$2.so"
}

missing() {
	echo "PluginDir: $plugin_dir has no $1.so, without which $2; install it on this host, or correct PluginDir"
}

case_missing() {
	rm "$cluster/lib/$1.so"
	says "$(missing "$@")"
}

# slurmctld runs on with what it has read; nobody needs it who does not name it.
case_no_metrics_plugin() {
	rm "$cluster/lib/metrics_topobind.so"
	is_clean
	echo MetricsType=metrics/openmetrics >>"$cluster/etc/slurm.conf"
	is_clean
	sed -i 's,^MetricsType=.*,MetricsType=metrics/topobind,' \
		"$cluster/etc/slurm.conf"
	says "$(missing metrics_topobind \
		'slurmctld does not start with this MetricsType')"
}

# One version further in its last number, as SLURM_VERSION_NUMBER has it.
next_version() {
	local major minor micro

	IFS=. read -r major minor micro <<<"$version"
	printf '0x%02x%02x%02x\n' "$((10#$major))" "$((10#$minor))" \
		"$((10#$micro + 1))"
}

next_name() {
	echo "${version%.*}.$((${version##*.} + 1))"
}

case_other_version() {
	plugin_of "$(next_version)" "$1"
	says "PluginDir: DIR/lib/$1.so was built for Slurm $(next_name), but this is Slurm $version; install topobind for Slurm $version"
}

# Another micro version of a SPANK plugin is right, another release is not.
case_spank_version() {
	plugin_of "$(next_version)" spank_topobind
	is_clean
	plugin_of 0x150b00 spank_topobind
	says "PluginDir: DIR/lib/spank_topobind.so was built for Slurm 21.11.0, but this is Slurm $version; install topobind for Slurm $version"
}

case_no_plugin() {
	head -c "$2" "$work/lib/$1.so" >"$work/part.so"
	mv "$work/part.so" "$cluster/lib/$1.so"
	says "PluginDir: DIR/lib/$1.so: it is not a plugin of Slurm: it has no plugin_version; install it again"
}

case_both_names() {
	cp "$work/lib/select_topobind.so" \
		"$cluster/lib/select_cons_tres_topobind.so"
	says "PluginDir: there are both DIR/lib/select_topobind.so and DIR/lib/select_cons_tres_topobind.so, with which Slurm does not start; remove the one that SelectType does not name"
}

# The host's Slurm is another one than slurmctld's.
case_other_slurm() {
	plugin_of "$(next_version)" select_cons_tres
	says "PluginDir: the plugins of Slurm here are of $(next_name), but slurmctld is $version; upgrade this host, or restart slurmctld if it is here" \
		"PluginDir: DIR/lib/select_topobind.so was built for Slurm $version, but this is Slurm $(next_name); install topobind for Slurm $(next_name)" \
		"PluginDir: DIR/lib/task_topobind.so was built for Slurm $version, but this is Slurm $(next_name); install topobind for Slurm $(next_name)"
}

case_no_cons_tres() {
	local dir=$work/plugins

	mkdir "$dir"
	find "${plugin_dir#DIR/lib:}" -name '*.so' ! -name select_cons_tres.so \
		-exec ln -s {} "$dir" \;
	sed -i "s,^PluginDir=.*,PluginDir=$cluster/lib:$dir," \
		"$cluster/etc/slurm.conf"
	plugin_dir=DIR/lib:DIR/work/plugins
	says "$(missing select_cons_tres 'select/topobind cannot be loaded')"
}

# --- the other files -----------------------------------------------------------

case_plugstack() {
	local file=$cluster/etc/plugstack.conf
	local no='so that sbatch, srun and salloc have no options for bindings; add the line "required spank_topobind.so"'

	rm "$file"
	says "plugstack.conf: there is no file DIR/etc/plugstack.conf, $no"
	echo '# required spank_topobind.so' >"$file"
	says "plugstack.conf: DIR/etc/plugstack.conf does not load spank_topobind.so, $no"
	echo 'include more*.conf' >"$file"
	echo 'optional	spank_topobind.so # ours' >"$cluster/etc/more.conf"
	is_clean
	echo 'required spank_topobind.so' >>"$file"
	says "plugstack.conf: DIR/etc/plugstack.conf loads spank_topobind.so 2 times; keep one of the lines"
	echo 'require spank_topobind.so' >"$file"
	says 'plugstack.conf: a line for spank_topobind.so begins with "require", which Slurm does not know, and is ignored; write "required spank_topobind.so"'
	echo 'required /nowhere/spank_topobind.so' >"$file"
	says 'plugstack.conf: DIR/etc/plugstack.conf names /nowhere/spank_topobind.so, which is not there; write "required spank_topobind.so", which is looked for in PluginDir'
}

case_cgroup() {
	local line='cgroup.conf: ConstrainCores is not yes, so that nothing keeps jobs without a binding off the units of bound ones; set ConstrainCores=yes and restart slurmd'

	sed -i s/ConstrainCores=yes/ConstrainCores=no/ "$cluster/etc/cgroup.conf"
	says "$line"
	rm "$cluster/etc/cgroup.conf"
	says "$line"
}

case_topobind_conf_wrong() {
	conf_with Implicit=perhaps
	says "topobind.conf: DIR/etc/topobind.conf line $(wc -l <"$cluster/etc/topobind.conf"): Implicit=perhaps: this is not allowed; allowed: yes, no; correct it and run \"scontrol reconfigure\""
}

case_topobind_conf_names() {
	local lines

	conf_with 'PartitionName=nowhere Implicit=yes' \
		"NodeName=$NODE_THIS,lost[1-3] Cost=2"
	lines=$(wc -l <"$cluster/etc/topobind.conf")
	reconfigure
	says "topobind.conf: DIR/etc/topobind.conf line $((lines - 1)): PartitionName=nowhere: Slurm has no such partition; correct the name, or create the partition" \
		"topobind.conf: DIR/etc/topobind.conf line $lines: NodeName=$NODE_THIS,lost[1-3]: Slurm has no node lost[1-3]; correct the name, or create the node"
}

# --- nodes ---------------------------------------------------------------------

correct_line='correct its line in topobind.conf ("topobind topology" on the node), or leave Topology= out'
put_line="put the line that \"topobind conf\" prints on the node into slurm.conf, $slow_start"

# with_topology NODE STRING [KEY=VALUE] - in topobind.conf, which slurmctld reads
with_topology() {
	sed -i "/^NodeName=$1 /d" "$cluster/etc/topobind.conf"
	echo "NodeName=$1 Topology=$2 ${3:-}" >>"$cluster/etc/topobind.conf"
	reconfigure
}

# Its 16 cores in 4 sockets are those of slurm.conf.
case_numbers() {
	with_topology "$NODE_QUADRANT" NSCCCC
	says "node $NODE_QUADRANT: its topology has 4 cores and 4 threads, but slurm.conf gives it 16 cores, so that it is not used; $correct_line"
	with_topology "$NODE_QUADRANT" "NSXCCCCXCCCCSXCCCCXCCCC"
	says "node $NODE_QUADRANT: its topology is one of Sockets=2, but slurm.conf gives it Sockets=4; $correct_line"
	with_topology "$NODE_QUADRANT" "$(printf 'NSCTTCTTCTTCTT%.0s' {1..4})"
	says "node $NODE_QUADRANT: its topology has 32 threads, but slurm.conf gives it 16; $correct_line"
}

# This node and another publish what they are: another line of slurm.conf.
case_published_numbers() {
	in_slurm_conf "/^NodeName=$NODE_THIS /s/ CPUs=[0-9]+ .*RealMemory/ CPUs=1 RealMemory/"
	wait_until 60 publishes_again
	says "node $NODE_THIS: its topology has $cores cores and $threads threads, but slurm.conf gives it 1 core, so that it is not used; $put_line"
}

publishes_again() {
	[ -n "$(node_token "$NODE_THIS" m_topology)" ]
}

# As many cores as there are threads, and two threads in each.
case_threads() {
	with_topology "$NODE_RAPTOR" "$(printf 'NS%s' \
		"$(printf 'CTT%.0s' {1..10})")"
	in_slurm_conf "/^NodeName=$NODE_RAPTOR /s/ThreadsPerCore=1/ThreadsPerCore=2/"
	says "node $NODE_RAPTOR: slurm.conf gives it as many cores as its topology has threads, and ThreadsPerCore=2; set ThreadsPerCore=1 $slow_start"
}

# counts_as NODE SOCKETS CORES - by the file
counts_as() {
	sed -i -E "/^NodeName=$1 /{
		s/ (Boards|Sockets|SocketsPerBoard|CoresPerSocket)=[0-9]+//g
		s/ ThreadsPerCore/ Sockets=$2 CoresPerSocket=$3&/
	}" "$cluster/etc/slurm.conf"
}

# Slurm takes L3 caches for sockets then; a binding does not.
case_caches_as_sockets() {
	local caches job

	caches=$(topobind topology | sed -n 's/^X .* //p')
	sed -i -E 's/^(SlurmdParameters=.*)/\1,l3cache_as_socket/' \
		"$cluster/etc/slurm.conf"
	counts_as "$NODE_THIS" "$caches" $((cores / caches))
	counts_as "$NODE_ZEN" 16 3
	counts_as "$NODE_SQUARE" 8 2
	restart_slurmctld
	says "node $NODE_QUADRANT: with l3cache_as_socket its topology is one of Sockets=8, but slurm.conf gives it Sockets=4; set Sockets=8 CoresPerSocket=2 in its line, $slow_start"
	counts_as "$NODE_QUADRANT" 8 2
	restart_slurmctld
	is_clean
	job=$(alloc -w "$NODE_QUADRANT" -n1 --bunit=S --bamount=1)
	assert_granted "$job" "$NODE_QUADRANT" 0-3
	job=$(alloc -w "$NODE_QUADRANT" -n2 --bunit=X --bamount=1)
	assert_granted "$job" "$NODE_QUADRANT" 4-7
}

# From Slurm 25.11 on a node can say so for itself.
case_caches_of_one_node() {
	local job file unit granted

	for file in "$cluster/etc/slurm.conf" "$cluster/etc/virtual/slurm.conf"
	do
		sed -i "/^NodeName=$NODE_ZEN /s/$/ Parameters=l3cache_as_socket/" \
			"$file"
	done
	restart_slurmctld
	says "node $NODE_ZEN: with l3cache_as_socket its topology is one of Sockets=16, but slurm.conf gives it Sockets=2; set Sockets=16 CoresPerSocket=3 in its line, $slow_start"
	counts_as "$NODE_ZEN" 16 3
	restart_slurmctld
	is_clean
	while read -r unit granted; do
		job=$(alloc -w "$NODE_ZEN" -n1 --bunit="$unit" --bamount=1)
		assert_granted "$job" "$NODE_ZEN" "$granted"
	done <<-END
	S 0-47
	X 48-53
	C 54-55
	T 56-57
	END
	# shellcheck disable=SC2016 # the task's variables
	assert_eq "a step" "0 60-65
1 66-71" "$(srun -Q -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 sh -c \
		'echo "$SLURM_PROCID $TOPOBIND_CPUS"' | sort -n)"
}

case_filter() {
	conf_with "NodeName=$NODE_THIS Filter=nsxcCnsxcC"
	reconfigure
	says "node $NODE_THIS: the Filter= of its line in topobind.conf has another shape than the node, and masks nothing; make it of the string that \"topobind topology\" prints on the node, and run \"scontrol reconfigure\""
}

case_not_reconfigured() {
	local old new

	new=$(printf 'NSCCCC%.0s' {1..4})
	old=$(sed -n "s/^NodeName=$NODE_QUADRANT .*Topology=\([A-Z]*\).*/\1/p" \
		"$cluster/etc/topobind.conf")
	sed -i "/^NodeName=$NODE_QUADRANT /s/Topology=[A-Z]*/Topology=$new/" \
		"$cluster/etc/topobind.conf"
	if slurm_is_from 25.05; then
		says "node $NODE_QUADRANT: topobind.conf gives it another topology than slurmctld has; copy the file to all hosts and run \"scontrol reconfigure\""
		return
	fi
	says "topobind.conf: NodeName=$NODE_QUADRANT Topology=$new here, but slurmctld has $old; $right_copy"
	put_back etc
	conf_with Implicit=yes SoftIntervalMs=70
	says "topobind.conf: 2 settings are not those of slurmctld, the first: Implicit=yes here, but slurmctld has no; $right_copy"
	conf_with "PartitionName=main Filter=first_core"
	says "topobind.conf: PartitionName=main Filter=first_core here, but slurmctld has none; $right_copy"
	reconfigure
	is_clean
	conf_with
	says "topobind.conf: slurmctld has settings of partitions or nodes that are not in the file here; \"topobind conf --show\" lists them; $right_copy"
}

right_copy='copy the file that is right to all hosts, and run "scontrol reconfigure"'

# Keys that are right in other lines.
case_wrong_key() {
	conf_with "NodeName=$NODE_ZEN Cost=2 Implicit=\"yes\" Topologie=NSC"
	says "topobind.conf: DIR/etc/topobind.conf line $(wc -l <"$cluster/etc/topobind.conf"): Implicit is no key of a NodeName= line; the allowed keys are Topology, Distances, Memory, Filter, PriorityFunction, Speed, Cost, Priority, Swap, MaxLoad, Soft, SoftUtilLowPct, SoftCount, SoftIntervalMs, Mode; correct it and run \"scontrol reconfigure\""
	conf_with 'PartitionName=main implicit = yes  Speed=3'
	says "topobind.conf: DIR/etc/topobind.conf line $(wc -l <"$cluster/etc/topobind.conf"): Speed is no key of a PartitionName= line; the allowed keys are Enabled, Implicit, OnAnyHost, DefaultUnit, DefaultStrategy, Filter, MemoryBinding, SpareDevices, Isolate, NodeAllocationPolicy, PriorityFunction, Soft, SoftUtilLowPct, SoftCount, SoftIntervalMs, Mode; correct it and run \"scontrol reconfigure\""
}

# slurmctld runs with what it has read before.
case_no_file() {
	local file=$cluster/etc/topobind.conf

	rm "$file"
	ln -s nowhere "$file"
	[[ $(topobind conf --check || true) = "topobind.conf: $file is not a file, nor a link to one, so that its settings do not count; put the file there, and run \"scontrol reconfigure\""* ]] ||
		fail "a link to nothing is not found"
	rm "$file"
	mkdir "$file"
	[[ $(topobind conf --check || true) = "topobind.conf: $file is not a file, nor "* ]] ||
		fail "a directory is not found"
	rmdir "$file"
}

# Some nodes may have the shape, and a partition has only some.
case_filters() {
	local all='has another shape than each of its nodes, and masks nothing; make it of the string that "topobind topology" prints on a node, and run "scontrol reconfigure"'

	conf_with Filter=nsxcCnsxcC
	reconfigure
	says "topobind.conf: the Filter= of the site $all"
	with_topology "$NODE_ZEN" NSXCCNSXCC
	topobind conf --check >"$work/out" || true
	assert_eq "a filter that fits one node" 0 \
		"$(grep -c "Filter= of the site" "$work/out" || true)"
	echo "PartitionName=that Nodes=$NODE_QUADRANT" >>"$cluster/etc/slurm.conf"
	echo "PartitionName=that Filter=nsxcCnsxcC" >>"$cluster/etc/topobind.conf"
	reconfigure
	topobind conf --check >"$work/out" || true
	assert_contains "that of a partition" \
		"topobind.conf: the Filter= of partition that $all" \
		"$(cat "$work/out")"
}

case_metrics_file() {
	conf_with "MetricsFile=$work/no/topobind.prom"
	reconfigure
	says "topobind.conf: MetricsFile=DIR/work/no/topobind.prom is in no directory of this host, so that no metrics are written; create DIR/work/no/, writable by SlurmUser and nobody else"
	mkdir "$work/no"
	chown "$(stat -c %U "$cluster/etc/slurm.conf")" "$work/no"
	is_clean
}

# publish WORDS - what this node has said of itself, as slurmd says it
publish() {
	scontrol update node="$NODE_THIS" extra="$1"
}

case_published() {
	local saved

	saved=$(node_token "$NODE_THIS" m_topology)
	publish "m_topology=$saved m_distances=10,21"
	says "node $NODE_THIS: its NUMA distances cannot be used: $(distances_error); restart slurmd there, which publishes them again"
	publish "m_topology=NSQ"
	says "node $NODE_THIS: its topology cannot be used: $(topology_error); restart slurmd there, which publishes it again"
	publish "m_topology=$saved"
	is_clean
}

# The sentences of the parsers, which other tests know.
distances_error() {
	topobind place --topology "$(topobind topology | sed -n 1p)" \
		--distances 10,21 --bunit C --bamount 1 2>&1 |
		sed 's/.*"10,21": //'
}

topology_error() {
	topobind place --topology NSQ --bunit C --bamount 1 2>&1 |
		sed 's/^topobind place: //'
}

# A node whose slurmd runs without the plugin; where bound jobs do not go there
# it is as it should be.
case_without_plugin() {
	daemon "slurmd-$NODE_THIS" stop
	mv "$cluster/etc/slurm.conf" "$work/with.conf"
	sed 's,^TaskPlugin=.*,TaskPlugin=task/cgroup,' "$work/with.conf" \
		>"$cluster/etc/slurm.conf"
	daemon "slurmd-$NODE_THIS" start
	mv "$work/with.conf" "$cluster/etc/slurm.conf"
	publish "m_topology="
	wait_until 60 node_is_idle "$NODE_THIS"
	says "node $NODE_THIS: it has published no topology, but gets bound jobs, whose tasks may not be bound; set task/topobind in TaskPlugin there and restart slurmd, or set OnAnyHost=no in topobind.conf"
	# With a reconfigure later Slurms have slurmd read slurm.conf, too.
	conf_with OnAnyHost=no
	restart_slurmctld
	is_clean
	daemon "slurmd-$NODE_THIS" stop
	daemon "slurmd-$NODE_THIS" start
	wait_until 60 publishes_again
}

# Nodes that are one line of slurm.conf, and not of one shape.
case_one_line() {
	local shape=NSXCCXCCNSXCCXCCNSXCCXCCNSXCCXCC
	local four=NSXCCCCNSXCCCCNSXCCCCNSXCCCC
	local advice='which is in the same line of slurm.conf; compare the machines and their firmware; give it a line of its own if this is intended'
	local port other=square${NODE_QUADRANT#quadrant}

	port=$(sed -n -E "s/^NodeName=$NODE_QUADRANT .* Port=([0-9]+).*/\1/p" \
		"$cluster/etc/slurm.conf")
	in_slurm_conf "/^NodeName=$other /d
		s/^NodeName=$NODE_QUADRANT (.*) Port=[0-9]+/NodeName=$NODE_QUADRANT,$other \1 Port=[$port-$((port + 1))]/"
	is_clean
	with_topology "$other" "$four"
	says "node $other: its topology is $four and not $shape as that of $NODE_QUADRANT, $advice"
	with_topology "$other" "$shape" \
		"Distances=10,20,20,30;20,10,30,20;20,30,10,20;30,20,20,10"
	says "node $other: its NUMA distances are not those of $NODE_QUADRANT, $advice"
}

# --- gres.conf -------------------------------------------------------------------

# gres LINE... - the file has these, and zen has two GPUs
gres() {
	printf '%s\n' "$@" >"$cluster/etc/gres.conf"
}

# part CORES SMALLEST NODE [NAME]
part() {
	echo "node $3: gres.conf says Cores=$1 of its ${4:-gpu}, which are neither whole units (S, N or X) nor inside one $2, so that it counts as near to units of which only a part is; $count_so"
}
count_so='count cores from 0 in the order of the string that "topobind topology" prints, not as the OS does, name all of the units near the device, and restart slurmctld and slurmd'

case_gres_fits() {
	local cores

	# A socket, caches, two of them that are apart, a part of one, all.
	for cores in 24-47 0-5 0-2,45-47 1 4-5 0-47; do
		gres "NodeName=$NODE_ZEN Name=gpu File=/dev/null Cores=$cores"
		is_clean
	done
	# What no node has, or says nothing of cores, or is another's.
	gres AutoDetect=off "Name=mps Count=100 Cores=0-3" \
		"NodeName=$NODE_ZEN Name=gpu File=/dev/zero" \
		"NodeName=$NODE_QUADRANT Name=gpu Cores=0-2"
	is_clean
}

case_gres_parts() {
	gres "NodeName=$NODE_ZEN Name=gpu File=/dev/null Cores=0-3" \
		"NodeName=$NODE_ZEN Name=gpu File=/dev/zero Cores=24-47"
	says "$(part 0-3 X "$NODE_ZEN")"
	gres "nodename=$NODE_ZEN \\" "  name=gpu cores=1-23 # one for the system"
	says "$(part 1-23 X "$NODE_ZEN")"
	# Every second, as some machines number.
	cores=$(seq -s, 0 2 46)
	gres "Name=gpu CPUs=$cores File=/dev/null"
	says "$(part "$cores" X "$NODE_ZEN")"
	echo "NodeName=$NODE_ZEN Name=gpu Cores=2-3" >"$cluster/etc/more.conf"
	gres "include $cluster/etc/more.conf"
	says "$(part 2-3 X "$NODE_ZEN")"
}

case_gres_outside() {
	gres "NodeName=$NODE_ZEN Name=gpu Cores=0-23,48-71"
	topobind conf --check >"$work/out" || true
	assert_contains "what is found" "node $NODE_ZEN: gres.conf says Cores=0-23,48-71 of its gpu, which cannot be: " \
		"$(cat "$work/out")"
}

# --- without slurmctld -----------------------------------------------------------

case_files_only() {
	daemon slurmctld stop
	wait_until 20 comes_to_say 0 "the files of this host are well"
	assert_eq "stderr" "topobind conf: slurmctld does not answer: only the files of this host were checked" \
		"$(cat "$work/err")"
	assert_contains "JSON" '"slurmctld": false' \
		"$(topobind conf --check --json 2>/dev/null)"
	sed -i -E -e 's,^SelectType=.*,SelectType=select/cons_tres,' \
		"$cluster/etc/slurm.conf"
	sed -i "/^NodeName=$NODE_QUADRANT /s/Topology=[A-Z]*.*/Topology=NSCC/" \
		"$cluster/etc/topobind.conf"
	says "slurm.conf: SelectType=select/cons_tres, so that slurmctld binds no job; set SelectType=select/topobind and restart slurmctld" \
		"node $NODE_QUADRANT: its topology has 2 cores and 2 threads, but slurm.conf gives it 16 cores, so that it is not used; $correct_line"
	cp "$work/etc/slurm.conf" "$cluster/etc/slurm.conf"
	daemon slurmctld start
}

# --- a machine's lines -------------------------------------------------------------

# Slurm says them, too, in other words.
case_lines() {
	local key seen

	seen=$(topobind conf)
	assert_contains "name" "NodeName=$(hostname -s) " "$seen"
	for key in CPUs CoresPerSocket ThreadsPerCore RealMemory; do
		assert_contains "lines" " $(slurmd -C | grep -o "$key=[0-9]*")" "$seen"
	done
	assert_contains "lines" "Topology=$(topobind topology | sed -n 1p)" \
		"$seen"
}

cluster_start --nodes this,zen,raptor,quadrant \
	--machine "square quadrant-4n4s8l3.xml 4 4 1"
cp -a "$cluster/etc" "$work/etc"
cp -a "$cluster/lib" "$work/lib"
plugin_dir=$(sed -n "s:^PluginDir=$cluster:DIR:p" "$cluster/etc/slurm.conf")
version=$(slurmctld -V | sed 's/.* //')
cores=$(topobind topology | sed -n 's/^C .* //p')
threads=$(topobind topology | sed -n 's/^T .* //p')
test_case "a machine's lines" case_lines
test_case "a cluster that is right" case_clean
test_case "the version of cgroups" case_cgroup_version
found "JSON" case_json
found "another SelectType" case_select_type
found "SelectTypeParameters" case_select_parameters
found "a partition of sockets" case_partition
found "no default of memory" case_default_memory
found "partitions of whole nodes" case_exclusive
found "no task/topobind" case_no_task_plugin
found "the order in TaskPlugin" case_task_plugin_order
found "no task/cgroup" case_no_task_cgroup
found "another ProctrackType" case_proctrack
found "a file that slurmctld has not read" case_not_restarted
found "no select plugin" case_missing select_topobind \
	'no daemon or command of Slurm works with this SelectType'
found "no task plugin" case_missing task_topobind \
	'slurmd does not start with task/topobind'
found "no SPANK plugin" case_missing spank_topobind \
	'sbatch, srun and salloc have no options for bindings'
found "no select/cons_tres" case_no_cons_tres
found "a select plugin of another version" case_other_version select_topobind
found "a task plugin of another version" case_other_version task_topobind
found "a SPANK plugin of another version" case_spank_version
if slurm_is_from 25.11; then
	found "no metrics plugin" case_no_metrics_plugin
fi
found "half a plugin" case_no_plugin task_topobind 3000
found "an empty plugin" case_no_plugin spank_topobind 30
found "both names of the select plugin" case_both_names
found "another Slurm than slurmctld's" case_other_slurm
found "plugstack.conf" case_plugstack
found "cgroup.conf" case_cgroup
found "a topobind.conf that is wrong" case_topobind_conf_wrong
found "a wrong key in topobind.conf" case_wrong_key
found "a topobind.conf that is no file" case_no_file
found "filters" case_filters
found "a directory for metrics" case_metrics_file
found "names in topobind.conf" case_topobind_conf_names
found "numbers in topobind.conf" case_numbers
found "numbers that are not the machine's" case_published_numbers
found "threads of threads" case_threads
found "caches as sockets" case_caches_as_sockets
if slurm_is_from 25.11; then
	found "caches of one node as sockets" case_caches_of_one_node
fi
found "a filter" case_filter
found "a topobind.conf that slurmctld has not read" case_not_reconfigured
found "what a node publishes" case_published
found "a node without the plugin" case_without_plugin
found "nodes of one line" case_one_line
found "without slurmctld" case_files_only
cluster_stop
cluster_start --nodes this,zen,quadrant --slurm GresTypes=gpu \
	--node "zen Gres=gpu:2" --gres "zen Name=gpu File=/dev/null Cores=0-23" \
	--gres "zen Name=gpu File=/dev/zero Cores=24-47"
test_case "Cores= of gres.conf that are units" case_gres_fits
test_case "Cores= of gres.conf that are parts of units" case_gres_parts
test_case "Cores= of gres.conf that a node does not have" case_gres_outside
tests_done
