/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A library for deep.py: where python comes to rest, below libffi. */
#include <unistd.h>

int spin(int n)
{
	alarm(60);
	if (write(1, "READY\n", 6) != 6)
		return 1;
	for (;;)
		__asm__ volatile("pause");
	return n;
}
