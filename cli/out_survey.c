/* SPDX-License-Identifier: GPL-2.0-only */
#include "out_survey.h"

#include "cli.h"
#include "uc_regnames.h"

#include <inttypes.h>

#define SHAPES 20 /* printed; JSON has all */

static const char *const cfa_name[] = {
	[UC_SURVEY_CFA_SP] = "stack pointer + offset",
	[UC_SURVEY_CFA_FP] = "frame pointer + offset",
	[UC_SURVEY_CFA_OTHER] = "other register + offset",
	[UC_SURVEY_CFA_EXPR] = "expression or memory",
	[UC_SURVEY_CFA_NONE] = "none",
};

static const char *const subset_name[] = {
	[UC_SURVEY_SP] = "stack pointer alone",
	[UC_SURVEY_SP_FP] = "stack and frame pointer",
	[UC_SURVEY_PRESERVED] = "stack pointer and callee-saved",
	[UC_SURVEY_ALL] = "all registers",
};

static const char *const rule_name[] = {
	[UC_RULE_UNDEFINED] = "undefined",
	[UC_RULE_SAME] = "same",
	[UC_RULE_OFFSET] = "[cfa+N]",
	[UC_RULE_VAL_OFFSET] = "cfa+N",
	[UC_RULE_REGISTER] = "register",
	[UC_RULE_ELSEWHERE] = "other register",
	[UC_RULE_EXPR] = "[expression]",
	[UC_RULE_VAL_EXPR] = "expression",
	[UC_RULE_VAL_REGISTER] = "register+N",
	[UC_RULE_AT_REGISTER] = "[register+N]",
};
#define NR_RULES (sizeof(rule_name) / sizeof(rule_name[0]))

/* Of a register's number, or of the return address's own column. */
static const char *register_name(const struct uc_survey *s, uint32_t number)
{
	const char *name = number == UC_RA_PC ? "pc" : uc_reg_name(s->abi, number);

	return name ? name : "?";
}

/* ---- text ---- */

static void print_line(const char *name, const struct uc_survey_count *c,
		       const struct uc_survey_count *all)
{
	printf("    %-32s %12" PRIu64 " rows %6.2f %%   %14" PRIu64 " bytes %6.2f %%\n", name, c->rows,
	       uc_percent(c->rows, all->rows), c->bytes, uc_percent(c->bytes, all->bytes));
}

static void print_rules(const struct uc_survey *s)
{
	char name[64];
	uint32_t i, j;

	puts("  rules of registers");
	for (i = 0; i <= UC_REG_SLOTS; i++)
		for (j = 0; j < NR_RULES; j++) {
			if (!s->rule[i][j].rows || !rule_name[j])
				continue;
			snprintf(name, sizeof(name), "%s %s", register_name(s, i), rule_name[j]);
			print_line(name, &s->rule[i][j], &s->all);
		}
}

static void print_shapes(const struct uc_survey *s)
{
	size_t i;

	if (!s->nr_shapes)
		return;
	printf("  expressions: %zu forms\n", s->nr_shapes);
	for (i = 0; i < s->nr_shapes && i < SHAPES; i++)
		print_line(s->shape[i].text, &s->shape[i].count, &s->all);
	if (s->nr_shapes > SHAPES)
		printf("    and %zu more\n", s->nr_shapes - SHAPES);
	if (s->shapes_not_kept)
		printf("    and %" PRIu64 " rows with forms that were too many to keep\n",
		       s->shapes_not_kept);
}

static void print_survey(const struct uc_survey *s)
{
	uint32_t i;

	printf("%s: %" PRIu64 " files, %" PRIu64 " functions, %" PRIu64 " rows, %" PRIu64
	       " bytes of code, %" PRIu64 " flaws\n",
	       uc_abi_name(s->abi), s->files, s->functions, s->all.rows, s->all.bytes, s->flaws);
	puts("  the CFA");
	for (i = 0; i < UC_SURVEY_CFAS; i++)
		if (s->cfa[i].rows)
			print_line(cfa_name[i], &s->cfa[i], &s->all);
	puts("  ... its register");
	for (i = 0; i < UC_REG_SLOTS; i++)
		if (s->cfa_register[i].rows)
			print_line(register_name(s, i), &s->cfa_register[i], &s->all);
	print_rules(s);
	print_shapes(s);
	puts("  a step is possible with");
	for (i = 0; i < UC_SURVEY_SUBSETS; i++)
		print_line(subset_name[i], &s->walkable[i], &s->all);
	puts("  of these");
	print_line("outermost", &s->outermost, &s->all);
	print_line("signal frames", &s->signal, &s->all);
	puts("  the row cache");
	print_line("rows that fit it", &s->packable, &s->all);
}

