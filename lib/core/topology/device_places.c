/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "device_places.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define SEPARATORS ";:@"

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

/* ---- places ---- */

static void clear_place(struct tb_device_place *place)
{
	free(place->name);
	free(place->type);
	tb_bitset_destroy(place->devices);
	tb_bitset_destroy(place->cores);
}

void tb_device_places_clear(struct tb_device_places *places)
{
	for (unsigned i = 0; i < places->count; i++)
		clear_place(&places->list[i]);
	free(places->list);
	*places = (struct tb_device_places){ 0 };
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool are_same_cores(const struct tb_bitset *a, const struct tb_bitset *b)
{
	return a && b ? a->nbits == b->nbits && tb_bitset_equal(a, b) : a == b;
}

static struct tb_device_place *find_place(const struct tb_device_places *places,
					  const char *name, const char *type,
					  const struct tb_bitset *cores)
{
	for (unsigned i = 0; i < places->count; i++) {
		struct tb_device_place *place = &places->list[i];

		if (is_same_text(place->name, name) &&
		    is_same_text(place->type, type) &&
		    are_same_cores(place->cores, cores))
			return place;
	}
	return NULL;
}

/* The place takes what it is given. */
static int append_place(struct tb_device_places *places,
			const struct tb_device_place *place)
{
	struct tb_device_place *list = realloc(places->list,
					       (places->count + 1) *
						       sizeof(*list));

	if (!list)
		return -1;
	places->list = list;
	list[places->count++] = *place;
	return 0;
}

int tb_device_places_add(struct tb_device_places *places, const char *name,
			 const char *type, const struct tb_bitset *devices,
			 const struct tb_bitset *cores)
{
	struct tb_device_place *known = find_place(places, name, type, cores);
	struct tb_device_place place = { 0 };

	if (known) {
		tb_bitset_or(known->devices, devices);
		return 0;
	}
	place.name = copy_text(name);
	place.type = type ? copy_text(type) : NULL;
	place.devices = tb_bitset_copy(devices);
	place.cores = cores ? tb_bitset_copy(cores) : NULL;
	if (place.name && place.devices && (place.type || !type) &&
	    (place.cores || !cores) && !append_place(places, &place))
		return 0;
	clear_place(&place);
	return -1;
}

bool tb_device_places_are_near(const struct tb_device_places *places)
{
	for (unsigned i = 0; i < places->count; i++)
		if (places->list[i].cores)
			return true;
	return false;
}

/* ---- reading ---- */

/* A part of a text that ends it, or that a separator ends; it becomes a text. */
static char *cut(char **at, char *separator)
{
	char *begin = *at;
	size_t length = strcspn(begin, SEPARATORS);

	*separator = begin[length];
	begin[length] = '\0';
	*at = begin + length + (*separator != '\0');
	return begin;
}

/* One place; *at is behind the semicolon after it then. */
static int read_place(struct tb_device_places *places, char **at,
		      unsigned ncores, struct tb_error *err)
{
	const char *words[3] = { NULL }, *near = NULL;
	struct tb_bitset *devices, *cores = NULL;
	unsigned count = 0;
	char separator = ':';
	int rc = 0;

	while (separator == ':' && count < 3)
		words[count++] = cut(at, &separator);
	if (separator == '@')
		near = cut(at, &separator);
	if (count < 2 || !*words[0] || !*words[1] ||
	    (separator && separator != ';') || (separator && !**at))
		return tb_fail(
			err,
			"this must be places of devices with a semicolon between them, such as gpu:a100:0-1@0-7;gpu:a100:2-3@8-15");
	devices = tb_bitset_parse_list(words[count - 1], TB_DEVICES_OF_NAME,
				       err);
	if (devices && near)
		cores = tb_bitset_parse_list(near, ncores, err);
	if (!devices || (near && !cores))
		rc = -1;
	else if (tb_device_places_add(places, words[0],
				      count == 3 ? words[1] : NULL, devices,
				      cores))
		rc = tb_fail(err, "out of memory");
	tb_bitset_destroy(devices);
	tb_bitset_destroy(cores);
	return rc;
}

int tb_device_places_parse(struct tb_device_places *places, const char *text,
			   unsigned ncores, struct tb_error *err)
{
	char *copy, *at;
	int rc;

	*places = (struct tb_device_places){ 0 };
	if (strlen(text) > TB_DEVICE_PLACES_TEXT_MAX)
		return tb_fail(err,
			       "places of devices have at most %d bytes of text",
			       TB_DEVICE_PLACES_TEXT_MAX);
	copy = at = copy_text(text);
	if (!copy)
		return tb_fail(err, "out of memory");
	do
		rc = read_place(places, &at, ncores, err);
	while (!rc && *at);
	free(copy);
	return rc;
}

/* ---- printing ---- */

static bool is_word(const char *word)
{
	return *word && !word[strcspn(word, SEPARATORS " \t\n\"\\")];
}

/* False: no text could have it. */
static bool add_list(struct tb_text *to, const struct tb_bitset *set)
{
	char *list = tb_bitset_print_list(set);
	bool added = list && *list;

	if (added)
		tb_text_add(to, list);
	free(list);
	return added;
}

static bool add_place(struct tb_text *to, const struct tb_device_place *place)
{
	if (!is_word(place->name) || (place->type && !is_word(place->type)))
		return false;
	tb_text_add(to, place->name);
	tb_text_add_char(to, ':');
	if (place->type) {
		tb_text_add(to, place->type);
		tb_text_add_char(to, ':');
	}
	if (!add_list(to, place->devices))
		return false;
	if (!place->cores)
		return true;
	tb_text_add_char(to, '@');
	return add_list(to, place->cores);
}

char *tb_device_places_print(const struct tb_device_places *places,
			     struct tb_error *err)
{
	struct tb_text text = { 0 };
	bool all = true;
	char *printed;

	for (unsigned i = 0; all && i < places->count; i++) {
		if (i)
			tb_text_add_char(&text, ';');
		all = add_place(&text, &places->list[i]);
	}
	printed = tb_text_take(&text);
	if (printed && all && strlen(printed) <= TB_DEVICE_PLACES_TEXT_MAX)
		return printed;
	free(printed);
	tb_fail(err,
		"the places of devices need more than %d bytes, or one has no devices or cores or a name that no text can have",
		TB_DEVICE_PLACES_TEXT_MAX);
	return NULL;
}
