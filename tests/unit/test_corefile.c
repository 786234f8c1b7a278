/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Core files made by hand: each machine's layout, what is taken from other
 * files, and what is refused. Cores of real writers are in test_corelive.c and
 * tests/qemu/. UNCOIL_KEEP_FILES=DIR keeps the files, as fuzz/seeds/core/ has
 * them.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "uc_corefile.h"

#define BYTES_MAX 65536
#define SEGMENTS_MAX 16
#define TEXT 0x400000ull
#define STACK 0x7f0000ull

static char dir[64], path[128];
static unsigned int nr_kept;

/* ---- writing ---- */

struct segment {
	u32 type, flags;
	u64 vaddr, filesz, memsz, at; /* at: of its bytes in data */
};

static struct {
	bool wide, big;
	u16 machine;
	struct segment segment[SEGMENTS_MAX];
	u32 nr_segments;
	u8 data[BYTES_MAX]; /* behind the program headers */
	u64 size;
	u8 notes[BYTES_MAX];
	u32 notes_len;
} core;

/* n bytes of v, in the core's order. */
static void put(u8 *at, u64 v, u32 n)
{
	for (u32 i = 0; i < n; i++)
		at[core.big ? n - 1 - i : i] = (u8)(v >> 8 * i);
}

static u32 word(void)
{
	return core.wide ? 8 : 4;
}

static void begin(u16 machine, bool wide, bool big)
{
	memset(&core, 0, sizeof(core));
	core.machine = machine;
	core.wide = wide;
	core.big = big;
}

static void note(const char *name, u32 type, const u8 *desc, u32 len)
{
	u8 *at = core.notes + core.notes_len;
	u32 name_len = (u32)strlen(name) + 1;

	put(at, name_len, 4);
	put(at + 4, len, 4);
	put(at + 8, type, 4);
	memcpy(at + 12, name, name_len);
	at += 12 + ((name_len + 3) & ~3u);
	memcpy(at, desc, len);
	core.notes_len = (u32)(at + ((len + 3) & ~3u) - core.notes);
}

/* memsz bytes of memory, the first filesz of them in the core. */
static void load(u64 vaddr, u32 flags, const void *bytes, u64 filesz, u64 memsz)
{
	core.segment[core.nr_segments++] = (struct segment){
		.type = PT_LOAD, .flags = flags, .vaddr = vaddr, .filesz = filesz, .memsz = memsz, .at = core.size,
	};
	if (filesz)
		memcpy(core.data + core.size, bytes, filesz);
	core.size += filesz;
}

/* A register's value by its slot in NT_PRSTATUS. */
#define SLOT(i) (0x1111u * ((u64)(i) + 1))

/* struct elf_prstatus of include/uapi/linux/elfcore.h and the compat one: pid,
 * registers. */
static void prstatus(u32 tid, u32 nr_slots, u32 slot)
{
	u32 pid_at = core.wide ? 32 : 24, regs_at = core.wide ? 112 : 72;
	u8 desc[512] = { 0 };

	put(desc + pid_at, tid, 4);
	for (u32 i = 0; i < nr_slots; i++)
		put(desc + regs_at + i * slot, SLOT(i), slot);
	note("CORE", NT_PRSTATUS, desc, regs_at + nr_slots * slot + slot);
}

_Static_assert(offsetof(struct elf_prstatus, pr_pid) == 32, "x86-64");
_Static_assert(offsetof(struct elf_prstatus, pr_reg) == 112, "x86-64");

static void x86_64(void)
{
	begin(EM_X86_64, true, false);
	prstatus(77, 27, 8);
}

/* count, page size, ranges, names */
static void nt_file(u64 page, u32 nr, const u64 (*range)[3], const char *const *name)
{
	u8 desc[2048] = { 0 };
	u32 at = 0, i, j;

	put(desc, nr, word());
	put(desc + word(), page, word());
	at = 2 * word();
	for (i = 0; i < nr; i++)
		for (j = 0; j < 3; j++, at += word())
			put(desc + at, range[i][j], word());
	for (i = 0; i < nr; i++) {
		memcpy(desc + at, name[i], strlen(name[i]) + 1);
		at += (u32)strlen(name[i]) + 1;
	}
	note("CORE", NT_FILE, desc, at);
}

