/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * subject SCENE: make a stack, print it by glibc's backtrace() and the mappings
 * from /proc/self/maps, and die there, so that a core file has the same stack.
 * All that prints is watch(), alone in a section of its own, so that its frame
 * can be told by address:
 *
 *	stack TID START END	of watch()'s code
 *	frame ADDRESS ...
 *	maps
 *	...
 *
 * subject SCENE rest: make the stack, print READY, and spin there.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH 1000
#define NOINLINE __attribute__((noinline, noclone))

enum after { DIE, RETURN, BLOCK };

extern char __start_watched[], __stop_watched[];

static void print_maps(void)
{
	char buf[4096];
	int fd = open("/proc/self/maps", O_RDONLY);
	size_t n;

	puts("maps");
	while (fd >= 0) {
		ssize_t got = read(fd, buf, sizeof(buf));

		if (got <= 0)
			break;
		n = fwrite(buf, 1, (size_t)got, stdout);
		if (n != (size_t)got)
			break;
	}
	fflush(stdout);
}

static pthread_barrier_t blocked;

NOINLINE static void block(void)
{
	funlockfile(stdout);
	pthread_barrier_wait(&blocked);
	for (;;)
		pause();
}

static bool rests;

NOINLINE static void rest(void)
{
	alarm(60);
	puts("READY");
	fflush(stdout);
	for (;;)
		__asm__ volatile("");
}

NOINLINE __attribute__((section("watched"))) static void watch(enum after after)
{
	static void *frame[2 * DEPTH];
	int nr, i;

	if (rests)
		rest();
	nr = backtrace(frame, 2 * DEPTH);
	printf("stack %ld %p %p\n", syscall(SYS_gettid), (void *)__start_watched,
	       (void *)__stop_watched);
	for (i = 0; i < nr; i++)
		printf("frame %p\n", frame[i]);
	fflush(stdout);
	if (after == RETURN)
		return;
	if (after == BLOCK)
		block();
	print_maps();
	abort();
}

/* ---- calls ---- */

static int compare(const void *a, const void *b)
{
	watch(DIE);
	return *(const int *)a - *(const int *)b;
}

static void scene_qsort(void)
{
	int numbers[] = { 3, 1, 2 };

	qsort(numbers, 3, sizeof(numbers[0]), compare);
	printf("%d\n", numbers[0]);
}

typedef unsigned long (*step_fn)(unsigned long, unsigned long);
static step_fn steps[2];

NOINLINE static unsigned long step_small(unsigned long left, unsigned long x)
{
	if (!left)
		watch(DIE);
	return steps[x & 1](left - 1, x * 7 + 1) + x;
}

NOINLINE static unsigned long step_large(unsigned long left, unsigned long x)
{
	volatile unsigned long block[16] = { x };

	if (!left)
		watch(DIE);
	block[x & 15] = steps[(x >> 1) & 1](left - 1, x * 5 + 3);
	return block[0] + block[x & 15] + left;
}

static step_fn steps[2] = { step_small, step_large };

static void scene_deep(void)
{
	printf("%lu\n", step_small(DEPTH, 1));
}

NOINLINE static int variable(volatile int n)
{
	volatile char *block = alloca((size_t)n);

	block[n - 1] = 1;
	watch(DIE);
	return block[n - 1];
}

/* The stack pointer is moved by an amount that only the frame pointer undoes. */
static void scene_alloca(void)
{
	printf("%d\n", variable(777));
}

/* Many registers are live across the call. */
NOINLINE static double crowded(long a, long b, long c, double x, double y)
{
	long d = a * b, e = b * c, f = a + c, g = a ^ b, h = b - c, i = a * 3, j = b * 5, k = c * 7;
	double u = x * y, v = x + y, z = x - y;

	watch(DIE);
	return u + v + z + (double)(d + e + f + g + h + i + j + k) + x + y;
}

static void scene_crowded(void)
{
	volatile long n = 3;

	printf("%f\n", crowded(n, n + 1, n + 2, (double)n, 1.5));
}

/* ---- signals ---- */

static void handler(int sig)
{
	(void)sig;
	watch(DIE);
}

static void handler_info(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	handler(sig);
}

