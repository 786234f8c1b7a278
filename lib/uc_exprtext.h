/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DWARF expressions as text for people. */
#ifndef UC_EXPRTEXT_H
#define UC_EXPRTEXT_H

#include "uc_types.h"

/**
 * uc_expr_text() - an expression as a formula, or as its operators
 * @abi:       whose registers it names
 * @addr_size: bytes of an address, of DW_OP_addr
 * @ops:       operators; foreign
 * @len:       their bytes
 * @push_cfa:  the expression starts with the CFA on the stack
 * @buf:       receives "*(rbp-8)"; or "{breg6 -8; bra 3; ...}" for what is
 *             longer, branches, shuffles the stack, or is malformed
 * @size:      bytes of @buf, not 0; what does not fit is cut off
 */
void uc_expr_text(enum uc_abi_id abi, u32 addr_size, const u8 *ops, size_t len, bool push_cfa,
		  char *buf, size_t size);

#endif
