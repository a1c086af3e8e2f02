#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# map - topobind map in a terminal: who holds what, and --watch
#
# The terminal is tmux's.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

export LC_ALL=C

# --- what is drawn -----------------------------------------------------------

# cells NODE - the threads of a node in the map, in order: all that is in boxes
# and no frame
cells() {
	topobind map "$1" | sed -e '/^\./,$d' -e 1d -e 's/+-[^|]*+//g' |
		tr -d " |'\n" | grep -o .
}

# drawn_as SYMBOL NODE - the threads that are
drawn_as() {
	cells "$2" | awk -v symbol="$1" '$0 == symbol { print NR - 1 }' | as_list
}

# assert_drawn SYMBOL JOB NODE - what Slurm has booked for it
assert_drawn() {
	assert [ -n "$(cpu_ids "$2" "$3")" ]
	assert_eq "job $2, drawn as $1" "$(cpu_ids "$2" "$3")" \
		"$(drawn_as "$1" "$3")"
}

# The line of a job in the legend.
legend() {
	topobind map | grep -E "^[^ ]  $1 "
}

case_kinds() {
	local bound soft plain other

	bound=$(alloc -w "$NODE_ZEN" -n2 --bunit=X --bamount=1 -t 90 -J cfd)
	soft=$(alloc -w "$NODE_ZEN" --bunit=C --bamount=5 --bmode=soft -J soft)
	plain=$(alloc -w "$NODE_ZEN" -n7 -J make)
	other=$(alloc -w "$NODE_ZEN" --bunit=N --bamount=0 -n1 -J zero)
	assert_eq "threads" 96 "$(cells "$NODE_ZEN" | wc -l)"
	assert_drawn A "$bound" "$NODE_ZEN"
	assert_drawn a "$soft" "$NODE_ZEN"
	assert_eq "plain threads" \
		"$({ expand_list "$(cpu_ids "$plain")" &&
			expand_list "$(cpu_ids "$other")"; } | as_list)" \
		"$(drawn_as '#' "$NODE_ZEN")"
	assert_contains "the legend" "root  cfd   1:" "$(legend "$bound")"
	assert_contains "the legend" bunit=X,bamount=1 "$(legend "$bound")"
	assert_contains "the legend" bmode=soft "$(legend "$soft")"
	assert_contains "the legend" "no binding" "$(legend "$plain")"
	refute grep -q 'not shown' <(topobind map)
}

# A task on a thread has its core to itself.
case_a_thread() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=T --bamount=1)
	assert_drawn A "$job" "$NODE_ZEN"
	assert_eq "its core" 0-1 "$(drawn_as A "$NODE_ZEN")"
}

# The grants of large jobs are not all in their SystemComment.
case_many_units() {
	local job

	job=$(alloc -w "$NODE_ZEN,$NODE_RAPTOR" -N2 --bunit=C --bamount=6 \
		--btype=host)
	assert_drawn A "$job" "$NODE_ZEN"
	assert_drawn A "$job" "$NODE_RAPTOR"
}

case_suspended() {
	local job

	job=$(batch -w "$NODE_ZEN" --bunit=X --bamount=1)
	wait_until 20 runs "$job"
	assert_drawn A "$job" "$NODE_ZEN"
	scontrol suspend "$job"
	assert_eq "drawn while suspended" "" "$(drawn_as A "$NODE_ZEN")"
	scontrol resume "$job"
	assert_drawn A "$job" "$NODE_ZEN"
}

case_named_nodes() {
	local zen raptor

	zen=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1)
	raptor=$(alloc -w "$NODE_RAPTOR" -n1)
	assert_contains "the map of raptor" "#  $raptor " \
		"$(topobind map "$NODE_RAPTOR")"
	refute grep -q "  $zen " <(topobind map "$NODE_RAPTOR")
	exits 2 '"nobody"' topobind map nobody
}

# letter_of TASK NODE - the threads that have its sign, by the legend
letter_of() {
	topobind map --job "$job" | sed -n "s/^\(.\)  $job  .*  task $1 .*/\1/p"
}

