/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld_bench.c - asks select plugins in a slurmctld, and looks at the clock
 *
 * A plugin for SlurmctldPlugstack=topobind_bench, by which benchmarks and tests
 * call select_p_job_test of the plugins that slurmctld has loaded, with its own
 * records and locks.  Commands come line by line through the FIFO that the
 * variable TOPOBIND_BENCH names; answers go into the one named so with ".out".
 * A job is the number of a pending one (sbatch --hold); MODE is run, will or only.
 *
 *	time MODE CALLS FIRST SECOND
 *	    Calls for both jobs in turns, and for SECOND by select/cons_tres alone.
 *	    Three lines "first|second|alone RC NODES MEDIAN P10 P90": the CPU time of
 *	    the calling thread in microseconds.
 *	answer live|fresh MODE JOB
 *	    "RC NODES CORES START", by the plugin that slurmctld runs or by another
 *	    instance of it.
 *	renew PLUGIN
 *	    Make that instance anew, from a copy of the plugin's file: it knows
 *	    nothing but what slurmctld's job list says.
 *
 * Each answer ends with a line "." - a line "? TEXT" says what was wrong.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat/select_compat.h"
#include "compat/select_ops.h"

#include "src/common/job_resources.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/locks.h"

#define EXPORT __attribute__((visibility("default")))
#define CALLS_MAX 10000

EXPORT extern const char plugin_name[];
EXPORT extern const char plugin_type[];
EXPORT extern const uint32_t plugin_version;

const char plugin_name[] = "Asks select plugins and looks at the clock";
const char plugin_type[] = "slurmctld/topobind_bench";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Of these only job_test is set: the plugin that is asked next. */
slurm_select_ops_t tb_ops;

static const slurmctld_lock_t locks = {
	.conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK,
	.part = READ_LOCK,
};
static pthread_t thread;
static void *live, *cons_tres, *fresh;

/* --- plugins ----------------------------------------------------------------- */

/* One that slurmctld has loaded; NULL: it has not. */
static void *find_plugin(const char *name)
{
	char *dirs = xstrdup(slurm_conf.plugindir), *rest = NULL;
	void *found = NULL;

	for (char *dir = strtok_r(dirs, ":", &rest); dir && !found;
	     dir = strtok_r(NULL, ":", &rest)) {
		char *path = xstrdup_printf("%s/%s", dir, name);

		found = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
		xfree(path);
	}
	xfree(dirs);
	return found;
}

static bool ask_next(void *plugin)
{
	memset(&tb_ops, 0, sizeof(tb_ops));
	if (plugin)
		*(void **)&tb_ops.job_test = dlsym(plugin, "select_p_job_test");
	return tb_ops.job_test;
}

static int call(void *plugin, const char *name)
{
	int (*function)(void);

	*(void **)&function = plugin ? dlsym(plugin, name) : NULL;
	return function ? function() : SLURM_ERROR;
}

static const char *renew(const char *path)
{
	if (fresh) {
		call(fresh, "fini");
		dlclose(fresh);
	}
	fresh = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!fresh)
		return dlerror();
	if (call(fresh, "init") || call(fresh, "select_p_node_init") ||
	    call(fresh, "select_p_reconfigure"))
		return "the new instance does not start";
	return NULL;
}

/* --- one call ------------------------------------------------------------------ */

struct answer {
	int rc;
	bitstr_t *nodes;
	char *cores;
	time_t start;
};

