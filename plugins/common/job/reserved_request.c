/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* open_memstream */
#include "reserved_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define FIRST_WORD "topobind "

static void print_number(FILE *out, const char *name, int64_t number)
{
	if (number)
		fprintf(out, "%s=%" PRId64 " ", name, number);
}

char *tb_reserved_request_print(const struct tb_reserved_request *reserved)
{
	char *line = tb_request_print(&reserved->request), *text = NULL;
	size_t size = 0;
	FILE *out = line ? open_memstream(&text, &size) : NULL;

	if (out) {
		fputs(FIRST_WORD, out);
		print_number(out, "start", reserved->start);
		print_number(out, "slots", reserved->slots);
		print_number(out, "nodes", reserved->nodes);
		print_number(out, "per-node", reserved->per_node);
		fputs(line, out);
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	free(line);
	return text;
}

/* Move *at behind "NAME=number " if it stands there.  -1: the number is wrong. */
static int read_number(const char **at, const char *name, uint64_t most,
		       uint64_t *number)
{
	size_t length = strlen(name);
	const char *value = *at + length + 1;

	*number = 0;
	if (strncmp(*at, name, length) || (*at)[length] != '=')
		return 0;
	if (tb_text_read_number(&value, most, number) || *value != ' ')
		return -1;
	*at = value + 1;
	return 0;
}

static int read_numbers(struct tb_reserved_request *reserved, const char **at)
{
	uint64_t start, slots, nodes, per_node;

	if (read_number(at, "start", INT32_MAX * (uint64_t)64, &start) ||
	    read_number(at, "slots", TB_RESERVE_MOST, &slots) ||
	    read_number(at, "nodes", TB_RESERVE_MOST, &nodes) ||
	    read_number(at, "per-node", TB_RESERVE_MOST, &per_node))
		return -1;
	reserved->start = (int64_t)start;
	reserved->slots = (uint32_t)slots;
	reserved->nodes = (uint32_t)nodes;
	reserved->per_node = (uint32_t)per_node;
	return slots ? 0 : -1;
}

int tb_reserved_request_read(struct tb_reserved_request *reserved,
			     const char *text, struct tb_error *err)
{
	const char *at = text;

	*reserved = (struct tb_reserved_request){ 0 };
	tb_request_init(&reserved->request);
	if (!text || strncmp(text, FIRST_WORD, strlen(FIRST_WORD)))
		return tb_fail(err, "no units were asked for");
	at += strlen(FIRST_WORD);
	if (read_numbers(reserved, &at))
		return tb_fail(err,
			       "\"%.60s\" does not say how many slots are asked for",
			       text);
	if (tb_request_parse(&reserved->request, at, err) ||
	    tb_request_complete(&reserved->request, err))
		return -1;
	return tb_reserved_request_check(&reserved->request, err);
}

void tb_reserved_request_clear(struct tb_reserved_request *reserved)
{
	tb_request_clear(&reserved->request);
}

static int fail_for(const char *option, const char *why, struct tb_error *err)
{
	return tb_fail(
		err,
		"--%s is not for a reservation, %s; give it to the jobs in it",
		option, why);
}

int tb_reserved_request_check(const struct tb_request *request,
			      struct tb_error *err)
{
	if (!tb_request_binds(request))
		return tb_fail(
			err,
			"no units were asked for, give --bunit and --bamount");
	if (request->cpus)
		return fail_for("bcpus", "which has units, not CPUs", err);
	if (tb_request_memory(request, tb_any_memory()).where != TB_MEMORY_NONE)
		return fail_for("bmem", "which has no memory", err);
	if (request->mode == TB_SOFT)
		return fail_for("bmode", "in which no task runs", err);
	if (request->instance != TB_SET)
		return fail_for("binstance", "in which no task runs", err);
	if (request->prefer)
		return fail_for("bprefer", "of which no job prefers nodes",
				err);
	if (tb_request_nodes(request, TB_ALLOCATE_SLURM) != TB_ALLOCATE_SLURM)
		return fail_for("bnodes", "which gets as few nodes as hold it",
				err);
	return 0;
}
