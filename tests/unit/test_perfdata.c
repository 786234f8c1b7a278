// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perf.data: what our writer wrote is read back, what perf writes is read,
 * and what lies is refused with a sentence.
 *
 * UNCOIL_KEEP_FILES=DIR keeps the files that the tests make, one for each
 * test; the fuzzer's seeds are such files.
 */
#include "uc_perfdata.h"
#include "uc_perfdata_format.h"
#include "uncoil/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* ---- a file for each test, and its events as read ---- */

static char path[4096];
static char err[512];

static int setup(void **state)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/test_perfdata.XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	err[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	static int number;
	const char *keep = getenv("UNCOIL_KEEP_FILES");
	char to[4096];

	(void)state;
	if (keep) {
		snprintf(to, sizeof(to), "%s/%03d.data", keep, number++);
		return rename(path, to);
	}
	return unlink(path);
}

#define MAX_SEEN 64
#define MAX_FRAMES 4200

struct seen {
	struct uc_perf_event ev; /* pointers below are our copies */
	uint64_t kernel[MAX_FRAMES], user[MAX_FRAMES];
	char name[64];
	uint8_t build_id[20];
};

static struct seen *seen;
static size_t nr_seen;

static int remember(const struct uc_perf_event *ev, void *arg)
{
	struct seen *s = &seen[nr_seen];

	(void)arg;
	/* Where the machine lets us see it, recordings of ours begin with it. */
	if (ev->type == PERF_RECORD_MMAP && ev->pid == UINT32_MAX)
		return 0;
	assert_true(nr_seen < MAX_SEEN);
	assert_true(ev->nr_kernel <= MAX_FRAMES && ev->nr_user <= MAX_FRAMES);
	s->ev = *ev;
	if (ev->nr_kernel)
		memcpy(s->kernel, ev->kernel, ev->nr_kernel * sizeof(uint64_t));
	if (ev->nr_user)
		memcpy(s->user, ev->user, ev->nr_user * sizeof(uint64_t));
	if (ev->name)
		snprintf(s->name, sizeof(s->name), "%s", ev->name);
	if (ev->build_id)
		memcpy(s->build_id, ev->build_id, ev->build_id_len);
	nr_seen++;
	return 0;
}

static struct uc_perf_file *open_ok(void)
{
	struct uc_perf_file *f = NULL;
	int ret = uc_perf_file_open(path, &f, err, sizeof(err));

	if (ret)
		fail_msg("%d: %s", ret, err);
	return f;
}

static void read_all(void)
{
	struct uc_perf_file *f = open_ok();
	int ret;

	seen = seen ? seen : calloc(MAX_SEEN, sizeof(*seen));
	assert_non_null(seen);
	nr_seen = 0;
	ret = uc_perf_file_each(f, remember, NULL, err, sizeof(err));
	if (ret)
		fail_msg("%d: %s", ret, err);
	uc_perf_file_close(f);
}

static int count(const struct uc_perf_event *ev, void *arg)
{
	(void)ev;
	++*(size_t *)arg;
	return 0;
}

/* Error of open or else of each; 0 if the file reads. */
static int read_result(void)
{
	struct uc_perf_file *f;
	size_t nr = 0;
	int ret = uc_perf_file_open(path, &f, err, sizeof(err));

	if (ret)
		return ret;
	ret = uc_perf_file_each(f, count, &nr, err, sizeof(err));
	uc_perf_file_close(f);
	return ret;
}

/* The sentence must name the file, a place, and contain @what. */
static void assert_rejected(int error, const char *what)
{
	int ret = read_result();

	if (ret != error || !strstr(err, what) || strncmp(err, path, strlen(path)))
		fail_msg("%d and \"%s\" where %d and \"...%s...\" are due", ret, err, error, what);
}

static void assert_frames(const uint64_t *frames, size_t nr, const uint64_t *due, size_t nr_due)
{
	assert_int_equal(nr, nr_due);
	for (size_t i = 0; i < nr; i++)
		assert_true(frames[i] == due[i]);
}

/* ---- our own files ---- */

static const uint64_t kernel_frames[] = { 0xffffffff81000010, 0xffffffff81000020 };
static const uint64_t user_frames[] = { 0x401000, 0x7f0000001234, 0x401777 };
static const char *const command[] = { "uncoil", "record", "--", "true" };

static struct uc_perf_writer *writer(bool merged)
{
	struct uc_perf_writer_opts opts = {
		.event_name = "cpu-clock",
		.attr = { .type = PERF_TYPE_SOFTWARE,
			  .config = PERF_COUNT_SW_CPU_CLOCK,
			  .sample_freq = 999,
			  .freq = 1 },
		.merged = merged,
		.argc = NR(command),
		.argv = command,
	};
	struct uc_perf_writer *w = NULL;

	assert_int_equal(uc_perf_writer_new(path, &opts, &w), 0);
	return w;
}

static struct uc_perf_sample sample(uint64_t time_ns, uint32_t tid, uint64_t cookie)
{
	struct uc_perf_sample s = {
		.ip = 0x401000,
		.time_ns = time_ns,
		.period = 250,
		.cookie = cookie,
		.pid = 100,
		.tid = tid,
		.cpu = 3,
	};

	return s;
}

static void put_sample(struct uc_perf_writer *w, uint64_t time_ns, uint32_t tid, uint64_t cookie)
{
	struct uc_perf_sample s = sample(time_ns, tid, cookie);

	assert_int_equal(uc_perf_writer_sample(w, &s), 0);
}

static void put_deferred(struct uc_perf_writer *w, uint64_t time_ns, uint32_t tid, uint64_t cookie,
			 const uint64_t *user, size_t nr)
{
	assert_int_equal(uc_perf_writer_deferred(w, cookie, 100, tid, 3, time_ns, user, nr), 0);
}

static void put_comm(struct uc_perf_writer *w, uint64_t time_ns, const char *name, bool exec)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		uint32_t trailer_pid, trailer_tid;
		uint64_t time;
		uint32_t cpu, pad;
	} record = {
		.header = { PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, sizeof(record) },
		.pid = 100, .tid = 101,
		.trailer_pid = 100, .trailer_tid = 101,
		.time = time_ns, .cpu = 3,
	};

	snprintf(record.comm, sizeof(record.comm), "%s", name);
	assert_int_equal(uc_perf_writer_record(w, &record.header), 0);
}

static void put_mmap2(struct uc_perf_writer *w, uint64_t time_ns)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint8_t build_id_size, pad1[3], build_id[20];
		uint32_t prot, flags;
		char name[16];
		uint32_t trailer_pid, trailer_tid;
		uint64_t time;
		uint32_t cpu, pad;
	} record = {
		.header = { PERF_RECORD_MMAP2, 1U << 14, sizeof(record) },
		.pid = 100, .tid = 101,
		.addr = 0x400000, .len = 0x3000, .pgoff = 0x1000,
		.build_id_size = 20, .build_id = { 0xab, 0xcd },
		.prot = PROT_READ | PROT_EXEC,
		.name = "/bin/true",
		.trailer_pid = 100, .trailer_tid = 101,
		.time = time_ns, .cpu = 3,
	};

	assert_int_equal(uc_perf_writer_record(w, &record.header), 0);
}

