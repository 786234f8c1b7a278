/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CFA programs: DWARF 5, 6.4.2 and 7.24; formats sheet, section 3. */
#include "core_image.h"

static struct image img;
static struct uc_walk w;

#define FN IMG_TEXT /* the function that the FDE is of */
#define AT_CIE IMG_EH
#define AT_FDE (IMG_EH + 0x400)

/* A CIE's instructions; factors 1 and -8, return address in 16. */
static void cie(const u8 *bytes, u32 len)
{
	img_program(&img);
	memset(&w, 0, sizeof(w));
	uc_abi_set(&w, UC_ABI_X86_64);
	w.port.mem = &img.memory;
	w.mod.bias = IMG_PROG;
	w.sec.lo = IMG_HDR;
	w.sec.hi = IMG_END;
	w.fde.start = FN;
	w.fde.range = 0x1000;
	w.fde.code_align = 1;
	w.fde.data_align = -8;
	w.fde.ra_reg = 16;
	w.fde.addr_enc = 0x1b;
	img_write(&img, AT_CIE, bytes, len);
	w.fde.cie_insn = AT_CIE;
	w.fde.cie_insn_end = AT_CIE + len;
}

/* Run an FDE's instructions for the byte @off of the function. */
static int run(u32 off, const u8 *bytes, u32 len)
{
	img_write(&img, AT_FDE, bytes, len);
	w.fde.insn = AT_FDE;
	w.fde.insn_end = AT_FDE + len;
	w.cur.win_len = 0;
	return uc_cfa_run(&w, FN + off);
}

/* ... with the usual CIE: def_cfa rsp + 8; rip at CFA - 8. */
static int usual(u32 off, const u8 *bytes, u32 len)
{
	cie(BYTES(0x0c, 7, 8, 0x90, 1));
	return run(off, bytes, len);
}

static void expect_cfa(u32 reg, s64 off)
{
	assert_int_equal(w.row.cfa_kind, UC_CFA_REG);
	assert_int_equal(w.row.cfa_reg, reg);
	assert_int_equal(w.row.cfa_off, off);
}

static void expect_rule(u32 reg, u32 kind, s32 val)
{
	assert_int_equal(w.row.kind[reg], kind);
	assert_int_equal(w.row.val[reg], val);
}

static void expect_stop(int rc, int stop, u32 flaw)
{
	assert_int_equal(rc, stop);
	assert_int_equal(w.flaw, flaw);
}

