/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.c - run a harness over its corpus, without libFuzzer
 *
 * CORPUS is the name of the directory below test/fuzz/corpus, found through
 * srcdir; other files can be named as arguments.  Reports as TAP.
 */
#include "fuzz.h"

#include <dirent.h>

static int replay_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		perror(path);
		return -1;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	fprintf(stderr, "%s\n", path); /* known when it dies */
	LLVMFuzzerTestOneInput(data, size);
	return 0;
}

static int replay_entry(const char *directory, const char *name)
{
	size_t size = strlen(directory) + strlen(name) + 2;
	char *path = malloc(size);
	int rc;

	FUZZ_CHECK(path);
	snprintf(path, size, "%s/%s", directory, name);
	rc = replay_file(path);
	free(path);
	return rc;
}

/* How many files there were, or -1. */
static int replay_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int count = 0;

	if (!directory) {
		perror(path);
		return -1;
	}
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		if (replay_entry(path, entry->d_name)) {
			count = -1;
			break;
		}
		count++;
	}
	closedir(directory);
	return count;
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	int count = 0;

	if (argc > 1) {
		for (; count < argc - 1; count++)
			if (replay_file(argv[count + 1]))
				return 1;
	} else {
		snprintf(path, sizeof(path), "%s/test/fuzz/corpus/%s",
			 srcdir ? srcdir : ".", CORPUS);
		count = replay_directory(path);
	}
	printf("1..1\n%sok 1 - %d inputs of %s\n", count > 0 ? "" : "not ",
	       count, CORPUS);
	return count > 0 ? 0 : 1;
}
