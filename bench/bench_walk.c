/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ns a frame of the engine's walk of our own stack, rows cached and not,
 * beside a frame-pointer walk. Times are taken by the programs themselves.
 */
#define _GNU_SOURCE
#include "bench_walk.h"

#include "subjects/subjects.h"
#include "uc_event.h"

#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bench.h"
#include "uncoil/stop.h"

#define ROUNDS 61
#define BATCH_NS 400000 /* about, for one timing of walks in a row */
#define PAUSE_NS 1000000 /* between walks that are timed one by one */

enum kind {
	FP, /* first: the floor */
	CACHED,
	INTERPRETED,
	KINDS
};

struct walker {
	struct bpf_object *object;
	int program_fd, frames_fd;
	u32 cap; /* frames that this one can walk */
	u32 times; /* walks for a timing of BATCH_NS */
	struct bench_args last;
	struct bench_frames frames;
	double ns_frame[ROUNDS];
};

/* Our own stack is what is measured: the call has to come from code that keeps
 * a frame pointer, which libbpf and libc do not. */
static NOINLINE long run_program(int fd, struct bench_args *args)
{
	union bpf_attr attr;
	long rc;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (u32)fd;
	attr.test.ctx_in = (u64)(unsigned long)args;
	attr.test.ctx_size_in = sizeof(*args);
	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "0"((long)SYS_bpf), "D"((long)BPF_PROG_RUN), "S"(&attr),
			   "d"(sizeof(attr))
			 : "rcx", "r11", "memory");
	return rc;
}

static NOINLINE int walk(struct walker *w, u32 times)
{
	u32 zero = 0;
	long rc;

	memset(&w->last, 0, sizeof(w->last));
	w->last.times = times;
	w->last.cap_frames = w->cap;
	rc = run_program(w->program_fd, &w->last);
	if (!rc)
		rc = bpf_map_lookup_elem(w->frames_fd, &zero, &w->frames);
	if (!rc && w->last.nr)
		return 0;
	fprintf(stderr, "bench_walk: the program did not run: %s\n", strerror((int)-rc));
	return 1;
}

/* ---- loading ---- */

static int set_options(struct bpf_object *object, bool no_row_cache)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata.options");
	struct uc_options *o;
	size_t size;

	o = map ? (struct uc_options *)bpf_map__initial_value(map, &size) : NULL;
	if (!o || size != sizeof(*o))
		return -EINVAL;
	o->no_row_cache = no_row_cache;
	return 0;
}

static int load(struct walker *w, enum kind kind)
{
	const char *name = kind == FP ? "bench_fp_walk" : "bench_walk";
	const char *path = getenv("BENCH_OBJECT");
	struct bpf_program *program;
	int rc;

	w->cap = BENCH_FRAMES;
	w->object = bpf_object__open_file(path ? path : "build/bench/bench.bpf.o", NULL);
	if (!w->object)
		return -errno;
	bpf_object__for_each_program(program, w->object)
		bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
	rc = set_options(w->object, kind == INTERPRETED);
	if (!rc)
		rc = bpf_object__load(w->object);
	if (rc)
		return rc;
	w->program_fd = bpf_program__fd(bpf_object__find_program_by_name(w->object, name));
	w->frames_fd = bpf_object__find_map_fd_by_name(w->object, "bench_frames");
	return 0;
}

static int no_words(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level == LIBBPF_WARN && getenv("UNCOIL_LOG") ? vfprintf(stderr, fmt, ap) : 0;
}

static struct walker *load_all(void)
{
	struct walker *w = calloc(KINDS, sizeof(*w));
	int kind, rc = w ? 0 : -ENOMEM;

	libbpf_set_print(no_words);
	for (kind = 0; kind < KINDS && !rc; kind++)
		rc = load(&w[kind], kind);
	if (!rc)
		return w;
	fprintf(stderr, "bench_walk: loading the programs failed: %s\n", strerror(-rc));
	return NULL;
}

/* ---- checking ---- */

/*
 * Frames must be those of backtrace(), which was called from a place near
 * ours: equal from the outermost up to the function where the ways part.
 */
static int check(const struct walker *w, void *const *trace, u32 nr)
{
	u32 i, at = w->last.nr - nr;

	if (w->last.nr < nr || w->last.stop != UNCOIL_STOP_OUTERMOST) {
		fprintf(stderr, "bench_walk: %u frames instead of %u, stop %u\n", w->last.nr, nr,
			w->last.stop);
		return 1;
	}
	for (i = 1; i < nr; i++) {
		if (w->frames.pc[at + i] == (u64)(unsigned long)trace[i])
			continue;
		fprintf(stderr, "bench_walk: frame %u is %llx instead of %p\n", at + i,
			(unsigned long long)w->frames.pc[at + i], trace[i]);
		return 1;
	}
	return 0;
}

