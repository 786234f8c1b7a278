/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* AArch64: registers by DWARF number (Arm's aadwarf64), and the kernel's signal
 * frame. */
#ifndef UC_ARCH_AARCH64_H
#define UC_ARCH_AARCH64_H

enum uc_reg_aarch64 {
	UC_X0 = 0,
	UC_X19 = 19,
	UC_X29 = 29, /* the frame pointer */
	UC_X30 = 30, /* the link register, column of the return address */
	UC_SP_A64 = 31,
	UC_PC_A64 = 32,
};

#define UC_AARCH64_REGS 0xffffffffu
#define UC_AARCH64_PRESERVED 0x3ff80000u /* x19 to x29 */

/* From the stack pointer at the trampoline (formats sheet 4.7;
 * arch/arm64/kernel/signal.c, struct rt_sigframe). */
#define UC_AARCH64_SIGFRAME_X0 312
#define UC_AARCH64_SIGFRAME_SP 560
#define UC_AARCH64_SIGFRAME_PC 568

/* User addresses have 48 bits unless a program asks for more; what is above
 * may be a pointer's authentication code (formats sheet 4.5). */
#define UC_AARCH64_CODE_MASK 0x0000ffffffffffffull

#endif
