/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* .eh_frame_hdr and .eh_frame: LSB Core, "Exception Frames"; the variants are
 * those of the formats sheet, sections 1, 2 and 7. */
#include "core_image.h"

static struct image img;
static struct uc_walk w;

#define F1 (IMG_TEXT + 0x100)
#define F2 (IMG_TEXT + 0x200)
#define F3 (IMG_TEXT + 0x300)

/* A program; the sections as uc_module_find() would leave them to the reader. */
static void begin(void)
{
	img_program(&img);
	memset(&w, 0, sizeof(w));
	uc_abi_set(&w, UC_ABI_X86_64);
	w.port.mem = &img.memory;
	w.mod.bias = IMG_PROG;
	w.mod.hdr = IMG_HDR;
	w.mod.hdr_end = IMG_HDR + 0x400;
	w.mod.eh_frame = IMG_EH;
	w.sec.lo = IMG_HDR;
	w.sec.hi = IMG_END;
}

static int open_hdr(const u8 *bytes, u32 len)
{
	img_write(&img, IMG_HDR, bytes, len);
	return uc_hdr_open(&w);
}

/* Three functions of 0x10 bytes with the usual CIE, and their table. */
static void three_functions(void)
{
	u64 cie;

	begin();
	cie = img_cie_usual(&img);
	img_fde(&img, cie, F1, 0x10, BYTES(0));
	img_fde(&img, cie, F2, 0x10, BYTES(0));
	img_fde(&img, cie, F3, 0x10, BYTES(0));
	img_hdr(&img);
	assert_int_equal(uc_hdr_open(&w), 0);
}

static void expect_found(int rc, u64 start)
{
	assert_int_equal(rc, 0);
	assert_int_equal(w.fde.start, start);
}

static void expect_stop(int rc, int stop, u32 flaw)
{
	assert_int_equal(rc, stop);
	assert_int_equal(w.flaw, flaw);
}

/* A CIE of these bytes (from its version on) with one FDE: of F1, absolute
 * and of address size unless @pcrel. The FDE's rest follows @tail. */
static int with_cie(u32 pcrel, const u8 *cie_bytes, u32 cie_len, const u8 *tail, u32 tail_len)
{
	u8 fde[128];
	u32 len = pcrel ? 8 : 16;
	u64 cie;

	begin();
	cie = img_cie(&img, cie_bytes, cie_len);
	if (pcrel)
		memcpy(fde, (const u8[]){ LE32(F1 - (img.at + 8)), LE32(0x10) }, 8);
	else
		memcpy(fde, (const u8[]){ LE64(F1), LE64(0x10) }, 16);
	memcpy(fde + len, tail, tail_len);
	img_row_add(&img, F1, img_fde_raw(&img, cie, fde, len + tail_len));
	img_hdr(&img);
	assert_int_equal(uc_hdr_open(&w), 0);
	return uc_fde_by_table(&w, F1);
}

/* First byte of the instructions that an entry's reader stands at. */
static u8 byte_at(u64 addr)
{
	return img_page(&img, addr)->bytes[addr & (UC_PAGE - 1)];
}

/* ---- the header ---- */

static void test_ehframe__usual_header(void **state)
{
	(void)state;
	three_functions();
	assert_int_equal(w.mod.eh_frame, IMG_EH);
	assert_int_equal(w.mod.table, IMG_HDR + 12);
	assert_int_equal(w.mod.rows, 3);
	assert_int_equal(w.mod.row_size, 4);
}

static void test_ehframe__header_without_table_leads_to_a_scan(void **state)
{
	(void)state;
	begin();
	w.mod.hdr_end = IMG_HDR + 8;
	/* ld.bfd, when it could not read one input: 01 1b ff ff */
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 0xff, 0xff, LE32(IMG_EH - IMG_HDR - 4))), 0);
	assert_int_equal(w.mod.eh_frame, IMG_EH);
	assert_int_equal(w.mod.table, 0);
}

static void test_ehframe__wide_table_of_lld(void **state)
{
	u64 cie, fde;

	(void)state;
	begin();
	cie = img_cie_usual(&img);
	img_fde(&img, cie, F1, 0x10, BYTES(0));
	fde = img_fde(&img, cie, F2, 0x10, BYTES(0));
	assert_int_equal(open_hdr(BYTES(1, 0x1c, 0x03, 0x3c, LE64(IMG_EH - IMG_HDR - 4), LE32(2),
					LE64(F1 - IMG_HDR), LE64(img.row[0].fde - IMG_HDR),
					LE64(F2 - IMG_HDR), LE64(fde - IMG_HDR))),
			 0);
	assert_int_equal(w.mod.eh_frame, IMG_EH);
	assert_int_equal(w.mod.row_size, 8);
	assert_int_equal(w.mod.rows, 2);
	expect_found(uc_fde_by_table(&w, F2 + 0xf), F2);
	expect_found(uc_fde_by_table(&w, F1), F1);
	expect_stop(uc_fde_by_table(&w, F1 + 0x10), UNCOIL_STOP_NO_ENTRY, 0);
}

