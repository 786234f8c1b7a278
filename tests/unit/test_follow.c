/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code without unwind data, followed from the pc to its return. Encodings are
 * those of Intel's manual, volume 2. */
#include "core_image.h"

static struct image img;
static struct uc_walk w;

#define FN (IMG_TEXT + 0x200)
#define FN2 (IMG_TEXT + 0x400)
#define SP0 (IMG_STACK + 0x800)
#define CALLER (IMG_TEXT + 0x805) /* follows a call */

#define RAX UC_RAX
#define RBX UC_RBX
#define RBP UC_RBP
#define R12 UC_R12
#define R13 UC_R13

/* A program with an empty search table; int3 all over; each register and each
 * stack word has a value of its own. The code is at FN, the pc at @at in it. */
static void begin(u32 at, const u8 *code, u32 len)
{
	u64 addr;
	u32 i;

	img_program(&img);
	img_hdr(&img);
	for (addr = IMG_TEXT; addr < IMG_TEXT + 0x2000; addr++)
		img_write(&img, addr, BYTES(0xcc));
	for (addr = IMG_STACK; addr < IMG_STACK_END; addr += 8)
		img_u64(&img, addr, addr ^ 0xff00);
	img_write(&img, CALLER - 5, BYTES(0xe8, LE32(0)));
	img_write(&img, FN, code, len);
	img_walk_init(&img, &w);
	for (i = 0; i < 16; i++)
		w.regs.r[i] = 0x1000 + i;
	w.regs.pc = FN + at;
	w.regs.r[UC_RSP] = SP0;
	w.regs.r[UC_RBP] = 1;
	uc_walk_begin(&w);
}

static u64 word(u64 at)
{
	return at ^ 0xff00;
}

/* The return address is @depth bytes above the stack pointer. */
static void expect_depth(u32 depth)
{
	img_u64(&img, SP0 + depth, CALLER);
	assert_int_equal(img_step(&img, &w), 0);
	assert_int_equal(w.regs.pc, CALLER);
	assert_int_equal(w.regs.r[UC_RSP], SP0 + depth + 8);
	assert_int_equal(w.exact, 0);
}

static void expect_reg(u32 reg, u64 want)
{
	assert_true(w.regs.known & UC_BIT(reg));
	assert_int_equal(w.regs.r[reg], want);
}

static void expect_lost(u32 reg)
{
	assert_false(w.regs.known & UC_BIT(reg));
}

static void expect_none(void)
{
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_NO_ENTRY);
}

/* ---- frames ---- */

/* push %rbp; mov %rsp,%rbp; sub $16,%rsp; xor %eax,%eax; leave; ret */
static const u8 with_fp[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec,
			      0x10, 0x31, 0xc0, 0xc9, 0xc3 };

static void test_follow__function_with_a_frame_pointer(void **state)
{
	(void)state;
	begin(0, with_fp, sizeof(with_fp)); /* nothing done yet */
	expect_depth(0);
	expect_reg(RBP, 1);
	begin(1, with_fp, sizeof(with_fp)); /* pushed */
	expect_depth(8);
	expect_reg(RBP, word(SP0));
	begin(4, with_fp, sizeof(with_fp)); /* set */
	w.regs.r[RBP] = SP0;
	expect_depth(8);
	expect_reg(RBP, word(SP0));
	begin(8, with_fp, sizeof(with_fp)); /* and room made */
	w.regs.r[RBP] = SP0 + 16;
	expect_depth(24);
	expect_reg(RBP, word(SP0 + 16));
	begin(11, with_fp, sizeof(with_fp)); /* left */
	expect_depth(0);
	expect_reg(RBP, 1);
}

static void test_follow__frame_pointer_is_popped(void **state)
{
	/* endbr64; push %rbp; mov %rsp,%rbp; pop %rbp; ret */
	static const u8 code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3 };

	(void)state;
	begin(0, code, sizeof(code));
	expect_depth(0);
	expect_reg(RBP, 1);
	begin(5, code, sizeof(code));
	expect_depth(8);
	expect_reg(RBP, word(SP0));
	begin(8, code, sizeof(code));
	expect_depth(8);
	expect_reg(RBP, word(SP0));
}

/* push %rbx; push %r12; sub $24,%rsp; mov %edi,%ebx; add $24,%rsp; pop %r12;
 * pop %rbx; ret */
static const u8 pushes[] = { 0x53, 0x41, 0x54, 0x48, 0x83, 0xec, 0x18, 0x89, 0xfb,
			     0x48, 0x83, 0xc4, 0x18, 0x41, 0x5c, 0x5b, 0xc3 };

static void test_follow__pushes_and_pops(void **state)
{
	(void)state;
	begin(0, pushes, sizeof(pushes));
	expect_depth(0);
	expect_reg(RBX, 0x1003);
	expect_reg(R12, 0x100c);
	begin(1, pushes, sizeof(pushes));
	expect_depth(8);
	expect_reg(RBX, word(SP0));
	expect_reg(R12, 0x100c);
	begin(3, pushes, sizeof(pushes));
	expect_depth(16);
	expect_reg(RBX, word(SP0 + 8));
	expect_reg(R12, word(SP0));
	begin(7, pushes, sizeof(pushes));
	expect_depth(40);
	expect_reg(RBX, word(SP0 + 32));
	expect_reg(R12, word(SP0 + 24));
	begin(13, pushes, sizeof(pushes));
	expect_depth(16);
	begin(15, pushes, sizeof(pushes));
	expect_depth(8);
	expect_reg(RBX, word(SP0));
	expect_reg(R12, 0x100c);
	begin(16, pushes, sizeof(pushes));
	expect_depth(0);
	expect_reg(RBX, 0x1003);
}

