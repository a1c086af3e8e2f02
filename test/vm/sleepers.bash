# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# sleepers.bash - sourced after lib.sh, in the guest: steps whose tasks sleep, and where
# they may run

bin=$TOPOBIND_BIN

# CPUs that threads of a job may run on, all together.  JOB
cpus_of() {
	"$bin/threads" | awk -v job="$1" '$1 == job { print $6 }' |
		while read -r list; do expand_list "$list"; done | sort -u |
		as_list
}

has_tasks() {
	[ "$("$bin/threads" | awk -v job="$1" '$1 == job && $7 == "sleep"' |
		wc -l)" -ge "$2" ]
}

# steps_of JOB COUNT - a step whose tasks sleep
steps_of() {
	srun -Q --jobid="$1" -n"$2" sleep 600 &
	wait_until 60 has_tasks "$1" "$2"
}
