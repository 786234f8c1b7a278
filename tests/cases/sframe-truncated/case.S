/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "sframe.inc"
	HEADER frelen=20, freoff=51
	FDE	0x1000, 0x20, 0, 2
	FDE	0x1020, 0x30, 6, 3
	FDE	0x1050, 0x10, 17, 1