static void put_fork(struct uc_perf_writer *w, uint64_t time_ns)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		uint64_t fork_time;
		uint32_t trailer_pid, trailer_tid;
		uint64_t time;
		uint32_t cpu, pad;
	} record = {
		.header = { PERF_RECORD_FORK, 0, sizeof(record) },
		.pid = 100, .ppid = 99, .tid = 101, .ptid = 98, .fork_time = time_ns,
		.trailer_pid = 99, .trailer_tid = 98,
		.time = time_ns, .cpu = 3,
	};

	assert_int_equal(uc_perf_writer_record(w, &record.header), 0);
}

static void assert_sideband_read(void)
{
	assert_int_equal(seen[0].ev.type, PERF_RECORD_FORK);
	assert_int_equal(seen[0].ev.pid, 100);
	assert_int_equal(seen[0].ev.ppid, 99);
	assert_int_equal(seen[0].ev.tid, 101);
	assert_int_equal(seen[0].ev.ptid, 98);
	assert_int_equal(seen[1].ev.type, PERF_RECORD_COMM);
	assert_string_equal(seen[1].name, "true");
	assert_true(seen[1].ev.exec);
	assert_int_equal(seen[1].ev.cpu, 3);
	assert_int_equal(seen[2].ev.type, PERF_RECORD_MMAP2);
	assert_string_equal(seen[2].name, "/bin/true");
	assert_int_equal(seen[2].ev.addr, 0x400000);
	assert_int_equal(seen[2].ev.len, 0x3000);
	assert_int_equal(seen[2].ev.pgoff, 0x1000);
	assert_int_equal(seen[2].ev.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(seen[2].ev.build_id_len, 20);
	assert_int_equal(seen[2].build_id[1], 0xcd);
	assert_int_equal(seen[2].ev.time_ns, 1002);
}

/* The user stack of both round trips: a whole one, and one cut by a fault. */
static void assert_samples_read(const struct seen *s, uint64_t cookie)
{
	assert_int_equal(s[0].ev.type, PERF_RECORD_SAMPLE);
	assert_true(s[0].ev.in_kernel);
	assert_int_equal(s[0].ev.ip, 0x401000);
	assert_int_equal(s[0].ev.period, 250);
	assert_int_equal(s[0].ev.pid, 100);
	assert_int_equal(s[0].ev.tid, 101);
	assert_int_equal(s[0].ev.cpu, 3);
	assert_int_equal(s[0].ev.time_ns, 2000);
	assert_int_equal(s[0].ev.cookie, cookie);
	assert_frames(s[0].kernel, s[0].ev.nr_kernel, kernel_frames, NR(kernel_frames));
	assert_frames(s[0].user, s[0].ev.nr_user, user_frames, NR(user_frames));
	assert_true(s[0].ev.has_user);
	assert_int_equal(s[0].ev.stop, UNCOIL_STOP_OUTERMOST);

	assert_false(s[1].ev.in_kernel);
	assert_int_equal(s[1].ev.nr_kernel, 0);
	assert_frames(s[1].user, s[1].ev.nr_user, user_frames, 1);
	assert_int_equal(s[1].ev.stop, UNCOIL_STOP_MALFORMED);
	assert_int_equal(s[1].ev.flaw, UNCOIL_FLAW_LEB128);
	assert_int_equal(s[1].ev.stop_addr, 0x7f0000001234);
}

static void test_perfdata__round_trips_deferred_form(void **state)
{
	struct uc_perf_sample s = sample(2000, 101, 7);
	struct uc_perf_writer *w = writer(false);
	struct uc_perf_file *f;
	uint64_t stack_bytes;
	struct stat st;

	(void)state;
	put_fork(w, 1000);
	put_comm(w, 1001, "true", true);
	put_mmap2(w, 1002);
	s.in_kernel = true;
	s.kernel = kernel_frames;
	s.nr_kernel = NR(kernel_frames);
	assert_int_equal(uc_perf_writer_sample(w, &s), 0);
	put_deferred(w, 2001, 101, 7, user_frames, NR(user_frames));
	assert_int_equal(uc_perf_writer_stack_index(w), 0);
	put_sample(w, 3000, 101, 9);
	put_deferred(w, 3001, 101, 9, user_frames, 1);
	assert_int_equal(uc_perf_writer_stack_index(w), 1);
	assert_int_equal(uc_perf_writer_note(w, "engine %s", "defer"), 0);
	assert_int_equal(uc_perf_writer_note(w, "stop 1 %d %d 0x7f0000001234", UNCOIL_STOP_MALFORMED,
					     UNCOIL_FLAW_LEB128), 0);
	stack_bytes = uc_perf_writer_stack_bytes(w);
	assert_int_equal(uc_perf_writer_close(w), 0);
	assert_int_equal(stat(path, &st), 0);

	read_all();
	assert_int_equal(nr_seen, 5);
	assert_sideband_read();
	assert_samples_read(&seen[3], 7);

	f = open_ok();
	assert_string_equal(uc_perf_file_event_name(f), "cpu-clock");
	assert_non_null(uc_perf_file_osrelease(f));
	assert_non_null(strstr(uc_perf_file_notes(f), "engine defer\n"));
	assert_int_equal(uc_perf_file_stack_bytes(f), stack_bytes);
	assert_false(uc_perf_file_unfinished(f));
	uc_perf_file_close(f);
}

static void test_perfdata__round_trips_merged_form(void **state)
{
	struct uc_perf_sample s = sample(2000, 101, 7);
	struct uc_perf_writer *w = writer(true);

	(void)state;
	put_fork(w, 1000);
	put_comm(w, 1001, "true", true);
	put_mmap2(w, 1002);
	s.in_kernel = true;
	s.kernel = kernel_frames;
	s.nr_kernel = NR(kernel_frames);
	s.user = user_frames;
	s.nr_user = NR(user_frames);
	assert_int_equal(uc_perf_writer_sample(w, &s), 0);
	assert_int_equal(uc_perf_writer_stack_index(w), 0);
	s = sample(3000, 101, 9);
	s.user = user_frames;
	s.nr_user = 1;
	assert_int_equal(uc_perf_writer_sample(w, &s), 0);
	assert_int_equal(uc_perf_writer_stack_index(w), 1);
	assert_int_equal(uc_perf_writer_note(w, "stop 1 %d %d 0x7f0000001234", UNCOIL_STOP_MALFORMED,
					     UNCOIL_FLAW_LEB128), 0);
	assert_int_equal(uc_perf_writer_deferred(w, 7, 100, 101, 3, 2001, user_frames, 1), -EINVAL);
	assert_int_equal(uc_perf_writer_close(w), 0);

	read_all();
	assert_int_equal(nr_seen, 5);
	assert_sideband_read();
	assert_samples_read(&seen[3], 0);
}

static void test_perfdata__writes_the_attribute_perf_expects(void **state)
{
	struct perf_event_attr attr;
	uint64_t flags;
	int fd;

	(void)state;
	for (int merged = 0; merged < 2; merged++) {
		assert_int_equal(uc_perf_writer_close(writer(merged)), 0);
		memset(&attr, 0, sizeof(attr));
		fd = open(path, O_RDONLY);
		assert_true(pread(fd, &attr, PERF_ATTR_SIZE_VER5, 104) == PERF_ATTR_SIZE_VER5);
		close(fd);
		memcpy(&flags, (char *)&attr + 40, sizeof(flags));
		assert_int_equal(attr.size, PERF_ATTR_SIZE_VER5);
		assert_int_equal(attr.sample_type, UC_PERF_SAMPLE_TYPE);
		assert_int_equal(attr.sample_freq, 999);
		assert_true(attr.freq && attr.sample_id_all && attr.use_clockid && attr.mmap2);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		assert_int_equal(flags >> 38 & 3, merged ? 0 : 3);
#endif
	}
}

static void test_perfdata__joins_samples_of_one_cookie(void **state)
{
	struct uc_perf_writer *w = writer(false);

	(void)state;
	put_sample(w, 1, 101, 7);
	put_sample(w, 2, 101, 7);
	put_sample(w, 3, 102, 9);
	put_sample(w, 4, 101, 7);
	put_deferred(w, 5, 101, 7, user_frames, 2);
	put_deferred(w, 6, 102, 9, user_frames, 3);
	uc_perf_writer_close(w);
	read_all();
	assert_int_equal(nr_seen, 4);
	for (size_t i = 0; i < 4; i++)
		assert_frames(seen[i].user, seen[i].ev.nr_user, user_frames, i == 2 ? 3 : 2);
}

static void test_perfdata__matches_thread_before_cookie(void **state)
{
	struct uc_perf_writer *w = writer(false);

	(void)state;
	put_sample(w, 1, 101, 7);
	put_sample(w, 2, 102, 7);
	put_deferred(w, 3, 102, 7, user_frames, 1);
	put_deferred(w, 4, 101, 7, user_frames, 2);
	put_deferred(w, 5, 103, 7, user_frames, 3);
	uc_perf_writer_close(w);
	read_all();
	assert_int_equal(seen[0].ev.nr_user, 2);
	assert_int_equal(seen[1].ev.nr_user, 1);
}

static void test_perfdata__takes_next_stack_of_reused_cookie(void **state)
{
	struct uc_perf_writer *w = writer(false);

	(void)state;
	put_sample(w, 1, 101, 7);
	put_deferred(w, 2, 101, 7, user_frames, 1);
	put_sample(w, 3, 101, 7);
	put_deferred(w, 4, 101, 7, user_frames, 2);
	put_sample(w, 5, 101, 7); /* nothing after it: the nearest */
	uc_perf_writer_close(w);
	read_all();
	assert_int_equal(seen[0].ev.nr_user, 1);
	assert_int_equal(seen[1].ev.nr_user, 2);
	assert_int_equal(seen[2].ev.nr_user, 2);
}

static void test_perfdata__delivers_samples_without_stack(void **state)
{
	struct uc_perf_writer *w = writer(false);

	(void)state;
	put_sample(w, 1, 101, 7);
	put_sample(w, 2, 101, 0);
	uc_perf_writer_close(w);
	read_all();
	assert_int_equal(nr_seen, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_false(seen[i].ev.has_user);
		assert_int_equal(seen[i].ev.nr_user, 0);
		assert_int_equal(seen[i].ev.stop, UNCOIL_STOP_NONE);
	}
	assert_int_equal(seen[0].ev.cookie, 7);
}

static void test_perfdata__keeps_stops_of_empty_stacks(void **state)
{
	(void)state;
	for (int merged = 0; merged < 2; merged++) {
		struct uc_perf_writer *w = writer(merged);

		put_sample(w, 1, 101, 7);
		if (!merged)
			put_deferred(w, 2, 101, 7, NULL, 0);
		uc_perf_writer_note(w, "stop 0 %d 0 0x0", UNCOIL_STOP_TASK_GONE);
		assert_int_equal(uc_perf_writer_close(w), 0);
		read_all();
		assert_int_equal(nr_seen, 1);
		assert_true(seen[0].ev.has_user);
		assert_int_equal(seen[0].ev.nr_user, 0);
		assert_int_equal(seen[0].ev.stop, UNCOIL_STOP_TASK_GONE);
	}
}

static void test_perfdata__delivers_in_time_order(void **state)
{
	static const uint64_t times[] = { 50, 10, 30, 30, 20, 40 };
	static const uint32_t due[] = { 201, 204, 202, 203, 205, 200 };
	struct uc_perf_writer *w = writer(false);

	(void)state;
	for (uint32_t i = 0; i < NR(times); i++)
		put_sample(w, times[i], 200 + i, 0);
	uc_perf_writer_close(w);
	read_all();
	assert_int_equal(nr_seen, NR(times));
	for (size_t i = 0; i < NR(times); i++)
		assert_int_equal(seen[i].ev.tid, due[i]);
}

static void test_perfdata__keeps_place_of_records_without_time(void **state)
{
	struct uc_perf_writer *w = writer(false);

	(void)state;
	put_comm(w, 0, "first", false);
	put_sample(w, 30, 101, 0);
	put_comm(w, 0, "after30", false);
	put_sample(w, 20, 102, 0);
	put_comm(w, UINT64_MAX, "after20", false);
	uc_perf_writer_close(w);
	read_all();
	assert_int_equal(nr_seen, 5);
	assert_string_equal(seen[0].name, "first");
	assert_int_equal(seen[1].ev.tid, 102);
	assert_string_equal(seen[2].name, "after20");
	assert_int_equal(seen[3].ev.tid, 101);
	assert_string_equal(seen[4].name, "after30");
	assert_int_equal(seen[4].ev.time_ns, 30);
}

static void test_perfdata__round_trips_deep_chains(void **state)
{
	static uint64_t deep[4096];

	(void)state;
	for (size_t i = 0; i < NR(deep); i++)
		deep[i] = 0x400000 + i;
	for (int merged = 0; merged < 2; merged++) {
		struct uc_perf_sample s = sample(1, 101, 7);
		struct uc_perf_writer *w = writer(merged);

		s.kernel = deep;
		s.nr_kernel = 127;
		s.user = deep;
		s.nr_user = NR(deep);
		for (int i = 0; i < 20; i++) {
			assert_int_equal(uc_perf_writer_sample(w, &s), 0);
			s.time_ns++;
		}
		if (!merged)
			put_deferred(w, s.time_ns, 101, 7, deep, NR(deep));
		assert_int_equal(uc_perf_writer_close(w), 0);
		read_all();
		assert_int_equal(nr_seen, 20);
		for (size_t i = 0; i < nr_seen; i++) {
			assert_frames(seen[i].kernel, seen[i].ev.nr_kernel, deep, 127);
			assert_frames(seen[i].user, seen[i].ev.nr_user, deep, NR(deep));
		}
	}
}

static void test_perfdata__ends_chains_before_what_looks_like_a_marker(void **state)
{
	static const uint64_t frames[] = { 0x401000, (uint64_t)-4096, (uint64_t)-1, 0x402000 };

	(void)state;
	for (int merged = 0; merged < 2; merged++) {
		struct uc_perf_sample s = sample(1, 101, 7);
		struct uc_perf_writer *w = writer(merged);

		s.kernel = s.user = frames;
		s.nr_kernel = s.nr_user = NR(frames);
		assert_int_equal(uc_perf_writer_sample(w, &s), 0);
		if (!merged)
			put_deferred(w, 2, 101, 7, frames, NR(frames));
		assert_int_equal(uc_perf_writer_close(w), 0);
		read_all();
		assert_int_equal(nr_seen, 1);
		assert_frames(seen[0].kernel, seen[0].ev.nr_kernel, frames, 2);
		assert_frames(seen[0].user, seen[0].ev.nr_user, frames, 2);
	}
}

static void test_perfdata__refuses_to_write_oversized_records(void **state)
{
	static uint64_t frames[9000];
	struct uc_perf_sample s = sample(1, 101, 0);
	struct perf_event_header odd = { PERF_RECORD_COMM, 0, 12 };
	struct uc_perf_writer *w = writer(true);

	(void)state;
	s.user = frames;
	s.nr_user = 8184; /* 65536 bytes with all else */
	assert_int_equal(uc_perf_writer_sample(w, &s), -EMSGSIZE);
	s.nr_user = SIZE_MAX;
	assert_int_equal(uc_perf_writer_sample(w, &s), -EMSGSIZE);
	s.nr_user = 4000;
	s.kernel = frames;
	s.nr_kernel = 5000;
	assert_int_equal(uc_perf_writer_sample(w, &s), -EMSGSIZE);
	s.nr_kernel = 0;
	s.nr_user = 8183; /* fits to the byte */
	assert_int_equal(uc_perf_writer_sample(w, &s), 0);
	assert_int_equal(uc_perf_writer_record(w, &odd), -EINVAL);
	assert_int_equal(uc_perf_writer_close(w), 0);
	assert_int_equal(read_result(), 0);

	w = writer(false);
	assert_int_equal(uc_perf_writer_deferred(w, 7, 1, 1, 0, 1, frames, 8185), -EMSGSIZE);
	assert_int_equal(uc_perf_writer_deferred(w, 7, 1, 1, 0, 1, frames, 8184), 0);
	assert_int_equal(uc_perf_writer_close(w), 0);
	assert_int_equal(read_result(), 0);
}

static void test_perfdata__reports_unwritable_files(void **state)
{
	struct uc_perf_writer_opts opts = { .event_name = "cpu-clock" };
	struct uc_perf_writer *w = NULL;

	(void)state;
	assert_int_equal(uc_perf_writer_new("/dev/full", &opts, &w), -ENOSPC);
	assert_int_equal(uc_perf_writer_new("/nonexistent/file", &opts, &w), -ENOENT);
	assert_int_equal(uc_perf_writer_new("/tmp", &opts, &w), -EISDIR);
	assert_null(w);
}

/* As a full disk: the file may not grow beyond 1 MiB. */
static void test_perfdata__reports_full_disk_and_leaves_records(void **state)
{
	struct rlimit old, limit;
	struct uc_perf_writer *w;
	struct uc_perf_file *f;
	size_t nr = 0;
	int ret = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 1 << 20;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	w = writer(false);
	for (int i = 0; i < 100000 && !ret; i++) {
		struct uc_perf_sample s = sample(1 + (uint64_t)i, 101, 7);

		ret = uc_perf_writer_sample(w, &s);
	}
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(uc_perf_writer_deferred(w, 7, 1, 1, 0, 1, user_frames, 1), -EFBIG);
	assert_int_equal(uc_perf_writer_close(w), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);

	f = open_ok();
	assert_true(uc_perf_file_unfinished(f));
	assert_int_equal(uc_perf_file_each(f, count, &nr, err, sizeof(err)), 0);
	assert_true(nr > 10000);
	uc_perf_file_close(f);
}

static int stop_at_second(const struct uc_perf_event *ev, void *arg)
{
	(void)ev;
	return ++*(int *)arg == 2 ? 4711 : 0;
}

static void test_perfdata__ends_when_the_callback_says_so(void **state)
{
	struct uc_perf_writer *w = writer(false);
	struct uc_perf_file *f;
	size_t again = 0;
	int calls = 0;

	(void)state;
	for (int i = 0; i < 5; i++)
		put_sample(w, 1, 101, 0);
	uc_perf_writer_close(w);
	f = open_ok();
	assert_int_equal(uc_perf_file_each(f, stop_at_second, &calls, err, sizeof(err)), 4711);
	assert_int_equal(calls, 2);
	assert_int_equal(uc_perf_file_each(f, count, &again, err, sizeof(err)), 0);
	assert_true(again >= 5);
	uc_perf_file_close(f);
}

/* ---- foreign files, built by the word ---- */

struct image {
	union {
		struct uc_perf_header header;
		uint8_t bytes[256 * 1024];
		uint64_t words[32 * 1024];
	};
	size_t size; /* so far */
	size_t record; /* where the record under construction began */
	struct uc_perf_section features[UC_PERF_FEATURE_BITS];
};

static struct image *image; /* too large for a stack */

static void put_bytes(const void *bytes, size_t size)
{
	assert_true(image->size + size <= sizeof(image->bytes));
	memcpy(image->bytes + image->size, bytes, size);
	image->size += size;
}

static void put_u64(uint64_t value)
{
	put_bytes(&value, sizeof(value));
}

static void put_u32(uint32_t value)
{
	put_bytes(&value, sizeof(value));
}

static void put_attr(uint64_t sample_type, bool sample_id_all, uint64_t ids_at, uint64_t nr_ids)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.size = PERF_ATTR_SIZE_VER5,
		.sample_type = sample_type,
		.sample_id_all = sample_id_all,
		.sample_period = 1234,
	};

	put_bytes(&attr, PERF_ATTR_SIZE_VER5);
	put_u64(ids_at);
	put_u64(nr_ids * 8);
}

