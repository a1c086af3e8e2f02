/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "cpu_claim.h"

#include <stdlib.h>
#include <string.h>

#include "cgroup/clear.h"
#include "cgroup/cpuset.h"
#include "cgroup/tree.h"
#include "common/soft/soft_state.h"

/* Who takes which CPUs. */
struct taker {
	uint32_t job;
	struct tb_bitset *cpus; /* from other jobs */
	struct tb_bitset *own;	/* from the same job */
	struct tb_error *err;
	int rc;
};

static struct tb_bitset *parse_cpus(const char *list)
{
	if (*list == '\0')
		return tb_bitset_create(TB_REGISTRY_CPUS);
	return tb_bitset_parse_list(list, TB_REGISTRY_CPUS, NULL);
}

/* Its base stays: with gang scheduling several jobs have the same units. */
static int move_off_cpus(const struct tb_soft_cgroup *cgroup,
			 const struct tb_bitset *cpus, struct tb_error *err)
{
	struct tb_bitset *now = tb_cpuset_read_cpus(cgroup->path, NULL);
	struct tb_bitset *rest;
	struct tb_cpuset *cpuset;
	int rc = 0;

	/* It is gone, and its tasks. */
	if (now == NULL)
		return 0;
	rest = tb_bitset_copy(now);
	if (rest == NULL) {
		tb_bitset_destroy(now);
		return tb_fail(err, "out of memory");
	}
	tb_bitset_andnot(rest, cpus);
	tb_bitset_or(rest, cgroup->base);
	/* What the cgroup above does not give it has not anyway. */
	tb_bitset_and(rest, now);
	/* It was said to prefer others only. */
	if (tb_bitset_is_empty(rest))
		tb_bitset_assign(rest, cgroup->base);
	if (!tb_bitset_equal(rest, now)) {
		cpuset = tb_cpuset_open(cgroup->path, err);
		rc = cpuset == NULL ? -1
				    : tb_cpuset_set(cpuset, rest, NULL, err);
		tb_cpuset_destroy(cpuset);
	}
	tb_bitset_destroy(rest);
	tb_bitset_destroy(now);
	/* Gone meanwhile. */
	if (rc < 0) {
		now = tb_cpuset_read_cpus(cgroup->path, NULL);
		rc = now != NULL ? -1 : 0;
		tb_bitset_destroy(now);
	}
	return rc;
}

static int take_from_step(struct tb_soft_state *state, bool alive, void *data)
{
	struct taker *taker = data;
	const struct tb_bitset *cpus = state->job == taker->job ? taker->own
								: taker->cpus;
	const char *cursor = tb_soft_state_cgroups(state);
	struct tb_soft_cgroup cgroup;

	(void)alive;
	while (tb_soft_next_cgroup(&cursor, &cgroup)) {
		if (move_off_cpus(&cgroup, cpus, taker->err) < 0)
			taker->rc = -1;
		tb_soft_cgroup_clear(&cgroup);
	}
	return 0;
}

static int take_from_steps(struct tb_registry *registry,
			   const struct tb_registry_claim_input *input,
			   struct tb_error *err)
{
	struct taker taker = {
		.job = input->id.job,
		.cpus = parse_cpus(input->cpus),
		.own = parse_cpus(input->own),
		.err = err,
	};

	if (taker.cpus == NULL || taker.own == NULL)
		taker.rc = tb_fail(err,
				   "out of memory, or no list of CPUs: "
				   "%.200s",
				   input->cpus);
	else if (tb_soft_each(registry, TB_SOFT_LOOK, take_from_step, &taker) <
		 0)
		taker.rc = tb_fail(err, "the soft-bound steps of the node "
					"cannot be read");
	tb_bitset_destroy(taker.cpus);
	tb_bitset_destroy(taker.own);
	return taker.rc;
}

int tb_cpu_claim_take(struct tb_registry *registry,
		      const struct tb_registry_claim_input *input,
		      struct tb_registry_claim **claim, struct tb_error *err)
{
	int rc = 0;

	*claim = NULL;
	if (*input->cpus == '\0' && *input->own == '\0')
		return 0;
	if (tb_registry_lock(registry, err) < 0)
		return -1;
	*claim = tb_registry_claim_create(registry, input, err);
	rc = *claim != NULL ? take_from_steps(registry, input, err) : -1;
	tb_registry_unlock(registry);
	return rc;
}

/* ---- left-overs ---- */

static bool is_busy(const char *path)
{
	char *directory = tb_cpuset_directory(path, NULL);
	bool busy = directory != NULL && tb_cgroup_tree_is_busy(directory);

	free(directory);
	return busy;
}

/* A step that waits for it, so not for long. */
#define REMOVE_WAIT_MS 10

/* With v1 they are topobind's own; with v2 Slurm removes them. */
static void remove_empty(const char *path)
{
	const struct timespec until = tb_clear_until(REMOVE_WAIT_MS);
	struct tb_cpuset *cpuset;

	if (tb_cpuset_is_v2())
		return;
	cpuset = tb_cpuset_open(path, NULL);
	if (cpuset != NULL)
		tb_cpuset_remove(cpuset, &until, NULL);
	tb_cpuset_destroy(cpuset);
}

struct sweeper {
	struct tb_bitset *all;
	bool has_left;
};

/* Everything but the base is taken from tasks that nobody watches. */
static int sweep_state(struct tb_soft_state *state, bool alive, void *data)
{
	struct sweeper *sweeper = data;
	const char *cursor = tb_soft_state_cgroups(state);
	struct tb_soft_cgroup cgroup;
	bool busy = false;

	if (alive)
		return 0;
	while (tb_soft_next_cgroup(&cursor, &cgroup)) {
		if (is_busy(cgroup.path)) {
			busy = true;
			move_off_cpus(&cgroup, sweeper->all, NULL);
		} else {
			remove_empty(cgroup.path);
		}
		tb_soft_cgroup_clear(&cgroup);
	}
	sweeper->has_left = sweeper->has_left || busy;
	return busy ? 0 : TB_SOFT_REMOVE;
}

bool tb_cpu_claim_sweep(struct tb_registry *registry)
{
	struct sweeper sweeper = { tb_bitset_create(TB_REGISTRY_CPUS), false };
	bool done;

	if (sweeper.all == NULL || tb_registry_lock(registry, NULL) < 0) {
		tb_bitset_destroy(sweeper.all);
		return false;
	}
	tb_bitset_set_range(sweeper.all, 0, sweeper.all->nbits);
	tb_soft_each(registry, TB_SOFT_LOOK, sweep_state, &sweeper);
	tb_bitset_destroy(sweeper.all);
	done = tb_registry_sweep(registry) && !sweeper.has_left;
	tb_registry_forget(registry);
	tb_registry_unlock(registry);
	return done;
}
