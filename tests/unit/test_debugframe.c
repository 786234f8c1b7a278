/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .debug_frame, checked against readelf: small programs are built in a
 * directory of their own, for several machines, and their section is packed and
 * moved to wherever tools put it. Sections that no tool makes are in
 * test_frameindex.c.
 */
#include "uc_debugframe.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FDES_MAX 256

static char dir[64];
static char root[128]; /* with debug files below usr/lib/debug */

__attribute__((format(printf, 1, 2))) static int shell(const char *fmt, ...)
{
	char command[2048], whole[2304];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(whole, sizeof(whole), "cd %s && { %s; }", dir, command);
	return system(whole);
}

static void write_text(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Enough functions for their unwind data to become smaller when compressed. */
static const char prog_c[] =
	"#define F(n) __attribute__((noinline)) int f##n(int x) \\\n"
	"	{ return x ? f##n(x - 1) * n + 1 : 0; }\n"
	"#define G(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7)\n"
	"G(1) G(2) G(3) G(4) G(5) G(6)\n"
	"int main(int argc, char **argv) { (void)argv; return f10(argc); }\n";

static const char lib_c[] = "int g(int);\n"
			    "int f(int x) { return g(x) + g(x + 1); }\n"
			    "int h(int x) { return f(x) * 3; }\n";

static const char live_c[] = "int live(int x) { return x * 2; }\n"
			     "int dead0(int x) { return x * 5; }\n"
			     "int _start(int x) { return live(x); }\n";

static const char dead_c[] = "int dead1(int x) { return x + 1; }\n"
			     "int dead2(int x) { return x + 2; }\n";

#define NO_TABLES "-g -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables"

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_debugframe.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(root, sizeof(root), "%s/root", dir);
	write_text("prog.c", prog_c);
	write_text("lib.c", lib_c);
	write_text("live.c", live_c);
	write_text("dead.c", dead_c);
	return shell("mkdir -p root/usr/bin/.debug root/usr/lib/debug/usr/bin && "
		     "cc " NO_TABLES " -Wl,--build-id=0x0123456789abcdef -o prog prog.c && "
		     "objcopy --only-keep-debug prog prog.debug && "
		     "strip -o stripped prog && "
		     "cc " NO_TABLES " -Wl,--build-id=none -o anonymous prog.c && "
		     "objcopy --only-keep-debug anonymous anonymous.debug");
}

static int teardown(void **state)
{
	(void)state;
	return shell("rm -rf %s", dir);
}

/* ---- what readelf says ---- */

