/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_symtab.h"

#include "uc_demangle.h"
#include "uc_plt.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum rank {
	RANK_STUB, /* a name that we made */
	RANK_WEAK,
	RANK_LOCAL,
	RANK_GLOBAL,
};

/* A symbol of the file, while the table is made. */
struct symbol {
	uint64_t start;
	uint64_t end; /* equals start if the symbol has no size */
	uint64_t limit; /* end of its section */
	const char *name; /* lies in the file */
	enum rank rank;
	bool plt; /* a stub that jumps to the function of this name */
};

struct name {
	uint64_t start;
	const char *raw; /* as in the file */
	char *shown; /* made at the first look-up */
	bool plt;
};

struct uc_symtab {
	struct uc_symtab_range *range; /* by start */
	size_t nr_ranges, cap_ranges;
	struct name *name;
	size_t nr_names, cap_names;
	char *strings;
};

/* Ranges refer to symbols until only those that have one are kept as names. */
struct builder {
	struct uc_symtab *t;
	struct symbol *symbol;
	size_t nr, cap;
};

static size_t underscores(const char *s)
{
	return strspn(s, "_");
}

/* "cfree@GLIBC_2.2.5": kept for old programs only; "@@" is today's version. */
static bool is_old_version(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at[1] != '@';
}

int uc_symbol_prefer(const char *a, int rank_a, const char *b, int rank_b)
{
	size_t len_a, len_b;

	if (rank_a != rank_b)
		return rank_a > rank_b ? 1 : -1;
	if (is_old_version(a) != is_old_version(b))
		return is_old_version(b) ? 1 : -1;
	if (underscores(a) != underscores(b))
		return underscores(a) < underscores(b) ? 1 : -1;
	len_a = strcspn(a, "@");
	len_b = strcspn(b, "@");
	if (len_a != len_b)
		return len_a > len_b ? 1 : -1;
	return strcmp(b, a); /* any rule, as long as it is one */
}

/* Double @array to hold one more. */
static int reserve(void *array, size_t nr, size_t *cap, size_t size)
{
	size_t want = *cap ? 2 * *cap : 64;
	void *grown;

	if (nr < *cap)
		return 0;
	grown = realloc(*(void **)array, want * size);
	if (!grown)
		return -ENOMEM;
	*(void **)array = grown;
	*cap = want;
	return 0;
}

/*
 * The end of the code section that holds the symbol, in the symbol's own
 * address terms, or 0 if the symbol is no code. Without section headers only
 * a function's own size counts.
 */
static uint64_t section_limit(Elf *elf, GElf_Word shndx, const GElf_Sym *sym, uint64_t addr)
{
	GElf_Shdr shdr;

	if (shndx == SHN_UNDEF || shndx == SHN_ABS || shndx == SHN_COMMON)
		return 0;
	if (!gelf_getshdr(elf_getscn(elf, shndx), &shdr))
		return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? 0 : addr + sym->st_size;
	if (!(shdr.sh_flags & SHF_EXECINSTR))
		return 0;
	if (sym->st_value - shdr.sh_addr >= shdr.sh_size)
		return 0;
	return addr + (shdr.sh_size - (sym->st_value - shdr.sh_addr));
}

/* Labels that tools put into code: "$x" of AArch64, ".annobin_..." */
static bool is_label(const char *name, const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && (name[0] == '$' || name[0] == '.');
}

static int binding_rank(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_WEAK:
		return RANK_WEAK;
	case STB_LOCAL:
		return RANK_LOCAL;
	default:
		return RANK_GLOBAL;
	}
}

static int add_symbol(struct builder *b, Dwfl_Module *mod, int i)
{
	const char *name;
	GElf_Word shndx;
	uint64_t limit;
	GElf_Addr addr;
	GElf_Sym sym;
	Dwarf_Addr bias;
	Elf *elf;
	int type;

	name = dwfl_module_getsym_info(mod, i, &sym, &addr, &shndx, &elf, &bias);
	if (!name || !*name || !elf)
		return 0;
	type = GELF_ST_TYPE(sym.st_info);
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (is_label(name, &sym))
		return 0;
	limit = section_limit(elf, shndx, &sym, addr);
	if (limit <= addr)
		return 0;
	if (reserve(&b->symbol, b->nr, &b->cap, sizeof(*b->symbol)))
		return -ENOMEM;
	b->symbol[b->nr++] = (struct symbol){
		.start = addr,
		.end = sym.st_size < limit - addr ? addr + sym.st_size : limit,
		.limit = limit,
		.name = name,
		.rank = binding_rank(&sym),
	};
	return 0;
}

