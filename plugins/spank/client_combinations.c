/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client_combinations.h"

#include <stddef.h>

#include "compat/client_options.h"

static int check_option(const struct tb_request *request, enum tb_asker asker,
			const char *option, struct tb_error *err)
{
	char *value = tb_client_option(option);
	int rc = 0;

	if (value != NULL)
		rc = tb_combination_check(request, asker, option, value, err);
	tb_client_option_free(value);
	return rc;
}

int tb_client_combinations(const struct tb_request *request,
			   enum tb_asker asker, struct tb_error *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && tb_combination_options[i] != NULL; i++)
		rc = check_option(request, asker, tb_combination_options[i],
				  err);
	return rc;
}

bool tb_client_lets_slurm_bind(void)
{
	struct tb_request any;
	bool lets;

	tb_request_init(&any);
	any.amount = 1;
	lets = check_option(&any, TB_JOB_STEP, "cpu-bind", NULL) < 0;
	tb_request_clear(&any);
	return lets;
}
