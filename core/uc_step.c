/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers + row -> the caller's registers. All rules are evaluated on the
 * current registers; the results stand in w->next and are committed by the
 * walk, so that a step which met a missing page can be done again.
 */
#include "uc_core.h"

static inline int uc_no_register(struct uc_walk *w)
{
	return uc_fail(w, UNCOIL_STOP_NO_REGISTER, 0, w->regs.r[UC_REG_PC]);
}

static inline int uc_cfa_value(struct uc_walk *w)
{
	u32 reg = w->row.cfa_reg & UC_REG_MASK;
	int rc;

	switch (w->row.cfa_kind) {
	case UC_CFA_REG:
		if (!(w->regs.known & UC_BIT(reg)))
			return uc_no_register(w);
		w->cfa = w->regs.r[reg] + (u64)w->row.cfa_off;
		return 0;
	case UC_CFA_EXPR:
		rc = uc_expr_run(w, w->mod.lo + (u64)w->row.cfa_expr, 0);
		w->cfa = w->value;
		return rc;
	}
	return uc_malformed(w, UNCOIL_FLAW_CFA_RULE, w->fde.insn);
}

/*
 * The value of one register of the caller, to w->value. Returns 0,
 * UC_FAULT, or a stop: then the register is not known.
 */
UC_FN_LOCAL int uc_rule_value(UC_WALK, u32 reg)
{
	s64 val = w->row.val[reg & UC_REG_MASK];
	u32 kind = w->row.kind[reg & UC_REG_MASK];
	int rc;

	switch (kind) {
	case UC_RULE_UNSET:
	case UC_RULE_SAME:
		if (kind == UC_RULE_UNSET && !(UC_REGS_PRESERVED & UC_BIT(reg & UC_REG_MASK)))
			return UNCOIL_STOP_NO_REGISTER;
		val = reg;
		/* fall through */
	case UC_RULE_REGISTER:
		if (!(w->regs.known & UC_BIT(val & UC_REG_MASK)))
			return uc_no_register(w);
		w->value = w->regs.r[val & UC_REG_MASK];
		return 0;
	case UC_RULE_OFFSET:
		return uc_stack_u64(w, w->cfa + (u64)val, &w->value);
	case UC_RULE_VAL_OFFSET:
		w->value = w->cfa + (u64)val;
		return 0;
	case UC_RULE_EXPR:
		rc = uc_expr_run(w, w->mod.lo + (u64)val, 1);
		return rc ? rc : uc_stack_u64(w, w->value, &w->value);
	case UC_RULE_VAL_EXPR:
		return uc_expr_run(w, w->mod.lo + (u64)val, 1);
	}
	return UNCOIL_STOP_NO_REGISTER; /* undefined */
}

/*
 * The stack pointer must rise from frame to frame: a caller's frame lies
 * above. A signal frame, or a row that gives the stack pointer a rule, may
 * switch stacks; so may the innermost frame keep it (vfork's return address
 * is in a register). Each switch counts, or two frames could go round for ever.
 */
UC_FN_LOCAL int uc_check_progress(UC_WALK, u32 may_switch)
{
	u64 sp = w->regs.r[UC_REG_SP], next = w->next.r[UC_REG_SP];

	if (!(w->regs.known & w->next.known & UC_BIT(UC_REG_SP)) || (next <= sp && may_switch)) {
		if (w->switches < UC_SWITCHES_MAX)
			return 0;
	} else if (next > sp || (next == sp && w->exact)) {
		return 0;
	}
	return uc_fail(w, UNCOIL_STOP_NO_PROGRESS, 0, w->regs.r[UC_REG_PC]);
}

static inline void uc_next_set(struct uc_walk *w, u32 reg, u64 v)
{
	w->next.r[reg & UC_REG_MASK] = v;
	w->next.known |= UC_BIT(reg & UC_REG_MASK);
}

/* The return address, as the caller's pc. */
static inline int uc_row_ra(struct uc_walk *w)
{
	u32 ra = w->row.ra_reg & UC_REG_MASK;
	int rc;

	if (w->row.kind[ra] == UC_RULE_UNDEFINED)
		return uc_fail(w, UNCOIL_STOP_OUTERMOST, 0, 0);
	/* There is no register that could still hold it on this machine. */
	if (w->row.kind[ra] == UC_RULE_UNSET || w->row.kind[ra] == UC_RULE_SAME)
		return uc_malformed(w, UNCOIL_FLAW_RA_RULE, w->fde.insn);
	rc = uc_rule_value(w, ra);
	if (rc)
		return rc;
	uc_next_set(w, UC_REG_PC, w->value);
	return 0;
}

