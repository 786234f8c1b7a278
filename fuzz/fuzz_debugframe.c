/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .debug_frame of foreign files. An input is
 *
 *	what follows			1 byte: 0 a file; else a section, with
 *					FUZZ_BIG and FUZZ_32
 *	start and end of code		8 each, of a section only
 *	the file or section
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif
#include "uc_debugframe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_BIG 2
#define FUZZ_32 4

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct uc_frameindex *x, size_t size)
{
	uint64_t fde;
	size_t i;

	require(x->reached <= size);
	require(!x->nr_flawed == !x->flaw && x->flaw < UNCOIL_FLAW_COUNT);
	require(!x->nr_flawed || x->flaw_offset < size);
	for (i = 0; i < x->nr; i++) {
		const struct uc_frame_range *r = &x->range[i];

		require(r->start < r->end && r->fde < size);
		require(!i || x->range[i - 1].end <= r->start);
		require(uc_frameindex_find(x, r->start, &fde) && fde == r->fde);
		require(uc_frameindex_find(x, r->end - 1, &fde) && fde == r->fde);
	}
}

static void run_section(const uint8_t *data, size_t size)
{
	struct uc_frame_section s = {
		.data = data + 17,
		.size = size - 17,
		.addr_size = data[0] & FUZZ_32 ? 4 : 8,
		.big_endian = data[0] & FUZZ_BIG,
	};
	struct uc_code_range code;
	struct uc_frameindex x;

	memcpy(&code.start, data + 1, 8);
	memcpy(&code.end, data + 9, 8);
	require(!uc_frameindex_build(&s, &code, 1, &x));
	check(&x, s.size);
	require(!x.nr || (x.range[0].start >= code.start && x.range[x.nr - 1].end <= code.end));
	uc_frameindex_fini(&x);
}

static void run_file(const uint8_t *data, size_t size)
{
	struct uc_debugframe *f = NULL;
	static int fd = -1;
	char err[256] = "";
	char path[64];
	int rc;

	if (fd < 0)
		fd = memfd_create("fuzz_debugframe", MFD_CLOEXEC);
	require(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = uc_debugframe_open(path, NULL, &f, err, sizeof(err));
	require(rc <= 0 && !rc == !err[0] && !rc == !!f);
	if (rc)
		return;
	require(f->path && f->section.size && f->section.size <= UC_DEBUGFRAME_MAX);
	check(&f->index, f->section.size);
	uc_debugframe_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (!data[0])
		run_file(data + 1, size - 1);
	else if (size >= 17)
		run_section(data, size);
	return 0;
}
