/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reservation_show.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/node_walk.h"
#include "cluster/reserved.h"
#include "command.h"
#include "compat/reservation_text.h"
#include "core/request/alternatives.h"
#include "plan/explain.h"
#include "table/table.h"
#include "terminal/wrap.h"

struct tb_cluster *tb_reservations_load(bool jobs, struct tb_error *err)
{
	return tb_cluster_load(TB_CLUSTER_SITE |
				       (jobs ? TB_CLUSTER_JOBS |
							TB_CLUSTER_CORES
					     : 0),
			       err);
}

const reserve_info_t *tb_reservation_find(const struct tb_cluster *cluster,
					  const char *name)
{
	const reserve_info_msg_t *all = cluster->reservations;

	for (uint32_t i = 0; i < all->record_count; i++)
		if (!strcmp(all->reservation_array[i].name, name))
			return &all->reservation_array[i];
	return NULL;
}

/* ---- units of one node ---- */

/* What a reservation has of a node; topology NULL: not known. */
struct part {
	const node_info_t *node;
	struct tb_topology *topology;
	struct tb_bitset *threads;
};

static void load_part(struct part *part, const reserve_info_t *reservation,
		      const node_info_t *node)
{
	struct tb_bitset *inuse = NULL;

	*part = (struct part){ .node = node };
	part->topology = tb_cluster_topology(node, &inuse, NULL);
	tb_bitset_destroy(inuse);
	if (part->topology)
		part->threads = tb_reserved_threads(reservation, node,
						    part->topology);
	if (part->threads &&
	    part->threads->nbits == tb_topology_threads(part->topology))
		return;
	tb_bitset_destroy(part->threads);
	part->threads = NULL;
}

static void clear_part(struct part *part)
{
	tb_bitset_destroy(part->threads);
	tb_topology_destroy(part->topology);
}

/* Of all nodes of a reservation; a void *: an arg of visit. */
static void visit_parts(const struct tb_cluster *cluster,
			const reserve_info_t *reservation,
			void (*visit)(const struct part *part, void *arg),
			void *arg)
{
	struct tb_node_walk walk =
		tb_node_walk_begin(reservation->node_inx,
				   cluster->nodes->record_count);
	unsigned node;

	while (tb_node_walk_next(&walk, &node)) {
		struct part part;

		load_part(&part, reservation,
			  &cluster->nodes->node_array[node]);
		visit(&part, arg);
		clear_part(&part);
	}
}

struct count {
	struct tb_request plain;
	uint32_t slots, known, unknown;
};

static void count_part(const struct part *part, void *arg)
{
	struct count *count = arg;
	struct tb_placer *placer = part->threads
					   ? tb_placer_create(part->topology)
					   : NULL;

	if (placer) {
		count->known++;
		count->slots += tb_place_again(placer, &count->plain,
					       part->threads);
	} else {
		count->unknown++;
	}
	tb_placer_destroy(placer);
}

uint32_t tb_reservation_slots(const struct tb_cluster *cluster,
			      const reserve_info_t *reservation,
			      const struct tb_reserved_request *reserved)
{
	const struct tb_request *request = &reserved->request;
	uint32_t most = 0;

	for (unsigned i = 0; i < tb_request_plain_count(request); i++) {
		struct count count = { .plain = tb_request_plain(request, i) };

		visit_parts(cluster, reservation, count_part, &count);
		if (count.unknown || !count.known)
			return UINT32_MAX;
		if (count.slots > most)
			most = count.slots;
	}
	return most;
}

bool tb_reservation_shows_all(const reserve_info_t *reservation)
{
	uint32_t cores = 0;

	for (uint32_t i = 0; i < reservation->core_spec_cnt; i++) {
		const char *list = reservation->core_spec[i].core_id;
		struct tb_bitset *set = list ? tb_bitset_parse_list(list,
								    TB_CPUS_MAX,
								    NULL)
					     : NULL;

		cores += set ? tb_bitset_count(set) : 0;
		tb_bitset_destroy(set);
	}
	return cores == reservation->core_cnt;
}

/* ---- for people ---- */

enum { NAME, START, END, WHO, SLOTS, REQUEST, NODES, COLUMNS };
static const struct tb_column columns[COLUMNS] = {
	[NAME] = { '\0', "name", "NAME", false },
	[START] = { '\0', "start", "START", false },
	[END] = { '\0', "end", "END", false },
	[WHO] = { '\0', "who", "USERS", false },
	[SLOTS] = { '\0', "slots", "SLOTS", true },
	[REQUEST] = { '\0', "request", "REQUEST", false },
	[NODES] = { '\0', "nodes", "NODES", false },
};

struct row {
	const struct tb_cluster *cluster;
	const reserve_info_t *info;
	struct tb_reserved_request reserved;
};

static void print_time(time_t time, FILE *out)
{
	char text[TB_TIME_SIZE];

	tb_explain_time(time, text);
	fputs(text, out);
}

static const char *find_who(const reserve_info_t *info)
{
	return info->users	? info->users
	       : info->accounts ? info->accounts
	       : info->groups	? info->groups
				: "-";
}

