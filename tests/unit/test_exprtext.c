/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expressions as text. Operators and their order of operands: DWARF 5, 2.5.1 and
 * 7.7.1; registers: the ABI documents (formats sheet 4.2).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uc_exprtext.h"
#include "uc_regnames.h"

#define BYTES(...) (const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ })

static void is(enum uc_abi_id abi, bool push_cfa, const char *want, const u8 *ops, size_t len)
{
	char text[256];

	uc_expr_text(abi, abi == UC_ABI_I386 || abi == UC_ABI_X32 ? 4 : 8, ops, len, push_cfa, text,
		     sizeof(text));
	assert_string_equal(text, want);
}

#define cfa_is(want, ...) is(UC_ABI_X86_64, false, want, BYTES(__VA_ARGS__))
#define rule_is(want, ...) is(UC_ABI_X86_64, true, want, BYTES(__VA_ARGS__))

static void test_exprtext__writes_what_compilers_emit(void **state)
{
	(void)state;
	/* GCC's realigned stack: breg6 -8, deref */
	cfa_is("*(rbp-8)", 0x76, 0x78, 0x06);
	/* the linker's lazy PLT: breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus */
	cfa_is("rsp+8+(((rip&15)>=11)<<3)", 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33,
	       0x24, 0x22);
	/* glibc's __restore_rt: breg7 160, deref; and a register's place, breg7 40 */
	cfa_is("*(rsp+160)", 0x77, 0xa0, 0x01, 0x06);
	rule_is("rsp+40", 0x77, 0x28);
	rule_is("cfa+16", 0x23, 0x10);
}

static void test_exprtext__keeps_the_order_of_operands(void **state)
{
	(void)state;
	cfa_is("rax-rdx", 0x70, 0, 0x71, 0, 0x1c);
	cfa_is("rax/(rdx-rcx)", 0x70, 0, 0x71, 0, 0x72, 0, 0x1c, 0x1b);
	cfa_is("rax-(rdx-rcx)", 0x70, 0, 0x71, 0, 0x72, 0, 0x1c, 0x1c);
	cfa_is("rax-rdx-rcx", 0x70, 0, 0x71, 0, 0x1c, 0x72, 0, 0x1c);
	cfa_is("(rax+8)*rdx", 0x70, 8, 0x71, 0, 0x1e);
	cfa_is("rax>>3", 0x70, 0, 0x33, 0x25);
	cfa_is("-rax", 0x70, 0, 0x1f);
	cfa_is("~(rax+1)", 0x70, 1, 0x20);
	cfa_is("*(*(rsp))", 0x77, 0, 0x06, 0x06);
}

