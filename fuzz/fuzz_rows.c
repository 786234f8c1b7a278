/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All rows of foreign files, and their texts. An input is the file; each of its
 * sections is listed.
 */
#include "uc_rows.h"
#include "uc_rowtext.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes that a listing may read again and again, as uc_rows.c bounds them. */
#define WORK(size) ((1u << 20) + 16 * (size))

struct listing {
	u64 start, end; /* of the function at hand */
	bool in_function;
	size_t nr; /* events */
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_row(const struct uc_rows_event *e)
{
	struct uc_row_rule rule[UC_ROW_RULES];
	char text[UC_RULE_TEXT];
	u32 i, nr = uc_row_rules(e, rule);

	require(nr <= UC_ROW_RULES);
	uc_cfa_text(e, text, sizeof(text));
	require(strlen(text) < sizeof(text));
	for (i = 0; i < nr; i++) {
		require(rule[i].name && rule[i].kind != UC_RULE_UNSET);
		uc_rule_text(e, &rule[i], text, sizeof(text));
		require(text[0] && strlen(text) < sizeof(text));
	}
}

static int on_event(const struct uc_rows_event *e, void *arg)
{
	struct listing *l = arg;

	l->nr++;
	switch (e->kind) {
	case UC_ROWS_FDE:
		require(e->start <= e->end);
		l->start = e->start;
		l->end = e->end;
		l->in_function = true;
		break;
	case UC_ROWS_ROW:
		require(l->in_function && e->start >= l->start && e->start <= e->end);
		require(e->end <= l->end || e->start == e->end);
		/* the texts of each of a million rows would take too long */
		if (l->nr < 1000)
			check_row(e);
		break;
	case UC_ROWS_FLAW:
		require(e->stop > UNCOIL_STOP_NONE && e->stop < UNCOIL_STOP_COUNT);
		require(e->flaw < UNCOIL_FLAW_COUNT);
		break;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum uc_rows_source source;
	struct uc_image *img;
	struct listing l;
	char err[128];
	int rc;

	if (uc_image_open_memory(data, size, "input", &img, err, sizeof(err)))
		return 0;
	for (source = UC_ROWS_EHFRAME; source <= UC_ROWS_DEBUGFRAME; source++) {
		memset(&l, 0, sizeof(l));
		rc = uc_rows_each(img, source, on_event, &l);
		require(rc <= 0);
		require(l.nr < WORK(size));
	}
	uc_image_free(img);
	return 0;
}