static void test_follow__registers_saved_by_mov(void **state)
{
	(void)state;
	/* mov 8(%rsp),%rbx; mov 16(%rsp),%r12; add $24,%rsp; ret */
	begin(0, BYTES(0x48, 0x8b, 0x5c, 0x24, 0x08, 0x4c, 0x8b, 0x64, 0x24, 0x10, 0x48, 0x83, 0xc4,
		       0x18, 0xc3));
	expect_depth(24);
	expect_reg(RBX, word(SP0 + 8));
	expect_reg(R12, word(SP0 + 16));
}

static void test_follow__large_frame(void **state)
{
	(void)state;
	/* add $0x400,%rsp; pop %rbx; ret */
	begin(0, BYTES(0x48, 0x81, 0xc4, LE32(0x400), 0x5b, 0xc3));
	expect_depth(0x408);
	expect_reg(RBX, word(SP0 + 0x400));
}

static void test_follow__preserved_register_with_a_value_of_its_own_is_lost(void **state)
{
	(void)state;
	/* mov $1,%ebx; ret: it keeps no promise */
	begin(0, BYTES(0xbb, LE32(1), 0xc3));
	expect_depth(0);
	expect_lost(RBX);
	expect_reg(R12, 0x100c);
}

static void test_follow__word_must_follow_a_call(void **state)
{
	(void)state;
	begin(0, BYTES(0xc3));
	expect_none();
	begin(0, BYTES(0x48, 0x83, 0xc4, 0x08, 0xc3)); /* add $8,%rsp */
	img_u64(&img, SP0, CALLER);
	expect_none();
}

/* ---- jumps ---- */

static void test_follow__jumps_and_branches(void **state)
{
	(void)state;
	/* jmp +2; int3; int3; ret */
	begin(0, BYTES(0xeb, 0x02, 0xcc, 0xcc, 0xc3));
	expect_depth(0);
	/* jmp +2, by 32 bits */
	begin(0, BYTES(0xe9, LE32(2), 0xcc, 0xcc, 0xc3));
	expect_depth(0);
	/* je forward: taken */
	begin(0, BYTES(0x74, 0x02, 0xcc, 0xcc, 0xc3));
	expect_depth(0);
	begin(0, BYTES(0x0f, 0x84, LE32(2), 0xcc, 0xcc, 0xc3));
	expect_depth(0);
	/* a loop's branch back: not taken */
	begin(0, BYTES(0xff, 0xc8, 0x75, 0xfc, 0xc3)); /* dec %eax; jne; ret */
	expect_depth(0);
}

static void test_follow__branch_after_a_test_goes_where_it_will(void **state)
{
	/* test %rax,%rax; jl A; je B; ret; A: pop %rbx; ret; B: pop %rbx; pop %r12; ret */
	static const u8 code[] = { 0x48, 0x85, 0xc0, 0x7c, 0x03, 0x74, 0x03, 0xc3,
				   0x5b, 0xc3, 0x5b, 0x41, 0x5c, 0xc3 };

	(void)state;
	begin(0, code, sizeof(code));
	w.regs.r[RAX] = 5;
	expect_depth(0);
	begin(0, code, sizeof(code));
	w.regs.r[RAX] = (u64)-1;
	expect_depth(8);
	begin(0, code, sizeof(code));
	w.regs.r[RAX] = 0;
	expect_depth(16);
}

/* Each condition of a branch after a test, for -1, 0 and 1. */
static void test_follow__conditions_after_a_test(void **state)
{
	static const struct {
		u8 op, taken[3];
	} branch[] = {
		{ 0x74, { 0, 1, 0 } }, { 0x75, { 1, 0, 1 } }, /* je jne */
		{ 0x78, { 1, 0, 0 } }, { 0x79, { 0, 1, 1 } }, /* js jns */
		{ 0x7c, { 1, 0, 0 } }, { 0x7d, { 0, 1, 1 } }, /* jl jge */
		{ 0x7e, { 1, 1, 0 } }, { 0x7f, { 0, 0, 1 } }, /* jle jg */
	};
	u32 i, v;

	(void)state;
	for (i = 0; i < sizeof(branch) / sizeof(branch[0]); i++)
		for (v = 0; v < 3; v++) {
			/* test %rbx,%rbx; branch to the pop; ret; pop %r12; ret */
			begin(0, BYTES(0x48, 0x85, 0xdb, branch[i].op, 0x01, 0xc3, 0x41, 0x5c, 0xc3));
			w.regs.r[RBX] = (u64)v - 1;
			expect_depth(branch[i].taken[v] ? 8 : 0);
			begin(0, BYTES(0x48, 0x85, 0xdb, 0x0f, branch[i].op + 0x10, LE32(1), 0xc3,
				       0x41, 0x5c, 0xc3));
			w.regs.r[RBX] = (u64)v - 1;
			expect_depth(branch[i].taken[v] ? 8 : 0);
		}
}

static void test_follow__call_in_last_place(void **state)
{
	(void)state;
	/* pop %rbx; jmp *slot(%rip) */
	begin(0, BYTES(0x5b, 0xff, 0x25, LE32(0x1234)));
	expect_depth(8);
	expect_reg(RBX, word(SP0));
	/* pop %rbx; jmp FN2; there: ret */
	begin(0, BYTES(0x5b, 0xe9, LE32(FN2 - (FN + 6))));
	img_write(&img, FN2, BYTES(0xc3));
	expect_depth(8);
	expect_reg(RBX, word(SP0));
}

/* What FN2 pushes and pops is what FN gave back to its caller, not what FN
 * had in the register. */
static void test_follow__last_call_saves_what_was_restored(void **state)
{
	(void)state;
	begin(0, BYTES(0x5b, 0xe9, LE32(FN2 - (FN + 6))));
	/* push %rbx; mov $1,%ebx; pop %rbx; ret */
	img_write(&img, FN2, BYTES(0x53, 0xbb, LE32(1), 0x5b, 0xc3));
	expect_depth(8);
	expect_reg(RBX, word(SP0));
}

