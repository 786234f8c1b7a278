/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names, checked against nm, readelf and the dynamic linker: small ELF files
 * are built in a directory of their own, and this program is a subject, too.
 */
#define _GNU_SOURCE 1
#include "uc_kallsyms.h"
#include "uc_maps.h"
#include "uc_symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NOBODY 0x7ffffff0u /* a process that does not live: beyond PID_MAX */
#define AT 0x7f0000000000ull /* where tests map files */

static char dir[64];
static char path_buf[PATH_MAX + sizeof(dir)];

static const char *in_dir(const char *name)
{
	snprintf(path_buf, sizeof(path_buf), "%s/%s", dir, name);
	return path_buf;
}

__attribute__((format(printf, 1, 2))) static int shell(const char *fmt, ...)
{
	char command[4096], whole[4352];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(whole, sizeof(whole), "cd %s && { %s; }", dir, command);
	return system(whole);
}

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* First line of a command's output, as a number in hex. */
__attribute__((format(printf, 1, 2))) static uint64_t shell_hex(const char *fmt, ...)
{
	char command[4096], line[64] = "";
	va_list ap;
	int n = snprintf(command, sizeof(command), "cd %s && ", dir);
	FILE *p;

	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - (size_t)n, fmt, ap);
	va_end(ap);
	p = popen(command, "r");
	assert_non_null(p);
	assert_non_null(fgets(line, sizeof(line), p));
	pclose(p);
	return strtoull(line, NULL, 16);
}

static uint64_t nm_addr(const char *file, const char *symbol)
{
	return shell_hex("nm %s | awk '$3 == \"%s\" { print $1 }'", file, symbol);
}

static const char prog_c[] =
	"int counter;\n"
	"__attribute__((noinline)) static int inner(int n) { return counter += n; }\n"
	"__attribute__((noinline)) int outer(int n) { return inner(n) + inner(2 * n); }\n"
	"int main(int argc, char **argv) { (void)argv; return outer(argc); }\n";

static const char labels_s[] =
	".text\n.globl sized, first, second\n"
	"sized: .rept 32\n nop\n .endr\n.size sized, 32\n.type sized, @function\n"
	".skip 16, 0x90\n"
	"first: .rept 48\n nop\n .endr\n"
	"second: .rept 16\n nop\n .endr\n"
	"$x: nop\n.Llocal: nop\n"
	".section .other, \"ax\", @progbits\n.balign 64\n.globl apart\n"
	"apart: .rept 8\n nop\n .endr\n"
	".data\n.globl datum\ndatum: .quad 1\n"
	".section .note.GNU-stack, \"\", @progbits\n";

/* `callee` is called by the last instruction of `ends_in_call`. */
static const char noreturn_s[] =
	".text\n.globl ends_in_call, follower\n.type ends_in_call, @function\n"
	".type follower, @function\n"
	"ends_in_call: nop\n call follower\n.size ends_in_call, . - ends_in_call\n"
	"follower: nop\n ret\n.size follower, . - follower\n"
	".section .note.GNU-stack, \"\", @progbits\n";

/* Two executable segments, the distance of address and offset differing. */
static const char split_ld[] = "PHDRS { low PT_LOAD FLAGS(5); high PT_LOAD FLAGS(5); }\n"
			       "SECTIONS {\n"
			       "  . = 0x400000; .low : { *(.text.low) } :low\n"
			       "  . = 0x800000; .high : { *(.text.high) } :high\n"
			       "  /DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) }\n}\n";

static const char split_c[] =
	"__attribute__((section(\".text.low\"))) int low(void) { return 1; }\n"
	"__attribute__((section(\".text.high\"))) int high(void) { return 2; }\n";

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_symbols.XXXXXX");
	assert_non_null(mkdtemp(dir));
	write_text("prog.c", prog_c);
	write_text("labels.s", labels_s);
	write_text("noreturn.s", noreturn_s);
	write_text("split.ld", split_ld);
	write_text("split.c", split_c);
	return shell(
		"cc -O1 -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o prog prog.c && "
		"strip -o stripped prog && "
		"cc -nostdlib -shared -o labels labels.s && "
		"cc -nostdlib -shared -o noreturn noreturn.s && "
		"cc -O1 -fno-asynchronous-unwind-tables -fcf-protection=none -nostdlib -static "
		"-Wl,-T,split.ld -Wl,--build-id=none -Wl,-e,low -o split split.c 2>split.log");
}

static int teardown(void **state)
{
	(void)state;
	return shell("rm -rf %s", dir);
}

static int warnings;

static void count_warning(void *arg, const char *message)
{
	(void)arg;
	assert_true(strlen(message) > 0);
	warnings++;
}

