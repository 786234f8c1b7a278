/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whole walks: from registers, a stack and unwind data, all made by hand, to
 * frames and a stop. Each walk is also done with pages that are not present
 * at first, with reads that fail once, with rows from a cache, and in memory
 * that another walk has left behind: the answer must be the same.
 */
#include "core_image.h"
#include "uc_process.h"

static struct image img;
static struct uc_walk w;
static u64 frame[UC_FRAMES_MAX];
static u32 nr;

#define F(n) (IMG_TEXT + 0x100 * (u64)(n)) /* functions of 0x80 bytes */
#define SP0 (IMG_STACK + 0x800)
#define JIT 0x7f0000000000ull

/* ---- what is kept between walks: in place of lib/uc_port_cache.c ---- */

static struct {
	u64 id, off;
	struct uc_packed_row row;
} cache[64];
static u32 nr_cached, cache_on;

int uc_port_row_get(struct uc_walk *walk, u64 off)
{
	u32 i;

	for (i = 0; cache_on && i < nr_cached; i++)
		if (cache[i].id == walk->map.id[0] && cache[i].off == off) {
			walk->packed = cache[i].row;
			return 0;
		}
	return 1;
}

int uc_port_row_put(struct uc_walk *walk, u64 off)
{
	if (!cache_on)
		return 1;
	assert_true(nr_cached < 64);
	cache[nr_cached].id = walk->map.id[0];
	cache[nr_cached].off = off;
	cache[nr_cached++].row = walk->packed;
	return 0;
}

static struct {
	u64 id;
	u32 what, flaw;
	u64 at;
} bad[8];
static u32 nr_bad;

int uc_port_bad_get(struct uc_walk *walk, u32 what)
{
	u32 i;

	for (i = 0; cache_on && i < nr_bad; i++)
		if (bad[i].id == walk->map.id[0] && bad[i].what == what)
			return uc_malformed(walk, bad[i].flaw, bad[i].at);
	return 0;
}

int uc_port_bad_put(struct uc_walk *walk, u32 what)
{
	if (!cache_on)
		return 1;
	assert_true(nr_bad < 8);
	bad[nr_bad].id = walk->map.id[0];
	bad[nr_bad].what = what;
	bad[nr_bad].flaw = walk->flaw;
	bad[nr_bad++].at = walk->stop_addr;
	return 0;
}

/* ---- programs ---- */

static u64 usual;
static struct uc_regs start;
static enum uc_unwind how_to_unwind; /* begin() makes it auto */

/* A function of 0x80 bytes that makes room for 24 at its fourth byte. */
static void function(u32 n)
{
	img_fde(&img, usual, F(n), 0x80, BYTES(0x44, 0x0e, 32));
}

static void begin(u64 pc)
{
	u64 at;
	u32 i;

	nr_cached = 0;
	nr_bad = 0;
	cache_on = 0;
	how_to_unwind = UC_UNWIND_AUTO;
	img_program(&img);
	for (at = IMG_TEXT; at < IMG_TEXT + 0x2000; at++)
		img_write(&img, at, BYTES(0x90));
	usual = img_cie_usual(&img);
	memset(&start, 0, sizeof(start));
	start.known = UC_X86_64_REGS;
	for (i = 0; i < 16; i++)
		start.r[i] = 0x1000 + i;
	start.pc = pc;
	start.r[UC_RSP] = SP0;
}

static int walk_from(u32 fill)
{
	img_walk_init(&img, &w);
	memset(&w, (int)fill, sizeof(w));
	uc_abi_set(&w, UC_ABI_X86_64);
	w.port.mem = &img.memory;
	w.entry_sp = 0;
	w.regs = start;
	w.unwind = how_to_unwind;
	return img_walk(&img, &w, frame, UC_FRAMES_DEFAULT, &nr);
}

/* In another way, with the same answer. */
static void expect_again(const char *how, int rc, u32 fill)
{
	static u64 first[UC_FRAMES_MAX];
	u32 i, n = nr, flaw = w.flaw;
	u64 addr = w.stop_addr;
	int again;

	memcpy(first, frame, n * sizeof(first[0]));
	again = walk_from(fill);
	if (again != rc || nr != n || w.flaw != flaw || w.stop_addr != addr)
		fail_msg("%s: stop %d flaw %u addr %llx after %u frames, not %d %u %llx %u", how,
			 again, w.flaw, (unsigned long long)w.stop_addr, nr, rc, flaw,
			 (unsigned long long)addr, n);
	for (i = 0; i < n; i++)
		assert_int_equal(frame[i], first[i]);
}

/* Walk in every way; these frames and this stop. */
static void expect_walk(int stop, const u64 *want, u32 n)
{
	int rc = walk_from(0xa5);
	u32 i;

	for (i = 0; i < n && i < nr; i++)
		assert_int_equal(frame[i], want[i]);
	assert_int_equal(nr, n);
	assert_int_equal(rc, stop);
	expect_again("zeroed", rc, 0);
	expect_again("filled", rc, 0xff);
	img.fail_once = 1;
	expect_again("reads fail once", rc, 0xa5);
	img.fail_once = 0;
	img_swap_out(&img);
	expect_again("swapped out", rc, 0xa5);
	cache_on = 1;
	nr_cached = 0;
	expect_again("row cache, empty", rc, 0xa5);
	expect_again("row cache, full", rc, 0xa5);
	cache_on = 0;
}

#define EXPECT(stop, ...)                                                                 \
	expect_walk(UNCOIL_STOP_##stop, (const u64[]){ __VA_ARGS__ },                     \
		    sizeof((const u64[]){ __VA_ARGS__ }) / 8)

