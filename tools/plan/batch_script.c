/* SPDX-License-Identifier: GPL-2.0-or-later */
/* batch_script.c - see batch_script.h */
#define _DEFAULT_SOURCE /* strsep */
#include "batch_script.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "compat/sbatch_words.h"
#include "files/read_file.h"

#define STANDARD_INPUT "-"

/* ---- words ---- */

static int add_word(struct tb_batch_script *script, const char *word,
		    unsigned line, struct tb_error *err)
{
	size_t count = (size_t)script->nwords + 1;
	char **words = realloc(script->words, (count + 1) * sizeof(*words));
	unsigned *lines;
	char *copy = strdup(word);

	if (words)
		script->words = words;
	lines = realloc(script->lines, count * sizeof(*lines));
	if (lines)
		script->lines = lines;
	if (!words || !lines || !copy) {
		free(copy);
		return tb_fail(err, "out of memory");
	}
	words[script->nwords] = copy;
	lines[script->nwords++] = line;
	words[script->nwords] = NULL;
	return 0;
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* What begins another part of the job. */
static bool is_hetjob(const char *at)
{
	static const char *const words[] = { "hetjob", "packjob" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		if (!strncasecmp(at, words[i], length) &&
		    (!at[length] || isspace((unsigned char)at[length])))
			return true;
	}
	return false;
}

/* Behind a backslash; of other blanks sbatch keeps none. */
static bool is_kept(char c)
{
	return TB_SBATCH_KEEPS_BLANKS && c == ' ';
}

static bool ends_word(char c, char quote)
{
	return !c || (!quote && isspace((unsigned char)c));
}

/*
 * The next word of a line goes to word, which has room for it; it is empty at the
 * end of the line, at a comment, and, as for sbatch, where two quotation marks have
 * nothing between them.  NULL: a quotation mark has no second one.
 */
static const char *take_word(const char *at, char *word)
{
	char quote = '\0';

	at = skip_blanks(at);
	for (; !ends_word(*at, quote); at++) {
		if (*at == '\\') {
			if (ends_word(*++at, quote) && !is_kept(*at))
				break;
			*word++ = *at;
		} else if (quote && *at == quote) {
			quote = '\0';
		} else if (!quote && (*at == '"' || *at == '\'')) {
			quote = *at;
		} else if (!quote && *at == '#') {
			break;
		} else {
			*word++ = *at;
		}
	}
	*word = '\0';
	return quote ? NULL : at;
}

static int fail_for_parts(unsigned line, const char *what, struct tb_error *err)
{
	return tb_fail(
		err,
		"line %u: \"%s\" begins another part of a heterogeneous job, whose plan nobody knows; plan its parts one by one",
		line, what);
}

/* All words of a line behind #SBATCH; buffer has room for each of them. */
static int take_words(struct tb_batch_script *script, const char *at,
		      unsigned line, char *buffer, struct tb_error *err)
{
	if (is_hetjob(skip_blanks(at)))
		return fail_for_parts(line, "hetjob", err);
	for (;;) {
		if (*skip_blanks(at) == ':')
			return fail_for_parts(line, ":", err);
		if (is_hetjob(skip_blanks(at)))
			return 0;
		at = take_word(at, buffer);
		if (!at)
			return tb_fail(err,
				       "line %u: a quotation mark has no second one",
				       line);
		if (!*buffer)
			return 0;
		if (add_word(script, buffer, line, err))
			return -1;
	}
}

/* ---- lines ---- */

/* Behind #SBATCH, or its old name; NULL: it is another line. */
static const char *find_directive(const char *line)
{
	static const char *const words[] = { "#SBATCH", "#SLURM" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(line, words[i], strlen(words[i])))
			return line + strlen(words[i]);
	return NULL;
}

static bool is_command(const char *line)
{
	line = skip_blanks(line);
	return *line && *line != '#';
}

static int take_lines(struct tb_batch_script *script, char *text, char *buffer,
		      struct tb_error *err)
{
	char *rest = text, *line;
	unsigned number = 0;

	while ((line = strsep(&rest, "\n"))) {
		const char *words = find_directive(line);

		number++;
		if (words && take_words(script, words, number, buffer, err))
			return -1;
		if (!words && is_command(line))
			break;
	}
	return 0;
}

/* What sbatch does not take. */
static int check_script(const char *text, size_t size, struct tb_error *err)
{
	if (!*skip_blanks(text) && strlen(text) == size)
		return tb_fail(err, "it is empty");
	if (strncmp(text, "#!", 2) != 0)
		return tb_fail(
			err,
			"it is no job script: sbatch takes those whose first line is #! and an interpreter, as in #!/bin/sh");
	if (strlen(text) != size)
		return tb_fail(
			err,
			"it is no job script: it has NUL characters, which Slurm does not take");
	if (strstr(text, "\r\n"))
		return tb_fail(
			err,
			"its lines end as those of DOS do, which sbatch does not take; dos2unix changes that");
	return 0;
}

int tb_batch_script_parse(struct tb_batch_script *script, char *text,
			  size_t size, struct tb_error *err)
{
	char *buffer;
	int rc;

	*script = (struct tb_batch_script){ .nwords = 0 };
	if (check_script(text, size, err))
		return -1;
	buffer = malloc(size + 1);
	if (!buffer)
		return tb_fail(err, "out of memory");
	rc = add_word(script, "", 0, err);
	if (!rc)
		rc = take_lines(script, text, buffer, err);
	free(buffer);
	return rc;
}

void tb_batch_script_clear(struct tb_batch_script *script)
{
	for (unsigned i = 0; i < script->nwords; i++)
		free(script->words[i]);
	free(script->words);
	free(script->lines);
}

/* ---- files ---- */

/* NULL with errno, as tb_read_file(). */
static char *read_standard_input(size_t *size)
{
	char *text = malloc(TB_SCRIPT_MAX + 1);

	if (!text)
		return NULL;
	*size = fread(text, 1, TB_SCRIPT_MAX, stdin);
	if (!ferror(stdin) && (*size < TB_SCRIPT_MAX || getchar() == EOF)) {
		text[*size] = '\0';
		return text;
	}
	errno = ferror(stdin) ? EIO : EFBIG;
	free(text);
	return NULL;
}

/* Nobody writes into a FIFO, maybe, and a terminal is not to become ours. */
static char *read_script_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text;
	int error;

	if (fd < 0)
		return NULL;
	text = tb_read_file(fd, TB_SCRIPT_MAX, size);
	error = errno;
	close(fd);
	errno = error;
	return text;
}

static int fail_to_read(struct tb_error *err)
{
	if (errno == EINVAL)
		return tb_fail(
			err,
			"it is not a regular file; \"-\" reads a script from the standard input");
	if (errno == EFBIG)
		return tb_fail(
			err,
			"it has more than 4 MiB, which is more than Slurm takes of a script");
	return tb_fail(err, "%s", strerror(errno));
}

int tb_batch_script_read(struct tb_batch_script *script, const char *path,
			 struct tb_error *err)
{
	size_t size = 0;
	char *text;
	int rc;

	*script = (struct tb_batch_script){ .nwords = 0 };
	text = strcmp(path, STANDARD_INPUT) == 0
		       ? read_standard_input(&size)
		       : read_script_file(path, &size);
	if (!text)
		return fail_to_read(err);
	rc = tb_batch_script_parse(script, text, size, err);
	free(text);
	return rc;
}
