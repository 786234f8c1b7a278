/* SPDX-License-Identifier: GPL-2.0-only */
#include "recording.h"

#include "pending.h"
#include "uc_perfdata.h"
#include "uc_sideband.h"
#include "uc_synth.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Samples of a thread that sleeps in the kernel wait for it to wake up. A held
 * one has 100 to 1100 bytes, a counted one shares 100 with its cookie's others. */
#define PENDING_BYTES (64u << 20)
/* How long the stacks on their way may take once the events have stopped. */
#define GRACE_MS 100
#define GRACE_STEP_MS 5

struct uc_recording {
	struct uc_recording_opts opts;
	struct uc_engine *engine;
	struct uc_source *source;
	struct uc_sideband *sideband;
	struct uc_perf_writer *writer;
	struct uc_pending *pending;
	struct uc_tally tally;
	int error; /* first failure to write */
};

static void keep_error(struct uc_recording *r, int rc)
{
	if (rc < 0 && !r->error)
		r->error = rc;
}

/* ---- from the engine to the file ---- */

static void write_sample(struct uc_recording *r, const struct uc_event_request *req,
			 const struct uc_stack *stack)
{
	struct uc_perf_sample sample = {
		.ip = req->ip,
		.time_ns = req->time_ns,
		.period = req->period,
		.cookie = req->cookie,
		.pid = req->pid,
		.tid = req->tid,
		.cpu = req->cpu,
		.in_kernel = req->flags & UC_REQUEST_IN_KERNEL,
		.kernel = req->kernel,
		.nr_kernel = req->nr_kernel,
	};

	if (stack) {
		sample.user = stack->frame;
		sample.nr_user = stack->nr;
	} else if (r->opts.merged) {
		sample.cookie = 0; /* else an empty stack would count as one */
	}
	keep_error(r, uc_perf_writer_sample(r->writer, &sample));
	r->tally.samples++;
}

static void on_request(void *arg, const struct uc_event_request *req)
{
	struct uc_recording *r = arg;

	if (!req->cookie || !r->opts.merged)
		write_sample(r, req, NULL);
	if (req->cookie)
		keep_error(r, uc_pending_add(r->pending, req));
}

/* Given up: in the merged form the sample still has to be written. */
static void on_expired(void *arg, const struct uc_event_request *req, u32 count)
{
	(void)count;
	if (req)
		write_sample(arg, req, NULL);
}

static void note_stop(struct uc_recording *r, const struct uc_stack *stack)
{
	if (stack->stop == UNCOIL_STOP_OUTERMOST)
		return;
	keep_error(r, uc_perf_writer_note(r->writer, "stop %" PRIu64 " %u %u 0x%" PRIx64,
					  uc_perf_writer_stack_index(r->writer), stack->stop,
					  stack->flaw, stack->stop_addr));
}

struct arrival {
	struct uc_recording *r;
	const struct uc_stack *stack;
};

static void write_merged(void *arg, const struct uc_event_request *req, u32 count)
{
	struct arrival *arrival = arg;

	(void)count;
	if (!req)
		return; /* counted only: the deferred form */
	write_sample(arrival->r, req, arrival->stack);
	if (arrival->stack)
		note_stop(arrival->r, arrival->stack);
}

static void on_stack(void *arg, const struct uc_stack *stack)
{
	struct uc_recording *r = arg;
	/* The engine counts these as exited or execed: lost, not partial. */
	bool gone = stack->stop == UNCOIL_STOP_TASK_GONE;
	struct arrival arrival = { .r = r, .stack = gone ? NULL : stack };
	u32 count;

	if (!r->opts.merged && !gone) {
		keep_error(r, uc_perf_writer_deferred(r->writer, stack->cookie, stack->pid,
						      stack->tid, stack->cpu, stack->time_ns,
						      stack->frame, stack->nr));
		note_stop(r, stack);
	}
	count = uc_pending_take(r->pending, stack->cookie, write_merged, &arrival);
	if (stack->stop == UNCOIL_STOP_OUTERMOST)
		r->tally.complete += count;
	else if (!gone && stack->stop < UNCOIL_STOP_COUNT)
		r->tally.partial[stack->stop] += count;
}