static int add_stub(void *arg, uint64_t start, uint64_t end, const char *name)
{
	struct builder *b = arg;

	if (reserve(&b->symbol, b->nr, &b->cap, sizeof(*b->symbol)))
		return -ENOMEM;
	b->symbol[b->nr++] = (struct symbol){
		.start = start,
		.end = end,
		.limit = end,
		.name = name,
		.rank = RANK_STUB,
		.plt = true,
	};
	return 0;
}

/* By address; of several at one address the best comes last. */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return uc_symbol_prefer(x->name, x->rank, y->name, y->rank);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct uc_symtab_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int add_range(struct uc_symtab *t, uint64_t start, uint64_t end, size_t name)
{
	if (start >= end)
		return 0;
	if (reserve(&t->range, t->nr_ranges, &t->cap_ranges, sizeof(*t->range)))
		return -ENOMEM;
	t->range[t->nr_ranges++] = (struct uc_symtab_range){ start, end, (uint32_t)name };
	return 0;
}

/* Symbols that were begun and have not ended; the innermost is the last. */
struct open_symbols {
	uint32_t *index;
	size_t nr;
	uint64_t pos; /* everything below has its range */
};

/* Give what lies between @open->pos and @limit to the innermost open symbols. */
static int advance(struct builder *b, struct open_symbols *open, uint64_t limit)
{
	int err;

	while (open->nr && open->pos < limit) {
		uint32_t index = open->index[open->nr - 1];
		uint64_t end = b->symbol[index].end;

		if (end > open->pos) {
			uint64_t stop = end < limit ? end : limit;

			err = add_range(b->t, open->pos, stop, index);
			if (err)
				return err;
			open->pos = stop;
		}
		if (end <= open->pos)
			open->nr--;
	}
	return 0;
}

/* Symbols with a size may lie inside each other; the one begun last wins. */
static int place_sized(struct builder *b)
{
	struct open_symbols open = { .index = calloc(b->nr, sizeof(*open.index)) };
	int err = 0;
	size_t i;

	if (!open.index)
		return -ENOMEM;
	for (i = 0; i < b->nr && !err; i++) {
		if (b->symbol[i].end == b->symbol[i].start)
			continue;
		err = advance(b, &open, b->symbol[i].start);
		open.index[open.nr++] = (uint32_t)i;
		open.pos = b->symbol[i].start;
	}
	if (!err)
		err = advance(b, &open, UINT64_MAX);
	free(open.index);
	return err;
}

