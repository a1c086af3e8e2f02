#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gres - jobs that ask for units and for GPUs or other GRES have units near them:
# always with --gres-flags=enforce-binding, else where there are any
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

must=--gres-flags=enforce-binding

# Two sockets, in each two NUMA nodes, in each two L3 caches of two cores of two
# threads.  Two GPUs are near each NUMA node, a NIC near each socket.
quad=SNXCTTCTTXCTTCTTNXCTTCTTXCTTCTTSNXCTTCTTXCTTCTTNXCTTCTTXCTTCTT

# sockets NODE COUNT CORES - in Slurm's record of the node
sockets() {
	sed -i -E "/^NodeName=$1 / { s/ Sockets(PerBoard)?=[0-9]+/ Sockets\1=$2/
		s/ CoresPerSocket=[0-9]+/ CoresPerSocket=$3/ }" \
		"$cluster/etc/slurm.conf" "$cluster/etc/virtual/slurm.conf"
}

# Since Slurm 24.11 cores near a device must be whole sockets of the record, and
# these are NUMA nodes, with SlurmdParameters=numa_node_as_socket.
make_sockets_near_devices() {
	slurm_is_from 24.11 || return 0
	sockets "$NODE_QUAD" 4 4
	sockets "$NODE_TURNED" 4 4
	sockets "$NODE_THREAD" 2 4
	sockets "$NODE_THIS" "$(slurmd -C | awk -v RS=' ' -F= '
		$1 ~ /^(SocketsPerBoard|CoresPerSocket)$/ { n = (n ? n : 1) * $2 }
		END { print n }')" 1
}

# Since 25.11 the cores near a device must be one socket of the record, so a NIC
# cannot be near two of them.
near_nic=(0-7 8-15)
! slurm_is_from 25.11 || near_nic=(0-3 8-11)

start() {
	cluster_start --nodes this --machine "quad $quad 2 8 2" \
		--machine "turned $quad 2 8 2" \
		--machine "thread NSXCTTCTTXCTTCTT 1 8 1" \
		--machine "anywhere NSXCTTCTTXCTTCTT 1 4 2" \
		--slurm GresTypes=gpu,nic \
		--slurm PreemptType=preempt/partition_prio \
		--slurm PreemptMode=CANCEL \
		--slurm "PartitionName=urgent Nodes=ALL PriorityTier=10 DefaultTime=10"
	give_gres "$NODE_QUAD" gpu:a:4,gpu:b:4,nic:2 \
		"Name=gpu Type=a File=DEVICE[0-1] Cores=0-3" \
		"Name=gpu Type=a File=DEVICE[2-3] Cores=4-7" \
		"Name=gpu Type=b File=DEVICE[4-5] Cores=8-11" \
		"Name=gpu Type=b File=DEVICE[6-7] Cores=12-15" \
		"Name=nic File=DEVICE8 Cores=${near_nic[0]}" \
		"Name=nic File=DEVICE9 Cores=${near_nic[1]}"
	# The first GPUs are near the last cores, as on some real machines.
	give_gres "$NODE_TURNED" gpu:4 \
		"Name=gpu File=DEVICE0 Cores=12-15" \
		"Name=gpu File=DEVICE1 Cores=8-11" \
		"Name=gpu File=DEVICE2 Cores=4-7" \
		"Name=gpu File=DEVICE3 Cores=0-3"
	# Counted in threads: so are the cores.
	give_gres "$NODE_THREAD" gpu:2 "Name=gpu File=DEVICE0 Cores=4-7" \
		"Name=gpu File=DEVICE1 Cores=0-3"
	give_gres "$NODE_ANYWHERE" gpu:2 "Name=gpu File=DEVICE[0-1]"
	give_gres "$NODE_THIS" gpu:2 "Name=gpu File=DEVICE0 Cores=1" \
		"Name=gpu File=DEVICE1 Cores=0"
	make_sockets_near_devices
	start_with_gres "$NODE_QUAD" "$NODE_TURNED" "$NODE_THREAD" \
		"$NODE_ANYWHERE" "$NODE_THIS"
}

# --- who has what -----------------------------------------------------------

