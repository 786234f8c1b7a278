/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Core files as gdb and the kernel write them, of a child of this test: it has
 * the same memory, and registers that were set for it.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uc_corefile.h"

static char dir[64];
static char pattern[4096];

/* All registers but the stack pointer are 0x1100 + their DWARF number; then the
 * child dies, or spins. Both are at an address that has a name. */
__attribute__((noinline, noreturn)) static void set_registers(int spin)
{
	__asm__ volatile("mov %0, %%ecx\n"
			 "mov $0x1103, %%ebx\n"
			 "mov $0x1104, %%esi\n"
			 "mov $0x1105, %%edi\n"
			 "mov $0x1108, %%r8d\n"
			 "mov $0x1109, %%r9d\n"
			 "mov $0x110a, %%r10d\n"
			 "mov $0x110b, %%r11d\n"
			 "mov $0x110c, %%r12d\n"
			 "mov $0x110d, %%r13d\n"
			 "mov $0x110e, %%r14d\n"
			 "mov $0x110f, %%r15d\n"
			 "mov $0x1100, %%eax\n"
			 "mov $0x1101, %%edx\n"
			 "mov $0x1106, %%ebp\n"
			 "test %%ecx, %%ecx\n"
			 "mov $0x1102, %%ecx\n"
			 "jz 2f\n"
			 ".globl child_spins, child_dies\n"
			 "child_spins: jmp child_spins\n"
			 "2:\n"
			 "child_dies: ud2\n"
			 :
			 : "r"(spin)
			 : "memory");
	__builtin_unreachable();
}
extern const char child_spins[], child_dies[];

static pid_t start(int spin)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct rlimit most = { RLIM_INFINITY, RLIM_INFINITY };

		signal(SIGILL, SIG_DFL);
		alarm(60);
		if (chdir(dir) || setrlimit(RLIMIT_CORE, &most))
			_exit(1);
		set_registers(spin);
	}
	return pid;
}

/* Until it has had the CPU for two ticks: it does not take long to get there. */
static void wait_spinning(pid_t pid)
{
	char name[64];
	unsigned long ticks = 0;
	int tries;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	for (tries = 0; tries < 1000 && ticks < 2; tries++) {
		FILE *f = fopen(name, "r");

		usleep(10000);
		assert_non_null(f);
		assert_int_equal(fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu",
					&ticks),
				 1);
		fclose(f);
	}
	assert_true(ticks >= 2);
}

static struct uc_walk w;

static void expect_registers(struct uc_corefile *c, const char *pc)
{
	u32 i;

	assert_int_equal(uc_corefile_nr_threads(c), 1);
	assert_int_equal(uc_corefile_regs(c, 0, &w), 0);
	assert_int_equal(w.abi.id, UC_ABI_X86_64);
	assert_int_equal(w.regs.pc, (uintptr_t)pc);
	assert_int_equal(w.regs.known, 0xffff);
	for (i = 0; i < 16; i++)
		if (i != 7)
			assert_int_equal(w.regs.r[i], 0x1100 + i);
}

/* The child's memory is ours, from when it was started. */
static void expect_same(struct uc_corefile *c, const void *at, u32 len)
{
	const struct uc_memory *m = uc_corefile_memory(c);
	u8 bytes[4096];

	assert_true(len <= sizeof(bytes));
	assert_int_equal(m->read(m->arg, (uintptr_t)at, bytes, len), 0);
	assert_memory_equal(bytes, at, len);
}

/* Field 28 of /proc/self/stat: the initial stack pointer (proc_pid_stat(5)). */
static u64 our_entry_sp(void)
{
	char text[2048], *at;
	FILE *f = fopen("/proc/self/stat", "r");
	size_t n;
	int field;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	at = strrchr(text, ')');
	for (field = 2; field < 28; field++)
		at = strchr(at + 1, ' ');
	return strtoull(at, NULL, 10);
}

static void expect_space(struct uc_corefile *c)
{
	const struct uc_memory *m = uc_corefile_memory(c);
	enum uc_corefile_status status;
	struct uc_map map;
	size_t i;
	u64 v;

	expect_same(c, pattern, sizeof(pattern));
	expect_same(c, (const void *)((uintptr_t)set_registers & ~4095ul), 4096);
	expect_same(c, (const void *)((uintptr_t)qsort & ~4095ul), 4096);
	expect_same(c, (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR), 4096);
	assert_int_equal(m->map(m->arg, (uintptr_t)qsort, &map), 0);
	assert_int_equal(map.flags, UC_MAP_EXEC | UC_MAP_FILE);
	assert_int_equal(m->map(m->arg, (uintptr_t)pattern, &map), 0);
	assert_false(map.flags & UC_MAP_EXEC);
	assert_int_equal(m->map(m->arg, getauxval(AT_SYSINFO_EHDR), &map), 0);
	assert_int_equal(map.flags, UC_MAP_EXEC | UC_MAP_VDSO);
	assert_true(uc_corefile_auxv(c, AT_ENTRY, &v));
	assert_int_equal(v, getauxval(AT_ENTRY));
	assert_int_equal(uc_corefile_entry_sp(c), our_entry_sp());
	for (i = 0; i < uc_corefile_nr_files(c); i++) {
		uc_corefile_file(c, i, &status);
		assert_true(status == UC_COREFILE_UNUSED || status == UC_COREFILE_SAME);
	}
}

/* The core in dir, whose name is the system's setting. NULL: there is none. */
static struct uc_corefile *open_core(void)
{
	struct uc_corefile *c = NULL;
	char command[256], name[256] = "", err[256] = "";
	FILE *f;

	snprintf(command, sizeof(command), "ls -d %s/*", dir);
	f = popen(command, "r");
	assert_non_null(f);
	if (!fgets(name, sizeof(name), f))
		name[0] = 0;
	pclose(f);
	name[strcspn(name, "\n")] = 0;
	if (name[0] && uc_corefile_open(name, NULL, &c, err, sizeof(err)))
		fail_msg("%s: %s", name, err);
	unlink(name);
	return c;
}

static void test_corelive__of_gdb(void **state)
{
	struct uc_corefile *c;
	pid_t pid = start(1);
	char command[512];

	(void)state;
	wait_spinning(pid);
	snprintf(command, sizeof(command),
		 "gdb -nx -q -batch -p %d -ex 'set debuginfod enabled off' -ex "
		 "'generate-core-file %s/core' >/dev/null 2>&1",
		 pid, dir);
	assert_int_equal(system(command), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	c = open_core();
	assert_non_null(c);
	assert_int_equal(uc_corefile_tid(c, 0), pid);
	expect_registers(c, child_spins);
	expect_space(c);
	uc_corefile_close(c);
}

static void test_corelive__of_the_kernel(void **state)
{
	struct uc_corefile *c;
	pid_t pid = start(0);
	int status;

	(void)state;
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL);
	c = open_core();
	if (!c)
		skip(); /* /proc/sys/kernel/core_pattern leads elsewhere */
	assert_int_equal(uc_corefile_tid(c, 0), pid);
	expect_registers(c, child_dies);
	expect_space(c);
	uc_corefile_close(c);
}

static int setup(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pattern); i++)
		pattern[i] = (char)(i * 7 + i / 256);
	strcpy(dir, "/tmp/test_corelive.XXXXXX");
	assert_non_null(mkdtemp(dir));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corelive__of_gdb),
		cmocka_unit_test(test_corelive__of_the_kernel),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