static void fill_test(struct tb_test *test, job_record_t *job, uint16_t mode)
{
	const struct job_details *details = job->details;

	*test = (struct tb_test) {
		.job = job, .mode = mode,
		.nodes = bit_copy(job->part_ptr->node_bitmap),
		.min_nodes = details->min_nodes ? details->min_nodes : 1,
		.max_nodes = details->max_nodes ? details->max_nodes : 500000,
	};
	test->req_nodes = details->max_nodes ? test->max_nodes
					     : test->min_nodes;
	bit_and(test->nodes, avail_node_bitmap);
	if (details->exc_node_bitmap)
		bit_and_not(test->nodes, details->exc_node_bitmap);
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/*
 * Of the plugin that is asked next.  What it leaves in the job is undone.  As on
 * a cluster where jobs start all the time, nodes have changed in this second.
 */
static double ask(job_record_t *job, uint16_t mode, struct answer *answer)
{
	time_t start = job->start_time;
	struct tb_test test;
	List preempted = NULL;
	double began;

	fill_test(&test, job, mode);
	test.preempted = &preempted;
	last_node_update = time(NULL);
	began = cpu_us();
	answer->rc = tb_cons_tres_job_test(&test, NULL);
	began = cpu_us() - began;
	answer->nodes = test.nodes;
	answer->start = mode == SELECT_MODE_WILL_RUN ? job->start_time : 0;
	if (job->job_resrcs && job->job_resrcs->core_bitmap)
		answer->cores = bit_fmt_full(job->job_resrcs->core_bitmap);
	free_job_resources(&job->job_resrcs);
	FREE_NULL_LIST(preempted);
	job->start_time = start;
	return began;
}

static void clear_answer(struct answer *answer)
{
	FREE_NULL_BITMAP(answer->nodes);
	xfree(answer->cores);
}

static bool find_mode(const char *name, uint16_t *mode)
{
	*mode = !xstrcmp(name, "will") ? SELECT_MODE_WILL_RUN
	      : !xstrcmp(name, "only") ? SELECT_MODE_TEST_ONLY
				       : SELECT_MODE_RUN_NOW;
	return *mode != SELECT_MODE_RUN_NOW || !xstrcmp(name, "run");
}

static job_record_t *find_job(const char *number)
{
	job_record_t *job = number ? find_job_record(atoi(number)) : NULL;

	return job && IS_JOB_PENDING(job) && job->part_ptr ? job : NULL;
}

/* --- commands ------------------------------------------------------------------- */

struct way {
	const char *name;
	void *plugin;
	job_record_t *job;
	struct answer answer;
	double *us;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_way(struct way *way, unsigned calls, int out)
{
	qsort(way->us, calls, sizeof(*way->us), compare);
	dprintf(out, "%s %d %d %.1f %.1f %.1f\n", way->name, way->answer.rc,
		way->answer.rc ? 0 : bit_set_count(way->answer.nodes),
		way->us[calls / 2], way->us[calls / 10],
		way->us[calls * 9 / 10]);
}

/* The locks are let go between calls, as slurmctld has more to do. */
static double take_turn(struct way *way, uint16_t mode)
{
	double us;

	clear_answer(&way->answer);
	lock_slurmctld(locks);
	ask_next(way->plugin);
	us = ask(way->job, mode, &way->answer);
	unlock_slurmctld(locks);
	return us;
}

/* Each follows each of the others as often: what is in the caches counts. */
static void measure(struct way *ways, unsigned count, uint16_t mode,
		    unsigned calls, int out)
{
	for (unsigned w = 0; w < count; w++)
		ways[w].us = xcalloc(calls, sizeof(*ways[w].us));
	for (unsigned i = 0; i < calls; i++)
		for (unsigned turn = 0; turn < count; turn++) {
			unsigned w = (i % 2 ? count - turn : turn + i) % count;

			ways[w].us[i] = take_turn(&ways[w], mode);
		}
	for (unsigned w = 0; w < count; w++) {
		print_way(&ways[w], calls, out);
		clear_answer(&ways[w].answer);
		xfree(ways[w].us);
	}
}

static const char *do_time(char **words, int out)
{
	unsigned calls = words[0] && words[1] ? (unsigned)atoi(words[1]) : 0;
	struct way ways[] = {
		{ .name = "first", .plugin = live },
		{ .name = "second", .plugin = live },
		{ .name = "alone", .plugin = cons_tres },
	};
	uint16_t mode;

	lock_slurmctld(locks);
	ways[0].job = calls ? find_job(words[2]) : NULL;
	ways[1].job = ways[0].job ? find_job(words[3]) : NULL;
	ways[2].job = ways[1].job;
	unlock_slurmctld(locks);
	if (!ways[1].job || calls > CALLS_MAX || !find_mode(words[0], &mode))
		return "time run|will|only CALLS FIRST SECOND";
	measure(ways, sizeof(ways) / sizeof(ways[0]), mode, calls, out);
	return NULL;
}

static const char *do_answer(char **words, int out)
{
	struct answer answer = { 0 };
	job_record_t *job;
	uint16_t mode;
	char *nodes;

	if (!words[0] || !words[1] || !find_mode(words[1], &mode) ||
	    !ask_next(words[0][0] == 'f' ? fresh : live))
		return "answer live|fresh run|will|only JOB";
	lock_slurmctld(locks);
	job = find_job(words[2]);
	if (job)
		ask(job, mode, &answer);
	unlock_slurmctld(locks);
	if (!job)
		return "no such pending job";
	nodes = answer.rc ? NULL : bit_fmt_full(answer.nodes);
	dprintf(out, "%d %s %s %lld\n", answer.rc, nodes ? nodes : "-",
		answer.cores ? answer.cores : "-", (long long)answer.start);
	xfree(nodes);
	clear_answer(&answer);
	return NULL;
}

static const char *do_renew(char **words, int out)
{
	const char *wrong;

	(void)out;
	lock_slurmctld(locks);
	wrong = words[0] ? renew(words[0]) : "renew PLUGIN";
	unlock_slurmctld(locks);
	return wrong;
}

static const struct command {
	const char *name;
	const char *(*run)(char **words, int out);
} commands[] = {
	{ "time", do_time },
	{ "answer", do_answer },
	{ "renew", do_renew },
};

static void obey(char *line, int out)
{
	char *words[8] = { NULL }, *rest = NULL;
	const char *wrong = "no such command";
	unsigned count = 0;

	for (char *word = strtok_r(line, " \n", &rest); word && count < 7;
	     word = strtok_r(NULL, " \n", &rest))
		words[count++] = word;
	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!xstrcmp(words[0], commands[i].name))
			wrong = commands[i].run(words + 1, out);
	if (wrong)
		dprintf(out, "? %s\n", wrong);
	dprintf(out, ".\n");
}

/* Until slurmctld ends; each who asks opens both FIFOs for one command. */
static void *serve(void *arg)
{
	const char *path = getenv("TOPOBIND_BENCH");
	char *answers = xstrdup_printf("%s.out", path);
	char line[512];
	FILE *in;

	(void)arg;
	live = find_plugin("select_topobind.so");
	cons_tres = find_plugin("select_cons_tres.so");
	while ((in = fopen(path, "re"))) {
		bool asked = fgets(line, sizeof(line), in);
		int out = asked ? open(answers, O_WRONLY | O_CLOEXEC) : -1;

		fclose(in);
		if (out < 0)
			continue;
		obey(line, out);
		close(out);
	}
	xfree(answers);
	return NULL;
}

EXPORT int init(void);
EXPORT int init(void)
{
	if (!getenv("TOPOBIND_BENCH"))
		return SLURM_ERROR;
	return pthread_create(&thread, NULL, serve, NULL) ? SLURM_ERROR
							  : SLURM_SUCCESS;
}

EXPORT int fini(void);
EXPORT int fini(void)
{
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return SLURM_SUCCESS;
}

EXPORT void slurmctld_plugstack_p_get_config(config_plugin_params_t *config);
EXPORT void slurmctld_plugstack_p_get_config(config_plugin_params_t *config)
{
	(void)config;
}
