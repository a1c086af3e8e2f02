/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Slurm's library does not free, as parts of a node list that it cannot read,
 * is no finding.
 */
#include "fuzz.h"

const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libslurm";
}
