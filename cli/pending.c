/* SPDX-License-Identifier: GPL-2.0-only */
#include "pending.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/queue.h>

#define BUCKET_BITS 16

/* A request, without the unused part of its kernel stack. */
struct held {
	STAILQ_ENTRY(held) link;
	struct uc_event_request req;
};

struct entry {
	TAILQ_ENTRY(entry) by_age;
	LIST_ENTRY(entry) in_bucket;
	u64 cookie;
	u32 count;
	size_t bytes;
	STAILQ_HEAD(, held) requests;
};

struct uc_pending {
	struct uc_pending_opts opts;
	u64 count;
	size_t bytes;
	TAILQ_HEAD(, entry) by_age;
	LIST_HEAD(, entry) bucket[1 << BUCKET_BITS];
};

static size_t bucket_of(u64 cookie)
{
	/* Cookies count up per CPU: spread by Knuth's multiplicative hash. */
	return (cookie * 0x9e3779b97f4a7c15ULL) >> (64 - BUCKET_BITS);
}

int uc_pending_new(const struct uc_pending_opts *opts, struct uc_pending **ret)
{
	struct uc_pending *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->opts = *opts;
	TAILQ_INIT(&p->by_age);
	*ret = p;
	return 0;
}

static struct entry *find(struct uc_pending *p, u64 cookie)
{
	struct entry *e;

	LIST_FOREACH(e, &p->bucket[bucket_of(cookie)], in_bucket)
		if (e->cookie == cookie)
			return e;
	return NULL;
}

/* Take @e out, hand its samples to @fn (if any), free it. */
static void finish(struct uc_pending *p, struct entry *e, uc_pending_fn fn, void *arg)
{
	struct held *held;

	TAILQ_REMOVE(&p->by_age, e, by_age);
	LIST_REMOVE(e, in_bucket);
	p->count -= e->count;
	p->bytes -= e->bytes;
	if (!p->opts.keep && fn)
		fn(arg, NULL, e->count);
	while ((held = STAILQ_FIRST(&e->requests))) {
		STAILQ_REMOVE_HEAD(&e->requests, link);
		if (fn)
			fn(arg, &held->req, 1);
		free(held);
	}
	free(e);
}

static struct entry *entry_new(struct uc_pending *p, u64 cookie)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->cookie = cookie;
	e->bytes = sizeof(*e);
	p->bytes += e->bytes;
	STAILQ_INIT(&e->requests);
	LIST_INSERT_HEAD(&p->bucket[bucket_of(cookie)], e, in_bucket);
	TAILQ_INSERT_TAIL(&p->by_age, e, by_age);
	return e;
}

static int hold(struct uc_pending *p, struct entry *e, const struct uc_event_request *req)
{
	size_t used = offsetof(struct uc_event_request, kernel) +
		      req->nr_kernel * sizeof(req->kernel[0]);
	size_t bytes = offsetof(struct held, req) + used;
	struct held *held = malloc(bytes);

	if (!held)
		return -ENOMEM;
	memcpy(&held->req, req, used);
	STAILQ_INSERT_TAIL(&e->requests, held, link);
	e->bytes += bytes;
	p->bytes += bytes;
	return 0;
}

int uc_pending_add(struct uc_pending *p, const struct uc_event_request *req)
{
	struct entry *e = find(p, req->cookie);
	int rc = 0;

	if (!e) {
		e = entry_new(p, req->cookie);
		if (!e)
			return -ENOMEM;
	}
	if (p->opts.keep)
		rc = hold(p, e, req);
	if (!rc) {
		e->count++;
		p->count++;
	}
	while (p->bytes > p->opts.cap_bytes)
		finish(p, TAILQ_FIRST(&p->by_age), p->opts.expired, p->opts.arg);
	return rc;
}

u32 uc_pending_take(struct uc_pending *p, u64 cookie, uc_pending_fn fn, void *arg)
{
	struct entry *e = find(p, cookie);
	u32 count = e ? e->count : 0;

	if (e)
		finish(p, e, fn, arg);
	return count;
}

void uc_pending_flush(struct uc_pending *p)
{
	while (!TAILQ_EMPTY(&p->by_age))
		finish(p, TAILQ_FIRST(&p->by_age), p->opts.expired, p->opts.arg);
}

u64 uc_pending_count(const struct uc_pending *p)
{
	return p->count;
}

void uc_pending_free(struct uc_pending *p)
{
	if (!p)
		return;
	while (!TAILQ_EMPTY(&p->by_age))
		finish(p, TAILQ_FIRST(&p->by_age), NULL, NULL);
	free(p);
}
