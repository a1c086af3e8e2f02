/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "site_policies.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "compat/select_compat.h"

#include "src/common/log.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/policy/score_watch.h"

struct entry {
	struct tb_site_policy *policy;
	bool is_borrowed; /* while a list is made: it is in the other one, too */
	bool is_off;
	struct tb_error why; /* it is off */
	struct tb_score_watch watch;
};

struct entries {
	struct entry *list;
	unsigned count;
};

/* Only threads with slurmctld's locks change it, with this one; others read it. */
static struct entries loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct entry *find_entry(const struct entries *entries, const char *name)
{
	for (unsigned i = 0; i < entries->count; i++)
		if (!xstrcmp(tb_site_policy_name(entries->list[i].policy),
			     name))
			return &entries->list[i];
	return NULL;
}

/* --- loading ------------------------------------------------------------------------ */

static int add_entry(struct entries *entries, const char *name,
		     struct tb_error *err)
{
	struct entry *old = find_entry(&loaded, name);
	struct entry new = { .is_off = false };

	if (old &&
	    tb_site_policy_is_current(old->policy, slurm_conf.plugindir)) {
		new.policy = old->policy;
		new.is_borrowed = true;
	} else {
		new.policy = tb_site_policy_open(slurm_conf.plugindir, name,
						 slurm_conf.slurm_user_id, err);
	}
	if (!new.policy)
		return -1;
	xrecalloc(entries->list, entries->count + 1, sizeof(*entries->list));
	entries->list[entries->count++] = new;
	return 0;
}

static int add_new(struct entries *entries, const char *name,
		   struct tb_error *err)
{
	return !name || find_entry(entries, name)
		       ? 0
		       : add_entry(entries, name, err);
}

static int make_entries(struct entries *entries, const struct tb_conf *site,
			struct tb_error *err)
{
	const char *partition;
	int rc = add_new(entries, tb_conf_policy_plugin(site, NULL), err);

	for (unsigned i = 0;
	     !rc && (partition = tb_conf_partition_line(site, i)); i++)
		rc = add_new(entries, tb_conf_policy_plugin(site, partition),
			     err);
	return rc;
}

/* But those that the others have borrowed. */
static void close_entries(struct entries *entries, const struct entries *others)
{
	for (unsigned i = 0; i < entries->count; i++) {
		struct entry *entry = &entries->list[i];
		const char *name = tb_site_policy_name(entry->policy);
		const struct entry *other = find_entry(others, name);

		if (!entry->is_borrowed &&
		    !(other && other->policy == entry->policy))
			tb_site_policy_close(entry->policy);
	}
	xfree(entries->list);
	entries->count = 0;
}

static void replace(const struct entries *new)
{
	struct entries old = loaded;

	pthread_mutex_lock(&lock);
	loaded = *new;
	pthread_mutex_unlock(&lock);
	close_entries(&old, &loaded);
	for (unsigned i = 0; i < loaded.count; i++)
		loaded.list[i].is_borrowed = false;
}

int tb_site_policies_load(const struct tb_conf *site, struct tb_error *err)
{
	struct entries entries = { NULL, 0 };

	if (make_entries(&entries, site, err)) {
		close_entries(&entries, &(struct entries){ NULL, 0 });
		return -1;
	}
	replace(&entries);
	return 0;
}

void tb_site_policies_fini(void)
{
	replace(&(struct entries){ NULL, 0 });
}

/* --- asking ----------------------------------------------------------------------- */

bool tb_site_policy_works(const char *name)
{
	const struct entry *entry = find_entry(&loaded, name);

	return entry && !entry->is_off;
}

static uint64_t read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The others of a question to come are not asked either. */
static void count_call(struct entry *entry, double score, const char *node,
		       uint64_t time)
{
	pthread_mutex_lock(&lock);
	entry->is_off = tb_score_watch_add(&entry->watch, score, node, time,
					   &entry->why);
	pthread_mutex_unlock(&lock);
	if (entry->is_off)
		error("topobind: NodeAllocationPolicy=plugin:%s is switched off until the next reconfigure, DEFAULT is in its place: %s",
		      tb_site_policy_name(entry->policy), entry->why.text);
}

bool tb_site_policy_ask(const char *name, const struct topobind_policy_job *job,
			const struct topobind_policy_node *node, double *score)
{
	struct entry *entry = find_entry(&loaded, name);
	uint64_t began;

	if (!entry || entry->is_off)
		return false;
	began = read_clock();
	*score = tb_site_policy_score(entry->policy, job, node);
	count_call(entry, *score, node->name, read_clock() - began);
	return !entry->is_off;
}

void tb_site_policies_visit(tb_site_policy_visitor visitor, void *arg)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < loaded.count; i++) {
		const struct entry *entry = &loaded.list[i];
		const struct tb_site_policy_state state = {
			.name = tb_site_policy_name(entry->policy),
			.why = entry->is_off ? entry->why.text : "",
			.calls = entry->watch.calls,
			.seconds = (double)entry->watch.time / 1e9,
		};

		visitor(&state, arg);
	}
	pthread_mutex_unlock(&lock);
}
