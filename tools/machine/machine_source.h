/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_source.h - the options that say whose machine it is: --xml, --synthetic
 */
#ifndef TB_TOOLS_MACHINE_MACHINE_SOURCE_H
#define TB_TOOLS_MACHINE_MACHINE_SOURCE_H

#include <stdbool.h>

#include "command.h"
#include "hwloc/machine.h"

/* Neither: this machine. */
struct tb_machine_source {
	const char *xml, *synthetic;
};

/* For struct tb_command_line. */
extern const struct tb_command_option tb_machine_source_options[];

/* Take one of these, its value from optarg. */
void tb_machine_source_take(struct tb_machine_source *source, int option);
/* -1 with a sentence where both were given. */
int tb_machine_source_check(const struct tb_machine_source *source,
			    struct tb_error *err);
bool tb_machine_source_is_here(const struct tb_machine_source *source);

/* here: how this machine is loaded.  NULL with a sentence. */
struct tb_machine *
tb_machine_source_load(const struct tb_machine_source *source,
		       struct tb_machine *(*here)(struct tb_error *err),
		       struct tb_error *err);

#endif
