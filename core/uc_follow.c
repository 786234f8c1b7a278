/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row by following the code from the pc to its return (x86-64; Intel SDM
 * volume 2). What it pops on its way is what its caller left, and what the
 * stack pointer has become at the return is one word below the CFA. A
 * compiler's code has one depth at each instruction, so any way will do: a
 * branch forward is taken, one backward is not; where this leads to nothing,
 * the last branch goes the other way. After a test of a register that still has
 * its value, the branch goes where it will go: behind the system call in
 * clone, parent and child differ.
 *
 * A call returns with the stack as it was; but some never return, and what
 * comes behind them is other code. So a way with a call in it counts only if
 * its CFA is a multiple of 16, as the psABI (3.2.2) has it at each call: other
 * functions, entered here, would be off by 8. The word to return to must
 * follow a call, too. Code that does what this file does not know gives no row.
 */
#include "uc_bare.h"

#include "arch/x86_64.h"
#include "arch/x86_64_insn.h"

enum {
	FOLLOW_ON,
	FOLLOW_BRANCH = 2, /* goes on, and leaves the flags alone */
	FOLLOW_NOP,
	FOLLOW_CALL,
	FOLLOW_RETURN,
	FOLLOW_TAIL, /* a jump to what a register or memory says */
	FOLLOW_LOST,
};

/* ---- registers and the stack ---- */

/* A register gets a value of the function's own. */
UC_FN_LOCAL int uc_way_write(UC_WALK, u32 reg)
{
	if (reg == UC_RSP)
		w->follow.adrift = 1;
	if (reg == UC_RBP)
		w->follow.fp_set = 0;
	if (reg == UC_RAX)
		w->follow.rax = -1;
	if (reg == w->follow.code_reg)
		w->follow.code = 0;
	if (reg == w->follow.table_reg)
		w->follow.table = 0;
	w->row.kind[reg & UC_REG_MASK] = UC_RULE_UNDEFINED;
	return FOLLOW_ON;
}

/* A register gets back what is saved at a place of the start's frame. */
static inline void uc_way_restore(struct uc_walk *w, u32 reg, s64 at)
{
	uc_way_write(w, reg);
	if (w->ways.goal || at < 0 || at != (s32)at)
		return;
	w->row.kind[reg & UC_REG_MASK] = UC_RULE_OFFSET;
	w->row.val[reg & UC_REG_MASK] = (s32)at;
}

/* rax, rdx, rcx, rsi and rdi: a call need not preserve them, so all use them. */
static inline void uc_way_scratch(struct uc_walk *w)
{
	memset(&w->row.kind[UC_RAX], UC_RULE_UNDEFINED, 3);
	memset(&w->row.kind[UC_RSI], UC_RULE_UNDEFINED, 2);
	w->follow.rax = -1;
	w->follow.code = 0;
	w->follow.table = 0;
}

/* A register's value, where it is known. */
static inline int uc_way_value(struct uc_walk *w, u32 reg, u64 *ret)
{
	reg &= UC_REG_MASK;
	if (w->follow.code && reg == w->follow.code_reg) {
		*ret = w->follow.code;
		return 1;
	}
	*ret = w->regs.r[reg];
	return !w->ways.goal && w->row.kind[reg] == UC_RULE_UNSET && reg != UC_RSP &&
	       (w->regs.known & UC_BIT(reg));
}

static inline void uc_way_know(struct uc_walk *w, u32 reg, u64 v)
{
	w->follow.code_reg = (u8)reg;
	w->follow.code = v;
}

/* The stack pointer has risen: what was pushed below it is gone. */
UC_FN_LOCAL int uc_way_rise(UC_WALK)
{
	u32 i;

	UC_FOR(i, UC_FOLLOW_PUSHES)
	{
		if (!w->follow.pushed ||
		    w->follow.push_depth[(w->follow.pushed - 1) & (UC_FOLLOW_PUSHES - 1)] >= w->follow.depth)
			break;
		w->follow.pushed--;
	}
	return 0;
}

static inline void uc_way_move(struct uc_walk *w, s64 depth)
{
	w->follow.depth = depth;
	w->follow.adrift = 0;
	uc_way_rise(w);
}

