/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "raw.inc"
	CODE4
	EH_BEGIN
	CIE	c
	FDE_START f0, c
	FDE	f1, c, outer, 32
	FDEHEAD	f2, c, mid
	.byte	0x44
	.byte	0x0e, 0xb0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00	# 48
	DONE	f2
	FDE	f3, c, leaf, 64
	.long	0
	HDR_BEGIN 4
	ROW	_start, f0
	ROW	outer, f1
	ROW	mid, f2
	ROW	leaf, f3
