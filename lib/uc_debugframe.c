/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_debugframe.h"

#include "uc_debugfile.h"
#include "uc_unpack.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZDEBUG_HEAD 12 /* bytes: "ZLIB", size as a big-endian number */
#define DEBUGLINK_MAX 8192 /* bytes of the section: a name and a checksum */
#define COMPRESS_ZSTD 2 /* ELFCOMPRESS_ZSTD, which older headers do not have */

/* An ELF file: on disk, or unpacked in memory. */
struct image {
	Elf *elf;
	int fd; /* or -1 */
	uint8_t *memory;
	GElf_Ehdr ehdr;
	int addr_size;
	bool big_endian;
};

struct search {
	struct image file; /* the one that was asked for */
	struct uc_debugframe *out;
	struct uc_code_range *code; /* executable segments of the file */
	size_t nr_code;
	/* Why a section that there is was not taken; the first reason counts. */
	int error;
	char *err;
	size_t err_size;
};

__attribute__((format(printf, 3, 4))) static int fail(struct search *s, int error, const char *fmt,
						      ...)
{
	va_list ap;

	if (s->error)
		return error;
	s->error = error;
	va_start(ap, fmt);
	vsnprintf(s->err, s->err_size, fmt, ap);
	va_end(ap);
	return error;
}

static const char *error_words(int error)
{
	switch (error) {
	case -EBADMSG:
		return "compressed data is malformed";
	case -EFBIG:
		return "larger than 256 MiB";
	case -ENOTSUP:
		return "compressed in an unknown way";
	}
	return strerror(-error);
}

/* ---- images ---- */

static void image_fini(struct image *i)
{
	elf_end(i->elf);
	if (i->fd >= 0)
		close(i->fd);
	free(i->memory);
}

/* Fill what hangs on the ELF header. False if it is no ELF file that we know. */
static bool image_header(struct image *i)
{
	if (!i->elf || elf_kind(i->elf) != ELF_K_ELF || !gelf_getehdr(i->elf, &i->ehdr))
		return false;
	i->addr_size = i->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	i->big_endian = i->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	return true;
}

/* Takes @fd. */
static bool image_on_disk(struct image *i, int fd)
{
	*i = (struct image){ .fd = fd, .elf = elf_begin(fd, ELF_C_READ, NULL) };
	return image_header(i);
}

/* Takes @memory. */
static bool image_in_memory(struct image *i, uint8_t *memory, size_t size)
{
	*i = (struct image){ .fd = -1, .memory = memory, .elf = elf_memory((char *)memory, size) };
	return image_header(i);
}

static Elf_Scn *find_section(const struct image *i, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	const char *have;
	size_t strndx;

	if (elf_getshdrstrndx(i->elf, &strndx))
		return NULL;
	while ((scn = elf_nextscn(i->elf, scn))) {
		/* what a debug file does not hold is NOBITS there */
		if (!gelf_getshdr(scn, shdr) || shdr->sh_type == SHT_NOBITS || !shdr->sh_size)
			continue;
		have = elf_strptr(i->elf, strndx, shdr->sh_name);
		if (have && !strcmp(have, name))
			return scn;
	}
	return NULL;
}

/* The section's bytes as the file has them; NULL if it does not have them all. */
static const uint8_t *section_bytes(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_rawdata(scn, NULL);

	return data && data->d_size == shdr->sh_size ? data->d_buf : NULL;
}

/* ---- the section ---- */

static uint64_t number(const uint8_t *p, int size, bool big_endian)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < size; i++)
		v = v << 8 | p[big_endian ? i : size - 1 - i];
	return v;
}

/* How a section is packed: PLAIN, or as compression headers number it. */
enum packing {
	PLAIN = 0,
	ZLIB = ELFCOMPRESS_ZLIB,
	ZSTD = COMPRESS_ZSTD,
};

struct packed {
	uint64_t packing; /* enum packing, or unknown */
	uint64_t size; /* bytes, once unpacked */
	size_t head; /* bytes before the data */
};

/* gelf_getchdr() refuses types that this libelf does not know. False: truncated. */
static bool read_head(const struct image *i, const GElf_Shdr *shdr, const char *name,
		      const uint8_t *in, struct packed *ret)
{
	*ret = (struct packed){ PLAIN, shdr->sh_size, 0 };
	if (shdr->sh_flags & SHF_COMPRESSED) {
		ret->head = i->addr_size == 8 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
		if (shdr->sh_size < ret->head)
			return false;
		ret->packing = number(in, 4, i->big_endian);
		if (ret->packing == PLAIN)
			ret->packing = UINT64_MAX;
		/* 64-bit: type, reserved, size, alignment; 32-bit: without reserved */
		ret->size = number(in + i->addr_size, i->addr_size, i->big_endian);
	} else if (name[1] == 'z') {
		ret->head = ZDEBUG_HEAD;
		if (shdr->sh_size < ret->head || memcmp(in, "ZLIB", 4))
			return false;
		ret->packing = ZLIB;
		ret->size = number(in + 4, 8, true);
	}
	return true;
}

