/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the targets of core/ share: an address space whose bytes and mappings
 * come from the input, the core's port, and invariants.
 *
 * Memory comes in pages, as everywhere: a region's first and last page are
 * filled up with zeros. Everything else can not be read.
 */
#ifndef FUZZ_SPACE_H
#define FUZZ_SPACE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86_64.h"
#include "uc_core.h"
#include "uc_dwarf.h"
#include "uc_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REGIONS 8
#define FUZZ_MAPS 8
#define FUZZ_PAGES 192
#define FUZZ_ROWS 128
#define FUZZ_BAD 16

struct fuzz_space {
	struct uc_memory memory;
	struct {
		u64 start, len;
		const u8 *bytes;
	} region[FUZZ_REGIONS];
	u32 nr_regions;
	struct uc_map map[FUZZ_MAPS];
	u32 nr_maps;

	const struct uc_walk *walk; /* whose buffers are read into */
	u64 lo, hi; /* unwind data is read from here alone; both 0: not checked */
	u64 nr_reads;

	/* Pages that are missing until they were asked for. */
	u32 swapped_out;
	u64 present[FUZZ_PAGES];
	u32 nr_present;

	/* Rows that the core has asked to keep. */
	u32 cache_on;
	struct {
		u64 id, off;
		struct uc_packed_row row;
	} row[FUZZ_ROWS];
	u32 nr_rows;
	struct {
		u64 id, at;
		u32 what, flaw;
	} bad[FUZZ_BAD];
	u32 nr_bad;
};

#define require(holds)                                                                     \
	do {                                                                               \
		if (!(holds)) {                                                            \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
			abort();                                                           \
		}                                                                          \
	} while (0)

/* ---- the input ---- */

struct fuzz_in {
	const u8 *p;
	size_t left;
};

/* A little-endian number; zeros follow the input's end. */
static inline u64 fuzz_take(struct fuzz_in *in, u32 bytes)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < bytes && in->left; i++, in->left--)
		v |= (u64)*in->p++ << (8 * i);
	return v;
}

static inline const u8 *fuzz_bytes(struct fuzz_in *in, u64 want, u64 *ret_len)
{
	const u8 *p = in->p;

	*ret_len = want < in->left ? want : in->left;
	in->p += *ret_len;
	in->left -= *ret_len;
	return p;
}

/* ---- memory ---- */

static inline int fuzz_page_exists(const struct fuzz_space *s, u64 page)
{
	u32 i;

	for (i = 0; i < s->nr_regions; i++) {
		u64 first = s->region[i].start & ~(UC_PAGE - 1);
		u64 last = (s->region[i].start + s->region[i].len - 1) & ~(UC_PAGE - 1);

		if (page >= first && page <= last)
			return 1;
	}
	return 0;
}

static inline int fuzz_page_present(const struct fuzz_space *s, u64 page)
{
	u32 i;

	if (!s->swapped_out)
		return fuzz_page_exists(s, page);
	for (i = 0; i < s->nr_present; i++)
		if (s->present[i] == page)
			return 1;
	return 0;
}

/* The core reads into its own buffers, and not beyond them. */
static inline void fuzz_check_buffer(const struct fuzz_space *s, const u8 *dst, u64 addr, u32 len)
{
	const struct uc_walk *w = s->walk;

	if (dst >= w->stack_buf && dst < w->stack_buf + sizeof(w->stack_buf)) {
		require(len <= (u32)(w->stack_buf + sizeof(w->stack_buf) - dst));
	} else if (dst >= w->cur.buf && dst < w->cur.buf + sizeof(w->cur.buf)) {
		require(len <= (u32)(w->cur.buf + sizeof(w->cur.buf) - dst));
		require(!s->hi || (addr >= s->lo && addr + len <= s->hi));
	} else {
		require(dst >= w->scratch && dst < w->scratch + sizeof(w->scratch));
		require(len <= (u32)(w->scratch + sizeof(w->scratch) - dst));
	}
}

