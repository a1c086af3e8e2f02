# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - integration tests on a private cluster
#
# A test file sources this, starts a cluster, runs its cases and ends:
#
#	. "$(dirname "$0")/lib.sh"
#	cluster_start --nodes this,zen
#	test_case "a job gets its units" case_units
#	tests_done
#
# A case is a function.  It runs in a subshell under set -e; the first assertion
# that does not hold ends it.  Afterwards all jobs are cancelled and gone, so
# cases do not see each other.  Output is TAP.
#
# Tests look at /proc, cgroups and Slurm's answers, never at logs.
#
# TOPOBIND_SLOWNESS - how many times slower this machine is than usual: a whole
# number, by which all waits are longer, and Slurm's own limits.
# TOPOBIND_PATIENCE - how many times longer than that a test waits for what does
# not come, on a machine that does much else.  What comes is not waited for any
# longer.
set -euo pipefail
slowness=${TOPOBIND_SLOWNESS:-1}
patience=$((slowness * ${TOPOBIND_PATIENCE:-1}))

test_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd "$test_dir/../.." && pwd -P)
cluster_program=$top/contribs/cluster
# shellcheck source=contribs/common.sh
. "$top/contribs/common.sh"

test_count=0
test_failures=0
cluster=''

# --- the cluster ------------------------------------------------------------

# cluster_start [OPTION...] - options of contribs/cluster start
cluster_start() {
	local options=(--owner "$$")

	[ -z "${TOPOBIND_ROOT:-}" ] || options+=(--prefix "$TOPOBIND_ROOT")
	cluster=$("$cluster_program" start "${options[@]}" "$@") || {
		echo "Bail out! no cluster"
		exit 1
	}
	trap cluster_stop EXIT
	trap 'exit 1' INT TERM HUP
	eval "$("$cluster_program" env "$cluster")"
	work=$cluster/work
	mkdir -m 1777 "$work"
}

# compile_client NAME - test/integration/NAME.c, a client of the installed Slurm,
# into $work
compile_client() {
	local slurm

	slurm=$(dirname "$(dirname "$(command -v slurmctld)")")
	gcc -Wall -Wextra -Werror -I"$slurm/include" -I"$top/plugins" \
		-o "$work/$1" "$test_dir/$1.c" \
		-L"$slurm/lib" -Wl,-rpath,"$slurm/lib" -lslurm
}

cluster_stop() {
	[ -z "$cluster" ] || "$cluster_program" stop "$cluster"
	cluster=''
}

# daemon NAME start|stop|kill|pid
daemon() {
	"$cluster_program" daemon "$cluster" "$@"
}

# The process ids of all daemons, in a fixed order.
daemon_pids() {
	local file name

	for file in "$cluster"/run/slurm*.pid; do
		name=$(basename "$file" .pid)
		echo "$name $(daemon "$name" pid || echo gone)"
	done
}

# conf_with LINE... - topobind.conf as the cluster began with it, and these lines
# in place of those of the same keys
conf_with() {
	local file=$cluster/etc/topobind.conf line keys=''

	[ -e "$file.saved" ] || cp "$file" "$file.saved"
	for line; do
		[[ $line = NodeName=* || $line = PartitionName=* ||
			$line != *=* ]] || keys+="|${line%%=*}"
	done
	{
		grep -v -i -E "^(no such key$keys)=" "$file.saved"
		printf '%s\n' "$@"
	} >"$file.new"
	mv "$file.new" "$file"
}

# conf_is_read_with LINE... - Slurm reads slurm.conf with these lines, too
conf_is_read_with() {
	cp "$cluster/etc/slurm.conf" "$work/slurm.conf"
	printf '%s\n' "$@" >>"$work/slurm.conf"
	SLURM_CONF=$work/slurm.conf scontrol show hostnames n >/dev/null 2>&1
}

# replace_file FROM TO - whoever reads it meanwhile has all of one of them
replace_file() {
	cp -a "$1" "$2.new"
	mv "$2.new" "$2"
}

# has_start_between JOB FROM TO - by squeue --start
has_start_between() {
	local start

	start=$(squeue --start -h -j "$1" -o %S)
	[ "$start" != N/A ] || return 1
	start=$(date -d "$start" +%s)
	[ "$start" -ge "$2" ] && [ "$start" -le "$3" ]
}

# runs_undisturbed JOB... - never preempted, never suspended
runs_undisturbed() {
	local job

	for job in "$@"; do
		assert runs "$job"
		assert_eq "restarts of $job" 0 "$(job_field "$job" Restarts)"
	done
}

reconfigure_with() {
	conf_with "$@"
	reconfigure
}

