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
#include "uc_perfdata.h"
#include "uc_perfdata_format.h"
#include "uncoil/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beyond what any recorder writes; they keep a file that is mostly a hole
 * from costing what it claims to hold. */
#define UC_PERF_ATTRS_MAX 65536
#define UC_PERF_IDS_MAX (1024 * 1024)
#define UC_PERF_EVENT_DESC_MAX (64 * 1024 * 1024)
#define UC_PERF_OSRELEASE_MAX 4096
#define UC_PERF_NOTES_CHUNK (64 * 1024)

/* Bytes of the file that a window holds; at least the longest record. */
#define UC_PERF_WINDOW_SCAN (256 * 1024)
#define UC_PERF_WINDOW_JUMP (16 * 1024) /* read ahead where records are out of order */

#define UC_NO_POSITION (-1) /* of an id: records carry none */

/* The layout of one event's records. */
struct uc_layout {
	uint64_t sample_type, read_format;
	uint64_t period; /* of samples that do not carry it */
	bool sample_id_all;
	int id_position; /* of the id, in words from a sample's start */
	int id_from_end; /* of the id, in words from another record's end */
};

struct uc_event_id {
	uint64_t id;
	uint32_t layout;
};

/* The place of a record that will be delivered. */
struct uc_place {
	uint64_t offset;
	uint64_t time_ns;
};

/* The place of a deferred call chain, and whose it is. */
struct uc_chain_place {
	uint64_t cookie;
	uint64_t time_ns;
	uint64_t offset;
	uint32_t tid;
};

/* A "stop" line of the notes. */
struct uc_stop_note {
	uint64_t index; /* the stack's number, as written */
	uint64_t offset; /* the record that holds the stack; UINT64_MAX: none does */
	uint64_t addr;
	int stop, flaw;
};

/* A stretch of the file in memory. */
struct uc_window {
	uint64_t offset;
	size_t size;
	uint64_t *bytes;
	size_t cap;
};

struct uc_frames {
	size_t nr;
	uint64_t at[UC_PERF_RECORD_WORDS];
};

struct uc_perf_file {
	int fd;
	char *path;
	uint64_t size;
	struct uc_perf_header header;
	uint64_t data_end;
	bool unfinished;
	bool ours; /* has our section */
	bool deferred_form;

	struct uc_layout *layouts;
	size_t nr_layouts;
	bool uniform; /* all layouts read alike: no id needed */
	size_t named_event; /* the one that gives the recording its name */
	uint32_t named_type;
	uint64_t named_config;
	struct uc_event_id *ids;
	size_t nr_ids, cap_ids;

	struct uc_place *places;
	size_t nr_places, cap_places;
	struct uc_chain_place *chains;
	size_t nr_chains, cap_chains;
	struct uc_stop_note *stops;
	size_t nr_stops, cap_stops;

	char *event_name, *osrelease, *notes;
	uint64_t stack_bytes;

	struct uc_window window; /* records in turn */
	struct uc_window chain_window; /* the deferred chains they call for */
	struct uc_frames kernel, user; /* of the record in turn */
	struct uc_frames chain; /* of the deferred chain loaded last... */
	uint64_t chain_offset; /* ...from here; 0: none */

	char *err; /* the caller's, during a call */
	size_t err_size;
};

/* ---- errors ---- */

__attribute__((format(printf, 4, 5))) static int
uc_fail(struct uc_perf_file *f, int error, uint64_t offset, const char *fmt, ...)
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