static void print_request(const struct tb_reserved_request *reserved, FILE *out)
{
	char *line = tb_request_print(&reserved->request);

	fputs(line ? line : "-", out);
	free(line);
}

static void print_cell(const void *item, unsigned column, FILE *out)
{
	const struct row *row = item;

	switch (column) {
	case NAME:
		tb_text_print(row->info->name, out);
		break;
	case START:
		print_time(row->info->start_time, out);
		break;
	case END:
		print_time(row->info->end_time, out);
		break;
	case WHO:
		tb_text_print(find_who(row->info), out);
		break;
	case SLOTS:
		fprintf(out, "%u", row->reserved.slots);
		break;
	case REQUEST:
		print_request(&row->reserved, out);
		break;
	default:
		fputs(row->info->node_list ? row->info->node_list : "-", out);
	}
}

/* "     n1 threads 0-5" */
static void print_part(const struct part *part, void *arg)
{
	char *list = part->threads ? tb_bitset_print_list(part->threads) : NULL;

	if (list)
		fprintf(arg, "    %s threads %s\n", part->node->name, list);
	free(list);
}

static int print_below(const void *item, FILE *out)
{
	const struct row *row = item;

	visit_parts(row->cluster, row->info, print_part, out);
	return 0;
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.gap = "  ",
	.print = print_cell,
	.below = print_below,
};

/* ---- for programs ---- */

static void add_part(const struct part *part, void *arg)
{
	char *string = part->threads ? tb_topology_print(part->topology,
							 part->threads)
				     : NULL;
	json_t *json = json_pack("{s:s, s:s*}", "node", part->node->name,
				 "topology", string);

	if (part->threads)
		json_object_set_new(json, "threads",
				    tb_command_json_set(part->threads));
	json_array_append_new(arg, json);
	free(string);
}

static json_t *json_of_row(const struct row *row)
{
	const reserve_info_t *info = row->info;
	char *line = tb_request_print(&row->reserved.request);
	json_t *parts = json_array(), *json;

	visit_parts(row->cluster, info, add_part, parts);
	json = json_pack("{s:s, s:I, s:I, s:s*, s:s*, s:s*, s:s*, s:i, s:o}",
			 "name", info->name, "start",
			 (json_int_t)info->start_time, "end",
			 (json_int_t)info->end_time, "users", info->users,
			 "accounts", info->accounts, "groups", info->groups,
			 "request", line, "slots", (int)row->reserved.slots,
			 "nodes", parts);
	free(line);
	return json;
}

/* ---- both ---- */

static int print_json(const char *command, const struct row *rows,
		      unsigned nrows)
{
	json_t *list = json_array(), *json;
	int rc;

	for (unsigned i = 0; i < nrows; i++)
		json_array_append_new(list, json_of_row(&rows[i]));
	json = json_pack("{s:o}", "reservations", list);
	rc = tb_command_print_json(command, json);
	json_decref(json);
	return rc;
}

static int print_rows(const char *command, bool json, const struct row *rows,
		      unsigned nrows)
{
	if (json)
		return print_json(command, rows, nrows);
	if (nrows &&
	    tb_table_print_names(&kind,
				 "name,start,end,who,slots,request,nodes", rows,
				 sizeof(*rows), nrows, true, stdout))
		return tb_command_fail(command, "out of memory");
	return TB_EXIT_OK;
}

/* Adds it, if it is of units; it need not be the whole list. */
static void add_row(struct row *rows, unsigned *nrows,
		    const struct tb_cluster *cluster,
		    const reserve_info_t *info)
{
	struct row *row = &rows[*nrows];

	*row = (struct row){ .cluster = cluster, .info = info };
	if (strcmp(info->name, TB_RESERVE_CARRIER) &&
	    !tb_reserved_request_read(&row->reserved, info->TB_RESERVATION_TEXT,
				      NULL))
		(*nrows)++;
	else
		tb_reserved_request_clear(&row->reserved);
}

static int print_some(const char *command, bool json,
		      const struct tb_cluster *cluster,
		      const reserve_info_t *first, unsigned count)
{
	struct row *rows = calloc(count + 1, sizeof(*rows));
	unsigned nrows = 0;
	int rc;

	if (!rows)
		return tb_command_fail(command, "out of memory");
	for (unsigned i = 0; i < count; i++)
		add_row(rows, &nrows, cluster, &first[i]);
	rc = print_rows(command, json, rows, nrows);
	for (unsigned i = 0; i < nrows; i++)
		tb_reserved_request_clear(&rows[i].reserved);
	free(rows);
	return rc;
}

int tb_reservation_print(const char *command, bool json,
			 const struct tb_cluster *cluster,
			 const reserve_info_t *reservation)
{
	return print_some(command, json, cluster, reservation, 1);
}

int tb_reservations_print(const char *command, bool json,
			  const struct tb_cluster *cluster)
{
	return print_some(command, json, cluster,
			  cluster->reservations->reservation_array,
			  cluster->reservations->record_count);
}
