/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sbatch_options.c - see sbatch_options.h */
#include "sbatch_options.h"

#include <stddef.h>

/* clang-format off */
const struct tb_command_option tb_sbatch_options[] = {
	{ NULL, "acctg-freq", "LIST", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "autocomplete", "TEXT", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "batch", "FEATURES", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "D", "chdir", "DIR", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "comment", "TEXT", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "container", "DIR", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "container-id", "ID", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "container-type", "TYPE", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "context", "TEXT", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "cpu-freq", "FREQUENCIES", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "delay-boot", "MINUTES", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "e", "error", "FILE", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "export", "VARIABLES", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "export-file", "FILE", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "extra", "TEXT", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "get-user-env", "[VALUE]", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "gpu-bind", "TYPE", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "gpu-freq", "FREQUENCIES", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "ignore-pbs", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "i", "input", "FILE", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "J", "job-name", "NAME", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "kill-on-invalid-dep", "yes|no", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "mail-type", "TYPES", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "mail-user", "USER", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "network", "TYPE", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "nice", "[ADJUSTMENT]", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "k", "no-kill", "[off]", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "no-requeue", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "oom-kill-step", "[0|1]", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "open-mode", "append|truncate", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "o", "output", "FILE", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "parsable", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "power", "FLAGS", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "priority", "N", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "profile", "TYPES", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "propagate", "[LIMITS]", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "Q", "quiet", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "requeue", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "resv-ports", "[COUNT]", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "signal", "SIGNAL", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "stepmgr", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "test-only", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "tres-bind", "LIST", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "usage", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "v", "verbose", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ "W", "wait", NULL, TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "wait-all-nodes", "0|1", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "wckey", "KEY", TB_SBATCH_IGNORED, TB_UNTOLD },
	{ NULL, "wrap", "COMMAND", TB_SBATCH_IGNORED, TB_UNTOLD },

	{ "a", "array", "INDEXES", TB_SBATCH_UNPLANNED + 0, TB_UNTOLD },
	{ NULL, "bb", "TEXT", TB_SBATCH_UNPLANNED + 1, TB_UNTOLD },
	{ NULL, "bbf", "FILE", TB_SBATCH_UNPLANNED + 2, TB_UNTOLD },
	{ "b", "begin", "TIME", TB_SBATCH_UNPLANNED + 3, TB_UNTOLD },
	{ NULL, "cluster", "NAME", TB_SBATCH_UNPLANNED + 4, TB_UNTOLD },
	{ NULL, "cluster-constraint", "FEATURES", TB_SBATCH_UNPLANNED + 5, TB_UNTOLD },
	{ "M", "clusters", "NAMES", TB_SBATCH_UNPLANNED + 6, TB_UNTOLD },
	{ NULL, "consolidate-segments", NULL, TB_SBATCH_UNPLANNED + 7, TB_UNTOLD },
	{ NULL, "deadline", "TIME", TB_SBATCH_UNPLANNED + 8, TB_UNTOLD },
	{ "m", "distribution", "DISTRIBUTION", TB_SBATCH_UNPLANNED + 9, TB_UNTOLD },
	{ NULL, "gid", "GROUP", TB_SBATCH_UNPLANNED + 10, TB_UNTOLD },
	{ NULL, "hint", "TYPE", TB_SBATCH_UNPLANNED + 11, TB_UNTOLD },
	{ "H", "hold", NULL, TB_SBATCH_UNPLANNED + 12, TB_UNTOLD },
	{ "F", "nodefile", "FILE", TB_SBATCH_UNPLANNED + 13, TB_UNTOLD },
	{ NULL, "reboot", NULL, TB_SBATCH_UNPLANNED + 14, TB_UNTOLD },
	{ NULL, "segment", "N", TB_SBATCH_UNPLANNED + 15, TB_UNTOLD },
	{ NULL, "spread-segments", NULL, TB_SBATCH_UNPLANNED + 16, TB_UNTOLD },
	{ NULL, "switches", "COUNT", TB_SBATCH_UNPLANNED + 17, TB_UNTOLD },
	{ NULL, "uid", "USER", TB_SBATCH_UNPLANNED + 18, TB_UNTOLD },
	{ 0 },
};
/* clang-format on */

const char *tb_sbatch_unplanned(unsigned n)
{
	for (int i = 0; tb_sbatch_options[i].name; i++)
		if (tb_sbatch_options[i].number ==
		    (int)(TB_SBATCH_UNPLANNED + n))
			return tb_sbatch_options[i].name;
	return NULL;
}
