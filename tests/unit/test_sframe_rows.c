/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* .sframe of binutils 2.40, 2.44 and 2.47 for three machines: every row is what
 * readelf says (tests/sframe/README.md), at its first and its last byte. */
#include <stdlib.h>

#include "sframe_image.h"

#define FOLDER "tests/sframe/"
#define ROWS_MAX 64 /* of a function */
#define FUNCTIONS_MAX 512
#define AWAY 0x7f1200000000ull /* a bias */

struct row {
	u32 off;
	char says[96]; /* CFA RA FP FLAGS */
};

struct function {
	u64 start;
	u32 size, block, nr_rows;
	u32 signal;
	struct row row[ROWS_MAX];
};

static struct fixture {
	u32 abi, version;
	u64 section, exec[4][2];
	u32 nr_exec, nr_functions, len;
	struct function function[FUNCTIONS_MAX];
	u8 bytes[16384];
} fix;

static struct sframe_image img;
static struct uc_walk w;

/* ---- reading a fixture ---- */

static u32 abi_named(const char *name)
{
	if (!strcmp(name, "x86_64"))
		return UC_ABI_X86_64;
	if (!strcmp(name, "aarch64"))
		return UC_ABI_AARCH64;
	assert_string_equal(name, "s390x");
	return UC_ABI_S390X;
}

static void add_function(const char *line)
{
	struct function *f = &fix.function[fix.nr_functions++];
	unsigned long long start;
	char flags[8];

	assert_true(fix.nr_functions <= FUNCTIONS_MAX);
	memset(f, 0, sizeof(*f));
	assert_int_equal(sscanf(line, "fde %llx %u %u %7s", &start, &f->size, &f->block, flags), 4);
	f->start = start;
	f->signal = !!strchr(flags, 's');
}

static void add_row(const char *line)
{
	struct function *f = &fix.function[fix.nr_functions - 1];
	struct row *r = &f->row[f->nr_rows++];

	assert_true(fix.nr_functions && f->nr_rows <= ROWS_MAX);
	assert_int_equal(sscanf(line, "row %u %95[^\n]", &r->off, r->says), 2);
}

static void add_line(const char *line)
{
	unsigned long long a, b;
	char name[16];

	if (line[0] == '#')
		return;
	if (!strncmp(line, "fde ", 4)) {
		add_function(line);
	} else if (!strncmp(line, "row ", 4)) {
		add_row(line);
	} else if (sscanf(line, "abi %15s", name) == 1) {
		fix.abi = abi_named(name);
	} else if (sscanf(line, "section %llx", &a) == 1) {
		fix.section = a;
	} else if (sscanf(line, "exec %llx %llx", &a, &b) == 2) {
		assert_true(fix.nr_exec < 4);
		fix.exec[fix.nr_exec][0] = a;
		fix.exec[fix.nr_exec++][1] = b;
	} else {
		assert_int_equal(sscanf(line, "version %u", &fix.version), 1);
	}
}

static FILE *open_file(const char *name, const char *ending)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), FOLDER "%s.%s", name, ending);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: not there; run from the top of the tree", path);
	return f;
}

static void read_fixture(const char *name)
{
	char line[256];
	FILE *f = open_file(name, "rows");

	memset(&fix, 0, sizeof(fix));
	while (fgets(line, sizeof(line), f))
		add_line(line);
	fclose(f);
	f = open_file(name, "sframe");
	fix.len = (u32)fread(fix.bytes, 1, sizeof(fix.bytes), f);
	fclose(f);
	assert_true(fix.len && fix.len < sizeof(fix.bytes) && fix.nr_functions && fix.nr_exec);
}

static void begin(u64 bias, u32 len)
{
	u32 i;

	sfi_begin(&img, &w, fix.abi, fix.section + bias, fix.bytes, len);
	w.mod.bias = bias;
	for (i = 0; i < fix.nr_exec; i++)
		sfi_exec(&w, fix.exec[i][0], fix.exec[i][1]);
}

/* ---- what is asked ---- */

static int is_covered(u64 pc)
{
	u32 i;

	for (i = 0; i < fix.nr_functions; i++)
		if (pc - fix.function[i].start < fix.function[i].size)
			return 1;
	return 0;
}

static void expect_none(u64 pc)
{
	assert_int_equal(sfi_row(&w, pc + w.mod.bias), UNCOIL_STOP_NO_ENTRY);
}

