#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# topobind whatif: histories of which the waits are known by construction, a random one
# under several configurations, and files that are none
# shellcheck source=test/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# at SECONDS - as sacct prints it
at() {
	printf '2026-03-01T00:%02d:%02d' $(($1 / 60)) $(($1 % 60))
}

# past JOB SUBMIT RUN LIMIT CPUS - when it started in the past does not count
past() {
	echo "$1|$(at "$2")|$(at 900)|$(at $((900 + $3)))|00:00:$4|1||$5"
}

heading='JobID|Submit|Start|End|Timelimit|NNodes|NTasks|ReqCPUS'

# whatif ARGUMENT... - of $work/history on one node with two L3 caches of two cores
whatif() {
	run whatif --topology n1=NSXCCXCC --history "$work/history" "$@"
}

# --- known by construction ---

# The second waits for all four cores; of those behind it the third ends in time, the
# fourth would delay it.
{
	echo "$heading"
	past 1 0 30 40 2
	past 2 1 10 20 4
	past 3 2 20 20 2
	past 4 3 20 50 2
	echo "5|$(at 4)|Unknown|Unknown|00:01:00|1||1"
} >"$work/history"
whatif --under plain --json
check 'a history of sacct: exit code 0' ended 0
check 'all jobs that have run' has_value 4 jobs
check 'the others are left out' has_value 1 left_out
check 'the median of 0, 29, 0, 37' has_value 0 configurations 0 wait_median
check 'the longest' has_value 37 configurations 0 wait_95
check 'from the first submission to the last end' \
	has_value 60 configurations 0 duration
whatif --under plain
check 'as a table' grep -q '^ *4  *0  *00:00:00  *00:00:37 .* plain$' "$work/out"

# The second waits for the first one, the third for both.  The fourth would delay only
# the third, the last nobody.
{
	echo "$heading"
	past 1 0 20 20 3
	past 2 1 10 10 2
	past 3 2 10 10 4
	past 4 3 40 40 1
	past 5 4 5 5 1
} >"$work/history"
whatif --under plain --json
check 'by default the second alone has a reservation' \
	has_value 41 configurations 0 wait_95
check 'so the fourth starts at once' has_value 16 configurations 0 wait_median
whatif --under plain --backfill easy --json
check 'that is EASY' has_value 16 configurations 0 wait_median
whatif --under plain --backfill conservative --json
check 'conservative: the third has one, too' \
	has_value 37 configurations 0 wait_95
check 'and the last starts at once' has_value 19 configurations 0 wait_median
whatif --under plain --backfill none --json
check 'without backfill in their order' \
	has_value 28 configurations 0 wait_median

# Each job of one core has a cache: two run at a time instead of four.
{
	echo "$heading"
	for job in 1 2 3 4; do past $job 0 70 70 1; done
	past 5 200 5 5 3
} >"$work/history"
whatif --json
check 'by default plain' has_value plain configurations 0 under
check 'and bound to L3 caches' has_value implicit=X configurations 1 under
check 'plain: all at once' has_value 0 configurations 0 wait_95
check 'bound: two and two' has_value 70 configurations 1 wait_95
check 'two are later' has_value 2 configurations 1 later
check 'as long as the first ones run' \
	has_value 70 configurations 1 later_worst
check 'both of them' has_value 140 configurations 1 later_sum
check 'the others have whole caches for a core each' \
	has_value 70 configurations 1 latest 0 spare_cores
check 'that is all' has_value 0 configurations 1 latest 0 needed_cores
check 'the job is told' has_value 3 configurations 1 latest 0 job
check 'under the first nobody is later' has_value 0 configurations 0 later
whatif
check 'in words, too' grep -qx \
	'  job 3 by 00:01:10: it waits 00:01:10 for cores that whole units have to spare' \
	"$work/out"
