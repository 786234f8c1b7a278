/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nothing is kept between walks in user space. */
#include "uc_core.h"

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

/* A walk looks at a module's header once. */
int uc_port_bad_get(struct uc_walk *w, u32 what)
{
	(void)w;
	(void)what;
	return 0;
}

int uc_port_bad_put(struct uc_walk *w, u32 what)
{
	(void)w;
	(void)what;
	return 1;
}
