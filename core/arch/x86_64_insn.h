/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64's opcodes, as far as following code needs them: what comes after the
 * opcode, and which general registers it writes (Intel SDM volume 2, appendix
 * A, 64-bit mode). An opcode that is not named here is not followed.
 */
#ifndef UC_ARCH_X86_64_INSN_H
#define UC_ARCH_X86_64_INSN_H

#define INSN_OK 1 /* it is known */
#define INSN_MODRM 2
#define INSN_IMM8 4
#define INSN_IMM 8 /* 2 bytes with operand-size prefix, else 4 */
#define INSN_REG 16 /* writes modrm's register operand */
#define INSN_RM 32 /* writes modrm's other operand, a register or memory */
#define INSN_BYTE 64 /* register operands are bytes */
#define INSN_SCRATCH 128 /* writes rax, rcx, rdx, rsi or rdi */
#define INSN_PREFIX 512
#define INSN_OWN 256 /* does more: uc_follow.c knows */

#define INSN_M (INSN_OK | INSN_MODRM)
#define INSN_MB (INSN_M | INSN_BYTE)

/* clang-format off */
#define INSN_ARITH(at) \
	[(at)] = INSN_MB | INSN_RM, [(at) + 1] = INSN_M | INSN_RM, \
	[(at) + 2] = INSN_MB | INSN_REG, [(at) + 3] = INSN_M | INSN_REG, \
	[(at) + 4] = INSN_OK | INSN_IMM8 | INSN_SCRATCH, [(at) + 5] = INSN_OK | INSN_IMM | INSN_SCRATCH

static const u16 uc_insn_one[256] = {
	INSN_ARITH(0x00), INSN_ARITH(0x08), INSN_ARITH(0x10), INSN_ARITH(0x18), /* add or adc sbb */
	INSN_ARITH(0x20), INSN_ARITH(0x28), INSN_ARITH(0x30), /* and sub xor */
	[0x38] = INSN_MB, [0x39] = INSN_M, [0x3a] = INSN_MB, [0x3b] = INSN_M, /* cmp */
	[0x3c] = INSN_OK | INSN_IMM8, [0x3d] = INSN_OK | INSN_IMM,
	[0x2e] = INSN_PREFIX, [0x36] = INSN_PREFIX, [0x3e] = INSN_PREFIX, /* segments, widths, */
	[0x64 ... 0x67] = INSN_PREFIX, [0xf0] = INSN_PREFIX, /* lock, rep */
	[0xf2] = INSN_PREFIX, [0xf3] = INSN_PREFIX,
	[0x50 ... 0x5f] = INSN_OK | INSN_OWN, /* push, pop */
	[0x63] = INSN_M | INSN_OWN, /* movsxd */
	[0x68] = INSN_OK | INSN_IMM | INSN_OWN, [0x6a] = INSN_OK | INSN_IMM8 | INSN_OWN, /* push */
	[0x69] = INSN_M | INSN_IMM | INSN_REG, [0x6b] = INSN_M | INSN_IMM8 | INSN_REG, /* imul */
	[0x70 ... 0x7f] = INSN_OK | INSN_IMM8 | INSN_OWN, /* jcc */
	[0x80] = INSN_MB | INSN_IMM8 | INSN_OWN, [0x81] = INSN_M | INSN_IMM | INSN_OWN,
	[0x83] = INSN_M | INSN_IMM8 | INSN_OWN, /* group 1 */
	[0x84] = INSN_MB, [0x85] = INSN_M | INSN_OWN, /* test */
	[0x86] = INSN_MB | INSN_REG | INSN_RM, [0x87] = INSN_M | INSN_REG | INSN_RM, /* xchg */
	[0x88] = INSN_MB | INSN_RM, [0x89] = INSN_M | INSN_OWN, /* mov */
	[0x8a] = INSN_MB | INSN_REG, [0x8b] = INSN_M | INSN_OWN, [0x8d] = INSN_M | INSN_OWN, /* lea */
	[0x90 ... 0x97] = INSN_OK | INSN_OWN, /* nop, xchg */
	[0x98] = INSN_OK | INSN_SCRATCH, [0x99] = INSN_OK | INSN_SCRATCH, /* cltq, cqto */
	[0x9b] = INSN_OK, [0x9e] = INSN_OK, [0x9f] = INSN_OK | INSN_SCRATCH, /* fwait sahf lahf */
	[0xa4 ... 0xa7] = INSN_OK | INSN_SCRATCH, /* movs, cmps */
	[0xa8] = INSN_OK | INSN_IMM8, [0xa9] = INSN_OK | INSN_IMM, /* test */
	[0xaa ... 0xaf] = INSN_OK | INSN_SCRATCH, /* stos, lods, scas */
	[0xb0 ... 0xb7] = INSN_OK | INSN_IMM8 | INSN_BYTE | INSN_OWN, /* mov */
	[0xb8 ... 0xbf] = INSN_OK | INSN_IMM | INSN_OWN, /* 8 bytes with REX.W */
	[0xc0] = INSN_MB | INSN_IMM8 | INSN_RM, [0xc1] = INSN_M | INSN_IMM8 | INSN_RM, /* shifts */
	[0xc2] = INSN_OK | INSN_OWN, [0xc3] = INSN_OK | INSN_OWN, /* ret */
	[0xc6] = INSN_MB | INSN_IMM8 | INSN_RM, [0xc7] = INSN_M | INSN_IMM | INSN_RM, /* mov */
	[0xc9] = INSN_OK | INSN_OWN, /* leave */
	[0xd0] = INSN_MB | INSN_RM, [0xd1] = INSN_M | INSN_RM, /* shifts */
	[0xd2] = INSN_MB | INSN_RM, [0xd3] = INSN_M | INSN_RM,
	[0xd8 ... 0xdf] = INSN_M | INSN_SCRATCH, /* x87; fnstsw %ax */
	[0xe8] = INSN_OK | INSN_IMM | INSN_OWN, /* call, jmp */
	[0xe9] = INSN_OK | INSN_IMM | INSN_OWN, [0xeb] = INSN_OK | INSN_IMM8 | INSN_OWN,
	[0xf5] = INSN_OK, [0xf8] = INSN_OK, [0xf9] = INSN_OK, [0xfc] = INSN_OK, [0xfd] = INSN_OK,
	[0xf6] = INSN_MB | INSN_OWN, [0xf7] = INSN_M | INSN_OWN, /* group 3 */
	[0xfe] = INSN_MB | INSN_RM, [0xff] = INSN_M | INSN_OWN, /* inc, dec; group 5 */
};

