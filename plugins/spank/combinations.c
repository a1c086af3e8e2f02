/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/combinations.h"

#include <stddef.h>

#include "compat/client_options.h"

int tb_client_combinations(const struct tb_request *request,
			   enum tb_asker asker, struct tb_error *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && tb_combination_options[i] != NULL; i++) {
		const char *option = tb_combination_options[i];
		char *value = tb_client_option(option);

		if (value != NULL)
			rc = tb_combination_check(request, asker, option,
						  value, err);
		tb_client_option_free(value);
	}
	return rc;
}
