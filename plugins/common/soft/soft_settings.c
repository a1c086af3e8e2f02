/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "soft_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
/* More than any machine runs for. */
#define TICKS_MAX (UINT64_MAX / 16)

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
	       (outer->task == TB_SOFT_EACH || outer->task == inner->task) &&
	       (outer->thread.tid == 0 ||
		outer->thread.tid == inner->thread.tid);
}

/* Those that are meant. */
static void forget(struct tb_soft_settings *settings,
		   bool (*is_meant)(const struct tb_soft_target *each,
				    const void *data),
		   const void *data)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < settings->count_of_preferences; i++) {
		struct tb_soft_preference *each = &settings->preference[i];

		if (is_meant(&each->target, data))
			tb_bitset_destroy(each->cpus);
		else
			settings->preference[kept++] = *each;
	}
	settings->count_of_preferences = kept;
}

static bool is_part(const struct tb_soft_target *each, const void *target)
{
	return has_target(target, each);
}

/* Another may have its number. */
static bool has_ended(const struct tb_soft_target *each, const void *none)
{
	struct tb_thread now;

	(void)none;
	return each->thread.tid != 0 &&
	       (!tb_thread_read(each->thread.tid, &now) ||
		now.started != each->thread.started);
}

void tb_soft_settings_drop_ended(struct tb_soft_settings *settings)
{
	forget(settings, has_ended, NULL);
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
	forget(settings, is_part, target);
	return cpus != NULL ? add_preference(settings, target, cpus, err) : 0;
}

/* A later one is never of a part that an earlier one is smaller than. */
const struct tb_bitset *
tb_soft_settings_preferred(const struct tb_soft_settings *settings,
			   uint32_t step, uint32_t task)
{
	const struct tb_soft_target target = { .step = step, .task = task };

	for (unsigned i = settings->count_of_preferences; i-- > 0;)
		if (has_target(&settings->preference[i].target, &target))
			return settings->preference[i].cpus;
	return NULL;
}

const struct tb_bitset *
tb_soft_settings_of_thread(const struct tb_soft_settings *settings,
			   const struct tb_thread_id *thread)
{
	for (unsigned i = 0; i < settings->count_of_preferences; i++) {
		const struct tb_soft_preference *each = &settings->preference[i];

		if (each->target.thread.tid == thread->tid &&
		    each->target.thread.started == thread->started)
			return each->cpus;
	}
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

static int read_thread(const char **line, struct tb_thread_id *thread)
{
	uint64_t tid;

	if (tb_text_read_number(line, INT32_MAX, &tid) < 0 || tid == 0 ||
	    *(*line)++ != ' ' ||
	    tb_text_read_number(line, TICKS_MAX, &thread->started) < 0 ||
	    *(*line)++ != ' ')
		return -1;
	thread->tid = (pid_t)tid;
	return 0;
}

static int read_preference(const char *line, bool of_thread,
			   struct tb_soft_settings *settings)
{
	struct tb_soft_target target = { 0 };

	if (read_part(&line, &target.step) < 0 ||
	    read_part(&line, &target.task) < 0 ||
	    (of_thread && read_thread(&line, &target.thread) < 0))
		return -1;
	return tb_soft_settings_prefer(settings, &target, line, NULL);
}

static int read_line(const char *line, struct tb_soft_settings *settings)
{
	if (take_word(&line, "threshold"))
		return read_threshold(line, settings);
	if (take_word(&line, "count"))
		return read_count(line, settings);
	if (take_word(&line, "thread"))
		return read_preference(line, true, settings);
	return take_word(&line, "prefer")
		       ? read_preference(line, false, settings)
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
	const struct tb_thread_id *thread = &preference->target.thread;
	char *list = tb_bitset_print_list(preference->cpus);

	if (list == NULL)
		return -1;
	fputs(thread->tid != 0 ? "thread " : "prefer ", out);
	print_part(out, preference->target.step);
	print_part(out, preference->target.task);
	if (thread->tid != 0)
		fprintf(out, "%d %" PRIu64 " ", (int)thread->tid,
			thread->started);
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
