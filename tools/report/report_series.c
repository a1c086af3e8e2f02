/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_series.c - see report_series.h */
#define _GNU_SOURCE /* getline, open_memstream */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "core/base/text.h"
#include "files/append_line.h"
#include "report_series.h"
#include "report_words.h"
#include "terminal/wrap.h"

/* What is more is no number of a look: sums of millions of them still fit. */
#define COUNT_MOST (INT64_C(1) << 40)

/* Of one kind of container, in all looks. */
struct kind_series {
	uint64_t spanning, sharing, touched, fewest;
	double scores; /* the sum of all jobs in all looks */
	double lowest; /* locality of a look */
	int64_t lowest_time;
	json_t *worst; /* of the job with the lowest locality; NULL: none */
	double worst_locality;
	int64_t worst_time;
};

struct tb_report_series {
	uint64_t looks, skipped; /* lines */
	int64_t from, to;
	uint64_t jobs, scored, containers, broken;
	struct kind_series kinds[TB_REPORT_KINDS];
};

/* ---- writing ---- */

int tb_report_series_add(const char *name, const struct tb_report *report,
			 struct tb_error *err)
{
	json_t *json = tb_report_to_json(report, false);
	json_t *all = json_pack("{s:i}", "version", TB_JSON_VERSION);
	char *line = NULL;
	int rc;

	if (json && all && !json_object_update(all, json))
		line = json_dumps(all, JSON_COMPACT);
	rc = line ? tb_append_line(name, line, err)
		  : tb_fail(err, "out of memory");
	free(line);
	json_decref(all);
	json_decref(json);
	return rc;
}

/* ---- reading ---- */

static json_t *find_kind(const json_t *totals, unsigned kind)
{
	return json_object_get(json_object_get(totals, "units"),
			       tb_report_kinds[kind].name);
}

static bool get_count(const json_t *json, const char *name, uint64_t *count)
{
	const json_t *number = json_object_get(json, name);

	if (!json_is_integer(number) || json_integer_value(number) < 0 ||
	    json_integer_value(number) > COUNT_MOST)
		return false;
	*count = (uint64_t)json_integer_value(number);
	return true;
}

static bool get_locality(const json_t *json, double *locality)
{
	const json_t *number = json_object_get(json, "locality");

	*locality = json_number_value(number);
	return json_is_number(number) && *locality >= 0 && *locality <= 1;
}

/* The numbers of one look. */
struct look {
	int64_t time;
	uint64_t jobs, scored, containers, broken;
	struct {
		uint64_t spanning, sharing, touched, fewest;
		double locality;
		json_t *worst; /* NULL: none */
		double worst_locality;
	} kinds[TB_REPORT_KINDS];
};

static bool read_worst(const json_t *json, json_t **worst, double *locality)
{
	uint64_t count;

	*worst = json_object_get(json, "worst");
	return !*worst || (json_string_value(json_object_get(*worst, "job")) &&
			   json_string_value(json_object_get(*worst, "user")) &&
			   get_count(*worst, "touched", &count) &&
			   get_count(*worst, "fewest", &count) &&
			   get_count(*worst, "shared", &count) &&
			   get_count(*worst, "strangers", &count) &&
			   get_locality(*worst, locality));
}

static bool read_kind(const json_t *json, struct look *look, unsigned kind)
{
	return get_count(json, "spanning", &look->kinds[kind].spanning) &&
	       get_count(json, "sharing", &look->kinds[kind].sharing) &&
	       get_count(json, "touched", &look->kinds[kind].touched) &&
	       get_count(json, "fewest", &look->kinds[kind].fewest) &&
	       get_locality(json, &look->kinds[kind].locality) &&
	       read_worst(json, &look->kinds[kind].worst,
			  &look->kinds[kind].worst_locality);
}

static bool read_look(const json_t *json, struct look *look)
{
	const json_t *totals = json_object_get(json, "totals");
	uint64_t version, when;

	if (!get_count(json, "version", &version) ||
	    version != TB_JSON_VERSION || !get_count(json, "time", &when) ||
	    !get_count(totals, "jobs", &look->jobs) ||
	    !get_count(totals, "scored", &look->scored) ||
	    !get_count(totals, "containers", &look->containers) ||
	    !get_count(totals, "broken", &look->broken))
		return false;
	look->time = (int64_t)when;
	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		if (!read_kind(find_kind(totals, kind), look, kind))
			return false;
	return true;
}

static void add_kind(struct kind_series *sum, const struct look *look,
		     unsigned kind)
{
	double locality = look->kinds[kind].locality;
	json_t *worst = look->kinds[kind].worst;

	sum->spanning += look->kinds[kind].spanning;
	sum->sharing += look->kinds[kind].sharing;
	sum->touched += look->kinds[kind].touched;
	sum->fewest += look->kinds[kind].fewest;
	sum->scores += locality * (double)look->scored;
	if (!sum->lowest_time || locality < sum->lowest) {
		sum->lowest = locality;
		sum->lowest_time = look->time;
	}
	if (worst && (!sum->worst ||
		      look->kinds[kind].worst_locality < sum->worst_locality)) {
		json_decref(sum->worst);
		sum->worst = json_incref(worst);
		sum->worst_locality = look->kinds[kind].worst_locality;
		sum->worst_time = look->time;
	}
}

static void add_look(struct tb_report_series *series, const struct look *look)
{
	if (!series->looks++ || look->time < series->from)
		series->from = look->time;
	if (look->time > series->to)
		series->to = look->time;
	series->jobs += look->jobs;
	series->scored += look->scored;
	series->containers += look->containers;
	series->broken += look->broken;
	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		add_kind(&series->kinds[kind], look, kind);
}