static struct uc_symbols *new_symbols(void)
{
	struct uc_symbols *s;

	assert_int_equal(uc_symbols_new(&s), 0);
	warnings = 0;
	uc_symbols_on_warning(s, count_warning, NULL);
	return s;
}

/* Map the whole file, offset 0 at AT, as far as @len. */
static void map_file(struct uc_symbols *s, const char *name, uint64_t len)
{
	assert_int_equal(uc_symbols_map(s, NOBODY, AT, len, 0, in_dir(name), NULL, 0), 0);
}

static struct uc_symbol look_up(struct uc_symbols *s, uint64_t addr)
{
	struct uc_symbol sym;

	uc_symbols_user(s, NOBODY, addr, false, &sym);
	return sym;
}

static void assert_symbol(struct uc_symbols *s, uint64_t addr, const char *name, uint64_t offset)
{
	struct uc_symbol sym = look_up(s, addr);

	if (!name) {
		assert_null(sym.name);
		return;
	}
	assert_non_null(sym.name);
	assert_string_equal(sym.name, name);
	assert_int_equal(sym.offset, offset);
}

/* In a position-independent file of cc, offset and address agree up to .text. */
static void test_symbols__names_functions_as_nm_does(void **state)
{
	static const char *const names[] = { "inner", "outer", "main", "_start" };
	struct uc_symbols *s = new_symbols();
	struct uc_symbol sym;
	size_t i;

	(void)state;
	map_file(s, "prog", 0x2000);
	for (i = 0; i < 4; i++) {
		uint64_t vaddr = nm_addr("prog", names[i]);

		assert_symbol(s, AT + vaddr, names[i], 0);
		assert_symbol(s, AT + vaddr + 2, names[i], 2);
		sym = look_up(s, AT + vaddr + 2);
		assert_int_equal(sym.dso_addr, vaddr + 2);
		assert_int_equal(sym.start, vaddr);
		assert_string_equal(sym.dso, in_dir("prog"));
	}
	sym = look_up(s, AT - 1);
	assert_null(sym.dso);
	sym = look_up(s, AT + 0x2000);
	assert_null(sym.dso);
	uc_symbols_free(s);
}

static void test_symbols__stripped_program_has_start_and_function_ranges(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t start = nm_addr("prog", "_start"), outer = nm_addr("prog", "outer");
	uint64_t entry = shell_hex("readelf -h stripped | awk '/Entry point/ { print $4 }'");
	struct uc_symbol sym;

	(void)state;
	assert_int_equal(start, entry);
	map_file(s, "stripped", 0x2000);
	assert_symbol(s, AT + entry, "_start", 0);
	assert_symbol(s, AT + entry + 9, "_start", 9);
	sym = look_up(s, AT + outer + 3);
	assert_null(sym.name);
	assert_int_equal(sym.start, outer);
	assert_int_equal(sym.offset, 3);
	uc_symbols_free(s);
}

static void test_symbols__sizeless_label_reaches_to_the_next_in_its_section(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t sized = nm_addr("labels", "sized"), apart = nm_addr("labels", "apart");

	(void)state;
	map_file(s, "labels", 0x4000);
	assert_symbol(s, AT + sized + 31, "sized", 31);
	assert_symbol(s, AT + sized + 32, NULL, 0);
	assert_symbol(s, AT + sized + 47, NULL, 0);
	assert_symbol(s, AT + sized + 48, "first", 0);
	assert_symbol(s, AT + sized + 95, "first", 47);
	assert_symbol(s, AT + sized + 96, "second", 0);
	/* past "$x", which is a label of tools, to the section's end */
	assert_symbol(s, AT + sized + 113, "second", 17);
	assert_symbol(s, AT + sized + 114, NULL, 0);
	assert_symbol(s, AT + apart + 7, "apart", 7);
	assert_symbol(s, AT + apart + 8, NULL, 0);
	uc_symbols_free(s);
}

static void test_symbols__segments_have_their_own_bias(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t low, high, low_offset, high_offset;

	(void)state;
	low = nm_addr("split", "low");
	high = nm_addr("split", "high");
	low_offset =
		shell_hex("readelf -lW split | awk '/LOAD/ { print substr($2, 3) }' | sed -n 1p");
	high_offset =
		shell_hex("readelf -lW split | awk '/LOAD/ { print substr($2, 3) }' | sed -n 2p");
	assert_int_equal(low, 0x400000);
	assert_int_equal(high, 0x800000);
	assert_true(high_offset - low_offset != high - low);
	/* as the kernel maps them: whole pages, at addresses of its own choice */
	uc_symbols_map(s, NOBODY, AT, 0x1000, low_offset & ~0xfffull, in_dir("split"), NULL, 0);
	uc_symbols_map(s, NOBODY, AT + 0x900000, 0x1000, high_offset & ~0xfffull, in_dir("split"),
		       NULL, 0);
	assert_symbol(s, AT + (low_offset & 0xfff), "low", 0);
	assert_symbol(s, AT + 0x900000 + (high_offset & 0xfff), "high", 0);
	assert_int_equal(look_up(s, AT + 0x900000 + (high_offset & 0xfff)).dso_addr, high);
	uc_symbols_free(s);
}

