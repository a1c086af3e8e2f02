/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "helper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

bool tb_helper_wait(int slurmd, int other, int milliseconds)
{
	struct pollfd fds[2] = { { .fd = slurmd },
				 { .fd = other, .events = POLLIN } };

	return poll(fds, 2, milliseconds) > 0 && fds[0].revents != 0;
}

/* Who started slurmd may wait for its output to end. */
static void close_output(void)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		return;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
}

static bool is_listening(int fd)
{
	socklen_t size = sizeof(int);
	int listening = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) ==
		       0 &&
	       listening;
}

/*
 * slurmd that was started anew by a reconfigure (24.11) has its port without
 * close-on-exec; the next slurmd could not have it while a helper does.
 */
static void close_ports(void)
{
	DIR *fds = opendir("/proc/self/fd");
	struct dirent *entry;

	while (fds != NULL && (entry = readdir(fds)) != NULL) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && is_listening(fd))
			close(fd);
	}
	if (fds != NULL)
		closedir(fds);
}

static void become_helper(void)
{
	sigset_t none;

	close_output();
	close_ports();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	prctl(PR_SET_NAME, "topobind");
	setsid();
}

int tb_helper_start(tb_helper_run_t *run, const void *what,
		    struct tb_error *err)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return tb_fail(err,
			       "slurmd cannot make a pipe to its helper: %s",
			       strerror(errno));
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		/* A child of init needs nobody to wait for it. */
		if (fork() == 0) {
			become_helper();
			run(ends[0], what);
		}
		_exit(0);
	}
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		return tb_fail(err, "slurmd cannot start its helper: %s",
			       strerror(errno));
	}
	waitpid(pid, NULL, 0);
	return ends[1];
}
