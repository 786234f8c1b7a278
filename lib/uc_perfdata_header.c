// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a perf.data file says of itself: header, events, features, and our own
 * section with the stops.
 */
#include "uc_perfdata_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening: header, events, features ---- */

int uc_read_header(struct uc_perf_file *f)
{
	const size_t size_without_features = offsetof(struct uc_perf_header, features);
	struct uc_perf_header *h = &f->header;
	int ret;

	if (f->size < UC_PERF_PIPE_HEADER_SIZE)
		return uc_perf_fail(f, -EINVAL, 0, "%" PRIu64 " bytes are too few for a perf.data file",
			       f->size);
	ret = uc_file_read(f, 0, h, UC_PERF_PIPE_HEADER_SIZE);
	if (ret)
		return ret;
	if (h->magic == UC_PERF_MAGIC_SWAPPED)
		return uc_perf_fail(f, -ENOTSUP, 0,
			       "recorded on a machine of the other byte order; not supported");
	if (h->magic != UC_PERF_MAGIC)
		return uc_perf_fail(f, -EINVAL, 0, "not a perf.data file: no PERFILE2 at its start");
	if (h->size == UC_PERF_PIPE_HEADER_SIZE)
		return uc_perf_fail(f, -ENOTSUP, 0,
			       "written by perf to a pipe (-o -); only seekable recordings are supported");
	if (h->size != sizeof(*h) && h->size != size_without_features)
		return uc_perf_fail(f, -EINVAL, 8, "header size %" PRIu64 " is neither %zu nor %zu",
			       h->size, sizeof(*h), size_without_features);
	if (f->size < h->size)
		return uc_perf_fail(f, -EINVAL, 0, "the file ends inside its header");
	return uc_file_read(f, 0, h, (size_t)h->size);
}

int uc_check_sections(struct uc_perf_file *f)
{
	const struct uc_perf_header *h = &f->header;

	if (!uc_section_in_file(f, &h->attrs))
		return uc_perf_fail(f, -EINVAL, offsetof(struct uc_perf_header, attrs),
			       "event attributes (%" PRIu64 " bytes at 0x%" PRIx64
			       ") reach past the end of the file (%" PRIu64 " bytes)",
			       h->attrs.size, h->attrs.offset, f->size);
	if (!uc_section_in_file(f, &h->data))
		return uc_perf_fail(f, -EINVAL, offsetof(struct uc_perf_header, data),
			       "data (%" PRIu64 " bytes at 0x%" PRIx64
			       ") reaches past the end of the file (%" PRIu64
			       " bytes): the file is cut off",
			       h->data.size, h->data.offset, f->size);
	if (h->data.offset < h->size)
		return uc_perf_fail(f, -EINVAL, offsetof(struct uc_perf_header, data),
			       "data starts inside the header");
	if (h->attr_size < UC_PERF_ATTR_ENTRY_MIN || h->attr_size > UC_PERF_RECORD_MAX)
		return uc_perf_fail(f, -EINVAL, offsetof(struct uc_perf_header, attr_size),
			       "event attributes of %" PRIu64 " bytes", h->attr_size);
	if (!h->attrs.size || h->attrs.size % h->attr_size ||
	    h->attrs.size / h->attr_size > UC_PERF_ATTRS_MAX)
		return uc_perf_fail(f, -EINVAL, offsetof(struct uc_perf_header, attrs),
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
		return uc_perf_fail(f, -EINVAL, at,
			       "event ids (%" PRIu64 " bytes at 0x%" PRIx64
			       ") reach past the end of the file (%" PRIu64 " bytes)",
			       ids->size, ids->offset, f->size);
	if (!nr)
		return 0;
	if (nr > UC_PERF_IDS_MAX - f->nr_ids)
		return uc_perf_fail(f, -EINVAL, at, "more than %d event ids", UC_PERF_IDS_MAX);
	values = calloc(nr, sizeof(*values));
	if (!values)
		return uc_perf_fail_memory(f);
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
		return uc_perf_fail(f, -EINVAL, at,
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
		return uc_perf_fail(f, -ENOTSUP, f->header.attrs.offset,
			       "%zu events of different layouts, and no id that tells them apart",
			       f->nr_layouts);
	return 0;
}

int uc_read_attrs(struct uc_perf_file *f)
{
	size_t nr = (size_t)(f->header.attrs.size / f->header.attr_size);
	int ret;

	f->layouts = calloc(nr, sizeof(*f->layouts));
	if (!f->layouts)
		return uc_perf_fail_memory(f);
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
		return uc_perf_fail(f, -EINVAL, at, "the file ends inside its table of sections");
	ret = uc_file_read(f, at, ret_section, sizeof(*ret_section));
	if (ret)
		return ret;
	if (!uc_section_in_file(f, ret_section))
		return uc_perf_fail(f, -EINVAL, at,
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
		return uc_perf_fail(f, -EINVAL, ret_section->offset,
			       "section of feature %u has %" PRIu64 " bytes, more than %zu", feature,
			       ret_section->size, max);
	bytes = malloc((size_t)ret_section->size);
	if (!bytes)
		return uc_perf_fail_memory(f);
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

int uc_read_osrelease(struct uc_perf_file *f)
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
		ret = uc_perf_fail(f, -EINVAL, section.offset, "the kernel's release has no end");
	free(bytes);
	if (!ret && !f->osrelease)
		ret = uc_perf_fail_memory(f);
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

int uc_read_event_name(struct uc_perf_file *f)
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
		ret = uc_perf_fail(f, -EINVAL, section.offset,
			      "the section of event names ends before that of event %zu",
			      f->named_event);
	} else {
		f->event_name = strdup(name);
		if (!f->event_name)
			ret = uc_perf_fail_memory(f);
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
	    !uc_note_number(&at, 10, 0xffff, &flaw) ||
	    (flaw >= UNCOIL_FLAW_COUNT && !(flaw & UNCOIL_FLAW_OF_REGISTER)) ||
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
				return uc_perf_fail(f, -EINVAL, offset + (uint64_t)(line - f->notes),
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

int uc_read_notes(struct uc_perf_file *f)
{
	struct uc_perf_section section;
	int ret = uc_find_feature(f, UC_PERF_FEATURE_UNCOIL, &section);

	if (ret || !section.size)
		return ret;
	f->ours = true;
	ret = uc_load_notes(f, &section);
	return ret ? ret : uc_parse_notes(f, section.offset);
}
