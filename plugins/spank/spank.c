/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SPANK plugin: options for sbatch, srun and salloc.
 *
 * Everything is decided in the client, where the user can read a message: the
 * options are checked and put together, and one canonical line travels on in
 * the job's SPANK environment (common/job/request_env.h).  Slurm keeps that with
 * the job in the controller, and hands it to the nodes with the messages that
 * start batch scripts and steps.  The single options, which Slurm would send
 * as well, are removed again, so that there is one request only and an sbatch
 * inside a job does not inherit them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm_errno.h>
#include <slurm/spank.h>

#include "common/job/job_comment.h"
#include "common/job/request_env.h"
#include "core/request/alternatives.h"
#include "core/request/request_key.h"
#include "attach.h"
#include "client_combinations.h"
#include "options.h"
#include "parts.h"
#include "refused.h"

#define EXPORT __attribute__((visibility("default")))
#define OPTION_VARIABLE "_SLURM_SPANK_OPTION_topobind_"
#define USER_VARIABLE "TOPOBIND"
#define JOB_VARIABLE TB_JOB_ENV_PREFIX TB_REQUEST_VARIABLE
#define IMPLICIT_VARIABLE TB_JOB_ENV_PREFIX TB_IMPLICIT_VARIABLE

extern EXPORT const char plugin_name[];
extern EXPORT const char plugin_type[];
extern EXPORT const unsigned int plugin_version;
extern EXPORT const unsigned int spank_plugin_version;
SPANK_PLUGIN(topobind, 1);

extern EXPORT spank_f slurm_spank_init;
extern EXPORT spank_f slurm_spank_init_post_opt;
extern EXPORT spank_f slurm_spank_local_user_init;

/* SPANK's callbacks carry no pointer of ours, so what they collect is here. */
static struct tb_options options;
static struct tb_error first_error;
/* Some request is on its way to the nodes. */
static bool request_sent;
/* The job's, when it has alternatives: the controller chooses one.  Or NULL. */
static char *alternatives_sent;

static bool is_client(void)
{
	return spank_context() == S_CTX_LOCAL ||
	       spank_context() == S_CTX_ALLOCATOR;
}

/*
 * SPANK does not say where an option comes from.  The strings of the command
 * line lie at the very top of the process, from argv[0] on; those of #SBATCH
 * lines are on the heap, below.
 */
static enum tb_source source_of(const char *value)
{
	if ((uintptr_t)value >= (uintptr_t)program_invocation_name)
		return TB_COMMAND_LINE;
	return TB_SCRIPT;
}

/*
 * sbatch, salloc and srun themselves end at a wrong option and after --help.  Other
 * programs that load SPANK plugins go on.
 */
static void end_client(int status)
{
	static const char *const clients[] = { "sbatch", "salloc", "srun" };

	for (size_t i = 0; i < sizeof(clients) / sizeof(clients[0]); i++)
		if (strcmp(program_invocation_short_name, clients[i]) == 0)
			exit(status);
}

static void print_help(const struct tb_option *option)
{
	const char *allowed = tb_request_allowed(option->name);

	printf("--%s=%s\n    %s\n", option->name, option->arginfo,
	       option->usage);
	if (allowed != NULL)
		printf("    allowed: %s\n", allowed);
	end_client(EXIT_SUCCESS);
}

/*
 * A wrong option is reported later, by post_opt: when this fails Slurm prints
 * the whole value, which may be 64 KiB.
 */
static int read_option(int index, const char *value, int remote)
{
	struct tb_error err;

	if (remote || !is_client())
		return 0;
	if (strcmp(value, "help") == 0)
		print_help(&tb_option_table[index]);
	if (tb_options_add(&options, source_of(value),
			   tb_option_table[index].name, value, &err) < 0 &&
	    first_error.text[0] == '\0')
		first_error = err;
	return 0;
}

static int register_options(spank_t spank)
{
	for (int i = 0; tb_option_table[i].name != NULL; i++) {
		struct spank_option option = {
			.name = (char *)tb_option_table[i].name,
			.arginfo = (char *)tb_option_table[i].arginfo,
			.usage = (char *)tb_option_table[i].usage,
			.has_arg = 1,
			.val = i,
			.cb = read_option,
		};

		if (spank_option_register(spank, &option) != ESPANK_SUCCESS) {
			slurm_error("topobind: the option --%s cannot be "
				    "added",
				    option.name);
			return -1;
		}
	}
	return 0;
}

int slurm_spank_init(spank_t spank, int ac, char *argv[])
{
	(void)ac;
	(void)argv;
	if (spank_context() == S_CTX_SLURMD ||
	    spank_context() == S_CTX_JOB_SCRIPT)
		return 0;
	tb_options_init(&options);
	/* slurmstepd complains of options that it does not know. */
	return register_options(spank);
}

/* Take the single options out of what Slurm would send. */
static int remove_single_options(spank_t spank)
{
	for (int i = 0; tb_option_table[i].name != NULL; i++) {
		char *variable;

		if (asprintf(&variable, OPTION_VARIABLE "%s",
			     tb_option_table[i].name) < 0)
			return -1;
		spank_job_control_unsetenv(spank, variable);
		unsetenv(variable);
		free(variable);
	}
	return 0;
}