static void test_symbols__return_address_belongs_to_the_call(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t follower = nm_addr("noreturn", "follower");
	struct uc_symbol sym;

	(void)state;
	map_file(s, "noreturn", 0x4000);
	assert_symbol(s, AT + follower, "follower", 0);
	uc_symbols_user(s, NOBODY, AT + follower, true, &sym);
	assert_string_equal(sym.name, "ends_in_call");
	assert_int_equal(sym.offset, 6);
	assert_int_equal(sym.dso_addr, follower);
	/* at a mapping's end, the call is still inside */
	uc_symbols_map(s, NOBODY, AT, 0x4000, 0, "//anon", NULL, 0);
	uc_symbols_map(s, NOBODY, AT, follower, 0, in_dir("noreturn"), NULL, 0);
	uc_symbols_user(s, NOBODY, AT + follower, true, &sym);
	assert_string_equal(sym.name, "ends_in_call");
	uc_symbols_free(s);
}

static void test_symbols__plt_stubs_have_their_functions_name(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t stub;

	(void)state;
	write_text("plt.c",
		   "#include <stdlib.h>\nint main(void) { return abs(atoi(getenv(\"X\"))); }\n");
	assert_int_equal(shell("cc -O1 -Wl,-z,lazy -fcf-protection=none -o plt plt.c && strip plt"),
			 0);
	stub = shell_hex("objdump -d -j .plt plt | awk '/<getenv@plt>:/ { print $1 }'");
	map_file(s, "plt", 0x2000);
	assert_symbol(s, AT + stub, "getenv@plt", 0);
	assert_symbol(s, AT + stub + 15, "getenv@plt", 15);
	/* with IBT the code calls stubs of a second section */
	assert_int_equal(
		shell("cc -O1 -Wl,-z,lazy -Wl,-z,ibtplt -fcf-protection -o ibt plt.c && strip ibt"),
		0);
	stub = shell_hex("objdump -d -j .plt.sec ibt | awk '/<getenv@plt>:/ { print $1 }'");
	uc_symbols_map(s, NOBODY, AT, 0x2000, 0, in_dir("ibt"), NULL, 0);
	assert_symbol(s, AT + stub + 4, "getenv@plt", 4);
	uc_symbols_free(s);
}

static void test_symbols__other_build_id_gives_no_names_and_one_warning(void **state)
{
	static const uint8_t right[20] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
					   0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
					   0xcd, 0xef, 0x01, 0x23, 0x45, 0x67 };
	uint8_t wrong[20];
	struct uc_symbols *s = new_symbols();
	uint64_t outer = nm_addr("prog", "outer");

	(void)state;
	memcpy(wrong, right, sizeof(wrong));
	wrong[19] ^= 1;
	uc_symbols_map(s, NOBODY, AT, 0x2000, 0, in_dir("prog"), wrong, 20);
	assert_symbol(s, AT + outer, NULL, 0);
	assert_symbol(s, AT + outer + 1, NULL, 0);
	assert_string_equal(look_up(s, AT + outer).dso, in_dir("prog"));
	assert_int_equal(warnings, 1);
	uc_symbols_map(s, NOBODY, AT, 0x2000, 0, in_dir("prog"), right, 20);
	assert_symbol(s, AT + outer, "outer", 0);
	/* a file without any id is not the one that had one */
	uc_symbols_map(s, NOBODY, AT, 0x2000, 0, in_dir("split"), right, 20);
	assert_null(look_up(s, AT).name);
	assert_int_equal(warnings, 2);
	uc_symbols_free(s);
}

