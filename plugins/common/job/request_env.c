/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_env.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/clip.h"
#include "core/request/request_key.h"

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

/* "name=value" of what claims to be a single option, NULL for others. */
static const char *option_text(const char *entry)
{
	if (entry == NULL)
		return NULL;
	return skip_prefix(skip_slurms_prefix(entry), OPTION_PREFIX);
}

/* The value of a variable in one "NAME=value", NULL for another name. */
static const char *value_of(const char *entry, const char *prefix,
			    const char *name)
{
	const char *rest;

	if (entry == NULL)
		return NULL;
	rest = skip_prefix(skip_slurms_prefix(entry), prefix);
	if (rest != NULL)
		rest = skip_prefix(rest, name);
	return rest != NULL && *rest == '=' ? rest + 1 : NULL;
}

/* The first one counts, as in any environment. */
static const char *find_variable(char *const *env, unsigned count,
				 const char *prefix, const char *name)
{
	for (unsigned i = 0; i < count; i++) {
		const char *value = value_of(env[i], prefix, name);

		if (value != NULL)
			return value;
	}
	return NULL;
}

static int read_line(struct tb_request *request, const char *line,
		     struct tb_error *err)
{
	tb_request_init(request);
	if (line[0] == '\0')
		return 0;
	if (tb_request_parse(request, line, err) < 0 ||
	    tb_request_check(request, err) < 0) {
		tb_request_clear(request);
		tb_request_init(request);
		return -1;
	}
	return 0;
}

/* Is this "name=value" with the name of an option? */
static bool is_option(const char *text)
{
	size_t length = strcspn(text, "=");

	if (text[length] != '=')
		return false;
	if (length == strlen(LINE_OPTION) &&
	    strncmp(text, LINE_OPTION, length) == 0)
		return true;
	for (unsigned i = 0; tb_request_keys[i] != NULL; i++)
		if (length == strlen(tb_request_keys[i]) &&
		    strncmp(text, tb_request_keys[i], length) == 0)
			return true;
	return false;
}

/* Values of one option, which Slurm may repeat, must not differ. */
static int check_repeats(char *const *env, unsigned count, const char *name,
			 struct tb_error *err)
{
	const char *first = NULL;

	for (unsigned i = 0; i < count; i++) {
		const char *value = value_of(env[i], OPTION_PREFIX, name);

		if (value == NULL)
			continue;
		if (first == NULL)
			first = value;
		else if (strcmp(first, value) != 0)
			return tb_fail(err,
				       "%s=%s was given before with "
				       "another value; give it once",
				       name,
				       tb_clip(value, strlen(value)).text);
	}
	return 0;
}

/*
 * Nothing that claims to be an option of ours is passed over.  The environment
 * is as long as a user likes, and this is done under slurmctld's locks: so once
 * over all of it for each option, and not for each entry.
 */
static int check_options(char *const *env, unsigned count, struct tb_error *err)
{
	for (unsigned i = 0; i < count; i++) {
		const char *text = option_text(env[i]);

		if (text != NULL && !is_option(text))
			return tb_fail(err,
				       "\"%s\" is not a binding option "
				       "with a value, such as bunit=X",
				       tb_clip(text, strlen(text)).text);
	}
	for (unsigned i = 0; tb_request_keys[i] != NULL; i++)
		if (check_repeats(env, count, tb_request_keys[i], err) < 0)
			return -1;
	return check_repeats(env, count, LINE_OPTION, err);
}

static int set_options(struct tb_request *request, char *const *env,
		       unsigned count, struct tb_error *err)
{
	for (unsigned i = 0; tb_request_keys[i] != NULL; i++) {
		const char *value = find_variable(env, count, OPTION_PREFIX,
						  tb_request_keys[i]);

		if (value != NULL &&
		    tb_request_set(request, tb_request_keys[i], value, err) < 0)
			return -1;
	}
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

static int read_options(struct tb_request *request, char *const *env,
			unsigned count, struct tb_error *err)
{
	const char *line = find_variable(env, count, OPTION_PREFIX,
					 LINE_OPTION);
	int rc = check_options(env, count, err);

	tb_request_init(request);
	if (rc == 0)
		rc = set_options(request, env, count, err);
	if (rc == 0 && line != NULL && line[0] != '\0')
		rc = inherit_line(request, line, err);
	if (rc == 0 && tb_request_is_given(request))
		rc = tb_request_check(request, err);
	if (rc < 0) {
		tb_request_clear(request);
		tb_request_init(request);
	}
	return rc;
}

int tb_request_from_env(struct tb_request *request, char *const *env,
			unsigned count, struct tb_error *err)
{
	const char *line = find_variable(env, count, "", TB_REQUEST_VARIABLE);

	if (line != NULL)
		return read_line(request, line, err);
	return read_options(request, env, count, err);
}

int tb_step_request_from_env(struct tb_request *request, char *const *env,
			     unsigned count, struct tb_error *err)
{
	const char *line = find_variable(env, count, "",
					 TB_STEP_REQUEST_VARIABLE);

	return read_line(request, line != NULL ? line : "", err);
}

const char *tb_implicit_from_env(char *const *env, unsigned count)
{
	return find_variable(env, count, "", TB_IMPLICIT_VARIABLE);
}

bool tb_is_unbound_in_env(char *const *env, unsigned count)
{
	return find_variable(env, count, "", TB_UNBOUND_VARIABLE) != NULL;
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