/* How far frame pointers lead rightly: libc keeps none. */
static u32 same_frames(const struct walker *fp, const struct walker *cfi)
{
	u32 i;

	for (i = 0; i < fp->last.nr && i < cfi->last.nr; i++)
		if (fp->frames.pc[i] != cfi->frames.pc[i])
			break;
	return i;
}

/* ---- timing ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The values, sorted, to sorted; returns the median. */
static double median(const double *values, double *sorted)
{
	memcpy(sorted, values, ROUNDS * sizeof(*sorted));
	qsort(sorted, ROUNDS, sizeof(*sorted), by_value);
	return sorted[ROUNDS / 2];
}

static double median_ratio(const struct walker *a, const struct walker *b)
{
	double ratio[ROUNDS], sorted[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++)
		ratio[i] = a->ns_frame[i] / b->ns_frame[i];
	return median(ratio, sorted);
}

/* Other work, as there is between two samples. */
static void pause_walking(void)
{
	volatile unsigned int x = 1;
	struct timespec a, b;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		for (i = 0; i < 1000; i++)
			x = x * 1664525u + 1013904223u;
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec < PAUSE_NS);
}

/* All kinds in turn, so that what disturbs the machine disturbs them alike. */
static NOINLINE int time_all(struct walker *w, bool one_by_one)
{
	int round, kind;

	for (round = 0; round < ROUNDS; round++) {
		for (kind = 0; kind < KINDS; kind++) {
			u32 times = one_by_one ? 1 : w[kind].times;

			if (one_by_one)
				pause_walking();
			if (walk(&w[kind], times))
				return 1;
			w[kind].ns_frame[round] = (double)w[kind].last.ns /
						  ((double)times * w[kind].last.nr);
		}
	}
	return 0;
}

static void print_times(const struct walker *w)
{
	double sorted[ROUNDS], middle = median(w->ns_frame, sorted);
	char range[32];

	snprintf(range, sizeof(range), "[%.1f %.1f]", sorted[ROUNDS / 10], sorted[ROUNDS * 9 / 10]);
	printf(" %7.1f %-15s", middle, range);
}

static void print_line(const struct walker *w, const char *how)
{
	bool fp = w[FP].cap > w[CACHED].last.nr / 2;

	printf("%-10s", how);
	if (fp)
		print_times(&w[FP]);
	else
		printf(" %7s %-15s", "-", "");
	print_times(&w[CACHED]);
	print_times(&w[INTERPRETED]);
	if (fp)
		printf(" %9.2f", median_ratio(&w[CACHED], &w[FP]));
	else
		printf(" %9s", "-");
	printf(" %9.2f\n", median_ratio(&w[INTERPRETED], &w[CACHED]));
	fflush(stdout);
}

static NOINLINE int measure(const char *name, struct walker *w, void *const *trace, u32 nr)
{
	double first_us = 0;
	int kind, turn;

	for (kind = 0; kind < KINDS; kind++) {
		for (turn = 0; turn < 3; turn++) {
			if (walk(&w[kind], 1) || (kind != FP && check(&w[kind], trace, nr)))
				return 1;
			if (kind == CACHED && !turn)
				first_us = (double)w[kind].last.ns / 1000;
		}
		w[kind].times = 1 + (u32)(BATCH_NS / w[kind].last.ns);
	}
	w[FP].cap = same_frames(&w[FP], &w[CACHED]);
	printf("%s: %u frames, as backtrace() has them; frame pointers lead through %u; "
	       "first walk %.1f us; rows that are never cached: %u\n",
	       name, w[CACHED].last.nr, w[FP].cap, first_us, w[CACHED].last.interpreted);
	if (time_all(w, false))
		return 1;
	print_line(w, "  in a row");
	if (time_all(w, true))
		return 1;
	print_line(w, "  single");
	return 0;
}

NOINLINE int bench_walk_here(const char *name)
{
	struct walker *w = load_all();
	void *trace[BENCH_FRAMES];
	int nr = backtrace(trace, BENCH_FRAMES), kind, rc;

	if (!w)
		return 1;
	rc = measure(name, w, trace, (u32)nr);
	for (kind = 0; kind < KINDS; kind++)
		bpf_object__close(w[kind].object);
	free(w);
	return rc;
}
