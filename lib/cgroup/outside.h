/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outside.h - interrupts and unbound work of the kernel keep off isolated CPUs
 *
 * Where they may run is in files: /proc/irq/N/smp_affinity_list, the same for
 * interrupts to come (default_smp_affinity), and the workqueues' cpumask.  What is taken
 * out of each is remembered as text, which the caller keeps where it survives a crash
 * (core/isolate/isolate.h says what comes of it).  Some interrupts cannot be moved; that
 * is no error.
 */
#ifndef TB_CGROUP_OUTSIDE_H
#define TB_CGROUP_OUTSIDE_H

#include "core/base/bitset.h"
#include "core/base/error.h"

/* Below these directories; for tests others. */
struct tb_outside_places {
	const char *irq;  /* "/proc/irq" */
	const char *work; /* "/sys/devices/virtual/workqueue" */
};
extern const struct tb_outside_places tb_outside_places;

/*
 * Keep what is outside off these CPUs, and give back what was taken before and is
 * isolated no more.  taken is the text that was kept last (NULL: none).  keep is called
 * with a new text before anything is changed, and again when all is: NULL when nothing
 * is taken; -1 of it ends this.  0, or -1 with a sentence.
 */
typedef int tb_outside_keep_t(const char *taken, void *data,
			      struct tb_error *err);
int tb_outside_apply(const struct tb_outside_places *places, const char *taken,
		     const struct tb_bitset *isolated,
		     const struct tb_bitset *online, tb_outside_keep_t *keep,
		     void *data, struct tb_error *err);

#endif
