/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_file.c - see plugin_file.h */
#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static bool find_symbol(Elf *elf, const char *name, GElf_Sym *symbol)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    header.sh_type != SHT_DYNSYM ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getsym(data, i, symbol); i++) {
			const char *text = elf_strptr(elf, header.sh_link,
						      symbol->st_name);

			if (text && !strcmp(text, name))
				return true;
		}
	}
	return false;
}

/* What the file has for a variable; 0 when it has nothing. */
static uint32_t get_value(Elf *elf, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Shdr header;
	uint32_t number;
	size_t at;

	if (!data || !data->d_buf || !gelf_getshdr(section, &header) ||
	    symbol->st_value < header.sh_addr)
		return 0;
	at = symbol->st_value - header.sh_addr;
	if (at > data->d_size || data->d_size - at < sizeof(number))
		return 0;
	memcpy(&number, (const char *)data->d_buf + at, sizeof(number));
	return number;
}

uint32_t tb_plugin_version(const char *path, struct tb_error *err)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint32_t version = 0;
	GElf_Sym symbol;
	Elf *elf;

	if (file < 0) {
		tb_fail(err, "it cannot be read: %s", strerror(errno));
		return 0;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_READ, NULL);
	if (elf && find_symbol(elf, "plugin_version", &symbol))
		version = get_value(elf, &symbol);
	if (!version)
		tb_fail(err,
			"it is not a plugin of Slurm: it has no plugin_version");
	elf_end(elf);
	close(file);
	return version;
}

/* Of NAME.so; 0: it is not there. */
static uint32_t find_version(const char *plugin_dir, const char *name)
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
		version = find_version(plugin_dir, name);
		free(name);
	}
	return version &&
	       version == find_version(plugin_dir, "select_cons_tres") &&
	       !(find_version(plugin_dir, "select_topobind") &&
		 find_version(plugin_dir, "select_cons_tres_topobind"));
}
