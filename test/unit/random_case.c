/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"

#include "random_case.h"

/* xorshift64*: small, and the same everywhere. */
static uint32_t next_random(struct random *random)
{
	uint64_t x = random->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	random->state = x;
	return (uint32_t)((x * 0x2545f4914f6cdd1du) >> 32);
}

unsigned random_below(struct random *random, unsigned below)
{
	return next_random(random) % below;
}

bool random_percent(struct random *random, unsigned percent)
{
	return random_below(random, 100) < percent;
}

static const char *pick(struct random *random, const char *const *from,
			unsigned count)
{
	return from[random_below(random, count)];
}
#define PICK(random, from) pick(random, from, sizeof(from) / sizeof((from)[0]))

/* A topology while it grows. */
struct growing {
	struct random *random;
	char *text;
	size_t length;
	unsigned threads_left, most_threads_per_core;
	unsigned percent_efficiency;
	bool nested;
	char order[5]; /* containers, outermost first */
};

static void add(struct growing *growing, const char *text)
{
	size_t length = strlen(text);

	assert_true(growing->length + length < RANDOM_TEXT);
	memcpy(growing->text + growing->length, text, length + 1);
	growing->length += length;
}

static void grow_core(struct growing *growing)
{
	unsigned threads = 1 + random_below(growing->random,
					    growing->most_threads_per_core);

	if (threads > growing->threads_left)
		threads = growing->threads_left;
	growing->threads_left -= threads;
	add(growing,
	    random_percent(growing->random, growing->percent_efficiency)
		    ? "(E"
		    : "(C");
	while (threads-- > 0)
		add(growing, "(T)");
	add(growing, ")");
}

static void grow_list(struct growing *growing, unsigned depth);

static void grow_container(struct growing *growing, unsigned depth, char letter)
{
	char open[] = { '(', letter, '\0' };

	add(growing, open);
	grow_list(growing, depth + 1);
	add(growing, ")");
}

/* The siblings at one depth; at least one thread is left to give out. */
static void grow_list(struct growing *growing, unsigned depth)
{
	unsigned siblings = 1 + random_below(growing->random, 4);

	while (siblings-- > 0 && growing->threads_left) {
		if (growing->nested && depth < 6 &&
		    random_percent(growing->random, 60)) {
			char letter = "NSXY"[random_below(growing->random, 4)];

			grow_container(growing, depth, letter);
		} else if (!growing->nested && depth < 4 &&
			   random_percent(growing->random, 90)) {
			/* Some letters are left out for a whole branch. */
			while (depth < 3 && random_percent(growing->random, 15))
				depth++;
			grow_container(growing, depth, growing->order[depth]);
		} else {
			grow_core(growing);
		}
	}
}

void random_topology(struct random *random, const struct random_shape *shape,
		     char text[RANDOM_TEXT])
{
	static const char *const orders[] = { "NSXY", "SNXY", "SXNY",
					      "NSYX", "NXSY", "XYNS" };
	static const unsigned efficiency[] = { 0, 0, 20, 50, 80 };
	struct growing growing = {
		.random = random,
		.text = text,
		.threads_left = 1 + random_below(random, shape->most_threads),
		.most_threads_per_core = 1 + random_below(random, 4),
		.percent_efficiency = efficiency[random_below(random, 5)],
		.nested = shape->nested,
	};

	memcpy(growing.order, PICK(random, orders), sizeof(growing.order));
	text[0] = '\0';
	grow_list(&growing, 0);
}

void random_use(struct random *random, unsigned percent, char *text)
{
	for (; *text; text++)
		if (*text == 'T' && random_percent(random, percent))
			*text = 't';
}

static void random_filter(struct random *random,
			  const struct random_shape *shape,
			  const char *topology, char *filter)
{
	char other[RANDOM_TEXT];
	unsigned what = random_below(random, 20);

	filter[0] = '\0';
	if (what < 3)
		strcpy(filter, "first_core");
	if (what < 2 || what == 3 || what == 4) {
		strcat(filter, what < 2 ? "+" : "");
		for (size_t i = strlen(filter); *topology; topology++) {
			filter[i++] = *topology == 't' ? 'T' : *topology;
			filter[i] = '\0';
		}
		random_use(random, 25, filter);
	}
	if (what == 5) {
		random_topology(random, shape, other);
		strcpy(filter, other);
	}
}

