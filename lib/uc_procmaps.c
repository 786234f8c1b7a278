/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_procmaps.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool parse_hex(char **text, char end, uint64_t *ret)
{
	char *stop;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*ret = strtoull(*text, &stop, 16);
	if (errno || *stop != end)
		return false;
	*text = stop + 1;
	return true;
}

static bool parse_perms(char **text, struct uc_proc_map *map)
{
	const char *p = *text;

	if (strnlen(p, 5) < 5 || p[4] != ' ')
		return false;
	map->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) |
		    (p[2] == 'x' ? PROT_EXEC : 0);
	map->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*text += 5;
	return true;
}

/* The kernel escapes newlines, and nothing else: a file may be named \012, too. */
static bool unescape(char *path)
{
	char *out = path;
	bool any = false;

	for (const char *in = path; *in; out++) {
		if (!strncmp(in, "\\012", 4)) {
			*out = '\n';
			in += 4;
			any = true;
		} else {
			*out = *in++;
		}
	}
	*out = '\0';
	return any;
}

int uc_proc_map_parse(char *line, struct uc_proc_map *ret)
{
	struct uc_proc_map map = { 0 };
	uint64_t maj, min;
	char *stop;

	if (!parse_hex(&line, '-', &map.start) || !parse_hex(&line, ' ', &map.end) ||
	    map.end <= map.start || !parse_perms(&line, &map) ||
	    !parse_hex(&line, ' ', &map.pgoff) || !parse_hex(&line, ':', &maj) ||
	    !parse_hex(&line, ' ', &min) || maj > UINT32_MAX || min > UINT32_MAX ||
	    !isdigit((unsigned char)*line))
		return -EINVAL;
	map.dev_major = (uint32_t)maj;
	map.dev_minor = (uint32_t)min;
	errno = 0;
	map.inode = strtoull(line, &stop, 10);
	if (errno || (*stop && *stop != ' '))
		return -EINVAL;
	map.path = stop + strspn(stop, " ");
	map.escaped = unescape(map.path);
	*ret = map;
	return 0;
}

int uc_proc_maps_each(pid_t pid, int (*fn)(const struct uc_proc_map *map, void *arg), void *arg)
{
	char path[64], *line = NULL;
	struct uc_proc_map map;
	size_t cap = 0;
	ssize_t len;
	FILE *f;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!rc && (len = getline(&line, &cap, f)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (!uc_proc_map_parse(line, &map))
			rc = fn(&map, arg);
	}
	if (!rc && ferror(f))
		rc = -EIO;
	free(line);
	fclose(f);
	return rc;
}