static void expect_row(const struct function *f, const struct row *r, u64 pc)
{
	assert_int_equal(sfi_row(&w, pc + w.mod.bias), 0);
	if (strcmp(sfi_say(&w), r->says))
		fail_msg("0x%llx: %s, not %s", (unsigned long long)pc, r->says, sfi_say(&w));
	assert_int_equal(w.row.signal, f->signal);
	sfi_check_rest(&w);
}

/* The rows of one block, or of the function. */
static void check_rows(const struct function *f, u64 start, u32 size)
{
	u32 i;

	if (f->nr_rows && f->row[0].off)
		expect_none(start);
	for (i = 0; i < f->nr_rows; i++) {
		const struct row *r = &f->row[i];
		u32 end = i + 1 < f->nr_rows && r[1].off < size ? r[1].off : size;

		if (r->off >= end)
			continue;
		expect_row(f, r, start + r->off);
		expect_row(f, r, start + (r->off + end) / 2);
		expect_row(f, r, start + end - 1);
	}
}

static void check_function(const struct function *f)
{
	u32 at, step = f->block ? f->block : f->size;

	if (!is_covered(f->start - 1))
		expect_none(f->start - 1);
	if (!is_covered(f->start + f->size))
		expect_none(f->start + f->size);
	if (!f->nr_rows)
		for (at = 0; at < f->size; at++)
			expect_none(f->start + at);
	for (at = 0; at < f->size; at += step)
		check_rows(f, f->start + at, f->size - at < step ? f->size - at : step);
}

static void check_all(u64 bias, u32 len)
{
	u32 i;

	begin(bias, len);
	for (i = 0; i < fix.nr_functions; i++)
		check_function(&fix.function[i]);
	assert_int_equal(w.mod.sf.version, fix.version);
	assert_int_equal(w.mod.sf.nr_fdes, fix.nr_functions);
	expect_none(0);
	expect_none(fix.exec[0][0] - 1);
	expect_none(~0ull - bias);
}

static const char *const names[] = {
	"x86_64-v1", "x86_64-v2", "x86_64-v3", "aarch64-v1", "aarch64-v2", "aarch64-v3", "s390x-v3",
	"plt-v1", "plt-v2", "plt-v3", "plt-ibt-v1", "plt-ibt-v2", "plt-ibt-v3",
	"rel-v1", "rel-v2", "rel-v3", "many-v1", "many-v2", "many-v3",
};

#define NAMES (sizeof(names) / sizeof(names[0]))

static void test_sframe_rows__every_row_is_readelfs(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < NAMES; i++) {
		read_fixture(names[i]);
		check_all(0, fix.len);
		check_all(AWAY, fix.len);
	}
}

/* PT_GNU_SFRAME may say more bytes than the section has (formats sheet 5.2). */
static void test_sframe_rows__bytes_behind_the_section_do_not_matter(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < NAMES; i++) {
		read_fixture(names[i]);
		memset(fix.bytes + fix.len, 0xff, sizeof(fix.bytes) - fix.len);
		check_all(0, fix.len + 100);
	}
}

/* All rows that are found must be those of the whole section. */
static void test_sframe_rows__truncated_at_every_byte(void **state)
{
	u32 i, len, k;

	(void)state;
	for (i = 0; i < NAMES; i++) {
		read_fixture(names[i]);
		for (len = 0; len < fix.len; len++) {
			begin(0, len);
			for (k = 0; k < fix.nr_functions; k += 1 + k / 4) {
				int rc = sfi_row(&w, fix.function[k].start);

				/* the header says how long it is */
				assert_int_equal(rc, UNCOIL_STOP_MALFORMED);
			}
		}
	}
}

/* ... and each of its bytes may be anything: no read outside, and an end. */
static void test_sframe_rows__any_byte_changed(void **state)
{
	static const u8 change[] = { 0x01, 0x80, 0xff };
	u32 i, at, k, n;

	(void)state;
	for (i = 0; i < NAMES; i++) {
		read_fixture(names[i]);
		for (at = 0; at < fix.len; at++)
			for (n = 0; n < sizeof(change); n++) {
				fix.bytes[at] ^= change[n];
				begin(0, fix.len);
				for (k = 0; k < fix.nr_functions; k += 1 + k / 2) {
					int rc = sfi_row(&w, fix.function[k].start);

					assert_in_range(rc, 0, UNCOIL_STOP_COUNT - 1);
				}
				fix.bytes[at] ^= change[n];
			}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sframe_rows__every_row_is_readelfs),
		cmocka_unit_test(test_sframe_rows__bytes_behind_the_section_do_not_matter),
		cmocka_unit_test(test_sframe_rows__truncated_at_every_byte),
		cmocka_unit_test(test_sframe_rows__any_byte_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
