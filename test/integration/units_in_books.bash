# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# units_in_books.bash - whole units of jobs in Slurm's books, and what the grants say of
# them.  Sourced after lib.sh.

# --- what Slurm's books say ---------------------------------------------------

# units_in TRES - "l2=2 l3=1", sorted, of cpu=4,gres/l2=2,gres/l3=1; nothing of other TRES
units_in() {
	tr ',' '\n' <<<"$1" | sed -n 's/^gres\///p' | sort | xargs
}

# units_of JOB - that runs
units_of() {
	units_in "$(job_tres "$1")"
}

# assert_units JOB WANTED
assert_units() {
	assert_eq "units of $1" "$2" "$(units_of "$1")"
}

# requested JOB - the units that it asks for; of a job that waits Slurm 22.05 shows them
# where it shows later what it has
requested() {
	if slurm_is_from 23.02; then
		units_in "$(job_field "$1" ReqTRES)"
	else
		is_pending "$1" || fail "$1 does not wait"
		units_in "$(job_field "$1" TRES)"
	fi
}

# assert_requested JOB WANTED
assert_requested() {
	assert_eq "units that $1 asks for" "$2" "$(requested "$1")"
}

# node_units - "a3 l2=2 l3=1" for each node with any, as its jobs have them.  Slurm looks
# anew when it is asked for all nodes.
node_units() {
	scontrol -o show node | sed -n -E \
		's/^NodeName=([^ ]*) .* AllocTRES=([^ ]*) .*/\1 \2/p' |
		while read -r name tres; do
			echo "$name $(units_in "$tres")"
		done | sed '/ ./!d' | sort
}

# running_grants - a line for each start of a job that runs: "JobId=7
# StartTime=2026-11-28T21:00:00 grant=a3:NSxyccyccXYCCYCC", a word for each kind of node
running_grants() {
	scontrol -o show job | grep 'JobState=RUNNING ' | awk '
	{
		line = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ /^(JobId|StartTime|grant)=/)
				line = line (line ? " " : "") $i
		print line
	}'
}

# grants_as_units - from such lines the same as node_units, by the letters of what was
# granted: a letter in lower case is a whole unit.
grants_as_units() {
	tr ' ' '\n' | sed -n 's/^grant=//p' | letters_as_units
}

# From lines such as "a3,b3:NSxyccyccXYCCYCC".
letters_as_units() {
	awk -F : '
	{
		split("s n x y", letter, " ")
		split("socket numa l3 l2", name, " ")
		count = split($1, nodes, ",")
		for (i = 1; i <= count; i++)
			for (k = 1; k <= 4; k++) {
				units = gsub(letter[k], letter[k], $2)
				if (units)
					sum[nodes[i] " " name[k]] += units
			}
	}
	END { for (key in sum) print key "=" sum[key] }' | sort | awk '
	$1 != node { printf "%s%s", (NR > 1 ? "\n" : ""), $1; node = $1 }
	{ printf " %s", $2 }
	END { if (NR) print "" }'
}

# From lines such as "a3 l2=2 l3=1": all nodes together.
sum_of_nodes() {
	awk '
	{
		for (i = 2; i <= NF; i++) {
			split($i, part, "=")
			sum[part[1]] += part[2]
		}
	}
	END { for (name in sum) print name "=" sum[name] }' | sort | xargs
}

# Each job that runs has in Slurm's books what it was granted: both of the same answer.
assert_jobs_are_right() {
	local line tres granted

	while read -r line; do
		tres=$(sed -E 's/.* (Alloc)?TRES=([^ ]*) .*/\2/' <<<"$line")
		granted=$(grants_as_units <<<"$line" | sum_of_nodes)
		assert_eq "units of ${line%% *}" "$granted" "$(units_in "$tres")"
	done < <(scontrol -o show job | grep 'JobState=RUNNING ')
}

# Of the same moment: no job has started or ended meanwhile.  Sums do not tell: one job
# may have ended and another one begun on as many units.
nodes_are_right() {
	local before nodes after granted

	before=$(running_grants)
	nodes=$(node_units)
	after=$(running_grants)
	[ "$before" != "$after" ] || {
		granted=$(grants_as_units <<<"$before")
		[ "$nodes" = "$granted" ] ||
			fail "nodes: '$nodes', grants: '$granted'"
		echo same
	}
}

# Several looks, as jobs come and go.
assert_books_are_right() {
	local seen=''

	assert_jobs_are_right
	while [ -z "$seen" ]; do
		seen=$(nodes_are_right) || fail "$seen"
	done
}

held_because() {
	was_passed_over "$1" && [ "$(job_reason "$1")" = "$2" ]
}

# --- accounting ---------------------------------------------------------------

# seconds_by_grants ACCOUNT SINCE - of L3 caches, by the grants in accounting
seconds_by_grants() {
	sacct -X -n -P -A "$1" -S "$2" -o ElapsedRaw,SystemComment |
		awk -F '|' '
		{
			count = split($2, words, " ")
			for (i = 1; i <= count; i++)
				if (words[i] ~ /^grant=/) {
					at = index(words[i], ":")
					nodes = split(substr(words[i], 1, at), list, ",")
					text = substr(words[i], at + 1)
					sum += $1 * nodes * gsub("x", "x", text)
				}
		}
		END { print sum + 0 }'
}

early_in_the_hour() {
	[ "$(date +%-M)" -lt 57 ]
}

# Slurm sums up by the hour: what is compared with its sums lies in one.
wait_for_an_hour() {
	wait_until 300 early_in_the_hour
}

# all_are_accounted ACCOUNT SINCE COUNT - as completed, so many jobs at least, and what
# slurmctld shows of their grants.  That comes after the records, and not any more when
# slurmctld has ended.
all_are_accounted() {
	sacct -X -n -P -A "$1" -S "$2" -o State |
		awk -v least="$3" '/COMPLETED/ { count++; next } { others++ }
			END { exit others || count < least }' &&
		[ "$(sacct -X -n -P -A "$1" -S "$2" -o SystemComment |
			grep -c ' grant=')" = "$(scontrol -o show job |
				grep " Account=$1 " | grep -c ' grant=')" ]
}
