/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach.h - srun --jobid from a shell that is not the job's
 *
 * Such a shell does not have the job's request in its environment, and neither
 * have the messages that start the step: the client asks the controller.
 */
#ifndef TB_SPANK_ATTACH_H
#define TB_SPANK_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

/* Was this srun started with --jobid? */
bool tb_attach_is_asked(void);

/*
 * The canonical request of a running job, from the line binding= of its
 * SystemComment; NULL: it has none, or Slurm does not say.  malloc()ed.
 */
char *tb_attach_request(uint32_t job_id);

/*
 * The same of each part of a heterogeneous job, "" for none, by one question: send() is
 * called with the part's number.  -1: it was, with -1 for an answer.
 */
int tb_attach_parts(uint32_t job_id,
		    int (*send)(void *arg, uint32_t part, const char *request),
		    void *arg);

/* Is a running job bound because the site binds all, not by its request? */
bool tb_attach_is_implicit(uint32_t job_id);

#endif
