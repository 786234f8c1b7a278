/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .sframe: its header, functions and rows.
 *
 * Input: the ABI (1 byte), the distances of the code (4, signed) and of the pc
 * (4, signed) from the section, the size of the code (4), the section.
 */
#include "fuzz_space.h"

#define SECTION 0x10000010ull

struct answer {
	int rc;
	u32 flaw;
	u64 at;
	struct uc_row row;
};

static struct fuzz_space space;
static struct uc_walk w;

static u64 from_section(struct fuzz_in *in)
{
	return SECTION + (u64)(s64)(s32)fuzz_take(in, 4);
}

static void check_row(void)
{
	u32 i;

	fuzz_check_row(&w);
	require(w.row.ra_reg == w.abi.ra && w.row.signal <= 1 && w.row.ra_state <= 1);
	require(w.row.cfa_kind != UC_CFA_EXPR && w.row.pc_kind == UC_RULE_UNSET);
	require(w.row.cfa_kind != UC_CFA_NONE || w.row.kind[w.abi.ra] == UC_RULE_UNDEFINED);
	for (i = 0; i < UC_REG_SLOTS; i++) {
		require(w.row.kind[i] != UC_RULE_EXPR && w.row.kind[i] != UC_RULE_VAL_EXPR);
		require(w.row.kind[i] != UC_RULE_REGISTER || (u32)w.row.val[i] < w.abi.nr_regs);
	}
}

/* The section lies within its bounds, and so does what was found in it. */
static void check_section(u64 pc)
{
	require(w.mod.sf.fde >= w.mod.sframe && w.mod.sf.fde <= w.mod.sf.fre);
	require(w.mod.sf.fre <= w.mod.sf.fre_end && w.mod.sf.fre_end <= w.mod.sframe_end);
	require(pc >= w.sf.start && pc - w.sf.start < w.sf.size);
	require(w.sf.row_at >= w.mod.sf.fre && w.sf.row_at < w.mod.sf.fre_end);
}

static void look_up(u64 pc, struct answer *ret)
{
	w.nr_bad = 0;
	w.impure = 0;
	w.scanned = 0;
	w.flaw = 0;
	w.stop_addr = 0;
	memset(&w.row, 0xa5, sizeof(w.row));
	FUZZ_RETRY(&space, &w, ret->rc, uc_sframe_row(&w, pc));
	fuzz_check_stop(&w, ret->rc);
	ret->flaw = w.flaw;
	ret->at = w.stop_addr;
	ret->row = w.row;
	if (ret->rc)
		return;
	check_section(pc);
	check_row();
}

static void expect_same(const struct answer *a, const struct answer *b)
{
	require(a->rc == b->rc && a->flaw == b->flaw && a->at == b->at);
	require(a->rc || !memcmp(&a->row, &b->row, sizeof(a->row)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	u32 abi = (u32)fuzz_take(&in, 1);
	struct answer first, second;
	u64 code, pc;

	code = from_section(&in);
	pc = from_section(&in);
	memset(&w, 0xa5, sizeof(w));
	fuzz_abi(&w, abi & 7);
	fuzz_space_init(&space, &w);
	uc_walk_begin(&w);
	memset(&w.mod, 0, sizeof(w.mod));
	w.cfi.depth = 0; /* not used here, but looked at */
	w.mod.addr_size = w.abi.addr_size;
	w.mod.bias = abi >> 7;
	w.mod.nr_loads = 1;
	w.mod.load[0].exec = 1;
	w.mod.load[0].vaddr = code;
	w.mod.load[0].filesz = fuzz_take(&in, 4);
	w.mod.sframe = SECTION;
	w.mod.sframe_end = SECTION + in.left;
	fuzz_region(&space, SECTION, in.p, in.left);
	space.lo = w.mod.sframe;
	space.hi = w.mod.sframe_end;
	space.cache_on = 1;
	space.swapped_out = 1; /* each page is missing at first */
	look_up(pc, &first);
	look_up(pc, &second); /* what was remembered holds */
	expect_same(&first, &second);
	w.mod.sf.open = 0;
	space.nr_bad = 0;
	space.swapped_out = 0;
	look_up(pc, &second);
	expect_same(&first, &second);
	return 0;
}
