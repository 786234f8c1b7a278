/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
	.include "raw.inc"
	CODE4
	EH_BEGIN
	CIE	c
	FDE_START f0, c
	FDE	f1, c, outer, 32
	ENTRY	cz
	.long	0
	.byte	1
	.asciz	"zRQ"
	.uleb128 1
	.sleb128 -8
	.byte	16
	.uleb128 4		# 1 byte for R, 3 for the letter nobody knows
	.byte	0x1b
	.byte	0xde, 0xad, 0x7f
	.byte	0x0c, 7, 8
	.byte	0x90, 1
	DONE	cz
	ENTRY	f2
	.long	. - cz
	.long	mid - .
	.long	mid_end - mid
	.uleb128 5		# the FDE has data of its own to skip
	.byte	0x0e, 1, 0x0e, 2, 0x0e
	.byte	0x44
	.byte	0x0e, 48
	DONE	f2
	FDE	f3, c, leaf, 64
	.long	0
	HDR_BEGIN 4
	ROW	_start, f0
	ROW	outer, f1
	ROW	mid, f2
	ROW	leaf, f3
