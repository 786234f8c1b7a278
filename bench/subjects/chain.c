/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One of the libraries; LIB is its number. */
#include "subjects.h"

void chain_enter(struct chain *c, int i);

static volatile long sink;

NOINLINE static void third(struct chain *c, int i)
{
	volatile char room[16 + LIB * 24];

	room[i & 7] = (char)i;
	if (i + 1 < CHAIN_LIBRARIES)
		c->enter[i + 1](c, i + 1);
	else
		c->leaf(c->arg);
	sink += room[1];
}

NOINLINE static void second(struct chain *c, int i, int k, long m)
{
	long a = m * 3, b = m ^ k;

	third(c, i);
	sink += a + b + k;
}

NOINLINE void chain_enter(struct chain *c, int i)
{
	second(c, i, i * 3, LIB);
	sink++;
}
