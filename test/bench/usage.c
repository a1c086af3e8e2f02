/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage.c - run slurmstepd and note what it and all its children have used
 *
 * In place of slurmstepd (slurmd -d), and by the same name, as Slurm's plugins
 * look at it.  It runs USAGE_STEPD with the same arguments and adds a line to the
 * file USAGE_LOG: microseconds of CPU time, and page faults, which unlike time
 * do not depend on what else the machine does.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long long microseconds(const struct timeval *time)
{
	return time->tv_sec * 1000000LL + time->tv_usec;
}

/* In one write: others append, too. */
static void note(const struct rusage *usage)
{
	int fd = open(getenv("USAGE_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);

	if (fd < 0)
		return;
	dprintf(fd, "%lld %ld\n",
		microseconds(&usage->ru_utime) + microseconds(&usage->ru_stime),
		usage->ru_minflt + usage->ru_majflt);
	close(fd);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	pid_t pid = fork();
	int status;

	(void)argc;
	if (pid == 0) {
		execv(getenv("USAGE_STEPD"), argv);
		_exit(127);
	}
	/* Theirs alone, or the step would not begin. */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 1;
	note(&usage);
	return 0;
}
