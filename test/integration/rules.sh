#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rules - what a site can do with all jobs: the examples of job_submit.lua and
# cli_filter.lua, in force
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

examples=$top/contribs/examples

# Slurm reads both at the start of whoever needs them, beside its slurm.conf.
start_with_rules() {
	local dir

	for dir in "$cluster/etc" "$cluster/etc/virtual"; do
		cp "$examples/job_submit.lua" "$examples/cli_filter.lua" "$dir"
		printf '%s\n' JobSubmitPlugins=lua CliFilterPlugins=lua \
			>>"$dir/slurm.conf"
	done
	# With later Slurms slurmds get what slurmctld has at its start.
	daemon slurmctld stop
	daemon slurmctld start
	wait_until 60 nodes_answer
}

# --- cli_filter.lua ---------------------------------------------------------------

case_client_binds() {
	local job

	job=$(batch -p tight -n2)
	wait_until 30 runs "$job"
	assert_eq binding bunit=X,bamount=1 "$(binding "$job")"
	assert_granted "$job" "$NODE_ZEN" 0-11
	# Six CPUs are a cache, seven two.
	job=$(alloc -p tight -c6)
	assert_granted "$job" "$NODE_ZEN" 12-17
	job=$(alloc -p tight -c7)
	assert_eq binding bunit=X,bamount=2 "$(binding "$job")"
	assert_granted "$job" "$NODE_ZEN" 18-29
}

case_client_by_script() {
	printf '%s\n' '#!/bin/bash' '#SBATCH -p tight -o /dev/null' \
		'sleep 600' >"$work/job.sh"
	wait_until 30 runs "$(sbatch --parsable "$work/job.sh")"
	assert_eq "units in use" 0-5 "$(inuse "$NODE_ZEN")"
}

case_client_srun() {
	within 60 srun -Q -p tight -n2 sleep 600 &
	wait_until 30 something_in_use "$NODE_ZEN"
	assert_eq "units in use" 0-11 "$(inuse "$NODE_ZEN")"
	cancel_all
	wait || true
}

# Who has asked has what they asked for, by an option or by TOPOBIND.
case_client_lets_ask() {
	local job

	job=$(alloc -p tight --bunit=S --bamount=1)
	assert_granted "$job" "$NODE_ZEN" 0-47
	job=$(TOPOBIND=bunit=C,bamount=3 alloc -p tight)
	assert_granted "$job" "$NODE_ZEN" 48-53
	job=$(alloc -p tight --bamount=0)
	assert_eq binding "" "$(binding "$job")"
	job=$(alloc)
	assert_eq "binding in another partition" "" "$(binding "$job")"
}

case_client_refuses() {
	exits 1 "the partition tight has whole cores only: use --bunit=C" \
		sbatch -p tight --bunit=T --wrap true
	exits 1 "the partition tight has whole cores only: use --bunit=C" \
		salloc --no-shell -p tight --bunit=thread --bamount=2
	assert no_jobs
	assert alloc --bunit=T --bamount=1
}

# What the script put into the environment of a job is not for another partition.
case_client_inside() {
	local inner

	cat >"$work/outer.sh" <<-'OUTER'
		#!/bin/bash
		srun -n1 true && sbatch --parsable -o /dev/null -p main \
			--wrap 'sleep 600' >"$1/inner.new"
		mv "$1/inner.new" "$1/inner"
		sleep 600
	OUTER
	rm -f "$work/inner"
	sbatch -p tight -o "$work/outer" "$work/outer.sh" "$work"
	wait_until 60 test -e "$work/inner"
	inner=$(cat "$work/inner")
	wait_until 30 runs "$inner"
	assert_eq "binding of the inner job" "" "$(binding "$inner")"
}

# --- job_submit.lua ---------------------------------------------------------------

