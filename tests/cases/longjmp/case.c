/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
/* Where every program comes to rest.  The caller's frame is what is tested. */
__attribute__((noinline, noclone, noipa)) void spot(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}

#include <setjmp.h>
static jmp_buf b;
__attribute__((noinline, noipa)) void deep(int n) {
  char pad[300];
  __asm__ volatile("" ::"r"(pad) : "memory");
  if (n) deep(n - 1); else longjmp(b, 1);
  __asm__ volatile("" ::"r"(pad) : "memory");
}
__attribute__((noinline, noipa)) void after(void) { spot(); __asm__ volatile(""); }
__attribute__((noinline, noipa)) void base(void) {
  if (!setjmp(b)) deep(6);
  after();
  __asm__ volatile("");
}
int main(void) {
  base();
  return 0;
}