static void begin_image(void)
{
	free(image);
	image = calloc(1, sizeof(*image));
	assert_non_null(image);
	image->header = (struct uc_perf_header){
		.magic = UC_PERF_MAGIC,
		.size = sizeof(image->header),
		.attr_size = PERF_ATTR_SIZE_VER5 + 16,
		.attrs = { .offset = sizeof(image->header) },
	};
	image->size = sizeof(image->header);
}

static void begin_data(void)
{
	image->header.attrs.size = image->size - image->header.attrs.offset;
	image->header.data.offset = image->size;
}

/* One event, no ids. */
static void begin_file(uint64_t sample_type)
{
	begin_image();
	put_attr(sample_type, true, 0, 0);
	begin_data();
}

static void begin_record(uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	image->record = image->size;
	put_bytes(&header, sizeof(header));
}

static struct perf_event_header *record_header(void)
{
	return (void *)(image->bytes + image->record);
}

static void end_record(void)
{
	record_header()->size = (uint16_t)(image->size - image->record);
}

static void end_data(void)
{
	image->header.data.size = image->size - image->header.data.offset;
}

/* The sections' bytes are put behind the table; add them in bit order. */
static void write_image(void)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_true(write(fd, image->bytes, image->size) == (ssize_t)image->size);
	close(fd);
}