static void test_follow__push_of_a_value_of_its_own_saves_nothing(void **state)
{
	(void)state;
	/* mov $1,%ebx; push %rbx; pop %rbx; ret */
	begin(0, BYTES(0xbb, LE32(1), 0x53, 0x5b, 0xc3));
	expect_depth(0);
	expect_lost(RBX);
}

static void test_follow__jump_out_of_the_mapping(void **state)
{
	(void)state;
	begin(0, BYTES(0xe9, LE32(0x7fffffff)));
	expect_none();
	begin(0, BYTES(0xe9, LE32(-0x7fffffff)));
	expect_none();
}

static void test_follow__loops_are_bounded(void **state)
{
	u8 nops[UC_FOLLOW_INSNS + 1];

	(void)state;
	begin(0, BYTES(0xeb, 0xfe)); /* jmp . */
	expect_none();
	memset(nops, 0x90, sizeof(nops));
	nops[UC_FOLLOW_INSNS - 1] = 0xc3;
	begin(0, nops, UC_FOLLOW_INSNS);
	expect_depth(0);
	nops[UC_FOLLOW_INSNS - 1] = 0x90;
	nops[UC_FOLLOW_INSNS] = 0xc3;
	begin(0, nops, UC_FOLLOW_INSNS + 1);
	expect_none();
}

/* ---- what can not be followed ---- */

static void expect_lost_way(const u8 *code, u32 len)
{
	u8 all[40];

	memcpy(all, code, len);
	all[len] = 0xc3; /* the way would end here */
	begin(0, all, len + 1);
	img_u64(&img, SP0, CALLER);
	expect_none();
}

static void test_follow__instructions_that_are_not_followed(void **state)
{
	(void)state;
	expect_lost_way(BYTES(0xe8, LE32(0))); /* call of the next instruction, which pops */
	expect_lost_way(BYTES(0xff, 0xe0)); /* jmp *%rax */
	expect_lost_way(BYTES(0x41, 0xff, 0x24, 0xc4)); /* jmp *(%r12,%rax,8) */
	expect_lost_way(BYTES(0xb8, LE32(60), 0x0f, 0x05)); /* exit */
	expect_lost_way(BYTES(0xb8, LE32(231), 0x0f, 0x05)); /* exit_group */
	expect_lost_way(BYTES(0xb8, LE32(15), 0x0f, 0x05)); /* rt_sigreturn */
	expect_lost_way(BYTES(0x31, 0xc0, 0xb0, 60, 0x0f, 0x05)); /* exit, as musl has it */
	expect_lost_way(BYTES(0x0f, 0x0b)); /* ud2 */
	expect_lost_way(BYTES(0xcc)); /* int3 */
	expect_lost_way(BYTES(0xf4)); /* hlt */
	expect_lost_way(BYTES(0xc5, 0xf8, 0x77)); /* vzeroupper */
	expect_lost_way(BYTES(0xc8, 0x10, 0, 0)); /* enter */
	expect_lost_way(BYTES(0xcf)); /* iret */
	expect_lost_way(BYTES(0xcb)); /* lret */
}

static void test_follow__stack_pointer_that_is_set_otherwise(void **state)
{
	(void)state;
	expect_lost_way(BYTES(0x48, 0x83, 0xe4, 0xe0)); /* and $-32,%rsp */
	expect_lost_way(BYTES(0x48, 0x89, 0xc4)); /* mov %rax,%rsp */
	expect_lost_way(BYTES(0x48, 0x8b, 0xe0));
	expect_lost_way(BYTES(0x48, 0x8d, 0x65, 0xf0)); /* lea -16(%rbp),%rsp */
	expect_lost_way(BYTES(0x48, 0x29, 0xc4)); /* sub %rax,%rsp */
	expect_lost_way(BYTES(0x48, 0x01, 0xc4)); /* add %rax,%rsp */
	expect_lost_way(BYTES(0x48, 0x87, 0xe0)); /* xchg %rsp,%rax */
	expect_lost_way(BYTES(0x94)); /* xchg %eax,%esp */
	expect_lost_way(BYTES(0x5c)); /* pop %rsp */
	expect_lost_way(BYTES(0x48, 0x8b, 0x64, 0x24, 0x08)); /* mov 8(%rsp),%rsp */
	expect_lost_way(BYTES(0x48, 0xff, 0xc4)); /* inc %rsp */
	expect_lost_way(BYTES(0x48, 0x0f, 0x44, 0xe0)); /* cmove %rax,%rsp */
	expect_lost_way(BYTES(0x48, 0xc7, 0xc4, LE32(0))); /* mov $0,%rsp */
	expect_lost_way(BYTES(0xbc, LE32(0))); /* mov $0,%esp */
}

static void test_follow__pushes_that_are_not_popped(void **state)
{
	(void)state;
	expect_lost_way(BYTES(0x53)); /* push %rbx */
	expect_lost_way(BYTES(0x48, 0x83, 0xec, 0x08)); /* sub $8,%rsp */
	/* more pushes than are remembered */
	expect_lost_way(BYTES(0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53, 0x53,
			      0x53, 0x53, 0x53, 0x53, 0x53, 0x48, 0x81, 0xc4, LE32(17 * 8)));
}

/* ---- lengths: after each of these the way must go on at its next byte ---- */

static void expect_length(const u8 *code, u32 len)
{
	u8 all[40];

	memcpy(all, code, len);
	memcpy(all + len, (const u8[]){ 0x48, 0x83, 0xc4, 0x10, 0xc3 }, 5); /* add $16,%rsp; ret */
	begin(0, all, len + 5);
	expect_depth(16);
}