#define MALFORMED(flaw, ...)                                                               \
	expect_stop(usual(0x100, BYTES(__VA_ARGS__)), UNCOIL_STOP_MALFORMED,               \
		    UNCOIL_FLAW_##flaw)
#define UNSUPPORTED(flaw, ...)                                                             \
	expect_stop(usual(0x100, BYTES(__VA_ARGS__)), UNCOIL_STOP_UNSUPPORTED,             \
		    UNCOIL_FLAW_##flaw)
#define RUNS(off, ...) assert_int_equal(usual(off, BYTES(__VA_ARGS__)), 0)

/* ---- rows ---- */

static void test_cfa__cie_alone_gives_the_first_row(void **state)
{
	u32 i;

	(void)state;
	RUNS(0, 0);
	expect_cfa(7, 8);
	expect_rule(16, UC_RULE_OFFSET, -8);
	for (i = 0; i < 16; i++)
		expect_rule(i, UC_RULE_UNSET, 0);
	assert_int_equal(w.row.ra_reg, 16);
	assert_int_equal(w.row.signal, 0);
}

static void test_cfa__row_holds_from_its_location_on(void **state)
{
	(void)state;
	/* push %rbp at 0, one byte; rows at 0 and 1 */
	RUNS(0, 0x41, 0x0e, 16, 0x86, 2);
	expect_cfa(7, 8);
	expect_rule(6, UC_RULE_UNSET, 0);
	RUNS(1, 0x41, 0x0e, 16, 0x86, 2);
	expect_cfa(7, 16);
	expect_rule(6, UC_RULE_OFFSET, -16);
}

static void test_cfa__rows_after_the_address_are_not_run(void **state)
{
	(void)state;
	/* an unknown opcode in the row that starts at 5 */
	RUNS(4, 0x0e, 24, 0x45, 0x3f);
	expect_cfa(7, 24);
	expect_stop(usual(5, BYTES(0x0e, 24, 0x45, 0x3f)), UNCOIL_STOP_MALFORMED,
		    UNCOIL_FLAW_CFA_OPCODE);
	assert_int_equal(w.stop_addr, AT_FDE + 3);
}

static void test_cfa__advances(void **state)
{
	(void)state;
	RUNS(0x3e, 0x7f, 0x0e, 16); /* advance_loc 63 */
	expect_cfa(7, 8);
	RUNS(0x3f, 0x7f, 0x0e, 16);
	expect_cfa(7, 16);
	RUNS(0xfe, 0x02, 0xff, 0x0e, 16); /* advance_loc1 */
	expect_cfa(7, 8);
	RUNS(0xff, 0x02, 0xff, 0x0e, 16);
	expect_cfa(7, 16);
	RUNS(0x1233, 0x03, 0x34, 0x12, 0x0e, 16); /* advance_loc2 */
	expect_cfa(7, 8);
	RUNS(0x1234, 0x03, 0x34, 0x12, 0x0e, 16);
	expect_cfa(7, 16);
	RUNS(0x12345677, 0x04, 0x78, 0x56, 0x34, 0x12, 0x0e, 16); /* advance_loc4 */
	expect_cfa(7, 8);
	RUNS(0x12345678, 0x04, 0x78, 0x56, 0x34, 0x12, 0x0e, 16);
	expect_cfa(7, 16);
	RUNS(0xffffffff, 0x04, 0xff, 0xff, 0xff, 0xff, 0x0e, 16); /* unsigned */
	expect_cfa(7, 16);
}

static void test_cfa__advances_are_multiplied_by_the_code_alignment(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8));
	w.fde.code_align = 4;
	assert_int_equal(run(11, BYTES(0x43, 0x0e, 16, 0x02, 2, 0x0e, 24)), 0);
	expect_cfa(7, 8);
	assert_int_equal(run(12, BYTES(0x43, 0x0e, 16, 0x02, 2, 0x0e, 24)), 0);
	expect_cfa(7, 16);
	assert_int_equal(run(19, BYTES(0x43, 0x0e, 16, 0x02, 2, 0x0e, 24)), 0);
	expect_cfa(7, 16);
	assert_int_equal(run(20, BYTES(0x43, 0x0e, 16, 0x02, 2, 0x0e, 24)), 0);
	expect_cfa(7, 24);
}

static void test_cfa__set_loc_has_the_fdes_encoding(void **state)
{
	u32 to = (u32)(FN + 0x20 - (AT_FDE + 1)); /* pcrel to its own place */

	(void)state;
	RUNS(0x1f, 0x01, LE32(to), 0x0e, 16);
	expect_cfa(7, 8);
	RUNS(0x20, 0x01, LE32(to), 0x0e, 16);
	expect_cfa(7, 16);
	/* advances go on from there */
	RUNS(0x21, 0x01, LE32(to), 0x0e, 16, 0x42, 0x0e, 24);
	expect_cfa(7, 16);
	RUNS(0x22, 0x01, LE32(to), 0x0e, 16, 0x42, 0x0e, 24);
	expect_cfa(7, 24);
	cie(BYTES(0x0c, 7, 8));
	w.fde.addr_enc = UC_PE_ABSPTR;
	assert_int_equal(run(0x1f, BYTES(0x01, LE64(FN + 0x20), 0x0e, 16)), 0);
	expect_cfa(7, 8);
	assert_int_equal(run(0x20, BYTES(0x01, LE64(FN + 0x20), 0x0e, 16)), 0);
	expect_cfa(7, 16);
}

/* DWARF 5, 6.4.2.1: "The new location value is always greater than the current
 * one." Rows that go back would hold at places that have rows already. */