static inline u8 fuzz_byte(const struct fuzz_space *s, u64 addr)
{
	u32 i;

	for (i = 0; i < s->nr_regions; i++)
		if (addr - s->region[i].start < s->region[i].len)
			return s->region[i].bytes[addr - s->region[i].start];
	return 0;
}

static inline int fuzz_read(void *arg, u64 addr, void *dst, u32 len)
{
	struct fuzz_space *s = arg;
	u64 page;
	u32 i;

	s->nr_reads++;
	require(len > 0);
	fuzz_check_buffer(s, dst, addr, len);
	for (page = addr & ~(UC_PAGE - 1);; page += UC_PAGE) {
		if (!fuzz_page_present(s, page))
			return -1;
		if (page == ((addr + len - 1) & ~(UC_PAGE - 1)))
			break;
	}
	for (i = 0; i < len; i++)
		((u8 *)dst)[i] = fuzz_byte(s, addr + i);
	return 0;
}

static inline int fuzz_map(void *arg, u64 addr, struct uc_map *ret)
{
	struct fuzz_space *s = arg;
	u32 i;

	for (i = 0; i < s->nr_maps; i++) {
		if (addr < s->map[i].start || addr >= s->map[i].end)
			continue;
		*ret = s->map[i];
		return 0;
	}
	return -1;
}

static inline int fuzz_elf(void *arg, const struct uc_map *of, struct uc_map *ret)
{
	struct fuzz_space *s = arg;
	u32 i;

	if (of->flags & UC_MAP_VDSO) {
		*ret = *of;
		return 0;
	}
	for (i = 0; i < s->nr_maps; i++) {
		if (s->map[i].off || s->map[i].id[0] != of->id[0])
			continue;
		*ret = s->map[i];
		return 0;
	}
	return -1;
}

static inline void fuzz_space_init(struct fuzz_space *s, struct uc_walk *w)
{
	memset(s, 0, sizeof(*s));
	s->memory = (struct uc_memory){ .read = fuzz_read, .map = fuzz_map, .elf = fuzz_elf, .arg = s };
	s->walk = w;
	w->port.mem = &s->memory;
}

/* A region that does not wrap around the end of all addresses. */
static inline void fuzz_region(struct fuzz_space *s, u64 start, const u8 *bytes, u64 len)
{
	u32 i = s->nr_regions;

	if (!len || start + len < start)
		return;
	require(i < FUZZ_REGIONS);
	s->region[i].start = start;
	s->region[i].len = len;
	s->region[i].bytes = bytes;
	s->nr_regions++;
}

/* ---- faults ---- */

static inline int fuzz_bring_in_page(struct fuzz_space *s, u64 page)
{
	if (!fuzz_page_exists(s, page))
		return -1;
	if (fuzz_page_present(s, page))
		return 0;
	require(s->nr_present < FUZZ_PAGES);
	s->present[s->nr_present++] = page;
	return 0;
}

/* What the core asks for; not 0 if it can not be had. */
static inline int fuzz_bring_in(struct fuzz_space *s, u64 addr, u32 len)
{
	u64 first = addr & ~(UC_PAGE - 1), last = (addr + len - 1) & ~(UC_PAGE - 1);
	int rc = fuzz_bring_in_page(s, first);

	return fuzz_bring_in_page(s, last) || rc;
}

/* Call a function of the core until it does not ask for memory any more. Each
 * turn brings a page in, or marks one bad: there are few of both. */
#define FUZZ_RETRY(s, w, rc, call)                                                         \
	do {                                                                               \
		u32 turns_ = 0;                                                            \
                                                                                           \
		while (((rc) = (call)) == UC_FAULT) {                                      \
			require(++turns_ <= 2 * FUZZ_PAGES);                               \
			if (fuzz_bring_in(s, (w)->fault_addr, (w)->fault_len) &&           \
			    uc_walk_page_is_bad(w)) {                                      \
				(rc) = UNCOIL_STOP_MEMORY_FAULT;                           \
				break;                                                     \
			}                                                                  \
		}                                                                          \
	} while (0)

/* ---- what is kept between walks ---- */

