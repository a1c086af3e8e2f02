/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * no_memo.c - in place of functions of lib/core: there is no memory for a memo, and
 * no slots are countable, so that each node is looked at afresh and units are placed.
 * test/integration/remembered.sh
 */
#include "core/base/memo.h"
#include "core/place/countable.h"

struct tb_memo *__wrap_tb_memo_create(size_t value_size);
struct tb_memo *__wrap_tb_memo_create(size_t value_size)
{
	(void)value_size;
	return NULL;
}

bool __wrap_tb_slots_are_countable(const struct tb_topology *topology,
				   const struct tb_request *request,
				   struct tb_countable *countable);
bool __wrap_tb_slots_are_countable(const struct tb_topology *topology,
				   const struct tb_request *request,
				   struct tb_countable *countable)
{
	(void)topology;
	(void)request;
	(void)countable;
	return false;
}
