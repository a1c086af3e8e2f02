/* SPDX-License-Identifier: GPL-2.0-or-later */
/* key_threads.c - which threads: bfilter, btopology, bcpus */
#include "key.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"

/* Refuse a value with what its parser says. */
static int refuse_because(enum tb_request_key key, const char *value,
			  const struct tb_error *reason, struct tb_error *err)
{
	return tb_fail(err, "%s=%s: %s", tb_request_keys[key],
		       tb_clip(value, strlen(value)).text, reason->text);
}

/* Add and free a malloc()ed value; NULL: out of memory. */
static void add_and_free_value(struct tb_text *text, char *value)
{
	if (value)
		tb_text_add(text, value);
	else
		text->failed = true;
	free(value);
}

/* bfilter */

static int read_filter(struct tb_request *request, const char *value,
		       struct tb_error *err)
{
	struct tb_error reason;
	struct tb_filter *filter = tb_filter_parse(value, &reason);

	if (!filter)
		return refuse_because(TB_REQUEST_KEY_FILTER, value, &reason,
				      err);
	tb_filter_destroy(request->filter);
	request->filter = filter;
	return 0;
}

static bool is_default_filter(const struct tb_request *request)
{
	return !request->filter;
}

static void print_filter(const struct tb_request *request, struct tb_text *text)
{
	add_and_free_value(text, tb_filter_print(request->filter));
}

const struct tb_key tb_key_filter = { read_filter, is_default_filter,
				      print_filter };

/* btopology: a shape with nothing in use */

static int read_shape(struct tb_request *request, const char *value,
		      struct tb_error *err)
{
	struct tb_error reason;
	struct tb_bitset *lower;
	struct tb_topology *shape = tb_topology_parse(value, &lower, &reason);
	bool plain;

	if (!shape)
		return refuse_because(TB_REQUEST_KEY_SHAPE, value, &reason,
				      err);
	plain = tb_bitset_is_empty(lower);
	tb_bitset_destroy(lower);
	if (plain) {
		tb_topology_destroy(request->shape);
		request->shape = shape;
		return 0;
	}
	tb_topology_destroy(shape);
	return tb_fail(
		err,
		"%s=%s has letters in lower case, but a shape says nothing of what is in use; write all of it in capitals",
		tb_request_keys[TB_REQUEST_KEY_SHAPE],
		tb_clip(value, strlen(value)).text);
}

static bool is_default_shape(const struct tb_request *request)
{
	return !request->shape;
}

static void print_shape(const struct tb_request *request, struct tb_text *text)
{
	add_and_free_value(text, tb_topology_print(request->shape, NULL));
}

const struct tb_key tb_key_shape = { read_shape, is_default_shape,
				     print_shape };

/*
 * bcpus: a list with commas, or with plus signs in the one-line form, where commas
 * separate options
 */

static void replace_char(char *text, char old, char new)
{
	for (; *text; text++)
		if (*text == old)
			*text = new;
}

/* A set with no more bits than it needs. */
static struct tb_bitset *trim_set(const struct tb_bitset *set)
{
	unsigned nbits = tb_bitset_last(set) + 1;
	struct tb_bitset *trimmed = tb_bitset_create(nbits);

	if (trimmed)
		tb_bitset_or_range(trimmed, set, 0, nbits);
	return trimmed;
}

static const char os_prefix[] = "os:";

static bool has_os_prefix(const char *value)
{
	return !strncmp(value, os_prefix, strlen(os_prefix));
}

static int read_cpus(struct tb_request *request, const char *value,
		     struct tb_error *err)
{
	struct tb_error reason = { "out of memory" };
	const char *numbers = value;
	struct tb_bitset *cpus = NULL, *trimmed;
	char *list = malloc(strlen(value) + 1);

	if (has_os_prefix(value))
		numbers += strlen(os_prefix);
	if (list) {
		memcpy(list, numbers, strlen(numbers) + 1);
		replace_char(list, '+', ',');
		cpus = tb_bitset_parse_list(list, TB_CPUS_MAX, &reason);
	}
	trimmed = cpus ? trim_set(cpus) : NULL;
	free(list);
	tb_bitset_destroy(cpus);
	if (!trimmed)
		return refuse_because(TB_REQUEST_KEY_CPUS, value, &reason, err);
	tb_bitset_destroy(request->cpus);
	request->cpus = trimmed;
	request->os_numbers = numbers != value;
	/* A type that the user has set is refused later. */
	if (!(request->given & tb_request_bit(TB_REQUEST_KEY_TYPE)))
		request->type = TB_HOST;
	return 0;
}

static bool is_default_cpus(const struct tb_request *request)
{
	return !request->cpus;
}

static void print_cpus(const struct tb_request *request, struct tb_text *text)
{
	char *list = tb_request_print_cpus(request);

	if (list)
		replace_char(list, ',', '+');
	add_and_free_value(text, list);
}

const struct tb_key tb_key_cpus = { read_cpus, is_default_cpus, print_cpus };

char *tb_request_print_cpus(const struct tb_request *request)
{
	struct tb_text text = TB_TEXT_EMPTY;

	if (request->os_numbers)
		tb_text_add(&text, os_prefix);
	add_and_free_value(&text, tb_bitset_print_list(request->cpus));
	return tb_text_take(&text);
}
