/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <string.h>

#define LINE_OPTION "topobind"

const struct tb_option tb_option_table[] = {
	{ "bunit", "unit",
	  "kind of unit to bind to; a job gets whole units for itself: T "
	  "(hardware thread), C (core), E (efficiency core), S (socket), X (L3 "
	  "cache), Y (L2 cache), N (NUMA node); CT CS CX CY CN mean power cores "
	  "and ET ES EX EY EN efficiency cores; 'X:1|N:1', with amounts: the "
	  "first of these that starts; X:1+C:2, for hosts: both (default C)" },
	{ "bamount", "count",
	  "units per task (btype slot) or per node (btype host), 1-65535; "
	  "0 switches binding off" },
	{ "btype", "slot|host",
	  "slot: every task gets units of its own; host: all tasks on a node "
	  "share its units (default slot)" },
	{ "bequal", "yes|no",
	  "no: tasks may get units of unequal size where there are too few of "
	  "one size, caches of 3 and of 8 cores together (default yes)" },
	{ "bstrategy", "packed|linear|scatter",
	  "packed: the units of a task close together; linear: the first free "
	  "units; scatter: tasks far from each other (default packed)" },
	{ "bspread", "S|N|X",
	  "no two tasks of the job in one socket, NUMA node or L3 cache, unless "
	  "a node has more tasks than these" },
	{ "bsort", "letters",
	  "order in which units are tried, letters of S C E N X Y T: capital "
	  "letter: least used first; small letter: most used first" },
	{ "bstart", "letter",
	  "start at the first unused object of S C E N X Y (small letter: at "
	  "the first used one)" },
	{ "bstop", "letter",
	  "end before the next such object; the same letter as --bstart means "
	  "this one object" },
	{ "bfilter", "filter",
	  "units to leave out: a topology string with them in lower case, "
	  "first_core, or first_core+STRING" },
	{ "binstance", "set|env|pe",
	  "who binds the tasks: set: topobind keeps every task on its units; "
	  "env: the tasks themselves, by the variables TOPOBIND_*; pe: MPI, by "
	  "a host file or rank file (default set)" },
	{ "btopology", "string",
	  "only nodes of exactly this shape, a topology string in capitals" },
	{ "bcpus", "list",
	  "exactly these threads of each node, such as 0-3,8, counted in the "
	  "order of its topology string, or such as os:0-3,8, by the numbers "
	  "of its kernel; instead of units" },
	{ "bmem", "none|prefer|local",
	  "where memory comes from: local: only from the NUMA nodes of the "
	  "units; prefer: from these first; none: from anywhere (default: the "
	  "site's setting, else none)" },
	{ "bmode", "hard|soft",
	  "hard: tasks run on their units only; soft: also on other CPUs while "
	  "their units are busy (default: the site's setting, else hard)" },
	{ "ballow", "node|S|N|X",
	  "with --bmode=soft: how far tasks may spread: over the node, or over "
	  "the sockets, NUMA nodes or L3 caches of their units (default node)" },
	{ "bisolate", "no|yes",
	  "yes: nothing else runs on the CPUs of the job: no daemon, no login, "
	  "no interrupt that can be moved (default: the site's setting, else no; "
	  "the site has to allow it)" },
	{ "bnodes", "policy",
	  "how nodes are chosen: SLURM, FIRSTAVAILABLE, LASTAVAILABLE, CPULOAD, "
	  "MINRESOURCE, CONTIGUOUS, MAXBALANCE, FASTEST, PRIORITY, BESTFIT, "
	  "BESTTOPOLOGY or DEFAULT; with or without a binding (default: the site's "
	  "setting)" },
	{ "bprefer", "item[,...]",
	  "prefer nodes with these features, or with as much free as mem:SIZE, "
	  "swap:SIZE and disk:SIZE say; use others when these are not free" },
	{ LINE_OPTION, "bunit=X,bamount=1,...",
	  "all of these options in one string; single options override it, and "
	  "it overrides the environment variable TOPOBIND" },
	{ NULL, NULL, NULL },
};

void tb_options_init(struct tb_options *options)
{
	for (int i = 0; i < TB_SOURCES; i++) {
		tb_request_init(&options->single[i]);
		tb_request_init(&options->line[i]);
		options->has_line[i] = false;
	}
}

void tb_options_clear(struct tb_options *options)
{
	for (int i = 0; i < TB_SOURCES; i++) {
		tb_request_clear(&options->single[i]);
		tb_request_clear(&options->line[i]);
	}
}

int tb_options_add(struct tb_options *options, enum tb_source source,
		   const char *name, const char *value, struct tb_error *err)
{
	if (strcmp(name, LINE_OPTION) != 0)
		return tb_request_set(&options->single[source], name, value,
				      err);
	/* Of two lines the last one counts, all of it. */
	tb_request_clear(&options->line[source]);
	options->has_line[source] = true;
	return tb_request_parse(&options->line[source], value, err);
}

bool tb_options_given(const struct tb_options *options)
{
	for (int i = 0; i < TB_SOURCES; i++) {
		if (options->has_line[i] ||
		    tb_request_is_given(&options->single[i]))
			return true;
	}
	return false;
}

static int inherit_line(struct tb_request *request, const char *line,
			const char *variable, struct tb_error *err)
{
	struct tb_request lower;
	struct tb_error why;
	int rc;

	tb_request_init(&lower);
	rc = tb_request_parse(&lower, line, &why);
	if (rc < 0)
		tb_fail(err, "environment variable %s: %s", variable, why.text);
	else
		rc = tb_request_inherit(request, &lower, err);
	tb_request_clear(&lower);
	return rc;
}

int tb_options_merge(const struct tb_options *options, const char *line,
		     const char *variable, struct tb_request *request,
		     struct tb_error *err)
{
	int rc = 0;

	tb_request_init(request);
	for (int i = 0; rc == 0 && i < TB_SOURCES; i++) {
		rc = tb_request_inherit(request, &options->single[i], err);
		if (rc == 0)
			rc = tb_request_inherit(request, &options->line[i],
						err);
	}
	if (rc == 0 && line != NULL && line[0] != '\0')
		rc = inherit_line(request, line, variable, err);
	if (rc == 0 && tb_request_is_given(request))
		rc = tb_request_complete_open(request, err);
	return rc;
}