/* F(1) marks the outermost frame; F(2), F(3), F(4) call one another. */
static void four_functions(void)
{
	begin(F(4) + 8);
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	function(2);
	function(3);
	function(4);
	img_hdr(&img);
	img_u64(&img, SP0 + 24, F(3) + 0x20);
	img_u64(&img, SP0 + 32 + 24, F(2) + 0x20);
	img_u64(&img, SP0 + 64 + 24, F(1) + 0x20);
}

#define FOUR F(4) + 8, F(3) + 0x20, F(2) + 0x20, F(1) + 0x20

/* ---- complete stacks ---- */

static void test_walk__to_the_outermost_frame(void **state)
{
	(void)state;
	four_functions();
	EXPECT(OUTERMOST, FOUR);
}

static void test_walk__from_each_byte_of_the_prologue(void **state)
{
	u32 off;

	(void)state;
	for (off = 0; off < 4; off++) {
		four_functions();
		start.pc = F(4) + off;
		start.r[UC_RSP] = SP0 + 24;
		EXPECT(OUTERMOST, F(4) + off, F(3) + 0x20, F(2) + 0x20, F(1) + 0x20);
	}
}

static void test_walk__outermost_by_the_cie(void **state)
{
	u64 cie;

	(void)state;
	begin(F(2) + 8);
	function(2);
	/* crt1.o: undefined rip in the CIE, nothing but nops in the FDE */
	cie = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x07, 16));
	img_fde(&img, cie, F(1), 0x80, BYTES(0));
	img_hdr(&img);
	img_u64(&img, SP0 + 24, F(1) + 0x20);
	EXPECT(OUTERMOST, F(2) + 8, F(1) + 0x20);
}

static void test_walk__outermost_at_the_entry_point(void **state)
{
	(void)state;
	begin(F(2) + 8);
	function(2);
	img_hdr(&img);
	img_u64(&img, SP0 + 24, F(1) + 0x20); /* without an entry */
	EXPECT(NO_ENTRY, F(2) + 8, F(1) + 0x20);
	img_walk_init(&img, &w);
	w.regs = start;
	w.entry_sp = SP0 + 32;
	assert_int_equal(img_walk(&img, &w, frame, 10, &nr), UNCOIL_STOP_OUTERMOST);
	assert_int_equal(nr, 2);
}

/* ---- which address is looked up ---- */

/* abort() as a function's last instruction: it returns to the next function. */
static void test_walk__return_address_in_the_next_function(void **state)
{
	(void)state;
	begin(F(4) + 8);
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	img_fde(&img, usual, F(2), 0x100, BYTES(0x44, 0x0e, 48)); /* up to F(3) */
	img_fde(&img, usual, F(3), 0x80, BYTES(0x0e, 0x80, 0x02));
	function(4);
	img_hdr(&img);
	img_u64(&img, SP0 + 24, F(3));
	img_u64(&img, SP0 + 32 + 40, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(3), F(1) + 0x20);
}

static void test_walk__row_that_starts_at_the_return_address(void **state)
{
	(void)state;
	begin(F(4) + 8);
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	/* the call ends at 0x20; from there on another row */
	img_fde(&img, usual, F(2), 0x80, BYTES(0x44, 0x0e, 48, 0x5c, 0x0e, 0x80, 0x02));
	function(4);
	img_hdr(&img);
	img_u64(&img, SP0 + 24, F(2) + 0x20);
	img_u64(&img, SP0 + 32 + 40, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(2) + 0x20, F(1) + 0x20);
}

/* The very first pc is an instruction's own. */
static void test_walk__innermost_row_starts_at_the_pc(void **state)
{
	(void)state;
	begin(F(2) + 4);
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	function(2);
	img_hdr(&img);
	img_u64(&img, SP0, F(1) + 0x10); /* what the row before would take */
	img_u64(&img, SP0 + 24, F(1) + 0x20);
	EXPECT(OUTERMOST, F(2) + 4, F(1) + 0x20);
}

/* ---- signal frames ---- */

/* glibc's: zRS; each register at its place in the signal frame, here rsp, rip
 * and rbx; CFA = the interrupted rsp. */
static u64 signal_fde(u64 at, u32 size)
{
	u64 cie = img_cie(&img, BYTES(1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0x1b));

	return img_fde(&img, cie, at, size,
		       BYTES(0x0f, 4, 0x77, 0xa0, 0x01, 0x06, /* *(rsp + 160) */
			     0x10, 7, 3, 0x77, 0xa0, 0x01, /* rsp at rsp + 160 */
			     0x10, 16, 3, 0x77, 0xa8, 0x01, /* rip at rsp + 168 */
			     0x10, 3, 3, 0x77, 0x80, 0x01)); /* rbx at rsp + 128 */
}

