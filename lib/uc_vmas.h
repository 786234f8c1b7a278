/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mappings of a live process for the core, from the text of /proc/PID/maps. */
#ifndef UC_VMAS_H
#define UC_VMAS_H

#include <stdbool.h>
#include <sys/types.h>

#include "uc_types.h"

struct uc_vmas {
	struct uc_map *map; /* ascending */
	size_t nr;
};

int uc_vmas_read(struct uc_vmas *m, pid_t pid);
/* Parse the text; lines that make no sense are passed over. 0 or -ENOMEM. */
int uc_vmas_parse(struct uc_vmas *m, const char *text, size_t len);
void uc_vmas_fini(struct uc_vmas *m);
/* The mapping that contains addr. */
bool uc_vmas_find(const struct uc_vmas *m, u64 addr, struct uc_map *ret);
/* The last mapping of @of's file, not above it if possible, with offset 0. */
bool uc_vmas_find_start(const struct uc_vmas *m, const struct uc_map *of, struct uc_map *ret);

#endif
