/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "never_cpus.h"

#include <stdlib.h>

#include "core/base/text.h"

static uint32_t get_task_cpus(const struct tb_tasks_of_node *asked)
{
	return asked->task_cpus ? asked->task_cpus : 1;
}

static uint64_t count_needed(const struct tb_tasks_of_node *asked)
{
	return asked->overcommit
		       ? 0
		       : (uint64_t)asked->tasks * get_task_cpus(asked);
}

bool tb_lacks_cpus_of_tasks(const struct tb_tasks_of_node *asked, uint32_t cpus)
{
	return cpus < count_needed(asked);
}

void tb_never_cpus_look(struct tb_never_cpus *never, const char *name,
			uint32_t cpus)
{
	struct tb_text copy = TB_TEXT_EMPTY;

	if (never->name && cpus <= never->most)
		return;
	tb_text_add(&copy, name);
	free(never->name);
	never->name = tb_text_take(&copy);
	never->most = cpus;
}

static void add_options(struct tb_text *text,
			const struct tb_tasks_of_node *asked)
{
	tb_text_add(text, "--ntasks-per-node=");
	tb_text_add_number(text, asked->tasks);
	if (get_task_cpus(asked) == 1)
		return;
	tb_text_add(text, " with --cpus-per-task=");
	tb_text_add_number(text, asked->task_cpus);
}

char *tb_never_cpus_print(const struct tb_never_cpus *never,
			  const struct tb_tasks_of_node *asked,
			  const char *what)
{
	uint32_t fit = never->most / get_task_cpus(asked);
	struct tb_text text = TB_TEXT_EMPTY;

	if (!never->name || !tb_lacks_cpus_of_tasks(asked, never->most))
		return NULL;
	tb_text_add(&text, "no ");
	tb_text_add(&text, what);
	tb_text_add(&text, " has the ");
	tb_text_add_number(&text, count_needed(asked));
	tb_text_add(&text, " CPUs of ");
	add_options(&text, asked);
	tb_text_add(&text, " (");
	tb_text_add(&text, never->name);
	tb_text_add(&text, " has most: ");
	tb_text_add_number(&text, never->most);
	tb_text_add(&text, ", for ");
	tb_text_add_number(&text, fit);
	tb_text_add(&text, tb_count_word(fit, " task)", " tasks)"));
	return tb_text_take(&text);
}

void tb_never_cpus_clear(struct tb_never_cpus *never)
{
	free(never->name);
	*never = (struct tb_never_cpus){ .most = 0 };
}
