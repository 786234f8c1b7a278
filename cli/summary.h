/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording in numbers: how stacks ended, where, and what was lost. */
#ifndef UC_SUMMARY_H
#define UC_SUMMARY_H

#include "replay.h"

#include <uncoil/stop.h>

/* Where stacks ended short of their outermost frame. */
struct uc_place {
	int stop, flaw;
	uint64_t addr; /* at run time; 0: not told */
	struct uc_symbol sym; /* of addr; all 0 if it is in no mapping */
	uint64_t count;
};

/* A "lost NAME COUNT" of the notes. */
struct uc_loss {
	char *name;
	uint64_t count;
};

struct uc_summary {
	uint64_t file_samples; /* all of the file's */
	uint64_t samples; /* those that the summary is of, as all below */
	uint64_t user_stacks;
	uint64_t no_stack; /* samples whose user stack was asked for and did not come */
	uint64_t stop[UNCOIL_STOP_COUNT]; /* NONE: the recording does not say */
	struct uc_place **place; /* most frequent first, once finished */
	size_t nr_places;
	void *place_tree;
	struct uc_loss *loss;
	size_t nr_losses;
	char *engine; /* or NULL: not recorded by uncoil */
	const char *event; /* borrowed from the file */
	double bytes_per_sample;
};

/* 0 or an exit code, having said why. */
int uc_summary_add(struct uc_summary *s, struct uc_replay *r, const struct uc_perf_event *ev);
/* After the last sample. */
void uc_summary_finish(struct uc_summary *s, const struct uc_replay *r);
void uc_summary_fini(struct uc_summary *s);

/* "# ..." lines */
void uc_print_summary(const struct uc_summary *s, FILE *out);
void uc_print_stops(const struct uc_summary *s, FILE *out);
void uc_print_json(const struct uc_summary *s, FILE *out);

#endif