/* Where the frame pointer points to; 0 if it is none, or not known. */
static inline int uc_way_fp(struct uc_walk *w, s64 *ret)
{
	*ret = w->follow.fp_depth;
	if (w->follow.fp_set || w->ways.goal)
		return w->follow.fp_set;
	*ret = (s64)(w->regs.r[UC_RBP] - w->regs.r[UC_RSP]);
	return w->row.kind[UC_RBP] == UC_RULE_UNSET && (w->regs.known & UC_BIT(UC_RBP)) &&
	       *ret == (s32)*ret;
}

/* The stack pointer becomes the frame pointer + off. */
static inline void uc_way_to_fp(struct uc_walk *w, s64 off)
{
	s64 fp;

	if (uc_way_fp(w, &fp))
		uc_way_move(w, fp + off);
	else
		uc_way_write(w, UC_RSP);
}

static inline int uc_way_push(struct uc_walk *w, u32 reg)
{
	u32 n = w->follow.pushed;

	if (w->follow.adrift)
		return FOLLOW_ON;
	if (n >= UC_FOLLOW_PUSHES)
		return FOLLOW_LOST;
	n &= UC_FOLLOW_PUSHES - 1;
	w->follow.depth -= 8;
	w->follow.push_reg[n] = (u8)reg;
	w->follow.push_kind[n] = w->row.kind[reg & UC_REG_MASK];
	w->follow.push_val[n] = w->row.val[reg & UC_REG_MASK];
	w->follow.push_depth[n] = (s32)w->follow.depth;
	w->follow.pushed++;
	return FOLLOW_ON;
}

/* Pops what was pushed on the way, or what was before. */
static inline int uc_way_pop(struct uc_walk *w, u32 reg)
{
	u32 n = (w->follow.pushed - 1) & (UC_FOLLOW_PUSHES - 1);
	u32 top = w->follow.pushed && w->follow.push_depth[n] == w->follow.depth;

	if (w->follow.adrift || w->follow.pushed)
		uc_way_write(w, reg);
	else
		uc_way_restore(w, reg, w->follow.depth);
	if (!w->follow.adrift && top) {
		if (w->follow.push_reg[n] == reg) {
			w->row.kind[reg & UC_REG_MASK] = w->follow.push_kind[n];
			w->row.val[reg & UC_REG_MASK] = w->follow.push_val[n];
		}
		w->follow.pushed--;
	}
	w->follow.depth += 8;
	return FOLLOW_ON;
}

/* A store to the frame: what is loaded from it later may be the function's own. */
static inline void uc_way_store(struct uc_walk *w)
{
	if (w->insn.base == UC_RSP || w->insn.base == UC_RBP)
		w->follow.stored = 1;
}

/* ---- instructions ---- */

/* add, sub and the like with an immediate operand. */
static inline void uc_follow_group1(struct uc_walk *w)
{
	u32 digit = w->insn.digit;
	s64 imm = w->insn.imm;

	if (digit == 7) /* cmp */
		return;
	if (w->insn.mod != 3)
		uc_way_store(w);
	else if (w->insn.rm != UC_RSP || !(w->insn.rex & 8) || w->insn.op == 0x80)
		uc_way_write(w, w->insn.rm);
	else if (w->follow.adrift)
		return;
	else if (digit == 0)
		uc_way_move(w, w->follow.depth + imm);
	else if (digit == 5)
		uc_way_move(w, w->follow.depth - imm);
	else /* and: what it was before, only the frame pointer knows */
		uc_way_write(w, UC_RSP);
}

/* mov between registers: to, from. */
static inline void uc_follow_move(struct uc_walk *w, u32 to, u32 from)
{
	uc_way_write(w, to);
	if (!(w->insn.rex & 8))
		return;
	if (to == UC_RBP && from == UC_RSP && !w->follow.adrift) {
		w->follow.fp_set = 1;
		w->follow.fp_depth = w->follow.depth;
	} else if (to == UC_RSP && from == UC_RBP) {
		uc_way_to_fp(w, 0);
	}
}