/* A shape to ask for: mostly none, else this one or any. */
static void random_asked(struct random *random,
			 const struct random_shape *shape, const char *topology,
			 char *asked)
{
	unsigned what = random_below(random, 20);

	if (what == 0)
		random_topology(random, shape, asked);
	if (what != 1 && what != 2)
		return;
	for (; *topology; topology++)
		*asked++ = *topology == 't' ? 'T' : *topology;
	*asked = '\0';
}

static void random_sort(struct random *random, char *sort)
{
	char letters[] = "SCENXYT";
	unsigned count = random_percent(random, 50)
				 ? 0
				 : 1 + random_below(random, 5);
	unsigned left = sizeof(letters) - 1;

	for (unsigned i = 0; i < count; i++) {
		unsigned which = random_below(random, left);

		sort[i] = random_percent(random, 50)
				  ? letters[which]
				  : (char)(letters[which] - 'A' + 'a');
		letters[which] = letters[--left];
	}
	sort[count] = '\0';
}

static void random_letter(struct random *random, char *letter)
{
	letter[0] = "SsCcEeNnXxYy"[random_below(random, 12)];
	letter[1] = '\0';
}

void random_case(struct random *random, const struct random_shape *shape,
		 struct random_case *c)
{
	static const char *const units[] = { "T",  "CT", "ET", "C",  "E",  "S",
					     "CS", "ES", "X",  "CX", "EX", "Y",
					     "CY", "EY", "N",  "CN", "EN", "C",
					     "C",  "C",	 "T",  "T",  "T" };
	static const char *const strategies[] = { "packed", "linear",
						  "scatter" };
	static const unsigned uses[] = { 0, 0, 10, 25, 60 };

	memset(c, 0, sizeof(*c));
	random_topology(random, shape, c->topology);
	random_use(random, uses[random_below(random, 5)], c->topology);
	strcpy(c->bunit, PICK(random, units));
	snprintf(c->bamount, sizeof(c->bamount), "%u",
		 1 + random_below(random, random_percent(random, 80) ? 3 : 8));
	strcpy(c->btype, random_percent(random, 25) ? "host" : "slot");
	strcpy(c->bstrategy, PICK(random, strategies));
	c->nslots = 1 + random_below(random, 8);
	random_sort(random, c->bsort);
	if (random_percent(random, 20))
		random_letter(random, c->bstart);
	if (random_percent(random, 20))
		random_letter(random, c->bstop);
	if (c->bstart[0] && random_percent(random, 15))
		strcpy(c->bstop, c->bstart);
	random_filter(random, shape, c->topology, c->bfilter);
	random_asked(random, shape, c->topology, c->btopology);
}

static void set(struct tb_request *request, const char *key, const char *value)
{
	struct tb_error err;

	if (*value && tb_request_set(request, key, value, &err))
		fail_msg("%s", err.text);
}

void random_case_request(const struct random_case *c,
			 struct tb_request *request)
{
	tb_request_init(request);
	set(request, "bunit", c->bunit);
	set(request, "bamount", c->bamount);
	set(request, "btype", c->btype);
	set(request, "bstrategy", c->bstrategy);
	set(request, "bsort", c->bsort);
	set(request, "bstart", c->bstart);
	set(request, "bstop", c->bstop);
	set(request, "bfilter", c->bfilter);
	set(request, "btopology", c->btopology);
}

void random_case_print(const struct random_case *c)
{
	print_error("topology %s\nbunit %s bamount %s btype %s nslots %u bstrategy %s bsort '%s' bstart '%s' bstop '%s'\nbfilter '%s'\nbtopology '%s'\n",
		    c->topology, c->bunit, c->bamount, c->btype, c->nslots,
		    c->bstrategy, c->bsort, c->bstart, c->bstop, c->bfilter,
		    c->btopology);
}
