// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading perf.data, ours and perf's.
 *
 * The file is foreign: no size, offset, count or string in it is believed
 * before it is checked against what holds it. It is read with pread and not
 * mapped, because a mapping of a file that somebody truncates kills the
 * reader.
 *
 * Two passes. Opening steps through all records once and keeps of each its
 * place and time, of a deferred call chain its thread and cookie, too.
 * uc_perf_file_each() goes through that index by time and reads the records
 * again, each sample together with the deferred chain that belongs to it.
 * So memory is bounded by the number of records, not by their size.
 */
#include "uc_perfdata_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- errors ---- */

int
uc_perf_fail(struct uc_perf_file *f, int error, uint64_t offset, const char *fmt, ...)
{
	va_list args;
	int len;

	if (!f->err_size)
		return error;
	len = snprintf(f->err, f->err_size, "%s: offset 0x%" PRIx64 ": ", f->path, offset);
	if (len < 0 || (size_t)len >= f->err_size)
		return error;
	va_start(args, fmt);
	vsnprintf(f->err + len, f->err_size - (size_t)len, fmt, args);
	va_end(args);
	return error;
}

__attribute__((format(printf, 3, 4))) static int uc_perf_fail_whole(struct uc_perf_file *f, int error,
								const char *fmt, ...)
{
	va_list args;
	int len;

	if (!f->err_size)
		return error;
	len = snprintf(f->err, f->err_size, "%s: ", f->path);
	if (len < 0 || (size_t)len >= f->err_size)
		return error;
	va_start(args, fmt);
	vsnprintf(f->err + len, f->err_size - (size_t)len, fmt, args);
	va_end(args);
	return error;
}

int uc_perf_fail_memory(struct uc_perf_file *f)
{
	return uc_perf_fail_whole(f, -ENOMEM, "out of memory");
}

/* ---- bytes from the file ---- */

