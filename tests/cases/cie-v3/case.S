/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "raw.inc"
	CODE4
	EH_BEGIN
	CIE	c
	FDE_START f0, c
	FDE	f1, c, outer, 32
	ENTRY	c3
	.long	0
	.byte	3
	.asciz	"zR"
	.uleb128 1
	.sleb128 -8
	.byte	0x90, 0x00	# version 3: the return column is a uleb128, here padded
	.uleb128 1
	.byte	0x1b
	.byte	0x0c, 7, 8
	.byte	0x90, 1
	DONE	c3
	FDE	f2, c3, mid, 48
	FDE	f3, c, leaf, 64
	.long	0
	HDR_BEGIN 4
	ROW	_start, f0
	ROW	outer, f1
	ROW	mid, f2
	ROW	leaf, f3
