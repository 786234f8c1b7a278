/* SPDX-License-Identifier: GPL-2.0-only */
/* uncoil report --json: the summary as one object, for scripts. */
#include "cli.h"
#include "summary.h"

#include <inttypes.h>
#include <string.h>

static void put_member(const char *name, uint64_t value, const char **separator, FILE *out)
{
	fputs(*separator, out);
	uc_put_json_string(name, out);
	fprintf(out, ": %" PRIu64, value);
	*separator = ", ";
}

static void put_stops(const struct uc_summary *s, FILE *out)
{
	const char *separator = "";
	int i;

	fputs("  \"stops\": {", out);
	for (i = 0; i < UNCOIL_STOP_COUNT; i++)
		if (s->stop[i])
			put_member(uc_stop_word(i), s->stop[i], &separator, out);
	fputs("},\n", out);
}

/* A name twice would be no member of its own. */
static void put_losses(const struct uc_summary *s, FILE *out)
{
	const char *separator = "";
	uint64_t sum;
	size_t i, j;

	fputs("  \"lost\": {", out);
	for (i = 0; i < s->nr_losses; i++) {
		for (j = 0; j < i && strcmp(s->loss[j].name, s->loss[i].name); j++)
			;
		if (j < i)
			continue;
		for (sum = 0; j < s->nr_losses; j++)
			if (!strcmp(s->loss[j].name, s->loss[i].name))
				sum += s->loss[j].count;
		put_member(s->loss[i].name, sum, &separator, out);
	}
	fputs("},\n", out);
}

void uc_print_json(const struct uc_summary *s, FILE *out)
{
	fprintf(out, "{\n  \"samples\": %" PRIu64 ",\n", s->samples);
	fprintf(out, "  \"user_stacks\": %" PRIu64 ",\n", s->user_stacks);
	fprintf(out, "  \"complete\": %" PRIu64 ",\n", s->stop[UNCOIL_STOP_OUTERMOST]);
	put_stops(s, out);
	put_losses(s, out);
	fprintf(out, "  \"bytes_per_sample\": %.1f,\n  \"engine\": ", s->bytes_per_sample);
	if (s->engine)
		uc_put_json_string(s->engine, out);
	else
		fputs("null", out);
	fputs("\n}\n", out);
}
