/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_reserve.c - topobind reserve: its options, and what they ask for */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#include "cluster/hosts.h"
#include "cluster/slurm_library.h"
#include "cluster/slurm_names.h"
#include "reserve.h"

#define VARIABLE "TOPOBIND"

enum {
	OPT_PER_NODE = TB_OPTION_OWN,
	OPT_START,
	OPT_END,
	OPT_DURATION,
	OPT_GROUP,
	OPT_NAME,
	OPT_UPDATE,
	OPT_DELETE,
};

/* ---- values ---- */

static int take_number(uint32_t *number, const char *option,
		       struct tb_error *err)
{
	const char *at = optarg;
	uint64_t value = 0;

	if (tb_text_read_number(&at, TB_RESERVE_MOST, &value) || *at || !value)
		return tb_fail(err,
			       "--%s=%.60s is not right, give a number from 1 to %d",
			       option, optarg, TB_RESERVE_MOST);
	*number = (uint32_t)value;
	return 0;
}

static int take_time(time_t *time, const char *option, struct tb_error *err)
{
	*time = slurm_parse_time(optarg, 0);
	if (*time > 0)
		return 0;
	return tb_fail(
		err,
		"--%s=%.60s is no time, write for example now, now+2hours, 18:00 or 2030-12-31T18:00",
		option, optarg);
}

static int take_duration(struct tb_reserve_options *options,
			 struct tb_error *err)
{
	int minutes = slurm_time_str2mins(optarg);

	if (minutes == (int)INFINITE || (minutes > 0 && *optarg != '-')) {
		options->minutes = (uint32_t)minutes;
		return 0;
	}
	return tb_fail(
		err,
		"--duration=%.60s is no length of time, give minutes, hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED",
		optarg);
}

static int take_action(struct tb_reserve_options *options,
		       enum tb_reserve_action action, struct tb_error *err)
{
	if (options->action != TB_RESERVE_LIST && options->action != action)
		return tb_fail(
			err,
			"--update and --delete exclude each other, give one of them");
	options->action = action;
	options->name = optarg;
	return 0;
}

static const char **find_string(struct tb_reserve_options *options, int option)
{
	switch (option) {
	case 'u':
		return &options->users;
	case 'A':
		return &options->accounts;
	case OPT_GROUP:
		return &options->groups;
	case 'p':
		return &options->partition;
	case 'w':
		return &options->nodes;
	case 'C':
		return &options->features;
	default:
		return NULL;
	}
}

static int take_value(struct tb_reserve_options *options, int option,
		      struct tb_error *err)
{
	switch (option) {
	case 'n':
		return take_number(&options->ntasks, "ntasks", err);
	case 'N':
		return take_number(&options->nnodes, "nodes", err);
	case OPT_PER_NODE:
		return take_number(&options->wanted.per_node, "ntasks-per-node",
				   err);
	case OPT_START:
		return take_time(&options->start, "start", err);
	case OPT_END:
		return take_time(&options->end, "end", err);
	case OPT_DURATION:
		return take_duration(options, err);
	case OPT_UPDATE:
		return take_action(options, TB_RESERVE_UPDATE, err);
	case OPT_DELETE:
		return take_action(options, TB_RESERVE_DELETE, err);
	default:
		options->name = optarg;
		return 0;
	}
}

static int take_reserve_option(void *data, int option, struct tb_error *err)
{
	struct tb_reserve_options *options = data;
	const char **string = find_string(options, option);

	if (option >= TB_OPTION_BINDING)
		return tb_command_take_binding(&options->binding,
					       TB_COMMAND_LINE, option, err);
	if (!string)
		return take_value(options, option, err);
	if (!*optarg)
		return tb_fail(err, "one of the options has an empty value");
	*string = optarg;
	return 0;
}

/* ---- how many slots, where and when ---- */

static int count_listed(struct tb_reserve_options *options,
			struct tb_error *err)
{
	tb_hostlist_t nodes;

