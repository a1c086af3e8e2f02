/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the step's user may see of it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "common/soft/soft_view.h"
#include "soft_controller_private.h"

struct showing {
	const struct tb_soft_controller *s;
	const struct tb_bitset *claimed;
	struct tb_bitset *allowed; /* to work with, and the next */
	struct tb_bitset *preferred;
};

/* As "topobind soft" tells it to root. */
static const char *name_mode(const struct tb_soft_controller *s)
{
	const struct tb_soft_state *state = tb_soft_file_state(s->file);

	if (s->mode != TB_SOFT_ON)
		return tb_soft_mode_name(s->mode);
	if (state->paused)
		return "suspended";
	return state->native ? "kernel" : tb_soft_mode_name(TB_SOFT_ON);
}

static void print_task(FILE *out, const struct showing *showing, unsigned i)
{
	const struct task *task = &showing->s->task[i];
	const struct tb_soft_task *state =
		&tb_soft_file_state(showing->s->file)->task[i];
	char *preferred, *allowed;

	tb_soft_allowed(task->scope, task->group.base, showing->claimed,
			showing->allowed);
	tb_soft_preferred(task->said, task->group.base, showing->allowed,
			  showing->preferred);
	preferred = tb_bitset_print_list(showing->preferred);
	allowed = tb_bitset_print_list(showing->allowed);
	if (preferred != NULL && allowed != NULL)
		fprintf(out,
			"task %u %d %u %" PRIu64 " %" PRIu64 " %" PRIu64
			" %s %s\n",
			task->id, (int)task->pid, (unsigned)state->spread,
			state->preferred, state->allowed, state->smoothed,
			preferred, allowed);
	free(preferred);
	free(allowed);
}

static void print_step(FILE *out, const void *data)
{
	const struct showing *showing = data;
	const struct tb_soft_controller *s = showing->s;

	fprintf(out, "step %s %" PRIu64 "\n", name_mode(s),
		(uint64_t)tb_soft_file_state(s->file)->cost_us);
	for (unsigned i = 0; i < s->tasks; i++)
		print_task(out, showing, i);
}

/* What others hold, as of now. */
static struct tb_bitset *read_claimed(struct tb_soft_controller *s)
{
	struct tb_bitset *claimed;

	if (tb_registry_lock(s->registry, NULL) < 0)
		return NULL;
	claimed = tb_registry_claimed(s->registry, s->id.job, NULL);
	tb_registry_unlock(s->registry);
	return claimed;
}

void tb_soft_controller_show(struct tb_soft_controller *s)
{
	struct tb_bitset *claimed, *allowed, *preferred;
	struct showing showing;

	if (s->view == NULL)
		return;
	claimed = read_claimed(s);
	allowed = tb_bitset_create(TB_REGISTRY_CPUS);
	preferred = tb_bitset_create(TB_REGISTRY_CPUS);
	showing = (struct showing){ s, claimed, allowed, preferred };
	if (claimed != NULL && allowed != NULL && preferred != NULL)
		tb_soft_view_write(s->view, print_step, &showing);
	tb_bitset_destroy(claimed);
	tb_bitset_destroy(allowed);
	tb_bitset_destroy(preferred);
}
