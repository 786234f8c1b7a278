/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .eh_frame_hdr and .eh_frame: from an address to the FDE that covers it (LSB
 * Core, "Exception Frames"). The sections are read where the process has them
 * mapped, and trusted in nothing.
 */
#include "uc_core.h"
#include "uc_dwarf.h"

/* Is this encoding one that rows of a search table can have? Gives their size. */
static inline u32 uc_table_row_size(u32 enc)
{
	switch (enc) {
	case UC_PE_DATAREL | UC_PE_SDATA4:
		return 4;
	case UC_PE_DATAREL | UC_PE_SDATA8:
	case UC_PE_DATAREL | UC_PE_UDATA8:
		return 8;
	}
	return 0;
}

/*
 * Read .eh_frame_hdr. A table that is absent, of an unusual encoding or
 * larger than the section leaves rows at 0: .eh_frame is scanned then.
 */
UC_FN int uc_hdr_open(UC_WALK)
{
	u64 hdr = w->mod.hdr, count;
	u32 ptr_enc, count_enc, table_enc, size;

	w->fde.start = 0; /* no function is a base here */
	uc_cur_set(w, hdr, w->mod.hdr_end);
	w->cur.win_len = 0;
	if (uc_cur_u8(w) != 1 && !w->cur.error)
		return uc_malformed(w, UNCOIL_FLAW_HDR_VERSION, hdr);
	ptr_enc = uc_cur_u8(w);
	count_enc = uc_cur_u8(w);
	table_enc = uc_cur_u8(w);
	if (w->cur.error)
		return w->cur.error;
	if (ptr_enc == UC_PE_OMIT)
		return uc_malformed(w, UNCOIL_FLAW_HDR_ENCODING, hdr + 1);
	w->mod.eh_frame = uc_cur_ptr(w, ptr_enc);
	if (w->cur.error)
		return w->cur.error;
	size = uc_table_row_size(table_enc);
	/* Where the records are hangs on more than the file: share no row. */
	if (w->impure)
		w->mod.pristine = 0;
	if (count_enc == UC_PE_OMIT || !size)
		return 0;
	count = uc_cur_ptr_size(w, count_enc);
	if (w->cur.error)
		return w->cur.error;
	if (w->cur.pos > w->mod.hdr_end || count > (w->mod.hdr_end - w->cur.pos) / (2 * size))
		return 0;
	w->mod.table = w->cur.pos;
	w->mod.rows = (u32)count;
	w->mod.row_size = (u8)size;
	return 0;
}

/*
 * Open the record at addr: the cursor stands at its id field and ends with
 * the record.
 */
static inline int uc_record_open(struct uc_walk *w, u64 addr)
{
	u64 len;

	if (addr < w->sec.lo || addr >= w->sec.hi)
		return uc_malformed(w, UNCOIL_FLAW_RECORD_LENGTH, addr);
	uc_cur_set(w, addr, w->sec.hi);
	len = uc_cur_uint(w, 4);
	w->record64 = len == 0xffffffff;
	if (len == 0xffffffff)
		len = uc_cur_uint(w, 8);
	else if (len >= 0xfffffff0)
		return uc_malformed(w, UNCOIL_FLAW_RECORD_LENGTH, addr);
	if (w->cur.error)
		return w->cur.error;
	if (!len)
		return UC_RECORD_END;
	if (len > w->sec.hi - w->cur.pos || len < 4)
		return uc_malformed(w, UNCOIL_FLAW_RECORD_LENGTH, addr);
	w->cur.end = w->cur.pos + len;
	return 0;
}

/* Augmentation letters whose data, if any, is one encoded value. */
static inline int uc_cie_letter(struct uc_walk *w, u8 letter)
{
	u32 enc;

	switch (letter) {
	case 'R':
		w->fde.addr_enc = uc_cur_u8(w);
		return 1;
	case 'P':
		enc = uc_cur_u8(w);
		/* Only to be skipped: never follow it. */
		if (enc != UC_PE_OMIT)
			uc_cur_ptr(w, (enc & UC_PE_APPLICATION) == UC_PE_ALIGNED ?
					      UC_PE_ALIGNED :
					      enc & UC_PE_FORMAT);
		return 1;
	case 'L':
		uc_cur_u8(w);
		return 1;
	case 'S':
		w->fde.signal = 1;
		return 1;
	case 'B': /* aarch64: return addresses signed with key B */
	case 'G': /* aarch64: memory tagging; no effect on unwinding */
		return 1;
	}
	return 0;
}