/* 0f xx */
static const u16 uc_insn_two[256] = {
	[0x05] = INSN_OK | INSN_OWN, /* syscall */
	[0x0d] = INSN_M, [0x10 ... 0x17] = INSN_M, /* prefetchw, SSE mov */
	[0x18 ... 0x1f] = INSN_M | INSN_OWN, /* prefetch, nop, endbr64 */
	[0x28 ... 0x2b] = INSN_M, [0x2c ... 0x2d] = INSN_M | INSN_REG, [0x2e ... 0x2f] = INSN_M,
	[0x31] = INSN_OK | INSN_SCRATCH, /* rdtsc */
	[0x40 ... 0x4f] = INSN_M | INSN_REG, /* cmov */
	[0x50] = INSN_M | INSN_REG, [0x51 ... 0x6f] = INSN_M, [0x70 ... 0x73] = INSN_M | INSN_IMM8,
	[0x74 ... 0x76] = INSN_M, [0x77] = INSN_OK, [0x7c ... 0x7d] = INSN_M,
	[0x7e] = INSN_M | INSN_OWN, /* movd to a register or memory; movq */
	[0x7f] = INSN_M,
	[0x80 ... 0x8f] = INSN_OK | INSN_IMM | INSN_OWN, /* jcc */
	[0x90 ... 0x9f] = INSN_MB | INSN_RM, /* setcc */
	[0xa3] = INSN_M, [0xa4] = INSN_M | INSN_IMM8 | INSN_RM, [0xa5] = INSN_M | INSN_RM, /* bt, shld */
	[0xab] = INSN_M | INSN_RM, [0xac] = INSN_M | INSN_IMM8 | INSN_RM, [0xad] = INSN_M | INSN_RM,
	[0xae] = INSN_M | INSN_RM, [0xaf] = INSN_M | INSN_REG, /* fences, rdfsbase; imul */
	[0xb0] = INSN_MB | INSN_RM | INSN_SCRATCH, [0xb1] = INSN_M | INSN_RM | INSN_SCRATCH, /* cmpxchg */
	[0xb3] = INSN_M | INSN_RM, [0xb6 ... 0xb8] = INSN_M | INSN_REG, /* btr, movzx, popcnt */
	[0xba] = INSN_M | INSN_IMM8 | INSN_OWN, [0xbb] = INSN_M | INSN_RM, /* bt and the like */
	[0xbc ... 0xbf] = INSN_M | INSN_REG, /* bsf, bsr, movsx */
	[0xc0] = INSN_MB | INSN_REG | INSN_RM, [0xc1] = INSN_M | INSN_REG | INSN_RM, /* xadd */
	[0xc2] = INSN_M | INSN_IMM8, [0xc3] = INSN_M, [0xc4] = INSN_M | INSN_IMM8,
	[0xc5] = INSN_M | INSN_IMM8 | INSN_REG, [0xc6] = INSN_M | INSN_IMM8,
	[0xc7] = INSN_M | INSN_RM | INSN_SCRATCH, /* cmpxchg16b, rdrand */
	[0xc8 ... 0xcf] = INSN_OK | INSN_OWN, /* bswap */
	[0xd0 ... 0xd6] = INSN_M, [0xd7] = INSN_M | INSN_REG, [0xd8 ... 0xfe] = INSN_M,
};
/* clang-format on */

#endif
