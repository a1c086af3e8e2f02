/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - what a user asks for: the binding options of a job or step
 *
 * doc/design.md, "Requests", has the grammar.  The client uses this parser to give
 * a good message; the controller and the node use it too, because what a client
 * sends is user input.  The canonical one-line form has the options in the order
 * of the table and leaves defaults out ("bunit=X,bamount=1,btype=host").  This
 * form is sent, stored, shown and accepted everywhere.
 */
#ifndef TB_CORE_REQUEST_REQUEST_H
#define TB_CORE_REQUEST_REQUEST_H

#include <stdbool.h>

#include "core/policy/allocation.h"
#include "core/topology/memory_kind.h"
#include "core/topology/topology.h"
#include "core/topology/unit.h"
#include "filter.h"

/*
 * Longest text of a request, in bytes: of the one-line form, and of all options
 * together where they come one by one.  A topology string of the greatest length
 * and all other options have room, and it can be a variable of a program, which
 * Linux limits to 128 KiB.
 */
#define TB_REQUEST_TEXT_MAX (TB_TOPOLOGY_TEXT_MAX + 4096)
#define TB_AMOUNT_MAX 65535
/* In one bunit=X:1|N:1: each is tried, so there are few. */
#define TB_ALTERNATIVES_MAX 4
/* In one bunit=X:1+C:2 (parts.h). */
#define TB_PARTS_MAX 2
/* As many threads as a topology string can have. */
#define TB_CPUS_MAX TB_TOPOLOGY_TEXT_MAX
/* N S X Y C E T, each at most once. */
#define TB_SORT_MAX 7
/* Longest list in --bprefer, in bytes. */
#define TB_PREFER_MAX 1024

enum tb_type { TB_SLOT, TB_HOST };
/* May the slots of a job be of unequal size, where units of one are too few? */
enum tb_equal { TB_EQUAL, TB_UNEQUAL };
enum tb_strategy { TB_PACKED, TB_LINEAR, TB_SCATTER };
/*
 * Who binds: topobind; nobody, the job reads the environment; MPI, which reads
 * files.
 */
enum tb_instance { TB_SET, TB_ENV, TB_PE };
/* Where memory comes from: anywhere; preferably or only near the units. */
enum tb_memory { TB_MEMORY_NONE, TB_MEMORY_PREFER, TB_MEMORY_LOCAL };
/* With the kinds (a set of them, memory_kind.h) that it comes from. */
struct tb_memory_policy {
	enum tb_memory where;
	unsigned kinds; /* TB_MEMORY_NONE: all */
};
/* Tasks run on their units only; or may leave them under load (soft.h). */
enum tb_hardness { TB_HARD, TB_SOFT };

/* Units with their amount: one of bunit=X:1|N:1, or a part of bunit=X:1+C:2. */
struct tb_units {
	struct tb_unit unit;
	unsigned amount;
};

struct tb_request {
	unsigned given; /* bit set of the keys that were given, private */
	struct tb_unit unit;
	unsigned amount; /* units per slot or host; 0 = no binding */
	/*
	 * Of bunit=X:1|N:1, in order; unit and amount are those of the first.  Whoever
	 * places asks alternatives.h for one of them.
	 */
	struct tb_units alternatives[TB_ALTERNATIVES_MAX];
	unsigned nalternatives; /* 0: bunit has no alternatives */
	/*
	 * Of bunit=X:1+C:2, in order; unit and amount are one core then, the least of
	 * it.  Whoever counts or prints units asks parts.h.
	 */
	struct tb_units parts[TB_PARTS_MAX];
	unsigned nparts;   /* 0: bunit has one kind of unit */
	enum tb_type type; /* TB_HOST with cpus, once that is checked */
	enum tb_equal equal;
	enum tb_strategy strategy;
	char spread; /* no two slots in one of S N X (place/spread.h); 0 = none */
	char sort[TB_SORT_MAX + 1]; /* "" = none */
	char start, stop;	    /* 0 = none */
	struct tb_filter *filter;   /* NULL = none */
	enum tb_instance instance;
	struct tb_topology *shape; /* the only one allowed; NULL = any */
	/*
	 * Exactly these CPUs instead of units; NULL = units.  The set ends with
	 * the last of them.  Which threads they are on a node says
	 * core/place/listed.h.
	 */
	struct tb_bitset *cpus;
	bool os_numbers; /* of cpus: OS CPUs, not logical threads */
	struct tb_memory_policy memory; /* ask tb_request_memory() */
	enum tb_hardness mode;		/* ask tb_request_mode() */
	char allow;   /* how far they spread: a letter of S N X; 0: the node */
	bool isolate; /* nothing else runs on its CPUs; isolation.h */
	enum tb_allocation nodes; /* ask tb_request_nodes() */
	char *prefer;		  /* "a+b"; NULL = none; prefer.h */
	/*
	 * Not the user's, and no key's: threads that the site masks on the node of
	 * this placement, besides what filter masks.  Borrowed; NULL = none.
	 */
	const struct tb_bitset *masked;
};