# devices NAME [JOB] - "job node NAME number" for each device of running jobs
devices() {
	scontrol -d show job ${2:+"$2"} | awk -v name="$1" '
	/^JobId=/ { split($1, id, "="); job = id[2] }
	/^ *Nodes=.* CPU_IDs=.* GRES=/ {
		node = $1
		sub(/.*Nodes=/, "", node)
		list = $0
		sub(/.* GRES=/, "", list)
		while (match(list, name "[^(]*\\(IDX:[0-9,-]*")) {
			part = substr(list, RSTART, RLENGTH)
			list = substr(list, RSTART + RLENGTH)
			sub(/.*IDX:/, "", part)
			n = split(part, ranges, ",")
			for (i = 1; i <= n; i++) {
				m = split(ranges[i], ends, "-")
				for (d = ends[1]; d <= ends[m]; d++)
					print job, node, name, d
			}
		}
	}'
}

gpu_numbers() {
	devices gpu "$1" | awk -v node="$2" '$2 == node { print $4 }' | as_list
}

# has JOB NODE CPUS GPUS
has() {
	assert_granted "$1" "$2" "$3"
	assert_eq "GPUs of job $1 on $2" "$4" "$(gpu_numbers "$1" "$2")"
}

# gets CPUS GPUS OPTION... - a job gets these on a node, and is over then
gets() {
	local node=${node:-$NODE_QUAD} cpus=$1 gpus=$2 job

	shift 2
	echo "on $node: $*"
	job=$(alloc -N1 -w "$node" "$@")
	has "$job" "$node" "$cpus" "$gpus"
	cancel "$job"
}

refused() {
	local output

	if output=$(within 30 sbatch -N1 -o /dev/null "$@" --wrap true 2>&1); then
		fail "accepted: $*"
	fi
	assert_contains "message" "node configuration is not available" "$output"
	assert no_jobs
}

# --- cases ------------------------------------------------------------------

# All that fits near one place is there; what must and what may be are the same.
case_near() {
	local flags

	for flags in "" "$must"; do
		# shellcheck disable=SC2086 # no word or one
		set -- $flags
		gets 0-1 0 --gres=gpu:1 --bamount=1 "$@"
		gets 0-7 0-1 --gres=gpu:2 -n4 --bamount=1 "$@"
		gets 16-23 4-5 --gres=gpu:b:2 -n2 --bunit=X --bamount=1 "$@"
		gets 16-31 4,6 --gpus=b:2 -N1 --bunit=S --bamount=1 "$@"
		gets 16-17 4 --gpus-per-node=b:1 --btype=host --bamount=1 "$@"
		gets 16-19 4 --gres=gpu:b:1 --btype=host --bamount=2 "$@"
		gets 24-25 6 --gres=gpu:b:1 --bcpus=24-25 "$@"
		# Each task has its own, and its units are near it.
		gets 0-15 0,2 --gpus-per-task=1 -n2 --bunit=N --bamount=1 "$@"
		gets 0-3,8-11 0-3 --gpus-per-task=1 -n4 --bamount=1 "$@"
		gets 0-31 0-7 --gpus-per-task=2 -n4 --bunit=N --bamount=1 "$@"
		# More GPUs than one place has: each task has a share.
		gets 0-3,8-11 0-3 --gres=gpu:4 -n4 --bamount=1 "$@"
		gets 0-1,8-9,16-17,24-25 0-7 --gpus-per-node=8 -n4 \
			--bamount=1 "$@"
		gets 0-15 0,2 --gres=gpu:2 --btype=host --bunit=N --bamount=2 "$@"
		# What the user says about places is heard.
		gets 0-1,16-17 0,4 --gres=gpu:2 -n2 --bstrategy=scatter \
			--bamount=1 "$@"
	done
}

case_other_devices() {
	local job

	job=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:b:1,nic:1 -n4 --bamount=1 "$must")
	has "$job" "$NODE_QUAD" 16-23 4
	assert_eq NIC 1 "$(devices nic "$job" | awk '{ print $4 }')"
	cancel "$job"
	job=$(alloc -N1 -w "$NODE_QUAD" --gres=nic:2 -n2 --bamount=1 "$must")
	assert_granted "$job" "$NODE_QUAD" 0-1,16-17
	assert_eq NICs "0 1" "$(devices nic "$job" | awk '{ print $4 }' | xargs)"
	cancel "$job"
	# Both sockets are needed for two NICs, one GPU is near neither.
	refused -w "$NODE_QUAD" --gres=nic:2,gpu:1 -n2 --bamount=1 "$must"
}

