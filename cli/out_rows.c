/* SPDX-License-Identifier: GPL-2.0-only */
#include "out_rows.h"

#include <inttypes.h>

#include "cli.h"
#include "uc_regnames.h"

/* The name of the function at @e, and how far behind its start it is. The FDE of
 * a signal trampoline starts one byte before it. */
static const char *function_name(const struct rows_out *o, const struct uc_rows_event *e,
				 uint64_t *ret_offset)
{
	struct uc_dso_symbol sym;

	*ret_offset = 0;
	if (!o->dso)
		return NULL;
	if (uc_dso_find(o->dso, e->start, &sym) && sym.name) {
		*ret_offset = e->start - sym.start;
		return sym.name;
	}
	if (e->is_signal && uc_dso_find(o->dso, e->start + 1, &sym))
		return sym.name;
	return NULL;
}

/* ---- text ---- */

static void text_begin(struct rows_out *o, const char *file, enum uc_abi_id abi,
		       const char *section)
{
	uc_put_text(file, o->out);
	fprintf(o->out, ": %s, %s\n", section, uc_abi_name(abi));
}

static void text_function(struct rows_out *o, const struct uc_rows_event *e)
{
	uint64_t offset;
	const char *name = function_name(o, e, &offset);

	fprintf(o->out, "%" PRIx64 "-%" PRIx64, e->start, e->end);
	if (name) {
		fputc(' ', o->out);
		uc_put_text(name, o->out);
		if (offset)
			fprintf(o->out, "+0x%" PRIx64, offset);
	}
	fprintf(o->out, ", FDE at 0x%" PRIx64, e->offset);
	if (e->is_signal)
		fputs(", signal frame", o->out);
	if (e->repeat)
		fprintf(o->out, ", repeats every %" PRIu32 " bytes", e->repeat);
	if (e->by_table)
		fputs(", in the search table alone", o->out);
	fputc('\n', o->out);
}

static void text_row(struct rows_out *o, const struct uc_rows_event *e)
{
	struct uc_row_rule rule[UC_ROW_RULES];
	u32 i, nr = uc_row_rules(e, rule);

	uc_cfa_text(e, o->text, sizeof(o->text));
	fprintf(o->out, "  %" PRIx64 "-%" PRIx64 "  CFA=%s", e->start, e->end, o->text);
	for (i = 0; i < nr; i++) {
		uc_rule_text(e, &rule[i], o->text, sizeof(o->text));
		fprintf(o->out, " %s=%s", rule[i].name, o->text);
	}
	if (e->row->ra_state)
		fputs(" signed", o->out);
	fputc('\n', o->out);
}

static void text_flaw(struct rows_out *o, const struct uc_rows_event *e)
{
	fprintf(o->out, "! %s+0x%" PRIx64 ": %s", uc_image_section_name(e->section), e->offset,
		uc_stop_word(e->stop));
	if (e->flaw)
		fprintf(o->out, ": %s", uc_flaw_sentence(e->flaw));
	if (e->record != e->offset)
		fprintf(o->out, "; record at 0x%" PRIx64, e->record);
	fputc('\n', o->out);
}

static void text_end(struct rows_out *o)
{
	(void)o;
}

const struct rows_form rows_text = { text_begin, text_function, text_row, text_flaw, text_end };

/* ---- JSON: addresses are strings, as numbers of some readers have 53 bits ---- */

static void json_begin(struct rows_out *o, const char *file, enum uc_abi_id abi,
		       const char *section)
{
	fputs("{\"file\": ", o->out);
	uc_put_json_string(file, o->out);
	fprintf(o->out, ", \"section\": \"%s\", \"abi\": \"%s\", \"records\": [", section,
		uc_abi_name(abi));
	o->separator = "\n";
}

static void json_close(struct rows_out *o)
{
	if (o->is_open)
		fputs("]}", o->out);
	o->is_open = false;
}

static void json_record(struct rows_out *o)
{
	json_close(o);
	fputs(o->separator, o->out);
	o->separator = ",\n";
}

static void json_function(struct rows_out *o, const struct uc_rows_event *e)
{
	uint64_t offset;
	const char *name = function_name(o, e, &offset);

	json_record(o);
	fprintf(o->out, "{\"start\": \"0x%" PRIx64 "\", \"end\": \"0x%" PRIx64 "\", \"fde\": %" PRIu64,
		e->start, e->end, e->offset);
	if (name) {
		fputs(", \"name\": ", o->out);
		uc_put_json_string(name, o->out);
		fprintf(o->out, ", \"name_offset\": %" PRIu64, offset);
	}
	if (e->is_signal)
		fputs(", \"signal\": true", o->out);
	if (e->repeat)
		fprintf(o->out, ", \"repeat\": %" PRIu32, e->repeat);
	if (e->by_table)
		fputs(", \"by_table\": true", o->out);
	fputs(", \"rows\": [", o->out);
	o->row_separator = "\n  ";
	o->is_open = true;
}

static void json_row(struct rows_out *o, const struct uc_rows_event *e)
{
	struct uc_row_rule rule[UC_ROW_RULES];
	u32 i, nr = uc_row_rules(e, rule);

	fprintf(o->out, "%s{\"start\": \"0x%" PRIx64 "\", \"end\": \"0x%" PRIx64 "\", \"cfa\": ",
		o->row_separator, e->start, e->end);
	o->row_separator = ",\n  ";
	uc_cfa_text(e, o->text, sizeof(o->text));
	uc_put_json_string(o->text, o->out);
	fputs(", \"registers\": {", o->out);
	for (i = 0; i < nr; i++) {
		fprintf(o->out, "%s\"%s\": ", i ? ", " : "", rule[i].name);
		uc_rule_text(e, &rule[i], o->text, sizeof(o->text));
		uc_put_json_string(o->text, o->out);
	}
	fputc('}', o->out);
	if (e->row->ra_state)
		fprintf(o->out, ", \"ra_state\": %d", e->row->ra_state);
	fputc('}', o->out);
}

static void json_flaw(struct rows_out *o, const struct uc_rows_event *e)
{
	json_record(o);
	fprintf(o->out,
		"{\"flaw\": \"%s\", \"stop\": \"%s\", \"section\": \"%s\", \"offset\": %" PRIu64
		", \"record\": %" PRIu64 "}",
		uc_flaw_sentence(e->flaw), uc_stop_word(e->stop),
		uc_image_section_name(e->section), e->offset, e->record);
}

static void json_end(struct rows_out *o)
{
	json_close(o);
	fputs("]}\n", o->out);
}

const struct rows_form rows_json = { json_begin, json_function, json_row, json_flaw, json_end };
