/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_policy.c - topobind policy */
#define _GNU_SOURCE /* asprintf, open_memstream */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/hosts.h"
#include "cluster/slurm_library.h"
#include "command.h"
#include "common/conf/conf.h"
#include "common/job/job_comment.h"
#include "common/job/request_env.h"
#include "core/policy/allocation.h"
#include "cluster/job_id.h"
#include "node_values.h"
#include "plugin_score.h"
#include "table/table_options.h"
#include "terminal/words.h"

struct options {
	struct tb_command common;
	tb_hostlist_t nodes; /* NULL: those of the partition */
	const char *partition;
	struct tb_job_argument job; /* without text: none */
	struct tb_table_options table;
};

/* The question: for which job, and what is in force for it. */
struct question {
	const struct options *options;
	const struct tb_cluster *cluster;
	const job_info_t *job;		   /* NULL: none */
	const partition_info_t *partition; /* NULL: all of the cluster */
	struct tb_request request;
	enum tb_allocation policy;
	char *plugin;		       /* plugin:NAME; else NULL */
	struct tb_plugin_score scores; /* of it */
	char *why_off; /* slurmctld does not ask it; NULL: it does */
};

/* A node. */
struct row {
	const node_info_t *node;
	const struct tb_priority_function *function; /* NULL: a plugin */
	const char *text; /* function, or plugin:NAME */
	bool is_known;	  /* all that the function uses */
	double worth;
	double *values; /* of its terms; NAN: not known */
};

/* ---- options ---- */

static int take_job(struct options *options, struct tb_error *err)
{
	return tb_job_argument_take(&options->job, 1, &optarg, err);
}

static int take_nodes(struct options *options, struct tb_error *err)
{
	return tb_hostlist_take(&options->nodes, optarg, err);
}

static const struct tb_column columns[] = {
	{ 'N', "node", "NODE", false },
	{ 'w', "worth", "WORTH", true },
	{ 'c', "components", "COMPONENTS", false },
	{ 'f', "function", "FUNCTION", false },
};
enum { NODE, WORTH, COMPONENTS, FUNCTION };

static void print_number(double number, FILE *out)
{
	if (isnan(number))
		fputc('?', out);
	else
		fprintf(out, "%.10g", number);
}

static void print_term(const struct tb_priority_term *term, FILE *out)
{
	fputs(tb_component_names[term->component], out);
	if (term->name)
		fprintf(out, "[%s]", term->name);
}

/* What a plugin looks at nobody knows. */
static const struct tb_priority_term *get_terms(const struct row *row,
						unsigned *count)
{
	*count = 0;
	return row->function ? tb_priority_terms(row->function, count) : NULL;
}

static void print_cell(const void *data, unsigned column, FILE *out)
{
	const struct row *row = data;
	const struct tb_priority_term *terms;
	unsigned count;

	switch (column) {
	case NODE:
		fputs(row->node->name, out);
		break;
	case WORTH:
		print_number(row->is_known ? row->worth : NAN, out);
		break;
	case COMPONENTS:
		terms = get_terms(row, &count);
		for (unsigned i = 0; i < count; i++) {
			fputs(i ? " " : "", out);
			print_term(&terms[i], out);
			fputc('=', out);
			print_number(row->values[i], out);
		}
		break;
	default:
		fputs(row->text, out);
		break;
	}
}

static bool get_number(const void *data, unsigned column, double *number)
{
	const struct row *row = data;

	*number = row->worth;
	return column == WORTH && row->is_known;
}

static const struct tb_table_kind table = {
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.print = print_cell,
	.number = get_number,
};

static int take_policy_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 'n':
		return take_nodes(options, err);
	case 'j':
		return take_job(options, err);
	case 'p':
		options->partition = optarg;
		return 0;
	default:
		return tb_table_option(&options->table, &table, option, err);
	}
}

static int finish_policy(void *data, int count, char **words,
			 struct tb_error *err)
{
	const struct options *options = data;