static void end_file(void)
{
	end_data();
	write_image();
}

/* The table of a single section, which the caller fills to the end. */
static struct uc_perf_section *begin_section(unsigned int feature)
{
	struct uc_perf_section *section;

	end_data();
	image->header.features[feature / 64] |= 1ULL << (feature % 64);
	section = (void *)(image->bytes + image->size);
	put_u64(image->size + 16);
	put_u64(0);
	return section;
}

static void end_section(struct uc_perf_section *section)
{
	section->size = image->size - section->offset;
	write_image();
}

#define FP_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)

/* A sample of FP_TYPE whose chain claims @nr words and has @nr_given. */
static void put_fp_sample(uint16_t misc, uint64_t time_ns, uint64_t nr, const uint64_t *chain,
			  size_t nr_given)
{
	begin_record(PERF_RECORD_SAMPLE, misc);
	put_u64(0x401000);
	put_u32(100);
	put_u32(101);
	put_u64(time_ns);
	put_u64(nr);
	for (size_t i = 0; i < nr_given; i++)
		put_u64(chain[i]);
	end_record();
}

static const uint64_t fp_chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000010, PERF_CONTEXT_USER,
				     0x401000, 0x402000 };

static void test_perfdata__reads_frame_pointer_chains(void **state)
{
	struct uc_perf_file *f;

	(void)state;
	begin_file(FP_TYPE);
	put_fp_sample(PERF_RECORD_MISC_KERNEL, 5, 5, fp_chain, 5);
	end_file();
	read_all();
	assert_int_equal(nr_seen, 1);
	assert_true(seen[0].ev.in_kernel && seen[0].ev.has_user);
	assert_frames(seen[0].kernel, seen[0].ev.nr_kernel, &fp_chain[1], 1);
	assert_frames(seen[0].user, seen[0].ev.nr_user, &fp_chain[3], 2);
	assert_int_equal(seen[0].ev.stop, UNCOIL_STOP_NONE);
	assert_int_equal(seen[0].ev.period, 1234); /* the attribute's */
	assert_int_equal(seen[0].ev.cpu, UINT32_MAX);

	f = open_ok();
	assert_string_equal(uc_perf_file_event_name(f), "instructions");
	assert_null(uc_perf_file_osrelease(f));
	assert_string_equal(uc_perf_file_notes(f), "");
	uc_perf_file_close(f);
}