/* A load: a register may get back what was saved. */
static inline void uc_follow_load(struct uc_walk *w)
{
	s64 from = w->follow.depth;
	u32 known = 0;

	if (w->insn.base == UC_RSP)
		known = !w->follow.adrift;
	else if (w->insn.base == UC_RBP)
		known = (u32)uc_way_fp(w, &from);
	if (known && !w->insn.indexed && (w->insn.rex & 8) && !w->follow.stored)
		uc_way_restore(w, w->insn.reg, from + w->insn.disp);
	else
		uc_way_write(w, w->insn.reg);
}

static inline void uc_follow_lea(struct uc_walk *w)
{
	u32 reg = w->insn.reg, base = w->insn.indexed ? UC_INSN_NO_BASE : w->insn.base;

	if (w->insn.mod == 3 || !(w->insn.rex & 8))
		base = UC_INSN_NO_BASE;
	if (reg == UC_RSP && base == UC_RSP && !w->follow.adrift) {
		uc_way_move(w, w->follow.depth + w->insn.disp);
	} else if (reg == UC_RSP && base == UC_RBP) {
		uc_way_to_fp(w, w->insn.disp);
	} else {
		uc_way_write(w, reg);
		if (reg == UC_RBP && base == UC_RSP && !w->follow.adrift) {
			w->follow.fp_set = 1;
			w->follow.fp_depth = w->follow.depth + w->insn.disp;
		} else if (w->insn.rip) {
			uc_way_know(w, reg, w->cur.pos + (u64)w->insn.disp);
		}
	}
}

/* Back to where the frame pointer was set up, on the way or before. */
static inline int uc_follow_leave(struct uc_walk *w)
{
	uc_way_to_fp(w, 0);
	return uc_way_pop(w, UC_RBP);
}

static inline int uc_follow_jump(struct uc_walk *w, u64 to)
{
	if (to < w->follow.lo || to >= w->cur.end)
		return FOLLOW_LOST;
	w->cur.pos = to;
	if (!w->follow.branches && !w->ways.goal)
		w->follow.target = w->follow.depth || w->follow.pushed || w->follow.calls ? 0 : to;
	return FOLLOW_BRANCH;
}

/* test %r,%r of a register with its value of the start. */
static inline int uc_follow_test(struct uc_walk *w)
{
	u32 reg = w->insn.reg & UC_REG_MASK;

	if (w->insn.mod != 3 || w->insn.rm != reg || w->insn.opsize != 4 ||
	    w->ways.goal || !(w->regs.known & UC_BIT(reg)) || w->row.kind[reg] != UC_RULE_UNSET)
		return FOLLOW_ON;
	w->follow.tested = 1;
	w->follow.tested_value = (s64)w->regs.r[reg];
	if (!(w->insn.rex & 8))
		w->follow.tested_value = (s32)w->follow.tested_value;
	return FOLLOW_BRANCH; /* the flags are known until the next other instruction */
}

