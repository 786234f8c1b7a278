/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* i386's code without unwind data. The bytes are objdump's of a program that
 * gcc -m32 has made, and of glibc 2.36's ld.so. */
#include "arch/i386.h"
#include "core_image.h"

#define CODE 0x56557000ull
#define FN (CODE + 0x200)
#define CALLER (CODE + 0x805) /* follows a call */
#define STACK 0xffffc000ull
#define SP0 (STACK + 0x800)

static struct image img;
static struct uc_walk w;

static void put32(u64 addr, u32 v)
{
	img_write(&img, addr, BYTES(LE32(v)));
}

/* Code that no file is mapped for: none of it has unwind data. The stack is zero. */
static void begin(u64 pc, const u8 *code, u32 len)
{
	u32 i;

	img_init(&img);
	img_map(&img, CODE, 0x1000, UC_MAP_EXEC, 0, 0);
	img_map(&img, STACK, 0x2000, 0, 0, 0);
	img_write(&img, FN, code, len);
	img_write(&img, CALLER - 5, BYTES(0xe8, LE32(0))); /* call */
	img_walk_init(&img, &w);
	uc_abi_set(&w, UC_ABI_I386);
	w.regs.known = UC_I386_REGS;
	for (i = 0; i < 8; i++)
		w.regs.r[i] = 0x1000 + i;
	w.regs.r[UC_ESP] = SP0;
	w.regs.r[UC_EBP] = 1; /* no frame pointer */
	w.regs.pc = pc;
	uc_walk_begin(&w);
}

/* ---- functions that tell where they are called from ---- */

static void expect_thunk(u8 modrm, u32 off)
{
	u32 i;

	begin(FN + off, BYTES(0x8b, modrm, 0x24, 0xc3));
	put32(SP0, CALLER);
	assert_int_equal(img_step(&img, &w), 0);
	assert_int_equal(w.regs.pc, CALLER);
	assert_int_equal(w.exact, 0);
	for (i = 0; i < 8; i++)
		if (w.regs.known & UC_I386_PRESERVED & UC_BIT(i) && i != UC_EBP)
			assert_int_equal(w.regs.r[i], 0x1000 + i);
	assert_int_equal(w.regs.r[UC_ESP], SP0 + 4);
}

/* mov (%esp),%reg; ret: eax ecx edx ebx, ebp esi edi. */
static void test_i386__thunk(void **state)
{
	static const u8 modrm[] = { 0x04, 0x0c, 0x14, 0x1c, 0x2c, 0x34, 0x3c };

	(void)state;
	for (u32 i = 0; i < sizeof(modrm); i++) {
		expect_thunk(modrm[i], 0);
		expect_thunk(modrm[i], 3);
	}
}

static void expect_no_thunk(const u8 *code, u32 len, u32 ra)
{
	begin(FN, code, len);
	put32(SP0, ra);
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_NO_SECTION);
}

static void test_i386__no_thunk(void **state)
{
	(void)state;
	/* what would be the return address does not follow a call */
	expect_no_thunk(BYTES(0x8b, 0x1c, 0x24, 0xc3), (u32)CALLER + 1);
	expect_no_thunk(BYTES(0x8b, 0x1c, 0x24, 0xc3), 0);
	/* mov (%esp),%ebx; push %ebx */
	expect_no_thunk(BYTES(0x8b, 0x1c, 0x24, 0x53), (u32)CALLER);
	/* mov (%esp,%eax),%ebx; ret */
	expect_no_thunk(BYTES(0x8b, 0x1c, 0x04, 0xc3), (u32)CALLER);
	/* mov 36(%ebx),%ebx; ret */
	expect_no_thunk(BYTES(0x8b, 0x5b, 0x24, 0xc3), (u32)CALLER);
}

/* ---- ld.so's entry point ---- */

/* The stop at a return address, with the initial stack pointer @above of it. */
static int stop_of_caller(const u8 *code, u32 len, u32 above)
{
	begin(FN, code, len);
	w.exact = 0;
	w.leaf = 0;
	w.entry_sp = SP0 + above;
	return img_step(&img, &w);
}

/* Behind call _dl_start: add $16,%esp; mov %eax,%edi */
static void test_i386__loader_relocates(void **state)
{
	(void)state;
	assert_int_equal(stop_of_caller(BYTES(0x83, 0xc4, 0x10, 0x89, 0xc7), 16),
			 UNCOIL_STOP_OUTERMOST);
	/* It was started by hand, and has removed its own arguments. */
	assert_int_equal(stop_of_caller(BYTES(0x83, 0xc4, 0x10, 0x89, 0xc7), 8),
			 UNCOIL_STOP_OUTERMOST);
	/* A return address can be between the stack pointer and the initial one. */
	assert_int_equal(stop_of_caller(BYTES(0x83, 0xc4, 0x10, 0x89, 0xc7), 20),
			 UNCOIL_STOP_NO_SECTION);
	/* add $-16,%esp; add $16,%ebx */
	assert_int_equal(stop_of_caller(BYTES(0x83, 0xc4, 0xf0, 0x89, 0xc7), 16),
			 UNCOIL_STOP_NO_SECTION);
	assert_int_equal(stop_of_caller(BYTES(0x83, 0xc3, 0x10, 0x89, 0xc7), 16),
			 UNCOIL_STOP_NO_SECTION);
}

/* Behind call _dl_init: lea -0x2f7c4(%ebx),%edx; mov 16(%esp),%esp; jmp *%edi */
static void expect_of_constructors(u32 saved, int stop)
{
	begin(FN, BYTES(0x8d, 0x93, LE32(-0x2f7c4), 0x8b, 0x64, 0x24, 0x10, 0xff, 0xe7));
	w.exact = 0;
	w.leaf = 0;
	w.entry_sp = SP0 + 0x40;
	put32(SP0 + 16, saved);
	assert_int_equal(img_step(&img, &w), stop);
}

static void test_i386__loader_runs_constructors(void **state)
{
	(void)state;
	expect_of_constructors(SP0 + 0x40, UNCOIL_STOP_OUTERMOST);
	expect_of_constructors(SP0 + 0x3c, UNCOIL_STOP_NO_SECTION);
	expect_of_constructors(0, UNCOIL_STOP_NO_SECTION);
}

/* Of a process whose start is not known, nothing is said. */
static void test_i386__no_initial_stack_pointer(void **state)
{
	(void)state;
	begin(FN, BYTES(0x83, 0xc4, 0x10, 0x89, 0xc7));
	w.exact = 0;
	w.entry_sp = 0;
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_NO_SECTION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_i386__thunk),
		cmocka_unit_test(test_i386__no_thunk),
		cmocka_unit_test(test_i386__loader_relocates),
		cmocka_unit_test(test_i386__loader_runs_constructors),
		cmocka_unit_test(test_i386__no_initial_stack_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
