/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Padding between functions: instructions that do nothing or trap, and zeros. */
#ifndef UC_PADDING_H
#define UC_PADDING_H

#include "uc_image.h"

#define UC_PADDING_MAX (64u << 10) /* bytes looked at */

/* Where the padding ends that begins at @start; @end if it is all padding. */
u64 uc_padding_end(const struct uc_image *img, u64 start, u64 end);
/* Where the padding begins that ends at @end: single-byte or one-word padding
 * only, as longer instructions can not be told from behind. */
u64 uc_padding_start(const struct uc_image *img, u64 start, u64 end);

#endif
