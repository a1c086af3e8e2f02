/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tsv.h - tables of test data: rows of fields with tabs between
 */
#ifndef TB_TEST_TSV_H
#define TB_TEST_TSV_H

#include <stddef.h>

struct tsv;

/*
 * A file below test/, found through the environment variable srcdir, which
 * automake's test driver sets ("." without it).  Ends the test when it cannot
 * be read or a row has another number of fields than the first.
 */
struct tsv *tsv_open(const char *name);	      /* the first line is a header */
struct tsv *tsv_open_plain(const char *name); /* it is a row */
void tsv_close(struct tsv *table);

size_t tsv_rows(const struct tsv *table);
/*
 * The field of a row by the name of its column; NULL: no such column.  Only
 * with a header.
 */
const char *tsv_get(const struct tsv *table, size_t row, const char *column);
/* The field by its position. */
const char *tsv_field(const struct tsv *table, size_t row, size_t column);

#endif
