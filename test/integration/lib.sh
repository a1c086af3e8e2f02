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
# number, by which all waits are longer.
set -euo pipefail
slowness=${TOPOBIND_SLOWNESS:-1}

test_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd "$test_dir/../.." && pwd -P)
cluster_program=$top/contribs/cluster

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

# slurm_is_from VERSION - is the installed Slurm this one (24.11, say), or later?
slurm_is_from() {
	local installed

	installed=$(slurmctld -V | sed 's/.* //')
	printf '%s\n' "$1" "$installed" | sort -V -C
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
	} >"$file"
}

reconfigure_with() {
	conf_with "$@"
	scontrol reconfigure
}

# --- cases and assertions ---------------------------------------------------

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
	[ "$status" -eq 0 ] || squeue -o '%i %T %N %r %j' >>"$output" 2>&1 || true
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

# assert COMMAND... / refute COMMAND...
assert() {
	"$@" || fail "this must succeed: $*"
}

refute() {
	if "$@"; then
		fail "this must not succeed: $*"
	fi
}

# wait_until SECONDS COMMAND... - look every 50 ms; on a usual machine
wait_until() {
	local seconds=$(($1 * slowness)) end

	end=$((${EPOCHREALTIME/./} + seconds * 1000000))
	shift
	until "$@"; do
		[ "${EPOCHREALTIME/./}" -lt "$end" ] ||
			fail "not within $seconds s: $*"
		sleep 0.05
	done
}

# --- jobs -------------------------------------------------------------------

# alloc OPTION... - an allocation without processes, at once; prints its id
alloc() {
	timeout $((30 * slowness)) salloc --no-shell "$@" 2>&1 |
		sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' |
		grep . || fail "no allocation for: $*"
}

# batch OPTION... - a job that sleeps; prints its id
batch() {
	sbatch --parsable -o /dev/null "$@" --wrap 'exec sleep 600' ||
		fail "not submitted: $*"
}

# job_field JOB KEY - one value without blanks
job_field() {
	scontrol show job "$1" |
		sed -n -E "s/^(.* )?$2=([^ ]*).*/\\2/p" | sed -n 1p
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

is_over() {
	[ -z "$(squeue -h -j "$1" -o %t 2>/dev/null)" ]
}

no_jobs() {
	[ -z "$(squeue -h -o %i)" ]
}

# requeue_held JOB - and wait until it can be released.  slurmd revokes a job's
# credentials by the second: one made in the second of the requeue is refused,
# and the job fails.
requeue_held() {
	local second

	scontrol requeuehold "$1"
	wait_until 150 is_pending "$1"
	second=$EPOCHSECONDS
	wait_until 5 second_is_over "$second"
}

second_is_over() {
	[ "$EPOCHSECONDS" -gt "$1" ]
}

# release_now JOB - without the two minutes that a requeued job waits
release_now() {
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

drain() {
	local ids

	daemon slurmctld pid >/dev/null || daemon slurmctld start
	mapfile -t ids < <(squeue -h -o %A)
	[ "${#ids[@]}" -eq 0 ] || scancel "${ids[@]}" || true
	# What a node did not hear slurmctld repeats after a minute or two.
	wait_until 200 no_jobs
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

# The request that a job has, in its canonical form.
binding() {
	comment_word "$1" binding
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

# assert_granted JOB NODE LIST - by the grant and by Slurm's own books
assert_granted() {
	assert_eq "grant of job $1 on $2" "$3" "$(granted "$1" "$2")"
	assert_eq "CPU_IDs of job $1 on $2" "$3" "$(cpu_ids "$1" "$2")"
}

# contradictions [JOBS] - what is wrong with the allocations of all running jobs
# at this moment; no output when all is well.  Each thread of a node has one
# holder at most that is not paused, or where units are shared so many JOBS,
# paused or not: then they are all bound or none is, and bound ones have exactly
# the same unit.  The grant of a bound job is what Slurm booked for it.
contradictions() {
	facts | awk -v limit="${1:-1}" '
	$1 == "broken" { print }
	limit == 1 && $NF == "paused" { next }
	$1 == "cpu" {
		if (++holders[$3, $4] > limit)
			print $3, "cpu", $4, "is held by", holder[$3, $4], "and", $2
		holder[$3, $4] = holder[$3, $4] " " $2
		cpu[$2, $3, $4]
		next
	}
	$1 == "grant" {
		grant[$2, $3, $4] = $5
		bound[$2]
		unit[$2, $3, $5] = unit[$2, $3, $5] " " $4
	}
	function unit_of(job, place,    at) {
		split(place, at, SUBSEP)
		if (!(job in bound))
			return "a part"
		return unit[job, at[1], grant[job, at[1], at[2]]]
	}
	END {
		for (place in holders) {
			count = split(holder[place], jobs, " ")
			for (i = 2; i <= count; i++)
				if (unit_of(jobs[1], place) != unit_of(jobs[i], place))
					print jobs[1], "and", jobs[i], "share a part of a unit"
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

# node_token NODE m_topology|m_topology_inuse
node_extra() {
	scontrol show node "$1" | sed -n 's/^ *Extra=//p'
}

node_token() {
	node_extra "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"
}

# The threads in lower case of a topology string.
lower_threads() {
	printf 'JobId=0\n JobState=RUNNING\nbinding= grant=x:%s\n' "$1" |
		awk -f "$test_dir/grants.awk" |
		awk '$1 == "grant" { print $4 }' | as_list
}

inuse() {
	lower_threads "$(node_token "$1" m_topology_inuse)"
}

nothing_in_use() {
	[ -z "$(inuse "$1")" ]
}

# All threads that jobs with a binding have been granted on a node.
all_granted() {
	facts | awk -v node="$1" '$1 == "grant" && $3 == node { print $4 }' |
		as_list
}

# --- processes and cgroups --------------------------------------------------

allowed_cpus() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"
}

# Directories of jobs in the cgroups of a node.
job_cgroups() {
	find /sys/fs/cgroup -path "*slurm_$1/*" -type d -name 'job_*' 2>/dev/null ||
		true
}

no_job_cgroups() {
	[ -z "$(job_cgroups "$1")" ]
}

# Expand "0-2,5" into words.
expand_list() {
	tr ',' '\n' <<<"$1" | awk -F- 'NF { for (i = $1; i <= $NF; i++) print i }'
}
