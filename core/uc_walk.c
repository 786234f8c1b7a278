/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_walk.h"

#include "uc_core.h"

UC_FN int uc_walk_begin(UC_WALK)
{
	w->exact = 1;
	w->leaf = 1;
	w->switches = 0;
	w->map.start = 0;
	w->map.end = 0;
	w->mod.end = 0;
	w->mod.addr_size = w->abi.addr_size;
	w->stop_addr = 0;
	w->flaw = 0;
	w->nr_bad = 0;
	w->scanned_before = 0;
	w->searched_before = 0;
	w->bare = 0;
	w->prev_bare = 0;
	memset(w->kept, 0, sizeof(w->kept));
	w->cur.win_len = 0;
	w->stack_len = 0;
	w->steps_from_cache = 0;
	w->steps_interpreted = 0;
	return 0;
}

UC_FN int uc_walk_page_is_bad(UC_WALK)
{
	u64 last = w->fault_addr + w->fault_len - 1;

	/* Of a range across two pages the second is the suspect: uc_read_failed()
	 * matches either. */
	w->bad_page[w->nr_bad & (UC_BAD_PAGES - 1)] = last & ~(UC_PAGE - 1);
	w->nr_bad++;
	if (w->nr_bad < UC_BAD_PAGES)
		return 0;
	return uc_fail(w, UNCOIL_STOP_MEMORY_FAULT, 0, w->fault_addr);
}

/* The executable mapping of pc, to w->map. Often it is the one at hand. */
static inline int uc_walk_map(struct uc_walk *w, u64 pc)
{
	if (pc >= w->map.start && pc < w->map.end)
		return 0;
	if (uc_port_map(w, pc) || !(w->found.flags & UC_MAP_EXEC))
		return uc_fail(w, UNCOIL_STOP_NO_MAPPING, 0, pc);
	w->map = w->found;
	return 0;
}

/*
 * The FDE that covers pc, to w->fde. A scan finds what a broken table hides.
 */
static inline int uc_fde_find(struct uc_walk *w, u64 pc)
{
	int rc = UNCOIL_STOP_MALFORMED;
	u64 addr;
	u32 flaw;

	w->sec.lo = w->mod.lo;
	w->sec.hi = w->mod.hi;
	w->sec.debug = 0;
	if (w->mod.table && !w->mod.checked && uc_port_bad_get(w, UC_BAD_TABLE))
		w->mod.checked = UC_TABLE_UNSORTED;
	if (w->mod.table && w->mod.checked == UC_TABLE_UNSORTED) {
		uc_malformed(w, UNCOIL_FLAW_HDR_UNSORTED, w->mod.hdr);
	} else if (w->mod.table) {
		rc = uc_fde_by_table(w, pc);
		if (rc == UNCOIL_STOP_NO_ENTRY) {
			rc = uc_table_check(w);
			if (!rc)
				return uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, pc);
		}
	}
	if (rc != UNCOIL_STOP_MALFORMED)
		return rc;
	addr = w->stop_addr;
	flaw = w->flaw;
	rc = uc_fde_by_scan(w, pc);
	if (rc == UNCOIL_STOP_NO_ENTRY && w->mod.table)
		rc = uc_malformed(w, flaw, addr);
	return rc;
}

/* The row for pc from .eh_frame, to w->row. */
static inline int uc_row_eh_frame(struct uc_walk *w, u64 pc)
{
	int rc = uc_module_find(w);

	if (!rc)
		rc = uc_fde_find(w, pc);
	return rc ? rc : uc_cfa_run(w, pc);
}

/* ... from .debug_frame, where the world has the file at hand. */
static inline int uc_row_debug_frame(struct uc_walk *w, u64 pc)
{
	int rc = w->mod.placed ? uc_port_debug_fde(w, pc) : UNCOIL_STOP_NO_SECTION;

	if (rc)
		return rc;
	w->sec.debug = 1;
	rc = uc_fde_read(w, w->value);
	if (!rc && !uc_fde_covers(w, pc))
		rc = uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, pc);
	return rc ? rc : uc_cfa_run(w, pc);
}

static inline int uc_is_missing(int rc)
{
	return rc == UNCOIL_STOP_NO_SECTION || rc == UNCOIL_STOP_NO_ENTRY;
}

