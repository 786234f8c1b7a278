/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <stdint.h>
#include <sys/auxv.h>
#include <time.h>
#include <ucontext.h>
/* Single-step clock_gettime and come to rest in the trap handler once the
   interrupted pc is a few instructions into the vdso. */
static uintptr_t lo;
static int n;
void rest(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}
__attribute__((noinline)) void on_trap(int s, siginfo_t *i, void *u) {
  (void)s; (void)i;
  uintptr_t pc = ((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP];
  if (pc - lo < 0x2000 && ++n == 8) rest();
}
__attribute__((noinline, noipa)) void now(struct timespec *t) {
  __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" ::: "memory", "cc");
  clock_gettime(CLOCK_MONOTONIC, t);
  __asm__ volatile("" ::"r"(t) : "memory");
}
int main(void) {
  struct timespec t;
  struct sigaction a;
  clock_gettime(CLOCK_MONOTONIC, &t);
  lo = getauxval(AT_SYSINFO_EHDR);
  memset(&a, 0, sizeof a);
  a.sa_sigaction = on_trap;
  a.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &a, 0);
  now(&t);
  return 0;
}
