/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers, encoded pointers and stack words. Values are from DWARF 5, 7.6 and
 * its LEB128 examples, and from LSB Core, "DWARF Exception Header Encoding". */
#include "core_image.h"

static struct image img;
static struct uc_walk w;

/* The cursor at bytes in IMG_EH, which end with the data. */
static void open_bytes(const u8 *bytes, u32 len)
{
	img_program(&img);
	memset(&w, 0, sizeof(w));
	uc_abi_set(&w, UC_ABI_X86_64);
	w.port.mem = &img.memory;
	w.mod.hdr = IMG_HDR;
	w.mod.bias = IMG_PROG;
	w.fde.start = IMG_TEXT;
	img_write(&img, IMG_EH, bytes, len);
	uc_cur_set(&w, IMG_EH, IMG_EH + len);
}

static void expect_error(int stop, u32 flaw)
{
	assert_int_equal(w.cur.error, stop);
	assert_int_equal(w.flaw, flaw);
}

static void expect_uleb(u64 want, const u8 *bytes, u32 len)
{
	open_bytes(bytes, len);
	assert_int_equal(uc_cur_uleb(&w), want);
	expect_error(0, 0);
	assert_int_equal(w.cur.pos, w.cur.end);
}

static void expect_sleb(s64 want, const u8 *bytes, u32 len)
{
	open_bytes(bytes, len);
	assert_int_equal(uc_cur_sleb(&w), want);
	expect_error(0, 0);
	assert_int_equal(w.cur.pos, w.cur.end);
}

/* A pointer whose field is at IMG_EH; all bytes belong to it. */
static void expect_ptr(u64 want, u32 enc, const u8 *bytes, u32 len)
{
	open_bytes(bytes, len);
	assert_int_equal(uc_cur_ptr(&w, enc), want);
	expect_error(0, 0);
	assert_int_equal(w.cur.pos, w.cur.end);
}

static void expect_no_ptr(u32 enc)
{
	open_bytes(BYTES(1, 2, 3, 4, 5, 6, 7, 8));
	assert_int_equal(uc_cur_ptr(&w, enc), 0);
	expect_error(UNCOIL_STOP_UNSUPPORTED, UNCOIL_FLAW_POINTER_ENCODING);
}

/* ---- numbers ---- */

static void test_read__fixed_sizes_are_little_endian(void **state)
{
	(void)state;
	open_bytes(BYTES(0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88));
	assert_int_equal(uc_cur_uint(&w, 1), 0x11);
	uc_cur_set(&w, IMG_EH, IMG_EH + 8);
	assert_int_equal(uc_cur_uint(&w, 2), 0x2211);
	uc_cur_set(&w, IMG_EH, IMG_EH + 8);
	assert_int_equal(uc_cur_uint(&w, 4), 0x44332211);
	uc_cur_set(&w, IMG_EH, IMG_EH + 8);
	assert_int_equal(uc_cur_uint(&w, 8), 0x8877665544332211ull);
	expect_error(0, 0);
}

static void test_read__uleb_examples_of_dwarf5(void **state)
{
	(void)state;
	expect_uleb(2, BYTES(0x02));
	expect_uleb(127, BYTES(0x7f));
	expect_uleb(128, BYTES(0x80, 0x01));
	expect_uleb(129, BYTES(0x81, 0x01));
	expect_uleb(12857, BYTES(0xb9, 0x64));
}

static void test_read__sleb_examples_of_dwarf5(void **state)
{
	(void)state;
	expect_sleb(2, BYTES(0x02));
	expect_sleb(-2, BYTES(0x7e));
	expect_sleb(127, BYTES(0xff, 0x00));
	expect_sleb(-127, BYTES(0x81, 0x7f));
	expect_sleb(128, BYTES(0x80, 0x01));
	expect_sleb(-128, BYTES(0x80, 0x7f));
	expect_sleb(129, BYTES(0x81, 0x01));
	expect_sleb(-129, BYTES(0xff, 0x7e));
}

