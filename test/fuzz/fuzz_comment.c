/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's SystemComment, into which operators may write, too: what is read of its
 * binding is of one line.
 */
#include "fuzz.h"

#include "common/job/job_comment.h"
#include "common/job/request_env.h"

static void check_request(const char *line)
{
	struct tb_request request;

	FUZZ_CHECK(!line[strcspn(line, " \n")]);
	tb_request_init(&request);
	tb_request_from_comment(&request, line, NULL);
	tb_request_clear(&request);
}

static void check_grant(const struct tb_comment_grant *grant)
{
	FUZZ_CHECK(!grant->nodes[strcspn(grant->nodes, " \n")]);
	FUZZ_CHECK(!grant->units[strcspn(grant->units, ": \n")]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_comment comment;
	struct tb_error err = { "" };

	if (tb_comment_read(&comment, text, &err)) {
		FUZZ_CHECK(*err.text);
	} else if (comment.request) {
		check_request(comment.request);
		for (unsigned i = 0; i < comment.ngrants; i++)
			check_grant(&comment.grants[i]);
		FUZZ_CHECK(!comment.waiting || !strchr(comment.waiting, '\n'));
	}
	tb_comment_clear(&comment);
	free(text);
	return 0;
}
