/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_check.h"

#include <errno.h>
#include <stdlib.h>

#include "uc_core.h"
#include "uc_padding.h"

/*
 * Code without entries that every program has: what the C library's start-up
 * files add, and PLT entries of some linkers. Both are known by their code
 * (core/uc_bare.c, core/uc_follow.c). Beyond so much a file is degraded.
 */
#define SMALL_GAP 512
#define SMALL_SHARE 1000 /* or a thousandth of the code */

struct check {
	const struct uc_image *img;
	struct uc_check *ret;
	struct uc_ranges covered[3]; /* by enum uc_rows_source */
	enum uc_rows_source source;
	u64 *start; /* of .eh_frame's functions in code */
	size_t nr_starts, room;
	bool is_fde_open;
	u64 fde, function;
	u64 last_start; /* of .sframe's functions so far */
	bool is_unsorted; /* and it was told */
};

static int add_flaw(struct check *c, const struct uc_rows_event *e)
{
	struct uc_check *ret = c->ret;

	if (!ret->nr_flaws) {
		ret->flaw = calloc(UC_CHECK_FLAWS, sizeof(*ret->flaw));
		if (!ret->flaw)
			return -ENOMEM;
	}
	if (ret->nr_flaws++ >= UC_CHECK_FLAWS)
		return 0;
	ret->flaw[ret->nr_flaws - 1] = (struct uc_check_flaw){
		.section = e->section,
		.offset = e->offset,
		.record = e->record,
		.function = c->is_fde_open && e->record == c->fde ? c->function : 0,
		.stop = e->stop,
		.flaw = e->flaw,
	};
	return 0;
}

