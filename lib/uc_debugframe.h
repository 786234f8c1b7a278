/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .debug_frame of a program or library: its bytes, and an index of its FDEs.
 * The section is never mapped into a process, so only those who have the file
 * at hand can use it: for live processes, cores and copied stacks.
 *
 * It is looked for in the file itself, in its separate debug file (by build
 * id, then by debug link; never on a server), and in .gnu_debugdata; under
 * the names .debug_frame and .zdebug_frame; plain or compressed. The first
 * that can be read is taken.
 */
#ifndef UC_DEBUGFRAME_H
#define UC_DEBUGFRAME_H

#include "uc_frameindex.h"

/* Bytes of a section, and of what .gnu_debugdata unpacks to: some three
 * million functions. Larger ones are refused. */
#define UC_DEBUGFRAME_MAX (256u << 20)

enum uc_debugframe_origin {
	UC_DEBUGFRAME_FILE,
	UC_DEBUGFRAME_DEBUGFILE,
	UC_DEBUGFRAME_DEBUGDATA, /* .gnu_debugdata of the file */
};

/* All of it is ours to read and uc_debugframe_close()'s to free. */
struct uc_debugframe {
	struct uc_frame_section section; /* what FDE offsets count in */
	struct uc_frameindex index; /* of FDEs in executable segments */
	uint16_t machine; /* EM_* */
	enum uc_debugframe_origin origin;
	char *path; /* of the file that holds it */
};

/**
 * uc_debugframe_open() - find a file's .debug_frame and index it
 * @path: ELF program or library, as seen from @root; anything but a regular
 *        file is refused unopened
 * @root: root directory of the process that uses @path, where debug files are
 *        looked for as well ("/proc/PID/root"); NULL: our own
 * @ret:  the section; the file is not needed afterwards
 * @err:  receives a sentence that names the file, on failure
 *
 * Malformed records do not make it fail: they are counted in the index.
 *
 * Return: 0; -ENOENT if there is no such section; -ENOEXEC if the file is not
 * a program or library; -ENOTSUP for a relocatable file, whose addresses are
 * not known yet, and for unknown compression; -EBADMSG for compressed data
 * that is malformed; -EFBIG beyond UC_DEBUGFRAME_MAX; or another negative errno.
 */
int uc_debugframe_open(const char *path, const char *root, struct uc_debugframe **ret, char *err,
		       size_t err_size);
void uc_debugframe_close(struct uc_debugframe *f);

/* Offset in the section of the FDE that covers @vaddr, an ELF virtual address
 * of the file. False if none does. */
static inline bool uc_debugframe_find(const struct uc_debugframe *f, uint64_t vaddr,
				      uint64_t *ret_fde)
{
	return uc_frameindex_find(&f->index, vaddr, ret_fde);
}

#endif
