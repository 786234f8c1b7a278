/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_sideband.h"

#include "uc_perfdata.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* As perf takes by default, for a process that starts or loads in a burst. */
#define RING_BYTES (512 * 1024)
#define RING_BYTES_MIN (16 * 1024)
#define EVENTS_AT_ONCE 64
/* Linux 6.0: read(2) tells how many records found no room, also those after
 * which nothing more was written that could say so. */
#define UC_PERF_FORMAT_LOST (1u << 4)

/* One CPU: the first event opened there owns the ring, later ones write into it. */
struct cpu_ring {
	int cpu;
	int owner_fd;
	struct perf_event_mmap_page *page; /* NULL: no event yet */
	size_t bytes; /* of data, behind the page */
};

struct uc_sideband {
	struct perf_event_attr attr;
	struct uc_ids cpus;
	struct cpu_ring *rings; /* as many as CPUs */
	int *fds;
	size_t nr_fds, cap_fds, nr_gone;
	int epoll_fd;
	uint64_t lost; /* by LOST records */
	uint64_t bounce[UC_RECORD_MAX / sizeof(uint64_t)];
	char *err; /* of the caller, while opening */
	size_t err_size;
};

/* ---- the ring ---- */

const struct perf_event_header *uc_ring_next(struct uc_ring *ring, void *bounce, int *ret_error)
{
	uint64_t avail = ring->head - ring->tail, offset = ring->tail & (ring->size - 1);
	const struct perf_event_header *record;
	uint64_t first;

	*ret_error = 0;
	if (!avail)
		return NULL;
	/* Records are multiples of 8, so a header never wraps around. */
	record = (const void *)(ring->data + offset);
	if (avail > ring->size || avail < sizeof(*record) || record->size < sizeof(*record) ||
	    record->size % sizeof(uint64_t) || record->size > avail) {
		ring->tail = ring->head;
		*ret_error = -EBADMSG;
		return NULL;
	}
	ring->tail += record->size;
	first = ring->size - offset;
	if (record->size <= first)
		return record;
	memcpy(bounce, ring->data + offset, first);
	memcpy((uint8_t *)bounce + first, ring->data, record->size - first);
	return bounce;
}

static void count_lost(struct uc_sideband *s, const struct perf_event_header *record)
{
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} lost;

	if (record->type != PERF_RECORD_LOST || record->size < sizeof(lost))
		return;
	memcpy(&lost, record, sizeof(lost));
	s->lost += lost.lost;
}

static int drain_ring(struct uc_sideband *s, struct cpu_ring *cr, uc_record_fn fn, void *arg,
		      int *nr)
{
	const struct perf_event_header *record;
	struct uc_ring ring;
	int rc = 0, bad;

	if (!cr->page)
		return 0;
	ring.data = (uint8_t *)cr->page + cr->page->data_offset;
	ring.size = cr->bytes;
	ring.tail = cr->page->data_tail;
	ring.head = __atomic_load_n(&cr->page->data_head, __ATOMIC_ACQUIRE);
	while (!rc && (record = uc_ring_next(&ring, s->bounce, &bad))) {
		count_lost(s, record);
		rc = fn(arg, record);
		++*nr;
	}
	__atomic_store_n(&cr->page->data_tail, ring.tail, __ATOMIC_RELEASE);
	return rc ? rc : bad;
}

/* An event whose threads have all exited hangs up for good: stop asking it. */
static void forget_gone(struct uc_sideband *s)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	bool more = true;

	while (more) {
		int n = epoll_wait(s->epoll_fd, events, EVENTS_AT_ONCE, 0);

		more = false;
		for (int i = 0; i < n; i++) {
			if (!(events[i].events & (EPOLLHUP | EPOLLERR)))
				continue;
			epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
			s->nr_gone++;
			more = true;
		}
	}
}

int uc_sideband_drain(struct uc_sideband *s, uc_record_fn fn, void *arg)
{
	int rc = 0, nr = 0;

	/* Before the rings are read: what exits later still has records to come. */
	forget_gone(s);
	for (size_t i = 0; !rc && i < s->cpus.nr; i++)
		rc = drain_ring(s, &s->rings[i], fn, arg, &nr);
	return rc ? rc : nr;
}

/* ---- opening ---- */

