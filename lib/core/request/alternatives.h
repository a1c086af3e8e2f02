/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alternatives.h - requests such as bunit=X:1|N:1
 *
 * Such a request stands for some plain ones, which differ in unit and amount.  In the
 * order in which they are named, the first that can have its units counts.  Whoever
 * places or counts units does so for a plain request; what is decided between them
 * is up to who asks for the placement.
 */
#ifndef TB_CORE_REQUEST_ALTERNATIVES_H
#define TB_CORE_REQUEST_ALTERNATIVES_H

#include "core/base/text.h"
#include "request.h"

/* How many plain requests it stands for; 1 also when bunit has no amounts. */
unsigned tb_request_plain_count(const struct tb_request *request);

/* One of them: it borrows what the request points to, and is not cleared. */
struct tb_request tb_request_plain(const struct tb_request *request,
				   unsigned index);

/* "X:1", of a plain request.  malloc()ed, NULL when out of memory. */
char *tb_request_print_alternative(const struct tb_request *plain);

/* The alternative that is printed so; -1: the request has none that is. */
int tb_request_find_alternative(const struct tb_request *request,
				const char *text);

/* ---- for key_units.c ---- */

/* Has the value of bunit amounts of its own, alternatives or parts (parts.h)? */
bool tb_alternatives_are_meant(const char *value);
/* Read them in place of the request's unit.  -1 with a sentence; nothing changes. */
int tb_alternatives_read(struct tb_request *request, const char *value,
			 struct tb_error *err);
void tb_alternatives_print(const struct tb_request *request,
			   struct tb_text *text);

#endif
