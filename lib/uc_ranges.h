/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of addresses, as ranges. */
#ifndef UC_RANGES_H
#define UC_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "uc_frameindex.h" /* struct uc_code_range */

struct uc_ranges {
	struct uc_code_range *range;
	size_t nr, room;
};

/* Add [start, end); nothing if it is empty. False: no memory. */
bool uc_ranges_add(struct uc_ranges *s, uint64_t start, uint64_t end);
/* Sort, and put together what overlaps or touches. */
void uc_ranges_tidy(struct uc_ranges *s);
/* What is in @of but not in @s, both tidy, is added to @ret. False: no memory. */
bool uc_ranges_rest(const struct uc_code_range *of, size_t nr_of, const struct uc_ranges *s,
		    struct uc_ranges *ret);
uint64_t uc_ranges_bytes(const struct uc_code_range *range, size_t nr);
void uc_ranges_fini(struct uc_ranges *s);

#endif
