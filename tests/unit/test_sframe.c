/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* .sframe made by hand: layouts, byte orders, and all that no assembler writes.
 * Expected values are those of the formats sheet, section 5, of which the
 * numbers in comments are, too. Sections of real tools: test_sframe_rows.c. */
#include "sframe_image.h"

#define BYTES(...) (const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ })
#define LE16(v) (u8)(v), (u8)((v) >> 8)
#define LE32(v) LE16(v), LE16((u32)(v) >> 16)
#define LE64(v) LE32(v), LE32((u64)(v) >> 32)
#define BE16(v) (u8)((v) >> 8), (u8)(v)
#define BE32(v) BE16((u32)(v) >> 16), BE16(v)
#define BE64(v) BE32((u64)(v) >> 32), BE32(v)

/* An FDE's info, and a row's. */
#define PCMASK 0x10
#define SIGNAL 0x80
#define FLEX 1
#define ROW(base, count, size) (u8)((base) | (count) << 1 | (size) << 5)
#define FP 0
#define SP 1
#define MANGLED 0x80

#define SECTION 0x600100ull
#define CODE 0x601000ull
#define CODE_END 0x611000ull
#define F1 CODE
#define F2 (CODE + 0x100)
#define F3 (CODE + 0x200)

static struct sframe_image img;
static struct uc_walk w;

/* ---- making a section ---- */

struct made_fde {
	u64 start;
	u32 size, nr, info, info2, block;
	u32 off, says_off; /* of its rows in the sub-section */
};

static struct made {
	u32 version, flags, abi_id, aux;
	int fp, ra;
	u32 big, from_section, abi;
	u32 nr_fdes, rows_len;
	struct made_fde fde[24];
	u8 rows[2048];
	u8 bytes[4096];
	u32 len;
} made;

static void make(u32 version, u32 abi)
{
	memset(&made, 0, sizeof(made));
	made.version = version;
	made.abi = abi;
	made.flags = UC_SF_SORTED | (version == 3 ? UC_SF_START_PCREL : 0);
	made.from_section = version < 3;
	made.abi_id = abi == UC_ABI_X86_64	 ? UC_SF_AMD64_LE :
		      abi == UC_ABI_AARCH64	 ? UC_SF_AARCH64_LE :
		      abi == UC_ABI_AARCH64_BE ? UC_SF_AARCH64_BE :
						 UC_SF_S390X_BE;
	made.ra = abi == UC_ABI_X86_64 ? -8 : 0;
	made.big = abi == UC_ABI_AARCH64_BE || abi == UC_ABI_S390X;
}

/* A function; its rows are bytes. Returns it, to be made odd. */
static struct made_fde *function(u64 start, u32 size, u32 nr, const u8 *rows, u32 len)
{
	struct made_fde *f = &made.fde[made.nr_fdes++];

	assert_true(made.nr_fdes <= 24 && made.rows_len + len + 5 <= sizeof(made.rows));
	*f = (struct made_fde){ .start = start, .size = size, .nr = nr, .off = made.rows_len };
	f->says_off = f->off;
	memcpy(made.rows + made.rows_len + (made.version == 3 ? 5 : 0), rows, len);
	made.rows_len += len + (made.version == 3 ? 5 : 0);
	return f;
}

static void put_at(u8 *to, u64 v, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		to[made.big ? bytes - 1 - i : i] = (u8)(v >> (8 * i));
}

static void put(u64 v, u32 bytes)
{
	put_at(made.bytes + made.len, v, bytes);
	made.len += bytes;
}

static u32 fde_size(void)
{
	return made.version == 1 ? 17 : made.version == 2 ? 20 : 16;
}

static void put_fde(const struct made_fde *f)
{
	u64 from = made.from_section ? SECTION : SECTION + made.len;

	put(f->start - from, made.version == 3 ? 8 : 4);
	put(f->size, 4);
	put(f->says_off, 4);
	if (made.version == 3) {
		put_at(made.rows + f->off, f->nr, 2);
		made.rows[f->off + 2] = (u8)f->info;
		made.rows[f->off + 3] = (u8)f->info2;
		made.rows[f->off + 4] = (u8)f->block;
		return;
	}
	put(f->nr, 4);
	put(f->info, 1);
	if (made.version == 2) {
		put(f->block, 1);
		put(0, 2); /* padding */
	}
}

/* Write it out, and begin to read. */
static void finish(void)
{
	u32 i;

	made.len = 0;
	put(0xdee2, 2);
	put(made.version, 1);
	put(made.flags, 1);
	put(made.abi_id, 1);
	put((u64)(s64)made.fp, 1);
	put((u64)(s64)made.ra, 1);
	put(made.aux, 1);
	put(made.nr_fdes, 4);
	put(0, 4);
	put(made.rows_len, 4);
	put(0, 4);
	put(made.nr_fdes * fde_size(), 4);
	made.len += made.aux;
	for (i = 0; i < made.nr_fdes; i++)
		put_fde(&made.fde[i]);
	memcpy(made.bytes + made.len, made.rows, made.rows_len);
	made.len += made.rows_len;
	sfi_begin(&img, &w, made.abi, SECTION, made.bytes, made.len);
	sfi_exec(&w, CODE, CODE_END);
}

