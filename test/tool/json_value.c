/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_value.c - print a value of the JSON on stdin
 *
 * The arguments are keys of objects and indexes of arrays, from the outside in;
 * none: everything.  Strings are printed as they are, all else as JSON.  Exit
 * code 1 when stdin is not JSON or has no such value.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

int main(int argc, char **argv)
{
	json_error_t why;
	json_t *json = json_loadf(stdin, JSON_REJECT_DUPLICATES, &why);
	const json_t *value = json;

	for (int i = 1; value && i < argc; i++)
		value = json_is_array(value)
				? json_array_get(value,
						 strtoul(argv[i], NULL, 10))
				: json_object_get(value, argv[i]);
	if (json_is_string(value))
		puts(json_string_value(value));
	else if (value)
		json_dumpf(value, stdout,
			   JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(json);
	return value ? 0 : 1;
}
