/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch_abi.c - slurmctld asks select/topobind about steps
 *
 * See switch_handover.h.  This is a plugin of its own, switch/topobind.  It stands
 * before the site's switch plugin, if there is one, in slurmctld only: it has that
 * one's number and passes on every call, so that what other daemons get is the site's.
 */
#include "compat/from_2505/switch_handover.h"
#include "compat/from_2505/switch_ops.h"

#include "src/common/log.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/xstring.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT extern const char plugin_name[];
EXPORT extern const char plugin_type[];
EXPORT extern const uint32_t plugin_version;
EXPORT extern uint32_t plugin_id;

const char plugin_name[] = "Steps of bound jobs get whole slots";
const char plugin_type[] = TB_SWITCH_TYPE;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Without a site's plugin, a number that Slurm's do not have. */
uint32_t plugin_id = 110;

/* The site's plugin, by the names of its operations. */
#define POINT_TO_OWN(type, name, parameters) type(*name) parameters;
#define POINT_TO_OP(type, otherwise, name, parameters, ...) \
	type(*name) parameters;
static struct {
	uint32_t *plugin_id;
	SWITCH_OPS(POINT_TO_OWN, POINT_TO_OP)
} site;

/* In the order of these pointers. */
#define NAME_OWN(type, name, ...) SYMBOL(name),
#define NAME_OP(type, otherwise, name, ...) SYMBOL(name),
#define SYMBOL(name) SYMBOL_OF(name)
#define SYMBOL_OF(name) "switch_p_" #name
static const char *symbols[] = { "plugin_id", SWITCH_OPS(NAME_OWN, NAME_OP) };

_Static_assert(sizeof(symbols) == sizeof(site),
	       "one symbol for each operation");

static struct tb_switch_handover *handover;
static plugin_handle_t select_plugin = PLUGIN_INVALID_HANDLE;
static plugin_handle_t site_plugin = PLUGIN_INVALID_HANDLE;

/* Of the select plugin that slurmctld has loaded: it is the same object. */
static bool find_handover(void)
{
	const char *name[] = { TB_SWITCH_HANDOVER };

	select_plugin = plugin_load_and_link(slurm_conf.select_type, 1, name,
					     (void **)&handover);
	return select_plugin != PLUGIN_INVALID_HANDLE;
}

static bool load_site_plugin(void)
{
	int count = sizeof(symbols) / sizeof(*symbols);

	if (!handover->site_type || !xstrcmp(handover->site_type, plugin_type))
		return true;
	site_plugin = plugin_load_and_link(handover->site_type, count, symbols,
					   (void **)&site);
	if (site_plugin == PLUGIN_INVALID_HANDLE)
		return false;
	plugin_id = *site.plugin_id;
	return true;
}

static void unload(plugin_handle_t *plugin)
{
	if (*plugin != PLUGIN_INVALID_HANDLE)
		plugin_unload(*plugin);
	*plugin = PLUGIN_INVALID_HANDLE;
}

/*
 * srun loads all switch plugins where the site has one, and whoever writes this one
 * into slurm.conf has all daemons load it: outside slurmctld it does nothing.
 */
EXPORT int init(void);
EXPORT int init(void)
{
	if (!running_in_slurmctld())
		return SLURM_SUCCESS;
	if (!find_handover()) {
		error("switch/topobind: it works with SelectType=select/topobind only, which slurmctld does not have");
		return SLURM_ERROR;
	}
	/* Slurm compares it with what it reads again, and shows it to users. */
	slurm_conf.switch_type = handover->site_type;
	if (!load_site_plugin()) {
		unload(&select_plugin);
		return SLURM_ERROR;
	}
	return SLURM_SUCCESS;
}

EXPORT int fini(void);
EXPORT int fini(void)
{
	unload(&site_plugin);
	unload(&select_plugin);
	return SLURM_SUCCESS;
}

/* The symbols that slurmctld looks for. */
#define EXPORTED(name) EXPORTED_AS(name)
#define EXPORTED_AS(name) switch_p_##name
#define DECLARE_OWN(type, name, parameters) \
	EXPORT extern type EXPORTED(name) parameters;
#define DECLARE_OP(type, otherwise, name, parameters, ...) \
	EXPORT extern type EXPORTED(name) parameters;
SWITCH_OPS(DECLARE_OWN, DECLARE_OP)

/* Where topobind takes part.  Batch scripts have no step record. */

int EXPORTED(OF_STEP(build))(tb_switch_info_t **info, void *of_job,
			     step_record_t *step)
{
	if (step && handover)
		handover->step_start(step);
	return site.OF_STEP(build) ? site.OF_STEP(build)(info, of_job, step)
				   : SLURM_SUCCESS;
}

/* For the answer to srun: by now Slurm has counted what the step uses. */
void EXPORTED(OF_STEP(duplicate))(tb_switch_info_t *from, tb_switch_info_t **to)
{
	if (handover)
		handover->step_counted();
	if (site.OF_STEP(duplicate))
		site.OF_STEP(duplicate)(from, to);
}

int EXPORTED(save)(void)
{
	if (handover)
		handover->control_ends();
	return site.save ? site.save() : SLURM_SUCCESS;
}

/* What is the site's alone */

#define DEFINE_NOTHING(type, name, parameters)
#define PASS_ON(type, otherwise, name, parameters, arguments) \
	type EXPORTED(name) parameters \
	{ \
		if (site.name) \
			return site.name arguments; \
		return otherwise; \
	}
SWITCH_OPS(DEFINE_NOTHING, PASS_ON)
