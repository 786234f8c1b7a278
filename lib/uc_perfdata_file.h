/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An open perf.data file, shared by the files that read it. */
#ifndef UC_PERFDATA_FILE_H
#define UC_PERFDATA_FILE_H

#include "uc_perfdata.h"
#include "uc_perfdata_format.h"
#include "uncoil/stop.h"

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

	struct uc_window window;       /* records in turn */
	struct uc_window chain_window; /* the deferred chains they call for */
	struct uc_frames kernel, user; /* of the record in turn */
	struct uc_frames chain;	       /* of the deferred chain loaded last... */
	uint64_t chain_offset;	       /* ...from here; 0: none */

	char *err; /* the caller's, during a call */
	size_t err_size;
};

/* Takes words off the front of a record's body. */
struct uc_words {
	const uint64_t *at;
	size_t left;
};

/* uc_perfdata_record.c */
struct uc_words uc_record_body(const struct perf_event_header *header);
bool uc_take(struct uc_words *c, uint64_t *ret);
void uc_event_init(struct uc_perf_event *ev, const struct perf_event_header *header);
bool uc_take_sample(const struct uc_layout *layout, struct uc_words *c, struct uc_perf_event *ev,
		    uint64_t *ret_nr);
bool uc_take_trailer(const struct uc_layout *layout, struct uc_words *c, struct uc_perf_event *ev);
int uc_compare_ids(const void *a, const void *b);
int uc_record_layout(struct uc_perf_file *f, const struct perf_event_header *header,
		     uint64_t offset, const struct uc_layout **ret_layout);
int uc_perf_fail_short(struct uc_perf_file *f, const struct perf_event_header *header,
		       uint64_t offset);
int uc_split_chain(struct uc_perf_file *f, uint64_t offset, struct uc_words c,
		   struct uc_perf_event *ev, struct uc_frames *kernel, struct uc_frames *user);
int uc_decode_sample(struct uc_perf_file *f, uint64_t offset, const struct uc_layout *layout,
		     struct uc_words c, struct uc_perf_event *ev);
int uc_decode_other(struct uc_perf_file *f, uint64_t offset, const struct uc_layout *layout,
		    struct uc_words c, struct uc_perf_event *ev);
int uc_decode_deferred(struct uc_perf_file *f, uint64_t offset, const struct uc_layout *layout,
		       struct uc_words c, struct uc_perf_event *ev, struct uc_words *ret_chain);

/* uc_perfdata_header.c */
int uc_read_header(struct uc_perf_file *f);
int uc_check_sections(struct uc_perf_file *f);
int uc_read_attrs(struct uc_perf_file *f);
int uc_read_osrelease(struct uc_perf_file *f);
int uc_read_event_name(struct uc_perf_file *f);
int uc_read_notes(struct uc_perf_file *f);

/* uc_perfdata_read.c: say what is wrong with the file, and where; returns error */
int uc_perf_fail(struct uc_perf_file *f, int error, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int uc_perf_fail_memory(struct uc_perf_file *f);
int uc_file_read(struct uc_perf_file *f, uint64_t offset, void *ret, size_t size);
bool uc_section_in_file(const struct uc_perf_file *f, const struct uc_perf_section *s);
int uc_array_room(struct uc_perf_file *f, void *array, size_t nr, size_t *cap, size_t each);

#endif