static void test_cfa__location_that_goes_back_is_malformed(void **state)
{
	u32 back = (u32)(FN + 0x08 - (AT_FDE + 2));

	(void)state;
	assert_int_equal(usual(0x18, BYTES(0x50, 0x01, LE32(back), 0x0e, 16)),
			 UNCOIL_STOP_MALFORMED);
	/* by wrapping: 16, and on by 2^32 - 8 times 2^32 */
	cie(BYTES(0x0c, 7, 8));
	w.fde.code_align = 1ull << 32;
	w.fde.start = 1ull << 63;
	img_write(&img, AT_FDE, BYTES(0x04, LE32(0xfffffff8), 0x0e, 16));
	w.fde.insn = AT_FDE;
	w.fde.insn_end = AT_FDE + 7;
	assert_int_equal(uc_cfa_run(&w, w.fde.start), UNCOIL_STOP_MALFORMED);
}

/* ---- the CFA ---- */

static void test_cfa__definitions(void **state)
{
	(void)state;
	RUNS(0, 0x0c, 6, 16); /* def_cfa: not factored */
	expect_cfa(6, 16);
	RUNS(0, 0x0c, 10, 0x80, 0x02);
	expect_cfa(10, 256);
	RUNS(0, 0x0d, 6); /* def_cfa_register keeps the offset */
	expect_cfa(6, 8);
	RUNS(0, 0x0e, 0xa0, 0x01); /* def_cfa_offset keeps the register */
	expect_cfa(7, 160);
	RUNS(0, 0x12, 3, 0x7e); /* def_cfa_sf: -2 * -8 */
	expect_cfa(3, 16);
	RUNS(0, 0x12, 3, 0x02); /* ... 2 * -8 */
	expect_cfa(3, -16);
	RUNS(0, 0x13, 0x7d); /* def_cfa_offset_sf: -3 * -8 */
	expect_cfa(7, 24);
}

static void test_cfa__factored_definitions_of_daf_4(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8));
	w.fde.data_align = -4;
	assert_int_equal(run(0, BYTES(0x12, 6, 0x7c, 0x86, 2)), 0); /* -4 * -4; 2 * -4 */
	expect_cfa(6, 16);
	expect_rule(6, UC_RULE_OFFSET, -8);
	assert_int_equal(run(0, BYTES(0x13, 0x7e, 0x0e, 0x10)), 0);
	expect_cfa(7, 16);
}