# Later Slurms go on in another slurmctld, to which the nodes come again when they
# have begun anew, too: what is sent to them before is lost.
reconfigure() {
	local second

	if slurm_is_from 23.11; then
		wait_until 5 second_is_over "$EPOCHSECONDS"
	fi
	second=$EPOCHSECONDS
	reconfigure_at_once
	wait_until 60 nodes_answer
	! slurm_is_from 23.11 || wait_until 60 slurmds_are_of "$second"
}

# Those that run have begun in this second, or later.
slurmds_are_of() {
	local node

	for node in $(daemon_pids | sed -n 's/^slurmd-\(.*\) [0-9]*$/\1/p'); do
		slurmd_is_of "$1" "$node" || return 1
	done
}

# slurmd_is_of SECOND NODE - one that began then, or later, has registered
slurmd_is_of() {
	local start

	start=$(scontrol show node "$2" |
		sed -n 's/.* SlurmdStartTime=\([^ ]*\).*/\1/p')
	[ "$(date -d "$start" +%s 2>/dev/null || echo 0)" -ge "$1" ]
}

# threads_of PID - how many are in the same functions, and in which: those of topobind
# as topobind:NAME, none of the C library's inner ones
threads_of() {
	gdb -p "$1" -batch -ex 'thread apply all backtrace 30' 2>/dev/null |
		awk '/^Thread / { printf "%s", separator; separator = "\n" }
			/^#/ {
				name = $3 == "in" ? $4 : $2
				own = / (from|at) [^ ]*topobind/ ? "topobind:" : ""
				if (name !~ /^__/)
					printf " %s%s", own, name
			}
			END { print "" }' | sort | uniq -c
}

# is_hang_of_slurm THREADS - once in some thousand reconfigures Slurm 24.11 waits for
# ever for connections that have ended (later ones give up after a while).  No thread
# does anything for topobind then: its own pause.
is_hang_of_slurm() {
	[[ $1 == *" conmgr_quiesce "* ]] && ! grep 'topobind:' <<<"$1" |
		grep -q -v ' topobind:is_told_to_end '
}

slurmctld_answers() {
	[[ $(scontrol ping) == *" is UP"* ]]
}

# replace_hung_slurmctld - by another, for all that follows: it does not answer, which
# is no failure if it is Slurm's own
replace_hung_slurmctld() {
	local pid threads

	pid=$(daemon slurmctld pid)
	threads=$(threads_of "$pid")
	kill -KILL "$pid"
	daemon slurmctld start
	is_hang_of_slurm "$threads" ||
		fail "slurmctld hung, its threads were in:"$'\n'"$threads"
}

# scontrol_reconfigure - and begin anew where Slurm hangs
scontrol_reconfigure() {
	local status=0

	within 60 scontrol reconfigure || status=$?
	[ "$status" -ne 0 ] || return 0
	! slurmctld_answers || return "$status"
	replace_hung_slurmctld
}

# Whoever has noted slurmctld before means the other, too, from then on: if it is
# the noted one that goes on in it.
reconfigure_at_once() {
	local renewed=''

	if slurm_is_from 23.11 && [ -e "$work/slurmctld" ] && slurmctld_lives
	then
		renewed=yes
	fi
	scontrol_reconfigure || fail "scontrol reconfigure failed"
	[ -z "$renewed" ] || {
		wait_until 60 slurmctld_is_another
		note_slurmctld
	}
}

slurmctld_is_another() {
	daemon slurmctld pid >/dev/null && ! slurmctld_lives
}

# note_slurmctld, and later slurmctld_lives - it has not died meanwhile
note_slurmctld() {
	daemon slurmctld pid >"$work/slurmctld"
}

slurmctld_lives() {
	[ "$(daemon slurmctld pid)" = "$(cat "$work/slurmctld")" ]
}

# reconfigure_refused_with LINE... - Slurm goes on as it was; later ones say so
reconfigure_refused_with() {
	conf_with "$@"
	if slurm_is_from 23.11; then
		! within 60 scontrol reconfigure || fail "the file was not refused"
		slurmctld_answers || {
			# Another one begins with a file that is right only.
			conf_with
			replace_hung_slurmctld
			reconfigure_refused_with "$@"
			return
		}
		wait_until 60 nodes_answer
	else
		reconfigure
	fi
}

# no_node_is PATTERN - slurmctld answers, and has no node in such a state
no_node_is() {
	local states

	states=$(sinfo -h -N -o %t) && ! grep -q -E "$1" <<<"$states"
}

nodes_answer() {
	no_node_is '\*|unk'
}

restart_slurmctld() {
	daemon slurmctld stop
	daemon slurmctld start
}

