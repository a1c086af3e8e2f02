/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_findings.h - what "topobind conf --check" has found
 *
 * Each finding says where, what is wrong and what to do, and is one line.  Nodes
 * of which the same is to be said share one.
 */
#ifndef TB_TOOLS_CONF_CONF_FINDINGS_H
#define TB_TOOLS_CONF_CONF_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

struct tb_findings;

struct tb_findings *tb_findings_create(void); /* NULL: out of memory */
void tb_findings_destroy(struct tb_findings *findings); /* NULL is fine */

/* malloc()ed words for a finding; NULL when out of memory. */
char *tb_words(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * One more: neither a sentence begins with a capital letter nor ends with a
 * full stop.  The words are taken over; NULL says that memory was short.
 */
void tb_findings_add(struct tb_findings *findings, const char *where,
		     char *problem, char *fix);
void tb_findings_add_node(struct tb_findings *findings, const char *node,
			  char *problem, char *fix);
/* The same of what is no fault, but to be known: it is printed, and not counted. */
void tb_findings_note(struct tb_findings *findings, const char *where,
		      char *problem, char *fix);

/* -1: memory was short, and some may be missing. */
int tb_findings_count(const struct tb_findings *findings);
/*
 * "WHERE: PROBLEM; FIX", a line each, notes on stderr behind "COMMAND: note: "; or
 * an array of objects, of notes or of all others, NULL: no memory.
 */
void tb_findings_print(const struct tb_findings *findings, const char *command);
json_t *tb_findings_json(const struct tb_findings *findings, bool notes);

#endif
