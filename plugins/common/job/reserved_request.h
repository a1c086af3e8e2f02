/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserved_request.h - the units that a reservation asks for, as text
 *
 * "topobind slots=8 nodes=2 per-node=4 bunit=X,bamount=4" is what Slurm keeps with a
 * reservation (compat/reservation_text.h says where).  The command writes it, and the
 * controller reads it when it chooses the cores: it is user input.
 */
#ifndef TB_COMMON_JOB_RESERVED_REQUEST_H
#define TB_COMMON_JOB_RESERVED_REQUEST_H

#include <stdint.h>

#include "core/request/request.h"

struct tb_reserved_request {
	uint32_t slots;	   /* in all; TB_HOST: as many as nodes */
	uint32_t nodes;	   /* exactly so many; 0: as few as hold them */
	uint32_t per_node; /* slots of a node at most; 0: any number */
	int64_t start; /* of another reservation, see below; 0: of this one */
	struct tb_request request; /* it binds, by units */
};

/*
 * Since Slurm 23.11 select plugins do not see what is said with a reservation.  So the
 * command makes another one of this name before, without nodes and for a moment, whose
 * text has also the start of the one that follows.  As Slurm takes a name once only,
 * there is one of them at a time.
 */
#define TB_RESERVE_CARRIER "topobind-request"

/* Most slots, nodes and slots of a node. */
#define TB_RESERVE_MOST 1000000

/* malloc()ed, NULL: out of memory. */
char *tb_reserved_request_print(const struct tb_reserved_request *reserved);

/*
 * Also of NULL and of texts of others: -1, and with err a sentence.
 * tb_reserved_request_clear() is right after both.
 */
int tb_reserved_request_read(struct tb_reserved_request *reserved,
			     const char *text, struct tb_error *err);
void tb_reserved_request_clear(struct tb_reserved_request *reserved);

/*
 * Can units be reserved so?  What is about tasks, memory or the choice of nodes is for
 * the jobs in the reservation.  -1 with a sentence.
 */
int tb_reserved_request_check(const struct tb_request *request,
			      struct tb_error *err);

#endif
