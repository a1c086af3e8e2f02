#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# site_answers - jobs that the site binds (Implicit=yes), with GPUs and parts of GPUs:
# explain and plan tell what the controller does, or that only it knows
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/integration/same_answers.bash
. "$test_dir/same_answers.bash"
# shellcheck source=test/integration/near_requests.bash
. "$test_dir/near_requests.bash"

start() {
	cluster_start --nodes "" --machine "quad $quad 4 4 2 - 4000,4000,4000,4000" \
		--machine "turned $quad 4 4 2 - 4000,4000,4000,4000" \
		--machine "thread NSXCTTCTTXCTTCTT 2 4 1" \
		--machine "anywhere NSXCTTCTTXCTTCTT 1 4 2" \
		--slurm GresTypes=gpu,shard
	give_gres "$NODE_QUAD" gpu:a:4,gpu:b:4 \
		"Name=gpu Type=a File=DEVICE[0-1] Cores=0-3" \
		"Name=gpu Type=a File=DEVICE[2-3] Cores=4-7" \
		"Name=gpu Type=b File=DEVICE[4-5] Cores=8-11" \
		"Name=gpu Type=b File=DEVICE[6-7] Cores=12-15"
	give_gres "$NODE_TURNED" gpu:4,shard:8 \
		"Name=gpu File=DEVICE0 Cores=12-15" \
		"Name=gpu File=DEVICE1 Cores=8-11" \
		"Name=gpu File=DEVICE2 Cores=4-7" \
		"Name=gpu File=DEVICE3 Cores=0-3" \
		"Name=shard Count=8"
	give_gres "$NODE_THREAD" gpu:2 "Name=gpu File=DEVICE0 Cores=4-7" \
		"Name=gpu File=DEVICE1 Cores=0-3"
	give_gres "$NODE_ANYWHERE" gpu:2,shard:4 \
		"Name=gpu File=DEVICE[0-1]" "Name=shard Count=4"
	start_with_gres "$NODE_QUAD" "$NODE_TURNED" "$NODE_THREAD" \
		"$NODE_ANYWHERE"
}

# plan_field FIELD OPTION...
plan_field() {
	{ topobind plan --json "${@:2}" || true; } | jq -rc ".$1"
}

# --- one case after the other --------------------------------------------------------

# GPUs are free, and units, but not near each other.
case_none_near() {
	local holder
	local -a options=(-t 5 -N1 -w "$NODE_THREAD" -n2 --gpus-per-task=1)

	reconfigure_with Implicit=yes DefaultUnit=C
	holder=$(alloc -t 20 -N1 -w "$NODE_THREAD" --bcpus=0-3)
	compare_answers 3 "${options[*]}" "${options[*]} $must" \
		"-t 5 -N1 -w $NODE_THREAD -n3 --gres=gpu:1 $must"
	assert_eq "with $must" "later $(end_of "$holder")" \
		"$(planned "${options[@]}" "$must")"
	assert_eq "near if possible" now "$(planned "${options[@]}")"
	drain
}

end_of() {
	date -d "$(job_field "$1" EndTime)" +%s
}

# The site's binding gives way to what a job asks for, in the plan, too.
case_gives_way() {
	local option job
	local -a options

	reconfigure_with Implicit=yes DefaultUnit=X
	assert_eq "bound by the site" "implicit,bunit=X,btype=host" \
		"$(plan_field request -N1 -w "$NODE_TURNED" -n2 --gres=gpu:1)"
	for option in "--gres=gpu:1 --cpus-per-gpu=2" --ntasks-per-socket=1 \
		"--gpus-per-socket=1 --sockets-per-node=2" --mincpus=6 \
		--bamount=0; do
		read -r -a options <<<"-t 5 -N1 -w $NODE_TURNED -n2 $option"
		assert_eq "plan of $option" 'now []' \
			"$(plan_field answer "${options[@]}") $(plan_field units "${options[@]}")"
		job=$(alloc "${options[@]}")
		assert_eq "binding with $option" "" "$(comment_word "$job" binding)"
		cancel "$job"
	done
	# Where the site does not let jobs have other cores for the system.
	assert_eq "plan of --core-spec" "implicit,bunit=X,btype=host" \
		"$(plan_field request -w "$NODE_TURNED" -n2 --core-spec=1)"
	job=$(alloc -w "$NODE_TURNED" -n2 --core-spec=1)
	assert_eq "binding with --core-spec" "implicit,bunit=X,btype=host" \
		"$(comment_word "$job" binding)"
	cancel "$job"
	reconfigure_with
	assert_eq "no implicit binding" null \
		"$(plan_field request -N1 -w "$NODE_TURNED" -n2)"
}

# shards COUNT MINUTES - of one GPU; the job
shards() {
	alloc -t "$2" -N1 -w "$NODE_TURNED" --gres="shard:$1" --bunit=C --bamount=1
}

# A GPU of which jobs have shards is nobody's as a whole until the last of them ends.
case_parts() {
	local one two gpu job
	local -a options=(-t 5 -N1 -w "$NODE_TURNED" --bunit=C --bamount=1)

	reconfigure_with
	one=$(shards 2 20)
	two=$(shards 1 30)
	gpu=$(shards 1 40)
	[ "$(gpus_of "$two")" = "$(gpus_of "$gpu")" ] ||
		fail "jobs $two and $gpu have no GPU together"
	compare_answers 5 "${options[*]} --gres=gpu:2" "${options[*]} --gres=gpu:3" \
		"${options[*]} --gres=gpu:4" "${options[*]} --gres=gpu:3 $must -n2" \
		"${options[*]} --gpus-per-task=1 -n3"
	# Slurm 22.05 would start it.
	job=$(batch "${options[@]}" --gpus-per-task=1 -n3)
	wait_until 20 was_passed_over "$job"
	cancel "$job"
	job=$(batch "${options[@]}" --gres=gpu:4)
	wait_until 20 was_passed_over "$job"
	assert_eq "must end" "$(printf '%s\n' "$one" "$two" "$gpu" | sort -n)" \
		"$(explained "$job" | jq -r '.must_end[].job' | sort -n)"
	assert_contains "note" "2 of 4 gpu free, 4 are asked for" \
		"$(explained "$job")"
	drain
}

