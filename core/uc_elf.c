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

/* ELF header and program header fields, by offset (System V gABI); with 32 or
 * 64 where the classes differ. */
enum {
	EH_CLASS = 4,
	EH_DATA = 5,
	EH_MACHINE = 18,
	EH64_PHOFF = 32,
	EH64_PHENTSIZE = 54,
	EH64_PHNUM = 56,
	EH32_PHOFF = 28,
	EH32_PHENTSIZE = 42,
	EH32_PHNUM = 44,
	EH32_SIZE = 52,
	PH_TYPE = 0,
	PH64_FLAGS = 4,
	PH64_OFFSET = 8,
	PH64_VADDR = 16,
	PH64_FILESZ = 32,
	PH64_MEMSZ = 40,
	PH64_SIZE = 56,
	PH32_OFFSET = 4,
	PH32_VADDR = 8,
	PH32_FILESZ = 16,
	PH32_MEMSZ = 20,
	PH32_FLAGS = 24,
	PH32_SIZE = 32,
	PT_LOAD = 1,
	PF_X = 1,
};
#define PT_GNU_EH_FRAME 0x6474e550u
#define PT_GNU_SFRAME 0x6474e554u

/* Fields of what was read to w->scratch. */
static inline u32 uc_elf16(struct uc_walk *w, u32 at)
{
	u16 v;

	memcpy(&v, &w->scratch[at], 2);
	return uc_swap(w) ? __builtin_bswap16(v) : v;
}

static inline u32 uc_elf32(struct uc_walk *w, u32 at)
{
	u32 v;

	memcpy(&v, &w->scratch[at], 4);
	return uc_swap(w) ? __builtin_bswap32(v) : v;
}

static inline u64 uc_elf64(struct uc_walk *w, u32 at)
{
	u64 v;

	memcpy(&v, &w->scratch[at], 8);
	return uc_swap(w) ? __builtin_bswap64(v) : v;
}

/* A field that is as wide as an address. */
static inline u64 uc_elf_addr(struct uc_walk *w, u32 at64, u32 at32)
{
	return w->mod.addr_size == 4 ? uc_elf32(w, at32) : uc_elf64(w, at64);
}

static inline u32 uc_elf_ph_size(const struct uc_walk *w)
{
	return w->mod.addr_size == 4 ? PH32_SIZE : PH64_SIZE;
}

/* Is the file's class one that the ABI can have? An x32 program's files are of
 * x86-64's machine. */
static inline int uc_elf_class_fits(const struct uc_walk *w, u32 class)
{
	if (w->abi.id == UC_ABI_X86_64 || w->abi.id == UC_ABI_X32)
		return class == 1 || class == 2;
	return class == (w->abi.addr_size == 4 ? 1 : 2);
}

/* Read the ELF header; check that it is of our kind. The smaller class's size
 * is enough to tell which it is; what is needed of the other is read then. */
static inline int uc_elf_header(struct uc_walk *w, u64 base, u64 *phoff, u32 *phnum)
{
	const u8 *eh = w->scratch;
	u32 size;

	if (uc_port_read(w, w->scratch, EH32_SIZE, base))
		return uc_read_failed(w, base, EH32_SIZE);
	if (eh[0] != 0x7f || eh[1] != 'E' || eh[2] != 'L' || eh[3] != 'F')
		return UNCOIL_STOP_NO_SECTION;
	if (!uc_elf_class_fits(w, eh[EH_CLASS]) || eh[EH_DATA] != (uc_big_endian(w) ? 2 : 1) ||
	    uc_elf16(w, EH_MACHINE) != w->abi.machine)
		return uc_unsupported(w, UNCOIL_FLAW_ABI, base);
	w->mod.addr_size = eh[EH_CLASS] == 1 ? 4 : 8;
	*phoff = uc_elf_addr(w, EH64_PHOFF, EH32_PHOFF);
	if (w->mod.addr_size == 4) {
		size = uc_elf16(w, EH32_PHENTSIZE);
		*phnum = uc_elf16(w, EH32_PHNUM);
	} else {
		if (uc_port_read(w, w->scratch, 8, base + EH64_PHENTSIZE - 4))
			return uc_read_failed(w, base + EH64_PHENTSIZE - 4, 8);
		size = uc_elf16(w, 4);
		*phnum = uc_elf16(w, 4 + EH64_PHNUM - EH64_PHENTSIZE);
	}
	if (size != uc_elf_ph_size(w))
		return uc_malformed(w, UNCOIL_FLAW_ELF_HEADER,
				    base + (w->mod.addr_size == 4 ? EH32_PHENTSIZE : EH64_PHENTSIZE));
	return 0;
}

static inline void uc_elf_keep_load(struct uc_walk *w)
{
	struct uc_load *l = &w->mod.load[w->mod.nr_loads & (UC_LOADS_MAX - 1)];

	if (w->mod.nr_loads >= UC_LOADS_MAX)
		return;
	l->vaddr = uc_elf_addr(w, PH64_VADDR, PH32_VADDR);
	l->filesz = uc_elf_addr(w, PH64_FILESZ, PH32_FILESZ);
	l->off = uc_elf_addr(w, PH64_OFFSET, PH32_OFFSET);
	l->exec = uc_elf32(w, w->mod.addr_size == 4 ? PH32_FLAGS : PH64_FLAGS) & PF_X;
	w->mod.nr_loads++;
}

