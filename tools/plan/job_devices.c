/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_devices.c - see job_devices.h */
#define _GNU_SOURCE /* strndup */
#include "job_devices.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

struct word {
	const char *text;
	size_t length;
};

struct entry {
	struct word name, type; /* no length: none is told */
	uint64_t count;
};

static bool is_word(struct word word, const char *text)
{
	return word.length == strlen(text) &&
	       !memcmp(word.text, text, word.length);
}

/* "2", "4K"; false: it is no number. */
static bool read_number(struct word word, uint64_t *number)
{
	static const char units[] = "KMGTP";
	uint64_t count = 0;
	size_t at = 0;

	for (; at < word.length && isdigit((unsigned char)word.text[at]); at++)
		if (count < UINT64_MAX / 100)
			count = count * 10 + (uint64_t)(word.text[at] - '0');
	if (!at)
		return false;
	if (at < word.length) {
		const char *unit = strchr(units, toupper(word.text[at]));

		if (at + 1 != word.length || !unit)
			return false;
		count <<= 10 * (unit - units + 1);
	}
	*number = count;
	return true;
}

/* The length of "gpu:2" before "(IDX:0-1)"; a type can be "(null)". */
static size_t measure_numbers(const char *text, size_t length)
{
	for (size_t i = 1; i < length; i++)
		if (text[i] == '(' && isalnum((unsigned char)text[i - 1]))
			return i;
	return length;
}

static struct entry read_entry(const char *text, size_t length)
{
	struct entry entry = { .count = 1 };
	const char *end = text + measure_numbers(text, length);

	entry.name = (struct word){ text, 0 };
	while (text < end && *text != ':' && *text != '=') {
		entry.name.length++;
		text++;
	}
	while (text < end) {
		struct word word = { ++text, 0 };

		while (text < end && *text != ':' && *text != '=') {
			word.length++;
			text++;
		}
		if (!read_number(word, &entry.count) && word.length &&
		    !is_word(word, "(null)") && !is_word(word, "no_consume"))
			entry.type = word;
	}
	return entry;
}

/* Up to a comma that is in no brackets. */
static size_t measure_entry(const char *list)
{
	size_t length = 0;
	int depth = 0;

	for (; list[length] && (depth > 0 || list[length] != ','); length++)
		depth += (list[length] == '(') - (list[length] == ')');
	return length;
}

/* ---- what is asked for ---- */

static char *print_name(const struct entry *entry)
{
	size_t size = entry->name.length + entry->type.length + 2;
	char *name = calloc(1, size);

	if (!name)
		return NULL;
	memcpy(name, entry->name.text, entry->name.length);
	if (entry->type.length) {
		name[entry->name.length] = ':';
		memcpy(name + entry->name.length + 1, entry->type.text,
		       entry->type.length);
	}
	return name;
}

static const char *const parts_of_gpus[] = { "shard", "mps" };

static bool is_part_of_gpu(struct word name)
{
	for (size_t i = 0; i < sizeof(parts_of_gpus) / sizeof(*parts_of_gpus);
	     i++)
		if (is_word(name, parts_of_gpus[i]))
			return true;
	return false;
}

/*
 * Each number by itself, also of one kind: all of them must be there.  Of parts of GPUs
 * a job has those of one, so that their number is not all.
 */
static int add_entry(struct tb_job_devices *devices, const struct entry *entry,
		     enum tb_devices_for who, struct tb_error *err)
{
	struct tb_devices_asked *asked = &devices->asked[devices->count];
	char *name;

	if (!entry->count)
		return 0;
	if (who == TB_DEVICES_FOR_SOCKET ||
	    devices->count == TB_JOB_DEVICES_MAX) {
		devices->more = true;
		return 0;
	}
	devices->parts = devices->parts || is_part_of_gpu(entry->name);
	name = print_name(entry);
	if (!name)
		return tb_fail(err, "out of memory");
	*asked = (struct tb_devices_asked){
		.per_node = who == TB_DEVICES_FOR_NODE ? entry->count : 0,
		.per_task = who == TB_DEVICES_FOR_TASK ? entry->count : 0,
		.per_job = who == TB_DEVICES_FOR_JOB ? entry->count : 0,
	};
	devices->names[devices->count++] = name;
	return 0;
}

int tb_job_devices_add(struct tb_job_devices *devices, const char *list,
		       enum tb_devices_for who, struct tb_error *err)
{
	static const char prefix[] = "gres";
	size_t skip = sizeof(prefix); /* and a colon, or a slash */

	while (list && *list) {
		size_t length = measure_entry(list);

		if (length > skip && !strncmp(list, prefix, skip - 1)) {
			struct entry entry = read_entry(list + skip,
							length - skip);

			if (add_entry(devices, &entry, who, err))
				return -1;
		}
		list += length + (list[length] == ',');
	}
	return 0;
}

/* That of GPUs for all nodes, if no other number of them is asked for. */
static struct tb_devices_asked *find_shared(struct tb_job_devices *devices,
					    bool *others)
{
	struct tb_devices_asked *found = NULL;

	*others = false;
	for (unsigned i = 0; i < devices->count; i++) {
		if (strncmp(devices->names[i], "gpu", 3) != 0)
			continue;
		*others = *others || found || !devices->asked[i].per_job;
		found = &devices->asked[i];
	}
	return found;
}

uint32_t tb_job_devices_of_job(struct tb_job_devices *devices)
{
	bool others;
	const struct tb_devices_asked *shared = find_shared(devices, &others);

	if (!shared || others)
		return 0;
	return shared->per_job < UINT32_MAX ? (uint32_t)shared->per_job
					    : UINT32_MAX;
}

