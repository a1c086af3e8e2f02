/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "soft_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "files/read_file.h"
#include "files/replace_file.h"

#define SETTINGS "settings"
/* Many targets with long lists. */
#define SETTINGS_MAX (16 * 1024 * 1024)

static char *settings_name(uint32_t job)
{
	char *name;

	if (job == 0)
		return strdup(SETTINGS);
	return asprintf(&name, "%u." SETTINGS, job) < 0 ? NULL : name;
}

/* ---- targets ---- */

static bool has_target(const struct tb_soft_target *outer,
		       const struct tb_soft_target *inner)
{
	return (outer->step == TB_SOFT_EACH || outer->step == inner->step) &&
	       (outer->task == TB_SOFT_EACH || outer->task == inner->task);
}

static void forget_parts(struct tb_soft_settings *settings,
			 const struct tb_soft_target *target)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < settings->count_of_preferences; i++) {
		struct tb_soft_preference *each = &settings->preference[i];

		if (has_target(target, &each->target))
			tb_bitset_destroy(each->cpus);
		else
			settings->preference[kept++] = *each;
	}
	settings->count_of_preferences = kept;
}

/* Takes the set over. */
static int add_preference(struct tb_soft_settings *settings,
			  const struct tb_soft_target *target,
			  struct tb_bitset *cpus, struct tb_error *err)
{
	unsigned count = settings->count_of_preferences;
	struct tb_soft_preference *more = reallocarray(settings->preference,
						       count + 1,
						       sizeof(*more));

	if (more == NULL) {
		tb_bitset_destroy(cpus);
		return tb_fail(err, "out of memory");
	}
	more[count] = (struct tb_soft_preference){ *target, cpus };
	settings->preference = more;
	settings->count_of_preferences = count + 1;
	return 0;
}

int tb_soft_settings_prefer(struct tb_soft_settings *settings,
			    const struct tb_soft_target *target,
			    const char *list, struct tb_error *err)
{
	struct tb_bitset *cpus = NULL;

	if (list != NULL) {
		cpus = tb_bitset_parse_list(list, TB_REGISTRY_CPUS, err);
		if (cpus == NULL)
			return -1;
	}
	forget_parts(settings, target);
	return cpus != NULL ? add_preference(settings, target, cpus, err) : 0;
}

/* A later one is never of a part that an earlier one is smaller than. */
const struct tb_bitset *
tb_soft_settings_preferred(const struct tb_soft_settings *settings,
			   uint32_t step, uint32_t task)
{
	const struct tb_soft_target target = { step, task };

	for (unsigned i = settings->count_of_preferences; i-- > 0;)
		if (has_target(&settings->preference[i].target, &target))
			return settings->preference[i].cpus;
	return NULL;
}

void tb_soft_settings_apply(const struct tb_soft_settings *settings,
			    unsigned *low_pct, enum tb_soft_count *count)
{
	if (settings->threshold != TB_SOFT_UNSET)
		*low_pct = (unsigned)settings->threshold;
	if (settings->count != TB_SOFT_UNSET)
		*count = (enum tb_soft_count)settings->count;
}

void tb_soft_settings_clear(struct tb_soft_settings *settings)
{
	for (unsigned i = 0; i < settings->count_of_preferences; i++)
		tb_bitset_destroy(settings->preference[i].cpus);
	free(settings->preference);
	*settings = (struct tb_soft_settings){ .threshold = TB_SOFT_UNSET,
					       .count = TB_SOFT_UNSET };
}

/* ---- the text ---- */

/* Is the line's next word this one?  Then the line goes on behind it. */
static bool take_word(const char **line, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*line, word, length) != 0 || (*line)[length] != ' ')
		return false;
	*line += length + 1;
	return true;
}

static int read_threshold(const char *line, struct tb_soft_settings *settings)
{
	uint64_t percent;

	if (tb_text_read_number(&line, 100, &percent) < 0 || *line != '\0')
		return -1;
	settings->threshold = (int)percent;
	return 0;
}

static int read_count(const char *line, struct tb_soft_settings *settings)
{
	enum tb_soft_count count;

	if (!tb_soft_count_read(line, &count))
		return -1;
	settings->count = count;
	return 0;
}

