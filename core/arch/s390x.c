/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * s390x code without unwind data: the signal trampolines, and the back chain of
 * code that keeps one.
 */
#include "s390x.h"

#include "uc_bare.h"

/* The slot of a signal frame's registers that DWARF's f register n has. */
static inline s32 uc_s390x_fpr(u32 n)
{
	static const u8 number[16] = { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 };

	return UC_S390X_SREGS_F0 + 8 * number[n & 15];
}

/*
 * SIGILL, SIGTRAP and SIGFPE may leave the pc behind the instruction that
 * they are about: it is looked up like a return address (formats sheet 4.7).
 */
static inline int uc_s390x_pc_is_behind(struct uc_walk *w, u64 signo_at)
{
	u64 v = 0;
	u32 signo;

	if (uc_stack_word(w, signo_at & ~7ull, &v))
		return 0;
	signo = (u32)(signo_at & 4 ? v : v >> 32);
	return signo == 4 || signo == 5 || signo == 8;
}

/* svc 173 (rt_sigreturn) or svc 119 (sigreturn). The CFA is where the saved
 * registers begin, with the psw. */
UC_FN int uc_s390x_trampoline(UC_WALK)
{
	u64 sp = w->regs.r[UC_S390_R15], signo_at = sp + UC_S390X_RT_SIGNO, sregs;
	const u8 *p = w->scratch;
	u32 i, rt = p[1] == 173;
	int rc;

	if (p[0] != 0x0a || (!rt && p[1] != 119))
		return 0;
	if (!(w->regs.known & UC_BIT(UC_S390_R15)))
		return 0;
	uc_bare_clear(w);
	w->row.cfa_off = UC_S390X_RT_PSWA - 8;
	if (!rt) {
		rc = uc_stack_word(w, sp + UC_S390X_OLD_SREGS_PTR, &sregs);
		if (rc)
			return rc == UC_FAULT ? rc : 0;
		w->row.cfa_kind = UC_CFA_AT_REG;
		w->row.cfa_off = UC_S390X_OLD_SREGS_PTR;
		signo_at = sregs + UC_S390X_SREGS_SIZE;
	}
	w->row.ra_reg = UC_RA_PC;
	w->row.pc_kind = UC_RULE_OFFSET;
	w->row.pc_val = 8;
	for (i = 0; i < 16; i++) {
		w->row.kind[i] = UC_RULE_OFFSET;
		w->row.val[i] = UC_S390X_SREGS_R0 + 8 * (s32)i;
		w->row.kind[16 + i] = UC_RULE_OFFSET;
		w->row.val[16 + i] = uc_s390x_fpr(i);
	}
	w->row.signal = uc_s390x_pc_is_behind(w, signo_at) ? UC_SIGNAL_BEHIND : UC_SIGNAL;
	return 1;
}

/* Does a call end at addr? basr, bas, bras, brasl (z/Architecture Principles of
 * Operation). */
static inline int uc_s390x_after_call(struct uc_walk *w, u64 addr)
{
	const u8 *p = w->scratch;
	int rc;

	if (addr < 8 || uc_port_map(w, addr - 1) || !(w->found.flags & UC_MAP_EXEC) ||
	    addr - 6 < w->found.start)
		return 0;
	rc = uc_bare_code(w, addr - 6, 6);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	return (p[4] == 0x0d && p[5] >> 4 == 14) || (p[2] == 0x4d && p[3] >> 4 == 14) ||
	       (p[2] == 0xa7 && p[3] == 0xe5) || (p[0] == 0xc0 && p[1] == 0xe5);
}

/* Does the code before pc store a back chain, stg %rN,0(%r15)? */
static inline int uc_s390x_keeps_chain(struct uc_walk *w, u64 pc)
{
	u64 from = pc - UC_PROLOGUE_BYTES, last = 0;
	u32 i;

	if (pc < UC_PROLOGUE_BYTES || from < w->map.start)
		from = w->map.start;
	uc_cur_set(w, from, pc);
	w->cur.win_len = 0;
	w->prologue.found = 0;
	for (i = 0; i < UC_PROLOGUE_BYTES && w->cur.pos < pc; i++) {
		last = last << 8 | uc_cur_u8(w);
		if (w->cur.error)
			return w->cur.error == UC_FAULT ? UC_FAULT : 0;
		if ((last & 0xff0fffffffffull) == 0xe300f0000024ull)
			w->prologue.found = 1;
		if ((last & 0xffff) == 0x07fe && !(w->cur.pos & 7)) /* br %r14 in last place */
			w->prologue.found = 0;
	}
	return (int)w->prologue.found;
}

/*
 * The back chain: the word at the stack pointer is the caller's, in whose save
 * area the return address is. A frame's own code stores it after its entry, so
 * only a caller is sure to have done it.
 */
UC_FN int uc_s390x_row(UC_WALK)
{
	u64 sp = w->regs.r[UC_S390_R15], chain;
	u32 i;
	int rc;

	if (!(w->regs.known & UC_BIT(UC_S390_R15)))
		return uc_no_register(w, UC_S390_R15);
	if (w->exact)
		return 0;
	rc = uc_s390x_keeps_chain(w, w->regs.pc);
	if (rc != 1)
		return rc;
	rc = uc_stack_word(w, sp, &chain);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	if (!chain)
		return uc_fail(w, UNCOIL_STOP_END_OF_CHAIN, 0, w->regs.pc);
	if ((chain & 7) || chain <= sp || uc_port_map(w, sp) || chain >= w->found.end)
		return 0;
	rc = uc_stack_word(w, chain + UC_S390X_SAVE_R14, &w->value);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	rc = uc_s390x_after_call(w, w->value);
	if (rc != 1)
		return rc;
	uc_bare_clear(w);
	w->row.cfa_kind = UC_CFA_AT_REG;
	for (i = UC_S390_R6; i < UC_REG_SLOTS; i++) /* saved, or not, who knows where */
		w->row.kind[i] = UC_RULE_UNDEFINED;
	w->row.kind[UC_S390_R15] = UC_RULE_VAL_OFFSET;
	w->row.kind[UC_S390_R14] = UC_RULE_OFFSET;
	w->row.val[UC_S390_R14] = UC_S390X_SAVE_R14;
	return 1;
}
