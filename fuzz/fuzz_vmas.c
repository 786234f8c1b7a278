/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of /proc/PID/maps: the input as it is. */
#include "uc_vmas.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_map(const struct uc_vmas *m, size_t i)
{
	const struct uc_map *map = &m->map[i];
	struct uc_map found;

	require(map->start < map->end);
	require(!i || map->start >= map[-1].end);
	require(!(map->flags & ~(UC_MAP_EXEC | UC_MAP_FILE | UC_MAP_VDSO)));
	require(!(map->flags & UC_MAP_FILE) == !map->id[0]);
	require(uc_vmas_find(m, map->start, &found) && found.start == map->start);
	require(uc_vmas_find(m, map->end - 1, &found) && found.end == map->end);
	if (uc_vmas_find(m, map->end, &found))
		require(found.start == map->end);
	if (uc_vmas_find_start(m, map, &found))
		require((map->flags & UC_MAP_VDSO) ||
			(!found.off && found.id[0] == map->id[0] && found.id[1] == map->id[1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct uc_vmas m;
	size_t i;

	require(!uc_vmas_parse(&m, (const char *)data, size));
	require(m.nr <= size);
	for (i = 0; i < m.nr; i++)
		check_map(&m, i);
	uc_vmas_fini(&m);
	return 0;
}
