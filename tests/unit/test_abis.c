/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code without unwind data on aarch64, s390x, i386 and x32, and x32's files. What
 * must come out follows from the instructions (Arm ARM, z/Architecture Principles
 * of Operation) and from the kernel's signal frames (formats sheet 4.7).
 */
#include "arch/aarch64.h"
#include "arch/i386.h"
#include "arch/s390x.h"
#include "core_image.h"

#define TEXT 0x10000ull
#define FN (TEXT + 0x400)
#define CALLER (TEXT + 0x800) /* a return address: what is before it is a call */
#define STACK 0x70000000ull
#define SP0 (STACK + 0x800)

static struct image img;
static struct uc_walk w;

static void begin(u32 abi)
{
	u32 i;

	img_init(&img);
	img_map(&img, TEXT, 0x2000, UC_MAP_EXEC, 0x1000, IMG_ID);
	img_map(&img, STACK, 0x2000, 0, 0, 0);
	img_walk_init(&img, &w);
	uc_abi_set(&w, abi);
	for (i = 0; i < UC_REG_SLOTS; i++)
		w.regs.r[i] = 0x1000 + i;
	w.regs.known = w.abi.regs;
	w.regs.r[w.abi.sp] = SP0;
	w.regs.pc = FN;
	uc_walk_begin(&w);
}

static void put(u64 addr, u64 v)
{
	if (w.abi.big_endian)
		v = __builtin_bswap64(v);
	if (w.abi.word == 4)
		img_write(&img, addr, BYTES(LE32(v)));
	else
		img_u64(&img, addr, v);
}

static void expect_caller(u64 pc, u64 sp)
{
	assert_int_equal(img_step(&img, &w), 0);
	assert_int_equal(w.regs.pc, pc);
	assert_true(w.regs.known & UC_BIT(w.abi.sp));
	assert_int_equal(w.regs.r[w.abi.sp], sp);
}

static void expect_register(u32 reg, u64 v)
{
	assert_true(w.regs.known & UC_BIT(reg));
	assert_int_equal(w.regs.r[reg], v);
}

/* ---- aarch64 ---- */

static void insns(u64 addr, const u32 *insn, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		img_write(&img, addr + 4 * i, BYTES(LE32(insn[i])));
}
#define INSNS(addr, ...) \
	insns(addr, (const u32[]){ __VA_ARGS__ }, sizeof((const u32[]){ __VA_ARGS__ }) / 4)

#define A64_BL 0x94000000
#define A64_RET 0xd65f03c0

/* A function that saves what it uses, observed before each instruction. */
static void test_abis__aarch64_followed_to_its_return(void **state)
{
	u32 at;

	(void)state;
	for (at = 0; at < 7; at++) {
		begin(UC_ABI_AARCH64);
		INSNS(CALLER - 4, A64_BL);
		INSNS(FN, 0xa9be7bfd, /* stp x29,x30,[sp,#-32]! */
		      0x910003fd, /* mov x29,sp */
		      0xa90153f3, /* stp x19,x20,[sp,#16] */
		      0xaa0003f3, /* mov x19,x0 */
		      0xa94153f3, /* ldp x19,x20,[sp,#16] */
		      0xa8c27bfd, /* ldp x29,x30,[sp],#32 */
		      A64_RET);
		put(SP0 - 32, 0xf0);
		put(SP0 - 24, CALLER);
		put(SP0 - 16, 0x19);
		put(SP0 - 8, 0x20);
		w.regs.pc = FN + 4 * at;
		w.regs.r[UC_SP_A64] = at == 0 || at == 6 ? SP0 : SP0 - 32;
		w.regs.r[UC_X29] = at >= 2 && at <= 5 ? SP0 - 32 : 0xf0;
		w.regs.r[UC_X30] = at == 0 || at == 6 ? CALLER : 0xbad0;
		w.regs.r[19] = at == 4 ? 0xbad1 : 0x19;
		w.regs.r[20] = 0x20;
		/* before it is stored, its place is not to be read */
		if (at <= 2)
			put(SP0 - 16, 0xbad2);
		expect_caller(CALLER, SP0);
		expect_register(UC_X29, 0xf0);
		if (at != 3) /* between the store and the load, there it is in both */
			expect_register(19, 0x19);
	}
}

