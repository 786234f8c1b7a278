/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What comes out of a row, tried: it is applied to registers that all differ,
 * over a memory where each word is another one.
 */
#ifndef UC_TRIAL_H
#define UC_TRIAL_H

#include "uc_image.h"

struct uc_trial {
	const struct uc_image *img;
	struct uc_memory memory;
	struct uc_walk *walk; /* w->row is ours to set, w->abi to read */
};

struct uc_outcome {
	int rc; /* 0, or the stop */
	u64 pc, sp, fp; /* the caller's; fp 0 if it is lost */
	bool has_fp;
};

/* 0 or -ENOMEM. @img must outlive it. */
int uc_trial_begin(struct uc_trial *t, const struct uc_image *img);
void uc_trial_end(struct uc_trial *t);
/* Apply t->walk->row, as the row of @pc, where only the registers in @known (bit
 * by register) have values. */
struct uc_outcome uc_trial_apply(struct uc_trial *t, u64 pc, u32 known);

#endif
