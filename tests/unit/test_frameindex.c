/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sections that no tool makes, put together by hand after DWARF 5 6.4.1: each
 * with the index that its text says. What tools make is in test_debugframe.c.
 */
#include "uc_frameindex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VADDR 0x500000 /* of the section, for pcrel */

/* A section in the making; 64-bit little-endian unless a test says otherwise. */
struct maker {
	uint8_t data[4096];
	size_t size;
	size_t record; /* where the current one starts */
	bool big, dwarf64;
	int addr_size;
};

static struct maker m;
static struct uc_frameindex x;

static void put(uint64_t v, int size)
{
	int i;

	for (i = 0; i < size; i++)
		m.data[m.size++] = (uint8_t)(v >> 8 * (m.big ? size - 1 - i : i));
}

static void begin(uint64_t id)
{
	m.record = m.size;
	if (m.dwarf64)
		put(0xffffffff, 4);
	put(0, m.dwarf64 ? 8 : 4);
	put(id, m.dwarf64 ? 8 : 4);
}

static size_t end(void)
{
	size_t head = m.dwarf64 ? 12 : 4, size = m.size;

	m.size = m.record + head - (m.dwarf64 ? 8 : 4);
	put(size - m.record - head, m.dwarf64 ? 8 : 4);
	m.size = size;
	return m.record;
}

static void begin_cie(int version, const char *augmentation)
{
	begin(~0ull);
	put((uint64_t)version, 1);
	memcpy(m.data + m.size, augmentation, strlen(augmentation) + 1);
	m.size += strlen(augmentation) + 1;
}

/* Alignment factors 1 and -8, return address in register 16. */
static void factors(void)
{
	put(1, 1);
	put(0x78, 1);
	put(16, 1);
}

static size_t cie(int version, const char *augmentation)
{
	begin_cie(version, augmentation);
	if (version == 4)
		put((uint64_t)m.addr_size, 2); /* and no segment selector */
	factors();
	return end();
}

static size_t fde(size_t of, uint64_t start, uint64_t len)
{
	begin(of);
	put(start, m.addr_size);
	put(len, m.addr_size);
	return end();
}

/* Code is at 0..0x1000 and 0x400000..0x401000. */
static void build(void)
{
	struct uc_code_range code[] = { { 0x400800, 0x401000 },
					{ 0, 0x1000 },
					{ 0x400000, 0x400900 } };
	uint8_t *exact = malloc(m.size ? m.size : 1); /* ASan notices reads behind it */
	struct uc_frame_section s = {
		.data = exact,
		.size = m.size,
		.vaddr = VADDR,
		.addr_size = (uint8_t)m.addr_size,
		.big_endian = m.big,
	};

	assert_non_null(exact);
	memcpy(exact, m.data, m.size);
	assert_int_equal(uc_frameindex_build(&s, code, 3, &x), 0);
	free(exact);
}

static int fresh(void **state)
{
	(void)state;
	memset(&m, 0, sizeof(m));
	m.addr_size = 8;
	return 0;
}

static int done(void **state)
{
	(void)state;
	uc_frameindex_fini(&x);
	return 0;
}

static void is_range(size_t i, uint64_t start, uint64_t stop, size_t of)
{
	uint64_t found = ~0ull;

	assert_true(i < x.nr);
	assert_int_equal(x.range[i].start, start);
	assert_int_equal(x.range[i].end, stop);
	assert_int_equal(x.range[i].fde, of);
	assert_true(uc_frameindex_find(&x, start, &found));
	assert_int_equal(found, of);
	assert_true(uc_frameindex_find(&x, stop - 1, &found));
	assert_int_equal(found, of);
}

static void is_flawed(size_t nr, enum uncoil_flaw flaw, size_t offset)
{
	assert_int_equal(x.nr_flawed, nr);
	assert_int_equal(x.flaw, flaw);
	assert_int_equal(x.flaw_offset, offset);
}

static void is_clean(void)
{
	is_flawed(0, UNCOIL_FLAW_NONE, 0);
	assert_int_equal(x.reached, m.size);
}

static void test_frameindex__empty(void **state)
{
	uint64_t found;

	(void)state;
	build();
	is_clean();
	assert_int_equal(x.nr, 0);
	assert_false(uc_frameindex_find(&x, 0x400000, &found));
}

