/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_stream.c - see text_stream.h */
#include "text_stream.h"

#include <stdbool.h>
#include <stdlib.h>

char *tb_text_stream_close(FILE *out, char **text)
{
	/* Only closing makes the text whole; what was short shows in either. */
	bool failed = ferror(out);

	failed = fclose(out) || failed;
	if (!failed)
		return *text;
	free(*text);
	*text = NULL;
	return NULL;
}
