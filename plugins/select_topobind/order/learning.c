/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "learning.h"

#include <pthread.h>

#include "src/common/macros.h"
#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "consumption.h"

struct learned_node {
	char *name;	   /* a copy: who saves has no lock on the records */
	time_t busy_since; /* 0: no job runs there */
	bool is_down;
};

/* For the thread that saves. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tb_history *history; /* NULL: nothing is known yet */
static struct learned_node *nodes;
static uint32_t node_count;
static time_t news_since; /* 0: all of it was printed */

/* NULL only when out of memory. */
static struct tb_history *get_history(void)
{
	if (!history)
		history = tb_history_create(time(NULL));
	return history;
}

static void note_news(time_t now)
{
	if (!news_since)
		news_since = now;
}

/* Count the time until now; from now on jobs run on the node, or none does. */
static void note_busy(struct learned_node *node, bool busy, time_t now)
{
	if (node->busy_since && get_history())
		tb_history_note_busy(history, node->name,
				     difftime(now, node->busy_since), now);
	node->busy_since = busy ? now : 0;
}

static void forget_nodes(void)
{
	for (uint32_t node = 0; node < node_count; node++)
		xfree(nodes[node].name);
	xfree(nodes);
	node_count = 0;
}

void tb_learning_fini(void)
{
	slurm_mutex_lock(&lock);
	forget_nodes();
	tb_history_destroy(history);
	history = NULL;
	slurm_mutex_unlock(&lock);
}

static bool is_down(uint32_t node)
{
	const node_record_t *record = node_record_table_ptr[node];

	return record && IS_NODE_DOWN(record);
}

void tb_learning_reset(void)
{
	time_t now = time(NULL);

	slurm_mutex_lock(&lock);
	for (uint32_t node = 0; node < node_count; node++)
		note_busy(&nodes[node], false, now);
	forget_nodes();
	node_count = tb_node_count();
	nodes = xcalloc(node_count + 1, sizeof(*nodes));
	for (uint32_t node = 0; node < node_count; node++) {
		const node_record_t *record = node_record_table_ptr[node];

		nodes[node].name = xstrdup(record ? record->name : "");
		nodes[node].is_down = is_down(node);
		if (tb_consumption_of(node).jobs)
			nodes[node].busy_since = now;
	}
	slurm_mutex_unlock(&lock);
}

static void look_at_node(uint32_t node, time_t now)
{
	bool down = is_down(node);

	if (down && !nodes[node].is_down && get_history()) {
		tb_history_note_failure(history, nodes[node].name, now);
		note_news(now);
	}
	nodes[node].is_down = down;
}

void tb_learning_look_at_nodes(void)
{
	time_t now = time(NULL);

	slurm_mutex_lock(&lock);
	for (uint32_t node = 0; node < node_count; node++)
		look_at_node(node, now);
	slurm_mutex_unlock(&lock);
}

static bool has_node(const job_record_t *job, uint32_t node)
{
	return node < bit_size(job->node_bitmap) &&
	       bit_test(job->node_bitmap, node);
}

void tb_learning_nodes_changed(const job_record_t *job)
{
	time_t now = time(NULL);

	if (!job->node_bitmap)
		return;
	slurm_mutex_lock(&lock);
	for (uint32_t node = 0; node < node_count; node++) {
		bool busy = tb_consumption_of(node).jobs;

		if (!has_node(job, node))
			continue;
		look_at_node(node, now);
		if (busy != (nodes[node].busy_since != 0))
			note_busy(&nodes[node], busy, now);
	}
	slurm_mutex_unlock(&lock);
}

/* --- applications --------------------------------------------------------------- */

struct tb_application tb_learning_application(const job_record_t *job)
{
	return tb_application_of(job->name ? job->name : "",
				 job->details ? job->details->min_cpus : 1);
}

/* Does the end of the job say something about its nodes?  Not when it was cancelled. */
static bool tells_of_nodes(const job_record_t *job, bool *failed)
{
	*failed = IS_JOB_FAILED(job) || IS_JOB_NODE_FAILED(job) ||
		  IS_JOB_OOM(job) ||
		  (job->job_state & JOB_STATE_BASE) == JOB_BOOT_FAIL;
	return *failed || IS_JOB_COMPLETE(job);
}

