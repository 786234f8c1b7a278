/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_exprtext.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "uc_dwarf.h"
#include "uc_regnames.h"

#define TERMS 8 /* of a formula's stack */
#define TERM_SIZE 80 /* longer formulas are not read by anybody */

/* Operators by their operand; in formulas, the sign between two terms. */
enum operand { NONE, U8, S8, U16, S16, U32, S32, U64, S64, ULEB, SLEB, ADDR, REGISTER, BAD };

static const struct {
	u8 op, operand; /* enum operand */
	const char *name, *sign;
} table[] = {
	{ UC_OP_ADDR, ADDR, "addr", NULL },
	{ UC_OP_DEREF, NONE, "deref", NULL },
	{ UC_OP_CONST1U, U8, "const1u", NULL },
	{ UC_OP_CONST1S, S8, "const1s", NULL },
	{ UC_OP_CONST2U, U16, "const2u", NULL },
	{ UC_OP_CONST2S, S16, "const2s", NULL },
	{ UC_OP_CONST4U, U32, "const4u", NULL },
	{ UC_OP_CONST4S, S32, "const4s", NULL },
	{ UC_OP_CONST8U, U64, "const8u", NULL },
	{ UC_OP_CONST8S, S64, "const8s", NULL },
	{ UC_OP_CONSTU, ULEB, "constu", NULL },
	{ UC_OP_CONSTS, SLEB, "consts", NULL },
	{ UC_OP_DUP, NONE, "dup", NULL },
	{ UC_OP_DROP, NONE, "drop", NULL },
	{ UC_OP_OVER, NONE, "over", NULL },
	{ UC_OP_PICK, U8, "pick", NULL },
	{ UC_OP_SWAP, NONE, "swap", NULL },
	{ UC_OP_ROT, NONE, "rot", NULL },
	{ UC_OP_ABS, NONE, "abs", NULL },
	{ UC_OP_AND, NONE, "and", "&" },
	{ UC_OP_DIV, NONE, "div", "/" },
	{ UC_OP_MINUS, NONE, "minus", "-" },
	{ UC_OP_MOD, NONE, "mod", "%" },
	{ UC_OP_MUL, NONE, "mul", "*" },
	{ UC_OP_NEG, NONE, "neg", NULL },
	{ UC_OP_NOT, NONE, "not", NULL },
	{ UC_OP_OR, NONE, "or", "|" },
	{ UC_OP_PLUS, NONE, "plus", "+" },
	{ UC_OP_PLUS_UCONST, ULEB, "plus_uconst", NULL },
	{ UC_OP_SHL, NONE, "shl", "<<" },
	{ UC_OP_SHR, NONE, "shr", ">>" },
	{ UC_OP_SHRA, NONE, "shra", NULL },
	{ UC_OP_XOR, NONE, "xor", "^" },
	{ UC_OP_BRA, S16, "bra", NULL },
	{ UC_OP_EQ, NONE, "eq", "==" },
	{ UC_OP_GE, NONE, "ge", ">=" },
	{ UC_OP_GT, NONE, "gt", ">" },
	{ UC_OP_LE, NONE, "le", "<=" },
	{ UC_OP_LT, NONE, "lt", "<" },
	{ UC_OP_NE, NONE, "ne", "!=" },
	{ UC_OP_SKIP, S16, "skip", NULL },
	{ UC_OP_REGX, ULEB, "regx", NULL },
	{ UC_OP_BREGX, REGISTER, "bregx", NULL },
	{ UC_OP_DEREF_SIZE, U8, "deref_size", NULL },
	{ UC_OP_NOP, NONE, "nop", NULL },
	{ UC_OP_STACK_VALUE, NONE, "stack_value", NULL },
};

/* The operators, read one by one. */
struct reader {
	const u8 *p, *end;
	u32 addr_size;
	bool is_big;
	bool is_bad;
};

struct op {
	u8 code;
	enum operand operand;
	const char *name, *sign;
	u32 reg; /* of regN, bregN, and the x forms */
	s64 value; /* operand, or offset from a register */
};

struct term {
	char text[TERM_SIZE];
	bool is_atom; /* needs no parentheses */
	bool is_sum; /* ... nor before a plus or minus */
};

struct formula {
	enum uc_abi_id abi;
	struct term term[TERMS];
	u32 nr;
	bool is_bad; /* it has no formula, or none that is short */
};

/* ---- reading ---- */

