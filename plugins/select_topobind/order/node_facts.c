/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_facts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/node/node_extra.h"

#include "consumption.h"
#include "learning.h"
#include "select_topobind/nodes/nodes.h"

/* The node must exist. */
static const node_record_t *get_record(uint32_t node)
{
	return node_record_table_ptr[node];
}

/* --- sizes and what is free ------------------------------------------------------ */

static uint64_t get_memory(uint32_t node)
{
	const node_record_t *record = get_record(node);

	return record->real_memory > record->mem_spec_limit
		       ? record->real_memory - record->mem_spec_limit
		       : 0;
}

uint32_t tb_node_free_cpus(uint32_t node)
{
	uint64_t used = tb_consumption_of(node).cpus;
	uint16_t cpus = get_record(node)->cpus_efctv;

	return used < cpus ? cpus - used : 0;
}

uint64_t tb_node_free_memory(uint32_t node)
{
	uint64_t used = tb_consumption_of(node).memory;
	uint64_t memory = get_memory(node);

	return used < memory ? memory - used : 0;
}

static uint64_t count_free_disk(uint32_t node)
{
	uint64_t used = tb_consumption_of(node).disk;
	uint32_t disk = get_record(node)->tmp_disk;

	return used < disk ? disk - used : 0;
}

static struct tb_node_numbers get_numbers(const struct tb_node_facts *facts,
					  uint32_t node)
{
	return tb_conf_node_numbers(facts->choice->site,
				    get_record(node)->name);
}

static struct tb_node_sizes get_sizes(const struct tb_node_facts *facts,
				      uint32_t node)
{
	const node_record_t *record = get_record(node);

	return (struct tb_node_sizes){
		.cpus = record->cpus_efctv,
		.memory = get_memory(node),
		.disk = record->tmp_disk,
		.swap = get_numbers(facts, node).swap,
	};
}

static void find_largest(struct tb_node_facts *facts, const bitstr_t *nodes)
{
	struct tb_node_sizes *largest = &facts->largest;

	for (uint32_t node = 0; node < tb_node_count(); node++) {
		struct tb_node_sizes sizes;

		if (!bit_test((bitstr_t *)nodes, node))
			continue;
		sizes = get_sizes(facts, node);
		largest->cpus = MAX(largest->cpus, sizes.cpus);
		largest->memory = MAX(largest->memory, sizes.memory);
		largest->disk = MAX(largest->disk, sizes.disk);
		largest->swap = MAX(largest->swap, sizes.swap);
	}
}

static double divide(double size, double largest)
{
	return largest > 0 ? size / largest : 0;
}

/* GRES of any kind count as one resource more. */
double tb_node_size(const struct tb_node_facts *facts, uint32_t node)
{
	const config_record_t *config = get_record(node)->config_ptr;
	struct tb_node_sizes sizes = get_sizes(facts, node);

	return divide(sizes.cpus, facts->largest.cpus) +
	       divide(sizes.memory, facts->largest.memory) +
	       divide(sizes.disk, facts->largest.disk) +
	       divide(sizes.swap, facts->largest.swap) +
	       (config && config->gres && *config->gres ? 1 : 0);
}

double tb_node_rest(const struct tb_node_facts *facts, uint32_t node)
{
	return divide(tb_node_free_memory(node), facts->largest.memory) +
	       divide(count_free_disk(node), facts->largest.disk);
}

/* --- what the node says ---------------------------------------------------------- */

/* The number of a token in Extra; 0 for none. */
static double read_extra_number(uint32_t node, const char *name)
{
	size_t length;
	const char *text = tb_extra_find(get_record(node)->extra, name,
					 &length);

	return text && length ? strtod(text, NULL) : 0;
}

double tb_node_speed(const struct tb_node_facts *facts, uint32_t node)
{
	double speed = get_numbers(facts, node).speed;

	return speed > 0 ? speed : read_extra_number(node, TB_EXTRA_SPEED);
}

double tb_node_load(uint32_t node)
{
	uint32_t load = get_record(node)->cpu_load;

	return load == NO_VAL ? 0 : load / 100.0;
}

double tb_node_idle(uint32_t node)
{
	return get_record(node)->cpus_efctv - tb_node_load(node) -
	       (double)tb_consumption_since_load(node);
}

static bool is_on(uint32_t node)
{
	const node_record_t *record = get_record(node);

	return !IS_NODE_POWERED_DOWN(record) &&
	       !IS_NODE_POWERING_DOWN(record) && !IS_NODE_POWERING_UP(record);
}

/* --- features -------------------------------------------------------------------- */

static int has_name(void *item, void *name)
{
	return !xstrcmp(((node_feature_t *)item)->name, name);
}

