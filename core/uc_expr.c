/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF expressions as call frame information uses them (DWARF 5, 2.5 and
 * 6.4.2): a stack machine over the registers of the current frame and user
 * memory. Stack depth and number of steps are bounded; every address is read
 * as hostile.
 */
#include "uc_core.h"
#include "uc_dwarf.h"

static inline int uc_expr_bad(struct uc_walk *w, u32 flaw)
{
	uc_cur_fail(w, UNCOIL_STOP_MALFORMED, flaw);
	return w->cur.error;
}

static inline void uc_expr_push(struct uc_walk *w, u64 v)
{
	if (w->expr.sp >= UC_EXPR_STACK) {
		uc_expr_bad(w, UNCOIL_FLAW_EXPR_STACK);
		return;
	}
	w->expr.st[w->expr.sp & (UC_EXPR_STACK - 1)] = v & uc_addr_mask(w);
	w->expr.sp++;
}

/* Values are as wide as the file's addresses; for operators that mind the
 * sign. */
static inline u64 uc_expr_signed(const struct uc_walk *w, u64 v)
{
	return w->mod.addr_size == 4 ? (u64)(s64)(s32)v : v;
}

static inline u64 uc_expr_pop(struct uc_walk *w)
{
	if (!w->expr.sp) {
		uc_expr_bad(w, UNCOIL_FLAW_EXPR_STACK);
		return 0;
	}
	w->expr.sp--;
	return w->expr.st[w->expr.sp & (UC_EXPR_STACK - 1)];
}

/* The value n below the top. */
static inline u64 uc_expr_peek(struct uc_walk *w, u32 n)
{
	if (n >= w->expr.sp) {
		uc_expr_bad(w, UNCOIL_FLAW_EXPR_STACK);
		return 0;
	}
	return w->expr.st[(w->expr.sp - 1 - n) & (UC_EXPR_STACK - 1)];
}

