/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * openmp.c - what an OpenMP program sees
 *
 * Prints the processors that the runtime counts, its default number of threads,
 * and how many really ran.  With an argument the threads stay until killed.
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int threads = 0;

	(void)argv;
#pragma omp parallel reduction(+ : threads)
	threads = 1;
	printf("%d %d %d\n", omp_get_num_procs(), omp_get_max_threads(),
	       threads);
	fflush(stdout);
	if (argc > 1) {
#pragma omp parallel
		pause();
	}
	return 0;
}