static void test_read__leb_holds_64_bits(void **state)
{
	(void)state;
	expect_uleb(~0ull, BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01));
	expect_uleb(1ull << 63, BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01));
	expect_sleb(INT64_MIN, BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f));
	expect_sleb(INT64_MAX, BYTES(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00));
	expect_sleb(1ll << 56, BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01));
	expect_sleb(-(1ll << 62), BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40));
}

static void test_read__leb_may_be_padded(void **state)
{
	u8 pad[UC_LEB_BYTES];

	(void)state;
	expect_uleb(48, BYTES(0xb0, 0x80, 0x80, 0x00));
	expect_sleb(48, BYTES(0xb0, 0x80, 0x80, 0x00));
	expect_sleb(-8, BYTES(0xf8, 0xff, 0xff, 0x7f));
	memset(pad, 0x80, sizeof(pad));
	pad[0] = 0xb0;
	pad[UC_LEB_BYTES - 1] = 0;
	expect_uleb(48, pad, UC_LEB_BYTES);
	expect_sleb(48, pad, UC_LEB_BYTES);
	memset(pad, 0xff, sizeof(pad));
	pad[0] = 0xf8;
	pad[UC_LEB_BYTES - 1] = 0x7f;
	expect_sleb(-8, pad, UC_LEB_BYTES);
}

static void test_read__leb_beyond_64_bits_is_malformed(void **state)
{
	u8 pad[UC_LEB_BYTES + 1];

	(void)state;
	/* 2^64 */
	open_bytes(BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02));
	assert_int_equal(uc_cur_uleb(&w), 0);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_LEB128);
	/* 2^63 is no signed 64-bit number */
	open_bytes(BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01));
	assert_int_equal(uc_cur_sleb(&w), 0);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_LEB128);
	/* 2^70, and -2^70 */
	open_bytes(BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01));
	uc_cur_uleb(&w);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_LEB128);
	open_bytes(BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f));
	uc_cur_sleb(&w);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_LEB128);
	/* without an end */
	memset(pad, 0x80, sizeof(pad));
	open_bytes(pad, sizeof(pad));
	uc_cur_uleb(&w);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_LEB128);
	open_bytes(pad, sizeof(pad));
	uc_cur_sleb(&w);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_LEB128);
}

static void test_read__data_that_ends_inside_a_value_is_truncated(void **state)
{
	(void)state;
	open_bytes(BYTES(0x11, 0x22, 0x33));
	uc_cur_uint(&w, 4);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
	assert_int_equal(w.stop_addr, IMG_EH + 3);
	open_bytes(BYTES(0x80));
	uc_cur_uleb(&w);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
	open_bytes(BYTES(0xff));
	uc_cur_sleb(&w);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
	open_bytes(BYTES(1, 2, 3, 4, 5, 6, 7));
	uc_cur_ptr(&w, UC_PE_ABSPTR);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
}

static void test_read__no_byte_beyond_the_end_is_read(void **state)
{
	(void)state;
	open_bytes(BYTES(0x80, 0x80, 0x01));
	uc_cur_uleb(&w);
	assert_int_equal(img.read_end, IMG_EH + 3);
}

static void test_read__first_error_is_kept(void **state)
{
	(void)state;
	open_bytes(BYTES(0x80));
	uc_cur_uleb(&w);
	uc_cur_ptr(&w, 0x07);
	expect_error(UNCOIL_STOP_MALFORMED, UNCOIL_FLAW_TRUNCATED);
}

static void test_read__value_across_pages(void **state)
{
	u64 at = IMG_HDR + 0x1000 - 3;

	(void)state;
	open_bytes(BYTES(0));
	img_write(&img, at, BYTES(0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88));
	uc_cur_set(&w, at, IMG_END);
	assert_int_equal(uc_cur_uint(&w, 8), 0x8877665544332211ull);
	expect_error(0, 0);
}

