/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "soft.h"

#include <string.h>

#include "core/base/text.h"

/* Measuring is not exact: a CPU that is always busy can show a little less. */
#define FULL_PCT 99

static const char *const count_names[] = {
	[TB_SOFT_COUNT_JOB] = "job",
	[TB_SOFT_COUNT_ALL] = "all",
};

const char *tb_soft_count_name(enum tb_soft_count count)
{
	return count_names[count];
}

bool tb_soft_count_read(const char *word, enum tb_soft_count *count)
{
	for (unsigned i = TB_SOFT_COUNT_JOB; i <= TB_SOFT_COUNT_ALL; i++)
		if (tb_text_is_word(word, strlen(word), count_names[i])) {
			*count = (enum tb_soft_count)i;
			return true;
		}
	return false;
}

static bool sample_is_busy(unsigned low_pct,
			   const struct tb_soft_sample *sample)
{
	unsigned pct = low_pct < FULL_PCT ? low_pct : FULL_PCT;

	return sample->room_us > 0 && sample->busy_us > 0 &&
	       sample->busy_us * 100 >= sample->room_us * pct;
}

static unsigned get_patience(const struct tb_soft *soft)
{
	return soft->patience > 0 ? soft->patience : TB_SOFT_FALL;
}

/* A task that spreads again soon after it has returned had returned too early. */
static void update_patience(struct tb_soft *soft)
{
	unsigned now = get_patience(soft);

	if (!soft->returned || soft->since > 2 * now)
		soft->patience = TB_SOFT_FALL;
	else if (now < TB_SOFT_FALL_MAX)
		soft->patience = 2 * now;
}

static void stay_or_spread(struct tb_soft *soft, bool busy)
{
	soft->since++;
	soft->above = busy ? soft->above + 1 : 0;
	if (soft->above < TB_SOFT_RISE) {
		soft->counts.smoothed += busy;
		return;
	}
	update_patience(soft);
	soft->choice = TB_SOFT_ALLOWED;
	soft->below = 0;
}

static void spread_or_return(struct tb_soft *soft, bool busy)
{
	soft->below = busy ? 0 : soft->below + 1;
	if (soft->below < get_patience(soft))
		return;
	tb_soft_retreat(soft);
	soft->returned = true;
}

enum tb_soft_choice tb_soft_decide(struct tb_soft *soft, unsigned low_pct,
				   const struct tb_soft_sample *sample)
{
	bool busy = sample_is_busy(low_pct, sample);

	if (sample->paused)
		return soft->choice;
	if (soft->choice == TB_SOFT_PREFERRED)
		stay_or_spread(soft, busy);
	else
		spread_or_return(soft, busy);
	if (soft->choice == TB_SOFT_PREFERRED)
		soft->counts.preferred++;
	else
		soft->counts.allowed++;
	return soft->choice;
}

void tb_soft_retreat(struct tb_soft *soft)
{
	soft->choice = TB_SOFT_PREFERRED;
	soft->above = 0;
	soft->below = 0;
	soft->since = 0;
}

/* As for units: on a node without N or X objects these letters mean S. */
static char find_scope_letter(const struct tb_topology *topology, char letter)
{
	if (letter != 0 && tb_topology_count(topology, letter) == 0)
		letter = 'S';
	return letter != 0 && tb_topology_count(topology, letter) > 0 ? letter
								      : 0;
}

void tb_soft_scope(const struct tb_topology *topology, char letter,
		   const struct tb_bitset *preferred, struct tb_bitset *scope)
{
	char unit = find_scope_letter(topology, letter);
	unsigned count = unit != 0 ? tb_topology_count(topology, unit) : 0;

	tb_bitset_assign(scope, preferred);
	if (unit == 0)
		tb_bitset_set_range(scope, 0, scope->nbits);
	for (unsigned i = 0; i < count; i++) {
		unsigned first, threads;

		tb_topology_object(topology, unit, i, &first, &threads);
		if (tb_bitset_any_in_range(preferred, first, threads))
			tb_bitset_set_range(scope, first, threads);
	}
}

void tb_soft_allowed(const struct tb_bitset *scope,
		     const struct tb_bitset *preferred,
		     const struct tb_bitset *used, struct tb_bitset *allowed)
{
	tb_bitset_assign(allowed, scope);
	tb_bitset_andnot(allowed, used);
	tb_bitset_or(allowed, preferred);
}

void tb_soft_preferred(const struct tb_bitset *said,
		       const struct tb_bitset *granted,
		       const struct tb_bitset *allowed,
		       struct tb_bitset *preferred)
{
	if (!said || !tb_bitset_intersects(said, allowed)) {
		tb_bitset_assign(preferred, granted);
		return;
	}
	tb_bitset_assign(preferred, said);
	tb_bitset_and(preferred, allowed);
}