static void test_follow__operand_forms(void **state)
{
	(void)state;
	expect_length(BYTES(0x89, 0x07)); /* mov %eax,(%rdi) */
	expect_length(BYTES(0x89, 0x47, 0x08)); /* 8(%rdi) */
	expect_length(BYTES(0x89, 0x87, LE32(0x400))); /* 1024(%rdi) */
	expect_length(BYTES(0x89, 0x05, LE32(0x400))); /* 1024(%rip) */
	expect_length(BYTES(0x89, 0x04, 0x25, LE32(0x400))); /* 1024 */
	expect_length(BYTES(0x89, 0x04, 0xc7)); /* (%rdi,%rax,8) */
	expect_length(BYTES(0x89, 0x44, 0xc7, 0x08)); /* 8(%rdi,%rax,8) */
	expect_length(BYTES(0x89, 0x84, 0xc7, LE32(0x400)));
	expect_length(BYTES(0x89, 0x04, 0xc5, LE32(0x400))); /* 1024(,%rax,8) */
	expect_length(BYTES(0x41, 0x89, 0x45, 0x00)); /* (%r13) */
	expect_length(BYTES(0x41, 0x89, 0x04, 0x24)); /* (%r12) */
	expect_length(BYTES(0x89, 0x45, 0xf8)); /* -8(%rbp) */
}

static void test_follow__immediate_operands(void **state)
{
	(void)state;
	expect_length(BYTES(0x83, 0xf8, 0x05)); /* cmp $5,%eax */
	expect_length(BYTES(0x81, 0xf8, LE32(0x400)));
	expect_length(BYTES(0x66, 0x81, 0xf8, LE16(0x400)));
	expect_length(BYTES(0x48, 0x81, 0xf8, LE32(0x400)));
	expect_length(BYTES(0x3c, 0x05)); /* cmp $5,%al */
	expect_length(BYTES(0x3d, LE32(0x400)));
	expect_length(BYTES(0x66, 0x3d, LE16(0x400)));
	expect_length(BYTES(0x48, 0x3d, LE32(0x400)));
	expect_length(BYTES(0xb0, 0x05)); /* mov $5,%al */
	expect_length(BYTES(0xb8, LE32(5)));
	expect_length(BYTES(0x66, 0xb8, LE16(5)));
	expect_length(BYTES(0x48, 0xb8, LE64(5))); /* movabs */
	expect_length(BYTES(0xc6, 0x07, 0x05)); /* movb $5,(%rdi) */
	expect_length(BYTES(0xc7, 0x07, LE32(5)));
	expect_length(BYTES(0x66, 0xc7, 0x07, LE16(5)));
	expect_length(BYTES(0x48, 0xc7, 0x47, 0x08, LE32(5)));
	expect_length(BYTES(0xc1, 0xe0, 0x05)); /* shl $5,%eax */
	expect_length(BYTES(0xd1, 0xe0)); /* shl %eax */
	expect_length(BYTES(0xa8, 0x05)); /* test $5,%al */
	expect_length(BYTES(0xa9, LE32(5)));
}

static void test_follow__two_byte_opcodes(void **state)
{
	(void)state;
	expect_length(BYTES(0xf3, 0x0f, 0x1e, 0xfa)); /* endbr64 */
	expect_length(BYTES(0x0f, 0x1f, 0x44, 0x00, 0x00)); /* nopl */
	expect_length(BYTES(0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, LE32(0))); /* nopw */
	expect_length(BYTES(0x0f, 0xb6, 0xc0)); /* movzbl %al,%eax */
	expect_length(BYTES(0x48, 0x0f, 0xaf, 0xc7)); /* imul %rdi,%rax */
	expect_length(BYTES(0x0f, 0x94, 0xc0)); /* sete %al */
	expect_length(BYTES(0x48, 0x0f, 0x44, 0xc7)); /* cmove */
	expect_length(BYTES(0x66, 0x0f, 0x6f, 0x07)); /* movdqa (%rdi),%xmm0 */
	expect_length(BYTES(0xf3, 0x0f, 0x10, 0x05, LE32(0))); /* movss 0(%rip),%xmm0 */
	expect_length(BYTES(0x66, 0x0f, 0x70, 0xc0, 0xb1)); /* pshufd $0xb1 */
	expect_length(BYTES(0x66, 0x0f, 0x73, 0xd8, 0x08)); /* psrldq $8 */
	expect_length(BYTES(0x0f, 0xc6, 0xc0, 0x00)); /* shufps $0 */
	expect_length(BYTES(0x66, 0x0f, 0xd7, 0xc0)); /* pmovmskb */
	expect_length(BYTES(0xf2, 0x48, 0x0f, 0x2a, 0xc0)); /* cvtsi2sd */
}

static void test_follow__arithmetic(void **state)
{
	u8 op;

	(void)state;
	for (op = 0; op < 0x40; op += 8) { /* add or adc sbb and sub xor cmp */
		expect_length(BYTES(op, 0xc8)); /* %cl,%al */
		expect_length(BYTES(op + 1, 0xc8)); /* %ecx,%eax */
		expect_length(BYTES(op + 2, 0xc8));
		expect_length(BYTES(op + 3, 0xc8));
		expect_length(BYTES(op + 4, 0x05)); /* $5,%al */
		expect_length(BYTES(op + 5, LE32(5))); /* $5,%eax */
	}
	expect_length(BYTES(0x48, 0x8d, 0x44, 0x07, 0x08)); /* lea 8(%rdi,%rax),%rax */
	expect_length(BYTES(0x48, 0x63, 0xc7)); /* movslq %edi,%rax */
	expect_length(BYTES(0x48, 0x98)); /* cltq */
	expect_length(BYTES(0x84, 0xc0)); /* test %al,%al */
}

/* ---- hostile or unlucky code ---- */

/* %ah has the number of %rsp: add $16,%ah */
static void test_follow__high_byte_registers_are_not_the_stack_pointer(void **state)
{
	(void)state;
	begin(0, BYTES(0x80, 0xc4, 0x10, 0xc3));
	img_u64(&img, SP0 + 16, CALLER); /* where it would be taken from */
	if (!img_step(&img, &w))
		assert_int_not_equal(w.regs.r[UC_RSP], SP0 + 24);
	/* with REX it is %spl */
	expect_lost_way(BYTES(0x40, 0x88, 0xc4)); /* mov %al,%spl */
}

