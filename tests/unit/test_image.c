/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ELF files as address spaces: what is taken from foreign headers. */
#define _GNU_SOURCE 1
#include "elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "uc_image.h"

static struct elf_file e;
static char err[256];

static struct uc_image *opened(void)
{
	struct uc_image *img = NULL;

	assert_int_equal(uc_image_open_memory(e.bytes, sizeof(e.bytes), "made", &img, err,
					      sizeof(err)),
			 0);
	return img;
}

static void refused(size_t size, int want, const char *why)
{
	struct uc_image *img = NULL;

	assert_int_equal(uc_image_open_memory(e.bytes, size, "made", &img, err, sizeof(err)), want);
	assert_null(img);
	assert_int_equal(strncmp(err, "made: ", 6), 0);
	assert_non_null(strstr(err, why));
}

static void begin(void)
{
	u32 cie;

	elf_begin(&e, EM_X86_64, true, false);
	cie = elf_cie(&e, 16, BYTES(0x0c, 7, 8, 0x90, 1));
	elf_fde(&e, cie, ELF_CODE, 16, BYTES(0));
}

static void test_image__refuses_what_is_no_program(void **state)
{
	(void)state;
	begin();
	elf_put(&e, 16, ET_REL, 2);
	refused(ELF_SIZE, -ENOTSUP, "relocatable");
	elf_put(&e, 16, ET_CORE, 2);
	refused(ELF_SIZE, -ENOTSUP, "neither a program nor a library");
	begin();
	e.bytes[0] = 0;
	refused(ELF_SIZE, -ENOEXEC, "not an ELF file");
	begin();
	refused(40, -ENOEXEC, "");
	begin();
	elf_put(&e, 64, PT_NOTE, 4);
	refused(ELF_SIZE, -ENOEXEC, "no segment to load");
	/* segments that the file does not have */
	begin();
	elf_put(&e, 64 + 8, ELF_SIZE, 8);
	refused(ELF_SIZE, -ENOEXEC, "no segment to load");
}

