/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_file.c - see plugin_file.h */
#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin_file.h"

char *tb_plugin_find(const char *plugin_dir, const char *name)
{
	char *dirs = strdup(plugin_dir ? plugin_dir : ""), *rest = dirs;
	char *path = NULL, *dir;

	while (dirs && !path && (dir = strsep(&rest, ":"))) {
		if (asprintf(&path, "%s/%s.so", dir, name) < 0)
			path = NULL;
		if (path && access(path, F_OK)) {
			free(path);
			path = NULL;
		}
	}
	free(dirs);
	return path;
}

/* A mapped file.  Nothing in it is believed before it was found inside. */
struct image {
	const unsigned char *bytes;
	size_t size;
};

/* count things of a size at an offset; NULL: they are not all in the file. */
static const void *part(const struct image *image, size_t offset, size_t count,
			size_t size)
{
	if (offset > image->size || count > (image->size - offset) / size)
		return NULL;
	return image->bytes + offset;
}

static const ElfW(Shdr) *sections(const struct image *image, unsigned *count)
{
	const ElfW(Ehdr) *header = part(image, 0, 1, sizeof(*header));

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64
							       : ELFCLASS32) ||
	    header->e_shentsize != sizeof(ElfW(Shdr)) ||
	    header->e_shoff % sizeof(void *))
		return NULL;
	*count = header->e_shnum;
	return part(image, header->e_shoff, *count, sizeof(ElfW(Shdr)));
}

static bool has_name(const struct image *image, const ElfW(Shdr) *names,
		     size_t at, const char *wanted)
{
	size_t length = strlen(wanted) + 1;
	const char *name;

	if (at >= names->sh_size || names->sh_size - at < length)
		return false;
	name = part(image, names->sh_offset, 1, names->sh_size);
	return name && !memcmp(name + at, wanted, length);
}

/* A symbol of .dynsym, whose names are in another section. */
static const ElfW(Sym) *find_symbol(const struct image *image,
				    const ElfW(Shdr) *section, unsigned count,
				    const ElfW(Shdr) *table, const char *name)
{
	size_t symbols = table->sh_size / sizeof(ElfW(Sym));
	const ElfW(Sym) *symbol = part(image, table->sh_offset, symbols,
				       sizeof(*symbol));

	if (!symbol || table->sh_link >= count ||
	    table->sh_offset % sizeof(void *))
		return NULL;
	for (size_t i = 0; i < symbols; i++)
		if (has_name(image, &section[table->sh_link],
			     symbol[i].st_name, name))
			return &symbol[i];
	return NULL;
}

static uint32_t value_of(const struct image *image, const ElfW(Shdr) *section,
			 unsigned count, const ElfW(Sym) *symbol)
{
	const ElfW(Shdr) *home = &section[symbol->st_shndx];
	const void *value;
	uint32_t number;

	if (symbol->st_shndx >= count || symbol->st_value < home->sh_addr ||
	    home->sh_type == SHT_NOBITS)
		return 0;
	value = part(image, home->sh_offset + symbol->st_value - home->sh_addr,
		     1, sizeof(number));
	if (!value)
		return 0;
	memcpy(&number, value, sizeof(number));
	return number;
}

static uint32_t find_version(const struct image *image)
{
	unsigned count;
	const ElfW(Shdr) *section = sections(image, &count);

	for (unsigned i = 0; section && i < count; i++) {
		const ElfW(Sym) *symbol =
			section[i].sh_type == SHT_DYNSYM
			? find_symbol(image, section, count, &section[i],
				      "plugin_version") : NULL;

		if (symbol)
			return value_of(image, section, count, symbol);
	}
	return 0;
}

/* MAP_FAILED is errno's. */
static void *map_file(const char *path, size_t *size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	void *bytes = MAP_FAILED;
	struct stat status;

	if (file < 0)
		return bytes;
	errno = EINVAL;
	if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size)
		bytes = mmap(NULL, (size_t) status.st_size, PROT_READ,
			     MAP_PRIVATE, file, 0);
	*size = (size_t) status.st_size;
	close(file);
	return bytes;
}

uint32_t tb_plugin_version(const char *path, struct tb_error *err)
{
	struct image image = { NULL, 0 };
	uint32_t version;
	void *bytes = map_file(path, &image.size);

	if (bytes == MAP_FAILED) {
		tb_fail(err, "it cannot be read: %s", strerror(errno));
		return 0;
	}
	image.bytes = bytes;
	version = find_version(&image);
	if (!version)
		tb_fail(err, "it is no plugin of Slurm: it has no plugin_version");
	munmap(bytes, image.size);
	return version;
}

/* Of NAME.so; 0: it is not there. */
static uint32_t version_in(const char *plugin_dir, const char *name)
{
	char *path = tb_plugin_find(plugin_dir, name);
	uint32_t version = path ? tb_plugin_version(path, NULL) : 0;

	free(path);
	return version;
}

bool tb_select_plugin_loads(const char *plugin_dir, const char *select_type)
{
	const char *slash = strchr(select_type, '/');
	uint32_t version = 0;
	char *name;

	if (slash && asprintf(&name, "select_%s", slash + 1) >= 0) {
		version = version_in(plugin_dir, name);
		free(name);
	}
	return version && version == version_in(plugin_dir, "select_cons_tres") &&
	       !(version_in(plugin_dir, "select_topobind") &&
		 version_in(plugin_dir, "select_cons_tres_topobind"));
}