/* The slot holds the register only after the store that is still to come. */
static void test_follow__slot_that_is_yet_to_be_written_restores_nothing(void **state)
{
	(void)state;
	/* mov %rbx,8(%rsp); mov $1,%ebx; mov 8(%rsp),%rbx; add $24,%rsp; ret */
	begin(0, BYTES(0x48, 0x89, 0x5c, 0x24, 0x08, 0xbb, LE32(1), 0x48, 0x8b, 0x5c, 0x24, 0x08,
		       0x48, 0x83, 0xc4, 0x18, 0xc3));
	expect_depth(24);
	if (w.regs.known & UC_BIT(RBX))
		assert_int_equal(w.regs.r[RBX], 0x1003);
}

/* Nor does a slot below the stack pointer: sub $8,%rsp; pop %rbx; ret */
static void test_follow__slot_below_the_stack_restores_nothing(void **state)
{
	(void)state;
	begin(0, BYTES(0x48, 0x83, 0xec, 0x08, 0x5b, 0xc3));
	img_u64(&img, SP0, CALLER);
	if (!img_step(&img, &w))
		expect_lost(RBX);
}

static void test_follow__half_a_register_is_not_restored(void **state)
{
	(void)state;
	/* mov 8(%rsp),%ebx; add $24,%rsp; ret */
	begin(0, BYTES(0x8b, 0x5c, 0x24, 0x08, 0x48, 0x83, 0xc4, 0x18, 0xc3));
	expect_depth(24);
	expect_lost(RBX);
}

/* Sums beyond 32 bits: UBSan watches, and no slot is made of their rest. */
static void test_follow__offsets_that_overflow(void **state)
{
	(void)state;
	/* add $0x7ffffff0,%rsp; mov 16(%rsp),%rbx; ret */
	begin(0, BYTES(0x48, 0x81, 0xc4, LE32(0x7ffffff0), 0x48, 0x8b, 0x5c, 0x24, 0x10, 0xc3));
	expect_none();
	/* add $0x7ffffff8,%rsp; mov 0x7ffffff8(%rsp),%rbx; ret */
	begin(0, BYTES(0x48, 0x81, 0xc4, LE32(0x7ffffff8), 0x48, 0x8b, 0x9c, 0x24, LE32(0x7ffffff8),
		       0xc3));
	expect_none();
	/* mov 0x7ffffff8(%rsp),%rbx; ret */
	begin(0, BYTES(0x48, 0x8b, 0x9c, 0x24, LE32(0x7ffffff8), 0xc3));
	img_u64(&img, SP0, CALLER);
	img_step(&img, &w);
	/* sub and add of all there is */
	begin(0, BYTES(0x48, 0x81, 0xec, LE32(0x7fffffff), 0x48, 0x81, 0xec, LE32(0x7fffffff),
		       0xc3));
	expect_none();
	begin(0, BYTES(0x48, 0x81, 0xc4, LE32(0x7ffffffe), 0x5b, 0xc3));
	expect_none();
}

static void test_follow__code_that_ends_with_the_mapping(void **state)
{
	u64 end = IMG_TEXT + 0x2000;
	u32 len;

	(void)state;
	/* add $0x400,%rsp; ret, cut short */
	for (len = 1; len <= 7; len++) {
		begin(0, BYTES(0xcc));
		w.regs.pc = end - len;
		img_write(&img, end - len, (const u8[]){ 0x48, 0x81, 0xc4, LE32(0x400) }, len);
		expect_none();
	}
}

static void test_follow__code_across_a_page_that_is_not_present(void **state)
{
	u64 at = IMG_TEXT + 0x1000 - 3;

	(void)state;
	begin(0, BYTES(0xcc));
	w.regs.pc = at;
	img_write(&img, at, with_fp, sizeof(with_fp));
	img_page(&img, IMG_TEXT + 0x1000)->missing = 1;
	expect_depth(0);
}

/* ---- behind clone's system call ---- */

/* test %rax,%rax; jl error; je child; ret; child: xor %ebp,%ebp, which has an
 * FDE that calls it outermost */
static void begin_clone(u64 rax)
{
	begin(0, BYTES(0x48, 0x85, 0xc0, 0x7c, 0x10, 0x74, 0x01, 0xc3, 0x31, 0xed));
	img_fde(&img, img_cie_usual(&img), FN + 8, 2, BYTES(0x07, 16));
	img_hdr(&img);
	w.regs.r[RAX] = rax;
}

static void test_follow__new_thread_is_the_outermost(void **state)
{
	(void)state;
	begin_clone(0);
	assert_int_equal(img_step(&img, &w), UNCOIL_STOP_OUTERMOST);
	begin_clone(1234);
	expect_depth(0);
	begin_clone((u64)-11);
	expect_none();
}

/* ---- calls on the way ---- */

/* At a call the stack pointer is a multiple of 16 (psABI 3.2.2), so behind it the
 * return address is at 8 modulo 16; SP0 is a multiple of 16. */
static void test_follow__calls_are_stepped_over(void **state)
{
	(void)state;
	/* call; add $8,%rsp; ret */
	begin(0, BYTES(0xe8, LE32(0x40), 0x48, 0x83, 0xc4, 0x08, 0xc3));
	expect_depth(8);
	begin(0, BYTES(0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3)); /* call *%rax */
	expect_depth(8);
	begin(0, BYTES(0xff, 0x15, LE32(0x40), 0x48, 0x83, 0xc4, 0x08, 0xc3)); /* *slot(%rip) */
	expect_depth(8);
	begin(0, BYTES(0x67, 0xe8, LE32(0x40), 0x58, 0xc3)); /* as linkers relax it; pop %rax */
	expect_depth(8);
}

