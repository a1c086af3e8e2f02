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

/*
 * For struct tb_test: what the job leaves to others, with all that is excluded for it.
 * The caller destroys.  NULL: nothing, as its partition or its request does not want
 * that, or no node has devices that are near some of its cores.  request NULL: a job
 * without a binding.
 */
struct tb_mask *tb_spare_devices(const struct tb_test *test,
				 const struct tb_request *request);

#endif
