/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any line: a clear error, or a request whose canonical form means the same.
 */
#include "fuzz.h"

#include "core/request/request.h"

static void check_again(const struct tb_request *request)
{
	char *line = tb_request_print(request);
	struct tb_request again;
	char *second;

	FUZZ_CHECK(line);
	tb_request_init(&again);
	/* Nothing but defaults is an empty line, which nobody sends. */
	if (*line) {
		FUZZ_CHECK(tb_request_parse(&again, line, NULL) == 0);
		second = tb_request_print(&again);
		FUZZ_CHECK(second && strcmp(line, second) == 0);
		free(second);
	}
	FUZZ_CHECK(again.amount == request->amount);
	FUZZ_CHECK(again.unit.letter == request->unit.letter);
	FUZZ_CHECK(again.unit.kind == request->unit.kind);
	FUZZ_CHECK(strcmp(again.sort, request->sort) == 0);
	FUZZ_CHECK(again.instance == request->instance);
	FUZZ_CHECK(again.memory.where == request->memory.where);
	FUZZ_CHECK(again.memory.kinds == request->memory.kinds);
	FUZZ_CHECK(!again.shape == !request->shape);
	FUZZ_CHECK(!again.shape ||
		   tb_topology_same_shape(again.shape, request->shape));
	FUZZ_CHECK(!again.cpus == !request->cpus);
	FUZZ_CHECK(!again.cpus || (again.cpus->nbits == request->cpus->nbits &&
				   tb_bitset_equal(again.cpus, request->cpus)));
	tb_request_clear(&again);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = fuzz_string(data, size);
	struct tb_request request, heir;
	struct tb_error err = { "" };

	tb_request_init(&request);
	tb_request_init(&heir);
	if (tb_request_parse(&request, line, &err)) {
		FUZZ_CHECK(*err.text);
	} else {
		FUZZ_CHECK(tb_request_is_given(&request));
		tb_request_complete(&request, &err);
		check_again(&request);
		FUZZ_CHECK(tb_request_inherit(&heir, &request, &err) == 0);
		check_again(&heir);
	}
	tb_request_clear(&request);
	tb_request_clear(&heir);
	free(line);
	return 0;
}