static void test_ehframe__count_encodings(void **state)
{
	u32 end = IMG_EH - IMG_HDR - 4;

	(void)state;
	begin();
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 0x02, 0x3b, LE32(end), LE16(7))), 0);
	assert_int_equal(w.mod.rows, 7);
	assert_int_equal(w.mod.table, IMG_HDR + 10);
	begin();
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 0x04, 0x3b, LE32(end), LE64(7))), 0);
	assert_int_equal(w.mod.rows, 7);
	begin();
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 0x01, 0x3b, LE32(end), 0x87, 0x00)), 0);
	assert_int_equal(w.mod.rows, 7);
	assert_int_equal(w.mod.table, IMG_HDR + 10);
}

static void test_ehframe__count_zero_finds_nothing(void **state)
{
	(void)state;
	begin();
	img_fde(&img, img_cie_usual(&img), F1, 0x10, BYTES(0));
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 3, 0x3b, LE32(IMG_EH - IMG_HDR - 4), LE32(0))), 0);
	expect_stop(uc_fde_by_table(&w, F1), UNCOIL_STOP_NO_ENTRY, 0);
}

static void test_ehframe__count_that_lies_disables_the_table(void **state)
{
	u32 fit = (0x400 - 12) / 8, end = IMG_EH - IMG_HDR - 4;

	(void)state;
	begin();
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 3, 0x3b, LE32(end), LE32(fit))), 0);
	assert_int_equal(w.mod.rows, fit);
	begin();
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 3, 0x3b, LE32(end), LE32(fit + 1))), 0);
	assert_int_equal(w.mod.table, 0);
	begin();
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 3, 0x3b, LE32(end), LE32(~0u))), 0);
	assert_int_equal(w.mod.table, 0);
	begin();
	assert_int_equal(open_hdr(BYTES(1, 0x1b, 4, 0x3b, LE32(end), LE64(1ull << 61))), 0);
	assert_int_equal(w.mod.table, 0);
}

static void test_ehframe__table_of_unusual_encoding_is_left_alone(void **state)
{
	static const u8 enc[] = { 0x00, 0x03, 0x0b, 0x1b, 0x3a, 0x30, 0x39, 0xbb };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(enc); i++) {
		begin();
		assert_int_equal(open_hdr(BYTES(1, 0x1b, 3, enc[i], LE32(IMG_EH - IMG_HDR - 4),
						LE32(1))),
				 0);
		assert_int_equal(w.mod.table, 0);
		assert_int_equal(w.mod.eh_frame, IMG_EH);
	}
}

static void test_ehframe__header_of_another_version(void **state)
{
	(void)state;
	begin();
	expect_stop(open_hdr(BYTES(2, 0x1b, 3, 0x3b)), UNCOIL_STOP_MALFORMED,
		    UNCOIL_FLAW_HDR_VERSION);
	assert_int_equal(w.stop_addr, IMG_HDR);
}

static void test_ehframe__header_without_a_pointer(void **state)
{
	(void)state;
	begin();
	expect_stop(open_hdr(BYTES(1, 0xff, 3, 0x3b)), UNCOIL_STOP_MALFORMED,
		    UNCOIL_FLAW_HDR_ENCODING);
	begin();
	expect_stop(open_hdr(BYTES(1, 0x2b, 3, 0x3b, LE32(4))), UNCOIL_STOP_UNSUPPORTED,
		    UNCOIL_FLAW_POINTER_ENCODING);
}

/* funcrel has no base in a header, least of all the last look-up's function. */
static void test_ehframe__header_hangs_on_no_look_up_before(void **state)
{
	(void)state;
	begin();
	w.fde.start = F1;
	if (!open_hdr(BYTES(1, 0x4b, 0xff, 0xff, LE32(4))))
		assert_int_equal(w.mod.eh_frame, 4);
}

