/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Why a walk ended. Every stack carries one of these to the user. A number
 * is never reused; the sentence beside it is the one that the tools print.
 * Only UNCOIL_STOP_OUTERMOST makes a stack complete.
 */
#ifndef UNCOIL_STOP_H
#define UNCOIL_STOP_H

/* X(name, number, short name for tables and JSON, sentence) */
#define UNCOIL_STOPS(X) \
	X(NONE, 0, "none", "the walk goes on") \
	X(OUTERMOST, 1, "outermost", "outermost frame, marked by the unwind data") \
	X(END_OF_CHAIN, 2, "end-of-chain", "frame pointer or return address is zero") \
	X(NO_MAPPING, 3, "no-mapping", "address lies in no executable mapping") \
	X(NO_SECTION, 4, "no-section", "mapping has no unwind section") \
	X(NO_ENTRY, 5, "no-entry", "no unwind entry covers the address, and no frame pointer holds") \
	X(UNSUPPORTED, 6, "unsupported", "unwind data asks for something that is not supported") \
	X(MALFORMED, 7, "malformed", "unwind data is malformed") \
	X(MEMORY_FAULT, 8, "memory-fault", "memory that the walk needs cannot be read") \
	X(NO_PROGRESS, 9, "no-progress", "the stack pointer does not rise") \
	X(DEPTH_LIMIT, 10, "depth-limit", "more frames than the limit") \
	X(TASK_GONE, 11, "task-gone", "the task exited or replaced its program before the walk") \
	X(NO_REGISTER, 12, "no-register", "a register that the walk needs is not known")

enum uncoil_stop {
#define UNCOIL_STOP_ENUM_(name, number, word, sentence) UNCOIL_STOP_##name = number,
	UNCOIL_STOPS(UNCOIL_STOP_ENUM_)
#undef UNCOIL_STOP_ENUM_
	UNCOIL_STOP_COUNT
};

/*
 * What exactly was malformed or unsupported; 0 with the other stops, but for
 * NO_REGISTER: there it names the register, by UNCOIL_FLAW_OF_REGISTER, the
 * ABI's number (enum uc_abi_id) in bits 8 to 14, and the DWARF number below.
 */
#define UNCOIL_FLAW_OF_REGISTER 0x8000

#define UNCOIL_FLAWS(X) \
	X(NONE, 0, "nothing") \
	X(ELF_HEADER, 1, "ELF header or program headers") \
	X(HDR_VERSION, 2, ".eh_frame_hdr version") \
	X(HDR_ENCODING, 3, ".eh_frame_hdr pointer encoding") \
	X(HDR_UNSORTED, 4, ".eh_frame_hdr table is not sorted") \
	X(RECORD_LENGTH, 5, "length of a CIE or FDE") \
	X(CIE_POINTER, 6, "CIE pointer of an FDE") \
	X(CIE_VERSION, 7, "CIE version") \
	X(AUGMENTATION, 8, "augmentation string without z, or unknown") \
	X(POINTER_ENCODING, 9, "pointer encoding") \
	X(TRUNCATED, 10, "data ends inside a value") \
	X(LEB128, 11, "LEB128 number too large") \
	X(CFA_OPCODE, 12, "unknown CFA opcode") \
	X(CFA_RULE, 13, "no usable rule for the CFA") \
	X(STATE_OVERFLOW, 14, "too many remembered states") \
	X(STATE_UNDERFLOW, 15, "restore_state without remember_state") \
	X(REGISTER, 16, "register number") \
	X(OFFSET_RANGE, 17, "offset beyond 32 bits") \
	X(RA_RULE, 18, "no rule for the return address") \
	X(EXPR_OPCODE, 19, "unknown expression operator") \
	X(EXPR_STACK, 20, "expression stack over- or underflow") \
	X(EXPR_STEPS, 21, "expression runs too long") \
	X(EXPR_DIVISION, 22, "expression divides by zero") \
	X(TOO_LONG, 23, "more unwind instructions than the limit") \
	X(ABI, 24, "task of an ABI that is not supported") \
	X(SCAN_LIMIT, 25, "section without search table is too long to scan") \
	X(LOCATION, 26, "location of a row goes back") \
	X(SFRAME_HEADER, 27, ".sframe header") \
	X(SFRAME_VERSION, 28, ".sframe version") \
	X(SFRAME_BOUNDS, 29, ".sframe says that it has more than it has") \
	X(SFRAME_START, 30, "function starts of .sframe are in no code") \
	X(SFRAME_UNSORTED, 31, ".sframe is not sorted") \
	X(SFRAME_FDE, 32, "FDE of .sframe") \
	X(SFRAME_ROW, 33, "row of .sframe")

enum uncoil_flaw {
#define UNCOIL_FLAW_ENUM_(name, number, sentence) UNCOIL_FLAW_##name = number,
	UNCOIL_FLAWS(UNCOIL_FLAW_ENUM_)
#undef UNCOIL_FLAW_ENUM_
	UNCOIL_FLAW_COUNT
};

#endif