static void test_symbols__debug_link_and_debug_data(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t inner = nm_addr("prog", "inner");

	(void)state;
	assert_int_equal(shell("cp prog linked && mkdir -p .debug && "
			       "objcopy --only-keep-debug prog .debug/linked.dbg && "
			       "strip linked && cd .debug && "
			       "objcopy --add-gnu-debuglink=linked.dbg ../linked"),
			 0);
	map_file(s, "linked", 0x2000);
	assert_symbol(s, AT + inner + 1, "inner", 1);
	/* the link's file of another build must not be used */
	assert_int_equal(shell("cp linked alien && sed s/outer/alter/g prog.c > alien.c && "
			       "cc -g -O1 -Wl,--build-id=0xff -o alien.full alien.c && "
			       "objcopy --only-keep-debug alien.full .debug/alien.dbg && "
			       "objcopy --remove-section=.gnu_debuglink alien && "
			       "cd .debug && objcopy --add-gnu-debuglink=alien.dbg ../alien"),
			 0);
	uc_symbols_map(s, NOBODY, AT, 0x2000, 0, in_dir("alien"), NULL, 0);
	assert_symbol(s, AT + inner + 1, NULL, 0);

	if (system("command -v xz >/dev/null"))
		print_message("no xz: .gnu_debugdata is not tested\n");
	else {
		assert_int_equal(shell("objcopy -S --remove-section=.gnu_debuglink "
				       "--keep-symbol=inner prog mini.full && "
				       "objcopy --only-keep-debug mini.full mini && xz -f mini && "
				       "strip -o minidebug prog && "
				       "objcopy --add-section .gnu_debugdata=mini.xz minidebug"),
				 0);
		uc_symbols_map(s, NOBODY, AT, 0x2000, 0, in_dir("minidebug"), NULL, 0);
		assert_symbol(s, AT + inner + 1, "inner", 1);
	}
	uc_symbols_free(s);
}

static void test_symbols__refuses_what_is_no_file(void **state)
{
	static const char *const paths[] = { "/dev/zero", "/proc/kcore",  "/proc/self/mem",
					     "/",         "/dev",         "//anon",
					     "[heap]",    "[stack]",      "",
					     "relative",  "/no/such/file" };
	struct uc_symbols *s = new_symbols();
	size_t i;

	(void)state;
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	alarm(20);
	map_file(s, "fifo", 0x1000);
	assert_symbol(s, AT, NULL, 0);
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		uc_symbols_map(s, NOBODY, AT, 0x1000, 0, paths[i], NULL, 0);
		assert_symbol(s, AT + 1, NULL, 0);
		assert_string_equal(look_up(s, AT).dso, *paths[i] ? paths[i] : "//anon");
		assert_int_equal(look_up(s, AT).dso_addr, 0);
	}
	/* a fifo as the debug file of a program */
	assert_int_equal(
		shell("strip -o fifolink prog && mkdir -p .debug && cp prog .debug/f.dbg && "
		      "cd .debug && objcopy --add-gnu-debuglink=f.dbg ../fifolink && "
		      "rm f.dbg && mkfifo f.dbg"),
		0);
	uc_symbols_map(s, NOBODY, AT, 0x2000, 0, in_dir("fifolink"), NULL, 0);
	assert_symbol(s, AT + nm_addr("prog", "outer"), NULL, 0);
	alarm(0);
	assert_int_equal(warnings, 0);
	uc_symbols_free(s);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return *seed >> 33;
}

/* Nothing to check but that nothing breaks: run it under sanitizers. */
static void test_symbols__survives_damaged_files(void **state)
{
	static const char *const names[] = { "prog", "labels", "split", "minidebug" };
	uint64_t seed = 42, i, j, outer = nm_addr("prog", "outer");
	static uint8_t good[1 << 20], bad[1 << 20];
	char path[PATH_MAX];

	(void)state;
	for (i = 0; i < 800; i++) {
		struct uc_symbols *s = new_symbols();
		FILE *f = fopen(in_dir(names[i % 4]), "r");
		size_t len;

		if (!f)
			f = fopen(in_dir("prog"), "r");
		len = fread(good, 1, sizeof(good), f);
		fclose(f);
		memcpy(bad, good, len);
		for (j = next_random(&seed) % 12; j; j--)
			bad[next_random(&seed) % (j % 2 ? len : 1024)] =
				(uint8_t)next_random(&seed);
		if (i % 5 == 0) /* headers of sections are at the end */
			bad[len - 1 - next_random(&seed) % 2048] ^= 0xff;
		if (i % 7 == 0)
			len = next_random(&seed) % len;
		snprintf(path, sizeof(path), "bad%" PRIu64, i);
		f = fopen(in_dir(path), "w");
		fwrite(bad, 1, len, f);
		fclose(f);
		map_file(s, path, 0x10000);
		look_up(s, AT);
		look_up(s, AT + outer);
		look_up(s, AT + next_random(&seed) % 0x10000);
		unlink(in_dir(path));
		uc_symbols_free(s);
	}
}