int tb_job_devices_add_shares(struct tb_job_devices *devices, uint32_t each,
			      const struct tb_asked *asked,
			      struct tb_error *err)
{
	struct tb_devices_asked *shared;
	uint32_t tasks = asked->tasks;
	bool others;

	if (!each)
		return 0;
	shared = find_shared(devices, &others);
	if (!shared && tasks && tasks % each == 0) {
		struct entry entry = { .name = { "gpu", 3 },
				       .count = tasks / each };

		if (add_entry(devices, &entry, TB_DEVICES_FOR_JOB, err))
			return -1;
		shared = find_shared(devices, &others);
	}
	if (shared && !others)
		shared->tasks_each = tb_devices_tasks_each(shared->per_job,
							   each, tasks,
							   asked->overcommit);
	if (!shared || (!shared->tasks_each && !asked->overcommit))
		devices->more = true;
	return 0;
}

uint64_t tb_job_devices_gpu_memory(const char *list)
{
	static const char prefix[] = "gres";
	size_t skip = sizeof(prefix);

	while (list && *list) {
		size_t length = measure_entry(list);

		if (length > skip && !strncmp(list, prefix, skip - 1)) {
			struct entry entry = read_entry(list + skip,
							length - skip);

			if (is_word(entry.name, "gpu"))
				return entry.count;
		}
		list += length + (list[length] == ',');
	}
	return 0;
}

void tb_job_devices_set_memory(struct tb_job_devices *devices,
			       uint64_t megabytes)
{
	for (unsigned i = 0; i < devices->count; i++)
		devices->asked[i].megabytes =
			strcmp(devices->names[i], "gpu") != 0 &&
					strncmp(devices->names[i], "gpu:", 4) !=
						0
				? 0
				: megabytes;
}

bool tb_job_devices_have_memory(const struct tb_job_devices *devices)
{
	for (unsigned i = 0; i < devices->count; i++)
		if (devices->asked[i].megabytes)
			return true;
	return false;
}

void tb_job_devices_clear(struct tb_job_devices *devices)
{
	for (unsigned i = 0; i < devices->count; i++)
		free(devices->names[i]);
	devices->count = 0;
}

uint32_t tb_job_devices_needed(const struct tb_job_devices *devices,
			       unsigned kind)
{
	const struct tb_devices_asked *asked = &devices->asked[kind];
	uint64_t needed = asked->per_node   ? asked->per_node
			  : asked->per_task ? asked->per_task
					    : 1;

	return needed < UINT32_MAX ? (uint32_t)needed : UINT32_MAX;
}

/* ---- what there is ---- */

static uint32_t add_count(uint32_t a, uint64_t b)
{
	return b < UINT32_MAX - a ? a + (uint32_t)b : UINT32_MAX;
}

uint32_t tb_devices_in_list(const char *list, const char *name,
			    uint32_t *untyped)
{
	const char *type = strchr(name, ':');
	size_t of_name = type ? (size_t)(type - name) : strlen(name);
	uint32_t count = 0;

	*untyped = 0;
	while (list && *list) {
		size_t length = measure_entry(list);
		struct entry entry = read_entry(list, length);

		list += length + (list[length] == ',');
		if (entry.name.length != of_name ||
		    memcmp(entry.name.text, name, of_name) != 0)
			continue;
		if (!type ||
		    (entry.type.length && is_word(entry.type, type + 1)))
			count = add_count(count, entry.count);
		else if (!entry.type.length)
			*untyped = add_count(*untyped, entry.count);
	}
	return count;
}

static size_t measure_name(const char *name)
{
	return strcspn(name, ":");
}

/* Of "shard:4(0/2,1/2)", since Slurm 23.02: of which devices some is in use. */
static struct tb_bitset *read_uses(const char *entry, const char *end,
				   unsigned nbits)
{
	struct tb_bitset *numbers;
	unsigned number = 0;

	entry += measure_numbers(entry, (size_t)(end - entry));
	if (entry == end || !isdigit((unsigned char)entry[1]))
		return NULL;
	numbers = tb_bitset_create(nbits);
	while (numbers && entry < end && *entry != ')' && number < nbits) {
		if (strtoul(++entry, NULL, 10))
			tb_bitset_set(numbers, number);
		number++;
		entry += strcspn(entry, ",)");
	}
	return numbers;
}

/* Of "gpu:2(IDX:0-1,3)"; NULL: there are none. */
static struct tb_bitset *read_numbers(const char *entry, size_t length,
				      unsigned nbits)
{
	static const char word[] = "(IDX:";
	const char *begin = entry, *end = entry + length;
	struct tb_bitset *numbers;
	char *text;

	while (entry < end && strncmp(entry, word, sizeof(word) - 1) != 0)
		entry++;
	if (entry == end)
		return read_uses(begin, end, nbits);
	entry += sizeof(word) - 1;
	text = strndup(entry, strcspn(entry, ")"));
	numbers = text ? tb_bitset_parse_list(text, nbits, NULL) : NULL;
	free(text);
	return numbers;
}

void tb_devices_add_numbers(const char *list, const char *name,
			    struct tb_bitset *numbers)
{
	size_t of_name = measure_name(name);

	while (list && *list) {
		size_t length = measure_entry(list);
		struct entry entry = read_entry(list, length);
		struct tb_bitset *more = NULL;

		if (entry.name.length == of_name &&
		    !memcmp(entry.name.text, name, of_name))
			more = read_numbers(list, length, numbers->nbits);
		if (more)
			tb_bitset_or(numbers, more);
		tb_bitset_destroy(more);
		list += length + (list[length] == ',');
	}
}

void tb_devices_add_parts(const char *list, struct tb_bitset *numbers)
{
	for (size_t i = 0; i < sizeof(parts_of_gpus) / sizeof(*parts_of_gpus);
	     i++)
		tb_devices_add_numbers(list, parts_of_gpus[i], numbers);
}
