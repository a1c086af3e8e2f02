/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the daemons look for topobind.conf; see conf.h. */
#include "conf.h"

#include "compat/slurm_compat.h"

#include "src/common/read_config.h"
#include "src/common/xmalloc.h"

char *tb_conf_path(void)
{
	return get_extra_conf_path(TB_CONF_FILE);
}

struct tb_conf *tb_conf_load(struct tb_error *err)
{
	char *path = tb_conf_path();
	struct tb_conf *site = tb_conf_read(path, err);

	xfree(path);
	return site;
}
