/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as topobind.conf, with Slurm's own parser: a clear error, or settings
 * that can all be asked for.
 */
#define _GNU_SOURCE /* strcasestr */
#include "fuzz.h"

#include <unistd.h>

#include "common/conf/conf.h"

static char path[] = "/tmp/topobind-fuzz-XXXXXX";
static bool is_made;

static void remove_file(void)
{
	unlink(path);
}

static void write_conf(const uint8_t *data, size_t size)
{
	FILE *file;

	if (!is_made) {
		int fd = mkstemp(path);

		FUZZ_CHECK(fd >= 0 && !close(fd));
		is_made = true;
		atexit(remove_file);
	}
	file = fopen(path, "w");
	FUZZ_CHECK(file);
	FUZZ_CHECK(fwrite(data, 1, size, file) == size && !fclose(file));
}

/*
 * Slurm opens the files that are included, and makes each name of a list: neither
 * is ours.
 */
static bool is_ours(const char *text)
{
	return !strcasestr(text, "include") && !strchr(text, '[');
}

static void check_setting(const struct tb_conf_setting *setting, void *arg)
{
	(void)arg;
	FUZZ_CHECK(*setting->key && setting->value && *setting->from);
	FUZZ_CHECK(!setting->list == !setting->name);
}

static void check_names(const struct tb_conf *conf)
{
	const char *name;

	for (unsigned i = 0; (name = tb_conf_partition_line(conf, i)); i++) {
		FUZZ_CHECK(tb_conf_priority(conf, name));
		FUZZ_CHECK(!tb_conf_implicit(conf, name) ||
			   tb_conf_enabled(conf, name));
	}
	for (unsigned i = 0; (name = tb_conf_node_line(conf, i)); i++)
		FUZZ_CHECK(!tb_conf_distances(conf, name) ||
			   tb_conf_topology(conf, name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_error err = { "" };
	struct tb_conf *conf;

	if (is_ours(text)) {
		write_conf((const uint8_t *)text, strlen(text));
		conf = tb_conf_read(path, &err);
		FUZZ_CHECK(conf || *err.text);
		if (conf) {
			tb_conf_visit_settings(conf, check_setting, NULL);
			check_names(conf);
		}
		tb_conf_destroy(conf);
	}
	free(text);
	return 0;
}
