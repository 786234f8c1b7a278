/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_debugfile.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"
#define BUILD_ID_MAX 64 /* bytes; the longest known has 20 */

/* Files of /proc say that they are regular, too, and act when they are read. */
static bool is_plain_file(int fd)
{
	struct statfs fs;
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size && !fstatfs(fd, &fs) &&
	       fs.f_type != PROC_SUPER_MAGIC;
}

int uc_open_regular(const char *path)
{
	char self[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	int look, fd;

	look = open(path, O_PATH | O_CLOEXEC);
	if (look < 0)
		return -errno;
	if (!is_plain_file(look)) {
		close(look);
		return -ENOEXEC;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", look);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	close(look);
	return fd;
}

struct wanted {
	const unsigned char *build_id;
	int build_id_len; /* 0: compare the checksum */
	GElf_Word crc;
};

/* The CRC-32 of .gnu_debuglink; bit by bit, for it is rarely needed. */
static bool crc_matches(int fd, uint32_t want)
{
	uint32_t crc = 0xffffffff;
	uint8_t buf[16384];
	ssize_t got, i;
	off_t pos = 0;
	int bit;

	while ((got = pread(fd, buf, sizeof(buf), pos)) > 0) {
		for (i = 0; i < got; i++) {
			crc ^= buf[i];
			for (bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		}
		pos += got;
	}
	return got == 0 && ~crc == want;
}

static bool build_id_matches(int fd, const struct wanted *want)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const void *id;
	bool same;

	same = elf && dwelf_elf_gnu_build_id(elf, &id) == want->build_id_len &&
	       !memcmp(id, want->build_id, (size_t)want->build_id_len);
	elf_end(elf);
	return same;
}

static int try_file(const char *path, const struct wanted *want, char **ret_path)
{
	int fd = uc_open_regular(path);
	bool same;

	if (fd < 0)
		return -1;
	same = want->build_id_len ? build_id_matches(fd, want) : crc_matches(fd, want->crc);
	if (same)
		*ret_path = strdup(path);
	if (same && *ret_path)
		return fd;
	close(fd);
	return -1;
}

static int try_build_id(const struct wanted *want, char **ret_path)
{
	char path[sizeof(DEBUG_ROOT "/.build-id//.debug") + 2 * BUILD_ID_MAX];
	int i, n;

	if (want->build_id_len < 2 || want->build_id_len > BUILD_ID_MAX)
		return -1;
	n = sprintf(path, DEBUG_ROOT "/.build-id/%02x/", want->build_id[0]);
	for (i = 1; i < want->build_id_len; i++)
		n += sprintf(path + n, "%02x", want->build_id[i]);
	strcpy(path + n, ".debug");
	return try_file(path, want, ret_path);
}

/* The places where gdb looks, too. */
static int try_debuglink(const char *file, const char *link, const struct wanted *want,
			 char **ret_path)
{
	static const char *const places[][2] = {
		{ "", "" }, { "", "/.debug" }, { DEBUG_ROOT, "" }
	};
	const char *slash = strrchr(file, '/');
	char path[PATH_MAX];
	size_t i;
	int n, fd;

	if (!slash || strchr(link, '/'))
		return -1;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		n = snprintf(path, sizeof(path), "%s%.*s%s/%s", places[i][0], (int)(slash - file),
			     file, places[i][1], link);
		if (n >= (int)sizeof(path))
			continue;
		fd = try_file(path, want, ret_path);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

int uc_debugfile_find(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
		      const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
		      char **debuginfo_file_name)
{
	struct wanted want = { .crc = debuglink_crc };
	GElf_Addr vaddr;
	int fd;

	(void)userdata;
	(void)modname;
	(void)base;
	want.build_id_len = dwfl_module_build_id(mod, &want.build_id, &vaddr);
	if (want.build_id_len < 0)
		want.build_id_len = 0;
	fd = try_build_id(&want, debuginfo_file_name);
	if (fd < 0 && file_name && debuglink_file)
		fd = try_debuglink(file_name, debuglink_file, &want, debuginfo_file_name);
	return fd;
}
