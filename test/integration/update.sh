#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# update - topobind update gives a job that waits another binding: whoever may change
# the job, checked as at its submission, and never one that runs
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# comment JOB - the lines of its Comment, with "/" between them
comment() {
	scontrol show job "$1" | awk '
	sub(/^ +Comment=/, "") { inside = 1; line = $0; next }
	inside && /^ +[A-Za-z]+=/ { inside = 0 }
	inside { line = line "/" $0 }
	END { sub(/[ \/]*$/, "", line); print line }'
}

case_changes_a_held_job() {
	local job

	job=$(batch -H -w "$NODE_ZEN" --bunit=C --bamount=2 --comment="mine")
	exits 0 "job $job: bunit=X,bamount=2" topobind update "$job" --bunit=X
	assert_eq "binding" bunit=X,bamount=2 "$(binding "$job")"
	exits 0 "job $job: bunit=X,bamount=1,btype=host" \
		topobind update --topobind=bamount=1,btype=host "$job"
	exits 0 "job $job: bunit=X,bamount=1" \
		topobind update "$job" --btype=slot
	assert_eq "binding" bunit=X,bamount=1 "$(binding "$job")"
	assert_eq "Comment" mine "$(comment "$job")"
	daemon slurmctld stop
	daemon slurmctld start
	assert_eq "binding after a restart" bunit=X,bamount=1 "$(binding "$job")"
	scontrol release "$job"
	wait_until 30 runs "$job"
	assert_granted "$job" "$NODE_ZEN" "$(granted "$job")"
	assert_eq "threads of a cache" 6 "$(granted "$job" | tr -d '\n' |
		awk -F- '{ print $2 - $1 + 1 }')"
	assert_no_contradictions
}

# What the task has is what was asked for last.
case_task_is_bound_by_it() {
	local job

	rm -f "$work/cpus"
	job=$(sbatch --parsable -H -o /dev/null -w "$NODE_THIS" --bunit=C \
		--bamount=2 --wrap "grep Cpus_allowed_list /proc/self/status >$work/cpus.new
			mv $work/cpus.new $work/cpus; exec sleep 600")
	exits 0 "job $job: bamount=1" topobind update "$job" --bamount=1
	scontrol release "$job"
	wait_until 60 test -e "$work/cpus"
	assert_eq "CPUs of the task" "$(expand_list "$(cat \
		/sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" |
		wc -l)" "$(expand_list "$(sed 's/.*:[[:space:]]*//' \
			"$work/cpus")" | wc -l)"
}

# One that waits for units, and is asked for fewer.
case_changes_a_waiting_job() {
	local taken job

	taken=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=1)
	job=$(batch -w "$NODE_ZEN" --bunit=S --bamount=2)
	wait_until 20 was_passed_over "$job"
	exits 0 "job $job: bunit=S,bamount=1" topobind update "$job" --bamount=1
	wait_until 60 runs "$job"
	assert_no_contradictions
	exits 2 "it does not wait" topobind update "$job" --bamount=2
	assert_eq "binding" bunit=S,bamount=1 "$(binding "$job")"
	# Who asks all the same, without the command, is refused.
	scontrol update job="$job" Comment="topobind update bamount=2"
	wait_until 20 is_refused "$job"
	assert_eq "binding" bunit=S,bamount=1 "$(binding "$job")"
	assert runs "$taken"
}

is_refused() {
	[[ $(comment "$1") = "topobind refused the job has started"* ]]
}

# The same sentence as for sbatch and topobind plan, and the job stays as it was.
case_more_than_there_is() {
	local job most="($NODE_ZEN has most: 48)"

	job=$(submit --bunit=C --bamount=2)
	refused "job $job: no required node has 99 C units $most" "$job" \
		--bamount=99
	refused "job $job: no required node has 3 S units ($NODE_ZEN has most: 2), and no required node has 49 C units $most" \
		"$job" --bunit='S:3|C:49'
	exits 0 "job $job: bunit=S:3|C:48" topobind update "$job" \
		--bunit='S:3|C:48'
	job=$(batch -H -w "$NODE_ZEN")
	refused "job $job: no required node has 99 X units" "$job" --bunit=X \
		--bamount=99
	job=$(batch -H -w "$NODE_ZEN" --array=1-3 --bunit=C --bamount=1)
	wait_until 20 has_binding "${job}_2"
	refused "job ${job}_2: no required node has 99 C units $most" \
		"${job}_2" --bamount=99
}

