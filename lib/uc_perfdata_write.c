// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writing perf.data.
 *
 * The file grows front to back: header, one attribute, records; the feature
 * sections, which only the end of a recording knows, come last, and the
 * header is rewritten with the final sizes. A recording that dies before
 * that has data.size 0 in its header; perf and our reader still take its
 * records.
 *
 * The first error sticks: records that follow it would leave a hole that no
 * reader could step over.
 */
#include "uc_perfdata.h"
#include "uc_perfdata_format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef UNCOIL_VERSION
#define UNCOIL_VERSION "0.1"
#endif

/* Not the newest size: perf refuses files whose attribute is larger than its
 * own, and all that we set lies within that of Linux 4.8. */
#define UC_PERF_ATTR_SIZE PERF_ATTR_SIZE_VER5

#define UC_PERF_DATA_OFFSET \
	(sizeof(struct uc_perf_header) + UC_PERF_ATTR_SIZE + sizeof(struct uc_perf_section))

#define UC_PERF_STDIO_BYTES (256 * 1024)
#define UC_PERF_STRING_ALIGN 64 /* perf pads strings to that, and counts the padding */
#define UC_PERF_STRING_MAX (1024 * 1024)

#define UC_KALLSYMS "/proc/kallsyms"
#define UC_KERNEL_MMAP_NAME "[kernel.kallsyms]_text"

struct uc_perf_writer {
	FILE *out;
	char *stdio_buffer;
	int error; /* the first one; 0 or negative errno */
	bool merged;
	uint64_t position; /* where the next byte goes */
	uint64_t nr_stacks, stack_bytes;
	uint64_t first_ns, last_ns; /* of samples */
	struct perf_event_attr attr;
	char *event_name;
	char **argv; /* copies */
	uint32_t argc;
	FILE *notes; /* memory stream */
	char *notes_text;
	size_t notes_size;
	size_t nr_words; /* of the record under construction, header included */
	uint64_t words[UC_PERF_RECORD_WORDS];
};

/* ---- bytes to the file ---- */

static int uc_writer_fail(struct uc_perf_writer *w, int error)
{
	if (!w->error)
		w->error = error;
	return w->error;
}

static int uc_writer_bytes(struct uc_perf_writer *w, const void *bytes, size_t size)
{
	if (w->error)
		return w->error;
	errno = 0;
	if (size && fwrite(bytes, size, 1, w->out) != 1)
		return uc_writer_fail(w, errno ? -errno : -EIO);
	w->position += size;
	return 0;
}

/* ---- records ---- */

static void uc_record_u64(struct uc_perf_writer *w, uint64_t value)
{
	w->words[w->nr_words++] = value;
}

static void uc_record_u32s(struct uc_perf_writer *w, uint32_t first, uint32_t second)
{
	uint32_t pair[2] = { first, second };

	memcpy(&w->words[w->nr_words++], pair, sizeof(pair));
}

/*
 * Frames up to the first that readers would take for a PERF_CONTEXT_* marker.
 * No code is that high; a garbage return address can be, and perf discards
 * a whole chain over it.
 */
static size_t uc_frames_before_marker(const uint64_t *frames, size_t nr)
{
	size_t i = 0;

	while (i < nr && frames[i] < UC_PERF_CONTEXT_FIRST)
		i++;
	return i;
}

static void uc_record_words(struct uc_perf_writer *w, const uint64_t *words, size_t nr)
{
	if (nr)
		memcpy(&w->words[w->nr_words], words, nr * sizeof(*words));
	w->nr_words += nr;
}

/* What follows a side-band record; UC_PERF_SIDEBAND_TYPE in the kernel's order. */
static void uc_record_trailer(struct uc_perf_writer *w, uint32_t pid, uint32_t tid,
			      uint64_t time_ns, uint32_t cpu)
{
	uc_record_u32s(w, pid, tid);
	uc_record_u64(w, time_ns);
	uc_record_u32s(w, cpu, 0);
}

static void uc_record_begin(struct uc_perf_writer *w)
{
	w->nr_words = 1;
}

static int uc_record_end(struct uc_perf_writer *w, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(w->nr_words * sizeof(uint64_t)),
	};

	memcpy(&w->words[0], &header, sizeof(header));
	return uc_writer_bytes(w, w->words, header.size);
}

static int uc_stack_record_end(struct uc_perf_writer *w, uint32_t type, uint16_t misc,
			       bool carries_stack)
{
	int ret = uc_record_end(w, type, misc);

	if (ret)
		return ret;
	w->stack_bytes += w->nr_words * sizeof(uint64_t);
	if (carries_stack)
		w->nr_stacks++;
	return 0;
}