static const u8 trampoline[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

/* A handler F(4) on a stack of its own below; F(3) was interrupted at @pc with
 * its stack pointer at @sp, and was called by F(1). */
static void interrupted(u64 pc, u64 sp, u64 restorer)
{
	begin(F(4) + 8);
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	function(3);
	function(4);
	start.r[UC_RSP] = IMG_STACK + 0x100;
	img_u64(&img, IMG_STACK + 0x100 + 24, restorer);
	img_u64(&img, IMG_STACK + 0x120 + 160, sp);
	img_u64(&img, IMG_STACK + 0x120 + 168, pc);
}

static void test_walk__signal_frame_of_glibc(void **state)
{
	(void)state;
	/* F(3)'s first instruction: the byte before is no function's */
	interrupted(F(3), SP0, F(6));
	signal_fde(F(6) - 1, 0x10); /* one byte early */
	img_hdr(&img);
	img_u64(&img, SP0, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(6), F(3), F(1) + 0x20);
	/* in the midst: a row that starts right there */
	interrupted(F(3) + 4, SP0, F(6));
	signal_fde(F(6) - 1, 0x10);
	img_hdr(&img);
	img_u64(&img, SP0 + 24, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(6), F(3) + 4, F(1) + 0x20);
}

static void test_walk__trampoline_without_an_entry(void **state)
{
	(void)state;
	interrupted(F(3), SP0, F(6));
	img_write(&img, F(6), trampoline, sizeof(trampoline));
	img_hdr(&img);
	img_u64(&img, SP0, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(6), F(3), F(1) + 0x20);
}

/* No byte is before it: a return address that no call has made. */
static void test_walk__trampoline_in_the_first_byte_of_a_mapping(void **state)
{
	(void)state;
	interrupted(F(3), SP0, JIT);
	img_map(&img, JIT, 0x1000, UC_MAP_EXEC, 0, 0);
	img_write(&img, JIT, trampoline, sizeof(trampoline));
	img_hdr(&img);
	img_u64(&img, SP0, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, JIT, F(3), F(1) + 0x20);
}

/* The byte before the trampoline is another function's; whatever is known of
 * that byte (a sample hit it) is not of the trampoline. */
static void test_walk__trampoline_behind_another_function(void **state)
{
	(void)state;
	interrupted(F(3), SP0, F(5) + 0x80);
	function(5); /* ends where the trampoline begins */
	img_write(&img, F(5) + 0x80, trampoline, sizeof(trampoline));
	img_hdr(&img);
	img_u64(&img, SP0, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(5) + 0x80, F(3), F(1) + 0x20);
	cache_on = 1;
	nr_cached = 0;
	start.pc = F(5) + 0x7f;
	walk_from(0);
	start.pc = F(4) + 8;
	assert_int_equal(walk_from(0), UNCOIL_STOP_OUTERMOST);
	assert_int_equal(nr, 4);
	assert_int_equal(frame[2], F(3));
}

static void test_walk__interrupted_where_no_code_is(void **state)
{
	(void)state;
	/* a call through a bad pointer: its return address is on the stack */
	interrupted(0x123, SP0, F(6));
	signal_fde(F(6) - 1, 0x10);
	img_hdr(&img);
	img_write(&img, F(1) + 0x20 - 5, BYTES(0xe8, LE32(0)));
	img_u64(&img, SP0, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(6), 0x123, F(1) + 0x20);
	/* a jump: nobody knows */
	img_u64(&img, SP0, 7);
	EXPECT(NO_MAPPING, F(4) + 8, F(6), 0x123);
}

static void test_walk__signal_stack_above_the_interrupted_one(void **state)
{
	(void)state;
	begin(F(4) + 8);
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	function(3);
	function(4);
	signal_fde(F(6) - 1, 0x10);
	img_hdr(&img);
	start.r[UC_RSP] = IMG_STACK + 0x1000;
	img_u64(&img, IMG_STACK + 0x1000 + 24, F(6));
	img_u64(&img, IMG_STACK + 0x1020 + 160, SP0); /* lower */
	img_u64(&img, IMG_STACK + 0x1020 + 168, F(3) + 8);
	img_u64(&img, SP0 + 24, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(6), F(3) + 8, F(1) + 0x20);
}

/* After a signal frame all registers are known, as at the start. */
static void test_walk__registers_behind_a_signal_frame(void **state)
{
	(void)state;
	interrupted(F(3), SP0, F(6));
	img_write(&img, F(6), trampoline, sizeof(trampoline));
	img.nr_rows = 0;
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	function(4);
	img_fde(&img, usual, F(3), 0x80, BYTES(0x0c, 10, 8)); /* CFA = r10 + 8 */
	img_hdr(&img);
	img_u64(&img, IMG_STACK + 0x120 + 56, SP0 + 0x100); /* r10 */
	img_u64(&img, SP0 + 0x100, F(1) + 0x20);
	EXPECT(OUTERMOST, F(4) + 8, F(6), F(3), F(1) + 0x20);
}

/* ---- going round ---- */

static void test_walk__cycle_of_two(void **state)
{
	(void)state;
	begin(F(2) + 8);
	function(2); /* CFA = rsp + 32 */
	img_fde(&img, usual, F(3), 0x80, BYTES(0x12, 7, 0x03, 0x11, 16, 0x7f)); /* rsp - 24 */
	img_hdr(&img);
	img_u64(&img, SP0 + 24, F(3) + 0x20);
	img_u64(&img, SP0 + 16, F(2) + 0x20); /* CFA + 8 of the second */
	EXPECT(NO_PROGRESS, F(2) + 8, F(3) + 0x20);
}

static void test_walk__frame_that_is_its_own_caller(void **state)
{
	(void)state;
	begin(F(2) + 8);
	/* CFA = rsp + 0; rip is this frame's, plus 1 */
	img_fde(&img, usual, F(2), 0x80, BYTES(0x0e, 0, 0x16, 16, 2, 0x80, 0x01));
	img_hdr(&img);
	EXPECT(NO_PROGRESS, F(2) + 8, F(2) + 9);
}

static void test_walk__signal_frame_that_is_its_own_caller(void **state)
{
	u64 cie;

	(void)state;
	begin(F(2) + 8);
	cie = img_cie(&img, BYTES(1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0x1b));
	/* CFA = rsp + 0; rip is this frame's */
	img_fde(&img, cie, F(2), 0x80, BYTES(0x0c, 7, 0, 0x16, 16, 2, 0x80, 0x00));
	img_hdr(&img);
	assert_int_equal(walk_from(0), UNCOIL_STOP_NO_PROGRESS);
	assert_true(nr <= UC_SWITCHES_MAX + 2);
}

static void test_walk__stack_switches_are_counted(void **state)
{
	(void)state;
	begin(F(2) + 8);
	/* rsp = rsp - 8, by a rule; the same return address each time */
	img_fde(&img, usual, F(2), 0x80,
		BYTES(0x0c, 3, 0, 0x11, 16, 0x00, 0x16, 7, 2, 0x77, 0x78)); /* CFA = rbx */
	img_hdr(&img);
	start.r[UC_RBX] = IMG_STACK + 0x1000;
	img_u64(&img, IMG_STACK + 0x1000, F(2) + 0x20);
	assert_int_equal(walk_from(0), UNCOIL_STOP_NO_PROGRESS);
	assert_int_equal(nr, UC_SWITCHES_MAX + 1);
}

static void test_walk__lost_stack_pointer_does_not_go_on_for_ever(void **state)
{
	u32 fill;

	(void)state;
	for (fill = 0; fill <= 0xff; fill += 0x55) {
		begin(F(2) + 8);
		/* CFA = rbx, rip at the CFA, rsp undefined */
		img_fde(&img, usual, F(2), 0x80, BYTES(0x0c, 3, 0, 0x11, 16, 0x00, 0x07, 7));
		img_hdr(&img);
		start.r[UC_RBX] = IMG_STACK + 0x1000;
		img_u64(&img, IMG_STACK + 0x1000, F(2) + 0x20);
		assert_int_equal(walk_from(fill), UNCOIL_STOP_NO_PROGRESS);
		assert_true(nr <= UC_SWITCHES_MAX + 2);
	}
}

static void test_walk__depth_limit(void **state)
{
	u64 at;
	u32 n;

	(void)state;
	begin(F(2) + 8);
	function(2);
	img_hdr(&img);
	start.r[UC_RSP] = IMG_STACK;
	for (at = IMG_STACK + 24; at < IMG_STACK_END; at += 32)
		img_u64(&img, at, F(2) + 0x20);
	for (n = 0; n <= 200; n += 50) {
		img_walk_init(&img, &w);
		w.regs = start;
		assert_int_equal(uc_walk_run(&w, frame, n, &nr), UNCOIL_STOP_DEPTH_LIMIT);
		assert_int_equal(nr, n);
	}
	/* 0x2000 / 32 frames; then the stack ends */
	assert_int_equal(walk_from(0), UNCOIL_STOP_MEMORY_FAULT);
	assert_int_equal(nr, 257);
}

/* ---- the other stops ---- */

static void test_walk__zero_return_address_ends_the_chain(void **state)
{
	(void)state;
	begin(F(2) + 8);
	function(2);
	img_hdr(&img);
	EXPECT(END_OF_CHAIN, F(2) + 8);
	assert_int_equal(w.stop_addr, F(2) + 8);
}

static void test_walk__return_address_outside_code(void **state)
{
	static const u64 word[] = { 1, 0x123456, SP0, IMG_HDR + 1, IMG_HDR + 8, ~0ull };
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		begin(F(2) + 8);
		function(2);
		img_hdr(&img);
		img_u64(&img, SP0 + 24, word[i]);
		EXPECT(NO_MAPPING, F(2) + 8);
		assert_int_equal(w.stop_addr, word[i] - 1);
	}
}

