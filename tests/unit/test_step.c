/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers + row -> the caller's registers: DWARF 5, 6.4.1 and 6.4.3; formats
 * sheet 3.2. And rows in their packed form. */
#include "core_image.h"

static struct image img;
static struct uc_walk w;

#define SP0 (IMG_STACK + 0x800)
#define RAX 0
#define RBX UC_RBX
#define RBP UC_RBP
#define RSP UC_RSP
#define R12 UC_R12
#define RIP UC_RIP

/* Each register has its own value; each stack word, too. */
static void begin(void)
{
	u64 at;
	u32 i;

	img_program(&img);
	img_walk_init(&img, &w);
	uc_walk_begin(&w);
	w.leaf = 0;
	w.sec.lo = IMG_HDR;
	w.sec.hi = IMG_END;
	for (i = 0; i < 16; i++)
		w.regs.r[i] = 0x1000 + i;
	w.regs.r[RSP] = SP0;
	w.regs.pc = IMG_TEXT + 5;
	for (at = IMG_STACK; at < IMG_STACK_END; at += 8)
		img_u64(&img, at, at ^ 0xff00);
	memset(&w.row, 0, sizeof(w.row));
	w.row.ra_reg = RIP;
	w.row.cfa_kind = UC_CFA_REG;
	w.row.cfa_reg = RSP;
	w.row.cfa_off = 32;
	w.row.kind[RIP] = UC_RULE_OFFSET;
	w.row.val[RIP] = -8;
}

static void rule(u32 reg, u32 kind, s32 val)
{
	w.row.kind[reg] = (u8)kind;
	w.row.val[reg] = val;
}

/* An expression's block in the section; its place as a rule has it. */
static s32 block(u32 at, const u8 *bytes, u32 len)
{
	img_write(&img, IMG_EH + at, BYTES((u8)len));
	img_write(&img, IMG_EH + at + 1, bytes, len);
	w.cur.win_len = 0;
	return (s32)(IMG_EH + at - IMG_HDR);
}

static void expect_next(u32 reg, u64 want)
{
	assert_true(reg == RIP || (w.next.known & UC_BIT(reg)));
	assert_int_equal(reg == RIP ? w.next.pc : w.next.r[reg], want);
}

static void expect_lost(u32 reg)
{
	assert_false(w.next.known & UC_BIT(reg));
}

static void expect_stop(int stop, u32 flaw)
{
	assert_int_equal(uc_row_apply(&w), stop);
	assert_int_equal(w.flaw, flaw);
}

/* The word that begin() left on the stack. */
static u64 word(u64 at)
{
	return at ^ 0xff00;
}

/* ---- one step ---- */

static void test_step__usual_frame(void **state)
{
	(void)state;
	begin();
	rule(RBP, UC_RULE_OFFSET, -16);
	assert_int_equal(uc_row_apply(&w), 0);
	assert_int_equal(w.cfa, SP0 + 32);
	expect_next(RIP, word(SP0 + 24));
	expect_next(RSP, SP0 + 32);
	expect_next(RBP, word(SP0 + 16));
	expect_next(RBX, 0x1003); /* preserved registers keep their value */
	expect_next(12, 0x100c);
	expect_next(13, 0x100d);
	expect_next(14, 0x100e);
	expect_next(15, 0x100f);
	expect_lost(RAX); /* others are lost */
	expect_lost(1);
	expect_lost(2);
	expect_lost(4);
	expect_lost(5);
	expect_lost(8);
	expect_lost(11);
	/* the current registers are untouched: the step may be done again */
	assert_int_equal(w.regs.pc, IMG_TEXT + 5);
	assert_int_equal(w.regs.r[RSP], SP0);
}

