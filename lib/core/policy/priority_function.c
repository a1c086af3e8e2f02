/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser goes down the grammar
 *
 *	sum     = product { ("+" | "-") product }
 *	product = factor { ("*" | "/") factor }
 *	factor  = ("+" | "-") factor | number | component | "(" sum ")"
 *
 * and writes the operations in the order in which a machine with a stack needs
 * them.
 */
#include "priority_function.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/clip.h"
#include "core/base/text.h"

const char *const tb_component_names[TB_COMPONENTS] = {
	[TB_COMPONENT_ADISK] = "ADISK",
	[TB_COMPONENT_AMEM] = "AMEM",
	[TB_COMPONENT_APPLAFFINITY] = "APPLAFFINITY",
	[TB_COMPONENT_APPLFAILURERATE] = "APPLFAILURERATE",
	[TB_COMPONENT_APROCS] = "APROCS",
	[TB_COMPONENT_ARCH] = "ARCH",
	[TB_COMPONENT_ASWAP] = "ASWAP",
	[TB_COMPONENT_CDISK] = "CDISK",
	[TB_COMPONENT_CMEM] = "CMEM",
	[TB_COMPONENT_COST] = "COST",
	[TB_COMPONENT_CPROCS] = "CPROCS",
	[TB_COMPONENT_CSWAP] = "CSWAP",
	[TB_COMPONENT_FEATURE] = "FEATURE",
	[TB_COMPONENT_FREETIME] = "FREETIME",
	[TB_COMPONENT_GMETRIC] = "GMETRIC",
	[TB_COMPONENT_JOBCOUNT] = "JOBCOUNT",
	[TB_COMPONENT_LOAD] = "LOAD",
	[TB_COMPONENT_MTBF] = "MTBF",
	[TB_COMPONENT_NODEINDEX] = "NODEINDEX",
	[TB_COMPONENT_OS] = "OS",
	[TB_COMPONENT_PARAPROCS] = "PARAPROCS",
	[TB_COMPONENT_POWER] = "POWER",
	[TB_COMPONENT_PREF] = "PREF",
	[TB_COMPONENT_PRIORITY] = "PRIORITY",
	[TB_COMPONENT_RANDOM] = "RANDOM",
	[TB_COMPONENT_RESAFFINITY] = "RESAFFINITY",
	[TB_COMPONENT_SPEED] = "SPEED",
	[TB_COMPONENT_SUSPENDEDJCOUNT] = "SUSPENDEDJCOUNT",
	[TB_COMPONENT_USAGE] = "USAGE",
};

enum code {
	PUSH_NUMBER,
	PUSH_TERM,
	ADD,
	SUBTRACT,
	MULTIPLY,
	DIVIDE,
	NEGATE,
	LIMIT, /* to what RANDOM may contribute */
};

struct stack_operation {
	enum code code;
	union {
		double number;
		unsigned term;
	};
};

/* Depth of the stack: each level of brackets waits with a sum and a product. */
#define STACK_MAX (3 * (TB_PRIORITY_DEPTH_MAX + 2))

struct tb_priority_function {
	char *text;
	struct stack_operation *operations;
	unsigned count;
	struct tb_priority_term *terms;
	unsigned nterms;
};

/* --- reading ------------------------------------------------------------------ */

/* Where a part of the expression has RANDOM: nowhere, as a factor, in a sum. */
enum random_use { NO_RANDOM, FACTOR, IN_SUM };

struct expression_parser {
	struct tb_priority_function *function;
	const char *text, *at, *end;
	unsigned depth; /* of brackets and signs */
	struct tb_error *err;
};

static size_t get_column(const struct expression_parser *parser, const char *at)
{
	return (size_t)(at - parser->text) + 1;
}

static int fail_at_column(const struct expression_parser *parser,
			  const char *at, const char *wanted)
{
	if (at == parser->end)
		return tb_fail(
			parser->err,
			"column %zu: the expression ends here, but %s must follow",
			get_column(parser, at), wanted);
	return tb_fail(parser->err, "column %zu: '%s' stands where %s must be",
		       get_column(parser, at),
		       tb_clip(at, (size_t)(parser->end - at)).text, wanted);
}

static bool is_blank_char(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return tb_is_lower(tb_lower(c));
}

