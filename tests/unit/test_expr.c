/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Expressions: DWARF 5, 2.5.1 and 7.7.1; formats sheet 3.3. */
#include "core_image.h"

static struct image img;
static struct uc_walk w;

#define AT IMG_EH
#define DATA (IMG_STACK + 0x100) /* 0x100 bytes that count from 0 */

/* Register n holds 0x1000 + n; rsp is the place of the data. */
static void begin(void)
{
	u32 i;

	img_program(&img);
	memset(&w, 0, sizeof(w));
	uc_abi_set(&w, UC_ABI_X86_64);
	w.port.mem = &img.memory;
	w.mod.bias = IMG_PROG;
	w.sec.lo = IMG_HDR;
	w.sec.hi = IMG_END;
	w.mod.hdr = IMG_HDR;
	w.fde.start = IMG_TEXT;
	w.regs.known = UC_X86_64_REGS;
	for (i = 0; i < 16; i++)
		w.regs.r[i] = 0x1000 + i;
	w.regs.r[UC_RSP] = DATA;
	w.regs.pc = 0x1000 + UC_RIP;
	w.cfa = 0xcfa0;
	for (i = 0; i < 0x100; i++)
		img_write(&img, DATA + i, BYTES((u8)i));
}

/* Evaluate a block of these bytes, whose length stands before them. */
static int eval(u32 push_cfa, const u8 *bytes, u32 len)
{
	u8 block[600] = { (u8)(len | 0x80), (u8)(len >> 7) };

	assert_true(len <= sizeof(block) - 2);
	if (w.port.mem != &img.memory)
		begin();
	memcpy(block + 2, bytes, len);
	img_write(&img, AT, block, len + 2);
	w.cur.win_len = 0;
	w.flaw = 0;
	w.nr_bad = 0;
	return uc_expr_run(&w, AT, push_cfa);
}

static void gives(u64 want, const u8 *bytes, u32 len)
{
	assert_int_equal(eval(0, bytes, len), 0);
	assert_int_equal(w.value, want);
}

static void expect_stop(int stop, u32 flaw, const u8 *bytes, u32 len)
{
	assert_int_equal(eval(0, bytes, len), stop);
	assert_int_equal(w.flaw, flaw);
}

#define VALUE(want, ...) gives(want, BYTES(__VA_ARGS__))
#define MALFORMED(flaw, ...)                                                              \
	expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_##flaw, BYTES(__VA_ARGS__))
