/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_settings.c - the settings of topobind.conf, and where they are */
#include "conf_data.h"

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "conf_line.h"

/* To find a line a file is read again: not for more of them than these. */
#define PLACES_MAX 200

struct visit {
	const struct tb_conf *site;
	tb_conf_setting_visitor visitor;
	void *arg;
	unsigned places; /* looked up */
	char *site_from[TB_WORDS];
};

/* "FILE line N" of key=value in what the line is of; xmalloc()ed. */
static char *find_place(struct visit *visit, const struct tb_conf_where *where,
			const char *key, const char *value)
{
	struct tb_error place;

	if (visit->places++ >= PLACES_MAX)
		return xstrdup(visit->site->path);
	tb_conf_line_of(where, key, value, &place);
	return xstrdup(place.text);
}

static void visit_setting(const struct visit *visit, const char *list,
			  const char *name, const struct tb_conf_key *key,
			  const char *value, const char *from, bool is_own)
{
	const struct tb_conf_setting setting = {
		.list = list,
		.name = name,
		.key = key->key,
		.value = value,
		.from = from,
		.is_own = is_own,
		.is_usual = !xstrcasecmp(value, key->usual),
	};

	visit->visitor(&setting, visit->arg);
}

static void visit_site(struct visit *visit)
{
	const struct tb_conf_where where = { visit->site->path, NULL, NULL };

	for (size_t i = 0; i < TB_SITE_KEYS; i++) {
		const struct tb_conf_key *key = &tb_conf_site_keys[i];
		const char *text = visit->site->site_text[i];
		char *from = text ? find_place(visit, &where, key->key, text)
				  : xstrdup(TB_CONF_DEFAULT);

		visit_setting(visit, NULL, NULL, key, text ? text : key->usual,
			      from, text != NULL);
		if (i < TB_WORDS)
			visit->site_from[i] = from;
		else
			xfree(from);
	}
}

/* What the line does not say is the site's. */
static void visit_partition(struct visit *visit,
			    const struct tb_conf_partition *line)
{
	const struct tb_conf_where where = { visit->site->path, "PartitionName",
					     line->name };

	for (int i = 0; i < TB_WORDS; i++) {
		const struct tb_conf_key *key = &tb_conf_site_keys[i];
		const char *own = line->words.word[i].value;
		const char *site = visit->site->site_text[i];
		char *from = own ? find_place(visit, &where, key->key, own)
				 : xstrdup_printf("the site, %s",
						  visit->site_from[i]);

		visit_setting(visit, "PartitionName", line->name, key,
			      own    ? own
			      : site ? site
				     : key->usual,
			      from, own != NULL);
		xfree(from);
	}
}

static void visit_node(struct visit *visit, const struct tb_conf_node *line)
{
	static const struct tb_conf_key texts[] = { TB_NODE_TEXT_ITEMS(
		TB_CONF_KEY_OF) };
	static const struct tb_conf_key numbers[] = { TB_NODE_NUMBER_ITEMS(
		TB_CONF_KEY_OF) };
	static const struct tb_conf_key soft[] = { TB_SOFT_ITEMS(
		TB_CONF_KEY_OF) };
	const struct tb_conf_where where = { visit->site->path, NULL, NULL };
	const struct tb_conf_word *words[] = { &line->topology,
					       &line->distances, &line->memory,
					       &line->filter_text,
					       &line->function_text };
	char *from = find_place(visit, &where, "NodeName", line->nodes);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i]->value)
			visit_setting(visit, "NodeName", line->nodes, &texts[i],
				      words[i]->value, from, true);
	for (int i = 0; i < TB_NUMBERS; i++)
		if (line->number_text[i].value)
			visit_setting(visit, "NodeName", line->nodes,
				      &numbers[i], line->number_text[i].value,
				      from, true);
	for (int i = 0; i < TB_SOFT_WORDS; i++)
		if (line->soft[i].value)
			visit_setting(visit, "NodeName", line->nodes, &soft[i],
				      line->soft[i].value, from, true);
	xfree(from);
}

void tb_conf_visit_settings(const struct tb_conf *site,
			    tb_conf_setting_visitor visitor, void *arg)
{
	struct visit visit = { .site = site, .visitor = visitor, .arg = arg };

	visit_site(&visit);
	for (unsigned i = 0; i < site->partition_count; i++)
		visit_partition(&visit, &site->partitions[i]);
	for (unsigned i = 0; i < site->line_count; i++)
		visit_node(&visit, &site->lines[i]);
	for (int i = 0; i < TB_WORDS; i++)
		xfree(visit.site_from[i]);
}