static void test_symbols__new_mapping_splits_an_old_one(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t outer = nm_addr("prog", "outer");

	(void)state;
	map_file(s, "prog", 0x2000);
	assert_symbol(s, AT + outer, "outer", 0);
	/* a page at a time, and one byte more than needed on each side */
	uc_symbols_map(s, NOBODY, AT + outer + 1, 1, 0, "//anon", NULL, 0);
	assert_symbol(s, AT + outer, "outer", 0);
	assert_string_equal(look_up(s, AT + outer + 1).dso, "//anon");
	assert_symbol(s, AT + outer + 2, "outer", 2);
	uc_symbols_map(s, NOBODY, AT - 0x1000, 0x9000, 0, "//anon", NULL, 0);
	assert_string_equal(look_up(s, AT + outer).dso, "//anon");
	/* empty ones, and those that wrap around, change nothing */
	uc_symbols_map(s, NOBODY, AT, 0, 0, in_dir("prog"), NULL, 0);
	uc_symbols_map(s, NOBODY, AT, UINT64_MAX, 0, in_dir("prog"), NULL, 0);
	assert_string_equal(look_up(s, AT + outer).dso, "//anon");
	uc_symbols_free(s);
}

/* The same as a plain array of bytes would say. */
static void test_symbols__mappings_equal_a_model(void **state)
{
	struct uc_file *file[8];
	struct {
		struct uc_file *file;
		uint64_t pgoff;
	} model[256] = { 0 };
	struct uc_maps *maps = NULL;
	uint64_t seed = 1, i, j;

	(void)state;
	for (i = 0; i < 8; i++)
		file[i] = (struct uc_file *)(uintptr_t)(0x1000 * (i + 1)); /* never followed */
	for (i = 0; i < 2000; i++) {
		uint64_t start = next_random(&seed) % 250, len = 1 + next_random(&seed) % 16;
		struct uc_mapping new = { start, start + len > 256 ? 256 : start + len,
				      next_random(&seed) % 100, file[i % 8] };
		struct uc_maps *shared = uc_maps_get(maps);

		assert_int_equal(uc_maps_insert(&maps, &new), 0);
		assert_ptr_not_equal(maps, shared);
		uc_maps_put(shared);
		for (j = new.start; j < new.end; j++) {
			model[j].file = new.file;
			model[j].pgoff = new.pgoff + (j - new.start);
		}
		for (j = 0; j < 256; j++) {
			size_t at = uc_maps_find(maps, j);
			bool in = at < maps->nr && maps->map[at].start <= j;

			assert_true(in == (model[j].file != NULL));
			if (!in)
				continue;
			assert_ptr_equal(maps->map[at].file, model[j].file);
			assert_int_equal(j - maps->map[at].start + maps->map[at].pgoff,
					 model[j].pgoff);
		}
	}
	uc_maps_put(maps);
}

static void test_symbols__fork_copies_and_exec_clears(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t outer = AT + nm_addr("prog", "outer");
	struct uc_symbol sym;

	(void)state;
	map_file(s, "prog", 0x2000);
	uc_symbols_comm(s, NOBODY, NOBODY, "parent", false);
	assert_string_equal(uc_symbols_comm_of(s, NOBODY, NOBODY), "parent");
	/* a thread */
	assert_int_equal(uc_symbols_fork(s, NOBODY, NOBODY + 1, NOBODY, NOBODY), 0);
	assert_string_equal(uc_symbols_comm_of(s, NOBODY, NOBODY + 1), "parent");
	/* a child, and what either does afterwards is its own business */
	assert_int_equal(uc_symbols_fork(s, NOBODY + 2, NOBODY + 2, NOBODY, NOBODY + 1), 0);
	uc_symbols_user(s, NOBODY + 2, outer, false, &sym);
	assert_string_equal(sym.name, "outer");
	uc_symbols_map(s, NOBODY + 2, AT, 0x2000, 0, "//anon", NULL, 0);
	assert_symbol(s, outer, "outer", 0);
	assert_int_equal(uc_symbols_fork(s, NOBODY + 2, NOBODY + 2, NOBODY, NOBODY), 0);
	assert_int_equal(uc_symbols_comm(s, NOBODY + 2, NOBODY + 2, "child", true), 0);
	uc_symbols_user(s, NOBODY + 2, outer, false, &sym);
	assert_null(sym.dso);
	assert_symbol(s, outer, "outer", 0);
	assert_string_equal(uc_symbols_comm_of(s, NOBODY + 2, NOBODY + 2), "child");
	assert_string_equal(uc_symbols_comm_of(s, NOBODY + 2, NOBODY + 5), "child");
	assert_string_equal(uc_symbols_comm_of(s, 77, 4711), ":4711");
	/* a fork from a process that nobody told of */
	assert_int_equal(uc_symbols_fork(s, NOBODY + 9, NOBODY + 9, NOBODY + 8, NOBODY + 8), 0);
	uc_symbols_free(s);
}

