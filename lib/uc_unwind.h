/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a walk unwinds by, as users name it. */
#ifndef UC_UNWIND_H
#define UC_UNWIND_H

#include <stdbool.h>

#include "uc_types.h"

/* "auto", "ehframe", "sframe" or "fp" (see enum uc_unwind). False: none of them. */
bool uc_unwind_parse(const char *name, enum uc_unwind *ret);
/* What the environment's UNCOIL_UNWIND says; AUTO if it says nothing, or
 * nothing that is known. */
enum uc_unwind uc_unwind_default(void);

#endif
