/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SFrame, versions 1 to 3: from an address to the row that holds there. The
 * format knows the CFA, the return address and the frame pointer; the other
 * preserved registers are lost by a step. It is trusted in nothing: the header
 * is checked when a module is first met, all else where it is used.
 */
#include "uc_sframe.h"

#include "uc_core.h"

/* ---- the header ---- */

static inline int uc_sframe_abi_fits(const struct uc_walk *w, u32 abi)
{
	switch (abi) {
	case UC_SF_AMD64_LE:
		return w->abi.id == UC_ABI_X86_64 && w->mod.addr_size == 8;
	case UC_SF_AARCH64_LE:
		return w->abi.id == UC_ABI_AARCH64;
	case UC_SF_AARCH64_BE:
		return w->abi.id == UC_ABI_AARCH64_BE;
	case UC_SF_S390X_BE:
		return w->abi.id == UC_ABI_S390X;
	}
	return 0;
}

static inline u32 uc_sframe_fde_size(const struct uc_walk *w)
{
	switch (w->mod.sf.version) {
	case 1:
		return 17;
	case 2:
		return 20;
	}
	return 16;
}

/* The section is of no use: remember why. */
static inline int uc_sframe_refuse(struct uc_walk *w, u32 flaw, u64 addr)
{
	w->mod.sf.flaw = flaw;
	w->mod.sf.flaw_addr = addr;
	uc_malformed(w, flaw, addr);
	uc_port_bad_put(w, UC_BAD_SFRAME);
	return UNCOIL_STOP_MALFORMED;
}

/* The fields behind the version. */
static inline int uc_sframe_fields(struct uc_walk *w, u32 *flags)
{
	struct uc_sframe_header *h = &w->mod.sf;
	u64 base, left, fdes, fres, fres_len, at = w->mod.sframe;
	u32 aux;

	*flags = uc_cur_u8(w);
	if (*flags & ~(u32)(UC_SF_SORTED | UC_SF_FRAME_POINTER | UC_SF_START_PCREL))
		return uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_HEADER, at + 3);
	if (!uc_sframe_abi_fits(w, uc_cur_u8(w)) && !w->cur.error)
		return uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_HEADER, at + 4);
	h->fp_offset = (s8)uc_cur_u8(w);
	h->ra_offset = (s8)uc_cur_u8(w);
	aux = uc_cur_u8(w);
	h->nr_fdes = (u32)uc_cur_uint(w, 4);
	uc_cur_uint(w, 4); /* rows, in all FDEs together */
	fres_len = uc_cur_uint(w, 4);
	fdes = uc_cur_uint(w, 4);
	fres = uc_cur_uint(w, 4);
	if (w->cur.error)
		return w->cur.error;
	if (w->abi.ra_slot && !h->ra_offset)
		return uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_HEADER, at + 6);
	base = at + UC_SF_HEADER + aux;
	if (base > w->mod.sframe_end)
		return uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_BOUNDS, at + 7);
	left = w->mod.sframe_end - base;
	if (fres > left || fres_len > left - fres)
		return uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_BOUNDS, at + 16);
	if (fdes > fres || (u64)h->nr_fdes * uc_sframe_fde_size(w) > fres - fdes)
		return uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_BOUNDS, at + 8);
	h->fde = base + fdes;
	h->fre = base + fres;
	h->fre_end = h->fre + fres_len;
	return 0;
}

/* Is the function of FDE i in code, its start taken one way or the other? An
 * empty one may lie right behind it. */
static inline int uc_sframe_start_fits(struct uc_walk *w, u32 i, u32 from_section)
{
	int rc;

	w->mod.sf.from_section = (u8)from_section;
	rc = uc_sframe_fde(w, i);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	rc = uc_elf_is_code(w, w->sf.start);
	return rc || w->sf.size ? rc : uc_elf_is_code(w, w->sf.start - 1);
}

static inline int uc_sframe_starts_fit(struct uc_walk *w, u32 from_section)
{
	int rc = uc_sframe_start_fits(w, 0, from_section);

	return rc == 1 ? uc_sframe_start_fits(w, w->mod.sf.nr_fdes - 1, from_section) : rc;
}

