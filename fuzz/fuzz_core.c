/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Foreign core files: open, read memory where it begins and ends, and walk each
 * thread. The reader takes paths, so the input goes through a memfd, which has
 * a number that the core can name, too: as the file "/100" that was mapped.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif
#include "uc_corefile.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS_MAX 16
#define STEPS_MAX 256
#define FD 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Mappings are ranges that do not overlap, and begin where one says. */
static void check_map(const struct uc_memory *m, u64 addr)
{
	struct uc_map map, again, elf;
	u8 bytes[64];

	if (m->map(m->arg, addr, &map))
		return;
	require(map.start <= addr && addr < map.end);
	require(!(map.flags & ~(UC_MAP_EXEC | UC_MAP_FILE | UC_MAP_VDSO)));
	require(!(map.flags & UC_MAP_FILE) == !map.id[0]);
	require(!m->map(m->arg, map.start, &again) && again.start == map.start);
	require(!m->map(m->arg, map.end - 1, &again) && again.end == map.end);
	if (!m->elf(m->arg, &map, &elf))
		require((map.flags & UC_MAP_VDSO) || (!elf.off && elf.id[0] == map.id[0]));
	m->read(m->arg, map.start, bytes, sizeof(bytes));
	m->read(m->arg, map.end - 8, bytes, sizeof(bytes));
}

static void walk(struct uc_corefile *c, size_t thread)
{
	static struct uc_walk w;
	u32 i;
	int rc;

	memset(&w, 0xa5, sizeof(w));
	rc = uc_corefile_regs(c, thread, &w);
	if (rc)
		return;
	w.port.mem = uc_corefile_memory(c);
	w.entry_sp = uc_corefile_entry_sp(c);
	check_map(w.port.mem, w.regs.pc);
	check_map(w.port.mem, w.regs.r[w.abi.sp & UC_REG_MASK]);
	rc = uc_walk_begin(&w);
	for (i = 0; !rc && i < STEPS_MAX; i++) {
		rc = uc_walk_step(&w);
		while (rc == UC_FAULT) {
			rc = uc_walk_page_is_bad(&w);
			if (!rc)
				rc = uc_walk_step(&w);
		}
	}
	require(rc >= 0 && rc < UNCOIL_STOP_COUNT);
}

static void check(struct uc_corefile *c)
{
	size_t i, nr = uc_corefile_nr_threads(c);
	enum uc_corefile_status status;
	u64 v;

	require(nr >= 1);
	check_map(uc_corefile_memory(c), 0x501800); /* the seeds' file */
	for (i = 0; i < nr && i < THREADS_MAX; i++)
		walk(c, i);
	if (uc_corefile_auxv(c, AT_SYSINFO_EHDR, &v))
		check_map(uc_corefile_memory(c), v);
	for (i = 0; i < uc_corefile_nr_files(c); i++)
		require(strlen(uc_corefile_file(c, i, &status)) < 8192 && status <= UC_COREFILE_MISSING);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct uc_corefile *c = NULL;
	char path[64], err[256] = "";
	int fd = memfd_create("core", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size && dup2(fd, FD) == FD);
	close(fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", FD);
	if (uc_corefile_open(path, "/proc/self/fd", &c, err, sizeof(err))) {
		require(!c && err[0]);
	} else {
		check(c);
		uc_corefile_close(c);
	}
	close(FD);
	return 0;
}
