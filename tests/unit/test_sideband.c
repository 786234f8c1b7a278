/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Side-band: rings, /proc/PID/maps, build ids, lists of threads. */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uc_perfdata.h"
#include "uc_port.h"
#include "uc_sideband.h"
#include "uc_synth.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- ring ---- */

#define RING 4096

struct fake_ring {
	_Alignas(8) uint8_t data[RING];
	_Alignas(8) uint8_t bounce[UC_RECORD_MAX];
	struct uc_ring ring;
};

static struct fake_ring *fake_ring_new(uint64_t start)
{
	struct fake_ring *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->ring = (struct uc_ring){ .data = f->data, .size = RING, .head = start, .tail = start };
	return f;
}

static void put_byte(struct fake_ring *f, uint8_t byte)
{
	f->data[f->ring.head++ % RING] = byte;
}

/* A record whose body counts up from @seed. */
static void put_record(struct fake_ring *f, uint32_t type, uint16_t size, uint8_t seed)
{
	struct perf_event_header header = { .type = type, .size = size };
	const uint8_t *bytes = (const uint8_t *)&header;

	for (size_t i = 0; i < sizeof(header); i++)
		put_byte(f, bytes[i]);
	for (size_t i = sizeof(header); i < size; i++)
		put_byte(f, (uint8_t)(seed + i));
}

static void check_record(struct fake_ring *f, uint32_t type, uint16_t size, uint8_t seed)
{
	const struct perf_event_header *record;
	int error;

	record = uc_ring_next(&f->ring, f->bounce, &error);
	assert_non_null(record);
	assert_int_equal(error, 0);
	assert_int_equal(record->type, type);
	assert_int_equal(record->size, size);
	for (size_t i = sizeof(*record); i < size; i++)
		assert_int_equal(((const uint8_t *)record)[i], (uint8_t)(seed + i));
}

static void check_empty(struct fake_ring *f, int want)
{
	int error;

	assert_null(uc_ring_next(&f->ring, f->bounce, &error));
	assert_int_equal(error, want);
	assert_int_equal(f->ring.tail, f->ring.head);
}

static void test_ring__delivers_in_order(void **state)
{
	struct fake_ring *f = fake_ring_new(0);

	(void)state;
	put_record(f, PERF_RECORD_COMM, 48, 1);
	put_record(f, PERF_RECORD_MMAP2, 112, 2);
	put_record(f, PERF_RECORD_EXIT, 8, 3);
	check_record(f, PERF_RECORD_COMM, 48, 1);
	check_record(f, PERF_RECORD_MMAP2, 112, 2);
	check_record(f, PERF_RECORD_EXIT, 8, 3);
	check_empty(f, 0);
	free(f);
}

/* Every place where a record can be split, header last in the ring included. */
static void test_ring__joins_records_that_wrap_around(void **state)
{
	(void)state;
	for (uint64_t before = 8; before <= 64; before += 8) {
		struct fake_ring *f = fake_ring_new(3 * RING - before);

		put_record(f, PERF_RECORD_MMAP2, 64, 7);
		put_record(f, PERF_RECORD_COMM, 40, 9);
		check_record(f, PERF_RECORD_MMAP2, 64, 7);
		check_record(f, PERF_RECORD_COMM, 40, 9);
		check_empty(f, 0);
		free(f);
	}
}

static void test_ring__takes_a_full_ring_and_counters_that_overflow(void **state)
{
	struct fake_ring *f = fake_ring_new(UINT64_MAX - 15);

	(void)state;
	for (int i = 0; i < RING / 64; i++)
		put_record(f, PERF_RECORD_FORK, 64, (uint8_t)i);
	for (int i = 0; i < RING / 64; i++)
		check_record(f, PERF_RECORD_FORK, 64, (uint8_t)i);
	check_empty(f, 0);
	free(f);
}

static void test_ring__skips_what_cannot_be_a_record(void **state)
{
	static const uint16_t sizes[] = { 0, 4, 12, 72 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct fake_ring *f = fake_ring_new(RING - 32);
		struct perf_event_header bad = { .type = PERF_RECORD_COMM, .size = sizes[i] };

		put_record(f, PERF_RECORD_COMM, 64, 1);
		memcpy(f->data + RING - 32, &bad, sizeof(bad));
		check_empty(f, -EBADMSG);
		put_record(f, PERF_RECORD_EXIT, 48, 2);
		check_record(f, PERF_RECORD_EXIT, 48, 2);
		free(f);
	}
}

