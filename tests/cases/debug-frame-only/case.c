/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
/* Where every program comes to rest.  The caller's frame is what is tested. */
__attribute__((noinline, noclone, noipa)) void spot(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}

/* An instruction that nobody who reads code for its stack depth need know. */
static void odd(void) { __asm__ volatile("rdtscp" ::: "rax", "rcx", "rdx", "memory"); }

__attribute__((noinline, noipa)) void inner(void) {
  char a[100];
  odd();
  __asm__ volatile("" ::"r"(a) : "memory");
  spot();
  odd();
  __asm__ volatile("" ::"r"(a) : "memory");
}
__attribute__((noinline, noipa)) void outer(void) { inner(); __asm__ volatile(""); }
int main(void) {
  outer();
  return 0;
}