/* Header, ip, pid and tid, time, cpu, period, and the chain's length. */
#define UC_SAMPLE_FIXED_WORDS 7
/* Header, cookie, the chain's length, the marker, the trailer. */
#define UC_DEFERRED_FIXED_WORDS 7

static size_t uc_sample_chain_words(const struct uc_perf_writer *w,
				    const struct uc_perf_sample *s)
{
	size_t nr = s->nr_kernel ? 1 + s->nr_kernel : 0;

	if (!w->merged)
		return nr + (s->cookie ? 2 : 0);
	/* A user stack that was asked for and came back empty keeps its marker. */
	return nr + (s->cookie || s->nr_user ? 1 + s->nr_user : 0);
}

static void uc_record_sample(struct uc_perf_writer *w, const struct uc_perf_sample *s)
{
	uc_record_begin(w);
	uc_record_u64(w, s->ip);
	uc_record_u32s(w, s->pid, s->tid);
	uc_record_u64(w, s->time_ns);
	uc_record_u32s(w, s->cpu, 0);
	uc_record_u64(w, s->period);
	uc_record_u64(w, uc_sample_chain_words(w, s));
	if (s->nr_kernel) {
		uc_record_u64(w, PERF_CONTEXT_KERNEL);
		uc_record_words(w, s->kernel, s->nr_kernel);
	}
	if (!w->merged && s->cookie) {
		uc_record_u64(w, UC_PERF_CONTEXT_USER_DEFERRED);
		uc_record_u64(w, s->cookie);
	} else if (w->merged && (s->cookie || s->nr_user)) {
		uc_record_u64(w, PERF_CONTEXT_USER);
		uc_record_words(w, s->user, s->nr_user);
	}
}

int uc_perf_writer_sample(struct uc_perf_writer *w, const struct uc_perf_sample *s)
{
	struct uc_perf_sample plain = *s;

	/* Each by itself first, so that the sum cannot wrap. */
	if (s->nr_kernel > UC_PERF_RECORD_WORDS || s->nr_user > UC_PERF_RECORD_WORDS ||
	    UC_SAMPLE_FIXED_WORDS + uc_sample_chain_words(w, s) > UC_PERF_RECORD_WORDS)
		return -EMSGSIZE;
	plain.nr_kernel = uc_frames_before_marker(s->kernel, s->nr_kernel);
	if (w->merged)
		plain.nr_user = uc_frames_before_marker(s->user, s->nr_user);
	uc_record_sample(w, &plain);

	if (s->time_ns && (!w->first_ns || s->time_ns < w->first_ns))
		w->first_ns = s->time_ns;
	if (s->time_ns > w->last_ns)
		w->last_ns = s->time_ns;
	return uc_stack_record_end(w, PERF_RECORD_SAMPLE,
				   s->in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
				   w->merged);
}

int uc_perf_writer_deferred(struct uc_perf_writer *w, uint64_t cookie, uint32_t pid, uint32_t tid,
			    uint32_t cpu, uint64_t time_ns, const uint64_t *user, size_t nr_user)
{
	if (w->merged)
		return -EINVAL;
	if (nr_user > UC_PERF_RECORD_WORDS - UC_DEFERRED_FIXED_WORDS)
		return -EMSGSIZE;
	nr_user = uc_frames_before_marker(user, nr_user);

	uc_record_begin(w);
	uc_record_u64(w, cookie);
	/* The kernel's own record leads with the marker and counts it. */
	uc_record_u64(w, 1 + nr_user);
	uc_record_u64(w, PERF_CONTEXT_USER);
	uc_record_words(w, user, nr_user);
	uc_record_trailer(w, pid, tid, time_ns, cpu);
	return uc_stack_record_end(w, UC_PERF_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER,
				   true);
}

int uc_perf_writer_record(struct uc_perf_writer *w, const struct perf_event_header *record)
{
	/* Readers step by the size; ours, and perf's fast path, want words. */
	if (record->size < sizeof(*record) || record->size % sizeof(uint64_t))
		return -EINVAL;
	return uc_writer_bytes(w, record, record->size);
}

uint64_t uc_perf_writer_stack_index(const struct uc_perf_writer *w)
{
	return w->nr_stacks ? w->nr_stacks - 1 : 0;
}

uint64_t uc_perf_writer_stack_bytes(const struct uc_perf_writer *w)
{
	return w->stack_bytes;
}

/* ---- the kernel's own mapping ---- */

