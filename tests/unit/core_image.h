/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small address space made by hand: pages of bytes, mappings over them, and
 * helpers that append CIEs, FDEs, a search table and an ELF header. Tests
 * spell out the bytes that matter to them.
 *
 * The program that img_program() maps:
 *
 *	IMG_PROG	ELF header, program headers	r--  file offset 0
 *	IMG_TEXT	two pages of code		r-x  0x1000
 *	IMG_HDR		.eh_frame_hdr			r--  0x3000
 *	IMG_EH		.eh_frame, to IMG_END
 *	IMG_STACK	two pages of stack
 */
#ifndef CORE_IMAGE_H
#define CORE_IMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86_64.h"
#include "uc_core.h"
#include "uc_dwarf.h"
#include "uc_walk.h"

#define IMG_PAGES 96
#define IMG_MAPS 16
#define IMG_ROWS 32
#define IMG_SEEN 8192

#define IMG_PROG 0x555500000000ull
#define IMG_TEXT (IMG_PROG + 0x1000)
#define IMG_HDR (IMG_PROG + 0x3000)
#define IMG_EH (IMG_PROG + 0x3400)
#define IMG_END (IMG_PROG + 0x5000)
#define IMG_STACK 0x7ffc00000000ull
#define IMG_STACK_END (IMG_STACK + 0x2000)
#define IMG_ID 77 /* the program's identity as a file */

/* Bytes as a pointer and a length: two arguments. */
#define BYTES(...) (const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ })

#define LE16(v) (u8)(v), (u8)((v) >> 8)
#define LE32(v) LE16(v), LE16((u32)(v) >> 16)
#define LE64(v) LE32(v), LE32((u64)(v) >> 32)

struct img_page {
	u64 addr;
	u32 missing; /* reads fail until img_bring_in() */
	u8 bytes[UC_PAGE];
};

struct img_row {
	u64 start, fde;
};

struct image {
	struct uc_memory memory;
	struct img_page page[IMG_PAGES];
	u32 nr_pages;
	struct uc_map map[IMG_MAPS];
	u32 nr_maps;

	u64 at; /* where the next record goes */
	struct img_row row[IMG_ROWS]; /* FDEs so far, by start */
	u32 nr_rows;

	u32 fail_once; /* the first read of each range fails */
	u64 seen[IMG_SEEN]; /* address of the reads that did */
	u32 nr_seen;
	u32 nr_reads;
	u64 read_end; /* no byte at or after it was read */
};

/* ---- bytes ---- */

static inline struct img_page *img_page(struct image *m, u64 addr)
{
	u32 i;

	for (i = 0; i < m->nr_pages; i++)
		if (m->page[i].addr == (addr & ~(UC_PAGE - 1)))
			return &m->page[i];
	return NULL;
}

static inline void img_add_pages(struct image *m, u64 addr, u64 size)
{
	u64 at;

	for (at = addr; at < addr + size; at += UC_PAGE) {
		struct img_page *p = &m->page[m->nr_pages++];

		assert_true(m->nr_pages <= IMG_PAGES && !(at & (UC_PAGE - 1)));
		memset(p, 0, sizeof(*p));
		p->addr = at;
	}
}

/* The bytes of a page go away; its mapping stays. */
static inline void img_lose_page(struct image *m, u64 addr)
{
	struct img_page *p = img_page(m, addr);

	assert_non_null(p);
	p->addr = ~0ull;
}

static inline void img_write(struct image *m, u64 addr, const u8 *bytes, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		struct img_page *p = img_page(m, addr + i);

		assert_non_null(p);
		p->bytes[(addr + i) & (UC_PAGE - 1)] = bytes[i];
	}
}

static inline void img_u64(struct image *m, u64 addr, u64 v)
{
	img_write(m, addr, BYTES(LE64(v)));
}

/* ---- as the core sees it ---- */

/* In fail_once: was there a read at this address before? */
static inline int img_seen(struct image *m, u64 addr, u32 len)
{
	u64 key = addr << 12 ^ len;
	u32 i;

	for (i = 0; i < m->nr_seen; i++)
		if (m->seen[i] == key)
			return 1;
	assert_true(m->nr_seen < IMG_SEEN);
	m->seen[m->nr_seen++] = key;
	return 0;
}

static inline int img_read(void *arg, u64 addr, void *dst, u32 len)
{
	struct image *m = arg;
	u32 i;

	m->nr_reads++;
	assert_true(len <= UC_STACK_WINDOW);
	if (addr + len > m->read_end)
		m->read_end = addr + len;
	if (m->fail_once && !img_seen(m, addr, len))
		return -1;
	for (i = 0; i < len; i++) {
		struct img_page *p = img_page(m, addr + i);

		if (!p || p->missing)
			return -1;
		((u8 *)dst)[i] = p->bytes[(addr + i) & (UC_PAGE - 1)];
	}
	return 0;
}

