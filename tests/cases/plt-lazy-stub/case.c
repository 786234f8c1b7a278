/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
/* Single-step (trap flag) from main into a lazily bound call and come to rest
   in the SIGTRAP handler when the interrupted pc stands where asked. */
static long want_stub;
__attribute__((noinline)) void rest(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}
static int seen_push;
void on_trap(int s, siginfo_t *i, void *u) {
  (void)s; (void)i;
  unsigned char *pc = (unsigned char *)((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP];
  if (want_stub) {          /* just after push $n of the stub: next is jmp plt0 */
    if (pc[0] == 0xe9 && pc[-5] == 0x68 && ++seen_push == 1) rest();
  } else {                  /* in plt0, after push GOT+8: next is jmp *GOT+16 */
    if (pc[0] == 0xff && pc[1] == 0x25 && pc[-6] == 0xff && pc[-5] == 0x35) rest();
  }
}
__attribute__((noinline)) void caller(void) {
  __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq; call getppid@PLT" ::: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}
int main(int c, char **v) {
  want_stub = c > 1 && !strcmp(v[1], "stub");
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = on_trap;
  a.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &a, 0);
  caller();
  return 0;
}
