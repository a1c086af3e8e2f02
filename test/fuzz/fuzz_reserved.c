/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a reservation, which operators may write: what is read of it is printed
 * so that the same is read again.
 */
#include "fuzz.h"

#include "common/job/reserved_request.h"

static void check_printed(const struct tb_reserved_request *reserved)
{
	struct tb_reserved_request again;
	char *text = tb_reserved_request_print(reserved), *more;

	FUZZ_CHECK(text);
	FUZZ_CHECK(reserved->slots && reserved->slots <= TB_RESERVE_MOST);
	FUZZ_CHECK(!tb_reserved_request_read(&again, text, NULL));
	more = tb_reserved_request_print(&again);
	FUZZ_CHECK(more && !strcmp(text, more));
	tb_reserved_request_clear(&again);
	free(text);
	free(more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_reserved_request reserved;
	struct tb_error err = { "" };

	if (tb_reserved_request_read(&reserved, text, &err))
		FUZZ_CHECK(*err.text);
	else
		check_printed(&reserved);
	tb_reserved_request_clear(&reserved);
	free(text);
	return 0;
}