/* The same bytes once more, a few of them others. */
static void again(u32 at, u64 v, u32 bytes)
{
	put_at(made.bytes + at, v, bytes);
	sfi_begin(&img, &w, made.abi, SECTION, made.bytes, made.len);
	sfi_exec(&w, CODE, CODE_END);
}

static void raw(u32 abi, const u8 *bytes, u32 len)
{
	sfi_begin(&img, &w, abi, SECTION, bytes, len);
	sfi_exec(&w, CODE, CODE_END);
}

/* ---- what is expected ---- */

static void says(u64 pc, const char *what)
{
	assert_int_equal(sfi_row(&w, pc), 0);
	assert_string_equal(sfi_say(&w), what);
	sfi_check_rest(&w);
}

static void stops(u64 pc, int stop, u32 flaw)
{
	assert_int_equal(sfi_row(&w, pc), stop);
	assert_int_equal(w.flaw, flaw);
}

static void none(u64 pc)
{
	stops(pc, UNCOIL_STOP_NO_ENTRY, 0);
}

/* One function of one row in a section of this kind: what does it say? */
static void one_row(u32 version, u32 abi, u32 info2, const u8 *row, u32 len)
{
	make(version, abi);
	function(F1, 0x10, 1, row, len)->info2 = info2;
	finish();
}

/* ---- layouts, byte for byte (5.2, 5.3) ---- */

static void test_sframe__layout_of_version_1(void **state)
{
	(void)state;
	raw(UC_ABI_X86_64, BYTES(0xe2, 0xde, 1, 1, 3, 0, 0xf8, 0, LE32(1), LE32(3), LE32(12), LE32(0), LE32(17),
				 /* 17 bytes, packed */
				 LE32(F1 - SECTION), LE32(0x20), LE32(0), LE32(3), 0x00,
				 0, ROW(SP, 1, 0), 8, 1, ROW(SP, 2, 0), 16, 0xf0, 4, ROW(FP, 2, 0), 16, 0xf0, 0));
	says(F1, "sp+8 c-8 u -");
	says(F1 + 1, "sp+16 c-8 c-16 -");
	says(F1 + 4, "fp+16 c-8 c-16 -");
	says(F1 + 0x1f, "fp+16 c-8 c-16 -");
	none(F1 - 1);
	none(F1 + 0x20);
}

static void test_sframe__layout_of_version_2_big_endian(void **state)
{
	(void)state;
	/* s390x, with four bytes of auxiliary header and a gap before the rows;
	 * CFA words are (CFA - 160) / 8 (5.6) */
	raw(UC_ABI_S390X, BYTES(0xde, 0xe2, 2, 1, 4, 0, 0, 4, BE32(2), BE32(2), BE32(10), BE32(0), BE32(43),
				1, 2, 3, 4,
				/* 20 bytes */
				BE32(F1 - SECTION), BE32(0x20), BE32(0), BE32(1), 0x01, 0, BE16(0),
				BE32(F2 - SECTION), BE32(0x20), BE32(4), BE32(1), 0x02, 0, BE16(0),
				0xff, 0xff, 0xff,
				BE16(0), ROW(SP, 1, 0), 21,
				BE32(0), ROW(SP, 0, 0), 0));
	says(F1, "sp+328 u u -");
	says(F2, "- undefined - -");
}

static void test_sframe__layout_of_version_3(void **state)
{
	(void)state;
	raw(UC_ABI_X86_64, BYTES(0xe2, 0xde, 3, 5, 3, 0, 0xf8, 0, LE32(1), LE32(2), LE32(14), LE32(0), LE32(16),
				 /* 16 bytes; the start counts from its own field at 28 */
				 LE64(F1 - (SECTION + 28)), LE32(0x300), LE32(0),
				 /* 5 bytes before the rows */
				 LE16(2), 0x81, 0x00, 0,
				 LE16(0), ROW(SP, 1, 0), 8, LE16(0x102), ROW(SP, 1, 1), LE16(0x208)));
	says(F1, "sp+8 c-8 u -");
	assert_int_equal(w.row.signal, 1);
	says(F1 + 0x101, "sp+8 c-8 u -");
	says(F1 + 0x102, "sp+520 c-8 u -");
}