# The backup controller of a cluster that has one is in charge afterwards.
takeover() {
	scontrol takeover >/dev/null
	wait_until 60 controller_answers
}

# The first controller is in charge again, and a new one stands by: in a second
# term a backup of Slurm 22.05 has no main scheduler, and its end can hang.
take_back() {
	daemon slurmctld start
	daemon slurmctld-backup stop
	daemon slurmctld-backup start
	wait_until 60 controller_answers
}

# One that stands by refuses.
controller_answers() {
	within 5 squeue -h >/dev/null 2>&1
}

# save_state JOB - what slurmctld knows now, of this job too, outlives it
save_state() {
	touch "$work/now"
	# It may have been saved before that.
	scontrol update job="$1" Comment=saved
	wait_until 30 saved_since "$work/now"
}

saved_since() {
	[ "$cluster/state/job_state" -nt "$1" ]
}

# --- GRES -------------------------------------------------------------------

# give_gres NAME GRES LINE... - a node's Gres= in slurm.conf and its lines of
# gres.conf, in which devices are called DEVICE0, DEVICE1...; then start_with_gres
give_gres() {
	local node=$1 gres=$2 dir i

	shift 2
	mkdir -p "$cluster/device"
	for i in {0..15}; do
		ln -sf /dev/null "$cluster/device/$i"
	done
	for dir in "$cluster/etc" "$cluster/etc/virtual"; do
		sed -i "/^NodeName=$node /s/\$/ Gres=$gres/" "$dir/slurm.conf"
		printf "NodeName=$node %s\n" "${@//DEVICE/$cluster/device/}" \
			>>"$dir/gres.conf"
	done
}

# start_with_gres NODE... - the daemons again, that know the GRES then.  slurmctld
# takes a node as idle by its saved state, but counts its devices anew when it
# registers: what had been given out before would be free again.
start_with_gres() {
	local node second

	daemon slurmctld stop
	for node; do
		daemon "slurmd-$node" stop
	done
	wait_until 5 second_is_over "$EPOCHSECONDS"
	second=$EPOCHSECONDS
	daemon slurmctld start
	for node; do
		daemon "slurmd-$node" start
	done
	for node; do
		wait_until 60 slurmd_is_of "$second" "$node"
		wait_until 60 node_is_idle "$node"
	done
	wait_until 60 nodes_answer
}

