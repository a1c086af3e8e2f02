/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * priority_function.h - what a node is worth: the expression of the node
 * allocation policy PRIORITY
 *
 *	SPEED + .01 * AMEM - 10 * JOBCOUNT
 *
 * An expression has numbers, components, + - * / with the usual precedence, signs,
 * brackets and spaces, and may be in quotes as a whole.  Components have the names
 * that Moab gives them, in upper or lower case; topobind_policies(7) has a row for
 * each.  ARCH, FEATURE and GMETRIC have a name in square brackets, which may be in
 * quotes.
 *
 * An expression is compiled once.  Evaluating it for a node does not allocate.
 */
#ifndef TB_CORE_POLICY_PRIORITY_FUNCTION_H
#define TB_CORE_POLICY_PRIORITY_FUNCTION_H

#include <stdbool.h>

#include "core/base/error.h"

/* Longest expression, in bytes, and how deep brackets may be nested. */
#define TB_PRIORITY_TEXT_MAX 4096
#define TB_PRIORITY_DEPTH_MAX 32
/* RANDOM with any coefficient adds or subtracts at most this. */
#define TB_PRIORITY_RANDOM_MAX 32768.0

enum tb_component {
	TB_COMPONENT_ADISK,
	TB_COMPONENT_AMEM,
	TB_COMPONENT_APPLAFFINITY,
	TB_COMPONENT_APPLFAILURERATE,
	TB_COMPONENT_APROCS,
	TB_COMPONENT_ARCH, /* [name] */
	TB_COMPONENT_ASWAP,
	TB_COMPONENT_CDISK,
	TB_COMPONENT_CMEM,
	TB_COMPONENT_COST,
	TB_COMPONENT_CPROCS,
	TB_COMPONENT_CSWAP,
	TB_COMPONENT_FEATURE, /* [name] */
	TB_COMPONENT_FREETIME,
	TB_COMPONENT_GMETRIC, /* [name] */
	TB_COMPONENT_JOBCOUNT,
	TB_COMPONENT_LOAD,
	TB_COMPONENT_MTBF,
	TB_COMPONENT_NODEINDEX,
	TB_COMPONENT_OS,
	TB_COMPONENT_PARAPROCS,
	TB_COMPONENT_POWER,
	TB_COMPONENT_PREF,
	TB_COMPONENT_PRIORITY,
	TB_COMPONENT_RANDOM,
	TB_COMPONENT_RESAFFINITY,
	TB_COMPONENT_SPEED,
	TB_COMPONENT_SUSPENDEDJCOUNT,
	TB_COMPONENT_USAGE,
	TB_COMPONENTS
};

/* What the expression needs to know of a node; each is listed once. */
struct tb_priority_term {
	enum tb_component component;
	char *name; /* in the brackets; NULL for none */
};

struct tb_priority_function;

/* NULL with a sentence that names the column (counted from 1) on error. */
struct tb_priority_function *tb_priority_parse(const char *text,
					       struct tb_error *err);
void tb_priority_destroy(struct tb_priority_function *function); /* NULL ok */

/* As it was read. */
const char *tb_priority_text(const struct tb_priority_function *function);
/* The terms, in the order in which values are given.  Owned by the function. */
const struct tb_priority_term *
tb_priority_terms(const struct tb_priority_function *function, unsigned *count);
bool tb_priority_uses(const struct tb_priority_function *function,
		      enum tb_component component);

/*
 * The worth of a node with these values, one for each term.  It is always a finite
 * number: a division by 0 gives 0, and a number that is too large becomes the
 * largest one.
 */
double tb_priority_value(const struct tb_priority_function *function,
			 const double *values);

extern const char *const tb_component_names[TB_COMPONENTS];

#endif
