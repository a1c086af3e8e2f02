/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's parser reads the file; what it cannot judge (topology strings,
 * filters, distances) is judged here.
 */
#include "conf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/slurm_compat.h"

#include "src/common/hostlist.h"
#include "src/common/parse_config.h"
#include "src/common/read_config.h"
#include "src/common/xhash.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/topology.h"

#define CONF_FILE "topobind.conf"

/* What one NodeName= line says; shared by all nodes of the line. */
struct node_line {
	char *nodes; /* as written */
	char *topology;
	char *distances;
	unsigned *matrix; /* row by row; NULL for none */
	unsigned numa_nodes;
};

/* One node of a line, by name. */
struct node_entry {
	char *name;
	const struct node_line *line;
};

struct tb_conf {
	bool enabled;
	bool node_record;
	struct tb_filter *filter;
	struct node_line *lines;
	unsigned line_count;
	xhash_t *nodes; /* of struct node_entry, by name */
};

static void destroy_line(void *item)
{
	struct node_line *line = item;

	xfree(line->nodes);
	xfree(line->topology);
	xfree(line->distances);
	free(line->matrix);
	xfree(line);
}

static int parse_node_line(void **dest, slurm_parser_enum_t type,
			   const char *key, const char *value, const char *rest,
			   char **leftover)
{
	static s_p_options_t options[] = {
		{.key = "Topology", .type = S_P_STRING},
		{.key = "Distances", .type = S_P_STRING},
		{.key = NULL}
	};
	s_p_hashtbl_t *table = s_p_hashtbl_create(options);
	struct node_line *line;

	(void)type;
	(void)key;
	if (!s_p_parse_line(table, rest, leftover)) {
		s_p_hashtbl_destroy(table);
		return -1;
	}
	line = xmalloc(sizeof(*line));
	line->nodes = xstrdup(value);
	s_p_get_string(&line->topology, "Topology", table);
	s_p_get_string(&line->distances, "Distances", table);
	s_p_hashtbl_destroy(table);
	*dest = line;
	return 1;
}

static s_p_options_t conf_options[] = {
	{.key = "Enabled", .type = S_P_BOOLEAN},
	{.key = "Filter", .type = S_P_STRING},
	{.key = "NodeRecord", .type = S_P_BOOLEAN},
	{.key = "NodeName", .type = S_P_ARRAY, .handler = parse_node_line,
	 .destroy = destroy_line},
	{.key = NULL}
};

/* "10,21;21,10": rows separated by ';', numbers by ','. */
static int parse_distances(struct node_line *line, unsigned numa_nodes,
			   struct tb_error *err)
{
	const char *at = line->distances;
	unsigned total = numa_nodes * numa_nodes;

	line->matrix = calloc(total ? total : 1, sizeof(*line->matrix));
	if (!line->matrix)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < total; i++) {
		char *end;
		unsigned long number = strtoul(at, &end, 10);
		char wanted = i + 1 == total ? '\0'
			      : (i + 1) % numa_nodes ? ',' : ';';

		if (end == at || *end != wanted || number > 65535)
			return tb_fail(err, CONF_FILE ": NodeName=%.64s has Distances=%.64s; for its %u NUMA nodes it must be %u rows of %u numbers up to 65535, such as 10,21;21,10",
				       line->nodes, line->distances, numa_nodes,
				       numa_nodes, numa_nodes);
		line->matrix[i] = number;
		at = end + 1;
	}
	line->numa_nodes = numa_nodes;
	return 0;
}

static int check_line(struct node_line *line, struct tb_error *err)
{
	struct tb_error why;
	struct tb_topology *topology;
	int rc = 0;

	if (!line->topology)
		return line->distances
			? tb_fail(err, CONF_FILE ": NodeName=%.64s has Distances= without Topology=; give both",
				  line->nodes)
			: 0;
	topology = tb_topology_parse(line->topology, NULL, &why);
	if (!topology)
		return tb_fail(err, CONF_FILE ": NodeName=%.64s: %.300s",
			       line->nodes, why.text);
	if (line->distances)
		rc = parse_distances(line, tb_topology_count(topology, 'N'),
				     err);
	tb_topology_destroy(topology);
	return rc;
}

static void entry_name(void *item, const char **key, uint32_t *length)
{
	struct node_entry *entry = item;

	*key = entry->name;
	*length = strlen(entry->name);
}

static void destroy_entry(void *item)
{
	struct node_entry *entry = item;

	xfree(entry->name);
	xfree(entry);
}

static int add_nodes(struct tb_conf *site, const struct node_line *line,
		     struct tb_error *err)
{
	hostlist_t list = hostlist_create(line->nodes);
	char *name;
	int rc = 0;

