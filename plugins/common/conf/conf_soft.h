/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_soft.h - the keys of topobind.conf for soft binding
 *
 * Soft, SoftUtilLowPct, SoftCount, SoftIntervalMs and Mode: of the site; a
 * PartitionName= line overrides them, and a NodeName= line overrides both.
 */
#ifndef TB_COMMON_CONF_CONF_SOFT_H
#define TB_COMMON_CONF_CONF_SOFT_H

#include <stdbool.h>

#include "conf_line.h"
#include "conf_word.h"
#include "core/base/error.h"
#include "core/request/request.h"
#include "core/soft/soft.h"

/* A shorter one costs too much; a longer one is of no use. */
#define TB_SOFT_INTERVAL_MIN_MS 10
#define TB_SOFT_INTERVAL_MAX_MS 60000
#define TB_SOFT_INTERVAL_MS 500

/* In the order of TB_SOFT_ITEMS. */
enum {
	TB_SOFT_WORD_ON,
	TB_SOFT_WORD_LOW,
	TB_SOFT_WORD_COUNT,
	TB_SOFT_WORD_INTERVAL,
	TB_SOFT_WORD_MODE,
	TB_SOFT_WORDS
};

struct tb_conf_soft {
	bool on;
	unsigned low_pct; /* 0 to 100, as in core/soft/soft.h */
	enum tb_soft_count count;
	unsigned interval_ms;  /* between two samples */
	enum tb_hardness mode; /* of requests without bmode */
};

/* Where no line says anything. */
struct tb_conf_soft tb_conf_soft_usual(void);

/*
 * What the words say takes the place of what is there; a word without a value leaves
 * it.  -1 with a sentence.
 */
int tb_conf_soft_read(struct tb_conf_soft *soft,
		      const struct tb_conf_word word[TB_SOFT_WORDS],
		      const struct tb_conf_where *where, struct tb_error *err);

#endif
