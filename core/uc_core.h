/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that the core's files share. UC_FN is what the world makes of a
 * function that is verified or linked on its own; such a function takes the
 * walk and scalars, and returns a scalar. BPF allows eight frames on its
 * stack: what has one caller on a deep path is inline.
 *
 * int results are 0, UC_FAULT or an enum uncoil_stop, unless said otherwise.
 */
#ifndef UC_CORE_H
#define UC_CORE_H

#include "uc_types.h"

/* What the world provides beside uc_port.h's types and UC_FOR:
 *
 * uc_port_read(w, dst, len, addr)    user memory to dst; 0, or not 0 if any
 *				      byte is missing
 * uc_port_is_frozen(w)		      bytes that were read once stay as they are
 * uc_port_map(w, addr)		      the mapping of addr to w->found; 0, or
 *				      UNCOIL_STOP_NO_MAPPING
 * uc_port_elf(w)		      the mapping with the ELF header of w->map's
 *				      file to w->found; 0 or UNCOIL_STOP_NO_SECTION
 * uc_port_row_get(w, off)	      cached row of w->map's file to w->packed;
 *				      0, or not 0 if there is none
 * uc_port_row_put(w, off)	      w->packed to the cache
 * uc_port_bad_get(w, what)	      was UC_BAD_* of w->map's file caught malformed?
 *				      not 0 with flaw and address in the stop
 * uc_port_bad_put(w, what)	      remember the stop at hand, for all processes
 * uc_port_debug_fde(w, pc)	      the FDE of .debug_frame that covers pc in
 *				      w->mod: its section to w->sec, its address
 *				      to w->value; 0 or a stop
 */
UC_FN int uc_port_map(UC_WALK, u64 addr);
UC_FN int uc_port_elf(UC_WALK);
UC_FN int uc_port_row_get(UC_WALK, u64 off);
UC_FN int uc_port_row_put(UC_WALK, u64 off);
UC_FN int uc_port_bad_get(UC_WALK, u32 what);
UC_FN int uc_port_bad_put(UC_WALK, u32 what);
#ifndef uc_port_debug_fde
UC_FN int uc_port_debug_fde(UC_WALK, u64 pc);
#endif


/* Parts of a file's unwind data that are skipped once they were caught. */
#define UC_BAD_HDR 1
#define UC_BAD_TABLE 2
#define UC_BAD_SFRAME 3

/* uc_read.c */
UC_FN int uc_stack_fill(UC_WALK, u64 addr);
UC_FN int uc_cur_fill(UC_WALK);
UC_FN u64 uc_cur_uint(UC_WALK, u32 bytes);
UC_FN u64 uc_cur_uleb(UC_WALK);
UC_FN s64 uc_cur_sleb(UC_WALK);
UC_FN u64 uc_cur_ptr(UC_WALK, u32 enc);
UC_FN u64 uc_cur_ptr_size(UC_WALK, u32 enc);

/* uc_elf.c: the unwind section of w->map, to w->mod. */
UC_FN int uc_module_find(UC_WALK);
/* Is a run-time address in an executable segment of w->mod? */
UC_FN int uc_elf_is_code(UC_WALK, u64 addr);

/* uc_search.c: what looks like a section that no header names, in [pos, hi). */
#define UC_SEARCH_HDR 0
#define UC_SEARCH_CIE 1
UC_FN int uc_search_next(UC_WALK, u32 what, u64 pos, u64 hi);

/* What a record turned out to be, beside UC_FAULT and the stops. */
#define UC_RECORD_END 100 /* zero length: the terminator */
#define UC_RECORD_CIE 101
#define UC_RECORD_FDE 102

/* uc_ehframe.c; uc_record_look() is for those who list all records. */
UC_FN int uc_record_look(UC_WALK, u64 addr);
UC_FN int uc_hdr_open(UC_WALK);
UC_FN int uc_table_row(UC_WALK, u32 i);
UC_FN int uc_cie_read(UC_WALK, u64 cie);
UC_FN int uc_fde_read(UC_WALK, u64 addr);
UC_FN int uc_table_check(UC_WALK);
UC_FN int uc_fde_by_table(UC_WALK, u64 pc);
UC_FN int uc_fde_by_scan(UC_WALK, u64 pc);

/* uc_sframe.c: .sframe of w->mod; the row for pc to w->row. */
UC_FN int uc_sframe_open(UC_WALK);
UC_FN int uc_sframe_fde(UC_WALK, u32 i);
UC_FN int uc_sframe_find(UC_WALK, u64 pc);
UC_FN int uc_sframe_row(UC_WALK, u64 pc);
UC_FN u64 uc_sframe_fde_at(UC_WALK, u32 i);
UC_FN int uc_sframe_read(UC_WALK, u32 i);
UC_FN int uc_sframe_row_at(UC_WALK, u64 at, u32 is_last);

/* uc_cfa.c, uc_expr.c */
UC_FN int uc_cfa_run(UC_WALK, u64 pc);
UC_FN int uc_cfa_first(UC_WALK);
UC_FN int uc_cfa_next(UC_WALK);
UC_FN int uc_expr_run(UC_WALK, u64 block, u32 push_cfa);

/* uc_step.c: w->row or w->packed applied to w->regs, into w->next. */
UC_FN int uc_row_apply(UC_WALK);
UC_FN int uc_packed_apply(UC_WALK);
UC_FN int uc_row_pack(UC_WALK);

