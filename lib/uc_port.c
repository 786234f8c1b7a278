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

/* Rows are not kept here: a walk of a stopped process is done once. */
int uc_port_row_get(struct uc_walk *w, u64 off)
{
	(void)w;
	(void)off;
	return 1;
}

int uc_port_row_put(struct uc_walk *w, u64 off)
{
	(void)w;
	(void)off;
	return 1;
}
