/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserve_make.c - a new reservation of units
 *
 * The controller chooses the cores.  What is asked for goes to it as the text of the
 * reservation, or before it as that of another one (common/job/reserved_request.h).
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "plan/job_choice.h"
#include "reservation_show.h"
#include "reserve.h"

/* So long another one may have the name. */
#define PATIENCE_S 10
#define LOOK_MS 50
/* Should nobody delete it: it begins so much later, for a minute, and has nothing. */
#define CARRIER_LATER_S 60

static bool name_is_usable(const char *name)
{
	return *name && !strpbrk(name, ", \t\n") &&
	       strcmp(name, TB_RESERVE_CARRIER);
}

/* ---- the one that carries the text ---- */

/* 0, or Slurm's number. */
static int create(resv_desc_msg_t *desc, char **name)
{
	errno = 0;
	*name = slurm_create_reservation(desc);
	if (*name)
		return 0;
	return errno ? errno : SLURM_ERROR;
}

static int delete_by_name(char *name)
{
	reservation_name_msg_t which = { .name = name };

	return slurm_delete_reservation(&which) ? errno : 0;
}

static int create_carrier(const struct tb_reserve_options *options, char *text)
{
	char name[] = TB_RESERVE_CARRIER, something[] = "topobind", *created;
	resv_desc_msg_t desc;
	int rc;

	tb_reserve_describe(options, &desc);
	desc.name = name;
	desc.start_time = time(NULL) + CARRIER_LATER_S;
	desc.end_time = (time_t)NO_VAL;
	desc.duration = 1;
	desc.flags = RESERVE_FLAG_ANY_NODES;
	/* Without nodes Slurm wants it to have anything else. */
	desc.burst_buffer = something;
	desc.TB_RESERVATION_TEXT = text;
	rc = create(&desc, &created);
	tb_reservation_name_free(created);
	return rc;
}

static int wait_for_carrier(const struct tb_reserve_options *options,
			    char *text, struct tb_error *err)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	time_t end = time(NULL) + PATIENCE_S;
	int why;

	while ((why = create_carrier(options, text)) ==
		       ESLURM_RESERVATION_NAME_DUP &&
	       time(NULL) <= end)
		nanosleep(&pause, NULL);
	if (why == ESLURM_RESERVATION_NAME_DUP)
		return tb_fail(
			err,
			"somebody else is making one: the reservation " TB_RESERVE_CARRIER
			" is there since %d seconds; try again in two minutes, or delete it",
			PATIENCE_S);
	return why ? tb_reserve_refused(options, why, err) : 0;
}

/* ---- the reservation itself ---- */

static int create_itself(const struct tb_reserve_options *options, char *text,
			 char **name)
{
	uint32_t *counts = calloc(options->listed + 4, sizeof(*counts));
	resv_desc_msg_t desc;
	int rc = ENOMEM;

	if (counts) {
		tb_reserve_describe(options, &desc);
		desc.partition = (char *)options->partition;
		desc.node_list = (char *)options->nodes;
		desc.features = (char *)options->features;
		desc.TB_RESERVATION_TEXT = text;
		tb_reservation_ask(&desc, options->nnodes, options->listed,
				   counts);
		rc = create(&desc, name);
	}
	free(counts);
	return rc;
}

static char *print_text(const struct tb_reserve_options *options, time_t start)
{
	struct tb_reserved_request said = options->wanted;

	said.start = start;
	return tb_reserved_request_print(&said);
}

/* *why is Slurm's number.  -1 with a sentence: it was not even asked. */
static int create_carried(const struct tb_reserve_options *options, char *text,
			  char **name, int *why, struct tb_error *err)
{
	char carrier[] = TB_RESERVE_CARRIER;
	char *carried = print_text(options, options->start);
	int rc;

	if (!carried)
		return tb_fail(err, "out of memory");
	rc = wait_for_carrier(options, carried, err);
	free(carried);
	if (rc)
		return -1;
	*why = create_itself(options, text, name);
	delete_by_name(carrier);
	return 0;
}