case_controller_binds() {
	local job

	job=$(alloc -p day -n2)
	assert_eq partition bound "$(job_field "$job" Partition)"
	assert_eq binding implicit,bunit=X,btype=host "$(binding "$job")"
	assert_granted "$job" "$NODE_ZEN" 0-11
	job=$(alloc -p day -n2 --bunit=C --bamount=1)
	assert_eq partition day "$(job_field "$job" Partition)"
	assert_granted "$job" "$NODE_ZEN" 12-15
}

# make_default FORMER PARTITION
make_default() {
	scontrol update PartitionName="$1" Default=NO
	scontrol update PartitionName="$2" Default=YES
}

# Without -p it is Slurm that names the partition, after the script.
case_controller_default() {
	local job

	make_default main day
	trap 'make_default day main' EXIT
	job=$(alloc -n1)
	assert_eq partition bound "$(job_field "$job" Partition)"
	assert_granted "$job" "$NODE_ZEN" 0-5
}

no_sockets="the partition shared has no whole sockets: use --bunit=X, or another partition"

case_controller_refuses() {
	exits 1 "$no_sockets" sbatch -p shared --bunit=S --wrap true
	exits 1 "$no_sockets" sbatch -p shared --bunit=socket --wrap true
	exits 1 "$no_sockets" salloc --no-shell -p shared --bunit=S
	exits 1 "the partition shared has no whole NUMA nodes" \
		sbatch -p shared --topobind=bunit=N,bamount=1 --wrap true
	assert no_jobs
	assert alloc -p shared --bunit=C --bamount=2
	assert alloc -p main --bunit=S --bamount=1
}

# What comes from a client without topobind's plugin.
case_controller_sees_rest() {
	make_default main shared
	trap 'make_default shared main' EXIT
	refute "$work/hostile" "$NODE_ZEN" \
		_SLURM_SPANK_OPTION_topobind_bamount=1 \
		_SLURM_SPANK_OPTION_topobind_bunit=Socket
	refute "$work/hostile" "$NODE_ZEN" \
		_SLURM_SPANK_OPTION_topobind_topobind=bunit=numa,bamount=1
	refute "$work/hostile" "$NODE_ZEN" \
		TOPOBIND_REQUEST=bunit=S,bamount=1
	assert no_jobs
	assert "$work/hostile" "$NODE_ZEN" \
		_SLURM_SPANK_OPTION_topobind_bamount=1 \
		_SLURM_SPANK_OPTION_topobind_bunit=l3
}

case_controller_limits() {
	assert_eq "limit" 01:00:00 "$(job_field \
		"$(alloc -p shared --bunit=X)" TimeLimit)"
	assert_eq "limit" 00:05:00 "$(job_field \
		"$(alloc -p shared -t 5 --bunit=X)" TimeLimit)"
	assert_eq "limit of others" 00:10:00 "$(job_field \
		"$(alloc -p shared --bcpus=40,46)" TimeLimit)"
}

partition() {
	echo "PartitionName=$1 Nodes=$NODE_ZEN DefaultTime=10 MaxTime=INFINITE"
}

cluster_start --nodes this,zen
compile_client hostile
for name in tight day bound shared; do
	for dir in etc etc/virtual; do
		partition "$name" >>"$cluster/$dir/slurm.conf"
	done
done
echo "PartitionName=bound Implicit=yes DefaultUnit=X" \
	>>"$cluster/etc/topobind.conf"
start_with_rules
test_case "cli_filter.lua: a job of the partition is bound" case_client_binds
test_case "cli_filter.lua: by #SBATCH lines" case_client_by_script
test_case "cli_filter.lua: srun" case_client_srun
test_case "cli_filter.lua: what users ask for counts" case_client_lets_ask
test_case "cli_filter.lua: refuses" case_client_refuses
test_case "cli_filter.lua: steps and jobs in jobs" case_client_inside
test_case "job_submit.lua: jobs go where the site binds them" case_controller_binds
test_case "job_submit.lua: the default partition" case_controller_default
test_case "job_submit.lua: refuses" case_controller_refuses
test_case "job_submit.lua: options as REST sends them" case_controller_sees_rest
test_case "job_submit.lua: changes" case_controller_limits
tests_done
