/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code without unwind data. Byte patterns are from the formats sheet, 3.5 (PLT
 * of lld and mold), 4.3 and 4.7, and from Intel's manual, volume 2 (calls). */
#include "core_image.h"

static struct image img;
static struct uc_walk w;

#define FN (IMG_TEXT + 0x200) /* code under test, 16-byte aligned */
#define SP0 (IMG_STACK + 0x800)
#define CALLER (IMG_TEXT + 0x805) /* follows a call */
#define CALLER2 (IMG_TEXT + 0x905)
#define NO_CALLER (IMG_TEXT + 0xa00)
#define JIT 0x7f0000000000ull

/* A program whose search table is empty: no entry covers anything. Code is
 * int3, the stack zero; all other registers have values of their own. */
static void begin(u64 pc)
{
	u64 at;
	u32 i;

	img_program(&img);
	img_hdr(&img);
	img_map(&img, JIT, 0x1000, UC_MAP_EXEC, 0, 0);
	for (at = IMG_TEXT; at < IMG_TEXT + 0x2000; at++)
		img_write(&img, at, BYTES(0xcc));
	img_write(&img, CALLER - 5, BYTES(0xe8, LE32(0))); /* call */
	img_write(&img, CALLER2 - 5, BYTES(0xe8, LE32(0)));
	img_walk_init(&img, &w);
	for (i = 0; i < 16; i++)
		w.regs.r[i] = 0x1000 + i;
	w.regs.pc = pc;
	w.regs.r[UC_RSP] = SP0;
	w.regs.r[UC_RBP] = 1; /* no frame pointer */
	uc_walk_begin(&w);
}

static void expect_caller(u64 pc, u64 sp)
{
	assert_int_equal(img_step(&img, &w), 0);
	assert_int_equal(w.regs.pc, pc);
	assert_int_equal(w.regs.r[UC_RSP], sp);
}

static void expect_stop(int stop)
{
	assert_int_equal(img_step(&img, &w), stop);
}

/* ---- PLT ---- */

/* At byte @off of an entry the CFA is rsp + depth. */
static void expect_plt(const u8 *entry, u32 len, u32 off, u32 depth)
{
	begin(FN + off);
	img_write(&img, FN, entry, len);
	img_u64(&img, SP0 + depth - 8, CALLER);
	expect_caller(CALLER, SP0 + depth);
	assert_int_equal(w.exact, 0);
}

static void test_bare__plt_entry_of_lld(void **state)
{
	u32 off;

	(void)state;
	/* jmp *slot(%rip); push $3; jmp PLT0 */
	for (off = 0; off < 16; off++)
		expect_plt(BYTES(0xff, 0x25, LE32(0x1234), 0x68, LE32(3), 0xe9, LE32(-0x40)), off,
			   off < 11 ? 8 : 16);
}

static void test_bare__plt0_of_lld(void **state)
{
	u32 off;

	(void)state;
	/* push GOT+8(%rip); jmp *GOT+16(%rip); nopl 0(%rax) */
	for (off = 0; off < 16; off++)
		expect_plt(BYTES(0xff, 0x35, LE32(0x1234), 0xff, 0x25, LE32(0x1236), 0x0f, 0x1f,
				 0x40, 0x00),
			   off, off < 6 ? 16 : 24);
}

static void test_bare__plt_of_lld_with_ibt(void **state)
{
	u32 off;

	(void)state;
	/* endbr64; push $3; jmp PLT0; nopw: and .plt.sec: endbr64; jmp *slot(%rip) */
	for (off = 0; off < 16; off++) {
		expect_plt(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x68, LE32(3), 0xe9, LE32(-0x40), 0x66,
				 0x90),
			   off, off < 9 ? 8 : 16);
		expect_plt(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, LE32(0x1234), 0x66, 0x0f, 0x1f,
				 0x44, 0, 0),
			   off, 8);
	}
}