/* ... from either. */
static inline int uc_row_cfi(struct uc_walk *w, u64 pc)
{
	int rc = uc_row_eh_frame(w, pc), other;

	if (!uc_is_missing(rc))
		return rc;
	other = uc_row_debug_frame(w, pc);
	return uc_is_missing(other) ? rc : other;
}

/*
 * ... from .sframe. Before version 3 it could not say that a frame is the
 * outermost: but no return address lies above where the stack began, nor is
 * there a caller of a frame without any.
 */
static inline int uc_row_sframe(struct uc_walk *w, u64 pc)
{
	u64 slot;
	int rc;

	if (!w->mod.sframe)
		return uc_fail(w, UNCOIL_STOP_NO_SECTION, 0, w->map.start);
	rc = uc_bare_linkage(w);
	if (rc)
		return rc == 1 ? 0 : rc;
	w->bare = 0;
	rc = uc_sframe_row(w, pc);
	if (rc || w->mod.sf.version == 3 || !w->entry_sp || w->row.cfa_reg != w->abi.sp)
		return rc;
	slot = w->regs.r[w->abi.sp & UC_REG_MASK];
	if (w->abi.ra_slot)
		slot += (u64)w->row.cfa_off - w->abi.ra_slot;
	if (slot - w->entry_sp < UC_ENTRY_BYTES)
		w->row.kind[w->row.ra_reg & UC_REG_MASK] = UC_RULE_UNDEFINED;
	return 0;
}

/*
 * The row for pc from the unwind data, to w->row. .sframe comes last, as it says
 * less, and some producers' is wrong (formats sheet 5.9); where .eh_frame is
 * broken, it may still help.
 */
static inline int uc_row_interpret(struct uc_walk *w, u64 pc)
{
	int rc = w->unwind == UC_UNWIND_FP ? UNCOIL_STOP_NO_ENTRY : UNCOIL_STOP_NO_SECTION;
	int other;
	u64 addr = pc;
	u32 flaw = 0;

	w->impure = 0;
	if (w->unwind <= UC_UNWIND_EHFRAME) {
		rc = uc_row_cfi(w, pc);
		if (!rc || rc == UC_FAULT || w->unwind == UC_UNWIND_EHFRAME)
			return rc;
		addr = w->stop_addr;
		flaw = w->flaw;
	} else {
		other = uc_module_find(w);
		if (other == UC_FAULT)
			return other;
	}
	if (w->unwind != UC_UNWIND_FP) {
		other = uc_row_sframe(w, pc);
		if (!other || other == UC_FAULT || (uc_is_missing(rc) && !uc_is_missing(other)))
			return other;
		if (w->unwind == UC_UNWIND_SFRAME)
			return other;
	}
	return uc_fail(w, rc, flaw, addr);
}

/* Keep what the unwind data says of pc, if it says so to every process. */
static inline void uc_row_keep(struct uc_walk *w, u64 off, int rc)
{
	if (!w->mod.pristine || w->impure || !w->map.id[0])
		return;
	if (rc == UNCOIL_STOP_NO_ENTRY) {
		memset(&w->packed, 0, sizeof(w->packed));
		w->packed.cfa_reg = UC_PACKED_NO_ENTRY;
	} else if (rc || uc_row_pack(w)) {
		return;
	}
	uc_port_row_put(w, off);
}

/*
 * No entry covers the code, but it goes on, with its stack unchanged, at an
 * address that unwind data calls outermost: a new thread on its way out of
 * the system call in clone.
 */
static inline int uc_jump_ends_here(struct uc_walk *w)
{
	u64 addr = w->stop_addr;
	int rc = uc_row_interpret(w, w->follow.target);

	if (rc == UC_FAULT)
		return rc;
	if (!rc && w->row.kind[w->row.ra_reg & UC_REG_MASK] == UC_RULE_UNDEFINED)
		return uc_fail(w, UNCOIL_STOP_OUTERMOST, 0, 0);
	return uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, addr);
}

