/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* User memory: the stack, and the bytes of unwind sections. */
#include "uc_core.h"
#include "uc_dwarf.h"

/*
 * Read the stack around addr. The window starts a little below, where the
 * other registers of the frame are, and reaches up to the callers' frames. It
 * stays inside addr's page: its neighbours may not be mapped, and a read that
 * fails costs a hundred good ones.
 */
UC_FN int uc_stack_fill(UC_WALK, u64 addr)
{
	u64 page = addr & ~(UC_PAGE - 1);
	u64 from = addr - page < 56 ? page : addr - 56;
	u32 len = uc_to_page_end(from, UC_STACK_WINDOW);

	w->stack_len = 0;
	if (addr > UC_USER_MAX)
		return uc_fail(w, UNCOIL_STOP_MEMORY_FAULT, 0, addr);
	if (from + len < addr + w->abi.word) { /* a word across two pages */
		from = addr;
		len = w->abi.word;
	}
	if (uc_port_read_window(w, w->stack_buf, len, from, UC_STACK_WINDOW))
		return uc_read_failed(w, from, len);
	w->stack_win = from;
	w->stack_len = len;
	return 0;
}

UC_FN int uc_cur_fill(UC_WALK)
{
	u64 pos = w->cur.pos, left;
	u32 len;

	if (w->cur.error)
		return w->cur.error;
	if (pos >= w->cur.end) {
		uc_cur_fail(w, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
		return w->cur.error;
	}
	left = w->cur.end - pos;
	len = uc_to_page_end(pos, left < UC_WINDOW ? (u32)left : UC_WINDOW);
	w->cur.win_len = 0;
	if (uc_port_read_window(w, w->cur.buf, len, pos, UC_WINDOW)) {
		w->cur.error = uc_read_failed(w, pos, len);
		return w->cur.error;
	}
	w->cur.win = pos;
	w->cur.win_len = len;
	return 0;
}

/* Fixed-size number in the target's byte order. */
UC_FN u64 uc_cur_uint(UC_WALK, u32 bytes)
{
	u64 v = 0;
	u32 i;

	UC_FOR(i, 8)
	{
		u64 b;

		if (i >= bytes)
			break;
		b = uc_cur_u8(w);
		if (uc_big_endian(w))
			v = v << 8 | b;
		else
			v |= b << (8 * (i & 7));
	}
	return v;
}

/* A number may be padded with zero groups; bits beyond 64 must not be set. */
UC_FN u64 uc_cur_uleb(UC_WALK)
{
	u64 v = 0;
	u32 i;

	UC_FOR(i, UC_LEB_BYTES)
	{
		u8 b = uc_cur_u8(w);
		u64 low = b & 0x7f;

		if (w->cur.error)
			return 0;
		if (i < 9)
			v |= low << (7 * i);
		else if (i == 9 && low <= 1)
			v |= low << 63;
		else if (low)
			break;
		if (!(b & 0x80))
			return v;
	}
	uc_cur_fail(w, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_LEB128);
	return 0;
}

UC_FN s64 uc_cur_sleb(UC_WALK)
{
	u64 v = 0;
	u32 i;

	UC_FOR(i, UC_LEB_BYTES)
	{
		u8 b = uc_cur_u8(w);
		u64 low = b & 0x7f;

		if (w->cur.error)
			return 0;
		if (i < 9)
			v |= low << (7 * i);
		else if (i == 9 && (low == 0 || low == 0x7f))
			v |= low << 63;
		else if (low != ((s64)v < 0 ? 0x7f : 0))
			break;
		if (!(b & 0x80)) {
			if (i < 9 && (b & 0x40))
				v |= ~0ull << (7 * (i + 1));
			return (s64)v;
		}
	}
	uc_cur_fail(w, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_LEB128);
	return 0;
}

/* The number behind a pointer encoding's format nibble, without its base. */
static inline u64 uc_cur_ptr_raw(struct uc_walk *w, u32 format)
{
	switch (format) {
	case UC_PE_ABSPTR:
	case UC_PE_SIGNED: /* as wide as an address: a sign makes no difference */
		return uc_cur_uint(w, w->mod.addr_size);
	case UC_PE_ULEB128:
		return uc_cur_uleb(w);
	case UC_PE_SLEB128:
		return (u64)uc_cur_sleb(w);
	case UC_PE_UDATA2:
		return uc_cur_uint(w, 2);
	case UC_PE_UDATA4:
		return uc_cur_uint(w, 4);
	case UC_PE_SDATA2:
		return (u64)(s64)(s16)uc_cur_uint(w, 2);
	case UC_PE_SDATA4:
		return (u64)(s64)(s32)uc_cur_uint(w, 4);
	case UC_PE_UDATA8:
	case UC_PE_SDATA8:
		return uc_cur_uint(w, 8);
	}
	uc_cur_fail(w, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_POINTER_ENCODING);
	return 0;
}

/* The address that an indirect pointer points to. */
static inline u64 uc_cur_indirect(struct uc_walk *w, u64 at)
{
	u64 v = 0;
	u32 size = w->mod.addr_size;

	w->impure = 1;
	if (uc_port_read_window(w, w->scratch, size, at, 8)) {
		w->cur.error = uc_read_failed(w, at, size);
		return 0;
	}
	memcpy(&v, w->scratch, 8);
	return uc_word(w, v, size);
}

/*
 * An encoded pointer (LSB Core, "DWARF Exception Header Encoding"). datarel
 * has a meaning for us inside .eh_frame_hdr alone; textrel has none on our
 * machines. An absolute or indirect pointer makes the row depend on where
 * this process has the file: it must not be shared. What the loader has not
 * relocated, because it is not loaded, is relative to the bias.
 */
UC_FN u64 uc_cur_ptr(UC_WALK, u32 enc)
{
	u64 field, v;

	if ((enc & UC_PE_APPLICATION) == UC_PE_ALIGNED) {
		w->cur.pos = (w->cur.pos + w->mod.addr_size - 1) & ~(u64)(w->mod.addr_size - 1);
		enc = UC_PE_ABSPTR;
	}
	field = w->cur.pos;
	v = uc_cur_ptr_raw(w, enc & UC_PE_FORMAT);
	if (w->cur.error)
		return 0;
	switch (enc & UC_PE_APPLICATION) {
	case 0:
		if (w->sec.debug)
			v = v ? v + w->mod.bias : 0;
		else if (w->mod.bias || !w->mod.elf)
			w->impure = 1;
		break;
	case UC_PE_PCREL:
		v = v ? v + field : 0;
		break;
	case UC_PE_DATAREL:
		v = v ? v + w->mod.hdr : 0;
		break;
	case UC_PE_FUNCREL:
		v = v ? v + w->fde.start : 0;
		break;
	default:
		uc_cur_fail(w, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_POINTER_ENCODING);
		return 0;
	}
	v &= uc_addr_mask(w);
	return (enc & UC_PE_INDIRECT) && v ? uc_cur_indirect(w, v) : v;
}

/* A size: as wide as a pointer of this encoding, without sign or base. */
UC_FN u64 uc_cur_ptr_size(UC_WALK, u32 enc)
{
	return uc_cur_ptr_raw(w, enc & UC_PE_FORMAT & ~(u32)UC_PE_SIGNED);
}
