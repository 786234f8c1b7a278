/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* x86-64 and x32: registers by DWARF number (System V psABI, "DWARF Register
 * Number Mapping"), and the kernel's signal frame. */
#ifndef UC_ARCH_X86_64_H
#define UC_ARCH_X86_64_H

enum uc_reg_x86_64 {
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
	UC_RIP = 16, /* the column of the return address; the pc in expressions */
};

#define UC_X86_64_REGS ((1u << 16) - 1)
#define UC_X86_64_PRESERVED                                                                \
	(UC_BIT(UC_RBX) | UC_BIT(UC_RBP) | UC_BIT(UC_R12) | UC_BIT(UC_R13) | UC_BIT(UC_R14) | \
	 UC_BIT(UC_R15))

/* r8 in the real-time signal frame, from the stack pointer at the trampoline;
 * the others follow (formats sheet 4.7; arch/x86/include/uapi/asm/sigcontext.h). */
#define UC_X86_64_SIGFRAME 40
#define UC_X32_SIGFRAME 24

#endif