/* Address of _text; 0 where kptr_restrict hides it or there is no such file. */
static uint64_t uc_kernel_text(void)
{
	FILE *file = fopen(UC_KALLSYMS, "re");
	char line[512], name[256];
	uint64_t addr, text = 0;

	if (!file)
		return 0;
	while (!text && fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 " %*c %255s", &addr, name) == 2 &&
		    !strcmp(name, "_text"))
			text = addr;
	fclose(file);
	return text;
}

/*
 * perf knows where the recording's kernel was from a mapping of pid -1 whose
 * name ends in the symbol that pgoff is the address of, and resolves no
 * kernel frame without it.
 */
static int uc_writer_kernel_mmap(struct uc_perf_writer *w)
{
	char name[(sizeof(UC_KERNEL_MMAP_NAME) + 7) & ~(size_t)7] = UC_KERNEL_MMAP_NAME;
	uint64_t words[sizeof(name) / sizeof(uint64_t)];
	uint64_t text = uc_kernel_text();

	if (!text)
		return 0;
	memcpy(words, name, sizeof(name));
	uc_record_begin(w);
	uc_record_u32s(w, UINT32_MAX, 0);
	uc_record_u64(w, text);
	uc_record_u64(w, UINT64_MAX - text); /* modules lie above */
	uc_record_u64(w, text);
	uc_record_words(w, words, sizeof(words) / sizeof(words[0]));
	uc_record_trailer(w, 0, 0, 0, 0);
	return uc_record_end(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
}

/* ---- header ---- */

static void uc_writer_set_attr(struct uc_perf_writer *w, const struct perf_event_attr *opened)
{
	struct perf_event_attr *attr = &w->attr;
	uint64_t flags;

	*attr = *opened;
	attr->size = UC_PERF_ATTR_SIZE;
	/* Describe the records that we write, whatever the kernel was asked for. */
	attr->sample_type = UC_PERF_SAMPLE_TYPE;
	attr->read_format = 0;
	attr->branch_sample_type = 0;
	attr->sample_regs_user = 0;
	attr->sample_regs_intr = 0;
	attr->sample_stack_user = 0;
	attr->exclude_callchain_user = 0;
	attr->exclude_callchain_kernel = 0;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->mmap = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->build_id = 1;

	/* By number: the headers that we build with may not name these two. */
	memcpy(&flags, (const char *)attr + UC_PERF_ATTR_FLAGS_OFFSET, sizeof(flags));
	flags &= ~(UC_PERF_ATTR_FLAG(UC_PERF_ATTR_DEFER_CALLCHAIN_BIT) |
		   UC_PERF_ATTR_FLAG(UC_PERF_ATTR_DEFER_OUTPUT_BIT));
	if (!w->merged)
		flags |= UC_PERF_ATTR_FLAG(UC_PERF_ATTR_DEFER_CALLCHAIN_BIT) |
			 UC_PERF_ATTR_FLAG(UC_PERF_ATTR_DEFER_OUTPUT_BIT);
	memcpy((char *)attr + UC_PERF_ATTR_FLAGS_OFFSET, &flags, sizeof(flags));
}

static struct uc_perf_header uc_writer_header(uint64_t data_size)
{
	struct uc_perf_header header = {
		.magic = UC_PERF_MAGIC,
		.size = sizeof(header),
		.attr_size = UC_PERF_ATTR_SIZE + sizeof(struct uc_perf_section),
		.attrs = { sizeof(header), UC_PERF_ATTR_SIZE + sizeof(struct uc_perf_section) },
		.data = { UC_PERF_DATA_OFFSET, data_size },
	};

	return header;
}

static int uc_writer_start(struct uc_perf_writer *w)
{
	struct uc_perf_header header = uc_writer_header(0);
	struct uc_perf_section ids = { sizeof(header), 0 };

	uc_writer_bytes(w, &header, sizeof(header));
	uc_writer_bytes(w, &w->attr, UC_PERF_ATTR_SIZE);
	uc_writer_bytes(w, &ids, sizeof(ids));
	uc_writer_kernel_mmap(w);
	/* Find out now, not after an hour, that nothing can be written here. */
	if (!w->error && fflush(w->out))
		uc_writer_fail(w, -errno);
	return w->error;
}

static int uc_writer_open(struct uc_perf_writer *w, const char *path)
{
	/* Addresses and command lines: for the owner only, as perf does it. */
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int ret;

	if (fd < 0)
		return -errno;
	if (lseek(fd, 0, SEEK_CUR) < 0) { /* the header is rewritten at the end */
		ret = -errno;
		close(fd);
		return ret;
	}
	w->out = fdopen(fd, "w");
	if (!w->out) {
		ret = -errno;
		close(fd);
		return ret;
	}
	w->stdio_buffer = malloc(UC_PERF_STDIO_BYTES);
	if (!w->stdio_buffer)
		return -ENOMEM;
	setvbuf(w->out, w->stdio_buffer, _IOFBF, UC_PERF_STDIO_BYTES);
	return 0;
}

static int uc_writer_copy_opts(struct uc_perf_writer *w, const struct uc_perf_writer_opts *opts)
{
	w->merged = opts->merged;
	w->event_name = strdup(opts->event_name ? opts->event_name : "event");
	w->notes = open_memstream(&w->notes_text, &w->notes_size);
	if (!w->event_name || !w->notes)
		return -ENOMEM;
	if (opts->argc <= 0)
		return 0;
	w->argv = calloc((size_t)opts->argc, sizeof(*w->argv));
	if (!w->argv)
		return -ENOMEM;
	for (; w->argc < (uint32_t)opts->argc; w->argc++) {
		w->argv[w->argc] = strdup(opts->argv[w->argc]);
		if (!w->argv[w->argc])
			return -ENOMEM;
	}
	return 0;
}

static int uc_writer_free(struct uc_perf_writer *w)
{
	int ret = 0;

	if (w->out && fclose(w->out))
		ret = -errno;
	if (w->notes)
		fclose(w->notes);
	for (uint32_t i = 0; i < w->argc; i++)
		free(w->argv[i]);
	free(w->argv);
	free(w->notes_text);
	free(w->event_name);
	free(w->stdio_buffer);
	free(w);
	return ret;
}

int uc_perf_writer_new(const char *path, const struct uc_perf_writer_opts *opts,
		       struct uc_perf_writer **ret)
{
	struct uc_perf_writer *w = calloc(1, sizeof(*w));
	int error;

	if (!w)
		return -ENOMEM;
	error = uc_writer_copy_opts(w, opts);
	if (!error)
		error = uc_writer_open(w, path);
	if (!error) {
		uc_writer_set_attr(w, &opts->attr);
		error = uc_writer_start(w);
	}
	if (error) {
		uc_writer_free(w);
		return error;
	}
	*ret = w;
	return 0;
}

/* ---- features ---- */

int uc_perf_writer_note(struct uc_perf_writer *w, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vfprintf(w->notes, fmt, args);
	va_end(args);
	if (ret < 0 || putc('\n', w->notes) == EOF)
		return uc_writer_fail(w, -ENOMEM);
	return 0;
}

static void uc_feature_u32(FILE *out, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void uc_feature_string(FILE *out, const char *string)
{
	static const char zeros[UC_PERF_STRING_ALIGN];
	size_t len = strnlen(string, UC_PERF_STRING_MAX);
	size_t padded = (len + UC_PERF_STRING_ALIGN) & ~(size_t)(UC_PERF_STRING_ALIGN - 1);

	uc_feature_u32(out, (uint32_t)padded);
	fwrite(string, 1, len, out);
	fwrite(zeros, 1, padded - len, out);
}

static void uc_feature_hostname(FILE *out, const struct uc_perf_writer *w)
{
	struct utsname name;

	(void)w;
	if (!uname(&name))
		uc_feature_string(out, name.nodename);
}

static void uc_feature_osrelease(FILE *out, const struct uc_perf_writer *w)
{
	struct utsname name;

	(void)w;
	if (!uname(&name))
		uc_feature_string(out, name.release);
}

static void uc_feature_version(FILE *out, const struct uc_perf_writer *w)
{
	(void)w;
	uc_feature_string(out, "uncoil " UNCOIL_VERSION);
}

static void uc_feature_arch(FILE *out, const struct uc_perf_writer *w)
{
	struct utsname name;

	(void)w;
	if (!uname(&name))
		uc_feature_string(out, name.machine);
}

static void uc_feature_nrcpus(FILE *out, const struct uc_perf_writer *w)
{
	(void)w;
	uc_feature_u32(out, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	uc_feature_u32(out, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
}

/* Nothing is written where /proc/cpuinfo has no such line, as on arm64. */
static void uc_feature_cpudesc(FILE *out, const struct uc_perf_writer *w)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512], *value;

	(void)w;
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "model name", strlen("model name")))
			continue;
		value = strchr(line, ':');
		if (!value)
			continue;
		value += strspn(value, ": ");
		value[strcspn(value, "\n")] = '\0';
		uc_feature_string(out, value);
		break;
	}
	fclose(file);
}