/* The next character that is no blank; 0 at the end. */
static char peek_char(struct expression_parser *parser)
{
	while (parser->at < parser->end && is_blank_char(*parser->at))
		parser->at++;
	return parser->at < parser->end ? *parser->at : '\0';
}

static int emit_operation(struct expression_parser *parser,
			  struct stack_operation operation)
{
	struct tb_priority_function *function = parser->function;
	struct stack_operation *room = tb_array_make_room(function->operations,
							  function->count,
							  sizeof(*room));

	if (!room)
		return tb_fail(parser->err, "out of memory");
	function->operations = room;
	room[function->count++] = operation;
	return 0;
}

static int emit_code(struct expression_parser *parser, enum code code)
{
	return emit_operation(parser, (struct stack_operation){ .code = code });
}

/* Digits with a point somewhere; no exponent, hexadecimal or locale. */
static int read_expression_number(struct expression_parser *parser)
{
	const char *start = parser->at;
	double number = 0, scale = 1;
	bool point = false, digits = false;

	for (; parser->at < parser->end; parser->at++) {
		if (*parser->at == '.' && !point) {
			point = true;
		} else if (is_digit(*parser->at)) {
			digits = true;
			number = number * 10 + (*parser->at - '0');
			scale *= point ? 10 : 1;
		} else {
			break;
		}
	}
	if (!digits || !isfinite(number) || !isfinite(scale))
		return fail_at_column(parser, start,
				      "a number of usual size, as 100 or .01,");
	return emit_operation(parser, (struct stack_operation){
					      .code = PUSH_NUMBER,
					      .number = number / scale });
}

static bool names_are_equal(const char *a, const char *b)
{
	return !a || !b ? !a && !b : strcmp(a, b) == 0;
}

/* The name, if any, is the function's from now on. */
static int emit_term(struct expression_parser *parser,
		     enum tb_component component, char *name)
{
	struct tb_priority_function *function = parser->function;
	struct tb_priority_term *room;
	unsigned term = 0;

	while (term < function->nterms &&
	       (function->terms[term].component != component ||
		!names_are_equal(function->terms[term].name, name)))
		term++;
	if (term < function->nterms) {
		free(name);
	} else {
		room = tb_array_make_room(function->terms, term, sizeof(*room));
		if (!room) {
			free(name);
			return tb_fail(parser->err, "out of memory");
		}
		function->terms = room;
		room[function->nterms++] = (struct tb_priority_term){ component,
								      name };
	}
	return emit_operation(parser,
			      (struct stack_operation){ .code = PUSH_TERM,
							.term = term });
}

static bool component_has_name(enum tb_component component)
{
	return component == TB_COMPONENT_ARCH ||
	       component == TB_COMPONENT_FEATURE ||
	       component == TB_COMPONENT_GMETRIC;
}

/* Read what is between the brackets: up to ], or in quotes. */
static int read_component_name(struct expression_parser *parser, char **name)
{
	const char *start, *end;
	char quote = peek_char(parser);

	if (quote == '"' || quote == '\'')
		parser->at++;
	else
		quote = '\0';
	start = parser->at;
	while (parser->at < parser->end &&
	       (quote ? *parser->at != quote
		      : *parser->at != ']' && !is_blank_char(*parser->at)))
		parser->at++;
	end = parser->at;
	if (start == end)
		return fail_at_column(parser, start, "a name");
	if (quote && parser->at == parser->end)
		return fail_at_column(parser, parser->at,
				      "the other quotation mark");
	parser->at += quote != '\0';
	if (peek_char(parser) != ']')
		return fail_at_column(parser, parser->at, "]");
	parser->at++;
	*name = malloc((size_t)(end - start) + 1);
	if (!*name)
		return tb_fail(parser->err, "out of memory");
	memcpy(*name, start, (size_t)(end - start));
	(*name)[end - start] = '\0';
	return 0;
}

static enum tb_component find_component(const char *word, size_t length)
{
	int i = 0;

	while (i < TB_COMPONENTS &&
	       !tb_text_is_word(word, length, tb_component_names[i]))
		i++;
	return (enum tb_component)i;
}

