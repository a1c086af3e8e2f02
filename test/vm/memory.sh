#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# memory - where the memory of tasks lies, on a machine with several NUMA nodes
#
# Runs in the guest of test/vm: four NUMA nodes have 512 MB and two cores each, a
# fifth has memory only, near the third.
# Tasks touch memory and read from numa_maps where it is.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

# touch STEP TOTAL - touch memory in steps of so many MB and after each print
# how many MB of all that is not a file are on each node: "touched 100 0:103".
# shellcheck disable=SC2016 # Perl's variables
touch_program='
$| = 1;
my ($step, $total) = @ARGV;
my ($block, $memory, $touched) = ("x" x 1048576, "", 0);
while ($touched < $total) {
	$memory .= $block for 1 .. $step;
	$touched += $step;
	my %kb;
	open(my $maps, "<", "/proc/self/numa_maps") or die;
	while (<$maps>) {
		next if /file=/ || !/anon=/;
		$kb{$1} += $2 * 4 while / N(\d+)=(\d+)/g;
	}
	print "touched $touched";
	print " $_:", int($kb{$_} / 1024) for sort grep { $kb{$_} >= 1024 } keys %kb;
	print "\n";
}'

# In a task: what it was told, what the kernel allows, what its cgroup has, and
# the policy of its heap.
# shellcheck disable=SC2016 # the task's variables
say_memory='
say_memory() {
	local path
	if [ -d /sys/fs/cgroup/cpuset ]; then
		path=/sys/fs/cgroup/cpuset$(sed -n "s/^[0-9]*:cpuset://p" /proc/self/cgroup)/cpuset.mems
	else
		path=/sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)/cpuset.mems.effective
	fi
	echo "$TOPOBIND_CPUS $TOPOBIND_MEMS" \
		"$(sed -n "s/^Mems_allowed_list:[[:space:]]*//p" /proc/$$/status)" \
		"$(cat "$path")" \
		"$(sed -n "s/^[^ ]* \(.*\) heap.*/\1/p" /proc/self/numa_maps)"
}'

# here OPTION... SCRIPT - each task runs the script
here() {
	local script=${*: -1}

	srun -Q -w "$NODE_THIS" "${@:1:$#-1}" bash -c "$say_memory
$script"
}

# touching MB OPTION... - what one task says that touches so much
touching() {
	local total=$1

	shift
	srun -Q -w "$NODE_THIS" -n1 --mem=0 "$@" \
		perl -e "$touch_program" 140 "$total"
}

# memory_near CPU-LIST - the NUMA nodes with one of the CPUs, and those without
# CPUs that the kernel says are nearest to them
memory_near() {
	local cpu node near

	for cpu in $(expand_list "$1"); do
		for node in /sys/devices/system/cpu/cpu"$cpu"/node*; do
			echo "${node##*/node}"
			for near in "$node"/access0/targets/node*; do
				[ ! -e "$near" ] || echo "${near##*/node}"
			done
		done
	done | sort -u | as_list
}

# on_node NODE LINE - MB there, in the last line of touching
on_node() {
	sed -n "s/.* $1:\([0-9]*\).*/\1/p" <<<"$2" | grep . || echo 0
}

# --- fences -----------------------------------------------------------------

case_local() {
	local output cpus mems allowed cgroup policy

	output=$(here -n4 --bunit=N --bamount=1 --bmem=local say_memory)
	echo "$output"
	assert_eq tasks 4 "$(wc -l <<<"$output")"
	assert_eq "NUMA nodes" "0 1 2,4 3" \
		"$(awk '{ print $2 }' <<<"$output" | sort | xargs)"
	while read -r cpus mems allowed cgroup policy; do
		assert_eq "TOPOBIND_MEMS" "$(memory_near "$cpus")" "$mems"
		assert_eq "Mems_allowed_list" "$mems" "$allowed"
		assert_eq "cpuset.mems" "$mems" "$cgroup"
		assert_eq "policy" default "$policy"
	done <<<"$output"
}

case_local_of_other_units() {
	assert_eq "of two sockets' CPUs" "0,15 0,3 0,3 0,3 default" \
		"$(here -n1 --bcpus=0,15 --bmem=local say_memory)"
	assert_eq "of tasks that share" "0-7 0-1 0-1 0-1 default" \
		"$(here -n2 --bunit=S --bamount=1 --btype=host --bmem=local \
			say_memory | sort -u)"
}

