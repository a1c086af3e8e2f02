/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hierarchy_libcgroup.c - by libcgroup; see hierarchy.h */
#include <errno.h>
#include <libcgroup.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"

/* libcgroup hides some reasons behind "other": those are in its errno. */
static const char *reason_of(int code)
{
	if (code == 0)
		return NULL;
	if (code == ECGOTHER)
		return strerror(cgroup_get_last_errno());
	return cgroup_strerror(code);
}

const char *tb_hierarchy_begin(void)
{
	return reason_of(cgroup_init());
}

const char *tb_hierarchy_mount(const char *controller, char **mount)
{
	*mount = NULL;
	return reason_of(cgroup_get_subsys_mount_point(controller, mount));
}

void tb_hierarchy_each(int (*visit)(void *data, const char *mount), void *data)
{
	struct cgroup_mount_point info;
	void *handle = NULL;
	int rc = cgroup_get_controller_begin(&handle, &info);

	while (rc == 0 && visit(data, info.path) >= 0)
		rc = cgroup_get_controller_next(&handle, &info);
	cgroup_get_controller_end(&handle);
}

/* A description for libcgroup; NULL: out of memory. */
static struct cgroup *describe(const char *controller, const char *path)
{
	struct cgroup *group = cgroup_new_cgroup(path);

	if (group && !cgroup_add_controller(group, controller))
		cgroup_free(&group);
	return group;
}

const char *tb_hierarchy_make(const char *controller, const char *path)
{
	struct cgroup *group = describe(controller, path);
	int rc;

	if (!group)
		return strerror(ENOMEM);
	/* Ignoring ownership leaves it with who makes it: root. */
	rc = cgroup_create_cgroup(group, 1);
	cgroup_free(&group);
	return reason_of(rc);
}

const char *tb_hierarchy_write(const char *controller, const char *path,
			       const char *file, const char *text)
{
	struct cgroup *group = describe(controller, path);
	int rc;

	if (!group)
		return strerror(ENOMEM);
	rc = cgroup_add_value_string(cgroup_get_controller(group, controller),
				     file, text);
	if (rc == 0)
		rc = cgroup_modify_cgroup(group);
	cgroup_free(&group);
	return reason_of(rc);
}

const char *tb_hierarchy_read(const char *controller, const char *path,
			      const char *file, char *text, size_t size)
{
	char *name = strdup(file); /* libcgroup wants it writable */
	void *handle = NULL;
	int rc;

	if (!name)
		return strerror(ENOMEM);
	text[0] = '\0';
	rc = cgroup_read_value_begin(controller, path, name, &handle, text,
				     (int)size);
	if (handle) /* it does not check */
		cgroup_read_value_end(&handle);
	free(name);
	return rc == ECGEOF ? NULL : reason_of(rc);
}
