/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser goes down the grammar
 *
 *	sum     = product { ("+" | "-") product }
 *	product = factor { ("*" | "/") factor }
 *	factor  = ("+" | "-") factor | number | component | "(" sum ")"
 *
 * and writes the operations in the order in which a stack machine does them.
 */
#include "priority_function.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clip.h"

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

struct operation {
	enum code code;
	union {
		double number;
		unsigned term;
	};
};

/* Depth of the stack: each level of brackets waits with a sum and a product. */
#define STACK_MAX (3 * (TB_PRIORITY_DEPTH_MAX + 2))

struct tb_priority_function {
	struct operation *operations;
	unsigned count;
	struct tb_priority_term *terms;
	unsigned nterms;
};

/* --- reading ------------------------------------------------------------------ */

/* How RANDOM is in a part of the expression: not, as a factor, in a sum. */
enum luck { NO_LUCK, FACTOR, IN_SUM };

struct parser {
	struct tb_priority_function *function;
	const char *text, *at, *end;
	unsigned depth; /* of brackets and signs */
	struct tb_error *err;
};

static size_t column(const struct parser *parser, const char *at)
{
	return (size_t)(at - parser->text) + 1;
}

static int fail_at(const struct parser *parser, const char *at,
		   const char *wanted)
{
	if (at == parser->end)
		return tb_fail(parser->err, "column %zu: the expression ends here, but %s must follow",
			       column(parser, at), wanted);
	return tb_fail(parser->err, "column %zu: '%s' stands where %s must be",
		       column(parser, at),
		       tb_clip(at, (size_t)(parser->end - at)).text, wanted);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next character that is no blank; 0 at the end. */
static char look(struct parser *parser)
{
	while (parser->at < parser->end && is_blank(*parser->at))
		parser->at++;
	return parser->at < parser->end ? *parser->at : '\0';
}

/* Twice as much room when it is full; the array has room for a power of two. */
static void *make_room(void *array, unsigned count, size_t size)
{
	if (count & (count - 1))
		return array;
	return realloc(array, size * (count ? 2 * (size_t)count : 1));
}

static int emit(struct parser *parser, struct operation operation)
{
	struct tb_priority_function *function = parser->function;
	struct operation *room = make_room(function->operations,
					   function->count, sizeof(*room));

	if (!room)
		return tb_fail(parser->err, "out of memory");
	function->operations = room;
	room[function->count++] = operation;
	return 0;
}

static int emit_code(struct parser *parser, enum code code)
{
	return emit(parser, (struct operation){ .code = code });
}

/* Digits with a point somewhere; no exponent, hexadecimal or locale. */
static int read_number(struct parser *parser)
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
		return fail_at(parser, start,
			       "a number of usual size, as 100 or .01,");
	return emit(parser, (struct operation){ .code = PUSH_NUMBER,
						.number = number / scale });
}

static bool same_name(const char *a, const char *b)
{
	return !a || !b ? !a && !b : strcmp(a, b) == 0;
}

/* Takes the name. */
static int emit_term(struct parser *parser, enum tb_component component,
		     char *name)
{
	struct tb_priority_function *function = parser->function;
	struct tb_priority_term *room;
	unsigned term = 0;

	while (term < function->nterms &&
	       (function->terms[term].component != component ||
		!same_name(function->terms[term].name, name)))
		term++;
	if (term < function->nterms) {
		free(name);
	} else {
		room = make_room(function->terms, term, sizeof(*room));
		if (!room) {
			free(name);
			return tb_fail(parser->err, "out of memory");
		}
		function->terms = room;
		room[function->nterms++] = (struct tb_priority_term){
			component, name };
	}
	return emit(parser, (struct operation){ .code = PUSH_TERM,
						.term = term });
}

static bool has_name(enum tb_component component)
{
	return component == TB_COMPONENT_ARCH || component == TB_COMPONENT_FEATURE ||
	       component == TB_COMPONENT_GMETRIC;
}

