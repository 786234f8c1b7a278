/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rec TIMES: a recursion 80 deep that works at every level. */
#include "subjects.h"

#include <stdio.h>
#include <stdlib.h>

NOINLINE static unsigned int work(unsigned int x)
{
	int i;

	for (i = 0; i < 400; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

NOINLINE static unsigned int rec(int n, unsigned int x)
{
	volatile unsigned int pad[24];
	unsigned int r;

	pad[n & 7] = x;
	r = work(x);
	if (n)
		r += rec(n - 1, r);
	return r ^ pad[n & 7];
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 20000, i;
	unsigned int sum = 0;

	for (i = 0; i < times; i++)
		sum += rec(80, (unsigned int)i);
	printf("%u\n", sum);
	return 0;
}
