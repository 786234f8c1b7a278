/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CFA programs, and the rows that they make: applied as they are, and packed.
 *
 * Input: data alignment (8 bytes), code alignment (2), return address column,
 * address encoding, flags (1 each), the pc's place in the function (2), length
 * of the CIE's instructions (1), those, the FDE's.
 */
#include "fuzz_space.h"

#define CODE 0x10000000ull
#define FUNCTION 0x20000000ull
#define STACK 0x30000000ull

static struct fuzz_space space;
static struct uc_walk w;
static u8 stack[0x1000];

static int apply(int (*how)(struct uc_walk *), struct uc_regs *ret)
{
	int rc;

	w.nr_bad = 0;
	w.stack_len = 0;
	w.flaw = 0;
	memset(&w.next, 0xa5, sizeof(w.next));
	FUZZ_RETRY(&space, &w, rc, how(&w));
	fuzz_check_stop(&w, rc);
	*ret = w.next;
	return rc;
}

/* What a packed row gives is what the row gives. */
static void compare(void)
{
	struct uc_regs a, b;
	u32 i;
	int rc = apply(uc_row_apply, &a);

	if (uc_row_pack(&w))
		return;
	require(apply(uc_packed_apply, &b) == rc);
	if (rc)
		return;
	require(a.known == b.known);
	for (i = 0; i < UC_REG_SLOTS; i++)
		require(!(a.known & UC_BIT(i)) || a.r[i] == b.r[i]);
}

static void begin(u32 flags)
{
	u32 i;

	memset(&w, 0xa5, sizeof(w));
	fuzz_abi(&w, flags >> 5 & 7);
	fuzz_space_init(&space, &w);
	uc_walk_begin(&w);
	memset(&w.regs, 0, sizeof(w.regs));
	for (i = 0; i < sizeof(stack); i++)
		stack[i] = (u8)(i * 7 >> 3);
	for (i = 0; i < UC_REG_SLOTS; i++)
		w.regs.r[i] = STACK + 0x800 + 8 * i;
	w.regs.known = flags & 1 ? w.abi.regs : UC_BIT(w.abi.sp);
	w.exact = flags >> 1 & 1;
	w.fde.signal = flags >> 2 & 1;
	w.mod.bias = flags >> 3 & 1;
	w.impure = 0;
	fuzz_region(&space, STACK, stack, sizeof(stack));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	u64 pc, len;
	int rc;

	if (size < 16)
		return 0;
	begin(data[12]);
	w.fde.data_align = (s64)fuzz_take(&in, 8);
	w.fde.code_align = fuzz_take(&in, 2);
	w.fde.ra_reg = (u32)fuzz_take(&in, 1);
	w.fde.addr_enc = (u8)fuzz_take(&in, 1);
	fuzz_take(&in, 1);
	w.fde.start = FUNCTION;
	w.fde.range = 0x10000;
	pc = FUNCTION + fuzz_take(&in, 2);
	len = fuzz_take(&in, 1);
	if (len > in.left)
		len = in.left;
	w.sec.lo = CODE;
	w.sec.hi = CODE + in.left;
	w.mod.hdr = CODE;
	w.fde.cie_insn = CODE;
	w.fde.cie_insn_end = CODE + len;
	w.fde.insn = CODE + len;
	w.fde.insn_end = CODE + in.left;
	space.lo = w.sec.lo;
	space.hi = w.sec.hi;
	fuzz_region(&space, CODE, in.p, in.left);
	FUZZ_RETRY(&space, &w, rc, uc_cfa_run(&w, pc));
	fuzz_check_stop(&w, rc);
	if (rc)
		return 0;
	fuzz_check_row(&w);
	compare();
	return 0;
}