/* What is between the brackets: up to ], or in quotes. */
static int read_name(struct parser *parser, char **name)
{
	const char *start, *end;
	char quote = look(parser);

	if (quote == '"' || quote == '\'')
		parser->at++;
	else
		quote = '\0';
	start = parser->at;
	while (parser->at < parser->end &&
	       (quote ? *parser->at != quote
		      : *parser->at != ']' && !is_blank(*parser->at)))
		parser->at++;
	end = parser->at;
	if (start == end)
		return fail_at(parser, start, "a name");
	if (quote && parser->at == parser->end)
		return fail_at(parser, parser->at, "the other quotation mark");
	parser->at += quote != '\0';
	if (look(parser) != ']')
		return fail_at(parser, parser->at, "]");
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

	for (; i < TB_COMPONENTS; i++) {
		const char *name = tb_component_names[i];
		size_t same = 0;

		while (same < length && name[same] &&
		       (word[same] & ~('a' - 'A')) == name[same])
			same++;
		if (same == length && !name[same])
			break;
	}
	return (enum tb_component)i;
}

static int read_component(struct parser *parser, enum luck *luck)
{
	const char *word = parser->at;
	enum tb_component component;
	char *name = NULL;

	while (parser->at < parser->end && is_letter(*parser->at))
		parser->at++;
	component = find_component(word, (size_t)(parser->at - word));
	if (component == TB_COMPONENTS)
		return tb_fail(parser->err, "column %zu: there is no component %s; topobind_policies(7) has a list of them",
			       column(parser, word),
			       tb_clip(word, (size_t)(parser->at - word)).text);
	if (has_name(component)) {
		if (look(parser) != '[')
			return fail_at(parser, parser->at,
				       "a name in square brackets");
		parser->at++;
		if (read_name(parser, &name))
			return -1;
	}
	if (component == TB_COMPONENT_RANDOM)
		*luck = FACTOR;
	return emit_term(parser, component, name);
}

static int read_sum(struct parser *parser, enum luck *luck);

static int read_factor(struct parser *parser, enum luck *luck);

static int deeper(struct parser *parser)
{
	if (++parser->depth <= TB_PRIORITY_DEPTH_MAX)
		return 0;
	return tb_fail(parser->err, "column %zu: brackets and signs are nested too deep; at most %d are allowed",
		       column(parser, parser->at), TB_PRIORITY_DEPTH_MAX);
}

static int read_signed(struct parser *parser, enum luck *luck)
{
	bool minus = *parser->at++ == '-';

	if (deeper(parser) || read_factor(parser, luck))
		return -1;
	parser->depth--;
	return minus ? emit_code(parser, NEGATE) : 0;
}

static int read_brackets(struct parser *parser, enum luck *luck)
{
	parser->at++;
	if (deeper(parser) || read_sum(parser, luck))
		return -1;
	parser->depth--;
	if (look(parser) != ')')
		return fail_at(parser, parser->at, "an operator or )");
	parser->at++;
	return 0;
}

static int read_factor(struct parser *parser, enum luck *luck)
{
	char c = look(parser);

	*luck = NO_LUCK;
	if (c == '+' || c == '-')
		return read_signed(parser, luck);
	if (c == '(')
		return read_brackets(parser, luck);
	if (is_digit(c) || c == '.')
		return read_number(parser);
	if (is_letter(c))
		return read_component(parser, luck);
	return fail_at(parser, parser->at, "a number, a component or (");
}

/* What a coefficient makes of RANDOM is limited, so it must be its own. */
static int multiply(struct parser *parser, enum code code, enum luck other,
		    const char *where, enum luck *luck)
{
	if (*luck == IN_SUM || other == IN_SUM)
		return tb_fail(parser->err, "column %zu: a sum with RANDOM in it cannot be multiplied or divided; write the coefficient before RANDOM, as in 100 * RANDOM",
			       column(parser, where));
	if (other == FACTOR)
		*luck = FACTOR;
	if (emit_code(parser, code))
		return -1;
	return *luck == FACTOR ? emit_code(parser, LIMIT) : 0;
}