static void test_cfa__negative_offset_by_wrapping(void **state)
{
	(void)state;
	/* a producer's -8 as an unsigned LEB128 of 64 bits */
	RUNS(0, 0x0e, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
	expect_cfa(7, -8);
}

static void test_cfa__expression_is_kept_by_its_place(void **state)
{
	(void)state;
	/* length at AT_FDE + 1: lit0, deref */
	RUNS(0, 0x0f, 2, 0x30, 0x06, 0x83, 2);
	assert_int_equal(w.row.cfa_kind, UC_CFA_EXPR);
	expect_rule(3, UC_RULE_OFFSET, -16); /* what follows the block is read */
	assert_int_equal(w.row.cfa_expr, AT_FDE + 1 - IMG_HDR);
}

static void test_cfa__def_cfa_replaces_an_expression(void **state)
{
	(void)state;
	RUNS(0, 0x0f, 1, 0x30, 0x0c, 6, 16);
	expect_cfa(6, 16);
	RUNS(0, 0x0f, 1, 0x30, 0x12, 6, 0x7e);
	expect_cfa(6, 16);
}

/* The register form turns an expression back into register + old offset
 * (formats sheet 3.2, as libgcc has it). */
static void test_cfa__def_cfa_register_after_an_expression_keeps_the_old_offset(void **state)
{
	(void)state;
	RUNS(0, 0x0e, 32, 0x0f, 1, 0x30, 0x0d, 6);
	expect_cfa(6, 32);
}

static void test_cfa__def_cfa_offset_leaves_an_expression(void **state)
{
	(void)state;
	RUNS(0, 0x0f, 1, 0x30, 0x0e, 32);
	assert_int_equal(w.row.cfa_kind, UC_CFA_EXPR);
	RUNS(0, 0x0f, 1, 0x30, 0x13, 0x7e);
	assert_int_equal(w.row.cfa_kind, UC_CFA_EXPR);
}

static void test_cfa__no_definition_at_all(void **state)
{
	(void)state;
	cie(BYTES(0x90, 1));
	assert_int_equal(run(0, BYTES(0x0e, 16)), 0); /* an offset of no register */
	assert_int_equal(w.row.cfa_kind, UC_CFA_NONE);
}

/* ---- rules ---- */

static void test_cfa__offset_rules(void **state)
{
	(void)state;
	RUNS(0, 0x83, 2); /* offset rbx, 2 * -8 */
	expect_rule(3, UC_RULE_OFFSET, -16);
	RUNS(0, 0x05, 6, 0x81, 0x01); /* offset_extended: 129 * -8 */
	expect_rule(6, UC_RULE_OFFSET, -1032);
	RUNS(0, 0x11, 12, 0x7f); /* offset_extended_sf: -1 * -8 */
	expect_rule(12, UC_RULE_OFFSET, 8);
	RUNS(0, 0x11, 12, 0x03);
	expect_rule(12, UC_RULE_OFFSET, -24);
	RUNS(0, 0x2f, 13, 0x02); /* GNU_negative_offset_extended: -(2 * -8) */
	expect_rule(13, UC_RULE_OFFSET, 16);
	RUNS(0, 0x14, 7, 0x02); /* val_offset: 2 * -8 */
	expect_rule(7, UC_RULE_VAL_OFFSET, -16);
	RUNS(0, 0x15, 7, 0x7e); /* val_offset_sf: -2 * -8 */
	expect_rule(7, UC_RULE_VAL_OFFSET, 16);
}

static void test_cfa__other_rules(void **state)
{
	(void)state;
	RUNS(0, 0x07, 16); /* undefined */
	expect_rule(16, UC_RULE_UNDEFINED, 0);
	RUNS(0, 0x08, 6); /* same_value */
	expect_rule(6, UC_RULE_SAME, 0);
	RUNS(0, 0x09, 16, 8); /* register: rip in r8 */
	expect_rule(16, UC_RULE_REGISTER, 8);
	RUNS(0, 0x10, 3, 2, 0x76, 0x78, 0x8c, 3); /* expression; then offset r12 */
	expect_rule(3, UC_RULE_EXPR, AT_FDE + 2 - IMG_HDR);
	expect_rule(12, UC_RULE_OFFSET, -24);
	RUNS(0, 0x16, 3, 2, 0x76, 0x78, 0x8c, 3); /* val_expression */
	expect_rule(3, UC_RULE_VAL_EXPR, AT_FDE + 2 - IMG_HDR);
	expect_rule(12, UC_RULE_OFFSET, -24);
}

static void test_cfa__nop_and_args_size_change_nothing(void **state)
{
	(void)state;
	/* GNU_args_size 16 and, padded, 48 */
	RUNS(0, 0x00, 0x2e, 0x10, 0x00, 0x2e, 0xb0, 0x80, 0x00, 0x0e, 16);
	expect_cfa(7, 16);
	expect_rule(16, UC_RULE_OFFSET, -8);
}

static void test_cfa__padded_operands(void **state)
{
	(void)state;
	RUNS(0, 0x0e, 0xb0, 0x80, 0x80, 0x80, 0x00, 0x05, 0x83, 0x80, 0x00, 0x82, 0x80, 0x00);
	expect_cfa(7, 48);
	expect_rule(3, UC_RULE_OFFSET, -16);
}

static void test_cfa__registers_that_are_not_tracked(void **state)
{
	u32 i;

	(void)state;
	/* xmm0 (17), r63, xmm16 (67): read over */
	RUNS(0, 0x91, 4, 0xbf, 1, 0x05, 67, 2, 0x0a, 0x07, 33, 0x08, 49, 0x11, 17, 1, 0x14, 17, 1,
	     0x10, 17, 1, 0x30, 0xd1, 0x06, 0xff, 0xff, 0x03, 0x0b, 0x0e, 24);
	expect_cfa(7, 24);
	for (i = 0; i < 16; i++)
		expect_rule(i, UC_RULE_UNSET, 0);
	expect_rule(16, UC_RULE_OFFSET, -8);
}

/* A value kept in a register that is not tracked is not known; that of the
 * return address does not make the frame the outermost. */
static void test_cfa__return_address_in_an_untracked_register_is_not_the_outermost(void **state)
{
	(void)state;
	RUNS(0, 0x09, 16, 17); /* rip in xmm0 */
	assert_int_not_equal(w.row.kind[16], UC_RULE_UNDEFINED);
	w.regs.known = UC_X86_64_REGS;
	w.regs.r[7] = IMG_STACK;
	assert_int_equal(uc_row_apply(&w), UNCOIL_STOP_NO_REGISTER);
}

static void test_cfa__saved_in_an_untracked_register_is_not_known(void **state)
{
	(void)state;
	RUNS(0, 0x09, 3, 0x91, 0x01); /* rbx in r17 (145, APX) */
	w.regs.known = UC_X86_64_REGS;
	w.regs.r[7] = IMG_STACK;
	assert_int_equal(uc_row_apply(&w), 0);
	assert_int_equal(w.next.known & UC_BIT(3), 0);
	assert_int_equal(w.next.known & UC_BIT(6), UC_BIT(6));
}

static void test_cfa__signal_frame_is_marked(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8));
	w.fde.signal = 1;
	assert_int_equal(run(0, BYTES(0)), 0);
	assert_int_equal(w.row.signal, 1);
}

