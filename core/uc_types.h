/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwinder's data: registers, mappings, modules, rows, and the state of a
 * walk. All of a walk's state lives in one struct uc_walk that the caller
 * provides: BPF has 512 bytes of stack, and a step that met a page fault must
 * be able to start again.
 */
#ifndef UC_TYPES_H
#define UC_TYPES_H

#include "uc_port.h"

#include "uc_limits.h"
#include "uncoil/stop.h"

/*
 * Core functions return 0, an enum uncoil_stop (> 0), or UC_FAULT: memory at
 * walk->fault_addr is not present. The caller brings it in and steps again,
 * or says uc_walk_page_is_bad() first.
 */
#define UC_FAULT (-1)

/* uc_walk.bare: the row is the frame pointer's. */
#define UC_BARE_FP 2

/* Arrays indexed by a register number have room for any 5-bit number, so that
 * an index can be masked instead of checked. */
#define UC_REG_SLOTS 32
#define UC_REG_MASK (UC_REG_SLOTS - 1)
#define UC_BIT(reg) (1u << (reg))

/* Registers by DWARF number. */
struct uc_regs {
	u64 r[UC_REG_SLOTS];
	u64 pc;
	u32 known; /* bit by register: r[] holds its value */
	u32 pad;
};

enum uc_abi_id {
	UC_ABI_X86_64,
	UC_ABI_X32,
	UC_ABI_I386,
	UC_ABI_AARCH64,
	UC_ABI_AARCH64_BE,
	UC_ABI_S390X,
	UC_ABI_COUNT
};

/* uc_abi.machine: e_machine of the System V gABI. */
enum {
	UC_EM_I386 = 3,
	UC_EM_S390X = 22,
	UC_EM_X86_64 = 62,
	UC_EM_AARCH64 = 183,
};

#define UC_PACKED_SLOTS 6

/* What the unwinder must know of an ABI. Registers are DWARF numbers. */
struct uc_abi {
	u64 code_mask; /* bits that an address of code can have */
	u64 addr_mask; /* ... and any address: arithmetic wraps at it */
	u32 regs; /* bit by register: all that are tracked */
	u32 preserved; /* bit by register: a function hands it back unchanged */
	u16 machine; /* e_machine */
	u8 id; /* enum uc_abi_id */
	u8 big_endian;
	u8 addr_size; /* bytes of an address; an x32 file has 4 in x86-64's numbers */
	u8 word; /* bytes of the slot of a saved register */
	u8 nr_regs; /* rules of columns below it are kept */
	u8 sp, fp;
	u8 ra; /* column of the return address, by convention */
	u8 pc; /* the pc's own number: in expressions, and as a column */
	u8 ra_slot; /* bytes from the return address's slot to the CFA; 0: it is in ra */
	u8 sp_bias; /* bytes from the caller's stack pointer to the CFA */
	u8 packed[UC_PACKED_SLOTS]; /* registers that a packed row has places for */
	u8 pad;
};

/* A slot of uc_abi.packed that no register uses: never known. */
#define UC_PACKED_NONE 31

/*
 * What a walk may use, in this order; what only code bytes tell (signal
 * trampolines, PLT entries, a frame pointer's set-up) comes last in all.
 */
enum uc_unwind {
	UC_UNWIND_AUTO, /* .eh_frame, .debug_frame, .sframe */
	UC_UNWIND_EHFRAME, /* .eh_frame, .debug_frame */
	UC_UNWIND_SFRAME,
	UC_UNWIND_FP, /* no unwind data */
};

#define UC_MAP_EXEC 1u
#define UC_MAP_FILE 2u /* backed by a file */
#define UC_MAP_VDSO 4u /* the kernel's own image: an ELF header at its start */
#define UC_MAP_PRISTINE 8u /* the process can not have changed these bytes */

/* A mapping of the process. id is zero for what can not be identified. */
struct uc_map {
	u64 start, end; /* end is exclusive; both 0: none */
	u64 off; /* file offset of start */
	u64 id[2]; /* the file's identity: same id, same bytes */
	u32 flags; /* UC_MAP_* */
	u32 pad;
};

/* A loadable segment, in the file's own addresses. */
struct uc_load {
	u64 vaddr, filesz, off;
	u32 exec;
	u32 pad;
};