static void test_exprtext__signs_of_constants(void **state)
{
	(void)state;
	/* const1s -8; plus, then minus, then mul */
	cfa_is("rax-8", 0x70, 0, 0x09, 0xf8, 0x22);
	cfa_is("rax-(-8)", 0x70, 0, 0x09, 0xf8, 0x1c);
	cfa_is("rax*(-8)", 0x70, 0, 0x09, 0xf8, 0x1e);
	/* const1u 0xf8, const2s, const4u, consts -128, constu 128 */
	cfa_is("248", 0x08, 0xf8);
	cfa_is("-2", 0x0b, 0xfe, 0xff);
	cfa_is("4294967294", 0x0c, 0xfe, 0xff, 0xff, 0xff);
	cfa_is("-128", 0x11, 0x80, 0x7f);
	cfa_is("128", 0x10, 0x80, 0x01);
	cfa_is("0x8877665544332211", 0x03, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
}

static void test_exprtext__lists_operators_that_are_no_formula(void **state)
{
	(void)state;
	cfa_is("{breg7 0; dup; bra 1; nop}", 0x77, 0, 0x12, 0x28, 1, 0, 0x96);
	cfa_is("{breg7 0; skip -3}", 0x77, 0, 0x2f, 0xfd, 0xff);
	cfa_is("{breg7 8; deref_size 4}", 0x77, 8, 0x94, 4);
	cfa_is("{breg7 0; lit3; shra}", 0x77, 0, 0x33, 0x26);
	cfa_is("{plus}", 0x22); /* nothing to add */
}

static void test_exprtext__malformed_ones_end_with_dots(void **state)
{
	(void)state;
	cfa_is("{breg7 8; 0xff...}", 0x77, 8, 0xff, 0x06);
	cfa_is("{breg7 8; 0x9c...}", 0x77, 8, 0x9c); /* call_frame_cfa, not for CFI */
	cfa_is("{breg7 8; const4u 0...}", 0x77, 8, 0x0c, 1, 2);
}

static void test_exprtext__a_register_and_byte_order_of_each_abi(void **state)
{
	(void)state;
	is(UC_ABI_I386, false, "*(ebp-4)", BYTES(0x75, 0x7c, 0x06));
	is(UC_ABI_I386, false, "0x44332211", BYTES(0x03, 0x11, 0x22, 0x33, 0x44));
	is(UC_ABI_AARCH64, false, "sp+16", BYTES(0x8f, 0x10));
	is(UC_ABI_AARCH64_BE, false, "258", BYTES(0x0a, 0x01, 0x02));
	is(UC_ABI_S390X, false, "r15+160", BYTES(0x7f, 0xa0, 0x01));
	is(UC_ABI_S390X, false, "258", BYTES(0x0a, 0x01, 0x02));
	/* bregx 67, 8 */
	is(UC_ABI_X86_64, false, "xmm16+8", BYTES(0x92, 67, 8));
	is(UC_ABI_X86_64, false, "r200+8", BYTES(0x92, 0xc8, 0x01, 8));
}

static void test_exprtext__cuts_off_what_does_not_fit(void **state)
{
	u8 ops[200];
	char text[32];

	(void)state;
	memset(ops, 0x12, sizeof(ops)); /* dup */
	uc_expr_text(UC_ABI_X86_64, 8, ops, sizeof(ops), true, text, sizeof(text));
	assert_string_equal(text, "{dup; dup; dup; dup; dup; dup; ");
	uc_expr_text(UC_ABI_X86_64, 8, ops, sizeof(ops), true, text, 1);
	assert_string_equal(text, "");
	/* more terms than a formula's stack has, and a long one */
	memset(ops, 0x30, 9);
	memset(ops + 9, 0x22, 8);
	uc_expr_text(UC_ABI_X86_64, 8, ops, 17, false, text, sizeof(text));
	assert_string_equal(text, "{lit0; lit0; lit0; lit0; lit0; ");
}

static void test_regnames__numbers_that_are_not_in_order(void **state)
{
	(void)state;
	assert_string_equal(uc_reg_name(UC_ABI_X86_64, 1), "rdx");
	assert_string_equal(uc_reg_name(UC_ABI_X86_64, 2), "rcx");
	assert_string_equal(uc_reg_name(UC_ABI_X32, 7), "rsp");
	assert_string_equal(uc_reg_name(UC_ABI_X86_64, 64), "mxcsr");
	assert_string_equal(uc_reg_name(UC_ABI_X86_64, 145), "r31");
	assert_string_equal(uc_reg_name(UC_ABI_I386, 4), "esp");
	assert_string_equal(uc_reg_name(UC_ABI_I386, 39), "mxcsr");
	assert_string_equal(uc_reg_name(UC_ABI_I386, 45), "gs");
	assert_string_equal(uc_reg_name(UC_ABI_AARCH64, 34), "ra_sign_state");
	assert_string_equal(uc_reg_name(UC_ABI_AARCH64, 127), "z31");
	assert_string_equal(uc_reg_name(UC_ABI_S390X, 17), "f2");
	assert_string_equal(uc_reg_name(UC_ABI_S390X, 28), "f9");
	assert_string_equal(uc_reg_name(UC_ABI_S390X, 65), "pswa");
	assert_string_equal(uc_reg_name(UC_ABI_S390X, 83), "v31");
	assert_null(uc_reg_name(UC_ABI_X86_64, 56));
	assert_null(uc_reg_name(UC_ABI_I386, 10));
	assert_null(uc_reg_name(UC_ABI_AARCH64, 128));
	assert_null(uc_reg_name(UC_ABI_S390X, ~0u));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exprtext__writes_what_compilers_emit),
		cmocka_unit_test(test_exprtext__keeps_the_order_of_operands),
		cmocka_unit_test(test_exprtext__signs_of_constants),
		cmocka_unit_test(test_exprtext__lists_operators_that_are_no_formula),
		cmocka_unit_test(test_exprtext__malformed_ones_end_with_dots),
		cmocka_unit_test(test_exprtext__a_register_and_byte_order_of_each_abi),
		cmocka_unit_test(test_exprtext__cuts_off_what_does_not_fit),
		cmocka_unit_test(test_regnames__numbers_that_are_not_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
