/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwind sections by their look, where no header says where they are. A few
 * bytes make a candidate; a candidate is believed when its records parse and
 * are of the right code.
 */
#include "uc_core.h"

/* Version 1; pointer pcrel|sdata4, count udata4, table datarel|sdata4: what
 * every linker writes (formats sheet 1.1). */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HDR_BYTES 0x3b031b01u
#else
#define HDR_BYTES 0x011b033bu
#endif

/* A CIE: a short length, id 0, version 1, a string that begins with z. */
static inline int uc_looks_like_cie(const struct uc_walk *w, const u8 *p)
{
	u32 word[2];

	memcpy(word, p, 8);
	if (uc_swap(w))
		word[0] = __builtin_bswap32(word[0]);
	return word[0] >= 12 && word[0] <= 64 && !word[1] && p[8] == 1 && p[9] == 'z';
}

/* Offset of the first candidate in the window; or UC_WINDOW. */
UC_FN_LOCAL u32 uc_search_window(UC_WALK, u32 what)
{
	u32 i;

	UC_FOR(i, UC_WINDOW / 4)
	{
		const u8 *p = &w->cur.buf[(4 * i) & (UC_WINDOW - 4)];
		u32 word;

		memcpy(&word, p, 4);
		if (what == UC_SEARCH_HDR ? word == HDR_BYTES :
					 i < UC_WINDOW / 4 - 3 && uc_looks_like_cie(w, p))
			return 4 * i;
	}
	return UC_WINDOW;
}

/* The window at pos; reads bytes beyond a page, where the section goes on. */
static inline int uc_search_fill(struct uc_walk *w, u64 pos, u64 hi)
{
	u32 len = hi - pos < UC_WINDOW ? (u32)(hi - pos) : UC_WINDOW;

	memset(w->cur.buf, 0, UC_WINDOW);
	w->cur.win_len = 0;
	if (uc_port_read_window(w, w->cur.buf, len, pos, UC_WINDOW))
		return uc_read_failed(w, pos, len);
	return 0;
}

/*
 * The first candidate at or after pos, its address to w->value. Returns 0,
 * UC_FAULT, or UNCOIL_STOP_NO_SECTION.
 */
UC_FN int uc_search_next(UC_WALK, u32 what, u64 pos, u64 hi)
{
	u32 i;

	UC_FOR(i, UC_SEARCH_WINDOWS)
	{
		u32 at;
		int rc;

		if (pos >= hi || w->searched++ >= UC_SEARCH_WINDOWS)
			break;
		rc = uc_search_fill(w, pos, hi);
		if (rc)
			return rc == UC_FAULT ? rc : UNCOIL_STOP_NO_SECTION;
		at = uc_search_window(w, what);
		if (at < UC_WINDOW) {
			w->value = pos + at;
			return 0;
		}
		pos += UC_WINDOW - 12; /* a CIE's first bytes may be split */
	}
	return UNCOIL_STOP_NO_SECTION;
}
