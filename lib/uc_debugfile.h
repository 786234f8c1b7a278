/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Separate debug files on disk. libdwfl's own search opens whatever a foreign
 * file's debug link names (a fifo would block it), and goes on to debuginfod
 * servers; this one does neither.
 */
#ifndef UC_DEBUGFILE_H
#define UC_DEBUGFILE_H

#include <elfutils/libdwfl.h>

/* Open for reading if @path is a regular file. Other files are not even
 * opened, for that alone can block or act on a device. fd or negative errno. */
int uc_open_regular(const char *path);

/* A find_debuginfo callback for Dwfl_Callbacks. */
int uc_debugfile_find(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
		      const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
		      char **debuginfo_file_name);

#endif