static void test_abis__aarch64_leaf_with_a_signed_address(void **state)
{
	(void)state;
	begin(UC_ABI_AARCH64);
	INSNS(CALLER - 4, 0xd63f0100); /* blr x8 */
	INSNS(FN, 0xd503233f, /* paciasp */
	      0xf94003e0, /* ldr x0,[sp] */
	      0x36000040, /* tbz w0,#0,.+8 */
	      0x52800000, /* mov w0,#0 */
	      0xd65f0bff); /* retaa */
	w.regs.pc = FN + 4;
	w.regs.r[UC_X30] = CALLER | 0x5a7f000000000000;
	expect_caller(CALLER, SP0);
}

/* What does not lead to a return address is no answer. */
static void test_abis__aarch64_what_can_not_be_followed(void **state)
{
	(void)state;
	begin(UC_ABI_AARCH64);
	w.regs.r[UC_X29] = 3; /* no frame record */
	INSNS(CALLER - 4, A64_BL);
	INSNS(FN, A64_BL, A64_RET); /* x30 is the call's */
	w.regs.r[UC_X30] = CALLER;
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_NO_SECTION);
	INSNS(FN, 0xd503201f, A64_RET);
	w.regs.r[UC_X30] = CALLER + 4; /* follows no call */
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_NO_SECTION);
	INSNS(FN, 0x9100801f, A64_RET); /* mov sp,x0 + 32: where to is not known */
	w.regs.r[UC_X30] = CALLER;
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_NO_SECTION);
}

/* A PLT entry leaves x30 alone; PLT0 has pushed two registers. */
static void test_abis__aarch64_plt(void **state)
{
	(void)state;
	begin(UC_ABI_AARCH64);
	INSNS(CALLER - 4, A64_BL);
	INSNS(FN, 0xa9bf7bf0, /* stp x16,x30,[sp,#-16]! */
	      0x90000010, /* adrp x16 */
	      0xf9400a11, /* ldr x17,[x16,#16] */
	      0x91004210, /* add x16,x16,#16 */
	      0xd61f0220); /* br x17 */
	w.regs.r[UC_X30] = CALLER;
	w.regs.pc = FN + 8;
	w.regs.r[UC_SP_A64] = SP0 - 16;
	expect_caller(CALLER, SP0);
	begin(UC_ABI_AARCH64);
	INSNS(CALLER - 4, A64_BL);
	INSNS(FN, 0x90000010, 0xf9400a11, 0x91004210, 0xd61f0220);
	w.regs.r[UC_X30] = CALLER;
	expect_caller(CALLER, SP0);
}

/* A caller that keeps a frame record: its place tells no stack pointer. */
static void test_abis__aarch64_frame_record(void **state)
{
	(void)state;
	begin(UC_ABI_AARCH64);
	INSNS(CALLER - 4, A64_BL);
	INSNS(FN, 0xa9be7bfd, 0x910003fd, A64_BL);
	w.exact = 0;
	w.regs.pc = FN + 12;
	w.regs.r[UC_X29] = SP0 + 64;
	put(SP0 + 64, 0); /* x29 */
	put(SP0 + 72, CALLER | 0x007f000000000000); /* x30, signed */
	assert_int_equal(img_step(&img, &w), 0);
	assert_int_equal(w.regs.pc, CALLER);
	expect_register(UC_X29, 0);
	assert_false(w.regs.known & (UC_BIT(UC_SP_A64) | UC_BIT(19)));
	INSNS(CALLER - 12, 0xa9be7bfd, 0x910003fd);
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_END_OF_CHAIN);
}

static void test_abis__aarch64_record_without_set_up(void **state)
{
	(void)state;
	begin(UC_ABI_AARCH64);
	INSNS(CALLER - 4, A64_BL);
	INSNS(FN - 8, 0x910003fd, A64_RET); /* another function's */
	INSNS(FN, 0xd503233f, 0x52800000, A64_BL);
	w.exact = 0;
	w.regs.pc = FN + 12;
	w.regs.r[UC_X29] = SP0 + 64;
	put(SP0 + 72, CALLER);
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_NO_SECTION);
}

/* mov x8,#139; svc #0 */
static void test_abis__aarch64_signal(void **state)
{
	u32 i;

	(void)state;
	begin(UC_ABI_AARCH64);
	INSNS(FN, 0xd2801168, 0xd4000001);
	w.exact = 0;
	for (i = 0; i < 31; i++)
		put(SP0 + 312 + 8 * i, 0x2000 + i);
	put(SP0 + 560, SP0 + 0x600);
	put(SP0 + 568, CALLER + 8);
	expect_caller(CALLER + 8, SP0 + 0x600);
	for (i = 0; i < 31; i++)
		expect_register(i, 0x2000 + i);
	assert_int_equal(w.exact, 1);
}

