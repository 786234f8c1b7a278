/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "uc_core.h"
#include "uc_debugfiles.h"
#include "uc_sframe.h"
#include "uc_walk.h"

/*
 * A hostile section can have the same bytes read over and over: by rows of the
 * table that lead into records, by FDEs that share a large CIE, or rows of
 * .sframe. Honest ones read a CIE for each FDE, and little twice.
 */
#define WORK_FACTOR 16
#define WORK_FLOOR (1u << 20) /* bytes */

struct rows {
	const struct uc_image *img;
	uc_rows_fn *fn;
	void *arg;
	struct uc_walk *w;
	struct uc_rows_event event;
	u64 base; /* address of the section */
	u64 work; /* bytes that may still be read */
	u8 *seen; /* bit by distance from w->sec.lo: a record there was visited */
};

static int emit(struct rows *r, enum uc_rows_kind kind)
{
	r->event.kind = kind;
	return r->fn(&r->event, r->arg);
}

/* The walk stopped with rc, at the record. */
static int emit_flaw(struct rows *r, int rc, u64 record)
{
	const struct uc_walk *w = r->w;
	u64 fde = r->event.offset;
	int err;

	if (rc == UC_FAULT) { /* nobody brings it in here */
		r->event.stop = UNCOIL_STOP_MEMORY_FAULT;
		r->event.flaw = UNCOIL_FLAW_NONE;
		r->event.offset = w->fault_addr - r->base;
	} else {
		r->event.stop = rc;
		r->event.flaw = (enum uncoil_flaw)w->flaw;
		r->event.offset = w->stop_addr - r->base;
	}
	r->event.record = record;
	err = emit(r, UC_ROWS_FLAW);
	r->event.offset = fde;
	return err;
}

/* Account for bytes to be read. False: enough. */
static bool may_work(struct rows *r, u64 bytes)
{
	if (bytes > r->work) {
		uc_unsupported(r->w, UNCOIL_FLAW_TOO_LONG, r->base);
		r->work = 0;
		return false;
	}
	r->work -= bytes;
	return true;
}

static u64 range_end(const struct uc_walk *w, u64 start, u64 size)
{
	u64 last = uc_addr_mask(w);

	return size < last - start ? start + size : last;
}

static int emit_row(struct rows *r, u64 start, u64 end, u64 fde_end)
{
	if (end > fde_end)
		end = fde_end;
	r->event.start = start;
	r->event.end = end > start ? end : start;
	r->event.row = &r->w->row;
	return emit(r, UC_ROWS_ROW);
}

/* ---- .eh_frame, .debug_frame ---- */

static int fde_rows(struct rows *r, u64 end)
{
	struct uc_walk *w = r->w;
	int err, rc = uc_cfa_first(w);

	while (!rc) {
		err = emit_row(r, w->cfi.key, w->cfi.done ? w->cfi.loc : end, end);
		if (err || !w->cfi.done)
			return err;
		rc = uc_cfa_next(w);
	}
	return emit_flaw(r, rc, r->event.offset);
}

static int visit_fde(struct rows *r, u64 addr)
{
	struct uc_walk *w = r->w;
	u64 end;
	int err, rc = uc_fde_read(w, addr);

	r->event.offset = addr - r->base;
	if (!rc && !may_work(r, (w->fde.insn_end - addr) +
				      (w->fde.cie_insn_end - w->fde.cie_insn)))
		rc = UNCOIL_STOP_UNSUPPORTED;
	if (rc)
		return emit_flaw(r, rc, r->event.offset);
	end = range_end(w, w->fde.start, w->fde.range);
	r->event.is_signal = w->fde.signal;
	r->event.start = w->fde.start;
	r->event.end = end;
	err = emit(r, UC_ROWS_FDE);
	return err ? err : fde_rows(r, end);
}