static void read_line(struct tb_report_series *series, const char *line,
		      size_t length)
{
	json_t *json = json_loadb(line, length, 0, NULL);
	struct look look = { 0 };

	if (json && read_look(json, &look))
		add_look(series, &look);
	else
		series->skipped++;
	json_decref(json);
}

static int read_lines(struct tb_report_series *series, const char *name,
		      struct tb_error *err)
{
	/* Should it be a pipe, nobody waits for its other end. */
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int rc = 0;

	if (!file) {
		tb_fail(err, "\"%.200s\" cannot be read: %s", name,
			strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while ((length = getline(&line, &size, file)) > 0)
		read_line(series, line, (size_t)length);
	if (ferror(file))
		rc = tb_fail(err, "\"%.200s\" cannot be read: %s", name,
			     strerror(errno));
	else if (!series->looks)
		rc = tb_fail(err,
			     "\"%.200s\" has no line that topobind report --to has written",
			     name);
	free(line);
	fclose(file);
	return rc;
}

struct tb_report_series *tb_report_series_read(const char *name,
					       struct tb_error *err)
{
	struct tb_report_series *series = calloc(1, sizeof(*series));

	if (!series)
		tb_fail(err, "out of memory");
	if (series && !read_lines(series, name, err))
		return series;
	tb_report_series_destroy(series);
	return NULL;
}

void tb_report_series_destroy(struct tb_report_series *series)
{
	if (!series)
		return;
	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		json_decref(series->kinds[kind].worst);
	free(series);
}

/* ---- telling ---- */

/* The mean of all jobs in all looks. */
static double get_locality_of(const struct tb_report_series *series,
			      unsigned kind)
{
	return series->scored
		       ? series->kinds[kind].scores / (double)series->scored
		       : 1;
}

static json_t *json_of_kind(const struct tb_report_series *series,
			    unsigned kind)
{
	const struct kind_series *of = &series->kinds[kind];
	json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:f, s:{s:I, s:f}}",
				 "spanning", (json_int_t)of->spanning,
				 "sharing", (json_int_t)of->sharing, "touched",
				 (json_int_t)of->touched, "fewest",
				 (json_int_t)of->fewest, "locality",
				 get_locality_of(series, kind), "lowest",
				 "time", (json_int_t)of->lowest_time,
				 "locality", of->lowest);
	json_t *worst = of->worst ? json_copy(of->worst) : NULL;

	if (worst) {
		json_object_set_new(worst, "time",
				    json_integer(of->worst_time));
		json_object_set_new(json, "worst", worst);
	}
	return json;
}

json_t *tb_report_series_to_json(const struct tb_report_series *series)
{
	json_t *units = json_object();

	for (unsigned kind = 0; kind < TB_REPORT_KINDS; kind++)
		json_object_set_new(units, tb_report_kinds[kind].name,
				    json_of_kind(series, kind));
	return json_pack("{s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I, s:o}}",
			 "looks", (json_int_t)series->looks, "skipped",
			 (json_int_t)series->skipped, "from",
			 (json_int_t)series->from, "to", (json_int_t)series->to,
			 "totals", "jobs", (json_int_t)series->jobs, "scored",
			 (json_int_t)series->scored, "containers",
			 (json_int_t)series->containers, "broken",
			 (json_int_t)series->broken, "units", units);
}

static void print_time(FILE *out, int64_t when)
{
	const time_t seconds = (time_t)when;
	char text[64] = "?";
	struct tm parts;

	if (localtime_r(&seconds, &parts))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
	fputs(text, out);
}

static const char *get_word(const json_t *json, const char *name)
{
	return json_string_value(json_object_get(json, name));
}

static uint64_t get_number(const json_t *json, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(json, name));
}

static void tell_kind(const struct tb_report_series *series, unsigned kind,
		      FILE *out)
{
	const struct kind_series *of = &series->kinds[kind];

	tb_report_tell_counts(out, kind,
			      &(struct tb_report_counts){ of->spanning,
							  of->sharing,
							  series->scored });
	if (of->worst) {
		tb_report_tell_worst(out,
				     &(struct tb_report_worst){
					     get_word(of->worst, "job"),
					     get_word(of->worst, "user"),
					     get_number(of->worst, "touched"),
					     get_number(of->worst, "fewest") });
		fputs(", at ", out);
		print_time(out, of->worst_time);
	}
	fprintf(out, ". Locality %.3f, at the lowest %.3f, at ",
		get_locality_of(series, kind), of->lowest);
	print_time(out, of->lowest_time);
	fputc('.', out);
}

static void print_kind(const struct tb_report_series *series, unsigned kind,
		       FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return;
	tell_kind(series, kind, words);
	tb_print_stream(out, words, &text);
}

static void print_looks(const struct tb_report_series *series, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return;
	fprintf(words, "%" PRIu64 " %s from ", series->looks,
		tb_count_word(series->looks, "look", "looks"));
	print_time(words, series->from);
	fputs(" to ", words);
	print_time(words, series->to);
	fprintf(words, ", %.1f jobs on average",
		(double)series->scored / (double)series->looks);
	tb_print_stream(out, words, &text);
}

static void print_broken(const struct tb_report_series *series, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return;
	tb_report_tell_percent(words, series->broken, series->containers);
	fputs(" of containers were broken: partly in use.", words);
	tb_print_stream(out, words, &text);
}

void tb_report_series_print(const struct tb_report_series *series, FILE *out)
{
	print_looks(series, out);
	for (unsigned kind = 0; series->scored && kind < TB_REPORT_KINDS;
	     kind++)
		print_kind(series, kind, out);
	print_broken(series, out);
	if (series->skipped)
		tb_print_sentence(out, "%" PRIu64 " %s no look, and left out.",
				  series->skipped,
				  tb_count_word(series->skipped, "line is",
						"lines are"));
}
