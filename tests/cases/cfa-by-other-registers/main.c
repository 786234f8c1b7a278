/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <unistd.h>
void begin(void);
int main(void) {
  alarm(60);
  begin();
  return 0;
}
