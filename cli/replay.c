/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay.h"

#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KERNEL_MAP "[kernel.kallsyms]_text"

/* Stacks of one process repeat their outer frames; a power of two. */
#define CACHE_SLOTS 65536

struct uc_replay_cache {
	struct slot {
		uint64_t addr;
		uint32_t pid;
		uint32_t generation; /* 0: empty */
		bool kernel, call_return;
		struct uc_symbol sym;
	} slot[CACHE_SLOTS];
};

/* How far we are, for a user who waits. */
struct progress {
	bool shown, wanted;
	uint64_t records;
	time_t start;
};

struct each {
	struct uc_replay *r;
	int (*fn)(struct uc_replay *r, const struct uc_perf_event *ev, void *arg);
	void *arg;
	struct progress progress;
};

static void print_warning(void *arg, const char *message)
{
	(void)arg;
	fputs("uncoil: ", stderr);
	uc_put_text(message, stderr);
	fputc('\n', stderr);
}

int uc_replay_open(const char *path, struct uc_replay *ret)
{
	struct uc_replay r = { .generation = 1 };
	char err[512];

	if (uc_perf_file_open(path, &r.file, err, sizeof(err))) {
		uc_error("%s", err);
		return UC_EXIT_FAILURE;
	}
	r.cache = calloc(1, sizeof(*r.cache));
	/* the idle task has its name from perf, not from the kernel */
	if (!r.cache || uc_symbols_new(&r.symbols) ||
	    uc_symbols_comm(r.symbols, 0, 0, "swapper", false)) {
		uc_replay_close(&r);
		return uc_no_memory();
	}
	if (uc_perf_file_unfinished(r.file))
		uc_error("%s: not finished by its recorder; the end is missing", path);
	uc_symbols_on_warning(r.symbols, print_warning, NULL);
	uc_symbols_kernel(r.symbols, 0, uc_perf_file_osrelease(r.file));
	*ret = r;
	return UC_EXIT_OK;
}

void uc_replay_close(struct uc_replay *r)
{
	uc_symbols_free(r->symbols);
	uc_perf_file_close(r->file);
	free(r->frame);
	free(r->cache);
}

static int take_map(struct uc_replay *r, const struct uc_perf_event *ev)
{
	if (ev->pid == UINT32_MAX) { /* the kernel's */
		if (!strcmp(ev->name, KERNEL_MAP))
			uc_symbols_kernel(r->symbols, ev->pgoff, uc_perf_file_osrelease(r->file));
		return 0;
	}
	r->generation++;
	return uc_symbols_map(r->symbols, ev->pid, ev->addr, ev->len, ev->pgoff, ev->name,
			      ev->build_id, ev->build_id_len);
}

static int take_fork(struct uc_replay *r, const struct uc_perf_event *ev)
{
	/* perf invents these for processes that ran before; their own mappings follow */
	if (ev->header->misc & PERF_RECORD_MISC_FORK_EXEC)
		return 0;
	if (ev->pid != ev->ppid)
		r->generation++;
	return uc_symbols_fork(r->symbols, ev->pid, ev->tid, ev->ppid, ev->ptid);
}

static void show_progress(struct progress *p)
{
	if (!p->wanted || ++p->records % 16384 || time(NULL) < p->start + 2)
		return;
	fprintf(stderr, "\r%llu records", (unsigned long long)p->records);
	p->shown = true;
}

static int take_event(const struct uc_perf_event *ev, void *arg)
{
	struct each *each = arg;
	struct uc_replay *r = each->r;
	int err = 0;

	show_progress(&each->progress);
	switch (ev->type) {
	case PERF_RECORD_SAMPLE:
		return each->fn(r, ev, each->arg);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		err = take_map(r, ev);
		break;
	case PERF_RECORD_COMM:
		r->generation += ev->exec;
		err = uc_symbols_comm(r->symbols, ev->pid, ev->tid, ev->name, ev->exec);
		break;
	case PERF_RECORD_FORK:
		err = take_fork(r, ev);
		break;
	}
	return err ? uc_no_memory() : UC_EXIT_OK;
}

