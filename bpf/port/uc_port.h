/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The core's seam in BPF: types, loops, user memory.
 *
 * A UC_FN becomes a global function, which the verifier checks once and on
 * its own: with static ones the core is beyond its limit of a million
 * instructions. All that is not UC_FN must be inlined for the same reason.
 */
#ifndef UC_PORT_H
#define UC_PORT_H

#include "uc_kernel.h"

#include <bpf/bpf_helpers.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define UC_STATIC_ASSERT(cond) _Static_assert(cond, #cond)
#define inline __inline__ __attribute__((always_inline))
#define UC_FN __attribute__((noinline))
#define UC_FN_LOCAL UC_FN
#define UC_WALK struct uc_walk *w __attribute__((btf_decl_tag("arg:nonnull")))

#define uc_big_endian(w) ((void)(w), __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
/* The ABIs that a task can have on this machine, beside x86's. */
#define UC_HAS_AARCH64 0
#define UC_HAS_S390X 0

/* Only a file has .debug_frame; a process has not mapped it. */
#define uc_port_debug_fde(w, pc) ((void)(w), (void)(pc), UNCOIL_STOP_NO_SECTION)

#define memcpy __builtin_memcpy
#define memset __builtin_memset

/* An open-coded iterator: the verifier looks at the loop's body until states
 * repeat, not once for each turn. */
#define UC_FOR(i, n)                                                              \
	for (struct bpf_iter_num uc_it_ __attribute__((cleanup(bpf_iter_num_destroy))), \
	     *uc_unused_ __attribute__((unused)) =                                    \
		     (bpf_iter_num_new(&uc_it_, 0, (n)), (void)bpf_iter_num_destroy,      \
		      (struct bpf_iter_num *)0);                                          \
	     ({                                                                       \
		     int *uc_next_ = bpf_iter_num_next(&uc_it_);                          \
		     if (uc_next_)                                                        \
			     (i) = (u32)*uc_next_;                                            \
		     uc_next_;                                                            \
	     });)

struct uc_port_state {
	u64 mm_seq; /* changes with the process's mappings */
	u64 mm; /* address space that was asked for */
};

#define uc_port_read(w, dst, len, addr) \
	((void)(w), bpf_probe_read_user((dst), (len), (const void *)(addr)))

/* A process can change what its memory holds at any time. */
#define uc_port_is_frozen(w) ((void)(w), 0)

/* The compiler may know that len is in range; the verifier must, too. */
#define uc_port_read_window(w, dst, len, addr, max)                  \
	({                                                               \
		u64 uc_len_ = (len);                                         \
		asm volatile("" : "+r"(uc_len_));                            \
		uc_len_ > (max) ? -1 : uc_port_read(w, dst, (u32)uc_len_, addr); \
	})

#endif
