/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - an error that travels as a value
 *
 * A function of lib/core that can fail for a reason that a person should read
 * takes a struct tb_error and fills in one sentence: what is wrong, which value it
 * saw, what is allowed.  "Does not fit" is a result, not an error.
 */
#ifndef TB_CORE_BASE_ERROR_H
#define TB_CORE_BASE_ERROR_H

#define TB_ERROR_TEXT_SIZE 512

struct tb_error {
	char text[TB_ERROR_TEXT_SIZE]; /* one sentence, cut when longer */
};

/*
 * Write a sentence into err (which may be NULL) and return -1, so that a
 * caller can "return tb_fail(err, ...)".
 */
int tb_fail(struct tb_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