	if (!options->nodes)
		return 0;
	nodes = slurm_hostlist_create(options->nodes);
	if (nodes) {
		slurm_hostlist_uniq(nodes);
		options->listed = (uint32_t)slurm_hostlist_count(nodes);
		slurm_hostlist_destroy(nodes);
	}
	if (!options->listed)
		return tb_fail(
			err,
			"--nodelist=%.60s is not a list of nodes, write for example n1,n[3-5]",
			options->nodes);
	if (options->nnodes && options->nnodes != options->listed)
		return tb_fail(
			err,
			"--nodes=%u and the %u nodes of --nodelist contradict each other: all that are listed are used, and no others",
			options->nnodes, options->listed);
	options->nnodes = options->listed;
	return 0;
}

/* As many as sbatch makes of these options. */
static int count_slots(struct tb_reserve_options *options, struct tb_error *err)
{
	struct tb_reserved_request *wanted = &options->wanted;
	uint32_t nodes = options->nnodes ? options->nnodes : 1;

	if (wanted->request.type == TB_HOST) {
		wanted->slots = wanted->nodes = nodes;
		return 0;
	}
	wanted->nodes = options->nnodes;
	wanted->slots = options->ntasks ? options->ntasks
			: wanted->per_node
				? (uint32_t)((uint64_t)nodes * wanted->per_node)
				: nodes;
	if (wanted->slots < nodes)
		return tb_fail(
			err,
			"--ntasks=%u is less than the number of nodes, %u: each of them gets a slot",
			wanted->slots, nodes);
	return 0;
}

static int check_times(const struct tb_reserve_options *options,
		       struct tb_error *err)
{
	time_t start = options->start ? options->start : time(NULL);

	if (options->end && options->minutes != NO_VAL)
		return tb_fail(
			err,
			"--end and --duration exclude each other, give one of them");
	if (options->start && options->start < time(NULL) - 60)
		return tb_fail(err,
			       "--start is in the past, give a time to come");
	if (options->end && options->end <= start)
		return tb_fail(err,
			       "--end is not after the start, give a later time");
	return 0;
}

static int finish_make(struct tb_reserve_options *options, struct tb_error *err)
{
	struct tb_request *request = &options->wanted.request;

	tb_request_clear(request);
	if (tb_options_merge(&options->binding, getenv(VARIABLE), VARIABLE,
			     request, err) ||
	    tb_request_complete(request, err) ||
	    tb_reserved_request_check(request, err) ||
	    tb_request_check_window(request, err) ||
	    count_listed(options, err) || count_slots(options, err))
		return -1;
	if (!options->end && options->minutes == NO_VAL)
		return tb_fail(
			err,
			"it does not say how long, give --duration or --end");
	if (!options->users && !options->accounts && !options->groups)
		return tb_fail(
			err,
			"it does not say who may use it, give --user, --account or --group");
	return 0;
}

static bool says_units(const struct tb_reserve_options *options)
{
	return tb_options_given(&options->binding) || options->ntasks ||
	       options->nnodes || options->wanted.per_node ||
	       options->partition || options->nodes || options->features;
}

static bool says_who_or_when(const struct tb_reserve_options *options)
{
	return options->users || options->accounts || options->groups ||
	       options->start || options->end || options->minutes != NO_VAL;
}

static int finish_change(const struct tb_reserve_options *options,
			 struct tb_error *err)
{
	if (says_units(options))
		return tb_fail(
			err,
			"Slurm does not change the cores of a reservation; make another one and delete this one");
	if (options->action == TB_RESERVE_DELETE && says_who_or_when(options))
		return tb_fail(err, "--delete goes with no other option");
	if (options->action == TB_RESERVE_UPDATE && !says_who_or_when(options))
		return tb_fail(
			err,
			"it does not say what shall change, give for example --duration");
	return 0;
}

static int take_reserve_arguments(void *data, int count, char **words,
				  struct tb_error *err)
{
	struct tb_reserve_options *options = data;

	if (tb_command_no_arguments(count, words, err) ||
	    check_times(options, err))
		return -1;
	if (options->action != TB_RESERVE_LIST)
		return finish_change(options, err);
	if (!says_units(options) && !says_who_or_when(options) &&
	    !options->name)
		return 0;
	options->action = TB_RESERVE_MAKE;
	return finish_make(options, err);
}