/* The request for a placement on a node with such threads masked; it borrows. */
static inline struct tb_request
tb_request_masked(const struct tb_request *request,
		  const struct tb_bitset *masked)
{
	struct tb_request there = *request;

	there.masked = masked;
	return there;
}

/* All defaults, no option given. */
void tb_request_init(struct tb_request *request);
void tb_request_clear(struct tb_request *request);

/*
 * One option, by its name without dashes ("bunit"); of an option that is given
 * again the last value counts, as with Slurm's own.  -1 with a sentence that names
 * the option, the value and what is allowed.
 */
int tb_request_set(struct tb_request *request, const char *key,
		   const char *value, struct tb_error *err);

/* The one-line form, into a request that tb_request_init() made. */
int tb_request_parse(struct tb_request *request, const char *line,
		     struct tb_error *err);

/*
 * Take from lower the options that request does not have, for example from the
 * environment those that the command line does not have.  A list of CPUs excludes
 * options that choose units: what request has of one kind displaces what lower
 * has of the other.
 */
int tb_request_inherit(struct tb_request *request,
		       const struct tb_request *lower, struct tb_error *err);

/*
 * The length of a text that a user sent, which is looked at no further than a
 * request may be long: longer ones have TB_REQUEST_TEXT_MAX + 1.
 */
size_t tb_request_text_length(const char *text);
/*
 * -1 with a sentence that names this text of a request, when the request is longer
 * than allowed.
 */
int tb_request_check_length(size_t length, const char *text,
			    struct tb_error *err);

/*
 * When all options are there: a unit, a filter and a topology without an amount ask
 * for one unit (seed 000, example 9).  -1 with a sentence when options contradict each
 * other, need an amount or a list of CPUs, or are too long as one line.
 */
int tb_request_complete(struct tb_request *request, struct tb_error *err);

/*
 * Does a request leave it to the site (Implicit=yes) which units it is bound to, and to
 * how many?  It says nothing of a binding, or only such as goes with any units.
 */
bool tb_request_is_open(const struct tb_request *request);
/*
 * As tb_request_complete(), but an open request needs no amount: who knows the site
 * completes it when there is no binding to add it to.
 */
int tb_request_complete_open(struct tb_request *request, struct tb_error *err);

/*
 * Has a request any option?  Has it any option that is not about which nodes?
 * Does it ask for units or CPUs, and no amount of 0 switches that off?
 */
bool tb_request_is_given(const struct tb_request *request);
bool tb_request_has_binding(const struct tb_request *request);
bool tb_request_binds(const struct tb_request *request);

/* False when the request is for another shape of node. */
bool tb_request_matches(const struct tb_request *request,
			const struct tb_topology *topology);

/* The memory policy of a request; the site's where it has none. */
struct tb_memory_policy tb_request_memory(const struct tb_request *request,
					  struct tb_memory_policy site);
/* Likewise hard or soft; the site's only of tasks that topobind holds. */
enum tb_hardness tb_request_mode(const struct tb_request *request,
				 enum tb_hardness site);
/* "hard" or "soft", and back; false: another word. */
const char *tb_mode_name(enum tb_hardness mode);
bool tb_mode_read(const char *word, enum tb_hardness *mode);
/*
 * Does the request itself, not the site, name the memory of the job's GPUs?  Then it is
 * to have some; what the site names is for jobs that can have it.
 */
bool tb_request_names_gpu_memory(const struct tb_request *request);
/* -1 with a sentence when it does and the job has no GPUs. */
int tb_request_check_gpus(const struct tb_request *request, bool has_gpus,
			  struct tb_error *err);
/* Memory from anywhere: of a request without a policy, where the site has none. */
struct tb_memory_policy tb_any_memory(void);

/* The node allocation policy of a request; the site's where it has none. */
enum tb_allocation tb_request_nodes(const struct tb_request *request,
				    enum tb_allocation site);

/*
 * Make the window as wide as it can become on a node, whatever is in use there.
 * This is for asking whether an idle node could ever hold the request: there, a
 * start at something in use is never found, and a stop at something free is found
 * at once.
 */
void tb_request_widen_window(struct tb_request *request);

/*
 * -1 with a sentence when the window holds no free unit on any node, whatever is in
 * use there: no job with it can start.  What depends on the node says
 * core/place/window_ever.h.
 */
int tb_request_check_window(const struct tb_request *request,
			    struct tb_error *err);

/*
 * Its list of CPUs for people, "0-3,8" or "os:0-3,8".  malloc()ed, NULL when out
 * of memory.
 */
char *tb_request_print_cpus(const struct tb_request *request);

/* The canonical one-line form.  malloc()ed, NULL when out of memory. */
char *tb_request_print(const struct tb_request *request);
/* As it is sent for a job: an open request also says what only by default is so. */
char *tb_request_print_sent(const struct tb_request *request);
/*
 * What of a request is its binding by the site: without the amount, which stands for
 * any there, and without what chooses nodes.
 */
char *tb_request_print_open(const struct tb_request *request);
/* The same with all options that were given, defaults too. */
char *tb_request_print_given(const struct tb_request *request);

#endif
