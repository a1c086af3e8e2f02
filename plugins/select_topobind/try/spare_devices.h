/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spare_devices.h - SpareDevices=yes: jobs without devices leave the cores near devices
 * to others, as long as there are others
 *
 * A test is done first as if these cores were not there, and when that finds no start
 * now as if nothing were said: the site's wish says where a job runs, never when.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_SPARE_DEVICES_H
#define TB_SELECT_TOPOBIND_TRY_SPARE_DEVICES_H

#include "compat/select_compat.h"
#include "core/request/request.h"

/* What a job leaves to others. */
struct tb_spared {
	/* For struct tb_test: with all that is excluded for it.  NULL: nothing. */
	struct tb_mask *mask;
	bitstr_t *nodes; /* of the test's those on which there are other cores */
};

/*
 * request NULL: a job without a binding.  Nothing where its partition or its request
 * does not want that, where no node has devices that are near some of its cores, and
 * where those that have other cores cannot be all that it needs.  The caller clears.
 */
void tb_spare_devices(struct tb_spared *spared, const struct tb_test *test,
		      const struct tb_request *request);
void tb_spared_clear(struct tb_spared *spared);

#endif