static void test_sframe__layout_of_version_3_big_endian(void **state)
{
	(void)state;
	raw(UC_ABI_AARCH64_BE, BYTES(0xde, 0xe2, 3, 5, 1, 0, 0, 0, BE32(1), BE32(1), BE32(19), BE32(0), BE32(16),
				     BE64(F1 - (SECTION + 28)), BE32(0x20), BE32(0),
				     BE16(1), 0x00, 0x00, 0,
				     0, MANGLED | ROW(SP, 3, 2), BE32(0x12340), BE32(-0x12340), BE32(-8)));
	says(F1, "sp+74560 c-74560 c-8 m");
}

static void test_sframe__header(void **state)
{
	static const struct {
		u32 at, v, bytes, flaw;
	} bad[] = {
		{ 0, 0xe2de, 2, UNCOIL_FLAW_SFRAME_HEADER }, /* of the other byte order */
		{ 0, 0, 2, UNCOIL_FLAW_SFRAME_HEADER },
		{ 2, 0, 1, UNCOIL_FLAW_SFRAME_VERSION },
		{ 2, 4, 1, UNCOIL_FLAW_SFRAME_VERSION },
		{ 3, 0x09, 1, UNCOIL_FLAW_SFRAME_HEADER }, /* a flag that is none */
		{ 4, 2, 1, UNCOIL_FLAW_SFRAME_HEADER }, /* another machine's */
		{ 4, 5, 1, UNCOIL_FLAW_SFRAME_HEADER },
		{ 6, 0, 1, UNCOIL_FLAW_SFRAME_HEADER }, /* where would the return address be? */
		{ 7, 255, 1, UNCOIL_FLAW_SFRAME_BOUNDS },
		{ 8, 2, 4, UNCOIL_FLAW_SFRAME_BOUNDS },
		{ 8, 0x10000000, 4, UNCOIL_FLAW_SFRAME_BOUNDS }, /* times 17, 20, 16: around 2^32 */
		{ 8, 0xffffffff, 4, UNCOIL_FLAW_SFRAME_BOUNDS },
		{ 16, 100, 4, UNCOIL_FLAW_SFRAME_BOUNDS },
		{ 16, 0xffffffff, 4, UNCOIL_FLAW_SFRAME_BOUNDS },
		{ 20, 1, 4, UNCOIL_FLAW_SFRAME_BOUNDS },
		{ 20, 0xffffffff, 4, UNCOIL_FLAW_SFRAME_BOUNDS },
		{ 24, 0, 4, UNCOIL_FLAW_SFRAME_BOUNDS },
		{ 24, 0xffffffff, 4, UNCOIL_FLAW_SFRAME_BOUNDS },
	};
	u32 version, i;

	(void)state;
	for (version = 1; version <= 3; version++)
		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			one_row(version, UC_ABI_X86_64, 0, BYTES(0, ROW(SP, 1, 0), 8));
			says(F1, "sp+8 c-8 u -");
			again(bad[i].at, bad[i].v, bad[i].bytes);
			stops(F1, UNCOIL_STOP_MALFORMED, bad[i].flaw);
			/* and it is remembered */
			stops(F1, UNCOIL_STOP_MALFORMED, bad[i].flaw);
		}
}

static void test_sframe__no_functions(void **state)
{
	u32 version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		make(version, UC_ABI_X86_64);
		finish();
		none(F1);
		none(0);
	}
}

static void test_sframe__header_alone_must_be_whole(void **state)
{
	u32 len;

	(void)state;
	make(2, UC_ABI_X86_64);
	finish();
	for (len = 0; len < 28; len++) {
		sfi_begin(&img, &w, made.abi, SECTION, made.bytes, len);
		assert_int_equal(sfi_row(&w, F1), UNCOIL_STOP_MALFORMED);
	}
}

/* Not of x32, which has x86-64's machine number (5.1). */
static void test_sframe__not_of_x32(void **state)
{
	(void)state;
	one_row(2, UC_ABI_X86_64, 0, BYTES(0, ROW(SP, 1, 0), 8));
	sfi_begin(&img, &w, UC_ABI_X32, SECTION, made.bytes, made.len);
	sfi_exec(&w, CODE, CODE_END);
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_HEADER);
}

/* ---- where functions start (5.4) ---- */

/* Three functions; sorted or not, by flag or by looks. */
static void three(u32 version, u32 flags, u32 from_section)
{
	make(version, UC_ABI_X86_64);
	made.flags = flags;
	made.from_section = from_section;
	function(F1, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8));
	function(F2, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 16));
	function(F3, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 24));
	finish();
}

static void expect_three(void)
{
	says(F1, "sp+8 c-8 u -");
	says(F2 + 0xf, "sp+16 c-8 u -");
	says(F3, "sp+24 c-8 u -");
	none(F1 + 0x10);
	none(F3 + 0x10);
}

