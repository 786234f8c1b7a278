/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an x86-64 instruction is, and which general registers it writes. */
#ifndef UC_ARCH_X86_64_INSN_H
#define UC_ARCH_X86_64_INSN_H

#include "uc_core.h"

/* uc_insn.what; 0: the instruction is not known */
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

/* Machine register number -> DWARF's. */
static inline u8 uc_insn_reg(u32 n)
{
	return n >= 8 ? n & 15 : (0x54673120u >> (4 * n)) & 15;
}

/* A register of a byte operand: without REX, 4 to 7 are the high bytes of 0 to 3. */
static inline u8 uc_insn_byte_reg(u32 n, u32 high)
{
	return uc_insn_reg(high && n >= 4 ? n - 4 : n);
}

/* The instruction at the cursor, to w->insn. 0, UC_FAULT or a stop. */
UC_FN int uc_insn_read(UC_WALK);

#endif
