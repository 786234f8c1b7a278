/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers + row -> the caller's registers. All rules are evaluated on the
 * current registers; the results stand in w->next and are committed by the
 * walk, so that a step which met a missing page can be done again.
 */
#include "uc_core.h"

static inline int uc_cfa_value(struct uc_walk *w)
{
	u32 reg = w->row.cfa_reg & UC_REG_MASK;
	int rc;

	switch (w->row.cfa_kind) {
	case UC_CFA_REG:
	case UC_CFA_AT_REG:
		if (!(w->regs.known & UC_BIT(reg)))
			return uc_no_register(w, reg);
		w->cfa = (w->regs.r[reg] + (u64)w->row.cfa_off) & w->abi.addr_mask;
		return w->row.cfa_kind == UC_CFA_REG ? 0 : uc_stack_word(w, w->cfa, &w->cfa);
	case UC_CFA_EXPR:
		rc = uc_expr_run(w, w->sec.lo + (u64)w->row.cfa_expr, 0);
		w->cfa = w->value;
		return rc;
	}
	return uc_malformed(w, UNCOIL_FLAW_CFA_RULE, w->fde.insn);
}

/* A register of the current frame, and an offset, to w->value. */
static inline int uc_reg_value(struct uc_walk *w, u32 reg, s64 off)
{
	if (reg == w->abi.pc)
		w->value = w->regs.pc;
	else if (w->regs.known & UC_BIT(reg & UC_REG_MASK))
		w->value = w->regs.r[reg & UC_REG_MASK];
	else
		return uc_no_register(w, reg);
	w->value = (w->value + (u64)off) & w->abi.addr_mask;
	return 0;
}

/*
 * The value of one register of the caller, or with UC_RA_PC of its pc, to
 * w->value. Returns 0, UC_FAULT, or a stop: then the register is not known.
 */
UC_FN_LOCAL int uc_rule_value(UC_WALK, u32 reg)
{
	s64 val = w->row.val[reg & UC_REG_MASK];
	u32 kind = w->row.kind[reg & UC_REG_MASK];
	int rc;

	if (reg == UC_RA_PC) {
		kind = w->row.pc_kind;
		val = w->row.pc_val;
	}
	switch (kind) {
	case UC_RULE_UNSET:
		/* A return address that has no rule is in its register still. */
		if (reg != w->row.ra_reg && !(w->abi.preserved & UC_BIT(reg & UC_REG_MASK)))
			return uc_no_register(w, reg);
		return uc_reg_value(w, reg, 0);
	case UC_RULE_SAME:
		return uc_reg_value(w, reg, 0);
	case UC_RULE_REGISTER:
		return uc_reg_value(w, (u32)val, 0);
	case UC_RULE_VAL_REGISTER:
		return uc_reg_value(w, UC_RULE_REG(val), UC_RULE_REG_OFF(val));
	case UC_RULE_AT_REGISTER:
		rc = uc_reg_value(w, UC_RULE_REG(val), UC_RULE_REG_OFF(val));
		return rc ? rc : uc_stack_word(w, w->value, &w->value);
	case UC_RULE_OFFSET:
		return uc_stack_word(w, (w->cfa + (u64)val) & w->abi.addr_mask, &w->value);
	case UC_RULE_VAL_OFFSET:
		w->value = (w->cfa + (u64)val) & w->abi.addr_mask;
		return 0;
	case UC_RULE_EXPR:
		rc = uc_expr_run(w, w->sec.lo + (u64)val, 1);
		return rc ? rc : uc_stack_word(w, w->value, &w->value);
	case UC_RULE_VAL_EXPR:
		return uc_expr_run(w, w->sec.lo + (u64)val, 1);
	}
	/* undefined, or where the walk does not look */
	return uc_no_register(w, kind == UC_RULE_ELSEWHERE ? (u32)val : reg);
}

/*
 * The stack pointer must rise from frame to frame: a caller's frame lies
 * above. A signal frame, or a row that gives the stack pointer a rule, may
 * switch stacks; so may a frame that has called nobody keep it (its return
 * address is in a register). Each switch counts, or two frames could go round for ever.
 */