static void test_sframe__starts_by_flag_and_without(void **state)
{
	u32 version, sorted, from_section;

	(void)state;
	for (version = 1; version <= 3; version++)
		for (sorted = 0; sorted <= 1; sorted++) {
			if (version > 1) {
				three(version, sorted | UC_SF_START_PCREL, 0);
				expect_three();
			}
			/* code begins right behind the section: what is tried
			 * first leads into no code only if it is wrong */
			for (from_section = 0; from_section <= 1; from_section++) {
				three(version, sorted, from_section);
				w.mod.load[0].vaddr = F1;
				w.mod.load[0].filesz = F3 + 1 - F1;
				expect_three();
			}
		}
}

static void test_sframe__usual_reading_without_the_flag(void **state)
{
	(void)state;
	/* Both readings lead into code: from the section when sorted, as ld.bfd
	 * does, from the field when not, as linkers that concatenate do. */
	three(2, UC_SF_SORTED, 1);
	expect_three();
	three(2, 0, 0);
	expect_three();
}

static void test_sframe__starts_in_no_code(void **state)
{
	(void)state;
	three(2, UC_SF_SORTED, 1);
	w.mod.load[0].vaddr = CODE_END;
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_START);
}

/* The first and the last of a file's functions may be empty, the last at the
 * very end of its code. */
static void test_sframe__empty_functions_at_the_codes_ends(void **state)
{
	u32 version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		make(version, UC_ABI_X86_64);
		function(F1, 0, 1, BYTES(0, ROW(SP, 1, 0), 24));
		function(F1, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8));
		function(CODE_END, 0, 1, BYTES(0, ROW(SP, 1, 0), 16));
		made.flags &= ~UC_SF_START_PCREL;
		made.from_section = version != 1;
		finish();
		says(F1, "sp+8 c-8 u -");
		none(CODE_END);
	}
}

static void test_sframe__starts_below_the_section(void **state)
{
	(void)state;
	make(3, UC_ABI_X86_64);
	function(0x1000, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8));
	finish();
	says(0x100f, "sp+8 c-8 u -");
	make(3, UC_ABI_X86_64);
	function(0x7f0000000000ull, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8)); /* 64 bits */
	finish();
	says(0x7f000000000full, "sp+8 c-8 u -");
}

/* ---- the search ---- */

static void test_sframe__unsorted_is_found_out(void **state)
{
	u32 version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		make(version, UC_ABI_X86_64);
		function(F2, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8));
		function(F3, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 16));
		function(F1, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 24));
		finish();
		stops(F3 + 0x80, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_UNSORTED);
		/* from then on the section is of no use */
		stops(F3, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_UNSORTED);
		/* without the flag it is scanned */
		made.flags &= ~UC_SF_SORTED;
		made.from_section = 0;
		finish();
		says(F1, "sp+24 c-8 u -");
		says(F2, "sp+8 c-8 u -");
		says(F3, "sp+16 c-8 u -");
		none(F3 + 0x10);
	}
}

/* Version 2's starts with the flag: fields fall while addresses rise. */
static void test_sframe__sorted_by_address_not_by_field(void **state)
{
	u32 i;

	(void)state;
	make(2, UC_ABI_X86_64);
	made.flags |= UC_SF_START_PCREL;
	made.from_section = 0;
	for (i = 0; i < 20; i++)
		function(F1 + 2 * i, 2, 1, BYTES(0, ROW(SP, 1, 0), 8 + (u8)i));
	finish();
	for (i = 0; i < 20; i++) {
		char want[32];

		snprintf(want, sizeof(want), "sp+%u c-8 u -", 8 + i);
		says(F1 + 2 * i, want);
		says(F1 + 2 * i + 1, want);
	}
}

static void test_sframe__empty_functions_hide_nothing(void **state)
{
	u32 i;

	(void)state;
	make(3, UC_ABI_X86_64);
	function(F1, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8));
	for (i = 0; i < 4; i++)
		function(F1 + 4, 0, 1, BYTES(0, ROW(SP, 1, 0), 16));
	function(F1 + 0x10, 0, 0, NULL, 0);
	finish();
	says(F1 + 3, "sp+8 c-8 u -");
	says(F1 + 4, "sp+8 c-8 u -");
	says(F1 + 0xf, "sp+8 c-8 u -");
	none(F1 + 0x10);
}

static void test_sframe__function_up_to_the_end_of_addresses(void **state)
{
	(void)state;
	make(3, UC_ABI_X86_64);
	function(F1, 0xffffffff, 1, BYTES(0, ROW(SP, 1, 0), 8));
	function(0ull - 0x10, 0x20, 1, BYTES(0, ROW(SP, 1, 0), 16));
	finish();
	says(F1 + 0xfffffffe, "sp+8 c-8 u -");
	none(F1 + 0xffffffff);
	says(~0ull, "sp+16 c-8 u -");
	none(0); /* a size does not lead around the end */
}

/* ---- rows (5.5) ---- */

