/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "raw.inc"
	CODE4
	EH_BEGIN
	CIE	c
	FDE_START f0, c
	FDEHEAD	f1, c, outer
	.byte	0x44
	.byte	0x13
	.sleb128 6		# CFA = rsp - 48: back to mid's frame
	DONE	f1
	FDE	f2, c, mid, 48
	FDE	f3, c, leaf, 64
	.long	0
	HDR_BEGIN 4
	ROW	_start, f0
	ROW	outer, f1
	ROW	mid, f2
	ROW	leaf, f3
