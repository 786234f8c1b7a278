/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE 1
#include "summary.h"

#include "cli.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of one file are the same place in all processes. */
static int compare_places(const void *a, const void *b)
{
	const struct uc_place *x = a, *y = b;
	uint64_t addr_x = x->sym.dso_addr ? x->sym.dso_addr : x->addr;
	uint64_t addr_y = y->sym.dso_addr ? y->sym.dso_addr : y->addr;

	if (x->stop != y->stop)
		return x->stop < y->stop ? -1 : 1;
	if (x->flaw != y->flaw)
		return x->flaw < y->flaw ? -1 : 1;
	if (x->sym.dso != y->sym.dso)
		return (uintptr_t)x->sym.dso < (uintptr_t)y->sym.dso ? -1 : 1;
	return (addr_x > addr_y) - (addr_x < addr_y);
}

static int new_place(struct uc_summary *s, const struct uc_place *key)
{
	struct uc_place **grown, *place;

	grown = realloc(s->place, (s->nr_places + 1) * sizeof(struct uc_place *));
	if (!grown)
		return uc_no_memory();
	s->place = grown;
	place = malloc(sizeof(*place));
	if (!place)
		return uc_no_memory();
	*place = *key;
	place->count = 1;
	s->place[s->nr_places++] = place;
	return tsearch(place, &s->place_tree, compare_places) ? UC_EXIT_OK : uc_no_memory();
}

static int add_place(struct uc_summary *s, struct uc_replay *r, const struct uc_perf_event *ev)
{
	struct uc_place key = { .stop = ev->stop, .flaw = ev->flaw, .addr = ev->stop_addr };
	struct uc_place **found;

	if (key.addr)
		uc_symbols_data(r->symbols, ev->pid, key.addr, &key.sym);
	found = tfind(&key, &s->place_tree, compare_places);
	if (!found)
		return new_place(s, &key);
	(*found)->count++;
	return UC_EXIT_OK;
}

int uc_summary_add(struct uc_summary *s, struct uc_replay *r, const struct uc_perf_event *ev)
{
	s->samples++;
	s->no_stack += uc_sample_lost_stack(ev);
	if (!ev->has_user)
		return UC_EXIT_OK;
	s->user_stacks++;
	s->stop[ev->stop]++;
	if (ev->stop == UNCOIL_STOP_NONE || ev->stop == UNCOIL_STOP_OUTERMOST)
		return UC_EXIT_OK;
	return add_place(s, r, ev);
}

static void take_engine(const char *rest, size_t len, void *arg)
{
	struct uc_summary *s = arg;

	free(s->engine);
	s->engine = strndup(rest, len);
}

static void take_loss(const char *rest, size_t len, void *arg)
{
	struct uc_summary *s = arg;
	size_t name_len = strcspn(rest, " \n");
	struct uc_loss *grown;

	if (name_len + 1 >= len)
		return;
	grown = realloc(s->loss, (s->nr_losses + 1) * sizeof(*grown));
	if (!grown)
		return;
	s->loss = grown;
	s->loss[s->nr_losses].name = strndup(rest, name_len);
	s->loss[s->nr_losses].count = strtoull(rest + name_len + 1, NULL, 10);
	s->nr_losses += s->loss[s->nr_losses].name != NULL;
}

static int by_count(const void *a, const void *b)
{
	const struct uc_place *const *x = a, *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count > (*y)->count ? -1 : 1;
	return compare_places(*x, *y);
}

void uc_summary_finish(struct uc_summary *s, const struct uc_replay *r)
{
	s->event = uc_perf_file_event_name(r->file);
	uc_replay_notes(r, "engine", take_engine, s);
	uc_replay_notes(r, "lost", take_loss, s);
	if (s->file_samples)
		s->bytes_per_sample = (double)uc_perf_file_stack_bytes(r->file) /
				      (double)s->file_samples;
	if (s->nr_places)
		qsort(s->place, s->nr_places, sizeof(struct uc_place *), by_count);
}

static void free_nothing(void *node)
{
	(void)node; /* places are freed by their array */
}

void uc_summary_fini(struct uc_summary *s)
{
	size_t i;

	tdestroy(s->place_tree, free_nothing);
	for (i = 0; i < s->nr_places; i++)
		free(s->place[i]);
	for (i = 0; i < s->nr_losses; i++)
		free(s->loss[i].name);
	free(s->place);
	free(s->loss);
	free(s->engine);
}

static void print_partial(const struct uc_summary *s, FILE *out)
{
	const char *separator = "#   partial: ";
	int i;

	for (i = UNCOIL_STOP_OUTERMOST + 1; i < UNCOIL_STOP_COUNT; i++) {
		if (!s->stop[i])
			continue;
		fprintf(out, "%s%s %" PRIu64, separator, uc_stop_word(i), s->stop[i]);
		separator = ", ";
	}
	if (*separator == ',')
		fputc('\n', out);
}

static void print_losses(const struct uc_summary *s, FILE *out)
{
	const char *separator = "#   lost: ";
	size_t i;

	for (i = 0; i < s->nr_losses; i++) {
		if (!s->loss[i].count)
			continue;
		fputs(separator, out);
		uc_put_text(s->loss[i].name, out);
		fprintf(out, " %" PRIu64, s->loss[i].count);
		separator = ", ";
	}
	if (*separator == ',')
		fputc('\n', out);
	if (s->no_stack)
		fprintf(out, "#   samples without the stack that was asked for: %" PRIu64 "\n",
			s->no_stack);
}

void uc_print_summary(const struct uc_summary *s, FILE *out)
{
	uint64_t known = s->user_stacks - s->stop[UNCOIL_STOP_NONE];

	fprintf(out, "# %" PRIu64, s->samples);
	if (s->samples != s->file_samples)
		fprintf(out, " of %" PRIu64, s->file_samples);
	fputs(" samples of ", out);
	uc_put_text(s->event, out);
	if (s->engine) {
		fputs(", engine ", out);
		uc_put_text(s->engine, out);
	}
	fprintf(out, ", %.0f bytes a sample\n# %" PRIu64 " user stacks", s->bytes_per_sample,
		s->user_stacks);
	if (known)
		fprintf(out, ", %.2f%% complete\n",
			uc_percent(s->stop[UNCOIL_STOP_OUTERMOST], known));
	else
		fputs(s->user_stacks ? "; the recording does not say how they ended\n" : "\n", out);
	print_partial(s, out);
	print_losses(s, out);
}
