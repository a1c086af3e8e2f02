/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * class_try.h - can a bound job have its units on nodes of one class
 *
 * A class are offers whose slots are of one size (core/plan/classes.h), [first, end).
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_CLASS_TRY_H
#define TB_SELECT_TOPOBIND_ANSWER_CLASS_TRY_H

#include "compat/select_compat.h"

#include "select_topobind/try/offers.h"

/*
 * Returns what Slurm expects of a job test; on success test->nodes are the chosen ones.
 */
int tb_try_class(struct tb_offers *offers, const struct tb_test *asked,
		 uint32_t first, uint32_t end);

/* Do all nodes that the job can have hold its slots, whatever else it needs? */
bool tb_class_holds_slots(const struct tb_offers *offers,
			  const struct tb_test *test, uint32_t first,
			  uint32_t end);

#endif