/* ---- s390x ---- */

static void test_abis__s390x_back_chain(void **state)
{
	(void)state;
	begin(UC_ABI_S390X);
	img_write(&img, CALLER - 6, BYTES(0xc0, 0xe5, 0, 0, 0, 9)); /* brasl %r14 */
	img_write(&img, FN, BYTES(0xe3, 0x10, 0xf0, 0, 0, 0x24)); /* stg %r1,0(%r15) */
	img_write(&img, FN + 6, BYTES(0xc0, 0xe5, 0, 0, 0, 9));
	w.exact = 0;
	w.regs.pc = FN + 12;
	put(SP0, SP0 + 200);
	put(SP0 + 200 + 112, CALLER);
	expect_caller(CALLER, SP0 + 200);
	assert_false(w.regs.known & UC_BIT(11));
}

static void test_abis__s390x_no_back_chain(void **state)
{
	(void)state;
	begin(UC_ABI_S390X);
	img_write(&img, CALLER - 6, BYTES(0xc0, 0xe5, 0, 0, 0, 9));
	img_write(&img, FN + 6, BYTES(0xc0, 0xe5, 0, 0, 0, 9));
	w.exact = 0;
	w.regs.pc = FN + 12;
	put(SP0, SP0 + 200); /* but the code does not say that it is one */
	put(SP0 + 200 + 112, CALLER);
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_NO_SECTION);
	img_write(&img, FN, BYTES(0xe3, 0x10, 0xf0, 0, 0, 0x24));
	put(SP0, 0);
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_END_OF_CHAIN);
}

/* ---- i386 ---- */

static void sigcontext(u64 at)
{
	static const u32 order[8] = { UC_EDI, UC_ESI, UC_EBP, UC_ESP, UC_EBX, UC_EDX, UC_ECX, UC_EAX };
	u32 i;

	for (i = 0; i < 8; i++)
		put(at + 16 + 4 * i, order[i] == UC_ESP ? SP0 + 0x600 : 0x2000 + order[i]);
	put(at + 56, CALLER);
}

static void expect_sigcontext(void)
{
	u32 i;

	w.exact = 0;
	expect_caller(CALLER, SP0 + 0x600);
	for (i = 0; i < 8; i++)
		if (i != UC_ESP)
			expect_register(i, 0x2000 + i);
	assert_int_equal(w.exact, 1);
}

static void test_abis__i386_signals(void **state)
{
	(void)state;
	begin(UC_ABI_I386); /* mov $173,%eax; int $0x80 */
	img_write(&img, FN, BYTES(0xb8, 0xad, 0, 0, 0, 0xcd, 0x80));
	put(SP0 + 8, SP0 + 0x100); /* to the ucontext */
	sigcontext(SP0 + 0x100 + 20);
	expect_sigcontext();
	begin(UC_ABI_I386); /* pop %eax; mov $119,%eax; int $0x80 */
	img_write(&img, FN, BYTES(0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80));
	sigcontext(SP0 + 4);
	expect_sigcontext();
	begin(UC_ABI_I386);
	img_write(&img, FN - 1, BYTES(0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80));
	sigcontext(SP0);
	expect_sigcontext();
}

static void test_abis__i386_frame_pointer(void **state)
{
	(void)state;
	begin(UC_ABI_I386);
	img_write(&img, CALLER - 5, BYTES(0xe8, 0, 0, 0, 0));
	img_write(&img, FN, BYTES(0x55, 0x89, 0xe5, 0xe8, 0, 0, 0, 0)); /* push, mov, call */
	w.exact = 0;
	w.regs.pc = FN + 8;
	w.regs.r[UC_EBP] = SP0 + 36;
	put(SP0 + 36, SP0 + 0x200);
	put(SP0 + 40, CALLER);
	expect_caller(CALLER, SP0 + 44);
	expect_register(UC_EBP, SP0 + 0x200);
}

/* A call to nowhere has pushed four bytes. */
static void test_abis__i386_bad_call(void **state)
{
	(void)state;
	begin(UC_ABI_I386);
	img_write(&img, CALLER - 2, BYTES(0xff, 0xd0)); /* call *%eax */
	w.regs.pc = 0;
	put(SP0, CALLER);
	expect_caller(CALLER, SP0 + 4);
}

