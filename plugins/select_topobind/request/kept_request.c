/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_request.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "select_topobind/nodes/text_digest.h"

/* Prime; some thousand different requests are many. */
#define BUCKETS 4099
/* A topology has some 60 bytes for each letter of its string. */
#define BYTES_OF_LETTER 64

struct entry {
	struct tb_kept_request kept;   /* first: callers have its address */
	struct tb_env_texts texts;     /* of its own */
	const struct tb_request *site; /* that binds it, or NULL */
	uint64_t digest;
	size_t size;
	unsigned holders;
	struct entry *next;	     /* in its bucket */
	struct entry *older, *newer; /* of all, by when they were used */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *buckets[BUCKETS];
static struct entry *oldest, *newest;
static struct tb_kept_requests total;

/* ---- texts ---- */

/* What a request is read from, one after the other; NULL for none. */
#define TEXTS (1 + TB_ENV_OPTIONS)

static const char **text_at(struct tb_env_texts *texts, unsigned i)
{
	return i < TB_ENV_OPTIONS ? &texts->options[i]
				  : &texts->variables[TB_ENV_REQUEST];
}

static const char *get_text(const struct tb_env_texts *texts, unsigned i)
{
	return *text_at((struct tb_env_texts *)texts, i);
}

/* Only texts that can be a request: others are refused without reading them. */
static bool is_read(const struct tb_env_texts *texts)
{
	const char *line = texts->variables[TB_ENV_REQUEST];

	if (texts->count > TB_ENV_MAX)
		return false;
	return line ? tb_request_text_length(line) <= TB_REQUEST_TEXT_MAX
		    : !texts->options_are_wrong;
}

static uint64_t digest_texts(const struct tb_env_texts *texts,
			     const struct tb_request *site)
{
	uint64_t digest = (uintptr_t)site;

	for (unsigned i = 0; i < TEXTS; i++)
		if (get_text(texts, i))
			digest = digest * 31 +
				 (tb_text_digest(get_text(texts, i)) ^ i);
	return digest;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool are_same(const struct tb_env_texts *a, const struct tb_env_texts *b)
{
	for (unsigned i = 0; i < TEXTS; i++)
		if (!is_same(get_text(a, i), get_text(b, i)))
			return false;
	return true;
}

static void free_texts(struct tb_env_texts *texts)
{
	for (unsigned i = 0; i < TEXTS; i++)
		free((char *)get_text(texts, i));
}

/* Copies the texts; false: out of memory. */
static bool copy_texts(struct tb_env_texts *to, const struct tb_env_texts *from)
{
	memset(to, 0, sizeof(*to));
	for (unsigned i = 0; i < TEXTS; i++) {
		if (!get_text(from, i))
			continue;
		*text_at(to, i) = strdup(get_text(from, i));
		if (!get_text(to, i)) {
			free_texts(to);
			return false;
		}
	}
	return true;
}

/* ---- entries ---- */

static void destroy_entry(struct entry *entry)
{
	tb_request_clear(&entry->kept.request);
	free(entry->kept.line);
	free_texts(&entry->texts);
	free(entry);
}

static size_t measure(const struct entry *entry)
{
	const struct tb_request *request = &entry->kept.request;
	const char *line = entry->kept.line ? entry->kept.line : "";
	size_t letters = request->filter || request->shape || request->cpus
				 ? tb_request_text_length(line)
				 : 0;
	size_t size = sizeof(*entry) + letters * BYTES_OF_LETTER + strlen(line);

	for (unsigned i = 0; i < TEXTS; i++)
		if (get_text(&entry->texts, i))
			size += strlen(get_text(&entry->texts, i));
	return size;
}

/* A request without a binding, bound by the site's.  -1 with a sentence in err. */
static int make_bound(struct tb_request *bound, const struct tb_request *open,
		      const struct tb_request *site, struct tb_error *err)
{
	tb_request_init(bound);
	if (!tb_request_inherit(bound, open, err) &&
	    !tb_request_bind_implicitly(bound, site, err))
		return 0;
	tb_request_clear(bound);
	tb_request_init(bound);
	return -1;
}

static int read_bound(struct tb_request *request,
		      const struct tb_env_texts *texts,
		      const struct tb_request *site, struct tb_error *err)
{
	struct tb_request open;
	int rc = tb_request_from_texts(&open, texts, err);

	if (rc)
		tb_request_init(request);
	else
		rc = make_bound(request, &open, site, err);
	tb_request_clear(&open);
	return rc;
}

/* Held by the caller, and in no list yet.  NULL: out of memory. */
static struct entry *read_entry(const struct tb_env_texts *texts,
				const struct tb_request *site)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	struct tb_kept_request *kept;

	if (!entry)
		return NULL;
	kept = &entry->kept;
	entry->site = site;
	entry->holders = 1;
	if (site) {
		kept->is_wrong = read_bound(&kept->request, texts, site,
					    &kept->why);
		kept->line = tb_request_print_open(&kept->request);
	} else {
		kept->is_wrong = tb_request_from_texts(&kept->request, texts,
						       &kept->why);
		kept->line = tb_request_print(&kept->request);
	}
	return entry;
}

/* ---- the lists ---- */

static void put_newest(struct entry *entry)
{
	entry->older = newest;
	entry->newer = NULL;
	*(newest ? &newest->newer : &oldest) = entry;
	newest = entry;
}

static void take_from_ages(struct entry *entry)
{
	*(entry->older ? &entry->older->newer : &oldest) = entry->newer;
	*(entry->newer ? &entry->newer->older : &newest) = entry->older;
}

static void take_out(struct entry *entry)
{
	struct entry **at = &buckets[entry->digest % BUCKETS];

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	take_from_ages(entry);
	total.count--;
	total.size -= entry->size;
}

static void shrink(void)
{
	struct entry *entry = oldest;

	while (entry && total.size > TB_KEPT_SIZE_MAX) {
		struct entry *newer = entry->newer;

		if (!entry->holders) {
			take_out(entry);
			destroy_entry(entry);
		}
		entry = newer;
	}
}

static struct entry *find(const struct tb_env_texts *texts,
			  const struct tb_request *site, uint64_t digest)
{
	struct entry *entry = buckets[digest % BUCKETS];

	while (entry && (entry->digest != digest || entry->site != site ||
			 !are_same(&entry->texts, texts)))
		entry = entry->next;
	return entry;
}

/* One that cannot be copied lives until it is released. */
static void keep(struct entry *entry, const struct tb_env_texts *texts,
		 uint64_t digest)
{
	if (!copy_texts(&entry->texts, texts))
		return;
	entry->digest = digest;
	entry->size = measure(entry);
	entry->next = buckets[digest % BUCKETS];
	buckets[digest % BUCKETS] = entry;
	put_newest(entry);
	total.count++;
	total.size += entry->size;
	shrink();
}

static struct entry *find_or_read(const struct tb_env_texts *texts,
				  const struct tb_request *site)
{
	uint64_t digest = digest_texts(texts, site);
	struct entry *entry = find(texts, site, digest);

	if (entry) {
		entry->holders++;
		take_from_ages(entry);
		put_newest(entry);
		return entry;
	}
	entry = read_entry(texts, site);
	total.read++;
	if (entry)
		keep(entry, texts, digest);
	return entry;
}

const struct tb_kept_request *
tb_kept_request_hold(const struct tb_env_texts *texts,
		     const struct tb_request *site)
{
	struct entry *entry;

	if (!is_read(texts)) {
		entry = read_entry(texts, site);
	} else {
		pthread_mutex_lock(&lock);
		entry = find_or_read(texts, site);
		pthread_mutex_unlock(&lock);
	}
	return entry ? &entry->kept : NULL;
}

void tb_kept_request_release(const struct tb_kept_request *kept)
{
	struct entry *entry = (struct entry *)kept;

	if (!entry)
		return;
	pthread_mutex_lock(&lock);
	/* One without a size was never kept. */
	if (!--entry->holders && !entry->size)
		destroy_entry(entry);
	pthread_mutex_unlock(&lock);
}

void tb_held_request_init(struct tb_held_request *held)
{
	tb_request_init(&held->request);
	held->kept = NULL;
}

void tb_held_request_release(struct tb_held_request *held)
{
	if (held->kept)
		tb_kept_request_release(held->kept);
	else
		tb_request_clear(&held->request);
	tb_held_request_init(held);
}

int tb_held_request_find(struct tb_held_request *held,
			 const struct tb_env_texts *texts, struct tb_error *err)
{
	return tb_held_request_find_bound(held, texts, NULL, err);
}

int tb_held_request_find_bound(struct tb_held_request *held,
			       const struct tb_env_texts *texts,
			       const struct tb_request *site,
			       struct tb_error *err)
{
	const struct tb_kept_request *kept = tb_kept_request_hold(texts, site);
	int rc = 0;

