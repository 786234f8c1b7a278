/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include "uc_engine.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

extern const u8 uc_engine_object[], uc_engine_object_end[];

/* Stacks whose last part has not come yet. More than a few at a time are
 * stacks that lost their end. */
#define PARTIALS 64

struct partial {
	u64 cookie; /* 0: free */
	u32 nr;
	u64 frame[UC_FRAMES_MAX];
};

struct uc_engine {
	struct uc_engine_opts opts;
	struct bpf_object *object;
	struct bpf_link *exit_link, *exec_link;
	struct ring_buffer *ring;
	int sample_fd, counters_fd;
	u32 next_partial; /* the one to give up for a new one */
	struct partial *partial; /* PARTIALS of them */
};

/* ---- failing with words ---- */

static void say(char *err, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(char *err, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, size, fmt, ap);
	va_end(ap);
}

static bool file_contains(const char *path, const char *what)
{
	char line[256] = "";
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	return strstr(line, what);
}

static bool kernel_has_function(const struct btf *btf, const char *name)
{
	return btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

/* Say what the kernel lacks for the engine, or what it denies us. */
static void explain_failure(int rc, char *err, size_t size)
{
	struct utsname u;
	struct btf *btf;

	if (uname(&u))
		strcpy(u.release, "unknown");
	if (file_contains("/sys/kernel/security/lockdown", "[confidentiality]")) {
		say(err, size, "the kernel is locked down (confidentiality): BPF may not read memory; "
			       "boot with lockdown=integrity or without lockdown");
		return;
	}
	if (rc == -EPERM || rc == -EACCES || geteuid()) {
		if (geteuid())
			say(err, size, "loading BPF programs needs CAP_BPF and CAP_PERFMON, and with "
				       "some versions of libbpf CAP_SYS_ADMIN: run as root");
		else
			say(err, size, "the kernel refused the BPF programs although we are root: "
				       "a container without CAP_BPF and CAP_PERFMON, or a seccomp filter?");
		return;
	}
	btf = btf__load_vmlinux_btf();
	if (!btf) {
		say(err, size, "kernel %s has no type information (/sys/kernel/btf/vmlinux): "
			       "it needs CONFIG_DEBUG_INFO_BTF=y", u.release);
		return;
	}
	if (!kernel_has_function(btf, "bpf_task_work_schedule_resume") &&
	    !kernel_has_function(btf, "bpf_task_work_schedule_resume_impl"))
		say(err, size, "kernel %s can not defer work from BPF: Linux 6.18 or later is needed",
		    u.release);
	else
		say(err, size, "loading the BPF programs failed: %s (UNCOIL_LOG=debug shows the "
			       "verifier's log)", strerror(-rc));
	btf__free(btf);
}

static int libbpf_print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	const char *log = getenv("UNCOIL_LOG");

	(void)level;
	return log && !strcmp(log, "debug") ? vfprintf(stderr, fmt, ap) : 0;
}

/* ---- events ---- */

static void deliver(struct uc_engine *e, const struct uc_event_stack *ev, const u64 *frame, u32 nr)
{
	struct uc_stack stack = {
		.cookie = ev->cookie,
		.time_ns = ev->time_ns,
		.pid = ev->pid,
		.tid = ev->tid,
		.cpu = ev->cpu,
		.nr = nr,
		.stop = ev->stop,
		.flaw = ev->flaw,
		.stop_addr = ev->stop_addr,
		.frame = frame,
	};

	e->opts.on_stack(e->opts.arg, &stack);
}

static struct partial *partial_find(struct uc_engine *e, const struct uc_event_stack *ev)
{
	u32 i;

	if (ev->first) {
		for (i = 0; i < PARTIALS; i++)
			if (e->partial[i].cookie == ev->cookie)
				return &e->partial[i];
		return NULL; /* its first part was lost */
	}
	for (i = 0; i < PARTIALS; i++)
		if (!e->partial[i].cookie)
			break;
	if (i == PARTIALS) {
		i = e->next_partial;
		e->next_partial = (i + 1) % PARTIALS;
	}
	e->partial[i].cookie = ev->cookie;
	e->partial[i].nr = 0;
	return &e->partial[i];
}

/* A stack in several events: gather, and deliver with the last. A stack with
 * a hole is dropped; the engine has counted it as lost. */
static void on_partial(struct uc_engine *e, const struct uc_event_stack *ev)
{
	struct partial *p = partial_find(e, ev);

	if (!p)
		return;
	if (p->nr != ev->first || ev->nr > UC_FRAMES_MAX - p->nr) {
		p->cookie = 0;
		return;
	}
	memcpy(&p->frame[p->nr], ev->frame, ev->nr * sizeof(u64));
	p->nr += ev->nr;
	if (ev->flags & UC_STACK_LAST) {
		deliver(e, ev, p->frame, p->nr);
		p->cookie = 0;
	}
}