static void auxv(u64 type, u64 value)
{
	u8 desc[32] = { 0 };

	put(desc, type, word());
	put(desc + word(), value, word());
	note("CORE", NT_AUXV, desc, 4 * word());
}

static u8 whole[2 * BYTES_MAX + 4096];

static void put_header(u8 *eh, u32 nr, u32 ph_size)
{
	u32 half = core.wide ? 52 : 40; /* e_ehsize */

	memcpy(eh, ELFMAG, SELFMAG);
	eh[EI_CLASS] = core.wide ? ELFCLASS64 : ELFCLASS32;
	eh[EI_DATA] = core.big ? ELFDATA2MSB : ELFDATA2LSB;
	eh[EI_VERSION] = 1;
	put(eh + 16, ET_CORE, 2);
	put(eh + 18, core.machine, 2);
	put(eh + 20, 1, 4);
	put(eh + 24 + word(), core.wide ? 64 : 52, word()); /* e_phoff */
	put(eh + half, core.wide ? 64 : 52, 2);
	put(eh + half + 2, ph_size, 2);
	put(eh + half + 4, nr, 2);
}

static void put_segment(u8 *ph, const struct segment *s, u64 off)
{
	put(ph, s->type, 4);
	if (core.wide)
		put(ph + 4, s->flags, 4);
	else
		put(ph + 24, s->flags, 4);
	ph += core.wide ? 8 : 4;
	put(ph, off, word());
	put(ph + word(), s->vaddr, word());
	put(ph + 3 * word(), s->filesz, word());
	put(ph + 4 * word(), s->memsz, word());
}

/* Lay it all out in whole; the size. The note's segment is the first. */
static u64 lay_out(void)
{
	u32 ph_size = core.wide ? 56 : 32, eh_size = core.wide ? 64 : 52, i;
	u64 notes_at = eh_size + ph_size * (core.nr_segments + 1u);
	u64 data_at = notes_at + core.notes_len;
	struct segment notes = { .type = PT_NOTE, .filesz = core.notes_len };

	memset(whole, 0, sizeof(whole));
	put_header(whole, core.nr_segments + 1, ph_size);
	put_segment(whole + eh_size, &notes, notes_at);
	for (i = 0; i < core.nr_segments; i++)
		put_segment(whole + eh_size + ph_size * (i + 1), &core.segment[i],
			    data_at + core.segment[i].at);
	memcpy(whole + notes_at, core.notes, core.notes_len);
	memcpy(whole + data_at, core.data, core.size);
	return data_at + core.size;
}

static void write_file(const char *name, const void *bytes, u64 size)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static char err[256];

static int open_bytes(u64 size, struct uc_corefile **ret)
{
	const char *keep = getenv("UNCOIL_KEEP_FILES");
	char name[256];

	if (keep) {
		snprintf(name, sizeof(name), "%s/made-%02u", keep, nr_kept++);
		write_file(name, whole, size);
	}
	write_file(path, whole, size);
	err[0] = 0;
	return uc_corefile_open(path, dir, ret, err, sizeof(err));
}

static struct uc_corefile *open_good(void)
{
	struct uc_corefile *c = NULL;
	int rc = open_bytes(lay_out(), &c);

	if (rc)
		fail_msg("%d: %s", rc, err);
	return c;
}

static void expect_refused(u64 size, int rc, const char *why)
{
	struct uc_corefile *c = NULL;

	assert_int_equal(open_bytes(size, &c), rc);
	assert_null(c);
	if (!strstr(err, why))
		fail_msg("\"%s\" has no \"%s\"", err, why);
}

/* ---- machines ---- */

static struct uc_walk w;

static void expect_registers(struct uc_corefile *c, u32 abi, u32 known, u64 pc)
{
	assert_int_equal(uc_corefile_nr_threads(c), 1);
	assert_int_equal(uc_corefile_tid(c, 0), 77);
	memset(&w, 0xa5, sizeof(w));
	assert_int_equal(uc_corefile_regs(c, 0, &w), 0);
	assert_int_equal(w.abi.id, abi);
	assert_int_equal(w.regs.known, known);
	assert_int_equal(w.regs.pc, pc);
}