static void test_walk__generated_code_without_frame_pointer(void **state)
{
	(void)state;
	four_functions();
	img_map(&img, JIT, 0x1000, UC_MAP_EXEC, 0, 0);
	img_u64(&img, SP0 + 24, JIT + 0x20);
	EXPECT(NO_SECTION, F(4) + 8, JIT + 0x20);
}

static void test_walk__no_entry(void **state)
{
	(void)state;
	four_functions();
	img_u64(&img, SP0 + 24, F(7) + 0x20);
	EXPECT(NO_ENTRY, F(4) + 8, F(7) + 0x20);
	assert_int_equal(w.stop_addr, F(7) + 0x1f);
}

static void test_walk__unsupported(void **state)
{
	u64 cie;

	(void)state;
	begin(F(2) + 8);
	cie = img_cie(&img, BYTES(1, 'X', 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1));
	img_fde(&img, cie, F(2), 0x80, BYTES(0));
	img_hdr(&img);
	EXPECT(UNSUPPORTED, F(2) + 8);
	assert_int_equal(w.flaw, UNCOIL_FLAW_AUGMENTATION);
	assert_int_equal(w.stop_addr, cie);
}

static void test_walk__malformed(void **state)
{
	(void)state;
	begin(F(2) + 8);
	img_fde(&img, usual, F(2), 0x80, BYTES(0x26));
	img_hdr(&img);
	EXPECT(MALFORMED, F(2) + 8);
	assert_int_equal(w.flaw, UNCOIL_FLAW_CFA_OPCODE);
}

static void test_walk__memory_fault(void **state)
{
	(void)state;
	four_functions();
	/* the second caller's frame is beyond the stack */
	start.r[UC_RSP] = IMG_STACK_END - 32;
	img_u64(&img, IMG_STACK_END - 8, F(3) + 0x20);
	EXPECT(MEMORY_FAULT, F(4) + 8, F(3) + 0x20);
	assert_int_equal(w.flaw, 0);
	/* unwind data that can not be read */
	four_functions();
	img_lose_page(&img, IMG_HDR);
	EXPECT(MEMORY_FAULT, F(4) + 8);
	assert_int_equal(w.stop_addr & ~0xfffull, IMG_HDR);
}

/* Giving up for lack of memory says so, and where; not what was met before. */
static void test_walk__too_many_unreadable_pages(void **state)
{
	u64 cie;
	u32 i;

	(void)state;
	begin(F(2) + 8);
	img_write(&img, IMG_HDR, BYTES(1, 0x1b, 0xff, 0xff, LE32(IMG_EH - (IMG_HDR + 4))));
	img_fde_raw(&img, img.at + 0x1000, BYTES(LE32(4), LE32(4), 0)); /* of no CIE */
	cie = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x9b)); /* indirect */
	for (i = 1; i <= UC_BAD_PAGES; i++) {
		u64 field = img.at + 8;

		img_fde_raw(&img, cie, BYTES(LE32(IMG_PROG + 0x100000 * i - field), LE32(4), 0));
	}
	assert_int_equal(walk_from(0), UNCOIL_STOP_MEMORY_FAULT);
	assert_int_equal(w.flaw, 0);
	assert_int_equal(w.stop_addr, IMG_PROG + 0x100000 * UC_BAD_PAGES);
}