static inline u64 uc_expr_reg(struct uc_walk *w, u64 reg)
{
	if (reg == w->abi.pc)
		return w->regs.pc;
	if (reg >= w->abi.nr_regs) {
		uc_cur_fail(w, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
		return 0;
	}
	if (!(w->regs.known & UC_BIT(reg & UC_REG_MASK))) {
		if (!w->cur.error)
			w->cur.error = uc_no_register(w, (u32)reg);
		return 0;
	}
	return w->regs.r[reg & UC_REG_MASK];
}

UC_FN_LOCAL int uc_expr_deref(UC_WALK, u32 size)
{
	u64 addr = uc_expr_pop(w), v = 0;

	if (w->cur.error)
		return w->cur.error;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return uc_expr_bad(w, UNCOIL_FLAW_EXPR_OPCODE);
	memset(w->scratch, 0, 8);
	if (uc_port_read_window(w, w->scratch, size, addr, 8)) {
		w->cur.error = uc_read_failed(w, addr, size);
		return w->cur.error;
	}
	memcpy(&v, w->scratch, 8);
	if (uc_swap(w))
		v = __builtin_bswap64(v);
	if (uc_big_endian(w)) /* its bytes are the high ones */
		v >>= 64 - 8 * size;
	uc_expr_push(w, v);
	return w->cur.error;
}

/* Operators that push a constant from their operands. Returns 0 if none. */
static inline int uc_expr_const(struct uc_walk *w, u32 op)
{
	u64 v;

	switch (op) {
	case UC_OP_ADDR:
		/* An address of the link; what the loader left is taken as it is. */
		if (w->mod.bias || !w->mod.elf)
			w->impure = 1;
		v = uc_cur_uint(w, w->mod.addr_size);
		if (w->sec.debug)
			v += w->mod.bias;
		break;
	case UC_OP_CONST1U:
		v = uc_cur_uint(w, 1);
		break;
	case UC_OP_CONST1S:
		v = (u64)(s64)(s8)uc_cur_uint(w, 1);
		break;
	case UC_OP_CONST2U:
		v = uc_cur_uint(w, 2);
		break;
	case UC_OP_CONST2S:
		v = (u64)(s64)(s16)uc_cur_uint(w, 2);
		break;
	case UC_OP_CONST4U:
		v = uc_cur_uint(w, 4);
		break;
	case UC_OP_CONST4S:
		v = (u64)(s64)(s32)uc_cur_uint(w, 4);
		break;
	case UC_OP_CONST8U:
	case UC_OP_CONST8S:
		v = uc_cur_uint(w, 8);
		break;
	case UC_OP_CONSTU:
		v = uc_cur_uleb(w);
		break;
	case UC_OP_CONSTS:
		v = (u64)uc_cur_sleb(w);
		break;
	case UC_OP_GNU_ENCODED_ADDR: {
		u32 enc = uc_cur_u8(w);

		v = uc_cur_ptr(w, enc);
		break;
	}
	default:
		return 0;
	}
	uc_expr_push(w, v);
	return 1;
}

/* Operators that push a register, or a register and an offset. */
static inline int uc_expr_register(struct uc_walk *w, u32 op)
{
	u64 v;

	if (op >= UC_OP_REG0 && op <= UC_OP_REG31) {
		v = uc_expr_reg(w, op - UC_OP_REG0);
	} else if (op >= UC_OP_BREG0 && op <= UC_OP_BREG31) {
		v = uc_expr_reg(w, op - UC_OP_BREG0);
		v += (u64)uc_cur_sleb(w);
	} else if (op == UC_OP_REGX) {
		v = uc_expr_reg(w, uc_cur_uleb(w));
	} else if (op == UC_OP_BREGX) {
		v = uc_expr_reg(w, uc_cur_uleb(w));
		v += (u64)uc_cur_sleb(w);
	} else {
		return 0;
	}
	uc_expr_push(w, v);
	return 1;
}

/* Operators that rearrange the stack. */
static inline int uc_expr_shuffle(struct uc_walk *w, u32 op)
{
	u64 a, b, c;

	switch (op) {
	case UC_OP_DUP:
		uc_expr_push(w, uc_expr_peek(w, 0));
		return 1;
	case UC_OP_DROP:
		uc_expr_pop(w);
		return 1;
	case UC_OP_OVER:
		uc_expr_push(w, uc_expr_peek(w, 1));
		return 1;
	case UC_OP_PICK:
		a = uc_cur_u8(w);
		uc_expr_push(w, uc_expr_peek(w, (u32)a));
		return 1;
	case UC_OP_SWAP:
		a = uc_expr_pop(w);
		b = uc_expr_pop(w);
		uc_expr_push(w, a);
		uc_expr_push(w, b);
		return 1;
	case UC_OP_ROT: /* the top goes below the next two */
		a = uc_expr_pop(w);
		b = uc_expr_pop(w);
		c = uc_expr_pop(w);
		uc_expr_push(w, a);
		uc_expr_push(w, c);
		uc_expr_push(w, b);
		return 1;
	}
	return 0;
}

/* Operators on the top of the stack alone. */
static inline int uc_expr_unary(struct uc_walk *w, u32 op)
{
	u64 v;

	switch (op) {
	case UC_OP_ABS:
		v = uc_expr_signed(w, uc_expr_pop(w));
		v = (s64)v < 0 ? 0 - v : v;
		break;
	case UC_OP_NEG:
		v = 0 - uc_expr_pop(w);
		break;
	case UC_OP_NOT:
		v = ~uc_expr_pop(w);
		break;
	case UC_OP_PLUS_UCONST:
		v = uc_expr_pop(w);
		v += uc_cur_uleb(w);
		break;
	default:
		return 0;
	}
	uc_expr_push(w, v);
	return 1;
}

/* Signed division without the two cases that C leaves undefined; BPF's
 * oldest instruction set has no signed one at all. */
static inline u64 uc_div_signed(u64 a, u64 b)
{
	u64 ua = (s64)a < 0 ? 0 - a : a;
	u64 ub = (s64)b < 0 ? 0 - b : b;
	u64 q = ua / ub;

	return ((s64)a < 0) != ((s64)b < 0) ? 0 - q : q;
}

static inline u64 uc_shift_right_signed(u64 a, u64 b)
{
	u64 fill = (s64)a < 0 ? ~0ull : 0;

	if (b >= 64)
		return fill;
	return b ? (a >> b) | (fill << (64 - b)) : a;
}

static inline int uc_op_is_signed(u32 op)
{
	return op == UC_OP_DIV || op == UC_OP_SHRA || (op >= UC_OP_EQ && op <= UC_OP_NE);
}

/* Operators on the two topmost values; a is the second. */
UC_FN_LOCAL int uc_expr_binary(UC_WALK, u32 op)
{
	u64 b, a, v;

	if (op < UC_OP_AND || op > UC_OP_NE)
		return uc_expr_bad(w, UNCOIL_FLAW_EXPR_OPCODE);
	b = uc_expr_pop(w);
	a = uc_expr_pop(w);
	if ((op == UC_OP_DIV || op == UC_OP_MOD) && !b)
		return uc_expr_bad(w, UNCOIL_FLAW_EXPR_DIVISION);
	if (uc_op_is_signed(op)) {
		a = uc_expr_signed(w, a);
		b = uc_expr_signed(w, b);
	}
	switch (op) {
	case UC_OP_AND:
		v = a & b;
		break;
	case UC_OP_OR:
		v = a | b;
		break;
	case UC_OP_XOR:
		v = a ^ b;
		break;
	case UC_OP_PLUS:
		v = a + b;
		break;
	case UC_OP_MINUS:
		v = a - b;
		break;
	case UC_OP_MUL:
		v = a * b;
		break;
	case UC_OP_DIV:
		v = uc_div_signed(a, b);
		break;
	case UC_OP_MOD:
		v = a % b;
		break;
	case UC_OP_SHL:
		v = b < 64 ? a << b : 0;
		break;
	case UC_OP_SHR:
		v = b < 64 ? a >> b : 0;
		break;
	case UC_OP_SHRA:
		v = uc_shift_right_signed(a, b);
		break;
	case UC_OP_EQ:
		v = a == b;
		break;
	case UC_OP_NE:
		v = a != b;
		break;
	case UC_OP_GE:
		v = (s64)a >= (s64)b;
		break;
	case UC_OP_GT:
		v = (s64)a > (s64)b;
		break;
	case UC_OP_LE:
		v = (s64)a <= (s64)b;
		break;
	case UC_OP_LT:
		v = (s64)a < (s64)b;
		break;
	default:
		return uc_expr_bad(w, UNCOIL_FLAW_EXPR_OPCODE);
	}
	uc_expr_push(w, v);
	return w->cur.error;
}

/* bra and skip: a displacement from behind its operand, inside the block. */
static inline void uc_expr_jump(struct uc_walk *w, u32 op, u64 start)
{
	s64 by = (s16)uc_cur_uint(w, 2);
	u64 to = w->cur.pos + (u64)by;

	if (op == UC_OP_BRA && !uc_expr_pop(w))
		return;
	if (to < start || to > w->cur.end) {
		uc_expr_bad(w, UNCOIL_FLAW_EXPR_OPCODE);
		return;
	}
	w->cur.pos = to;
}

static inline int uc_expr_op(struct uc_walk *w, u32 op, u64 start)
{
	if (op >= UC_OP_LIT0 && op <= UC_OP_LIT31) {
		uc_expr_push(w, op - UC_OP_LIT0);
		return w->cur.error;
	}
	switch (op) {
	case UC_OP_DEREF:
		return uc_expr_deref(w, w->mod.addr_size);
	case UC_OP_DEREF_SIZE:
		return uc_expr_deref(w, uc_cur_u8(w));
	case UC_OP_BRA:
	case UC_OP_SKIP:
		uc_expr_jump(w, op, start);
		return w->cur.error;
	case UC_OP_NOP:
	case UC_OP_STACK_VALUE: /* the value is always on the stack here */
		return w->cur.error;
	}
	if (uc_expr_const(w, op) || uc_expr_register(w, op) || uc_expr_shuffle(w, op) ||
	    uc_expr_unary(w, op))
		return w->cur.error;
	return uc_expr_binary(w, op);
}

/*
 * Evaluate the block whose length field is at run-time address block; the
 * result goes to w->value.
 */
UC_FN int uc_expr_run(UC_WALK, u64 block, u32 push_cfa)
{
	u64 len, start;
	u32 i;

	uc_cur_set(w, block, w->sec.hi);
	len = uc_cur_uleb(w);
	if (w->cur.error)
		return w->cur.error;
	start = w->cur.pos;
	if (len > w->cur.end - start)
		return uc_malformed(w, UNCOIL_FLAW_TRUNCATED, block);
	w->cur.end = start + len;
	w->expr.sp = 0;
	if (push_cfa)
		uc_expr_push(w, w->cfa);
	UC_FOR(i, UC_EXPR_OPS)
	{
		if (w->cur.error)
			return w->cur.error;
		if (w->cur.pos >= w->cur.end) {
			w->value = uc_expr_pop(w);
			return w->cur.error;
		}
		if (uc_expr_op(w, uc_cur_u8(w), start))
			return w->cur.error;
	}
	return uc_malformed(w, UNCOIL_FLAW_EXPR_STEPS, block);
}