#define UNSUPPORTED(flaw, ...)                                                            \
	expect_stop(UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_##flaw, BYTES(__VA_ARGS__))

/* Operands: consts takes a sign, so most are written const8s. */
#define C8(v) 0x0f, LE64(v)

/* a op b, with a pushed first */
static u64 binary(u8 op, u64 a, u64 b)
{
	assert_int_equal(eval(0, BYTES(C8(a), C8(b), op)), 0);
	return w.value;
}

#define MIN ((u64)1 << 63)

/* ---- values ---- */

static void test_expr__literals(void **state)
{
	u8 op;

	(void)state;
	for (op = 0x30; op <= 0x4f; op++)
		VALUE(op - 0x30, op);
}

static void test_expr__constants(void **state)
{
	(void)state;
	VALUE(0x8877665544332211ull, 0x03, LE64(0x8877665544332211ull)); /* addr */
	VALUE(0xfe, 0x08, 0xfe); /* const1u, 1s */
	VALUE((u64)-2, 0x09, 0xfe);
	VALUE(0xfffe, 0x0a, LE16(0xfffe)); /* const2u, 2s */
	VALUE((u64)-2, 0x0b, LE16(0xfffe));
	VALUE(0xfffffffe, 0x0c, LE32(0xfffffffe)); /* const4u, 4s */
	VALUE((u64)-2, 0x0d, LE32(0xfffffffe));
	VALUE((u64)-2, 0x0e, LE64(-2)); /* const8u, 8s */
	VALUE((u64)-2, 0x0f, LE64(-2));
	VALUE(0x7e, 0x10, 0x7e); /* constu, consts */
	VALUE((u64)-2, 0x11, 0x7e);
	VALUE(12857, 0x10, 0xb9, 0x64);
	VALUE((u64)-129, 0x11, 0xff, 0x7e);
}

static void test_expr__encoded_address(void **state)
{
	(void)state;
	/* the operand is at AT + 4: two bytes of length, operator, encoding */
	VALUE(AT + 4 + 0x10, 0xf1, 0x1b, LE32(0x10));
	VALUE(0x12345678, 0xf1, 0x03, LE32(0x12345678));
	UNSUPPORTED(POINTER_ENCODING, 0xf1, 0x20, LE64(1));
}

static void test_expr__registers(void **state)
{
	u8 reg;

	(void)state;
	for (reg = 0; reg <= UC_RIP; reg++) {
		u64 v = reg == UC_RSP ? DATA : 0x1000ull + reg;

		VALUE(v, 0x50 + reg); /* libgcc: reg pushes the value */
		VALUE(v - 8, 0x70 + reg, 0x78); /* breg */
		VALUE(v, 0x90, reg); /* regx */
		VALUE(v + 129, 0x92, reg, 0x81, 0x01); /* bregx */
	}
}

static void test_expr__registers_that_are_not_tracked(void **state)
{
	(void)state;
	UNSUPPORTED(REGISTER, 0x61); /* reg17 */
	UNSUPPORTED(REGISTER, 0x8f, 0); /* breg31 */
	UNSUPPORTED(REGISTER, 0x90, 0x80, 0x80, 0x80, 0x80, 0x10); /* 2^32 */
	UNSUPPORTED(REGISTER, 0x92, 17, 0);
}

static void test_expr__register_that_is_not_known(void **state)
{
	(void)state;
	begin();
	w.regs.known &= ~UC_BIT(10);
	expect_stop(UNCOIL_STOP_NO_REGISTER, UNCOIL_FLAW_OF_REGISTER | 10, BYTES(0x7a, 0));
	VALUE(0x100b, 0x7b, 0);
	begin();
}

/* ---- memory ---- */

static void test_expr__deref(void **state)
{
	(void)state;
	VALUE(0x0706050403020100ull, 0x77, 0, 0x06);
	VALUE(0x0908070605040302ull, 0x77, 2, 0x06);
	VALUE(0x10, 0x77, 0x10, 0x94, 1);
	VALUE(0xf1f0, 0x77, 0xf0, 0x01, 0x94, 2); /* no sign extension */
	VALUE(0xf3f2f1f0, 0x77, 0xf0, 0x01, 0x94, 4);
	VALUE(0xf7f6f5f4f3f2f1f0ull, 0x77, 0xf0, 0x01, 0x94, 8);
}

static void test_expr__deref_of_odd_sizes(void **state)
{
	static const u8 size[] = { 0, 3, 5, 6, 7, 9, 16, 0xff };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(size); i++)
		MALFORMED(EXPR_OPCODE, 0x77, 0, 0x94, size[i]);
}

static void test_expr__deref_across_pages(void **state)
{
	u64 at = IMG_STACK + 0x1000 - 3;

	(void)state;
	begin();
	img_u64(&img, at, 0x8877665544332211ull);
	VALUE(0x8877665544332211ull, C8(at), 0x06);
}

static void test_expr__deref_of_missing_memory(void **state)
{
	(void)state;
	begin();
	assert_int_equal(eval(0, BYTES(0x31, 0x06)), UC_FAULT);
	assert_int_equal(w.fault_addr, 1);
	assert_int_equal(uc_walk_page_is_bad(&w), 0);
	assert_int_equal(uc_expr_run(&w, AT, 0), UNCOIL_STOP_MEMORY_FAULT);
	assert_int_equal(w.stop_addr, 1);
	/* an address that wraps */
	assert_int_equal(eval(0, BYTES(0x09, 0xfc, 0x06)), UC_FAULT);
	assert_int_equal(uc_walk_page_is_bad(&w), 0);
	assert_int_equal(uc_expr_run(&w, AT, 0), UNCOIL_STOP_MEMORY_FAULT);
}