/* ---- /proc/PID/maps ---- */

static int parse(const char *text, struct uc_proc_map *ret, char *buf, size_t size)
{
	assert_true(strlen(text) < size);
	strcpy(buf, text);
	return uc_proc_map_parse(buf, ret);
}

static void test_maps__parses_lines(void **state)
{
	struct uc_proc_map map;
	char buf[256];

	(void)state;
	assert_int_equal(parse("7f749b327000-7f749b47d000 r-xp 00026000 fe:00 332835"
			       "                     /usr/lib/libc.so.6",
			       &map, buf, sizeof(buf)),
			 0);
	assert_true(map.start == 0x7f749b327000 && map.end == 0x7f749b47d000);
	assert_true(map.pgoff == 0x26000 && map.inode == 332835);
	assert_int_equal(map.dev_major, 0xfe);
	assert_int_equal(map.dev_minor, 0);
	assert_int_equal(map.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(map.flags, MAP_PRIVATE);
	assert_string_equal(map.path, "/usr/lib/libc.so.6");
	assert_false(map.escaped);

	assert_int_equal(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0"
			       "                  [vsyscall]",
			       &map, buf, sizeof(buf)),
			 0);
	assert_true(map.start == 0xffffffffff600000);
	assert_int_equal(map.prot, PROT_EXEC);
	assert_string_equal(map.path, "[vsyscall]");

	assert_int_equal(parse("7f00-8f00 rw-s 00000000 103:1a 18446744073709551615 ", &map, buf,
			       sizeof(buf)),
			 0);
	assert_int_equal(map.dev_major, 0x103);
	assert_int_equal(map.dev_minor, 0x1a);
	assert_true(map.inode == UINT64_MAX);
	assert_int_equal(map.flags, MAP_SHARED);
	assert_string_equal(map.path, "");
}

static void test_maps__keeps_strange_names(void **state)
{
	static const struct {
		const char *text, *name;
		bool escaped;
	} cases[] = {
		{ "/tmp/a b  c", "/tmp/a b  c", false },
		{ "/tmp/x (deleted)", "/tmp/x (deleted)", false },
		{ "/tmp/a\\012b", "/tmp/a\nb", true },
		{ "/tmp/\\012\\012", "/tmp/\n\n", true },
		{ "/tmp/\\01", "/tmp/\\01", false },
		{ "/tmp/\\", "/tmp/\\", false },
		{ "/tmp/a\\040b\\134", "/tmp/a\\040b\\134", false },
		{ "/tmp/\\0\\012", "/tmp/\\0\n", true },
		{ "/memfd:0-1 r-xp 0 00:00 0 /bin/su (deleted)",
		  "/memfd:0-1 r-xp 0 00:00 0 /bin/su (deleted)", false },
		{ "/tmp/\xff\x01\x1b[31m", "/tmp/\xff\x01\x1b[31m", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uc_proc_map map;
		char line[256], buf[256];

		snprintf(line, sizeof(line), "1000-2000 r-xp 00000000 fe:00 5    %s",
			 cases[i].text);
		assert_int_equal(parse(line, &map, buf, sizeof(buf)), 0);
		assert_string_equal(map.path, cases[i].name);
		assert_int_equal(map.escaped, cases[i].escaped);
	}
}

static void test_maps__takes_the_longest_path(void **state)
{
	/* A path of newlines only: each takes four bytes. */
	char *line = malloc(4 * PATH_MAX + 256);
	struct uc_proc_map map;
	int len;

	(void)state;
	assert_non_null(line);
	len = sprintf(line, "1000-2000 r-xp 00000000 fe:00 5    /");
	for (int i = 0; i < PATH_MAX - 2; i++)
		len += sprintf(line + len, "\\012");
	assert_int_equal(uc_proc_map_parse(line, &map), 0);
	assert_int_equal(strlen(map.path), PATH_MAX - 1);
	free(line);
}

static void test_maps__rejects_what_is_none(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"1000",
		"1000-",
		"1000-2000",
		"1000-2000 ",
		"1000-2000 r-x",
		"1000-2000 r-xp",
		"1000-2000 r-xp ",
		"1000-2000 r-xp 0",
		"1000-2000 r-xp 0 fe",
		"1000-2000 r-xp 0 fe:",
		"1000-2000 r-xp 0 fe:00",
		"1000-2000 r-xp 0 fe:00 ",
		"1000-2000 r-xp 0 fe:00 x",
		"1000-2000 r-xp 0 fe:00 5x",
		"1000-2000 r-xp 0 fe:00 -5",
		"2000-1000 r-xp 0 fe:00 5",
		"1000-1000 r-xp 0 fe:00 5",
		"-1000-2000 r-xp 0 fe:00 5",
		" 1000-2000 r-xp 0 fe:00 5",
		"1000-20000000000000000 r-xp 0 fe:00 5",
		"1000-2000 r-xp 0 100000000:00 5",
		"1000-2000 r-xp 0 fe:00 18446744073709551616",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		/* In its own memory, so that a read beyond it is noticed. */
		char *line = strdup(bad[i]);
		struct uc_proc_map map;

		assert_non_null(line);
		assert_int_equal(uc_proc_map_parse(line, &map), -EINVAL);
		free(line);
	}
}