/* The canonical line; NULL for an empty request or for want of memory. */
static char *print_request(const struct tb_request *request)
{
	if (!tb_request_is_given(request))
		return NULL;
	return tb_request_print_sent(request);
}

/* Is the line the job's request with alternatives? */
static bool has_alternatives(const char *variable, const char *line)
{
	struct tb_request request;
	bool has;

	tb_request_init(&request);
	has = strcmp(variable, TB_REQUEST_VARIABLE) == 0 &&
	      tb_request_parse(&request, line, NULL) == 0 &&
	      request.nalternatives > 0;
	tb_request_clear(&request);
	return has;
}

static int send_line(spank_t spank, const char *variable, const char *line,
		     struct tb_error *err)
{
	if (spank_job_control_setenv(spank, variable, line, 1) !=
	    ESPANK_SUCCESS)
		return tb_fail(err,
			       "the binding request \"%s\" cannot be put "
			       "into the job's environment",
			       line);
	request_sent = true;
	if (has_alternatives(variable, line)) {
		free(alternatives_sent);
		alternatives_sent = strdup(line);
	}
	return 0;
}

/* Of a job, or of one of its parts; NULL: it has none. */
static int note_request(const char *line, struct tb_error *err)
{
	tb_parts_note(line);
	if (line == NULL)
		return 0;
	tb_refused_remember(line);
	return tb_refused_check_held(line, err);
}

static int send_request(spank_t spank, const char *variable,
			enum tb_asker asker, const char *lower,
			const char *lower_name, struct tb_error *err)
{
	struct tb_request request;
	char *line = NULL;
	int rc = tb_options_merge(&options, lower, lower_name, &request, err);

	/* A site binds jobs, not steps. */
	if (rc == 0 && asker == TB_JOB_STEP && tb_request_is_given(&request))
		rc = tb_request_complete(&request, err);
	if (rc == 0)
		rc = tb_client_combinations(&request, asker, err);
	/* A step is placed in its job's units, without a window. */
	if (rc == 0 && asker == TB_JOB)
		rc = tb_request_check_window(&request, err);
	if (rc == 0) {
		/* Not that of the part before in a heterogeneous job. */
		spank_job_control_unsetenv(spank, variable);
		line = print_request(&request);
		if (asker == TB_JOB)
			rc = note_request(line, err);
		if (line != NULL && rc == 0)
			rc = send_line(spank, variable, line, err);
		else if (line == NULL && tb_request_is_given(&request))
			rc = tb_fail(err, "out of memory");
	}
	free(line);
	tb_request_clear(&request);
	return rc;
}

/* In the script of a job that the site has bound without a request? */
static bool is_implicit(void)
{
	return getenv(IMPLICIT_VARIABLE) != NULL;
}

/* A step in its job's slots: do its options go with the job's request? */
static int check_step(const char *job_line, struct tb_error *err)
{
	struct tb_request request;
	int rc = 0;

	tb_request_init(&request);
	/* A line that nobody can read is for slurmstepd to judge. */
	if (tb_request_parse(&request, job_line, NULL) == 0)
		rc = tb_client_combinations(&request, TB_JOB_STEP, err);
	tb_request_clear(&request);
	return rc;
}

struct sending {
	spank_t spank;
	struct tb_error *err;
	unsigned parts; /* so far */
};

/* Is a line that the controller shows one of the alternatives of a request? */
static bool is_alternative(const char *alternatives, const char *line)
{
	struct tb_request request;
	bool found = false;

	tb_request_init(&request);
	if (tb_request_parse(&request, alternatives, NULL) == 0)
		for (unsigned i = 0; i < request.nalternatives && !found; i++) {
			struct tb_request plain = tb_request_plain(&request, i);
			char *printed = tb_request_print(&plain);

			found = printed != NULL && strcmp(printed, line) == 0;
			free(printed);
		}
	tb_request_clear(&request);
	return found;
}

/*
 * Operators can change what is shown of a part: where the environment has its request,
 * that says at most which alternative it was given.
 */
static int send_part(void *arg, uint32_t part, const char *shown)
{
	struct sending *sending = arg;
	char name[sizeof(TB_PART_REQUEST_FORMAT) + 10];
	const char *request = tb_parts_find(part);

	if (request == NULL || is_alternative(request, shown))
		request = shown;
	snprintf(name, sizeof(name), TB_PART_REQUEST_FORMAT, part);
	sending->parts++;
	return send_line(sending->spank, name, request, sending->err);
}

/* JOB_VARIABLE has one part's request.  How many parts there are, 0 for an ordinary job. */
static int send_parts(spank_t spank, struct tb_error *err)
{
	struct sending sending = { .spank = spank, .err = err };
	const char *size = getenv("SLURM_HET_SIZE");
	const char *job = getenv("SLURM_JOB_ID");

	if (size == NULL || job == NULL)
		return 0;
	if (tb_attach_parts((uint32_t)strtoul(job, NULL, 10), send_part,
			    &sending) < 0)
		return -1;
	return (int)sending.parts;
}

