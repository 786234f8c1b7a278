/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* .debug_frame, where the address space knows the files behind it. */
#include "uc_core.h"

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
