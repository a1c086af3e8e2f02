#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gpu_memory - --bmem=local+gpu: who may ask for it, and which NUMA nodes tasks get
#
# slurmd sees this machine with two NUMA nodes more, which an XML file says are the
# memory of GPUs: one is that of a PCI device which is there, the first GPU of
# gres.conf.  The second GPU is a device that is at no PCI bus.  Nobody can be held on
# NUMA nodes that are not there: that is test/vm/gpu_memory.sh.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/lib.sh"

# A device file of a PCI device, that nobody will open, into $work/gpu: its address.
make_pci_device() {
	local link target

	for link in /sys/dev/block/* /sys/dev/char/*; do
		target=$(readlink "$link")
		[[ $target =~ .*/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])/ ]] ||
			continue
		mknod "$work/gpu" "$([[ $link == */block/* ]] && echo b || echo c)" \
			"$(cut -d: -f1 <<<"${link##*/}")" "${link##*:}"
		echo "${BASH_REMATCH[1]}"
		return
	done
	echo "Bail out! this machine has no PCI device with a device file"
	exit 1
}

# slurmd_says KEY - of this machine
slurmd_says() {
	slurmd -C | tr ' ' '\n' | sed -n "s/^$1=//p"
}

# make_machine ADDRESS - this machine's shape, with memory of GPUs near all sockets
make_machine() {
	local address=$1

	lstopo-no-graphics --of xml -i "[numa(memory=4GB)] [numa(memory=1GB)] [numa(memory=1GB)] pack:$(slurmd_says SocketsPerBoard) core:$(slurmd_says CoresPerSocket) pu:$(slurmd_says ThreadsPerCore)" |
		sed -E '/type="NUMANode" os_index="[12]"/ {
			s/type="NUMANode"/& subtype="GPUMemory"/
			s/.*os_index="1".*/&\n<info name="PCIBusID" value="'"$address"'"\/>/
			s/.*os_index="2".*/&\n<info name="PCIBusID" value="0004:05:00.0"\/>/
		}' >"$work/machine.xml"
}

start() {
	cluster_start --nodes this,zen --slurm GresTypes=gpu
	give_gres "$NODE_THIS" gpu:a:1,gpu:b:1 "Name=gpu Type=a File=DEVICE0" \
		"Name=gpu Type=b File=DEVICE1"
	give_gres "$NODE_ZEN" gpu:2 "Name=gpu File=DEVICE2" "Name=gpu File=DEVICE3"
	make_machine "$(make_pci_device)"
	ln -sf "$work/gpu" "$cluster/device/0"
	HWLOC_XMLFILE=$work/machine.xml start_with_gres "$NODE_THIS" "$NODE_ZEN"
	wait_until 60 publishes
}

publishes() {
	[ "$(node_token "$NODE_THIS" m_gpu_memory)" = 1-2 ]
}

# here OPTION... - TOPOBIND_MEMS of a task that is told, not held
here() {
	# shellcheck disable=SC2016 # the task's variable
	srun -Q -w "$NODE_THIS" -n1 --bamount=1 --binstance=env "$@" \
		sh -c 'echo "$TOPOBIND_MEMS"'
}

wants=(-n1 --bamount=1 --bmem=local+gpu)

# --- who may ask ------------------------------------------------------------

case_without_gpus() {
	local way

	exits 1 "it asks for none" sbatch -o /dev/null "${wants[@]}" --wrap true
	exits 1 "it asks for none" srun "${wants[@]}" -w "$NODE_THIS" true
	exits 1 "it asks for none" sbatch -o /dev/null -n1 --bamount=1 \
		--bmem=prefer+gpu --wrap true
	exits 2 "it asks for none" topobind plan "${wants[@]}"
	for way in --gpus=a:1 --gpus-per-node=a:1 --gpus-per-task=a:1 \
		--gres=gpu:a:1 --exclusive; do
		assert within 30 srun -Q -w "$NODE_THIS" "${wants[@]}" \
			--binstance=env "$way" true
	done
	# To name it and not to bind is to say nothing.
	assert within 30 srun -Q -w "$NODE_THIS" -n1 --bamount=0 \
		--bmem=local+gpu true
}

# In slurmctld, too, of a job that was changed since.
case_changed() {
	local job

	job=$(batch -H -n1 -w "$NODE_THIS" --bamount=1)
	exits 2 "it asks for none" topobind update "$job" --bmem=local+gpu
	assert_contains "request" "binding=bamount=1" "$(scontrol show job "$job")"
	scancel "$job"
	job=$(batch -H -n1 -w "$NODE_THIS" --bamount=1 --gres=gpu:a:1)
	assert topobind update "$job" --bmem=local+gpu
}

