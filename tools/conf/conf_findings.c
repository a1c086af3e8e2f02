/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_findings.c - see conf_findings.h */
#define _GNU_SOURCE /* vasprintf */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_findings.h"
#include "cluster/hosts.h"
#include "terminal/wrap.h"

struct finding {
	char *where; /* NULL: the nodes */
	struct tb_hosts *nodes;
	char *problem, *fix;
	bool is_note;
};

struct tb_findings {
	struct finding *list;
	unsigned count;
	bool failed;
};

struct tb_findings *tb_findings_create(void)
{
	return calloc(1, sizeof(struct tb_findings));
}

void tb_findings_destroy(struct tb_findings *findings)
{
	for (unsigned i = 0; findings && i < findings->count; i++) {
		struct finding *finding = &findings->list[i];

		free(finding->where);
		tb_hosts_destroy(finding->nodes);
		free(finding->problem);
		free(finding->fix);
	}
	if (findings)
		free(findings->list);
	free(findings);
}

char *tb_words(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return length < 0 ? NULL : text;
}

/* Takes over all that is in it. */
static void append_finding(struct tb_findings *findings,
			   struct finding *finding)
{
	struct finding *list = realloc(findings->list,
				       (findings->count + 1) * sizeof(*list));

	if (list) {
		findings->list = list;
		list[findings->count++] = *finding;
		if (finding->problem && finding->fix &&
		    (finding->where || finding->nodes))
			return;
	} else {
		free(finding->where);
		tb_hosts_destroy(finding->nodes);
		free(finding->problem);
		free(finding->fix);
	}
	findings->failed = true;
}

void tb_findings_add(struct tb_findings *findings, const char *where,
		     char *problem, char *fix)
{
	struct finding finding = { strdup(where), NULL, problem, fix, false };

	append_finding(findings, &finding);
}

void tb_findings_note(struct tb_findings *findings, const char *where,
		      char *problem, char *fix)
{
	struct finding finding = { strdup(where), NULL, problem, fix, true };

	append_finding(findings, &finding);
}

static bool is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static struct finding *find_same(const struct tb_findings *findings,
				 const char *problem, const char *fix)
{
	for (unsigned i = 0; i < findings->count; i++)
		if (findings->list[i].nodes &&
		    is_same(findings->list[i].problem, problem) &&
		    is_same(findings->list[i].fix, fix))
			return &findings->list[i];
	return NULL;
}

void tb_findings_add_node(struct tb_findings *findings, const char *node,
			  char *problem, char *fix)
{
	struct finding *same = find_same(findings, problem, fix);
	struct finding finding = { NULL, NULL, problem, fix, false };

	if (same) {
		tb_hosts_add(same->nodes, node);
		free(problem);
		free(fix);
		return;
	}
	finding.nodes = tb_hosts_create(node);
	append_finding(findings, &finding);
}

int tb_findings_count(const struct tb_findings *findings)
{
	int count = 0;

	for (unsigned i = 0; i < findings->count; i++)
		count += !findings->list[i].is_note;
	return findings->failed ? -1 : count;
}

/* malloc()ed; NULL when out of memory. */
static char *get_where(const struct finding *finding)
{
	char *names, *where;

	if (finding->where)
		return strdup(finding->where);
	names = tb_hosts_print(finding->nodes);
	where = names ? tb_words("node %s", names) : NULL;
	free(names);
	return where;
}

void tb_findings_print(const struct tb_findings *findings, const char *command)
{
	for (unsigned i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];
		char *where = get_where(finding);

		char *text = tb_words("%s: %s; %s", where ? where : "?",
				      finding->problem, finding->fix);

		if (finding->is_note)
			fprintf(stderr, "%s: note: %s\n", command,
				text ? text : "?");
		else
			tb_print_sentence(stdout, "%s", text ? text : "?");
		free(text);
		free(where);
	}
}

json_t *tb_findings_json(const struct tb_findings *findings, bool notes)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < findings->count; i++) {
		char *where;

		if (findings->list[i].is_note != notes)
			continue;
		where = get_where(&findings->list[i]);
		json_array_append_new(array,
				      json_pack("{s:s*, s:s, s:s}", "where",
						where, "problem",
						findings->list[i].problem,
						"fix", findings->list[i].fix));
		free(where);
	}
	return array;
}