static void test_perfdata__takes_the_address_of_samples_without_chain(void **state)
{
	static const uint64_t ip = 0x401000;

	(void)state;
	begin_file(PERF_SAMPLE_IP);
	for (uint16_t misc = PERF_RECORD_MISC_KERNEL; misc <= PERF_RECORD_MISC_USER; misc++) {
		begin_record(PERF_RECORD_SAMPLE, misc);
		put_u64(ip);
		end_record();
	}
	end_file();
	read_all();
	assert_int_equal(nr_seen, 2);
	assert_frames(seen[0].kernel, seen[0].ev.nr_kernel, &ip, 1);
	assert_false(seen[0].ev.has_user);
	assert_frames(seen[1].user, seen[1].ev.nr_user, &ip, 1);
	assert_true(seen[1].ev.has_user);
	assert_int_equal(seen[1].ev.tid, UINT32_MAX);
}

static void test_perfdata__splits_chains_by_their_markers(void **state)
{
	static const uint64_t chain[] = {
		0x1, /* before any marker: the sample's own mode */
		PERF_CONTEXT_GUEST_USER, 0x2, PERF_CONTEXT_USER, 0x3, PERF_CONTEXT_KERNEL, 0x4,
		(uint64_t)-3000, 0x5, /* unknown to us */
		PERF_CONTEXT_HV, 0x6, PERF_CONTEXT_USER, 0x7,
	};
	static const uint64_t kernel[] = { 0x4, 0x6 }, user[] = { 0x1, 0x3, 0x7 };

	(void)state;
	begin_file(FP_TYPE);
	put_fp_sample(PERF_RECORD_MISC_USER, 5, NR(chain), chain, NR(chain));
	end_file();
	read_all();
	assert_frames(seen[0].kernel, seen[0].ev.nr_kernel, kernel, NR(kernel));
	assert_frames(seen[0].user, seen[0].ev.nr_user, user, NR(user));
}

/* As perf record of Linux 7.2 writes --call-graph fp,defer. */
static void test_perfdata__stitches_the_kernels_deferred_chains(void **state)
{
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000010,
					  UC_PERF_CONTEXT_USER_DEFERRED, 0x100000003 };

	(void)state;
	begin_file(FP_TYPE);
	put_fp_sample(PERF_RECORD_MISC_KERNEL, 5, NR(chain), chain, NR(chain));
	begin_record(UC_PERF_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	put_u64(0x100000003);
	put_u64(3);
	put_u64(PERF_CONTEXT_USER);
	put_u64(0x401000);
	put_u64(0x402000);
	put_u32(100);
	put_u32(101);
	put_u64(6);
	end_record();
	end_file();
	read_all();
	assert_int_equal(nr_seen, 1);
	assert_int_equal(seen[0].ev.cookie, 0x100000003);
	assert_int_equal(seen[0].ev.nr_kernel, 1);
	assert_frames(seen[0].user, seen[0].ev.nr_user, &fp_chain[3], 2);
	assert_int_equal(seen[0].ev.stop, UNCOIL_STOP_NONE); /* no section that says more */
}

/* Events with and without PERIOD, told apart by PERF_SAMPLE_IDENTIFIER. */
static void begin_two_events(uint64_t extra)
{
	begin_image();
	image->header.attrs.offset += 16;
	put_u64(11);
	put_u64(22);
	put_attr(FP_TYPE | extra, true, sizeof(image->header), 1);
	put_attr(FP_TYPE | extra | PERF_SAMPLE_PERIOD, true, sizeof(image->header) + 8, 1);
	begin_data();
}

static void put_identified_sample(uint64_t id)
{
	begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(id);
	put_u64(0x401000);
	put_u32(100);
	put_u32(101);
	put_u64(5);
	if (id == 22)
		put_u64(77);
	put_u64(1);
	put_u64(0x401000);
	end_record();
}

static void put_identified_comm(uint64_t id)
{
	begin_record(PERF_RECORD_COMM, 0);
	put_u32(100);
	put_u32(101);
	put_bytes("command", 8);
	put_u32(100);
	put_u32(101);
	put_u64(9);
	put_u64(id);
	end_record();
}

static void test_perfdata__tells_events_apart_by_id(void **state)
{
	(void)state;
	begin_two_events(PERF_SAMPLE_IDENTIFIER);
	put_identified_sample(11);
	put_identified_sample(22);
	put_identified_comm(22);
	put_identified_comm(0); /* as perf makes them up */
	end_file();
	read_all();
	assert_int_equal(nr_seen, 4);
	assert_int_equal(seen[0].ev.period, 1234);
	assert_int_equal(seen[1].ev.period, 77);
	for (size_t i = 0; i < 2; i++) {
		assert_frames(seen[i].user, seen[i].ev.nr_user, &fp_chain[3], 1);
		assert_string_equal(seen[2 + i].name, "command");
		assert_int_equal(seen[2 + i].ev.time_ns, 9);
	}
}

static void test_perfdata__rejects_id_that_no_event_has(void **state)
{
	(void)state;
	begin_two_events(PERF_SAMPLE_IDENTIFIER);
	put_identified_sample(33);
	end_file();
	assert_rejected(-EINVAL, "event id 33");
}

static void test_perfdata__rejects_events_without_id(void **state)
{
	(void)state;
	begin_two_events(0);
	end_file();
	assert_rejected(-ENOTSUP, "no id that tells them apart");
}

static void test_perfdata__rejects_record_that_ends_before_its_id(void **state)
{
	(void)state;
	begin_two_events(PERF_SAMPLE_IDENTIFIER);
	begin_record(PERF_RECORD_SAMPLE, 0);
	end_record();
	end_file();
	assert_rejected(-EINVAL, "ends before its event id");
	begin_two_events(PERF_SAMPLE_IDENTIFIER);
	begin_record(PERF_RECORD_COMM, 0);
	end_record();
	end_file();
	assert_rejected(-EINVAL, "ends before its event id");
}