/* Find the row of the current frame and apply it. */
static inline int uc_frame_leave(struct uc_walk *w, u64 pc)
{
	int rc, trampoline;
	u64 off;

	rc = uc_walk_map(w, pc);
	if (rc)
		goto bare;
	off = w->map.off + (pc - w->map.start);
	if (w->map.id[0] && !uc_port_row_get(w, off)) {
		w->steps_from_cache++;
		if (!(w->packed.cfa_reg & UC_PACKED_NO_ENTRY))
			return uc_packed_apply(w);
		rc = uc_fail(w, UNCOIL_STOP_NO_ENTRY, 0, pc);
		goto bare;
	}
	w->steps_interpreted++;
	/* A signal trampoline is entered by a return to its first byte; the
	 * byte before it is another function's, and what is known of that byte
	 * must not be kept: the look-up would find it for the trampoline. */
	trampoline = uc_bare_trampoline(w, w->abi.ra_slot ? pc + 1 : w->regs.pc);
	if (trampoline == UC_FAULT)
		return trampoline;
	/* Beside x86, what unwind data says of trampolines is not to be trusted. */
	if (trampoline == 1 && (!w->exact || !w->abi.ra_slot))
		return uc_row_apply(w);
	w->bare = 0;
	rc = uc_row_interpret(w, pc);
	if (rc == UC_FAULT)
		return rc;
	if (!trampoline)
		uc_row_keep(w, off, rc);
	if (!rc)
		return uc_row_apply(w);
bare:
	if (rc == UNCOIL_STOP_NO_MAPPING || uc_is_missing(rc))
		rc = uc_bare_row(w, (u32)rc);
	if (rc == UNCOIL_STOP_NO_ENTRY && w->follow.target)
		rc = uc_jump_ends_here(w);
	return rc ? rc : uc_row_apply(w);
}

/* No call is before the first byte of a mapping, but a signal trampoline can be
 * there. 0, UC_FAULT or UNCOIL_STOP_NO_MAPPING. */
static inline int uc_trampoline_enter(struct uc_walk *w, u64 pc)
{
	int rc = uc_walk_map(w, pc) ? 0 : uc_bare_trampoline(w, pc);

	if (rc == UC_FAULT)
		return rc;
	return rc == 1 ? 0 : uc_fail(w, UNCOIL_STOP_NO_MAPPING, 0, pc - 1);
}

/*
 * Take w->next as the current frame, if its pc can be one. A return address
 * must lie in code; an interrupted pc need not: a jump to nowhere is a frame.
 */
static inline int uc_frame_enter(struct uc_walk *w)
{
	u64 pc = w->next.pc, from = w->regs.pc;
	u32 exact = w->row.signal == UC_SIGNAL, sp = w->abi.sp & UC_REG_MASK;
	u32 leaf = w->row.signal != 0, bare = w->bare;

	if (!exact) {
		int rc;

		if (!pc)
			return uc_fail(w, UNCOIL_STOP_END_OF_CHAIN, 0, from);
		rc = uc_walk_map(w, pc - 1);
		if (rc)
			rc = uc_trampoline_enter(w, pc);
		if (rc)
			return rc;
	}
	if (!(bare == UC_BARE_FP && !(w->next.known & UC_BIT(sp))) &&
	    (!(w->regs.known & w->next.known & UC_BIT(sp)) || w->next.r[sp] <= w->regs.r[sp]))
		w->switches++;
	w->regs = w->next;
	w->exact = exact;
	w->leaf = leaf;
	w->prev_bare = bare;
	w->scanned_before = w->scanned;
	w->searched_before = w->searched;
	w->nr_bad = 0;
	return 0;
}

/*
 * Unwind data is looked up at the address of the call, which is the last byte
 * before the return address: the row after the call, or the next function's,
 * need not be the same.
 */
UC_FN int uc_walk_step(UC_WALK)
{
	u64 pc = w->regs.pc;
	int rc;

	w->bare = 0;
	w->flaw = 0;
	w->stop_addr = 0;
	w->row.signal = 0;
	w->follow.target = 0;
	/* A step that is done again does not pay for its first try. */
	w->scanned = w->scanned_before;
	w->searched = w->searched_before;
	rc = uc_frame_leave(w, w->exact ? pc : pc - 1);
	if (rc)
		return rc;
	return uc_frame_enter(w);
}