/* Was the record at addr, which lies in the section, visited before? It is now. */
static bool was_seen(struct rows *r, u64 addr)
{
	u64 at = addr - r->w->sec.lo;
	u8 bit = (u8)(1u << (at & 7));
	bool seen = r->seen[at / 8] & bit;

	r->seen[at / 8] |= bit;
	return seen;
}

/*
 * All records one after the other. Where a section header says how far they go,
 * a terminator in the middle is passed, as the linker passed it.
 */
static int visit_records(struct rows *r, bool is_bounded)
{
	struct uc_walk *w = r->w;
	u64 addr = w->mod.eh_frame, next;
	int err = 0, rc;

	for (; !err && addr < w->sec.hi; addr = next) {
		rc = uc_record_look(w, addr);
		next = w->value;
		switch (rc) {
		case UC_RECORD_END:
			if (!is_bounded)
				return 0;
			r->event.behind_end = true;
			break;
		case UC_RECORD_CIE:
			rc = uc_cie_read(w, addr);
			if (rc)
				err = emit_flaw(r, rc, addr - r->base);
			break;
		case UC_RECORD_FDE:
			was_seen(r, addr);
			err = visit_fde(r, addr);
			break;
		default: /* where it ends is not known */
			was_seen(r, addr);
			return emit_flaw(r, rc, addr - r->base);
		}
		if (!r->work)
			break;
	}
	return err;
}

/* Row i of the table leads out of the section, or can not be read. */
static int emit_table_flaw(struct rows *r, u32 i)
{
	int err;

	r->event.section = UC_IMAGE_EH_FRAME_HDR;
	r->event.stop = UNCOIL_STOP_MALFORMED;
	r->event.flaw = UNCOIL_FLAW_RECORD_LENGTH;
	r->event.offset = r->w->mod.table + 2ull * i * r->w->mod.row_size - r->w->mod.hdr;
	r->event.record = r->event.offset;
	err = emit(r, UC_ROWS_FLAW);
	r->event.section = UC_IMAGE_EH_FRAME;
	return err;
}

static int visit_table(struct rows *r)
{
	struct uc_walk *w = r->w;
	u32 i, nr = w->mod.table ? w->mod.rows : 0;
	int err = 0;

	r->event.by_table = true;
	r->event.behind_end = false;
	for (i = 0; !err && i < nr && r->work; i++) {
		if (uc_table_row(w, i))
			return emit_table_flaw(r, i);
		if (w->tab_fde < w->sec.lo || w->tab_fde >= w->sec.hi)
			err = emit_table_flaw(r, i);
		else if (!was_seen(r, w->tab_fde))
			err = visit_fde(r, w->tab_fde);
	}
	return err;
}

static int visit_cfi(struct rows *r, bool is_bounded)
{
	u64 size = r->w->sec.hi - r->w->sec.lo;
	int err;

	r->base = r->w->mod.eh_frame;
	r->work = WORK_FLOOR + WORK_FACTOR * size;
	r->seen = calloc(1, size / 8 + 1);
	if (!r->seen)
		return -ENOMEM;
	err = visit_records(r, is_bounded);
	if (!err)
		err = visit_table(r);
	free(r->seen);
	return err;
}

static int each_ehframe(struct rows *r)
{
	int err = 0, rc = uc_image_walk(r->img, r->w);
	const struct uc_walk *w = r->w;

	r->event.section = UC_IMAGE_EH_FRAME_HDR;
	r->base = w->mod.hdr;
	if (rc && rc != UNCOIL_STOP_NO_SECTION)
		err = emit_flaw(r, rc, 0);
	if (err || !w->mod.hi)
		return err ? err : rc == UNCOIL_STOP_NO_SECTION ? -ENOENT : 0;
	r->event.section = UC_IMAGE_EH_FRAME;
	return visit_cfi(r, w->sec.lo == w->mod.eh_frame);
}

