/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* oracle subject: recursion without frame pointers, qsort callback, lazy PLT,
 * signal handler on the normal and on an alternate stack, longjmp, alloca,
 * realigned frame, tail call, string functions (IFUNC) */
#define _GNU_SOURCE
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define NI __attribute__((noinline, noclone))
volatile int sink; static jmp_buf jb; volatile int zero;
NI int leaf(int x) { sink += x; return x * 3 + sink; }
NI int tail(int x) { if (x & 1) return leaf(x + 1); return leaf(x); }
NI int big(int x) { volatile char b[3000]; b[x & 1023] = x; sink += b[7]; return tail(x) + b[1]; }
NI int dyn(int n) { char *p = alloca(n * 16 + 1); memset(p, n, n * 16); sink += p[n]; return big(n) + p[0]; }
NI int al(int n) { volatile __attribute__((aligned(64))) int v[16]; v[n & 15] = n; return dyn(n) + v[3]; }
NI int rec(int n) { int r = n ? rec(n - 1) + leaf(n) : al(5); sink += r; return r ^ n; }
static int cmp(const void *a, const void *b) { return leaf(*(int *)a) - leaf(*(int *)b) + (*(int *)a - *(int *)b) * 7; }
static void onsig(int s) { sink += s; leaf(s); }
NI void jump(int n) { if (n) jump(n - 1); else longjmp(jb, 1); sink++; }
NI int fault(int *p) { sink++; return *p + 1; }
static sigjmp_buf sj; static void onsegv(int s) { (void)s; sink += tail(3); siglongjmp(sj, 1); }
int main(int c, char **v) {
  (void)v; int a[12];
  for (int i = 0; i < 12; i++) a[i] = (i * 7919) % 13;
  rec(6 + c);
  qsort(a, 12, sizeof *a, cmp);
  signal(SIGUSR1, onsig); raise(SIGUSR1);
  stack_t ss = {.ss_sp = malloc(65536), .ss_size = 65536}; sigaltstack(&ss, 0);
  struct sigaction sa = {.sa_handler = onsig, .sa_flags = SA_ONSTACK}; sigaction(SIGUSR2, &sa, 0); raise(SIGUSR2);
  if (!setjmp(jb)) jump(4);
  signal(SIGSEGV, onsegv); if (!sigsetjmp(sj, 1)) fault((int *)(long)zero);
  struct timespec ts; clock_gettime(CLOCK_MONOTONIC, &ts);
  char b[64]; snprintf(b, sizeof b, "%d %s %.2f %ld\n", sink, strchr("hello", 'l'), 1.5 * c, (long)(ts.tv_sec > 0));
  puts(b); return 0;
}
