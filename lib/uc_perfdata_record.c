// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One record of a perf.data file: its fields by the layout of its event, its
 * call chain split into kernel and user frames. No field is read beyond the
 * record.
 */
#include "uc_perfdata_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- fields of records ---- */


struct uc_words uc_record_body(const struct perf_event_header *header)
{
	struct uc_words c = {
		.at = (const uint64_t *)(header + 1),
		.left = (header->size - sizeof(*header)) / sizeof(uint64_t),
	};

	return c;
}

bool uc_take(struct uc_words *c, uint64_t *ret)
{
	if (!c->left)
		return false;
	*ret = *c->at++;
	c->left--;
	return true;
}

static bool uc_take_pair(struct uc_words *c, uint32_t *ret_first, uint32_t *ret_second)
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

static bool uc_skip(struct uc_words *c, uint64_t nr)
{
	if (nr > c->left)
		return false;
	c->at += nr;
	c->left -= nr;
	return true;
}

/* PERF_SAMPLE_READ: what read(2) on the event gives. */
static bool uc_skip_read(struct uc_words *c, uint64_t format)
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

void uc_event_init(struct uc_perf_event *ev, const struct perf_event_header *header)
{
	memset(ev, 0, sizeof(*ev));
	ev->header = header;
	ev->type = header->type;
	ev->pid = ev->tid = ev->cpu = UINT32_MAX;
}