/*
 * Without the flag a start counts from the section in what GNU ld has merged
 * and sorted, from its field in what other linkers have just put together
 * (formats sheet 5.4). That it must lie in code tells.
 */
static inline int uc_sframe_start_form(struct uc_walk *w, u32 flags)
{
	u32 from_section = w->mod.sf.version == 3 || (flags & UC_SF_SORTED);
	int rc;

	w->mod.sf.from_section = !(flags & UC_SF_START_PCREL);
	if ((flags & UC_SF_START_PCREL) || !w->mod.sf.nr_fdes)
		return 0;
	rc = uc_sframe_starts_fit(w, from_section);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	rc = uc_sframe_starts_fit(w, !from_section);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	return uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_START, w->mod.sf.fde);
}

/* Check the header, once for a module. */
UC_FN int uc_sframe_open(UC_WALK)
{
	u32 flags = 0, version;
	int rc;

	if (w->mod.sf.open) {
		if (w->mod.sf.flaw)
			return uc_malformed(w, w->mod.sf.flaw, w->mod.sf.flaw_addr);
		return 0;
	}
	memset(&w->mod.sf, 0, sizeof(w->mod.sf));
	if (uc_port_bad_get(w, UC_BAD_SFRAME)) {
		w->mod.sf.flaw = w->flaw;
		w->mod.sf.flaw_addr = w->stop_addr;
		w->mod.sf.open = 1;
		return UNCOIL_STOP_MALFORMED;
	}
	uc_cur_set(w, w->mod.sframe, w->mod.sframe_end);
	w->cur.win_len = 0;
	if (uc_cur_uint(w, 2) != UC_SF_MAGIC && !w->cur.error)
		rc = uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_HEADER, w->mod.sframe);
	else {
		version = uc_cur_u8(w);
		w->mod.sf.version = (u8)version;
		if (w->cur.error)
			rc = w->cur.error;
		else if (version < 1 || version > 3)
			rc = uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_VERSION, w->mod.sframe + 2);
		else
			rc = uc_sframe_fields(w, &flags);
	}
	if (!rc)
		rc = uc_sframe_start_form(w, flags);
	if (w->cur.error == UC_FAULT || rc == UC_FAULT)
		return UC_FAULT;
	if (w->cur.error && !w->mod.sf.flaw)
		rc = uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_BOUNDS, w->mod.sframe);
	w->mod.sf.sorted = flags & UC_SF_SORTED;
	w->mod.sf.open = 1;
	return rc;
}

/* ---- FDEs ---- */

/* The attributes of a version 3 FDE, which stand before its rows. */
static inline void uc_sframe_attributes(struct uc_walk *w)
{
	uc_cur_set(w, w->sf.fre, w->mod.sf.fre_end);
	w->sf.nr_fres = (u32)uc_cur_uint(w, 2);
	w->sf.info = uc_cur_u8(w);
	w->sf.info2 = uc_cur_u8(w);
	w->sf.block = uc_cur_u8(w);
	w->sf.fre += UC_SF_ATTRIBUTE;
}

UC_FN u64 uc_sframe_fde_at(UC_WALK, u32 i)
{
	return w->mod.sf.fde + (u64)i * uc_sframe_fde_size(w);
}

/* FDE i's start and size, and where its attributes or rows are, to w->sf. */
UC_FN int uc_sframe_fde(UC_WALK, u32 i)
{
	u64 at = w->mod.sf.fde + (u64)i * uc_sframe_fde_size(w);
	u32 off;

	uc_cur_set(w, at, w->mod.sf.fre);
	if (w->mod.sf.version == 3)
		w->sf.start = uc_cur_uint(w, 8);
	else
		w->sf.start = (u64)(s64)(s32)uc_cur_uint(w, 4);
	w->sf.start += w->mod.sf.from_section ? w->mod.sframe : at;
	w->sf.size = (u32)uc_cur_uint(w, 4);
	off = (u32)uc_cur_uint(w, 4);
	w->sf.fre = w->mod.sf.fre + off;
	w->sf.info2 = 0;
	w->sf.block = UC_SF_V1_BLOCK;
	if (w->mod.sf.version < 3) {
		w->sf.nr_fres = (u32)uc_cur_uint(w, 4);
		w->sf.info = uc_cur_u8(w) & ~UC_SF_SIGNAL; /* unused there */
		if (w->mod.sf.version == 2)
			w->sf.block = uc_cur_u8(w);
	}
	return w->cur.error;
}

