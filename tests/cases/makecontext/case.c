/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
/* Where every program comes to rest.  The caller's frame is what is tested. */
__attribute__((noinline, noclone, noipa)) void spot(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}

#include <ucontext.h>
static ucontext_t home, co;
static char room[262144];
__attribute__((noinline, noipa)) void step(void) { spot(); __asm__ volatile(""); }
void entry(void) { step(); __asm__ volatile(""); }
int main(void) {
  getcontext(&co);
  co.uc_stack.ss_sp = room;
  co.uc_stack.ss_size = sizeof room;
  co.uc_link = &home;
  makecontext(&co, entry, 0);
  swapcontext(&home, &co);
  return 0;
}
