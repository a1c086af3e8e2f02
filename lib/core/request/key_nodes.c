/* SPDX-License-Identifier: GPL-2.0-or-later */
/* key_nodes.c - which nodes: bnodes, bprefer */
#include "key.h"

#include <stdlib.h>
#include <string.h>

#include "prefer.h"

/* bnodes */

static int read_nodes(struct tb_request *request, const char *value,
		      struct tb_error *err)
{
	return tb_allocation_parse(value, &request->nodes)
		       ? 0
		       : tb_key_refuse(TB_REQUEST_KEY_NODES, value, err);
}

/* The default is the site's: any policy is printed, SLURM too. */
static bool is_default_nodes(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_nodes(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, tb_allocation_names[request->nodes]);
}

const struct tb_key tb_key_nodes = { read_nodes, is_default_nodes,
				     print_nodes };

/* bprefer: prefer.h */

static int read_prefer(struct tb_request *request, const char *value,
		       struct tb_error *err)
{
	bool is_list = strlen(value) <= TB_PREFER_MAX;
	char *list = is_list ? tb_prefer_parse(value, &is_list) : NULL;

	if (!is_list)
		return tb_key_refuse(TB_REQUEST_KEY_PREFER, value, err);
	if (!list)
		return tb_fail(err, "out of memory");
	free(request->prefer);
	request->prefer = list;
	return 0;
}

static bool is_default_prefer(const struct tb_request *request)
{
	return !request->prefer;
}

static void print_prefer(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, request->prefer);
}

const struct tb_key tb_key_prefer = { read_prefer, is_default_prefer,
				      print_prefer };
