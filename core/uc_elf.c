/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a mapping to its unwind section, by what the process has mapped: ELF
 * header, program headers, PT_GNU_EH_FRAME; failing that, by the section's
 * own look.
 *
 * The bias comes from the segment that the mapping shows, never from the
 * place of the ELF header: segments of one file may differ in (address -
 * offset), and there may be several executable ones.
 */
#include "uc_core.h"

/* ELF-64 header and program header fields, by offset (System V gABI). */
enum {
	EH_CLASS = 4,
	EH_DATA = 5,
	EH_MACHINE = 18,
	EH_PHOFF = 32,
	EH_PHENTSIZE = 54,
	EH_PHNUM = 56,
	EH_SIZE = 64,
	PH_TYPE = 0,
	PH_FLAGS = 4,
	PH_OFFSET = 8,
	PH_VADDR = 16,
	PH_FILESZ = 32,
	PH_MEMSZ = 40,
	PH_SIZE = 56,
	PT_LOAD = 1,
	PF_X = 1,
};
#define PT_GNU_EH_FRAME 0x6474e550u
#define ELF_MAGIC 0x464c457fu /* "\177ELF" */

static inline u16 field16(const u8 *p)
{
	u16 v;

	memcpy(&v, p, 2);
	return v;
}

static inline u32 field32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, 4);
	return v;
}

static inline u64 field64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, 8);
	return v;
}

/* Read the ELF header; check that it is of our kind. */
static inline int uc_elf_header(struct uc_walk *w, u64 base, u64 *phoff, u32 *phnum)
{
	const u8 *eh = w->scratch;

	if (uc_port_read(w, w->scratch, EH_SIZE, base))
		return uc_read_failed(w, base, EH_SIZE);
	if (field32(eh) != ELF_MAGIC)
		return UNCOIL_STOP_NO_SECTION;
	if (eh[EH_CLASS] != 2 || eh[EH_DATA] != 1 || field16(eh + EH_MACHINE) != UC_ELF_MACHINE)
		return uc_unsupported(w, UNCOIL_FLAW_ABI, base);
	if (field16(eh + EH_PHENTSIZE) != PH_SIZE)
		return uc_malformed(w, UNCOIL_FLAW_ELF_HEADER, base + EH_PHENTSIZE);
	*phoff = field64(eh + EH_PHOFF);
	*phnum = field16(eh + EH_PHNUM);
	return 0;
}

static inline void uc_elf_keep_load(struct uc_walk *w, const u8 *ph)
{
	struct uc_load *l = &w->mod.load[w->mod.nr_loads & (UC_LOADS_MAX - 1)];

	if (w->mod.nr_loads >= UC_LOADS_MAX)
		return;
	l->vaddr = field64(ph + PH_VADDR);
	l->filesz = field64(ph + PH_FILESZ);
	l->off = field64(ph + PH_OFFSET);
	l->exec = field32(ph + PH_FLAGS) & PF_X;
	w->mod.nr_loads++;
}

/* Read the program headers: the segments, and .eh_frame_hdr as an ELF address. */
UC_FN_LOCAL int uc_elf_segments(UC_WALK, u64 base, u64 size)
{
	u64 phoff = 0;
	u32 phnum = 0, i;
	int rc;

	rc = uc_elf_header(w, base, &phoff, &phnum);
	if (rc)
		return rc;
	if (phoff > size || phnum * (u64)PH_SIZE > size - phoff)
		return uc_malformed(w, UNCOIL_FLAW_ELF_HEADER, base + EH_PHOFF);
	UC_FOR(i, UC_PHDRS_MAX)
	{
		u64 at = base + phoff + (u64)i * PH_SIZE;

		if (i >= phnum)
			break;
		if (uc_port_read(w, w->scratch, PH_SIZE, at))
			return uc_read_failed(w, at, PH_SIZE);
		if (field32(w->scratch) == PT_LOAD) {
			uc_elf_keep_load(w, w->scratch);
		} else if (field32(w->scratch) == PT_GNU_EH_FRAME) {
			w->mod.hdr = field64(w->scratch + PH_VADDR);
			w->mod.hdr_end = w->mod.hdr + field64(w->scratch + PH_MEMSZ);
		}
	}
	return 0;
}

/*
 * The bias by the segment whose pages hold the mapping's file offset. Where
 * two segments share a file page, the executable one is meant.
 */
