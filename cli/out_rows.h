/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of uncoil rows, as text and as JSON. */
#ifndef UC_OUT_ROWS_H
#define UC_OUT_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "uc_dso.h"
#include "uc_rows.h"
#include "uc_rowtext.h"

struct rows_out {
	FILE *out;
	struct uc_dso *dso; /* for names; NULL: none */
	/* of JSON */
	bool is_open; /* a function's object is */
	const char *separator, *row_separator;
	char text[UC_RULE_TEXT];
};

/* A form of output. The file's name is that of where the section was found. */
struct rows_form {
	void (*begin)(struct rows_out *o, const char *file, enum uc_abi_id abi,
		      const char *section);
	void (*function)(struct rows_out *o, const struct uc_rows_event *e);
	void (*row)(struct rows_out *o, const struct uc_rows_event *e);
	void (*flaw)(struct rows_out *o, const struct uc_rows_event *e);
	void (*end)(struct rows_out *o);
};

extern const struct rows_form rows_text, rows_json;

/* The name that --from takes. 0, or UC_EXIT_USAGE having said so. */
int uc_parse_rows_source(const char *verb, const char *name, enum uc_rows_source *ret);

#endif
