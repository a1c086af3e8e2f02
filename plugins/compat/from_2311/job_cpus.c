/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See job_cpus.h: since Slurm 23.11 its library has no function for that, so it is
 * read from the struct.
 */
#include "src/common/slurm_xlator.h"

#include "compat/job_cpus.h"

#include "src/common/bitstring.h"
#include "src/common/job_resources.h"

/* Which of the job's nodes it is; negative: none. */
static int find_position(const job_resources_t *job, const char *node)
{
	tb_hostlist_t nodes = slurm_hostlist_create(job->nodes);
	int position = nodes != NULL ? slurm_hostlist_find(nodes, node) : -1;

	if (nodes != NULL)
		slurm_hostlist_destroy(nodes);
	return position;
}

/*
 * Where the cores of the job's node at this position begin.  Sockets and cores
 * stand once for each run of equal nodes.
 */
static unsigned find_first_core(const job_resources_t *job, unsigned position)
{
	unsigned first = 0;

	for (unsigned run = 0; position > 0; run++) {
		unsigned count = job->sock_core_rep_count[run];

		if (count > position)
			count = position;
		first += count * job->sockets_per_node[run] *
			 job->cores_per_socket[run];
		position -= count;
	}
	return first;
}

static struct tb_bitset *copy_cores(const bitstr_t *all, unsigned first,
				    unsigned n, struct tb_error *err)
{
	struct tb_bitset *set = tb_bitset_create(n);

	if (set == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	for (unsigned i = 0; i < n; i++)
		if (bit_test((bitstr_t *)all, first + i))
			tb_bitset_set(set, i);
	return set;
}

struct tb_bitset *tb_job_cpus_on_node(const job_info_t *info, const char *node,
				      unsigned n, struct tb_error *err)
{
	const job_resources_t *job = info->job_resrcs;
	int position = job != NULL ? find_position(job, node) : -1;
	unsigned first;

	if (position >= 0 && job->core_bitmap != NULL) {
		first = find_first_core(job, position);
		if (first + n <= bit_size(job->core_bitmap))
			return copy_cores(job->core_bitmap, first, n, err);
	}
	tb_fail(err, "Slurm does not tell what it has on its node %.100s",
		node);
	return NULL;
}