UC_FN_LOCAL int uc_elf_bias(UC_WALK)
{
	u32 i, hit = 0;

	UC_FOR(i, UC_LOADS_MAX)
	{
		const struct uc_load *l = &w->mod.load[i & (UC_LOADS_MAX - 1)];
		u64 first = l->off & ~(UC_PAGE - 1);

		if (i >= w->mod.nr_loads)
			break;
		if (w->map.off < first || w->map.off >= l->off + l->filesz)
			continue;
		if (!hit || l->exec)
			w->mod.bias = w->map.start - w->map.off + l->off - l->vaddr;
		hit = 1;
	}
	return hit ? 0 : UNCOIL_STOP_NO_SECTION;
}

/*
 * Bound [lo, hi) by the segment and the mapping around a run-time address,
 * which must show the same file at the place that the headers say. Nothing
 * outside is ever read as unwind data.
 */
UC_FN_LOCAL int uc_elf_bounds(UC_WALK, u64 addr)
{
	u64 vaddr = addr - w->mod.bias;
	u32 i;

	if (uc_port_map(w, addr))
		return UNCOIL_STOP_NO_SECTION;
	if (w->found.id[0] != w->map.id[0] || w->found.id[1] != w->map.id[1])
		return UNCOIL_STOP_NO_SECTION;
	UC_FOR(i, UC_LOADS_MAX)
	{
		const struct uc_load *l = &w->mod.load[i & (UC_LOADS_MAX - 1)];
		u64 lo, hi;

		if (i >= w->mod.nr_loads)
			break;
		if (vaddr < l->vaddr || vaddr - l->vaddr >= l->filesz)
			continue;
		if (w->found.off + (addr - w->found.start) != l->off + (vaddr - l->vaddr))
			continue;
		lo = l->vaddr + w->mod.bias;
		hi = lo + l->filesz;
		w->mod.lo = lo > w->found.start ? lo : w->found.start;
		w->mod.hi = hi < w->found.end ? hi : w->found.end;
		w->mod.pristine &= !!(w->found.flags & UC_MAP_PRISTINE);
		return 0;
	}
	return UNCOIL_STOP_NO_SECTION;
}

/* Is a run-time address in an executable segment? */
UC_FN_LOCAL int uc_elf_is_code(UC_WALK, u64 addr)
{
	u64 vaddr = addr - w->mod.bias;
	u32 i;

	UC_FOR(i, UC_LOADS_MAX)
	{
		const struct uc_load *l = &w->mod.load[i & (UC_LOADS_MAX - 1)];

		if (i >= w->mod.nr_loads)
			break;
		if (l->exec && vaddr >= l->vaddr && vaddr - l->vaddr < l->filesz)
			return 1;
	}
	return 0;
}

/* .eh_frame by PT_GNU_EH_FRAME. Linkers put it beside its header, or not. */
static inline int uc_module_by_hdr(struct uc_walk *w)
{
	int rc;

	w->mod.hdr += w->mod.bias;
	w->mod.hdr_end += w->mod.bias;
	rc = uc_elf_bounds(w, w->mod.hdr);
	if (rc)
		return rc;
	if (w->mod.hdr_end > w->mod.hi || w->mod.hdr_end < w->mod.hdr)
		w->mod.hdr_end = w->mod.hi;
	rc = uc_hdr_open(w);
	if (rc)
		return rc;
	if (w->mod.eh_frame < w->mod.lo || w->mod.eh_frame >= w->mod.hi)
		rc = uc_elf_bounds(w, w->mod.eh_frame);
	return rc;
}

/*
 * A header that was found by its look: it must lead to a first record that
 * is of the code that its table says.
 */
static inline int uc_hdr_try(struct uc_walk *w)
{
	int rc = uc_hdr_open(w);

	if (rc)
		return rc;
	if (!w->mod.rows || w->mod.eh_frame < w->mod.lo || w->mod.eh_frame >= w->mod.hi)
		return UNCOIL_STOP_NO_SECTION;
	rc = uc_table_row(w, 0);
	if (rc)
		return rc;
	rc = uc_fde_read(w, w->tab_fde);
	if (rc)
		return rc;
	return w->fde.start == w->tab_loc ? 0 : UNCOIL_STOP_NO_SECTION;
}

/* Records found by their look: a CIE, and behind it an FDE of its own that is
 * of code in this file. */
static inline int uc_eh_frame_try(struct uc_walk *w)
{
	u64 next;
	int rc = uc_cie_read(w, w->mod.eh_frame);

	if (rc)
		return rc;
	next = w->cur.end;
	rc = uc_fde_read(w, next);
	if (rc)
		return rc;
	return uc_elf_is_code(w, w->fde.start) ? 0 : UNCOIL_STOP_NO_SECTION;
}

