/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - requests such as bunit=X:1+C:2: units of two kinds on each node
 *
 * The units are the parts of a request, in the order in which they are named; any
 * other request has one part.  Whoever asks how many units a request has, or prints
 * them, asks here.  place/parts.h places them.
 */
#ifndef TB_CORE_REQUEST_PARTS_H
#define TB_CORE_REQUEST_PARTS_H

#include "core/base/text.h"
#include "request.h"

/* How many parts there are, and each; index from 0. */
unsigned tb_request_part_count(const struct tb_request *request);
struct tb_units tb_request_part(const struct tb_request *request,
				unsigned index);

/* The request for one part alone: it borrows what the request points to. */
struct tb_request tb_request_only_part(const struct tb_request *request,
				       unsigned index);

/* Has bunit amounts, so that bamount has nothing to say? */
bool tb_request_unit_has_amount(const struct tb_request *request);

/*
 * "1 X unit"; "1 X unit and 2 C units"; with what=free "2 free X units".  malloc()ed,
 * NULL when out of memory.
 */
char *tb_request_print_units(const struct tb_request *request,
			     const char *what);

/* "X:1", of a part.  malloc()ed, NULL when out of memory. */
char *tb_request_print_part(const struct tb_request *request, unsigned index);

/*
 * How many units threads of a grant are, for people: of a request with two parts its
 * cores, and of a list of CPUs the threads.
 */
unsigned tb_request_count_units(const struct tb_request *request,
				const struct tb_topology *topology,
				const struct tb_bitset *threads);

#endif
