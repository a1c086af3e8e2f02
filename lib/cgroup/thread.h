/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h - one thread of a process: what it does, and on which CPUs it may
 *
 * A thread is named by its number (as gettid(2) has it) and by when it started: the
 * kernel gives a number again when its thread has ended.
 */
#ifndef TB_CGROUP_THREAD_H
#define TB_CGROUP_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/bitset.h"

struct tb_thread_id {
	pid_t tid;
	uint64_t started; /* ticks of the kernel's clock after the boot */
};

/* As stat of the thread in /proc has it. */
struct tb_thread {
	uint64_t started;
	uint64_t used_us; /* CPU time so far */
	int cpu;	  /* where it runs, or ran last */
	char name[64];	  /* any bytes */
};

/* False: there is no thread of that number. */
bool tb_thread_read(pid_t tid, struct tb_thread *thread);

/*
 * The OS CPUs on which the kernel lets it run, as a new set of TB_CPUSET_OS_MAX bits.
 * NULL: it has ended, or out of memory.
 */
struct tb_bitset *tb_thread_cpus(pid_t tid);

/*
 * Keep it on these OS CPUs, of which the kernel takes those that its cgroup has.
 * NULL: on all that its cgroup has, now and later.  False: it has ended, or its cgroup
 * has none of them.
 */
bool tb_thread_keep(pid_t tid, const struct tb_bitset *os_cpus);

#endif
