/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BENCH_WALK_H
#define BENCH_WALK_H

/*
 * Load the programs, check that the engine's walk of the stack that we are
 * called on is backtrace()'s, time it, and print a line of the table. The
 * object is $BENCH_OBJECT. Returns 0, or 1 with words on stderr.
 */
int bench_walk_here(const char *name);

#endif
