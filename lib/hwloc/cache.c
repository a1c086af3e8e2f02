/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.c - save a machine and read it back
 *
 * A text file, one "key value" per line in a fixed order; numbers are separated
 * by one space, sets of threads are lists, "-" is an empty value:
 *
 *	topobind-machine 2
 *	topology NSXYCTTYCTT
 *	os_cpus 0 2 1 3
 *	numa_os_nodes 0
 *	distances -
 *	memory_nodes 2
 *	memory 0 main 0-3
 *	memory 1 gpu 0-3 0004:05:00.0
 *	end
 *
 * slurmstepd reads it as root, so nothing in it is believed unchecked.
 */
#define _GNU_SOURCE /* open_memstream, O_NOFOLLOW */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/read_file.h"
#include "files/replace_file.h"
#include "machine_private.h"

#define FORMAT_VERSION "2"

/* ---- writing ---- */

static void write_numbers(FILE *out, const char *key, const unsigned *numbers,
			  size_t count)
{
	fputs(key, out);
	if (!numbers || !count)
		fputs(" -", out);
	for (size_t i = 0; numbers && i < count; i++)
		fprintf(out, " %u", numbers[i]);
	fputc('\n', out);
}

static int write_memory(FILE *out, const struct tb_memory_node *memory)
{
	char *list = tb_bitset_print_list(memory->threads);
	char address[TB_PCI_TEXT_SIZE] = "";

	if (!list)
		return -1;
	if (memory->has_address)
		tb_pci_address_print(&memory->address, address);
	fprintf(out, "memory %u %s %s%s%s\n", memory->os_node,
		tb_memory_kind_name(memory->kind), *list ? list : "-",
		*address ? " " : "", address);
	free(list);
	return 0;
}

static int write_machine(FILE *out, const struct tb_machine *machine)
{
	size_t numa_nodes = machine->numa_nodes;

	fprintf(out, "topobind-machine %s\n", FORMAT_VERSION);
	fprintf(out, "topology %s\n", machine->string);
	write_numbers(out, "os_cpus", machine->os_cpus,
		      tb_topology_threads(machine->topology));
	write_numbers(out, "numa_os_nodes", machine->numa_os_nodes, numa_nodes);
	write_numbers(out, "distances", machine->distances,
		      numa_nodes * numa_nodes);
	fprintf(out, "memory_nodes %u\n", machine->memory_nodes);
	for (unsigned i = 0; i < machine->memory_nodes; i++)
		if (write_memory(out, &machine->memory[i]))
			return -1;
	fputs("end\n", out);
	return 0;
}

/* The file's text, malloc()ed; NULL when out of memory. */
static char *print_machine(const struct tb_machine *machine, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	int rc;

	if (!out)
		return NULL;
	rc = write_machine(out, machine);
	if (!fclose(out) && !rc)
		return text;
	free(text);
	return NULL;
}

int tb_machine_save(const struct tb_machine *machine, const char *path,
		    struct tb_error *err)
{
	size_t size = 0;
	char *text = print_machine(machine, &size);
	const struct tb_new_content content = { .data = text,
						.size = size,
						.mode = 0644 };
	int rc;

	if (!text)
		return tb_fail(err, "out of memory while saving the machine");
	if (size > TB_MACHINE_FILE_MAX)
		rc = tb_fail(err,
			     "the machine cannot be saved: it needs %zu bytes, at most %d are read",
			     size, TB_MACHINE_FILE_MAX);
	else
		rc = tb_replace_file(AT_FDCWD, path, &content, err);
	free(text);
	return rc;
}

/* ---- reading ---- */

/* Walks over the lines of the file's text, which it cuts up. */
struct reader {
	const char *path;
	char *rest;
	unsigned line;
};

static int bad_line(const struct reader *reader, const char *key,
		    const char *why, struct tb_error *err)
{
	return tb_fail(
		err,
		"line %u of the saved machine \"%s\" is not a valid %s line: %s; restart slurmd to write it anew",
		reader->line, reader->path, key, why);
}

/* The value of the next line, which must have this key; NULL: not so. */
static char *next_value(struct reader *reader, const char *key,
			struct tb_error *err)
{
	size_t length = strlen(key);
	char *line = reader->rest;
	char *end = strchr(line, '\n');

