/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_lines.h - requests that are written as one line, and what they are read as
 */
#ifndef TB_TEST_REQUEST_LINES_H
#define TB_TEST_REQUEST_LINES_H

#include <stddef.h>

#include "core/request/request.h"

struct request_line {
	const char *line;
	/* The canonical line, or for those that are refused a part of the sentence. */
	const char *printed, *sentence;
};

/* Each of them is read, printed, or refused as it says; or the test fails. */
void check_request_lines(const struct request_line *lines, size_t count);

/* -1 with a sentence; the caller clears it in both cases. */
int read_request_line(struct tb_request *request, const char *line,
		      struct tb_error *err);

/* The test fails if it is refused.  The caller clears it. */
struct tb_request make_request(const char *line);

#endif
