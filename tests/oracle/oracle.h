/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* oracle.h - plug-in ABI and record format of the single-step oracle.
 *
 * Truth model: at every machine instruction the oracle knows the exact list of
 * (return address, address of the stack slot that holds it), kept by watching
 * every executed call/ret and the stack pointer.  CFA of frame i = slot_i + 8.
 *
 * Register arrays use the DWARF x86-64 numbering:
 *   0 rax 1 rdx 2 rcx 3 rbx 4 rsi 5 rdi 6 rbp 7 rsp 8..15 r8..r15 16 rip
 */
#ifndef ORACLE_H
#define ORACLE_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OR_NREG 17
#define OR_MAXF 512

/* ---- plug-in ABI: a shared object that exports or_unwind (and or_init) ---- */
struct or_ctx {
  pid_t pid;          /* traced, stopped process; 0 when judging offline      */
  unsigned maps_gen;  /* changes whenever the mappings may have changed       */
  const char *maps;   /* text of /proc/PID/maps for this maps_gen             */
  /* reads memory (stack, and file-backed text); returns bytes read or 0      */
  size_t (*read)(struct or_ctx *, uint64_t addr, void *buf, size_t len);
  void *priv;         /* belongs to the caller                                */
  void *user;         /* belongs to the plug-in                               */
  uint64_t entry_sp;  /* stack pointer at exec; 0 when judging offline        */
};
/* pc[0] must be the current pc; cfa[] may be left 0.  Returns frame count.   */
typedef int or_unwind_fn(struct or_ctx *, const uint64_t regs[OR_NREG],
                         uint64_t *pc, uint64_t *cfa, int max);

/* optional: a plug-in that reports return address - 1 exports
   int or_pc_minus_one = 1;  both forms are then accepted                      */

/* ---- record file: a sequence of little-endian (type, length) blocks ------- */
enum {
  OR_B_MAPS = 1,   /* text of /proc/PID/maps                                  */
  OR_B_CHUNK = 2,  /* u64 addr, bytes: memory that changed since last record  */
  OR_B_STEP = 3,   /* struct or_step, then n x {u64 ret, u64 slot}, innermost
                      first                                                   */
};
struct or_blk { uint32_t type, len; };
struct or_step {
  uint64_t index;           /* instruction number since exec                  */
  uint64_t regs[OR_NREG];   /* before the instruction at regs[16] executes    */
  uint32_t n;               /* depth of the true list                         */
  uint32_t flags;           /* bit 0: first visit of this pc                  */
};
struct or_true { uint64_t ret, slot; };
#endif
