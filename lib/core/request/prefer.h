/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefer.h - what a request prefers of nodes (--bprefer)
 *
 *	fast+mem:64G+disk:100G
 *
 * Features have their name; one that looks like something else is written with
 * "feature:" before it, as Moab has it for all (003, section 5.2.4).  mem:, swap: and
 * disk: have a size in MB, or with K, M, G or T after it.
 */
#ifndef TB_CORE_REQUEST_PREFER_H
#define TB_CORE_REQUEST_PREFER_H

#include "request.h"

enum tb_preference_kind {
	TB_PREFERENCE_FEATURE,
	/* So much is free. */
	TB_PREFERENCE_MEMORY,
	TB_PREFERENCE_SWAP, /* memory counts, too */
	TB_PREFERENCE_DISK,
};

struct tb_preference {
	enum tb_preference_kind kind;
	/* Of a feature: its name, in the list. */
	const char *name;
	size_t length;
	uint64_t megabytes; /* of anything else */
};

/*
 * The items of a list, separated by commas or plus signs, with plus signs between them;
 * malloc()ed.  *is_list is false, and NULL returned: this is none.  NULL otherwise: out
 * of memory.
 */
char *tb_prefer_parse(const char *value, bool *is_list);

/* The item at *list, which goes on to the next.  False: there are no more. */
bool tb_preference_next(const char **list, struct tb_preference *next);

/*
 * Is each feature of the request one that some node can have, by is_known(name, arg)?
 * -1 with a sentence about the first one that is not.
 */
int tb_request_check_features(const struct tb_request *request,
			      bool (*is_known)(const char *name, void *arg),
			      void *arg, struct tb_error *err);

#endif
