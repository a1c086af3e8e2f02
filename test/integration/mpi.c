/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mpi.c - "RANK/SIZE CPUS", by each rank: where it may run once MPI has begun
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#define KEY "Cpus_allowed_list:\t"

int main(int argc, char **argv)
{
	FILE *status;
	char line[4096];
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	status = fopen("/proc/self/status", "re");
	while (status && fgets(line, sizeof(line), status))
		if (strncmp(line, KEY, strlen(KEY)) == 0)
			printf("%d/%d %s", rank, size, line + strlen(KEY));
	if (status)
		fclose(status);
	MPI_Finalize();
	return 0;
}
