/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The running kernel's functions, from /proc/kallsyms. */
#ifndef UC_KALLSYMS_H
#define UC_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uc_kallsyms;

struct uc_kallsyms_symbol {
	const char *name;
	const char *module; /* "[ext4]", or NULL: the kernel itself */
	uint64_t start, end;
};

/* @path: "/proc/kallsyms" but for tests. -EPERM if the kernel hides the
 * addresses (kernel.kptr_restrict), or another negative errno. */
int uc_kallsyms_read(const char *path, struct uc_kallsyms **ret);
void uc_kallsyms_free(struct uc_kallsyms *k);
bool uc_kallsyms_find(const struct uc_kallsyms *k, uint64_t addr, struct uc_kallsyms_symbol *ret);
uint64_t uc_kallsyms_text(const struct uc_kallsyms *k); /* _text, or 0 */

#endif
