/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usage: deep calls N       spin below N recursive calls
 *        deep alloca BYTES  spin below a frame of that size
 *        deep run N MS      recurse N deep again and again for MS milliseconds
 */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static int running;

NOINLINE void spot(void)
{
	if (running)
		return;
	alarm(60);
	if (write(1, "READY\n", 6) != 6)
		_exit(1);
	for (;;)
		__asm__ volatile("pause");
}

NOINLINE void call(int n)
{
	if (n > 1)
		call(n - 1);
	else
		spot();
	__asm__ volatile("");
}

NOINLINE void big(size_t size)
{
	char *room = alloca(size);

	memset(room, 1, size);
	call(1);
	__asm__ volatile("" ::"r"(room) : "memory");
}

NOINLINE void run(int n, long ms)
{
	struct timespec a, b;

	running = 1;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		for (int i = 0; i < 1000; i++)
			call(n);
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc == 3 && !strcmp(argv[1], "calls"))
		call(n);
	else if (argc == 3 && !strcmp(argv[1], "alloca"))
		big((size_t)n);
	else if (argc == 4 && !strcmp(argv[1], "run"))
		run(n, atol(argv[3]));
	else
		return 2;
	return 0;
}
