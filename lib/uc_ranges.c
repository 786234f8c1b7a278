/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_ranges.h"

#include <stdlib.h>

bool uc_ranges_add(struct uc_ranges *s, uint64_t start, uint64_t end)
{
	if (start >= end)
		return true;
	if (s->nr && s->range[s->nr - 1].end == start) { /* functions follow each other */
		s->range[s->nr - 1].end = end;
		return true;
	}
	if (s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct uc_code_range *bigger = reallocarray(s->range, room, sizeof(*bigger));

		if (!bigger)
			return false;
		s->range = bigger;
		s->room = room;
	}
	s->range[s->nr++] = (struct uc_code_range){ start, end };
	return true;
}

static int compare_starts(const void *a, const void *b)
{
	const struct uc_code_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void uc_ranges_tidy(struct uc_ranges *s)
{
	size_t i, nr = 0;

	if (!s->nr)
		return;
	qsort(s->range, s->nr, sizeof(*s->range), compare_starts);
	for (i = 1; i < s->nr; i++) {
		if (s->range[i].start > s->range[nr].end)
			s->range[++nr] = s->range[i];
		else if (s->range[i].end > s->range[nr].end)
			s->range[nr].end = s->range[i].end;
	}
	s->nr = nr + 1;
}

bool uc_ranges_rest(const struct uc_code_range *of, size_t nr_of, const struct uc_ranges *s,
		    struct uc_ranges *ret)
{
	size_t i, j = 0;

	for (i = 0; i < nr_of; i++) {
		uint64_t at = of[i].start;

		while (j < s->nr && s->range[j].end <= at)
			j++;
		for (; j < s->nr && s->range[j].start < of[i].end; j++) {
			if (!uc_ranges_add(ret, at, s->range[j].start))
				return false;
			at = s->range[j].end;
			if (at >= of[i].end)
				break;
		}
		if (!uc_ranges_add(ret, at, of[i].end))
			return false;
	}
	return true;
}

uint64_t uc_ranges_bytes(const struct uc_code_range *range, size_t nr)
{
	uint64_t sum = 0;

	while (nr--)
		sum += range[nr].end - range[nr].start;
	return sum;
}

void uc_ranges_fini(struct uc_ranges *s)
{
	free(s->range);
	*s = (struct uc_ranges){ 0 };
}
