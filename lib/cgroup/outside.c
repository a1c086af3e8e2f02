/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "outside.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/isolate/isolate.h"

const struct tb_outside_places tb_outside_places = {
	"/proc/irq",
	"/sys/devices/virtual/workqueue",
};

/* The kernel prints no more at once. */
#define TEXT_MAX 8192

/* A file with CPUs, which is to have others. */
struct place {
	struct place *next;
	char *path;
	unsigned groups; /* of 32 bits, of a mask; 0: it is a list */
	struct tb_bitset *cpus;
	bool changes;
	struct tb_isolate_taken before, after;
};

struct places {
	struct place *first;
	const struct tb_bitset *isolated, *online;
	const char *taken;
};

/* ---- text ---- */

/* "ff,0000ffff", from the last group on; how many there are, 0: it is no mask. */
static unsigned parse_mask(char *text, struct tb_bitset *cpus)
{
	unsigned first = 0;

	while (text[0] != '\0') {
		char *comma = strrchr(text, ','), *end;
		char *group = comma != NULL ? comma + 1 : text;
		unsigned long bits = strtoul(group, &end, 16);

		if (end == group || *end != '\0')
			return 0;
		for (unsigned bit = 0; bit < 32; bit++) {
			if (!(bits >> bit & 1))
				continue;
			if (first + bit >= cpus->nbits)
				return 0;
			tb_bitset_set(cpus, first + bit);
		}
		first += 32;
		*group = '\0';
		if (comma != NULL)
			*comma = '\0';
	}
	return first / 32;
}

/* In as many groups as the kernel has: it reads no more. */
static char *print_mask(const struct tb_bitset *cpus, unsigned groups)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	for (unsigned group = groups; group-- > 0;) {
		uint32_t bits = 0;

		for (unsigned bit = 0; bit < 32; bit++)
			if (group * 32 + bit < cpus->nbits &&
			    tb_bitset_test(cpus, group * 32 + bit))
				bits |= UINT32_C(1) << bit;
		fprintf(out, "%08" PRIx32 "%s", bits, group > 0 ? "," : "");
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static bool read_cpus(struct place *place, bool is_mask, unsigned nbits)
{
	int fd = open(place->path, O_RDONLY | O_CLOEXEC);
	char text[TEXT_MAX];
	ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!is_mask) {
		place->cpus = tb_bitset_parse_list(text, nbits, NULL);
		return place->cpus != NULL;
	}
	place->cpus = tb_bitset_create(nbits);
	if (place->cpus != NULL)
		place->groups = parse_mask(text, place->cpus);
	return place->groups > 0;
}

static bool write_cpus(const struct place *place)
{
	int fd = open(place->path, O_WRONLY | O_CLOEXEC);
	char *text = place->groups > 0 ? print_mask(place->cpus, place->groups)
				       : tb_bitset_print_list(place->cpus);
	bool written = fd >= 0 && text != NULL &&
		       write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	free(text);
	return written;
}

/* ---- what was taken: lines "PATH moved|kept LIST" ---- */

/* The line of a path in the text, behind the path; NULL: none. */
static const char *find_line(const char *taken, const char *path)
{
	size_t length = strlen(path);

	while (taken != NULL && *taken != '\0') {
		if (strncmp(taken, path, length) == 0 && taken[length] == ' ')
			return taken + length + 1;
		taken += strcspn(taken, "\n");
		taken += *taken == '\n';
	}
	return NULL;
}

static struct tb_bitset *read_taken(const char *line, unsigned nbits,
				    bool *moved)
{
	struct tb_bitset *cpus = NULL;
	char *list;

	*moved = false;
	if (line == NULL)
		return tb_bitset_create(nbits);
	*moved = strncmp(line, "moved ", 6) == 0;
	line += strcspn(line, " \n");
	line += *line == ' ';
	list = strndup(line, strcspn(line, "\n"));
	if (list != NULL)
		cpus = tb_bitset_parse_list(list, nbits, NULL);
	free(list);
	/* Not what was written here: nothing was taken. */
	return cpus != NULL ? cpus : tb_bitset_create(nbits);
}