/* Flags above the register number in uc_packed_row.cfa_reg. */
#define UC_PACKED_REG 0x1f /* mask of the number */
#define UC_PACKED_OUTERMOST 0x20 /* the return address is undefined */
#define UC_PACKED_LOST 255 /* in save[]: the register is lost */
#define UC_PACKED_NO_ENTRY 0x40 /* known: no unwind entry covers the address */

/* uc_bare.c, core/arch/: a row for code without unwind data. */
UC_FN int uc_bare_row(UC_WALK, u32 why);
UC_FN int uc_bare_trampoline(UC_WALK, u64 addr);
UC_FN int uc_bare_linkage(UC_WALK);
UC_FN int uc_aarch64_trampoline(UC_WALK);
UC_FN int uc_aarch64_row(UC_WALK);
UC_FN int uc_s390x_trampoline(UC_WALK);
UC_FN int uc_s390x_row(UC_WALK);

/* x86: is the word at addr a return address? 1 and it in w->value, 0 or UC_FAULT. */
UC_FN int uc_bare_ra_at(UC_WALK, u64 addr);

/* uc_follow.c: x86-64. */
UC_FN int uc_follow(UC_WALK, u64 from, u64 to);

/* End the walk: remember what was wrong and where. */
static inline int uc_fail(struct uc_walk *w, int stop, u32 flaw, u64 addr)
{
	w->flaw = flaw;
	w->stop_addr = addr;
	return stop;
}

static inline int uc_malformed(struct uc_walk *w, u32 flaw, u64 addr)
{
	return uc_fail(w, UNCOIL_STOP_MALFORMED, flaw, addr);
}

static inline int uc_unsupported(struct uc_walk *w, u32 flaw, u64 addr)
{
	return uc_fail(w, UNCOIL_STOP_UNSUPPORTED, flaw, addr);
}

/* The walk needs a register whose value is not known. */
static inline int uc_no_register(struct uc_walk *w, u32 reg)
{
	return uc_fail(w, UNCOIL_STOP_NO_REGISTER, UNCOIL_FLAW_OF_REGISTER | (u32)w->abi.id << 8 | (reg & 0xff),
		       w->regs.pc);
}

/*
 * A read failed: the page is missing, or the world already knows that it
 * can not be had.
 */
static inline int uc_read_failed(struct uc_walk *w, u64 addr, u32 len)
{
	u64 first = addr & ~(UC_PAGE - 1);
	u64 last = (addr + len - 1) & ~(UC_PAGE - 1);
	int i;

	for (i = 0; i < UC_BAD_PAGES; i++)
		if (i < (int)w->nr_bad && (w->bad_page[i] == first || w->bad_page[i] == last))
			return uc_fail(w, UNCOIL_STOP_MEMORY_FAULT, 0, addr);
	w->fault_addr = addr;
	w->fault_len = len;
	return UC_FAULT;
}

/* Bytes from addr to the end of its page, at most max. */
static inline u32 uc_to_page_end(u64 addr, u32 max)
{
	u64 left = UC_PAGE - (addr & (UC_PAGE - 1));

	return left < max ? (u32)left : max;
}

/* Is the target's byte order another than this machine's? */
#define uc_swap(w) (uc_big_endian(w) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))

/* The target's word of addr_size or word bytes, of which 8 were copied. */
static inline u64 uc_word(struct uc_walk *w, u64 raw, u32 bytes)
{
	if (uc_swap(w))
		raw = __builtin_bswap64(raw);
	if (bytes == 8)
		return raw;
	return uc_big_endian(w) ? raw >> 32 : raw & 0xffffffff;
}

/* Addresses in the file's unwind data wrap around at its class. */
static inline u64 uc_addr_mask(const struct uc_walk *w)
{
	return w->mod.addr_size == 4 ? 0xffffffff : ~0ull;
}

static inline int uc_fde_covers(const struct uc_walk *w, u64 pc)
{
	return w->fde.start && pc >= w->fde.start && pc - w->fde.start < w->fde.range;
}

/* The word of the stack at addr: a saved register. */
static inline int uc_stack_word(struct uc_walk *w, u64 addr, u64 *ret)
{
	u64 at = addr - w->stack_win;

	if (at + w->abi.word > w->stack_len || at > UC_STACK_WINDOW) {
		int rc = uc_stack_fill(w, addr);

		if (rc)
			return rc;
		at = addr - w->stack_win;
		if (at > UC_STACK_WINDOW)
			return UNCOIL_STOP_MEMORY_FAULT;
	}
	memcpy(ret, &w->stack_buf[at], 8);
	*ret = uc_word(w, *ret, w->abi.word);
	return 0;
}

/* Start reading bytes of an unwind section. Bytes already read are kept. */
static inline void uc_cur_set(struct uc_walk *w, u64 pos, u64 end)
{
	w->cur.pos = pos;
	w->cur.end = end;
	w->cur.error = 0;
}

static inline void uc_cur_fail(struct uc_walk *w, int error, u32 flaw)
{
	if (!w->cur.error)
		w->cur.error = uc_fail(w, error, flaw, w->cur.pos);
}

static inline u8 uc_cur_u8(struct uc_walk *w)
{
	u64 at = w->cur.pos - w->cur.win;

	if (at >= w->cur.win_len || w->cur.pos >= w->cur.end) {
		if (uc_cur_fill(w))
			return 0;
		at = 0;
	}
	w->cur.pos++;
	return w->cur.buf[at & (UC_WINDOW - 1)];
}

#endif
