/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "sframe.inc"
	HEADER
	FDE	0x1000, 0x20, f1-fre_begin, 2
	FDE	0x1020, 0x30, f2-fre_begin, 3
	FDE	0x1050, 0x10, f3-fre_begin, 1
	FRES
f1:	FRE1	0, 0x03, 8		# sp+8
	FRE1	4, 0x03, 64		# sp+64
f2:	FRE1	0, 0x03, 8		# sp+8
	FRE1	1, 0x05, 16, -16	# sp+16, fp at cfa-16
	FRE1	4, 0x04, 16, -16	# fp+16, fp at cfa-16
f3:	FRE1	0, 0x03, 8
	END