static bool print_taken(FILE *out, const struct place *place, bool is_after)
{
	struct tb_bitset *cpus = tb_bitset_copy(place->after.cpus);
	char *list = NULL;

	if (cpus != NULL && !is_after)
		tb_bitset_or(cpus, place->before.cpus);
	if (cpus != NULL)
		list = tb_bitset_print_list(cpus);
	if (list != NULL && list[0] != '\0')
		fprintf(out, "%s %s %s\n", place->path,
			place->after.moved || (!is_after && place->before.moved)
				? "moved"
				: "kept",
			list);
	tb_bitset_destroy(cpus);
	free(list);
	return list != NULL;
}

/* is_after: when all is changed; else what may be taken while it is. */
static int keep_taken(const struct places *places, bool is_after,
		      tb_outside_keep_t *keep, void *data, struct tb_error *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool printed = out != NULL;
	int rc;

	for (const struct place *place = places->first; printed && place;
	     place = place->next)
		printed = print_taken(out, place, is_after);
	if (out != NULL && fclose(out) != 0)
		printed = false;
	rc = printed ? keep(text[0] != '\0' ? text : NULL, data, err)
		     : tb_fail(err, "out of memory");
	free(text);
	return rc;
}

/* ---- files ---- */

static void destroy_place(struct place *place)
{
	free(place->path);
	tb_bitset_destroy(place->cpus);
	tb_bitset_destroy(place->before.cpus);
	tb_bitset_destroy(place->after.cpus);
	free(place);
}

/* False: there is nothing to do. */
static bool plan_place(const struct places *places, struct place *place,
		       bool is_mask)
{
	const struct tb_bitset *isolated = places->isolated;
	const char *line = find_line(places->taken, place->path);
	struct tb_bitset *now;

	if (!read_cpus(place, is_mask, isolated->nbits) ||
	    (line == NULL && !tb_bitset_intersects(place->cpus, isolated)))
		return false;
	place->before.cpus = read_taken(line, isolated->nbits,
					&place->before.moved);
	place->after.cpus = read_taken(line, isolated->nbits,
				       &place->after.moved);
	now = tb_bitset_copy(place->cpus);
	if (now == NULL || place->before.cpus == NULL ||
	    place->after.cpus == NULL ||
	    !tb_isolate_apply(place->cpus, &place->after, isolated,
			      places->online)) {
		tb_bitset_destroy(now);
		return false;
	}
	place->changes = !tb_bitset_equal(now, place->cpus);
	tb_bitset_destroy(now);
	return true;
}

/* Takes path; NULL: out of memory. */
static void add_place(struct places *places, char *path, bool is_mask)
{
	struct place *place = path != NULL ? calloc(1, sizeof(*place)) : NULL;

	if (place == NULL) {
		free(path);
		return;
	}
	place->path = path;
	if (plan_place(places, place, is_mask)) {
		place->next = places->first;
		places->first = place;
	} else {
		destroy_place(place);
	}
}

static char *join(const char *directory, const char *name, const char *file)
{
	char *path;

	return asprintf(&path, "%s/%s%s", directory, name, file) < 0 ? NULL
								     : path;
}

static void find_places(struct places *places,
			const struct tb_outside_places *where)
{
	DIR *irqs = opendir(where->irq);
	struct dirent *entry;

	while (irqs != NULL && (entry = readdir(irqs)) != NULL)
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			add_place(places,
				  join(where->irq, entry->d_name,
				       "/smp_affinity_list"),
				  false);
	if (irqs != NULL)
		closedir(irqs);
	add_place(places, join(where->irq, "default_smp_affinity", ""), true);
	add_place(places, join(where->work, "cpumask", ""), true);
}

/* What cannot be changed was not taken. */
static void write_places(const struct places *places)
{
	for (struct place *place = places->first; place; place = place->next)
		if (place->changes && !write_cpus(place)) {
			tb_bitset_assign(place->after.cpus, place->before.cpus);
			tb_bitset_and(place->after.cpus, places->isolated);
			place->after.moved = place->before.moved;
		}
}

int tb_outside_apply(const struct tb_outside_places *where, const char *taken,
		     const struct tb_bitset *isolated,
		     const struct tb_bitset *online, tb_outside_keep_t *keep,
		     void *data, struct tb_error *err)
{
	struct places places = { NULL, isolated, online, taken };
	int rc;

	find_places(&places, where);
	rc = keep_taken(&places, false, keep, data, err);
	if (rc == 0) {
		write_places(&places);
		rc = keep_taken(&places, true, keep, data, err);
	}
	while (places.first != NULL) {
		struct place *place = places.first;

		places.first = place->next;
		destroy_place(place);
	}
	return rc;
}
