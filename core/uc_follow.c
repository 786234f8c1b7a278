/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row by following the code from the pc to its return (x86-64; Intel SDM
 * volume 2, appendix A). What it pops on its way is what its caller left, and
 * what the stack pointer has become at the return is one word below the CFA.
 * A compiler's code has one depth at each instruction, so any path will do: a
 * branch forward is taken, one backward is not. After a test of a register
 * that still has its value, the branch goes where it will go: behind the
 * system call in clone, parent and child differ. Code that does anything else
 * than this file knows (a call, an indirect jump, AVX) gives no row.
 */
#include "arch/x86_64.h"
#include "uc_core.h"

#define FOLLOW_ON 0
#define FOLLOW_RETURN 1
#define FOLLOW_LOST 2
#define FOLLOW_BRANCH 3 /* goes on, and leaves the flags alone */

/* Machine register number -> DWARF's. */
static inline u32 uc_follow_reg(u32 n)
{
	return n >= 8 ? n & 15 : (0x54673120u >> (4 * n)) & 15;
}

static inline void uc_follow_lose(struct uc_walk *w)
{
	w->follow.lost = 1;
}

/* A register gets a value of the function's own. */
static inline void uc_follow_write(struct uc_walk *w, u32 reg)
{
	if (reg == UC_RSP)
		uc_follow_lose(w);
	w->row.kind[reg & UC_REG_MASK] = UC_RULE_UNDEFINED;
}

/* A register gets back what is saved at the stack pointer of now + off. */
static inline void uc_follow_restore(struct uc_walk *w, u32 reg, s64 off)
{
	if (reg == UC_RSP)
		uc_follow_lose(w);
	w->row.kind[reg & UC_REG_MASK] = UC_RULE_OFFSET;
	w->row.val[reg & UC_REG_MASK] = (s32)(w->follow.depth + off);
	w->follow.restored = 1;
}

static inline void uc_follow_push(struct uc_walk *w, u32 reg)
{
	u32 n = w->follow.pushed;

	if (n >= UC_FOLLOW_PUSHES) {
		uc_follow_lose(w);
		return;
	}
	w->follow.depth -= 8;
	w->follow.push_reg[n & (UC_FOLLOW_PUSHES - 1)] = (u8)reg;
	w->follow.push_kind[n & (UC_FOLLOW_PUSHES - 1)] = w->row.kind[reg & UC_REG_MASK];
	w->follow.push_val[n & (UC_FOLLOW_PUSHES - 1)] = w->row.val[reg & UC_REG_MASK];
	w->follow.push_depth[n & (UC_FOLLOW_PUSHES - 1)] = (s32)w->follow.depth;
	w->follow.pushed++;
}

/* Pops what was pushed on the way, or what was before. */
static inline void uc_follow_pop(struct uc_walk *w, u32 reg)
{
	u32 n = w->follow.pushed - 1;

	if (!w->follow.pushed && w->follow.depth < 0) {
		uc_follow_write(w, reg);
	} else if (!w->follow.pushed) {
		uc_follow_restore(w, reg, 0);
	} else if (w->follow.push_reg[n & (UC_FOLLOW_PUSHES - 1)] == reg &&
		   w->follow.push_depth[n & (UC_FOLLOW_PUSHES - 1)] == w->follow.depth) {
		w->row.kind[reg & UC_REG_MASK] = w->follow.push_kind[n & (UC_FOLLOW_PUSHES - 1)];
		w->row.val[reg & UC_REG_MASK] = w->follow.push_val[n & (UC_FOLLOW_PUSHES - 1)];
		w->follow.pushed--;
	} else {
		uc_follow_lose(w);
	}
	w->follow.depth += 8;
}

/* leave: back to where the frame pointer was set up, on the way or before. */
static inline void uc_follow_leave(struct uc_walk *w)
{
	if (w->follow.fp_set) {
		w->follow.depth = w->follow.fp_depth;
	} else if (w->row.kind[UC_RBP] == UC_RULE_UNSET && !w->follow.pushed &&
		   !w->follow.restored) { /* all places were relative to another register */
		w->row.cfa_reg = UC_RBP;
		w->follow.depth = 0;
	} else {
		uc_follow_lose(w);
	}
	uc_follow_pop(w, UC_RBP);
}

static inline void uc_follow_jump(struct uc_walk *w, s64 by)
{
	u64 to = w->cur.pos + (u64)by;

	if (to < w->map.start || to >= w->map.end)
		uc_follow_lose(w);
	w->cur.pos = to;
	w->follow.target = w->follow.depth || w->follow.pushed ? 0 : to;
}

