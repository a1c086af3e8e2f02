/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_test.h - what every unit test includes, in the order cmocka wants
 */
#ifndef TB_TEST_UNIT_TEST_H
#define TB_TEST_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