static void test_sframe__words_change_their_size(void **state)
{
	(void)state;
	make(1, UC_ABI_X86_64);
	function(F1, 0x40, 4,
		 BYTES(0, ROW(SP, 1, 0), 0x7f, 8, ROW(SP, 2, 2), LE32(0x12345678), LE32(-0x12345678), 0x10,
		       ROW(FP, 1, 0), 0x80, 0x18, ROW(SP, 2, 1), LE16(0x7fff), LE16(0x8000)));
	finish();
	says(F1, "sp+127 c-8 u -");
	says(F1 + 8, "sp+305419896 c-8 c-305419896 -");
	says(F1 + 0x17, "fp-128 c-8 u -");
	says(F1 + 0x18, "sp+32767 c-8 c-32768 -");
	says(F1 + 0x3f, "sp+32767 c-8 c-32768 -");
}

static void test_sframe__starts_of_rows(void **state)
{
	u32 version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		make(version, UC_ABI_X86_64);
		function(F1, 0x100, 2, BYTES(0, ROW(SP, 1, 0), 8, 0xff, ROW(SP, 1, 0), 16))->info = 0;
		function(F2, 0x100, 2, BYTES(LE16(0), ROW(SP, 1, 0), 8, LE16(0xff), ROW(SP, 1, 0), 16))->info = 1;
		function(F3, 0x10000, 2, BYTES(LE32(0), ROW(SP, 1, 0), 8, LE32(0xfffe), ROW(SP, 1, 0), 16))->info = 2;
		finish();
		says(F1 + 0xfe, "sp+8 c-8 u -");
		says(F1 + 0xff, "sp+16 c-8 u -");
		says(F2 + 0xfe, "sp+8 c-8 u -");
		says(F2 + 0xff, "sp+16 c-8 u -");
		says(F3 + 0xfffd, "sp+8 c-8 u -");
		says(F3 + 0xffff, "sp+16 c-8 u -");
		made.fde[1].info = 3;
		finish();
		stops(F2, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_SFRAME_FDE);
		says(F1, "sp+8 c-8 u -");
	}
}

static void test_sframe__before_the_first_row_is_nothing(void **state)
{
	(void)state;
	one_row(2, UC_ABI_X86_64, 0, BYTES(4, ROW(SP, 1, 0), 8));
	none(F1 + 3);
	says(F1 + 4, "sp+8 c-8 u -");
}

static void test_sframe__rows_that_fall(void **state)
{
	(void)state;
	make(2, UC_ABI_X86_64);
	function(F1, 0x10, 3, BYTES(0, ROW(SP, 1, 0), 8, 8, ROW(SP, 1, 0), 16, 4, ROW(SP, 1, 0), 24));
	finish();
	says(F1 + 7, "sp+8 c-8 u -"); /* found before the fall */
	stops(F1 + 8, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
}

/* The last of those that start together holds: gas writes such. */
static void test_sframe__rows_of_one_start(void **state)
{
	(void)state;
	make(2, UC_ABI_X86_64);
	function(F1, 0x10, 2, BYTES(0, ROW(SP, 1, 0), 8, 0, ROW(SP, 1, 0), 16));
	finish();
	says(F1, "sp+16 c-8 u -");
}

static void test_sframe__word_size_3(void **state)
{
	u32 version, count;

	(void)state;
	for (version = 1; version <= 3; version++)
		for (count = 0; count <= 2; count++) {
			one_row(version, UC_ABI_X86_64, 0,
				BYTES(0, ROW(SP, count, 3), LE64(8ull), LE64(8ull)));
			stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
		}
}

static void test_sframe__count_of_words_that_is_none(void **state)
{
	static const u8 row[34] = { 0, 0, 8, 0xf0, 8 };
	u32 abi, version, count;

	(void)state;
	/* 1 or 2 on x86-64, 1 to 3 elsewhere (5.6) */
	for (abi = UC_ABI_X86_64; abi <= UC_ABI_S390X; abi++)
		for (version = 1; version <= 3; version++)
			for (count = abi == UC_ABI_X86_64 ? 3 : 4; count < 16; count++) {
				u8 bytes[sizeof(row)];

				if (abi == UC_ABI_X32 || abi == UC_ABI_I386)
					continue;
				memcpy(bytes, row, sizeof(bytes));
				bytes[1] = ROW(SP, count, 0);
				one_row(version, abi, 0, bytes, sizeof(bytes));
				stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
			}
}

static void test_sframe__no_words_is_the_outermost(void **state)
{
	(void)state;
	/* 5.7: in versions 2 and 3; the base does not matter */
	one_row(2, UC_ABI_X86_64, 0, BYTES(0, 0));
	says(F1, "- undefined - -");
	one_row(3, UC_ABI_AARCH64, 0, BYTES(0, 1));
	says(F1, "- undefined - -");
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, 0));
	says(F1, "- undefined - -");
	one_row(1, UC_ABI_X86_64, 0, BYTES(0, 0));
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
}