/* Slots: struct user_regs_struct of sys/user.h. */
static void test_corefile__x86_64_and_x32(void **state)
{
	static const u32 slot[16] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 };
	u32 wide, i;

	(void)state;
	for (wide = 0; wide < 2; wide++) {
		struct uc_corefile *c;

		begin(EM_X86_64, wide, false);
		prstatus(77, 27, 8);
		c = open_good();
		expect_registers(c, wide ? UC_ABI_X86_64 : UC_ABI_X32, 0xffff, SLOT(16));
		for (i = 0; i < 16; i++)
			assert_int_equal(w.regs.r[i], SLOT(slot[i]));
		uc_corefile_close(c);
	}
}

/* ebx ecx edx esi edi ebp eax, four segments, orig_eax, eip, cs, eflags, esp */
static void test_corefile__i386(void **state)
{
	static const u32 slot[8] = { 6, 1, 2, 0, 15, 5, 3, 4 };
	struct uc_corefile *c;
	u32 i;

	(void)state;
	begin(EM_386, false, false);
	prstatus(77, 17, 4);
	c = open_good();
	expect_registers(c, UC_ABI_I386, 0xff, SLOT(12));
	for (i = 0; i < 8; i++)
		assert_int_equal(w.regs.r[i], SLOT(slot[i]));
	uc_corefile_close(c);
}

/* x0 to x30, sp, pc, pstate */
static void test_corefile__aarch64(void **state)
{
	u32 big, i;

	(void)state;
	for (big = 0; big < 2; big++) {
		struct uc_corefile *c;

		begin(EM_AARCH64, true, big);
		prstatus(77, 34, 8);
		c = open_good();
		expect_registers(c, big ? UC_ABI_AARCH64_BE : UC_ABI_AARCH64, ~0u, SLOT(32));
		for (i = 0; i < 32; i++)
			assert_int_equal(w.regs.r[i], SLOT(i));
		assert_int_equal(w.abi.code_mask, (1ull << 48) - 1);
		uc_corefile_close(c);
	}
}

/* 52 bits of address: bits 54 to 52 hold the code (ptrauth_user_pac_mask()). */
static void test_corefile__mask_of_authentication_codes(void **state)
{
	struct uc_corefile *c;
	u8 mask[16];

	(void)state;
	begin(EM_AARCH64, true, false);
	prstatus(77, 34, 8);
	put(mask, 0x0070000000000000, 8);
	put(mask + 8, 0x0070000000000000, 8);
	note("LINUX", NT_ARM_PAC_MASK, mask, 16);
	c = open_good();
	expect_registers(c, UC_ABI_AARCH64, ~0u, SLOT(32));
	assert_int_equal(w.abi.code_mask, (1ull << 52) - 1);
	uc_corefile_close(c);
}

/* psw mask and address, r0 to r15; fpc, padding, f0 to f15. DWARF 16 to 31 are f0
 * f2 f4 f6 f1 f3 f5 f7 f8 f10 f12 f14 f9 f11 f13 f15 (s390x ABI, table 1.5). */
static void test_corefile__s390x(void **state)
{
	static const u8 f[16] = { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 };
	struct uc_corefile *c;
	u8 fprs[136] = { 0 };
	u32 i;

	(void)state;
	begin(EM_S390, true, true);
	prstatus(77, 27, 8);
	c = open_good();
	expect_registers(c, UC_ABI_S390X, 0xffff, SLOT(1));
	for (i = 0; i < 16; i++)
		assert_int_equal(w.regs.r[i], SLOT(2 + i));
	uc_corefile_close(c);
	for (i = 0; i < 16; i++)
		put(fprs + 8 + 8 * i, 0xf00000000000 + i, 8);
	note("CORE", NT_FPREGSET, fprs, sizeof(fprs));
	c = open_good();
	expect_registers(c, UC_ABI_S390X, ~0u, SLOT(1));
	for (i = 0; i < 16; i++)
		assert_int_equal(w.regs.r[16 + i], 0xf00000000000 + f[i]);
	uc_corefile_close(c);
}