/* ---- partial registers ---- */

static void test_walk__from_stack_pointer_and_pc_alone(void **state)
{
	(void)state;
	four_functions();
	start.known = UC_BIT(UC_RSP);
	EXPECT(OUTERMOST, FOUR);
}

static void test_walk__unknown_register_is_needed_or_learned(void **state)
{
	(void)state;
	begin(F(3) + 8);
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	img_fde(&img, usual, F(2), 0x80, BYTES(0x0c, 6, 16, 0x86, 2)); /* CFA = rbp + 16 */
	function(3);
	img_hdr(&img);
	start.known = UC_BIT(UC_RSP);
	img_u64(&img, SP0 + 24, F(2) + 0x20);
	EXPECT(NO_REGISTER, F(3) + 8, F(2) + 0x20);
	assert_int_equal(w.stop_addr, F(2) + 0x20);
	/* F(3) has saved it */
	img.nr_rows = 0;
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	img_fde(&img, usual, F(2), 0x80, BYTES(0x0c, 6, 16, 0x86, 2));
	img_fde(&img, usual, F(3), 0x80, BYTES(0x44, 0x0e, 32, 0x86, 2));
	img_hdr(&img);
	img_u64(&img, SP0 + 16, SP0 + 0x100);
	img_u64(&img, SP0 + 0x108, F(1) + 0x20);
	EXPECT(OUTERMOST, F(3) + 8, F(2) + 0x20, F(1) + 0x20);
}

/* A caller's rax is lost in the callee, however well it is known there. */
static void test_walk__scratch_register_in_a_caller(void **state)
{
	(void)state;
	begin(F(3) + 8);
	img_fde(&img, usual, F(2), 0x80, BYTES(0x0c, 0, 8)); /* CFA = rax + 8 */
	function(3);
	img_hdr(&img);
	img_u64(&img, SP0 + 24, F(2) + 0x20);
	start.r[UC_RAX] = SP0 + 0x100;
	img_u64(&img, SP0 + 0x100, F(2) + 0x20);
	EXPECT(NO_REGISTER, F(3) + 8, F(2) + 0x20);
}

/* ---- broken tables ---- */

static void test_walk__scan_finds_what_a_broken_table_hides(void **state)
{
	(void)state;
	four_functions();
	/* a row leads to nowhere */
	img_write(&img, IMG_HDR + 12 + 8 * 2 + 4, BYTES(LE32(-0x100000)));
	EXPECT(OUTERMOST, FOUR);
	/* rows in another order */
	four_functions();
	img_write(&img, IMG_HDR + 12,
		  BYTES(LE32(F(4) - IMG_HDR), LE32(img.row[3].fde - IMG_HDR),
			LE32(F(3) - IMG_HDR), LE32(img.row[2].fde - IMG_HDR),
			LE32(F(2) - IMG_HDR), LE32(img.row[1].fde - IMG_HDR),
			LE32(F(1) - IMG_HDR), LE32(img.row[0].fde - IMG_HDR)));
	EXPECT(OUTERMOST, FOUR);
	/* a count beyond the section, none at all */
	four_functions();
	img_write(&img, IMG_HDR + 8, BYTES(LE32(0x10000)));
	EXPECT(OUTERMOST, FOUR);
	four_functions();
	img_write(&img, IMG_HDR + 2, BYTES(0xff, 0xff));
	EXPECT(OUTERMOST, FOUR);
}

static void test_walk__miss_in_a_broken_table_is_malformed(void **state)
{
	(void)state;
	four_functions();
	start.pc = F(7);
	img_write(&img, IMG_HDR + 12, BYTES(LE32(F(5) - IMG_HDR)));
	EXPECT(MALFORMED, F(7));
	assert_int_equal(w.flaw, UNCOIL_FLAW_HDR_UNSORTED);
	/* the second frame: that the table is broken is known by then */
	four_functions();
	img_write(&img, IMG_HDR + 12, BYTES(LE32(F(5) - IMG_HDR)));
	img_u64(&img, SP0 + 24, F(7) + 0x20);
	start.pc = F(8);
	img_fde(&img, usual, F(8), 0x80, BYTES(0x0e, 32)); /* not in the table */
	EXPECT(MALFORMED, F(8), F(7) + 0x20);
	assert_int_equal(w.flaw, UNCOIL_FLAW_HDR_UNSORTED);
}

/* ---- ELF ---- */

static void test_walk__bias_is_the_mappings(void **state)
{
	(void)state;
	/* text at 0x1000 in the file, 0x201000 by its headers, as lld has it */
	four_functions();
	img_phdr(&img, IMG_PROG, 1, IMG_PT_LOAD, 5, 0x1000, 0x201000, 0x2000);
	img_phdr(&img, IMG_PROG, 0, IMG_PT_LOAD, 4, 0, 0x200000, 0x1000);
	img_phdr(&img, IMG_PROG, 2, IMG_PT_LOAD, 4, 0x3000, 0x203000, 0x2000);
	img_phdr(&img, IMG_PROG, 3, IMG_PT_EH_FRAME, 4, 0x3000, 0x203000, 0x400);
	EXPECT(OUTERMOST, FOUR);
}

static void test_walk__other_file_where_the_header_should_be(void **state)
{
	(void)state;
	four_functions();
	img.map[2].id[0] = 99;
	EXPECT(NO_SECTION, F(4) + 8);
	four_functions();
	img.map[2].off += 0x1000; /* the same file, elsewhere */
	EXPECT(NO_SECTION, F(4) + 8);
}