static u64 read_uint(struct reader *r, u32 bytes)
{
	u64 v = 0;
	u32 i;

	if ((size_t)(r->end - r->p) < bytes) {
		r->is_bad = true;
		return 0;
	}
	for (i = 0; i < bytes; i++)
		v |= (u64)r->p[r->is_big ? bytes - 1 - i : i] << (8 * i);
	r->p += bytes;
	return v;
}

static u64 read_leb(struct reader *r, bool is_signed)
{
	u64 v = 0;
	u32 shift = 0;
	u8 byte;

	do {
		byte = (u8)read_uint(r, 1);
		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !r->is_bad);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= ~0ull << shift;
	return v;
}

static s64 read_operand(struct reader *r, struct op *op)
{
	switch (op->operand) {
	case U8:
		return (s64)read_uint(r, 1);
	case S8:
		return (s8)read_uint(r, 1);
	case U16:
		return (s64)read_uint(r, 2);
	case S16:
		return (s16)read_uint(r, 2);
	case U32:
		return (s64)read_uint(r, 4);
	case S32:
		return (s32)read_uint(r, 4);
	case U64:
	case S64:
		return (s64)read_uint(r, 8);
	case ULEB:
		return (s64)read_leb(r, false);
	case SLEB:
		return (s64)read_leb(r, true);
	case ADDR:
		return (s64)read_uint(r, r->addr_size);
	case REGISTER:
		op->reg = (u32)read_leb(r, false);
		return (s64)read_leb(r, true);
	case NONE:
	case BAD:
		break;
	}
	return 0;
}

static void read_op(struct reader *r, struct op *op)
{
	size_t i;

	*op = (struct op){ .code = (u8)read_uint(r, 1), .operand = BAD };
	if (op->code >= UC_OP_LIT0 && op->code <= UC_OP_LIT31) {
		op->operand = NONE;
		op->value = op->code - UC_OP_LIT0;
	} else if (op->code >= UC_OP_REG0 && op->code <= UC_OP_REG31) {
		op->operand = NONE;
		op->reg = op->code - UC_OP_REG0;
	} else if (op->code >= UC_OP_BREG0 && op->code <= UC_OP_BREG31) {
		op->operand = SLEB;
		op->reg = op->code - UC_OP_BREG0;
	}
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].op != op->code)
			continue;
		op->operand = (enum operand)table[i].operand;
		op->name = table[i].name;
		op->sign = table[i].sign;
	}
	if (op->operand != NONE && op->operand != BAD)
		op->value = read_operand(r, op);
	if (op->code == UC_OP_REGX)
		op->reg = (u32)op->value;
	r->is_bad |= op->operand == BAD;
}

/* ---- formulas ---- */

static struct term *push(struct formula *f, bool is_atom, bool is_sum)
{
	if (f->nr >= TERMS) {
		f->is_bad = true;
		f->nr = 0;
	}
	f->term[f->nr].is_atom = is_atom;
	f->term[f->nr].is_sum = is_sum;
	return &f->term[f->nr++];
}

static struct term pop(struct formula *f)
{
	if (!f->nr) {
		f->is_bad = true;
		return (struct term){ .text = "" };
	}
	return f->term[--f->nr];
}

static void set(struct formula *f, struct term *t, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void set(struct formula *f, struct term *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(t->text, sizeof(t->text), fmt, ap) >= (int)sizeof(t->text))
		f->is_bad = true;
	va_end(ap);
}

static void push_register(struct formula *f, u32 reg, s64 offset)
{
	const char *name = uc_reg_name(f->abi, reg);
	struct term *t = push(f, !offset, true);
	char number[16];

	snprintf(number, sizeof(number), "r%" PRIu32, reg);
	if (offset)
		set(f, t, "%s%+" PRId64, name ? name : number, offset);
	else
		set(f, t, "%s", name ? name : number);
}

static void push_number(struct formula *f, s64 value)
{
	set(f, push(f, value >= 0, true), "%" PRId64, value);
}

/* "a+8": a negative constant brings its own sign. */
static void push_binary(struct formula *f, const char *sign)
{
	struct term b = pop(f), a = pop(f), *t;
	bool is_sum = !strcmp(sign, "+") || !strcmp(sign, "-");
	bool bare_a = a.is_atom || (is_sum && a.is_sum);
	bool bare_b = b.is_atom || (*sign == '+' && b.is_sum);

	t = push(f, false, is_sum);
	set(f, t, "%s%s%s%s%s%s%s", bare_a ? "" : "(", a.text, bare_a ? "" : ")",
	    *sign == '+' && b.text[0] == '-' ? "" : sign, bare_b ? "" : "(", b.text,
	    bare_b ? "" : ")");
}

