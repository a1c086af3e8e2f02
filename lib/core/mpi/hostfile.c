/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hostfile.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/place/masked.h"
#include "core/place/place.h"
#include "core/plan/deal.h"
#include "core/topology/socket_cores.h"
#include "core/topology/tree.h"

/* What nodes with the same grant share. */
struct hostfile_grant {
	char *string;
	const struct tb_filter *filter; /* of the site, borrowed; NULL: none */
	struct tb_topology *topology;
	struct tb_bitset *threads;
	struct tb_bitset *masked; /* by the filter */
	struct tb_bitset *seen;	  /* what tasks may use of the threads */
	struct tb_placer *placer; /* has the slots */
	unsigned slots;
	unsigned counts[TB_CLASSES]; /* objects with granted threads */
	char **lists; /* of each slot for rank files; NULL: not made yet */
};

struct hostfile_node {
	char *name;
	unsigned grant; /* index */
	unsigned ranks;
};

struct tb_hostfile {
	struct tb_hostfile_job job;
	char *partition;
	struct hostfile_grant *grants;
	struct hostfile_node *nodes;
	struct tb_dealt *dealt; /* scratch, by node */
	unsigned ngrants, nnodes;
};

static char *copy_string(const char *string)
{
	struct tb_text text = TB_TEXT_EMPTY;

	tb_text_add(&text, string);
	return tb_text_take(&text);
}

struct tb_hostfile *tb_hostfile_create(const struct tb_hostfile_job *job)
{
	struct tb_hostfile *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->job = *job;
	file->partition = copy_string(job->partition);
	if (!file->partition) {
		free(file);
		return NULL;
	}
	return file;
}

static void clear_grant(struct hostfile_grant *grant)
{
	for (unsigned i = 0; grant->lists && i < grant->slots; i++)
		free(grant->lists[i]);
	free(grant->lists);
	free(grant->string);
	tb_placer_destroy(grant->placer);
	tb_topology_destroy(grant->topology);
	tb_bitset_destroy(grant->threads);
	tb_bitset_destroy(grant->masked);
	tb_bitset_destroy(grant->seen);
}

void tb_hostfile_destroy(struct tb_hostfile *file)
{
	if (!file)
		return;
	for (unsigned i = 0; i < file->ngrants; i++)
		clear_grant(&file->grants[i]);
	for (unsigned i = 0; i < file->nnodes; i++)
		free(file->nodes[i].name);
	free(file->grants);
	free(file->nodes);
	free(file->dealt);
	free(file->partition);
	free(file);
}

/* ---- nodes ---- */

static void count_objects(struct hostfile_grant *grant)
{
	for (enum tb_class class = 0; class < TB_CLASSES; ++class) {
		unsigned all = tb_run_below(grant->topology, 0, class).count;

		for (unsigned i = 0; i < all; i++) {
			struct tb_run run =
				tb_threads_of_object(grant->topology, class, i);

			grant->counts[class] +=
				tb_bitset_any_in_range(grant->seen, run.first,
						       run.count);
		}
	}
}

/* Are there cores of which only some threads were granted? */
static bool is_by_thread(const struct hostfile_grant *grant)
{
	for (uint32_t core = 0; core < tb_topology_cores(grant->topology);
	     core++) {
		struct tb_run run = tb_threads_of_object(grant->topology,
							 TB_CLASS_CORE, core);
		unsigned count = tb_bitset_count_range(grant->threads,
						       run.first, run.count);

		if (count && count < run.count)
			return true;
	}
	return false;
}

/* A grant that is older than the filter has no masked threads. */
static int find_masked(struct hostfile_grant *grant,
		       const struct tb_request *request, struct tb_error *err)
{
	grant->masked = tb_bitset_create(grant->threads->nbits);
	grant->seen = tb_bitset_copy(grant->threads);
	if (!grant->masked || !grant->seen)
		return tb_fail(err, "out of memory");
	if (!grant->filter ||
	    !tb_filter_matches(grant->filter, grant->topology))
		return 0;
	tb_filter_add(grant->filter, grant->topology, grant->masked);
	if (!tb_grant_has_mask(grant->topology, request, grant->threads,
			       grant->masked, is_by_thread(grant)))
		tb_bitset_clear_all(grant->masked);
	return 0;
}