static void test_perfdata__reads_counts_inside_samples(void **state)
{
	(void)state;
	begin_file(FP_TYPE | PERF_SAMPLE_READ);
	/* read_format, which follows sample_type in the attribute */
	image->words[(104 + 32) / 8] = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
				       PERF_FORMAT_TOTAL_TIME_ENABLED;
	for (int lie = 0; lie < 2; lie++) {
		begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		put_u64(0x401000);
		put_u32(100);
		put_u32(101);
		put_u64(5);
		put_u64(lie ? 1ULL << 63 : 2); /* counters; times two is 0 in 64 bits */
		put_u64(1000); /* time enabled */
		for (int i = 0; i < 4; i++)
			put_u64(1);
		put_u64(1);
		put_u64(0x401000);
		end_record();
		end_file();
		if (lie) {
			assert_rejected(-EINVAL, "ends inside its fields");
		} else {
			read_all();
			assert_frames(seen[0].user, seen[0].ev.nr_user, &fp_chain[3], 1);
		}
	}
}

static void test_perfdata__skips_what_perf_adds(void **state)
{
	(void)state;
	begin_file(FP_TYPE);
	begin_record(68, 0); /* FINISHED_ROUND */
	end_record();
	begin_record(UC_PERF_RECORD_AUXTRACE, 0);
	put_u64(16);
	for (int i = 0; i < 4; i++)
		put_u64(0);
	end_record();
	put_u64(0x1234567812345678); /* its payload is no record */
	put_u64(0x1234567812345678);
	put_fp_sample(PERF_RECORD_MISC_KERNEL, 5, 5, fp_chain, 5);
	end_file();
	read_all();
	assert_int_equal(nr_seen, 1);

	begin_file(FP_TYPE);
	begin_record(UC_PERF_RECORD_AUXTRACE, 0);
	put_u64(UINT64_MAX - 7);
	end_record();
	end_file();
	assert_rejected(-EINVAL, "trace data");
}

static void test_perfdata__rejects_compressed_records(void **state)
{
	(void)state;
	for (uint32_t type = 81; type <= 83; type += 2) {
		begin_file(FP_TYPE);
		begin_record(type, 0);
		put_bytes("zstd", 5);
		end_record();
		end_file();
		assert_rejected(-ENOTSUP, "compressed");
	}
}

/* ---- lies ---- */

static void put_good_file(void)
{
	begin_file(FP_TYPE);
	put_fp_sample(PERF_RECORD_MISC_KERNEL, 5, 5, fp_chain, 5);
	end_data();
}

static void test_perfdata__rejects_other_files(void **state)
{
	(void)state;
	assert_rejected(-EINVAL, "too few"); /* empty */
	put_good_file();
	image->header.magic = 0x464c457f;
	write_image();
	assert_rejected(-EINVAL, "not a perf.data file");
	image->header.magic = __builtin_bswap64(UC_PERF_MAGIC);
	write_image();
	assert_rejected(-ENOTSUP, "other byte order");
	image->header.magic = UC_PERF_MAGIC;
	image->header.size = 16;
	write_image();
	assert_rejected(-ENOTSUP, "pipe");
	image->header.size = 105;
	write_image();
	assert_rejected(-EINVAL, "header size 105");
	image->header.size = sizeof(image->header);
	image->size = 50;
	write_image();
	assert_rejected(-EINVAL, "ends inside its header");
}

static void test_perfdata__names_files_that_cannot_be_opened(void **state)
{
	struct uc_perf_file *f;

	(void)state;
	assert_int_equal(uc_perf_file_open("/nonexistent", &f, err, sizeof(err)), -ENOENT);
	assert_string_equal(err, "/nonexistent: No such file or directory");
	assert_int_equal(uc_perf_file_open("/tmp", &f, err, sizeof(err)), -EISDIR);
	assert_int_equal(uc_perf_file_open("/dev/zero", &f, err, sizeof(err)), -EINVAL);
	assert_int_equal(uc_perf_file_open("/dev/zero", &f, NULL, 0), -EINVAL);
	assert_int_equal(uc_perf_file_open("/dev/zero", &f, err, 4), -EINVAL);
	assert_string_equal(err, "/de");
}

static void test_perfdata__names_file_and_offset(void **state)
{
	char due[5000];

	(void)state;
	put_good_file();
	record_header()->size = 0;
	write_image();
	assert_rejected(-EINVAL, "has size 0");
	snprintf(due, sizeof(due), "%s: offset 0x%zx: ", path, image->record);
	assert_memory_equal(err, due, strlen(due));
}

static void test_perfdata__rejects_record_size_below_header(void **state)
{
	(void)state;
	put_good_file();
	for (uint16_t size = 0; size < 8; size++) {
		record_header()->size = size;
		write_image();
		assert_rejected(-EINVAL, "less than its header");
	}
}

static void test_perfdata__rejects_odd_record_size(void **state)
{
	(void)state;
	put_good_file();
	record_header()->size -= 4;
	write_image();
	assert_rejected(-EINVAL, "not a multiple of 8");
}

static void test_perfdata__rejects_record_past_end(void **state)
{
	(void)state;
	put_good_file();
	record_header()->size += 8;
	write_image();
	assert_rejected(-EINVAL, "past the end of the data");
	put_good_file();
	put_u32(9); /* half a header */
	end_file();
	assert_rejected(-EINVAL, "inside a record's header");
}

static void test_perfdata__rejects_call_chain_past_record(void **state)
{
	static const uint64_t lies[] = { 6, 0x1000, 1ULL << 32, 1ULL << 61, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < NR(lies); i++) {
		begin_file(FP_TYPE);
		put_fp_sample(0, 5, lies[i], fp_chain, 5);
		put_fp_sample(0, 5, 5, fp_chain, 5);
		end_file();
		assert_rejected(-EINVAL, "call chain of");

		begin_file(FP_TYPE);
		begin_record(UC_PERF_RECORD_CALLCHAIN_DEFERRED, 0);
		put_u64(7);
		put_u64(lies[i]);
		put_u64(PERF_CONTEXT_USER);
		put_u64(1); /* the trailer: two words */
		put_u64(2);
		end_record();
		end_file();
		assert_rejected(-EINVAL, "call chain of");
	}
}

/* A frame-pointer chain may hold any word: without deferral this is no reason to
 * refuse the file. */
static void test_perfdata__reads_a_stray_marker_where_nothing_defers(void **state)
{
	static const uint64_t chain[] = { UC_PERF_CONTEXT_USER_DEFERRED };

	(void)state;
	begin_file(FP_TYPE);
	put_fp_sample(0, 5, 1, chain, 1);
	end_file();
	read_all();
}

static void test_perfdata__rejects_records_shorter_than_their_fields(void **state)
{
	static const struct {
		uint32_t type;
		size_t words; /* fields and trailer of FP_TYPE */
	} records[] = {
		{ PERF_RECORD_SAMPLE, 4 },
		{ PERF_RECORD_FORK, 2 + 2 },
		{ PERF_RECORD_EXIT, 2 + 2 },
		{ PERF_RECORD_MMAP, 4 + 1 + 2 },
		{ PERF_RECORD_MMAP2, 8 + 1 + 2 },
		{ PERF_RECORD_COMM, 1 + 1 + 2 },
		{ PERF_RECORD_LOST, 2 },
		{ 60, 2 }, /* unknown to us */
		{ UC_PERF_RECORD_CALLCHAIN_DEFERRED, 2 + 2 },
	};

	(void)state;
	for (size_t i = 0; i < NR(records); i++) {
		for (size_t words = 0; words <= records[i].words; words++) {
			begin_file(FP_TYPE);
			begin_record(records[i].type, 0);
			for (size_t j = 0; j < words; j++)
				put_u64(0);
			end_record();
			end_file();
			if (words == records[i].words)
				assert_int_equal(read_result(), 0);
			else
				assert_int_equal(read_result(), -EINVAL);
		}
	}
}