static int each_debugframe(struct rows *r)
{
	const struct uc_debugframe *f;
	int rc;

	f = uc_image_debugframe(r->img, &rc);
	if (!f)
		return rc;
	uc_image_walk(r->img, r->w);
	r->w->sec.debug = 1;
	r->w->sec.lo = UC_DEBUGFILES_BASE;
	r->w->sec.hi = UC_DEBUGFILES_BASE + f->section.size;
	r->w->mod.eh_frame = r->w->sec.lo;
	r->w->mod.table = 0;
	r->event.section = UC_IMAGE_DEBUG_FRAME;
	return visit_cfi(r, true);
}

/* ---- .sframe ---- */

static int sframe_rows(struct rows *r)
{
	struct uc_walk *w = r->w;
	u64 start = w->sf.start, end = r->event.end, at = w->sf.fre;
	u32 i, nr = w->sf.nr_fres;
	int err = 0, rc;

	for (i = 0; !err && i < nr; i++, at = w->value) {
		rc = may_work(r, 2) ? uc_sframe_row_at(w, at, i + 1 == nr) :
				      UNCOIL_STOP_UNSUPPORTED;
		if (!rc) {
			err = emit_row(r, range_end(w, start, w->sf.row_start),
				       range_end(w, start, w->sf.row_end), end);
			continue;
		}
		err = emit_flaw(r, rc, r->event.offset);
		if (!r->work || !w->value)
			break;
	}
	return err;
}

static int visit_sframe_fde(struct rows *r, u32 i, u64 offset)
{
	struct uc_walk *w = r->w;
	int err, rc = uc_sframe_read(w, i);

	r->event.offset = offset;
	if (rc)
		return emit_flaw(r, rc, offset);
	r->event.is_signal = w->sf.info & UC_SF_SIGNAL;
	r->event.repeat = w->sf.info & UC_SF_PC_MASK ? w->sf.block : 0;
	r->event.start = w->sf.start;
	r->event.end = range_end(w, w->sf.start, w->sf.size);
	err = emit(r, UC_ROWS_FDE);
	return err ? err : sframe_rows(r);
}

static int each_sframe(struct rows *r)
{
	struct uc_walk *w = r->w;
	int err = 0, rc;
	u32 i;

	uc_image_walk(r->img, w);
	if (!w->mod.sframe)
		return -ENOENT;
	r->base = w->mod.sframe;
	r->work = WORK_FLOOR + WORK_FACTOR * (w->mod.sframe_end - w->mod.sframe);
	r->event.section = UC_IMAGE_SFRAME;
	rc = uc_sframe_open(w);
	if (rc)
		return emit_flaw(r, rc, 0);
	for (i = 0; !err && i < w->mod.sf.nr_fdes && r->work; i++)
		err = visit_sframe_fde(r, i, uc_sframe_fde_at(w, i) - r->base);
	return err;
}

/* ---- all ---- */

int uc_rows_each(const struct uc_image *img, enum uc_rows_source source, uc_rows_fn *fn, void *arg)
{
	struct rows r = { .img = img, .fn = fn, .arg = arg };
	int err;

	r.w = malloc(sizeof(*r.w));
	if (!r.w)
		return -ENOMEM;
	r.event.walk = r.w;
	if (source == UC_ROWS_EHFRAME)
		err = each_ehframe(&r);
	else if (source == UC_ROWS_SFRAME)
		err = each_sframe(&r);
	else
		err = each_debugframe(&r);
	free(r.w);
	return err;
}

s64 uc_rows_block(const struct uc_rows_event *event, s64 place, u8 *buf, size_t size)
{
	const struct uc_memory *mem = event->walk->port.mem;
	u64 at = event->walk->sec.lo + (u64)place, len = 0;
	u32 i, shift = 0;
	u8 byte;

	for (i = 0; i < UC_LEB_BYTES; i++, shift += 7) {
		if (mem->read(mem->arg, at++, &byte, 1))
			return -EFAULT;
		if (shift < 64)
			len |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	/* the core has seen that it ends in its record */
	if (mem->read(mem->arg, at, buf, (u32)(len < size ? len : size)))
		return -EFAULT;
	return (s64)len;
}