/* Index of the first range, among the first @nr, that starts above @vaddr. */
static size_t first_above(const struct uc_symtab *t, size_t nr, uint64_t vaddr)
{
	size_t lo = 0, hi = nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->range[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What assembly left without a size reaches to the next symbol of its section. */
static int place_sizeless(struct builder *b)
{
	struct uc_symtab *t = b->t;
	size_t nr_sized = t->nr_ranges, next = b->nr, i, above;
	uint64_t end;

	/* downwards, for then the next symbol is the one seen before */
	for (i = b->nr; i-- > 0;) {
		const struct symbol *s = &b->symbol[i];

		if (s->end != s->start)
			continue;
		if (next < b->nr && b->symbol[next].start == s->start)
			continue; /* a worse name for the same place */
		end = next < b->nr ? b->symbol[next].start : UINT64_MAX;
		next = i;
		above = first_above(t, nr_sized, s->start);
		if (above && s->start < t->range[above - 1].end)
			continue;
		if (above < nr_sized && t->range[above].start < end)
			end = t->range[above].start;
		if (s->limit < end)
			end = s->limit;
		if (add_range(t, s->start, end, i))
			return -ENOMEM;
	}
	if (t->nr_ranges)
		qsort(t->range, t->nr_ranges, sizeof(*t->range), compare_ranges);
	return 0;
}

/*
 * Copy the names that have a range, so that the file can be closed: a mapped
 * file that somebody truncates would kill us at the next look-up.
 */
static int keep_names(struct builder *b)
{
	struct uc_symtab *t = b->t;
	uint32_t *index = calloc(b->nr, sizeof(*index)); /* of the symbol's name, + 1 */
	size_t i, len, used = 0, size = 0;

	for (i = 0; index && i < t->nr_ranges; i++) {
		if (index[t->range[i].name]++)
			continue;
		used++;
		size += strlen(b->symbol[t->range[i].name].name) + 1;
	}
	t->cap_names = used;
	t->name = calloc(used, sizeof(*t->name));
	t->strings = malloc(size);
	if (!index || !t->name || !t->strings) {
		free(index);
		return -ENOMEM;
	}
	for (i = 0, size = 0; i < b->nr; i++) {
		if (!index[i])
			continue;
		len = strlen(b->symbol[i].name) + 1;
		memcpy(t->strings + size, b->symbol[i].name, len);
		t->name[t->nr_names].start = b->symbol[i].start;
		t->name[t->nr_names].raw = t->strings + size;
		t->name[t->nr_names].plt = b->symbol[i].plt;
		index[i] = (uint32_t)t->nr_names++;
		size += len;
	}
	for (i = 0; i < t->nr_ranges; i++)
		t->range[i].name = index[t->range[i].name];
	free(index);
	return 0;
}

static int build(struct builder *b, Dwfl_Module *mod)
{
	int i, nr = dwfl_module_getsymtab(mod), err = 0;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(mod, &bias);

	for (i = 1; i < nr && !err; i++)
		err = add_symbol(b, mod, i);
	if (!err && elf)
		err = uc_plt_each(elf, add_stub, b);
	if (err || !b->nr)
		return err;
	qsort(b->symbol, b->nr, sizeof(*b->symbol), compare_symbols);
	err = place_sized(b);
	if (!err)
		err = place_sizeless(b);
	if (err || !b->t->nr_ranges)
		return err;
	return keep_names(b);
}

int uc_symtab_read(Dwfl_Module *mod, struct uc_symtab **ret)
{
	struct builder b = { .t = calloc(1, sizeof(*b.t)) };
	int err;

	if (!b.t)
		return -ENOMEM;
	err = build(&b, mod);
	free(b.symbol);
	if (err)
		uc_symtab_free(b.t);
	else
		*ret = b.t;
	return err;
}

void uc_symtab_free(struct uc_symtab *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr_names; i++)
		free(t->name[i].shown);
	free(t->name);
	free(t->strings);
	free(t->range);
	free(t);
}

const struct uc_symtab_range *uc_symtab_find(const struct uc_symtab *t, uint64_t vaddr)
{
	size_t above = first_above(t, t->nr_ranges, vaddr);

	if (!above || vaddr >= t->range[above - 1].end)
		return NULL;
	return &t->range[above - 1];
}

int uc_symtab_fill(struct uc_symtab *t, uint64_t vaddr, uint64_t start, uint64_t end,
		   const char *name)
{
	size_t above = first_above(t, t->nr_ranges, vaddr);

	if (above && t->range[above - 1].end > start)
		start = t->range[above - 1].end;
	if (above < t->nr_ranges && t->range[above].start < end)
		end = t->range[above].start;
	if (vaddr < start || vaddr >= end)
		return 0;
	if (reserve(&t->name, t->nr_names, &t->cap_names, sizeof(*t->name)) ||
	    add_range(t, start, end, t->nr_names))
		return -ENOMEM;
	t->name[t->nr_names++] = (struct name){ .start = start, .raw = name };
	qsort(t->range, t->nr_ranges, sizeof(*t->range), compare_ranges);
	return 0;
}

/* The version of a versioned symbol ("memcpy@@GLIBC_2.14") is no part of its name. */
static char *make_shown(const struct name *n)
{
	char *demangled = uc_demangle(n->raw), *with_plt;

	if (!demangled)
		demangled = strndup(n->raw, strcspn(n->raw, "@"));
	if (!demangled || !n->plt)
		return demangled;
	if (asprintf(&with_plt, "%s@plt", demangled) < 0)
		with_plt = NULL;
	free(demangled);
	return with_plt;
}

const char *uc_symtab_name(struct uc_symtab *t, const struct uc_symtab_range *r,
			   uint64_t *ret_start)
{
	struct name *n = &t->name[r->name];

	*ret_start = n->start;
	if (!n->shown)
		n->shown = make_shown(n);
	return n->shown ? n->shown : n->raw;
}
