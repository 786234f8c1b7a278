/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The alternate stack is an array in main's frame, far above the thread's own
   stack: crossing the signal frame takes the stack pointer DOWN. */
static char *alt;
__attribute__((noinline)) void on_ill(int s) {
  (void)s;
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}
__attribute__((noinline, noipa)) void crash(void) { __asm__ volatile("nop; ud2; ud2"); }
__attribute__((noinline, noipa)) void work(void) { crash(); __asm__ volatile(""); }
void *thread(void *x) {
  stack_t st = {.ss_sp = alt, .ss_size = 32768};
  sigaltstack(&st, 0);
  work();
  return x;
}
int main(void) {
  char room[32768];
  pthread_t t;
  struct sigaction a;
  alt = room;
  memset(&a, 0, sizeof a);
  a.sa_handler = on_ill;
  a.sa_flags = SA_ONSTACK;
  sigaction(SIGILL, &a, 0);
  pthread_create(&t, 0, thread, 0);
  pthread_join(t, 0);
  return 0;
}