	reader->line++;
	if (!end) {
		bad_line(reader, key, "the file ends before it", err);
		return NULL;
	}
	*end = '\0';
	reader->rest = end + 1;
	if (strncmp(line, key, length) || line[length] != ' ' ||
	    !line[length + 1]) {
		bad_line(reader, key, "it has another key, or no value", err);
		return NULL;
	}
	return line + length + 1;
}

/* One decimal number up to max; moves text behind it.  -1: not one. */
static int read_number(char **text, unsigned max, unsigned *number)
{
	unsigned long value = 0;
	char *digit = *text;

	for (; *digit >= '0' && *digit <= '9'; digit++) {
		value = value * 10 + (*digit - '0');
		if (value > max)
			return -1;
	}
	if (digit == *text)
		return -1;
	*text = digit;
	*number = value;
	return 0;
}

/* Exactly count numbers, or "-" when there are none to be. */
static int read_numbers(char *text, unsigned *numbers, size_t count,
			unsigned max)
{
	if (!count)
		return strcmp(text, "-") ? -1 : 0;
	for (size_t i = 0; i < count; i++) {
		if (i && *text++ != ' ')
			return -1;
		if (read_number(&text, max, &numbers[i]))
			return -1;
	}
	return *text ? -1 : 0;
}

static int read_number_line(struct reader *reader, const char *key,
			    unsigned *numbers, size_t count, unsigned max,
			    struct tb_error *err)
{
	char *text = next_value(reader, key, err);

	if (!text)
		return -1;
	if (read_numbers(text, numbers, count, max))
		return bad_line(reader, key,
				"its numbers are wrong, too few or too many",
				err);
	return 0;
}

static int read_distances(struct reader *reader, struct tb_machine *machine,
			  struct tb_error *err)
{
	size_t count = (size_t)machine->numa_nodes * machine->numa_nodes;
	char *text = next_value(reader, "distances", err);

	if (!text)
		return -1;
	if (!strcmp(text, "-"))
		return 0;
	/* A digit and a separator each: no more room than the file has. */
	if (!count || strlen(text) + 1 < 2 * count)
		return bad_line(reader, "distances", "it has too few numbers",
				err);
	machine->distances = calloc(count, sizeof(*machine->distances));
	if (!machine->distances)
		return tb_fail(err, "out of memory while reading the machine");
	if (read_numbers(text, machine->distances, count, UINT_MAX))
		return bad_line(reader, "distances",
				"its numbers are wrong, too few or too many",
				err);
	return 0;
}

/* The kind of a memory node; moves text behind it and the blank. */
static int read_kind(char **text, enum tb_memory_kind *kind)
{
	size_t length = strcspn(*text, " ");

	if (!(*text)[length] || !tb_memory_kind_parse(*text, length, kind))
		return -1;
	*text += length + 1;
	return 0;
}

/*
 * Cuts off the PCI address behind a list, where there is one: files of older releases
 * have none.  -1: it is not valid.
 */
static int read_address(char *text, struct tb_memory_node *memory)
{
	char *blank = strchr(text, ' ');

	memory->has_address = blank != NULL;
	if (!blank)
		return 0;
	*blank = '\0';
	return memory->kind == TB_MEMORY_GPU &&
			       tb_pci_address_parse(blank + 1,
						    strlen(blank + 1),
						    &memory->address)
		       ? 0
		       : -1;
}

static int read_memory(struct reader *reader, struct tb_machine *machine,
		       struct tb_error *err)
{
	unsigned nthreads = tb_topology_threads(machine->topology);
	char *text = next_value(reader, "memory", err);
	struct tb_error why = { "" };
	struct tb_memory_node last = { 0 };
	struct tb_bitset *threads;
	unsigned os_node;
	int rc;

	if (!text)
		return -1;
	if (read_number(&text, TB_MACHINE_OS_MAX - 1, &os_node) ||
	    *text++ != ' ')
		return bad_line(reader, "memory", "it has no NUMA node number",
				err);
	if (read_kind(&text, &last.kind))
		return bad_line(reader, "memory", "it has no kind of memory",
				err);
	if (read_address(text, &last))
		return bad_line(reader, "memory",
				"it has no valid PCI address of a GPU", err);
	if (!strcmp(text, "-"))
		threads = tb_bitset_create(nthreads);
	else
		threads = tb_bitset_parse_list(text, nthreads, &why);
	if (!threads)
		return bad_line(reader, "memory", why.text, err);
	rc = tb_machine_add_memory(machine, os_node, last.kind, threads, err);
	tb_bitset_destroy(threads);
	if (rc)
		return -1;
	machine->memory[machine->memory_nodes - 1].has_address =
		last.has_address;
	machine->memory[machine->memory_nodes - 1].address = last.address;
	return 0;
}