static void test_bare__plt_entry_of_mold(void **state)
{
	u32 off;

	(void)state;
	/* endbr64; mov $3,%r11d; jmp *slot(%rip): nothing is pushed */
	for (off = 0; off < 16; off++)
		expect_plt(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0xbb, LE32(3), 0xff, 0x25,
				 LE32(0x1234)),
			   off, 8);
}

static void test_bare__plt0_of_mold(void **state)
{
	u32 off;

	(void)state;
	/* endbr64; push %r11; push GOT+8(%rip); jmp *GOT+16(%rip), at 12 */
	for (off = 0; off <= 12; off++)
		expect_plt(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x53, 0xff, 0x35, LE32(0x1234), 0xff,
				 0x25, LE32(0x1236)),
			   off, off < 6 ? 8 : off < 12 ? 16 : 24);
}

static void test_bare__plt_entry_is_never_a_caller(void **state)
{
	(void)state;
	begin(FN + 6);
	img_write(&img, FN, BYTES(0xff, 0x25, LE32(0x1234), 0x68, LE32(3), 0xe9, LE32(-0x40)));
	img_u64(&img, SP0, CALLER);
	w.exact = 0;
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* ---- a function's end; what comes before is in test_follow.c ---- */

static void expect_edge(const u8 *code, u32 len, u32 depth)
{
	/* in a file, and in generated code */
	begin(FN);
	img_write(&img, FN, code, len);
	img_u64(&img, SP0 + depth - 8, CALLER);
	expect_caller(CALLER, SP0 + depth);
	begin(JIT + 0x100);
	img_write(&img, JIT + 0x100, code, len);
	img_u64(&img, SP0 + depth - 8, CALLER);
	expect_caller(CALLER, SP0 + depth);
}

static void test_bare__returns(void **state)
{
	(void)state;
	expect_edge(BYTES(0xc3), 8); /* ret */
	expect_edge(BYTES(0xc2, 0x10, 0x00), 8); /* ret $16 */
	expect_edge(BYTES(0xf3, 0xc3), 8); /* repz ret */
	expect_edge(BYTES(0xf2, 0xc3), 8); /* bnd ret */
}

static void test_bare__edge_needs_a_return_address(void **state)
{
	static const u64 word[] = { 0, 1, NO_CALLER, IMG_TEXT, IMG_TEXT + 6, IMG_STACK, ~0ull };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		begin(FN);
		img_write(&img, FN, BYTES(0xc3));
		img_u64(&img, SP0, word[i]);
		expect_stop(UNCOIL_STOP_NO_ENTRY);
	}
}