/* The second time it is fatal. */
static void handler_once(int sig)
{
	(void)sig;
	watch(RETURN);
	print_maps();
}

static void handler_nest(int sig)
{
	(void)sig;
	raise(SIGUSR2);
}

static void on(int sig, void *function, int flags)
{
	struct sigaction act;

	memset(&act, 0, sizeof(act));
	act.sa_flags = flags;
	if (flags & SA_SIGINFO)
		act.sa_sigaction = (void (*)(int, siginfo_t *, void *))function;
	else
		act.sa_handler = (void (*)(int))function;
	sigaction(sig, &act, NULL);
}

static void scene_signal(void)
{
	on(SIGUSR1, handler_info, SA_SIGINFO);
	raise(SIGUSR1);
}

static void scene_signal_old(void)
{
	on(SIGUSR1, handler, 0);
	raise(SIGUSR1);
}

static void scene_nested(void)
{
	on(SIGUSR1, handler_nest, 0);
	on(SIGUSR2, handler_info, SA_SIGINFO);
	raise(SIGUSR1);
}

static void altstack(void *function, int flags)
{
	static char below[65536];
	stack_t stack = { .ss_sp = below, .ss_size = sizeof(below) };

	sigaltstack(&stack, NULL);
	on(SIGUSR1, function, SA_ONSTACK | flags);
	raise(SIGUSR1);
}

static void scene_altstack(void)
{
	altstack(handler, 0);
}

static void scene_altstack_info(void)
{
	altstack(handler_info, SA_SIGINFO);
}

/* Leaves: the return address is where the call has put it. */
static int *volatile nowhere;

NOINLINE static int leaf(int x)
{
	*nowhere = x;
	return x + 1;
}

NOINLINE static int leaf_caller(int x)
{
	return leaf(x + 1) + 2;
}

static void scene_leaf(void)
{
	on(SIGSEGV, handler_info, SA_SIGINFO);
	printf("%d\n", leaf_caller(1));
}

static void scene_leaf_dies(void)
{
	on(SIGSEGV, handler_once, SA_RESETHAND);
	printf("%d\n", leaf_caller(1));
}

NOINLINE static int illegal(int x)
{
#if defined(__aarch64__)
	__asm__ volatile(".inst 0");
#elif defined(__s390x__)
	__asm__ volatile(".short 0");
#else
	__asm__ volatile("ud2");
#endif
	return x + 1;
}

static void scene_illegal(void)
{
	on(SIGILL, handler, 0);
	printf("%d\n", illegal(1) + 1);
}

static void scene_illegal_info(void)
{
	on(SIGILL, handler_info, SA_SIGINFO);
	printf("%d\n", illegal(1) + 1);
}

/* ---- threads ---- */

static void *thread_blocks(void *arg)
{
	flockfile(stdout);
	watch(BLOCK);
	return arg;
}

static void *thread_dies(void *arg)
{
	pthread_barrier_wait(&blocked);
	usleep(20000); /* until it pauses */
	watch(DIE);
	return arg;
}

static void scene_threads(void)
{
	pthread_t first, second;
	void *result;

	pthread_barrier_init(&blocked, NULL, 2);
	pthread_create(&first, NULL, thread_blocks, NULL);
	pthread_create(&second, NULL, thread_dies, NULL);
	pthread_join(first, &result);
	puts("joined");
}

static const struct {
	const char *name;
	void (*run)(void);
} scenes[] = {
	{ "qsort", scene_qsort },
	{ "deep", scene_deep },
	{ "alloca", scene_alloca },
	{ "crowded", scene_crowded },
	{ "signal", scene_signal },
	{ "signal-old", scene_signal_old },
	{ "nested", scene_nested },
	{ "altstack", scene_altstack },
	{ "altstack-info", scene_altstack_info },
	{ "leaf", scene_leaf },
	{ "leaf-dies", scene_leaf_dies },
	{ "illegal", scene_illegal },
	{ "illegal-info", scene_illegal_info },
	{ "threads", scene_threads },
};

int main(int argc, char **argv)
{
	size_t i;

	rests = argc == 3 && !strcmp(argv[2], "rest");
	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (argc == 2 + rests && !strcmp(argv[1], scenes[i].name))
			scenes[i].run();
	return 2;
}
