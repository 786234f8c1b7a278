/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What bench.bpf.c and its loader share. */
#ifndef BENCH_H
#define BENCH_H

#define BENCH_FRAMES 256 /* power of two */

/* Context of the programs. */
struct bench_args {
	__u32 times; /* in: walks to do */
	__u32 cap_frames; /* in: frames to stop at */
	__u64 ns; /* out: time of all of them */
	/* out, of the last walk: */
	__u32 nr; /* frames */
	__u32 stop; /* enum uncoil_stop; of the frame-pointer walk 0 */
	__u32 faults; /* pages brought in */
	__u32 interpreted; /* rows that did not come from the cache */
};

/* Value of the map "bench_frames": the last walk's. */
struct bench_frames {
	__u64 pc[BENCH_FRAMES];
};

#endif
