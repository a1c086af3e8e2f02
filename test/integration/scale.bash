# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# scale.bash - sourced after network.bash and lib.sh: many small nodes, each with a slurmd
# of its own, jobs of all kinds, disturbances, and what must hold all the time
#
# Who looks asks Slurm from outside, beside the load.  In $results it leaves
#
#	KIND.samples    second, what, value, with blanks between: seconds that
#	                squeue, sinfo, "scontrol show job" and "scontrol show node"
#	                took, KiB of slurmctld's memory with its process id
#	KIND.findings   what was wrong, a line each; empty when all is well
#	KIND.progress   jobs submitted and seconds of load, so far
#
# where KIND is topobind or plain.

# Two sockets with two L3 caches of two cores each; a core is one thread, and one of
# Slurm's CPUs.
small_node=NSXCCXCCNSXCCXCC
small_cores=8
# What a job of the load has, as it comes out of job_options.
cores_per_job=5

# start_scale KIND COUNT TIMEOUT [OPTION...] - so many nodes, which are down when they have
# not answered for TIMEOUT seconds
start_scale() {
	local nodes="n[1-$2]" options=()

	kind=$1
	node_count=$2
	[ "$kind" = topobind ] || options=(--plain)
	cluster_start "${options[@]}" --nodes this \
		--machine "$nodes $small_node 2 4 1" --slurm GresTypes=gpu \
		--node "$nodes Gres=gpu:2" \
		--gres "$nodes Name=gpu File=/dev/null" \
		--gres "$nodes Name=gpu File=/dev/zero" \
		--slurm "SlurmdTimeout=$(($3 * slowness))" \
		--slurm MaxJobCount=100000 \
		--slurm SchedulerParameters=bf_interval=3,sched_interval=2,batch_sched_delay=0 \
		"${@:4}"
	prefix=${NODE_N%%\[*}
	results=${results:-$work}
	samples=$results/$kind.samples
	findings=$results/$kind.findings
	progress=$results/$kind.progress
	touch "$samples" "$findings"
	: >"$work/differs"
	echo 0 >"$work/disturbances"
	load_began=$EPOCHSECONDS
}

# --- the load -----------------------------------------------------------------------

# In the caller's options.  On plain Slurm as many cores.
ask_for() {
	local unit=$1 amount=$2 cores

	case $unit in
	C) cores=1 ;;
	X) cores=2 ;;
	N) cores=4 ;;
	esac
	if [ "$kind" = topobind ]; then
		options+=("--bunit=$unit" "--bamount=$amount")
	else
		options+=(-c $((cores * amount)))
	fi
}

# job_options NUMBER - into the caller's options and size: the job of that number, always
# the same; size is how many jobs that makes
job_options() {
	local strategies=(packed linear scatter)

	RANDOM=$1
	options=()
	size=1
	case $((RANDOM % 10)) in
	0 | 1) options=(-n $((RANDOM % 8 + 1))) ;;
	2) options=(-N $((RANDOM % 4 + 1)) --ntasks-per-node=2 -c 2) ;;
	3 | 4)
		options=(-n $((RANDOM % 6 + 1)))
		ask_for X 1
		;;
	5)
		options=(-N $((RANDOM % 4 + 1)) --ntasks-per-node=1)
		ask_for N 1
		;;
	6)
		options=(-n $((RANDOM % 6 + 1)))
		ask_for C $((RANDOM % 2 + 1))
		[ "$kind" = plain ] ||
			options+=("--bstrategy=${strategies[RANDOM % 3]}")
		;;
	7)
		options=(-N1 -n $((RANDOM % 2 + 1)) --gres=gpu:$((RANDOM % 2 + 1)))
		ask_for C 2
		;;
	8) options=(-N1 -n1 -c2 --gres=gpu:1) ;;
	9)
		size=5
		options=("--array=1-$size" -n1)
		ask_for X 1
		;;
	esac
	options+=(--wrap "exec sleep $((RANDOM % (2 * mean_run + 1)))")
}

count_waiting() {
	squeue -h -r -t PENDING -o %i 2>/dev/null | wc -l
}

# Of the load, those of former runs, too.
seconds_of_load() {
	echo $((elapsed + EPOCHSECONDS - load_began))
}

# How many per cent of the time are over.
share_of_time() {
	echo $(($(seconds_of_load) * 100 / load_seconds))
}