static void test_step__rule_kinds(void **state)
{
	(void)state;
	begin();
	rule(RAX, UC_RULE_SAME, 0);
	rule(RBX, UC_RULE_UNDEFINED, 0);
	rule(RBP, UC_RULE_VAL_OFFSET, -16);
	rule(R12, UC_RULE_REGISTER, 9);
	rule(13, UC_RULE_EXPR, block(0, BYTES(0x48, 0x1c))); /* at CFA - 24 */
	rule(14, UC_RULE_VAL_EXPR, block(8, BYTES(0x48, 0x1c)));
	rule(15, UC_RULE_OFFSET, 8); /* above the CFA, as longjmp has it */
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RAX, 0x1000);
	expect_lost(RBX);
	expect_next(RBP, SP0 + 32 - 16);
	expect_next(R12, 0x1009);
	expect_next(13, word(SP0 + 8));
	expect_next(14, SP0 + 8);
	expect_next(15, word(SP0 + 40));
}

static void test_step__cfa_by_an_expression(void **state)
{
	(void)state;
	begin();
	img_u64(&img, SP0 + 16, SP0 + 0x100);
	w.row.cfa_kind = UC_CFA_EXPR;
	w.row.cfa_expr = block(0, BYTES(0x77, 16, 0x06)); /* *(rsp + 16) */
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RSP, SP0 + 0x100);
	expect_next(RIP, word(SP0 + 0xf8));
}

static void test_step__cfa_by_any_register(void **state)
{
	u32 reg;

	(void)state;
	for (reg = 0; reg < 16; reg++) {
		begin();
		w.regs.r[reg] = SP0;
		w.row.cfa_reg = (u8)reg;
		assert_int_equal(uc_row_apply(&w), 0);
		expect_next(RSP, SP0 + 32);
	}
}

/* All rules read this frame's registers, none the caller's half made ones. */
static void test_step__rules_are_of_the_old_registers(void **state)
{
	(void)state;
	begin();
	rule(RBX, UC_RULE_REGISTER, R12);
	rule(R12, UC_RULE_REGISTER, RBX);
	rule(13, UC_RULE_VAL_EXPR, block(0, BYTES(0x77, 0))); /* rsp */
	rule(14, UC_RULE_VAL_EXPR, block(8, BYTES(0x80, 0))); /* rip */
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RBX, 0x100c);
	expect_next(R12, 0x1003);
	expect_next(13, SP0);
	expect_next(14, IMG_TEXT + 5);
}

static void test_step__stack_pointer_is_the_cfa_unless_it_has_a_rule(void **state)
{
	(void)state;
	begin();
	rule(RSP, UC_RULE_OFFSET, -16);
	img_u64(&img, SP0 + 16, SP0 + 0x300);
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RSP, SP0 + 0x300);
	begin();
	rule(RSP, UC_RULE_VAL_OFFSET, 24);
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RSP, SP0 + 56);
	begin();
	rule(RSP, UC_RULE_REGISTER, 8); /* longjmp */
	w.regs.r[8] = SP0 + 0x200;
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RSP, SP0 + 0x200);
}

static void test_step__return_address_in_a_register(void **state)
{
	(void)state;
	begin();
	w.leaf = 1; /* vfork: CFA = rsp + 0 */
	w.row.cfa_off = 0;
	rule(RIP, UC_RULE_REGISTER, 5);
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RIP, 0x1005);
	expect_next(RSP, SP0);
}

static void test_step__return_address_by_another_column(void **state)
{
	(void)state;
	begin();
	w.row.ra_reg = RBX;
	rule(RIP, UC_RULE_UNSET, 0);
	rule(RBX, UC_RULE_OFFSET, -24);
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RIP, word(SP0 + 8));
}

/* ---- the return address's rule ---- */

static void test_step__undefined_return_address_is_the_outermost(void **state)
{
	(void)state;
	begin();
	rule(RIP, UC_RULE_UNDEFINED, 0);
	expect_stop(UNCOIL_STOP_OUTERMOST, 0);
	/* whatever there is of a CFA */
	w.row.cfa_kind = UC_CFA_NONE;
	expect_stop(UNCOIL_STOP_OUTERMOST, 0);
	w.row.cfa_kind = UC_CFA_REG;
	w.regs.known = 0;
	expect_stop(UNCOIL_STOP_OUTERMOST, 0);
}