static void test_sframe__no_rows(void **state)
{
	u32 version, signal;

	(void)state;
	for (version = 1; version <= 3; version++)
		for (signal = 0; signal <= SIGNAL; signal += SIGNAL) {
			make(version, UC_ABI_X86_64);
			function(F1, 0x10, 0, NULL, 0)->info = signal;
			function(F2, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8));
			finish();
			none(F1);
			none(F1 + 0xf);
			says(F2, "sp+8 c-8 u -");
		}
}

static void test_sframe__signal_frames_are_of_version_3(void **state)
{
	u32 version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		make(version, UC_ABI_X86_64);
		function(F1, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 16))->info = SIGNAL;
		finish();
		says(F1, "sp+16 c-8 u -");
		assert_int_equal(w.row.signal, version == 3);
	}
}

static void test_sframe__lying_places_and_counts(void **state)
{
	u32 version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		make(version, UC_ABI_X86_64);
		function(F1, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8));
		function(F2, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 16))->says_off = 0x7fffffff;
		finish();
		stops(F2, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_FDE);
		says(F1, "sp+8 c-8 u -");
		/* more rows than there are bytes: those that are there count */
		make(version, UC_ABI_X86_64);
		function(F1, 0x10, version == 3 ? 0xffff : 0xffffffff,
			 BYTES(0, ROW(SP, 1, 0), 8, 8, ROW(SP, 1, 0), 16));
		finish();
		says(F1 + 7, "sp+8 c-8 u -");
		assert_int_equal(sfi_row(&w, F1 + 8), UNCOIL_STOP_MALFORMED);
		/* fewer: the others are nobody's */
		make(version, UC_ABI_X86_64);
		function(F1, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 8, 8, ROW(SP, 1, 0), 16));
		finish();
		says(F1 + 8, "sp+8 c-8 u -");
	}
}

static void test_sframe__row_cut_by_the_sections_end(void **state)
{
	u32 version, cut;

	(void)state;
	for (version = 1; version <= 3; version++)
		for (cut = 1; cut <= 10; cut++) {
			make(version, UC_ABI_X86_64);
			function(F1, 0x10, 1, BYTES(0, ROW(SP, 2, 2), LE32(16), LE32(-16)));
			made.rows_len -= cut;
			finish();
			assert_int_equal(sfi_row(&w, F1), UNCOIL_STOP_MALFORMED);
		}
}

/* ---- code that repeats ---- */

static void test_sframe__blocks(void **state)
{
	u32 version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		struct made_fde *f;

		make(version, UC_ABI_X86_64);
		f = function(F1, 0x100, 2, BYTES(0, ROW(SP, 1, 0), 8, 11, ROW(SP, 1, 0), 16));
		f->info = PCMASK;
		f->block = version == 1 ? 0 : 16; /* version 1 has no field: 16 */
		finish();
		says(F1 + 10, "sp+8 c-8 u -");
		says(F1 + 11, "sp+16 c-8 u -");
		says(F1 + 0x10, "sp+8 c-8 u -");
		says(F1 + 0x9a, "sp+8 c-8 u -");
		says(F1 + 0xff, "sp+16 c-8 u -");
		none(F1 + 0x100);
	}
	made.fde[0].block = 24;
	finish();
	says(F1 + 23, "sp+16 c-8 u -");
	says(F1 + 24 + 10, "sp+8 c-8 u -");
	made.fde[0].block = 0;
	finish();
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_FDE);
}

/* ---- rows of the default type (5.6) ---- */

static void test_sframe__aarch64_words(void **state)
{
	u32 version;

	(void)state;
	for (version = 1; version <= 3; version++) {
		one_row(version, UC_ABI_AARCH64, 0, BYTES(0, ROW(SP, 1, 0), 48));
		says(F1, "sp+48 u u -");
		one_row(version, UC_ABI_AARCH64, 0, BYTES(0, ROW(SP, 2, 0), 16, 0xf0));
		says(F1, "sp+16 c-16 u -");
		one_row(version, UC_ABI_AARCH64, 0, BYTES(0, ROW(FP, 3, 0), 32, 0xe8, 0xe0));
		says(F1, "fp+32 c-24 c-32 -");
		one_row(version, UC_ABI_AARCH64, 0, BYTES(0, MANGLED | ROW(SP, 1, 0), 0));
		says(F1, "sp+0 u u m");
	}
}

static void test_sframe__s390x_words(void **state)
{
	u32 version;

	(void)state;
	for (version = 2; version <= 3; version++) {
		one_row(version, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 1, 0), 0));
		says(F1, "sp+160 u u -");
		one_row(version, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 2, 0), 20, 0xd0));
		says(F1, "sp+320 c-48 u -");
		one_row(version, UC_ABI_S390X, 0, BYTES(0, ROW(FP, 3, 0), 21, 0xd0, 0xb8));
		says(F1, "fp+328 c-48 c-72 -");
		one_row(version, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 3, 0), 0, 0, 0xb8));
		says(F1, "sp+160 u c-72 -");
		one_row(version, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 2, 2), BE32(0x01000000), BE32(-8)));
		says(F1, "sp+134217888 c-8 u -");
	}
}

