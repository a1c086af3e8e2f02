/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidates_unknown.h"

#include "candidate_pools.h"

/* Do all nodes show which units are near the devices that the job asks for? */
static bool know_near(const struct tb_candidates *candidates)
{
	const struct tb_job_spec *spec = candidates->spec;

	if (spec->near == TB_NEAR_ANYTHING || !spec->devices.count)
		return true;
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (!candidates->nodes[i].closed &&
		    candidates->nodes[i].pools &&
		    candidates->nodes[i].pools->unknown)
			return false;
	return true;
}

/* Does a reservation have to do with devices of a node?  Which ones nobody is told. */
static bool some_are_reserved(const struct tb_candidates *candidates)
{
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (!candidates->nodes[i].closed &&
		    candidates->nodes[i].devices_reserved)
			return true;
	return false;
}

/* Does the controller say how many of these devices each node has? */
static bool are_dealt(const struct tb_need *need,
		      const struct tb_devices_asked *devices)
{
	if (devices->per_task)
		return need->request->type == TB_HOST;
	return devices->per_job &&
	       tb_asked_most_nodes(&need->asked, need->asked.max_nodes
							 ? need->asked.max_nodes
							 : UINT32_MAX) > 1;
}

static bool some_are_dealt(const struct tb_candidates *candidates)
{
	const struct tb_job_devices *devices = &candidates->spec->devices;

	for (unsigned i = 0; i < devices->count; i++)
		if (are_dealt(&candidates->need, &devices->asked[i]))
			return true;
	return false;
}

const char *tb_candidates_unknown(const struct tb_candidates *candidates)
{
	const struct tb_job_spec *spec = candidates->spec;

	if (!spec->gres)
		return NULL;
	if (some_are_reserved(candidates))
		return "which GRES reservations keep";
	if (spec->devices.more || spec->devices.parts)
		return "whether enough of the GRES that it asks for are together";
	/* Of a request of its own a search finds numbers for which it fits. */
	if (spec->implicit && some_are_dealt(candidates))
		return "how many of its GRES each node gets";
	return spec->near == TB_NEAR_ALWAYS && !know_near(candidates)
		       ? "whether they are near free GRES"
		       : NULL;
}

const char *tb_candidates_units_unknown(const struct tb_candidates *candidates)
{
	static const char near[] = "units near its GRES come first";
	const struct tb_job_spec *spec = candidates->spec;

	if (spec->near == TB_NEAR_ANYTHING || !spec->gres)
		return NULL;
	if (some_are_reserved(candidates))
		return "units near its GRES come first, and which GRES reservations keep only slurmctld knows";
	return spec->devices.more || some_are_dealt(candidates) ||
			       !know_near(candidates)
		       ? near
		       : NULL;
}
