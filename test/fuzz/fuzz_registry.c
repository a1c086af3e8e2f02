/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a file of the registry in which the slurmstepds of a node say which
 * CPUs they have (soft_registry.h): its first byte says which file, the rest is in
 * it.
 */
#define _GNU_SOURCE /* asprintf */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/soft/soft_settings.h"
#include "common/soft/soft_state.h"
#include "files/write_all.h"

static struct tb_registry *registry;
static char directory[] = "/tmp/topobind-fuzz-XXXXXX";
static char *soft_directory;

static void remove_registry(void)
{
	tb_registry_close(registry);
	rmdir(soft_directory);
	free(soft_directory);
	rmdir(directory);
}

static void make_registry(void)
{
	struct tb_error err;

	if (registry)
		return;
	FUZZ_CHECK(mkdtemp(directory));
	FUZZ_CHECK(asprintf(&soft_directory, "%s/topobind_soft", directory) >
		   0);
	registry = tb_registry_open(directory, &err);
	FUZZ_CHECK(registry);
	atexit(remove_registry);
}

/* As of a slurmstepd that lives, which keeps a lock on it. */
static void write_file(struct tb_locked_file *file, const char *name,
		       const void *data, size_t size)
{
	const struct tb_locked_dir *dir = tb_registry_dir(registry);

	FUZZ_CHECK(!tb_locked_file_create(file, dir, name, NULL, NULL));
	FUZZ_CHECK(!tb_write_all(file->fd, data, size));
}

/* A file that nobody has locked any more, still there? */
static bool is_there(const char *name)
{
	return !faccessat(tb_registry_dir(registry)->fd, name, F_OK, 0);
}

/* What a job must keep off; NULL: it is not known. */
static struct tb_bitset *claimed_from(uint32_t job)
{
	struct tb_error err = { "" };
	struct tb_bitset *cpus = tb_registry_claimed(registry, job, &err);

	FUZZ_CHECK(cpus || *err.text);
	FUZZ_CHECK(!cpus || cpus->nbits == TB_REGISTRY_CPUS);
	return cpus;
}

static void check_claims(void)
{
	tb_bitset_destroy(claimed_from(7));
	tb_bitset_destroy(claimed_from(8));
}

static void try_claim(const uint8_t *data, size_t size)
{
	struct tb_locked_file file;

	write_file(&file, "7.0.1.hold", data, size);
	check_claims();
	tb_locked_file_remove(&file);
}

static void try_system_claim(const uint8_t *data, size_t size)
{
	struct tb_locked_file file;

	write_file(&file, "system.hold", data, size);
	check_claims();
	tb_locked_file_remove(&file);
}

/* Its slurmstepd is dead: without a cgroup it is forgotten, and claims nothing. */
static void try_dead_claim(const uint8_t *data, size_t size)
{
	static const char name[] = "7.0.1.hold";
	struct tb_locked_file file;
	struct tb_bitset *cpus;

	/* A path would be looked at, whatever it is. */
	if (memchr(data, '/', size))
		return;
	write_file(&file, name, data, size);
	tb_locked_file_leave(&file);
	cpus = claimed_from(8);
	FUZZ_CHECK(cpus && tb_bitset_is_empty(cpus));
	FUZZ_CHECK(!is_there(name));
	tb_bitset_destroy(cpus);
}

static int visit_state(struct tb_soft_state *state, bool alive, void *data)
{
	const char *cursor = tb_soft_state_cgroups(state);
	struct tb_soft_cgroup cgroup;

	(void)data;
	FUZZ_CHECK(alive);
	while (tb_soft_next_cgroup(&cursor, &cgroup)) {
		FUZZ_CHECK(cgroup.base->nbits == TB_REGISTRY_CPUS);
		tb_soft_cgroup_clear(&cgroup);
	}
	for (unsigned i = 0; i < state->tasks && i < 3; i++) {
		tb_soft_task_cgroup(state, i, &cgroup);
		tb_soft_cgroup_clear(&cgroup);
	}
	return 0;
}

static void try_raw_state(const uint8_t *data, size_t size)
{
	struct tb_locked_file file;

	write_file(&file, "7.0.1.soft", data, size);
	FUZZ_CHECK(!tb_soft_each(registry, TB_SOFT_LOOK, visit_state, NULL));
	tb_locked_file_remove(&file);
}

/* The bytes as its lines, with a head that fits; the first says how many tasks. */
static void try_state(const uint8_t *data, size_t size)
{
	unsigned tasks = size ? data[0] % 4 : 0;
	size_t head = sizeof(struct tb_soft_state) +
		      tasks * sizeof(struct tb_soft_task);
	size_t all = head + size + 1;
	struct tb_soft_state *state = calloc(1, all);

	FUZZ_CHECK(state);
	state->version = 2;
	state->size = (uint32_t)all;
	state->tasks = tasks;
	if (size)
		memcpy((char *)state + head, data + 1, size - 1);
	try_raw_state((const uint8_t *)state, all);
	free(state);
}

/* What is read is written as what reads the same. */
static void check_settings(struct tb_soft_settings *settings)
{
	struct tb_soft_settings again;

	FUZZ_CHECK(!tb_soft_settings_write(registry, 8, settings, NULL));
	FUZZ_CHECK(!tb_soft_settings_read(registry, 8, &again, NULL));
	FUZZ_CHECK(again.threshold == settings->threshold);
	FUZZ_CHECK(again.count == settings->count);
	FUZZ_CHECK(again.count_of_preferences ==
		   settings->count_of_preferences);
	tb_soft_settings_clear(&again);
	tb_soft_settings_clear(settings);
	/* Nothing set: the file goes. */
	FUZZ_CHECK(!tb_soft_settings_write(registry, 8, settings, NULL));
	FUZZ_CHECK(!is_there("8.settings"));
}

static void try_settings(const uint8_t *data, size_t size)
{
	struct tb_soft_settings settings;
	struct tb_locked_file file;

	write_file(&file, "7.settings", data, size);
	if (!tb_soft_settings_read(registry, 7, &settings, NULL))
		check_settings(&settings);
	tb_locked_file_remove(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const uint8_t *data, size_t size) = {
		try_claim,     try_system_claim, try_dead_claim,
		try_raw_state, try_state,	 try_settings,
	};

	if (!size)
		return 0;
	make_registry();
	tries[data[0] % (sizeof(tries) / sizeof(tries[0]))](data + 1, size - 1);
	return 0;
}
