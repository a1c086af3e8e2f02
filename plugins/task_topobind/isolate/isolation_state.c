/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "isolation_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/read_file.h"
#include "files/replace_file.h"
#include "isolation_record.h"

#define FILE_NAME "topobind_isolated_cpus"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* Some thousand interrupts. */
#define STATE_MAX (4 * 1024 * 1024)

void tb_isolation_state_clear(struct tb_isolation_state *state)
{
	free(state->path);
	free(state->boot);
	free(state->top);
	free(state->taken);
	tb_bitset_destroy(state->cpus);
	*state = (struct tb_isolation_state){ 0 };
}

/* The first line of a file of procfs; NULL: it cannot be read. */
static char *read_boot(void)
{
	FILE *file = fopen(BOOT_ID, "re");
	char *line = NULL;
	size_t size = 0;

	if (file == NULL)
		return NULL;
	if (getline(&line, &size, file) > 0)
		line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return line;
}

/* NULL: there is no file, or none that can be read. */
static char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text = NULL;
	size_t size;

	if (fd < 0)
		return NULL;
	text = tb_read_file(fd, STATE_MAX, &size);
	close(fd);
	return text;
}

/* Of three lines and the rest; another boot's, or half of one, is none. */
static int fill(struct tb_isolation_state *state, char *text)
{
	char *rest = text;
	char *boot = strsep(&rest, "\n"), *top = strsep(&rest, "\n");
	char *cpus = strsep(&rest, "\n");
	struct tb_bitset *set;

	if (rest == NULL || strcmp(boot, state->boot) != 0)
		return 0;
	if (cpus[0] != '\0') {
		set = tb_bitset_parse_list(cpus, TB_ISOLATION_CPUS, NULL);
		if (set != NULL)
			tb_bitset_assign(state->cpus, set);
		tb_bitset_destroy(set);
	}
	state->top = strdup(top);
	state->taken = rest[0] != '\0' ? strdup(rest) : NULL;
	return state->top == NULL || (rest[0] != '\0' && state->taken == NULL)
		       ? -1
		       : 0;
}

int tb_isolation_state_read(struct tb_isolation_state *state,
			    const char *spool_dir, struct tb_error *err)
{
	char *text = NULL;
	int rc = -1;

	*state = (struct tb_isolation_state){
		.boot = read_boot(),
		.cpus = tb_bitset_create(TB_ISOLATION_CPUS),
	};
	if (asprintf(&state->path, "%s/" FILE_NAME, spool_dir) < 0)
		state->path = NULL;
	if (state->path != NULL && state->boot != NULL && state->cpus != NULL) {
		text = read_text(state->path);
		rc = text != NULL ? fill(state, text) : 0;
	}
	free(text);
	if (rc == 0)
		return 0;
	tb_isolation_state_clear(state);
	return tb_fail(err, "out of memory, or " BOOT_ID " cannot be read");
}

static int write_state(const struct tb_isolation_state *state,
		       struct tb_error *err)
{
	char *cpus = tb_bitset_print_list(state->cpus), *text = NULL;
	int rc;

	if (cpus == NULL ||
	    asprintf(&text, "%s\n%s\n%s\n%s", state->boot, state->top, cpus,
		     state->taken != NULL ? state->taken : "") < 0) {
		rc = tb_fail(err, "out of memory");
	} else {
		const struct tb_new_content content = { text, strlen(text),
							0600, false };

		rc = tb_replace_file(AT_FDCWD, state->path, &content, err);
		free(text);
	}
	free(cpus);
	return rc;
}

static int replace_text(char **text, const char *with, struct tb_error *err)
{
	char *copy = with != NULL ? strdup(with) : NULL;

	if (with != NULL && copy == NULL)
		return tb_fail(err, "out of memory");
	free(*text);
	*text = copy;
	return 0;
}

int tb_isolation_state_begin(struct tb_isolation_state *state, const char *top,
			     struct tb_error *err)
{
	return top != state->top && replace_text(&state->top, top, err) < 0
		       ? -1
		       : write_state(state, err);
}

int tb_isolation_state_keep(struct tb_isolation_state *state, const char *taken,
			    struct tb_error *err)
{
	return replace_text(&state->taken, taken, err) < 0
		       ? -1
		       : write_state(state, err);
}

int tb_isolation_state_end(struct tb_isolation_state *state,
			   struct tb_error *err)
{
	if (!tb_bitset_is_empty(state->cpus) || state->taken != NULL)
		return write_state(state, err);
	if (unlink(state->path) < 0 && errno != ENOENT)
		return tb_fail(err, "%.200s cannot be removed: %s", state->path,
			       strerror(errno));
	return 0;
}