/*
 * A step of a job that is there already: it keeps the job's request, and its
 * own options, if any, are a request of their own inside it, which takes
 * nothing over.  TOPOBIND was looked at when the job was submitted.
 */
static int send_step(spank_t spank, struct tb_error *err)
{
	const char *job_line = getenv(JOB_VARIABLE);
	int parts = send_parts(spank, err);

	if (parts < 0)
		return -1;
	if (job_line != NULL &&
	    send_line(spank, TB_REQUEST_VARIABLE, job_line, err) < 0)
		return -1;
	if (tb_options_given(&options))
		return send_request(spank, TB_STEP_REQUEST_VARIABLE,
				    TB_JOB_STEP, NULL, NULL, err);
	if (job_line != NULL)
		return is_implicit() ? 0 : check_step(job_line, err);
	if (parts > 0)
		return 0;
	return send_request(spank, TB_STEP_REQUEST_VARIABLE, TB_JOB_STEP,
			    getenv(USER_VARIABLE), USER_VARIABLE, err);
}

static int send_job(spank_t spank, struct tb_error *err)
{
	/* Of the job in which this sbatch or salloc was called. */
	tb_parts_forget();
	unsetenv(JOB_VARIABLE);
	unsetenv(IMPLICIT_VARIABLE);
	return send_request(spank, TB_REQUEST_VARIABLE, TB_JOB,
			    getenv(USER_VARIABLE), USER_VARIABLE, err);
}

static bool is_step(void)
{
	return spank_context() == S_CTX_LOCAL && getenv("SLURM_JOB_ID") != NULL;
}

/*
 * Slurm would print two more sentences, which look as if its configuration were
 * broken.  Where the client goes on it does so even with a negative value, when the
 * site has made the plugin optional: send something that the controller refuses.
 */
static int refuse_request(spank_t spank, const struct tb_error *err)
{
	slurm_error("topobind: %s", err->text);
	end_client(EXIT_FAILURE);
	spank_job_control_setenv(spank, TB_REQUEST_VARIABLE, "invalid", 1);
	return -1;
}

int slurm_spank_init_post_opt(spank_t spank, int ac, char *argv[])
{
	struct tb_error err = first_error;
	int rc = 0;

	(void)ac;
	(void)argv;
	if (!is_client())
		return 0;
	if (remove_single_options(spank) < 0)
		rc = tb_fail(&err, "out of memory");
	else if (err.text[0] != '\0')
		rc = -1;
	else
		rc = is_step() ? send_step(spank, &err) : send_job(spank, &err);
	/* Each part of a heterogeneous job has its own options. */
	tb_options_clear(&options);
	tb_options_init(&options);
	return rc < 0 ? refuse_request(spank, &err) : 0;
}

/* A user who asked for no binding is not refused; the option is lost. */
static void note_lost_option(uint32_t job_id)
{
	if (tb_client_lets_slurm_bind() && tb_attach_is_implicit(job_id))
		slurm_info("topobind: --cpu-bind has no effect in a job that "
			   "the site binds: submit it with --bamount=0 to let "
			   "Slurm bind its tasks");
}

/* Of a long one the controller shows the beginning. */
static int check_whole(const char *line, uint32_t job_id, struct tb_error *err)
{
	if (!tb_comment_is_cut(line))
		return 0;
	return tb_fail(err,
		       "the request of job %u is too long to be shown whole in "
		       "its SystemComment, where srun --jobid finds it; start "
		       "the step in the job's script, or in its shell",
		       job_id);
}

/* srun --jobid from a shell that is not the job's. */
static int send_attached(spank_t spank, uint32_t job_id, struct tb_error *err)
{
	char *line = tb_attach_request(job_id);
	int rc = 0;

	if (line != NULL) {
		rc = check_whole(line, job_id, err);
		if (rc == 0)
			rc = check_step(line, err);
		if (rc == 0)
			rc = send_line(spank, TB_REQUEST_VARIABLE, line, err);
	}
	free(line);
	return rc;
}

/* In place of the alternatives the one that the job was given. */
static int send_chosen(spank_t spank, uint32_t job_id, struct tb_error *err)
{
	char *line = tb_attach_request(job_id);
	int rc = 0;

	if (line != NULL && is_alternative(alternatives_sent, line))
		rc = send_line(spank, TB_REQUEST_VARIABLE, line, err);
	free(line);
	return rc;
}

/* The job is there; srun is about to start the step's tasks. */
int slurm_spank_local_user_init(spank_t spank, int ac, char *argv[])
{
	struct tb_error err;
	uint32_t job_id;
	int rc = 0;

	(void)ac;
	(void)argv;
	if (!is_client() ||
	    spank_get_item(spank, S_JOB_ID, &job_id) != ESPANK_SUCCESS)
		return 0;
	if (!request_sent || is_implicit())
		note_lost_option(job_id);
	if (!request_sent && tb_attach_is_asked())
		rc = send_attached(spank, job_id, &err);
	else if (alternatives_sent != NULL)
		rc = send_chosen(spank, job_id, &err);
	if (rc < 0)
		slurm_error("topobind: %s", err.text);
	return rc;
}
