# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# questions.bash - sourced by rounds.bash: what is asked of one cluster, and what it answers

# These run for one cluster.  words - the options of a request as it has them
words_of() {
	read -r -a words <<<"$(sed -E "s/\{([a-z]+)\}/\1$number/g" <<<"$*")"
}

# ask_when OPTION... - into told: now, later N (after as many ends) or never;
# into said: how Slurm puts it
ask_when() {
	local text start status=0 words

	words_of "$*"
	text=$(within 60 sbatch --test-only "${words[@]}" --wrap true 2>&1) ||
		status=$?
	said=$(sed -E 's/Job [0-9]+ to start at [^ ]*/starts/
		/Preempts:/s/[0-9]+/N/g' <<<"$text" |
		unnumbered)
	if [[ $text =~ \ to\ start\ at\ ([^ ]*)\  ]]; then
		start=$(($(date -d "${BASH_REMATCH[1]}" +%s) - EPOCHSECONDS))
		told=now
		[ "$start" -lt $((minutes_between_ends * 30)) ] ||
			told="later $(((start / 60 + minutes_between_ends / 2) /
				minutes_between_ends))"
	elif [ "$status" -ge 124 ]; then
		told=silence
	else
		told=never
	fi
}

# Whose job the next one is: a command before its own, or none.
owner=()

# start_now OPTION... - into got: started, busy, never or silence; into id: the job
start_now() {
	local text status=0 words at_once=()

	words_of "$*"
	read -r -a at_once < <(at_once "$*")
	id=''
	text=$(within 90 "${owner[@]}" salloc "${at_once[@]}" --no-shell "${words[@]}" 2>&1) ||
		status=$?
	if [[ $text =~ Granted\ job\ allocation\ ([0-9]+) ]]; then
		got=started
		id=${BASH_REMATCH[1]}
	elif [[ $text = *"nodes are busy"* || $text = *"resources busy"* ||
		$text = *"start immediately"* || $text = *"timed out"* ]]; then
		got=busy
	elif [ "$status" -ge 124 ]; then
		got=silence
	else
		got=never
	fi
	reply=$(grep -v -E '^salloc: (Pending|Nodes|Granted|Relinq|job [0-9]+ )' <<<"$text" |
		unnumbered || true)
}

# What a job has, node by node.
has() {
	scontrol -d show job "$1" | sed -n -E 's/^ *(Nodes=[^ ]* CPU_IDs=.*)/\1/p' |
		unnumbered
}

# give_back JOB... - all is as before it
give_back() {
	end_jobs "$@"
	restore_world
}

end_jobs() {
	scancel "$@"
	wait_until 60 nothing_completes
}

nothing_completes() {
	local ids

	ids=$(squeue -h -t CG -o %i) && [ -z "$ids" ] && no_node_is comp
}