static int on_record(void *arg, const struct perf_event_header *record)
{
	struct uc_recording *r = arg;

	return uc_perf_writer_record(r->writer, record);
}

/* ---- opening ---- */

static int attach(void *arg, int fd)
{
	return uc_engine_attach(arg, fd);
}

/* Before anything runs: can @path be created, and an older file be set aside? */
static int check_path(const char *path)
{
	struct stat st;
	char *copy;
	int rc;

	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) ? -errno : 0;
	}
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	rc = faccessat(AT_FDCWD, dirname(copy), W_OK | X_OK, AT_EACCESS) ? -errno : 0;
	free(copy);
	return rc;
}

static int open_engine(struct uc_recording *r, char *err, size_t err_size)
{
	struct uc_engine_opts opts = {
		.max_frames = r->opts.max_frames,
		.unwind = r->opts.unwind,
		.on_request = on_request,
		.on_stack = on_stack,
		.arg = r,
	};

	return uc_engine_new(&opts, &r->engine, err, err_size);
}

static int open_source(struct uc_recording *r, char *err, size_t err_size)
{
	struct uc_source_opts opts = {
		.event = r->opts.event,
		.freq = r->opts.freq,
		.period = r->opts.period,
		.attach = attach,
		.arg = r->engine,
	};

	return uc_source_open(r->opts.target, &opts, &r->source, err, err_size);
}

