/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* s390x: registers by DWARF number (IBM's s390x ELF ABI supplement), and the
 * kernel's signal frames. */
#ifndef UC_ARCH_S390X_H
#define UC_ARCH_S390X_H

enum uc_reg_s390x {
	UC_S390_R6 = 6,
	UC_S390_R11 = 11, /* the frame pointer where there is one */
	UC_S390_R14 = 14, /* column of the return address */
	UC_S390_R15 = 15, /* the stack pointer */
	UC_S390_F0 = 16, /* 16 to 31: f0 f2 f4 f6 f1 f3 f5 f7 f8 f10 f12 f14 f9 f11 f13 f15 */
	UC_S390_PSWA = 65, /* the address half of the psw: the pc */
};

#define UC_S390X_REGS 0xffffffffu
/* r6 to r13, r15, f8 to f15 */
#define UC_S390X_PRESERVED 0xff00bfc0u

/* The CFA lies above the caller's register save area. */
#define UC_S390X_SAVE_AREA 160
/* In the save area that the back chain points to (s390x ABI, "Register save
 * area"): r14's slot, which follows r6's at 48. */
#define UC_S390X_SAVE_R14 112

/* From r15 at the trampoline (formats sheet 4.7; arch/s390/kernel/signal.c). The
 * registers follow the psw's address: r0 to r15, 16 access registers of 4
 * bytes, fpc, f0 to f15 in the order of their numbers. */
#define UC_S390X_RT_PSWA 344
#define UC_S390X_RT_SIGNO 168
#define UC_S390X_OLD_SREGS_PTR 168
#define UC_S390X_SREGS_R0 16 /* from the psw's mask on */
#define UC_S390X_SREGS_F0 216
#define UC_S390X_SREGS_SIZE 344 /* the signal number follows in the old frame */

#endif