static void test_walk__headers_of_another_kind(void **state)
{
	(void)state;
	four_functions();
	img_write(&img, IMG_PROG + 4, BYTES(3)); /* no class */
	EXPECT(UNSUPPORTED, F(4) + 8);
	assert_int_equal(w.flaw, UNCOIL_FLAW_ABI);
	four_functions();
	img_write(&img, IMG_PROG + 5, BYTES(2)); /* big endian */
	EXPECT(UNSUPPORTED, F(4) + 8);
	four_functions();
	img_write(&img, IMG_PROG + 18, BYTES(183)); /* EM_AARCH64 */
	EXPECT(UNSUPPORTED, F(4) + 8);
	four_functions();
	img_write(&img, IMG_PROG, BYTES('M', 'Z'));
	EXPECT(NO_SECTION, F(4) + 8);
}

/* No call is before the first byte of a mapping; a signal trampoline may be there. */
static void test_walk__return_to_the_first_byte_of_code(void **state)
{
	(void)state;
	four_functions();
	img_u64(&img, SP0 + 24, IMG_TEXT);
	EXPECT(NO_MAPPING, F(4) + 8);
	assert_int_equal(w.stop_addr, IMG_TEXT - 1);
	four_functions();
	img_u64(&img, SP0 + 24, IMG_TEXT);
	img_write(&img, IMG_TEXT, BYTES(0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05));
	img_u64(&img, SP0 + 32 + 168, F(1)); /* the interrupted pc: the outermost function */
	EXPECT(OUTERMOST, F(4) + 8, IMG_TEXT, F(1));
}

/* ---- what is used, and what is not tried again ---- */

static void test_walk__only_what_was_asked_for_is_used(void **state)
{
	(void)state;
	four_functions();
	how_to_unwind = UC_UNWIND_EHFRAME;
	EXPECT(OUTERMOST, FOUR);
	four_functions();
	how_to_unwind = UC_UNWIND_SFRAME; /* there is none */
	EXPECT(NO_SECTION, F(4) + 8);
	four_functions();
	how_to_unwind = UC_UNWIND_FP; /* nor code that keeps one */
	EXPECT(NO_ENTRY, F(4) + 8);
}

/* A malformed header is remembered with its file, and so is where it was: even
 * where it has been mended since, as no file that is in use should be. */
static void test_walk__a_section_caught_is_not_tried_again(void **state)
{
	u32 reads;

	(void)state;
	four_functions();
	img_write(&img, IMG_HDR, BYTES(2)); /* .eh_frame_hdr's version */
	cache_on = 1;
	assert_int_equal(walk_from(0xa5), UNCOIL_STOP_MALFORMED);
	assert_int_equal(w.flaw, UNCOIL_FLAW_HDR_VERSION);
	assert_int_equal(w.stop_addr, IMG_HDR);
	assert_int_equal(nr_bad, 1);
	reads = img.nr_reads;
	img_write(&img, IMG_HDR, BYTES(1));
	img.nr_reads = 0;
	assert_int_equal(walk_from(0), UNCOIL_STOP_MALFORMED);
	assert_int_equal(w.flaw, UNCOIL_FLAW_HDR_VERSION);
	assert_int_equal(w.stop_addr, IMG_HDR);
	assert_true(img.nr_reads < reads);
	nr_bad = 0; /* as it would be for another file */
	assert_int_equal(walk_from(0), UNCOIL_STOP_OUTERMOST);
}

static void test_walk__program_headers_that_lie(void **state)
{
	(void)state;
	four_functions();
	img_write(&img, IMG_PROG + 54, BYTES(55)); /* e_phentsize */
	EXPECT(MALFORMED, F(4) + 8);
	assert_int_equal(w.flaw, UNCOIL_FLAW_ELF_HEADER);
	four_functions();
	img_u64(&img, IMG_PROG + 32, 0x1000 - 56 * 4 + 1); /* e_phoff */
	EXPECT(MALFORMED, F(4) + 8);
	assert_int_equal(w.flaw, UNCOIL_FLAW_ELF_HEADER);
	four_functions();
	img_u64(&img, IMG_PROG + 32, ~0ull);
	EXPECT(MALFORMED, F(4) + 8);
	four_functions();
	img_write(&img, IMG_PROG + 56, BYTES(0xff, 0xff)); /* e_phnum */
	EXPECT(MALFORMED, F(4) + 8);
	/* sizes that wrap */
	four_functions();
	img_phdr(&img, IMG_PROG, 2, IMG_PT_LOAD, 4, 0x3000, 0x3000, ~0ull);
	assert_int_not_equal(walk_from(0), UNCOIL_STOP_NONE);
	four_functions();
	img_phdr(&img, IMG_PROG, 3, IMG_PT_EH_FRAME, 4, 0x3000, 0x3000, ~0ull);
	EXPECT(OUTERMOST, FOUR);
	four_functions();
	img_phdr(&img, IMG_PROG, 3, IMG_PT_EH_FRAME, 4, 0x3000, ~0xfffull, 0x400);
	EXPECT(NO_SECTION, F(4) + 8);
}

static void test_walk__two_executable_segments(void **state)
{
	(void)state;
	four_functions();
	/* the second at 0x5000 in the file, at 0x107000 in memory */
	img_map(&img, IMG_PROG + 0x107000, 0x1000, UC_MAP_EXEC, 0x5000, IMG_ID);
	img_write(&img, IMG_PROG + 56, BYTES(5));
	img_phdr(&img, IMG_PROG, 4, IMG_PT_LOAD, 5, 0x5000, 0x107000, 0x1000);
	img_fde(&img, usual, IMG_PROG + 0x107100, 0x80, BYTES(0x44, 0x0e, 32));
	img_hdr(&img);
	img_u64(&img, SP0 + 24, IMG_PROG + 0x107120);
	EXPECT(OUTERMOST, F(4) + 8, IMG_PROG + 0x107120, F(2) + 0x20, F(1) + 0x20);
}