static int find_slots(struct hostfile_grant *grant,
		      const struct tb_request *request, struct tb_error *err)
{
	struct tb_request there;

	grant->placer = tb_placer_create(grant->topology);
	if (!grant->placer)
		return tb_fail(err, "out of memory");
	if (find_masked(grant, request, err))
		return -1;
	there = tb_request_masked(request, grant->masked);
	grant->slots = tb_place_again(grant->placer, &there, grant->threads);
	tb_placed_drop_masked(grant->placer, grant->seen);
	return 0;
}

static int read_grant_string(struct hostfile_grant *grant,
			     const struct tb_request *request,
			     const char *string, struct tb_error *err)
{
	grant->topology = tb_topology_parse(string, &grant->threads, err);
	if (!grant->topology || find_slots(grant, request, err))
		return -1;
	if (!grant->slots)
		return tb_fail(err,
			       "the grant %.200s holds no slot of the job's request",
			       string);
	grant->string = copy_string(string);
	grant->lists = calloc(grant->slots, sizeof(*grant->lists));
	if (!grant->string || !grant->lists)
		return tb_fail(err, "out of memory");
	count_objects(grant);
	return 0;
}

static int add_new_grant(struct tb_hostfile *file, const char *string,
			 const struct tb_filter *filter, struct tb_error *err)
{
	struct hostfile_grant grant = { .filter = filter };
	struct hostfile_grant *grants = tb_array_make_room(file->grants,
							   file->ngrants,
							   sizeof(*grants));

	if (!grants)
		return tb_fail(err, "out of memory");
	file->grants = grants;
	if (read_grant_string(&grant, file->job.request, string, err)) {
		clear_grant(&grant);
		return -1;
	}
	grants[file->ngrants++] = grant;
	return 0;
}

/* The index of a grant; ngrants when there is none yet. */
static unsigned find_grant(const struct tb_hostfile *file, const char *string,
			   const struct tb_filter *filter)
{
	unsigned i = 0;

	while (i < file->ngrants && (file->grants[i].filter != filter ||
				     strcmp(file->grants[i].string, string)))
		i++;
	return i;
}

int tb_hostfile_add(struct tb_hostfile *file, const char *name,
		    const char *grant, const struct tb_filter *filter,
		    struct tb_error *err)
{
	unsigned index = find_grant(file, grant, filter);
	struct hostfile_node *nodes = tb_array_make_room(file->nodes,
							 file->nnodes,
							 sizeof(*nodes));
	struct tb_dealt *dealt = tb_array_make_room(file->dealt, file->nnodes,
						    sizeof(*dealt));

	if (nodes)
		file->nodes = nodes;
	if (dealt)
		file->dealt = dealt;
	if (!nodes || !dealt)
		return tb_fail(err, "out of memory");
	if (index == file->ngrants && add_new_grant(file, grant, filter, err))
		return -1;
	nodes[file->nnodes] = (struct hostfile_node){ copy_string(name), index,
						      0 };
	if (!nodes[file->nnodes].name)
		return tb_fail(err, "out of memory");
	file->nnodes++;
	return 0;
}

bool tb_hostfile_has_lookalikes(const struct tb_hostfile *file)
{
	for (unsigned i = 0; i < file->ngrants; i++)
		for (unsigned j = 0; j < i; j++)
			if (!memcmp(file->grants[i].counts,
				    file->grants[j].counts,
				    sizeof(file->grants[i].counts)))
				return true;
	return false;
}

/* ---- ranks ---- */

static const struct hostfile_grant *
get_node_grant(const struct tb_hostfile *file, const struct hostfile_node *node)
{
	return &file->grants[node->grant];
}

