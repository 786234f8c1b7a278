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
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <unistd.h>
#include <zlib.h>

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

static int reopen_regular(int look)
{
	char self[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	int fd;

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

int uc_open_regular(const char *path)
{
	return reopen_regular(open(path, O_PATH | O_CLOEXEC));
}

int uc_open_regular_in(const char *root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int dir, look;

	if (!root || !*root)
		return uc_open_regular(path);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	look = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (look < 0)
		look = -errno;
	close(dir);
	return look < 0 ? look : reopen_regular(look);
}

static bool crc_matches(int fd, uint32_t want)
{
	uLong crc = crc32(0, NULL, 0);
	uint8_t buf[16384];
	ssize_t got;
	off_t pos = 0;

	while ((got = pread(fd, buf, sizeof(buf), pos)) > 0) {
		crc = crc32(crc, buf, (uInt)got);
		pos += got;
	}
	return got == 0 && crc == want;
}

static bool build_id_matches(int fd, const struct uc_debuglink *link)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const void *id;
	bool same;

	same = elf && dwelf_elf_gnu_build_id(elf, &id) == (ssize_t)link->build_id_len &&
	       !memcmp(id, link->build_id, link->build_id_len);
	elf_end(elf);
	return same;
}

static int try_file(const char *root, const char *path, const struct uc_debuglink *link,
		    char **ret_path)
{
	int fd = uc_open_regular_in(root, path);
	bool same;

	if (fd < 0)
		return -1;
	same = link->build_id_len ? build_id_matches(fd, link) : crc_matches(fd, link->crc);
	if (same && asprintf(ret_path, "%s%s", root ? root : "", path) >= 0)
		return fd;
	close(fd);
	return -1;
}

static int try_build_id(const char *root, const struct uc_debuglink *link, char **ret_path)
{
	char path[sizeof(DEBUG_ROOT "/.build-id//.debug") + 2 * BUILD_ID_MAX];
	size_t i;
	int n;

	if (link->build_id_len < 2 || link->build_id_len > BUILD_ID_MAX)
		return -1;
	n = sprintf(path, DEBUG_ROOT "/.build-id/%02x/", link->build_id[0]);
	for (i = 1; i < link->build_id_len; i++)
		n += sprintf(path + n, "%02x", link->build_id[i]);
	strcpy(path + n, ".debug");
	return try_file(root, path, link, ret_path);
}

/* Of a path that starts at the working directory. */
static const char *absolute(const char *file, char buf[PATH_MAX])
{
	char dir[PATH_MAX];

	if (file[0] == '/' || !getcwd(dir, sizeof(dir)) ||
	    snprintf(buf, PATH_MAX, "%s/%s", dir, file) >= PATH_MAX)
		return file;
	return buf;
}

/* The places where gdb looks, too. */
static int try_debuglink(const char *root, const char *file, const struct uc_debuglink *link,
			 char **ret_path)
{
	static const char *const places[][2] = {
		{ "", "" }, { "", "/.debug" }, { DEBUG_ROOT, "" }
	};
	char full[PATH_MAX], path[PATH_MAX];
	const char *slash;
	size_t i;
	int n, fd;

	if (!root || !*root)
		file = absolute(file, full);
	slash = strrchr(file, '/');
	if (!slash || strchr(link->name, '/'))
		return -1;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		n = snprintf(path, sizeof(path), "%s%.*s%s/%s", places[i][0], (int)(slash - file),
			     file, places[i][1], link->name);
		if (n >= (int)sizeof(path))
			continue;
		fd = try_file(root, path, link, ret_path);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

int uc_debugfile_open(const char *root, const char *file, const struct uc_debuglink *link,
		      char **ret_path)
{
	int fd = try_build_id(root, link, ret_path);

	if (fd < 0 && file && link->name)
		fd = try_debuglink(root, file, link, ret_path);
	return fd;
}

int uc_debugfile_find(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
		      const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
		      char **debuginfo_file_name)
{
	struct uc_debuglink link = { .name = debuglink_file, .crc = debuglink_crc };
	GElf_Addr vaddr;
	int len;

	(void)userdata;
	(void)modname;
	(void)base;
	len = dwfl_module_build_id(mod, &link.build_id, &vaddr);
	if (len > 0)
		link.build_id_len = (size_t)len;
	return uc_debugfile_open(NULL, file_name, &link, debuginfo_file_name);
}