/* .eh_frame in a segment of its own, as gold and mold may have it. */
static void test_walk__eh_frame_in_another_segment(void **state)
{
	u64 there = IMG_PROG + 0x8000, fde;

	(void)state;
	begin(F(2) + 8);
	img_map(&img, there, 0x1000, 0, 0x8000, IMG_ID);
	img_write(&img, IMG_PROG + 56, BYTES(5));
	img_phdr(&img, IMG_PROG, 4, IMG_PT_LOAD, 4, 0x8000, 0x8000, 0x1000);
	img.at = there;
	usual = img_cie_usual(&img);
	fde = img_fde(&img, usual, F(2), 0x80, BYTES(0x07, 16));
	assert_true(fde > there);
	img_hdr(&img);
	img_write(&img, IMG_HDR + 4, BYTES(LE32(there - (IMG_HDR + 4))));
	EXPECT(OUTERMOST, F(2) + 8);
}

static void test_walk__static_program_without_header(void **state)
{
	(void)state;
	four_functions();
	img_phdr(&img, IMG_PROG, 3, 0, 0, 0, 0, 0); /* PT_NULL */
	img_write(&img, IMG_HDR, BYTES(LE64(0), LE64(0)));
	EXPECT(OUTERMOST, FOUR);
}

/* What only looks like a section is none; what is wrong with it is no flaw. */
/* 200 records are visited for each address; there are 65,536 / 200 frames and
 * more, but few addresses. */
static void test_walk__recursion_without_a_search_table(void **state)
{
	u32 i, frames = 380;
	u64 want[400];

	(void)state;
	begin(F(2) + 8);
	img_fde(&img, usual, F(1), 0x80, BYTES(0x07, 16));
	img_fde(&img, usual, F(2), 0x80, BYTES(0x44, 0x0e, 16));
	for (i = 0; i < 200; i++)
		img_fde_raw(&img, usual, BYTES(LE32(F(4) - (img.at + 8)), LE32(0x80), 0));
	img_write(&img, IMG_HDR, BYTES(1, 0x1b, 0xff, 0xff, LE32(IMG_EH - (IMG_HDR + 4))));
	start.r[UC_RSP] = IMG_STACK;
	want[0] = start.pc;
	for (i = 1; i < frames; i++) {
		want[i] = i + 1 < frames ? F(2) + 0x20 : F(1) + 0x20;
		img_u64(&img, IMG_STACK + 16 * i - 8, want[i]);
	}
	expect_walk(UNCOIL_STOP_OUTERMOST, want, frames);
}

static void test_walk__nothing_but_a_lookalike(void **state)
{
	(void)state;
	begin(F(2) + 8);
	img_phdr(&img, IMG_PROG, 3, 0, 0, 0, 0, 0);
	/* the usual CIE, and behind it a record that is too long */
	img_write(&img, img.at, BYTES(LE32(0x7fffff00), LE32(1)));
	EXPECT(NO_SECTION, F(2) + 8);
	assert_int_equal(w.flaw, 0);
	assert_int_equal(w.stop_addr, IMG_TEXT);
}

static void test_walk__vdso(void **state)
{
	u64 vdso = 0x7fff00000000ull, cie, fde;

	(void)state;
	begin(vdso + 0x800);
	img_map(&img, vdso, 0x1000, UC_MAP_EXEC | UC_MAP_VDSO, 0, 0);
	img_elf(&img, vdso, 2);
	img_phdr(&img, vdso, 0, IMG_PT_LOAD, 5, 0, 0, 0x1000);
	img_phdr(&img, vdso, 1, IMG_PT_EH_FRAME, 4, 0x400, 0x400, 0x14);
	img.at = vdso + 0x440;
	cie = img_cie_usual(&img);
	fde = img_fde(&img, cie, vdso + 0x800, 0x80, BYTES(0x07, 16));
	img_write(&img, vdso + 0x400,
		  BYTES(1, 0x1b, 3, 0x3b, LE32(0x3c), LE32(1), LE32(0x400),
			LE32(fde - vdso - 0x400)));
	EXPECT(OUTERMOST, vdso + 0x800);
}

/* ---- pages that come late ---- */

/* Records are counted against a bound once, not once for each page fault. */
static void test_walk__long_scan_of_pages_that_are_not_present(void **state)
{
	u64 big = IMG_PROG + 0x10000, size = 0x14000, at;

	(void)state;
	begin(F(2) + 8);
	img_map(&img, big, size, 0, 0x10000, IMG_ID);
	img_write(&img, IMG_PROG + 56, BYTES(5));
	img_phdr(&img, IMG_PROG, 4, IMG_PT_LOAD, 4, 0x10000, 0x10000, size);
	for (at = big; at < big + size - 0x100; at += 8) /* empty CIEs */
		img_write(&img, at, BYTES(LE32(4), LE32(0)));
	img.at = at;
	usual = img_cie_usual(&img);
	img_fde(&img, usual, F(2), 0x80, BYTES(0x07, 16));
	img_write(&img, IMG_HDR, BYTES(1, 0x1b, 0xff, 0xff, LE32(big - (IMG_HDR + 4))));
	EXPECT(OUTERMOST, F(2) + 8);
}

/* ---- the row cache ---- */

static void fill_cache(void)
{
	cache_on = 1;
	nr_cached = 0;
	walk_from(0);
	walk_from(0);
}

static void test_walk__second_walk_is_from_the_cache(void **state)
{
	(void)state;
	four_functions();
	fill_cache();
	assert_int_equal(w.steps_from_cache, 4);
	assert_int_equal(w.steps_interpreted, 0);
	assert_int_equal(nr_cached, 4);
}

static void test_walk__what_is_the_processs_own_is_not_cached(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 3; i++) { /* header, or section, not pristine; text may be */
		four_functions();
		img.map[i].flags &= ~UC_MAP_PRISTINE;
		fill_cache();
		assert_int_equal(nr_cached, i == 1 ? 4 : 0);
	}
	four_functions(); /* a file without identity */
	for (i = 0; i < 3; i++)
		img.map[i].id[0] = 0;
	fill_cache();
	assert_int_equal(nr_cached, 0);
}