static int add_start(struct check *c, u64 start)
{
	if (c->nr_starts == c->room) {
		size_t room = c->room ? 2 * c->room : 1024;
		u64 *more = reallocarray(c->start, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		c->start = more;
		c->room = room;
	}
	c->start[c->nr_starts++] = start;
	return 0;
}

/* A search in .sframe that is not in order may miss a function without noticing. */
static int check_order(struct check *c, const struct uc_rows_event *e)
{
	struct uc_rows_event flaw = *e;

	if (e->start >= c->last_start || !e->walk->mod.sf.sorted || c->is_unsorted) {
		c->last_start = e->start;
		return 0;
	}
	c->is_unsorted = true;
	flaw.record = e->offset;
	flaw.stop = UNCOIL_STOP_MALFORMED;
	flaw.flaw = UNCOIL_FLAW_SFRAME_UNSORTED;
	return add_flaw(c, &flaw);
}

static int on_event(const struct uc_rows_event *e, void *arg)
{
	struct check *c = arg;
	int err = 0;

	switch (e->kind) {
	case UC_ROWS_FDE:
		c->is_fde_open = true;
		c->fde = e->offset;
		c->function = e->start;
		if (!uc_ranges_add(&c->covered[c->source], e->start, e->end))
			return -ENOMEM;
		if (c->source == UC_ROWS_SFRAME)
			return check_order(c, e);
		if (c->source != UC_ROWS_EHFRAME || !e->start || e->start == e->end)
			return 0;
		c->ret->functions++;
		return e->by_table ? 0 : add_start(c, e->start);
	case UC_ROWS_ROW:
		c->ret->rows += c->source == UC_ROWS_EHFRAME;
		return 0;
	case UC_ROWS_FLAW:
		err = add_flaw(c, e);
	}
	return err;
}

/* 0 with whether there is such data, or -ENOMEM. */
static int read_source(struct check *c, enum uc_rows_source source, bool *ret_has)
{
	int err;

	c->source = source;
	c->is_fde_open = false;
	err = uc_rows_each(c->img, source, on_event, c);
	*ret_has = !err;
	uc_ranges_tidy(&c->covered[source]);
	return err == -ENOMEM ? err : 0;
}

/* ---- the search table ---- */

static int compare_addresses(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* A function that the table does not name is not found, as only misses of broken
 * tables lead to a scan. */
static int check_table(struct check *c)
{
	struct uc_walk *w = malloc(sizeof(*w));
	u64 *named;
	size_t i, nr;
	int rc;

	if (!w)
		return -ENOMEM;
	rc = uc_image_walk(c->img, w);
	nr = rc || !w->mod.table ? 0 : w->mod.rows;
	c->ret->has_table = nr > 0;
	named = malloc((nr + 1) * sizeof(*named));
	if (!named) {
		free(w);
		return -ENOMEM;
	}
	for (i = 0; i < nr && !uc_table_row(w, (u32)i); i++)
		named[i] = w->tab_loc;
	nr = i;
	if (nr && uc_table_check(w)) {
		struct uc_rows_event e = { .section = UC_IMAGE_EH_FRAME_HDR,
					   .stop = UNCOIL_STOP_MALFORMED,
					   .flaw = (enum uncoil_flaw)w->flaw,
					   .offset = w->stop_addr - w->mod.hdr };

		rc = add_flaw(c, &e);
	}
	free(w);
	qsort(named, nr, sizeof(*named), compare_addresses);
	for (i = 0; nr && i < c->nr_starts; i++)
		if (!bsearch(&c->start[i], named, nr, sizeof(*named), compare_addresses) &&
		    !c->ret->not_in_table++)
			c->ret->first_not_in_table = c->start[i];
	free(named);
	return rc == -ENOMEM ? rc : 0;
}

/* ---- code ---- */

/* Padding at both ends of gaps, and gaps that are nothing else, are no code. */
static int without_padding(struct check *c, const struct uc_ranges *raw, struct uc_ranges *ret)
{
	size_t i;

	for (i = 0; i < raw->nr; i++) {
		u64 start = raw->range[i].start, end = raw->range[i].end;

		start = uc_padding_end(c->img, start, end);
		end = uc_padding_start(c->img, start, end);
		if (!uc_ranges_add(ret, start, end))
			return -ENOMEM;
	}
	return 0;
}

/* Bytes of code that s has, code being the gaps' complement and the gaps. */
static int measure(struct check *c)
{
	struct uc_check *ret = c->ret;
	struct uc_ranges mapped = { 0 }, raw = { 0 };
	const struct uc_code_range *code;
	size_t nr, i, s;
	int err = 0;

	code = uc_image_code_sections(c->img, &nr);
	if (!nr)
		code = uc_image_code(c->img, &nr);
	for (s = UC_ROWS_EHFRAME; !err && s <= UC_ROWS_SFRAME; s++)
		for (i = 0; !err && i < c->covered[s].nr; i++)
			if (!uc_ranges_add(&mapped, c->covered[s].range[i].start,
					   c->covered[s].range[i].end))
				err = -ENOMEM;
	uc_ranges_tidy(&mapped);
	if (!err && !uc_ranges_rest(code, nr, &mapped, &raw))
		err = -ENOMEM;
	if (!err)
		err = without_padding(c, &raw, &ret->gap);
	ret->uncovered = uc_ranges_bytes(ret->gap.range, ret->gap.nr);
	ret->code = uc_ranges_bytes(code, nr) - uc_ranges_bytes(raw.range, raw.nr) + ret->uncovered;
	uc_ranges_fini(&mapped);
	uc_ranges_fini(&raw);
	return err;
}

/* Bytes of the code that one source covers. */
static u64 covered_by(struct check *c, enum uc_rows_source source)
{
	struct uc_ranges rest = { 0 };
	const struct uc_code_range *code;
	u64 bytes;
	size_t nr;

	code = uc_image_code_sections(c->img, &nr);
	if (!nr)
		code = uc_image_code(c->img, &nr);
	bytes = uc_ranges_bytes(code, nr);
	if (!uc_ranges_rest(code, nr, &c->covered[source], &rest))
		bytes = 0;
	else
		bytes -= uc_ranges_bytes(rest.range, rest.nr);
	uc_ranges_fini(&rest);
	return bytes;
}

static enum uc_check_verdict verdict(const struct uc_check *c)
{
	if (!c->code)
		return c->nr_flaws ? UC_CHECK_DEGRADED : UC_CHECK_FINE;
	if (c->uncovered == c->code && c->code > SMALL_GAP)
		return UC_CHECK_IMPOSSIBLE;
	if (c->nr_flaws || c->comparison.nr || c->not_in_table ||
	    (c->uncovered > SMALL_GAP && c->uncovered > c->code / SMALL_SHARE))
		return UC_CHECK_DEGRADED;
	return UC_CHECK_FINE;
}

static void count_sections(struct check *c)
{
	const struct uc_debugframe *f;
	int i;

	for (i = 0; i <= UC_IMAGE_SFRAME; i++)
		c->ret->unwind_bytes +=
			uc_image_section(c->img, (enum uc_image_section_id)i)->size;
	f = c->ret->has_debugframe ? uc_image_debugframe(c->img, NULL) : NULL;
	if (f)
		c->ret->unwind_bytes += f->section.size;
}

int uc_check(const struct uc_image *img, struct uc_check *ret)
{
	struct check c = { .img = img, .ret = ret };
	int err;

	*ret = (struct uc_check){ .abi = uc_image_abi(img) };
	err = read_source(&c, UC_ROWS_EHFRAME, &ret->has_ehframe);
	if (!err)
		err = read_source(&c, UC_ROWS_SFRAME, &ret->has_sframe);
	if (!err)
		err = read_source(&c, UC_ROWS_DEBUGFRAME, &ret->has_debugframe);
	if (!err && ret->has_ehframe)
		err = check_table(&c);
	if (!err)
		err = measure(&c);
	if (!err && ret->has_ehframe && ret->has_sframe)
		err = uc_compare(img, &ret->comparison);
	ret->by_ehframe = covered_by(&c, UC_ROWS_EHFRAME);
	ret->by_sframe = covered_by(&c, UC_ROWS_SFRAME);
	ret->by_debugframe = covered_by(&c, UC_ROWS_DEBUGFRAME);
	count_sections(&c);
	ret->verdict = verdict(ret);
	free(c.start);
	uc_ranges_fini(&c.covered[0]);
	uc_ranges_fini(&c.covered[1]);
	uc_ranges_fini(&c.covered[2]);
	if (err)
		uc_check_fini(ret);
	return err;
}

void uc_check_fini(struct uc_check *c)
{
	uc_ranges_fini(&c->gap);
	uc_comparison_fini(&c->comparison);
	free(c->flaw);
	*c = (struct uc_check){ 0 };
}