static void test_follow__call_keeps_preserved_registers_alone(void **state)
{
	(void)state;
	/* call; pop %rbx; ret */
	begin(0, BYTES(0xe8, LE32(0x40), 0x5b, 0xc3));
	expect_depth(8);
	expect_reg(RBX, word(SP0));
	expect_reg(R12, 0x100c);
	expect_lost(RAX);
	expect_lost(UC_RDI);
	expect_lost(11);
	/* call; test %rax,%rax; je A; pop %rbx; ret; A: ret: of rax nothing is known, so
	 * the way forward, off by 8, is no way */
	begin(0, BYTES(0xe8, LE32(0x40), 0x48, 0x85, 0xc0, 0x74, 0x02, 0x5b, 0xc3, 0xc3));
	w.regs.r[RAX] = 0;
	expect_depth(8);
}

/* What comes behind a call that never returns is another function: its return
 * would be off by 8, though a return address lies there by chance. */
static void test_follow__way_behind_a_call_is_aligned(void **state)
{
	(void)state;
	begin(0, BYTES(0xe8, LE32(0x40), 0xc3));
	img_u64(&img, SP0, CALLER);
	expect_none();
}

/* call; nopw to a multiple of 16; add $8,%rsp; ret */
static void test_follow__padding_behind_a_call_ends_the_way(void **state)
{
	(void)state;
	begin(5, BYTES(0x90, 0x90, 0x90, 0x90, 0x90, 0xe8, LE32(0x40), 0x66, 0x0f, 0x1f, 0x44, 0, 0,
		       0x48, 0x83, 0xc4, 0x08, 0xc3));
	img_u64(&img, SP0 + 8, CALLER);
	expect_none();
	/* one of 5 bytes, not so aligned, is no padding */
	begin(0, BYTES(0xe8, LE32(0x40), 0x0f, 0x1f, 0x44, 0, 0, 0x48, 0x83, 0xc4, 0x08, 0xc3));
	expect_depth(8);
}

/* gcc's __do_global_dtors_aux, from the push on:
 *	push %rbp; cmpq $0,slot(%rip); mov %rsp,%rbp; je A; mov slot(%rip),%rdi;
 *	call; A: call; movb $1,completed(%rip); pop %rbp; ret */
static void test_follow__do_global_dtors_aux(void **state)
{
	static const u8 code[] = { 0x55, 0x48, 0x83, 0x3d, LE32(0x40), 0x00, 0x48, 0x89, 0xe5, 0x74,
				   0x0c, 0x48, 0x8b, 0x3d, LE32(0x40), 0xe8, LE32(0x40), 0xe8,
				   LE32(0x40), 0xc6, 0x05, LE32(0x40), 0x01, 0x5d, 0xc3 };
	static const u32 pushed[] = { 1, 9, 12, 14, 21, 26, 31, 38 };
	u32 i;

	(void)state;
	begin(0, code, sizeof(code));
	w.regs.r[UC_RSP] = SP0 + 8;
	img_u64(&img, SP0 + 8, CALLER);
	assert_int_equal(img_step(&img, &w), 0);
	assert_int_equal(w.regs.pc, CALLER);
	expect_reg(RBP, 1);
	for (i = 0; i < sizeof(pushed) / sizeof(pushed[0]); i++) {
		begin(pushed[i], code, sizeof(code));
		expect_depth(8);
		expect_reg(RBP, word(SP0));
	}
}

static void test_follow__other_way_where_the_usual_ends(void **state)
{
	(void)state;
	/* je A; pop %rbx; ret; A: ud2 */
	begin(0, BYTES(0x74, 0x02, 0x5b, 0xc3, 0x0f, 0x0b));
	expect_depth(8);
	expect_reg(RBX, word(SP0));
	/* two branches: je A; je A; pop %rbx; ret; A: hlt */
	begin(0, BYTES(0x74, 0x04, 0x75, 0x02, 0x5b, 0xc3, 0xf4));
	expect_depth(8);
	/* the branch back leads out: A: pop %rbx; ret; start: jne A; hlt */
	begin(2, BYTES(0x5b, 0xc3, 0x75, 0xfc, 0xf4));
	expect_depth(8);
}

/* A loop that only its branches could leave is gone through once. */
static void test_follow__endless_loops(void **state)
{
	(void)state;
	begin(0, BYTES(0x74, 0xfe, 0xeb, 0xfc)); /* A: je A; jmp A */
	expect_none();
	begin(0, BYTES(0x74, 0x02, 0xeb, 0xfc, 0x74, 0xfa, 0xeb, 0xf8));
	expect_none();
}

/* ---- callers ---- */

/* The code behind a call, not the call itself: add $8,%rsp; pop %rbx; pop %r12;
 * ret; sp is a multiple of 16 there. */
static void test_follow__callers_of_code_without_frame_pointer(void **state)
{
	(void)state;
	begin(5, BYTES(0xe8, LE32(0x40), 0x48, 0x83, 0xc4, 0x08, 0x5b, 0x41, 0x5c, 0xc3));
	w.exact = 0;
	expect_depth(24);
	expect_reg(RBX, word(SP0 + 8));
	expect_reg(R12, word(SP0 + 16));
	/* off by 8: it never returned */
	begin(5, BYTES(0xe8, LE32(0x40), 0x48, 0x83, 0xc4, 0x10, 0x5b, 0x41, 0x5c, 0xc3));
	img_u64(&img, SP0 + 32, CALLER);
	w.exact = 0;
	expect_none();
}

/* The kernel has a signal handler return to its trampoline: no call before it. */
static void test_follow__signal_handler_returns_to_its_trampoline(void **state)
{
	u64 at = IMG_TEXT + 0x900;

	(void)state;
	begin(0, BYTES(0xc3));
	img_write(&img, at, BYTES(0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05));
	img_u64(&img, SP0, at);
	assert_int_equal(img_step(&img, &w), 0);
	assert_int_equal(w.regs.pc, at);
	/* one byte of it is not enough */
	begin(0, BYTES(0xc3));
	img_write(&img, at, BYTES(0x48, 0xc7, 0xc0, 0x0e, 0, 0, 0, 0x0f, 0x05));
	img_u64(&img, SP0, at);
	expect_none();
}

