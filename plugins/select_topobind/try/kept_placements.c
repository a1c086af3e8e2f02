/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_placements.h"

#include <string.h>

#include "compat/select_gres.h"

#include "offers.h"
#include "select_topobind/request/node_choice.h"
#include "select_topobind/request/job_asked.h"

/* Of the last so many kinds of question, and so many bytes of all of them. */
#define KEPT_MAX 64
#define KEPT_BYTES_MAX (4 << 20)
/* Of jobs with more entries in --gres nothing is kept. */
#define ENTRIES_MAX 3

/* What a placement depends on that is the same for all nodes of a question. */
struct kind {
	struct tb_request request; /* without what chooses nodes */
	uint16_t implicit_cpus;
	bool ever; /* of a window that is wide (tb_try_job_ever()) */
	bool describes_fit;
	/* Devices, where the job asks for some. */
	uint32_t entries, most_nodes;
	struct tb_gres_ask asked[ENTRIES_MAX];
	bool anywhere, must, overcommit;
};

struct kept {
	struct kind kind;
	bool is_kept; /* false: only for this question */
	struct tb_memo *memo;
	uint64_t used_at; /* the number of the last question */
};

/* Those of one question can be too many until it ends. */
static struct kept list[KEPT_MAX + TB_ALTERNATIVES_MAX];
static uint32_t count;
static uint64_t questions;

static void find_devices(struct kind *kind, const struct tb_test *test)
{
	const job_record_t *job = test->job;

	kind->entries = tb_gres_entries(job);
	if (!kind->entries)
		return;
	kind->most_nodes = tb_job_most_nodes(job, test->max_nodes);
	kind->anywhere = job->bit_flags & GRES_DISABLE_BIND;
	kind->must = job->bit_flags & GRES_ENFORCE_BIND;
	kind->overcommit = job->details->overcommit;
	for (uint32_t i = 0; i < kind->entries && i < ENTRIES_MAX; i++)
		kind->asked[i] = tb_gres_asked(job, i);
}

/* Compared byte by byte: what is between its members is zero, too. */
static void find_kind(struct kind *kind, const struct tb_test *test,
		      const struct tb_request *request)
{
	memset(kind, 0, sizeof(*kind));
	kind->request = *request;
	kind->request.prefer = NULL;
	kind->request.nodes = TB_ALLOCATE_SLURM;
	kind->implicit_cpus = test->implicit_cpus;
	kind->ever = tb_test_mode(test) == TB_TEST_ONLY;
	kind->describes_fit = test->choice &&
			      tb_policy_looks_at_fit(test->choice->policy);
	find_devices(kind, test);
}

/* Memory of NUMA nodes is counted by job; what is pointed to can be gone later. */
static bool can_be_kept(const struct kind *kind, const struct tb_test *test)
{
	const struct tb_request *request = &kind->request;

	return !request->filter && !request->shape && !request->cpus &&
	       !request->masked && kind->entries <= ENTRIES_MAX &&
	       !tb_job_is_local(test->job, request);
}

struct tb_memo *tb_kept_placements(const struct tb_test *test,
				   const struct tb_request *request)
{
	struct kept *kept = &list[count];
	struct kind kind;

	find_kind(&kind, test, request);
	for (uint32_t i = 0; i < count; i++)
		if (list[i].is_kept &&
		    !memcmp(&list[i].kind, &kind, sizeof(kind))) {
			list[i].used_at = questions;
			return list[i].memo;
		}
	memcpy(&kept->kind, &kind, sizeof(kind));
	kept->is_kept = can_be_kept(&kind, test);
	kept->memo = tb_memo_create(sizeof(struct tb_placed));
	kept->used_at = questions;
	if (kept->memo)
		count++;
	return kept->memo;
}

static void drop(uint32_t index)
{
	tb_memo_destroy(list[index].memo);
	list[index] = list[--count];
}

static uint32_t find_oldest(void)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < count; i++)
		if (list[i].used_at < list[oldest].used_at)
			oldest = i;
	return oldest;
}

static size_t count_bytes(void)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += tb_memo_size(list[i].memo);
	return bytes;
}

/* One that alone is too large would displace all others, and go in the end. */
static bool is_to_go(const struct kept *kept)
{
	return !kept->is_kept || tb_memo_size(kept->memo) > KEPT_BYTES_MAX;
}

void tb_kept_placements_end_question(void)
{
	for (uint32_t i = count; i > 0; i--)
		if (is_to_go(&list[i - 1]))
			drop(i - 1);
	while (count > KEPT_MAX || count_bytes() > KEPT_BYTES_MAX)
		drop(find_oldest());
	questions++;
}

void tb_kept_placements_forget(void)
{
	while (count)
		drop(count - 1);
}