	if (tb_command_no_arguments(count, words, err))
		return -1;
	if (options->job.text && options->partition)
		return tb_fail(err,
			       "--job=%.60s has a partition, leave out --partition",
			       options->job.text);
	return 0;
}

static const struct tb_command_option own_options[] = {
	{ "nw", "node", "NODES", 'n', "only these nodes" },
	{ "j", "job", "JOB", 'j', "for this job, 123 or 123_4" },
	{ "p", "partition", "PARTITION", 'p', "for jobs of it" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.purpose = "Show what each node is worth by the priority function that is in force for it and for the job (or the jobs of a partition), with the value of each component; the best node comes first.",
	.notes = "Columns: %N node, %w worth, %c components, %f function.",
	.exit_codes = "Exit codes: 0 shown, 2 bad option, unknown node, job or partition, or Slurm does not answer.",
	.own = own_options,
	.shared = tb_table_options_list,
	.has_json = true,
	.take = take_policy_option,
	.finish = finish_policy,
	/* clang-format on */
};

/* ---- what is in force ---- */

/* A job without a binding has none in its record. */
static void read_request(struct question *question)
{
	struct tb_comment comment;
	struct tb_error why;

	if (!tb_comment_read(&comment, question->job->system_comment, &why) &&
	    comment.request && !tb_comment_is_cut(comment.request))
		tb_request_from_comment(&question->request, comment.request,
					&why);
	tb_comment_clear(&comment);
}

static const partition_info_t *find_usual(const struct tb_cluster *cluster)
{
	const partition_info_msg_t *all = cluster->partitions;

	for (unsigned i = 0; i < all->record_count; i++)
		if (all->partition_array[i].flags & PART_FLAG_DEFAULT)
			return &all->partition_array[i];
	return NULL;
}

/* The first of those that the job may run in. */
static int find_partition(struct question *question, struct tb_error *err)
{
	const struct options *options = question->options;
	const char *list = question->job ? question->job->partition
					 : options->partition;
	size_t length;
	const char *word = tb_words_next(&list, &length);
	char *name = word ? strndup(word, length) : NULL;

	if (name)
		question->partition = tb_cluster_partition(question->cluster,
							   name);
	else
		question->partition = find_usual(question->cluster);
	if (name && !question->partition)
		tb_fail(err, "Slurm knows no partition \"%.100s\"", name);
	free(name);
	return word && !question->partition ? -1 : 0;
}

static int find_plugin(struct question *question, const char *partition,
		       struct tb_error *err)
{
	const char *name = tb_conf_policy_plugin(question->cluster->conf,
						 partition);

	if (asprintf(&question->plugin, TB_ALLOCATION_PLUGIN "%s", name) < 0) {
		question->plugin = NULL;
		return tb_fail(err, "out of memory");
	}
	question->why_off = tb_plugin_why_off(name);
	return tb_plugin_score_begin(&question->scores, name, question->cluster,
				     question->job, &question->request,
				     partition, err);
}

static int find_policy(struct question *question, struct tb_error *err)
{
	const struct tb_conf *conf = question->cluster->conf;
	const char *partition = question->partition ? question->partition->name
						    : NULL;

	question->policy = tb_request_nodes(&question->request,
					    tb_conf_allocation(conf,
							       partition));
	return question->policy == TB_ALLOCATE_PLUGIN
		       ? find_plugin(question, partition, err)
		       : 0;
}

static int find_question(struct question *question, struct tb_error *err)
{
	const struct options *options = question->options;
	const struct tb_cluster *cluster = question->cluster;

	if (!cluster->conf)
		return tb_fail(err, "%s", cluster->conf_why.text);
	if (options->job.text) {
		question->job = tb_job_id_find(&options->job.id, cluster->jobs);
		if (!question->job)
			return tb_fail(err, "Slurm shows no job %.60s",
				       options->job.text);
		read_request(question);
	}
	if (find_partition(question, err))
		return -1;
	return find_policy(question, err);
}

/* ---- the nodes ---- */

static bool is_wanted(const struct question *question, const node_info_t *node)
{
	const partition_info_t *partition = question->partition;

	if (!node->name)
		return false;
	if (question->options->nodes)
		return slurm_hostlist_find(question->options->nodes,
					   node->name) >= 0;
	return !partition || tb_words_have(node->partitions, partition->name,
					   strlen(partition->name));
}

/* False: out of memory. */
static bool fill_row_by_function(struct row *row,
				 const struct question *question,
				 const struct tb_node_values *values,
				 unsigned node)
{
	const struct tb_conf *conf = question->cluster->conf;
	const struct tb_priority_term *terms;
	unsigned count;

	row->function = tb_conf_node_priority(conf, row->node->name);
	if (!row->function)
		row->function =
			tb_conf_priority(conf,
					 question->partition
						 ? question->partition->name
						 : NULL);
	row->text = tb_priority_text(row->function);
	terms = tb_priority_terms(row->function, &count);
	row->values = calloc(count + 1, sizeof(*row->values));
	row->is_known = true;
	for (unsigned i = 0; row->values && i < count; i++) {
		if (tb_node_values_get(values, node, &terms[i],
				       &row->values[i]))
			continue;
		row->values[i] = NAN;
		row->is_known = false;
	}
	if (row->values && row->is_known)
		row->worth = tb_priority_value(row->function, row->values);
	return row->values;
}

static bool fill_row(struct row *row, const struct question *question,
		     const struct tb_node_values *values, unsigned node)
{
	row->node = &question->cluster->nodes->node_array[node];
	if (!question->plugin)
		return fill_row_by_function(row, question, values, node);
	row->text = question->plugin;
	row->is_known = tb_plugin_score_get(&question->scores, values, node,
					    &row->worth);
	return true;
}

static void destroy_rows(struct row *rows, unsigned count)
{
	for (unsigned i = 0; rows && i < count; i++)
		free(rows[i].values);
	free(rows);
}

/* The best first; those that are not known last; else as Slurm has them. */
static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->is_known != b->is_known)
		return a->is_known ? -1 : 1;
	if (a->is_known && a->worth != b->worth)
		return a->worth > b->worth ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static struct row *make_rows(const struct question *question, unsigned *count)
{
	const node_info_msg_t *nodes = question->cluster->nodes;
	struct row *rows = calloc(nodes->record_count + 1, sizeof(*rows));
	struct tb_node_values *values =
		tb_node_values_create(question->cluster, question->job,
				      &question->request, question->partition);
	bool filled = rows && values;

	*count = 0;
	for (unsigned i = 0; filled && i < nodes->record_count; i++)
		if (is_wanted(question, &nodes->node_array[i]))
			filled = fill_row(&rows[(*count)++], question, values,
					  i);
	tb_node_values_destroy(values);
	if (!filled) {
		destroy_rows(rows, *count);
		return NULL;
	}
	qsort(rows, *count, sizeof(*rows), compare_rows);
	return rows;
}