case_turned_around() {
	local node=$NODE_TURNED

	gets 0-1 3 --gres=gpu:1 --bamount=1 "$must"
	gets 0-1 3 --gres=gpu:1 --bamount=1
	gets 24-31 0 --gres=gpu:1 --bcpus=24-31
	gets 0-15 2-3 --gres=gpu:2 -n2 --bunit=N --bamount=1
	node=$NODE_THREAD
	gets 0 1 --gres=gpu:1 --bunit=T --bamount=1 "$must"
	gets 4-7 0 --gres=gpu:1 --bcpus=4-7 "$must"
	gets 0,4 0-1 --gres=gpu:2 -n2 --bunit=T --bamount=1 "$must"
	gets 0-3 1 --gres=gpu:1 -n2 --bunit=C --bamount=1
	refused -w "$node" --gres=gpu:1 --bunit=T -n5 --bamount=1 "$must"
	# Without Cores= all cores are near.
	node=$NODE_ANYWHERE
	gets 0-7 0 --gres=gpu:1 --bunit=S --bamount=1 "$must"
	gets 0-7 0-1 --gres=gpu:2 -n4 --bamount=1 "$must"
}

# All tasks of a GPU share the slot of their node: Slurm would want CPUs for each.
case_overcommit() {
	local node=$NODE_ANYWHERE

	gets 0-1 0 -O --gpus=1 --ntasks-per-gpu=2 --bamount=1
	gets 0-1 0-1 -O -n4 --ntasks-per-gpu=2 --bamount=1
	gets 0-7 0 -O --gpus=1 --ntasks-per-gpu=4 -c2 --bunit=S --bamount=1
	gets 0-3 0 -O --gpus=1 --ntasks-per-gpu=3 --btype=host --bamount=2
	node=$NODE_QUAD
	gets 0-1 0 -O --gpus=a:1 --ntasks-per-gpu=2 --bamount=1
}

case_any_cores() {
	local node=$NODE_QUAD job

	# The user says that nearness does not count.
	gets 0-3 0-1 --gpus-per-task=1 -n2 --bamount=1 \
		--gres-flags=disable-binding
	gets 0-7 0-3 --gres=gpu:4 -n4 --bamount=1 --gres-flags=disable-binding
	# Jobs without GPUs are not moved away from them.
	job=$(alloc -N1 -w "$NODE_QUAD" -n2 --bamount=1)
	assert_granted "$job" "$NODE_QUAD" 0-3
	cancel "$job"
	job=$(alloc -N1 -w "$NODE_QUAD" -n2 --gres=gpu:1)
	assert_eq "GPU of a plain job" 0 "$(gpu_numbers "$job" "$NODE_QUAD")"
	assert_eq "CPUs of a plain job" 0-1 "$(cpu_ids "$job")"
	cancel "$job"
	job=$(alloc -N1 -w "$NODE_QUAD" -n2 --gres=gpu:b:1 "$must")
	assert_eq "GPU of a plain job" 4 "$(gpu_numbers "$job" "$NODE_QUAD")"
	assert_eq "CPUs of a plain job" 16-17 "$(cpu_ids "$job")"
}

# GPUs that others have do not make units better, and one that is left alone is
# taken before a pair is broken.
case_busy_devices() {
	local node=$NODE_QUAD first second

	first=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:2 --bamount=1)
	has "$first" "$NODE_QUAD" 0-1 0-1
	gets 8-15 2 --gres=gpu:1 -n4 --bamount=1
	second=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:b:1 --bamount=1)
	has "$second" "$NODE_QUAD" 16-17 4
	gets 18-19 5 --gres=gpu:1 --bamount=1 "$must"
	gets 8-9 2-3 --gres=gpu:2 --bamount=1 "$must"
	cancel "$first"
	gets 0-1,8-9 0-3 --gres=gpu:a:4 -n2 --bamount=1 "$must"
}

