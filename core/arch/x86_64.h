/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64: registers by DWARF number (System V psABI, "DWARF Register Number
 * Mapping") and what the ABI says of them.
 */
#ifndef UC_ARCH_X86_64_H
#define UC_ARCH_X86_64_H

enum uc_reg {
	UC_RAX = 0,
	UC_RDX = 1,
	UC_RCX = 2,
	UC_RBX = 3,
	UC_RSI = 4,
	UC_RDI = 5,
	UC_RBP = 6,
	UC_RSP = 7,
	UC_R8 = 8,
	UC_R12 = 12,
	UC_R13 = 13,
	UC_R14 = 14,
	UC_R15 = 15,
	UC_RIP = 16,
};

#define UC_NR_REGS 17
#define UC_REG_SP UC_RSP
#define UC_REG_FP UC_RBP
#define UC_REG_PC UC_RIP
#define UC_BIT(reg) (1u << (reg))
#define UC_REGS_ALL ((1u << UC_NR_REGS) - 1)
/* Registers that a function hands back to its caller unchanged. */
#define UC_REGS_PRESERVED                                                                  \
	(UC_BIT(UC_RBX) | UC_BIT(UC_RBP) | UC_BIT(UC_R12) | UC_BIT(UC_R13) | UC_BIT(UC_R14) | \
	 UC_BIT(UC_R15))

#define UC_ELF_MACHINE 62 /* EM_X86_64 */
#define UC_ADDR_SIZE 8
/* Slot of the return address below the CFA, by the calling convention. */
#define UC_RA_OFFSET (-8)
/* Registers in the real-time signal frame, from the stack pointer at the
 * trampoline (formats sheet 4.7; arch/x86/include/uapi/asm/sigcontext.h). */
#define UC_SIGFRAME_R8 40
#define UC_SIGFRAME_RIP 168

/* Highest address of user space with five-level paging. */
#define UC_USER_MAX 0x00fffffffffff000ull

#endif