static void test_perfdata__rejects_names_without_end(void **state)
{
	(void)state;
	begin_file(FP_TYPE);
	begin_record(PERF_RECORD_COMM, 0);
	put_u64(0);
	put_bytes("12345678", 8);
	put_u64(0); /* the trailer's zeros are not the name's */
	put_u64(0);
	end_record();
	end_file();
	assert_rejected(-EINVAL, "has no end");
}

static void test_perfdata__rejects_build_id_past_its_field(void **state)
{
	(void)state;
	begin_file(FP_TYPE);
	begin_record(PERF_RECORD_MMAP2, 1U << 14);
	for (int i = 0; i < 11; i++)
		put_u64(i == 4 ? 0x1515151515151515 : 0); /* 21, in either byte order */
	end_record();
	end_file();
	assert_rejected(-EINVAL, "build id of 21 bytes");
}

static void test_perfdata__rejects_truncated_data(void **state)
{
	(void)state;
	put_good_file();
	image->size -= 8;
	write_image();
	assert_rejected(-EINVAL, "the file is cut off");
	image->header.data.size = UINT64_MAX;
	write_image();
	assert_rejected(-EINVAL, "past the end of the file");
	image->header.data.offset = UINT64_MAX - 8;
	image->header.data.size = 16;
	write_image();
	assert_rejected(-EINVAL, "past the end of the file");
	image->header.data.offset = 8;
	write_image();
	assert_rejected(-EINVAL, "inside the header");
}

static void test_perfdata__rejects_attribute_size_that_lies(void **state)
{
	uint32_t *attr_size;

	(void)state;
	put_good_file();
	attr_size = (uint32_t *)(image->bytes + 104 + 4);
	*attr_size = PERF_ATTR_SIZE_VER5 + 8;
	write_image();
	assert_rejected(-EINVAL, "claims 120 bytes");
	*attr_size = UINT32_MAX;
	write_image();
	assert_rejected(-EINVAL, "claims 4294967295 bytes");
	*attr_size = 32;
	write_image();
	assert_rejected(-EINVAL, "claims 32 bytes");
}

static void test_perfdata__rejects_attribute_section_that_lies(void **state)
{
	(void)state;
	put_good_file();
	image->header.attr_size = 79;
	write_image();
	assert_rejected(-EINVAL, "attributes of 79 bytes");
	image->header.attr_size = UINT64_MAX;
	write_image();
	assert_rejected(-EINVAL, "attributes of");
	image->header.attr_size = 127;
	write_image();
	assert_rejected(-EINVAL, "hold no array");
	image->header.attrs.size = 0;
	write_image();
	assert_rejected(-EINVAL, "hold no array");
	image->header.attrs.size = 1ULL << 40;
	write_image();
	assert_rejected(-EINVAL, "past the end of the file");
}

static void test_perfdata__rejects_id_section_that_lies(void **state)
{
	(void)state;
	begin_image();
	put_attr(FP_TYPE, true, 1ULL << 40, 1);
	begin_data();
	end_file();
	assert_rejected(-EINVAL, "event ids");

	/* A hole of 64 GiB full of ids. */
	begin_image();
	put_attr(FP_TYPE, true, 0, 1ULL << 33);
	begin_data();
	end_file();
	assert_int_equal(truncate(path, 1LL << 36), 0);
	assert_rejected(-EINVAL, "more than 1048576 event ids");
}

static void test_perfdata__rejects_section_table_that_lies(void **state)
{
	struct uc_perf_section *section;

	(void)state;
	put_good_file();
	image->header.features[UC_PERF_FEATURE_UNCOIL / 64] = ~0ULL;
	write_image();
	assert_rejected(-EINVAL, "inside its table of sections");

	put_good_file();
	section = begin_section(UC_PERF_FEATURE_UNCOIL);
	section->size = UINT64_MAX;
	write_image();
	assert_rejected(-EINVAL, "section of feature 250");

	put_good_file();
	section = begin_section(UC_PERF_FEATURE_OSRELEASE);
	put_u32(64);
	put_bytes("6.18", 4);
	end_section(section);
	assert_rejected(-EINVAL, "release has no end");
	section->size = 5000;
	image->size += 5000;
	write_image();
	assert_rejected(-EINVAL, "more than 4096");
}

static void test_perfdata__rejects_event_names_that_lie(void **state)
{
	static const struct {
		uint32_t events, attr_size, ids, len;
	} lies[] = {
		{ 0, 8, 0, 8 },
		{ 1, UINT32_MAX, 0, 8 },
		{ 1, 8, 0, UINT32_MAX },
		{ 1, 8, 0, 0 },
		{ 1, 8, 0, 4 },
	};

	(void)state;
	for (size_t i = 0; i < NR(lies) + 1; i++) {
		struct uc_perf_section *section;
		bool good = i == NR(lies);

		put_good_file();
		section = begin_section(UC_PERF_FEATURE_EVENT_DESC);
		put_u32(good ? 1 : lies[i].events);
		put_u32(good ? 8 : lies[i].attr_size);
		put_u64(0);
		put_u32(good ? UINT32_MAX : lies[i].ids); /* not looked at behind the last name */
		put_u32(good ? 8 : lies[i].len);
		put_bytes("my-name", 8);
		end_section(section);
		if (good) {
			struct uc_perf_file *f = open_ok();

			assert_string_equal(uc_perf_file_event_name(f), "my-name");
			uc_perf_file_close(f);
		} else {
			assert_rejected(-EINVAL, "event names");
		}
	}
}

static void put_notes(const char *text)
{
	struct uc_perf_section *section;

	put_good_file();
	section = begin_section(UC_PERF_FEATURE_UNCOIL);
	put_bytes(text, strlen(text));
	end_section(section);
}

static void test_perfdata__rejects_malformed_stops(void **state)
{
	static const char *const lines[] = {
		"stop", "stop ", "stop 0", "stop 0 1 0", "stop 0 1 0 ", "stop 0 1 0 0x1 2",
		"stop 0 99 0 0x0", "stop 0 1 99 0x0", "stop -1 1 0 0x0", "stop 0 -1 0 0x0",
		"stop 0  1 0 0x0", "stop 0 1 0 0x11111111111111111", "stop 0x1 1 0 0x0",
		"stop 99999999999999999999 1 0 0x0", "stop 0 1\n 0 0x0",
	};

	(void)state;
	for (size_t i = 1; i < NR(lines); i++) {
		put_notes(lines[i]);
		assert_rejected(-EINVAL, "malformed, or of a newer version");
	}
	put_notes("stop"); /* a word of its own, none of ours */
	assert_int_equal(read_result(), 0);
}

