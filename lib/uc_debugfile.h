/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Separate debug files on disk. libdwfl's own search opens whatever a foreign
 * file's debug link names (a fifo would block it), and goes on to debuginfod
 * servers; this one does neither.
 */
#ifndef UC_DEBUGFILE_H
#define UC_DEBUGFILE_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

/* What a file says of its separate debug file. */
struct uc_debuglink {
	const uint8_t *build_id;
	size_t build_id_len; /* bytes; 0: it has none */
	const char *name; /* of .gnu_debuglink; NULL: it has none */
	uint32_t crc; /* of the debug file; counts if there is no build id */
};

/* Open for reading if @path is a regular file. Other files are not even
 * opened, for that alone can block or act on a device. fd or negative errno. */
int uc_open_regular(const char *path);
/* The same for a @path, and symbolic links, as a process sees them whose root
 * directory is @root. NULL or "": our own. */
int uc_open_regular_in(const char *root, const char *path);

/* Open the debug file of @file, both of them below @root. Gives an fd and, in
 * @ret_path for the caller to free(), its path with the root; -1: there is none. */
int uc_debugfile_open(const char *root, const char *file, const struct uc_debuglink *link,
		      char **ret_path);

/* A find_debuginfo callback for Dwfl_Callbacks. */
int uc_debugfile_find(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
		      const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
		      char **debuginfo_file_name);

#endif
