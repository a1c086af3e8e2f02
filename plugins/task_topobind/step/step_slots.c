/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "step_slots.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/place/masked.h"
#include "core/place/place.h"
#include "files/locked_dir.h"
#include "files/read_file.h"

#define DIRECTORY "topobind_slots"
/* Bytes of a list of a node's cores. */
#define LIST_MAX 65536

/* slurmstepd tells the end of a step a moment before it ends. */
#define WAIT_MS 5000
#define PAUSE_MS 50

/* ---- which ones ---- */

struct choice {
	const struct tb_step_plan_input *input;
	struct tb_step_plan whole; /* of all that the job has */
	struct tb_placer *placer;
	unsigned slots; /* placed */
	struct tb_bitset *group, *threads, *cores;
};

static int open_choice(struct choice *choice,
		       const struct tb_step_plan_input *input,
		       struct tb_error *err)
{
	struct tb_step_plan_input whole = *input;
	const struct tb_topology *topology = input->topology;

	whole.whole = true;
	whole.tasks = 0;
	*choice = (struct choice){ .input = input };
	if (tb_step_plan_make(&choice->whole, &whole, err) < 0)
		return -1;
	choice->placer = tb_placer_create(topology);
	choice->group = tb_bitset_create(tb_topology_threads(topology));
	choice->threads = tb_bitset_create(tb_topology_threads(topology));
	choice->cores = tb_bitset_create(input->node_cores);
	return choice->placer != NULL && choice->group != NULL &&
			       choice->threads != NULL && choice->cores != NULL
		       ? 0
		       : tb_fail(err, "out of memory");
}

static void close_choice(struct choice *choice)
{
	tb_step_plan_clear(&choice->whole);
	tb_placer_destroy(choice->placer);
	tb_bitset_destroy(choice->group);
	tb_bitset_destroy(choice->threads);
	tb_bitset_destroy(choice->cores);
}

/* A core of Slurm is a core of the string or, where these are as many, a thread. */
static void find_cores(struct choice *choice)
{
	const struct tb_step_plan_input *input = choice->input;

	if (input->node_cores == tb_topology_threads(input->topology))
		tb_bitset_assign(choice->cores, choice->threads);
	else
		tb_cores_of_threads(input->topology, choice->threads,
				    choice->cores);
}

/* Out of the job's threads, into left; -1 with a sentence. */
static int drop_others(struct choice *choice, const char *others,
		       struct tb_bitset *left, struct tb_error *err)
{
	struct tb_bitset *held;

	tb_bitset_assign(left, choice->whole.job);
	if (others[0] == '\0')
		return 0;
	held = tb_step_plan_threads(choice->input, others, err);
	if (held == NULL)
		return -1;
	tb_bitset_andnot(left, held);
	tb_bitset_destroy(held);
	return 0;
}

/* The job's slots in its threads that no other step has. */
static int place_free(struct choice *choice, const char *others,
		      struct tb_error *err)
{
	struct tb_request job = tb_request_masked(choice->input->job,
						  choice->whole.masked);

	if (drop_others(choice, others, choice->threads, err) < 0)
		return -1;
	if (job.type == TB_HOST) {
		/* Its units are dealt out one by one. */
		job.type = TB_SLOT;
		job.amount = 1;
	}
	choice->slots = tb_place_again(choice->placer, &job, choice->threads);
	return 0;
}

static unsigned count_needed(const struct tb_step_plan_input *input)
{
	return input->shares || input->job->type == TB_HOST ||
			       tb_request_has_binding(input->step)
		       ? 1
		       : input->tasks;
}

/* In choice->cores.  False: there are too few. */
static bool take_enough(struct choice *choice)
{
	const struct tb_bitset *picked = choice->whole.step;
	unsigned needed = count_needed(choice->input), taken = 0;
	unsigned picked_cores;

	tb_bitset_assign(choice->threads, picked);
	find_cores(choice);
	picked_cores = tb_bitset_count(choice->cores);
	tb_bitset_clear_all(choice->threads);
	for (unsigned i = 0; i < 2 * choice->slots; i++) {
		tb_placed_group(choice->placer, i % choice->slots,
				choice->group);
		if (tb_bitset_intersects(choice->group, picked) !=
		    (i < choice->slots))
			continue;
		tb_bitset_or(choice->threads, choice->group);
		taken++;
		find_cores(choice);
		if (taken >= needed &&
		    tb_bitset_count(choice->cores) >= picked_cores)
			return true;
	}
	return false;
}

