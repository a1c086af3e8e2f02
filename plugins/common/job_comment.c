/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _DEFAULT_SOURCE /* strsep */
#include "common/job_comment.h"

#include <string.h>

static const char *const keys[] = {
	[TB_COMMENT_BINDING] = "binding=",
	[TB_COMMENT_GRANT] = "grant=",
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

char *tb_comment_next(char **rest, enum tb_comment_line *line)
{
	char *text;

	while ((text = strsep(rest, "\n")) != NULL) {
		for (size_t i = 0; i < KEYS; i++) {
			size_t length = strlen(keys[i]);

			if (strncmp(text, keys[i], length) != 0)
				continue;
			*line = (enum tb_comment_line)i;
			return text + length;
		}
	}
	return NULL;
}

int tb_comment_cut_grant(char *value, const char **nodes, const char **string,
			 struct tb_error *err)
{
	/* No topology string has a colon. */
	char *colon = strrchr(value, ':');

	if (colon == NULL)
		return tb_fail(err, "the grant \"%.100s\" has no \":\"", value);
	*colon = '\0';
	*nodes = value;
	*string = colon + 1;
	return 0;
}
