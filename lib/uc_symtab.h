/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file's symbols as ranges that do not overlap, by address: the table is
 * built once, a look-up is one binary search.
 */
#ifndef UC_SYMTAB_H
#define UC_SYMTAB_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

struct uc_symtab;

struct uc_symtab_range {
	uint64_t start, end;
	uint32_t name; /* index; a symbol may have several ranges */
};

/* What libdwfl cannot read is left out; @mod is not needed afterwards. 0 or -ENOMEM. */
int uc_symtab_read(Dwfl_Module *mod, struct uc_symtab **ret);
void uc_symtab_free(struct uc_symtab *t);
/* The range that covers @vaddr, or NULL. */
const struct uc_symtab_range *uc_symtab_find(const struct uc_symtab *t, uint64_t vaddr);
/* Give @name, a constant, to what is still free around @vaddr within
 * [@start, @end). 0 or -ENOMEM. */
int uc_symtab_fill(struct uc_symtab *t, uint64_t vaddr, uint64_t start, uint64_t end,
		   const char *name);
/* The name to show, and where its symbol starts. */
const char *uc_symtab_name(struct uc_symtab *t, const struct uc_symtab_range *r,
			   uint64_t *ret_start);

/*
 * Which of two names for the same place to show: more than 0 if @a. The rules
 * are perf's, so that reports can be compared: global names before weak and
 * local ones, fewer underscores in front, the longer name.
 */
int uc_symbol_prefer(const char *a, int rank_a, const char *b, int rank_b);

#endif