whatif --under plain --under bunit=C,bamount=1 --under bunit=X,bamount=3 --json
check 'a core for each is as plain' has_value 0 configurations 1 later
check 'what no node has never starts' has_value 5 configurations 2 never
check 'nor is it later' has_value 0 configurations 2 later
check 'but it is told' has_value true configurations 2 latest 0 never

# One core, two, and one: plain the second lies in both caches.
{
	echo "$heading"
	past 1 0 30 30 1
	past 2 1 30 30 2
} >"$work/history"
whatif --json
check 'plain: one spans two caches' has_value 1 configurations 0 spanning
check 'bound: none' has_value 0 configurations 1 spanning

# A step knows how many tasks there were: two, with a cache each.
{
	echo "$heading"
	past 1 0 30 30 2
	echo "1.0|$(at 0)|$(at 0)|$(at 9)||1|2|2"
	past 2 1 30 30 1
} >"$work/history"
whatif --under implicit=X --json
check 'tasks of steps' has_value 29 configurations 0 wait_95

# Plain: on the fuller node; one core of one socket after the other, but a task of
# several in one where that has as many.
{
	echo "$heading"
	past 1 0 30 30 2
	echo "1.0|$(at 0)|$(at 0)|$(at 9)||1|2|2"
	past 2 1 30 30 3
	past 3 2 30 30 1
	past 4 3 30 30 2
} >"$work/history"
run whatif --topology 'n[1-2]=NSXCCCNSXCCC' --history "$work/history" --under plain \
	--starts "$work/starts"
check 'cores as of select/cons_tres' test \
	'1|n1|0,3 2|n1|1-2,4 3|n1|5 4|n2|0-1' = "$(sed 1d "$work/starts" |
	cut -d '|' -f 2,6,7 | xargs)"

# --- which nodes, and which cluster ---

# nodes UNDER... - of each job, on two nodes and two larger ones
nodes() {
	run whatif --topology 'n[1-2]=NSXCCXCC' --topology 'n[3-4]=NSXCCXCCNSXCCXCC' \
		--speed 'n[1-3]=2000' --speed n4=2600 --topology 'big:b1=NSXCCCCXCCCC' \
		--history "$work/history" --starts "$work/starts" --under "$@"
	sed 1d "$work/starts" | cut -d '|' -f 2,6 | xargs
}
{
	echo "$heading"
	past 1 0 30 30 2
	past 2 1 30 30 2
	past 3 2 30 30 2
} >"$work/history"
check 'FIRSTAVAILABLE' test '1|n1 2|n1 3|n2' = \
	"$(nodes plain,bnodes=FIRSTAVAILABLE)"
check 'LASTAVAILABLE' test '1|n4 2|n4 3|n4' = \
	"$(nodes implicit=X,bnodes=LASTAVAILABLE)"
check 'MINRESOURCE' test '1|n1 2|n1 3|n2' = \
	"$(nodes bunit=X,bamount=1,bnodes=MINRESOURCE)"
check 'FASTEST' test '1|n4 2|n4 3|n4' = "$(nodes plain,bnodes=FASTEST)"
check 'MAXBALANCE' test '1|n4 2|n4 3|n4' = \
	"$(nodes implicit=X,bnodes=MAXBALANCE)"
check 'other nodes' test '1|b1 2|b1 3|b1' = "$(nodes plain,on=big)"
nodes plain --under plain,bnodes=BESTFIT,on=big --json >/dev/null
check 'their cores' has_value 8 configurations 1 cores
check 'those of the first' has_value 24 configurations 0 cores
check 'and nodes' has_value 1 configurations 1 nodes
nodes bunit=X,bamount=1,on=big >/dev/null
check 'a table says how large each is' grep -qx \
	'3 jobs, 4 nodes with 24 cores, 1 node with 8 cores on big; 0 that have not run are left out' \
	"$work/out"
