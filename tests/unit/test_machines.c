/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whole walks on s390x, whose data is big-endian; each number is spelled out. */
#include "arch/s390x.h"
#include "core_image.h"

#define BE16(v) (u8)((v) >> 8), (u8)(v)
#define BE32(v) BE16((u32)(v) >> 16), BE16(v)
#define BE64(v) BE32((u64)(v) >> 32), BE32(v)

#define F(n) (IMG_TEXT + 0x100 * (u64)(n)) /* functions of 0x80 bytes */
#define SP0 (IMG_STACK + 0x800)
#define HANDLER_SP (IMG_STACK + 0x100)

static struct image img;
static struct uc_walk w;
static u64 frame[64];
static u32 nr;

static void put64(u64 addr, u64 v)
{
	img_write(&img, addr, BYTES(BE64(v)));
}

static void phdr(u32 i, u32 type, u32 flags, u64 off, u64 size)
{
	img_write(&img, IMG_PROG + 64 + 56 * i,
		  BYTES(BE32(type), BE32(flags), BE64(off), BE64(off), BE64(off), BE64(size),
			BE64(size), BE64(0x1000ull)));
}

/* CFA = r15 + 160, return address in r14 (GCC's for s390x); pcrel|sdata4. */
static void cie(void)
{
	img_write(&img, img.at, BYTES(BE32(20), BE32(0), 1, 'z', 'R', 0, 1, 0x78, 14, 1, 0x1b, 0x0c,
				      15, 0xa0, 0x01, 0, 0, 0));
	img.at += 24;
}

static void fde(u64 start, u8 op, u8 operand)
{
	img_write(&img, img.at, BYTES(BE32(16), BE32(img.at + 4 - IMG_EH), BE32(start - (img.at + 8)),
				      BE32(0x80), 0, op, operand, 0));
	img.at += 20;
}

/* As img_program(), for s390x: F(1) is outermost, F(3) a leaf that keeps its
 * return address in r14. */
static void program(bool with_header)
{
	img_init(&img);
	img_map(&img, IMG_PROG, 0x1000, 0, 0, IMG_ID);
	img_map(&img, IMG_TEXT, 0x2000, UC_MAP_EXEC, 0x1000, IMG_ID);
	img_map(&img, IMG_HDR, 0x2000, 0, 0x3000, IMG_ID);
	img_map(&img, IMG_STACK, 0x2000, 0, 0, 0);
	img_write(&img, IMG_PROG, BYTES(0x7f, 'E', 'L', 'F', 2, 2, 1));
	img_write(&img, IMG_PROG + 16, BYTES(BE16(3), BE16(22), BE32(1))); /* ET_DYN, EM_S390 */
	put64(IMG_PROG + 32, 64);
	img_write(&img, IMG_PROG + 52, BYTES(BE16(64), BE16(56), BE16(with_header ? 4 : 3)));
	phdr(0, IMG_PT_LOAD, IMG_PF_R, 0, 0x1000);
	phdr(1, IMG_PT_LOAD, IMG_PF_R | IMG_PF_X, 0x1000, 0x2000);
	phdr(2, IMG_PT_LOAD, IMG_PF_R, 0x3000, 0x2000);
	phdr(3, IMG_PT_EH_FRAME, IMG_PF_R, 0x3000, 0x400);
	img.at = IMG_EH;
	cie();
	fde(F(1), 0x07, 14); /* undefined r14 */
	fde(F(3), 0, 0);
	if (with_header)
		img_write(&img, IMG_HDR,
			  BYTES(1, 0x1b, 0x03, 0x3b, BE32(IMG_EH - (IMG_HDR + 4)), BE32(2),
				BE32(F(1) - IMG_HDR), BE32(IMG_EH + 24 - IMG_HDR),
				BE32(F(3) - IMG_HDR), BE32(IMG_EH + 44 - IMG_HDR)));
}

static int walk_from(u64 pc, u64 sp)
{
	img_walk_init(&img, &w);
	uc_abi_set(&w, UC_ABI_S390X);
	w.regs.known = UC_BIT(UC_S390_R15) | UC_BIT(UC_S390_R14);
	w.regs.r[UC_S390_R15] = sp;
	w.regs.r[UC_S390_R14] = F(1) + 0x20;
	w.regs.pc = pc;
	return img_walk(&img, &w, frame, 64, &nr);
}

#define EXPECT(...) expect((const u64[]){ __VA_ARGS__ }, sizeof((const u64[]){ __VA_ARGS__ }) / 8)
static void expect(const u64 *want, u32 n)
{
	assert_int_equal(nr, n);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(frame[i], want[i]);
}

static void test_machines__header_of_big_endian(void **state)
{
	(void)state;
	program(true);
	assert_int_equal(walk_from(F(3) + 0x10, SP0), UNCOIL_STOP_OUTERMOST);
	EXPECT(F(3) + 0x10, F(1) + 0x20);
}

/* As in static programs: the section is found by its look. */
static void test_machines__no_header(void **state)
{
	(void)state;
	program(false);
	assert_int_equal(walk_from(F(3) + 0x10, SP0), UNCOIL_STOP_OUTERMOST);
	EXPECT(F(3) + 0x10, F(1) + 0x20);
}

/* The kernel's real-time signal frame at r15 (arch/s390/kernel/signal.c). */
static void signal_frame(u32 signo, u64 pc)
{
	img_write(&img, F(6), BYTES(0x0a, 173)); /* svc rt_sigreturn */
	img_write(&img, HANDLER_SP + 168, BYTES(BE32(signo)));
	put64(HANDLER_SP + 344, pc);
	put64(HANDLER_SP + 352 + 8 * 14, F(1) + 0x20);
	put64(HANDLER_SP + 352 + 8 * 15, SP0);
}

/* A leaf's caller has the same stack pointer. */
static void test_machines__signal_in_a_leaf(void **state)
{
	(void)state;
	program(true);
	signal_frame(11, F(3));
	assert_int_equal(walk_from(F(6), HANDLER_SP), UNCOIL_STOP_OUTERMOST);
	EXPECT(F(6), F(3), F(1) + 0x20);
}

/* SIGILL leaves the pc behind the instruction: here in the next function. The
 * frame is none that has called somebody all the same. */
static void test_machines__pc_behind_an_illegal_instruction(void **state)
{
	(void)state;
	program(true);
	signal_frame(4, F(3) + 0x80);
	assert_int_equal(walk_from(F(6), HANDLER_SP), UNCOIL_STOP_OUTERMOST);
	EXPECT(F(6), F(3) + 0x80, F(1) + 0x20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines__header_of_big_endian),
		cmocka_unit_test(test_machines__no_header),
		cmocka_unit_test(test_machines__signal_in_a_leaf),
		cmocka_unit_test(test_machines__pc_behind_an_illegal_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
