/* SPDX-License-Identifier: GPL-2.0-only */
/* uncoil report --stops: how stacks ended, and where those that are partial did. */
#include "cli.h"
#include "summary.h"

#include <inttypes.h>

#define PLACES_SHOWN 10 /* of each stop */

/* "     123  /usr/lib/libx.so+0x1f30 function+0x4: unknown CFA opcode" */
static void print_place(const struct uc_place *p, FILE *out)
{
	fprintf(out, "  %8" PRIu64 "  ", p->count);
	if (!p->addr) {
		fputs("(address not told)", out);
	} else if (!p->sym.dso) {
		fprintf(out, "0x%" PRIx64 " (in no known mapping)", p->addr);
	} else {
		uc_put_text(p->sym.dso, out);
		if (p->sym.dso_addr)
			fprintf(out, "+0x%" PRIx64, p->sym.dso_addr);
		else
			fprintf(out, " (at 0x%" PRIx64 ")", p->addr);
	}
	if (p->sym.name) {
		fputc(' ', out);
		uc_put_text(p->sym.name, out);
		fprintf(out, "+0x%" PRIx64, p->sym.offset);
	}
	if (p->flaw)
		fprintf(out, ": %s", uc_flaw_sentence(p->flaw));
	fputc('\n', out);
}

static void print_places(const struct uc_summary *s, int stop, FILE *out)
{
	uint64_t rest = 0;
	size_t i, shown = 0, hidden = 0;

	for (i = 0; i < s->nr_places; i++) {
		if (s->place[i]->stop != stop)
			continue;
		if (shown < PLACES_SHOWN) {
			print_place(s->place[i], out);
			shown++;
		} else {
			rest += s->place[i]->count;
			hidden++;
		}
	}
	if (hidden)
		fprintf(out, "  %8" PRIu64 "  at %zu more places\n", rest, hidden);
}

void uc_print_stops(const struct uc_summary *s, FILE *out)
{
	int stop;

	fprintf(out, "#\n# %8s  %7s  %-14s %s\n", "stacks", "share", "stop", "meaning");
	for (stop = 0; stop < UNCOIL_STOP_COUNT; stop++) {
		if (!s->stop[stop])
			continue;
		fprintf(out, "%10" PRIu64 "  %6.2f%%  %-14s %s\n", s->stop[stop],
			uc_percent(s->stop[stop], s->user_stacks),
			uc_stop_word(stop), uc_stop_sentence(stop));
		print_places(s, stop, out);
	}
}