/* Each thread's own; notes of others do not matter. */
static void test_corefile__threads(void **state)
{
	struct uc_corefile *c;

	(void)state;
	x86_64();
	note("CORE", NT_PRPSINFO, (const u8[136]){ 0 }, 136);
	note("VENDOR", NT_PRSTATUS, (const u8[4]){ 0 }, 4);
	note("A name that is longer than any", 1, NULL, 0);
	prstatus(78, 27, 8);
	c = open_good();
	assert_int_equal(uc_corefile_nr_threads(c), 2);
	assert_int_equal(uc_corefile_tid(c, 0), 77);
	assert_int_equal(uc_corefile_tid(c, 1), 78);
	uc_corefile_close(c);
}

static void test_corefile__32_bit_code_in_a_64_bit_process(void **state)
{
	struct uc_corefile *c;

	(void)state;
	x86_64();
	put(core.notes + 20 + 112 + 8 * 17, 0x23, 8); /* cs */
	c = open_good();
	assert_int_equal(uc_corefile_regs(c, 0, &w), -ENOTSUP);
	uc_corefile_close(c);
}

/* ---- memory ---- */

static int peek(struct uc_corefile *c, u64 addr, void *dst, u32 len)
{
	const struct uc_memory *m = uc_corefile_memory(c);

	return m->read(m->arg, addr, dst, len);
}

static void expect_bytes(struct uc_corefile *c, u64 addr, const char *want)
{
	char have[64] = "";

	assert_int_equal(peek(c, addr, have, (u32)strlen(want)), 0);
	assert_string_equal(have, want);
}

static void expect_nothing(struct uc_corefile *c, u64 addr, u32 len)
{
	u8 bytes[64];

	assert_int_not_equal(peek(c, addr, bytes, len), 0);
}

static struct uc_map map_at(struct uc_corefile *c, u64 addr)
{
	const struct uc_memory *m = uc_corefile_memory(c);
	struct uc_map ret;

	assert_int_equal(m->map(m->arg, addr, &ret), 0);
	return ret;
}

static void test_corefile__memory(void **state)
{
	struct uc_corefile *c;
	struct uc_map map;

	(void)state;
	x86_64();
	load(STACK + 8, PF_R | PF_W, "next", 4, 0x1000); /* of any order */
	load(STACK, PF_R | PF_W, "12345678", 8, 8);
	load(TEXT, PF_R | PF_X, "text", 4, 4);
	c = open_good();
	expect_bytes(c, STACK + 2, "345678next"); /* across two segments */
	expect_nothing(c, STACK + 8, 5); /* a byte that the core lacks is not 0 */
	expect_nothing(c, STACK - 1, 2);
	expect_nothing(c, TEXT + 4, 1);
	expect_nothing(c, ~0ull, 1);
	map = map_at(c, TEXT + 3);
	assert_int_equal(map.start, TEXT);
	assert_int_equal(map.end, TEXT + 4);
	assert_int_equal(map.flags, UC_MAP_EXEC);
	assert_int_equal(map_at(c, STACK).flags, 0);
	uc_corefile_close(c);
}

/* As gdb writes them, of sections. */
static void test_corefile__segments_that_overlap(void **state)
{
	struct uc_corefile *c;

	(void)state;
	x86_64();
	load(STACK, PF_R, "abcdef", 6, 6);
	load(STACK + 2, PF_R, "cd", 2, 2);
	load(STACK + 4, PF_R, "efgh", 4, 4);
	c = open_good();
	expect_bytes(c, STACK, "abcdefgh");
	uc_corefile_close(c);
}

static void test_corefile__vdso(void **state)
{
	struct uc_corefile *c;
	u64 v;

	(void)state;
	x86_64();
	auxv(AT_SYSINFO_EHDR, TEXT);
	load(TEXT, PF_R | PF_X, "vdso", 4, 4);
	c = open_good();
	assert_int_equal(map_at(c, TEXT).flags, UC_MAP_EXEC | UC_MAP_VDSO);
	assert_true(uc_corefile_auxv(c, AT_SYSINFO_EHDR, &v));
	assert_int_equal(v, TEXT);
	assert_false(uc_corefile_auxv(c, AT_ENTRY, &v));
	uc_corefile_close(c);
}

/* argc, two arguments, NULL, an environment variable, NULL, the auxiliary vector,
 * some bytes, and those of AT_RANDOM. */