static void test_ehframe__header_cut_short(void **state)
{
	u32 len;

	(void)state;
	for (len = 0; len < 12; len++) {
		begin();
		w.mod.hdr_end = IMG_HDR + len;
		expect_stop(open_hdr(BYTES(1, 0x1b, 3, 0x3b, LE32(IMG_EH - IMG_HDR - 4), LE32(1))),
			    UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
		assert_true(img.read_end <= IMG_HDR + len);
	}
}

/* ---- the table ---- */

static void test_ehframe__table_finds_first_and_last_byte(void **state)
{
	(void)state;
	three_functions();
	expect_found(uc_fde_by_table(&w, F1), F1);
	expect_found(uc_fde_by_table(&w, F1 + 0xf), F1);
	expect_found(uc_fde_by_table(&w, F2 + 7), F2);
	expect_found(uc_fde_by_table(&w, F3 + 0xf), F3);
	assert_int_equal(w.fde.range, 0x10);
}

static void test_ehframe__gaps_have_no_entry(void **state)
{
	(void)state;
	three_functions();
	expect_stop(uc_fde_by_table(&w, F1 - 1), UNCOIL_STOP_NO_ENTRY, 0);
	expect_stop(uc_fde_by_table(&w, F1 + 0x10), UNCOIL_STOP_NO_ENTRY, 0);
	expect_stop(uc_fde_by_table(&w, F3 + 0x10), UNCOIL_STOP_NO_ENTRY, 0);
	expect_stop(uc_fde_by_scan(&w, F1 - 1), UNCOIL_STOP_NO_ENTRY, 0);
	expect_stop(uc_fde_by_scan(&w, F1 + 0x10), UNCOIL_STOP_NO_ENTRY, 0);
}

static void test_ehframe__sentinels_of_mold(void **state)
{
	(void)state;
	begin();
	img_fde(&img, img_cie_usual(&img), F1, 0x10, BYTES(0));
	img_hdr(&img);
	/* slots that were reserved for two empty FDEs, counted */
	img_write(&img, IMG_HDR + 8, BYTES(LE32(3)));
	img_write(&img, IMG_HDR + 20, BYTES(LE32(0x7fffffff), LE32(0), LE32(0x7fffffff), LE32(0)));
	assert_int_equal(uc_hdr_open(&w), 0);
	expect_found(uc_fde_by_table(&w, F1 + 8), F1);
	expect_stop(uc_fde_by_table(&w, F1 + 0x10), UNCOIL_STOP_NO_ENTRY, 0);
}

static void test_ehframe__unsorted_table_is_malformed(void **state)
{
	(void)state;
	three_functions();
	/* F3 + 0x100, F2, F3: below the middle there is a higher row */
	img_write(&img, IMG_HDR + 12, BYTES(LE32(F3 + 0x100 - IMG_HDR)));
	w.cur.win_len = 0;
	expect_stop(uc_fde_by_table(&w, F1), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_HDR_UNSORTED);
}

static void test_ehframe__row_that_leads_outside_is_malformed(void **state)
{
	(void)state;
	three_functions();
	/* to 0x10000 below the segment, to its end, and above it */
	img_write(&img, IMG_HDR + 12 + 12, BYTES(LE32(-0x10000)));
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RECORD_LENGTH);
	img_write(&img, IMG_HDR + 12 + 12, BYTES(LE32(IMG_END - IMG_HDR)));
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RECORD_LENGTH);
	img_write(&img, IMG_HDR + 12 + 12, BYTES(LE32(0x7fffffff)));
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RECORD_LENGTH);
	assert_true(img.read_end <= IMG_END);
	/* the scan does not need the row */
	expect_found(uc_fde_by_scan(&w, F2), F2);
}

static void test_ehframe__row_that_leads_to_a_cie_is_malformed(void **state)
{
	(void)state;
	three_functions();
	img_write(&img, IMG_HDR + 12 + 12, BYTES(LE32(IMG_EH - IMG_HDR)));
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_CIE_POINTER);
}

static void test_ehframe__overlapping_fdes_greatest_start_wins(void **state)
{
	u64 cie;

	(void)state;
	begin();
	cie = img_cie_usual(&img);
	img_fde(&img, cie, F1, 0x300, BYTES(0)); /* over all */
	img_fde(&img, cie, F2, 0x10, BYTES(0));
	img_fde(&img, cie, F2 + 0x20, 0x10, BYTES(0));
	img_hdr(&img);
	assert_int_equal(uc_hdr_open(&w), 0);
	expect_found(uc_fde_by_table(&w, F2), F2);
	expect_found(uc_fde_by_table(&w, F2 + 0x10), F1);
	expect_found(uc_fde_by_table(&w, F2 + 0x2f), F2 + 0x20);
	expect_found(uc_fde_by_table(&w, F2 + 0x30), F1);
	expect_found(uc_fde_by_scan(&w, F2), F2);
	expect_found(uc_fde_by_scan(&w, F2 + 0x10), F1);
	expect_found(uc_fde_by_scan(&w, F2 + 0x2f), F2 + 0x20);
	expect_found(uc_fde_by_scan(&w, F2 + 0x30), F1);
}

static void test_ehframe__empty_fdes_hide_nothing(void **state)
{
	u64 cie;
	u32 i;

	(void)state;
	begin();
	cie = img_cie_usual(&img);
	img_fde(&img, cie, F1, 0x10, BYTES(0));
	for (i = 0; i < UC_SEARCH_BACK - 1; i++) /* inserted behind F1's row */
		img_fde(&img, cie, F1, 0, BYTES(0));
	img_hdr(&img);
	assert_int_equal(uc_hdr_open(&w), 0);
	expect_found(uc_fde_by_table(&w, F1), F1);
	assert_int_equal(w.fde.range, 0x10);
	expect_found(uc_fde_by_scan(&w, F1 + 1), F1);
	assert_int_equal(w.fde.range, 0x10);
}

static void test_ehframe__discarded_function_covers_nothing(void **state)
{
	u64 cie;

	(void)state;
	begin();
	cie = img_cie_usual(&img);
	/* location 0 is null, not the field's own address */
	img_fde_raw(&img, cie, BYTES(LE32(0), LE32(0x7fffffff), 0));
	expect_stop(uc_fde_by_scan(&w, IMG_EH + 0x40), UNCOIL_STOP_NO_ENTRY, 0);
}