static void test_symbols__data_of_an_image_is_found_from_its_code(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t eh = shell_hex(
		"readelf -SW prog | sed 's/\\[ */[/' | awk '$2 == \".eh_frame\" { print $4 }'");
	uint64_t counter = nm_addr("prog", "counter");
	struct uc_symbol sym;

	(void)state;
	/* what a recording tells: the executable segment, at offset 0x1000 */
	uc_symbols_map(s, NOBODY, AT + 0x1000, 0x1000, 0x1000, in_dir("prog"), NULL, 0);
	uc_symbols_map(s, NOBODY, AT + 0x100000, 0x1000, 0, "//anon", NULL, 0);
	uc_symbols_user(s, NOBODY, AT + eh, false, &sym);
	assert_null(sym.dso);
	uc_symbols_data(s, NOBODY, AT + eh + 4, &sym);
	assert_non_null(sym.dso);
	assert_string_equal(sym.dso, in_dir("prog"));
	assert_int_equal(sym.dso_addr, eh + 4);
	assert_null(sym.name);
	uc_symbols_data(s, NOBODY, AT + counter, &sym);
	assert_int_equal(sym.dso_addr, counter);
	uc_symbols_data(s, NOBODY, AT + 0x80000, &sym);
	assert_null(sym.dso);
	uc_symbols_free(s);
}

/* Every sized function of this very program, in the memory it is loaded to. */
static void test_symbols__equals_nm_for_this_program(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t vaddr, size, bias = 0, checked = 0;
	char command[64], name[256], type;
	struct uc_symbol sym;
	int pass;

	(void)state;
	assert_int_equal(uc_symbols_load_proc(s, (uint32_t)getpid()), 0);
	snprintf(command, sizeof(command), "nm -S /proc/%d/exe", (int)getpid());
	for (pass = 0; pass < 2; pass++) {
		FILE *p = popen(command, "r");
		char line[512];

		while (fgets(line, sizeof(line), p)) {
			if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %255s", &vaddr, &size, &type,
				   name) != 4 ||
			    !strchr("tT", type) || !size)
				continue;
			if (!strcmp(name, "setup") && !bias)
				bias = (uint64_t)(uintptr_t)setup - vaddr;
			if (!pass)
				continue;
			uc_symbols_user(s, (uint32_t)getpid(), bias + vaddr, false, &sym);
			assert_non_null(sym.name);
			assert_int_equal(sym.offset, 0);
			uc_symbols_user(s, (uint32_t)getpid(), bias + vaddr + size, true, &sym);
			assert_non_null(sym.name);
			assert_int_equal(sym.dso_addr, vaddr + size);
			checked++;
		}
		pclose(p);
	}
	assert_true(checked > 20);
	uc_symbols_user(s, (uint32_t)getpid(), (uint64_t)(uintptr_t)setup + 1, false, &sym);
	assert_string_equal(sym.name, "setup");
	uc_symbols_free(s);
}

static void test_symbols__equals_the_dynamic_linker(void **state)
{
	static const char *const names[] = { "qsort", "printf", "getaddrinfo", "pthread_create",
					     "fopen" };
	struct uc_symbols *s = new_symbols();
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	struct uc_symbol sym;
	Dl_info info;
	size_t i;

	(void)state;
	assert_non_null(libc);
	assert_int_equal(uc_symbols_load_proc(s, (uint32_t)getpid()), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *addr = dlsym(libc, names[i]);

		assert_non_null(addr);
		uc_symbols_user(s, (uint32_t)getpid(), (uint64_t)(uintptr_t)addr, false, &sym);
		assert_non_null(sym.name);
		assert_int_equal(sym.offset, 0);
		assert_true(dladdr(addr, &info));
		assert_int_equal(sym.dso_addr, (uintptr_t)addr - (uintptr_t)info.dli_fbase);
		/* an alias may be better known (_IO_printf), but is at the same place */
		if (strcmp(sym.name, names[i]) && dlsym(libc, sym.name))
			assert_ptr_equal(dlsym(libc, sym.name), addr);
	}
	dlclose(libc);
	uc_symbols_free(s);
}