static void uc_feature_cmdline(FILE *out, const struct uc_perf_writer *w)
{
	if (!w->argc)
		return;
	uc_feature_u32(out, w->argc);
	for (uint32_t i = 0; i < w->argc; i++)
		uc_feature_string(out, w->argv[i]);
}

static void uc_feature_event_desc(FILE *out, const struct uc_perf_writer *w)
{
	uc_feature_u32(out, 1); /* events */
	uc_feature_u32(out, UC_PERF_ATTR_SIZE);
	fwrite(&w->attr, UC_PERF_ATTR_SIZE, 1, out);
	uc_feature_u32(out, 0); /* ids */
	uc_feature_string(out, w->event_name);
}

static void uc_feature_sample_time(FILE *out, const struct uc_perf_writer *w)
{
	fwrite(&w->first_ns, sizeof(w->first_ns), 1, out);
	fwrite(&w->last_ns, sizeof(w->last_ns), 1, out);
}

static void uc_feature_notes(FILE *out, const struct uc_perf_writer *w)
{
	fwrite(w->notes_text, 1, w->notes_size, out);
	/* Never empty: that the section is there says whose file this is. */
	putc('\n', out);
}

/* In bit order, which is that of the section table. */
static const struct {
	unsigned int bit;
	void (*write)(FILE *out, const struct uc_perf_writer *w);
} uc_features[] = {
	{ UC_PERF_FEATURE_HOSTNAME, uc_feature_hostname },
	{ UC_PERF_FEATURE_OSRELEASE, uc_feature_osrelease },
	{ UC_PERF_FEATURE_VERSION, uc_feature_version },
	{ UC_PERF_FEATURE_ARCH, uc_feature_arch },
	{ UC_PERF_FEATURE_NRCPUS, uc_feature_nrcpus },
	{ UC_PERF_FEATURE_CPUDESC, uc_feature_cpudesc },
	{ UC_PERF_FEATURE_CMDLINE, uc_feature_cmdline },
	{ UC_PERF_FEATURE_EVENT_DESC, uc_feature_event_desc },
	{ UC_PERF_FEATURE_SAMPLE_TIME, uc_feature_sample_time },
	{ UC_PERF_FEATURE_UNCOIL, uc_feature_notes },
};

