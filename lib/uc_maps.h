/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The mappings of one process: ranges by address that do not overlap. */
#ifndef UC_MAPS_H
#define UC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uc_file;

struct uc_mapping {
	uint64_t start, end;
	uint64_t pgoff; /* of the file, at start */
	struct uc_file *file;
};

/* Shared by processes that were forked, until one of them changes. */
struct uc_maps {
	unsigned int refs;
	size_t nr, cap;
	struct uc_mapping *map;
};

/* Put @new into *@maps (NULL: none yet), cutting what it overlaps. 0 or -ENOMEM. */
int uc_maps_insert(struct uc_maps **maps, const struct uc_mapping *new);
struct uc_maps *uc_maps_get(struct uc_maps *maps); /* @maps may be NULL */
void uc_maps_put(struct uc_maps *maps);
/* Index of the first mapping that ends above @addr; maps->nr if none does. */
size_t uc_maps_find(const struct uc_maps *maps, uint64_t addr);

#endif