/* ---- restore ---- */

static void test_cfa__restore_gives_the_cies_rule(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8, 0x90, 1, 0x83, 2));
	assert_int_equal(run(0, BYTES(0x83, 5, 0xc3)), 0);
	expect_rule(3, UC_RULE_OFFSET, -16);
	assert_int_equal(run(0, BYTES(0x83, 5, 0x06, 3)), 0); /* restore_extended */
	expect_rule(3, UC_RULE_OFFSET, -16);
	/* of a register that the CIE says nothing of */
	assert_int_equal(run(0, BYTES(0x86, 5, 0xc6)), 0);
	expect_rule(6, UC_RULE_UNSET, 0);
}

/* In the CIE itself there is nothing yet to restore, least of all what an
 * earlier look-up left. */
static void test_cfa__restore_in_the_cie_gives_no_rule(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8, 0x90, 1, 0xc3, 0x06, 12));
	memset(&w.cfi.init, 0xa5, sizeof(w.cfi.init));
	assert_int_equal(run(0, BYTES(0)), 0);
	expect_rule(3, UC_RULE_UNSET, 0);
	expect_rule(12, UC_RULE_UNSET, 0);
}

static void test_cfa__restore_of_a_return_address_that_the_cie_calls_undefined(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8, 0x07, 16)); /* glibc's crt1.o */
	assert_int_equal(run(0, BYTES(0)), 0);
	expect_rule(16, UC_RULE_UNDEFINED, 0);
	assert_int_equal(run(0, BYTES(0x90, 1)), 0);
	expect_rule(16, UC_RULE_OFFSET, -8);
	assert_int_equal(run(0, BYTES(0x90, 1, 0xd0)), 0);
	expect_rule(16, UC_RULE_UNDEFINED, 0);
}

/* ---- remember and restore ---- */