UC_FN_LOCAL int uc_check_progress(UC_WALK, u32 may_switch)
{
	u32 reg = w->abi.sp & UC_REG_MASK;
	u64 sp = w->regs.r[reg], next = w->next.r[reg];

	/* The frame pointer says nothing of it where frames are laid out so; it
	 * was seen to rise itself. */
	if (w->bare == UC_BARE_FP && !(w->next.known & UC_BIT(reg)))
		return 0;
	if (!(w->regs.known & w->next.known & UC_BIT(reg)) || (next <= sp && may_switch)) {
		if (w->switches < UC_SWITCHES_MAX)
			return 0;
	} else if (next > sp || (next == sp && w->leaf)) {
		return 0;
	}
	return uc_fail(w, UNCOIL_STOP_NO_PROGRESS, 0, w->regs.pc);
}

static inline void uc_next_set(struct uc_walk *w, u32 reg, u64 v)
{
	w->next.r[reg & UC_REG_MASK] = v;
	w->next.known |= UC_BIT(reg & UC_REG_MASK);
}

static inline u32 uc_row_ra_kind(const struct uc_walk *w)
{
	if (w->row.ra_reg == UC_RA_PC)
		return w->row.pc_kind;
	return w->row.kind[w->row.ra_reg & UC_REG_MASK];
}

/* The return address, as the caller's pc. An authentication code in its upper
 * bits goes: it is no part of the address, and is never checked here. */
static inline int uc_row_ra(struct uc_walk *w)
{
	u32 ra = w->row.ra_reg, kind = uc_row_ra_kind(w);
	int rc;

	/* Where it is pushed, no register could still hold it. */
	if ((kind == UC_RULE_UNSET || kind == UC_RULE_SAME) && (w->abi.ra_slot || ra == UC_RA_PC))
		return uc_malformed(w, UNCOIL_FLAW_RA_RULE, w->fde.insn);
	rc = uc_rule_value(w, ra);
	if (rc)
		return rc;
	w->next.pc = w->value & w->abi.code_mask;
	if (ra != w->abi.pc && ra != UC_RA_PC)
		uc_next_set(w, ra, w->value);
	return 0;
}

UC_FN int uc_row_apply(UC_WALK)
{
	u32 i;
	int rc;

	w->next.known = 0;
	if (uc_row_ra_kind(w) == UC_RULE_UNDEFINED) /* its CFA may have no rule at all */
		return uc_fail(w, UNCOIL_STOP_OUTERMOST, 0, 0);
	rc = uc_cfa_value(w);
	if (rc)
		return rc;
	rc = uc_row_ra(w);
	if (rc)
		return rc;
	UC_FOR(i, UC_REG_SLOTS)
	{
		if (!(w->abi.regs & UC_BIT(i & UC_REG_MASK)) || i == w->row.ra_reg)
			continue;
		if (i == w->abi.sp && w->row.kind[i & UC_REG_MASK] == UC_RULE_UNSET) {
			uc_next_set(w, i, (w->cfa - w->abi.sp_bias) & w->abi.addr_mask);
			continue;
		}
		rc = uc_rule_value(w, i);
		if (rc == UC_FAULT)
			return rc;
		if (!rc)
			uc_next_set(w, i, w->value);
		else if (rc == UNCOIL_STOP_MALFORMED || rc == UNCOIL_STOP_UNSUPPORTED)
			return rc; /* broken data, not a lost register */
	}
	w->flaw = 0;
	w->stop_addr = 0;
	return uc_check_progress(w, w->row.signal ||
					    w->row.kind[w->abi.sp & UC_REG_MASK] != UC_RULE_UNSET);
}

/* The place in a packed row of a register, or UC_PACKED_SLOTS. */
static inline u32 uc_packed_slot(const struct uc_walk *w, u32 reg)
{
	u32 n;

	for (n = 0; n < UC_PACKED_SLOTS; n++)
		if (w->abi.packed[n] == reg)
			break;
	return n;
}

