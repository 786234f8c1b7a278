/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording under way: engine, sampling events and side-band, all that they
 * deliver written to one perf.data file, and every sample accounted for.
 */
#ifndef UC_RECORDING_H
#define UC_RECORDING_H

#include "uc_engine.h"
#include "uc_source.h"

#include <stdio.h>
#include <uncoil/stop.h>

struct uc_recording;

struct uc_recording_opts {
	const struct uc_target *target; /* borrowed until uc_recording_start() is over */
	enum uc_source_event event;
	u64 freq, period; /* one of them */
	u32 max_frames;
	enum uc_unwind unwind;
	bool merged;
	const char *path; /* borrowed */
	int argc; /* command line, to be kept in the file; borrowed */
	const char *const *argv;
};

/* Where every sample went. */
struct uc_tally {
	u64 samples; /* in the file: the sum of the next five */
	u64 complete; /* with a complete user stack */
	u64 partial[UNCOIL_STOP_COUNT]; /* with an incomplete one, by stop */
	u64 no_user; /* of kernel threads */
	u64 lost[UC_END_COUNT]; /* without the stack they should have, by end... */
	u64 pending; /* ... or as it had not come by the end */
	u64 unrecorded; /* not in the file: no room in the ring */
	u64 sideband; /* side-band records lost */
	u64 stack_bytes, file_bytes;
};

/* Load the engine and open all events; nothing runs yet. 0, or negative errno
 * and a sentence in @err. */
int uc_recording_open(const struct uc_recording_opts *opts, struct uc_recording **ret, char *err,
		      size_t err_size);
/* Create the file, describe what runs already, and start. A command's events
 * start at its exec; this only has to come soon after. An older file of this
 * name is kept with ".old" added. */
int uc_recording_start(struct uc_recording *r, char *err, size_t err_size);
/* Become readable when there is something to drain. */
int uc_recording_engine_fd(const struct uc_recording *r);
int uc_recording_sideband_fd(const struct uc_recording *r);
/* Write what waits. 0, or negative errno of the first failure so far. */
int uc_recording_drain(struct uc_recording *r);
/* All of the target has exited. */
bool uc_recording_all_gone(const struct uc_recording *r);
/* Stop the events, collect the rest, complete the file. 0, or negative errno
 * of the first failure. */
int uc_recording_finish(struct uc_recording *r);
/* After uc_recording_finish(), or so far. */
const struct uc_tally *uc_recording_tally(const struct uc_recording *r);
/* Something that the user should know about how it was opened, or NULL. */
const char *uc_recording_warning(const struct uc_recording *r);
void uc_recording_free(struct uc_recording *r);

/* The closing line. */
void uc_tally_print(const struct uc_tally *t, const char *path, FILE *out);

#endif
