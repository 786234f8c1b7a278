/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The symbols of one ELF file: its own, those of .gnu_debugdata, those of its
 * separate debug file. Addresses are ELF virtual addresses.
 *
 * Files are foreign: what libelf and libdw cannot make sense of is left out.
 * Debug files are looked for on disk only (by build id, then by debug link);
 * debuginfod servers are never asked.
 */
#ifndef UC_DSO_H
#define UC_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uc_dso;

struct uc_dso_symbol {
	const char *name; /* demangled; NULL: none covers the address */
	uint64_t start, end; /* of the symbol, or of the function without a name */
	bool trampoline; /* a signal trampoline: its caller was interrupted */
};

/**
 * uc_dso_open() - read a file's headers and symbols
 * @path:         file; anything but a regular file is refused unopened
 * @build_id:     the build id that it must have, if @build_id_len is not 0
 * @build_id_len: length of @build_id
 * @ret:          the file
 *
 * Return: 0, -ESTALE if the build id differs, -ENOEXEC if the file is not a
 * program or library, or another negative errno.
 */
int uc_dso_open(const char *path, const uint8_t *build_id, size_t build_id_len,
		struct uc_dso **ret);
/**
 * uc_dso_lookup() - where a name is
 * @path: as uc_dso_open() takes it
 * @name: a function's name as the file has it, or demangled; without a version
 * @ret:  its virtual address: a global symbol's rather than a local one's
 *
 * Return: 0, -ENOENT if the file has no such function, or as uc_dso_open().
 */
int uc_dso_lookup(const char *path, const char *name, uint64_t *ret);
/* The vdso of the running process. */
int uc_dso_open_vdso(const uint8_t *build_id, size_t build_id_len, struct uc_dso **ret);
void uc_dso_free(struct uc_dso *d);

/* File offset to virtual address. False if no segment holds it. */
bool uc_dso_vaddr(const struct uc_dso *d, uint64_t offset, uint64_t *ret);
/* What to subtract from addresses of a mapping of @len bytes from file offset
 * @pgoff at @addr. False if it maps no segment. */
bool uc_dso_bias(const struct uc_dso *d, uint64_t addr, uint64_t len, uint64_t pgoff,
		 uint64_t *ret);
/* Lowest and highest virtual address of the loaded file. */
void uc_dso_extent(const struct uc_dso *d, uint64_t *ret_start, uint64_t *ret_end);
/* What covers @vaddr. False, with @ret cleared, if nothing does. */
bool uc_dso_find(struct uc_dso *d, uint64_t vaddr, struct uc_dso_symbol *ret);

#endif