/* ---- build ids ---- */

struct tiny_elf {
	Elf64_Ehdr head;
	Elf64_Phdr phdr;
	uint8_t notes[64];
};

static void tiny_elf_init(struct tiny_elf *elf)
{
	static const uint8_t notes[] = {
		4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 9, 9, 9, 0, /* ABI tag */
		4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4, 5, 0, 0, 0,
	};

	memset(elf, 0, sizeof(*elf));
	memcpy(elf->head.e_ident, ELFMAG, SELFMAG);
	elf->head.e_ident[EI_CLASS] = ELFCLASS64;
	elf->head.e_ident[EI_DATA] = ELFDATA2LSB;
	elf->head.e_phoff = offsetof(struct tiny_elf, phdr);
	elf->head.e_phnum = 1;
	elf->phdr.p_type = PT_NOTE;
	elf->phdr.p_offset = offsetof(struct tiny_elf, notes);
	elf->phdr.p_filesz = sizeof(notes);
	elf->phdr.p_align = 4;
	memcpy(elf->notes, notes, sizeof(notes));
}

static size_t build_id_of(const void *bytes, size_t size, uint8_t id[UC_BUILD_ID_MAX])
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	size_t len;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	len = uc_elf_build_id(fd, id);
	close(fd);
	return len;
}

static void test_build_id__is_found_among_notes(void **state)
{
	static const uint8_t want[] = { 1, 2, 3, 4, 5 };
	uint8_t id[UC_BUILD_ID_MAX];
	struct tiny_elf elf;

	(void)state;
	tiny_elf_init(&elf);
	assert_int_equal(build_id_of(&elf, sizeof(elf), id), sizeof(want));
	assert_memory_equal(id, want, sizeof(want));
}

static void test_build_id__survives_broken_files(void **state)
{
	uint8_t id[UC_BUILD_ID_MAX];
	struct tiny_elf elf;
	uint32_t huge = UINT32_MAX;

	(void)state;
	assert_int_equal(build_id_of("", 0, id), 0);
	assert_int_equal(build_id_of("\x7f" "ELF", 4, id), 0);

	tiny_elf_init(&elf);
	assert_int_equal(build_id_of(&elf, offsetof(struct tiny_elf, notes) + 30, id), 0);
	elf.head.e_phoff = UINT64_MAX - 8;
	assert_int_equal(build_id_of(&elf, sizeof(elf), id), 0);

	for (int field = 0; field < 2; field++) {
		tiny_elf_init(&elf);
		memcpy(elf.notes + 20 + 4 * field, &huge, sizeof(huge));
		assert_int_equal(build_id_of(&elf, sizeof(elf), id), 0);
	}
	tiny_elf_init(&elf);
	elf.phdr.p_filesz = UINT64_MAX;
	assert_int_equal(build_id_of(&elf, sizeof(elf), id), 0);

	/* Whatever one byte becomes: no crash (the sanitizers watch). */
	for (size_t at = 0; at < sizeof(elf); at++) {
		tiny_elf_init(&elf);
		((uint8_t *)&elf)[at] ^= 0xff;
		assert_true(build_id_of(&elf, sizeof(elf), id) <= UC_BUILD_ID_MAX);
	}
}

