/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8.c - words of users, which may be any bytes, for JSON and pages */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "utf8.h"

char *tb_utf8_copy(const char *text)
{
	char *copy = strdup(text);
	json_t *json = json_string(text);

	for (char *c = copy; !json && c && *c; c++)
		if ((unsigned char)*c > 127)
			*c = '?';
	json_decref(json);
	return copy;
}
