#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gpu_memory - --bmem=local+gpu on a machine with several NUMA nodes
#
# Runs in the guest of test/vm.  slurmd sees it with its NUMA nodes 3 and 4 as the
# memory of two PCI devices, its disks, which gres.conf says are GPUs.  What tasks are
# held on is what the kernel says.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

pci_address() {
	readlink -f "/sys/dev/block/$(cat "/sys/block/$1/dev")" | tr / '\n' |
		grep -E '^[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$' | tail -n 1
}

# This machine, where NUMA node 4 is the first disk's memory and 3 the second's
make_machine() {
	lstopo-no-graphics --of xml |
		sed -E '/type="NUMANode" os_index="[34]"/ {
			s/ subtype="[^"]*"//
			s/type="NUMANode"/& subtype="GPUMemory"/
			s/.*os_index="4".*/&\n<info name="PCIBusID" value="'"$(pci_address vda)"'"\/>/
			s/.*os_index="3".*/&\n<info name="PCIBusID" value="'"$(pci_address vdb)"'"\/>/
		}' >"$work/machine.xml"
}

start() {
	cluster_start --nodes this --slurm GresTypes=gpu
	give_gres "$NODE_THIS" gpu:a:1,gpu:b:1 \
		"Name=gpu Type=a File=DEVICE0" "Name=gpu Type=b File=DEVICE1"
	ln -sf /dev/vda "$cluster/device/0"
	ln -sf /dev/vdb "$cluster/device/1"
	make_machine
	HWLOC_XMLFILE=$work/machine.xml start_with_gres "$NODE_THIS"
	wait_until 60 publishes
}

publishes() {
	[ "$(node_token "$NODE_THIS" m_gpu_memory)" = 3-4 ]
}

# In a task: what it was told, what the kernel allows, what its cgroup has.
# shellcheck disable=SC2016 # the task's variables
say_memory='
if [ -d /sys/fs/cgroup/cpuset ]; then
	path=/sys/fs/cgroup/cpuset$(sed -n "s/^[0-9]*:cpuset://p" /proc/self/cgroup)/cpuset.mems
else
	path=/sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)/cpuset.mems.effective
fi
echo "$TOPOBIND_MEMS" "$(sed -n "s/^Mems_allowed_list:[[:space:]]*//p" /proc/self/status)" "$(cat "$path")"'

# here OPTION... - what a task on the first CPUs says
here() {
	srun -Q -w "$NODE_THIS" -n1 --bcpus=0-3 "$@" bash -c "$say_memory"
}

# Two jobs at a time, and then one with both GPUs.
case_of_its_gpus() {
	srun -Q -w "$NODE_THIS" -n1 --bcpus=4-7 --bmem=local+gpu --gres=gpu:b:1 \
		bash -c "$say_memory; echo >'$work/second'; sleep 600" \
		>"$work/out" &
	wait_until 120 test -e "$work/second"
	assert_eq "the first GPU" "0,4 0,4 0,4" \
		"$(here --bmem=local+gpu --gres=gpu:a:1)"
	assert_eq "the second GPU" "1,3 1,3 1,3" "$(cat "$work/out")"
	scancel -n bash
	wait
	assert_eq "both GPUs" "0,3-4 0,3-4 0,3-4" \
		"$(here --bmem=local+gpu --gres=gpu:a:1,gpu:b:1)"
}

start
test_case "of its GPUs" case_of_its_gpus
tests_done
