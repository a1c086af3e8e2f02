/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_source.h - the options that say whose machine it is: --xml, --synthetic
 */
#ifndef TB_TOOLS_MACHINE_SOURCE_H
#define TB_TOOLS_MACHINE_SOURCE_H

#include <stdbool.h>

#include "hwloc/machine.h"

/* Neither: this machine. */
struct tb_machine_source {
	const char *xml, *synthetic;
};

/* One of getopt's letters: 'x' and 's' are taken from optarg, others not. */
bool tb_machine_source_take(struct tb_machine_source *source, int option);
/* Were both given?  Then a sentence was printed. */
bool tb_machine_source_is_double(const struct tb_machine_source *source,
				 const char *command);
bool tb_machine_source_is_here(const struct tb_machine_source *source);

/* here: how this machine is loaded.  NULL with a sentence. */
struct tb_machine *
tb_machine_source_load(const struct tb_machine_source *source,
		       struct tb_machine *(*here)(struct tb_error *err),
		       struct tb_error *err);

#endif