int uc_recording_open(const struct uc_recording_opts *opts, struct uc_recording **ret, char *err,
		      size_t err_size)
{
	struct uc_recording *r = calloc(1, sizeof(*r));
	struct uc_pending_opts pending = {
		.keep = opts->merged,
		.cap_bytes = PENDING_BYTES,
		.expired = on_expired,
		.arg = r,
	};
	int rc;

	if (!r || uc_pending_new(&pending, &r->pending)) {
		free(r);
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	r->opts = *opts;
	rc = check_path(opts->path);
	if (rc)
		snprintf(err, err_size, "%s: %s", opts->path, strerror(-rc));
	if (!rc)
		rc = open_engine(r, err, err_size);
	/* The side-band first: a sample's thread must be known. */
	if (!rc)
		rc = uc_sideband_open(opts->target, &r->sideband, err, err_size);
	if (!rc)
		rc = open_source(r, err, err_size);
	if (rc) {
		uc_recording_free(r);
		return rc;
	}
	*ret = r;
	return 0;
}

/* ---- starting ---- */

/* As perf does: the last recording but one is the price of a mistyped command. */
static int set_old_aside(const char *path)
{
	char old[PATH_MAX];
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		return -ENAMETOOLONG;
	return rename(path, old) ? -errno : 0;
}

static int create_file(struct uc_recording *r)
{
	struct uc_perf_writer_opts opts = {
		.event_name = uc_source_name(r->source),
		.attr = *uc_source_attr(r->source),
		.merged = r->opts.merged,
		.argc = r->opts.argc,
		.argv = r->opts.argv,
	};
	int rc = set_old_aside(r->opts.path);

	return rc ? rc : uc_perf_writer_new(r->opts.path, &opts, &r->writer);
}

int uc_recording_start(struct uc_recording *r, char *err, size_t err_size)
{
	bool command = r->opts.target->kind == UC_TARGET_COMMAND;
	int rc = create_file(r);

	if (rc) {
		snprintf(err, err_size, "%s: %s", r->opts.path, strerror(-rc));
		return rc;
	}
	if (!command)
		rc = uc_sideband_enable(r->sideband);
	/* Now that changes are recorded, what is there already. */
	if (!rc)
		rc = uc_synth_processes(r->opts.target, on_record, r);
	if (!rc && !command)
		rc = uc_source_enable(r->source);
	if (rc)
		snprintf(err, err_size, "cannot start recording: %s", strerror(-rc));
	return rc;
}

int uc_recording_engine_fd(const struct uc_recording *r)
{
	return uc_engine_fd(r->engine);
}

int uc_recording_sideband_fd(const struct uc_recording *r)
{
	return uc_sideband_fd(r->sideband);
}

const char *uc_recording_warning(const struct uc_recording *r)
{
	if (uc_source_doubtful(r->source))
		return "threads start faster than they can be listed; some may be sampled twice";
	if (uc_source_attr(r->source)->exclude_kernel)
		return "not permitted to observe the kernel: samples of user code only";
	return NULL;
}

/* ---- running, and the end ---- */

int uc_recording_drain(struct uc_recording *r)
{
	keep_error(r, uc_engine_drain(r->engine));
	keep_error(r, uc_sideband_drain(r->sideband, on_record, r));
	return r->error;
}

bool uc_recording_all_gone(const struct uc_recording *r)
{
	return uc_sideband_all_gone(r->sideband);
}

static u64 sum_of_ends(const u64 counters[UC_COUNT_MAX])
{
	u64 sum = 0;

	for (int i = 0; i < UC_END_COUNT; i++)
		sum += counters[i];
	return sum;
}

/* Requests whose end is open: their thread still has to return to user space. */
static bool stacks_under_way(struct uc_recording *r)
{
	u64 counters[UC_COUNT_MAX];

	return !uc_engine_counters(r->engine, counters) &&
	       counters[UC_COUNT_REQUESTS] > sum_of_ends(counters);
}

static void drain_to_the_end(struct uc_recording *r)
{
	struct pollfd fd = { .fd = uc_engine_fd(r->engine), .events = POLLIN };
	int rc;

	for (int waited = 0; waited < GRACE_MS && stacks_under_way(r); waited += GRACE_STEP_MS) {
		poll(&fd, 1, GRACE_STEP_MS);
		keep_error(r, uc_engine_drain(r->engine));
	}
	do {
		rc = uc_engine_drain(r->engine);
		keep_error(r, rc);
	} while (rc > 0);
	uc_sideband_disable(r->sideband);
	keep_error(r, uc_sideband_drain(r->sideband, on_record, r));
}

static u64 sum_of_partial(const struct uc_tally *t)
{
	u64 sum = 0;

	for (int i = 0; i < UNCOIL_STOP_COUNT; i++)
		sum += t->partial[i];
	return sum;
}

/* An end of UC_ENDS that leaves a sample without the stack it should have. */
static bool is_loss(int end)
{
	return end != UC_END_DELIVERED && end != UC_END_NO_USER && end != UC_END_REQUEST_RING_FULL;
}

static void settle(struct uc_recording *r)
{
	struct uc_tally *t = &r->tally;
	u64 counters[UC_COUNT_MAX] = { 0 }, without, explained;

	keep_error(r, uc_engine_counters(r->engine, counters));
	t->no_user = explained = counters[UC_END_NO_USER];
	for (int i = 0; i < UC_END_COUNT; i++) {
		if (is_loss(i)) {
			t->lost[i] = counters[i];
			explained += counters[i];
		}
	}
	without = t->samples - t->complete - sum_of_partial(t);
	t->pending = without > explained ? without - explained : 0;
	t->unrecorded = counters[UC_END_REQUEST_RING_FULL];
	t->sideband = uc_sideband_lost(r->sideband);
}

static const char *const end_words[] = {
#define UC_END_WORD_(name, word, sentence) [UC_END_##name] = word,
	UC_ENDS(UC_END_WORD_)
#undef UC_END_WORD_
};

static void note_loss(struct uc_recording *r, const char *word, u64 count)
{
	if (count)
		keep_error(r, uc_perf_writer_note(r->writer, "lost %s %" PRIu64, word, count));
}

static void write_notes(struct uc_recording *r)
{
	const struct uc_tally *t = &r->tally;

	keep_error(r, uc_perf_writer_note(r->writer, "engine %s", uc_engine_name(r->engine)));
	for (int i = 0; i < UC_END_COUNT; i++)
		note_loss(r, end_words[i], t->lost[i]);
	note_loss(r, "pending", t->pending);
	note_loss(r, end_words[UC_END_REQUEST_RING_FULL], t->unrecorded);
	note_loss(r, "side-band", t->sideband);
}

int uc_recording_finish(struct uc_recording *r)
{
	struct stat st;

	/* Fails for threads that have exited; they make no samples either. */
	uc_source_disable(r->source);
	drain_to_the_end(r);
	uc_pending_flush(r->pending);
	settle(r);
	write_notes(r);
	r->tally.stack_bytes = uc_perf_writer_stack_bytes(r->writer);
	keep_error(r, uc_perf_writer_close(r->writer));
	r->writer = NULL;
	if (!stat(r->opts.path, &st))
		r->tally.file_bytes = (u64)st.st_size;
	return r->error;
}

const struct uc_tally *uc_recording_tally(const struct uc_recording *r)
{
	return &r->tally;
}

void uc_recording_free(struct uc_recording *r)
{
	if (!r)
		return;
	if (r->writer)
		uc_perf_writer_close(r->writer);
	uc_source_close(r->source);
	uc_sideband_close(r->sideband);
	uc_engine_free(r->engine);
	uc_pending_free(r->pending);
	free(r);
}

/* ---- the closing line ---- */

/* 1234567 as "1,234,567". */
static const char *grouped(u64 n, char buf[32])
{
	char digits[24], *out = buf;
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		*out++ = digits[i];
		if ((len - i - 1) % 3 == 0 && i < len - 1)
			*out++ = ',';
	}
	*out = '\0';
	return buf;
}

