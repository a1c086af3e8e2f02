/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_locked.c - in place of compat/select_ops.c's: slurmctld has nodes locked for
 * reading only.  test/integration/late.sh
 */
#include <stdbool.h>

bool __wrap_tb_nodes_are_locked(void);
bool __wrap_tb_nodes_are_locked(void)
{
	return false;
}