/* In version 2 an odd word of a place is a register, 2 * number + 1. */
static void test_sframe__s390x_registers_of_version_2(void **state)
{
	(void)state;
	one_row(2, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 3, 0), 21, 39, 37));
	says(F1, "sp+328 r19+0 r18+0 -");
	one_row(2, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 3, 0), 21, 0, 37));
	says(F1, "sp+328 u r18+0 -");
	one_row(3, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 3, 0), 21, 39, 37));
	says(F1, "sp+328 c+39 c+37 -");
	/* beyond what registers there are */
	one_row(2, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 2, 0), 21, 0x7f));
	stops(F1, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
	one_row(2, UC_ABI_S390X, 0, BYTES(0, ROW(SP, 2, 0), 21, 0xff));
	stops(F1, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
}

static void test_sframe__fixed_frame_pointer(void **state)
{
	(void)state;
	make(2, UC_ABI_X86_64);
	made.fp = -16;
	function(F1, 0x10, 1, BYTES(0, ROW(SP, 1, 0), 16));
	function(F2, 0x10, 1, BYTES(0, ROW(SP, 2, 0), 16, 0xe8));
	finish();
	says(F1, "sp+16 c-8 c-16 -");
	stops(F2, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
}

/* ---- flexible functions (5.8) ---- */

static void test_sframe__flexible_rows_of_the_sheet(void **state)
{
	(void)state;
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 2, 0), 57, 8));
	says(F1, "sp+8 c-8 u -");
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 5, 0), 81, 0, 0, 51, 0));
	says(F1, "r10+0 c-8 (fp+0) -");
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 5, 0), 51, 0xf8, 0, 51, 0));
	says(F1, "(fp-8) c-8 (fp+0) -");
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 4, 0), 57, 16, 2, 0xf0));
	says(F1, "sp+16 c-16 u -");
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 6, 0), 57, 8, 1, 0, 97, 0));
	says(F1, "sp+8 r0+0 r12+0 -");
	/* the CFA's offset is scaled here, too, the others are not */
	one_row(3, UC_ABI_S390X, FLEX, BYTES(0, ROW(0, 6, 0), 121, 21, 0x99, 0, 0x91, 0));
	says(F1, "sp+328 r19+0 r18+0 -");
}

static void test_sframe__flexible_rules(void **state)
{
	(void)state;
	/* all four of (register or CFA) x (value or place) */
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 6, 0), 57, 8, 59, 0x10, 2, 0xe8));
	says(F1, "sp+8 (sp+16) c-24 -");
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 6, 0), 57, 8, 9, 0x7f, 0, 0x80));
	says(F1, "sp+8 r1+127 v-128 -");
	/* wider words: a control word has no sign */
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 4, 1), LE16(57), LE16(0x200), LE16(51), LE16(-0x200)));
	says(F1, "sp+512 (fp-512) u -");
	one_row(3, UC_ABI_X86_64, FLEX,
		BYTES(0, ROW(0, 5, 2), LE32(51), LE32(-0x20000), LE32(0), LE32(2), LE32(0x20000)));
	says(F1, "(fp-131072) c-8 c+131072 -");
	one_row(3, UC_ABI_S390X, FLEX, BYTES(0, ROW(0, 2, 0), 0xf9, 0));
	says(F1, "r31+160 u u -");
}

static void test_sframe__flexible_rows_that_are_none(void **state)
{
	(void)state;
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 1, 0), 57));
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 3, 0), 57, 8, 0));
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
	/* a CFA must be by a register */
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 2, 0), 56, 8));
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
	/* five words: the third is the place held for the return address */
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 5, 0), 57, 8, 2, 51, 0));
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
	/* four or six: a 0 there is of one word, and one is left over */
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 4, 0), 57, 8, 0, 51));
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 6, 0), 57, 8, 0, 51, 0, 0));
	stops(F1, UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_SFRAME_ROW);
	/* no such function type */
	one_row(3, UC_ABI_X86_64, 2, BYTES(0, ROW(SP, 1, 0), 8));
	stops(F1, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_SFRAME_FDE);
}

