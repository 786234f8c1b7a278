/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a sample costs in a real recording, and how soon its stack is there.
 *
 * usage: bench_sample sample COMMAND...	a thousand samples a second of it
 *        bench_sample first TIMES PROGRAM	first stacks of fresh copies of it
 */
#define _GNU_SOURCE
#include "uc_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uncoil/stop.h"

#define WARM_NS 300000000ull /* rows are in the cache by then */
#define SLOTS (1 << 16)
#define SLICE_US 10000
#define SLICES_MAX 1000

struct waiting {
	u64 cookie, time_ns;
};

struct bench {
	struct uc_engine *engine;
	struct waiting *waiting; /* SLOTS, by cookie: requests without stack yet */
	double *latency_us; /* SLOTS, of stacks after the warm-up */
	u64 since_ns; /* end of the warm-up */
	u32 nr_latencies;
	u32 stacks, complete;
	/* of the first stack */
	u64 request_ns, stack_ns, seen_ns;
	u32 frames, stop;
};

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static void die(const char *what, int err)
{
	fprintf(stderr, "bench_sample: %s: %s\n", what, strerror(err));
	exit(1);
}

/* ---- events ---- */

static void on_request(void *arg, const struct uc_event_request *req)
{
	struct bench *b = arg;
	struct waiting *w = &b->waiting[(req->cookie ^ req->cookie >> 16) % SLOTS];

	if (!req->cookie || w->cookie == req->cookie) /* none, or joined */
		return;
	w->cookie = req->cookie;
	w->time_ns = req->time_ns;
}

static void on_stack(void *arg, const struct uc_stack *stack)
{
	struct bench *b = arg;
	struct waiting *w = &b->waiting[(stack->cookie ^ stack->cookie >> 16) % SLOTS];

	if (w->cookie != stack->cookie)
		return;
	if (!b->stacks++) {
		b->request_ns = w->time_ns;
		b->stack_ns = stack->time_ns;
		b->seen_ns = now_ns();
		b->frames = stack->nr;
		b->stop = stack->stop;
	}
	b->complete += stack->stop == UNCOIL_STOP_OUTERMOST;
	if (w->time_ns > b->since_ns && b->nr_latencies < SLOTS)
		b->latency_us[b->nr_latencies++] = (double)(stack->time_ns - w->time_ns) / 1000;
}

static void bench_init(struct bench *b)
{
	struct uc_engine_opts opts = {
		.measure = true, .on_request = on_request, .on_stack = on_stack, .arg = b,
	};
	char err[512] = "";

	memset(b, 0, sizeof(*b));
	b->waiting = calloc(SLOTS, sizeof(*b->waiting));
	b->latency_us = calloc(SLOTS, sizeof(*b->latency_us));
	if (!b->waiting || !b->latency_us)
		die("memory", ENOMEM);
	if (uc_engine_new(&opts, &b->engine, err, sizeof(err))) {
		fprintf(stderr, "bench_sample: %s\n", err);
		exit(1);
	}
}

static void bench_fini(struct bench *b)
{
	uc_engine_free(b->engine);
	free(b->waiting);
	free(b->latency_us);
}

static void counters(struct bench *b, u64 ret[UC_COUNT_MAX])
{
	int rc = uc_engine_counters(b->engine, ret);

	if (rc)
		die("counters", -rc);
}

/* ---- the sampled program ---- */

struct child {
	pid_t pid;
	int event_fd;
	u64 *exec_ns; /* when it called exec */
};

static void child_run(char **argv, int go_fd, u64 *exec_ns)
{
	char c;

	if (read(go_fd, &c, 1) != 1)
		_exit(127);
	*exec_ns = now_ns();
	execvp(argv[0], argv);
	_exit(127);
}

static int open_event(pid_t pid, bool freq, u64 rate)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = rate, /* or sample_period: a union */
		.freq = freq,
		.disabled = 1,
		.enable_on_exec = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open", errno);
	return fd;
}

/* Start argv; its samples begin with its exec. */
static void child_start(struct child *c, struct bench *b, char **argv, bool freq, u64 rate)
{
	int go[2], rc;

	if (pipe2(go, O_CLOEXEC))
		die("pipe", errno);
	c->pid = fork();
	if (c->pid < 0)
		die("fork", errno);
	if (!c->pid) {
		close(go[1]);
		child_run(argv, go[0], c->exec_ns);
	}
	c->event_fd = open_event(c->pid, freq, rate);
	rc = uc_engine_attach(b->engine, c->event_fd);
	if (rc)
		die("attaching", -rc);
	if (write(go[1], "", 1) != 1)
		die("pipe", errno);
	close(go[0]);
	close(go[1]);
}

