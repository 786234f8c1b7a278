/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_survey.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "uc_core.h"
#include "uc_rowtext.h"
#include "uc_trial.h"

struct survey {
	struct uc_survey *ret;
	struct uc_trial trial;
	u32 subset[UC_SURVEY_SUBSETS]; /* bit by register */
};

static void count(struct uc_survey_count *c, u64 bytes)
{
	c->rows++;
	c->bytes += bytes;
}

/* ---- expressions ---- */

/* Numbers become N, so that what differs in them alone is one shape. */
static void to_shape(const char *text, char *shape, size_t size)
{
	size_t n = 0;
	char before = '\0';

	while (*text && n + 1 < size) {
		bool is_number = isdigit((unsigned char)*text) && !isalnum((unsigned char)before);

		before = *text;
		if (!is_number) {
			shape[n++] = *text++;
			continue;
		}
		shape[n++] = 'N';
		while (isxdigit((unsigned char)*text) || *text == 'x')
			before = *text++;
	}
	shape[n] = '\0';
}

static int count_shape(struct uc_survey *s, const char *text, u64 bytes)
{
	char shape[UC_RULE_TEXT];
	struct uc_survey_shape *more;
	size_t i;

	to_shape(text, shape, sizeof(shape));
	for (i = 0; i < s->nr_shapes; i++)
		if (!strcmp(s->shape[i].text, shape))
			break;
	if (i == UC_SURVEY_SHAPES) {
		s->shapes_not_kept++;
		return 0;
	}
	if (i == s->nr_shapes) {
		if (s->nr_shapes == s->room) {
			s->room = s->room ? 2 * s->room : 64;
			more = reallocarray(s->shape, s->room, sizeof(*more));
			if (!more)
				return -ENOMEM;
			s->shape = more;
		}
		s->shape[i] = (struct uc_survey_shape){ .text = strdup(shape) };
		if (!s->shape[i].text)
			return -ENOMEM;
		s->nr_shapes++;
	}
	count(&s->shape[i].count, bytes);
	return 0;
}

static int count_expressions(struct survey *s, const struct uc_rows_event *e, u64 bytes)
{
	struct uc_row_rule rules[UC_ROW_RULES];
	char text[UC_RULE_TEXT];
	int err = 0;
	u32 i, nr;

	if (e->row->cfa_kind == UC_CFA_EXPR) {
		uc_cfa_text(e, text, sizeof(text));
		err = count_shape(s->ret, text, bytes);
	}
	nr = uc_row_rules(e, rules);
	for (i = 0; !err && i < nr; i++) {
		if (rules[i].kind != UC_RULE_EXPR && rules[i].kind != UC_RULE_VAL_EXPR)
			continue;
		uc_rule_text(e, &rules[i], text, sizeof(text));
		err = count_shape(s->ret, text, bytes);
	}
	return err;
}

/* ---- rules ---- */

static bool has_expression(const struct uc_row *row)
{
	u32 i;

	if (row->cfa_kind == UC_CFA_EXPR)
		return true;
	for (i = 0; i < UC_REG_SLOTS; i++)
		if (row->kind[i] == UC_RULE_EXPR || row->kind[i] == UC_RULE_VAL_EXPR)
			return true;
	return row->pc_kind == UC_RULE_EXPR || row->pc_kind == UC_RULE_VAL_EXPR;
}

static void count_cfa(struct survey *s, const struct uc_row *row, u64 bytes)
{
	const struct uc_abi *abi = &s->trial.walk->abi;
	enum uc_survey_cfa kind = UC_SURVEY_CFA_OTHER;

	if (row->cfa_kind == UC_CFA_NONE)
		kind = UC_SURVEY_CFA_NONE;
	else if (row->cfa_kind == UC_CFA_EXPR || row->cfa_kind == UC_CFA_AT_REG)
		kind = UC_SURVEY_CFA_EXPR;
	else if (row->cfa_reg == abi->sp)
		kind = UC_SURVEY_CFA_SP;
	else if (row->cfa_reg == abi->fp)
		kind = UC_SURVEY_CFA_FP;
	count(&s->ret->cfa[kind], bytes);
	if (row->cfa_kind == UC_CFA_REG || row->cfa_kind == UC_CFA_AT_REG)
		count(&s->ret->cfa_register[row->cfa_reg & UC_REG_MASK], bytes);
}

static void count_rules(struct survey *s, const struct uc_row *row, u64 bytes)
{
	u32 i;

	for (i = 0; i < UC_REG_SLOTS; i++)
		if (row->kind[i] != UC_RULE_UNSET)
			count(&s->ret->rule[i][row->kind[i]], bytes);
	if (row->ra_reg == UC_RA_PC)
		count(&s->ret->rule[UC_REG_SLOTS][row->pc_kind], bytes);
	if (row->signal)
		count(&s->ret->signal, bytes);
}