static void test_cfa__restore_state_brings_back_rules_and_cfa(void **state)
{
	(void)state;
	RUNS(0, 0x0c, 6, 16, 0x86, 2, 0x0a, 0x0c, 7, 8, 0xc6, 0x83, 3, 0x0b);
	expect_cfa(6, 16);
	expect_rule(6, UC_RULE_OFFSET, -16);
	expect_rule(3, UC_RULE_UNSET, 0);
	/* and an expression */
	RUNS(0, 0x0f, 1, 0x30, 0x0a, 0x0c, 7, 8, 0x0b);
	assert_int_equal(w.row.cfa_kind, UC_CFA_EXPR);
	assert_int_equal(w.row.cfa_expr, AT_FDE + 1 - IMG_HDR);
}

static void test_cfa__restore_state_keeps_the_location(void **state)
{
	(void)state;
	/* remember at 0; row at 4; restore and row at 4 + 3 */
	RUNS(6, 0x0a, 0x44, 0x0e, 16, 0x0b, 0x43, 0x0e, 40);
	expect_cfa(7, 8);
	RUNS(7, 0x0a, 0x44, 0x0e, 16, 0x0b, 0x43, 0x0e, 40);
	expect_cfa(7, 40);
}

static void test_cfa__states_nest(void **state)
{
	(void)state;
	RUNS(0, 0x0e, 16, 0x0a, 0x0e, 24, 0x0a, 0x0e, 32, 0x0b);
	expect_cfa(7, 24);
	RUNS(0, 0x0e, 16, 0x0a, 0x0e, 24, 0x0a, 0x0e, 32, 0x0b, 0x0b);
	expect_cfa(7, 16);
	/* remembered once, restored twice over */
	RUNS(0, 0x0e, 16, 0x0a, 0x0e, 24, 0x0b, 0x0a, 0x0e, 32, 0x0b);
	expect_cfa(7, 16);
}

static void test_cfa__states_are_bounded(void **state)
{
	(void)state;
	/* eight fit */
	RUNS(0, 0x0a, 0x0e, 1, 0x0a, 0x0e, 2, 0x0a, 0x0e, 3, 0x0a, 0x0e, 4, 0x0a, 0x0e, 5, 0x0a,
	     0x0e, 6, 0x0a, 0x0e, 7, 0x0a, 0x0e, 9, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b);
	expect_cfa(7, 8);
	UNSUPPORTED(STATE_OVERFLOW, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a);
	MALFORMED(STATE_UNDERFLOW, 0x0b);
	MALFORMED(STATE_UNDERFLOW, 0x0a, 0x0b, 0x0b);
}

static void test_cfa__states_do_not_cross_from_the_cie(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8, 0x0a));
	expect_stop(run(0, BYTES(0x0b)), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_STATE_UNDERFLOW);
}

/* ---- what is refused ---- */

static void test_cfa__unknown_opcodes(void **state)
{
	u32 op;

	(void)state;
	for (op = 0; op < 0x40; op++) {
		u8 insn[4] = { (u8)op, 0, 0, 0 };

		/* what formats sheet 3.1 lists, less what is of other machines */
		if (op <= 0x16 || op == 0x2e || op == 0x2f)
			continue;
		expect_stop(usual(0x100, insn, sizeof(insn)), UNCOIL_STOP_MALFORMED,
			    UNCOIL_FLAW_CFA_OPCODE);
		assert_int_equal(w.stop_addr, AT_FDE);
	}
}

static void test_cfa__program_that_ends_inside_an_instruction(void **state)
{
	static const u8 program[][6] = {
		{ 1, 0x83 },	   { 1, 0x02 }, { 2, 0x03, 0 },	   { 4, 0x04, 0, 0, 0 },
		{ 4, 0x01, 0, 0 }, { 1, 0x05 }, { 2, 0x05, 3 },	   { 1, 0x06 },
		{ 1, 0x07 },	   { 1, 0x08 }, { 2, 0x09, 3 },	   { 2, 0x0c, 7 },
		{ 1, 0x0d },	   { 1, 0x0e }, { 1, 0x0f },	   { 3, 0x0f, 2, 0x30 },
		{ 2, 0x10, 3 },	   { 1, 0x13 }, { 4, 0x16, 3, 9 }, { 1, 0x2e },
		{ 2, 0x12, 3 },	   { 2, 0x14, 3 },
	};
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(program) / sizeof(program[0]); i++) {
		expect_stop(usual(0x100, program[i] + 1, program[i][0]), UNCOIL_STOP_MALFORMED,
			    UNCOIL_FLAW_TRUNCATED);
		assert_true(img.read_end <= AT_FDE + program[i][0]);
	}
}

