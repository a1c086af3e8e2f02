/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_gres.h"

#include <string.h>

#include "src/common/assoc_mgr.h"
#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "slurm_gres.h"
#include "select_topobind/nodes/job_nodes.h"

/* ---- entries of lists ---- */

static bool is_unit(const gres_state_t *state)
{
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++)
		if (!xstrcmp(state->gres_name, tb_counted_names[kind]))
			return true;
	return false;
}

/* Of somebody who asks for GRES, or of a job that had whole nodes. */
static bool is_request(const gres_state_t *state)
{
	const gres_job_state_t *asked = state->gres_data;

	return asked->gres_per_job || asked->gres_per_node ||
	       asked->gres_per_socket || asked->gres_per_task;
}

static int is_any_unit(void *item, void *key)
{
	(void)key;
	return is_unit(item);
}

static int is_unit_of_ours(void *item, void *key)
{
	(void)key;
	return is_unit(item) && !is_request(item);
}

static int has_name(void *item, void *key)
{
	const gres_state_t *state = item;

	return !xstrcmp(state->gres_name, key);
}

static gres_state_t *find_in(list_t *list, const char *name)
{
	return list ? list_find_first(list, has_name, (void *)name) : NULL;
}

/* A job without GRES has no list. */
static void delete_from(list_t **list, ListFindF which)
{
	if (!*list)
		return;
	list_delete_all(*list, which, NULL);
	if (!list_count(*list))
		FREE_NULL_LIST(*list);
}

/* ---- nodes ---- */

/* NULL: it does not declare it, or as devices. */
static gres_node_state_t *find_counted(uint32_t node, const char *name)
{
	const node_record_t *record = node_record_table_ptr[node];
	gres_state_t *state = record ? find_in(record->gres_list, name) : NULL;
	gres_node_state_t *there = state ? state->gres_data : NULL;

	if (!there || there->no_consume || there->gres_bit_alloc ||
	    there->type_cnt || there->topo_cnt)
		return NULL;
	return there;
}

bool tb_unit_gres_is_declared(uint32_t node, unsigned kind)
{
	return find_counted(node, tb_counted_names[kind]);
}

uint64_t tb_unit_gres_free(uint32_t node, unsigned kind)
{
	const gres_node_state_t *there = find_counted(node,
						      tb_counted_names[kind]);

	return there && there->gres_cnt_avail > there->gres_cnt_alloc
		       ? there->gres_cnt_avail - there->gres_cnt_alloc
		       : 0;
}

/* ---- jobs that wait, and that start ---- */

/* "gres:l3:1,gres/l3:2" */
static bool names(const char *text, const char *name)
{
	size_t length = strlen(name);
	const char *at = text;

	while (at && (at = strstr(at, name))) {
		if ((at == text || strchr(":/,", at[-1])) &&
		    strchr(":=,", at[length]))
			return true;
		at += length;
	}
	return false;
}

bool tb_unit_gres_is_asked(const job_record_t *job)
{
	const char *const texts[] = { job->tres_per_job, job->tres_per_node,
				      job->tres_per_socket,
				      job->tres_per_task };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++)
			if (names(texts[i], tb_counted_names[kind]))
				return true;
	return false;
}

void tb_unit_gres_drop(job_record_t *job, bool all)
{
	delete_from(&job->gres_list_req, all ? is_any_unit : is_unit_of_ours);
}

/* -1: Slurm does not track it.  With assoc_mgr's lock on TRES. */
static int find_tres(unsigned kind)
{
	slurmdb_tres_rec_t wanted = {
		.type = "gres",
		.name = (char *)tb_counted_names[kind],
	};

	return assoc_mgr_find_tres_pos(&wanted, true);
}

bool tb_unit_gres_is_requested(const job_record_t *job, const uint64_t *counts)
{
	assoc_mgr_lock_t tres = { .tres = READ_LOCK };
	bool same = true;

	if (!job->tres_req_cnt)
		return true;
	assoc_mgr_lock(&tres);
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		int at = find_tres(kind);

		same &= at < 0 || job->tres_req_cnt[at] == counts[kind];
	}
	assoc_mgr_unlock(&tres);
	return same;
}

/* Cheaper than to look at the counts: nearly no job does. */
static bool shows_units(const job_record_t *job)
{
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++)
		if (names(job->tres_fmt_req_str, tb_counted_names[kind]))
			return true;
	return false;
}

void tb_unit_gres_request(job_record_t *job, const uint64_t *counts)
{
	assoc_mgr_lock_t tres = { .tres = READ_LOCK };
	const uint64_t none[TB_COUNTED_UNITS] = { 0 };

	if (!memcmp(counts, none, sizeof(none)) && !shows_units(job))
		return;
	if (tb_unit_gres_is_requested(job, counts))
		return;
	assoc_mgr_lock(&tres);
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		int at = find_tres(kind);

		if (at >= 0)
			job->tres_req_cnt[at] = counts[kind];
	}
	job->tres_req_cnt[TRES_ARRAY_BILLING] =
		assoc_mgr_tres_weighted(job->tres_req_cnt,
					job->part_ptr->billing_weights,
					slurm_conf.priority_flags, true);
	set_job_tres_req_str(job, true);
	assoc_mgr_unlock(&tres);
	last_job_update = time(NULL);
}

