/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a profile needs besides samples: the kernel's MMAP2, COMM, FORK and
 * EXIT records of a target, read from one ring buffer per CPU. Their trailer
 * is that of UC_PERF_SIDEBAND_TYPE (uc_perfdata.h).
 */
#ifndef UC_SIDEBAND_H
#define UC_SIDEBAND_H

#include "uc_target.h"

#include <stdint.h>

struct uc_sideband;

/* Takes one whole record; non-zero ends the loop and is returned. */
typedef int (*uc_record_fn)(void *arg, const struct perf_event_header *record);

/*
 * Open, disabled, for the target. With UC_TARGET_THREADS the whole processes
 * of the threads are covered: mappings belong to processes, and another
 * thread may make them. 0, or negative errno and a sentence in @err.
 */
int uc_sideband_open(const struct uc_target *target, struct uc_sideband **ret, char *err,
		     size_t err_size);
void uc_sideband_close(struct uc_sideband *s);
/* Start; not needed for a command, whose exec does it. 0 or negative errno. */
int uc_sideband_enable(struct uc_sideband *s);
int uc_sideband_disable(struct uc_sideband *s);
/* Readable when a ring fills up or a target has gone; for poll(2). Records may
 * wait without that: drain now and then, and at the end. */
int uc_sideband_fd(const struct uc_sideband *s);
/* Deliver all that waits. Number of records, or @fn's result, or negative errno. */
int uc_sideband_drain(struct uc_sideband *s, uc_record_fn fn, void *arg);
/* Records that the kernel had no room for. (Its LOST records are delivered,
 * too; this may know of more.) */
uint64_t uc_sideband_lost(const struct uc_sideband *s);
/* All threads of the target and all that they started have exited. Known
 * after a drain. */
bool uc_sideband_all_gone(const struct uc_sideband *s);

/*
 * One ring. The kernel writes @data at head, modulo @size (a power of two);
 * we own tail.
 */
struct uc_ring {
	const uint8_t *data;
	uint64_t size;
	uint64_t head, tail; /* bytes since the beginning */
};

/* Largest record: its size field has 16 bits. */
#define UC_RECORD_MAX 65536

/*
 * Take the next record. One that wraps around is put together in @bounce
 * (UC_RECORD_MAX bytes); the result is valid until the next call, or until
 * tail is handed to the kernel. NULL: empty. A record that cannot be one is
 * -EBADMSG in *ret_error: the rest of the ring is skipped.
 */
const struct perf_event_header *uc_ring_next(struct uc_ring *ring, void *bounce, int *ret_error);

#endif
