/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whole walks over a hostile image: registers, stack, mappings and sections
 * all come from the input. The same walk is done with pages that are brought
 * in late, in memory left over from another walk, and with rows from a cache:
 * all must agree.
 *
 * Input: known registers (4 bytes), the initial stack pointer (8), the
 * registers in DWARF's order (8 each), an address space as fuzz_input.h says.
 */
#include "fuzz_input.h"

#define FRAMES 40

struct outcome {
	u64 frame[FRAMES];
	u32 nr, flaw;
	int stop;
};

static struct fuzz_space space;
static struct uc_walk w;

/* A frame that was reached by a return lies in code. */
static void check_frame(u64 sp_before, u32 exact_before, u32 switches_before)
{
	struct uc_map map;

	if (!w.exact) {
		/* or a trampoline at the first byte of one */
		require(!fuzz_map(&space, w.regs.pc - 1, &map) || !fuzz_map(&space, w.regs.pc, &map));
		require(map.flags & UC_MAP_EXEC);
	}
	require(w.switches <= UC_SWITCHES_MAX + 1);
	if (w.switches == switches_before && w.bare != UC_BARE_FP)
		require(w.regs.r[w.abi.sp] > sp_before ||
			(w.regs.r[w.abi.sp] == sp_before && exact_before));
}

static void walk(u32 abi, const struct uc_regs *regs, u64 entry_sp, u32 fill, struct outcome *ret)
{
	memset(&w, (int)fill, sizeof(w));
	uc_abi_set(&w, abi);
	w.port.mem = &space.memory;
	w.regs = *regs;
	w.entry_sp = entry_sp;
	ret->nr = 0;
	ret->stop = uc_walk_begin(&w);
	while (!ret->stop) {
		u64 sp = w.regs.r[w.abi.sp];
		u32 exact = w.exact, switches = w.switches;

		if (ret->nr == FRAMES) {
			ret->stop = UNCOIL_STOP_DEPTH_LIMIT;
			break;
		}
		ret->frame[ret->nr++] = w.regs.pc;
		FUZZ_RETRY(&space, &w, ret->stop, uc_walk_step(&w));
		fuzz_check_stop(&w, ret->stop);
		if (!ret->stop)
			check_frame(sp, exact, switches);
	}
	ret->flaw = w.flaw;
	require(space.nr_reads < 10000000);
}

/* Where the stop is for lack of memory, how much was read before matters. */
static void compare(const struct outcome *a, const struct outcome *b)
{
	if (a->stop == UNCOIL_STOP_MEMORY_FAULT || b->stop == UNCOIL_STOP_MEMORY_FAULT)
		return;
	require(a->stop == b->stop && a->nr == b->nr && a->flaw == b->flaw);
	require(!memcmp(a->frame, b->frame, a->nr * sizeof(a->frame[0])));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	struct uc_regs regs = { 0 };
	struct outcome plain, other;
	u64 entry_sp;
	u32 flags, abi, i;

	if (size < 150)
		return 0;
	fuzz_space_init(&space, &w);
	flags = (u32)fuzz_take(&in, 4);
	fuzz_abi(&w, flags >> 29);
	abi = w.abi.id;
	regs.known = flags & w.abi.regs;
	entry_sp = fuzz_take(&in, 8);
	for (i = 0; i < 16; i++)
		regs.r[i] = fuzz_take(&in, 8);
	regs.pc = fuzz_take(&in, 8);
	for (; i < UC_REG_SLOTS; i++) /* the other machines' further registers */
		regs.r[i] = regs.r[i & 15];
	fuzz_input_space(&space, &in);
	walk(abi, &regs, entry_sp, 0, &plain);
	space.swapped_out = 1;
	walk(abi, &regs, entry_sp, 0xa5, &other);
	compare(&plain, &other);
	space.swapped_out = 0;
	space.cache_on = 1;
	walk(abi, &regs, entry_sp, 0x5a, &other);
	compare(&plain, &other);
	walk(abi, &regs, entry_sp, 0, &other);
	compare(&plain, &other);
	return 0;
}
