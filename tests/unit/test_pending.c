/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples that wait for their stack. */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pending.h"

#include <stdlib.h>

struct got {
	u32 nr;
	u64 ip[16];
	u64 last_kernel;
};

static void take(void *arg, const struct uc_event_request *req, u32 count)
{
	struct got *got = arg;

	if (!req) {
		got->nr += count;
		return;
	}
	assert_int_equal(count, 1);
	assert_true(got->nr < 16);
	got->ip[got->nr++] = req->ip;
	if (req->nr_kernel)
		got->last_kernel = req->kernel[req->nr_kernel - 1];
}

static void add(struct uc_pending *p, u64 cookie, u64 ip, u32 nr_kernel)
{
	/* As the ring gives it: no longer than its kernel stack. (Volatile: the
	 * compiler warns of what it knows to be shorter than the struct.) */
	volatile size_t size = offsetof(struct uc_event_request, kernel) + nr_kernel * sizeof(u64);
	struct uc_event_request *req = calloc(1, size);

	assert_non_null(req);
	req->cookie = cookie;
	req->ip = ip;
	req->nr_kernel = nr_kernel;
	if (nr_kernel)
		req->kernel[nr_kernel - 1] = 77;
	assert_int_equal(uc_pending_add(p, req), 0);
	free(req);
}

static struct uc_pending *new(bool keep, size_t cap, struct got *expired)
{
	struct uc_pending_opts opts = {
		.keep = keep, .cap_bytes = cap, .expired = take, .arg = expired
	};
	struct uc_pending *p;

	assert_int_equal(uc_pending_new(&opts, &p), 0);
	return p;
}

static void test_pending__gives_all_requests_of_a_cookie_in_order(void **state)
{
	struct got got = { 0 }, expired = { 0 };
	struct uc_pending *p = new(true, 1 << 20, &expired);

	(void)state;
	add(p, 5, 100, 0);
	add(p, 6, 200, 3);
	add(p, 5, 101, UC_KERNEL_FRAMES);
	assert_int_equal(uc_pending_count(p), 3);
	assert_int_equal(uc_pending_take(p, 5, take, &got), 2);
	assert_int_equal(got.nr, 2);
	assert_true(got.ip[0] == 100 && got.ip[1] == 101 && got.last_kernel == 77);
	assert_int_equal(uc_pending_take(p, 5, take, &got), 0);
	assert_int_equal(got.nr, 2);
	assert_int_equal(uc_pending_count(p), 1);
	uc_pending_flush(p);
	assert_int_equal(expired.nr, 1);
	assert_true(expired.ip[0] == 200);
	assert_int_equal(uc_pending_count(p), 0);
	uc_pending_free(p);
}

static void test_pending__counts_without_keeping(void **state)
{
	struct got got = { 0 }, expired = { 0 };
	struct uc_pending *p = new(false, 1 << 20, &expired);

	(void)state;
	add(p, 5, 1, 0);
	add(p, 5, 2, 0);
	add(p, 1ULL << 48, 3, 0);
	assert_int_equal(uc_pending_take(p, 5, take, &got), 2);
	assert_int_equal(got.nr, 2);
	uc_pending_flush(p);
	assert_int_equal(expired.nr, 1);
	uc_pending_free(p);
}

static void test_pending__gives_up_the_oldest_beyond_its_bound(void **state)
{
	struct got got = { 0 }, expired = { 0 };
	struct uc_pending *p = new(true, 4000, &expired);
	u64 waiting;

	(void)state;
	for (u64 i = 1; i <= 16; i++)
		add(p, i, i, 50);
	waiting = uc_pending_count(p);
	assert_true(expired.nr > 0 && waiting > 0);
	assert_int_equal(expired.nr + waiting, 16);
	for (u32 i = 0; i < expired.nr; i++)
		assert_true(expired.ip[i] == i + 1);
	assert_int_equal(uc_pending_take(p, 1, take, &got), 0);
	assert_int_equal(uc_pending_take(p, 16, take, &got), 1);
	uc_pending_free(p);
}

/* One system call that takes long enough: its own samples are all there is. */
static void test_pending__bounds_a_single_cookie(void **state)
{
	struct got expired = { 0 };
	struct uc_pending *p = new(true, 3000, &expired);

	(void)state;
	for (u64 i = 1; i <= 12; i++)
		add(p, 9, i, 100);
	assert_true(expired.nr > 0);
	assert_int_equal(expired.nr + uc_pending_count(p), 12);
	uc_pending_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pending__gives_all_requests_of_a_cookie_in_order),
		cmocka_unit_test(test_pending__counts_without_keeping),
		cmocka_unit_test(test_pending__gives_up_the_oldest_beyond_its_bound),
		cmocka_unit_test(test_pending__bounds_a_single_cookie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
