/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Do a file's .eh_frame and .sframe say the same? Not by their words, which may
 * differ (an expression here, a block of rows there), but by what comes out: rows
 * of both are applied to the same registers, over a memory whose words are all
 * different. Compared are the caller's pc, stack pointer and frame pointer,
 * which is all that .sframe knows.
 */
#ifndef UC_COMPARE_H
#define UC_COMPARE_H

#include "uc_rows.h"

#define UC_COMPARE_TEXT 160

/* A range where they differ; rows in the words of uc_rowtext.h. */
struct uc_difference {
	u64 start, end; /* ELF virtual addresses */
	char ehframe[UC_COMPARE_TEXT], sframe[UC_COMPARE_TEXT];
};

#define UC_COMPARE_KEPT 1000

struct uc_comparison {
	u64 compared; /* bytes of code that both describe */
	u64 differing; /* of these */
	u64 places; /* ranges that these are */
	struct uc_difference *difference; /* the first UC_COMPARE_KEPT of them */
	size_t nr;
};

/* 0; -ENOENT if the file has not both; or -ENOMEM. */
int uc_compare(const struct uc_image *img, struct uc_comparison *ret);
void uc_comparison_fini(struct uc_comparison *c);

#endif