static void push_unary(struct formula *f, const char *before)
{
	struct term a = pop(f);

	set(f, push(f, *before == '*', *before == '*'), "%s%s%s%s", before,
	    a.is_atom && *before != '*' ? "" : "(", a.text,
	    a.is_atom && *before != '*' ? "" : ")");
}

static void apply(struct formula *f, const struct op *op)
{
	if ((op->code >= UC_OP_BREG0 && op->code <= UC_OP_BREG31) || op->code == UC_OP_BREGX) {
		push_register(f, op->reg, op->value);
		return;
	}
	if ((op->code >= UC_OP_REG0 && op->code <= UC_OP_REG31) || op->code == UC_OP_REGX) {
		push_register(f, op->reg, 0);
		return;
	}
	if (op->sign) {
		push_binary(f, op->sign);
		return;
	}
	if ((op->code >= UC_OP_LIT0 && op->code <= UC_OP_LIT31) ||
	    (op->code >= UC_OP_CONST1U && op->code <= UC_OP_CONSTS)) {
		push_number(f, op->value);
		return;
	}
	switch (op->code) {
	case UC_OP_ADDR:
		set(f, push(f, true, true), "0x%" PRIx64, (u64)op->value);
		return;
	case UC_OP_PLUS_UCONST:
		push_number(f, op->value);
		push_binary(f, "+");
		return;
	case UC_OP_DEREF:
		push_unary(f, "*");
		return;
	case UC_OP_NEG:
		push_unary(f, "-");
		return;
	case UC_OP_NOT:
		push_unary(f, "~");
		return;
	case UC_OP_NOP:
		return;
	}
	f->is_bad = true;
}

static bool put_formula(struct reader r, enum uc_abi_id abi, bool push_cfa, char *buf, size_t size)
{
	struct formula f = { .abi = abi };
	struct op op;

	if (push_cfa)
		set(&f, push(&f, true, true), "cfa");
	while (r.p < r.end && !r.is_bad && !f.is_bad) {
		read_op(&r, &op);
		apply(&f, &op);
	}
	if (r.is_bad || f.is_bad || !f.nr)
		return false;
	return (size_t)snprintf(buf, size, "%s", f.term[f.nr - 1].text) < size;
}

/* ---- operators ---- */

static int format_op(const struct op *op, char *buf, size_t size)
{
	if (op->code >= UC_OP_LIT0 && op->code <= UC_OP_LIT31)
		return snprintf(buf, size, "lit%d", op->code - UC_OP_LIT0);
	if (op->code >= UC_OP_REG0 && op->code <= UC_OP_REG31)
		return snprintf(buf, size, "reg%d", op->code - UC_OP_REG0);
	if (op->code >= UC_OP_BREG0 && op->code <= UC_OP_BREG31)
		return snprintf(buf, size, "breg%d %" PRId64, op->code - UC_OP_BREG0, op->value);
	if (op->operand == BAD)
		return snprintf(buf, size, "0x%02x", op->code);
	if (op->operand == REGISTER)
		return snprintf(buf, size, "%s %" PRIu32 " %" PRId64, op->name, op->reg, op->value);
	if (op->operand == NONE)
		return snprintf(buf, size, "%s", op->name);
	return snprintf(buf, size, "%s %" PRId64, op->name, op->value);
}

static void put_ops(struct reader r, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "{");
	const char *before = "";
	char text[64];
	struct op op;

	while (r.p < r.end && n < size) {
		read_op(&r, &op);
		format_op(&op, text, sizeof(text));
		n += (size_t)snprintf(buf + n, size - n, "%s%s", before, text);
		before = "; ";
		if (r.is_bad && n < size) { /* where it goes on can not be known */
			n += (size_t)snprintf(buf + n, size - n, "...");
			break;
		}
	}
	if (n < size)
		snprintf(buf + n, size - n, "}");
}

void uc_expr_text(enum uc_abi_id abi, u32 addr_size, const u8 *ops, size_t len, bool push_cfa,
		  char *buf, size_t size)
{
	struct reader r = { .p = ops,
			    .end = ops + len,
			    .addr_size = addr_size,
			    .is_big = abi == UC_ABI_AARCH64_BE || abi == UC_ABI_S390X };

	if (!put_formula(r, abi, push_cfa, buf, size))
		put_ops(r, buf, size);
}
