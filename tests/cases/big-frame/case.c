/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
/* Where every program comes to rest.  The caller's frame is what is tested. */
__attribute__((noinline, noclone, noipa)) void spot(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}

__attribute__((noinline, noipa)) void inner(void) { char a[40000]; __asm__ volatile("" ::"r"(a) : "memory"); spot(); __asm__ volatile("" ::"r"(a) : "memory"); }
__attribute__((noinline, noipa)) void outer(void) { char a[3000000]; __asm__ volatile("" ::"r"(a) : "memory"); inner(); __asm__ volatile("" ::"r"(a) : "memory"); }
int main(void) {
  outer();
  return 0;
}
