/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * combination.h - which options of Slurm do not go with a binding
 *
 * A job has options of Slurm beside its binding.  Most of them work as they do
 * without one.  An option is refused when it would make two programs decide the
 * same thing, or would have no effect.  The client, which can talk to the user,
 * and the controller, which must not trust the client, both apply these rules.
 * topobind_combinations(7) has them for users.
 */
#ifndef TB_CORE_REQUEST_COMBINATION_H
#define TB_CORE_REQUEST_COMBINATION_H

#include "core/base/error.h"
#include "request.h"

/* Who asks: a job when it is submitted, or a step of a job. */
enum tb_asker { TB_JOB, TB_JOB_STEP };

/* The options that have rules, without dashes; NULL-terminated. */
extern const char *const tb_combination_options[];

/*
 * Does this option of Slurm, with the value that Slurm prints for it, go with a
 * request?  0 when it does, also for an option without a rule and a request that
 * does not bind.  -1 with a sentence that names the option and the value and says
 * what to do.
 */
int tb_combination_check(const struct tb_request *request, enum tb_asker asker,
			 const char *option, const char *value,
			 struct tb_error *err);

#endif
