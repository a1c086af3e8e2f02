/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - what is learned of nodes from the jobs that ran there
 *
 * For the components APPLAFFINITY, APPLFAILURERATE, MTBF and USAGE of a priority
 * function.  An application is a job name.  The store has a fixed size: when
 * there is no more room what was not used for longest is forgotten.  Of names
 * only hashes are kept.
 */
#ifndef TB_CORE_HISTORY_H
#define TB_CORE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

struct tb_history;

/* Empty; seconds since the epoch say since when.  NULL: out of memory. */
struct tb_history *tb_history_create(uint64_t since);
void tb_history_destroy(struct tb_history *history); /* NULL is fine */
uint64_t tb_history_since(const struct tb_history *history);

/* An application, and jobs of about the same size (within a factor of 2). */
struct tb_application {
	uint64_t any_size, this_size;
};
struct tb_application tb_application_of(const char *name, uint32_t cpus);

/* A job that has ended, for each of its nodes, and once with node NULL. */
void tb_history_note_job(struct tb_history *history,
			 const struct tb_application *application,
			 const char *node, double seconds, bool failed,
			 uint64_t now);
/* For so long jobs ran on the node; it failed. */
void tb_history_note_busy(struct tb_history *history, const char *node,
			  double seconds, uint64_t now);
void tb_history_note_failure(struct tb_history *history, const char *node,
			     uint64_t now);

/*
 * How much faster than on all nodes together jobs of the application and size
 * were on this one, from 0 to 100; 1 when there is nothing to compare.
 */
double tb_history_affinity(const struct tb_history *history,
			   const struct tb_application *application,
			   const char *node);
/* Failed jobs of the application by all of them on the node, 0 to 1. */
double tb_history_failure_rate(const struct tb_history *history,
			       const struct tb_application *application,
			       const char *node);
double tb_history_busy(const struct tb_history *history, const char *node);
uint32_t tb_history_failures(const struct tb_history *history,
			     const char *node);

/* Lines of text, malloc()ed (NULL: out of memory), and back. */
char *tb_history_print(const struct tb_history *history);
/* NULL with a sentence when it is not such a text. */
struct tb_history *tb_history_parse(const char *text, struct tb_error *err);

#endif