static void test_frameindex__sorts(void **state)
{
	uint64_t found;
	size_t c, f[3];

	(void)state;
	c = cie(1, "");
	f[0] = fde(c, 0x400300, 0x40);
	f[1] = fde(c, 0x400100, 0x40);
	f[2] = fde(c, 0x400140, 0x10);
	build();
	is_clean();
	assert_int_equal(x.nr, 3);
	is_range(0, 0x400100, 0x400140, f[1]);
	is_range(1, 0x400140, 0x400150, f[2]);
	is_range(2, 0x400300, 0x400340, f[0]);
	assert_false(uc_frameindex_find(&x, 0x4000ff, &found));
	assert_false(uc_frameindex_find(&x, 0x400150, &found));
	assert_false(uc_frameindex_find(&x, 0x4002ff, &found));
	assert_false(uc_frameindex_find(&x, 0x400340, &found));
	assert_false(uc_frameindex_find(&x, UINT64_MAX, &found));
}

/* A CIE may come after its FDEs, and records of both formats may be mixed. */
static void test_frameindex__cie_behind_and_formats_mixed(void **state)
{
	size_t c, f[2];

	(void)state;
	m.dwarf64 = true;
	f[0] = fde(36 + 32, 0x400100, 0x40);
	m.dwarf64 = false;
	f[1] = fde(36 + 32, 0x400200, 0x40);
	assert_int_equal(m.size, 36 + 24);
	put(0, 4); /* a terminator in the middle */
	put(0, 4);
	m.dwarf64 = true;
	c = cie(3, "");
	assert_int_equal(c, 36 + 32);
	put(0xffffffff, 4); /* and one of the 64-bit format */
	put(0, 8);
	build();
	is_clean();
	assert_int_equal(x.nr, 2);
	is_range(0, 0x400100, 0x400140, f[0]);
	is_range(1, 0x400200, 0x400240, f[1]);
}

static void test_frameindex__big_endian_32_bit(void **state)
{
	size_t f;

	(void)state;
	m.big = true;
	m.addr_size = 4;
	f = fde(16, 0x400100, 0x40);
	cie(1, "");
	fde(16, 0xffffffff, 0x40);
	build();
	is_clean();
	assert_int_equal(x.nr, 1);
	assert_int_equal(x.nr_unused, 1);
	is_range(0, 0x400100, 0x400140, f);
}

/* The CIE's address size counts, not the file's; a selector is skipped. */
static void test_frameindex__cie_version_4(void **state)
{
	size_t c[2], f[2];

	(void)state;
	begin_cie(4, "");
	put(4, 1);
	put(2, 1);
	factors();
	c[0] = end();
	begin(c[0]);
	put(0, 2);
	put(0x400100, 4);
	put(0x40, 4);
	f[0] = end();
	begin(c[0]);
	put(7, 2); /* of another address space */
	put(0x400200, 4);
	put(0x40, 4);
	end();
	c[1] = cie(4, "");
	f[1] = fde(c[1], 0x400300, 0x40);
	build();
	is_clean();
	assert_int_equal(x.nr, 2);
	assert_int_equal(x.nr_unused, 1);
	is_range(0, 0x400100, 0x400140, f[0]);
	is_range(1, 0x400300, 0x400340, f[1]);
}

static void test_frameindex__leaves_out_what_is_no_code(void **state)
{
	size_t c, f[2];

	(void)state;
	c = cie(1, "");
	fde(c, 0, 0x40); /* code is at 0, but that says "discarded" */
	fde(c, 1, 0x40);
	fde(c, ~0ull, 0x40);
	fde(c, ~0ull - 0x3f, 0x40);
	fde(c, 0x400100, 0);
	fde(c, 0x1000, 0x40); /* outside */
	fde(c, 0xff0, 0x20); /* half outside */
	fde(c, 0x400f00, ~0ull); /* around the end of all addresses */
	f[0] = fde(c, 0x4007f0, 0x200); /* code ranges that overlap are one */
	f[1] = fde(c, 0xfc0, 0x40);
	build();
	is_clean();
	assert_int_equal(x.nr, 2);
	assert_int_equal(x.nr_unused, 8);
	is_range(0, 0xfc0, 0x1000, f[1]);
	is_range(1, 0x4007f0, 0x4009f0, f[0]);
}

/* As gold leaves a section of three functions that it discarded, and between
 * them the cold part of one, which was in another. */
