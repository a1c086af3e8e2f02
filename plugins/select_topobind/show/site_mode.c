/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "site_mode.h"

#include "src/common/bitstring.h"

#include "common/conf/conf_soft.h"
#include "common/job/request_env.h"
#include "select_topobind/nodes/nodes.h"

static bool is_left_to_site(const char *shown)
{
	struct tb_request request;
	bool is_left;

	tb_request_init(&request);
	is_left = !tb_request_from_comment(&request, shown, NULL) &&
		  tb_request_mode(&request, TB_HARD) !=
			  tb_request_mode(&request, TB_SOFT);
	tb_request_clear(&request);
	return is_left;
}

/* Mostly the first one is not. */
static bool are_nodes_soft(const job_record_t *job, const struct tb_conf *site)
{
	bitstr_t *nodes = job->job_resrcs->node_bitmap;
	bool soft = false;

	for (bitoff_t node = 0; node < bit_size(nodes); node++) {
		struct tb_conf_soft there;

		if (!bit_test(nodes, node))
			continue;
		tb_conf_soft_find(site, node_record_table_ptr[node]->name,
				  tb_job_partition(job), &there);
		soft = there.mode == TB_SOFT;
		if (!soft)
			break;
	}
	return soft;
}

bool tb_site_makes_soft(const job_record_t *job, const char *request,
			const struct tb_conf *site)
{
	return site && job->job_resrcs && job->job_resrcs->node_bitmap &&
	       are_nodes_soft(job, site) && is_left_to_site(request);
}