int uc_file_read(struct uc_perf_file *f, uint64_t offset, void *ret, size_t size)
{
	char *to = ret;

	while (size) {
		ssize_t n = pread(f->fd, to, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return uc_perf_fail(f, -errno, offset, "%s", strerror(errno));
		if (n == 0)
			return uc_perf_fail(f, -EINVAL, offset, "the file has become shorter");
		to += n;
		offset += (size_t)n;
		size -= (size_t)n;
	}
	return 0;
}

bool uc_section_in_file(const struct uc_perf_file *f, const struct uc_perf_section *s)
{
	return s->offset <= f->size && s->size <= f->size - s->offset;
}

/* Make [@offset, @offset + @need) part of @w, reading ahead up to @ahead. */
static int uc_window_load(struct uc_perf_file *f, struct uc_window *w, uint64_t offset,
			  size_t need, size_t ahead)
{
	size_t size = ahead;
	int ret;

	if (offset >= w->offset && offset - w->offset <= w->size &&
	    need <= w->size - (offset - w->offset))
		return 0;
	if (size < need)
		size = need;
	if (size > f->data_end - offset)
		size = (size_t)(f->data_end - offset);
	if (size > w->cap) {
		free(w->bytes);
		w->size = w->cap = 0;
		w->bytes = malloc(size);
		if (!w->bytes)
			return uc_perf_fail_memory(f);
		w->cap = size;
	}
	w->size = 0;
	ret = uc_file_read(f, offset, w->bytes, size);
	if (ret)
		return ret;
	w->offset = offset;
	w->size = size;
	return 0;
}

/*
 * The record at @offset, whole and aligned: windows start at records, and
 * records are made of words. The caller knows that a header fits before
 * the data's end.
 */
static int uc_record_load(struct uc_perf_file *f, struct uc_window *w, uint64_t offset,
			  size_t ahead, const struct perf_event_header **ret_header)
{
	const struct perf_event_header *header;
	int ret = uc_window_load(f, w, offset, sizeof(*header), ahead);

	if (ret)
		return ret;
	header = (const void *)((const char *)w->bytes + (offset - w->offset));
	if (header->size < sizeof(*header))
		return uc_perf_fail(f, -EINVAL, offset, "record of type %u has size %u, less than its header",
			       header->type, header->size);
	if (header->size > f->data_end - offset)
		return uc_perf_fail(f, -EINVAL, offset,
			       "record of type %u and size %u reaches past the end of the data",
			       header->type, header->size);
	if (header->type == UC_PERF_RECORD_COMPRESSED || header->type == UC_PERF_RECORD_COMPRESSED2)
		return uc_perf_fail(f, -ENOTSUP, offset,
			       "the records are compressed; record without -z/--compression-level");
	if (header->size % sizeof(uint64_t))
		return uc_perf_fail(f, -EINVAL, offset, "record of type %u has size %u, not a multiple of 8",
			       header->type, header->size);
	ret = uc_window_load(f, w, offset, header->size, ahead);
	if (ret)
		return ret;
	*ret_header = (const void *)((const char *)w->bytes + (offset - w->offset));
	return 0;
}

/* Room for one more in an array that doubles; @array: address of the pointer. */
int uc_array_room(struct uc_perf_file *f, void *array, size_t nr, size_t *cap, size_t each)
{
	size_t more = *cap ? *cap * 2 : 64;
	void *bytes;

	if (nr < *cap)
		return 0;
	memcpy(&bytes, array, sizeof(bytes));
	bytes = reallocarray(bytes, more, each);
	if (!bytes)
		return uc_perf_fail_memory(f);
	memcpy(array, &bytes, sizeof(bytes));
	*cap = more;
	return 0;
}

/* ---- opening: the index of records ---- */

/* State of the pass through the file. */
struct uc_scan {
	uint64_t previous_ns;
	uint64_t nr_stacks;
	size_t next_stop; /* of f->stops, whose stack has not come yet */
	bool sorted;
};

/* Remember which record holds the stack that a note speaks of. */
static void uc_scan_stack(struct uc_perf_file *f, struct uc_scan *scan, uint64_t offset)
{
	for (; scan->next_stop < f->nr_stops &&
	       f->stops[scan->next_stop].index == scan->nr_stacks;
	     scan->next_stop++)
		f->stops[scan->next_stop].offset = offset;
	scan->nr_stacks++;
}

/* Records without a time keep their place behind the one before them. */
static uint64_t uc_scan_time(struct uc_scan *scan, uint64_t time_ns)
{
	if (time_ns && time_ns != UINT64_MAX)
		scan->previous_ns = time_ns;
	return scan->previous_ns;
}

static int uc_scan_deferred(struct uc_perf_file *f, struct uc_scan *scan, uint64_t offset,
			    const struct uc_layout *layout, struct uc_perf_event *ev)
{
	struct uc_words chain;
	int ret = uc_decode_deferred(f, offset, layout, uc_record_body(ev->header), ev, &chain);

	if (!ret)
		ret = uc_array_room(f, &f->chains, f->nr_chains, &f->cap_chains,
				    sizeof(*f->chains));
	if (ret)
		return ret;
	f->chains[f->nr_chains++] = (struct uc_chain_place){
		.cookie = ev->cookie,
		.time_ns = uc_scan_time(scan, ev->time_ns),
		.offset = offset,
		.tid = ev->tid,
	};
	f->stack_bytes += ev->header->size;
	if (f->deferred_form)
		uc_scan_stack(f, scan, offset);
	return 0;
}

static int uc_scan_record(struct uc_perf_file *f, struct uc_scan *scan, uint64_t offset,
			  const struct perf_event_header *header)
{
	struct uc_words c = uc_record_body(header);
	const struct uc_layout *layout;
	struct uc_perf_event ev;
	struct uc_place place = { .offset = offset };
	uint64_t nr;
	bool fits;
	int ret = uc_record_layout(f, header, offset, &layout);

	if (ret)
		return ret;
	uc_event_init(&ev, header);
	if (header->type == UC_PERF_RECORD_CALLCHAIN_DEFERRED)
		return uc_scan_deferred(f, scan, offset, layout, &ev);
	if (header->type == PERF_RECORD_SAMPLE) {
		fits = uc_take_sample(layout, &c, &ev, &nr);
		f->stack_bytes += header->size;
		if (!f->deferred_form)
			uc_scan_stack(f, scan, offset);
	} else {
		fits = uc_take_trailer(layout, &c, &ev);
	}
	if (!fits)
		return uc_perf_fail_short(f, header, offset);

	ret = uc_array_room(f, &f->places, f->nr_places, &f->cap_places, sizeof(*f->places));
	if (ret)
		return ret;
	place.time_ns = uc_scan_time(scan, ev.time_ns);
	if (f->nr_places && place.time_ns < f->places[f->nr_places - 1].time_ns)
		scan->sorted = false;
	f->places[f->nr_places++] = place;
	return 0;
}

/* Bytes from a record to the next. */
static int uc_record_step(struct uc_perf_file *f, uint64_t offset,
			  const struct perf_event_header *header, uint64_t *ret_step)
{
	struct uc_words c = uc_record_body(header);
	uint64_t payload;

	*ret_step = header->size;
	if (header->type != UC_PERF_RECORD_AUXTRACE)
		return 0;
	if (!uc_take(&c, &payload))
		return uc_perf_fail_short(f, header, offset);
	if (payload > f->data_end - offset - header->size || payload % sizeof(uint64_t))
		return uc_perf_fail(f, -EINVAL, offset,
			       "trace data of %" PRIu64 " bytes reaches past the end of the data",
			       payload);
	*ret_step += payload;
	return 0;
}

/* Of a recording that was killed, the last record may be cut, or a hole. */
static bool uc_scan_ends_here(const struct uc_perf_file *f, uint64_t offset)
{
	struct perf_event_header header;

	if (!f->unfinished)
		return false;
	if (f->data_end - offset < sizeof(header) ||
	    pread(f->fd, &header, sizeof(header), (off_t)offset) != sizeof(header))
		return true;
	return header.size < sizeof(header) || header.size > f->data_end - offset;
}

static int uc_scan_data(struct uc_perf_file *f, struct uc_scan *scan)
{
	const struct perf_event_header *header;
	uint64_t offset = f->header.data.offset, step;
	int ret;

	for (; offset < f->data_end; offset += step) {
		if (uc_scan_ends_here(f, offset)) {
			f->data_end = offset;
			break;
		}
		if (f->data_end - offset < sizeof(*header))
			return uc_perf_fail(f, -EINVAL, offset, "the data ends inside a record's header");
		ret = uc_record_load(f, &f->window, offset, UC_PERF_WINDOW_SCAN, &header);
		if (!ret)
			ret = uc_record_step(f, offset, header, &step);
		/* perf's own records (rounds, indices, ...) say nothing to us. */
		if (!ret && header->type < UC_PERF_RECORD_USER_START)
			ret = uc_scan_record(f, scan, offset, header);
		if (ret)
			return ret;
	}
	return 0;
}

static int uc_compare_places(const void *a, const void *b)
{
	const struct uc_place *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int uc_compare_chains(const void *a, const void *b)
{
	const struct uc_chain_place *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int uc_build_index(struct uc_perf_file *f)
{
	struct uc_scan scan = { .sorted = true };
	int ret = uc_scan_data(f, &scan);

	if (ret)
		return ret;
	if (!scan.sorted)
		qsort(f->places, f->nr_places, sizeof(*f->places), uc_compare_places);
	if (f->nr_chains)
		qsort(f->chains, f->nr_chains, sizeof(*f->chains), uc_compare_chains);
	return 0;
}

/* ---- opening ---- */

/*
 * A header that was never finalised has data size 0, as has a finished
 * recording without records: there the table of sections follows at once.
 * perf sets its feature bits at the start, so they do not tell; records
 * taken for the table's first entry point far outside the file.
 */
static int uc_set_data_end(struct uc_perf_file *f)
{
	struct uc_perf_section first;
	uint64_t nr_features = 0, data = f->header.data.offset;
	int ret;

	f->data_end = data + f->header.data.size;
	if (f->header.data.size || f->size == data)
		return 0;
	for (size_t i = 0; i < UC_PERF_FEATURE_BITS / 64; i++)
		nr_features += (uint64_t)__builtin_popcountll(f->header.features[i]);
	if (nr_features && f->size - data >= sizeof(first)) {
		ret = uc_file_read(f, data, &first, sizeof(first));
		if (ret)
			return ret;
		if (first.offset == data + nr_features * sizeof(first) &&
		    uc_section_in_file(f, &first))
			return 0;
	}
	f->unfinished = true;
	f->data_end = f->size;
	return 0;
}

static int uc_open_fd(struct uc_perf_file *f)
{
	struct stat st;

	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no waiting for a FIFO */
	if (f->fd < 0)
		return uc_perf_fail_whole(f, -errno, "%s", strerror(errno));
	if (fstat(f->fd, &st) < 0)
		return uc_perf_fail_whole(f, -errno, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return uc_perf_fail_whole(f, -EISDIR,
				     "is a directory (perf record --threads?); not supported");
	if (!S_ISREG(st.st_mode))
		return uc_perf_fail_whole(f, -EINVAL, "is not a regular file");
	f->size = (uint64_t)st.st_size;
	return 0;
}

static int uc_open_contents(struct uc_perf_file *f)
{
	static int (*const steps[])(struct uc_perf_file *f) = {
		uc_open_fd,	    uc_read_header,    uc_check_sections, uc_set_data_end,
		uc_read_attrs,	    uc_read_osrelease, uc_read_event_name, uc_read_notes,
		uc_build_index,
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(steps) / sizeof(steps[0]); i++)
		ret = steps[i](f);
	return ret;
}

int uc_perf_file_open(const char *path, struct uc_perf_file **ret, char *err, size_t err_size)
{
	struct uc_perf_file *f = calloc(1, sizeof(*f));
	int error;

	if (f)
		f->path = strdup(path);
	if (!f || !f->path) {
		if (err_size)
			snprintf(err, err_size, "%s: out of memory", path);
		free(f);
		return -ENOMEM;
	}
	f->fd = -1;
	f->err = err;
	f->err_size = err_size;
	error = uc_open_contents(f);
	f->err_size = 0;
	if (error) {
		uc_perf_file_close(f);
		return error;
	}
	*ret = f;
	return 0;
}

void uc_perf_file_close(struct uc_perf_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f->window.bytes);
	free(f->chain_window.bytes);
	free(f->layouts);
	free(f->ids);
	free(f->places);
	free(f->chains);
	free(f->stops);
	free(f->event_name);
	free(f->osrelease);
	free(f->notes);
	free(f->path);
	free(f);
}

/* ---- delivering ---- */

/* The chain that answers @ev: same thread, same cookie, and the first that is
 * not older; clocks that disagree get the nearest one before. */
static const struct uc_chain_place *uc_find_chain(const struct uc_perf_file *f,
						  const struct uc_perf_event *ev)
{
	struct uc_chain_place key = {
		.cookie = ev->cookie, .time_ns = ev->time_ns, .tid = ev->tid
	};
	size_t low = 0, high = f->nr_chains;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (uc_compare_chains(&f->chains[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < f->nr_chains && f->chains[low].tid == ev->tid &&
	    f->chains[low].cookie == ev->cookie)
		return &f->chains[low];
	if (low > 0 && f->chains[low - 1].tid == ev->tid &&
	    f->chains[low - 1].cookie == ev->cookie)
		return &f->chains[low - 1];
	return NULL;
}

/* Into f->chain, unless it is there from the sample before. */
static int uc_load_chain(struct uc_perf_file *f, uint64_t offset)
{
	const struct perf_event_header *header;
	const struct uc_layout *layout;
	struct uc_perf_event ev;
	struct uc_words chain;
	int ret;

	if (f->chain_offset == offset)
		return 0;
	f->chain_offset = 0;
	ret = uc_record_load(f, &f->chain_window, offset, UC_PERF_WINDOW_JUMP, &header);
	if (!ret)
		ret = uc_record_layout(f, header, offset, &layout);
	if (ret)
		return ret;
	uc_event_init(&ev, header);
	ret = uc_decode_deferred(f, offset, layout, uc_record_body(header), &ev, &chain);
	if (ret)
		return ret;
	f->chain.nr = 0;
	ret = uc_split_chain(f, offset, chain, &ev, NULL, &f->chain);
	if (!ret)
		f->chain_offset = offset;
	return ret;
}

/* @offset: the record that holds the stack. */
static void uc_set_stop(const struct uc_perf_file *f, uint64_t offset, struct uc_perf_event *ev)
{
	size_t low = 0, high = f->nr_stops;

	/* Sorted by index, hence by the record's place, too. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->stops[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < f->nr_stops && f->stops[low].offset == offset) {
		ev->has_user = true; /* though it may have no frames */
		ev->stop = f->stops[low].stop;
		ev->flaw = f->stops[low].flaw;
		ev->stop_addr = f->stops[low].addr;
	} else if (f->ours && ev->has_user) {
		ev->stop = UNCOIL_STOP_OUTERMOST;
	}
}

static int uc_stitch(struct uc_perf_file *f, uint64_t offset, struct uc_perf_event *ev)
{
	const struct uc_chain_place *chain = ev->cookie ? uc_find_chain(f, ev) : NULL;
	int ret;

	if (!chain) {
		if (!f->deferred_form)
			uc_set_stop(f, offset, ev);
		return 0;
	}
	ret = uc_load_chain(f, chain->offset);
	if (ret)
		return ret;
	ev->user = f->chain.at;
	ev->nr_user = f->chain.nr;
	ev->has_user = true;
	if (f->deferred_form)
		uc_set_stop(f, chain->offset, ev);
	return 0;
}

static int uc_decode(struct uc_perf_file *f, const struct uc_place *place,
		     struct uc_perf_event *ev)
{
	const struct perf_event_header *header;
	const struct uc_layout *layout;
	int ret = uc_record_load(f, &f->window, place->offset, UC_PERF_WINDOW_JUMP, &header);

	if (!ret)
		ret = uc_record_layout(f, header, place->offset, &layout);
	if (ret)
		return ret;
	uc_event_init(ev, header);
	if (header->type != PERF_RECORD_SAMPLE)
		ret = uc_decode_other(f, place->offset, layout, uc_record_body(header), ev);
	else
		ret = uc_decode_sample(f, place->offset, layout, uc_record_body(header), ev);
	if (ret)
		return ret;
	ev->time_ns = place->time_ns;
	return header->type == PERF_RECORD_SAMPLE ? uc_stitch(f, place->offset, ev) : 0;
}

int uc_perf_file_each(struct uc_perf_file *f, int (*fn)(const struct uc_perf_event *ev, void *arg),
		      void *arg, char *err, size_t err_size)
{
	struct uc_perf_event ev;
	int ret = 0;

	f->err = err;
	f->err_size = err_size;
	for (size_t i = 0; !ret && i < f->nr_places; i++) {
		ret = uc_decode(f, &f->places[i], &ev);
		if (!ret)
			ret = fn(&ev, arg);
	}
	f->err_size = 0;
	return ret;
}

const char *uc_perf_file_event_name(const struct uc_perf_file *f)
{
	return f->event_name;
}

const char *uc_perf_file_osrelease(const struct uc_perf_file *f)
{
	return f->osrelease;
}

const char *uc_perf_file_notes(const struct uc_perf_file *f)
{
	return f->notes ? f->notes : "";
}

uint64_t uc_perf_file_stack_bytes(const struct uc_perf_file *f)
{
	return f->stack_bytes;
}

bool uc_perf_file_unfinished(const struct uc_perf_file *f)
{
	return f->unfinished;
}