# Units are held near the GPUs that are free: must waits, and prefer does not.
case_units_are_held() {
	local units gpus waiting

	gpus=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:b:4 --bunit=S --bamount=1)
	has "$gpus" "$NODE_QUAD" 16-31 4-7
	units=$(alloc -N1 -w "$NODE_QUAD" --bcpus=0-15)
	cancel "$gpus"
	waiting=$(batch -N1 -w "$NODE_QUAD" --gres=gpu:a:1 -n2 --bamount=1 "$must")
	wait_until 20 waits_for "$waiting" \
		"only 0 of 2 slots are free near free GRES, as --gres-flags=enforce-binding asks"
	assert is_pending "$waiting"
	cancel "$waiting"
	waiting=$(batch -N1 -w "$NODE_QUAD" --gres=gpu:a:1 -n2 --bamount=1)
	wait_until 20 runs "$waiting"
	has "$waiting" "$NODE_QUAD" 16-19 0
	cancel "$waiting"
	waiting=$(batch -N1 -w "$NODE_QUAD" --gres=gpu:a:1 -n2 --bamount=1 "$must")
	wait_until 20 was_passed_over "$waiting"
	cancel "$units"
	wait_until 20 runs "$waiting"
	has "$waiting" "$NODE_QUAD" 0-3 0
	refute waits_for "$waiting" ""
}

# As many as are near are, and the others anywhere.
case_some_are_near() {
	local units job

	units=$(alloc -N1 -w "$NODE_QUAD" --bcpus=0-13)
	job=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:a:1 -n3 --bamount=1)
	has "$job" "$NODE_QUAD" 14-19 2
	cancel "$job"
	cancel "$units"
}

case_never_possible() {
	local node=$NODE_QUAD

	refused -w "$NODE_QUAD" --gres=gpu:1 -n5 --bamount=1 "$must"
	refused -w "$NODE_QUAD" --gpus-per-node=8 --bunit=N --bamount=1 "$must"
	refused -w "$NODE_QUAD" --gres=gpu:1 --btype=host --bunit=N --bamount=2 \
		"$must"
	refused -w "$NODE_QUAD" --gres=gpu:a:1 --bcpus=16-17 "$must"
	refused -w "$NODE_QUAD" --gpus-per-task=2 -n1 --bunit=N --bamount=3 "$must"
	# The node that the job requires has no such device.
	refused -w "$NODE_THREAD" --gres=gpu:a:1 -n1 --bamount=1
	# All of that is only what must be: near is near enough else.
	gets 0-9 0 --gres=gpu:1 -n5 --bamount=1
	gets 16-17 0 --gres=gpu:a:1 --bcpus=16-17
}

case_several_nodes() {
	local job

	job=$(alloc -w "$NODE_QUAD,$NODE_TURNED" -N2 -n4 --gpus-per-task=1 \
		--bamount=1 "$must")
	has "$job" "$NODE_QUAD" 0-3 0-1
	has "$job" "$NODE_TURNED" 0-1,8-9 2-3
	cancel "$job"
	job=$(alloc -w "$NODE_QUAD,$NODE_TURNED" -N2 -n2 --gres=gpu:1 \
		--bunit=N --bamount=1)
	has "$job" "$NODE_QUAD" 0-7 0
	has "$job" "$NODE_TURNED" 0-7 3
	cancel "$job"
	# Slurm says how many of them are where.
	job=$(alloc -w "$NODE_QUAD,$NODE_TURNED" -N2 -n8 --gpus=6 --bamount=1 \
		"$must")
	assert_eq "GPUs" 6 "$(devices gpu "$job" | wc -l)"
	assert_near "$job"
}

# --test-only looks at units and GPUs together.
case_start_is_told() {
	# The GPUs are back in five minutes, the units near them in ten.
	alloc -w "$NODE_TURNED" -t 5 --gres=gpu:4 --bamount=1 >/dev/null
	alloc -w "$NODE_TURNED" -t 10 --bcpus=2-31 >/dev/null
	assert_told 9 20 -t 5 -w "$NODE_TURNED" --gres=gpu:1 -n3 --bamount=1 "$must"
}

