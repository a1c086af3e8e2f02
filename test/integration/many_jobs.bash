# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# many_jobs.bash - sourced after lib.sh: many short jobs on this machine, and what daemons
# have of them afterwards

# process_size PID - its own memory in kB, its open files, its threads
process_size() {
	echo "$(sed -n 's/^Private_Dirty: *\([0-9]*\) kB/\1/p' \
		"/proc/$1/smaps_rollup") $(find "/proc/$1/fd" -mindepth 1 |
		wc -l) $(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)"
}

# array COUNT SCRIPT OPTION... - so many jobs
array() {
	sbatch -Q -o /dev/null -w "$NODE_THIS" -n1 --array="1-$1" "${@:3}" \
		--wrap "$2"
}

# some_jobs COUNT - most of them bound, some soft, some plain, some with a step
some_jobs() {
	array $(($1 * 5 / 10)) true --bunit=C --bamount=1
	array $(($1 * 2 / 10)) 'srun -Q -n1 true' --bunit=C --bamount=1
	array $(($1 * 2 / 10)) true --bunit=C --bamount=1 --bmode=soft
	array $(($1 / 10)) true
	wait_until 900 no_jobs
}