int uc_port_row_get(struct uc_walk *w, u64 off)
{
	struct fuzz_space *s = w->port.mem->arg;
	u32 i;

	for (i = 0; s->cache_on && i < s->nr_rows; i++) {
		if (s->row[i].id != w->map.id[0] || s->row[i].off != off)
			continue;
		w->packed = s->row[i].row;
		return 0;
	}
	return 1;
}

int uc_port_row_put(struct uc_walk *w, u64 off)
{
	struct fuzz_space *s = w->port.mem->arg;

	if (!s->cache_on || s->nr_rows == FUZZ_ROWS)
		return 1;
	s->row[s->nr_rows].id = w->map.id[0];
	s->row[s->nr_rows].off = off;
	s->row[s->nr_rows++].row = w->packed;
	return 0;
}

int uc_port_bad_get(struct uc_walk *w, u32 what)
{
	struct fuzz_space *s = w->port.mem->arg;
	u32 i;

	for (i = 0; s->cache_on && i < s->nr_bad; i++)
		if (s->bad[i].id == w->map.id[0] && s->bad[i].what == what)
			return uc_malformed(w, s->bad[i].flaw, s->bad[i].at);
	return 0;
}

int uc_port_bad_put(struct uc_walk *w, u32 what)
{
	struct fuzz_space *s = w->port.mem->arg;

	if (!s->cache_on || s->nr_bad == FUZZ_BAD)
		return 1;
	s->bad[s->nr_bad].id = w->map.id[0];
	s->bad[s->nr_bad].what = what;
	s->bad[s->nr_bad].flaw = w->flaw;
	s->bad[s->nr_bad++].at = w->stop_addr;
	return 0;
}

/* ---- invariants ---- */

/* A result of the core that says all there is to say. */
static inline void fuzz_check_stop(const struct uc_walk *w, int rc)
{
	require(rc >= 0 && rc < UNCOIL_STOP_COUNT);
	if (rc == UNCOIL_STOP_MALFORMED || rc == UNCOIL_STOP_UNSUPPORTED)
		require(w->flaw > UNCOIL_FLAW_NONE && w->flaw < UNCOIL_FLAW_COUNT);
	else if (rc == UNCOIL_STOP_NO_REGISTER)
		require(w->flaw & UNCOIL_FLAW_OF_REGISTER);
	else if (rc)
		require(w->flaw == UNCOIL_FLAW_NONE);
}

static inline void fuzz_check_fde(const struct uc_walk *w, u64 pc)
{
	require(pc >= w->fde.start && pc - w->fde.start < w->fde.range);
	require(w->fde.insn >= w->sec.lo && w->fde.insn <= w->fde.insn_end);
	require(w->fde.insn_end <= w->sec.hi);
	require(w->fde.cie_insn >= w->sec.lo && w->fde.cie_insn <= w->fde.cie_insn_end);
	require(w->fde.cie_insn_end <= w->sec.hi);
}

/* The ABI that some bits of the input choose. */
static inline void fuzz_abi(struct uc_walk *w, u32 choice)
{
	uc_abi_set(w, choice < UC_ABI_COUNT ? choice : UC_ABI_X86_64);
}

static inline void fuzz_check_row(const struct uc_walk *w)
{
	u32 i;

	require(w->row.cfa_kind <= UC_CFA_AT_REG && w->row.cfa_reg < w->abi.nr_regs);
	require(w->row.ra_reg < w->abi.nr_regs || w->row.ra_reg == UC_RA_PC);
	require(w->cfi.depth <= UC_CFA_STATES);
	for (i = 0; i < UC_REG_SLOTS; i++)
		require(w->row.kind[i] <= UC_RULE_AT_REGISTER);
}

static inline void fuzz_check_module(const struct uc_walk *w)
{
	require(w->mod.nr_loads <= UC_LOADS_MAX);
	if (!w->mod.table)
		return;
	require(w->mod.row_size == 4 || w->mod.row_size == 8);
	require(w->mod.table >= w->mod.hdr && w->mod.table <= w->mod.hdr_end);
	require(w->mod.rows <= (w->mod.hdr_end - w->mod.table) / (2 * w->mod.row_size));
}

#endif
