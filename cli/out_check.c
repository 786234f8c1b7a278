/* SPDX-License-Identifier: GPL-2.0-only */
#include "out_check.h"

#include "cli.h"
#include "uc_regnames.h"

#include <inttypes.h>

#define PLACES 20 /* printed of each kind, unless all are wanted */

const char *const check_verdict_word[] = {
	[UC_CHECK_FINE] = "fine",
	[UC_CHECK_DEGRADED] = "degraded",
	[UC_CHECK_IMPOSSIBLE] = "impossible",
};

/* ---- text ---- */

static void text_begin(void)
{
}

static void print_flaw(const struct uc_check_flaw *f)
{
	printf("    %s+0x%" PRIx64 ": %s", uc_image_section_name(f->section), f->offset,
	       f->flaw ? uc_flaw_sentence(f->flaw) : uc_stop_sentence(f->stop));
	if (f->record != f->offset)
		printf(", record at 0x%" PRIx64, f->record);
	if (f->function)
		printf(", of the function at 0x%" PRIx64, f->function);
	putchar('\n');
}

static void print_more(uint64_t nr, uint64_t printed)
{
	if (nr > printed)
		printf("    and %" PRIu64 " more\n", nr - printed);
}

static void print_flaws(const struct uc_check *c)
{
	uint64_t i;

	if (!c->nr_flaws)
		return;
	printf("  malformed or unsupported, in %" PRIu64 " places:\n", c->nr_flaws);
	for (i = 0; i < c->nr_flaws && i < PLACES; i++)
		print_flaw(&c->flaw[i]);
	print_more(c->nr_flaws, i);
}

static void print_gaps(const struct uc_check *c)
{
	size_t i;

	if (!c->gap.nr)
		return;
	printf("  without entry in mapped unwind data: %" PRIu64 " bytes of code, in %zu places:\n",
	       c->uncovered, c->gap.nr);
	for (i = 0; i < c->gap.nr && i < PLACES; i++)
		printf("    0x%" PRIx64 "-0x%" PRIx64 "\n", c->gap.range[i].start,
		       c->gap.range[i].end);
	print_more(c->gap.nr, i);
}

static void print_differences(const struct uc_check *c)
{
	const struct uc_comparison *x = &c->comparison;
	size_t i;

	if (!x->compared)
		return;
	printf("  .eh_frame and .sframe agree on %.2f %% of %" PRIu64 " bytes that both cover",
	       uc_percent(x->compared - x->differing, x->compared), x->compared);
	printf(x->nr ? "; they differ in %" PRIu64 " places:\n" : "\n", x->places);
	for (i = 0; i < x->nr && i < PLACES; i++)
		printf("    0x%" PRIx64 "-0x%" PRIx64 "\n      .eh_frame  %s\n      .sframe    %s\n",
		       x->difference[i].start, x->difference[i].end, x->difference[i].ehframe,
		       x->difference[i].sframe);
	print_more(x->nr > i ? x->places : i, i);
}

static void print_source(const char *name, bool has, uint64_t bytes, uint64_t code)
{
	if (has)
		printf(", %s %.2f %%", name, uc_percent(bytes, code));
}

static void print_verdict(const char *name, const struct uc_check *c)
{
	uc_put_text(name, stdout);
	printf(": %s, %s: %" PRIu64 " bytes of code", check_verdict_word[c->verdict],
	       uc_abi_name(c->abi), c->code);
	print_source(".eh_frame", c->has_ehframe, c->by_ehframe, c->code);
	print_source(".sframe", c->has_sframe, c->by_sframe, c->code);
	print_source(".debug_frame", c->has_debugframe, c->by_debugframe, c->code);
	if (!c->has_ehframe && !c->has_sframe)
		fputs(c->has_debugframe ? ", which is not mapped: readers of the file alone can use it" :
					  ", no unwind data",
		      stdout);
	putchar('\n');
}

static void text_file(const char *name, const struct uc_check *c, bool is_detailed)
{
	if (!is_detailed && c->verdict == UC_CHECK_FINE)
		return;
	print_verdict(name, c);
	if (!is_detailed)
		return;
	print_flaws(c);
	if (c->not_in_table)
		printf("  not in .eh_frame_hdr's table: %" PRIu64 " functions, the first at 0x%" PRIx64
		       "\n",
		       c->not_in_table, c->first_not_in_table);
	print_gaps(c);
	print_differences(c);
}

static void text_unreadable(const char *name, const char *why)
{
	(void)name;
	uc_error("%s", why);
}

static void text_generated(const char *name, uint64_t start, uint64_t end)
{
	uc_put_text(name, stdout);
	printf(": 0x%" PRIx64 "-0x%" PRIx64 " is executable memory of no file: generated code, "
	       "walked by frame pointers if it keeps them\n",
	       start, end);
}

static void text_end(const struct check_sum *s)
{
	if (s->generated)
		printf("%" PRIu64 " ranges of executable memory, %" PRIu64 " bytes, are of no file\n",
		       s->generated, s->generated_bytes);
	if (s->files + s->unreadable < 2)
		return;
	printf("%" PRIu64 " files: %" PRIu64 " fine, %" PRIu64 " degraded, %" PRIu64
	       " impossible, %" PRIu64 " unreadable; %" PRIu64 " others passed over\n",
	       s->files + s->unreadable, s->fine, s->degraded, s->impossible, s->unreadable,
	       s->skipped);
	printf("%" PRIu64 " bytes of code, %.2f %% with an entry; %" PRIu64 " functions, %" PRIu64
	       " rows, %.1f MB of unwind data, %" PRIu64 " flaws\n",
	       s->code, uc_percent(s->code - s->uncovered, s->code), s->functions, s->rows,
	       (double)s->unwind_bytes / 1e6, s->flaws);
}

