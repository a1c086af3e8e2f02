/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virtual_clock.c - a clock that a test sets, for what runs with this library preloaded
 *
 * The file VIRTUAL_CLOCK has seconds since 1970 in decimal; there they stand until it
 * is written again, in place.  Only what is less than a second goes on, slowly, and
 * with each look at it, as some wait for that: it never goes back, nor stands still.
 * Waits that have a limit take a sixteenth of it; those of the thread BACKFILL of
 * slurmctld go on as long as the file VIRTUAL_CLOCK.held is there, and then
 * VIRTUAL_CLOCK.waits says that it does.
 *
 * With a sign before them the seconds are added to the real time, which goes on: when they
 * are written anew the clock jumps, and who waits until some time waits by that clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BACKFILL "bckfl" /* its name */
#define FASTER 16
#define SLOWER 100
#define NANOSECONDS 1000000000LL
#define MICROSECOND 1000LL
#define LONGEST (NANOSECONDS / 2) /* the rest is for looks */
#define SLICE (NANOSECONDS / 10)
#define LONGEST_SINCE_START 1000000000 /* seconds: 30 years */

static void get_real(struct timespec *now)
{
	syscall(SYS_clock_gettime, CLOCK_REALTIME, now);
}

static long long count(const struct timespec *time)
{
	return time->tv_sec * NANOSECONDS + time->tv_nsec;
}

/* What the file has. */
struct setting {
	time_t standing; /* 0: time goes on */
	time_t ahead;
	struct timespec written;
};

static struct setting get_setting(void)
{
	struct setting setting = { 0 };
	const char *path = getenv("VIRTUAL_CLOCK");
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char text[32] = "";
	struct stat status;

	if (file < 0)
		return setting;
	if (!fstat(file, &status) && read(file, text, sizeof(text) - 1) > 0) {
		if (text[0] == '+' || text[0] == '-')
			setting.ahead = (time_t)atoll(text);
		else
			setting.standing = (time_t)atoll(text);
		setting.written = status.st_mtim;
	}
	close(file);
	return setting;
}

/* A microsecond more than at the last look, within the second that is written. */
static long long go_on(long long now)
{
	static _Atomic long long last;
	long long before = last,
		  end = (now / NANOSECONDS + 1) * NANOSECONDS - 1;
	long long next;

	do {
		next = before + MICROSECOND > now ? before + MICROSECOND : now;
		if (next > end)
			next = end;
	} while (!atomic_compare_exchange_weak(&last, &before, next));
	return next;
}

static void get_now(struct timespec *now)
{
	struct setting setting = get_setting();
	long long since;

	get_real(now);
	now->tv_sec += setting.ahead;
	if (!setting.standing)
		return;
	since = (count(now) - count(&setting.written)) / SLOWER;
	if (since < 0)
		since = 0;
	if (since > LONGEST)
		since = LONGEST;
	since = go_on(setting.standing * NANOSECONDS + since);
	now->tv_sec = since / NANOSECONDS;
	now->tv_nsec = since % NANOSECONDS;
}

time_t time(time_t *result)
{
	struct timespec now;

	get_now(&now);
	if (result)
		*result = now.tv_sec;
	return now.tv_sec;
}

int gettimeofday(struct timeval *result, void *zone)
{
	struct timespec now;

	(void)zone;
	get_now(&now);
	result->tv_sec = now.tv_sec;
	result->tv_usec = now.tv_nsec / 1000;
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *result)
{
	if (clock != CLOCK_REALTIME)
		return (int)syscall(SYS_clock_gettime, clock, result);
	get_now(result);
	return 0;
}

static void wait_while_held(void)
{
	const char *path = getenv("VIRTUAL_CLOCK");
	char name[16] = "", held[4096], waits[4096];
	int file;

	prctl(PR_GET_NAME, name);
	if (!path || strcmp(name, BACKFILL))
		return;
	snprintf(held, sizeof(held), "%s.held", path);
	snprintf(waits, sizeof(waits), "%s.waits", path);
	if (access(held, F_OK))
		return;
	file = open(waits, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	while (!access(held, F_OK))
		usleep(10000);
	unlink(waits);
	if (file >= 0)
		close(file);
}

typedef int wait_function(pthread_cond_t *, pthread_mutex_t *,
			  const struct timespec *);

static wait_function *find_wait(void)
{
	return (wait_function *)dlvsym(RTLD_NEXT, "pthread_cond_timedwait",
				       "GLIBC_2.3.2");
}

/* wait_for - so many nanoseconds of the real time at most */
static int wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex,
		    long long nanoseconds)
{
	static wait_function *wait;
	struct timespec real;
	long long end;

	if (!wait)
		wait = find_wait();
	get_real(&real);
	end = count(&real) + nanoseconds;
	return wait(condition, mutex,
		    &(struct timespec){ .tv_sec = end / NANOSECONDS,
					.tv_nsec = end % NANOSECONDS });
}

static long long left_until(const struct timespec *until)
{
	struct timespec now;

	get_now(&now);
	return count(until) - count(&now);
}

/* The clock may jump meanwhile. */
static int wait_by_clock(pthread_cond_t *condition, pthread_mutex_t *mutex,
			 const struct timespec *until)
{
	int rc;

	do {
		long long left = left_until(until);

		rc = wait_for(condition, mutex, left < SLICE ? left : SLICE);
	} while (rc == ETIMEDOUT && left_until(until) > 0);
	return rc;
}

/* By the clock that counts from the machine's start, and that nobody sets. */
static bool is_since_start(const struct timespec *until)
{
	return until->tv_sec < LONGEST_SINCE_START;
}

static int wait_since_start(pthread_cond_t *condition, pthread_mutex_t *mutex,
			    const struct timespec *until)
{
	struct timespec now;
	long long end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = count(until) - count(&now);
	end = count(&now) + (get_setting().standing ? end / FASTER : end);
	return find_wait()(condition, mutex,
			   &(struct timespec){ .tv_sec = end / NANOSECONDS,
					       .tv_nsec = end % NANOSECONDS });
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	int rc;

	if (is_since_start(until))
		return wait_since_start(condition, mutex, until);
	if (!get_setting().standing)
		return wait_by_clock(condition, mutex, until);
	rc = wait_for(condition, mutex, left_until(until) / FASTER);
	wait_while_held();
	return rc;
}