/* Will a branch after it be taken? By the low bits of its opcode; 2: no idea. */
static inline u32 uc_follow_condition(u32 op, s64 v)
{
	switch (op & 15) {
	case 0: /* jo: test clears this flag, and the carry */
	case 2:
		return 0;
	case 1:
	case 3:
		return 1;
	case 4:
	case 6:
		return v == 0; /* je, jbe */
	case 5:
	case 7:
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
	return 2; /* parity */
}

/*
 * Which way at a branch that may go either way? As it was settled; else the
 * usual one, unless a way came here before, which led to nothing. 2: no way.
 */
static inline u32 uc_follow_choose(struct uc_walk *w)
{
	u32 n = w->follow.branches, hash = (u32)w->cur.pos ^ (u32)w->follow.depth << 4;
	u64 bit = 1ull << (n & 63);

	if (n >= UC_FOLLOW_BRANCHES)
		return 2;
	w->follow.branches++;
	if (n >= w->ways.replay) {
		u64 *word = &w->ways.seen[(hash >> 6) & (UC_FOLLOW_SEEN - 1)];

		if (*word & 1ull << (hash & 63))
			return 2;
		*word |= 1ull << (hash & 63);
		w->ways.tried &= ~bit;
		w->ways.taken &= ~bit;
		if (w->insn.imm >= 0)
			w->ways.taken |= bit;
	}
	return w->ways.taken & bit ? 1 : 0;
}

static inline int uc_follow_branch(struct uc_walk *w)
{
	u32 taken = 2;

	if (w->follow.tested)
		taken = uc_follow_condition(w->insn.op, w->follow.tested_value);
	if (taken == 2)
		taken = uc_follow_choose(w);
	if (taken == 2)
		return FOLLOW_LOST;
	return taken ? uc_follow_jump(w, w->cur.pos + (u64)w->insn.imm) : FOLLOW_BRANCH;
}

static inline int uc_follow_call(struct uc_walk *w)
{
	uc_way_scratch(w);
	memset(&w->row.kind[UC_R8], UC_RULE_UNDEFINED, 4);
	w->follow.calls = 1;
	return FOLLOW_CALL;
}

/* rt_sigreturn, exit and exit_group do not come back. */
static inline int uc_follow_syscall(struct uc_walk *w)
{
	s64 nr = w->follow.rax;

	if (nr == 15 || nr == 60 || nr == 231)
		return FOLLOW_LOST;
	uc_way_scratch(w); /* more than it need */
	return FOLLOW_ON;
}

/*
 * A jump by a table of distances from it, as compilers make for a switch:
 *	lea table(%rip),%b; movslq (%b,%i,4),%r; add %b,%r; jmp *%r
 * Any of its places will do: the first.
 */
static inline void uc_follow_table_load(struct uc_walk *w)
{
	u64 table;

	if (!w->insn.indexed || w->insn.disp || !uc_way_value(w, w->insn.base, &table))
		table = 0;
	uc_way_write(w, w->insn.reg);
	w->follow.table = table;
	w->follow.table_reg = w->insn.reg;
}

/* add %from,%to. 1: it was that of a jump by a table, or its result is known. */
static inline int uc_follow_add(struct uc_walk *w)
{
	u32 to = w->insn.op & 2 ? w->insn.reg : w->insn.rm;
	u32 from = w->insn.op & 2 ? w->insn.rm : w->insn.reg;
	u64 v, sum;

	if (w->insn.two || w->insn.mod != 3 || (w->insn.op & 0xfd) != 0x01 ||
	    !uc_way_value(w, from, &v))
		return 0;
	if (w->follow.table && w->follow.table == v && to == w->follow.table_reg)
		return 1;
	if (!uc_way_value(w, to, &sum))
		return 0;
	uc_way_write(w, to);
	uc_way_know(w, to, sum + v);
	return 1;
}

static inline int uc_follow_table_jump(struct uc_walk *w)
{
	u64 table = w->follow.table;
	u64 to;

	if (uc_port_read(w, w->scratch, 4, table)) {
		w->cur.error = uc_read_failed(w, table, 4);
		return FOLLOW_LOST;
	}
	memcpy(&to, w->scratch, 8);
	return uc_follow_jump(w, table + (u64)(s64)(s32)uc_word(w, to, 4));
}

/* jmp *slot(%rip) is a call in last place, or it leads to the goal from another
 * module. */
static inline int uc_follow_slot(struct uc_walk *w)
{
	u64 slot = w->cur.pos + (u64)w->insn.disp, to;

	if (!w->ways.goal)
		return FOLLOW_RETURN;
	if (uc_port_read(w, w->scratch, 8, slot)) {
		w->cur.error = uc_read_failed(w, slot, 8);
		return FOLLOW_LOST;
	}
	memcpy(&to, w->scratch, 8);
	to = uc_word(w, to, 8);
	if (uc_port_map(w, to) || !(w->found.flags & UC_MAP_EXEC))
		return FOLLOW_LOST;
	w->follow.lo = w->found.start;
	uc_cur_set(w, to, w->found.end);
	return FOLLOW_BRANCH;
}

static inline int uc_follow_group5(struct uc_walk *w)
{
	u64 to;

	switch (w->insn.digit) {
	case 0:
	case 1: /* inc, dec */
		if (w->insn.mod == 3)
			uc_way_write(w, w->insn.rm);
		else
			uc_way_store(w);
		return FOLLOW_ON;
	case 2:
		return uc_follow_call(w);
	case 4:
		if (w->insn.rip)
			return uc_follow_slot(w);
		if (w->insn.mod != 3)
			return FOLLOW_TAIL;
		if (w->follow.table && w->insn.rm == w->follow.table_reg)
			return uc_follow_table_jump(w);
		if (!uc_way_value(w, w->insn.rm, &to) || uc_follow_jump(w, to) == FOLLOW_LOST)
			return FOLLOW_TAIL;
		return FOLLOW_BRANCH;
	case 6:
		return uc_way_push(w, UC_INSN_NO_BASE);
	}
	return FOLLOW_LOST;
}

/* mov $imm,%reg; the register is in the opcode. */
static inline int uc_follow_mov_imm(struct uc_walk *w)
{
	u32 n = (w->insn.op & 7) | (w->insn.rex & 1) << 3, byte = w->insn.op < 0xb8;
	u32 reg = uc_insn_byte_reg(n, byte && !w->insn.rex);
	s64 rax = w->follow.rax;

	uc_way_write(w, reg);
	if (reg != UC_RAX || (byte && n))
		return FOLLOW_ON;
	if (!byte)
		w->follow.rax = w->insn.imm;
	else if (rax >= 0)
		w->follow.rax = (rax & ~0xffll) | (w->insn.imm & 0xff);
	return FOLLOW_ON;
}

static inline int uc_follow_one(struct uc_walk *w)
{
	u32 op = w->insn.op, reg = uc_insn_reg((op & 7) | (w->insn.rex & 1) << 3);

	if (op >= 0x50 && op <= 0x57)
		return uc_way_push(w, reg);
	if (op >= 0x58 && op <= 0x5f)
		return uc_way_pop(w, reg);
	if (op >= 0x70 && op <= 0x7f)
		return uc_follow_branch(w);
	if (op >= 0x90 && op <= 0x97) {
		if (reg == UC_RAX)
			return FOLLOW_NOP;
		uc_way_write(w, reg); /* xchg */
		uc_way_write(w, UC_RAX);
		return FOLLOW_ON;
	}
	if (op >= 0xb0 && op <= 0xbf)
		return uc_follow_mov_imm(w);
	switch (op) {
	case 0x63:
		uc_follow_table_load(w);
		return FOLLOW_ON;
	case 0x68:
	case 0x6a:
		return uc_way_push(w, UC_INSN_NO_BASE);
	case 0x80:
	case 0x81:
	case 0x83:
		uc_follow_group1(w);
		return FOLLOW_ON;
	case 0x85:
		return uc_follow_test(w);
	case 0x89:
		if (w->insn.mod == 3)
			uc_follow_move(w, w->insn.rm, w->insn.reg);
		else
			uc_way_store(w);
		return FOLLOW_ON;
	case 0x8b:
		if (w->insn.mod == 3)
			uc_follow_move(w, w->insn.reg, w->insn.rm);
		else
			uc_follow_load(w);
		return FOLLOW_ON;
	case 0x8d:
		uc_follow_lea(w);
		return FOLLOW_ON;
	case 0xc2:
	case 0xc3:
		return FOLLOW_RETURN;
	case 0xc9:
		return uc_follow_leave(w);
	case 0xe8: /* a call of what follows only asks where it is */
		return w->insn.imm ? uc_follow_call(w) : FOLLOW_LOST;
	case 0xe9:
	case 0xeb:
		return uc_follow_jump(w, w->cur.pos + (u64)w->insn.imm);
	case 0xf6:
	case 0xf7:
		if (w->insn.digit == 2 || w->insn.digit == 3) { /* not, neg */
			if (w->insn.mod == 3)
				uc_way_write(w, w->insn.rm);
			else
				uc_way_store(w);
		} else if (w->insn.digit > 3) { /* mul, div */
			uc_way_scratch(w);
		}
		return FOLLOW_ON;
	}
	return uc_follow_group5(w);
}

/* 0f xx */
static inline int uc_follow_two(struct uc_walk *w)
{
	u32 op = w->insn.op;

	if (op >= 0x80 && op <= 0x8f)
		return uc_follow_branch(w);
	if (op >= 0x18 && op <= 0x1f)
		return FOLLOW_NOP;
	if (op >= 0xc8) { /* bswap */
		uc_way_write(w, uc_insn_reg((op & 7) | (w->insn.rex & 1) << 3));
		return FOLLOW_ON;
	}
	if (op == 0x05)
		return uc_follow_syscall(w);
	/* bt, and its kin that write; movd: f3 makes it movq to a vector register */
	if (w->insn.mod == 3 && (op == 0xba ? w->insn.digit > 4 : w->insn.rep != 0xf3))
		uc_way_write(w, w->insn.rm);
	return FOLLOW_ON;
}

/* The number of a system call, as musl makes it: xor %eax,%eax or mov $n,%rax. */
static inline void uc_follow_constant(struct uc_walk *w)
{
	if (w->insn.two || w->insn.mod != 3 || w->insn.rm != UC_RAX)
		return;
	if (w->insn.op == 0xc7)
		w->follow.rax = w->insn.imm;
	else if ((w->insn.op & 0xfd) == 0x31 && w->insn.reg == UC_RAX)
		w->follow.rax = 0;
}

/* One instruction at the cursor. */
static inline int uc_follow_insn(struct uc_walk *w)
{
	u32 what;

	if (uc_insn_read(w))
		return FOLLOW_LOST;
	what = w->insn.what;
	if (!what)
		return FOLLOW_LOST;
	if (what & INSN_SCRATCH)
		uc_way_scratch(w);
	if (uc_follow_add(w))
		return FOLLOW_ON;
	if (what & INSN_OWN)
		return w->insn.two ? uc_follow_two(w) : uc_follow_one(w);
	if (what & INSN_REG)
		uc_way_write(w, w->insn.reg);
	if ((what & INSN_RM) && w->insn.mod == 3)
		uc_way_write(w, w->insn.rm);
	else if (what & INSN_RM)
		uc_way_store(w);
	uc_follow_constant(w);
	return FOLLOW_ON;
}

/* ---- ways ---- */

/* At the start, with nothing done yet. */
static inline void uc_way_begin(struct uc_walk *w)
{
	u64 target = w->follow.target;

	memset(&w->follow, 0, sizeof(w->follow));
	w->follow.target = target;
	uc_bare_clear(w);
	w->follow.called = !w->exact && !w->ways.goal;
	w->follow.calls = w->follow.called;
	w->follow.rax = -1;
	if ((w->regs.known & UC_BIT(UC_RAX)) && !w->ways.goal)
		w->follow.rax = (s64)w->regs.r[UC_RAX];
	w->follow.lo = w->ways.lo;
	uc_cur_set(w, w->ways.from, w->ways.hi);
}

/* A way led to nothing: the last branch that can goes the other way. */
UC_FN_LOCAL int uc_follow_back(UC_WALK)
{
	u32 i;

	w->ways.replay = w->follow.branches;
	UC_FOR(i, UC_FOLLOW_BRANCHES)
	{
		u64 bit = 1ull << ((w->ways.replay - 1) & 63);

		if (!w->ways.replay)
			return 0;
		if (!(w->ways.tried & bit)) {
			w->ways.tried |= bit;
			w->ways.taken ^= bit;
			uc_way_begin(w);
			return 1;
		}
		w->ways.replay--;
	}
	return 0;
}

/*
 * The way has come to a return: is what lies there a return address? Without a
 * call on the way there is no doubt where it would be.
 */
static inline int uc_follow_ends(struct uc_walk *w, int what)
{
	u64 slot = w->regs.r[UC_RSP] + (u64)w->follow.depth;

	if (w->follow.adrift || w->follow.pushed || w->follow.depth < 0 || w->ways.goal)
		return 0;
	if (w->follow.calls || what == FOLLOW_TAIL) {
		if ((slot & 15) != 8)
			return 0;
	} else if (!w->follow.branches) {
		w->ways.sure = 1;
	}
	return uc_bare_ra_at(w, slot);
}

/* Places are relative to the start, and so is w->cfa; make them so to the CFA. */
static inline void uc_follow_finish(struct uc_walk *w)
{
	u32 i;

	UC_FOR(i, 16)
	{
		s64 val = w->row.val[i & 15] - (s64)w->cfa;

		if (w->row.kind[i & 15] != UC_RULE_OFFSET)
			continue;
		w->row.val[i & 15] = (s32)val;
		if (val != (s32)val)
			w->row.kind[i & 15] = UC_RULE_UNDEFINED;
	}
	w->row.kind[UC_RSP] = UC_RULE_UNSET;
	w->row.kind[UC_RIP] = UC_RULE_OFFSET;
	w->row.val[UC_RIP] = -8;
}

/*
 * The pc is reached from the function's start, where the return address was at
 * the stack pointer. A register that the function uses is where it was pushed.
 */
UC_FN_LOCAL int uc_follow_arrives(UC_WALK)
{
	u32 i;

	if (w->follow.adrift && !w->follow.fp_set)
		return 0;
	UC_FOR(i, UC_FOLLOW_PUSHES)
	{
		u32 n = i & (UC_FOLLOW_PUSHES - 1), reg = w->follow.push_reg[n] & UC_REG_MASK;

		if (i >= w->follow.pushed)
			break;
		if (w->follow.push_kind[n] != UC_RULE_UNSET || w->row.kind[reg] != UC_RULE_UNDEFINED)
			continue;
		w->row.kind[reg] = UC_RULE_OFFSET;
		w->row.val[reg] = w->follow.push_depth[n];
	}
	w->cfa = 8;
	w->row.cfa_off = 8 - w->follow.depth;
	if (w->follow.fp_set) {
		w->row.cfa_reg = UC_RBP;
		w->row.cfa_off = 8 - w->follow.fp_depth;
	}
	return 1;
}

/* What the next instruction must know of this one. Padding behind a call says
 * that the call never returns. 0 if so. */
static inline int uc_follow_passed(struct uc_walk *w, int what)
{
	if (what == FOLLOW_NOP)
		return !w->follow.called || (w->cur.pos & 15);
	w->follow.called = what == FOLLOW_CALL;
	if (what != FOLLOW_BRANCH)
		w->follow.tested = 0;
	return 1;
}

/* One instruction further. 1: there; 0: go on; UC_FAULT, or another number: this
 * way leads to nothing. */
UC_FN_LOCAL int uc_follow_step(UC_WALK)
{
	int what, rc;

	if (w->ways.goal && w->cur.pos == w->ways.goal)
		return uc_follow_arrives(w) ? 1 : FOLLOW_LOST;
	what = uc_follow_insn(w);
	if (w->cur.error == UC_FAULT)
		return UC_FAULT;
	if (what == FOLLOW_LOST || w->follow.depth != (s32)w->follow.depth)
		return FOLLOW_LOST;
	if (what != FOLLOW_RETURN && what != FOLLOW_TAIL)
		return uc_follow_passed(w, what) ? 0 : FOLLOW_LOST;
	rc = uc_follow_ends(w, what);
	if (rc != 1)
		return rc ? rc : FOLLOW_LOST;
	w->row.cfa_off = w->follow.depth + 8;
	w->cfa = (u64)w->row.cfa_off;
	return 1;
}

/*
 * Follow the code at from, in the mapping w->found, to the code at to, or if that is
 * 0 to its return. 1 with the row of the current pc in w->row, 0 if it leads
 * nowhere, or UC_FAULT.
 */
UC_FN int uc_follow(UC_WALK, u64 from, u64 to)
{
	u32 i;

	memset(w->ways.seen, 0, sizeof(w->ways.seen));
	w->ways.replay = 0;
	w->ways.sure = 0;
	w->ways.from = from;
	w->ways.goal = to;
	w->ways.lo = w->found.start;
	w->ways.hi = w->found.end;
	w->cur.win_len = 0;
	uc_way_begin(w);
	UC_FOR(i, UC_FOLLOW_INSNS)
	{
		int rc = uc_follow_step(w);

		if (rc == UC_FAULT)
			return rc;
		if (rc == 1) {
			uc_follow_finish(w);
			return 1;
		}
		if (rc && !uc_follow_back(w))
			return 0;
	}
	return 0;
}