const struct check_form check_text = { text_begin, text_file, text_unreadable, text_generated,
				       text_end };

/* ---- JSON ---- */

static const char *separator;

static void json_begin(void)
{
	fputs("{\"files\": [", stdout);
	separator = "\n";
}

static void json_name(const char *name)
{
	fputs(separator, stdout);
	separator = ",\n";
	fputs("{\"name\": ", stdout);
	uc_put_json_string(name, stdout);
}

static void json_flaws(const struct uc_check *c)
{
	uint64_t i, nr = c->nr_flaws < UC_CHECK_FLAWS ? c->nr_flaws : UC_CHECK_FLAWS;

	printf(", \"nr_flaws\": %" PRIu64 ", \"flaws\": [", c->nr_flaws);
	for (i = 0; i < nr; i++) {
		const struct uc_check_flaw *f = &c->flaw[i];

		printf("%s{\"section\": \"%s\", \"offset\": %" PRIu64 ", \"record\": %" PRIu64
		       ", \"function\": %" PRIu64 ", \"stop\": \"%s\", \"flaw\": ",
		       i ? ", " : "", uc_image_section_name(f->section), f->offset, f->record,
		       f->function, uc_stop_word(f->stop));
		uc_put_json_string(uc_flaw_sentence(f->flaw), stdout);
		putchar('}');
	}
	putchar(']');
}

static void json_places(const struct uc_check *c)
{
	const struct uc_comparison *x = &c->comparison;
	size_t i;

	fputs(", \"without_entry\": [", stdout);
	for (i = 0; i < c->gap.nr; i++)
		printf("%s[%" PRIu64 ", %" PRIu64 "]", i ? ", " : "", c->gap.range[i].start,
		       c->gap.range[i].end);
	printf("], \"compared\": %" PRIu64 ", \"differing\": %" PRIu64 ", \"differences\": [",
	       x->compared, x->differing);
	for (i = 0; i < x->nr; i++) {
		printf("%s{\"start\": %" PRIu64 ", \"end\": %" PRIu64 ", \"eh_frame\": ",
		       i ? ", " : "", x->difference[i].start, x->difference[i].end);
		uc_put_json_string(x->difference[i].ehframe, stdout);
		fputs(", \"sframe\": ", stdout);
		uc_put_json_string(x->difference[i].sframe, stdout);
		putchar('}');
	}
	putchar(']');
}

static void json_file(const char *name, const struct uc_check *c, bool is_detailed)
{
	(void)is_detailed;
	json_name(name);
	printf(", \"verdict\": \"%s\", \"abi\": \"%s\", \"code\": %" PRIu64, check_verdict_word[c->verdict],
	       uc_abi_name(c->abi), c->code);
	printf(", \"eh_frame\": %" PRIu64 ", \"sframe\": %" PRIu64 ", \"debug_frame\": %" PRIu64
	       ", \"uncovered\": %" PRIu64,
	       c->by_ehframe, c->by_sframe, c->by_debugframe, c->uncovered);
	printf(", \"functions\": %" PRIu64 ", \"rows\": %" PRIu64 ", \"not_in_table\": %" PRIu64,
	       c->functions, c->rows, c->not_in_table);
	json_flaws(c);
	json_places(c);
	putchar('}');
}

static void json_unreadable(const char *name, const char *why)
{
	json_name(name);
	fputs(", \"verdict\": \"unreadable\", \"why\": ", stdout);
	uc_put_json_string(why, stdout);
	putchar('}');
}

static void json_generated(const char *name, uint64_t start, uint64_t end)
{
	json_name(name);
	printf(", \"verdict\": \"generated\", \"start\": %" PRIu64 ", \"end\": %" PRIu64 "}", start,
	       end);
}

static void json_end(const struct check_sum *s)
{
	printf("\n],\n\"sum\": {\"files\": %" PRIu64 ", \"fine\": %" PRIu64 ", \"degraded\": %" PRIu64
	       ", \"impossible\": %" PRIu64 ", \"unreadable\": %" PRIu64 ", \"passed_over\": %" PRIu64,
	       s->files + s->unreadable, s->fine, s->degraded, s->impossible, s->unreadable,
	       s->skipped);
	printf(", \"code\": %" PRIu64 ", \"uncovered\": %" PRIu64 ", \"functions\": %" PRIu64
	       ", \"rows\": %" PRIu64 ", \"unwind_bytes\": %" PRIu64 ", \"flaws\": %" PRIu64
	       ", \"differing\": %" PRIu64 ", \"generated\": %" PRIu64 ", \"generated_bytes\": %" PRIu64
	       "}}\n",
	       s->code, s->uncovered, s->functions, s->rows, s->unwind_bytes, s->flaws,
	       s->differing, s->generated, s->generated_bytes);
}

const struct check_form check_json = { json_begin, json_file, json_unreadable, json_generated,
				       json_end };
