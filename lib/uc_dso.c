/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_dso.h"

#include "uc_debugfile.h"
#include "uc_demangle.h"
#include "uc_functions.h"
#include "uc_symtab.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct segment {
	uint64_t offset, file_size, vaddr, mem_size;
	bool exec;
};

struct uc_dso {
	struct segment *segment;
	size_t nr_segments;
	uint64_t entry;
	struct uc_symtab *symtab;
	struct uc_functions functions;
};

static int read_segments(Elf *elf, struct uc_dso *d)
{
	size_t i, nr;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &nr) || !nr)
		return -ENOEXEC;
	d->segment = calloc(nr, sizeof(*d->segment));
	if (!d->segment)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		d->segment[d->nr_segments++] = (struct segment){
			.offset = ph.p_offset,
			.file_size = ph.p_filesz,
			.vaddr = ph.p_vaddr,
			.mem_size = ph.p_memsz,
			.exec = ph.p_flags & PF_X,
		};
	}
	return d->nr_segments ? 0 : -ENOEXEC;
}

static int check_build_id(Elf *elf, const uint8_t *want, size_t len)
{
	const void *have;
	ssize_t have_len;

	if (!len)
		return 0;
	have_len = dwelf_elf_gnu_build_id(elf, &have);
	/* the kernel cuts ids to 20 bytes, and pads short ones with zeros */
	if (have_len <= 0 || memcmp(have, want, len < (size_t)have_len ? len : (size_t)have_len))
		return -ESTALE;
	return 0;
}

/* All that needs no symbols; refuses what is no program before libdwfl sees it. */
static int read_headers(int fd, const uint8_t *build_id, size_t build_id_len, struct uc_dso *d)
{
	GElf_Ehdr ehdr;
	Elf *elf;
	int err = -ENOEXEC;

	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		goto out;
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)
		goto out;
	d->entry = ehdr.e_entry;
	err = check_build_id(elf, build_id, build_id_len);
	if (!err)
		err = read_segments(elf, d);
out:
	elf_end(elf);
	return err;
}

/* A stripped program's entry point is the one name that is sure. */
static int name_entry(struct uc_dso *d)
{
	const struct uc_function *f;

	if (!d->entry || uc_symtab_find(d->symtab, d->entry))
		return 0;
	f = uc_functions_find(&d->functions, d->entry);
	return f ? uc_symtab_fill(d->symtab, d->entry, f->start, f->end, "_start") : 0;
}

/* Takes @fd. NULL: libdwfl cannot read it. @ret_dwfl is to be ended all the same. */
static Dwfl_Module *open_module(int fd, const char *path, Dwfl **ret_dwfl)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = uc_debugfile_find,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *mod = NULL;

	if (dwfl) {
		dwfl_report_begin(dwfl);
		mod = dwfl_report_elf(dwfl, path, path, fd, 0, true);
		dwfl_report_end(dwfl, NULL, NULL);
	}
	if (!mod)
		close(fd);
	*ret_dwfl = dwfl;
	return mod;
}

/* Takes @fd. A file that libdwfl cannot read is not one. */
static int read_symbols(int fd, const char *path, struct uc_dso *d)
{
	Dwfl *dwfl;
	Dwfl_Module *mod = open_module(fd, path, &dwfl);
	GElf_Addr bias;
	Elf *elf;
	int err = -ENOEXEC;

	if (!mod)
		goto out;
	err = uc_symtab_read(mod, &d->symtab);
	elf = dwfl_module_getelf(mod, &bias);
	if (!err && elf)
		err = uc_functions_read(elf, &d->functions);
	if (!err)
		err = name_entry(d);
out:
	dwfl_end(dwfl);
	return err;
}

/* Takes @fd. */
static int open_fd(int fd, const char *path, const uint8_t *build_id, size_t build_id_len,
		   struct uc_dso **ret)
{
	struct uc_dso *d;
	int err;

	elf_version(EV_CURRENT);
	d = calloc(1, sizeof(*d));
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	err = read_headers(fd, build_id, build_id_len, d);
	if (err) {
		close(fd);
		goto fail;
	}
	err = read_symbols(fd, path, d);
	if (err)
		goto fail;
	*ret = d;
	return 0;
fail:
	uc_dso_free(d);
	return err;
}

int uc_dso_open(const char *path, const uint8_t *build_id, size_t build_id_len,
		struct uc_dso **ret)
{
	int fd = uc_open_regular(path);

	return fd < 0 ? fd : open_fd(fd, path, build_id, build_id_len, ret);
}

/* Is a symbol of the file meant by the name that somebody gave? */
static bool is_called(const char *symbol, const char *name)
{
	size_t len = strcspn(symbol, "@");
	char *shown;
	bool same;

	if (strlen(name) == len && !strncmp(symbol, name, len))
		return true;
	if (symbol[0] != '_') /* nothing to demangle */
		return false;
	shown = uc_demangle(symbol);
	same = shown && !strcmp(shown, name);
	free(shown);
	return same;
}