/* Nobody ends it before what it made for the moment is deleted. */
static int create_undisturbed(const struct tb_reserve_options *options,
			      char **name, int *why, struct tb_error *err)
{
	char *text = print_text(options, 0);
	sigset_t signals, before;
	int rc = 0;

	if (!text)
		return tb_fail(err, "out of memory");
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	if (tb_reservation_text_is_seen())
		*why = create_itself(options, text, name);
	else
		rc = create_carried(options, text, name, why, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(text);
	return rc;
}

/* ---- why not ---- */

/* "no node has ...", were all idle; malloc()ed.  NULL: some have. */
static char *find_never(const struct tb_reserve_options *options)
{
	const struct tb_reserved_request *wanted = &options->wanted;
	struct tb_error err;
	struct tb_cluster *cluster = tb_candidates_load_cluster(&err);
	struct tb_job_choice choice = { 0 };
	struct tb_job_spec spec = {
		.request = wanted->request,
		.partitions = options->partition,
		.required = options->nodes,
		.features = options->features,
		.asked = { .tasks = wanted->slots,
			   .tasks_per_node = wanted->per_node,
			   .min_nodes = wanted->nodes,
			   .max_nodes = wanted->nodes,
			   .task_cpus = 1,
			   .tasks_are_given = true },
		.minutes = -1,
	};
	char *never = NULL;

	tb_job_spec_complete(&spec);
	if (cluster && !tb_job_choice_make(&choice, cluster, &spec, &err))
		never = tb_job_choice_never(&choice);
	tb_job_choice_clear(&choice);
	tb_cluster_destroy(cluster);
	return never;
}

/* The answer is no: there are too few units, now or ever. */
static int report_no_units(const struct tb_reserve_options *options)
{
	char *never = find_never(options);
	char *line = tb_request_print(&options->wanted.request);

	if (never)
		tb_command_fail(options->common.name, "%s", never);
	else
		tb_command_fail(
			options->common.name,
			"there are too few free units for %u of %s in all of that time; topobind map and topobind reserve show who has them",
			options->wanted.slots, line ? line : "");
	free(never);
	free(line);
	return TB_EXIT_NO_FIT;
}

static bool means_no_units(int why)
{
	return why == ESLURM_NODES_BUSY ||
	       why == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE ||
	       why == ESLURM_INVALID_CPU_COUNT;
}

/* ---- what came of it ---- */

/*
 * Without topobind's select plugin Slurm has reserved any cores, as far as it shows
 * them: Slurm 22.05 does that some seconds later.  0, or -1 with a sentence.
 */
static int check_units(const struct tb_reserve_options *options,
		       const struct tb_cluster *cluster,
		       const reserve_info_t *made, struct tb_error *err)
{
	uint32_t slots = tb_reservation_slots(cluster, made, &options->wanted);

	if (slots >= options->wanted.slots || !tb_reservation_shows_all(made))
		return 0;
	delete_by_name(made->name);
	return tb_fail(
		err,
		"Slurm has reserved %u of %u slots, so it was deleted again; is the select plugin of this release of topobind in force there?",
		slots, options->wanted.slots);
}

static int report(const struct tb_reserve_options *options, const char *name)
{
	struct tb_error err;
	struct tb_cluster *cluster = tb_reservations_load(false, &err);
	const reserve_info_t *made = NULL;
	int rc = TB_EXIT_BAD;

	if (cluster) {
		made = tb_reservation_find(cluster, name);
		if (!made)
			tb_fail(&err, "reservation %.60s is gone already",
				name);
	}
	if (made && !check_units(options, cluster, made, &err))
		rc = tb_reservation_print(options->common.name,
					  options->common.json, cluster, made);
	else
		tb_command_fail(options->common.name, "%s", err.text);
	tb_cluster_destroy(cluster);
	return rc;
}

static int make(const struct tb_reserve_options *options)
{
	struct tb_error err;
	char *name = NULL;
	int why = 0, rc;

	if (create_undisturbed(options, &name, &why, &err))
		return tb_command_fail(options->common.name, "%s", err.text);
	if (!why) {
		rc = report(options, name);
	} else if (means_no_units(why)) {
		rc = report_no_units(options);
	} else {
		tb_reserve_refused(options, why, &err);
		rc = tb_command_fail(options->common.name, "%s", err.text);
	}
	tb_reservation_name_free(name);
	return rc;
}

int tb_reserve_make(const struct tb_reserve_options *options)
{
	struct tb_reserve_options started = *options;

	if (options->name && !name_is_usable(options->name))
		return tb_command_fail(
			options->common.name,
			"--name=%.60s is not right, give one without blanks and commas and other than " TB_RESERVE_CARRIER,
			options->name);
	if (!started.start)
		started.start = time(NULL);
	return make(&started);
}
