/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_image.h"

#include <errno.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uc_core.h"
#include "uc_debugfile.h"
#include "uc_debugfiles.h"
#include "uc_walk.h"

/* Bytes read from the file at a time: few system calls for large sections, and
 * not much more than a small file has. */
#define BLOCK (128u << 10)

struct load {
	u64 vaddr, off, size; /* what the file has of it */
	bool exec;
};

struct uc_image {
	struct uc_memory memory;
	char *name;
	bool is_file; /* with a path that debug files can be found by */
	int fd;
	const u8 *data; /* all of it, if it is in memory */
	u8 **block;
	u64 size;
	enum uc_abi_id abi;
	u8 addr_size;
	struct load load[UC_IMAGE_LOADS];
	u32 nr_loads;
	u64 hdr, hdr_size, sframe, sframe_size; /* segments of unwind data */
	struct uc_image_section section[UC_IMAGE_SECTIONS];
	bool is_stripped[UC_IMAGE_SECTIONS]; /* a debug file: only the header is there */
	struct uc_code_range *code, *code_section;
	size_t nr_code, nr_code_sections;
	struct uc_debugframe *debugframe;
	int debugframe_rc; /* 1: not looked for */
};

static int fail(char *err, size_t size, int rc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int fail(char *err, size_t size, int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, size, fmt, ap);
	va_end(ap);
	return rc;
}

/* ---- bytes ---- */