/* ---- records ---- */

static void test_ehframe__terminator_in_the_middle_ends_a_scan_only(void **state)
{
	u64 cie;

	(void)state;
	begin();
	cie = img_cie_usual(&img);
	img_fde(&img, cie, F1, 0x10, BYTES(0));
	img_write(&img, img.at, BYTES(LE32(0)));
	img.at += 4;
	img_fde(&img, cie, F2, 0x10, BYTES(0));
	img_hdr(&img);
	assert_int_equal(uc_hdr_open(&w), 0);
	expect_found(uc_fde_by_scan(&w, F1), F1);
	expect_stop(uc_fde_by_scan(&w, F2), UNCOIL_STOP_NO_ENTRY, 0);
	expect_found(uc_fde_by_table(&w, F2), F2);
}

static void test_ehframe__scan_without_terminator_ends_with_the_segment(void **state)
{
	(void)state;
	begin();
	img_fde(&img, img_cie_usual(&img), F1, 0x10, BYTES(0));
	w.sec.hi = img.at;
	img_write(&img, img.at, BYTES(0x10, 0, 0, 0, 1, 1, 1, 1)); /* not ours any more */
	expect_found(uc_fde_by_scan(&w, F1), F1);
	expect_stop(uc_fde_by_scan(&w, F2), UNCOIL_STOP_NO_ENTRY, 0);
	assert_true(img.read_end <= img.at);
}

static void test_ehframe__record_lengths(void **state)
{
	u64 fde;

	(void)state;
	three_functions();
	fde = img.row[1].fde;
	img_write(&img, fde, BYTES(LE32(0xfffffff0))); /* reserved */
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RECORD_LENGTH);
	assert_int_equal(w.stop_addr, fde);
	w.cur.win_len = 0;
	img_write(&img, fde, BYTES(LE32(IMG_END - fde - 3))); /* one byte too many */
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RECORD_LENGTH);
	w.cur.win_len = 0;
	img_write(&img, fde, BYTES(LE32(3))); /* no room for an id */
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RECORD_LENGTH);
	w.cur.win_len = 0;
	img_write(&img, fde, BYTES(LE32(0)));
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_RECORD_LENGTH);
	w.cur.win_len = 0;
	img_write(&img, fde, BYTES(LE32(8))); /* ends inside the location */
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
}

static void test_ehframe__cie_pointers(void **state)
{
	u64 id;

	(void)state;
	three_functions();
	id = img.row[1].fde + 4;
	img_write(&img, id, BYTES(LE32(id - IMG_HDR + 0x100))); /* below the segment */
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_CIE_POINTER);
	w.cur.win_len = 0;
	img_write(&img, id, BYTES(LE32(-0x10))); /* forwards */
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_CIE_POINTER);
	w.cur.win_len = 0;
	img_write(&img, id, BYTES(LE32(id - img.row[0].fde))); /* to an FDE */
	expect_stop(uc_fde_by_table(&w, F2), UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_CIE_POINTER);
	assert_int_equal(w.stop_addr, img.row[0].fde);
}

/* The 64-bit format has a 4-byte id by the LSB's text. */
static void test_ehframe__format64_with_4_byte_ids(void **state)
{
	u64 cie, fde;

	(void)state;
	begin();
	cie = img.at;
	img_write(&img, cie, BYTES(LE32(0xffffffff), LE64(20), LE32(0), 1, 'z', 'R', 0, 1, 0x78, 16,
				   1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0));
	fde = cie + 32;
	img_write(&img, fde, BYTES(LE32(0xffffffff), LE64(16), LE32(fde + 12 - cie),
				   LE32(F1 - (fde + 16)), LE32(0x10), 0, 0x41, 0, 0));
	expect_found(uc_fde_by_scan(&w, F1), F1);
	assert_int_equal(w.fde.range, 0x10);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
	assert_int_equal(w.fde.insn_end, fde + 28);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
}

/* ... and an 8-byte one by binutils (formats sheet 2.1: try 4, then 8). */
static void test_ehframe__format64_with_8_byte_ids(void **state)
{
	u64 cie, fde;

	(void)state;
	begin();
	cie = img.at;
	img_write(&img, cie, BYTES(LE32(0xffffffff), LE64(24), LE64(0), 1, 'z', 'R', 0, 1, 0x78, 16,
				   1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0));
	fde = cie + 36;
	img_write(&img, fde, BYTES(LE32(0xffffffff), LE64(20), LE64(fde + 12 - cie),
				   LE32(F1 - (fde + 20)), LE32(0x10), 0, 0x41, 0, 0));
	expect_found(uc_fde_by_scan(&w, F1), F1);
	assert_int_equal(w.fde.range, 0x10);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
}

