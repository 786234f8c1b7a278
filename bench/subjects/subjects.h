/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks to walk: each calls leaf(arg) at its innermost end. */
#ifndef BENCH_SUBJECTS_H
#define BENCH_SUBJECTS_H

#define NOINLINE __attribute__((noinline, noclone, noipa))

typedef void leaf_fn(void *arg);

/* nr (at most 62) functions of one file, each with a frame of its own size. */
void stack_deep(int nr, leaf_fn *leaf, void *arg);

#define CHAIN_LIBRARIES 20

/* The way through the libraries: each calls the next, the last one the leaf. */
struct chain {
	void (*enter[CHAIN_LIBRARIES])(struct chain *c, int i);
	leaf_fn *leaf;
	void *arg;
};

/* 20 libraries in dir with three functions each. 0, or -1 with words on stderr. */
int stack_chain(const char *dir, leaf_fn *leaf, void *arg);

#endif