static int read_component(struct expression_parser *parser,
			  enum random_use *use_of_random)
{
	const char *word = parser->at;
	enum tb_component component;
	char *name = NULL;

	while (parser->at < parser->end && is_letter(*parser->at))
		parser->at++;
	component = find_component(word, (size_t)(parser->at - word));
	if (component == TB_COMPONENTS)
		return tb_fail(
			parser->err,
			"column %zu: there is no component %s; topobind_policies(7) has a list of them",
			get_column(parser, word),
			tb_clip(word, (size_t)(parser->at - word)).text);
	if (component_has_name(component)) {
		if (peek_char(parser) != '[')
			return fail_at_column(parser, parser->at,
					      "a name in square brackets");
		parser->at++;
		if (read_component_name(parser, &name))
			return -1;
	}
	if (component == TB_COMPONENT_RANDOM)
		*use_of_random = FACTOR;
	return emit_term(parser, component, name);
}

static int read_sum(struct expression_parser *parser,
		    enum random_use *use_of_random);

static int read_factor(struct expression_parser *parser,
		       enum random_use *use_of_random);

static int enter_nesting(struct expression_parser *parser)
{
	if (++parser->depth <= TB_PRIORITY_DEPTH_MAX)
		return 0;
	return tb_fail(
		parser->err,
		"column %zu: brackets and signs are nested too deep; at most %d are allowed",
		get_column(parser, parser->at), TB_PRIORITY_DEPTH_MAX);
}

static int read_signed_factor(struct expression_parser *parser,
			      enum random_use *use_of_random)
{
	bool minus = *parser->at++ == '-';

	if (enter_nesting(parser) || read_factor(parser, use_of_random))
		return -1;
	parser->depth--;
	return minus ? emit_code(parser, NEGATE) : 0;
}

static int read_brackets(struct expression_parser *parser,
			 enum random_use *use_of_random)
{
	parser->at++;
	if (enter_nesting(parser) || read_sum(parser, use_of_random))
		return -1;
	parser->depth--;
	if (peek_char(parser) != ')')
		return fail_at_column(parser, parser->at, "an operator or )");
	parser->at++;
	return 0;
}

static int read_factor(struct expression_parser *parser,
		       enum random_use *use_of_random)
{
	char c = peek_char(parser);

	*use_of_random = NO_RANDOM;
	if (c == '+' || c == '-')
		return read_signed_factor(parser, use_of_random);
	if (c == '(')
		return read_brackets(parser, use_of_random);
	if (is_digit(c) || c == '.')
		return read_expression_number(parser);
	if (is_letter(c))
		return read_component(parser, use_of_random);
	return fail_at_column(parser, parser->at, "a number, a component or (");
}

/* A coefficient of RANDOM is limited, so it must belong to RANDOM alone. */
static int emit_product(struct expression_parser *parser, enum code code,
			enum random_use other, const char *where,
			enum random_use *use_of_random)
{
	if (*use_of_random == IN_SUM || other == IN_SUM)
		return tb_fail(
			parser->err,
			"column %zu: a sum with RANDOM in it cannot be multiplied or divided; write the coefficient before RANDOM, as in 100 * RANDOM",
			get_column(parser, where));
	if (other == FACTOR)
		*use_of_random = FACTOR;
	if (emit_code(parser, code))
		return -1;
	return *use_of_random == FACTOR ? emit_code(parser, LIMIT) : 0;
}

static int read_product(struct expression_parser *parser,
			enum random_use *use_of_random)
{
	enum random_use other;
	char c;

	if (read_factor(parser, use_of_random))
		return -1;
	while ((c = peek_char(parser)) == '*' || c == '/') {
		const char *where = parser->at++;

		if (read_factor(parser, &other) ||
		    emit_product(parser, c == '*' ? MULTIPLY : DIVIDE, other,
				 where, use_of_random))
			return -1;
	}
	return 0;
}

static int read_sum(struct expression_parser *parser,
		    enum random_use *use_of_random)
{
	enum random_use other;
	char c;

	if (read_product(parser, use_of_random))
		return -1;
	while ((c = peek_char(parser)) == '+' || c == '-') {
		parser->at++;
		if (read_product(parser, &other) ||
		    emit_code(parser, c == '+' ? ADD : SUBTRACT))
			return -1;
		if (*use_of_random != NO_RANDOM || other != NO_RANDOM)
			*use_of_random = IN_SUM;
	}
	return 0;
}