static void test_ehframe__format64_fde_of_a_32_bit_cie(void **state)
{
	u64 cie, fde;

	(void)state;
	begin();
	cie = img_cie_usual(&img);
	fde = img.at;
	img_write(&img, fde, BYTES(LE32(0xffffffff), LE64(16), LE32(fde + 12 - cie),
				   LE32(F1 - (fde + 16)), LE32(0x10), 0, 0x41, 0, 0));
	expect_found(uc_fde_by_scan(&w, F1), F1);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
}

static void test_ehframe__format64_length_is_bounded(void **state)
{
	(void)state;
	begin();
	img_write(&img, IMG_EH, BYTES(LE32(0xffffffff), LE64(~0ull), LE32(0), 1, 0));
	expect_stop(uc_fde_by_scan(&w, F1), UNCOIL_STOP_NO_ENTRY, 0);
}

static void test_ehframe__cie_behind_another_fde(void **state)
{
	u64 a, b;

	(void)state;
	begin();
	a = img_cie_usual(&img);
	img_fde(&img, a, F1, 0x10, BYTES(0));
	b = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x7c, 8, 1, 0x1b)); /* as gold may */
	img_fde(&img, b, F2, 0x10, BYTES(0));
	img_fde(&img, a, F3, 0x10, BYTES(0));
	img_hdr(&img);
	assert_int_equal(uc_hdr_open(&w), 0);
	expect_found(uc_fde_by_table(&w, F2), F2);
	assert_int_equal(w.fde.data_align, -4);
	assert_int_equal(w.fde.ra_reg, 8);
	expect_found(uc_fde_by_table(&w, F3), F3);
	assert_int_equal(w.fde.data_align, -8);
	assert_int_equal(w.fde.ra_reg, 16);
}

/* ---- scans ---- */

/* A memory of nothing but the smallest records: an FDE of CIE 0. */
static int read_endless(void *arg, u64 addr, void *dst, u32 len)
{
	u32 i;

	(void)arg;
	for (i = 0; i < len; i++)
		((u8 *)dst)[i] = (addr + i) & 7 ? 0 : 4;
	return 0;
}

static void test_ehframe__scan_is_bounded(void **state)
{
	const struct uc_memory endless = { .read = read_endless, .map = img_find_map, .elf = img_find_elf, .arg = &img };

	(void)state;
	begin();
	w.port.mem = &endless;
	w.sec.lo = IMG_PROG;
	w.mod.eh_frame = IMG_PROG;
	w.sec.hi = IMG_PROG + 8ull * (UC_SCAN_RECORDS + 1);
	expect_stop(uc_fde_by_scan(&w, F1), UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_SCAN_LIMIT);
}

static void test_ehframe__scan_passes_over_fdes_that_it_can_not_read(void **state)
{
	u64 bad;

	(void)state;
	begin();
	bad = img_cie(&img, BYTES(9, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b));
	img_fde_raw(&img, bad, BYTES(LE32(4), LE32(0x10), 0));
	img_fde_raw(&img, img.at + 0x1000, BYTES(LE32(4), LE32(0x10), 0));
	img_fde(&img, img_cie_usual(&img), F1, 0x10, BYTES(0));
	expect_found(uc_fde_by_scan(&w, F1), F1);
}

/* A record whose id is on a page that is not present is asked for, not skipped. */
static void test_ehframe__scan_asks_for_a_missing_id(void **state)
{
	u64 cie, fde = IMG_HDR + 0x1000 - 4;

	(void)state;
	begin();
	img.at = fde - 24; /* the usual CIE's size */
	w.mod.eh_frame = img.at;
	cie = img_cie_usual(&img);
	assert_int_equal(img.at, fde);
	img_fde(&img, cie, F1, 0x10, BYTES(0));
	w.sec.hi = img.at;
	img_page(&img, fde + 4)->missing = 1;
	assert_int_equal(uc_fde_by_scan(&w, F1), UC_FAULT);
	assert_int_equal(img_bring_in(&img, w.fault_addr, w.fault_len), 0);
	expect_found(uc_fde_by_scan(&w, F1), F1);
}

/* ---- CIEs ---- */

static void test_ehframe__cie_without_augmentation_is_absolute(void **state)
{
	(void)state;
	/* FDE addresses: absptr; no augmentation length anywhere */
	expect_found(with_cie(0, BYTES(1, 0, 1, 0x78, 16, 0x0c, 7, 8), BYTES(0x41)), F1);
	assert_int_equal(w.fde.range, 0x10);
	assert_int_equal(w.fde.code_align, 1);
	assert_int_equal(w.fde.data_align, -8);
	assert_int_equal(w.fde.ra_reg, 16);
	assert_int_equal(w.fde.signal, 0);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
}