static int read_end(struct reader *reader, struct tb_error *err)
{
	reader->line++;
	if (strcmp(reader->rest, "end\n"))
		return bad_line(reader, "end", "the line is another one", err);
	return 0;
}

/* Everything after the topology line. */
static int read_rest(struct reader *reader, struct tb_machine *machine,
		     struct tb_error *err)
{
	unsigned memory_nodes;

	if (read_number_line(reader, "os_cpus", machine->os_cpus,
			     tb_topology_threads(machine->topology),
			     TB_MACHINE_OS_MAX - 1, err) ||
	    read_number_line(reader, "numa_os_nodes", machine->numa_os_nodes,
			     machine->numa_nodes, TB_MACHINE_OS_MAX - 1, err) ||
	    read_distances(reader, machine, err) ||
	    read_number_line(reader, "memory_nodes", &memory_nodes, 1,
			     TB_MACHINE_NUMA_MAX, err))
		return -1;
	for (unsigned i = 0; i < memory_nodes; i++)
		if (read_memory(reader, machine, err))
			return -1;
	if (read_end(reader, err))
		return -1;
	return tb_machine_finish(machine, err);
}

struct tb_machine *tb_machine_read_text(const char *path, char *text,
					struct tb_error *err)
{
	struct reader reader = { .path = path, .rest = text };
	struct tb_error why = { "" };
	struct tb_machine *machine;
	char *value;

	value = next_value(&reader, "topobind-machine", err);
	if (!value)
		return NULL;
	if (strcmp(value, FORMAT_VERSION)) {
		bad_line(&reader, "topobind-machine", "it has another version",
			 err);
		return NULL;
	}
	value = next_value(&reader, "topology", err);
	if (!value)
		return NULL;
	machine = tb_machine_create(value, &why);
	if (!machine)
		bad_line(&reader, "topology", why.text, err);
	else if (read_rest(&reader, machine, err)) {
		tb_machine_destroy(machine);
		return NULL;
	}
	return machine;
}

/* Only what root wrote and nobody else can have changed. */
static int check_file(const char *path, const struct stat *st,
		      struct tb_error *err)
{
	if (!S_ISREG(st->st_mode))
		return tb_fail(err,
			       "the saved machine \"%s\" is not a regular file",
			       path);
	if (st->st_uid != 0)
		return tb_fail(
			err,
			"the saved machine \"%s\" belongs to user %lu, it must belong to root",
			path, (unsigned long)st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return tb_fail(
			err,
			"the saved machine \"%s\" has mode %04o, group and others must not be able to write it",
			path, (unsigned)st->st_mode & 07777);
	if (st->st_size > TB_MACHINE_FILE_MAX)
		return tb_fail(
			err,
			"the saved machine \"%s\" has %lld bytes, at most %d are read",
			path, (long long)st->st_size, TB_MACHINE_FILE_MAX);
	return 0;
}

/* All of an open file as a string; NULL with a sentence. */
static char *read_file(int fd, const char *path, struct tb_error *err)
{
	struct stat st;
	size_t size;
	char *text;

	if (fstat(fd, &st)) {
		tb_fail(err, "cannot read the saved machine \"%s\": %s", path,
			strerror(errno));
		return NULL;
	}
	if (check_file(path, &st, err))
		return NULL;
	text = tb_read_file(fd, TB_MACHINE_FILE_MAX, &size);
	if (text && strlen(text) == size)
		return text;
	tb_fail(err,
		"the saved machine \"%s\" cannot be read to its end or is not text",
		path);
	free(text);
	return NULL;
}

struct tb_machine *tb_machine_read(const char *path, struct tb_error *err)
{
	/* Not blocking: should it be a pipe, it is refused, not waited for. */
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct tb_machine *machine = NULL;
	char *text;

	if (fd < 0) {
		tb_fail(err, "cannot open the saved machine \"%s\": %s", path,
			strerror(errno));
		return NULL;
	}
	text = read_file(fd, path, err);
	close(fd);
	if (text)
		machine = tb_machine_read_text(path, text, err);
	free(text);
	return machine;
}