/* The first records in [lo, hi) that look like .eh_frame and prove to be. */
static inline int uc_module_search(struct uc_walk *w)
{
	u64 pos = w->mod.lo;
	u32 i;

	UC_FOR(i, UC_SEARCH_CANDIDATES)
	{
		int rc = uc_search_next(w, UC_SEARCH_CIE, pos, w->mod.hi);

		if (rc)
			return rc;
		pos = w->value + 4;
		w->mod.eh_frame = w->value;
		w->mod.lo = w->value;
		rc = uc_eh_frame_try(w);
		if (!rc || rc == UC_FAULT)
			return rc;
	}
	return UNCOIL_STOP_NO_SECTION;
}

/*
 * A file without PT_GNU_EH_FRAME may have .eh_frame all the same: a static
 * program that is not position independent, for one. Only its section headers
 * name it, and they are not mapped; so look for it in the segments.
 */
static inline int uc_module_by_look(struct uc_walk *w)
{
	u32 i;

	UC_FOR(i, UC_LOADS_MAX)
	{
		const struct uc_load *l = &w->mod.load[i & (UC_LOADS_MAX - 1)];
		int rc;

		if (i >= w->mod.nr_loads)
			break;
		if (!l->filesz || uc_elf_bounds(w, l->vaddr + w->mod.bias))
			continue;
		rc = uc_module_search(w);
		if (rc != UNCOIL_STOP_NO_SECTION)
			return rc;
	}
	return UNCOIL_STOP_NO_SECTION;
}

/*
 * No ELF header is mapped: the mapping itself may have the section, as one
 * that was linked by a script of its own. Within one mapping distances are the
 * file's, so what is found holds for every process.
 */
static inline int uc_module_without_elf(struct uc_walk *w)
{
	u64 pos = w->map.start;
	u32 i;

	w->mod.lo = w->map.start;
	w->mod.hi = w->map.end;
	w->mod.pristine = !!(w->map.flags & UC_MAP_PRISTINE);
	UC_FOR(i, UC_SEARCH_CANDIDATES)
	{
		int rc = uc_search_next(w, UC_SEARCH_HDR, pos, w->mod.hi);

		if (rc == UC_FAULT)
			return rc;
		if (rc)
			break;
		pos = w->value + 4;
		w->mod.hdr = w->value;
		w->mod.hdr_end = w->mod.hi;
		rc = uc_hdr_try(w);
		if (!rc || rc == UC_FAULT)
			return rc;
	}
	w->mod.table = 0;
	return UNCOIL_STOP_NO_SECTION;
}

static inline int uc_module_load(struct uc_walk *w)
{
	int rc;

	if (!(w->map.flags & (UC_MAP_FILE | UC_MAP_VDSO)))
		return UNCOIL_STOP_NO_SECTION;
	if (uc_port_elf(w))
		return uc_module_without_elf(w);
	w->mod.elf = w->found.start;
	w->mod.pristine = !!(w->found.flags & UC_MAP_PRISTINE);
	rc = uc_elf_segments(w, w->found.start, w->found.end - w->found.start);
	if (rc)
		return rc;
	rc = uc_elf_bias(w);
	if (rc)
		return rc;
	return w->mod.hdr ? uc_module_by_hdr(w) : uc_module_by_look(w);
}

UC_FN int uc_module_find(UC_WALK)
{
	int rc;

	if (w->mod.end && w->mod.start == w->map.start && w->mod.end == w->map.end) {
		if (w->mod.stop)
			w->stop_addr = w->map.start;
		return w->mod.stop;
	}
	w->mod.end = 0; /* not valid until all of it is known */
	w->mod.nr_loads = 0;
	w->mod.elf = 0;
	w->mod.hdr = 0;
	w->mod.hdr_end = 0;
	w->mod.table = 0;
	w->mod.rows = 0;
	w->mod.checked = 0;
	w->mod.bias = 0;
	w->stop_addr = w->map.start;
	rc = uc_module_load(w);
	if (rc == UC_FAULT)
		return rc;
	if (rc == UNCOIL_STOP_NO_SECTION) /* what a lookalike lacked is no flaw */
		uc_fail(w, rc, 0, w->map.start);
	w->mod.stop = (u8)rc;
	w->mod.start = w->map.start;
	w->mod.end = w->map.end;
	return rc;
}