# Until a node registers, slurmctld knows how many devices it has, but not which.
devices_are_known() {
	scontrol -d show node | awk '
	/^ *Gres=/ { has = !/\(null\)/ }
	/^ *GresUsed=/ { unknown += has && !/\(IDX:/ }
	END { exit unknown }'
}

# node_shows NODE FORMAT [PARTITION] - what sinfo says of it.  Not with -n: of a single
# node slurmctld tells which CPUs were in use when somebody last asked for all nodes.
node_shows() {
	sinfo -h -N -p "${3:-main}" -o "%N $2" | sed -n "s/^$1 //p"
}

# node_is_idle NODE [PARTITION] - also one on which backfill has a plan for later
node_is_idle() {
	[[ $(node_shows "$1" %T "${2:-main}") = @(idle|planned) ]]
}

# zen gets two GPUs, one beside each socket.
give_gpus() {
	give_gres "$NODE_ZEN" gpu:2 "Name=gpu File=DEVICE0 Cores=0-23" \
		"Name=gpu File=DEVICE1 Cores=24-47"
	start_with_gres "$NODE_ZEN"
}

# gpus_of JOB [NODE] - as Slurm shows them: gpu:2(IDX:0-1)
gpus_of() {
	scontrol -d show job "$1" |
		sed -n "s/.*Nodes=${2:-.*} CPU_IDs=.* GRES=\(.*\)\$/\1/p"
}

# --- cases and assertions ---------------------------------------------------

# For the reader of a failure: the last jobs, ended ones, too, and what is wrong
# with nodes.
state_of_cluster() {
	squeue -t all -S -i -o '%i %T %N %r %j' | sed 40q
	sinfo -h -N -o '%N %T %E' | grep -v ' idle none$'
}

test_case() {
	local name=$1 output status=0 start=$EPOCHSECONDS

	shift
	test_count=$((test_count + 1))
	output=$cluster/output
	# Not in a condition: set -e would not count inside.
	set +e
	(
		set -e
		"$@"
	) >"$output" 2>&1
	status=$?
	set -e
	[ "$status" -eq 0 ] || state_of_cluster >>"$output" 2>&1 || true
	# In a shell of its own: what fails there is this case's, not the end.
	(drain) >>"$output" 2>&1 || status=1
	if [ "$status" -eq 0 ]; then
		echo "ok $test_count - $name"
	else
		test_failures=$((test_failures + 1))
		echo "not ok $test_count - $name"
		sed 's/^/# /' "$output"
	fi
	[ $((EPOCHSECONDS - start)) -lt 5 ] ||
		echo "# that took $((EPOCHSECONDS - start)) s"
}

tests_done() {
	echo "1..$test_count"
	cluster_stop
	[ "$test_failures" -eq 0 ]
	exit
}

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# assert_eq WHAT WANTED SEEN
assert_eq() {
	[ "$2" = "$3" ] || fail "$1: wanted '$2', saw '$3'"
}

# assert_contains WHAT PART TEXT
assert_contains() {
	[[ $3 == *"$2"* ]] || fail "$1: wanted '$2' in '$3'"
}

# exits CODE WANTED COMMAND... - and its output has WANTED
exits() {
	local code=$1 wanted=$2 output status=0

	shift 2
	output=$("$@" 2>&1) || status=$?
	assert_eq "exit code of $*" "$code" "$status"
	assert_contains "output of $*" "$wanted" "$output"
}

# assert COMMAND... / refute COMMAND...
assert() {
	"$@" || fail "this must succeed: $*"
}

refute() {
	if "$@"; then
		fail "this must not succeed: $*"
	fi
}

# within SECONDS PROGRAM... - on a usual machine; then it is ended, and fails
within() {
	local seconds=$(($1 * patience))

	shift
	timeout "$seconds" "$@"
}

# wait_until SECONDS COMMAND... - on a usual machine, and never less than a minute:
# what comes late has come.  Looks every 50 ms, after a second every 200 ms: to look
# costs CPU time that others wait for.
wait_until() {
	local seconds=$1 start=${EPOCHREALTIME/./} waited pause=0.05

	shift
	[ "$seconds" -ge 60 ] || seconds=60
	seconds=$((seconds * patience))
	until "$@"; do
		waited=$((${EPOCHREALTIME/./} - start))
		[ "$waited" -lt $((seconds * 1000000)) ] ||
			fail "not within $seconds s: $*"
		[ "$waited" -lt 1000000 ] || pause=0.2
		sleep "$pause"
	done
}

# --- jobs -------------------------------------------------------------------

# alloc OPTION... - an allocation without processes, at once; prints its id
alloc() {
	within 30 salloc --no-shell "$@" 2>&1 |
		sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' |
		grep . || fail "no allocation for: $*"
}

# refuses OPTION... - such a job does not start now
refuses() {
	local answer

	answer=$(salloc --immediate --no-shell "$@" 2>&1) &&
		fail "this must find no room: $*"
	assert_contains "the answer to $*" "nodes are busy" "$answer"
}

# batch OPTION... - a job that sleeps; prints its id
batch() {
	sbatch --parsable -o /dev/null "$@" --wrap 'exec sleep 600' ||
		fail "not submitted: $*"
}

# sbatch_as USER OPTION... - not by --uid, which Slurm 26.05 refuses for nobody
sbatch_as() {
	setpriv --reuid="$1" --regid="$(id -g "$1")" --clear-groups \
		sbatch --parsable --chdir=/ "${@:2}"
}

# job_field JOB KEY - one value without blanks
job_field() {
	scontrol show job "$1" |
		sed -n -E "s/^(.* )?$2=([^ ]*).*/\\2/p" | sed -n 1p
}

# job_tres JOB - what it has, in Slurm's books: cpu=2,mem=200M,node=1,billing=2
job_tres() {
	if slurm_is_from 23.02; then
		job_field "$1" AllocTRES
	else
		job_field "$1" TRES
	fi
}

job_reason() {
	scontrol show job "$1" |
		sed -n 's/.* Reason=\(.*\) Dependency=.*/\1/p'
}

job_has_state() {
	[ "$(job_field "$1" JobState)" = "$2" ]
}

runs() {
	job_has_state "$1" RUNNING
}

is_pending() {
	job_has_state "$1" PENDING
}

# By what slurmctld says: one that does not answer says nothing.
is_over() {
	local seen

	if seen=$(squeue -h -j "$1" -o %t 2>&1); then
		[ -z "$seen" ]
	else
		[[ $seen == *"Invalid job id"* ]]
	fi
}

no_jobs() {
	local ids

	ids=$(squeue -h -o %i) && [ -z "$ids" ]
}

# requeue_held JOB - that of sbatch, and wait until it can be released.  Where the node
# has only just heard of it the end would overtake the script, which then would run on.
requeue_held() {
	wait_until 30 stepd_serves "$1"
	scontrol requeuehold "$1"
	wait_until 150 is_pending "$1"
}

second_is_over() {
	[ "$EPOCHSECONDS" -gt "$1" ]
}

# Does a slurmstepd of the cluster serve the job?
stepd_serves() {
	grep -q " $cluster/spool/[^ ]*_$1\.[0-9]*\$" /proc/net/unix
}

no_stepd_serves() {
	! stepd_serves "$1"
}

# release_now JOB - without the two minutes that a requeued job waits.  slurmd
# revokes a job's credentials by the second: one made in the second of the requeue
# is refused, and the job fails.  Where the former run has not ended yet, the node
# is drained for a duplicate job.
release_now() {
	wait_until 5 second_is_over "$EPOCHSECONDS"
	wait_until 30 no_stepd_serves "$1"
	scontrol release "$1"
	scontrol update job="$1" StartTime=now
}

# cancel JOB... and wait until they are gone
cancel() {
	local job

	scancel "$@"
	for job in "$@"; do
		wait_until 30 is_over "$job"
	done
}

# Of arrays the whole, for that is what scancel knows them by.  Fails where slurmctld
# does not tell which there are.
cancel_all() {
	local told ids

	told=$(squeue -h "$@" -o %F) || return
	[ -n "$told" ] || return 0
	mapfile -t ids < <(sort -u <<<"$told")
	scancel "${ids[@]}" || true
}

# Slurm puts a job whose script did not begin, and that was cancelled meanwhile, back
# among those that wait.
no_jobs_come_back() {
	cancel_all -t PD && no_jobs
}

# A case whose slurmctld has ended or hangs, and that did not start it again, has failed.
drain() {
	local ended=''

	daemon slurmctld pid >/dev/null || {
		ended=yes
		daemon slurmctld start
	}
	cancel_all || {
		slurmctld_answers || (replace_hung_slurmctld) || ended=yes
		cancel_all
	}
	# What a node did not hear slurmctld repeats after a minute or two, and once
	# more when it was not heard again.
	wait_until 400 no_jobs_come_back
	[ -z "$ended" ] || fail "slurmctld had ended"
}

# reason_has JOB PART - where Slurm or topobind says why it waits
reason_has() {
	[[ $(squeue -h -j "$1" -o %r)$(scontrol show job "$1") == *"$2"* ]]
}

# The scheduler has looked at a job and left it pending.
was_passed_over() {
	is_pending "$1" && [[ $(job_reason "$1") != None ]]
}

# comment_word JOB binding|grant|more - the values in its SystemComment
comment_word() {
	scontrol show job "$1" |
		sed -n -E 's/^( *SystemComment=)?(binding=.*)/\2/p' |
		tr ' ' '\n' | sed -n "s/^$2=//p"
}

# The sentence waiting= in the job's SystemComment.
waits_for() {
	[[ $(scontrol show job "$1") == *"waiting=$2"* ]]
}

# told OPTION... - in how many minutes --test-only promises a start
told() {
	local start

	start=$(sbatch --test-only "$@" --wrap true 2>&1 |
		sed -n 's/.* to start at \([^ ]*\) .*/\1/p')
	[ -n "$start" ] || fail "no start was told: $*"
	echo $((($(date -d "$start" +%s) - EPOCHSECONDS + 30) / 60))
}

# assert_told FROM TO OPTION... - minutes.  cons_tres takes the ends of jobs
# together in windows that grow, so the answer may be late by some, never early.
assert_told() {
	local from=$1 to=$2 minutes

	shift 2
	minutes=$(told "$@")
	{ [ "$minutes" -ge "$from" ] && [ "$minutes" -le "$to" ]; } ||
		fail "$*: told $minutes minutes, not $from to $to"
}

# The request that a job has, in its canonical form.
binding() {
	comment_word "$1" binding
}

# Main or Backfilling: how often that scheduler has looked at all jobs.
rounds() {
	sdiag | awk -v which="$1" '
		/^[A-Z]/ { here = $1 == which }
		here && /Total cycles/ { print $3 }'
}

# --- who holds what ---------------------------------------------------------

facts() {
	scontrol -d show job | awk -f "$test_dir/grants.awk"
}

# Numbers, one a line, into "0-5,8".
as_list() {
	sort -n | awk '
	NR > 1 && $1 == last + 1 { last = $1; next }
	NR > 1 { out = out sep (first == last ? first : first "-" last); sep = "," }
	{ first = last = $1 }
	END { if (NR) print out sep (first == last ? first : first "-" last) }'
}

# granted JOB [NODE] - threads of the grant; cpu_ids - Slurm's own list
granted() {
	facts | awk -v job="$1" -v node="${2:-}" \
		'$1 == "grant" && $2 == job && (node == "" || $3 == node) { print $4 }' |
		as_list
}

cpu_ids() {
	facts | awk -v job="$1" -v node="${2:-}" \
		'$1 == "cpu" && $2 == job && (node == "" || $3 == node) { print $4 }' |
		as_list
}

# Everything that jobs hold, whose turn it ever is.
held() {
	facts | sed 's/ paused$//' | sort
}

# assert_granted JOB NODE LIST - by the grant and by Slurm's own books
assert_granted() {
	assert_eq "grant of job $1 on $2" "$3" "$(granted "$1" "$2")"
	assert_eq "CPU_IDs of job $1 on $2" "$3" "$(cpu_ids "$1" "$2")"
}

# contradictions [JOBS [CPUS]] - what is wrong with the allocations of all running
# jobs at this moment; no output when all is well.  Each thread of a node has one
# holder at most that is not paused, or where units are shared so many JOBS,
# paused or not: then they are all bound or none is, and bound ones have exactly
# the same unit.  With CPUS, so many as a node has (or NODE=CPUS of each), they take
# turns: one at most is not paused, and jobs without binding, or with all of a node, may
# be among them.  The grant of a bound job is what Slurm booked for it.
contradictions() {
	facts | awk -v limit="${1:-1}" -v turns="${2:-}" '
	BEGIN {
		count = split(turns, sizes, " ")
		for (i = 1; i <= count; i++) {
			split(sizes[i], at, "=")
			size[at[1]] = at[2]
		}
	}
	function is_whole(job, node) {
		return has[job, node] == (node in size ? size[node] : turns)
	}
	$1 == "broken" { print }
	limit == 1 && $NF == "paused" { next }
	$1 == "cpu" {
		if (turns && $NF != "paused" && running[$3, $4]++)
			print $3, "cpu", $4, "is used by two of", holder[$3, $4], "and", $2
		if (++holders[$3, $4] > limit)
			print $3, "cpu", $4, "is held by", holder[$3, $4], "and", $2
		holder[$3, $4] = holder[$3, $4] " " $2
		cpu[$2, $3, $4]
		has[$2, $3]++
		next
	}
	$1 == "grant" {
		grant[$2, $3, $4] = $5
		bound[$2]
		unit[$2, $3, $5] = unit[$2, $3, $5] " " $4
	}
	function unit_of(job, place,    at) {
		split(place, at, SUBSEP)
		if (turns && (!(job in bound) || is_whole(job, at[1])))
			return ""
		if (!(job in bound))
			return "a part"
		return unit[job, at[1], grant[job, at[1], at[2]]]
	}
	END {
		for (place in holders) {
			count = split(holder[place], jobs, " ")
			whole = ""
			for (i = 1; i <= count; i++) {
				own = unit_of(jobs[i], place)
				if (own == "")
					continue
				if (whole != "" && own != whole)
					print holder[place], "share a part of a unit"
				whole = own
			}
		}
		for (key in grant)
			if (!(key in cpu)) {
				split(key, at, SUBSEP)
				print "job", at[1], "is granted", at[2], at[3], "but Slurm did not book it"
			}
		for (key in cpu) {
			split(key, at, SUBSEP)
			if (at[1] in bound && !(key in grant))
				print "job", at[1], "has", at[2], at[3], "booked but not granted"
		}
	}'
}

assert_no_contradictions() {
	local seen

	seen=$(contradictions "$@")
	[ -z "$seen" ] || fail "$seen"
}

# Cores that a bound job shares.  Plain jobs share with each other when one is
# resumed: select/cons_tres lets them.
shared_units() {
	facts | awk '
	$1 == "grant" { bound[$2] }
	$1 == "cpu" { holders[$3 " " $4] = holders[$3 " " $4] " " $2 }
	END {
		for (cpu in holders) {
			n = split(holders[cpu], job, " ")
			for (i = 1; n > 1 && i <= n; i++)
				if (job[i] in bound)
					print cpu, "is held by", holders[cpu]
		}
	}'
}

assert_no_unit_is_shared() {
	local seen

	seen=$(shared_units)
	[ -z "$seen" ] || fail "$seen"
}

# node_token NODE m_topology|m_topology_inuse
node_extra() {
	scontrol show node "$1" | sed -n 's/^ *Extra=//p'
}

node_token() {
	local extra

	extra=$(node_extra "$1")
	if [[ $extra = '{'* ]]; then
		jq -r ".$2 // empty" <<<"$extra"
	else
		tr ' ' '\n' <<<"$extra" | sed -n "s/^$2=//p"
	fi
}

# The threads in lower case of a topology string.
lower_threads() {
	printf 'JobId=0\n JobState=RUNNING\nbinding= grant=x:%s\n' "$1" |
		awk -f "$test_dir/grants.awk" |
		awk '$1 == "grant" { print $4 }' | as_list
}

# lost NODE - threads whose CPUs it says it has lost, as a list
lost() {
	local token

	token=$(node_token "$1" m_topology_lost)
	[ -z "$token" ] || lower_threads "$token"
}

has_lost() {
	[ "$(lost "$1")" = "$2" ]
}

# helpers SIGNAL - to the processes beside slurmd, which watch
helpers() {
	local pid

	for pid in $(pgrep -x topobind); do
		! grep -qszx -- "$NODE_THIS" "/proc/$pid/cmdline" ||
			kill -"$1" "$pid"
	done
}

# A script that could not be started waits again.
was_put_back() {
	[ "$(job_field "$1" Restarts)" = 1 ] && is_pending "$1"
}

is_undrained() {
	[[ $(node_state) != *drain* ]]
}

inuse() {
	lower_threads "$(node_token "$1" m_topology_inuse)"
}

# The node says so; one without m_topology_inuse says nothing.
nothing_in_use() {
	local token

	token=$(node_token "$1" m_topology_inuse) && [ -n "$token" ] &&
		[ -z "$(lower_threads "$token")" ]
}

something_in_use() {
	[ -n "$(inuse "$1")" ]
}

# All threads that jobs with a binding have been granted on a node.
all_granted() {
	facts | awk -v node="$1" '$1 == "grant" && $3 == node { print $4 }' |
		as_list
}

# --- any jobs at all ---------------------------------------------------------

# random_job SECONDS OPTION... - bound or plain, of any size, over before that
random_job() {
	local seconds=$1 kinds=(C C S X X Y N)
	local options=(-n $((RANDOM % 4 + 1)) -t $((RANDOM % 30 + 1)))

	shift
	[ $((RANDOM % 3)) -eq 0 ] ||
		options+=("--bunit=${kinds[RANDOM % ${#kinds[@]}]}"
			"--bamount=$((RANDOM % 3 + 1))")
	[ $((RANDOM % 3)) -gt 0 ] || options+=(-N $((RANDOM % 2 + 1)))
	# Some can never run, and are refused.
	sbatch -Q --requeue -o /dev/null "${options[@]}" "$@" \
		--wrap "exec sleep $((RANDOM % seconds))" 2>/dev/null || true
}

# to_one_in STATE COMMAND... - do that to a job in this state; it may refuse, and
# the controller may not answer
to_one_in() {
	local job

	job=$(squeue -h -r -t "$1" -o %i 2>/dev/null | shuf -n 1) || return 0
	shift
	[ -z "$job" ] || "$@" "$job" >/dev/null 2>&1 || true
}

# --- processes and cgroups --------------------------------------------------

allowed_cpus() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"
}