/* How many ranks a node takes, at least one. */
static unsigned count_node_capacity(const struct tb_hostfile *file,
				    const struct hostfile_node *node)
{
	const struct tb_hostfile_job *job = &file->job;
	unsigned cpus = job->cpus_per_task ? job->cpus_per_task : 1;
	unsigned most = get_node_grant(file, node)->slots;

	/* One slot for all. */
	if (job->request->type == TB_HOST)
		most = tb_bitset_count(get_node_grant(file, node)->threads) /
		       cpus;
	most = tb_deal_limit(most, job->tasks_per_node);
	return most ? most : 1;
}

static unsigned count_all_tasks(const struct tb_hostfile *file)
{
	unsigned each = file->job.tasks_per_node;

	return file->job.tasks ? file->job.tasks
			       : file->nnodes * (each ? each : 1);
}

/* Returns how many have no room. */
static uint32_t deal_slots(struct tb_hostfile *file)
{
	for (unsigned i = 0; i < file->nnodes; i++)
		file->dealt[i] = (struct tb_dealt){
			.most = count_node_capacity(file, &file->nodes[i])
		};
	return tb_deal(file->dealt, file->nnodes, count_all_tasks(file));
}

static void take_dealt(struct tb_hostfile *file)
{
	for (unsigned i = 0; i < file->nnodes; i++)
		file->nodes[i].ranks = file->dealt[i].slots;
}

/* Ranks without room, as there are with --overcommit, are left out. */
void tb_hostfile_deal(struct tb_hostfile *file)
{
	deal_slots(file);
	take_dealt(file);
}

void tb_hostfile_deal_all(struct tb_hostfile *file)
{
	uint32_t rest = deal_slots(file);

	for (unsigned i = 0; i < file->nnodes; i++)
		file->dealt[i].most = UINT32_MAX;
	tb_deal(file->dealt, file->nnodes, rest);
	take_dealt(file);
}

bool tb_hostfile_node(const struct tb_hostfile *file, unsigned i,
		      struct tb_hostfile_node *node)
{
	const struct hostfile_grant *grant;

	if (i >= file->nnodes)
		return false;
	grant = get_node_grant(file, &file->nodes[i]);
	*node = (struct tb_hostfile_node){
		.name = file->nodes[i].name,
		.grant = grant->string,
		.topology = grant->topology,
		.threads = grant->threads,
		.ranks = file->nodes[i].ranks,
		.slots = grant->slots,
	};
	return true;
}

/* Where the rank of a slot runs. */
static void get_slot(const struct hostfile_grant *grant, unsigned slot,
		     struct tb_bitset *threads)
{
	tb_placed_group(grant->placer, slot, threads);
	tb_placed_drop_masked(grant->placer, threads);
}

void tb_hostfile_slot(const struct tb_hostfile *file, unsigned i, unsigned slot,
		      struct tb_bitset *threads)
{
	get_slot(get_node_grant(file, &file->nodes[i]), slot, threads);
}

/* ---- the text ---- */

static void add_labelled_number(struct tb_text *text, const char *before,
				unsigned number)
{
	tb_text_add(text, before);
	tb_text_add_number(text, number);
}

/*
 * The list of the slots of some ranks of a node; with btype=host these share one
 * slot.  NULL when out of memory.
 */
static char *print_slot_list(const struct hostfile_grant *grant, unsigned first,
			     unsigned count, enum tb_socket_cores_form form)
{
	unsigned threads = tb_topology_threads(grant->topology);
	struct tb_bitset *slot = tb_bitset_create(threads);
	struct tb_bitset *slots = tb_bitset_create(threads);
	char *list = NULL;

	if (!slot || !slots)
		goto out;
	for (unsigned i = first; i < first + count && i < grant->slots; i++) {
		get_slot(grant, i, slot);
		tb_bitset_or(slots, slot);
	}
	list = tb_socket_cores_print(grant->topology,
				     form == TB_CORES_RUNS ? grant->seen : NULL,
				     slots, form);
out:
	tb_bitset_destroy(slot);
	tb_bitset_destroy(slots);
	return list;
}

