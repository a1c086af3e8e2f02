/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_source.c - see machine_source.h */
#include "machine_source.h"

const struct option tb_machine_source_options[] = {
	{ "xml", required_argument, NULL, 'x' },
	{ "synthetic", required_argument, NULL, 's' },
	{ NULL, 0, NULL, 0 },
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
	return tb_fail(err, "--xml and --synthetic exclude each other, give one of them");
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