/* What a packed row says of a register whose place is val from the CFA; 0 if it
 * can not. */
static inline u32 uc_packed_place(const struct uc_walk *w, s32 val)
{
	s32 word = w->abi.word;

	if (val >= 0 || val <= -word * UC_PACKED_LOST || (val & (word - 1)))
		return 0;
	return (u32)-val / (u32)word;
}

/*
 * Pack w->row. Rows that fit are those of compiled code: CFA = register +
 * offset, the return address just below the CFA, preserved registers near.
 * Returns 0, or not 0 if the row does not fit.
 */
UC_FN int uc_row_pack(UC_WALK)
{
	u32 i, ra = w->abi.ra & UC_REG_MASK;

	memset(&w->packed, 0, sizeof(w->packed));
	if (!w->abi.ra_slot || w->row.ra_reg != ra || w->row.signal || w->bare)
		return 1;
	if (w->row.kind[ra] == UC_RULE_UNDEFINED) {
		w->packed.cfa_reg = UC_PACKED_OUTERMOST;
		return 0;
	}
	if (w->row.cfa_kind != UC_CFA_REG || w->row.cfa_off != (s32)w->row.cfa_off ||
	    w->row.kind[ra] != UC_RULE_OFFSET || w->row.val[ra] != -(s32)w->abi.ra_slot)
		return 1;
	w->packed.cfa_off = (s32)w->row.cfa_off;
	w->packed.cfa_reg = w->row.cfa_reg;
	UC_FOR(i, UC_REG_SLOTS)
	{
		u32 kind = w->row.kind[i & UC_REG_MASK], slot, place;

		if (i == ra || kind == UC_RULE_UNSET)
			continue;
		slot = uc_packed_slot(w, i);
		if (slot >= UC_PACKED_SLOTS) {
			if (kind == UC_RULE_UNDEFINED && i != w->abi.sp)
				continue; /* so it is without saying */
			return 1;
		}
		if (kind == UC_RULE_SAME)
			continue;
		place = UC_PACKED_LOST;
		if (kind == UC_RULE_OFFSET)
			place = uc_packed_place(w, w->row.val[i & UC_REG_MASK]);
		else if (kind != UC_RULE_UNDEFINED)
			place = 0;
		if (!place)
			return 1;
		w->packed.save[slot] = (u8)place;
	}
	return 0;
}

static inline int uc_packed_saved(struct uc_walk *w, u32 slot)
{
	u32 at = w->packed.save[slot], reg = w->abi.packed[slot] & UC_REG_MASK;
	int rc;

	if (!at) {
		w->next.r[reg] = w->regs.r[reg];
		w->next.known |= w->regs.known & UC_BIT(reg);
		return 0;
	}
	if (at == UC_PACKED_LOST)
		return 0;
	rc = uc_stack_word(w, w->cfa - w->abi.word * (u64)at, &w->value);
	if (rc == UC_FAULT)
		return rc;
	if (!rc)
		uc_next_set(w, reg, w->value);
	return 0;
}

UC_FN int uc_packed_apply(UC_WALK)
{
	u32 reg = w->packed.cfa_reg & UC_PACKED_REG, n;
	int rc;

	if (w->packed.cfa_reg & UC_PACKED_OUTERMOST)
		return uc_fail(w, UNCOIL_STOP_OUTERMOST, 0, 0);
	if (!(w->regs.known & UC_BIT(reg)))
		return uc_no_register(w, reg);
	w->cfa = (w->regs.r[reg] + (u64)(s64)w->packed.cfa_off) & w->abi.addr_mask;
	w->next.known = 0;
	for (n = 0; n < UC_PACKED_SLOTS; n++) {
		rc = uc_packed_saved(w, n);
		if (rc)
			return rc;
	}
	rc = uc_stack_word(w, w->cfa - w->abi.ra_slot, &w->next.pc);
	if (rc)
		return rc;
	uc_next_set(w, w->abi.sp, w->cfa);
	w->row.signal = 0;
	return uc_check_progress(w, 0);
}