static void initial_stack(u16 machine, bool wide, bool big, u64 argc)
{
	u8 bytes[256] = { 0 };
	u32 size, i;

	begin(machine, wide, big);
	size = word();
	u64 words[] = { 0x99, argc, STACK, STACK, 0, STACK, 0, AT_RANDOM, STACK + 14 * size, AT_NULL, 0 };

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put(bytes + i * size, words[i], size);
	prstatus(77, 27, machine == EM_386 ? 4 : 8);
	auxv(AT_RANDOM, STACK + 14 * size);
	load(STACK, PF_R | PF_W, bytes, 16 * size, 16 * size);
}

static void expect_entry_sp(u64 want)
{
	struct uc_corefile *c = open_good();

	assert_int_equal(uc_corefile_entry_sp(c), want);
	uc_corefile_close(c);
}

static void test_corefile__initial_stack(void **state)
{
	(void)state;
	initial_stack(EM_X86_64, true, false, 2);
	expect_entry_sp(STACK + 8);
	initial_stack(EM_S390, true, true, 2);
	expect_entry_sp(STACK + 8);
	initial_stack(EM_386, false, false, 2);
	expect_entry_sp(STACK + 4);
	initial_stack(EM_X86_64, true, false, 3); /* not as many */
	expect_entry_sp(0);
	initial_stack(EM_X86_64, true, false, 2);
	core.data[7 * 8] ^= 0x40; /* no such vector on the stack */
	expect_entry_sp(0);
}

/* More segments than e_phnum can say: section header 0 has their number. */
static void test_corefile__number_of_segments_in_a_section(void **state)
{
	struct uc_corefile *c = NULL;
	u64 size;

	(void)state;
	x86_64();
	load(STACK, PF_R, "abcd", 4, 4);
	size = lay_out();
	put(whole + 56, PN_XNUM, 2);
	expect_refused(size, -EBADMSG, "no section header");
	put(whole + 40, size, 8); /* e_shoff */
	put(whole + size + 44, 2, 4); /* sh_info */
	assert_int_equal(open_bytes(size + 64, &c), 0);
	expect_bytes(c, STACK, "abcd");
	uc_corefile_close(c);
}

/* ---- files ---- */

/* An x86-64 library: a read-only page with the headers, a page of code, a page
 * to write to; and a build id. */
static u8 library[0x3000];
#define LIB 0x500000ull

static void make_library(u8 id)
{
	struct segment s = { .type = PT_LOAD };
	u32 i;

	begin(EM_X86_64, true, false);
	memset(library, 0, sizeof(library));
	put_header(library, 4, 56);
	put(library + 16, ET_DYN, 2);
	for (i = 0; i < 3; i++) {
		s.flags = i == 0 ? PF_R : i == 1 ? PF_R | PF_X : PF_R | PF_W;
		s.vaddr = 0x1000 * i;
		s.filesz = s.memsz = 0x1000;
		put_segment(library + 64 + 56 * i, &s, s.vaddr);
		sprintf((char *)library + 0x1000 * i + 0x800, "page %u", i);
	}
	s = (struct segment){ .type = PT_NOTE, .filesz = 20 };
	put_segment(library + 64 + 56 * 3, &s, 0x400);
	memcpy(library + 0x400, (const u8[]){ 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 },
	       16);
	library[0x410] = id;
}

static const u64 lib_ranges[3][3] = {
	{ LIB, LIB + 0x1000, 0 }, { LIB + 0x1000, LIB + 0x2000, 1 }, { LIB + 0x2000, LIB + 0x3000, 2 }
};
static const char *const lib_names[3] = { "/lib.so", "/lib.so", "/lib.so" };

/* A core with the library's first page, the others left out; the file has this
 * build id, or there is none. */
static struct uc_corefile *open_with_library(u64 head, int id_of_file)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/lib.so", dir);
	unlink(name);
	if (id_of_file >= 0) {
		make_library((u8)id_of_file);
		write_file(name, library, sizeof(library));
	}
	make_library(1);
	x86_64();
	nt_file(0x1000, 3, lib_ranges, lib_names);
	load(LIB, PF_R, library, head, 0x1000);
	load(LIB + 0x1000, PF_R | PF_X, NULL, 0, 0x1000);
	load(LIB + 0x2000, PF_R | PF_W, NULL, 0, 0x1000);
	return open_good();
}

