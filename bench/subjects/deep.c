/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A deep stack of distinct functions: other frame sizes, other sets of saved
 * registers, so that every frame needs a row of its own.
 */
#include "subjects.h"

struct deep {
	leaf_fn *leaf;
	void *arg;
};

typedef long level_fn(struct deep *d, long a, long b, long c);

#define FIRST 10
#define END 72

/* X(10) to X(71) */
#define TEN(X, t) X(t##0) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7) X(t##8) X(t##9)
#define LEVELS(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) X(70) X(71)

#define DECLARE(n) static level_fn level_##n;
LEVELS(DECLARE)

#define ENTRY(n) level_##n,
static level_fn *const levels[] = { LEVELS(ENTRY) };

/* What lives across the call decides which registers are saved. */
#define DEFINE(n) \
	NOINLINE static long level_##n(struct deep *d, long a, long b, long c) \
	{ \
		volatile char room[16 + n * 37 % 229]; \
		long r = 0; \
\
		room[n & 7] = (char)a; \
		if (n + 1 < END) \
			r = levels[(n + 1 - FIRST) % (END - FIRST)](d, b, a + n, c ^ n); \
		else \
			d->leaf(d->arg); \
		r += room[n & 7]; \
		if (n % 3) \
			r += a; \
		if (n % 5 > 1) \
			r ^= b * c; \
		return r; \
	}
LEVELS(DEFINE)

void stack_deep(int nr, leaf_fn *leaf, void *arg)
{
	struct deep d = { leaf, arg };

	levels[END - FIRST - nr](&d, 1, 2, 3);
	__asm__ volatile(""); /* no tail call */
}