static inline int img_find_map(void *arg, u64 addr, struct uc_map *ret)
{
	struct image *m = arg;
	u32 i;

	for (i = 0; i < m->nr_maps; i++) {
		if (addr < m->map[i].start || addr >= m->map[i].end)
			continue;
		*ret = m->map[i];
		return 0;
	}
	return -1;
}

static inline int img_find_elf(void *arg, const struct uc_map *of, struct uc_map *ret)
{
	struct image *m = arg;
	u32 i;

	if (of->flags & UC_MAP_VDSO) {
		*ret = *of;
		return 0;
	}
	for (i = 0; i < m->nr_maps; i++) {
		if (m->map[i].off || m->map[i].id[0] != of->id[0] || m->map[i].id[1] != of->id[1])
			continue;
		*ret = m->map[i];
		return 0;
	}
	return -1;
}

static inline void img_init(struct image *m)
{
	m->nr_pages = 0;
	m->nr_maps = 0;
	m->nr_rows = 0;
	m->fail_once = 0;
	m->nr_seen = 0;
	m->nr_reads = 0;
	m->read_end = 0;
	m->memory = (struct uc_memory){ .read = img_read, .map = img_find_map, .elf = img_find_elf, .arg = m };
}

/* Add a mapping, with pages of zeros. id 0: anonymous. */
static inline struct uc_map *img_map(struct image *m, u64 start, u64 size, u32 flags, u64 off,
				     u64 id)
{
	struct uc_map *map = &m->map[m->nr_maps++];

	assert_true(m->nr_maps <= IMG_MAPS);
	*map = (struct uc_map){ .start = start, .end = start + size, .off = off, .id = { id, id } };
	map->flags = flags | (id ? UC_MAP_FILE : 0);
	img_add_pages(m, start, size);
	return map;
}

/* ---- unwind sections ---- */

/* Append a record: its length, then the bytes, filled up with nops. */
static inline u64 img_record(struct image *m, const u8 *bytes, u32 len)
{
	u64 at = m->at;
	u32 padded = (len + 3) & ~3u;

	img_write(m, at, BYTES(LE32(padded)));
	img_write(m, at + 4, bytes, len);
	m->at = at + 4 + padded;
	return at;
}

/* Append a CIE; the bytes begin with its version. */
static inline u64 img_cie(struct image *m, const u8 *bytes, u32 len)
{
	u8 record[256] = { 0 };

	assert_true(len <= sizeof(record) - 4);
	memcpy(record + 4, bytes, len);
	return img_record(m, record, len + 4);
}

/* Append an FDE of a CIE; the bytes begin with the initial location. */
static inline u64 img_fde_raw(struct image *m, u64 cie, const u8 *bytes, u32 len)
{
	u8 record[256] = { LE32(m->at + 4 - cie) };

	assert_true(len <= sizeof(record) - 4);
	memcpy(record + 4, bytes, len);
	return img_record(m, record, len + 4);
}

static inline void img_row_add(struct image *m, u64 start, u64 fde)
{
	u32 i = m->nr_rows++;

	assert_true(m->nr_rows <= IMG_ROWS);
	for (; i && m->row[i - 1].start > start; i--)
		m->row[i] = m->row[i - 1];
	m->row[i] = (struct img_row){ start, fde };
}

/* Append an FDE of an img_cie_usual(), and remember it for the table. */
static inline u64 img_fde(struct image *m, u64 cie, u64 start, u32 range, const u8 *insn, u32 len)
{
	u8 record[256] = { LE32(start - (m->at + 8)), LE32(range), 0 };
	u64 fde;

	assert_true(len <= sizeof(record) - 9);
	memcpy(record + 9, insn, len);
	fde = img_fde_raw(m, cie, record, len + 9);
	img_row_add(m, start, fde);
	return fde;
}

/* What compilers write: CFA = rsp + 8, return address at CFA - 8; addresses
 * are pcrel|sdata4. */
static inline u64 img_cie_usual(struct image *m)
{
	return img_cie(m, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1));
}

/* Write a table of all FDEs as linkers do: 01 1b 03 3b. Returns its size. */
static inline u32 img_hdr(struct image *m)
{
	u64 at = IMG_HDR + 12;
	u32 i;

	img_write(m, IMG_HDR, BYTES(1, 0x1b, 0x03, 0x3b, LE32(IMG_EH - (IMG_HDR + 4)),
				    LE32(m->nr_rows)));
	for (i = 0; i < m->nr_rows; i++, at += 8)
		img_write(m, at, BYTES(LE32(m->row[i].start - IMG_HDR),
				       LE32(m->row[i].fde - IMG_HDR)));
	return (u32)(at - IMG_HDR);
}

