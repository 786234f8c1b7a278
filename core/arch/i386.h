/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* i386: registers by DWARF number (System V psABI for i386, table 2.14), and
 * the kernel's signal frames. */
#ifndef UC_ARCH_I386_H
#define UC_ARCH_I386_H

enum uc_reg_i386 {
	UC_EAX = 0,
	UC_ECX = 1,
	UC_EDX = 2,
	UC_EBX = 3,
	UC_ESP = 4,
	UC_EBP = 5,
	UC_ESI = 6,
	UC_EDI = 7,
	UC_EIP = 8, /* the column of the return address; the pc in expressions */
};

#define UC_I386_REGS 0xffu
#define UC_I386_PRESERVED (UC_BIT(UC_EBX) | UC_BIT(UC_EBP) | UC_BIT(UC_ESI) | UC_BIT(UC_EDI))

/* struct sigcontext_32 (arch/x86/include/uapi/asm/sigcontext.h): offsets. */
#define UC_I386_SC_EDI 16 /* edi esi ebp esp ebx edx ecx eax follow each other */
#define UC_I386_SC_EIP 56
/* From the stack pointer at the trampoline (arch/x86/include/asm/sigframe.h):
 * the old frame's sigcontext, and in the real-time frame the pointer to
 * ucontext, which has sigcontext inside. */
#define UC_I386_SIGFRAME_SC 4
#define UC_I386_RT_UCONTEXT_PTR 8
#define UC_I386_UCONTEXT_SC 20

#endif
