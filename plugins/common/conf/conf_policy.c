/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf_policy.h"

#include <string.h>

#include "core/request/parts.h"
#include "conf_line.h"

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#define KEY_OF(name, key, usual) key,
static const char *const keys[TB_WORDS] = { TB_POLICY_ITEMS(KEY_OF) };

void tb_conf_name_place(const struct tb_conf_where *where, const char *key,
			const char *value, struct tb_error *place)
{
	struct tb_error line;

	tb_conf_line_of(where, key, value, &line);
	tb_fail(place, "%.150s: %s=%.64s", line.text, key, value);
}

int tb_conf_fail(const struct tb_conf_where *where, const char *key,
		 const char *value, const char *why, struct tb_error *err)
{
	struct tb_error place;

	tb_conf_name_place(where, key, value, &place);
	return tb_fail(err, "%.240s: %.256s", place.text, why);
}

int tb_conf_fail_twice(const struct tb_conf_where *where, const char *key,
		       const char *first, const char *second,
		       struct tb_error *err)
{
	struct tb_error line, why;

	tb_conf_first_line_of(where, key, first, &line);
	tb_fail(&why, "it is given twice, in %.150s as %s=%.64s; keep one",
		line.text, key, first);
	return tb_conf_fail(where, key, second, why.text, err);
}

int tb_conf_read_flag(bool *flag, const char *key, const char *value,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	if (value == NULL)
		return 0;
	if (xstrcasecmp(value, "yes") != 0 && xstrcasecmp(value, "no") != 0)
		return tb_conf_fail(where, key, value,
				    "this is not allowed; allowed: yes, no",
				    err);
	*flag = xstrcasecmp(value, "yes") == 0;
	return 0;
}

int tb_conf_read_filter(struct tb_filter **filter, const char *value,
			const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_error why;

	*filter = NULL;
	if (value == NULL || xstrcasecmp(value, "NONE") == 0)
		return 0;
	*filter = tb_filter_parse(value, &why);
	return *filter != NULL ? 0
			       : tb_conf_fail(where, keys[TB_WORD_FILTER],
					      value, why.text, err);
}

static int read_isolation(enum tb_isolation *isolation, const char *value,
			  const struct tb_conf_where *where,
			  struct tb_error *err)
{
	static const char *const words[] = { [TB_ISOLATE_NO] = "no",
					     [TB_ISOLATE_ALLOW] = "allow",
					     [TB_ISOLATE_YES] = "yes" };

	for (int i = TB_ISOLATE_NO; value && i <= TB_ISOLATE_YES; i++) {
		if (xstrcasecmp(value, words[i]))
			continue;
		*isolation = (enum tb_isolation)i;
		return 0;
	}
	return value ? tb_conf_fail(where, keys[TB_WORD_ISOLATE], value,
				    "this is not allowed; allowed: no, allow, yes",
				    err)
		     : 0;
}

static int fail_allocation(const char *name, const struct tb_conf_where *where,
			   struct tb_error *err)
{
	struct tb_error why;

	if (tb_allocation_plugin(name))
		tb_fail(&why,
			"the name of a plugin has a to z, 0 to 9 and _, at most %d of them",
			TB_ALLOCATION_PLUGIN_MAX);
	else
		tb_fail(&why, "this is not allowed; allowed: %s, plugin:NAME",
			tb_allocation_list);
	return tb_conf_fail(where, keys[TB_WORD_NODES], name, why.text, err);
}

/* SLURM, or plugin:NAME. */
static int read_nodes(struct tb_policy *policy, const char *name,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	const char *plugin = name ? tb_allocation_plugin(name) : NULL;

	if (plugin && tb_allocation_plugin_fits(plugin)) {
		policy->nodes = TB_ALLOCATE_PLUGIN;
		policy->plugin = xstrdup(plugin);
		return 0;
	}
	if (!name || tb_allocation_parse(name, &policy->nodes))
		return 0;
	return fail_allocation(name, where, err);
}

/* The default function is the priority that the administrator gives to a node. */
static int read_allocation(struct tb_policy *policy,
			   const struct tb_conf_words *words,
			   const struct tb_conf_where *where,
			   struct tb_error *err)
{
	const char *text = words->word[TB_WORD_PRIORITY].value;
	struct tb_error why;

	if (read_nodes(policy, words->word[TB_WORD_NODES].value, where, err))
		return -1;
	policy->priority = tb_priority_parse(text != NULL ? text : "PRIORITY",
					     &why);
	return policy->priority != NULL
		       ? 0
		       : tb_conf_fail(where, keys[TB_WORD_PRIORITY], text,
				      why.text, err);
}

static int set_option(struct tb_request *request, const char *option, int word,
		      const char *value, const struct tb_conf_where *where,
		      struct tb_error *err)
{
	struct tb_error why;

