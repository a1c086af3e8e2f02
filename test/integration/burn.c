/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.c - a process that needs a CPU, or none
 *
 * usage: burn                        needs one until it is killed
 *        burn while FILE [SECONDS]   as long as the file is there; then it ends,
 *                                    or looks every SECONDS whether it is again
 *        burn half FILE              likewise, for half of the time
 *        burn rest [FILE]            needs none until it is killed, or the file
 *                                    is there
 *
 * The loop pauses: where one thread emulates all CPUs of a machine the others have
 * their turn then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAUSES 1000

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#else
	__asm__ volatile("");
#endif
}

static void burn_a_little(void)
{
	for (int i = 0; i < PAUSES; i++)
		pause_cpu();
}

static void burn_while(const char *file, unsigned seconds)
{
	do {
		while (!access(file, F_OK))
			burn_a_little();
		sleep(seconds);
	} while (seconds);
}

/* Longer than a tick of the kernel's clock, by which it counts. */
#define HALF_MS 30

static void burn_half(const char *file)
{
	struct timespec now, end;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &end);
		end.tv_nsec += HALF_MS * 1000000L;
		do {
			if (!access(file, F_OK))
				burn_a_little();
			else
				usleep(1000);
			clock_gettime(CLOCK_MONOTONIC, &now);
		} while ((now.tv_sec - end.tv_sec) * 1000000000L + now.tv_nsec <
			 end.tv_nsec);
		usleep(HALF_MS * 1000);
	}
}

static void rest(const char *file)
{
	while (!file)
		pause();
	while (access(file, F_OK))
		usleep(100000);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *file = argc > 2 ? argv[2] : NULL;

	if (argc == 1) {
		for (;;)
			burn_a_little();
	} else if (!strcmp(what, "while") && file) {
		burn_while(file, argc > 3 ? (unsigned)atoi(argv[3]) : 0);
	} else if (!strcmp(what, "half") && file) {
		burn_half(file);
	} else if (!strcmp(what, "rest")) {
		rest(file);
	} else {
		fprintf(stderr,
			"usage: burn [while FILE [SECONDS] | half FILE | rest [FILE]]\n");
		return 2;
	}
	return 0;
}