static void test_image__knows_machine_class_and_byte_order(void **state)
{
	static const struct {
		u32 machine;
		bool is64, is_big;
		int abi; /* -1: refused */
	} machines[] = {
		{ EM_X86_64, true, false, UC_ABI_X86_64 },   { EM_X86_64, false, false, UC_ABI_X32 },
		{ EM_386, false, false, UC_ABI_I386 },	     { EM_AARCH64, true, false, UC_ABI_AARCH64 },
		{ EM_AARCH64, true, true, UC_ABI_AARCH64_BE }, { EM_S390, true, true, UC_ABI_S390X },
		{ EM_X86_64, true, true, -1 },		     { EM_386, true, false, -1 },
		{ EM_AARCH64, false, false, -1 },	     { EM_S390, false, true, -1 },
		{ EM_RISCV, true, false, -1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct uc_image *img;

		elf_begin(&e, machines[i].machine, machines[i].is64, machines[i].is_big);
		if (machines[i].abi < 0) {
			refused(ELF_SIZE, -ENOTSUP, "machine that is not supported");
			continue;
		}
		img = opened();
		assert_int_equal(uc_image_abi(img), machines[i].abi);
		uc_image_free(img);
	}
}

static void test_image__reads_what_segments_have(void **state)
{
	struct uc_image *img;
	u8 got[16];

	(void)state;
	begin();
	elf_phdr(&e, PT_LOAD, PF_R, 0x2200, 0x50000, 0x10000); /* the file ends before it */
	memcpy(e.bytes + 0x200, "code", 4);
	img = opened();
	assert_int_equal(uc_image_read(img, ELF_CODE, got, 4), 0);
	assert_memory_equal(got, "code", 4);
	assert_int_equal(uc_image_read(img, ELF_BASE + ELF_LOADED - 4, got, 4), 0);
	assert_int_equal(uc_image_read(img, ELF_BASE + ELF_LOADED - 4, got, 5), -EFAULT);
	assert_int_equal(uc_image_read(img, ELF_BASE - 1, got, 2), -EFAULT);
	assert_int_equal(uc_image_read(img, 0x50000 + 0x1f0, got, 16), 0);
	assert_int_equal(uc_image_read(img, 0x50000 + 0x1f1, got, 16), -EFAULT);
	assert_int_equal(uc_image_read(img, ~0ull, got, 1), -EFAULT);
	uc_image_free(img);
}

static void test_image__sections_must_be_where_segments_load_them(void **state)
{
	const struct uc_image_section *s;
	struct uc_image *img;

	(void)state;
	begin();
	/* these bytes are elsewhere; longer than the segment; the right one; a second */
	elf_shdr(&e, ELF_NAME_EH, SHT_PROGBITS, SHF_ALLOC, ELF_BASE + ELF_EH, ELF_EH + 8, 16);
	elf_shdr(&e, ELF_NAME_EH, SHT_PROGBITS, SHF_ALLOC, ELF_BASE + ELF_EH, ELF_EH, ELF_LOADED);
	elf_end_records(&e);
	elf_shdr(&e, ELF_NAME_EH, SHT_PROGBITS, SHF_ALLOC, ELF_BASE + ELF_EH, ELF_EH, 4);
	img = opened();
	s = uc_image_section(img, UC_IMAGE_EH_FRAME);
	assert_int_equal(s->addr, ELF_BASE + ELF_EH);
	assert_int_equal(s->off, ELF_EH);
	assert_int_equal(s->size, e.at - ELF_EH);
	assert_int_equal(uc_image_section(img, UC_IMAGE_SFRAME)->size, 0);
	uc_image_free(img);
}

static void test_image__a_section_header_alone_leads_to_records(void **state)
{
	struct uc_walk *w = malloc(sizeof(*w));
	struct uc_image *img;

	(void)state;
	begin();
	img = opened();
	assert_int_equal(uc_image_walk(img, w), UNCOIL_STOP_NO_SECTION);
	assert_int_equal(w->mod.hi, 0);
	uc_image_free(img);
	elf_end_records(&e);
	img = opened();
	assert_int_equal(uc_image_walk(img, w), 0);
	assert_int_equal(w->sec.lo, ELF_BASE + ELF_EH);
	assert_int_equal(w->sec.hi, ELF_BASE + e.at);
	assert_int_equal(w->mod.hdr, 0);
	uc_image_free(img);
	free(w);
}

static void test_image__a_malformed_table_is_told_and_does_not_hide_records(void **state)
{
	struct uc_walk *w = malloc(sizeof(*w));
	struct uc_image *img;

	(void)state;
	begin();
	elf_end_records(&e);
	elf_table(&e, ELF_CODE, ELF_EH + 24);
	e.bytes[ELF_HDR] = 9; /* there is version 1 alone */
	img = opened();
	assert_int_equal(uc_image_walk(img, w), UNCOIL_STOP_MALFORMED);
	assert_int_equal(w->flaw, UNCOIL_FLAW_HDR_VERSION);
	assert_int_equal(w->stop_addr, ELF_BASE + ELF_HDR);
	assert_int_equal(w->mod.lo, ELF_BASE + ELF_EH);
	uc_image_free(img);
	free(w);
}

static void code_section(u64 flags, u32 at, u32 off, u32 size)
{
	elf_shdr(&e, ELF_NAME_TEXT, SHT_PROGBITS, flags, ELF_BASE + at, off, size);
}

static void test_image__code_ranges_are_sorted_and_merged(void **state)
{
	const struct uc_code_range *range;
	struct uc_image *img;
	size_t nr;

	(void)state;
	begin();
	code_section(SHF_ALLOC | SHF_EXECINSTR, 0x1100, 0x1100, 0x80);
	code_section(SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0x1000, 0x100);
	/* not loaded so, and not executable */
	code_section(SHF_ALLOC | SHF_EXECINSTR, 0x1800, 0x1000, 0x10);
	code_section(SHF_ALLOC, 0x1900, 0x1900, 0x10);
	img = opened();
	range = uc_image_code_sections(img, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(range[0].start, ELF_CODE);
	assert_int_equal(range[0].end, ELF_CODE + 0x100);
	assert_int_equal(range[1].start, ELF_BASE + 0x1000);
	assert_int_equal(range[1].end, ELF_BASE + 0x1180);
	range = uc_image_code(img, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(range[0].end, ELF_BASE + ELF_LOADED);
	uc_image_free(img);
}

/* Somebody truncates a file that is open: its reader goes on without it. */
static void test_image__a_file_may_shrink(void **state)
{
	char path[] = "/tmp/uncoil-image-XXXXXX";
	const u32 off = 1 << 20;
	struct uc_image *img;
	u8 got[4];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	begin();
	elf_phdr(&e, PT_LOAD, PF_R, off, 0x500000, 0x1000);
	assert_int_equal(write(fd, e.bytes, sizeof(e.bytes)), sizeof(e.bytes));
	assert_int_equal(ftruncate(fd, off + 0x1000), 0);
	assert_int_equal(uc_image_open(path, &img, err, sizeof(err)), 0);
	assert_int_equal(uc_image_size(img), off + 0x1000);
	assert_int_equal(uc_image_read(img, ELF_CODE, got, 4), 0);
	assert_int_equal(ftruncate(fd, ELF_SIZE), 0);
	assert_int_equal(uc_image_read(img, 0x500000, got, 4), -EFAULT);
	assert_int_equal(uc_image_read(img, ELF_CODE, got, 4), 0);
	uc_image_free(img);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image__refuses_what_is_no_program),
		cmocka_unit_test(test_image__knows_machine_class_and_byte_order),
		cmocka_unit_test(test_image__reads_what_segments_have),
		cmocka_unit_test(test_image__sections_must_be_where_segments_load_them),
		cmocka_unit_test(test_image__a_section_header_alone_leads_to_records),
		cmocka_unit_test(test_image__a_malformed_table_is_told_and_does_not_hide_records),
		cmocka_unit_test(test_image__code_ranges_are_sorted_and_merged),
		cmocka_unit_test(test_image__a_file_may_shrink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
