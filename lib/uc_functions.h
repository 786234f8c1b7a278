/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a file's functions start and end, as its .eh_frame says: what is left
 * to tell functions apart when a file has no symbols.
 */
#ifndef UC_FUNCTIONS_H
#define UC_FUNCTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uc_function {
	uint64_t start, end; /* ELF vaddr */
	bool signal; /* a signal trampoline: its caller was interrupted */
};

struct uc_functions {
	size_t nr;
	struct uc_function *function; /* by start */
};

/* Entries that are malformed or of an unusual encoding are left out. 0 or
 * -ENOMEM. */
int uc_functions_read(Elf *elf, struct uc_functions *ret);
void uc_functions_fini(struct uc_functions *f);
/* The function that covers @vaddr, or NULL. */
const struct uc_function *uc_functions_find(const struct uc_functions *f, uint64_t vaddr);

#endif
