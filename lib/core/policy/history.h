/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - what jobs that ran on a node say about it
 *
 * The components APPLAFFINITY, APPLFAILURERATE, MTBF and USAGE of a priority
 * function come from here.  An application is a job name.  A history has a fixed
 * size: when it is full, it forgets what was not used for the longest time.  It
 * stores hashes of names, not the names.
 */
#ifndef TB_CORE_POLICY_HISTORY_H
#define TB_CORE_POLICY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

struct tb_history;

/* Empty; it begins now, in seconds since the epoch.  NULL: out of memory. */
struct tb_history *tb_history_create(uint64_t since);
void tb_history_destroy(struct tb_history *history); /* NULL is fine */
uint64_t tb_history_since(const struct tb_history *history);

/* An application, and jobs of about the same size (within a factor of 2). */
struct tb_application {
	uint64_t any_size, this_size;
};
struct tb_application tb_application_of(const char *name, uint32_t cpus);

/* Note a job that has ended: once for each of its nodes, once with node NULL. */
void tb_history_note_job(struct tb_history *history,
			 const struct tb_application *application,
			 const char *node, double seconds, bool failed,
			 uint64_t now);
/* Note that jobs ran on a node for so long; that a node failed. */
void tb_history_note_busy(struct tb_history *history, const char *node,
			  double seconds, uint64_t now);
void tb_history_note_failure(struct tb_history *history, const char *node,
			     uint64_t now);

/*
 * How much faster jobs of the application and size were on this node than on all
 * nodes together, from 0 to 100; 1 when there is nothing to compare.
 */
double tb_history_affinity(const struct tb_history *history,
			   const struct tb_application *application,
			   const char *node);
/* The part of the application's jobs on the node that failed, 0 to 1. */
double tb_history_failure_rate(const struct tb_history *history,
			       const struct tb_application *application,
			       const char *node);
double tb_history_busy(const struct tb_history *history, const char *node);
uint32_t tb_history_failures(const struct tb_history *history,
			     const char *node);

/* Add what another history has, which is newer. */
void tb_history_add(struct tb_history *history, const struct tb_history *newer);

/* The history as lines of text.  malloc()ed, NULL when out of memory. */
char *tb_history_print(const struct tb_history *history);
/* Read such a text.  NULL with a sentence when it is something else. */
struct tb_history *tb_history_parse(const char *text, struct tb_error *err);

#endif
