/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that a core names, for the pages that it left out: only if they are
 * ELF files of the core's kind, and the ones that were mapped as far as that can
 * be told. Kernels put the first page of each into the core, which has the ELF
 * header and mostly the build id; both must be as in the file.
 */
#define _GNU_SOURCE
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "uc_corefile_parts.h"
#include "uc_debugfile.h"

#define HEAD_MAX 4096 /* bytes of a file's start that kernels put into the core */

static int read_fd(int fd, u64 off, void *dst, u32 len)
{
	u8 *to = dst;

	if (off > (u64)INT64_MAX - len)
		return -EFAULT;
	while (len) {
		ssize_t n = pread(fd, to, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EFAULT;
		to += n;
		off += (u64)n;
		len -= (u32)n;
	}
	return 0;
}

/* The file, if it is of the core's kind; else NULL. */
static Elf *open_elf(const struct uc_corefile *c, int fd)
{
	Elf *elf;
	GElf_Ehdr eh;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh) &&
	    eh.e_ident[EI_CLASS] == c->class && eh.e_ident[EI_DATA] == c->data &&
	    eh.e_machine == c->machine)
		return elf;
	elf_end(elf);
	return NULL;
}

/* What the core has of the file's start, which ends with its page. Returns its
 * bytes, 0 if there are none. */
static u32 read_head(struct uc_corefile *c, const struct uc_core_file *f, u8 head[HEAD_MAX])
{
	u32 len;

	if (!f->has_head)
		return 0;
	for (len = HEAD_MAX; len >= sizeof(Elf64_Ehdr); len /= 2)
		if (!uc_core_read_own(c, f->head, head, len))
			return len;
	return 0;
}

static enum uc_corefile_status compare_build_ids(Elf *elf, u8 *head, u32 len)
{
	Elf *core = elf_memory((char *)head, len);
	const void *want, *have;
	ssize_t nr_want = core ? dwelf_elf_gnu_build_id(core, &want) : -1, nr_have;
	enum uc_corefile_status status = UC_COREFILE_UNCHECKED;

	if (nr_want > 0) {
		nr_have = dwelf_elf_gnu_build_id(elf, &have);
		status = nr_have == nr_want && !memcmp(have, want, (size_t)nr_want) ?
				 UC_COREFILE_SAME :
				 UC_COREFILE_OTHER;
	}
	elf_end(core);
	return status;
}

/* The open file against what the core has of its start. */
static enum uc_corefile_status compare(struct uc_corefile *c, const struct uc_core_file *f)
{
	u32 eh_size = c->class == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	enum uc_corefile_status status = UC_COREFILE_OTHER;
	u8 head[HEAD_MAX], eh[sizeof(Elf64_Ehdr)];
	Elf *elf = open_elf(c, f->fd);
	u32 len;

	if (!elf)
		return status;
	len = read_head(c, f, head);
	if (!len)
		status = UC_COREFILE_UNCHECKED;
	else if (!read_fd(f->fd, 0, eh, eh_size) && !memcmp(eh, head, eh_size))
		status = compare_build_ids(elf, head, len);
	elf_end(elf);
	return status;
}

static void settle(struct uc_corefile *c, struct uc_core_file *f)
{
	char *path;

	f->status = UC_COREFILE_MISSING;
	if (f->name[0] != '/' || asprintf(&path, "%s%s", c->sysroot, f->name) < 0)
		return;
	f->fd = uc_open_regular(path);
	free(path);
	if (f->fd < 0) {
		f->fd = -1;
		return;
	}
	f->status = (u8)compare(c, f);
	if (f->status == UC_COREFILE_OTHER) {
		close(f->fd);
		f->fd = -1;
	}
}

bool uc_core_file_usable(struct uc_corefile *c, u32 file)
{
	struct uc_core_file *f;

	if (file >= c->nr_files)
		return false;
	f = &c->file[file];
	if (f->status == UC_COREFILE_UNUSED)
		settle(c, f);
	return f->fd >= 0;
}

int uc_core_file_read(struct uc_corefile *c, u32 file, u64 off, void *dst, u32 len)
{
	if (!uc_core_file_usable(c, file))
		return -EFAULT;
	return read_fd(c->file[file].fd, off, dst, len);
}

/* A mapping begins on the page that has its segment's first byte; where two
 * segments share a page, it is the later one's. */
u32 uc_core_file_flags(struct uc_corefile *c, u32 file, u64 off)
{
	size_t i, nr = 0;
	u32 flags = 0;
	GElf_Phdr ph;
	Elf *elf;

	if (!uc_core_file_usable(c, file))
		return 0;
	elf = open_elf(c, c->file[file].fd);
	if (!elf)
		return 0;
	elf_getphdrnum(elf, &nr);
	for (i = 0; i < nr && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_LOAD && off >= ph.p_offset - ph.p_offset % c->page &&
		    (off <= ph.p_offset || off - ph.p_offset < ph.p_filesz))
			flags = ph.p_flags;
	elf_end(elf);
	return flags;
}
