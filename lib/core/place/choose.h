/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose.h - which alternative of a request (core/request/alternatives.h) one node holds
 */
#ifndef TB_CORE_PLACE_CHOOSE_H
#define TB_CORE_PLACE_CHOOSE_H

#include "place.h"

/* tb_place() or tb_place_together() */
typedef int tb_place_function(struct tb_placer *placer,
			      const struct tb_request *request,
			      const struct tb_bitset *used, unsigned nslots);

/*
 * The first alternative with which all of the slots fit; where there is none, the one
 * with the most slots, and of equal ones the first.  Its index for tb_request_plain(); 0
 * also when none fits.  The placer is used.
 */
unsigned tb_place_choose(struct tb_placer *placer,
			 const struct tb_request *request,
			 const struct tb_bitset *used, unsigned nslots,
			 tb_place_function *place);

#endif