/* x86-64 has no register that could still hold it (formats sheet 3.2). */
static void test_step__return_address_without_a_rule_is_malformed(void **state)
{
	(void)state;
	begin();
	rule(RIP, UC_RULE_UNSET, 0);
	expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RA_RULE);
	rule(RIP, UC_RULE_SAME, 0);
	expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RA_RULE);
}

static void test_step__no_cfa_rule_is_malformed(void **state)
{
	(void)state;
	begin();
	w.row.cfa_kind = UC_CFA_NONE;
	expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_CFA_RULE);
}

/* ---- registers that are not known ---- */

static void test_step__unknown_register_matters_when_it_is_needed(void **state)
{
	(void)state;
	begin();
	w.regs.known = UC_BIT(RSP);
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RIP, word(SP0 + 24));
	expect_next(RSP, SP0 + 32);
	expect_lost(RBX);
	expect_lost(RBP);
	/* what the stack has is known from here on */
	rule(RBP, UC_RULE_OFFSET, -16);
	rule(RBX, UC_RULE_REGISTER, R12);
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RBP, word(SP0 + 16));
	expect_lost(RBX);
}

static void test_step__unknown_register_that_is_needed(void **state)
{
	(void)state;
	begin();
	w.regs.known &= ~UC_BIT(RBP);
	w.row.cfa_reg = RBP;
	expect_stop(UNCOIL_STOP_NO_REGISTER, UNCOIL_FLAW_OF_REGISTER | RBP);
	assert_int_equal(w.stop_addr, IMG_TEXT + 5);
	begin();
	w.regs.known &= ~UC_BIT(5);
	rule(RIP, UC_RULE_REGISTER, 5);
	expect_stop(UNCOIL_STOP_NO_REGISTER, UNCOIL_FLAW_OF_REGISTER | 5);
	begin();
	w.regs.known &= ~UC_BIT(10);
	w.row.cfa_kind = UC_CFA_EXPR;
	w.row.cfa_expr = block(0, BYTES(0x7a, 0));
	expect_stop(UNCOIL_STOP_NO_REGISTER, UNCOIL_FLAW_OF_REGISTER | 10);
	begin();
	rule(RIP, UC_RULE_ELSEWHERE, 17); /* xmm0 */
	expect_stop(UNCOIL_STOP_NO_REGISTER, UNCOIL_FLAW_OF_REGISTER | 17);
}

/* The walk does not need rbx to go on (design.md, decision 2). */
static void test_step__unknown_register_in_a_rule_that_is_not_needed(void **state)
{
	(void)state;
	begin();
	w.regs.known &= ~UC_BIT(10);
	rule(RBX, UC_RULE_EXPR, block(0, BYTES(0x7a, 0))); /* at r10 */
	rule(R12, UC_RULE_VAL_EXPR, block(8, BYTES(0x7a, 0)));
	assert_int_equal(uc_row_apply(&w), 0);
	expect_lost(RBX);
	expect_lost(R12);
	expect_next(RIP, word(SP0 + 24));
}

/* ---- memory that is not there ---- */

static void test_step__missing_stack_is_a_fault_then_a_stop(void **state)
{
	(void)state;
	begin();
	img_lose_page(&img, IMG_STACK);
	assert_int_equal(uc_row_apply(&w), UC_FAULT);
	assert_true(w.fault_addr <= SP0 + 24 && w.fault_addr + w.fault_len >= SP0 + 32);
	assert_int_equal(uc_walk_page_is_bad(&w), 0);
	expect_stop(UNCOIL_STOP_MEMORY_FAULT, 0);
}

