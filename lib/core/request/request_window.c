/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows of requests on any node; place/window_ever.h has those of one. */
#include "request.h"

#include "core/topology/unit.h"
#include "alternatives.h"

void tb_request_widen_window(struct tb_request *request)
{
	/* That one object holds most when nothing of it is in use. */
	if (request->start && request->start == request->stop)
		request->start = request->stop = tb_upper(request->start);
	else if (tb_is_lower(request->start) ||
		 (request->stop && !tb_is_lower(request->stop)))
		request->start = request->stop = 0;
}

static char get_core_letter(const struct tb_request *request)
{
	return request->unit.kind == TB_EFFICIENCY ? 'E' : 'C';
}

/* The same letter twice: the window is one core. */
static bool window_is_one_core(const struct tb_request *request)
{
	return request->start && request->start == request->stop &&
	       (tb_upper(request->start) == 'C' ||
		tb_upper(request->start) == 'E');
}

/* Where there is no L2 cache a core is one. */
static bool one_core_holds_units(const struct tb_request *request)
{
	char core = get_core_letter(request);

	switch (request->unit.letter) {
	case 'T':
		return tb_upper(request->start) == core;
	case 'C':
	case 'Y':
		return request->start == core;
	default:
		return false;
	}
}

static int check_plain_window(const struct tb_request *request,
			      struct tb_error *err)
{
	const char *unit = tb_unit_name(request->unit);
	char core = get_core_letter(request);

	if (!tb_request_binds(request) || request->cpus)
		return 0;
	if (window_is_one_core(request))
		return one_core_holds_units(request)
			       ? 0
			       : tb_fail(err,
					 "bstart=%c with bstop=%c is a window of one core, in which no %s unit is ever free: leave one of them out, or name objects that have such units",
					 request->start, request->stop, unit);
	if (request->unit.letter == 'C' && request->stop == core &&
	    request->start != core)
		return tb_fail(
			err,
			"bstop=%c ends the window before the first free core, so that no %s unit in it is ever free: stop at a core in use with bstop=%c, or leave bstop out",
			core, unit, core - 'A' + 'a');
	return 0;
}

int tb_request_check_window(const struct tb_request *request,
			    struct tb_error *err)
{
	for (unsigned i = 0; i < tb_request_plain_count(request); i++) {
		struct tb_request plain = tb_request_plain(request, i);

		if (check_plain_window(&plain, err))
			return -1;
	}
	return 0;
}
