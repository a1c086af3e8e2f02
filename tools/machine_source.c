/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_source.c - see machine_source.h */
#include <getopt.h>

#include "command.h"
#include "machine_source.h"

bool tb_machine_source_take(struct tb_machine_source *source, int option)
{
	if (option == 'x')
		source->xml = optarg;
	else if (option == 's')
		source->synthetic = optarg;
	else
		return false;
	return true;
}

bool tb_machine_source_is_double(const struct tb_machine_source *source,
				 const char *command)
{
	if (!source->xml || !source->synthetic)
		return false;
	tb_command_fail(command, "--xml and --synthetic exclude each other, give one of them");
	return true;
}

bool tb_machine_source_is_here(const struct tb_machine_source *source)
{
	return !source->xml && !source->synthetic;
}

struct tb_machine *
tb_machine_source_load(const struct tb_machine_source *source,
		       struct tb_machine *(*here)(struct tb_error *err),
		       struct tb_error *err)
{
	if (source->xml)
		return tb_machine_load_xml(source->xml, err);
	if (source->synthetic)
		return tb_machine_load_synthetic(source->synthetic, err);
	return here(err);
}
