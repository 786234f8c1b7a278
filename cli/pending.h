/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples whose user stack has not arrived, by cookie. Several may wait for
 * one stack. Either only counted, or kept whole to be written with the stack.
 */
#ifndef UC_PENDING_H
#define UC_PENDING_H

#include "uc_event.h"

struct uc_pending;

/* @req is NULL where samples are only counted: @count of them. */
typedef void (*uc_pending_fn)(void *arg, const struct uc_event_request *req, u32 count);

struct uc_pending_opts {
	bool keep; /* whole requests */
	size_t cap_bytes; /* beyond that the oldest are given up */
	/* Called for samples given up: too many wait, or uc_pending_flush(). */
	uc_pending_fn expired;
	void *arg;
};

/* 0 or -ENOMEM. */
int uc_pending_new(const struct uc_pending_opts *opts, struct uc_pending **ret);
void uc_pending_free(struct uc_pending *p);
/* Let a request (with a cookie) wait. May call expired(), for older ones. 0 or -ENOMEM. */
int uc_pending_add(struct uc_pending *p, const struct uc_event_request *req);
/* The stack of @cookie is here: @fn for what waited for it, in order; then
 * forget it. Number of samples. */
u32 uc_pending_take(struct uc_pending *p, u64 cookie, uc_pending_fn fn, void *arg);
/* Give up all. */
void uc_pending_flush(struct uc_pending *p);
/* Samples that wait. */
u64 uc_pending_count(const struct uc_pending *p);

#endif
