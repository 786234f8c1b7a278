/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t uc_maps_find(const struct uc_maps *maps, uint64_t addr)
{
	size_t lo = 0, hi = maps->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (maps->map[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct uc_maps *uc_maps_get(struct uc_maps *maps)
{
	if (maps)
		maps->refs++;
	return maps;
}

void uc_maps_put(struct uc_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	free(maps->map);
	free(maps);
}

/* Make *@maps ours alone, with room for @more mappings. */
static int make_writable(struct uc_maps **maps, size_t more)
{
	struct uc_maps *old = *maps, *m = old;
	size_t nr = old ? old->nr : 0;
	struct uc_mapping *grown;

	if (!old || old->refs > 1) {
		m = calloc(1, sizeof(*m));
		if (!m)
			return -ENOMEM;
		m->refs = 1;
	}
	if (nr + more > m->cap) {
		size_t cap = nr + nr / 2 + more + 6;

		grown = realloc(m->map, cap * sizeof(*grown));
		if (!grown) {
			if (m != old)
				free(m);
			return -ENOMEM;
		}
		m->map = grown;
		m->cap = cap;
	}
	if (m == old)
		return 0;
	if (nr)
		memcpy(m->map, old->map, nr * sizeof(*m->map));
	m->nr = nr;
	uc_maps_put(old);
	*maps = m;
	return 0;
}

/*
 * Of the mappings from @first to before @last, all overlapped, at most two
 * pieces remain: one below @new, one above.
 */
static size_t keep_pieces(const struct uc_mapping *first, const struct uc_mapping *last,
			  const struct uc_mapping *new, struct uc_mapping pieces[3])
{
	size_t nr = 0;

	if (first < last && first->start < new->start) {
		pieces[nr] = *first;
		pieces[nr++].end = new->start;
	}
	pieces[nr++] = *new;
	if (first < last && last[-1].end > new->end) {
		pieces[nr] = last[-1];
		pieces[nr].pgoff += new->end - last[-1].start;
		pieces[nr++].start = new->end;
	}
	return nr;
}

int uc_maps_insert(struct uc_maps **maps, const struct uc_mapping *new)
{
	struct uc_mapping pieces[3];
	size_t first, last, nr;
	struct uc_maps *m;

	if (make_writable(maps, 2))
		return -ENOMEM;
	m = *maps;
	first = uc_maps_find(m, new->start);
	for (last = first; last < m->nr && m->map[last].start < new->end; last++)
		;
	nr = keep_pieces(m->map + first, m->map + last, new, pieces);
	memmove(m->map + first + nr, m->map + last, (m->nr - last) * sizeof(*m->map));
	memcpy(m->map + first, pieces, nr * sizeof(*m->map));
	m->nr = m->nr - (last - first) + nr;
	return 0;
}