static void test_bare__edge_is_of_the_innermost_frame_alone(void **state)
{
	(void)state;
	begin(FN);
	img_write(&img, FN, BYTES(0xc3));
	img_u64(&img, SP0, CALLER);
	w.exact = 0; /* a call that ends before a ret */
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* The last instruction of all code; nothing is mapped behind it. */
static void test_bare__return_at_the_end_of_the_mapping(void **state)
{
	u64 end = IMG_TEXT + 0x2000;

	(void)state;
	begin(end - 1);
	img.nr_maps = 2; /* code only: headers and sections go */
	img_map(&img, IMG_STACK, 0, 0, 0, 0)->end = IMG_STACK_END;
	img_lose_page(&img, end);
	img_write(&img, end - 1, BYTES(0xc3));
	img_u64(&img, SP0, CALLER);
	expect_caller(CALLER, SP0 + 8);
}

/* ---- what is a call ---- */

static void expect_call(u32 is_one, const u8 *code, u32 len)
{
	begin(FN);
	img_write(&img, FN, BYTES(0xc3));
	img_write(&img, NO_CALLER - len, code, len);
	img_u64(&img, SP0, NO_CALLER);
	if (is_one)
		expect_caller(NO_CALLER, SP0 + 8);
	else
		expect_stop(UNCOIL_STOP_NO_ENTRY);
}

static void test_bare__direct_calls(void **state)
{
	(void)state;
	expect_call(1, BYTES(0xe8, LE32(0x1234)));
	expect_call(0, BYTES(0xe9, LE32(0x1234))); /* jmp */
	expect_call(0, BYTES(0xe8, LE32(0x1234), 0x90)); /* ends earlier */
	expect_call(0, BYTES(0xe8, LE16(0x1234), 0x12)); /* ends later */
}

/* call *%reg, for each register */
static void test_bare__calls_by_register(void **state)
{
	u8 reg;

	(void)state;
	for (reg = 0; reg < 8; reg++) {
		expect_call(1, BYTES(0xff, 0xd0 + reg)); /* rax ... rdi */
		expect_call(1, BYTES(0x41, 0xff, 0xd0 + reg)); /* r8 ... r15 */
	}
}

static void test_bare__calls_by_memory(void **state)
{
	u8 reg;

	(void)state;
	for (reg = 0; reg < 8; reg++) {
		if (reg != 4) {
			if (reg != 5)
				expect_call(1, BYTES(0xff, 0x10 + reg)); /* *(reg) */
			expect_call(1, BYTES(0xff, 0x50 + reg, 0x18)); /* *24(reg) */
			expect_call(1, BYTES(0xff, 0x90 + reg, LE32(0x1234)));
		}
	}
	expect_call(1, BYTES(0xff, 0x15, LE32(0x1234))); /* *slot(%rip) */
	expect_call(1, BYTES(0xff, 0x14, 0xc8)); /* *(rax,rcx,8) */
	expect_call(1, BYTES(0xff, 0x54, 0x24, 0x18)); /* *24(rsp) */
	expect_call(1, BYTES(0xff, 0x94, 0x24, LE32(0x1234))); /* *n(rsp) */
	expect_call(1, BYTES(0xff, 0x14, 0xc5, LE32(0x1234))); /* *table(,rax,8) */
	expect_call(1, BYTES(0x41, 0xff, 0x54, 0x24, 0x18)); /* *24(r12) */
}

static void test_bare__no_calls(void **state)
{
	(void)state;
	expect_call(0, BYTES(0xff, 0xe0)); /* jmp *%rax */
	expect_call(0, BYTES(0xff, 0xc0)); /* inc %eax */
	expect_call(0, BYTES(0xff, 0x25, LE32(0x1234))); /* jmp *slot(%rip) */
	expect_call(0, BYTES(0xff, 0x35, LE32(0x1234))); /* push slot(%rip) */
	expect_call(0, BYTES(0xff, 0x74, 0x24, 0x18)); /* push 24(%rsp) */
	expect_call(0, BYTES(0xff, 0x18)); /* lcall *(%rax) */
	expect_call(0, BYTES(0x90, 0x90));
	expect_call(0, BYTES(0x0f, 0x05)); /* syscall */
}

/* ---- the frame pointer ---- */

/* A function that has set it up, and the record that it leads to. */
static void with_frame_pointer(void)
{
	begin(FN + 0x20);
	/* push %rbp; mov %rsp,%rbp; sub $16,%rsp */
	img_write(&img, FN, BYTES(0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10));
	w.regs.r[UC_RBP] = SP0 + 0x10;
	img_u64(&img, SP0 + 0x10, SP0 + 0x40);
	img_u64(&img, SP0 + 0x18, CALLER);
	img_u64(&img, SP0 + 0x40, 0);
	img_u64(&img, SP0 + 0x48, CALLER2);
}

static void expect_followed(void)
{
	expect_caller(CALLER, SP0 + 0x20);
	assert_int_equal(w.regs.r[UC_RBP], SP0 + 0x40);
	assert_true(w.regs.known & UC_BIT(UC_RBP));
}

static void test_bare__frame_pointer_that_was_set_up_is_followed(void **state)
{
	(void)state;
	with_frame_pointer();
	expect_followed();
	/* the other encoding, and an instruction between the halves */
	with_frame_pointer();
	img_write(&img, FN, BYTES(0x55, 0x31, 0xc0, 0x48, 0x8b, 0xec));
	expect_followed();
	/* a caller's frame, looked up before its return address */
	with_frame_pointer();
	w.exact = 0;
	expect_followed();
}

static void test_bare__other_preserved_registers_are_kept(void **state)
{
	(void)state;
	/* not known to be: but the best there is, and never used for the walk */
	with_frame_pointer();
	expect_followed();
	assert_false(w.regs.known & UC_BIT(UC_RAX));
	assert_true(w.regs.known & UC_BIT(UC_RSP));
}

static void test_bare__no_set_up_no_frame_pointer(void **state)
{
	(void)state;
	with_frame_pointer();
	img_write(&img, FN, BYTES(0x53, 0x48, 0x83, 0xec, 0x10, 0x90, 0x90, 0x90)); /* push %rbx */
	expect_stop(UNCOIL_STOP_NO_ENTRY);
	/* the halves too far apart */
	with_frame_pointer();
	img_write(&img, FN, BYTES(0x55, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
				  0x90, 0x90, 0x90, 0x90, 0x48, 0x89, 0xe5));
	expect_stop(UNCOIL_STOP_NO_ENTRY);
	/* the set-up is behind the pc */
	with_frame_pointer();
	img_write(&img, FN, BYTES(0x90, 0x90, 0x90, 0x90));
	img_write(&img, FN + 0x20, BYTES(0x90, 0x55, 0x48, 0x89, 0xe5));
	expect_stop(UNCOIL_STOP_NO_ENTRY);
	/* it is too far away to belong to this function for sure */
	with_frame_pointer();
	w.regs.pc = FN + 8 + UC_PROLOGUE_BYTES;
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

static void test_bare__set_up_of_the_function_before_is_none(void **state)
{
	static const u8 pad[] = { 0x90, 0xcc, 0x66, 0x0f };
	u32 i;

	(void)state;
	/* leave; ret, padding; the function that the pc is in: sub $16,%rsp */
	for (i = 0; i < sizeof(pad); i++) {
		with_frame_pointer();
		img_write(&img, FN + 8, BYTES(0xc9, 0xc3, pad[i]));
		img_write(&img, FN + 0x10, BYTES(0x48, 0x83, 0xec, 0x10));
		expect_stop(UNCOIL_STOP_NO_ENTRY);
	}
	/* no padding, but endbr64 */
	with_frame_pointer();
	img_write(&img, FN + 8, BYTES(0xc9, 0xc3, 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x10));
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* Nor of one that ends with a jump, or with a call that does not return. */
static void test_bare__function_before_may_end_without_ret(void **state)
{
	static const struct {
		u8 len, bytes[5];
	} end[] = { { 5, { 0xe9, LE32(0x40) } }, { 2, { 0xeb, 0x40 } }, { 5, { 0xe8, LE32(0x40) } },
		    { 2, { 0x0f, 0x0b } }, { 1, { 0xc3 } } };
	static const struct {
		u8 len, bytes[6];
	} pad[] = { { 1, { 0xcc } }, { 1, { 0x90 } }, { 2, { 0x66, 0x90 } }, { 3, { 0x0f, 0x1f, 0 } },
		    { 6, { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0 } }, { 4, { 0xf3, 0x0f, 0x1e, 0xfa } } };
	u32 i, j;

	(void)state;
	for (i = 0; i < sizeof(end) / sizeof(end[0]); i++)
		for (j = 0; j < sizeof(pad) / sizeof(pad[0]); j++) {
			with_frame_pointer();
			img_write(&img, FN + 8, end[i].bytes, end[i].len);
			img_write(&img, FN + 8 + end[i].len, pad[j].bytes, pad[j].len);
			img_write(&img, FN + 0x18, BYTES(0x48, 0x83, 0xec, 0x10));
			expect_stop(UNCOIL_STOP_NO_ENTRY);
		}
	/* but one that is followed by other code is inside the function */
	for (i = 0; i < sizeof(end) / sizeof(end[0]); i++) {
		with_frame_pointer();
		img_write(&img, FN + 8, end[i].bytes, end[i].len);
		img_write(&img, FN + 8 + end[i].len, BYTES(0x0f, 0xb6, 0xc0)); /* movzbl */
		expect_followed();
	}
}

/* pop %rbp; ret, and at once the next function, whose push is not done yet. */
static void test_bare__function_may_begin_at_the_pc(void **state)
{
	(void)state;
	with_frame_pointer();
	w.regs.pc = FN + 0x13;
	img_write(&img, FN + 8, BYTES(0x5d, 0xc3));
	img_write(&img, FN + 10, BYTES(0x55, 0x48, 0x89, 0xe5, 0x83, 0xf8, 0x01, 0x5d, 0xc3));
	/* push %rbp; mov %rsp,%rbp; ud2 */
	img_write(&img, FN + 0x13, BYTES(0x55, 0x48, 0x89, 0xe5, 0x0f, 0x0b));
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* A function that ends at a 16-byte boundary is followed without padding. */
static void test_bare__function_before_may_end_without_padding(void **state)
{
	(void)state;
	with_frame_pointer();
	img_write(&img, FN + 8, BYTES(0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc9, 0xc3));
	img_write(&img, FN + 0x10, BYTES(0x48, 0x83, 0xec, 0x10)); /* no frame pointer here */
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

static void test_bare__ret_inside_a_function_ends_nothing(void **state)
{
	(void)state;
	with_frame_pointer();
	/* leave; ret; mov $1,%eax */
	img_write(&img, FN + 8, BYTES(0xc9, 0xc3, 0xb8, LE32(1)));
	expect_followed();
}

static void test_bare__generated_code_needs_no_set_up(void **state)
{
	(void)state;
	with_frame_pointer();
	w.regs.pc = JIT + 0x100;
	expect_followed();
}

/* ---- a wrong frame pointer ---- */

static void expect_not_followed(u64 fp)
{
	w.regs.r[UC_RBP] = fp;
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

static void test_bare__wrong_frame_pointer_is_never_followed(void **state)
{
	(void)state;
	with_frame_pointer();
	expect_not_followed(SP0 + 0x11); /* not aligned */
	with_frame_pointer();
	img_u64(&img, SP0 - 8, CALLER);
	expect_not_followed(SP0 - 16); /* below the stack pointer */
	with_frame_pointer();
	expect_not_followed(IMG_STACK_END); /* above the stack */
	with_frame_pointer();
	expect_not_followed(IMG_STACK_END - 8); /* half of it */
	with_frame_pointer();
	img_map(&img, IMG_STACK_END, 0x1000, 0, 0, 0);
	img_u64(&img, IMG_STACK_END + 0x108, CALLER);
	expect_not_followed(IMG_STACK_END + 0x100); /* in the mapping above */
	with_frame_pointer();
	expect_not_followed((u64)-8);
	with_frame_pointer();
	expect_not_followed((u64)-16);
	with_frame_pointer();
	expect_not_followed(1ull << 63);
}

/* An address that wraps is in no mapping: nothing is read at 0. */
static void test_bare__frame_pointer_at_the_end_of_all_memory(void **state)
{
	int rc;

	(void)state;
	with_frame_pointer();
	w.regs.r[UC_RBP] = (u64)-8;
	rc = uc_walk_step(&w);
	assert_int_equal(rc, UNCOIL_STOP_NO_ENTRY);
}

static void test_bare__record_without_a_return_address_is_not_followed(void **state)
{
	static const u64 word[] = { 0, 1, NO_CALLER, CALLER - 1, CALLER + 1, IMG_STACK, IMG_HDR };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		with_frame_pointer();
		img_u64(&img, SP0 + 0x18, word[i]);
		expect_stop(UNCOIL_STOP_NO_ENTRY);
	}
}

static void test_bare__stack_pointer_outside_all_mappings(void **state)
{
	(void)state;
	with_frame_pointer();
	w.regs.r[UC_RSP] = 0x1000;
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

static void test_bare__registers_that_are_not_known(void **state)
{
	(void)state;
	with_frame_pointer();
	w.regs.known &= ~UC_BIT(UC_RBP);
	expect_stop(UNCOIL_STOP_NO_REGISTER);
	with_frame_pointer();
	w.regs.known &= ~UC_BIT(UC_RSP);
	expect_stop(UNCOIL_STOP_NO_REGISTER);
	assert_int_equal(w.flaw, UNCOIL_FLAW_OF_REGISTER | UC_RSP);
}

static void test_bare__zero_ends_the_chain_where_it_was_followed(void **state)
{
	(void)state;
	with_frame_pointer();
	/* the caller and its caller keep frame pointers, too */
	img_write(&img, CALLER - 0x45, BYTES(0x55, 0x48, 0x89, 0xe5));
	img_write(&img, CALLER2 - 0x45, BYTES(0x55, 0x48, 0x89, 0xe5));
	expect_followed();
	expect_caller(CALLER2, SP0 + 0x50);
	assert_int_equal(w.regs.r[UC_RBP], 0);
	expect_stop(UNCOIL_STOP_END_OF_CHAIN);
	/* a zero at first means nothing */
	with_frame_pointer();
	w.regs.r[UC_RBP] = 0;
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* "A zero says something only where the frame pointer was followed": not at a
 * ret, nor in a PLT entry. */
static void test_bare__zero_below_another_row_ends_no_chain(void **state)
{
	(void)state;
	begin(FN);
	img_write(&img, FN, BYTES(0xc3));
	img_u64(&img, SP0, CALLER);
	w.regs.r[UC_RBP] = 0;
	expect_caller(CALLER, SP0 + 8);
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* ---- the rest ---- */

static void test_bare__call_to_where_no_code_is(void **state)
{
	static const u64 pc[] = { 0, 1, 0x123456, IMG_STACK, IMG_HDR, ~0ull };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(pc) / sizeof(pc[0]); i++) {
		begin(pc[i]);
		img_u64(&img, SP0, CALLER);
		expect_caller(CALLER, SP0 + 8);
		begin(pc[i]);
		img_u64(&img, SP0, NO_CALLER); /* a jump, maybe */
		expect_stop(UNCOIL_STOP_NO_MAPPING);
		assert_int_equal(w.stop_addr, pc[i]);
	}
}

static void test_bare__entry_point_is_the_outermost(void **state)
{
	(void)state;
	begin(FN);
	w.entry_sp = SP0;
	expect_stop(UNCOIL_STOP_OUTERMOST);
	begin(FN);
	w.entry_sp = SP0 - 16; /* has popped something */
	expect_stop(UNCOIL_STOP_OUTERMOST);
	begin(FN);
	w.entry_sp = SP0 + 8; /* there is a frame below */
	expect_stop(UNCOIL_STOP_NO_ENTRY);
	begin(FN);
	w.entry_sp = SP0 - UC_ENTRY_BYTES; /* of another stack */
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* mov $15,%rax; syscall, in the usual order of struct sigcontext_64. */
static const u8 trampoline[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
static const struct {
	u32 reg, off;
} sigframe[] = {
	{ 8, 40 },  { 9, 48 },	{ 10, 56 },  { 11, 64 },  { 12, 72 },  { 13, 80 },
	{ 14, 88 }, { 15, 96 }, { 5, 104 },  { 4, 112 },  { 6, 120 },  { 3, 128 },
	{ 1, 136 }, { 0, 144 }, { 2, 152 },  { 7, 160 },  { 16, 168 },
};

static void put_signal_frame(u64 sp)
{
	u32 i;

	for (i = 0; i < 17; i++)
		img_u64(&img, sp + sigframe[i].off, 0x2000 + sigframe[i].reg);
	img_u64(&img, sp + 160, SP0 + 0x400);
}

static void expect_signal_frame(void)
{
	u32 i;

	assert_int_equal(img_step(&img, &w), 0);
	for (i = 0; i < 16; i++)
		assert_int_equal(w.regs.r[i], i == 7 ? SP0 + 0x400 : 0x2000 + i);
	assert_int_equal(w.regs.pc, 0x2010);
	assert_int_equal(w.regs.known, UC_X86_64_REGS);
	assert_int_equal(w.exact, 1); /* even where no code is */
}

static void test_bare__signal_trampoline(void **state)
{
	u32 exact;

	(void)state;
	for (exact = 0; exact < 2; exact++) {
		begin(FN);
		img_write(&img, FN, trampoline, sizeof(trampoline));
		put_signal_frame(SP0);
		w.exact = exact;
		expect_signal_frame();
	}
	begin(FN);
	img_write(&img, FN, trampoline, sizeof(trampoline) - 1);
	put_signal_frame(SP0);
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* At its second instruction: an interrupted one, never a return address. */
static void test_bare__signal_trampoline_at_the_system_call(void **state)
{
	(void)state;
	begin(FN + 7);
	img_write(&img, FN, trampoline, sizeof(trampoline));
	put_signal_frame(SP0);
	expect_signal_frame();
	begin(FN + 7);
	img_write(&img, FN, trampoline, sizeof(trampoline));
	put_signal_frame(SP0);
	w.exact = 0;
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* A program's start that has pushed something; the psABI has it clear %rbp. */
static void test_bare__start_that_has_pushed_is_the_outermost(void **state)
{
	/* xor %ebp,%ebp; mov %rdx,%r9; pop %rsi; mov %rsp,%rdx; and $-16,%rsp; push %rax;
	 * push %rsp; call *slot(%rip); hlt: glibc's */
	static const u8 start[] = { 0x31, 0xed, 0x49, 0x89, 0xd1, 0x5e, 0x48, 0x89, 0xe2, 0x48, 0x83,
				    0xe4, 0xf0, 0x50, 0x54, 0xff, 0x15, LE32(0x40), 0xf4 };
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	u32 exact;

	(void)state;
	for (exact = 0; exact < 2; exact++) {
		begin(FN + 21);
		img_write(&img, FN, start, sizeof(start));
		w.exact = exact;
		w.entry_sp = SP0 + 16;
		expect_stop(UNCOIL_STOP_OUTERMOST);
		begin(FN + 25);
		img_write(&img, FN, endbr64, 4);
		img_write(&img, FN + 4, start, sizeof(start));
		w.exact = exact;
		w.entry_sp = SP0 + 16;
		expect_stop(UNCOIL_STOP_OUTERMOST);
		/* the stack pointer is elsewhere, or nothing clears the frame pointer */
		begin(FN + 21);
		img_write(&img, FN, start, sizeof(start));
		w.exact = exact;
		w.entry_sp = SP0 + UC_ENTRY_PUSHES + 8;
		expect_stop(UNCOIL_STOP_NO_ENTRY);
		begin(FN + 21);
		img_write(&img, FN, start, sizeof(start));
		img_write(&img, FN, BYTES(0x31, 0xc0));
		w.exact = exact;
		w.entry_sp = SP0 + 16;
		expect_stop(UNCOIL_STOP_NO_ENTRY);
	}
}

/* Behind the call of its function: mov %eax,%edi; xor %eax,%eax; mov $60,%al;
 * syscall; hlt */
static void test_bare__thread_of_musl_is_the_outermost(void **state)
{
	static const u8 code[] = { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05, 0xf4 };

	(void)state;
	begin(FN);
	img_write(&img, FN, code, sizeof(code));
	w.exact = 0;
	expect_stop(UNCOIL_STOP_OUTERMOST);
	begin(FN);
	img_write(&img, FN, code, sizeof(code) - 1);
	w.exact = 0;
	expect_stop(UNCOIL_STOP_NO_ENTRY);
}

/* Generated by a runtime, or put on the stack by an old kernel. */
static void test_bare__signal_trampoline_outside_files(void **state)
{
	(void)state;
	begin(JIT + 0x100);
	img_write(&img, JIT + 0x100, trampoline, sizeof(trampoline));
	put_signal_frame(SP0);
	w.exact = 0;
	expect_signal_frame();
}

/* Bytes on a page that only has to be brought in are no missing bytes. */
static void test_bare__trampoline_across_a_page_that_is_not_present(void **state)
{
	u64 at = IMG_TEXT + 0x1000 - 4;
	u32 exact;

	(void)state;
	for (exact = 0; exact < 2; exact++) {
		begin(at);
		img_write(&img, at, trampoline, sizeof(trampoline));
		img_page(&img, IMG_TEXT + 0x1000)->missing = 1;
		put_signal_frame(SP0);
		w.exact = exact;
		expect_signal_frame();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bare__plt_entry_of_lld),
		cmocka_unit_test(test_bare__plt0_of_lld),
		cmocka_unit_test(test_bare__plt_of_lld_with_ibt),
		cmocka_unit_test(test_bare__plt_entry_of_mold),
		cmocka_unit_test(test_bare__plt0_of_mold),
		cmocka_unit_test(test_bare__plt_entry_is_never_a_caller),
		cmocka_unit_test(test_bare__returns),
		cmocka_unit_test(test_bare__edge_needs_a_return_address),
		cmocka_unit_test(test_bare__edge_is_of_the_innermost_frame_alone),
		cmocka_unit_test(test_bare__return_at_the_end_of_the_mapping),
		cmocka_unit_test(test_bare__direct_calls),
		cmocka_unit_test(test_bare__calls_by_register),
		cmocka_unit_test(test_bare__calls_by_memory),
		cmocka_unit_test(test_bare__no_calls),
		cmocka_unit_test(test_bare__frame_pointer_that_was_set_up_is_followed),
		cmocka_unit_test(test_bare__other_preserved_registers_are_kept),
		cmocka_unit_test(test_bare__no_set_up_no_frame_pointer),
		cmocka_unit_test(test_bare__set_up_of_the_function_before_is_none),
		cmocka_unit_test(test_bare__function_before_may_end_without_padding),
		cmocka_unit_test(test_bare__function_before_may_end_without_ret),
		cmocka_unit_test(test_bare__function_may_begin_at_the_pc),
		cmocka_unit_test(test_bare__ret_inside_a_function_ends_nothing),
		cmocka_unit_test(test_bare__generated_code_needs_no_set_up),
		cmocka_unit_test(test_bare__wrong_frame_pointer_is_never_followed),
		cmocka_unit_test(test_bare__frame_pointer_at_the_end_of_all_memory),
		cmocka_unit_test(test_bare__record_without_a_return_address_is_not_followed),
		cmocka_unit_test(test_bare__stack_pointer_outside_all_mappings),
		cmocka_unit_test(test_bare__registers_that_are_not_known),
		cmocka_unit_test(test_bare__zero_ends_the_chain_where_it_was_followed),
		cmocka_unit_test(test_bare__zero_below_another_row_ends_no_chain),
		cmocka_unit_test(test_bare__call_to_where_no_code_is),
		cmocka_unit_test(test_bare__entry_point_is_the_outermost),
		cmocka_unit_test(test_bare__signal_trampoline),
		cmocka_unit_test(test_bare__signal_trampoline_outside_files),
		cmocka_unit_test(test_bare__thread_of_musl_is_the_outermost),
		cmocka_unit_test(test_bare__start_that_has_pushed_is_the_outermost),
		cmocka_unit_test(test_bare__signal_trampoline_at_the_system_call),
		cmocka_unit_test(test_bare__trampoline_across_a_page_that_is_not_present),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