# load_jobs COUNT SECONDS - as many, in so many seconds, from job number $submitted and
# second $elapsed on; the nodes are nearly full when they are given the time
load_jobs() {
	local count=$1 seconds=$2 options=() size mean_run due waiting

	mean_run=$((node_count * small_cores * seconds / (count * cores_per_job)))
	while [ "$submitted" -lt "$count" ]; do
		due=$((count * ($(seconds_of_load) + 1) / seconds))
		waiting=$(count_waiting)
		while [ "$submitted" -lt "$due" ] &&
			[ "$submitted" -lt "$count" ] &&
			[ "$waiting" -lt $((node_count + 50)) ]; do
			job_options "$submitted"
			# slurmctld may be away.
			sbatch -Q --requeue -o /dev/null -p virtual -t 30 \
				"${options[@]}" 2>/dev/null || break
			submitted=$((submitted + size))
			waiting=$((waiting + size))
		done
		note_progress
		sleep 1
	done
}

note_progress() {
	echo "$submitted $(seconds_of_load)" >"$progress.new"
	mv "$progress.new" "$progress"
}

# --- disturbances -------------------------------------------------------------------

# An odd number while slurmctld may be away.
count_disturbance() {
	local number

	read -r number <"$work/disturbances"
	echo $((number + 1)) >"$work/disturbances.new"
	mv "$work/disturbances.new" "$work/disturbances"
}

disturb_kill() {
	count_disturbance
	daemon slurmctld kill
	daemon slurmctld start
	wait_until 60 controller_answers
	count_disturbance
}

disturb_reconfigure() {
	count_disturbance
	within 120 scontrol reconfigure || true
	wait_until 60 controller_answers
	count_disturbance
}

# node_processes NODE... - slurmstepds and what they have started
node_processes() {
	local names

	names=$(printf '|%s' "$@")
	names=${names#|}
	grep -lE ":.*/(slurm_($names)|($names)_slurmstepd.scope)/" \
		/proc/[0-9]*/cgroup 2>/dev/null | cut -d/ -f3
}

# As many nodes as one in ten lose their power.
disturb_fail() {
	local node pid

	mapfile -t failed < <(seq -f "$prefix%.0f" "$node_count" |
		shuf -n $((node_count / 10)))
	for node in "${failed[@]}"; do
		pid=$(daemon "slurmd-$node" pid) || continue
		kill -KILL "$pid"
	done
	for pid in $(node_processes "${failed[@]}"); do
		kill -KILL "$pid" 2>/dev/null || true
	done
}

# And have it again.
disturb_return() {
	local node

	for node in "${failed[@]}"; do
		daemon "slurmd-$node" start
	done
	failed=()
}

# disturb PERCENT:WHAT... - each when so much of the time is over, but for what a former
# run has had
disturb() {
	local each failed=() from

	from=$(share_of_time)
	for each; do
		[ "${each%%:*}" -ge "$from" ] || continue
		until [ "$(share_of_time)" -ge "${each%%:*}" ]; do
			sleep 1
		done
		"disturb_${each#*:}"
	done
}

# --- what holds all the time --------------------------------------------------------

note() {
	echo "$(seconds_of_load) $*" >>"$samples"
}

# timed WHAT COMMAND... - its output, and how long it took: only when slurmctld was there
# all the time
timed() {
	local what=$1 before after start=${EPOCHREALTIME/./} taken

	shift
	read -r before <"$work/disturbances"
	within 60 "$@" || return
	taken=$((${EPOCHREALTIME/./} - start))
	read -r after <"$work/disturbances"
	[ "$before" != "$after" ] || [ $((before % 2)) -eq 1 ] ||
		note "$what" "$((taken / 1000000)).$(printf %06d $((taken % 1000000)))"
}

# who_has FILE - facts of what "scontrol -d show job" printed
who_has() {
	awk -f "$test_dir/grants.awk" "$1"
}

# differing_nodes BEFORE NODES AFTER - those whose m_topology_inuse is not what their jobs
# have, of the nodes that had the same before and after
differing_nodes() {
	awk '
	FNR == 1 { file++ }
	file != 2 && $1 == "cpu" {
		if (file == 1) {
			before[$3] = before[$3] " " $2 ":" $4
			used[$3, $4]
		} else
			after[$3] = after[$3] " " $2 ":" $4
	}
	file == 2 && /^NodeName=/ { node = substr($1, 10); names[node] }
	file == 2 && match($0, /m_topology_inuse=[^ ]*/) {
		shown[node] = substr($0, RSTART + 17, RLENGTH - 17)
	}
	END {
		for (node in shown) {
			if (before[node] != after[node])
				continue
			cores = shown[node]
			gsub(/[^cC]/, "", cores)
			for (i = 0; i < length(cores); i++)
				if ((substr(cores, i + 1, 1) == "c") != ((node, i) in used)) {
					print node, "shows", shown[node], "jobs have" before[node]
					break
				}
		}
	}' "$@" | sort
}

# All that there is at this moment, and what is wrong with it.  A node may show what it had
# until a moment ago: what counts is what the next look finds, too.
look() {
	timed jobs scontrol -d show job >"$work/jobs.1" || return 0
	# At the end, when somebody asks, the next look may have just begun.
	! grep -q grant= "$work/jobs.1" || : >"$work/bound-seen"
	timed nodes scontrol show node >"$work/nodes" || return 0
	timed jobs scontrol -d show job >"$work/jobs.2" || return 0
	timed squeue squeue -h >/dev/null || return 0
	timed sinfo sinfo -h -N >/dev/null || return 0
	(
		facts() {
			who_has "$work/jobs.1"
		}
		contradictions
	) | sed "s/^/contradiction: /" >>"$findings"
	[ "$kind" = topobind ] || return 0
	differing_nodes <(echo && who_has "$work/jobs.1") \
		<(grep -E '^NodeName=|m_topology_inuse=' "$work/nodes") \
		<(echo && who_has "$work/jobs.2") >"$work/differs.new"
	comm -12 "$work/differs" "$work/differs.new" >>"$findings"
	mv "$work/differs.new" "$work/differs"
}

note_memory() {
	local pid

	pid=$(daemon slurmctld pid) || return 0
	note memory "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status") $pid" \
		2>/dev/null || true
}

