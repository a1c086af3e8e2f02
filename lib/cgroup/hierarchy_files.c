/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hierarchy_files.c - by the kernel's files alone; see hierarchy.h */
#define _GNU_SOURCE /* asprintf, getline */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hierarchy.h"

#define MOUNTS "/proc/self/mounts"
#define CONTROLLERS "cgroup.controllers"
#define SUBTREE "cgroup.subtree_control"

struct hierarchy {
	char *mount;
	char *controllers; /* words, with commas or blanks between them */
	bool is_v2;
};

static struct hierarchy *hierarchies;
static unsigned count;

static bool has_word(const char *words, const char *word)
{
	static const char ends[] = ", \n";
	size_t length = strlen(word);

	while (*words) {
		size_t here = strcspn(words, ends);

		if (here == length && !strncmp(words, word, length))
			return true;
		words += here;
		words += strspn(words, ends);
	}
	return false;
}

static const struct hierarchy *find(const char *controller)
{
	for (unsigned i = 0; i < count; i++)
		if (has_word(hierarchies[i].controllers, controller))
			return &hierarchies[i];
	return NULL;
}

/* ---- files ---- */

static char *join(const char *directory, const char *path, const char *file)
{
	char *whole;

	return asprintf(&whole, "%s%s%s%s", directory, path, *file ? "/" : "",
			file) < 0
		       ? NULL
		       : whole;
}

/* One write: the kernel takes a value whole or not at all. */
static const char *write_text(const char *name, const char *text)
{
	size_t length = strlen(text);
	int fd = open(name, O_WRONLY | O_CLOEXEC);
	ssize_t written = fd >= 0 ? write(fd, text, length) : -1;
	int reason = written < 0 ? errno : EIO;

	if (fd >= 0)
		close(fd);
	return written == (ssize_t)length ? NULL : strerror(reason);
}

/* As much of the file as there is room for. */
static const char *read_text(const char *name, char *text, size_t size)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC), reason = 0;
	ssize_t got = fd >= 0 ? 1 : -1;
	size_t length = 0;

	while (got > 0 && length < size - 1) {
		got = read(fd, text + length, size - 1 - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		reason = errno;
	if (fd >= 0)
		close(fd);
	text[length] = '\0';
	return reason ? strerror(reason) : NULL;
}

/* ---- which hierarchies there are ---- */

static void forget_all(void)
{
	for (unsigned i = 0; i < count; i++) {
		free(hierarchies[i].mount);
		free(hierarchies[i].controllers);
	}
	free(hierarchies);
	hierarchies = NULL;
	count = 0;
}

/* The kernel writes a blank in a name as \040. */
static void decode(char *name)
{
	char *to = name;

	for (; *name; name++) {
		if (name[0] == '\\' && name[1] && name[2] && name[3]) {
			*to++ = (char)((name[1] - '0') * 64 +
				       (name[2] - '0') * 8 + name[3] - '0');
			name += 3;
		} else {
			*to++ = *name;
		}
	}
	*to = '\0';
}

static char *controllers_of_v2(const char *mount)
{
	char *name = join(mount, "", CONTROLLERS), text[4096];
	const char *why = name ? read_text(name, text, sizeof(text))
			       : strerror(ENOMEM);

	free(name);
	/* Beside the controllers of v1 it has none. */
	return why || !*text ? NULL : strdup(text);
}

/* Takes over what is not NULL; one that has neither is none. */
static void add(char *mount, char *controllers, bool is_v2)
{
	struct hierarchy *list = NULL;

	if (mount && controllers)
		list = realloc(hierarchies, (count + 1) * sizeof(*list));
	if (!list) {
		free(mount);
		free(controllers);
		return;
	}
	hierarchies = list;
	list[count++] = (struct hierarchy){ mount, controllers, is_v2 };
}

/* "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0" */
static void take_line(char *line)
{
	char *rest = NULL, *mount, *type, *options;

	strtok_r(line, " ", &rest);
	mount = strtok_r(NULL, " ", &rest);
	type = strtok_r(NULL, " ", &rest);
	options = strtok_r(NULL, " ", &rest);
	if (!options)
		return;
	decode(mount);
	if (!strcmp(type, "cgroup"))
		add(strdup(mount), strdup(options), false);
	else if (!strcmp(type, "cgroup2"))
		add(strdup(mount), controllers_of_v2(mount), true);
}

const char *tb_hierarchy_begin(void)
{
	FILE *file = fopen(MOUNTS, "re");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return strerror(errno);
	forget_all();
	while (getline(&line, &size, file) >= 0)
		take_line(line);
	free(line);
	fclose(file);
	return count ? NULL : "no cgroups are mounted";
}

const char *tb_hierarchy_mount(const char *controller, char **mount)
{
	const struct hierarchy *found = find(controller);

	*mount = found ? strdup(found->mount) : NULL;
	if (!found)
		return "the controller is not mounted";
	return *mount ? NULL : strerror(ENOMEM);
}

void tb_hierarchy_each(int (*visit)(void *data, const char *mount), void *data)
{
	for (unsigned i = 0; i < count; i++)
		if (visit(data, hierarchies[i].mount) < 0)
			return;
}

/* ---- cgroups ---- */

/* Of a cgroup that is there, by its directory; v2. */
static const char *give_below(const char *directory, const char *controller)
{
	char *name = join(directory, "", SUBTREE), text[4096];
	char *words = join("+", controller, "");
	const char *why = name && words ? read_text(name, text, sizeof(text))
					: strerror(ENOMEM);

	if (!why && !has_word(text, controller))
		why = write_text(name, words);
	free(words);
	free(name);
	return why;
}

/* The same for all above the directory, the root first. */
static const char *give_to(const struct hierarchy *hierarchy, char *directory,
			   const char *controller)
{
	const char *why = NULL;

	for (char *slash = directory + strlen(hierarchy->mount); slash && !why;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		why = give_below(directory, controller);
		*slash = '/';
	}
	return why;
}

const char *tb_hierarchy_make(const char *controller, const char *path)
{
	const struct hierarchy *found = find(controller);
	const char *why = NULL;
	char *directory;

	if (!found)
		return "the controller is not mounted";
	directory = join(found->mount, path, "");
	if (!directory)
		return strerror(ENOMEM);
	if (found->is_v2)
		why = give_to(found, directory, controller);
	if (!why && mkdir(directory, 0755) < 0 && errno != EEXIST)
		why = strerror(errno);
	free(directory);
	return why;
}

/* The name of a file of a cgroup; NULL with why. */
static char *name_of(const char *controller, const char *path, const char *file,
		     const char **why)
{
	const struct hierarchy *found = find(controller);
	char *name = found ? join(found->mount, path, file) : NULL;

	if (!name)
		*why = found ? strerror(ENOMEM)
			     : "the controller is not mounted";
	return name;
}

const char *tb_hierarchy_write(const char *controller, const char *path,
			       const char *file, const char *text)
{
	const char *why = NULL;
	char *name = name_of(controller, path, file, &why);

	if (name)
		why = write_text(name, text);
	free(name);
	return why;
}

const char *tb_hierarchy_read(const char *controller, const char *path,
			      const char *file, char *text, size_t size)
{
	const char *why = NULL;
	char *name = name_of(controller, path, file, &why);

	text[0] = '\0';
	if (name)
		why = read_text(name, text, size);
	free(name);
	return why;
}