static int read_product(struct parser *parser, enum luck *luck)
{
	enum luck other;
	char c;

	if (read_factor(parser, luck))
		return -1;
	while ((c = look(parser)) == '*' || c == '/') {
		const char *where = parser->at++;

		if (read_factor(parser, &other) ||
		    multiply(parser, c == '*' ? MULTIPLY : DIVIDE, other,
			     where, luck))
			return -1;
	}
	return 0;
}

static int read_sum(struct parser *parser, enum luck *luck)
{
	enum luck other;
	char c;

	if (read_product(parser, luck))
		return -1;
	while ((c = look(parser)) == '+' || c == '-') {
		parser->at++;
		if (read_product(parser, &other) ||
		    emit_code(parser, c == '+' ? ADD : SUBTRACT))
			return -1;
		if (*luck != NO_LUCK || other != NO_LUCK)
			*luck = IN_SUM;
	}
	return 0;
}

/* A pair of quotation marks around all of it. */
static void strip_quotes(struct parser *parser)
{
	char quote = look(parser);
	const char *end = parser->end;

	if (quote != '"' && quote != '\'')
		return;
	while (end > parser->at + 1 && is_blank(end[-1]))
		end--;
	if (end <= parser->at + 1 || end[-1] != quote)
		return;
	parser->at++;
	parser->end = end - 1;
}

static int read_all(struct parser *parser)
{
	enum luck luck;

	strip_quotes(parser);
	if (!look(parser))
		return tb_fail(parser->err, "the expression is empty; write one such as SPEED + .01 * AMEM - 10 * JOBCOUNT");
	if (read_sum(parser, &luck))
		return -1;
	if (look(parser))
		return fail_at(parser, parser->at, "an operator");
	return 0;
}

struct tb_priority_function *tb_priority_parse(const char *text,
					       struct tb_error *err)
{
	struct parser parser = { .text = text, .at = text, .err = err };
	size_t length = strlen(text);

	parser.end = text + length;
	if (length > TB_PRIORITY_TEXT_MAX) {
		tb_fail(err, "the expression has %zu bytes; at most %d are allowed",
			length, TB_PRIORITY_TEXT_MAX);
		return NULL;
	}
	parser.function = calloc(1, sizeof(*parser.function));
	if (!parser.function) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (!read_all(&parser))
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
	free(function->operations);
	free(function);
}

const struct tb_priority_term *
tb_priority_terms(const struct tb_priority_function *function,
		  unsigned *count)
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

static double limited(double value, double most)
{
	if (isnan(value))
		return 0;
	return value > most ? most : value < -most ? -most : value;
}

static double apply(enum code code, double a, double b)
{
	switch (code) {
	case ADD:
		return limited(a + b, DBL_MAX);
	case SUBTRACT:
		return limited(a - b, DBL_MAX);
	case MULTIPLY:
		return limited(a * b, DBL_MAX);
	default:
		return b == 0 ? 0 : limited(a / b, DBL_MAX);
	}
}

double tb_priority_value(const struct tb_priority_function *function,
			 const double *values)
{
	double stack[STACK_MAX];
	unsigned top = 0;

	for (unsigned i = 0; i < function->count; i++) {
		const struct operation *operation = &function->operations[i];

		switch (operation->code) {
		case PUSH_NUMBER:
			stack[top++] = operation->number;
			break;
		case PUSH_TERM:
			stack[top++] = limited(values[operation->term],
					       DBL_MAX);
			break;
		case NEGATE:
			stack[top - 1] = -stack[top - 1];
			break;
		case LIMIT:
			stack[top - 1] = limited(stack[top - 1],
						 TB_PRIORITY_RANDOM_MAX);
			break;
		default:
			top--;
			stack[top - 1] = apply(operation->code, stack[top - 1],
					       stack[top]);
		}
	}
	return stack[0];
}