look_always() {
	while sleep "$1"; do
		look
		resume_duplicates
		note_memory
	done
}

# --- all of it ----------------------------------------------------------------------

# run_scale COUNT SECONDS PAUSE DISTURBANCE... - jobs, and looks with such pauses
run_scale() {
	local count=$1 watcher disturber submitted=0 elapsed=0

	load_seconds=$2
	[ ! -e "$progress" ] || read -r submitted elapsed <"$progress"
	load_began=$EPOCHSECONDS
	look_always "$3" &
	watcher=$!
	disturb "${@:4}" &
	disturber=$!
	load_jobs "$count" "$load_seconds"
	wait "$disturber" || fail "a disturbance failed"
	kill "$watcher"
	wait "$watcher" || true
	note_progress
}

# Slurm drains a node that still has a job which slurmctld, killed meanwhile, starts
# anew: until somebody looks.
resume_duplicates() {
	sinfo -h -N -p virtual -t drain -o '%N %E' 2>/dev/null |
		sed -n 's/ Duplicate jobid$//p' | while read -r node; do
		scontrol update node="$node" state=resume || true
	done
}

all_nodes_are_up() {
	resume_duplicates
	[ "$(sinfo -h -N -p virtual -o %t | grep -c -E '^(idle|alloc|mix|plnd)$')" -eq "$node_count" ]
}

# What nodes did not hear when they failed slurmctld repeats after a minute or two.  An
# administrator need not wait for that.
clear_completing() {
	local list node

	list=$(sinfo -h -p virtual -t completing -o %N) && [ -n "$list" ] || return 0
	for node in $(scontrol show hostnames "$list"); do
		scontrol update node="$node" state=down reason=completing
		scontrol update node="$node" state=resume
	done
}

no_jobs_within() {
	local end=$((EPOCHSECONDS + $1 * patience))

	until no_jobs_come_back; do
		[ "$EPOCHSECONDS" -lt "$end" ] || return 1
		sleep 0.5
	done
}

# Nodes have nothing, and can have jobs.
assert_as_before() {
	cancel_all
	no_jobs_within 5 || clear_completing
	wait_until 400 no_jobs_come_back
	wait_until 300 all_nodes_are_up
	assert_eq "CPUs in use" "" "$(sinfo -h -N -p virtual -o '%N %C' | grep -v ' 0/' || true)"
	[ "$kind" = plain ] || wait_until 60 nobody_shows_use
}

nobody_shows_use() {
	local nodes

	nodes=$(scontrol show node) &&
		! grep -q 'm_topology_inuse=[^ ]*[a-z]' <<<"$nodes"
}