/* Will a branch after test %r,%r be taken? By the low bits of its opcode. */
static inline int uc_follow_condition(u32 op, s64 v, s64 by)
{
	switch (op & 15) {
	case 4:
		return v == 0; /* je */
	case 5:
		return v != 0;
	case 8:
	case 12:
		return v < 0; /* js, jl */
	case 9:
	case 13:
		return v >= 0;
	case 14:
		return v <= 0; /* jle */
	case 15:
		return v > 0;
	}
	return by >= 0;
}

static inline int uc_follow_branch(struct uc_walk *w, u32 op, s64 by)
{
	if (w->follow.tested ? uc_follow_condition(op, w->follow.tested_value, by) : by >= 0)
		uc_follow_jump(w, by);
	return FOLLOW_BRANCH;
}

/* test %r,%r of a register with its value of the start. */
static inline int uc_follow_test(struct uc_walk *w, u32 rex)
{
	u32 reg = w->follow.reg & UC_REG_MASK;

	if (w->follow.mod != 3 || w->follow.rm != reg || !(rex & 8) ||
	    !(w->regs.known & UC_BIT(reg)) || w->row.kind[reg] != UC_RULE_UNSET)
		return FOLLOW_ON;
	w->follow.tested = 1;
	w->follow.tested_value = (s64)w->regs.r[reg];
	return FOLLOW_BRANCH; /* the flags are known until the next other instruction */
}

/* A register of a byte operand: without REX, 4 to 7 are the high bytes of 0 to 3. */
static inline u32 uc_follow_byte_reg(u32 n, u32 high)
{
	return uc_follow_reg(high && n >= 4 ? n - 4 : n);
}

/* The bytes of a modrm operand, to w->follow. */
UC_FN_LOCAL int uc_follow_modrm(UC_WALK, u32 rex, u32 byte)
{
	u32 high = byte && !rex;
	u32 modrm = uc_cur_u8(w), mod = modrm >> 6, rm = modrm & 7, base = rm;

	w->follow.mod = (u8)mod;
	w->follow.digit = (modrm >> 3) & 7;
	w->follow.reg = (u8)uc_follow_byte_reg(((modrm >> 3) & 7) | (rex & 4) << 1, high);
	w->follow.rm = (u8)uc_follow_byte_reg(rm | (rex & 1) << 3, high && mod == 3);
	w->follow.on_stack = 0;
	if (mod == 3)
		return 0;
	if (rm == 4) {
		u32 sib = uc_cur_u8(w);

		base = sib & 7;
		w->follow.on_stack = sib == 0x24 && !(rex & 3);
	}
	w->follow.disp = 0;
	if (mod == 1)
		w->follow.disp = (s8)uc_cur_u8(w);
	else if (mod == 2 || base == 5)
		w->follow.disp = (s32)uc_cur_uint(w, 4);
	return 0;
}

/* add, sub and the like with an immediate operand. */
static inline void uc_follow_group1(struct uc_walk *w, s64 imm)
{
	u32 digit = w->follow.digit;

	if (w->follow.mod != 3 || digit == 7) /* memory, or cmp */
		return;
	if (w->follow.rm != UC_RSP)
		uc_follow_write(w, w->follow.rm);
	else if (digit == 0)
		w->follow.depth += imm;
	else if (digit == 5)
		w->follow.depth -= imm;
	else
		uc_follow_lose(w);
}

/* mov, in its directions. */
static inline void uc_follow_mov(struct uc_walk *w, u32 op, u32 rex)
{
	if (op == 0x89 && w->follow.mod == 3 && w->follow.reg == UC_RSP &&
	    w->follow.rm == UC_RBP) {
		uc_follow_write(w, UC_RBP);
		w->follow.fp_set = 1;
		w->follow.fp_depth = w->follow.depth;
	} else if (op == 0x8b && w->follow.mod != 3 && w->follow.on_stack) {
		if ((rex & 8) && !w->follow.stored && w->follow.depth + w->follow.disp >= 0)
			uc_follow_restore(w, w->follow.reg, w->follow.disp);
		else
			uc_follow_write(w, w->follow.reg);
	} else if (op & 2) {
		uc_follow_write(w, w->follow.reg);
	} else if (w->follow.mod == 3) {
		uc_follow_write(w, w->follow.rm);
	}
}

/* Of the opcodes with modrm the even ones are of bytes; not lea's neighbours. */
static inline u32 uc_follow_is_byte(u32 op)
{
	return !(op & 1);
}

