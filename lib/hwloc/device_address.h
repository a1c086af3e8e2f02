/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_address.h - the PCI address of a device, as Linux tells it
 *
 * By the numbers of a device file, not by its path: what is read is the kernel's own,
 * and no link is followed that somebody else could have made.
 */
#ifndef TB_HWLOC_DEVICE_ADDRESS_H
#define TB_HWLOC_DEVICE_ADDRESS_H

#include <stdbool.h>

#include "core/topology/gpu_memory.h"

/* The numbers of a device file. */
struct tb_device_number {
	bool is_block; /* else of characters */
	unsigned major, minor;
};

/*
 * root is where sys/ and proc/ are: "" but in tests.  False: it is not known, as of
 * devices that are not at the PCI bus.
 */
bool tb_device_address(const char *root, const struct tb_device_number *number,
		       struct tb_pci_address *address);

#endif