static int compare(const void *a, const void *b)
{
	const struct uc_frame_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Is there a function of @file at @addr, says nm? */
static bool has_function(const char *file, uint64_t addr)
{
	return !shell("nm %s | grep -qi '^0*%llx t '", file, (unsigned long long)addr);
}

/* All FDEs of the file's .debug_frame by address; with @live, only those of
 * functions that are there. */
static size_t readelf(const char *file, bool live, struct uc_frame_range *ret)
{
	char command[512], line[512];
	bool on = false;
	size_t nr = 0;
	FILE *p;

	snprintf(command, sizeof(command),
		 "cd %s && readelf --debug-dump=frames,no-follow-links %s 2>&1", dir, file);
	p = popen(command, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		unsigned long start, end, fde;

		if (!strncmp(line, "Contents of the", 15))
			on = strstr(line, "debug_frame");
		if (!on || sscanf(line, "%lx %*x %*x FDE cie=%*x pc=%lx..%lx", &fde, &start,
				  &end) != 3)
			continue;
		if (live && !has_function(file, start))
			continue;
		assert_true(nr < FDES_MAX);
		ret[nr++] = (struct uc_frame_range){ start, end, (uint32_t)fde };
	}
	pclose(p);
	qsort(ret, nr, sizeof(*ret), compare);
	return nr;
}

static const char *in_dir(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static struct uc_debugframe *open_in(const char *file, const char *in_root)
{
	struct uc_debugframe *f = NULL;
	char err[512] = "";
	int rc = uc_debugframe_open(in_root ? file : in_dir(file), in_root, &f, err, sizeof(err));

	if (rc)
		print_error("%d: %s\n", rc, err);
	assert_int_equal(rc, 0);
	assert_string_equal(err, "");
	assert_int_equal(f->index.flaw, UNCOIL_FLAW_NONE);
	assert_int_equal(f->index.nr_flawed, 0);
	assert_int_equal(f->index.reached, f->section.size);
	return f;
}

static void assert_equal_to(const struct uc_debugframe *f, const struct uc_frame_range *want,
			    size_t nr)
{
	uint64_t fde;
	size_t i;

	assert_true(nr > 0);
	assert_int_equal(f->index.nr, nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(f->index.range[i].start, want[i].start);
		assert_int_equal(f->index.range[i].end, want[i].end);
		assert_int_equal(f->index.range[i].fde, want[i].fde);
		assert_true(uc_debugframe_find(f, want[i].start, &fde));
		assert_int_equal(fde, want[i].fde);
		assert_true(uc_debugframe_find(f, want[i].end - 1, &fde));
		assert_int_equal(fde, want[i].fde);
		if (i + 1 == nr || want[i + 1].start != want[i].end)
			assert_false(uc_debugframe_find(f, want[i].end, &fde));
	}
	assert_false(uc_debugframe_find(f, want[0].start - 1, &fde));
}

/* @file, opened as it is, has what readelf finds in @holder. */
static struct uc_debugframe *check(const char *file, const char *in_root, const char *holder,
				   enum uc_debugframe_origin origin)
{
	struct uc_frame_range want[FDES_MAX];
	struct uc_debugframe *f = open_in(file, in_root);

	assert_equal_to(f, want, readelf(holder, false, want));
	assert_int_equal(f->origin, origin);
	return f;
}

static int open_fails(const char *file, const char *in_root, const char *words)
{
	struct uc_debugframe *f = NULL;
	char err[512] = "";
	int rc = uc_debugframe_open(in_root ? file : in_dir(file), in_root, &f, err, sizeof(err));

	assert_true(rc < 0);
	assert_null(f);
	if (!strstr(err, words))
		print_error("%s\n", err);
	assert_non_null(strstr(err, words));
	assert_true(strstr(err, file) || strstr(err, ".debug: "));
	return rc;
}

/* ---- the file itself ---- */

static void test_debugframe__own_section(void **state)
{
	struct uc_debugframe *f = check("prog", NULL, "prog", UC_DEBUGFRAME_FILE);

	(void)state;
	assert_int_equal(f->index.nr, 49);
	assert_int_equal(f->machine, EM_X86_64);
	assert_int_equal(f->section.addr_size, 8);
	assert_false(f->section.big_endian);
	assert_int_equal(f->section.vaddr, 0);
	assert_string_equal(f->path, in_dir("prog"));
	uc_debugframe_close(f);
}

static void test_debugframe__compressed(void **state)
{
	static const struct {
		const char *how, *section;
	} forms[] = {
		{ "zlib-gabi", " .debug_frame .* C " },
		{ "zlib-gnu", " .zdebug_frame " },
		{ "zstd", " .debug_frame .* C " },
	};
	struct uc_debugframe *plain = check("prog", NULL, "prog", UC_DEBUGFRAME_FILE), *f;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(shell("objcopy --compress-debug-sections=%s prog packed && "
				       "readelf -SW packed | grep -q '%s'",
				       forms[i].how, forms[i].section),
				 0);
		f = check("packed", NULL, "prog", UC_DEBUGFRAME_FILE);
		assert_int_equal(f->section.size, plain->section.size);
		assert_memory_equal(f->section.data, plain->section.data, f->section.size);
		uc_debugframe_close(f);
	}
	uc_debugframe_close(plain);
	assert_int_equal(shell("cc " NO_TABLES " -gz=zlib -o linked prog.c && "
			       "readelf -SW linked | grep -q ' .debug_frame .* C '"),
			 0);
	uc_debugframe_close(check("linked", NULL, "linked", UC_DEBUGFRAME_FILE));
}

/* Objects of one section each, put together by a linker that does not care. */
static void test_debugframe__several_objects(void **state)
{
	(void)state;
	assert_int_equal(shell("cc " NO_TABLES " -shared -nostdlib -fPIC -o joined lib.c dead.c"), 0);
	uc_debugframe_close(check("joined", NULL, "joined", UC_DEBUGFRAME_FILE));
}

/* ---- other machines ---- */

static void check_machine(const char *build, int machine, int addr_size, bool big_endian)
{
	struct uc_debugframe *f;

	assert_int_equal(shell("rm -f lib.so; %s 2>lib.log || { cat lib.log; exit 1; }", build), 0);
	f = check("lib.so", NULL, "lib.so", UC_DEBUGFRAME_FILE);
	assert_true(f->index.nr >= 2); /* i386: one more, to get the pc */
	assert_int_equal(f->machine, machine);
	assert_int_equal(f->section.addr_size, addr_size);
	assert_int_equal(f->section.big_endian, big_endian);
	uc_debugframe_close(f);
}

#define GCC(options) "cc " NO_TABLES " " options " -fPIC -shared -nostdlib -o lib.so lib.c"
#define CLANG(target, options) \
	"`command -v clang-19 || command -v clang` --target=" target "-linux-gnu " NO_TABLES \
	" " options " -fPIC -c -o lib.o lib.c && "
#define LLD "ld.lld -shared -o lib.so lib.o"

static void test_debugframe__machines(void **state)
{
	(void)state;
	check_machine(GCC("-m32"), EM_386, 4, false);
	check_machine(GCC("-mx32"), EM_X86_64, 4, false);
	check_machine(GCC("-Wa,--gdwarf-cie-version=3"), EM_X86_64, 8, false);
	check_machine(GCC("-Wa,--gdwarf-cie-version=4"), EM_X86_64, 8, false);
	check_machine(CLANG("i386", "") LLD, EM_386, 4, false);
	check_machine(CLANG("aarch64", "") LLD, EM_AARCH64, 8, false);
	check_machine(CLANG("powerpc64", "") LLD, EM_PPC64, 8, true);
	check_machine(CLANG("powerpc", "") LLD, EM_PPC, 4, true);
	check_machine(CLANG("mips", "") LLD, EM_MIPS, 4, true);
}

static void test_debugframe__s390x(void **state)
{
	(void)state;
	/* lld 14 cannot link for it */
	check_machine(CLANG("s390x", "") "s390x-linux-gnu-ld -shared -o lib.so lib.o", EM_S390, 8,
		      true);
}

static void test_debugframe__64_bit_dwarf(void **state)
{
	(void)state;
	check_machine(CLANG("x86_64", "-gdwarf64") LLD, EM_X86_64, 8, false);
	check_machine(CLANG("powerpc64", "-gdwarf64") LLD, EM_PPC64, 8, true);
}

/* Compression headers have the file's byte order; .zdebug's has not. */
static void test_debugframe__compressed_big_endian(void **state)
{
	static const char *const how[] = { "zlib", "zlib-gnu" };
	size_t i, j;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(shell("sed 's/int main.*//' prog.c >many.c && "
				       "`command -v clang-19 || command -v clang` "
				       "--target=s390x-linux-gnu " NO_TABLES
				       " -fPIC -c -o many.o many.c && "
				       "s390x-linux-gnu-ld -shared -o many.so many.o && "
				       "s390x-linux-gnu-objcopy --compress-debug-sections=%s many.so many.z",
				       how[i]),
				 0);
		for (j = 0; j < 2; j++)
			uc_debugframe_close(check(j ? "many.z" : "many.so", NULL, "many.so",
						  UC_DEBUGFRAME_FILE));
	}
}

