/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of sets.  A key belongs to one set and can have any of the WAYS places
 * in it.  The table never grows, and finding a record always takes the same time.
 */
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define SETS 8192
#define WAYS 8
#define AFFINITY_MAX 100.0
#define HEADER "topobind-history 1 "
/* Far more than all nodes of a cluster together can be busy. */
#define MILLISECONDS_MAX (UINT64_MAX / 2)
#define SECONDS_MAX 1e15

struct record {
	uint64_t key;	       /* 0: free */
	uint64_t used_at;      /* s */
	uint64_t milliseconds; /* of jobs that did not fail; of a node: busy */
	uint32_t runs, failures;
};

struct tb_history {
	uint64_t since;
	struct record records[SETS * WAYS];
};

struct tb_history *tb_history_create(uint64_t since)
{
	struct tb_history *history = calloc(1, sizeof(*history));

	if (history)
		history->since = since;
	return history;
}

void tb_history_destroy(struct tb_history *history)
{
	free(history);
}

uint64_t tb_history_since(const struct tb_history *history)
{
	return history->since;
}

/* --- keys --------------------------------------------------------------------- */

/* FNV-1a, continued from another key. */
static uint64_t hash_text(uint64_t key, const char *text)
{
	for (; *text; text++)
		key = (key ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	/* An end for each text: "ab" and "c" are not "a" and "bc". */
	return (key ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t make_first_key(const char *what)
{
	return hash_text(UINT64_C(0xcbf29ce484222325), what);
}

struct tb_application tb_application_of(const char *name, uint32_t cpus)
{
	struct tb_application application;
	char size[2] = "A";

	for (; cpus > 1; cpus /= 2)
		size[0]++;
	application.any_size = hash_text(make_first_key("application"), name);
	application.this_size = hash_text(application.any_size, size);
	return application;
}

static uint64_t make_node_key(const char *node)
{
	return hash_text(make_first_key("node"), node);
}

/* --- records ------------------------------------------------------------------ */

static struct record *get_record_set(const struct tb_history *history,
				     uint64_t key)
{
	uint64_t set = (key ^ key >> 32) % SETS;

	return (struct record *)&history->records[set * WAYS];
}

static const struct record *find_record(const struct tb_history *history,
					uint64_t key)
{
	const struct record *set = get_record_set(history, key);

	for (int i = 0; i < WAYS; i++)
		if (set[i].key == key)
			return &set[i];
	return NULL;
}

static bool is_rather_replaced(const struct record *record,
			       const struct record *other)
{
	if (!record->key || !other->key)
		return !record->key && other->key;
	return record->used_at < other->used_at;
}

/* A new record replaces the one that was not used for the longest time. */
static struct record *find_or_make_record(struct tb_history *history,
					  uint64_t key, uint64_t now)
{
	struct record *set = get_record_set(history, key), *oldest = set;

	for (int i = 0; i < WAYS; i++) {
		if (set[i].key == key) {
			set[i].used_at = now;
			return &set[i];
		}
		if (is_rather_replaced(&set[i], oldest))
			oldest = &set[i];
	}
	*oldest = (struct record){ .key = key, .used_at = now };
	return oldest;
}

static void add_seconds(struct record *record, double seconds)
{
	uint64_t more = seconds > 0 && seconds < SECONDS_MAX
				? (uint64_t)(seconds * 1000 + .5)
				: 0;

	if (record->milliseconds < MILLISECONDS_MAX - more)
		record->milliseconds += more;
}

static void count_job(struct record *record, double seconds, bool failed)
{
	if (record->runs == UINT32_MAX)
		return;
	record->runs++;
	if (failed)
		record->failures++;
	else
		add_seconds(record, seconds);
}

void tb_history_note_job(struct tb_history *history,
			 const struct tb_application *application,
			 const char *node, double seconds, bool failed,
			 uint64_t now)
{
	const char *where = node ? node : "";
	uint64_t any_size = hash_text(application->any_size, where);
	uint64_t this_size = hash_text(application->this_size, where);

	count_job(find_or_make_record(history, any_size, now), seconds, failed);
	count_job(find_or_make_record(history, this_size, now), seconds,
		  failed);
}

void tb_history_note_busy(struct tb_history *history, const char *node,
			  double seconds, uint64_t now)
{
	add_seconds(find_or_make_record(history, make_node_key(node), now),
		    seconds);
}

void tb_history_note_failure(struct tb_history *history, const char *node,
			     uint64_t now)
{
	struct record *record = find_or_make_record(history,
						    make_node_key(node), now);

	if (record->failures < UINT32_MAX)
		record->failures++;
}

/* --- two histories ------------------------------------------------------------ */

static uint32_t add_counts(uint32_t count, uint32_t more)
{
	return count > UINT32_MAX - more ? UINT32_MAX : count + more;
}

static void add_record(struct tb_history *history, const struct record *newer)
{
	struct record *record = find_or_make_record(history, newer->key,
						    newer->used_at);

	record->runs = add_counts(record->runs, newer->runs);
	record->failures = add_counts(record->failures, newer->failures);
	if (newer->milliseconds <= MILLISECONDS_MAX &&
	    record->milliseconds <= MILLISECONDS_MAX - newer->milliseconds)
		record->milliseconds += newer->milliseconds;
}

void tb_history_add(struct tb_history *history, const struct tb_history *newer)
{
	if (newer->since < history->since)
		history->since = newer->since;
	for (int i = 0; i < SETS * WAYS; i++)
		if (newer->records[i].key)
			add_record(history, &newer->records[i]);
}

/* --- questions ---------------------------------------------------------------- */

/* Seconds that jobs took on average; 0 when all have failed. */
static double get_mean_seconds(const struct record *record)
{
	if (!record || record->runs <= record->failures)
		return 0;
	return (double)record->milliseconds / 1000 /
	       (record->runs - record->failures);
}

double tb_history_affinity(const struct tb_history *history,
			   const struct tb_application *application,
			   const char *node)
{
	double all = get_mean_seconds(
		find_record(history, hash_text(application->this_size, "")));
	double here = get_mean_seconds(
		find_record(history, hash_text(application->this_size, node)));

	if (all <= 0 || here <= 0)
		return 1;
	return all / here > AFFINITY_MAX ? AFFINITY_MAX : all / here;
}

double tb_history_failure_rate(const struct tb_history *history,
			       const struct tb_application *application,
			       const char *node)
{
	const struct record *record =
		find_record(history, hash_text(application->any_size, node));

	return record && record->runs ? (double)record->failures / record->runs
				      : 0;
}

double tb_history_busy(const struct tb_history *history, const char *node)
{
	const struct record *record = find_record(history, make_node_key(node));

	return record ? (double)record->milliseconds / 1000 : 0;
}

uint32_t tb_history_failures(const struct tb_history *history, const char *node)
{
	const struct record *record = find_record(history, make_node_key(node));

	return record ? record->failures : 0;
}

/* --- as text ------------------------------------------------------------------ */

static void add_number_text(struct tb_text *text, uint64_t number,
			    unsigned base, char end)
{
	char digits[24];
	size_t at = sizeof(digits);

	digits[--at] = '\0';
	digits[--at] = end;
	do {
		digits[--at] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	tb_text_add(text, &digits[at]);
}

static void print_record(const struct record *record, struct tb_text *text)
{
	add_number_text(text, record->key, 16, ' ');
	add_number_text(text, record->used_at, 10, ' ');
	add_number_text(text, record->runs, 10, ' ');
	add_number_text(text, record->failures, 10, ' ');
	add_number_text(text, record->milliseconds, 10, '\n');
}

char *tb_history_print(const struct tb_history *history)
{
	struct tb_text text = TB_TEXT_EMPTY;

	tb_text_add(&text, HEADER);
	add_number_text(&text, history->since, 10, '\n');
	for (int i = 0; i < SETS * WAYS; i++)
		if (history->records[i].key)
			print_record(&history->records[i], &text);
	return tb_text_take(&text);
}

/* Read a number and the character that ends it; *at moves behind that. */
static bool read_history_number(const char **at, int base, char end,
				uint64_t most, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	const char *start = *at;

	*number = 0;
	for (; **at; (*at)++) {
		const char *digit = strchr(digits, **at);

		if (!digit || digit - digits >= base)
			break;
		if (*number >
		    (most - (uint64_t)(digit - digits)) / (uint64_t)base)
			return false;
		*number = *number * (uint64_t)base + (uint64_t)(digit - digits);
	}
	return *at != start && *(*at)++ == end;
}

static bool read_history_record(const char **at, struct record *record)
{
	uint64_t runs, failures;

	if (!read_history_number(at, 16, ' ', UINT64_MAX, &record->key) ||
	    !read_history_number(at, 10, ' ', UINT64_MAX, &record->used_at) ||
	    !read_history_number(at, 10, ' ', UINT32_MAX, &runs) ||
	    !read_history_number(at, 10, ' ', UINT32_MAX, &failures) ||
	    !read_history_number(at, 10, '\n', UINT64_MAX,
				 &record->milliseconds))
		return false;
	record->runs = (uint32_t)runs;
	record->failures = (uint32_t)failures;
	return record->key != 0;
}

static bool read_history_records(struct tb_history *history, const char *at,
				 unsigned *line)
{
	struct record record;

	for (*line = 2; *at; ++*line) {
		if (!read_history_record(&at, &record))
			return false;
		*find_or_make_record(history, record.key,
				     record.used_at) = record;
	}
	return true;
}

struct tb_history *tb_history_parse(const char *text, struct tb_error *err)
{
	const char *at = text + strlen(HEADER);
	struct tb_history *history;
	unsigned line = 1;
	uint64_t since;

	if (strncmp(text, HEADER, strlen(HEADER)) ||
	    !read_history_number(&at, 10, '\n', UINT64_MAX, &since)) {
		tb_fail(err,
			"line 1: this is no history of topobind; it begins with " HEADER
			"and a number");
		return NULL;
	}
	history = tb_history_create(since);
	if (!history) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (read_history_records(history, at, &line))
		return history;
	tb_fail(err,
		"line %u: five numbers are wanted: key, time, jobs, failures, milliseconds",
		line);
	tb_history_destroy(history);
	return NULL;
}