static inline int uc_sframe_covers(const struct uc_walk *w, u64 pc)
{
	return pc >= w->sf.start && pc - w->sf.start < w->sf.size;
}

/* In a section that is not sorted: the FDE that covers pc, among all. */
static inline int uc_sframe_scan(struct uc_walk *w, u64 pc)
{
	u32 i;

	UC_FOR(i, UC_SCAN_RECORDS)
	{
		int rc;

		if (i >= w->mod.sf.nr_fdes)
			return uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, pc);
		if (w->scanned++ >= UC_SCAN_RECORDS)
			break;
		rc = uc_sframe_fde(w, i);
		if (rc || uc_sframe_covers(w, pc))
			return rc;
	}
	return uc_unsupported(w, UNCOIL_FLAW_SCAN_LIMIT, w->mod.sf.fde);
}

/*
 * Number of FDEs that start at or below pc, to w->value. Every probe must lie
 * between the bounds found so far, or the section is not sorted.
 */
UC_FN_LOCAL int uc_sframe_search(UC_WALK, u64 pc)
{
	u64 below = 0, above = ~0ull;
	u32 lo = 0, hi = w->mod.sf.nr_fdes, i;

	UC_FOR(i, UC_SEARCH_PROBES)
	{
		u32 mid = lo + (hi - lo) / 2;
		u64 start;
		int rc;

		if (lo >= hi)
			break;
		rc = uc_sframe_fde(w, mid);
		if (rc)
			return rc;
		start = w->sf.start;
		if (start < below || start > above)
			return uc_sframe_refuse(w, UNCOIL_FLAW_SFRAME_UNSORTED, w->mod.sf.fde);
		if (start <= pc) {
			lo = mid + 1;
			below = start;
		} else {
			hi = mid;
			above = start;
		}
	}
	w->value = lo;
	return 0;
}

/* Entries may be empty or overlap: try a few before the last. */
static inline int uc_sframe_by_search(struct uc_walk *w, u64 pc)
{
	int rc = uc_sframe_search(w, pc);
	u32 at = (u32)w->value, back;

	if (rc)
		return rc;
	UC_FOR(back, UC_SEARCH_BACK)
	{
		if (back >= at)
			break;
		rc = uc_sframe_fde(w, at - 1 - back);
		if (rc || uc_sframe_covers(w, pc))
			return rc;
	}
	return uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, pc);
}

/* The rest of the FDE in w->sf: its attributes; is it one that we can read? */
static inline int uc_sframe_fde_rest(struct uc_walk *w)
{
	if (w->sf.fre > w->mod.sf.fre_end)
		return uc_malformed(w, UNCOIL_FLAW_SFRAME_FDE, w->sf.fre);
	if (w->mod.sf.version == 3)
		uc_sframe_attributes(w);
	if (w->cur.error)
		return w->cur.error;
	if ((w->sf.info & UC_SF_FRE_TYPE) > 2 || (w->sf.info2 & UC_SF_FDE_TYPE) > UC_SF_FLEX)
		return uc_unsupported(w, UNCOIL_FLAW_SFRAME_FDE, w->sf.fre);
	if ((w->sf.info & UC_SF_PC_MASK) && !w->sf.block)
		return uc_malformed(w, UNCOIL_FLAW_SFRAME_FDE, w->sf.fre);
	return 0;
}

/* The FDE that covers pc, with its attributes, to w->sf. */
UC_FN int uc_sframe_find(UC_WALK, u64 pc)
{
	int rc = w->mod.sf.sorted ? uc_sframe_by_search(w, pc) : uc_sframe_scan(w, pc);

	return rc ? rc : uc_sframe_fde_rest(w);
}

