/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The search table that .debug_frame does not have: from an address to the
 * offset of the FDE that covers it. What an FDE says is the core's affair.
 */
#ifndef UC_FRAMEINDEX_H
#define UC_FRAMEINDEX_H

#include "uncoil/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The section, uncompressed. */
struct uc_frame_section {
	const uint8_t *data;
	size_t size; /* bytes, at most 4 GiB */
	uint64_t vaddr; /* of its first byte; what pcrel pointers count from */
	uint8_t addr_size; /* bytes of an address by the ELF class: 4 or 8 */
	bool big_endian;
};

/* Addresses are ELF virtual addresses; an end is the first that is outside. */
struct uc_code_range {
	uint64_t start, end;
};

struct uc_frame_range {
	uint64_t start, end;
	uint32_t fde; /* offset in the section */
};

struct uc_frameindex {
	/* By address, none empty, none overlapping. An FDE has several where
	 * another one lies inside it. */
	struct uc_frame_range *range;
	size_t nr;
	/* FDEs that are in no range: empty, discarded by the linker (at 0, 1 or
	 * the last address), or of no code. */
	size_t nr_unused;
	/* Records that are malformed or of an unsupported kind, hence in no range. */
	size_t nr_flawed;
	enum uncoil_flaw flaw; /* of the first of these; NONE: there is none */
	uint64_t flaw_offset; /* where that record starts in the section */
	/* How far the records reach: less than the section's size if a length
	 * was wrong, for what comes after it can not be found. */
	uint64_t reached;
};

/**
 * uc_frameindex_build() - visit all records once
 * @s:       the section; not needed afterwards
 * @code:    where code is; sorted, and put together where it overlaps
 * @nr_code: number of @code
 * @ret:     the index
 *
 * Of several FDEs that cover an address the one that starts last is meant, as
 * in .eh_frame; of those with the same start the first in the section.
 *
 * Return: 0 or -ENOMEM. Malformed records are counted in @ret.
 */
int uc_frameindex_build(const struct uc_frame_section *s, struct uc_code_range *code,
			size_t nr_code, struct uc_frameindex *ret);
void uc_frameindex_fini(struct uc_frameindex *x);

/* Offset of the FDE that covers @vaddr. False if none does. */
bool uc_frameindex_find(const struct uc_frameindex *x, uint64_t vaddr, uint64_t *ret_fde);

#endif