/* Also one that no node has until it boots for it. */
bool tb_feature_is_known(const char *name, void *unused)
{
	(void)unused;
	return avail_feature_list &&
	       list_find_first(avail_feature_list, has_name, (void *)name);
}

/* Slurm's own set; NULL: no node has the feature. */
static bitstr_t *find_nodes_with(char *feature)
{
	node_feature_t *found = active_feature_list
					? list_find_first(active_feature_list,
							  has_name, feature)
					: NULL;

	return found ? found->node_bitmap : NULL;
}

static bool has_feature(bitstr_t *nodes, uint32_t node)
{
	return nodes && node < bit_size(nodes) && bit_test(nodes, node);
}

static bitstr_t *find_nodes_with_item(const struct tb_preference *item)
{
	char *name = xstrndup(item->name, item->length);
	bitstr_t *nodes = find_nodes_with(name);

	xfree(name);
	return nodes;
}

static void find_preferred(struct tb_node_facts *facts)
{
	const char *at = facts->choice->prefer;
	struct tb_preference item;

	facts->preferred = xcalloc((at ? strlen(at) : 0) + 1,
				   sizeof(*facts->preferred));
	while (at && tb_preference_next(&at, &item))
		facts->preferred[facts->preferences++] =
			(struct tb_known_preference){
				.kind = item.kind,
				.nodes = item.kind == TB_PREFERENCE_FEATURE
						 ? find_nodes_with_item(&item)
						 : NULL,
				.megabytes = item.megabytes,
			};
}

static bool meets(const struct tb_node_facts *facts,
		  const struct tb_known_preference *preference, uint32_t node)
{
	switch (preference->kind) {
	case TB_PREFERENCE_MEMORY:
		return tb_node_free_memory(node) >= preference->megabytes;
	case TB_PREFERENCE_SWAP:
		return tb_node_free_memory(node) +
			       get_numbers(facts, node).swap >=
		       preference->megabytes;
	case TB_PREFERENCE_DISK:
		return count_free_disk(node) >= preference->megabytes;
	default:
		return has_feature(preference->nodes, node);
	}
}

double tb_node_preferred(const struct tb_node_facts *facts, uint32_t node)
{
	uint32_t met = 0;

	for (uint32_t i = 0; i < facts->preferences; i++)
		met += meets(facts, &facts->preferred[i], node);
	return facts->preferences ? (double)met / facts->preferences : 0;
}

/* --- operating systems ------------------------------------------------------------ */

/* The first word of what the node says: "Linux 6.1.0-9-amd64 ...". */
static bool runs_os(uint32_t node, const char *os)
{
	const char *own = get_record(node)->os;
	size_t length = own ? strcspn(own, " ") : 0;

	return length && length == strlen(os) && !strncasecmp(own, os, length);
}

struct os_test {
	const char *prefer;
	uint32_t node;
	bool found;
};

static int is_node_os(void *item, void *arg)
{
	struct os_test *test = arg;

	test->found = test->found ||
		      runs_os(test->node, ((job_feature_t *)item)->name);
	return 0;
}

/* Is the node's operating system one of the features that the job asks for? */
static bool is_asked_os(const struct tb_node_facts *facts, uint32_t node)
{
	struct os_test test = { .node = node };

	if (facts->job->details->feature_list)
		list_for_each(facts->job->details->feature_list, is_node_os,
			      &test);
	return test.found;
}

static void find_os(struct tb_node_facts *facts, const bitstr_t *nodes)
{
	for (uint32_t node = 0; !facts->wants_os && node < tb_node_count();
	     node++)
		if (bit_test((bitstr_t *)nodes, node))
			facts->wants_os = is_asked_os(facts, node);
}

/* --- the priority function ---------------------------------------------------------- */

static double count_partition_cpus(const job_record_t *job)
{
	bitstr_t *nodes = job->part_ptr ? job->part_ptr->node_bitmap : NULL;
	double cpus = 0;

	for (uint32_t node = 0; nodes && node < tb_node_count(); node++)
		if (get_record(node) && bit_test(nodes, node))
			cpus += tb_node_free_cpus(node);
	return cpus;
}

/* What is known for a function; NULL: nothing yet. */
static struct tb_function_facts *
find_function(const struct tb_node_facts *facts,
	      const struct tb_priority_function *function)
{
	for (uint32_t i = 0; i < facts->nfunctions; i++)
		if (facts->functions[i].function == function)
			return &facts->functions[i];
	return NULL;
}