void survey_print_text(const struct survey_sum *sum, const struct uc_survey *surveys)
{
	int i;

	for (i = 0; i < UC_ABI_COUNT; i++)
		if (surveys[i].files)
			print_survey(&surveys[i]);
	printf("%" PRIu64 " files, %.1f MB of unwind data; %" PRIu64 " files without, %" PRIu64
	       " unreadable, %" PRIu64 " others passed over\n",
	       sum->files, (double)sum->unwind_bytes / 1e6, sum->without, sum->unreadable,
	       sum->skipped);
}

/* ---- JSON ---- */

static void json_count(const char *name, const struct uc_survey_count *c, const char **separator)
{
	fputs(*separator, stdout);
	*separator = ", ";
	uc_put_json_string(name, stdout);
	printf(": {\"rows\": %" PRIu64 ", \"bytes\": %" PRIu64 "}", c->rows, c->bytes);
}

static void json_counts(const char *name, const char *const *names,
			const struct uc_survey_count *counts, uint32_t nr)
{
	const char *separator = "";
	uint32_t i;

	printf(", \"%s\": {", name);
	for (i = 0; i < nr; i++)
		json_count(names[i], &counts[i], &separator);
	putchar('}');
}

static void json_registers(const struct uc_survey *s)
{
	const char *separator = "", *inner;
	uint32_t i, j;

	fputs(", \"cfa_register\": {", stdout);
	for (i = 0; i < UC_REG_SLOTS; i++)
		if (s->cfa_register[i].rows)
			json_count(register_name(s, i), &s->cfa_register[i], &separator);
	fputs("}, \"rules\": {", stdout);
	separator = "";
	for (i = 0; i <= UC_REG_SLOTS; i++) {
		inner = "";
		for (j = 0; j < NR_RULES; j++) {
			if (!s->rule[i][j].rows || !rule_name[j])
				continue;
			if (!*inner)
				printf("%s\"%s\": {", separator, register_name(s, i));
			json_count(rule_name[j], &s->rule[i][j], &inner);
		}
		if (*inner) {
			putchar('}');
			separator = ", ";
		}
	}
	putchar('}');
}

static void json_survey(const struct uc_survey *s)
{
	const char *separator = "";
	size_t i;

	printf("\"%s\": {\"files\": %" PRIu64 ", \"functions\": %" PRIu64 ", \"flaws\": %" PRIu64
	       ", \"rows\": %" PRIu64 ", \"bytes\": %" PRIu64,
	       uc_abi_name(s->abi), s->files, s->functions, s->flaws, s->all.rows, s->all.bytes);
	json_counts("cfa", cfa_name, s->cfa, UC_SURVEY_CFAS);
	json_registers(s);
	json_counts("walkable", subset_name, s->walkable, UC_SURVEY_SUBSETS);
	fputs(", \"expressions\": {", stdout);
	for (i = 0; i < s->nr_shapes; i++)
		json_count(s->shape[i].text, &s->shape[i].count, &separator);
	fputs("}, ", stdout);
	separator = "";
	json_count("outermost", &s->outermost, &separator);
	json_count("signal", &s->signal, &separator);
	json_count("packable", &s->packable, &separator);
	putchar('}');
}

void survey_print_json(const struct survey_sum *sum, const struct uc_survey *surveys)
{
	const char *separator = "";
	int i;

	fputs("{\"abi\": {", stdout);
	for (i = 0; i < UC_ABI_COUNT; i++) {
		if (!surveys[i].files)
			continue;
		fputs(separator, stdout);
		separator = ",\n";
		json_survey(&surveys[i]);
	}
	printf("},\n\"sum\": {\"files\": %" PRIu64 ", \"without\": %" PRIu64 ", \"unreadable\": %" PRIu64
	       ", \"passed_over\": %" PRIu64 ", \"unwind_bytes\": %" PRIu64 "}}\n",
	       sum->files, sum->without, sum->unreadable, sum->skipped, sum->unwind_bytes);
}
