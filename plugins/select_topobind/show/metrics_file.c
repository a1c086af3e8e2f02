/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metrics_file.h"

#include "compat/select_compat.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/log.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "files/replace_file.h"

#include "metrics.h"
#include "select_topobind/later/periodic_thread.h"

/* What the thread shall do; not locked while it writes. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *wanted_path;     /* NULL: nothing */
static unsigned wanted_pause; /* in seconds */

/* Only the thread uses these. */
static char *written_path; /* NULL: nothing was written yet */
static uint64_t written_count;
static time_t written_at;
static bool is_failing; /* and the log says so */

static char *print_metrics(void)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	tb_metrics_print(out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* Everybody can read the file, whatever slurmctld's umask is. */
static int write_metrics(const char *path, struct tb_error *err)
{
	char *text = print_metrics();
	const struct tb_new_content content = { .data = text,
						.size = text ? strlen(text) : 0,
						.mode = 0644 };
	int rc;

	if (!text)
		return tb_fail(err, "%s cannot be written: out of memory",
			       path);
	rc = tb_replace_file(AT_FDCWD, path, &content, err);
	free(text);
	return rc;
}

static void update_file(const char *path, uint64_t count)
{
	struct tb_error why;

	if (!write_metrics(path, &why)) {
		is_failing = false;
	} else if (!is_failing) {
		is_failing = true;
		error("topobind: MetricsFile=%s; it is tried again", why.text);
	}
	xfree(written_path);
	written_path = xstrdup(path);
	written_count = count;
	written_at = time(NULL);
}

static bool is_due(const char *path, unsigned pause, uint64_t count)
{
	if (!written_path || xstrcmp(written_path, path))
		return true;
	return (is_failing || count != written_count) &&
	       time(NULL) - written_at >= pause;
}

static void update_if_due(bool at_once)
{
	uint64_t count = tb_metrics_count();
	unsigned pause;
	char *path;

	slurm_mutex_lock(&lock);
	path = xstrdup(wanted_path);
	pause = at_once ? 0 : wanted_pause;
	slurm_mutex_unlock(&lock);
	if (path && is_due(path, pause, count))
		update_file(path, count);
	xfree(path);
}

static void update_regularly(void)
{
	update_if_due(false);
}

static struct tb_periodic_thread writer = TB_PERIODIC_THREAD(update_regularly,
							     500, NULL);

void tb_metrics_file_set(const char *path, unsigned seconds)
{
	slurm_mutex_lock(&lock);
	xfree(wanted_path);
	wanted_path = xstrdup(path);
	wanted_pause = seconds;
	slurm_mutex_unlock(&lock);
	if (path)
		tb_periodic_thread_begin(&writer);
}

void tb_metrics_file_go_on(void)
{
	bool wanted;

	slurm_mutex_lock(&lock);
	wanted = wanted_path != NULL;
	slurm_mutex_unlock(&lock);
	if (wanted)
		tb_periodic_thread_begin(&writer);
}

void tb_metrics_file_end(void)
{
	tb_periodic_thread_end(&writer);
	update_if_due(true);
	xfree(written_path);
}
