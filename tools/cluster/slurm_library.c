/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_library.c - see slurm_library.h */
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <slurm/slurm.h>

#include "command.h"
#include "slurm_library.h"

/* The subcommand that uses the library now.  exit() gives its handlers nothing. */
static const char *user;

/* What is in stdio's buffer is not for a reader who gets no whole answer. */
static void end_as_failure(void)
{
	if (!user)
		return;
	tb_command_fail(
		user,
		"Slurm's library gave up and says why above; it needs a usable slurm.conf, which SLURM_CONF may name");
	_exit(TB_EXIT_BAD);
}

/* Once: a library of Slurm 24.11 that has ended crashes when it begins again. */
static void start_library(void)
{
	static bool started;

	if (started || atexit(end_as_failure))
		return;
	slurm_init(NULL);
	started = true;
	atexit(slurm_fini);
}

void tb_slurm_begin(const char *command)
{
	user = command;
	start_library();
}

void tb_slurm_end(void)
{
	user = NULL;
}