static void test_read__missing_page_is_a_fault_then_a_stop(void **state)
{
	u64 at = IMG_HDR + 0x1000 - 3;

	(void)state;
	open_bytes(BYTES(0));
	img_lose_page(&img, IMG_HDR + 0x1000);
	uc_cur_set(&w, at, IMG_END);
	uc_cur_uint(&w, 8);
	assert_int_equal(w.cur.error, UC_FAULT);
	assert_int_equal(w.fault_addr, IMG_HDR + 0x1000);
	assert_int_equal(uc_walk_page_is_bad(&w), 0);
	uc_cur_set(&w, at, IMG_END);
	uc_cur_uint(&w, 8);
	expect_error(UNCOIL_STOP_MEMORY_FAULT, 0);
	assert_int_equal(w.stop_addr, IMG_HDR + 0x1000);
}

/* ---- pointers ---- */

static void test_read__pointer_formats(void **state)
{
	(void)state;
	expect_ptr(0x8877665544332211ull, 0x00, BYTES(LE64(0x8877665544332211ull))); /* absptr */
	expect_ptr(300, 0x01, BYTES(0xac, 0x02)); /* uleb128 */
	expect_ptr(0xfffe, 0x02, BYTES(LE16(0xfffe))); /* udata2 */
	expect_ptr(0xfffffffe, 0x03, BYTES(LE32(0xfffffffe))); /* udata4 */
	expect_ptr(0xfffffffffffffffeull, 0x04, BYTES(LE64(-2))); /* udata8 */
	expect_ptr((u64)-2, 0x08, BYTES(LE64(-2))); /* signed: address size */
	expect_ptr((u64)-2, 0x09, BYTES(0x7e)); /* sleb128 */
	expect_ptr((u64)-2, 0x0a, BYTES(LE16(-2))); /* sdata2 */
	expect_ptr((u64)-2, 0x0b, BYTES(LE32(-2))); /* sdata4 */
	expect_ptr((u64)-2, 0x0c, BYTES(LE64(-2))); /* sdata8 */
}

static void test_read__pointer_bases(void **state)
{
	(void)state;
	/* pcrel: the field's own first byte */
	expect_ptr(IMG_EH - 0x100, 0x1b, BYTES(LE32(-0x100)));
	expect_ptr(IMG_EH + 0x100, 0x1c, BYTES(LE64(0x100)));
	expect_ptr(IMG_EH + 0x100, 0x10, BYTES(LE64(0x100)));
	expect_ptr(IMG_EH + 5, 0x11, BYTES(5));
	/* datarel: the header */
	expect_ptr(IMG_HDR + 0x123, 0x3b, BYTES(LE32(0x123)));
	expect_ptr(IMG_HDR - 1, 0x3a, BYTES(LE16(-1)));
	/* funcrel: the function */
	expect_ptr(IMG_TEXT + 0x20, 0x43, BYTES(LE32(0x20)));
}

static void test_read__null_pointer_gets_no_base(void **state)
{
	(void)state;
	expect_ptr(0, 0x1b, BYTES(LE32(0)));
	expect_ptr(0, 0x3b, BYTES(LE32(0)));
	expect_ptr(0, 0x43, BYTES(LE32(0)));
	expect_ptr(0, 0x9b, BYTES(LE32(0))); /* nor is it followed */
}

static void test_read__aligned_pointer_skips_padding(void **state)
{
	(void)state;
	open_bytes(BYTES(0xaa, 0xaa, 0xaa, 0, 0, 0, 0, 0, LE64(0x1234), 0x55));
	uc_cur_uint(&w, 3);
	assert_int_equal(uc_cur_ptr(&w, 0x50), 0x1234);
	assert_int_equal(uc_cur_u8(&w), 0x55);
	/* at an aligned place there is no padding */
	expect_ptr(0x1234, 0x50, BYTES(LE64(0x1234)));
}