/* ---- output ---- */

static json_t *json_of_number(double number)
{
	return isnan(number) ? json_null() : json_real(number);
}

static json_t *json_of_row(const struct row *row)
{
	json_t *components = json_object();
	const struct tb_priority_term *terms;
	unsigned count;

	terms = get_terms(row, &count);
	for (unsigned i = 0; i < count; i++) {
		char *name = NULL;
		size_t size;
		FILE *out = open_memstream(&name, &size);

		if (!out)
			continue;
		print_term(&terms[i], out);
		if (!fclose(out))
			json_object_set_new(components, name,
					    json_of_number(row->values[i]));
		free(name);
	}
	return json_pack("{s:s, s:o, s:s, s:o}", "node", row->node->name,
			 "worth",
			 json_of_number(row->is_known ? row->worth : NAN),
			 "function", row->text, "components", components);
}

static const char *get_policy(const struct question *question)
{
	return question->plugin ? question->plugin
				: tb_allocation_names[question->policy];
}

static int print_json(const struct question *question, const struct row *rows,
		      unsigned count)
{
	json_t *list = json_array(), *json;
	int rc;

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(list, json_of_row(&rows[i]));
	json = json_pack("{s:s, s:s?, s:o, s:s*}", "policy",
			 get_policy(question), "partition",
			 question->partition ? question->partition->name : NULL,
			 "nodes", list, "off", question->why_off);
	rc = tb_command_print_json(question->options->common.name, json);
	json_decref(json);
	return rc;
}

