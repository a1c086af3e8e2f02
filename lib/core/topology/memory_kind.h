/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_kind.h - what a NUMA node's memory is made of
 *
 * Main memory is what programs get unless they ask for other memory.  High
 * bandwidth memory, memory behind CXL and that of GPUs can be NUMA nodes of their
 * own beside it; then somebody must name them to use them (seed 001: memory local
 * or mandatory; doc/design.md, "On the node").
 */
#ifndef TB_CORE_TOPOLOGY_MEMORY_KIND_H
#define TB_CORE_TOPOLOGY_MEMORY_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum tb_memory_kind {
	TB_MEMORY_MAIN,
	TB_MEMORY_HBM,
	TB_MEMORY_CXL,
	TB_MEMORY_GPU,
	TB_MEMORY_OTHER, /* persistent memory, and what nobody knows */
	TB_MEMORY_KINDS
};

/* A set of kinds has a bit for each. */
#define TB_MEMORY_BIT(kind) (1u << (kind))
#define TB_MEMORY_ALL ((1u << TB_MEMORY_KINDS) - 1)

/* "main", "hbm", "cxl", "gpu", "other".  Static text. */
const char *tb_memory_kind_name(enum tb_memory_kind kind);

/* The kind of a name of so many bytes; false: there is none. */
bool tb_memory_kind_parse(const char *name, size_t length,
			  enum tb_memory_kind *kind);

#endif
