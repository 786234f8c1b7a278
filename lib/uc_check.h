/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Can a file be walked, how far, and why not? All its unwind data is read, not
 * only what a walk happens to need.
 */
#ifndef UC_CHECK_H
#define UC_CHECK_H

#include "uc_compare.h"
#include "uc_ranges.h"

enum uc_check_verdict {
	UC_CHECK_FINE,
	UC_CHECK_DEGRADED, /* some of it is malformed, missing or contradictory */
	UC_CHECK_IMPOSSIBLE, /* it has code, and no unwind data that can be used */
};

/* Malformed or unsupported data. */
struct uc_check_flaw {
	enum uc_image_section_id section;
	u64 offset; /* in the section: of what is wrong */
	u64 record; /* ... and of the FDE or CIE that it is in */
	u64 function; /* where that FDE's code begins; 0: not known */
	int stop; /* how a walk that needs it ends, enum uncoil_stop */
	enum uncoil_flaw flaw;
};

#define UC_CHECK_FLAWS 1000 /* kept; all are counted */

struct uc_check {
	enum uc_abi_id abi;
	enum uc_check_verdict verdict;
	/* Bytes of code; padding between functions is none. */
	u64 code;
	u64 by_ehframe, by_debugframe, by_sframe; /* of these: have an entry */
	u64 uncovered; /* have none in .eh_frame and .sframe, which are mapped */
	struct uc_ranges gap; /* where these are */
	u64 functions, rows; /* of .eh_frame */
	u64 unwind_bytes; /* of the sections that were read */
	bool has_ehframe, has_table, has_sframe, has_debugframe;
	u32 sframe_version;
	u64 not_in_table; /* functions that .eh_frame_hdr's table does not lead to */
	u64 first_not_in_table; /* such a function's start */
	u64 nr_flaws;
	struct uc_check_flaw *flaw; /* the first UC_CHECK_FLAWS of them */
	struct uc_comparison comparison; /* where there are both */
};

/* 0 or -ENOMEM. What is wrong with the file is in @ret. */
int uc_check(const struct uc_image *img, struct uc_check *ret);
void uc_check_fini(struct uc_check *c);

#endif