static double count_run_time(const job_record_t *job, time_t now)
{
	time_t end = job->end_time && job->end_time < now ? job->end_time : now;

	return MAX(difftime(end, job->start_time) - job->tot_sus_time, 0);
}

void tb_learning_job_ended(const job_record_t *job)
{
	struct tb_application application = tb_learning_application(job);
	time_t now = time(NULL);
	bool failed;
	double seconds;

	if (!tells_of_nodes(job, &failed) || !job->start_time ||
	    !job->node_bitmap)
		return;
	seconds = count_run_time(job, now);
	slurm_mutex_lock(&lock);
	note_news(now);
	if (get_history())
		tb_history_note_job(history, &application, NULL, seconds,
				    failed, now);
	for (uint32_t node = 0; history && node < node_count; node++)
		if (has_node(job, node))
			tb_history_note_job(history, &application,
					    nodes[node].name, seconds, failed,
					    now);
	slurm_mutex_unlock(&lock);
}

/* --- questions ------------------------------------------------------------------- */

static double count_observed(time_t now)
{
	return history ? MAX(difftime(now, tb_history_since(history)), 1) : 1;
}

static bool knows_node(uint32_t node)
{
	return history && node < node_count;
}

double tb_learning_usage(uint32_t node)
{
	time_t now = time(NULL);
	double busy = 0, usage;

	slurm_mutex_lock(&lock);
	if (knows_node(node))
		busy = tb_history_busy(history, nodes[node].name);
	if (node < node_count && nodes[node].busy_since)
		busy += difftime(now, nodes[node].busy_since);
	usage = MIN(100 * busy / count_observed(now), 100);
	slurm_mutex_unlock(&lock);
	return usage;
}

double tb_learning_mtbf(uint32_t node)
{
	uint32_t failures = 0;
	double mean;

	slurm_mutex_lock(&lock);
	if (knows_node(node))
		failures = tb_history_failures(history, nodes[node].name);
	mean = count_observed(time(NULL)) / (failures + 1.0);
	slurm_mutex_unlock(&lock);
	return mean;
}

typedef double (*question_t)(const struct tb_history *history,
			     const struct tb_application *application,
			     const char *node);

static double answer_about(question_t question,
			   const struct tb_application *application,
			   uint32_t node, double unknown)
{
	double answer = unknown;

	slurm_mutex_lock(&lock);
	if (knows_node(node))
		answer = question(history, application, nodes[node].name);
	slurm_mutex_unlock(&lock);
	return answer;
}

double tb_learning_affinity(const struct tb_application *application,
			    uint32_t node)
{
	return answer_about(tb_history_affinity, application, node, 1);
}

double tb_learning_failure_rate(const struct tb_application *application,
				uint32_t node)
{
	return answer_about(tb_history_failure_rate, application, node, 0);
}

/* --- for the file ------------------------------------------------------------------ */

char *tb_learning_print(void)
{
	time_t now = time(NULL);
	char *text = NULL;

	slurm_mutex_lock(&lock);
	for (uint32_t node = 0; node < node_count; node++)
		note_busy(&nodes[node], nodes[node].busy_since, now);
	if (history)
		text = tb_history_print(history);
	news_since = 0;
	slurm_mutex_unlock(&lock);
	return text;
}

time_t tb_learning_news_since(void)
{
	time_t since;

	slurm_mutex_lock(&lock);
	since = news_since;
	slurm_mutex_unlock(&lock);
	return since;
}

void tb_learning_add_earlier(struct tb_history *earlier)
{
	slurm_mutex_lock(&lock);
	if (history)
		tb_history_add(earlier, history);
	tb_history_destroy(history);
	history = earlier;
	slurm_mutex_unlock(&lock);
}

void tb_learning_forget(void)
{
	slurm_mutex_lock(&lock);
	tb_history_destroy(history);
	history = NULL;
	slurm_mutex_unlock(&lock);
}