static int read_part(const char **line, uint32_t *part)
{
	uint64_t number;

	*part = TB_SOFT_EACH;
	if (take_word(line, "*"))
		return 0;
	if (tb_text_read_number(line, TB_SOFT_EACH - 1, &number) < 0 ||
	    **line != ' ')
		return -1;
	*line += 1;
	*part = (uint32_t)number;
	return 0;
}

static int read_preference(const char *line, struct tb_soft_settings *settings)
{
	struct tb_soft_target target;

	if (read_part(&line, &target.step) < 0 ||
	    read_part(&line, &target.task) < 0)
		return -1;
	return tb_soft_settings_prefer(settings, &target, line, NULL);
}

static int read_line(const char *line, struct tb_soft_settings *settings)
{
	if (take_word(&line, "threshold"))
		return read_threshold(line, settings);
	if (take_word(&line, "count"))
		return read_count(line, settings);
	return take_word(&line, "prefer") ? read_preference(line, settings)
					  : -1;
}

static int read_text(char *text, struct tb_soft_settings *settings)
{
	for (char *end; *text != '\0'; text = end + 1) {
		end = strchr(text, '\n');
		if (end == NULL)
			return -1;
		*end = '\0';
		if (read_line(text, settings) < 0)
			return -1;
	}
	return 0;
}

static int print_part(FILE *out, uint32_t part)
{
	return part == TB_SOFT_EACH ? fputs("* ", out)
				    : fprintf(out, "%u ", part);
}

static int print_preference(FILE *out,
			    const struct tb_soft_preference *preference)
{
	char *list = tb_bitset_print_list(preference->cpus);

	if (list == NULL)
		return -1;
	fputs("prefer ", out);
	print_part(out, preference->target.step);
	print_part(out, preference->target.task);
	fprintf(out, "%s\n", list);
	free(list);
	return 0;
}

/* malloc()ed; NULL when out of memory. */
static char *print_text(const struct tb_soft_settings *settings)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = 0;

	if (out == NULL)
		return NULL;
	if (settings->threshold != TB_SOFT_UNSET)
		fprintf(out, "threshold %d\n", settings->threshold);
	if (settings->count != TB_SOFT_UNSET)
		fprintf(out, "count %s\n", tb_soft_count_name(settings->count));
	for (unsigned i = 0; rc == 0 && i < settings->count_of_preferences; i++)
		rc = print_preference(out, &settings->preference[i]);
	if (fclose(out) == 0 && rc == 0)
		return text;
	free(text);
	return NULL;
}

/* ---- files ---- */

static int read_open(int fd, struct tb_soft_settings *settings)
{
	size_t size;
	char *text = tb_read_file(fd, SETTINGS_MAX, &size);
	int rc = text != NULL ? read_text(text, settings) : -1;

	free(text);
	return rc;
}

int tb_soft_settings_read(struct tb_registry *registry, uint32_t job,
			  struct tb_soft_settings *settings,
			  struct tb_error *err)
{
	const struct tb_locked_dir *dir = tb_registry_dir(registry);
	char *name = settings_name(job);
	int fd, rc;

	*settings = (struct tb_soft_settings){ .threshold = TB_SOFT_UNSET,
					       .count = TB_SOFT_UNSET };
	if (name == NULL)
		return tb_fail(err, "out of memory");
	fd = openat(dir->fd, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		rc = read_open(fd, settings);
	else
		rc = errno == ENOENT ? 0 : -1;
	if (fd >= 0)
		close(fd);
	if (rc < 0) {
		tb_fail(err, "%.200s/%.60s cannot be read", dir->path, name);
		tb_soft_settings_clear(settings);
	}
	free(name);
	return rc;
}

int tb_soft_settings_write(struct tb_registry *registry, uint32_t job,
			   const struct tb_soft_settings *settings,
			   struct tb_error *err)
{
	const struct tb_locked_dir *dir = tb_registry_dir(registry);
	char *name = settings_name(job), *text = print_text(settings);
	int rc = 0;

	if (name == NULL || text == NULL) {
		rc = tb_fail(err, "out of memory");
	} else if (*text == '\0') {
		if (unlinkat(dir->fd, name, 0) < 0 && errno != ENOENT)
			rc = tb_fail(err, "%.200s/%.60s cannot be removed: %s",
				     dir->path, name, strerror(errno));
	} else {
		const struct tb_new_content content = {
			.data = text,
			.size = strlen(text),
			.mode = 0600,
		};

		rc = tb_replace_file(dir->fd, name, &content, err);
	}
	free(name);
	free(text);
	return rc;
}
