/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_features.h - the features that nodes have, as slurmctld tells clients
 */
#ifndef TB_COMMON_NODE_NODE_FEATURES_H
#define TB_COMMON_NODE_NODE_FEATURES_H

#include <stdbool.h>

/* Is a name in a list with commas, which may be NULL? */
bool tb_name_is_listed(const char *list, const char *name);

/*
 * Can any of these nodes, a node_info_msg_t, have this feature?  For
 * tb_request_check_features().
 */
bool tb_some_node_has_feature(const char *name, void *nodes);

#endif
