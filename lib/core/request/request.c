/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a request asks for, and what it has from others where it does not say. */
#include "request.h"

#include <stdlib.h>

#include "parts.h"
#include "request_key.h"

void tb_request_init(struct tb_request *request)
{
	*request = (struct tb_request){
		.unit = { 'C', TB_POWER },
		.type = TB_SLOT,
		.strategy = TB_PACKED,
	};
}

void tb_request_clear(struct tb_request *request)
{
	tb_filter_destroy(request->filter);
	tb_topology_destroy(request->shape);
	tb_bitset_destroy(request->cpus);
	free(request->prefer);
	tb_request_init(request);
}

bool tb_request_binds(const struct tb_request *request)
{
	bool off = request->given & tb_request_bit(TB_REQUEST_KEY_AMOUNT);

	return request->amount > 0 || (request->cpus && !off);
}

bool tb_request_matches(const struct tb_request *request,
			const struct tb_topology *topology)
{
	return !request->shape ||
	       tb_topology_same_shape(request->shape, topology);
}

struct tb_memory_policy tb_any_memory(void)
{
	return (struct tb_memory_policy){ TB_MEMORY_NONE, TB_MEMORY_ALL };
}

struct tb_memory_policy tb_request_memory(const struct tb_request *request,
					  struct tb_memory_policy site)
{
	bool given = request->given & tb_request_bit(TB_REQUEST_KEY_MEMORY);

	return given ? request->memory : site;
}

enum tb_hardness tb_request_mode(const struct tb_request *request,
				 enum tb_hardness site)
{
	if (request->given & tb_request_bit(TB_REQUEST_KEY_MODE))
		return request->mode;
	return request->instance == TB_SET ? site : TB_HARD;
}

bool tb_request_names_gpu_memory(const struct tb_request *request)
{
	struct tb_memory_policy memory = tb_request_memory(request,
							   tb_any_memory());

	return tb_request_binds(request) && memory.where != TB_MEMORY_NONE &&
	       memory.kinds & TB_MEMORY_BIT(TB_MEMORY_GPU);
}

int tb_request_check_gpus(const struct tb_request *request, bool has_gpus,
			  struct tb_error *err)
{
	if (has_gpus || !tb_request_names_gpu_memory(request))
		return 0;
	return tb_fail(
		err,
		"bmem with +gpu is memory of the job's GPUs, and it asks for none; ask for some with --gpus, --gpus-per-node, --gpus-per-task or --gres=gpu, or leave out +gpu");
}

enum tb_allocation tb_request_nodes(const struct tb_request *request,
				    enum tb_allocation site)
{
	bool given = request->given & tb_request_bit(TB_REQUEST_KEY_NODES);

	return given ? request->nodes : site;
}

/* Do units exclude a list of CPUs, or the other way round? */
static bool choice_is_displaced(bool has_units, bool has_cpus,
				enum tb_key_choice choice)
{
	return (has_units && choice == TB_KEY_CHOOSES_CPUS) ||
	       (has_cpus && choice == TB_KEY_CHOOSES_UNITS);
}

/*
 * Amounts in bunit exclude that of bamount.  Which options of a lower request
 * are displaced, as a bit set.
 */
static unsigned find_displaced_amounts(const struct tb_request *request,
				       const struct tb_request *lower)
{
	unsigned amount = tb_request_bit(TB_REQUEST_KEY_AMOUNT);

	if (tb_request_unit_has_amount(request))
		return amount;
	return tb_request_unit_has_amount(lower) && request->given & amount
		       ? tb_request_bit(TB_REQUEST_KEY_UNIT)
		       : 0;
}

/* A printed value can be read again, so that options need no copy functions. */
static int copy_key(struct tb_request *to, const struct tb_request *from,
		    enum tb_request_key key)
{
	char *value = tb_request_key_value(from, key);
	int rc = value ? tb_request_key_read(to, key, value, NULL) : -1;

	free(value);
	return rc;
}

int tb_request_inherit(struct tb_request *request,
		       const struct tb_request *lower, struct tb_error *err)
{
	bool has_units = tb_request_key_first(request, TB_KEY_CHOOSES_UNITS) !=
			 TB_REQUEST_KEYS;
	bool has_cpus = tb_request_key_first(request, TB_KEY_CHOOSES_CPUS) !=
			TB_REQUEST_KEYS;
	unsigned kept = request->given | find_displaced_amounts(request, lower);

	for (enum tb_request_key key = 0; key < TB_REQUEST_KEYS; key++) {
		unsigned bit = tb_request_bit(key);

		if (kept & bit || !(lower->given & bit) ||
		    choice_is_displaced(has_units, has_cpus,
					tb_request_key_choice(key)))
			continue;
		if (copy_key(request, lower, key))
			return tb_fail(err, "out of memory");
		request->given |= bit;
	}
	return 0;
}