static int on_event(void *arg, void *data, size_t size)
{
	struct uc_engine *e = arg;
	const struct uc_event_request *req = data;
	const struct uc_event_stack *stack = data;

	if (size < sizeof(u32) * 2)
		return 0;
	if (req->type == UC_EVENT_REQUEST)
		e->opts.on_request(e->opts.arg, req);
	else if (!stack->first && (stack->flags & UC_STACK_LAST))
		deliver(e, stack, stack->frame, stack->nr);
	else
		on_partial(e, stack);
	return 0;
}

/* ---- set-up ---- */

static int set_options(struct uc_engine *e)
{
	struct bpf_map *map = bpf_object__find_map_by_name(e->object, ".rodata.options");
	struct uc_options *o;
	size_t size;

	o = map ? (struct uc_options *)bpf_map__initial_value(map, &size) : NULL;
	if (!o || size != sizeof(*o))
		return -EINVAL;
	o->unwind = e->opts.unwind;
	o->max_frames = e->opts.max_frames ? e->opts.max_frames : UC_FRAMES_DEFAULT;
	o->measure = e->opts.measure;
	map = bpf_object__find_map_by_name(e->object, "ring");
	return e->opts.ring_bytes ? bpf_map__set_max_entries(map, e->opts.ring_bytes) : 0;
}

static int attach(struct uc_engine *e, const char *name, struct bpf_link **ret)
{
	*ret = bpf_program__attach(bpf_object__find_program_by_name(e->object, name));
	return *ret ? 0 : -errno;
}

static int load(struct uc_engine *e, char *err, size_t err_size)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_opts, .object_name = "uncoil");
	int rc;

	e->object = bpf_object__open_mem(uc_engine_object,
					 (size_t)(uc_engine_object_end - uc_engine_object), &open_opts);
	if (!e->object) {
		rc = -errno;
		say(err, err_size, "opening the BPF object failed: %s", strerror(-rc));
		return rc;
	}
	rc = set_options(e);
	if (rc) {
		say(err, err_size, "the BPF object is not of this version");
		return rc;
	}
	rc = bpf_object__load(e->object);
	if (rc) {
		explain_failure(rc, err, err_size);
		return rc;
	}
	e->sample_fd = bpf_program__fd(bpf_object__find_program_by_name(e->object, "uc_sample"));
	e->counters_fd = bpf_object__find_map_fd_by_name(e->object, "counters");
	rc = attach(e, "uc_exit", &e->exit_link);
	if (!rc)
		rc = attach(e, "uc_exec", &e->exec_link);
	if (rc)
		say(err, err_size, "attaching to the scheduler's tracepoints failed: %s", strerror(-rc));
	return rc;
}

int uc_engine_new(const struct uc_engine_opts *opts, struct uc_engine **ret, char *err,
		  size_t err_size)
{
	struct uc_engine *e;
	int rc;

	if (opts->max_frames > UC_FRAMES_MAX) {
		say(err, err_size, "at most %d frames can be had", UC_FRAMES_MAX);
		return -EINVAL;
	}
	e = calloc(1, sizeof(*e));
	if (e)
		e->partial = calloc(PARTIALS, sizeof(*e->partial));
	if (!e || !e->partial) {
		say(err, err_size, "out of memory");
		free(e);
		return -ENOMEM;
	}
	e->opts = *opts;
	libbpf_set_print(libbpf_print);
	rc = load(e, err, err_size);
	if (!rc) {
		e->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(e->object, "ring"), on_event,
					   e, NULL);
		if (!e->ring) {
			rc = -errno;
			say(err, err_size, "mapping the ring buffer failed: %s", strerror(-rc));
		}
	}
	if (rc) {
		uc_engine_free(e);
		return rc;
	}
	*ret = e;
	return 0;
}

void uc_engine_free(struct uc_engine *e)
{
	if (!e)
		return;
	ring_buffer__free(e->ring);
	bpf_link__destroy(e->exit_link);
	bpf_link__destroy(e->exec_link);
	bpf_object__close(e->object);
	free(e->partial);
	free(e);
}

int uc_engine_attach(struct uc_engine *e, int perf_fd)
{
	return ioctl(perf_fd, PERF_EVENT_IOC_SET_BPF, e->sample_fd) ? -errno : 0;
}

int uc_engine_fd(const struct uc_engine *e)
{
	return ring_buffer__epoll_fd(e->ring);
}

int uc_engine_drain(struct uc_engine *e)
{
	return ring_buffer__consume(e->ring);
}

int uc_engine_counters(struct uc_engine *e, u64 ret[UC_COUNT_MAX])
{
	int cpus = libbpf_num_possible_cpus(), cpu, i;
	u32 zero = 0;
	u64 *sums;

	if (cpus < 0)
		return cpus;
	sums = calloc((size_t)cpus, UC_COUNT_MAX * sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	if (bpf_map_lookup_elem(e->counters_fd, &zero, sums)) {
		free(sums);
		return -errno;
	}
	memset(ret, 0, UC_COUNT_MAX * sizeof(*ret));
	for (cpu = 0; cpu < cpus; cpu++)
		for (i = 0; i < UC_COUNT_MAX; i++)
			ret[i] += sums[cpu * UC_COUNT_MAX + i];
	free(sums);
	return 0;
}

const char *uc_engine_name(const struct uc_engine *e)
{
	(void)e;
	return "defer";
}
