/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .debug_frame sections of the files that an address space has mapped, for a
 * struct uc_memory: its debug_fde() finds an entry, its read() is served from
 * addresses that no process has.
 */
#ifndef UC_DEBUGFILES_H
#define UC_DEBUGFILES_H

#include "uc_types.h"

/* Sections are read from here on: no user address is so high. */
#define UC_DEBUGFILES_BASE (1ull << 63)

struct uc_debugfiles; /* all sections opened so far */

struct uc_debugfiles *uc_debugfiles_new(void); /* NULL: no memory */
void uc_debugfiles_free(struct uc_debugfiles *d);
/*
 * The FDE for @vaddr, an address as the file @of has it. @path is that file as
 * seen from the root directory @root (NULL: our own); a file is looked at once.
 * 0, or -ENOENT if it has none.
 */
int uc_debugfiles_find(struct uc_debugfiles *d, const struct uc_map *of, const char *path,
		       const char *root, u64 vaddr, struct uc_debug_fde *ret);
/* Bytes at an address from UC_DEBUGFILES_BASE on. 0 or -EFAULT. */
int uc_debugfiles_read(const struct uc_debugfiles *d, u64 addr, void *dst, u32 len);

#endif
