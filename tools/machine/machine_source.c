/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_source.c - see machine_source.h */
#include "machine_source.h"

const struct tb_command_option tb_machine_source_options[] = {
	{ NULL, "xml", "FILE", 'x',
	  "take the machine from an XML file of hwloc's lstopo" },
	{ NULL, "synthetic", "DESCRIPTION", 's',
	  "take it from an hwloc synthetic description, such as \"pack:2 l3:4 core:8 pu:2\"" },
	{ 0 },
};

void tb_machine_source_take(struct tb_machine_source *source, int option)
{
	if (option == 'x')
		source->xml = optarg;
	else
		source->synthetic = optarg;
}

int tb_machine_source_check(const struct tb_machine_source *source,
			    struct tb_error *err)
{
	if (!source->xml || !source->synthetic)
		return 0;
	return tb_fail(
		err,
		"--xml and --synthetic exclude each other, give one of them");
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