static int find_symbol(Dwfl_Module *mod, const char *name, uint64_t *ret)
{
	int i, nr = dwfl_module_getsymtab(mod), err = -ENOENT;
	const char *symbol;
	GElf_Addr addr;
	GElf_Sym sym;

	for (i = 1; i < nr; i++) {
		symbol = dwfl_module_getsym_info(mod, i, &sym, &addr, NULL, NULL, NULL);
		if (!symbol || sym.st_shndx == SHN_UNDEF ||
		    (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_NOTYPE) ||
		    !is_called(symbol, name))
			continue;
		*ret = addr;
		err = 0;
		if (GELF_ST_BIND(sym.st_info) != STB_LOCAL)
			break;
	}
	return err;
}

int uc_dso_lookup(const char *path, const char *name, uint64_t *ret)
{
	int err, fd = uc_open_regular(path);
	Dwfl_Module *mod;
	Dwfl *dwfl;

	if (fd < 0)
		return fd;
	elf_version(EV_CURRENT);
	mod = open_module(fd, path, &dwfl);
	err = mod ? find_symbol(mod, name, ret) : -ENOEXEC;
	dwfl_end(dwfl);
	return err;
}

/* The range that /proc/self/maps calls [vdso] and that holds @addr. */
static size_t vdso_length(uint64_t addr)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[4352];
	size_t len = 0;

	if (!maps)
		return 0;
	while (!len && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == addr &&
		    strstr(line, "[vdso]"))
			len = end - start;
	fclose(maps);
	return len;
}

/*
 * libdwfl wants a file. The copy is our own memory, which the kernel made: no
 * part of it is foreign.
 */
int uc_dso_open_vdso(const uint8_t *build_id, size_t build_id_len, struct uc_dso **ret)
{
	unsigned long addr = getauxval(AT_SYSINFO_EHDR);
	size_t len = addr ? vdso_length(addr) : 0;
	ssize_t wrote;
	int fd;

	if (!len)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	wrote = write(fd, (const void *)addr, len);
	if (wrote != (ssize_t)len) {
		close(fd);
		return wrote < 0 ? -errno : -EIO;
	}
	return open_fd(fd, "[vdso]", build_id, build_id_len, ret);
}

void uc_dso_free(struct uc_dso *d)
{
	if (!d)
		return;
	uc_symtab_free(d->symtab);
	uc_functions_fini(&d->functions);
	free(d->segment);
	free(d);
}

/* Executable segments first: the others may hold the same page of the file. */
bool uc_dso_vaddr(const struct uc_dso *d, uint64_t offset, uint64_t *ret)
{
	size_t i;
	int exec;

	for (exec = 1; exec >= 0; exec--) {
		for (i = 0; i < d->nr_segments; i++) {
			const struct segment *s = &d->segment[i];

			if (s->exec == exec && offset - s->offset < s->file_size) {
				*ret = offset - s->offset + s->vaddr;
				return true;
			}
		}
	}
	return false;
}

/* Mappings begin at a page, segments anywhere on it. */
bool uc_dso_bias(const struct uc_dso *d, uint64_t addr, uint64_t len, uint64_t pgoff, uint64_t *ret)
{
	size_t i;
	int exec;

	for (exec = 1; exec >= 0; exec--) {
		for (i = 0; i < d->nr_segments; i++) {
			const struct segment *s = &d->segment[i];

			if (s->exec == exec &&
			    (s->offset - pgoff < len || pgoff - s->offset < s->file_size)) {
				*ret = addr - (s->vaddr - s->offset + pgoff);
				return true;
			}
		}
	}
	return false;
}

void uc_dso_extent(const struct uc_dso *d, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start = UINT64_MAX, end = 0;
	size_t i;

	for (i = 0; i < d->nr_segments; i++) {
		const struct segment *s = &d->segment[i];

		if (s->vaddr + s->mem_size < s->vaddr)
			continue;
		start = s->vaddr < start ? s->vaddr : start;
		end = s->vaddr + s->mem_size > end ? s->vaddr + s->mem_size : end;
	}
	*ret_start = start < end ? start : 0;
	*ret_end = start < end ? end : 0;
}

static bool is_trampoline(const char *name)
{
	static const char *const names[] = {
		"__restore_rt", /* glibc, x86-64 */
		"__restore", /* musl's and glibc's older one */
		"__kernel_rt_sigreturn", /* vdso of AArch64 and others */
		"__kernel_sigreturn",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool uc_dso_find(struct uc_dso *d, uint64_t vaddr, struct uc_dso_symbol *ret)
{
	const struct uc_symtab_range *range = uc_symtab_find(d->symtab, vaddr);
	const struct uc_function *f;

	memset(ret, 0, sizeof(*ret));
	if (range) {
		ret->name = uc_symtab_name(d->symtab, range, &ret->start);
		ret->end = range->end;
		ret->trampoline = is_trampoline(ret->name);
		return true;
	}
	f = uc_functions_find(&d->functions, vaddr);
	if (!f)
		return false;
	ret->start = f->start;
	ret->end = f->end;
	ret->trampoline = f->signal;
	return true;
}