/* ---- the stack ---- */

static void test_expr__stack_operators(void **state)
{
	(void)state;
	VALUE(34, 0x41, 0x12, 0x22); /* lit17 dup plus */
	VALUE(17, 0x41, 0x3d, 0x13); /* lit17 lit13 drop */
	/* DWARF 5, D.1.2: with 17 on top, then 29, 1000 */
	VALUE(29, 0x0a, LE16(1000), 0x4d, 0x41, 0x14); /* over */
	VALUE(1000, 0x0a, LE16(1000), 0x4d, 0x41, 0x15, 2); /* pick 2 */
	VALUE(17, 0x0a, LE16(1000), 0x4d, 0x41, 0x15, 0); /* pick 0 is dup */
	VALUE(29, 0x0a, LE16(1000), 0x4d, 0x41, 0x16); /* swap */
	VALUE(29, 0x0a, LE16(1000), 0x4d, 0x41, 0x17); /* rot: 29 1000 17 */
	VALUE(1000, 0x0a, LE16(1000), 0x4d, 0x41, 0x17, 0x13);
	VALUE(17, 0x0a, LE16(1000), 0x4d, 0x41, 0x17, 0x13, 0x13);
	/* swap leaves what was on top below */
	VALUE(17, 0x0a, LE16(1000), 0x4d, 0x41, 0x16, 0x13);
}

static void test_expr__result_is_the_top(void **state)
{
	(void)state;
	VALUE(3, 0x31, 0x32, 0x33);
	VALUE(3, 0x33, 0x96); /* nop */
	VALUE(3, 0x33, 0x9f); /* stack_value */
}

static void test_expr__cfa_is_pushed_for_rules(void **state)
{
	(void)state;
	assert_int_equal(eval(1, BYTES(0x38, 0x1c)), 0); /* lit8 minus */
	assert_int_equal(w.value, 0xcfa0 - 8);
	assert_int_equal(eval(1, (const u8 *)"", 0), 0); /* nothing: the CFA itself */
	assert_int_equal(w.value, 0xcfa0);
}

static void test_expr__stack_underflow(void **state)
{
	static const u8 one[] = { 0x06, 0x12, 0x13, 0x19, 0x1f, 0x20 };
	static const u8 two[] = { 0x14, 0x16, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x21, 0x22, 0x24, 0x25,
				  0x26, 0x27, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x17 };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(one); i++)
		MALFORMED(EXPR_STACK, one[i]);
	for (i = 0; i < sizeof(two); i++) {
		MALFORMED(EXPR_STACK, two[i]);
		MALFORMED(EXPR_STACK, 0x31, two[i]);
	}
	MALFORMED(EXPR_STACK, 0x31, 0x32, 0x17); /* rot of two */
	MALFORMED(EXPR_STACK, 0x31, 0x15, 1); /* pick beyond the bottom */
	MALFORMED(EXPR_STACK, 0x31, 0x15, 0xff);
	MALFORMED(EXPR_STACK, 0x23, 1); /* plus_uconst */
	MALFORMED(EXPR_STACK, 0x94, 8); /* deref_size */
	MALFORMED(EXPR_STACK, 0x28, 0, 0); /* bra */
	/* no result */
	expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_EXPR_STACK, (const u8 *)"", 0);
	MALFORMED(EXPR_STACK, 0x31, 0x13);
}

static void test_expr__stack_is_bounded(void **state)
{
	u8 lits[UC_EXPR_STACK + 1];

	(void)state;
	memset(lits, 0x31, sizeof(lits));
	lits[UC_EXPR_STACK - 1] = 0x32;
	gives(2, lits, UC_EXPR_STACK);
	expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_EXPR_STACK, lits, UC_EXPR_STACK + 1);
	/* the deepest entry can be picked */
	lits[0] = 0x33;
	lits[UC_EXPR_STACK - 2] = 0x15;
	lits[UC_EXPR_STACK - 1] = UC_EXPR_STACK - 3;
	gives(3, lits, UC_EXPR_STACK);
}

