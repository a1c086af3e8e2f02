/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_conf_lines.h - the lines of slurm.conf that this process has read
 *
 * For programs that link the public libslurm, after slurm_init().
 */
#ifndef TB_COMPAT_SLURM_CONF_LINES_H
#define TB_COMPAT_SLURM_CONF_LINES_H

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "slurm_compat.h"

#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

/* A NodeName= line; the list is as written. */
struct tb_slurm_node_line {
	const char *nodes;
	unsigned sockets, cores, threads; /* of a node, a socket, a core */
	const char *parameters; /* beside SlurmdParameters; NULL: none */
	const char *gres;	/* "gpu:2,mps:100"; NULL: none */
};

static inline const char *
tb_slurm_line_parameters(const slurm_conf_node_t *line)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
	(void)line;
	return NULL;
#else
	return line->parameters;
#endif
}

/* The i-th; false when there are no more. */
static inline bool tb_slurm_node_line(unsigned i,
				      struct tb_slurm_node_line *line)
{
	slurm_conf_node_t **lines;
	int count = slurm_conf_nodename_array(&lines);

	if (count < 0 || i >= (unsigned)count)
		return false;
	*line = (struct tb_slurm_node_line){
		lines[i]->nodenames,
		lines[i]->tot_sockets,
		lines[i]->cores,
		lines[i]->threads,
		tb_slurm_line_parameters(lines[i]),
		lines[i]->gres,
	};
	return true;
}

/* A PartitionName= line; what it does not say is 0. */
struct tb_slurm_partition_line {
	const char *name;
	unsigned select_type_param;
	unsigned max_share;	 /* 0: OverSubscribe=EXCLUSIVE */
	uint64_t default_memory; /* as Slurm keeps DefMemPerCPU, DefMemPerNode */
};

static inline bool tb_slurm_partition_line(unsigned i,
					   struct tb_slurm_partition_line *line)
{
	slurm_conf_partition_t **lines;
	int count = slurm_conf_partition_array(&lines);

	if (count < 0 || i >= (unsigned)count)
		return false;
	*line = (struct tb_slurm_partition_line){
		lines[i]->name,
		lines[i]->cr_type,
		lines[i]->max_share,
		lines[i]->def_mem_per_cpu,
	};
	return true;
}

/* MetricsType, "metrics/openmetrics"; NULL: none, or Slurm has no such plugins. */
static inline const char *tb_slurm_metrics_type(const slurm_conf_t *slurm)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
	(void)slurm;
	return NULL;
#else
	return slurm->metrics_type;
#endif
}

/*
 * What a file of Slurm says for a key, such as ConstrainCores in cgroup.conf;
 * the caller xfree()s.  NULL: nothing, or there is no such file.
 */
static inline char *tb_slurm_file_value(const char *path, const char *key)
{
	s_p_options_t options[] = {
		{ .key = (char *)key, .type = S_P_STRING },
		{ .key = NULL },
	};
	s_p_hashtbl_t *table = s_p_hashtbl_create(options);
	char *value = NULL;

	if (!access(path, R_OK) && !tb_parse_file(table, path, true))
		s_p_get_string(&value, key, table);
	s_p_hashtbl_destroy(table);
	return value;
}

/* The whole line, for a parser that takes keys apart. */
static inline int tb_slurm_keep_line(void **kept, slurm_parser_enum_t type,
				     const char *key, const char *value,
				     const char *line, char **leftover)
{
	char *text = NULL;

	(void)type;
	(void)line;
	xstrfmtcat(text, "%s=%s %s", key, value, *leftover);
	*leftover += strlen(*leftover);
	*kept = text;
	return 1;
}

/*
 * Call a function with each line of a file of Slurm that begins with one of two keys,
 * such as Name and NodeName in gres.conf; included files, too.
 */
static inline void tb_slurm_file_lines(const char *path, const char *key,
				       const char *other,
				       void (*take)(void *data, char *line),
				       void *data)
{
	s_p_options_t options[] = {
		{ .key = (char *)key,
		  .type = S_P_ARRAY,
		  .handler = tb_slurm_keep_line },
		{ .key = (char *)other,
		  .type = S_P_ARRAY,
		  .handler = tb_slurm_keep_line },
		{ .key = NULL },
	};
	s_p_hashtbl_t *table = s_p_hashtbl_create(options);
	bool is_read = !access(path, R_OK) && !tb_parse_file(table, path, true);
	void **lines;
	int count;

	for (unsigned i = 0; is_read && i < 2; i++)
		if (s_p_get_array(&lines, &count, options[i].key, table))
			for (int j = 0; j < count; j++)
				take(data, lines[j]);
	s_p_hashtbl_destroy(table);
}

#endif
