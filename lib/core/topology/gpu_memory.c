/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gpu_memory.h"

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return -1;
}

/* Moves text behind a number of least to most digits.  False: it is none. */
static bool read_hex(const char **text, const char *end, unsigned least,
		     unsigned most, uint32_t *number)
{
	unsigned digits = 0;

	*number = 0;
	while (*text < end && digits < most && digit_value(**text) >= 0) {
		*number = *number << 4 | (uint32_t)digit_value(**text);
		(*text)++;
		digits++;
	}
	return digits >= least;
}

static bool read_sign(const char **text, const char *end, char sign)
{
	return *text < end && *(*text)++ == sign;
}

bool tb_pci_address_parse(const char *text, size_t length,
			  struct tb_pci_address *address)
{
	const char *end = text + length;
	uint32_t domain, bus, device, function;

	if (!read_hex(&text, end, 4, 8, &domain) ||
	    !read_sign(&text, end, ':') || !read_hex(&text, end, 2, 2, &bus) ||
	    !read_sign(&text, end, ':') ||
	    !read_hex(&text, end, 2, 2, &device) ||
	    !read_sign(&text, end, '.') ||
	    !read_hex(&text, end, 1, 1, &function) || text != end)
		return false;
	*address = (struct tb_pci_address){ domain, (uint8_t)bus,
					    (uint8_t)device,
					    (uint8_t)function };
	return true;
}

/* So many digits, or as many as the number has, and what comes behind them. */
static char *write_hex(char *at, uint32_t number, unsigned least, char behind)
{
	unsigned digits = least;

	while (digits < 8 && number >> 4 * digits)
		digits++;
	while (digits--)
		*at++ = "0123456789abcdef"[number >> 4 * digits & 0xf];
	*at++ = behind;
	return at;
}

void tb_pci_address_print(const struct tb_pci_address *address,
			  char text[TB_PCI_TEXT_SIZE])
{
	char *at = write_hex(text, address->domain, 4, ':');

	at = write_hex(at, address->bus, 2, ':');
	at = write_hex(at, address->device, 2, '.');
	write_hex(at, address->function & 0xf, 1, '\0');
}

static bool is_same(const struct tb_pci_address *a,
		    const struct tb_pci_address *b)
{
	return a->domain == b->domain && a->bus == b->bus &&
	       a->device == b->device && a->function == b->function;
}

/* A file of the same GPU that is not granted; NULL: there is none. */
static const struct tb_gpu_file *find_other(const struct tb_gpu_file *files,
					    unsigned nfiles,
					    const struct tb_gpu_file *file)
{
	for (unsigned i = 0; i < nfiles; i++)
		if (!files[i].is_granted && files[i].is_found &&
		    is_same(&files[i].address, &file->address))
			return &files[i];
	return NULL;
}

static bool add_numa(const struct tb_gpu_numa *numa, unsigned nnuma,
		     const struct tb_pci_address *address,
		     struct tb_bitset *os_nodes)
{
	bool any = false;

	for (unsigned i = 0; i < nnuma; i++) {
		if (!is_same(&numa[i].address, address))
			continue;
		tb_bitset_set(os_nodes, numa[i].os_node);
		any = true;
	}
	return any;
}

static int add_file(const struct tb_gpu_file *files, unsigned nfiles,
		    const struct tb_gpu_file *file,
		    const struct tb_gpu_numa *numa, unsigned nnuma,
		    struct tb_bitset *os_nodes, struct tb_error *err)
{
	const struct tb_gpu_file *other;
	char address[TB_PCI_TEXT_SIZE];

	if (!file->is_found)
		return tb_fail(
			err,
			"bmem with +gpu: Linux does not tell the PCI address of %.100s, a device file of the step's GPUs, so nobody knows which memory is theirs; leave out +gpu, or have whole GPUs in gres.conf with their files, such as /dev/nvidia0 or /dev/dri/renderD128",
			file->path);
	tb_pci_address_print(&file->address, address);
	other = find_other(files, nfiles, file);
	if (other)
		return tb_fail(
			err,
			"bmem with +gpu: the GPU at %s is not only the step's: %.80s is its, %.80s of the same GPU is not, and both have the same memory; leave out +gpu, or ask for all of the GPU",
			address, file->path, other->path);
	if (!add_numa(numa, nnuma, &file->address, os_nodes))
		return tb_fail(
			err,
			"bmem with +gpu: no NUMA node of this node is the memory of %.100s, the GPU at %s; leave out +gpu, or ask for a GPU whose memory is a NUMA node",
			file->path, address);
	return 0;
}

int tb_gpu_memory_choose(const struct tb_gpu_file *files, unsigned nfiles,
			 const struct tb_gpu_numa *numa, unsigned nnuma,
			 struct tb_bitset *os_nodes, struct tb_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < nfiles; i++)
		if (files[i].is_granted &&
		    add_file(files, nfiles, &files[i], numa, nnuma, os_nodes,
			     rc ? NULL : err))
			rc = -1;
	return rc;
}