/* Only the values that the function uses. */
static void add_function(struct tb_node_facts *facts,
			 const struct tb_priority_function *function,
			 const bitstr_t *nodes)
{
	struct tb_function_facts *own;
	const struct tb_priority_term *terms;
	unsigned count;

	xrecalloc(facts->functions, facts->nfunctions + 1,
		  sizeof(*facts->functions));
	own = &facts->functions[facts->nfunctions++];
	own->function = function;
	terms = tb_priority_terms(function, &count);
	own->values = xcalloc(count + 1, sizeof(*own->values));
	own->features = xcalloc(count + 1, sizeof(*own->features));
	for (unsigned i = 0; i < count; i++)
		if (terms[i].component == TB_COMPONENT_FEATURE)
			own->features[i] = find_nodes_with(terms[i].name);
	if (tb_priority_uses(function, TB_COMPONENT_PARAPROCS))
		facts->partition_cpus = count_partition_cpus(facts->job);
	if (tb_priority_uses(function, TB_COMPONENT_MTBF))
		tb_learning_look_at_nodes();
	if (tb_priority_uses(function, TB_COMPONENT_OS))
		find_os(facts, nodes);
}

/* That of the node's line, or else the one of the job's partition. */
static const struct tb_priority_function *
get_function(const struct tb_node_facts *facts, uint32_t node)
{
	const struct tb_priority_function *own =
		tb_conf_node_priority(facts->choice->site,
				      get_record(node)->name);

	return own ? own : facts->choice->function;
}

/* A plugin of the site's is told all of it. */
static void find_for_plugin(struct tb_node_facts *facts, const bitstr_t *nodes)
{
	facts->application = tb_learning_application(facts->job);
	facts->partition_cpus = count_partition_cpus(facts->job);
	tb_learning_look_at_nodes();
	find_os(facts, nodes);
}

static void find_for_functions(struct tb_node_facts *facts,
			       const bitstr_t *nodes)
{
	add_function(facts, facts->choice->function, nodes);
	facts->application = tb_learning_application(facts->job);
	facts->nodes_differ = tb_conf_has_node_priority(facts->choice->site);
	for (uint32_t node = 0; facts->nodes_differ && node < tb_node_count();
	     node++)
		if (bit_test((bitstr_t *)nodes, node) &&
		    !find_function(facts, get_function(facts, node)))
			add_function(facts, get_function(facts, node), nodes);
}

static double count_free_time(const struct tb_node_facts *facts, uint32_t node)
{
	return (double)TB_FREE_TIME_MAX - facts->times.taken[node];
}

/* The value of a term that the node's record or its jobs tell. */
static double get_record_value(const struct tb_node_facts *facts,
			       const bitstr_t *with_feature,
			       const struct tb_priority_term *term,
			       uint32_t node)
{
	const node_record_t *record = get_record(node);

	switch (term->component) {
	case TB_COMPONENT_ARCH:
		return !xstrcasecmp(record->arch, term->name);
	case TB_COMPONENT_FEATURE:
		return has_feature((bitstr_t *)with_feature, node);
	case TB_COMPONENT_GMETRIC:
		return read_extra_number(node, term->name);
	case TB_COMPONENT_JOBCOUNT:
		return record->run_job_cnt;
	case TB_COMPONENT_SUSPENDEDJCOUNT:
		return record->sus_job_cnt;
	case TB_COMPONENT_LOAD:
		return tb_node_load(node);
	case TB_COMPONENT_NODEINDEX:
		return node;
	case TB_COMPONENT_OS:
		return !facts->wants_os || is_asked_os(facts, node);
	case TB_COMPONENT_POWER:
		return is_on(node);
	case TB_COMPONENT_SPEED:
		return tb_node_speed(facts, node);
	case TB_COMPONENT_COST:
		return get_numbers(facts, node).cost;
	case TB_COMPONENT_PRIORITY:
		return get_numbers(facts, node).priority;
	default:
		return 0;
	}
}

/* The value of a term that is a size. */
static double get_size_value(const struct tb_node_facts *facts,
			     enum tb_component component, uint32_t node)
{
	switch (component) {
	case TB_COMPONENT_ADISK:
		return count_free_disk(node);
	case TB_COMPONENT_AMEM:
		return tb_node_free_memory(node);
	case TB_COMPONENT_APROCS:
		return tb_node_free_cpus(node);
	case TB_COMPONENT_ASWAP:
		return tb_node_free_memory(node) +
		       get_numbers(facts, node).swap;
	case TB_COMPONENT_CDISK:
		return get_record(node)->tmp_disk;
	case TB_COMPONENT_CMEM:
		return get_memory(node);
	case TB_COMPONENT_CPROCS:
		return get_record(node)->cpus_efctv;
	default: /* TB_COMPONENT_CSWAP */
		return get_memory(node) + get_numbers(facts, node).swap;
	}
}