__attribute__((format(printf, 3, 4))) static int uc_fail_whole(struct uc_perf_file *f, int error,
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

static int uc_fail_memory(struct uc_perf_file *f)
{
	return uc_fail_whole(f, -ENOMEM, "out of memory");
}

/* ---- bytes from the file ---- */

static int uc_file_read(struct uc_perf_file *f, uint64_t offset, void *ret, size_t size)
{
	char *to = ret;

	while (size) {
		ssize_t n = pread(f->fd, to, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return uc_fail(f, -errno, offset, "%s", strerror(errno));
		if (n == 0)
			return uc_fail(f, -EINVAL, offset, "the file has become shorter");
		to += n;
		offset += (size_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static bool uc_section_in_file(const struct uc_perf_file *f, const struct uc_perf_section *s)
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
			return uc_fail_memory(f);
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
		return uc_fail(f, -EINVAL, offset, "record of type %u has size %u, less than its header",
			       header->type, header->size);
	if (header->size > f->data_end - offset)
		return uc_fail(f, -EINVAL, offset,
			       "record of type %u and size %u reaches past the end of the data",
			       header->type, header->size);
	if (header->type == UC_PERF_RECORD_COMPRESSED || header->type == UC_PERF_RECORD_COMPRESSED2)
		return uc_fail(f, -ENOTSUP, offset,
			       "the records are compressed; record without -z/--compression-level");
	if (header->size % sizeof(uint64_t))
		return uc_fail(f, -EINVAL, offset, "record of type %u has size %u, not a multiple of 8",
			       header->type, header->size);
	ret = uc_window_load(f, w, offset, header->size, ahead);
	if (ret)
		return ret;
	*ret_header = (const void *)((const char *)w->bytes + (offset - w->offset));
	return 0;
}

/* Room for one more in an array that doubles; @array: address of the pointer. */
static int uc_array_room(struct uc_perf_file *f, void *array, size_t nr, size_t *cap, size_t each)
{
	size_t more = *cap ? *cap * 2 : 64;
	void *bytes;

	if (nr < *cap)
		return 0;
	memcpy(&bytes, array, sizeof(bytes));
	bytes = reallocarray(bytes, more, each);
	if (!bytes)
		return uc_fail_memory(f);
	memcpy(array, &bytes, sizeof(bytes));
	*cap = more;
	return 0;
}

/* ---- fields of records ---- */

/* Takes words off the front of a record's body. */
struct uc_cursor {
	const uint64_t *at;
	size_t left;
};

static struct uc_cursor uc_record_body(const struct perf_event_header *header)
{
	struct uc_cursor c = {
		.at = (const uint64_t *)(header + 1),
		.left = (header->size - sizeof(*header)) / sizeof(uint64_t),
	};

	return c;
}

static bool uc_take(struct uc_cursor *c, uint64_t *ret)
{
	if (!c->left)
		return false;
	*ret = *c->at++;
	c->left--;
	return true;
}

static bool uc_take_pair(struct uc_cursor *c, uint32_t *ret_first, uint32_t *ret_second)
{
	uint32_t pair[2];
	uint64_t word;

	if (!uc_take(c, &word))
		return false;
	memcpy(pair, &word, sizeof(pair));
	*ret_first = pair[0];
	*ret_second = pair[1];
	return true;
}

static bool uc_skip(struct uc_cursor *c, uint64_t nr)
{
	if (nr > c->left)
		return false;
	c->at += nr;
	c->left -= nr;
	return true;
}

/* PERF_SAMPLE_READ: what read(2) on the event gives. */
static bool uc_skip_read(struct uc_cursor *c, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	/* The value, the id, and (Linux 6.0, bit 4) the number of lost samples. */
	uint64_t value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1U << 4));
	uint64_t nr;

	if (!(format & PERF_FORMAT_GROUP))
		return uc_skip(c, times + value);
	return uc_take(c, &nr) && nr <= c->left && uc_skip(c, times + nr * value);
}

static void uc_event_init(struct uc_perf_event *ev, const struct perf_event_header *header)
{
	memset(ev, 0, sizeof(*ev));
	ev->header = header;
	ev->type = header->type;
	ev->pid = ev->tid = ev->cpu = UINT32_MAX;
}

/* The fixed part of a sample; @c is left at the call chain's first word. */
static bool uc_take_sample(const struct uc_layout *layout, struct uc_cursor *c,
			   struct uc_perf_event *ev, uint64_t *ret_nr)
{
	uint64_t type = layout->sample_type;
	uint32_t unused;

	ev->period = layout->period;
	*ret_nr = 0;
	if (type & PERF_SAMPLE_IDENTIFIER && !uc_skip(c, 1))
		return false;
	if (type & PERF_SAMPLE_IP && !uc_take(c, &ev->ip))
		return false;
	if (type & PERF_SAMPLE_TID && !uc_take_pair(c, &ev->pid, &ev->tid))
		return false;
	if (type & PERF_SAMPLE_TIME && !uc_take(c, &ev->time_ns))
		return false;
	if (!uc_skip(c, !!(type & PERF_SAMPLE_ADDR) + !!(type & PERF_SAMPLE_ID) +
				!!(type & PERF_SAMPLE_STREAM_ID)))
		return false;
	if (type & PERF_SAMPLE_CPU && !uc_take_pair(c, &ev->cpu, &unused))
		return false;
	if (type & PERF_SAMPLE_PERIOD && !uc_take(c, &ev->period))
		return false;
	if (type & PERF_SAMPLE_READ && !uc_skip_read(c, layout->read_format))
		return false;
	return !(type & PERF_SAMPLE_CALLCHAIN) || uc_take(c, ret_nr);
}

static size_t uc_trailer_words(const struct uc_layout *layout)
{
	if (!layout->sample_id_all)
		return 0;
	return (size_t)__builtin_popcountll(layout->sample_type &
					    (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
					     PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					     PERF_SAMPLE_IDENTIFIER));
}

/* Cut the trailer off the record's end, and read it. */
static bool uc_take_trailer(const struct uc_layout *layout, struct uc_cursor *c,
			    struct uc_perf_event *ev)
{
	size_t nr = uc_trailer_words(layout);
	struct uc_cursor trailer;
	uint64_t type = nr ? layout->sample_type : 0;
	uint32_t unused;

	if (nr > c->left)
		return false;
	c->left -= nr;
	trailer.at = c->at + c->left;
	trailer.left = nr;
	/* Counted above, so none of these can fail. */
	if (type & PERF_SAMPLE_TID)
		uc_take_pair(&trailer, &ev->pid, &ev->tid);
	if (type & PERF_SAMPLE_TIME)
		uc_take(&trailer, &ev->time_ns);
	uc_skip(&trailer, !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		uc_take_pair(&trailer, &ev->cpu, &unused);
	return true;
}

/* ---- which event a record belongs to ---- */

static int uc_compare_ids(const void *a, const void *b)
{
	const struct uc_event_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int uc_record_layout(struct uc_perf_file *f, const struct perf_event_header *header,
			    uint64_t offset, const struct uc_layout **ret_layout)
{
	const struct uc_layout *first = &f->layouts[0];
	struct uc_cursor c = uc_record_body(header);
	struct uc_event_id key = { 0 }, *found = NULL;
	bool sample = header->type == PERF_RECORD_SAMPLE;

	*ret_layout = first;
	if (f->uniform || (!sample && !first->sample_id_all))
		return 0;
	if (!uc_skip(&c, sample ? (uint64_t)first->id_position :
				  c.left - (uint64_t)first->id_from_end) ||
	    !uc_take(&c, &key.id))
		return uc_fail(f, -EINVAL, offset, "record of type %u ends before its event id",
			       header->type);
	/* Side-band that perf made up itself. */
	if (!sample && !key.id)
		return 0;
	if (f->nr_ids)
		found = bsearch(&key, f->ids, f->nr_ids, sizeof(key), uc_compare_ids);
	if (!found)
		return uc_fail(f, -EINVAL, offset,
			       "record of type %u has event id %" PRIu64 ", which no event has",
			       header->type, key.id);
	*ret_layout = &f->layouts[found->layout];
	return 0;
}

static int uc_fail_short(struct uc_perf_file *f, const struct perf_event_header *header,
			 uint64_t offset)
{
	return uc_fail(f, -EINVAL, offset, "record of type %u and size %u ends inside its fields",
		       header->type, header->size);
}

/* ---- decoding one record ---- */

/* Sort a call chain's words into kernel and user frames, and drop the rest. */
static int uc_split_chain(struct uc_perf_file *f, uint64_t offset, struct uc_cursor c,
			  struct uc_perf_event *ev, struct uc_frames *kernel,
			  struct uc_frames *user)
{
	/* Where no marker leads, the sample's own mode holds. */
	struct uc_frames *to = ev->in_kernel ? kernel : user;
	uint64_t word;

	while (uc_take(&c, &word)) {
		if (word < UC_PERF_CONTEXT_FIRST) {
			if (to)
				to->at[to->nr++] = word;
			continue;
		}
		switch (word) {
		case PERF_CONTEXT_KERNEL:
		case PERF_CONTEXT_HV:
			to = kernel;
			break;
		case PERF_CONTEXT_USER:
			to = user;
			ev->has_user = true;
			break;
		case UC_PERF_CONTEXT_USER_DEFERRED:
			to = user;
			/* Without deferral it may be a garbage frame pointer's word. */
			if (!uc_take(&c, &ev->cookie) && f->deferred_form)
				return uc_fail(f, -EINVAL, offset,
					       "call chain ends where a cookie is due");
			break;
		default: /* a guest's frames: not of this machine's processes */
			to = NULL;
		}
	}
	return 0;
}

static int uc_decode_sample(struct uc_perf_file *f, uint64_t offset,
			    const struct uc_layout *layout, struct uc_cursor c,
			    struct uc_perf_event *ev)
{
	uint64_t nr;
	int ret;

	if (!uc_take_sample(layout, &c, ev, &nr))
		return uc_fail_short(f, ev->header, offset);
	if (nr > c.left)
		return uc_fail(f, -EINVAL, offset,
			       "call chain of %" PRIu64 " words in a record with room for %zu", nr,
			       c.left);
	c.left = nr;
	ev->in_kernel = (ev->header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			PERF_RECORD_MISC_KERNEL;
	f->kernel.nr = f->user.nr = 0;
	/* Recorded without -g: as in perf's own output, a stack of one frame. */
	if (!(layout->sample_type & PERF_SAMPLE_CALLCHAIN) && layout->sample_type & PERF_SAMPLE_IP)
		c = (struct uc_cursor){ &ev->ip, 1 };
	ret = uc_split_chain(f, offset, c, ev, &f->kernel, &f->user);
	if (ret)
		return ret;
	ev->kernel = f->kernel.at;
	ev->nr_kernel = f->kernel.nr;
	ev->user = f->user.at;
	ev->nr_user = f->user.nr;
	ev->has_user |= ev->nr_user > 0;
	return 0;
}

/* A name that fills the rest of the record. */
static int uc_take_name(struct uc_perf_file *f, uint64_t offset, const struct uc_cursor *c,
			struct uc_perf_event *ev)
{
	if (!memchr(c->at, '\0', c->left * sizeof(uint64_t)))
		return uc_fail(f, -EINVAL, offset, "name in a record of type %u has no end",
			       ev->type);
	ev->name = (const char *)c->at;
	return 0;
}

/* The headers that we build with may be older than the name. */
#define UC_PERF_MISC_MMAP_BUILD_ID (1U << 14)

/* { u8 size, u8 pad[3], u8 id[20] } where device and inode would be. */
struct uc_mmap2_build_id {
	uint8_t size, pad[3], id[20];
};

static int uc_decode_mmap2(struct uc_perf_file *f, uint64_t offset, struct uc_cursor *c,
			   struct uc_perf_event *ev)
{
	const struct uc_mmap2_build_id *build_id = (const void *)c->at;
	uint32_t flags;

	_Static_assert(sizeof(*build_id) == 3 * sizeof(uint64_t), "mmap2 build id");
	if (!uc_skip(c, 3) || !uc_take_pair(c, &ev->prot, &flags))
		return uc_fail_short(f, ev->header, offset);
	if (!(ev->header->misc & UC_PERF_MISC_MMAP_BUILD_ID))
		return 0;
	if (build_id->size > sizeof(build_id->id))
		return uc_fail(f, -EINVAL, offset, "build id of %u bytes, more than %zu",
			       build_id->size, sizeof(build_id->id));
	ev->build_id = build_id->id;
	ev->build_id_len = build_id->size;
	return 0;
}

static int uc_decode_mmap(struct uc_perf_file *f, uint64_t offset, struct uc_cursor *c,
			  struct uc_perf_event *ev)
{
	int ret = 0;

	if (!uc_take_pair(c, &ev->pid, &ev->tid) || !uc_take(c, &ev->addr) ||
	    !uc_take(c, &ev->len) || !uc_take(c, &ev->pgoff))
		return uc_fail_short(f, ev->header, offset);
	if (ev->type == PERF_RECORD_MMAP2)
		ret = uc_decode_mmap2(f, offset, c, ev);
	else
		ev->prot = ev->header->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_EXEC;
	return ret ? ret : uc_take_name(f, offset, c, ev);
}

static int uc_decode_other(struct uc_perf_file *f, uint64_t offset,
			   const struct uc_layout *layout, struct uc_cursor c,
			   struct uc_perf_event *ev)
{
	if (!uc_take_trailer(layout, &c, ev))
		return uc_fail_short(f, ev->header, offset);
	switch (ev->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return uc_decode_mmap(f, offset, &c, ev);
	case PERF_RECORD_COMM:
		if (!uc_take_pair(&c, &ev->pid, &ev->tid))
			break;
		ev->exec = ev->header->misc & PERF_RECORD_MISC_COMM_EXEC;
		return uc_take_name(f, offset, &c, ev);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (uc_take_pair(&c, &ev->pid, &ev->ppid) && uc_take_pair(&c, &ev->tid, &ev->ptid))
			return 0;
		break;
	default:
		return 0;
	}
	return uc_fail_short(f, ev->header, offset);
}

/* @ret_chain: the frames with their markers. */
static int uc_decode_deferred(struct uc_perf_file *f, uint64_t offset,
			      const struct uc_layout *layout, struct uc_cursor c,
			      struct uc_perf_event *ev, struct uc_cursor *ret_chain)
{
	uint64_t nr;

	if (!uc_take_trailer(layout, &c, ev) || !uc_take(&c, &ev->cookie) || !uc_take(&c, &nr))
		return uc_fail_short(f, ev->header, offset);
	if (nr > c.left)
		return uc_fail(f, -EINVAL, offset,
			       "call chain of %" PRIu64 " words in a record with room for %zu", nr,
			       c.left);
	c.left = nr;
	*ret_chain = c;
	return 0;
}

/* ---- opening: header, events, features ---- */

static int uc_read_header(struct uc_perf_file *f)
{
	const size_t size_without_features = offsetof(struct uc_perf_header, features);
	struct uc_perf_header *h = &f->header;
	int ret;

	if (f->size < UC_PERF_PIPE_HEADER_SIZE)
		return uc_fail(f, -EINVAL, 0, "%" PRIu64 " bytes are too few for a perf.data file",
			       f->size);
	ret = uc_file_read(f, 0, h, UC_PERF_PIPE_HEADER_SIZE);
	if (ret)
		return ret;
	if (h->magic == UC_PERF_MAGIC_SWAPPED)
		return uc_fail(f, -ENOTSUP, 0,
			       "recorded on a machine of the other byte order; not supported");
	if (h->magic != UC_PERF_MAGIC)
		return uc_fail(f, -EINVAL, 0, "not a perf.data file: no PERFILE2 at its start");
	if (h->size == UC_PERF_PIPE_HEADER_SIZE)
		return uc_fail(f, -ENOTSUP, 0,
			       "written by perf to a pipe (-o -); only seekable recordings are supported");
	if (h->size != sizeof(*h) && h->size != size_without_features)
		return uc_fail(f, -EINVAL, 8, "header size %" PRIu64 " is neither %zu nor %zu",
			       h->size, sizeof(*h), size_without_features);
	if (f->size < h->size)
		return uc_fail(f, -EINVAL, 0, "the file ends inside its header");
	return uc_file_read(f, 0, h, (size_t)h->size);
}

static int uc_check_sections(struct uc_perf_file *f)
{
	const struct uc_perf_header *h = &f->header;

	if (!uc_section_in_file(f, &h->attrs))
		return uc_fail(f, -EINVAL, offsetof(struct uc_perf_header, attrs),
			       "event attributes (%" PRIu64 " bytes at 0x%" PRIx64
			       ") reach past the end of the file (%" PRIu64 " bytes)",
			       h->attrs.size, h->attrs.offset, f->size);
	if (!uc_section_in_file(f, &h->data))
		return uc_fail(f, -EINVAL, offsetof(struct uc_perf_header, data),
			       "data (%" PRIu64 " bytes at 0x%" PRIx64
			       ") reaches past the end of the file (%" PRIu64
			       " bytes): the file is cut off",
			       h->data.size, h->data.offset, f->size);
	if (h->data.offset < h->size)
		return uc_fail(f, -EINVAL, offsetof(struct uc_perf_header, data),
			       "data starts inside the header");
	if (h->attr_size < UC_PERF_ATTR_ENTRY_MIN || h->attr_size > UC_PERF_RECORD_MAX)
		return uc_fail(f, -EINVAL, offsetof(struct uc_perf_header, attr_size),
			       "event attributes of %" PRIu64 " bytes", h->attr_size);
	if (!h->attrs.size || h->attrs.size % h->attr_size ||
	    h->attrs.size / h->attr_size > UC_PERF_ATTRS_MAX)
		return uc_fail(f, -EINVAL, offsetof(struct uc_perf_header, attrs),
			       "%" PRIu64 " bytes hold no array of %" PRIu64
			       "-byte event attributes, or one of more than %d",
			       h->attrs.size, h->attr_size, UC_PERF_ATTRS_MAX);
	return 0;
}

/* Where the id is in a sample, and in other records; UC_NO_POSITION without. */
static void uc_layout_id_positions(struct uc_layout *l)
{
	uint64_t type = l->sample_type;

	l->id_position = l->id_from_end = UC_NO_POSITION;
	if (type & PERF_SAMPLE_IDENTIFIER) {
		l->id_position = 0;
		l->id_from_end = 1;
	} else if (type & PERF_SAMPLE_ID) {
		l->id_position = !!(type & PERF_SAMPLE_IP) + !!(type & PERF_SAMPLE_TID) +
				 !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR);
		l->id_from_end = 1 + !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_STREAM_ID);
	}
}

static int uc_read_ids(struct uc_perf_file *f, size_t layout, uint64_t at,
		       const struct uc_perf_section *ids)
{
	uint64_t nr = ids->size / sizeof(uint64_t), *values;
	int ret;

	if (!uc_section_in_file(f, ids))
		return uc_fail(f, -EINVAL, at,
			       "event ids (%" PRIu64 " bytes at 0x%" PRIx64
			       ") reach past the end of the file (%" PRIu64 " bytes)",
			       ids->size, ids->offset, f->size);
	if (!nr)
		return 0;
	if (nr > UC_PERF_IDS_MAX - f->nr_ids)
		return uc_fail(f, -EINVAL, at, "more than %d event ids", UC_PERF_IDS_MAX);
	values = calloc(nr, sizeof(*values));
	if (!values)
		return uc_fail_memory(f);
	ret = uc_file_read(f, ids->offset, values, nr * sizeof(*values));
	for (uint64_t i = 0; !ret && i < nr; i++) {
		ret = uc_array_room(f, &f->ids, f->nr_ids, &f->cap_ids, sizeof(*f->ids));
		if (!ret)
			f->ids[f->nr_ids++] = (struct uc_event_id){ values[i], (uint32_t)layout };
	}
	free(values);
	return ret;
}

static int uc_read_attr(struct uc_perf_file *f, size_t number)
{
	uint64_t at = f->header.attrs.offset + number * f->header.attr_size;
	struct uc_layout *l = &f->layouts[number];
	struct perf_event_attr attr;
	struct uc_perf_section ids;
	uint64_t flags, size;
	int ret;

	memset(&attr, 0, sizeof(attr));
	ret = uc_file_read(f, at, &attr, PERF_ATTR_SIZE_VER0);
	if (ret)
		return ret;
	size = attr.size ? attr.size : PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > f->header.attr_size - sizeof(ids))
		return uc_fail(f, -EINVAL, at,
			       "event attribute claims %" PRIu64 " bytes in an entry of %" PRIu64,
			       size, f->header.attr_size);
	ret = uc_file_read(f, at + size, &ids, sizeof(ids));
	if (ret)
		return ret;

	memcpy(&flags, (const char *)&attr + UC_PERF_ATTR_FLAGS_OFFSET, sizeof(flags));
	l->sample_type = attr.sample_type;
	l->read_format = attr.read_format;
	l->sample_id_all = attr.sample_id_all;
	l->period = attr.freq ? 1 : attr.sample_period;
	uc_layout_id_positions(l);
	if (number == 0)
		f->deferred_form = flags & UC_PERF_ATTR_FLAG(UC_PERF_ATTR_DEFER_CALLCHAIN_BIT);
	/* A recording is named for its first event that counts something. */
	if (number == 0 || (f->named_type == PERF_TYPE_SOFTWARE &&
			    f->named_config == PERF_COUNT_SW_DUMMY)) {
		f->named_event = number;
		f->named_type = attr.type;
		f->named_config = attr.config;
	}
	return uc_read_ids(f, number, at + size, &ids);
}

/* Events of several layouts are told apart by an id, at a place they share. */
static int uc_check_layouts(struct uc_perf_file *f)
{
	const struct uc_layout *first = &f->layouts[0];
	bool found = first->id_position != UC_NO_POSITION;

	f->uniform = true;
	for (size_t i = 1; i < f->nr_layouts; i++) {
		const struct uc_layout *l = &f->layouts[i];

		if (l->sample_type != first->sample_type ||
		    (l->sample_type & PERF_SAMPLE_READ && l->read_format != first->read_format) ||
		    l->sample_id_all != first->sample_id_all)
			f->uniform = false;
		if (l->id_position != first->id_position || l->id_from_end != first->id_from_end ||
		    l->sample_id_all != first->sample_id_all)
			found = false;
	}
	if (!f->uniform && !found)
		return uc_fail(f, -ENOTSUP, f->header.attrs.offset,
			       "%zu events of different layouts, and no id that tells them apart",
			       f->nr_layouts);
	return 0;
}

static int uc_read_attrs(struct uc_perf_file *f)
{
	size_t nr = (size_t)(f->header.attrs.size / f->header.attr_size);
	int ret;

	f->layouts = calloc(nr, sizeof(*f->layouts));
	if (!f->layouts)
		return uc_fail_memory(f);
	for (f->nr_layouts = 0; f->nr_layouts < nr; f->nr_layouts++) {
		ret = uc_read_attr(f, f->nr_layouts);
		if (ret)
			return ret;
	}
	if (f->nr_ids)
		qsort(f->ids, f->nr_ids, sizeof(*f->ids), uc_compare_ids);
	return uc_check_layouts(f);
}

/* The entry of @feature in the section table behind the data. */
static int uc_find_feature(struct uc_perf_file *f, unsigned int feature,
			   struct uc_perf_section *ret_section)
{
	uint64_t at = f->data_end, bit = 1ULL << (feature % 64);
	int ret;

	memset(ret_section, 0, sizeof(*ret_section));
	if (f->unfinished || !(f->header.features[feature / 64] & bit))
		return 0;
	for (unsigned int i = 0; i < feature / 64; i++)
		at += (uint64_t)__builtin_popcountll(f->header.features[i]) * sizeof(*ret_section);
	at += (uint64_t)__builtin_popcountll(f->header.features[feature / 64] & (bit - 1)) *
	      sizeof(*ret_section);
	if (at > f->size || sizeof(*ret_section) > f->size - at)
		return uc_fail(f, -EINVAL, at, "the file ends inside its table of sections");
	ret = uc_file_read(f, at, ret_section, sizeof(*ret_section));
	if (ret)
		return ret;
	if (!uc_section_in_file(f, ret_section))
		return uc_fail(f, -EINVAL, at,
			       "section of feature %u (%" PRIu64 " bytes at 0x%" PRIx64
			       ") reaches past the end of the file (%" PRIu64 " bytes)",
			       feature, ret_section->size, ret_section->offset, f->size);
	return 0;
}

/* @ret_bytes: the section in memory, or NULL if the file has none. */
static int uc_load_feature(struct uc_perf_file *f, unsigned int feature, size_t max,
			   struct uc_perf_section *ret_section, char **ret_bytes)
{
	char *bytes;
	int ret = uc_find_feature(f, feature, ret_section);

	*ret_bytes = NULL;
	if (ret || !ret_section->size)
		return ret;
	if (ret_section->size > max)
		return uc_fail(f, -EINVAL, ret_section->offset,
			       "section of feature %u has %" PRIu64 " bytes, more than %zu", feature,
			       ret_section->size, max);
	bytes = malloc((size_t)ret_section->size);
	if (!bytes)
		return uc_fail_memory(f);
	ret = uc_file_read(f, ret_section->offset, bytes, (size_t)ret_section->size);
	if (ret) {
		free(bytes);
		return ret;
	}
	*ret_bytes = bytes;
	return 0;
}

/* Takes bytes off a feature section. */
struct uc_bytes {
	const char *at;
	size_t left;
};

static bool uc_bytes_skip(struct uc_bytes *b, uint64_t nr)
{
	if (nr > b->left)
		return false;
	b->at += nr;
	b->left -= nr;
	return true;
}

static bool uc_bytes_u32(struct uc_bytes *b, uint32_t *ret)
{
	if (b->left < sizeof(*ret))
		return false;
	memcpy(ret, b->at, sizeof(*ret));
	return uc_bytes_skip(b, sizeof(*ret));
}

static bool uc_bytes_string(struct uc_bytes *b, const char **ret)
{
	const char *string;
	uint32_t len;

	if (!uc_bytes_u32(b, &len))
		return false;
	string = b->at;
	if (!uc_bytes_skip(b, len) || !memchr(string, '\0', len))
		return false;
	*ret = string;
	return true;
}

static int uc_read_osrelease(struct uc_perf_file *f)
{
	struct uc_perf_section section;
	const char *string;
	struct uc_bytes b;
	char *bytes;
	int ret = uc_load_feature(f, UC_PERF_FEATURE_OSRELEASE, UC_PERF_OSRELEASE_MAX, &section,
				  &bytes);

	if (ret || !bytes)
		return ret;
	b = (struct uc_bytes){ bytes, (size_t)section.size };
	if (uc_bytes_string(&b, &string))
		f->osrelease = strdup(string);
	else
		ret = uc_fail(f, -EINVAL, section.offset, "the kernel's release has no end");
	free(bytes);
	if (!ret && !f->osrelease)
		ret = uc_fail_memory(f);
	return ret;
}

/* Name of event number @number, or NULL if the section ends before. */
static const char *uc_event_desc_name(struct uc_bytes b, size_t number)
{
	uint32_t nr, attr_size, nr_ids;
	const char *name;

	if (!uc_bytes_u32(&b, &nr) || !uc_bytes_u32(&b, &attr_size) || number >= nr)
		return NULL;
	for (size_t i = 0;; i++) {
		if (!uc_bytes_skip(&b, attr_size) || !uc_bytes_u32(&b, &nr_ids) ||
		    !uc_bytes_string(&b, &name))
			return NULL;
		if (i == number)
			return name;
		if (!uc_bytes_skip(&b, (uint64_t)nr_ids * sizeof(uint64_t)))
			return NULL;
	}
}

/* For files without EVENT_DESC; perf's own names. */
static const char *uc_event_name_of(uint32_t type, uint64_t config)
{
	static const char *const hardware[] = { "cycles", "instructions", "cache-references",
						"cache-misses", "branches", "branch-misses" };
	static const char *const software[] = { "cpu-clock", "task-clock", "page-faults",
						"context-switches", "cpu-migrations",
						"minor-faults", "major-faults" };

	if (type == PERF_TYPE_HARDWARE && config < sizeof(hardware) / sizeof(hardware[0]))
		return hardware[config];
	if (type == PERF_TYPE_SOFTWARE && config < sizeof(software) / sizeof(software[0]))
		return software[config];
	return "event";
}

static int uc_read_event_name(struct uc_perf_file *f)
{
	struct uc_perf_section section;
	const char *name;
	char *bytes;
	int ret = uc_load_feature(f, UC_PERF_FEATURE_EVENT_DESC, UC_PERF_EVENT_DESC_MAX, &section,
				  &bytes);

	if (ret)
		return ret;
	name = uc_event_name_of(f->named_type, f->named_config);
	if (bytes)
		name = uc_event_desc_name((struct uc_bytes){ bytes, (size_t)section.size },
					  f->named_event);
	if (!name) {
		ret = uc_fail(f, -EINVAL, section.offset,
			      "the section of event names ends before that of event %zu",
			      f->named_event);
	} else {
		f->event_name = strdup(name);
		if (!f->event_name)
			ret = uc_fail_memory(f);
	}
	free(bytes);
	return ret;
}

/* ---- opening: our own section ---- */

/* Text, up to the section's end or a NUL: a hole in the file costs nothing. */
static int uc_load_notes(struct uc_perf_file *f, const struct uc_perf_section *section)
{
	size_t nr = 0, cap = 0, chunk, got;
	int ret;

	do {
		uint64_t left = section->size - nr;

		chunk = left < UC_PERF_NOTES_CHUNK ? (size_t)left : UC_PERF_NOTES_CHUNK;
		while (cap - nr < UC_PERF_NOTES_CHUNK + 1) {
			ret = uc_array_room(f, &f->notes, cap, &cap, 1);
			if (ret)
				return ret;
		}
		ret = uc_file_read(f, section->offset + nr, f->notes + nr, chunk);
		if (ret)
			return ret;
		f->notes[nr + chunk] = '\0';
		got = strlen(f->notes + nr);
		nr += got;
	} while (got == UC_PERF_NOTES_CHUNK);
	return 0;
}

/* A number that ends at a blank or the line's end. */
static bool uc_note_number(const char **at, int base, uint64_t max, uint64_t *ret)
{
	char *end;

	if (**at != ' ' || (*at)[1] < '0' || (*at)[1] > '9')
		return false;
	errno = 0;
	*ret = strtoull(*at + 1, &end, base);
	if (errno || *ret > max || (*end != ' ' && *end != '\n' && *end != '\0'))
		return false;
	*at = end;
	return true;
}

/* "stop INDEX STOP FLAW ADDR", @at behind the word. */
static bool uc_parse_stop(const char *at, struct uc_stop_note *ret)
{
	uint64_t stop, flaw;

	/* Users of the file index tables by these two. */
	if (!uc_note_number(&at, 10, UINT64_MAX, &ret->index) ||
	    !uc_note_number(&at, 10, UNCOIL_STOP_COUNT - 1, &stop) ||
	    !uc_note_number(&at, 10, UNCOIL_FLAW_COUNT - 1, &flaw) ||
	    !uc_note_number(&at, 16, UINT64_MAX, &ret->addr) || *at == ' ')
		return false;
	ret->stop = (int)stop;
	ret->flaw = (int)flaw;
	ret->offset = UINT64_MAX;
	return true;
}

static int uc_compare_stop_indices(const void *a, const void *b)
{
	const struct uc_stop_note *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

static int uc_parse_notes(struct uc_perf_file *f, uint64_t offset)
{
	const char *line = f->notes;

	while (*line) {
		const char *end = line + strcspn(line, "\n");
		int ret;

		if (!strncmp(line, "stop ", strlen("stop "))) {
			ret = uc_array_room(f, &f->stops, f->nr_stops, &f->cap_stops,
					    sizeof(*f->stops));
			if (ret)
				return ret;
			if (!uc_parse_stop(line + strlen("stop"), &f->stops[f->nr_stops]))
				return uc_fail(f, -EINVAL, offset + (uint64_t)(line - f->notes),
					       "note \"%.*s\" is malformed, or of a newer version",
					       (int)(end - line < 80 ? end - line : 80), line);
			f->nr_stops++;
		}
		line = *end ? end + 1 : end;
	}
	if (f->nr_stops)
		qsort(f->stops, f->nr_stops, sizeof(*f->stops), uc_compare_stop_indices);
	return 0;
}

static int uc_read_notes(struct uc_perf_file *f)
{
	struct uc_perf_section section;
	int ret = uc_find_feature(f, UC_PERF_FEATURE_UNCOIL, &section);

	if (ret || !section.size)
		return ret;
	f->ours = true;
	ret = uc_load_notes(f, &section);
	return ret ? ret : uc_parse_notes(f, section.offset);
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
	struct uc_cursor chain;
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
	struct uc_cursor c = uc_record_body(header);
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
		return uc_fail_short(f, header, offset);

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
	struct uc_cursor c = uc_record_body(header);
	uint64_t payload;

	*ret_step = header->size;
	if (header->type != UC_PERF_RECORD_AUXTRACE)
		return 0;
	if (!uc_take(&c, &payload))
		return uc_fail_short(f, header, offset);
	if (payload > f->data_end - offset - header->size || payload % sizeof(uint64_t))
		return uc_fail(f, -EINVAL, offset,
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
			return uc_fail(f, -EINVAL, offset, "the data ends inside a record's header");
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
		return uc_fail_whole(f, -errno, "%s", strerror(errno));
	if (fstat(f->fd, &st) < 0)
		return uc_fail_whole(f, -errno, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return uc_fail_whole(f, -EISDIR,
				     "is a directory (perf record --threads?); not supported");
	if (!S_ISREG(st.st_mode))
		return uc_fail_whole(f, -EINVAL, "is not a regular file");
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
	struct uc_cursor chain;
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