# Each task has its slot, and others are not told.
case_tasks() {
	local job other task

	other=$(alloc -w "$NODE_ZEN" -n1 -J other)
	job=$(alloc -w "$NODE_ZEN,$NODE_RAPTOR" -N2 -n5 --bunit=C --bamount=1)
	topobind job "$job" --json >"$work/job.json"
	topobind map --job "$job" --json >"$work/tasks.json"
	assert_eq "tasks" "[0,1,2,3,4]" \
		"$(jq -c '[.jobs[].task] | sort' "$work/tasks.json")"
	assert_eq "threads of tasks" "$(jq -r '.jobs[0].tasks[] |
		"\(.task) \(.node) \(.threads)"' "$work/job.json" | sort)" \
		"$(jq -r '.jobs[] | "\(.task) \(.holds[0].node) \(.holds[0].threads)"' \
			"$work/tasks.json" | sort)"
	for task in 0 1 2 3 4; do
		letter_of "$task"
	done | sort >"$work/letters"
	assert_eq "signs" "A B C D E" "$(xargs <"$work/letters")"
	refute grep -q "  $other " <(topobind map --job "$job")
	assert_contains "others" "#  in use by jobs that are not shown" \
		"$(topobind map --job "$job")"
	assert_contains "all of a plain job" "#  $other " \
		"$(topobind map --job "$other")"
	exits 2 "it has no nodes" topobind map --job \
		"$(sbatch --parsable -H -o /dev/null --wrap true)"
	exits 2 "999999" topobind map --job 999999
	exits 2 "leave out" topobind map --job "$job" "$NODE_ZEN"
}

case_trouble() {
	local job

	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	trap 'scontrol update node="$NODE_RAPTOR" state=resume' EXIT
	scontrol update node="$NODE_RAPTOR" state=drain reason='a <fan> is broken'
	assert_contains "a drained node" "cores and 0 of 20 threads in use, drained" \
		"$(topobind map "$NODE_RAPTOR")"
	assert_eq "its reason" "a <fan> is broken" "$(topobind map --json |
		jq -r --arg node "$NODE_RAPTOR" \
			'.nodes[] | select(.node == $node).reason' | sed 's/ \[.*//')"
	job=$(sbatch --parsable -o /dev/null -N1 --bunit=X --bamount=1 -H --wrap true)
	assert_contains "a held job" "   job $job of root waits: JobHeldUser" \
		"$(topobind map)"
	job=$(sbatch --parsable -o /dev/null -w "$NODE_ZEN" --bunit=X --bamount=16 \
		--wrap true)
	wait_until 20 says_why "$job"
}

# The reason of its record is that of the map, in Slurm's words until topobind has any.
says_why() {
	local why

	why=$(topobind job "$1" --json | jq -r '.jobs[0].waiting // ""')
	[ -n "$why" ] && grep -qxF "   job $1 of root waits: $why" <(topobind map)
}

# What is recorded draws the same; only the time that is left is another.
case_recorded() {
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 --bmode=soft >/dev/null
	alloc -w "$NODE_RAPTOR" -n3 >/dev/null
	topobind map --json >"$work/map.json"
	diff <(topobind map --from "$work/map.json" --json) "$work/map.json"
	diff <(topobind map --from "$work/map.json" | without_times) \
		<(topobind map | without_times)
}

without_times() {
	sed 's/ [0-9]*:[0-5][0-9]:[0-5][0-9]/ LEFT/'
}

case_this_machine_in_lstopo() {
	local job os_cpus

	job=$(alloc -w "$NODE_THIS" --bunit=C --bamount=1 -J mine)
	topobind map --lstopo "$NODE_THIS" >"$work/this.xml"
	assert_contains "lstopo" "Misc A: job $job mine of root" \
		"$(lstopo-no-graphics -i "$work/this.xml" --only misc)"
	os_cpus=$(lstopo-no-graphics -v -i "$work/this.xml" --only pu \
		2>/dev/null | sed -n 's/.*P#\([0-9]*\).*lstopoStyle.*/\1/p' |
		as_list)
	assert_eq "OS CPUs in colour" "$(topobind topology --json |
		jq --argjson n "$(expand_list "$(cpu_ids "$job")" | jq -sc .)" \
			'.os_cpus | [.[$n[]]] | .[]' | as_list)" "$os_cpus"
}

