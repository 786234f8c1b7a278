/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records for what was there before the side-band began: the names and
 * mappings of running processes. Made from /proc in the kernel's format, with
 * the trailer of UC_PERF_SIDEBAND_TYPE and time 0.
 */
#ifndef UC_SYNTH_H
#define UC_SYNTH_H

#include "uc_procmaps.h"
#include "uc_sideband.h"

/*
 * COMM of every thread and MMAP2 of every executable mapping that the target's
 * processes have now. Processes that exit meanwhile are passed over. Call it
 * after the side-band was enabled, else what happens in between is missing.
 * 0, @fn's result, or negative errno.
 */
int uc_synth_processes(const struct uc_target *target, uc_record_fn fn, void *arg);

#define UC_BUILD_ID_MAX 20

/* Build id from the notes of the ELF file @fd, in this machine's byte order.
 * Its length (at most UC_BUILD_ID_MAX), or 0: none, or nothing we understand. */
size_t uc_elf_build_id(int fd, uint8_t ret[UC_BUILD_ID_MAX]);

#endif