# A node has enough for a part of it, all of them do not; then Slurm would hold the job.
case_more_than_nodes_have_together() {
	local job never="the nodes that it may use never hold all of it"

	job=$(batch -H -N1 -n2 -w "$NODE_ZEN" --bunit=C --bamount=1)
	wait_until 20 has_binding "$job"
	refused "job $job: $never: 2 tasks, on 1 node or more" "$job" --bamount=25
	exits 0 "job $job: bamount=24" topobind update "$job" --bamount=24
	# Nodes that are out of service now come back.
	scontrol update NodeName="$NODE_ZEN" State=DRAIN Reason=test
	refused "job $job: $never" "$job" --bamount=25
	exits 0 "job $job: bunit=X,bamount=8" topobind update "$job" --bunit=X \
		--bamount=8
	scontrol update NodeName="$NODE_ZEN" State=RESUME
	scontrol release "$job"
	wait_until 60 runs "$job"
}

# Who asks without the command: it waits, and says why, until it is asked for less.
case_asked_for_more_elsewhere() {
	local job

	job=$(submit --bunit=C --bamount=2)
	scontrol update job="$job" Comment="topobind update bamount=99"
	wait_until 20 test_binding "$job" bamount=99
	scontrol release "$job"
	wait_until 30 waits_for "$job" "no required node has 99 free C units"
	exits 0 "job $job: bamount=3" topobind update "$job" --bamount=3
	# Slurm has set its priority to 0.
	scontrol release "$job"
	wait_until 60 runs "$job"
}

test_binding() {
	[ "$(binding "$1")" = "$2" ]
}

case_takes_a_binding_away() {
	local job

	job=$(batch -H -w "$NODE_ZEN" --bunit=C --bamount=2)
	exits 0 "job $job: no binding" topobind update "$job" --bamount=0
	assert_eq "binding" "" "$(binding "$job")"
	exits 0 "job $job: bamount=3" topobind update "$job" --bamount=3
	cancel "$job"
	job=$(batch -H -w "$NODE_ZEN")
	exits 0 "job $job: bunit=X,bamount=1" topobind update "$job" --bunit=X
	scontrol release "$job"
	wait_until 30 runs "$job"
	assert_eq "binding" bunit=X,bamount=1 "$(binding "$job")"
}

# submit OPTION... - held, and its request is shown
submit() {
	local job

	job=$(batch -H -w "$NODE_ZEN" "$@")
	wait_until 20 has_binding "$job"
	echo "$job"
}

has_binding() {
	[ -n "$(binding "$1")" ]
}

# refused WANTED JOB OPTION... - and nothing has changed
refused() {
	local wanted=$1 job=$2 before

	shift 2
	before=$(binding "$job"):$(comment "$job")
	exits 2 "$wanted" topobind update "$job" "$@"
	assert_eq "job $job" "$before" "$(binding "$job"):$(comment "$job")"
}

case_is_checked_as_at_submission() {
	local job

	job=$(submit --bunit=C --bamount=2 --comment=mine)
	assert_eq "Comment" mine "$(comment "$job")"
	refused "bunit=Q" "$job" --bunit=Q
	refused "no option was given" "$job"
	refused "bspread=S does not go with btype=host" "$job" --bspread=S \
		--btype=host
	refused "bstop=C ends the window" "$job" --bstop=C
	refused "room for 1023 characters" "$job" \
		--bprefer="$(printf 'x%.0s' {1..1010})"
	exits 2 "Slurm knows no such job" topobind update 999999 --bamount=1
	cancel "$job"
	job=$(batch -H -w "$NODE_ZEN" --ntasks-per-socket=1)
	refused "--ntasks-per-socket" "$job" --bunit=C --bamount=1
	# A name that is not known comes from elsewhere only.
	scontrol update job="$job" Comment="topobind update nonsense=1"
	wait_until 20 test_refused_nonsense "$job"
	assert_eq "binding" "" "$(binding "$job")"
}