#define UC_TABLE_SORTED 1
#define UC_TABLE_UNSORTED 2

/* .sframe's header, as it was checked. Run-time addresses. */
struct uc_sframe_header {
	u64 fde, fre, fre_end; /* the two sub-sections */
	u32 nr_fdes;
	u32 flaw; /* why it is of no use, an enum uncoil_flaw */
	u64 flaw_addr;
	u8 open; /* it was looked at */
	u8 version;
	u8 sorted;
	u8 from_section; /* starts count from the section, not from their fields */
	s8 fp_offset, ra_offset; /* fixed places from the CFA; 0: none */
	u8 pad[2];
};

/* Where the unwind data of an executable mapping is. Run-time addresses. */
struct uc_module {
	u64 start, end; /* the mapping that this describes */
	u64 bias; /* run-time address - ELF address */
	u64 elf; /* the ELF header; 0 if it is not mapped */
	u64 hdr, hdr_end; /* .eh_frame_hdr, 0 if none */
	u64 eh_frame; /* first record; where a scan starts */
	u64 lo, hi; /* no record lies outside: the segment's bytes; 0: no .eh_frame */
	u64 sframe, sframe_end; /* .sframe and the end of its segment, 0 if none */
	u64 table; /* first row of the search table, 0 if there is none to use */
	u32 rows;
	u8 row_size; /* bytes of one row's half: 4 or 8 */
	u8 addr_size; /* of the file's class */
	u8 pristine; /* rows found here hold for every process */
	u8 nr_loads;
	u8 stop; /* why it has no unwind data, an enum uncoil_stop */
	u8 checked; /* UC_TABLE_*; 0: not known */
	u8 placed; /* bias is known */
	u8 pad[5];
	struct uc_sframe_header sf;
	struct uc_load load[UC_LOADS_MAX];
};

/* How a register of the caller is found (DWARF 5, 6.4.1). */
enum uc_rule_kind {
	UC_RULE_UNSET, /* preserved registers keep their value, others are lost */
	UC_RULE_UNDEFINED,
	UC_RULE_SAME,
	UC_RULE_OFFSET, /* at CFA + val */
	UC_RULE_VAL_OFFSET, /* is CFA + val */
	UC_RULE_REGISTER, /* in register val of this frame */
	UC_RULE_ELSEWHERE, /* in register val, which is not tracked; 255: or above */
	UC_RULE_EXPR, /* at the address that the expression at base + val gives */
	UC_RULE_VAL_EXPR, /* is what the expression gives */
	UC_RULE_VAL_REGISTER, /* is register + offset, both in val: UC_RULE_REG_* */
	UC_RULE_AT_REGISTER, /* at register + offset */
};

/* Rules of SFrame's flexible FDEs: val is offset << 5 | register. */
#define UC_RULE_REG_PUT(reg, off) ((s32)((u32)(off) << 5 | (reg)))
#define UC_RULE_REG(val) ((u32)(val) & UC_REG_MASK)
#define UC_RULE_REG_OFF(val) ((s64)((val) >> 5))
#define UC_RULE_REG_OFF_MAX (1 << 26) /* offsets lie below it, either sign */

enum uc_cfa_kind {
	UC_CFA_NONE,
	UC_CFA_REG, /* reg + off */
	UC_CFA_EXPR, /* what the expression at base + expr gives */
	UC_CFA_AT_REG, /* the word at reg + off */
};

/* uc_row.ra_reg: the return address has a rule of its own, as no register's
 * column holds it (signal frames). */
#define UC_RA_PC 32

/* uc_row.signal: the interrupted pc is its instruction's, or behind it. */
#define UC_SIGNAL 1
#define UC_SIGNAL_BEHIND 2

/* What holds at one instruction. Expressions are kept as the distance of
 * their length field from the module's lo. */
struct uc_row {
	s64 cfa_off;
	s64 cfa_expr; /* the expression's place */
	u8 cfa_kind;
	u8 cfa_reg;
	u8 ra_reg; /* column that holds the return address */
	u8 signal; /* UC_SIGNAL*: not 0 for a signal frame */
	u8 ra_state; /* aarch64's RA_SIGN_STATE; addresses are stripped whatever it is */
	u8 pc_kind; /* with UC_RA_PC: the return address's rule */
	u8 pad[2];
	s32 pc_val;
	u32 pad2;
	u8 kind[UC_REG_SLOTS]; /* enum uc_rule_kind */
	s32 val[UC_REG_SLOTS];
};