/* ---- synthesis ---- */

struct seen {
	const char *path; /* looked for */
	unsigned int nr_comm, nr_mmap2, nr_path;
};

static int look(void *arg, const struct perf_event_header *record)
{
	struct seen *seen = arg;
	const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint8_t build_id_size, pad[3], build_id[20];
		uint32_t prot, flags;
		char name[];
	} *mmap2 = (const void *)record;
	const struct {
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, pad;
	} *trailer = (const void *)((const char *)record + record->size - sizeof(*trailer));

	assert_int_equal(record->size % 8, 0);
	assert_int_equal(trailer->pid, getpid());
	assert_true(trailer->time == 0);
	if (record->type == PERF_RECORD_COMM) {
		seen->nr_comm++;
		return 0;
	}
	assert_int_equal(record->type, PERF_RECORD_MMAP2);
	seen->nr_mmap2++;
	assert_int_equal(mmap2->pid, getpid());
	assert_true(mmap2->prot & PROT_EXEC);
	seen->nr_path += !strcmp(mmap2->name, seen->path);
	return 0;
}

static void synth_self(struct seen *seen)
{
	pid_t self = getpid();
	struct uc_target target = { .kind = UC_TARGET_PROCESSES, .ids = &self, .nr_ids = 1 };

	assert_int_equal(uc_synth_processes(&target, look, seen), 0);
}

static void test_synth__names_mappings_as_the_kernel_does(void **state)
{
	char dir[] = "/tmp/uncoil-test-XXXXXX", path[256], deleted[300];
	struct seen seen = { .path = path };
	void *map;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	/* A real newline; and what looks like one, which takes root to tell. */
	snprintf(path, sizeof(path), "%s/line\n1000-2000 r-xp \\%s (deleted)", dir,
		 geteuid() ? "" : "012");
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED && errno == EPERM) {
		unlink(path);
		rmdir(dir);
		skip(); /* /tmp is mounted noexec */
	}
	assert_true(map != MAP_FAILED);
	synth_self(&seen);
	assert_int_equal(seen.nr_comm, 1);
	assert_int_equal(seen.nr_path, 1);
	assert_true(seen.nr_mmap2 > 2);

	unlink(path);
	rmdir(dir);
	seen.path = deleted;
	synth_self(&seen);
	assert_int_equal(seen.nr_path, 2);
	munmap(map, 4096);
	close(fd);
}

/* ---- lists ---- */

static void test_ids__parse_cpu_lists(void **state)
{
	struct uc_ids ids = { 0 };

	(void)state;
	assert_int_equal(uc_ids_parse_cpus(&ids, "0-2,7,10-11\n"), 0);
	assert_int_equal(ids.nr, 6);
	assert_true(uc_ids_has(&ids, 0) && uc_ids_has(&ids, 7) && uc_ids_has(&ids, 11));
	assert_false(uc_ids_has(&ids, 3));
	uc_ids_fini(&ids);
	assert_int_equal(uc_ids_parse_cpus(&ids, "3-1"), -EINVAL);
	assert_int_equal(uc_ids_parse_cpus(&ids, "0-"), -EINVAL);
	assert_int_equal(uc_ids_parse_cpus(&ids, "0-99999999999999999999"), -EINVAL);
	assert_int_equal(uc_ids_parse_cpus(&ids, "0;1"), -EINVAL);
	uc_ids_fini(&ids);
}

#define MORE_THREADS 5

struct opener {
	struct uc_ids opened;
	unsigned int nr_calls, nr_resets, nr_started, max_started;
	pthread_t thread[64];
	pthread_barrier_t start;
	pthread_mutex_t hold;
};

static void *wait_for_end(void *arg)
{
	struct opener *o = arg;

	pthread_barrier_wait(&o->start);
	pthread_mutex_lock(&o->hold);
	pthread_mutex_unlock(&o->hold);
	return NULL;
}

