#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# questions - an answer is of the job and of what is in use: whatever was asked about the
# job before, in whatever mode, it is that of a slurmctld that has just begun
#
# test/bench/slurmctld_bench.c asks select/topobind in slurmctld, and, to compare,
# select/cons_tres alone.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/harness.bash
. "$test_dir/harness.bash"

seed=${TOPOBIND_SEED:-$((1 + RANDOM % 1000))}
count=${TOPOBIND_REQUESTS:-30}
rounds_of_questions=3
modes=(run will only)

start() {
	local quad=SNXCTTCTTXCTTCTTNXCTTCTTXCTTCTTSNXCTTCTTXCTTCTTNXCTTCTTXCTTCTT
	local node lines

	start_harness --nodes "" --machine "one $quad 2 8 2" \
		--machine "two $quad 2 8 2" --machine "three $quad 2 8 2" \
		--machine "four NSXCTTCTTCTTXCTTCTTCTT 1 6 2" \
		--slurm GresTypes=gpu,nic \
		--slurm "PartitionName=default Nodes=ALL DefCpuPerGPU=2 DefMemPerGPU=100 DefaultTime=10"
	lines=("Name=gpu Type=a File=DEVICE[0-1] Cores=0-7"
		"Name=gpu Type=b File=DEVICE[2-3] Cores=8-15"
		"Name=nic File=DEVICE4")
	for node in "$NODE_ONE" "$NODE_TWO"; do
		give_gres "$node" gpu:a:2,gpu:b:2,nic:1 "${lines[@]}"
	done
	give_gres "$NODE_THREE" gpu:2 "Name=gpu File=DEVICE0 Cores=8-15" \
		"Name=gpu File=DEVICE1 Cores=0-7"
	start_with_gres "$NODE_ONE" "$NODE_TWO" "$NODE_THREE"
}

