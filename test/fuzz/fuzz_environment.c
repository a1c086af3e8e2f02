/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any environment, one variable a line: a clear error and no request, or a
 * request that is sound and means the same when it comes as one line.
 */
#define _GNU_SOURCE /* asprintf, strsep */
#include "fuzz.h"

#include "common/job/request_env.h"

#define MAX_ENV 32

/* Cuts text into lines. */
static unsigned split(char *text, char **env)
{
	unsigned count = 0;

	while (text && count < MAX_ENV)
		env[count++] = strsep(&text, "\n");
	return count;
}

static void check_as_line(const struct tb_request *request)
{
	char *line = tb_request_print(request);
	struct tb_request again;
	char *variable;

	FUZZ_CHECK(line);
	FUZZ_CHECK(asprintf(&variable, "%s=%s", TB_REQUEST_VARIABLE, line) > 0);
	FUZZ_CHECK(tb_request_from_env(&again, &variable, 1, NULL) == 0);
	FUZZ_CHECK(tb_request_binds(&again) == tb_request_binds(request));
	tb_request_clear(&again);
	free(variable);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	char *env[MAX_ENV];
	struct tb_request request;
	struct tb_error err = { "" };
	unsigned count;

	count = split(text, env);
	if (tb_request_from_env(&request, env, count, &err)) {
		FUZZ_CHECK(*err.text);
		FUZZ_CHECK(!tb_request_is_given(&request));
	} else {
		FUZZ_CHECK(tb_request_complete(&request, NULL) == 0);
		check_as_line(&request);
	}
	tb_request_clear(&request);
	tb_step_request_from_env(&request, env, count, &err);
	tb_request_clear(&request);
	free(text);
	return 0;
}
