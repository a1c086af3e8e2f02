/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * combination.h - which options of Slurm do not go with a binding
 *
 * A job has options of Slurm's beside its binding.  Most of them work as ever;
 * those that would have two owners of one decision, or no effect, are refused.
 * The rules are here, as text in and a sentence out, so that the client, which
 * can talk to the user, and the controller, which must not trust it, apply the
 * same ones.  topobind_binding(7), section COMBINATIONS, is the same for users.
 */
#ifndef TB_CORE_COMBINATION_H
#define TB_CORE_COMBINATION_H

#include "error.h"
#include "request.h"

/* Who asks: a job at its submission, or a step of a job that is there. */
enum tb_asker { TB_JOB, TB_JOB_STEP };

/* The options that there are rules for, without dashes; NULL-terminated. */
extern const char *const tb_combination_options[];

/*
 * Does this option of Slurm, with the value that Slurm prints for it, go with a
 * request?  0, also for an option without a rule and a request that does not
 * bind; -1 with a sentence that names the option, the value, and what to do.
 */
int tb_combination_check(const struct tb_request *request,
			 enum tb_asker asker, const char *option,
			 const char *value, struct tb_error *err);

#endif
