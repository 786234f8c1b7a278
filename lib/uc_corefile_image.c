/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that a core names, for the pages that it left out: only if they are
 * ELF files of the core's kind, and the ones that were mapped as far as that can
 * be told. Kernels put the first page of each into the core, which has the ELF
 * header and mostly the build id; both must be as in the file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "uc_corefile_parts.h"
#include "uc_debugfile.h"

#define PHDRS_MAX 64
#define NOTES_MAX 4096 /* bytes of a PT_NOTE that are looked at */
#define BUILD_ID_MAX 64 /* the longest known has 20 */

/* An ELF image's bytes by file offset: of the file, or of its start in the core. */
struct image {
	struct uc_corefile *c;
	int fd; /* -1: from the core */
	u64 base; /* address of offset 0 in the core */
	u8 eh[sizeof(Elf64_Ehdr)];
};

struct segment {
	u32 type, flags;
	u64 off, filesz;
};

struct build_id {
	u32 len; /* 0: none */
	u8 bytes[BUILD_ID_MAX];
};

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

static int image_read(const struct image *m, u64 off, void *dst, u32 len)
{
	if (m->fd >= 0)
		return read_fd(m->fd, off, dst, len);
	return uc_core_read_own(m->c, m->base + off, dst, len);
}

static u32 header_size(const struct uc_corefile *c)
{
	return c->class == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

/* Read the ELF header; is it of the core's kind? */
static bool image_open(struct image *m)
{
	const struct uc_corefile *c = m->c;

	memset(m->eh, 0, sizeof(m->eh));
	if (image_read(m, 0, m->eh, header_size(c)))
		return false;
	return !memcmp(m->eh, ELFMAG, SELFMAG) && m->eh[EI_CLASS] == c->class &&
	       m->eh[EI_DATA] == c->data &&
	       uc_core_u16(c, m->eh + offsetof(Elf64_Ehdr, e_machine)) == c->machine;
}

static bool image_segment(const struct image *m, u32 i, struct segment *ret)
{
	const struct uc_corefile *c = m->c;
	u8 b[sizeof(Elf64_Phdr)];

	if (c->class == ELFCLASS64) {
		u64 off = uc_core_u64(c, m->eh + offsetof(Elf64_Ehdr, e_phoff));

		if (i >= uc_core_u16(c, m->eh + offsetof(Elf64_Ehdr, e_phnum)) ||
		    image_read(m, off + i * sizeof(Elf64_Phdr), b, sizeof(Elf64_Phdr)))
			return false;
		ret->flags = uc_core_u32(c, b + offsetof(Elf64_Phdr, p_flags));
		ret->off = uc_core_u64(c, b + offsetof(Elf64_Phdr, p_offset));
		ret->filesz = uc_core_u64(c, b + offsetof(Elf64_Phdr, p_filesz));
	} else {
		u64 off = uc_core_u32(c, m->eh + offsetof(Elf32_Ehdr, e_phoff));

		if (i >= uc_core_u16(c, m->eh + offsetof(Elf32_Ehdr, e_phnum)) ||
		    image_read(m, off + i * sizeof(Elf32_Phdr), b, sizeof(Elf32_Phdr)))
			return false;
		ret->flags = uc_core_u32(c, b + offsetof(Elf32_Phdr, p_flags));
		ret->off = uc_core_u32(c, b + offsetof(Elf32_Phdr, p_offset));
		ret->filesz = uc_core_u32(c, b + offsetof(Elf32_Phdr, p_filesz));
	}
	ret->type = uc_core_u32(c, b);
	return true;
}

/* NT_GNU_BUILD_ID among notes, which are padded to 4 bytes. */
static bool notes_build_id(const struct uc_corefile *c, const u8 *notes, u32 len,
			   struct build_id *ret)
{
	while (len >= sizeof(Elf64_Nhdr)) {
		u64 name = uc_core_u32(c, notes), desc = uc_core_u32(c, notes + 4);
		u64 at = sizeof(Elf64_Nhdr) + ((name + 3) & ~3ull);
		u64 size = at + ((desc + 3) & ~3ull);

		if (at + desc > len)
			return false;
		if (uc_core_u32(c, notes + 8) == NT_GNU_BUILD_ID && name == 4 &&
		    !memcmp(notes + sizeof(Elf64_Nhdr), "GNU", 4) && desc && desc <= BUILD_ID_MAX) {
			ret->len = (u32)desc;
			memcpy(ret->bytes, notes + at, desc);
			return true;
		}
		if (size > len)
			return false;
		notes += size;
		len -= (u32)size;
	}
	return false;
}

static void image_build_id(const struct image *m, struct build_id *ret)
{
	u8 notes[NOTES_MAX];
	struct segment s;
	u32 i;

	ret->len = 0;
	for (i = 0; i < PHDRS_MAX && image_segment(m, i, &s); i++) {
		u32 len = s.filesz < NOTES_MAX ? (u32)s.filesz : NOTES_MAX;

		if (s.type == PT_NOTE && !image_read(m, s.off, notes, len) &&
		    notes_build_id(m->c, notes, len, ret))
			return;
	}
}

/* The open file against what the core has of its start. */
static enum uc_corefile_status compare(struct uc_corefile *c, const struct uc_core_file *f)
{
	struct image file = { .c = c, .fd = f->fd };
	struct image core = { .c = c, .fd = -1, .base = f->head };
	struct build_id want, have;

	if (!image_open(&file))
		return UC_COREFILE_OTHER;
	if (!f->has_head || uc_core_read_own(c, f->head, core.eh, header_size(c)))
		return UC_COREFILE_UNCHECKED;
	if (memcmp(core.eh, file.eh, header_size(c)))
		return UC_COREFILE_OTHER;
	image_build_id(&core, &want);
	if (!want.len)
		return UC_COREFILE_UNCHECKED;
	image_build_id(&file, &have);
	return want.len == have.len && !memcmp(want.bytes, have.bytes, want.len) ?
		       UC_COREFILE_SAME :
		       UC_COREFILE_OTHER;
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
	struct image m = { .c = c };
	struct segment s;
	u32 i, flags = 0;

	if (!uc_core_file_usable(c, file))
		return 0;
	m.fd = c->file[file].fd;
	if (!image_open(&m))
		return 0;
	for (i = 0; i < PHDRS_MAX && image_segment(&m, i, &s); i++)
		if (s.type == PT_LOAD && off >= s.off - s.off % c->page &&
		    (off <= s.off || off - s.off < s.filesz))
			flags = s.flags;
	return flags;
}