static void child_end(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	close(c->event_fd);
}

static bool child_ended(struct child *c)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

static u64 *shared_time(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap", errno);
	return p;
}

/* ---- bench_sample sample ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percentile(const double *sorted, u32 nr, u32 percent)
{
	return nr ? sorted[(u64)nr * percent / 100 < nr ? (u64)nr * percent / 100 : nr - 1] : 0;
}

/*
 * The counters are sums. Read often, their differences are means of a few
 * walks each, and the median of those means is untouched by the few in which
 * the machine did something else.
 */
struct slices {
	u64 last[UC_COUNT_MAX];
	double request_ns[SLICES_MAX], walk_ns[SLICES_MAX], frame_ns[SLICES_MAX];
	u32 nr;
};

static double ratio(const u64 *now, const u64 *last, int sum, int nr)
{
	return (double)(now[sum] - last[sum]) / (double)(now[nr] - last[nr]);
}

static void slice_take(struct slices *s, struct bench *b)
{
	u64 now[UC_COUNT_MAX];

	counters(b, now);
	if (s->last[UC_COUNT_WALKS] && now[UC_COUNT_WALKS] > s->last[UC_COUNT_WALKS] &&
	    now[UC_COUNT_REQUESTS] > s->last[UC_COUNT_REQUESTS] && s->nr < SLICES_MAX) {
		s->request_ns[s->nr] = ratio(now, s->last, UC_COUNT_REQUEST_NS, UC_COUNT_REQUESTS);
		s->walk_ns[s->nr] = ratio(now, s->last, UC_COUNT_WALK_NS, UC_COUNT_WALKS);
		s->frame_ns[s->nr] = ratio(now, s->last, UC_COUNT_WALK_NS, UC_COUNT_FRAMES);
		s->nr++;
	}
	memcpy(s->last, now, sizeof(now));
}

static void print_values(const char *what, const char *unit, double *values, u32 nr)
{
	qsort(values, nr, sizeof(*values), by_value);
	printf("  %-34s %8.1f %s  [%.1f %.1f]\n", what, percentile(values, nr, 50), unit,
	       percentile(values, nr, 10), percentile(values, nr, 90));
}

static void print_costs(struct bench *b, struct slices *s)
{
	const u64 *z = s->last;
	u64 ends = 0;
	int i;

	print_values("the sample's own program", "ns", s->request_ns, s->nr);
	print_values("the deferred walk, with its event", "ns", s->walk_ns, s->nr);
	print_values("... a frame", "ns", s->frame_ns, s->nr);
	print_values("from the sample to its walk", "us", b->latency_us, b->nr_latencies);
	for (i = 0; i < UC_END_COUNT; i++)
		ends += z[i];
	printf("  %llu samples = %llu stacks (%u complete) + %llu lost; %.1f frames a stack; "
	       "%.2f %% of rows from the cache\n",
	       (unsigned long long)z[UC_COUNT_REQUESTS], (unsigned long long)z[UC_END_DELIVERED],
	       b->complete, (unsigned long long)(ends - z[UC_END_DELIVERED]),
	       (double)z[UC_COUNT_FRAMES] / (double)z[UC_COUNT_WALKS],
	       100.0 * (double)z[UC_COUNT_ROW_HITS] /
		       (double)(z[UC_COUNT_ROW_HITS] + z[UC_COUNT_ROW_MISSES]));
}

static int cmd_sample(char **argv)
{
	struct child child = { .exec_ns = shared_time() };
	static struct slices slices;
	struct bench b;

	bench_init(&b);
	b.since_ns = now_ns() + WARM_NS;
	child_start(&child, &b, argv, true, 1000);
	while (!child_ended(&child)) {
		usleep(SLICE_US);
		uc_engine_drain(b.engine);
		if (now_ns() > b.since_ns)
			slice_take(&slices, &b);
	}
	child_end(&child);
	uc_engine_drain(b.engine);
	slice_take(&slices, &b);
	print_costs(&b, &slices);
	bench_fini(&b);
	return 0;
}