# --- in a terminal -----------------------------------------------------------

term() {
	tmux -S "$work/tmux" "$@"
}

screen() {
	term capture-pane -p
}

screen_has() {
	screen | grep -q -F -e "$1"
}

screen_lacks() {
	! screen_has "$1"
}

# start_watching [OPTION...] - in a shell that says how it ended
start_watching() {
	term kill-server 2>/dev/null || true
	# shellcheck disable=SC2016 # for that shell
	term -f /dev/null new-session -d -x 100 -y 30 -e LC_ALL=C \
		"stty -a >'$work/before'; echo ordinary; topobind map --watch=1 $*; echo \"code \$?\"; stty -a >'$work/after'; exec sleep 600"
	wait_until 30 screen_has 'q: quit'
}

# assert_ended CODE [WORD] - and left nothing on the screen nor in the terminal's
# settings; the shell may have said a word
assert_ended() {
	wait_until 30 screen_has "code $1"
	wait_until 30 [ -s "$work/after" ]
	assert_eq "settings" "$(sed 1d "$work/before")" \
		"$(sed 1d "$work/after")"
	assert_eq "the screen" "ordinary ${2:+$2 }code $1" \
		"$(screen | xargs)"
	assert_eq "the cursor" 1 "$(term display-message -p '#{cursor_flag}')"
	assert_eq "the other screen" 0 \
		"$(term display-message -p '#{alternate_on}')"
	term kill-server
}

# --- --watch -----------------------------------------------------------------

case_watch() {
	local job

	start_watching "$NODE_ZEN"
	wait_until 30 screen_has "$NODE_ZEN: 0 of 48 cores"
	assert_eq "the other screen" 1 \
		"$(term display-message -p '#{alternate_on}')"
	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1 -J watched)
	wait_until 30 screen_has 'AA AA AA'
	wait_until 30 screen_has watched
	cancel "$job"
	wait_until 30 screen_lacks 'AA AA AA'
	term send-keys q
	assert_ended 0
}

case_interrupt() {
	start_watching
	term send-keys C-c
	assert_ended 0
}

case_terminate() {
	start_watching
	kill -TERM "$(pgrep -P "$(term display-message -p '#{pane_pid}')" topobind)"
	assert_ended 143 Terminated
}

case_stop_and_go_on() {
	local pid

	start_watching
	pid=$(pgrep -P "$(term display-message -p '#{pane_pid}')" topobind)
	kill -TSTP "$pid"
	wait_until 30 screen_has ordinary
	wait_until 30 grep -q '^State:.*T (stopped)' "/proc/$pid/status"
	kill -CONT "$pid"
	wait_until 30 screen_has 'q: quit'
	term send-keys q
	assert_ended 0
}

# The boxes are put anew: in a narrow window fewer of them side by side.
case_resize() {
	start_watching --watch=600 "$NODE_ZEN"
	wait_until 30 screen_has '+-X0-----++-X1-----++-X2-----++-X3-----+'
	term resize-window -x 40 -y 30
	wait_until 30 screen_lacks '++-X2-----++'
	wait_until 30 screen_has '+-X0-----++-X1-----+'
	term resize-window -x 120 -y 40
	wait_until 30 screen_has '++-X7-----+'
	term send-keys q
	wait_until 30 screen_has 'code 0'
	term kill-server
}

case_scroll() {
	start_watching --watch=600
	term resize-window -x 100 -y 10
	wait_until 30 screen_has 'lines 1-8 of '
	term send-keys Down j
	wait_until 30 screen_has 'lines 3-10 of '
	term send-keys Space
	wait_until 30 screen_has 'lines 11-18 of '
	term send-keys Up b b
	wait_until 30 screen_has 'lines 1-8 of '
	term send-keys q
	wait_until 30 screen_has 'code 0'
	term kill-server
}