static int read_block(struct uc_image *img, u64 index)
{
	u64 off = index * BLOCK;
	size_t want = img->size - off < BLOCK ? (size_t)(img->size - off) : BLOCK, got = 0;
	u8 *bytes = malloc(want);

	if (!bytes)
		return -ENOMEM;
	while (got < want) {
		ssize_t n = pread(img->fd, bytes + got, want - got, (off_t)(off + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) { /* truncated since it was opened, or an error of the disk */
			free(bytes);
			return -EIO;
		}
		got += (size_t)n;
	}
	img->block[index] = bytes;
	return 0;
}

/* Bytes of the file; all or nothing. */
static int read_file(struct uc_image *img, u64 off, u8 *dst, u32 len)
{
	if (off > img->size || len > img->size - off)
		return -EFAULT;
	if (img->data) {
		memcpy(dst, img->data + off, len);
		return 0;
	}
	while (len) {
		u64 index = off / BLOCK, at = off % BLOCK;
		u32 n = BLOCK - at < len ? (u32)(BLOCK - at) : len;

		if (!img->block[index] && read_block(img, index))
			return -EFAULT;
		memcpy(dst, img->block[index] + at, n);
		dst += n;
		off += n;
		len -= n;
	}
	return 0;
}

static const struct load *find_load(const struct uc_image *img, u64 addr)
{
	u32 i;

	for (i = 0; i < img->nr_loads; i++)
		if (addr - img->load[i].vaddr < img->load[i].size)
			return &img->load[i];
	return NULL;
}

static int read_debugframe(const struct uc_image *img, u64 at, void *dst, u32 len)
{
	const struct uc_frame_section *s;

	if (!img->debugframe)
		return -EFAULT;
	s = &img->debugframe->section;
	if (at > s->size || len > s->size - at)
		return -EFAULT;
	memcpy(dst, s->data + at, len);
	return 0;
}

/* The core reads at most a page at once, and nothing across segments. */
static int image_read(void *arg, u64 addr, void *dst, u32 len)
{
	struct uc_image *img = arg;
	const struct load *l;

	if (addr >= UC_DEBUGFILES_BASE && img->debugframe_rc != 1)
		return read_debugframe(img, addr - UC_DEBUGFILES_BASE, dst, len);
	l = find_load(img, addr);
	if (!l || len > l->size - (addr - l->vaddr))
		return -EFAULT;
	return read_file(img, l->off + (addr - l->vaddr), dst, len);
}

int uc_image_read(const struct uc_image *img, u64 addr, void *dst, u32 len)
{
	return img->memory.read(img->memory.arg, addr, dst, len);
}

/* No identity: what is found in a file must not meet what processes show. */
static void load_map(const struct load *l, struct uc_map *ret)
{
	*ret = (struct uc_map){
		.start = l->vaddr,
		.end = l->vaddr + l->size,
		.off = l->off,
		.flags = UC_MAP_FILE | (l->exec ? UC_MAP_EXEC : 0),
	};
}

static int image_map(void *arg, u64 addr, struct uc_map *ret)
{
	const struct load *l = find_load(arg, addr);

	if (!l)
		return -ENOENT;
	load_map(l, ret);
	return 0;
}

static int image_elf(void *arg, const struct uc_map *of, struct uc_map *ret)
{
	const struct uc_image *img = arg;
	u32 i;

	(void)of;
	for (i = 0; i < img->nr_loads; i++) {
		if (img->load[i].off)
			continue;
		load_map(&img->load[i], ret);
		return 0;
	}
	return -ENOENT;
}

static int image_debug_fde(void *arg, const struct uc_map *of, u64 vaddr, struct uc_debug_fde *ret)
{
	const struct uc_debugframe *f = uc_image_debugframe(arg, NULL);
	u64 offset;

	(void)of;
	if (!f || !uc_debugframe_find(f, vaddr, &offset))
		return -ENOENT;
	*ret = (struct uc_debug_fde){
		.lo = UC_DEBUGFILES_BASE,
		.hi = UC_DEBUGFILES_BASE + f->section.size,
		.fde = UC_DEBUGFILES_BASE + offset,
	};
	return 0;
}

const struct uc_debugframe *uc_image_debugframe(const struct uc_image *img, int *ret_rc)
{
	/* To its user the image is what the file is; that it is looked at late
	 * does not change it. */
	struct uc_image *own = (struct uc_image *)img;
	char err[256];

	if (own->debugframe_rc == 1)
		own->debugframe_rc = img->is_file ? uc_debugframe_open(img->name, NULL,
								       &own->debugframe, err,
								       sizeof(err)) :
						    -ENOENT;
	if (ret_rc)
		*ret_rc = img->debugframe_rc;
	return img->debugframe;
}

/* ---- headers ---- */

static int choose_abi(struct uc_image *img, const GElf_Ehdr *eh)
{
	bool is64 = eh->e_ident[EI_CLASS] == ELFCLASS64, big = eh->e_ident[EI_DATA] == ELFDATA2MSB;

	img->addr_size = is64 ? 8 : 4;
	switch (eh->e_machine) {
	case EM_X86_64:
		img->abi = is64 ? UC_ABI_X86_64 : UC_ABI_X32;
		return big ? -ENOTSUP : 0;
	case EM_386:
		img->abi = UC_ABI_I386;
		return is64 || big ? -ENOTSUP : 0;
	case EM_AARCH64:
		img->abi = big ? UC_ABI_AARCH64_BE : UC_ABI_AARCH64;
		return is64 ? 0 : -ENOTSUP;
	case EM_S390:
		img->abi = UC_ABI_S390X;
		return is64 && big ? 0 : -ENOTSUP;
	}
	return -ENOTSUP;
}

/* What the file really has of a segment. */
static u64 size_in_file(const struct uc_image *img, u64 off, u64 size)
{
	if (off >= img->size)
		return 0;
	return size < img->size - off ? size : img->size - off;
}

static void read_segments(struct uc_image *img, Elf *elf)
{
	size_t i, nr = 0;
	GElf_Phdr ph;

	elf_getphdrnum(elf, &nr);
	for (i = 0; i < nr && i < UC_PHDRS_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_GNU_EH_FRAME) {
			img->hdr = ph.p_vaddr;
			img->hdr_size = ph.p_memsz;
		} else if (ph.p_type == 0x6474e554) { /* PT_GNU_SFRAME */
			img->sframe = ph.p_vaddr;
			img->sframe_size = ph.p_memsz;
		} else if (ph.p_type == PT_LOAD) {
			u64 size = size_in_file(img, ph.p_offset, ph.p_filesz);

			if (!size || ph.p_vaddr + size < ph.p_vaddr)
				continue;
			img->load[img->nr_loads++] = (struct load){ ph.p_vaddr, ph.p_offset, size,
								    ph.p_flags & PF_X };
		}
	}
}

