/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random_case.h - random machines, use and requests, the same on every run
 *
 * A case is text, like a row of test/data/binding_vectors.tsv.  So a failing case
 * can be printed and given to "topobind place", and the oracle shares no code with
 * lib/core.
 */
#ifndef TB_TEST_RANDOM_CASE_H
#define TB_TEST_RANDOM_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/request/request.h"

struct random {
	uint64_t state;
};

/* 0..below-1 */
unsigned random_below(struct random *random, unsigned below);
bool random_percent(struct random *random, unsigned percent);

#define RANDOM_TEXT 2048

struct random_shape {
	unsigned most_threads; /* at most 128 */
	bool nested;	       /* the same letter inside itself, any order */
};

struct random_case {
	char topology[RANDOM_TEXT]; /* structured, t = in use */
	char bunit[4], bamount[8], btype[8], bstrategy[8];
	char bsort[9], bstart[2], bstop[2]; /* "" = not given */
	char bfilter[RANDOM_TEXT + 16];	    /* "" = not given */
	char btopology[RANDOM_TEXT];	    /* structured, "" = not given */
	unsigned nslots;
};

/* Structured, all threads upper case. */
void random_topology(struct random *random, const struct random_shape *shape,
		     char text[RANDOM_TEXT]);
/* Put a share of the threads of a structured string into lower case. */
void random_use(struct random *random, unsigned percent, char *text);
void random_case(struct random *random, const struct random_shape *shape,
		 struct random_case *random_case);

/* The request of a case; ends the test when the core refuses it. */
void random_case_request(const struct random_case *random_case,
			 struct tb_request *request);
void random_case_print(const struct random_case *random_case);

#endif
