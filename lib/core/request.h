/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - what a user asks for: the binding options of a job or step
 *
 * The grammar is the table of DESIGN.md, section 3.  The same parser serves
 * the client (for a good message) and the controller and node (because what a
 * client sends is user input).  The canonical one-line form, keys in the order
 * of the table and defaults left out ("bunit=X,bamount=1,btype=host"), is
 * what is transported, stored, shown and accepted everywhere.
 */
#ifndef TB_CORE_REQUEST_H
#define TB_CORE_REQUEST_H

#include <stdbool.h>

#include "allocation.h"
#include "filter.h"
#include "topology.h"

/* Longest one-line form that is read, in bytes. */
#define TB_REQUEST_TEXT_MAX 65536
#define TB_AMOUNT_MAX 65535
/* As many threads as a topology string can have. */
#define TB_CPUS_MAX TB_TOPOLOGY_TEXT_MAX
/* N S X Y C E T, each at most once. */
#define TB_SORT_MAX 7
/* Longest list of features in --bprefer, in bytes. */
#define TB_PREFER_MAX 1024

enum tb_type { TB_SLOT, TB_HOST };
enum tb_strategy { TB_PACKED, TB_LINEAR, TB_SCATTER };
/* Who binds: topobind; nobody, the environment tells; MPI, files tell. */
enum tb_instance { TB_SET, TB_ENV, TB_PE };
/* Where memory comes from: anywhere; rather, or only, near the units. */
enum tb_memory { TB_MEMORY_NONE, TB_MEMORY_PREFER, TB_MEMORY_LOCAL };
/* Tasks on their units only; or there first, and elsewhere under load (soft.h). */
enum tb_hardness { TB_HARD, TB_SOFT };

struct tb_unit {
	char letter;            /* T C S X Y N; C stands for E when... */
	enum tb_core_kind kind; /* ...kind is TB_EFFICIENCY */
};

struct tb_request {
	unsigned given; /* bit set of the keys that were given, private */
	struct tb_unit unit;
	unsigned amount; /* units per slot or host; 0 = no binding */
	enum tb_type type; /* TB_HOST with cpus, once that is checked */
	enum tb_strategy strategy;
	char sort[TB_SORT_MAX + 1]; /* "" = none */
	char start, stop;           /* 0 = none */
	struct tb_filter *filter;   /* NULL = none */
	enum tb_instance instance;
	struct tb_topology *shape; /* the only one allowed; NULL = any */
	/*
	 * Exactly these logical threads, in place of units; NULL = units.
	 * As many bits as the last of them needs, so that a node has them when
	 * it has as many threads.
	 */
	struct tb_bitset *cpus;
	enum tb_memory memory; /* ask tb_request_memory() */
	enum tb_hardness mode;
	char allow; /* how far they spread: a letter of S N X; 0: the node */
	enum tb_allocation nodes; /* ask tb_request_nodes() */
	char *prefer; /* features of nodes, "a+b"; NULL = none */
};

/* All defaults, nothing given. */
void tb_request_init(struct tb_request *request);
void tb_request_clear(struct tb_request *request);

/*
 * One option, by its name without dashes ("bunit").  -1 with a sentence that
 * names the option, the value and what is allowed; also when the option was
 * given before to this request.
 */
int tb_request_set(struct tb_request *request, const char *key,
		   const char *value, struct tb_error *err);

/* The one-line form, into a request that tb_request_init() made. */
int tb_request_parse(struct tb_request *request, const char *line,
		     struct tb_error *err);

/*
 * Take from lower what request was not given: option over environment.  A list
 * of CPUs and the options that choose units exclude each other: of those the
 * ones in request displace the others in lower.
 */
int tb_request_inherit(struct tb_request *request,
		       const struct tb_request *lower, struct tb_error *err);

/*
 * Options that contradict each other, or need an amount or a list of CPUs: -1,
 * a sentence.
 */
int tb_request_check(const struct tb_request *request, struct tb_error *err);

/*
 * Anything given at all?  Anything that has to do with units, not only with which
 * nodes?  Are units asked for, and not switched off by an amount of 0?
 */
bool tb_request_is_given(const struct tb_request *request);
bool tb_request_has_binding(const struct tb_request *request);
bool tb_request_binds(const struct tb_request *request);

/* False when the request is for another shape of node. */
bool tb_request_matches(const struct tb_request *request,
			const struct tb_topology *topology);

/* Its memory policy; where it says nothing, the site's. */
enum tb_memory tb_request_memory(const struct tb_request *request,
				 enum tb_memory site);

/* Its node allocation policy; where it says nothing, the site's. */
enum tb_allocation tb_request_nodes(const struct tb_request *request,
				    enum tb_allocation site);

/*
 * Make the window as wide as it can become on a node, whatever is in use there:
 * for asking whether an idle node could ever hold the request.  On one nothing
 * is in use, so a start at something used is nowhere, and a stop at something
 * unused comes at once.
 */
void tb_request_widen_window(struct tb_request *request);

/* The canonical one-line form.  malloc()ed, NULL when out of memory. */
char *tb_request_print(const struct tb_request *request);

/* "X", "EX", "C", "E", ... as in --bunit.  Static text. */
const char *tb_unit_name(struct tb_unit unit);

/* "set", "env", "pe".  Static text. */
const char *tb_instance_name(enum tb_instance instance);

/* The names of all options, NULL-terminated, in the order of the table. */
extern const char *const tb_request_keys[];

/*
 * Of an option: those of its values that are words, with blanks or commas
 * between them, NULL where none is; and what is allowed, for people.  NULL for a
 * name that is no option's.  Static text.
 */
const char *tb_request_words(const char *key);
const char *tb_request_allowed(const char *key);

#endif
