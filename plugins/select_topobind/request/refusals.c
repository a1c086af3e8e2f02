/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "refusals.h"

#include <pthread.h>
#include <time.h>

#include "compat/select_compat.h"

#include "src/common/log.h"
#include "src/common/macros.h"

enum { MINUTE_S = 60 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static time_t began_at;
static unsigned told, not_told;

/* By a clock that nobody sets. */
static time_t get_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Returns how many were not told in the minute before. */
static unsigned begin_minute(time_t now)
{
	unsigned before = not_told;

	began_at = now;
	told = not_told = 0;
	return before;
}

bool tb_refusals_tell(void)
{
	time_t now = get_seconds();
	unsigned before = 0;
	bool tell;

	slurm_mutex_lock(&lock);
	if (now - began_at >= MINUTE_S)
		before = begin_minute(now);
	tell = told < TB_REFUSALS_TOLD;
	if (tell)
		told++;
	else
		not_told++;
	slurm_mutex_unlock(&lock);
	if (before)
		info("topobind: %u more jobs were refused; SlurmctldDebug=debug tells of each",
		     before);
	return tell;
}
