// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Foreign perf.data files: open, and deliver every record.
 *
 * The reader takes paths, so the input goes through a memfd. The seeds are
 * files that the unit test makes: UNCOIL_KEEP_FILES=DIR build/.../test_perfdata.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif
#include "uc_perfdata.h"
#include "uncoil/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct checks {
	uint64_t previous_ns;
	uint64_t sum; /* of all that an event points to, to have it read */
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static int check(const struct uc_perf_event *ev, void *arg)
{
	struct checks *c = arg;

	require(ev->header->type == ev->type);
	require(ev->time_ns >= c->previous_ns);
	c->previous_ns = ev->time_ns;
	require(ev->stop >= 0 && ev->stop < UNCOIL_STOP_COUNT);
	require(ev->flaw >= 0 && ev->flaw < UNCOIL_FLAW_COUNT);
	require(!ev->nr_user || ev->has_user);
	for (size_t i = 0; i < ev->nr_kernel; i++)
		c->sum += ev->kernel[i];
	for (size_t i = 0; i < ev->nr_user; i++)
		c->sum += ev->user[i];
	for (size_t i = 0; i < ev->header->size; i++)
		c->sum += ((const uint8_t *)ev->header)[i];
	for (size_t i = 0; i < ev->build_id_len; i++)
		c->sum += ev->build_id[i];
	if (ev->name)
		c->sum += strlen(ev->name);
	return 0;
}

__attribute__((noinline)) static uint64_t read_file(const char *path)
{
	struct checks c = { 0 };
	struct uc_perf_file *f;
	char err[256] = "";
	int ret = uc_perf_file_open(path, &f, err, sizeof(err));

	/* Whatever is refused is refused with a sentence. */
	require(ret <= 0 && !ret == !err[0]);
	if (ret)
		return 0;
	c.sum += strlen(uc_perf_file_event_name(f)) + strlen(uc_perf_file_notes(f));
	if (uc_perf_file_osrelease(f))
		c.sum += strlen(uc_perf_file_osrelease(f));
	ret = uc_perf_file_each(f, check, &c, err, sizeof(err));
	require(ret <= 0 && !ret == !err[0]);
	uc_perf_file_close(f);
	return c.sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	char path[64];

	if (fd < 0)
		fd = memfd_create("fuzz_perfdata", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_file(path);
	return 0;
}
