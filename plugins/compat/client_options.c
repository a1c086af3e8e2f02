/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client_options.c - the options of sbatch, srun and salloc
 *
 * Each has a variable "opt", and functions of libslurmfull read options of it by
 * their names.  All these symbols are weak, as slurmstepd does not have them.
 */
#include "client_options.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/slurm_xlator.h"

#include "src/common/slurm_opt.h"
#include "src/common/slurm_resource_info.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

extern slurm_opt_t opt __attribute__((weak));
extern __typeof__(slurm_option_get) slurm_option_get __attribute__((weak));
extern __typeof__(slurm_option_isset) slurm_option_isset __attribute__((weak));
extern __typeof__(slurm_option_set_by_env) slurm_option_set_by_env
	__attribute__((weak));

#define CPU_BIND "cpu-bind"
#define CPU_BIND_TEXT_MAX 1024

/*
 * Slurm sets SLURM_CPU_BIND for the tasks of a step, so an srun in one of them
 * finds what nobody asked for.
 */
static bool is_left_by_step(const char *name)
{
	return strcmp(name, CPU_BIND) == 0 && getenv("SLURM_STEP_ID") &&
	       slurm_option_set_by_env(&opt, LONG_OPT_CPU_BIND);
}

#define CPU_BIND_LISTS \
	(CPU_BIND_MAP | CPU_BIND_MASK | CPU_BIND_LDMAP | CPU_BIND_LDMASK)

/* What the user typed: srun changes some values when it has read them. */
static char *restore_cpu_bind(char *value)
{
	char type[CPU_BIND_TEXT_MAX];
	char *text;

	if (!opt.srun_opt)
		return value;
	/* For --threads-per-core it adds a word. */
	if (value && slurm_option_isset(&opt, "threads-per-core") &&
	    !xstrcmp(value, "threads,verbose")) {
		xfree(value);
		return xstrdup("verbose");
	}
	if (value && !(opt.srun_opt->cpu_bind_type & CPU_BIND_LISTS))
		return value;
	/* Of others only the list is left, or nothing at all. */
	if (!opt.srun_opt->cpu_bind_type)
		return value;
	if (opt.srun_opt->cpu_bind_type & CPU_BIND_NONE)
		return xstrdup("none");
	slurm_sprint_cpu_bind_type(type, opt.srun_opt->cpu_bind_type);
	text = xstrdup_printf("%s%s%s", type, value ? ":" : "",
			      value ? value : "");
	xfree(value);
	return text;
}

char *tb_client_option(const char *name)
{
	char *value;

	if (!&opt || !slurm_option_get || !slurm_option_isset ||
	    !slurm_option_set_by_env || !slurm_option_isset(&opt, name) ||
	    is_left_by_step(name))
		return NULL;
	value = slurm_option_get(&opt, name);
	return strcmp(name, CPU_BIND) == 0 ? restore_cpu_bind(value) : value;
}

void tb_client_option_free(char *value)
{
	xfree(value);
}
