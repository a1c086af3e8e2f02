/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_check_in_force.c - topobind.conf and what slurmctld runs with; see conf_check.h */
#include <stdlib.h>
#include <string.h>

#include "cluster/running_conf.h"
#include "common/conf/conf.h"
#include "conf_check.h"

struct comparison {
	const struct tb_running_conf *in_force;
	unsigned same; /* own settings, of lists, that slurmctld has as well */
	unsigned differ;
	char *first; /* of those that differ */
};

static bool is_equal(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static const struct tb_running_setting *
find_in_force(const struct tb_running_conf *in_force,
	      const struct tb_conf_setting *wanted)
{
	for (unsigned i = 0; i < in_force->count; i++) {
		const struct tb_running_setting *setting =
			&in_force->settings[i];

		if (is_equal(setting->key, wanted->key) &&
		    is_equal(setting->list, wanted->list) &&
		    is_equal(setting->name, wanted->name))
			return setting;
	}
	return NULL;
}

static void take_difference(struct comparison *comparison, const char *list,
			    const char *name, const char *key, const char *here,
			    const char *there)
{
	if (comparison->differ++)
		return;
	comparison->first = tb_words("%s%s%s%s%s=%s here, but slurmctld has %s",
				     list ? list : "", list ? "=" : "",
				     list ? name : "", list ? " " : "", key,
				     here, there);
}

static void compare_setting(const struct tb_conf_setting *setting, void *arg)
{
	struct comparison *comparison = arg;
	const struct tb_running_setting *there;

	if (setting->list && !setting->is_own)
		return;
	there = find_in_force(comparison->in_force, setting);
	if (there && is_equal(there->value, setting->value) &&
	    (!setting->list || there->from[0] == '/'))
		comparison->same += setting->list != NULL;
	else
		take_difference(comparison, setting->list, setting->name,
				setting->key, setting->value,
				there ? there->value : "none");
}

static unsigned count_own(const struct tb_running_conf *in_force)
{
	unsigned count = 0;

	for (unsigned i = 0; i < in_force->count; i++)
		count += in_force->settings[i].list &&
			 in_force->settings[i].from[0] == '/';
	return count;
}

/* It was edited since, or is another one than that of slurmctld. */
void tb_check_in_force(const struct tb_conf_site *site,
		       struct tb_findings *findings)
{
	struct comparison comparison = { .in_force = site->in_force };
	bool has_more;

	if (!site->in_force || !site->topobind)
		return;
	tb_conf_visit_settings(site->topobind, compare_setting, &comparison);
	has_more = count_own(site->in_force) > comparison.same;
	if (comparison.differ)
		tb_findings_add(
			findings, TB_CONF_FILE,
			comparison.differ > 1
				? tb_words("%u settings are not those of slurmctld, the first: %s",
					   comparison.differ, comparison.first)
				: tb_words("%s", comparison.first),
			tb_words(
				"copy the file that is right to all hosts, and run \"scontrol reconfigure\""));
	else if (has_more)
		tb_findings_add(
			findings, TB_CONF_FILE,
			tb_words(
				"slurmctld has settings of partitions or nodes that are not in the file here; \"topobind conf --show\" lists them"),
			tb_words(
				"copy the file that is right to all hosts, and run \"scontrol reconfigure\""));
	free(comparison.first);
}