/* ---- arithmetic ---- */

static void test_expr__unary(void **state)
{
	(void)state;
	VALUE(5, 0x09, 0xfb, 0x19); /* abs -5 */
	VALUE(5, 0x35, 0x19);
	VALUE((u64)-5, 0x35, 0x1f); /* neg */
	VALUE(5, 0x09, 0xfb, 0x1f);
	VALUE(0, 0x30, 0x1f);
	VALUE(~5ull, 0x35, 0x20); /* not */
	VALUE(0x1000 + 0x80, 0x50, 0x23, 0x80, 0x01); /* plus_uconst */
	VALUE(1, 0x09, 0xff, 0x23, 0x02); /* -1 + 2 wraps */
}

static void test_expr__logical(void **state)
{
	(void)state;
	assert_int_equal(binary(0x1a, 0xff00ff00, 0x0ff00ff0), 0x0f000f00);
	assert_int_equal(binary(0x21, 0xff00ff00, 0x0ff00ff0), 0xfff0fff0);
	assert_int_equal(binary(0x27, 0xff00ff00, 0x0ff00ff0), 0xf0f0f0f0);
}

static void test_expr__sums_and_products(void **state)
{
	(void)state;
	assert_int_equal(binary(0x22, 7, 5), 12);
	assert_int_equal(binary(0x22, ~0ull, 5), 4);
	assert_int_equal(binary(0x1c, 7, 5), 2); /* second minus top */
	assert_int_equal(binary(0x1c, 5, 7), (u64)-2);
	assert_int_equal(binary(0x1e, 7, 5), 35);
	assert_int_equal(binary(0x1e, (u64)-7, 5), (u64)-35);
	assert_int_equal(binary(0x1e, MIN, 2), 0);
}

static void test_expr__division_is_signed(void **state)
{
	(void)state;
	assert_int_equal(binary(0x1b, 35, 5), 7); /* second by top */
	assert_int_equal(binary(0x1b, 7, 2), 3);
	assert_int_equal(binary(0x1b, (u64)-7, 2), (u64)-3);
	assert_int_equal(binary(0x1b, 7, (u64)-2), (u64)-3);
	assert_int_equal(binary(0x1b, (u64)-7, (u64)-2), 3);
	assert_int_equal(binary(0x1b, MIN, (u64)-1), MIN); /* wraps, no trap */
	assert_int_equal(binary(0x1b, MIN, 1), MIN);
	assert_int_equal(binary(0x1b, 1, MIN), 0);
	assert_int_equal(binary(0x1b, MIN, MIN), 1);
}

static void test_expr__modulo_is_unsigned(void **state)
{
	(void)state;
	assert_int_equal(binary(0x1d, 35, 8), 3);
	/* 2^64 - 1 = 3 * 5 * 17 * 257 * ... */
	assert_int_equal(binary(0x1d, (u64)-1, 5), 0);
	assert_int_equal(binary(0x1d, (u64)-1, 7), 1);
	assert_int_equal(binary(0x1d, 7, (u64)-1), 7);
}

static void test_expr__division_by_zero(void **state)
{
	(void)state;
	MALFORMED(EXPR_DIVISION, 0x35, 0x30, 0x1b);
	MALFORMED(EXPR_DIVISION, 0x35, 0x30, 0x1d);
}

static void test_expr__shifts(void **state)
{
	(void)state;
	assert_int_equal(binary(0x24, 1, 4), 16);
	assert_int_equal(binary(0x24, 1, 63), MIN);
	assert_int_equal(binary(0x24, 3, 0), 3);
	assert_int_equal(binary(0x25, MIN, 63), 1); /* logical */
	assert_int_equal(binary(0x25, (u64)-16, 4), 0x0fffffffffffffffull);
	assert_int_equal(binary(0x26, (u64)-16, 2), (u64)-4); /* arithmetic */
	assert_int_equal(binary(0x26, 16, 2), 4);
	assert_int_equal(binary(0x26, MIN, 63), (u64)-1);
	assert_int_equal(binary(0x26, (u64)-16, 0), (u64)-16);
}

