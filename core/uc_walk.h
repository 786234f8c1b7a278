/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walking a stack, one frame at a time.
 *
 *	uc_walk_begin(w);		after uc_abi_set() and filling w->port,
 *					w->regs, w->entry_sp
 *	do {
 *		emit w->regs.pc;
 *		rc = uc_walk_step(w);
 *		while (rc == UC_FAULT)	bring in or give up w->fault_addr, step again
 *	} while (!rc);
 *	rc is the stop; w->flaw and w->stop_addr say more
 *
 * Frame 0 is the address of an instruction, and so is a frame reached through
 * a signal frame; the others are return addresses (w->exact tells).
 */
#ifndef UC_WALK_H
#define UC_WALK_H

#include "uc_types.h"

/* Fill w->abi; enum uc_abi_id. w->unwind becomes UC_UNWIND_AUTO. */
UC_FN int uc_abi_set(UC_WALK, u32 id);
/* Prepare w, whose registers are set, for the first step. */
UC_FN int uc_walk_begin(UC_WALK);
/* Go to the caller. 0, UC_FAULT, or the stop. */
UC_FN int uc_walk_step(UC_WALK);
/* The page at w->fault_addr can not be had: the next step must do without. */
UC_FN int uc_walk_page_is_bad(UC_WALK);

#endif