static int map_ring(struct cpu_ring *cr, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int rc = -ENOMEM;

	/* EPERM: more than kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK allow. */
	for (size_t bytes = RING_BYTES; bytes >= RING_BYTES_MIN && bytes >= page; bytes /= 2) {
		void *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (map != MAP_FAILED) {
			cr->page = map;
			cr->bytes = bytes;
			cr->owner_fd = fd;
			return 0;
		}
		rc = -errno;
		if (rc != -EPERM && rc != -ENOMEM)
			break;
	}
	return rc;
}

static void unmap_ring(struct cpu_ring *cr)
{
	if (cr->page)
		munmap(cr->page, (size_t)sysconf(_SC_PAGESIZE) + cr->bytes);
	cr->page = NULL;
}

static int open_event(struct uc_sideband *s, pid_t tid, int cpu)
{
	int fd = uc_perf_open(&s->attr, tid, cpu);

	if (fd == -EINVAL && s->attr.read_format) {
		s->attr.read_format = 0;
		fd = uc_perf_open(&s->attr, tid, cpu);
	}
	/* Linux before 5.12 has no build ids in MMAP2. */
	if (fd == -EINVAL && s->attr.build_id) {
		s->attr.build_id = 0;
		fd = uc_perf_open(&s->attr, tid, cpu);
	}
	return fd;
}

static int join_ring(struct uc_sideband *s, struct cpu_ring *cr, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (!cr->page) {
		int rc = map_ring(cr, fd);

		if (rc) {
			snprintf(s->err, s->err_size,
				 "cannot map the ring buffer of CPU %d: %s%s", cr->cpu,
				 strerror(-rc),
				 rc == -EPERM ? " (see kernel.perf_event_mlock_kb)" : "");
			return rc;
		}
	} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cr->owner_fd)) {
		return -errno;
	}
	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_on_cpu(struct uc_sideband *s, pid_t tid, struct cpu_ring *cr)
{
	int fd = open_event(s, tid, cr->cpu), rc;

	if (fd == -ESRCH || fd == -ENODEV)
		return fd;
	if (fd < 0)
		return uc_perf_explain(fd, "side-band events", &s->attr, tid, cr->cpu, s->err,
				       s->err_size);
	if (s->nr_fds == s->cap_fds) {
		size_t cap = s->cap_fds ? 2 * s->cap_fds : 16;
		int *grown = reallocarray(s->fds, cap, sizeof(*grown));

		if (!grown) {
			close(fd);
			return -ENOMEM;
		}
		s->fds = grown;
		s->cap_fds = cap;
	}
	s->fds[s->nr_fds++] = fd;
	rc = join_ring(s, cr, fd);
	if (rc && !s->err[0])
		snprintf(s->err, s->err_size, "cannot share the ring buffer of CPU %d: %s", cr->cpu,
			 strerror(-rc));
	return rc;
}

/*
 * An inherited event must belong to one CPU to have a ring buffer, so a thread
 * takes an event on every CPU. CPU -1 in here: all of them.
 */
static int sideband_open_one(void *arg, pid_t tid, int cpu)
{
	struct uc_sideband *s = arg;
	size_t nr_before = s->nr_fds;
	int rc = 0;

	for (size_t i = 0; i < s->cpus.nr; i++) {
		if (cpu >= 0 && s->rings[i].cpu != cpu)
			continue;
		rc = open_on_cpu(s, tid, &s->rings[i]);
		if (rc == -ESRCH)
			return rc;
		if (rc && rc != -ENODEV)
			return rc;
	}
	return s->nr_fds > nr_before ? 0 : -ENODEV;
}

static void sideband_reset(void *arg)
{
	struct uc_sideband *s = arg;

	for (size_t i = 0; i < s->cpus.nr; i++)
		unmap_ring(&s->rings[i]);
	while (s->nr_fds)
		close(s->fds[--s->nr_fds]);
}

