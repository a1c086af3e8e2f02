/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "running_conf.h"

#include <string.h>

#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/conf/conf_pairs.h"
#include "select_topobind/order/site_policies.h"

/* A site with hundreds of nodes' lines knows them. */
#define LOGGED_MAX 50

/* Made when the configuration is read, so that a question finds no work to do. */
static config_key_pair_t *pairs;
static unsigned count;
static unsigned logged;

void tb_running_conf_fini(void)
{
	for (unsigned i = 0; i < count; i++) {
		xfree(pairs[i].name);
		xfree(pairs[i].value);
	}
	xfree(pairs);
	count = 0;
}

static void add_pair(char *name, char *value)
{
	pairs[count++] = (config_key_pair_t){ .name = name, .value = value };
}

static char *print_name(const struct tb_conf_setting *setting)
{
	return setting->list ? xstrdup_printf("%s=%s %s", setting->list,
					      setting->name, setting->key)
			     : xstrdup(setting->key);
}

static void log_setting(const struct tb_conf_setting *setting)
{
	char *name;

	if (!setting->is_own || (setting->is_usual && !setting->list))
		return;
	if (logged++ >= LOGGED_MAX)
		return;
	name = print_name(setting);
	info("topobind: configured: %.200s=%.200s (%s)", name, setting->value,
	     setting->from);
	xfree(name);
}

static void take_setting(const struct tb_conf_setting *setting, void *arg)
{
	(void)arg;
	log_setting(setting);
	if (count < TB_CONF_PAIRS_MAX)
		add_pair(print_name(setting),
			 xstrdup_printf("%s%s%s", setting->value,
					TB_CONF_PAIR_FROM, setting->from));
	else if (count == TB_CONF_PAIRS_MAX)
		add_pair(xstrdup(TB_CONF_PAIR_MORE), xstrdup(""));
}

void tb_running_conf_set(const struct tb_conf *site)
{
	tb_running_conf_fini();
	pairs = xcalloc(TB_CONF_PAIRS_MAX + 1, sizeof(*pairs));
	logged = 0;
	tb_conf_visit_settings(site, take_setting, NULL);
	if (!logged)
		info("topobind: configured: nothing differs from the defaults");
	if (logged > LOGGED_MAX)
		info("topobind: configured: and %u settings more",
		     logged - LOGGED_MAX);
}

/* "PolicyPlugin=NAME State" */
static void append_state(const struct tb_site_policy_state *state, void *arg)
{
	config_key_pair_t *pair = xmalloc(sizeof(*pair));

	pair->name = xstrdup_printf(TB_CONF_PAIR_PLUGIN "=%s State",
				    state->name);
	pair->value = xstrdup_printf("%s%s%sslurmctld",
				     *state->why ? "off: " : "on", state->why,
				     TB_CONF_PAIR_FROM);
	list_append(arg, pair);
}

list_t *tb_running_conf_list(void)
{
	list_t *list = count ? list_create(destroy_config_key_pair) : NULL;

	for (unsigned i = 0; i < count; i++) {
		config_key_pair_t *pair = xmalloc(sizeof(*pair));

		pair->name = xstrdup(pairs[i].name);
		pair->value = xstrdup(pairs[i].value);
		list_append(list, pair);
	}
	if (list)
		tb_site_policies_visit(append_state, list);
	return list;
}