/* ---- rows ---- */

/* The start and the info byte of the row at the cursor; ends behind its words. */
static inline void uc_sframe_row_skip(struct uc_walk *w)
{
	w->sf.next_start = (u32)uc_cur_uint(w, 1u << (w->sf.info & 3));
	w->sf.row_info = uc_cur_u8(w);
	w->sf.count = w->sf.row_info >> 1 & 15;
	w->sf.word = (u8)(1u << (w->sf.row_info >> 5 & 3));
	if (w->sf.word == 8 || w->sf.count > 6)
		uc_cur_fail(w, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
	w->cur.pos += (u32)w->sf.count * w->sf.word;
	if (w->cur.pos > w->cur.end)
		uc_cur_fail(w, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
}

/* The last row that starts at or before off, its place to w->sf.row_at. */
UC_FN_LOCAL int uc_sframe_row_find(UC_WALK, u32 off)
{
	u32 i;

	w->sf.row_at = 0;
	w->sf.row_start = 0;
	w->sf.row_end = w->sf.info & UC_SF_PC_MASK ? w->sf.block : w->sf.size;
	uc_cur_set(w, w->sf.fre, w->mod.sf.fre_end);
	UC_FOR(i, UC_SFRAME_ROWS)
	{
		u64 at = w->cur.pos;

		if (i >= w->sf.nr_fres)
			return 0;
		uc_sframe_row_skip(w);
		if (w->cur.error)
			return w->cur.error;
		if (w->sf.row_at && w->sf.next_start < w->sf.row_start)
			return uc_malformed(w, UNCOIL_FLAW_SFRAME_ROW, at);
		if (w->sf.next_start > off) {
			if (w->sf.next_start < w->sf.row_end)
				w->sf.row_end = w->sf.next_start;
			return 0;
		}
		w->sf.row_at = at;
		w->sf.row_start = w->sf.next_start;
	}
	return uc_unsupported(w, UNCOIL_FLAW_TOO_LONG, w->sf.fre);
}

/* The words of the row at w->sf.row_at. */
static inline int uc_sframe_words(struct uc_walk *w)
{
	u32 i;

	uc_cur_set(w, w->sf.row_at, w->mod.sf.fre_end);
	uc_sframe_row_skip(w);
	if (w->cur.error)
		return w->cur.error;
	w->cur.pos -= (u32)w->sf.count * w->sf.word;
	UC_FOR(i, UC_SF_WORDS)
	{
		u64 v;

		if (i >= w->sf.count)
			break;
		v = uc_cur_uint(w, w->sf.word);
		if (w->sf.word == 1)
			v = (u64)(s64)(s8)v;
		else if (w->sf.word == 2)
			v = (u64)(s64)(s16)v;
		else
			v = (u64)(s64)(s32)v;
		w->sf.v[i & (UC_SF_WORDS - 1)] = (s64)v;
	}
	return w->cur.error;
}

static inline void uc_sframe_rule(struct uc_walk *w, u32 reg, u32 kind, s64 val)
{
	w->row.kind[reg & UC_REG_MASK] = (u8)kind;
	w->row.val[reg & UC_REG_MASK] = (s32)val;
}

static inline int uc_sframe_bad_row(struct uc_walk *w)
{
	return uc_malformed(w, UNCOIL_FLAW_SFRAME_ROW, w->sf.row_at);
}

/* On s390x a CFA's offset is scaled, and the bias left out. */
static inline s64 uc_sframe_cfa_offset(const struct uc_walk *w, s64 v)
{
	return w->abi.sp_bias ? v * UC_SF_S390X_SCALE + w->abi.sp_bias : v;
}

/* A place from the CFA, or in version 2 on s390x, where odd, a register. */
static inline int uc_sframe_place(struct uc_walk *w, u32 reg, s64 v)
{
	if (!w->abi.sp_bias || w->mod.sf.version != 2 || !(v & 1)) {
		uc_sframe_rule(w, reg, UC_RULE_OFFSET, v);
		return 0;
	}
	if (v < 0 || v >> 1 >= w->abi.nr_regs)
		return uc_unsupported(w, UNCOIL_FLAW_REGISTER, w->sf.row_at);
	uc_sframe_rule(w, reg, UC_RULE_REGISTER, v >> 1);
	return 0;
}

/* An FDE of the default type: CFA, then what the ABI has not fixed. */
static inline int uc_sframe_default(struct uc_walk *w)
{
	u32 n = 1, count = w->sf.count;
	int rc = 0;

	w->row.cfa_reg = w->sf.row_info & UC_SF_BASE_SP ? w->abi.sp : w->abi.fp;
	w->row.cfa_off = uc_sframe_cfa_offset(w, w->sf.v[0]);
	if (!w->mod.sf.ra_offset && count > n) {
		if (w->sf.v[n] || !w->abi.sp_bias) /* 0 on s390x: a gap before the next */
			rc = uc_sframe_place(w, w->abi.ra, w->sf.v[n]);
		n++;
	}
	if (w->mod.sf.fp_offset) {
		uc_sframe_rule(w, w->abi.fp, UC_RULE_OFFSET, w->mod.sf.fp_offset);
	} else if (!rc && count > n) {
		rc = uc_sframe_place(w, w->abi.fp, w->sf.v[2 - !!w->mod.sf.ra_offset]);
		n++;
	}
	return rc || count == n ? rc : uc_sframe_bad_row(w);
}

/* A flexible FDE's rule: control word and offset. */
static inline int uc_sframe_pair(struct uc_walk *w, u32 reg, s64 control, s64 off)
{
	u64 c = (u64)control & (w->sf.word == 1 ? 0xff : w->sf.word == 2 ? 0xffff : 0xffffffff);
	u64 from = c >> 3;

	if (!(c & UC_SF_BY_REGISTER)) {
		uc_sframe_rule(w, reg, c & UC_SF_DEREF ? UC_RULE_OFFSET : UC_RULE_VAL_OFFSET, off);
		return 0;
	}
	if (from >= UC_REG_SLOTS || off >= UC_RULE_REG_OFF_MAX || off < -UC_RULE_REG_OFF_MAX)
		return uc_unsupported(w, UNCOIL_FLAW_REGISTER, w->sf.row_at);
	uc_sframe_rule(w, reg, c & UC_SF_DEREF ? UC_RULE_AT_REGISTER : UC_RULE_VAL_REGISTER,
		       UC_RULE_REG_PUT((u32)from, (s32)off));
	return 0;
}

/*
 * A flexible FDE: pairs for the CFA, the return address and the frame pointer.
 * A single 0 in place of the second pair leaves it to the ABI. (The words of
 * the frame pointer come at 3 behind that 0, at 4 behind a pair: formats sheet
 * 5.8 on the specification's slip.)
 */
static inline int uc_sframe_flex(struct uc_walk *w)
{
	u32 count = w->sf.count;
	u64 c = (u64)w->sf.v[0] & (w->sf.word == 1 ? 0xff : 0xffffffff);
	int rc;

	if (w->sf.word == 2)
		c &= 0xffff;
	if (count < 2 || count == 3 || !(c & UC_SF_BY_REGISTER))
		return uc_sframe_bad_row(w);
	if (c >> 3 >= w->abi.nr_regs)
		return uc_unsupported(w, UNCOIL_FLAW_REGISTER, w->sf.row_at);
	w->row.cfa_kind = c & UC_SF_DEREF ? UC_CFA_AT_REG : UC_CFA_REG;
	w->row.cfa_reg = (u8)(c >> 3);
	w->row.cfa_off = uc_sframe_cfa_offset(w, w->sf.v[1]);
	if (count == 2)
		return 0;
	if (count == 5)
		return w->sf.v[2] ? uc_sframe_bad_row(w)
				  : uc_sframe_pair(w, w->abi.fp, w->sf.v[3], w->sf.v[4]);
	if (!w->sf.v[2])
		return uc_sframe_bad_row(w);
	rc = uc_sframe_pair(w, w->abi.ra, w->sf.v[2], w->sf.v[3]);
	if (rc || count == 4)
		return rc;
	return uc_sframe_pair(w, w->abi.fp, w->sf.v[4], w->sf.v[5]);
}

/* A row that says what SFrame can not say: that all other registers are lost. */
static inline void uc_sframe_row_begin(struct uc_walk *w)
{
	u32 i;

	UC_FOR(i, UC_REG_SLOTS)
	{
		u32 keeps = i == w->abi.fp || i == w->abi.sp || i == w->abi.ra;

		uc_sframe_rule(w, i, keeps ? UC_RULE_UNSET : UC_RULE_UNDEFINED, 0);
	}
	w->row.cfa_kind = UC_CFA_REG;
	w->row.cfa_reg = w->abi.sp;
	w->row.cfa_off = 0;
	w->row.cfa_expr = 0;
	w->row.ra_reg = w->abi.ra;
	w->row.pc_kind = UC_RULE_UNSET;
	w->row.pc_val = 0;
	w->row.ra_state = w->sf.row_info & UC_SF_MANGLED_RA ? 1 : 0;
	w->row.signal = w->sf.info & UC_SF_SIGNAL ? UC_SIGNAL : 0;
	if (w->mod.sf.ra_offset)
		uc_sframe_rule(w, w->abi.ra, UC_RULE_OFFSET, w->mod.sf.ra_offset);
}

/* The words of the row that was found, as a row. */
UC_FN_LOCAL int uc_sframe_decode(UC_WALK)
{
	int rc = uc_sframe_words(w);

	if (rc)
		return rc;
	uc_sframe_row_begin(w);
	if (w->sf.count)
		return w->sf.info2 & UC_SF_FLEX ? uc_sframe_flex(w) : uc_sframe_default(w);
	/* No words: the return address is undefined. Version 1 did not say so. */
	if (w->mod.sf.version == 1)
		return uc_sframe_bad_row(w);
	uc_sframe_rule(w, w->abi.ra, UC_RULE_UNDEFINED, 0);
	w->row.cfa_kind = UC_CFA_NONE;
	return 0;
}

/* The row for pc, to w->row. An FDE without rows says nothing: assemblers make
 * one of what they could not express. */
UC_FN int uc_sframe_row(UC_WALK, u64 pc)
{
	int rc = uc_sframe_open(w);
	u32 off;

	if (!rc)
		rc = uc_sframe_find(w, pc);
	if (rc)
		return rc;
	off = (u32)(pc - w->sf.start);
	if (w->sf.info & UC_SF_PC_MASK)
		off %= w->sf.block;
	rc = uc_sframe_row_find(w, off);
	if (rc)
		return rc;
	if (!w->sf.row_at)
		return uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, pc);
	return uc_sframe_decode(w);
}

/*
 * For those who list all rows: FDE i with its attributes, then each row from
 * w->sf.fre on, w->sf.nr_fres of them. What follows the row at @at goes to
 * w->value, or 0 if that can not be known; its reach to w->sf.row_start and
 * row_end, even if the row itself is flawed.
 */
UC_FN int uc_sframe_read(UC_WALK, u32 i)
{
	int rc = uc_sframe_fde(w, i);

	return rc ? rc : uc_sframe_fde_rest(w);
}

UC_FN int uc_sframe_row_at(UC_WALK, u64 at, u32 is_last)
{
	u64 next;

	w->value = 0;
	w->sf.row_at = at;
	uc_cur_set(w, at, w->mod.sf.fre_end);
	uc_sframe_row_skip(w);
	if (w->cur.error)
		return w->cur.error;
	next = w->cur.pos;
	w->sf.row_start = w->sf.next_start;
	w->sf.row_end = w->sf.info & UC_SF_PC_MASK ? w->sf.block : w->sf.size;
	if (!is_last) {
		uc_sframe_row_skip(w);
		if (w->cur.error)
			return w->cur.error;
		if (w->sf.next_start < w->sf.row_start)
			return uc_malformed(w, UNCOIL_FLAW_SFRAME_ROW, next);
		if (w->sf.next_start < w->sf.row_end)
			w->sf.row_end = w->sf.next_start;
	}
	w->value = next;
	return uc_sframe_decode(w);
}