int uc_replay_each(struct uc_replay *r,
		   int (*fn)(struct uc_replay *r, const struct uc_perf_event *ev, void *arg),
		   void *arg)
{
	struct each each = {
		.r = r,
		.fn = fn,
		.arg = arg,
		/* a line that is rewritten is of use on a terminal, and only there */
		.progress = { .wanted = isatty(STDERR_FILENO), .start = time(NULL) },
	};
	char err[512];
	int ret;

	ret = uc_perf_file_each(r->file, take_event, &each, err, sizeof(err));
	if (each.progress.shown)
		fputs("\r                              \r", stderr);
	if (ret >= 0)
		return ret;
	uc_error("%s", err);
	return UC_EXIT_FAILURE;
}

static struct slot *cache_slot(struct uc_replay *r, uint32_t pid, uint64_t addr)
{
	uint64_t hash = (addr ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15;

	return &r->cache->slot[hash >> 48 & (CACHE_SLOTS - 1)];
}

static void name_frame(struct uc_replay *r, uint32_t pid, uint64_t addr, bool kernel,
		       bool call_return, struct uc_symbol *ret)
{
	struct slot *slot = cache_slot(r, pid, addr);

	if (slot->generation != r->generation || slot->addr != addr || slot->pid != pid ||
	    slot->kernel != kernel || slot->call_return != call_return) {
		*slot = (struct slot){ addr, pid, r->generation, kernel, call_return, { 0 } };
		if (kernel)
			uc_symbols_kernel_lookup(r->symbols, addr, call_return, &slot->sym);
		else
			uc_symbols_user(r->symbols, pid, addr, call_return, &slot->sym);
	}
	*ret = slot->sym;
}

/*
 * The first address of a chain is where the thread was, the rest are return
 * addresses, except behind a signal trampoline.
 */
static void name_chain(struct uc_replay *r, uint32_t pid, const uint64_t *addr, size_t nr,
		       bool kernel)
{
	bool call_return = false;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct uc_frame *frame = &r->frame[r->nr_frames++];

		frame->addr = addr[i];
		frame->kernel = kernel;
		name_frame(r, pid, addr[i], kernel, call_return, &frame->sym);
		call_return = !frame->sym.trampoline;
	}
}

int uc_replay_frames(struct uc_replay *r, const struct uc_perf_event *ev)
{
	size_t want = ev->nr_kernel + ev->nr_user + 1;
	struct uc_frame *grown;

	if (want > r->cap_frames) {
		grown = realloc(r->frame, 2 * want * sizeof(*grown));
		if (!grown)
			return uc_no_memory();
		r->frame = grown;
		r->cap_frames = 2 * want;
	}
	r->nr_frames = 0;
	name_chain(r, ev->pid, ev->kernel, ev->nr_kernel, true);
	name_chain(r, ev->pid, ev->user, ev->nr_user, false);
	if (!r->nr_frames)
		name_chain(r, ev->pid, &ev->ip, 1, ev->in_kernel);
	return UC_EXIT_OK;
}

bool uc_sample_has_chain(const struct uc_perf_event *ev)
{
	return ev->nr_kernel || ev->has_user || ev->cookie;
}

bool uc_sample_lost_stack(const struct uc_perf_event *ev)
{
	return ev->cookie && !ev->has_user;
}

void uc_replay_notes(const struct uc_replay *r, const char *word,
		     void (*fn)(const char *rest, size_t len, void *arg), void *arg)
{
	const char *line = uc_perf_file_notes(r->file);
	size_t len, skip = strlen(word);

	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (len > skip && !strncmp(line, word, skip) && line[skip] == ' ')
			fn(line + skip + 1, len - skip - 1, arg);
	}
}
