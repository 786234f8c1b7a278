/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The core as a plug-in of the single-step oracle. */
#include "oracle.h"

#include "uc_unwind.h"
#include "uc_vmas.h"
#include "arch/x86_64.h"
#include "uc_walk.h"

static struct uc_vmas maps;
static unsigned int maps_gen = ~0u;
static struct or_ctx *ctx;

static int plug_read(void *arg, u64 addr, void *dst, u32 len)
{
	(void)arg;
	return ctx->read(ctx, addr, dst, len) == len ? 0 : -1;
}

static int plug_map(void *arg, u64 addr, struct uc_map *ret)
{
	(void)arg;
	return uc_vmas_find(&maps, addr, ret) ? 0 : -1;
}

static int plug_elf(void *arg, const struct uc_map *of, struct uc_map *ret)
{
	(void)arg;
	return uc_vmas_find_start(&maps, of, ret) ? 0 : -1;
}

static const struct uc_memory memory = { .read = plug_read, .map = plug_map, .elf = plug_elf };

static void plug_refresh(struct or_ctx *c)
{
	ctx = c;
	if (c->maps_gen == maps_gen)
		return;
	uc_vmas_fini(&maps);
	uc_vmas_parse(&maps, c->maps, strlen(c->maps));
	maps_gen = c->maps_gen;
}

__attribute__((visibility("default"))) or_unwind_fn or_unwind;

int or_unwind(struct or_ctx *c, const uint64_t regs[OR_NREG], uint64_t *pc, uint64_t *cfa, int max)
{
	static struct uc_walk w;
	int n = 0, rc;

	plug_refresh(c);
	w.port.mem = &memory;
	w.entry_sp = c->entry_sp;
	uc_abi_set(&w, UC_ABI_X86_64);
	w.unwind = uc_unwind_default();
	memcpy(w.regs.r, regs, (OR_NREG - 1) * sizeof(*regs));
	w.regs.pc = regs[OR_NREG - 1];
	w.regs.known = UC_X86_64_REGS;
	rc = uc_walk_begin(&w);
	while (!rc && n < max) {
		pc[n] = w.regs.pc;
		cfa[n++] = 0;
		rc = uc_walk_step(&w);
		while (rc == UC_FAULT) {
			rc = uc_walk_page_is_bad(&w);
			if (!rc)
				rc = uc_walk_step(&w);
		}
		if (!rc)
			cfa[n - 1] = w.regs.r[UC_RSP];
	}
	return n;
}