/* Nobody should take the numbers for more than they are. */
static void print_policy(const struct question *question)
{
	if (question->options->table.no_headings)
		return;
	printf("policy %s", get_policy(question));
	if (question->partition)
		printf(" of partition %s", question->partition->name);
	if (question->why_off)
		printf("; slurmctld has switched it off: %s",
		       question->why_off);
	if (question->policy != TB_ALLOCATE_PRIORITY && !question->plugin)
		fputs("; these numbers count with PRIORITY only", stdout);
	putchar('\n');
}

static int print_table(const struct question *question, const struct row *rows,
		       unsigned count)
{
	const struct options *options = question->options;
	struct tb_columns *usual = NULL;
	const struct tb_columns *wanted = options->table.columns;
	int rc = -1;

	if (!wanted)
		wanted = usual =
			tb_columns_of_names(&table,
					    "node,worth,components,function",
					    NULL);
	print_policy(question);
	if (wanted)
		rc = tb_table_show(&options->table, &table, wanted, rows,
				   sizeof(*rows), count);
	tb_columns_destroy(usual);
	return rc ? tb_command_fail(options->common.name, "out of memory")
		  : TB_EXIT_OK;
}

static int show(const struct question *question)
{
	unsigned count;
	struct row *rows = make_rows(question, &count);
	int rc;

	if (!rows)
		return tb_command_fail(question->options->common.name,
				       "out of memory");
	rc = question->options->common.json
		     ? print_json(question, rows, count)
		     : print_table(question, rows, count);
	destroy_rows(rows, count);
	return rc;
}

static int check_nodes(const struct options *options,
		       const struct tb_cluster *cluster, struct tb_error *err)
{
	char *name = options->nodes
			     ? tb_cluster_find_unknown(cluster, options->nodes)
			     : NULL;
	int rc = name ? tb_fail(err, "Slurm knows no node \"%.100s\"", name)
		      : 0;

	free(name);
	return rc;
}

static int answer(const struct options *options)
{
	struct question question = { .options = options };
	struct tb_cluster *cluster;
	struct tb_error err = { .text = "" };
	int rc = TB_EXIT_BAD;

	tb_slurm_begin(options->common.name);
	cluster = tb_cluster_load(TB_CLUSTER_JOBS | TB_CLUSTER_CORES |
					  TB_CLUSTER_SITE |
					  TB_CLUSTER_PARTITIONS |
					  TB_CLUSTER_CONF,
				  &err);
	tb_slurm_end();
	question.cluster = cluster;
	tb_request_init(&question.request);
	if (cluster && !check_nodes(options, cluster, &err) &&
	    !find_question(&question, &err))
		rc = show(&question);
	else
		tb_command_fail(options->common.name, "%s", err.text);
	tb_plugin_score_clear(&question.scores);
	free(question.plugin);
	free(question.why_off);
	tb_request_clear(&question.request);
	tb_cluster_destroy(cluster);
	return rc;
}

int tb_command_policy(int argc, char **argv)
{
	struct options options = { .common = { .name = argv[0] } };
	int rc = TB_EXIT_BAD;

	if (!tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = options.common.done ? TB_EXIT_OK : answer(&options);
	if (options.nodes)
		slurm_hostlist_destroy(options.nodes);
	tb_table_options_clear(&options.table);
	return rc;
}