static void test_perfdata__reads_stops_in_any_order(void **state)
{
	(void)state;
	put_notes("lost ring-full 3\nstop 77 2 0 0x0\nnew-word 1 2 3\nstop 0 8 0 0xabc\n\nstop 5 1 0 0");
	read_all();
	assert_int_equal(nr_seen, 1);
	assert_int_equal(seen[0].ev.stop, UNCOIL_STOP_MEMORY_FAULT);
	assert_int_equal(seen[0].ev.stop_addr, 0xabc);
}

static void test_perfdata__reads_long_notes(void **state)
{
	static char text[2 * 65536 + 1];
	struct uc_perf_file *f;

	(void)state;
	for (size_t length = 65535; length <= 2 * 65536; length += length < 65537 ? 1 : 65535) {
		memset(text, '\n', sizeof(text));
		text[length] = '\0';
		memcpy(text + length - strlen("stop 0 8 0 0xabc"), "stop 0 8 0 0xabc",
		       strlen("stop 0 8 0 0xabc"));
		put_notes(text);
		f = open_ok();
		assert_int_equal(strlen(uc_perf_file_notes(f)), length);
		uc_perf_file_close(f);
		read_all();
		assert_int_equal(seen[0].ev.stop, UNCOIL_STOP_MEMORY_FAULT);
	}
	/* A hole of 64 GiB behind a text is no text. */
	put_good_file();
	begin_section(UC_PERF_FEATURE_UNCOIL)->size = 1ULL << 36;
	put_bytes("engine x", 8);
	write_image();
	assert_int_equal(truncate(path, (1LL << 36) + 4096), 0);
	f = open_ok();
	assert_string_equal(uc_perf_file_notes(f), "engine x");
	uc_perf_file_close(f);
}

/* ---- recordings that were never finished ---- */

static void test_perfdata__reads_unfinished_recordings(void **state)
{
	struct uc_perf_file *f;

	(void)state;
	put_good_file();
	put_fp_sample(PERF_RECORD_MISC_KERNEL, 5, 5, fp_chain, 5);
	image->header.data.size = 0;
	image->header.features[0] = ~0ULL; /* perf sets them at the start */
	for (size_t cut = 0; cut < 60; cut++) {
		image->size -= cut ? 1 : 0;
		write_image();
		f = open_ok();
		assert_true(uc_perf_file_unfinished(f));
		uc_perf_file_close(f);
		read_all();
		assert_int_equal(nr_seen, cut ? 1 : 2);
	}
	/* Blocks that were allotted and never written. */
	memset(image->bytes + image->record, 0, 4096);
	image->size = image->record + 4096;
	write_image();
	read_all();
	assert_int_equal(nr_seen, 1);
}

static void test_perfdata__reads_recordings_without_records(void **state)
{
	struct uc_perf_section *section;
	struct uc_perf_file *f;

	(void)state;
	begin_file(FP_TYPE);
	section = begin_section(UC_PERF_FEATURE_UNCOIL);
	put_bytes("engine defer\n", 13);
	end_section(section);
	f = open_ok();
	assert_false(uc_perf_file_unfinished(f));
	assert_string_equal(uc_perf_file_notes(f), "engine defer\n");
	uc_perf_file_close(f);
	read_all();
	assert_int_equal(nr_seen, 0);
}

/* ---- damage anywhere: any result but a crash, under the sanitizers ---- */

static size_t put_whole_file(uint8_t *bytes, size_t cap)
{
	struct uc_perf_writer *w = writer(false);
	ssize_t size;
	int fd;

	put_fork(w, 1000);
	put_comm(w, 1001, "true", true);
	put_mmap2(w, 1002);
	put_sample(w, 2000, 101, 7);
	put_deferred(w, 2001, 101, 7, user_frames, NR(user_frames));
	uc_perf_writer_note(w, "stop 0 8 0 0x123");
	assert_int_equal(uc_perf_writer_close(w), 0);
	fd = open(path, O_RDONLY);
	size = read(fd, bytes, cap);
	close(fd);
	assert_true(size > 0 && (size_t)size < cap);
	return (size_t)size;
}

static void test_perfdata__survives_truncation_anywhere(void **state)
{
	static uint8_t bytes[8192];
	size_t size;

	(void)state;
	size = put_whole_file(bytes, sizeof(bytes));
	assert_int_equal(read_result(), 0);
	while (size--) {
		assert_int_equal(truncate(path, (off_t)size), 0);
		read_result();
	}
}

static void test_perfdata__survives_damage_anywhere(void **state)
{
	static const uint8_t damage[] = { 0x00, 0x80, 0xff };
	static uint8_t bytes[8192];
	size_t size;
	int fd;

	(void)state;
	size = put_whole_file(bytes, sizeof(bytes));
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	for (size_t i = 0; i < size; i++) {
		for (size_t j = 0; j < NR(damage); j++) {
			if (bytes[i] == damage[j])
				continue;
			assert_true(pwrite(fd, &damage[j], 1, (off_t)i) == 1);
			read_result();
		}
		assert_true(pwrite(fd, &bytes[i], 1, (off_t)i) == 1);
	}
	close(fd);
	assert_int_equal(read_result(), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(test_perfdata__##name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(round_trips_deferred_form),
		T(round_trips_merged_form),
		T(writes_the_attribute_perf_expects),
		T(joins_samples_of_one_cookie),
		T(matches_thread_before_cookie),
		T(takes_next_stack_of_reused_cookie),
		T(delivers_samples_without_stack),
		T(keeps_stops_of_empty_stacks),
		T(delivers_in_time_order),
		T(keeps_place_of_records_without_time),
		T(round_trips_deep_chains),
		T(ends_chains_before_what_looks_like_a_marker),
		T(refuses_to_write_oversized_records),
		T(reports_unwritable_files),
		T(reports_full_disk_and_leaves_records),
		T(ends_when_the_callback_says_so),
		T(reads_frame_pointer_chains),
		T(takes_the_address_of_samples_without_chain),
		T(splits_chains_by_their_markers),
		T(stitches_the_kernels_deferred_chains),
		T(tells_events_apart_by_id),
		T(rejects_id_that_no_event_has),
		T(rejects_events_without_id),
		T(rejects_record_that_ends_before_its_id),
		T(reads_counts_inside_samples),
		T(skips_what_perf_adds),
		T(rejects_compressed_records),
		T(rejects_other_files),
		T(names_files_that_cannot_be_opened),
		T(names_file_and_offset),
		T(rejects_record_size_below_header),
		T(rejects_odd_record_size),
		T(rejects_record_past_end),
		T(rejects_call_chain_past_record),
		T(reads_a_stray_marker_where_nothing_defers),
		T(rejects_records_shorter_than_their_fields),
		T(rejects_names_without_end),
		T(rejects_build_id_past_its_field),
		T(rejects_truncated_data),
		T(rejects_attribute_size_that_lies),
		T(rejects_attribute_section_that_lies),
		T(rejects_id_section_that_lies),
		T(rejects_section_table_that_lies),
		T(rejects_event_names_that_lie),
		T(rejects_malformed_stops),
		T(reads_stops_in_any_order),
		T(reads_long_notes),
		T(reads_unfinished_recordings),
		T(reads_recordings_without_records),
		T(survives_truncation_anywhere),
		T(survives_damage_anywhere),
	};
	int failed = cmocka_run_group_tests_name("perfdata", tests, NULL, NULL);

	free(image);
	free(seen);
	return failed;
}