case_node_does_not_know() {
	local job

	exits 1 "no required node knows which NUMA node" sbatch \
		-o /dev/null -w "$NODE_ZEN" "${wants[@]}" --gres=gpu:1 --wrap true
	exits 1 "no required node knows which NUMA node" sbatch \
		-o /dev/null -w "$NODE_ZEN" "${wants[@]}" --exclusive --wrap true
	exits 2 "does not know which memory is that of GPUs" \
		topobind plan -w "$NODE_ZEN" "${wants[@]}" --gres=gpu:1
	# An administrator says that it does, and then that it does not.
	scontrol update NodeName="$NODE_ZEN" Extra="rack=1 m_oscpus= m_gpu_memory=8"
	job=$(alloc -w "$NODE_ZEN" "${wants[@]}" --gres=gpu:1)
	assert_contains "Extra" "rack=1" "$(node_extra "$NODE_ZEN")"
	assert_eq "kept" 8 "$(node_token "$NODE_ZEN" m_gpu_memory)"
	scancel "$job"
	job=$(batch -H -w "$NODE_ZEN" "${wants[@]}" --gres=gpu:1)
	scontrol update NodeName="$NODE_ZEN" Extra="rack=1 m_oscpus= m_gpu_memory="
	scontrol release "$job"
	wait_until 60 reason_has "$job" "of 1 node it is not known which memory is that of GPUs"
	assert_contains "explain" "does not know which memory is that of GPUs" \
		"$(topobind explain "$job" || true)"
	scancel "$job"
	scontrol update NodeName="$NODE_ZEN" Extra="rack=1"
}

# With what a node once said slurmctld goes on.
case_restart() {
	daemon slurmctld stop
	daemon slurmctld start
	wait_until 60 nodes_answer
	assert_eq "published" 1-2 "$(node_token "$NODE_THIS" m_gpu_memory)"
	assert_eq "memory" 0-1 "$(here --bmem=local+gpu --gres=gpu:a:1)"
	scontrol update NodeName="$NODE_THIS" Extra=rack=7
	assert_eq "memory" 0-1 "$(here --bmem=local+gpu --gres=gpu:a:1)"
	wait_until 60 publishes
}

# --- what tasks get ---------------------------------------------------------

case_of_its_gpu() {
	assert_eq "local" 0 "$(here --bmem=local --gres=gpu:a:1)"
	assert_eq "its own" 0-1 "$(here --bmem=local+gpu --gres=gpu:a:1)"
	assert_eq "by preference" 0-1 "$(here --bmem=prefer+gpu --gres=gpu:a:1)"
	assert_eq "with other kinds" 0-1 \
		"$(here --bmem=local+hbm+gpu --gpus-per-task=a:1)"
}

# Of whose GPU nobody knows the memory, the step says so, and does not run.
case_not_known() {
	exits 1 "Linux does not tell the PCI address of $cluster/device/1" \
		here --bmem=local+gpu --gres=gpu:b:1
	exits 1 "Linux does not tell the PCI address" \
		here --bmem=local+gpu --gres=gpu:2
	# In a script, too.
	sbatch -Q -W -w "$NODE_THIS" "${wants[@]}" --binstance=env \
		--gres=gpu:b:1 -o "$work/script" --wrap "touch '$work/ran'" &&
		fail "this must fail"
	assert_contains "script" "PCI address" "$(cat "$work/script")"
	refute [ -e "$work/ran" ]
	assert_eq "the node" idle "$(node_shows "$NODE_THIS" %T)"
}

# Slurm grants GPUs to steps: a step has memory of those that are its own.
case_of_its_step() {
	local output

	# shellcheck disable=SC2016
	output=$(salloc -Q -w "$NODE_THIS" "${wants[@]}" --binstance=env \
		--gres=gpu:a:1,gpu:b:1 bash -c '
		say="echo \$TOPOBIND_MEMS"
		srun -Q --gres=gpu:a:1 sh -c "$say"
		srun -Q --gres=none sh -c "$say"
		srun -Q --gres=none --bamount=1 --binstance=env --bmem=local+gpu \
			sh -c "$say" 2>&1 | grep -o "has no GPUs"
		srun -Q --gres=gpu:b:1 sh -c "$say" 2>&1 |
			grep -o "PCI address of [^ ]*"')
	assert_eq "steps" "0-1
0
has no GPUs
PCI address of $cluster/device/1," "$output"
}

# A script has what its job has.
case_script() {
	# shellcheck disable=SC2016 # the script's variables
	within 60 sbatch -Q -W -w "$NODE_THIS" "${wants[@]}" --binstance=env \
		--gres=gpu:a:1 -o "$work/script" --wrap 'echo $TOPOBIND_MEMS
		srun -Q sh -c "echo \$TOPOBIND_MEMS"'
	assert_eq "script and step" $'0-1\n0-1' "$(cat "$work/script")"
}

# The site's default refuses nobody: who has such a GPU has its memory.
case_site() {
	reconfigure_with MemoryBinding=local+gpu
	assert_eq "without a GPU" 0 "$(here)"
	assert_eq "with its memory" 0-1 "$(here --gres=gpu:a:1)"
	assert_eq "without" 0 "$(here --gres=gpu:b:1)"
	assert_eq "of the one that is known" 0-1 "$(here --gres=gpu:2)"
	assert_eq "of its own word" 0 "$(here --gres=gpu:a:1 --bmem=local)"
	scancel "$(alloc -w "$NODE_ZEN" -n1 --bamount=1 --gres=gpu:1)"
	reconfigure_with MemoryBinding=none
}

start
for case in without_gpus changed node_does_not_know restart of_its_gpu \
	not_known of_its_step script site; do
	test_case "${case//_/ }" "case_$case"
done
tests_done