/* A row as it is kept in the cache: two words. */
struct uc_packed_row {
	s32 cfa_off;
	u8 cfa_reg; /* UC_PACKED_* above the register number */
	u8 save[6]; /* -offset/8 from the CFA of the preserved registers, 0: unchanged */
	u8 pad[5];
};

struct uc_row_key {
	u64 id[2];
	u64 off; /* file offset of the instruction */
};

/* Bytes read from an unwind section, and where the reader stands in them. */
struct uc_cursor {
	u64 pos, end; /* next byte; no byte at or after end */
	u64 win; /* address of buf[0] */
	u32 win_len;
	s32 error; /* sticky: 0, UC_FAULT or an enum uncoil_stop */
	u8 buf[UC_WINDOW];
};

/* The section whose records are read. Expressions of its rows count from lo. */
struct uc_section {
	u64 lo, hi; /* no record lies outside */
	u32 debug; /* .debug_frame, which is of a file that need not be mapped */
	u32 pad;
};

#define UC_CIE_NONE (~0ull)

/* An FDE and its CIE. */
struct uc_fde {
	u64 start, range; /* run-time address of the code, its size */
	u64 insn, insn_end; /* CFA instructions of the FDE */
	u64 cie_insn, cie_insn_end;
	u64 cie; /* in frozen memory: the CIE that was read; UC_CIE_NONE: none */
	u64 code_align;
	s64 data_align;
	u32 ra_reg;
	u8 addr_enc; /* DW_EH_PE_* of its code addresses */
	u8 has_z; /* augmentation data is present */
	u8 signal;
	u8 pad;
};

#define UC_SF_WORDS 8 /* of a row: 6 at most; power of two */

/* An FDE of .sframe, and a row of it. */
struct uc_sframe {
	u64 start;
	u32 size;
	u32 nr_fres;
	u64 fre; /* its first row */
	u64 row_at; /* the row that holds; 0: none */
	u32 row_start, row_end; /* its reach, from the FDE's or the block's start */
	u32 next_start; /* last row's start seen */
	u8 info, info2, block;
	u8 row_info;
	u8 count; /* words used */
	u8 word; /* bytes of a word */
	u8 pad[6];
	s64 v[UC_SF_WORDS];
};

/* What a scan found. */
struct uc_scan_kept {
	u64 pc;
	u64 fde; /* 0: nothing here */
};

/* Scratch of the CFA interpreter. */
struct uc_cfa_state {
	u64 loc; /* address of the row being built */
	u64 key; /* address that is looked for */
	u32 depth; /* remembered states */
	u32 done; /* the next row starts after key */
	u64 init_cie; /* in frozen memory: the CIE that init is of */
	struct uc_row init; /* after the CIE's instructions */
	struct uc_row saved[UC_CFA_STATES];
};

struct uc_expr_state {
	u64 st[UC_EXPR_STACK];
	u32 sp;
	u32 pad;
};

/* Scratch of the search for a frame pointer's set-up. */
struct uc_prologue {
	u32 last; /* the last four bytes */
	u32 since_push;
	u32 ends; /* bit n: a function may end n bytes further on */
	u32 padding; /* ... it may have ended, and these are bytes of a nop */
	u32 found;
	u32 pad;
};

/* The instruction at hand, while code is followed. */
struct uc_insn {
	s64 disp, imm;
	u16 what; /* INSN_* */
	u8 op, two; /* opcode; it is behind 0f */
	u8 rex, rep; /* rep: f3 or f2 before it */
	u8 opsize; /* bytes of an INSN_IMM operand */
	u8 mod, digit, reg, rm; /* modrm: registers by DWARF number */
	u8 base; /* of a memory operand: register, or UC_INSN_NO_BASE */
	u8 indexed, rip; /* ... has an index; is relative to the pc */
	u8 len; /* bytes read so far */
	u8 pad;
};

#define UC_INSN_NO_BASE 31

/* Scratch of following code to its return: what is known on the way. Places count
 * from the stack pointer at its start. */
