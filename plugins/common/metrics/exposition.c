/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exposition.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

void tb_metric_head(FILE *out, const char *name, const char *type,
		    const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_value(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		fputc(*value, out);
	}
}

/* Counters as whole numbers, so that none of their digits is lost. */
static void print_number(FILE *out, double number)
{
	if (number >= 0 && number < (double)(UINT64_C(1) << 53) &&
	    (double)(uint64_t)number == number)
		fprintf(out, " %.0f\n", number);
	else
		fprintf(out, " %.9g\n", number);
}

void tb_metric_sample(FILE *out, const char *name, double number, ...)
{
	const char *label;
	bool first = true;
	va_list labels;

	fputs(name, out);
	va_start(labels, number);
	while ((label = va_arg(labels, const char *))) {
		fprintf(out, "%s%s=\"", first ? "{" : ",", label);
		print_value(out, va_arg(labels, const char *));
		fputc('"', out);
		first = false;
	}
	va_end(labels);
	if (!first)
		fputc('}', out);
	print_number(out, number);
}
