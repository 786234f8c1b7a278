/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the machines' ways to read bare code share. */
#ifndef UC_BARE_H
#define UC_BARE_H

#include "uc_core.h"

/* A row without rules, whose CFA is the stack pointer. */
static inline void uc_bare_clear(struct uc_walk *w)
{
	w->bare = 1;
	memset(w->row.kind, UC_RULE_UNSET, sizeof(w->row.kind));
	memset(w->row.val, 0, sizeof(w->row.val));
	w->row.cfa_kind = UC_CFA_REG;
	w->row.cfa_reg = w->abi.sp;
	w->row.cfa_off = 0;
	w->row.ra_reg = w->abi.ra;
	w->row.pc_kind = UC_RULE_UNSET;
	w->row.pc_val = 0;
	w->row.ra_state = 0;
	w->row.signal = 0;
}

/* All places by some bytes further from the CFA. */
static inline void uc_bare_shift(struct uc_walk *w, s32 by)
{
	u32 i;

	UC_FOR(i, UC_REG_SLOTS)
	{
		if (w->row.kind[i & UC_REG_MASK] == UC_RULE_OFFSET)
			w->row.val[i & UC_REG_MASK] += by;
	}
	w->row.pc_val += by;
}

/* Code bytes at addr to w->scratch; what can not be read stays zero. */
static inline int uc_bare_code(struct uc_walk *w, u64 addr, u32 len)
{
	u32 first = uc_to_page_end(addr, len);
	int rc;

	memset(w->scratch, 0, 32);
	if (!uc_port_read_window(w, w->scratch, len, addr, 32))
		return 0;
	rc = uc_read_failed(w, addr, len);
	if (rc == UC_FAULT || first >= len)
		return rc;
	if (!uc_port_read_window(w, w->scratch, first, addr, 32))
		return 0;
	return uc_read_failed(w, addr, first);
}

#endif
