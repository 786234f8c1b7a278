/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of the SFrame format, versions 1 to 3 (binutils' sframe-spec and
 * include/sframe.h; formats sheet 5). */
#ifndef UC_SFRAME_H
#define UC_SFRAME_H

enum {
	UC_SF_MAGIC = 0xdee2,
	UC_SF_HEADER = 28, /* bytes, in all versions */

	/* flags */
	UC_SF_SORTED = 1,
	UC_SF_FRAME_POINTER = 2,
	UC_SF_START_PCREL = 4, /* a start counts from its own field */

	/* abi */
	UC_SF_AARCH64_BE = 1,
	UC_SF_AARCH64_LE = 2,
	UC_SF_AMD64_LE = 3,
	UC_SF_S390X_BE = 4,

	/* an FDE's info bytes */
	UC_SF_FRE_TYPE = 0x0f, /* log2 of the bytes of a row's start */
	UC_SF_PC_MASK = 0x10, /* the code repeats in blocks */
	UC_SF_SIGNAL = 0x80, /* version 3 */
	UC_SF_FDE_TYPE = 0x1f, /* of the second one */
	UC_SF_FLEX = 1,
	UC_SF_ATTRIBUTE = 5, /* version 3: bytes before an FDE's rows */

	/* a row's info byte */
	UC_SF_BASE_SP = 1,
	UC_SF_MANGLED_RA = 0x80,

	/* control word of a flexible row's pair */
	UC_SF_BY_REGISTER = 1,
	UC_SF_DEREF = 2,

	/* version 1 has no block size: that of x86-64's PLT entries */
	UC_SF_V1_BLOCK = 16,
	UC_SF_S390X_SCALE = 8,
};

#endif
