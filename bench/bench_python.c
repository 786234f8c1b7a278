/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * To be preloaded into python3: its getppid() measures walks of the stack that
 * it is called on (subjects/ppid.py), and ends the process.
 */
#include "bench_walk.h"
#include "subjects/subjects.h"

#include <unistd.h>

NOINLINE pid_t getppid(void)
{
	_exit(bench_walk_here("python3"));
}