static bool has_slots(const struct tb_request *job)
{
	return tb_request_binds(job) && job->cpus == NULL && job->nparts == 0 &&
	       job->nalternatives == 0;
}

int tb_step_slots_choose(const struct tb_step_plan_input *input,
			 const char *others, char **cores, struct tb_error *err)
{
	struct choice choice;
	int rc;

	*cores = NULL;
	if (!has_slots(input->job))
		return 0;
	rc = open_choice(&choice, input, err);
	if (rc == 0)
		rc = place_free(&choice, others, err);
	if (rc == 0 && take_enough(&choice)) {
		*cores = tb_bitset_print_list(choice.cores);
		if (*cores == NULL)
			rc = tb_fail(err, "out of memory");
	}
	close_choice(&choice);
	return rc;
}

/* ---- who has them ---- */

struct tb_step_slots {
	struct tb_locked_file file;
	char *cores;
};

struct others {
	const struct tb_locked_dir *dir;
	char *cores; /* lists, behind each other; NULL: out of memory */
};

static int add_others(const char *name, void *data)
{
	struct others *others = data;
	int fd = openat(others->dir->fd, name, O_RDONLY | O_CLOEXEC);
	char *text = fd >= 0 ? tb_read_file(fd, LIST_MAX, &(size_t){ 0 })
			     : NULL;
	char *both = NULL;

	if (fd >= 0)
		close(fd);
	if (text == NULL)
		return 0;
	if (asprintf(&both, "%s%s%s", others->cores,
		     others->cores[0] != '\0' ? "," : "", text) < 0)
		both = NULL;
	free(text);
	free(others->cores);
	others->cores = both;
	return both == NULL;
}

/* What living steps of the job have.  The caller frees; NULL: it is not known. */
static char *find_others(const struct tb_locked_dir *dir, const char *suffix)
{
	struct others others = { dir, strdup("") };

	tb_locked_dir_sweep(dir, NULL);
	if (others.cores != NULL)
		tb_locked_dir_each(dir, suffix, add_others, &others);
	return others.cores;
}

/* The directory is locked.  0: taken; 1: there are too few; -1: an error. */
static int try_to_take(struct tb_step_slots *slots,
		       const struct tb_locked_dir *dir,
		       const struct tb_step_slots_id *id,
		       const struct tb_step_plan_input *input)
{
	char name[32], suffix[16], *others;
	struct tb_error err;
	int rc;

	snprintf(suffix, sizeof(suffix), ".%u", id->job);
	snprintf(name, sizeof(name), "%u%s", id->step, suffix);
	others = find_others(dir, suffix);
	if (others == NULL)
		return -1;
	rc = tb_step_slots_choose(input, others, &slots->cores, &err);
	free(others);
	if (rc == 0 && slots->cores == NULL)
		return 1;
	return rc == 0 ? tb_locked_file_create(&slots->file, dir, name,
					       slots->cores, &err)
		       : rc;
}

static int take(struct tb_step_slots *slots, const struct tb_step_slots_id *id,
		const struct tb_step_plan_input *input)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	struct tb_locked_dir dir;
	int rc = -1;

	if (tb_locked_dir_open(&dir, id->spool_dir, DIRECTORY, TB_DIR_PRIVATE,
			       true, NULL) < 0)
		return -1;
	for (int waited = 0; waited <= WAIT_MS; waited += PAUSE_MS) {
		rc = tb_locked_dir_lock(&dir, NULL);
		if (rc == 0) {
			rc = try_to_take(slots, &dir, id, input);
			tb_locked_dir_unlock(&dir);
		}
		if (rc <= 0)
			break;
		nanosleep(&pause, NULL);
	}
	tb_locked_dir_close(&dir);
	return rc;
}

struct tb_step_slots *tb_step_slots_take(const struct tb_step_slots_id *id,
					 const struct tb_step_plan_input *input)
{
	struct tb_step_slots *slots;

	/* All of the job: its slots are in these. */
	if (!has_slots(input->job) ||
	    strcmp(input->job_cores, input->step_cores) == 0)
		return NULL;
	slots = calloc(1, sizeof(*slots));
	if (slots == NULL)
		return NULL;
	slots->file.fd = -1;
	if (take(slots, id, input) == 0)
		return slots;
	tb_step_slots_give_back(slots);
	return NULL;
}

const char *tb_step_slots_cores(const struct tb_step_slots *slots)
{
	return slots->cores;
}

void tb_step_slots_give_back(struct tb_step_slots *slots)
{
	if (slots == NULL)
		return;
	tb_locked_file_remove(&slots->file);
	free(slots->cores);
	free(slots);
}