static void test_read__indirect_pointer_is_loaded(void **state)
{
	(void)state;
	open_bytes(BYTES(LE32(0x100)));
	img_u64(&img, IMG_EH + 0x100, 0xcafe);
	assert_int_equal(uc_cur_ptr(&w, 0x9b), 0xcafe);
	expect_error(0, 0);
	assert_int_equal(w.impure, 1);
	/* to where nothing is: that page is asked for */
	open_bytes(BYTES(LE64(0x1000)));
	assert_int_equal(uc_cur_ptr(&w, 0x80), 0);
	expect_error(UC_FAULT, 0);
	assert_int_equal(w.fault_addr, 0x1000);
}

static void test_read__unknown_encodings_are_unsupported(void **state)
{
	static const u8 format[] = { 0x05, 0x06, 0x07, 0x0d, 0x0e, 0x0f };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(format); i++) {
		expect_no_ptr(format[i]);
		expect_no_ptr(0x10 | format[i]);
	}
	expect_no_ptr(0x20); /* textrel */
	expect_no_ptr(0x60);
	expect_no_ptr(0x70);
	expect_no_ptr(0xff); /* omit is the reader's to check before */
}

static void test_read__only_absolute_pointers_hang_on_the_process(void **state)
{
	(void)state;
	expect_ptr(IMG_EH + 1, 0x1b, BYTES(LE32(1)));
	assert_int_equal(w.impure, 0);
	expect_ptr(IMG_HDR + 1, 0x3b, BYTES(LE32(1)));
	assert_int_equal(w.impure, 0);
	expect_ptr(1, 0x03, BYTES(LE32(1)));
	assert_int_equal(w.impure, 1);
	/* where the file is at its own addresses they are the file's */
	open_bytes(BYTES(LE32(1)));
	w.mod.bias = 0;
	w.mod.elf = IMG_PROG;
	uc_cur_ptr(&w, 0x03);
	assert_int_equal(w.impure, 0);
}

static void test_read__size_has_width_but_no_sign_or_base(void **state)
{
	(void)state;
	open_bytes(BYTES(LE32(0xfffffffe)));
	assert_int_equal(uc_cur_ptr_size(&w, 0x1b), 0xfffffffe);
	open_bytes(BYTES(LE16(0xfffe)));
	assert_int_equal(uc_cur_ptr_size(&w, 0x0a), 0xfffe);
	open_bytes(BYTES(0x7e));
	assert_int_equal(uc_cur_ptr_size(&w, 0x09), 0x7e); /* -2 as a sleb */
	open_bytes(BYTES(LE64(-2)));
	assert_int_equal(uc_cur_ptr_size(&w, 0x0c), (u64)-2);
	open_bytes(BYTES(LE64(-2)));
	assert_int_equal(uc_cur_ptr_size(&w, 0x08), (u64)-2);
	expect_error(0, 0);
}

/* ---- the stack ---- */

static void test_read__stack_word_inside_and_across_pages(void **state)
{
	u64 v;

	(void)state;
	open_bytes(BYTES(0));
	img_u64(&img, IMG_STACK, 0x1111);
	img_u64(&img, IMG_STACK + 0x1000 - 8, 0x2222);
	img_u64(&img, IMG_STACK + 0x1000 - 4 - 0x200, 0x3333);
	assert_int_equal(uc_stack_word(&w, IMG_STACK, &v), 0);
	assert_int_equal(v, 0x1111);
	assert_int_equal(uc_stack_word(&w, IMG_STACK + 0x1000 - 8, &v), 0);
	assert_int_equal(v, 0x2222);
	assert_int_equal(uc_stack_word(&w, IMG_STACK + 0x1000 - 4 - 0x200, &v), 0);
	assert_int_equal(v, 0x3333);
	img_u64(&img, IMG_STACK + 0x1000 - 3, 0x8877665544332211ull);
	w.stack_len = 0; /* that was written behind the window's back */
	assert_int_equal(uc_stack_word(&w, IMG_STACK + 0x1000 - 3, &v), 0);
	assert_int_equal(v, 0x8877665544332211ull);
}

