/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every bound of the unwinder, in one place. */
#ifndef UC_LIMITS_H
#define UC_LIMITS_H

#define UC_FRAMES_DEFAULT 1024 /* frames a walk, unless the user says otherwise */
#define UC_FRAMES_MAX 4096
#define UC_CHUNK_FRAMES 128 /* frames in one stack event; power of two */
#define UC_KERNEL_FRAMES 127 /* kernel.perf_event_max_stack's default */

/* ELF: program headers looked at, loadable segments kept (powers of two).
 * Real files have some 15 of the first and 4 to 6 of the second. */
#define UC_PHDRS_MAX 64
#define UC_LOADS_MAX 16

/* Section bytes read at a time, and stack bytes; powers of two. A read costs
 * its call, hardly its bytes. */
#define UC_WINDOW 256
#define UC_STACK_WINDOW 512

/* A table of 2^32 rows needs 32 probes. */
#define UC_SEARCH_PROBES 33
/* Rows of a table whose order is checked before a miss is believed. */
#define UC_TABLE_ROWS 262144
/* Rows looked at before the one that a search finds, for tables whose entries
 * overlap, repeat or are empty. */
#define UC_SEARCH_BACK 8
/* Records of sections without a search table that one walk may visit: some
 * 50 ns each. */
#define UC_SCAN_RECORDS 65536
/* Addresses whose scan's result a walk keeps, for recursion; power of two. */
#define UC_SCAN_KEPT 32

/* Rows of one FDE of .sframe. */
#define UC_SFRAME_ROWS 65536

/* CFA instructions in one FDE. libcrypto's largest has some 2,000. */
#define UC_CFA_OPS 16384
#define UC_CFA_STATES 8 /* remembered states; power of two */
/* Longest LEB128 accepted, padding included; 10 bytes hold 64 bits. */
#define UC_LEB_BYTES 24

#define UC_EXPR_STACK 64 /* power of two */
#define UC_EXPR_OPS 512

/* Bytes above the initial stack pointer that an entry point may have popped:
 * ld.so started by hand removes its own arguments. */
#define UC_ENTRY_BYTES 4096
/* ... and below it, pushed for the program's first function. */
#define UC_ENTRY_PUSHES 64

/* Bytes before a pc searched for the set-up of a frame pointer. */
#define UC_PROLOGUE_BYTES 1024
/* ... and between its two halves, push and mov: the mov's own three bytes,
 * and room for a compare with a word of memory. */
#define UC_PROLOGUE_GAP 16

/* Instructions followed to a return, on all ways; pushes on one (power of two),
 * and branches on it that may go either way. */
#define UC_FOLLOW_INSNS 1024
#define UC_FOLLOW_PUSHES 16
#define UC_FOLLOW_BRANCHES 64
#define UC_INSN_PREFIXES 8 /* of one instruction; and the opcode */
#define UC_FOLLOW_SEEN 32 /* words; power of two */

/* Words of the stack looked at for the return address of a function that does
 * not return, and calls whose functions are followed from their start. */
#define UC_ENTRY_SLOTS 64
#define UC_ENTRY_CALLS 4
/* Bytes before a pc searched for its function's start, behind padding. */
#define UC_ENTRY_BACK 1024

/* Frames in one walk that may leave the stack downwards: signal frames and
 * rows that give the stack pointer a rule of its own. */
#define UC_SWITCHES_MAX 64

/* Windows that one walk may search for a section that no header names; each
 * costs some 200 ns. 8,192 of them are 2 MiB. */
#define UC_SEARCH_WINDOWS 8192
#define UC_SEARCH_CANDIDATES 64

/* Mappings of one process searched for a file's first page. */
#define UC_MAPS_MAX 65536

/* Pages that a step may find unreadable before it gives up; power of two. */
#define UC_BAD_PAGES 4
/* Page faults that one walk may take. */
#define UC_FAULTS_MAX 1024

/* Smallest user page size of the supported machines. */
#define UC_PAGE 4096ull

/* Highest address of user space: x86-64's with five-level paging. */
#define UC_USER_MAX 0x00fffffffffff000ull

#endif