static void test_frameindex__leaves_out_what_follows_the_discarded(void **state)
{
	size_t c, f[2];

	(void)state;
	c = cie(1, "");
	fde(c, 0, 0x2f);
	fde(c, 0x30, 0x11);
	fde(c, 0, 0x5);
	fde(c, 0x50, 0x350);
	f[0] = fde(c, 0x400100, 0x40);
	c = cie(1, "");
	f[1] = fde(c, 0x3a0, 0x40); /* by chance: another object's */
	build();
	is_clean();
	assert_int_equal(x.nr, 2);
	is_range(0, 0x3a0, 0x3e0, f[1]);
	is_range(1, 0x400100, 0x400140, f[0]);
}

/*
 * Like the search table of .eh_frame: the last that starts at or before the
 * address and covers it.
 */
static void test_frameindex__overlaps(void **state)
{
	size_t c, wide, narrow, tail, same[2], twin;

	(void)state;
	c = cie(1, "");
	wide = fde(c, 0x400100, 0x100);
	narrow = fde(c, 0x400140, 0x20);
	tail = fde(c, 0x4001f0, 0x20);
	same[0] = fde(c, 0x400300, 0x20);
	same[1] = fde(c, 0x400300, 0x40);
	twin = fde(c, 0x400400, 0x40);
	fde(c, 0x400400, 0x40);
	build();
	is_clean();
	assert_int_equal(x.nr, 7);
	is_range(0, 0x400100, 0x400140, wide);
	is_range(1, 0x400140, 0x400160, narrow);
	is_range(2, 0x400160, 0x4001f0, wide);
	is_range(3, 0x4001f0, 0x400210, tail);
	is_range(4, 0x400300, 0x400320, same[0]);
	is_range(5, 0x400320, 0x400340, same[1]);
	is_range(6, 0x400400, 0x400440, twin);
}

static void test_frameindex__encoded_addresses(void **state)
{
	size_t c, f[3];

	(void)state;
	begin_cie(1, "zPLRx");
	factors();
	put(8, 1); /* length of what follows */
	put(0x0b, 1);
	put(0x11223344, 4);
	put(0, 1);
	put(0x1b, 1); /* R: pcrel, sdata4 */
	put(0xee, 1); /* x: unknown */
	c = end();
	begin(c);
	put(0x400100 - (VADDR + m.size), 4);
	put(0x40, 4);
	put(0, 1);
	f[0] = end();
	begin_cie(1, "zR");
	factors();
	put(1, 1);
	put(0x01, 1); /* ULEB128 */
	c = end();
	begin(c);
	put(0x0082808480, 5); /* 0x400200: in groups of 7 bits 0, 4, 0, 2; padded */
	put(0x00c0, 2); /* 0x40, padded */
	put(0, 1);
	put(0, 1);
	f[1] = end();
	begin_cie(1, "zR");
	factors();
	put(1, 1);
	put(0x0c, 1); /* sdata8 */
	c = end();
	begin(c);
	put(0x400300, 8);
	put(0x40, 8);
	put(0, 1);
	f[2] = end();
	build();
	is_clean();
	assert_int_equal(x.nr, 3);
	is_range(0, 0x400100, 0x400140, f[0]);
	is_range(1, 0x400200, 0x400240, f[1]);
	is_range(2, 0x400300, 0x400340, f[2]);
}

/* A record that is wrong costs itself, as long as its length holds. */
static void flawed_record_between(size_t (*make)(size_t good_cie), size_t nr,
				  enum uncoil_flaw flaw)
{
	size_t c, f[2], bad;

	fresh(NULL);
	c = cie(1, "");
	f[0] = fde(c, 0x400100, 0x40);
	bad = make(c);
	f[1] = fde(c, 0x400300, 0x40);
	build();
	is_flawed(nr, flaw, bad);
	assert_int_equal(x.reached, m.size);
	assert_int_equal(x.nr, 2);
	is_range(0, 0x400100, 0x400140, f[0]);
	is_range(1, 0x400300, 0x400340, f[1]);
	uc_frameindex_fini(&x);
}

static size_t truncated_fde(size_t c)
{
	begin(c);
	put(0x400200, 8);
	put(0x40, 4);
	return end();
}

static size_t short_record(size_t c)
{
	(void)c;
	m.record = m.size;
	put(2, 4);
	put(0, 2);
	return m.record;
}

