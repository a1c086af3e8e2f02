/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg.c - see svg.h */
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "svg.h"

/* U+FFFE and U+FFFF are no characters of XML. */
static bool is_no_character(const char *c)
{
	return !strncmp(c, "\xef\xbf\xbe", 3) || !strncmp(c, "\xef\xbf\xbf", 3);
}

void tb_svg_text(const char *text, unsigned most, FILE *out)
{
	for (const char *c = text; *c; c++) {
		unsigned char byte = *c;

		/* Bytes of this form continue a character. */
		if ((byte & 0xc0) != 0x80 && !most--) {
			fputs("\u2026", out);
			return;
		}
		if (is_no_character(c)) {
			fputc('?', out);
			c += 2;
		} else if (byte < ' ' || byte == 127) {
			fputc('?', out);
		} else if (strchr("<>&\"'", byte)) {
			fprintf(out, "&#%u;", byte);
		} else {
			fputc(byte, out);
		}
	}
}

void tb_svg_begin(const struct tb_svg *svg, FILE *out)
{
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n<title>",
		svg->width, svg->height, svg->width, svg->height);
	tb_svg_text(svg->title, UINT_MAX, out);
	fputs("</title>\n", out);
	if (svg->description) {
		fputs("<desc>", out);
		tb_svg_text(svg->description, UINT_MAX, out);
		fputs("</desc>\n", out);
	}
	fprintf(out, "<style>%s</style>\n", svg->style);
}
