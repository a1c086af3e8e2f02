/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "learning_file.h"

#include "compat/select_compat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/policy/history.h"
#include "files/read_file.h"
#include "files/replace_file.h"

#include "learning.h"
#include "select_topobind/later/periodic_thread.h"

#define FILE_NAME "topobind_history"
/* A full history is half of that. */
#define FILE_SIZE_MAX (16 << 20)

enum {
	LOOK_MS = 200,
	NEWS_WAIT_S = 1,  /* more often comes at once */
	PAUSE_S = 5,	  /* between two times, however much is learned */
	REGULARLY_S = 60, /* how long nodes were busy is no news */
};

static bool has_begun; /* the file is ours: all that it has is known */
static time_t saved_at;

static char *make_path(void)
{
	return xstrdup_printf("%s/" FILE_NAME, slurm_conf.state_save_location);
}

static int save_text(const char *text)
{
	const struct tb_new_content content = { .data = text,
						.size = strlen(text),
						.mode = 0600,
						.sync = true };
	char *path = make_path();
	struct tb_error why;
	int rc = tb_replace_file(AT_FDCWD, path, &content, &why);

	if (rc)
		error("topobind: %s; what was learned of nodes is lost when slurmctld ends",
		      why.text);
	xfree(path);
	return rc;
}

static int save(void)
{
	char *text = tb_learning_print();
	int rc = text ? save_text(text) : 0;

	saved_at = time(NULL);
	free(text);
	return rc;
}

static void save_when_due(void)
{
	time_t now = time(NULL), news_since = tb_learning_news_since();
	bool is_new = news_since && now - news_since >= NEWS_WAIT_S;

	if (now - saved_at >= (is_new ? PAUSE_S : REGULARLY_S))
		save();
}

static struct tb_periodic_thread saver = TB_PERIODIC_THREAD(save_when_due,
							    LOOK_MS, NULL);

/* Some slurmctlds end without a call of fini(). */
__attribute__((destructor)) static void end_saver(void)
{
	tb_periodic_thread_end(&saver);
}

/* NULL: there is none, or (logged) it cannot be read.  The caller frees. */
static char *read_file(const char *path)
{
	int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text = NULL;
	size_t size;

	if (file >= 0) {
		text = tb_read_file(file, FILE_SIZE_MAX, &size);
		close(file);
	}
	if (!text && (errno == EINVAL || errno == EFBIG))
		error("topobind: %s is no history of topobind", path);
	else if (!text && errno != ENOENT)
		error("topobind: %s cannot be read: %m", path);
	return text;
}

static void restore(void)
{
	char *path = make_path(), *text = read_file(path);
	struct tb_history *read = NULL;
	struct tb_error why;

	if (text)
		read = tb_history_parse(text, &why);
	if (read)
		tb_learning_add_earlier(read);
	else if (text)
		error("topobind: %s: %s; learning begins anew", path, why.text);
	free(text);
	xfree(path);
}

void tb_learning_file_begin(void)
{
	if (slurmctld_config.shutdown_time || tb_periodic_thread_runs(&saver))
		return;
	if (!has_begun)
		restore();
	has_begun = true;
	saved_at = time(NULL);
	tb_periodic_thread_begin(&saver);
}

void tb_learning_file_end(void)
{
	tb_periodic_thread_end(&saver);
	if (!has_begun || save())
		return;
	/* Whoever has control next may learn more and write the file. */
	tb_learning_forget();
	has_begun = false;
}
