/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Listings of a process that keeps starting threads, before we settle. */
#define UC_TARGET_ROUNDS 32
/* No machine that Linux runs on has more (CONFIG_NR_CPUS). */
#define UC_TARGET_CPUS_MAX 65536

#define PARANOID_PATH "/proc/sys/kernel/perf_event_paranoid"
#define MAX_RATE_PATH "/proc/sys/kernel/perf_event_max_sample_rate"

/* ---- lists of numbers ---- */

void uc_ids_fini(struct uc_ids *ids)
{
	free(ids->id);
	memset(ids, 0, sizeof(*ids));
}

int uc_ids_add(struct uc_ids *ids, pid_t id)
{
	if (ids->nr == ids->cap) {
		size_t cap = ids->cap ? 2 * ids->cap : 64;
		pid_t *grown = reallocarray(ids->id, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		ids->id = grown;
		ids->cap = cap;
	}
	ids->id[ids->nr++] = id;
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

void uc_ids_sort(struct uc_ids *ids)
{
	size_t kept = 0;

	if (!ids->nr)
		return;
	qsort(ids->id, ids->nr, sizeof(*ids->id), compare_ids);
	for (size_t i = 1; i < ids->nr; i++)
		if (ids->id[i] != ids->id[kept])
			ids->id[++kept] = ids->id[i];
	ids->nr = kept + 1;
}

bool uc_ids_has(const struct uc_ids *ids, pid_t id)
{
	return ids->nr && bsearch(&id, ids->id, ids->nr, sizeof(id), compare_ids);
}

int uc_ids_parse_cpus(struct uc_ids *ids, const char *text)
{
	while (isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-') {
			text = end + 1;
			if (!isdigit((unsigned char)*text))
				return -EINVAL;
			last = strtoul(text, &end, 10);
		}
		if (last < first || last >= UC_TARGET_CPUS_MAX)
			return -EINVAL;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			if (uc_ids_add(ids, (pid_t)cpu))
				return -ENOMEM;
		text = end + (*end == ',');
	}
	uc_ids_sort(ids);
	return *text == '\0' || *text == '\n' ? 0 : -EINVAL;
}

/* ---- what the system has ---- */

static int read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return (int)n;
}

long uc_read_number(const char *path, long fallback)
{
	char buf[32], *end;
	long value;

	if (read_text(path, buf, sizeof(buf)) <= 0)
		return fallback;
	value = strtol(buf, &end, 10);
	return end == buf ? fallback : value;
}

int uc_target_cpus(struct uc_ids *ret)
{
	char buf[4096];
	struct uc_ids cpus = { 0 };
	int rc = read_text("/sys/devices/system/cpu/online", buf, sizeof(buf));

	if (rc < 0)
		return rc;
	rc = uc_ids_parse_cpus(&cpus, buf);
	if (!rc && !cpus.nr)
		rc = -ENODEV;
	if (rc) {
		uc_ids_fini(&cpus);
		return rc;
	}
	*ret = cpus;
	return 0;
}

