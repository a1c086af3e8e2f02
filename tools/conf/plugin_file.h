/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin_file.h - plugins of Slurm as files
 *
 * They are read, not loaded: those of daemons need what only the daemons have.
 */
#ifndef TB_TOOLS_CONF_PLUGIN_FILE_H
#define TB_TOOLS_CONF_PLUGIN_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

/*
 * The path of NAME.so in the first directory of PluginDir, "DIR:DIR", that has
 * it; malloc()ed, NULL: in none.
 */
char *tb_plugin_find(const char *plugin_dir, const char *name);

/*
 * The version of Slurm that a plugin was built for, as SLURM_VERSION_NUMBER
 * has it: 0x160508 is 22.05.8.  0 with a sentence when it does not say.
 */
uint32_t tb_plugin_version(const char *path, struct tb_error *err);

/*
 * Does a command get a list of nodes?  It loads the select plugins, and ends
 * when that of SelectType cannot be, or when two have one number.
 */
bool tb_select_plugin_loads(const char *plugin_dir, const char *select_type);

#endif
