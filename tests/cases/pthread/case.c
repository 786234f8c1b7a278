/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
/* Where every program comes to rest.  The caller's frame is what is tested. */
__attribute__((noinline, noclone, noipa)) void spot(void) {
  alarm(60);
  write(1, "READY\n", 6);
  for (;;) __asm__ volatile("pause");
}

#include <pthread.h>
__attribute__((noinline, noipa)) void step(void) { spot(); __asm__ volatile(""); }
void *thread(void *x) { step(); return x; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  pthread_join(t, 0);
  return 0;
}