/* The data behind the letters of a 'z' augmentation string. */
static inline void uc_cie_augmentation(struct uc_walk *w, u32 letters)
{
	u64 len = uc_cur_uleb(w), end;
	u32 impure = w->impure;
	u32 i;

	if (w->cur.error)
		return;
	if (len > w->cur.end - w->cur.pos) {
		uc_cur_fail(w, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_AUGMENTATION);
		return;
	}
	end = w->cur.pos + len;
	UC_FOR(i, 16)
	{
		if (i >= letters)
			break;
		/* The layout after an unknown letter is unknown, its end is not. */
		if (i && !uc_cie_letter(w, w->scratch[i & 15]))
			break;
		if (w->cur.error)
			return;
	}
	w->cur.pos = end;
	w->impure = impure; /* the personality's place does not matter */
}

/* Read the augmentation string to w->scratch. Returns its length, or 17. */
static inline u32 uc_cie_string(struct uc_walk *w)
{
	u32 i, n = 17;

	UC_FOR(i, 17)
	{
		u8 c = uc_cur_u8(w);

		if (w->cur.error)
			break;
		if (!c) {
			n = i;
			break;
		}
		w->scratch[i & 31] = c;
	}
	return n;
}

/* The id field of a CIE: 0 in .eh_frame, all ones in .debug_frame. */
static inline u64 uc_cie_id(const struct uc_walk *w)
{
	if (!w->sec.debug)
		return 0;
	return w->id_size == 8 ? ~0ull : 0xffffffff;
}

/* UC_RECORD_* of the record at addr; what comes after it, to w->value. */
UC_FN int uc_record_look(UC_WALK, u64 addr)
{
	u64 id;
	int rc = uc_record_open(w, addr);

	w->value = rc == UC_RECORD_END ? w->cur.pos : w->cur.end;
	if (rc)
		return rc;
	w->id_size = w->record64 && w->sec.debug ? 8 : 4;
	id = uc_cur_uint(w, w->id_size);
	if (w->cur.error)
		return w->cur.error;
	return id == uc_cie_id(w) ? UC_RECORD_CIE : UC_RECORD_FDE;
}

UC_FN int uc_cie_read(UC_WALK, u64 cie)
{
	u32 version, letters;
	u64 id;
	int rc;

	if (uc_port_is_frozen(w))
		w->fde.cie = UC_CIE_NONE;
	rc = uc_record_open(w, cie);
	if (rc == UC_RECORD_END)
		return uc_malformed(w, UNCOIL_FLAW_CIE_POINTER, cie);
	if (rc)
		return rc;
	w->id_size = w->record64 && w->sec.debug ? 8 : 4;
	id = uc_cur_uint(w, w->id_size);
	if (w->cur.error)
		return w->cur.error;
	if (id != uc_cie_id(w))
		return uc_malformed(w, UNCOIL_FLAW_CIE_POINTER, cie);
	version = uc_cur_u8(w);
	if (w->record64 && !w->sec.debug && !version) { /* the id's upper half */
		uc_cur_uint(w, 3);
		version = uc_cur_u8(w);
		w->id_size = 8;
	}
	if (version != 1 && version != 3 && version != 4)
		return w->cur.error ? w->cur.error : uc_unsupported(w, UNCOIL_FLAW_CIE_VERSION, cie);
	w->fde.addr_enc = UC_PE_ABSPTR;
	w->fde.signal = 0;
	letters = uc_cie_string(w);
	w->fde.has_z = letters && letters < 17 && w->scratch[0] == 'z';
	if (letters == 2 && w->scratch[0] == 'e' && w->scratch[1] == 'h')
		uc_cur_uint(w, w->mod.addr_size); /* g++ 2.x: a pointer to its tables */
	else if (letters && !w->fde.has_z)
		return w->cur.error ? w->cur.error
				    : uc_unsupported(w, UNCOIL_FLAW_AUGMENTATION, cie);
	if (version == 4) {
		u32 addr_size = uc_cur_u8(w), seg_size = uc_cur_u8(w);

		if (!w->cur.error && (addr_size != w->mod.addr_size || seg_size))
			return uc_unsupported(w, UNCOIL_FLAW_CIE_VERSION, cie);
	}
	w->fde.code_align = uc_cur_uleb(w);
	w->fde.data_align = uc_cur_sleb(w);
	id = version == 1 ? uc_cur_u8(w) : uc_cur_uleb(w);
	w->fde.ra_reg = id < ~0u ? (u32)id : ~0u;
	if (w->fde.has_z)
		uc_cie_augmentation(w, letters);
	w->fde.cie_insn = w->cur.pos;
	w->fde.cie_insn_end = w->cur.end;
	if (uc_port_is_frozen(w) && !w->cur.error)
		w->fde.cie = cie;
	return w->cur.error;
}

/* The CIE to w->fde, which may have it already: neighbours share it. */
static inline int uc_cie_need(struct uc_walk *w, u64 cie)
{
	if (uc_port_is_frozen(w) && w->fde.cie == cie)
		return 0;
	return uc_cie_read(w, cie);
}