const char *uc_image_section_name(enum uc_image_section_id id)
{
	static const char *const names[UC_IMAGE_SECTIONS] = {
		[UC_IMAGE_EH_FRAME] = ".eh_frame",
		[UC_IMAGE_EH_FRAME_HDR] = ".eh_frame_hdr",
		[UC_IMAGE_SFRAME] = ".sframe",
		[UC_IMAGE_DEBUG_FRAME] = ".debug_frame",
	};

	return names[id];
}

/* Does a segment load these bytes of the file to this address? */
static bool is_loaded(const struct uc_image *img, const GElf_Shdr *sh)
{
	const struct load *l = find_load(img, sh->sh_addr);
	u64 at;

	if (!l)
		return false;
	at = sh->sh_addr - l->vaddr;
	return sh->sh_size <= l->size - at && sh->sh_offset == l->off + at;
}

static void keep_section(struct uc_image *img, u32 id, const GElf_Shdr *sh)
{
	struct uc_image_section *s = &img->section[id];

	if (sh->sh_type == SHT_NOBITS)
		img->is_stripped[id] = true;
	else if (!s->size && (id == UC_IMAGE_DEBUG_FRAME ?
				      size_in_file(img, sh->sh_offset, sh->sh_size) == sh->sh_size :
				      is_loaded(img, sh)))
		*s = (struct uc_image_section){ id == UC_IMAGE_DEBUG_FRAME ? 0 : sh->sh_addr,
						sh->sh_offset, sh->sh_size };
}