/* One-byte opcodes with a modrm byte. */
static inline int uc_follow_operand(struct uc_walk *w, u32 op, u32 rex, u32 wide)
{
	uc_follow_modrm(w, rex, uc_follow_is_byte(op));
	switch (op) {
	case 0x80:
		if (w->follow.mod == 3 && w->follow.rm == UC_RSP) /* %spl */
			uc_follow_lose(w);
		/* fall through */
	case 0x83:
		uc_follow_group1(w, (s8)uc_cur_u8(w));
		return FOLLOW_ON;
	case 0x81:
		uc_follow_group1(w, (s32)uc_cur_uint(w, wide));
		return FOLLOW_ON;
	case 0x84:
		return FOLLOW_ON;
	case 0x85:
		return uc_follow_test(w, rex);
	case 0x88:
	case 0x89:
	case 0x8a:
	case 0x8b:
		uc_follow_mov(w, op, rex);
		return FOLLOW_ON;
	case 0x63:
	case 0x8d: /* movsxd, lea */
		uc_follow_write(w, w->follow.reg);
		return FOLLOW_ON;
	case 0xc0:
	case 0xc1:
	case 0xc6:
		uc_cur_u8(w);
		break;
	case 0xc7:
		uc_cur_uint(w, wide);
		break;
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3: /* shifts */
		break;
	case 0xff:
		/* jmp *slot(%rip) is a call in last place; inc and dec go on */
		if (w->follow.digit == 4 && !w->follow.mod && w->follow.rm == UC_RBP)
			return FOLLOW_RETURN;
		if (w->follow.digit > 1)
			return FOLLOW_LOST;
		break;
	default: /* arithmetic: 00-3b, to memory or register by bit 1 */
		if (op > 0x3b)
			return FOLLOW_LOST;
		if ((op & 0x38) == 0x38) /* cmp */
			return FOLLOW_ON;
		if (op & 2) {
			uc_follow_write(w, w->follow.reg);
			return FOLLOW_ON;
		}
	}
	if (w->follow.mod == 3)
		uc_follow_write(w, w->follow.rm);
	return FOLLOW_ON;
}

/* Two-byte opcodes, 0f xx. */
static inline int uc_follow_0f(struct uc_walk *w, u32 rex)
{
	u32 op = uc_cur_u8(w);

	if (op >= 0x80 && op <= 0x8f)
		return uc_follow_branch(w, op, (s32)uc_cur_uint(w, 4));
	if (op < 0x10 || (op >= 0x20 && op < 0x28) || (op >= 0x30 && op < 0x40) ||
	    (op >= 0xa0 && op < 0xaf) || op == 0xc7 || (op >= 0xc8 && op < 0xd0) || op == 0x77)
		return FOLLOW_LOST;
	uc_follow_modrm(w, rex, op >= 0x90 && op < 0xa0);
	if ((op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) || op == 0xba)
		uc_cur_u8(w);
	/* cmov, imul, movzx, movsx, bit scans, and SSE ones with such a result */
	if ((op >= 0x40 && op < 0x50) || (op >= 0xaf && op <= 0xbf) || op == 0x50 || op == 0x2c ||
	    op == 0x2d || op == 0xd7 || op == 0xc5)
		uc_follow_write(w, w->follow.reg);
	if (((op >= 0x90 && op < 0xa0) || op == 0x7e || op == 0xc0 || op == 0xc1) &&
	    w->follow.mod == 3)
		uc_follow_write(w, w->follow.rm);
	return FOLLOW_ON;
}

