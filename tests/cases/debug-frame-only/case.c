/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
/* Where every program comes to rest.  The caller's frame is what is tested. */
__attribute__((noinline, noclone, noipa)) void spot(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}

__attribute__((noinline, noipa)) void inner(void) { char a[100]; __asm__ volatile("" ::"r"(a) : "memory"); spot(); __asm__ volatile("" ::"r"(a) : "memory"); }
__attribute__((noinline, noipa)) void outer(void) { inner(); __asm__ volatile(""); }
int main(void) {
  outer();
  return 0;
}