# The last map stays, with the reason; and then it goes on.
case_no_controller() {
	start_watching "$NODE_ZEN"
	wait_until 30 screen_has "$NODE_ZEN: 0 of 48 cores"
	daemon slurmctld stop
	wait_until 120 screen_has 'cannot get the nodes from Slurm'
	wait_until 30 screen_has "$NODE_ZEN: 0 of 48 cores"
	daemon slurmctld start
	wait_until 120 screen_lacks 'cannot get the nodes from Slurm'
	term send-keys q
	assert_ended 0
}

restore_conf() {
	conf_with
	reconfigure
}

case_filtered() {
	local bound plain filter

	trap restore_conf EXIT
	filter=$(node_token "$NODE_ZEN" m_topology | sed 's/XYCTT/XYctt/2')
	conf_with Filter=first_core
	sed -i "/^NodeName=$NODE_ZEN /s/\$/ Filter=$filter/" \
		"$cluster/etc/topobind.conf"
	reconfigure
	assert_eq "of a line for the node" "$(lower_threads "$filter")" \
		"$(drawn_as - "$NODE_ZEN")"
	assert_eq "of the site" 0-1 "$(drawn_as - "$NODE_RAPTOR")"
	bound=$(alloc -w "$NODE_RAPTOR" --bunit=C --bamount=5)
	assert_drawn A "$bound" "$NODE_RAPTOR"
	assert_eq "filtered" 0-1 "$(drawn_as - "$NODE_RAPTOR")"
	# They are for plain jobs.
	plain=$(alloc -w "$NODE_RAPTOR" -n9)
	assert_drawn '#' "$plain" "$NODE_RAPTOR"
	assert_eq "filtered" "" "$(drawn_as - "$NODE_RAPTOR")"
}

# Slurm shows a user no job of others, but what is in use.
case_hidden() {
	local job

	job=$(alloc -w "$NODE_ZEN" --bunit=X --bamount=1 -J secret)
	(cd / && setpriv --reuid=nobody --regid=nogroup --clear-groups \
		topobind map "$NODE_ZEN") >"$work/hidden"
	refute grep -q -E "secret|  $job |AA" "$work/hidden"
	assert grep -q '## ## ##' "$work/hidden"
	assert grep -q -F -x '#  in use by jobs that are not shown' "$work/hidden"
}

case_watch_in_colour() {
	alloc -w "$NODE_ZEN" --bunit=X --bamount=1 >/dev/null
	start_watching --color=always "$NODE_ZEN"
	wait_until 30 screen_has 'AA AA AA'
	assert_contains "colours" '[38;5;16m' "$(term capture-pane -p -e)"
	term send-keys q
	assert_ended 0
}

cluster_start --nodes this,zen,raptor --slurm PrivateData=jobs
test_case "each kind of job is drawn as what it is" case_kinds
test_case "a job has its cores, whatever threads it was granted" case_a_thread
test_case "units on two nodes" case_many_units
test_case "a suspended job has none" case_suspended
test_case "named nodes, and the jobs on them" case_named_nodes
test_case "the tasks of a job" case_tasks
test_case "a drained node, and jobs that wait" case_trouble
test_case "what --json has recorded draws the same" case_recorded
test_case "cores that jobs with a binding do not get" case_filtered
test_case "jobs that a user may not see" case_hidden
test_case "this machine, coloured by lstopo" case_this_machine_in_lstopo
test_case "--watch follows jobs; q ends it" case_watch
test_case "Control-C ends it" case_interrupt
test_case "SIGTERM ends it" case_terminate
test_case "it is stopped and goes on" case_stop_and_go_on
test_case "another size" case_resize
test_case "scrolling" case_scroll
test_case "without a controller" case_no_controller
test_case "in colour" case_watch_in_colour
term kill-server 2>/dev/null || true
tests_done