# Steps side by side: each has a slot and the GPU that is near it.
case_steps() {
	local file=$work/steps

	sbatch -W -Q -o /dev/null -w "$NODE_TURNED" -n4 --gpus-per-task=1 \
		--bamount=1 --wrap "
		for i in 1 2 3 4; do
			srun -n1 --exact --gpus=1 sh -c '
			echo \$CUDA_VISIBLE_DEVICES \$TOPOBIND_TOPOLOGY
			touch $file.\$SLURM_STEP_ID
			until [ -e $file.0 ] && [ -e $file.1 ] &&
				[ -e $file.2 ] && [ -e $file.3 ]; do
				sleep 0.1
			done' &
		done >$file
		wait"
	cat "$file"
	assert_eq "GPU and threads of each step" "0 24-25,1 16-17,2 8-9,3 0-1" \
		"$(while read -r gpu topology; do
			echo "$gpu $(lower_threads "$topology")"
		done <"$file" | sort | paste -sd,)"
}

# A real machine: the task is held on a core, and has the GPU near it.
case_closest() {
	# shellcheck disable=SC2016 # the task's variables
	srun -Q -w "$NODE_THIS" -n2 --gpus-per-node=2 --gpu-bind=closest \
		--bamount=1 sh -c 'sed -n "s/^Cpus_allowed_list:[[:space:]]*/$CUDA_VISIBLE_DEVICES /p" /proc/self/status' |
		sort >"$work/closest"
	assert_eq "GPU and CPU" "0 1,1 0" "$(paste -sd, "$work/closest")"
}

# One of two jobs makes way: the one whose GPUs and units are taken.
case_preemption() {
	local first second urgent

	first=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:a:2 --bunit=N --bamount=1)
	second=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:a:2 --bunit=N --bamount=1)
	has "$first" "$NODE_QUAD" 0-7 0-1
	has "$second" "$NODE_QUAD" 8-15 2-3
	urgent=$(alloc -p urgent -N1 -w "$NODE_QUAD" --gres=gpu:a:1 -n2 \
		--bamount=1 "$must")
	assert_near "$urgent"
	assert_eq "jobs that are left" 2 "$(squeue -h -t R -o %i | wc -l)"
	assert_no_contradictions
}

# Bound by the site: the tasks share units, which are near the GPUs of all.
case_implicit() {
	local node=$NODE_QUAD

	reconfigure_with Implicit=yes
	gets 16-19 4-5 --gres=gpu:b:2 -n2 -c2 "$must"
	gets 16-23 4-5 --gpus-per-task=b:1 -n2 -c4
	gets 0-19 0 --gres=gpu:1 -n10
	refused -w "$node" --gres=gpu:1 -n10 "$must"
	reconfigure_with Implicit=no
}

case_restart() {
	local first second

	first=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:2 --bunit=N --bamount=1 "$must")
	daemon slurmctld stop
	daemon slurmctld start
	wait_until 60 runs "$first"
	has "$first" "$NODE_QUAD" 0-7 0-1
	second=$(alloc -N1 -w "$NODE_QUAD" --gres=gpu:2 -n2 --bamount=1 "$must")
	has "$second" "$NODE_QUAD" 8-11 2-3
	assert_no_contradictions
}

# --- many jobs --------------------------------------------------------------

# not_near [JOB] - what of running jobs is not near: their cores that no GPU of
# theirs is near, and GPUs near none of their cores.  By what gres.conf says.
not_near() {
	{
		sed -n -E "s/^NodeName=([^ ]*) Name=gpu .*File=[^ ]*\/(\[?)([0-9-]*)\]? Cores=([0-9-]*)/near \1 \3 \4/p" \
			"$cluster/etc/gres.conf"
		devices gpu "${1:-}"
		facts
	} | awk -v only="${1:-}" -v single="$NODE_THREAD" '
	function ends(range, at) {
		if (split(range, at, "-") == 1) at[2] = at[1]
	}
	$1 == "near" {
		ends($3, device)
		ends($4, core)
		for (d = device[1]; d <= device[2]; d++)
			for (c = core[1]; c <= core[2]; c++)
				near[$2, d, c]
	}
	$3 == "gpu" { gpus[$1, $2] = gpus[$1, $2] " " $4 }
	$1 == "cpu" && (only == "" || $2 == only) {
		cores[$2, $3] = cores[$2, $3] " " \
			($3 == single ? $4 : int($4 / 2))
	}
	END {
		for (place in gpus) {
			split(place, at, SUBSEP)
			n = split(gpus[place], has, " ")
			m = split(cores[place], on, " ")
			if (!m) print at[1], "has no cores on", at[2]
			for (i = 1; i <= n; i++) {
				found = 0
				for (j = 1; j <= m; j++)
					found += (at[2], has[i], on[j]) in near
				if (!found) print at[1], at[2], "GPU", has[i]
			}
			for (j = 1; j <= m; j++) {
				found = 0
				for (i = 1; i <= n; i++)
					found += (at[2], has[i], on[j]) in near
				if (!found) print at[1], at[2], "core", on[j]
			}
		}
	}'
}