/*
 * The CIE of the FDE whose id field is at id_pos. In the 64-bit format the
 * field has 4 bytes by the LSB and 8 by some readers: take what leads to a CIE.
 */
static inline int uc_fde_cie(struct uc_walk *w, u64 id_pos, u32 *id_size)
{
	u32 is64 = w->record64; /* reading the CIE changes it */
	u64 delta, cie;
	int rc;

	if (w->sec.debug) { /* an offset in the section */
		*id_size = is64 ? 8 : 4;
		delta = uc_cur_uint(w, *id_size);
		if (w->cur.error)
			return w->cur.error;
		if (delta >= w->sec.hi - w->sec.lo)
			return uc_malformed(w, UNCOIL_FLAW_CIE_POINTER, id_pos);
		return uc_cie_need(w, w->sec.lo + delta);
	}
	delta = uc_cur_uint(w, 4);
	cie = id_pos - delta;

	*id_size = 4;
	if (w->cur.error)
		return w->cur.error;
	if (!delta || cie < w->sec.lo || cie > id_pos)
		return uc_malformed(w, UNCOIL_FLAW_CIE_POINTER, id_pos);
	rc = uc_cie_need(w, cie);
	*id_size = w->id_size;
	if (rc != UNCOIL_STOP_MALFORMED || !is64)
		return rc;
	uc_cur_set(w, id_pos, w->sec.hi);
	cie = id_pos - uc_cur_uint(w, 8);
	*id_size = 8;
	if (w->cur.error)
		return w->cur.error;
	if (cie < w->sec.lo || cie > id_pos)
		return uc_malformed(w, UNCOIL_FLAW_CIE_POINTER, id_pos);
	return uc_cie_need(w, cie);
}

/* Read the FDE at addr with its CIE to w->fde. */
UC_FN int uc_fde_read(UC_WALK, u64 addr)
{
	u64 id_pos, end;
	u32 id_size = 0;
	int rc;

	rc = uc_record_open(w, addr);
	if (rc == UC_RECORD_END)
		return uc_malformed(w, UNCOIL_FLAW_RECORD_LENGTH, addr);
	if (rc)
		return rc;
	id_pos = w->cur.pos;
	end = w->cur.end;
	rc = uc_fde_cie(w, id_pos, &id_size);
	if (rc)
		return rc;
	uc_cur_set(w, id_pos + id_size, end);
	w->fde.start = 0; /* a start relative to itself has no base */
	w->fde.start = uc_cur_ptr(w, w->fde.addr_enc);
	w->fde.range = uc_cur_ptr_size(w, w->fde.addr_enc & UC_PE_FORMAT);
	if (w->fde.has_z) {
		u64 len = uc_cur_uleb(w);

		if (!w->cur.error && len > w->cur.end - w->cur.pos)
			return uc_malformed(w, UNCOIL_FLAW_AUGMENTATION, w->cur.pos);
		w->cur.pos += len;
	}
	w->fde.insn = w->cur.pos;
	w->fde.insn_end = end;
	return w->cur.error;
}

/* Row i of the search table, to w->tab_loc and w->tab_fde. */
UC_FN int uc_table_row(UC_WALK, u32 i)
{
	u64 at = w->mod.table;

	if (w->mod.row_size == 8) {
		at += (u64)i * 16;
		if (uc_port_read(w, w->scratch, 16, at))
			return uc_read_failed(w, at, 16);
		memcpy(&w->tab_loc, w->scratch, 8);
		memcpy(&w->tab_fde, w->scratch + 8, 8);
		w->tab_loc = uc_word(w, w->tab_loc, 8);
		w->tab_fde = uc_word(w, w->tab_fde, 8);
	} else {
		u32 pair[2];

		at += (u64)i * 8;
		if (uc_port_read(w, w->scratch, 8, at))
			return uc_read_failed(w, at, 8);
		memcpy(pair, w->scratch, 8);
		if (uc_swap(w)) {
			pair[0] = __builtin_bswap32(pair[0]);
			pair[1] = __builtin_bswap32(pair[1]);
		}
		w->tab_loc = (u64)(s64)(s32)pair[0];
		w->tab_fde = (u64)(s64)(s32)pair[1];
	}
	w->tab_loc = (w->tab_loc + w->mod.hdr) & uc_addr_mask(w);
	w->tab_fde = (w->tab_fde + w->mod.hdr) & uc_addr_mask(w);
	return 0;
}

/*
 * Index of the last row with location <= pc, plus 1; 0 if there is none, or
 * a negative number on a failure whose reason is in w->value. Every probe
 * must lie between the bounds found so far, or the table is not sorted.
 */
