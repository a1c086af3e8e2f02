/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene_nodes.h - which nodes a job may use, and if not, why
 *
 * Private to scene.c.
 */
#ifndef TB_TOOLS_SCENE_NODES_H
#define TB_TOOLS_SCENE_NODES_H

#include "scene.h"

/* All nodes of the cluster, without holders.  -1 with a sentence. */
int tb_scene_add_nodes(struct tb_scene *scene,
		       const struct tb_cluster *cluster, struct tb_error *err);

#endif
