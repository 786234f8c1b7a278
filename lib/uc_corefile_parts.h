/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An open core file, shared by the files that read it. */
#ifndef UC_COREFILE_PARTS_H
#define UC_COREFILE_PARTS_H

#include <elf.h>

#include "uc_corefile.h"

/* Above what kernels write by default (vm.max_map_count 65530) and can be told
 * to; they keep a file that is mostly a hole from costing what it claims. */
#define UC_CORE_SEGMENTS_MAX (1u << 20)
#define UC_CORE_NOTES_MAX (1u << 22)
#define UC_CORE_THREADS_MAX (1u << 20)
#define UC_CORE_NT_FILE_MAX (16u << 20) /* the kernel's own bound of the note */
#define UC_CORE_AUXV_MAX 256 /* entries */

#define UC_CORE_AUXV_REACH 16384 /* bytes from AT_RANDOM down to it */
#define UC_CORE_ARGS_MAX (1u << 20) /* arguments and environment, words */

#define UC_CORE_NO_FILE UINT32_MAX

/* PT_LOAD. */
struct uc_core_load {
	u64 start, end; /* end is exclusive */
	u64 off, len; /* bytes in the core file, from start on */
	u64 claimed; /* ... that it should have; more than len if it is truncated */
	u32 flags; /* PF_* */
};

/* An entry of NT_FILE. */
struct uc_core_named {
	u64 start, end;
	u64 off; /* of the file at start */
	const char *name;
	u32 file;
};

/* Addresses that have one source. The spans are sorted and do not overlap. */
struct uc_core_span {
	u64 start, end;
	u64 off, len; /* bytes in the core file, from start on */
	u64 claimed;
	u64 file_off; /* of the file at start */
	u32 file; /* UC_CORE_NO_FILE: none */
	u32 flags; /* PF_* */
	bool loaded; /* flags are known */
};

struct uc_core_thread {
	u64 prstatus; /* place of the note's content in the core file */
	u64 fpregs; /* 0: none */
	s32 tid;
};

struct uc_core_file {
	const char *name;
	int fd; /* -1: not open */
	u8 status; /* enum uc_corefile_status */
	bool has_head; /* its first byte is mapped, at head */
	u64 head;
};

struct uc_corefile {
	int fd;
	u64 size;
	char *sysroot;
	bool swap; /* its byte order is not the host's */
	u8 class, data; /* of e_ident */
	u16 machine;
	u8 abi; /* enum uc_abi_id */
	u64 code_mask; /* 0: the ABI's own */
	u32 nr_notes;
	u64 auxv, auxv_len; /* place in the core file */
	u64 page; /* of NT_FILE's offsets */
	u64 vdso; /* 0: none */

	struct uc_core_load *load;
	size_t nr_loads;
	char *nt_file; /* holds the names */
	u64 nt_file_len;
	struct uc_core_named *named;
	size_t nr_named;
	struct uc_core_file *file;
	size_t nr_files;
	struct uc_core_thread *thread;
	size_t nr_threads, cap_threads;
	struct uc_core_span *span;
	size_t nr_spans;

	struct uc_debugfiles *debug;
	struct uc_memory memory;
	char *err; /* of the caller, while opening */
	size_t err_size;
};

/* uc_corefile.c */
__attribute__((format(printf, 3, 4))) int uc_core_fail(struct uc_corefile *c, int rc,
						       const char *format, ...);
/* Bytes of the core file, all or nothing. 0 or -EIO. */
int uc_core_pread(const struct uc_corefile *c, u64 off, void *dst, u64 len);
u16 uc_core_u16(const struct uc_corefile *c, const void *at);
u32 uc_core_u32(const struct uc_corefile *c, const void *at);
u64 uc_core_u64(const struct uc_corefile *c, const void *at);
/* As wide as the class's addresses. */
u64 uc_core_word(const struct uc_corefile *c, const void *at);
static inline u32 uc_core_word_size(const struct uc_corefile *c)
{
	return c->class == ELFCLASS64 ? 8 : 4;
}
/* Memory, of the core file's own bytes alone. */
int uc_core_read_own(struct uc_corefile *c, u64 addr, void *dst, u32 len);
/* The span that contains addr, or NULL. */
const struct uc_core_span *uc_core_span_at(const struct uc_corefile *c, u64 addr);

/* uc_corefile_notes.c: the notes of one PT_NOTE. 0 or negative errno. */
int uc_core_notes(struct uc_corefile *c, u64 off, u64 len);
/* The files that NT_FILE names, once. */
int uc_core_name_files(struct uc_corefile *c);
bool uc_core_machine_set(struct uc_corefile *c);

/* uc_corefile_image.c: bytes of a file that the core names, if it is the one that
 * was mapped. 0 or negative errno. */
int uc_core_file_read(struct uc_corefile *c, u32 file, u64 off, void *dst, u32 len);
/* Is it the file that was mapped, as far as can be told? Settled once. */
bool uc_core_file_usable(struct uc_corefile *c, u32 file);
/* PF_* of the segment that has the file's page; 0: none. */
u32 uc_core_file_flags(struct uc_corefile *c, u32 file, u64 off);

#endif
