/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CFA programs (DWARF 5, 6.4.2): run the CIE's and the FDE's instructions up
 * to an address; what is left in w->row holds there.
 */
#include "uc_core.h"
#include "uc_dwarf.h"

static inline int uc_cfa_bad(struct uc_walk *w, u32 flaw)
{
	uc_cur_fail(w, UNCOIL_STOP_MALFORMED, flaw);
	return w->cur.error;
}

/* A factored offset; hostile numbers wrap around instead of overflowing. */
static inline s64 uc_factor(u64 n, s64 align)
{
	return (s64)(n * (u64)align);
}

/* Offsets are kept in 32 bits: no frame is larger. */
static inline void uc_rule_set(struct uc_walk *w, u64 reg, u32 kind, s64 val)
{
	if (reg >= w->abi.nr_regs && reg != w->abi.pc)
		return; /* vector and other registers: not tracked */
	if (val != (s32)val) {
		uc_cur_fail(w, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_OFFSET_RANGE);
		return;
	}
	if (reg >= w->abi.nr_regs) {
		w->row.pc_kind = (u8)kind;
		w->row.pc_val = (s32)val;
		return;
	}
	w->row.kind[reg & UC_REG_MASK] = (u8)kind;
	w->row.val[reg & UC_REG_MASK] = (s32)val;
}

