/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any string as the places of devices; its first byte is how many cores there are.
 */
#include "fuzz.h"

#include "core/topology/device_places.h"

static void check_again(const struct tb_device_places *places, unsigned cores)
{
	char *printed = tb_device_places_print(places, NULL), *again;
	struct tb_device_places read;

	/* A name may have a blank, which is not printed; lists can become longer. */
	if (!printed)
		return;
	FUZZ_CHECK(!tb_device_places_parse(&read, printed, cores, NULL));
	FUZZ_CHECK(read.count == places->count);
	again = tb_device_places_print(&read, NULL);
	FUZZ_CHECK(again && !strcmp(again, printed));
	free(again);
	free(printed);
	tb_device_places_clear(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned cores = size ? data[0] : 0;
	char *text = fuzz_string(data + (size > 0), size - (size > 0));
	struct tb_device_places places;
	struct tb_error err = { "" };

	if (tb_device_places_parse(&places, text, cores, &err))
		FUZZ_CHECK(*err.text);
	else
		check_again(&places, cores);
	tb_device_places_clear(&places);
	free(text);
	return 0;
}