#define UC_NR_FEATURES (sizeof(uc_features) / sizeof(uc_features[0]))

/* The table's entries hold positions in @out until the table's size is known. */
static size_t uc_features_format(const struct uc_perf_writer *w, FILE *out,
				 struct uc_perf_section *table, uint64_t *bits)
{
	size_t nr = 0;

	for (size_t i = 0; i < UC_NR_FEATURES; i++) {
		long from = ftell(out);

		uc_features[i].write(out, w);
		if (ftell(out) == from)
			continue;
		table[nr].offset = (uint64_t)from;
		table[nr].size = (uint64_t)(ftell(out) - from);
		nr++;
		bits[uc_features[i].bit / 64] |= 1ULL << (uc_features[i].bit % 64);
	}
	return nr;
}

static int uc_writer_features(struct uc_perf_writer *w, uint64_t *bits)
{
	struct uc_perf_section table[UC_NR_FEATURES];
	char *bytes = NULL;
	size_t size = 0, nr;
	FILE *out;
	int failed;

	if (fflush(w->notes) || ferror(w->notes))
		return uc_writer_fail(w, -ENOMEM);
	out = open_memstream(&bytes, &size);
	if (!out)
		return uc_writer_fail(w, -ENOMEM);
	nr = uc_features_format(w, out, table, bits);
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(bytes);
		return uc_writer_fail(w, -ENOMEM);
	}
	for (size_t i = 0; i < nr; i++)
		table[i].offset += w->position + nr * sizeof(table[0]);
	uc_writer_bytes(w, table, nr * sizeof(table[0]));
	uc_writer_bytes(w, bytes, size);
	free(bytes);
	return w->error;
}

static int uc_writer_finish(struct uc_perf_writer *w)
{
	struct uc_perf_header header = uc_writer_header(w->position - UC_PERF_DATA_OFFSET);
	ssize_t done;

	if (uc_writer_features(w, header.features))
		return w->error;
	if (fflush(w->out))
		return uc_writer_fail(w, -errno);
	/* Last: as long as the old header stands, what is missing shows. */
	done = pwrite(fileno(w->out), &header, sizeof(header), 0);
	if (done < 0)
		return uc_writer_fail(w, -errno);
	if (done != sizeof(header))
		return uc_writer_fail(w, -EIO);
	return 0;
}

int uc_perf_writer_close(struct uc_perf_writer *w)
{
	int error = w->error ? w->error : uc_writer_finish(w);
	int close_error = uc_writer_free(w);

	return error ? error : close_error;
}
