/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The deferred engine: loads the BPF programs, takes perf events as sources,
 * and hands out requests and whole stacks.
 */
#ifndef UC_ENGINE_H
#define UC_ENGINE_H

#include "uc_event.h"
#include "uc_unwind.h"

struct uc_engine;

/* A whole stack, put together from its events. Borrowed during the call. */
struct uc_stack {
	u64 cookie;
	u64 time_ns;
	u32 pid, tid, cpu;
	u32 nr; /* frames; 0 if the task was gone */
	u16 stop; /* enum uncoil_stop */
	u16 flaw; /* enum uncoil_flaw */
	u64 stop_addr;
	const u64 *frame; /* innermost first */
};

struct uc_engine_opts {
	u32 max_frames; /* 0: UC_FRAMES_DEFAULT; at most UC_FRAMES_MAX */
	enum uc_unwind unwind; /* what stacks are unwound by */
	u32 ring_bytes; /* 0: default; a power of two */
	bool measure; /* take the time of requests and walks (two counters) */
	void (*on_request)(void *arg, const struct uc_event_request *req);
	void (*on_stack)(void *arg, const struct uc_stack *stack);
	void *arg;
};

/*
 * Load the engine. On failure writes to @err what is missing (kernel version,
 * capability, lockdown, sysctl) and what the user can do. 0 or negative errno.
 */
int uc_engine_new(const struct uc_engine_opts *opts, struct uc_engine **ret, char *err,
		  size_t err_size);
void uc_engine_free(struct uc_engine *e);
/* Make an opened, disabled perf event ask for a stack at each overflow.
 * With attr.inherit its children ask, too. The caller keeps @perf_fd. */
int uc_engine_attach(struct uc_engine *e, int perf_fd);
/* Readable when events wait; for poll(2) beside other descriptors. */
int uc_engine_fd(const struct uc_engine *e);
/* Deliver what waits. Number of events or negative errno. */
int uc_engine_drain(struct uc_engine *e);
/* Counters: UC_COUNT_MAX sums over all CPUs, by enum uc_end and enum uc_count. */
int uc_engine_counters(struct uc_engine *e, u64 ret[UC_COUNT_MAX]);
const char *uc_engine_name(const struct uc_engine *e); /* "defer" */

#endif
