/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prefer.h"

#include <string.h>

int tb_request_check_features(const struct tb_request *request,
			      bool (*is_known)(const char *name, void *arg),
			      void *arg, struct tb_error *err)
{
	const char *at = request->prefer;
	char name[TB_PREFER_MAX + 1];

	while (at && *at) {
		size_t length = strcspn(at, "+");

		memcpy(name, at, length);
		name[length] = '\0';
		if (!is_known(name, arg))
			return tb_fail(
				err,
				"bprefer=%.80s: no node has this feature; sinfo -o %%f lists those that there are",
				name);
		at += length + (at[length] == '+');
	}
	return 0;
}