static void test_step__saved_register_that_can_not_be_read_is_lost(void **state)
{
	(void)state;
	begin();
	rule(RBX, UC_RULE_OFFSET, -0x10000);
	rule(R12, UC_RULE_EXPR, block(0, BYTES(0x30))); /* at 0 */
	rule(13, UC_RULE_VAL_EXPR, block(8, BYTES(0x31, 0x06))); /* *1 */
	assert_int_equal(uc_row_apply(&w), UC_FAULT);
	assert_int_equal(uc_walk_page_is_bad(&w), 0);
	assert_int_equal(uc_row_apply(&w), UC_FAULT);
	assert_int_equal(uc_walk_page_is_bad(&w), 0);
	assert_int_equal(uc_row_apply(&w), 0);
	expect_lost(RBX);
	expect_lost(R12);
	expect_lost(13);
	expect_next(RIP, word(SP0 + 24));
	assert_int_equal(w.flaw, 0);
}

static void test_step__broken_expression_ends_the_walk(void **state)
{
	(void)state;
	begin();
	rule(RBX, UC_RULE_EXPR, block(0, BYTES(0x22))); /* plus of nothing */
	expect_stop(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_EXPR_STACK);
	rule(RBX, UC_RULE_VAL_EXPR, block(0, BYTES(0x97)));
	assert_int_equal(uc_row_apply(&w), UNCOIL_STOP_MALFORMED);
}

/* ---- progress ---- */

static void test_step__stack_pointer_must_rise(void **state)
{
	(void)state;
	begin();
	w.row.cfa_off = 8;
	assert_int_equal(uc_row_apply(&w), 0);
	w.row.cfa_off = 0; /* the same place */
	expect_stop(UNCOIL_STOP_NO_PROGRESS, 0);
	assert_int_equal(w.stop_addr, IMG_TEXT + 5);
	w.row.cfa_off = -16;
	expect_stop(UNCOIL_STOP_NO_PROGRESS, 0);
	/* the innermost frame may keep it, but not lower it */
	w.leaf = 1;
	w.row.cfa_off = 0;
	assert_int_equal(uc_row_apply(&w), 0);
	w.row.cfa_off = -8;
	expect_stop(UNCOIL_STOP_NO_PROGRESS, 0);
}

static void test_step__stack_switch_by_a_rule_or_a_signal_frame(void **state)
{
	(void)state;
	begin();
	rule(RSP, UC_RULE_VAL_OFFSET, -0x100);
	assert_int_equal(uc_row_apply(&w), 0);
	expect_next(RSP, SP0 - 0xe0);
	rule(RSP, UC_RULE_UNSET, 0);
	w.row.cfa_off = -0x100;
	expect_stop(UNCOIL_STOP_NO_PROGRESS, 0);
	w.row.signal = 1;
	assert_int_equal(uc_row_apply(&w), 0);
	/* each counts */
	w.switches = UC_SWITCHES_MAX;
	expect_stop(UNCOIL_STOP_NO_PROGRESS, 0);
	w.row.signal = 0;
	rule(RSP, UC_RULE_VAL_OFFSET, -0x100);
	expect_stop(UNCOIL_STOP_NO_PROGRESS, 0);
	/* one that rises is free */
	rule(RSP, UC_RULE_VAL_OFFSET, 0x108);
	assert_int_equal(uc_row_apply(&w), 0);
}

/* A frame that yields an exact pc again and keeps the stack pointer could be
 * its own caller: that is a switch like any other. */
static void test_step__signal_frame_that_keeps_the_stack_pointer_counts(void **state)
{
	(void)state;
	begin();
	w.leaf = 1;
	w.row.signal = 1;
	w.row.cfa_off = 0;
	assert_int_equal(uc_row_apply(&w), 0);
	w.switches = UC_SWITCHES_MAX;
	expect_stop(UNCOIL_STOP_NO_PROGRESS, 0);
}

/* A caller whose stack pointer is lost can not be seen to lie above: that is a
 * switch, too. What an earlier walk left behind the known mask decides nothing. */
