/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "uc_rowtext.h"
#include "uc_trial.h"

/* Blocks that rows are repeated for: more PLT entries than any file has. */
#define BLOCKS_MAX (1u << 16)
/* Addresses of a row that are looked at one by one where its result may hang on
 * the pc, and all of them: more than all PLT entries of any file. */
#define BYTE_BY_BYTE 65536
#define BYTES_MAX (4u << 20)

/* What matters of a row, with its reach. */
struct reach {
	u64 start, end;
	u64 fde_end;
	u32 repeat; /* .sframe: it holds in every block of so many bytes */
	s64 cfa_off, cfa_expr;
	u8 cfa_kind, cfa_reg, ra_reg, signal, pc_kind, ra_kind, fp_kind, sp_kind;
	s32 pc_val, ra_val, fp_val, sp_val;
};

struct reaches {
	struct reach *reach;
	size_t nr, room;
	u64 fde_end; /* of the FDE at hand */
	u32 fp, sp; /* the ABI's registers */
};

struct compare {
	const struct uc_image *img;
	struct uc_trial trial;
	struct uc_comparison *ret;
	u64 tried; /* addresses looked at one by one */
	u64 last_end; /* of the difference found last */
};

/* ---- rows ---- */

static struct reach *new_reach(struct reaches *all)
{
	if (all->nr == all->room) {
		size_t room = all->room ? 2 * all->room : 1024;
		struct reach *more = reallocarray(all->reach, room, sizeof(*more));

		if (!more)
			return NULL;
		all->reach = more;
		all->room = room;
	}
	return &all->reach[all->nr++];
}

static int keep_row(const struct uc_rows_event *e, void *arg)
{
	struct reaches *all = arg;
	const struct uc_row *row = e->row;
	u32 ra, fp = all->fp, sp = all->sp;
	struct reach *r;

	if (e->kind == UC_ROWS_FDE)
		all->fde_end = e->end;
	if (e->kind != UC_ROWS_ROW || e->start >= e->end)
		return 0;
	r = new_reach(all);
	if (!r)
		return -ENOMEM;
	ra = row->ra_reg & UC_REG_MASK;
	*r = (struct reach){
		.start = e->start,
		.end = e->end,
		.fde_end = all->fde_end,
		.repeat = e->repeat,
		.cfa_off = row->cfa_off,
		.cfa_expr = row->cfa_expr,
		.cfa_kind = row->cfa_kind,
		.cfa_reg = row->cfa_reg,
		.ra_reg = row->ra_reg,
		.signal = row->signal,
		.pc_kind = row->pc_kind,
		.pc_val = row->pc_val,
		.ra_kind = row->kind[ra],
		.ra_val = row->val[ra],
		.fp_kind = row->kind[fp],
		.fp_val = row->val[fp],
		.sp_kind = row->kind[sp],
		.sp_val = row->val[sp],
	};
	return 0;
}

static void to_row(const struct compare *c, const struct reach *r, struct uc_row *row)
{
	u32 ra = r->ra_reg & UC_REG_MASK;

	memset(row, 0, sizeof(*row));
	row->cfa_off = r->cfa_off;
	row->cfa_expr = r->cfa_expr;
	row->cfa_kind = r->cfa_kind;
	row->cfa_reg = r->cfa_reg;
	row->ra_reg = r->ra_reg;
	row->signal = r->signal;
	row->pc_kind = r->pc_kind;
	row->pc_val = r->pc_val;
	row->kind[c->trial.walk->abi.sp] = r->sp_kind;
	row->val[c->trial.walk->abi.sp] = r->sp_val;
	row->kind[c->trial.walk->abi.fp] = r->fp_kind;
	row->val[c->trial.walk->abi.fp] = r->fp_val;
	if (r->ra_reg != UC_RA_PC) {
		row->kind[ra] = r->ra_kind;
		row->val[ra] = r->ra_val;
	}
}

