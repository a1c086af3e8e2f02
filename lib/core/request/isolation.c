/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "isolation.h"

#include <stddef.h>

#include "alternatives.h"
#include "request_key.h"

/* Why the CPUs of a request cannot be kept from everything else; NULL: they can. */
static const char *find_no_isolation(const struct tb_request *request)
{
	if (request->mode == TB_SOFT)
		return "bmode=soft, with which tasks leave their units";
	if (request->instance != TB_SET)
		return "binstance=env and binstance=pe, with which topobind does not hold the tasks";
	for (unsigned i = 0; i < tb_request_plain_count(request); i++)
		if (!request->cpus &&
		    tb_request_plain(request, i).unit.letter == 'T')
			return "bunit=T, CT and ET, with which others may have the other threads of a core";
	return NULL;
}

int tb_request_check_isolated(const struct tb_request *request,
			      struct tb_error *err)
{
	const char *why = request->isolate ? find_no_isolation(request) : NULL;

	return why ? tb_fail(err,
			     "bisolate=yes does not go with %s; leave one of them out",
			     why)
		   : 0;
}

bool tb_request_isolates(const struct tb_request *request,
			 enum tb_isolation site)
{
	bool given = request->given & tb_request_bit(TB_REQUEST_KEY_ISOLATE);

	if (!tb_request_binds(request))
		return false;
	return given ? request->isolate
		     : site == TB_ISOLATE_YES && !find_no_isolation(request);
}

int tb_request_check_isolation(const struct tb_request *request,
			       enum tb_isolation site, struct tb_error *err)
{
	if (!request->isolate || !tb_request_binds(request) ||
	    site != TB_ISOLATE_NO)
		return 0;
	return tb_fail(
		err,
		"bisolate=yes is not allowed here: leave it out, or ask the administrator for Isolate=allow in topobind.conf");
}