static void test_sframe__flexible_registers_that_are_none(void **state)
{
	(void)state;
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 2, 0), 17 << 3 | 1, 8));
	stops(F1, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 4, 1), LE16(57), LE16(8), LE16(32 << 3 | 1), LE16(0)));
	stops(F1, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
	one_row(3, UC_ABI_X86_64, FLEX, BYTES(0, ROW(0, 2, 2), LE32(0xfffffff9), LE32(8)));
	stops(F1, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
	one_row(3, UC_ABI_X86_64, FLEX,
		BYTES(0, ROW(0, 5, 2), LE32(57), LE32(8), LE32(0), LE32(0xfffffff9), LE32(8)));
	stops(F1, UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_REGISTER);
}

/* Versions before 3 have no types: the byte is the block's size there. */
static void test_sframe__flexible_is_of_version_3(void **state)
{
	(void)state;
	one_row(2, UC_ABI_X86_64, FLEX, BYTES(0, ROW(SP, 2, 0), 57, 8));
	says(F1, "sp+57 c-8 c+8 -");
}

/* A page that is missing is asked for, and says nothing of the section: a
 * verdict would be remembered for the file. */
static void test_sframe__missing_pages_are_no_flaw(void **state)
{
	u32 version, n;
	int rc;

	(void)state;
	for (version = 1; version <= 3; version++)
		for (n = 1, rc = UC_FAULT; rc == UC_FAULT; n++) {
			three(version, version == 3 ? 5 : 1, version < 3);
			img.fails = n;
			rc = sfi_row(&w, F2);
			assert_int_equal(w.mod.sf.flaw, 0);
			assert_int_equal(img.fails, rc == UC_FAULT ? 0 : 1);
			img.fails = 0;
			expect_three();
		}
}

/* Every word and byte of the section once more, one short: the whole must be
 * there for a row to be given. */
static void test_sframe__truncated_at_every_byte(void **state)
{
	u32 version, len;

	(void)state;
	for (version = 1; version <= 3; version++) {
		three(version, version == 3 ? 5 : 1, version < 3);
		for (len = 0; len < made.len; len++) {
			sfi_begin(&img, &w, UC_ABI_X86_64, SECTION, made.bytes, len);
			sfi_exec(&w, CODE, CODE_END);
			assert_int_equal(sfi_row(&w, F1), UNCOIL_STOP_MALFORMED);
			assert_int_equal(sfi_row(&w, F3), UNCOIL_STOP_MALFORMED);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sframe__layout_of_version_1),
		cmocka_unit_test(test_sframe__layout_of_version_2_big_endian),
		cmocka_unit_test(test_sframe__layout_of_version_3),
		cmocka_unit_test(test_sframe__layout_of_version_3_big_endian),
		cmocka_unit_test(test_sframe__header),
		cmocka_unit_test(test_sframe__no_functions),
		cmocka_unit_test(test_sframe__header_alone_must_be_whole),
		cmocka_unit_test(test_sframe__not_of_x32),
		cmocka_unit_test(test_sframe__starts_by_flag_and_without),
		cmocka_unit_test(test_sframe__usual_reading_without_the_flag),
		cmocka_unit_test(test_sframe__starts_in_no_code),
		cmocka_unit_test(test_sframe__empty_functions_at_the_codes_ends),
		cmocka_unit_test(test_sframe__starts_below_the_section),
		cmocka_unit_test(test_sframe__unsorted_is_found_out),
		cmocka_unit_test(test_sframe__sorted_by_address_not_by_field),
		cmocka_unit_test(test_sframe__empty_functions_hide_nothing),
		cmocka_unit_test(test_sframe__function_up_to_the_end_of_addresses),
		cmocka_unit_test(test_sframe__words_change_their_size),
		cmocka_unit_test(test_sframe__starts_of_rows),
		cmocka_unit_test(test_sframe__before_the_first_row_is_nothing),
		cmocka_unit_test(test_sframe__rows_that_fall),
		cmocka_unit_test(test_sframe__rows_of_one_start),
		cmocka_unit_test(test_sframe__word_size_3),
		cmocka_unit_test(test_sframe__count_of_words_that_is_none),
		cmocka_unit_test(test_sframe__no_words_is_the_outermost),
		cmocka_unit_test(test_sframe__no_rows),
		cmocka_unit_test(test_sframe__signal_frames_are_of_version_3),
		cmocka_unit_test(test_sframe__lying_places_and_counts),
		cmocka_unit_test(test_sframe__row_cut_by_the_sections_end),
		cmocka_unit_test(test_sframe__blocks),
		cmocka_unit_test(test_sframe__aarch64_words),
		cmocka_unit_test(test_sframe__s390x_words),
		cmocka_unit_test(test_sframe__s390x_registers_of_version_2),
		cmocka_unit_test(test_sframe__fixed_frame_pointer),
		cmocka_unit_test(test_sframe__flexible_rows_of_the_sheet),
		cmocka_unit_test(test_sframe__flexible_rules),
		cmocka_unit_test(test_sframe__flexible_rows_that_are_none),
		cmocka_unit_test(test_sframe__flexible_registers_that_are_none),
		cmocka_unit_test(test_sframe__flexible_is_of_version_3),
		cmocka_unit_test(test_sframe__missing_pages_are_no_flaw),
		cmocka_unit_test(test_sframe__truncated_at_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