/* Remove a pair of quotation marks around the whole expression. */
static void strip_outer_quotes(struct expression_parser *parser)
{
	char quote = peek_char(parser);
	const char *end = parser->end;

	if (quote != '"' && quote != '\'')
		return;
	while (end > parser->at + 1 && is_blank_char(end[-1]))
		end--;
	if (end <= parser->at + 1 || end[-1] != quote)
		return;
	parser->at++;
	parser->end = end - 1;
}

static int read_expression(struct expression_parser *parser)
{
	enum random_use use_of_random;

	strip_outer_quotes(parser);
	if (!peek_char(parser))
		return tb_fail(
			parser->err,
			"the expression is empty; write one such as SPEED + .01 * AMEM - 10 * JOBCOUNT");
	if (read_sum(parser, &use_of_random))
		return -1;
	if (peek_char(parser))
		return fail_at_column(parser, parser->at, "an operator");
	return 0;
}

struct tb_priority_function *tb_priority_parse(const char *text,
					       struct tb_error *err)
{
	struct expression_parser parser = { .text = text,
					    .at = text,
					    .err = err };
	size_t length = strlen(text);

	parser.end = text + length;
	if (length > TB_PRIORITY_TEXT_MAX) {
		tb_fail(err,
			"the expression has %zu bytes; at most %d are allowed",
			length, TB_PRIORITY_TEXT_MAX);
		return NULL;
	}
	parser.function = calloc(1, sizeof(*parser.function));
	if (parser.function)
		parser.function->text = malloc(length + 1);
	if (!parser.function || !parser.function->text) {
		tb_fail(err, "out of memory");
		tb_priority_destroy(parser.function);
		return NULL;
	}
	memcpy(parser.function->text, text, length + 1);
	if (!read_expression(&parser))
		return parser.function;
	tb_priority_destroy(parser.function);
	return NULL;
}

void tb_priority_destroy(struct tb_priority_function *function)
{
	if (!function)
		return;
	for (unsigned i = 0; i < function->nterms; i++)
		free(function->terms[i].name);
	free(function->terms);
	free(function->text);
	free(function->operations);
	free(function);
}

const char *tb_priority_text(const struct tb_priority_function *function)
{
	return function->text;
}

const struct tb_priority_term *
tb_priority_terms(const struct tb_priority_function *function, unsigned *count)
{
	*count = function->nterms;
	return function->terms;
}

bool tb_priority_uses(const struct tb_priority_function *function,
		      enum tb_component component)
{
	for (unsigned i = 0; i < function->nterms; i++)
		if (function->terms[i].component == component)
			return true;
	return false;
}

/* --- evaluating --------------------------------------------------------------- */

static double limit_number(double value, double most)
{
	if (isnan(value))
		return 0;
	return value > most ? most : value < -most ? -most : value;
}

static double apply_operation(enum code code, double a, double b)
{
	switch (code) {
	case ADD:
		return limit_number(a + b, DBL_MAX);
	case SUBTRACT:
		return limit_number(a - b, DBL_MAX);
	case MULTIPLY:
		return limit_number(a * b, DBL_MAX);
	default:
		return b == 0 ? 0 : limit_number(a / b, DBL_MAX);
	}
}

double tb_priority_value(const struct tb_priority_function *function,
			 const double *values)
{
	double stack[STACK_MAX];
	unsigned top = 0;

	for (unsigned i = 0; i < function->count; i++) {
		const struct stack_operation *operation =
			&function->operations[i];

		switch (operation->code) {
		case PUSH_NUMBER:
			stack[top++] = operation->number;
			break;
		case PUSH_TERM:
			stack[top++] = limit_number(values[operation->term],
						    DBL_MAX);
			break;
		case NEGATE:
			stack[top - 1] = -stack[top - 1];
			break;
		case LIMIT:
			stack[top - 1] = limit_number(stack[top - 1],
						      TB_PRIORITY_RANDOM_MAX);
			break;
		default:
			top--;
			stack[top - 1] = apply_operation(operation->code,
							 stack[top - 1],
							 stack[top]);
		}
	}
	return stack[0];
}