pick() {
	local -a words=("$@")

	picked=${words[RANDOM % $#]}
}

# In request: options that go together.
make_request() {
	request=''
	pick "-n20 --ntasks-per-gpu=2" "-n4 --ntasks-per-gpu=2" \
		"-N1 -n6 --ntasks-per-gpu=2" "-n3 --gpus-per-task=1" \
		"-n2 --gpus-per-task=2" "-N2 -n5 --gpus-per-task=1" \
		"-N2 -n4 --gpus-per-node=2" "-n4 --gpus=3" "-N2-3 -n6 --gpus=5" \
		"-N1 -n2 --gres=gpu:a:1" "-n2 --gres=gpu:1,nic:1" \
		"-N2 -n2 --gpus=b:3" "-n4 --gpus-per-task=a:1" \
		"-N2 -n4 --ntasks-per-node=2 --gpus=4" "-n3" "-N2 -n7" \
		"-n2 -c3" "-N1-3 --ntasks-per-node=2" \
		"-n4 --gpus=2 --cpus-per-gpu=4" "-n4 --gpus=2 --mem-per-gpu=200" \
		"-n6 --gpus=6 --ntasks-per-gpu=1" "-n2 --gres=gpu:1 --mem=1000"
	request+=" $picked"
	pick "--bunit=C --bamount=1" "--bunit=C --bamount=1" "--bunit=X --bamount=1" \
		"--bunit=C --bamount=2" "--bunit=T --bamount=1" \
		"--bunit=N --bamount=1" "--bunit=C --bamount=3 --btype=host" \
		"--bunit=X:1|C:2"
	request+=" $picked"
	pick '' '' '' --overcommit --gres-flags=enforce-binding \
		--gres-flags=enforce-binding --gres-flags=disable-binding \
		--exclusive --contiguous --use-min-nodes \
		"--hint=nomultithread" "-p default"
	request+=" $picked"
}

# make_jobs - into requests and jobs: three alike of each request, of which each mode is
# asked first about one
make_jobs() {
	local job mode tries=0
	local -a options

	requests=()
	jobs=()
	while [ "${#requests[@]}" -lt "$count" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt $((count * 4)) ] || fail "most are refused: $request"
		make_request
		read -r -a options <<<"$request"
		job=$(sbatch --parsable -o /dev/null -H "${options[@]}" \
			--wrap true 2>/dev/null) || continue
		requests+=("$request")
		jobs+=("$job")
		for mode in "${modes[@]:1}"; do
			jobs+=("$(batch -H "${options[@]}")")
		done
	done
}

# answers_to WHO MODE:JOB... - one line each.  On which nodes a job would start later Slurm
# tells by what was last asked about others, for plain ones, too.
answers_to() {
	local who=$1 word
	local -a few

	shift
	while [ "$#" -gt 0 ]; do
		few=("${@:1:30}")
		shift "${#few[@]}"
		ask ask "$who" "${few[@]}"
	done | sed -n -E 's/^.* mode ([0-9]): /\1 /p' |
		sed -E 's/^0 //; t
			s/^[0-9] (rc [-0-9]*).*( start [0-9]*) .*/\1\2/'
}

# judge WHO - the first answers, and then others in random order; prints what differs
judge() {
	local who=$1 i mode word key
	local -A first=() number=()
	local -a words=() given

	for i in "${!requests[@]}"; do
		for mode in 0 1 2; do
			words+=("${modes[mode]}:${jobs[i * 3 + mode]}")
		done
	done
	mapfile -t given < <(answers_to "$who" "${words[@]}")
	assert_eq answers "${#words[@]}" "${#given[@]}"
	for i in "${!words[@]}"; do
		number[${words[i]#*:}]=$((i / 3))
		first[$((i / 3)) ${words[i]%:*}]=${given[i]}
	done
	words=()
	for ((i = 0; i < rounds_of_questions * ${#jobs[@]}; i++)); do
		pick "${modes[@]}"
		words+=("$picked:${jobs[RANDOM % ${#jobs[@]}]}")
	done
	mapfile -t given < <(answers_to "$who" "${words[@]}")
	assert_eq answers "${#words[@]}" "${#given[@]}"
	for i in "${!words[@]}"; do
		word=${words[i]}
		key="${number[${word#*:}]} ${word%:*}"
		[ "${first[$key]}" = "${given[i]}" ] || echo \
			"${requests[${key% *}]} ${word%:*}: ${first[$key]}, then ${given[i]}"
	done | sort -u
	printf '%s\n' "${first[@]}" >"$work/first-$who"
}

# One that remembers nothing.
compare_anew() {
	local i

	for ((i = 0; i < ${#jobs[@]}; i += 30)); do
		ask differ "$cluster/select_topobind_anew.so" "${jobs[@]:i:30}"
	done | grep -v -x -E '\.|answers .*' || true
}

hold_some() {
	local node

	for node in "$NODE_ONE" "$NODE_TWO" "$NODE_THREE"; do
		pick "" "--gres=gpu:1" "--gres=gpu:2"
		# shellcheck disable=SC2086 # options
		alloc -t $((20 + RANDOM % 40)) -N1 -w "$node" --bunit=C \
			--bamount=$((1 + RANDOM % 12)) $picked >/dev/null
	done
}

# Not by a change of a job that is asked about: Slurm 24.11 gives some with GPUs fewer
# tasks then.
begin_anew() {
	save_state "$(batch -H)"
	restart_slurmctld
	wait_until 60 nodes_answer
	wait_until 60 devices_are_known
}

case_order() {
	local requests jobs request picked differ alone

	RANDOM=$seed
	echo "TOPOBIND_SEED=$seed"
	hold_some
	make_jobs
	begin_anew
	differ=$(judge live)
	differ+=$(compare_anew)
	assert grep -q "^rc 0" "$work/first-live"
	assert grep -q -v "^rc 0" "$work/first-live"
	begin_anew
	alone=$(judge alone)
	echo "what select/cons_tres alone answers in two ways: $alone"
	[ -z "$differ" ] || fail "$differ"
}

start
test_case "the order of questions does not matter" case_order
tests_done
