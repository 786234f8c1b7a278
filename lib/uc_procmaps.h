/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of /proc/PID/maps, with the names that are in it (proc_pid_maps(5)). */
#ifndef UC_PROCMAPS_H
#define UC_PROCMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A line. */
struct uc_proc_map {
	uint64_t start, end, pgoff, inode;
	uint32_t dev_major, dev_minor;
	uint32_t prot; /* PROT_* */
	uint32_t flags; /* MAP_SHARED or MAP_PRIVATE */
	char *path; /* inside the line; "" if there is none */
	bool escaped; /* path had \012 in it: a newline, or just that */
};

/*
 * Take a line (without its newline) apart; cuts it up and unescapes the path.
 * 0 or -EINVAL.
 */
int uc_proc_map_parse(char *line, struct uc_proc_map *ret);

/*
 * All mappings of a process, in order, each borrowed during the call. 0; what
 * @fn returned if that was not 0, which ends it; or negative errno if the file can not
 * be read (-ENOENT: there is no such process).
 */
int uc_proc_maps_each(pid_t pid, int (*fn)(const struct uc_proc_map *map, void *arg), void *arg);

#endif
