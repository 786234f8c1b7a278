/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
/* Over-aligned local plus a run-time sized one: gcc realigns the stack through
   r10 and describes the CFA as a memory read below rbp. */
__attribute__((noinline, noipa)) void spot(char *a, char *b) {
  __asm__ volatile("" ::"r"(a), "r"(b) : "memory");
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}
__attribute__((noinline, noipa)) void inner(int n) {
  _Alignas(64) char big[256];
  char v[n];
  spot(big, v);
  __asm__ volatile("" ::"r"(big) : "memory");
}
int main(int c, char **v) {
  (void)v;
  _Alignas(128) char big[512];
  char w[c * 40];
  __asm__ volatile("" ::"r"(big), "r"(w) : "memory");
  inner(c * 100);
  __asm__ volatile("" ::"r"(big) : "memory");
  return 0;
}
