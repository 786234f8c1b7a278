/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ABIs as parameters (formats sheet 4.1; the psABI documents). */
#include "arch/aarch64.h"
#include "arch/i386.h"
#include "arch/s390x.h"
#include "arch/x86_64.h"
#include "uc_walk.h"

/* clang-format off */
#define X86_64_COMMON \
	.regs = UC_X86_64_REGS, .preserved = UC_X86_64_PRESERVED, .machine = UC_EM_X86_64, \
	.word = 8, .nr_regs = 17, .sp = UC_RSP, .fp = UC_RBP, .ra = UC_RIP, .pc = UC_RIP, \
	.ra_slot = 8, .packed = { UC_RBX, UC_RBP, UC_R12, UC_R13, UC_R14, UC_R15 }
#define AARCH64_COMMON \
	.code_mask = UC_AARCH64_CODE_MASK, .addr_mask = ~0ull, .regs = UC_AARCH64_REGS, \
	.preserved = UC_AARCH64_PRESERVED, .machine = UC_EM_AARCH64, .addr_size = 8, .word = 8, \
	.nr_regs = 32, .sp = UC_SP_A64, .fp = UC_X29, .ra = UC_X30, .pc = UC_PC_A64
/* clang-format on */

static const struct uc_abi uc_abis[8] = {
	[UC_ABI_X86_64] = { .id = UC_ABI_X86_64,
			    .code_mask = ~0ull,
			    .addr_mask = ~0ull,
			    .addr_size = 8,
			    X86_64_COMMON },
	[UC_ABI_X32] = { .id = UC_ABI_X32,
			 .code_mask = 0xffffffff,
			 .addr_mask = 0xffffffff,
			 .addr_size = 4,
			 X86_64_COMMON },
	[UC_ABI_I386] = { .id = UC_ABI_I386,
			  .code_mask = 0xffffffff,
			  .addr_mask = 0xffffffff,
			  .regs = UC_I386_REGS,
			  .preserved = UC_I386_PRESERVED,
			  .machine = UC_EM_I386,
			  .addr_size = 4,
			  .word = 4,
			  .nr_regs = 9,
			  .sp = UC_ESP,
			  .fp = UC_EBP,
			  .ra = UC_EIP,
			  .pc = UC_EIP,
			  .ra_slot = 4,
			  .packed = { UC_EBX, UC_EBP, UC_ESI, UC_EDI, UC_PACKED_NONE,
				      UC_PACKED_NONE } },
	[UC_ABI_AARCH64] = { .id = UC_ABI_AARCH64, AARCH64_COMMON },
	[UC_ABI_AARCH64_BE] = { .id = UC_ABI_AARCH64_BE, .big_endian = 1, AARCH64_COMMON },
	[UC_ABI_S390X] = { .id = UC_ABI_S390X,
			   .big_endian = 1,
			   .code_mask = ~0ull,
			   .addr_mask = ~0ull,
			   .regs = UC_S390X_REGS,
			   .preserved = UC_S390X_PRESERVED,
			   .machine = UC_EM_S390X,
			   .addr_size = 8,
			   .word = 8,
			   .nr_regs = 32,
			   .sp = UC_S390_R15,
			   .fp = UC_S390_R11,
			   .ra = UC_S390_R14,
			   .pc = UC_S390_PSWA,
			   .sp_bias = UC_S390X_SAVE_AREA },
};

UC_FN int uc_abi_set(UC_WALK, u32 id)
{
	w->abi = uc_abis[id & 7];
	w->unwind = UC_UNWIND_AUTO;
	w->mod.addr_size = w->abi.addr_size;
	w->mod.end = 0;
	w->fde.cie = UC_CIE_NONE;
	w->cfi.init_cie = UC_CIE_NONE;
	return 0;
}