static size_t cie_outside(size_t c)
{
	(void)c;
	return fde(0x12345678, 0x400200, 0x40);
}

static size_t cie_is_no_cie(size_t c)
{
	(void)c;
	return fde(m.size, 0x400200, 0x40);
}

static size_t version_2(size_t c)
{
	size_t bad = cie(2, "");

	(void)c;
	fde(bad, 0x400200, 0x40);
	return bad;
}

static size_t address_size_3(size_t c)
{
	(void)c;
	begin_cie(4, "");
	put(3, 2);
	factors();
	return end();
}

static size_t unknown_letters(size_t c)
{
	(void)c;
	return cie(1, "armcc+");
}

static size_t endless_letters(size_t c)
{
	(void)c;
	return cie(1, "zzzzzzzzzzzzzzzzzzzzzzzzzz");
}

static size_t long_augmentation(size_t c)
{
	(void)c;
	begin_cie(1, "z");
	factors();
	put(0x7f, 1);
	return end();
}

static size_t omitted_address(size_t c)
{
	size_t bad;

	(void)c;
	begin_cie(1, "zR");
	factors();
	put(1, 1);
	put(0x20, 1); /* textrel */
	bad = end();
	return fde(bad, 0x400200, 0x40);
}

static size_t large_number(size_t c)
{
	(void)c;
	begin_cie(1, "");
	put(~0ull, 8);
	put(0x7fffffff, 4);
	return end();
}

static size_t cut_cie(size_t c)
{
	(void)c;
	begin_cie(1, "");
	put(1, 1);
	return end();
}

static void test_frameindex__flaws(void **state)
{
	(void)state;
	flawed_record_between(truncated_fde, 1, UNCOIL_FLAW_TRUNCATED);
	flawed_record_between(short_record, 1, UNCOIL_FLAW_RECORD_LENGTH);
	flawed_record_between(cie_outside, 1, UNCOIL_FLAW_CIE_POINTER);
	flawed_record_between(cie_is_no_cie, 1, UNCOIL_FLAW_CIE_POINTER);
	flawed_record_between(version_2, 2, UNCOIL_FLAW_CIE_VERSION);
	flawed_record_between(address_size_3, 1, UNCOIL_FLAW_CIE_VERSION);
	flawed_record_between(unknown_letters, 1, UNCOIL_FLAW_AUGMENTATION);
	flawed_record_between(endless_letters, 1, UNCOIL_FLAW_AUGMENTATION);
	flawed_record_between(long_augmentation, 1, UNCOIL_FLAW_AUGMENTATION);
	flawed_record_between(omitted_address, 1, UNCOIL_FLAW_POINTER_ENCODING);
	flawed_record_between(large_number, 1, UNCOIL_FLAW_LEB128);
	flawed_record_between(cut_cie, 1, UNCOIL_FLAW_TRUNCATED);
}

/* Behind a wrong length nothing can be found; what came before stays. */
static void test_frameindex__length_that_cannot_be_trusted(void **state)
{
	static const uint64_t lengths[] = { 0x1000, 0xfffffff0, 0xfffffffe, 0x7fffffff };
	size_t i, c, f, bad;

	(void)state;
	for (i = 0; i < 6; i++) {
		fresh(NULL);
		c = cie(1, "");
		f = fde(c, 0x400100, 0x40);
		bad = m.size;
		put(i < 4 ? lengths[i] : 0xffffffff, 4);
		put(i < 5 ? 0xfffffffffffffff0 : 0, i < 5 ? 8 : 3); /* the last is cut */
		if (i < 5)
			put(0, 8);
		build();
		is_flawed(1, UNCOIL_FLAW_RECORD_LENGTH, bad);
		assert_int_equal(x.reached, bad);
		assert_int_equal(x.nr, 1);
		is_range(0, 0x400100, 0x400140, f);
		uc_frameindex_fini(&x);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_frameindex__##name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(empty),
		TEST(sorts),
		TEST(cie_behind_and_formats_mixed),
		TEST(big_endian_32_bit),
		TEST(cie_version_4),
		TEST(leaves_out_what_is_no_code),
		TEST(leaves_out_what_follows_the_discarded),
		TEST(overlaps),
		TEST(encoded_addresses),
		TEST(flaws),
		TEST(length_that_cannot_be_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