struct uc_follow {
	s64 depth; /* how far the stack pointer has moved */
	s64 fp_depth; /* ... when the frame pointer was set */
	s64 tested_value; /* of the register that was tested last */
	s64 rax; /* its value, -1 if not known: the number of a system call */
	u64 target; /* of the last jump, if the stack was then as at the start */
	u64 code; /* what code_reg holds; 0: not known */
	u64 table; /* ... that table_reg holds a distance of; 0: none */
	u64 lo; /* where the mapping begins whose code is followed */
	u32 pushed;
	u32 branches; /* passed so far, of those that may go either way */
	u8 push_reg[UC_FOLLOW_PUSHES];
	u8 push_kind[UC_FOLLOW_PUSHES]; /* the register's rule when it was pushed */
	s32 push_val[UC_FOLLOW_PUSHES];
	s32 push_depth[UC_FOLLOW_PUSHES];
	u8 fp_set; /* the frame pointer was set on the way */
	u8 restored; /* a register was loaded from a place of the start's frame */
	u8 stored; /* the frame may have been written to */
	u8 tested; /* the flags are those of a test of tested_value */
	u8 adrift; /* the stack pointer is not known */
	u8 calls; /* a call was stepped over */
	u8 called; /* ... just now */
	u8 lost; /* something not known was done */
	u8 code_reg, table_reg;
	u8 pad[6];
};

/* The ways through the code that were tried. */
struct uc_ways {
	u64 from, goal; /* goal is 0: a return */
	u64 lo, hi; /* from's mapping */
	u64 taken; /* bit by branch: which way it goes */
	u64 tried; /* ... and it went the other way before */
	u64 seen[UC_FOLLOW_SEEN]; /* bit by hash: a way has passed this branch */
	u32 replay; /* branches whose way is settled */
	u32 sure; /* the way to the return is the only one */
	u32 calls; /* whose functions were followed from their start */
	u32 pad;
};

struct uc_walk {
	struct uc_port_state port; /* the world's own */

	/* The frame that the next step leaves. */
	struct uc_abi abi;
	struct uc_regs regs;
	u64 entry_sp; /* the process's initial stack pointer, 0 if not known */
	u32 unwind; /* enum uc_unwind; uc_abi_set() makes it AUTO */
	u32 exact; /* its pc is an instruction's address, not a return address */
	u32 leaf; /* it has called nobody: innermost, or interrupted */
	u32 switches;
	struct uc_map map; /* mapping of its pc */
	struct uc_map stack; /* mapping of its stack pointer, if looked up */

	/* Why the walk ended: stop is what the step returned. */
	u64 stop_addr;
	u32 flaw;

	/* Missing memory. */
	u32 fault_len;
	u64 fault_addr;
	u64 bad_page[UC_BAD_PAGES];
	u32 nr_bad;
	u32 steps_from_cache; /* rows that came from the cache */
	u32 steps_interpreted; /* rows that had to be found in the unwind data */
	u32 impure; /* the row being built depends on more than the file */
	u32 scanned; /* records that scans have visited */
	u32 searched; /* windows that searches have looked at */
	u32 scanned_before, searched_before; /* at the step's start */
	u32 record64; /* the open record is of the 64-bit format */
	u32 id_size; /* of the id field of the CIE read last: 4 or 8 */
	u32 prev_bare; /* of the step before */
	u32 bare; /* not 0: the row comes from code bytes, UC_BARE_FP or other */

	/* The frame being computed; copied to regs when the step succeeds. */
	struct uc_regs next;
	u64 cfa;
	u64 value; /* result of an evaluation */

	struct uc_map found; /* result of uc_port_map() */
	struct uc_module mod;
	struct uc_section sec; /* whose records are read */
	u64 tab_loc, tab_fde; /* a row of the search table */
	struct uc_scan_kept kept[UC_SCAN_KEPT];
	struct uc_fde fde;
	struct uc_sframe sf;
	struct uc_row row;
	struct uc_packed_row packed;
	struct uc_cursor cur;
	struct uc_cfa_state cfi;
	struct uc_expr_state expr;
	struct uc_prologue prologue;
	struct uc_insn insn;
	struct uc_follow follow;
	struct uc_ways ways;

	u64 stack_win; /* address of stack_buf[0] */
	u32 stack_len;
	u32 pad;
	u8 stack_buf[UC_STACK_WINDOW + 8]; /* a short word is read as a long one */
	u8 scratch[64];
};

#endif
