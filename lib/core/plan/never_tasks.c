/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "never_tasks.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"

#include "never.h"

/* All tasks of the job on one node, by units and CPUs alone. */
static struct tb_need need_of_node(const struct tb_need *need)
{
	struct tb_need alone = { .request = need->request,
				 .asked = need->asked,
				 .one_size = need->one_size };

	alone.asked.min_nodes = alone.asked.max_nodes = 1;
	alone.asked.required = 0;
	return alone;
}

/* Of an idle node; false: out of memory. */
static bool count_tasks(const struct tb_need *need,
			const struct tb_used_node *node, uint32_t *tasks)
{
	struct tb_need alone = need_of_node(need);
	struct tb_used_node idle = *node;
	struct tb_blockers *blockers;

	idle.nholders = 0;
	blockers = tb_blockers_create(&alone, &idle, 1, NULL, 0);
	if (blockers)
		*tasks = tb_blockers_room(blockers, 0);
	tb_blockers_destroy(blockers);
	return blockers != NULL;
}

static void note_most(struct tb_never_tasks *never, const char *name,
		      uint32_t tasks)
{
	struct tb_text copy = TB_TEXT_EMPTY;

	if (never->name && tasks <= never->most)
		return;
	tb_text_add(&copy, name);
	free(never->name);
	never->name = tb_text_take(&copy);
	never->most = tasks;
}

void tb_never_tasks_look(struct tb_never_tasks *never,
			 const struct tb_need *need, const char *name,
			 const struct tb_used_node *node)
{
	struct tb_node_slots *list = tb_array_make_room(never->list,
							never->count,
							sizeof(*list));
	uint32_t tasks;

	if (list)
		never->list = list;
	if (!list || !node || !count_tasks(need, node, &tasks)) {
		never->unknown = true;
		return;
	}
	never->list[never->count++] = (struct tb_node_slots){ tasks,
							      node->required };
	note_most(never, name, tasks);
}

/* ---- the sentence ---- */

static void add_tasks(struct tb_text *text, const struct tb_need *need,
		      uint64_t tasks)
{
	const struct tb_request *request = need->request;
	bool each = request->type == TB_SLOT && !request->cpus;

	tb_text_add_number(text, tasks);
	tb_text_add(text, tb_count_word(tasks, " task", " tasks"));
	if (need->asked.task_cpus > 1) {
		tb_text_add(text, " of ");
		tb_text_add_number(text, need->asked.task_cpus);
		tb_text_add(text, " CPUs");
	}
	tb_text_add(text, each ? " with " : " on ");
	tb_never_add_units(text, request);
	tb_text_add(text, each ? " each" : "");
}

static void add_one(struct tb_text *text, const struct tb_never_tasks *never,
		    const struct tb_need *need, const char *what)
{
	tb_text_add(text, "no ");
	tb_text_add(text, what);
	tb_text_add(text, " holds ");
	add_tasks(text, need, need->asked.tasks);
	tb_text_add(text, " (");
	tb_text_add(text, never->name);
	tb_text_add(text, " holds most: ");
	tb_text_add_number(text, never->most);
	tb_text_add(text, ")");
}

static void add_several(struct tb_text *text, const struct tb_need *need,
			uint32_t nodes, uint64_t hold)
{
	tb_text_add(text, "the ");
	tb_text_add_number(text, nodes);
	tb_text_add(text, " nodes that it may have hold at most ");
	add_tasks(text, need, hold);
	tb_text_add(text, ", not ");
	tb_text_add_number(text, need->asked.tasks);
}

char *tb_never_tasks_print(struct tb_never_tasks *never,
			   const struct tb_need *need, const char *what)
{
	uint32_t most = need->asked.max_nodes ? need->asked.max_nodes
					      : UINT32_MAX;
	uint32_t nodes = most < never->count ? most : never->count;
	struct tb_text text = TB_TEXT_EMPTY;
	uint64_t hold;

	if (!never->name || never->unknown || need->asked.overcommit)
		return NULL;
	hold = tb_most_slots(never->list, never->count, 0, most);
	if (hold >= need->asked.tasks)
		return NULL;
	if (nodes == 1)
		add_one(&text, never, need, what);
	else
		add_several(&text, need, nodes, hold);
	tb_text_add(&text,
		    ": ask for fewer, or let tasks share with --overcommit");
	return tb_text_take(&text);
}

void tb_never_tasks_clear(struct tb_never_tasks *never)
{
	free(never->list);
	free(never->name);
	*never = (struct tb_never_tasks){ .count = 0 };
}
