/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* spin MS: burn CPU for so long at the end of a 67-frame stack. */
#include "subjects.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

NOINLINE static void burn(void *until)
{
	volatile unsigned int x = 1;
	int i;

	do {
		for (i = 0; i < 20000; i++)
			x = x * 1664525u + 1013904223u;
	} while (now_ms() < *(int64_t *)until);
}

int main(int argc, char **argv)
{
	int64_t until = now_ms() + (argc > 1 ? atol(argv[1]) : 1000);

	stack_deep(61, burn, &until);
	return 0;
}
