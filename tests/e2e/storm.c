/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usage: storm MS PROGRAM [ARGUMENT...]
 * Processes and threads that come and go, for MS milliseconds: some exit at
 * once, some at the height of their work, some by a signal, some exec PROGRAM.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static void burn(unsigned us)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		for (int i = 0; i < 200; i++)
			sink += (unsigned)i * sink;
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}

static void *thread(void *arg)
{
	burn((unsigned)(size_t)arg);
	return NULL;
}

/* A thread leaves the whole process while others work. */
static void *leaver(void *arg)
{
	burn((unsigned)(size_t)arg);
	_exit(0);
}

static void child(int kind, char **argv)
{
	pthread_t t[4];

	burn(200);
	switch (kind) {
	case 0:
		_exit(0);
	case 1:
		execvp(argv[0], argv);
		_exit(127);
	case 2:
		for (size_t i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, i == 3 ? leaver : thread, (void *)(500 + i * 300));
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
		_exit(0);
	case 3:
		raise(SIGKILL);
		_exit(1);
	case 4: /* exec while other threads run */
		for (size_t i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, thread, (void *)5000);
		execvp(argv[0], argv);
		_exit(127);
	default:
		if (!vfork()) {
			execvp(argv[0], argv);
			_exit(127);
		}
		wait(NULL);
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	struct timespec a, b;
	long ms = argc > 2 ? atol(argv[1]) : 0;
	int kind = 0;

	if (!ms)
		return 2;
	alarm(60);
	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		for (int i = 0; i < 8; i++, kind = (kind + 1) % 6)
			if (!fork())
				child(kind, argv + 2);
		while (wait(NULL) > 0)
			;
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
	return 0;
}
