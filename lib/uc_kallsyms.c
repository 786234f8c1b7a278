/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_kallsyms.h"

#include "uc_symtab.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t start;
	const char *name, *module;
	char type;
};

struct uc_kallsyms {
	char *text; /* the file; the strings of the lines lie in it */
	struct line *line; /* by start; at one address the best comes last */
	size_t nr;
	uint64_t text_start, text_end;
};

static int read_file(const char *path, char **ret)
{
	FILE *f = fopen(path, "re");
	size_t cap = 0;
	ssize_t got;
	int err;

	if (!f)
		return -errno;
	*ret = NULL;
	errno = 0;
	got = getdelim(ret, &cap, '\0', f);
	err = got < 0 ? -(errno ? errno : ENODATA) : 0;
	fclose(f);
	return err;
}

static bool is_code(char type)
{
	return strchr("tTwW", type) != NULL;
}

/* "ffffffff81000000 T name\t[module]"; cuts the line into strings. */
static bool parse_line(char *s, struct line *ret)
{
	char *end, *name, *module;

	ret->start = strtoull(s, &end, 16);
	if (end == s || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	ret->type = end[1];
	name = end + 3;
	module = strchr(name, '\t');
	if (module)
		*module++ = '\0';
	ret->name = name;
	ret->module = module;
	/* 'a': absolute, such as offsets into per-CPU areas */
	return *name && tolower(ret->type) != 'a';
}

/* The same code under a name for position-independent or 32-bit callers. */
static bool is_alias(const char *name)
{
	return !strncmp(name, "__pi_", 5) || !strncmp(name, "__ia32_", 7);
}

static int rank(const struct line *l)
{
	if (is_alias(l->name))
		return 0;
	if (tolower(l->type) == 'w')
		return 1;
	return isupper((unsigned char)l->type) ? 3 : 2;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (is_code(x->type) != is_code(y->type))
		return is_code(x->type) ? 1 : -1;
	return uc_symbol_prefer(x->name, rank(x), y->name, rank(y));
}

static void note_bounds(struct uc_kallsyms *k, const struct line *l)
{
	if (l->module)
		return;
	if (!strcmp(l->name, "_text"))
		k->text_start = l->start;
	else if (!strcmp(l->name, "_etext"))
		k->text_end = l->start;
}

static int parse(struct uc_kallsyms *k)
{
	size_t cap = 0;
	char *s, *next;
	bool shown = false;

	for (s = k->text; s && *s; s = next) {
		struct line *grown;

		next = strchr(s, '\n');
		if (next)
			*next++ = '\0';
		if (k->nr == cap) {
			cap = cap ? 2 * cap : 65536;
			grown = realloc(k->line, cap * sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			k->line = grown;
		}
		if (!parse_line(s, &k->line[k->nr]))
			continue;
		shown |= k->line[k->nr].start != 0;
		note_bounds(k, &k->line[k->nr++]);
	}
	if (!k->nr)
		return -ENODATA;
	if (!shown)
		return -EPERM;
	qsort(k->line, k->nr, sizeof(*k->line), compare_lines);
	return 0;
}

int uc_kallsyms_read(const char *path, struct uc_kallsyms **ret)
{
	struct uc_kallsyms *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	err = read_file(path, &k->text);
	if (!err)
		err = parse(k);
	if (err) {
		uc_kallsyms_free(k);
		return err;
	}
	*ret = k;
	return 0;
}

void uc_kallsyms_free(struct uc_kallsyms *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->line);
	free(k);
}

static bool same_module(const struct line *a, const struct line *b)
{
	if (!a->module || !b->module)
		return a->module == b->module;
	return !strcmp(a->module, b->module);
}

/*
 * Sizes are not told: a function ends where the next symbol starts. The last
 * one of a module ends somewhere on the next page at the latest, or else it
 * would reach over the gap to the next module.
 */
static uint64_t end_of(const struct uc_kallsyms *k, size_t i)
{
	const struct line *l = &k->line[i];
	uint64_t end;

	if (i + 1 < k->nr && same_module(l, l + 1))
		end = l[1].start;
	else
		end = ((l->start + 4095) & ~4095ull) + 4096;
	if (!l->module && l->start < k->text_end && end > k->text_end)
		end = k->text_end;
	return end;
}

bool uc_kallsyms_find(const struct uc_kallsyms *k, uint64_t addr, struct uc_kallsyms_symbol *ret)
{
	size_t lo = 0, hi = k->nr;
	const struct line *l;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->line[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	l = &k->line[lo - 1];
	if (!is_code(l->type) || addr >= end_of(k, lo - 1))
		return false;
	*ret = (struct uc_kallsyms_symbol){
		.name = l->name,
		.module = l->module,
		.start = l->start,
		.end = end_of(k, lo - 1),
	};
	return true;
}

uint64_t uc_kallsyms_text(const struct uc_kallsyms *k)
{
	return k->text_start;
}
