#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# mpi - what topobind_mpi(7) says of srun and mpirun, with programs of Open MPI and MPICH
#
# Where a rank may run is read from /proc by the rank itself, when MPI has begun.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# Of mpirun, which does not want root.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

# What Slurm's plugins speak with each.
declare -A speaks=([openmpi]=pmix [mpich]=pmi2)
# How mpirun is told to give each rank a core.
declare -A by_core=([openmpi]="--map-by slot:PE=1 --bind-to core"
	[mpich]="-bind-to core:1")

compile() {
	"mpicc.$1" -Wall -Wextra -o "$work/ranks.$1" "$test_dir/mpi.c"
	chmod 755 "$work/ranks.$1"
}

# started srun|mpirun MPI OPTION... - "RANK/SIZE CPUS" of a job with these options
started() {
	local how=$1 mpi=$2

	shift 2
	if [ "$how" = srun ]; then
		within 60 srun -Q -w "$NODE_THIS" "$@" \
			--mpi="${speaks[$mpi]}" "$work/ranks.$mpi"
	else
		# shellcheck disable=SC2086 # options
		within 60 salloc -Q -w "$NODE_THIS" "$@" \
			"mpirun.$mpi" $mpirun_options "$work/ranks.$mpi"
	fi </dev/null 2>"$work/stderr" | grep '^[0-9]*/[0-9]* ' | sort -n
}

# batch_started MPI OPTION... - mpirun in a script
batch_started() {
	local mpi=$1

	shift
	sbatch -Q -W -w "$NODE_THIS" -o "$work/out" "$@" --wrap \
		"mpirun.$mpi $mpirun_options $work/ranks.$mpi"
	grep '^[0-9]*/[0-9]* ' "$work/out" | sort -n
}

# The CPUs of tasks, by topobind, as ranks would say them.
slots() {
	# shellcheck disable=SC2016 # the task's
	srun -Q -w "$NODE_THIS" "$@" sh -c \
		'echo "$SLURM_PROCID/$SLURM_NTASKS $TOPOBIND_CPUS"' | sort -n
}

# ranks_are WANTED SEEN
ranks_are() {
	[ -n "$1" ] || fail "no slots"
	[ "$1" = "$2" ] || cat "$work/stderr"
	assert_eq "ranks with their CPUs" "$1" "$2"
}

one_core=(-n2 --bunit=C --bamount=1)

# srun starts each rank on its slot.
case_srun() {
	mpirun_options=''
	ranks_are "$(slots "${one_core[@]}")" \
		"$(started srun "$1" "${one_core[@]}")"
	assert_eq "places" 2 "$(slots "${one_core[@]}" |
		cut -d ' ' -f 2 | sort -u | wc -l)"
}

# mpirun starts one task on each node, which has one slot, and all ranks are in it.
case_mpirun_in_slots() {
	local wanted

	mpirun_options='' wanted=$(slots "${one_core[@]}" | sed 's,.* ,,; 2d')
	[ "$1" = mpich ] || mpirun_options="--bind-to none"
	ranks_are "0/2 $wanted
1/2 $wanted" "$(started mpirun "$1" "${one_core[@]}")"
	ranks_are "0/2 $wanted
1/2 $wanted" "$(batch_started "$1" "${one_core[@]}")"
}

# --binstance=pe: mpirun has all slots, and gives each rank its own.
case_mpirun_binds() {
	local wanted

	wanted=$(slots "${one_core[@]}")
	mpirun_options=${by_core[$1]}
	ranks_are "$wanted" \
		"$(started mpirun "$1" "${one_core[@]}" --binstance=pe)"
	ranks_are "$wanted" \
		"$(batch_started "$1" "${one_core[@]}" --binstance=pe)"
}

# --btype=host: the ranks of a node share its units, and mpirun may bind them there.
case_mpirun_shares() {
	local units=(-n2 --btype=host --bunit=C --bamount=2) shared

	mpirun_options=''
	[ "$1" = mpich ] || mpirun_options="--bind-to none"
	shared=$(slots "${units[@]}")
	ranks_are "$shared" "$(started mpirun "$1" "${units[@]}")"
	ranks_are "$shared" "$(started srun "$1" "${units[@]}")"
	mpirun_options=${by_core[$1]}
	ranks_are "$(slots "${one_core[@]}")" \
		"$(started mpirun "$1" "${units[@]}")"
}

cluster_start --nodes this
chmod 755 "$cluster" "$work"
for mpi in openmpi mpich; do
	compile "$mpi"
	test_case "$mpi: srun starts each rank on its slot" case_srun "$mpi"
	test_case "$mpi: mpirun in a job of slots uses the first one only" \
		case_mpirun_in_slots "$mpi"
	test_case "$mpi: mpirun binds the ranks with --binstance=pe" \
		case_mpirun_binds "$mpi"
	test_case "$mpi: ranks share the units of --btype=host" \
		case_mpirun_shares "$mpi"
done
tests_done
