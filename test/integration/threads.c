/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.c - a process with so many threads that sleep, and one after the other that
 * comes and goes
 *
 * usage: threads COUNT
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define STACK 65536

static void *sleep_long(void *data)
{
	(void)data;
	for (;;)
		sleep(3600);
	return NULL;
}

static void *sleep_shortly(void *data)
{
	(void)data;
	usleep(5000);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK);
	for (int i = 0; i < count; i++)
		if (pthread_create(&thread, &small, sleep_long, NULL) != 0)
			return 1;
	for (;;)
		if (pthread_create(&thread, &small, sleep_shortly, NULL) == 0)
			pthread_join(thread, NULL);
}
