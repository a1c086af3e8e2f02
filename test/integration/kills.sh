#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kills - daemons are killed again and again while bound, soft-bound and plain jobs
# start and end: nobody leaves his CPUs, nothing is left, no node is drained for
# anything of ours, and slurmctld answers
#
# TOPOBIND_KILLS - how many of each; a thousand take an hour.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

kills=${TOPOBIND_KILLS:-4}

# --- the load -----------------------------------------------------------------

# loaded KIND SCRIPT OPTION... - two jobs, whose processes have their kind in the
# environment
loaded() {
	local i

	for i in 1 2; do
		sbatch -Q -o /dev/null -D / -w "$NODE_THIS" -n1 --no-requeue \
			--export="ALL,TEST_KIND=$1" "${@:3}" --wrap "$2" || true
	done
}

feed() {
	[ "$(squeue -h -t PD -o %i | wc -l)" -lt 6 ] || return 0
	loaded bound 'sleep 0.4' --bunit=C --bamount=1
	loaded bound 'srun -Q -n1 sleep 1' --bunit=C --bamount=1
	loaded soft 'sleep 1' --bunit=C --bamount=1 --bmode=soft
	loaded plain 'srun -Q -n1 sleep 0.5'
}

# One that is there all the time.
start_witness() {
	witness=$(victim --no-requeue --export=ALL,TEST_KIND=bound)
	wait_until 20 test -s "$work/pid"
	# A slurmctld that is killed forgets the last seconds.
	save_state "$witness"
}

# --- who is where ---------------------------------------------------------------

# A line for each process of a job: KIND JOB PID CPU...
places() {
	local pid kind job cpus

	for pid in $(job_processes); do
		{
			kind=$(tr '\0' '\n' <"/proc/$pid/environ")
			cpus=$(allowed_cpus "$pid")
		} 2>/dev/null || continue
		job=$(sed -n 's/^SLURM_JOB_ID=//p' <<<"$kind")
		kind=$(sed -n 's/^TEST_KIND=//p' <<<"$kind")
		# Others are prologs, or have just ended.
		[ -z "$kind" ] || [ -z "$cpus" ] ||
			echo "$kind $job $pid" "$(expand_list "$cpus" | xargs)"
	done
}

# Pairs of processes of two jobs, one of them bound, with a CPU in common; and bound
# ones with more than a core.
trespasses() {
	places | awk -v core="$core_size" '
	$1 == "bound" && NF - 3 != core { print $3, $3 }
	{ for (i = 4; i <= NF; i++) there[$i] = there[$i] " " $1 ":" $2 ":" $3 }
	END {
		for (cpu in there) {
			count = split(there[cpu], all, " ")
			for (i = 1; i <= count; i++) for (j = 1; j < i; j++) {
				split(all[i], a, ":"); split(all[j], b, ":")
				if (a[2] != b[2] && (a[1] == "bound" || b[1] == "bound"))
					print a[3], b[3]
			}
		}
	}' | sort -u
}

# Processes are looked at one after the other: what is so is so again.
assert_nobody_trespasses() {
	local first again

	first=$(trespasses)
	[ -n "$first" ] || return 0
	again=$(comm -12 <(echo "$first") <(trespasses))
	[ -z "$again" ] || fail "these trespass: $again; $(places)"
}

slowest=0

# It may be slow once on a busy machine, but not for long.
assert_answers() {
	local start=${EPOCHREALTIME/./} took

	wait_until 10 timeout $((slowness * 1)) squeue -h -o %i >/dev/null
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	[ "$took" -le "$slowest" ] || slowest=$took
}

# Slurm has reasons of its own to drain it when its daemons are killed.
assert_not_drained_by_us() {
	local reason

	[[ $(node_state) = drain* ]] || return 0
	reason=$(node_reason)
	case ${reason,,} in
	*topobind* | *cpuset* | *spool*) fail "drained: $reason" ;;
	esac
	echo "Slurm drained the node: $reason"
	scontrol update node="$NODE_THIS" state=resume || true
}

assert_all_is_well() {
	assert_answers
	assert_nobody_trespasses
	held_alone "$(cat "$work/pid")"
	assert_not_drained_by_us
}

# What is ours of the node, and its cgroups.  Slurm leaves sockets of slurmstepds
# that were killed, and their topologies.
ours() {
	files_and_cgroups | grep -E "/topobind_|^/sys/"
}

nothing_of_ours_is_new() {
	[ -z "$(comm -13 <(echo "$before") <(ours))" ]
}

# --- the kills ------------------------------------------------------------------

# JOB PID of each slurmstepd of this node, but for that of the witness.
stepds() {
	local pid

	for pid in $(pgrep -x slurmstepd); do
		sed -n -E "s,.*/(slurm_$NODE_THIS|${NODE_THIS}_slurmstepd.scope)/(.*/)?job_([0-9]+)/step_[^/]*(/slurm)?$,\3 $pid,p" \
			"/proc/$pid/cgroup" 2>/dev/null
	done | sort -u | grep -v "^$witness "
}

some_stepd_is_there() {
	[ -n "$(stepds)" ]
}

# Its job runs on for Slurm, until somebody ends it.
kill_some_stepd() {
	local job pid

	feed
	wait_until 30 some_stepd_is_there
	read -r job pid < <(stepds | shuf -n 1) || return 0
	kill -KILL "$pid" 2>/dev/null || return 0
	killed=$((killed + 1))
	scancel "$job" || true
}

kill_slurmd() {
	daemon "slurmd-$NODE_THIS" kill
	daemon "slurmd-$NODE_THIS" start
	killed=$((killed + 1))
}

kill_slurmctld() {
	daemon slurmctld kill
	daemon slurmctld start
	killed=$((killed + 1))
}

# case_killed COMMAND - so many times
case_killed() {
	local killed=0 rounds=0 witness before

	# With what the first job leaves for the others.
	assert_works
	assert_nothing_is_left
	before=$(ours)
	start_witness
	while [ "$killed" -lt "$kills" ]; do
		rounds=$((rounds + 1))
		[ "$rounds" -lt $((kills * 5)) ] || fail "only $killed were killed"
		feed
		# Any moment of a job's life.
		sleep "0.$((RANDOM % 5))"
		"$1"
		assert_all_is_well
	done
	echo "$killed kills; the slowest answer took $slowest ms" | tee -a "$work/log" >&2
	assert runs "$witness"
	mapfile -t jobs < <(squeue -h -o %F | sort -u)
	scancel "${jobs[@]}"
	wait_until 400 no_jobs
	assert_nothing_is_left
	# Such a step forgets claims of slurmstepds that were killed.
	assert srun -Q -w "$NODE_THIS" -n1 --bunit=C --bamount=1 --bmode=soft true
	(wait_until 20 nothing_of_ours_is_new) ||
		fail "left over: $(comm -13 <(echo "$before") <(ours))"
	resume_node
	assert_works
}

core_size=$(expand_list "$(cat \
	/sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" | wc -l)
cluster_start --nodes this

test_case "slurmstepds are killed" case_killed kill_some_stepd
test_case "slurmd is killed" case_killed kill_slurmd
test_case "slurmctld is killed" case_killed kill_slurmctld
tests_done