static void test_cfa__cfa_by_a_register_that_is_not_tracked(void **state)
{
	(void)state;
	UNSUPPORTED(REGISTER, 0x0c, 17, 8);
	UNSUPPORTED(REGISTER, 0x0d, 0xff, 0xff, 0xff, 0xff, 0x0f);
	UNSUPPORTED(REGISTER, 0x12, 49, 1);
}

static void test_cfa__return_address_column_that_is_not_tracked(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8));
	w.fde.ra_reg = 144;
	expect_stop(run(0, BYTES(0)), UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
}

static void test_cfa__offsets_beyond_32_bits(void **state)
{
	(void)state;
	/* 2^28 * -8 is -2^31, the last that fits */
	RUNS(0, 0x05, 3, 0x80, 0x80, 0x80, 0x80, 0x01);
	expect_rule(3, UC_RULE_OFFSET, INT32_MIN);
	UNSUPPORTED(OFFSET_RANGE, 0x05, 3, 0x81, 0x80, 0x80, 0x80, 0x01);
	UNSUPPORTED(OFFSET_RANGE, 0x11, 3, 0x80, 0x80, 0x80, 0x80, 0x7f);
	UNSUPPORTED(OFFSET_RANGE, 0x14, 3, 0x81, 0x80, 0x80, 0x80, 0x01);
	/* a CFA's offset has 64 bits: 2^32 */
	RUNS(0, 0x0e, 0x80, 0x80, 0x80, 0x80, 0x10);
	expect_cfa(7, 1ll << 32);
}

/* Products beyond 64 bits have no defined value in C; UBSan watches. */
static void test_cfa__factors_that_overflow(void **state)
{
	/* LEB128: 2^63, and -2^63 */
	static const u8 uleb[] = { 0x05, 3,    0x80, 0x80, 0x80, 0x80,
				   0x80, 0x80, 0x80, 0x80, 0x80, 0x01 };
	static const u8 sleb[] = { 0x11, 3,    0x80, 0x80, 0x80, 0x80,
				   0x80, 0x80, 0x80, 0x80, 0x80, 0x7f };
	u8 op[] = { 0x12, 0x13, 0x14, 0x15, 0x2f };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(op); i++) {
		u8 program[12];

		cie(BYTES(0x0c, 7, 8));
		w.fde.data_align = INT64_MIN;
		memcpy(program, op[i] == 0x14 || op[i] == 0x2f ? uleb : sleb, 12);
		program[0] = op[i];
		/* def_cfa_offset_sf has no register */
		run(0, program + (op[i] == 0x13), sizeof(program) - (op[i] == 0x13));
	}
	cie(BYTES(0x0c, 7, 8));
	w.fde.data_align = -1;
	run(0, sleb, sizeof(sleb));
	w.fde.data_align = -8;
	run(0, uleb, sizeof(uleb));
	w.fde.data_align = INT64_MIN;
	run(0, BYTES(0x2f, 3, 1));
	run(0, BYTES(0x83, 3));
}

static void test_cfa__program_without_end_is_bounded(void **state)
{
	const struct uc_memory nops = { .read = img_read, .map = img_find_map, .elf = img_find_elf, .arg = &img };

	(void)state;
	/* pages of nops: the longest program that is allowed, and more */
	cie(BYTES(0x0c, 7, 8));
	img_add_pages(&img, IMG_PROG + 0x10000, 0x5000);
	w.port.mem = &nops;
	w.sec.hi = IMG_PROG + 0x15000;
	w.fde.insn = IMG_PROG + 0x10000;
	w.fde.insn_end = w.fde.insn + UC_CFA_OPS - 1;
	assert_int_equal(uc_cfa_run(&w, FN), 0);
	w.fde.insn_end = w.fde.insn + UC_CFA_OPS + 1;
	expect_stop(uc_cfa_run(&w, FN), UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_TOO_LONG);
}