/* The program header in w->scratch. */
static inline void uc_elf_segment(struct uc_walk *w)
{
	u64 vaddr = uc_elf_addr(w, PH64_VADDR, PH32_VADDR);
	u64 end = vaddr + uc_elf_addr(w, PH64_MEMSZ, PH32_MEMSZ);

	switch (uc_elf32(w, PH_TYPE)) {
	case PT_LOAD:
		uc_elf_keep_load(w);
		break;
	case PT_GNU_EH_FRAME:
		w->mod.hdr = vaddr;
		w->mod.hdr_end = end;
		break;
	case PT_GNU_SFRAME:
		w->mod.sframe = vaddr;
		w->mod.sframe_end = end;
		break;
	}
}

/* Read the program headers: the segments, and the unwind sections as ELF
 * addresses. */
UC_FN_LOCAL int uc_elf_segments(UC_WALK, u64 base, u64 size)
{
	u64 phoff = 0;
	u32 phnum = 0, i;
	int rc;

	rc = uc_elf_header(w, base, &phoff, &phnum);
	if (rc)
		return rc;
	if (phoff > size || phnum * (u64)uc_elf_ph_size(w) > size - phoff)
		return uc_malformed(w, UNCOIL_FLAW_ELF_HEADER,
				    base + (w->mod.addr_size == 4 ? EH32_PHOFF : EH64_PHOFF));
	UC_FOR(i, UC_PHDRS_MAX)
	{
		u32 len = uc_elf_ph_size(w);
		u64 at = base + phoff + (u64)i * len;

		if (i >= phnum)
			break;
		if (uc_port_read_window(w, w->scratch, len, at, PH64_SIZE))
			return uc_read_failed(w, at, len);
		uc_elf_segment(w);
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
 * Bound w->sec by the segment and the mapping around a run-time address,
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
		w->sec.lo = lo > w->found.start ? lo : w->found.start;
		w->sec.hi = hi < w->found.end ? hi : w->found.end;
		w->mod.pristine &= !!(w->found.flags & UC_MAP_PRISTINE);
		return 0;
	}
	return UNCOIL_STOP_NO_SECTION;
}

/* Is a run-time address in an executable segment? */
UC_FN int uc_elf_is_code(UC_WALK, u64 addr)
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
	if (w->mod.hdr_end > w->sec.hi || w->mod.hdr_end < w->mod.hdr)
		w->mod.hdr_end = w->sec.hi;
	if (uc_port_bad_get(w, UC_BAD_HDR))
		return UNCOIL_STOP_MALFORMED;
	rc = uc_hdr_open(w);
	if (rc == UNCOIL_STOP_MALFORMED)
		uc_port_bad_put(w, UC_BAD_HDR);
	if (rc)
		return rc;
	if (w->mod.eh_frame < w->sec.lo || w->mod.eh_frame >= w->sec.hi)
		rc = uc_elf_bounds(w, w->mod.eh_frame);
	return rc;
}

/* .sframe by PT_GNU_SFRAME, whose size is too large in some linkers' files
 * (formats sheet 5.2): its own header bounds it. */
static inline int uc_module_sframe(struct uc_walk *w)
{
	int rc;

	w->mod.sframe += w->mod.bias;
	w->mod.sframe_end += w->mod.bias;
	rc = uc_elf_bounds(w, w->mod.sframe);
	if (rc == UC_FAULT)
		return rc;
	if (rc || w->mod.sframe_end == w->mod.sframe)
		w->mod.sframe = 0; /* or empty: some start files' are */
	else if (w->mod.sframe_end > w->sec.hi || w->mod.sframe_end < w->mod.sframe)
		w->mod.sframe_end = w->sec.hi;
	return 0;
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
	if (!w->mod.rows || w->mod.eh_frame < w->sec.lo || w->mod.eh_frame >= w->sec.hi)
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
	u64 pos = w->sec.lo;
	u32 i;

	UC_FOR(i, UC_SEARCH_CANDIDATES)
	{
		int rc = uc_search_next(w, UC_SEARCH_CIE, pos, w->sec.hi);

		if (rc)
			return rc;
		pos = w->value + 4;
		w->mod.eh_frame = w->value;
		w->sec.lo = w->value;
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

	w->sec.lo = w->map.start;
	w->sec.hi = w->map.end;
	w->mod.pristine = !!(w->map.flags & UC_MAP_PRISTINE);
	UC_FOR(i, UC_SEARCH_CANDIDATES)
	{
		int rc = uc_search_next(w, UC_SEARCH_HDR, pos, w->sec.hi);

		if (rc == UC_FAULT)
			return rc;
		if (rc)
			break;
		pos = w->value + 4;
		w->mod.hdr = w->value;
		w->mod.hdr_end = w->sec.hi;
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
	w->mod.placed = 1;
	if (w->mod.sframe) {
		rc = uc_module_sframe(w);
		if (rc)
			return rc;
	}
	if (w->mod.hdr)
		return uc_module_by_hdr(w);
	return w->mod.sframe ? UNCOIL_STOP_NO_SECTION : uc_module_by_look(w);
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
	w->mod.lo = 0;
	w->mod.hi = 0;
	w->mod.sframe = 0;
	w->mod.sf.open = 0;
	w->mod.placed = 0;
	w->mod.addr_size = w->abi.addr_size;
	w->sec.debug = 0;
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
	if (!rc) {
		w->mod.lo = w->sec.lo;
		w->mod.hi = w->sec.hi;
	}
	if (rc == UNCOIL_STOP_NO_SECTION) /* what a lookalike lacked is no flaw */
		uc_fail(w, rc, 0, w->map.start);
	w->mod.stop = (u8)rc;
	w->mod.start = w->map.start;
	w->mod.end = w->map.end;
	return rc;
}