UC_FN int uc_row_apply(UC_WALK)
{
	u32 i;
	int rc;

	w->next.known = 0;
	if (w->row.kind[w->row.ra_reg & UC_REG_MASK] == UC_RULE_UNDEFINED)
		return uc_row_ra(w); /* outermost: its CFA may have no rule at all */
	rc = uc_cfa_value(w);
	if (rc)
		return rc;
	rc = uc_row_ra(w);
	if (rc)
		return rc;
	UC_FOR(i, UC_NR_REGS)
	{
		if (i == UC_REG_PC || i == w->row.ra_reg)
			continue;
		if (i == UC_REG_SP && w->row.kind[UC_REG_SP] == UC_RULE_UNSET) {
			uc_next_set(w, UC_REG_SP, w->cfa);
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
					    w->row.kind[UC_REG_SP] != UC_RULE_UNSET);
}

/* Registers that a packed row can hold a place for, in its order. */
#define UC_PACKED_REGS(X) X(0, UC_RBX) X(1, UC_RBP) X(2, UC_R12) X(3, UC_R13) X(4, UC_R14) X(5, UC_R15)

/*
 * Pack w->row. Rows that fit are those of compiled code: CFA = register +
 * offset, the return address just below the CFA, preserved registers near.
 * Returns 0, or not 0 if the row does not fit.
 */
UC_FN int uc_row_pack(UC_WALK)
{
	u32 i;

	memset(&w->packed, 0, sizeof(w->packed));
	if (w->row.ra_reg != UC_REG_PC || w->row.signal || w->bare)
		return 1;
	if (w->row.kind[UC_REG_PC] == UC_RULE_UNDEFINED) {
		w->packed.cfa_reg = UC_PACKED_OUTERMOST;
		return 0;
	}
	if (w->row.cfa_kind != UC_CFA_REG || w->row.cfa_off != (s32)w->row.cfa_off ||
	    w->row.kind[UC_REG_PC] != UC_RULE_OFFSET || w->row.val[UC_REG_PC] != UC_RA_OFFSET)
		return 1;
	w->packed.cfa_off = (s32)w->row.cfa_off;
	w->packed.cfa_reg = w->row.cfa_reg;
	UC_FOR(i, UC_NR_REGS)
	{
		u32 kind = w->row.kind[i & UC_REG_MASK];
		s32 val = w->row.val[i & UC_REG_MASK];
		u32 slot;

		if (i == UC_REG_PC || kind == UC_RULE_UNSET)
			continue;
		switch (i) {
#define UC_PACKED_SLOT_(n, reg) \
	case reg: \
		slot = n; \
		break;
			UC_PACKED_REGS(UC_PACKED_SLOT_)
#undef UC_PACKED_SLOT_
		default:
			return 1;
		}
		if (kind == UC_RULE_SAME)
			continue;
		if (kind != UC_RULE_OFFSET || val >= 0 || val < -8 * 255 || (val & 7))
			return 1;
		w->packed.save[slot] = (u8)(-val / 8);
	}
	return 0;
}

static inline int uc_packed_saved(struct uc_walk *w, u32 slot, u32 reg)
{
	u32 at = w->packed.save[slot];
	int rc;

	if (!at) {
		w->next.r[reg] = w->regs.r[reg];
		w->next.known |= w->regs.known & UC_BIT(reg);
		return 0;
	}
	rc = uc_stack_u64(w, w->cfa - 8 * (u64)at, &w->value);
	if (rc == UC_FAULT)
		return rc;
	if (!rc)
		uc_next_set(w, reg, w->value);
	return 0;
}

UC_FN int uc_packed_apply(UC_WALK)
{
	u32 reg = w->packed.cfa_reg & UC_PACKED_REG;
	int rc;

	if (w->packed.cfa_reg & UC_PACKED_OUTERMOST)
		return uc_fail(w, UNCOIL_STOP_OUTERMOST, 0, 0);
	if (!(w->regs.known & UC_BIT(reg)))
		return uc_no_register(w);
	w->cfa = w->regs.r[reg] + (u64)(s64)w->packed.cfa_off;
	w->next.known = 0;
#define UC_PACKED_SAVED_(n, reg_n) \
	rc = uc_packed_saved(w, n, reg_n); \
	if (rc) \
		return rc;
	UC_PACKED_REGS(UC_PACKED_SAVED_)
#undef UC_PACKED_SAVED_
	rc = uc_stack_u64(w, w->cfa + (u64)(s64)UC_RA_OFFSET, &w->value);
	if (rc)
		return rc;
	uc_next_set(w, UC_REG_PC, w->value);
	uc_next_set(w, UC_REG_SP, w->cfa);
	w->row.signal = 0;
	return uc_check_progress(w, 0);
}
