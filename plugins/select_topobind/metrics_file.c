/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metrics_file.h"

#include "compat/select_compat.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/common/fd.h"
#include "src/common/log.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "metrics.h"
#include "worker.h"

/* What the thread is to do; never held while it writes. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *wanted_path; /* NULL: nothing */
static unsigned wanted_pause; /* s */

/* The thread's own. */
static char *written_path; /* NULL: nothing was written yet */
static uint64_t written_count;
static time_t written_at;
static bool is_failing; /* that was told */

static char *print_all(void)
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

/* A link that somebody has put there is not followed. */
static int write_new(const char *path, const char *text)
{
	int file;

	if (unlink(path) && errno != ENOENT)
		return -1;
	file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
			  O_CLOEXEC, 0644);
	if (file < 0)
		return -1;
	/* For everybody to read, whatever slurmctld's umask. */
	if (fchmod(file, 0644))
		goto rwfail;
	safe_write(file, text, strlen(text));
	return close(file);
rwfail:
	close(file);
	return -1;
}

static int replace_file(const char *path)
{
	char *text = print_all();
	char *new_path = xstrdup_printf("%s.new", path);
	int rc = -1;

	if (text && !write_new(new_path, text))
		rc = rename(new_path, path);
	xfree(new_path);
	free(text);
	return rc;
}

static void write_file(const char *path, uint64_t count)
{
	if (!replace_file(path)) {
		is_failing = false;
	} else if (!is_failing) {
		is_failing = true;
		error("topobind: MetricsFile=%s cannot be written: %m; it is tried again",
		      path);
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

static void look(bool at_once)
{
	uint64_t count = tb_metrics_count();
	unsigned pause;
	char *path;

	slurm_mutex_lock(&lock);
	path = xstrdup(wanted_path);
	pause = at_once ? 0 : wanted_pause;
	slurm_mutex_unlock(&lock);
	if (path && is_due(path, pause, count))
		write_file(path, count);
	xfree(path);
}

static void work(void)
{
	look(false);
}

static struct tb_worker worker = TB_WORKER(work, 500, NULL);

void tb_metrics_file_set(const char *path, unsigned seconds)
{
	slurm_mutex_lock(&lock);
	xfree(wanted_path);
	wanted_path = xstrdup(path);
	wanted_pause = seconds;
	slurm_mutex_unlock(&lock);
	if (path)
		tb_worker_begin(&worker);
}

void tb_metrics_file_end(void)
{
	tb_worker_end(&worker);
	look(true);
	xfree(written_path);
}