static void set_attr(struct uc_sideband *s, enum uc_target_kind kind)
{
	s->attr.size = sizeof(s->attr);
	s->attr.type = PERF_TYPE_SOFTWARE;
	s->attr.config = PERF_COUNT_SW_DUMMY;
	s->attr.sample_type = UC_PERF_SIDEBAND_TYPE;
	s->attr.read_format = UC_PERF_FORMAT_LOST;
	s->attr.disabled = 1;
	s->attr.inherit = kind != UC_TARGET_SYSTEM;
	s->attr.enable_on_exec = kind == UC_TARGET_COMMAND;
	/* It counts nothing; asking for less needs less permission. */
	s->attr.exclude_kernel = 1;
	s->attr.mmap = 1;
	s->attr.mmap2 = 1;
	s->attr.comm = 1;
	s->attr.comm_exec = 1;
	s->attr.task = 1;
	s->attr.sample_id_all = 1;
	s->attr.build_id = 1;
	s->attr.use_clockid = 1;
	s->attr.clockid = CLOCK_MONOTONIC;
	s->attr.watermark = 1;
	s->attr.wakeup_watermark = RING_BYTES_MIN / 2;
}

static int set_cpus(struct uc_sideband *s)
{
	int rc = uc_target_cpus(&s->cpus);

	if (rc)
		return rc;
	s->rings = calloc(s->cpus.nr, sizeof(*s->rings));
	if (!s->rings)
		return -ENOMEM;
	for (size_t i = 0; i < s->cpus.nr; i++)
		s->rings[i].cpu = s->cpus.id[i];
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return s->epoll_fd < 0 ? -errno : 0;
}

/* @target, with threads widened to their processes. @pids keeps the list. */
static int widen(struct uc_sideband *s, const struct uc_target *target, struct uc_ids *pids,
		 struct uc_target *ret)
{
	*ret = *target;
	if (target->kind != UC_TARGET_THREADS)
		return 0;
	for (size_t i = 0; i < target->nr_ids; i++) {
		pid_t pid = uc_target_process_of(target->ids[i]);

		if (pid < 0) {
			snprintf(s->err, s->err_size, "thread %d: no such thread",
				 (int)target->ids[i]);
			return pid;
		}
		if (uc_ids_add(pids, pid))
			return -ENOMEM;
	}
	uc_ids_sort(pids);
	ret->kind = UC_TARGET_PROCESSES;
	ret->ids = pids->id;
	ret->nr_ids = pids->nr;
	return 0;
}

int uc_sideband_open(const struct uc_target *target, struct uc_sideband **ret, char *err,
		     size_t err_size)
{
	static const struct uc_target_ops ops = { .open = sideband_open_one,
						  .reset = sideband_reset };
	struct uc_sideband *s = calloc(1, sizeof(*s));
	struct uc_ids pids = { 0 };
	struct uc_target wide;
	bool doubtful; /* a doubled record does no harm */
	int rc;

	if (!s) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	s->epoll_fd = -1;
	s->err = err;
	s->err_size = err_size;
	err[0] = '\0';
	set_attr(s, target->kind);
	rc = set_cpus(s);
	if (!rc)
		rc = widen(s, target, &pids, &wide);
	if (!rc)
		rc = uc_target_each(&wide, &ops, s, &doubtful, err, err_size);
	else if (!err[0])
		snprintf(err, err_size, "side-band events: %s", strerror(-rc));
	uc_ids_fini(&pids);
	s->err = NULL;
	if (rc) {
		uc_sideband_close(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void uc_sideband_close(struct uc_sideband *s)
{
	if (!s)
		return;
	if (s->rings)
		sideband_reset(s);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	free(s->fds);
	free(s->rings);
	uc_ids_fini(&s->cpus);
	free(s);
}

static int each_ioctl(struct uc_sideband *s, unsigned long request)
{
	int rc = 0;

	for (size_t i = 0; i < s->nr_fds; i++)
		if (ioctl(s->fds[i], request, 0) && !rc)
			rc = -errno;
	return rc;
}

int uc_sideband_enable(struct uc_sideband *s)
{
	return each_ioctl(s, PERF_EVENT_IOC_ENABLE);
}

int uc_sideband_disable(struct uc_sideband *s)
{
	return each_ioctl(s, PERF_EVENT_IOC_DISABLE);
}

int uc_sideband_fd(const struct uc_sideband *s)
{
	return s->epoll_fd;
}

uint64_t uc_sideband_lost(const struct uc_sideband *s)
{
	uint64_t values[2], sum = 0;

	if (!s->attr.read_format)
		return s->lost;
	for (size_t i = 0; i < s->nr_fds; i++)
		if (read(s->fds[i], values, sizeof(values)) == sizeof(values))
			sum += values[1];
	return sum > s->lost ? sum : s->lost;
}

bool uc_sideband_all_gone(const struct uc_sideband *s)
{
	return s->nr_gone == s->nr_fds;
}