/* ---- separate debug files ---- */

static void install_debug(const char *debug)
{
	assert_int_equal(shell("mkdir -p root/usr/lib/debug/.build-id/01 && "
			       "cp %s root/usr/lib/debug/.build-id/01/23456789abcdef.debug && "
			       "rm -f root/usr/bin/* root/usr/bin/.debug/*; "
			       "cp stripped root/usr/bin/prog",
			       debug),
			 0);
}

static void test_debugframe__by_build_id(void **state)
{
	struct uc_debugframe *f;

	(void)state;
	install_debug("prog.debug");
	f = check("/usr/bin/prog", root, "prog", UC_DEBUGFRAME_DEBUGFILE);
	assert_string_equal(f->path,
			    in_dir("root/usr/lib/debug/.build-id/01/23456789abcdef.debug"));
	uc_debugframe_close(f);
	assert_int_equal(shell("objcopy --compress-debug-sections=zstd prog.debug packed"), 0);
	install_debug("packed");
	uc_debugframe_close(check("/usr/bin/prog", root, "prog", UC_DEBUGFRAME_DEBUGFILE));
	/* a file of that name, with another build id */
	assert_int_equal(shell("cc " NO_TABLES " -Wl,--build-id=0x77 -o other prog.c"), 0);
	install_debug("other");
	assert_int_equal(open_fails("/usr/bin/prog", root, "no .debug_frame"), -ENOENT);
	/* with its build id, yet of another machine */
	assert_int_equal(shell("cc -m32 -shared -nostdlib " NO_TABLES
			       " -Wl,--build-id=0x0123456789abcdef -o other lib.c 2>other.log"),
			 0);
	install_debug("other");
	assert_int_equal(open_fails("/usr/bin/prog", root, "not of this program"), -EBADMSG);
	/* nothing there */
	assert_int_equal(shell("rm -r root/usr/lib/debug/.build-id"), 0);
	assert_int_equal(open_fails("/usr/bin/prog", root, "no .debug_frame"), -ENOENT);
}

