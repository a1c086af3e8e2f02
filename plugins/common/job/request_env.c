/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_env.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clip.h"
#include "core/request/alternatives.h"

#define OPTION_PREFIX "_SLURM_SPANK_OPTION_topobind_"
#define LINE_OPTION "topobind"

/* The text after a prefix, NULL when the text does not begin with it. */
static const char *skip_prefix(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

/*
 * Slurm puts "SPANK_" before the names on the way to prologs and "SLURM_SPANK_"
 * on the way into a job's own environment.
 */
static const char *skip_slurms_prefix(const char *entry)
{
	const char *rest = skip_prefix(entry, "SLURM_");
	const char *name = skip_prefix(rest != NULL ? rest : entry, "SPANK_");

	return name != NULL ? name : entry;
}

/* The value of one "NAME=value", NULL for another name. */
static const char *value_of(const char *variable, const char *name)
{
	const char *rest = skip_prefix(variable, name);

	return rest != NULL && *rest == '=' ? rest + 1 : NULL;
}

/* ---- what is there ---- */

static const char *const variables[TB_ENV_VARIABLES] = {
	[TB_ENV_REQUEST] = TB_REQUEST_VARIABLE,
	[TB_ENV_STEP_REQUEST] = TB_STEP_REQUEST_VARIABLE,
	[TB_ENV_IMPLICIT] = TB_IMPLICIT_VARIABLE,
	[TB_ENV_UNBOUND] = TB_UNBOUND_VARIABLE,
	[TB_ENV_ALTERNATIVE] = TB_ALTERNATIVE_VARIABLE,
};

static bool is_note(enum tb_env_variable variable)
{
	return variable == TB_ENV_IMPLICIT || variable == TB_ENV_UNBOUND ||
	       variable == TB_ENV_ALTERNATIVE;
}

/* Which of ours it is; TB_ENV_VARIABLES: none.  The first one counts. */
static enum tb_env_variable note_variable(struct tb_env_texts *texts,
					  const char *entry)
{
	for (enum tb_env_variable i = 0; i < TB_ENV_VARIABLES; i++) {
		const char *value = value_of(entry, variables[i]);

		if (value == NULL)
			continue;
		if (texts->variables[i] == NULL)
			texts->variables[i] = value;
		return i;
	}
	return TB_ENV_VARIABLES;
}

/* The option of "name=value"; TB_ENV_OPTIONS when it is none. */
static unsigned find_option(const char *text)
{
	for (unsigned i = 0; tb_request_keys[i] != NULL; i++)
		if (value_of(text, tb_request_keys[i]) != NULL)
			return i;
	return value_of(text, LINE_OPTION) != NULL ? TB_ENV_LINE
						   : TB_ENV_OPTIONS;
}

static int fail_no_option(const char *text, struct tb_error *err)
{
	return tb_fail(
		err,
		"\"%s\" is not a binding option with a value, such as bunit=X",
		tb_clip(text, tb_request_text_length(text)).text);
}

/*
 * Nothing that claims to be an option of ours is passed over.  Values of one
 * option, which Slurm may repeat, must not differ.
 */
static int note_option(struct tb_env_texts *texts, const char *text,
		       struct tb_error *err)
{
	unsigned option = find_option(text);
	const char *value;

	texts->length += tb_request_text_length(text);
	if (tb_request_check_length(texts->length, text, err) < 0)
		return -1;
	if (option == TB_ENV_OPTIONS)
		return fail_no_option(text, err);
	value = strchr(text, '=') + 1;
	if (texts->options[option] == NULL)
		texts->options[option] = value;
	else if (strcmp(texts->options[option], value) != 0)
		return tb_fail(
			err,
			"%s was given before with another value; give it once",
			tb_clip(text, strlen(text)).text);
	return 0;
}

/* The notes are not counted: they are the controller's, or forged and dropped. */
static void look_at(struct tb_env_texts *texts, const char *entry)
{
	const char *name = skip_slurms_prefix(entry);
	const char *option = skip_prefix(name, OPTION_PREFIX);

	if (option == NULL) {
		if (!is_note(note_variable(texts, name)))
			texts->count++;
		return;
	}
	texts->count++;
	if (!texts->options_are_wrong &&
	    note_option(texts, option, &texts->why) < 0)
		texts->options_are_wrong = true;
}

bool tb_env_is_long(unsigned count)
{
	return count > TB_ENV_MAX + TB_ENV_NOTES;
}

void tb_env_texts_find(struct tb_env_texts *texts, char *const *env,
		       unsigned count)
{
	memset(texts, 0, sizeof(*texts));
	if (tb_env_is_long(count))
		texts->count = count;
	else
		for (unsigned i = 0; i < count; i++)
			if (env[i] != NULL)
				look_at(texts, env[i]);
}

static int check_count(const struct tb_env_texts *texts, struct tb_error *err)
{
	if (texts->count <= TB_ENV_MAX)
		return 0;
	return tb_fail(
		err,
		"the job has %u variables of SPANK; at most %d are allowed with topobind",
		texts->count, TB_ENV_MAX);
}

/* ---- what they say ---- */

static int read_line(struct tb_request *request, const char *line,
		     int (*complete)(struct tb_request *, struct tb_error *),
		     struct tb_error *err)
{
	tb_request_init(request);
	if (line[0] == '\0')
		return 0;
	if (tb_request_parse(request, line, err) < 0 ||
	    complete(request, err) < 0) {
		tb_request_clear(request);
		tb_request_init(request);
		return -1;
	}
	return 0;
}

static int set_options(struct tb_request *request,
		       const struct tb_env_texts *texts, struct tb_error *err)
{
	for (unsigned i = 0; tb_request_keys[i] != NULL; i++)
		if (texts->options[i] != NULL &&
		    tb_request_set(request, tb_request_keys[i],
				   texts->options[i], err) < 0)
			return -1;
	return 0;
}

/* Let the options take from the line of --topobind what they do not say. */
static int inherit_line(struct tb_request *request, const char *line,
			struct tb_error *err)
{
	struct tb_request lower;
	int rc;

	tb_request_init(&lower);
	rc = tb_request_parse(&lower, line, err);
	if (rc == 0)
		rc = tb_request_inherit(request, &lower, err);
	tb_request_clear(&lower);
	return rc;
}

static int read_options(struct tb_request *request,
			const struct tb_env_texts *texts, struct tb_error *err)
{
	const char *line = texts->options[TB_ENV_LINE];
	int rc = texts->options_are_wrong ? tb_fail(err, "%s", texts->why.text)
					  : 0;

	tb_request_init(request);
	if (rc == 0)
		rc = set_options(request, texts, err);
	if (rc == 0 && line != NULL && line[0] != '\0')
		rc = inherit_line(request, line, err);
	if (rc == 0 && tb_request_is_given(request))
		rc = tb_request_complete_open(request, err);
	if (rc < 0) {
		tb_request_clear(request);
		tb_request_init(request);
	}
	return rc;
}

int tb_request_from_texts(struct tb_request *request,
			  const struct tb_env_texts *texts,
			  struct tb_error *err)
{
	tb_request_init(request);
	if (check_count(texts, err) < 0)
		return -1;
	if (texts->variables[TB_ENV_REQUEST] != NULL)
		return read_line(request, texts->variables[TB_ENV_REQUEST],
				 tb_request_complete_open, err);
	return read_options(request, texts, err);
}

int tb_request_from_env(struct tb_request *request, char *const *env,
			unsigned count, struct tb_error *err)
{
	struct tb_env_texts texts;

	tb_env_texts_find(&texts, env, count);
	return tb_request_from_texts(request, &texts, err);
}

/* What the variable of a part says; NULL: nothing. */
static const char *find_part(char *const *env, unsigned count, uint32_t job)
{
	char name[sizeof(TB_PART_REQUEST_FORMAT) + 10];
	const char *found = NULL;

	snprintf(name, sizeof(name), TB_PART_REQUEST_FORMAT, job);
	for (unsigned i = 0; i < count && found == NULL; i++)
		if (env[i] != NULL)
			found = value_of(skip_slurms_prefix(env[i]), name);
	return found;
}

int tb_job_request_from_env(struct tb_request *request, char *const *env,
			    unsigned count, uint32_t job, struct tb_error *err)
{
	struct tb_env_texts texts;
	const char *part;

	tb_env_texts_find(&texts, env, count);
	part = tb_env_is_long(count) ? NULL : find_part(env, count, job);
	if (part != NULL)
		texts.variables[TB_ENV_REQUEST] = part;
	return tb_request_from_texts(request, &texts, err);
}

int tb_step_request_from_env(struct tb_request *request, char *const *env,
			     unsigned count, struct tb_error *err)
{
	struct tb_env_texts texts;
	const char *line;

	tb_request_init(request);
	tb_env_texts_find(&texts, env, count);
	if (check_count(&texts, err) < 0)
		return -1;
	line = texts.variables[TB_ENV_STEP_REQUEST];
	return read_line(request, line != NULL ? line : "", tb_request_complete,
			 err);
}

const char *tb_implicit_from_env(char *const *env, unsigned count)
{
	struct tb_env_texts texts;

	tb_env_texts_find(&texts, env, count);
	return texts.variables[TB_ENV_IMPLICIT];
}

unsigned tb_alternative_of_texts(const struct tb_request *request,
				 const struct tb_env_texts *texts)
{
	const char *note = texts->variables[TB_ENV_ALTERNATIVE];
	int found = note != NULL ? tb_request_find_alternative(request, note)
				 : -1;

	return found > 0 ? (unsigned)found : 0;
}

bool tb_env_is_note(const char *entry)
{
	struct tb_env_texts texts = { .count = 0 };

	return entry != NULL &&
	       is_note(note_variable(&texts, skip_slurms_prefix(entry)));
}

bool tb_env_is_of_request(const char *entry)
{
	struct tb_env_texts texts = { .count = 0 };

	return entry != NULL &&
	       (note_variable(&texts, skip_slurms_prefix(entry)) !=
			TB_ENV_VARIABLES ||
		skip_prefix(skip_slurms_prefix(entry), OPTION_PREFIX) != NULL);
}

const char *tb_env_find_part(const char *entry)
{
	const char *name = entry != NULL ? skip_slurms_prefix(entry) : "";

	return skip_prefix(name, TB_PART_REQUEST_PREFIX) != NULL ? name : NULL;
}

int tb_request_bind_implicitly(struct tb_request *request,
			       const struct tb_request *site,
			       struct tb_error *err)
{
	if (tb_request_set(request, "bamount", "1", err) < 0)
		return -1;
	return tb_request_inherit(request, site, err);
}

bool tb_request_is_implicit(const char *line)
{
	size_t length = strlen(TB_IMPLICIT_WORD);

	return strncmp(line, TB_IMPLICIT_WORD, length) == 0 &&
	       (line[length] == ',' || line[length] == '\0');
}

int tb_request_from_comment(struct tb_request *request, const char *line,
			    struct tb_error *err)
{
	struct tb_request site;
	int rc = 0;

	if (!tb_request_is_implicit(line))
		return tb_request_parse(request, line, err);
	line += strlen(TB_IMPLICIT_WORD);
	line += line[0] == ',';
	tb_request_init(&site);
	if (line[0] != '\0')
		rc = tb_request_parse(&site, line, err);
	if (rc == 0)
		rc = tb_request_bind_implicitly(request, &site, err);
	tb_request_clear(&site);
	return rc;
}
