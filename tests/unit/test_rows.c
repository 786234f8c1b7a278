/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All rows of files made by hand. What a record means: LSB Core, "Exception
 * Frames", and DWARF 5, 6.4; the files of the machine are tests/rows's.
 */
#include "elf_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "uc_rows.h"
#include "uc_rowtext.h"

static struct elf_file e;
static char text[8192]; /* a line for each event */
static int stop_after; /* events; 0: none */

static void put_line(const char *line)
{
	size_t len = strlen(text);

	snprintf(text + len, sizeof(text) - len, "%s\n", line);
}

/* Code addresses count from the code's start. */
static int on_event(const struct uc_rows_event *event, void *arg)
{
	struct uc_row_rule rule[UC_ROW_RULES];
	char line[512], rule_text[UC_RULE_TEXT];
	u64 start = event->start - ELF_CODE, end = event->end - ELF_CODE;
	u32 i, nr;
	int n;

	(void)arg;
	switch (event->kind) {
	case UC_ROWS_FDE:
		snprintf(line, sizeof(line), "fde %lx: %lx-%lx%s%s%s", (unsigned long)event->offset,
			 (unsigned long)start, (unsigned long)end,
			 event->is_signal ? " signal" : "", event->by_table ? " by-table" : "",
			 event->behind_end ? " behind-end" : "");
		break;
	case UC_ROWS_ROW:
		uc_cfa_text(event, rule_text, sizeof(rule_text));
		n = snprintf(line, sizeof(line), " %lx-%lx cfa=%s", (unsigned long)start,
			     (unsigned long)end, rule_text);
		nr = uc_row_rules(event, rule);
		for (i = 0; i < nr; i++) {
			uc_rule_text(event, &rule[i], rule_text, sizeof(rule_text));
			n += snprintf(line + n, sizeof(line) - (size_t)n, " %s=%s", rule[i].name,
				      rule_text);
		}
		break;
	case UC_ROWS_FLAW:
		snprintf(line, sizeof(line), "%s+%lx: flaw %d of %lx",
			 uc_image_section_name(event->section), (unsigned long)event->offset,
			 event->flaw, (unsigned long)event->record);
		break;
	}
	put_line(line);
	return stop_after && !--stop_after ? 42 : 0;
}

static int each(enum uc_rows_source source)
{
	struct uc_image *img;
	char err[256];
	int rc;

	text[0] = 0;
	assert_int_equal(uc_image_open_memory(e.bytes, sizeof(e.bytes), "made", &img, err,
					      sizeof(err)),
			 0);
	rc = uc_rows_each(img, source, on_event, NULL);
	uc_image_free(img);
	return rc;
}

static void gives(const char *want)
{
	assert_int_equal(each(UC_ROWS_EHFRAME), 0);
	assert_string_equal(text, want);
}

#define X86_64_CIE BYTES(0x0c, 7, 8, 0x90, 1) /* CFA=rsp+8, ra at -8 */

static u32 begin(void)
{
	elf_begin(&e, EM_X86_64, true, false);
	return elf_cie(&e, 16, X86_64_CIE); /* of 24 bytes */
}

/* push %rbx at 0, pop at 4, of 16 bytes; an FDE of 28. */
#define PUSH_POP BYTES(0x41, 0x0e, 16, 0x83, 2, 0x44, 0x0e, 8, 0xc3)
#define PUSH_POP_ROWS \
	" 0-1 cfa=rsp+8 ra=[cfa-8]\n" \
	" 1-5 cfa=rsp+16 rbx=[cfa-16] ra=[cfa-8]\n" \
	" 5-10 cfa=rsp+8 ra=[cfa-8]\n"

static void test_rows__a_row_holds_until_the_next(void **state)
{
	(void)state;
	elf_fde(&e, begin(), ELF_CODE, 16, PUSH_POP);
	elf_end_records(&e);
	gives("fde 18: 0-10\n" PUSH_POP_ROWS);
}

static void test_rows__other_classes_and_byte_orders(void **state)
{
	u32 cie;

	(void)state;
	elf_begin(&e, EM_386, false, false);
	cie = elf_cie(&e, 8, BYTES(0x0c, 4, 4)); /* data align -8, so ra has no rule that fits */
	elf_fde(&e, cie, ELF_CODE, 16, BYTES(0x41, 0x0e, 8, 0x83, 1));
	elf_end_records(&e);
	gives("fde 14: 0-10\n 0-1 cfa=esp+4\n 1-10 cfa=esp+8 ebx=[cfa-8]\n");

	elf_begin(&e, EM_S390, true, true);
	cie = elf_cie(&e, 14, BYTES(0x0c, 15, 0xa0, 1));
	/* stmg %r14,%r15; aghi %r15: DW_CFA_offset r14 6, r15 5, advance_loc2 */
	elf_fde(&e, cie, ELF_CODE, 16, BYTES(0x8e, 6, 0x8f, 5, 0x03, 0, 6, 0x0e, 0xc0, 2));
	elf_end_records(&e);
	gives("fde 18: 0-10\n"
	      " 0-6 cfa=r15+160 r15=[cfa-40] ra=[cfa-48]\n"
	      " 6-10 cfa=r15+320 r15=[cfa-40] ra=[cfa-48]\n");
}

static void test_rows__a_row_behind_the_end_holds_nowhere(void **state)
{
	(void)state;
	elf_fde(&e, begin(), ELF_CODE, 4, PUSH_POP);
	elf_end_records(&e);
	gives("fde 18: 0-4\n"
	      " 0-1 cfa=rsp+8 ra=[cfa-8]\n"
	      " 1-4 cfa=rsp+16 rbx=[cfa-16] ra=[cfa-8]\n"
	      " 5-5 cfa=rsp+8 ra=[cfa-8]\n");
}

