/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The core's seam in user space: types, loops, and memory through a vtable. */
#ifndef UC_PORT_H
#define UC_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define UC_STATIC_ASSERT(cond) _Static_assert(cond, #cond)
#define UC_FN
#define UC_FN_LOCAL static /* of one file; in BPF it must not be static */
#define UC_WALK struct uc_walk *w
#define UC_FOR(i, n) for ((i) = 0; (i) < (n); (i)++)

/* The target's bytes, not those of the machine that this runs on. */
#define uc_big_endian(w) ((w)->abi.big_endian)
/* The ABIs that can be met. */
#define UC_HAS_AARCH64 1
#define UC_HAS_S390X 1

struct uc_map;
struct uc_debug_fde;

/* An address space to walk in. All functions return 0, or not 0 on failure. */
struct uc_memory {
	/* Read len bytes at addr, all or nothing. */
	int (*read)(void *arg, u64 addr, void *dst, u32 len);
	/* The mapping that contains addr. */
	int (*map)(void *arg, u64 addr, struct uc_map *ret);
	/* A mapping of the same file as @of that starts with file offset 0. */
	int (*elf)(void *arg, const struct uc_map *of, struct uc_map *ret);
	void *arg;
	/* The FDE of .debug_frame that covers an address, given as the file has
	 * it, in the file of @of. May be NULL. */
	int (*debug_fde)(void *arg, const struct uc_map *of, u64 vaddr, struct uc_debug_fde *ret);
	bool is_frozen; /* its bytes never change: what was read of a CIE is kept */
};

/* Places that read() serves beside the address space's own. */
struct uc_debug_fde {
	u64 lo, hi; /* the section */
	u64 fde;
};

struct uc_port_state {
	const struct uc_memory *mem;
};

#define uc_port_read(w, dst, len, addr) \
	((w)->port.mem->read((w)->port.mem->arg, (addr), (dst), (len)))
#define uc_port_is_frozen(w) ((w)->port.mem->is_frozen)
/* As uc_port_read, with a length that is not constant; at most max. */
#define uc_port_read_window(w, dst, len, addr, max) uc_port_read(w, dst, len, addr)

#endif
