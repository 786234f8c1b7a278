/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_source.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

struct uc_source {
	struct perf_event_attr attr;
	enum uc_source_event event;
	int (*attach)(void *arg, int fd);
	void *arg;
	int *fds;
	size_t nr_fds, cap_fds;
	bool doubtful;
	char *err; /* of the caller, while opening */
	size_t err_size;
};

static const char *event_word(const struct uc_source *s)
{
	return s->event == UC_SOURCE_CYCLES ? "cycles" : "cpu-clock";
}

const char *uc_source_name(const struct uc_source *s)
{
	if (s->event == UC_SOURCE_CYCLES)
		return s->attr.exclude_kernel ? "cycles:u" : "cycles";
	return s->attr.exclude_kernel ? "cpu-clock:u" : "cpu-clock";
}

static void set_event(struct uc_source *s, enum uc_source_event event)
{
	bool cycles = event == UC_SOURCE_CYCLES;

	s->event = event;
	s->attr.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	s->attr.config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	/* A guest's instructions have no stack that we could walk. */
	s->attr.exclude_guest = cycles;
	/* The timer ticks on idle CPUs, too, where the cycle counter stands still. */
	s->attr.exclude_idle = !cycles;
}

/* CPUs of several kinds have a PMU each, and a "cycles" event counts on one
 * of them only: it would be blind on the other CPUs without a word. */
static bool cpus_differ(void)
{
	glob_t found;
	bool differ;

	if (glob("/sys/bus/event_source/devices/*/cpus", GLOB_NOSORT, NULL, &found))
		return false;
	differ = found.gl_pathc > 1;
	globfree(&found);
	return differ;
}

static int probe(struct uc_source *s)
{
	int fd = uc_perf_open(&s->attr, 0, -1);

	if ((fd == -EACCES || fd == -EPERM) && !s->attr.exclude_kernel) {
		s->attr.exclude_kernel = 1;
		fd = uc_perf_open(&s->attr, 0, -1);
	}
	if (fd == -ENODEV)
		return -ENOENT;
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Settle the event and the kernel's part in it, by opening it on ourselves. */
static int choose_event(struct uc_source *s, enum uc_source_event wanted)
{
	int rc;

	if (wanted == UC_SOURCE_CYCLES && cpus_differ()) {
		snprintf(s->err, s->err_size,
			 "cycles: the CPUs of this machine are of several kinds, each with its own "
			 "counter, which is not supported; cpu-clock works everywhere");
		return -EOPNOTSUPP;
	}
	if (wanted == UC_SOURCE_CYCLES || (wanted == UC_SOURCE_DEFAULT && !cpus_differ())) {
		set_event(s, UC_SOURCE_CYCLES);
		rc = probe(s);
		if (!rc)
			return 0;
		if (wanted == UC_SOURCE_CYCLES)
			return uc_perf_explain(rc, event_word(s), &s->attr, 0, -1, s->err,
					       s->err_size);
	}
	set_event(s, UC_SOURCE_CPU_CLOCK);
	rc = probe(s);
	return rc ? uc_perf_explain(rc, event_word(s), &s->attr, 0, -1, s->err, s->err_size) : 0;
}

static int keep_fd(struct uc_source *s, int fd)
{
	if (s->nr_fds == s->cap_fds) {
		size_t cap = s->cap_fds ? 2 * s->cap_fds : 16;
		int *grown = reallocarray(s->fds, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->fds = grown;
		s->cap_fds = cap;
	}
	s->fds[s->nr_fds++] = fd;
	return 0;
}

static int source_open_one(void *arg, pid_t tid, int cpu)
{
	struct uc_source *s = arg;
	int fd = uc_perf_open(&s->attr, tid, cpu), rc;

	if (fd == -ESRCH || fd == -ENODEV)
		return fd;
	if (fd < 0)
		return uc_perf_explain(fd, event_word(s), &s->attr, tid, cpu, s->err, s->err_size);
	rc = keep_fd(s, fd);
	if (rc) {
		close(fd);
		return rc;
	}
	rc = s->attach ? s->attach(s->arg, fd) : 0;
	if (rc)
		snprintf(s->err, s->err_size, "cannot attach to the event %s: %s", event_word(s),
			 strerror(-rc));
	/* Not "gone": that would leave an event behind that samples nothing. */
	return rc == -ESRCH || rc == -ENODEV ? -EIO : rc;
}

static void source_reset(void *arg)
{
	struct uc_source *s = arg;

	while (s->nr_fds)
		close(s->fds[--s->nr_fds]);
}

int uc_source_open(const struct uc_target *target, const struct uc_source_opts *opts,
		   struct uc_source **ret, char *err, size_t err_size)
{
	static const struct uc_target_ops ops = { .open = source_open_one, .reset = source_reset };
	struct uc_source *s = calloc(1, sizeof(*s));
	int rc;

	if (!s) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	s->err = err;
	s->err_size = err_size;
	s->attach = opts->attach;
	s->arg = opts->arg;
	s->attr.size = sizeof(s->attr);
	s->attr.freq = opts->freq != 0;
	if (opts->freq)
		s->attr.sample_freq = opts->freq;
	else
		s->attr.sample_period = opts->period;
	s->attr.disabled = 1;
	s->attr.use_clockid = 1;
	s->attr.clockid = CLOCK_MONOTONIC;

	rc = choose_event(s, opts->event);
	if (!rc) {
		s->attr.inherit = target->kind == UC_TARGET_COMMAND ||
				  target->kind == UC_TARGET_PROCESSES;
		s->attr.enable_on_exec = target->kind == UC_TARGET_COMMAND;
		rc = uc_target_each(target, &ops, s, &s->doubtful, err, err_size);
	}
	s->err = NULL;
	if (rc) {
		uc_source_close(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void uc_source_close(struct uc_source *s)
{
	if (!s)
		return;
	source_reset(s);
	free(s->fds);
	free(s);
}

static int each_ioctl(struct uc_source *s, unsigned long request)
{
	int rc = 0;

	for (size_t i = 0; i < s->nr_fds; i++)
		if (ioctl(s->fds[i], request, 0) && !rc)
			rc = -errno;
	return rc;
}

int uc_source_enable(struct uc_source *s)
{
	return each_ioctl(s, PERF_EVENT_IOC_ENABLE);
}

int uc_source_disable(struct uc_source *s)
{
	return each_ioctl(s, PERF_EVENT_IOC_DISABLE);
}

const struct perf_event_attr *uc_source_attr(const struct uc_source *s)
{
	return &s->attr;
}

bool uc_source_doubtful(const struct uc_source *s)
{
	return s->doubtful;
}

uint64_t uc_source_max_freq(void)
{
	long rate = uc_read_number("/proc/sys/kernel/perf_event_max_sample_rate", 0);

	return rate > 0 ? (uint64_t)rate : 0;
}