/* List item "3 no-entry"; counts how many were printed in *nr. */
static void print_item(FILE *out, u64 count, const char *word, int *nr)
{
	char buf[32];

	if (count)
		fprintf(out, "%s %s %s", (*nr)++ ? "," : "", grouped(count, buf), word);
}

static void print_size(FILE *out, u64 bytes)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 999.95 && unit < sizeof(units) / sizeof(units[0]) - 1) {
		value /= 1000;
		unit++;
	}
	fprintf(out, "%.*f %s", unit ? 1 : 0, value, units[unit]);
}

static void print_complete(const struct uc_tally *t, FILE *out)
{
	u64 whole = t->samples - t->no_user, share;
	char buf[32];

	fprintf(out, "%s complete stacks", grouped(t->complete, buf));
	if (!whole)
		return;
	/* Rounded down: 100 % is said of nothing less. */
	share = t->complete * 10000 / whole;
	fprintf(out, " (%" PRIu64 ".%02" PRIu64 " %%)", share / 100, share % 100);
}

static void print_partial(const struct uc_tally *t, FILE *out)
{
	static const char *const words[] = {
#define UC_STOP_WORD_(name, number, word, sentence) [number] = word,
		UNCOIL_STOPS(UC_STOP_WORD_)
#undef UC_STOP_WORD_
	};
	int nr = 0;

	fprintf(out, ", partial:");
	for (int i = 0; i < UNCOIL_STOP_COUNT; i++)
		print_item(out, t->partial[i], words[i], &nr);
	if (!nr)
		fprintf(out, " none");
}

static void print_lost(const struct uc_tally *t, FILE *out)
{
	int nr = 0;

	fprintf(out, "; lost:");
	for (int i = 0; i < UC_END_COUNT; i++)
		print_item(out, t->lost[i], end_words[i], &nr);
	print_item(out, t->pending, "pending", &nr);
	if (!nr)
		fprintf(out, " none");
	nr = 0;
	if (t->unrecorded || t->sideband)
		fprintf(out, "; not recorded:");
	print_item(out, t->unrecorded, end_words[UC_END_REQUEST_RING_FULL], &nr);
	print_item(out, t->sideband, "side-band", &nr);
}

void uc_tally_print(const struct uc_tally *t, const char *path, FILE *out)
{
	char buf[32];

	fprintf(out, "uncoil: %s samples, ", grouped(t->samples, buf));
	print_complete(t, out);
	print_partial(t, out);
	if (t->no_user)
		fprintf(out, "; no user stack: %s", grouped(t->no_user, buf));
	print_lost(t, out);
	if (t->samples)
		fprintf(out, "; %s bytes a sample",
			grouped((t->stack_bytes + t->samples / 2) / t->samples, buf));
	fprintf(out, "; %s ", path);
	print_size(out, t->file_bytes);
	fputc('\n', out);
}