int uc_target_threads(pid_t pid, struct uc_ids *ret)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!rc && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = uc_ids_add(ret, (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(dir);
	uc_ids_sort(ret);
	return rc;
}

pid_t uc_target_process_of(pid_t tid)
{
	/* Name: comes first and is at most 16 bytes, each escaped to four. */
	char path[64], buf[1024], *line;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (read_text(path, buf, sizeof(buf)) <= 0)
		return -ESRCH;
	line = strstr(buf, "\nTgid:");
	return line ? (pid_t)strtol(line + strlen("\nTgid:"), NULL, 10) : -ESRCH;
}

/* ---- the loop over a target ---- */

struct walk {
	const struct uc_target_ops *ops;
	void *arg;
	size_t nr_opened;
};

static int walk_open(struct walk *w, pid_t tid, int cpu)
{
	int rc = w->ops->open(w->arg, tid, cpu);

	if (rc == -ESRCH || rc == -ENODEV)
		return 0;
	if (!rc)
		w->nr_opened++;
	return rc;
}

/* Threads of all processes of the target. A process that is gone adds none. */
static int list_threads(const struct uc_target *target, struct uc_ids *ret)
{
	ret->nr = 0;
	for (size_t i = 0; i < target->nr_ids; i++) {
		int rc = uc_target_threads(target->ids[i], ret);

		if (rc && rc != -ESRCH)
			return rc;
	}
	uc_ids_sort(ret);
	return 0;
}

/* Open the threads of @now that @before lacks; *ret_new counts them all. */
static int open_new(struct walk *w, const struct uc_ids *before, const struct uc_ids *now,
		    bool open, size_t *ret_new)
{
	int rc = 0;

	*ret_new = 0;
	for (size_t i = 0; !rc && i < now->nr; i++) {
		if (uc_ids_has(before, now->id[i]))
			continue;
		++*ret_new;
		if (open)
			rc = walk_open(w, now->id[i], -1);
	}
	return rc;
}

static int each_process_thread(struct walk *w, const struct uc_target *target, bool *ret_doubtful)
{
	static const struct uc_ids none;
	struct uc_ids before = { 0 }, after = { 0 };
	size_t nr_new = 0;
	int rc = 0;

	for (int round = 0; round < UC_TARGET_ROUNDS; round++) {
		w->ops->reset(w->arg);
		w->nr_opened = 0;
		rc = list_threads(target, &before);
		if (!rc)
			rc = open_new(w, &none, &before, true, &nr_new);
		if (!rc)
			rc = list_threads(target, &after);
		if (!rc)
			rc = open_new(w, &before, &after, false, &nr_new);
		if (rc || !nr_new)
			goto out;
	}
	*ret_doubtful = true;
	rc = open_new(w, &before, &after, true, &nr_new);
out:
	uc_ids_fini(&before);
	uc_ids_fini(&after);
	return rc;
}

static int each_cpu(struct walk *w)
{
	struct uc_ids cpus = { 0 };
	int rc = uc_target_cpus(&cpus);

	for (size_t i = 0; !rc && i < cpus.nr; i++)
		rc = walk_open(w, -1, cpus.id[i]);
	uc_ids_fini(&cpus);
	return rc;
}

/* Every process must exist at the start: a typing error is not an empty recording. */
static int check_processes(const struct uc_target *target, char *err, size_t err_size)
{
	for (size_t i = 0; i < target->nr_ids; i++) {
		struct uc_ids threads = { 0 };
		int rc = uc_target_threads(target->ids[i], &threads);

		uc_ids_fini(&threads);
		if (rc) {
			snprintf(err, err_size, "process %d: %s", (int)target->ids[i],
				 rc == -ESRCH ? "no such process" : strerror(-rc));
			return rc;
		}
	}
	return 0;
}

static int each_given_thread(struct walk *w, const struct uc_target *target, char *err,
			     size_t err_size)
{
	for (size_t i = 0; i < target->nr_ids; i++) {
		size_t before = w->nr_opened;
		int rc = walk_open(w, target->ids[i], -1);

		if (rc)
			return rc;
		if (w->nr_opened == before) {
			snprintf(err, err_size, "thread %d: no such thread", (int)target->ids[i]);
			return -ESRCH;
		}
	}
	return 0;
}

int uc_target_each(const struct uc_target *target, const struct uc_target_ops *ops, void *arg,
		   bool *ret_doubtful, char *err, size_t err_size)
{
	struct walk w = { .ops = ops, .arg = arg };
	int rc;

	*ret_doubtful = false;
	err[0] = '\0';
	switch (target->kind) {
	case UC_TARGET_PROCESSES:
		rc = check_processes(target, err, err_size);
		if (!rc)
			rc = each_process_thread(&w, target, ret_doubtful);
		break;
	case UC_TARGET_SYSTEM:
		rc = each_cpu(&w);
		break;
	default:
		rc = each_given_thread(&w, target, err, err_size);
		break;
	}
	if (!rc && !w.nr_opened) {
		snprintf(err, err_size, "nothing to observe: every thread has exited");
		return -ESRCH;
	}
	if (rc && !err[0])
		snprintf(err, err_size, "cannot list what to observe: %s", strerror(-rc));
	return rc;
}

/* ---- perf_event_open ---- */

static bool raise_nofile(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= lim.rlim_max)
		return false;
	lim.rlim_cur = lim.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &lim) == 0;
}

int uc_perf_open(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	for (;;) {
		long fd = syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			return (int)fd;
		if (errno != EMFILE || !raise_nofile())
			return -errno;
	}
}

static void explain_permission(const char *what, pid_t tid, char *err, size_t err_size)
{
	char whose[48] = "the whole system";

	if (tid > 0)
		snprintf(whose, sizeof(whose), "thread %d", (int)tid);
	snprintf(err, err_size,
		 "%s: not permitted to observe %s; this needs root or the capability CAP_PERFMON "
		 "(CAP_SYS_ADMIN before Linux 5.8), or a lower kernel.perf_event_paranoid, "
		 "which is %ld",
		 what, whose, uc_read_number(PARANOID_PATH, 2));
}

int uc_perf_explain(int error, const char *what, const struct perf_event_attr *attr, pid_t tid,
		    int cpu, char *err, size_t err_size)
{
	long max_rate = uc_read_number(MAX_RATE_PATH, 0);
	struct rlimit lim = { 0 };

	switch (-error) {
	case EACCES:
	case EPERM:
		explain_permission(what, tid, err, err_size);
		break;
	case ENOENT:
	case EOPNOTSUPP:
		if (attr->type == PERF_TYPE_HARDWARE)
			snprintf(err, err_size,
				 "%s: this machine offers no such hardware counter (usual in "
				 "virtual machines); cpu-clock works everywhere",
				 what);
		else
			snprintf(err, err_size, "%s: the kernel does not know this event", what);
		break;
	case EMFILE:
		getrlimit(RLIMIT_NOFILE, &lim);
		snprintf(err, err_size,
			 "%s: too many threads and CPUs for the limit of %llu open files; "
			 "raise it (ulimit -Hn) or observe fewer threads",
			 what, (unsigned long long)lim.rlim_cur);
		break;
	case EINVAL:
		if (attr->freq && max_rate > 0 && attr->sample_freq > (uint64_t)max_rate)
			snprintf(err, err_size,
				 "%s: %llu Hz is above kernel.perf_event_max_sample_rate, "
				 "which is %ld",
				 what, (unsigned long long)attr->sample_freq, max_rate);
		else
			snprintf(err, err_size, "%s: the kernel refuses the event's attributes",
				 what);
		break;
	case EBUSY:
		snprintf(err, err_size, "%s: another tool holds the hardware counters", what);
		break;
	case ENOSYS:
		snprintf(err, err_size, "the kernel was built without perf events");
		break;
	default:
		snprintf(err, err_size, "%s: cannot open the event for thread %d on CPU %d: %s",
			 what, (int)tid, cpu, strerror(-error));
	}
	return error;
}
