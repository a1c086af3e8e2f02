/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gpu_memory.h - which NUMA nodes are the memory of which GPU
 *
 * Where the memory of a GPU is a NUMA node (NVIDIA's on POWER9 and Grace), Linux says
 * by its PCI address whose it is.  The GPUs that Slurm has granted are device files,
 * and such a file leads to a PCI address, too.  So bmem=local+gpu can give a step the
 * memory of its own GPUs and never that of others (doc/design.md, "On the node").
 */
#ifndef TB_CORE_TOPOLOGY_GPU_MEMORY_H
#define TB_CORE_TOPOLOGY_GPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/base/error.h"

/* Where a device is: domain:bus:device.function. */
struct tb_pci_address {
	uint32_t domain;
	uint8_t bus, device, function;
};

/* As it is printed, with its '\0': "0004:05:00.0"; a domain has up to 8 digits. */
#define TB_PCI_TEXT_SIZE sizeof("00000000:00:00.0")

/* Exactly so many bytes, all hexadecimal.  False: they are no such address. */
bool tb_pci_address_parse(const char *text, size_t length,
			  struct tb_pci_address *address);
void tb_pci_address_print(const struct tb_pci_address *address,
			  char text[TB_PCI_TEXT_SIZE]);

/* A device file of a GPU of the node. */
struct tb_gpu_file {
	const char *path; /* for messages */
	bool is_granted;  /* to the step */
	bool is_found;	  /* its address is known */
	struct tb_pci_address address;
};

/* A NUMA node that is the memory of a GPU. */
struct tb_gpu_numa {
	unsigned os_node;
	struct tb_pci_address address;
};

/*
 * Add to os_nodes, which has room for all, those with the memory of granted GPUs.  A
 * GPU of which a part is not granted has none.  -1 with a sentence if not all granted
 * GPUs have some; what the others have is added nevertheless.
 */
int tb_gpu_memory_choose(const struct tb_gpu_file *files, unsigned nfiles,
			 const struct tb_gpu_numa *numa, unsigned nnuma,
			 struct tb_bitset *os_nodes, struct tb_error *err);

#endif