static void test_step__lost_stack_pointer_counts(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		begin();
		rule(RSP, UC_RULE_UNDEFINED, 0);
		w.next.r[RSP] = i ? 0 : ~0ull;
		assert_int_equal(uc_row_apply(&w), 0);
		expect_lost(RSP);
		w.switches = UC_SWITCHES_MAX;
		expect_stop(UNCOIL_STOP_NO_PROGRESS, 0);
	}
}

/* ---- packed rows ---- */

static void test_step__packed_forms(void **state)
{
	(void)state;
	begin();
	rule(RBX, UC_RULE_OFFSET, -16);
	rule(RBP, UC_RULE_SAME, 0);
	rule(15, UC_RULE_OFFSET, -8 * 254);
	rule(14, UC_RULE_UNDEFINED, 0);
	rule(RAX, UC_RULE_UNDEFINED, 0);
	assert_int_equal(uc_row_pack(&w), 0);
	assert_int_equal(w.packed.cfa_off, 32);
	assert_int_equal(w.packed.cfa_reg, RSP);
	assert_int_equal(w.packed.save[0], 2);
	assert_int_equal(w.packed.save[1], 0);
	assert_int_equal(w.packed.save[5], 254);
	rule(RIP, UC_RULE_UNDEFINED, 0);
	assert_int_equal(uc_row_pack(&w), 0);
	assert_int_equal(uc_packed_apply(&w), UNCOIL_STOP_OUTERMOST);
}

static void test_step__rows_that_do_not_fit(void **state)
{
	static const struct {
		u32 reg, kind;
		s32 val;
	} odd[] = {
		{ RBX, UC_RULE_OFFSET, -8 * 255 }, { RBX, UC_RULE_OFFSET, -12 },
		{ RBX, UC_RULE_OFFSET, 0 },	{ RBX, UC_RULE_OFFSET, 8 },
		{ RBX, UC_RULE_OFFSET, -2048 }, { RBX, UC_RULE_VAL_OFFSET, -16 },
		{ RBX, UC_RULE_REGISTER, 9 },	{ RBX, UC_RULE_EXPR, 0 },
		{ RBX, UC_RULE_VAL_EXPR, 0 },	{ RSP, UC_RULE_OFFSET, -16 },
		{ RSP, UC_RULE_SAME, 0 },	{ RSP, UC_RULE_UNDEFINED, 0 },
		{ RAX, UC_RULE_OFFSET, -16 },	{ RAX, UC_RULE_SAME, 0 },
		{ RIP, UC_RULE_OFFSET, -16 },	{ RIP, UC_RULE_REGISTER, 5 },
		{ RIP, UC_RULE_UNSET, 0 },	{ RIP, UC_RULE_SAME, 0 },
	};
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		begin();
		rule(odd[i].reg, odd[i].kind, odd[i].val);
		assert_int_not_equal(uc_row_pack(&w), 0);
	}
	begin();
	w.row.signal = 1;
	assert_int_not_equal(uc_row_pack(&w), 0);
	begin();
	w.bare = 1;
	assert_int_not_equal(uc_row_pack(&w), 0);
	begin();
	w.row.cfa_kind = UC_CFA_EXPR;
	assert_int_not_equal(uc_row_pack(&w), 0);
	begin();
	w.row.cfa_off = 1ll << 31;
	assert_int_not_equal(uc_row_pack(&w), 0);
	begin();
	w.row.ra_reg = RBX;
	assert_int_not_equal(uc_row_pack(&w), 0);
}

static u32 seed;

static u32 some(u32 n)
{
	seed = seed * 1103515245 + 12345; /* C99, 7.20.2.2 */
	return (seed >> 8) % n;
}