static void test_symbols__names_the_vdso(void **state)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *addr = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	struct uc_symbols *s = new_symbols();
	struct uc_symbol sym;

	(void)state;
	if (!addr) {
		uc_symbols_free(s);
		print_message("no vdso here\n");
		skip();
	}
	assert_int_equal(uc_symbols_load_proc(s, (uint32_t)getpid()), 0);
	uc_symbols_user(s, (uint32_t)getpid(), (uint64_t)(uintptr_t)addr + 1, false, &sym);
	assert_string_equal(sym.dso, "[vdso]");
	assert_non_null(sym.name);
	assert_non_null(strstr(sym.name, "clock_gettime"));
	assert_int_equal(sym.offset, 1);
	/* that of a 32-bit process is another one */
	uc_symbols_map(s, NOBODY, 0xf7f00000, 0x4000, 0, "[vdso]", NULL, 0);
	assert_null(look_up(s, 0xf7f00000 + 0x800).name);
	dlclose(vdso);
	uc_symbols_free(s);
	/* and that of another kernel, too */
	s = new_symbols();
	uc_symbols_kernel(s, 0, "0.0.0-none");
	uc_symbols_load_proc(s, (uint32_t)getpid());
	uc_symbols_user(s, (uint32_t)getpid(), (uint64_t)(uintptr_t)addr + 1, false, &sym);
	assert_null(sym.name);
	uc_symbols_free(s);
}

/* A process whose file has no name that we could open, and one in a chroot. */
static void test_symbols__finds_files_of_live_processes(void **state)
{
	struct uc_symbols *s = new_symbols();
	struct uc_symbol sym;
	uint64_t addr;
	pid_t pid;
	int ready[2], i;
	char byte;

	(void)state;
	if (geteuid()) {
		uc_symbols_free(s);
		print_message("needs root\n");
		skip();
	}
	write_text("nap.c", "#include <unistd.h>\nvoid nap(void) { write(1, \"\", 1); pause(); }\n"
			    "int main(void) { nap(); }\n");
	assert_int_equal(shell("mkdir jail && cc -w -O1 -static -o jail/nap nap.c && "
			       "cc -w -O1 -static -o nap nap.c"),
			 0);
	addr = nm_addr("nap", "nap");
	for (i = 0; i < 2; i++) {
		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (!pid) {
			dup2(ready[1], 1);
			if (i && chroot(in_dir("jail")))
				_exit(1);
			execl(i ? "/nap" : in_dir("nap"), "nap", NULL);
			_exit(1);
		}
		assert_int_equal(read(ready[0], &byte, 1), 1);
		if (!i)
			unlink(in_dir("nap"));
		assert_int_equal(uc_symbols_load_proc(s, (uint32_t)pid), 0);
		uc_symbols_user(s, (uint32_t)pid, addr + 1, false, &sym);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(ready[0]);
		close(ready[1]);
		assert_non_null(sym.name);
		assert_string_equal(sym.name, "nap");
	}
	uc_symbols_free(s);
}

static uint64_t handler_return;