UC_FN_LOCAL s64 uc_table_search(UC_WALK, u64 pc)
{
	u64 below = 0, above = ~0ull;
	u32 lo = 0, hi = w->mod.rows, i;

	UC_FOR(i, UC_SEARCH_PROBES)
	{
		u32 mid = lo + (hi - lo) / 2;
		u64 loc;
		int rc;

		if (lo >= hi)
			break;
		rc = uc_table_row(w, mid);
		loc = w->tab_loc;
		if (!rc && (loc < below || loc > above))
			rc = uc_malformed(w, UNCOIL_FLAW_HDR_UNSORTED, w->mod.hdr);
		if (rc) {
			w->value = (u64)(s64)rc;
			return -1;
		}
		if (loc <= pc) {
			lo = mid + 1;
			below = loc;
		} else {
			hi = mid;
			above = loc;
		}
	}
	return lo;
}

/*
 * Look pc up in the table. Entries may overlap, repeat or be empty, so rows
 * before the last that starts at or below pc are tried, too.
 */
UC_FN int uc_fde_by_table(UC_WALK, u64 pc)
{
	s64 at = uc_table_search(w, pc);
	u32 back;

	if (at < 0)
		return (int)w->value;
	UC_FOR(back, UC_SEARCH_BACK)
	{
		int rc;

		if ((s64)back >= at)
			break;
		rc = uc_table_row(w, (u32)(at - 1 - back));
		if (rc)
			return rc;
		rc = uc_fde_read(w, w->tab_fde);
		if (rc)
			return rc;
		if (uc_fde_covers(w, pc))
			return 0;
	}
	return uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, pc);
}

/*
 * Is the whole table in order? A search in one that is not may miss an entry
 * without noticing, so a miss is believed only after this was asked once.
 */
UC_FN int uc_table_check(UC_WALK)
{
	u32 i;

	if (w->mod.checked)
		return w->mod.checked == UC_TABLE_SORTED ?
			       0 :
			       uc_malformed(w, UNCOIL_FLAW_HDR_UNSORTED, w->mod.hdr);
	uc_cur_set(w, w->mod.table, w->mod.hdr_end);
	w->value = 0;
	UC_FOR(i, UC_TABLE_ROWS)
	{
		u64 loc;

		if (i >= w->mod.rows)
			break;
		loc = uc_cur_uint(w, w->mod.row_size);
		uc_cur_uint(w, w->mod.row_size);
		if (w->cur.error)
			return w->cur.error;
		/* Signed numbers compare like unsigned ones with their sign flipped. */
		loc ^= w->mod.row_size == 8 ? 1ull << 63 : 1ull << 31;
		if (loc < w->value) {
			w->mod.checked = UC_TABLE_UNSORTED;
			uc_malformed(w, UNCOIL_FLAW_HDR_UNSORTED, w->mod.hdr);
			uc_port_bad_put(w, UC_BAD_TABLE);
			return UNCOIL_STOP_MALFORMED;
		}
		w->value = loc;
	}
	w->mod.checked = UC_TABLE_SORTED;
	return 0;
}

/*
 * Look pc up by visiting all records. Of those that cover pc the one that
 * starts last is meant, as it would be with a table.
 */
UC_FN int uc_fde_by_scan(UC_WALK, u64 pc)
{
	struct uc_scan_kept *kept = &w->kept[(pc ^ pc >> 5) & (UC_SCAN_KEPT - 1)];
	u64 best = 0, best_start = 0, addr = w->mod.eh_frame;
	u32 i;

	if (kept->fde && kept->pc == pc)
		return uc_fde_read(w, kept->fde);
	UC_FOR(i, UC_SCAN_RECORDS)
	{
		u64 next, id;
		int rc;

		if (addr >= w->sec.hi)
			goto end;
		if (w->scanned++ >= UC_SCAN_RECORDS)
			break;
		rc = uc_record_open(w, addr);
		if (rc == UC_FAULT)
			return rc;
		if (rc)
			goto end; /* nothing after it can be found */
		next = w->cur.end;
		id = uc_cur_uint(w, 4);
		if (w->cur.error == UC_FAULT)
			return UC_FAULT;
		if (!w->cur.error && id) {
			rc = uc_fde_read(w, addr);
			if (rc == UC_FAULT)
				return rc;
			if (!rc && uc_fde_covers(w, pc) && w->fde.start >= best_start) {
				best = addr;
				best_start = w->fde.start;
			}
		}
		addr = next;
	}
	return uc_unsupported(w, UNCOIL_FLAW_SCAN_LIMIT, w->mod.eh_frame);
end:
	if (!best)
		return uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, pc);
	kept->pc = pc;
	kept->fde = best;
	return uc_fde_read(w, best);
}