nodes plain,bnodes=CPULOAD >/dev/null
check 'a policy that needs the load' refused_for 'the load of nodes'
nodes bunit=X,bamount=1,bnodes=PRIORITY >/dev/null
check 'a priority function' refused_for 'than a history has'
nodes plain,bnodes=NONE >/dev/null
check 'a policy that is none' refused_for 'bnodes'
nodes plain,bstrategy=packed >/dev/null
check 'what a plain job has not' refused_for 'cannot stand behind plain'
nodes plain,on=small >/dev/null
check 'a cluster that is none' refused_for 'no --topology=small:'
whatif --under plain,bnodes=FASTEST
check 'no speed' refused_for '--speed'
whatif --speed n1=fast
check 'a speed that is none' refused_for '--speed=n1=fast'
whatif --speed x:n1=2000
check 'a speed of no nodes' refused_for 'of which there is no --topology'
run whatif --topology big:b1=NSXCC --history "$work/history"
check 'only others' refused_for 'on=NAME'
run whatif --topology 'b!g:b1=NSXCC' --history "$work/history"
check 'a name that is none' refused_for 'no name of a cluster'

# --- what sacct prints beside usual jobs ---

{
	echo "$heading"
	echo "7_1|$(at 0)|$(at 900)|$(at 930)|00:01:00|1||4"
	echo "7_1.batch|$(at 0)|$(at 900)|$(at 930)||1|1|4"
	echo "7_[2-9]|$(at 0)|Unknown|Unknown|00:01:00|1||4"
	echo "8+1|$(at 1)|$(at 900)|$(at 930)|UNLIMITED|1||4"
	echo "9|$(at 2)|$(at 900)|$(at 900)|00:01:00|1||0"
	echo "9|$(at 2)|$(at 900)|$(at 900)|00:01:00|1||4"
	echo "9|$(at 2)|$(at 905)|$(at 910)|00:01:00|1||4"
	echo "10|$(at 2)|$(at 910)|$(at 905)|00:01:00|1||4"
	echo "11|$(at 2)|$(at 905)|$(at 910)|00:01:00|1||400"
} >"$work/history"
whatif --under plain --starts "$work/starts" --json
check 'arrays, het jobs, requeued ones, of no time: exit code 0' ended 0
check 'what has not run, has no CPUs or a wrong end is left out' \
	has_value 3 left_out
check 'one larger than the cluster never starts' \
	has_value 1 configurations 0 never
check 'each by its own name, twice where it ran twice' test '7_1 8+1 9 9' = \
	"$(sed 1d "$work/starts" | cut -d '|' -f 2 | xargs)"
sed -e '1s/JobID/JobIDRaw/' -e 's/^7_1/12/; s/^7_.*/13|x|x|x|x|x|x|x/; /^13/d; s/^8+1/14/' \
	"$work/history" >"$work/raw"
run whatif --topology n1=NSXCCXCC --history "$work/raw" --under plain --json
check 'JobIDRaw' has_value 5 jobs

# --- Standard Workload Format ---

cat >"$work/history" <<-END
	; Version: 2.2
	1 0 5 30 2 -1 -1 2 40 -1 1 1 1 1 1 1 -1 -1
	2 1 5 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1
	3 2 5 -1 2 -1 -1 2 20 -1 0 1 1 1 1 1 -1 -1
END
whatif --under plain --json
check 'two of three have run' has_value 2 jobs
check 'the second waits' has_value 29 configurations 0 wait_95
whatif --swf --under plain
check 'also where it is said' ended 0

# --- a random one ---

awk 'BEGIN { srand(22)
	for (i = 1; i <= 3000; i++) {
		now += int(rand() * 12); run = int(rand() * 300)
		print i, now, 0, run, 1, -1, -1, 1 + int(rand() * 6), run * 2, -1
	} }' >"$work/history"
run whatif --topology 'n[1-8]=NSXCCXCCNSXCCXCC' --history "$work/history" \
	--under plain --under implicit=X --under plain --json
check 'three configurations: exit code 0' ended 0
check 'nothing is lost' has_value 3000 configurations 1 started
check 'bound jobs span no more than they need' \
	has_value 0 configurations 1 spanning
