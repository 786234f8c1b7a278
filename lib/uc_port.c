/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the core asks of its world, in user space. */
#include "uc_core.h"

int uc_port_map(struct uc_walk *w, u64 addr)
{
	if (w->port.mem->map(w->port.mem->arg, addr, &w->found))
		return UNCOIL_STOP_NO_MAPPING;
	return 0;
}

int uc_port_elf(struct uc_walk *w)
{
	if (w->port.mem->elf(w->port.mem->arg, &w->map, &w->found))
		return UNCOIL_STOP_NO_SECTION;
	return 0;
}

int uc_port_debug_fde(struct uc_walk *w, u64 pc)
{
	const struct uc_memory *mem = w->port.mem;
	struct uc_debug_fde found;

	if (!mem->debug_fde || mem->debug_fde(mem->arg, &w->map, pc - w->mod.bias, &found))
		return UNCOIL_STOP_NO_SECTION;
	w->sec.lo = found.lo;
	w->sec.hi = found.hi;
	w->value = found.fde;
	return 0;
}