test_refused_nonsense() {
	[[ $(comment "$1") = "topobind refused "*nonsense* ]]
}

case_alternatives() {
	local job

	job=$(batch -H -w "$NODE_ZEN" --bunit='X:1|N:1')
	exits 0 "job $job: bunit=S:1|X:2" topobind update "$job" \
		--bunit='S:1|X:2'
	exits 0 "job $job: bamount=2" topobind update "$job" --bunit=C --bamount=2
	scontrol release "$job"
	wait_until 30 runs "$job"
	assert_eq "binding" bamount=2 "$(binding "$job")"
}

records() {
	scontrol show job "$1" | grep -c '^ *JobId='
}

case_arrays() {
	local job before

	job=$(batch -H -w "$NODE_ZEN" --array=1-6%2 --bunit=C --bamount=1)
	exits 0 "job ${job}_3: bamount=2" topobind update "${job}_3" --bamount=2
	assert_eq "records" 2 "$(records "$job")"
	exits 0 "bamount=4" topobind update "$job" --bamount=4
	assert_eq "bindings" "bamount=4 bamount=4" \
		"$(binding "$job" | xargs)"
	assert_eq "records" 2 "$(records "$job")"
	scontrol release "$job"
	wait_until 60 runs "${job}_1"
	before=$(binding "${job}_1")
	exits 0 "bamount=5" topobind update "$job" --bamount=5
	assert_eq "one that runs" "$before" "$(binding "${job}_1")"
	assert_eq "one that waits" bamount=5 "$(binding "${job}_6")"
	assert_eq "Comment" "" "$(comment "${job}_1")"
	assert_no_contradictions
}

case_which_jobs_cannot() {
	local taken job

	taken=$(alloc -w "$NODE_ZEN" --bunit=S --bamount=2)
	salloc --no-shell -w "$NODE_ZEN" --bunit=S --bamount=1 \
		>"$work/salloc" 2>&1 &
	wait_until 20 grep -q "Pending job allocation" "$work/salloc"
	job=$(grep -o '[0-9]*' "$work/salloc" | sed -n 1p)
	refused "srun and salloc know the binding already" "$job" --bamount=2
	scancel "$job"
	wait || true
	job=$(sbatch --parsable -H -o /dev/null -w "$NODE_ZEN" --bunit=C \
		--bamount=1 : -w "$NODE_THIS" --bunit=C --bamount=2 --wrap true)
	exits 2 "heterogeneous" topobind update "$job" --bamount=2
	assert_eq "bindings" "bamount=1 bamount=2" \
		"$(binding "$job" | xargs)"
	assert runs "$taken"
}

# Others cannot; nobody is a user here as any other.
case_only_ones_own() {
	local job own

	job=$(submit --bunit=C --bamount=1)
	chmod -R a+rX "$cluster/etc"
	exits 2 "Slurm does not let you change it" setpriv --reuid=nobody \
		--clear-groups topobind update "$job" --bamount=2
	assert_eq "binding" bamount=1 "$(binding "$job")"
	own=$(setpriv --reuid=nobody --clear-groups sbatch -D / --parsable -H \
		-o /dev/null -w "$NODE_ZEN" --bunit=C --bamount=1 --wrap true)
	exits 0 "job $own: bamount=2" setpriv --reuid=nobody --clear-groups \
		topobind update "$own" --bamount=2
	exits 0 "job $own: bamount=3" topobind update "$own" --bamount=3
}

cluster_start --nodes this,zen
test_case "a held job gets another binding, which survives" case_changes_a_held_job
test_case "its task is bound by the new one" case_task_is_bound_by_it
test_case "a job that waits for units, and one that runs" case_changes_a_waiting_job
test_case "more units than there are" case_more_than_there_is
test_case "more units than all nodes have together" case_more_than_nodes_have_together
test_case "more units than there are, without the command" case_asked_for_more_elsewhere
test_case "a binding is taken away, or given" case_takes_a_binding_away
test_case "what sbatch refuses is refused" case_is_checked_as_at_submission
test_case "alternatives" case_alternatives
test_case "arrays: those that wait" case_arrays
test_case "jobs that cannot be changed" case_which_jobs_cannot
test_case "only one's own, and root all" case_only_ones_own
tests_done