static double get_term_value(const struct tb_node_facts *facts,
			     const bitstr_t *with_feature,
			     const struct tb_priority_term *term, uint32_t node)
{
	switch (term->component) {
	case TB_COMPONENT_ADISK:
	case TB_COMPONENT_AMEM:
	case TB_COMPONENT_APROCS:
	case TB_COMPONENT_ASWAP:
	case TB_COMPONENT_CDISK:
	case TB_COMPONENT_CMEM:
	case TB_COMPONENT_CPROCS:
	case TB_COMPONENT_CSWAP:
		return get_size_value(facts, term->component, node);
	case TB_COMPONENT_APPLAFFINITY:
		return tb_learning_affinity(&facts->application, node);
	case TB_COMPONENT_APPLFAILURERATE:
		return tb_learning_failure_rate(&facts->application, node);
	case TB_COMPONENT_FREETIME:
		return count_free_time(facts, node);
	case TB_COMPONENT_MTBF:
		return tb_learning_mtbf(node);
	case TB_COMPONENT_PARAPROCS:
		return facts->partition_cpus;
	case TB_COMPONENT_PREF:
		return tb_node_preferred(facts, node);
	case TB_COMPONENT_RANDOM:
		return tb_allocation_chance(facts->seed, node);
	case TB_COMPONENT_RESAFFINITY:
		return facts->times.affinity[node];
	case TB_COMPONENT_USAGE:
		return tb_learning_usage(node);
	default:
		return get_record_value(facts, with_feature, term, node);
	}
}

double tb_node_component(const struct tb_node_facts *facts,
			 enum tb_component component, uint32_t node)
{
	const struct tb_priority_term term = { component, NULL };

	return get_term_value(facts, NULL, &term, node);
}

double tb_node_priority(const struct tb_node_facts *facts, uint32_t node)
{
	const struct tb_function_facts *own = facts->functions;
	const struct tb_priority_term *terms;
	unsigned count;

	if (facts->nodes_differ)
		own = find_function(facts, get_function(facts, node));
	if (!own)
		own = facts->functions;
	terms = tb_priority_terms(own->function, &count);
	for (unsigned i = 0; i < count; i++)
		own->values[i] = get_term_value(facts, own->features[i],
						&terms[i], node);
	return tb_priority_value(own->function, own->values);
}

/* --- all of it -------------------------------------------------------------------- */

/* A job without a limit goes on for a year, as everywhere in Slurm. */
static time_t find_end(const job_record_t *job, time_t start)
{
	uint32_t minutes = job->time_limit;

	if (minutes == NO_VAL && job->part_ptr)
		minutes = job->part_ptr->default_time != NO_VAL
				  ? job->part_ptr->default_time
				  : job->part_ptr->max_time;
	if (minutes == NO_VAL || minutes == INFINITE)
		minutes = 365 * 24 * 60;
	return start + (time_t)minutes * 60;
}

/*
 * The record's sched_weight is of the last test: it is written for all nodes before a
 * start is tried.  From 24.11 on select/cons_tres writes it, in another scale, in the
 * middle of a question about when; before that it can be of any job.
 */
uint64_t tb_node_weight(const struct tb_node_facts *facts, uint32_t node)
{
	return facts->starts_now ? node_record_table_ptr[node]->sched_weight
				 : tb_node_own_weight(node);
}

void tb_node_facts_find(struct tb_node_facts *facts, const struct tb_test *test,
			time_t start)
{
	const struct tb_node_choice *choice = test->choice;

	*facts = (struct tb_node_facts){
		.choice = choice,
		.job = test->job,
		.starts_now = tb_test_mode(test) == TB_RUN_NOW,
		.start = start,
		.end = find_end(test->job, start),
		.seed = ((uint64_t)test->job->job_id << 32) ^ (uint64_t)start,
	};
	find_preferred(facts);
	switch (choice->policy) {
	case TB_ALLOCATE_FIRSTAVAILABLE:
	case TB_ALLOCATE_LASTAVAILABLE:
		tb_node_times_find(&facts->times, test->job, start);
		break;
	case TB_ALLOCATE_PRIORITY:
		tb_node_times_find(&facts->times, test->job, start);
		find_for_functions(facts, test->nodes);
		break;
	case TB_ALLOCATE_PLUGIN:
		tb_node_times_find(&facts->times, test->job, start);
		find_for_plugin(facts, test->nodes);
		break;
	case TB_ALLOCATE_CPULOAD: /* for a later start it is MINRESOURCE */
	case TB_ALLOCATE_MINRESOURCE:
	case TB_ALLOCATE_BESTFIT:
	case TB_ALLOCATE_BESTTOPOLOGY:
		find_largest(facts, test->nodes);
		break;
	default:
		break;
	}
}

void tb_node_facts_clear(struct tb_node_facts *facts)
{
	tb_node_times_clear(&facts->times);
	xfree(facts->preferred);
	for (uint32_t i = 0; i < facts->nfunctions; i++) {
		xfree(facts->functions[i].features);
		xfree(facts->functions[i].values);
	}
	xfree(facts->functions);
}
