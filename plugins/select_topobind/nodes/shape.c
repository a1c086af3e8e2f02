/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shape.h"

#include <stdlib.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/topology/distances.h"
#include "core/topology/os_cpus.h"

void tb_shape_destroy(struct tb_shape *shape)
{
	if (!shape)
		return;
	tb_scratch_destroy(shape->scratch);
	for (unsigned i = 0; i < TB_UNIT_KINDS; i++)
		free(shape->sizes[i]);
	tb_numa_nodes_destroy(shape->numa);
	tb_placer_destroy(shape->placer);
	tb_topology_destroy(shape->topology);
	xfree(shape->text);
	xfree(shape->distances);
	xfree(shape->os_cpus);
	xfree(shape);
}

/* Slurm's cores are cores or threads of the string; else the string is wrong. */
static bool match_cores(struct tb_shape *shape, uint32_t cores)
{
	shape->by_thread = cores != tb_topology_cores(shape->topology);
	return !shape->by_thread ||
	       cores == tb_topology_threads(shape->topology);
}

static int set_distances(struct tb_shape *shape, struct tb_error *err)
{
	unsigned count = tb_topology_count(shape->topology, 'N');
	unsigned *distances;
	int rc;

	if (!shape->distances)
		return 0;
	distances = tb_distances_parse(shape->distances, count, err);
	if (!distances)
		return -1;
	rc = tb_topology_set_distances(shape->topology, distances, count, err);
	free(distances);
	return rc;
}

static int set_os_cpus(struct tb_shape *shape, struct tb_error *err)
{
	unsigned *os_cpus;
	int rc;

	if (!shape->os_cpus)
		return 0;
	os_cpus = tb_os_cpus_parse(shape->os_cpus, shape->topology, err);
	if (!os_cpus)
		return -1;
	rc = tb_topology_set_os_cpus(shape->topology, os_cpus, err);
	free(os_cpus);
	return rc;
}

static bool complete_shape(struct tb_shape *shape, uint32_t cores)
{
	unsigned threads = tb_topology_threads(shape->topology);

	if (!match_cores(shape, cores))
		return false;
	shape->placer = tb_placer_create(shape->topology);
	shape->numa = tb_numa_nodes_create(shape->topology, shape->by_thread);
	shape->ncores = cores;
	shape->scratch = tb_scratch_create(threads, cores,
					   tb_topology_count(shape->topology,
							     'N'));
	return shape->placer && shape->numa && shape->scratch;
}

static int fail_misfit(const struct tb_shape *shape, uint32_t cores,
		       struct tb_error *err)
{
	return tb_fail(
		err,
		"it has %u cores and %u threads, but the node has %u cores in slurm.conf; make CPUs, Sockets, CoresPerSocket and ThreadsPerCore agree with it (topobind topology shows it)",
		tb_topology_cores(shape->topology),
		tb_topology_threads(shape->topology), cores);
}

struct tb_shape *tb_shape_create(const struct tb_shape_text *text,
				 uint32_t cores, struct tb_error *err)
{
	struct tb_shape *shape = xmalloc(sizeof(*shape));
	static uint64_t count;

	shape->number = ++count;
	shape->text = xstrdup(text->topology);
	shape->distances = xstrdup(text->distances);
	shape->os_cpus = xstrdup(text->os_cpus);
	shape->topology = tb_topology_parse(shape->text, NULL, err);
	if (!shape->topology || set_distances(shape, err) ||
	    set_os_cpus(shape, err))
		goto fail;
	if (complete_shape(shape, cores))
		return shape;
	fail_misfit(shape, cores, err);
fail:
	tb_shape_destroy(shape);
	return NULL;
}

void tb_shape_threads(const struct tb_shape *shape,
		      const struct tb_bitset *cores, struct tb_bitset *threads)
{
	if (shape->by_thread)
		tb_bitset_assign(threads, cores);
	else
		tb_threads_of_cores(shape->topology, cores, threads);
}

void tb_shape_cores(const struct tb_shape *shape,
		    const struct tb_bitset *threads, struct tb_bitset *cores)
{
	if (shape->by_thread)
		tb_bitset_assign(cores, threads);
	else
		tb_cores_of_threads(shape->topology, threads, cores);
}

struct tb_thread_range tb_shape_core_threads(const struct tb_shape *shape,
					     uint32_t core)
{
	if (shape->by_thread)
		return (struct tb_thread_range){ core, 1 };
	return (struct tb_thread_range){
		tb_core_first_thread(shape->topology, core),
		tb_core_threads(shape->topology, core)
	};
}