/* All bits go out; C has no such shift. */
static void test_expr__shifts_by_64_and_more(void **state)
{
	static const u64 by[] = { 64, 65, 128, 1ull << 32, ~0ull };
	u32 i;

	(void)state;
	for (i = 0; i < 5; i++) {
		assert_int_equal(binary(0x24, ~0ull, by[i]), 0);
		assert_int_equal(binary(0x25, ~0ull, by[i]), 0);
		assert_int_equal(binary(0x26, MIN, by[i]), ~0ull);
		assert_int_equal(binary(0x26, 5, by[i]), 0);
	}
}

static void test_expr__comparisons_are_signed(void **state)
{
	/* a, b, then eq ge gt le lt ne */
	static const struct {
		s64 a, b;
		u8 want[6];
	} row[] = {
		{ 1, 1, { 1, 1, 0, 1, 0, 0 } },
		{ -1, -1, { 1, 1, 0, 1, 0, 0 } },
		{ 2, 1, { 0, 1, 1, 0, 0, 1 } },
		{ 1, -1, { 0, 1, 1, 0, 0, 1 } },
		{ 1, 2, { 0, 0, 0, 1, 1, 1 } },
		{ -1, 1, { 0, 0, 0, 1, 1, 1 } },
		{ INT64_MIN, -1, { 0, 0, 0, 1, 1, 1 } },
		{ INT64_MIN, INT64_MAX, { 0, 0, 0, 1, 1, 1 } },
	};
	u32 i, op;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (op = 0; op < 6; op++)
			assert_int_equal(binary((u8)(0x29 + op), (u64)row[i].a, (u64)row[i].b),
					 row[i].want[op]);
}

/* ---- control ---- */

static void test_expr__skip(void **state)
{
	(void)state;
	VALUE(1, 0x31, 0x2f, LE16(1), 0x32); /* over lit2, to the end */
	VALUE(3, 0x31, 0x2f, LE16(1), 0x32, 0x33);
	VALUE(2, 0x31, 0x2f, LE16(0), 0x32);
	/* back: skip to lit4's skip over lit5 */
	VALUE(4, 0x2f, LE16(4), 0x34, 0x2f, LE16(4), 0x2f, LE16(-7), 0x35);
}

static void test_expr__bra(void **state)
{
	(void)state;
	VALUE(7, 0x37, 0x31, 0x28, LE16(1), 0x38); /* not 0: taken */
	VALUE(8, 0x37, 0x30, 0x28, LE16(1), 0x38); /* 0: not */
	VALUE(7, 0x37, 0x09, 0xff, 0x28, LE16(1), 0x38); /* -1: taken */
	/* sum of 1 to 4: sum, n; while n: sum += n, n-- */
	VALUE(10, 0x30, 0x34, /* 0 4 */
	      0x12, 0x17, 0x22, /* n sum: dup rot plus -> n sum+n */
	      0x16, 0x31, 0x1c, /* swap; lit1 minus -> sum n-1 */
	      0x12, 0x28, LE16(-10), /* dup; bra to the first dup */
	      0x13); /* drop n */
}

static void test_expr__jumps_stay_inside_the_block(void **state)
{
	(void)state;
	VALUE(1, 0x31, 0x2f, LE16(0)); /* to the end is inside */
	MALFORMED(EXPR_OPCODE, 0x31, 0x2f, LE16(1));
	MALFORMED(EXPR_OPCODE, 0x31, 0x2f, LE16(0x7fff));
	MALFORMED(EXPR_OPCODE, 0x31, 0x2f, LE16(-5)); /* to the block's length */
	MALFORMED(EXPR_OPCODE, 0x31, 0x2f, LE16(0x8000));
	MALFORMED(EXPR_OPCODE, 0x31, 0x31, 0x28, LE16(1));
	VALUE(1, 0x31, 0x30, 0x28, LE16(0x7fff)); /* not taken, not judged */
}