check 'plain ones do' test "$(value configurations 0 spanning)" -gt 0
check 'the same again is the same' has_value \
	"$(value configurations 0 wait_95)" configurations 2 wait_95
check 'and none is later' has_value 0 configurations 2 later

whatif_random() {
	whatif "$@" --topology 'n[1-8]=NSXCCXCCNSXCCXCC'
}
whatif_random --svg "$work/picture" --under plain --under implicit=X
check 'a picture, too: exit code 0' ended 0
check 'it is XML' xmllint --noout "$work/picture"
check 'with two lines for each configuration' test 4 -eq \
	"$(grep -c '^<path class="line .*<title>' "$work/picture")"
check 'it has words' grep -q '<desc>Above, the part of the cores' "$work/picture"
check 'it loads nothing' test 0 -eq \
	"$(grep -c 'href\|@import\|url(' "$work/picture")"
check 'the table is as without' grep -q ' plain$' "$work/out"
whatif_random --starts "$work/starts" --under plain --under implicit=X
check 'and each start: exit code 0' ended 0
check 'of each job under each configuration' test 6000 -eq \
	"$(sed 1d "$work/starts" | cut -d '|' -f 1,2 | sort -u | wc -l)"
# shellcheck disable=SC2016 # awk's
check 'no core has two jobs at a time' awk -F '|' '
	NR > 1 { count = split($7, part, ",")
		for (i = 1; i <= count; i++) {
			from = to = part[i]
			sub(/-.*/, "", from)
			sub(/.*-/, "", to)
			for (from += 0; from <= to; from++) {
				key = $1 $6 " " from
				if ($4 < end[key]) exit 1
				end[key] = $5
			}
		} }' "$work/starts"
whatif_random --starts "$work/none/starts"
check 'starts that cannot be written' refused_for 'No such file'
whatif_random --svg "$work/none/picture"
check 'a picture that cannot be written' refused_for 'No such file'

# On a terminal, and only there: how far it is.
TERM=xterm script -qec "$program whatif --topology n[1-8]=NSXCCXCC \
	--history $work/history --under plain >/dev/null" "$work/terminal" \
	</dev/null >"$work/err" 2>&1
check 'a bar on a terminal' grep -q 'plain  *\[##########  *\]  50%' "$work/terminal"
check 'that is gone at the end' test "$(tail -n 2 "$work/terminal" |
	grep -c "$(printf '100%%\r\033\[K')")" -eq 1

# --- what is wrong ---

run whatif --topology n1=NSXCC
check 'no history' refused_for '--history is missing'
run whatif --history "$work/history"
check 'no topology' refused_for '--topology is missing'
whatif --under implicit=Q
check 'a unit that is none' refused_for '--under=implicit=Q'
whatif --under bstrategy=packed
check 'a configuration that binds nothing' refused_for '--under='
whatif --depth=many
check 'a depth that is none' refused_for '--depth=many'
whatif --backfill=much
check 'a backfill that is none' refused_for '--backfill=much'
run whatif --topology n1=NSXCC --history "$work/none"
check 'no file' refused_for 'No such file'
rubbish >"$work/history"
whatif
check 'rubbish' refused
whatif --sacct
check 'rubbish, not of sacct' refused_for 'line 1'
: >"$work/history"
whatif
check 'nothing in it' refused_for 'no job that has run'
echo 'JobID|Submit|Start|End|Timelimit' >"$work/history"
whatif
check 'a column is missing' refused_for 'no column ReqCPUS'
{ echo "$heading"; echo '1|yesterday|x|y|00:01:00|1||1'; } >"$work/history"
whatif
check 'a time that is none' refused_for 'line 2: "yesterday"'
{ echo "$heading"; echo '1|2'; } >"$work/history"
whatif
check 'a line too short' refused_for 'line 2 has 2 columns'

report