/* ---- functions that never return ---- */

/* push %rbx; mov %edi,%ebx; sub $16,%rsp; call; hlt: the return address is 24 bytes up. */
static const u8 never[] = { 0x53, 0x89, 0xfb, 0x48, 0x83, 0xec, 0x10, 0xe8, LE32(0x40), 0xf4 };

/* A word behind a direct call of FN lies just where FN's code says. */
static void test_follow__from_the_function_that_was_called(void **state)
{
	u32 depth, exact;

	(void)state;
	for (exact = 0; exact < 2; exact++)
		for (depth = 8; depth <= 40; depth += 8) {
			begin(12, never, sizeof(never));
			w.exact = exact;
			img_write(&img, CALLER - 5, BYTES(0xe8, LE32(FN - CALLER)));
			img_write(&img, FN - 1, BYTES(0x58)); /* no padding before it */
			img_u64(&img, SP0 + depth, CALLER);
			if (depth == 24) {
				expect_depth(24);
				expect_reg(RBX, word(SP0 + 16));
			} else {
				expect_none();
			}
		}
}

/* musl's: _start_c ends with a jump to another function, by a register. */
static void test_follow__from_the_function_that_jumped_here(void **state)
{
	u64 entry = IMG_TEXT + 0x700;

	(void)state;
	begin(12, never, sizeof(never));
	/* push %r13; lea FN(%rip),%rax; pop %r13; jmp *%rax */
	img_write(&img, entry, BYTES(0x41, 0x55, 0x48, 0x8d, 0x05, LE32(FN - (entry + 9)), 0x41, 0x5d,
				     0xff, 0xe0));
	img_write(&img, CALLER - 5, BYTES(0xe8, LE32(entry - CALLER)));
	img_write(&img, FN - 1, BYTES(0x58));
	expect_depth(24);
	expect_reg(R13, 0x100d);
}

/* Called by a pointer: what begins at a multiple of 16 behind padding leads here. */
static void test_follow__from_what_begins_behind_padding(void **state)
{
	(void)state;
	begin(12, never, sizeof(never)); /* int3 is before it */
	expect_depth(24);
	expect_reg(RBX, word(SP0 + 16));
	begin(12, never, sizeof(never));
	img_write(&img, FN - 1, BYTES(0x58));
	img_u64(&img, SP0 + 24, CALLER);
	expect_none();
}

/* A loop behind padding: sub $24,%rsp; nops; call; hlt. The depth from there is 0. */
static void test_follow__padding_inside_a_function(void **state)
{
	(void)state;
	begin(21, BYTES(0x48, 0x83, 0xec, 0x18, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
			0x90, 0x90, 0x90, 0xe8, LE32(0x40), 0xf4));
	img_u64(&img, SP0, CALLER); /* a trap */
	expect_depth(24);
}

/* ---- jumps that say where to ---- */

/* lea T(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax, as
 * compilers make of a switch; the first place is pop %rbx; ret */
static void test_follow__jump_by_a_table(void **state)
{
	static const u8 code[] = { 0x48, 0x8d, 0x15, LE32(0x100 - 7), 0x48, 0x63, 0x04, 0x82,
				   0x48, 0x01, 0xd0, 0xff, 0xe0, 0xcc, 0x5b, 0xc3 };
	u32 i;
	static const u32 at[] = { 0, 7, 11, 14 };

	(void)state;
	for (i = 0; i < 4; i++) {
		begin(at[i], code, sizeof(code));
		img_write(&img, FN + 0x100, BYTES(LE32(17 - 0x100)));
		/* registers as they are there: index 0 */
		if (at[i] > 0)
			w.regs.r[UC_RDX] = FN + 0x100;
		w.regs.r[RAX] = at[i] < 11 ? 0 : at[i] == 11 ? (u64)(17 - 0x100) : FN + 17;
		expect_depth(8);
		expect_reg(RBX, word(SP0));
	}
}

/* ---- frame pointers, alignment ---- */

/* push %rbp; mov %rsp,%rbp; and $-32,%rsp; sub $32,%rsp; leave; ret */
static void test_follow__realigned_frame(void **state)
{
	static const u8 code[] = { 0x55, 0x48, 0x8b, 0xec, 0x48, 0x83, 0xe4, 0xe0,
				   0x48, 0x83, 0xec, 0x20, 0xc9, 0xc3 };

	(void)state;
	begin(0, code, sizeof(code));
	expect_depth(0);
	expect_reg(RBP, 1);
	begin(1, code, sizeof(code));
	expect_depth(8);
	begin(4, code, sizeof(code));
	w.regs.r[RBP] = SP0;
	expect_depth(8);
	begin(12, code, sizeof(code));
	w.regs.r[RBP] = SP0 + 0x48;
	expect_depth(0x50);
	expect_reg(RBP, word(SP0 + 0x48));
}

/* lea -8(%rbp),%rsp; pop %rbx; pop %rbp; ret */
static void test_follow__stack_pointer_from_the_frame_pointer(void **state)
{
	(void)state;
	begin(0, BYTES(0x48, 0x8d, 0x65, 0xf8, 0x5b, 0x5d, 0xc3));
	w.regs.r[RBP] = SP0 + 0x40;
	expect_depth(0x48);
	expect_reg(RBX, word(SP0 + 0x38));
	expect_reg(RBP, word(SP0 + 0x40));
	/* mov -8(%rbp),%rbx; leave; ret */
	begin(0, BYTES(0x48, 0x8b, 0x5d, 0xf8, 0xc9, 0xc3));
	w.regs.r[RBP] = SP0 + 0x40;
	expect_depth(0x48);
	expect_reg(RBX, word(SP0 + 0x38));
}