static void test_expr__loops_are_bounded(void **state)
{
	(void)state;
	MALFORMED(EXPR_STEPS, 0x31, 0x2f, LE16(-3)); /* to itself */
	MALFORMED(EXPR_STEPS, 0x31, 0x12, 0x28, LE16(-4)); /* dup; bra to the dup */
}

static void test_expr__longest_program(void **state)
{
	u8 nops[UC_EXPR_OPS + 1];

	(void)state;
	memset(nops, 0x96, sizeof(nops));
	nops[0] = 0x35;
	gives(5, nops, UC_EXPR_OPS - 1);
	expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_EXPR_STEPS, nops, UC_EXPR_OPS + 1);
}

/* ---- what is refused ---- */

/* Not of CFI: fbreg, piece, xderef, calls, call_frame_cfa, push_object_address,
 * implicit values, entry values, and numbers that nobody has given out. */
static void test_expr__unknown_operators(void **state)
{
	static const u8 op[] = { 0x00, 0x01, 0x02, 0x04, 0x05, 0x07, 0x18, 0x91, 0x93, 0x95,
				 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0xa0, 0xa3,
				 0xa9, 0xe0, 0xf0, 0xf2, 0xf3, 0xff };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(op); i++) {
		MALFORMED(EXPR_OPCODE, 0x31, 0x32, op[i], 0, 0, 0, 0);
		MALFORMED(EXPR_OPCODE, op[i], 0, 0, 0, 0); /* nothing to pop is no matter */
	}
}

static void test_expr__operand_beyond_the_block(void **state)
{
	static const u8 program[][4] = {
		{ 1, 0x03 }, { 1, 0x08 },	{ 2, 0x0a, 0 }, { 3, 0x0c, 0, 0 },
		{ 1, 0x0f }, { 2, 0x10, 0x80 }, { 1, 0x11 },	{ 2, 0x31, 0x15 },
		{ 2, 0x31, 0x23 }, { 3, 0x31, 0x2f, 0 }, { 1, 0x77 }, { 1, 0x90 },
		{ 2, 0x92, 7 }, { 2, 0x77, 0x80 }, { 1, 0xf1 }, { 2, 0xf1, 0x1b },
	};
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(program) / sizeof(program[0]); i++) {
		begin();
		expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED, program[i] + 1,
			    program[i][0]);
		assert_true(img.read_end <= IMG_END);
	}
}

static void test_expr__block_beyond_the_section(void **state)
{
	(void)state;
	begin();
	img_write(&img, IMG_END - 2, BYTES(2, 0x31));
	assert_int_equal(uc_expr_run(&w, IMG_END - 2, 0), UNCOIL_STOP_MALFORMED);
	assert_int_equal(w.flaw, UNCOIL_FLAW_TRUNCATED);
	img_write(&img, IMG_END - 2, BYTES(1, 0x31));
	w.cur.win_len = 0;
	assert_int_equal(uc_expr_run(&w, IMG_END - 2, 0), 0);
	assert_int_equal(w.value, 1);
	/* a length of 2^64 - 1 */
	img_write(&img, AT, BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0x31));
	w.cur.win_len = 0;
	assert_int_equal(uc_expr_run(&w, AT, 0), UNCOIL_STOP_MALFORMED);
	assert_int_equal(w.flaw, UNCOIL_FLAW_TRUNCATED);
}

/* ---- what really occurs (formats sheet 3.5) ---- */

/* rsp + 8 + ((rip & 15) >= n) * 8 at each byte of an entry. */
static void plt(u8 lit, u32 n)
{
	u32 off;

	begin();
	for (off = 0; off < 16; off++) {
		w.regs.pc = 0x401230 + off;
		VALUE(DATA + 8 + (off >= n ? 8 : 0), 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, lit, 0x2a,
		      0x33, 0x24, 0x22);
	}
	begin();
}

static void test_expr__plt_of_ld(void **state)
{
	(void)state;
	plt(0x3b, 11);
}

static void test_expr__plt_of_ld_with_ibt(void **state)
{
	(void)state;
	plt(0x39, 9);
}

static void test_expr__plt_of_ld_with_bnd(void **state)
{
	(void)state;
	plt(0x35, 5);
	plt(0x3a, 10);
}