static int unpack(const struct packed *p, const uint8_t *in, size_t in_size, uint8_t *out)
{
	in += p->head;
	in_size -= p->head;
	switch (p->packing) {
	case PLAIN:
		memcpy(out, in, p->size);
		return 0;
	case ZLIB:
		return uc_unpack_zlib(in, in_size, out, p->size);
	case ZSTD:
		return uc_unpack_zstd(in, in_size, out, p->size);
	}
	return -ENOTSUP;
}

/* A copy of the section, unpacked: for the caller to free(). */
static int load_section(const struct image *i, Elf_Scn *scn, const GElf_Shdr *shdr,
			const char *name, uint8_t **ret, size_t *ret_size)
{
	const uint8_t *in;
	struct packed p;
	uint8_t *out;
	int err;

	if (shdr->sh_size > UC_DEBUGFRAME_MAX)
		return -EFBIG;
	in = section_bytes(scn, shdr);
	if (!in || !read_head(i, shdr, name, in, &p) || !p.size)
		return -EBADMSG;
	if (p.size > UC_DEBUGFRAME_MAX)
		return -EFBIG;
	out = malloc(p.size);
	if (!out)
		return -ENOMEM;
	err = unpack(&p, in, shdr->sh_size, out);
	if (err) {
		free(out);
		return err;
	}
	*ret = out;
	*ret_size = p.size;
	return 0;
}

/* Take the section that @i has. True if it did. */
static bool take(struct search *s, const struct image *i, const char *path,
		 enum uc_debugframe_origin origin)
{
	static const char *const names[] = { ".debug_frame", ".zdebug_frame" };
	struct uc_debugframe *f = s->out;
	GElf_Shdr shdr;
	uint8_t *data;
	size_t n, size;
	Elf_Scn *scn;
	int err;

	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		scn = find_section(i, names[n], &shdr);
		if (!scn)
			continue;
		err = load_section(i, scn, &shdr, names[n], &data, &size);
		if (err) {
			fail(s, err, "%s: %s: %s", path, names[n], error_words(err));
			continue;
		}
		f->section = (struct uc_frame_section){
			.data = data,
			.size = size,
			.vaddr = shdr.sh_addr,
			.addr_size = (uint8_t)i->addr_size,
			.big_endian = i->big_endian,
		};
		f->machine = i->ehdr.e_machine;
		f->origin = origin;
		f->path = strdup(path);
		if (!f->path)
			fail(s, -ENOMEM, "%s: out of memory", path);
		return true;
	}
	return false;
}

/* ---- the places ---- */

/* Is @i of the same program, at the same addresses? prelink moved programs
 * without their debug files. */
static bool belongs(const struct search *s, const struct image *i)
{
	const struct image *f = &s->file;
	GElf_Phdr ph;
	size_t n, nr, c;

	if (i->ehdr.e_machine != f->ehdr.e_machine || i->addr_size != f->addr_size ||
	    i->big_endian != f->big_endian || i->ehdr.e_type != f->ehdr.e_type)
		return false;
	if (elf_getphdrnum(i->elf, &nr))
		return false;
	for (n = 0; n < nr; n++) {
		if (!gelf_getphdr(i->elf, (int)n, &ph))
			return false;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		for (c = 0; c < s->nr_code; c++)
			if (s->code[c].start == ph.p_vaddr)
				return true;
		return false;
	}
	return true; /* .gnu_debugdata need not have program headers */
}

static bool take_other(struct search *s, const struct image *i, bool is_elf, const char *path,
		       enum uc_debugframe_origin origin)
{
	const char *what = origin == UC_DEBUGFRAME_DEBUGDATA ? ".gnu_debugdata" : "debug file";

	if (is_elf && belongs(s, i))
		return take(s, i, path, origin);
	fail(s, -EBADMSG, "%s: %s is not of this program", path, what);
	return false;
}

/* The name lies in the file; NULL: there is none. */
static const char *read_debuglink(const struct image *i, uint32_t *ret_crc)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(i, ".gnu_debuglink", &shdr);
	const uint8_t *bytes, *end;
	size_t at;

	if (!scn || shdr.sh_size > DEBUGLINK_MAX)
		return NULL;
	bytes = section_bytes(scn, &shdr);
	end = bytes ? memchr(bytes, 0, shdr.sh_size) : NULL;
	if (!end || end == bytes)
		return NULL;
	at = ((size_t)(end - bytes) + 4) & ~(size_t)3; /* behind the NUL, aligned */
	if (at + 4 > shdr.sh_size)
		return NULL;
	*ret_crc = (uint32_t)number(bytes + at, 4, i->big_endian);
	return (const char *)bytes;
}

