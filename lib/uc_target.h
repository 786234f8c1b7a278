/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What to observe: a command about to start, processes, threads, or the whole
 * system. Both users of perf events (samples and side-band) walk a target with
 * the same loop, so they cannot differ in what they cover.
 */
#ifndef UC_TARGET_H
#define UC_TARGET_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum uc_target_kind {
	UC_TARGET_COMMAND, /* ids[0]: a child that has not called exec yet */
	UC_TARGET_PROCESSES, /* all threads of ids[], and what they start */
	UC_TARGET_THREADS, /* exactly the threads ids[] */
	UC_TARGET_SYSTEM, /* everything on every online CPU; no ids */
};

struct uc_target {
	enum uc_target_kind kind;
	const pid_t *ids; /* borrowed */
	size_t nr_ids;
};

/* A list of numbers: threads, processes, or CPUs. Ascending, no doubles. */
struct uc_ids {
	pid_t *id;
	size_t nr, cap;
};

void uc_ids_fini(struct uc_ids *ids);
/* Append; call uc_ids_sort() when done. 0 or -ENOMEM. */
int uc_ids_add(struct uc_ids *ids, pid_t id);
void uc_ids_sort(struct uc_ids *ids);
bool uc_ids_has(const struct uc_ids *ids, pid_t id);
/* Parse the kernel's CPU list format, "0-3,8". 0, -EINVAL or -ENOMEM. */
int uc_ids_parse_cpus(struct uc_ids *ids, const char *text);

/* Online CPUs. 0 or negative errno. */
int uc_target_cpus(struct uc_ids *ret);
/* Add every thread of process @pid. 0, -ESRCH, or negative errno. */
int uc_target_threads(pid_t pid, struct uc_ids *ret);
/* Process that thread @tid belongs to, or -ESRCH. */
pid_t uc_target_process_of(pid_t tid);

/*
 * How to open events for one element of a target.
 * open: events for thread @tid (-1: everything) on CPU @cpu (-1: any, the
 *	callee may still open one event a CPU). -ESRCH and -ENODEV mean that
 *	the thread or CPU has gone and are passed over.
 * reset: close all that open() made; listing starts again.
 */
struct uc_target_ops {
	int (*open)(void *arg, pid_t tid, int cpu);
	void (*reset)(void *arg);
};

/*
 * Call ops->open() for every element of @target. A process may start threads
 * while it is being listed: such a thread inherits the events if its creator
 * already had them and not otherwise, and nothing tells which. So the result
 * only counts if the list is the same before and after; else everything is
 * closed and listed again. If the process never holds still, the threads of
 * the last listing are opened, too, and *ret_doubtful is set: some of them
 * may have two events.
 *
 * 0, or negative errno and a sentence in @err. After an error events may be
 * open; the caller closes them.
 */
int uc_target_each(const struct uc_target *target, const struct uc_target_ops *ops, void *arg,
		   bool *ret_doubtful, char *err, size_t err_size);

/* perf_event_open(2), close-on-exec; raises RLIMIT_NOFILE to its hard limit
 * when descriptors run out. A descriptor or negative errno. */
int uc_perf_open(struct perf_event_attr *attr, pid_t tid, int cpu);
/* Say in @err why uc_perf_open() of @what ("cpu-clock") gave @error. Returns @error. */
int uc_perf_explain(int error, const char *what, const struct perf_event_attr *attr, pid_t tid,
		    int cpu, char *err, size_t err_size);
/* Number in a file of one number, such as a sysctl; @fallback if unreadable. */
long uc_read_number(const char *path, long fallback);

#endif
