/* SPDX-License-Identifier: GPL-2.0-or-later */
/* under.c - configurations, see whatif.h */
#define _GNU_SOURCE /* strndup */
#include <stdlib.h>
#include <string.h>

#include "whatif.h"

static const char implicit_word[] = "implicit=";
static const char nodes_word[] = "bnodes=";
static const char cluster_word[] = "on=";

/* ---- words ---- */

/* What stands behind the name; NULL: it is another word. */
static const char *get_value(const char *word, const char *name)
{
	size_t length = strlen(name);

	return strncmp(word, name, length) ? NULL : word + length;
}

/* The words are taken out of the text one by one; NULL: there is none left. */
static char *take_last_word(char *text)
{
	char *comma = strrchr(text, ',');

	if (!comma)
		return NULL;
	*comma = '\0';
	return comma + 1;
}

/* on=NAME, wherever it is the last one. */
static int take_cluster(struct tb_under *under, char *text)
{
	char *comma = strrchr(text, ',');
	const char *name = comma ? get_value(comma + 1, cluster_word) : NULL;

	under->on = strdup(name ? name : "");
	if (name)
		*comma = '\0';
	return under->on ? 0 : -1;
}

/* Behind plain or implicit=UNIT only a policy may come. */
static int take_words(struct tb_under *under, char *text, struct tb_error *err)
{
	const char *value, *word = take_last_word(text);

	if (word) {
		value = get_value(word, nodes_word);
		if (!value)
			return tb_fail(
				err,
				"\"%.60s\" cannot stand behind %.40s: give bnodes=POLICY, on=NAME",
				word, text);
		if (take_words(under, text, err))
			return -1;
		return tb_request_set(&under->request, "bnodes", value, err);
	}
	under->plain = !strcmp(text, "plain");
	if (under->plain)
		return 0;
	under->implicit = true;
	return tb_request_set(&under->request, "bunit",
			      get_value(text, implicit_word), err);
}

static bool is_by_site(const char *text)
{
	size_t length = strcspn(text, ",");

	return get_value(text, implicit_word) ||
	       (length == 5 && get_value(text, "plain"));
}

static int read_words(struct tb_under *under, char *text, struct tb_error *err)
{
	if (is_by_site(text) ? take_words(under, text, err)
			     : tb_request_parse(&under->request, text, err))
		return -1;
	return under->plain ? 0 : tb_request_complete(&under->request, err);
}

/* ---- configurations ---- */

static int check_policy(struct tb_under *under, struct tb_error *err)
{
	enum tb_allocation policy = tb_request_nodes(&under->request,
						     TB_ALLOCATE_DEFAULT);

	under->policy.nodes = policy;
	if (policy == TB_ALLOCATE_CPULOAD)
		return tb_fail(
			err,
			"bnodes=CPULOAD looks at the load of nodes, which no history has: give another policy");
	if (policy == TB_ALLOCATE_PRIORITY)
		return tb_fail(
			err,
			"bnodes=PRIORITY looks at more of nodes than a history has: give another policy");
	if (under->request.prefer)
		return tb_fail(
			err,
			"bprefer=%.60s looks at more of nodes than a history has: leave it out",
			under->request.prefer);
	return 0;
}

static int check_binding(const struct tb_under *under, struct tb_error *err)
{
	if (under->plain || (tb_request_binds(&under->request) &&
			     !under->request.nalternatives))
		return 0;
	return tb_fail(
		err,
		"it is no configuration: give plain, implicit=UNIT, or a binding such as bunit=X,bamount=1, and behind it bnodes=POLICY, on=NAME");
}

int tb_under_parse(struct tb_under *under, const char *text,
		   struct tb_error *err)
{
	char *words = strdup(text);
	struct tb_error why;
	int rc = -1;

	*under = (struct tb_under){ .text = text };
	tb_request_init(&under->request);
	if (!words || take_cluster(under, words))
		tb_fail(&why, "out of memory");
	else
		rc = read_words(under, words, &why) ||
				     check_binding(under, &why) ||
				     check_policy(under, &why)
			     ? -1
			     : 0;
	free(words);
	return rc ? tb_fail(err, "--under=%.100s: %s", text, why.text) : 0;
}

int tb_under_find_nodes(struct tb_under *under,
			const struct tb_past_clusters *clusters,
			struct tb_error *err)
{
	enum tb_allocation policy = under->policy.nodes;

	under->cluster = tb_past_clusters_find(clusters, under->on);
	if (!under->cluster && *under->on)
		return tb_fail(
			err,
			"--under=%.100s: there is no --topology=%.40s:NODES=STRING",
			under->text, under->on);
	if (!under->cluster)
		return tb_fail(
			err,
			"--under=%.100s: each --topology has a name, say which with on=NAME",
			under->text);
	under->policy.speeds = under->cluster->speeds;
	if (!under->policy.speeds &&
	    (policy == TB_ALLOCATE_FASTEST || policy == TB_ALLOCATE_MAXBALANCE))
		return tb_fail(
			err,
			"--under=%.100s: the policy looks at the speed of nodes, give --speed=NODES=MHZ",
			under->text);
	return 0;
}

void tb_under_clear(struct tb_under *under)
{
	tb_request_clear(&under->request);
	free(under->on);
}
