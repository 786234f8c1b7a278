/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a mapping to its unwind section: ELF headers, segments, the search for
 * sections that no header names.
 *
 * Input: number of mappings and of regions (1 byte each), the mappings, the
 * regions, and the regions' bytes, as fuzz_input.h says. The first mapping is
 * the one whose section is looked for.
 */
#include "fuzz_input.h"

static struct fuzz_space space;
static struct uc_walk w;

/* Unwind data is of the file's mappings, each in one of them. */
static void check_bounds(void)
{
	u32 i;

	require(w.mod.lo < w.mod.hi);
	require(w.mod.eh_frame >= w.mod.lo && w.mod.eh_frame < w.mod.hi);
	for (i = 0; i < space.nr_maps; i++)
		if (w.mod.lo >= space.map[i].start && w.mod.hi <= space.map[i].end &&
		    space.map[i].id[0] == w.map.id[0])
			return;
	require(0);
}

static int find(u32 fill, struct uc_module *ret)
{
	int rc;

	memset(&w, (int)fill, sizeof(w));
	uc_abi_set(&w, UC_ABI_X86_64);
	w.port.mem = &space.memory;
	uc_walk_begin(&w);
	w.map = space.map[0];
	w.searched = 0; /* as uc_walk_step() does */
	w.impure = 0;
	FUZZ_RETRY(&space, &w, rc, uc_module_find(&w));
	if (rc == UNCOIL_STOP_MEMORY_FAULT)
		return rc;
	fuzz_check_stop(&w, rc);
	fuzz_check_module(&w);
	if (!rc)
		check_bounds();
	*ret = w.mod;
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	struct uc_module a, b;
	int rc;

	fuzz_space_init(&space, &w);
	fuzz_input_space(&space, &in);
	if (!space.nr_maps)
		return 0;
	rc = find(0, &a);
	space.swapped_out = 1;
	require(find(0xa5, &b) == rc);
	if (!rc)
		require(a.hdr == b.hdr && a.table == b.table && a.rows == b.rows && a.lo == b.lo &&
			a.hi == b.hi && a.eh_frame == b.eh_frame && a.pristine == b.pristine);
	return 0;
}