static int add_pe_line(struct tb_text *text, const struct tb_hostfile *file,
		       const struct hostfile_node *node, struct tb_error *err)
{
	char *list = print_slot_list(get_node_grant(file, node), 0, node->ranks,
				     TB_CORES_EACH);

	if (!list)
		return tb_fail(err, "out of memory");
	tb_text_add(text, node->name);
	add_labelled_number(text, " ", node->ranks);
	tb_text_add(text, " ");
	tb_text_add(text, file->partition);
	tb_text_add(text, " ");
	tb_text_add(text, list);
	tb_text_add(text, "\n");
	free(list);
	return 0;
}

static int add_rank_line(struct tb_text *text, const struct hostfile_node *node,
			 unsigned rank, const char *list, struct tb_error *err)
{
	if (strlen(node->name) + strlen(" slot=") + strlen(list) >
	    TB_RANK_TEXT_MAX)
		return tb_fail(
			err,
			"rank %u has the cores %.100s of %.100s; Open MPI reads at most %d characters of \"host slot=list\" in a rank file: start it without one, with --map-by and --bind-to",
			rank, list, node->name, TB_RANK_TEXT_MAX);
	add_labelled_number(text, "rank ", rank);
	tb_text_add(text, "=");
	tb_text_add(text, node->name);
	tb_text_add(text, " slot=");
	tb_text_add(text, list);
	tb_text_add(text, "\n");
	return 0;
}

/* Made once for all nodes with this grant; NULL when out of memory. */
static const char *get_rank_list(const struct hostfile_grant *grant,
				 unsigned rank)
{
	unsigned slot = rank % grant->slots;

	if (!grant->lists[slot])
		grant->lists[slot] = print_slot_list(grant, slot, 1,
						     TB_CORES_RUNS);
	return grant->lists[slot];
}

static int add_rank_lines(struct tb_text *text, const struct tb_hostfile *file,
			  const struct hostfile_node *node, unsigned first,
			  struct tb_error *err)
{
	for (unsigned i = 0; i < node->ranks; i++) {
		const char *list = get_rank_list(get_node_grant(file, node), i);

		if (!list)
			return tb_fail(err, "out of memory");
		if (add_rank_line(text, node, first + i, list, err))
			return -1;
	}
	return 0;
}

static void add_host_line(struct tb_text *text,
			  const struct hostfile_node *node,
			  const char *before_number)
{
	tb_text_add(text, node->name);
	add_labelled_number(text, before_number, node->ranks);
	tb_text_add(text, "\n");
}

static int add_lines(struct tb_text *text, const struct tb_hostfile *file,
		     enum tb_hostfile_format format, struct tb_error *err)
{
	unsigned first = 0;
	int rc = 0;

	for (unsigned i = 0; !rc && i < file->nnodes; i++) {
		const struct hostfile_node *node = &file->nodes[i];

		if (!node->ranks)
			continue;
		if (format == TB_HOSTFILE_PE)
			rc = add_pe_line(text, file, node, err);
		else if (format == TB_HOSTFILE_RANKS)
			rc = add_rank_lines(text, file, node, first, err);
		else
			add_host_line(text, node,
				      format == TB_HOSTFILE_MPICH ? ":"
								  : " slots=");
		first += node->ranks;
	}
	return rc;
}

char *tb_hostfile_print(struct tb_hostfile *file,
			enum tb_hostfile_format format, struct tb_error *err)
{
	struct tb_text text = TB_TEXT_EMPTY;
	char *taken;
	int rc;

	tb_hostfile_deal(file);
	rc = add_lines(&text, file, format, err);
	taken = tb_text_take(&text);
	if (rc) {
		free(taken);
		return NULL;
	}
	if (!taken)
		tb_fail(err, "out of memory");
	return taken;
}
