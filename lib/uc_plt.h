/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of PLT stubs. No symbol table has them; they follow from where a stub
 * jumps: through a GOT slot that a relocation fills with a symbol.
 */
#ifndef UC_PLT_H
#define UC_PLT_H

#include <libelf.h>
#include <stdint.h>

/* @name lies in the file. Non-zero ends the search and is returned. */
typedef int (*uc_plt_fn)(void *arg, uint64_t start, uint64_t end, const char *name);

/* Call @fn for each stub whose function has a name; x86-64 only, others have
 * none. 0, -ENOMEM, or @fn's result. */
int uc_plt_each(Elf *elf, uc_plt_fn fn, void *arg);

#endif
