/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_numbers.h - numbers of options as records of jobs and what clients send have
 * them, for core/request/job_options.h
 */
#ifndef TB_COMMON_JOB_OPTION_NUMBERS_H
#define TB_COMMON_JOB_OPTION_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include <slurm/slurm.h>

#include "core/request/job_options.h"

/* Both values for "unset" are large. */
static inline uint16_t tb_option_number(uint16_t number)
{
	return number >= NO_VAL16 ? TB_OPTION_NOT_SAID : number;
}

static inline uint32_t tb_option_count(uint16_t number)
{
	return number >= NO_VAL16 ? 0 : number;
}

/* Of --thread-spec, or of --core-spec: Slurm keeps both in one number. */
static inline uint16_t tb_option_spec(uint16_t spec, bool threads)
{
	bool of_threads = spec & CORE_SPEC_THREAD;

	return spec == NO_VAL16 || threads != of_threads
		       ? TB_OPTION_NOT_SAID
		       : spec & ~CORE_SPEC_THREAD;
}

#endif
