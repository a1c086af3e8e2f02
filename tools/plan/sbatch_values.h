/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sbatch_values.h - how the values of sbatch's options are written
 *
 * Each function reads one kind of value, into a job description or into what the caller
 * names.  -1 with a sentence that names the option, the value and what is allowed.
 */
#ifndef TB_TOOLS_PLAN_SBATCH_VALUES_H
#define TB_TOOLS_PLAN_SBATCH_VALUES_H

#include <stdint.h>

#include "compat/slurm_types.h"
#include "core/base/error.h"

/* Of tasks, of nodes: sbatch reads them as int. */
#define TB_SBATCH_COUNT_MAX INT32_MAX

/* A number from least to most. */
int tb_sbatch_read_number(const char *option, const char *text, uint64_t least,
			  uint64_t most, uint64_t *number,
			  struct tb_error *err);

/* "sockets[:cores[:threads]]", each of the one before; "*": any number. */
int tb_sbatch_read_node_info(job_desc_msg_t *job, const char *text,
			     struct tb_error *err);

/* "least[-most]"; "2" is "2-2". */
int tb_sbatch_read_nodes(job_desc_msg_t *job, const char *text,
			 struct tb_error *err);

/* MB; K, M, G and T may follow. */
int tb_sbatch_read_memory(const char *option, const char *text,
			  uint64_t *memory, struct tb_error *err);

/* In minutes, or INFINITE. */
int tb_sbatch_read_time(const char *option, uint32_t *limit, const char *text,
			struct tb_error *err);

/* Of --exclusive; NULL: without a value. */
int tb_sbatch_read_sharing(job_desc_msg_t *job, const char *text,
			   struct tb_error *err);

/* Flags of GRES that share a device are left out: they are for steps. */
int tb_sbatch_read_gres_flags(job_desc_msg_t *job, const char *text,
			      struct tb_error *err);

/*
 * "gpu:2,foo:1" as Slurm sends it, a prefix before each, behind what *to (malloc()ed, or
 * NULL) has.  -1 with a sentence when out of memory.
 */
int tb_sbatch_add_gres(char **to, const char *list, const char *prefix,
		       struct tb_error *err);

#endif