static void test_ehframe__cie_version_1_has_a_byte_for_the_ra_column(void **state)
{
	(void)state;
	/* column 0x90 is one byte; 0x0c follows at once */
	expect_found(with_cie(1, BYTES(1, 'z', 'R', 0, 1, 0x78, 0x90, 1, 0x1b, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(w.fde.ra_reg, 0x90);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
}

static void test_ehframe__cie_version_3_has_a_uleb_for_the_ra_column(void **state)
{
	(void)state;
	/* 0x90 0x01 is 144 */
	expect_found(with_cie(1, BYTES(3, 'z', 'R', 0, 1, 0x78, 0x90, 0x01, 1, 0x1b, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(w.fde.ra_reg, 144);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
	/* 16, padded */
	expect_found(with_cie(1, BYTES(3, 'z', 'R', 0, 1, 0x78, 0x90, 0x00, 1, 0x1b, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(w.fde.ra_reg, 16);
}

/* A column that needs more than 32 bits is not its low 32 bits. */
static void test_ehframe__huge_ra_column_is_no_other_column(void **state)
{
	int rc;

	(void)state;
	/* 2^32 + 16 */
	rc = with_cie(1, BYTES(3, 'z', 'R', 0, 1, 0x78, 0x90, 0x80, 0x80, 0x80, 0x10, 1, 0x1b, 0x0c,
			       7, 8, 0x90, 1),
		      BYTES(0, 0));
	if (!rc)
		rc = uc_cfa_run(&w, F1);
	expect_stop(rc, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
}

static void test_ehframe__cie_version_4_has_sizes(void **state)
{
	(void)state;
	/* address size 8, segment selector size 0, before the code alignment */
	expect_found(with_cie(1, BYTES(4, 'z', 'R', 0, 8, 0, 2, 0x7c, 16, 1, 0x1b, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(w.fde.code_align, 2);
	assert_int_equal(w.fde.data_align, -4);
	assert_int_equal(w.fde.ra_reg, 16);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	expect_stop(with_cie(1, BYTES(4, 'z', 'R', 0, 4, 0, 1, 0x78, 16, 1, 0x1b), BYTES(0)),
		    UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_CIE_VERSION);
	expect_stop(with_cie(1, BYTES(4, 'z', 'R', 0, 8, 2, 1, 0x78, 16, 1, 0x1b), BYTES(0)),
		    UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_CIE_VERSION);
}

static void test_ehframe__cie_of_unknown_version(void **state)
{
	static const u8 version[] = { 0, 2, 5, 0xff };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(version); i++)
		expect_stop(with_cie(1, BYTES(version[i], 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b),
				     BYTES(0)),
			    UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_CIE_VERSION);
	assert_int_equal(w.stop_addr, IMG_EH);
}

static void test_ehframe__augmentation_eh_has_a_pointer(void **state)
{
	(void)state;
	/* g++ 2.x: eight bytes before the code alignment */
	expect_found(with_cie(0, BYTES(1, 'e', 'h', 0, LE64(0x1122334455667788), 2, 0x7c, 16, 0x0c,
				       7, 8),
			      BYTES(0x41)),
		     F1);
	assert_int_equal(w.fde.code_align, 2);
	assert_int_equal(w.fde.data_align, -4);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
}

static void test_ehframe__personality_and_lsda_are_passed_over(void **state)
{
	(void)state;
	/* glibc's zPLR: 9b <4 bytes> 1b 1b; the FDE's augmentation is an LSDA */
	expect_found(with_cie(1, BYTES(1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 7, 0x9b, LE32(0x1000),
				       0x1b, 0x1b, 0x0c, 7, 8),
			      BYTES(4, LE32(0x77777777), 0x41)),
		     F1);
	assert_int_equal(w.fde.addr_enc, 0x1b);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
	/* the personality was not followed: no mapping is at its place */
	assert_int_equal(w.impure, 0);
}

static void test_ehframe__aligned_personality(void **state)
{
	(void)state;
	/*
	 * The CIE is at an address that ends in 0. 8 bytes to its version, which
	 * is followed by "zPR\0", factors and column (3), length, encoding: the
	 * personality's field would be at 18, and is at 24 (6 bytes later).
	 */
	expect_found(with_cie(1, BYTES(1, 'z', 'P', 'R', 0, 1, 0x78, 16, 16, 0x50, 0xaa, 0xaa, 0xaa,
				       0xaa, 0xaa, 0xaa, LE64(IMG_TEXT), 0x1b, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(w.fde.addr_enc, 0x1b);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	/* the process's own address of a personality is no part of the row */
	assert_int_equal(w.impure, 0);
}

static void test_ehframe__omitted_personality_and_lsda(void **state)
{
	(void)state;
	expect_found(with_cie(1, BYTES(1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 3, 0xff, 0xff, 0x1b,
				       0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
}

/* The personality is only to be skipped (formats sheet 1.2), and z's length
 * does that, whatever its base. */
static void test_ehframe__personality_with_any_base_is_passed_over(void **state)
{
	static const u8 enc[] = { 0x2b, 0x3b, 0x4b, 0xab };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(enc); i++) {
		expect_found(with_cie(1, BYTES(1, 'z', 'R', 'P', 0, 1, 0x78, 16, 6, 0x1b, enc[i],
					       LE32(0x1000), 0x0c, 7, 8),
				      BYTES(0, 0x41)),
			     F1);
		assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	}
}

static void test_ehframe__signal_and_aarch64_letters(void **state)
{
	(void)state;
	expect_found(with_cie(1, BYTES(1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(w.fde.signal, 1);
	expect_found(with_cie(1, BYTES(1, 'z', 'R', 'B', 'G', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(w.fde.signal, 0);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
}

static void test_ehframe__unknown_letter_is_passed_over_by_z(void **state)
{
	(void)state;
	expect_found(with_cie(1, BYTES(1, 'z', 'R', 'X', 'S', 0, 1, 0x78, 16, 4, 0x1b, 0xaa, 0xaa,
				       0xaa, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	/* what follows an unknown letter is not interpreted */
	assert_int_equal(w.fde.signal, 0);
	expect_found(with_cie(0, BYTES(1, 'z', 'X', 'R', 0, 1, 0x78, 16, 4, 0xaa, 0xaa, 0xaa, 0x1b,
				       0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(w.fde.addr_enc, UC_PE_ABSPTR);
}

static void test_ehframe__unknown_letter_without_z(void **state)
{
	(void)state;
	expect_stop(with_cie(1, BYTES(1, 'R', 0, 1, 0x78, 16, 0x1b, 0x0c, 7, 8), BYTES(0)),
		    UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_AUGMENTATION);
	expect_stop(with_cie(1, BYTES(1, 'X', 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b), BYTES(0)),
		    UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_AUGMENTATION);
}

static void test_ehframe__long_augmentation_strings(void **state)
{
	(void)state;
	/* 16 letters */
	expect_found(with_cie(1, BYTES(1, 'z', 'R', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S',
				       'S', 'S', 'S', 'S', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8),
			      BYTES(0, 0x41)),
		     F1);
	assert_int_equal(byte_at(w.fde.cie_insn), 0x0c);
	expect_stop(with_cie(1, BYTES(1, 'z', 'R', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S',
				      'S', 'S', 'S', 'S', 'S', 0, 1, 0x78, 16, 1, 0x1b),
			     BYTES(0)),
		    UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_AUGMENTATION);
}

static void test_ehframe__augmentation_data_beyond_the_record(void **state)
{
	(void)state;
	expect_stop(with_cie(1, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 0x7f, 0x1b), BYTES(0)),
		    UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_AUGMENTATION);
	expect_stop(with_cie(1, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b), BYTES(0x7f)),
		    UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_AUGMENTATION);
	expect_stop(with_cie(1, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 0xff, 0xff, 0xff, 0xff, 0xff,
				      0xff, 0xff, 0xff, 0xff, 0x01),
			     BYTES(0)),
		    UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_AUGMENTATION);
}

static void test_ehframe__cie_cut_short(void **state)
{
	static const u8 cie[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b };
	u32 len;

	(void)state;
	for (len = 0; len < sizeof(cie); len++) {
		begin();
		img_fde(&img, img_cie(&img, cie, sizeof(cie)), F1, 0x10, BYTES(0));
		img_write(&img, IMG_EH, BYTES(LE32(4 + len)));
		img_hdr(&img);
		assert_int_equal(uc_hdr_open(&w), 0);
		assert_int_equal(uc_fde_by_table(&w, F1), UNCOIL_STOP_MALFORMED);
	}
}

/* ---- FDE addresses ---- */

static void test_ehframe__fde_address_encodings(void **state)
{
	u64 cie, fde;

	(void)state;
	begin();
	cie = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1c)); /* pcrel|sdata8 */
	img_fde_raw(&img, cie, BYTES(LE64(F1 - (img.at + 8)), LE64(0x10), 0, 0x41));
	cie = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x0c)); /* sdata8 */
	img_fde_raw(&img, cie, BYTES(LE64(F2), LE64(0x10), 0, 0x42));
	cie = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x11)); /* pcrel|uleb128 */
	fde = img_fde_raw(&img, cie, BYTES(0x01, 0x81, 0x01, 0, 0x43)); /* field + 1, 129 bytes */
	expect_found(uc_fde_by_scan(&w, F1 + 0xf), F1);
	assert_int_equal(byte_at(w.fde.insn), 0x41);
	expect_found(uc_fde_by_scan(&w, F2 + 0xf), F2);
	assert_int_equal(byte_at(w.fde.insn), 0x42);
	expect_found(uc_fde_by_scan(&w, fde + 9 + 128), fde + 9);
	assert_int_equal(w.fde.range, 129);
	assert_int_equal(byte_at(w.fde.insn), 0x43);
}

static void test_ehframe__range_is_unsigned(void **state)
{
	(void)state;
	begin();
	img_fde(&img, img_cie_usual(&img), F1, 0xfffffff0, BYTES(0));
	expect_found(uc_fde_by_scan(&w, F1 + 0xffffffef), F1);
	assert_int_equal(w.fde.range, 0xfffffff0);
	expect_stop(uc_fde_by_scan(&w, F1 + 0xfffffff0), UNCOIL_STOP_NO_ENTRY, 0);
}

static void test_ehframe__fde_without_addresses(void **state)
{
	(void)state;
	/* R = omit: an FDE of nothing */
	expect_stop(with_cie(1, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0xff), BYTES(0)),
		    UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_POINTER_ENCODING);
}

/* funcrel has no base in an FDE's own start, least of all the last look-up's. */
static void test_ehframe__start_hangs_on_no_look_up_before(void **state)
{
	u64 cie, fde;

	(void)state;
	begin();
	cie = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x4b)); /* funcrel|sdata4 */
	fde = img_fde_raw(&img, cie, BYTES(LE32(0x100), LE32(0x10), 0));
	img_row_add(&img, F2, fde);
	img_fde(&img, img_cie_usual(&img), F1, 0x10, BYTES(0));
	img_hdr(&img);
	assert_int_equal(uc_hdr_open(&w), 0);
	expect_found(uc_fde_by_table(&w, F1), F1);
	assert_int_not_equal(uc_fde_by_table(&w, F2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ehframe__usual_header),
		cmocka_unit_test(test_ehframe__header_without_table_leads_to_a_scan),
		cmocka_unit_test(test_ehframe__wide_table_of_lld),
		cmocka_unit_test(test_ehframe__count_encodings),
		cmocka_unit_test(test_ehframe__count_zero_finds_nothing),
		cmocka_unit_test(test_ehframe__count_that_lies_disables_the_table),
		cmocka_unit_test(test_ehframe__table_of_unusual_encoding_is_left_alone),
		cmocka_unit_test(test_ehframe__header_of_another_version),
		cmocka_unit_test(test_ehframe__header_without_a_pointer),
		cmocka_unit_test(test_ehframe__header_hangs_on_no_look_up_before),
		cmocka_unit_test(test_ehframe__header_cut_short),
		cmocka_unit_test(test_ehframe__table_finds_first_and_last_byte),
		cmocka_unit_test(test_ehframe__gaps_have_no_entry),
		cmocka_unit_test(test_ehframe__sentinels_of_mold),
		cmocka_unit_test(test_ehframe__unsorted_table_is_malformed),
		cmocka_unit_test(test_ehframe__row_that_leads_outside_is_malformed),
		cmocka_unit_test(test_ehframe__row_that_leads_to_a_cie_is_malformed),
		cmocka_unit_test(test_ehframe__overlapping_fdes_greatest_start_wins),
		cmocka_unit_test(test_ehframe__empty_fdes_hide_nothing),
		cmocka_unit_test(test_ehframe__discarded_function_covers_nothing),
		cmocka_unit_test(test_ehframe__terminator_in_the_middle_ends_a_scan_only),
		cmocka_unit_test(test_ehframe__scan_without_terminator_ends_with_the_segment),
		cmocka_unit_test(test_ehframe__record_lengths),
		cmocka_unit_test(test_ehframe__cie_pointers),
		cmocka_unit_test(test_ehframe__format64_with_4_byte_ids),
		cmocka_unit_test(test_ehframe__format64_with_8_byte_ids),
		cmocka_unit_test(test_ehframe__format64_fde_of_a_32_bit_cie),
		cmocka_unit_test(test_ehframe__format64_length_is_bounded),
		cmocka_unit_test(test_ehframe__cie_behind_another_fde),
		cmocka_unit_test(test_ehframe__scan_is_bounded),
		cmocka_unit_test(test_ehframe__scan_passes_over_fdes_that_it_can_not_read),
		cmocka_unit_test(test_ehframe__scan_asks_for_a_missing_id),
		cmocka_unit_test(test_ehframe__cie_without_augmentation_is_absolute),
		cmocka_unit_test(test_ehframe__cie_version_1_has_a_byte_for_the_ra_column),
		cmocka_unit_test(test_ehframe__cie_version_3_has_a_uleb_for_the_ra_column),
		cmocka_unit_test(test_ehframe__huge_ra_column_is_no_other_column),
		cmocka_unit_test(test_ehframe__cie_version_4_has_sizes),
		cmocka_unit_test(test_ehframe__cie_of_unknown_version),
		cmocka_unit_test(test_ehframe__augmentation_eh_has_a_pointer),
		cmocka_unit_test(test_ehframe__personality_and_lsda_are_passed_over),
		cmocka_unit_test(test_ehframe__aligned_personality),
		cmocka_unit_test(test_ehframe__omitted_personality_and_lsda),
		cmocka_unit_test(test_ehframe__personality_with_any_base_is_passed_over),
		cmocka_unit_test(test_ehframe__signal_and_aarch64_letters),
		cmocka_unit_test(test_ehframe__unknown_letter_is_passed_over_by_z),
		cmocka_unit_test(test_ehframe__unknown_letter_without_z),
		cmocka_unit_test(test_ehframe__long_augmentation_strings),
		cmocka_unit_test(test_ehframe__augmentation_data_beyond_the_record),
		cmocka_unit_test(test_ehframe__cie_cut_short),
		cmocka_unit_test(test_ehframe__fde_address_encodings),
		cmocka_unit_test(test_ehframe__range_is_unsigned),
		cmocka_unit_test(test_ehframe__fde_without_addresses),
		cmocka_unit_test(test_ehframe__start_hangs_on_no_look_up_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
