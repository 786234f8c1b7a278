/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include "uc_vmas.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One line, NUL-terminated: "start-end perms offset major:minor inode path". */
static bool parse_line(const char *line, struct uc_map *ret)
{
	unsigned long long start, end, off, inode;
	unsigned int major, minor;
	char perms[8];
	int name = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, perms, &off, &major,
		   &minor, &inode, &name) < 7 ||
	    start >= end)
		return false;
	memset(ret, 0, sizeof(*ret));
	ret->start = start;
	ret->end = end;
	ret->off = off;
	if (strchr(perms, 'x'))
		ret->flags |= UC_MAP_EXEC;
	if (inode) {
		ret->flags |= UC_MAP_FILE;
		ret->id[0] = inode;
		ret->id[1] = (u64)major << 32 | minor;
	} else if (name && !strcmp(line + name, "[vdso]")) {
		ret->flags |= UC_MAP_VDSO;
	}
	return true;
}

static int append(struct uc_vmas *m, size_t *cap, const struct uc_map *map)
{
	if (m->nr == *cap) {
		size_t more = *cap ? 2 * *cap : 64;
		void *p = realloc(m->map, more * sizeof(*m->map));

		if (!p)
			return -ENOMEM;
		m->map = p;
		*cap = more;
	}
	m->map[m->nr++] = *map;
	return 0;
}

int uc_vmas_parse(struct uc_vmas *m, const char *text, size_t len)
{
	const char *end = text + len;
	size_t cap = 0;

	*m = (struct uc_vmas){ 0 };
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);
		char line[512];
		struct uc_map map;

		if (n >= sizeof(line)) /* only the path can be long */
			n = sizeof(line) - 1;
		memcpy(line, text, n);
		line[n] = 0;
		if (parse_line(line, &map) && (!m->nr || map.start >= m->map[m->nr - 1].end) &&
		    append(m, &cap, &map))
			return -ENOMEM;
		text = nl ? nl + 1 : end;
	}
	return 0;
}

/* All of a file of /proc, whose size is not known before. */
static int read_all(int fd, char **ret, size_t *ret_len)
{
	size_t len = 0, cap = 0;
	char *text = NULL;

	for (;;) {
		ssize_t n;

		if (cap - len < 4096) {
			char *p = realloc(text, cap = cap ? 2 * cap : 65536);

			if (!p) {
				free(text);
				return -ENOMEM;
			}
			text = p;
		}
		n = read(fd, text + len, cap - len);
		if (n < 0) {
			free(text);
			return -errno;
		}
		if (!n)
			break;
		len += (size_t)n;
	}
	*ret = text;
	*ret_len = len;
	return 0;
}

int uc_vmas_read(struct uc_vmas *m, pid_t pid)
{
	char path[64], *text = NULL;
	size_t len = 0;
	int fd, rc;

	*m = (struct uc_vmas){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = read_all(fd, &text, &len);
	close(fd);
	if (rc)
		return rc;
	rc = uc_vmas_parse(m, text, len);
	free(text);
	return rc;
}

void uc_vmas_fini(struct uc_vmas *m)
{
	free(m->map);
	*m = (struct uc_vmas){ 0 };
}

bool uc_vmas_find(const struct uc_vmas *m, u64 addr, struct uc_map *ret)
{
	size_t lo = 0, hi = m->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (addr < m->map[mid].start) {
			hi = mid;
		} else if (addr >= m->map[mid].end) {
			lo = mid + 1;
		} else {
			*ret = m->map[mid];
			return true;
		}
	}
	return false;
}

bool uc_vmas_find_start(const struct uc_vmas *m, const struct uc_map *of, struct uc_map *ret)
{
	const struct uc_map *hit = NULL;
	size_t i;

	if (of->flags & UC_MAP_VDSO) {
		*ret = *of;
		return true;
	}
	for (i = 0; i < m->nr; i++) {
		const struct uc_map *map = &m->map[i];

		if (map->off || !(map->flags & UC_MAP_FILE) || map->id[0] != of->id[0] ||
		    map->id[1] != of->id[1])
			continue;
		if (hit && map->start > of->start)
			break;
		hit = map;
	}
	if (hit)
		*ret = *hit;
	return hit;
}