/* bt, bts of a register: the operand in the middle is no register. */
static void test_follow__bit_tests(void **state)
{
	(void)state;
	begin(0, BYTES(0x48, 0x0f, 0xba, 0xe3, 0x05, 0x48, 0x83, 0xc4, 0x08, 0xc3)); /* bt $5,%rbx */
	expect_depth(8);
	expect_reg(RBX, 0x1003);
	begin(0, BYTES(0x48, 0x0f, 0xba, 0xeb, 0x05, 0x48, 0x83, 0xc4, 0x08, 0xc3)); /* bts */
	expect_depth(8);
	expect_lost(RBX);
}

/* push $5; pop %rax: gcc -Os */
static void test_follow__pushes_of_other_things(void **state)
{
	(void)state;
	begin(0, BYTES(0x6a, 0x05, 0x58, 0xc3));
	expect_depth(0);
	begin(0, BYTES(0x68, LE32(5), 0x58, 0xc3));
	expect_depth(0);
	begin(0, BYTES(0xff, 0x75, 0x08, 0x48, 0x83, 0xc4, 0x08, 0xc3)); /* push 8(%rbp) */
	expect_depth(0);
	begin(0, BYTES(0x53, 0x41, 0x5c, 0xc3)); /* push %rbx; pop %r12 */
	expect_depth(0);
	expect_reg(RBX, 0x1003);
	expect_lost(R12);
}

/* mov $39,%eax; syscall; ret */
static void test_follow__system_calls_come_back(void **state)
{
	(void)state;
	begin(0, BYTES(0xb8, LE32(39), 0x0f, 0x05, 0xc3));
	expect_depth(0);
}

/* test %eax,%eax looks at half of the register. */
static void test_follow__test_of_half_a_register(void **state)
{
	(void)state;
	/* je A; ret; A: pop %rbx; ret */
	begin(0, BYTES(0x85, 0xc0, 0x74, 0x01, 0xc3, 0x5b, 0xc3));
	w.regs.r[RAX] = 0xffffffff00000000;
	expect_depth(8);
	begin(0, BYTES(0x85, 0xc0, 0x74, 0x01, 0xc3, 0x5b, 0xc3));
	w.regs.r[RAX] = 1;
	expect_depth(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follow__function_with_a_frame_pointer),
		cmocka_unit_test(test_follow__frame_pointer_is_popped),
		cmocka_unit_test(test_follow__pushes_and_pops),
		cmocka_unit_test(test_follow__registers_saved_by_mov),
		cmocka_unit_test(test_follow__large_frame),
		cmocka_unit_test(
			test_follow__preserved_register_with_a_value_of_its_own_is_lost),
		cmocka_unit_test(test_follow__word_must_follow_a_call),
		cmocka_unit_test(test_follow__jumps_and_branches),
		cmocka_unit_test(test_follow__branch_after_a_test_goes_where_it_will),
		cmocka_unit_test(test_follow__conditions_after_a_test),
		cmocka_unit_test(test_follow__call_in_last_place),
		cmocka_unit_test(test_follow__last_call_saves_what_was_restored),
		cmocka_unit_test(test_follow__push_of_a_value_of_its_own_saves_nothing),
		cmocka_unit_test(test_follow__jump_out_of_the_mapping),
		cmocka_unit_test(test_follow__loops_are_bounded),
		cmocka_unit_test(test_follow__instructions_that_are_not_followed),
		cmocka_unit_test(test_follow__stack_pointer_that_is_set_otherwise),
		cmocka_unit_test(test_follow__pushes_that_are_not_popped),
		cmocka_unit_test(test_follow__operand_forms),
		cmocka_unit_test(test_follow__immediate_operands),
		cmocka_unit_test(test_follow__two_byte_opcodes),
		cmocka_unit_test(test_follow__arithmetic),
		cmocka_unit_test(test_follow__high_byte_registers_are_not_the_stack_pointer),
		cmocka_unit_test(test_follow__slot_that_is_yet_to_be_written_restores_nothing),
		cmocka_unit_test(test_follow__slot_below_the_stack_restores_nothing),
		cmocka_unit_test(test_follow__half_a_register_is_not_restored),
		cmocka_unit_test(test_follow__offsets_that_overflow),
		cmocka_unit_test(test_follow__code_that_ends_with_the_mapping),
		cmocka_unit_test(test_follow__code_across_a_page_that_is_not_present),
		cmocka_unit_test(test_follow__new_thread_is_the_outermost),
		cmocka_unit_test(test_follow__calls_are_stepped_over),
		cmocka_unit_test(test_follow__call_keeps_preserved_registers_alone),
		cmocka_unit_test(test_follow__way_behind_a_call_is_aligned),
		cmocka_unit_test(test_follow__padding_behind_a_call_ends_the_way),
		cmocka_unit_test(test_follow__do_global_dtors_aux),
		cmocka_unit_test(test_follow__other_way_where_the_usual_ends),
		cmocka_unit_test(test_follow__endless_loops),
		cmocka_unit_test(test_follow__callers_of_code_without_frame_pointer),
		cmocka_unit_test(test_follow__signal_handler_returns_to_its_trampoline),
		cmocka_unit_test(test_follow__from_the_function_that_was_called),
		cmocka_unit_test(test_follow__from_the_function_that_jumped_here),
		cmocka_unit_test(test_follow__from_what_begins_behind_padding),
		cmocka_unit_test(test_follow__padding_inside_a_function),
		cmocka_unit_test(test_follow__jump_by_a_table),
		cmocka_unit_test(test_follow__realigned_frame),
		cmocka_unit_test(test_follow__stack_pointer_from_the_frame_pointer),
		cmocka_unit_test(test_follow__bit_tests),
		cmocka_unit_test(test_follow__pushes_of_other_things),
		cmocka_unit_test(test_follow__system_calls_come_back),
		cmocka_unit_test(test_follow__test_of_half_a_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