/* The fixed part of a sample; @c is left at the call chain's first word. */
bool uc_take_sample(const struct uc_layout *layout, struct uc_words *c,
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
bool uc_take_trailer(const struct uc_layout *layout, struct uc_words *c,
			    struct uc_perf_event *ev)
{
	size_t nr = uc_trailer_words(layout);
	struct uc_words trailer;
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

int uc_compare_ids(const void *a, const void *b)
{
	const struct uc_event_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

int uc_record_layout(struct uc_perf_file *f, const struct perf_event_header *header,
			    uint64_t offset, const struct uc_layout **ret_layout)
{
	const struct uc_layout *first = &f->layouts[0];
	struct uc_words c = uc_record_body(header);
	struct uc_event_id key = { 0 }, *found = NULL;
	bool sample = header->type == PERF_RECORD_SAMPLE;

	*ret_layout = first;
	if (f->uniform || (!sample && !first->sample_id_all))
		return 0;
	if (!uc_skip(&c, sample ? (uint64_t)first->id_position :
				  c.left - (uint64_t)first->id_from_end) ||
	    !uc_take(&c, &key.id))
		return uc_perf_fail(f, -EINVAL, offset, "record of type %u ends before its event id",
			       header->type);
	/* Side-band that perf made up itself. */
	if (!sample && !key.id)
		return 0;
	if (f->nr_ids)
		found = bsearch(&key, f->ids, f->nr_ids, sizeof(key), uc_compare_ids);
	if (!found)
		return uc_perf_fail(f, -EINVAL, offset,
			       "record of type %u has event id %" PRIu64 ", which no event has",
			       header->type, key.id);
	*ret_layout = &f->layouts[found->layout];
	return 0;
}

int uc_perf_fail_short(struct uc_perf_file *f, const struct perf_event_header *header,
			 uint64_t offset)
{
	return uc_perf_fail(f, -EINVAL, offset, "record of type %u and size %u ends inside its fields",
		       header->type, header->size);
}

/* ---- decoding one record ---- */

/* Sort a call chain's words into kernel and user frames, and drop the rest. */
int uc_split_chain(struct uc_perf_file *f, uint64_t offset, struct uc_words c,
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
				return uc_perf_fail(f, -EINVAL, offset,
					       "call chain ends where a cookie is due");
			break;
		default: /* a guest's frames: not of this machine's processes */
			to = NULL;
		}
	}
	return 0;
}

int uc_decode_sample(struct uc_perf_file *f, uint64_t offset,
			    const struct uc_layout *layout, struct uc_words c,
			    struct uc_perf_event *ev)
{
	uint64_t nr;
	int ret;

	if (!uc_take_sample(layout, &c, ev, &nr))
		return uc_perf_fail_short(f, ev->header, offset);
	if (nr > c.left)
		return uc_perf_fail(f, -EINVAL, offset,
			       "call chain of %" PRIu64 " words in a record with room for %zu", nr,
			       c.left);
	c.left = nr;
	ev->in_kernel = (ev->header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			PERF_RECORD_MISC_KERNEL;
	f->kernel.nr = f->user.nr = 0;
	/* Recorded without -g: as in perf's own output, a stack of one frame. */
	if (!(layout->sample_type & PERF_SAMPLE_CALLCHAIN) && layout->sample_type & PERF_SAMPLE_IP)
		c = (struct uc_words){ &ev->ip, 1 };
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
static int uc_take_name(struct uc_perf_file *f, uint64_t offset, const struct uc_words *c,
			struct uc_perf_event *ev)
{
	if (!memchr(c->at, '\0', c->left * sizeof(uint64_t)))
		return uc_perf_fail(f, -EINVAL, offset, "name in a record of type %u has no end",
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

static int uc_decode_mmap2(struct uc_perf_file *f, uint64_t offset, struct uc_words *c,
			   struct uc_perf_event *ev)
{
	const struct uc_mmap2_build_id *build_id = (const void *)c->at;
	uint32_t flags;

	_Static_assert(sizeof(*build_id) == 3 * sizeof(uint64_t), "mmap2 build id");
	if (!uc_skip(c, 3) || !uc_take_pair(c, &ev->prot, &flags))
		return uc_perf_fail_short(f, ev->header, offset);
	if (!(ev->header->misc & UC_PERF_MISC_MMAP_BUILD_ID))
		return 0;
	if (build_id->size > sizeof(build_id->id))
		return uc_perf_fail(f, -EINVAL, offset, "build id of %u bytes, more than %zu",
			       build_id->size, sizeof(build_id->id));
	ev->build_id = build_id->id;
	ev->build_id_len = build_id->size;
	return 0;
}

static int uc_decode_mmap(struct uc_perf_file *f, uint64_t offset, struct uc_words *c,
			  struct uc_perf_event *ev)
{
	int ret = 0;

	if (!uc_take_pair(c, &ev->pid, &ev->tid) || !uc_take(c, &ev->addr) ||
	    !uc_take(c, &ev->len) || !uc_take(c, &ev->pgoff))
		return uc_perf_fail_short(f, ev->header, offset);
	if (ev->type == PERF_RECORD_MMAP2)
		ret = uc_decode_mmap2(f, offset, c, ev);
	else
		ev->prot = ev->header->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_EXEC;
	return ret ? ret : uc_take_name(f, offset, c, ev);
}

int uc_decode_other(struct uc_perf_file *f, uint64_t offset,
			   const struct uc_layout *layout, struct uc_words c,
			   struct uc_perf_event *ev)
{
	if (!uc_take_trailer(layout, &c, ev))
		return uc_perf_fail_short(f, ev->header, offset);
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
	return uc_perf_fail_short(f, ev->header, offset);
}

/* @ret_chain: the frames with their markers. */
int uc_decode_deferred(struct uc_perf_file *f, uint64_t offset,
			      const struct uc_layout *layout, struct uc_words c,
			      struct uc_perf_event *ev, struct uc_words *ret_chain)
{
	uint64_t nr;

	if (!uc_take_trailer(layout, &c, ev) || !uc_take(&c, &ev->cookie) || !uc_take(&c, &nr))
		return uc_perf_fail_short(f, ev->header, offset);
	if (nr > c.left)
		return uc_perf_fail(f, -EINVAL, offset,
			       "call chain of %" PRIu64 " words in a record with room for %zu", nr,
			       c.left);
	c.left = nr;
	*ret_chain = c;
	return 0;
}