static void expect_file(struct uc_corefile *c, enum uc_corefile_status want)
{
	enum uc_corefile_status status;

	assert_int_equal(uc_corefile_nr_files(c), 1);
	assert_string_equal(uc_corefile_file(c, 0, &status), "/lib.so");
	assert_int_equal(status, want);
}

static void test_corefile__pages_of_a_file(void **state)
{
	struct uc_corefile *c = open_with_library(0x1000, 1);
	const struct uc_memory *m = uc_corefile_memory(c);
	struct uc_map map;

	(void)state;
	expect_file(c, UC_COREFILE_UNUSED);
	expect_bytes(c, LIB + 0x800, "page 0");
	expect_file(c, UC_COREFILE_UNUSED);
	expect_bytes(c, LIB + 0x1800, "page 1");
	expect_file(c, UC_COREFILE_SAME);
	/* What could be written to may have been. */
	expect_nothing(c, LIB + 0x2800, 1);
	map = map_at(c, LIB + 0x1800);
	assert_int_equal(map.flags, UC_MAP_EXEC | UC_MAP_FILE);
	assert_int_equal(map.off, 0x1000);
	assert_int_not_equal(map.id[0], 0);
	assert_int_equal(m->elf(m->arg, &map, &map), 0);
	assert_int_equal(map.start, LIB);
	uc_corefile_close(c);
}

static void test_corefile__another_file_by_that_name(void **state)
{
	struct uc_corefile *c = open_with_library(0x1000, 2);

	(void)state;
	expect_bytes(c, LIB + 0x800, "page 0");
	expect_nothing(c, LIB + 0x1800, 1);
	expect_file(c, UC_COREFILE_OTHER);
	uc_corefile_close(c);
}

static void test_corefile__no_file_by_that_name(void **state)
{
	struct uc_corefile *c = open_with_library(0x1000, -1);

	(void)state;
	expect_bytes(c, LIB + 0x800, "page 0");
	expect_nothing(c, LIB + 0x1800, 1);
	expect_file(c, UC_COREFILE_MISSING);
	uc_corefile_close(c);
}

/* Without its first page in the core, there is nothing to tell it by. */
static void test_corefile__nothing_to_tell_a_file_by(void **state)
{
	struct uc_corefile *c = open_with_library(0, 2);

	(void)state;
	expect_bytes(c, LIB + 0x800, "page 0");
	expect_bytes(c, LIB + 0x1800, "page 1");
	expect_file(c, UC_COREFILE_UNCHECKED);
	uc_corefile_close(c);
}

/* Mappings without a segment, as gdb has them: the file says what they are. */
static void test_corefile__names_without_segments(void **state)
{
	struct uc_corefile *c;
	char name[128];

	(void)state;
	snprintf(name, sizeof(name), "%s/lib.so", dir);
	make_library(1);
	write_file(name, library, sizeof(library));
	x86_64();
	nt_file(0x1000, 3, lib_ranges, lib_names);
	load(LIB + 0x1804, PF_R | PF_X, "!", 1, 1);
	c = open_good();
	expect_bytes(c, LIB + 0x800, "page 0");
	expect_bytes(c, LIB + 0x1800, "page!1");
	expect_nothing(c, LIB + 0x2800, 1);
	assert_int_equal(map_at(c, LIB).flags, UC_MAP_FILE);
	assert_int_equal(map_at(c, LIB + 0x1800).flags, UC_MAP_FILE | UC_MAP_EXEC);
	assert_int_equal(map_at(c, LIB + 0x1805).off, 0x1805);
	uc_corefile_close(c);
}

/* A core that was cut short: what it had is lost, even if a file has the like. */
static void test_corefile__cut_short(void **state)
{
	struct uc_corefile *c = open_with_library(0x1000, 1);
	u64 size;

	(void)state;
	uc_corefile_close(c);
	size = lay_out();
	assert_int_equal(open_bytes(size - 0x7fd, &c), 0);
	expect_bytes(c, LIB + 0x800, "pag");
	expect_nothing(c, LIB + 0x800, 4);
	expect_nothing(c, LIB + 0x804, 1);
	uc_corefile_close(c);
}