static void test_read__stack_words_around_the_window(void **state)
{
	u64 v, at;

	(void)state;
	open_bytes(BYTES(0));
	for (at = IMG_STACK; at < IMG_STACK_END; at += 8)
		img_u64(&img, at, at);
	for (at = IMG_STACK + 0x800; at < IMG_STACK + 0xc00; at += 8) {
		assert_int_equal(uc_stack_word(&w, at, &v), 0);
		assert_int_equal(v, at);
		assert_int_equal(uc_stack_word(&w, at - 48, &v), 0);
		assert_int_equal(v, at - 48);
	}
	/* the window serves its neighbours: far fewer reads than words */
	assert_true(img.nr_reads <= 8);
}

static void test_read__stack_word_that_is_missing(void **state)
{
	u64 v = 1;

	(void)state;
	open_bytes(BYTES(0));
	assert_int_equal(uc_stack_word(&w, 0x1000, &v), UC_FAULT);
	assert_true(w.fault_addr <= 0x1000 && w.fault_addr + w.fault_len > 0x1000);
	assert_int_equal(uc_walk_page_is_bad(&w), 0);
	assert_int_equal(uc_stack_word(&w, 0x1000, &v), UNCOIL_STOP_MEMORY_FAULT);
	/* a word whose second half is missing */
	w.nr_bad = 0;
	assert_int_equal(uc_stack_word(&w, IMG_STACK_END - 4, &v), UC_FAULT);
	assert_int_equal(uc_walk_page_is_bad(&w), 0);
	assert_int_equal(uc_stack_word(&w, IMG_STACK_END - 4, &v), UNCOIL_STOP_MEMORY_FAULT);
	assert_int_equal(v, 1);
}

static void test_read__stack_word_beyond_user_space(void **state)
{
	u64 v = 1;

	(void)state;
	open_bytes(BYTES(0));
	assert_int_equal(uc_stack_word(&w, ~0ull, &v), UNCOIL_STOP_MEMORY_FAULT);
	assert_int_equal(uc_stack_word(&w, (u64)-8, &v), UNCOIL_STOP_MEMORY_FAULT);
	assert_int_equal(uc_stack_word(&w, 1ull << 63, &v), UNCOIL_STOP_MEMORY_FAULT);
	assert_int_equal(w.stop_addr, 1ull << 63);
	assert_int_equal(v, 1);
	assert_int_equal(img.nr_reads, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read__fixed_sizes_are_little_endian),
		cmocka_unit_test(test_read__uleb_examples_of_dwarf5),
		cmocka_unit_test(test_read__sleb_examples_of_dwarf5),
		cmocka_unit_test(test_read__leb_holds_64_bits),
		cmocka_unit_test(test_read__leb_may_be_padded),
		cmocka_unit_test(test_read__leb_beyond_64_bits_is_malformed),
		cmocka_unit_test(test_read__data_that_ends_inside_a_value_is_truncated),
		cmocka_unit_test(test_read__no_byte_beyond_the_end_is_read),
		cmocka_unit_test(test_read__first_error_is_kept),
		cmocka_unit_test(test_read__value_across_pages),
		cmocka_unit_test(test_read__missing_page_is_a_fault_then_a_stop),
		cmocka_unit_test(test_read__pointer_formats),
		cmocka_unit_test(test_read__pointer_bases),
		cmocka_unit_test(test_read__null_pointer_gets_no_base),
		cmocka_unit_test(test_read__aligned_pointer_skips_padding),
		cmocka_unit_test(test_read__indirect_pointer_is_loaded),
		cmocka_unit_test(test_read__unknown_encodings_are_unsupported),
		cmocka_unit_test(test_read__only_absolute_pointers_hang_on_the_process),
		cmocka_unit_test(test_read__size_has_width_but_no_sign_or_base),
		cmocka_unit_test(test_read__stack_word_inside_and_across_pages),
		cmocka_unit_test(test_read__stack_words_around_the_window),
		cmocka_unit_test(test_read__stack_word_that_is_missing),
		cmocka_unit_test(test_read__stack_word_beyond_user_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