	tb_held_request_init(held);
	if (!kept)
		return tb_fail(err, "out of memory");
	held->kept = kept;
	held->request = kept->request;
	if (kept->is_wrong)
		rc = tb_fail(err, "%s", kept->why.text);
	return rc;
}

int tb_held_request_bind_implicitly(struct tb_held_request *held,
				    const struct tb_request *site,
				    struct tb_error *err)
{
	struct tb_request own;

	if (make_bound(&own, &held->request, site, err))
		return -1;
	tb_held_request_release(held);
	held->request = own;
	return 0;
}

const char *tb_held_request_line(const struct tb_held_request *held)
{
	return held->kept && !held->kept->request.nalternatives
		       ? held->kept->line
		       : NULL;
}

struct tb_kept_requests tb_kept_requests_count(void)
{
	struct tb_kept_requests now;

	pthread_mutex_lock(&lock);
	now = total;
	pthread_mutex_unlock(&lock);
	return now;
}

void tb_kept_requests_forget_site(void)
{
	struct entry *newer;

	pthread_mutex_lock(&lock);
	for (struct entry *entry = oldest; entry; entry = newer) {
		newer = entry->newer;
		if (!entry->site)
			continue;
		take_out(entry);
		/* Who holds it still has it, and ends it. */
		entry->size = 0;
		if (!entry->holders)
			destroy_entry(entry);
	}
	pthread_mutex_unlock(&lock);
}

void tb_kept_requests_fini(void)
{
	pthread_mutex_lock(&lock);
	while (oldest) {
		struct entry *entry = oldest;

		take_out(entry);
		destroy_entry(entry);
	}
	pthread_mutex_unlock(&lock);
}
