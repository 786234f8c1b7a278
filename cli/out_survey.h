/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of uncoil survey, as text and as JSON. */
#ifndef UC_OUT_SURVEY_H
#define UC_OUT_SURVEY_H

#include "uc_survey.h"

struct survey_sum {
	uint64_t files, bytes, unwind_bytes; /* bytes of the files and of their .eh_frame */
	uint64_t without; /* files that have no such data */
	uint64_t skipped; /* in directories: object files, core dumps, other machines */
	uint64_t unreadable;
};

/* @surveys: UC_ABI_COUNT of them, by enum uc_abi_id; those without files are
 * left out. */
void survey_print_text(const struct survey_sum *sum, const struct uc_survey *surveys);
void survey_print_json(const struct survey_sum *sum, const struct uc_survey *surveys);

#endif
