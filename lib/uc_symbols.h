/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names for addresses: processes as a recording (or /proc) describes them,
 * their files, the kernel. Symbols come from libdwfl (symbol tables,
 * separate debug files on disk, .gnu_debugdata), names are demangled by
 * libiberty. A wrong name is worse than none: no names come from a file whose
 * build id is not the recorded one, or for another kernel than the running one.
 */
#ifndef UC_SYMBOLS_H
#define UC_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uc_symbols;

/* What an address is. The strings live as long as the struct uc_symbols. */
struct uc_symbol {
	const char *name; /* demangled, or NULL if unknown */
	uint64_t offset; /* address - start of the symbol */
	const char *dso; /* path, "[vdso]", "[kernel.kallsyms]", "//anon"; NULL: no mapping */
	uint64_t dso_addr; /* address in the file's own terms (ELF vaddr), 0 if unknown */
	uint64_t start; /* dso_addr of the symbol; without a name, of the function
			 * that the unwind data tells; 0 if unknown */
	bool trampoline; /* a signal trampoline: the next frame's address is that of
			  * an instruction, not a return address */
};

int uc_symbols_new(struct uc_symbols **ret);
void uc_symbols_free(struct uc_symbols *s);
/* Called with a sentence, once for each file or kernel without names that
 * seems to be there but is not the recorded one, or is hidden. */
void uc_symbols_on_warning(struct uc_symbols *s, void (*fn)(void *arg, const char *message),
			   void *arg);

/*
 * The recording's (or /proc's) process events, in time order. 0 or -ENOMEM.
 * A new mapping, executable or not, replaces what it overlaps. An exec forgets the mappings of
 * its process; a fork, unless it only makes a thread, copies them.
 */
int uc_symbols_map(struct uc_symbols *s, uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff,
		   const char *path, const uint8_t *build_id, size_t build_id_len);
int uc_symbols_comm(struct uc_symbols *s, uint32_t pid, uint32_t tid, const char *comm, bool exec);
int uc_symbols_fork(struct uc_symbols *s, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid);
/* All mappings of a live process, from /proc/PID/maps. 0 or negative errno. */
int uc_symbols_load_proc(struct uc_symbols *s, uint32_t pid);
/* Where the recording's kernel had its _text; 0 and NULL: the running one. */
void uc_symbols_kernel(struct uc_symbols *s, uint64_t text_addr, const char *osrelease);

/* Name of the thread, or else of its process, or else ":tid" as perf says;
 * NULL only without memory. */
const char *uc_symbols_comm_of(struct uc_symbols *s, uint32_t pid, uint32_t tid);
/* @call_return: the address is a return address; looked up at addr - 1, with
 * ret->offset still that of @addr. */
void uc_symbols_user(struct uc_symbols *s, uint32_t pid, uint64_t addr, bool call_return,
		     struct uc_symbol *ret);
/* As uc_symbols_user(), for an address of any part of a loaded file, such as
 * its unwind data. Recordings tell executable mappings only; from them follows
 * where the rest of the file is. */
void uc_symbols_data(struct uc_symbols *s, uint32_t pid, uint64_t addr, struct uc_symbol *ret);
void uc_symbols_kernel_lookup(struct uc_symbols *s, uint64_t addr, bool call_return,
			      struct uc_symbol *ret);

#endif
