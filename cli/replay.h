/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording read from its beginning: process events go to the symbols,
 * samples to the verb, with their frames named.
 */
#ifndef UC_REPLAY_H
#define UC_REPLAY_H

#include "uc_perfdata.h"
#include "uc_symbols.h"

#include <stdbool.h>

struct uc_replay {
	struct uc_perf_file *file;
	struct uc_symbols *symbols;
	/* frames of the sample at hand */
	struct uc_frame *frame;
	size_t nr_frames, cap_frames;
	/* names of addresses seen lately */
	struct uc_replay_cache *cache;
	uint32_t generation; /* changes with every mapping */
};

struct uc_frame {
	uint64_t addr; /* at run time */
	bool kernel;
	struct uc_symbol sym;
};

/* Open @path. Prints what is wrong; 0 or an exit code. */
int uc_replay_open(const char *path, struct uc_replay *ret);
void uc_replay_close(struct uc_replay *r);

/* Call @fn for each sample, in time order. Prints what is wrong with the file;
 * @fn's result is an exit code that ends it. */
int uc_replay_each(struct uc_replay *r,
		   int (*fn)(struct uc_replay *r, const struct uc_perf_event *ev, void *arg),
		   void *arg);

/*
 * Name the frames of a sample: r->frame, innermost first, the kernel's before
 * those of user space. A sample without any has its own address as its only
 * frame. 0 or an exit code.
 */
int uc_replay_frames(struct uc_replay *r, const struct uc_perf_event *ev);

/* Call chains were recorded, for this sample at least. */
bool uc_sample_has_chain(const struct uc_perf_event *ev);
/* A user stack was asked for, and did not come. */
bool uc_sample_lost_stack(const struct uc_perf_event *ev);

/* Call @fn for each line "WORD REST" of the notes that begins with @word. */
void uc_replay_notes(const struct uc_replay *r, const char *word,
		     void (*fn)(const char *rest, size_t len, void *arg), void *arg);

#endif
