/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_lines.h"

#include <stdlib.h>

#include "unit_test.h"

int read_request_line(struct tb_request *request, const char *line,
		      struct tb_error *err)
{
	tb_request_init(request);
	return tb_request_parse(request, line, err) ||
			       tb_request_complete(request, err)
		       ? -1
		       : 0;
}

struct tb_request make_request(const char *line)
{
	struct tb_request request;
	struct tb_error err = { "" };

	if (read_request_line(&request, line, &err))
		fail_msg("%s: %s", line, err.text);
	return request;
}

static void check_line(const struct request_line *row)
{
	struct tb_request request;
	struct tb_error err = { "" };
	int rc = read_request_line(&request, row->line, &err);
	char *printed = rc ? NULL : tb_request_print(&request);

	if (row->sentence ? !rc || !strstr(err.text, row->sentence)
			  : rc || strcmp(printed, row->printed) != 0)
		fail_msg("%s: got %s, '%s'", row->line, printed ? printed : "-",
			 err.text);
	free(printed);
	tb_request_clear(&request);
}

void check_request_lines(const struct request_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_line(&lines[i]);
}
