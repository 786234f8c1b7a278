/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An ELF core file as an address space that the core can walk in, and the
 * registers of its threads. Of Linux, of each machine that the core knows, read
 * on any host. What the core file says is foreign: it is checked when the file
 * is opened, and each read is bounded.
 */
#ifndef UC_COREFILE_H
#define UC_COREFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "uc_walk.h"

struct uc_corefile;

/*
 * Kernels leave the unchanged pages of files out of a core; they come from the
 * files that it names (NT_FILE). @sysroot is put before their names; NULL: none.
 * 0, or negative errno and a sentence in @err.
 */
int uc_corefile_open(const char *path, const char *sysroot, struct uc_corefile **ret, char *err,
		     size_t err_size);
void uc_corefile_close(struct uc_corefile *c);
/* As an address space; valid as long as c. */
const struct uc_memory *uc_corefile_memory(struct uc_corefile *c);

/* Threads in the file's order: the one that a signal killed comes first. At least 1. */
size_t uc_corefile_nr_threads(const struct uc_corefile *c);
int uc_corefile_tid(const struct uc_corefile *c, size_t thread);
/*
 * ABI and registers of a thread, to the walk; it unwinds by uc_unwind_default().
 * 0, -ENOTSUP for 32-bit code in a 64-bit process, or -EIO.
 */
int uc_corefile_regs(const struct uc_corefile *c, size_t thread, struct uc_walk *w);

/* The auxiliary vector's value (AT_*); false: it has none. */
bool uc_corefile_auxv(const struct uc_corefile *c, u64 type, u64 *ret);
/* The stack pointer that the program started with; 0 if not known. */
u64 uc_corefile_entry_sp(struct uc_corefile *c);

/* What became of a file that the core names. */
enum uc_corefile_status {
	UC_COREFILE_UNUSED, /* nothing of it was needed yet */
	UC_COREFILE_SAME, /* build id as in the core */
	UC_COREFILE_UNCHECKED, /* no build id to tell by; its bytes are used */
	UC_COREFILE_OTHER, /* not what was mapped, or no ELF file: not used */
	UC_COREFILE_MISSING, /* can not be opened */
};

size_t uc_corefile_nr_files(const struct uc_corefile *c);
/* Its name as in the core; valid as long as c. */
const char *uc_corefile_file(const struct uc_corefile *c, size_t file,
			     enum uc_corefile_status *ret_status);

#endif
