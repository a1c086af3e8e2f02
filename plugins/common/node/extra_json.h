/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extra_json.h - topobind's tokens as members of a JSON object
 *
 * With SchedulerParameters=extra_constraints, since Slurm 23.11, a node's Extra field is
 * a JSON object or nothing: Slurm refuses anything else, and reads it again when
 * slurmctld starts.  There topobind's tokens are members of that object, texts
 * without a character that JSON escapes.  Only the outermost members are looked at,
 * in place: slurmctld looks often.  Behind node_extra.h, which all others use.
 */
#ifndef TB_COMMON_NODE_EXTRA_JSON_H
#define TB_COMMON_NODE_EXTRA_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Is extra (may be NULL) a JSON object, and nothing else? */
bool tb_extra_is_json(const char *extra);

/* As tb_extra_find() and tb_extra_with(), of such an object. */
const char *tb_extra_json_find(const char *extra, const char *name,
			       size_t *length);
char *tb_extra_json_with(const char *extra, const char *name,
			 const char *value);

/*
 * The object in place of extra (may be NULL), which is none: of the object that it
 * begins with, if it does, and its words; "a=b" is the member a, and "a" alone has no
 * text.  malloc()ed; NULL when out of memory.
 */
char *tb_extra_to_json(const char *extra);

#endif