/* A link that leads out of the root for us, but not for the process. */
static void test_debugframe__root_is_a_root(void **state)
{
	(void)state;
	install_debug("prog.debug");
	assert_int_equal(shell("mv root/usr/lib/debug root/debug && "
			       "ln -s /debug root/usr/lib/debug && ln -s /usr/bin/prog root/link"),
			 0);
	uc_debugframe_close(check("/link", root, "prog", UC_DEBUGFRAME_DEBUGFILE));
	assert_int_equal(shell("rm root/link root/usr/lib/debug && mv root/debug root/usr/lib && "
			       "rm -r root/usr/lib/debug/.build-id"),
			 0);
}

static void test_debugframe__by_debug_link(void **state)
{
	static const char *const places[] = { "usr/bin", "usr/bin/.debug",
					      "usr/lib/debug/usr/bin" };
	struct uc_debugframe *f;
	char path[256];
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(shell("cp anonymous.debug p.debug && rm -f root/usr/bin/prog && "
				       "strip -o root/usr/bin/prog anonymous && "
				       "objcopy --add-gnu-debuglink=p.debug root/usr/bin/prog && "
				       "cp p.debug root/%s/",
				       places[i]),
				 0);
		f = check("/usr/bin/prog", root, "anonymous", UC_DEBUGFRAME_DEBUGFILE);
		snprintf(path, sizeof(path), "%s/%s/p.debug", root, places[i]);
		assert_string_equal(f->path, path);
		uc_debugframe_close(f);
		/* the same with another checksum */
		assert_int_equal(shell("echo >>root/%s/p.debug", places[i]), 0);
		assert_int_equal(open_fails("/usr/bin/prog", root, "no .debug_frame"), -ENOENT);
		assert_int_equal(shell("rm root/%s/p.debug", places[i]), 0);
	}
}