/* ---- what is refused ---- */

static void test_corefile__no_core(void **state)
{
	struct uc_corefile *c = NULL;
	u64 size;

	(void)state;
	assert_int_equal(uc_corefile_open("/nonexistent", NULL, &c, err, sizeof(err)), -ENOENT);
	assert_int_equal(uc_corefile_open("/dev/zero", NULL, &c, err, sizeof(err)), -ENOEXEC);
	x86_64();
	size = lay_out();
	expect_refused(3, -ENOEXEC, "not an ELF file");
	expect_refused(60, -EBADMSG, "ELF header");
	whole[EI_CLASS] = 3;
	expect_refused(size, -ENOEXEC, "class 3");
	lay_out();
	put(whole + 16, ET_EXEC, 2);
	expect_refused(size, -ENOEXEC, "type is 2");
	lay_out();
	put(whole + 18, EM_RISCV, 2);
	expect_refused(size, -ENOTSUP, "machine 243");
	begin(EM_S390, false, true); /* 31 bits */
	prstatus(77, 18, 4);
	expect_refused(lay_out(), -ENOTSUP, "class 1");
}

static void test_corefile__headers_that_lie(void **state)
{
	u64 size;

	(void)state;
	x86_64();
	load(STACK, PF_R, "abcd", 4, 4);
	size = lay_out();
	put(whole + 54, 55, 2);
	expect_refused(size, -EBADMSG, "size of its program headers");
	lay_out();
	put(whole + 32, size, 8);
	expect_refused(size, -EBADMSG, "inside its program headers");
	lay_out();
	put(whole + 32, ~0ull, 8);
	expect_refused(size, -EBADMSG, "inside its program headers");
	lay_out();
	put(whole + 56, PN_XNUM, 2);
	put(whole + 40, 64, 8);
	put(whole + 64 + 44, ~0u, 4); /* sh_info */
	expect_refused(size, -EFBIG, "segments are more");
	x86_64();
	load(~0ull - 1, PF_R, "abcd", 4, 4);
	expect_refused(lay_out(), -EBADMSG, "wraps around");
}

static void test_corefile__notes_that_lie(void **state)
{
	u64 size;

	(void)state;
	begin(EM_X86_64, true, false);
	expect_refused(lay_out(), -ENODATA, "NT_PRSTATUS");
	x86_64();
	size = lay_out();
	expect_refused(size - 1, -EBADMSG, "inside its notes");
	put(whole + 64 + 56 + 4, ~0u, 4); /* descsz */
	expect_refused(size, -EBADMSG, "beyond its segment");
	lay_out();
	put(whole + 64 + 56, ~0u, 4); /* namesz */
	expect_refused(size, -EBADMSG, "beyond its segment");
	begin(EM_X86_64, true, false);
	prstatus(77, 18, 8);
	expect_refused(lay_out(), -EBADMSG, "too short");
	begin(EM_S390, true, true);
	prstatus(77, 27, 8);
	note("CORE", NT_FPREGSET, (const u8[135]){ 0 }, 135);
	expect_refused(lay_out(), -EBADMSG, "NT_FPREGSET of thread 0");
	begin(EM_AARCH64, true, false);
	prstatus(77, 34, 8);
	note("LINUX", NT_ARM_PAC_MASK, (const u8[16]){ [12] = 0x10 }, 16); /* not bits 54 to n */
	expect_refused(lay_out(), -EBADMSG, "NT_ARM_PAC_MASK");
	note("LINUX", NT_ARM_PAC_MASK, (const u8[15]){ 0 }, 15);
	expect_refused(lay_out(), -EBADMSG, "NT_ARM_PAC_MASK");
}

static void refuse_files(u64 page, u32 nr, const u64 (*range)[3], const char *const *name,
			 const char *why)
{
	x86_64();
	nt_file(page, nr, range, name);
	expect_refused(lay_out(), -EBADMSG, why);
}

