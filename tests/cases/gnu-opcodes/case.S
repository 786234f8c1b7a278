/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "raw.inc"
	CODE4
	EH_BEGIN
	CIE	c
	FDE_START f0, c
	FDE	f1, c, outer, 32
	FDEHEAD	f2, c, mid
	.byte	0x44
	.byte	0x0e, 48
	.byte	0x2e, 0x90, 0x01	# GNU_args_size 144
	.byte	0x2f, 3, 2		# GNU_negative_offset_extended rbx, 2
	.byte	0x2e, 0
	DONE	f2
	FDE	f3, c, leaf, 64
	.long	0
	HDR_BEGIN 4
	ROW	_start, f0
	ROW	outer, f1
	ROW	mid, f2
	ROW	leaf, f3