static void handler(int sig)
{
	(void)sig;
	handler_return = (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static void test_symbols__knows_the_signal_trampoline(void **state)
{
	struct uc_symbols *s = new_symbols();
	struct uc_symbol sym;

	(void)state;
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	assert_int_equal(uc_symbols_load_proc(s, (uint32_t)getpid()), 0);
	uc_symbols_user(s, (uint32_t)getpid(), handler_return, true, &sym);
	assert_true(sym.trampoline);
	uc_symbols_user(s, (uint32_t)getpid(), (uint64_t)(uintptr_t)&qsort, true, &sym);
	assert_false(sym.trampoline);
	uc_symbols_free(s);
}

/* ---- the kernel ---- */

static uint64_t kernel_addr(const char *name)
{
	return shell_hex("{ awk '$3 == \"%s\" { print $1 }' /proc/kallsyms; echo 0; } | head -n 1",
			 name);
}

static void test_symbols__names_the_kernel(void **state)
{
	struct uc_symbols *s = new_symbols();
	uint64_t addr = kernel_addr("vfs_read"), text = kernel_addr("_text");
	struct uc_symbol sym;
	struct utsname uts;

	(void)state;
	if (!addr || !text) {
		uc_symbols_free(s);
		print_message("kernel addresses are hidden\n");
		skip();
	}
	uname(&uts);
	uc_symbols_kernel(s, text - 0x200000, uts.release);
	uc_symbols_kernel_lookup(s, addr - 0x200000 + 5, false, &sym);
	assert_string_equal(sym.name, "vfs_read");
	assert_int_equal(sym.offset, 5);
	assert_string_equal(sym.dso, "[kernel.kallsyms]");
	uc_symbols_kernel_lookup(s, 0x1000, false, &sym);
	assert_null(sym.name);
	uc_symbols_free(s);

	s = new_symbols();
	uc_symbols_kernel(s, 0, "0.0.0-none");
	uc_symbols_kernel_lookup(s, addr, false, &sym);
	assert_null(sym.name);
	assert_string_equal(sym.dso, "[kernel.kallsyms]");
	uc_symbols_kernel_lookup(s, addr, false, &sym);
	assert_int_equal(warnings, 1);
	uc_symbols_free(s);
}

static void test_kallsyms__functions_end_where_the_next_symbol_starts(void **state)
{
	struct uc_kallsyms *k;
	struct uc_kallsyms_symbol sym;

	(void)state;
	write_text("kallsyms", "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t one\n"
			       "ffffffff81000100 T __pi_one\n"
			       "ffffffff81000200 W weak_two\n"
			       "ffffffff81000200 T two\n"
			       "ffffffff81000280 D datum\n"
			       "ffffffff81000300 t last\n"
			       "ffffffff81000380 T _etext\n"
			       "0000000000000010 A offset\n"
			       "ffffffffa0000000 t in_module\t[mod_a]\n"
			       "ffffffffa0100000 t in_other\t[mod_b]\n"
			       "garbage\n\n");
	assert_int_equal(uc_kallsyms_read(in_dir("kallsyms"), &k), 0);
	assert_int_equal(uc_kallsyms_text(k), 0xffffffff81000000);
	assert_true(uc_kallsyms_find(k, 0xffffffff810001ff, &sym));
	assert_string_equal(sym.name, "one");
	assert_true(uc_kallsyms_find(k, 0xffffffff8100027f, &sym));
	assert_string_equal(sym.name, "two");
	assert_false(uc_kallsyms_find(k, 0xffffffff81000280, &sym));
	assert_true(uc_kallsyms_find(k, 0xffffffff8100037f, &sym));
	assert_string_equal(sym.name, "last");
	assert_false(uc_kallsyms_find(k, 0xffffffff81010000, &sym));
	assert_true(uc_kallsyms_find(k, 0xffffffffa0000010, &sym));
	assert_string_equal(sym.module, "[mod_a]");
	assert_false(uc_kallsyms_find(k, 0xffffffffa0080000, &sym));
	assert_false(uc_kallsyms_find(k, 0x10, &sym));
	uc_kallsyms_free(k);
}

static void test_kallsyms__says_that_addresses_are_hidden(void **state)
{
	struct uc_kallsyms *k;

	(void)state;
	write_text("kallsyms", "0000000000000000 T _text\n0000000000000000 T vfs_read\n");
	assert_int_equal(uc_kallsyms_read(in_dir("kallsyms"), &k), -EPERM);
	write_text("kallsyms", "");
	assert_int_equal(uc_kallsyms_read(in_dir("kallsyms"), &k), -ENODATA);
	assert_int_equal(uc_kallsyms_read(in_dir("none"), &k), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols__names_functions_as_nm_does),
		cmocka_unit_test(test_symbols__stripped_program_has_start_and_function_ranges),
		cmocka_unit_test(test_symbols__sizeless_label_reaches_to_the_next_in_its_section),
		cmocka_unit_test(test_symbols__segments_have_their_own_bias),
		cmocka_unit_test(test_symbols__return_address_belongs_to_the_call),
		cmocka_unit_test(test_symbols__plt_stubs_have_their_functions_name),
		cmocka_unit_test(test_symbols__other_build_id_gives_no_names_and_one_warning),
		cmocka_unit_test(test_symbols__debug_link_and_debug_data),
		cmocka_unit_test(test_symbols__refuses_what_is_no_file),
		cmocka_unit_test(test_symbols__survives_damaged_files),
		cmocka_unit_test(test_symbols__new_mapping_splits_an_old_one),
		cmocka_unit_test(test_symbols__mappings_equal_a_model),
		cmocka_unit_test(test_symbols__fork_copies_and_exec_clears),
		cmocka_unit_test(test_symbols__data_of_an_image_is_found_from_its_code),
		cmocka_unit_test(test_symbols__equals_nm_for_this_program),
		cmocka_unit_test(test_symbols__equals_the_dynamic_linker),
		cmocka_unit_test(test_symbols__names_the_vdso),
		cmocka_unit_test(test_symbols__finds_files_of_live_processes),
		cmocka_unit_test(test_symbols__knows_the_signal_trampoline),
		cmocka_unit_test(test_symbols__names_the_kernel),
		cmocka_unit_test(test_kallsyms__functions_end_where_the_next_symbol_starts),
		cmocka_unit_test(test_kallsyms__says_that_addresses_are_hidden),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