static bool take_from_debug_file(struct search *s, const char *root, const char *path)
{
	struct uc_debuglink link = { 0 };
	struct image debug;
	const void *id;
	ssize_t len = dwelf_elf_gnu_build_id(s->file.elf, &id);
	bool is_elf, taken;
	char *where;
	int fd;

	if (len > 0) {
		link.build_id = id;
		link.build_id_len = (size_t)len;
	}
	link.name = read_debuglink(&s->file, &link.crc);
	fd = uc_debugfile_open(root, path, &link, &where);
	if (fd < 0)
		return false;
	is_elf = image_on_disk(&debug, fd);
	taken = take_other(s, &debug, is_elf, where, UC_DEBUGFRAME_DEBUGFILE);
	image_fini(&debug);
	free(where);
	return taken;
}

static bool take_from_debugdata(struct search *s, const char *path)
{
	const uint8_t *in = NULL;
	struct image inner;
	bool is_elf, taken;
	GElf_Shdr shdr;
	uint8_t *memory;
	size_t size;
	Elf_Scn *scn;
	int err;

	scn = find_section(&s->file, ".gnu_debugdata", &shdr);
	if (!scn)
		return false;
	err = shdr.sh_size > UC_DEBUGFRAME_MAX ? -EFBIG : 0;
	if (!err) {
		in = section_bytes(scn, &shdr);
		err = in ? uc_unpack_xz(in, shdr.sh_size, UC_DEBUGFRAME_MAX, &memory, &size) :
			   -EBADMSG;
	}
	if (err) {
		fail(s, err, "%s: .gnu_debugdata: %s", path, error_words(err));
		return false;
	}
	is_elf = image_in_memory(&inner, memory, size);
	taken = take_other(s, &inner, is_elf, path, UC_DEBUGFRAME_DEBUGDATA);
	image_fini(&inner);
	return taken;
}

/* ---- opening ---- */

static int read_code(struct search *s)
{
	GElf_Phdr ph;
	size_t i, nr;

	if (elf_getphdrnum(s->file.elf, &nr))
		nr = 0;
	s->code = calloc(nr ? nr : 1, sizeof(*s->code));
	if (!s->code)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(s->file.elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		s->code[s->nr_code++] =
			(struct uc_code_range){ ph.p_vaddr, ph.p_vaddr + ph.p_memsz };
	}
	return 0;
}

static int check_type(struct search *s, const char *path)
{
	switch (s->file.ehdr.e_type) {
	case ET_EXEC:
	case ET_DYN:
		return 0;
	case ET_REL:
		return fail(s, -ENOTSUP, "%s: relocatable: its addresses are not known yet", path);
	}
	return fail(s, -ENOEXEC, "%s: neither a program nor a library", path);
}

static int search(struct search *s, const char *path, const char *root)
{
	struct uc_debugframe *f = s->out;
	int err = check_type(s, path);

	if (err)
		return err;
	if (read_code(s))
		return fail(s, -ENOMEM, "%s: out of memory", path);
	if (!take(s, &s->file, path, UC_DEBUGFRAME_FILE) && !take_from_debug_file(s, root, path) &&
	    !take_from_debugdata(s, path))
		return s->error ? s->error : fail(s, -ENOENT, "%s: no .debug_frame", path);
	if (!f->path || uc_frameindex_build(&f->section, s->code, s->nr_code, &f->index))
		return fail(s, -ENOMEM, "%s: out of memory", path);
	return 0;
}

int uc_debugframe_open(const char *path, const char *root, struct uc_debugframe **ret, char *err,
		       size_t err_size)
{
	struct search s = { .err = err, .err_size = err_size };
	int fd = uc_open_regular_in(root, path), rc;

	if (fd < 0)
		return fail(&s, fd, "%s: %s", path,
			    fd == -ENOEXEC ? "not a regular file" : strerror(-fd));
	elf_version(EV_CURRENT);
	s.out = calloc(1, sizeof(*s.out));
	if (!image_on_disk(&s.file, fd))
		rc = fail(&s, -ENOEXEC, "%s: not an ELF file", path);
	else if (!s.out)
		rc = fail(&s, -ENOMEM, "%s: out of memory", path);
	else
		rc = search(&s, path, root);
	image_fini(&s.file);
	free(s.code);
	if (rc)
		uc_debugframe_close(s.out);
	else
		*ret = s.out;
	return rc;
}

void uc_debugframe_close(struct uc_debugframe *f)
{
	if (!f)
		return;
	uc_frameindex_fini(&f->index);
	free((void *)f->section.data);
	free(f->path);
	free(f);
}