static int compare_starts(const void *a, const void *b)
{
	const struct reach *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* A row of blocks, once for each block. */
static int unroll(struct reaches *all)
{
	size_t i, nr = all->nr, blocks = 0;

	for (i = 0; i < nr; i++) {
		struct reach r = all->reach[i], *next;
		u64 by;

		for (by = r.repeat; by && by < r.fde_end - r.start && blocks++ < BLOCKS_MAX;
		     by += r.repeat) {
			next = new_reach(all);
			if (!next)
				return -ENOMEM;
			*next = r;
			next->start += by;
			next->end += by;
			if (next->end > r.fde_end)
				next->end = r.fde_end;
		}
	}
	return 0;
}

static int collect(struct compare *c, struct reaches *eh, struct reaches *sf)
{
	int rc = uc_rows_each(c->img, UC_ROWS_EHFRAME, keep_row, eh);

	if (!rc)
		rc = uc_rows_each(c->img, UC_ROWS_SFRAME, keep_row, sf);
	if (!rc)
		rc = unroll(sf);
	if (!rc && eh->nr)
		qsort(eh->reach, eh->nr, sizeof(*eh->reach), compare_starts);
	if (!rc && sf->nr)
		qsort(sf->reach, sf->nr, sizeof(*sf->reach), compare_starts);
	return rc;
}

/* ---- what comes out ---- */

static struct uc_outcome apply(struct compare *c, const struct reach *r, u64 pc)
{
	to_row(c, r, &c->trial.walk->row);
	return uc_trial_apply(&c->trial, pc, c->trial.walk->abi.regs);
}

static bool same(const struct uc_outcome *a, const struct uc_outcome *b)
{
	if (a->rc != b->rc)
		return false;
	return a->rc || (a->pc == b->pc && a->sp == b->sp && a->has_fp == b->has_fp &&
			 a->fp == b->fp);
}

/* ---- differences ---- */

static void row_text(struct compare *c, const struct reach *r, char *buf, size_t size)
{
	struct uc_row row;
	struct uc_rows_event e = { .kind = UC_ROWS_ROW, .row = &row, .walk = c->trial.walk };
	struct uc_row_rule rules[UC_ROW_RULES];
	char text[UC_RULE_TEXT];
	u32 i, nr;
	int n;

	to_row(c, r, &row);
	uc_cfa_text(&e, text, sizeof(text));
	n = snprintf(buf, size, "CFA=%s", text);
	nr = uc_row_rules(&e, rules);
	for (i = 0; i < nr && n > 0 && (size_t)n < size; i++) {
		uc_rule_text(&e, &rules[i], text, sizeof(text));
		n += snprintf(buf + n, size - (size_t)n, " %s=%s", rules[i].name, text);
	}
}

/* A difference goes on where the one before ended, with the same rows; beyond
 * those that are kept, with any. */
static int add_difference(struct compare *c, const struct reach *eh, const struct reach *sf, u64 start,
			  u64 end)
{
	struct uc_comparison *ret = c->ret;
	struct uc_difference d = { .start = start, .end = end }, *last;
	bool goes_on = ret->places && c->last_end == start;

	ret->differing += end - start;
	c->last_end = end;
	if (ret->nr == UC_COMPARE_KEPT) {
		ret->places += !goes_on;
		return 0;
	}
	row_text(c, eh, d.ehframe, sizeof(d.ehframe));
	row_text(c, sf, d.sframe, sizeof(d.sframe));
	last = ret->nr ? &ret->difference[ret->nr - 1] : NULL;
	if (goes_on && !strcmp(last->ehframe, d.ehframe) && !strcmp(last->sframe, d.sframe)) {
		last->end = end;
		return 0;
	}
	if (!ret->difference) {
		ret->difference = calloc(UC_COMPARE_KEPT, sizeof(d));
		if (!ret->difference)
			return -ENOMEM;
	}
	ret->places++;
	ret->difference[ret->nr++] = d;
	return 0;
}

/* Both rows hold from start to end. */
static int compare_at(struct compare *c, const struct reach *eh, const struct reach *sf, u64 start,
		      u64 end)
{
	bool by_pc = eh->cfa_kind == UC_CFA_EXPR && end - start <= BYTE_BY_BYTE &&
		     c->tried < BYTES_MAX;
	u64 at, step = by_pc ? 1 : end - start;
	int err = 0;

	c->ret->compared += end - start;
	c->tried += by_pc ? end - start : 0;
	for (at = start; !err && at < end; at += step) {
		struct uc_outcome a = apply(c, eh, at), b = apply(c, sf, at);

		if (eh->signal != sf->signal || !same(&a, &b))
			err = add_difference(c, eh, sf, at, at + step);
	}
	return err;
}

static int compare_all(struct compare *c, const struct reaches *eh, const struct reaches *sf)
{
	size_t i = 0, j = 0;
	int err = 0;

	while (!err && i < eh->nr && j < sf->nr) {
		const struct reach *a = &eh->reach[i], *b = &sf->reach[j];
		u64 start = a->start > b->start ? a->start : b->start;
		u64 end = a->end < b->end ? a->end : b->end;

		if (start < end)
			err = compare_at(c, a, b, start, end);
		if (a->end <= b->end)
			i++;
		if (b->end <= a->end)
			j++;
	}
	return err;
}

int uc_compare(const struct uc_image *img, struct uc_comparison *ret)
{
	struct compare c = { .img = img, .ret = ret };
	struct reaches eh = { 0 }, sf = { 0 };
	int err;

	*ret = (struct uc_comparison){ 0 };
	err = uc_trial_begin(&c.trial, img);
	if (err)
		return err;
	eh.fp = sf.fp = c.trial.walk->abi.fp;
	eh.sp = sf.sp = c.trial.walk->abi.sp;
	err = collect(&c, &eh, &sf);
	if (!err)
		err = compare_all(&c, &eh, &sf);
	free(eh.reach);
	free(sf.reach);
	uc_trial_end(&c.trial);
	return err;
}

void uc_comparison_fini(struct uc_comparison *c)
{
	free(c->difference);
	*c = (struct uc_comparison){ 0 };
}
