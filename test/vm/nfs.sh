#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# nfs - in the guest: SlurmdSpoolDir and StateSaveLocation are on NFS
#
# The server is the guest's own kernel, on the loopback interface.  Locks are kept by
# the server there, and only what is open to write can be locked for one alone.
# shellcheck source=test/integration/lib.sh
. "$(dirname "$0")/../integration/lib.sh"

export_dir=/srv/topobind-nfs

# NFS 4 alone: it needs neither rpcbind nor statd.
serve() {
	mkdir -p "$export_dir"
	mount -t tmpfs -o mode=755 topobind-test "$export_dir"
	mkdir "$export_dir/spool" "$export_dir/state"
	modprobe nfsd
	mount -t nfsd nfsd /proc/fs/nfsd 2>/dev/null || true
	exportfs -o rw,sync,no_subtree_check,no_root_squash,fsid=0 \
		"127.0.0.1:$export_dir"
	rpc.mountd -N 2 -N 3
	server_begins
}

server_begins() {
	echo 10 >/proc/fs/nfsd/nfsv4leasetime
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	rpc.nfsd -H 127.0.0.1 -N 3 4
}

# What clients have locked is kept for a while, for when it comes again.
server_ends() {
	rpc.nfsd 0
}

# put_on_nfs NAME DIRECTORY - with what is in it; its daemons are not there
put_on_nfs() {
	mv "$2" "$2.real"
	mkdir "$2"
	mount -t nfs4 -o "vers=4.2,hard" "127.0.0.1:/$1" "$2"
	cp -a "$2.real/." "$2"
	chown --reference="$2.real" "$2"
	chmod --reference="$2.real" "$2"
}

all_on_nfs() {
	serve
	daemon "slurmd-$NODE_THIS" stop
	daemon slurmctld stop
	put_on_nfs spool "$cluster/spool/$NODE_THIS"
	put_on_nfs state "$cluster/state"
	daemon slurmctld start
	daemon "slurmd-$NODE_THIS" start
	wait_until 60 nodes_answer
	resume_node
}

not_on_nfs() {
	daemon "slurmd-$NODE_THIS" stop
	daemon slurmctld stop
	umount "$cluster/spool/$NODE_THIS" "$cluster/state"
}

case_on_nfs() {
	assert_eq "file system of the spool directory" nfs \
		"$(stat -f -c %T "$cluster/spool/$NODE_THIS")"
	assert_eq "file system of the state" nfs \
		"$(stat -f -c %T "$cluster/state")"
}

# Held in all ways, and nothing is left of it.
case_jobs() {
	local kind job

	for kind in --bmode=hard --bmode=soft --binstance=pe; do
		job=$(victim "$kind")
		wait_until 30 test -s "$work/pid"
		[ "$kind" = --binstance=pe ] ||
			held_alone "$(cat "$work/pid")"
		cancel "$job"
		assert_nothing_is_left
		wait_until 20 no_claims
	done
}

# What its slurmstepd has left ends, and its files go.
case_stepd_killed() {
	local job pid other

	other=$(victim --bmode=soft)
	wait_until 30 test -s "$work/pid"
	pid=$(cat "$work/pid")
	job=$(victim --bmode=soft)
	wait_until 30 test -s "$work/pid"
	kill_stepd "$job" batch
	wait_until 30 process_is_gone "$(cat "$work/pid")"
	assert kill -0 "$pid"
	held_alone "$pid"
	cancel "$job" "$other"
	assert_nothing_is_left
	wait_until 20 no_claims
}

# slurmctld knows its jobs again, and slurmd ends what its dead slurmstepd has left.
case_all_killed() {
	local job was

	job=$(victim)
	wait_until 30 test -s "$work/pid"
	was=$(granted "$job")
	save_state "$job"
	daemon slurmctld kill
	daemon "slurmd-$NODE_THIS" kill
	kill_stepd "$job" batch
	held_alone "$(cat "$work/pid")"
	daemon slurmctld start
	assert_granted "$job" "$NODE_THIS" "$was"
	daemon "slurmd-$NODE_THIS" start
	wait_until 30 process_is_gone "$(cat "$work/pid")"
	wait_until 60 nodes_answer
	cancel "$job"
	assert_nothing_is_left
}

# Whoever has a lock gets it again; what runs is held all the while.
case_server_goes() {
	local job pid

	job=$(victim)
	wait_until 30 test -s "$work/pid"
	pid=$(cat "$work/pid")
	trap 'server_begins 2>/dev/null || true' EXIT
	server_ends
	held_alone "$pid"
	server_begins
	trap - EXIT
	wait_until 60 test -e "$cluster/spool/$NODE_THIS/topobind_steps"
	held_alone "$pid"
	cancel "$job"
	assert_nothing_is_left
	resume_node
	assert_works
}

cluster_start --nodes this
all_on_nfs
test_case "the directories are on NFS" case_on_nfs
test_case "jobs of all kinds" case_jobs
test_case "slurmstepd of a soft-bound job is killed" case_stepd_killed
test_case "all are killed" case_all_killed
test_case "the server goes, and comes again" case_server_goes
not_on_nfs
tests_done
