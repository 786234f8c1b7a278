/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An address space as an input spells it:
 *
 *	number of mappings, number of regions	1 byte each
 *	mapping: start, end, file offset	8 each
 *		 file, flags UC_MAP_*		1 each
 *	region:  address 8, length 2
 *	the regions' bytes, one after another
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include "fuzz_space.h"

/* Same file and offset, same bytes: that is what pristine means. */
static inline void fuzz_input_pristine(struct fuzz_space *s, struct uc_map *map)
{
	u32 i;

	for (i = 0; i < s->nr_maps; i++) {
		struct uc_map *other = &s->map[i];

		if (other->id[0] != map->id[0] ||
		    other->off >= map->off + (map->end - map->start) ||
		    map->off >= other->off + (other->end - other->start))
			continue;
		map->flags &= ~UC_MAP_PRISTINE;
		other->flags &= ~UC_MAP_PRISTINE;
	}
}

static inline int fuzz_input_overlaps(const struct fuzz_space *s, const struct uc_map *map)
{
	u32 i;

	for (i = 0; i < s->nr_maps; i++)
		if (map->start < s->map[i].end && s->map[i].start < map->end)
			return 1;
	return 0;
}

/* Mappings are whole pages that do not overlap, as the kernel makes them; all
 * else about them is the process's choice. */
static inline void fuzz_input_map(struct fuzz_space *s, struct fuzz_in *in)
{
	struct uc_map map = { 0 };

	map.start = fuzz_take(in, 8) & ~(UC_PAGE - 1);
	map.end = fuzz_take(in, 8) & ~(UC_PAGE - 1);
	map.off = fuzz_take(in, 8) & ~(UC_PAGE - 1);
	map.id[0] = map.id[1] = fuzz_take(in, 1);
	map.flags = fuzz_take(in, 1) & (UC_MAP_EXEC | UC_MAP_VDSO | UC_MAP_PRISTINE);
	if (map.id[0])
		map.flags = (map.flags | UC_MAP_FILE) & ~UC_MAP_VDSO;
	if (map.start >= map.end || map.end > UC_USER_MAX ||
	    map.off + (map.end - map.start) < map.off || fuzz_input_overlaps(s, &map))
		return;
	fuzz_input_pristine(s, &map);
	s->map[s->nr_maps++] = map;
}

static inline void fuzz_input_space(struct fuzz_space *s, struct fuzz_in *in)
{
	u32 maps = (u32)fuzz_take(in, 1) % (FUZZ_MAPS + 1);
	u32 regions = (u32)fuzz_take(in, 1) % (FUZZ_REGIONS + 1), i;
	u64 addr[FUZZ_REGIONS], len[FUZZ_REGIONS];

	for (i = 0; i < maps; i++)
		fuzz_input_map(s, in);
	for (i = 0; i < regions; i++) {
		addr[i] = fuzz_take(in, 8);
		len[i] = fuzz_take(in, 2);
	}
	for (i = 0; i < regions; i++) {
		const u8 *bytes = fuzz_bytes(in, len[i], &len[i]);

		fuzz_region(s, addr[i], bytes, len[i]);
	}
}

#endif
