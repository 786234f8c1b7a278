/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* oracle subject: a thread with recursion, a lock, thread-local storage, malloc from a
 * new arena, a clean-up handler and a return value */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline, noclone))
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static __thread volatile int mine;
static pthread_key_t key;
static int ready;
NI int rec(int n) { mine += n; return n ? rec(n - 1) + mine : 1; }
static void destroy(void *p) { mine += rec(2); free(p); }
static void cleanup(void *p) { pthread_mutex_unlock(p); }
static void *run(void *arg) {
  char *p = malloc(3000); memset(p, 1, 3000); pthread_setspecific(key, p);
  pthread_mutex_lock(&lock); pthread_cleanup_push(cleanup, &lock);
  ready = rec(5) + *(int *)arg; pthread_cond_signal(&cond);
  pthread_cleanup_pop(1);
  char b[64]; snprintf(b, sizeof b, "%d %.3f\n", ready, ready / 7.0); fputs(b, stderr);
  return (void *)(long)strlen(b);
}
int main(void) {
  pthread_t t; void *ret; int arg = 3;
  pthread_key_create(&key, destroy);
  if (pthread_create(&t, 0, run, &arg)) return 1;
  pthread_mutex_lock(&lock); while (!ready) pthread_cond_wait(&cond, &lock); pthread_mutex_unlock(&lock);
  pthread_join(t, &ret);
  return ret ? rec(3) < 0 : 1;
}