# Whether a GPU has as many shards free nobody tells, nor how GPUs are dealt out.
case_not_known() {
	local job

	reconfigure_with Implicit=yes DefaultUnit=C
	job=$(batch -H -t 5 -N2 -n2 --gpus=3)
	wait_until 20 all_show_bindings "$job"
	assert_eq "of several nodes" unknown "$(explained_in_short "$job")"
	assert_contains "summary" "only slurmctld knows how many of its GRES" \
		"$(explained "$job" | jq .summary)"
	cancel "$job"
	job=$(batch -H -t 5 -N1 -n2 --gres=shard:2)
	wait_until 20 all_show_bindings "$job"
	assert_eq "fits" '[null,null]' \
		"$(explained "$job" | jq -c '[.fits_now, .would_fit]')"
	assert_contains "summary" \
		"there are units for it now, only slurmctld knows whether" \
		"$(explained "$job" | jq .summary)"
	assert_contains "a node without" "0 shard there, 2 are asked for" \
		"$(explained "$job")"
	cancel "$job"
	assert_eq "plan" now "$(planned -t 5 -N1 -n2 --gres=shard:2)"
	assert_eq "of one GPU" never "$(planned -t 5 -N1 -n2 --gres=shard:3)"
	assert_eq "units of the plan" "" "$(units_of_plan -N1 -n2 --gres=shard:3)"
}

# --- random ones ---------------------------------------------------------------------

pick() {
	local -a words=("$@")

	picked=${words[RANDOM % $#]}
}

# In request: options that go together.
make_request() {
	pick "-N1 --gres=gpu:1 -n1" "-N1 -n2 --gres=gpu:2" "-N1 -n1 --gpus=2" \
		"-N1 -n2 --gpus=3" "-N1-2 -n4 --gpus=4" "-N2 -n2 --gpus=5" \
		"-N2 -n3 --gpus=2" "-n2 --gpus-per-task=1" \
		"-N1 -n3 --gpus-per-task=1" "-N1 -n2 --gpus-per-task=2" \
		"-N1 --gres=gpu:b:3 -n2" "-N1 --gres=gpu:a:1 -n3" \
		"-N2 -n2 --gpus-per-node=1" "-N1 -n4 --ntasks-per-gpu=2" \
		"-N1 -n2 --gres=shard:2" "-N1 -n1 --gres=shard:1" \
		"-N2 -n3 --gres=shard:1" "-N1 -n9" "-n20"
	request="-t 5 $picked"
	pick '' '' -c2 -c3 -c5 -c8
	request+=" $picked"
	if [[ $request = *gres* || $request = *gpu* ]]; then
		pick "$must" "$must" "$must" '' --gres-flags=disable-binding
		request+=" $picked"
	fi
	# Of 1000000 a node has memory for three; a NUMA node has 4000 MB.
	pick '' '' '' "--bmem=local --mem=3000" "--bmem=local --mem-per-cpu=400" \
		"--bmem=local --mem-per-gpu=1500" --mem-per-gpu=300000
	[[ $picked != *gpu* || $request = *gpu* ]] || picked=
	request+=" $picked"
	pick '' '' '' --bstrategy=scatter "-x $NODE_QUAD" "-x $NODE_QUAD,$NODE_TURNED"
	request+=" $picked"
}

# Some of the units, and some of the GPUs or of their shards, of each node.
hold_some() {
	local node
	local -a options

	for node in "$NODE_QUAD" "$NODE_QUAD" "$NODE_TURNED" "$NODE_TURNED" \
		"$NODE_THREAD" "$NODE_ANYWHERE"; do
		pick --gres=gpu:1 --gpus=1 "" "-n2 --gpus-per-task=1" \
			"--bmem=local --mem=2500"
		[ "$node" = "$NODE_QUAD" ] || [ "$node" = "$NODE_THREAD" ] ||
			pick --gres=gpu:1 --gres=shard:1 --gres=shard:2 "$picked"
		read -r -a options <<<"-c$((1 + RANDOM % 4)) $picked"
		alloc -t $((20 + RANDOM % 40)) -N1 -w "$node" "${options[@]}" \
			>/dev/null
	done
}

bind_to() {
	reconfigure_with Implicit=yes DefaultUnit="$1"
}

case_random() {
	echo "TOPOBIND_SEED=$1"
	bind_to "$2"
	compare_random "$1" "$count" hold_some make_request
	drain
}

# When it is asked and when it starts Slurm can prefer other nodes.
make_request_for_node() {
	make_request
	pick "$NODE_QUAD" "$NODE_TURNED" "$NODE_THREAD" "$NODE_ANYWHERE"
	request="${request%-x *} -w $picked"
}

case_units() {
	echo "TOPOBIND_SEED=$1"
	bind_to "$2"
	compare_units "$1" "$count" hold_some make_request_for_node
	drain
}

start
test_case "GPUs and units that are not near each other" case_none_near
test_case "options to which the binding gives way" case_gives_way
test_case "GPUs of which jobs have shards" case_parts
test_case "shards, and GPUs of several nodes" case_not_known
test_case "the same answer as the controller's, cores" case_random "$seed" C
test_case "the same answer as the controller's, caches" case_random $((seed + 1)) X
test_case "the units of plan are those that the job gets" case_units $((seed + 2)) C
tests_done
