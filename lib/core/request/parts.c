/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parts.h"

#include "alternatives.h"

unsigned tb_request_part_count(const struct tb_request *request)
{
	return request->nparts ? request->nparts : 1;
}

struct tb_units tb_request_part(const struct tb_request *request,
				unsigned index)
{
	if (request->nparts)
		return request->parts[index];
	return (struct tb_units){ request->unit, request->amount };
}

struct tb_request tb_request_only_part(const struct tb_request *request,
				       unsigned index)
{
	struct tb_units part = tb_request_part(request, index);
	struct tb_request only = *request;

	only.unit = part.unit;
	only.amount = part.amount;
	only.nparts = 0;
	return only;
}

bool tb_request_unit_has_amount(const struct tb_request *request)
{
	return request->nalternatives || request->nparts;
}

char *tb_request_print_units(const struct tb_request *request, const char *what)
{
	struct tb_text text = TB_TEXT_EMPTY;

	for (unsigned i = 0; i < tb_request_part_count(request); i++) {
		struct tb_units part = tb_request_part(request, i);

		if (i)
			tb_text_add(&text, " and ");
		tb_text_add_number(&text, part.amount);
		tb_text_add_char(&text, ' ');
		tb_text_add(&text, what);
		tb_text_add(&text, *what ? " " : "");
		tb_text_add(&text, tb_unit_name(part.unit));
		tb_text_add(&text,
			    tb_count_word(part.amount, " unit", " units"));
	}
	return tb_text_take(&text);
}

char *tb_request_print_part(const struct tb_request *request, unsigned index)
{
	struct tb_request only = tb_request_only_part(request, index);

	return tb_request_print_alternative(&only);
}

unsigned tb_request_count_units(const struct tb_request *request,
				const struct tb_topology *topology,
				const struct tb_bitset *threads)
{
	if (request->cpus)
		return tb_bitset_count(threads);
	if (request->nparts)
		return tb_count_cores_with(topology, threads);
	return tb_units_total(topology, request->unit) -
	       tb_units_available(topology, request->unit, threads, NULL);
}