static void test_cfa__missing_page_is_a_fault(void **state)
{
	(void)state;
	cie(BYTES(0x0c, 7, 8));
	img_write(&img, AT_FDE, BYTES(0x0e, 16));
	img_page(&img, AT_FDE)->missing = 1;
	w.fde.insn = AT_FDE;
	w.fde.insn_end = AT_FDE + 2;
	assert_int_equal(uc_cfa_run(&w, FN), UC_FAULT);
	assert_int_equal(img_bring_in(&img, w.fault_addr, w.fault_len), 0);
	assert_int_equal(uc_cfa_run(&w, FN), 0);
	expect_cfa(7, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfa__cie_alone_gives_the_first_row),
		cmocka_unit_test(test_cfa__row_holds_from_its_location_on),
		cmocka_unit_test(test_cfa__rows_after_the_address_are_not_run),
		cmocka_unit_test(test_cfa__advances),
		cmocka_unit_test(test_cfa__advances_are_multiplied_by_the_code_alignment),
		cmocka_unit_test(test_cfa__set_loc_has_the_fdes_encoding),
		cmocka_unit_test(test_cfa__location_that_goes_back_is_malformed),
		cmocka_unit_test(test_cfa__definitions),
		cmocka_unit_test(test_cfa__factored_definitions_of_daf_4),
		cmocka_unit_test(test_cfa__negative_offset_by_wrapping),
		cmocka_unit_test(test_cfa__expression_is_kept_by_its_place),
		cmocka_unit_test(test_cfa__def_cfa_replaces_an_expression),
		cmocka_unit_test(
			test_cfa__def_cfa_register_after_an_expression_keeps_the_old_offset),
		cmocka_unit_test(test_cfa__def_cfa_offset_leaves_an_expression),
		cmocka_unit_test(test_cfa__no_definition_at_all),
		cmocka_unit_test(test_cfa__offset_rules),
		cmocka_unit_test(test_cfa__other_rules),
		cmocka_unit_test(test_cfa__nop_and_args_size_change_nothing),
		cmocka_unit_test(test_cfa__padded_operands),
		cmocka_unit_test(test_cfa__registers_that_are_not_tracked),
		cmocka_unit_test(
			test_cfa__return_address_in_an_untracked_register_is_not_the_outermost),
		cmocka_unit_test(test_cfa__saved_in_an_untracked_register_is_not_known),
		cmocka_unit_test(test_cfa__signal_frame_is_marked),
		cmocka_unit_test(test_cfa__restore_gives_the_cies_rule),
		cmocka_unit_test(test_cfa__restore_in_the_cie_gives_no_rule),
		cmocka_unit_test(
			test_cfa__restore_of_a_return_address_that_the_cie_calls_undefined),
		cmocka_unit_test(test_cfa__restore_state_brings_back_rules_and_cfa),
		cmocka_unit_test(test_cfa__restore_state_keeps_the_location),
		cmocka_unit_test(test_cfa__states_nest),
		cmocka_unit_test(test_cfa__states_are_bounded),
		cmocka_unit_test(test_cfa__states_do_not_cross_from_the_cie),
		cmocka_unit_test(test_cfa__unknown_opcodes),
		cmocka_unit_test(test_cfa__program_that_ends_inside_an_instruction),
		cmocka_unit_test(test_cfa__cfa_by_a_register_that_is_not_tracked),
		cmocka_unit_test(test_cfa__return_address_column_that_is_not_tracked),
		cmocka_unit_test(test_cfa__offsets_beyond_32_bits),
		cmocka_unit_test(test_cfa__factors_that_overflow),
		cmocka_unit_test(test_cfa__program_without_end_is_bounded),
		cmocka_unit_test(test_cfa__missing_page_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
