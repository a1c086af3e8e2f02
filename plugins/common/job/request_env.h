/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_env.h - the binding request of a job or step, from its environment
 *
 * Where the request of a user ends up after submission.  Slurm keeps SPANK's
 * options with the job (job_record_t.spank_job_env) and hands them to the nodes
 * as variables; so do clients without SPANK (REST: spank_environment).  This is
 * the one place that knows the names of those variables, so that controller
 * and node read the same request.  What it reads is user input.
 */
#ifndef TB_COMMON_JOB_REQUEST_ENV_H
#define TB_COMMON_JOB_REQUEST_ENV_H

#include "core/base/error.h"
#include "core/request/request.h"
#include "core/request/request_key.h"

/*
 * The name without prefix of the variable that carries the canonical line of
 * the whole request ("bunit=X,bamount=1").  Empty: no request.
 */
#define TB_REQUEST_VARIABLE "TOPOBIND_REQUEST"
/*
 * With "_" and a job's number behind it: what that part of a heterogeneous job was started
 * with, empty for no request of its own.  Steps may be in all parts.  When a part starts
 * the controller puts it beside the leader's request, for the script.
 */
#define TB_PART_REQUEST_PREFIX TB_REQUEST_VARIABLE "_"
#define TB_PART_REQUEST_FORMAT TB_PART_REQUEST_PREFIX "%u"
/*
 * In the environment of what salloc starts, which has no numbers of jobs yet: the request
 * of each part of a heterogeneous job, by its place among them, as in
 * SLURM_JOB_ID_HET_GROUP_0.
 */
#define TB_GROUP_REQUEST_FORMAT "TOPOBIND_HET_GROUP_%u"
/* The same for a step that has a request of its own inside its job's. */
#define TB_STEP_REQUEST_VARIABLE "TOPOBIND_STEP_REQUEST"
/*
 * The controller's note that it has bound a job without a request, which nodes read
 * for batch jobs: the site's request, which has no amount.
 */
#define TB_IMPLICIT_VARIABLE "TOPOBIND_IMPLICIT"
/* The controller's note that a job with a request was started without a binding. */
#define TB_UNBOUND_VARIABLE "TOPOBIND_UNBOUND"
/*
 * The controller's note which alternative of the job's request it was started with,
 * as in "N:1", which nodes read for batch jobs.
 */
#define TB_ALTERNATIVE_VARIABLE "TOPOBIND_ALTERNATIVE"
/* What Slurm puts before these names in the environment of a job. */
#define TB_JOB_ENV_PREFIX "SLURM_SPANK_"

/*
 * Most variables that the SPANK environment of a job may have, the notes not
 * counted.  It is read under slurmctld's locks, and users make it as long as they
 * like; other SPANK plugins of a site have a few.
 */
#define TB_ENV_MAX 4096
#define TB_ENV_NOTES 3
/* Has it more, whatever they are?  Then nothing of it is read. */
bool tb_env_is_long(unsigned count);

enum tb_env_variable {
	TB_ENV_REQUEST,
	TB_ENV_STEP_REQUEST,
	TB_ENV_IMPLICIT,
	TB_ENV_UNBOUND,
	TB_ENV_ALTERNATIVE,
	TB_ENV_VARIABLES
};

/* By option: those of tb_request_keys, then "topobind". */
enum { TB_ENV_LINE = TB_REQUEST_KEYS, TB_ENV_OPTIONS };

/*
 * What topobind's variables say, found in one pass.  The values (NULL: none) point
 * into the environment.
 */
struct tb_env_texts {
	const char *variables[TB_ENV_VARIABLES];
	const char *options[TB_ENV_OPTIONS];
	unsigned count; /* of all variables but the notes */
	size_t length;	/* of the options' text together, repeated ones too */
	bool options_are_wrong;
	struct tb_error why;
};

/*
 * Look through count "NAME=value" strings (env may be NULL when count is 0; entries
 * may be NULL and in any order).
 */
void tb_env_texts_find(struct tb_env_texts *texts, char *const *env,
		       unsigned count);

/*
 * Read the request out of such strings.
 *
 * 1. The canonical line, TB_REQUEST_VARIABLE, with or without the prefixes
 *    "SPANK_" and "SLURM_SPANK_" that Slurm adds.  It wins over all else.
 * 2. The SPANK options one by one, "_SLURM_SPANK_OPTION_topobind_<option>",
 *    with or without these prefixes; <option> is one of tb_request_keys or
 *    "topobind".  An option wins over the line of "topobind".
 *    Another name, no value, or one option with two values is malformed.
 * The first of several TB_REQUEST_VARIABLEs counts.
 * More than TB_ENV_MAX variables, or a text of more than TB_REQUEST_TEXT_MAX bytes,
 * are malformed, too, and looked at no further.
 *
 * request need not be initialised; afterwards it always is, and the caller
 * clears it.  0: read; tb_request_is_given() says whether there was one.  -1
 * with a sentence in err (may be NULL): malformed; request is then empty.
 */
int tb_request_from_env(struct tb_request *request, char *const *env,
			unsigned count, struct tb_error *err);
int tb_request_from_texts(struct tb_request *request,
			  const struct tb_env_texts *texts,
			  struct tb_error *err);

/* The request of a step's job, which may be a part of a heterogeneous one. */
int tb_job_request_from_env(struct tb_request *request, char *const *env,
			    unsigned count, uint32_t job, struct tb_error *err);

/*
 * The same for a step's own request, which comes as a line only, in
 * TB_STEP_REQUEST_VARIABLE.
 */
int tb_step_request_from_env(struct tb_request *request, char *const *env,
			     unsigned count, struct tb_error *err);

/* The line in TB_IMPLICIT_VARIABLE, NULL for none; points into env. */
const char *tb_implicit_from_env(char *const *env, unsigned count);

/*
 * The alternative of a request that the controller's note says, for
 * tb_request_plain(); the first where there is no such note.
 */
unsigned tb_alternative_of_texts(const struct tb_request *request,
				 const struct tb_env_texts *texts);

/* Is this entry (or NULL) one of the controller's notes, or like one? */
bool tb_env_is_note(const char *entry);
/* Is it one of these, or is it read for the job's request? */
bool tb_env_is_of_request(const char *entry);
/*
 * Name, without prefix, and value of an entry (or NULL) that is a part's request, or
 * NULL.
 */
const char *tb_env_find_part(const char *entry);

/*
 * Make an empty request the site's, with an amount of 1, which stands for all
 * units that the tasks on a node need together.
 */
int tb_request_bind_implicitly(struct tb_request *request,
			       const struct tb_request *site,
			       struct tb_error *err);

/*
 * The value of binding= in a job's SystemComment (common/job/job_comment.h), into a
 * request that tb_request_init() made.  "implicit,bunit=C" is the site's request
 * in place of the job's, bound as above.
 */
#define TB_IMPLICIT_WORD "implicit"
bool tb_request_is_implicit(const char *line);
int tb_request_from_comment(struct tb_request *request, const char *line,
			    struct tb_error *err);

#endif
