/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any string as OS CPU numbers; its first byte says of which node.
 */
#include "fuzz.h"

#include "core/topology/os_cpus.h"

static const char *const nodes[] = {
	"SC",
	"SCCCC",
	"SCTTCTTSCTTCTT",
	"NSXCTTCTTEENSXCTTCTTEE",
};

static void check_again(const unsigned *os_cpus,
			const struct tb_topology *topology)
{
	char *printed = tb_os_cpus_print(os_cpus, topology, NULL);
	unsigned *again;

	FUZZ_CHECK(printed);
	again = tb_os_cpus_parse(printed, topology, NULL);
	FUZZ_CHECK(again);
	FUZZ_CHECK(!memcmp(again, os_cpus,
			   tb_topology_threads(topology) * sizeof(*again)));
	free(again);
	free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned node = size ? data[0] % (sizeof(nodes) / sizeof(*nodes)) : 0;
	char *text = fuzz_string(data + (size > 0), size - (size > 0));
	struct tb_topology *topology = tb_topology_parse(nodes[node], NULL,
							 NULL);
	struct tb_error err = { "" };
	unsigned *os_cpus;

	FUZZ_CHECK(topology);
	os_cpus = tb_os_cpus_parse(text, topology, &err);
	if (os_cpus)
		check_again(os_cpus, topology);
	else
		FUZZ_CHECK(*err.text);
	free(os_cpus);
	tb_topology_destroy(topology);
	free(text);
	return 0;
}