/* ---- x32 ---- */

static void test_abis__x32_signal(void **state)
{
	static const u32 order[15] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2 };
	u32 i;

	(void)state;
	begin(UC_ABI_X32);
	img_write(&img, FN, BYTES(0x48, 0xc7, 0xc0, 0x01, 0x02, 0x00, 0x40, 0x0f, 0x05));
	w.exact = 0;
	for (i = 0; i < 15; i++)
		put(SP0 + 24 + 8 * i, 0x2000 + order[i]);
	put(SP0 + 144, SP0 + 0x600);
	put(SP0 + 152, CALLER);
	expect_caller(CALLER, SP0 + 0x600);
	for (i = 0; i < 15; i++)
		expect_register(order[i], 0x2000 + order[i]);
}

/* An x32 file: class 32 of x86-64's machine, 4-byte addresses in its FDEs, 8-byte
 * slots on its stack. The engine meets it with x86-64's ABI. */
static void x32_program(u32 abi)
{
	enum { PROG = 0x8000, HDR = 0xb000 };

	begin(abi);
	img_map(&img, PROG, 0x1000, UC_MAP_PRISTINE, 0, IMG_ID);
	img_map(&img, HDR, 0x1000, UC_MAP_PRISTINE, 0x3000, IMG_ID);
	img_write(&img, PROG, BYTES(0x7f, 'E', 'L', 'F', 1, 1, 1));
	img_write(&img, PROG + 16, BYTES(LE16(3), LE16(62), LE32(1), LE32(0), LE32(52)));
	img_write(&img, PROG + 40, BYTES(LE16(52), LE16(32), LE16(4)));
	/* type, offset, vaddr, paddr, filesz, memsz, flags, align */
	img_write(&img, PROG + 52, BYTES(LE32(1), LE32(0), LE32(0), LE32(0), LE32(0x1000), LE32(0x1000),
					 LE32(4), LE32(0x1000)));
	img_write(&img, PROG + 84, BYTES(LE32(1), LE32(0x1000), LE32(0x8000), LE32(0), LE32(0x2000),
					 LE32(0x2000), LE32(5), LE32(0x1000)));
	img_write(&img, PROG + 116, BYTES(LE32(1), LE32(0x3000), LE32(0x3000), LE32(0), LE32(0x1000),
					  LE32(0x1000), LE32(4), LE32(0x1000)));
	img_write(&img, PROG + 148, BYTES(LE32(0x6474e550), LE32(0x3000), LE32(0x3000), LE32(0),
					  LE32(12), LE32(12), LE32(4), LE32(4)));
	/* CFA = rsp + 8, addresses absolute (4 bytes), then 24 bytes of locals */
	img_write(&img, HDR, BYTES(1, 0x1b, 0xff, 0xff, LE32(0x10 - 4)));
	img_write(&img, HDR + 0x10, BYTES(LE32(16), LE32(0), 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0));
	img_write(&img, HDR + 0x24, BYTES(LE32(16), LE32(0x18), LE32(FN), LE32(0x100), 0x0e, 32, 0, 0));
}

static void test_abis__x32_file(void **state)
{
	static const u32 abis[] = { UC_ABI_X86_64, UC_ABI_X32 };
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		x32_program(abis[i]);
		put(SP0 + 24, CALLER);
		expect_caller(CALLER, SP0 + 32);
		assert_int_equal(w.mod.addr_size, 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_abis__aarch64_followed_to_its_return),
		cmocka_unit_test(test_abis__aarch64_leaf_with_a_signed_address),
		cmocka_unit_test(test_abis__aarch64_what_can_not_be_followed),
		cmocka_unit_test(test_abis__aarch64_plt),
		cmocka_unit_test(test_abis__aarch64_frame_record),
		cmocka_unit_test(test_abis__aarch64_record_without_set_up),
		cmocka_unit_test(test_abis__aarch64_signal),
		cmocka_unit_test(test_abis__s390x_back_chain),
		cmocka_unit_test(test_abis__s390x_no_back_chain),
		cmocka_unit_test(test_abis__i386_signals),
		cmocka_unit_test(test_abis__i386_frame_pointer),
		cmocka_unit_test(test_abis__i386_bad_call),
		cmocka_unit_test(test_abis__x32_signal),
		cmocka_unit_test(test_abis__x32_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
