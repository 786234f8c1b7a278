/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
/* The child of vfork runs on the parent's stack, in the parent's memory. */
__attribute__((noinline, noipa)) void child(void) {
  alarm(60);
  dprintf(1, "READY %d\n", getpid());
  for (;;) __asm__ volatile("pause");
}
__attribute__((noinline, noipa)) int spawn(void) {
  int p = vfork();
  if (!p) child();
  return p;
}
int main(void) {
  int r = spawn();
  __asm__ volatile("" : "+r"(r));
  return r;
}