static int open_and_start_another(void *arg, pid_t tid, int cpu)
{
	struct opener *o = arg;

	assert_int_equal(cpu, -1);
	o->nr_calls++;
	if (o->nr_started < o->max_started) {
		assert_int_equal(pthread_create(&o->thread[o->nr_started++], NULL, wait_for_end, o),
				 0);
		pthread_barrier_wait(&o->start);
	}
	return uc_ids_add(&o->opened, tid);
}

static void forget(void *arg)
{
	struct opener *o = arg;

	o->opened.nr = 0;
	o->nr_resets++;
}

static void list_while_threads_start(struct opener *o, unsigned int max_started, bool *doubtful)
{
	static const struct uc_target_ops ops = { .open = open_and_start_another, .reset = forget };
	pid_t self = getpid();
	struct uc_target target = { .kind = UC_TARGET_PROCESSES, .ids = &self, .nr_ids = 1 };
	size_t nr_opened;
	char err[256];

	memset(o, 0, sizeof(*o));
	o->max_started = max_started;
	pthread_barrier_init(&o->start, NULL, 2);
	pthread_mutex_init(&o->hold, NULL);
	pthread_mutex_lock(&o->hold);
	assert_int_equal(uc_target_each(&target, &ops, o, doubtful, err, sizeof(err)), 0);
	nr_opened = o->opened.nr;
	uc_ids_sort(&o->opened);
	assert_int_equal(o->opened.nr, nr_opened); /* none twice */
	pthread_mutex_unlock(&o->hold);
	for (unsigned int i = 0; i < o->nr_started; i++)
		pthread_join(o->thread[i], NULL);
}

/* A thread that starts while threads are listed and opened is not missed. */
static void test_target__lists_again_until_stable(void **state)
{
	struct opener o;
	bool doubtful;

	(void)state;
	list_while_threads_start(&o, MORE_THREADS, &doubtful);
	assert_false(doubtful);
	assert_int_equal(o.opened.nr, 1 + MORE_THREADS);
	assert_true(o.nr_resets > 1);
	uc_ids_fini(&o.opened);
}

static int never(void *arg, pid_t tid, int cpu)
{
	(void)tid;
	(void)cpu;
	++*(unsigned int *)arg;
	return -ESRCH;
}

static void no_reset(void *arg)
{
	(void)arg;
}

static void test_target__says_what_is_missing(void **state)
{
	static const struct uc_target_ops ops = { .open = never, .reset = no_reset };
	pid_t none = INT32_MAX;
	struct uc_target target = { .kind = UC_TARGET_PROCESSES, .ids = &none, .nr_ids = 1 };
	unsigned int nr_calls = 0;
	bool doubtful;
	char err[256];

	(void)state;
	assert_int_equal(uc_target_each(&target, &ops, &nr_calls, &doubtful, err, sizeof(err)),
			 -ESRCH);
	assert_string_equal(err, "process 2147483647: no such process");
	assert_int_equal(nr_calls, 0);
	target.kind = UC_TARGET_THREADS;
	assert_int_equal(uc_target_each(&target, &ops, &nr_calls, &doubtful, err, sizeof(err)),
			 -ESRCH);
	assert_string_equal(err, "thread 2147483647: no such thread");
	assert_int_equal(nr_calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring__delivers_in_order),
		cmocka_unit_test(test_ring__joins_records_that_wrap_around),
		cmocka_unit_test(test_ring__takes_a_full_ring_and_counters_that_overflow),
		cmocka_unit_test(test_ring__skips_what_cannot_be_a_record),
		cmocka_unit_test(test_maps__parses_lines),
		cmocka_unit_test(test_maps__keeps_strange_names),
		cmocka_unit_test(test_maps__takes_the_longest_path),
		cmocka_unit_test(test_maps__rejects_what_is_none),
		cmocka_unit_test(test_build_id__is_found_among_notes),
		cmocka_unit_test(test_build_id__survives_broken_files),
		cmocka_unit_test(test_synth__names_mappings_as_the_kernel_does),
		cmocka_unit_test(test_ids__parse_cpu_lists),
		cmocka_unit_test(test_target__lists_again_until_stable),
		cmocka_unit_test(test_target__says_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
