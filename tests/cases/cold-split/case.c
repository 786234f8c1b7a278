/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
/* Where every program comes to rest.  The caller's frame is what is tested. */
__attribute__((noinline, noclone, noipa)) void spot(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}

static volatile int zero;
__attribute__((cold, noinline, noipa)) void rare(int x) { (void)x; spot(); __asm__ volatile(""); }
__attribute__((noinline, noipa)) int work(int *p, int n) {
  char keep[200];
  __asm__ volatile("" ::"r"(keep) : "rbx", "r12", "memory");
  for (int i = 0; i < n; i++)
    if (__builtin_expect(p[i] == 0, 0)) {
      rare(i);
      rare(i + 1);
      __asm__ volatile("" ::"r"(keep) : "memory");
    }
  return p[0];
}
int main(void) {
  int a[4] = {1, 2, zero, 3};
  return work(a, 4);
}
