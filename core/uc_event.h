/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What crosses from the BPF engine to user space: events of the ring buffer,
 * counters, options. Both sides include this file; sizes are asserted.
 */
#ifndef UC_EVENT_H
#define UC_EVENT_H

#include "uc_limits.h"
#include "uc_port.h"

enum uc_event_type {
	UC_EVENT_REQUEST = 1, /* a tracer asked: struct uc_event_request */
	UC_EVENT_STACK = 2, /* frames of a walk: struct uc_event_stack */
};

#define UC_REQUEST_NO_USER 1u /* the task has no user stack: cookie is 0 */
#define UC_REQUEST_IN_KERNEL 2u /* the event hit kernel mode */

/*
 * A request for the user stack of the current thread. The cookie names the
 * kernel entry; the stack follows in events that carry the same cookie.
 */
struct uc_event_request {
	u32 type; /* UC_EVENT_REQUEST */
	u32 flags; /* UC_REQUEST_* */
	u64 cookie;
	u64 time_ns; /* CLOCK_MONOTONIC */
	u64 ip; /* where the event hit, kernel or user address */
	u64 period; /* what the event counts since the last sample */
	u32 pid; /* process */
	u32 tid; /* thread */
	u32 cpu;
	u32 nr_kernel; /* words used in kernel[] */
	u64 kernel[UC_KERNEL_FRAMES + 1]; /* kernel stack, innermost first */
};

/*
 * Part of a stack. A stack deeper than UC_CHUNK_FRAMES comes in several
 * events, in order; the last one has UC_STACK_LAST set and says why it ended.
 */
#define UC_STACK_LAST 1u

struct uc_event_stack {
	u32 type; /* UC_EVENT_STACK */
	u32 flags; /* UC_STACK_* */
	u64 cookie;
	u64 time_ns;
	u32 pid;
	u32 tid;
	u32 cpu;
	u32 first; /* index of frame[0] in the whole stack */
	u32 nr; /* frames in this event */
	u16 stop; /* enum uncoil_stop; NONE unless UC_STACK_LAST */
	u16 flaw; /* enum uncoil_flaw */
	u64 stop_addr; /* run-time address of what stopped the walk, or 0 */
	u64 frame[UC_CHUNK_FRAMES]; /* innermost first; frame 0 is the user pc */
};

UC_STATIC_ASSERT(sizeof(struct uc_event_request) == 56 + 8 * (UC_KERNEL_FRAMES + 1));
UC_STATIC_ASSERT(sizeof(struct uc_event_stack) == 56 + 8 * UC_CHUNK_FRAMES);

/*
 * Every request ends in exactly one of these. The sum of all but REQUESTS
 * equals REQUESTS when nothing is pending.
 * X(name, short name, sentence)
 */
#define UC_ENDS(X) \
	X(DELIVERED, "delivered", "stack delivered") \
	X(NO_USER, "no-user-stack", "kernel thread, or the address space is already gone") \
	X(EXITED, "exited", "the thread exited before it could be walked") \
	X(EXECED, "execed", "the program was replaced before it could be walked") \
	X(RING_FULL, "ring-full", "the ring buffer had no room for the stack") \
	X(REQUEST_RING_FULL, "request-ring-full", "the ring buffer had no room for the request") \
	X(NO_MEMORY, "no-memory", "no memory for the walk's state") \
	X(BUSY, "busy", "both walks of the thread were in use") \
	X(SCHEDULE, "schedule", "the kernel refused to defer the walk")

enum uc_end {
#define UC_END_ENUM_(name, word, sentence) UC_END_##name,
	UC_ENDS(UC_END_ENUM_)
#undef UC_END_ENUM_
	UC_END_COUNT
};

/* Counters that are not ends of a request. */
enum uc_count {
	UC_COUNT_REQUESTS = UC_END_COUNT, /* asked for, joined ones included */
	UC_COUNT_JOINED, /* of these, shared a pending walk */
	UC_COUNT_WALKS, /* walks run */
	UC_COUNT_FRAMES, /* frames stepped */
	UC_COUNT_ROW_HITS, /* rows found in the shared cache */
	UC_COUNT_ROW_MISSES, /* rows that had to be interpreted */
	UC_COUNT_FAULTS, /* page faults taken by walks */
	UC_COUNT_WALK_NS, /* time spent in walks */
	UC_COUNT_REQUEST_NS, /* time spent in requests */
	UC_COUNT_MAX = 32
};

/* What user space sets before the engine is loaded. */
struct uc_options {
	u32 max_frames;
	u32 unwind; /* enum uc_unwind */
	u32 measure; /* take the time of requests and walks */
	u32 no_row_cache; /* for bench/: interpret every row */
};

#endif
