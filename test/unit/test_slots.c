/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a grant to the slot of a task.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "placed_slots.h"

/* The slots of a grant as "0-1;2-3", "" for none. */
static char *slots_of(const struct tb_topology *topology,
		      const struct tb_request *request,
		      const struct tb_bitset *granted)
{
	struct tb_placer *placer = tb_placer_create(topology);
	unsigned count = tb_place_again(placer, request, granted);
	char *text = print_slots(placer);

	assert_int_equal(tb_placed_groups(placer), count);
	tb_placer_destroy(placer);
	return text;
}

static const struct {
	const char *granted; /* the granted threads in lower case */
	const char *request, *slots;
} table[] = {
	{ "NSXccccXCCCC", "bamount=1", "0;1;2;3" },
	{ "NSXccccXCCCC", "bamount=2", "0-1;2-3" },
	{ "NSXccccXCCCC", "bamount=3", "0-2" },
	{ "NSXccccXCCCC", "bamount=5", "" },
	{ "NSXcCcCXcCcC", "bamount=2", "0,2;4,6" },
	{ "NSXccccXCCCC", "bamount=2,btype=host", "0-3" },
	/* some of the host's units, as a step has them */
	{ "NSXccccXCCCC", "bamount=5,btype=host", "0-3" },
	{ "NSXCCCCXCCCC", "bamount=5,btype=host", "" },
	{ "NSXCCCCXCCCC", "bamount=1", "" },
	{ "NSXccccXCCCC", "bamount=0", "" },
	{ "SCttCTTctt", "bamount=1", "0-1;4-5" },
	/* a core that is granted in part is no unit */
	{ "SCttCTtctt", "bamount=1", "0-1;4-5" },
	{ "SCttCTtctt", "bunit=T,bamount=1", "0;1;3;4;5" },
	{ "SCttCTtctt", "bunit=T,bamount=2", "0-1;4-5" },
	{ "NSXycttycttXYCTTycttXycttyctt", "bunit=X,bamount=1", "0-3;8-11" },
	{ "NSXycttycttXYCTTycttXycttyctt", "bunit=Y,bamount=2", "0-3;8-11" },
	/* slots are kept together, or apart */
	{ "NSXCcCXccC", "bamount=1", "1;3;4" },
	{ "NSXCcCXccc", "bamount=2", "3-4;1,5" },
	{ "NSXCcCXccc", "bamount=2,bstrategy=linear", "1,3;4-5" },
	{ "NSXccCXcCC", "bamount=1,bstrategy=scatter", "0;3;1" },
	{ "NSXcccXCCc", "bamount=2,bstrategy=scatter", "0-1;2,5" },
	{ "SCttCtt", "bunit=T,bamount=1,bstrategy=scatter", "0;2;1;3" },
	/* a window has chosen the units, it does not choose among them */
	{ "NSXCCCXccC", "bamount=1,bstart=X,bstop=X", "3;4" },
	{ "NSXCCCXccC", "bamount=1,bstart=x", "3;4" },
	{ "NSXccCXCCC", "bamount=1,bfilter=NSXcCCXCCC", "1" },
	{ "NSXccCXCCC", "bamount=1,bfilter=NSXcCC", "0;1" },
	/* kinds: a unit is its threads of that kind */
	{ "NSXyccyeeXYCCYEE", "bunit=X,bamount=1", "0-1" },
	{ "NSXyccyeeXYCCYEE", "bunit=EX,bamount=1", "2-3" },
	{ "NSXyccYEEXyccYEE", "bunit=X,bamount=1", "0-1;4-5" },
	{ "NSXyccYEEXyccYEE", "bunit=EX,bamount=1", "" },
	{ "NSXyccyeeXyccyee", "bunit=S,bamount=1", "0-1,4-5" },
	{ "NSXyccyeeXyccyee", "bunit=C,bamount=2", "0-1;4-5" },
	{ "NSXyccyeeXyccyee", "bunit=ET,bamount=3", "2-3,6" },
	/* of unequal size */
	{ "NSXcccXccccccccXCCC", "bunit=X,bamount=1,bequal=no", "0-2;3-10" },
	/* what a node does not have */
	{ "SccccSCCCC", "bunit=X,bamount=1", "0-3" },
	{ "SccccSCCCC", "bunit=N,bamount=1", "0-3" },
	{ "SccccSCCCC", "bunit=Y,bamount=2", "0-1;2-3" },
	{ "ccCC", "bunit=S,bamount=1", "" },
	/* a list: of a grant of whole cores exactly the listed threads */
	{ "SCttCTTctt", "bcpus=0-1+5", "0-1,5" },
	{ "SCttCTTctt", "bcpus=1+4", "1,4" },
	{ "SCTTCTTctt", "bcpus=1+4", "4" },
	{ "SCTTCTTctt", "bcpus=0-3", "" },
	{ "SCttCTTctt", "bcpus=0+99", "0" },
	{ "SCttCTTctt", "bcpus=99", "" },
	/* an N in an N: the outer one, when it is granted wholly */
	{ "NnccncCNCC", "bunit=N,bamount=1", "0-1;2-3" },
	{ "NNccNccNCC", "bunit=N,bamount=1", "0-1;2-3" },
	{ "nnccncc", "bunit=N,bamount=1", "0-3" },
};

static void test_slots(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_bitset *granted;
		struct tb_topology *topology =
			tb_topology_parse(table[i].granted, &granted, NULL);
		struct tb_request request;
		char *slots;

		assert_non_null(topology);
		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, table[i].request,
						  NULL),
				 0);
		slots = slots_of(topology, &request, granted);
		if (strcmp(slots, table[i].slots) != 0)
			fail_msg("%s %s: %s, expected %s", table[i].granted,
				 table[i].request, slots, table[i].slots);
		free(slots);
		tb_request_clear(&request);
		tb_bitset_destroy(granted);
		tb_topology_destroy(topology);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
