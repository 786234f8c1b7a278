/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Live processes: memory and mappings from /proc, registers by ptrace, as an
 * address space that the core can walk in.
 */
#ifndef UC_PROCESS_H
#define UC_PROCESS_H

#include <sys/types.h>

#include "uc_walk.h"

struct uc_process;

/* Open a process's memory and read its mappings. 0 or negative errno. */
int uc_process_new(pid_t pid, struct uc_process **ret);
void uc_process_free(struct uc_process *p);
/* The stack pointer that the program started with; 0 if not known. */
u64 uc_process_entry_sp(const struct uc_process *p);
/* As an address space; valid as long as p. */
const struct uc_memory *uc_process_memory(const struct uc_process *p);

/* Attach to a thread and wait until it is stopped; detach lets it run. */
int uc_thread_attach(pid_t tid);
void uc_thread_detach(pid_t tid);
/* Registers and ABI of a stopped thread that we trace, to the walk; it unwinds by
 * uc_unwind_default(). */
int uc_thread_regs(pid_t tid, struct uc_walk *w);

/*
 * Walk from w->regs in w->port's memory. Writes at most max frames to
 * @frame, their number to @ret_nr. Returns the stop.
 */
int uc_walk_run(struct uc_walk *w, u64 *frame, u32 max, u32 *ret_nr);

#endif