/* Mostly what compilers write, and a little of all else. */
static void some_row(void)
{
	static const u8 often[] = { UC_RULE_UNSET, UC_RULE_OFFSET, UC_RULE_OFFSET, UC_RULE_SAME };
	u32 i;

	begin();
	w.leaf = some(2);
	w.row.cfa_reg = (u8)(some(3) ? RSP : some(16));
	w.row.cfa_off = some(8) ? 8 * (s32)some(40) : (s32)some(4096) - 2048;
	for (i = 0; i < 16; i++) {
		if (!(UC_X86_64_PRESERVED & UC_BIT(i)) && some(60))
			continue;
		rule(i, some(40) ? often[some(4)] : some(UC_RULE_REGISTER + 1), -8 * (s32)some(40));
		if (!some(100))
			w.row.val[i] = (s32)some(64);
		if (w.row.kind[i] < UC_RULE_OFFSET)
			w.row.val[i] = 0;
		if (w.row.kind[i] == UC_RULE_REGISTER)
			w.row.val[i] = (s32)some(16);
	}
	if (!some(20))
		rule(RIP, UC_RULE_UNDEFINED, 0);
	for (i = 0; i < 16; i++)
		if (!some(10))
			w.regs.known &= ~UC_BIT(i);
}

/* A register saved below the stack's pages: that page is bad. */
static int apply(int (*how)(struct uc_walk *), struct uc_regs *ret)
{
	int rc;

	w.nr_bad = 0;
	w.stack_len = 0;
	memset(&w.next, 0, sizeof(w.next));
	while ((rc = how(&w)) == UC_FAULT)
		if (uc_walk_page_is_bad(&w))
			return UNCOIL_STOP_MEMORY_FAULT;
	*ret = w.next;
	return rc;
}

static void test_step__packed_rows_give_what_rows_give(void **state)
{
	u32 i, reg, packed = 0, went_on = 0;

	(void)state;
	seed = 1;
	for (i = 0; i < 20000; i++) {
		struct uc_regs a, b;
		int rc;

		some_row();
		if (uc_row_pack(&w))
			continue;
		packed++;
		rc = apply(uc_row_apply, &a);
		assert_int_equal(apply(uc_packed_apply, &b), rc);
		if (rc)
			continue;
		went_on++;
		assert_int_equal(a.known, b.known);
		for (reg = 0; reg < 16; reg++)
			if (a.known & UC_BIT(reg))
				assert_int_equal(a.r[reg], b.r[reg]);
	}
	/* the rows made are worth something */
	assert_true(packed > 5000 && went_on > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step__usual_frame),
		cmocka_unit_test(test_step__rule_kinds),
		cmocka_unit_test(test_step__cfa_by_an_expression),
		cmocka_unit_test(test_step__cfa_by_any_register),
		cmocka_unit_test(test_step__rules_are_of_the_old_registers),
		cmocka_unit_test(test_step__stack_pointer_is_the_cfa_unless_it_has_a_rule),
		cmocka_unit_test(test_step__return_address_in_a_register),
		cmocka_unit_test(test_step__return_address_by_another_column),
		cmocka_unit_test(test_step__undefined_return_address_is_the_outermost),
		cmocka_unit_test(test_step__return_address_without_a_rule_is_malformed),
		cmocka_unit_test(test_step__no_cfa_rule_is_malformed),
		cmocka_unit_test(test_step__unknown_register_matters_when_it_is_needed),
		cmocka_unit_test(test_step__unknown_register_that_is_needed),
		cmocka_unit_test(test_step__unknown_register_in_a_rule_that_is_not_needed),
		cmocka_unit_test(test_step__missing_stack_is_a_fault_then_a_stop),
		cmocka_unit_test(test_step__saved_register_that_can_not_be_read_is_lost),
		cmocka_unit_test(test_step__broken_expression_ends_the_walk),
		cmocka_unit_test(test_step__stack_pointer_must_rise),
		cmocka_unit_test(test_step__stack_switch_by_a_rule_or_a_signal_frame),
		cmocka_unit_test(test_step__signal_frame_that_keeps_the_stack_pointer_counts),
		cmocka_unit_test(test_step__lost_stack_pointer_counts),
		cmocka_unit_test(test_step__packed_forms),
		cmocka_unit_test(test_step__rows_that_do_not_fit),
		cmocka_unit_test(test_step__packed_rows_give_what_rows_give),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