static const struct tb_command_option own_options[] = {
	{ "n", "ntasks", "N", 'n', "slots in all" },
	{ "N", "nodes", "N", 'N', "on exactly so many nodes" },
	{ NULL, "ntasks-per-node", "N", OPT_PER_NODE, NULL },
	{ "p", "partition", "NAME", 'p', NULL },
	{ "w", "nodelist", "NODES", 'w', NULL },
	{ "C", "constraint", "FEATURES", 'C', NULL },
	{ NULL, "start", "TIME", OPT_START, NULL },
	{ NULL, "end", "TIME", OPT_END, NULL },
	{ NULL, "duration", "TIME", OPT_DURATION,
	  "minutes, or days-hours:minutes:seconds" },
	{ "u", "user", "LIST", 'u', "who may use it" },
	{ "A", "account", "LIST", 'A', NULL },
	{ NULL, "group", "LIST", OPT_GROUP, NULL },
	{ NULL, "name", "NAME", OPT_NAME, NULL },
	{ NULL, "update", "NAME", OPT_UPDATE,
	  "change users or time of this one" },
	{ NULL, "delete", "NAME", OPT_DELETE, "delete this one" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = NULL,
	.purpose = "Reserve units for a time, as an operator of Slurm; without options, list them.",
	.notes = NULL,
	.exit_codes = "Exit codes: 0 done, 1 there are too few free units, 2 bad option or refused.",
	.own = own_options,
	.has_json = true,
	.has_binding = true,
	.take = take_reserve_option,
	.finish = take_reserve_arguments,
	/* clang-format on */
};

/* ---- doing it ---- */

int tb_reserve_refused(const struct tb_reserve_options *options, int why,
		       struct tb_error *err)
{
	switch (why) {
	/* What Slurm 26.05 says of a user who is not there. */
	case SLURM_ERROR:
	case ESLURM_USER_ID_MISSING:
	case ESLURM_ACCESS_DENIED:
		return tb_fail(
			err,
			"Slurm refuses it: only operators and administrators may do that, for users that there are");
	case ESLURM_RESERVATION_NAME_DUP:
		return tb_fail(
			err,
			"there is a reservation \"%.60s\", give another --name",
			options->name ? options->name : "");
	case ESLURM_RESERVATION_INVALID:
		return tb_fail(err, "Slurm knows no reservation \"%.60s\"",
			       options->name ? options->name : "");
	case ESLURM_RESERVATION_BUSY:
		return tb_fail(
			err,
			"jobs run or wait in it; cancel them before, or see scontrol(1) for reservations");
	case ESLURM_RSV_ALREADY_STARTED:
		return tb_fail(err,
			       "it has begun: its --start cannot change any more");
	default:
		return tb_fail(err, "Slurm refuses it: %s",
			       slurm_strerror(why));
	}
}

void tb_reserve_describe(const struct tb_reserve_options *options,
			 resv_desc_msg_t *desc)
{
	slurm_init_resv_desc_msg(desc);
	desc->name = (char *)options->name;
	desc->users = (char *)options->users;
	desc->accounts = (char *)options->accounts;
	desc->groups = (char *)options->groups;
	if (options->start)
		desc->start_time = options->start;
	if (options->end)
		desc->end_time = options->end;
	desc->duration = options->minutes;
}

static int run_reserve(const struct tb_reserve_options *options)
{
	static int (*const actions[])(const struct tb_reserve_options *) = {
		[TB_RESERVE_LIST] = tb_reserve_list,
		[TB_RESERVE_MAKE] = tb_reserve_make,
		[TB_RESERVE_UPDATE] = tb_reserve_update,
		[TB_RESERVE_DELETE] = tb_reserve_delete,
	};
	int rc;

	tb_slurm_begin(options->common.name);
	rc = actions[options->action](options);
	tb_slurm_end();
	return rc;
}

int tb_command_reserve(int argc, char **argv)
{
	struct tb_reserve_options options = { .common.name = argv[0],
					      .minutes = NO_VAL };
	int rc = TB_EXIT_OK;

	tb_options_init(&options.binding);
	tb_request_init(&options.wanted.request);
	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = run_reserve(&options);
	tb_request_clear(&options.wanted.request);
	tb_options_clear(&options.binding);
	return rc;
}
