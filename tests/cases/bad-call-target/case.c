/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) void on_segv(int s) {
  (void)s;
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}
__attribute__((noinline, noipa)) void jump(void (*f)(void)) { f(); __asm__ volatile(""); }
int main(void) {
  signal(SIGSEGV, on_segv);
  jump((void (*)(void))0x10);
  return 0;
}
