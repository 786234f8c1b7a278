/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that a verb is to look at, and how far it is. */
#ifndef UC_ELF_FILES_H
#define UC_ELF_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * For each file: @path to open it by, @name to call it by. Not 0 ends it all.
 * @is_named: the user named it, so that it is no ELF program or library is an
 * error, and no reason to pass over it.
 */
typedef int elf_file_fn(const char *path, const char *name, bool is_named, void *arg);

/* What is named, and all ELF files in named directories, each once; symbolic links
 * in these are not followed. 0 or what @fn returned. */
int elf_files_each(char **paths, elf_file_fn *fn, void *arg);

/* A line on a terminal's stderr while it takes long. */
struct files_progress {
	bool is_wanted, is_shown;
	struct timespec last;
};

void files_progress_begin(struct files_progress *p);
void files_progress_show(struct files_progress *p, uint64_t files, uint64_t bytes);
void files_progress_clear(struct files_progress *p); /* before other output, and last */

#endif
