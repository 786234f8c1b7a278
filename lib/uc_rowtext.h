/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows as text, in the terms of the field: "CFA=rsp+16 rbx=[cfa-16] ra=[cfa-8]". */
#ifndef UC_ROWTEXT_H
#define UC_ROWTEXT_H

#include "uc_rows.h"

#define UC_RULE_TEXT 512 /* bytes; longer expressions are cut off */

/* A register's rule. */
struct uc_row_rule {
	const char *name; /* "ra" for the return address's column */
	u8 kind; /* enum uc_rule_kind */
	s32 val;
};
#define UC_ROW_RULES (UC_REG_SLOTS + 1)

/* The rules that a row's event gives, the return address's last. What .sframe can
 * not express, and so says of every row, is left out. Returns their number. */
u32 uc_row_rules(const struct uc_rows_event *event, struct uc_row_rule ret[UC_ROW_RULES]);

/* "rsp+16", "*(rbp-8)", or "none" */
void uc_cfa_text(const struct uc_rows_event *event, char *buf, size_t size);
/*
 * "[cfa-16]": saved there; "cfa-16": has that value; "rdi": is in that register;
 * "undefined"; "same".
 */
void uc_rule_text(const struct uc_rows_event *event, const struct uc_row_rule *rule, char *buf,
		  size_t size);

#endif
