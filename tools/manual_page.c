/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manual_page.c - see manual_page.h */
#define _GNU_SOURCE /* environ, pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manual_page.h"

/* Start it with out as stdout, and nothing else of this process's. */
static int spawn_into(int out, char *const words[], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int rc;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
					      "/dev/null", O_RDONLY, 0) ||
	     posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) ||
	     posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
					      "/dev/null", O_WRONLY, 0) ||
	     posix_spawnp(pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc ? -1 : 0;
}

/* What fits into text, as a string. */
static void read_text(int in, char *text, size_t size)
{
	size_t length = 0;
	ssize_t count;

	while (length + 1 < size &&
	       (count = read(in, text + length, size - length - 1)) != 0) {
		if (count > 0)
			length += (size_t)count;
		else if (errno != EINTR)
			break;
	}
	text[length] = '\0';
}

/* It ended, with success. */
static bool wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Run it; text is the beginning of what it printed. */
static bool run_and_read(char *const words[], char *text, size_t size)
{
	int ends[2];
	pid_t pid;
	int rc;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	rc = spawn_into(ends[1], words, &pid);
	close(ends[1]);
	if (!rc)
		read_text(ends[0], text, size);
	close(ends[0]);
	return !rc && wait_for(pid);
}

/*
 * man -w prints where the page is.  On images without manual pages man may be a
 * script that says so, and succeeds.
 */
static bool has_page(char *page)
{
	char *words[] = { "man", "-w", "1", page, NULL };
	char path[PATH_MAX];

	if (!run_and_read(words, path, sizeof(path)))
		return false;
	path[strcspn(path, "\n")] = '\0';
	return path[0] == '/' && !access(path, R_OK);
}

void tb_manual_page_open(const char *page)
{
	char *copy = isatty(STDOUT_FILENO) ? strdup(page) : NULL;
	char *words[] = { "man", "1", copy, NULL };

	if (copy && has_page(copy))
		execvp(words[0], words);
	free(copy);
}
