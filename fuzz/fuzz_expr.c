/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expressions.
 *
 * Input: flags (1 byte), known registers (4), four register values (8 each),
 * which registers 0 to 3, 4 to 7 and so on have, the CFA (8), a block that
 * begins with its length.
 */
#include "fuzz_space.h"

#define CODE 0x10000000ull
#define STACK 0x30000000ull

static struct fuzz_space space;
static struct uc_walk w;
static u8 stack[0x1000];

static int evaluate(u32 push_cfa, u64 *ret)
{
	int rc;

	w.nr_bad = 0;
	w.flaw = 0;
	FUZZ_RETRY(&space, &w, rc, uc_expr_run(&w, CODE, push_cfa));
	fuzz_check_stop(&w, rc);
	require(rc || w.expr.sp <= UC_EXPR_STACK);
	require(rc != UNCOIL_STOP_NO_REGISTER || w.regs.known != w.abi.regs);
	*ret = rc ? 0 : w.value;
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	u64 v[4], once, again;
	u32 flags, i;
	int rc;

	if (size < 46)
		return 0;
	memset(&w, 0xa5, sizeof(w));
	fuzz_space_init(&space, &w);
	flags = (u32)fuzz_take(&in, 1);
	fuzz_abi(&w, flags >> 5 & 7);
	uc_walk_begin(&w);
	w.regs.known = fuzz_take(&in, 4) & w.abi.regs;
	for (i = 0; i < 4; i++)
		v[i] = fuzz_take(&in, 8);
	for (i = 0; i < UC_REG_SLOTS; i++)
		w.regs.r[i] = v[i / 4 % 4] + i;
	w.cfa = fuzz_take(&in, 8);
	for (i = 0; i < sizeof(stack); i++)
		stack[i] = (u8)(i * 7 >> 3);
	fuzz_region(&space, STACK, stack, sizeof(stack));
	fuzz_region(&space, CODE, in.p, in.left);
	w.sec.lo = CODE;
	w.sec.hi = CODE + in.left;
	w.mod.hdr = CODE;
	w.mod.bias = flags >> 1 & 1;
	w.mod.elf = CODE;
	w.fde.start = CODE;
	space.lo = CODE;
	space.hi = w.sec.hi;
	/* a step may be done again: it must not depend on the first time */
	rc = evaluate(flags & 1, &once);
	memset(&w.expr, 0x5a, sizeof(w.expr));
	memset(w.scratch, 0x5a, sizeof(w.scratch));
	require(evaluate(flags & 1, &again) == rc && once == again);
	return 0;
}
