/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* asprintf, O_NOFOLLOW */
#include "device_address.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel's list of numbers has it for NVIDIA's /dev/nvidia0 and so on. */
#define NVIDIA_MAJOR 195
/* Of what NVIDIA's driver tells of a GPU; longer lines are none of interest. */
#define LINE_MAX_READ 256

/* The last directory of a path that is a PCI address: what is at it comes after. */
static bool find_last(const char *path, struct tb_pci_address *address)
{
	bool found = false;

	while (*path) {
		size_t length = strcspn(path, "/");

		found = tb_pci_address_parse(path, length, address) || found;
		path += length;
		path += strspn(path, "/");
	}
	return found;
}

/*
 * Where /sys/dev has the device: a link to a directory below that of its PCI device,
 * ../../devices/pci0000:00/0000:00:02.0/drm/renderD128.
 */
static bool find_in_sys(const char *root, const struct tb_device_number *number,
			struct tb_pci_address *address)
{
	char target[PATH_MAX];
	ssize_t length;
	char *path;

	if (asprintf(&path, "%s/sys/dev/%s/%u:%u", root,
		     number->is_block ? "block" : "char", number->major,
		     number->minor) < 0)
		return false;
	length = readlink(path, target, sizeof(target) - 1);
	free(path);
	if (length < 0)
		return false;
	target[length] = '\0';
	return find_last(target, address);
}

/* "Device Minor: \t 0" is one of its lines; files of proc do not tell their size. */
static bool has_line(FILE *information, unsigned minor)
{
	char line[LINE_MAX_READ];
	unsigned seen;

	while (fgets(line, sizeof(line), information))
		if (sscanf(line, "Device Minor : %9u", &seen) == 1)
			return seen == minor;
	return false;
}

/* Of the directory of a GPU. */
static bool has_minor(int gpu, unsigned minor)
{
	int fd = openat(gpu, "information", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *information = fd < 0 ? NULL : fdopen(fd, "r");
	bool has;

	if (!information) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	has = has_line(information, minor);
	fclose(information);
	return has;
}

static bool is_of_minor(int gpus, const char *name, unsigned minor)
{
	int gpu = openat(gpus, name,
			 O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	bool is = gpu >= 0 && has_minor(gpu, minor);

	if (gpu >= 0)
		close(gpu);
	return is;
}

/* NVIDIA's driver has no devices in /sys/dev, but a directory for each GPU. */
static bool find_nvidia(const char *root, unsigned minor,
			struct tb_pci_address *address)
{
	struct dirent *entry;
	bool found = false;
	DIR *gpus;
	char *path;

	if (asprintf(&path, "%s/proc/driver/nvidia/gpus", root) < 0)
		return false;
	gpus = opendir(path);
	free(path);
	while (gpus && !found && (entry = readdir(gpus)))
		found = tb_pci_address_parse(entry->d_name,
					     strlen(entry->d_name), address) &&
			is_of_minor(dirfd(gpus), entry->d_name, minor);
	if (gpus)
		closedir(gpus);
	return found;
}

bool tb_device_address(const char *root, const struct tb_device_number *number,
		       struct tb_pci_address *address)
{
	if (find_in_sys(root, number, address))
		return true;
	return !number->is_block && number->major == NVIDIA_MAJOR &&
	       find_nvidia(root, number->minor, address);
}