	if (value == NULL || tb_request_set(request, option, value, &why) == 0)
		return 0;
	return tb_conf_fail(where, keys[word], value, why.text, err);
}

/* Without an amount: that depends on the tasks of a node. */
static int set_unit(struct tb_request *request, const char *value,
		    const struct tb_conf_where *where, struct tb_error *err)
{
	if (set_option(request, "bunit", TB_WORD_UNIT, value, where, err) < 0)
		return -1;
	if (!tb_request_unit_has_amount(request))
		return 0;
	return tb_conf_fail(where, keys[TB_WORD_UNIT], value,
			    "name one unit, without an amount", err);
}

static int make_request(struct tb_request *request,
			const struct tb_conf_words *words,
			const struct tb_conf_where *where, struct tb_error *err)
{
	const char *memory = words->word[TB_WORD_MEMORY].value;

	/* The default is left out, as everywhere. */
	if (xstrcmp(memory, "none") == 0)
		memory = NULL;
	if (tb_request_parse(request, "btype=host", err) < 0 ||
	    set_unit(request, words->word[TB_WORD_UNIT].value, where, err) <
		    0 ||
	    set_option(request, "bmem", TB_WORD_MEMORY, memory, where, err) < 0)
		return -1;
	return set_option(request, "bstrategy", TB_WORD_STRATEGY,
			  words->word[TB_WORD_STRATEGY].value, where, err);
}

void tb_conf_word_take(struct tb_conf_word *word, const char *key,
		       s_p_hashtbl_t *table)
{
	char **values;
	int count;

	if (!s_p_get_array((void ***)&values, &count, key, table))
		return;
	word->value = xstrdup(values[0]);
	if (count > 1)
		word->again = xstrdup(values[1]);
}

void tb_conf_word_clear(struct tb_conf_word *word)
{
	xfree(word->value);
	xfree(word->again);
}

int tb_conf_word_check(const struct tb_conf_word *word, const char *key,
		       const struct tb_conf_where *where, struct tb_error *err)
{
	return word->again == NULL ? 0
				   : tb_conf_fail_twice(where, key, word->value,
							word->again, err);
}

void tb_conf_words_take(struct tb_conf_words *words, s_p_hashtbl_t *table)
{
	for (int i = 0; i < TB_WORDS; i++)
		tb_conf_word_take(&words->word[i], keys[i], table);
}

void tb_conf_words_clear(struct tb_conf_words *words)
{
	for (int i = 0; i < TB_WORDS; i++)
		tb_conf_word_clear(&words->word[i]);
}

static int check_words(const struct tb_conf_words *words,
		       const struct tb_conf_where *where, struct tb_error *err)
{
	for (int i = 0; i < TB_WORDS; i++)
		if (tb_conf_word_check(&words->word[i], keys[i], where, err) <
		    0)
			return -1;
	return 0;
}

int tb_policy_make(struct tb_policy *policy, const struct tb_conf_words *own,
		   const struct tb_conf_words *site,
		   const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_words words = *site; /* borrowed */
	struct {
		int word;
		bool *flag;
	} flags[] = {
		{ TB_WORD_ENABLED, &policy->enabled },
		{ TB_WORD_IMPLICIT, &policy->implicit },
		{ TB_WORD_ANY_HOST, &policy->on_any_host },
		{ TB_WORD_SPARE_DEVICES, &policy->spares_devices },
	};

	memset(policy, 0, sizeof(*policy));
	policy->enabled = true;
	policy->on_any_host = true;
	policy->nodes = TB_ALLOCATE_DEFAULT;
	policy->soft = tb_conf_soft_usual();
	tb_request_init(&policy->request);
	if (check_words(own != NULL ? own : site, where, err) < 0)
		return -1;
	for (int i = 0; own != NULL && i < TB_WORDS; i++)
		if (own->word[i].value != NULL)
			words.word[i] = own->word[i];
	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (tb_conf_read_flag(flags[i].flag, keys[flags[i].word],
				      words.word[flags[i].word].value, where,
				      err) < 0)
			return -1;
	if (tb_conf_read_filter(&policy->filter,
				words.word[TB_WORD_FILTER].value, where,
				err) < 0 ||
	    read_isolation(&policy->isolation,
			   words.word[TB_WORD_ISOLATE].value, where, err) < 0 ||
	    read_allocation(policy, &words, where, err) < 0 ||
	    tb_conf_soft_read(&policy->soft, &words.word[TB_WORD_SOFT], where,
			      err) < 0)
		return -1;
	return make_request(&policy->request, &words, where, err);
}

void tb_policy_clear(struct tb_policy *policy)
{
	xfree(policy->plugin);
	tb_filter_destroy(policy->filter);
	policy->filter = NULL;
	tb_priority_destroy(policy->priority);
	policy->priority = NULL;
	tb_request_clear(&policy->request);
}