static void test_debugframe__gnu_debugdata(void **state)
{
	struct uc_debugframe *f;

	(void)state;
	assert_int_equal(shell("cp prog.debug mini && xz -kf mini && "
			       "objcopy --add-section .gnu_debugdata=mini.xz stripped with-mini"),
			 0);
	f = check("with-mini", NULL, "prog", UC_DEBUGFRAME_DEBUGDATA);
	assert_string_equal(f->path, in_dir("with-mini"));
	uc_debugframe_close(f);
	/* two .xz files in a row are one file */
	assert_int_equal(shell("{ head -c 5000 mini | xz; tail -c +5001 mini | xz; } >mini.xz && "
			       "objcopy --add-section .gnu_debugdata=mini.xz stripped with-mini"),
			 0);
	uc_debugframe_close(check("with-mini", NULL, "prog", UC_DEBUGFRAME_DEBUGDATA));
	assert_int_equal(shell("head -c 900 mini.xz >cut.xz && "
			       "objcopy --add-section .gnu_debugdata=cut.xz stripped with-cut"),
			 0);
	assert_int_equal(open_fails("with-cut", NULL, "compressed data is malformed"), -EBADMSG);
	assert_int_equal(shell("head -c 300M /dev/zero | xz -0 >bomb.xz && "
			       "objcopy --add-section .gnu_debugdata=bomb.xz stripped with-bomb"),
			 0);
	assert_int_equal(open_fails("with-bomb", NULL, "larger than 256 MiB"), -EFBIG);
	assert_int_equal(shell("echo text | xz >text.xz && "
			       "objcopy --add-section .gnu_debugdata=text.xz stripped with-text"),
			 0);
	assert_int_equal(open_fails("with-text", NULL, "not of this program"), -EBADMSG);
}

/* ---- what the linker discarded ---- */

/* dead.c is one section with two functions, live.c a section for each. */
static void test_debugframe__discarded_functions(void **state)
{
	static const char *const linkers[] = { "bfd", "gold", "lld" };
	struct uc_frame_range want[FDES_MAX];
	struct uc_debugframe *f;
	size_t i;

	(void)state;
	assert_int_equal(shell("cc " NO_TABLES " -O0 -fPIC -fvisibility=hidden -c dead.c"), 0);
	for (i = 0; i < 3; i++) {
		if (shell("command -v ld.%s >ld.log", linkers[i]))
			continue; /* gold is no longer everywhere */
		assert_int_equal(
			shell("cc " NO_TABLES " -O0 -fPIC -fvisibility=hidden -shared -nostdlib "
			      "-ffunction-sections -Wl,--gc-sections,-e,_start,-u,_start "
			      "-fuse-ld=%s -o gc live.c dead.o",
			      linkers[i]),
			0);
		assert_true(readelf("gc", false, want) > 2);
		f = open_in("gc", NULL);
		assert_equal_to(f, want, readelf("gc", true, want));
		assert_int_equal(f->index.nr, 2);
		assert_true(f->index.nr_unused > 0);
		uc_debugframe_close(f);
	}
}

/* ---- refusals ---- */

static void test_debugframe__refuses_other_files(void **state)
{
	struct uc_debugframe *f = NULL;
	char err[512];

	(void)state;
	assert_int_equal(shell("cc " NO_TABLES " -c lib.c && mkfifo fifo && : >empty && "
			       "ar rc archive lib.o && head -c 40 prog >short"),
			 0);
	assert_int_equal(open_fails("lib.o", NULL, "relocatable"), -ENOTSUP);
	assert_int_equal(open_fails("lib.c", NULL, "not an ELF file"), -ENOEXEC);
	assert_int_equal(open_fails("archive", NULL, "not an ELF file"), -ENOEXEC);
	assert_int_equal(open_fails("short", NULL, "not an ELF file"), -ENOEXEC);
	assert_int_equal(open_fails("fifo", NULL, "not a regular file"), -ENOEXEC);
	assert_int_equal(open_fails("empty", NULL, "not a regular file"), -ENOEXEC);
	assert_int_equal(open_fails("absent", NULL, "No such file"), -ENOENT);
	assert_int_equal(open_fails("stripped", NULL, "no .debug_frame"), -ENOENT);
	assert_int_equal(uc_debugframe_open("/etc/passwd", "/nowhere", &f, err, sizeof(err)),
			 -ENOENT);
	uc_debugframe_close(NULL);
}

