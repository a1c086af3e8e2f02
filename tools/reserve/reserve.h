/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserve.h - what "topobind reserve" is asked for, and its three ways to do it
 */
#ifndef TB_TOOLS_RESERVE_RESERVE_H
#define TB_TOOLS_RESERVE_RESERVE_H

#include <time.h>

#include "common/job/reserved_request.h"
#include "compat/reservation_text.h"

#include "command.h"

enum tb_reserve_action {
	TB_RESERVE_LIST,
	TB_RESERVE_MAKE,
	TB_RESERVE_UPDATE,
	TB_RESERVE_DELETE,
};

/* Strings are arguments; NULL: not given. */
struct tb_reserve_options {
	struct tb_command common;
	struct tb_options binding;
	enum tb_reserve_action action;
	struct tb_reserved_request wanted; /* TB_RESERVE_MAKE */
	const char *name;
	const char *users, *accounts, *groups;
	const char *partition, *nodes, *features; /* nodes: a list */
	uint32_t listed;			  /* how many these are */
	uint32_t ntasks, nnodes;		  /* 0: not given */
	time_t start, end;			  /* 0: not given */
	uint32_t minutes;			  /* NO_VAL: not given */
};

/* They return exit codes; Slurm's library is ready. */
int tb_reserve_make(const struct tb_reserve_options *options);
int tb_reserve_update(const struct tb_reserve_options *options);
int tb_reserve_delete(const struct tb_reserve_options *options);
int tb_reserve_list(const struct tb_reserve_options *options);

/* What Slurm has against it, by its number.  -1 with a sentence. */
int tb_reserve_refused(const struct tb_reserve_options *options, int why,
		       struct tb_error *err);

/* Who may use it and when, as far as it is given. */
void tb_reserve_describe(const struct tb_reserve_options *options,
			 resv_desc_msg_t *desc);

#endif
