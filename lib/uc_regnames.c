/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_regnames.h"

/* clang-format off */
static const char *const x86_64[] = {
	[0] = "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12",
	"r13", "r14", "r15", "rip",
	[17] = "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
	"xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
	[33] = "st0", "st1", "st2", "st3", "st4", "st5", "st6", "st7",
	[41] = "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7",
	[49] = "rflags", "es", "cs", "ss", "ds", "fs", "gs",
	[58] = "fs.base", "gs.base",
	[62] = "tr", "ldtr", "mxcsr", "fcw", "fsw",
	[67] = "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
	"xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31",
	[118] = "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
	[126] = "bnd0", "bnd1", "bnd2", "bnd3",
	[130] = "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27",
	"r28", "r29", "r30", "r31",
};

static const char *const i386[] = {
	[0] = "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags",
	[11] = "st0", "st1", "st2", "st3", "st4", "st5", "st6", "st7",
	[21] = "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
	[29] = "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7",
	[37] = "fcw", "fsw", "mxcsr", "es", "cs", "ss", "ds", "fs", "gs",
	[48] = "tr", "ldtr",
};

static const char *const aarch64[] = {
	[0] = "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
	"x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25",
	"x26", "x27", "x28", "x29", "x30", "sp", "pc", "elr_mode", "ra_sign_state",
	"tpidrro_el0", "tpidr_el0", "tpidr_el1", "tpidr_el2", "tpidr_el3",
	[46] = "vg", "ffr",
	[48] = "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13",
	"p14", "p15",
	[64] = "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
	"v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
	"v26", "v27", "v28", "v29", "v30", "v31",
	[96] = "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11", "z12", "z13",
	"z14", "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22", "z23", "z24", "z25",
	"z26", "z27", "z28", "z29", "z30", "z31",
};

static const char *const s390x[] = {
	[0] = "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13",
	"r14", "r15",
	[16] = "f0", "f2", "f4", "f6", "f1", "f3", "f5", "f7", "f8", "f10", "f12", "f14", "f9", "f11",
	"f13", "f15",
	[32] = "cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6", "cr7", "cr8", "cr9", "cr10", "cr11",
	"cr12", "cr13", "cr14", "cr15",
	[48] = "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "a13",
	"a14", "a15",
	[64] = "pswm", "pswa",
	[68] = "v16", "v18", "v20", "v22", "v17", "v19", "v21", "v23", "v24", "v26", "v28", "v30",
	"v25", "v27", "v29", "v31",
};
/* clang-format on */

#define NAMES(array) { array, sizeof(array) / sizeof((array)[0]) }

static const struct {
	const char *abi;
	struct {
		const char *const *name;
		u32 nr;
	} regs;
} names[UC_ABI_COUNT] = {
	[UC_ABI_X86_64] = { "x86-64", NAMES(x86_64) },
	[UC_ABI_X32] = { "x32", NAMES(x86_64) },
	[UC_ABI_I386] = { "i386", NAMES(i386) },
	[UC_ABI_AARCH64] = { "aarch64", NAMES(aarch64) },
	[UC_ABI_AARCH64_BE] = { "aarch64-be", NAMES(aarch64) },
	[UC_ABI_S390X] = { "s390x", NAMES(s390x) },
};

const char *uc_reg_name(enum uc_abi_id abi, u32 number)
{
	if (abi >= UC_ABI_COUNT || number >= names[abi].regs.nr)
		return NULL;
	return names[abi].regs.name[number];
}

const char *uc_abi_name(enum uc_abi_id abi)
{
	return names[abi].abi;
}