/* Change bytes of `packed`, @at from the start of its section. */
static void patch_packed(const char *section, long at, const void *bytes, size_t len)
{
	char command[512];
	unsigned long offset;
	FILE *p, *f;

	snprintf(command, sizeof(command),
		 "cd %s && readelf -SW packed | sed 's/.*] *//' | awk '$1 == \"%s\" { print $4 }'",
		 dir, section);
	p = popen(command, "r");
	assert_non_null(p);
	assert_int_equal(fscanf(p, "%lx", &offset), 1);
	pclose(p);
	f = fopen(in_dir("packed"), "r+");
	assert_non_null(f);
	assert_int_equal(fseek(f, (long)offset + at, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int open_patched(const char *how, long at, uint64_t value, size_t len, const char *words)
{
	const char *section = strcmp(how, "zlib-gnu") ? ".debug_frame" : ".zdebug_frame";

	assert_int_equal(shell("objcopy --compress-debug-sections=%s prog packed", how), 0);
	patch_packed(section, at, &value, len);
	return open_fails("packed", NULL, words);
}

/* Elf64_Chdr: type at 0, size at 8; then the data, at 24. */
static void test_debugframe__refuses_hostile_compression(void **state)
{
	static const char *const forms[] = { "zlib", "zstd" };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const char *how = forms[i];

		assert_int_equal(open_patched(how, 0, 3, 4, "unknown way"), -ENOTSUP);
		assert_int_equal(open_patched(how, 0, 0, 4, "unknown way"), -ENOTSUP);
		assert_int_equal(open_patched(how, 8, 1ull << 62, 8, "larger"), -EFBIG);
		assert_int_equal(open_patched(how, 8, (256u << 20) + 1, 8, "larger"), -EFBIG);
		assert_int_equal(open_patched(how, 8, 256u << 20, 8, "malformed"), -EBADMSG);
		assert_int_equal(open_patched(how, 8, 16, 8, "malformed"), -EBADMSG);
		assert_int_equal(open_patched(how, 8, 0, 8, "malformed"), -EBADMSG);
		/* zstd's have no checksum, but a magic number */
		assert_int_equal(open_patched(how, i ? 24 : 60, ~0ull, 8, "malformed"), -EBADMSG);
	}
	assert_int_equal(open_patched("zlib-gnu", 0, 0, 4, "malformed"), -EBADMSG);
	/* the size is big endian: 2^62, then 1 */
	assert_int_equal(open_patched("zlib-gnu", 4, 0x40, 8, "larger"), -EFBIG);
	assert_int_equal(open_patched("zlib-gnu", 4, 1ull << 56, 8, "malformed"), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debugframe__own_section),
		cmocka_unit_test(test_debugframe__compressed),
		cmocka_unit_test(test_debugframe__several_objects),
		cmocka_unit_test(test_debugframe__machines),
		cmocka_unit_test(test_debugframe__s390x),
		cmocka_unit_test(test_debugframe__64_bit_dwarf),
		cmocka_unit_test(test_debugframe__compressed_big_endian),
		cmocka_unit_test(test_debugframe__by_build_id),
		cmocka_unit_test(test_debugframe__root_is_a_root),
		cmocka_unit_test(test_debugframe__by_debug_link),
		cmocka_unit_test(test_debugframe__gnu_debugdata),
		cmocka_unit_test(test_debugframe__discarded_functions),
		cmocka_unit_test(test_debugframe__refuses_other_files),
		cmocka_unit_test(test_debugframe__refuses_hostile_compression),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