	if (!list)
		return tb_fail(err, CONF_FILE ": NodeName=%.64s is not a list of nodes",
			       line->nodes);
	while (!rc && (name = hostlist_shift(list))) {
		if (xhash_get_str(site->nodes, name)) {
			rc = tb_fail(err, CONF_FILE ": node %.64s is in two NodeName= lines; keep one",
				     name);
		} else {
			struct node_entry *entry = xmalloc(sizeof(*entry));

			entry->name = xstrdup(name);
			entry->line = line;
			xhash_add(site->nodes, entry);
		}
		free(name);
	}
	hostlist_destroy(list);
	return rc;
}

static int take_nodes(struct tb_conf *site, s_p_hashtbl_t *table,
		      struct tb_error *err)
{
	struct node_line **lines;
	int count;

	if (!s_p_get_array((void ***)&lines, &count, "NodeName", table))
		return 0;
	site->lines = xcalloc(count, sizeof(*site->lines));
	for (int i = 0; i < count; i++) {
		/* The table dies after reading: take over what it holds. */
		struct node_line *line = &site->lines[site->line_count++];

		*line = *lines[i];
		memset(lines[i], 0, sizeof(*lines[i]));
		if (check_line(line, err) || add_nodes(site, line, err))
			return -1;
	}
	return 0;
}

static int take_filter(struct tb_conf *site, s_p_hashtbl_t *table,
		       struct tb_error *err)
{
	struct tb_error why;
	char *text = NULL;
	int rc = 0;

	if (s_p_get_string(&text, "Filter", table) && xstrcasecmp(text, "NONE")) {
		site->filter = tb_filter_parse(text, &why);
		if (!site->filter)
			rc = tb_fail(err, CONF_FILE ": Filter: %.400s",
				     why.text);
	}
	xfree(text);
	return rc;
}

static struct tb_conf *create_default(void)
{
	struct tb_conf *site = xmalloc(sizeof(*site));

	site->enabled = true;
	site->node_record = true;
	site->nodes = xhash_init(entry_name, destroy_entry);
	return site;
}

static int read_file(struct tb_conf *site, char *path, struct tb_error *err)
{
	s_p_hashtbl_t *table = s_p_hashtbl_create(conf_options);
	int rc;

	/* Slurm's parser says file, line and key in the daemon's log. */
	if (tb_parse_conf_file(table, path)) {
		s_p_hashtbl_destroy(table);
		return tb_fail(err, "%.400s has an error; the line before this one says where",
			       path);
	}
	s_p_get_boolean(&site->enabled, "Enabled", table);
	s_p_get_boolean(&site->node_record, "NodeRecord", table);
	rc = take_filter(site, table, err);
	if (!rc)
		rc = take_nodes(site, table, err);
	s_p_hashtbl_destroy(table);
	return rc;
}

struct tb_conf *tb_conf_load(struct tb_error *err)
{
	struct tb_conf *site = create_default();
	char *path = get_extra_conf_path(CONF_FILE);
	struct stat status;

	if (!stat(path, &status) && read_file(site, path, err)) {
		tb_conf_destroy(site);
		site = NULL;
	}
	xfree(path);
	return site;
}

void tb_conf_destroy(struct tb_conf *site)
{
	if (!site)
		return;
	xhash_free(site->nodes);
	for (unsigned i = 0; i < site->line_count; i++) {
		xfree(site->lines[i].nodes);
		xfree(site->lines[i].topology);
		xfree(site->lines[i].distances);
		free(site->lines[i].matrix);
	}
	xfree(site->lines);
	tb_filter_destroy(site->filter);
	xfree(site);
}

bool tb_conf_enabled(const struct tb_conf *site)
{
	return site->enabled;
}

bool tb_conf_node_record(const struct tb_conf *site)
{
	return site->node_record;
}

const struct tb_filter *tb_conf_filter(const struct tb_conf *site)
{
	return site->filter;
}

static const struct node_line *line_of(const struct tb_conf *site,
				       const char *node_name)
{
	struct node_entry *entry = xhash_get_str(site->nodes, node_name);

	return entry ? entry->line : NULL;
}

const char *tb_conf_topology(const struct tb_conf *site, const char *node_name)
{
	const struct node_line *line = line_of(site, node_name);

	return line ? line->topology : NULL;
}

const unsigned *tb_conf_distances(const struct tb_conf *site,
				  const char *node_name, unsigned *count)
{
	const struct node_line *line = line_of(site, node_name);

	*count = line ? line->numa_nodes : 0;
	return line ? line->matrix : NULL;
}