static gres_job_state_t *create_counts(const uint64_t *counts, uint32_t nodes)
{
	gres_job_state_t *held = xmalloc(sizeof(*held));

	held->ntasks_per_gres = NO_VAL16;
	held->node_cnt = nodes;
	held->gres_cnt_node_alloc = xcalloc(nodes, sizeof(*counts));
	for (uint32_t i = 0; i < nodes; i++) {
		held->gres_cnt_node_alloc[i] = counts[i];
		held->total_gres += counts[i];
	}
	return held;
}

void tb_unit_gres_put(job_record_t *job, unsigned kind, uint32_t declaring,
		      const uint64_t *counts, uint32_t nodes)
{
	const gres_state_t *model =
		find_in(node_record_table_ptr[declaring]->gres_list,
			tb_counted_names[kind]);

	if (!job->gres_list_req)
		job->gres_list_req = list_create(gres_job_list_delete);
	list_append(job->gres_list_req,
		    gres_create_state((void *)model, GRES_STATE_SRC_STATE_PTR,
				      GRES_STATE_TYPE_JOB,
				      create_counts(counts, nodes)));
}

/* ---- running jobs ---- */

/* Slurm has moved up what the job has, not what it had asked for. */
static int follow_entry(void *item, void *arg)
{
	gres_state_t *state = item;
	gres_job_state_t *asked = state->gres_data;
	const gres_state_t *has = find_in(arg, state->gres_name);
	const gres_job_state_t *held = has ? has->gres_data : NULL;

	if (!is_unit_of_ours(item, NULL) || !held ||
	    !held->gres_cnt_node_alloc || !asked->gres_cnt_node_alloc ||
	    held->node_cnt > asked->node_cnt)
		return 0;
	asked->node_cnt = held->node_cnt;
	asked->total_gres = held->total_gres;
	memcpy(asked->gres_cnt_node_alloc, held->gres_cnt_node_alloc,
	       held->node_cnt * sizeof(*held->gres_cnt_node_alloc));
	return 0;
}

static int is_gone(void *item, void *arg)
{
	const gres_state_t *state = item;

	return is_unit_of_ours(item, NULL) && !find_in(arg, state->gres_name);
}

void tb_unit_gres_follow(job_record_t *job)
{
	if (!job->gres_list_req)
		return;
	list_for_each(job->gres_list_req, follow_entry, job->gres_list_alloc);
	list_delete_all(job->gres_list_req, is_gone, job->gres_list_alloc);
	if (!list_count(job->gres_list_req))
		FREE_NULL_LIST(job->gres_list_req);
}

/* What each node counts for the job becomes less, or more. */
struct change {
	const job_record_t *job;
	bool more;
};

static int change_entry(void *item, void *arg)
{
	const gres_state_t *state = item;
	const gres_job_state_t *held = state->gres_data;
	const struct change *change = arg;
	struct tb_allocated_node at = { 0 };

	if (!is_unit_of_ours(item, NULL) || !held->gres_cnt_node_alloc)
		return 0;
	while (tb_allocated_node_next(change->job->job_resrcs, &at) &&
	       at.index < held->node_cnt) {
		gres_node_state_t *there = find_counted(at.node,
							state->gres_name);
		uint64_t count = held->gres_cnt_node_alloc[at.index];

		if (!there)
			continue;
		xfree(there->gres_used); /* as text */
		if (change->more)
			there->gres_cnt_alloc += count;
		else
			there->gres_cnt_alloc -= MIN(count,
						     there->gres_cnt_alloc);
	}
	return 0;
}

void tb_unit_gres_give_back(job_record_t *job)
{
	struct change change = { job, false };

	if (job->gres_list_alloc)
		list_for_each(job->gres_list_alloc, change_entry, &change);
	delete_from(&job->gres_list_alloc, is_unit_of_ours);
	delete_from(&job->gres_list_req, is_unit_of_ours);
}

static int copy_entry(void *item, void *arg)
{
	const gres_state_t *state = item;
	const gres_job_state_t *asked = state->gres_data;

	if (is_unit_of_ours(item, NULL))
		list_append(arg,
			    gres_create_state(
				    item, GRES_STATE_SRC_STATE_PTR,
				    GRES_STATE_TYPE_JOB,
				    create_counts(asked->gres_cnt_node_alloc,
						  asked->node_cnt)));
	return 0;
}

void tb_unit_gres_take(job_record_t *job)
{
	struct change change = { job, true };

	if (!job->gres_list_req)
		return;
	list_for_each(job->gres_list_req, change_entry, &change);
	if (!job->gres_list_alloc)
		job->gres_list_alloc = list_create(gres_job_list_delete);
	list_for_each(job->gres_list_req, copy_entry, job->gres_list_alloc);
}