static void test_corefile__names_that_lie(void **state)
{
	const u64 wrap[1][3] = { { LIB, LIB + 0x1000, ~0ull / 0x1000 + 1 } };
	const u64 end[1][3] = { { LIB, LIB + 0x2000, ~0ull / 0x1000 } };
	const u64 empty[1][3] = { { LIB, LIB, 0 } };
	const u64 over[2][3] = { { LIB, LIB + 0x2000, 0 }, { LIB + 0x1000, LIB + 0x3000, 1 } };
	u32 len;

	(void)state;
	refuse_files(0, 3, lib_ranges, lib_names, "page size");
	refuse_files(0x1000, 1, wrap, lib_names, "no sense");
	refuse_files(0x1000, 1, end, lib_names, "no sense");
	refuse_files(0x1000, 1, empty, lib_names, "no sense");
	refuse_files(0x1000, 2, over, lib_names, "overlap");
	x86_64();
	len = core.notes_len;
	nt_file(0x1000, 3, lib_ranges, lib_names);
	put(core.notes + len + 20, ~0ull / 8, 8); /* count */
	expect_refused(lay_out(), -EBADMSG, "more than it has");
	put(core.notes + len + 20, 4, 8); /* takes the names for numbers */
	expect_refused(lay_out(), -EBADMSG, "NT_FILE");
	x86_64();
	nt_file(0x1000, 3, lib_ranges, (const char *const[3]){ "", "", "" });
	put(core.notes + len + 4, 16 + 72 + 2, 4); /* descsz: one name less */
	expect_refused(lay_out(), -EBADMSG, "lacks names");
	x86_64();
	nt_file(0x1000, 3, lib_ranges, lib_names);
	nt_file(0x1000, 3, lib_ranges, lib_names);
	expect_refused(lay_out(), -EBADMSG, "twice");
	x86_64();
	note("CORE", NT_FILE, (const u8[15]){ 0 }, 15);
	expect_refused(lay_out(), -EBADMSG, "too short");
}

/* Whatever is cut off: an error, or what is left can be read. */
static void test_corefile__cut_at_each_byte(void **state)
{
	struct uc_corefile *c = open_with_library(0x500, 1);
	u64 size, at;
	u8 bytes[32];

	(void)state;
	uc_corefile_close(c);
	size = lay_out();
	if (getenv("UNCOIL_KEEP_FILES"))
		return;
	for (at = 0; at < size; at++) {
		c = NULL;
		if (open_bytes(at, &c)) {
			assert_null(c);
			assert_int_not_equal(err[0], 0);
			continue;
		}
		peek(c, LIB + 0x400, bytes, sizeof(bytes));
		assert_int_equal(uc_corefile_regs(c, 0, &w), 0);
		uc_corefile_close(c);
	}
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_corefile.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/core", dir);
	return 0;
}

static int teardown(void **state)
{
	char name[128];

	(void)state;
	snprintf(name, sizeof(name), "%s/lib.so", dir);
	unlink(name);
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corefile__x86_64_and_x32),
		cmocka_unit_test(test_corefile__i386),
		cmocka_unit_test(test_corefile__aarch64),
		cmocka_unit_test(test_corefile__mask_of_authentication_codes),
		cmocka_unit_test(test_corefile__s390x),
		cmocka_unit_test(test_corefile__threads),
		cmocka_unit_test(test_corefile__32_bit_code_in_a_64_bit_process),
		cmocka_unit_test(test_corefile__memory),
		cmocka_unit_test(test_corefile__segments_that_overlap),
		cmocka_unit_test(test_corefile__vdso),
		cmocka_unit_test(test_corefile__initial_stack),
		cmocka_unit_test(test_corefile__number_of_segments_in_a_section),
		cmocka_unit_test(test_corefile__pages_of_a_file),
		cmocka_unit_test(test_corefile__another_file_by_that_name),
		cmocka_unit_test(test_corefile__no_file_by_that_name),
		cmocka_unit_test(test_corefile__nothing_to_tell_a_file_by),
		cmocka_unit_test(test_corefile__names_without_segments),
		cmocka_unit_test(test_corefile__cut_short),
		cmocka_unit_test(test_corefile__no_core),
		cmocka_unit_test(test_corefile__headers_that_lie),
		cmocka_unit_test(test_corefile__notes_that_lie),
		cmocka_unit_test(test_corefile__names_that_lie),
		cmocka_unit_test(test_corefile__cut_at_each_byte),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
