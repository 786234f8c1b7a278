/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AArch64 code without unwind data: the signal trampoline, PLT entries, code
 * that can be followed to its return, and frame records (Arm Architecture
 * Reference Manual, C4; AAPCS64, "The Frame Pointer").
 */
#include "aarch64.h"

#include "uc_bare.h"

/* Instructions are little-endian, whatever the data is. */
static inline u32 uc_a64_insn(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

/* mov x8,#139; svc #0: the interrupted registers are in the frame that the
 * kernel made. An FDE there, of old kernels, is of no use (formats sheet 4.7). */
UC_FN int uc_aarch64_trampoline(UC_WALK)
{
	u32 i;

	if (uc_a64_insn(w->scratch) != 0xd2801168 || uc_a64_insn(w->scratch + 4) != 0xd4000001)
		return 0;
	uc_bare_clear(w);
	w->row.ra_reg = UC_RA_PC;
	w->row.pc_kind = UC_RULE_OFFSET;
	w->row.pc_val = UC_AARCH64_SIGFRAME_PC;
	for (i = 0; i < 31; i++) {
		w->row.kind[i] = UC_RULE_OFFSET;
		w->row.val[i] = UC_AARCH64_SIGFRAME_X0 + 8 * (s32)i;
	}
	w->row.kind[UC_SP_A64] = UC_RULE_OFFSET;
	w->row.val[UC_SP_A64] = UC_AARCH64_SIGFRAME_SP;
	w->row.signal = UC_SIGNAL;
	return 1;
}

/* Is addr a return address: does bl, blr or one of its authenticating forms
 * end there? */
static inline int uc_a64_after_call(struct uc_walk *w, u64 addr)
{
	u32 insn;
	int rc;

	if (addr < 4 || (addr & 3) || uc_port_map(w, addr - 4) || !(w->found.flags & UC_MAP_EXEC))
		return 0;
	rc = uc_bare_code(w, addr - 4, 4);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	insn = uc_a64_insn(w->scratch);
	return (insn & 0xfc000000) == 0x94000000 || (insn & 0xfefff000) == 0xd63f0000;
}

/* ---- following code to its return ---- */

#define A64_ON 0
#define A64_RETURN 1
#define A64_LOST 2

#define A64_RD(insn) ((insn) & 31)
#define A64_RN(insn) ((insn) >> 5 & 31)
#define A64_RT2(insn) ((insn) >> 10 & 31)

static inline s64 uc_a64_signed(u32 insn, u32 low, u32 bits)
{
	return (s64)((u64)insn << (64 - low - bits)) >> (64 - bits);
}

static inline void uc_a64_write(struct uc_walk *w, u32 reg)
{
	if (reg < 31)
		w->row.kind[reg] = UC_RULE_UNDEFINED;
}

/* A register is stored at a place that counts from the start's stack pointer. */
static inline void uc_a64_store(struct uc_walk *w, u32 reg, s64 place)
{
	u32 n = w->follow.pushed;

	if (reg == 31)
		return;
	if (n >= UC_FOLLOW_PUSHES || place != (s32)place) {
		w->follow.lost = 1;
		return;
	}
	w->follow.push_reg[n] = (u8)reg;
	w->follow.push_kind[n] = w->row.kind[reg];
	w->follow.push_val[n] = w->row.val[reg];
	w->follow.push_depth[n] = (s32)place;
	w->follow.pushed++;
}

/* ... and loaded: what was stored on the way, or before. */
static inline void uc_a64_load(struct uc_walk *w, u32 reg, s64 place)
{
	u32 n;

	if (reg == 31)
		return;
	w->follow.restored = 1;
	for (n = 0; n < w->follow.pushed; n++) {
		if (w->follow.push_depth[n] != place)
			continue;
		w->row.kind[reg] = w->follow.push_kind[n];
		w->row.val[reg] = w->follow.push_val[n];
		if (w->follow.push_reg[n] != reg)
			w->row.kind[reg] = UC_RULE_UNDEFINED;
		return;
	}
	if (place < 0 || place != (s32)place) {
		w->row.kind[reg] = UC_RULE_UNDEFINED;
		return;
	}
	w->row.kind[reg] = UC_RULE_OFFSET;
	w->row.val[reg] = (s32)place;
}

/* Loads and stores at the stack pointer: one register or two; the address
 * before, after or without the change of the stack pointer. */
static inline int uc_a64_stack_access(struct uc_walk *w, u32 insn, u32 pair, s64 off, u32 mode)
{
	u32 load = insn >> 22 & 1;
	s64 at = w->follow.depth + (mode == 1 ? 0 : off); /* 1: after */

	if (load) {
		uc_a64_load(w, A64_RD(insn), at);
		if (pair)
			uc_a64_load(w, A64_RT2(insn), at + 8);
	} else {
		uc_a64_store(w, A64_RD(insn), at);
		if (pair)
			uc_a64_store(w, A64_RT2(insn), at + 8);
	}
	if (mode == 1 || mode == 3)
		w->follow.depth += off;
	return w->follow.lost ? A64_LOST : A64_ON;
}

/* Loads and stores. */
static inline int uc_a64_memory(struct uc_walk *w, u32 insn)
{
	u32 mode = insn >> 23 & 3;

	if (A64_RN(insn) == 31 && (insn & 0xfe000000) == 0xa8000000 && mode) /* ldp, stp of x */
		return uc_a64_stack_access(w, insn, 1, 8 * uc_a64_signed(insn, 15, 7), mode);
	if (A64_RN(insn) == 31 && (insn & 0xff800000) == 0xf9000000) /* ldr, str of x */
		return uc_a64_stack_access(w, insn, 0, 8 * (s64)(insn >> 10 & 0xfff), 2);
	if (A64_RN(insn) == 31 && (insn & 0xffa00400) == 0xf8000400) /* ... that move sp */
		return uc_a64_stack_access(w, insn, 0, uc_a64_signed(insn, 12, 9),
					   insn >> 11 & 1 ? 3 : 1);
	if (A64_RN(insn) == 31) {
		/* d registers' pairs move the stack pointer, too. */
		if ((insn & 0xfe000000) == 0x6c000000) {
			if (mode == 1 || mode == 3)
				w->follow.depth += 8 * uc_a64_signed(insn, 15, 7);
			return A64_ON;
		}
		/* Other widths: no matter where, if the stack pointer stays. */
		if ((insn & 0x3b200400) == 0x38000400 || (insn & 0x3a800000) == 0x28800000)
			return A64_LOST;
	}
	if (insn & 0x04000000) /* vector registers */
		return A64_ON;
	uc_a64_write(w, A64_RD(insn));
	if ((insn & 0x3a000000) == 0x28000000) /* pairs */
		uc_a64_write(w, A64_RT2(insn));
	if ((insn & 0x3f000000) == 0x08000000) /* exclusive ones: the status */
		uc_a64_write(w, insn >> 16 & 31);
	if ((insn & 0x3b200400) == 0x38000400 || (insn & 0x3a800000) == 0x28800000)
		uc_a64_write(w, A64_RN(insn)); /* moves its base */
	return A64_ON;
}

/* add and sub of an immediate, which alone may name the stack pointer. */
static inline int uc_a64_add(struct uc_walk *w, u32 insn)
{
	u32 rd = A64_RD(insn), rn = A64_RN(insn);
	s64 imm = (s64)(insn >> 10 & 0xfff) << (insn >> 22 & 1 ? 12 : 0);

	if (insn >> 30 & 1)
		imm = -imm;
	if (rd == 31 && !(insn >> 29 & 1)) {
		if (rn == 31) {
			w->follow.depth += imm;
		} else if (rn == UC_X29 && w->follow.fp_set) {
			w->follow.depth = w->follow.fp_depth + imm;
		} else if (rn == UC_X29 && w->row.kind[UC_X29] == UC_RULE_UNSET &&
			   !w->follow.pushed && !w->follow.restored) {
			w->row.cfa_reg = UC_X29; /* all places are relative to it now */
			w->follow.depth = imm;
		} else {
			return A64_LOST;
		}
		return A64_ON;
	}
	uc_a64_write(w, rd);
	if (rd == UC_X29) {
		w->follow.fp_set = rn == 31;
		w->follow.fp_depth = w->follow.depth + imm;
	}
	return A64_ON;
}

static inline int uc_a64_branch_to(struct uc_walk *w, s64 by)
{
	u64 to = w->cur.pos - 4 + (u64)by;

	if (to < w->map.start || to >= w->map.end)
		return A64_LOST;
	w->cur.pos = to;
	return A64_ON;
}

static inline int uc_a64_branch(struct uc_walk *w, u32 insn)
{
	s64 by;

	if ((insn & 0xfffff01f) == 0xd503201f) /* hints: nop, bti, pac and aut of x30 */
		return A64_ON;
	if (insn == 0xd65f03c0 || insn == 0xd65f0bff || insn == 0xd65f0fff) /* ret, retaa, retab */
		return A64_RETURN;
	/* br x17 leaves by way of a PLT entry, with nothing pushed since. */
	if (insn == 0xd61f0220 && !w->follow.pushed)
		return A64_RETURN;
	if ((insn & 0xfc000000) == 0x14000000)
		return uc_a64_branch_to(w, 4 * uc_a64_signed(insn, 0, 26));
	if ((insn & 0xff000010) == 0x54000000 || (insn & 0x7e000000) == 0x34000000)
		by = 4 * uc_a64_signed(insn, 5, 19); /* b.cond, cbz, cbnz */
	else if ((insn & 0x7e000000) == 0x36000000)
		by = 4 * uc_a64_signed(insn, 5, 14); /* tbz, tbnz */
	else
		return A64_LOST;
	return by > 0 ? uc_a64_branch_to(w, by) : A64_ON;
}

static inline int uc_a64_step(struct uc_walk *w)
{
	u32 insn = 0, i;

	for (i = 0; i < 4; i++)
		insn |= (u32)uc_cur_u8(w) << (8 * i);
	if (w->cur.error)
		return A64_LOST;
	if ((insn >> 26 & 7) == 5) /* branches and system */
		return uc_a64_branch(w, insn);
	if ((insn >> 25 & 5) == 4)
		return uc_a64_memory(w, insn);
	if ((insn & 0x1f800000) == 0x11000000)
		return uc_a64_add(w, insn);
	/* add, sub of an extended register, and logic with an immediate, write sp. */
	if (A64_RD(insn) == 31 && ((insn & 0x3f200000) == 0x0b200000 || (insn & 0x1f800000) == 0x12000000))
		return A64_LOST;
	if (!(insn >> 25 & 15)) /* reserved */
		return A64_LOST;
	uc_a64_write(w, A64_RD(insn));
	if (A64_RD(insn) == UC_X29)
		w->follow.fp_set = 0;
	return A64_ON;
}

/* The return address by the row at hand, checked. */
static inline int uc_a64_row_holds(struct uc_walk *w)
{
	u64 base = w->regs.r[w->row.cfa_reg & UC_REG_MASK];
	int rc;

	if (w->row.kind[UC_X30] == UC_RULE_UNSET) {
		if (!(w->regs.known & UC_BIT(UC_X30)))
			return uc_no_register(w, UC_X30);
		w->value = w->regs.r[UC_X30];
	} else if (w->row.kind[UC_X30] == UC_RULE_OFFSET) {
		rc = uc_stack_word(w, base + (u64)w->row.cfa_off + (u64)(s64)w->row.val[UC_X30],
				   &w->value);
		if (rc)
			return rc == UC_FAULT ? rc : 0;
	} else {
		return 0;
	}
	return uc_a64_after_call(w, w->value & w->abi.code_mask);
}

/* PLT0 begins with stp x16,x30,[sp,#-16]! (formats sheet 3.5); bytes that it has
 * pushed at the pc. */
static inline int uc_a64_plt0_pushed(struct uc_walk *w)
{
	u32 i;
	int rc;

	for (i = 1; i < 8; i++) {
		if (w->regs.pc - 4 * i < w->map.start)
			break;
		rc = uc_bare_code(w, w->regs.pc - 4 * i, 4);
		if (rc)
			return rc == UC_FAULT ? rc : 0;
		if (uc_a64_insn(w->scratch) == 0xa9bf7bf0)
			return 16;
	}
	return 0;
}

/*
 * A compiler's code has one depth at each instruction, so any path to the
 * return will do, as on x86-64 (uc_follow.c).
 */
static inline int uc_a64_follow(struct uc_walk *w)
{
	u32 i, n;
	int pushed;

	memset(&w->follow, 0, sizeof(w->follow));
	uc_bare_clear(w);
	uc_cur_set(w, w->regs.pc, w->map.end);
	w->cur.win_len = 0;
	for (i = 0; i < UC_FOLLOW_INSNS; i++) {
		int what = uc_a64_step(w);

		if (w->cur.error == UC_FAULT)
			return UC_FAULT;
		if (what == A64_LOST || w->follow.depth != (s32)w->follow.depth)
			return 0;
		if (what == A64_ON)
			continue;
		pushed = w->follow.depth ? 0 : uc_a64_plt0_pushed(w);
		if (pushed == UC_FAULT)
			return pushed;
		w->row.cfa_off = w->follow.depth + pushed;
		for (n = 0; n < 31; n++)
			if (w->row.kind[n] == UC_RULE_OFFSET)
				w->row.val[n] -= (s32)w->follow.depth;
		if (!(w->regs.known & UC_BIT(w->row.cfa_reg)))
			return uc_no_register(w, w->row.cfa_reg);
		return uc_a64_row_holds(w);
	}
	return 0;
}

/* ---- frame records ---- */

/*
 * Does the function of a return address set up its frame pointer before it?
 * Going back: add x29,sp,#n says yes; what only the end of another function
 * can be says no.
 */
static inline int uc_a64_has_prologue(struct uc_walk *w, u64 pc)
{
	u32 i, insn, after = 0;
	int rc;

	for (i = 0; i < UC_PROLOGUE_BYTES / 4; i++) {
		pc -= 4;
		if (pc < w->map.start)
			return 0;
		rc = uc_bare_code(w, pc, 4);
		if (rc)
			return rc == UC_FAULT ? rc : 0;
		insn = uc_a64_insn(w->scratch);
		if ((insn & 0xff8003ff) == 0x910003fd)
			return 1;
		/* ret, then an entry or padding */
		if (insn == 0xd65f03c0 && (!after || (after & 0xfffff01f) == 0xd503201f ||
					   (after & 0xffc003e0) == 0xa98003e0 ||
					   (after & 0xff8003ff) == 0xd10003ff))
			return 0;
		after = insn;
	}
	return 0;
}

/* The frame record: saved x29 and x30. Where it lies in the frame is the
 * compiler's choice, so the caller's stack pointer is not known. */
static inline int uc_a64_frame_record(struct uc_walk *w)
{
	u64 fp = w->regs.r[UC_X29], next;
	u32 i;
	int rc;

	if (!(w->regs.known & UC_BIT(UC_X29)))
		return uc_no_register(w, UC_X29);
	if (!fp && w->prev_bare == UC_BARE_FP)
		return uc_fail(w, UNCOIL_STOP_END_OF_CHAIN, 0, w->regs.pc);
	if ((fp & 15) || uc_port_map(w, fp) || fp > w->found.end - 16)
		return 0;
	if ((w->regs.known & UC_BIT(UC_SP_A64)) &&
	    (fp < w->regs.r[UC_SP_A64] || w->regs.r[UC_SP_A64] < w->found.start))
		return 0;
	if (w->map.flags & UC_MAP_FILE) {
		rc = uc_a64_has_prologue(w, w->regs.pc);
		if (rc != 1)
			return rc;
	}
	rc = uc_stack_word(w, fp, &next);
	if (!rc)
		rc = uc_stack_word(w, fp + 8, &w->value);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	if (next && next <= fp)
		return 0;
	if (!w->value)
		return uc_fail(w, UNCOIL_STOP_END_OF_CHAIN, 0, w->regs.pc);
	rc = uc_a64_after_call(w, w->value & w->abi.code_mask);
	if (rc != 1)
		return rc;
	uc_bare_clear(w);
	w->bare = UC_BARE_FP;
	w->row.cfa_reg = UC_X29;
	for (i = UC_X19; i < UC_REG_SLOTS; i++)
		w->row.kind[i] = UC_RULE_UNDEFINED;
	w->row.kind[UC_X29] = UC_RULE_OFFSET;
	w->row.kind[UC_X30] = UC_RULE_OFFSET;
	w->row.val[UC_X30] = 8;
	return 1;
}

UC_FN int uc_aarch64_row(UC_WALK)
{
	int rc = w->exact ? uc_a64_follow(w) : 0;

	return rc ? rc : uc_a64_frame_record(w);
}