/* ---- what a step needs ---- */

static u32 return_address_kind(const struct uc_row *row)
{
	return row->ra_reg == UC_RA_PC ? row->pc_kind : row->kind[row->ra_reg & UC_REG_MASK];
}

/* Registers without which the row gives no caller, where that can be told from
 * the row alone. */
static bool needs(const struct uc_row *row, u32 *ret)
{
	u32 ra = return_address_kind(row);

	if (row->cfa_kind != UC_CFA_REG || ra != UC_RULE_OFFSET)
		return false;
	*ret = UC_BIT(row->cfa_reg & UC_REG_MASK);
	return true;
}

static void count_subsets(struct survey *s, const struct uc_rows_event *e, u64 bytes)
{
	struct uc_walk *w = s->trial.walk;
	u32 i, need = 0;
	bool is_simple;

	if (return_address_kind(e->row) == UC_RULE_UNDEFINED) {
		count(&s->ret->outermost, bytes);
		for (i = 0; i < UC_SURVEY_SUBSETS; i++)
			count(&s->ret->walkable[i], bytes);
		return;
	}
	is_simple = needs(e->row, &need);
	for (i = 0; i < UC_SURVEY_SUBSETS; i++) {
		bool can = !(need & ~s->subset[i]);

		if (!is_simple) {
			w->row = *e->row;
			w->sec = e->walk->sec;
			can = !uc_trial_apply(&s->trial, e->start, s->subset[i]).rc;
		}
		if (can)
			count(&s->ret->walkable[i], bytes);
	}
}

static void count_packable(struct survey *s, const struct uc_rows_event *e, u64 bytes)
{
	struct uc_walk *w = s->trial.walk;

	w->row = *e->row;
	w->bare = 0;
	if (!uc_row_pack(w))
		count(&s->ret->packable, bytes);
}

static int on_event(const struct uc_rows_event *e, void *arg)
{
	struct survey *s = arg;
	u64 bytes;

	if (e->kind == UC_ROWS_FLAW)
		s->ret->flaws++;
	else if (e->kind == UC_ROWS_FDE)
		s->ret->functions++;
	if (e->kind != UC_ROWS_ROW)
		return 0;
	bytes = e->end - e->start;
	count(&s->ret->all, bytes);
	count_cfa(s, e->row, bytes);
	count_rules(s, e->row, bytes);
	count_subsets(s, e, bytes);
	count_packable(s, e, bytes);
	return has_expression(e->row) ? count_expressions(s, e, bytes) : 0;
}

int uc_survey_add(struct uc_survey *ret, const struct uc_image *img, enum uc_rows_source source)
{
	static const enum uc_image_section_id sections[] = {
		[UC_ROWS_EHFRAME] = UC_IMAGE_EH_FRAME,
		[UC_ROWS_SFRAME] = UC_IMAGE_SFRAME,
		[UC_ROWS_DEBUGFRAME] = UC_IMAGE_DEBUG_FRAME,
	};
	struct survey s = { .ret = ret };
	const struct uc_abi *abi;
	u32 ra;
	int err = uc_trial_begin(&s.trial, img);

	if (err)
		return err;
	abi = &s.trial.walk->abi;
	ra = abi->ra_slot ? 0 : UC_BIT(abi->ra);
	s.subset[UC_SURVEY_SP] = UC_BIT(abi->sp) | ra;
	s.subset[UC_SURVEY_SP_FP] = s.subset[UC_SURVEY_SP] | UC_BIT(abi->fp);
	s.subset[UC_SURVEY_PRESERVED] = s.subset[UC_SURVEY_SP] | abi->preserved;
	s.subset[UC_SURVEY_ALL] = abi->regs;
	err = uc_rows_each(img, source, on_event, &s);
	if (!err) {
		ret->files++;
		ret->section_bytes += uc_image_section(img, sections[source])->size;
	}
	uc_trial_end(&s.trial);
	return err;
}

static int compare_shapes(const void *a, const void *b)
{
	const struct uc_survey_shape *x = a, *y = b;

	if (x->count.rows != y->count.rows)
		return x->count.rows > y->count.rows ? -1 : 1;
	return strcmp(x->text, y->text);
}

void uc_survey_sort(struct uc_survey *s)
{
	if (s->nr_shapes)
		qsort(s->shape, s->nr_shapes, sizeof(*s->shape), compare_shapes);
}

void uc_survey_fini(struct uc_survey *s)
{
	size_t i;

	for (i = 0; i < s->nr_shapes; i++)
		free(s->shape[i].text);
	free(s->shape);
	*s = (struct uc_survey){ .abi = s->abi };
}
