/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of uncoil check, as text and as JSON. */
#ifndef UC_OUT_CHECK_H
#define UC_OUT_CHECK_H

#include <stdbool.h>

#include "uc_check.h"

/* All files together. */
struct check_sum {
	uint64_t files, fine, degraded, impossible, unreadable;
	uint64_t skipped; /* in directories: object files, core dumps, other machines */
	uint64_t code, uncovered, unwind_bytes, functions, rows, flaws, differing;
	uint64_t generated, generated_bytes; /* executable memory of no file */
};

struct check_form {
	void (*begin)(void);
	/* @is_detailed: what there is to say of the file is wanted in full. */
	void (*file)(const char *name, const struct uc_check *c, bool is_detailed);
	void (*unreadable)(const char *name, const char *why);
	void (*generated)(const char *name, uint64_t start, uint64_t end);
	void (*end)(const struct check_sum *sum);
};

extern const struct check_form check_text, check_json;
extern const char *const check_verdict_word[]; /* by enum uc_check_verdict */

#endif
