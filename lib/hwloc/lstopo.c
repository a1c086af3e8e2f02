/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lstopo.c - see lstopo.h */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

#include "lstopo.h"

static int no_memory(struct tb_error *err)
{
	return tb_fail(err, "out of memory while colouring the machine");
}

static int set_color(hwloc_obj_t object, int rgb, struct tb_error *err)
{
	char *style;
	int rc;

	if (rgb < 0)
		return 0;
	if (asprintf(&style, "Background=#%06x;Text=#000000", (unsigned)rgb) <
	    0)
		return no_memory(err);
	rc = hwloc_obj_add_info(object, "lstopoStyle", style);
	free(style);
	return rc ? no_memory(err) : 0;
}

/* hwloc frees the subtype. */
static int set_sign(hwloc_obj_t object, char sign, struct tb_error *err)
{
	const char text[2] = { sign, '\0' };

	if (!sign)
		return 0;
	free(object->subtype);
	object->subtype = strdup(text);
	return object->subtype ? 0 : no_memory(err);
}

static hwloc_obj_t pu_of(const struct tb_lstopo *picture,
			 hwloc_topology_t hwloc, unsigned thread)
{
	return hwloc_get_pu_obj_by_os_index(hwloc,
					    tb_machine_os_cpu(picture->machine,
							      thread));
}

static int color_threads(const struct tb_lstopo *picture,
			 hwloc_topology_t hwloc, struct tb_error *err)
{
	const struct tb_topology *topology = tb_machine_topology(
		picture->machine);

	for (unsigned i = 0; i < tb_topology_threads(topology); i++) {
		hwloc_obj_t pu = pu_of(picture, hwloc, i);

		if (!pu)
			return tb_fail(err,
				       "the machine has changed while it was read");
		if (set_color(pu, picture->rgb[i], err) ||
		    set_sign(pu, picture->signs[i], err))
			return -1;
	}
	return 0;
}

/* A core whose threads have one colour has it, too. */
static int color_cores(const struct tb_lstopo *picture, hwloc_topology_t hwloc,
		       struct tb_error *err)
{
	const struct tb_topology *topology = tb_machine_topology(
		picture->machine);

	for (unsigned i = 0; i < tb_topology_cores(topology); i++) {
		unsigned first = tb_core_first_thread(topology, i);
		int rgb = picture->rgb[first];
		hwloc_obj_t core =
			hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_CORE,
						       pu_of(picture, hwloc,
							     first));

		for (unsigned j = 0; j < tb_core_threads(topology, i); j++)
			if (picture->rgb[first + j] != rgb)
				rgb = -1;
		if (core && set_color(core, rgb, err))
			return -1;
	}
	return 0;
}

static int add_note(const struct tb_lstopo *picture, hwloc_topology_t hwloc,
		    const struct tb_lstopo_note *note, struct tb_error *err)
{
	hwloc_bitmap_t cpuset = hwloc_bitmap_alloc();
	hwloc_obj_t around, misc = NULL;

	if (!cpuset)
		return no_memory(err);
	TB_BITSET_EACH(i, note->threads)
		hwloc_bitmap_set(cpuset,
				 tb_machine_os_cpu(picture->machine, i));
	around = hwloc_get_obj_covering_cpuset(hwloc, cpuset);
	hwloc_bitmap_free(cpuset);
	if (around)
		misc = hwloc_topology_insert_misc_object(hwloc, around,
							 note->text);
	if (!misc)
		return tb_fail(err, "hwloc does not accept the note \"%.100s\"",
			       note->text);
	return set_color(misc, note->rgb, err);
}

static int color_machine(const struct tb_lstopo *picture,
			 hwloc_topology_t hwloc, struct tb_error *err)
{
	if (color_threads(picture, hwloc, err) ||
	    color_cores(picture, hwloc, err))
		return -1;
	for (unsigned i = 0; i < picture->nnotes; i++)
		if (add_note(picture, hwloc, &picture->notes[i], err))
			return -1;
	fflush(stdout);
	if (hwloc_topology_export_xml(hwloc, "-", 0))
		return tb_fail(err, "hwloc cannot write its XML");
	return 0;
}

/* As machine.h has loaded it, but with room for notes. */
static int load_hwloc(const struct tb_lstopo *picture, hwloc_topology_t hwloc,
		      struct tb_error *err)
{
	if (hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_MISC,
					   HWLOC_TYPE_FILTER_KEEP_ALL) ||
	    (picture->xml && hwloc_topology_set_xml(hwloc, picture->xml)) ||
	    hwloc_topology_load(hwloc))
		return tb_fail(err, "hwloc cannot load the machine again");
	return 0;
}

int tb_lstopo_write(const struct tb_lstopo *picture, struct tb_error *err)
{
	hwloc_topology_t hwloc;
	int rc;

	if (hwloc_topology_init(&hwloc))
		return no_memory(err);
	rc = load_hwloc(picture, hwloc, err);
	if (!rc)
		rc = color_machine(picture, hwloc, err);
	hwloc_topology_destroy(hwloc);
	return rc;
}
