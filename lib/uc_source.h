/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The perf events that make samples: opened, disabled, for a target. They
 * have no ring buffer; whoever attaches to them takes the samples.
 */
#ifndef UC_SOURCE_H
#define UC_SOURCE_H

#include "uc_target.h"

#include <stdint.h>

enum uc_source_event {
	UC_SOURCE_DEFAULT, /* cycles if this machine counts them, else cpu-clock */
	UC_SOURCE_CPU_CLOCK, /* timer, per thread's or CPU's time */
	UC_SOURCE_CYCLES, /* hardware counter */
};

struct uc_source_opts {
	enum uc_source_event event;
	uint64_t freq; /* samples a second of CPU time, or 0 */
	uint64_t period; /* without freq: events (ns, cycles) between samples */
	/* Called for each event right after it was opened, before its thread
	 * can be relied on to have handed it down: children started from here
	 * on inherit what was attached. May be called again for the same
	 * thread after the first event was closed. 0 or negative errno. */
	int (*attach)(void *arg, int fd);
	void *arg;
};

struct uc_source;

/* 0, or negative errno and a sentence in @err. */
int uc_source_open(const struct uc_target *target, const struct uc_source_opts *opts,
		   struct uc_source **ret, char *err, size_t err_size);
void uc_source_close(struct uc_source *s);
/* Start; not needed for a command, whose exec does it. 0 or negative errno. */
int uc_source_enable(struct uc_source *s);
/* Stop, in inherited events, too. */
int uc_source_disable(struct uc_source *s);
/* Attributes as opened, to describe the recording. */
const struct perf_event_attr *uc_source_attr(const struct uc_source *s);
/* As perf names it: "cpu-clock"; with ":u" if the kernel could not be included. */
const char *uc_source_name(const struct uc_source *s);
/* The target kept starting threads while it was listed; some may have two events. */
bool uc_source_doubtful(const struct uc_source *s);
/* Highest frequency that the kernel accepts now (a sysctl); 0: unknown. */
uint64_t uc_source_max_freq(void);

#endif
