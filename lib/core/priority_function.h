/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority_function.h - what a node is worth: the expression of the node
 * allocation policy PRIORITY
 *
 *	SPEED + .01 * AMEM - 10 * JOBCOUNT
 *
 * Numbers, components, + - * / with the usual precedence, a sign, brackets,
 * spaces; the whole may be in quotes.  Components have Moab's names, in any
 * case; topobind_policies(7) has a row for each.  ARCH, FEATURE and GMETRIC
 * have a name in square brackets, which may be quoted.
 *
 * An expression is compiled once; evaluating it for a node does not allocate.
 */
#ifndef TB_CORE_PRIORITY_FUNCTION_H
#define TB_CORE_PRIORITY_FUNCTION_H

#include <stdbool.h>

#include "error.h"

/* Longest expression, in bytes, and how deep brackets may be nested. */
#define TB_PRIORITY_TEXT_MAX 4096
#define TB_PRIORITY_DEPTH_MAX 32
/* Whatever its coefficient, RANDOM adds or takes away no more than this. */
#define TB_PRIORITY_RANDOM_MAX 32768.0

enum tb_component {
	TB_ADISK,
	TB_AMEM,
	TB_APPLAFFINITY,
	TB_APPLFAILURERATE,
	TB_APROCS,
	TB_ARCH, /* [name] */
	TB_ASWAP,
	TB_CDISK,
	TB_CMEM,
	TB_COST,
	TB_CPROCS,
	TB_CSWAP,
	TB_FEATURE, /* [name] */
	TB_FREETIME,
	TB_GMETRIC, /* [name] */
	TB_JOBCOUNT,
	TB_LOAD,
	TB_MTBF,
	TB_NODEINDEX,
	TB_OS,
	TB_PARAPROCS,
	TB_POWER,
	TB_PREF,
	TB_PRIORITY,
	TB_RANDOM,
	TB_RESAFFINITY,
	TB_SPEED,
	TB_SUSPENDEDJCOUNT,
	TB_USAGE,
	TB_COMPONENTS
};

/* What the expression needs to know of a node; each different one once. */
struct tb_priority_term {
	enum tb_component component;
	char *name; /* in the brackets; NULL for none */
};

struct tb_priority_function;

/* NULL with a sentence that names the column (counted from 1) on error. */
struct tb_priority_function *tb_priority_parse(const char *text,
					       struct tb_error *err);
void tb_priority_destroy(struct tb_priority_function *function); /* NULL ok */

/* The terms, in the order in which values are given.  Owned by the function. */
const struct tb_priority_term *
tb_priority_terms(const struct tb_priority_function *function,
		  unsigned *count);
bool tb_priority_uses(const struct tb_priority_function *function,
		      enum tb_component component);

/*
 * The worth of a node with these values, one for each term.  Always a finite
 * number: a division by 0 gives 0, and what is too large the largest.
 */
double tb_priority_value(const struct tb_priority_function *function,
			 const double *values);

extern const char *const tb_component_names[TB_COMPONENTS];

#endif
