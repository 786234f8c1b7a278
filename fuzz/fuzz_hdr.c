/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .eh_frame_hdr, its table, and the records of .eh_frame.
 *
 * Input: the header's place in the segment (2 bytes), the pc's distance from
 * the segment (4, signed), the segment.
 */
#include "fuzz_space.h"

#define SEGMENT 0x10000000ull

static struct fuzz_space space;
static struct uc_walk w;

static void look_up(u64 pc, int (*how)(struct uc_walk *, u64))
{
	int rc;

	w.nr_bad = 0;
	w.impure = 0;
	w.scanned = 0;
	FUZZ_RETRY(&space, &w, rc, how(&w, pc));
	fuzz_check_stop(&w, rc);
	if (rc)
		return;
	fuzz_check_fde(&w, pc);
	FUZZ_RETRY(&space, &w, rc, uc_cfa_run(&w, pc));
	fuzz_check_stop(&w, rc);
	if (!rc)
		fuzz_check_row(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	u64 hdr = SEGMENT + fuzz_take(&in, 2), pc = SEGMENT + (u64)(s64)(s32)fuzz_take(&in, 4);
	int rc;

	if (!in.left || hdr - SEGMENT >= in.left)
		return 0;
	memset(&w, 0xa5, sizeof(w));
	uc_abi_set(&w, UC_ABI_X86_64);
	fuzz_space_init(&space, &w);
	fuzz_region(&space, SEGMENT, in.p, in.left);
	uc_walk_begin(&w);
	memset(&w.mod, 0, sizeof(w.mod));
	w.mod.addr_size = 8;
	w.mod.bias = data[0] & 1;
	w.mod.hdr = hdr;
	w.sec.lo = SEGMENT;
	w.sec.hi = SEGMENT + in.left;
	w.mod.hdr_end = w.sec.hi;
	space.lo = w.sec.lo;
	space.hi = w.sec.hi;
	FUZZ_RETRY(&space, &w, rc, uc_hdr_open(&w));
	fuzz_check_stop(&w, rc);
	if (rc)
		return 0;
	fuzz_check_module(&w);
	if (w.mod.table)
		look_up(pc, uc_fde_by_table);
	look_up(pc, uc_fde_by_scan);
	return 0;
}
