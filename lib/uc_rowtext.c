/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_rowtext.h"

#include <inttypes.h>
#include <stdio.h>

#include "uc_exprtext.h"
#include "uc_regnames.h"

#define OPS_MAX 512 /* bytes of an expression that are looked at */

static const char *register_name(const struct uc_walk *w, u32 number, char buf[16])
{
	const char *name = uc_reg_name((enum uc_abi_id)w->abi.id, number);

	if (name)
		return name;
	snprintf(buf, 16, "r%" PRIu32, number);
	return buf;
}

static const char *rule_name(const struct uc_walk *w, const struct uc_row *row, u32 number)
{
	/* a column without a name is not tracked */
	return number == row->ra_reg ? "ra" : uc_reg_name((enum uc_abi_id)w->abi.id, number);
}

u32 uc_row_rules(const struct uc_rows_event *event, struct uc_row_rule ret[UC_ROW_RULES])
{
	const struct uc_row *row = event->row;
	bool is_sframe = event->section == UC_IMAGE_SFRAME;
	struct uc_row_rule ra = { .name = "ra", .kind = UC_RULE_UNSET };
	u32 i, n = 0;

	if (row->ra_reg == UC_RA_PC) {
		ra.kind = row->pc_kind;
		ra.val = row->pc_val;
	}
	for (i = 0; i < UC_REG_SLOTS; i++) {
		struct uc_row_rule rule = { rule_name(event->walk, row, i), row->kind[i],
					    row->val[i] };

		if (i == row->ra_reg)
			ra = rule;
		else if (rule.kind != UC_RULE_UNSET && rule.name &&
			 !(is_sframe && rule.kind == UC_RULE_UNDEFINED))
			ret[n++] = rule;
	}
	if (ra.kind != UC_RULE_UNSET)
		ret[n++] = ra;
	return n;
}

static void expression(const struct uc_rows_event *event, s64 place, bool push_cfa, char *buf,
		       size_t size)
{
	const struct uc_walk *w = event->walk;
	u8 ops[OPS_MAX];
	s64 len = uc_rows_block(event, place, ops, sizeof(ops));

	if (len < 0)
		snprintf(buf, size, "{unreadable}");
	else
		uc_expr_text((enum uc_abi_id)w->abi.id, w->mod.addr_size, ops,
			     len < OPS_MAX ? (size_t)len : OPS_MAX, push_cfa, buf, size);
}

static void place(const char *base, s64 offset, const char *before, const char *after, char *buf,
		  size_t size)
{
	if (offset)
		snprintf(buf, size, "%s%s%+" PRId64 "%s", before, base, offset, after);
	else
		snprintf(buf, size, "%s%s%s", before, base, after);
}

void uc_cfa_text(const struct uc_rows_event *event, char *buf, size_t size)
{
	const struct uc_row *row = event->row;
	char name[16];
	const char *reg = register_name(event->walk, row->cfa_reg, name);

	switch (row->cfa_kind) {
	case UC_CFA_REG:
		place(reg, row->cfa_off, "", "", buf, size);
		break;
	case UC_CFA_AT_REG:
		place(reg, row->cfa_off, "*(", ")", buf, size);
		break;
	case UC_CFA_EXPR:
		expression(event, row->cfa_expr, false, buf, size);
		break;
	default:
		snprintf(buf, size, "none");
	}
}

void uc_rule_text(const struct uc_rows_event *event, const struct uc_row_rule *rule, char *buf,
		  size_t size)
{
	char text[UC_RULE_TEXT], name[16];
	const char *reg = register_name(event->walk, UC_RULE_REG(rule->val), name);

	switch (rule->kind) {
	case UC_RULE_UNDEFINED:
		snprintf(buf, size, "undefined");
		break;
	case UC_RULE_SAME:
		snprintf(buf, size, "same");
		break;
	case UC_RULE_OFFSET:
		place("cfa", rule->val, "[", "]", buf, size);
		break;
	case UC_RULE_VAL_OFFSET:
		place("cfa", rule->val, "", "", buf, size);
		break;
	case UC_RULE_REGISTER:
		snprintf(buf, size, "%s", register_name(event->walk, (u32)rule->val, name));
		break;
	case UC_RULE_ELSEWHERE:
		snprintf(buf, size, "untracked");
		break;
	case UC_RULE_EXPR:
		expression(event, rule->val, true, text, sizeof(text));
		snprintf(buf, size, "[%s]", text);
		break;
	case UC_RULE_VAL_EXPR:
		expression(event, rule->val, true, buf, size);
		break;
	case UC_RULE_VAL_REGISTER:
		place(reg, UC_RULE_REG_OFF(rule->val), "", "", buf, size);
		break;
	case UC_RULE_AT_REGISTER:
		place(reg, UC_RULE_REG_OFF(rule->val), "[", "]", buf, size);
		break;
	default:
		snprintf(buf, size, "unset");
	}
}
