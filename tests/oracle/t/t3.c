/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* oracle subject: threads that wait for each other, thread-local data with a
 * destructor, a signal to a thread, and both ways for one to end */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int turn;
static __thread int mine;
__attribute__((noinline)) static int work(int n) { mine += n; return n ? work(n - 1) + mine : mine; }
static void drop(void *p) { free(p); }
static void onsig(int s) { mine += s; }
static int cmp(const void *a, const void *b) { return work(1) * 0 + *(const int *)a - *(const int *)b; }
static void *ping(void *arg)
{
	int a[6] = { 5, 3, 1, 4, 2, 0 }, me = arg != NULL, i;
	char b[64];

	pthread_setspecific(key, malloc(64));
	for (i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		while (turn != me)
			pthread_cond_wait(&changed, &lock);
		turn = !me;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		work(i);
	}
	qsort(a, 6, sizeof(*a), cmp);
	pthread_kill(pthread_self(), SIGUSR1);
	snprintf(b, sizeof(b), "%d %s", work(3), strerror(a[1]));
	if (me)
		pthread_exit((void *)(long)strlen(b));
	return (void *)(long)strlen(b);
}
int main(void)
{
	pthread_t t[2];
	void *a, *b;

	signal(SIGUSR1, onsig);
	pthread_key_create(&key, drop);
	pthread_create(&t[0], NULL, ping, NULL);
	pthread_create(&t[1], NULL, ping, &turn);
	pthread_join(t[0], &a);
	pthread_join(t[1], &b);
	return a != b;
}