/* Opcodes without modrm. */
static inline int uc_follow_plain(struct uc_walk *w, u32 op, u32 rex, u32 wide)
{
	if (op >= 0x50 && op <= 0x57) {
		uc_follow_push(w, uc_follow_reg((op & 7) | (rex & 1) << 3));
		return FOLLOW_ON;
	}
	if (op >= 0x58 && op <= 0x5f) {
		uc_follow_pop(w, uc_follow_reg((op & 7) | (rex & 1) << 3));
		return FOLLOW_ON;
	}
	if (op >= 0x70 && op <= 0x7f)
		return uc_follow_branch(w, op, (s8)uc_cur_u8(w));
	if (op >= 0xb0 && op <= 0xbf) {
		uc_cur_uint(w, op < 0xb8 ? 1 : rex & 8 ? 8 : wide);
		uc_follow_write(w, uc_follow_byte_reg((op & 7) | (rex & 1) << 3, op < 0xb8 && !rex));
		return FOLLOW_ON;
	}
	switch (op) {
	case 0x90:
	case 0x98:
	case 0x99: /* nop, cltq, cqto */
		return FOLLOW_ON;
	case 0xc2:
	case 0xc3:
		return FOLLOW_RETURN;
	case 0xc9:
		uc_follow_leave(w);
		return FOLLOW_ON;
	case 0xe9:
		uc_follow_jump(w, (s32)uc_cur_uint(w, 4));
		return FOLLOW_ON;
	case 0xeb:
		uc_follow_jump(w, (s8)uc_cur_u8(w));
		return FOLLOW_ON;
	case 0xa8:
		uc_cur_u8(w);
		return FOLLOW_ON;
	case 0xa9:
		uc_cur_uint(w, wide);
		return FOLLOW_ON;
	}
	if (op < 0x40 && (op & 7) == 4) { /* arithmetic on al or rax */
		uc_cur_u8(w);
		return FOLLOW_ON;
	}
	if (op < 0x40 && (op & 7) == 5) {
		uc_cur_uint(w, wide);
		return FOLLOW_ON;
	}
	return FOLLOW_LOST;
}

static inline int uc_follow_has_modrm(u32 op)
{
	if (op < 0x40)
		return (op & 7) < 4;
	return op == 0x63 || (op >= 0x80 && op <= 0x85) || (op >= 0x88 && op <= 0x8b) || op == 0x8d ||
	       op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) ||
	       op == 0xff;
}

static inline int uc_follow_is_prefix(u32 op)
{
	return op == 0x66 || op == 0xf2 || op == 0xf3 || op == 0x2e || op == 0x3e;
}

/* One instruction at the cursor. */
UC_FN_LOCAL int uc_follow_insn(UC_WALK)
{
	u32 op = uc_cur_u8(w), rex = 0, wide = 4, i;

	for (i = 0; i < 4 && uc_follow_is_prefix(op); i++) {
		if (op == 0x66)
			wide = 2;
		op = uc_cur_u8(w);
	}
	if ((op & 0xf0) == 0x40) {
		rex = op;
		op = uc_cur_u8(w);
	}
	if (rex & 8)
		wide = 4;
	if (op == 0x0f)
		return uc_follow_0f(w, rex);
	if (uc_follow_has_modrm(op)) {
		int what = uc_follow_operand(w, op, rex, wide);

		/* Loads and compares do not store; to tell them apart is not worth it
		 * where memory is named by another register than the stack pointer. */
		if (w->follow.mod != 3 && (op == 0x88 || op == 0x89 || op == 0xc6 || op == 0xc7))
			w->follow.stored = 1;
		return what;
	}
	return uc_follow_plain(w, op, rex, wide);
}

/* The saved places are relative to the start; make them so to the CFA. */
static inline void uc_follow_finish(struct uc_walk *w)
{
	s64 cfa = w->follow.depth + 8;
	u32 i;

	for (i = 0; i < 16; i++) {
		s64 val = w->row.val[i] - cfa;

		if (w->row.kind[i] != UC_RULE_OFFSET)
			continue;
		if (val == (s32)val)
			w->row.val[i] = (s32)val;
		else
			w->row.kind[i] = UC_RULE_UNDEFINED;
	}
	w->row.cfa_off = cfa;
	w->row.kind[UC_RSP] = UC_RULE_UNSET;
	w->row.kind[UC_RIP] = UC_RULE_OFFSET;
	w->row.val[UC_RIP] = -8;
}

/*
 * Follow the code at the current, exact pc, from a row that has no rules yet.
 * 1 with the row in w->row, 0 if the code can not be followed, or UC_FAULT.
 */
UC_FN int uc_follow(UC_WALK)
{
	u32 i;

	memset(&w->follow, 0, sizeof(w->follow));
	uc_cur_set(w, w->regs.pc, w->map.end);
	w->cur.win_len = 0;
	UC_FOR(i, UC_FOLLOW_INSNS)
	{
		int what = uc_follow_insn(w);

		if (w->cur.error)
			return w->cur.error == UC_FAULT ? UC_FAULT : 0;
		if (what == FOLLOW_LOST || w->follow.lost || w->follow.depth != (s32)w->follow.depth)
			return 0;
		if (what != FOLLOW_BRANCH)
			w->follow.tested = 0;
		if (what != FOLLOW_RETURN)
			continue;
		if (w->follow.pushed || w->follow.depth < 0)
			return 0;
		uc_follow_finish(w);
		return 1;
	}
	return 0;
}