/* ---- a whole program ---- */

/* Program header i; addresses are the file's. */
static inline void img_phdr(struct image *m, u64 base, u32 i, u32 type, u32 flags, u64 off,
			    u64 vaddr, u64 size)
{
	img_write(m, base + 64 + 56 * i,
		  BYTES(LE32(type), LE32(flags), LE64(off), LE64(vaddr), LE64(vaddr), LE64(size),
			LE64(size), LE64(0x1000ull)));
}

static inline void img_elf(struct image *m, u64 base, u32 nr_phdrs)
{
	img_write(m, base, BYTES(0x7f, 'E', 'L', 'F', 2, 1, 1)); /* 64 bits, little endian */
	img_write(m, base + 16, BYTES(LE16(3), LE16(62), LE32(1))); /* ET_DYN, EM_X86_64 */
	img_u64(m, base + 32, 64); /* e_phoff */
	img_write(m, base + 52, BYTES(LE16(64), LE16(56), LE16(nr_phdrs)));
}

enum { IMG_PT_LOAD = 1, IMG_PT_EH_FRAME = 0x6474e550, IMG_PF_X = 1, IMG_PF_R = 4 };

static inline void img_program(struct image *m)
{
	img_init(m);
	img_map(m, IMG_PROG, 0x1000, UC_MAP_PRISTINE, 0, IMG_ID);
	img_map(m, IMG_TEXT, 0x2000, UC_MAP_EXEC | UC_MAP_PRISTINE, 0x1000, IMG_ID);
	img_map(m, IMG_HDR, 0x2000, UC_MAP_PRISTINE, 0x3000, IMG_ID);
	img_map(m, IMG_STACK, 0x2000, 0, 0, 0);
	img_elf(m, IMG_PROG, 4);
	img_phdr(m, IMG_PROG, 0, IMG_PT_LOAD, IMG_PF_R, 0, 0, 0x1000);
	img_phdr(m, IMG_PROG, 1, IMG_PT_LOAD, IMG_PF_R | IMG_PF_X, 0x1000, 0x1000, 0x2000);
	img_phdr(m, IMG_PROG, 2, IMG_PT_LOAD, IMG_PF_R, 0x3000, 0x3000, 0x2000);
	img_phdr(m, IMG_PROG, 3, IMG_PT_EH_FRAME, IMG_PF_R, 0x3000, 0x3000, 0x400);
	m->at = IMG_EH;
}

/* All of it becomes missing, as pages do that were never touched. */
static inline void img_swap_out(struct image *m)
{
	u32 i;

	for (i = 0; i < m->nr_pages; i++)
		m->page[i].missing = 1;
}

/* The page fault that the core asks for. Not 0 if a page can not be had. */
static inline int img_bring_in(struct image *m, u64 addr, u32 len)
{
	struct img_page *first = img_page(m, addr), *last = img_page(m, addr + len - 1);

	if (!first || !last)
		return -1;
	first->missing = 0;
	last->missing = 0;
	return 0;
}

/* ---- walks ---- */

/* A walk's memory as a kernel has it: left over from another walk. */
static inline void img_walk_init(struct image *m, struct uc_walk *w)
{
	memset(w, 0xa5, sizeof(*w));
	memset(&w->regs, 0, sizeof(w->regs));
	uc_abi_set(w, UC_ABI_X86_64);
	w->port.mem = &m->memory;
	w->entry_sp = 0;
	w->regs.known = UC_X86_64_REGS;
}

static inline int img_step(struct image *m, struct uc_walk *w)
{
	int rc = uc_walk_step(w);
	u32 i;

	for (i = 0; rc == UC_FAULT && i < UC_FAULTS_MAX; i++) {
		rc = 0;
		if (img_bring_in(m, w->fault_addr, w->fault_len))
			rc = uc_walk_page_is_bad(w);
		if (!rc)
			rc = uc_walk_step(w);
	}
	return rc;
}

/* Walk; missing pages are brought in. Returns the stop. */
static inline int img_walk(struct image *m, struct uc_walk *w, u64 *frame, u32 max, u32 *ret_nr)
{
	int rc = uc_walk_begin(w);
	u32 n = 0;

	while (!rc) {
		if (n == max) {
			rc = UNCOIL_STOP_DEPTH_LIMIT;
			break;
		}
		frame[n++] = w->regs.pc;
		rc = img_step(m, w);
	}
	*ret_nr = n;
	return rc;
}

#endif