static void test_rows__a_flaw_ends_a_function_not_the_section(void **state)
{
	u32 cie = begin();

	(void)state;
	assert_int_equal(UNCOIL_FLAW_CFA_OPCODE, 12);
	elf_fde(&e, cie, ELF_CODE, 16, BYTES(0x41, 0x0e, 16, 0x41, 0x3c)); /* no instruction */
	elf_fde(&e, cie, ELF_CODE + 16, 16, BYTES(0));
	elf_end_records(&e);
	assert_int_equal(each(UC_ROWS_EHFRAME), 0);
	/* the FDE's instructions begin 17 bytes behind its start */
	assert_string_equal(text, "fde 18: 0-10\n"
				  " 0-1 cfa=rsp+8 ra=[cfa-8]\n"
				  " 1-2 cfa=rsp+16 ra=[cfa-8]\n"
				  ".eh_frame+2d: flaw 12 of 18\n"
				  "fde 30: 10-20\n"
				  " 10-20 cfa=rsp+8 ra=[cfa-8]\n");
}

static void test_rows__a_terminator_ends_what_no_header_bounds(void **state)
{
	u32 cie = begin(), second;

	(void)state;
	elf_fde(&e, cie, ELF_CODE, 16, PUSH_POP);
	e.at += 4; /* a length of 0 */
	second = elf_fde(&e, cie, ELF_CODE + 16, 16, BYTES(0));
	elf_table(&e, ELF_CODE + 16, second);
	gives("fde 18: 0-10\n" PUSH_POP_ROWS
	      "fde 38: 10-20 by-table\n"
	      " 10-20 cfa=rsp+8 ra=[cfa-8]\n");
	elf_end_records(&e);
	gives("fde 18: 0-10\n" PUSH_POP_ROWS
	      "fde 38: 10-20 behind-end\n"
	      " 10-20 cfa=rsp+8 ra=[cfa-8]\n");
}

static void test_rows__a_callback_can_end_it(void **state)
{
	(void)state;
	elf_fde(&e, begin(), ELF_CODE, 16, PUSH_POP);
	elf_end_records(&e);
	stop_after = 2;
	assert_int_equal(each(UC_ROWS_EHFRAME), 42);
	assert_string_equal(text, "fde 18: 0-10\n 0-1 cfa=rsp+8 ra=[cfa-8]\n");
}

static void test_rows__a_file_may_have_none(void **state)
{
	(void)state;
	begin();
	assert_int_equal(each(UC_ROWS_EHFRAME), -ENOENT);
	assert_int_equal(each(UC_ROWS_SFRAME), -ENOENT);
	assert_int_equal(each(UC_ROWS_DEBUGFRAME), -ENOENT);
	assert_string_equal(text, "");
}

static int count(const struct uc_rows_event *event, void *arg)
{
	u32 *nr = arg;

	nr[event->kind]++;
	if (event->kind == UC_ROWS_FLAW) {
		assert_int_equal(event->stop, UNCOIL_STOP_UNSUPPORTED);
		assert_int_equal(event->flaw, UNCOIL_FLAW_TOO_LONG);
	}
	return 0;
}

/*
 * 16,384 FDEs that name two CIEs in turn, each of 16,000 nops: half a gigabyte
 * to read in a section of half a megabyte.
 */
static void test_rows__does_not_read_the_same_bytes_forever(void **state)
{
	static u8 bytes[ELF_SIZE + (1 << 20)];
	static struct elf_file small;
	const u32 nr_fdes = 16384, cie_size = 16000;
	u32 i, nr[3] = { 0 }, at = ELF_SIZE, cie[2], size = 2 * cie_size + 24 * nr_fdes;
	struct uc_image *img;
	char err[256];

	(void)state;
	elf_begin(&small, EM_X86_64, true, false);
	elf_cie(&small, 16, X86_64_CIE);
	elf_fde(&small, ELF_EH, ELF_CODE, 16, BYTES(0));
	elf_shdr(&small, ELF_NAME_EH, SHT_PROGBITS, SHF_ALLOC, 0x100000, ELF_SIZE, size);
	elf_phdr(&small, PT_LOAD, PF_R, ELF_SIZE, 0x100000, size);
	memcpy(bytes, small.bytes, ELF_SIZE);
	for (i = 0; i < 2; i++, at += cie_size) {
		u32 len = cie_size - 4;

		memcpy(bytes + at, small.bytes + ELF_EH, 24);
		memcpy(bytes + at, &len, 4);
		cie[i] = at;
	}
	for (i = 0; i < nr_fdes; i++, at += 24) {
		u32 back = at + 4 - cie[i & 1];

		memcpy(bytes + at, small.bytes + ELF_EH + 24, 24);
		memcpy(bytes + at + 4, &back, 4);
	}
	assert_int_equal(uc_image_open_memory(bytes, at, "made", &img, err, sizeof(err)), 0);
	assert_int_equal(uc_rows_each(img, UC_ROWS_EHFRAME, count, nr), 0);
	assert_int_equal(nr[UC_ROWS_FLAW], 1);
	assert_in_range(nr[UC_ROWS_FDE], 100, 1024);
	uc_image_free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows__a_row_holds_until_the_next),
		cmocka_unit_test(test_rows__other_classes_and_byte_orders),
		cmocka_unit_test(test_rows__a_row_behind_the_end_holds_nowhere),
		cmocka_unit_test(test_rows__a_flaw_ends_a_function_not_the_section),
		cmocka_unit_test(test_rows__a_terminator_ends_what_no_header_bounds),
		cmocka_unit_test(test_rows__a_callback_can_end_it),
		cmocka_unit_test(test_rows__a_file_may_have_none),
		cmocka_unit_test(test_rows__does_not_read_the_same_bytes_forever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