static void test_expr__realigned_frame(void **state)
{
	(void)state;
	begin();
	w.regs.r[UC_RBP] = DATA + 0x20;
	/* CFA = *(rbp - 8) */
	VALUE(0x1f1e1d1c1b1a1918ull, 0x76, 0x78, 0x06);
	begin();
}

static void test_expr__openssl(void **state)
{
	(void)state;
	begin();
	/* breg7 56; deref; plus_uconst 8 */
	VALUE(0x3f3e3d3c3b3a3938ull + 8, 0x77, 0x38, 0x06, 0x23, 0x08);
	/* breg7 8; breg9 0; lit8; mul; plus; deref; plus_uconst 8 */
	w.regs.r[9] = 3;
	VALUE(0x2726252423222120ull + 8, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8);
	begin();
}

static void test_expr__signal_frame_of_glibc(void **state)
{
	(void)state;
	begin();
	/* CFA: breg7 160; deref */
	VALUE(0xa7a6a5a4a3a2a1a0ull, 0x77, 0xa0, 0x01, 0x06);
	/* rip's place: breg7 168, the CFA lying below */
	assert_int_equal(eval(1, BYTES(0x77, 0xa8, 0x01)), 0);
	assert_int_equal(w.value, DATA + 168);
}

static void test_expr__link_address_hangs_on_the_process(void **state)
{
	(void)state;
	begin();
	VALUE(5, 0x35);
	assert_int_equal(w.impure, 0);
	VALUE(5, 0x03, LE64(5));
	assert_int_equal(w.impure, 1);
	begin();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expr__literals),
		cmocka_unit_test(test_expr__constants),
		cmocka_unit_test(test_expr__encoded_address),
		cmocka_unit_test(test_expr__registers),
		cmocka_unit_test(test_expr__registers_that_are_not_tracked),
		cmocka_unit_test(test_expr__register_that_is_not_known),
		cmocka_unit_test(test_expr__deref),
		cmocka_unit_test(test_expr__deref_of_odd_sizes),
		cmocka_unit_test(test_expr__deref_across_pages),
		cmocka_unit_test(test_expr__deref_of_missing_memory),
		cmocka_unit_test(test_expr__stack_operators),
		cmocka_unit_test(test_expr__result_is_the_top),
		cmocka_unit_test(test_expr__cfa_is_pushed_for_rules),
		cmocka_unit_test(test_expr__stack_underflow),
		cmocka_unit_test(test_expr__stack_is_bounded),
		cmocka_unit_test(test_expr__unary),
		cmocka_unit_test(test_expr__logical),
		cmocka_unit_test(test_expr__sums_and_products),
		cmocka_unit_test(test_expr__division_is_signed),
		cmocka_unit_test(test_expr__modulo_is_unsigned),
		cmocka_unit_test(test_expr__division_by_zero),
		cmocka_unit_test(test_expr__shifts),
		cmocka_unit_test(test_expr__shifts_by_64_and_more),
		cmocka_unit_test(test_expr__comparisons_are_signed),
		cmocka_unit_test(test_expr__skip),
		cmocka_unit_test(test_expr__bra),
		cmocka_unit_test(test_expr__jumps_stay_inside_the_block),
		cmocka_unit_test(test_expr__loops_are_bounded),
		cmocka_unit_test(test_expr__longest_program),
		cmocka_unit_test(test_expr__unknown_operators),
		cmocka_unit_test(test_expr__operand_beyond_the_block),
		cmocka_unit_test(test_expr__block_beyond_the_section),
		cmocka_unit_test(test_expr__plt_of_ld),
		cmocka_unit_test(test_expr__plt_of_ld_with_ibt),
		cmocka_unit_test(test_expr__plt_of_ld_with_bnd),
		cmocka_unit_test(test_expr__realigned_frame),
		cmocka_unit_test(test_expr__openssl),
		cmocka_unit_test(test_expr__signal_frame_of_glibc),
		cmocka_unit_test(test_expr__link_address_hangs_on_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
