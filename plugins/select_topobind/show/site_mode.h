/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_mode.h - is a job soft because the site says so?
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_SITE_MODE_H
#define TB_SELECT_TOPOBIND_SHOW_SITE_MODE_H

#include "compat/select_compat.h"

#include "common/conf/conf.h"

/*
 * Of a job that starts by this request, as it is shown: it does not say itself whether
 * it is hard or soft, and all of its nodes have Mode=soft for it.
 */
bool tb_site_makes_soft(const job_record_t *job, const char *request,
			const struct tb_conf *site);

#endif
