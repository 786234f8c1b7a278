/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf.data files: writing recordings that perf, hotspot and the Firefox
 * profiler read, and reading them back.
 *
 * Layout written: one event attribute; samples and side-band records without
 * event ids (one attribute needs none). Deferred form: the user part of a
 * sample's call chain is PERF_CONTEXT_USER_DEFERRED and a cookie, the frames
 * follow in a PERF_RECORD_CALLCHAIN_DEFERRED with the same cookie. Merged
 * form: the sample itself holds the whole chain, for readers that know no
 * deferral.
 *
 * What perf.data has no field for (why a stack ended, what was lost) is kept
 * in a header feature section of our own, which other readers skip.
 */
#ifndef UC_PERFDATA_H
#define UC_PERFDATA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Newer than the headers of the oldest distribution that we build on:
 * include/uapi/linux/perf_event.h of Linux 6.19. */
#define UC_PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define UC_PERF_RECORD_CALLCHAIN_DEFERRED 22
#define UC_PERF_ATTR_DEFER_CALLCHAIN_BIT 38 /* of the attribute's flag word */
#define UC_PERF_ATTR_DEFER_OUTPUT_BIT 39

/* Header feature bit of our section; the format has 256, perf uses the low ones. */
#define UC_PERF_FEATURE_UNCOIL 250

/* sample_type of every event; also the layout of the side-band trailers:
 * { u32 pid, tid; u64 time; u32 cpu, pad; } */
#define UC_PERF_SIDEBAND_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define UC_PERF_SAMPLE_TYPE \
	(UC_PERF_SIDEBAND_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

struct uc_perf_writer;

struct uc_perf_writer_opts {
	const char *event_name; /* "cpu-clock" */
	struct perf_event_attr attr; /* type, config, freq or period as opened */
	bool merged; /* write the merged form */
	int argc; /* command line for the CMDLINE feature */
	const char *const *argv;
};

struct uc_perf_sample {
	uint64_t ip;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t period;
	uint64_t cookie; /* 0: no user stack was asked for */
	uint32_t pid, tid, cpu;
	bool in_kernel; /* the event hit kernel mode */
	const uint64_t *kernel; /* innermost first */
	size_t nr_kernel;
	const uint64_t *user; /* merged form: the whole user stack; else ignored */
	size_t nr_user;
};

/*
 * Create @path (truncating; for its owner only) and write the header. @opts
 * and what it points to is copied. The file must be seekable.
 *
 * All writer functions: 0 or negative errno. Output is buffered, so a full
 * disk may show at a later call; the error of a write sticks, every call
 * after it returns it, and so does close(). The file then is as that of a
 * recorder that was killed: readers get its records, and no sections.
 */
int uc_perf_writer_new(const char *path, const struct uc_perf_writer_opts *opts,
		       struct uc_perf_writer **ret);
/* Append a sample in the writer's form. -EMSGSIZE (and nothing written): more
 * frames than the 64 KiB of a record hold, about 8180. A chain ends before a
 * frame of (uint64_t)-4095 or more: no address, and readers take it for a marker. */
int uc_perf_writer_sample(struct uc_perf_writer *w, const struct uc_perf_sample *s);
/* Append a PERF_RECORD_CALLCHAIN_DEFERRED. -EINVAL in the merged form. perf
 * wants it not older than its samples (one record may serve several), and
 * older than the thread's next cookie. */
int uc_perf_writer_deferred(struct uc_perf_writer *w, uint64_t cookie, uint32_t pid, uint32_t tid,
			    uint32_t cpu, uint64_t time_ns, const uint64_t *user, size_t nr_user);
/* Append a side-band record as the kernel gave it (UC_PERF_SIDEBAND_TYPE
 * trailer). Of those made up, time 0 means: in effect where it stands. The
 * kernel's own mapping is written by uc_perf_writer_new(). */
int uc_perf_writer_record(struct uc_perf_writer *w, const struct perf_event_header *record);
/* Number of the stack written last: counts deferred records, in the merged
 * form samples; starts at 0. It is what "stop" lines of the notes refer to. */
uint64_t uc_perf_writer_stack_index(const struct uc_perf_writer *w);
/* Bytes of sample and deferred records written so far. */
uint64_t uc_perf_writer_stack_bytes(const struct uc_perf_writer *w);
/* printf a line into our own section (no newline needed). Lines, each "word values":
 *   engine NAME
 *   lost NAME COUNT
 *   stop INDEX STOP FLAW ADDR     decimal, decimal, decimal, 0xhex; only
 *                                 for stacks that did not end outermost */
int uc_perf_writer_note(struct uc_perf_writer *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Finish the file: sections, sizes, features. Frees @w, even on error. */
int uc_perf_writer_close(struct uc_perf_writer *w);

/* ---- reading ---- */

/* One record of the file, decoded as far as the tools need it. */
struct uc_perf_event {
	const struct perf_event_header *header; /* whole record, in the file's order */
	uint32_t type; /* header->type */
	uint32_t pid, tid, cpu; /* UINT32_MAX: the file does not say */
	uint64_t time_ns; /* without one: that of the record before */
	/* PERF_RECORD_SAMPLE, with the frames of its deferred record */
	uint64_t ip, period, cookie;
	bool in_kernel;
	const uint64_t *kernel, *user; /* innermost first; markers removed */
	size_t nr_kernel, nr_user;
	/* filled in for samples whose user stack is known (stitched) */
	bool has_user; /* a user stack belongs to this sample, maybe without frames */
	int stop, flaw; /* enum uncoil_stop / uncoil_flaw, both below their COUNT;
			 * UNCOIL_STOP_NONE: the file does not say */
	uint64_t stop_addr;
	/* COMM; MMAP and MMAP2 */
	const char *name; /* NUL-terminated inside the record */
	uint64_t addr, len, pgoff;
	uint32_t prot; /* PROT_*; MMAP: PROT_EXEC assumed */
	bool exec; /* COMM caused by exec */
	uint32_t ppid, ptid; /* FORK and EXIT */
	const uint8_t *build_id;
	size_t build_id_len;
};

struct uc_perf_file;

/* Open and validate @path. On error writes a sentence that names the file
 * and offset to @err. 0 or negative errno. */
int uc_perf_file_open(const char *path, struct uc_perf_file **ret, char *err, size_t err_size);
void uc_perf_file_close(struct uc_perf_file *f);
/* Call @fn for all records of the kernel's types in time order, samples with
 * their user stack stitched in (deferred records are consumed, not delivered;
 * a sample whose cookie has no stack is delivered with has_user false). @fn's
 * non-zero return ends the loop and is returned, with @err as it was.
 * Malformed records: negative errno and a sentence in @err. The event and all
 * that it points to lasts until @fn returns. Can be called again. */
int uc_perf_file_each(struct uc_perf_file *f, int (*fn)(const struct uc_perf_event *ev, void *arg),
		      void *arg, char *err, size_t err_size);
const char *uc_perf_file_event_name(const struct uc_perf_file *f);
const char *uc_perf_file_osrelease(const struct uc_perf_file *f); /* or NULL */
/* Text of our own section, or "" for foreign files. */
const char *uc_perf_file_notes(const struct uc_perf_file *f);
/* Bytes of sample and deferred records. */
uint64_t uc_perf_file_stack_bytes(const struct uc_perf_file *f);
/* The recorder was killed, or its disk was full, before it finished the file:
 * the last records, and all sections, are missing. Worth a warning. */
bool uc_perf_file_unfinished(const struct uc_perf_file *f);

#endif