process_is_gone() {
	[ ! -d "/proc/$1" ]
}

# A node's cgroups, of v1 or v2, inner ones first.  Those of other nodes may go
# while find looks at them.
node_cgroups() {
	find /sys/fs/cgroup -depth \( -name "slurm_$1" -o \
		-path "*/slurm_$1/*" -o -path "*/$1_slurmstepd.scope/*" \) \
		-type d 2>/dev/null || true
}

# Slurm itself leaves the empty directory of a job behind in the freezer's hierarchy
# of cgroup v1, once in some thousand jobs with steps on a busy machine; topobind
# has nothing there.
is_empty_freezer() {
	[[ $1 = */freezer/*/job_* ]] &&
		[ -z "$(cat "$1/cgroup.procs" 2>/dev/null)" ] &&
		[ -z "$(find "$1" -mindepth 1 -type d 2>/dev/null)" ]
}

job_cgroups() {
	local dir

	while read -r dir; do
		is_empty_freezer "$dir" || echo "$dir"
	done < <(node_cgroups "$1" | grep '/job_[^/]*$')
}

# How many directories Slurm left so.
empty_freezers() {
	local dir count=0

	while read -r dir; do
		is_empty_freezer "$dir" && count=$((count + 1))
	done < <(node_cgroups "$1")
	echo "$count"
}

no_job_cgroups() {
	[ -z "$(job_cgroups "$1")" ]
}

# Expand "0-2,5" into words.
expand_list() {
	tr ',' '\n' <<<"$1" | awk -F- 'NF { for (i = $1; i <= $NF; i++) print i }'
}

# --- what is left, and what is wrong --------------------------------------------

# A bound job of one core; its process writes its id to pid.
victim() {
	rm -f "$work/pid"
	sbatch --parsable -o "$work/output" -w "$NODE_THIS" -n1 --bunit=C \
		--bamount=1 "$@" --wrap "sleep 600 & echo \$\$ >$work/pid; wait"
}

# The slurmstepd that serves a step of a job: JOB STEP.  A task that has not
# started its program has the same name, in another cgroup.
stepd() {
	local pid

	for pid in $(pgrep -x slurmstepd); do
		# Other clusters have jobs of the same number.
		if grep -q -E ":(cpuset)?:.*/(slurm_$NODE_THIS|${NODE_THIS}_slurmstepd.scope)/(.*/)?job_$1/step_$2(/slurm)?$" \
			"/proc/$pid/cgroup" 2>/dev/null; then
			echo "$pid"
		fi
	done
}

kill_stepd() {
	local pid

	pid=$(stepd "$@" | sed -n 1p)
	[ -n "$pid" ] || fail "no slurmstepd of $1.$2"
	kill -KILL "$pid"
}

# All processes of jobs on this node, with those of prologs.
job_processes() {
	grep -lzx "SLURMD_NODENAME=$NODE_THIS" /proc/[0-9]*/environ \
		2>/dev/null | cut -d/ -f3
}

# Processes beside slurmd end with it, soon.
no_helpers() {
	! grep -lzx -- "$NODE_THIS" /proc/[0-9]*/cmdline >/dev/null 2>&1
}

# By which steps keep soft-bound tasks of others off their CPUs.
claims() {
	find "$cluster/spool/$NODE_THIS/topobind_soft" -name '[0-9]*.hold'
}

no_claims() {
	[ -z "$(claims)" ]
}

# What topobind or Slurm would have of a step.
leftovers() {
	job_processes | sed 's/^/process /'
	job_cgroups "$NODE_THIS"
	find "$cluster/spool/$NODE_THIS/topobind_steps" \
		"$cluster/spool/$NODE_THIS/topobind_pe" -type f 2>/dev/null ||
		true
}

nothing_is_left() {
	[ -z "$(leftovers)" ]
}

assert_nothing_is_left() {
	(wait_until 20 nothing_is_left) || fail "left over: $(leftovers)"
}

# All of Slurm's and topobind's files and cgroups of the nodes.  Slurm writes its
# credentials anew when it likes; for the freezer's cgroups see is_empty_freezer.
files_and_cgroups() {
	{
		find "$cluster/spool" "$cluster/run" ! -name 'cred_state*' \
			2>/dev/null || true
		node_cgroups "$NODE_THIS" | sed '\,/freezer/,d'
	} | sort
}

# new_since BEFORE - the files and cgroups that were not there before
new_since() {
	comm -13 <(echo "$1") <(files_and_cgroups)
}

nothing_new_since() {
	[ -z "$(new_since "$1")" ]
}

assert_nothing_new_since() {
	(wait_until 20 nothing_new_since "$1") ||
		fail "left over: $(new_since "$1")"
}

node_state() {
	node_shows "$NODE_THIS" %T
}

node_reason() {
	node_shows "$NODE_THIS" %E
}

# The machine works as before: two tasks, each alone on its core.
assert_works() {
	local seen

	seen=$(within 60 srun -Q -w "$NODE_THIS" -n2 \
		--bunit=C --bamount=1 sed -n \
		's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | sort)
	assert_eq "lists of two tasks" 2 "$(sort -u <<<"$seen" | grep -c .)"
	wait_until 20 nothing_in_use "$NODE_THIS"
}

resume_node() {
	scontrol update node="$NODE_THIS" state=resume 2>/dev/null || true
	wait_until 30 node_is_idle "$NODE_THIS"
}

# The node takes no more jobs, and says why.
is_drained_for() {
	[[ $(node_state) = drain* && $(node_reason) = *"$1"* ]]
}

cgroup_mount() {
	if [ -d /sys/fs/cgroup/cpuset ]; then
		echo /sys/fs/cgroup/cpuset
	else
		echo /sys/fs/cgroup
	fi
}

# Slurm's own cgroup of the node.
top_cgroup() {
	find "$(cgroup_mount)" -maxdepth 2 -type d \( -name "slurm_$NODE_THIS" \
		-o -name "${NODE_THIS}_slurmstepd.scope" \)
}

# Its process has one core.
held_alone() {
	assert_eq "CPUs of process $1" "$(expand_list "$(cat \
		/sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" |
		wc -l)" "$(expand_list "$(allowed_cpus "$1")" | wc -l)"
}
