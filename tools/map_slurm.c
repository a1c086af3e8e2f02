/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_slurm.c - see map_slurm.h; the only file of the map that asks Slurm */
#define _GNU_SOURCE /* asprintf, strndup */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "../plugins/common/node_extra.h"
#include "hosts.h"
#include "map_slurm.h"

/* What one load needs everywhere. */
struct load {
	struct tb_map *map;
	void (*warn)(const char *sentence);
};

static void warn_about(const struct load *load, const char *kind,
		       const char *name, const struct tb_error *why)
{
	struct tb_error sentence;

	tb_fail(&sentence, "%s %.100s: %s", kind, name, why->text);
	load->warn(sentence.text);
}

/* ---- nodes ---- */

/*
 * The value of a token in Extra, malloc()ed; NULL when it is not there.  A site
 * may have put commas between its tokens and ours.
 */
static char *token(const char *extra, const char *name)
{
	char *copy = extra ? strdup(extra) : NULL;
	const char *value;
	char *text = NULL;
	size_t length;

	for (char *c = copy; c && *c; c++)
		if (*c == ',')
			*c = ' ';
	value = tb_extra_find(copy, name, &length);
	if (value)
		text = strndup(value, length);
	free(copy);
	return text;
}

static void add_node(const struct load *load, const node_info_t *node)
{
	char *topology = token(node->extra, TB_EXTRA_TOPOLOGY);
	char *inuse = token(node->extra, TB_EXTRA_INUSE);
	struct tb_error why;

	/* The string in use has the shape too, should it stand alone. */
	if (tb_map_add_node(load->map, node->name, topology ? topology : inuse,
			    inuse, &why)) {
		warn_about(load, "node", node->name, &why);
		if (tb_map_add_node(load->map, node->name, NULL, NULL, &why))
			warn_about(load, "node", node->name, &why);
	}
	free(topology);
	free(inuse);
}

static const node_info_t *find_node(const node_info_msg_t *nodes,
				    const char *name)
{
	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name &&
		    !strcmp(nodes->node_array[i].name, name))
			return &nodes->node_array[i];
	return NULL;
}

static void add_all_nodes(const struct load *load,
			  const node_info_msg_t *nodes)
{
	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name)
			add_node(load, &nodes->node_array[i]);
}

static int add_listed_nodes(const struct load *load,
			    const node_info_msg_t *nodes, const char *list,
			    struct tb_error *err)
{
	struct tb_hosts *hosts = tb_hosts_create(list);
	char *name;
	int rc = 0;

	if (!hosts)
		return tb_fail(err, "\"%.100s\" is not a list of nodes", list);
	while (!rc && (name = tb_hosts_next(hosts))) {
		const node_info_t *node = find_node(nodes, name);

		if (node)
			add_node(load, node);
		else
			rc = tb_fail(err, "Slurm knows no node \"%.100s\"",
				     name);
		free(name);
	}
	tb_hosts_destroy(hosts);
	return rc;
}

static int load_nodes(const struct load *load, const char *list,
		      struct tb_error *err)
{
	node_info_msg_t *nodes = NULL;
	int rc = 0;

	if (slurm_load_node(0, &nodes, SHOW_ALL))
		return tb_fail(err, "cannot get the nodes from Slurm: %s",
			       slurm_strerror(errno));
	if (list)
		rc = add_listed_nodes(load, nodes, list, err);
	else
		add_all_nodes(load, nodes);
	slurm_free_node_info_msg(nodes);
	return rc;
}

/* ---- jobs ---- */

static bool holds_units(const job_info_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	return base == JOB_RUNNING || base == JOB_SUSPENDED ||
	       (job->job_state & JOB_COMPLETING);
}

/* "123", "123_4" of an array, "123+1" of a heterogeneous job; malloc()ed. */
static char *job_id_text(const job_info_t *job)
{
	char *text;
	int length;

	if (job->array_task_id != NO_VAL && job->array_job_id)
		length = asprintf(&text, "%u_%u", job->array_job_id,
				  job->array_task_id);
	else if (job->het_job_id)
		length = asprintf(&text, "%u+%u", job->het_job_id,
				  job->het_job_offset);
	else
		length = asprintf(&text, "%u", job->job_id);
	return length < 0 ? NULL : text;
}

/* malloc()ed */
static char *user_text(const job_info_t *job)
{
	const struct passwd *user;
	char *text;

	if (job->user_name && *job->user_name)
		return strdup(job->user_name);
	user = getpwuid(job->user_id);
	if (user)
		return strdup(user->pw_name);
	return asprintf(&text, "%u", job->user_id) < 0 ? NULL : text;
}

static void add_job(const struct load *load, const job_info_t *job)
{
	char *id = job_id_text(job);
	char *user = user_text(job);
	struct tb_error why = { "out of memory" };

	if (!id || !user ||
	    tb_map_add_comment(load->map, id, user, job->name ? job->name : "",
			       job->system_comment, &why))
		warn_about(load, "job", id ? id : "?", &why);
	free(id);
	free(user);
}

static int load_jobs(const struct load *load, struct tb_error *err)
{
	job_info_msg_t *jobs = NULL;

	if (slurm_load_jobs(0, &jobs, SHOW_ALL))
		return tb_fail(err, "cannot get the jobs from Slurm: %s",
			       slurm_strerror(errno));
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];

		if (holds_units(job) && job->system_comment)
			add_job(load, job);
	}
	slurm_free_job_info_msg(jobs);
	return 0;
}

struct tb_map *tb_map_load_slurm(const char *nodes,
				 void (*warn)(const char *sentence),
				 struct tb_error *err)
{
	struct load load = { tb_map_create(), warn };

	if (!load.map) {
		tb_fail(err, "out of memory while making the map");
		return NULL;
	}
	slurm_init(NULL);
	if (load_nodes(&load, nodes, err) || load_jobs(&load, err)) {
		tb_map_destroy(load.map);
		load.map = NULL;
	}
	slurm_fini();
	return load.map;
}