assert_near() {
	local seen

	seen=$(not_near "$1")
	[ -z "$seen" ] || fail "not near: $seen"
}

# All running jobs are looked at, again and again while some end and others
# start.  Those with enforce-binding have that as their name.
case_many_jobs() {
	local seed=20260 _ options nodes jobs looked=0 checked=0

	nodes=("$NODE_QUAD" "$NODE_TURNED" "$NODE_THREAD")
	for _ in {1..50}; do
		options=(-N1 -w "${nodes[$(random 3)]}" "-n$((1 + $(random 3)))"
			--bamount="$((1 + $(random 2)))")
		case $(random 4) in
		0) options+=(--gpus-per-task=1) ;;
		1) options+=(--gres=gpu:1) ;;
		*) options+=(--gpus-per-node="$((1 + $(random 2)))") ;;
		esac
		[ "$(random 3)" = 0 ] || options+=(--bunit=X)
		[ "$(random 3)" = 0 ] || options+=("$must" -J must)
		# Some can never run.
		(batch "${options[@]}") >/dev/null 2>&1 || true
	done
	while [ -n "$(squeue -h -o %i)" ]; do
		wait_until 60 some_run
		mapfile -t jobs < <(squeue -h -t R -o %i | head -n 4)
		look
		cancel "${jobs[@]}"
	done
	echo "looked $looked times, at $checked jobs"
	# Each that could run, once at least.
	[ "$checked" -ge 10 ] || fail "only $checked jobs were looked at"
}

some_run() {
	[ -n "$(squeue -h -t R -o %i)" ]
}

# random BELOW - the same numbers on every run.  The caller's: in a subshell it
# would be forgotten.
random() {
	local file=$work/random state

	state=$(cat "$file" 2>/dev/null || echo "$seed")
	state=$(((state * 1103515245 + 12345) % 2147483648))
	echo "$state" >"$file"
	echo $((state / 65536 % $1))
}

look() {
	local far must_jobs

	looked=$((looked + 1))
	assert_no_contradictions
	assert_eq "GPUs with two jobs" "" \
		"$(devices gpu | awk '{ print $2, $4 }' | sort | uniq -d)"
	far=$(not_near)
	must_jobs=$(squeue -h -t R -n must -o %i | sort)
	checked=$((checked + $(grep -c . <<<"$must_jobs" || true)))
	far=$(awk '{ print $1 }' <<<"$far" | sort -u | comm -12 - \
		<(echo "$must_jobs") | grep . || true)
	[ -z "$far" ] || fail "not near: $far: $(not_near)"
}

start
test_case "units are near GPUs, and GPUs near units" case_near
test_case "other devices, and two kinds" case_other_devices
test_case "devices in another order, threads, and no Cores=" case_turned_around
test_case "disable-binding, and jobs without binding or devices" case_any_cores
test_case "tasks of a GPU that share a slot" case_overcommit
test_case "devices that others have" case_busy_devices
test_case "units that others have: wait, or elsewhere" case_units_are_held
test_case "as many are near as can be" case_some_are_near
test_case "what can never be near is refused" case_never_possible
test_case "several nodes" case_several_nodes
test_case "--test-only knows both" case_start_is_told
test_case "steps have the GPU near their slot" case_steps
test_case "--gpu-bind=closest finds the one GPU" case_closest
test_case "preemption" case_preemption
test_case "bound by the site" case_implicit
test_case "slurmctld is started again" case_restart
test_case "many jobs" case_many_jobs
tests_done