/* ---- bench_sample first ---- */

#define FIRSTS_MAX 100
#define PATIENCE_NS 1000000000ull
#define PERIOD_NS 10000000 /* of CPU time: by then a program is in its own code */

enum first {
	EXEC_TO_REQUEST,
	REQUEST_TO_WALK,
	WALK,
	WALK_FRAME,
	REQUEST_TO_SEEN,
	FIRSTS
};

static const char *const first_words[FIRSTS] = {
	[EXEC_TO_REQUEST] = "from exec to the first sample",
	[REQUEST_TO_WALK] = "from the sample to its walk",
	[WALK] = "the walk",
	[WALK_FRAME] = "... a frame",
	[REQUEST_TO_SEEN] = "from the sample to its stack here",
};

/* A new file, so that no row of it is known. to: a template. */
static void copy_program(const char *from, char *to)
{
	static char bytes[1 << 16];
	int in = open(from, O_RDONLY | O_CLOEXEC), out = mkostemp(to, O_CLOEXEC);
	ssize_t n;

	if (in < 0 || out < 0)
		die(in < 0 ? from : to, errno);
	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, (size_t)n) != n)
			die(to, errno);
	fchmod(out, 0700);
	close(in);
	close(out);
}

/* Until a walk is over and its stack here. Returns walks done, 0 in vain. */
static u64 wait_first(struct bench *b, const u64 *before, u64 *ret_walk_ns)
{
	u64 until = now_ns() + PATIENCE_NS, now[UC_COUNT_MAX];

	while (now_ns() < until) {
		uc_engine_drain(b->engine);
		counters(b, now);
		*ret_walk_ns = now[UC_COUNT_WALK_NS] - before[UC_COUNT_WALK_NS];
		if (b->stacks && *ret_walk_ns)
			return now[UC_COUNT_WALKS] - before[UC_COUNT_WALKS];
		usleep(20);
	}
	return 0;
}

/* One fresh process. False if a second walk came before we could look. */
static bool first_once(struct bench *b, const char *program, double *us, double *ret_frames)
{
	char path[] = "/tmp/uncoil-bench-XXXXXX", word[] = "1000";
	char *argv[] = { path, word, NULL };
	struct child child = { .exec_ns = shared_time() };
	u64 before[UC_COUNT_MAX], walk_ns = 0, walks;

	copy_program(program, path);
	uc_engine_drain(b->engine);
	b->stacks = 0;
	counters(b, before);
	child_start(&child, b, argv, false, PERIOD_NS);
	walks = wait_first(b, before, &walk_ns);
	child_end(&child);
	unlink(path);
	us[EXEC_TO_REQUEST] = (double)(b->request_ns - *child.exec_ns) / 1000;
	us[REQUEST_TO_WALK] = (double)(b->stack_ns - b->request_ns) / 1000;
	us[WALK] = (double)walk_ns / 1000;
	us[WALK_FRAME] = b->frames ? us[WALK] / b->frames : 0;
	us[REQUEST_TO_SEEN] = (double)(b->seen_ns - b->request_ns) / 1000;
	*ret_frames = b->frames;
	munmap(child.exec_ns, 4096);
	return walks == 1 && b->stop == UNCOIL_STOP_OUTERMOST;
}

static int cmd_first(u32 times, const char *program)
{
	static double us[FIRSTS][FIRSTS_MAX], frames[FIRSTS_MAX];
	double one[FIRSTS], deep;
	u32 i, nr = 0, k;
	struct bench b;

	bench_init(&b);
	for (i = 0; i < times && i < FIRSTS_MAX; i++) {
		if (!first_once(&b, program, one, &deep))
			continue;
		for (k = 0; k < FIRSTS; k++)
			us[k][nr] = one[k];
		frames[nr++] = deep;
	}
	bench_fini(&b);
	qsort(frames, nr, sizeof(double), by_value);
	printf("  %u processes; in %u the first stack was complete and seen before a second; %.0f frames\n",
	       times, nr, percentile(frames, nr, 50));
	for (k = 0; k < FIRSTS; k++)
		print_values(first_words[k], "us", us[k], nr);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "sample"))
		return cmd_sample(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "first"))
		return cmd_first((u32)atoi(argv[2]), argv[3]);
	fprintf(stderr, "usage: bench_sample sample COMMAND... | first TIMES PROGRAM\n");
	return 2;
}