# More than there is: killed, and not one page elsewhere.
case_local_is_mandatory() {
	local output status=0

	output=$(touching 560 --bcpus=12-15 --bmem=local) || status=$?
	echo "status $status: $output"
	refute [ "$status" -eq 0 ]
	refute grep -q '^touched 560' <<<"$output"
	assert_eq "lines with another node than 3" "" \
		"$(grep -v -E '^touched [0-9]+ 3:[0-9]+$' <<<"$output")"
	assert [ "$(on_node 3 "${output##*$'\n'}")" -ge 140 ]
}

# The program takes its pick of the memory that it has.
case_memory_without_cpus() {
	local output

	output=$(srun -Q -w "$NODE_THIS" -n1 --bcpus=8-11 --bmem=local \
		numactl --membind=4 perl -e "$touch_program" 60 60)
	echo "$output"
	assert [ "$(on_node 4 "$output")" -ge 60 ]
	refute srun -Q -w "$NODE_THIS" -n1 --bcpus=4-7 --bmem=local \
		numactl --membind=4 true
}

# --- preference -------------------------------------------------------------

case_prefer_is_a_policy() {
	local output cpus mems allowed cgroup policy

	output=$(here -n4 --bunit=N --bamount=1 --bmem=prefer say_memory)
	echo "$output"
	assert_eq "NUMA nodes" "0 1 2,4 3" \
		"$(awk '{ print $2 }' <<<"$output" | sort | xargs)"
	while read -r cpus mems allowed cgroup policy; do
		assert_eq "TOPOBIND_MEMS" "$(memory_near "$cpus")" "$mems"
		assert_eq "Mems_allowed_list" 0-4 "$allowed"
		assert_eq "cpuset.mems" 0-4 "$cgroup"
		# (many), or nothing on old kernels
		assert_eq "preferred nodes" "$mems" "${policy##*:}"
		assert_eq policy prefer "${policy%%[ :(]*}"
	done <<<"$output"
}

case_prefer_is_no_fence() {
	local output last

	output=$(touching 560 --bcpus=12-15 --bmem=prefer)
	last=${output##*$'\n'}
	echo "$output"
	assert_contains "the last line" "touched 560" "$last"
	assert_eq "the first node" 3 \
		"$(sed -n '1s/^touched 140 \([0-9]*\):[0-9]*$/\1/p' <<<"$output")"
	assert [ "$(on_node 3 "$last")" -ge 140 ]
	assert [ "$(on_node 3 "$last")" -lt 512 ]
}

# --- job and step -----------------------------------------------------------

case_script_and_its_steps() {
	local job out=$work/script

	# shellcheck disable=SC2016
	printf '#!/bin/bash\n%s\necho "$1 $(say_memory)"\n' "$say_memory" \
		>"$work/say"
	chmod +x "$work/say"
	job=$(sbatch --parsable -w "$NODE_THIS" -n2 --bunit=N --bamount=1 \
		--bmem=local -o "$out" \
		--wrap "$work/say script; srun -Q $work/say task")
	wait_until 120 is_over "$job"
	cat "$out"
	assert_eq script "0-7 0-1 0-1 0-1 default" \
		"$(sed -n 's/^script //p' "$out")"
	assert_eq tasks $'0-3 0 0 0 default\n4-7 1 1 1 default' \
		"$(sed -n 's/^task //p' "$out" | sort)"
}

case_step_stays_in_its_job() {
	local output

	# shellcheck disable=SC2016
	printf '#!/bin/bash\n%s\nsay_memory\n' "$say_memory" >"$work/step"
	chmod +x "$work/step"
	output=$(salloc -Q -w "$NODE_THIS" -n2 --bunit=N --bamount=1 \
		--bmem=local bash -c "
		for policy in none local prefer; do
			srun -Q -n1 --bamount=1 --bmem=\$policy '$work/step'
		done")
	echo "$output"
	assert_eq "own policy none" "0-1 0-1 0-1 0-1 default" \
		"$(sed -n 1p <<<"$output")"
	assert_eq "own policy local" "0-1 0 0 0 default" \
		"$(sed -n 2p <<<"$output")"
	assert_contains "own policy prefer" "0-1 0 0-1 0-1 prefer" \
		"$(sed -n 3p <<<"$output")"
}

# --- binding again ----------------------------------------------------------

# The cgroup of a task is given another node: its memory goes there.
pages_are_on() {
	[[ $(awk '/heap/ || /anon=/ && !/file=/ {
		for (i = 3; i <= NF; i++)
			if ($i ~ /^N[0-9]+=/) {
				split(substr($i, 2), at, "=")
				pages[at[1]] += at[2]
			}
	}
	END { for (n in pages) if (pages[n] > 256) print n }' \
		"/proc/$1/numa_maps") == "$2" ]]
}

cgroup_of() {
	if [ -d /sys/fs/cgroup/cpuset ]; then
		echo "/sys/fs/cgroup/cpuset$(sed -n 's/^[0-9]*:cpuset://p' "/proc/$1/cgroup")"
	else
		echo "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$1/cgroup")"
	fi
}

case_memory_moves_along() {
	local job pid cgroup

	job=$(alloc -w "$NODE_THIS" -n2 --bunit=N --bamount=1 --bmem=local)
	# shellcheck disable=SC2016
	srun -Q --jobid="$job" perl -e '
		my $memory = "x" x (50 << 20);
		open(my $file, ">", "$ARGV[0]/$ENV{SLURM_PROCID}");
		print $file $$;
		close $file;
		sleep 600' "$work" &
	wait_until 120 test -s "$work/0"
	pid=$(cat "$work/0")
	assert pages_are_on "$pid" 0
	cgroup=$(cgroup_of "$pid")
	echo 1 >"$cgroup/cpuset.mems"
	wait_until 60 pages_are_on "$pid" 1
	scancel "$job"
	wait
}

# --- without task/cgroup ----------------------------------------------------

# Then the step's cgroup is topobind's, too, and has the nodes of all its tasks.
case_step_is_local() {
	local output

	# shellcheck disable=SC2016 # the task's variables
	output=$(srun -Q -w "$NODE_THIS" -n2 --bunit=N --bamount=1 \
		--bmem=local bash -c '
		if [ -d /sys/fs/cgroup/cpuset ]; then
			path=/sys/fs/cgroup/cpuset$(sed -n "s/^[0-9]*:cpuset://p" /proc/self/cgroup)
		else
			path=/sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)
		fi
		echo "$(cat "$path/cpuset.mems") $(cat "$path/../cpuset.mems")"')
	assert_eq "of tasks and step" $'0 0-1\n1 0-1' "$(sort <<<"$output")"
}

# --- memory that is counted -------------------------------------------------

# Of each load, at least those that fill; 500 by hand.
memory_jobs=${TOPOBIND_MEMORY_JOBS:-12}

# UNIT AMOUNT PERCENT: the job's memory, of what a NUMA node can give.  The first seven
# together fill all four, but the first two are too much for one.
mix=("C 1 80" "C 1 75" "N 1 95" "C 1 50" "C 1 45" "C 1 20" "C 1 15" "N 2 190"
	"C 1 80" "C 1 75" "N 1 60" "C 1 55")
filling=7

# MB that jobs can have of the smallest NUMA node with CPUs: its part of RealMemory
# less MemSpecLimit.
memory_of_each() {
	node_token "$NODE_THIS" m_memory | tr , '\n' |
		awk -v usable="$(($(node_field RealMemory) - $(node_field MemSpecLimit)))" '
		{ sum += $1; if (NR == 1 || $1 < least) least = $1 }
		END { print int(least * usable / (sum > usable ? sum : usable)) }'
}

node_field() {
	scontrol show node "$NODE_THIS" | sed -n -E "s/^(.* )?$1=([0-9]+).*/\2/p"
}

# A job says that it has touched all, stays at least until the first ones have, and says
# that it was not killed.
write_toucher() {
	# shellcheck disable=SC2016 # Perl's variables
	echo "$touch_program"'
sub say_it {
	open(my $file, ">", "$ENV{WORK}/$_[0].$ENV{SLURM_JOB_ID}") or die;
}
say_it("touched");
sleep 1 until -e "$ENV{WORK}/go";
sleep 2;
say_it("whole");' >"$work/toucher"
}

# All wait until the partition is up.  A job needs 24 MB beside what it touches.
submit_load() {
	local i each memory unit amount percent

	each=$(memory_of_each)
	scontrol update PartitionName=main State=DOWN
	for ((i = 0; i < memory_jobs; i++)); do
		read -r unit amount percent <<<"${mix[i % ${#mix[@]}]}"
		memory=$((each * percent / 100))
		WORK=$work sbatch -Q -o /dev/null --no-requeue -w "$NODE_THIS" \
			-n1 --btype=host --bunit="$unit" --bamount="$amount" \
			--bmem=local --mem="$memory" \
			--wrap "exec perl '$work/toucher' $((memory - 24)) $((memory - 24))"
	done
	scontrol update PartitionName=main State=UP
}

# MB of programs' memory on the NUMA nodes with CPUs
in_use_by_node() {
	awk '$3 == "AnonPages:" { printf "%d ", $4 / 1024 }' \
		/sys/devices/system/node/node[0-3]/meminfo
	echo
}

oom_kills() {
	awk '$1 == "oom_kill" { print $2 }' /proc/vmstat
}

oom_kills_since() {
	[ "$(oom_kills)" -gt "$1" ]
}

filled_or_kills_since() {
	in_use_by_node >>"$work/samples"
	oom_kills_since "$1" ||
		[ "$(find "$work" -name 'touched.*' | wc -l)" -ge "$filling" ]
}

no_jobs_or_kills_since() {
	in_use_by_node >>"$work/samples"
	oom_kills_since "$1" || no_jobs
}

# run_load - until no job is left or one was killed; what was in use before, and at
# some times, in samples
run_load() {
	rm -f "$work"/touched.* "$work"/whole.* "$work/go"
	write_toucher
	in_use_by_node >"$work/samples"
	submit_load
	wait_until 300 filled_or_kills_since "$1"
	in_use_by_node >>"$work/samples"
	touch "$work/go"
	wait_until $((60 + memory_jobs * 30)) no_jobs_or_kills_since "$1"
	cat "$work/samples"
	echo "OOM kills: $(($(oom_kills) - $1))"
}

# least_filled - percent of EACH that jobs had at least of each NUMA node, at the
# fullest moment
least_filled() {
	awk -v each="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) before[i] = $i; next }
	{
		least = 100
		for (i = 1; i <= NF; i++) {
			part = 100 * ($i - before[i]) / each
			if (part < least)
				least = part
		}
		if (least > most)
			most = least
	}
	END { print int(most) }' "$work/samples"
}

case_counted_is_not_killed() {
	local kills filled

	kills=$(oom_kills)
	run_load "$kills"
	assert_eq "OOM kills" "$kills" "$(oom_kills)"
	assert_eq "jobs that had their memory to their end" "$memory_jobs" \
		"$(find "$work" -name 'whole.*' | wc -l)"
	filled=$(least_filled "$(memory_of_each)")
	echo "all NUMA nodes were filled to $filled percent"
	assert [ "$filled" -ge 75 ]
}

case_uncounted_is_killed() {
	local kills

	kills=$(oom_kills)
	reconfigure_with CountMemory=none
	run_load "$kills"
	assert oom_kills_since "$kills"
}

cluster_start --nodes this
for case in local local_of_other_units local_is_mandatory memory_without_cpus \
	prefer_is_a_policy prefer_is_no_fence script_and_its_steps \
	step_stays_in_its_job memory_moves_along; do
	test_case "${case//_/ }" "case_$case"
done
cluster_stop
cluster_start --nodes this --slurm TaskPlugin=task/topobind
test_case "the step is local, too" case_step_is_local
# Who counts is slurmctld, whatever the cgroups.
[ ! -d /sys/fs/cgroup/cpuset ] || tests_done
cluster_stop
# What is the system's: its daemons and the kernel have memory everywhere.
cluster_start --nodes this --node "this MemSpecLimit=500"
test_case "counted memory is there" case_counted_is_not_killed
test_case "memory that is not counted is not" case_uncounted_is_killed
tests_done