static void test_walk__absolute_addresses_are_not_cached(void **state)
{
	u64 cie;

	(void)state;
	begin(F(2) + 8);
	cie = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x07, 16));
	img_row_add(&img, F(2), img_fde_raw(&img, cie, BYTES(LE64(F(2)), LE64(0x80), 0)));
	img_hdr(&img);
	fill_cache();
	assert_int_equal(nr_cached, 0);
	EXPECT(OUTERMOST, F(2) + 8);
}

static void test_walk__a_miss_is_cached(void **state)
{
	(void)state;
	four_functions();
	start.pc = F(7);
	fill_cache();
	assert_int_equal(nr_cached, 1);
	assert_int_equal(w.steps_from_cache, 1);
	assert_int_equal(nr, 1);
}

/* No ELF header is mapped: where the file's addresses are in this process is
 * not known, so absolute ones are the process's own. */
static void test_walk__absolute_addresses_without_elf_header_are_not_cached(void **state)
{
	u64 text = 0x500000, cie, fde;

	(void)state;
	begin(text + 0x100);
	img_map(&img, text, 0x1000, UC_MAP_EXEC | UC_MAP_PRISTINE, 0x7000, 55);
	img.at = text + 0x840;
	cie = img_cie(&img, BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x07, 16));
	fde = img_fde_raw(&img, cie, BYTES(LE64(text + 0x100), LE64(0x80), 0));
	img_write(&img, text + 0x800,
		  BYTES(1, 0x1b, 3, 0x3b, LE32(0x3c), LE32(1), LE32(-0x700),
			LE32(fde - text - 0x800)));
	fill_cache();
	assert_int_equal(nr, 1);
	assert_int_equal(nr_cached, 0);
	EXPECT(OUTERMOST, text + 0x100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk__to_the_outermost_frame),
		cmocka_unit_test(test_walk__from_each_byte_of_the_prologue),
		cmocka_unit_test(test_walk__outermost_by_the_cie),
		cmocka_unit_test(test_walk__outermost_at_the_entry_point),
		cmocka_unit_test(test_walk__return_address_in_the_next_function),
		cmocka_unit_test(test_walk__row_that_starts_at_the_return_address),
		cmocka_unit_test(test_walk__innermost_row_starts_at_the_pc),
		cmocka_unit_test(test_walk__signal_frame_of_glibc),
		cmocka_unit_test(test_walk__trampoline_without_an_entry),
		cmocka_unit_test(test_walk__trampoline_in_the_first_byte_of_a_mapping),
		cmocka_unit_test(test_walk__trampoline_behind_another_function),
		cmocka_unit_test(test_walk__interrupted_where_no_code_is),
		cmocka_unit_test(test_walk__signal_stack_above_the_interrupted_one),
		cmocka_unit_test(test_walk__registers_behind_a_signal_frame),
		cmocka_unit_test(test_walk__cycle_of_two),
		cmocka_unit_test(test_walk__frame_that_is_its_own_caller),
		cmocka_unit_test(test_walk__signal_frame_that_is_its_own_caller),
		cmocka_unit_test(test_walk__stack_switches_are_counted),
		cmocka_unit_test(test_walk__lost_stack_pointer_does_not_go_on_for_ever),
		cmocka_unit_test(test_walk__depth_limit),
		cmocka_unit_test(test_walk__zero_return_address_ends_the_chain),
		cmocka_unit_test(test_walk__return_address_outside_code),
		cmocka_unit_test(test_walk__generated_code_without_frame_pointer),
		cmocka_unit_test(test_walk__no_entry),
		cmocka_unit_test(test_walk__unsupported),
		cmocka_unit_test(test_walk__malformed),
		cmocka_unit_test(test_walk__memory_fault),
		cmocka_unit_test(test_walk__too_many_unreadable_pages),
		cmocka_unit_test(test_walk__from_stack_pointer_and_pc_alone),
		cmocka_unit_test(test_walk__unknown_register_is_needed_or_learned),
		cmocka_unit_test(test_walk__scratch_register_in_a_caller),
		cmocka_unit_test(test_walk__scan_finds_what_a_broken_table_hides),
		cmocka_unit_test(test_walk__miss_in_a_broken_table_is_malformed),
		cmocka_unit_test(test_walk__bias_is_the_mappings),
		cmocka_unit_test(test_walk__other_file_where_the_header_should_be),
		cmocka_unit_test(test_walk__headers_of_another_kind),
		cmocka_unit_test(test_walk__return_to_the_first_byte_of_code),
		cmocka_unit_test(test_walk__only_what_was_asked_for_is_used),
		cmocka_unit_test(test_walk__a_section_caught_is_not_tried_again),
		cmocka_unit_test(test_walk__program_headers_that_lie),
		cmocka_unit_test(test_walk__two_executable_segments),
		cmocka_unit_test(test_walk__eh_frame_in_another_segment),
		cmocka_unit_test(test_walk__static_program_without_header),
		cmocka_unit_test(test_walk__recursion_without_a_search_table),
		cmocka_unit_test(test_walk__nothing_but_a_lookalike),
		cmocka_unit_test(test_walk__vdso),
		cmocka_unit_test(test_walk__long_scan_of_pages_that_are_not_present),
		cmocka_unit_test(test_walk__second_walk_is_from_the_cache),
		cmocka_unit_test(test_walk__what_is_the_processs_own_is_not_cached),
		cmocka_unit_test(test_walk__absolute_addresses_are_not_cached),
		cmocka_unit_test(test_walk__a_miss_is_cached),
		cmocka_unit_test(
			test_walk__absolute_addresses_without_elf_header_are_not_cached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
