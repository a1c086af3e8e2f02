/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any JSON as a map, as topobind map --from reads it: a clear error, or a map that
 * is drawn and read again as the same.
 */
#define _GNU_SOURCE /* open_memstream */
#include "fuzz.h"

#include "map/map_draw.h"
#include "map/map_markup.h"
#include "core/base/error.h"

static char *draw(const struct tb_map *map,
		  int (*draw_to)(const struct tb_map *map, FILE *out))
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	FUZZ_CHECK(out);
	FUZZ_CHECK(!draw_to(map, out));
	FUZZ_CHECK(!fclose(out));
	return text;
}

static int draw_text(const struct tb_map *map, FILE *out)
{
	static const struct tb_map_style style = { .width = 80 };

	return tb_map_draw(map, &style, out);
}

/* What users chose is neither markup nor a control sequence. */
static void check_drawn(const struct tb_map *map)
{
	char *text = draw(map, draw_text);
	char *svg = draw(map, tb_map_svg);

	for (const char *at = text; *at; at++)
		FUZZ_CHECK(*at == '\n' || (*at >= ' ' && *at <= '~'));
	FUZZ_CHECK(!strstr(svg, "<script"));
	free(text);
	free(svg);
}

static void check_again(const struct tb_map *map)
{
	json_t *json = tb_map_to_json(map);
	struct tb_error err = { "" };
	struct tb_map *again = tb_map_of_json(json, &err);
	json_t *twice;

	FUZZ_CHECK(again);
	twice = tb_map_to_json(again);
	FUZZ_CHECK(json_equal(json, twice));
	tb_map_destroy(again);
	json_decref(json);
	json_decref(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_error_t why;
	json_t *json = json_loadb((const char *)data, size, 0, &why);
	struct tb_error err = { "" };
	struct tb_map *map = NULL;

	if (json)
		map = tb_map_of_json(json, &err);
	if (map) {
		check_drawn(map);
		check_again(map);
	} else {
		FUZZ_CHECK(!json || *err.text);
	}
	tb_map_destroy(map);
	json_decref(json);
	return 0;
}
