/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf.data on disk, as far as writer and reader share it: Linux
 * tools/perf/Documentation/perf.data-file-format.txt and util/header.h.
 * Everything is in the byte order of the machine that recorded.
 */
#ifndef UC_PERFDATA_FORMAT_H
#define UC_PERFDATA_FORMAT_H

#include <linux/perf_event.h>
#include <stdint.h>

/* "PERFILE2" as one number: a file of the other byte order shows up reversed. */
#define UC_PERF_MAGIC 0x32454c4946524550ULL
#define UC_PERF_MAGIC_SWAPPED 0x50455246494c4532ULL

struct uc_perf_section {
	uint64_t offset; /* from the start of the file */
	uint64_t size;
};

#define UC_PERF_FEATURE_BITS 256

struct uc_perf_header {
	uint64_t magic;
	uint64_t size; /* of this header; 16 in perf's pipe mode */
	uint64_t attr_size; /* of an entry of @attrs */
	struct uc_perf_section attrs; /* array of { attribute; section of its ids } */
	struct uc_perf_section data; /* the records; size 0 until the recording ended */
	struct uc_perf_section event_types; /* unused since Linux 3.6 */
	/* A struct uc_perf_section for each bit set, in bit order, follows @data. */
	uint64_t features[UC_PERF_FEATURE_BITS / 64];
};

_Static_assert(sizeof(struct uc_perf_header) == 104, "perf.data header");

#define UC_PERF_PIPE_HEADER_SIZE 16

enum uc_perf_feature {
	UC_PERF_FEATURE_HOSTNAME = 3,
	UC_PERF_FEATURE_OSRELEASE = 4,
	UC_PERF_FEATURE_VERSION = 5,
	UC_PERF_FEATURE_ARCH = 6,
	UC_PERF_FEATURE_NRCPUS = 7,
	UC_PERF_FEATURE_CPUDESC = 8,
	UC_PERF_FEATURE_CMDLINE = 11,
	UC_PERF_FEATURE_EVENT_DESC = 12,
	UC_PERF_FEATURE_SAMPLE_TIME = 21,
};

/* Records are led by a u16 size, and all of ours are made of u64. */
#define UC_PERF_RECORD_MAX 65528
#define UC_PERF_RECORD_WORDS (UC_PERF_RECORD_MAX / sizeof(uint64_t))

/* Record types from here on are made by perf, not by the kernel: no trailer. */
#define UC_PERF_RECORD_USER_START 64
#define UC_PERF_RECORD_AUXTRACE 71 /* followed by a payload that its size omits */
#define UC_PERF_RECORD_COMPRESSED 81
#define UC_PERF_RECORD_COMPRESSED2 83

/* Words of a call chain from here up are markers, not addresses. */
#define UC_PERF_CONTEXT_FIRST ((uint64_t)-4095)

/* The attribute's flag word, right after read_format; a bit-field in C, so
 * that bit numbers count from the other end on big-endian machines. */
#define UC_PERF_ATTR_FLAGS_OFFSET 40

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define UC_PERF_ATTR_FLAG(bit) (1ULL << (63 - (bit)))
#else
#define UC_PERF_ATTR_FLAG(bit) (1ULL << (bit))
#endif

/* { attribute of PERF_ATTR_SIZE_VER0 bytes; section } is the least there is. */
#define UC_PERF_ATTR_ENTRY_MIN (PERF_ATTR_SIZE_VER0 + sizeof(struct uc_perf_section))

#endif