static inline void uc_cfa_set_reg(struct uc_walk *w, u64 reg)
{
	if (reg >= w->abi.nr_regs) {
		uc_cur_fail(w, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
		return;
	}
	w->row.cfa_kind = UC_CFA_REG;
	w->row.cfa_reg = (u8)reg;
}

/* Remember where an expression block is, and go on behind it. */
static inline s64 uc_cfa_block(struct uc_walk *w)
{
	s64 at = (s64)(w->cur.pos - w->sec.lo);
	u64 len = uc_cur_uleb(w);

	if (!w->cur.error && len > w->cur.end - w->cur.pos)
		uc_cur_fail(w, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
	w->cur.pos += len;
	return at;
}

/*
 * restore: the rule that the CIE gave. libgcc makes the register "same value"
 * instead; they differ for a return address that the CIE calls undefined.
 */
static inline void uc_cfa_restore(struct uc_walk *w, u64 reg)
{
	if (reg >= w->abi.nr_regs) {
		if (reg == w->abi.pc) {
			w->row.pc_kind = w->cfi.init.pc_kind;
			w->row.pc_val = w->cfi.init.pc_val;
		}
		return;
	}
	w->row.kind[reg & UC_REG_MASK] = w->cfi.init.kind[reg & UC_REG_MASK];
	w->row.val[reg & UC_REG_MASK] = w->cfi.init.val[reg & UC_REG_MASK];
}

/* States hold the CFA rule, too: glibc's own tables rely on it. */
UC_FN_LOCAL int uc_cfa_remember(UC_WALK)
{
	if (w->cfi.depth >= UC_CFA_STATES) {
		uc_cur_fail(w, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_STATE_OVERFLOW);
		return w->cur.error;
	}
	w->cfi.saved[w->cfi.depth & (UC_CFA_STATES - 1)] = w->row;
	w->cfi.depth++;
	return 0;
}

UC_FN_LOCAL int uc_cfa_recall(UC_WALK)
{
	if (!w->cfi.depth)
		return uc_cfa_bad(w, UNCOIL_FLAW_STATE_UNDERFLOW);
	w->cfi.depth--;
	w->row = w->cfi.saved[w->cfi.depth & (UC_CFA_STATES - 1)];
	return 0;
}

/* Move to a new row; done when it starts after the key. */
static inline void uc_cfa_advance(struct uc_walk *w, u64 loc)
{
	if (loc < w->cfi.loc)
		uc_cfa_bad(w, UNCOIL_FLAW_LOCATION);
	if (loc > w->cfi.key)
		w->cfi.done = 1;
	w->cfi.loc = loc;
}

/* Instructions that set the CFA rule. Returns 0 if op is none. */
static inline int uc_cfa_op_cfa(struct uc_walk *w, u32 op)
{
	switch (op) {
	case UC_CFA_DEF_CFA:
		uc_cfa_set_reg(w, uc_cur_uleb(w));
		w->row.cfa_off = (s64)uc_cur_uleb(w);
		return 1;
	case UC_CFA_DEF_CFA_SF:
		uc_cfa_set_reg(w, uc_cur_uleb(w));
		w->row.cfa_off = uc_factor((u64)uc_cur_sleb(w), w->fde.data_align);
		return 1;
	case UC_CFA_DEF_CFA_REGISTER:
		uc_cfa_set_reg(w, uc_cur_uleb(w));
		return 1;
	case UC_CFA_DEF_CFA_OFFSET:
	case UC_CFA_DEF_CFA_OFFSET_SF: {
		s64 off = op == UC_CFA_DEF_CFA_OFFSET ? (s64)uc_cur_uleb(w)
						      : uc_factor((u64)uc_cur_sleb(w), w->fde.data_align);

		/* An expression stays one (libgcc does so, too); the offset counts
		 * again when the CFA is a register's. */
		w->row.cfa_off = off;
		return 1;
	}
	case UC_CFA_DEF_CFA_EXPRESSION:
		w->row.cfa_expr = uc_cfa_block(w);
		w->row.cfa_kind = UC_CFA_EXPR;
		return 1;
	}
	return 0;
}

/* Instructions that give a register a rule. Returns 0 if op is none. */
static inline int uc_cfa_op_rule(struct uc_walk *w, u32 op)
{
	s64 align = w->fde.data_align;
	u32 kind = UC_RULE_OFFSET;
	u64 reg;
	s64 val = 0;

	if ((op < UC_CFA_OFFSET_EXTENDED || op > UC_CFA_REGISTER) &&
	    (op < UC_CFA_EXPRESSION || op > UC_CFA_VAL_EXPRESSION) &&
	    op != UC_CFA_GNU_NEGATIVE_OFFSET_EXTENDED)
		return 0;
	reg = uc_cur_uleb(w);
	switch (op) {
	case UC_CFA_OFFSET_EXTENDED:
		val = uc_factor(uc_cur_uleb(w), align);
		break;
	case UC_CFA_OFFSET_EXTENDED_SF:
		val = uc_factor((u64)uc_cur_sleb(w), align);
		break;
	case UC_CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		val = uc_factor(0 - uc_cur_uleb(w), align);
		break;
	case UC_CFA_VAL_OFFSET:
		kind = UC_RULE_VAL_OFFSET;
		val = uc_factor(uc_cur_uleb(w), align);
		break;
	case UC_CFA_VAL_OFFSET_SF:
		kind = UC_RULE_VAL_OFFSET;
		val = uc_factor((u64)uc_cur_sleb(w), align);
		break;
	case UC_CFA_RESTORE_EXTENDED:
		uc_cfa_restore(w, reg);
		return 1;
	case UC_CFA_UNDEFINED:
		kind = UC_RULE_UNDEFINED;
		break;
	case UC_CFA_SAME_VALUE:
		kind = UC_RULE_SAME;
		break;
	case UC_CFA_REGISTER:
		kind = UC_RULE_REGISTER;
		val = (s64)uc_cur_uleb(w);
		if (val < 0 || val >= w->abi.nr_regs) {
			kind = UC_RULE_ELSEWHERE;
			val = (u64)val > 0xff ? 0xff : val;
		}
		break;
	case UC_CFA_EXPRESSION:
		kind = UC_RULE_EXPR;
		val = uc_cfa_block(w);
		break;
	case UC_CFA_VAL_EXPRESSION:
		kind = UC_RULE_VAL_EXPR;
		val = uc_cfa_block(w);
		break;
	default:
		return 0;
	}
	uc_rule_set(w, reg, kind, val);
	return 1;
}

/* Instructions that move the location. Returns 0 if op is none. */
static inline int uc_cfa_op_loc(struct uc_walk *w, u32 op)
{
	u32 bytes;

	switch (op) {
	case UC_CFA_SET_LOC:
		/* Encoded like the FDE's own address, relative to its own place. */
		uc_cfa_advance(w, uc_cur_ptr(w, w->fde.addr_enc));
		return 1;
	case UC_CFA_ADVANCE_LOC1:
		bytes = 1;
		break;
	case UC_CFA_ADVANCE_LOC2:
		bytes = 2;
		break;
	case UC_CFA_ADVANCE_LOC4:
		bytes = 4;
		break;
	default:
		return 0;
	}
	uc_cfa_advance(w, w->cfi.loc + uc_cur_uint(w, bytes) * w->fde.code_align);
	return 1;
}

/* One instruction with operands of its own; the compact ones are elsewhere. */
UC_FN_LOCAL int uc_cfa_op(UC_WALK, u32 op)
{
	u64 at = w->cur.pos - 1;

	switch (op) {
	case UC_CFA_NOP:
		return 0;
	case UC_CFA_REMEMBER_STATE:
		return uc_cfa_remember(w);
	case UC_CFA_RESTORE_STATE:
		return uc_cfa_recall(w);
	case UC_CFA_AARCH64_NEGATE_RA_STATE:
	case UC_CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		if (!UC_HAS_AARCH64 || w->abi.machine != UC_EM_AARCH64)
			break;
		w->row.ra_state ^= op == UC_CFA_AARCH64_NEGATE_RA_STATE ? 1 : 3;
		return 0;
	case UC_CFA_GNU_ARGS_SIZE: /* bytes pushed for arguments; not in the CFA */
		uc_cur_uleb(w);
		return w->cur.error;
	}
	if (!uc_cfa_op_cfa(w, op) && !uc_cfa_op_rule(w, op) && !uc_cfa_op_loc(w, op)) {
		/* Its operands, and so all that follows, can not be known. */
		w->cur.error = uc_malformed(w, UNCOIL_FLAW_CFA_OPCODE, at);
	}
	return w->cur.error;
}

/* Run instructions from pos to end, or until a row starts after the key. */
UC_FN_LOCAL int uc_cfa_exec(UC_WALK, u64 pos, u64 end)
{
	u32 i;

	uc_cur_set(w, pos, end);
	UC_FOR(i, UC_CFA_OPS)
	{
		u32 op, low;

		if (w->cur.error || w->cfi.done || w->cur.pos >= w->cur.end)
			return w->cur.error;
		op = uc_cur_u8(w);
		low = op & 0x3f;
		switch (op & 0xc0) {
		case UC_CFA_ADVANCE_LOC:
			uc_cfa_advance(w, w->cfi.loc + low * w->fde.code_align);
			break;
		case UC_CFA_OFFSET:
			uc_rule_set(w, low, UC_RULE_OFFSET,
				    uc_factor(uc_cur_uleb(w), w->fde.data_align));
			break;
		case UC_CFA_RESTORE:
			uc_cfa_restore(w, low);
			break;
		default:
			if (uc_cfa_op(w, low))
				return w->cur.error;
		}
	}
	return uc_unsupported(w, UNCOIL_FLAW_TOO_LONG, pos);
}

/* A row before any instruction. */
static inline int uc_cfa_clear(struct uc_walk *w)
{
	u32 i;

	w->row.cfa_kind = UC_CFA_NONE;
	w->row.cfa_off = 0;
	w->row.cfa_expr = 0;
	w->row.cfa_reg = 0;
	w->row.signal = w->fde.signal;
	w->row.ra_state = 0;
	w->row.pc_kind = UC_RULE_UNSET;
	w->row.pc_val = 0;
	if (w->fde.ra_reg < w->abi.nr_regs)
		w->row.ra_reg = (u8)w->fde.ra_reg;
	else if (w->fde.ra_reg == w->abi.pc)
		w->row.ra_reg = UC_RA_PC;
	else
		return uc_unsupported(w, UNCOIL_FLAW_REGISTER, w->fde.cie_insn);
	for (i = 0; i < UC_REG_SLOTS; i++) {
		w->row.kind[i] = UC_RULE_UNSET;
		w->row.val[i] = 0;
	}
	return 0;
}

/* The CIE's instructions: the row that all of its FDEs start with. */
static inline int uc_cfa_cie(struct uc_walk *w)
{
	int rc;

	if (uc_port_is_frozen(w)) {
		if (w->fde.cie != UC_CIE_NONE && w->cfi.init_cie == w->fde.cie) {
			w->row = w->cfi.init;
			return 0;
		}
		w->cfi.init_cie = UC_CIE_NONE;
	}
	rc = uc_cfa_clear(w);
	if (rc)
		return rc;
	w->cfi.init = w->row; /* what the CIE itself could restore */
	w->cfi.loc = 0;
	w->cfi.key = ~0ull; /* the CIE's instructions hold everywhere */
	w->cfi.depth = 0;
	w->cfi.done = 0;
	rc = uc_cfa_exec(w, w->fde.cie_insn, w->fde.cie_insn_end);
	if (rc)
		return rc;
	w->cfi.init = w->row;
	if (uc_port_is_frozen(w))
		w->cfi.init_cie = w->fde.cie;
	return 0;
}

/* The row of w->fde that holds at pc, to w->row. */
UC_FN int uc_cfa_run(UC_WALK, u64 pc)
{
	int rc = uc_cfa_cie(w);

	if (rc)
		return rc;
	w->cfi.loc = w->fde.start;
	w->cfi.key = pc;
	w->cfi.depth = 0;
	w->cfi.done = 0;
	return uc_cfa_exec(w, w->fde.insn, w->fde.insn_end);
}

/*
 * All rows of w->fde in one run, for those who list them:
 *
 *	rc = uc_cfa_first(w);
 *	while (!rc) {
 *		w->row holds from w->cfi.key to w->cfi.loc
 *		if (!w->cfi.done)
 *			break;	it was the last: to the function's end
 *		rc = uc_cfa_next(w);
 *	}
 *
 * Nothing else may be read in between.
 */
UC_FN int uc_cfa_next(UC_WALK)
{
	w->cfi.key = w->cfi.loc;
	w->cfi.done = 0;
	return uc_cfa_exec(w, w->cur.pos, w->fde.insn_end);
}

UC_FN int uc_cfa_first(UC_WALK)
{
	int rc = uc_cfa_cie(w);

	if (rc)
		return rc;
	w->cfi.loc = w->fde.start;
	w->cfi.depth = 0;
	w->cur.pos = w->fde.insn;
	return uc_cfa_next(w);
}
