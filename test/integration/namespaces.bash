#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# namespaces - in a job: what a user can do to cgroups in namespaces of his own
#
#	namespaces.bash PROGRAM - leaves PROGRAM behind in each of them
#
# In user namespaces one is root, may mount cgroup filesystems, and sees cgroups of
# one's own as the highest.  Prints "LEVEL CPUS", where that process may run after
# all attempts, and "LEVEL could ..." for what succeeded.
set -u

program=$1
level=${2:-outside}

tell() {
	echo "$level could $*"
}

# attack DIRECTORY - a cgroup, or not
attack() {
	local dir=$1 below

	mkdir "$dir/own" 2>/dev/null && tell "make a cgroup in $dir" &&
		rmdir "$dir/own"
	(echo 0-1023 >"$dir/cpuset.cpus") 2>/dev/null &&
		tell "write to $dir"
	(cat "$dir/../cpuset.cpus" >"$dir/cpuset.cpus") 2>/dev/null &&
		tell "take the CPUs above $dir"
	(echo +cpuset >"$dir/cgroup.subtree_control") 2>/dev/null &&
		tell "give controllers to $dir"
	for below in "$dir" "$dir"/.. "$dir"/*/; do
		[ ! -e "$below/cgroup.procs" ] ||
			! (echo $$ >"$below/cgroup.procs") 2>/dev/null ||
			tell "move to $below"
	done
}

# Those that can be mounted here, and those that the machine has.
attack_all() {
	local dir path options

	dir=$(mktemp -d /tmp/topobind-namespaces-XXXXXX)/mount || exit
	mkdir "$dir"
	for options in "cgroup -o cpuset" "cgroup -o freezer" cgroup2; do
		# shellcheck disable=SC2086 # a type and options
		mount -t $options none "$dir" 2>/dev/null || continue
		attack "$dir"
		umount "$dir" 2>/dev/null || umount -l "$dir"
	done
	rmdir "$dir" "${dir%/*}"
	while IFS=: read -r _ options path; do
		attack "/sys/fs/cgroup/${options#name=}$path"
	done </proc/self/cgroup
}

# enter OPTION... - the same in new namespaces of these kinds
enter() {
	unshare "$@" "$0" "$program" "$level${1#-}"
}

attack_all
taskset -pc 0-1023 $$ >/dev/null 2>&1
taskset -pc "$(cat /sys/devices/system/cpu/online)" $$ >/dev/null 2>&1
echo "$level $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
setsid "$program" 600 </dev/null >/dev/null 2>&1 &
case $level in
outside)
	enter -Ur
	enter -UrCm
	enter -UrCmpf --mount-proc
	;;
outsideUrCm)
	enter -UrCm
	;;
esac