static int add_range(struct uc_code_range **range, size_t *nr, u64 start, u64 size)
{
	struct uc_code_range *more;

	if (!size || start + size < start)
		return 0;
	if (!(*nr & (*nr - 1))) { /* full: it has room for powers of two */
		more = reallocarray(*range, *nr ? *nr * 2 : 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		*range = more;
	}
	(*range)[(*nr)++] = (struct uc_code_range){ start, start + size };
	return 0;
}

static int read_sections(struct uc_image *img, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t strings;
	GElf_Shdr sh;
	u32 id;

	if (elf_getshdrstrndx(elf, &strings))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		if ((sh.sh_flags & SHF_EXECINSTR) && (sh.sh_flags & SHF_ALLOC) &&
		    sh.sh_type != SHT_NOBITS && is_loaded(img, &sh) &&
		    add_range(&img->code_section, &img->nr_code_sections, sh.sh_addr, sh.sh_size))
			return -ENOMEM;
		name = elf_strptr(elf, strings, sh.sh_name);
		for (id = 0; name && id < UC_IMAGE_SECTIONS; id++)
			if (!strcmp(name, uc_image_section_name(id)))
				keep_section(img, id, &sh);
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct uc_code_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static size_t merge_ranges(struct uc_code_range *range, size_t nr)
{
	size_t i, n = 0;

	if (nr)
		qsort(range, nr, sizeof(*range), by_start);
	for (i = 0; i < nr; i++) {
		if (!n || range[i].start > range[n - 1].end)
			range[n++] = range[i];
		else if (range[i].end > range[n - 1].end)
			range[n - 1].end = range[i].end;
	}
	return n;
}

static int read_code(struct uc_image *img)
{
	u32 i;

	for (i = 0; i < img->nr_loads; i++)
		if (img->load[i].exec &&
		    add_range(&img->code, &img->nr_code, img->load[i].vaddr, img->load[i].size))
			return -ENOMEM;
	img->nr_code = merge_ranges(img->code, img->nr_code);
	img->nr_code_sections = merge_ranges(img->code_section, img->nr_code_sections);
	return 0;
}

static int read_headers(struct uc_image *img, Elf *elf, char *err, size_t err_size)
{
	GElf_Ehdr eh;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
		return fail(err, err_size, -ENOEXEC, "%s: not an ELF file", img->name);
	if (eh.e_type == ET_REL)
		return fail(err, err_size, -ENOTSUP,
			    "%s: a relocatable file: its addresses are not known yet", img->name);
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
		return fail(err, err_size, -ENOTSUP, "%s: neither a program nor a library",
			    img->name);
	if (choose_abi(img, &eh))
		return fail(err, err_size, -ENOTSUP, "%s: of a machine that is not supported (%u)",
			    img->name, eh.e_machine);
	read_segments(img, elf);
	if (!img->nr_loads)
		return fail(err, err_size, -ENOEXEC, "%s: has no segment to load", img->name);
	if (read_sections(img, elf) || read_code(img))
		return fail(err, err_size, -ENOMEM, "out of memory");
	return 0;
}

/* ---- opening ---- */

static struct uc_image *image_new(const char *name, int fd)
{
	struct uc_image *img = calloc(1, sizeof(*img));

	if (!img)
		return NULL;
	img->fd = fd;
	img->debugframe_rc = 1;
	img->memory = (struct uc_memory){ .read = image_read,
					  .map = image_map,
					  .elf = image_elf,
					  .debug_fde = image_debug_fde,
					  .is_frozen = true,
					  .arg = img };
	img->name = strdup(name);
	if (!img->name) {
		free(img);
		return NULL;
	}
	return img;
}

static int image_finish(struct uc_image *img, Elf *elf, struct uc_image **ret, char *err,
			size_t err_size)
{
	int rc = read_headers(img, elf, err, err_size);

	elf_end(elf);
	if (rc)
		uc_image_free(img);
	else
		*ret = img;
	return rc;
}

int uc_image_open(const char *path, struct uc_image **ret, char *err, size_t err_size)
{
	struct uc_image *img;
	struct stat st;
	int fd = uc_open_regular(path);

	if (fd == -ENOEXEC)
		return fail(err, err_size, fd, "%s: not a regular file, or empty", path);
	if (fd < 0)
		return fail(err, err_size, fd, "%s: %s", path, strerror(-fd));
	img = image_new(path, fd);
	if (!img) {
		close(fd);
		return fail(err, err_size, -ENOMEM, "out of memory");
	}
	img->is_file = true;
	if (!fstat(fd, &st) && st.st_size > 0)
		img->size = (u64)st.st_size;
	img->block = calloc(img->size / BLOCK + 1, sizeof(*img->block));
	if (!img->block) {
		uc_image_free(img);
		return fail(err, err_size, -ENOMEM, "out of memory");
	}
	elf_version(EV_CURRENT);
	return image_finish(img, elf_begin(fd, ELF_C_READ, NULL), ret, err, err_size);
}

int uc_image_open_memory(const void *data, size_t size, const char *name, struct uc_image **ret,
			 char *err, size_t err_size)
{
	struct uc_image *img = image_new(name, -1);

	if (!img)
		return fail(err, err_size, -ENOMEM, "out of memory");
	img->data = data;
	img->size = size;
	elf_version(EV_CURRENT);
	/* libelf takes bytes that it could write to, and does not here */
	return image_finish(img, elf_memory((char *)data, size), ret, err, err_size);
}

void uc_image_free(struct uc_image *img)
{
	u64 i;

	if (!img)
		return;
	for (i = 0; img->block && i <= img->size / BLOCK; i++)
		free(img->block[i]);
	free(img->block);
	free(img->code);
	free(img->code_section);
	uc_debugframe_close(img->debugframe);
	if (img->fd >= 0)
		close(img->fd);
	free(img->name);
	free(img);
}

const char *uc_image_name(const struct uc_image *img)
{
	return img->name;
}

enum uc_abi_id uc_image_abi(const struct uc_image *img)
{
	return img->abi;
}

u64 uc_image_size(const struct uc_image *img)
{
	return img->size;
}

const struct uc_memory *uc_image_memory(const struct uc_image *img)
{
	return &img->memory;
}

const struct uc_image_section *uc_image_section(const struct uc_image *img,
						enum uc_image_section_id id)
{
	return &img->section[id];
}

const struct uc_code_range *uc_image_code(const struct uc_image *img, size_t *ret_nr)
{
	*ret_nr = img->nr_code;
	return img->code;
}

const struct uc_code_range *uc_image_code_sections(const struct uc_image *img, size_t *ret_nr)
{
	*ret_nr = img->nr_code_sections;
	return img->code_section;
}

/* ---- a walk ---- */

static void walk_module(const struct uc_image *img, struct uc_walk *w)
{
	u32 i;

	for (i = 0; i < img->nr_loads; i++) {
		const struct load *l = &img->load[i];

		if (l->exec && !w->map.end)
			load_map(l, &w->map);
		if (!l->off)
			w->mod.elf = l->vaddr;
		if (w->mod.nr_loads < UC_LOADS_MAX)
			w->mod.load[w->mod.nr_loads++] =
				(struct uc_load){ l->vaddr, l->size, l->off, l->exec, 0 };
	}
	w->mod.start = w->map.start;
	w->mod.end = w->map.end;
	w->mod.addr_size = img->addr_size;
	w->mod.placed = 1;
}

/* A section by its segment or else by its section header, bounded by what is
 * loaded. False if there is none. */
static bool walk_section(const struct uc_image *img, u32 id, u64 addr, u64 size, u64 *ret_start,
			 u64 *ret_end)
{
	const struct uc_image_section *s = &img->section[id];
	const struct load *l;
	u64 left;

	if (img->is_stripped[id])
		return false;
	if (!size) {
		addr = s->addr;
		size = s->size;
	}
	l = find_load(img, addr);
	if (!size || !l)
		return false;
	left = l->size - (addr - l->vaddr);
	*ret_start = addr;
	*ret_end = addr + (size < left ? size : left);
	return true;
}

/* Where .eh_frame's records are: by the section header, or from where
 * .eh_frame_hdr says to the segment's end. */
static bool walk_records(const struct uc_image *img, struct uc_walk *w, u64 eh_frame)
{
	const struct uc_image_section *s = &img->section[UC_IMAGE_EH_FRAME];
	const struct load *l;

	if (s->size && (!eh_frame || eh_frame - s->addr < s->size)) {
		w->mod.eh_frame = s->addr;
		w->sec.lo = s->addr;
		w->sec.hi = s->addr + s->size;
		return true;
	}
	l = find_load(img, eh_frame);
	if (!eh_frame || !l || img->is_stripped[UC_IMAGE_EH_FRAME])
		return false;
	w->mod.eh_frame = eh_frame;
	w->sec.lo = l->vaddr;
	w->sec.hi = l->vaddr + l->size;
	return true;
}

int uc_image_walk(const struct uc_image *img, struct uc_walk *w)
{
	int rc = 0;

	memset(w, 0, sizeof(*w));
	uc_abi_set(w, img->abi);
	w->port.mem = &img->memory;
	walk_module(img, w);
	walk_section(img, UC_IMAGE_SFRAME, img->sframe, img->sframe_size, &w->mod.sframe,
		     &w->mod.sframe_end);
	if (walk_section(img, UC_IMAGE_EH_FRAME_HDR, img->hdr, img->hdr_size, &w->mod.hdr,
			 &w->mod.hdr_end)) {
		const struct load *l = find_load(img, w->mod.hdr);

		w->sec.lo = l->vaddr;
		w->sec.hi = l->vaddr + l->size;
		rc = uc_hdr_open(w);
		if (rc == UC_FAULT) /* within a segment, and yet not to be read */
			rc = uc_malformed(w, UNCOIL_FLAW_TRUNCATED, w->mod.hdr);
	}
	if (!walk_records(img, w, rc ? 0 : w->mod.eh_frame)) {
		if (!rc)
			rc = uc_fail(w, UNCOIL_STOP_NO_SECTION, 0, w->map.start);
	} else {
		w->mod.lo = w->sec.lo;
		w->mod.hi = w->sec.hi;
	}
	w->mod.stop = (u8)rc;
	return rc;
}
