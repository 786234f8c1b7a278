/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The engine's maps, and the counters in them. */
#ifndef UC_MAPS_BPF_H
#define UC_MAPS_BPF_H

#include "uc_event.h"
#include "uc_types.h"

const volatile struct uc_options uc_options SEC(".rodata.options") = {
	.max_frames = UC_FRAMES_DEFAULT,
};

enum uc_walk_state {
	UC_WALK_IDLE,
	UC_WALK_PENDING, /* asked for: requests join it */
	UC_WALK_RUNNING, /* a request now is a new one */
};

/*
 * A thread's walk. Only its own thread, and interrupts that hit it, touch it.
 */
struct uc_task_walk {
	struct bpf_task_work work;
	u64 cookie;
	u32 state; /* enum uc_walk_state */
	u32 asked; /* requests that share this walk */
	/* Of the running walk. Not local variables: the verifier would follow
	 * each of their values through the loop. */
	u32 depth;
	u32 faults;
	u32 lost; /* part of the stack had no room in the ring */
	u32 scheduled; /* the task work is still to come, its walk done early or not */
	struct uc_event_stack out;
	u8 touch[UC_STACK_WINDOW]; /* where missing pages are read to */
	struct uc_walk walk;
};

struct uc_walk_key {
	u32 tid;
	u32 slot; /* 1: for requests while the walk in slot 0 runs */
};

#define UC_WALK_SLOTS 2

/* Elements are made as threads are first seen, and removed as they exit. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct uc_walk_key);
	__type(value, struct uc_task_walk);
} walks SEC(".maps");

/* A new element's bytes: the verifier wants them without task work in them. */
struct uc_blank {
	u8 bytes[sizeof(struct uc_task_walk)];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct uc_blank);
} blank SEC(".maps");

/*
 * The row cache: direct-mapped, shared by all processes and CPUs, without a
 * lock. A slot vouches for itself: check is a function of all other words, so
 * that a reader who sees two writers' words mixed sees no row.
 */
struct uc_row_slot {
	struct uc_row_key key;
	u64 row[2]; /* struct uc_packed_row */
	u64 check;
	u64 pad[2]; /* one cache line */
};
UC_STATIC_ASSERT(sizeof(struct uc_row_slot) == 64);
UC_STATIC_ASSERT(sizeof(struct uc_packed_row) == 16);

#define UC_ROW_BITS 16
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << UC_ROW_BITS);
	__type(key, u32);
	__type(value, struct uc_row_slot);
} rows SEC(".maps");

/* Unwind data caught malformed: later walks do not try it again. */
struct uc_bad_key {
	u64 id[2];
	u64 what; /* UC_BAD_* */
};
struct uc_bad {
	u32 flaw;
	u32 pad;
	u64 at; /* from where the file would be loaded whole */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct uc_bad_key);
	__type(value, struct uc_bad);
} bad SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} ring SEC(".maps");

struct uc_counters {
	u64 n[UC_COUNT_MAX]; /* by enum uc_end and enum uc_count */
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct uc_counters);
} counters SEC(".maps");

/* Scratch of a request, and the number of the CPU's last cookie. */
struct uc_request_state {
	u64 last_cookie;
	struct uc_event_request out;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct uc_request_state);
} requests SEC(".maps");

static inline struct uc_counters *uc_counters_here(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&counters, &zero);
}

/* Interrupts may count on the CPU that is counting: add atomically. */
static inline void uc_count_add(u32 which, u64 by)
{
	struct uc_counters *c = uc_counters_here();

	if (c)
		__sync_fetch_and_add(&c->n[which & (UC_COUNT_MAX - 1)], by);
}

/* Wake the reader when there is something worth the wake-up, not each time;
 * it looks by itself every so often. */
#define UC_WAKEUP_BYTES (256 << 10)

static inline long uc_ring_put(const void *event, u64 size)
{
	u64 flags = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > UC_WAKEUP_BYTES ?
			    BPF_RB_FORCE_WAKEUP :
			    BPF_RB_NO_WAKEUP;

	return bpf_ringbuf_output(&ring, (void *)event, size, flags);
}

#endif
