/* SPDX-License-Identifier: GPL-2.0-or-later */
/* running_conf.c - see running_conf.h */
#define _GNU_SOURCE /* asprintf, memfd_create */
#include "running_conf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compat/slurm_compat.h"
#include "compat/slurm_types.h"

#include "src/common/list.h"
#include "src/common/read_config.h"

#include <slurm/slurm_errno.h>

#include "common/conf/conf.h"
#include "common/conf/conf_pairs.h"

/* ---- what slurmctld tells ---- */

static char *cut_at(char *text, const char *mark)
{
	char *at = strstr(text, mark);

	if (!at)
		return NULL;
	*at = '\0';
	return at + strlen(mark);
}

/*
 * "[LIST=NAME ]KEY" and "VALUE # FROM", into one text.  What is not of this form is
 * not topobind's.
 */
static bool split_setting(struct tb_running_setting *setting, char *name,
			  char *value)
{
	char *blank = strrchr(name, ' ');

	setting->key = blank ? blank + 1 : name;
	setting->value = value;
	setting->from = cut_at(value, TB_CONF_PAIR_FROM);
	if (blank) {
		*blank = '\0';
		setting->name = cut_at(name, "=");
		setting->list = name;
	}
	return setting->from && (!blank || setting->name);
}

static int add_setting(struct tb_running_conf *running, const char *name,
		       const char *value)
{
	struct tb_running_setting setting = { 0 }, *settings;

	if (asprintf(&setting.text, "%s%c%s", name, '\0', value) < 0)
		return -1;
	if (!split_setting(&setting, setting.text,
			   setting.text + strlen(name) + 1)) {
		free(setting.text);
		return 0;
	}
	settings = reallocarray(running->settings, running->count + 1,
				sizeof(*settings));
	if (!settings) {
		free(setting.text);
		return -1;
	}
	running->settings = settings;
	settings[running->count++] = setting;
	return 0;
}

static int take_pair(void *item, void *arg)
{
	const config_key_pair_t *pair = item;
	struct tb_running_conf *running = arg;

	if (pair->name && !strcmp(pair->name, TB_CONF_PAIR_MORE))
		running->has_more = true;
	else if (pair->name && pair->value)
		return add_setting(running, pair->name, pair->value);
	return 0;
}

static int take_pairs(struct tb_running_conf *running, list_t *pairs,
		      struct tb_error *err)
{
	if (pairs && list_for_each(pairs, take_pair, running) < 0)
		return tb_fail(err, "out of memory");
	if (!running->count)
		return tb_fail(
			err,
			"slurmctld does not tell its configuration of topobind: it runs without select/topobind, with an older one, or in Slurm 25.05 or later; its log has what differs from the defaults");
	return 0;
}

static int ask_slurmctld(struct tb_running_conf *running, struct tb_error *err)
{
	slurm_conf_t *slurm = NULL;
	int rc;

	if (slurm_load_ctl_conf(0, &slurm))
		return tb_fail(err,
			       "cannot get the configuration from Slurm: %s",
			       slurm_strerror(errno));
	rc = take_pairs(running, slurm->select_conf_key_pairs, err);
	slurm_free_conf(slurm);
	return rc;
}

struct tb_running_conf *tb_running_conf_load(struct tb_error *err)
{
	struct tb_running_conf *running = calloc(1, sizeof(*running));

	if (!running) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (!ask_slurmctld(running, err))
		return running;
	tb_running_conf_destroy(running);
	return NULL;
}

void tb_running_conf_destroy(struct tb_running_conf *running)
{
	if (!running)
		return;
	for (unsigned i = 0; i < running->count; i++)
		free(running->settings[i].text);
	free(running->settings);
	free(running);
}

/* ---- as a file, for the one parser ---- */

static bool is_written(const struct tb_running_setting *setting)
{
	return setting->from[0] == '/';
}

static bool is_in_same_line(const struct tb_running_setting *a,
			    const struct tb_running_setting *b)
{
	return a->list && b->list && !strcmp(a->list, b->list) &&
	       !strcmp(a->name, b->name);
}

static void write_settings(const struct tb_running_conf *running, FILE *file)
{
	const struct tb_running_setting *before = NULL;

	for (unsigned i = 0; i < running->count; i++) {
		const struct tb_running_setting *setting = &running->settings[i];

		if (!is_written(setting))
			continue;
		if (before && is_in_same_line(before, setting))
			fputs(" ", file);
		else if (setting->list)
			fprintf(file, "\n%s=%s ", setting->list, setting->name);
		else
			fputs("\n", file);
		fprintf(file, "%s=\"%s\"", setting->key, setting->value);
		before = setting;
	}
	fputs("\n", file);
}

/* -1 when out of memory. */
static int open_as_file(const struct tb_running_conf *running)
{
	int fd = memfd_create("topobind.conf", MFD_CLOEXEC);
	int copy = fd < 0 ? -1 : dup(fd);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "w");

	if (file) {
		write_settings(running, file);
		if (!fclose(file))
			return fd;
	} else if (copy >= 0) {
		close(copy);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

struct tb_conf *tb_running_conf_read(const struct tb_running_conf *running,
				     struct tb_error *err)
{
	char path[sizeof("/proc/self/fd/2147483647")];
	struct tb_conf *read;
	int fd;

	if (running->has_more) {
		tb_fail(err, "topobind.conf has more than slurmctld tells");
		return NULL;
	}
	fd = open_as_file(running);
	if (fd < 0) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read = tb_conf_read(path, err);
	close(fd);
	return read;
}
