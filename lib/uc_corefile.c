/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include <byteswap.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uc_corefile_parts.h"
#include "uc_debugfile.h"
#include "uc_debugfiles.h"

int uc_core_fail(struct uc_corefile *c, int rc, const char *format, ...)
{
	va_list args;

	if (c->err_size) {
		va_start(args, format);
		vsnprintf(c->err, c->err_size, format, args);
		va_end(args);
	}
	return rc;
}

int uc_core_pread(const struct uc_corefile *c, u64 off, void *dst, u64 len)
{
	u8 *to = dst;

	if (off > c->size || len > c->size - off)
		return -EIO;
	while (len) {
		ssize_t n = pread(c->fd, to, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EIO;
		to += n;
		off += (u64)n;
		len -= (u64)n;
	}
	return 0;
}

u16 uc_core_u16(const struct uc_corefile *c, const void *at)
{
	u16 v;

	memcpy(&v, at, sizeof(v));
	return c->swap ? bswap_16(v) : v;
}

u32 uc_core_u32(const struct uc_corefile *c, const void *at)
{
	u32 v;

	memcpy(&v, at, sizeof(v));
	return c->swap ? bswap_32(v) : v;
}

u64 uc_core_u64(const struct uc_corefile *c, const void *at)
{
	u64 v;

	memcpy(&v, at, sizeof(v));
	return c->swap ? bswap_64(v) : v;
}

u64 uc_core_word(const struct uc_corefile *c, const void *at)
{
	return c->class == ELFCLASS64 ? uc_core_u64(c, at) : uc_core_u32(c, at);
}

/* ---- headers ---- */

struct headers {
	u64 off, nr; /* program headers */
};

#define FIELD(c, bytes, type, field)                                                    \
	((c)->class == ELFCLASS64 ? uc_core_field(c, bytes, offsetof(Elf64_##type, field), \
						  sizeof(((Elf64_##type *)0)->field)) :     \
				    uc_core_field(c, bytes, offsetof(Elf32_##type, field), \
						  sizeof(((Elf32_##type *)0)->field)))

static u64 uc_core_field(const struct uc_corefile *c, const u8 *bytes, size_t at, size_t size)
{
	switch (size) {
	case 2:
		return uc_core_u16(c, bytes + at);
	case 4:
		return uc_core_u32(c, bytes + at);
	default:
		return uc_core_u64(c, bytes + at);
	}
}

/* With 65535 segments or more, section header 0 has their number (gABI). */
static int count_of_section(struct uc_corefile *c, const u8 *eh, u64 *ret)
{
	u8 sh[sizeof(Elf64_Shdr)] = { 0 };
	size_t size = c->class == ELFCLASS64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	u64 off = FIELD(c, eh, Ehdr, e_shoff);

	if (!off || uc_core_pread(c, off, sh, size))
		return uc_core_fail(c, -EBADMSG, "no section header has the number of segments");
	*ret = FIELD(c, sh, Shdr, sh_info);
	return 0;
}

static int read_header(struct uc_corefile *c, struct headers *ret)
{
	u8 eh[sizeof(Elf64_Ehdr)] = { 0 };
	size_t ph_size;
	u16 type;

	if (uc_core_pread(c, 0, eh, sizeof(Elf32_Ehdr)) || memcmp(eh, ELFMAG, SELFMAG))
		return uc_core_fail(c, -ENOEXEC, "not an ELF file");
	c->class = eh[EI_CLASS];
	c->data = eh[EI_DATA];
	if ((c->class != ELFCLASS32 && c->class != ELFCLASS64) ||
	    (c->data != ELFDATA2LSB && c->data != ELFDATA2MSB))
		return uc_core_fail(c, -ENOEXEC, "ELF class %d, byte order %d: not known", c->class,
				    c->data);
	c->swap = (c->data == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (c->class == ELFCLASS64 && uc_core_pread(c, 0, eh, sizeof(Elf64_Ehdr)))
		return uc_core_fail(c, -EBADMSG, "ends inside its ELF header");
	type = (u16)FIELD(c, eh, Ehdr, e_type);
	if (type != ET_CORE)
		return uc_core_fail(c, -ENOEXEC, "not a core file: its ELF type is %d", type);
	c->machine = (u16)FIELD(c, eh, Ehdr, e_machine);
	if (!uc_core_machine_set(c))
		return uc_core_fail(c, -ENOTSUP, "machine %d, class %d, byte order %d: not supported",
				    c->machine, c->class, c->data);
	ph_size = c->class == ELFCLASS64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	ret->off = FIELD(c, eh, Ehdr, e_phoff);
	ret->nr = FIELD(c, eh, Ehdr, e_phnum);
	if (ret->nr == PN_XNUM) {
		int rc = count_of_section(c, eh, &ret->nr);

		if (rc)
			return rc;
	}
	if (FIELD(c, eh, Ehdr, e_phentsize) != ph_size)
		return uc_core_fail(c, -EBADMSG, "size of its program headers is wrong");
	if (ret->nr > UC_CORE_SEGMENTS_MAX)
		return uc_core_fail(c, -EFBIG, "%llu segments are more than %u",
				    (unsigned long long)ret->nr, UC_CORE_SEGMENTS_MAX);
	if (ret->off > c->size || ret->nr * ph_size > c->size - ret->off)
		return uc_core_fail(c, -EBADMSG, "ends inside its program headers");
	return 0;
}

static int keep_load(struct uc_corefile *c, const u8 *ph)
{
	struct uc_core_load *l = &c->load[c->nr_loads];
	u64 memsz = FIELD(c, ph, Phdr, p_memsz);

	l->start = FIELD(c, ph, Phdr, p_vaddr);
	l->off = FIELD(c, ph, Phdr, p_offset);
	l->claimed = FIELD(c, ph, Phdr, p_filesz);
	l->flags = (u32)FIELD(c, ph, Phdr, p_flags);
	/* Some writers say a size of zero in memory for what is in the file. */
	if (memsz < l->claimed)
		memsz = l->claimed;
	if (!memsz)
		return 0;
	l->end = l->start + memsz;
	if (l->end <= l->start)
		return uc_core_fail(c, -EBADMSG, "segment at 0x%llx wraps around",
				    (unsigned long long)l->start);
	l->len = l->off >= c->size		  ? 0 :
		 l->claimed > c->size - l->off ? c->size - l->off :
						  l->claimed;
	c->nr_loads++;
	return 0;
}

static int read_segments(struct uc_corefile *c, const struct headers *h)
{
	size_t size = c->class == ELFCLASS64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	int rc = 0;
	u64 i;

	c->load = calloc(h->nr ? h->nr : 1, sizeof(*c->load));
	if (!c->load)
		return uc_core_fail(c, -ENOMEM, "out of memory");
	for (i = 0; i < h->nr && !rc; i++) {
		u8 ph[sizeof(Elf64_Phdr)] = { 0 };

		if (uc_core_pread(c, h->off + i * size, ph, size))
			return uc_core_fail(c, -EIO, "cannot read its program headers");
		switch (FIELD(c, ph, Phdr, p_type)) {
		case PT_LOAD:
			rc = keep_load(c, ph);
			break;
		case PT_NOTE:
			rc = uc_core_notes(c, FIELD(c, ph, Phdr, p_offset), FIELD(c, ph, Phdr, p_filesz));
			break;
		}
	}
	return rc;
}

/* ---- address space ---- */

static int load_order(const void *a, const void *b)
{
	const struct uc_core_load *l = a, *m = b;

	if (l->start != m->start)
		return l->start < m->start ? -1 : 1;
	return (l->end < m->end) - (l->end > m->end);
}

/* By address. Segments that overlap are of the same memory at the same time:
 * gdb writes some that do, of sections. Each gives what the ones before do not. */
static void sort_loads(struct uc_corefile *c)
{
	u64 end = 0;
	size_t i, nr = 0;

	if (c->nr_loads)
		qsort(c->load, c->nr_loads, sizeof(*c->load), load_order);
	for (i = 0; i < c->nr_loads; i++) {
		struct uc_core_load l = c->load[i];
		u64 cut = l.start < end ? end - l.start : 0;

		if (l.end <= end)
			continue;
		l.start += cut;
		l.off += cut;
		l.len = l.len > cut ? l.len - cut : 0;
		l.claimed = l.claimed > cut ? l.claimed - cut : 0;
		c->load[nr++] = l;
		end = l.end;
	}
	c->nr_loads = nr;
}

/* [start, end) lies in l, or in n, or in both. */
static void add_span(struct uc_corefile *c, u64 start, u64 end, const struct uc_core_load *l,
		     const struct uc_core_named *n)
{
	struct uc_core_span *s = &c->span[c->nr_spans++];
	struct uc_core_file *f;

	*s = (struct uc_core_span){ .start = start, .end = end, .file = UC_CORE_NO_FILE };
	if (l) {
		u64 skip = start - l->start;

		s->loaded = true;
		s->flags = l->flags;
		s->off = l->off + skip;
		s->len = l->len > skip ? l->len - skip : 0;
		s->claimed = l->claimed > skip ? l->claimed - skip : 0;
	}
	if (n) {
		s->file = n->file;
		s->file_off = n->off + (start - n->start);
		f = &c->file[n->file];
		if (!s->file_off && !f->has_head) {
			f->has_head = true;
			f->head = start;
		}
	}
}

/* Lay segments and named ranges over each other. They are the same ranges in
 * kernels' cores; gdb's have no segments for what they leave out. */
static int build_spans(struct uc_corefile *c)
{
	size_t i = 0, j = 0;
	u64 pos = 0;

	c->span = calloc(2 * (c->nr_loads + c->nr_named) + 1, sizeof(*c->span));
	if (!c->span)
		return uc_core_fail(c, -ENOMEM, "out of memory");
	while (i < c->nr_loads || j < c->nr_named) {
		const struct uc_core_load *l = i < c->nr_loads ? &c->load[i] : NULL;
		const struct uc_core_named *n = j < c->nr_named ? &c->named[j] : NULL;
		u64 l_start = !l ? UINT64_MAX : l->start > pos ? l->start : pos;
		u64 n_start = !n ? UINT64_MAX : n->start > pos ? n->start : pos;
		u64 start = l_start < n_start ? l_start : n_start;
		bool in_l = l && l_start == start, in_n = n && n_start == start;
		u64 l_end = in_l ? l->end : l_start, n_end = in_n ? n->end : n_start;
		u64 end = l_end < n_end ? l_end : n_end;

		add_span(c, start, end, in_l ? l : NULL, in_n ? n : NULL);
		pos = end;
		i += l && end >= l->end;
		j += n && end >= n->end;
	}
	return 0;
}

const struct uc_core_span *uc_core_span_at(const struct uc_corefile *c, u64 addr)
{
	size_t lo = 0, hi = c->nr_spans;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (addr < c->span[mid].start)
			hi = mid;
		else if (addr >= c->span[mid].end)
			lo = mid + 1;
		else
			return &c->span[mid];
	}
	return NULL;
}

static u32 span_flags(struct uc_corefile *c, const struct uc_core_span *s)
{
	return s->loaded ? s->flags : uc_core_file_flags(c, s->file, s->file_off);
}

/*
 * Bytes that the core left out are the file's if they were not to be written:
 * what a kernel leaves out of a writable mapping may have been changed. Those
 * that it should have, but for being cut short, are lost.
 */
static int read_span(struct uc_corefile *c, const struct uc_core_span *s, u64 skip, void *dst,
		     u32 *len, bool own)
{
	if (skip < s->len) {
		if (*len > s->len - skip)
			*len = (u32)(s->len - skip);
		return uc_core_pread(c, s->off + skip, dst, *len);
	}
	if (own || s->file == UC_CORE_NO_FILE || skip < s->claimed || (span_flags(c, s) & PF_W))
		return -EFAULT;
	return uc_core_file_read(c, s->file, s->file_off + skip, dst, *len);
}

static int read_memory(struct uc_corefile *c, u64 addr, void *dst, u32 len, bool own)
{
	u8 *to = dst;

	while (len) {
		const struct uc_core_span *s = uc_core_span_at(c, addr);
		u32 n = len;
		int rc;

		if (!s)
			return -EFAULT;
		if (n > s->end - addr)
			n = (u32)(s->end - addr);
		rc = read_span(c, s, addr - s->start, to, &n, own);
		if (rc)
			return rc;
		to += n;
		addr += n;
		len -= n;
	}
	return 0;
}

int uc_core_read_own(struct uc_corefile *c, u64 addr, void *dst, u32 len)
{
	return read_memory(c, addr, dst, len, true);
}

static int corefile_read(void *arg, u64 addr, void *dst, u32 len)
{
	struct uc_corefile *c = arg;

	if (addr >= UC_DEBUGFILES_BASE)
		return uc_debugfiles_read(c->debug, addr, dst, len);
	return read_memory(c, addr, dst, len, false);
}

static void span_map(struct uc_corefile *c, const struct uc_core_span *s, struct uc_map *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->start = s->start;
	ret->end = s->end;
	if (span_flags(c, s) & PF_X)
		ret->flags |= UC_MAP_EXEC;
	if (s->file != UC_CORE_NO_FILE) {
		ret->flags |= UC_MAP_FILE;
		ret->off = s->file_off;
		ret->id[0] = (u64)s->file + 1;
	} else if (c->vdso && s->start == c->vdso) {
		ret->flags |= UC_MAP_VDSO;
	}
}

static int corefile_map(void *arg, u64 addr, struct uc_map *ret)
{
	struct uc_corefile *c = arg;
	const struct uc_core_span *s = uc_core_span_at(c, addr);

	if (!s)
		return -ENOENT;
	span_map(c, s, ret);
	return 0;
}

/* The last mapping with offset 0 that is not above @of if possible, as for live
 * processes. */
static int corefile_elf(void *arg, const struct uc_map *of, struct uc_map *ret)
{
	struct uc_corefile *c = arg;
	const struct uc_core_span *hit = NULL;
	size_t i;

	if (of->flags & UC_MAP_VDSO) {
		*ret = *of;
		return 0;
	}
	for (i = 0; i < c->nr_spans; i++) {
		const struct uc_core_span *s = &c->span[i];

		if (s->file == UC_CORE_NO_FILE || s->file_off || of->id[0] != (u64)s->file + 1)
			continue;
		if (hit && s->start > of->start)
			break;
		hit = s;
	}
	if (!hit)
		return -ENOENT;
	span_map(c, hit, ret);
	return 0;
}

static int corefile_debug_fde(void *arg, const struct uc_map *of, u64 vaddr,
			      struct uc_debug_fde *ret)
{
	struct uc_corefile *c = arg;

	if (!(of->flags & UC_MAP_FILE) || !uc_core_file_usable(c, (u32)of->id[0] - 1))
		return -ENOENT;
	return uc_debugfiles_find(c->debug, of, c->file[of->id[0] - 1].name,
				  *c->sysroot ? c->sysroot : NULL, vaddr, ret);
}

/* ---- the initial stack ---- */

static bool own_word(struct uc_corefile *c, u64 addr, u64 *ret)
{
	u8 bytes[8];

	if (uc_core_read_own(c, addr, bytes, uc_core_word_size(c)))
		return false;
	*ret = uc_core_word(c, bytes);
	return true;
}

/* The auxiliary vector's place on the stack: below the bytes of AT_RANDOM, with
 * the same content as the note. */
static bool find_auxv(struct uc_corefile *c, u64 *ret)
{
	u8 note[4 * 8], at[4 * 8];
	u32 word = uc_core_word_size(c), len = 4 * word, i;
	u64 top;

	if (c->auxv_len < len || uc_core_pread(c, c->auxv, note, len) ||
	    !uc_corefile_auxv(c, AT_RANDOM, &top))
		return false;
	top &= ~(u64)(word - 1);
	for (i = len; i < UC_CORE_AUXV_REACH; i += word) {
		if (top < i || uc_core_read_own(c, top - i, at, len))
			return false;
		if (!memcmp(note, at, len)) {
			*ret = top - i;
			return true;
		}
	}
	return false;
}

/* The kernel lays out the number of arguments, they, NULL, the environment,
 * NULL, the auxiliary vector, and starts the program with the stack pointer at
 * the first of these. So go back from the last. */
u64 uc_corefile_entry_sp(struct uc_corefile *c)
{
	u32 word = uc_core_word_size(c), i;
	u64 at, v, nulls = 0, args = 0;

	if (!find_auxv(c, &at))
		return 0;
	for (i = 0; i < UC_CORE_ARGS_MAX; i++) {
		at -= word;
		if (!own_word(c, at, &v))
			return 0;
		if (nulls == 2 && v == args)
			return at;
		if (nulls == 2)
			args++;
		else
			nulls += !v;
	}
	return 0;
}

/* ---- opening ---- */

static int open_all(struct uc_corefile *c)
{
	struct headers h = { 0 };
	int rc = read_header(c, &h);

	if (!rc)
		rc = read_segments(c, &h);
	if (!rc)
		rc = uc_core_name_files(c);
	if (!rc) {
		sort_loads(c);
		rc = build_spans(c);
	}
	if (!rc && !c->nr_threads)
		rc = uc_core_fail(c, -ENODATA, "has no thread's registers (NT_PRSTATUS)");
	return rc;
}

int uc_corefile_open(const char *path, const char *sysroot, struct uc_corefile **ret, char *err,
		     size_t err_size)
{
	struct uc_corefile *c = calloc(1, sizeof(*c));
	struct stat st;
	int rc;

	if (!c) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	c->err = err;
	c->err_size = err_size;
	c->memory = (struct uc_memory){ .read = corefile_read,
					.map = corefile_map,
					.elf = corefile_elf,
					.arg = c,
					.debug_fde = corefile_debug_fde };
	c->debug = uc_debugfiles_new();
	c->sysroot = strdup(sysroot ? sysroot : "");
	c->fd = c->debug && c->sysroot ? uc_open_regular(path) : -ENOMEM;
	if (c->fd < 0 || fstat(c->fd, &st)) {
		rc = c->fd < 0 ? c->fd : -errno;
		uc_core_fail(c, rc, "cannot open it: %s", strerror(-rc));
	} else {
		c->size = (u64)st.st_size;
		rc = open_all(c);
	}
	c->err_size = 0;
	if (rc) {
		uc_corefile_close(c);
		return rc;
	}
	*ret = c;
	return 0;
}

void uc_corefile_close(struct uc_corefile *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->nr_files; i++)
		if (c->file[i].fd >= 0)
			close(c->file[i].fd);
	if (c->fd >= 0)
		close(c->fd);
	uc_debugfiles_free(c->debug);
	free(c->sysroot);
	free(c->load);
	free(c->nt_file);
	free(c->named);
	free(c->file);
	free(c->thread);
	free(c->span);
	free(c);
}

const struct uc_memory *uc_corefile_memory(struct uc_corefile *c)
{
	return &c->memory;
}

size_t uc_corefile_nr_threads(const struct uc_corefile *c)
{
	return c->nr_threads;
}

int uc_corefile_tid(const struct uc_corefile *c, size_t thread)
{
	return thread < c->nr_threads ? c->thread[thread].tid : -1;
}

size_t uc_corefile_nr_files(const struct uc_corefile *c)
{
	return c->nr_files;
}

const char *uc_corefile_file(const struct uc_corefile *c, size_t file,
			     enum uc_corefile_status *ret_status)
{
	*ret_status = c->file[file].status;
	return c->file[file].name;
}
